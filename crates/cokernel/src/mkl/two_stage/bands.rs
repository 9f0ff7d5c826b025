//! The pair problem on many K-examples: the interior-point method on the few that matter.
//!
//! At the best weights so far an example is *in* its hinge (margin below 1), *out* of it, or in the *band*: its kink
//! lies near. Those in are summed to one example, those out to another, and the small problem of the band and these two
//! is solved:
//!
//! ```text
//! min over μ ≥ 0    Ω(μ) + Σ_band w_p [1 − a_pμ]₊ + [Σ_in w_p (1 − a_pμ)]₊ + [Σ_out w_p (1 − a_pμ)]₊
//! ```
//!
//! A sum of hinges is at least the hinge of the sum, so that nowhere is this more than the objective: its lower bound is
//! one of the whole problem, and at the best weights both are the same. Then an exact search between these and the
//! answer, and the next band: what lies near, and what crossed its kink on the way. Where nothing crosses both
//! problems agree and the gap is closed. From the fourth round on the band keeps what it had, so that the rounds end.
//!
//! **Cost** of a round: two products with A, P M each, and the interior-point method on the band.

use super::examples::{Examples, loss};
use super::interior::{Program, SMALL, solve};
use crate::{Status, Watch};

/// Examples of the band for each kernel, the fewest and the most of them. On 819 products 1024 take a quarter of the time
/// that 4096 take.
const EACH: usize = 24;
const LEAST: usize = 512;
const MOST: usize = 1_024;

/// Rounds after which the band only grows, and after which it is over.
const FRESH: usize = 3;
const ROUNDS: usize = 60;

/// How much further than the given weights the first search looks: the next λ of the grid has weights up to 4 times
/// as large.
const FURTHER: f64 = 8.0;

/// How much nearer than the whole the small problem is solved.
const NEARER: f64 = 0.25;

/// What was found.
#[derive(Debug)]
pub(in crate::mkl) struct Found {
    pub mu: Vec<f64>,
    /// A μ.
    pub margins: Vec<f64>,
    /// The objective at the start and after each round.
    pub objective: Vec<f64>,
    /// What no weights are below.
    pub lower: f64,
    pub status: Status,
}

impl Found {
    /// The least objective.
    pub fn value(&self) -> f64 {
        self.objective[self.objective.len() - 1]
    }

    /// The relative duality gap.
    pub fn gap(&self) -> f64 {
        (self.value() - self.lower).max(0.0) / self.value().max(f64::MIN_POSITIVE)
    }

    /// Whether it is near enough: of an objective that is almost 0 to `tol` of [`SMALL`].
    fn is_near(&self, tol: f64) -> bool {
        self.value() - self.lower <= tol * self.value().max(SMALL)
    }
}

impl Found {
    /// Takes weights away whose absence does not raise the objective, such as those of kernels that are 0.
    pub fn drop_useless(&mut self, program: Program<'_>) {
        let Program { examples, weights, penalty } = program;
        let mut value = self.value();
        for k in 0..self.mu.len() {
            let without = |p: usize| self.margins[p] - self.mu[k] * examples.row(p)[k];
            let hinge = |p: usize| weights[p] * (1.0 - without(p)).max(0.0);
            if self.mu[k] == 0.0 {
                continue;
            }
            let mut mu = self.mu.clone();
            mu[k] = 0.0;
            let there = penalty.value(&mu) + (0..weights.len()).map(hinge).sum::<f64>();
            if there <= value {
                self.margins = (0..weights.len()).map(without).collect();
                (self.mu, value) = (mu, there);
            }
        }
        if let Some(last) = self.objective.last_mut() {
            *last = value;
        }
    }
}

/// Weights with their margins, to start from.
pub(in crate::mkl) type Near<'a> = Option<(&'a [f64], &'a [f64])>;

/// Minimises to a relative gap of `tol`, from the best multiple of what is near. Examples of weight 0
/// get a margin and nothing else.
pub(in crate::mkl) fn minimize(
    program: Program<'_>,
    near: Near<'_>,
    tol: f64,
    watch: &Watch,
) -> Found {
    let Program { examples, weights, penalty } = program;
    let mut found = start(program, near);
    let mut band = vec![false; examples.len()];
    let mut other: Option<Vec<f64>> = None;
    for round in 0..ROUNDS {
        if let Some(status) = watch.stop() {
            found.status = status;
            break;
        }
        widen(&mut band, program, &found.margins, other.as_deref(), round > FRESH);
        let small = Small::new(program, &found.margins, &band);
        let part = solve(small.program(program), found.mu.clone(), NEARER * tol, watch);
        found.lower = found.lower.max(part.lower);
        let margins = examples.margins(&part.mu);
        let way = Way { program, from: (&found.mu, &found.margins), to: (&part.mu, &margins) };
        let length = way.best();
        let mix = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| a + length * (b - a)).collect()
        };
        let (mu, between) = match length {
            1.0 => (part.mu.clone(), margins.clone()),
            _ => (mix(&found.mu, &part.mu), mix(&found.margins, &margins)),
        };
        let value = penalty.value(&mu) + loss(&between, weights);
        other = Some(margins);
        found.objective.push(value.min(found.value()));
        if value < found.objective[found.objective.len() - 2] {
            let before = std::mem::replace(&mut found.margins, between);
            found.mu = mu;
            if length == 1.0 {
                other = Some(before);
            }
        }
        found.status = match found.is_near(tol) {
            true => Status::Converged,
            false if part.status.is_success() => Status::Stalled,
            false => part.status,
        };
        let all = band.iter().zip(weights).all(|(b, w)| *b || *w == 0.0);
        if found.status == Status::Converged || all {
            break;
        }
    }
    found
}

