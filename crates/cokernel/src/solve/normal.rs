//! The normal distribution far out in its tails, and integrals against its density.
//!
//! ```text
//! ln Φ(x),     φ(x)/Φ(x),     erfcx(x) = exp(x²) erfc(x),     ∫ φ(u)/(1 + exp(−m − s u)) du
//! ln Z_c = ln ∫ φ(u) ∏_{j≠c} Φ((s_c u + m_c − m_j)/s_j) du
//! ```
//!
//! Z_c is the probability that of independent y_j ~ N(m_j, s_j²) the one of class c is the largest (multinomial probit:
//! Girolami and Rogers, Neural Computation 18, 2006; Damoulas and Girolami, Bioinformatics 24, 2008, (7)); where all s are
//! 1, E(y_j | y_c is the largest) = m_j + ∂ ln Z_c/∂m_j.
//!
//! Integrals are sums with equal steps, whose error falls with the exponential of the inverse of the step for functions
//! as smooth as these (Trefethen and Weideman, SIAM Review 56, 2014). The integrand of Z_c is log-concave: the sum
//! begins at its maximum, which Newton's method finds, and ends on both sides where nothing is left.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI, TAU};

/// From where on the continued fraction is taken, and its terms.
const FAR: f64 = 8.0;
const TERMS: usize = 20;

/// Logarithm of the share of the largest value below which a part of an integral is left out.
const LEFT_OUT: f64 = 40.0;

/// Most steps to a side.
const MOST: usize = 20_000;

/// exp(x²) erfc(x): as it stands below 8, with what x² loses by rounding; by the continued fraction beyond. (The
/// erfc of statrs is right to ten digits only.)
pub fn erfcx(x: f64) -> f64 {
    if x < 0.0 {
        return 2.0 * exp_square(x) - erfcx(-x);
    }
    if x < FAR {
        return exp_square(x) * libm::erfc(x);
    }
    let mut below = x;
    for k in (1..=TERMS).rev() {
        below = x + 0.5 * k as f64 / below;
    }
    0.5 * FRAC_2_SQRT_PI / below
}

/// exp(x²).
fn exp_square(x: f64) -> f64 {
    let square = x * x;
    let large = square.exp();
    if large.is_finite() { large + large * x.mul_add(x, -square) } else { large }
}

/// ln Φ(x).
pub fn log_cdf(x: f64) -> f64 {
    if x < 0.0 {
        (0.5 * erfcx(-x * FRAC_1_SQRT_2)).ln() - 0.5 * x * x
    } else {
        (-0.5 * (-0.5 * x * x).exp() * erfcx(x * FRAC_1_SQRT_2)).ln_1p()
    }
}

/// [`log_cdf`] and [`hazard`] for the price of one.
fn log_cdf_and_hazard(x: f64) -> (f64, f64) {
    let root = FRAC_2_SQRT_PI * FRAC_1_SQRT_2;
    if x < 0.0 {
        let e = erfcx(-x * FRAC_1_SQRT_2);
        return ((0.5 * e).ln() - 0.5 * x * x, root / e);
    }
    let g = (-0.5 * x * x).exp();
    let above = g * erfcx(x * FRAC_1_SQRT_2);
    ((-0.5 * above).ln_1p(), root * g / (2.0 - above))
}

/// φ(x)/Φ(x).
pub fn hazard(x: f64) -> f64 {
    FRAC_2_SQRT_PI * FRAC_1_SQRT_2 / erfcx(-x * FRAC_1_SQRT_2)
}

/// ∫ φ(u)/(1 + exp(−m − s u)) du, the mean of the logistic function of a normal value.
pub fn mean_logistic(m: f64, s: f64) -> f64 {
    // The logistic function is the distribution function of a value with variance π²/3; next to s² its shape is lost.
    if s > 500.0 {
        return log_cdf(m / (s * s + PI * PI / 3.0).sqrt()).exp();
    }
    // Its poles are at ±πi: the step makes an error of exp(−37).
    let step = (0.17 * PI / s).min(0.4);
    let count = (9.0 / step).ceil() as i64;
    let term = |k: i64| {
        let u = step * k as f64;
        (-0.5 * u * u).exp() / (1.0 + (-m - s * u).exp())
    };
    step * (-count..=count).map(term).sum::<f64>() / TAU.sqrt()
}

