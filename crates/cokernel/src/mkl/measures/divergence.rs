//! The Kullback-Leibler divergence of the Gaussian processes of a kernel and of the ideal kernel.
//!
//! ```text
//! KL(N(0, K + ρI) ‖ N(0, T + ρI)) = ½ [ tr((T + ρI)⁻¹(K + ρI)) − log det(K + ρI) + log det(T + ρI) − n ]
//! ```
//!
//! (Ying, Huang and Campbell 2009; LMKA §2.3.2, where there is no ridge ρ: without one the divergence from the
//! ideal kernel, whose rank is that of the classes, is infinite, and so is that of kernels of low rank.)
//! It is convex in the weights of K = Σ η_m K_m. Cost: n³/3 for a value, n²M more for the gradient, 4n³M for
//! the second derivatives.

use super::Ideal;
use crate::bank::Bank;
use crate::data::Matrix;
use crate::run::Pass;
use crate::{Error, Result};
use cokernel_dense::{Cholesky, Slice, product_nn};

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
    /// # Errors
    /// No memory for n × n numbers.
    pub fn from(bank: &'a Bank, ideal: &Ideal, unit: f64, ridge: f64) -> Result<Self> {
        let n = bank.n();
        crate::error::room_for::<f64>(n.checked_mul(3 * n), || {
            format!("three matrices of {n} × {n} similarities")
        })?;
        let own = |i: usize, j: usize| if i == j { ridge } else { 0.0 };
        let target = Matrix::from_fn(n, n, |i, j| ideal.entry(i, j) + own(i, j));
        let (inverse, log_det) = inverted(n, target.into_values())
            .ok_or_else(|| Error::parameter("ridge", "too small for the ideal kernel"))?;
        let trace: f64 = (0..n).map(|i| inverse[i * n + i]).sum();
        let traces = products(bank, &inverse).iter().map(|v| v / unit).collect();
        let constant = ridge * trace + log_det - n as f64;
        Ok(Divergence { bank, unit, ridge, traces, constant })
    }

    /// The divergence of Σ η_m K_m with its slope; `None` if the sum with its ridge is not positive definite.
    ///
    /// # Errors
    /// No memory for n × n numbers.
    pub(crate) fn value(&self, weights: &[f64], pass: &Pass<'_>) -> Result<Option<Value>> {
        let n = self.bank.n();
        let scaled: Vec<f64> = weights.iter().map(|w| w / self.unit).collect();
        let mut matrix = self.bank.combine_in(&scaled, pass)?.into_matrix()?.into_values();
        (0..n).for_each(|i| matrix[i * n + i] += self.ridge);
        let Some((inverse, log_det)) = inverted(n, matrix) else { return Ok(None) };
        let along: f64 = weights.iter().zip(&self.traces).map(|(w, t)| w * t).sum();
        let own = products(self.bank, &inverse);
        let slope = self.traces.iter().zip(own).map(|(t, o)| 0.5 * (t - o / self.unit)).collect();
        Ok(Some(Value { divergence: 0.5 * (along - log_det + self.constant), slope, inverse }))
    }

    /// The second derivatives, M × M: ½ tr(R K_m R K_h) with R = (K + ρI)⁻¹.
    ///
    /// # Errors
    /// No memory for n × n numbers.
    pub(crate) fn curvature(&self, at: &Value, pass: &Pass<'_>) -> Result<Vec<f64>> {
        let (n, kernels) = (self.bank.n(), self.bank.len());
        let (mut half, mut whole) = (vec![0.0; n * n], vec![0.0; n * n]);
        let mut out = Vec::with_capacity(kernels * kernels);
        for m in 0..kernels {
            let mut weights = vec![0.0; kernels];
            weights[m] = 1.0;
            let own = self.bank.combine_in(&weights, pass)?;
            let inverse = Slice::new(&at.inverse, n, n);
            product_nn(inverse, Slice::new(own.values(), n, n), &mut half);
            product_nn(Slice::new(&half, n, n), inverse, &mut whole);
            let scale = 0.5 / (self.unit * self.unit);
            out.extend(products(self.bank, &whole).iter().map(|v| scale * v));
        }
        cokernel_dense::symmetric_part(kernels, &mut out);
        Ok(out)
    }
}

/// The inverse of a symmetric matrix and the logarithm of its determinant, if it is positive definite.
fn inverted(n: usize, matrix: Vec<f64>) -> Option<(Vec<f64>, f64)> {
    let factor = Cholesky::new(n, matrix)?;
    let mut inverse = vec![0.0; n * n];
    (0..n).for_each(|i| inverse[i * n + i] = 1.0);
    factor.forward(&mut inverse, n);
    // L⁻¹, whose diagonal is 1/L_ii.
    let log_det: f64 = (0..n).map(|i| -2.0 * inverse[i * n + i].ln()).sum();
    let mut whole = vec![0.0; n * n];
    // Columns are contiguous: row c of this slice is L⁻¹e_c, and A⁻¹ is the Gram matrix of those.
    cokernel_dense::product_nt(Slice::new(&inverse, n, n), Slice::new(&inverse, n, n), &mut whole);
    Some((whole, log_det))
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
