//! One-class machines: a half-space or a ball that holds most instances.
//!
//! One-class SVM (LMKA (1.7), b = −ρ; Schölkopf et al. 2001 with C = 1/(νn)):
//!
//! ```text
//! primal  min ½‖w‖² − ρ + Σ C_i max(0, ρ − ⟨w, Φ(x_i)⟩)
//! dual    max −½αᵀKα      Σ α = 1, 0 ≤ α_i ≤ C_i
//! ```
//!
//! Support vector data description (Tax and Duin 2004):
//!
//! ```text
//! primal  min R² + Σ C_i max(0, ‖Φ(x_i) − a‖² − R²)
//! dual    max Σ α_i K_ii − αᵀKα      Σ α = 1, 0 ≤ α_i ≤ C_i
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | α, −ρ | `coef`, `bias` |
//! | centre a = Σ α_i Φ(x_i), R² | `coef`, [`Ball::radius_squared`] |
//!
//! Both are one problem of [`smo`], with the linear term 0 or −K_ii/2: with f = Kα − ½diag K
//! and θ the threshold, ‖Φ(x_i) − a‖² = αᵀKα − 2f_i and R² = αᵀKα − 2θ. The start gives C_i to the
//! instances of the least f at equal weights of a few (they end as outliers), until the sum is 1.
//! Where the entries of K are so large beside the distances that their rounding decides, the primal objective of the
//! ball says so. There is a solution if Σ C_i ≥ 1; else every α_i is C_i and the dual has no meaning.

use super::Rows;
use super::rounding::{Rounding, shaken, told};
use super::smo::{self, Quadratic, Settings, Solution};
use super::solved::{Solved, of_sum, relative_gap};
use crate::{Status, Watch};

/// Rows that the start looks at.
const SAMPLE: usize = 64;

/// Steps for each instance after which it is looked whether there is anything to separate, first; then four times as many.
const LOOK: u64 = 40;
/// ‖w‖² and gap, beside the mean of K_ii, below which there is not.
const NOTHING: f64 = 1e-10;

/// Solves the one-class SVM. Where the origin of feature space is a mean of the instances (kernels that are centred, linear
/// ones of centred features) the objective is 0, and no answer has a small gap relative to it: this is looked for now and then,
/// and ends as [`Status::Stalled`]. f(x) = Σ coef_i k(x_i, x) + bias is at least 0 inside. `costs`: C_i ≥ 0,
/// finite, their sum at least 1 (the ν form is C_i = 1/(νn)). `start`: coefficients of a nearby
/// problem.
pub fn one_class(
    rows: &dyn Rows,
    costs: &[f64],
    start: Option<&[f64]>,
    settings: &Settings,
    watch: &Watch,
) -> Solved {
    let found = unless_nothing(rows, costs, start, settings, watch);
    let norm: f64 = found.x.iter().zip(&found.gradient).map(|(a, f)| a * f).sum();
    let rho = found.threshold;
    let loss: f64 = found.gradient.iter().zip(costs).map(|(f, c)| c * (rho - f).max(0.0)).sum();
    let (primal, dual) = (0.5 * norm - rho + loss, -0.5 * norm);
    Solved {
        bias: -rho,
        primal,
        dual,
        gap: relative_gap(primal, dual),
        steps: found.steps,
        status: found.status,
        coef: found.x,
        values: found.gradient,
    }
}

/// The solution of the one-class problem, given up when it turns out to be 0.
fn unless_nothing(
    rows: &dyn Rows,
    costs: &[f64],
    start: Option<&[f64]>,
    settings: &Settings,
    watch: &Watch,
) -> Solution {
    let n = costs.len();
    let size = rows.diagonal().iter().map(|d| d.abs()).sum::<f64>() / n.max(1) as f64;
    let (linear, mut start) = (vec![0.0; n], start.map(<[f64]>::to_vec));
    let (mut steps, mut part) = (0, LOOK * n as u64);
    loop {
        let max_steps = part.min(settings.max_steps - steps);
        let some = Settings { max_steps, ..*settings };
        let mut found = solve(rows, &linear, costs, start.as_deref(), &some, watch);
        steps += found.steps.min(max_steps);
        found.steps = steps;
        if found.status != Status::IterationLimit || steps >= settings.max_steps {
            return found;
        }
        if found.gap.max(2.0 * found.objective.abs()) <= NOTHING * size {
            found.status = Status::Stalled;
            return found;
        }
        start = Some(found.x);
        part = part.saturating_mul(4);
    }
}

