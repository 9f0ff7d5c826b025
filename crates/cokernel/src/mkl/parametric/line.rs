//! Points of a search and the steps between them.

use super::Inside;
use super::lbfgs::dot;
use crate::machine::{How, Solution};
use crate::mkl::Problem;
use crate::solve::Rows;
use crate::{Counts, Result, Run, Watch};
use std::cell::Cell;

/// Armijo's constant.
const ARMIJO: f64 = 1e-4;
/// Trials of one line search.
const TRIALS: usize = 20;

/// How a line search ended.
pub(super) enum Line {
    /// With a step.
    Step(Point),
    /// No step promises more than the least that is asked for.
    Little,
    /// Armijo's condition held for none, or there was a stop.
    Failed,
}

pub(super) struct Point {
    pub parameters: Vec<f64>,
    pub machines: Solution,
    /// F, and Ω in it.
    pub value: f64,
}

/// What is known of a point that a line search tries.
pub(super) enum Trial {
    Point(Point),
    /// F there is at least this, which is too much; the machine was not solved.
    Above(f64),
}

pub(super) struct Searcher<'a> {
    pub problem: &'a Problem<'a>,
    pub kernel: &'a dyn Inside,
    pub run: &'a Run,
    pub watch: &'a Watch,
    pub counts: Counts,
}

impl Searcher<'_> {
    pub fn point(
        &mut self,
        parameters: Vec<f64>,
        warm: Option<&Solution>,
        tol: Option<f64>,
    ) -> Result<Point> {
        let penalty = self.kernel.penalty(&parameters).map_or(0.0, |p| p.0);
        let machines = self.machines(&parameters, warm, tol, &|_, _| false)?;
        let value = machines.primal() + penalty;
        Ok(Point { parameters, machines, value })
    }

    /// The machines on the kernel of these parameters; the start itself where `skips` says so of it and the kernel.
    fn machines(
        &mut self,
        parameters: &[f64],
        warm: Option<&Solution>,
        tol: Option<f64>,
        skips: &dyn Fn(&Solution, &dyn Rows) -> bool,
    ) -> Result<Solution> {
        let run = self.run.remaining(self.watch).quiet();
        let how = How { weights: self.problem.weights, warm, tol, ..How::new(&run) };
        let (machine, target) = (self.problem.machine, self.problem.target);
        let mut solved = Counts::default();
        let machines =
            self.kernel.with_kernel(parameters, &run, self.watch, &mut |rows| match warm {
                Some(warm) if skips(warm, rows) => Ok(warm.clone()),
                _ => {
                    let found = machine.solve(rows, target, &how)?;
                    solved = found.counts;
                    Ok(found)
                }
            })?;
        self.counts.add(&solved);
        self.counts.combines += 1;
        Ok(machines)
    }

    /// [`point`](Self::point); `None` after a stop, which the making of a kernel tells as an error.
    pub fn try_point(
        &mut self,
        parameters: Vec<f64>,
        warm: Option<&Solution>,
        tol: Option<f64>,
    ) -> Result<Option<Point>> {
        match self.point(parameters, warm, tol) {
            Err(_) if self.watch.stop().is_some() => Ok(None),
            found => found.map(Some),
        }
    }

    /// [`try_point`](Self::try_point) where F has to be at most `most`. As J is a maximum over coefficients, those of the
    /// machines at `from` bound it from below at any parameters: where that is above `most` there is no machine to solve.
    fn trial(
        &mut self,
        parameters: Vec<f64>,
        from: &Point,
        (tol, most): (f64, f64),
    ) -> Result<Option<Trial>> {
        let penalty = self.kernel.penalty(&parameters).map_or(0.0, |p| p.0);
        let watch = self.watch;
        let above = Cell::new(None);
        let skips = |known: &Solution, rows: &dyn Rows| {
            let bound = least(known, rows, watch).map(|b| b + penalty);
            above.set(bound.filter(|b| *b > most));
            above.get().is_some()
        };
        let machines = self.machines(&parameters, Some(&from.machines), Some(tol), &skips);
        Ok(match (machines, above.get()) {
            (Err(_), _) if watch.stop().is_some() => None,
            (Err(error), _) => return Err(error),
            (Ok(_), Some(bound)) => Some(Trial::Above(bound)),
            (Ok(machines), None) => {
                let value = machines.primal() + penalty;
                Some(Trial::Point(Point { parameters, machines, value }))
            }
        })
    }

    /// The derivative of F; `None` after a stop.
    pub fn slopes(&self, point: &Point) -> Option<Vec<f64>> {
        let mut slopes = self.kernel.slopes(&point.parameters, &point.machines, self.watch)?;
        if let Some((_, own)) = self.kernel.penalty(&point.parameters) {
            slopes.iter_mut().zip(own).for_each(|(s, o)| *s += o);
        }
        Some(slopes)
    }

    /// Where a step leads, and what the gradient promises there.
    fn step(
        &self,
        from: &Point,
        slopes: &[f64],
        direction: &[f64],
        length: f64,
    ) -> (Vec<f64>, f64) {
        let steps = from.parameters.iter().zip(direction);
        let mut there: Vec<f64> = steps.map(|(p, d)| p + length * d).collect();
        if !self.kernel.is_nonnegative() {
            return (there, length * dot(direction, slopes));
        }
        there.iter_mut().for_each(|p| *p = p.max(0.0));
        let promised = dot(slopes, &moved(&from.parameters, &there));
        (there, promised)
    }

    /// The first of shorter and shorter steps whose objective is enough smaller, of those that promise more than `least`.
    pub fn line(
        &mut self,
        from: &Point,
        slopes: &[f64],
        direction: &[f64],
        mut length: f64,
        (tol, least): (f64, f64),
    ) -> Result<Line> {
        let mut tried = false;
        for _ in 0..TRIALS {
            if self.watch.stop().is_some() {
                return Ok(Line::Failed);
            }
            let (there, promised) = self.step(from, slopes, direction, length);
            if there == from.parameters || (promised < 0.0 && -promised <= least) {
                return Ok(Line::Little);
            }
            if promised >= 0.0 || self.kernel.is_too_far(&from.parameters, &there) {
                length *= 0.5;
                continue;
            }
            tried = true;
            let most = from.value + ARMIJO * promised;
            let next = self.trial(there, from, (tol, most))?;
            let Some(next) = next.filter(|_| self.watch.stop().is_none()) else {
                return Ok(Line::Failed);
            };
            let value = match next {
                Trial::Point(next) if next.value <= most => return Ok(Line::Step(next)),
                Trial::Point(next) => next.value,
                Trial::Above(bound) => bound,
            };
            // The least of the parabola through what is known, not too near and not too far.
            let bend = value - from.value - promised;
            let least = -0.5 * promised * length / bend;
            length = if least.is_finite() {
                least.clamp(0.1 * length, 0.5 * length)
            } else {
                0.5 * length
            };
        }
        Ok(if tried { Line::Failed } else { Line::Little })
    }
}

