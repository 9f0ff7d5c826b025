//! Products of a symmetric matrix with a thin block, from its upper triangle alone: every tile is
//! read once and serves both itself and its transpose.
//!
//! The block is cut into panels of up to sixteen columns (two wide registers), because most of the
//! time of a narrow one is that of reading the tile; the last panels have 4, 8, 12 or 16 and 2,
//! padded with zeros. For a tile T in rows I and columns J one pass gives out_I += T V_J and
//! out_J += Tᵀ V_I. Every column is summed in the same order, whatever the widths of the panels,
//! but for those in a panel of two.

use crate::data::Matrix;
use cokernel_dense::simd::{
    self, Aligned, BothSides, both_sides_2, both_sides_4, both_sides_8, both_sides_12,
    both_sides_16, columns_at_once,
};

/// Widths of panels are multiples of it.
const STEP: usize = 4;

/// A thin block cut into panels, one after the other, each row by row.
#[derive(Debug)]
pub(super) struct Panels {
    /// The first row that is kept; those before it are 0.
    first: usize,
    /// How many rows are kept.
    rows: usize,
    /// Columns of each panel.
    widths: Vec<usize>,
    values: Aligned,
}

impl Panels {
    /// Panels for n rows and k columns, all 0.
    pub(super) fn zeros(n: usize, k: usize) -> Self {
        Panels::zeros_from(0, n, k)
    }

    /// [`zeros`](Self::zeros) of which the rows before `first` stay 0.
    pub(super) fn zeros_from(first: usize, n: usize, k: usize) -> Self {
        let widest = columns_at_once();
        let mut widths = vec![widest; k / widest];
        let (whole, rest) = (k % widest / STEP * STEP, k % STEP);
        match rest {
            1 | 2 => widths.extend([whole, 2]),
            _ => widths.push(whole + rest.next_multiple_of(STEP)),
        }
        widths.retain(|w| *w > 0);
        let rows = n - first;
        let values = Aligned::zeros(rows * widths.iter().sum::<usize>());
        Panels { first, rows, widths, values }
    }

    /// The columns of a block.
    pub(super) fn of(block: &Matrix) -> Self {
        let k = block.cols();
        let mut panels = Panels::zeros(block.rows(), k);
        let (mut first, mut at) = (0, 0);
        for width in &panels.widths {
            let used = (*width).min(k - first);
            let rows = panels.values.values_mut()[at..].chunks_exact_mut(*width);
            for (i, row) in rows.take(panels.rows).enumerate() {
                row[..used].copy_from_slice(&block.row(i)[first..first + used]);
            }
            (first, at) = (first + width, at + width * panels.rows);
        }
        panels
    }

    /// The first k columns of panels that keep all rows as a block, times `factor`.
    pub(super) fn into_block(self, k: usize, factor: f64) -> Matrix {
        let mut block = Vec::with_capacity(self.rows * k);
        for i in 0..self.rows {
            let (mut first, mut at) = (0, 0);
            for width in &self.widths {
                let used = (*width).min(k - first);
                block.extend_from_slice(&self.values.values()[at + i * width..][..used]);
                (first, at) = (first + width, at + width * self.rows);
            }
            simd::multiply(&mut block[i * k..], factor);
        }
        Matrix::new(self.rows, k, block).expect("rows × k values")
    }

    /// Adds another sum of as many columns, which keeps no row that this one does not.
    pub(super) fn add(&mut self, other: &Panels) {
        let (mut to, mut from) = (self.values.values_mut(), other.values.values());
        for width in &self.widths {
            let (panel, later) = to.split_at_mut(width * self.rows);
            let (added, rest) = from.split_at(width * other.rows);
            let panel = &mut panel[width * (other.first - self.first)..];
            panel.iter_mut().zip(added).for_each(|(t, p)| *t += p);
            (to, from) = (later, rest);
        }
    }

    /// Adds T V_J to rows I and, off the diagonal, Tᵀ V_I to rows J, where T are the numbers of
    /// `tile`, rows `stride` apart, and I and J begin at `row0` and `col0` of the matrix. A tile
    /// off the diagonal lies above it. `block` keeps all rows, and these panels the tile's.
    pub(super) fn add_tile(
        &mut self,
        block: &Panels,
        tile: &[f64],
        stride: usize,
        rows: (usize, usize),
        cols: (usize, usize),
        diagonal: bool,
    ) {
        let (mut sums, mut columns) = (self.values.values_mut(), block.values.values());
        for width in &self.widths {
            let (sum, later) = sums.split_at_mut(width * self.rows);
            let (panel, rest) = columns.split_at(width * block.rows);
            let place = (rows, cols, diagonal, self.first);
            match width {
                2 => add_panel(both_sides_2, sum, panel, tile, stride, place),
                4 => add_panel(both_sides_4, sum, panel, tile, stride, place),
                8 => add_panel(both_sides_8, sum, panel, tile, stride, place),
                12 => add_panel(both_sides_12, sum, panel, tile, stride, place),
                _ => add_panel(both_sides_16, sum, panel, tile, stride, place),
            }
            (sums, columns) = (later, rest);
        }
    }
}

/// [`Panels::add_tile`] for one panel.
fn add_panel<const W: usize>(
    both_sides: BothSides<W>,
    sums: &mut [f64],
    panel: &[f64],
    tile: &[f64],
    stride: usize,
    ((row0, rows), (col0, cols), diagonal, first): ((usize, usize), (usize, usize), bool, usize),
) {
    let (sums, panel) = (sums.as_chunks_mut::<W>().0, panel.as_chunks::<W>().0);
    let (left, right) = (&panel[row0..row0 + rows], &panel[col0..col0 + cols]);
    let (row0, col0) = (row0 - first, col0 - first);
    if diagonal {
        return both_sides(tile, stride, &[], right, &mut sums[row0..row0 + rows], &mut []);
    }
    let (above, below) = sums.split_at_mut(col0);
    both_sides(tile, stride, left, right, &mut above[row0..row0 + rows], &mut below[..cols]);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::STEP;
    use crate::bank::{Bank, Storage};
    use crate::data::Matrix;

    /// Every width of the last panels, alone and after others; each column has the same bits
    /// whatever stands beside it, and but for rounding in a panel of two.
    #[test]
    fn columns_do_not_depend_on_their_panel() {
        let n = 301;
        let matrix = Matrix::from_fn(n, n, |i, j| ((i * j + i + j) as f64 * 0.37).sin());
        let wide = Matrix::from_fn(n, 37, |i, j| ((i * (j + 1)) as f64 * 0.11).cos());
        let bank = Bank::from_matrices(vec![("k".into(), matrix.clone())], Storage::Resident);
        let bank = bank.unwrap();
        let want = bank.apply(0, &wide);
        for (i, j) in [(0, 0), (150, 18), (n - 1, 36)] {
            let sum: f64 = (0..n).map(|l| matrix.get(i, l) * wide.get(l, j)).sum();
            assert!((want.get(i, j) - sum).abs() < 1e-11);
        }
        for k in 1..37 {
            let pairs = if matches!(k % STEP, 1 | 2) { k % STEP } else { 0 };
            let got = bank.apply(0, &wide.select_cols(&(0..k).collect::<Vec<_>>()));
            for j in 0..k {
                let apart = (0..n).map(|i| (got.get(i, j) - want.get(i, j)).abs());
                let most = if j < k - pairs { 0.0 } else { 1e-12 };
                assert!(apart.fold(0.0, f64::max) <= most, "{k}, {j}");
            }
        }
    }
}
