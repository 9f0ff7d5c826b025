//! Weights from how well the machine does on each kernel alone.
//!
//! | `measure` | weights | source |
//! |---|---|---|
//! | `accuracy` | η_m ∝ π_m − δ, π_m the accuracy | Tanabe et al. 2008 |
//! | `correlation` | η_m ∝ R_m₊, R_m Pearson's correlation of predictions and numbers | Qiu and Lane 2009 |
//! | `mse` | η_m = (Σ_h E_h − E_m) / ((M − 1) Σ_h E_h), E_m the mean squared error | Qiu and Lane 2009 |
//!
//! (LMKA §2.2.1.3.) `auto` is accuracy for classes and mse for numbers; the other two are for numbers.
//!
//! **Choices that the sources leave open.** Predictions are those of an inner cross-validation with `folds` folds, which
//! are the same for every kernel, as in [`best_single`](super::best_single); on the instances that were
//! learned, wide and narrow kernels alike are right. δ is at most the least accuracy: `chance`, the share
//! of the largest class, if no kernel does worse, else the least accuracy (`least`, always), or 0 (`zero`),
//! which weighs all kernels nearly alike. A correlation below 0 counts as 0. A class with a single instance
//! cannot be held out: predictions are then those of the learned instances, with a note.
//!
//! **Scale.** Multiplying kernel m by s is multiplying C by s in its machine, and its share of the sum: normalise. Two
//! copies have the same weight. Cost: M(`folds` + 1) machines and M sums of one kernel; one n × n matrix.

use super::best_single::{decisions, even, stratified};
use super::measures::{Found, weighted};
use super::{Copies, Learned, Learner, Problem, check, mixed};
use crate::data::Target;
use crate::machine::How;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::Weighted;
use crate::{Error, Event, Report, Result, Run, Watch};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(AccuracyWeights::new(p)) };

static METHOD: Method = Method {
    id: "accuracy_weights",
    title: "weights from the accuracy of each kernel",
    source: "Tanabe, Ho, Nguyen, Kawasaki 2008; Qiu and Lane 2009; Gönen 2010, §2.2.1.3",
    summary: "Trains the machine on every kernel and weighs each by its accuracy, correlation or squared error \
              in an inner cross-validation. Costs a few machines per kernel.",
    tasks: &[Task::Classify, Task::Regress],
    group: Group::Heuristics,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[
        Param {
            name: "measure",
            doc: "What is measured of each kernel; auto: accuracy of classes, mse of numbers.",
            range: Range::Choice {
                default: "auto",
                of: &["auto", "accuracy", "correlation", "mse"],
            },
        },
        Param {
            name: "threshold",
            doc: "δ that is taken off accuracies: that of chance (the largest class), at most the least one; the \
                  least one; or zero.",
            range: Range::Choice { default: "chance", of: &["chance", "least", "zero"] },
        },
        Param {
            name: "folds",
            doc: "Folds of the inner cross-validation on the training instances.",
            range: Range::Int { default: 3, min: 2, max: 100 },
        },
    ],
};

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Accuracy,
    Correlation,
    SquaredError,
}

#[derive(Debug)]
struct AccuracyWeights {
    /// `None`: by the target.
    measure: Option<Measure>,
    threshold: String,
    folds: usize,
}

impl AccuracyWeights {
    fn new(p: &Params) -> Self {
        let measure = match p.text("measure") {
            "accuracy" => Some(Measure::Accuracy),
            "correlation" => Some(Measure::Correlation),
            "mse" => Some(Measure::SquaredError),
            _ => None,
        };
        AccuracyWeights {
            measure,
            threshold: p.text("threshold").to_string(),
            folds: p.count("folds"),
        }
    }

    /// What is measured of this target.
    fn measure(&self, target: &Target) -> Result<Measure> {
        let numbers = matches!(target, Target::Real(_));
        match (self.measure, numbers) {
            (None, true) => Ok(Measure::SquaredError),
            (None | Some(Measure::Accuracy), false) => Ok(Measure::Accuracy),
            (Some(Measure::Accuracy), true) => Err(Error::parameter(
                "measure",
                "'accuracy' is that of classes, and there are numbers: use mse or correlation",
            )),
            (Some(measure), true) => Ok(measure),
            (Some(_), false) => Err(Error::parameter(
                "measure",
                "'correlation' and 'mse' are of numbers, and there are classes: use accuracy",
            )),
        }
    }

