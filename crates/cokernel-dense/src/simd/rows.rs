//! Sums of long sequences of rows that lie in memory one after the other.

use super::{AHEAD, weighted_sum};

/// Numbers of `out` that are kept in registers.
const WIDTH: usize = 128;

/// out += Σ w·x over the terms (w, x), in their order. Each x is read as a whole before the next, which is faster than
/// [`weighted_sum`] where they lie in memory one after the other and nothing of them in a cache.
pub fn weighted_rows(terms: &[(f64, &[f64])], out: &mut [f64]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        let whole = out.len() / WIDTH * WIDTH;
        assert!(terms.iter().all(|(_, x)| x.len() >= out.len()));
        // SAFETY: the instruction set was just found on this machine, and no x is shorter than `out`.
        unsafe { rows_512(terms, &mut out[..whole]) };
        if whole < out.len() {
            terms.iter().for_each(|(w, x)| weighted_sum(&[(*w, &x[whole..])], &mut out[whole..]));
        }
        return;
    }
    weighted_sum(terms, out);
}

/// # Safety
/// The machine has AVX-512; `out` has a multiple of [`WIDTH`] numbers and no x fewer than it.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn rows_512(terms: &[(f64, &[f64])], out: &mut [f64]) {
    use std::arch::x86_64::{
        _MM_HINT_T0, _mm_prefetch, _mm512_fmadd_pd, _mm512_loadu_pd, _mm512_set1_pd,
        _mm512_storeu_pd,
    };
    for at in (0..out.len()).step_by(WIDTH) {
        // SAFETY: `WIDTH` numbers from `at` on lie within `out` and all x; a prefetch reads nothing.
        unsafe {
            let to = out.as_mut_ptr().add(at);
            let mut sums: [_; WIDTH / 8] = std::array::from_fn(|l| _mm512_loadu_pd(to.add(8 * l)));
            for (w, x) in terms {
                let (w, x) = (_mm512_set1_pd(*w), x.as_ptr().add(at));
                for (l, sum) in sums.iter_mut().enumerate() {
                    _mm_prefetch::<_MM_HINT_T0>(x.wrapping_add(8 * l + AHEAD).cast());
                    *sum = _mm512_fmadd_pd(w, _mm512_loadu_pd(x.add(8 * l)), *sum);
                }
            }
            for (l, sum) in sums.iter().enumerate() {
                _mm512_storeu_pd(to.add(8 * l), *sum);
            }
        }
    }
}
