//! Products of matrices.

use super::tridiagonal::strided;
use super::{Slice, tall};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Rows of a strip of a symmetric matrix, and the side of the squares in which it is transposed.
const STRIP: usize = 128;
const SQUARE: usize = 32;
/// Rows of a strip of a product of many columns, whose factors are worth fewer passes.
pub const GRAM_STRIP: usize = 384;
/// Rows of a strip of a small one.
const NARROW: usize = 64;

/// Rows that one task works on. A constant, because the sums of [`gram_tn`] are cut at it.
const CHUNK: usize = 512;

/// out = A B for A m × d and B d × k, into `out` (m × k, no gaps); one thread.
pub fn product_nn(a: Slice<'_>, b: Slice<'_>, out: &mut [f64]) {
    let out = MatMut::from_row_major_slice_mut(out, a.rows, b.cols);
    matmul(out, Accum::Replace, a.faer(), b.faer(), 1.0, Par::Seq);
}

/// out = A Bᵀ for A m × d and B k × d, into `out` (m × k, no gaps); one thread.
pub fn product_nt(a: Slice<'_>, b: Slice<'_>, out: &mut [f64]) {
    let out = MatMut::from_row_major_slice_mut(out, a.rows, b.rows);
    matmul(out, Accum::Replace, a.faer(), b.faer().transpose(), 1.0, Par::Seq);
}

/// out += Aᵀ B for A n × m and B n × k, into `out` (m × k, no gaps); one thread.
pub fn add_product_tn(a: Slice<'_>, b: Slice<'_>, out: &mut [f64]) {
    let out = MatMut::from_row_major_slice_mut(out, a.cols, b.cols);
    matmul(out, Accum::Add, a.faer().transpose(), b.faer(), 1.0, Par::Seq);
}

/// out = A Bᵀ in single precision for A m × d and B k × d, all without gaps; one thread.
pub fn product_nt_f32(a: &[f32], b: &[f32], d: usize, out: &mut [f32]) {
    let rows = |values: &[f32]| values.len().checked_div(d).unwrap_or(0);
    let (m, k) = (rows(a), rows(b));
    let (a, b) = (MatRef::from_row_major_slice(a, m, d), MatRef::from_row_major_slice(b, k, d));
    let out = MatMut::from_row_major_slice_mut(out, m, k);
    matmul(out, Accum::Replace, a, b.transpose(), 1.0, Par::Seq);
}

/// out += α A Aᵀ for A m × d, into `out` (m × m, no gaps); one thread.
pub fn add_scaled_gram(alpha: f64, a: Slice<'_>, out: &mut [f64]) {
    let out = MatMut::from_row_major_slice_mut(out, a.rows, a.rows);
    matmul(out, Accum::Add, a.faer(), a.faer().transpose(), alpha, Par::Seq);
}

/// out = L + F Fᵀ for a symmetric L and F n × d, into `out` (n × n, no gaps): strips of the lower triangle
/// in parallel, then mirrored.
pub fn plus_gram(l: Slice<'_>, f: Slice<'_>, out: &mut [f64]) {
    let n = l.rows;
    out.par_chunks_mut((STRIP * n).max(1)).enumerate().for_each(|(s, strip)| {
        let (first, rows) = (s * STRIP, strip.len() / n);
        let width = first + rows;
        for (row, i) in strip.chunks_exact_mut(n).zip(first..) {
            row[..width].copy_from_slice(&l.values[i * l.stride..][..width]);
        }
        let (left, right) = (f.rows(first, rows).faer(), f.rows(0, width).faer());
        let part = strided(strip, rows, width, n);
        matmul(part, Accum::Add, left, right.transpose(), 1.0, Par::Seq);
    });
    mirror_below(n, out);
}

/// The lower triangle of out += α F Fᵀ for F n × d (`out` n × n, no gaps), in strips in parallel. Entries above the
/// diagonal may change, too: [`mirror_below`] puts them right.
pub fn add_gram_below(alpha: f64, f: Slice<'_>, out: &mut [f64]) {
    add_gram_rows(alpha, f, 0, out);
}

/// Some rows of the same, from `first` on, a multiple of [`GRAM_STRIP`]: `out` has their n columns each, as many rows as are
/// wanted, up to another such multiple or the last. To the bits of the whole.
pub fn add_gram_rows(alpha: f64, f: Slice<'_>, first: usize, out: &mut [f64]) {
    let n = f.rows;
    out.par_chunks_mut((GRAM_STRIP * n).max(1)).enumerate().for_each(|(s, strip)| {
        let (first, rows) = (first + s * GRAM_STRIP, strip.len() / n);
        // Left of the square on the diagonal in one product, and that in strips.
        let (left, right) = (f.rows(first, rows).faer(), f.rows(0, first).faer());
        let part = strided(strip, rows, first, n);
        matmul(part, Accum::Add, left, right.transpose(), alpha, Par::Seq);
        for from in (0..rows).step_by(STRIP) {
            let height = STRIP.min(rows - from);
            let below = &mut strip[from * n + first..];
            let left = f.rows(first + from, height).faer();
            let right = f.rows(first, from + height).faer();
            let part = strided(below, height, from + height, n);
            matmul(part, Accum::Add, left, right.transpose(), alpha, Par::Seq);
        }
    });
}

