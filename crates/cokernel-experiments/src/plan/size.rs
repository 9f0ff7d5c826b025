//! How large an experiment is: more cells, folds or clusters than there can be are mistakes, found
//! before any memory is asked for.

use super::{Data, Experiment, Kind, Pick};
use crate::file::{Content, File};
use crate::generator::N;
use crate::source::Source;
use crate::table::thousands;
use anyhow::Result;
use cokernel::eval;
use cokernel::method::Task;
use std::ops::Range;
use toml::Spanned;

/// More cells would not be done in a lifetime; each takes a kilobyte of the store.
pub const MOST_CELLS: usize = 200_000;

/// Instances of the digits, and their classes.
const DIGITS: usize = 2000;
const DIGIT_CLASSES: usize = 10;

impl Experiment {
    /// The number of cells; of too many, nearly.
    pub fn size(&self) -> f64 {
        let sweep = self.sweep.as_ref();
        let values = |swept: bool| if swept { sweep.map_or(1, |s| s.values.len()) } else { 1 };
        let of_data = sweep.is_some_and(|s| s.of_data);
        let sets: f64 = self.data.iter().map(|d| d.sets as f64).sum();
        let rows = self
            .rows
            .iter()
            .map(|r| r.variants.len() as f64 * values(sweep.is_some_and(|s| r.is_swept(s))) as f64);
        sets * values(of_data) as f64 * self.protocol.splits() as f64 * rows.sum::<f64>()
    }

    /// The values of a sweep over the data, by the name of its parameter; once nothing without one.
    fn over_data(&self) -> Vec<Option<(&str, f64)>> {
        match self.sweep.as_ref().filter(|s| s.of_data) {
            Some(s) => s.values.iter().map(|x| Some((s.parameter.as_str(), *x))).collect(),
            None => vec![None],
        }
    }

    /// At most so many instances has the smallest class of a training set, as far as it is known,
    /// with the label of the data.
    fn least_trained(&self) -> Option<(usize, &str)> {
        let over = self.over_data();
        let least = |d: &Data| match &d.source {
            Source::Toy(toy) => over.iter().map(|x| toy.classes(*x)).map(|(n, c)| n / c).min(),
            Source::Digits => Some(DIGITS / DIGIT_CLASSES),
            _ => None,
        };
        let left = |n: usize| match self.protocol.learning().map(|l| l.splits) {
            Some(eval::Protocol::KFold { folds, .. }) => n - n.div_ceil(folds),
            Some(eval::Protocol::Shuffle { test, .. }) => {
                n - ((test * n as f64).round() as usize).min(n)
            }
            _ => n,
        };
        self.data.iter().filter_map(|d| Some((left(least(d)?), d.label.as_str()))).min()
    }

    /// The smallest data set whose number of instances is known, with its label.
    fn least_known(&self) -> Option<(usize, &str)> {
        let swept = self.sweep.as_ref().filter(|s| s.of_data && s.parameter == N.name);
        let least = |toy: usize| match swept {
            Some(s) => s.values.iter().fold(f64::INFINITY, |a, b| a.min(*b)) as usize,
            None => toy,
        };
        let known = self.data.iter().filter_map(|d| match &d.source {
            Source::Toy(toy) => Some((least(toy.n), d.label.as_str())),
            Source::Digits => Some((DIGITS, d.label.as_str())),
            _ => None,
        });
        known.min()
    }
}

/// Refuses what is too large, at the number that makes it so.
pub fn check(file: &File, content: &Content, plan: &Experiment) -> Result<()> {
    fn span<T>(value: &Option<Spanned<T>>) -> Option<Range<usize>> {
        value.as_ref().map(Spanned::span)
    }
    let p = &content.protocol;
    let learning = plan.protocol.learning();
    let (folds, repeats) = match learning.map(|l| l.splits) {
        Some(eval::Protocol::KFold { folds, repeats }) => (folds, repeats),
        _ => (1, plan.protocol.splits()),
    };
    let asked = p.inner_folds.is_some() || plan.rows.iter().any(|r| r.pick == Pick::Inner);
    let inner = learning.filter(|_| asked).map_or(1, |l| l.inner_folds);
    let clusters = match plan.protocol.kind {
        Kind::Cluster { clusters, .. } => clusters,
        _ => 1,
    };
    if let Some((n, label)) = plan.least_known() {
        for (key, value, place) in [
            ("folds", folds, span(&p.folds)),
            ("inner_folds", inner, span(&p.inner_folds)),
            ("clusters", clusters, span(&p.clusters)),
        ] {
            if value > n {
                let most = format!("expected at most the {} instances", thousands(n));
                let problem = format!("{key}: {most} of data '{label}', found {value}");
                return Err(file.refuse(place, problem));
            }
        }
    }
    if plan.protocol.task() == Task::Classify {
        classes(file, content, plan)?;
    }
    let stratified = plan.protocol.task() == Task::Classify && p.inner_folds.is_some();
    let least = plan.least_trained().filter(|_| stratified);
    if let Some((n, label)) = least.filter(|(n, _)| inner > *n) {
        let most = format!("expected at most the {} instances", thousands(n));
        let of = format!("that a class has in a training set of data '{label}'");
        let problem = format!("inner_folds: {most} {of}, found {inner}");
        return Err(file.refuse(span(&p.inner_folds), problem));
    }
    let size = plan.size();
    if size <= MOST_CELLS as f64 {
        return Ok(());
    }
    let sets = plan.data.iter().zip(&content.data.0);
    let sets = sets.map(|(d, entry)| ("sets", d.sets, span(&entry.sets)));
    let values = plan.sweep.as_ref().map_or(0, |s| s.values.len());
    let of_sweep = content.sweep.as_ref().map(|s| s.values.span());
    let all = [
        ("folds", folds, span(&p.folds)),
        ("repeats", repeats, span(&p.repeats)),
        ("values", values, of_sweep),
    ];
    let most = all.into_iter().chain(sets).filter(|a| a.2.is_some()).max_by_key(|a| a.1);
    let (key, place) = most.map_or(("rows", None), |m| (m.0, m.2));
    let (size, most) = (thousands(size as usize), thousands(MOST_CELLS));
    let problem = format!("{key}: this makes {size} cells, and at most {most} are possible");
    Err(file.refuse(place, problem))
}

/// Refuses more classes than instances.
fn classes(file: &File, content: &Content, plan: &Experiment) -> Result<()> {
    for (data, entry) in plan.data.iter().zip(&content.data.0) {
        let Source::Toy(toy) = &data.source else { continue };
        for swept in plan.over_data() {
            let (n, classes) = toy.classes(swept);
            if classes > n {
                let of_sweep = content.sweep.as_ref().filter(|_| swept.is_some());
                let own = entry.params.get("classes").map(Spanned::span);
                let place = of_sweep.map(|s| s.values.span()).or(own);
                let place = place.or(entry.n.as_ref().map(Spanned::span));
                let most = format!("expected at most the {} instances", thousands(n));
                let problem = format!("classes: {most} of data '{}', found {classes}", data.label);
                return Err(file.refuse(place, problem));
            }
        }
    }
    Ok(())
}
