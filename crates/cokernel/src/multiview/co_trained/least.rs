//! The least entry of S = ½ (C Hᵀ + H Cᵀ) for thin C and H, where it is negative: up to n² 2c
//! operations, without the matrix. Two bounds leave most of them out; the result is that of
//! computing all.
//!
//! Signs. For any rotation V, c_i·h_j = (c_i V)·(h_j V). With the eigenvectors of sym(CᵀH), leading
//! one first, most of a similarity lies in the first coordinates a_i, b_j, and by Cauchy–Schwarz
//!
//! c_i·h_j ≥ a_i b_j − s_i t_j, s_i² = Σ_{k>1} (d_k (c_i V)_k)², t_j² = Σ_{k>1} ((h_j V)_k / d_k)²
//!
//! for any d_k > 0. So S_ij ≥ 0 if s_i/a_i · t_j/b_j ≤ 1 and s_j/a_j · t_i/b_i ≤ 1, a and b being
//! positive. A share ε of ‖c_i‖ and ‖h_j‖ as one more coordinate of s and t keeps ε² ‖c_i‖ ‖h_j‖ apart
//! from 0, more than rounding takes. Rows in descending order of s/a have few blocks with other pairs.
//!
//! Single precision. It tells which of these blocks can hold the least entry, and only they are
//! computed in double precision. With C and H divided by their largest entries, a sum of 2c
//! products in single precision is off by at most
//!
//! e = 2 (2c + 4) 2^-24 (2 max_i ‖c_i‖ max_j ‖h_j‖) + 2c · 2^-126:
//!
//! γ_{2c} for the sum and 2^-24 for each factor (Higham, *Accuracy and Stability of Numerical
//! Algorithms*, §3.1), times Σ |c_ik h_jk| + |h_ik c_jk|, doubled for γ and the rounding of
//! everything in double precision; the last term stands for numbers below the normal ones. A block
//! whose least entry seems to be more than 2e above that of another one cannot hold it.

use crate::data::{Matrix, scan};
use crate::solve::dense::{self, Slice};
use cokernel_dense::simd::{self, LEAST_PANEL};
use rayon::prelude::*;

/// Side of the blocks; a multiple of the width of a panel.
const SIDE: usize = 2 * LEAST_PANEL;

/// ε.
const APART: f64 = 1e-6;

/// Sums of squares below it may have lost terms to underflow.
const LOST: f64 = 1e-280;

/// n over c up to which signs are not looked at: the rotation takes as long as all entries in single precision.
const WIDE: usize = 8;

/// Blocks (I, J), I ≤ J, of the upper triangle.
type Blocks = Vec<(usize, usize)>;

/// The least entry of ½ (C Hᵀ + H Cᵀ), or 0 if it is positive.
pub(super) fn least(c: &Matrix, h: &Matrix) -> f64 {
    if WIDE * c.cols() >= c.rows() {
        let all = possible(&vec![(f64::INFINITY, f64::INFINITY); c.rows()]);
        return least_of(c, h, &candidates(c, h, &all).unwrap_or(all)).min(0.0);
    }
    let ratios = ratios(c, h);
    let mut order: Vec<usize> = (0..c.rows()).collect();
    order.sort_by(|i, j| ratios[*j].0.total_cmp(&ratios[*i].0));
    let blocks = possible(&order.iter().map(|i| ratios[*i]).collect::<Vec<_>>());
    let Some(last) = blocks.iter().map(|(_, j)| *j).max() else { return 0.0 };
    order.truncate((last + 1) * SIDE);
    let (c, h) = (c.select_rows(&order), h.select_rows(&order));
    least_of(&c, &h, &candidates(&c, &h, &blocks).unwrap_or(blocks)).min(0.0)
}

/// (s_i/a_i, t_i/b_i) of each row; infinite where they tell nothing.
fn ratios(c: &Matrix, h: &Matrix) -> Vec<(f64, f64)> {
    let (n, width) = (c.rows(), c.cols());
    let product = dense::gram_tn(Slice::of(c), Slice::of(h));
    let symmetric = Matrix::from_fn(width, width, |i, j| product.get(i, j) + product.get(j, i));
    // Ascending: the leading eigenvector is the last.
    let Ok((_, v)) = dense::symmetric_eigen(&symmetric) else {
        return vec![(f64::INFINITY, f64::INFINITY); n];
    };
    let (x, y) =
        (dense::product(Slice::of(c), Slice::of(&v)), dense::product(Slice::of(h), Slice::of(&v)));
    let (of_x, of_y) = (column_squares(&x), column_squares(&y));
    // The bound holds for any positive factors. The fourth root of the ratio of the squares gives a
    // column of x and one of y the same length, so that s is not small at the cost of t.
    let balance =
        |y: f64, x: f64| Some((y / x).sqrt().sqrt()).filter(|d| d.is_normal()).unwrap_or(1.0);
    let weights: Vec<f64> = of_x.iter().zip(&of_y).map(|(x, y)| balance(*y, *x)).collect();
    let whole = balance(of_y.iter().sum(), of_x.iter().sum());
    let sign = (0..n).map(|i| x.get(i, width - 1)).sum::<f64>().signum();
    let ratio = |square: f64, lead: f64| {
        let ratio = square.sqrt() / (sign * lead);
        let sure = square > LOST && sign * lead > 0.0 && ratio.is_finite();
        if sure { ratio } else { f64::INFINITY }
    };
    (0..n)
        .map(|i| {
            let (x, y) = (x.row(i), y.row(i));
            let (mut s, mut t) = (0.0, 0.0);
            for (k, d) in weights.iter().enumerate() {
                let share = if k + 1 < width { 1.0 } else { 0.0 };
                s += (share * x[k] * d).powi(2) + (APART * x[k] * whole).powi(2);
                t += (share * y[k] / d).powi(2) + (APART * y[k] / whole).powi(2);
            }
            (ratio(s, x[width - 1]), ratio(t, y[width - 1]))
        })
        .collect()
}

