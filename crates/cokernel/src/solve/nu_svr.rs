//! ν-support vector regression (Schölkopf, Smola, Williamson, Bartlett, *Neural Computation* 12, 2000):
//! the width of the tube is learned.
//!
//! ```text
//! primal  min ½‖w‖² + Σ C_i max(0, |y_i − ⟨w, Φ(x_i)⟩ − b| − ε) + T ε      over w, b, ε ≥ 0
//! dual    max yᵀβ − ½βᵀKβ      Σ β = 0, |β_i| ≤ C_i, ‖β‖₁ ≤ T = ν Σ C_i
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | β, b, ε | `coef`, `bias`, [`Tube::epsilon`] |
//!
//! For a fixed ε this is [`epsilon_svr`], and ‖β‖₁ falls as ε grows, so ε is sought where it is T: in a
//! bracket, whose ends give a β between with ‖β‖₁ ≤ T; for its w the best b and ε are those of the
//! weighted quantiles of the residuals, at T/2 from each end, exactly. Their gap ends the search, and
//! their ε is the next one that is tried, from the β between (that of the secant where it is outside the
//! middle of the bracket, and every third time the middle). Cost: some ε-SVR solutions, each from the last.

use super::Rows;
use super::rounding::{Rounding, shaken, told};
use super::smo::Settings;
use super::solved::{Solved, of_sum_zero, relative_gap};
use super::svr::{centred, epsilon_svr};
use crate::{Status, Watch};

/// Widths that are tried at most, and the share of the bracket that each takes off at least.
const TRIALS: u32 = 60;
const SHARE: f64 = 0.05;
/// Widths below the first that are tried before 0 is, and trials without a smaller gap before the end.
const BELOW: u32 = 2;
const PATIENCE: u32 = 12;
/// Relative gap of a machine that rounding left with nothing, and how many of them one after the other end the search.
const NOTHING: f64 = 0.9;
const ROUNDED: u32 = 3;
/// What the inner gap is of the outer one; less and less where the search ends in rounding.
const INNER: f64 = 0.2;

/// A regression and the width of its tube.
#[derive(Debug, Clone, PartialEq)]
pub struct Tube {
    /// The machine; its primal holds Tε.
    pub machine: Solved,
    /// ε, exactly the best for `coef`.
    pub epsilon: f64,
}

/// Solves ν-SVR, 0 < `nu`; more than 1 is as 1. Other arguments as [`epsilon_svr`].
pub fn nu_svr(
    rows: &dyn Rows,
    y: &[f64],
    nu: f64,
    costs: &[f64],
    start: Option<&[f64]>,
    settings: &Settings,
    watch: &Watch,
) -> Tube {
    let most = nu.min(1.0) * costs.iter().sum::<f64>();
    // What is common to all targets is the bias, and is not to be rounded with the rest.
    let (middle, y) = centred(y);
    let y = y.as_slice();
    let zero = vec![0.0; y.len()];
    let nothing = Solved {
        coef: zero.clone(),
        bias: 0.0,
        values: zero,
        primal: 0.0,
        dual: 0.0,
        gap: 0.0,
        steps: 0,
        status: Status::Stalled,
    };
    // At this width no β is worth its ε.
    let (mut best, widest) = valued(nothing.clone(), y, costs, most);
    let start = start.map(|coef| within(coef, costs, most));
    let near = start.as_deref().map(|coef| {
        let mut values = vec![0.0; y.len()];
        rows.multiply(coef, &mut values);
        valued(Solved { coef: coef.to_vec(), values, ..nothing.clone() }, y, costs, most)
    });
    let near = near.map(|(tube, next)| {
        // It may be as good as is asked for.
        if tube.machine.gap < best.machine.gap {
            best = tube;
        }
        next
    });
    let mut wide = (half_range(y), nothing);
    let mut narrow: Option<(f64, Solved)> = None;
    let mut epsilon = near.unwrap_or(widest).min(0.5 * wide.0);
    let mut from = start;
    let (mut tol, mut steps) = (INNER * settings.tol, 0);
    let (mut status, mut fruitless, mut rounded) = (Status::Stalled, 0, 0);
    for trial in 0..TRIALS {
        if best.machine.gap <= settings.tol {
            status = Status::Converged;
            break;
        }
        let left = Settings { tol, max_steps: settings.max_steps - steps, ..*settings };
        let found = epsilon_svr(rows, y, epsilon, costs, from.as_deref(), &left, watch);
        steps += found.steps.min(left.max_steps);
        let ended = found.status;
        let rounds = ended == Status::Stalled && found.gap > NOTHING;
        rounded = if rounds { rounded + 1 } else { 0 };
        let norm = one_norm(&found.coef);
        if norm > most {
            narrow = Some((epsilon, found));
        } else {
            wide = (epsilon, found);
        }
        let between = match &narrow {
            Some((_, narrow)) => between(narrow, &wide.1, most),
            None => wide.1.clone(),
        };
        from = Some(between.coef.clone());
        let (tube, next) = valued(between, y, costs, most);
        fruitless = if tube.machine.gap < 0.9 * best.machine.gap { 0 } else { fruitless + 1 };
        if tube.machine.gap < best.machine.gap {
            best = tube;
        }
        if fruitless > PATIENCE || (rounded >= ROUNDED && best.machine.gap > NOTHING) {
            break;
        }
        match ended {
            Status::Converged => {}
            Status::Stalled => tol = (10.0 * tol).min(settings.tol),
            ended => {
                status = if best.machine.gap <= settings.tol { Status::Converged } else { ended };
                break;
            }
        }
        let Some((low, narrow)) = &narrow else {
            if wide.0 == 0.0 {
                tol *= 0.1;
                continue;
            }
            // Not the width of the residuals again and again, each a little less.
            epsilon = if next < 0.5 * wide.0 { next } else { 0.1 * wide.0 };
            if trial >= BELOW {
                epsilon = 0.0;
            }
            continue;
        };
        let room = wide.0 - low;
        if room <= 4.0 * f64::EPSILON * wide.0 {
            tol *= 0.1;
        }
        let (first, last) = (low + SHARE * room, wide.0 - SHARE * room);
        let (above, below) = (one_norm(&narrow.coef) - most, most - one_norm(&wide.1.coef));
        epsilon = if trial % 3 == 2 {
            low + 0.5 * room
        } else if (first..=last).contains(&next) {
            next
        } else {
            (low + room * above / (above + below).max(f64::MIN_POSITIVE)).clamp(first, last)
        };
    }
    if best.machine.gap <= settings.tol {
        status = Status::Converged;
    }
    best.machine.steps = steps;
    best.machine.status = status;
    let Tube { machine, epsilon } = best;
    let outside = |(y, v): (&f64, &f64)| (y - v - machine.bias).abs() - epsilon;
    let excess: Vec<f64> = y.iter().zip(&machine.values).map(outside).collect();
    let enough = told(settings.tol) * machine.primal.abs();
    // The bias is that of numbers as they were given.
    let bias = (machine.bias + middle).abs();
    let other: Vec<f64> = y.iter().map(|y| y.abs() + bias).collect();
    let rounding = Rounding { rows, coef: &machine.coef, other: &other };
    let more = rounding.of_losses(costs, &excess, enough, watch);
    let machine = shaken(machine, more, settings.tol);
    Tube { machine: Solved { bias: machine.bias + middle, ..machine }, epsilon }
}

