//! Single rows and pairs of a bank whose tiles are in a file.

use super::Mapped;
use crate::bank::tiles::{Tiles, Values, huge_pages};
use crate::error::room_for;
use crate::run::Pass;
use rayon::prelude::*;

impl Tiles {
    /// Whether the tiles are in a file.
    pub(in crate::bank) fn is_in_file(&self) -> bool {
        matches!(self.values, Values::File(_))
    }

    /// Entries (i, j), j in `columns`, of those kernels in `active` that are in the file: kernel active[a] goes to
    /// `out[a·len..]`.
    pub(in crate::bank) fn file_entries(
        &self,
        file: &Mapped,
        active: &[usize],
        i: usize,
        columns: impl ExactSizeIterator<Item = usize> + Clone,
        out: &mut [f64],
    ) {
        let (b, strides, len) = (self.layout.b, self.strides(), columns.len());
        let mut last = None;
        for (c, j) in columns.enumerate() {
            let (row, column) = self.layout.cell(i, j);
            let tile = row / b;
            let whole = match &mut last {
                Some((known, whole)) if *known == tile => whole,
                other => &mut other.insert((tile, file.kept(tile))).1,
            };
            for (a, m) in active.iter().enumerate() {
                if let Some(place) = self.places[*m] {
                    out[a * len + c] = whole.get(strides.at(row % b, place) + column);
                }
            }
        }
    }

    /// Σ_a w_a K_a in tiles, rounded to 4 bytes, if the kernels are in a file and there is memory for it; nothing if
    /// the pass is given up.
    pub(in crate::bank) fn file_sums(
        &self,
        active: &[usize],
        weights: &[f64],
        pass: &Pass<'_>,
    ) -> Option<Vec<f32>> {
        let Values::File(file) = &self.values else { return None };
        let (b, numbers) = (self.layout.b, self.layout.stored(1));
        let fits = numbers.saturating_mul(size_of::<f32>()) <= file.memory
            && room_for::<f32>(Some(numbers), String::new).is_ok();
        if !fits || active.is_empty() {
            return None;
        }
        let plan = self.plan(active);
        let mut sums = vec![0.0_f32; numbers];
        huge_pages(&sums);
        let mut tiles: Vec<(usize, &mut [f32])> = sums.chunks_mut(b * b).enumerate().collect();
        self.turn(&mut tiles);
        tiles.into_par_iter().for_each_init(
            || (self.scratch(), Vec::new()),
            |(scratch, wide), (tile, out)| {
                if pass.is_over() {
                    return;
                }
                let first = self.layout.span(self.layout.place(tile).0).0;
                self.visit(tile, active, &plan, scratch, &mut |t| {
                    for r in 0..t.rows {
                        // Term by term, as single entries are summed.
                        wide.clear();
                        wide.resize(t.cols, -0.0);
                        for (a, m) in active.iter().enumerate() {
                            let terms = wide.iter_mut().zip(t.segment(r, a));
                            terms.for_each(|(w, v)| *w += weights[*m] * v);
                        }
                        let out = &mut out[(t.row0 - first + r) * b..][..t.cols];
                        out.iter_mut().zip(&*wide).for_each(|(o, w)| *o = *w as f32);
                    }
                });
            },
        );
        (!pass.is_given_up()).then_some(sums)
    }

    /// Entries (i, j), j in `columns`, of [such sums](Self::file_sums).
    pub(in crate::bank) fn sum_entries(
        &self,
        sums: &[f32],
        i: usize,
        columns: impl Iterator<Item = usize>,
        out: &mut [f32],
    ) {
        let (layout, b) = (self.layout, self.layout.b);
        let own = i / b;
        // The first column of the block that the last one was in, where its entry lies, and how far the next one is.
        let (mut first, mut start, mut apart) = (usize::MAX / 2, 0, 0);
        for (out, j) in out.iter_mut().zip(columns) {
            if j.wrapping_sub(first) >= b {
                let block = j / b;
                first = block * b;
                (start, apart) = match block >= own {
                    true => (layout.index(own, block) * b * b + i % b * b, 1),
                    false => (layout.index(block, own) * b * b + i % b, b),
                };
            }
            *out = sums[start + (j - first) * apart];
        }
    }

    /// The values of each pair, all kernels of which are in the file: every tile is read once for all its pairs.
    pub(in crate::bank) fn file_pairs(&self, file: &Mapped, pairs: &[(u32, u32)], out: &mut [f64]) {
        let (b, strides, kernels) = (self.layout.b, self.strides(), self.kernels);
        let cell = |p: usize| self.layout.cell(pairs[p].0 as usize, pairs[p].1 as usize);
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.par_sort_by_cached_key(|p| cell(*p).0 / b);
        let groups: Vec<&[usize]> =
            order.chunk_by(|p, q| cell(*p).0 / b == cell(*q).0 / b).collect();
        let values: Vec<Vec<f64>> = groups
            .par_iter()
            .map(|group| {
                let whole = file.kept(cell(group[0]).0 / b);
                let one = |p: &usize| {
                    let (row, column) = cell(*p);
                    let whole = &whole;
                    (0..kernels).map(move |m| whole.get(strides.at(row % b, m) + column))
                };
                group.iter().flat_map(one).collect()
            })
            .collect();
        for (p, values) in
            groups.iter().zip(&values).flat_map(|(g, v)| g.iter().zip(v.chunks(kernels)))
        {
            out[p * kernels..(p + 1) * kernels].copy_from_slice(values);
        }
    }
}
