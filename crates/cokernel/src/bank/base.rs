//! Base measures between rows: dot products, distances, given similarities. One block of a
//! measure serves every kernel function that is made of it.
//!
//! Squared distances come from dot products, ‖x‖² + ‖z‖² − 2⟨x, z⟩, with dense columns centred
//! on the training mean; a result that lost more than four digits to cancellation is computed
//! again from the difference, so equal rows have distance exactly 0.

use super::maps::{correlated, correlated_sparse};
use crate::Result;
use crate::data::{Csr, Matrix, Table};
use crate::kernel::{Function, Metric, Words, counted, diffused, walked};
use crate::run::Pass;
use cokernel_dense::{Slice, product_nt, simd};
use std::sync::OnceLock;

/// The most columns of sparse rows that are spread out for dot products. Wider rows are merged: a
/// file can name any column at no cost, but each thread would keep a number for every column.
const SCATTERED: usize = 1 << 22;

/// Entries below this have products that are not held to full precision.
const SMALLEST: f64 = 1e-150;

/// How many times farther from the centre than others a row must be to be called extreme.
const EXTREME: f64 = 1e6;

/// What a kernel function is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Measure {
    /// ⟨x, z⟩.
    Dot,
    /// ‖x − z‖².
    Squared,
    /// Σ |x_k − z_k|.
    Manhattan,
    /// Σ (x_k − z_k)² / (x_k + z_k).
    ChiSquared,
    /// The similarity or the distance that the view gives.
    Given,
    /// ⟨x, z⟩ / (‖x‖² + ‖z‖² − ⟨x, z⟩).
    Tanimoto,
    /// Σ min / Σ max.
    MinMax,
    /// The correlation of values, or of ranks.
    Correlation { ranks: bool },
    /// ⟨x, ω⟩ with directions ω.
    Along,
    /// Words in common.
    Words(Words),
    /// exp(−βL), the bits of β.
    Diffusion { beta: u64, normalized: bool },
    /// (aI − L)^p, the bits of a.
    RandomWalk { steps: u32, a: u64 },
}

impl Measure {
    pub(super) fn of(function: Function) -> Self {
        match function {
            Function::Linear | Function::Polynomial { .. } | Function::Sigmoid { .. } => {
                Measure::Dot
            }
            Function::Exponential { metric, .. } => Measure::of_metric(metric),
            Function::Precomputed => Measure::Given,
            Function::Tanimoto => Measure::Tanimoto,
            Function::MinMax => Measure::MinMax,
            Function::Correlation { ranks } => Measure::Correlation { ranks },
            Function::Words(words) => Measure::Words(words),
            Function::Wave { .. } => Measure::Along,
            Function::Diffusion { beta, normalized } => {
                Measure::Diffusion { beta: beta.to_bits(), normalized }
            }
            Function::RandomWalk { steps, a } => Measure::RandomWalk { steps, a: a.to_bits() },
        }
    }

    /// What is computed of the rows that [`Side::new`] makes.
    fn of_rows(self) -> Self {
        match self {
            Measure::Correlation { .. } | Measure::Words(_) => Measure::Dot,
            Measure::Diffusion { .. } | Measure::RandomWalk { .. } => Measure::Given,
            plain => plain,
        }
    }

    /// Whether the view gives its values for pairs.
    pub(super) fn is_given(self) -> bool {
        self.of_rows() == Measure::Given
    }

    pub(super) fn of_metric(metric: Metric) -> Self {
        match metric {
            Metric::Euclidean | Metric::SquaredEuclidean => Measure::Squared,
            Metric::Manhattan => Measure::Manhattan,
            Metric::ChiSquared => Measure::ChiSquared,
            Metric::Given => Measure::Given,
        }
    }
}

#[derive(Debug, Clone)]
enum Cells {
    Dense(Matrix),
    Sparse(Csr),
    Column(Vec<f64>),
}

/// The rows of one view (or one column of it), ready for one measure.
#[derive(Debug, Clone)]
pub(super) struct Side {
    measure: Measure,
    cells: Cells,
    /// ‖x‖² of each row, where the measure needs it; Σ x of MinMax.
    squares: Vec<f64>,
    /// Numbers of rows whose products come off dot products.
    offsets: Vec<f64>,
    /// Dense cells column by column, where sparse rows have been multiplied by them.
    across: OnceLock<Matrix>,
}

