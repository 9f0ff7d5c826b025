//! The choice of parameters by a cross-validation inside the training instances.
//!
//! Every combination of values of the [`Axis`]es is a candidate. Each inner training set has one set of kernels for all
//! candidates with the same kernels, and candidates that differ in C alone start from each other, the smallest C first. The
//! candidate with the best mean score wins, the first of those that are equal. Widths, normalisations and scaling are
//! those of the inner training sets, so that nothing is known of the instances that score.

use super::cross_validate::{Truth, unless_stopped};
use super::{Measure, Split, Splits, Stat};
use crate::data::{Labels, Views};
use crate::method::Task;
use crate::mkl::Learned;
use crate::model::{Given, Mkl};
use crate::params::Value;
use crate::{Error, Event, Result, Run, Status, brief};
use serde::Serialize;

mod axis;

pub use axis::Axis;

/// The most candidates of a grid.
const MOST: usize = 100_000;

/// The name of the parameter that fits start from each other along.
const COST: &str = "c";

/// A combination of values, and the method that has them.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Name and value of each axis.
    pub values: Vec<(String, Value)>,
    /// The method with these.
    pub mkl: Mkl,
}

/// What is tried, and how it is scored.
#[derive(Debug, Clone)]
pub struct Tuning {
    /// What is tried.
    pub axes: Vec<Axis>,
    /// Folds inside the training instances, at least 2.
    pub folds: usize,
    /// Id of the measure; `None`: the most telling one of the task.
    pub score: Option<String>,
}

/// How a candidate did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tried {
    /// Name and value of each axis.
    pub values: Vec<(String, Value)>,
    /// Scores over the inner splits.
    pub score: Stat,
    /// The worst status of its fits.
    pub status: Status,
}

/// A choice among candidates.
#[derive(Debug, Clone, Serialize)]
pub struct Tuned {
    /// Id of the measure.
    pub score: &'static str,
    /// Number of inner splits.
    pub splits: usize,
    /// Seed of the inner splits and fits.
    pub seed: u64,
    /// Which of `tried` is the best.
    pub best: usize,
    /// All candidates, in the order of the grid.
    pub tried: Vec<Tried>,
    /// The method with the values of the best.
    #[serde(skip)]
    pub mkl: Mkl,
}

impl Tuning {
    /// Every combination, the first axis slowest. Of a method that lacks the parameter of an axis (and whose machine
    /// does) one without it, if `lenient`.
    ///
    /// # Errors
    /// An unknown parameter, a value out of its range, an axis twice, too many combinations.
    pub fn candidates(&self, base: &Mkl, lenient: bool) -> Result<Vec<Candidate>> {
        let mut all = vec![Candidate { values: Vec::new(), mkl: base.clone() }];
        for (a, axis) in self.axes.iter().enumerate() {
            if self.axes[..a].iter().any(|other| other.name == axis.name) {
                return Err(Error::parameter("tune", format!("'{}' is there twice", axis.name)));
            }
            if axis.values.is_empty() || all.len().saturating_mul(axis.values.len()) > MOST {
                let problem = format!("expected 1 to {MOST} combinations of values");
                return Err(Error::parameter("tune", problem));
            }
            let mut next = Vec::with_capacity(all.len() * axis.values.len());
            for candidate in &all {
                if lenient && !candidate.mkl.knows(&axis.name) {
                    next.push(candidate.clone());
                    continue;
                }
                for value in &axis.values {
                    let mkl = candidate.mkl.with(&axis.name, value)?;
                    let mut values = candidate.values.clone();
                    values.push((axis.name.clone(), value.clone()));
                    next.push(Candidate { values, mkl });
                }
            }
            all = next;
        }
        all.iter().try_for_each(|c| c.mkl.recipe().map(|_| ()))?;
        Ok(all)
    }

    /// The best candidate by a stratified cross-validation of these instances, seeded by the run.
    ///
    /// # Errors
    /// As [`choose`]; folds that the labels do not suffice for.
    pub fn choose(
        &self,
        base: &Mkl,
        data: (&Views, &Labels),
        given: &Given<'_>,
        run: &Run,
    ) -> Result<Tuned> {
        self.choose_among(&self.candidates(base, false)?, data, None, given, run)
    }

