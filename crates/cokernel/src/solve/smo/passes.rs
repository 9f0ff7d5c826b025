//! The loops over the active variables: AVX-512, AVX2 or portable, chosen at run time.
//!
//! All inputs are padded to a multiple of [`LANES`]; padding has no bit in `up` and `low`. Ties go
//! to the lowest position on every path. The paths round differently in the last bit (fused
//! multiply-add), so different processors may take different steps to the same answer.

#[cfg(target_arch = "x86_64")]
mod avx512;

use super::cache::Real;

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

/// f += t·(row_i − row_j), then the first variable of the next pair.
pub(super) fn update<T: Real>(
    level: Level,
    f: &mut [f64],
    row_i: &[T],
    row_j: &[T],
    t: f64,
    up: &[u8],
    low: &[u8],
) -> First {
    let m = f.len();
    assert!(m.is_multiple_of(LANES) && row_i.len() == m && row_j.len() == m);
    assert!(up.len() * 8 == m && low.len() * 8 == m);
    match level {
        // SAFETY: the level was detected, and lengths were checked above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::update(f, row_i, row_j, t, up, low) },
        // SAFETY: the level was detected.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { update_avx2(f, row_i, row_j, t, up, low) },
        Level::Portable => update_lanes(f, row_i, row_j, t, up, low),
    }
}

