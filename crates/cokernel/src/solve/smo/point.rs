//! A point with its exact gradient, and what it is worth.

use super::exact;
use super::gap::{Measure, Multiple, View};
use super::halves::Problem;
use crate::Watch;
use crate::solve::rounding::TOLD;

/// Part of the largest Σ|x| below which a gradient is taken anew.
const SHRUNK: f64 = 0.5;

/// Typical changes of the gap by rounding, as a part of what is allowed, from which an answer is looked at: larger ones of
/// some instances are not in them.
const SHAKEN: f64 = 1e-3;

/// Typical roundings of f within which it is at the threshold.
const EDGE: f64 = 4.0;

/// Gap of an enlarged point, as a part of that of the point with what rounding hides, from which it is not taken.
const CLEARLY: f64 = 0.1;

/// x with its exact gradient.
#[derive(Clone)]
pub(super) struct Full {
    /// A power of two near the largest entry of K.
    pub unit: f64,
    /// The size of f: the largest |q|; where Σ x is not 0, the largest |f| at the start if that is more.
    pub magnitude: f64,
    pub x: Vec<f64>,
    pub gradient: Vec<f64>,
    /// The x at which `gradient` was taken.
    pub anchor: Vec<f64>,
    /// The largest Σ|x| at which it was brought up to date since it was taken from x alone.
    largest: f64,
    scratch: Vec<f64>,
}

impl Full {
    /// At x, or at 0 if a stop comes before the gradient at x is known and the sum of x is 0.
    pub fn new(p: &Problem<'_>, x: Vec<f64>, sum: f64, unit: f64, watch: &Watch) -> Self {
        let n = x.len();
        let (anchor, scratch) = (vec![0.0; n], vec![0.0; n]);
        let most = |v: &[f64]| v.iter().fold(0.0_f64, |a, q| a.max(q.abs()));
        let magnitude = p.magnitude();
        let gradient = p.linear.to_vec();
        let largest = 0.0;
        let mut full = Full { unit, magnitude, x, gradient, anchor, largest, scratch };
        if sum != 0.0 {
            full.renew(p);
            full.magnitude = magnitude.max(most(&full.gradient));
        } else if !full.sync(p, watch) {
            full.x.fill(0.0);
            full.anchor.fill(0.0);
        }
        full
    }

    /// The gradient from x alone, rounded once. False, and nothing is changed, where that cannot be had.
    pub fn renew_exactly(&mut self, p: &Problem<'_>, watch: &Watch) -> bool {
        let done = exact::gradient(p, &self.x, &mut self.scratch, watch);
        if done {
            self.gradient.copy_from_slice(&self.scratch);
            self.anchor.copy_from_slice(&self.x);
            self.largest = size(&self.x);
        }
        done
    }

    /// The gradient after x has changed: from x alone where it has to be exact and can be, else brought
    /// up to date. False, and of no use, after a stop.
    pub fn refresh(&mut self, p: &Problem<'_>, exactly: bool, watch: &Watch) -> bool {
        (exactly && self.renew_exactly(p, watch)) || self.sync(p, watch)
    }

    /// The gradient from x alone.
    pub fn renew(&mut self, p: &Problem<'_>) {
        p.rows.multiply(&self.x, &mut self.scratch);
        self.take_product(p);
    }

    /// The gradient from Kx in `scratch`.
    fn take_product(&mut self, p: &Problem<'_>) {
        let sums = self.scratch.iter().zip(p.linear);
        self.gradient.iter_mut().zip(sums).for_each(|(g, (s, q))| *g = q + s);
        self.anchor.copy_from_slice(&self.x);
        self.largest = size(&self.x);
    }

    /// Brings the gradient up to date in f64 for the variables that moved, or takes it from x alone where x has become
    /// so much smaller that the rounding of before would stay in it (kernels of sizes 10⁻⁶ to 10⁶ and a start on their
    /// mean: 10⁻⁸ of f for 10⁻¹¹). False if that was given up because of a stop: then this point is of no use.
    pub fn sync(&mut self, p: &Problem<'_>, watch: &Watch) -> bool {
        let now = size(&self.x);
        if now < SHRUNK * self.largest {
            if !p.rows.multiply_until(&self.x, &mut self.scratch, watch) {
                return false;
            }
            self.take_product(p);
            return true;
        }
        self.largest = self.largest.max(now);
        let mut moved = false;
        for (a, x) in self.anchor.iter_mut().zip(&self.x) {
            let change = x - *a;
            moved |= change != 0.0;
            *a = change;
        }
        if moved {
            if !p.rows.multiply_until(&self.anchor, &mut self.scratch, watch) {
                return false;
            }
            self.gradient.iter_mut().zip(&self.scratch).for_each(|(g, s)| *g += s);
        }
        self.anchor.copy_from_slice(&self.x);
        true
    }

