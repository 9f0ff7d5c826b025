//! [`Factors`]: kernels of low rank, K_m = F_m F_mᵀ with F_m n × r_m, of which only the factors are kept: the features towards
//! landmarks of [`scale`](crate::scale), side by side in one n × Σ r_m matrix.
//!
//! | what | how | cost |
//! |---|---|---|
//! | (Σ_m w_m K_m) V | Σ_m w_m F_m (F_mᵀ V) | 4 n r k multiplications and additions |
//! | row sums, diagonal | F (Fᵀ 1), Σ_j F_ij² | n r |
//! | K_m as a matrix | F_m F_mᵀ | n² r / 2, for a few thousand instances |
//! | k_m(x, ·) V for any x | k_m(x, Z) R_m (F_mᵀ V), of which R_m (F_mᵀ V), a row for each landmark of Z, is computed | 2 n r k once, r k for each x |
//!
//! Sums over instances are taken chunk by chunk of rows and the chunks added in their order: the same bits for any number of threads.

use super::LowRank;
use crate::data::Matrix;
use crate::run::Pass;
use crate::scale::Basis;
use crate::scale::root::Root;
use cokernel_dense::{Slice, add_gram_below, add_product_tn, mirror_below, product_nn, simd};
use rayon::prelude::*;
use std::ops::Range;

/// Rows that one task works on.
const ROWS: usize = 1_024;

/// The numbers of all factors, row by row.
#[derive(Debug, Clone)]
pub(crate) enum Entries {
    Double(Vec<f64>),
    /// Half the memory; entries are off by 6e-8 of themselves.
    Single(Vec<f32>),
}

/// What compares any instance with those that the factors belong to: row x of F_m is k_m(x, Z) R_m.
#[derive(Debug)]
pub(crate) struct Towards {
    /// Z: instances, or directions in their place.
    pub(crate) basis: Basis,
    /// R_m of each kernel.
    pub(crate) roots: Vec<Root>,
}

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Factors {
    n: usize,
    /// Σ r_m.
    wide: usize,
    /// The columns of each kernel.
    parts: Vec<Range<usize>>,
    entries: Entries,
    towards: Towards,
    how: LowRank,
}

impl Factors {
    pub(crate) fn new(
        n: usize,
        parts: Vec<Range<usize>>,
        entries: Entries,
        towards: Towards,
        how: LowRank,
    ) -> Self {
        let wide = parts.iter().map(|p| p.end).max().unwrap_or(0);
        Factors { n, wide, parts, entries, towards, how }
    }

    pub(super) fn n(&self) -> usize {
        self.n
    }

    pub(super) fn how(&self) -> LowRank {
        self.how
    }

    pub(super) fn basis(&self) -> &Basis {
        &self.towards.basis
    }

