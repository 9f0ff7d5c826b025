//! The Kullback-Leibler divergence of the Gaussian processes of a kernel and of the ideal kernel.
//!
//! ```text
//! KL(N(0, K + ρI) ‖ N(0, T + ρI)) = ½ [ tr((T + ρI)⁻¹(K + ρI)) − log det(K + ρI) + log det(T + ρI) − n ]
//! ```
//!
//! (Ying, Huang and Campbell 2009; LMKA §2.3.2, where there is no ridge ρ: without one the divergence from the
//! ideal kernel, whose rank is that of the classes, is infinite, and so is that of kernels of low rank.)
//! It is convex in the weights of K = Σ η_m K_m. The inverse of T + ρI has a formula: T = V M Vᵀ with the indicators of
//! the classes (or the numbers) as columns of V, VᵀV = D diagonal and S = D^½ M D^½ = Σ s_i q_i q_iᵀ, so that with
//! W = V D^-½ Q the inverse is (I − W diag(s_i/(ρ + s_i)) Wᵀ)/ρ. Cost: n³ for a value, n²M more for the gradient, 4n³M for
//! the second derivatives.

use super::Ideal;
use crate::bank::Bank;
use crate::data::Matrix;
use crate::run::Pass;
use crate::solve::dense::{product_while, symmetric_eigen};
use crate::{Error, Result};
use cokernel_dense::{Cholesky, Slice};

/// What the divergence of all weighted sums of M kernels is made of.
#[derive(Debug)]
pub struct Divergence<'a> {
    bank: &'a Bank,
    /// Kernels are divided by it.
    unit: f64,
    ridge: f64,
    /// tr((T + ρI)⁻¹ K_m).
    traces: Vec<f64>,
    /// ρ tr (T + ρI)⁻¹ + log det(T + ρI) − n.
    constant: f64,
}

/// A value with its derivatives by the weights.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    /// The divergence of all n instances.
    pub divergence: f64,
    /// By each weight.
    pub slope: Vec<f64>,
    /// (K + ρI)⁻¹.
    inverse: Vec<f64>,
}

impl<'a> Divergence<'a> {
    /// From the ideal kernel, for kernels divided by `unit`.
    ///
    /// After a stop it is not to be used.
    ///
    /// # Errors
    /// No memory for n × n numbers; a ridge that is nothing beside the ideal kernel.
    pub(crate) fn from(
        bank: &'a Bank,
        ideal: &Ideal,
        unit: f64,
        ridge: f64,
        pass: &Pass<'_>,
    ) -> Result<Self> {
        let n = bank.n();
        crate::error::room_for::<f64>(n.checked_mul(3 * n), || {
            format!("three matrices of {n} × {n} similarities")
        })?;
        let (values, axes) = spectrum(ideal)?;
        let shares: Vec<f64> = values.iter().map(|s| s / (ridge + s)).collect();
        let trace = n as f64 - shares.iter().sum::<f64>();
        let logs: f64 = values.iter().map(|s| (s / ridge).ln_1p()).sum();
        let constant = trace + n as f64 * ridge.ln() + logs - n as f64;
        let inner = sums(bank, ideal, pass);
        let own = |m: usize| {
            // tr(Wᵀ K_m W diag(shares)), of K_m between the vectors.
            let along = |c: usize| -> f64 {
                let (k, of) = (axes.rows(), |u: usize| axes.get(u, c));
                (0..k * k).map(|e| of(e / k) * of(e % k) * inner[m][e]).sum()
            };
            let diagonal: f64 = bank.diagonal(m).iter().sum();
            let within: f64 = (0..shares.len()).map(|c| shares[c] * along(c)).sum();
            (diagonal - within) / (ridge * unit)
        };
        let traces: Vec<f64> = (0..bank.len()).map(own).collect();
        if !constant.is_finite() || traces.iter().any(|t| !t.is_finite()) {
            return Err(Error::parameter("ridge", "too small for the ideal kernel"));
        }
        Ok(Divergence { bank, unit, ridge, traces, constant })
    }

