//! Cross-validation of one method.

use super::tune::Tuning;
use super::{Measure, Measured, Measures, Scores, Split, Splits, Stat, table};
use crate::calibrate::Calibrating;
use crate::data::{Labels, Target, Views};
use crate::machine::CheckedMachine;
use crate::method::Task;
use crate::model::{Costs, Given, Mkl, Model, Priced};
use crate::params::{Params, Value};
use crate::{Error, Event, MachineReport, Result, Run, Status, VERSION};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// What one split gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SplitResult {
    /// Scores on the test instances.
    pub scores: Measured,
    /// Kernels that prediction evaluates.
    pub active_kernels: usize,
    /// Support vectors in percent of the training instances.
    pub support_percent: f64,
    /// What predicting an instance costs, with the prices that were given ([`How::costs`]), else with those of the method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_cost: Option<f64>,
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
    /// Parameters that were chosen inside the training set, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chosen: Vec<(String, Value)>,
}

/// Cross-validated scores of one method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CvResult {
    /// Registry id.
    pub method: String,
    /// Its parameters, without those that were chosen.
    pub params: Params,
    /// The machine and its parameters, without those that were chosen.
    pub machine: CheckedMachine,
    /// Parameters that were chosen inside the training sets, by name: one value for each split, none where its method has no such parameter.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub chosen: BTreeMap<String, Vec<Option<Value>>>,
    /// How decision values became probabilities, if they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrating: Option<Calibrating>,
    /// How instances were split, and with which seed.
    pub splits: Splits,
    /// Seed of the methods.
    pub seed: u64,
    /// Version of the library.
    pub library_version: String,
    /// Kernel names; numbers found on training instances are left out where they differ between
    /// splits.
    pub kernels: Vec<String>,
    /// Each score over the splits.
    #[serde(flatten)]
    pub measures: Measures,
    /// What was chosen inside the training sets, if something was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tuning: Option<Tuning>,
    /// What kernels cost, if that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<Costs>,
    /// What predicting an instance costs, where kernels have prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_cost: Option<Stat>,
    /// Sum of the confusion matrices over the splits; empty where classes are not learned.
    pub confusion: Vec<Vec<u64>>,
    /// Class names.
    pub classes: Vec<String>,
    /// Split by split; fewer than asked for if the run was stopped.
    pub results: Vec<SplitResult>,
    /// Interrupted or out of time where splits are missing, else the worst of the splits.
    pub status: Status,
}

/// Learns on each training set and scores on its test set. Widths, normalisations and scaling
/// come from the training instances only. Instances without a label are in every training set, if the machine
/// uses them, and in no test set.
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
    cross_validate_calibrated(mkl, None, views, labels, splits, run)
}

/// [`cross_validate`] with probabilities: each model is calibrated on its training instances, which
/// takes one more fit for each fold of the calibration.
///
/// # Errors
/// As [`cross_validate`] and [`Mkl::calibration`].
pub fn cross_validate_calibrated(
    mkl: &Mkl,
    calibrating: Option<Calibrating>,
    views: &Views,
    labels: &Labels,
    splits: &Splits,
    run: &Run,
) -> Result<CvResult> {
    let how = How { calibrating, ..How::default() };
    cross_validate_given(mkl, how, (views, labels), &Given::default(), splits, run)
}

/// What is done on each training set beside a fit.
#[derive(Debug, Clone, Copy, Default)]
pub struct How<'a> {
    /// Decision values become probabilities.
    pub calibrating: Option<Calibrating>,
    /// Parameters are chosen; on the validation sets of all splits together, where these have some.
    pub tuning: Option<&'a Tuning>,
    /// What kernels cost: of every model then what predicting an instance costs.
    pub costs: Option<&'a Costs>,
    /// Of each method of a comparison whether it is left out where it refuses the data, or where its models take all views of
    /// an instance together and held-out instances lack some (`missing=drop`); without, that is an error.
    pub may_leave_out: &'a [bool],
}

