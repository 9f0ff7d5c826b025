//! Several methods on the same splits.

use super::cross_validate::{
    How, SplitResult, Truth, stopped_before_the_first, total_cost, unless_stopped, worst,
};
use super::{LeftOut, Measures, Split, Splits, Stat, table};
use crate::calibrate::Calibrating;
use crate::data::{Labels, Views};
use crate::machine::CheckedMachine;
use crate::method::Integration;
use crate::mkl::{Arrangement, Learned, Learner, Problem};
use crate::model::{Costs, Mkl, Model, Prepared, Priced, Recipe, cross_fitted};
use crate::params::{Params, Value};
use crate::rule::Weighted;
use crate::{Error, Event, MachineReport, Report, Result, Run, Status, VERSION, Watch};
use serde::Serialize;
use std::fmt;

mod tuned;

use tuned::Tunings;

/// A kernel's weight over splits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeanWeight {
    /// The kernel, without numbers that differ between splits.
    pub kernel: String,
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub sd: f64,
}

/// One method of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonRow {
    /// `method`, `method(name=value)` where parameters were given, or `single:kernel`.
    pub name: String,
    /// Registry id, or `single`.
    pub method: String,
    /// Where it puts the views together; none of single kernels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub integration: Option<Integration>,
    /// Its parameters.
    pub params: Params,
    /// The machine and its parameters.
    pub machine: CheckedMachine,
    /// Each score over the splits.
    #[serde(flatten)]
    pub measures: Measures,
    /// Number of kernels that prediction evaluates.
    pub active_kernels: Stat,
    /// Number of kernels to choose from.
    pub kernels: usize,
    /// Support vectors in percent of the training instances.
    pub support_percent: Stat,
    /// What predicting an instance costs, with the prices that were given, else with those of the method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_cost: Option<Stat>,
    /// Seconds to learn, without the kernels (they are shared).
    pub seconds: Stat,
    /// Relative duality gap of the method, else the largest of its machines: the largest over
    /// the splits.
    pub gap: Option<f64>,
    /// Sum of the primal objectives of the machines on the combination.
    pub primal: Stat,
    /// Sum of their dual objectives.
    pub dual: Stat,
    /// Of the instances on the smaller side of each binary problem, the share at its bound C.
    pub at_bound: Stat,
    /// Kernel weights.
    pub weights: Vec<MeanWeight>,
    /// The worst status over the splits.
    pub status: Status,
    /// What a user should read, without repetitions.
    pub notes: Vec<String>,
    /// Parameters that were chosen inside the training sets, split by split.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chosen: Vec<Vec<(String, Value)>>,
}

/// Several methods on the same splits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// One row per method, in the given order; single kernels first.
    pub rows: Vec<ComparisonRow>,
    /// Methods that were left out, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// How decision values became probabilities, if they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrating: Option<Calibrating>,
    /// Names of the parameters that were chosen inside the training sets, if some were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tuned: Option<Vec<String>>,
    /// How they were chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tuning: Option<super::Tuning>,
    /// What kernels cost, if that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<Costs>,
    /// How instances were split, and with which seed.
    pub splits: Splits,
    /// Splits that are complete for every row; fewer than asked for if the run was stopped.
    pub complete: usize,
    /// Number of labelled instances.
    pub instances: usize,
    /// Class names.
    pub classes: Vec<String>,
    /// Seed of the methods.
    pub seed: u64,
    /// Version of the library.
    pub library_version: String,
    /// Interrupted or out of time, else converged.
    pub status: Status,
}

/// One kernel, given weight 1.
#[derive(Debug)]
struct Single {
    kernel: usize,
}

impl Learner for Single {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let weight = |m| f64::from(u8::from(m == self.kernel));
        let weights = (0..problem.bank.len()).map(weight).collect();
        let rule = Weighted::rule(weights);
        Ok(Learned::of(rule, Report::closed_form(run)))
    }
}

/// What a row of the comparison collects over the splits.
struct Collected {
    results: Vec<SplitResult>,
    names: Vec<Vec<String>>,
}