/// How many times the least magnitude of a column an entry may have to count for its centre.
const ORDINARY: f64 = (1_u32 << 12) as f64;

/// The centre of a dense table for squared distances: for each column the mean of its entries of
/// ordinary magnitude, which is at most 2^12 times the least that is not 0.
///
/// The centre is then no larger than 2^12 times any entry that is not 0, so that taking it off
/// costs at most twelve bits: distances among ordinary rows stay exact whatever an extreme row,
/// such as one with 1e20 for a missing value, holds.
pub(super) fn column_means(table: &Table) -> Vec<f64> {
    let Table::Dense(m) = table else { return Vec::new() };
    let mut least = vec![f64::INFINITY; m.cols()];
    for i in 0..m.rows() {
        let magnitudes = m.row(i).iter().map(|v| if *v == 0.0 { f64::INFINITY } else { v.abs() });
        least.iter_mut().zip(magnitudes).for_each(|(l, v)| *l = l.min(v));
    }
    let (mut mean, mut count) = (vec![0.0; m.cols()], vec![0.0_f64; m.cols()]);
    for i in 0..m.rows() {
        for (j, v) in m.row(i).iter().enumerate() {
            let ordinary = if v.abs() <= ORDINARY * least[j] { 1.0 } else { 0.0 };
            mean[j] += if ordinary > 0.0 { *v } else { 0.0 };
            count[j] += ordinary;
        }
    }
    mean.iter_mut().zip(&count).for_each(|(s, c)| *s /= c.max(1.0));
    mean
}

impl Side {
    /// Prepares the rows of `table`; `mean` is the centre for squared distances (empty: none).
    ///
    /// # Errors
    /// Of sequences and graphs, as [`counted`], [`diffused`] and [`walked`].
    pub(super) fn new(
        table: &Table,
        column: Option<usize>,
        measure: Measure,
        mean: &[f64],
        pass: &Pass<'_>,
    ) -> Result<Self> {
        let (made, offsets) = match (table, measure) {
            (Table::Sequences(s), Measure::Words(of)) => {
                (Table::Sparse(counted(s, of, pass)?), Vec::new())
            }
            (Table::Sparse(m), Measure::Correlation { ranks }) => {
                let (rows, offsets) = correlated_sparse(m, ranks)?;
                (Table::Sparse(rows), offsets)
            }
            (Table::Dense(m), Measure::Correlation { ranks }) => {
                (Table::Dense(correlated(m.clone(), ranks)), Vec::new())
            }
            (t, Measure::Diffusion { beta, normalized }) if t.rows() == t.cols() => {
                let beta = f64::from_bits(beta);
                (Table::Similarity(diffused(t, beta, normalized, pass)?), Vec::new())
            }
            (t, Measure::RandomWalk { steps, a }) if t.rows() == t.cols() => {
                (Table::Similarity(walked(t, steps, f64::from_bits(a), pass)?), Vec::new())
            }
            _ => return Ok(Side::of_rows(table, column, measure.of_rows(), mean)),
        };
        Ok(Side { offsets, ..Side::of_rows(&made, None, measure.of_rows(), &[]) })
    }

    fn of_rows(table: &Table, column: Option<usize>, measure: Measure, mean: &[f64]) -> Self {
        let mut cells = match (table, column) {
            (Table::Dense(m) | Table::Similarity(m), None) => Cells::Dense(m.clone()),
            (Table::Sparse(m), None) if !mean.is_empty() => Cells::Dense(m.to_dense()),
            (Table::Sparse(m) | Table::Graph(m), None) => Cells::Sparse(m.clone()),
            (Table::Dense(m) | Table::Similarity(m), Some(c)) => Cells::Column(m.col(c)),
            (Table::Sparse(m) | Table::Graph(m), Some(c)) => {
                Cells::Column((0..m.rows()).map(|i| m.get(i, c)).collect())
            }
            // Sequences have become words.
            (Table::Sequences(s), _) => Cells::Column(vec![0.0; s.rows()]),
        };
        let mut squares = Vec::new();
        let sum = |values: &[f64]| match measure {
            Measure::MinMax => values.iter().sum(),
            _ => simd::dot(values, values),
        };
        use Measure::{Along, MinMax, Squared, Tanimoto};
        if matches!(measure, Squared | Tanimoto | MinMax | Along) {
            if let Cells::Dense(m) = &mut cells {
                for i in 0..m.rows() {
                    m.row_mut(i).iter_mut().zip(mean).for_each(|(v, c)| *v -= c);
                }
            }
            squares = match &cells {
                Cells::Dense(m) => (0..m.rows()).map(|i| sum(m.row(i))).collect(),
                Cells::Sparse(m) => (0..m.rows()).map(|i| sum(m.row(i).1)).collect(),
                Cells::Column(_) => Vec::new(),
            };
        }
        Side { measure, cells, squares, offsets: Vec::new(), across: OnceLock::new() }
    }