    /// [`choose`](Self::choose) among candidates that are there already; groups of instances (a name for each) stay
    /// together.
    ///
    /// # Errors
    /// As [`choose`](Self::choose).
    pub fn choose_among(
        &self,
        candidates: &[Candidate],
        data: (&Views, &Labels),
        groups: Option<&[String]>,
        given: &Given<'_>,
        run: &Run,
    ) -> Result<Tuned> {
        let folds = super::Protocol::KFold { folds: self.folds, repeats: 1 };
        let splits = match groups {
            None => folds.split(data.1, run.seed),
            Some(groups) => folds.split_groups(data.1, groups, run.seed),
        };
        let splits = splits.map_err(|e| match e {
            Error::Labels(why) => Error::Labels(format!("choosing parameters inside: {why}")),
            other => other,
        })?;
        choose(candidates, self.score.as_deref(), data, given, &splits, run)
    }
}

/// The measure with this id that can choose, or the most telling one.
fn measure(task: Task, id: Option<&str>) -> Result<&'static Measure> {
    let able = || Measure::of(task).iter().filter(|m| m.more_is_better.is_some());
    let found = match id {
        None => able().next(),
        Some(id) => able().find(|m| m.id == id),
    };
    found.ok_or_else(|| Error::unknown("score", id.unwrap_or(""), able().map(|m| m.id)))
}

/// The best of several candidates by their mean score on the test sets of `splits`.
///
/// # Errors
/// No candidate; a measure that the task lacks, or that cannot be had on some split; as [`Mkl::fit`];
/// time was up, or the run stopped, before every candidate was tried.
pub fn choose(
    candidates: &[Candidate],
    score: Option<&str>,
    (views, labels): (&Views, &Labels),
    given: &Given<'_>,
    splits: &Splits,
    run: &Run,
) -> Result<Tuned> {
    let Some(first) = candidates.first() else {
        return Err(Error::parameter("tune", "there is nothing to choose from"));
    };
    let task = first.mkl.task();
    let by = measure(task, score)?;
    let truth = Truth::new(task, views, labels, &splits.splits)?;
    let watch = run.watch();
    let total = Some((candidates.len() * splits.splits.len()) as u64);
    run.tell(Event::Begin { stage: "choosing parameters", total });
    let mut scores: Vec<Vec<f64>> = vec![Vec::new(); candidates.len()];
    let mut statuses: Vec<Vec<Status>> = vec![Vec::new(); candidates.len()];
    let mut done = 0;
    let stopped = || Error::Stopped {
        status: watch.stop().unwrap_or(Status::TimeLimit),
        what: "the choice of parameters".to_string(),
    };
    for split in &splits.splits {
        for group in groups(candidates)? {
            let base = &candidates[group[0]].mkl;
            let split: &Split = &*split.learned_from(base, labels)?;
            let rows = given.rows(base, &split.train, labels)?;
            let (train, known) =
                ((views.select(&rows), labels.select(&rows)), given.select(&rows)?);
            let inner = run.remaining(&watch).quiet();
            let prepared = base.prepare_given(&train.0, &train.1, &known.given(), &inner)?;
            let mut warm: Option<(String, Learned)> = None;
            for &c in &group {
                let mkl = &candidates[c].mkl;
                let apart = apart_from_cost(&candidates[c]);
                let start = warm.as_ref().filter(|w| w.0 == apart).map(|w| &w.1);
                let inner = run.remaining(&watch).quiet();
                let (model, learned) = mkl.fit_prepared_from(&prepared, start, &inner)?;
                if watch.stop().is_some() {
                    return Err(stopped());
                }
                let found = truth.score(&model, views, split, &run.remaining(&watch).quiet());
                let found = unless_stopped(found)?.ok_or_else(stopped)?;
                let value = found.scores.get(by.id).ok_or_else(|| {
                    Error::Labels(format!(
                        "'{}' cannot choose parameters: some inner test set has none",
                        by.id
                    ))
                })?;
                scores[c].push(value);
                statuses[c].push(found.status);
                warm = Some((apart, learned));
                done += 1;
                run.tell(Event::Step { done, message: &text(&candidates[c].values) });
            }
        }
    }
    run.tell(Event::End);
    let more = by.more_is_better != Some(false);
    let tried: Vec<Tried> = candidates
        .iter()
        .zip(scores.into_iter().zip(statuses))
        .map(|(c, (scores, statuses))| Tried {
            values: c.values.clone(),
            score: Stat::new(scores),
            status: super::cross_validate::worst(statuses),
        })
        .collect();
    // Sums in another order are no difference.
    let better = |a: f64, b: f64| !alike(a, b) && (a > b) == more;
    let best = (1..tried.len()).fold(0, |best, c| {
        if better(tried[c].score.mean, tried[best].score.mean) { c } else { best }
    });
    let mkl = candidates[best].mkl.clone();
    Ok(Tuned { score: by.id, splits: splits.splits.len(), seed: run.seed, best, tried, mkl })
}

