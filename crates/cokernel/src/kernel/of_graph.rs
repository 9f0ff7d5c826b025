//! Kernels of a graph: functions f of its Laplacian L, K = f(L), for all its nodes together.
//!
//! | kernel | f(λ) |
//! |---|---|
//! | diffusion | exp(−βλ) |
//! | p-step random walk | (a − λ)^p |
//!
//! L = D − A, or I − D^(−1/2) A D^(−1/2), where an isolated node has a row of zeros; the diagonal of A does not
//! count. f is replaced by its Chebyshev series on [0, λ_max], λ_max ≤ 2 max D or 2, whose terms are products of L
//! with the unit vectors: 2 n · nnz operations for each of about 20 + 10 √(1 + β λ_max / 2) terms (p + 1 of a
//! walk), error near rounding times the largest f. Where more than an eighth of A is not 0, L is kept dense; then the
//! eigenvectors of up to 2000 nodes are computed instead of more than 16 terms, 9 n³. The series, not that
//! decomposition, looks at the clock.
//!
//! Sources: Kondor and Lafferty, "Diffusion kernels on graphs", ICML 2002, eq. (4); Smola and Kondor, "Kernels and
//! regularization on graphs", COLT 2003, (12)–(14), where the walk is (aI − L)^p with a ≥ 2.

use crate::data::{Csr, Matrix, Table};
use crate::run::Pass;
use crate::solve::dense::{Slice, product_nt, symmetric_eigen, symmetric_part};
use crate::{Error, Result, Run, brief};
use rayon::prelude::*;

/// Terms of a series at most.
const MOST: usize = 1 << 14;

/// Nodes of a dense graph whose eigenvectors are computed, where the series has more terms than the number below.
const DECOMPOSED: usize = 2000;
const SHORT: usize = 16;

/// Powers of a walk beyond this leave no room for what is computed with them.
const LARGEST: f64 = 1e300;

/// Unit vectors that a series is computed for together.
const STRIP: usize = 64;

/// exp(−βL) of the graph whose edges a square symmetric table holds.
///
/// # Errors
/// The table holds no similarities, is not square and symmetric, or has a negative or infinite entry; β is not a number
/// above 0 or so large that its series is too long; a stop.
pub fn diffusion(graph: &Table, beta: f64, normalized: bool, run: &Run) -> Result<Matrix> {
    diffused(graph, beta, normalized, &Pass::under(&run.watch()))
}

/// [`diffusion`] in a pass.
pub(crate) fn diffused(
    graph: &Table,
    beta: f64,
    normalized: bool,
    pass: &Pass<'_>,
) -> Result<Matrix> {
    check_beta(beta)?;
    let laplacian = Laplacian::of(graph, normalized)?;
    let terms = laplacian.terms(beta);
    laplacian.function(terms, |x| (-beta * x).exp(), pass)
}

/// (aI − L)^p of the normalised Laplacian L of the graph whose edges a square symmetric table holds.
///
/// # Errors
/// As [`diffusion`]; no step; a is below 2.
pub fn random_walk(graph: &Table, steps: u32, a: f64, run: &Run) -> Result<Matrix> {
    walked(graph, steps, a, &Pass::under(&run.watch()))
}

/// [`random_walk`] in a pass.
pub(crate) fn walked(graph: &Table, steps: u32, a: f64, pass: &Pass<'_>) -> Result<Matrix> {
    check_walk(steps, a)?;
    let power = i32::try_from(steps).unwrap_or(i32::MAX);
    // Its largest entries lie near a^p, those of its series at a few times that.
    if a.powi(power) > LARGEST {
        let problem = format!(
            "found {}, whose power {steps} is {}, more than {}; choose a smaller one, or fewer steps",
            brief(a),
            brief(a.powi(power)),
            brief(LARGEST)
        );
        return Err(Error::parameter("kernel a", problem));
    }
    Laplacian::of(graph, true)?.function(steps as usize + 1, |x| (a - x).powi(power), pass)
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

    /// Terms of the series of exp(−βλ).
    fn terms(&self, beta: f64) -> usize {
        20_usize.saturating_add((10.0 * (1.0 + 0.5 * beta * self.highest).sqrt()) as usize)
    }

    fn function(&self, terms: usize, f: impl Fn(f64) -> f64, pass: &Pass<'_>) -> Result<Matrix> {
        let n = self.matrix.rows();
        let dense = match 8 * self.matrix.stored() > n * n {
            true => Some(self.matrix.try_to_dense()?),
            false => None,
        };
        if let Some(dense) = dense.as_ref().filter(|_| n <= DECOMPOSED && terms > SHORT) {
            return by_eigenvectors(dense, f);
        }
        if terms > MOST {
            return Err(Error::parameter(
                "kernel beta",
                format!(
                    "it takes a series of {terms} terms on this graph, more than {MOST}; choose a smaller one"
                ),
            ));
        }
        let out = self.by_series(dense.as_ref(), terms, f, pass);
        pass.complete("the kernel of a graph")?;
        Ok(out)
    }

    /// The series, with a dense copy of the Laplacian or without one; incomplete when the pass is over.
    fn by_series(
        &self,
        dense: Option<&Matrix>,
        terms: usize,
        f: impl Fn(f64) -> f64,
        pass: &Pass<'_>,
    ) -> Matrix {
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
        // Rows of T_j(L/half − I), j = 0, 1 …, which are its columns.
        out.values_mut().par_chunks_mut(STRIP * n).enumerate().for_each_init(
            || [0; 3].map(|_| vec![0.0; STRIP * n]),
            |[last, before, product], (s, out)| {
                let size = out.len();
                let [last, before, product] =
                    [last, before, product].map(|v: &mut Vec<f64>| &mut v[..size]);
                before.fill(0.0);
                last.fill(0.0);
                last.chunks_mut(n).enumerate().for_each(|(r, row)| row[s * STRIP + r] = 1.0);
                out.iter_mut().zip(last.iter()).for_each(|(o, t)| *o = coefficients[0] * t);
                let (mut last, mut before) = (last, before);
                for (j, c) in coefficients.iter().enumerate().skip(1) {
                    if pass.is_over() {
                        return;
                    }
                    match dense {
                        Some(l) => product_nt(Slice::new(last, size / n, n), l.into(), product),
                        None => self.times(last, product),
                    }
                    let factor = if j == 1 { 1.0 } else { 2.0 };
                    for ((b, p), t) in before.iter_mut().zip(product.iter()).zip(last.iter()) {
                        *b = factor * (p / half - t) - *b;
                    }
                    std::mem::swap(&mut last, &mut before);
                    out.iter_mut().zip(last.iter()).for_each(|(o, t)| *o += c * t);
                }
            },
        );
        symmetric_part(out)
    }

    /// L times each of these rows.
    fn times(&self, rows: &[f64], product: &mut [f64]) {
        let n = self.matrix.rows();
        for (x, out) in rows.chunks(n).zip(product.chunks_mut(n)) {
            for (r, o) in out.iter_mut().enumerate() {
                let (cols, v) = self.matrix.row(r);
                *o = cols.iter().zip(v).map(|(c, v)| v * x[*c as usize]).sum();
            }
        }
    }
}

