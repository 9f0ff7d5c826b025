//! Reduction of a symmetric matrix to a tridiagonal one, A = Q T Qᵀ, by reflections in blocks
//! (Dongarra, Hammarling, Sorensen, *J. Comput. Appl. Math.* 27, 1989; LAPACK's DSYTRD). faer has one
//! that goes over the rest of the matrix twice as often, to read and to write it with each reflection.
//!
//! | symbol | name |
//! |---|---|
//! | reflection j, I − τ_j v vᵀ with v = 0 up to entry j, 1 in the next | row j of `reflectors`, `taus[j]` |
//! | diagonal of T, the numbers beside it | `d`, `e` |
//! | A of a block of reflections: A − V Wᵀ − W Vᵀ | rows of `panel`, v and w in turn |
//!
//! Cost: 4/3 n³, half of it in products of the matrix with one vector, which go as fast as it can be
//! read, half in products of matrices.

use super::simd::{dot, dots, subtract, symmetric_times, weighted_sum};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Reflections of a block, and of those of a small matrix: what a row and a product lack of the reflections
/// before them in the block is then less than what products of matrices lose (k = n/10 pairs of n = 160 to 900
/// take 3 to 12 % less than with blocks of 16, those of 2,000 about as long with any).
const BLOCK: usize = 32;
const NARROW: usize = 8;

/// Size below which matrices are small.
const SMALL: usize = 1500;

/// Rows that are changed by one product after a block.
const STRIP: usize = 64;

/// Rows of a part that Q is applied to.
const ROWS: usize = 128;

/// Sums of squares below it, of entries of the order of 1, are 0.
const NOTHING: f64 = 1e-280;

/// See the [module](self).
pub struct Reduced {
    /// The diagonal of T.
    pub d: Vec<f64>,
    /// The numbers beside it.
    pub e: Vec<f64>,
    reflectors: Vec<f64>,
    taus: Vec<f64>,
}

impl Reduced {
    /// Of a symmetric matrix with entries of the order of 1, n ≥ 1, row-major, of which the entries from
    /// the diagonal on are read. `None` where `going`, which is asked before each block, said no.
    pub fn new(n: usize, mut a: Vec<f64>, going: &dyn Fn() -> bool) -> Option<Self> {
        let (mut d, mut e, mut taus) = (vec![0.0; n], vec![0.0; n - 1], vec![0.0; n - 1]);
        let block = if n < SMALL { NARROW } else { BLOCK };
        let mut panel = vec![0.0; 2 * block * n];
        let mut swapped = vec![0.0; 2 * block * n];
        let mut shares = [0.0; 2 * BLOCK];
        for first in (0..n).step_by(block) {
            if !going() {
                return None;
            }
            let end = n.min(first + block);
            // What the block before left there is not read: each row from its reflection on.
            for j in first..end {
                let (done, rest) = panel.split_at_mut(2 * (j - first) * n);
                let pairs = || done.chunks_exact(2 * n).map(|pair| pair.split_at(n));
                let terms: Vec<_> =
                    pairs().flat_map(|(v, w)| [(-v[j], &w[j..]), (-w[j], &v[j..])]).collect();
                weighted_sum(&terms, &mut a[j * n + j..(j + 1) * n]);
                d[j] = a[j * n + j];
                if j + 1 == n {
                    break;
                }
                let (row, others) = a[j * n + j + 1..].split_at_mut(n - j - 1);
                (e[j], taus[j]) = reflection(row);
                let (v, w) = rest[..2 * n].split_at_mut(n);
                let (v, w) = (&mut v[j + 1..], &mut w[j + 1..]);
                v.copy_from_slice(row);
                symmetric_times(&others[j + 1..], n, v, w);
                let shares = &mut shares[..2 * (j - first)];
                shares.fill(0.0);
                if !shares.is_empty() {
                    dots(&done[j + 1..], n, v, 1.0, shares);
                }
                let terms: Vec<_> = pairs()
                    .zip(shares.chunks_exact(2))
                    .flat_map(|((v, w), s)| [(-s[1], &v[j + 1..]), (-s[0], &w[j + 1..])])
                    .collect();
                weighted_sum(&terms, w);
                w.iter_mut().for_each(|w| *w *= taus[j]);
                let half = 0.5 * taus[j] * dot(v, w);
                subtract(w, half, v);
            }
            changed(n, end, &mut a, &panel, &mut swapped);
            // Before its beginning a vector has zeros, as far as `apply` reads.
            let from = first / BLOCK * BLOCK;
            for j in first..end.min(n - 1) {
                a[j * n + from + 1..=j * n + j].fill(0.0);
            }
        }
        Some(Reduced { d, e, reflectors: a, taus })
    }

