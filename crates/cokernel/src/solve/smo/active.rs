//! Steps over the active variables.

use super::cache::{Cache, Real};
use super::gap::{Measure, View, measure, multiple};
use super::halves::{Halves, Problem, Sides};
use super::passes::{self, First, LANES, Level};
use super::point::{Full, relative, scaled_objective};
use super::progress::Fruit;
use super::{NOISE, Settings};
use crate::{Status, Watch};

/// Why the steps ended.
pub(super) enum End {
    /// The gap over the active variables is small enough.
    Reached,
    /// The next step would change nothing in this precision.
    NoProgress,
    /// Steps bring little.
    Slow,
    /// x has become so large that rounding hides the conditions.
    Noise,
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

/// Looks without progress after which a round ends, beside a quarter of those before; and how many
/// a round has at most.
const FRUITLESS: u64 = 20;
const LOOKS: u64 = 2000;

/// The active variables, side by side, with their cached rows. Everything is divided by the unit
/// of K (a power of two, so nothing is rounded): K/unit, unit·x, unit·bounds, and f as it is.
pub(super) struct Active<T> {
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
    f: Vec<f64>,
    diagonal: Vec<f64>,
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
}

fn padded(m: usize) -> usize {
    m.div_ceil(LANES) * LANES
}

fn set(bits: &mut [u8], k: usize, value: bool) {
    let mask = 1 << (k % 8);
    if value { bits[k / 8] |= mask } else { bits[k / 8] &= !mask }
}

/// Whether a variable can still be part of a violating pair.
fn alive(x: f64, f: f64, lower: f64, upper: f64, min_up: f64, max_low: f64) -> bool {
    (x < upper && f <= max_low) || (x > lower && f >= min_up)
}

impl<T: Real> Active<T> {
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
        let mut f = pick(&full.gradient, 1.0);
        let mut diagonal: Vec<f64> = kept.iter().map(|&i| T::round(diagonal[i] / unit)).collect();
        let moved = full.x.iter().filter(|x| **x != 0.0).count();
        f.resize(padded(m), 0.0);
        diagonal.resize(padded(m), 0.0);
        let mut active = Active {
            unit,
            index: kept.iter().map(|&i| i as u32).collect(),
            others: kept.iter().filter(|&&i| full.x[i] != 0.0).count() < moved,
            x: pick(&full.x, unit),
            lower: pick(p.lower, unit),
            upper: pick(p.upper, unit),
            linear: pick(p.linear, 1.0),
            f,
            tau: TAU * diagonal.iter().fold(0.0_f64, |a, d| a.max(d.abs())).max(f64::MIN_POSITIVE),
            diagonal,
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

    /// Makes each variable one of its halves.
    fn take_sides(&mut self, kink: f64, found: &Measure) {
        let m = self.index.len();
        let of = |k: usize| Sides::of(self.x[k], self.f[k], found.threshold);
        let side: Vec<f64> = (0..m).map(of).collect();
        let mut other = vec![0.0; m];
        for k in 0..m {
            let far = if side[k] > 0.0 { &mut self.lower[k] } else { &mut self.upper[k] };
            other[k] = std::mem::replace(far, 0.0);
            self.f[k] += side[k] * kink;
            self.linear[k] += side[k] * kink;
        }
        self.sides = Some(Sides { kink, side, other });
    }

    /// Makes a variable at 0 its other half.
    fn turn(&mut self, k: usize) {
        let Some(sides) = &mut self.sides else { return };
        let change = -2.0 * sides.side[k] * sides.kink;
        let own = if sides.side[k] > 0.0 { self.upper[k] } else { self.lower[k] };
        let far = std::mem::replace(&mut sides.other[k], own);
        (self.lower[k], self.upper[k]) = (far.min(0.0), far.max(0.0));
        sides.side[k] = -sides.side[k];
        self.f[k] += change;
        self.linear[k] += change;
        self.mark(k);
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
            let optimal = match self.step(p, &mut best, &mut objective) {
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
            let m = self.index.len();
            let halves = self.halves();
            let found = match &halves {
                None => measure(&self.x, &self.f[..m], &self.lower, &self.upper),
                Some(h) => measure(&h.x, &h.f, &h.lower, &h.upper),
            };
            let gap = self.gap(objective, &found, aim, halves.as_ref());
            if gap <= aim {
                break End::Reached;
            }
            let violation = found.max_low - found.min_up;
            let rounding = self.view().rounding();
            if rounding >= NOISE {
                break End::Noise;
            }
            if violation <= rounding * self.magnitude {
                break End::NoProgress;
            }
            if fruit.none_after([gap, found.gap, violation], f64::INFINITY) || fruit.looks >= LOOKS
            {
                break End::Slow;
            }
            if self.turn_all(&found) {
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
            full.gradient.copy_from_slice(&self.f[..n]);
            if let Some(sides) = &self.sides {
                let seen = full.gradient.iter_mut().zip(&sides.side);
                seen.for_each(|(f, side)| *f -= side * sides.kink);
            }
            full.anchor.copy_from_slice(&full.x);
        }
        end
    }

    fn view(&self) -> View<'_> {
        let m = self.index.len();
        View {
            x: &self.x,
            f: &self.f[..m],
            linear: &self.linear,
            lower: &self.lower,
            upper: &self.upper,
            diagonal: &self.diagonal[..m],
            magnitude: self.magnitude,
        }
    }

    /// Both halves of each variable, of a problem with a kink.
    fn halves(&self) -> Option<Halves> {
        let sides = self.sides.as_ref()?;
        let m = self.index.len();
        let shift = |v: &[f64]| -> Vec<f64> {
            let other = v.iter().zip(&sides.side).map(|(v, s)| v - 2.0 * s * sides.kink);
            v.iter().copied().chain(other).collect()
        };
        let ends = |own: &[f64], least: bool| -> Vec<f64> {
            let other = sides.other.iter().map(|o| if least { o.min(0.0) } else { o.max(0.0) });
            own.iter().copied().chain(other).collect()
        };
        let mut x = self.x.clone();
        x.resize(2 * m, 0.0);
        let (lower, upper) = (ends(&self.lower, true), ends(&self.upper, false));
        Some(Halves { x, f: shift(&self.f[..m]), linear: shift(&self.linear), lower, upper })
    }

    /// Turns the variables at 0 whose other half violates its condition; whether there are any.
    fn turn_all(&mut self, found: &Measure) -> bool {
        let Some(sides) = &self.sides else { return false };
        let wants = |k: &usize| self.x[*k] == 0.0 && sides.wants_other(*k, self.f[*k], found);
        let turning: Vec<usize> = (0..self.index.len()).filter(wants).collect();
        turning.iter().for_each(|k| self.turn(*k));
        !turning.is_empty()
    }

    /// The relative gap over the active variables, of a multiple of x where that is needed.
    fn gap(&self, objective: f64, found: &Measure, aim: f64, halves: Option<&Halves>) -> f64 {
        let plain = relative(objective, found.gap);
        if plain <= aim || self.others {
            return plain;
        }
        let own = self.view();
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

    /// Writes x back; what is at a bound here is at the bound there, to the last bit.
    fn write(&self, p: &Problem<'_>, x: &mut [f64]) {
        for (k, i) in self.index.iter().map(|i| *i as usize).enumerate() {
            let (lower, upper) = match &self.sides {
                None => (p.lower[i], p.upper[i]),
                Some(sides) if sides.side[k] > 0.0 => (0.0, p.upper[i]),
                Some(_) => (p.lower[i], 0.0),
            };
            x[i] = if self.x[k] >= self.upper[k] {
                upper
            } else if self.x[k] <= self.lower[k] {
                lower
            } else {
                (self.x[k] / self.unit).clamp(lower, upper)
            };
        }
    }

    /// One pair step; `best` becomes the first variable of the next pair.
    fn step(&mut self, p: &Problem<'_>, best: &mut First, objective: &mut f64) -> Step {
        let (i, f_i) = (best.i, best.min_up);
        if best.max_low <= f_i || !f_i.is_finite() {
            return Step::Optimal;
        }
        let slot_i = self.cache.get(p.rows, i, &self.index, self.all);
        let row_i = self.cache.row(slot_i);
        let d_i = self.diagonal[i];
        let (at, tau) = ((f_i, d_i), self.tau);
        let j = passes::second(self.level, &self.f, row_i, &self.diagonal, &self.low, at, tau);
        let Some(j) = j else { return Step::Optimal };
        let k_ij: f64 = row_i[j].into();
        let slot_j = self.cache.get(p.rows, j, &self.index, self.all);
        let curvature = d_i + self.diagonal[j] - 2.0 * k_ij;
        let slope = self.f[j] - f_i;
        let (room_i, room_j) = (self.upper[i] - self.x[i], self.x[j] - self.lower[j]);
        let t = (slope / curvature.max(self.tau)).min(room_i).min(room_j);
        let before = (self.x[i], self.x[j]);
        // A step that the room cuts ends exactly at the bound; no other does but by rounding.
        let (up, down) = (before.0 + t, before.1 - t);
        self.x[i] = if t >= room_i { self.upper[i] } else { up.min(self.upper[i]) };
        self.x[j] = if t >= room_j { self.lower[j] } else { down.max(self.lower[j]) };
        if before == (self.x[i], self.x[j]) {
            return Step::Void;
        }
        self.mark(i);
        self.mark(j);
        if self.sides.is_some() {
            // A step that ends at the kink goes on behind it, if at all.
            for k in [i, j] {
                if self.x[k] == 0.0 {
                    self.turn(k);
                }
            }
        }
        if let Some(trial) = &mut self.trial {
            for k in [i, j] {
                trial.distinct += u64::from(!std::mem::replace(&mut trial.seen[k], true));
            }
            trial.requests += 2;
        }
        *objective -= t * (slope - 0.5 * t * curvature);
        let (row_i, row_j) = (self.cache.row(slot_i), self.cache.row(slot_j));
        let level = self.level;
        *best = passes::update(level, &mut self.f, row_i, row_j, t, &self.up, &self.low);
        Step::Done
    }

    /// Positions of the variables that can still be part of a violating pair, if that sets aside
    /// enough of them to be worth moving rows.
    fn survivors(&self, found: &Measure) -> Option<Vec<u32>> {
        if !self.shrinking {
            return None;
        }
        let m = self.index.len();
        let living = |x: f64, f: f64, lower: f64, upper: f64| {
            alive(x, f, lower, upper, found.min_up, found.max_low)
        };
        let keep = |k: &u32| {
            let k = *k as usize;
            let other = |s: &Sides| {
                let (f, end) = (self.f[k] - 2.0 * s.side[k] * s.kink, s.other[k]);
                self.x[k] == 0.0 && living(0.0, f, end.min(0.0), end.max(0.0))
            };
            living(self.x[k], self.f[k], self.lower[k], self.upper[k])
                || self.sides.as_ref().is_some_and(other)
        };
        let kept: Vec<u32> = (0..m as u32).filter(keep).collect();
        (kept.len() * 4 <= m * 3).then_some(kept)
    }

    /// Sets aside all variables but those at the positions `kept`.
    fn shrink(&mut self, kept: &[u32], p: &Problem<'_>, x: &mut [f64]) {
        self.write(p, x);
        let moved = |x: &[f64]| x.iter().filter(|v| **v != 0.0).count();
        let before = moved(&self.x);
        let pick = |from: &[f64]| kept.iter().map(|&k| from[k as usize]).collect::<Vec<f64>>();
        self.x = pick(&self.x);
        self.lower = pick(&self.lower);
        self.upper = pick(&self.upper);
        self.linear = pick(&self.linear);
        self.others |= moved(&self.x) < before;
        self.f = pick(&self.f);
        self.diagonal = pick(&self.diagonal);
        if let Some(sides) = &mut self.sides {
            (sides.side, sides.other) = (pick(&sides.side), pick(&sides.other));
        }
        self.index = kept.iter().map(|&k| self.index[k as usize]).collect();
        let m = kept.len();
        self.f.resize(padded(m), 0.0);
        self.diagonal.resize(padded(m), 0.0);
        self.up = vec![0; padded(m) / 8];
        self.low = vec![0; padded(m) / 8];
        (0..m).for_each(|k| self.mark(k));
        self.cache.compact(kept, padded(m));
        self.all = m == p.rows.n();
    }
}

/// What became of a step.
enum Step {
    Done,
    /// There is no violating pair.
    Optimal,
    /// Rounding swallowed the step.
    Void,
}
