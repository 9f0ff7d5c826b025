//! The choice of parameters by a cross-validation inside the training instances.
//!
//! Every combination of values of the [`Axis`]es is a candidate, or the numbers between the least and the largest value of
//! each axis are searched by a [response surface](crate::solve::surface) ([`Search`]). Each inner training set has one
//! set of kernels for all candidates with the same kernels, and candidates of a grid that differ in C alone start from each other, the
//! smallest C first. The candidate with the best mean score wins, the first of those that are equal. Widths,
//! normalisations and scaling are those of the inner training sets, so that nothing is known of the instances that score.
//!
//! **Stops.** Where time is up, the best of what was tried so far is taken: by the inner splits that all candidates
//! have seen, or among those that have seen the first.

use super::{Measure, Splits, Stat};
use crate::calibrate::Calibrating;
use crate::data::{Labels, Views};
use crate::method::Task;
use crate::model::{Given, Mkl};
use crate::params::Value;
use crate::{Error, Result, Run, Status, brief};
use serde::Serialize;

mod axis;
mod grid;
mod inner;
mod surface;

pub use axis::Axis;
use inner::Inner;
use surface::Surface;
pub use surface::{Searched, search_surface};

/// The most candidates of a grid.
const MOST: usize = 100_000;

/// The name of the parameter that fits start from each other along.
const COST: &str = "c";

/// The name of the axis of methods, which comes first: other parameters may be those of one of them.
const METHOD: &str = "method";

/// How values are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Search {
    /// All combinations.
    #[default]
    Grid,
    /// A response surface over the numbers between the least and the largest value of each axis, log10 where the
    /// largest is ten times the least or more; at most as many as the grid has, but no fewer than its design.
    Surface,
}

impl Search {
    /// All, in the order in which they are listed to users.
    pub const ALL: [Search; 2] = [Search::Grid, Search::Surface];

    /// Its name in texts.
    pub fn id(self) -> &'static str {
        match self {
            Search::Grid => "grid",
            Search::Surface => "surface",
        }
    }

    /// The search with this name.
    ///
    /// # Errors
    /// No such search.
    pub fn from_id(id: &str) -> Result<Self> {
        let found = Search::ALL.into_iter().find(|s| s.id() == id);
        found.ok_or_else(|| Error::unknown("search", id, Search::ALL.map(Search::id)))
    }
}

/// A combination of values, and the method that has them.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Name and value of each axis that the method knows.
    pub values: Vec<(String, Value)>,
    /// The method with these.
    pub mkl: Mkl,
}

/// What a method is chosen among.
#[derive(Debug, Clone)]
pub struct Candidates(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Grid(Vec<Candidate>),
    Surface(Box<Surface>),
}

impl Candidates {
    /// The combinations of a grid; none of a surface.
    pub fn grid(&self) -> &[Candidate] {
        match &self.0 {
            Kind::Grid(all) => all,
            Kind::Surface(_) => &[],
        }
    }

    /// Whether there is nothing to choose.
    pub fn is_single(&self) -> bool {
        matches!(&self.0, Kind::Grid(all) if all.len() == 1)
    }
}

/// What is tried, and how it is scored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tuning {
    /// What is tried.
    pub axes: Vec<Axis>,
    /// Folds inside the training instances, at least 2.
    pub folds: usize,
    /// Id of the measure; `None`: the most telling one of the task.
    pub score: Option<String>,
    /// How values are tried.
    pub search: Search,
    /// How decision values become probabilities, for measures of these (`log_loss`, `brier`); takes one more fit for
    /// each fold of the calibration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrating: Option<Calibrating>,
}

impl Tuning {
    /// A grid of these, on five folds, by the most telling measure.
    pub fn new(axes: Vec<Axis>) -> Self {
        Tuning { axes, folds: 5, score: None, search: Search::Grid, calibrating: None }
    }
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
    /// What the response surface said before, of points that it proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted: Option<f64>,
}

