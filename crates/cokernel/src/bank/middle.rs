//! The two middle ones of the squared distances between dense rows (the two are one if their number
//! is odd), most of the work in single precision.
//!
//! With rows x centred on their mean, S = max ‖x‖² and d columns, a distance ‖x‖² + ‖z‖² − 2⟨x, z⟩
//! in single precision is off by at most
//!
//! e = 4 (d + 8) 2^-24 S:
//!
//! γ_d and the rounding of both factors for the product (Higham, *Accuracy and Stability of
//! Numerical Algorithms*, §3.1), a few roundings more, all doubled. Sorted values move by no more
//! than that, so that the middle distances are among those that seem to lie within 2e of what
//! seems to be the middle. These, a few hundred of millions, are computed from differences in
//! double precision.

use super::base::column_means;
use crate::data::Table;
use cokernel_dense::{product_nt_f32, simd};

/// Rows of one matrix product.
const STRIP: usize = 64;

/// The S for which no number above the rounding of the largest falls out of single precision.
const SAFE: std::ops::Range<f64> = 1e-20..1e30;

/// The two middle squared distances between rows of a dense table, if those from `low` to `high`
/// are enough to find them: `None` if not, or if single precision does not serve.
pub(crate) fn middle_squared(table: &Table, low: f64, high: f64) -> Option<(f64, f64)> {
    let Table::Dense(rows) = table else { return None };
    let (n, d) = (rows.rows(), rows.cols());
    let (mean, mut centred) = (column_means(table), vec![0.0; d]);
    let (mut x, mut squares, mut most) = (Vec::with_capacity(n * d), Vec::new(), 0.0_f64);
    for i in 0..n {
        centred.iter_mut().zip(rows.row(i)).zip(&mean).for_each(|((c, v), m)| *c = v - m);
        x.extend(centred.iter().map(|c| *c as f32));
        let square = simd::dot(&centred, &centred);
        squares.push(square as f32);
        most = most.max(square);
    }
    if !SAFE.contains(&most) || u32::try_from(n * n).is_err() {
        return None;
    }
    let off = 4.0 * (d + 8) as f64 * 0.5 * f64::from(f32::EPSILON) * most;
    let count = n * (n - 1) / 2;
    let (first, last) = ((count - 1) / 2, count / 2);
    // Distance and place of each pair near the middle, in one number of the same order.
    let (mut below, mut near) = (0, Vec::with_capacity(count / 4));
    let mut block = vec![0.0_f32; STRIP * n];
    for i0 in (0..n).step_by(STRIP) {
        let (height, cols) = (STRIP.min(n - i0), n - i0);
        let block = &mut block[..height * cols];
        product_nt_f32(&x[i0 * d..(i0 + height) * d], &x[i0 * d..], d, block);
        for (r, row) in block.chunks_exact_mut(cols).enumerate() {
            let (i, after) = (i0 + r, &mut row[r + 1..]);
            let others = &squares[i + 1..];
            below += simd::rough_distances(after, squares[i], others, low as f32);
            let place = (i * n + i + 1) as u64;
            keys_between(after, low as f32, high as f32, place, &mut near);
        }
    }
    if first < below || last >= below + near.len() {
        return None;
    }
    let (left, upper, _) = near.select_nth_unstable(last - below);
    let distance = |key: u64| f64::from(f32::from_bits((key >> 32) as u32));
    let upper = distance(*upper);
    let lower = match first < last {
        true => distance(left.iter().copied().max()?),
        false => upper,
    };
    let (from, to) = (lower - 2.0 * off, upper + 2.0 * off);
    if from < f64::from(low as f32) || to > f64::from(high as f32) {
        return None;
    }
    below += near.iter().filter(|key| distance(**key) < from).count();
    let entry = |key: &u64| {
        let place = (key & u64::from(u32::MAX)) as usize;
        simd::squared_distance(rows.row(place / n), rows.row(place % n))
    };
    let within = |key: &&u64| (from..=to).contains(&distance(**key));
    let mut exact: Vec<f64> = near.iter().filter(within).map(entry).collect();
    exact.sort_unstable_by(f64::total_cmp);
    Some((exact[first - below], exact[last - below]))
}

/// Adds the values from `low` to `high`, none of which is negative, with their places counted from
/// `first` on. All are written and only some are kept, because branches could not be foreseen.
fn keys_between(values: &[f32], low: f32, high: f32, first: u64, keys: &mut Vec<u64>) {
    let mut buffer = [0; 1024];
    for (chunk, first) in values.chunks(buffer.len()).zip((first..).step_by(buffer.len())) {
        let mut kept = 0;
        for (v, place) in chunk.iter().zip(first..) {
            buffer[kept] = u64::from(v.to_bits()) << 32 | place;
            kept += usize::from(*v >= low && *v <= high);
        }
        keys.extend_from_slice(&buffer[..kept]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Matrix;

    type Entry = fn(usize, usize) -> f64;

    /// The middle of all distances from differences, whatever single precision makes of them.
    #[test]
    fn the_middle_is_exact() {
        let tables: [(usize, Entry); 5] = [
            (301, |i, j| ((i * (j + 2)) as f64 * 0.7).sin()),
            (302, |i, j| ((i * (j + 2)) as f64 * 0.7).sin() + 1e6),
            (300, |i, j| ((i * (j + 3)) % 5) as f64),
            // All distances agree to seven digits.
            (150, |i, j| if i == j { 1.0 + 1e-9 * (i * 37 % 41) as f64 } else { 0.0 }),
            (299, |i, j| 1e-7 * ((i * (j + 2)) as f64).cos()),
        ];
        for (n, f) in tables {
            let rows = Matrix::from_fn(n, 150, f);
            let mut all = Vec::new();
            for i in 0..n {
                all.extend((i + 1..n).map(|j| simd::squared_distance(rows.row(i), rows.row(j))));
            }
            let table = Table::Dense(rows);
            all.sort_unstable_by(f64::total_cmp);
            let (first, last) = ((all.len() - 1) / 2, all.len() / 2);
            let want = Some((all[first], all[last]));
            assert_eq!(middle_squared(&table, 0.0, 2.0 * all[all.len() - 1]), want, "{n}");
            if all[first / 2] < 0.9 * all[first] {
                let (low, high) = (all[first / 2], 2.0 * all[all.len() - 1]);
                assert_eq!(middle_squared(&table, low, high), want, "{n}");
            }
            assert_eq!(middle_squared(&table, all[last] * 1.1, all[last] * 1.2), None);
            assert_eq!(middle_squared(&table, 0.0, all[last]), None);
        }
        let far = Table::Dense(Matrix::from_fn(9, 2, |i, j| 1e20 * (i + j) as f64));
        assert_eq!(middle_squared(&far, 0.0, f64::MAX), None);
        assert_eq!(middle_squared(&Table::Dense(Matrix::zeros(9, 2)), 0.0, 1.0), None);
    }
}
