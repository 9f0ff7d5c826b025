//! Inner products, row sums and sums within groups of all kernels, in one pass.
//!
//! Everything that the alignment of kernels with each other and with a target needs, centred or not,
//! follows from these numbers: n² M² / 2 multiplications with the inner products of all pairs of kernels,
//! n² M / 2 without.

use super::{CHUNKS, TILES};
use crate::bank::{Bank, Tile};
use crate::run::Pass;
use cokernel_dense::simd::{FewRows, ROWS_OF_MOMENTS};
use cokernel_dense::{Slice, add_scaled_gram, simd};
use std::ops::Range;

/// What one pass tells of M kernels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Moments {
    /// ⟨K_m, K_h⟩_F, M × M; the M numbers ‖K_m‖² alone where pairs were not asked for.
    pub inner: Vec<f64>,
    /// K_m 1, one kernel after the other.
    pub sums: Vec<f64>,
    /// v_cᵀ K_m v_c for the vector c of the groups: the M numbers of c after those of c − 1.
    pub within: Vec<f64>,
}

impl Bank {
    /// The moments of all kernels; instance i belongs to the vector `of[i]` of length n, and vectors are 0 outside
    /// of their group; `pairs`: with the inner products of different kernels.
    pub(crate) fn moments(
        &self,
        vectors: &[Vec<f64>],
        of: &[u32],
        pairs: bool,
        pass: &Pass<'_>,
    ) -> Moments {
        let (n, kernels) = (self.n, self.len());
        if let Some(columns) = self.tiles.engine.columns.as_ref().filter(|c| c.is_all()) {
            let ones = vec![1.0; n];
            let inner = match pairs {
                true => columns.inner_products(false, pass).into_values(),
                false => columns.squares(&ones, pass).iter().map(|s| s * s).collect(),
            };
            let totals = columns.scores(&ones, pass);
            let mut sums = Vec::with_capacity(kernels * n);
            for (place, total) in totals.iter().enumerate() {
                sums.extend(columns.feature(place).map(|z| z * total));
            }
            let square = |s: f64| s * s;
            let forms = |v: &Vec<f64>| columns.scores(v, pass).into_iter().map(square);
            return Moments { inner, sums, within: vectors.iter().flat_map(forms).collect() };
        }
        let all: Vec<usize> = (0..kernels).collect();
        let products = if pairs { kernels * kernels } else { kernels };
        let mut found = self.tiles.fold_in(
            pass,
            (self.tiles.layout.tiles() / TILES).clamp(1, CHUNKS),
            &all,
            |_, _| true,
            |_| Moments {
                inner: vec![0.0; products],
                sums: vec![0.0; kernels * n],
                within: vec![0.0; vectors.len() * kernels],
            },
            |sums, tile| {
                let weight = tile.weight();
                let mut few = pairs.then(|| FewRows::new(kernels)).flatten();
                for r in 0..tile.rows {
                    let (values, stride) = tile.rows(r);
                    if let Some(few) = &mut few {
                        few.add(values, stride, tile.cols);
                    } else if pairs {
                        let row = Slice { values, rows: kernels, cols: tile.cols, stride };
                        add_scaled_gram(weight, row, &mut sums.inner);
                    }
                    // The rows since the last few, whose values are in the cache.
                    let few = r % ROWS_OF_MOMENTS + 1;
                    if few < ROWS_OF_MOMENTS && r + 1 < tile.rows {
                        continue;
                    }
                    for m in 0..kernels {
                        sums.add_rows(tile, m, r + 1 - few..r + 1, vectors, of);
                        if !pairs {
                            for r in r + 1 - few..=r {
                                let segment = tile.segment(r, m);
                                sums.inner[m] += weight * simd::dot(segment, segment);
                            }
                        }
                    }
                }
                if let Some(mut few) = few {
                    few.add_to(weight, &mut sums.inner);
                }
            },
            |total, part| {
                let add = |to: &mut [f64], from: &[f64]| {
                    to.iter_mut().zip(from).for_each(|(t, p)| *t += p);
                };
                add(&mut total.inner, &part.inner);
                add(&mut total.sums, &part.sums);
                add(&mut total.within, &part.within);
            },
        );
        if pairs {
            cokernel_dense::symmetric_part(kernels, &mut found.inner);
        }
        found
    }
}

