//! Maps of rows before a measure: rows whose dot products are correlations, and what sequences and graphs become.
//!
//! A dense row x becomes (x − m) / ‖x − m‖, m the mean of its entries. A sparse one stays sparse: x / ‖x − m‖ with the
//! number m √d / ‖x − m‖ beside it, and ⟨x, z⟩ less the product of these two is the correlation. Where that number is
//! large, which takes a row that is nearly full, the difference would cancel: such a row is kept as dense ones are, with
//! all its entries less m and the number 0. Ranks are the numbers
//! 1 … d, equal entries share their mean; those of a sparse row count from the rank of its zeros, which changes no
//! correlation. A row of equal entries becomes zeros.

use crate::Result;
use crate::data::{Csr, Matrix};

/// A number beside a sparse row above which the row is kept in full; nine in ten of its entries are then not 0.
const LARGE: f64 = 3.0;

/// Rows whose dot products are correlations.
pub(super) fn correlated(mut m: Matrix, ranks: bool) -> Matrix {
    for i in 0..m.rows() {
        let row = m.row_mut(i);
        if ranks {
            let ranked = ranked(row);
            row.copy_from_slice(&ranked);
        }
        unit(row);
    }
    m
}

/// The same of sparse rows, and for each the number whose products come off.
pub(super) fn correlated_sparse(m: &Csr, ranks: bool) -> Result<(Csr, Vec<f64>)> {
    let d = m.cols() as f64;
    let (mut rows, mut offsets) = (Vec::new(), Vec::new());
    for i in 0..m.rows() {
        let (c, v) = m.row(i);
        let mut cells: Vec<(u32, f64)> =
            c.iter().copied().zip(v.iter().copied()).filter(|e| e.1 != 0.0).collect();
        if ranks {
            rank_from_zeros(&mut cells, m.cols());
        }
        let largest = cells.iter().fold(0.0_f64, |a, e| a.max(e.1.abs()));
        let equal = cells.len() == m.cols() && cells.iter().all(|e| e.1 == cells[0].1);
        if largest == 0.0 || equal {
            rows.push(Vec::new());
            offsets.push(0.0);
            continue;
        }
        cells.iter_mut().for_each(|e| e.1 /= largest);
        let mean = cells.iter().map(|e| e.1).sum::<f64>() / d;
        let own: f64 = cells.iter().map(|e| (e.1 - mean) * (e.1 - mean)).sum();
        let norm = (own + (d - cells.len() as f64) * mean * mean).sqrt();
        let offset = mean * d.sqrt() / norm;
        if offset.abs() > LARGE {
            let mut full = vec![0.0; m.cols()];
            cells.iter().for_each(|(c, v)| full[*c as usize] = *v);
            unit(&mut full);
            offsets.push(0.0);
            rows.push((0_u32..).zip(full).collect());
            continue;
        }
        cells.iter_mut().for_each(|e| e.1 /= norm);
        offsets.push(offset);
        rows.push(cells);
    }
    Ok((Csr::from_rows(m.cols(), rows)?, offsets))
}

/// Takes the mean off and divides by what is then the length.
fn unit(row: &mut [f64]) {
    let largest = row.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    if row.iter().all(|v| *v == row[0]) {
        return row.fill(0.0);
    }
    row.iter_mut().for_each(|v| *v /= largest);
    let mean = row.iter().sum::<f64>() / row.len() as f64;
    row.iter_mut().for_each(|v| *v -= mean);
    let norm = row.iter().map(|v| v * v).sum::<f64>().sqrt();
    row.iter_mut().for_each(|v| *v /= norm);
}

/// Ranks from 1; equal numbers share their mean rank.
fn ranked(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for same in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let mean = before as f64 + 0.5 * (same.len() as f64 + 1.0);
        same.iter().for_each(|i| ranks[*i] = mean);
        before += same.len();
    }
    ranks
}

