//! Inner loops over slices, compiled three times (AVX-512, AVX2 + FMA, portable) and chosen at
//! run time.
//!
//! The exponential: x = k·ln 2 + r with |r| ≤ ln 2 / 2, e^x = 2^k·e^r, e^r by its Taylor
//! polynomial of degree 13 (remainder below 5e-18), k by adding 1.5·2^52. Relative error below
//! 1.6e-16 with fused multiply-add. Results below the smallest normal number become 0.

/// Declares a function that runs `$body::<true>` under the widest instruction set of this
/// machine, or `$body::<false>` (no fused multiply-add) where there is none.
macro_rules! dispatch {
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $t:ty),*) $(-> $ret:ty)? = $body:ident) => {
        $(#[$doc])*
        pub fn $name($($arg: $t),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
                fn wide($($arg: $t),*) $(-> $ret)? {
                    $body::<true>($($arg),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn middle($($arg: $t),*) $(-> $ret)? {
                    $body::<true>($($arg),*)
                }
                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                {
                    // SAFETY: the instruction sets were just found on this machine; avx512f
                    // implies avx2 and fma.
                    return unsafe { wide($($arg),*) };
                }
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    // SAFETY: the instruction sets were just found on this machine.
                    return unsafe { middle($($arg),*) };
                }
            }
            $body::<false>($($arg),*)
        }
    };
}

mod few;
mod pivots;
mod rows;
mod shifted;
mod squares;
mod sums;
mod symmetric;
mod thin;
pub mod tiles;
mod waves;

pub use few::FewRows;
pub use pivots::{LEAST_SQUARE, TOGETHER, positive_pivots};
pub use rows::weighted_rows;
pub use shifted::{Lanes, Shifted};
pub use squares::{add_squares, nearest_so_far};
pub use squares::{distances, lost_digits, rough_distances};
pub use sums::{ROWS_OF_MOMENTS, RowAndVector, row_moment, row_moments};
pub use symmetric::{ROWS_AT_ONCE, both_ways, symmetric_times};
pub use thin::{
    BothSides, LEAST_PANEL, both_sides_2, both_sides_4, both_sides_8, both_sides_12, both_sides_16,
    columns_at_once, least_product,
};
pub use waves::{doubled, waves};

#[inline(always)]
fn fma<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

#[inline(always)]
fn fma_f32<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
const ROUND: f64 = 6_755_399_441_055_744.0;
/// The least power or exponential that is not 0.
const LEAST: f64 = 1e-150;
/// ln 10⁻¹⁵⁰: below it 0 is given, since products of such numbers underflow, which takes processors many times as long (Gaussian
/// kernels of 3,000 rows, widths from the median / 32 on: a fit went on for some 20 s in a product, past its limit; 0.3 s since).
const LOWEST: f64 = -345.387_763_949_106_84;
const HIGHEST: f64 = 709.0;
const TAYLOR: [f64; 12] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
];

#[inline(always)]
fn exp<const FMA: bool>(x: f64) -> f64 {
    let bounded = if x < LOWEST { LOWEST } else { x };
    let bounded = if bounded > HIGHEST { HIGHEST } else { bounded };
    let shifted = fma::<FMA>(bounded, std::f64::consts::LOG2_E, ROUND);
    let k = shifted - ROUND;
    let r = fma::<FMA>(-k, LN2_HIGH, bounded);
    let r = fma::<FMA>(-k, LN2_LOW, r);
    let mut q = TAYLOR[0];
    for c in &TAYLOR[1..] {
        q = fma::<FMA>(q, r, *c);
    }
    let value = 1.0 + fma::<FMA>(r * r, q, r);
    let scaled = f64::from_bits(value.to_bits().wrapping_add(shifted.to_bits() << 52));
    if x < LOWEST { 0.0 } else { scaled }
}

