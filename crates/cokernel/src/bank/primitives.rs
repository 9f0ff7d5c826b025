//! The primitives of the bank, each written once over the tiles of any storage.
//!
//! Costs, for n instances and M kernels: `combine`, `quad_forms`, `target_products` one read
//! (or computation) of the M n²/2 entries; `inner_products` M² n²/2 multiplications; `apply`
//! n² k multiplications; `pairs` M reads a pair.

use super::norm::row_means;
use super::panels::Panels;
use super::tiles::{Tile, Values, huge_pages};
use super::{Bank, Gram};
use crate::data::Matrix;
use crate::error::room_for;
use crate::rule::nonzero;
use crate::run::Pass;
use crate::{Error, Result};
use cokernel_dense::{Slice, add_scaled_gram, simd};
use rayon::prelude::*;

/// Numbers above which a matrix is written past the caches: the kernels that are read meanwhile want them.
const LARGE: usize = 1 << 19;

/// Kernels that are summed at once.
const TERMS: usize = 32;

/// A pointer into a matrix whose blocks are written by different threads.
struct Shared {
    start: *mut f64,
    /// Whether the matrix is too large for the caches.
    large: bool,
}

// SAFETY: every thread writes only the two blocks of its own tile (see `Bank::write_gram`).
unsafe impl Sync for Shared {}

impl Shared {
    /// Writes `values` from position `at`.
    ///
    /// # Safety
    /// The range lies within the matrix and nobody else reads or writes it meanwhile.
    #[inline(always)]
    unsafe fn write(&self, at: usize, values: &[f64]) {
        // SAFETY: promised by the caller.
        unsafe {
            if self.large {
                simd::stream(self.start.add(at), values);
            } else {
                std::ptr::copy_nonoverlapping(values.as_ptr(), self.start.add(at), values.len());
            }
        }
    }
}

impl Bank {
    /// Row i of kernel m into `out` (length n).
    pub fn row(&self, m: usize, i: usize, out: &mut [f64]) {
        self.tiles.entries(&[m], i, 0..self.n, out);
    }

    /// Entry (i, j) of kernel m.
    pub fn entry(&self, m: usize, i: usize, j: usize) -> f64 {
        let mut out = [0.0];
        self.tiles.entries(&[m], i, std::iter::once(j), &mut out);
        out[0]
    }

    /// Entries (i, j) of kernel m for all j in `columns`, into `out`.
    pub fn entries(&self, m: usize, i: usize, columns: &[u32], out: &mut [f64]) {
        self.tiles.entries(&[m], i, columns.iter().map(|j| *j as usize), out);
    }

    /// Whether kernel m is a graph: of its entries only the edges are kept and looked at by
    /// [`apply`](Self::apply), whatever the storage. Centred kernels are not.
    pub fn is_sparse(&self, m: usize) -> bool {
        self.tiles.engine.graph(m).is_some()
    }

    /// Row i of kernel m if it [is sparse](Self::is_sparse): columns, and values into `values`.
    pub fn sparse_row(&self, m: usize, i: usize, values: &mut Vec<f64>) -> Option<&[u32]> {
        let graph = self.tiles.engine.graph(m)?;
        Some(self.tiles.engine.graph_row(graph, m, i, values))
    }

    /// Visits all kernels tile by tile, on this thread and always in the same order.
    pub fn tiles(&self, visit: impl FnMut(&Tile<'_>)) {
        let all: Vec<usize> = (0..self.len()).collect();
        self.tiles.each(&all, visit);
    }

    /// Σ_m w_m K_m as a stored n × n matrix.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn combine(&self, weights: &[f64]) -> Result<Gram> {
        self.combine_in(weights, &Pass::default())
    }