fn by_eigenvectors(laplacian: &Matrix, f: impl Fn(f64) -> f64) -> Result<Matrix> {
    let n = laplacian.rows();
    let (values, vectors) = symmetric_eigen(laplacian)?;
    let mut scaled = vectors.clone();
    for i in 0..n {
        scaled.row_mut(i).iter_mut().zip(&values).for_each(|(x, v)| *x *= f(v.max(0.0)));
    }
    let mut out = Matrix::zeros(n, n);
    product_nt(Slice::from(&scaled), Slice::from(&vectors), out.values_mut());
    Ok(symmetric_part(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::late_watch;

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
        for (n, normalized) in [(40, true), (140, false), (3, true)] {
            let csr = graph(n);
            let (dense, sparse) = (Table::Similarity(csr.to_dense()), Table::Graph(csr));
            let l = Laplacian::of(&sparse, normalized).unwrap();
            for beta in [1e-3, 0.7, 5.0, 60.0] {
                let want = by_squaring(&l.matrix.to_dense(), beta);
                let (own, f) = (l.matrix.to_dense(), |x: f64| (-beta * x).exp());
                for copy in [None, Some(&own)] {
                    let found = l.by_series(copy, l.terms(beta), f, &Pass::default());
                    close(&found, &want, 1e-11);
                }
                close(&by_eigenvectors(&own, f).unwrap(), &want, 1e-11);
                close(
                    &diffusion(&sparse, beta, normalized, &Run::default()).unwrap(),
                    &want,
                    1e-11,
                );
                close(&diffusion(&dense, beta, normalized, &Run::default()).unwrap(), &want, 1e-11);
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
        close(&random_walk(&table, 4, 2.5, &Run::default()).unwrap(), &want, 1e-13);
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
            let e = diffusion(&graph, beta, true, &Run::default()).unwrap_err().to_string();
            assert!(e.contains(said), "{e}");
        }
        let run = Run::default();
        assert!(random_walk(&of(vec![0.0; 4]), 0, 2.0, &run).is_err());
        assert!(random_walk(&of(vec![0.0; 4]), 1, 1.9, &run).is_err());
        for (steps, a) in [(1024, 2.0), (1, f64::MAX), (1000, 2.1)] {
            let edge = of(vec![0.0, 1.0, 1.0, 0.0]);
            let e = random_walk(&edge, steps, a, &run).unwrap_err().to_string();
            assert!(e.contains("or fewer steps"), "{e}");
        }
        let far = random_walk(&of(vec![0.0, 1.0, 1.0, 0.0]), 990, 2.0, &run).unwrap();
        assert!(far.values().iter().all(|v| v.is_finite()));
        for beta in [1e9, 1e300, f64::MAX] {
            let e = diffusion(&Table::Graph(graph(40)), beta, false, &run).unwrap_err().to_string();
            assert!(e.contains("choose a smaller one"), "{e}");
        }
    }

    #[test]
    fn a_series_ends_with_the_watch() {
        let watch = late_watch();
        let table = Table::Graph(graph(140));
        for stopped in [
            diffused(&table, 1.0, true, &Pass::under(&watch)),
            walked(&table, 2, 2.0, &Pass::under(&watch)),
        ] {
            let e = stopped.unwrap_err().to_string();
            assert!(e.contains("the kernel of a graph was stopped"), "{e}");
        }
    }
}
