//! Draws from distributions: normal, truncated normal, gamma.
//!
//! Normal by the polar method (Marsaglia and Bray, SIAM Review 6, 1964); above a bound by rejection, from an
//! exponential distribution where the bound is far out (Robert, Statistics and Computing 5, 1995); gamma by Marsaglia
//! and Tsang, ACM TOMS 26, 2000.

use rand::{Rng, RngExt};

/// N(0, 1).
pub fn normal(rng: &mut impl Rng) -> f64 {
    loop {
        let (u, v) = (2.0 * rng.random::<f64>() - 1.0, 2.0 * rng.random::<f64>() - 1.0);
        let s = u * u + v * v;
        if s > 0.0 && s < 1.0 {
            return u * (-2.0 * s.ln() / s).sqrt();
        }
    }
}

/// N(0, 1) given that it is above a.
pub fn normal_above(a: f64, rng: &mut impl Rng) -> f64 {
    if a < 0.5 {
        loop {
            let z = normal(rng);
            if z > a {
                return z;
            }
        }
    }
    let rate = 0.5 * (a + (a * a + 4.0).sqrt());
    loop {
        let z = a - (1.0 - rng.random::<f64>()).ln() / rate;
        if rng.random::<f64>() <= (-0.5 * (z - rate) * (z - rate)).exp() {
            return z;
        }
    }
}

/// Gamma with this shape, at least 1, and rate 1.
pub fn gamma(shape: f64, rng: &mut impl Rng) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let z = normal(rng);
        let v = (1.0 + c * z).powi(3);
        let u = 1.0 - rng.random::<f64>();
        if v > 0.0 && u.ln() < 0.5 * z * z + d * (1.0 - v + v.ln()) {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::solve::normal::hazard;

    fn moments(count: usize, mut draw: impl FnMut() -> f64) -> (f64, f64) {
        let all: Vec<f64> = (0..count).map(|_| draw()).collect();
        let mean = all.iter().sum::<f64>() / count as f64;
        (mean, all.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count as f64)
    }

    /// Means and variances within five standard errors of what they should be.
    #[test]
    fn moments_are_those_of_the_distributions() {
        let n = 40_000;
        let mut rng = Run::with_seed(5).rng("draws");
        let near = |found: f64, want: f64, sd: f64| {
            assert!((found - want).abs() < 5.0 * sd / (n as f64).sqrt(), "{found} {want}");
        };
        let (mean, variance) = moments(n, || normal(&mut rng));
        near(mean, 0.0, 1.0);
        near(variance, 1.0, 2.0_f64.sqrt());
        for a in [-3.0, 0.0, 0.4, 0.6, 2.0, 8.0] {
            let (mean, variance) = moments(n, || normal_above(a, &mut rng));
            let h = hazard(-a);
            let want = 1.0 + a * h - h * h;
            near(mean, h, want.sqrt());
            near(variance, want, 3.0 * want);
        }
        for shape in [1.0, 1.5, 20.0] {
            let (mean, variance) = moments(n, || gamma(shape, &mut rng));
            near(mean, shape, shape.sqrt());
            near(variance, shape, shape * (2.0 + 6.0 / shape).sqrt());
        }
    }
}