    /// Puts what rounding of steps has added to Σ x back: into the largest variable that is not at
    /// a bound, where it is of the size of a last bit. Where x has become so much smaller on the way that no variable has
    /// room for it, and 0 is in every box, the larger side is scaled down.
    pub fn balance(&mut self, p: &Problem<'_>, sum: f64) {
        if self.balance_largest(p, sum) || sum != 0.0 {
            return;
        }
        let missing = -exact_sum(&self.x);
        let side = |x: f64| x * missing < 0.0;
        let size: f64 = self.x.iter().filter(|x| side(**x)).map(|x| x.abs()).sum();
        let with_0 = p.lower.iter().zip(p.upper).all(|(l, u)| *l <= 0.0 && 0.0 <= *u);
        if with_0 && missing.abs() <= size {
            let factor = 1.0 - missing.abs() / size;
            self.x.iter_mut().filter(|x| side(**x)).for_each(|x| *x *= factor);
            self.balance_largest(p, sum);
        }
    }

    /// Whether nothing is left over, or nothing is free.
    fn balance_largest(&mut self, p: &Problem<'_>, sum: f64) -> bool {
        let free = |i: &usize| p.is_free(*i, self.x[*i]);
        let by_size = |a: &usize, b: &usize| self.x[*a].abs().total_cmp(&self.x[*b].abs());
        let Some(i) = (0..self.x.len()).filter(free).max_by(by_size) else { return true };
        let moved = self.x[i] + (sum - exact_sum(&self.x));
        let (lower, upper) = p.bounds(i, self.x[i]);
        let inside = lower < moved && moved < upper;
        if inside {
            self.x[i] = moved;
        }
        inside
    }

    /// Whether the typical rounding of Kx changes the gap by more than a twentieth of `tol`, relative
    /// to the primal objective, or by more than a fifth of the gap.
    pub fn doubtful(&self, p: &Problem<'_>, diagonal: &[f64], value: &Value, tol: f64) -> bool {
        if value.multiple.is_some() {
            return false;
        }
        let (lost, gap) = (self.hidden(p, diagonal, value.found.threshold), value.found.gap);
        let primal = (gap - value.objective).abs();
        // The gradient has the rounding of all steps, which may have taken a variable from the threshold.
        let rooms = p.lower.iter().zip(p.upper).map(|(l, u)| u - l).sum::<f64>();
        let may_be = self.magnitude * self.view(p, diagonal).rounding() * rooms;
        lost > 0.05 * tol * primal
            || lost > (0.2 * gap).max(1e-9 * primal)
            || may_be > SHAKEN * TOLD * primal
    }

    /// Whether it changes the gap by more than that part of `tol`, relative to the objective.
    pub fn shaken(&self, p: &Problem<'_>, diagonal: &[f64], value: &Value, tol: f64) -> bool {
        let most = SHAKEN * tol.max(TOLD) * value.objective.abs();
        self.hidden(p, diagonal, value.found.threshold) > most
    }

    /// What the typical rounding of Kx changes of the gap: variables that are free, or whose f is at the threshold but
    /// for rounding, count with their larger room. Costs that differ by 10¹⁰ have rooms of the largest where none is free.
    pub fn hidden(&self, p: &Problem<'_>, diagonal: &[f64], threshold: f64) -> f64 {
        let error = self.magnitude * self.view(p, diagonal).rounding();
        let near = |off: f64| off.abs() <= EDGE * error;
        let room = |i: usize| {
            let (x, off) = (self.x[i], self.gradient[i] - threshold);
            match p.kink {
                Some(kink) if x == 0.0 => {
                    let above = if near(off + kink) { p.upper[i] } else { 0.0 };
                    let below = if near(off - kink) { -p.lower[i] } else { 0.0 };
                    above.max(below)
                }
                _ if p.is_free(i, x) || near(off + p.kink_slope(x)) => {
                    let (lower, upper) = p.bounds(i, x);
                    (upper - x).max(x - lower)
                }
                _ => 0.0,
            }
        };
        error * (0..self.x.len()).map(room).sum::<f64>()
    }

    /// The same into the variable that is farthest from its bounds, where more is missing than a last bit.
    pub fn balance_widely(&mut self, p: &Problem<'_>, sum: f64) {
        let room = |i: usize| {
            let (lower, upper) = p.bounds(i, self.x[i]);
            (self.x[i] - lower).min(upper - self.x[i])
        };
        let widest = (0..self.x.len()).max_by(|a, b| room(*a).total_cmp(&room(*b)));
        if let Some(i) = widest.filter(|i| room(*i) > 0.0) {
            let (lower, upper) = p.bounds(i, self.x[i]);
            self.x[i] = (self.x[i] + (sum - exact_sum(&self.x))).clamp(lower, upper);
        }
        self.balance(p, sum);
    }

