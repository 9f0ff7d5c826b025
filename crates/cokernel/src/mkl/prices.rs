//! The problem of [`bach`](super::bach) under prices d_m that are looked for by its errors on held-out folds: what
//! [`rmkl`](super::rmkl) and [`emkl`](super::emkl) share.
//!
//! Each candidate is learned once per fold, from what the last candidate left on that fold: the start changes how
//! long learning takes, not what it finds beyond the tolerance.

use super::bach::learn_with;
use super::held_out::{HeldOut, NO_FOLDS};
use super::{Learned, Problem};
use crate::{Counts, Error, Result, Run, Watch};

/// Why no candidate was tried; `None` after a stop.
pub(super) fn nothing_searched(kernels: usize, watch: &Watch) -> Option<String> {
    let alone = "there is one kernel, and so no price to choose: none was evaluated";
    let why = if kernels > 1 { NO_FOLDS } else { alone };
    watch.stop().is_none().then(|| why.to_string())
}

/// How the problem is solved for each candidate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Solving {
    pub title: &'static str,
    pub tol: f64,
    pub max_iterations: usize,
}

/// The errors of candidates.
pub(super) struct Prices<'a> {
    problem: &'a Problem<'a>,
    held_out: HeldOut,
    solving: Solving,
    run: &'a Run,
    watch: &'a Watch,
    /// What was learned last on each fold.
    last: Vec<Option<Learned>>,
    counts: Counts,
}

impl<'a> Prices<'a> {
    pub fn new(
        problem: &'a Problem<'a>,
        held_out: HeldOut,
        solving: Solving,
        (run, watch): (&'a Run, &'a Watch),
    ) -> Self {
        let last = vec![None; held_out.folds];
        Prices { problem, held_out, solving, run, watch, last, counts: Counts::default() }
    }

    /// The error of these d on the folds; `None` after a stop.
    pub fn error(&mut self, d: &[f64]) -> Result<Option<f64>> {
        let mut error = 0.0;
        for held in 0..self.held_out.folds {
            let weights = self.held_out.weights(self.problem, held);
            let warm = self.last[held].as_ref().or(self.problem.warm);
            let part = Problem { weights: Some(&weights), warm, ..*self.problem };
            let inner = self.run.remaining(self.watch).quiet();
            let learned = match learn_with(&self.solving, d, &part, &inner) {
                Err(Error::Stopped { .. }) => return Ok(None),
                learned => learned?,
            };
            self.counts.add(&learned.report.counts);
            if self.watch.stop().is_some() {
                return Ok(None);
            }
            if let (Some(weights), Some(machines)) = (learned.rule.weights(), &learned.machines) {
                error += self.held_out.error_of_weights(
                    self.problem,
                    held,
                    weights,
                    machines,
                    &inner,
                    self.watch,
                )?;
                self.counts.combines += 1;
            }
            self.last[held] = Some(learned);
        }
        Ok(self.watch.stop().is_none().then_some(error))
    }

    /// Learns with these d on all instances; the counts are those of the search, too.
    pub fn finish(self, d: Vec<f64>) -> Result<Learned> {
        let warm = self.last.into_iter().flatten().next();
        let problem = Problem { warm: warm.as_ref().or(self.problem.warm), ..*self.problem };
        let rest = self.run.remaining(self.watch);
        let mut learned = learn_with(&self.solving, &d, &problem, &rest)?;
        learned.report.counts.add(&self.counts);
        learned.report.seconds = self.watch.seconds();
        learned.report.details.insert("d".to_string(), d);
        Ok(learned)
    }
}
