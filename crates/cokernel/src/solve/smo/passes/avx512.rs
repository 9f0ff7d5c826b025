//! The loops in AVX-512.

use super::{First, LANES, Real};
use std::arch::x86_64::*;

/// Block numbers of four accumulators of eight lanes, made into positions.
#[target_feature(enable = "avx512f,avx512dq")]
fn positions(block: &[__m512i; 4]) -> [__m512i; 4] {
    let lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    std::array::from_fn(|v| {
        let shift = _mm512_set1_epi64(8 * v as i64);
        _mm512_add_epi64(_mm512_add_epi64(block[v], lane), shift)
    })
}

/// # Safety
/// All lengths must fit: `row_i`, `row_j` as long as `f`, a multiple of `LANES`; one bit each
/// in `up` and `low`.
#[target_feature(enable = "avx512f,avx512dq")]
pub unsafe fn update<T: Real>(
    f: &mut [f64],
    row_i: &[T],
    row_j: &[T],
    t: f64,
    up: &[u8],
    low: &[u8],
) -> First {
    let m = f.len();
    let step = _mm512_set1_pd(t);
    let mut best = [_mm512_set1_pd(f64::INFINITY); 4];
    let mut block = [_mm512_setzero_si512(); 4];
    let mut largest = [_mm512_set1_pd(f64::NEG_INFINITY); 4];
    let mut k = 0;
    while k < m {
        let here = _mm512_set1_epi64(k as i64);
        for v in 0..4 {
            let at = k + 8 * v;
            // SAFETY: at + 8 ≤ m by the caller's promise on lengths.
            unsafe {
                let (a, b) = (T::load(row_i.as_ptr().add(at)), T::load(row_j.as_ptr().add(at)));
                let p = f.as_mut_ptr().add(at);
                let value = _mm512_fmadd_pd(step, _mm512_sub_pd(a, b), _mm512_loadu_pd(p));
                _mm512_storeu_pd(p, value);
                let (u, l) = (*up.get_unchecked(at / 8), *low.get_unchecked(at / 8));
                let better = _mm512_mask_cmp_pd_mask::<_CMP_LT_OQ>(u, value, best[v]);
                best[v] = _mm512_mask_mov_pd(best[v], better, value);
                block[v] = _mm512_mask_mov_epi64(block[v], better, here);
                largest[v] = _mm512_mask_max_pd(largest[v], l, largest[v], value);
            }
        }
        k += LANES;
    }
    let position = positions(&block);
    let (mut value, mut at) = (best[0], position[0]);
    for v in 1..4 {
        let less = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(best[v], value);
        let same = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(best[v], value);
        let better = less | (same & _mm512_cmplt_epu64_mask(position[v], at));
        value = _mm512_mask_mov_pd(value, better, best[v]);
        at = _mm512_mask_mov_epi64(at, better, position[v]);
    }
    let min_up = _mm512_reduce_min_pd(value);
    let equal = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(value, _mm512_set1_pd(min_up));
    let i = _mm512_mask_reduce_min_epu64(equal, at) as usize;
    let largest =
        _mm512_max_pd(_mm512_max_pd(largest[0], largest[1]), _mm512_max_pd(largest[2], largest[3]));
    First { i, min_up, max_low: _mm512_reduce_max_pd(largest) }
}

/// # Safety
/// All lengths must fit: `row_i`, `diagonal` as long as `f`, a multiple of `LANES`; one bit
/// each in `low`.
#[target_feature(enable = "avx512f,avx512dq")]
pub unsafe fn second<T: Real>(
    f: &[f64],
    row_i: &[T],
    diagonal: &[f64],
    low: &[u8],
    f_i: f64,
    d_i: f64,
    tau: f64,
) -> Option<usize> {
    let m = f.len();
    let (base, own, least) = (_mm512_set1_pd(f_i), _mm512_set1_pd(d_i), _mm512_set1_pd(tau));
    let two = _mm512_set1_pd(2.0);
    let mut num = [_mm512_setzero_pd(); 4];
    let mut den = [_mm512_set1_pd(1.0); 4];
    let mut block = [_mm512_setzero_si512(); 4];
    let mut k = 0;
    while k < m {
        let here = _mm512_set1_epi64(k as i64);
        for v in 0..4 {
            let at = k + 8 * v;
            // SAFETY: at + 8 ≤ m by the caller's promise on lengths.
            unsafe {
                let value = _mm512_loadu_pd(f.as_ptr().add(at));
                let r = T::load(row_i.as_ptr().add(at));
                let d = _mm512_add_pd(own, _mm512_loadu_pd(diagonal.as_ptr().add(at)));
                let l = *low.get_unchecked(at / 8);
                let curvature = _mm512_max_pd(_mm512_fnmadd_pd(two, r, d), least);
                let rise = _mm512_sub_pd(value, base);
                let square = _mm512_mul_pd(rise, rise);
                let able = _mm512_mask_cmp_pd_mask::<_CMP_GT_OQ>(l, value, base);
                let (mine, best) =
                    (_mm512_mul_pd(square, den[v]), _mm512_mul_pd(num[v], curvature));
                let better = _mm512_mask_cmp_pd_mask::<_CMP_GT_OQ>(able, mine, best);
                num[v] = _mm512_mask_mov_pd(num[v], better, square);
                den[v] = _mm512_mask_mov_pd(den[v], better, curvature);
                block[v] = _mm512_mask_mov_epi64(block[v], better, here);
            }
        }
        k += LANES;
    }
    let position = positions(&block);
    let (mut value, mut at) = (_mm512_div_pd(num[0], den[0]), position[0]);
    for v in 1..4 {
        let ratio = _mm512_div_pd(num[v], den[v]);
        let more = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(ratio, value);
        let same = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(ratio, value);
        let better = more | (same & _mm512_cmplt_epu64_mask(position[v], at));
        value = _mm512_mask_mov_pd(value, better, ratio);
        at = _mm512_mask_mov_epi64(at, better, position[v]);
    }
    let ratio = _mm512_reduce_max_pd(value);
    let equal = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(value, _mm512_set1_pd(ratio));
    (ratio > 0.0).then(|| _mm512_mask_reduce_min_epu64(equal, at) as usize)
}
