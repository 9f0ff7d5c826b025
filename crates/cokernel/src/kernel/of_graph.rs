//! Kernels of a graph: functions f of its Laplacian L, K = f(L), for all its nodes together.
//!
//! | kernel | f(λ) |
//! |---|---|
//! | diffusion | exp(−βλ) |
//! | p-step random walk | (a − λ)^p |
//!
//! L = D − A, or I − D^(−1/2) A D^(−1/2), where an isolated node has a row of zeros; the diagonal of A does not
//! count. f is replaced by its Chebyshev series on [0, λ_max], λ_max ≤ 2 max D or 2, whose terms are products of a sparse
//! matrix with the unit vectors: 2 n · nnz operations for each of about 20 + 10 √(1 + β λ_max / 2) terms (p + 1 of a
//! walk), error near rounding times the largest f. Where more than an eighth of A is not 0, the eigenvectors are
//! computed instead, 9 n³.
//!
//! Sources: Kondor and Lafferty, "Diffusion kernels on graphs", ICML 2002, eq. (4); Smola and Kondor, "Kernels and
//! regularization on graphs", COLT 2003, (12)–(14), where the walk is (aI − L)^p with a ≥ 2.

use crate::data::{Csr, Matrix, Table};
use crate::solve::dense::{Slice, product_nt, symmetric_eigen};
use crate::{Error, Result, brief};
use rayon::prelude::*;

/// Terms of a series at most.
const MOST: usize = 1 << 14;

/// exp(−βL) of the graph whose edges a square symmetric table holds.
///
/// # Errors
/// The table holds no similarities, is not square and symmetric, or has a negative or infinite entry; β is not a number
/// above 0 or so large that its series is too long.
pub fn diffusion(graph: &Table, beta: f64, normalized: bool) -> Result<Matrix> {
    check_beta(beta)?;
    let laplacian = Laplacian::of(graph, normalized)?;
    let reach = 0.5 * beta * laplacian.highest;
    let terms = 20 + (10.0 * (1.0 + reach).sqrt()) as usize;
    laplacian.function(terms, |x| (-beta * x).exp())
}

/// (aI − L)^p of the normalised Laplacian L of the graph whose edges a square symmetric table holds.
///
/// # Errors
/// As [`diffusion`]; no step; a is below 2.
pub fn random_walk(graph: &Table, steps: u32, a: f64) -> Result<Matrix> {
    check_walk(steps, a)?;
    let power = i32::try_from(steps).unwrap_or(i32::MAX);
    Laplacian::of(graph, true)?.function(steps as usize + 1, |x| (a - x).powi(power))
}

pub(super) fn check_beta(beta: f64) -> Result<()> {
    if beta.is_finite() && beta > 0.0 {
        return Ok(());
    }
    let problem = format!("found {}, expected a finite number above 0", brief(beta));
    Err(Error::parameter("kernel beta", problem))
}

pub(super) fn check_walk(steps: u32, a: f64) -> Result<()> {
    if steps == 0 || steps as usize >= MOST {
        let problem = format!("found {steps}, expected 1 to {}", MOST - 1);
        return Err(Error::parameter("kernel steps", problem));
    }
    if !(a.is_finite() && a >= 2.0) {
        let problem = format!(
            "found {}, expected at least 2 (below it the kernel need not be positive semi-definite)",
            brief(a)
        );
        return Err(Error::parameter("kernel a", problem));
    }
    Ok(())
}

struct Laplacian {
    matrix: Csr,
    /// No eigenvalue is larger.
    highest: f64,
}