/// Sums of squares of the columns.
fn column_squares(a: &Matrix) -> Vec<f64> {
    let mut sums = vec![0.0; a.cols()];
    for i in 0..a.rows() {
        sums.iter_mut().zip(a.row(i)).for_each(|(s, v)| *s += v * v);
    }
    sums
}

/// The blocks that are not known to be without negative entries.
fn possible(ratios: &[(f64, f64)]) -> Blocks {
    let most = |rows: &[(f64, f64)]| {
        rows.iter().fold((0.0_f64, 0.0_f64), |m, r| (m.0.max(r.0), m.1.max(r.1)))
    };
    let most: Vec<(f64, f64)> = ratios.chunks(SIDE).map(most).collect();
    let positive = |i: &(f64, f64), j: &(f64, f64)| i.0 * j.1 <= 1.0 && j.0 * i.1 <= 1.0;
    let mut blocks = Vec::new();
    for i in 0..most.len() {
        blocks.extend((i..most.len()).filter(|j| !positive(&most[i], &most[*j])).map(|j| (i, j)));
    }
    blocks
}

/// The least entry of the given blocks.
fn least_of(c: &Matrix, h: &Matrix, blocks: &[(usize, usize)]) -> f64 {
    let (n, width) = (c.rows(), 2 * c.cols());
    let part = |block: usize, first: &Matrix, second: &Matrix| -> Vec<f64> {
        let rows = block * SIDE..n.min((block + 1) * SIDE);
        rows.flat_map(|i| first.row(i).iter().chain(second.row(i)).copied()).collect()
    };
    blocks
        .par_iter()
        .map_init(
            || vec![0.0; SIDE * SIDE],
            |out, (i, j)| {
                let (a, b) = (part(*i, c, h), part(*j, h, c));
                let (rows, cols) = (a.len() / width, b.len() / width);
                let out = &mut out[..rows * cols];
                dense::product_nt(Slice::new(&a, rows, width), Slice::new(&b, cols, width), out);
                simd::least(out)
            },
        )
        .reduce(|| f64::INFINITY, f64::min)
        * 0.5
}

/// Those of the blocks that can hold the least entry; `None` if single precision cannot tell.
fn candidates(c: &Matrix, h: &Matrix, all: &[(usize, usize)]) -> Option<Blocks> {
    let (n, width) = (c.rows(), 2 * c.cols());
    let (scale_c, scale_h) = (scale(c)?, scale(h)?);
    // Rows beyond the last are copies of it: their entries are there already.
    let (rows, panels) = (n.next_multiple_of(LEAST_PANEL), n.div_ceil(LEAST_PANEL));
    let mut left = vec![0.0_f32; rows * width];
    let mut right = vec![[0.0_f32; LEAST_PANEL]; panels * width];
    for i in 0..rows {
        let (c, h) = (c.row(i.min(n - 1)), h.row(i.min(n - 1)));
        let own = &mut left[i * width..][..width];
        let panel = &mut right[i / LEAST_PANEL * width..][..width];
        for (k, (x, y)) in c.iter().zip(h).enumerate() {
            let (x, y) = ((x * scale_c) as f32, (y * scale_h) as f32);
            (own[k], own[width / 2 + k]) = (x, y);
            (panel[k][i % LEAST_PANEL], panel[width / 2 + k][i % LEAST_PANEL]) = (y, x);
        }
    }
    let rough: Vec<f32> = all
        .par_iter()
        .map(|(i, j)| {
            let part = |block: &usize, unit: usize| {
                block * SIDE / unit * width..rows.min((block + 1) * SIDE) / unit * width
            };
            simd::least_product(&left[part(i, 1)], width, &right[part(j, LEAST_PANEL)])
        })
        .collect();
    let lengths = 2.0 * longest(c, scale_c) * longest(h, scale_h);
    let unit = 0.5 * f64::from(f32::EPSILON);
    let off =
        2.0 * (width + 4) as f64 * unit * lengths + width as f64 * f64::from(f32::MIN_POSITIVE);
    let least = f64::from(rough.iter().fold(f32::INFINITY, |a, v| a.min(*v)));
    if least > off {
        return Some(Vec::new());
    }
    let bound = least + 2.0 * off;
    let near = all.iter().zip(&rough).filter(|(_, v)| f64::from(**v) <= bound);
    Some(near.map(|(pair, _)| *pair).collect())
}

