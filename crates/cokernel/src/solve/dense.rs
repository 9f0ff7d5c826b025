//! Dense algebra on [`Matrix`]: the functions of `cokernel-dense` with shapes and values checked.

use crate::data::{Matrix, scan};
use crate::run::Pass;
use crate::{Error, Result};
use cokernel_dense::simd;
pub use cokernel_dense::{Slice, product_nt};
use rayon::prelude::*;

/// Share of the largest value of principal axes from which rounding of squares shows in the others.
const SPAN: f64 = 1e-6;

/// Rows of a product between which a stop is looked for.
const BLOCK: usize = 128;

/// Turns of all pairs of axes; mostly two do.
const SWEEPS: usize = 12;

impl<'a> From<&'a Matrix> for Slice<'a> {
    fn from(matrix: &'a Matrix) -> Self {
        Slice::new(matrix.values(), matrix.rows(), matrix.cols())
    }
}

/// A B for A m × d and B d × k, in parallel over the rows of A.
pub fn product(a: Slice<'_>, b: Slice<'_>) -> Matrix {
    let mut out = Matrix::zeros(a.rows, b.cols);
    accumulate(&mut out, 1.0, a, b);
    out
}

/// A B in blocks of rows in parallel, before each of which `going` is asked; `None` where it said no.
pub(crate) fn product_while(
    a: Slice<'_>,
    b: Slice<'_>,
    going: &(dyn Fn() -> bool + Sync),
) -> Option<Matrix> {
    let mut out = Matrix::zeros(a.rows, b.cols);
    let blocks = out.values_mut().par_chunks_mut((BLOCK * b.cols).max(1)).enumerate();
    blocks.filter(|_| going()).for_each(|(c, part)| {
        cokernel_dense::product_nn(a.rows(c * BLOCK, part.len() / b.cols), b, part);
    });
    going().then_some(out)
}

/// out += α A B, in parallel over the rows.
pub fn accumulate(out: &mut Matrix, alpha: f64, a: Slice<'_>, b: Slice<'_>) {
    cokernel_dense::product_plus(out.values_mut(), alpha, a, b);
}

/// L + F Fᵀ for a symmetric n × n matrix L and F n × d, into `out`; one triangle is computed.
pub fn plus_gram(l: &Matrix, f: &Matrix, out: &mut Matrix) {
    let n = l.rows();
    assert_eq!((l.cols(), f.rows(), out.rows(), out.cols()), (n, n, n, n));
    cokernel_dense::plus_gram(l.into(), f.into(), out.values_mut());
}

/// ½ (A + Aᵀ) for a square A.
pub fn symmetric_part(mut a: Matrix) -> Matrix {
    let n = a.rows();
    assert_eq!(a.cols(), n);
    cokernel_dense::symmetric_part(n, a.values_mut());
    a
}

/// Aᵀ B for A n × m and B n × k, chunk by chunk of rows, the chunks added in order.
pub fn gram_tn(a: Slice<'_>, b: Slice<'_>) -> Matrix {
    let mut out = Matrix::zeros(a.cols, b.cols);
    cokernel_dense::gram_tn(a, b, out.values_mut());
    out
}

/// All eigenvalues in ascending order and the eigenvectors as columns, of a symmetric matrix of
/// which the lower triangle is read. O(n³), one thread: meant for small n.
///
/// # Errors
/// An entry is not finite, or the iteration failed.
pub fn symmetric_eigen(a: &Matrix) -> Result<(Vec<f64>, Matrix)> {
    symmetric_eigen_in(a, &Pass::default(), "")
}

/// [`symmetric_eigen`] that is given up with a pass.
///
/// # Errors
/// It was, before `what` was known.
pub(crate) fn symmetric_eigen_in(
    a: &Matrix,
    pass: &Pass<'_>,
    what: &str,
) -> Result<(Vec<f64>, Matrix)> {
    check_symmetric(a)?;
    let n = a.rows();
    let mut vectors = Matrix::zeros(n, n);
    let going = || !pass.is_over();
    let values = cokernel_dense::symmetric_eigen_while(a.into(), vectors.values_mut(), &going);
    pass.complete(what)?;
    Ok((values.ok_or_else(|| failed(n))?, vectors))
}

