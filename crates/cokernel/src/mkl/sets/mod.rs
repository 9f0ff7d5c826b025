//! Sets of weights, and penalties, that methods of the [loop](super::outer) share, and what their steps have in common.

pub(super) mod ball;
pub(super) mod capped;
pub(super) mod even;
mod logarithms;
pub(super) mod penalised;
pub(super) mod quadratic;
pub(super) mod scaled;
pub(super) mod squared;

use super::outer::Proposal;

/// ‖w_m‖² = η_m² q_m of the machines at hand.
pub(super) fn norms(weights: &[f64], gradient: &[f64]) -> Vec<f64> {
    weights.iter().zip(gradient).map(|(w, g)| w * w * (-2.0 * g).max(0.0)).collect()
}

/// ½ Σ ‖w_m‖²/η_m: J(η) is at most this and what does not depend on η, with equality at the weights at hand.
pub(super) fn cost(norms: &[f64], weights: &[f64]) -> f64 {
    let terms = norms.iter().zip(weights).filter(|(v, _)| **v > 0.0);
    terms.map(|(v, e)| 0.5 * v / e).sum()
}

/// A step of first order for sets whose bound from above leaves weights at 0 that are 0: towards the `corner`
/// where the linear model is least (Frank and Wolfe), where the bound promises far less than that.
pub(super) fn towards_corner(
    bound: Proposal,
    corner: Vec<f64>,
    weights: &[f64],
    gradient: &[f64],
) -> Proposal {
    let terms = corner.iter().zip(weights).zip(gradient);
    let linear: f64 = terms.map(|((c, w), g)| g * (w - c)).sum();
    if bound.decrease >= 0.1 * linear {
        return bound;
    }
    Proposal { weights: corner, decrease: 0.5 * linear, far: true }
}

/// x^e, the usual exponents without logarithms.
pub(super) fn power(x: f64, exponent: f64) -> f64 {
    if exponent == 1.0 {
        x
    } else if exponent == 2.0 {
        x * x
    } else {
        x.powf(exponent)
    }
}

/// ‖v‖_p of numbers of which none is negative.
pub(super) fn norm(v: &[f64], p: f64) -> f64 {
    // Divided by the largest, so that no power overflows.
    let largest = v.iter().fold(0.0_f64, |a, v| a.max(*v));
    if largest <= 0.0 {
        return 0.0;
    }
    let sum: f64 = v.iter().map(|v| power((v / largest).max(0.0), p)).sum();
    largest * sum.powf(1.0 / p)
}
