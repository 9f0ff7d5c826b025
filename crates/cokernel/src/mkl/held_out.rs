//! How wrong a combination is on instances that it was not learned from: what searches over d_m or weights minimise.
//!
//! Folds of the training instances are stratified by class and the same for all candidates. Instances of the held-out
//! fold take part with weight 0, so the kernels are formed once; their normalisations are those of all training
//! instances, as in [`best_single`](super::best_single).

use super::best_single::{decisions, even, stratified};
use super::{Problem, mixed};
use crate::data::Target;
use crate::machine::Solution;
use crate::params::{Param, Range};
use crate::rule::Weighted;
use crate::solve::Rows;
use crate::{Result, Run, Watch};

/// Folds of the inner cross-validation.
pub(super) const FOLDS: Param = Param {
    name: "folds",
    doc: "Folds of the inner cross-validation on the training instances, whose errors are minimised.",
    range: Range::Int { default: 3, min: 2, max: 100 },
};

/// What is said where there is nothing to hold out.
pub(super) const NO_FOLDS: &str = "a class has a single instance, so there was no inner cross-validation and nothing \
                                   was chosen by it";

/// The folds of a problem.
#[derive(Debug)]
pub(super) struct HeldOut {
    fold: Vec<usize>,
    pub folds: usize,
}

impl HeldOut {
    /// `None` where a class has a single instance.
    pub fn new(problem: &Problem<'_>, folds: usize, run: &Run) -> Result<Option<Self>> {
        let fold = match problem.target {
            Target::Real(_) => even(problem.target, folds, run),
            target => stratified(&target.classes()?.clone().into(), folds, run),
        };
        Ok(fold.map(|fold| HeldOut { fold, folds }))
    }

    /// The weights of the instances with those of a fold 0.
    pub fn weights(&self, problem: &Problem<'_>, held: usize) -> Vec<f64> {
        let given = |i: usize| problem.weights.map_or(1.0, |w| w[i]);
        let one = |(i, f): (usize, &usize)| if *f == held { 0.0 } else { given(i) };
        self.fold.iter().enumerate().map(one).collect()
    }

    /// The part of the mean error that a fold has: share of wrong answers, or mean squared error of numbers.
    pub fn error(
        &self,
        problem: &Problem<'_>,
        held: usize,
        rows: &dyn Rows,
        machines: &Solution,
        watch: &Watch,
    ) -> f64 {
        let values = decisions(machines, rows, watch);
        if values.iter().flatten().any(|v| !v.is_finite()) {
            return f64::NAN;
        }
        let right = problem.machine.reading().right(problem.target, &values);
        let best = if matches!(problem.target, Target::Real(_)) { 0.0 } else { 1.0 };
        let weight = |i: usize| problem.weights.map_or(1.0, |w| w[i]);
        let total: f64 = (0..self.fold.len()).map(weight).sum();
        let of_fold = (0..self.fold.len()).filter(|i| self.fold[*i] == held);
        of_fold.map(|i| weight(i) * (best - right[i])).sum::<f64>() / total
    }

    /// [`error`](Self::error) of weights whose sum of kernels is not at hand.
    pub fn error_of_weights(
        &self,
        problem: &Problem<'_>,
        held: usize,
        weights: &[f64],
        machines: &Solution,
        run: &Run,
        watch: &Watch,
    ) -> Result<f64> {
        let rule = Weighted::new(weights.to_vec());
        let rows = mixed(problem.bank, &rule, None, run, watch)?;
        Ok(self.error(problem, held, rows.as_ref(), machines, watch))
    }
}
