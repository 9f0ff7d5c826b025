//! Some instances of a bank: their kernels in memory, whatever the storage of all.

use super::Bank;
use super::engine::Engine;
use super::layout::{Layout, Strides};
use super::tiles::{Tiles, huge_pages};
use crate::run::Pass;
use rayon::prelude::*;

impl Bank {
    /// Bytes that [`sample`](Self::sample) takes for this many instances.
    pub(crate) fn sample_bytes(&self, instances: usize) -> usize {
        let features = self.tiles.engine.columns.as_ref().map_or(0, |c| c.members().len());
        let tiled = Layout::new(instances).stored(self.len() - features);
        tiled.saturating_add(features.saturating_mul(instances)).saturating_mul(8)
    }

    /// The same kernels between the instances in `rows` (ascending), in f64 in memory. Entries are those
    /// of this bank: nothing is normalised again. Nothing of it is to be used if the pass is given up.
    ///
    /// Cost: r²/2 reads (or computations) for each kernel.
    pub(crate) fn sample(&self, rows: &[usize], pass: &Pass<'_>) -> Bank {
        let layout = Layout::new(rows.len());
        let all: Vec<usize> = (0..self.len()).filter(|m| !self.is_column(*m)).collect();
        let kernels = all.len();
        let (b, strides) = (layout.b, Strides::stored(layout.b, kernels));
        let mut values = vec![0.0; layout.stored(kernels)];
        huge_pages(&values);
        values.par_chunks_mut((b * b * kernels).max(1)).enumerate().for_each(|(tile, out)| {
            let (block_i, block_j) = layout.place(tile);
            let ((i0, height), (j0, cols)) = (layout.span(block_i), layout.span(block_j));
            let (mut line, diagonal) = (vec![0.0; cols * kernels], block_i == block_j);
            for r in 0..height {
                if pass.is_over() {
                    return;
                }
                // Of one tile of all instances after the other, which have the kernels of a row side by side; left
                // of the diagonal an entry would be read from a row of its own.
                let mut from = if diagonal { r } else { 0 };
                let side = self.tiles.layout.b;
                for columns in rows[j0 + from..j0 + cols].chunk_by(|i, j| i / side == j / side) {
                    let (to, line) = (from + columns.len(), &mut line[..columns.len() * kernels]);
                    self.tiles.entries(&all, rows[i0 + r], columns.iter().copied(), line);
                    for (a, segment) in line.chunks(columns.len()).enumerate() {
                        out[strides.at(r, a)..][from..to].copy_from_slice(segment);
                    }
                    from = to;
                }
            }
            if diagonal {
                for (a, r) in (0..kernels).flat_map(|a| (1..height).map(move |r| (a, r))) {
                    (0..r).for_each(|c| out[strides.at(r, a) + c] = out[strides.at(c, a) + r]);
                }
            }
        });
        let select = |d: &Vec<f64>| match d.is_empty() {
            true => Vec::new(),
            false => rows.iter().map(|i| d[*i]).collect(),
        };
        Bank {
            n: rows.len(),
            kernels: self.kernels.clone(),
            norms: vec![Vec::new(); self.len()],
            notes: Vec::new(),
            warnings: Vec::new(),
            sigmoids: Vec::new(),
            diagonals: self.diagonals.iter().map(select).collect(),
            tiles: Tiles::stored(Engine::stored(&self.tiles.engine, rows), values),
            fill: self.fill.as_ref().map(|fill| Box::new(fill.rows(rows))),
            stands_for: None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::bank::Storage;
    use crate::data::{Matrix, Views};
    use crate::kernel::KernelSpec;

    #[test]
    fn a_sample_has_the_entries_of_its_bank() {
        let n = 300;
        let x = Matrix::from_fn(n, 3, |i, j| ((i * 7 + j * 3) as f64 * 0.37).sin());
        let views = Views::new().dense("v", x).unwrap();
        let specs: Vec<KernelSpec> = ["linear:normalize=center", "gaussian:sigma=1,2,4,8,16,32"]
            .iter()
            .flat_map(|text| KernelSpec::parse_list(text).unwrap())
            .collect();
        let rows: Vec<usize> = (0..n).filter(|i| i % 3 == 1 || i % 7 == 0).collect();
        for storage in [Storage::Resident, Storage::ResidentF32, Storage::OnDemand] {
            let bank = Bank::build(&views, &specs, storage.clone(), &Run::default()).unwrap();
            let sample = bank.sample(&rows, &Pass::default());
            assert_eq!((sample.n(), sample.len()), (rows.len(), bank.len()));
            for m in 0..bank.len() {
                for (a, i) in rows.iter().enumerate() {
                    assert_eq!(sample.diagonal(m)[a], bank.diagonal(m)[*i]);
                    for (b, j) in rows.iter().enumerate() {
                        let off = sample.entry(m, a, b) - bank.entry(m, *i, *j);
                        assert!(off.abs() < 1e-13, "{storage:?}: {off}");
                    }
                }
            }
            let weights: Vec<f64> = (0..bank.len()).map(|m| m as f64).collect();
            let (some, all) = (sample.combine(&weights).unwrap(), bank.combine(&weights).unwrap());
            for (a, i) in rows.iter().enumerate() {
                for (b, j) in rows.iter().enumerate() {
                    assert!((some.row(a)[b] - all.row(*i)[*j]).abs() < 1e-12);
                }
            }
        }
    }
}
