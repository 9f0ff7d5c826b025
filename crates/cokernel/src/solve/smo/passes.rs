//! The loops over the active variables: AVX-512, AVX2 or portable, chosen at run time.
//!
//! All inputs are padded to a multiple of [`LANES`]; padding has no bit in `up` and `low`. Ties go
//! to the lowest position on every path. The portable path rounds differently in the last bit (no fused
//! multiply-add), and partners that promise the same to within rounding are told apart by lanes, so different
//! processors may take different steps to the same answer. Without loops of its own AVX2 ran what a compiler made of
//! the portable ones: on a processor with AVX2 alone, C-SVC then took 1.3 to 3.8 times as long.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use super::cache::Real;
use portable::{glide_lanes, second_lanes, update_lanes};
use std::ops::{Add, Div, Mul, Sub};

/// Active variables are padded to a multiple of this.
pub(super) const LANES: usize = 32;

/// The first variable of a pair, and how far the other side reaches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct First {
    /// Position of the smallest f over `up`.
    pub i: usize,
    /// That f; infinity if `up` is empty.
    pub min_up: f64,
    /// Largest f over `low`; −infinity if it is empty.
    pub max_low: f64,
}

/// Instructions to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Level {
    /// The best that this processor has.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
                return Level::Avx512;
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return Level::Avx2;
            }
        }
        Level::Portable
    }
}

/// A number type of gradients: the loops for it.
pub(super) trait Gradient:
    Real
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    const INFINITY: Self;
    /// Whether its rounding is not small beside gaps that are asked for.
    const COARSE: bool = <Self as Real>::EPSILON > 1e-10;

    /// The nearest number of this type.
    fn of(value: f64) -> Self;

    /// # Safety
    /// As those of `avx512` (`wide`) and `avx2`, on a processor that has this one.
    #[cfg(target_arch = "x86_64")]
    unsafe fn update<T: Real>(
        wide: bool,
        f: &mut [Self],
        rows: [&[T]; 2],
        t: Self,
        bits: [&[u8]; 2],
    ) -> First;

    /// # Safety
    /// As `update`.
    #[cfg(target_arch = "x86_64")]
    unsafe fn glide<T: Real>(
        wide: bool,
        f: &mut [Self],
        q: &mut [Self],
        rows: [&[T]; 2],
        by: (Self, Self),
        bits: [&[u8]; 2],
    ) -> First;

    /// # Safety
    /// As `update`.
    #[cfg(target_arch = "x86_64")]
    unsafe fn second<T: Real>(
        wide: bool,
        f: &[Self],
        row_i: &[T],
        diagonal: &[Self],
        low: &[u8],
        at: (Self, Self),
        tau: Self,
    ) -> Option<usize>;
}

macro_rules! gradient {
    ($real:ty, $module:ident) => {
        impl Gradient for $real {
            const INFINITY: Self = <$real>::INFINITY;

            fn of(value: f64) -> Self {
                value as $real
            }

            #[cfg(target_arch = "x86_64")]
            unsafe fn update<T: Real>(
                wide: bool,
                f: &mut [Self],
                [row_i, row_j]: [&[T]; 2],
                t: Self,
                [up, low]: [&[u8]; 2],
            ) -> First {
                // SAFETY: the caller's promise.
                unsafe {
                    match wide {
                        true => avx512::$module::update(f, row_i, row_j, t, up, low),
                        false => avx2::$module::update(f, row_i, row_j, t, up, low),
                    }
                }
            }

            #[cfg(target_arch = "x86_64")]
            unsafe fn glide<T: Real>(
                wide: bool,
                f: &mut [Self],
                q: &mut [Self],
                [row_i, row_j]: [&[T]; 2],
                by: (Self, Self),
                [up, low]: [&[u8]; 2],
            ) -> First {
                // SAFETY: the caller's promise.
                unsafe {
                    match wide {
                        true => avx512::$module::glide(f, q, row_i, row_j, by, up, low),
                        false => avx2::$module::glide(f, q, row_i, row_j, by, up, low),
                    }
                }
            }

            #[cfg(target_arch = "x86_64")]
            unsafe fn second<T: Real>(
                wide: bool,
                f: &[Self],
                row_i: &[T],
                diagonal: &[Self],
                low: &[u8],
                at: (Self, Self),
                tau: Self,
            ) -> Option<usize> {
                // SAFETY: the caller's promise.
                unsafe {
                    match wide {
                        true => avx512::$module::second(f, row_i, diagonal, low, at, tau),
                        false => avx2::$module::second(f, row_i, diagonal, low, at, tau),
                    }
                }
            }
        }
    };
}

