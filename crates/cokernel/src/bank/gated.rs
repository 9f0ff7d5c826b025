//! What gates need of a bank: how much of the quadratic form each instance has through each gate, and the kernels of
//! fixed regions.

use super::engine::Engine;
use super::layout::Strides;
use super::tiles::{Scratch, Tiles};
use super::{Bank, huge_pages};
use crate::data::Matrix;
use crate::error::room_for;
use crate::kernel::{Function, Kernel};
use crate::run::Pass;
use crate::{Error, Result};
use cokernel_dense::simd;
use rayon::prelude::*;

impl Bank {
    /// The kernels c_j c_jᵀ ∘ K_m as a bank, for memberships c (n × regions) that are not negative: those of all
    /// kernels in the first region, then in the second. Stored in memory, tile by tile, whatever the storage of this
    /// bank: 4·regions·M·n² bytes, up to 2.5 times as much for fewer than some 1,000 instances, whose tiles are not full.
    ///
    /// # Errors
    /// That is more than `memory` bytes or than the system has; the pass was given up.
    pub(crate) fn of_regions(
        &self,
        inside: &Matrix,
        memory: usize,
        pass: &Pass<'_>,
    ) -> Result<Self> {
        let (n, regions, own) = (self.n, inside.cols(), self.len());
        let (layout, kernels) = (self.tiles.layout, own * regions);
        let numbers = layout.stored(1).checked_mul(own).and_then(|v| v.checked_mul(regions));
        let what = format!("{own} kernels of {n} instances in {regions} regions");
        room_for::<f64>(numbers, || format!("{what}; use fewer (regions)"))?;
        let numbers = numbers.unwrap_or(usize::MAX / 8);
        if 8 * numbers > memory {
            return Err(Error::Data(format!(
                "{what} need {:.1} MB, more than the memory of the run ({:.1} MB); use fewer regions or kernels, or raise \
                 the limit (memory)",
                8e-6 * numbers as f64,
                1e-6 * memory as f64
            )));
        }
        // Membership by region, to multiply by in runs.
        let lines = inside.transposed();
        let all: Vec<usize> = (0..own).collect();
        let (plan, strides) = (self.tiles.plan(&all), Strides::stored(layout.b, kernels));
        let mut values = vec![0.0; numbers];
        huge_pages(&values);
        let tiles = values.par_chunks_mut((layout.b * layout.b * kernels).max(1)).enumerate();
        tiles.for_each_init(Scratch::default, |scratch, (tile, out)| {
            if pass.is_over() {
                return;
            }
            let first = layout.span(layout.place(tile).0).0;
            self.tiles.visit(tile, &all, &plan, scratch, &mut |t| {
                for (j, m) in (0..regions).flat_map(|j| all.iter().map(move |m| (j, *m))) {
                    let (line, others) = (lines.row(j), &lines.row(j)[t.col0..][..t.cols]);
                    for r in 0..t.rows {
                        let (row, c) = (t.row0 - first + r, line[t.row0 + r]);
                        let out = &mut out[strides.at(row, j * own + m)..][..t.cols];
                        // In this order both halves of a diagonal tile have the same bits.
                        let pairs = t.segment(r, m).iter().zip(others);
                        out.iter_mut().zip(pairs).for_each(|(o, (v, d))| *o = v * (c * d));
                    }
                }
            });
        });
        pass.complete("the computation of the kernels of the regions")?;
        let one = |j: usize, m: usize| Kernel {
            name: format!("{} region {}", self.kernels[m].name, j + 1),
            view: self.kernels[m].view.clone(),
            column: None,
            function: Function::Precomputed,
            normalize: Vec::new(),
        };
        let diagonal = |j: usize, m: usize| {
            let line = lines.row(j).iter().enumerate();
            line.map(|(i, c)| self.own(m, i) * (c * c)).collect::<Vec<f64>>()
        };
        let pairs = || (0..regions).flat_map(|j| all.iter().map(move |m| (j, *m)));
        let functions = vec![Function::Precomputed; kernels];
        let engine = Engine { n, ..Engine::of_columns(functions, None) };
        Ok(Bank {
            n,
            norms: vec![Vec::new(); kernels],
            notes: Vec::new(),
            warnings: Vec::new(),
            sigmoids: Vec::new(),
            diagonals: pairs().map(|(j, m)| diagonal(j, m)).collect(),
            tiles: Tiles::stored(engine, values),
            kernels: pairs().map(|(j, m)| one(j, m)).collect(),
            fill: None,
            stands_for: None,
        })
    }

