//! A response surface over numbers, for fits that are dear (LMKA §2.7.1, and §6.2 for C and widths).

use super::inner::{Fitted, Inner};
use super::{Axis, COST, Search, Tried, Tuned, real, text};
use crate::eval::cross_validate::worst;
use crate::eval::{Split, Stat};
use crate::mkl::Learned;
use crate::model::{Mkl, Prepared};
use crate::params::Value;
use crate::solve::surface::{Ended, Factor, Limits, Scale, design_size, minimise};
use crate::{Error, Event, Result, Status};

/// Where the search ends: a step that is shorter than this part of the range of each number, about.
const TOL: f64 = 0.02;

/// The range of a number from 0 to 1, so that steps of different numbers are alike; a step of the design is a quarter of it.
const UNIT: Factor = Factor { low: 0.0, high: 1.0, start: 0.5, step: 0.25, scale: Scale::Linear };

/// What a surface over the ranges of some numbers found.
#[derive(Debug, Clone, PartialEq)]
pub struct Searched {
    /// Which of the points that were tried is the best; none if it was stopped before there was one.
    pub best: Option<usize>,
    /// What the surface said before, of points that it proposed.
    pub predicted: Vec<Option<f64>>,
    /// Why it ended.
    pub ended: Ended,
    /// The most points that it could try.
    pub most: usize,
}

/// Searches the numbers between the least and the largest value of each axis for the best score, as [`Search::Surface`]
/// does; `score` gives that of some numbers, or nothing to stop.
///
/// # Errors
/// Words or single values; what `score` says.
pub fn search_surface(
    axes: &[Axis],
    more_is_better: bool,
    score: &mut dyn FnMut(&[f64]) -> Result<Option<f64>>,
) -> Result<Searched> {
    search(&axes.iter().map(range).collect::<Result<Vec<_>>>()?, most(axes), more_is_better, score)
}

/// As many points as the grid has, but no fewer than the design and one more.
fn most(axes: &[Axis]) -> usize {
    let points = axes.iter().fold(1_usize, |n, a| n.saturating_mul(a.values.len()));
    points.max(design_size(axes.len()) + 1)
}

fn search(
    ranges: &[Range],
    most: usize,
    more_is_better: bool,
    score: &mut dyn FnMut(&[f64]) -> Result<Option<f64>>,
) -> Result<Searched> {
    let sign = if more_is_better { -1.0 } else { 1.0 };
    let places = vec![UNIT; ranges.len()];
    let found = minimise(&places, Limits { tol: TOL, most }, &mut |units| {
        let numbers: Vec<f64> = ranges.iter().zip(units).map(|(r, u)| r.value(*u)).collect();
        Ok(score(&numbers)?.map(|s| sign * s))
    })?;
    let predicted = found.trace.iter().map(|p| p.predicted.map(|v| sign * v)).collect();
    Ok(Searched { best: found.best, predicted, ended: found.ended, most })
}

/// A method and the ranges of its numbers.
#[derive(Debug, Clone)]
pub(super) struct Surface {
    base: Mkl,
    axes: Vec<Axis>,
    ranges: Vec<Range>,
    most: usize,
}

impl Surface {
    /// The box from the least to the largest value of each axis.
    pub fn new(base: &Mkl, axes: Vec<Axis>) -> Result<Self> {
        let ranges: Vec<Range> = axes.iter().map(range).collect::<Result<_>>()?;
        for (axis, r) in axes.iter().zip(&ranges) {
            for v in [r.low, r.high] {
                given(base, &axis.name, v)?;
            }
        }
        let most = most(&axes);
        Ok(Surface { base: base.clone(), axes, ranges, most })
    }

    pub fn base(&self) -> &Mkl {
        &self.base
    }

    fn at(&self, numbers: &[f64]) -> Result<(Vec<(String, Value)>, Mkl)> {
        let mut mkl = self.base.clone();
        let mut values = Vec::new();
        for (axis, v) in self.axes.iter().zip(numbers) {
            let value;
            (value, mkl) = given(&mkl, &axis.name, *v)?;
            values.push((axis.name.clone(), value));
        }
        Ok((values, mkl))
    }