    /// [`combine`](Self::combine) in a pass that may be given up.
    pub(crate) fn combine_in(&self, weights: &[f64], pass: &Pass<'_>) -> Result<Gram> {
        let (active, features) = self.apart(weights);
        if active.is_empty() || self.factors().is_some() {
            let mut gram = self.new_gram()?;
            self.combine_into_in(weights, &mut gram, pass);
            return Ok(gram);
        }
        let size = self.room_for_gram()?;
        let mut values = Vec::with_capacity(size);
        huge_pages(values.spare_capacity_mut());
        // SAFETY: there is room for n × n numbers.
        unsafe {
            self.write_matrix(&active, values.as_mut_ptr(), pass, |tile, r, out| {
                sum_segments(tile, r, &active, weights, out);
            });
        }
        match pass.is_given_up() {
            true => values.resize(size, 0.0),
            // SAFETY: the tiles cover all n × n numbers, and none was left out.
            false => unsafe { values.set_len(size) },
        }
        let mut gram = Gram::trusted(self.n, values);
        gram.set_terms(active.len() + features.len());
        self.add_features(&features, &mut gram, pass);
        Ok(gram)
    }

    /// [`combine`](Self::combine) into a matrix that exists already (n × n), whose memory is
    /// used again.
    pub fn combine_into(&self, weights: &[f64], gram: &mut Gram) {
        self.combine_into_in(weights, gram, &Pass::default());
    }

    /// [`combine_into`](Self::combine_into) in a pass that may be given up.
    pub(crate) fn combine_into_in(&self, weights: &[f64], gram: &mut Gram, pass: &Pass<'_>) {
        gram.set_terms(nonzero(weights).len());
        if let Some(factors) = self.factors() {
            gram.values_mut().fill(0.0);
            return factors.add_combined(&terms(weights), gram.values_mut(), pass);
        }
        let (active, features) = self.apart(weights);
        if active.is_empty() {
            gram.values_mut().fill(0.0);
        } else {
            self.write_gram(&active, gram, pass, |tile, r, out| {
                sum_segments(tile, r, &active, weights, out);
            });
        }
        self.add_features(&features, gram, pass);
    }

    /// Adds kernels that are kept as columns.
    fn add_features(&self, features: &[(usize, f64)], gram: &mut Gram, pass: &Pass<'_>) {
        if let Some(columns) = self.tiles.engine.columns.as_ref().filter(|_| !features.is_empty()) {
            columns.add_combined(features, gram.values_mut(), pass);
        }
    }

    /// The kernels with a weight, and those of them that are kept as columns with their places there.
    pub(super) fn apart(&self, weights: &[f64]) -> (Vec<usize>, Vec<(usize, f64)>) {
        let mut active = nonzero(weights);
        let Some(columns) = &self.tiles.engine.columns else { return (active, Vec::new()) };
        let term = |m: &usize| Some((columns.place(*m)?, weights[*m]));
        let features = active.iter().filter_map(term).collect();
        active.retain(|m| columns.place(*m).is_none());
        (active, features)
    }

    /// Elementwise product of the kernels with these indices (an index may come twice; no index
    /// gives the matrix of ones).
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn product(&self, kernels: &[usize]) -> Result<Gram> {
        self.product_in(kernels, &Pass::default())
    }

    /// [`product`](Self::product) in a pass that may be given up.
    pub(crate) fn product_in(&self, kernels: &[usize], pass: &Pass<'_>) -> Result<Gram> {
        let mut gram = self.new_gram()?;
        let mut active = kernels.to_vec();
        active.sort_unstable();
        active.dedup();
        if active.is_empty() {
            gram.values_mut().fill(1.0);
            return Ok(gram);
        }
        let places: Vec<usize> =
            kernels.iter().filter_map(|m| active.iter().position(|a| a == m)).collect();
        self.write_gram(&active, &mut gram, pass, |tile, r, out| {
            out.copy_from_slice(tile.segment(r, places[0]));
            for a in &places[1..] {
                out.iter_mut().zip(tile.segment(r, *a)).for_each(|(o, v)| *o *= v);
            }
        });
        Ok(gram)
    }

    pub(crate) fn new_gram(&self) -> Result<Gram> {
        let values = vec![0.0; self.room_for_gram()?];
        huge_pages(&values);
        Ok(Gram::trusted(self.n, values))
    }

