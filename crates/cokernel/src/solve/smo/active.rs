//! Steps over the active variables.

use super::cache::{Cache, Real};
use super::gap::{Measure, measure};
use super::passes::{self, First, LANES, Level};
use super::{Full, Quadratic, Settings, relative};
use crate::{Status, Watch};

/// Why the steps ended.
pub(super) enum End {
    /// The gap over the active variables is small enough.
    Reached,
    /// The next step would change nothing in this precision.
    NoProgress,
    /// A limit or the user.
    Halted(Status),
}

/// Curvature that stands for a non-positive one, relative to the largest diagonal entry.
const TAU: f64 = 1e-12;

/// The active variables, side by side, with their cached rows.
pub(super) struct Active<T> {
    /// Number of each active variable in the whole problem, ascending.
    index: Vec<u32>,
    x: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
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
    level: Level,
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
        p: &Quadratic<'_>,
        full: &Full,
        diagonal: &[f64],
        found: &Measure,
        settings: &Settings,
    ) -> Self {
        let n = full.x.len();
        let keep = |i: &usize| {
            let (lower, upper) = (p.lower[*i], p.upper[*i]);
            let (x, f) = (full.x[*i], full.gradient[*i]);
            lower < upper
                && (!settings.shrinking || alive(x, f, lower, upper, found.min_up, found.max_low))
        };
        let kept: Vec<usize> = (0..n).filter(keep).collect();
        let m = kept.len();
        let pick = |from: &[f64]| kept.iter().map(|&i| from[i]).collect::<Vec<f64>>();
        let mut f = pick(&full.gradient);
        let mut diagonal: Vec<f64> = kept.iter().map(|&i| T::round(diagonal[i])).collect();
        f.resize(padded(m), 0.0);
        diagonal.resize(padded(m), 0.0);
        let mut active = Active {
            index: kept.iter().map(|&i| i as u32).collect(),
            x: pick(&full.x),
            lower: pick(p.lower),
            upper: pick(p.upper),
            f,
            tau: TAU * diagonal.iter().fold(0.0_f64, |a, d| a.max(d.abs())).max(f64::MIN_POSITIVE),
            diagonal,
            up: vec![0; padded(m) / 8],
            low: vec![0; padded(m) / 8],
            cache: Cache::new(m, padded(m), settings.cache),
            all: m == n,
            shrinking: settings.shrinking,
            max_steps: settings.max_steps,
            level: Level::detect(),
        };
        (0..m).for_each(|k| active.mark(k));
        active
    }

    fn mark(&mut self, k: usize) {
        set(&mut self.up, k, self.x[k] < self.upper[k]);
        set(&mut self.low, k, self.x[k] > self.lower[k]);
    }

    /// Steps until the relative gap over the active variables is at most `aim`; writes x back.
    pub fn run(
        mut self,
        p: &Quadratic<'_>,
        mut objective: f64,
        aim: f64,
        steps: &mut u64,
        x: &mut [f64],
        watch: &Watch,
    ) -> End {
        let mut best = passes::first(&self.f, &self.up, &self.low);
        let mut countdown = self.interval();
        let end = loop {
            if *steps >= self.max_steps {
                break End::Halted(Status::IterationLimit);
            }
            match self.step(p, &mut best, &mut objective) {
                Step::Done => *steps += 1,
                Step::Optimal => break End::Reached,
                Step::Void => break End::NoProgress,
            }
            countdown -= 1;
            if countdown > 0 {
                continue;
            }
            if let Some(status) = watch.stop() {
                break End::Halted(status);
            }
            let m = self.index.len();
            let found = measure(&self.x, &self.f[..m], &self.lower, &self.upper);
            if relative(objective, found.gap) <= aim {
                break End::Reached;
            }
            if self.shrinking {
                self.shrink(&found, p.rows.n(), x);
                best = passes::first(&self.f, &self.up, &self.low);
            }
            countdown = self.interval();
        };
        self.write(x);
        end
    }

    /// Steps between two looks at the gap.
    fn interval(&self) -> u32 {
        (self.index.len() as u32 / 3).clamp(100, 1000)
    }

    fn write(&self, x: &mut [f64]) {
        self.index.iter().zip(&self.x).for_each(|(i, v)| x[*i as usize] = *v);
    }

    /// One pair step; `best` becomes the first variable of the next pair.
    fn step(&mut self, p: &Quadratic<'_>, best: &mut First, objective: &mut f64) -> Step {
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
        self.x[i] = snapped(self.x[i] + t, self.lower[i], self.upper[i]);
        self.x[j] = snapped(self.x[j] - t, self.lower[j], self.upper[j]);
        if before == (self.x[i], self.x[j]) {
            return Step::Void;
        }
        self.mark(i);
        self.mark(j);
        *objective -= t * (slope - 0.5 * t * curvature);
        let (row_i, row_j) = (self.cache.row(slot_i), self.cache.row(slot_j));
        let level = self.level;
        *best = passes::update(level, &mut self.f, row_i, row_j, t, &self.up, &self.low);
        Step::Done
    }

    /// Sets aside the variables that cannot be part of a violating pair now.
    fn shrink(&mut self, found: &Measure, n: usize, x: &mut [f64]) {
        let m = self.index.len();
        let keep = |k: &u32| {
            let k = *k as usize;
            let (lower, upper) = (self.lower[k], self.upper[k]);
            alive(self.x[k], self.f[k], lower, upper, found.min_up, found.max_low)
        };
        let kept: Vec<u32> = (0..m as u32).filter(keep).collect();
        if kept.len() * 4 > m * 3 {
            return;
        }
        self.write(x);
        let pick = |from: &[f64]| kept.iter().map(|&k| from[k as usize]).collect::<Vec<f64>>();
        self.x = pick(&self.x);
        self.lower = pick(&self.lower);
        self.upper = pick(&self.upper);
        self.f = pick(&self.f);
        self.diagonal = pick(&self.diagonal);
        self.index = kept.iter().map(|&k| self.index[k as usize]).collect();
        let m = kept.len();
        self.f.resize(padded(m), 0.0);
        self.diagonal.resize(padded(m), 0.0);
        self.up = vec![0; padded(m) / 8];
        self.low = vec![0; padded(m) / 8];
        (0..m).for_each(|k| self.mark(k));
        self.cache.compact(&kept, padded(m));
        self.all = m == n;
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

/// A value at a bound that it reaches but for rounding.
fn snapped(x: f64, lower: f64, upper: f64) -> f64 {
    let slack = 4.0 * f64::EPSILON * (upper - lower);
    if x >= upper - slack {
        upper
    } else if x <= lower + slack {
        lower
    } else {
        x
    }
}
