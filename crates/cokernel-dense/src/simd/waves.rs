//! Cosines and sines in turn.
//!
//! t = k·π/2 + r with |r| ≤ π/4 (and a little), π/2 in three parts of 33 bits each, so that k times the first two is exact
//! for |k| < 2^20; cos r and sin r by their Taylor polynomials to r^16 and r^17 (remainders below 4e-18 and 2e-19). The
//! sine of t is the cosine of the quarter before: it takes k − 1. Absolute error below 4e-16 for |t| below [`FAR`]; beyond
//! the functions of the standard library.

use super::{ROUND, fma};

/// Above this, k·π/2 is not exact.
const FAR: f64 = 1e6;

const HALF_PI: [f64; 3] =
    [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];

/// Of (cos r − 1)/r², by powers of r², the highest first.
const COSINE: [f64; 8] = [
    1.0 / 20_922_789_888_000.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 479_001_600.0,
    -1.0 / 3_628_800.0,
    1.0 / 40_320.0,
    -1.0 / 720.0,
    1.0 / 24.0,
    -0.5,
];

/// Of (sin r − r)/r³.
const SINE: [f64; 8] = [
    1.0 / 355_687_428_096_000.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 39_916_800.0,
    1.0 / 362_880.0,
    -1.0 / 5_040.0,
    1.0 / 120.0,
    -1.0 / 6.0,
];

/// cos(t − back·π/2).
#[inline(always)]
fn wave<const FMA: bool>(t: f64, back: u64) -> f64 {
    let shifted = fma::<FMA>(t, std::f64::consts::FRAC_2_PI, ROUND);
    let k = shifted - ROUND;
    let r = fma::<FMA>(-k, HALF_PI[0], t);
    let r = fma::<FMA>(-k, HALF_PI[1], r);
    let r = fma::<FMA>(-k, HALF_PI[2], r);
    let (square, mut cosine, mut sine) = (r * r, COSINE[0], SINE[0]);
    for c in &COSINE[1..] {
        cosine = fma::<FMA>(cosine, square, *c);
    }
    for s in &SINE[1..] {
        sine = fma::<FMA>(sine, square, *s);
    }
    let cosine = fma::<FMA>(cosine, square, 1.0);
    let sine = fma::<FMA>(sine * square, r, r);
    // Of the quarters cos r, −sin r, −cos r, sin r.
    let quarter = shifted.to_bits().wrapping_sub(back);
    let value = if quarter & 1 == 0 { cosine } else { sine };
    let sign = (quarter.wrapping_add(1) & 2) << 62;
    f64::from_bits(value.to_bits() ^ sign)
}

#[inline(always)]
pub(super) fn waves_body<const FMA: bool>(x: &[f64], factor: f64, out: &mut [f64]) {
    let mut far = 0;
    for (j, (o, v)) in out.iter_mut().zip(x).enumerate() {
        let t = factor * v;
        far |= u64::from(t.abs() > FAR);
        *o = wave::<FMA>(t, j as u64 & 1);
    }
    if far > 0 {
        for (j, (o, v)) in out.iter_mut().zip(x).enumerate() {
            let t = factor * v;
            if t.abs() > FAR {
                let value = if j % 2 == 0 { t.cos() } else { t.sin() };
                *o = if t.is_finite() { value } else { 0.0 };
            }
        }
    }
}
dispatch! {
    /// cos(factor · x) at even places, sin(factor · x) at odd ones; 0 where that product is infinite.
    fn waves(x: &[f64], factor: f64, out: &mut [f64]) = waves_body
}

#[inline(always)]
fn doubled_body<const FMA: bool>(x: &[f64], times: u32, out: &mut [f64]) {
    let of = |c: f64, s: f64| (fma::<FMA>(-2.0 * s, s, 1.0), 2.0 * c * s);
    for (o, v) in out.chunks_exact_mut(2).zip(x.chunks_exact(2)) {
        (o[0], o[1]) = of(v[0], v[1]);
    }
    for _ in 1..times {
        for o in out.chunks_exact_mut(2) {
            (o[0], o[1]) = of(o[0], o[1]);
        }
    }
}
dispatch! {
    /// Of cosines and sines of some angles in turn, an even number, those of 2^times that angle, times ≥ 1. Errors grow as the angle.
    fn doubled(x: &[f64], times: u32, out: &mut [f64]) = doubled_body
}