    /// A row whose squared length overflows, if there is one.
    pub(super) fn too_large(&self) -> Option<usize> {
        self.squares.iter().position(|s| !s.is_finite())
    }

    /// The largest magnitude of an entry, if it is so small that products of entries underflow.
    pub(super) fn too_small(&self) -> Option<f64> {
        let values = match &self.cells {
            Cells::Dense(m) => m.values(),
            Cells::Sparse(m) => m.entries().1,
            Cells::Column(values) => values,
        };
        let products = matches!(self.measure, Measure::Dot | Measure::Squared | Measure::Tanimoto);
        let largest = values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        (products && largest > 0.0 && largest < SMALLEST).then_some(largest)
    }

    /// Rows more than [`EXTREME`] times as far from the centre as the nearest quarter of the rows.
    ///
    /// Rows at one distance count once, and the nearest of three not at all: where means stand for what instances lack,
    /// many rows lie at the centre, up to rounding.
    pub(super) fn extreme_rows(&self) -> Vec<usize> {
        if self.measure != Measure::Squared {
            return Vec::new();
        }
        let mut sorted: Vec<f64> = self.squares.iter().copied().filter(|s| *s > 0.0).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted.dedup();
        let place = (sorted.len() / 4).max(usize::from(sorted.len() > 2));
        let Some(ordinary) = sorted.get(place) else { return Vec::new() };
        let limit = EXTREME * EXTREME * ordinary;
        (0..self.squares.len()).filter(|i| self.squares[*i] > limit).collect()
    }

    /// Whether rows are kept sparse.
    pub(super) fn is_sparse(&self) -> bool {
        matches!(self.cells, Cells::Sparse(_))
    }

    /// The edges of a similarity that is given as a graph.
    pub(super) fn graph(&self) -> Option<&Csr> {
        match (&self.cells, self.measure) {
            (Cells::Sparse(m), Measure::Given) => Some(m),
            _ => None,
        }
    }

    /// Measure between row i here and row j of `right`.
    pub(super) fn entry(&self, i: usize, right: &Side, j: usize) -> f64 {
        if let Some(graph) = self.graph() {
            return graph.get(i, j);
        }
        let dense = |x: &[f64], z: &[f64]| match self.measure {
            Measure::MinMax => simd::minima(x, z),
            Measure::ChiSquared => simd::chi_squared(x, z),
            Measure::Squared => simd::squared_distance(x, z),
            Measure::Manhattan => simd::manhattan(x, z),
            Measure::Given => x[j],
            // All others are made of dot products.
            _ => simd::dot(x, z),
        };
        let value = match (&self.cells, &right.cells) {
            (Cells::Column(x), Cells::Column(z)) => return alone(self.measure, x[i], z[j]),
            (Cells::Dense(x), Cells::Dense(z)) => dense(x.row(i), z.row(j)),
            (Cells::Sparse(x), Cells::Sparse(z)) => sparse(self.measure, x.row(i), z.row(j)),
            _ => unreachable!("both sides of a measure are prepared alike"),
        };
        self.finished(value, i, right, j)
    }

    /// The measure of a pair from the sum over its columns.
    fn finished(&self, sum: f64, i: usize, right: &Side, j: usize) -> f64 {
        match self.measure {
            Measure::Tanimoto | Measure::MinMax => share(sum, self.squares[i] + right.squares[j]),
            _ if !self.offsets.is_empty() => sum - self.offsets[i] * right.offsets[j],
            _ => sum,
        }
    }

