//! Cholesky factors A = L Lᵀ of symmetric positive definite matrices, on faer, in one thread (so
//! that the bits do not depend on threads). O(n³/3) operations, the n × n matrix is overwritten.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::cholesky::llt::inverse::{inverse, inverse_scratch};
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{MatMut, MatRef, Par};

/// L, lower triangle, column-major.
#[derive(Debug, Clone)]
pub struct Cholesky {
    n: usize,
    factor: Vec<f64>,
}

impl Cholesky {
    /// Factors a symmetric matrix (n × n, row by row, of which the upper triangle is read); `None` if it is not positive
    /// definite in floating-point arithmetic.
    pub fn new(n: usize, matrix: Vec<f64>) -> Option<Self> {
        let mut factor = matrix;
        let mut memory =
            MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default()));
        cholesky_in_place(
            MatMut::from_column_major_slice_mut(&mut factor, n, n),
            Default::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        )
        .ok()?;
        let positive = (0..n).all(|i| factor[i * n + i].is_finite() && factor[i * n + i] > 0.0);
        positive.then_some(Cholesky { n, factor })
    }

    /// Factors A + ρI with the least of the ridges ρ = 10⁻¹², 10⁻¹⁰ … 1 times the largest
    /// diagonal entry that makes it positive definite; `None` if none does.
    pub fn with_ridge(n: usize, matrix: &[f64]) -> Option<Self> {
        let largest = (0..n).fold(0.0_f64, |a, i| a.max(matrix[i * n + i].abs()));
        let scale = if largest > 0.0 { largest } else { 1.0 };
        (0..7).find_map(|k| {
            let mut shifted = matrix.to_vec();
            let ridge = scale * 10_f64.powi(2 * k - 12);
            (0..n).for_each(|i| shifted[i * n + i] += ridge);
            Cholesky::new(n, shifted)
        })
    }

    /// A⁻¹, all entries. n³ operations with those of the factor.
    pub fn inverse(&self) -> Vec<f64> {
        let n = self.n;
        let factor = MatRef::from_column_major_slice(&self.factor, n, n);
        let mut out = vec![0.0; n * n];
        let mut memory = MemBuffer::new(inverse_scratch::<f64>(n, Par::Seq));
        let into = MatMut::from_column_major_slice_mut(&mut out, n, n);
        inverse(into, factor, Par::Seq, MemStack::new(&mut memory));
        // What is below the diagonal by columns is above it by rows.
        for j in 0..n {
            (j + 1..n).for_each(|i| out[i * n + j] = out[j * n + i]);
        }
        out
    }

    /// R = Lᵀ, upper triangle and zeros below it, row by row; A = RᵀR.
    pub fn upper(&self) -> Vec<f64> {
        let mut upper = self.factor.clone();
        upper.chunks_exact_mut(self.n.max(1)).enumerate().for_each(|(i, row)| row[..i].fill(0.0));
        upper
    }

    /// The diagonal of A⁻¹, from L⁻¹: n³/3 operations.
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        let n = self.n;
        let factor = MatRef::from_column_major_slice(&self.factor, n, n);
        let mut out = vec![0.0; n * n];
        let into = MatMut::from_column_major_slice_mut(&mut out, n, n);
        invert_lower_triangular(into, factor, Par::Seq);
        let column = |j: usize| out[j * n + j..(j + 1) * n].iter().map(|v| v * v).sum();
        (0..n).map(column).collect()
    }

    /// log det A.
    pub fn log_determinant(&self) -> f64 {
        2.0 * (0..self.n).map(|i| self.factor[i * self.n + i].ln()).sum::<f64>()
    }

    /// b ← L⁻¹ b for k right-hand sides, each contiguous.
    pub fn forward(&self, b: &mut [f64], k: usize) {
        let factor = MatRef::from_column_major_slice(&self.factor, self.n, self.n);
        let b = MatMut::from_column_major_slice_mut(b, self.n, k);
        solve_lower_triangular_in_place(factor, b, Par::Seq);
    }

    /// b ← A⁻¹ b for k right-hand sides, each contiguous.
    pub fn solve(&self, b: &mut [f64], k: usize) {
        self.forward(b, k);
        self.back(b, k);
    }

    /// b ← L⁻ᵀ b for k right-hand sides, each contiguous.
    pub fn back(&self, b: &mut [f64], k: usize) {
        let factor = MatRef::from_column_major_slice(&self.factor, self.n, self.n);
        let b = MatMut::from_column_major_slice_mut(b, self.n, k);
        solve_upper_triangular_in_place(factor.transpose(), b, Par::Seq);
    }
}

/// A matrix that is factored with ones on its diagonal, so that entries of very different sizes do not drown each other.
#[derive(Debug, Clone)]
pub struct LeveledCholesky {
    factor: Cholesky,
    scale: Vec<f64>,
}

impl LeveledCholesky {
    /// Factors a symmetric matrix (n × n, row by row, with a positive diagonal), with [a ridge](Cholesky::with_ridge) where it
    /// is not positive definite in floating-point arithmetic; `None` where that does not help.
    pub fn new(n: usize, mut matrix: Vec<f64>) -> Option<Self> {
        let of = |k: usize| matrix[k * n + k].max(f64::MIN_POSITIVE).sqrt().recip();
        let scale: Vec<f64> = (0..n).map(of).collect();
        for (line, s) in matrix.chunks_mut(n.max(1)).zip(&scale) {
            line.iter_mut().zip(&scale).for_each(|(h, t)| *h *= s * t);
        }
        let factor = match Cholesky::new(n, matrix.clone()) {
            Some(factor) => factor,
            None => Cholesky::with_ridge(n, &matrix)?,
        };
        Some(LeveledCholesky { factor, scale })
    }

    /// b ← a root of A⁻¹ times b.
    pub fn forward(&self, b: &mut [f64]) {
        b.iter_mut().zip(&self.scale).for_each(|(b, s)| *b *= s);
        self.factor.forward(b, 1);
    }

    /// A⁻¹ b.
    pub fn solved(&self, b: &[f64]) -> Vec<f64> {
        let times = |v: &[f64]| v.iter().zip(&self.scale).map(|(v, s)| v * s).collect();
        let mut x: Vec<f64> = times(b);
        self.factor.solve(&mut x, 1);
        times(&x)
    }
}
