//! Response-surface search: the least of a function of a few numbers that is dear to evaluate, and noisy.
//!
//! ```text
//! f̂(u) = β₀ + Σ_i β_i u_i + Σ_{i≤j} β_ij u_i u_j,      u_i = (x_i − x_i⁰)/Δ_i
//! ```
//!
//! (Myers and Montgomery, *Response Surface Methodology*, 2002; LMKA §2.7.1 and Figure 2.3.) x_i is log₁₀ of number i, or
//! the number itself. The second-order Koshal design comes first: the centre, a step Δ up and down along each of the P
//! numbers, and a step up along each pair: (P + 1)(P + 2)/2 points, as many as f̂ has coefficients. Then f̂ is fitted to
//! all points by least squares, its least point is evaluated and joins them, and so on.
//!
//! | symbol | name |
//! |---|---|
//! | x⁰, Δ | `start`, `step` of a [`Factor`] |
//! | ε, the most evaluations | `tol`, `most` of [`Limits`] |
//! | β | `Quadratic` |
//!
//! **Stops.** Where the least point of f̂ is nearer than ε to the last point (Figure 2.3) or to the best one; where all
//! responses are equal, which leaves no direction to go; at the limit on evaluations.
//!
//! **Where the paper leaves it open.** The least point of f̂ is that in the box and within a region of trust around the
//! best point, two steps wide at first: f̂ need not be convex, and says little far from its points. The region is halved
//! where the new response keeps less than a tenth of what f̂ promised, and doubled where it keeps three quarters at the
//! edge of the region. A ridge of 10⁻⁹ per point makes the fit unique where points coincide or are missing (a limit
//! below the size of the design). A failed evaluation (not a number) counts as the worst response so far. Best is the
//! least response; among equal ones, as shares of wrong answers often are, the one where f̂ is least.
//!
//! **Cost** beside the evaluations: P⁶ operations for each fit, as f̂ has about P²/2 coefficients.

use crate::{Error, Result};
use quadratic::Quadratic;

mod quadratic;
#[cfg(test)]
mod tests;

/// In which coordinate a number is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// log₁₀, for numbers above 0.
    Log10,
    /// The number itself.
    Linear,
}

/// One of the numbers that are searched for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor {
    /// The least value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
    /// The value of the centre of the design.
    pub start: f64,
    /// Δ, in the coordinate of `scale`: 0.3 is a factor of 2 for `Log10`.
    pub step: f64,
    /// The coordinate.
    pub scale: Scale,
}

impl Factor {
    /// From 10^−reach to 10^reach around 1.
    pub fn log10(reach: f64, step: f64) -> Self {
        let (low, high) = (10_f64.powf(-reach), 10_f64.powf(reach));
        Factor { low, high, start: 1.0, step, scale: Scale::Log10 }
    }

    fn coordinate(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Log10 => value.log10(),
            Scale::Linear => value,
        }
    }

    /// The value at a coordinate, never outside the box.
    fn value(&self, coordinate: f64) -> f64 {
        let value = match self.scale {
            Scale::Log10 => 10_f64.powf(coordinate),
            Scale::Linear => coordinate,
        };
        value.clamp(self.low, self.high)
    }

    fn check(&self) -> Result<()> {
        let Factor { low, high, start, step, scale } = *self;
        let ends = if scale == Scale::Log10 { "numbers above 0" } else { "finite numbers" };
        let usable = |v: f64| v.is_finite() && (scale == Scale::Linear || v > 0.0);
        if ![low, high, start].into_iter().all(usable) || low > start || start > high {
            let problem =
                format!("expected low ≤ start ≤ high, all {ends}, found {low}, {start} and {high}");
            return Err(Error::parameter("factor", problem));
        }
        if !(step > 0.0 && step.is_finite()) {
            return Err(Error::parameter(
                "step",
                format!("expected a number above 0, found {step}"),
            ));
        }
        Ok(())
    }

    /// Coordinates of the two other levels of the design, the one of pairs first; none if there is no room.
    fn levels(&self) -> Vec<f64> {
        let [low, high, start] = [self.low, self.high, self.start].map(|v| self.coordinate(v));
        let step = self.step;
        if high <= low {
            return Vec::new();
        }
        let (up, down) = ((start + step).min(high), (start - step).max(low));
        // Where the centre is next to an end, both levels are on the other side of it.
        if up - start < 0.25 * step {
            return vec![down, (start - 2.0 * step).max(low)];
        }
        if start - down < 0.25 * step {
            return vec![up, (start + 2.0 * step).min(high)];
        }
        vec![up, down]
    }
}