    /// The best of what the surface proposes.
    pub fn choose(&self, inner: &Inner<'_>) -> Result<Tuned> {
        let splits = &inner.splits.splits;
        inner.begin((self.most * splits.len()) as u64);
        // The kernels of all splits at once where C alone changes.
        let shared = self.axes.iter().all(|a| a.name == COST);
        let at_once = if shared { splits.len() } else { 1 };
        let mut kept: Vec<Option<(Prepared, Learned)>> = splits.iter().map(|_| None).collect();
        let (mut tried, mut done) = (Vec::<Tried>::new(), 0);
        let better = inner.more_is_better();
        let found = search(&self.ranges, self.most, better, &mut |numbers| {
            let (values, mkl) = self.at(numbers)?;
            let (mut scores, mut statuses) = (Vec::new(), Vec::new());
            for (split, kept) in splits.iter().zip(&mut kept) {
                let split: &Split = &*split.learned_from(&mkl, inner.labels())?;
                let (prepared, start) = match kept.take() {
                    Some((prepared, learned)) => (prepared, Some(learned)),
                    None => match inner.prepare(&mkl, split, at_once)? {
                        Some(prepared) => (prepared, None),
                        None => return Ok(None),
                    },
                };
                let Some(Fitted { score, status, learned }) =
                    inner.fit(&mkl, &prepared, start.as_ref(), split)?
                else {
                    return Ok(None);
                };
                scores.push(score);
                statuses.push(status);
                *kept = shared.then_some((prepared, learned));
                done += 1;
                inner.run.tell(Event::Step { done, message: &text(&values) });
            }
            let score = Stat::new(scores);
            let mean = score.mean;
            tried.push(Tried { values, score, status: worst(statuses), predicted: None });
            Ok(Some(mean))
        })?;
        inner.run.tell(Event::End);
        for (tried, predicted) in tried.iter_mut().zip(&found.predicted) {
            tried.predicted = *predicted;
        }
        let Some(best) = found.best else { return Err(inner.stopped()) };
        let mut remarks = Vec::new();
        let (status, evaluated) = (found.ended, tried.len());
        let status = match status {
            Ended::Stopped => {
                remarks.push(format!(
                    "stopped early, after {evaluated} points of the response surface"
                ));
                inner.status()
            }
            Ended::Limit => {
                remarks.push(format!(
                    "the response surface ended at its limit of {} points, as many as the grid has",
                    self.most
                ));
                Status::IterationLimit
            }
            Ended::Flat => {
                remarks.push("all points of the response surface have the same score".to_string());
                Status::Converged
            }
            Ended::Settled | Ended::Failed => Status::Converged,
        };
        let mkl = self.at(&numbers_of(&tried[best]))?.1;
        let (score, splits, seed) = (inner.by.id, splits.len(), inner.run.seed);
        Ok(Tuned {
            score,
            splits,
            seed,
            search: Search::Surface,
            best,
            tried,
            status,
            remarks,
            mkl,
        })
    }
}

fn numbers_of(tried: &Tried) -> Vec<f64> {
    tried.values.iter().filter_map(|(_, v)| real(v)).collect()
}

/// A learner with this number, or the nearest whole one where it takes no other.
fn given(mkl: &Mkl, name: &str, number: f64) -> Result<(Value, Mkl)> {
    let real = Value::Real(number);
    let refused = match mkl.with(name, &real) {
        Ok(found) => return Ok((real, found)),
        Err(e) => e,
    };
    let whole = Value::Int(number.round() as i64);
    mkl.with(name, &whole).map(|found| (whole, found)).map_err(|_| refused)
}

/// The range of a number.
#[derive(Debug, Clone, Copy)]
struct Range {
    low: f64,
    high: f64,
    scale: Scale,
}

impl Range {
    /// The number at a place between 0 and 1, with three digits, as people write it.
    fn value(&self, place: f64) -> f64 {
        let Range { low, high, scale } = *self;
        let raw = match scale {
            Scale::Log10 => 10_f64.powf(low.log10() + place * (high.log10() - low.log10())),
            Scale::Linear => low + place * (high - low),
        };
        format!("{raw:.2e}").parse().unwrap_or(raw).clamp(low, high)
    }
}

/// The range of an axis.
fn range(axis: &Axis) -> Result<Range> {
    let numbers: Option<Vec<f64>> = axis.values.iter().map(real).collect();
    let Some(numbers) = numbers.filter(|n| n.len() > 1) else {
        let problem = format!(
            "{}: a surface needs two numbers or more, the ends of a range; words and single values are for the grid",
            axis.name
        );
        return Err(Error::parameter("tune", problem));
    };
    if let Some(wrong) = numbers.iter().find(|n| !n.is_finite()) {
        let problem = format!("{}: expected finite numbers, found {wrong}", axis.name);
        return Err(Error::parameter("tune", problem));
    }
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let scale = if low > 0.0 && high >= 10.0 * low { Scale::Log10 } else { Scale::Linear };
    Ok(Range { low, high, scale })
}
