//! The two loops over the active variables.

use super::cache::Real;

/// Active variables are padded to a multiple of this.
pub(super) const LANES: usize = 32;

/// Best candidate of a pass: position and value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct First {
    /// Position of the smallest f over `up`.
    pub i: usize,
    /// That f; infinity if `up` is empty.
    pub min_up: f64,
    /// Largest f over `low`; −infinity if it is empty.
    pub max_low: f64,
}

fn bit(bits: &[u8], k: usize) -> bool {
    bits[k / 8] >> (k % 8) & 1 != 0
}

/// f += t·(row_i − row_j), and the first variable of the next pair.
pub(super) fn update<T: Real>(
    f: &mut [f64],
    row_i: &[T],
    row_j: &[T],
    t: f64,
    up: &[u8],
    low: &[u8],
) -> First {
    for ((f, a), b) in f.iter_mut().zip(row_i).zip(row_j) {
        let (a, b): (f64, f64) = ((*a).into(), (*b).into());
        *f += t * (a - b);
    }
    first(f, up, low)
}

/// The variable that violates most from below, and how far the other side reaches.
pub(super) fn first(f: &[f64], up: &[u8], low: &[u8]) -> First {
    let mut best = First { i: 0, min_up: f64::INFINITY, max_low: f64::NEG_INFINITY };
    for (k, &v) in f.iter().enumerate() {
        if v < best.min_up && bit(up, k) {
            (best.i, best.min_up) = (k, v);
        }
        if v > best.max_low && bit(low, k) {
            best.max_low = v;
        }
    }
    best
}

/// The partner of variable i that promises the largest decrease: argmax over `low` with f > f_i
/// of (f − f_i)² / curvature.
pub(super) fn second<T: Real>(
    f: &[f64],
    row_i: &[T],
    diagonal: &[f64],
    low: &[u8],
    (f_i, d_i): (f64, f64),
    tau: f64,
) -> usize {
    let (mut j, mut num, mut den) = (usize::MAX, 0.0, 1.0);
    for (k, &v) in f.iter().enumerate() {
        if v > f_i && bit(low, k) {
            let r: f64 = row_i[k].into();
            let curvature = (d_i + diagonal[k] - 2.0 * r).max(tau);
            let square = (v - f_i) * (v - f_i);
            if square * den > num * curvature {
                (j, num, den) = (k, square, curvature);
            }
        }
    }
    j
}