/// Compares methods on the same splits. Methods with the same kernels, scaling and storage share
/// one bank per split. With `singles`, every kernel of the first method is also tried alone
/// (of the first that does not concatenate, if there is one).
///
/// # Errors
/// As [`Mkl::fit`]; no method; splits that do not belong to these labels; no split was complete
/// when the run was stopped.
pub fn compare(
    methods: &[Mkl],
    singles: bool,
    views: &Views,
    labels: &Labels,
    splits: &Splits,
    run: &Run,
) -> Result<Comparison> {
    compare_how(methods, singles, How::default(), views, labels, splits, run)
}

/// [`compare`] with probabilities, and with parameters that are chosen inside each training set (on the validation sets of
/// all splits together, where these have some). Each model is calibrated on its training instances, which takes one
/// more fit, with kernels of its own, for each fold of the calibration. The seconds are those of the
/// models without either. Of the parameters to choose a method takes part with those that it or its machine has.
///
/// # Errors
/// As [`compare`], [`Mkl::calibration`] and [`Tuning::choose`](super::Tuning::choose); single kernels have no parameters to choose.
pub fn compare_how(
    methods: &[Mkl],
    singles: bool,
    how: How<'_>,
    views: &Views,
    labels: &Labels,
    splits: &Splits,
    run: &Run,
) -> Result<Comparison> {
    let How { calibrating, tuning, costs, may_leave_out } = how;
    if calibrating.is_some() {
        methods.iter().try_for_each(Mkl::require_classes)?;
    }
    if singles && tuning.is_some() {
        let problem = "expected none beside parameters that are chosen; leave one of them out";
        return Err(Error::parameter("singles", problem));
    }
    let watch = run.watch();
    let tuned =
        tuning.map(|t| Tunings::new(t, methods, (views, labels), splits, run)).transpose()?;
    let recipes: Vec<Recipe> = methods.iter().map(Mkl::recipe).collect::<Result<_>>()?;
    let apart = |m: &Mkl| m.recipe().is_ok_and(|r| r.arrangement == Arrangement::Views);
    let Some(base) = methods.iter().position(apart).or((!methods.is_empty()).then_some(0)) else {
        return Err(Error::Data("there is no method to compare; name at least one".to_string()));
    };
    let task = methods[base].task();
    let truth = Truth::new(task, views, labels, &splits.splits)?;
    let base = singles.then_some(base);
    let lacking = !views.missing().is_empty();
    let plan = Plan {
        methods,
        recipes,
        base,
        splits,
        calibrating,
        tuned,
        views,
        labels,
        truth,
        lacking,
        may_leave_out,
    };
    // `None` is left out.
    let mut rows: Vec<Option<Collected>> = Vec::new();
    let (mut steps, mut stopped) = (Steps::begin(splits.splits.len(), run), None);
    let (mut priced, mut refused) = (Priced::new(costs), vec![None; methods.len()]);
    for split in &splits.splits {
        let found = plan.split(split, &mut steps, &mut priced, &mut refused, &watch)?;
        let Some(found) = found else {
            stopped = watch.stop();
            break;
        };
        if rows.is_empty() {
            let none = || Some(Collected { results: vec![], names: vec![] });
            rows = found.iter().map(|_| none()).collect();
        }
        if rows.len() != found.len() {
            let problem = "the number of kernels differs between splits: single kernels cannot \
                           be compared";
            return Err(Error::Data(problem.to_string()));
        }
        for (row, found) in rows.iter_mut().zip(found) {
            match (row.as_mut(), found) {
                (Some(row), Some((result, names))) => {
                    row.results.push(result);
                    row.names.push(names);
                }
                _ => *row = None,
            }
        }
    }
    steps.end();
    if rows.is_empty() {
        return Err(stopped_before_the_first());
    }
    let n_singles = rows.len() - methods.len();
    let out = methods.iter().zip(refused).filter_map(|(m, refused)| Some((m.name(), refused?)));
    let left_out: Vec<LeftOut> = out.map(|(name, reason)| LeftOut { name, reason }).collect();
    let Some(complete) = rows.iter().flatten().map(|row| row.results.len()).next() else {
        let first = left_out.first().map(|l| format!("; '{}': {}", l.name, l.reason));
        let problem = format!("no method is left{}", first.unwrap_or_default());
        return Err(Error::Data(problem));
    };
    let rows = rows.into_iter().enumerate().filter_map(|(i, row)| Some((i, row?)));
    let rows = rows.map(|(i, row)| match i.checked_sub(n_singles) {
        Some(m) => {
            let (name, id, params) =
                (methods[m].name(), methods[m].method().id, methods[m].params()?);
            finished(name, id, params, &methods[m], &row)
        }
        None => {
            let names = table::common_names(&row.names);
            let name = format!("single:{}", names[i]);
            finished(name, "single", Params::default(), &methods[base.unwrap_or(0)], &row)
        }
    });
    Ok(Comparison {
        rows: rows.collect::<Result<_>>()?,
        left_out,
        calibrating,
        tuned: tuning.map(|t| t.axes.iter().map(|a| a.name.clone()).collect()),
        tuning: tuning.cloned(),
        costs: costs.cloned(),
        splits: splits.clone(),
        complete,
        instances: plan.truth.labelled,
        classes: plan.truth.classes,
        seed: run.seed,
        library_version: VERSION.to_string(),
        status: stopped.unwrap_or(Status::Converged),
    })
}

