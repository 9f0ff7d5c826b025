//! What running an experiment gives: ours beside theirs, for every row and score.

use super::plan::{Claim, Experiment, Protocol, Row};
use super::score::{Against, Score};
use cokernel::Status;
use cokernel::eval::Stat;
use cokernel::eval::cluster_scores::ClusterScores;
use serde::Serialize;
use std::collections::BTreeMap;

/// One row on one data set.
#[derive(Debug, Clone)]
pub struct Measured {
    /// Scores of every start of k-means.
    pub starts: Vec<ClusterScores>,
    /// Which variant it is.
    pub variant: usize,
    pub status: Status,
    pub seconds: f64,
    pub notes: Vec<String>,
}

/// Everything measured: by row, and index of the value of the sweep; one entry per data set.
pub type Measurements = BTreeMap<(usize, Option<usize>), Vec<Measured>>;

/// The data as it was found.
#[derive(Debug, Clone, Default, Serialize)]
pub struct DataFound {
    pub source: String,
    pub n: usize,
    pub views: Vec<String>,
    /// Data sets with consecutive seeds; 1 unless they are drawn.
    pub sets: usize,
}

/// A result.
#[derive(Debug, Serialize)]
pub struct Outcome {
    pub id: String,
    pub title: String,
    pub paper: String,
    pub table: String,
    pub data: DataFound,
    pub protocol: Protocol,
    /// Seeds of the data sets and methods: the first, and how many consecutive ones.
    pub first_seed: u64,
    pub seeds: usize,
    pub library_version: String,
    pub status: Status,
    pub seconds: f64,
    /// The parameter of a figure.
    pub sweep: Option<String>,
    pub rows: Vec<RowOutcome>,
    pub claims: Vec<ClaimOutcome>,
    pub notes: Vec<String>,
}

/// A row of the table, or a point of a curve.
#[derive(Debug, Serialize)]
pub struct RowOutcome {
    pub label: String,
    /// The value of the sweep; `None` in tables, and for rows that do not depend on it.
    pub at: Option<f64>,
    pub scores: BTreeMap<Score, Measure>,
    /// How often each variant was the best, and which has the best mean of the others' names.
    pub picked: BTreeMap<String, usize>,
    pub statuses: BTreeMap<String, usize>,
    /// Seconds of one data set, all variants together.
    pub seconds: f64,
    pub reason: Option<String>,
    pub notes: Vec<String>,
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
    let sum: f64 = measured.starts.iter().map(|s| score.of(s)).sum();
    sum / measured.starts.len() as f64
}

fn measure(sets: &[Measured], score: Score, sets_drawn: bool) -> Measure {
    let of_starts = |m: &Measured| Stat::new(m.starts.iter().map(|s| score.of(s)).collect());
    let each: Vec<Stat> = sets.iter().map(of_starts).collect();
    let starts_sd = each.iter().map(|s| s.sd).sum::<f64>() / each.len() as f64;
    let ours = match sets_drawn {
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
    sets: &[Measured],
    protocol: &Protocol,
    sets_drawn: bool,
) -> RowOutcome {
    let point = row.points.iter().find(|p| Some(p.0) == at).map(|p| &p.1);
    let published = point.unwrap_or(&row.published);
    // A figure in the published part may be of a score that the protocol does not list.
    let wanted = protocol.scores.iter().chain(published.keys());
    let scores = wanted
        .map(|&score| {
            let mut measure = measure(sets, score, sets_drawn);
            measure.against = published.get(&score).map(|p| Against::new(&measure.ours, *p));
            (score, measure)
        })
        .collect();
    let picked = sets.iter().filter(|_| row.pick);
    RowOutcome {
        label: row.label.clone(),
        at,
        scores,
        picked: counted(picked.map(|m| row.variants[m.variant].label.clone())),
        statuses: counted(sets.iter().map(|m| m.status.to_string())),
        seconds: sets.iter().map(|m| m.seconds).sum::<f64>() / sets.len() as f64,
        reason: row.reason.clone(),
        notes: crate::report::once(sets.iter().flat_map(|m| &m.notes)),
    }
}

/// In how many data sets (and values of a sweep) the order of a claim holds.
pub fn claim(claim: &Claim, plan: &Experiment, all: &Measurements) -> Vec<ClaimOutcome> {
    let sets =
        |row: usize, at: Option<usize>| all.get(&(row, at)).or_else(|| all.get(&(row, None)));
    let one = |&below: &usize| {
        let (mut holds, mut ties, mut of) = (0, 0, 0);
        let values: std::collections::BTreeSet<Option<usize>> =
            all.keys().filter(|k| k.0 == claim.above || k.0 == below).map(|k| k.1).collect();
        // A row that does not depend on the sweep stands beside every value of the other.
        let swept = values.iter().any(Option::is_some);
        for at in values.into_iter().filter(|at| at.is_some() || !swept) {
            let pairs = sets(claim.above, at).into_iter().flatten();
            for (a, b) in pairs.zip(sets(below, at).into_iter().flatten()) {
                let (a, b) = (mean(a, claim.score), mean(b, claim.score));
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
