//! Dense algebra: faer, whose interface changes often, behind a few functions. It is also called
//! in `solve/cholesky.rs`, and by the bank, which knows no solver, for its tiles. Two things are
//! ours because eigenpair searches spend much of their time on them and faer does them for general
//! shapes only: products of tall matrices with a few columns, and a few of many eigenpairs.
//!
//! Everything here is row-major and single- or multi-threaded with the same bits: products are
//! cut into chunks whose sizes depend on the shapes only, each chunk is one sequential call, and
//! sums over chunks are taken in their order.

use crate::data::Matrix;
use crate::{Error, Result};
use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

mod leading;
mod tall;

/// Rows that one task works on. A constant, because the sums of [`gram_tn`] are cut at it.
const CHUNK: usize = 512;

/// Size from which a few eigenpairs are found without the others.
const FEW: usize = 32;

/// A row-major matrix inside a slice: `rows × cols`, rows `stride` apart.
#[derive(Debug, Clone, Copy)]
pub struct Slice<'a> {
    /// The values; at least `(rows − 1) · stride + cols` of them.
    pub values: &'a [f64],
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
    /// Distance between the beginnings of two rows, at least `cols`.
    pub stride: usize,
}

impl<'a> Slice<'a> {
    /// A slice without gaps.
    pub fn new(values: &'a [f64], rows: usize, cols: usize) -> Self {
        Slice { values, rows, cols, stride: cols }
    }

    /// All of a matrix.
    pub fn of(matrix: &'a Matrix) -> Self {
        Slice::new(matrix.values(), matrix.rows(), matrix.cols())
    }

    /// The first `cols` columns of a matrix.
    pub fn head(matrix: &'a Matrix, cols: usize) -> Self {
        Slice { cols, ..Slice::of(matrix) }
    }

    /// `count` rows from `first` on.
    fn rows(self, first: usize, count: usize) -> Self {
        let values = if count == 0 { &[] } else { &self.values[first * self.stride..] };
        Slice { values, rows: count, ..self }
    }

    fn faer(self) -> MatRef<'a, f64> {
        if self.rows == 0 || self.cols == 0 {
            return MatRef::from_row_major_slice(&[], self.rows, self.cols);
        }
        let needed = (self.rows - 1) * self.stride + self.cols;
        MatRef::from_row_major_slice_with_stride(
            &self.values[..needed],
            self.rows,
            self.cols,
            self.stride,
        )
    }
}

/// out = A Bᵀ for A m × d and B k × d, into `out` (m × k, no gaps); one thread.
pub fn product_nt(a: Slice<'_>, b: Slice<'_>, out: &mut [f64]) {
    let out = MatMut::from_row_major_slice_mut(out, a.rows, b.rows);
    matmul(out, Accum::Replace, a.faer(), b.faer().transpose(), 1.0, Par::Seq);
}

/// A B for A m × d and B d × k, in parallel over the rows of A.
pub fn product(a: Slice<'_>, b: Slice<'_>) -> Matrix {
    let mut out = Matrix::zeros(a.rows, b.cols);
    accumulate(&mut out, 1.0, a, b);
    out
}

/// out += α A B, in parallel over the rows.
pub fn accumulate(out: &mut Matrix, alpha: f64, a: Slice<'_>, b: Slice<'_>) {
    let k = b.cols;
    if k == 0 || a.rows == 0 {
        return;
    }
    out.values_mut().par_chunks_mut(CHUNK * k).enumerate().for_each(|(c, part)| {
        let rows = part.len() / k;
        if let Some(width) = tall::width(rows, a.cols, k) {
            return tall::times(a.rows(c * CHUNK, rows), b, alpha, width, part);
        }
        let part = MatMut::from_row_major_slice_mut(part, rows, k);
        let a = a.rows(c * CHUNK, rows);
        matmul(part, Accum::Add, a.faer(), b.faer(), alpha, Par::Seq);
    });
}