/// What the coefficients of these machines make of J on another kernel, which is at least this; `None` after a stop.
fn least(machines: &Solution, rows: &dyn Rows, watch: &Watch) -> Option<f64> {
    let mut product = vec![0.0; rows.n()];
    let mut sum = 0.0;
    for block in &machines.blocks {
        sum += block.linear;
        for head in &block.heads {
            if !rows.multiply_until(&head.coef, &mut product, watch) {
                return None;
            }
            sum -= 0.5 * dot(&head.coef, &product);
        }
    }
    Some(sum)
}

pub(super) fn moved(from: &[f64], to: &[f64]) -> Vec<f64> {
    from.iter().zip(to).map(|(f, t)| t - f).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bank::{Bank, Storage};
    use crate::data::{Matrix, Views};
    use crate::kernel::KernelSpec;
    use crate::mkl::parametric::cases::{N, machine, targets};

    /// Of every machine: what skips machines is no more than they would find, and no less where they were solved.
    #[test]
    fn coefficients_of_another_kernel_bound_the_objective_from_below() {
        let x = Matrix::from_fn(N, 2, |i, j| ((i + 7 * j) as f64 * 0.7).sin() * 1.5);
        let views = Views::new().dense("a", x).unwrap();
        let run = Run::default();
        let specs: Vec<KernelSpec> =
            ["linear", "gaussian:gamma=0.4"].iter().map(|s| s.parse().unwrap()).collect();
        let bank = Bank::build(&views, &specs, Storage::Auto, &run).unwrap();
        let grams = [[1.0, 0.2], [0.1, 3.0], [40.0, 0.0]].map(|w| bank.combine(&w).unwrap());
        for (text, target) in targets() {
            let machine = machine(text);
            let solved: Vec<Solution> =
                grams.iter().map(|g| machine.solve(g, &target, &How::new(&run)).unwrap()).collect();
            for (k, gram) in grams.iter().enumerate() {
                let near = 1e-8 * (1.0 + solved[k].primal().abs());
                for (l, known) in solved.iter().enumerate() {
                    let bound = least(known, gram, &run.watch()).unwrap();
                    assert!(bound <= solved[k].primal() + near, "{text} {k} {l}: {bound}");
                    let own = (bound - solved[k].objective()).abs() <= near;
                    assert!(k != l || own, "{text} {k}: {bound} {}", solved[k].objective());
                }
            }
        }
    }
}
