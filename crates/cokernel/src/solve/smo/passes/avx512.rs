//! The loops in AVX-512, once for gradients in f64 and once for those in f32.

use super::{First, LANES, Real};
use std::arch::x86_64::*;

/// `update`, `glide` and `second` for one type of gradient: its vectors, how rows are loaded into them,
/// and the instructions, floating-point and integer.
macro_rules! loops {
    (
        $module:ident, $real:ty, $bits:ty, $load:ident,
        $set1:ident $zero:ident $loadu:ident $storeu:ident $add:ident $sub:ident $mul:ident
        $div:ident $max:ident $fmadd:ident $fnmadd:ident $cmp:ident $mask_cmp:ident
        $mask_mov:ident $mask_max:ident $reduce_min:ident $reduce_max:ident,
        $int:ident $integer:ty, $set1_int:ident $zero_int:ident $add_int:ident $mov_int:ident
        $less_int:ident $min_int:ident $lanes:expr
    ) => {
        pub mod $module {
            use super::*;

            /// Numbers in a vector, and vectors in a block of `LANES`.
            const WIDTH: usize = 64 / size_of::<$real>();
            const PARTS: usize = LANES / WIDTH;

            /// Block numbers of the accumulators, made into positions.
            #[target_feature(enable = "avx512f,avx512dq")]
            fn positions(block: &[$int; PARTS]) -> [$int; PARTS] {
                std::array::from_fn(|v| {
                    let shift = $set1_int((WIDTH * v) as $integer);
                    $add_int($add_int(block[v], $lanes), shift)
                })
            }

            /// The accumulators of what is least over `up` and largest over `low`.
            struct Extremes {
                best: [<$real as Vector>::Of; PARTS],
                block: [$int; PARTS],
                largest: [<$real as Vector>::Of; PARTS],
            }

            impl Extremes {
                #[target_feature(enable = "avx512f,avx512dq")]
                fn new() -> Self {
                    Extremes {
                        best: [$set1(<$real>::INFINITY); PARTS],
                        block: [$zero_int(); PARTS],
                        largest: [$set1(<$real>::NEG_INFINITY); PARTS],
                    }
                }

                #[inline]
                #[target_feature(enable = "avx512f,avx512dq")]
                fn take(
                    &mut self,
                    v: usize,
                    here: $int,
                    value: <$real as Vector>::Of,
                    u: $bits,
                    l: $bits,
                ) {
                    let better = $mask_cmp::<_CMP_LT_OQ>(u, value, self.best[v]);
                    self.best[v] = $mask_mov(self.best[v], better, value);
                    self.block[v] = $mov_int(self.block[v], better, here);
                    self.largest[v] = $mask_max(self.largest[v], l, self.largest[v], value);
                }

                #[target_feature(enable = "avx512f,avx512dq")]
                fn result(&self) -> First {
                    let position = positions(&self.block);
                    let (mut value, mut at) = (self.best[0], position[0]);
                    let mut largest = self.largest[0];
                    for v in 1..PARTS {
                        let less = $cmp::<_CMP_LT_OQ>(self.best[v], value);
                        let same = $cmp::<_CMP_EQ_OQ>(self.best[v], value);
                        let better = less | (same & $less_int(position[v], at));
                        value = $mask_mov(value, better, self.best[v]);
                        at = $mov_int(at, better, position[v]);
                        largest = $max(largest, self.largest[v]);
                    }
                    let min_up = $reduce_min(value);
                    let equal = $cmp::<_CMP_EQ_OQ>(value, $set1(min_up));
                    let i = $min_int(equal, at) as usize;
                    let (min_up, max_low) = (f64::from(min_up), f64::from($reduce_max(largest)));
                    First { i, min_up, max_low }
                }
            }

            /// The bits of a vector of variables.
            ///
            /// # Safety
            /// `at` is below eight times the length of `bits`, and a multiple of `WIDTH`.
            #[inline(always)]
            unsafe fn bits_at(bits: &[u8], at: usize) -> $bits {
                // SAFETY: the caller's promise; any alignment is read.
                unsafe { bits.as_ptr().add(at / 8).cast::<$bits>().read_unaligned() }
            }

            /// # Safety
            /// All lengths must fit: `row_i`, `row_j` as long as `f`, a multiple of `LANES`; one bit each
            /// in `up` and `low`.
            #[target_feature(enable = "avx512f,avx512dq")]
            pub unsafe fn update<T: Real>(
                f: &mut [$real],
                row_i: &[T],
                row_j: &[T],
                t: $real,
                up: &[u8],
                low: &[u8],
            ) -> First {
                let step = $set1(t);
                let mut found = Extremes::new();
                let mut k = 0;
                while k < f.len() {
                    let here = $set1_int(k as $integer);
                    for v in 0..PARTS {
                        let at = k + WIDTH * v;
                        // SAFETY: at + WIDTH ≤ f.len() by the caller's promise on lengths.
                        unsafe {
                            let a = T::$load(row_i.as_ptr().add(at));
                            let b = T::$load(row_j.as_ptr().add(at));
                            let p = f.as_mut_ptr().add(at);
                            let value = $fmadd(step, $sub(a, b), $loadu(p));
                            $storeu(p, value);
                            found.take(v, here, value, bits_at(up, at), bits_at(low, at));
                        }
                    }
                    k += LANES;
                }
                found.result()
            }

            /// # Safety
            /// As `update`; `q` is as long as `f`.
            #[target_feature(enable = "avx512f,avx512dq")]
            pub unsafe fn glide<T: Real>(
                f: &mut [$real],
                q: &mut [$real],
                row_i: &[T],
                row_j: &[T],
                (gamma, t): ($real, $real),
                up: &[u8],
                low: &[u8],
            ) -> First {
                let (step, before) = ($set1(t), $set1(gamma));
                let mut found = Extremes::new();
                let mut k = 0;
                while k < f.len() {
                    let here = $set1_int(k as $integer);
                    for v in 0..PARTS {
                        let at = k + WIDTH * v;
                        // SAFETY: at + WIDTH ≤ f.len() by the caller's promise on lengths.
                        unsafe {
                            let a = T::$load(row_i.as_ptr().add(at));
                            let b = T::$load(row_j.as_ptr().add(at));
                            let (p, s) = (f.as_mut_ptr().add(at), q.as_mut_ptr().add(at));
                            let change = $fmadd(before, $loadu(s), $sub(a, b));
                            $storeu(s, change);
                            let value = $fmadd(step, change, $loadu(p));
                            $storeu(p, value);
                            found.take(v, here, value, bits_at(up, at), bits_at(low, at));
                        }
                    }
                    k += LANES;
                }
                found.result()
            }

            /// # Safety
            /// All lengths must fit: `row_i`, `diagonal` as long as `f`, a multiple of `LANES`; one bit
            /// each in `low`.
            #[target_feature(enable = "avx512f,avx512dq")]
            pub unsafe fn second<T: Real>(
                f: &[$real],
                row_i: &[T],
                diagonal: &[$real],
                low: &[u8],
                (f_i, d_i): ($real, $real),
                tau: $real,
            ) -> Option<usize> {
                let (base, own, least) = ($set1(f_i), $set1(d_i), $set1(tau));
                let two = $set1(2.0);
                let mut num = [$zero(); PARTS];
                let mut den = [$set1(1.0); PARTS];
                let mut block = [$zero_int(); PARTS];
                let mut k = 0;
                while k < f.len() {
                    let here = $set1_int(k as $integer);
                    for v in 0..PARTS {
                        let at = k + WIDTH * v;
                        // SAFETY: at + WIDTH ≤ f.len() by the caller's promise on lengths.
                        unsafe {
                            let value = $loadu(f.as_ptr().add(at));
                            let r = T::$load(row_i.as_ptr().add(at));
                            let d = $add(own, $loadu(diagonal.as_ptr().add(at)));
                            let curvature = $max($fnmadd(two, r, d), least);
                            let rise = $sub(value, base);
                            let square = $mul(rise, rise);
                            let able = $mask_cmp::<_CMP_GT_OQ>(bits_at(low, at), value, base);
                            let (mine, best) = ($mul(square, den[v]), $mul(num[v], curvature));
                            let better = $mask_cmp::<_CMP_GT_OQ>(able, mine, best);
                            num[v] = $mask_mov(num[v], better, square);
                            den[v] = $mask_mov(den[v], better, curvature);
                            block[v] = $mov_int(block[v], better, here);
                        }
                    }
                    k += LANES;
                }
                let position = positions(&block);
                let (mut value, mut at) = ($div(num[0], den[0]), position[0]);
                for v in 1..PARTS {
                    let ratio = $div(num[v], den[v]);
                    let more = $cmp::<_CMP_GT_OQ>(ratio, value);
                    let same = $cmp::<_CMP_EQ_OQ>(ratio, value);
                    let better = more | (same & $less_int(position[v], at));
                    value = $mask_mov(value, better, ratio);
                    at = $mov_int(at, better, position[v]);
                }
                let ratio = $reduce_max(value);
                let equal = $cmp::<_CMP_EQ_OQ>(value, $set1(ratio));
                (ratio > 0.0).then(|| $min_int(equal, at) as usize)
            }
        }
    };
}

