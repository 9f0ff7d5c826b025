//! Orthonormal columns: Z = Q R for a thin n × m matrix Z of any rank.
//!
//! Method: block Gram–Schmidt, every block cleared of the earlier ones and in itself twice (Golub &
//! Van Loan, *Matrix Computations*, §5.2; Giraud, Langou, Rozložník, *Comput. Math. Appl.* 50,
//! 2005: twice is enough). A column of which less than [`DEPENDENT`] remains beside those before it
//! adds nothing to their span and gets no column of Q. Then ‖Z − Q R‖ is of the order of rounding,
//! column by column, also where Z has not full rank.
//!
//! Cost: 4 n m² operations, almost all of them in matrix products; memory of two more n × m
//! matrices.

use super::dense::{self, Slice};
use crate::data::Matrix;

/// Columns of a block.
const BLOCK: usize = 8;

/// The share of a column's length below which a remainder is rounding.
const DEPENDENT: f64 = 1e-14;

/// The same for the second pass, in which independent columns of length 1 keep their length: only a
/// remainder that was rounding shrinks.
const AGAIN: f64 = 1e-3;

/// Q (n × rank, orthonormal columns) and R (rank × m) with Z = Q R, in which row t of R is 0 left of
/// the t-th independent column.
pub fn orthonormal(z: &Matrix) -> (Matrix, Matrix) {
    let (n, m) = (z.rows(), z.cols());
    let mut q = Matrix::zeros(n, m);
    let mut r = Matrix::zeros(m, m);
    let mut rank = 0;
    for first in (0..m).step_by(BLOCK) {
        let width = BLOCK.min(m - first);
        let mut w = Matrix::from_fn(width, n, |j, i| z.get(i, first + j));
        let mut floor: Vec<f64> = (0..width).map(|j| DEPENDENT * length(w.row(j))).collect();
        // Z_block = Q S + Wᵀ T, S and T being collected over both passes.
        let mut s = Matrix::zeros(rank, width);
        let mut t = Matrix::from_fn(width, width, |i, j| f64::from(u8::from(i == j)));
        for _ in 0..2 {
            let mut block = w.transposed();
            let head = Slice::head(&q, rank);
            let share = dense::gram_tn(head, Slice::of(&block));
            dense::accumulate(&mut block, -1.0, head, Slice::of(&share));
            dense::accumulate(&mut s, 1.0, Slice::of(&share), Slice::of(&t));
            w = block.transposed();
            let own = clear(&mut w, &floor);
            t = dense::product(Slice::of(&own), Slice::of(&t));
            floor.fill(AGAIN);
        }
        let kept: Vec<usize> = (0..width).filter(|j| w.row(*j).iter().any(|v| *v != 0.0)).collect();
        for j in 0..width {
            (0..rank).for_each(|i| r.set(i, first + j, s.get(i, j)));
            kept.iter().enumerate().for_each(|(a, i)| r.set(rank + a, first + j, t.get(*i, j)));
        }
        for i in 0..n {
            for (a, j) in kept.iter().enumerate() {
                q.set(i, rank + a, w.get(*j, i));
            }
        }
        rank += kept.len();
    }
    let all: Vec<usize> = (0..rank).collect();
    (q.select_cols(&all), r.select_rows(&all))
}

/// Rows become orthonormal, or 0 if not more than `floor` of them remains; the upper triangle T
/// with W_before = Tᵀ W_after.
fn clear(w: &mut Matrix, floor: &[f64]) -> Matrix {
    let (rows, n) = (w.rows(), w.cols());
    let mut t = Matrix::zeros(rows, rows);
    for j in 0..rows {
        let (earlier, rest) = w.values_mut().split_at_mut(j * n);
        let row = &mut rest[..n];
        for (i, other) in earlier.chunks_exact(n).enumerate() {
            let share = dot(other, row);
            t.set(i, j, share);
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

fn length(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

/// Eight running sums, added in order.
fn dot(a: &[f64], b: &[f64]) -> f64 {
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

    /// Z = Q R column by column, QᵀQ = I; the rank.
    fn check(z: &Matrix) -> usize {
        let (q, r) = orthonormal(z);
        let mut identity = dense::gram_tn(Slice::of(&q), Slice::of(&q));
        (0..q.cols()).for_each(|i| identity.set(i, i, identity.get(i, i) - 1.0));
        assert!(largest(&identity) < 1e-14, "{}", largest(&identity));
        let mut rest = z.clone();
        dense::accumulate(&mut rest, -1.0, Slice::of(&q), Slice::of(&r));
        for j in 0..z.cols() {
            let (left, all) = (length(&rest.col(j)), length(&z.col(j)));
            assert!(left <= 3e-14 * all, "column {j}: {left} of {all}");
        }
        q.cols()
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
            let a = Matrix::from_fn(n, rank, |_, _| rng.random::<f64>() - 0.5);
            let b = Matrix::from_fn(rank, m, |_, j| {
                (rng.random::<f64>() - 0.5) * 10_f64.powi(j as i32 % 7 * 3 - 9)
            });
            // Rounding of the product may look like another direction; missing one is an error.
            let found = check(&dense::product(Slice::of(&a), Slice::of(&b)));
            assert!(found >= rank && found <= n.min(m), "{n} × {m}: {found}");
            assert!(found == rank || rank > 1, "{n} × {m}: {found}");
        }
    }

    #[test]
    fn nearly_dependent_columns() {
        let mut rng = crate::Run::with_seed(4).rng("orthonormal");
        let a = Matrix::from_fn(500, 6, |_, _| rng.random::<f64>() - 0.5);
        for k in 0..17 {
            let small = 10_f64.powi(-k);
            let z = Matrix::from_fn(500, 12, |i, j| match j {
                0..6 => a.get(i, j),
                _ => a.get(i, j - 6) + small * (rng.random::<f64>() - 0.5),
            });
            let rank = check(&z);
            assert!(rank == 12 || k > 12, "{k}: {rank}");
        }
        // Powers of one number: as ill-conditioned as it gets.
        check(&Matrix::from_fn(300, 40, |i, j| (i as f64 / 300.0).powi(j as i32)));
        // Copies, zeros and units far apart.
        let z = Matrix::from_fn(50, 9, |i, j| match j {
            0 | 4 => a.get(i, 0),
            1 => 0.0,
            2 => 1e100 * a.get(i, 1),
            5 => 1e-100 * a.get(i, 2),
            _ => a.get(i, j % 3),
        });
        assert_eq!(check(&z), 3);
    }
}