/// ln Z_c, and its derivatives by the m_j where there is room for them.
pub fn log_largest(means: &[f64], scales: &[f64], c: usize, slopes: Option<&mut [f64]>) -> f64 {
    let others: Vec<(usize, f64, f64)> = (0..means.len())
        .filter(|j| *j != c)
        .map(|j| (j, scales[c] / scales[j], (means[c] - means[j]) / scales[j]))
        .collect();
    let wanted = slopes.is_some();
    let mut hazards = vec![0.0; others.len()];
    // The logarithm of the integrand but for a constant, and φ/Φ of all others.
    let height = |u: f64, hazards: &mut [f64]| {
        let mut sum = -0.5 * u * u;
        for ((_, r, d), own) in others.iter().zip(hazards) {
            let (log, slope) = log_cdf_and_hazard(r * u + d);
            (sum, *own) = (sum + log, slope);
        }
        sum
    };
    let top = summit(&others);
    let highest = height(top, &mut hazards);
    let step = 0.5 / (1.0 + others.iter().map(|(_, r, _)| r * r).sum::<f64>()).sqrt();
    let mut total = 0.0;
    let mut by_class = vec![0.0; means.len()];
    let mut add = |k: f64| {
        let below = height(top + step * k, &mut hazards) - highest;
        let share = below.exp();
        total += share;
        if wanted {
            for ((j, _, _), hazard) in others.iter().zip(&hazards) {
                by_class[*j] -= share * hazard;
            }
        }
        below > -LEFT_OUT
    };
    add(0.0);
    for side in [1.0, -1.0] {
        let _ = (1..MOST).all(|k| add(side * k as f64));
    }
    if let Some(slopes) = slopes {
        let mut rest = 0.0;
        for (j, _, _) in &others {
            slopes[*j] = by_class[*j] / (total * scales[*j]);
            rest += slopes[*j];
        }
        slopes[c] = -rest;
    }
    highest + (step * total / TAU.sqrt()).ln()
}

/// Adds to `out`, for each c, the probability that m_c + ε_c is the largest of all, ε ~ N(0, 1). With v = m_c + ε_c it is the
/// integral of φ(v − m_c) Π_{j≠c} Φ(v − m_j): one Φ and one φ of each class at each v serve all classes. What lies further
/// than 8.6 from the largest mean is below rounding; so are probabilities that this leaves out, which [`log_largest`] has. A sum
/// with steps h is off by exp(−2π²/(K h²)) of K classes.
pub fn add_largest(means: &[f64], out: &mut [f64]) {
    let top = means.iter().fold(f64::NEG_INFINITY, |a, m| a.max(*m));
    let step = 0.75 / (means.len() as f64).sqrt();
    let count = (8.6 / step).ceil() as i64;
    // φ and Φ, then the products of Φ over the classes before.
    let mut at = vec![(0.0, 1.0, 1.0); means.len()];
    for k in -count..=count {
        let mut before = step / TAU.sqrt();
        for (mean, (density, below, product)) in means.iter().zip(&mut at) {
            let x = (top - mean) + step * k as f64;
            (*density, *below) = match x < 9.0 {
                true => ((-0.5 * x * x).exp(), 0.5 * libm::erfc(-x * FRAC_1_SQRT_2)),
                false => (0.0, 1.0),
            };
            *product = before;
            before *= *below;
        }
        let mut after = 1.0;
        for (p, (density, below, product)) in out.iter_mut().zip(&at).rev() {
            *p += density * product * after;
            after *= below;
        }
    }
}