    pub fn view<'a>(&'a self, p: &Problem<'a>, diagonal: &'a [f64]) -> View<'a> {
        let (x, f, linear, magnitude) = (&self.x, &self.gradient, p.linear, self.magnitude);
        View { x, f, linear, lower: p.lower, upper: p.upper, diagonal, magnitude }
    }

    pub fn objective(&self, p: &Problem<'_>) -> f64 {
        let terms = self.x.iter().zip(&self.gradient).zip(p.linear);
        0.5 * terms.map(|((x, g), q)| x * (g + q)).sum::<f64>() + p.kinks(&self.x)
    }

    fn linear(&self, p: &Problem<'_>) -> f64 {
        self.x.iter().zip(p.linear).map(|(x, q)| x * q).sum::<f64>() + p.kinks(&self.x)
    }

    pub fn scale(&mut self, p: &Problem<'_>, factor: f64) {
        self.x.iter_mut().for_each(|x| *x *= factor);
        for (f, q) in self.gradient.iter_mut().zip(p.linear) {
            *f = factor * (*f - q) + q;
        }
        self.anchor.copy_from_slice(&self.x);
        self.largest *= factor.abs();
    }
}

/// Σ|x|.
fn size(x: &[f64]) -> f64 {
    x.iter().map(|x| x.abs()).sum()
}

/// Σ x, rounded once (Neumaier).
pub(super) fn exact_sum(x: &[f64]) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for v in x {
        let next = sum + v;
        lost += if sum.abs() >= v.abs() { (sum - next) + v } else { (v - next) + sum };
        sum = next;
    }
    sum + lost
}

/// The gap relative to the primal objective −objective + gap.
pub(super) fn relative(objective: f64, gap: f64) -> f64 {
    if gap <= 0.0 { 0.0 } else { gap / (gap - objective).abs().max(f64::MIN_POSITIVE) }
}

/// ½xᵀKx + qᵀx at s·x, from that at x and qᵀx.
pub(super) fn scaled_objective(objective: f64, linear: f64, s: f64) -> f64 {
    s * s * (objective - linear) + s * linear
}

/// The power of two that K is divided by: near its largest diagonal entry, if the boxes stay
/// within range.
pub(super) fn unit(p: &Problem<'_>, diagonal: &[f64]) -> f64 {
    let largest = |v: &[f64]| v.iter().fold(0.0_f64, |a, d| a.max(d.abs()));
    let (entry, room) = (largest(diagonal), largest(p.lower).max(largest(p.upper)));
    if !(entry > 0.0 && entry.is_finite() && room > 0.0) {
        return 1.0;
    }
    let bound = |far: f64| far - room.log2();
    let power = entry.log2().round().clamp(-900.0, 900.0);
    power.clamp(bound(-900.0).max(-1000.0), bound(900.0).min(1000.0)).round().exp2()
}

/// What a point is worth: its gap, at x itself or at a multiple.
#[derive(Clone, Copy)]
pub(super) struct Value {
    pub found: Measure,
    pub objective: f64,
    /// Relative gap, the smaller of the two.
    pub gap: f64,
    pub multiple: Option<Multiple>,
}

impl Value {
    pub fn of(p: &Problem<'_>, full: &Full, diagonal: &[f64], sum: f64, tol: f64) -> Self {
        let found = p.measure(&full.x, &full.gradient);
        let objective = full.objective(p);
        let gap = relative(objective, found.gap);
        let plain = Value { found, objective, gap, multiple: None };
        if gap <= tol || sum != 0.0 {
            return plain;
        }
        match Self::at_multiple(p, full, diagonal, &plain) {
            Some(scaled) if scaled.gap < gap => scaled,
            _ => plain,
        }
    }

    /// The multiple of a point that is [shaken](Full::shaken), whose gap holds for whoever computes K again: that of the
    /// point itself may be exact for the entries of K as they are rounded, and be larger than the multiple's for others
    /// that differ in their last bits. `None` where that is above the gap with what rounding hides, or above a tolerance that is
    /// kept without, and no clear gain ([`CLEARLY`]): what rounding hides is an estimate.
    pub fn safer(&self, p: &Problem<'_>, full: &Full, diagonal: &[f64], tol: f64) -> Option<Self> {
        let there = Self::at_multiple(p, full, diagonal, self)?;
        let told = relative(
            self.objective,
            self.found.gap + full.hidden(p, diagonal, self.found.threshold),
        );
        let limit = if self.gap <= tol && there.gap > tol { CLEARLY * told } else { told };
        (there.gap <= limit).then_some(there)
    }

    fn at_multiple(p: &Problem<'_>, full: &Full, diagonal: &[f64], plain: &Value) -> Option<Self> {
        let m = p.multiple(&full.view(p, diagonal))?;
        let objective = scaled_objective(plain.objective, full.linear(p), m.factor);
        Some(Value { gap: relative(objective, m.gap), multiple: Some(m), ..*plain })
    }
}