#[inline(always)]
fn exp_of_body<const FMA: bool>(x: &[f64], factor: f64, out: &mut [f64]) {
    for (o, v) in out.iter_mut().zip(x) {
        *o = exp::<FMA>(factor * v);
    }
}
dispatch! {
    /// out = exp(factor · x), for factor · x ≤ 709; 0 below 10⁻¹⁵⁰.
    fn exp_of(x: &[f64], factor: f64, out: &mut [f64]) = exp_of_body
}

#[inline(always)]
fn exp_in_place_body<const FMA: bool>(out: &mut [f64], factor: f64) {
    for o in out {
        *o = exp::<FMA>(factor * *o);
    }
}
dispatch! {
    /// x = exp(factor · x), for factor · x ≤ 709.
    fn exp_in_place(out: &mut [f64], factor: f64) = exp_in_place_body
}

#[inline(always)]
fn squares_body<const FMA: bool>(x: &[f64], times: u32, out: &mut [f64]) {
    for (o, v) in out.iter_mut().zip(x) {
        *o = v * v;
    }
    for _ in 1..times {
        for o in out.iter_mut() {
            *o *= *o;
        }
    }
    for o in out.iter_mut() {
        *o = if *o < LEAST { 0.0 } else { *o };
    }
}
dispatch! {
    /// out = x^(2^times), times ≥ 1; 0 below 10⁻¹⁵⁰.
    fn squares(x: &[f64], times: u32, out: &mut [f64]) = squares_body
}

const LANES: usize = 32;

#[inline(always)]
fn fold_pairs<const READ_AHEAD: bool>(
    a: &[f64],
    b: &[f64],
    step: impl Fn(f64, f64, f64) -> f64 + Copy,
) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut acc = [0.0; LANES];
    let (mut ca, mut cb) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    for (x, z) in (&mut ca).zip(&mut cb) {
        if READ_AHEAD {
            (0..LANES).step_by(LINE).for_each(|k| prefetch(x.as_ptr(), k + AHEAD));
        }
        for k in 0..LANES {
            acc[k] = step(acc[k], x[k], z[k]);
        }
    }
    for (k, (x, z)) in ca.remainder().iter().zip(cb.remainder()).enumerate() {
        acc[k] = step(acc[k], *x, *z);
    }
    let mut width = LANES / 2;
    while width > 0 {
        for k in 0..width {
            acc[k] += acc[k + width];
        }
        width /= 2;
    }
    acc[0]
}

#[inline(always)]
fn dot_body<const FMA: bool>(a: &[f64], b: &[f64]) -> f64 {
    fold_pairs::<false>(a, b, |s, x, z| fma::<FMA>(x, z, s))
}
dispatch! {
    /// Σ a_k b_k.
    fn dot(a: &[f64], b: &[f64]) -> f64 = dot_body
}

#[inline(always)]
fn powers_body<const FMA: bool>(a: &[f64], b: &[f64]) -> (f64, f64) {
    const HALF: usize = LANES / 2;
    let n = a.len().min(b.len());
    let ((lines, tail), (others, other_tail)) =
        (a[..n].as_chunks::<HALF>(), b[..n].as_chunks::<HALF>());
    let (mut squares, mut sizes) = ([0.0; HALF], [0.0; HALF]);
    for (x, z) in lines.iter().zip(others) {
        for k in 0..HALF {
            let product = x[k] * z[k];
            squares[k] = fma::<FMA>(x[k], product, squares[k]);
            sizes[k] += product.abs();
        }
    }
    for (k, (x, z)) in tail.iter().zip(other_tail).enumerate() {
        squares[k] = fma::<FMA>(*x, x * z, squares[k]);
        sizes[k] += (x * z).abs();
    }
    (squares.iter().sum(), sizes.iter().sum())
}
dispatch! {
    /// Σ a_k² b_k and Σ |a_k b_k|.
    fn powers(a: &[f64], b: &[f64]) -> (f64, f64) = powers_body
}