gradient!(f64, double);
gradient!(f32, single);

/// f += t·(row_i − row_j), then the first variable of the next pair.
pub(super) fn update<T: Real, G: Gradient>(
    level: Level,
    f: &mut [G],
    rows: [&[T]; 2],
    t: f64,
    bits: [&[u8]; 2],
) -> First {
    let m = f.len();
    assert!(m.is_multiple_of(LANES) && rows.iter().all(|r| r.len() == m));
    assert!(bits.iter().all(|b| b.len() * 8 == m));
    let t = G::of(t);
    match level {
        // SAFETY: the level was detected, and lengths were checked above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx2 => unsafe {
            G::update(level == Level::Avx512, f, rows, t, bits)
        },
        Level::Portable => update_lanes(f, rows, t, bits),
    }
}

/// q ← γq + row_i − row_j and f += t·q, then the first variable of the next pair.
pub(super) fn glide<T: Real, G: Gradient>(
    level: Level,
    f: &mut [G],
    q: &mut [G],
    rows: [&[T]; 2],
    (gamma, t): (f64, f64),
    bits: [&[u8]; 2],
) -> First {
    let m = f.len();
    assert!(m.is_multiple_of(LANES) && q.len() == m && rows.iter().all(|r| r.len() == m));
    assert!(bits.iter().all(|b| b.len() * 8 == m));
    let by = (G::of(gamma), G::of(t));
    match level {
        // SAFETY: the level was detected, and lengths were checked above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx2 => unsafe {
            G::glide(level == Level::Avx512, f, q, rows, by, bits)
        },
        Level::Portable => glide_lanes(f, q, rows, by, bits),
    }
}

/// The variable that violates most from below, and how far the other side reaches.
pub(super) fn first<G: Gradient>(f: &[G], up: &[u8], low: &[u8]) -> First {
    let mut best = First { i: 0, min_up: f64::INFINITY, max_low: f64::NEG_INFINITY };
    for (k, v) in f.iter().enumerate() {
        let v: f64 = (*v).into();
        let bit = |bits: &[u8]| bits[k / 8] >> (k % 8) & 1 != 0;
        if v < best.min_up && bit(up) {
            (best.i, best.min_up) = (k, v);
        }
        if v > best.max_low && bit(low) {
            best.max_low = v;
        }
    }
    best
}

/// The partner of a variable with gradient `f_i` and diagonal `d_i` that promises the largest
/// decrease: argmax over `low` with f > f_i of (f − f_i)² / max(curvature, tau).
pub(super) fn second<T: Real, G: Gradient>(
    level: Level,
    f: &[G],
    row_i: &[T],
    diagonal: &[G],
    low: &[u8],
    (f_i, d_i): (f64, f64),
    tau: f64,
) -> Option<usize> {
    let m = f.len();
    assert!(m.is_multiple_of(LANES) && row_i.len() == m && diagonal.len() == m);
    assert!(low.len() * 8 == m);
    let (at, tau) = ((G::of(f_i), G::of(d_i)), G::of(tau));
    match level {
        // SAFETY: the level was detected, and lengths were checked above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx2 => unsafe {
            G::second(level == Level::Avx512, f, row_i, diagonal, low, at, tau)
        },
        Level::Portable => second_lanes(f, row_i, diagonal, low, at, tau),
    }
}

#[cfg(test)]
mod tests;