    /// Measures between row i here and the rows `j` of `right`.
    pub(super) fn entries(
        &self,
        i: usize,
        right: &Side,
        columns: impl Iterator<Item = usize>,
        out: &mut [f64],
    ) {
        if let (Measure::Given, Cells::Dense(x)) = (self.measure, &self.cells) {
            let row = x.row(i);
            out.iter_mut().zip(columns).for_each(|(o, j)| *o = row[j]);
            return;
        }
        if let Some(graph) = self.graph() {
            // Columns usually rise: each search starts where the last one ended.
            let (c, v) = graph.row(i);
            let (mut place, mut last) = (0, 0);
            for (o, j) in out.iter_mut().zip(columns) {
                if j < last {
                    place = 0;
                }
                last = j;
                if c.get(place).is_some_and(|c| (*c as usize) < j) {
                    place += c[place..].partition_point(|c| (*c as usize) < j);
                }
                *o = if c.get(place).is_some_and(|c| *c as usize == j) { v[place] } else { 0.0 };
            }
            return;
        }
        out.iter_mut().zip(columns).for_each(|(o, j)| *o = self.entry(i, right, j));
    }

    /// Measures between rows i0.. here and rows j0.. of `right` into `out` (rows × cols).
    pub(super) fn block(
        &self,
        i0: usize,
        rows: usize,
        right: &Side,
        j0: usize,
        cols: usize,
        out: &mut [f64],
    ) {
        let out = &mut out[..rows * cols];
        match (&self.cells, &right.cells, self.measure) {
            (Cells::Dense(x), _, Measure::Given) => {
                for (r, out) in out.chunks_mut(cols).enumerate() {
                    out.copy_from_slice(&x.row(i0 + r)[j0..j0 + cols]);
                }
            }
            (Cells::Sparse(x), _, Measure::Given) => {
                out.fill(0.0);
                for (r, out) in out.chunks_mut(cols).enumerate() {
                    let (c, v) = x.row(i0 + r);
                    let from = c.partition_point(|c| (*c as usize) < j0);
                    let to = c.partition_point(|c| (*c as usize) < j0 + cols);
                    for (c, v) in c[from..to].iter().zip(&v[from..to]) {
                        out[*c as usize - j0] = *v;
                    }
                }
            }
            (
                Cells::Dense(x),
                Cells::Dense(z),
                Measure::Dot | Measure::Along | Measure::Squared | Measure::Tanimoto,
            ) => {
                let d = x.cols();
                let left = &x.values()[i0 * d..(i0 + rows) * d];
                let other = &z.values()[j0 * d..(j0 + cols) * d];
                product_nt(Slice::new(left, rows, d), Slice::new(other, cols, d), out);
                self.finish(i0, right, j0, cols, out);
            }
            (
                Cells::Sparse(x),
                Cells::Sparse(z),
                Measure::Dot | Measure::Squared | Measure::Tanimoto | Measure::MinMax,
            ) if z.cols() <= SCATTERED => {
                let mut scattered = vec![0.0; z.cols()];
                for (r, out) in out.chunks_mut(cols).enumerate() {
                    let (c, v) = x.row(i0 + r);
                    c.iter().zip(v).for_each(|(c, v)| scattered[*c as usize] = *v);
                    for (j, o) in out.iter_mut().enumerate() {
                        let (c, v) = z.row(j0 + j);
                        let own = c.iter().map(|c| scattered[*c as usize]).zip(v);
                        *o = match self.measure {
                            Measure::MinMax => own.map(|(x, v)| x.min(*v)).sum(),
                            _ => own.map(|(x, v)| x * v).sum(),
                        };
                    }
                    c.iter().for_each(|c| scattered[*c as usize] = 0.0);
                }
                self.finish(i0, right, j0, cols, out);
            }
            (Cells::Sparse(x), Cells::Dense(z), Measure::Along) => {
                // Row k of the transposed: what column k adds along each direction.
                let across = right.across.get_or_init(|| z.transposed());
                for (r, out) in out.chunks_mut(cols).enumerate() {
                    out.fill(0.0);
                    let (c, v) = x.row(i0 + r);
                    for (c, v) in c.iter().zip(v) {
                        simd::subtract(out, -v, &across.row(*c as usize)[j0..j0 + cols]);
                    }
                }
            }
            (Cells::Column(x), Cells::Column(z), _) => {
                for (r, out) in out.chunks_mut(cols).enumerate() {
                    let x = x[i0 + r];
                    for (o, z) in out.iter_mut().zip(&z[j0..j0 + cols]) {
                        *o = alone(self.measure, x, *z);
                    }
                }
            }
            _ => {
                for (r, out) in out.chunks_mut(cols).enumerate() {
                    self.entries(i0 + r, right, j0..j0 + cols, out);
                }
            }
        }
    }

