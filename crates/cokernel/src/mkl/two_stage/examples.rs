//! K-examples of pairs, and what the objective asks of all of them at once.

use super::penalty::Penalty;
use crate::data::Matrix;
use crate::solve::dense::{Slice, gram_tn};
use cokernel_dense::simd;
use rayon::prelude::*;

/// Examples that one task works on.
const CHUNK: usize = 4_096;

/// P K-examples times their signs: the rows t_p z_p of A.
#[derive(Debug, Clone, Default)]
pub(in crate::mkl) struct Examples {
    kernels: usize,
    signed: Vec<f64>,
}

impl Examples {
    /// None yet, of so many kernels.
    pub fn new(kernels: usize) -> Self {
        Examples { kernels, signed: Vec::new() }
    }

    /// Adds an example.
    pub fn push(&mut self, z: &[f64], sign: f64) {
        self.signed.extend(z.iter().map(|z| sign * z));
    }

    /// P.
    pub fn len(&self) -> usize {
        self.signed.len() / self.kernels.max(1)
    }

    /// M.
    pub fn kernels(&self) -> usize {
        self.kernels
    }

    /// t_p z_p.
    pub fn row(&self, p: usize) -> &[f64] {
        &self.signed[p * self.kernels..(p + 1) * self.kernels]
    }

    /// The same of some of the kernels.
    pub fn of(&self, kernels: &[usize]) -> Self {
        let rows = self.signed.chunks_exact(self.kernels.max(1));
        let signed = rows.flat_map(|row| kernels.iter().map(|k| row[*k])).collect();
        Examples { kernels: kernels.len(), signed }
    }

    /// Root mean square of each column, relative to the largest; at least 1e-100, 1 for columns of nothing.
    pub fn sizes(&self) -> Vec<f64> {
        let mut largest = vec![0.0_f64; self.kernels];
        let rows = || self.signed.chunks_exact(self.kernels.max(1));
        rows().for_each(|row| largest.iter_mut().zip(row).for_each(|(l, v)| *l = l.max(v.abs())));
        // Squares of numbers up to 1 only.
        let mut squares = vec![0.0; self.kernels];
        for row in rows() {
            for ((sum, v), most) in squares.iter_mut().zip(row).zip(&largest) {
                *sum += if *most > 0.0 { (v / most).powi(2) } else { 0.0 };
            }
        }
        let size = |(sum, most): (&f64, &f64)| (sum / self.len().max(1) as f64).sqrt() * most;
        let sizes: Vec<f64> = squares.iter().zip(&largest).map(size).collect();
        let most = sizes.iter().fold(0.0_f64, |a, v| a.max(*v));
        let relative = |v: &f64| if *v > 0.0 { (v / most).max(1e-100) } else { 1.0 };
        sizes.iter().map(relative).collect()
    }

    /// A μ.
    pub fn margins(&self, mu: &[f64]) -> Vec<f64> {
        let mut margins = vec![0.0; self.len()];
        let chunks = self.signed.par_chunks(CHUNK * self.kernels);
        margins.par_chunks_mut(CHUNK).zip(chunks).for_each(|(margins, rows)| {
            simd::dots(rows, self.kernels, mu, 1.0, margins);
        });
        margins
    }

    /// Aᵀ a, the chunks added in order.
    pub fn pull(&self, a: &[f64]) -> Vec<f64> {
        let chunks = self.signed.par_chunks(CHUNK * self.kernels).zip(a.par_chunks(CHUNK));
        let parts: Vec<Vec<f64>> = chunks
            .map(|(rows, a)| {
                let mut sums = vec![0.0; self.kernels];
                let rows = a.iter().copied().zip(rows.chunks_exact(self.kernels));
                let terms: Vec<(f64, &[f64])> = rows.filter(|(a, _)| *a != 0.0).collect();
                simd::weighted_sum_near(&terms, &mut sums);
                sums
            })
            .collect();
        let mut sums = vec![0.0; self.kernels];
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(s, p)| *s += p);
        }
        sums
    }

    /// AᵀDA + diagonal.
    pub fn normal(&self, d: &[f64], diagonal: &[f64]) -> Matrix {
        let (p, m) = (self.len(), self.kernels);
        let rows = self.signed.chunks_exact(m).zip(d);
        let scaled: Vec<f64> = rows.flat_map(|(row, d)| row.iter().map(move |z| d * z)).collect();
        let mut sum = gram_tn(Slice::new(&self.signed, p, m), Slice::new(&scaled, p, m));
        for (k, v) in diagonal.iter().enumerate() {
            sum.set(k, k, sum.get(k, k) + v);
        }
        sum
    }

    /// The objective with these weights of the examples.
    pub fn objective(&self, weights: &[f64], penalty: Penalty, mu: &[f64]) -> f64 {
        penalty.value(mu) + loss(&self.margins(mu), weights)
    }

    /// The minimiser on the ray from zero along the steepest descent there; zero weights where that is nothing, which
    /// are then the minimiser of all.
    pub fn steepest(&self, weights: &[f64], penalty: Penalty) -> Vec<f64> {
        let mut d = self.pull(weights);
        d.iter_mut().for_each(|v| *v = (*v - penalty.linear()).max(0.0));
        let largest = d.iter().fold(0.0_f64, |a, v| a.max(*v));
        if !(largest > 0.0 && largest.is_finite()) {
            return vec![0.0; self.kernels];
        }
        d.iter_mut().for_each(|v| *v /= largest);
        let margins = self.margins(&d);
        let slope = |c: f64| {
            let active = margins.iter().zip(weights).filter(|(m, _)| c * **m < 1.0);
            penalty.slope(&d, c) - active.map(|(m, w)| w * m).sum::<f64>()
        };
        // The slope grows with c and ends above 0; both loops end because f64 has so many powers.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..1100 {
            if slope(high) >= 0.0 {
                break;
            }
            (low, high) = (high, 2.0 * high);
        }
        for _ in 0..1100 {
            let middle = 0.5 * (low + high);
            if slope(middle) < 0.0 {
                low = middle
            } else {
                high = middle
            }
            if high - low <= 1e-12 * high {
                break;
            }
        }
        d.iter_mut().for_each(|v| *v *= low);
        d
    }
}

/// Σ_p w_p [1 − m_p]₊.
pub(in crate::mkl) fn loss(margins: &[f64], weights: &[f64]) -> f64 {
    margins.iter().zip(weights).map(|(m, w)| w * (1.0 - m).max(0.0)).sum()
}