/// Copies the lower triangle of an n × n matrix to the upper one.
pub fn mirror_below(n: usize, out: &mut [f64]) {
    below_diagonal(n, |i, j| out[j * n + i] = out[i * n + j]);
}

/// Transposes a block of rows of length `cols` into `out`, in squares of 8 × 8.
pub fn transpose(block: &[f64], cols: usize, out: &mut [f64]) {
    let rows = block.len() / cols;
    for r0 in (0..rows).step_by(8) {
        for c0 in (0..cols).step_by(8) {
            if r0 + 8 <= rows && c0 + 8 <= cols {
                let mut square = [[0.0; 8]; 8];
                for (r, line) in square.iter_mut().enumerate() {
                    line.copy_from_slice(&block[(r0 + r) * cols + c0..][..8]);
                }
                for c in 0..8 {
                    let line: [f64; 8] = std::array::from_fn(|r| square[r][c]);
                    out[(c0 + c) * rows + r0..][..8].copy_from_slice(&line);
                }
                continue;
            }
            for c in c0..cols.min(c0 + 8) {
                for r in r0..rows.min(r0 + 8) {
                    out[c * rows + r] = block[r * cols + c];
                }
            }
        }
    }
}

/// ½ (A + Aᵀ) in the place of A (n × n, no gaps).
pub fn symmetric_part(n: usize, a: &mut [f64]) {
    below_diagonal(n, |i, j| {
        let half = 0.5 * (a[i * n + j] + a[j * n + i]);
        (a[i * n + j], a[j * n + i]) = (half, half);
    });
}

/// All (i, j) with j < i < n, square by square, so that both (i, j) and (j, i) stay in the cache.
pub(crate) fn below_diagonal(n: usize, mut each: impl FnMut(usize, usize)) {
    for first in (0..n).step_by(SQUARE) {
        for other in (0..=first).step_by(SQUARE) {
            for i in first..n.min(first + SQUARE) {
                (other..i.min(other + SQUARE)).for_each(|j| each(i, j));
            }
        }
    }
}

/// The upper triangle of out = AᵀA for A n × m, into `out` (m × m, no gaps), in strips in parallel; what is below
/// it stays as it was, but for squares on the diagonal.
pub fn gram_above(a: Slice<'_>, out: &mut [f64]) {
    let m = a.cols;
    out.par_chunks_mut((NARROW * m).max(1)).enumerate().for_each(|(s, strip)| {
        let (first, rows) = (s * NARROW, strip.len() / m);
        let left = a.faer().subcols(first, rows).transpose();
        let right = a.faer().subcols(first, m - first);
        let part = strided(&mut strip[first..], rows, m - first, m);
        matmul(part, Accum::Replace, left, right, 1.0, Par::Seq);
    });
}

/// out += α A B for A m × d and B d × k, into `out` (m × k, no gaps), in parallel over the rows.
pub fn product_plus(out: &mut [f64], alpha: f64, a: Slice<'_>, b: Slice<'_>) {
    let k = b.cols;
    if k == 0 || a.rows == 0 {
        return;
    }
    out.par_chunks_mut(CHUNK * k).enumerate().for_each(|(c, part)| {
        let rows = part.len() / k;
        if let Some(width) = tall::width(rows, a.cols, k) {
            return tall::times(a.rows(c * CHUNK, rows), b, alpha, width, part);
        }
        let part = MatMut::from_row_major_slice_mut(part, rows, k);
        let a = a.rows(c * CHUNK, rows);
        matmul(part, Accum::Add, a.faer(), b.faer(), alpha, Par::Seq);
    });
}

/// out += Aᵀ B for A n × m and B n × k, into `out` (m × k, no gaps), chunk by chunk of rows in
/// parallel, the chunks added in order.
pub fn gram_tn(a: Slice<'_>, b: Slice<'_>, out: &mut [f64]) {
    let (n, m, k) = (a.rows, a.cols, b.cols);
    let parts: Vec<Vec<f64>> = (0..n.div_ceil(CHUNK))
        .into_par_iter()
        .map(|c| {
            let rows = CHUNK.min(n - c * CHUNK);
            let (a, b) = (a.rows(c * CHUNK, rows), b.rows(c * CHUNK, rows));
            let mut part = vec![0.0; m * k];
            if let Some(width) = tall::width(rows, m, k) {
                tall::turned(a, b, width, &mut part);
                return part;
            }
            let out = MatMut::from_row_major_slice_mut(&mut part, m, k);
            matmul(out, Accum::Replace, a.faer().transpose(), b.faer(), 1.0, Par::Seq);
            part
        })
        .collect();
    for part in parts {
        out.iter_mut().zip(part).for_each(|(s, p)| *s += p);
    }
}
