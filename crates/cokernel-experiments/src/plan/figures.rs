//! The parts of a plan that stand for numbers: published figures, reaches, starts, sweeps, claims.

use super::{Claim, Data, Protocol, Row, Sweep};
use crate::file::{ClaimEntry, File, SweepEntry};
use crate::score::{Published, Score};
use anyhow::Result;
use cokernel::method::Task;
use cokernel::multiview::{Seeding, Starts};
use cokernel::{Error, brief};
use std::collections::BTreeMap;
use std::ops::Range;
use toml::{Spanned, Value};

/// k-means starts of the papers.
const PUBLISHED_STARTS: usize = 20;

fn score(file: &File, id: &str, place: Range<usize>, task: Task) -> Result<Score> {
    Score::from_id(id, task).map_err(|e| file.refuse(Some(place), e))
}

pub fn reaches(
    file: &File,
    entries: &BTreeMap<String, Spanned<f64>>,
    task: Task,
) -> Result<BTreeMap<Score, f64>> {
    let one = |(id, reach): (&String, &Spanned<f64>)| match *reach.get_ref() {
        r if r >= 0.0 && r.is_finite() => Ok((score(file, id, reach.span(), task)?, r)),
        r => {
            let problem =
                format!("reach: {id}: expected a number of at least 0, found {}", brief(r));
            Err(file.refuse(Some(reach.span()), problem))
        }
    };
    entries.iter().map(one).collect()
}

/// More starts, or values of a sweep, are mistakes.
pub const MOST_STARTS: usize = 10_000;
const MOST_VALUES: usize = 10_000;

/// A finite number of TOML, whole or not.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(v) => Some(*v as f64),
        Value::Float(v) => Some(*v).filter(|v| v.is_finite()),
        _ => None,
    }
}

/// The numbers of a table by these keys, and no others.
fn numbers<const N: usize>(
    table: &toml::Table,
    keys: [&str; N],
) -> Result<[Option<f64>; N], String> {
    for (key, value) in table {
        if !keys.contains(&key.as_str()) {
            return Err(Error::unknown("key", key, keys).to_string());
        }
        if number(value).is_none() {
            return Err(format!("{key}: expected a finite number, found {value}"));
        }
    }
    Ok(keys.map(|key| table.get(key).and_then(number)))
}

fn figure(value: &Value) -> Result<Published, String> {
    let expected = "expected a number, [mean, sd], or { mean = 0.7, sd = 0.05, reach = 0.02 }";
    let plain = |mean, sd| Published { mean, sd, reach: None };
    match value {
        Value::Array(parts) => match parts.iter().map(number).collect::<Option<Vec<_>>>() {
            Some(v) if v.len() == 2 => Ok(plain(v[0], Some(v[1]))),
            _ => Err(format!("{expected}, found {value}")),
        },
        Value::Table(table) => match numbers(table, ["mean", "sd", "reach"])? {
            [Some(mean), sd, reach] => Ok(Published { mean, sd, reach }),
            _ => Err("missing key 'mean'".to_string()),
        },
        value => {
            let mean = number(value).ok_or_else(|| format!("{expected}, found {value}"))?;
            Ok(plain(mean, None))
        }
    }
}

pub fn published(
    file: &File,
    entries: &BTreeMap<String, Spanned<Value>>,
    reach: &BTreeMap<Score, f64>,
    task: Task,
) -> Result<BTreeMap<Score, Published>> {
    let one = |(id, value): (&String, &Spanned<Value>)| {
        let score = score(file, id, value.span(), task)?;
        let refuse = |e| file.refuse(Some(value.span()), format!("{id}: {e}"));
        let mut figure = figure(value.get_ref()).map_err(refuse)?;
        figure.reach = figure.reach.or_else(|| reach.get(&score).copied());
        Ok((score, figure))
    };
    entries.iter().map(one).collect()
}

/// Figures of one data set, by the label of the row.
pub fn by_row(
    file: &File,
    entries: &BTreeMap<String, Spanned<BTreeMap<String, Spanned<Value>>>>,
    rows: &[Row],
    reach: &BTreeMap<Score, f64>,
    task: Task,
) -> Result<BTreeMap<String, BTreeMap<Score, Published>>> {
    let one = |(label, figures): (&String, &Spanned<BTreeMap<String, Spanned<Value>>>)| {
        known_row(file, label, figures.span(), rows)?;
        Ok((label.clone(), published(file, figures.get_ref(), reach, task)?))
    };
    entries.iter().map(one).collect()
}

/// Weights of the kernels on one data set, by the label of the row.
pub fn weights(
    file: &File,
    entries: &BTreeMap<String, Spanned<Vec<f64>>>,
    rows: &[Row],
) -> Result<BTreeMap<String, Vec<f64>>> {
    let one = |(label, weights): (&String, &Spanned<Vec<f64>>)| {
        known_row(file, label, weights.span(), rows)?;
        Ok((label.clone(), weights.get_ref().clone()))
    };
    entries.iter().map(one).collect()
}

fn known_row(file: &File, label: &str, place: Range<usize>, rows: &[Row]) -> Result<()> {
    if rows.iter().any(|r| r.label == label) {
        return Ok(());
    }
    let known = rows.iter().map(|r| r.label.as_str());
    Err(file.refuse(Some(place), Error::unknown("row", label, known)))
}

