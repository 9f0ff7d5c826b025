//! Dense algebra and inner loops of Cokernel, as plain functions of f64 slices.
//!
//! faer, whose interface changes often and whose instances take long to compile, stays behind this
//! crate: a change of a method does not compile it again. Three things are ours because kernels and
//! eigenpair searches spend much of their time on them and faer does them for general shapes only:
//! loops over kernel values ([`simd`]), products of tall matrices with a few columns, and a few of
//! many eigenpairs.
//!
//! Everything here is row-major and single- or multi-threaded with the same bits: products are cut
//! into chunks whose sizes depend on the shapes only, each chunk is one sequential call, and sums
//! over chunks are taken in their order.

mod cholesky;
mod eigen;
mod leading;
mod lu;
mod products;
pub mod simd;
mod tall;
#[doc(hidden)]
pub mod tridiagonal;

pub use cholesky::{Cholesky, LeveledCholesky};
pub use eigen::{
    count_above, extreme_eigenvalues_while, leading_eigen, leading_eigen_while, leading_of_upper,
    symmetric_eigen, symmetric_eigen_while,
};
pub use lu::Lu;
pub use products::{
    GRAM_STRIP, add_gram_below, add_gram_rows, add_product_tn, add_scaled_gram, gram_above,
    gram_tn, mirror_below, plus_gram, product_nn, product_nt, product_nt_f32, product_plus,
    symmetric_part, transpose,
};

use faer::MatRef;

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
    pub fn of(matrix: impl Into<Slice<'a>>) -> Self {
        matrix.into()
    }

    /// The first `cols` columns of a matrix.
    pub fn head(matrix: impl Into<Slice<'a>>, cols: usize) -> Self {
        Slice { cols, ..matrix.into() }
    }

    /// `count` rows from `first` on.
    pub fn rows(self, first: usize, count: usize) -> Self {
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