/// Progress. The first bank says how many steps a split has.
struct Steps<'a> {
    run: &'a Run,
    splits: usize,
    /// Whether the number of steps was told.
    told: bool,
    done: u64,
}

impl<'a> Steps<'a> {
    fn begin(splits: usize, run: &'a Run) -> Self {
        run.tell(Event::Begin { stage: "kernels of the first split", total: None });
        Steps { run, splits, told: false, done: 0 }
    }

    /// Every split has this many steps.
    fn per_split(&mut self, steps: usize) {
        if !self.told {
            self.told = true;
            self.run.tell(Event::End);
            let total = Some((self.splits * steps) as u64);
            self.run.tell(Event::Begin { stage: "splits × methods", total });
        }
    }

    fn step(&mut self, message: &str) {
        self.done += 1;
        self.run.tell(Event::Step { done: self.done, message });
    }

    fn end(self) {
        self.run.tell(Event::End);
    }
}

/// What stays the same over the splits.
struct Plan<'a> {
    methods: &'a [Mkl],
    recipes: Vec<Recipe>,
    /// The method whose kernels are tried alone.
    base: Option<usize>,
    splits: &'a Splits,
    calibrating: Option<Calibrating>,
    tuned: Option<Tunings<'a>>,
    views: &'a Views,
    labels: &'a Labels,
    truth: Truth<'a>,
    /// Whether some instances lack views.
    lacking: bool,
    /// See [`How`].
    may_leave_out: &'a [bool],
}

/// Why a method is left out that nobody asked for by name.
const TAKES_ALL_VIEWS: &str = "its models take all views of an instance together, and held-out instances lack some; choose \
                               another treatment of missing views than drop";

type Found = (SplitResult, Vec<String>);

