//! LU factors with partial pivoting of square matrices, on faer, in one thread (so that the bits do not
//! depend on threads). O(2n³/3) operations, the n × n matrix is overwritten.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::perm::PermRef;
use faer::{MatMut, MatRef, Par};

/// P A = L U, row-major.
#[derive(Debug, Clone)]
pub struct Lu {
    n: usize,
    factor: Vec<f64>,
    order: Vec<usize>,
    inverse: Vec<usize>,
}

impl Lu {
    /// Factors a matrix (n × n, row by row); `None` if it is singular in floating-point arithmetic.
    pub fn new(n: usize, matrix: Vec<f64>) -> Option<Self> {
        let mut factor = matrix;
        let (mut order, mut inverse) = (vec![0; n], vec![0; n]);
        let scratch = factor::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Default::default());
        factor::lu_in_place(
            MatMut::from_row_major_slice_mut(&mut factor, n, n),
            &mut order,
            &mut inverse,
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        );
        let usable = (0..n).all(|i| factor[i * n + i].is_finite() && factor[i * n + i] != 0.0);
        usable.then_some(Lu { n, factor, order, inverse })
    }

    /// b ← A⁻¹ b for k right-hand sides, each contiguous.
    pub fn solve(&self, b: &mut [f64], k: usize) {
        let factor = MatRef::from_row_major_slice(&self.factor, self.n, self.n);
        let scratch = solve::solve_in_place_scratch::<usize, f64>(self.n, k, Par::Seq);
        solve::solve_in_place(
            factor,
            factor,
            PermRef::new_checked(&self.order, &self.inverse, self.n),
            MatMut::from_column_major_slice_mut(b, self.n, k),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
        );
    }
}
