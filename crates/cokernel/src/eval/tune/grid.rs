//! All combinations of values.

use super::inner::{Fitted, Inner};
use super::{Axis, COST, Candidate, METHOD, MOST, Search, Tried, Tuned, alike, text};
use crate::eval::cross_validate::worst;
use crate::eval::{Split, Stat};
use crate::mkl::Learned;
use crate::model::Mkl;
use crate::params::Value;
use crate::{Error, Event, Result, Status};

/// Every combination, the first axis slowest (methods first of all), without the axes that a method does not know.
pub(super) fn candidates(axes: &[Axis], base: &Mkl, lenient: bool) -> Result<Vec<Candidate>> {
    let of_methods = axes.iter().any(|a| a.name == METHOD);
    let lenient = lenient || of_methods;
    let mut all = vec![Candidate { values: Vec::new(), mkl: base.clone() }];
    let (first, rest): (Vec<&Axis>, Vec<&Axis>) = axes.iter().partition(|a| a.name == METHOD);
    for axis in first.into_iter().chain(rest) {
        if axis.values.is_empty() || all.len().saturating_mul(axis.values.len()) > MOST {
            let problem = format!("expected 1 to {MOST} combinations of values");
            return Err(Error::parameter("tune", problem));
        }
        // One of the methods that are chosen among has to know it.
        if of_methods && !all.iter().any(|c| c.mkl.knows(&axis.name)) {
            all[0].mkl.with(&axis.name, &axis.values[0])?;
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

/// What some of the methods do not know, and were tried without.
fn unknown(all: &[Candidate]) -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in all.iter().flat_map(|c| &c.values) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let mut remarks = Vec::new();
    for name in names {
        let mut without: Vec<&str> = Vec::new();
        for c in all.iter().filter(|c| !c.values.iter().any(|v| v.0 == name)) {
            if !without.contains(&c.mkl.method().id) {
                without.push(c.mkl.method().id);
            }
        }
        if !without.is_empty() {
            remarks.push(format!(
                "tried without {name}, which they do not have: {}",
                without.join(", ")
            ));
        }
    }
    remarks
}

/// The best of all.
pub(super) fn choose(candidates: &[Candidate], inner: &Inner<'_>) -> Result<Tuned> {
    let splits = &inner.splits.splits;
    inner.begin((candidates.len() * splits.len()) as u64);
    let mut scores: Vec<Vec<f64>> = vec![Vec::new(); candidates.len()];
    let mut statuses: Vec<Vec<Status>> = vec![Vec::new(); candidates.len()];
    let mut done = 0;
    'all: for split in splits {
        for group in groups(candidates)? {
            let base = &candidates[group[0]].mkl;
            let split: &Split = &*split.learned_from(base, inner.labels())?;
            let Some(prepared) = inner.prepare(base, split, 1)? else { break 'all };
            let mut warm: Option<(String, Learned)> = None;
            for &c in &group {
                let apart = apart_from_cost(&candidates[c]);
                let start = warm.as_ref().filter(|w| w.0 == apart).map(|w| &w.1);
                let Some(Fitted { score, status, learned }) =
                    inner.fit(&candidates[c].mkl, &prepared, start, split)?
                else {
                    break 'all;
                };
                scores[c].push(score);
                statuses[c].push(status);
                warm = Some((apart, learned));
                done += 1;
                inner.run.tell(Event::Step { done, message: &text(&candidates[c].values) });
            }
        }
    }
    inner.run.tell(Event::End);
    let mut remarks = unknown(candidates);
    let complete = scores.iter().map(Vec::len).min().unwrap_or(0);
    // Where no split has seen all, those that the first has seen.
    let seen = complete.max(1);
    let kept: Vec<usize> = (0..candidates.len()).filter(|c| scores[*c].len() >= seen).collect();
    if kept.is_empty() {
        return Err(inner.stopped());
    }
    let status = match complete == splits.len() {
        true => Status::Converged,
        false => {
            let (few, all, known, of) = (kept.len(), candidates.len(), seen, splits.len());
            remarks.push(format!(
                "stopped early: chosen among {few} of {all} combinations on {known} of {of} inner splits"
            ));
            inner.status()
        }
    };
    let tried: Vec<Tried> = kept
        .iter()
        .map(|&c| Tried {
            values: candidates[c].values.clone(),
            score: Stat::new(scores[c][..seen].to_vec()),
            status: worst(statuses[c][..seen].iter().copied()),
            predicted: None,
        })
        .collect();
    // Sums in another order are no difference.
    let more = inner.more_is_better();
    let better = |a: f64, b: f64| !alike(a, b) && (a > b) == more;
    let best = (1..tried.len()).fold(0, |best, c| {
        if better(tried[c].score.mean, tried[best].score.mean) { c } else { best }
    });
    let mkl = candidates[kept[best]].mkl.clone();
    let (score, seed) = (inner.by.id, inner.run.seed);
    Ok(Tuned { score, splits: seen, seed, search: Search::Grid, best, tried, status, remarks, mkl })
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
