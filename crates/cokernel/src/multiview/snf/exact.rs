//! The rounds of network fusion in double precision, on n × n matrices without panels: for the few problems whose rows have entries so
//! far apart that [`exchange`](super::exchange) does not hold them. Each pair of a graph is that of two instances which have its view.
//!
//! Cost: 4 n² K operations for each kernel and round, from memory that no cache holds; memory (16 M + 24) n² bytes.

use super::exchange::Sparse;
use rayon::prelude::*;

/// The mean over some graphs (by their numbers) of pair (i, j), where one has it.
fn mean(
    all: &[Vec<f64>],
    has: &[Vec<bool>],
    but: Option<usize>,
    (i, j): (usize, usize),
    n: usize,
) -> Option<f64> {
    let both = (0..all.len()).filter(|h| Some(*h) != but && has[*h][i] && has[*h][j]);
    let (sum, count) = both.fold((0.0, 0.0), |(s, c), h| (s + all[h][i * n + j], c + 1.0));
    (count > 0.0).then(|| sum / count)
}

/// The next graph of kernel m: S X Sᵀ in the form of [`form`].
pub(super) fn pass(
    n: usize,
    all: &[Vec<f64>],
    has: &[Vec<bool>],
    m: usize,
    sparse: &Sparse,
) -> Vec<f64> {
    let (mut x, mut out) = (vec![0.0; n * n], vec![0.0; n * n]);
    let there = |i: &usize| has[m][*i];
    x.par_chunks_mut(n).enumerate().filter(|(i, _)| there(i)).for_each(|(i, out)| {
        for j in (0..n).filter(there) {
            out[j] = mean(all, has, Some(m), (i, j), n).unwrap_or(all[m][i * n + j]);
        }
    });
    out.par_chunks_mut(n).enumerate().filter(|(i, _)| there(i)).for_each_init(
        || vec![0.0; n],
        |left, (i, out)| {
            left.fill(0.0);
            for (l, s) in sparse.exact_row(i) {
                left.iter_mut().zip(&x[l * n..(l + 1) * n]).for_each(|(a, v)| *a += s * v);
            }
            for j in (0..n).filter(there) {
                out[j] = sparse.exact_row(j).map(|(l, s)| s * left[l]).sum();
            }
        },
    );
    form(n, &has[m], &mut out);
    out
}

/// Rows of the instances that are there to sums of one, of which half is on the diagonal; then the symmetric part.
pub(super) fn form(n: usize, has: &[bool], p: &mut [f64]) {
    p.par_chunks_mut(n).enumerate().filter(|(i, _)| has[*i]).for_each(|(i, row)| {
        row[i] = 0.0;
        let sum: f64 = row.iter().sum();
        // The inverse of the smallest sums is no number.
        let share = |v: f64| if sum > 0.0 { 0.5 * (v / sum) } else { 0.0 };
        row.iter_mut().for_each(|v| *v = share(*v));
        row[i] = 0.5;
    });
    cokernel_dense::symmetric_part(n, p);
}

/// For each pair the mean over the graphs that have both, 0 where none has.
pub(super) fn mean_of(n: usize, all: &[Vec<f64>], has: &[Vec<bool>]) -> Vec<f64> {
    let mut out = vec![0.0; n * n];
    out.par_chunks_mut(n).enumerate().for_each(|(i, out)| {
        for (j, out) in out.iter_mut().enumerate() {
            *out = mean(all, has, None, (i, j), n).unwrap_or(0.0);
        }
    });
    out
}
