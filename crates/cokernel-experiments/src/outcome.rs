//! What running an experiment gives: ours beside theirs, for every row and score.

use super::collect::Measurements;
use super::measured::Measured;
use super::plan::{Claim, Data, Experiment, Pick, Protocol, Row};
use super::score::{Against, Score};
use cokernel::Status;
use cokernel::eval::significance::f_5x2;
use cokernel::eval::{self, Stat};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The variant of a row that is its result on one data set, or on one split.
#[derive(Debug, Clone)]
pub struct Picked {
    /// Which variant it is.
    pub variant: usize,
    /// Seconds of all variants together.
    pub seconds: f64,
    /// The result of the cell.
    pub measured: Measured,
}

/// The data as it was found.
#[derive(Debug, Clone, Default, Serialize)]
pub struct DataFound {
    /// Its name, where the experiment has several.
    pub label: Option<String>,
    pub source: String,
    pub n: usize,
    pub views: Vec<String>,
    /// Data sets with consecutive seeds; 1 unless they are drawn.
    pub sets: usize,
    /// The splits, where they are those of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub splits: Option<GivenSplits>,
}

/// Splits of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GivenSplits {
    /// What they are called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The seed that they were drawn with, if they were drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Tells their rows from others: `Splits::digest`.
    pub digest: String,
}

impl GivenSplits {
    /// What is to be said of them.
    pub fn of(splits: &eval::Splits) -> Self {
        let drawn = !matches!(splits.protocol, eval::Protocol::Given { .. });
        let (name, digest) = (splits.name.clone(), splits.digest());
        GivenSplits { name, seed: drawn.then_some(splits.seed), digest }
    }

    /// `'mine', seed 8, digest 0123456789abcdef`.
    pub fn text(&self) -> String {
        let name = self.name.as_ref().map(|n| format!("'{n}'"));
        let seed = self.seed.map(|s| format!("seed {s}"));
        let digest = format!("digest {}", self.digest);
        name.into_iter().chain(seed).chain([digest]).collect::<Vec<_>>().join(", ")
    }
}

/// A result.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// The experiment.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The source of the published figures.
    pub paper: String,
    /// Where they stand there.
    pub table: String,
    /// What the data was.
    pub data: DataFound,
    /// How it was measured.
    pub protocol: Protocol,
    /// Seeds of the data sets and methods: the first, and how many consecutive ones.
    pub first_seed: u64,
    /// Number of drawn data sets.
    pub seeds: usize,
    /// The version of the library.
    pub library_version: String,
    /// Whether it is complete.
    pub status: Status,
    /// Whether the experiment was shortened.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub quick: bool,
    /// Wall time.
    pub seconds: f64,
    /// The parameter of a figure.
    pub sweep: Option<String>,
    /// Means and spreads, row by row.
    pub rows: Vec<RowOutcome>,
    /// Whether the claims of the source hold here.
    pub claims: Vec<ClaimOutcome>,
    /// Tests against the baseline that the file names, with splits of 5×2 cross-validation.
    pub differences: Vec<Difference>,
    /// Remarks of the file.
    pub notes: Vec<String>,
    /// Why figures differ, where the file says it.
    pub reason: Option<String>,
}

/// A row of the table, or a point of a curve.
#[derive(Debug, Serialize)]
pub struct RowOutcome {
    pub label: String,
    /// The value of the sweep; `None` in tables, and for rows that do not depend on it.
    pub at: Option<f64>,
    pub scores: BTreeMap<Score, Measure>,
    pub pick: Pick,
    /// How often each variant was the best.
    pub picked: BTreeMap<String, usize>,
    pub statuses: BTreeMap<String, usize>,
    /// Seconds of one data set or split, all variants together.
    pub seconds: f64,
    /// Mean weights of the kernels by name without parameters, where every result has the same kernels.
    pub weights: Vec<(String, f64)>,
    /// What is published of them.
    pub published_weights: Option<Vec<f64>>,
    pub reason: Option<String>,
    pub notes: Vec<String>,
}