impl Plan<'_> {
    /// All rows on one split: single kernels, then the methods, of which one that is left out has none, and its reason from
    /// then on. `None` if the run was stopped.
    fn split(
        &self,
        split: &Split,
        steps: &mut Steps<'_>,
        priced: &mut Priced<'_>,
        refused: &mut [Option<String>],
        watch: &Watch,
    ) -> Result<Option<Vec<Option<Found>>>> {
        let mut singles = Vec::new();
        let mut found: Vec<Option<Found>> = self.methods.iter().map(|_| None).collect();
        let run = steps.run;
        // The kernels that are tried alone come first: their number is that of the steps.
        let begin = self.base.unwrap_or(0);
        let order = std::iter::once(begin).chain((0..self.methods.len()).filter(|m| *m != begin));
        for first in order {
            if found[first].is_some() || refused[first].is_some() {
                continue;
            }
            let labels = &*self.splits.seen(&self.methods[first], self.labels, split)?;
            let split = &*split.learned_from(&self.methods[first], labels)?;
            let train = (self.views.select(&split.train), labels.select(&split.train));
            // One bank at a time is in memory.
            let inner = run.remaining(watch).quiet();
            let prepared = self.methods[first].prepare(&train.0, &train.1, &inner);
            let Some(prepared) = unless_stopped(prepared)? else { return Ok(None) };
            let alone = self.base.map_or(0, |_| prepared.bank().len());
            steps.per_split(alone + self.methods.len());
            let same = |m: &usize| self.recipes[*m] == self.recipes[first];
            let group: Vec<usize> = (0..self.methods.len()).filter(same).collect();
            let mut step =
                |model: Result<Model>, prepared: &Prepared, name: &str| -> Result<Option<Found>> {
                    let Some(model) = unless_stopped(model)?.filter(|_| watch.stop().is_none())
                    else {
                        return Ok(None);
                    };
                    let scored = self.truth.score(&model, self.views, split, &run.remaining(watch));
                    let scored = unless_stopped(scored).map_err(|e| match e {
                        Error::Data(why) => {
                            Error::Data(format!("'{name}' cannot tell held-out instances: {why}"))
                        }
                        other => other,
                    })?;
                    let Some(mut result) = scored else { return Ok(None) };
                    result.total_cost =
                        priced.total(prepared, &model, &run.remaining(watch).quiet())?;
                    steps.step(name);
                    Ok(Some((result, names(&model))))
                };
            if let Some(base) = self.base.filter(|b| group.contains(b)) {
                for kernel in 0..prepared.bank().len() {
                    let (single, none) = (Single { kernel }, Params::default());
                    let inner = run.remaining(watch).quiet();
                    let mkl = &self.methods[base];
                    let learn = |prepared: &Prepared, run: &Run| {
                        mkl.fit_learner(prepared, "single", &single, none.clone(), run)
                    };
                    let model = learn(&prepared, &inner).and_then(|model| {
                        let Some(how) = self.calibrating else { return Ok(model) };
                        let inner = run.remaining(watch).quiet();
                        let data = (&train.0, &train.1, None);
                        let fitted = cross_fitted(mkl, data, how, &inner, &|rows, run| {
                            let (v, l) = (train.0.select(rows), train.1.select(rows));
                            learn(&mkl.prepare(&v, &l, run)?, run)
                        });
                        model.calibrated(fitted?)
                    });
                    match step(model, &prepared, &prepared.kernels()[kernel].name)? {
                        Some(one) => singles.push(one),
                        None => return Ok(None),
                    }
                }
            }
            for m in group {
                if refused[m].is_some() {
                    continue;
                }
                let inner = run.remaining(watch).quiet();
                let mut mkl = &self.methods[m];
                let tuned = match &self.tuned {
                    None => None,
                    Some(all) => {
                        match unless_stopped(all.choose(m, split, (self.views, labels), &inner))? {
                            Some(tuned) => tuned,
                            None => return Ok(None),
                        }
                    }
                };
                let mut own = None;
                if let Some(tuned) = &tuned {
                    mkl = &tuned.mkl;
                    if !mkl.shares(&prepared)? {
                        let made = mkl.prepare(&train.0, &train.1, &run.remaining(watch).quiet());
                        let Some(made) = unless_stopped(made)? else { return Ok(None) };
                        own = Some(made);
                    }
                }
                let prepared = own.as_ref().unwrap_or(&prepared);
                let inner = run.remaining(watch).quiet();
                let model = mkl.fit_prepared(prepared, &inner);
                let may = self.may_leave_out.get(m).is_some_and(|may| *may);
                if let (true, Err(Error::Data(why))) = (may, &model) {
                    refused[m] = Some(why.clone());
                    continue;
                }
                let model = model.and_then(|model| {
                    let Some(how) = self.calibrating else { return Ok(model) };
                    let inner = run.remaining(watch).quiet();
                    model.calibrated(mkl.calibration(&train.0, &train.1, None, how, &inner)?)
                });
                let drops = self.lacking && mkl.drops_incomplete();
                if may && drops && model.as_ref().is_ok_and(|model| !model.tells_by_views()) {
                    refused[m] = Some(TAKES_ALL_VIEWS.to_string());
                    continue;
                }
                let Some(mut one) = step(model, prepared, self.methods[m].method().id)? else {
                    return Ok(None);
                };
                if let Some(tuned) = tuned {
                    one.0.chosen = tuned.values().to_vec();
                    one.0.notes.extend(tuned.notes().into_iter().skip(1));
                }
                found[m] = Some(one);
            }
        }
        Ok(Some(singles.into_iter().map(Some).chain(found).collect()))
    }
}

