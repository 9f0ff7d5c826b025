//! Kernels that are not positive semi-definite, and the proof that a symmetric matrix has a negative
//! eigenvalue, from a few Lanczos steps.
//!
//! Every Ritz value is at least the least eigenvalue, so that a negative one proves that the
//! matrix is not positive semi-definite; silence proves nothing. The steps find negative
//! eigenvalues unless many positive ones of their size or larger lie close together.
//!
//! Cost: [`STEPS`] products with the matrix, 30 n² multiplications where all entries are stored.
//! Vectors are made orthogonal to all before them: 30² n more. Source: C. Lanczos 1950; Golub and
//! Van Loan, *Matrix Computations*, §10.1.

use super::Bank;
use super::remarks::looked_at;
use super::tiles::Tiles;
use crate::Result;
use crate::data::{Matrix, Table, Views};
use crate::kernel::{Function, Kernel};
use crate::run::Pass;
use cokernel_dense::simd;
use rand::RngExt;
use rayon::prelude::*;

/// Views and kernels that a sentence names.
const NAMED: usize = 5;

/// Products with the matrix.
const STEPS: usize = 30;

/// Rounding of the entries that is forgiven, as part of the largest: entries that were written
/// with six digits, or in single precision. Errors ε of n × n entries change eigenvalues by about
/// 2 ε √n.
const ROUNDING: f64 = 1e-6;

impl Bank {
    /// A negative eigenvalue of kernel m beyond rounding, the least that a few Lanczos steps find; nothing of it is
    /// to be used if the pass is given up.
    pub(crate) fn negative_eigenvalue(&self, m: usize, pass: &Pass<'_>) -> Option<f64> {
        let n = self.n();
        let largest = self.diagonal(m).iter().fold(0.0_f64, |a, d| a.max(d.abs()));
        negative_eigenvalue(n, largest, |x, out| {
            let product = self.apply_in(m, &Matrix::from_fn(n, 1, |i, _| x[i]), pass);
            out.copy_from_slice(product.values());
        })
    }

    /// [`negative_eigenvalue`](Self::negative_eigenvalue) of kernel m on 64 of the instances, which has none below the least of
    /// all (Cauchy).
    pub(crate) fn negative_eigenvalue_of_some(&self, m: usize) -> Option<f64> {
        // Eight runs of eight, each of which lies together in memory.
        let (n, size) = (self.n(), self.n().min(64));
        let run = |k: usize| if n <= 64 { k } else { k / 8 * (n - 8) / 7 + k % 8 };
        let chosen: Vec<usize> = (0..size).map(run).collect();
        let mut values = vec![0.0; size * size];
        for (&i, row) in chosen.iter().zip(values.chunks_mut(size)) {
            self.tiles.entries(&[m], i, chosen.iter().copied(), row);
        }
        negative_eigenvalue(size, largest(&values), |x, out| {
            out.iter_mut().zip(values.chunks(size)).for_each(|(o, row)| *o = simd::dot(row, x));
        })
    }
}

/// A Ritz value below what rounding explains, of the symmetric n × n matrix whose product with x
/// is `multiply(x, out)` and whose largest entry has this magnitude.
pub(super) fn negative_eigenvalue(
    n: usize,
    largest: f64,
    multiply: impl Fn(&[f64], &mut [f64]),
) -> Option<f64> {
    let (least, _) = steps(n, STEPS, multiply, |_, _| false);
    (least < -ROUNDING * (n as f64).sqrt() * largest).then_some(least)
}

/// The least Ritz value, which ten more steps have changed by less than a hundredth, or that of 200 steps, and the largest
/// number on the diagonal of the tridiagonal form.
pub(super) fn least_by_steps(n: usize, multiply: impl Fn(&[f64], &mut [f64])) -> (f64, f64) {
    let before = std::cell::Cell::new(f64::INFINITY);
    steps(n, 200, multiply, |diagonal, beside| {
        if !diagonal.len().is_multiple_of(10) {
            return false;
        }
        let least = least_eigenvalue(diagonal, beside);
        (before.replace(least) - least).abs() <= 0.01 * least.abs()
    })
}

