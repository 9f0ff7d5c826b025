//! All d ≥ 0 with the squared lp norm as penalty, p > 1.
//!
//! ```text
//! Ω(d) = (λ/2) ‖d‖_p²,      Ω*(z) = ‖z‖_s² / 2λ,      s = p/(p − 1)
//! ```
//!
//! **Second order.** Weights are best where q_m = κ d_m^{p−1} with κ = 2λ ‖d‖_p^{2−p}. Newton's equations in logarithms
//! are those of the ball, with the change of log κ that follows from the weights in place of one that keeps their norm:
//! with ω_m = ½ d_m q_m, which is λ ‖d‖_p² times the share of d_m^p at the end,
//!
//! ```text
//! [diag((p − 1) ω) + diag(d) H diag(d) + (2 − p) ω ωᵀ/Σω] δu = diag(ω) log(q_m/(κ d_m^{p−1})).
//! ```
//!
//! The matrix is positive definite for every p > 1: for p > 2 by Cauchy's inequality. **Bound from above.**
//! ½ Σ ‖w_m‖²/d_m + Ω(d) is least for d = t e with e_m ∝ ‖w_m‖^{2/(p+1)}, ‖e‖_p = 1 and t³ = Σ ‖w_m‖²/e_m / 2λ.

use super::logarithms::{Equations, SMALL};
use super::{cost, norm, norms, power};
use crate::mkl::outer::{Proposal, Set};

/// Ω and what follows from it.
#[derive(Debug, Clone, Copy)]
pub(in crate::mkl) struct Norm {
    pub p: f64,
    pub lambda: f64,
}

impl Norm {
    /// s = p/(p − 1).
    fn dual(self) -> f64 {
        self.p / (self.p - 1.0)
    }

    /// The best d for these q_m = cᵀ K_m c: (1/2λ) ‖q‖_s^{2−s} q_m^{s−1}.
    pub fn weights(self, forms: &[f64]) -> Vec<f64> {
        let (size, s) = (norm(forms, self.dual()), self.dual());
        if size <= 0.0 {
            return vec![0.0; forms.len()];
        }
        let factor = 0.5 / self.lambda * size;
        forms.iter().map(|q| factor * power((q / size).max(0.0), s - 1.0)).collect()
    }

    /// ‖q‖_s²/8λ.
    pub fn conjugate(self, forms: &[f64]) -> f64 {
        norm(forms, self.dual()).powi(2) / (8.0 * self.lambda)
    }

    /// (λ/2)‖d‖_p².
    pub fn penalty(self, weights: &[f64]) -> f64 {
        0.5 * self.lambda * self.size(weights).powi(2)
    }

    /// ‖d‖_p.
    pub fn size(self, weights: &[f64]) -> f64 {
        norm(weights, self.p)
    }
}

/// The weights, and where they start.
#[derive(Debug)]
pub(in crate::mkl) struct Squared {
    pub norm: Norm,
    pub first: Vec<f64>,
}

impl Set for Squared {
    fn first(&self, _: usize) -> Vec<f64> {
        self.first.clone()
    }

    fn onto(&self, weights: &[f64]) -> Vec<f64> {
        weights.to_vec()
    }

    fn penalty(&self, weights: &[f64]) -> f64 {
        self.norm.penalty(weights)
    }

    fn conjugate(&self, half_forms: &[f64]) -> f64 {
        4.0 * self.norm.conjugate(half_forms)
    }

    fn slope(&self, weights: &[f64], gradient: &[f64], direction: &[f64]) -> f64 {
        let (Norm { p, lambda }, size) = (self.norm, self.norm.size(weights));
        let dear = |w: f64| match size > 0.0 {
            true => lambda * size * power((w / size).max(0.0), p - 1.0),
            false => 0.0,
        };
        let terms = weights.iter().zip(gradient).zip(direction);
        terms.map(|((w, g), d)| (g + dear(*w)) * d).sum()
    }

    fn second_order(&self, weights: &[f64], gradient: &[f64], hessian: &[f64]) -> Proposal {
        let (Norm { p, lambda }, size) = (self.norm, self.norm.size(weights));
        let stay = Proposal { weights: weights.to_vec(), decrease: 0.0, far: false };
        let forms: Vec<f64> = gradient.iter().map(|g| (-2.0 * g).max(0.0)).collect();
        let equations = Equations::new(p, weights, &forms, hessian, SMALL * size);
        let (used, mass) = (&equations.used, &equations.mass);
        let level = (2.0 * lambda).ln() + (2.0 - p) * size.ln();
        let miss = |k: &usize| forms[*k].ln() - level - (p - 1.0) * weights[*k].ln();
        let mut sides: Vec<f64> = used.iter().zip(mass).map(|(k, w)| w * miss(k)).collect();
        sides.extend(mass);
        if used.is_empty() || !equations.solve(&mut sides) {
            return stay;
        }
        // The matrix of rank one, by the formula of Sherman and Morrison.
        let (plain, ones) = sides.split_at(used.len());
        let dot = |x: &[f64]| mass.iter().zip(x).map(|(w, x)| w * x).sum::<f64>();
        let part = (2.0 - p) / mass.iter().sum::<f64>();
        let change = part * dot(plain) / (1.0 + part * dot(ones));
        let step: Vec<f64> = plain.iter().zip(ones).map(|(a, b)| a - change * b).collect();
        if !step.iter().all(|v| v.is_finite()) {
            return stay;
        }
        let decrease = 0.5 * (equations.bend(&step) + part * dot(&step).powi(2));
        // Small weights where the equations put them, at this norm.
        let total: f64 = weights.iter().zip(&forms).map(|(w, q)| w / size * q).sum();
        let own = |q: &f64| size * (q / total).min(1.0).powf(1.0 / (p - 1.0));
        let mut found: Vec<f64> = forms.iter().map(own).collect();
        let decrease = decrease + equations.regained(&forms, &found);
        equations.moved(weights, &step, &mut found);
        Proposal { weights: found, decrease, far: false }
    }

    fn majorised(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        let Norm { p, lambda } = self.norm;
        let norms = norms(weights, gradient);
        let largest = norms.iter().fold(0.0_f64, |a, v| a.max(*v));
        let value = |w: &[f64]| cost(&norms, w) + self.penalty(w);
        let mut found: Vec<f64> =
            norms.iter().map(|v| (v / largest).powf(1.0 / (p + 1.0))).collect();
        if largest <= 0.0 {
            // No kernel tells anything: the best weights are 0.
            let decrease = self.penalty(weights);
            return Proposal { weights: vec![0.0; weights.len()], decrease, far: false };
        }
        let unit = self.norm.size(&found);
        found.iter_mut().for_each(|e| *e /= unit);
        let factor = (cost(&norms, &found) / lambda).cbrt();
        found.iter_mut().for_each(|e| *e *= factor);
        Proposal { decrease: value(weights) - value(&found), weights: found, far: false }
    }

    fn first_order(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        self.majorised(weights, gradient)
    }

    fn size(&self, weights: &[f64]) -> f64 {
        weights.iter().fold(0.0, |a, w| a.max(*w))
    }

    fn drops(&self) -> bool {
        false
    }
}
