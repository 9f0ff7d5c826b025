//! η ≥ 0, Σ η = 1 with a penalty that is a quadratic form, Ω(η) = ½ ηᵀQη with Q positive semi-definite.
//!
//! The conjugate max_{η ∈ Δ} ηᵀz − Ω(η) is bounded from above at any point η₀ of the simplex by Ω(η₀) + max_m (z − Qη₀)_m, since
//! Ω is above its tangents; η₀ is the maximiser up to rounding. Second order: the model of J and Ω over the simplex.

use crate::mkl::outer::simplex::Simplex;
use crate::mkl::outer::{Proposal, Set};
use crate::solve::simplex::minimize_on_simplex;

/// The simplex with ½ ηᵀQη.
#[derive(Debug)]
pub(in crate::mkl) struct Quadratic {
    /// Q, M × M.
    pub form: Vec<f64>,
}

impl Quadratic {
    /// Qη.
    fn times(&self, weights: &[f64]) -> Vec<f64> {
        let line = |q: &[f64]| q.iter().zip(weights).map(|(q, w)| q * w).sum();
        self.form.chunks(weights.len()).map(line).collect()
    }

    /// The point of the simplex with the largest ηᵀz − Ω(η), up to rounding.
    pub fn best(&self, worth: &[f64]) -> Vec<f64> {
        let start = Simplex.first(worth.len());
        let slopes: Vec<f64> = worth.iter().zip(self.times(&start)).map(|(z, q)| q - z).collect();
        minimize_on_simplex(&start, &slopes, &self.form).0
    }

    /// ∂J + ∂Ω.
    fn slopes(&self, weights: &[f64], gradient: &[f64]) -> Vec<f64> {
        gradient.iter().zip(self.times(weights)).map(|(g, q)| g + q).collect()
    }
}

impl Set for Quadratic {
    fn first(&self, kernels: usize) -> Vec<f64> {
        Simplex.first(kernels)
    }

    fn onto(&self, weights: &[f64]) -> Vec<f64> {
        Simplex.onto(weights)
    }

    fn penalty(&self, weights: &[f64]) -> f64 {
        0.5 * self.times(weights).iter().zip(weights).map(|(q, w)| q * w).sum::<f64>()
    }

    fn conjugate(&self, half_forms: &[f64]) -> f64 {
        let above = |at: &[f64]| {
            let worth = half_forms.iter().zip(self.times(at)).map(|(z, q)| z - q);
            self.penalty(at) + worth.fold(f64::NEG_INFINITY, f64::max)
        };
        above(&self.best(half_forms)).min(above(&Simplex.first(half_forms.len())))
    }

    fn slope(&self, weights: &[f64], gradient: &[f64], direction: &[f64]) -> f64 {
        let slopes = self.slopes(weights, gradient);
        slopes.iter().zip(direction).map(|(g, d)| g * d).sum()
    }

    fn second_order(&self, weights: &[f64], gradient: &[f64], hessian: &[f64]) -> Proposal {
        let model: Vec<f64> = hessian.iter().zip(&self.form).map(|(h, q)| h + q).collect();
        let slopes = self.slopes(weights, gradient);
        let (weights, decrease) = minimize_on_simplex(weights, &slopes, &model);
        Proposal { weights, decrease, far: false }
    }

    /// Nothing: the bound of the papers has no closed form with Q.
    fn majorised(&self, weights: &[f64], _: &[f64]) -> Proposal {
        Proposal { weights: weights.to_vec(), decrease: 0.0, far: false }
    }

    fn first_order(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        Simplex.first_order(weights, &self.slopes(weights, gradient))
    }

    fn drops(&self) -> bool {
        true
    }
}
