//! What widths of features need of a bank: a quadratic form for every feature, all in one pass over the kernels.
//!
//! With F_ij = Σ_u c_ui c_uj φ(k_1(i, j), …, k_M(i, j)) the forms Σ_ij F_ij x_id x_jd of all features d are the columns of
//! X times those of F X: n² d multiplications together, and no matrix for a single feature.

use super::{Bank, Tile};
use crate::data::{Csr, Matrix, Table};
use crate::run::Pass;
use cokernel_dense::{Slice, product_nn};

/// What the forms of a feature are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Feature {
    /// (x_id − x_jd)².
    Differences,
    /// x_id x_jd.
    Products,
}

/// The features of the rows that have a coefficient.
enum Seen<'a> {
    /// One row for each of them; for differences less the mean, which leaves more digits.
    Dense(Matrix),
    Sparse(&'a Csr),
}

impl Bank {
    /// Σ_ij F_ij (x_id − x_jd)², or Σ_ij F_ij x_id x_jd, for all columns d of the tables, one table after the other, where
    /// `factor` makes the values φ of those of all kernels, pair by pair. Nothing of it is to be used if the pass is given
    /// up.
    pub(crate) fn feature_forms(
        &self,
        coefs: &[&[f64]],
        factor: impl Fn(&[&[f64]], &mut [f64]) + Sync,
        tables: &[&Table],
        of: Feature,
        pass: &Pass<'_>,
    ) -> Vec<f64> {
        let rows: Vec<usize> = (0..self.n).filter(|i| coefs.iter().any(|c| c[*i] != 0.0)).collect();
        let seen: Vec<Seen<'_>> = tables.iter().map(|t| seen(t, &rows, of)).collect();
        let widths: Vec<usize> = tables.iter().map(|t| t.cols()).collect();
        let total = widths.iter().sum();
        // The rows of a span of instances, as a range of `rows`.
        let among = |(first, count): (usize, usize)| {
            let from = rows.partition_point(|i| *i < first);
            from..rows.partition_point(|i| *i < first + count)
        };
        let all: Vec<usize> = (0..self.len()).collect();
        let visit = |state: &mut (Vec<f64>, Vec<f64>), tile: &Tile<'_>| {
            let (own, others) = (among((tile.row0, tile.rows)), among((tile.col0, tile.cols)));
            let block = (&rows[own.clone()], &rows[others.clone()]);
            let values = pair_factors(coefs, &factor, all.len(), tile, block);
            let wide = others.len();
            for (row, r) in values.chunks(wide.max(1)).zip(own.clone()) {
                state.1[r] += row.iter().sum::<f64>();
                if !tile.diagonal {
                    others.clone().zip(row).for_each(|(o, v)| state.1[o] += v);
                }
            }
            let mut sums = state.0.as_mut_slice();
            for (seen, width) in seen.iter().zip(&widths) {
                let (part, rest) = sums.split_at_mut(*width);
                let (own, others) = (own.clone(), others.clone());
                match seen {
                    Seen::Dense(x) => dense(x, &values, own, others, tile.weight(), part),
                    Seen::Sparse(x) => sparse(x, &values, block, tile.weight(), part),
                }
                sums = rest;
            }
        };
        let (forms, row_sums) = self.tiles.fold(
            pass,
            &all,
            |rows, cols| !among(rows).is_empty() && !among(cols).is_empty(),
            || (vec![0.0; total], vec![0.0; rows.len()]),
            visit,
            |total, part| {
                total.0.iter_mut().zip(part.0).for_each(|(t, p)| *t += p);
                total.1.iter_mut().zip(part.1).for_each(|(t, p)| *t += p);
            },
        );
        match of {
            Feature::Products => forms,
            // Σ_ij F_ij (x_i − x_j)² = 2 (Σ_i (F 1)_i x_i² − xᵀ F x).
            Feature::Differences => {
                let mut squares: Vec<f64> = Vec::with_capacity(total);
                for (seen, width) in seen.iter().zip(&widths) {
                    let mut own = vec![0.0; *width];
                    for (r, sum) in row_sums.iter().enumerate() {
                        let mut add = |d: usize, x: f64| own[d] += sum * x * x;
                        match seen {
                            Seen::Dense(x) => {
                                x.row(r).iter().enumerate().for_each(|(d, x)| add(d, *x));
                            }
                            Seen::Sparse(x) => {
                                let (places, values) = x.row(rows[r]);
                                places.iter().zip(values).for_each(|(d, x)| add(*d as usize, *x));
                            }
                        }
                    }
                    squares.extend(own);
                }
                squares.iter().zip(forms).map(|(s, f)| 2.0 * (s - f)).collect()
            }
        }
    }
}