/// What makes the largest |entry| 1; `None` if nothing does.
fn scale(a: &Matrix) -> Option<f64> {
    let (largest, finite) = scan(a.values());
    Some(1.0 / largest).filter(|s| finite && s.is_normal())
}

/// Factors that make numbers 1 whose squares neither overflow nor vanish.
const SAFE: std::ops::Range<f64> = 1e-100..1e100;

/// The length of the longest row, times `scale`.
fn longest(a: &Matrix, scale: f64) -> f64 {
    let square = |row: &[f64]| match SAFE.contains(&scale) {
        true => scale * scale * simd::dot(row, row),
        false => row.iter().map(|v| (v * scale).powi(2)).sum(),
    };
    (0..a.rows()).map(|i| square(a.row(i))).fold(0.0, f64::max).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(n: usize, cols: usize, speed: f64) -> Matrix {
        Matrix::from_fn(n, cols, |i, j| ((i * (j + 1)) as f64 * speed).sin() + 0.3)
    }

    fn all(n: usize) -> Blocks {
        possible(&vec![(f64::INFINITY, f64::INFINITY); n])
    }

    /// The same bits as from all blocks, also where all are equal, differences are below single
    /// precision, or numbers beyond it.
    #[test]
    fn single_precision_loses_nothing() {
        for n in [1, 31, 32, SIDE, SIDE + 1, 3 * SIDE + 17, 6 * SIDE + 50] {
            let (c, h) = (wave(n, 5, 0.37), wave(n, 5, 0.71));
            let nearly = Matrix::from_fn(n, 1, |i, _| 1.0 + ((i * 7) % 31) as f64 * 1e-12);
            let tiny = Matrix::from_fn(n, 5, |i, j| 1e-300 * c.get(i, j));
            let huge = Matrix::from_fn(n, 5, |i, j| 1e200 * h.get(i, j).powi(81));
            let all = all(n);
            for (c, h) in [(&c, &h), (&nearly, &nearly), (&tiny, &h), (&c, &huge), (&tiny, &huge)] {
                let want = least_of(c, h, &all);
                match candidates(c, h, &all) {
                    Some(few) if few.is_empty() => assert!(want > 0.0, "{n}"),
                    few => {
                        let few = few.unwrap_or_default();
                        assert_eq!(least_of(c, h, &few).to_bits(), want.to_bits(), "{n}");
                    }
                }
            }
        }
        // Of smooth columns fewer than 10 of 8 · SIDE rows stay candidates.
        let n = 8 * SIDE;
        let few = candidates(&wave(n, 5, 0.37), &wave(n, 5, 0.71), &all(n));
        assert!(few.is_some_and(|f| f.len() < 10));
        let mut odd = wave(n, 2, 0.3);
        assert!(candidates(&odd, &Matrix::zeros(n, 2), &all(n)).is_none());
        odd.set(5, 1, f64::INFINITY);
        assert!(candidates(&odd, &wave(n, 2, 0.3), &all(n)).is_none());
    }

    /// Blocks are left out, and none of them with a negative entry: C = U and H = K U for
    /// similarities K that are more or less alike, then with a few rows that are not.
    #[test]
    fn signs_are_known_where_they_are_said_to_be() {
        let n = 5 * SIDE + 9;
        let mut left_out = Vec::new();
        for (alike, odd) in [(3.0, 0), (3.0, 4), (0.4, 0), (0.0, 9)] {
            let c = Matrix::from_fn(n, 4, |i, j| match (j, i % 29 < odd) {
                (0, false) => 1.0 + 0.01 * (i % 7) as f64,
                (0, true) => 0.05,
                _ => ((i * (j + 3)) as f64 * 0.7).sin(),
            });
            let h = Matrix::from_fn(n, 4, |i, j| {
                c.get(i, j) * if j == 0 { alike } else { 0.6 / (j + 1) as f64 }
            });
            let want = least_of(&c, &h, &all(n)).min(0.0);
            let got = least(&c, &h);
            assert!((got - want).abs() <= 1e-15 * want.abs(), "{alike} {odd}: {got} {want}");
            let mut ratios = ratios(&c, &h);
            ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
            left_out.push(all(n).len() - possible(&ratios).len());
            let times =
                |a: &Matrix, factor: f64| Matrix::from_fn(n, 4, |i, j| factor * a.get(i, j));
            let (small, tiny) = (times(&c, 1e-100), times(&h, 1e-180));
            let pairs = [(&c, &c), (&h, &h), (&wave(n, 4, 0.3), &h), (&c, &tiny), (&small, &tiny)];
            for (c, h) in pairs {
                let want = least_of(c, h, &all(n)).min(0.0);
                assert!((least(c, h) - want).abs() <= 1e-15 * want.abs());
            }
        }
        assert!(left_out[0] == 21 && left_out[1] > 0, "{left_out:?}");
        let mut c = wave(n, 3, 0.3);
        c.set(7, 1, f64::NAN);
        assert!(possible(&ratios(&c, &wave(n, 3, 0.2))).len() == all(n).len());
    }
}