impl Laplacian {
    fn of(graph: &Table, normalized: bool) -> Result<Self> {
        let wrong = |problem: String| Err(Error::Data(format!("kernel of a graph: {problem}")));
        let (n, cols) = (graph.rows(), graph.cols());
        let rows: Vec<Vec<(u32, f64)>> = match graph {
            Table::Similarity(m) => (0..n)
                .map(|i| (0_u32..).zip(m.row(i).iter().copied()).filter(|e| e.1 != 0.0).collect())
                .collect(),
            Table::Graph(m) => (0..n)
                .map(|i| {
                    let (c, v) = m.row(i);
                    c.iter().copied().zip(v.iter().copied()).filter(|e| e.1 != 0.0).collect()
                })
                .collect(),
            other => {
                return wrong(format!("expected edges between instances, found {}", other.words()));
            }
        };
        if n != cols {
            return wrong(format!("expected as many columns as rows, found {n} × {cols}"));
        }
        let edges: Vec<Vec<(u32, f64)>> = (0..n)
            .map(|i| rows[i].iter().copied().filter(|e| e.0 as usize != i).collect())
            .collect();
        for (i, row) in edges.iter().enumerate() {
            for (j, v) in row {
                if !(v.is_finite() && *v > 0.0) {
                    return wrong(format!(
                        "edge {i}, {j} is {}; expected weights above 0",
                        brief(*v)
                    ));
                }
                let back = edges[*j as usize].binary_search_by_key(&(i as u32), |e| e.0);
                let back = back.map_or(0.0, |p| edges[*j as usize][p].1);
                if (back - v).abs() > 1e-8 * v.max(back) {
                    return wrong(format!(
                        "edge {i}, {j} is {v} and edge {j}, {i} is {back}; it must be symmetric"
                    ));
                }
            }
        }
        let degrees: Vec<f64> = edges.iter().map(|r| r.iter().map(|e| e.1).sum()).collect();
        let most = degrees.iter().fold(0.0_f64, |a, d| a.max(*d));
        if !most.is_finite() {
            return wrong(
                "the weights of a node's edges add up to more than a number can hold".to_string(),
            );
        }
        let entries = |i: usize| {
            let between = |j: usize, v: f64| match normalized {
                true => -v / (degrees[i].sqrt() * degrees[j].sqrt()),
                false => -v,
            };
            let own = match (degrees[i] > 0.0, normalized) {
                (false, _) => 0.0,
                (true, true) => 1.0,
                (true, false) => degrees[i],
            };
            let mut row: Vec<(u32, f64)> =
                edges[i].iter().map(|(j, v)| (*j, between(*j as usize, *v))).collect();
            let place = row.partition_point(|e| (e.0 as usize) < i);
            row.insert(place, (i as u32, own));
            row
        };
        let matrix = Csr::from_rows(n, (0..n).map(entries).collect())?;
        let highest = if normalized { 2.0 } else { 2.0 * most };
        Ok(Laplacian { matrix, highest })
    }

    fn function(&self, terms: usize, f: impl Fn(f64) -> f64) -> Result<Matrix> {
        let n = self.matrix.rows();
        if 8 * self.matrix.stored() > n * n {
            return self.by_eigenvectors(f);
        }
        if terms > MOST {
            return Err(Error::parameter(
                "kernel beta",
                format!(
                    "it takes a series of {terms} terms on this graph, more than {MOST}; choose a smaller one"
                ),
            ));
        }
        Ok(self.by_series(terms, f))
    }

    fn by_eigenvectors(&self, f: impl Fn(f64) -> f64) -> Result<Matrix> {
        let n = self.matrix.rows();
        let (values, vectors) = symmetric_eigen(&self.matrix.try_to_dense()?)?;
        let mut scaled = vectors.clone();
        for i in 0..n {
            scaled.row_mut(i).iter_mut().zip(&values).for_each(|(x, v)| *x *= f(v.max(0.0)));
        }
        let mut out = Matrix::zeros(n, n);
        product_nt(Slice::from(&scaled), Slice::from(&vectors), out.values_mut());
        Ok(symmetric(out))
    }

    fn by_series(&self, terms: usize, f: impl Fn(f64) -> f64) -> Matrix {
        let n = self.matrix.rows();
        let half = 0.5 * self.highest;
        if half == 0.0 {
            return Matrix::from_fn(n, n, |i, j| if i == j { f(0.0) } else { 0.0 });
        }
        let angle = |k: usize| std::f64::consts::PI * (k as f64 + 0.5) / terms as f64;
        let values: Vec<f64> = (0..terms).map(|k| f(half * (angle(k).cos() + 1.0))).collect();
        let coefficient = |j: usize| {
            let sum: f64 = (0..terms).map(|k| values[k] * (angle(k) * j as f64).cos()).sum();
            sum * if j == 0 { 1.0 } else { 2.0 } / terms as f64
        };
        let coefficients: Vec<f64> = (0..terms).map(coefficient).collect();
        let mut out = Matrix::zeros(n, n);
        // Column i of T_j(L/half − I), j = 0, 1 …; the matrix is symmetric.
        out.values_mut().par_chunks_mut(n).enumerate().for_each_init(
            || (vec![0.0; n], vec![0.0; n]),
            |(last, before), (i, out)| {
                last.fill(0.0);
                last[i] = 1.0;
                before.fill(0.0);
                out.iter_mut().zip(last.iter()).for_each(|(o, t)| *o = coefficients[0] * t);
                for (j, c) in coefficients.iter().enumerate().skip(1) {
                    let factor = if j == 1 { 1.0 } else { 2.0 };
                    for (r, b) in before.iter_mut().enumerate() {
                        let (cols, v) = self.matrix.row(r);
                        let sum: f64 = cols.iter().zip(v).map(|(c, v)| v * last[*c as usize]).sum();
                        *b = factor * (sum / half - last[r]) - *b;
                    }
                    std::mem::swap(last, before);
                    out.iter_mut().zip(last.iter()).for_each(|(o, t)| *o += c * t);
                }
            },
        );
        symmetric(out)
    }
}

