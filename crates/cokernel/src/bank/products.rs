//! K_m c for all kernels in one pass, Σ_m K_m v_m in one; `moments` has their inner products.

mod moments;

use super::Bank;
use crate::data::Matrix;
use crate::run::Pass;
use cokernel_dense::simd::{self, ROWS_AT_ONCE};

/// Tiles that one set of partial sums is for at least, and sets at most.
const TILES: usize = 4;
const CHUNKS: usize = 32;

/// Numbers that the partial sums of one pass may take together.
const LARGEST: usize = 1 << 24;

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
        visit: impl FnMut(usize, usize, &[f64]),
    ) {
        let kernels: Vec<usize> = (0..self.len()).collect();
        self.products_of(&kernels, coefs, pass, visit);
    }

    /// [`products_in`](Self::products_in) of the kernels with these indices, ascending.
    pub(crate) fn products_of(
        &self,
        kernels: &[usize],
        coefs: &[&[f64]],
        pass: &Pass<'_>,
        mut visit: impl FnMut(usize, usize, &[f64]),
    ) {
        let n = self.n;
        let most = (LARGEST / (32 * n)).max(1);
        if let Some(columns) = &self.tiles.engine.columns
            && kernels.iter().all(|m| columns.place(*m).is_some())
        {
            let places: Vec<usize> = kernels.iter().filter_map(|m| columns.place(*m)).collect();
            let mut product = vec![0.0; n];
            for (t, coef) in coefs.iter().enumerate() {
                let scores = columns.scores_of(&places, coef, pass);
                if pass.is_given_up() {
                    return;
                }
                for ((m, place), score) in kernels.iter().zip(&places).zip(scores) {
                    let feature = columns.feature(*place);
                    product.iter_mut().zip(feature).for_each(|(p, z)| *p = score * z);
                    visit(*m, t, &product);
                }
            }
            return;
        }
        for active in kernels.chunks(most) {
            let vectors = (most / active.len()).max(1);
            for (g, group) in coefs.chunks(vectors).enumerate() {
                let sums = self.some_products(active, group, false, pass);
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

    /// The products of some kernels with some vectors, one after the other: `all` entries, or those i with `coefs[t][i]` ≠ 0.
    pub(super) fn some_products(
        &self,
        active: &[usize],
        coefs: &[&[f64]],
        all: bool,
        pass: &Pass<'_>,
    ) -> Vec<f64> {
        let (n, count) = (self.n, active.len());
        let touched =
            |c: &[f64], span: (usize, usize)| c[span.0..span.0 + span.1].iter().any(|c| *c != 0.0);
        self.tiles.fold_in(
            pass,
            (self.tiles.layout.tiles() / TILES).clamp(1, CHUNKS),
            active,
            |rows, cols| coefs.iter().any(|c| touched(c, rows) || touched(c, cols)),
            |_| vec![0.0; coefs.len() * count * n],
            |sums, tile| {
                for (c, sums) in coefs.iter().zip(sums.chunks_mut(count * n)) {
                    let own: Vec<usize> =
                        (0..tile.rows).filter(|r| all || c[tile.row0 + r] != 0.0).collect();
                    let others = &c[tile.col0..tile.col0 + tile.cols];
                    for (g, rows) in own.chunks(ROWS_AT_ONCE).enumerate() {
                        let after = own.chunks(ROWS_AT_ONCE).nth(g + 1).unwrap_or_default();
                        // The last row in the place of those that are missing, with factor 0.
                        let row = |k: usize| rows[k.min(rows.len() - 1)];
                        let factor =
                            |k: usize| if k < rows.len() { c[tile.row0 + rows[k]] } else { 0.0 };
                        for a in 0..count {
                            after.iter().for_each(|r| tile.fetch(*r, a));
                            let segments = std::array::from_fn(|k| tile.segment(row(k), a));
                            let factors = std::array::from_fn(factor);
                            let at = a * n + tile.col0;
                            let turned = &mut sums[at..at + tile.cols];
                            let dots = if tile.diagonal {
                                let from = tile.row0 - tile.col0;
                                from_the_diagonal(rows, from, &segments, &factors, others, turned)
                            } else {
                                simd::both_ways(&segments, &factors, others, turned)
                            };
                            for (r, dot) in rows.iter().zip(dots) {
                                sums[a * n + tile.row0 + r] += dot;
                            }
                        }
                    }
                }
            },
            |total, part| total.iter_mut().zip(part).for_each(|(t, p)| *t += p),
        )
    }

    /// Σ_a K_m v_a for the kernels m = `kernels[a]` and each of several sets of vectors v, row a of a matrix of n columns:
    /// one sum after the other, in one pass. Nothing of it is to be used if the pass is given up.
    pub(crate) fn sums_of_products(
        &self,
        kernels: &[usize],
        vectors: &[Matrix],
        pass: &Pass<'_>,
    ) -> Vec<f64> {
        let n = self.n;
        self.tiles.fold_in(
            pass,
            (self.tiles.layout.tiles() / TILES).clamp(1, CHUNKS),
            kernels,
            |_, _| true,
            |_| vec![0.0; vectors.len() * n],
            |sums, tile| {
                for first in (0..tile.rows).step_by(ROWS_AT_ONCE) {
                    let count = ROWS_AT_ONCE.min(tile.rows - first);
                    // The last row in the place of those that are missing, with factor 0.
                    let row = |k: usize| first + k.min(count - 1);
                    for a in 0..kernels.len() {
                        let after = first + ROWS_AT_ONCE..tile.rows.min(first + 2 * ROWS_AT_ONCE);
                        after.for_each(|r| tile.fetch(r, a));
                        let segments: [&[f64]; ROWS_AT_ONCE] =
                            std::array::from_fn(|k| tile.segment(row(k), a));
                        for (vectors, sums) in vectors.iter().zip(sums.chunks_mut(n)) {
                            let own = &vectors.row(a)[tile.row0..];
                            let others = &vectors.row(a)[tile.col0..tile.col0 + tile.cols];
                            let factor = |k: usize| if k < count { own[row(k)] } else { 0.0 };
                            let factors = std::array::from_fn(factor);
                            let turned = &mut sums[tile.col0..tile.col0 + tile.cols];
                            let dots = if tile.diagonal {
                                let rows: [usize; ROWS_AT_ONCE] = std::array::from_fn(row);
                                let (rows, from) = (&rows[..count], tile.row0 - tile.col0);
                                from_the_diagonal(rows, from, &segments, &factors, others, turned)
                            } else {
                                simd::both_ways(&segments, &factors, others, turned)
                            };
                            let own = &mut sums[tile.row0 + first..][..count];
                            own.iter_mut().zip(dots).for_each(|(s, dot)| *s += dot);
                        }
                    }
                }
            },
            |total, part| total.iter_mut().zip(part).for_each(|(t, p)| *t += p),
        )
    }
}

/// [`simd::both_ways`] of rows of a tile on the diagonal, ascending and as many of the segments: their entries from the
/// diagonal on stand for those before it. The diagonal of row r is in column `from` + r.
fn from_the_diagonal(
    rows: &[usize],
    from: usize,
    segments: &[&[f64]; ROWS_AT_ONCE],
    own: &[f64; ROWS_AT_ONCE],
    x: &[f64],
    y: &mut [f64],
) -> [f64; ROWS_AT_ONCE] {
    let end = rows.last().map_or(0, |r| from + r + 1);
    let behind = segments.map(|s| &s[end..]);
    let mut sums = simd::both_ways(&behind, own, &x[end..], &mut y[end..]);
    for (k, r) in rows.iter().enumerate() {
        let at = from + r;
        let row = &segments[k][at..end];
        sums[k] += simd::dot(row, &x[at..end]);
        y[at + 1..end].iter_mut().zip(&row[1..]).for_each(|(y, v)| *y += own[k] * v);
    }
    sums
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::bank::{Bank, Storage};
    use crate::data::Matrix;
    use crate::run::Pass;

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

    #[test]
    fn sums_of_products_are_those_of_apply() {
        let n = 301;
        let matrix =
            |s: usize| Matrix::from_fn(n, n, |i, j| ((i * j + s * (i + j)) as f64 * 0.37).sin());
        let matrices = |count: usize| (0..count).map(|s| (format!("k{s}"), matrix(s))).collect();
        for (count, kernels) in [(3, vec![0, 2]), (8, vec![1, 3, 4, 7]), (1, vec![0])] {
            let bank = Bank::from_matrices(matrices(count), Storage::Resident).unwrap();
            let vector = |t: usize| {
                Matrix::from_fn(kernels.len(), n, |a, i| ((i * (a + 2) + t) as f64 * 0.3).cos())
            };
            let vectors = [vector(0), vector(5)];
            let found = bank.sums_of_products(&kernels, &vectors, &Pass::default());
            for (vectors, found) in vectors.iter().zip(found.chunks(n)) {
                let mut want = vec![0.0; n];
                for (a, m) in kernels.iter().enumerate() {
                    let column = Matrix::from_fn(n, 1, |i, _| vectors.get(a, i));
                    let product = bank.apply(*m, &column);
                    want.iter_mut().zip(product.values()).for_each(|(w, p)| *w += p);
                }
                for (a, b) in found.iter().zip(&want) {
                    assert!((a - b).abs() < 1e-10, "{a} {b}");
                }
            }
        }
    }
}