/// The features of these rows.
fn seen<'a>(table: &'a Table, rows: &[usize], of: Feature) -> Seen<'a> {
    match table {
        Table::Sparse(x) | Table::Graph(x) => Seen::Sparse(x),
        // Kernels on sequences are none of their columns.
        Table::Sequences(_) => Seen::Dense(Matrix::zeros(rows.len(), 0)),
        Table::Dense(x) | Table::Similarity(x) => {
            let mut own = x.select_rows(rows);
            if of == Feature::Differences {
                let n = rows.len().max(1) as f64;
                let mut means = vec![0.0; own.cols()];
                for r in 0..own.rows() {
                    means.iter_mut().zip(own.row(r)).for_each(|(m, x)| *m += x / n);
                }
                for r in 0..own.rows() {
                    own.row_mut(r).iter_mut().zip(&means).for_each(|(x, m)| *x -= m);
                }
            }
            Seen::Dense(own)
        }
    }
}

/// F between two lists of instances that lie in a tile, row by row.
fn pair_factors(
    coefs: &[&[f64]],
    factor: &(impl Fn(&[&[f64]], &mut [f64]) + Sync),
    kernels: usize,
    tile: &Tile<'_>,
    (own, others): (&[usize], &[usize]),
) -> Vec<f64> {
    let mut values = Vec::with_capacity(own.len() * others.len());
    let mut by = vec![0.0; tile.cols];
    for i in own {
        let segments: Vec<&[f64]> = (0..kernels).map(|m| tile.segment(i - tile.row0, m)).collect();
        factor(&segments, &mut by);
        let pair = |j: &usize| coefs.iter().map(|c| c[*i] * c[*j]).sum::<f64>();
        values.extend(others.iter().map(|j| pair(j) * by[j - tile.col0]));
    }
    values
}

/// Adds x_dᵀ F x_d of a tile, of features of which each row of `rows` has one.
fn dense(
    x: &Matrix,
    values: &[f64],
    own: std::ops::Range<usize>,
    others: std::ops::Range<usize>,
    weight: f64,
    sums: &mut [f64],
) {
    let d = x.cols();
    let part = |range: &std::ops::Range<usize>| &x.values()[range.start * d..range.end * d];
    let mut products = vec![0.0; own.len() * d];
    let left = Slice::new(values, own.len(), others.len());
    product_nn(left, Slice::new(part(&others), others.len(), d), &mut products);
    for (row, products) in part(&own).chunks(d).zip(products.chunks(d)) {
        let terms = row.iter().zip(products);
        sums.iter_mut().zip(terms).for_each(|(s, (x, p))| *s += weight * x * p);
    }
}

/// The same of sparse features: only stored entries are looked at.
fn sparse(
    x: &Csr,
    values: &[f64],
    (own, others): (&[usize], &[usize]),
    weight: f64,
    sums: &mut [f64],
) {
    let mut products = vec![0.0; x.cols()];
    for (i, row) in own.iter().zip(values.chunks(others.len().max(1))) {
        for (j, f) in others.iter().zip(row) {
            let (places, entries) = x.row(*j);
            places.iter().zip(entries).for_each(|(d, x)| products[*d as usize] += f * x);
        }
        let (places, entries) = x.row(*i);
        for (d, x) in places.iter().zip(entries) {
            sums[*d as usize] += weight * x * products[*d as usize];
        }
        for j in others {
            x.row(*j).0.iter().for_each(|d| products[*d as usize] = 0.0);
        }
    }
}
