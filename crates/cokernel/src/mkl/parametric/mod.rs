//! Parameters inside a kernel, and the machine on it, in turn:
//!
//! ```text
//! min_θ  F(θ) = J(θ) + Ω(θ),      J(θ) = max_c  ℓ(c) − ½ Σ_u c_uᵀ K(θ) c_u
//! ```
//!
//! (LMKA Figure 3.1; the same scheme learns projections and widths.) A method says what K(θ) is, the derivative of J at
//! the coefficients of a machine, and Ω, if it has one ([`Inside`]); where to start and when to end is here.
//!
//! | step | how |
//! |---|---|
//! | machine | from the coefficients of the last one, to a tenth of the last relative decrease, but between ten times `tol` and a tenth of it; before an end to a thousandth, and more exactly where no step is found though derivatives are large |
//! | direction | L-BFGS, or minus the gradient as in the source |
//! | length | halved until Armijo's condition holds for the primal objective of the machine, which bounds J from above; where the last coefficients, which bound J from below, tell that it does not hold there is no machine to solve |
//! | end | two decreases in turn below `tol`, the machine solved again more exactly, and then: no derivative above √(`tol`/10), relative to F, and no step along minus the gradient that lowers F by more than `tol` |
//! | after that | the machine to its own tolerance |
//!
//! Where derivatives are larger the search goes on, however small the decreases. If no step lowers F any more, or a hundred in
//! turn hardly do, that is an end, too, which is told where a derivative is above a tenth of F: it is an edge of F (gates
//! that have become steps from 0 to 1 make many), and no minimum.
//! Along the gradient (`search=gradient`) small decreases alone are an end, as in the source.
//!
//! **Bounds.** Parameters may be held at 0 or above ([`Inside::is_nonnegative`]). Steps are then projected, Armijo's condition
//! asks for a share of what the gradient promises for the projected step, and a parameter at 0 whose derivative points
//! below, or so little above that the step would only go to 0, takes no part in the direction of the others (Bertsekas
//! 1982, SIAM J. Control Optim. 20).
//!
//! **Not convex**: what is found depends on the start. The trace of F never rises. After small decreases, and where
//! Armijo's condition holds for no step, what is known of the curvature is forgotten: small steps alone may be those of a
//! curvature that no longer holds.
//!
//! **Cost** of an iteration: K(θ) and its machine for each trial, mostly one, and the derivative. Nothing but θ,
//! gradients and machines is kept.

#[cfg(test)]
pub(in crate::mkl) mod cases;
pub(super) mod lbfgs;
mod line;
mod starts;

pub(crate) use starts::{Started, from_starts};

use super::Problem;
use crate::machine::Solution;
use crate::solve::Rows;
use crate::{Counts, Event, Result, Run, Status, Watch};
use lbfgs::{Curvature, dot};
use line::{Line, Point, Searcher, moved};

/// A derivative, relative to F, from which an end is no stationary point, whatever the tolerance.
const STEEP: f64 = 0.1;
/// Small decreases in turn until an end is looked for.
const PATIENCE: usize = 2;
/// The same until the search gives up where derivatives are not small.
const MANY: usize = 100;
/// Relative gap of the machines at first, and after large decreases, in units of the tolerance.
const LOOSE: f64 = 10.0;
/// Relative gaps of machines that are exact enough before an end, whatever the tolerance.
const EXACT: f64 = 1e-9;

/// What is done with the machine on a kernel.
pub(crate) type Use<'a> = dyn FnMut(&dyn Rows) -> Result<Solution> + 'a;

/// A kernel with parameters.
pub(crate) trait Inside {
    /// Makes the kernel with these parameters and uses it.
    ///
    /// # Errors
    /// There is no memory for it; what the use says.
    fn with_kernel(
        &self,
        parameters: &[f64],
        run: &Run,
        watch: &Watch,
        then: &mut Use<'_>,
    ) -> Result<Solution>;

    /// ∂J/∂θ at the coefficients of the machines; `None` after a stop.
    fn slopes(&self, parameters: &[f64], machines: &Solution, watch: &Watch) -> Option<Vec<f64>>;

    /// Whether derivatives at the first say nothing about the second, so that a shorter step is better.
    fn is_too_far(&self, from: &[f64], to: &[f64]) -> bool {
        let _ = (from, to);
        false
    }

    /// Whether no parameter may be below 0.
    fn is_nonnegative(&self) -> bool {
        false
    }

    /// Ω and its derivative.
    fn penalty(&self, parameters: &[f64]) -> Option<(f64, Vec<f64>)> {
        let _ = parameters;
        None
    }
}