#[inline(always)]
fn harmonic_body<const FMA: bool>(terms: &mut [f64], rest: f64, factor: f64, values: &[f64]) {
    for (t, v) in terms.iter_mut().zip(values) {
        let v = if *v < 1.0 { *v } else { 1.0 };
        *t *= rest / fma::<FMA>(-factor, v, 1.0);
    }
}
dispatch! {
    /// terms_k *= rest / (1 − factor · min(values_k, 1)).
    fn harmonic(terms: &mut [f64], rest: f64, factor: f64, values: &[f64]) = harmonic_body
}

#[inline(always)]
fn subtract_body<const FMA: bool>(x: &mut [f64], factor: f64, y: &[f64]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x = fma::<FMA>(-factor, *y, *x);
    }
}
dispatch! {
    /// x −= factor · y.
    fn subtract(x: &mut [f64], factor: f64, y: &[f64]) = subtract_body
}

#[inline(always)]
fn multiply_body<const FMA: bool>(x: &mut [f64], factor: f64) {
    x.iter_mut().for_each(|x| *x *= factor);
}
dispatch! {
    /// x *= factor.
    fn multiply(x: &mut [f64], factor: f64) = multiply_body
}

#[inline(always)]
fn squared_distance_body<const FMA: bool>(a: &[f64], b: &[f64]) -> f64 {
    fold_pairs::<false>(a, b, |s, x, z| fma::<FMA>(x - z, x - z, s))
}
dispatch! {
    /// Σ (a_k − b_k)².
    fn squared_distance(a: &[f64], b: &[f64]) -> f64 = squared_distance_body
}

#[inline(always)]
fn manhattan_body<const FMA: bool>(a: &[f64], b: &[f64]) -> f64 {
    fold_pairs::<false>(a, b, |s, x, z| s + (x - z).abs())
}
dispatch! {
    /// Σ |a_k − b_k|.
    fn manhattan(a: &[f64], b: &[f64]) -> f64 = manhattan_body
}

#[inline(always)]
fn minima_body<const FMA: bool>(a: &[f64], b: &[f64]) -> f64 {
    fold_pairs::<false>(a, b, |s, x, z| s + if x < z { x } else { z })
}
dispatch! {
    /// Σ min(a_k, b_k).
    fn minima(a: &[f64], b: &[f64]) -> f64 = minima_body
}

#[inline(always)]
fn chi_squared_body<const FMA: bool>(a: &[f64], b: &[f64]) -> f64 {
    fold_pairs::<false>(a, b, |s, x, z| {
        let (sum, difference) = (x + z, x - z);
        s + difference * difference / if sum > 0.0 { sum } else { 1.0 }
    })
}
dispatch! {
    /// Σ (a_k − b_k)² / (a_k + b_k), 0/0 = 0, for non-negative numbers.
    fn chi_squared(a: &[f64], b: &[f64]) -> f64 = chi_squared_body
}

#[inline(always)]
fn least_body<const FMA: bool>(x: &[f64]) -> f64 {
    let mut least = [f64::INFINITY; LANES];
    let chunks = x.chunks_exact(LANES);
    let tail = chunks.remainder().iter().fold(f64::INFINITY, |a, v| a.min(*v));
    for chunk in chunks {
        for (l, v) in least.iter_mut().zip(chunk) {
            *l = if *v < *l { *v } else { *l };
        }
    }
    least.iter().fold(tail, |a, v| a.min(*v))
}
dispatch! {
    /// The least of the values, none of which is NaN; infinity if there are none.
    fn least(x: &[f64]) -> f64 = least_body
}

#[inline(always)]
fn largest_body<const FMA: bool>(x: &[f64]) -> f64 {
    let mut largest = [0.0; LANES];
    let chunks = x.chunks_exact(LANES);
    let tail = chunks.remainder().iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    for chunk in chunks {
        for (l, v) in largest.iter_mut().zip(chunk) {
            *l = if v.abs() > *l { v.abs() } else { *l };
        }
    }
    largest.iter().fold(tail, |a, v| a.max(*v))
}
dispatch! {
    /// The largest magnitude of values none of which is NaN; 0 if there are none.
    fn largest(x: &[f64]) -> f64 = largest_body
}