/// Ranks of entries that are not 0 among `d` of which all others are 0, less the rank of the zeros.
fn rank_from_zeros(cells: &mut [(u32, f64)], d: usize) {
    let values: Vec<f64> = cells.iter().map(|e| e.1).collect();
    let zeros = (d - cells.len()) as f64;
    let negative = values.iter().filter(|v| **v < 0.0).count() as f64;
    let of_zeros = negative + 0.5 * (zeros + 1.0);
    for (cell, rank) in cells.iter_mut().zip(ranked(&values)) {
        cell.1 = if cell.1 > 0.0 { rank + zeros } else { rank } - of_zeros;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pearson(x: &[f64], z: &[f64]) -> f64 {
        let n = x.len() as f64;
        let (a, b) = (x.iter().sum::<f64>() / n, z.iter().sum::<f64>() / n);
        let (mut xz, mut xx, mut zz) = (0.0, 0.0, 0.0);
        for (x, z) in x.iter().zip(z) {
            (xz, xx, zz) = (xz + (x - a) * (z - b), xx + (x - a).powi(2), zz + (z - b).powi(2));
        }
        if xx * zz > 0.0 { xz / (xx * zz).sqrt() } else { 0.0 }
    }

    /// The rank of each by counting.
    fn counted(x: &[f64]) -> Vec<f64> {
        let rank = |v: &f64| {
            let below = x.iter().filter(|o| *o < v).count() as f64;
            below + 0.5 * (x.iter().filter(|o| *o == v).count() as f64 + 1.0)
        };
        x.iter().map(rank).collect()
    }

    /// Sparse tables may hold full rows, with entries that differ little beside their size.
    #[test]
    fn full_sparse_rows_do_not_cancel() {
        for shift in [0.0, 1e3, 1e7, 1e12] {
            let m = Matrix::from_fn(5, 13, |i, j| {
                if (i, j) == (0, 3) { 0.0 } else { shift + ((i * 7 + j * j) % 11) as f64 }
            });
            let cells = |i: usize| (0_u32..).zip(m.row(i).iter().copied()).collect();
            let sparse = Csr::from_rows(13, (0..5).map(cells).collect()).unwrap();
            let (spread, offsets) = correlated_sparse(&sparse, false).unwrap();
            let (spread, dense) = (spread.to_dense(), correlated(m, false));
            for i in 0..5 {
                for j in 0..5 {
                    let dot = |m: &Matrix| -> f64 {
                        m.row(i).iter().zip(m.row(j)).map(|(a, b)| a * b).sum()
                    };
                    let found = dot(&spread) - offsets[i] * offsets[j];
                    assert!(
                        (found - dot(&dense)).abs() < 1e-14,
                        "{shift}: {found} {}",
                        dot(&dense)
                    );
                }
            }
        }
    }

    #[test]
    fn dot_products_are_correlations() {
        let entry = |i: usize, j: usize| match (i, (i * 7 + j * 5 + i * j) % 9) {
            (3, _) => 2.5,
            (4, _) => 0.0,
            (_, r @ 0..5) => r as f64 - if i.is_multiple_of(2) { 2.0 } else { 0.0 },
            _ => 0.0,
        };
        for scale in [1.0, 1e-200, 1e200] {
            let m = Matrix::from_fn(8, 11, |i, j| scale * entry(i, j));
            let cells = |i: usize| (0_u32..).zip(m.row(i).iter().copied()).filter(|e| e.1 != 0.0);
            let sparse = Csr::from_rows(11, (0..8).map(|i| cells(i).collect()).collect()).unwrap();
            for ranks in [false, true] {
                let dense = correlated(m.clone(), ranks);
                let (spread, offsets) = correlated_sparse(&sparse, ranks).unwrap();
                let spread = spread.to_dense();
                for i in 0..8 {
                    for j in 0..8 {
                        let plain: Vec<Vec<f64>> = [i, j]
                            .map(|i| (0..11).map(|j| entry(i, j)).collect::<Vec<f64>>())
                            .map(|x| if ranks { counted(&x) } else { x })
                            .to_vec();
                        let want = pearson(&plain[0], &plain[1]);
                        let dot = |m: &Matrix| -> f64 {
                            m.row(i).iter().zip(m.row(j)).map(|(a, b)| a * b).sum()
                        };
                        let found = [dot(&dense), dot(&spread) - offsets[i] * offsets[j]];
                        assert!(found.iter().all(|f| (f - want).abs() < 1e-14), "{found:?} {want}");
                    }
                }
            }
        }
    }
}