/// How to search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Search {
    /// Relative decrease of F to stop at.
    pub tol: f64,
    /// Limit on steps.
    pub max_iterations: usize,
    /// Whether directions are those of L-BFGS, not minus the gradient.
    pub second_order: bool,
}

impl Search {
    /// Derivatives, relative to F, up to which an end is a stationary point. Where F bends by as much as it is large, a
    /// derivative s promises a decrease by ½s²: this one promises a twentieth of the tolerance.
    fn flat(self) -> f64 {
        (0.1 * self.tol).sqrt().min(STEEP)
    }

    /// The gap, relative, to which machines are solved before an end: derivatives are then known to a tenth of `flat`.
    fn exact(self) -> f64 {
        (0.001 * self.tol).max(EXACT)
    }
}

/// Where a search ended.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// θ.
    pub parameters: Vec<f64>,
    /// The machines there, to their own tolerance.
    pub machines: Solution,
    /// F at the start and after each step.
    pub objective: Vec<f64>,
    /// How it ended.
    pub status: Status,
    /// The largest of the derivatives at the end, relative to F; of a parameter at its bound only if it leads away from it.
    /// Not a number where no machine was solved.
    pub slope: f64,
    /// Work done.
    pub counts: Counts,
}

impl Found {
    /// F at the end.
    pub fn value(&self) -> f64 {
        self.objective.last().copied().unwrap_or(f64::INFINITY)
    }

    /// The remark on an end that is no stationary point.
    pub fn remark(&self, title: &str, how: Search) -> Option<String> {
        let Found { status, slope, .. } = self;
        let at = if slope.is_nan() { String::new() } else { format!(" at slope {slope:.1e}") };
        let steep = *slope > STEEP;
        match status {
            status if !status.is_success() => {
                Some(format!("{title} ended before its tolerance ({status}){at}"))
            }
            _ if steep && how.second_order => Some(format!(
                "{title} ended{at}: hardly any step lowers the objective, though its derivatives are not small: this may be \
                 an edge of it, and no minimum; compare with more starts, or with kernels and features of similar sizes"
            )),
            _ if steep => Some(format!(
                "{title} ended{at}: decreases are small, but its derivatives are not; search=lbfgs goes on from here"
            )),
            _ => None,
        }
    }
}

/// Parameters up to this share of their mean size are led to 0 by derivatives above 0.
const NEAR: f64 = 1e-3;

/// Which parameters the direction is looked for in: with bounds not those that are at 0, or nearly, and shall not rise.
fn free(parameters: &[f64], slopes: &[f64], bounded: bool) -> Vec<bool> {
    if !bounded {
        return vec![true; parameters.len()];
    }
    let near = NEAR * parameters.iter().sum::<f64>() / parameters.len().max(1) as f64;
    parameters.iter().zip(slopes).map(|(p, s)| *s <= 0.0 || *p > near).collect()
}

/// The derivatives without those of parameters at their bound that lead out.
fn inward(parameters: &[f64], slopes: &[f64], bounded: bool) -> Vec<f64> {
    let one = |(p, s): (&f64, &f64)| if bounded && *p <= 0.0 { s.min(0.0) } else { *s };
    parameters.iter().zip(slopes).map(one).collect()
}

/// The largest of these derivatives, relative to F.
fn steepest(slopes: &[f64], scale: f64) -> f64 {
    slopes.iter().fold(0.0_f64, |a, s| a.max(s.abs())) / scale
}

