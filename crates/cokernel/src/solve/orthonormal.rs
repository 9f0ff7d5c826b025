//! Orthonormal rows: Z = L Q for a wide m × n matrix Z of any rank. Rows, because they lie in memory
//! one after the other.
//!
//! Method: block Gram–Schmidt, every block of rows cleared of the earlier ones and in itself twice
//! (Golub & Van Loan, *Matrix Computations*, §5.2; Giraud, Langou, Rozložník, *Comput. Math.
//! Appl.* 50, 2005: twice is enough). A row of which less than `DEPENDENT` remains beside those
//! before it adds nothing to their span and gets no row of Q. Then ‖Z − L Q‖ is of the order of
//! rounding, row by row, also where Z has not full rank.
//!
//! Cost: 4 n m² operations on one thread, almost all of them in matrix products; memory of another
//! m × n matrix.

use super::dense::{self, Slice};
use crate::data::Matrix;

/// Rows of a block.
const BLOCK: usize = 8;

/// The share of a row's length below which a remainder is rounding.
const DEPENDENT: f64 = 1e-14;

/// The same for the second pass, in which independent rows of length 1 keep their length: only a
/// remainder that was rounding shrinks.
const AGAIN: f64 = 1e-3;

/// L (m × rank) and Q (rank × n, orthonormal rows) with Z = L Q; column t of L is 0 above the t-th
/// independent row.
pub fn orthonormal(z: &Matrix) -> (Matrix, Matrix) {
    let (m, n) = (z.rows(), z.cols());
    let mut q: Vec<f64> = Vec::with_capacity(m.min(n) * n);
    let mut l = Matrix::zeros(m, m);
    let mut rank = 0;
    for first in (0..m).step_by(BLOCK) {
        let width = BLOCK.min(m - first);
        let w = z.values()[first * n..(first + width) * n].to_vec();
        let mut w = Matrix::new(width, n, w).expect("rows of Z");
        let mut floor: Vec<f64> = (0..width).map(|j| DEPENDENT * length(w.row(j))).collect();
        // The block is S Q + T W, S and T being collected over both passes.
        let mut s = Matrix::zeros(width, rank);
        let mut t = Matrix::from_fn(width, width, |i, j| f64::from(u8::from(i == j)));
        for _ in 0..2 {
            let done = Slice::new(&q, rank, n);
            let mut share = Matrix::zeros(width, rank);
            dense::product_nt(Slice::of(&w), done, share.values_mut());
            dense::accumulate(&mut w, -1.0, Slice::of(&share), done);
            dense::accumulate(&mut s, 1.0, Slice::of(&t), Slice::of(&share));
            let own = clear(&mut w, &floor);
            t = dense::product(Slice::of(&t), Slice::of(&own));
            floor.fill(AGAIN);
        }
        let kept: Vec<usize> = (0..width).filter(|j| w.row(*j).iter().any(|v| *v != 0.0)).collect();
        for j in 0..width {
            let row = l.row_mut(first + j);
            row[..rank].copy_from_slice(s.row(j));
            kept.iter().enumerate().for_each(|(a, i)| row[rank + a] = t.get(j, *i));
        }
        kept.iter().for_each(|j| q.extend_from_slice(w.row(*j)));
        rank += kept.len();
    }
    let q = Matrix::new(rank, n, q).expect("rank × n values");
    (l.select_cols(&(0..rank).collect::<Vec<_>>()), q)
}

/// Rows become orthonormal, or 0 if not more than `floor` of them remains; the lower triangle T
/// with W_before = T W_after.
fn clear(w: &mut Matrix, floor: &[f64]) -> Matrix {
    let (rows, n) = (w.rows(), w.cols());
    let mut t = Matrix::zeros(rows, rows);
    for j in 0..rows {
        let (earlier, rest) = w.values_mut().split_at_mut(j * n);
        let row = &mut rest[..n];
        for (i, other) in earlier.chunks_exact(n.max(1)).enumerate() {
            let share = dot(other, row);
            t.set(j, i, share);
            row.iter_mut().zip(other).for_each(|(r, o)| *r -= share * o);
        }
        let left = length(row);
        if left > floor[j] {
            t.set(j, j, left);
            row.iter_mut().for_each(|v| *v /= left);
        } else {
            row.fill(0.0);
        }
    }
    t
}

