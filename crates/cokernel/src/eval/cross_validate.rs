//! Cross-validation of one method.

use super::{Scores, Split, Splits, Stat, table};
use crate::data::{Labels, Views};
use crate::machine::Svc;
use crate::model::{Mkl, Model};
use crate::params::Params;
use crate::{Error, Event, MachineReport, Result, Run, Status, VERSION};
use serde::Serialize;
use std::fmt;

/// What one split gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SplitResult {
    /// Scores on the test instances.
    pub scores: Scores,
    /// Kernels that prediction evaluates.
    pub active_kernels: usize,
    /// Support vectors in percent of the training instances.
    pub support_percent: f64,
    /// Seconds to learn: in [`cross_validate`] with the kernels, in
    /// [`compare`](super::compare) without.
    pub seconds: f64,
    /// Relative duality gap of the method, else the largest of its machines.
    pub gap: Option<f64>,
    /// How learning ended.
    pub status: Status,
    /// How the machine ended.
    pub machine: Option<MachineReport>,
    /// Kernel weights in the order of `CvResult::kernels`.
    pub weights: Vec<f64>,
    /// What a user should read: the warnings of the report, then its notes.
    pub notes: Vec<String>,
}

/// Cross-validated scores of one method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CvResult {
    /// Registry id.
    pub method: String,
    /// Its parameters.
    pub params: Params,
    /// The machine's parameters.
    pub svc: Svc,
    /// How instances were split, and with which seed.
    pub splits: Splits,
    /// Seed of the methods.
    pub seed: u64,
    /// Version of the library.
    pub library_version: String,
    /// Kernel names; numbers found on training instances are left out where they differ between
    /// splits.
    pub kernels: Vec<String>,
    /// Accuracy over the splits.
    pub accuracy: Stat,
    /// Balanced accuracy over the splits.
    pub balanced_accuracy: Stat,
    /// Macro F1 over the splits.
    pub macro_f1: Stat,
    /// Sum of the confusion matrices over the splits.
    pub confusion: Vec<Vec<u64>>,
    /// Class names.
    pub classes: Vec<String>,
    /// Split by split; fewer than asked for if the run was stopped.
    pub results: Vec<SplitResult>,
    /// Interrupted or out of time where splits are missing, else the worst of the splits.
    pub status: Status,
}

/// Learns on each training set and scores on its test set. Widths, normalisations and scaling
/// come from the training instances only.
///
/// # Errors
/// As [`Mkl::fit`]; splits that do not belong to these labels; no split was complete when the
/// run was stopped.
pub fn cross_validate(
    mkl: &Mkl,
    views: &Views,
    labels: &Labels,
    splits: &Splits,
    run: &Run,
) -> Result<CvResult> {
    let watch = run.watch();
    let params = mkl.params()?;
    let truth = Truth::new(views, labels, &splits.splits)?;
    let total = splits.splits.len();
    run.tell(Event::Begin { stage: "splits", total: Some(total as u64) });
    let (mut results, mut names, mut stopped) = (Vec::new(), Vec::new(), None);
    for split in &splits.splits {
        let inner = run.remaining(&watch).quiet();
        let train = (views.select(&split.train), labels.select(&split.train));
        let fitted = mkl.fit(&train.0, &train.1, &inner);
        stopped = watch.stop();
        if stopped.is_some() {
            unless_stopped(fitted)?;
            break;
        }
        let model = fitted?;
        let scored = truth.score(&model, views, split, &run.remaining(&watch));
        let Some(result) = unless_stopped(scored)? else {
            stopped = watch.stop();
            break;
        };
        results.push(result);
        names.push(model.kernels().iter().map(|k| k.name.clone()).collect());
        let mean = Stat::new(accuracies(&results));
        let message = format!("accuracy {:.2} %", 100.0 * mean.mean);
        run.tell(Event::Step { done: results.len() as u64, message: &message });
    }
    run.tell(Event::End);
    if results.is_empty() {
        return Err(stopped_before_the_first());
    }
    let stat = |f: fn(&Scores) -> f64| Stat::new(results.iter().map(|r| f(&r.scores)).collect());
    let mut confusion = vec![vec![0; truth.classes.len()]; truth.classes.len()];
    for r in &results {
        for (sum, row) in confusion.iter_mut().zip(&r.scores.confusion) {
            sum.iter_mut().zip(row).for_each(|(s, v)| *s += v);
        }
    }
    Ok(CvResult {
        method: mkl.method().id.to_string(),
        params,
        svc: mkl.machine().clone(),
        splits: splits.clone(),
        seed: run.seed,
        library_version: VERSION.to_string(),
        kernels: table::common_names(&names),
        accuracy: stat(|s| s.accuracy),
        balanced_accuracy: stat(|s| s.balanced_accuracy),
        macro_f1: stat(|s| s.macro_f1),
        confusion,
        classes: truth.classes,
        status: stopped.unwrap_or_else(|| worst(results.iter().map(|r| r.status))),
        results,
    })
}

