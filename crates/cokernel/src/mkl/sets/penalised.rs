//! η ≥ 0, Σ η = 1 with a penalty that is a sum over kernels, linear and quadratic.
//!
//! ```text
//! Ω(η) = Σ_m a_m η_m + λ Σ_m (η_m − 1/M)²,      (Ω + ι_Δ)*(z) = max_{η ∈ Δ} ηᵀz − Ω(η)
//! ```
//!
//! With λ = 0 the conjugate is max_m (z_m − a_m); otherwise it is taken at the projection of 1/M + (z − a)/(2λ)
//! onto the simplex. Second order: the model of J with Ω, which is quadratic itself, over the simplex. Bound from
//! above: ½ Σ ‖w_m‖²/η_m + Ω(η), least where ‖w_m‖²/(2η_m²) = ν + a_m + 2λ(η_m − 1/M), with one ν for all.

use super::{cost, norms};
use crate::mkl::outer::simplex::Simplex;
use crate::mkl::outer::{Proposal, Set};
use crate::solve::simplex::minimize_on_simplex;

/// The simplex with a penalty.
#[derive(Debug)]
pub(in crate::mkl) struct Penalised {
    /// a.
    pub linear: Vec<f64>,
    /// λ.
    pub quadratic: f64,
}

impl Penalised {
    /// ∂J + ∂Ω.
    fn slopes(&self, weights: &[f64], gradient: &[f64]) -> Vec<f64> {
        let even = 1.0 / weights.len() as f64;
        let terms = weights.iter().zip(gradient).zip(&self.linear);
        terms.map(|((w, g), a)| g + a + 2.0 * self.quadratic * (w - even)).collect()
    }
}

impl Set for Penalised {
    fn first(&self, kernels: usize) -> Vec<f64> {
        Simplex.first(kernels)
    }

    fn onto(&self, weights: &[f64]) -> Vec<f64> {
        Simplex.onto(weights)
    }

    fn penalty(&self, weights: &[f64]) -> f64 {
        let even = 1.0 / weights.len() as f64;
        let linear: f64 = weights.iter().zip(&self.linear).map(|(w, a)| a * w).sum();
        linear + self.quadratic * weights.iter().map(|w| (w - even).powi(2)).sum::<f64>()
    }

    fn conjugate(&self, half_forms: &[f64]) -> f64 {
        let worth: Vec<f64> = half_forms.iter().zip(&self.linear).map(|(z, a)| z - a).collect();
        if self.quadratic == 0.0 {
            return Simplex.conjugate(&worth);
        }
        let even = 1.0 / worth.len() as f64;
        let centre: Vec<f64> = worth.iter().map(|z| even + z / (2.0 * self.quadratic)).collect();
        let best = project(&centre);
        let value: f64 = best.iter().zip(half_forms).map(|(w, z)| w * z).sum();
        // No less than at any corner and in the middle, whatever rounding does to the projection.
        let corner = Simplex.conjugate(&worth) - self.quadratic * (1.0 - even);
        let middle = even * worth.iter().sum::<f64>();
        (value - self.penalty(&best)).max(corner).max(middle)
    }

    fn slope(&self, weights: &[f64], gradient: &[f64], direction: &[f64]) -> f64 {
        let slopes = self.slopes(weights, gradient);
        slopes.iter().zip(direction).map(|(g, d)| g * d).sum()
    }

    fn second_order(&self, weights: &[f64], gradient: &[f64], hessian: &[f64]) -> Proposal {
        let m = weights.len();
        let mut model = hessian.to_vec();
        (0..m).for_each(|k| model[k * m + k] += 2.0 * self.quadratic);
        let slopes = self.slopes(weights, gradient);
        let (weights, decrease) = minimize_on_simplex(weights, &slopes, &model);
        Proposal { weights, decrease, far: false }
    }

    fn majorised(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        let norms = norms(weights, gradient);
        let even = 1.0 / weights.len() as f64;
        let at = |nu: f64| -> Vec<f64> {
            let terms = norms.iter().zip(&self.linear);
            terms
                .map(|(v, a)| {
                    let flat = nu + a - 2.0 * self.quadratic * even;
                    balance(0.5 * v, flat, 2.0 * self.quadratic)
                })
                .collect()
        };
        let found = at_sum_one(&at, &norms, &self.linear);
        let found = found.filter(|w| w.iter().all(|w| w.is_finite()));
        let Some(found) = found.map(|w| self.onto(&w)) else {
            return Proposal { weights: weights.to_vec(), decrease: 0.0, far: false };
        };
        let value = |w: &[f64]| cost(&norms, w) + self.penalty(w);
        Proposal { decrease: value(weights) - value(&found), weights: found, far: false }
    }

    fn first_order(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        Simplex.first_order(weights, &self.slopes(weights, gradient))
    }

    fn drops(&self) -> bool {
        true
    }
}

