//! Problems with a kink: ε‖x‖₁ beside the quadratic.
//!
//! ```text
//! min ½ xᵀK x + qᵀx + ε‖x‖₁    subject to   Σ x = const,  lower ≤ x ≤ upper,  lower ≤ 0 ≤ upper
//! ```
//!
//! is a problem without a kink in twice as many variables: x_i = x⁺_i + x⁻_i with x⁺_i ∈ [0, upper_i],
//! linear term q_i + ε, and x⁻_i ∈ [lower_i, 0], linear term q_i − ε, which share a row of K. Gaps are those
//! of the halves. Steps hold one half of each variable: where x_i ≠ 0 the other has nothing to do, and
//! where x_i = 0 at most one can be part of a step at a threshold; which one is looked at with the gap
//! ([`Sides`]).

use super::Quadratic;
use super::gap::{Measure, Multiple, View, measure, multiple};
use std::ops::Deref;

/// A [`Quadratic`] with what not every problem has.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// All but the kink.
    pub plain: Quadratic<'a>,
    /// ε ≥ 0. `Some(0.0)` differs from `None` in that every box is taken for two that end at 0, which
    /// lets an answer be a multiple where boxes are very large.
    pub kink: Option<f64>,
}

impl<'a> Deref for Problem<'a> {
    type Target = Quadratic<'a>;

    fn deref(&self) -> &Quadratic<'a> {
        &self.plain
    }
}

impl Problem<'_> {
    /// The size of f where x is small.
    pub(super) fn magnitude(&self) -> f64 {
        self.linear.iter().fold(0.0_f64, |a, q| a.max(q.abs())) + self.kink.unwrap_or(0.0)
    }

    /// The box of the half that variable i is in.
    pub(super) fn bounds(&self, i: usize, x: f64) -> (f64, f64) {
        match self.kink {
            None => (self.lower[i], self.upper[i]),
            Some(_) if x > 0.0 => (0.0, self.upper[i]),
            Some(_) if x < 0.0 => (self.lower[i], 0.0),
            Some(_) => (0.0, 0.0),
        }
    }

    /// Whether variable i can go both ways without passing the kink.
    pub(super) fn is_free(&self, i: usize, x: f64) -> bool {
        let (lower, upper) = self.bounds(i, x);
        lower < x && x < upper
    }

    /// ε sign(x).
    pub(super) fn kink_slope(&self, x: f64) -> f64 {
        match self.kink {
            Some(kink) if x > 0.0 => kink,
            Some(kink) if x < 0.0 => -kink,
            _ => 0.0,
        }
    }

    /// ε‖x‖₁.
    pub(super) fn kinks(&self, x: &[f64]) -> f64 {
        self.kink.map_or(0.0, |kink| kink * x.iter().map(|x| x.abs()).sum::<f64>())
    }

    /// The gap at x, given f = Kx + q.
    pub(super) fn measure(&self, x: &[f64], f: &[f64]) -> Measure {
        let Some(kink) = self.kink else { return measure(x, f, self.lower, self.upper) };
        let halves = Halves::new(kink, x, f, &self.plain);
        measure(&halves.x, &halves.f, &halves.lower, &halves.upper)
    }

    /// The multiple of x, given all else about it.
    pub(super) fn multiple(&self, view: &View<'_>) -> Option<Multiple> {
        let Some(kink) = self.kink else { return multiple(view) };
        let halves = Halves::new(kink, view.x, view.f, &self.plain);
        multiple(&View { diagonal: &view.diagonal.repeat(2), ..halves.view(view.magnitude) })
    }
}

/// All halves: those above 0, then those below.
pub(super) struct Halves {
    pub x: Vec<f64>,
    pub f: Vec<f64>,
    pub linear: Vec<f64>,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
}

impl Halves {
    fn new(kink: f64, x: &[f64], f: &[f64], p: &Quadratic<'_>) -> Self {
        let zero = vec![0.0; x.len()];
        let both = |v: &[f64]| -> Vec<f64> {
            v.iter().map(|v| v + kink).chain(v.iter().map(|v| v - kink)).collect()
        };
        Halves {
            x: x.iter().map(|x| x.max(0.0)).chain(x.iter().map(|x| x.min(0.0))).collect(),
            f: both(f),
            linear: both(p.linear),
            lower: [&zero, p.lower].concat(),
            upper: [p.upper, &zero].concat(),
        }
    }

    pub fn view(&self, magnitude: f64) -> View<'_> {
        let Halves { x, f, linear, lower, upper } = self;
        View { x, f, linear, lower, upper, diagonal: &[], magnitude }
    }
}

/// Which half of each active variable steps see.
pub(super) struct Sides {
    /// ε.
    pub kink: f64,
    /// 1 or −1.
    pub side: Vec<f64>,
    /// The end of the box of the other half that is not 0, in the unit of the active variables.
    pub other: Vec<f64>,
}

impl Sides {
    /// The half of a variable: that of its sign, at 0 that on its side of the threshold.
    pub fn of(x: f64, f: f64, threshold: f64) -> f64 {
        if x > 0.0 || (x == 0.0 && f <= threshold) { 1.0 } else { -1.0 }
    }

    /// Whether the other half of a variable at 0, whose half that is seen has the gradient `f`, is part
    /// of a violating pair, by more than this one.
    pub fn wants_other(&self, k: usize, f: f64, found: &Measure) -> bool {
        let (side, far) = (self.side[k], f - 2.0 * self.side[k] * self.kink);
        let (above, below) = if side > 0.0 { (f, far) } else { (far, f) };
        let (up, down) = (found.max_low - above, below - found.min_up);
        if side > 0.0 { down > 0.0 && down > up } else { up > 0.0 && up > down }
    }
}