/// The least Ritz value of so many Lanczos steps, or fewer where `enough` says so of the tridiagonal form, and the largest
/// number on the diagonal of that.
fn steps(
    n: usize,
    most: usize,
    multiply: impl Fn(&[f64], &mut [f64]),
    enough: impl Fn(&[f64], &[f64]) -> bool,
) -> (f64, f64) {
    let mut rng = crate::Run::default().rng("definiteness");
    let mut x: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
    let mut norm = simd::dot(&x, &x).sqrt();
    let (mut basis, mut diagonal, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    let mut scale = 0.0_f64;
    for step in 0..most.min(n) {
        x.iter_mut().for_each(|v| *v /= norm);
        let mut image = vec![0.0; n];
        multiply(&x, &mut image);
        diagonal.push(simd::dot(&x, &image));
        basis.push(std::mem::take(&mut x));
        // One pass leaves parts of the basis of about ε‖image‖/‖rest‖ of what remains, the second brings
        // them to ε (Giraud, Langou, Rozložník 2005, "twice is enough").
        for _ in 0..2 {
            for b in &basis {
                let part: f64 = simd::dot(b, &image);
                image.iter_mut().zip(b).for_each(|(v, b)| *v -= part * b);
            }
        }
        norm = simd::dot(&image, &image).sqrt();
        scale = diagonal.iter().fold(0.0_f64, |a, d: &f64| a.max(d.abs()));
        if step + 1 == most.min(n)
            || norm.is_nan()
            || norm <= 1e-13 * scale
            || enough(&diagonal, &beside)
        {
            break;
        }
        beside.push(norm);
        x = image;
    }
    (least_eigenvalue(&diagonal, &beside), scale)
}

/// The least eigenvalue of a symmetric tridiagonal matrix, by bisection on the number of negative
/// pivots.
fn least_eigenvalue(diagonal: &[f64], beside: &[f64]) -> f64 {
    let all_above = |shift: f64| {
        let mut pivot = 1.0;
        diagonal.iter().enumerate().all(|(k, d)| {
            let off = if k == 0 { 0.0 } else { beside[k - 1] };
            pivot = d - shift - off * off / pivot;
            pivot > 0.0
        })
    };
    let radius = |k: usize| {
        let side = |j: Option<usize>| j.and_then(|j| beside.get(j)).map_or(0.0, |b| b.abs());
        side(k.checked_sub(1)) + side(Some(k))
    };
    let ends = diagonal.iter().enumerate().map(|(k, d)| (d - radius(k), d + radius(k)));
    let (mut low, mut high) =
        ends.fold((f64::INFINITY, f64::INFINITY), |(l, h), e| (l.min(e.0), h.min(e.1)));
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if all_above(middle) { low = middle } else { high = middle }
    }
    high
}

/// Similarity views that are not positive semi-definite, with the proof: a negative diagonal entry, an
/// entry larger than Cauchy–Schwarz allows, or a negative eigenvalue that a few Lanczos steps find.
pub(super) fn similarities(views: &Views, kernels: &[Kernel]) -> Result<Vec<(String, Proof)>> {
    let mut found = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for kernel in kernels {
        if kernel.function != Function::Precomputed || seen.contains(&kernel.view.as_str()) {
            continue;
        }
        seen.push(&kernel.view);
        let view = views.get(&kernel.view)?;
        let proof = match &view.table {
            Table::Similarity(k) => {
                let (n, values) = (k.rows(), k.values());
                let diagonal: Vec<f64> = (0..n).map(|i| values[i * n + i]).collect();
                let roots: Vec<f64> = diagonal.iter().map(|d| d.max(0.0).sqrt()).collect();
                let pair = (0..n).find_map(|i| {
                    let row = &values[i * n..=i * n + i];
                    // Without branches first: hardly any row has a candidate.
                    let beyond = |v: &f64, root: &f64| v.abs() > roots[i] * root;
                    let none =
                        row.iter().zip(&roots).fold(true, |none, (v, r)| none & !beyond(v, r));
                    let mut row = row.iter().enumerate().filter(|_| !none);
                    row.find_map(|(j, &v)| Proof::of_pair((i, j), v, diagonal[i], diagonal[j]))
                });
                pair.or_else(|| Proof::of_all(n, values))
            }
            Table::Graph(k) => {
                let diagonal: Vec<f64> = (0..k.rows()).map(|i| k.get(i, i)).collect();
                let pair = (0..k.rows()).find_map(|i| {
                    let (c, v) = k.row(i);
                    let mut row = c.iter().map(|j| *j as usize).zip(v).filter(|(j, _)| *j <= i);
                    row.find_map(|(j, &v)| Proof::of_pair((i, j), v, diagonal[i], diagonal[j]))
                });
                pair.or_else(|| {
                    let largest = largest(k.entries().1);
                    let multiply = |x: &[f64], out: &mut [f64]| {
                        out.par_iter_mut().enumerate().for_each(|(i, o)| {
                            let (c, v) = k.row(i);
                            *o = c.iter().zip(v).map(|(j, v)| x[*j as usize] * v).sum();
                        });
                    };
                    negative_eigenvalue(k.rows(), largest, multiply).map(Proof::Eigenvalue)
                })
            }
            _ => None,
        };
        found.extend(proof.map(|p| (format!("view '{}'", view.name), p)));
    }
    Ok(found)
}