/// The best point on the ray through what is near, up to [`FURTHER`] times it; else on that of steepest descent.
fn start(program: Program<'_>, near: Near<'_>) -> Found {
    let Program { examples, weights, penalty } = program;
    let Some((mu, margins)) = near.filter(|(mu, _)| mu.iter().any(|v| *v > 0.0)) else {
        let mu = examples.steepest(weights, penalty);
        let margins = examples.margins(&mu);
        let objective = vec![penalty.value(&mu) + loss(&margins, weights)];
        return Found { mu, margins, objective, lower: 0.0, status: Status::Converged };
    };
    let (zero, none) = (vec![0.0; mu.len()], vec![0.0; examples.len()]);
    let times = |v: &[f64], by: f64| v.iter().map(|v| by * v).collect::<Vec<f64>>();
    let (far, margins) = (times(mu, FURTHER), times(margins, FURTHER));
    let length = Way { program, from: (&zero, &none), to: (&far, &margins) }.best();
    let (mu, margins) = (times(&far, length), times(&margins, length));
    let value = penalty.value(&mu) + loss(&margins, weights);
    Found { mu, margins, objective: vec![value], lower: 0.0, status: Status::Converged }
}

/// Marks the examples whose kinks are near `margins` or between these and `other`.
fn widen(
    band: &mut [bool],
    program: Program<'_>,
    margins: &[f64],
    other: Option<&[f64]>,
    keep: bool,
) {
    let counted = (EACH * program.examples.kernels()).clamp(LEAST, MOST).min(band.len());
    let distance = |p: usize| match program.weights[p] > 0.0 {
        true => (1.0 - margins[p]).abs(),
        false => f64::INFINITY,
    };
    let distances: Vec<f64> = (0..band.len()).map(distance).collect();
    let mut nearest: Vec<u32> = (0..band.len() as u32).collect();
    if counted < band.len() {
        let by = |a: &u32, b: &u32| distances[*a as usize].total_cmp(&distances[*b as usize]);
        nearest.select_nth_unstable_by(counted, by);
    }
    for p in 0..band.len() {
        let crosses = other.is_some_and(|o| (margins[p] < 1.0) != (o[p] < 1.0));
        band[p] = program.weights[p] > 0.0 && (crosses || keep && band[p]);
    }
    for p in nearest[..counted].iter().map(|p| *p as usize) {
        band[p] = program.weights[p] > 0.0;
    }
}

/// The examples of a band with those in and those out as one each.
struct Small {
    examples: Examples,
    weights: Vec<f64>,
}

impl Small {
    fn new(program: Program<'_>, margins: &[f64], band: &[bool]) -> Self {
        let (whole, weights) = (program.examples, program.weights);
        let mut small = Small { examples: Examples::new(whole.kernels()), weights: Vec::new() };
        for p in (0..band.len()).filter(|p| band[*p]) {
            small.examples.push(whole.row(p), 1.0);
            small.weights.push(weights[p]);
        }
        for inside in [true, false] {
            let of = |p: usize| !band[p] && (margins[p] < 1.0) == inside;
            let some: Vec<f64> =
                (0..band.len()).map(|p| if of(p) { weights[p] } else { 0.0 }).collect();
            let total: f64 = some.iter().sum();
            if total > 0.0 {
                let mean: Vec<f64> = whole.pull(&some).iter().map(|v| v / total).collect();
                small.examples.push(&mean, 1.0);
                small.weights.push(total);
            }
        }
        small
    }

    fn program<'a>(&'a self, whole: Program<'a>) -> Program<'a> {
        Program { examples: &self.examples, weights: &self.weights, ..whole }
    }
}

/// The way from one place to another, each with its margins.
struct Way<'a> {
    program: Program<'a>,
    from: (&'a [f64], &'a [f64]),
    to: (&'a [f64], &'a [f64]),
}

impl Way<'_> {
    /// The part of it, up to 1, after which the objective is least.
    fn best(&self) -> f64 {
        let ((mu, m), (to, n)) = (self.from, self.to);
        let d: Vec<f64> = mu.iter().zip(to).map(|(a, b)| b - a).collect();
        let along = |x: &[f64]| d.iter().zip(x).map(|(d, x)| d * x).sum::<f64>();
        let penalty = self.program.penalty;
        let mut fixed = penalty.linear() * d.iter().sum::<f64>() + penalty.curvature() * along(mu);
        // The slope at t is fixed + t bend − Σ w d over those in their hinge: for those that turn between low and high
        // by their kinks, for the others in `fixed`.
        let mut turning = Vec::new();
        for ((m, n), w) in m.iter().zip(n).zip(self.program.weights).filter(|(_, w)| **w > 0.0) {
            match (*m < 1.0, *n < 1.0) {
                (true, true) => fixed -= w * (n - m),
                (false, false) => {}
                _ => turning.push((*m, n - m, *w)),
            }
        }
        let bend = penalty.curvature() * along(&d);
        let inside = |(m, d, _): &(f64, f64, f64), t: f64| m + t * d < 1.0;
        let slope = |fixed: f64, turning: &[(f64, f64, f64)], t: f64| {
            let active = turning.iter().filter(|row| inside(row, t));
            fixed + t * bend - active.map(|(_, d, w)| w * d).sum::<f64>()
        };
        if slope(fixed, &turning, 1.0) <= 0.0 {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        while high - low > 1e-12 {
            let middle = 0.5 * (low + high);
            match slope(fixed, &turning, middle) < 0.0 {
                true => low = middle,
                false => high = middle,
            }
            turning.retain(|row| {
                let turns = inside(row, low) != inside(row, high);
                if !turns && inside(row, low) {
                    fixed -= row.2 * row.1;
                }
                turns
            });
        }
        low
    }
}
