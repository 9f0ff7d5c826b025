//! Cholesky factors A = L Lᵀ of symmetric positive definite matrices, on faer. n³/3 operations, the n × n
//! matrix is overwritten.
//!
//! Large matrices are cut into blocks of columns: the block on the diagonal is factored, what is below it is
//! divided by that, and what is to the right of it is updated, block by block in parallel. Each block is one
//! product in one thread, so the bits do not depend on threads, and between blocks it can be given up.

use super::products::below_diagonal;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::cholesky::llt::inverse::{inverse, inverse_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::reborrow::ReborrowMut;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Columns of a block: with more of them two threads wait for each other, with fewer one is slower (n = 1,500 and
/// 3,000; a factor by two threads takes 0.7 of the time of one that is not cut).
const BLOCK: usize = 128;
/// Matrices up to this size are not cut.
const WHOLE: usize = 1000;

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
        Self::while_going(n, matrix, &|| true)
    }

    /// The same; `None` as well where `going`, which is asked before each block of a large matrix, said no.
    pub fn while_going(n: usize, matrix: Vec<f64>, going: &dyn Fn() -> bool) -> Option<Self> {
        let mut factor = matrix;
        let block = if n <= WHOLE { WHOLE } else { BLOCK };
        for first in (0..n).step_by(block) {
            if n > WHOLE && !going() {
                return None;
            }
            let width = block.min(n - first);
            let (done, right) = factor.split_at_mut((first + width) * n);
            let own = columns_mut(&mut done[first * n..], n, width);
            let (mut top, below) = own.subrows_mut(first, n - first).split_at_row_mut(width);
            factor_block(top.as_mut())?;
            solve_lower_triangular_in_place(top.as_ref(), below.transpose_mut(), Par::Seq);
            let left = columns(&done[first * n..], n, width);
            right.par_chunks_mut(BLOCK * n).enumerate().for_each(|(c, part)| {
                let (from, count) = (first + width + c * BLOCK, part.len() / n);
                let (rows, own) = (left.subrows(from, n - from), left.subrows(from, count));
                let into = columns_mut(part, n, count).subrows_mut(from, n - from);
                matmul(into, Accum::Add, rows, own.transpose(), -1.0, Par::Seq);
            });
        }
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
        self.inverse_while_going(&|| true).unwrap_or_default()
    }

    /// The same; `None` where `going`, which is asked before each block of a large matrix, said no.
    pub fn inverse_while_going(&self, going: &(dyn Fn() -> bool + Sync)) -> Option<Vec<f64>> {
        let n = self.n;
        let mut out = vec![0.0; n * n];
        if n <= WHOLE {
            let mut memory = MemBuffer::new(inverse_scratch::<f64>(n, Par::Seq));
            let into = columns_mut(&mut out, n, n);
            inverse(into, columns(&self.factor, n, n), Par::Seq, MemStack::new(&mut memory));
            below_diagonal(n, |i, j| out[i * n + j] = out[j * n + i]);
            return Some(out);
        }
        let root = self.root_while_going(going)?;
        let tail = |first: usize| {
            let width = BLOCK.min(n - first);
            columns(&root[first * n..], n, width).subrows(first, n - first)
        };
        out.par_chunks_mut(BLOCK * n).enumerate().for_each(|(c, part)| {
            let (first, width) = (c * BLOCK, part.len() / n);
            let mut into = columns_mut(part, n, width);
            for from in (first..n).step_by(BLOCK).take_while(|_| going()) {
                let (left, right) = (tail(from), tail(first).subrows(from - first, n - from));
                let into = into.rb_mut().subrows_mut(from, left.ncols());
                matmul(into, Accum::Replace, left.transpose(), right, 1.0, Par::Seq);
            }
        });
        // What is below the diagonal by columns is above it by rows.
        below_diagonal(n, |i, j| out[i * n + j] = out[j * n + i]);
        going().then_some(out)
    }

    /// L⁻ᵀ, row by row: n³/3 operations.
    pub fn inverse_root(&self) -> Vec<f64> {
        self.root_while_going(&|| true).unwrap_or_default()
    }

    /// The same, which is L⁻¹ by columns; `None` where `going` said no.
    fn root_while_going(&self, going: &(dyn Fn() -> bool + Sync)) -> Option<Vec<f64>> {
        let n = self.n;
        let mut out = vec![0.0; n * n];
        out.par_chunks_mut((BLOCK * n).max(1)).enumerate().for_each(|(c, part)| {
            let (first, width) = (c * BLOCK, part.len() / n);
            if going() {
                (0..width).for_each(|k| part[k * n + first + k] = 1.0);
                let tail = columns_mut(part, n, width).subrows_mut(first, n - first);
                let factor = columns(&self.factor, n, n);
                let own = factor.submatrix(first, first, n - first, n - first);
                solve_lower_triangular_in_place(own, tail, Par::Seq);
            }
        });
        going().then_some(out)
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
        let out = self.inverse_root();
        let column = |j: usize| out[j * n + j..(j + 1) * n].iter().map(|v| v * v).sum();
        (0..n).map(column).collect()
    }

    /// log det A.
    pub fn log_determinant(&self) -> f64 {
        2.0 * (0..self.n).map(|i| self.factor[i * self.n + i].ln()).sum::<f64>()
    }

    /// b ← L⁻¹ b for k right-hand sides, each contiguous.
    pub fn forward(&self, b: &mut [f64], k: usize) {
        self.each_block(b, k, |factor, b| solve_lower_triangular_in_place(factor, b, Par::Seq));
    }

    /// b ← A⁻¹ b for k right-hand sides, each contiguous.
    pub fn solve(&self, b: &mut [f64], k: usize) {
        self.forward(b, k);
        self.back(b, k);
    }

    /// b ← L⁻ᵀ b for k right-hand sides, each contiguous.
    pub fn back(&self, b: &mut [f64], k: usize) {
        let solve = |factor: MatRef<'_, f64>, b: MatMut<'_, f64>| {
            solve_upper_triangular_in_place(factor.transpose(), b, Par::Seq);
        };
        self.each_block(b, k, solve);
    }

    fn each_block(
        &self,
        b: &mut [f64],
        k: usize,
        solve: impl Fn(MatRef<'_, f64>, MatMut<'_, f64>) + Sync,
    ) {
        let n = self.n;
        let factor = columns(&self.factor, n, n);
        let one = |part: &mut [f64]| solve(factor, columns_mut(part, n, part.len() / n.max(1)));
        match n <= WHOLE || k <= BLOCK {
            true => one(b),
            false => b.par_chunks_mut((BLOCK * n).max(1)).for_each(one),
        }
    }
}

