//! Points of a search and the steps between them.

use super::Inside;
use super::lbfgs::dot;
use crate::machine::{How, Solution};
use crate::mkl::Problem;
use crate::{Counts, Result, Run, Watch};

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
        let run = self.run.remaining(self.watch).quiet();
        let how = How { weights: self.problem.weights, warm, tol, ..How::new(&run) };
        let (machine, target) = (self.problem.machine, self.problem.target);
        let machines = self.kernel.with_kernel(&parameters, &run, self.watch, &mut |rows| {
            machine.solve(rows, target, &how)
        })?;
        self.counts.add(&machines.counts);
        self.counts.combines += 1;
        let penalty = self.kernel.penalty(&parameters).map_or(0.0, |p| p.0);
        let value = machines.primal() + penalty;
        Ok(Point { parameters, machines, value })
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
            let next = self.try_point(there, Some(&from.machines), Some(tol))?;
            let Some(next) = next.filter(|_| self.watch.stop().is_none()) else {
                return Ok(Line::Failed);
            };
            if next.value <= from.value + ARMIJO * promised {
                return Ok(Line::Step(next));
            }
            // The least of the parabola through what is known, not too near and not too far.
            let bend = next.value - from.value - promised;
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

pub(super) fn moved(from: &[f64], to: &[f64]) -> Vec<f64> {
    from.iter().zip(to).map(|(f, t)| t - f).collect()
}
