//! Products of a symmetric matrix with a thin block, from its upper triangle alone: every tile is
//! read once and serves both itself and its transpose.
//!
//! The block is cut into panels of eight columns (one wide register), padded with zeros; the last
//! one has four if that is enough. For a tile T in rows I and columns J one pass gives
//! out_I += T V_J and out_J += Tᵀ V_I.

use super::simd::{Lanes, both_sides_4, both_sides_8};
use crate::data::Matrix;

/// Columns of a full panel and of a half one.
const WIDE: usize = 8;
const HALF: usize = 4;

/// A thin block cut into panels: row i of panel p is at p·n + i.
#[derive(Debug, Clone)]
pub(super) struct Panels {
    n: usize,
    wide: Vec<Lanes<WIDE>>,
    /// One panel or none.
    half: Vec<Lanes<HALF>>,
}

impl Panels {
    /// Panels for k columns, all 0.
    pub(super) fn zeros(n: usize, k: usize) -> Self {
        let half = usize::from((1..=HALF).contains(&(k % WIDE)));
        let wide = k.div_ceil(WIDE) - half;
        Panels { n, wide: vec![[0.0; WIDE]; wide * n], half: vec![[0.0; HALF]; half * n] }
    }

    /// The columns of a block.
    pub(super) fn of(block: &Matrix) -> Self {
        let mut panels = Panels::zeros(block.rows(), block.cols());
        let n = panels.n.max(1);
        for (p, panel) in panels.wide.chunks_mut(n).enumerate() {
            copy_columns(block, p * WIDE, panel);
        }
        let done = WIDE * (panels.wide.len() / n);
        copy_columns(block, done, &mut panels.half);
        panels
    }

    /// The first k columns as a block, times `factor`.
    pub(super) fn into_block(self, k: usize, factor: f64) -> Matrix {
        let wide = WIDE * (self.wide.len() / self.n.max(1));
        Matrix::from_fn(self.n, k, |i, j| {
            factor
                * match j < wide {
                    true => self.wide[(j / WIDE) * self.n + i][j % WIDE],
                    false => self.half[i][j - wide],
                }
        })
    }

    /// Adds another sum.
    pub(super) fn add(&mut self, other: &Panels) {
        let add = |to: &mut [f64], from: &[f64]| {
            to.iter_mut().zip(from).for_each(|(t, p)| *t += p);
        };
        add(self.wide.as_flattened_mut(), other.wide.as_flattened());
        add(self.half.as_flattened_mut(), other.half.as_flattened());
    }

    /// Adds T V_J to rows I and, off the diagonal, Tᵀ V_I to rows J, where T are the numbers of
    /// `tile`, rows `stride` apart, and I and J begin at `row0` and `col0` of the matrix. A tile
    /// off the diagonal lies above it.
    pub(super) fn add_tile(
        &mut self,
        block: &Panels,
        tile: &[f64],
        stride: usize,
        rows: (usize, usize),
        cols: (usize, usize),
        diagonal: bool,
    ) {
        for (sums, block) in self.wide.chunks_mut(self.n).zip(block.wide.chunks(self.n)) {
            let (left, right, out, turned) = sides(sums, block, rows, cols, diagonal);
            both_sides_8(tile, stride, left, right, out, turned);
        }
        for (sums, block) in self.half.chunks_mut(self.n).zip(block.half.chunks(self.n)) {
            let (left, right, out, turned) = sides(sums, block, rows, cols, diagonal);
            both_sides_4(tile, stride, left, right, out, turned);
        }
    }
}

/// Columns of `block` from `from` on, as many as there are up to W, into a panel.
fn copy_columns<const W: usize>(block: &Matrix, from: usize, panel: &mut [Lanes<W>]) {
    let width = W.min(block.cols().saturating_sub(from));
    for (i, row) in panel.iter_mut().enumerate() {
        row[..width].copy_from_slice(&block.row(i)[from..from + width]);
    }
}

/// What a tile in the given rows and columns reads from a panel (V_I, V_J) and adds to (rows I and
/// J); on the diagonal V_I and rows J are empty.
#[allow(clippy::type_complexity)]
fn sides<'a, const W: usize>(
    sums: &'a mut [Lanes<W>],
    block: &'a [Lanes<W>],
    (row0, rows): (usize, usize),
    (col0, cols): (usize, usize),
    diagonal: bool,
) -> (&'a [Lanes<W>], &'a [Lanes<W>], &'a mut [Lanes<W>], &'a mut [Lanes<W>]) {
    let (left, right) = (&block[row0..row0 + rows], &block[col0..col0 + cols]);
    if diagonal {
        return (&[], right, &mut sums[row0..row0 + rows], &mut []);
    }
    let (above, below) = sums.split_at_mut(col0);
    (left, right, &mut above[row0..row0 + rows], &mut below[..cols])
}