/// Sigmoid kernels, and those of given distances, that are not positive semi-definite, judged on a submatrix.
pub(super) fn sigmoids(
    tiles: &Tiles,
    kernels: &[Kernel],
    diagonals: &[Vec<f64>],
) -> Vec<(String, Proof)> {
    let chosen = looked_at(tiles.layout.n);
    let size = chosen.len();
    let sigmoid = |m: &usize| {
        let function = kernels[*m].function;
        function != Function::Precomputed && !function.is_definite()
    };
    let prove = |m: usize| {
        let (own, mut submatrix) = (&diagonals[m], vec![0.0; size * size]);
        for (&i, row) in chosen.iter().zip(submatrix.chunks_mut(size)) {
            tiles.entries(&[m], i, chosen.iter().copied(), row);
        }
        let rows = chosen.iter().zip(submatrix.chunks(size));
        let pair = rows.flat_map(|(&i, row)| chosen.iter().zip(row).map(move |(&j, &v)| (i, j, v)));
        let mut pair = pair.filter(|(i, j, _)| j <= i);
        let proof = pair.find_map(|(i, j, v)| Proof::of_pair((i, j), v, own[i], own[j]));
        let proof = proof.or_else(|| Proof::of_all(size, &submatrix))?;
        Some((format!("kernel '{}'", kernels[m].name), proof))
    };
    match size {
        0..3 => Vec::new(),
        _ => (0..kernels.len()).filter(sigmoid).filter_map(prove).collect(),
    }
}

/// The one sentence about everything that is not positive semi-definite, for those who train machines
/// on it. Silence proves nothing.
pub(super) fn remark(found: &[(String, Proof)]) -> Option<String> {
    let (first, proof) = found.first()?;
    let names = found.iter().take(NAMED).map(|f| f.0.as_str()).collect::<Vec<_>>().join(", ");
    let subject = match found.len() {
        1 => format!("{first} is"),
        n if n > NAMED => format!("{names} and {} more are", n - NAMED),
        _ => format!("{names} are"),
    };
    let of = if found.len() > 1 { format!("{first}: ") } else { String::new() };
    Some(format!(
        "{subject} not positive semi-definite ({of}{}): machines may end in a local optimum, and \
         their duality gaps certify nothing; make it so first, for example by setting negative \
         eigenvalues to 0",
        proof.seen()
    ))
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0_f64, |a, v| a.max(v.abs()))
}

/// What no positive semi-definite matrix has.
#[derive(Debug, Clone, Copy)]
pub(super) enum Proof {
    /// The similarity of two instances that is too large for those to themselves.
    Pair { pair: (usize, usize), value: f64, own: (f64, f64) },
    /// An eigenvalue of at most this number, which is negative.
    Eigenvalue(f64),
}

impl Proof {
    /// Whether k_ij = `value` contradicts k_ii and k_jj; rounding is forgiven.
    fn of_pair(pair: (usize, usize), value: f64, own_i: f64, own_j: f64) -> Option<Proof> {
        let limit = own_i.max(0.0).sqrt() * own_j.max(0.0).sqrt();
        let large = value.abs() - limit > 1e-8 * own_i.abs().max(own_j.abs()).max(value.abs());
        large.then_some(Proof::Pair { pair, value, own: (own_i, own_j) })
    }

