//! Precisions x of normal values v ~ N(0, 1/x) with gamma priors of a shape α₀ and a scale β₀, in variational inference.
//!
//! q(x) = gamma(α₀ + ½, β) with 1/β = 1/β₀ + ½ E v²; E x = (α₀ + ½) β.

use statrs::function::gamma::{digamma, ln_gamma};

/// ln 2π.
const LOG_TAU: f64 = 1.837_877_066_409_345_5;

/// Precisions with the same prior.
#[derive(Debug, Clone)]
pub(in crate::mkl) struct Precisions {
    prior: (f64, f64),
    /// α, of all.
    shape: f64,
    /// β of each.
    scales: Vec<f64>,
}

impl Precisions {
    /// Of this many groups of values, `each` of them with one precision, at the prior scale.
    pub fn new(shape: f64, scale: f64, groups: usize, each: f64) -> Self {
        Precisions { prior: (shape, scale), shape: shape + 0.5 * each, scales: vec![scale; groups] }
    }

    /// With E v² of each, summed over its values.
    pub fn update(&mut self, squares: impl Iterator<Item = f64>) {
        let prior = 1.0 / self.prior.1;
        self.scales.iter_mut().zip(squares).for_each(|(s, v)| *s = 1.0 / (prior + 0.5 * v));
    }

    /// E x.
    pub fn mean(&self, k: usize) -> f64 {
        self.shape * self.scales[k]
    }

    /// E x of all.
    pub fn means(&self) -> Vec<f64> {
        self.scales.iter().map(|s| self.shape * s).collect()
    }

    /// Their part of the bound: E ln p(x) + E ln N(v | 0, 1/x) − E ln q(x), from E v² of each.
    pub fn bound(&self, squares: impl Iterator<Item = f64>) -> f64 {
        let (shape0, scale0) = self.prior;
        let each = 2.0 * (self.shape - shape0);
        let psi = digamma(self.shape);
        let constant = self.shape + ln_gamma(self.shape) + (1.0 - self.shape) * psi
            - ln_gamma(shape0)
            - shape0 * scale0.ln()
            - 0.5 * each * LOG_TAU;
        let one = |(scale, square): (&f64, f64)| {
            let log = psi + scale.ln();
            constant + scale.ln() + (shape0 - 1.0 + 0.5 * each) * log
                - self.shape * scale * (1.0 / scale0 + 0.5 * square)
        };
        self.scales.iter().zip(squares).map(one).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where q is the posterior itself and v is known, the bound is the logarithm of the evidence of v.
    #[test]
    fn the_bound_of_one_known_value_is_its_evidence() {
        for (shape, scale, v) in [(1.0, 1.0, 0.7_f64), (2.5, 0.3, -2.0), (1e-3, 1e3, 0.1)] {
            let mut precision = Precisions::new(shape, scale, 1, 1.0);
            precision.update([v * v].into_iter());
            // A Student distribution: ∫ N(v | 0, 1/x) gamma(x) dx.
            let evidence = ln_gamma(shape + 0.5) - ln_gamma(shape) + 0.5 * (scale.ln() - LOG_TAU)
                - (shape + 0.5) * (0.5 * scale * v * v).ln_1p();
            let bound = precision.bound([v * v].into_iter());
            assert!(
                (bound - evidence).abs() < 1e-10 * (1.0 + evidence.abs()),
                "{bound} {evidence}"
            );
        }
    }
}
