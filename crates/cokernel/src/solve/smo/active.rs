//! Steps over the active variables: a pair at a time (`step`), each of them one half of itself where there is
//! a kink (`sides`), and fewer of them as they settle at their bounds (`aside`).

mod aside;
mod sides;
mod step;

use super::cache::{Cache, Real};
use super::conjugate::Line;
use super::gap::{Measure, View, measure, multiple};
use super::halves::{Halves, Problem, Sides};
use super::passes::{self, Gradient, LANES, Level};
use super::point::{Full, relative, scaled_objective};
use super::progress::Fruit;
use super::{NOISE, Settings};
use crate::{Status, Watch};
use aside::alive;
use step::Step;

/// Why the steps ended.
pub(super) enum End {
    /// The gap over the active variables is small enough.
    Reached,
    /// The next step would change nothing in this precision.
    NoProgress,
    /// Steps bring little.
    Slow,
    /// Enough steps to try something else.
    Long,
    /// x has become so large that rounding hides the conditions.
    Noise,
    /// The rounding of f in f32 would hide what is left of the gap.
    Coarse,
    /// Rows come back often enough, or few enough variables are left, to keep rows in f32.
    Settled,
    /// A limit or the user.
    Halted(Status),
}

/// Rows in use by a first round, which reads stored rows once in f64.
struct Trial {
    seen: Vec<bool>,
    distinct: u64,
    requests: u64,
}

/// Curvature that stands for a non-positive one, relative to the largest diagonal entry.
const TAU: f64 = 1e-12;

/// Requests for each row after which a first round ends: with a kink variables move more often before
/// they can be set aside, and most are nearly solved by then.
const OFTEN: f64 = 1.4;
const OFTEN_AT_KINKS: f64 = 5.6;

/// Rounding of f in f32 after many steps, relative to its size.
const DRIFT: f64 = 4e-6;

/// Looks without progress after which a round ends, beside a quarter of those before; and how many
/// a round has at most.
const FRUITLESS: u64 = 20;
const LOOKS: u64 = 2000;

/// The active variables, side by side, with their cached rows. Everything is divided by the unit
/// of K (a power of two, so nothing is rounded): K/unit, unit·x, unit·bounds, and f as it is.
pub(super) struct Active<T, G> {
    unit: f64,
    /// Number of each active variable in the whole problem, ascending.
    index: Vec<u32>,
    x: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    linear: Vec<f64>,
    /// Whether a variable that is not active is not 0.
    others: bool,
    /// Padded, as are `diagonal`, `up` and `low`.
    f: Vec<G>,
    diagonal: Vec<G>,
    /// The same in f64, not padded.
    own: Vec<f64>,
    up: Vec<u8>,
    low: Vec<u8>,
    cache: Cache<T>,
    /// Whether `index` is every variable of the problem.
    all: bool,
    shrinking: bool,
    max_steps: u64,
    tau: f64,
    /// As in [`Full`].
    magnitude: f64,
    level: Level,
    trial: Option<Trial>,
    /// Of a problem with a kink: `x`, `f` and all else are those of one half of each variable.
    sides: Option<Sides>,
    /// Of conjugate steps.
    line: Option<Line<G>>,
    /// Steps after which steps are conjugate; none where they never are.
    conjugate_after: Option<u64>,
    /// Steps at which a round ends in any case.
    until: u64,
}

fn padded(m: usize) -> usize {
    m.div_ceil(LANES) * LANES
}

fn set(bits: &mut [u8], k: usize, value: bool) {
    let mask = 1 << (k % 8);
    if value { bits[k / 8] |= mask } else { bits[k / 8] &= !mask }
}