/// The leading eigenpairs of a symmetric matrix.
#[derive(Debug, Clone)]
pub struct Leading {
    /// The largest eigenvalues, descending.
    pub values: Vec<f64>,
    /// Their eigenvectors as columns.
    pub vectors: Matrix,
    /// The least eigenvalue of all.
    pub least: f64,
}

/// The k largest eigenvalues, 1 ≤ k ≤ n, descending, and their eigenvectors as columns, of a
/// symmetric matrix of which the lower triangle is read. O(n³), but with few k a fraction of the
/// time of [`symmetric_eigen`].
///
/// # Errors
/// As [`symmetric_eigen`].
pub fn leading_eigen(a: &Matrix, k: usize) -> Result<(Vec<f64>, Matrix)> {
    leading_eigen_in(a, k, &Pass::default(), "")
}

/// [`leading_eigen`] that is given up with a pass.
///
/// # Errors
/// It was, before `what` was known.
pub(crate) fn leading_eigen_in(
    a: &Matrix,
    k: usize,
    pass: &Pass<'_>,
    what: &str,
) -> Result<(Vec<f64>, Matrix)> {
    let leading = leading(a, k, false, pass, what)?;
    Ok((leading.values, leading.vectors))
}

/// [`leading_eigen`] of an n × n matrix that need not be kept, row-major, of which the entries from the diagonal on are read, and the
/// eigenvalue after the k, k < n; `None` if they were not found as precisely as by a full decomposition.
///
/// # Errors
/// As [`symmetric_eigen`], but for a matrix that is not square.
pub fn leading_of_upper(n: usize, a: Vec<f64>, k: usize) -> Result<Option<(Vec<f64>, Matrix)>> {
    check_finite(&a)?;
    let found = cokernel_dense::leading_of_upper(n, a, k);
    found.map(|(values, vectors)| Ok((values, Matrix::new(n, k, vectors)?))).transpose()
}

/// The k largest eigenvalues, 1 ≤ k ≤ min(n, d), of XᵀX and their eigenvectors (d × k), from it or from X Xᵀ, whichever is
/// smaller. Vectors of values up to 0 are 0 in the second case.
///
/// Rounding of the squares leaves errors of ε times the largest value beside v in a vector of value v, and more in Xv beside
/// its length √v. Where values span more than `SPAN`, the vectors are therefore turned (`untangled`) until the Xv are orthogonal.
///
/// # Errors
/// As [`symmetric_eigen`].
pub fn principal_axes(x: &Matrix, k: usize) -> Result<(Vec<f64>, Matrix)> {
    let (values, axes) = squared_axes(x, k)?;
    let least = values.last().copied().unwrap_or(0.0);
    let spans = values.first().is_some_and(|largest| least < SPAN * largest);
    Ok(if spans { untangled(x, &axes) } else { (values, axes) })
}

/// [`principal_axes`] where values are in one order of magnitude.
fn squared_axes(x: &Matrix, k: usize) -> Result<(Vec<f64>, Matrix)> {
    if x.cols() <= x.rows() {
        return leading_eigen(&gram_tn(x.into(), x.into()), k);
    }
    let across = x.transposed();
    let (values, left) = leading_eigen(&gram_tn((&across).into(), (&across).into()), k)?;
    let mut axes = product((&across).into(), (&left).into());
    for j in 0..axes.rows() {
        let row = axes.row_mut(j).iter_mut().zip(&values);
        row.for_each(|(a, v)| *a = if *v > 0.0 { *a / v.sqrt() } else { 0.0 });
    }
    Ok((values, axes))
}