/// The difference of two rows on the ten splits of 5×2 cross-validation.
#[derive(Debug, Clone, Serialize)]
pub struct Difference {
    pub row: String,
    /// The row that all are compared with.
    pub baseline: String,
    pub score: Score,
    /// Mean of the row less that of the baseline.
    pub mean: f64,
    /// Of the 5×2 cv F test; 1 where all differences are 0.
    pub p: f64,
    /// Whether the row is better (`true`), worse, or neither at the level of the experiment.
    pub better: Option<bool>,
}

/// One score of one row.
#[derive(Debug, Serialize)]
pub struct Measure {
    /// Over starts; over data sets (of their means over starts) where several are drawn.
    pub ours: Stat,
    /// Mean standard deviation over the starts of one data set.
    pub starts_sd: f64,
    pub against: Option<Against>,
}

/// How often a published order holds.
#[derive(Debug, Serialize)]
pub struct ClaimOutcome {
    pub above: String,
    pub below: String,
    pub score: Score,
    pub holds: usize,
    pub ties: usize,
    pub of: usize,
    /// The published figures of both.
    pub published: Option<(f64, f64)>,
}

/// Means closer than this are a tie: the same clusterings, summed in another order.
const TIE: f64 = 1e-9;

/// Mean over the starts of one data set.
pub fn mean(measured: &Measured, score: Score) -> f64 {
    let values = measured.values(score);
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn measure(units: &[&Picked], score: Score, each_unit: bool) -> Measure {
    let of_starts = |p: &&Picked| Stat::new(p.measured.values(score));
    let each: Vec<Stat> = units.iter().map(of_starts).collect();
    let starts_sd = each.iter().map(|s| s.sd).sum::<f64>() / each.len() as f64;
    let ours = match each_unit {
        true => Stat::new(each.iter().map(|s| s.mean).collect()),
        false => Stat::new(each.into_iter().flat_map(|s| s.values).collect()),
    };
    Measure { ours, starts_sd, against: None }
}

fn counted(names: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_insert(0) += 1;
    }
    counts
}

/// One row of the result.
pub fn row(
    row: &Row,
    at: Option<f64>,
    units: &[&Picked],
    (data, protocol): (&Data, &Protocol),
    each_unit: bool,
) -> RowOutcome {
    let point = row.points.iter().find(|p| Some(p.0) == at).map(|p| &p.1);
    let of_data = data.published.get(&row.label);
    let published = point.or(of_data).unwrap_or(&row.published);
    // A figure in the published part may be of a score that the protocol does not list.
    let wanted = protocol.scores.iter().chain(published.keys());
    let scores = wanted
        .map(|&score| {
            let mut measure = measure(units, score, each_unit);
            measure.against = published.get(&score).map(|p| Against::new(&measure.ours, *p));
            (score, measure)
        })
        .collect();
    let picked = units.iter().filter(|_| row.pick != Pick::Only);
    RowOutcome {
        label: row.label.clone(),
        at,
        scores,
        pick: row.pick,
        picked: counted(picked.map(|m| row.variants[m.variant].label.clone())),
        statuses: counted(units.iter().map(|p| p.measured.status.to_string())),
        seconds: units.iter().map(|p| p.seconds).sum::<f64>() / units.len().max(1) as f64,
        weights: mean_weights(units),
        published_weights: data.weights.get(&row.label).cloned(),
        reason: row.reason.clone(),
        notes: crate::words::once(units.iter().flat_map(|p| &p.measured.notes)),
    }
}