    /// What the measure says of one kernel.
    fn judge(
        &self,
        problem: &Problem<'_>,
        kernel: usize,
        fold: Option<&[usize]>,
        measure: Measure,
        run: &Run,
        watch: &Watch,
        report: &mut Report,
    ) -> Result<f64> {
        let mut weights = vec![0.0; problem.bank.len()];
        weights[kernel] = 1.0;
        let rule = Weighted::new(weights);
        let rows = mixed(problem.bank, &rule, None, run, watch)?;
        report.counts.combines += 1;
        let n = problem.bank.n();
        let weight = |i: usize| problem.weights.map_or(1.0, |w| w[i]);
        let (mut right, mut predicted) = (vec![0.0; n], vec![0.0; n]);
        let mut last = None;
        for held in 0..fold.map_or(1, |_| self.folds) {
            let takes_part = |i: usize| fold.is_none_or(|f| f[i] != held);
            let costs: Vec<f64> =
                (0..n).map(|i| if takes_part(i) { weight(i) } else { 0.0 }).collect();
            let left = run.remaining(watch).quiet();
            let how = How { weights: Some(&costs), warm: last.as_ref(), ..How::new(&left) };
            let found = problem.machine.solve(rows.as_ref(), problem.target, &how)?;
            report.counts.add(&found.counts);
            let values = decisions(&found, rows.as_ref(), watch);
            let told = problem.machine.reading().right(problem.target, &values);
            for i in (0..n).filter(|i| fold.is_none_or(|f| f[*i] == held)) {
                (right[i], predicted[i]) = (told[i], values[0][i]);
            }
            last = Some(found);
        }
        let total: f64 = (0..n).map(weight).sum();
        let mean = |v: &dyn Fn(usize) -> f64| (0..n).map(|i| weight(i) * v(i)).sum::<f64>() / total;
        Ok(match (measure, problem.target) {
            (Measure::Correlation, Target::Real(y)) => {
                let (own, other) = (mean(&|i| predicted[i]), mean(&|i| y[i]));
                let along = mean(&|i| (predicted[i] - own) * (y[i] - other));
                let spread =
                    mean(&|i| (predicted[i] - own).powi(2)) * mean(&|i| (y[i] - other).powi(2));
                if spread > 0.0 { along / spread.sqrt() } else { 0.0 }
            }
            (Measure::SquaredError, _) => -mean(&|i| right[i]),
            _ => mean(&|i| right[i]),
        })
    }

    /// Weights from what was measured.
    fn weights(&self, measure: Measure, found: &[f64], target: &Target) -> Vec<f64> {
        let least = found.iter().copied().fold(f64::INFINITY, f64::min);
        match measure {
            Measure::Accuracy => {
                let share = |counts: Vec<usize>| {
                    let largest = counts.iter().copied().max().unwrap_or(0);
                    largest as f64 / counts.iter().sum::<usize>().max(1) as f64
                };
                let delta = match self.threshold.as_str() {
                    "zero" => 0.0,
                    "least" => least,
                    _ => target.classes().map_or(0.0, |c| share(c.counts())).min(least),
                };
                found.iter().map(|p| p - delta).collect()
            }
            Measure::Correlation => found.iter().map(|r| r.max(0.0)).collect(),
            Measure::SquaredError if found.len() == 1 => vec![1.0],
            Measure::SquaredError => {
                let sum: f64 = found.iter().sum();
                found.iter().map(|e| sum - e).collect()
            }
        }
    }
}

impl Learner for AccuracyWeights {
    fn weights_repeat(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let measure = self.measure(problem.target)?;
        let watch = run.watch();
        let mut report = Report::closed_form(run);
        let kernels = problem.bank.len();
        let fold = match problem.target {
            Target::Real(_) => even(problem.target, self.folds, run),
            target => stratified(&target.classes()?.clone().into(), self.folds, run),
        };
        if fold.is_none() {
            report.notes.push(
                "a class has a single instance, so there was no inner cross-validation: kernels are weighed by \
                 what they say of the instances that were learned"
                    .to_string(),
            );
        }
        run.tell(Event::Begin { stage: "single kernels", total: Some(kernels as u64) });
        let mut found = Vec::with_capacity(kernels);
        for kernel in 0..kernels {
            if let Some(status) = watch.stop() {
                report.status = status;
                run.tell(Event::End);
                let zero = &format!("stopped ({status}) after {kernel} of {kernels} kernels");
                let weights = &vec![0.0; kernels];
                return Ok(weighted(&Found { weights, zero }, report, &watch));
            }
            let fold = fold.as_deref();
            found.push(self.judge(problem, kernel, fold, measure, run, &watch, &mut report)?);
            let message = &problem.bank.kernels()[kernel].name;
            run.tell(Event::Step { done: kernel as u64 + 1, message });
        }
        run.tell(Event::End);
        let weights = self.weights(measure, &found, problem.target);
        let (name, zero) = match measure {
            Measure::Accuracy => ("accuracies", "all kernels are as accurate as the threshold"),
            Measure::Correlation => ("correlations", "no kernel has a correlation above 0"),
            Measure::SquaredError => ("squared_errors", "no kernel has an error"),
        };
        report.details.insert(name.to_string(), found);
        Ok(weighted(&Found { weights: &weights, zero }, report, &watch))
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }
}