/// Candidates that can share kernels; in each group those that differ in C alone after each other, the smallest first.
fn groups(candidates: &[Candidate]) -> Result<Vec<Vec<usize>>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (c, candidate) in candidates.iter().enumerate() {
        let recipe = candidate.mkl.recipe()?;
        let mut same = None;
        for group in &mut groups {
            if candidates[group[0]].mkl.recipe()? == recipe {
                same = Some(group);
                break;
            }
        }
        match same {
            Some(group) => group.push(c),
            None => groups.push(vec![c]),
        }
    }
    for group in &mut groups {
        let cost = |c: usize| match candidates[c].values.iter().find(|v| v.0 == COST) {
            Some((_, Value::Real(v))) => *v,
            Some((_, Value::Int(v))) => *v as f64,
            _ => 0.0,
        };
        group.sort_by(|&a, &b| {
            let key = |c: usize| apart_from_cost(&candidates[c]);
            key(a).cmp(&key(b)).then(cost(a).total_cmp(&cost(b)))
        });
    }
    Ok(groups)
}

/// Everything that a candidate is, but for C.
fn apart_from_cost(candidate: &Candidate) -> String {
    let rest = candidate.values.iter().filter(|v| v.0 != COST);
    rest.map(|(name, value)| format!("{name}={value};")).collect()
}

/// `c = 10, p = 1.5`.
pub fn text(values: &[(String, Value)]) -> String {
    let one = |(name, value): &(String, Value)| match value {
        Value::Real(v) => format!("{name} = {}", brief(*v)),
        other => format!("{name} = {other}"),
    };
    values.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// How often each combination was chosen, in words: `c = 10 in 3 of 5; c = 100 in 2 of 5`.
pub fn counted(chosen: &[Vec<(String, Value)>]) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for one in chosen.iter().map(|c| text(c)) {
        match counts.iter_mut().find(|c| c.0 == one) {
            Some(count) => count.1 += 1,
            None => counts.push((one, 1)),
        }
    }
    counts.sort_by_key(|c| std::cmp::Reverse(c.1));
    let all = chosen.len();
    counts.iter().map(|(t, n)| format!("{t} in {n} of {all}")).collect::<Vec<_>>().join("; ")
}

impl Tuned {
    /// The values of the best.
    pub fn values(&self) -> &[(String, Value)] {
        &self.tried[self.best].values
    }

    /// `c = 10 chosen among 5 by accuracy in 5 inner splits, seed 0`, and what may be wrong with it.
    pub fn notes(&self) -> Vec<String> {
        let best = &self.tried[self.best];
        let chosen = format!(
            "{} chosen among {} by {} ({}) on {} inner splits, seed {}",
            text(&best.values),
            self.tried.len(),
            self.score,
            short(best.score.mean),
            self.splits,
            self.seed
        );
        let mut notes = vec![chosen];
        for (a, (name, value)) in best.values.iter().enumerate() {
            let of_axis = |t: &Tried| t.values.get(a).and_then(|v| real(&v.1));
            let all: Vec<f64> = self.tried.iter().filter_map(of_axis).collect();
            let (Some(v), true) = (real(value), all.len() == self.tried.len()) else { continue };
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            // Of equal ones the first was taken: then the rim is no sign of anything.
            let tied = self.tried.iter().any(|t| {
                alike(t.score.mean, best.score.mean)
                    && of_axis(t).is_some_and(|o| o > least && o < most)
            });
            if least < most && (v == least || v == most) && !tied {
                let side = if v == least { "smallest" } else { "largest" };
                notes.push(format!(
                    "{name} = {} is the {side} value that was tried; a better one may lie beyond",
                    brief(v)
                ));
            }
        }
        notes
    }
}

/// Equal but for rounding.
fn alike(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

/// Four digits.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    if value != 0.0 && value.abs() < 1e-3 { brief(value) } else { text }
}

fn real(value: &Value) -> Option<f64> {
    match value {
        Value::Real(v) => Some(*v),
        Value::Int(v) => Some(*v as f64),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