/// Aᵀ B for A n × m and B n × k, chunk by chunk of rows, the chunks added in order.
pub fn gram_tn(a: Slice<'_>, b: Slice<'_>) -> Matrix {
    let (n, m, k) = (a.rows, a.cols, b.cols);
    let parts: Vec<Matrix> = (0..n.div_ceil(CHUNK))
        .into_par_iter()
        .map(|c| {
            let rows = CHUNK.min(n - c * CHUNK);
            let (a, b) = (a.rows(c * CHUNK, rows), b.rows(c * CHUNK, rows));
            let mut part = Matrix::zeros(m, k);
            if let Some(width) = tall::width(rows, m, k) {
                tall::turned(a, b, width, part.values_mut());
                return part;
            }
            let out = MatMut::from_row_major_slice_mut(part.values_mut(), m, k);
            matmul(out, Accum::Replace, a.faer().transpose(), b.faer(), 1.0, Par::Seq);
            part
        })
        .collect();
    let mut sum = Matrix::zeros(m, k);
    for part in parts {
        sum.values_mut().iter_mut().zip(part.values()).for_each(|(s, p)| *s += p);
    }
    sum
}

/// All eigenvalues in ascending order and the eigenvectors as columns, of a symmetric matrix of
/// which the lower triangle is read. O(n³), one thread: meant for small n.
///
/// # Errors
/// An entry is not finite, or the iteration failed.
pub fn symmetric_eigen(a: &Matrix) -> Result<(Vec<f64>, Matrix)> {
    let (values, vectors) = eigen(a)?;
    Ok((values, Matrix::from_fn(a.rows(), a.rows(), |i, j| vectors[(i, j)])))
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
    let leading = leading(a, k, false)?;
    Ok((leading.values, leading.vectors))
}

/// [`leading_eigen`] and the least eigenvalue.
///
/// # Errors
/// As [`symmetric_eigen`].
pub fn leading_and_least(a: &Matrix, k: usize) -> Result<Leading> {
    leading(a, k, true)
}

/// Of which the least value is meaningful only if it was wanted.
fn leading(a: &Matrix, k: usize, least: bool) -> Result<Leading> {
    let n = a.rows();
    check_symmetric(a)?;
    if n >= FEW
        && 3 * k <= n
        && let Some((mut values, vectors)) = leading::leading(Slice::of(a).faer(), k, least)
    {
        let least = values.get(k).copied().unwrap_or(f64::NAN);
        values.truncate(k);
        let vectors = Matrix::from_fn(n, k, |i, j| vectors[(i, j)]);
        return Ok(Leading { values, vectors, least });
    }
    let (mut values, vectors) = eigen(a)?;
    let least = values.first().copied().unwrap_or(f64::NAN);
    values.reverse();
    values.truncate(k);
    Ok(Leading { values, vectors: Matrix::from_fn(n, k, |i, j| vectors[(i, n - 1 - j)]), least })
}

fn check_symmetric(a: &Matrix) -> Result<()> {
    if a.rows() != a.cols() {
        return Err(Error::shape("symmetric matrix", format!("{} columns", a.rows()), a.cols()));
    }
    if a.values().iter().any(|v| !v.is_finite()) {
        return Err(Error::Data(
            "eigenvalues were asked of a matrix with entries that are not finite numbers".into(),
        ));
    }
    Ok(())
}

fn eigen(a: &Matrix) -> Result<(Vec<f64>, Mat<f64>)> {
    let n = a.rows();
    check_symmetric(a)?;
    if n == 0 {
        return Ok((Vec::new(), Mat::zeros(0, 0)));
    }
    let mut vectors = Mat::<f64>::zeros(n, n);
    let mut values = vec![0.0; n];
    let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<f64>(
        n,
        ComputeEigenvectors::Yes,
        Par::Seq,
        Default::default(),
    ));
    self_adjoint_evd(
        Slice::of(a).faer(),
        DiagMut::from_slice_mut(&mut values),
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .map_err(|_| Error::Data(format!("the eigenvalues of a {n} × {n} matrix did not converge")))?;
    Ok((values, vectors))
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
}