/// A choice among candidates.
#[derive(Debug, Clone, Serialize)]
pub struct Tuned {
    /// Id of the measure.
    pub score: &'static str,
    /// Number of inner splits that chose.
    pub splits: usize,
    /// Seed of the inner splits and fits.
    pub seed: u64,
    /// How values were tried.
    pub search: Search,
    /// Which of `tried` is the best.
    pub best: usize,
    /// All candidates, in the order of the grid, or as the surface proposed them.
    pub tried: Vec<Tried>,
    /// Converged, or why not everything was tried.
    pub status: Status,
    /// What a user should read of the search.
    pub remarks: Vec<String>,
    /// The method with the values of the best.
    #[serde(skip)]
    pub mkl: Mkl,
}

impl Tuning {
    /// What there is to choose from: every combination, or a surface. Of a method that lacks the parameter of an axis (and whose
    /// machine does) it is left out, if `lenient`, and where methods are chosen among.
    ///
    /// # Errors
    /// An unknown parameter, a value out of its range, an axis twice, too many combinations; words, or whole numbers, for a
    /// surface.
    pub fn candidates(&self, base: &Mkl, lenient: bool) -> Result<Candidates> {
        for (a, axis) in self.axes.iter().enumerate() {
            if self.axes[..a].iter().any(|other| other.name == axis.name) {
                return Err(Error::parameter("tune", format!("'{}' is there twice", axis.name)));
            }
        }
        let known = |axis: &&Axis| !lenient || base.knows(&axis.name);
        if self.search == Search::Surface && self.axes.iter().any(|a| known(&a)) {
            let axes: Vec<Axis> = self.axes.iter().filter(known).cloned().collect();
            return Ok(Candidates(Kind::Surface(Box::new(Surface::new(base, axes)?))));
        }
        Ok(Candidates(Kind::Grid(grid::candidates(&self.axes, base, lenient)?)))
    }

    /// The best candidate by a stratified cross-validation of these instances, seeded by the run.
    ///
    /// # Errors
    /// As [`choose_among`](Self::choose_among); folds that the labels do not suffice for.
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
        candidates: &Candidates,
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
        self.choose_on(candidates, data, given, &splits, run)
    }

    /// The best of several candidates by their mean score on the test sets of `splits`.
    ///
    /// # Errors
    /// A measure that the task lacks, or that cannot be had on some split; as [`Mkl::fit`]; time was up, or the run stopped,
    /// before there was any score.
    pub fn choose_on(
        &self,
        candidates: &Candidates,
        data: (&Views, &Labels),
        given: &Given<'_>,
        splits: &Splits,
        run: &Run,
    ) -> Result<Tuned> {
        let first = match &candidates.0 {
            Kind::Grid(all) => all.first().map(|c| &c.mkl),
            Kind::Surface(surface) => Some(surface.base()),
        };
        let Some(first) = first else {
            return Err(Error::parameter("tune", "there is nothing to choose from"));
        };
        let by = self.measure(first.task(), first.tells_probabilities())?;
        let inner = Inner::new(self, first.task(), by, data, given, splits, run)?;
        match &candidates.0 {
            Kind::Grid(all) => grid::choose(all, &inner),
            Kind::Surface(surface) => surface.choose(&inner),
        }
    }

    /// The measure that chooses: the one that was named, or the most telling one. Whether models tell probabilities without a
    /// calibration.
    fn measure(&self, task: Task, tells: bool) -> Result<&'static Measure> {
        let able = || Measure::of(task).iter().filter(|m| m.more_is_better.is_some());
        let id = self.score.as_deref();
        let found = match id {
            None => able().next(),
            Some(id) => able().find(|m| m.id == id),
        };
        let found =
            found.ok_or_else(|| Error::unknown("score", id.unwrap_or(""), able().map(|m| m.id)))?;
        if found.needs_probabilities() && self.calibrating.is_none() && !tells {
            let problem = format!(
                "'{}' is of probabilities, which machines have after a calibration only; ask for it (--probabilities \
                 sigmoid), or choose by another score, such as balanced_accuracy",
                found.id
            );
            return Err(Error::parameter("tune_score", problem));
        }
        Ok(found)
    }
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
        notes.extend(self.remarks.iter().cloned());
        for (name, value) in &best.values {
            let of_axis =
                |t: &Tried| t.values.iter().find(|v| v.0 == *name).and_then(|v| real(&v.1));
            let all: Vec<f64> = self.tried.iter().filter_map(of_axis).collect();
            let (Some(v), Search::Grid) = (real(value), self.search) else { continue };
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