#[inline(always)]
fn scan_body<const FMA: bool>(x: &[f64]) -> (f64, f64) {
    let (mut largest, mut nothing) = ([0.0_f64; LANES], [0.0_f64; LANES]);
    let (chunks, rest) = x.as_chunks::<LANES>();
    for chunk in chunks {
        for l in 0..LANES {
            let size = chunk[l].abs();
            largest[l] = if size > largest[l] { size } else { largest[l] };
            nothing[l] += chunk[l] * 0.0;
        }
    }
    let tail = rest.iter().fold((0.0, 0.0), |(m, z): (f64, f64), v| (m.max(v.abs()), z + v * 0.0));
    (largest.iter().fold(tail.0, |a, v| a.max(*v)), nothing.iter().fold(tail.1, |a, v| a + v))
}
dispatch! {
    /// The largest magnitude, and what is 0 if all are finite numbers and NaN else; the first means nothing then.
    fn scan(x: &[f64]) -> (f64, f64) = scan_body
}

/// Numbers asked for ahead of a sequential read: one cache line with each that is used, which
/// is half again as fast as asking for many at once.
const AHEAD: usize = 512;
/// Numbers in a cache line.
pub const LINE: usize = 8;

/// Numbers, at first 0, that begin at a cache line, so that fewer registers are read from two.
#[derive(Debug)]
pub struct Aligned {
    values: Vec<f64>,
    start: usize,
}

impl Aligned {
    /// `len` zeros.
    pub fn zeros(len: usize) -> Self {
        let values = vec![0.0; len + LINE - 1];
        let start = values.as_ptr().align_offset(64).min(LINE - 1);
        Aligned { values, start }
    }

    /// The numbers.
    #[inline]
    pub fn values(&self) -> &[f64] {
        &self.values[self.start..]
    }

    /// The numbers, to be changed.
    #[inline]
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values[self.start..]
    }
}

/// How many rows ahead a tile is asked for, whose rows are apart in memory.
pub const ROWS_AHEAD: usize = 8;

/// Asks for the cache line of `values[at]`, which may lie outside.
#[inline(always)]
pub fn prefetch<T>(values: *const T, at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch of any address is allowed; it reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(values.wrapping_add(at).cast()) };
    }
    let _ = (values, at);
}

/// [`prefetch`] into the second-level cache only: for rows of a tile, which would drive each other
/// out of the first.
#[inline(always)]
fn prefetch_far<T>(values: *const T, at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a prefetch of any address is allowed; it reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(values.wrapping_add(at).cast()) };
    }
    let _ = (values, at);
}

#[inline(always)]
fn weighted_sum_body<const FMA: bool>(terms: &[(f64, &[f64])], out: &mut [f64]) {
    sum_of::<FMA, true>(terms, out);
}

#[inline(always)]
fn weighted_sum_near_body<const FMA: bool>(terms: &[(f64, &[f64])], out: &mut [f64]) {
    sum_of::<FMA, false>(terms, out);
}