/// The mean of a matrix and its transpose.
fn symmetric(mut m: Matrix) -> Matrix {
    for i in 0..m.rows() {
        for j in 0..i {
            let mean = 0.5 * (m.get(i, j) + m.get(j, i));
            m.set(i, j, mean);
            m.set(j, i, mean);
        }
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring with chords, one node alone.
    fn graph(n: usize) -> Csr {
        let mut rows = vec![Vec::new(); n];
        for i in 0..n - 1 {
            for (j, v) in [((i + 1) % (n - 1), 1.0 + (i % 3) as f64), ((i * i + 3) % (n - 1), 0.25)]
            {
                if i != j && !rows[i].iter().any(|e: &(u32, f64)| e.0 == j as u32) {
                    rows[i].push((j as u32, v));
                    rows[j].push((i as u32, v));
                }
            }
        }
        rows.iter_mut().for_each(|r| r.sort_by_key(|e| e.0));
        Csr::from_rows(n, rows).unwrap()
    }

    /// exp(−βL) by its Taylor series of a small multiple, squared.
    fn by_squaring(l: &Matrix, beta: f64) -> Matrix {
        let n = l.rows();
        let times = |a: &Matrix, b: &Matrix| {
            Matrix::from_fn(n, n, |i, j| (0..n).map(|k| a.get(i, k) * b.get(k, j)).sum())
        };
        let halvings = 12;
        let small = Matrix::from_fn(n, n, |i, j| -beta * l.get(i, j) / f64::from(1 << halvings));
        let mut sum = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
        let mut term = sum.clone();
        for k in 1..20 {
            term = times(&term, &small);
            term.values_mut().iter_mut().for_each(|v| *v /= f64::from(k));
            sum.values_mut().iter_mut().zip(term.values()).for_each(|(s, t)| *s += t);
        }
        (0..halvings).for_each(|_| sum = times(&sum, &sum));
        sum
    }

    fn close(a: &Matrix, b: &Matrix, tol: f64) {
        let largest = b.values().iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        for (a, b) in a.values().iter().zip(b.values()) {
            assert!((a - b).abs() <= tol * largest, "{a} {b}");
        }
    }

    #[test]
    fn series_and_eigenvectors_and_squaring_agree() {
        for (n, normalized) in [(40, true), (40, false), (3, true)] {
            let csr = graph(n);
            let (dense, sparse) = (Table::Similarity(csr.to_dense()), Table::Graph(csr));
            let l = Laplacian::of(&sparse, normalized).unwrap();
            for beta in [1e-3, 0.7, 5.0, 60.0] {
                let want = by_squaring(&l.matrix.to_dense(), beta);
                let terms = 20 + (10.0 * (1.0 + 0.5 * beta * l.highest).sqrt()) as usize;
                close(&l.by_series(terms, |x| (-beta * x).exp()), &want, 1e-12);
                close(&l.by_eigenvectors(|x| (-beta * x).exp()).unwrap(), &want, 1e-12);
                close(&diffusion(&sparse, beta, normalized).unwrap(), &want, 1e-12);
                close(&diffusion(&dense, beta, normalized).unwrap(), &want, 1e-12);
            }
        }
    }

    #[test]
    fn walks_are_powers() {
        let table = Table::Graph(graph(30));
        let l = Laplacian::of(&table, true).unwrap().matrix.to_dense();
        let step = Matrix::from_fn(30, 30, |i, j| f64::from(u8::from(i == j)) * 2.5 - l.get(i, j));
        let mut want = step.clone();
        for _ in 1..4 {
            want = Matrix::from_fn(30, 30, |i, j| {
                (0..30).map(|k| want.get(i, k) * step.get(k, j)).sum()
            });
        }
        close(&random_walk(&table, 4, 2.5).unwrap(), &want, 1e-13);
    }

    #[test]
    fn refusals_name_what_is_wrong() {
        let of = |values: Vec<f64>| Table::Similarity(Matrix::new(2, 2, values).unwrap());
        for (graph, beta, said) in [
            (of(vec![0.0, 1.0, 2.0, 0.0]), 1.0, "must be symmetric"),
            (of(vec![0.0, -1.0, -1.0, 0.0]), 1.0, "weights above 0"),
            (of(vec![0.0, 1.0, 1.0, 0.0]), 0.0, "above 0"),
            (Table::Dense(Matrix::zeros(2, 2)), 1.0, "found a table of features"),
            (Table::Similarity(Matrix::zeros(2, 3)), 1.0, "2 × 3"),
        ] {
            let e = diffusion(&graph, beta, true).unwrap_err().to_string();
            assert!(e.contains(said), "{e}");
        }
        assert!(random_walk(&of(vec![0.0; 4]), 0, 2.0).is_err());
        assert!(random_walk(&of(vec![0.0; 4]), 1, 1.9).is_err());
        let e = diffusion(&Table::Graph(graph(40)), 1e9, false).unwrap_err().to_string();
        assert!(e.contains("choose a smaller one"), "{e}");
    }
}