/// Those of the model, which may have several kernels for one of what was prepared.
fn names(model: &Model) -> Vec<String> {
    model.kernels().iter().map(|k| k.name.clone()).collect()
}

fn finished(
    name: String,
    id: &str,
    params: Params,
    mkl: &Mkl,
    row: &Collected,
) -> Result<ComparisonRow> {
    let stat = |f: &dyn Fn(&SplitResult) -> f64| Stat::new(row.results.iter().map(f).collect());
    let kernels = table::common_names(&row.names);
    let weights = kernels.iter().enumerate().map(|(m, kernel)| {
        let Stat { mean, sd, .. } = stat(&|r| r.weights.get(m).copied().unwrap_or(0.0));
        MeanWeight { kernel: kernel.clone(), mean, sd }
    });
    let mut notes: Vec<String> = Vec::new();
    for note in row.results.iter().flat_map(|r| &r.notes) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    let machine = |f: fn(&MachineReport) -> f64| {
        Stat::new(row.results.iter().filter_map(|r| r.machine.as_ref()).map(f).collect())
    };
    Ok(ComparisonRow {
        name,
        method: id.to_string(),
        integration: crate::catalogue::find(id).ok().and_then(crate::catalogue::integration),
        params,
        machine: mkl.machine_spec().checked()?,
        measures: Measures::over(row.results.iter().map(|r| &r.scores)),
        active_kernels: stat(&|r| r.active_kernels as f64),
        kernels: kernels.len(),
        support_percent: stat(&|r| r.support_percent),
        total_cost: total_cost(&row.results),
        seconds: stat(&|r| r.seconds),
        gap: row.results.iter().filter_map(|r| r.gap).reduce(f64::max),
        primal: machine(|m| m.primal),
        dual: machine(|m| m.dual),
        at_bound: machine(|m| m.at_bound),
        weights: weights.collect(),
        status: worst(row.results.iter().map(|r| r.status)),
        notes,
        chosen: row.results.iter().map(|r| r.chosen.clone()).filter(|c| !c.is_empty()).collect(),
    })
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} instances{}, {}, seed {}",
            self.instances,
            match self.classes.len() {
                0 => String::new(),
                k => format!(", {k} classes"),
            },
            self.splits.how(),
            self.splits.seed
        )?;
        let row = |r: &ComparisonRow| {
            vec![
                r.name.clone(),
                r.measures.main().map_or(String::new(), |(m, s)| m.spread(s)),
                format!("{}/{}", short(r.active_kernels.mean), r.kernels),
                format!("{:.1}", r.support_percent.mean),
                format!("{:.2}", r.seconds.mean),
                table::gap(r.gap),
            ]
        };
        let main = self.rows.first().and_then(|r| r.measures.main());
        let heading = main.map_or(String::new(), |m| m.0.heading());
        let header = ["method", &heading, "active", "SV %", "seconds", "gap"];
        let rows: Vec<_> = self.rows.iter().map(row).collect();
        f.write_str(&table::aligned(&header, &rows))
    }
}

fn short(mean: f64) -> String {
    if mean.fract() == 0.0 { format!("{mean:.0}") } else { format!("{mean:.1}") }
}

#[cfg(test)]
mod tests;