impl<T: Real, G: Gradient> Active<T, G> {
    pub fn new(
        p: &Problem<'_>,
        full: &Full,
        diagonal: &[f64],
        found: &Measure,
        settings: &Settings,
    ) -> Self {
        let n = full.x.len();
        let living = |i: usize, f: f64, lower: f64, upper: f64| {
            alive(full.x[i], f, lower, upper, found.min_up, found.max_low)
        };
        let keep = |i: &usize| {
            let (i, f) = (*i, full.gradient[*i]);
            let (lower, upper) = (p.lower[i], p.upper[i]);
            lower < upper
                && (!settings.shrinking
                    || match p.kink {
                        Some(kink) if full.x[i] == 0.0 => {
                            living(i, f + kink, 0.0, upper) || living(i, f - kink, lower, 0.0)
                        }
                        _ => {
                            let (lower, upper) = p.bounds(i, full.x[i]);
                            living(i, f + p.kink_slope(full.x[i]), lower, upper)
                        }
                    })
        };
        let kept: Vec<usize> = (0..n).filter(keep).collect();
        let m = kept.len();
        let pick = |from: &[f64], by: f64| kept.iter().map(|&i| by * from[i]).collect::<Vec<f64>>();
        let unit = full.unit;
        let mut f: Vec<G> = kept.iter().map(|&i| G::of(full.gradient[i])).collect();
        let entries: Vec<f64> = kept.iter().map(|&i| T::round(diagonal[i] / unit)).collect();
        let largest = entries.iter().fold(0.0_f64, |a, d| a.max(d.abs()));
        let mut diagonal: Vec<G> = entries.iter().map(|d| G::of(*d)).collect();
        let moved = full.x.iter().filter(|x| **x != 0.0).count();
        f.resize(padded(m), G::default());
        diagonal.resize(padded(m), G::default());
        let mut active = Active {
            unit,
            index: kept.iter().map(|&i| i as u32).collect(),
            others: kept.iter().filter(|&&i| full.x[i] != 0.0).count() < moved,
            x: pick(&full.x, unit),
            lower: pick(p.lower, unit),
            upper: pick(p.upper, unit),
            linear: pick(p.linear, 1.0),
            f,
            tau: TAU * largest.max(f64::MIN_POSITIVE),
            diagonal,
            own: entries,
            up: vec![0; padded(m) / 8],
            low: vec![0; padded(m) / 8],
            cache: Cache::new(m, padded(m), settings.cache, unit),
            all: m == n,
            magnitude: full.magnitude,
            shrinking: settings.shrinking,
            max_steps: settings.max_steps,
            level: Level::detect(),
            trial: None,
            sides: None,
            line: None,
            conjugate_after: None,
            until: u64::MAX,
        };
        if let Some(kink) = p.kink {
            active.take_sides(kink, found);
        }
        (0..m).for_each(|k| active.mark(k));
        active
    }

    /// A first round over all variables: ends when rows are better kept in f32. Its gradient is
    /// exact, so the rows it reads need not be read again. Only for stored rows.
    pub fn first_round(mut self) -> Self {
        self.trial = Some(Trial { seen: vec![false; self.index.len()], distinct: 0, requests: 0 });
        self
    }

    /// Steps are conjugate once there are more of them than variables.
    pub fn with_lines(mut self, lines: bool) -> Self {
        self.conjugate_after = lines.then_some(self.index.len() as u64);
        self
    }

    /// Ends after so many steps of the solution.
    pub fn until(mut self, steps: u64) -> Self {
        self.until = steps;
        self
    }

    fn mark(&mut self, k: usize) {
        set(&mut self.up, k, self.x[k] < self.upper[k]);
        set(&mut self.low, k, self.x[k] > self.lower[k]);
    }