/// A ball around instances.
#[derive(Debug, Clone, PartialEq)]
pub struct Ball {
    /// The machine: R² − ‖Φ(x) − a‖² = 2(Σ coef_i k(x_i, x) + bias) − k(x, x), at least 0 inside.
    pub machine: Solved,
    /// R².
    pub radius_squared: f64,
}

/// Solves the support vector data description; arguments as [`one_class`].
pub fn data_description(
    rows: &dyn Rows,
    costs: &[f64],
    start: Option<&[f64]>,
    settings: &Settings,
    watch: &Watch,
) -> Ball {
    let own = rows.diagonal();
    let linear: Vec<f64> = own.iter().map(|d| -0.5 * d).collect();
    let found = solve(rows, &linear, costs, start, settings, watch);
    let theta = found.threshold;
    let values: Vec<f64> = found.gradient.iter().zip(&linear).map(|(f, q)| f - q).collect();
    let (mut norm, mut gain, mut loss) = (0.0, 0.0, 0.0);
    for i in 0..costs.len() {
        norm += found.x[i] * values[i];
        gain += found.x[i] * own[i];
        loss += 2.0 * costs[i] * (theta - found.gradient[i]).max(0.0);
    }
    let radius_squared = norm - 2.0 * theta;
    let (primal, dual) = (radius_squared + loss, gain - norm);
    // Distances are differences of entries of K; R² and αᵀKα have the error of one f each.
    let excess: Vec<f64> = found.gradient.iter().map(|f| theta - f).collect();
    let rounding = Rounding { rows, coef: &found.x, other: &linear };
    let losses = rounding.of_losses(costs, &excess, 0.5 * told(settings.tol) * primal.abs(), watch);
    let more = 2.0 * (losses + 2.0 * rounding.typical());
    let more = if more > 0.05 * told(settings.tol) * primal.abs() { more } else { 0.0 };
    let machine = Solved {
        bias: -theta,
        primal,
        dual,
        gap: relative_gap(primal, dual),
        steps: found.steps,
        status: found.status,
        coef: found.x,
        values,
    };
    Ball { machine: shaken(machine, more, settings.tol), radius_squared }
}

fn solve(
    rows: &dyn Rows,
    linear: &[f64],
    costs: &[f64],
    start: Option<&[f64]>,
    settings: &Settings,
    watch: &Watch,
) -> Solution {
    let n = costs.len();
    let near = match start {
        Some(coef) => coef.to_vec(),
        None => vec![0.0; n],
    };
    let start = of_sum(near, costs, 1.0, &outermost(rows, linear));
    let lower = vec![0.0; n];
    let problem = Quadratic { rows, linear, lower: &lower, upper: costs };
    smo::solve(&problem, Some(start), settings, watch)
}

/// The instances in ascending order of f at equal weights of every n/`SAMPLE`-th.
fn outermost(rows: &dyn Rows, linear: &[f64]) -> Vec<usize> {
    let n = linear.len();
    let stride = n.div_ceil(SAMPLE).max(1);
    let sample = n.div_ceil(stride) as f64;
    let coef: Vec<f64> = (0..n).map(|i| if i % stride == 0 { 1.0 / sample } else { 0.0 }).collect();
    let mut f = vec![0.0; n];
    rows.multiply(&coef, &mut f);
    f.iter_mut().zip(linear).for_each(|(f, q)| *f += q);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| f[*a].total_cmp(&f[*b]));
    order
}