    /// Measures from the sums over the columns, which are dot products but for MinMax.
    fn finish(&self, i0: usize, right: &Side, j0: usize, cols: usize, out: &mut [f64]) {
        if self.measure != Measure::Squared {
            let as_it_is = matches!(self.measure, Measure::Dot | Measure::Along);
            if !as_it_is || !self.offsets.is_empty() {
                for (r, out) in out.chunks_mut(cols).enumerate() {
                    for (j, o) in out.iter_mut().enumerate() {
                        *o = self.finished(*o, i0 + r, right, j0 + j);
                    }
                }
            }
            return;
        }
        let other = &right.squares[j0..j0 + cols];
        for (r, out) in out.chunks_mut(cols).enumerate() {
            let own = self.squares[i0 + r];
            if simd::distances(out, own, other) {
                for (j, o) in out.iter_mut().enumerate() {
                    if simd::lost_digits(*o, own, other[j]) {
                        *o = self.entry(i0 + r, right, j0 + j);
                    }
                }
            }
        }
    }
}

/// What two rows have in common among what either has; all of two rows without anything.
#[inline(always)]
fn share(common: f64, both: f64) -> f64 {
    if both > 0.0 { common / (both - common) } else { 1.0 }
}

/// The measure of rows of one column.
#[inline(always)]
fn alone(measure: Measure, x: f64, z: f64) -> f64 {
    match measure {
        Measure::Tanimoto => {
            let largest = x.abs().max(z.abs());
            if largest == 0.0 {
                return 1.0;
            }
            let (x, z) = (x / largest, z / largest);
            share(x * z, x * x + z * z)
        }
        Measure::MinMax => share(x.min(z), x + z),
        _ => scalar(measure, x, z),
    }
}

/// What a column adds to the sum that a measure is made of.
#[inline(always)]
fn scalar(measure: Measure, x: f64, z: f64) -> f64 {
    match measure {
        Measure::MinMax => x.min(z),
        Measure::Squared => (x - z) * (x - z),
        Measure::Manhattan => (x - z).abs(),
        Measure::ChiSquared => {
            let (sum, difference) = (x + z, x - z);
            difference * difference / if sum > 0.0 { sum } else { 1.0 }
        }
        _ => x * z,
    }
}

/// Merges two rows with increasing column indices.
fn sparse(measure: Measure, x: (&[u32], &[f64]), z: (&[u32], &[f64])) -> f64 {
    let (mut a, mut b, mut sum) = (0, 0, 0.0);
    while a < x.0.len() || b < z.0.len() {
        let ca = x.0.get(a).map_or(u64::MAX, |c| u64::from(*c));
        let cb = z.0.get(b).map_or(u64::MAX, |c| u64::from(*c));
        let left = if ca <= cb { x.1[a] } else { 0.0 };
        let right = if cb <= ca { z.1[b] } else { 0.0 };
        sum += scalar(measure, left, right);
        a += usize::from(ca <= cb);
        b += usize::from(cb <= ca);
    }
    sum
}