    /// r_ig = Σ_u c_ui η_ig [K_m (c_u ∘ η_g)]_i for gates η (n × gates, those of a kernel m one after the other) and
    /// several coefficient vectors: their sum is Σ_u c_uᵀ K_η c_u of the gated kernel. One pass over the kernels, in
    /// which rows without a coefficient are left out.
    pub(crate) fn gated_energies(
        &self,
        coefs: &[&[f64]],
        gates: &Matrix,
        pass: &Pass<'_>,
    ) -> Matrix {
        let (n, wide) = (self.n, gates.cols());
        let copies = wide / self.len().max(1);
        // One row of n numbers c_u ∘ η_g for each head and gate, and of sums for each of them.
        let lines = coefs.len() * wide;
        let mut scaled = vec![0.0; lines * n];
        for (line, scaled) in scaled.chunks_mut(n).enumerate() {
            let (coef, g) = (coefs[line / wide], line % wide);
            scaled.iter_mut().enumerate().for_each(|(i, s)| *s = coef[i] * gates.get(i, g));
        }
        let open = |line: usize, (first, count): (usize, usize)| {
            scaled[line * n + first..][..count].iter().any(|s| *s != 0.0)
        };
        let touched = |span: (usize, usize)| {
            coefs.iter().any(|c| c[span.0..span.0 + span.1].iter().any(|c| *c != 0.0))
        };
        let all: Vec<usize> = (0..self.len()).collect();
        // r: line, then instance.
        let sums = self.tiles.fold(
            pass,
            &all,
            |rows, cols| touched(rows) && touched(cols),
            || (vec![0.0; lines * n], Vec::new()),
            |(sums, sides), tile| {
                let (cols, rows) = ((tile.col0, tile.cols), (tile.row0, tile.rows));
                for line in (0..lines).filter(|l| open(*l, rows) && open(*l, cols)) {
                    let m = line % wide / copies;
                    let (scaled, sums) = (&scaled[line * n..][..n], &mut sums[line * n..][..n]);
                    let others = &scaled[tile.col0..tile.col0 + tile.cols];
                    let sides: &mut Vec<f64> = sides;
                    sides.clear();
                    sides.resize(tile.cols, 0.0);
                    for r in 0..tile.rows {
                        let own = scaled[tile.row0 + r];
                        if own == 0.0 {
                            continue;
                        }
                        let values = tile.segment(r, m);
                        sums[tile.row0 + r] += own * simd::dot(values, others);
                        if !tile.diagonal {
                            simd::subtract(sides, -own, values);
                        }
                    }
                    if !tile.diagonal {
                        let sums = &mut sums[tile.col0..tile.col0 + tile.cols];
                        let parts = sides.iter().zip(others);
                        sums.iter_mut().zip(parts).for_each(|(s, (p, o))| *s += p * o);
                    }
                }
            },
            |total, part| total.0.iter_mut().zip(part.0).for_each(|(t, p)| *t += p),
        );
        let mut energies = Matrix::zeros(n, wide);
        for (line, sums) in sums.0.chunks(n).enumerate() {
            let g = line % wide;
            for (i, s) in sums.iter().enumerate().filter(|(_, s)| **s != 0.0) {
                energies.set(i, g, energies.get(i, g) + s);
            }
        }
        energies
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bank::Storage;
    use crate::data::Views;
    use crate::kernel::KernelSpec;
    use crate::run::{Run, late_watch};

    /// Of all storages, graphs and single features among the kernels: entries, diagonals and names.
    #[test]
    fn kernels_of_regions_are_products() {
        let (n, value) = (150, |i: usize, j: usize| ((i * 7 + j * 3) as f64).sin());
        let (x, z) = (Matrix::from_fn(n, 3, value), Matrix::from_fn(n, 2, |i, j| value(i, j + 9)));
        let views = Views::new().dense("x", x).unwrap().dense("z", z).unwrap();
        let specs = [
            "gaussian@x:gamma=0.3",
            "linear@x:normalize=center",
            "polynomial@z:degree=2",
            "linear@z:per_feature",
        ];
        let specs: Vec<KernelSpec> = specs.iter().map(|s| s.parse().unwrap()).collect();
        let inside = Matrix::from_fn(n, 3, |i, j| if i % 3 == j { 0.7 } else { value(i, j).abs() });
        for (storage, near) in
            [(Storage::Resident, 0.0), (Storage::OnDemand, 1e-12), (Storage::ResidentF32, 0.0)]
        {
            let bank = Bank::build(&views, &specs, storage.clone(), &Run::default()).unwrap();
            let own = bank.len();
            let found = bank.of_regions(&inside, usize::MAX, &Pass::default()).unwrap();
            assert_eq!((found.len(), found.storage()), (3 * own, Storage::Resident));
            for (j, m) in (0..3).flat_map(|j| (0..own).map(move |m| (j, m))) {
                let k = j * own + m;
                assert_eq!(
                    found.kernels()[k].name,
                    format!("{} region {}", bank.kernels()[m].name, j + 1)
                );
                for (i, other) in [(0, 0), (3, 140), (140, 3), (149, 149), (17, 18), (60, 140)] {
                    let wanted =
                        bank.entry(m, i, other) * (inside.get(i, j) * inside.get(other, j));
                    let entry = found.entry(k, i, other);
                    assert!(
                        (entry - wanted).abs() <= near,
                        "{storage:?} {j} {m}: {entry} {wanted}"
                    );
                    assert!(i != other || (found.own(k, i) - wanted).abs() <= near.max(1e-7));
                }
            }
        }
    }

    #[test]
    fn a_late_pass_is_an_error() {
        let views = Views::new().dense("x", Matrix::from_fn(20, 2, |i, j| (i + j) as f64)).unwrap();
        let specs = ["linear@x".parse().unwrap()];
        let bank = Bank::build(&views, &specs, Storage::Resident, &Run::default()).unwrap();
        let (inside, watch) = (Matrix::from_fn(20, 1, |_, _| 1.0), late_watch());
        let said = bank.of_regions(&inside, usize::MAX, &Pass::under(&watch)).unwrap_err();
        assert!(said.to_string().contains("the kernels of the regions"), "{said}");
    }
}
