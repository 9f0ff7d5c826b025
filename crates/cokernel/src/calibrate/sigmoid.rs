//! Platt's sigmoid: P(y = 1 | f) = 1 / (1 + exp(A f + B)).
//!
//! Problem: with N₊ and N₋ the (weighted) numbers of instances of both sides and the targets
//! t = (N₊ + 1)/(N₊ + 2) of the positive, t = 1/(N₋ + 2) of the negative ones, minimise over A and B
//!
//! ```text
//! F = − Σ_i w_i [ t_i ln p_i + (1 − t_i) ln(1 − p_i) ]
//! ```
//!
//! Targets that are not 0 and 1 keep the optimum finite where the values separate the sides. F is convex;
//! Newton steps with backtracking, every term in the form that cancels nothing.
//!
//! | symbol | name |
//! |---|---|
//! | f_i, t_i, w_i | `value`, `target`, `weight` |
//! | A, B | `slope`, `offset` |
//! | N₊, N₋ | `yes`, `no` |
//!
//! Cost: O(n) time for each of about ten steps, O(n) memory.
//!
//! Source: J. Platt, Probabilistic outputs for support vector machines, 1999, section 2; the algorithm of
//! H.-T. Lin, C.-J. Lin and R. C. Weng, A note on Platt's probabilistic outputs for support vector machines,
//! Machine Learning 68, 2007, section 3 and appendix. Two differences, which change A and B less than their
//! tolerance did: the values are brought to mean 0 and variance 1 for the steps, so that units do not
//! matter, and the steps go on until the Newton decrement is at the rounding of f64.

use super::{Curve, Point};

/// The least probability: that of the loss of scikit-learn, whose logarithm is −36.
const LEAST: f64 = f64::EPSILON;
/// Values whose standard deviation is below this part of the largest one are equal: A f + B of larger A
/// would lose the digits by which they differ.
const EQUAL: f64 = 1e-10;
/// The most instances that the targets count: of more, 1 − t would be lost in f64.
const MOST: f64 = 1e12;

/// The probability, strictly between 0 and 1.
pub fn at(slope: f64, offset: f64, f: f64) -> f64 {
    let p = probability(slope * f + offset);
    // Infinities of both signs in the sum: nothing is known.
    if p.is_nan() { 0.5 } else { p.clamp(LEAST, 1.0 - LEAST) }
}

/// 1 / (1 + exp(u)).
fn probability(u: f64) -> f64 {
    if u >= 0.0 {
        let e = (-u).exp();
        e / (1.0 + e)
    } else {
        1.0 / (1.0 + u.exp())
    }
}

/// t u + ln(1 + exp(−u)), the loss of one instance.
fn loss(t: f64, u: f64) -> f64 {
    if u >= 0.0 { t * u + (-u).exp().ln_1p() } else { (t - 1.0) * u + u.exp().ln_1p() }
}

/// An instance in the units of the steps.
struct Term {
    z: f64,
    target: f64,
    weight: f64,
}

/// The sigmoid of these instances, of which some are on either side.
pub fn fit(points: &[Point]) -> Curve {
    let count = |side: bool| -> f64 {
        points.iter().filter(|p| p.positive == side).map(|p| p.weight).sum::<f64>().min(MOST)
    };
    let (yes, no) = (count(true), count(false));
    let heaviest = points.iter().map(|p| p.weight).fold(0.0, f64::max);
    let largest = points.iter().map(|p| p.value.abs()).fold(0.0, f64::max);
    let unit = if largest > 0.0 { largest } else { 1.0 };
    let total: f64 = points.iter().map(|p| p.weight / heaviest).sum();
    let mean = |f: &dyn Fn(&Point) -> f64| -> f64 {
        points.iter().map(|p| p.weight / heaviest / total * f(p)).sum()
    };
    let center = mean(&|p| p.value / unit);
    let spread = mean(&|p| (p.value / unit - center).powi(2)).sqrt();
    let equal = spread <= EQUAL;
    let term = |p: &Point| Term {
        z: if equal { 0.0 } else { (p.value / unit - center) / spread },
        target: if p.positive { (yes + 1.0) / (yes + 2.0) } else { 1.0 / (no + 2.0) },
        weight: p.weight / heaviest / total,
    };
    let terms: Vec<Term> = points.iter().map(term).collect();
    let (a, b) = minimum(&terms, ((no + 1.0) / (yes + 1.0)).ln(), equal);
    // a z + b = A f + B.
    let slope = if equal { 0.0 } else { a / spread / unit };
    let offset = if equal { b } else { b - a * center / spread };
    match slope.is_finite() {
        true => Curve::Sigmoid { slope, offset },
        // Values near the smallest number that f64 holds.
        false => Curve::Sigmoid { slope: 0.0, offset: b },
    }
}

/// The minimiser of the loss, from a = 0; a stays there if `flat`.
fn minimum(terms: &[Term], b: f64, flat: bool) -> (f64, f64) {
    let value = |a: f64, b: f64| -> f64 {
        terms.iter().map(|t| t.weight * loss(t.target, a * t.z + b)).sum()
    };
    let (mut a, mut b) = (0.0, b);
    let mut now = value(a, b);
    for _ in 0..200 {
        let (mut ga, mut gb, mut haa, mut hab, mut hbb) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for t in terms {
            let p = probability(a * t.z + b);
            let (d, h) = (t.weight * (t.target - p), t.weight * p * (1.0 - p));
            (ga, gb) = (ga + t.z * d, gb + d);
            (haa, hab, hbb) = (haa + t.z * t.z * h, hab + t.z * h, hbb + h);
        }
        // No direction without curvature, however far the start is.
        let ridge = 1e-12 * (haa + hbb) + 1e-300;
        (haa, hbb) = (haa + ridge, hbb + ridge);
        let (da, db) = if flat {
            (0.0, -gb / hbb)
        } else {
            let det = haa * hbb - hab * hab;
            ((-hbb * ga + hab * gb) / det, (hab * ga - haa * gb) / det)
        };
        let fall = ga * da + gb * db;
        let downhill = fall < 0.0 && da.is_finite() && db.is_finite();
        if !downhill {
            break;
        }
        // Differences of the loss are rounding where the decrement is: a full step is safe there.
        if -fall <= 1e-10 * now {
            (a, b) = (a + da, b + db);
            if -fall <= 1e-26 * now {
                break;
            }
            now = value(a, b);
            continue;
        }
        let mut step = 1.0;
        loop {
            let next = value(a + step * da, b + step * db);
            if next < now + 1e-4 * step * fall {
                (a, b, now) = (a + step * da, b + step * db, next);
                break;
            }
            step *= 0.5;
            if step < 1e-10 {
                return (a, b);
            }
        }
    }
    (a, b)
}