    /// n², where there is memory for as many numbers.
    fn room_for_gram(&self) -> Result<usize> {
        let n = self.n;
        room_for::<f64>(n.checked_mul(n), || format!("a matrix of {n} × {n} similarities"))?;
        Ok(n * n)
    }

    /// Writes a symmetric matrix whose rows within a tile are given by `row(tile, r, out)`.
    pub(super) fn write_gram(
        &self,
        active: &[usize],
        gram: &mut Gram,
        pass: &Pass<'_>,
        row: impl Fn(&Tile<'_>, usize, &mut [f64]) + Sync,
    ) {
        // SAFETY: a stored matrix of this bank has n × n numbers.
        unsafe { self.write_matrix(active, gram.values_mut().as_mut_ptr(), pass, row) }
    }

    /// [`write_gram`](Self::write_gram) to where nothing has to be yet: all n × n numbers are written, but where the pass is
    /// given up, and none is read.
    ///
    /// # Safety
    /// There is room for n × n numbers from `start` on, which nobody else uses meanwhile.
    unsafe fn write_matrix(
        &self,
        active: &[usize],
        start: *mut f64,
        pass: &Pass<'_>,
        row: impl Fn(&Tile<'_>, usize, &mut [f64]) + Sync,
    ) {
        let n = self.n;
        let shared = Shared { start, large: n * n > LARGE };
        let shared = &shared;
        self.tiles.par_each(pass, active, |buffer, tile| {
            let (rows, cols) = (tile.rows, tile.cols);
            buffer.resize(2 * rows * cols, 0.0);
            let (block, turned) = buffer.split_at_mut(rows * cols);
            for (r, out) in block.chunks_mut(cols).enumerate() {
                row(tile, r, out);
                // SAFETY: this block belongs to this tile alone, and lies within n × n.
                unsafe { shared.write((tile.row0 + r) * n + tile.col0, out) };
            }
            if tile.diagonal {
                return simd::stream_end();
            }
            cokernel_dense::transpose(block, cols, turned);
            for (c, line) in turned[..rows * cols].chunks(rows).enumerate() {
                // SAFETY: the transposed block belongs to this tile alone: tiles off the
                // diagonal come up for one of their two places only.
                unsafe { shared.write((tile.col0 + c) * n + tile.row0, line) };
            }
            simd::stream_end();
        });
    }

    /// cᵀ K_m c for every m and each of several coefficient vectors (length n, zeros skipped):
    /// `result[t][m]`, in one pass over the kernels.
    pub fn quad_forms(&self, coefs: &[&[f64]]) -> Vec<Vec<f64>> {
        self.quad_forms_in(coefs, &Pass::default())
    }

    /// [`quad_forms`](Self::quad_forms) in a pass that may be given up.
    pub(crate) fn quad_forms_in(&self, coefs: &[&[f64]], pass: &Pass<'_>) -> Vec<Vec<f64>> {
        let all: Vec<usize> = (0..self.len()).collect();
        self.quad_forms_of(&all, coefs, pass)
    }

    /// [`quad_forms_in`](Self::quad_forms_in) of the kernels with these indices, in their order.
    pub(crate) fn quad_forms_of(
        &self,
        active: &[usize],
        coefs: &[&[f64]],
        pass: &Pass<'_>,
    ) -> Vec<Vec<f64>> {
        let Some(columns) = &self.tiles.engine.columns else {
            return self.tiled_forms(active, coefs, pass);
        };
        let tiled: Vec<usize> =
            active.iter().copied().filter(|m| columns.place(*m).is_none()).collect();
        let features: Vec<usize> = active.iter().filter_map(|m| columns.place(*m)).collect();
        let others = match tiled.is_empty() {
            true => vec![Vec::new(); coefs.len()],
            false => self.tiled_forms(&tiled, coefs, pass),
        };
        coefs
            .iter()
            .zip(others)
            .map(|(coef, others)| {
                let own = columns.scores_of(&features, coef, pass);
                let (mut own, mut others) = (own.into_iter(), others.into_iter());
                let one = |m: &usize| match columns.place(*m) {
                    Some(_) => own.next().map_or(0.0, |s| s * s),
                    None => others.next().unwrap_or_default(),
                };
                active.iter().map(one).collect()
            })
            .collect()
    }

    /// tr(K_m)/n of every m.
    pub fn mean_diagonals(&self) -> Vec<f64> {
        let n = self.n as f64;
        let mean = |d: &Vec<f64>| d.iter().sum::<f64>() / n;
        let mut means: Vec<f64> = self.diagonals.iter().map(mean).collect();
        if let Some(columns) = &self.tiles.engine.columns {
            let squares = columns.squares(&vec![1.0; self.n], &Pass::default());
            columns.members().iter().zip(squares).for_each(|(m, s)| means[*m] = s / n);
        }
        means
    }

    /// Σ_i (c_i)² |(K_m)_ii| for every m, summed over several coefficient vectors.
    pub(crate) fn diagonal_forms(&self, coefs: &[&[f64]], pass: &Pass<'_>) -> Vec<f64> {
        let mut sums = vec![0.0; self.len()];
        for coef in coefs {
            if let Some(columns) = &self.tiles.engine.columns {
                let found = columns.squares(coef, pass);
                columns.members().iter().zip(found).for_each(|(m, s)| sums[*m] += s);
            }
            for (sum, diagonal) in sums.iter_mut().zip(&self.diagonals) {
                let terms = coef.iter().zip(diagonal);
                *sum += terms.map(|(c, k)| (c * k.abs().sqrt()).powi(2)).sum::<f64>();
            }
        }
        sums
    }

    /// [`quad_forms_of`](Self::quad_forms_of) from tiles.
    fn tiled_forms(&self, active: &[usize], coefs: &[&[f64]], pass: &Pass<'_>) -> Vec<Vec<f64>> {
        let kernels = active.len();
        let touched = |coef: &[f64], span: (usize, usize)| {
            coef[span.0..span.0 + span.1].iter().any(|c| *c != 0.0)
        };
        let sums = self.tiles.fold(
            pass,
            active,
            |rows, cols| coefs.iter().any(|c| touched(c, rows) && touched(c, cols)),
            || (vec![0.0; coefs.len() * kernels], vec![0.0; kernels]),
            |(sums, part), tile| {
                for r in 0..tile.rows {
                    for (coef, sums) in coefs.iter().zip(sums.chunks_mut(kernels)) {
                        let own = coef[tile.row0 + r];
                        if own == 0.0 {
                            continue;
                        }
                        let others = &coef[tile.col0..tile.col0 + tile.cols];
                        let factor = own * tile.weight();
                        if kernels < self.len() {
                            for (a, sum) in sums.iter_mut().enumerate() {
                                *sum += factor * simd::dot(tile.segment(r, a), others);
                            }
                            continue;
                        }
                        let (row, stride) = tile.rows(r);
                        part.fill(0.0);
                        simd::dots(row, stride, others, factor, part);
                        sums.iter_mut().zip(part.iter()).for_each(|(s, p)| *s += p);
                    }
                }
            },
            |total, part| total.0.iter_mut().zip(part.0).for_each(|(t, p)| *t += p),
        );
        sums.0.chunks(kernels).map(<[f64]>::to_vec).collect()
    }

    /// K_m 1, and the least entry of K_m with its place (i, j), i ≤ j, in one pass.
    pub fn row_sums(&self, m: usize) -> (Vec<f64>, (f64, usize, usize)) {
        self.row_sums_in(m, &Pass::default())
    }

    /// [`row_sums`](Self::row_sums) in a pass that may be given up.
    pub(crate) fn row_sums_in(&self, m: usize, pass: &Pass<'_>) -> (Vec<f64>, (f64, usize, usize)) {
        let nothing = (f64::INFINITY, 0, 0);
        if let Some(factors) = self.factors() {
            // Entries are approximations, some of them a little below 0, and not looked at.
            return (factors.row_sums(m, pass), nothing);
        }
        self.tiles.fold(
            pass,
            &[m],
            |_, _| true,
            || (vec![0.0; self.n], nothing),
            |(sums, least), tile| {
                let (all, stride) = tile.only();
                for r in 0..tile.rows {
                    let (i, values) = (tile.row0 + r, &all[r * stride..r * stride + tile.cols]);
                    let (above, below) = sums.split_at_mut(tile.col0);
                    let others = if tile.diagonal { &mut [][..] } else { &mut below[..tile.cols] };
                    let (sum, low) = simd::row_sum(values, simd::ROWS_AHEAD * stride, others);
                    let own = if tile.diagonal { &mut below[i - tile.col0] } else { &mut above[i] };
                    *own += sum;
                    if low < least.0 {
                        let at = tile.col0 + values.iter().position(|v| *v == low).unwrap_or(0);
                        *least = (low, i.min(at), i.max(at));
                    }
                }
            },
            |total, part| {
                total.0.iter_mut().zip(part.0).for_each(|(t, p)| *t += p);
                if part.1.0 < total.1.0 {
                    total.1 = part.1;
                }
            },
        )
    }

    /// K_m V for a thin block V, n × k.
    pub fn apply(&self, m: usize, block: &Matrix) -> Matrix {
        self.apply_in(m, block, &Pass::default())
    }

    /// [`apply`](Self::apply) in a pass that may be given up.
    pub(crate) fn apply_in(&self, m: usize, block: &Matrix, pass: &Pass<'_>) -> Matrix {
        let mut weights = vec![0.0; self.len()];
        weights[m] = 1.0;
        self.apply_combined_in(&weights, block, pass)
    }

    /// (Σ_m w_m K_m) V for a thin block V, n × k.
    pub fn apply_combined(&self, weights: &[f64], block: &Matrix) -> Matrix {
        self.apply_combined_in(weights, block, &Pass::default())
    }

    /// [`apply_combined`](Self::apply_combined) in a pass that may be given up.
    pub(crate) fn apply_combined_in(
        &self,
        weights: &[f64],
        block: &Matrix,
        pass: &Pass<'_>,
    ) -> Matrix {
        let ((all, features), k) = (self.apart(weights), block.cols());
        if k == 0 {
            return Matrix::zeros(self.n, k);
        }
        if let Some(factors) = self.factors() {
            let mut out = Matrix::zeros(self.n, k);
            factors.add_applied(&terms(weights), block, &mut out, pass);
            return out;
        }
        let (graphs, active): (Vec<usize>, Vec<usize>) =
            all.into_iter().partition(|m| self.is_sparse(*m));
        let mut out = if active.is_empty() {
            Matrix::zeros(self.n, k)
        } else {
            self.apply_tiles(&active, weights, block, pass)
        };
        for m in graphs {
            self.apply_graph(m, weights[m], block, &mut out);
        }
        if let Some(columns) = self.tiles.engine.columns.as_ref().filter(|_| !features.is_empty()) {
            columns.add_applied(&features, block, &mut out);
        }
        out
    }

    /// out += w K_m V, K_m a graph.
    fn apply_graph(&self, m: usize, w: f64, block: &Matrix, out: &mut Matrix) {
        let (engine, k) = (&self.tiles.engine, block.cols());
        let Some(graph) = engine.graph(m) else { return };
        let rows = 64;
        out.values_mut().par_chunks_mut(rows * k).enumerate().for_each(|(chunk, out)| {
            let mut values = Vec::new();
            for (r, out) in out.chunks_mut(k).enumerate() {
                let columns = engine.graph_row(graph, m, chunk * rows + r, &mut values);
                for (j, v) in columns.iter().zip(&values) {
                    let other = block.row(*j as usize);
                    out.iter_mut().zip(other).for_each(|(o, x)| *o += w * v * x);
                }
            }
        });
    }

    /// (Σ_m w_m K_m) V for the kernels in `active`, from tiles.
    fn apply_tiles(
        &self,
        active: &[usize],
        weights: &[f64],
        block: &Matrix,
        pass: &Pass<'_>,
    ) -> Matrix {
        let k = block.cols();
        let panels = Panels::of(block);
        let (sums, _) = self.tiles.fold_in(
            pass,
            self.chunks(),
            active,
            |_, _| true,
            |first| (Panels::zeros_from(first, self.n, k), Vec::new()),
            |(sums, buffer), tile| {
                let (rows, cols) = ((tile.row0, tile.rows), (tile.col0, tile.cols));
                if let [_] = active[..] {
                    let (values, stride) = tile.only();
                    return sums.add_tile(&panels, values, stride, rows, cols, tile.diagonal);
                }
                buffer.resize(tile.rows * tile.cols, 0.0);
                for (r, out) in buffer.chunks_mut(tile.cols).enumerate().take(tile.rows) {
                    sum_segments(tile, r, active, weights, out);
                }
                sums.add_tile(&panels, buffer, tile.cols, rows, cols, tile.diagonal);
            },
            |total, other| total.0.add(&other.0),
        );
        let factor = if let [m] = active[..] { weights[m] } else { 1.0 };
        sums.into_block(k, factor)
    }

    /// Partial sums of a product with a thin block: few where tiles are only read, because each
    /// costs n × k numbers; many where they are computed.
    fn chunks(&self) -> usize {
        match self.tiles.values {
            Values::Computed => 32,
            _ => (self.tiles.layout.tiles() / 16).clamp(1, 32),
        }
    }

    /// M × M matrix of ⟨K_m, K_h⟩_F, of the kernels centred in feature space if `centered`.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn inner_products(&self, centered: bool) -> Result<Matrix> {
        room_for_pairs(self.len(), usize::MAX)?;
        if let Some(columns) = self.tiles.engine.columns.as_ref().filter(|c| c.is_all()) {
            return Ok(columns.inner_products(centered, &Pass::default()));
        }
        Ok(self.tiled_products(centered))
    }

    fn tiled_products(&self, centered: bool) -> Matrix {
        let (all, kernels): (Vec<usize>, usize) = ((0..self.len()).collect(), self.len());
        let means =
            if centered { row_means(&self.tiles, &all, &Pass::default()) } else { Vec::new() };
        let grand: Vec<f64> = means.iter().map(|r| r.iter().sum::<f64>() / self.n as f64).collect();
        let (sums, _) = self.tiles.fold(
            &Pass::default(),
            &all,
            |_, _| true,
            || (vec![0.0; kernels * kernels], Vec::new()),
            |(sums, buffer), tile| {
                let cols = tile.cols;
                buffer.resize(kernels * cols, 0.0);
                for r in 0..tile.rows {
                    for (m, out) in buffer.chunks_mut(cols).enumerate().take(kernels) {
                        out.copy_from_slice(tile.segment(r, m));
                        if centered {
                            let own = grand[m] - means[m][tile.row0 + r];
                            let others = &means[m][tile.col0..tile.col0 + cols];
                            out.iter_mut().zip(others).for_each(|(o, v)| *o += own - v);
                        }
                    }
                    let values = &buffer[..kernels * cols];
                    add_scaled_gram(tile.weight(), Slice::new(values, kernels, cols), sums);
                }
            },
            |total, part| total.0.iter_mut().zip(part.0).for_each(|(t, p)| *t += p),
        );
        Matrix::from_fn(kernels, kernels, |m, h| {
            0.5 * (sums[m * kernels + h] + sums[h * kernels + m])
        })
    }

    /// ⟨K_m, T⟩ for every m and a symmetric T (n × n, all entries given), in one pass; half done where it is given up.
    pub(crate) fn matrix_products(&self, t: &[f64], pass: &Pass<'_>) -> Vec<f64> {
        let n = self.n;
        let columns = self.tiles.engine.columns.as_ref();
        let tiled = |m: &usize| columns.is_none_or(|c| c.place(*m).is_none());
        let (tiled, features): (Vec<usize>, Vec<usize>) = (0..self.len()).partition(tiled);
        let mut products = vec![0.0; self.len()];
        if !tiled.is_empty() {
            let sums = self.tiles.fold(
                pass,
                &tiled,
                |_, _| true,
                || vec![0.0; tiled.len()],
                |sums, tile| {
                    for r in 0..tile.rows {
                        let own = &t[(tile.row0 + r) * n + tile.col0..][..tile.cols];
                        for (a, sum) in sums.iter_mut().enumerate() {
                            *sum += tile.weight() * simd::dot(tile.segment(r, a), own);
                        }
                    }
                },
                |total, part| total.iter_mut().zip(part).for_each(|(t, p)| *t += p),
            );
            tiled.iter().zip(sums).for_each(|(m, s)| products[*m] = s);
        }
        let mut row = vec![0.0; n];
        for m in features {
            for i in 0..n {
                self.row(m, i, &mut row);
                products[m] += simd::dot(&row, &t[i * n..(i + 1) * n]);
            }
        }
        products
    }

    /// ⟨K_m, T⟩ for the target T_ij = t_i t_j given by `t`, centred if asked.
    pub fn target_products(&self, t: &[f64], centered: bool) -> Vec<f64> {
        let mean = if centered { t.iter().sum::<f64>() / self.n as f64 } else { 0.0 };
        let t: Vec<f64> = t.iter().map(|v| v - mean).collect();
        self.quad_forms(&[&t]).swap_remove(0)
    }

    /// K-examples: for each pair (i, j) the M kernel values, into `out` (pairs × M, row-major).
    pub fn pairs(&self, pairs: &[(u32, u32)], out: &mut [f64]) {
        const CHUNK: usize = 4_096;
        if pairs.len() <= CHUNK || self.tiles.is_in_file() {
            return self.tiles.pairs(pairs, out);
        }
        out.par_chunks_mut(CHUNK * self.len())
            .zip(pairs.par_chunks(CHUNK))
            .for_each(|(out, pairs)| self.tiles.pairs(pairs, out));
    }
}

/// Refuses M × M numbers that there is no memory for, or that are more than the bytes of `memory`.
/// The kernels with a weight.
fn terms(weights: &[f64]) -> Vec<(usize, f64)> {
    weights.iter().copied().enumerate().filter(|(_, w)| *w != 0.0).collect()
}

pub(crate) fn room_for_pairs(kernels: usize, memory: usize) -> Result<()> {
    const ELSE: &str = "choose a method that does not compare kernels with each other, such as simple_mkl, \
                        lp_norm or align, or use fewer kernels";
    let count = kernels.checked_mul(kernels).and_then(|k| k.checked_mul(2));
    let bytes = count.map_or(usize::MAX, |c| c.saturating_mul(8));
    if bytes > memory {
        return Err(Error::Data(format!(
            "the products of {kernels} kernels with each other would take {:.2} GB, more than the {:.2} GB that the \
             run may use; {ELSE}",
            bytes as f64 / 1e9,
            memory as f64 / 1e9
        )));
    }
    room_for::<f64>(count, || format!("the products of {kernels} kernels with each other ({ELSE})"))
}

/// out = Σ_a weights[active[a]] · row r of the a-th kernel of the tile.
fn sum_segments(tile: &Tile<'_>, r: usize, active: &[usize], weights: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    let scattered = tile.is_scattered(active.len());
    if scattered {
        tile.fetch_all(r + 1, active.len());
    }
    let mut terms: [(f64, &[f64]); TERMS] = [(0.0, &[]); TERMS];
    for (c, part) in active.chunks(TERMS).enumerate() {
        for (k, m) in part.iter().enumerate() {
            terms[k] = (weights[*m], tile.segment(r, TERMS * c + k));
        }
        match scattered {
            true => simd::weighted_sum_near(&terms[..part.len()], out),
            false => simd::weighted_rows(&terms[..part.len()], out),
        }
    }
}