#[inline(always)]
fn sum_of<const FMA: bool, const READ_AHEAD: bool>(terms: &[(f64, &[f64])], out: &mut [f64]) {
    let n = terms.iter().fold(out.len(), |n, (_, x)| n.min(x.len()));
    let (lines, tail) = out[..n].as_chunks_mut::<LINE>();
    // Four terms for each time that `out` is read and written, in lines of a known length, which the compiler takes whole.
    let (fours, rest) = terms.as_chunks::<4>();
    for [(a, x), (b, y), (c, z), (d, u)] in fours {
        let [(x, x_tail), (y, y_tail), (z, z_tail), (u, u_tail)] =
            [x, y, z, u].map(|v| v[..n].as_chunks::<LINE>());
        for ((((o, x), y), z), u) in lines.iter_mut().zip(x).zip(y).zip(z).zip(u) {
            if READ_AHEAD {
                [x, y, z, u].iter().for_each(|v| prefetch(v.as_ptr(), AHEAD));
            }
            for k in 0..LINE {
                let sum = fma::<FMA>(*b, y[k], fma::<FMA>(*a, x[k], o[k]));
                o[k] = fma::<FMA>(*d, u[k], fma::<FMA>(*c, z[k], sum));
            }
        }
        for (k, o) in tail.iter_mut().enumerate() {
            let sum = fma::<FMA>(*b, y_tail[k], fma::<FMA>(*a, x_tail[k], *o));
            *o = fma::<FMA>(*d, u_tail[k], fma::<FMA>(*c, z_tail[k], sum));
        }
    }
    for (w, x) in rest {
        let (x, x_tail) = x[..n].as_chunks::<LINE>();
        for (o, x) in lines.iter_mut().zip(x) {
            if READ_AHEAD {
                prefetch(x.as_ptr(), AHEAD);
            }
            for k in 0..LINE {
                o[k] = fma::<FMA>(*w, x[k], o[k]);
            }
        }
        for (o, v) in tail.iter_mut().zip(x_tail) {
            *o = fma::<FMA>(*w, *v, *o);
        }
    }
}
dispatch! {
    /// out += Σ w·x over the terms (w, x), in their order, as far as the shortest of all reaches; the x are read ahead.
    fn weighted_sum(terms: &[(f64, &[f64])], out: &mut [f64]) = weighted_sum_body
}
dispatch! {
    /// [`weighted_sum`] of x that are near, or asked for already: nothing is read ahead.
    fn weighted_sum_near(terms: &[(f64, &[f64])], out: &mut [f64]) = weighted_sum_near_body
}