impl Moments {
    /// Adds a few rows of kernel m of a tile to `sums` and `within`.
    fn add_rows(
        &mut self,
        tile: &Tile<'_>,
        m: usize,
        rows: Range<usize>,
        vectors: &[Vec<f64>],
        of: &[u32],
    ) {
        let (n, kernels, columns) = (of.len(), self.sums.len() / of.len(), tile.col0..);
        let group = |r: usize| of[tile.row0 + r] as usize;
        let pair =
            |r: usize| (tile.segment(r, m), &vectors[group(r)][columns.clone()][..tile.cols]);
        let of_kernel = &mut self.sums[m * n..(m + 1) * n];
        let (above, below) = of_kernel.split_at_mut(tile.col0);
        let others = if tile.diagonal { &mut [][..] } else { &mut below[..tile.cols] };
        let mut found = [(0.0, 0.0); ROWS_OF_MOMENTS];
        if rows.len() == ROWS_OF_MOMENTS {
            found = simd::row_moments(&std::array::from_fn(|k| pair(rows.start + k)), others);
        } else {
            for (found, r) in found.iter_mut().zip(rows.clone()) {
                *found = simd::row_moment(pair(r), others);
            }
        }
        for (r, (sum, dot)) in rows.zip(found) {
            let i = tile.row0 + r;
            *if tile.diagonal { &mut below[i - tile.col0] } else { &mut above[i] } += sum;
            self.within[group(r) * kernels + m] += tile.weight() * vectors[group(r)][i] * dot;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bank::Storage;
    use crate::data::Matrix;

    #[test]
    fn all_moments_are_those_of_the_definitions() {
        let n = 150;
        let kernel =
            |s: usize| Matrix::from_fn(n, n, |i, j| ((i * j + s * (i + j)) as f64 * 0.37).sin());
        let of: Vec<u32> = (0..n).map(|i| (i * i % 5 % 3) as u32).collect();
        let one = |c: u32| of.iter().map(|g| f64::from(u8::from(*g == c))).collect();
        let vectors: Vec<Vec<f64>> = (0..3).map(one).collect();
        // Kernels that lie apart, side by side, and more than there are registers for.
        let both = [Storage::Resident, Storage::OnDemand].into_iter();
        for (storage, count) in both.flat_map(|s| [3, 23, 50].map(|count| (s.clone(), count))) {
            let kernels: Vec<Matrix> = (0..count).map(kernel).collect();
            let named = kernels.iter().enumerate().map(|(m, k)| (format!("k{m}"), k.clone()));
            let bank = Bank::from_matrices(named.collect(), storage).unwrap();
            let found = bank.moments(&vectors, &of, true, &Pass::default());
            let alone = bank.moments(&vectors, &of, false, &Pass::default());
            for m in 0..count {
                for h in 0..count {
                    let (a, b) = (kernels[m].values(), kernels[h].values());
                    let want: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                    assert!((found.inner[count * m + h] - want).abs() < 1e-8);
                }
                assert!((alone.inner[m] - found.inner[(count + 1) * m]).abs() < 1e-8);
                for i in 0..n {
                    let want: f64 = kernels[m].row(i).iter().sum();
                    assert!((found.sums[m * n + i] - want).abs() < 1e-10);
                }
                for c in 0..3 {
                    let member = |i: &usize| of[*i] == c as u32;
                    let rows = (0..n).filter(member);
                    let want: f64 = rows
                        .flat_map(|i| (0..n).filter(member).map(move |j| (i, j)))
                        .map(|(i, j)| kernels[m].get(i, j))
                        .sum();
                    assert!((found.within[count * c + m] - want).abs() < 1e-9);
                }
            }
            assert_eq!((&found.sums, &found.within), (&alone.sums, &alone.within));
        }
    }
}