/// Visits each row i of a table of features, or of distances, with its distances to the rows i + 1, i + 2, … in order.
pub(crate) fn distances(
    table: &Table,
    column: Option<usize>,
    metric: Metric,
    mut visit: impl FnMut(usize, &[f64]),
) {
    let measure = Measure::of_metric(metric);
    let mean = if column.is_none() { column_means(table) } else { Vec::new() };
    let side = Side::of_rows(table, column, measure, &mean);
    let n = table.rows();
    let strip = 64;
    let mut block = vec![0.0; strip * n];
    for i0 in (0..n).step_by(strip) {
        let (rows, cols) = (strip.min(n - i0), n - i0);
        side.block(i0, rows, &side, i0, cols, &mut block);
        for r in 0..rows {
            let after = &mut block[r * cols + r + 1..(r + 1) * cols];
            if metric == Metric::Euclidean {
                after.iter_mut().for_each(|v| *v = v.sqrt());
            }
            visit(i0 + r, after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Matrix {
        Matrix::from_fn(9, 5, |i, j| ((i * 5 + j * 3) % 7) as f64 * ((i + j) % 2) as f64)
    }

    #[test]
    fn dense_sparse_blocks_and_entries_agree() {
        let dense = Table::Dense(table());
        let rows = (0..9)
            .map(|i| {
                let row = table().row(i).to_vec();
                row.iter()
                    .enumerate()
                    .filter(|e| *e.1 != 0.0)
                    .map(|(j, v)| (j as u32, *v))
                    .collect()
            })
            .collect();
        let sparse = Table::Sparse(Csr::from_rows(5, rows).unwrap());
        for measure in [Measure::Dot, Measure::Squared, Measure::Manhattan, Measure::ChiSquared] {
            let a = Side::of_rows(&dense, None, measure, &column_means(&dense));
            let a =
                if measure == Measure::Dot { Side::of_rows(&dense, None, measure, &[]) } else { a };
            let a = if measure == Measure::ChiSquared || measure == Measure::Manhattan {
                Side::of_rows(&dense, None, measure, &[])
            } else {
                a
            };
            let b = Side::of_rows(&sparse, None, measure, &[]);
            let (mut x, mut z) = (vec![0.0; 12], vec![0.0; 12]);
            a.block(2, 3, &a, 4, 4, &mut x);
            b.block(2, 3, &b, 4, 4, &mut z);
            for r in 0..3 {
                for c in 0..4 {
                    let (u, v) = (table().row(2 + r).to_vec(), table().row(4 + c).to_vec());
                    let want: f64 = u.iter().zip(&v).map(|(p, q)| scalar(measure, *p, *q)).sum();
                    for got in [x[r * 4 + c], z[r * 4 + c], a.entry(2 + r, &a, 4 + c)] {
                        assert!((got - want).abs() < 1e-12, "{measure:?} {got} {want}");
                    }
                }
            }
        }
    }

    #[test]
    fn columns_of_any_number_cost_nothing() {
        let rows = vec![vec![(1, 2.0), (u32::MAX, 3.0)], vec![(1, 5.0)], vec![(u32::MAX, 0.5)]];
        let table = Table::Sparse(Csr::from_rows(1 << 32, rows).unwrap());
        for (measure, want) in [(Measure::Dot, [10.0, 1.5]), (Measure::Squared, [18.0, 10.25])] {
            let side = Side::of_rows(&table, None, measure, &[]);
            let mut out = vec![0.0; 2];
            side.block(0, 1, &side, 1, 2, &mut out);
            assert_eq!(out, want);
        }
    }

    /// One row of 1e18 once moved the centre so far that distances among the others were noise.
    #[test]
    fn extreme_rows_leave_the_others_alone() {
        let (n, d) = (40, 3);
        let entry = |i: usize, j: usize| 1e3 + ((i * 7 + j * 3) % 11) as f64 * 0.1;
        for value in [1e9, 1e18, 1e20, f64::from(f32::MAX), -1e30] {
            for extremes in [1, 8, 25] {
                let m = Matrix::from_fn(n, d, |i, j| {
                    if i >= n - extremes && j == 1 { value } else { entry(i, j) }
                });
                let table = Table::Dense(m.clone());
                let side = Side::of_rows(&table, None, Measure::Squared, &column_means(&table));
                let mut out = vec![0.0; n * n];
                side.block(0, n, &side, 0, n, &mut out);
                for i in 0..n {
                    for j in 0..n {
                        let terms = m.row(i).iter().zip(m.row(j)).map(|(a, b)| (a - b) * (a - b));
                        let want: f64 = terms.sum();
                        let off = (out[i * n + j] - want).abs();
                        assert!(off <= 1e-9 * want, "{value} {i} {j}: {} {want}", out[i * n + j]);
                    }
                }
                let found = side.extreme_rows();
                assert_eq!(found, (n - extremes..n).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn equal_rows_far_from_the_origin_have_distance_zero() {
        let m = Matrix::from_fn(3, 2, |i, j| 1e9 + if i == 2 { 1.0 + j as f64 } else { 0.5 });
        let table = Table::Dense(m);
        let side = Side::of_rows(&table, None, Measure::Squared, &column_means(&table));
        let mut out = vec![0.0; 9];
        side.block(0, 3, &side, 0, 3, &mut out);
        assert_eq!((out[0], out[1], out[4]), (0.0, 0.0, 0.0));
        assert!((out[2] - 2.5).abs() < 1e-9);
    }
}