/// The variable that violates most from below, and how far the other side reaches.
pub(super) fn first(f: &[f64], up: &[u8], low: &[u8]) -> First {
    let mut best = First { i: 0, min_up: f64::INFINITY, max_low: f64::NEG_INFINITY };
    for (k, &v) in f.iter().enumerate() {
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
pub(super) fn second<T: Real>(
    level: Level,
    f: &[f64],
    row_i: &[T],
    diagonal: &[f64],
    low: &[u8],
    (f_i, d_i): (f64, f64),
    tau: f64,
) -> Option<usize> {
    let m = f.len();
    assert!(m.is_multiple_of(LANES) && row_i.len() == m && diagonal.len() == m);
    assert!(low.len() * 8 == m);
    match level {
        // SAFETY: the level was detected, and lengths were checked above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::second(f, row_i, diagonal, low, f_i, d_i, tau) },
        // SAFETY: the level was detected.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { second_avx2(f, row_i, diagonal, low, f_i, d_i, tau) },
        Level::Portable => second_lanes(f, row_i, diagonal, low, f_i, d_i, tau),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn update_avx2<T: Real>(
    f: &mut [f64],
    row_i: &[T],
    row_j: &[T],
    t: f64,
    up: &[u8],
    low: &[u8],
) -> First {
    update_lanes(f, row_i, row_j, t, up, low)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn second_avx2<T: Real>(
    f: &[f64],
    row_i: &[T],
    diagonal: &[f64],
    low: &[u8],
    f_i: f64,
    d_i: f64,
    tau: f64,
) -> Option<usize> {
    second_lanes(f, row_i, diagonal, low, f_i, d_i, tau)
}

/// Eight variables at a time, in a form that compilers turn into vector instructions.
#[inline(always)]
fn update_lanes<T: Real>(
    f: &mut [f64],
    row_i: &[T],
    row_j: &[T],
    t: f64,
    up: &[u8],
    low: &[u8],
) -> First {
    let mut best = [f64::INFINITY; 8];
    let mut block = [0_u64; 8];
    let mut largest = [f64::NEG_INFINITY; 8];
    let (f, _) = f.as_chunks_mut::<8>();
    let (row_i, _) = row_i.as_chunks::<8>();
    let (row_j, _) = row_j.as_chunks::<8>();
    let chunks = f.iter_mut().zip(row_i).zip(row_j).zip(up).zip(low);
    for (b, ((((f, a), c), u), l)) in chunks.enumerate() {
        for k in 0..8 {
            let (a, c): (f64, f64) = (a[k].into(), c[k].into());
            f[k] += t * (a - c);
            let in_up = u & (1 << k) != 0;
            let in_low = l & (1 << k) != 0;
            let better = in_up & (f[k] < best[k]);
            best[k] = if better { f[k] } else { best[k] };
            block[k] = if better { b as u64 } else { block[k] };
            largest[k] = if in_low & (f[k] > largest[k]) { f[k] } else { largest[k] };
        }
    }
    let mut found = First { i: usize::MAX, min_up: f64::INFINITY, max_low: f64::NEG_INFINITY };
    for k in 0..8 {
        let i = block[k] as usize * 8 + k;
        if best[k] < found.min_up || (best[k] == found.min_up && i < found.i) {
            (found.i, found.min_up) = (i, best[k]);
        }
        found.max_low = found.max_low.max(largest[k]);
    }
    found
}

#[inline(always)]
fn second_lanes<T: Real>(
    f: &[f64],
    row_i: &[T],
    diagonal: &[f64],
    low: &[u8],
    f_i: f64,
    d_i: f64,
    tau: f64,
) -> Option<usize> {
    let mut num = [0.0; 8];
    let mut den = [1.0; 8];
    let mut block = [0_u64; 8];
    let (f, _) = f.as_chunks::<8>();
    let (row_i, _) = row_i.as_chunks::<8>();
    let (diagonal, _) = diagonal.as_chunks::<8>();
    for (b, (((f, r), d), l)) in f.iter().zip(row_i).zip(diagonal).zip(low).enumerate() {
        for k in 0..8 {
            let r: f64 = r[k].into();
            let curvature = d_i + d[k] - 2.0 * r;
            let curvature = if curvature > tau { curvature } else { tau };
            let rise = f[k] - f_i;
            let square = rise * rise;
            let better =
                (l & (1 << k) != 0) & (rise > 0.0) & (square * den[k] > num[k] * curvature);
            num[k] = if better { square } else { num[k] };
            den[k] = if better { curvature } else { den[k] };
            block[k] = if better { b as u64 } else { block[k] };
        }
    }
    let (mut value, mut j) = (0.0, None);
    for k in 0..8 {
        let (ratio, at) = (num[k] / den[k], block[k] as usize * 8 + k);
        if ratio > value || (ratio == value && j.is_some_and(|j| at < j)) {
            (value, j) = (ratio, Some(at));
        }
    }
    j
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    fn levels() -> Vec<Level> {
        let mut all = vec![Level::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                all.push(Level::Avx2);
            }
            if Level::detect() == Level::Avx512 {
                all.push(Level::Avx512);
            }
        }
        all
    }

    /// Both passes by the plainest loop.
    fn plain<T: Real>(
        f: &[f64],
        row: &[T],
        d: &[f64],
        low: &[u8],
        at: (f64, f64),
    ) -> Option<usize> {
        let mut best = (0.0, None);
        for k in (0..f.len()).filter(|k| low[k / 8] >> (k % 8) & 1 != 0 && f[*k] > at.0) {
            let r: f64 = row[k].into();
            let gain = (f[k] - at.0).powi(2) / (at.1 + d[k] - 2.0 * r).max(1e-12);
            if gain > best.0 {
                best = (gain, Some(k));
            }
        }
        best.1
    }

    fn compare<T: Real>(make: impl Fn(f64) -> T) {
        let mut rng = crate::Run::with_seed(3).rng("passes");
        for m in [32, 64, 256, 1056] {
            for empty in [false, true] {
                let mut reals = || (0..m).map(|_| rng.random::<f64>() - 0.5).collect::<Vec<f64>>();
                let f = reals();
                let a: Vec<T> = reals().into_iter().map(&make).collect();
                let b: Vec<T> = reals().into_iter().map(&make).collect();
                let d: Vec<f64> = reals().iter().map(|v| 1.5 + v).collect();
                let mut bits = || {
                    (0..m / 8)
                        .map(|_| if empty { 0 } else { rng.random::<u8>() })
                        .collect::<Vec<u8>>()
                };
                let (up, low) = (bits(), bits());
                let mut moved = f.clone();
                for (v, (a, b)) in moved.iter_mut().zip(a.iter().zip(&b)) {
                    *v += 0.3 * ((*a).into() - (*b).into());
                }
                let expected = first(&moved, &up, &low);
                let partner = plain(&f, &a, &d, &low, (-0.2, 1.1));
                for level in levels() {
                    let mut g = f.clone();
                    let found = update(level, &mut g, &a, &b, 0.3, &up, &low);
                    assert!(g.iter().zip(&moved).all(|(x, y)| (x - y).abs() < 1e-15));
                    if empty {
                        assert_eq!(
                            (found.min_up, found.max_low),
                            (f64::INFINITY, f64::NEG_INFINITY)
                        );
                    } else {
                        assert_eq!(found.i, expected.i);
                        assert!((found.min_up - expected.min_up).abs() < 1e-15);
                        assert!((found.max_low - expected.max_low).abs() < 1e-15);
                    }
                    let j = second(level, &f, &a, &d, &low, (-0.2, 1.1), 1e-12);
                    assert_eq!(j, partner, "{level:?}, {m} variables");
                }
            }
        }
    }

    #[test]
    fn every_instruction_set_chooses_the_same_pair() {
        compare(|v| v as f32);
        compare(|v| v);
    }

    /// Equal candidates: the lowest position.
    #[test]
    fn ties() {
        let (f, low) = (vec![0.5; 96], vec![0b1010_0000; 12]);
        for level in levels() {
            let row = vec![0.0_f32; 96];
            assert_eq!(second(level, &f, &row, &[1.0; 96], &low, (0.0, 1.0), 1e-12), Some(5));
            let found = update(level, &mut f.clone(), &row, &row, 1.0, &low, &low);
            assert_eq!((found.i, found.min_up, found.max_low), (5, 0.5, 0.5));
        }
    }
}
