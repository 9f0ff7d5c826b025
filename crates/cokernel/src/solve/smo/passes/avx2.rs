//! The loops in AVX2, once for gradients in f64 and once for those in f32.
//!
//! Entry by entry they compute what those in AVX-512 do. Two vectors at a time: with more of them the extremes found so
//! far do not fit into the sixteen registers.

use super::{First, Real};
use std::arch::x86_64::*;

/// Vectors at a time.
const PARTS: usize = 2;

/// `update`, `glide` and `second` for one type of gradient: its vectors, how rows are loaded into them, the
/// instructions, the integers of positions, and the bit of each lane.
macro_rules! loops {
    (
        $module:ident, $real:ty, $vector:ty, $load:ident,
        $set1:ident $zero:ident $loadu:ident $storeu:ident $add:ident $sub:ident $mul:ident $max:ident
        $fmadd:ident $fnmadd:ident $cmp:ident $and:ident $blend:ident,
        $integer:ty, $of_int:ident $set1_int:ident $equal_int:ident $lanes:expr
    ) => {
        pub mod $module {
            use super::*;

            /// Numbers in a vector, and in the vectors at a time.
            const WIDTH: usize = 32 / size_of::<$real>();
            const BLOCK: usize = PARTS * WIDTH;

            /// All ones where the variable's bit is set.
            ///
            /// # Safety
            /// `at` is below eight times the length of `bits`, and a multiple of `WIDTH`.
            #[inline]
            #[target_feature(enable = "avx2,fma")]
            unsafe fn mask(bits: &[u8], at: usize) -> $vector {
                // SAFETY: the caller's promise.
                let byte = unsafe { *bits.get_unchecked(at / 8) } >> (at % 8);
                let lanes = $lanes;
                let set = _mm256_and_si256($set1_int(<$integer>::from(byte)), lanes);
                $of_int($equal_int(set, lanes))
            }

            /// The accumulators of what is least over `up` and largest over `low`; blocks are integers.
            struct Extremes {
                best: [$vector; PARTS],
                block: [$vector; PARTS],
                largest: [$vector; PARTS],
            }

            impl Extremes {
                #[inline]
                #[target_feature(enable = "avx2,fma")]
                fn new() -> Self {
                    Extremes {
                        best: [$set1(<$real>::INFINITY); PARTS],
                        block: [$zero(); PARTS],
                        largest: [$set1(<$real>::NEG_INFINITY); PARTS],
                    }
                }

                #[inline]
                #[target_feature(enable = "avx2,fma")]
                fn take(
                    &mut self,
                    v: usize,
                    here: $vector,
                    value: $vector,
                    up: $vector,
                    low: $vector,
                ) {
                    let better = $and(up, $cmp::<_CMP_LT_OQ>(value, self.best[v]));
                    self.best[v] = $blend(self.best[v], value, better);
                    self.block[v] = $blend(self.block[v], here, better);
                    let candidate = $blend($set1(<$real>::NEG_INFINITY), value, low);
                    self.largest[v] = $max(self.largest[v], candidate);
                }

                #[target_feature(enable = "avx2,fma")]
                fn result(&self) -> First {
                    let (best, at) = (numbers(&self.best), positions(&self.block));
                    let mut k = 0;
                    for l in 1..BLOCK {
                        if best[l] < best[k] || best[l] == best[k] && at[l] < at[k] {
                            k = l;
                        }
                    }
                    let largest = numbers(&self.largest);
                    let max_low =
                        largest.iter().fold(f64::NEG_INFINITY, |a, v| a.max(f64::from(*v)));
                    First { i: at[k], min_up: f64::from(best[k]), max_low }
                }
            }

            #[target_feature(enable = "avx2,fma")]
            fn numbers(vectors: &[$vector; PARTS]) -> [$real; BLOCK] {
                let mut all = [0.0; BLOCK];
                for (v, vector) in vectors.iter().enumerate() {
                    // SAFETY: the array holds all vectors.
                    unsafe { $storeu(all.as_mut_ptr().add(WIDTH * v), *vector) };
                }
                all
            }

            /// Block numbers, made into positions.
            #[target_feature(enable = "avx2,fma")]
            fn positions(block: &[$vector; PARTS]) -> [usize; BLOCK] {
                let blocks = numbers(block);
                std::array::from_fn(|l| blocks[l].to_bits() as usize + l)
            }

            /// # Safety
            /// All lengths must fit: `row_i`, `row_j` as long as `f`, a multiple of `LANES`; one bit each
            /// in `up` and `low`.
            #[target_feature(enable = "avx2,fma")]
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
                    let here = $of_int($set1_int(k as $integer));
                    for v in 0..PARTS {
                        let at = k + WIDTH * v;
                        // SAFETY: at + WIDTH ≤ f.len() by the caller's promise on lengths.
                        unsafe {
                            let a = T::$load(row_i.as_ptr().add(at));
                            let b = T::$load(row_j.as_ptr().add(at));
                            let p = f.as_mut_ptr().add(at);
                            let value = $fmadd(step, $sub(a, b), $loadu(p));
                            $storeu(p, value);
                            found.take(v, here, value, mask(up, at), mask(low, at));
                        }
                    }
                    k += BLOCK;
                }
                found.result()
            }

            /// # Safety
            /// As `update`; `q` is as long as `f`.
            #[target_feature(enable = "avx2,fma")]
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
                    let here = $of_int($set1_int(k as $integer));
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
                            found.take(v, here, value, mask(up, at), mask(low, at));
                        }
                    }
                    k += BLOCK;
                }
                found.result()
            }

            /// # Safety
            /// All lengths must fit: `row_i`, `diagonal` as long as `f`, a multiple of `LANES`; one bit
            /// each in `low`.
            #[target_feature(enable = "avx2,fma")]
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
                let mut block = [$zero(); PARTS];
                let mut k = 0;
                while k < f.len() {
                    let here = $of_int($set1_int(k as $integer));
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
                            let able = $and(mask(low, at), $cmp::<_CMP_GT_OQ>(value, base));
                            let (mine, best) = ($mul(square, den[v]), $mul(num[v], curvature));
                            let better = $and(able, $cmp::<_CMP_GT_OQ>(mine, best));
                            num[v] = $blend(num[v], square, better);
                            den[v] = $blend(den[v], curvature, better);
                            block[v] = $blend(block[v], here, better);
                        }
                    }
                    k += BLOCK;
                }
                let (num, den, at) = (numbers(&num), numbers(&den), positions(&block));
                let (mut ratio, mut found) = (0.0, None);
                for l in 0..BLOCK {
                    let own = num[l] / den[l];
                    if own > ratio || own == ratio && found.is_some_and(|j| at[l] < j) {
                        (ratio, found) = (own, Some(at[l]));
                    }
                }
                found
            }
        }
    };
}

loops!(
    double, f64, __m256d, load_four,
    _mm256_set1_pd _mm256_setzero_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_sub_pd
    _mm256_mul_pd _mm256_max_pd _mm256_fmadd_pd _mm256_fnmadd_pd _mm256_cmp_pd _mm256_and_pd
    _mm256_blendv_pd,
    i64, _mm256_castsi256_pd _mm256_set1_epi64x _mm256_cmpeq_epi64 _mm256_setr_epi64x(1, 2, 4, 8)
);

loops!(
    single, f32, __m256, load_eight,
    _mm256_set1_ps _mm256_setzero_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_sub_ps
    _mm256_mul_ps _mm256_max_ps _mm256_fmadd_ps _mm256_fnmadd_ps _mm256_cmp_ps _mm256_and_ps
    _mm256_blendv_ps,
    i32, _mm256_castsi256_ps _mm256_set1_epi32 _mm256_cmpeq_epi32
    _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128)
);