/// The vector of a type of numbers.
trait Vector {
    type Of;
}

impl Vector for f64 {
    type Of = __m512d;
}

impl Vector for f32 {
    type Of = __m512;
}

loops!(
    double, f64, u8, load,
    _mm512_set1_pd _mm512_setzero_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_sub_pd
    _mm512_mul_pd _mm512_div_pd _mm512_max_pd _mm512_fmadd_pd _mm512_fnmadd_pd
    _mm512_cmp_pd_mask _mm512_mask_cmp_pd_mask _mm512_mask_mov_pd _mm512_mask_max_pd
    _mm512_reduce_min_pd _mm512_reduce_max_pd,
    __m512i i64, _mm512_set1_epi64 _mm512_setzero_si512 _mm512_add_epi64 _mm512_mask_mov_epi64
    _mm512_cmplt_epu64_mask _mm512_mask_reduce_min_epu64
    _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7)
);

loops!(
    single, f32, u16, load_single,
    _mm512_set1_ps _mm512_setzero_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_sub_ps
    _mm512_mul_ps _mm512_div_ps _mm512_max_ps _mm512_fmadd_ps _mm512_fnmadd_ps
    _mm512_cmp_ps_mask _mm512_mask_cmp_ps_mask _mm512_mask_mov_ps _mm512_mask_max_ps
    _mm512_reduce_min_ps _mm512_reduce_max_ps,
    __m512i i32, _mm512_set1_epi32 _mm512_setzero_si512 _mm512_add_epi32 _mm512_mask_mov_epi32
    _mm512_cmplt_epu32_mask _mm512_mask_reduce_min_epu32
    _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
);
