//! Active variables of a problem with a kink: each is one of its halves at a time.

use super::super::cache::Real;
use super::super::gap::Measure;
use super::super::halves::{Halves, Sides};
use super::super::passes::Gradient;
use super::Active;

impl<T: Real, G: Gradient> Active<T, G> {
    /// Makes each variable one of its halves.
    pub(super) fn take_sides(&mut self, kink: f64, found: &Measure) {
        let m = self.index.len();
        let of = |k: usize| Sides::of(self.x[k], self.f[k].into(), found.threshold);
        let side: Vec<f64> = (0..m).map(of).collect();
        let mut other = vec![0.0; m];
        for k in 0..m {
            let far = if side[k] > 0.0 { &mut self.lower[k] } else { &mut self.upper[k] };
            other[k] = std::mem::replace(far, 0.0);
            self.f[k] = G::of(self.f[k].into() + side[k] * kink);
            self.linear[k] += side[k] * kink;
        }
        self.sides = Some(Sides { kink, side, other });
    }

    /// Makes a variable at 0 its other half.
    pub(super) fn turn(&mut self, k: usize) {
        let Some(sides) = &mut self.sides else { return };
        let change = -2.0 * sides.side[k] * sides.kink;
        let own = if sides.side[k] > 0.0 { self.upper[k] } else { self.lower[k] };
        let far = std::mem::replace(&mut sides.other[k], own);
        (self.lower[k], self.upper[k]) = (far.min(0.0), far.max(0.0));
        sides.side[k] = -sides.side[k];
        self.f[k] = G::of(self.f[k].into() + change);
        self.linear[k] += change;
        self.mark(k);
    }

    /// Both halves of each variable, of a problem with a kink.
    pub(super) fn halves(&self, f: &[f64]) -> Option<Halves> {
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
        Some(Halves { x, f: shift(f), linear: shift(&self.linear), lower, upper })
    }

    /// Turns the variables at 0 whose other half violates its condition; whether there are any.
    pub(super) fn turn_all(&mut self, found: &Measure) -> bool {
        let Some(sides) = &self.sides else { return false };
        let wants =
            |k: &usize| self.x[*k] == 0.0 && sides.wants_other(*k, self.f[*k].into(), found);
        let turning: Vec<usize> = (0..self.index.len()).filter(wants).collect();
        turning.iter().for_each(|k| self.turn(*k));
        !turning.is_empty()
    }
}
