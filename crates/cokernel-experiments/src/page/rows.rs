//! The rows of a data set side by side, with tests of their differences.

use super::Material;
use crate::{Experiment, Learning, Picked, Score, mean_of};
use anyhow::Result;
use cokernel::eval::significance::{apart, corrected_t_test, f_5x2, holm, wilcoxon};
use cokernel::eval::{Protocol, Stat};
use serde::Serialize;
use std::collections::BTreeMap;

/// Data sets from which on the signed ranks can tell anything at the level 0.05.
const WILCOXON_FROM: usize = 6;

/// How a row stands to the one that all are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// All others are compared with this one.
    Baseline,
    /// The difference may be chance.
    Alike,
    Better,
    Worse,
    /// There is no test.
    Untested,
}

/// A score of a row.
#[derive(Debug, Clone, Serialize)]
pub struct Value {
    pub score: Score,
    pub stat: Stat,
    pub mark: Mark,
    /// Of the difference to the baseline, alone and after Holm's correction.
    pub p: Option<f64>,
    pub p_holm: Option<f64>,
    /// Whether no mean is better.
    pub best: bool,
}

/// A row of the comparison.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    #[serde(skip)]
    pub row: usize,
    pub label: String,
    /// The value of a sweep.
    pub at: Option<f64>,
    pub values: Vec<Value>,
    pub active_kernels: Option<Stat>,
    pub support_percent: Option<Stat>,
    /// Of predicting one instance.
    pub cost: Option<Stat>,
    /// Not in tables that repeat exactly.
    #[serde(skip)]
    pub seconds: Stat,
    /// Data sets or splits.
    pub units: usize,
}

/// The rows of one data set.
#[derive(Debug, Clone, Serialize)]
pub struct DataRows {
    pub data: String,
    pub rows: Vec<Compared>,
    /// What was tested and how; or why nothing was.
    pub test: String,
}

