//! Products of a symmetric matrix with a thin block, from its upper triangle alone: every tile is
//! read once and serves both itself and its transpose.
//!
//! The block is cut into panels of eight columns (one vector register), padded with zeros. For a
//! tile T in rows I and columns J one pass gives out_I += T V_J and out_J += Tᵀ V_I.

use super::simd::{Lanes, both_sides};
use crate::data::Matrix;

/// Columns of a panel.
const WIDE: usize = size_of::<Lanes>() / size_of::<f64>();

/// A thin block cut into panels: row i of panel p is at p·n + i.
#[derive(Debug, Clone)]
pub(super) struct Panels {
    n: usize,
    rows: Vec<Lanes>,
}

impl Panels {
    /// Panels for k columns, all 0.
    pub(super) fn zeros(n: usize, k: usize) -> Self {
        Panels { n, rows: vec![[0.0; WIDE]; k.div_ceil(WIDE) * n] }
    }

    /// The columns of a block.
    pub(super) fn of(block: &Matrix) -> Self {
        let mut panels = Panels::zeros(block.rows(), block.cols());
        for (p, panel) in panels.rows.chunks_mut(block.rows().max(1)).enumerate() {
            let from = p * WIDE;
            let width = WIDE.min(block.cols() - from);
            for (i, row) in panel.iter_mut().enumerate() {
                row[..width].copy_from_slice(&block.row(i)[from..from + width]);
            }
        }
        panels
    }

    /// The first k columns as a block, times `factor`.
    pub(super) fn into_block(self, k: usize, factor: f64) -> Matrix {
        Matrix::from_fn(self.n, k, |i, j| factor * self.rows[(j / WIDE) * self.n + i][j % WIDE])
    }

    /// Adds another sum.
    pub(super) fn add(&mut self, other: &Panels) {
        let others = other.rows.as_flattened();
        self.rows.as_flattened_mut().iter_mut().zip(others).for_each(|(t, p)| *t += p);
    }

    /// Adds T V_J to rows I and, off the diagonal, Tᵀ V_I to rows J, where T are the numbers of
    /// `tile`, rows `stride` apart, and I and J begin at `row0` and `col0` of the matrix. A tile
    /// off the diagonal lies above it.
    pub(super) fn add_tile(
        &mut self,
        block: &Panels,
        tile: &[f64],
        stride: usize,
        (row0, rows): (usize, usize),
        (col0, cols): (usize, usize),
        diagonal: bool,
    ) {
        let panels = self.rows.chunks_mut(self.n).zip(block.rows.chunks(self.n));
        for (sums, block) in panels {
            let (left, right) = (&block[row0..row0 + rows], &block[col0..col0 + cols]);
            if diagonal {
                both_sides(tile, stride, &[], right, &mut sums[row0..row0 + rows], &mut []);
            } else {
                let (above, below) = sums.split_at_mut(col0);
                let out = &mut above[row0..row0 + rows];
                both_sides(tile, stride, left, right, out, &mut below[..cols]);
            }
        }
    }
}