/// Where the integrand is largest: its slope −u + Σ r φ/Φ(r u + d) is convex and falls, so that Newton's steps from
/// where it is positive never go too far.
fn summit(others: &[(usize, f64, f64)]) -> f64 {
    let mut u = 0.0;
    for _ in 0..200 {
        let (mut slope, mut bend) = (-u, -1.0);
        for (_, r, d) in others {
            let x = r * u + d;
            let h = hazard(x);
            slope += r * h;
            bend -= r * r * (h * (h + x)).clamp(0.0, 1.0);
        }
        let by = -slope / bend;
        u += by;
        if by.abs() <= 1e-9 * (1.0 + u.abs()) {
            break;
        }
    }
    u
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn close(found: f64, want: f64, tol: f64) {
        assert!((found - want).abs() <= tol * want.abs(), "{found} {want}");
    }

    /// Values with 50 digits of another program, rounded.
    #[test]
    fn known_values() {
        close(erfcx(0.5), 0.615_690_344_192_925_9, 4e-15);
        close(erfcx(2.0), 0.255_395_676_310_505_74, 4e-15);
        close(erfcx(5.0), 0.110_704_637_733_068_63, 4e-15);
        close(erfcx(10.0), 0.056_140_992_743_822_58, 4e-15);
        close(erfcx(-3.0), 16_205.988_853_999_586, 4e-15);
        close(erfcx(1e200), 0.5 * FRAC_2_SQRT_PI / 1e200, 4e-15);
        close(log_cdf(0.0), -std::f64::consts::LN_2, 4e-15);
        close(log_cdf(-10.0), -53.231_285_150_512_47, 4e-15);
        close(log_cdf(-40.0), -804.608_442_013_754_3, 4e-15);
        close(log_cdf(9.0), -1.128_588_405_953_840_6e-19, 1e-13);
        close(hazard(-40.0), 40.024_968_847_207_26, 1e-14);
        close(hazard(0.0), 0.797_884_560_802_865_4, 4e-15);
        assert!(hazard(60.0) == 0.0 && erfcx(f64::NAN).is_nan());
        // Where two ways meet, and both numbers at once.
        close(erfcx(FAR.next_down()), erfcx(FAR), 2e-15);
        for x in [-45.0, -9.0, -0.3, 0.0, 0.2, 3.0, 8.5, 30.0, 60.0] {
            let (log, slope) = log_cdf_and_hazard(x);
            assert_eq!(log, log_cdf(x));
            assert!((slope - hazard(x)).abs() <= 1e-15 * (4.0 + x * x) * hazard(x), "{x} {slope}");
        }
    }

    #[test]
    fn the_largest_of_all_is_each_in_turn() {
        let cases: [Vec<f64>; 5] = [
            vec![0.3, -0.2],
            vec![2.0, 2.0, -1.5, 7.0],
            vec![-30.0, 4.0, 5.0],
            (0..30).map(|c| (c as f64 * 1.7).sin() * 3.0).collect(),
            vec![1e6, -1e6, 1e6 + 1.0],
        ];
        for means in cases {
            let mut out = vec![0.0; means.len()];
            add_largest(&means, &mut out);
            let scales = vec![1.0; means.len()];
            for (c, found) in out.iter().enumerate() {
                let want = log_largest(&means, &scales, c, None).exp();
                assert!((found - want).abs() < 1e-13, "{means:?} {c}: {found} {want}");
            }
            assert!((out.iter().sum::<f64>() - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn means_of_the_logistic_function() {
        close(mean_logistic(0.0, 3.0), 0.5, 1e-14);
        let fine = |m: f64, s: f64| {
            let h = 1e-3 / (1.0 + s);
            let count = (12.0 / h) as i64;
            let all = (-count..=count).map(|k| k as f64 * h);
            let term = |u: f64| h * (-0.5 * u * u).exp() / (1.0 + (-m - s * u).exp());
            all.map(term).sum::<f64>() / TAU.sqrt()
        };
        for (m, s) in [(1.0, 0.5), (-3.0, 1.0), (2.0, 10.0), (-20.0, 30.0), (300.0, 501.0)] {
            close(mean_logistic(m, s), fine(m, s), 1e-10);
        }
        close(mean_logistic(-700.0, 1e-9), (-700.0_f64).exp(), 1e-6);
    }

    #[test]
    fn the_largest_of_several() {
        // Of two it is Φ of the difference; of equals 1/k.
        for (a, b) in [(0.0, 0.0), (1.0, -2.0), (-30.0, 10.0), (500.0, -500.0)] {
            let want = log_cdf((a - b) / 5.0_f64.sqrt());
            let found = log_largest(&[a, b], &[1.0, 2.0], 0, None);
            assert!((found - want).abs() <= 1e-11 * (1.0 + want.abs()), "{a} {b} {found} {want}");
        }
        for k in [3, 10, 100] {
            let found = log_largest(&vec![0.7; k], &vec![1.0; k], 1, None);
            close(found, -(k as f64).ln(), 1e-12);
        }
        // All classes together have probability 1, also with unlike scales.
        let (m, s) = ([0.3, -1.0, 2.0, 0.0], [1.0, 3.0, 0.5, 1.0]);
        let sum: f64 = (0..4).map(|c| log_largest(&m, &s, c, None).exp()).sum();
        close(sum, 1.0, 1e-12);
        // Slopes beside differences.
        for c in 0..4 {
            let mut slopes = [0.0; 4];
            log_largest(&m, &s, c, Some(&mut slopes));
            for j in 0..4 {
                let moved = |by: f64| {
                    let mut other = m;
                    other[j] += by;
                    log_largest(&other, &s, c, None)
                };
                let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((difference - slopes[j]).abs() < 1e-8, "{c} {j} {difference} {slopes:?}");
            }
        }
    }
}