/// The test that the protocol allows for one data entry.
enum Test {
    /// Ratio of the sizes of test and training sets.
    Resampled(f64),
    /// On the ten splits of 5×2 cross-validation.
    FiveByTwo,
    /// Over data sets that were drawn; a value for each.
    Sets,
    /// There is none, and why.
    None(&'static str),
}

fn test_of(plan: &Experiment, sets: usize) -> Test {
    match (plan.protocol.learning(), sets) {
        (Some(Learning { splits, .. }), 1) => match splits {
            Protocol::KFold { folds, .. } => Test::Resampled(1.0 / (folds - 1) as f64),
            Protocol::Shuffle { test, .. } => Test::Resampled(test / (1.0 - test)),
            Protocol::FiveByTwo | Protocol::Reserved { .. } => Test::FiveByTwo,
            Protocol::PerClass { .. } => {
                Test::None("No test: the sizes of training and test sets depend on the classes")
            }
            Protocol::Given { .. } => Test::None("No test: the splits were given"),
        },
        (_, n) if n >= WILCOXON_FROM => Test::Sets,
        (_, 1) => {
            Test::None("No test: starts of k-means on one data set are no sample of data sets")
        }
        _ => Test::None("No test: fewer than six data sets were drawn"),
    }
}

/// The mean ratio of the sizes of test and training sets, which classes and groups that stay together round; results of
/// earlier versions do not tell it.
fn ratio_of(found: &BTreeMap<(usize, Option<usize>), BTreeMap<usize, Picked>>) -> Option<f64> {
    let splits = found.values().next()?.values();
    let of_split =
        |p: &Picked| p.measured.details.sizes.map(|[train, test]| test as f64 / train as f64);
    let ratios: Vec<f64> = splits.map(of_split).collect::<Option<_>>()?;
    Some(ratios.iter().sum::<f64>() / ratios.len() as f64).filter(|r| r.is_finite())
}

/// Means by unit: a split of the only data set, or a data set (mean over its splits).
fn by_unit(
    picked: &BTreeMap<usize, Picked>,
    score: Score,
    splits: usize,
    sets: usize,
) -> BTreeMap<usize, f64> {
    let mut all: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (&unit, p) in picked {
        let unit = if sets > 1 { unit / splits } else { unit };
        all.entry(unit).or_default().push(mean_of(&p.measured, score));
    }
    all.into_iter().map(|(u, v)| (u, v.iter().sum::<f64>() / v.len() as f64)).collect()
}

/// All data sets.
pub fn compared(material: &Material<'_>) -> Result<Vec<DataRows>> {
    let plan = material.plan;
    let mut all = Vec::new();
    for (d, collected) in material.collected.iter().enumerate() {
        let values = plan.sweep.as_ref().map_or(&[][..], |s| &s.values);
        let mut rows: Vec<Compared> = Vec::new();
        for (&(row, at), picked) in &collected.measurements {
            rows.push(one(plan, material, d, row, at.map(|i| values[i]), picked));
        }
        let mut test = test_of(plan, plan.data[d].sets);
        if let (Test::Resampled(ratio), Some(found)) =
            (&mut test, ratio_of(&collected.measurements))
        {
            *ratio = found;
        }
        let mut ats: Vec<Option<f64>> = rows.iter().map(|r| r.at).collect();
        ats.dedup();
        let swept = ats.iter().any(Option::is_some);
        let said = match &test {
            _ if swept => "No test: the rows are compared value by value in the curves".to_string(),
            Test::None(why) => why.to_string(),
            Test::Resampled(_) => "corrected resampled t-test".to_string(),
            Test::FiveByTwo => "5×2 cv F test".to_string(),
            Test::Sets => "Wilcoxon's signed ranks over the data sets".to_string(),
        };
        if !swept {
            for (s, &score) in plan.protocol.scores.iter().enumerate() {
                let units: Vec<BTreeMap<usize, f64>> = rows
                    .iter()
                    .map(|r| {
                        let picked = &collected.measurements[&(r.row, None)];
                        by_unit(picked, score, plan.protocol.splits(), plan.data[d].sets)
                    })
                    .collect();
                mark(plan, &test, &mut rows, s, score, &units)?;
            }
        }
        all.push(DataRows { data: plan.data[d].label.clone(), rows, test: said });
    }
    Ok(all)
}

fn one(
    plan: &Experiment,
    material: &Material<'_>,
    d: usize,
    row: usize,
    at: Option<f64>,
    picked: &BTreeMap<usize, Picked>,
) -> Compared {
    let collected = &material.collected[d];
    let label = plan.rows[row].label.clone();
    let outcome = collected.outcome.rows.iter().find(|r| r.label == label && r.at == at);
    let value = |&score: &Score| {
        let stat = outcome.and_then(|r| r.scores.get(&score)).map(|m| m.ours.clone());
        let stat = stat.unwrap_or_else(|| Stat::new(Vec::new()));
        Value { score, stat, mark: Mark::Untested, p: None, p_holm: None, best: false }
    };
    let stat = |of: &dyn Fn(&Picked) -> Option<f64>| {
        let values: Option<Vec<f64>> = picked.values().map(of).collect();
        values.filter(|v| !v.is_empty()).map(Stat::new)
    };
    Compared {
        row,
        label,
        at,
        values: plan.protocol.scores.iter().map(value).collect(),
        active_kernels: stat(&|p| p.measured.details.active.map(|a| a as f64)),
        support_percent: stat(&|p| p.measured.details.support_percent),
        cost: stat(&|p| p.measured.details.cost),
        seconds: Stat::new(picked.values().map(|p| p.measured.seconds).collect()),
        units: picked.len(),
    }
}

/// Compares every row with the baseline, by one score.
fn mark(
    plan: &Experiment,
    test: &Test,
    rows: &mut [Compared],
    s: usize,
    score: Score,
    units: &[BTreeMap<usize, f64>],
) -> Result<()> {
    let mean = |rows: &[Compared], i: usize| rows[i].values[s].stat.mean;
    let better =
        |a: usize, b: usize| if score.better(mean(rows, b), mean(rows, a)) { b } else { a };
    let Some(best) = (0..rows.len()).reduce(better) else { return Ok(()) };
    let top = mean(rows, best);
    for row in rows.iter_mut() {
        row.values[s].best = row.values[s].stat.mean == top;
    }
    let named = plan.tests.baseline.and_then(|b| rows.iter().position(|r| r.row == b));
    let base = named.unwrap_or(best);
    let mut found: Vec<(usize, f64)> = Vec::new();
    for i in (0..rows.len()).filter(|i| *i != base) {
        let pairs = units[i].iter().filter_map(|(u, v)| Some(apart(*v, *units[base].get(u)?)));
        let differences: Vec<f64> = pairs.collect();
        let p = match test {
            Test::Resampled(ratio) if differences.len() > 1 => {
                Some(corrected_t_test(&differences, *ratio)?.p)
            }
            Test::FiveByTwo if differences.len() == 10 => Some(f_5x2(&differences)?.p),
            Test::Sets if differences.len() >= WILCOXON_FROM => Some(wilcoxon(&differences)?.p),
            _ => None,
        };
        found.extend(p.map(|p| (i, p)));
    }
    if found.is_empty() {
        return Ok(());
    }
    let adjusted = holm(&found.iter().map(|f| f.1).collect::<Vec<_>>());
    let of_base = mean(rows, base);
    rows[base].values[s].mark = Mark::Baseline;
    for ((i, p), p_holm) in found.into_iter().zip(adjusted) {
        let mark = match mean(rows, i) {
            _ if p_holm > plan.tests.alpha => Mark::Alike,
            m if score.better(m, of_base) => Mark::Better,
            _ => Mark::Worse,
        };
        let value = &mut rows[i].values[s];
        (value.mark, value.p, value.p_holm) = (mark, Some(p), Some(p_holm));
    }
    Ok(())
}
