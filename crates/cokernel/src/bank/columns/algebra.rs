//! Products with Z.

use super::Columns;
use crate::data::Matrix;
use crate::run::Pass;
use cokernel_dense::{Slice, add_gram_below, gram_tn, mirror_below, product_plus, simd};
use rayon::prelude::*;
use std::borrow::Cow;

/// Columns that one task works on, and columns that are multiplied by all between two looks at the clock.
const CHUNK: usize = 4_096;
const TOGETHER: usize = 1_024;

impl Columns {
    /// Zᵀc.
    pub(in crate::bank) fn scores(&self, coef: &[f64], pass: &Pass<'_>) -> Vec<f64> {
        scores(&self.z, coef, pass)
    }

    /// Σ_i (c_i z_im)² for every m.
    pub(in crate::bank) fn squares(&self, coef: &[f64], pass: &Pass<'_>) -> Vec<f64> {
        column_sums(&self.z, coef, pass, |terms, out| {
            for (c, row) in terms {
                out.iter_mut().zip(*row).for_each(|(o, z)| *o += (c * z) * (c * z));
            }
        })
    }

    /// Some rows of Zx.
    pub(in crate::bank) fn rows_times(&self, x: &[f64], rows: &[u32], pass: &Pass<'_>) -> Vec<f64> {
        let product = |i: &u32| match pass.is_over() {
            true => 0.0,
            false => simd::dot(self.z.row(*i as usize), x),
        };
        rows.par_iter().map(product).collect()
    }

    /// Zx and Σ_m w_m z_im² for every i: 0 of rows that a pass which is given up leaves out.
    pub(in crate::bank) fn moments(
        &self,
        x: &[f64],
        weights: &[f64],
        pass: &Pass<'_>,
    ) -> (Vec<f64>, Vec<f64>) {
        let of_row = |i: usize| {
            let mut sums = (0.0, 0.0);
            if pass.is_over() {
                return sums;
            }
            let mut scaled = [0.0; CHUNK];
            let parts = self.z.row(i).chunks(CHUNK).zip(x.chunks(CHUNK));
            for ((z, x), w) in parts.zip(weights.chunks(CHUNK)) {
                let scaled = &mut scaled[..z.len()];
                scaled.iter_mut().zip(z).zip(w).for_each(|((s, z), w)| *s = w * z);
                sums.0 += simd::dot(z, x);
                sums.1 += simd::dot(scaled, z);
            }
            sums
        };
        (0..self.z.rows()).into_par_iter().map(of_row).unzip()
    }

    /// z_mᵀc of the kernels at these places.
    pub(in crate::bank) fn scores_of(
        &self,
        places: &[usize],
        coef: &[f64],
        pass: &Pass<'_>,
    ) -> Vec<f64> {
        if 8 * places.len() > self.z.cols() {
            let all = self.scores(coef, pass);
            return places.iter().map(|p| all[*p]).collect();
        }
        let mut sums = vec![0.0; places.len()];
        for (i, c) in coef.iter().enumerate().filter(|(_, c)| **c != 0.0) {
            let row = self.z.row(i);
            sums.iter_mut().zip(places).for_each(|(s, p)| *s += c * row[*p]);
        }
        sums
    }

    /// `out` (n × n, symmetric) += Σ_a w_a K_a over the kernels at these places.
    pub(in crate::bank) fn add_combined(
        &self,
        terms: &[(usize, f64)],
        out: &mut [f64],
        pass: &Pass<'_>,
    ) {
        let n = self.z.rows();
        let wide = ((1 << 22) / n.max(1)).clamp(256, 2_048);
        for sign in [1.0, -1.0] {
            let of_sign: Vec<(usize, f64)> = terms
                .iter()
                .filter(|t| t.1 * sign > 0.0)
                .map(|(place, w)| (*place, w.abs().sqrt()))
                .collect();
            for terms in of_sign.chunks(wide) {
                if pass.is_over() {
                    return;
                }
                let mut scaled = vec![0.0; n * terms.len()];
                scaled.par_chunks_mut(terms.len()).enumerate().for_each(|(i, out)| {
                    let row = self.z.row(i);
                    out.iter_mut().zip(terms).for_each(|(o, (p, root))| *o = root * row[*p]);
                });
                add_gram_below(sign, Slice::new(&scaled, n, terms.len()), out);
            }
        }
        mirror_below(n, out);
    }