/// Scores a model that was learned on the training set of a split on the test set.
///
/// # Errors
/// As [`Model::predict_in`]; a split that does not belong to these labels.
pub fn score_split(
    model: &Model,
    views: &Views,
    labels: &Labels,
    split: &Split,
    run: &Run,
) -> Result<SplitResult> {
    Truth::new(views, labels, std::slice::from_ref(split))?.score(model, views, split, run)
}

fn accuracies(results: &[SplitResult]) -> Vec<f64> {
    results.iter().map(|r| r.scores.accuracy).collect()
}

/// What was found; `None` if a stop came before there was anything.
pub(super) fn unless_stopped<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Err(Error::Stopped { .. }) => Ok(None),
        found => found.map(Some),
    }
}

pub(super) fn stopped_before_the_first() -> Error {
    Error::Data("the run was stopped before the first split was complete".to_string())
}

/// The worst status: the one that a reader must know.
pub(super) fn worst(all: impl IntoIterator<Item = Status>) -> Status {
    const ORDER: [Status; 6] = [
        Status::ClosedForm,
        Status::Converged,
        Status::IterationLimit,
        Status::Stalled,
        Status::TimeLimit,
        Status::Interrupted,
    ];
    let rank = |s: &Status| ORDER.iter().position(|o| o == s);
    all.into_iter().max_by_key(rank).unwrap_or(Status::ClosedForm)
}

/// The true classes, by row of the given views.
pub(super) struct Truth {
    pub(super) classes: Vec<String>,
    pub(super) labelled: usize,
    codes: Vec<Option<u32>>,
}

impl Truth {
    /// Checks that the splits belong to these labels.
    pub(super) fn new(views: &Views, labels: &Labels, splits: &[Split]) -> Result<Self> {
        if labels.len() != views.n() {
            let expected = format!("{}, one per instance of the views", views.n());
            return Err(Error::shape("labels", expected, labels.len()));
        }
        let rows = labels.known_rows();
        let known = labels.select(&rows).classes()?;
        let mut codes = vec![None; labels.len()];
        for (&row, &code) in rows.iter().zip(&known.codes) {
            codes[row] = Some(code);
        }
        if splits.is_empty() {
            return Err(Error::Data("there is no split; make some with Protocol::split".into()));
        }
        for (s, split) in splits.iter().enumerate() {
            if split.train.is_empty() || split.test.is_empty() {
                return Err(Error::Data(format!("split {s} has an empty training or test set")));
            }
            let all = split.train.iter().chain(&split.test);
            if let Some(i) = all.into_iter().find(|i| codes.get(**i).is_none_or(Option::is_none)) {
                return Err(Error::Data(format!(
                    "split {s} holds row {i}, which has no label or does not exist; make the \
                     splits from the same labels"
                )));
            }
        }
        Ok(Truth { classes: known.names, labelled: rows.len(), codes })
    }

    /// Predicts the test instances and scores the predictions.
    pub(super) fn score(
        &self,
        model: &Model,
        views: &Views,
        split: &Split,
        run: &Run,
    ) -> Result<SplitResult> {
        let new = views.select_new(&split.test, &split.train);
        let predicted = model.predict_in(&new, run)?;
        let name = |i: &usize| self.codes[*i].map_or("", |c| self.classes[c as usize].as_str());
        let truth: Vec<&str> = split.test.iter().map(name).collect();
        let labels: Vec<&str> = predicted.labels.iter().map(String::as_str).collect();
        let weights = model.weights();
        let report = model.report();
        let machines = model.machines().iter().fold(0.0_f64, |a, m| a.max(m.gap));
        Ok(SplitResult {
            scores: Scores::of_classes(&truth, &labels, &self.classes)?,
            active_kernels: weights.iter().filter(|w| w.active).count(),
            support_percent: model.support_percent(),
            seconds: report.seconds,
            gap: report.gap.or(Some(machines)),
            status: report.status,
            machine: report.machine,
            weights: weights.iter().map(|w| w.weight).collect(),
            notes: report.remarks().cloned().collect(),
        })
    }
}

impl fmt::Display for CvResult {
    /// Scores over the splits, then one line per split.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}, seed {}", self.method, self.splits.protocol, self.splits.seed)?;
        writeln!(f, "accuracy           {} %", table::percent(&self.accuracy))?;
        writeln!(f, "balanced accuracy  {} %", table::percent(&self.balanced_accuracy))?;
        writeln!(f, "macro F1           {} %", table::percent(&self.macro_f1))?;
        let rows: Vec<Vec<String>> = self
            .results
            .iter()
            .enumerate()
            .map(|(i, r)| {
                vec![
                    (i + 1).to_string(),
                    format!("{:.2}", 100.0 * r.scores.accuracy),
                    format!("{}/{}", r.active_kernels, self.kernels.len()),
                    format!("{:.1}", r.support_percent),
                    format!("{:.2}", r.seconds),
                    table::gap(r.gap),
                    r.status.to_string(),
                ]
            })
            .collect();
        let header = ["split", "accuracy %", "active", "SV %", "seconds", "gap", "status"];
        f.write_str(&table::aligned(&header, &rows))
    }
}