/// out_k += Σ (w·s_k)·x_k over three terms, each time that `out` is read and written.
#[inline(always)]
fn add_three<const FMA: bool>(terms: &[Gated<'_>; 3], out: &mut [f64]) {
    let [(a, s, x), (b, t, y), (c, u, z)] = *terms;
    let (lines, rest) = out.as_chunks_mut::<LINE>();
    let [(s, s_rest), (x, x_rest), (t, t_rest), (y, y_rest), (u, u_rest), (z, z_rest)] =
        [s, x, t, y, u, z].map(<[f64]>::as_chunks::<LINE>);
    for ((((((o, s), x), t), y), u), z) in
        lines.iter_mut().zip(s).zip(x).zip(t).zip(y).zip(u).zip(z)
    {
        for v in [x, y, z] {
            prefetch(v.as_ptr(), AHEAD);
        }
        for k in 0..LINE {
            let sum = fma::<FMA>(b * t[k], y[k], fma::<FMA>(a * s[k], x[k], o[k]));
            o[k] = fma::<FMA>(c * u[k], z[k], sum);
        }
    }
    for (k, o) in rest.iter_mut().enumerate() {
        let sum = fma::<FMA>(b * t_rest[k], y_rest[k], fma::<FMA>(a * s_rest[k], x_rest[k], *o));
        *o = fma::<FMA>(c * u_rest[k], z_rest[k], sum);
    }
}

/// w, s and x of [`gated_sum`].
pub type Gated<'a> = (f64, &'a [f64], &'a [f64]);

#[inline(always)]
fn gated_sum_body<const FMA: bool>(terms: &[Gated<'_>], out: &mut [f64]) {
    // No closures: they would be compiled without the instructions of the function around them.
    let (threes, rest) = terms.as_chunks::<3>();
    for three in threes {
        add_three::<FMA>(three, out);
    }
    for (w, s, x) in rest {
        for ((o, s), x) in out.iter_mut().zip(*s).zip(*x) {
            *o = fma::<FMA>(w * s, *x, *o);
        }
    }
}
dispatch! {
    /// out_k += Σ (w·s_k)·x_k over the terms (w, s, x), in their order; the x are read ahead.
    fn gated_sum(terms: &[Gated<'_>], out: &mut [f64]) = gated_sum_body
}

#[inline(always)]
fn dots_body<const FMA: bool>(x: &[f64], stride: usize, c: &[f64], scale: f64, out: &mut [f64]) {
    for (x, o) in x.chunks(stride).zip(out) {
        let dot = fold_pairs::<true>(&x[..c.len()], c, |s, x, z| fma::<FMA>(x, z, s));
        *o += scale * dot;
    }
}
dispatch! {
    /// out_k += scale · ⟨x_k, c⟩ for the x_k that begin every `stride` numbers.
    fn dots(x: &[f64], stride: usize, c: &[f64], scale: f64, out: &mut [f64]) = dots_body
}

#[inline(always)]
fn row_sum_body<const FMA: bool>(row: &[f64], ahead: usize, others: &mut [f64]) -> (f64, f64) {
    let (mut sums, mut least) = ([0.0; LANES], [f64::INFINITY; LANES]);
    let (chunks, rest) = row.as_chunks::<LANES>();
    for (c, x) in chunks.iter().enumerate() {
        (0..LANES).step_by(LINE).for_each(|k| prefetch_far(row.as_ptr(), ahead + c * LANES + k));
        for l in 0..LANES {
            sums[l] += x[l];
            least[l] = if x[l] < least[l] { x[l] } else { least[l] };
        }
    }
    for (l, v) in rest.iter().enumerate() {
        sums[l] += v;
        least[l] = if *v < least[l] { *v } else { least[l] };
    }
    others.iter_mut().zip(row).for_each(|(o, v)| *o += v);
    let mut width = LANES / 2;
    while width > 0 {
        for k in 0..width {
            sums[k] += sums[k + width];
            least[k] = if least[k + width] < least[k] { least[k + width] } else { least[k] };
        }
        width /= 2;
    }
    (sums[0], least[0])
}
dispatch! {
    /// The sum and the least of a row of numbers, none of which is NaN; adds them to `others`,
    /// which may be empty. The numbers `ahead` of them are asked for.
    fn row_sum(row: &[f64], ahead: usize, others: &mut [f64]) -> (f64, f64) = row_sum_body
}

/// Copies past the caches, where the whole is too large for them anyway.
///
/// # Safety
/// `to` is valid for writing `from.len()` numbers and does not overlap `from`.
#[inline]
pub unsafe fn stream(to: *mut f64, from: &[f64]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_loadu_pd, _mm_stream_pd};
        let head = (to.addr().next_multiple_of(64) - to.addr()) / 8;
        let head = head.min(from.len());
        let lines = (from.len() - head) / 8;
        let tail = head + 8 * lines;
        // SAFETY: all three ranges lie within `from`, so within what the caller allows; the
        // middle starts at a multiple of 64 bytes.
        unsafe {
            std::ptr::copy_nonoverlapping(from.as_ptr(), to, head);
            for k in (head..tail).step_by(2) {
                _mm_stream_pd(to.add(k), _mm_loadu_pd(from.as_ptr().add(k)));
            }
            let rest = from.len() - tail;
            std::ptr::copy_nonoverlapping(from.as_ptr().add(tail), to.add(tail), rest);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: promised by the caller.
    unsafe {
        std::ptr::copy_nonoverlapping(from.as_ptr(), to, from.len());
    }
}

/// Makes the streamed numbers visible to other threads.
#[inline]
pub fn stream_end() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has this instruction.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Loops as machines without fused multiply-add run them, for the tests of any machine.
#[doc(hidden)]
pub mod portable {
    /// [`exp_of`](super::exp_of).
    pub fn exp_of(x: &[f64], factor: f64, out: &mut [f64]) {
        super::exp_of_body::<false>(x, factor, out);
    }

    /// [`waves`](super::waves()).
    pub fn waves(x: &[f64], factor: f64, out: &mut [f64]) {
        super::waves::waves_body::<false>(x, factor, out);
    }
}