    /// `out` (n × k) += (Σ_a w_a K_a) V over the kernels at these places.
    pub(in crate::bank) fn add_applied(
        &self,
        terms: &[(usize, f64)],
        block: &Matrix,
        out: &mut Matrix,
    ) {
        let chosen = self.chosen(terms);
        let (z, k) = (&*chosen.z, block.cols());
        let mut scores = vec![0.0; z.cols() * k];
        if k == 1 {
            scores = self::scores(z, block.values(), &Pass::default());
        } else {
            gram_tn(Slice::of(z), Slice::of(block), &mut scores);
        }
        for (scores, w) in scores.chunks_mut(k).zip(&chosen.weights) {
            scores.iter_mut().for_each(|s| *s *= w);
        }
        product_plus(out.values_mut(), 1.0, Slice::of(z), Slice::new(&scores, z.cols(), k));
    }

    /// The columns at these places with their weights; all columns where these are most of them.
    pub(in crate::bank) fn chosen(&self, terms: &[(usize, f64)]) -> Chosen<'_> {
        if 2 * terms.len() > self.z.cols() {
            let mut weights = vec![0.0; self.z.cols()];
            terms.iter().for_each(|(p, w)| weights[*p] = *w);
            return Chosen { z: Cow::Borrowed(&self.z), weights };
        }
        let places: Vec<usize> = terms.iter().map(|t| t.0).collect();
        let weights = terms.iter().map(|t| t.1).collect();
        Chosen { z: Cow::Owned(self.z.select_cols(&places)), weights }
    }

    /// ZᵀZ, of the features with their means taken off if `centered`, squared entry by entry.
    pub(in crate::bank) fn inner_products(&self, centered: bool, pass: &Pass<'_>) -> Matrix {
        let m = self.z.cols();
        let centred;
        let z = if centered {
            let mut z = self.z.clone();
            let ones = vec![1.0 / z.rows() as f64; z.rows()];
            let means = self.scores(&ones, &Pass::default());
            for i in 0..z.rows() {
                z.row_mut(i).iter_mut().zip(&means).for_each(|(z, m)| *z -= m);
            }
            centred = z;
            &centred
        } else {
            &self.z
        };
        let mut out = Matrix::zeros(m, m);
        for (some, out) in out.values_mut().chunks_mut(TOGETHER * m.max(1)).enumerate() {
            if pass.is_over() {
                break;
            }
            let cols = out.len() / m;
            let part = Slice { values: &z.values()[some * TOGETHER..], cols, ..Slice::of(z) };
            gram_tn(part, Slice::of(z), out);
        }
        cokernel_dense::symmetric_part(m, out.values_mut());
        out.values_mut().iter_mut().for_each(|v| *v *= *v);
        out
    }
}

/// Zᵀc.
fn scores(z: &Matrix, coef: &[f64], pass: &Pass<'_>) -> Vec<f64> {
    column_sums(z, coef, pass, simd::weighted_sum)
}

/// Sums over the rows with a coefficient, eight at a time.
fn column_sums(
    z: &Matrix,
    coef: &[f64],
    pass: &Pass<'_>,
    add: impl Fn(&[(f64, &[f64])], &mut [f64]) + Sync,
) -> Vec<f64> {
    let rows: Vec<usize> = (0..coef.len()).filter(|i| coef[*i] != 0.0).collect();
    let mut sums = vec![0.0; z.cols()];
    sums.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
        let first = chunk * CHUNK;
        let mut terms: [(f64, &[f64]); 8] = [(0.0, &[]); 8];
        for rows in rows.chunks(8) {
            if pass.is_over() {
                return;
            }
            for (term, i) in terms.iter_mut().zip(rows) {
                *term = (coef[*i], &z.row(*i)[first..first + out.len()]);
            }
            add(&terms[..rows.len()], out);
        }
    });
    sums
}

/// Some columns with a weight each: Σ_a w_a z_a z_aᵀ by rows.
#[derive(Debug)]
pub(in crate::bank) struct Chosen<'a> {
    z: Cow<'a, Matrix>,
    weights: Vec<f64>,
}

impl Chosen<'_> {
    /// w ∘ z_i.
    pub(in crate::bank) fn weighted(&self, i: usize) -> Vec<f64> {
        self.z.row(i).iter().zip(&self.weights).map(|(z, w)| z * w).collect()
    }

    /// Entry (i, j) of the sum, for what [`weighted`](Self::weighted) gave for i.
    pub(in crate::bank) fn entry(&self, weighted: &[f64], j: usize) -> f64 {
        simd::dot(weighted, self.z.row(j))
    }
}