/// The span of these vectors v (d × k), nearly orthonormal, with the Xv orthogonal: rotations of pairs (Hestenes 1958), which
/// keep the relative precision of the small ones; descending by ‖Xv‖², which are the values.
fn untangled(x: &Matrix, axes: &Matrix) -> (Vec<f64>, Matrix) {
    let (d, k) = (axes.rows(), axes.cols());
    let mut axes: Vec<Vec<f64>> = (0..k).map(|l| axes.col(l)).collect();
    for l in 0..k {
        let (known, rest) = axes.split_at_mut(l);
        for _ in 0..2 {
            for other in known.iter() {
                let share = simd::dot(other, &rest[0]);
                simd::subtract(&mut rest[0], share, other);
            }
            let size = simd::dot(&rest[0], &rest[0]).sqrt();
            rest[0].iter_mut().for_each(|v| *v = if size > 0.0 { *v / size } else { 0.0 });
        }
    }
    let image = |v: &Vec<f64>| (0..x.rows()).map(|i| simd::dot(x.row(i), v)).collect();
    let mut images: Vec<Vec<f64>> = axes.iter().map(image).collect();
    let near = f64::EPSILON * x.rows() as f64;
    for _ in 0..SWEEPS {
        let mut done = true;
        for i in 0..k {
            for j in i + 1..k {
                let of = |a: usize, b: usize| simd::dot(&images[a], &images[b]);
                let (own, other, both) = (of(i, i), of(j, j), of(i, j));
                if both.abs() <= near * (own * other).sqrt() {
                    continue;
                }
                done = false;
                let turn = (other - own) / (2.0 * both);
                let tangent = turn.signum() / (turn.abs() + turn.hypot(1.0));
                let cosine = tangent.hypot(1.0).recip();
                for rows in [&mut axes, &mut images] {
                    let (first, second) = rows.split_at_mut(j);
                    for (a, b) in first[i].iter_mut().zip(&mut second[0]) {
                        let (x, y) = (cosine * *a, cosine * *b);
                        (*a, *b) = (x - tangent * y, y + tangent * x);
                    }
                }
            }
        }
        if done {
            break;
        }
    }
    let values: Vec<f64> = images.iter().map(|y| simd::dot(y, y)).collect();
    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
    let sorted = Matrix::from_fn(d, k, |j, l| axes[order[l]][j]);
    (order.iter().map(|l| values[*l]).collect(), sorted)
}

/// [`leading_eigen`] and the least eigenvalue.
///
/// # Errors
/// As [`symmetric_eigen`].
pub fn leading_and_least(a: &Matrix, k: usize) -> Result<Leading> {
    leading(a, k, true, &Pass::default(), "")
}

/// Of which the least value is meaningful only if it was wanted.
fn leading(a: &Matrix, k: usize, least: bool, pass: &Pass<'_>, what: &str) -> Result<Leading> {
    check_symmetric(a)?;
    let n = a.rows();
    let mut vectors = Matrix::zeros(n, k);
    let into = vectors.values_mut();
    let going = || !pass.is_over();
    let found = cokernel_dense::leading_eigen_while(a.into(), k, least, into, &going);
    pass.complete(what)?;
    let (values, least) = found.ok_or_else(|| failed(n))?;
    Ok(Leading { values, vectors, least })
}

fn failed(n: usize) -> Error {
    Error::Data(format!("the eigenvalues of a {n} × {n} matrix did not converge"))
}

fn check_symmetric(a: &Matrix) -> Result<()> {
    if a.rows() != a.cols() {
        return Err(Error::shape("symmetric matrix", format!("{} columns", a.rows()), a.cols()));
    }
    check_finite(a.values())
}

