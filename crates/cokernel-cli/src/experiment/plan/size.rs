//! How large an experiment is: more cells, folds or clusters than there can be are mistakes, found
//! before any memory is asked for.

use super::{Experiment, Kind, Pick};
use crate::experiment::file::{Content, File};
use crate::experiment::generator::N;
use crate::experiment::source::Source;
use crate::table::thousands;
use anyhow::Result;
use cokernel::eval;
use std::ops::Range;
use toml::Spanned;

/// More cells would not be done in a lifetime; each takes a kilobyte of the store.
pub const MOST_CELLS: usize = 200_000;

/// Instances of the digits.
const DIGITS: usize = 2000;

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
    let (folds, repeats) = match plan.protocol.kind {
        Kind::Classify { splits: eval::Protocol::KFold { folds, repeats }, .. } => (folds, repeats),
        _ => (1, plan.protocol.splits()),
    };
    let inner = match plan.protocol.kind {
        Kind::Classify { inner_folds, .. } if plan.rows.iter().any(|r| r.pick == Pick::Inner) => {
            inner_folds
        }
        _ => 1,
    };
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
