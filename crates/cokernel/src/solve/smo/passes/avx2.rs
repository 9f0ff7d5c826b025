//! The loops in AVX2 with fused multiply-add, once for gradients in f64 and once for those in f32.
//!
//! There are no registers of bits: the bits of a block of [`LANES`] variables are broadcast once, and shifted so that the
//! bit of each lane is its sign, which is all that a blend looks at.

use super::{First, LANES, Real};
use std::arch::x86_64::*;

/// The bits of a block of variables.
///
/// # Safety
/// `at` is below eight times the length of `bits`, and a multiple of `LANES`.
#[inline(always)]
unsafe fn bits_at(bits: &[u8], at: usize) -> i32 {
    // SAFETY: the caller's promise; any alignment is read.
    unsafe { bits.as_ptr().add(at / 8).cast::<i32>().read_unaligned() }
}

/// `update`, `glide` and `second` for one type of gradient: its vectors, how rows are loaded into them,
/// and the instructions, floating-point and integer.
macro_rules! loops {
    (
        $module:ident, $real:ty, $vector:ident, $load:ident,
        $set1:ident $zero:ident $loadu:ident $storeu:ident $add:ident $sub:ident $mul:ident
        $min:ident $max:ident $fmadd:ident $fnmadd:ident $cmp:ident $and:ident $blend:ident $cast:ident $cast_back:ident,
        $integer:ty, $set1_int:ident $sub_int:ident $shift:ident $lanes:expr
    ) => {
        pub mod $module {
            use super::*;

            /// Numbers in a vector, vectors in a block of `LANES`, and vectors that are accumulated apart.
            const WIDTH: usize = 32 / size_of::<$real>();
            const PARTS: usize = LANES / WIDTH;
            const APART: usize = 2;

            /// For each vector of a block, how far its bits are from the sign.
            #[inline]
            #[target_feature(enable = "avx2,fma")]
            fn shifts() -> [__m256i; PARTS] {
                let last = 8 * size_of::<$integer>() as $integer - 1;
                std::array::from_fn(|v| $sub_int($set1_int(last - (WIDTH * v) as $integer), $lanes))
            }

            /// The bits of vector `v` of a block as signs.
            #[inline]
            #[target_feature(enable = "avx2,fma")]
            fn signs(bits: i32, shift: __m256i) -> $vector {
                $cast($shift($set1_int(bits as $integer), shift))
            }

            #[inline]
            #[target_feature(enable = "avx2,fma")]
            fn numbers(v: $vector) -> [$real; WIDTH] {
                let mut out = [0.0; WIDTH];
                // SAFETY: `out` has room for a vector.
                unsafe { $storeu(out.as_mut_ptr(), v) };
                out
            }

            #[inline]
            #[target_feature(enable = "avx2,fma")]
            fn integers(v: __m256i) -> [$integer; WIDTH] {
                let mut out = [0; WIDTH];
                // SAFETY: `out` has room for a vector.
                unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), v) };
                out
            }

            /// The accumulators of what is least over `up` and largest over `low`; `block` is where their vectors
            /// began.
            struct Extremes {
                best: [$vector; APART],
                block: [__m256i; APART],
                largest: [$vector; APART],
            }

            impl Extremes {
                #[inline]
                #[target_feature(enable = "avx2,fma")]
                fn new() -> Self {
                    Extremes {
                        best: [$set1(<$real>::INFINITY); APART],
                        block: [_mm256_setzero_si256(); APART],
                        largest: [$set1(<$real>::NEG_INFINITY); APART],
                    }
                }

                #[inline]
                #[target_feature(enable = "avx2,fma")]
                fn take(
                    &mut self,
                    v: usize,
                    here: usize,
                    value: $vector,
                    up: $vector,
                    low: $vector,
                ) {
                    let v = v % APART;
                    let here = $set1_int(here as $integer);
                    let able = $blend($set1(<$real>::INFINITY), value, up);
                    let better = $cmp::<_CMP_LT_OQ>(able, self.best[v]);
                    self.best[v] = $min(able, self.best[v]);
                    self.block[v] = _mm256_blendv_epi8(self.block[v], here, $cast_back(better));
                    let able = $blend($set1(<$real>::NEG_INFINITY), value, low);
                    self.largest[v] = $max(able, self.largest[v]);
                }

                #[target_feature(enable = "avx2,fma")]
                fn result(&self) -> First {
                    let (min_up, max_low) = (f64::INFINITY, f64::NEG_INFINITY);
                    let mut found = First { i: usize::MAX, min_up, max_low };
                    for v in 0..APART {
                        let (best, block) = (numbers(self.best[v]), integers(self.block[v]));
                        for (k, largest) in numbers(self.largest[v]).into_iter().enumerate() {
                            let (i, least) = (block[k] as usize + k, f64::from(best[k]));
                            if least < found.min_up || (least == found.min_up && i < found.i) {
                                (found.i, found.min_up) = (i, least);
                            }
                            found.max_low = found.max_low.max(f64::from(largest));
                        }
                    }
                    found
                }
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
                let (step, shifts) = ($set1(t), shifts());
                let mut found = Extremes::new();
                let mut k = 0;
                while k < f.len() {
                    // SAFETY: k is below f.len(), and a multiple of `LANES`.
                    let (u, l) = unsafe { (bits_at(up, k), bits_at(low, k)) };
                    for v in 0..PARTS {
                        let at = k + WIDTH * v;
                        // SAFETY: at + WIDTH ≤ f.len() by the caller's promise on lengths.
                        let value = unsafe {
                            let a = T::$load(row_i.as_ptr().add(at));
                            let b = T::$load(row_j.as_ptr().add(at));
                            let p = f.as_mut_ptr().add(at);
                            let value = $fmadd(step, $sub(a, b), $loadu(p));
                            $storeu(p, value);
                            value
                        };
                        found.take(v, at, value, signs(u, shifts[v]), signs(l, shifts[v]));
                    }
                    k += LANES;
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
                let (step, before, shifts) = ($set1(t), $set1(gamma), shifts());
                let mut found = Extremes::new();
                let mut k = 0;
                while k < f.len() {
                    // SAFETY: k is below f.len(), and a multiple of `LANES`.
                    let (u, l) = unsafe { (bits_at(up, k), bits_at(low, k)) };
                    for v in 0..PARTS {
                        let at = k + WIDTH * v;
                        // SAFETY: at + WIDTH ≤ f.len() by the caller's promise on lengths.
                        let value = unsafe {
                            let a = T::$load(row_i.as_ptr().add(at));
                            let b = T::$load(row_j.as_ptr().add(at));
                            let (p, s) = (f.as_mut_ptr().add(at), q.as_mut_ptr().add(at));
                            let change = $fmadd(before, $loadu(s), $sub(a, b));
                            $storeu(s, change);
                            let value = $fmadd(step, change, $loadu(p));
                            $storeu(p, value);
                            value
                        };
                        found.take(v, at, value, signs(u, shifts[v]), signs(l, shifts[v]));
                    }
                    k += LANES;
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
                let (two, shifts) = ($set1(2.0), shifts());
                let mut num = [$zero(); APART];
                let mut den = [$set1(1.0); APART];
                let mut block = [_mm256_setzero_si256(); APART];
                let mut k = 0;
                while k < f.len() {
                    // SAFETY: k is below f.len(), and a multiple of `LANES`.
                    let l = unsafe { bits_at(low, k) };
                    for v in 0..PARTS {
                        let at = k + WIDTH * v;
                        // SAFETY: at + WIDTH ≤ f.len() by the caller's promise on lengths.
                        let (value, r, d) = unsafe {
                            (
                                $loadu(f.as_ptr().add(at)),
                                T::$load(row_i.as_ptr().add(at)),
                                $loadu(diagonal.as_ptr().add(at)),
                            )
                        };
                        let curvature = $max($fnmadd(two, r, $add(own, d)), least);
                        let rise = $sub(value, base);
                        let square = $mul(rise, rise);
                        let able = $and(signs(l, shifts[v]), $cmp::<_CMP_GT_OQ>(value, base));
                        let a = v % APART;
                        let (mine, best) = ($mul(square, den[a]), $mul(num[a], curvature));
                        let better = $and(able, $cmp::<_CMP_GT_OQ>(mine, best));
                        num[a] = $blend(num[a], square, better);
                        den[a] = $blend(den[a], curvature, better);
                        let here = $cast($set1_int(at as $integer));
                        block[a] = $cast_back($blend($cast(block[a]), here, better));
                    }
                    k += LANES;
                }
                let (mut most, mut j) = (0.0, None);
                for a in 0..APART {
                    let (num, den, block) = (numbers(num[a]), numbers(den[a]), integers(block[a]));
                    for k in 0..WIDTH {
                        let (ratio, at) = (num[k] / den[k], block[k] as usize + k);
                        if ratio > most || (ratio == most && j.is_some_and(|j| at < j)) {
                            (most, j) = (ratio, Some(at));
                        }
                    }
                }
                j
            }
        }
    };
}

loops!(
    double, f64, __m256d, load_four,
    _mm256_set1_pd _mm256_setzero_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_sub_pd
    _mm256_mul_pd _mm256_min_pd _mm256_max_pd _mm256_fmadd_pd _mm256_fnmadd_pd _mm256_cmp_pd
    _mm256_and_pd _mm256_blendv_pd _mm256_castsi256_pd _mm256_castpd_si256,
    i64, _mm256_set1_epi64x _mm256_sub_epi64 _mm256_sllv_epi64 _mm256_setr_epi64x(0, 1, 2, 3)
);

loops!(
    single, f32, __m256, load_eight,
    _mm256_set1_ps _mm256_setzero_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_sub_ps
    _mm256_mul_ps _mm256_min_ps _mm256_max_ps _mm256_fmadd_ps _mm256_fnmadd_ps _mm256_cmp_ps
    _mm256_and_ps _mm256_blendv_ps _mm256_castsi256_ps _mm256_castps_si256,
    i32, _mm256_set1_epi32 _mm256_sub_epi32 _mm256_sllv_epi32
    _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)
);
