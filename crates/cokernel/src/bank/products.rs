//! K_m c for all kernels in one pass.

use super::Bank;
use crate::run::Pass;
use cokernel_dense::simd;

/// Numbers that the partial sums of one pass may take together.
const LARGEST: usize = 1 << 24;

/// What one chunk of tiles adds up: the products, and the dot products of one row.
type Sums = (Vec<f64>, Vec<f64>);

impl Bank {
    /// K_m c for every kernel m and each of several coefficient vectors (length n): `visit(m, t,
    /// product)`, where only the entries i with `coefs[t][i]` ≠ 0 are meant.
    ///
    /// For each t the kernels come in ascending order. Rows with a zero coefficient are skipped,
    /// so support vectors cost (their number) · n per kernel. One pass over the kernels, or
    /// several where the products of all of them would take too much memory.
    pub fn products(&self, coefs: &[&[f64]], visit: impl FnMut(usize, usize, &[f64])) {
        self.products_in(coefs, &Pass::default(), visit);
    }

    /// [`products`](Self::products) in a pass that may be given up: what was not complete then is
    /// not visited.
    pub(crate) fn products_in(
        &self,
        coefs: &[&[f64]],
        pass: &Pass<'_>,
        mut visit: impl FnMut(usize, usize, &[f64]),
    ) {
        let n = self.n;
        let most = (LARGEST / (32 * n)).max(1);
        let kernels: Vec<usize> = (0..self.len()).collect();
        for active in kernels.chunks(most) {
            let vectors = (most / active.len()).max(1);
            for (g, group) in coefs.chunks(vectors).enumerate() {
                let sums = self.some_products(active, group, pass);
                if pass.is_given_up() {
                    return;
                }
                for (place, product) in sums.chunks(n).enumerate() {
                    let (t, a) = (place / active.len(), place % active.len());
                    visit(active[a], g * vectors + t, product);
                }
            }
        }
    }

    /// The products of some kernels with some vectors, one after the other.
    fn some_products(&self, active: &[usize], coefs: &[&[f64]], pass: &Pass<'_>) -> Vec<f64> {
        let (n, count) = (self.n, active.len());
        let touched =
            |c: &[f64], span: (usize, usize)| c[span.0..span.0 + span.1].iter().any(|c| *c != 0.0);
        let (sums, _) = self.tiles.fold(
            pass,
            active,
            |rows, cols| coefs.iter().any(|c| touched(c, rows) || touched(c, cols)),
            || -> Sums { (vec![0.0; coefs.len() * count * n], vec![0.0; count]) },
            |(sums, part), tile| {
                for (c, sums) in coefs.iter().zip(sums.chunks_mut(count * n)) {
                    let own: Vec<usize> =
                        (0..tile.rows).filter(|r| c[tile.row0 + r] != 0.0).collect();
                    let others = &c[tile.col0..tile.col0 + tile.cols];
                    for &r in &own {
                        part.fill(0.0);
                        for (a, p) in part.iter_mut().enumerate() {
                            *p = simd::dot(tile.segment(r, a), others);
                        }
                        for (a, p) in part.iter().enumerate() {
                            sums[a * n + tile.row0 + r] += p;
                        }
                    }
                    if tile.diagonal {
                        continue;
                    }
                    let mut terms: [(f64, &[f64]); 8] = [(0.0, &[]); 8];
                    for rows in own.chunks(8) {
                        for a in 0..count {
                            for (term, r) in terms.iter_mut().zip(rows) {
                                *term = (c[tile.row0 + r], tile.segment(*r, a));
                            }
                            let at = a * n + tile.col0;
                            let out = &mut sums[at..at + tile.cols];
                            simd::weighted_sum(&terms[..rows.len()], out);
                        }
                    }
                }
            },
            |total, part| total.0.iter_mut().zip(part.0).for_each(|(t, p)| *t += p),
        );
        sums
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::bank::{Bank, Storage};
    use crate::data::Matrix;

    #[test]
    fn all_products_are_those_of_apply() {
        let n = 150;
        let matrix =
            |s: usize| Matrix::from_fn(n, n, |i, j| ((i * j + s * (i + j)) as f64 * 0.37).sin());
        let matrices = (0..3).map(|s| (format!("k{s}"), matrix(s))).collect();
        let bank = Bank::from_matrices(matrices, Storage::Resident).unwrap();
        let sparse: Vec<f64> =
            (0..n).map(|i| if i % 3 == 0 { i as f64 * 0.1 - 5.0 } else { 0.0 }).collect();
        let dense: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let block = Matrix::from_fn(n, 2, |i, t| if t == 0 { sparse[i] } else { dense[i] });
        let mut seen = Vec::new();
        bank.products(&[&sparse, &dense], |m, t, product| {
            seen.push((t, m));
            let want = bank.apply(m, &block);
            for i in (0..n).filter(|i| block.get(*i, t) != 0.0) {
                assert!((product[i] - want.get(i, t)).abs() < 1e-10);
            }
        });
        assert_eq!(seen, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
    }
}