    /// Rows of F_m, in double precision; `room` is where they are put if they are not.
    fn rows<'a>(
        &'a self,
        m: usize,
        first: usize,
        count: usize,
        room: &'a mut Vec<f64>,
    ) -> Slice<'a> {
        let (part, from) = (&self.parts[m], first * self.wide);
        match &self.entries {
            Entries::Double(values) => {
                let values = &values[(from + part.start).min(values.len())..];
                Slice { values, rows: count, cols: part.len(), stride: self.wide.max(1) }
            }
            Entries::Single(values) => {
                room.clear();
                for row in values[from..].chunks(self.wide.max(1)).take(count) {
                    room.extend(row[part.clone()].iter().map(|v| f64::from(*v)));
                }
                Slice::new(room, count, part.len())
            }
        }
    }

    /// (K_m)_ii.
    pub(super) fn diagonal(&self, m: usize) -> Vec<f64> {
        if self.parts[m].is_empty() {
            return vec![0.0; self.n];
        }
        let squares = |c: usize| {
            let (first, mut room) = (c * ROWS, Vec::new());
            let rows = self.rows(m, first, ROWS.min(self.n - first), &mut room);
            let row = |i: usize| &rows.values[i * rows.stride..][..rows.cols];
            (0..rows.rows).map(|i| simd::dot(row(i), row(i))).collect::<Vec<f64>>()
        };
        (0..self.n.div_ceil(ROWS)).into_par_iter().flat_map_iter(squares).collect()
    }

    /// Entries (i, j), j in `columns`, of the kernels in `active`: `out[a·len..]`.
    pub(super) fn entries(
        &self,
        active: &[usize],
        i: usize,
        columns: impl ExactSizeIterator<Item = usize> + Clone,
        out: &mut [f64],
    ) {
        let len = columns.len();
        let (mut room, mut other) = (Vec::new(), Vec::new());
        for (a, m) in active.iter().enumerate() {
            let own = self.rows(*m, i, 1, &mut room);
            for (c, j) in columns.clone().enumerate() {
                let row = self.rows(*m, j, 1, &mut other);
                out[a * len + c] = simd::dot(&own.values[..own.cols], &row.values[..row.cols]);
            }
        }
    }

    /// `out` (n × k) += (Σ_m w_m K_m) V; what is left out by a pass that is given up is 0.
    pub(super) fn add_applied(
        &self,
        terms: &[(usize, f64)],
        block: &Matrix,
        out: &mut Matrix,
        pass: &Pass<'_>,
    ) {
        let inner = self.inner(terms, block, pass);
        self.add_outer(terms, &inner, out, pass);
    }

    /// K_m V, n × k, and R_m F_mᵀ V, landmarks × k; neither is to be used if the pass is given up.
    pub(super) fn applied(&self, m: usize, block: &Matrix, pass: &Pass<'_>) -> (Matrix, Matrix) {
        let (terms, mut image) = ([(m, 1.0)], Matrix::zeros(self.n, block.cols()));
        let inner = self.inner(&terms, block, pass);
        self.add_outer(&terms, &inner, &mut image, pass);
        (image, self.rooted(m, &inner, block.cols()))
    }

    /// `out` (n × k) += Σ_m w_m F_m G_m for the G_m (r_m × k) of `inner`, one after the other.
    fn add_outer(&self, terms: &[(usize, f64)], inner: &[f64], out: &mut Matrix, pass: &Pass<'_>) {
        let k = out.cols();
        let of_rows = |(room, image): &mut (Vec<f64>, Vec<f64>), (c, out): (usize, &mut [f64])| {
            if pass.is_over() {
                return;
            }
            let (count, mut at) = (out.len() / k, 0);
            for (m, w) in terms {
                let (r, from) = (self.parts[*m].len(), at);
                at += r * k;
                if r > 0 {
                    image.clear();
                    image.resize(count * k, 0.0);
                    let own = self.rows(*m, c * ROWS, count, room);
                    product_nn(own, Slice::new(&inner[from..at], r, k), image);
                    out.iter_mut().zip(&*image).for_each(|(o, v)| *o += w * v);
                }
            }
        };
        let rows = out.values_mut().par_chunks_mut(ROWS * k).enumerate();
        rows.for_each_init(Default::default, of_rows);
    }

    /// R_m F_mᵀ V, landmarks × k; not to be used if the pass is given up.
    pub(super) fn towards(&self, m: usize, block: &Matrix, pass: &Pass<'_>) -> Matrix {
        self.rooted(m, &self.inner(&[(m, 1.0)], block, pass), block.cols())
    }

    /// R_m G for G, r_m × k.
    fn rooted(&self, m: usize, inner: &[f64], k: usize) -> Matrix {
        let r = self.parts[m].len();
        let mut out = Matrix::zeros(self.towards.basis.len(), k);
        if r > 0 && k > 0 {
            self.towards.roots[m].times_block(&inner[..r * k], k, out.values_mut());
        }
        out
    }

    /// F_mᵀ V of each kernel, one after the other.
    fn inner(&self, terms: &[(usize, f64)], block: &Matrix, pass: &Pass<'_>) -> Vec<f64> {
        let k = block.cols();
        let chunks = 0..self.n.div_ceil(ROWS);
        let length: usize = terms.iter().map(|(m, _)| self.parts[*m].len() * k).sum();
        let of_chunk = |room: &mut Vec<f64>, c: usize| {
            let mut sums = vec![0.0; length];
            if pass.is_over() {
                return sums;
            }
            let (first, count) = (c * ROWS, ROWS.min(self.n - c * ROWS));
            let rows = Slice::new(&block.values()[first * k..(first + count) * k], count, k);
            let mut at = 0;
            for (m, _) in terms {
                let to = at + self.parts[*m].len() * k;
                if to > at {
                    let own = self.rows(*m, first, count, room);
                    add_product_tn(own, rows, &mut sums[at..to]);
                }
                at = to;
            }
            sums
        };
        let parts: Vec<Vec<f64>> = chunks.into_par_iter().map_init(Vec::new, of_chunk).collect();
        let mut inner = vec![0.0; length];
        for part in parts {
            inner.iter_mut().zip(part).for_each(|(s, p)| *s += p);
        }
        inner
    }

    /// K_m 1.
    pub(super) fn row_sums(&self, m: usize, pass: &Pass<'_>) -> Vec<f64> {
        let ones = Matrix::from_fn(self.n, 1, |_, _| 1.0);
        let mut sums = Matrix::zeros(self.n, 1);
        self.add_applied(&[(m, 1.0)], &ones, &mut sums, pass);
        sums.into_values()
    }

    /// `out` (n × n, symmetric) += Σ_m w_m K_m.
    pub(super) fn add_combined(&self, terms: &[(usize, f64)], out: &mut [f64], pass: &Pass<'_>) {
        let mut room = Vec::new();
        for (m, w) in terms {
            if pass.is_over() {
                return;
            }
            let rows = self.rows(*m, 0, self.n, &mut room);
            if rows.cols > 0 {
                add_gram_below(*w, rows, out);
            }
        }
        mirror_below(self.n, out);
    }
}