/// ‖v‖.
pub(in crate::solve) fn length(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

/// Σ a_i b_i: eight running sums, added in order.
pub(in crate::solve) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (ca, cb) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = ca.remainder().iter().zip(cb.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in ca.zip(cb) {
        for l in 0..8 {
            sums[l] += x[l] * y[l];
        }
    }
    sums.iter().sum::<f64>() + tail
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    fn largest(a: &Matrix) -> f64 {
        a.values().iter().fold(0.0, |m: f64, v| m.max(v.abs()))
    }

    /// Z = L Q row by row, QQᵀ = I; the rank.
    fn check(z: &Matrix) -> usize {
        let (l, q) = orthonormal(z);
        let turned = q.transposed();
        let mut identity = dense::product(Slice::of(&q), Slice::of(&turned));
        (0..q.rows()).for_each(|i| identity.set(i, i, identity.get(i, i) - 1.0));
        assert!(largest(&identity) < 1e-14, "{}", largest(&identity));
        let mut rest = z.clone();
        dense::accumulate(&mut rest, -1.0, Slice::of(&l), Slice::of(&q));
        for i in 0..z.rows() {
            let (left, all) = (length(rest.row(i)), length(z.row(i)));
            assert!(left <= 3e-14 * all, "row {i}: {left} of {all}");
        }
        q.rows()
    }

    #[test]
    fn any_rank() {
        let mut rng = crate::Run::with_seed(3).rng("orthonormal");
        for (n, m, rank) in [
            (1, 1, 1),
            (40, 21, 21),
            (600, 21, 21),
            (600, 45, 13),
            (700, 33, 1),
            (5, 11, 5),
            (30, 70, 12),
            (9, 4, 0),
        ] {
            let a = Matrix::from_fn(rank, n, |_, _| rng.random::<f64>() - 0.5);
            let b = Matrix::from_fn(m, rank, |i, _| {
                (rng.random::<f64>() - 0.5) * 10_f64.powi(i as i32 % 7 * 3 - 9)
            });
            // Rounding of the product may look like another direction; missing one is an error.
            let found = check(&dense::product(Slice::of(&b), Slice::of(&a)));
            assert!(found >= rank && found <= n.min(m), "{m} × {n}: {found}");
            assert!(found == rank || rank > 1, "{m} × {n}: {found}");
        }
    }

    #[test]
    fn nearly_dependent_rows() {
        let mut rng = crate::Run::with_seed(4).rng("orthonormal");
        let a = Matrix::from_fn(6, 500, |_, _| rng.random::<f64>() - 0.5);
        for k in 0..17 {
            let small = 10_f64.powi(-k);
            let z = Matrix::from_fn(12, 500, |i, j| match i {
                0..6 => a.get(i, j),
                _ => a.get(i - 6, j) + small * (rng.random::<f64>() - 0.5),
            });
            let rank = check(&z);
            assert!(rank == 12 || k > 12, "{k}: {rank}");
        }
        // Powers of one number: as ill-conditioned as it gets.
        check(&Matrix::from_fn(40, 300, |i, j| (j as f64 / 300.0).powi(i as i32)));
        // Copies, zeros and units far apart.
        let z = Matrix::from_fn(9, 50, |i, j| match i {
            0 | 4 => a.get(0, j),
            1 => 0.0,
            2 => 1e100 * a.get(1, j),
            5 => 1e-100 * a.get(2, j),
            _ => a.get(i % 3, j),
        });
        assert_eq!(check(&z), 3);
    }
}