/// A start as a point that satisfies all conditions.
fn within(coef: &[f64], costs: &[f64], most: f64) -> Vec<f64> {
    let lower: Vec<f64> = costs.iter().map(|c| -c).collect();
    let mut x = of_sum_zero(coef, &lower, costs);
    let norm = one_norm(&x);
    if norm > most {
        x.iter_mut().for_each(|v| *v *= most / norm);
    }
    x
}

fn one_norm(coef: &[f64]) -> f64 {
    coef.iter().map(|c| c.abs()).sum()
}

fn half_range(y: &[f64]) -> f64 {
    let least = y.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least <= largest { 0.5 * largest - 0.5 * least } else { 0.0 }
}

/// The point between two, of which the first has ‖β‖₁ above `most`, with ‖β‖₁ at most that.
fn between(narrow: &Solved, wide: &Solved, most: f64) -> Solved {
    let (above, below) = (one_norm(&narrow.coef), one_norm(&wide.coef));
    let share =
        if above > below { ((most - below) / (above - below)).clamp(0.0, 1.0) } else { 0.0 };
    let mix = |a: &[f64], b: &[f64]| -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| share * a + (1.0 - share) * b).collect()
    };
    let (coef, values) = (mix(&narrow.coef, &wide.coef), mix(&narrow.values, &wide.values));
    Solved { coef, values, ..wide.clone() }
}

/// The machine with the best b and ε for its w, what both are worth, and that ε.
fn valued(machine: Solved, y: &[f64], costs: &[f64], most: f64) -> (Tube, f64) {
    let mut order: Vec<(f64, f64)> =
        y.iter().zip(&machine.values).zip(costs).map(|((y, v), c)| (y - v, *c)).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let upper = quantile(order.iter().rev(), 0.5 * most);
    let lower = quantile(order.iter(), 0.5 * most);
    let epsilon = (0.5 * (upper - lower)).max(0.0);
    let bias = 0.5 * (upper + lower);
    let outside = |r: f64| ((r - bias).abs() - epsilon).max(0.0);
    let loss: f64 = order.iter().map(|(r, c)| c * outside(*r)).sum();
    let norm = machine.norm();
    let gain: f64 = y.iter().zip(&machine.coef).map(|(y, b)| (y - bias) * b).sum();
    let (primal, dual) = (0.5 * norm + loss + most * epsilon, gain - 0.5 * norm);
    let gap = relative_gap(primal, dual);
    (Tube { machine: Solved { bias, primal, dual, gap, ..machine }, epsilon }, epsilon)
}

/// The first residual at which the costs up to it reach `weight`.
fn quantile<'a>(order: impl Iterator<Item = &'a (f64, f64)>, weight: f64) -> f64 {
    let (mut sum, mut last) = (0.0, 0.0);
    for (r, c) in order {
        last = *r;
        sum += c;
        if sum >= weight * (1.0 - 1e-12) {
            break;
        }
    }
    last
}