/// When the search ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// ε: the length of a step, in the coordinates, that is no step.
    pub tol: f64,
    /// Most evaluations, at least 1.
    pub most: usize,
}

/// One evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The numbers.
    pub values: Vec<f64>,
    /// What was found; not a number where the evaluation failed.
    pub response: f64,
    /// What the surface said before; `None` for points of the design.
    pub predicted: Option<f64>,
    /// Whether the response kept a tenth of the promise of the surface; `None` for points of the design.
    pub trusted: Option<bool>,
}

/// Why the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The surface proposes no other point.
    Settled,
    /// All responses are equal.
    Flat,
    /// The limit on evaluations came first.
    Limit,
    /// The evaluations were stopped.
    Stopped,
    /// No evaluation gave a number.
    Failed,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// All evaluations in order.
    pub trace: Vec<Evaluation>,
    /// Which of them is best; `None` if none gave a number.
    pub best: Option<usize>,
    /// The last that gave a number: where Figure 2.3 ends.
    pub last: Option<usize>,
    /// Why it ended.
    pub ended: Ended,
}

impl Found {
    /// The least response so far, after each evaluation that gave one.
    pub fn least_so_far(&self) -> Vec<f64> {
        let numbers = self.trace.iter().map(|e| e.response).filter(|r| r.is_finite());
        let mut least = f64::INFINITY;
        numbers
            .map(|r| {
                least = least.min(r);
                least
            })
            .collect()
    }
}

/// Number of points of the design for this many numbers with room to move.
pub fn design_size(factors: usize) -> usize {
    (factors + 1) * (factors + 2) / 2
}

/// Looks for the least response. `evaluate` gives it for the numbers; not a number where it failed, `None` to stop.
///
/// # Errors
/// Factors without order, a step or a limit of 0; what `evaluate` says.
pub fn minimise(
    factors: &[Factor],
    limits: Limits,
    evaluate: &mut dyn FnMut(&[f64]) -> Result<Option<f64>>,
) -> Result<Found> {
    factors.iter().try_for_each(Factor::check)?;
    if limits.most == 0 {
        return Err(Error::parameter("most", "expected at least 1 evaluation, found 0"));
    }
    let mut search = Search { factors, points: Vec::new(), trace: Vec::new() };
    let ended = search.run(limits, evaluate)?;
    let last = search.trace.iter().rposition(|e| e.response.is_finite());
    let best = last.map(|_| search.best(search.fit().as_ref()));
    Ok(Found { trace: search.trace, best, last, ended })
}

struct Search<'a> {
    factors: &'a [Factor],
    /// Coordinates of `trace`.
    points: Vec<Vec<f64>>,
    trace: Vec<Evaluation>,
}

/// Part of what was promised below which the surface is not trusted, and from which it is trusted farther.
const POOR: f64 = 0.1;
const GOOD: f64 = 0.75;

