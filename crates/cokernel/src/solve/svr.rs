//! ε-insensitive support vector regression (Vapnik 1998; LMKA §1.2).
//!
//! ```text
//! primal  min ½‖w‖² + Σ C_i max(0, |y_i − ⟨w, Φ(x_i)⟩ − b| − ε)
//! dual    max yᵀβ − ε‖β‖₁ − ½βᵀKβ      Σ β = 0, |β_i| ≤ C_i
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | β, b, ε, C_i | `coef`, `bias`, `epsilon`, `costs` |
//!
//! Each β_i is two variables of one row, α_i ∈ [0, C_i] and −α*_i ∈ [−C_i, 0], with the linear terms
//! −y_i + ε and −y_i − ε (Chang and Lin's LIBSVM): the kink at 0 is an end of their boxes, and the
//! duality gap of [`smo`](super::smo) is primal minus dual of the regression. As Σ β = 0, the middle of
//! the range of y is taken off it first, so that a large mean costs no digits. Cost: that of `smo`
//! with 2n variables until those off the edges of the tube are set aside.

use super::Rows;
use super::smo::{self, Quadratic, Settings};
use super::solved::{Solved, of_sum_zero, relative_gap};
use super::twins::Twins;
use crate::Watch;

/// Solves ε-SVR. `costs`: C_i ≥ 0, finite; `y` finite; `epsilon` ≥ 0. `start`: coefficients of a
/// nearby problem, of any sum, in any box.
pub fn epsilon_svr(
    rows: &dyn Rows,
    y: &[f64],
    epsilon: f64,
    costs: &[f64],
    start: Option<&[f64]>,
    settings: &Settings,
    watch: &Watch,
) -> Solved {
    let n = y.len();
    let (middle, y) = centred(y);
    let linear: Vec<f64> =
        y.iter().map(|y| epsilon - y).chain(y.iter().map(|y| -epsilon - y)).collect();
    let zero = vec![0.0; n];
    let upper = [costs, &zero].concat();
    let lower: Vec<f64> = zero.iter().copied().chain(costs.iter().map(|c| -c)).collect();
    let start = start.map(|coef| {
        let side = |x: f64, positive: bool| if (x > 0.0) == positive { x } else { 0.0 };
        let split: Vec<f64> = [true, false]
            .iter()
            .flat_map(|positive| coef.iter().map(|x| side(*x, *positive)))
            .collect();
        of_sum_zero(&split, &lower, &upper)
    });
    let twins = Twins(rows);
    let problem = Quadratic { rows: &twins, linear: &linear, lower: &lower, upper: &upper };
    let found = smo::solve(&problem, start, settings, watch);
    let (theta, f) = (found.threshold, &found.gradient);
    let coef: Vec<f64> = (0..n).map(|i| found.x[i] + found.x[n + i]).collect();
    let values: Vec<f64> = (0..n).map(|i| f[i] - linear[i]).collect();
    let (mut norm, mut gain, mut loss) = (0.0, 0.0, 0.0);
    for i in 0..n {
        norm += coef[i] * values[i];
        gain += y[i] * coef[i] - epsilon * coef[i].abs();
        // Both edges of the tube: the residual is y − f(x) = ε − f_i + θ = −ε − f_{n+i} + θ.
        loss += costs[i] * (theta - f[i]).max(f[n + i] - theta).max(0.0);
    }
    let (primal, dual) = (0.5 * norm + loss, gain - 0.5 * norm);
    let gap = relative_gap(primal, dual);
    let bias = middle - theta;
    Solved { coef, bias, values, primal, dual, gap, steps: found.steps, status: found.status }
}

/// The middle of the range, and the rest.
fn centred(y: &[f64]) -> (f64, Vec<f64>) {
    let least = y.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let middle = if least <= largest { 0.5 * least + 0.5 * largest } else { 0.0 };
    (middle, y.iter().map(|v| v - middle).collect())
}