/// Figures at single values of a sweep.
pub fn points(
    file: &File,
    entries: &[Spanned<BTreeMap<String, Spanned<Value>>>],
    reach: &BTreeMap<Score, f64>,
    sweep: Option<&Sweep>,
    task: Task,
) -> Result<Vec<(f64, BTreeMap<Score, Published>)>> {
    let mut points = Vec::new();
    for entry in entries {
        let mut scores = entry.get_ref().clone();
        let at = scores.remove("at").and_then(|at| number(at.get_ref()));
        let known = sweep.map_or(&[][..], |s| &s.values);
        match at.filter(|at| known.contains(at)) {
            Some(at) => points.push((at, published(file, &scores, reach, task)?)),
            None => {
                let problem = "points: expected `at = X` with X one of the values of [sweep]";
                return Err(file.refuse(Some(entry.span()), problem));
            }
        }
    }
    Ok(points)
}

pub fn starts(file: &File, entry: &Spanned<Value>) -> Result<Starts> {
    let refuse = |problem: String| file.refuse(Some(entry.span()), format!("starts: {problem}"));
    let expected = "expected \"published\", or { seeding = \"random\", starts = 10 }";
    match entry.get_ref() {
        Value::String(word) if word == "published" => Ok(Starts::published(PUBLISHED_STARTS)),
        Value::Table(table) => {
            if let Some(key) = table.keys().find(|k| !["seeding", "starts"].contains(&k.as_str())) {
                return Err(refuse(Error::unknown("key", key, ["seeding", "starts"]).to_string()));
            }
            let seeding = match table.get("seeding").and_then(Value::as_str) {
                Some("random") => Seeding::Random,
                Some("plus_plus") => Seeding::PlusPlus,
                _ => return Err(refuse("seeding: expected \"random\" or \"plus_plus\"".into())),
            };
            let starts = table.get("starts").and_then(Value::as_integer);
            match starts.and_then(|s| usize::try_from(s).ok()) {
                Some(starts @ 1..=MOST_STARTS) => Ok(Starts { seeding, starts }),
                _ => {
                    Err(refuse(format!("starts: expected a whole number from 1 to {MOST_STARTS}")))
                }
            }
        }
        other => Err(refuse(format!("{expected}, found {other}"))),
    }
}

/// The values of a range, with ten digits after the point, so that 0.1 is not 0.10000000000000009;
/// with four of the step, where that is finer.
fn steps(from: f64, to: f64, step: f64) -> Result<Vec<f64>, String> {
    let last = ((to - from) / step + 1e-9).floor();
    if last >= MOST_VALUES as f64 {
        let (most, n) = (MOST_VALUES, last + 1.0);
        return Err(format!(
            "values: expected at most {most}, found {} from {} to {}",
            brief(n),
            brief(from),
            brief(to)
        ));
    }
    let scale = 10_f64.powi(10.max(4 - step.log10().floor() as i32));
    let round = |x: f64| match (x * scale).round() / scale {
        r if r.is_finite() => r,
        _ => x,
    };
    Ok((0..=last as usize).map(|i| round(from + i as f64 * step)).collect())
}

pub fn sweep(file: &File, entry: &SweepEntry, data: &[Data]) -> Result<Sweep> {
    let place = Some(entry.values.span());
    let expected = "values: expected numbers, as [0.0, 0.5], or { from = 0, to = 1, step = 0.1 }";
    let values = match entry.values.get_ref() {
        Value::Array(list) => list.iter().map(number).collect::<Option<Vec<f64>>>(),
        Value::Table(table) => {
            match numbers(table, ["from", "to", "step"])
                .map_err(|e| file.refuse(place.clone(), e))?
            {
                [Some(from), Some(to), Some(step)] if step > 0.0 && to >= from => {
                    Some(steps(from, to, step).map_err(|e| file.refuse(place.clone(), e))?)
                }
                _ => None,
            }
        }
        _ => None,
    };
    let values = values.filter(|v| !v.is_empty());
    let values = values.ok_or_else(|| file.refuse(place.clone(), expected))?;
    let parameter = entry.parameter.get_ref().clone();
    let toys: Vec<_> = data.iter().filter_map(|d| d.source.toy()?.param(&parameter)).collect();
    let of_data = toys.len() == data.len();
    for param in toys.iter().filter(|_| of_data) {
        let checked = values.iter().try_for_each(|x| param.check(*x));
        checked.map_err(|e| file.refuse(place.clone(), format!("values: {e}")))?;
    }
    Ok(Sweep {
        of_data,
        values,
        label: entry.label.clone().unwrap_or_else(|| parameter.clone()),
        parameter,
        log: entry.log,
    })
}

pub fn claims(
    file: &File,
    entries: &[ClaimEntry],
    rows: &[Row],
    protocol: &Protocol,
) -> Result<Vec<Claim>> {
    let find = |label: &Spanned<String>| {
        let found = rows.iter().position(|r| r.label == *label.get_ref());
        found.ok_or_else(|| {
            let known = rows.iter().map(|r| r.label.as_str());
            file.refuse(Some(label.span()), Error::unknown("row", label.get_ref(), known))
        })
    };
    let one = |entry: &ClaimEntry| {
        let above = find(&entry.above)?;
        let below = match file.listed("below", entry.below.as_ref())? {
            Some(listed) => listed.iter().map(find).collect::<Result<_>>()?,
            None => (0..rows.len()).filter(|r| *r != above).collect(),
        };
        let score = match &entry.score {
            Some(id) => score(file, id.get_ref(), id.span(), protocol.task())?,
            None => protocol.pick_by,
        };
        Ok(Claim { above, below, score })
    };
    entries.iter().map(one).collect()
}