/// The positive η with half/η² = flat + steep·η; 0 if there is nothing to balance.
pub(in crate::mkl) fn balance(half: f64, flat: f64, steep: f64) -> f64 {
    if half <= 0.0 {
        return 0.0;
    }
    if steep <= 0.0 {
        return (half / flat.max(f64::MIN_POSITIVE)).sqrt();
    }
    // steep·η³ + flat·η² − half grows from −half, once it is positive for good.
    let value = |x: f64| steep * x * x * x + flat * x * x - half;
    let (mut low, mut high) = (0.0, (half / steep).cbrt() + (-flat / steep).max(0.0));
    while value(high) < 0.0 {
        high *= 2.0;
    }
    let mut x = high;
    for _ in 0..200 {
        let v = value(x);
        if v < 0.0 {
            low = x
        } else {
            high = x
        }
        let next = x - v / (3.0 * steep * x * x + 2.0 * flat * x);
        let next = if next > low && next < high { next } else { 0.5 * (low + high) };
        if (next - x).abs() <= 1e-15 * x {
            return next;
        }
        x = next;
    }
    x
}

/// The weights at the ν where they sum to 1: they fall as ν grows.
fn at_sum_one(at: &dyn Fn(f64) -> Vec<f64>, norms: &[f64], linear: &[f64]) -> Option<Vec<f64>> {
    let root: f64 = norms.iter().map(|v| v.sqrt()).sum();
    let unit = root * root;
    if !(unit > 0.0 && unit.is_finite()) {
        return None;
    }
    let sum = |nu: f64| at(nu).iter().sum::<f64>();
    let least = linear.iter().fold(f64::INFINITY, |a, v| a.min(*v));
    let (mut width, mut high) = (unit, unit - least);
    while sum(high) > 1.0 {
        width *= 2.0;
        high = width - least;
    }
    width = unit;
    let mut low = high - width;
    while sum(low) < 1.0 {
        width *= 2.0;
        low = high - width;
        if !low.is_finite() {
            return None;
        }
    }
    for _ in 0..200 {
        let nu = 0.5 * (low + high);
        if nu <= low || nu >= high {
            break;
        }
        if sum(nu) > 1.0 { low = nu } else { high = nu }
    }
    Some(at(high))
}

/// The point of the simplex that is nearest (Michelot 1986; Duchi et al. 2008).
pub(in crate::mkl) fn project(point: &[f64]) -> Vec<f64> {
    let mut sorted = point.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut level) = (0.0, f64::NEG_INFINITY);
    for (k, v) in sorted.iter().enumerate() {
        sum += v;
        let here = (sum - 1.0) / (k + 1) as f64;
        if *v > here {
            level = here;
        }
    }
    point.iter().map(|v| (v - level).max(0.0)).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The weights of ten kernels that were projected summed to 1 − 10⁻¹⁶, so that forms that are all 0 were worth less than 0
    /// and the lower bound of an optimum of 0 was above it: a gap of −10²⁷³.
    #[test]
    fn what_is_worth_nothing_has_no_worth() {
        for m in 1..40 {
            let set = Penalised { linear: vec![0.0; m], quadratic: 0.1 };
            assert_eq!(set.conjugate(&vec![0.0; m]), 0.0, "{m} kernels");
        }
    }

    #[test]
    fn roots_and_projections() {
        for (half, flat, steep) in
            [(1.0, 0.0, 1.0), (2.0, -5.0, 0.3), (1e-9, 3.0, 1e4), (7.0, 2.0, 0.0)]
        {
            let x = balance(half, flat, steep);
            let miss = half / (x * x) - flat - steep * x;
            assert!(x > 0.0 && miss.abs() <= 1e-9 * (half / (x * x)), "{half} {flat} {steep}: {x}");
        }
        assert_eq!(project(&[0.5, 0.7, -1.0]), [0.4, 0.6, 0.0]);
        assert_eq!(project(&[3.0, 1.0]), [1.0, 0.0]);
    }

    /// The conjugate is the largest value over the simplex, here over a fine grid of it.
    #[test]
    fn conjugates_are_largest_values() {
        for quadratic in [0.0, 0.3, 10.0] {
            let set = Penalised { linear: vec![0.1, 0.0, 0.4], quadratic };
            let z = [1.0, 0.8, 1.3];
            let mut best = f64::NEG_INFINITY;
            for i in 0..=200 {
                for j in 0..=200 - i {
                    let w = [f64::from(i), f64::from(j), f64::from(200 - i - j)].map(|v| v / 200.0);
                    let value: f64 = w.iter().zip(&z).map(|(w, z)| w * z).sum();
                    best = best.max(value - set.penalty(&w));
                }
            }
            let found = set.conjugate(&z);
            assert!(found >= best - 1e-12 && found <= best + 1e-3, "{quadratic}: {found} {best}");
        }
    }

    /// The bound from above is least where neighbours are no better.
    #[test]
    fn bounds_are_least() {
        for (linear, quadratic) in
            [(vec![0.0; 3], 0.0), (vec![0.3, -0.2, 0.0], 0.0), (vec![0.0, 1.0, 0.2], 2.0)]
        {
            let set = Penalised { linear, quadratic };
            let (weights, gradient) = ([0.2, 0.5, 0.3], [-1.0, -0.3, -2.0]);
            let found = set.majorised(&weights, &gradient);
            assert!(found.decrease >= 0.0);
            let norms = norms(&weights, &gradient);
            let value = |w: &[f64]| cost(&norms, w) + set.penalty(w);
            let best = value(&found.weights);
            for (i, j) in [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)] {
                let mut near = found.weights.clone();
                near[i] += 1e-3;
                near[j] -= 1e-3;
                assert!(value(&near) >= best, "{:?}", found.weights);
            }
        }
    }
}
