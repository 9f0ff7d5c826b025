//! The sub-gradient of the hinge loss for several weight vectors at once: the inner loop of the
//! method, compiled for AVX-512, AVX2 and the baseline, chosen at run time.

use super::pairs::Chunk;
use super::pegasos::LANES;

#[inline(always)]
fn body<const FMA: bool>(
    chunk: &Chunk,
    first: usize,
    count: usize,
    weights: &[f64],
    width: usize,
    from: usize,
    gradient: &mut [f64],
) {
    let fma = |a: f64, b: f64, c: f64| if FMA { a.mul_add(b, c) } else { a * b + c };
    for (z, t) in chunk.range(first, count) {
        let mut margins = [0.0; LANES];
        for (z, row) in z.iter().zip(weights.chunks_exact(width)) {
            let row: &[f64] = &row[from..from + LANES];
            for (margin, w) in margins.iter_mut().zip(row) {
                *margin = fma(*z, *w, *margin);
            }
        }
        let signs = margins.map(|margin| if t * margin < 1.0 { t } else { 0.0 });
        if signs == [0.0; LANES] {
            continue;
        }
        for (z, row) in z.iter().zip(gradient.chunks_exact_mut(width)) {
            for (g, sign) in row[from..from + LANES].iter_mut().zip(&signs) {
                *g = fma(*z, *sign, *g);
            }
        }
    }
}

/// Adds Σ t·z over the examples with t·μ·z < 1 to the columns `from`‥`from` + [`LANES`] of
/// `gradient`, for the same columns μ of `weights` (both M × `width`).
pub(super) fn add(
    chunk: &Chunk,
    first: usize,
    count: usize,
    weights: &[f64],
    width: usize,
    from: usize,
    gradient: &mut [f64],
) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx2,fma")]
        fn wide(c: &Chunk, first: usize, n: usize, w: &[f64], s: usize, f: usize, g: &mut [f64]) {
            body::<true>(c, first, n, w, s, f, g);
        }
        #[target_feature(enable = "avx2,fma")]
        fn middle(c: &Chunk, first: usize, n: usize, w: &[f64], s: usize, f: usize, g: &mut [f64]) {
            body::<true>(c, first, n, w, s, f, g);
        }
        let fused = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        if fused && is_x86_feature_detected!("avx512f") {
            // SAFETY: the instruction sets were just found on this machine.
            return unsafe { wide(chunk, first, count, weights, width, from, gradient) };
        }
        if fused {
            // SAFETY: the instruction sets were just found on this machine.
            return unsafe { middle(chunk, first, count, weights, width, from, gradient) };
        }
    }
    body::<false>(chunk, first, count, weights, width, from, gradient);
}
