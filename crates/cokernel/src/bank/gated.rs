//! What gates need of a bank: how much of the quadratic form each instance has through each gate.

use super::Bank;
use crate::data::Matrix;
use crate::run::Pass;
use cokernel_dense::simd;

impl Bank {
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
