//! Classification with the squared hinge (L2-loss SVC).
//!
//! ```text
//! primal  min ½‖w‖² + ½ Σ C_i max(0, 1 − y_i(⟨w, Φ(x_i)⟩ + b))²
//! dual    max Σ α_i − ½ Σ α_i α_j y_i y_j (K_ij + δ_ij/C_i)      Σ α_i y_i = 0, α_i ≥ 0
//! ```
//!
//! The problem of C-SVC on K + diag(1/C_i) without upper bounds. [`smo`] needs boxes, and
//! their size is in its gap. At the optimum P = D gives Σ α_i = 2P, half of it on each side, and
//! α_i = C_i ξ_i with ½C_i ξ_i² ≤ P: with P₀ the primal of w = 0, no α_i is above min(P₀, √(2 C_i P₀)).
//! What rounding of kernel values can hide of the losses counts as a loss.
//! b minimises the primal exactly for the w found; if the gap with it is above the tolerance, `smo` goes
//! on with a smaller one. Cost: that of C-SVC, the rows of K are not read in place.

use super::Rows;
use super::rounding::{Rounding, shaken, told};
use super::smo::{self, Quadratic, Settings};
use super::softened::Softened;
use super::solved::{Solved, of_sum_zero, relative_gap};
use crate::{Status, Watch};

/// Tolerances that are tried, each a tenth of the last.
const TRIALS: usize = 3;

/// Solves L2-loss SVC. `signs`: y_i = ±1; 0 or a cost of 0 leaves an instance out. `start`:
/// coefficients α_i y_i of a nearby problem.
pub fn squared_hinge(
    rows: &dyn Rows,
    signs: &[f64],
    costs: &[f64],
    start: Option<&[f64]>,
    settings: &Settings,
    watch: &Watch,
) -> Solved {
    let n = signs.len();
    let used: Vec<bool> = signs.iter().zip(costs).map(|(y, c)| *y != 0.0 && *c > 0.0).collect();
    let extra: Vec<f64> =
        costs.iter().zip(&used).map(|(c, used)| if *used { 1.0 / c } else { 0.0 }).collect();
    let weights: Vec<f64> =
        costs.iter().zip(&used).map(|(c, used)| if *used { *c } else { 0.0 }).collect();
    let zero = vec![0.0; n];
    let worst = loss(signs, &weights, &zero, least_loss(signs, &weights, &zero));
    let most = |i: usize| {
        let own = (2.0 * worst).sqrt() * weights[i].sqrt();
        if used[i] { signs[i] * (1.0 + 1e-6) * worst.min(own).min(f64::MAX / 1e20) } else { 0.0 }
    };
    let lower: Vec<f64> = (0..n).map(|i| most(i).min(0.0)).collect();
    let upper: Vec<f64> = (0..n).map(|i| most(i).max(0.0)).collect();
    let linear: Vec<f64> = signs.iter().map(|y| -y).collect();
    let softened = Softened { rows, extra: &extra };
    let problem = Quadratic { rows: &softened, linear: &linear, lower: &lower, upper: &upper };
    let mut start = start.map(|coef| of_sum_zero(coef, &lower, &upper));
    let (mut tol, mut steps) = (settings.tol, 0);
    let mut best: Option<Solved> = None;
    for _ in 0..TRIALS {
        let left = Settings { tol, max_steps: settings.max_steps - steps, ..*settings };
        let found = smo::solve(&problem, start.take(), &left, watch);
        steps += found.steps.min(left.max_steps);
        let value = |i: usize| found.gradient[i] - linear[i] - extra[i] * found.x[i];
        let values: Vec<f64> = (0..n).map(value).collect();
        let bias = least_loss(signs, &weights, &values);
        let (mut norm, mut sum, mut own) = (0.0, 0.0, 0.0);
        for i in 0..n {
            norm += found.x[i] * values[i];
            sum += found.x[i] * signs[i];
            own += extra[i] * found.x[i] * found.x[i];
        }
        let primal = 0.5 * norm + loss(signs, &weights, &values, bias);
        let dual = sum - 0.5 * (norm + own);
        let gap = relative_gap(primal, dual);
        let status = match found.status {
            Status::Converged if gap > settings.tol => Status::Stalled,
            Status::Stalled if gap <= settings.tol => Status::Converged,
            status => status,
        };
        let again = found.status == Status::Converged && status == Status::Stalled;
        if best.as_ref().is_none_or(|b| gap < b.gap) {
            let coef = found.x.clone();
            best = Some(Solved { coef, bias, values, primal, dual, gap, steps, status });
        }
        if !again || steps >= settings.max_steps {
            break;
        }
        (start, tol) = (Some(found.x), 0.1 * tol);
    }
    let nothing = Solved {
        coef: zero.clone(),
        bias: 0.0,
        values: zero,
        primal: worst,
        dual: 0.0,
        gap: 1.0,
        steps,
        status: Status::Stalled,
    };
    let found = Solved { steps, ..best.unwrap_or(nothing) };
    let other = vec![found.bias.abs().max(1.0); n];
    let rounding = Rounding { rows, coef: &found.coef, other: &other };
    let excess: Vec<f64> =
        signs.iter().zip(&found.values).map(|(y, v)| 1.0 - y * (v + found.bias)).collect();
    let enough = told(settings.tol) * found.primal.abs();
    let more = rounding.of_squares(&weights, &excess, enough, watch);
    shaken(found, more, settings.tol)
}

/// ½ Σ C_i max(0, 1 − y_i(v_i + b))².
fn loss(signs: &[f64], costs: &[f64], values: &[f64], bias: f64) -> f64 {
    let one = |i: usize| 0.5 * costs[i] * (1.0 - signs[i] * (values[i] + bias)).max(0.0).powi(2);
    (0..signs.len()).map(one).sum()
}

/// The b of the least loss: the slope Σ C_i y_i max(0, 1 − y_i(v_i + b)) falls and is linear between the
/// places y_i − v_i, among which its root is found by bisection. O(n log n).
fn least_loss(signs: &[f64], costs: &[f64], values: &[f64]) -> f64 {
    let all = || (0..signs.len()).filter(|&i| costs[i] > 0.0 && signs[i] != 0.0);
    let slope = |b: f64| -> f64 {
        all().map(|i| costs[i] * signs[i] * (1.0 - signs[i] * (values[i] + b)).max(0.0)).sum()
    };
    let mut places: Vec<f64> = all().map(|i| signs[i] - values[i]).collect();
    places.sort_unstable_by(f64::total_cmp);
    let (Some(&first), Some(&last)) = (places.first(), places.last()) else { return 0.0 };
    // Flat where no instance has a loss, else one sign at each end.
    if slope(first) <= 0.0 || slope(last) >= 0.0 {
        let positive = all().filter(|&i| signs[i] > 0.0).map(|i| 1.0 - values[i]);
        let negative = all().filter(|&i| signs[i] < 0.0).map(|i| -1.0 - values[i]);
        let (low, high) =
            (positive.fold(f64::NEG_INFINITY, f64::max), negative.fold(f64::INFINITY, f64::min));
        return match (low.is_finite(), high.is_finite()) {
            (true, true) => 0.5 * (low + high),
            (true, false) => low,
            (false, true) => high,
            (false, false) => 0.0,
        };
    }
    let (mut low, mut high) = (0, places.len() - 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if slope(places[middle]) > 0.0 { low = middle } else { high = middle }
    }
    let (above, below) = (slope(places[low]), slope(places[high]));
    let share = if above > below { (above / (above - below)).clamp(0.0, 1.0) } else { 0.5 };
    places[low] + (places[high] - places[low]) * share
}
