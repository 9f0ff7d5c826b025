//! η ≥ 0, Σ η = 1, without penalty: the set of SimpleMKL.
//!
//! (ι_S)*(z) = max_m z_m. Second order: the least of the model over the simplex. First order: the reduced
//! gradient of Rakotomamonjy et al. (2008): with μ the largest weight, D_m = ∂_μ − ∂_m, set to 0 where
//! η_m = 0 and D_m < 0, and D_μ = −Σ D_m, to the boundary; half the decrease of a linear model is promised.

use super::{Proposal, Set, closed_form};
use crate::solve::simplex::minimize_on_simplex;

/// The probability simplex.
#[derive(Debug, Clone, Copy)]
pub(in crate::mkl) struct Simplex;

impl Set for Simplex {
    fn first(&self, kernels: usize) -> Vec<f64> {
        vec![1.0 / kernels as f64; kernels]
    }

    fn onto(&self, weights: &[f64]) -> Vec<f64> {
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|w| w / sum).collect()
    }

    fn conjugate(&self, half_forms: &[f64]) -> f64 {
        half_forms.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    fn second_order(&self, weights: &[f64], gradient: &[f64], hessian: &[f64]) -> Proposal {
        let (weights, decrease) = minimize_on_simplex(weights, gradient, hessian);
        Proposal { weights, decrease, far: false }
    }

    fn majorised(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        closed_form(self, 1.0, weights, gradient)
    }

    fn first_order(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        let (direction, decrease) = reduced_gradient(weights, gradient);
        let weights = weights.iter().zip(&direction).map(|(w, d)| w + d).collect();
        Proposal { weights, decrease, far: true }
    }

    fn drops(&self) -> bool {
        true
    }

    fn prices(&self, kernels: usize) -> Option<Vec<f64>> {
        Some(vec![1.0; kernels])
    }

    fn bowl(&self, kernels: usize) -> Option<(Vec<f64>, Vec<f64>)> {
        Some((vec![1.0; kernels], vec![0.0; kernels]))
    }

    fn restricted(&self, _: &[usize]) -> Option<Box<dyn Set>> {
        Some(Box::new(Simplex))
    }
}

/// The reduced gradient, scaled to end at the boundary, and half the decrease of a linear model.
fn reduced_gradient(weights: &[f64], gradient: &[f64]) -> (Vec<f64>, f64) {
    let m = weights.len();
    let mut base = 0;
    for k in 1..m {
        if weights[k] > weights[base] {
            base = k;
        }
    }
    let mut direction: Vec<f64> = (0..m)
        .map(|k| gradient[base] - gradient[k])
        .zip(weights)
        .map(|(d, w)| if *w == 0.0 && d < 0.0 { 0.0 } else { d })
        .collect();
    direction[base] = -direction.iter().sum::<f64>();
    let reach = (0..m)
        .filter(|&k| direction[k] < 0.0)
        .map(|k| -weights[k] / direction[k])
        .fold(f64::INFINITY, f64::min);
    if !reach.is_finite() {
        return (vec![0.0; m], 0.0);
    }
    direction.iter_mut().for_each(|d| *d *= reach);
    let slope: f64 = direction.iter().zip(gradient).map(|(d, g)| d * g).sum();
    (direction, -0.5 * slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reduced_gradient_by_hand() {
        // base = 1; D = (0.5 − 1, ·, 0.5 − 0) = (−½, 0, ½); kernel 0 reaches 0 at step 0.6.
        let (d, decrease) = reduced_gradient(&[0.3, 0.7, 0.0], &[1.0, 0.5, 0.0]);
        assert!((d[0] + 0.3).abs() < 1e-15 && d[1].abs() < 1e-15 && (d[2] - 0.3).abs() < 1e-15);
        assert!((decrease - 0.15).abs() < 1e-15);
        // A kernel at 0 that would leave the simplex stays.
        let (d, _) = reduced_gradient(&[0.0, 0.7, 0.3], &[1.0, 0.5, 0.5]);
        assert_eq!(d, [0.0, 0.0, 0.0]);
    }
}