impl Search<'_> {
    fn run(
        &mut self,
        limits: Limits,
        evaluate: &mut dyn FnMut(&[f64]) -> Result<Option<f64>>,
    ) -> Result<Ended> {
        for point in design(self.factors) {
            if self.trace.len() >= limits.most {
                return Ok(self.end(Ended::Limit));
            }
            if self.add(point, None, evaluate)?.is_none() {
                return Ok(self.end(Ended::Stopped));
            }
        }
        // Steps within which the surface is trusted.
        let mut reach = 2.0;
        loop {
            let Some(fit) = self.fit() else { return Ok(self.end(Ended::Flat)) };
            let from = self.best(Some(&fit));
            let (point, at_edge) = self.propose(&fit, from, reach);
            let near = |k: usize| distance(&self.points[k], &point) <= limits.tol;
            if near(from) || near(self.points.len() - 1) {
                return Ok(Ended::Settled);
            }
            if (0..self.points.len()).any(near) {
                // A response that is known already, and worse: nothing is learned there.
                reach *= 0.5;
                continue;
            }
            if self.trace.len() >= limits.most {
                return Ok(Ended::Limit);
            }
            let predicted = fit.at(&self.steps(&point));
            let promised = fit.at(&self.steps(&self.points[from])) - predicted;
            let before = self.trace[from].response;
            let Some(response) = self.add(point, Some(predicted), evaluate)? else {
                return Ok(Ended::Stopped);
            };
            let kept = (before - response) / promised;
            let trusted = kept >= POOR;
            if let Some(last) = self.trace.last_mut() {
                last.trusted = Some(trusted);
            }
            if !trusted {
                reach *= 0.5;
            } else if kept >= GOOD && at_edge {
                reach *= 2.0;
            }
        }
    }

    /// How it ends, unless there is no response at all.
    fn end(&self, how: Ended) -> Ended {
        match self.trace.iter().any(|e| e.response.is_finite()) || how == Ended::Stopped {
            true => how,
            false => Ended::Failed,
        }
    }

    fn add(
        &mut self,
        point: Vec<f64>,
        predicted: Option<f64>,
        evaluate: &mut dyn FnMut(&[f64]) -> Result<Option<f64>>,
    ) -> Result<Option<f64>> {
        let values: Vec<f64> = self.factors.iter().zip(&point).map(|(f, x)| f.value(*x)).collect();
        let Some(found) = evaluate(&values)? else { return Ok(None) };
        let response = if found.is_finite() { found } else { f64::NAN };
        self.points.push(point);
        self.trace.push(Evaluation { values, response, predicted, trusted: None });
        Ok(Some(response))
    }

    /// In steps from the centre.
    fn steps(&self, point: &[f64]) -> Vec<f64> {
        let of = |(x, f): (&f64, &Factor)| (x - f.coordinate(f.start)) / f.step;
        point.iter().zip(self.factors).map(of).collect()
    }

    /// The surface through all points; `None` if all responses are equal, or there is none.
    fn fit(&self) -> Option<Quadratic> {
        let known = self.trace.iter().map(|e| e.response).filter(|r| r.is_finite());
        let (low, high) =
            known.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), r| (a.min(r), b.max(r)));
        let even = 4.0 * f64::EPSILON * low.abs().max(high.abs());
        if low.is_infinite() || high - low <= even {
            return None;
        }
        let response = |e: &Evaluation| if e.response.is_finite() { e.response } else { high };
        let responses: Vec<f64> = self.trace.iter().map(response).collect();
        let points: Vec<Vec<f64>> = self.points.iter().map(|p| self.steps(p)).collect();
        Quadratic::fit(&points, &responses, high - low)
    }

    /// The least response; of several equal ones that where the surface is least, else the first.
    fn best(&self, fit: Option<&Quadratic>) -> usize {
        let surface = |k: usize| fit.map_or(0.0, |f| f.at(&self.steps(&self.points[k])));
        let response = |k: usize| match self.trace[k].response {
            r if r.is_finite() => r,
            _ => f64::INFINITY,
        };
        let mut best = 0;
        for k in 1..self.trace.len() {
            let tied = response(k) == response(best) && surface(k) < surface(best);
            if response(k) < response(best) || tied {
                best = k;
            }
        }
        best
    }

    /// The least point of the surface in the box and in the region of trust around a point, and whether it is at the
    /// edge of that region within the box.
    fn propose(&self, fit: &Quadratic, from: usize, reach: f64) -> (Vec<f64>, bool) {
        let centre = self.steps(&self.points[from]);
        let end = |f: &Factor, value: f64| (f.coordinate(value) - f.coordinate(f.start)) / f.step;
        let ends = self.factors.iter().zip(&centre);
        let region: Vec<(f64, f64)> = ends
            .map(|(f, c)| (end(f, f.low).max(c - reach), end(f, f.high).min(c + reach)))
            .collect();
        let starts = self.points.iter().map(|p| self.steps(p));
        let found = fit.least_in(&region, std::iter::once(centre.clone()).chain(starts));
        let at_edge = found.iter().zip(&centre).any(|(u, c)| (u - c).abs() >= 0.999 * reach);
        let back = |(u, f): (&f64, &Factor)| f.coordinate(f.start) + u * f.step;
        (found.iter().zip(self.factors).map(back).collect(), at_edge)
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

/// The second-order Koshal design in coordinates: the centre, two levels of each number, one point of each pair.
fn design(factors: &[Factor]) -> Vec<Vec<f64>> {
    let centre: Vec<f64> = factors.iter().map(|f| f.coordinate(f.start)).collect();
    let levels: Vec<Vec<f64>> = factors.iter().map(Factor::levels).collect();
    let with = |changes: &[(usize, f64)]| {
        let mut point = centre.clone();
        changes.iter().for_each(|(i, x)| point[*i] = *x);
        point
    };
    let mut points = vec![with(&[])];
    for (i, levels) in levels.iter().enumerate() {
        points.extend(levels.iter().map(|x| with(&[(i, *x)])));
    }
    for i in 0..factors.len() {
        for j in i + 1..factors.len() {
            if let (Some(a), Some(b)) = (levels[i].first(), levels[j].first()) {
                points.push(with(&[(i, *a), (j, *b)]));
            }
        }
    }
    points
}
