//! Sets of weights, and penalties, that methods of the [loop](super::outer) share, and what their steps have in common.

pub(super) mod ball;
pub(super) mod capped;
pub(super) mod even;
pub(super) mod penalised;
pub(super) mod scaled;

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