    /// The divergence of Σ η_m K_m with its slope; `None` if the sum with its ridge is not positive definite, and after a
    /// stop.
    ///
    /// # Errors
    /// No memory for n × n numbers.
    pub(crate) fn value(&self, weights: &[f64], pass: &Pass<'_>) -> Result<Option<Value>> {
        let n = self.bank.n();
        let scaled: Vec<f64> = weights.iter().map(|w| w / self.unit).collect();
        let mut matrix = self.bank.combine_in(&scaled, pass)?.into_matrix()?.into_values();
        (0..n).for_each(|i| matrix[i * n + i] += self.ridge);
        let going = || !pass.is_over();
        if !going() {
            return Ok(None);
        }
        let Some(factor) = Cholesky::while_going(n, matrix, &going) else { return Ok(None) };
        let Some(inverse) = factor.inverse_while_going(&going) else { return Ok(None) };
        let log_det = factor.log_determinant();
        let along: f64 = weights.iter().zip(&self.traces).map(|(w, t)| w * t).sum();
        let own = products(self.bank, &inverse);
        let slope = self.traces.iter().zip(own).map(|(t, o)| 0.5 * (t - o / self.unit)).collect();
        Ok(Some(Value { divergence: 0.5 * (along - log_det + self.constant), slope, inverse }))
    }

    /// The second derivatives, M × M: ½ tr(R K_m R K_h) with R = (K + ρI)⁻¹; `None` after a stop.
    ///
    /// # Errors
    /// No memory for n × n numbers.
    pub(crate) fn curvature(&self, at: &Value, pass: &Pass<'_>) -> Result<Option<Vec<f64>>> {
        let (n, kernels) = (self.bank.n(), self.bank.len());
        let going = || !pass.is_over();
        let mut out = Vec::with_capacity(kernels * kernels);
        for m in 0..kernels {
            let mut weights = vec![0.0; kernels];
            weights[m] = 1.0;
            let own = self.bank.combine_in(&weights, pass)?;
            let inverse = Slice::new(&at.inverse, n, n);
            // Asks after the pass above, too.
            let half = product_while(inverse, Slice::new(own.values(), n, n), &going);
            let whole = half.and_then(|half| product_while(Slice::of(&half), inverse, &going));
            let Some(whole) = whole else { return Ok(None) };
            let scale = 0.5 / (self.unit * self.unit);
            out.extend(products(self.bank, whole.values()).iter().map(|v| scale * v));
        }
        cokernel_dense::symmetric_part(kernels, &mut out);
        Ok(Some(out))
    }
}

/// s, and D^-½ Q by columns.
fn spectrum(ideal: &Ideal) -> Result<(Vec<f64>, Matrix)> {
    let (vectors, alpha, beta) = ideal.parts();
    let squares: Vec<f64> = vectors.iter().map(|v| v.iter().map(|x| x * x).sum()).collect();
    let inner = |u: usize, w: usize| {
        let own = if u == w { alpha } else { 0.0 };
        (squares[u] * squares[w]).sqrt() * (own - beta)
    };
    let k = vectors.len();
    let (mut values, mut axes) = symmetric_eigen(&Matrix::from_fn(k, k, inner))?;
    values.iter_mut().for_each(|s| *s = s.max(0.0));
    for (u, square) in squares.iter().enumerate().filter(|(_, s)| **s > 0.0) {
        axes.row_mut(u).iter_mut().for_each(|a| *a /= square.sqrt());
    }
    Ok((values, axes))
}

/// v_uᵀ K_m v_w for all kernels, k × k each.
fn sums(bank: &Bank, ideal: &Ideal, pass: &Pass<'_>) -> Vec<Vec<f64>> {
    let (vectors, ..) = ideal.parts();
    let k = vectors.len();
    let of = |i: usize| ideal.of[i] as usize;
    let mut out = vec![vec![0.0; k * k]; bank.len()];
    let mut row = vec![0.0; k];
    bank.tiles(|tile| {
        if pass.is_over() {
            return;
        }
        for i in tile.row0..tile.row0 + tile.rows {
            let own = tile.weight() * vectors[of(i)][i];
            for (m, out) in out.iter_mut().enumerate() {
                row.fill(0.0);
                for (j, value) in (tile.col0..).zip(tile.segment(i - tile.row0, m)) {
                    row[of(j)] += value * vectors[of(j)][j];
                }
                let into = &mut out[of(i) * k..(of(i) + 1) * k];
                into.iter_mut().zip(&row).for_each(|(o, r)| *o += own * r);
            }
        }
    });
    out
}

/// ⟨B, K_m⟩ for all kernels.
fn products(bank: &Bank, matrix: &[f64]) -> Vec<f64> {
    let (n, mut out) = (bank.n(), vec![0.0; bank.len()]);
    bank.tiles(|tile| {
        for r in 0..tile.rows {
            let row = &matrix[(tile.row0 + r) * n + tile.col0..][..tile.cols];
            for (m, out) in out.iter_mut().enumerate() {
                *out += tile.weight() * cokernel_dense::simd::dot(tile.segment(r, m), row);
            }
        }
    });
    out
}