/// [`cross_validate_calibrated`] with parameters that are chosen inside each training set, and with what else is known about
/// the instances. Pairs of test instances take no part; those of instances without a label do, in every split.
///
/// # Errors
/// As [`cross_validate_calibrated`] and [`Mkl::fit_given`].
pub fn cross_validate_given(
    mkl: &Mkl,
    how: How<'_>,
    (views, labels): (&Views, &Labels),
    given: &Given<'_>,
    splits: &Splits,
    run: &Run,
) -> Result<CvResult> {
    given.check(views.n())?;
    let How { calibrating, tuning, costs, .. } = how;
    let watch = run.watch();
    let params = mkl.params()?;
    if calibrating.is_some() {
        mkl.require_classes()?;
    }
    let truth = Truth::new(mkl.task(), views, labels, &splits.splits)?;
    let candidates = tuning.map(|t| t.candidates(mkl, false)).transpose()?;
    let tuning = tuning.zip(candidates.as_ref());
    let asked = tuning.map(|t| t.0.clone());
    let mut chosen = None;
    if let (Some((tuning, candidates)), Some(inner)) = (tuning, splits.validating()) {
        chosen = Some(tuning.choose_on(candidates, (views, labels), given, &inner, run)?);
    }
    let total = splits.splits.len();
    run.tell(Event::Begin { stage: "splits", total: Some(total as u64) });
    let (mut results, mut names, mut stopped) = (Vec::new(), Vec::new(), None);
    let mut priced = Priced::new(costs);
    for split in &splits.splits {
        let inner = run.remaining(&watch).quiet();
        let labels = &*splits.seen(mkl, labels, split)?;
        let split = &*split.learned_from(mkl, labels)?;
        let rows = given.rows(mkl, &split.train, labels)?;
        let (train, known) = ((views.select(&rows), labels.select(&rows)), given.select(&rows)?);
        let of_all = given;
        let given = known.given();
        let tuned = match (tuning, &chosen) {
            (Some((tuning, candidates)), None) => {
                let data = (&train.0, &train.1);
                let tuned = match split.validating() {
                    Some(own) => {
                        let whole = splits.alone(own);
                        tuning.choose_on(candidates, (views, labels), of_all, &whole, &inner)
                    }
                    None => {
                        let groups = splits.groups_of(&rows);
                        tuning.choose_among(candidates, data, groups.as_deref(), &given, &inner)
                    }
                };
                let Some(tuned) = unless_stopped(tuned)? else {
                    stopped = watch.stop();
                    break;
                };
                Some(tuned)
            }
            _ => chosen.clone(),
        };
        let mkl = tuned.as_ref().map_or(mkl, |t| &t.mkl);
        let inner = run.remaining(&watch).quiet();
        let clock = inner.watch();
        let mut total_cost = None;
        let prepared = mkl.prepare_given(&train.0, &train.1, &given, &inner);
        let fitted = prepared.and_then(|prepared| {
            let model = mkl.finish(&prepared, &clock, &inner)?;
            total_cost = priced.total(&prepared, &model, &run.remaining(&watch).quiet())?;
            let Some(how) = calibrating else { return Ok(model) };
            let inner = run.remaining(&watch).quiet();
            model.calibrated(mkl.calibration_given(&train.0, &train.1, &given, how, &inner)?)
        });
        stopped = watch.stop();
        if stopped.is_some() {
            unless_stopped(fitted)?;
            break;
        }
        let model = fitted?;
        let scored = truth.score(&model, views, split, &run.remaining(&watch));
        let Some(mut result) = unless_stopped(scored)? else {
            stopped = watch.stop();
            break;
        };
        result.total_cost = total_cost;
        if let Some(tuned) = tuned {
            result.chosen = tuned.values().to_vec();
            result.notes.extend(tuned.notes().into_iter().skip(1));
        }
        results.push(result);
        names.push(model.kernels().iter().map(|k| k.name.clone()).collect());
        let so_far = Measures::over(results.iter().map(|r: &SplitResult| &r.scores));
        let message = match so_far.main() {
            Some((measure, stat)) => format!("{} {}", measure.title, measure.text(stat.mean)),
            None => String::new(),
        };
        run.tell(Event::Step { done: results.len() as u64, message: &message });
    }
    run.tell(Event::End);
    if results.is_empty() {
        return Err(stopped_before_the_first());
    }
    let mut confusion = vec![vec![0; truth.classes.len()]; truth.classes.len()];
    for scores in results.iter().filter_map(|r| r.scores.classes.as_ref()) {
        for (sum, row) in confusion.iter_mut().zip(&scores.confusion) {
            sum.iter_mut().zip(row).for_each(|(s, v)| *s += v);
        }
    }
    let chosen = by_name(&results);
    let by_splits: Vec<&str> = chosen.keys().map(String::as_str).collect();
    Ok(CvResult {
        method: mkl.method().id.to_string(),
        params: params.without(&by_splits),
        machine: mkl.machine_spec().checked()?.without(&by_splits),
        calibrating,
        splits: splits.clone(),
        seed: run.seed,
        library_version: VERSION.to_string(),
        kernels: table::common_names(&names),
        measures: Measures::over(results.iter().map(|r| &r.scores)),
        costs: costs.cloned(),
        tuning: asked,
        total_cost: total_cost(&results),
        confusion,
        classes: truth.classes,
        chosen,
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
    Truth::new(model.task(), views, labels, std::slice::from_ref(split))?
        .score(model, views, split, run)
}

/// What was chosen on each split, by name.
fn by_name(results: &[SplitResult]) -> BTreeMap<String, Vec<Option<Value>>> {
    let names = results.iter().flat_map(|r| r.chosen.iter().map(|c| c.0.clone()));
    let of = |name: String| {
        let value = |r: &SplitResult| r.chosen.iter().find(|c| c.0 == name).map(|c| c.1.clone());
        let values = results.iter().map(value).collect();
        (name, values)
    };
    names.collect::<std::collections::BTreeSet<String>>().into_iter().map(of).collect()
}

/// The mean cost, where all splits have one.
pub(super) fn total_cost(results: &[SplitResult]) -> Option<Stat> {
    results.iter().map(|r| r.total_cost).collect::<Option<Vec<f64>>>().map(Stat::new)
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

/// What is known of the instances, by row of the given views.
pub(super) struct Truth<'a> {
    pub(super) classes: Vec<String>,
    pub(super) labelled: usize,
    task: Task,
    labels: &'a Labels,
}

impl<'a> Truth<'a> {
    /// Checks that the splits belong to these labels.
    pub(super) fn new(
        task: Task,
        views: &Views,
        labels: &'a Labels,
        splits: &[Split],
    ) -> Result<Self> {
        if labels.len() != views.n() {
            let expected = format!("{}, one per instance of the views", views.n());
            return Err(Error::shape("labels", expected, labels.len()));
        }
        let rows = Target::rows(labels, task);
        let classes = match Target::of(&labels.select(&rows), task)? {
            Target::Classes(classes) => classes.names,
            _ => Vec::new(),
        };
        if splits.is_empty() {
            return Err(Error::Data("there is no split; make some with Protocol::split".into()));
        }
        let mut usable = vec![false; labels.len()];
        rows.iter().for_each(|&i| usable[i] = true);
        for (s, split) in splits.iter().enumerate() {
            if split.train.is_empty() || split.test.is_empty() {
                return Err(Error::Data(format!("split {s} has an empty training or test set")));
            }
            // A machine may learn from instances without a label, but nothing can be scored on them.
            let mut absent = split.train.iter().filter(|i| **i >= labels.len());
            let unusable = split.test.iter().find(|i| usable.get(**i) != Some(&true));
            if let Some(i) = absent.next().or(unusable) {
                return Err(Error::Data(format!(
                    "split {s} holds row {i}, which has no label or does not exist; make the \
                     splits from the same labels"
                )));
            }
        }
        Ok(Truth { classes, labelled: rows.len(), task, labels })
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
        let truth = self.labels.select(&split.test);
        let scores = match &truth {
            // The confusion matrices of all splits have the same order.
            Labels::Classes { names, codes } if self.task == Task::Classify => {
                let name = |c: &Option<u32>| c.map_or("", |c| names[c as usize].as_str());
                let truth: Vec<&str> = codes.iter().map(name).collect();
                let labels: Vec<&str> = predicted.labels.iter().map(String::as_str).collect();
                let scores = Scores::of_classes(&truth, &labels, &self.classes)?;
                let truth: Vec<Option<&str>> = truth.into_iter().map(Some).collect();
                Measured::classes(scores).and_probabilities(&truth, &predicted)
            }
            _ => Measured::of(self.task, &truth, &predicted)?
                .ok_or_else(|| Error::Labels("there is no instance to score".to_string()))?,
        };
        let weights = model.weights();
        let report = model.report();
        let machines = model.machines().iter().fold(0.0_f64, |a, m| a.max(m.gap));
        Ok(SplitResult {
            scores,
            active_kernels: weights.iter().filter(|w| w.active).count(),
            support_percent: model.support_percent(),
            total_cost: model.prices().map(|d| model.total_cost(d)).transpose()?,
            seconds: report.seconds,
            gap: report.gap.or(Some(machines)),
            status: report.status,
            machine: report.machine,
            weights: weights.iter().map(|w| w.weight).collect(),
            notes: report.remarks().chain(&predicted.notes).cloned().collect(),
            chosen: Vec::new(),
        })
    }
}

impl fmt::Display for CvResult {
    /// Scores over the splits, then one line per split.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}, seed {}", self.method, self.splits.how(), self.splits.seed)?;
        for (measure, stat) in &self.measures.0 {
            let unit = if measure.percent { " %" } else { "" };
            writeln!(f, "{:<18} {}{unit}", measure.title, measure.spread(stat))?;
        }
        let main = self.measures.main().map(|m| m.0);
        let rows: Vec<Vec<String>> = self
            .results
            .iter()
            .enumerate()
            .map(|(i, r)| {
                vec![
                    (i + 1).to_string(),
                    main.map_or(String::new(), |m| {
                        r.scores.get(m.id).map_or(String::new(), |v| m.cell(v))
                    }),
                    format!("{}/{}", r.active_kernels, self.kernels.len()),
                    format!("{:.1}", r.support_percent),
                    format!("{:.2}", r.seconds),
                    table::gap(r.gap),
                    r.status.to_string(),
                ]
            })
            .collect();
        let heading = main.map_or(String::new(), Measure::heading);
        let header = ["split", &heading, "active", "SV %", "seconds", "gap", "status"];
        f.write_str(&table::aligned(&header, &rows))
    }
}