fn columns(values: &[f64], n: usize, count: usize) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(&values[..n * count], n, count)
}

fn columns_mut(values: &mut [f64], n: usize, count: usize) -> MatMut<'_, f64> {
    MatMut::from_column_major_slice_mut(&mut values[..n * count], n, count)
}

/// Factors a small matrix in its place, in one thread; `None` if it is not positive definite.
fn factor_block(block: MatMut<'_, f64>) -> Option<()> {
    let n = block.ncols();
    let mut memory =
        MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    cholesky_in_place(block, Default::default(), Par::Seq, stack, Default::default()).ok()?;
    Some(())
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::product_nt;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// G Gᵀ + I of 5 columns.
    fn definite(n: usize) -> Vec<f64> {
        let g: Vec<f64> = (0..n * 5).map(|i| ((i * i * 7 + i) % 1013) as f64 / 1013.0).collect();
        let mut a = vec![0.0; n * n];
        product_nt(crate::Slice::new(&g, n, 5), crate::Slice::new(&g, n, 5), &mut a);
        (0..n).for_each(|i| a[i * n + i] += 1.0);
        a
    }

    #[test]
    fn large_matrices_in_blocks_to_the_same_bits_for_any_threads() {
        for n in [1, WHOLE, WHOLE + 1, WHOLE + BLOCK + 3] {
            let a = definite(n);
            let all = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let factor = Cholesky::new(n, a.clone()).unwrap();
                    let mut columns = vec![0.0; n * n];
                    (0..n).for_each(|i| columns[i * n + i] = 1.0);
                    factor.back(&mut columns, n);
                    (factor.inverse(), factor.inverse_root(), columns, factor.log_determinant())
                })
            };
            let (inverse, roots, columns, log) = all(1);
            assert!(all(3) == (inverse.clone(), roots.clone(), columns.clone(), log));
            let diagonal = Cholesky::new(n, a.clone()).unwrap().inverse_diagonal();
            for i in (0..n).step_by(101) {
                (0..n).for_each(|j| assert!((roots[i * n + j] - columns[j * n + i]).abs() < 1e-12));
            }
            let log_of_roots: f64 = (0..n).map(|i| -2.0 * roots[i * n + i].ln()).sum();
            assert!((log - log_of_roots).abs() < 1e-9);
            for i in (0..n).step_by(97) {
                assert!((inverse[i * n + i] - diagonal[i]).abs() < 1e-12);
                for j in (0..n).step_by(89) {
                    let row = |m: &[f64], i: usize| m[i * n..(i + 1) * n].to_vec();
                    let sum: f64 =
                        row(&a, i).iter().zip(row(&inverse, j)).map(|(a, b)| a * b).sum();
                    assert!((sum - f64::from(u8::from(i == j))).abs() < 1e-10, "{n} {i} {j} {sum}");
                    assert_eq!(inverse[i * n + j], inverse[j * n + i]);
                }
            }
        }
    }

    #[test]
    fn large_matrices_are_given_up_between_blocks() {
        let n = WHOLE + 1;
        let asked = AtomicUsize::new(0);
        let twice = || asked.fetch_add(1, Ordering::Relaxed) < 2;
        assert!(Cholesky::while_going(n, definite(n), &twice).is_none());
        assert_eq!(asked.load(Ordering::Relaxed), 3);
        let factor = Cholesky::new(n, definite(n)).unwrap();
        assert!(factor.inverse_while_going(&|| false).is_none());
        let mut worse = definite(n);
        worse[(n - 2) * (n + 1)] = -1.0;
        assert!(Cholesky::new(n, worse).is_none());
        assert!(Cholesky::while_going(3, definite(3), &|| false).is_some());
    }
}