    /// Whether a few Lanczos steps find a negative eigenvalue of n × n values.
    fn of_all(n: usize, values: &[f64]) -> Option<Proof> {
        if values.len() != n * n {
            return None;
        }
        let multiply = |x: &[f64], out: &mut [f64]| {
            let rows = out.par_iter_mut().with_min_len(64).zip(values.par_chunks(n));
            rows.for_each(|(o, row)| *o = simd::dot(row, x));
        };
        negative_eigenvalue(n, largest(values), multiply).map(Proof::Eigenvalue)
    }

    /// What shows it.
    fn seen(&self) -> String {
        match *self {
            Proof::Pair { pair: (i, j), value, .. } if i == j => {
                format!("its diagonal is {value:.3e} at row {i}")
            }
            Proof::Pair { pair: (i, j), value, own } => format!(
                "rows {i} and {j} have similarity {value:.3e}, but {:.3e} and {:.3e} to themselves",
                own.0, own.1
            ),
            Proof::Eigenvalue(value) => format!("its least eigenvalue is at most {value:.3e}"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::bank::{Bank, Storage};
    use crate::data::{Csr, Matrix};
    use crate::kernel::KernelSpec;

    /// Q diag(values) Qᵀ with Q the sines of the discrete transform, which is orthogonal.
    fn with_eigenvalues(values: &[f64]) -> Matrix {
        let n = values.len();
        let unit = (2.0 / (n + 1) as f64).sqrt();
        let angle = std::f64::consts::PI / (n + 1) as f64;
        let q = Matrix::from_fn(n, n, |i, k| unit * (((i + 1) * (k + 1)) as f64 * angle).sin());
        Matrix::from_fn(n, n, |i, j| {
            (0..n).map(|k| q.get(i, k) * values[k] * q.get(j, k)).sum::<f64>()
        })
    }

    fn found(m: &Matrix) -> Option<f64> {
        let largest = m.values().iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        negative_eigenvalue(m.rows(), largest, |x, out| {
            out.iter_mut().enumerate().for_each(|(i, o)| *o = simd::dot(m.row(i), x));
        })
    }

    #[test]
    fn ten_small_negative_eigenvalues_are_seen() {
        let n = 200;
        for largest in [1.0, 30.0] {
            let values: Vec<f64> = (0..n)
                .map(|k| match k {
                    0..20 => largest * (k + 1) as f64 / 20.0,
                    60..70 => -1e-3,
                    _ => 0.0,
                })
                .collect();
            let least = found(&with_eigenvalues(&values));
            assert!(least.is_some_and(|v| (-1.0001e-3..-1e-4).contains(&v)), "{least:?}");
        }
        // A decaying spectrum, as Gaussian kernels have it.
        let values: Vec<f64> = (0..n)
            .map(|k| if (60..70).contains(&k) { -1e-3 } else { 100.0 * 0.5_f64.powi(k) })
            .collect();
        assert!(found(&with_eigenvalues(&values)).is_some());
    }

    #[test]
    fn rounding_is_forgiven() {
        let n = 200;
        for rank in [1, 7, 200] {
            let values: Vec<f64> = (0..n).map(|k| if k < rank { 1.0 } else { 0.0 }).collect();
            let exact = with_eigenvalues(&values);
            for scale in [1e-12, 1.0, 1e12] {
                let digits = |v: f64| format!("{:.6e}", v * scale).parse::<f64>().unwrap();
                let m = Matrix::from_fn(n, n, |i, j| digits(exact.get(i, j)));
                assert_eq!(found(&m), None);
                let m = Matrix::from_fn(n, n, |i, j| f64::from((exact.get(i, j) * scale) as f32));
                assert_eq!(found(&m), None);
            }
        }
        assert_eq!(found(&Matrix::zeros(5, 5)), None);
        assert_eq!(found(&Matrix::from_fn(1, 1, |_, _| -1.0)), Some(-1.0));
    }

    #[test]
    fn the_least_eigenvalue_by_hand() {
        // 2 − 2 cos(π/4) of the second difference of order 3.
        let least = least_eigenvalue(&[2.0, 2.0, 2.0], &[-1.0, -1.0]);
        assert!((least - (2.0 - 2.0_f64.sqrt())).abs() < 1e-14);
        assert_eq!(least_eigenvalue(&[-3.0], &[]), -3.0);
    }

    /// The remark for machines on precomputed kernels; the bank's own notes say nothing of it.
    fn said(views: &Views, spec: &str) -> Option<String> {
        let specs = [spec.parse::<KernelSpec>().unwrap()];
        let bank = Bank::build(views, &specs, Storage::Auto, &Run::default()).unwrap();
        let named = |n: &String| n.contains("not positive semi-definite");
        assert!(!bank.notes().iter().any(named), "{:?}", bank.notes());
        bank.indefinite(views).unwrap()
    }

    fn notes(values: [f64; 9]) -> Vec<String> {
        let matrix = Matrix::new(3, 3, values.to_vec()).unwrap();
        let views = Views::new().with("k", Table::Similarity(matrix)).unwrap();
        said(&views, "precomputed").into_iter().collect()
    }

    /// Each of the graphs once had a remark of its own.
    #[test]
    fn one_remark_stands_for_all_views() {
        let graph = |i: usize, j: usize| f64::from(u8::from(i.abs_diff(j) == 1));
        let mut views = Views::new();
        for v in 0..7 {
            let table = Table::Similarity(Matrix::from_fn(6, 6, graph));
            views = views.with(format!("g{v}"), table).unwrap();
        }
        let found = said(&views, "precomputed").unwrap();
        let start = "view 'g0', view 'g1', view 'g2', view 'g3', view 'g4' and 2 more are not positive \
                     semi-definite (view 'g0': rows 1 and 0 have similarity 1";
        assert!(found.starts_with(start), "{found}");
    }

    #[test]
    fn indefinite_similarities_are_named() {
        let found = notes([1.0, 0.5, 0.2, 0.5, -0.1, 0.0, 0.2, 0.0, 1.0]);
        assert!(found[0].starts_with("view 'k' is not positive semi-definite"), "{found:?}");
        let found = notes([1.0, 0.5, 0.2, 0.5, 1.0, -1.1, 0.2, -1.1, 1.0]);
        assert!(found[0].contains("rows 2 and 1 have similarity -1.1"), "{found:?}");
        let found = notes([-1.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.5, 1.0]);
        assert!(found[0].contains("its diagonal is -1.000e0 at row 0"), "{found:?}");
        // Rank one, with the rounding of its entries.
        let third = 1.0_f64 / 3.0;
        let edge = (third * (1.0 + 1e-12), 3.0 * third);
        let found = notes([third * third, edge.0, 0.1, edge.0, edge.1, 0.3, 0.1, 0.3, 0.25]);
        assert!(found.is_empty(), "{found:?}");
    }

    /// Ten eigenvalues of −1e-3, which no two instances show.
    #[test]
    fn small_negative_eigenvalues_are_seen() {
        let n = 60;
        let row = |i: usize, k: usize| ((i * i + 1) as f64 * (k + 2) as f64 * 0.37).cos();
        let gram = |i: usize, j: usize| (0..8).map(|k| row(i, k) * row(j, k)).sum::<f64>();
        // Ten groups of six instances: the mean of each has eigenvalue 1e-3.
        let less = |i: usize, j: usize| if i / 6 == j / 6 { 1e-3 / 6.0 } else { 0.0 };
        for sparse in [false, true] {
            let notes = |negative: f64| {
                let m = Matrix::from_fn(n, n, |i, j| gram(i, j) - negative * less(i, j));
                let table = match sparse {
                    false => Table::Similarity(m),
                    true => {
                        let row =
                            |i: usize| (0..n).map(|j| (j as u32, m.get(i, j))).collect::<Vec<_>>();
                        Table::Graph(Csr::from_rows(n, (0..n).map(row).collect()).unwrap())
                    }
                };
                let views = Views::new().with("k", table).unwrap();
                said(&views, "precomputed")
            };
            assert_eq!(notes(0.0), None);
            let found = notes(1.0).unwrap();
            assert!(found.starts_with("view 'k' is not positive semi-definite (its least eigen"));
        }
    }

    #[test]
    fn indefinite_sigmoid_kernels_are_named() {
        let x = Matrix::from_fn(20, 2, |i, j| (i as f64 * 0.7 + j as f64).sin());
        let views = Views::new().dense("x", x).unwrap();
        let found = said(&views, "sigmoid:gamma=1:coef0=-1").unwrap();
        assert!(
            found.starts_with("kernel 'sigmoid@x(gamma=1, coef0=-1)' is not positive"),
            "{found}"
        );
        assert_eq!(said(&views, "polynomial:degree=2"), None);
    }
}