    /// Steps until the relative gap over the active variables is at most `aim`, or as long as they
    /// bring it down; writes x back, and the gradient where it is exact.
    pub fn run(
        mut self,
        p: &Problem<'_>,
        objective: f64,
        aim: f64,
        steps: &mut u64,
        full: &mut Full,
        watch: &Watch,
    ) -> End {
        let mut best = passes::first(&self.f, &self.up, &self.low);
        let mut countdown = self.interval();
        let mut objective = objective * self.unit;
        let mut fruit = Fruit::new(FRUITLESS);
        let end = loop {
            if *steps >= self.max_steps {
                break End::Halted(Status::IterationLimit);
            }
            let fetched = self.cache.fetched;
            let conjugate = self.conjugate_after.is_some_and(|after| *steps >= after);
            let optimal = match self.step(p, &mut best, &mut objective, conjugate) {
                Step::Done => false,
                Step::Optimal => true,
                Step::Void => break End::NoProgress,
            };
            if optimal && self.sides.is_none() {
                break End::Reached;
            }
            *steps += u64::from(!optimal);
            countdown = if optimal { 0 } else { countdown - 1 };
            // Computing a row can take long; looking at the clock does not.
            if (countdown == 0 || self.cache.fetched > fetched)
                && let Some(status) = watch.stop()
            {
                break End::Halted(status);
            }
            if countdown > 0 {
                continue;
            }
            let f = self.gradient();
            let halves = self.halves(&f);
            let found = match &halves {
                None => measure(&self.x, &f, &self.lower, &self.upper),
                Some(h) => measure(&h.x, &h.f, &h.lower, &h.upper),
            };
            let gap = self.gap(objective, &found, aim, &f, halves.as_ref());
            if gap <= aim {
                break End::Reached;
            }
            if G::COARSE && gap <= self.drift(objective, &found) {
                break End::Coarse;
            }
            if *steps >= self.until {
                break End::Long;
            }
            let violation = found.max_low - found.min_up;
            let rounding = self.view(&f).rounding();
            if rounding >= NOISE {
                break End::Noise;
            }
            let drift = if G::COARSE { DRIFT } else { 0.0 };
            if violation <= (rounding + drift) * self.magnitude {
                break End::NoProgress;
            }
            if fruit.none_after([gap, found.gap, violation], f64::INFINITY) || fruit.looks >= LOOKS
            {
                break End::Slow;
            }
            if self.turn_all(&found) {
                self.line = None;
                best = passes::first(&self.f, &self.up, &self.low);
            } else if optimal {
                break End::Reached;
            }
            if let Some(trial) = &self.trial {
                let often = if self.sides.is_some() { OFTEN_AT_KINKS } else { OFTEN };
                let settled = trial.requests as f64 > often * trial.distinct as f64;
                if settled || self.survivors(&found).is_some() {
                    break End::Settled;
                }
            } else if let Some(kept) = self.survivors(&found) {
                self.shrink(&kept, p, &mut full.x);
                best = passes::first(&self.f, &self.up, &self.low);
            }
            countdown = self.interval();
        };
        self.write(p, &mut full.x);
        // Where some were left out from the start, f of these is not known here.
        let n = full.gradient.len();
        if self.trial.is_some() && self.index.len() == n {
            full.gradient.copy_from_slice(&self.gradient());
            if let Some(sides) = &self.sides {
                let seen = full.gradient.iter_mut().zip(&sides.side);
                seen.for_each(|(f, side)| *f -= side * sides.kink);
            }
            full.anchor.copy_from_slice(&full.x);
        }
        end
    }

    /// f of the active variables.
    fn gradient(&self) -> Vec<f64> {
        self.f[..self.index.len()].iter().map(|v| (*v).into()).collect()
    }

    fn view<'a>(&'a self, f: &'a [f64]) -> View<'a> {
        View {
            x: &self.x,
            f,
            linear: &self.linear,
            lower: &self.lower,
            upper: &self.upper,
            diagonal: &self.own,
            magnitude: self.magnitude,
        }
    }

    /// Ten times the relative gap that the rounding of f in f32 may hide, at x or at a multiple of it.
    fn drift(&self, objective: f64, found: &Measure) -> f64 {
        let free = |k: &usize| self.lower[*k] < self.x[*k] && self.x[*k] < self.upper[*k];
        let room = |k: usize| (self.upper[k] - self.x[k]).max(self.x[k] - self.lower[k]);
        let rooms: f64 = (0..self.x.len()).filter(free).map(room).sum();
        let used: f64 = 4.0 * self.x.iter().map(|x| x.abs()).sum::<f64>();
        let error = DRIFT * self.magnitude;
        let primal = (found.gap - objective).abs().max(objective.abs());
        10.0 * error * rooms.min(used) / primal.max(f64::MIN_POSITIVE)
    }

    /// The relative gap over the active variables, of a multiple of x where that is needed.
    fn gap(
        &self,
        objective: f64,
        found: &Measure,
        aim: f64,
        f: &[f64],
        halves: Option<&Halves>,
    ) -> f64 {
        let plain = relative(objective, found.gap);
        if plain <= aim || self.others {
            return plain;
        }
        let own = self.view(f);
        let best = match halves {
            None => multiple(&own),
            Some(h) => {
                let diagonal = &own.diagonal.repeat(2);
                multiple(&View { diagonal, ..h.view(self.magnitude) })
            }
        };
        let scaled = best.map(|s| {
            let linear: f64 = self.x.iter().zip(&self.linear).map(|(x, q)| x * q).sum();
            relative(scaled_objective(objective, linear, s.factor), s.gap)
        });
        scaled.map_or(plain, |s| s.min(plain))
    }

    /// Steps between two looks at the gap.
    fn interval(&self) -> u32 {
        (self.index.len() as u32 / 3).clamp(100, 1000)
    }
}