fn mean_weights(units: &[&Picked]) -> Vec<(String, f64)> {
    // In brackets are parameters, which the data of each split may have decided.
    let names = |p: &&Picked| -> Vec<String> {
        let kernels = p.measured.details.kernels.iter();
        kernels.map(|k| k.split('(').next().unwrap_or_default().to_string()).collect()
    };
    let Some(first) = units.first().map(names) else { return Vec::new() };
    let distinct: BTreeSet<&String> = first.iter().collect();
    let whole = |p: &&Picked| p.measured.details.weights.len() == first.len() && names(p) == first;
    if distinct.len() < first.len() || !units.iter().all(whole) {
        return Vec::new();
    }
    let mean = |m: usize| {
        units.iter().map(|p| p.measured.details.weights[m]).sum::<f64>() / units.len() as f64
    };
    let means: Vec<f64> = (0..first.len()).map(mean).collect();
    first.into_iter().zip(means).collect()
}

/// The 5×2 cv F tests against the baseline that the file names.
pub fn differences(plan: &Experiment, all: &Measurements) -> Vec<Difference> {
    let splits = plan.protocol.learning().map(|l| l.splits);
    let five_by_two =
        matches!(splits, Some(eval::Protocol::FiveByTwo | eval::Protocol::Reserved { .. }));
    let Some(base) = plan.tests.baseline.filter(|_| five_by_two && plan.sweep.is_none()) else {
        return Vec::new();
    };
    let values = |row: usize, score: Score| -> Vec<f64> {
        let units = all.get(&(row, None)).into_iter().flatten();
        units.map(|(_, p)| mean(&p.measured, score)).collect()
    };
    let mut found = Vec::new();
    for row in (0..plan.rows.len()).filter(|r| *r != base) {
        for &score in &plan.protocol.scores {
            let (ours, theirs) = (values(row, score), values(base, score));
            let apart: Vec<f64> = ours.iter().zip(&theirs).map(|(a, b)| a - b).collect();
            if apart.len() != 10 || theirs.len() != 10 {
                continue;
            }
            // Without any difference the test has no value.
            let same = apart.iter().all(|d| d.abs() <= TIE);
            let p = if same { Some(1.0) } else { f_5x2(&apart).ok().map(|t| t.p) };
            let Some(p) = p else { continue };
            let mean = apart.iter().sum::<f64>() / 10.0;
            let better = (p < plan.tests.alpha).then(|| score.better(mean, 0.0));
            let label = |r: usize| plan.rows[r].label.clone();
            let (row, baseline) = (label(row), label(base));
            found.push(Difference { row, baseline, score, mean, p, better });
        }
    }
    found
}

/// In how many data sets (and values of a sweep) the order of a claim holds.
pub fn claim(claim: &Claim, plan: &Experiment, all: &Measurements) -> Vec<ClaimOutcome> {
    let units =
        |row: usize, at: Option<usize>| all.get(&(row, at)).or_else(|| all.get(&(row, None)));
    let one = |&below: &usize| {
        let (mut holds, mut ties, mut of) = (0, 0, 0);
        let values: BTreeSet<Option<usize>> =
            all.keys().filter(|k| k.0 == claim.above || k.0 == below).map(|k| k.1).collect();
        // A row that does not depend on the sweep stands beside every value of the other.
        let swept = values.iter().any(Option::is_some);
        for at in values.into_iter().filter(|at| at.is_some() || !swept) {
            let other = units(below, at);
            for (unit, a) in units(claim.above, at).into_iter().flatten() {
                let Some(b) = other.and_then(|o| o.get(unit)) else { continue };
                let (a, b) = (mean(&a.measured, claim.score), mean(&b.measured, claim.score));
                of += 1;
                ties += usize::from((a - b).abs() <= TIE);
                holds += usize::from((a - b).abs() > TIE && claim.score.better(a, b));
            }
        }
        let figure = |row: usize| plan.rows[row].published.get(&claim.score).map(|p| p.mean);
        ClaimOutcome {
            above: plan.rows[claim.above].label.clone(),
            below: plan.rows[below].label.clone(),
            score: claim.score,
            holds,
            ties,
            of,
            published: figure(claim.above).zip(figure(below)),
        }
    };
    claim.below.iter().map(one).collect()
}