    /// Each row of `z` becomes Q times it; `None` where `going` said no. In parallel over parts of the rows, which do not
    /// depend on the number of threads.
    pub fn apply(&self, z: &mut [f64], going: &(dyn Fn() -> bool + Sync)) -> Option<()> {
        let (n, count) = (self.d.len(), self.taus.len());
        let factors: Vec<Vec<f64>> = (0..count)
            .step_by(BLOCK)
            .map(|first| self.factor(first, self.vectors(first, BLOCK.min(count - first))))
            .collect();
        let turn = |part: &mut [f64]| {
            let k = part.len() / n;
            let (mut shares, mut turned) = (vec![0.0; k * BLOCK], vec![0.0; k * BLOCK]);
            for (block, factor) in factors.iter().enumerate().rev() {
                if !going() {
                    return None;
                }
                let first = block * BLOCK;
                let width = BLOCK.min(count - first);
                let rows = self.vectors(first, width);
                let factor = MatRef::from_row_major_slice(factor, width, width);
                let mut shares =
                    MatMut::from_row_major_slice_mut(&mut shares[..k * width], k, width);
                let mut turned =
                    MatMut::from_row_major_slice_mut(&mut turned[..k * width], k, width);
                let mut z = strided(&mut part[first + 1..], k, n - first - 1, n);
                let (replace, add) = (Accum::Replace, Accum::Add);
                matmul(shares.as_mut(), replace, z.as_ref(), rows.transpose(), 1.0, Par::Seq);
                matmul(
                    turned.as_mut(),
                    replace,
                    shares.as_ref(),
                    factor.transpose(),
                    1.0,
                    Par::Seq,
                );
                matmul(z.as_mut(), add, turned.as_ref(), rows, -1.0, Par::Seq);
            }
            Some(())
        };
        // One part is not worth the way to another thread.
        if z.len() <= ROWS * n { turn(z) } else { z.par_chunks_mut(ROWS * n).try_for_each(turn) }
    }

    /// The vectors of `width` reflections from `first` on, as rows without the zeros that all of them begin with.
    fn vectors(&self, first: usize, width: usize) -> MatRef<'_, f64> {
        let (n, from) = (self.d.len(), first + 1);
        let values = &self.reflectors[first * n + from..(first + width) * n];
        MatRef::from_row_major_slice_with_stride(values, width, n - from, n)
    }

    /// The upper triangle S with (I − τ_1 v_1 v_1ᵀ)(I − τ_2 v_2 v_2ᵀ)… = I − V S Vᵀ, for the block of
    /// reflections whose vectors are `rows`.
    fn factor(&self, first: usize, rows: MatRef<'_, f64>) -> Vec<f64> {
        let width = rows.nrows();
        let (mut gram, mut s) = (vec![0.0; width * width], vec![0.0; width * width]);
        let out = MatMut::from_row_major_slice_mut(&mut gram, width, width);
        matmul(out, Accum::Replace, rows, rows.transpose(), 1.0, Par::Seq);
        for i in 0..width {
            let tau = self.taus[first + i];
            for t in 0..i {
                let sum: f64 = (t..i).map(|u| s[t * width + u] * gram[u * width + i]).sum();
                s[t * width + i] = -tau * sum;
            }
            s[i * width + i] = tau;
        }
        s
    }
}

/// A − V Wᵀ − W Vᵀ in rows and columns from `end` on; `swapped` is room for as much as `panel`.
fn changed(n: usize, end: usize, a: &mut [f64], panel: &[f64], swapped: &mut [f64]) {
    if end == n {
        return;
    }
    for (to, pair) in swapped.chunks_exact_mut(2 * n).zip(panel.chunks_exact(2 * n)) {
        to[end..n].copy_from_slice(&pair[n + end..]);
        to[n + end..].copy_from_slice(&pair[end..n]);
    }
    let count = panel.len() / n;
    let panel = MatRef::from_row_major_slice(panel, count, n);
    let swapped = MatRef::from_row_major_slice(swapped, count, n);
    for first in (end..n).step_by(STRIP) {
        let rows = STRIP.min(n - first);
        let out = strided(&mut a[first * n + first..], rows, n - first, n);
        let (left, right) = (panel.subcols(first, rows), swapped.subcols(first, n - first));
        matmul(out, Accum::Add, left.transpose(), right, -1.0, Par::Seq);
    }
}

/// A row-major matrix at the beginning of `values`, rows `stride` apart. (In faer 0.24
/// `from_row_major_slice_with_stride_mut` takes them for columns.)
pub(super) fn strided(
    values: &mut [f64],
    rows: usize,
    cols: usize,
    stride: usize,
) -> MatMut<'_, f64> {
    let needed = if rows == 0 { 0 } else { (rows - 1) * stride + cols };
    let values = &mut values[..needed];
    MatMut::from_column_major_slice_with_stride_mut(values, cols, rows, stride).transpose_mut()
}

/// x becomes v with v_0 = 1, so that (I − τ v vᵀ) x = β e_0; (β, τ).
fn reflection(x: &mut [f64]) -> (f64, f64) {
    let (head, rest) = x.split_at_mut(1);
    let (alpha, square) = (head[0], dot(rest, rest));
    head[0] = 1.0;
    if square < NOTHING {
        rest.fill(0.0);
        return (alpha, 0.0);
    }
    let beta = -(alpha * alpha + square).sqrt().copysign(alpha);
    rest.iter_mut().for_each(|v| *v /= alpha - beta);
    (beta, (beta - alpha) / beta)
}
