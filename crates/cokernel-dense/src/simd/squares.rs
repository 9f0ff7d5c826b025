//! Inner loops that turn dot products into distances, compare them and add them up.

use super::fma;

/// Below this share of ‖x‖² + ‖z‖² a squared distance has lost digits to cancellation.
const CANCELLED: f64 = 1e-4;

#[inline(always)]
fn distances_body<const FMA: bool>(dots: &mut [f64], left: f64, right: &[f64]) -> bool {
    let mut low = 0_u64;
    for (d, b) in dots.iter_mut().zip(right) {
        let sum = left + b;
        let v = fma::<FMA>(-2.0, *d, sum);
        low |= u64::from(v < CANCELLED * sum);
        *d = if v > 0.0 { v } else { 0.0 };
    }
    low != 0
}
dispatch! {
    /// Dot products become squared distances ‖x‖² + ‖z‖² − 2⟨x, z⟩, `left` being ‖x‖² and
    /// `right` the ‖z‖². True if a result has lost digits ([`lost_digits`]).
    fn distances(dots: &mut [f64], left: f64, right: &[f64]) -> bool = distances_body
}

#[inline(always)]
fn rough_distances_body<const FMA: bool>(
    dots: &mut [f32],
    left: f32,
    right: &[f32],
    low: f32,
) -> usize {
    let mut below = 0_u32;
    for (d, b) in dots.iter_mut().zip(right) {
        let v = (left + b) - 2.0 * *d;
        *d = if v > 0.0 { v } else { 0.0 };
        below += u32::from(*d < low);
    }
    below as usize
}
dispatch! {
    /// [`distances`] in single precision; how many of them are below `low`.
    fn rough_distances(dots: &mut [f32], left: f32, right: &[f32], low: f32) -> usize
        = rough_distances_body
}

/// Whether the squared distance `d` should be computed from the difference instead.
#[inline]
pub fn lost_digits(d: f64, left: f64, right: f64) -> bool {
    d < CANCELLED * (left + right)
}

#[inline(always)]
fn add_squares_body<const FMA: bool>(x: &[f64], from: f64, sums: &mut [f64]) {
    for (s, x) in sums.iter_mut().zip(x) {
        *s = fma::<FMA>(x - from, x - from, *s);
    }
}
dispatch! {
    /// sums_k += (x_k − from)².
    fn add_squares(x: &[f64], from: f64, sums: &mut [f64]) = add_squares_body
}

#[inline(always)]
fn nearest_so_far_body<const FMA: bool>(
    products: &[f64],
    length: f64,
    center: u64,
    nearest: &mut [u64],
    least: &mut [f64],
) {
    for ((n, l), p) in nearest.iter_mut().zip(least).zip(products) {
        let value = fma::<FMA>(-2.0, *p, length);
        let nearer = value < *l;
        *n = if nearer { center } else { *n };
        *l = if nearer { value } else { *l };
    }
}
dispatch! {
    /// Where length − 2·product is below the least so far: puts it there, and the centre.
    fn nearest_so_far(
        products: &[f64],
        length: f64,
        center: u64,
        nearest: &mut [u64],
        least: &mut [f64]
    ) = nearest_so_far_body
}
