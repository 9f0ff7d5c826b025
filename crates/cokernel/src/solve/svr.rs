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
//! A problem of [`smo`] with the kink ε at 0, whose duality gap is primal minus dual of the
//! regression. As Σ β = 0, the middle of the range of y is taken off it first, so that a large mean
//! costs no digits. At a large C the rounding of values times C is in the primal objective.

use super::Rows;
use super::rounding::{Rounding, shaken, told};
use super::smo::{self, Problem, Quadratic, Settings};
use super::solved::{Solved, of_sum_zero, relative_gap};
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
    let linear: Vec<f64> = y.iter().map(|y| -y).collect();
    let lower: Vec<f64> = costs.iter().map(|c| -c).collect();
    let start = start.map(|coef| of_sum_zero(coef, &lower, costs));
    let plain = Quadratic { rows, linear: &linear, lower: &lower, upper: costs };
    let problem = Problem { plain, kink: Some(epsilon) };
    let found = smo::solve_problem(&problem, start, settings, watch);
    let (theta, coef) = (found.threshold, found.x);
    let values: Vec<f64> = found.gradient.iter().zip(&linear).map(|(f, q)| f - q).collect();
    let (mut norm, mut gain, mut loss) = (0.0, 0.0, 0.0);
    // y − f(x) is θ − f_i.
    let excess: Vec<f64> = found.gradient.iter().map(|f| (theta - f).abs() - epsilon).collect();
    for i in 0..n {
        norm += coef[i] * values[i];
        gain += y[i] * coef[i] - epsilon * coef[i].abs();
        loss += costs[i] * excess[i].max(0.0);
    }
    let (primal, dual) = (0.5 * norm + loss, gain - 0.5 * norm);
    let gap = relative_gap(primal, dual);
    let bias = middle - theta;
    // The bias is that of numbers as they were given.
    let other: Vec<f64> = y.iter().map(|y| y.abs() + bias.abs()).collect();
    let rounding = Rounding { rows, coef: &coef, other: &other };
    let more = rounding.of_losses(costs, &excess, told(settings.tol) * primal.abs(), watch);
    let (steps, status) = (found.steps, found.status);
    let machine = Solved { coef: coef.clone(), bias, values, primal, dual, gap, steps, status };
    shaken(machine, more, settings.tol)
}

/// The middle of the range, and the rest.
pub(super) fn centred(y: &[f64]) -> (f64, Vec<f64>) {
    let least = y.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let middle = if least <= largest { 0.5 * least + 0.5 * largest } else { 0.0 };
    (middle, y.iter().map(|v| v - middle).collect())
}