fn check_finite(values: &[f64]) -> Result<()> {
    if !scan(values).1 {
        return Err(Error::Data(
            "eigenvalues were asked of a matrix with entries that are not finite numbers".into(),
        ));
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rand::RngExt;

    fn random(rows: usize, cols: usize, seed: u64) -> Matrix {
        let mut rng = crate::Run::with_seed(seed).rng("dense tests");
        Matrix::from_fn(rows, cols, |_, _| rng.random::<f64>() - 0.5)
    }

    fn naive(a: &Matrix, b: &Matrix) -> Matrix {
        Matrix::from_fn(a.rows(), b.cols(), |i, j| {
            (0..a.cols()).map(|l| a.get(i, l) * b.get(l, j)).sum()
        })
    }

    fn assert_close(a: &Matrix, b: &Matrix, tol: f64) {
        assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
        for (x, y) in a.values().iter().zip(b.values()) {
            assert!((x - y).abs() <= tol, "{x} and {y}");
        }
    }

    #[test]
    fn products_are_products() {
        let shapes = [(1, 1, 1), (3, 7, 2), (1100, 33, 5), (513, 4, 17), (700, 90, 8)];
        for (m, d, k) in shapes.into_iter().chain([(300, 20, 16), (131, 7, 4), (90, 192, 11)]) {
            let (a, b) = (random(m, d, 1), random(d, k, 2));
            let want = naive(&a, &b);
            assert_close(&product(Slice::of(&a), Slice::of(&b)), &want, 1e-12);
            let blocks = |going| product_while(Slice::of(&a), Slice::of(&b), &|| going);
            assert_close(&blocks(true).unwrap(), &want, 1e-12);
            assert!(blocks(false).is_none());
            let bt = b.transposed();
            let mut out = vec![0.0; m * k];
            product_nt(Slice::of(&a), Slice::of(&bt), &mut out);
            assert_close(&Matrix::new(m, k, out).unwrap(), &want, 1e-12);
            let at = a.transposed();
            assert_close(&gram_tn(Slice::of(&at), Slice::of(&b)), &want, 1e-12);
            // Leading columns only: the rows are then apart.
            let half = d.div_ceil(2);
            let rows: Vec<usize> = (0..half).collect();
            let cols: Vec<usize> = (0..half).collect();
            let want = naive(&a.select_cols(&cols), &b.select_rows(&rows));
            let got = product(Slice::head(&a, half), Slice::of(&b.select_rows(&rows)));
            assert_close(&got, &want, 1e-12);
        }
    }

    /// L + F Fᵀ and the symmetric part, for sizes around those of strips and squares.
    #[test]
    fn symmetric_products() {
        for (n, d) in [(1, 1), (31, 3), (33, 40), (127, 5), (128, 2), (290, 17)] {
            let (half, f) = (random(n, n, 1), random(n, d, 2));
            let l = symmetric_part(half.clone());
            let mean = |i: usize, j: usize| 0.5 * (half.get(i, j) + half.get(j, i));
            assert_eq!(l, Matrix::from_fn(n, n, mean));
            let mut got = Matrix::from_fn(n, n, |_, _| f64::NAN);
            plus_gram(&l, &f, &mut got);
            let square = naive(&f, &f.transposed());
            let want = Matrix::from_fn(n, n, |i, j| l.get(i, j) + square.get(i, j));
            assert_close(&got, &want, 1e-12);
            assert_eq!(got, got.transposed());
        }
    }

    #[test]
    fn empty_products() {
        let (a, b) = (Matrix::zeros(0, 3), Matrix::zeros(3, 2));
        assert_eq!(product(Slice::of(&a), Slice::of(&b)).rows(), 0);
        assert_eq!(gram_tn(Slice::of(&a), Slice::of(&Matrix::zeros(0, 2))), Matrix::zeros(3, 2));
        let (a, b) = (Matrix::zeros(4, 0), Matrix::zeros(0, 2));
        assert_eq!(product(Slice::of(&a), Slice::of(&b)), Matrix::zeros(4, 2));
    }

    /// The same values at another address modulo the vector width give the same bits.
    #[test]
    fn alignment_does_not_change_bits() {
        let (a, b) = (random(700, 61, 3), random(700, 5, 4));
        let want = gram_tn(Slice::of(&a), Slice::of(&b));
        let w = random(61, 5, 5);
        let want_product = product(Slice::of(&a), Slice::of(&w));
        for offset in 1..8 {
            let shift = |m: &Matrix| [vec![0.0; offset], m.values().to_vec()].concat();
            let (a2, b2, w2) = (shift(&a), shift(&b), shift(&w));
            let a2 = Slice::new(&a2[offset..], 700, 61);
            assert_eq!(gram_tn(a2, Slice::new(&b2[offset..], 700, 5)), want);
            assert_eq!(product(a2, Slice::new(&w2[offset..], 61, 5)), want_product);
        }
    }

    #[test]
    fn eigen_of_a_symmetric_matrix() {
        for n in [0, 1, 2, 5, 40, 130] {
            let half = random(n, n, 6);
            let a = Matrix::from_fn(n, n, |i, j| half.get(i, j) + half.get(j, i));
            let (values, vectors) = symmetric_eigen(&a).unwrap();
            assert!(values.windows(2).all(|w| w[0] <= w[1]));
            let av = naive(&a, &vectors);
            let vl = Matrix::from_fn(n, n, |i, j| vectors.get(i, j) * values[j]);
            assert_close(&av, &vl, 1e-12);
            let k = n.div_ceil(3);
            let leading = leading_and_least(&a, k).unwrap();
            for j in 0..k {
                assert_eq!(
                    (leading.values[j], leading.vectors.col(j)),
                    (values[n - 1 - j], vectors.col(n - 1 - j))
                );
            }
            assert_eq!(leading.least.to_bits(), values.first().map_or(f64::NAN, |v| *v).to_bits());
        }
        let bad = Matrix::from_fn(2, 2, |_, _| f64::NAN);
        assert!(symmetric_eigen(&bad).unwrap_err().to_string().contains("not finite"));
    }

    /// Values and residuals to 1e-13 of the norm, orthogonality to 1e-13.
    fn assert_leading(a: &Matrix, found: &Leading, k: usize) {
        let n = a.rows();
        let (all, _) = symmetric_eigen(a).unwrap();
        let norm = all[0].abs().max(all[n - 1].abs());
        let near = |x: f64, y: f64| (x - y).abs() <= 1e-13 * norm;
        assert_eq!((found.values.len(), found.vectors.cols()), (k, k));
        assert!(near(found.least, all[0]), "{} and {}", found.least, all[0]);
        for j in 0..k {
            let (value, x) = (found.values[j], found.vectors.col(j));
            assert!(near(value, all[n - 1 - j]), "{j}: {value} and {}", all[n - 1 - j]);
            for i in 0..n {
                let image: f64 = (0..n).map(|l| a.get(i, l) * x[l]).sum();
                assert!(near(image, value * x[i]), "{j}: {image} and {}", value * x[i]);
            }
            for i in 0..=j {
                let inner: f64 = found.vectors.col(i).iter().zip(&x).map(|(a, b)| a * b).sum();
                assert!((inner - f64::from(u8::from(i == j))).abs() < 1e-13, "{i}, {j}: {inner}");
            }
        }
    }

    /// Q diag(values) Qᵀ with a random orthogonal Q.
    fn turned(values: &[f64]) -> Matrix {
        let n = values.len();
        let mut rng = crate::Run::with_seed(8).rng("turned");
        let half = Matrix::from_fn(n, n, |_, _| rng.random::<f64>() - 0.5);
        let (_, q) =
            symmetric_eigen(&Matrix::from_fn(n, n, |i, j| half.get(i, j) + half.get(j, i)))
                .unwrap();
        Matrix::from_fn(n, n, |i, j| {
            let (i, j) = (i.max(j), i.min(j));
            (0..n).map(|l| q.get(i, l) * values[l] * q.get(j, l)).sum()
        })
    }

    /// Spectra as they come up: spread, in clusters, repeated, of any scale and sign.
    #[test]
    fn as_good_as_a_full_decomposition() {
        let spectra: [fn(usize) -> f64; 8] = [
            |j| (j as f64).sqrt(),
            |j| 0.8_f64.powi(j as i32),
            |j| 1e-150 * (j as f64 - 20.0),
            |j| 1e120 * (j as f64 - 20.0),
            |j| -1e3 - (j % 7) as f64,
            |j| if j < 9 { 1.0 } else { 1e-3 * j as f64 },
            |j| 1.0 + 1e-12 * (j % 5) as f64,
            |j| if j < 2 { 1e6 } else { (j as f64).sin() },
        ];
        for spectrum in spectra {
            for n in [33, 60, 101] {
                let a = turned(&(0..n).map(spectrum).collect::<Vec<_>>());
                for k in [1, 8, 11] {
                    assert_leading(&a, &leading_and_least(&a, k).unwrap(), k);
                }
            }
        }
    }

    /// Matrices that fall apart: zero, the identity, a diagonal, blocks with the same values.
    #[test]
    fn matrices_that_fall_apart() {
        let n = 48;
        let entries: [fn(usize, usize) -> f64; 5] = [
            |_, _| 0.0,
            |i, j| f64::from(u8::from(i == j)),
            |i, j| if i == j { (i % 10) as f64 } else { 0.0 },
            |i, j| if i / 4 == j / 4 { 1.0 + f64::from(u8::from(i == j)) } else { 0.0 },
            |i, j| if i.abs_diff(j) == 1 { 1.0 } else { 0.0 },
        ];
        for entry in entries {
            let a = Matrix::from_fn(n, n, entry);
            for k in [1, 8, 16] {
                assert_leading(&a, &leading_and_least(&a, k).unwrap(), k);
            }
        }
    }

    /// Singular values down to a hundred-thousandth, of tall and of wide tables: each to its own precision, with XV
    /// orthogonal. Of smaller ones the squares do not tell the span any more.
    #[test]
    fn principal_axes_of_small_values_are_exact() {
        let orthonormal = |n: usize, k: usize, seed: u64| {
            let half = random(n, n, seed);
            let (_, q) =
                symmetric_eigen(&Matrix::from_fn(n, n, |i, j| half.get(i, j) + half.get(j, i)))
                    .unwrap();
            q.select_cols(&(0..k).collect::<Vec<_>>())
        };
        for (n, d) in [(60, 25), (25, 60), (40, 40)] {
            let k = 15;
            let (left, right) = (orthonormal(n, k, 3), orthonormal(d, k, 4));
            let size = |l: usize| 10_f64.powf(-0.35 * l as f64);
            let x = Matrix::from_fn(n, d, |i, j| {
                (0..k).map(|l| left.get(i, l) * size(l) * right.get(j, l)).sum()
            });
            for wanted in [4, k] {
                let (values, axes) = principal_axes(&x, wanted).unwrap();
                let images = naive(&x, &axes);
                for l in 0..wanted {
                    let off = (values[l].sqrt() / size(l) - 1.0).abs();
                    assert!(off < 1e-8, "{n} × {d}, {l} of {wanted}: {off}");
                    for e in 0..l {
                        let dot = |m: &Matrix| simd::dot(&m.col(e), &m.col(l));
                        // The images have errors of rounding beside the largest themselves.
                        assert!(dot(&images).abs() < 1e-14 * size(e), "{n} {e} {l}");
                        assert!(dot(&axes).abs() < 1e-12, "{n} {e} {l}");
                    }
                }
            }
        }
    }

    /// Entries whose squares overflow or vanish.
    #[test]
    fn beyond_the_range_of_squares() {
        for scale in [1e200, 1e-250] {
            let a = turned(&(0..40).map(|j| scale * f64::from(j)).collect::<Vec<_>>());
            assert_leading(&a, &leading_and_least(&a, 5).unwrap(), 5);
        }
    }
}