/// Searches from these parameters, whose first step is about 1 long.
///
/// # Errors
/// What the kernel or the machine says.
pub(crate) fn search(
    problem: &Problem<'_>,
    kernel: &dyn Inside,
    start: Vec<f64>,
    how: Search,
    run: &Run,
    watch: &Watch,
) -> Result<Found> {
    let mut searcher = Searcher { problem, kernel, run, watch, counts: Counts::default() };
    let loose = (LOOSE * how.tol).min(0.1).max(how.tol);
    let mut tol = loose;
    let mut point = searcher.point(start, None, Some(tol))?;
    let mut objective = vec![point.value];
    let mut curvature = Curvature::default();
    // `exact` since the last decrease that was not small.
    let (mut gradient, mut small, mut exact) = (None, 0, false);
    let mut exactness = how.exact();
    let bounded = kernel.is_nonnegative();
    // Of a step along minus the gradient, which is as long as this.
    let mut reach = 1.0_f64;
    let status = loop {
        if gradient.is_none() {
            gradient = searcher.slopes(&point);
        }
        let Some(slopes) = &gradient else { break watch.stop().unwrap_or(Status::Stalled) };
        let scale = point.value.abs().max(f64::MIN_POSITIVE);
        let steps = objective.len() - 1;
        let message = format!("objective {:.6e}", point.value);
        run.tell(Event::Step { done: steps as u64, message: &message });
        let ended = point.machines.status();
        if !ended.is_success() && (watch.stop().is_some() || exact) {
            break ended;
        }
        let inside = inward(&point.parameters, slopes, bounded);
        let size = dot(&inside, &inside).sqrt();
        let flat = !how.second_order || steepest(&inside, scale) <= how.flat();
        if size == 0.0 || (small >= PATIENCE && exact && flat) {
            break Status::Converged;
        }
        if small >= MANY && exact {
            break Status::Converged;
        }
        if let Some(status) = watch.stop() {
            break status;
        }
        if steps == how.max_iterations {
            break Status::IterationLimit;
        }
        let free = free(&point.parameters, slopes, bounded);
        let known = if how.second_order { curvature.direction_in(slopes, &free) } else { None };
        let unit = || inside.iter().map(|s| -s / size).collect::<Vec<f64>>();
        let (direction, length, least) = match known {
            Some(mut direction) => {
                for (k, d) in direction.iter_mut().enumerate().filter(|(k, _)| !free[*k]) {
                    *d = -point.parameters[k];
                }
                (direction, 1.0, 0.0)
            }
            None if exact && flat => (unit(), reach.max(1.0), how.tol * scale),
            None if exact => (unit(), reach.max(1.0), 0.0),
            None => (unit(), reach, 0.0),
        };
        let line = match small >= PATIENCE && !exact {
            true => Line::Little,
            false => searcher.line(&point, slopes, &direction, length, (tol, least))?,
        };
        let Line::Step(next) = line else {
            if let Some(status) = watch.stop() {
                break status;
            }
            if exact && !curvature.is_empty() {
                curvature.clear();
                continue;
            }
            if exact && (flat || exactness <= EXACT) {
                break Status::Converged;
            }
            // Where steep slopes bend at once, what a step lowers F by is less than the gap of the machine.
            exactness = if exact { (0.01 * exactness).max(EXACT) } else { exactness };
            (exact, tol) = (true, exactness);
            curvature.clear();
            // One more step has to be small.
            small = small.min(PATIENCE - 1);
            let (here, warm) = (point.parameters.clone(), Some(&point.machines));
            if let Some(again) = searcher.try_point(here, warm, Some(tol))?
                && again.value <= point.value
            {
                point = again;
                let last = objective.len() - 1;
                objective[last] = point.value;
            }
            gradient = None;
            continue;
        };
        let decrease = (point.value - next.value) / scale;
        small = if decrease <= how.tol { small + 1 } else { 0 };
        exact = exact && small > 0;
        tol = if exact { exactness } else { (0.1 * decrease).clamp(0.1 * how.tol, loose) };
        let there = searcher.slopes(&next);
        let step = moved(&point.parameters, &next.parameters);
        reach = 2.0 * dot(&step, &step).sqrt();
        if let Some(new) = &there
            && how.second_order
        {
            let change = new.iter().zip(slopes).map(|(a, b)| a - b).collect();
            if !curvature.learn(step, change) {
                // It bends downwards: go on along the gradient, and farther.
                curvature.clear();
            }
        }
        (point, gradient) = (next, there);
        objective.push(point.value);
    };
    let solved = !point.machines.status().is_stop();
    let slope = gradient.as_ref().filter(|_| solved).map_or(f64::NAN, |slopes: &Vec<f64>| {
        let inside = inward(&point.parameters, slopes, bounded);
        steepest(&inside, point.value.abs().max(f64::MIN_POSITIVE))
    });
    if watch.stop().is_none() && point.machines.gap() > problem.machine.tol() {
        let (here, warm) = (point.parameters.clone(), Some(&point.machines));
        if let Some(last) = searcher.try_point(here, warm, None)?
            && (last.machines.status().is_success() || last.machines.gap() < point.machines.gap())
        {
            point = last;
            let end = objective.len() - 1;
            objective[end] = match end {
                0 => point.value,
                _ => objective[end].min(point.value),
            };
        }
    }
    let Point { parameters, machines, .. } = point;
    let status = if status.is_success() { machines.status() } else { status };
    Ok(Found { parameters, machines, objective, status, slope, counts: searcher.counts })
}
