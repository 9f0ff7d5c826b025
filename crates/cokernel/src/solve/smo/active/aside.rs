//! Variables that are set aside, and x written back.

use super::super::cache::Real;
use super::super::gap::Measure;
use super::super::halves::{Problem, Sides};
use super::super::passes::Gradient;
use super::{Active, padded};

/// Whether a variable can still be part of a violating pair.
pub(super) fn alive(x: f64, f: f64, lower: f64, upper: f64, min_up: f64, max_low: f64) -> bool {
    (x < upper && f <= max_low) || (x > lower && f >= min_up)
}

impl<T: Real, G: Gradient> Active<T, G> {
    /// Writes x back; what is at a bound here is at the bound there, to the last bit.
    pub(super) fn write(&self, p: &Problem<'_>, x: &mut [f64]) {
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

    /// Positions of the variables that can still be part of a violating pair, if that sets aside
    /// enough of them to be worth moving rows.
    pub(super) fn survivors(&self, found: &Measure) -> Option<Vec<u32>> {
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
                let own: f64 = self.f[k].into();
                let (f, end) = (own - 2.0 * s.side[k] * s.kink, s.other[k]);
                self.x[k] == 0.0 && living(0.0, f, end.min(0.0), end.max(0.0))
            };
            living(self.x[k], self.f[k].into(), self.lower[k], self.upper[k])
                || self.sides.as_ref().is_some_and(other)
        };
        let kept: Vec<u32> = (0..m as u32).filter(keep).collect();
        (kept.len() * 4 <= m * 3).then_some(kept)
    }

    /// Sets aside all variables but those at the positions `kept`.
    pub(super) fn shrink(&mut self, kept: &[u32], p: &Problem<'_>, x: &mut [f64]) {
        self.write(p, x);
        let moved = |x: &[f64]| x.iter().filter(|v| **v != 0.0).count();
        let before = moved(&self.x);
        let pick = |from: &[f64]| kept.iter().map(|&k| from[k as usize]).collect::<Vec<f64>>();
        self.x = pick(&self.x);
        self.lower = pick(&self.lower);
        self.upper = pick(&self.upper);
        self.linear = pick(&self.linear);
        self.others |= moved(&self.x) < before;
        self.own = pick(&self.own);
        self.f = kept.iter().map(|&k| self.f[k as usize]).collect();
        self.diagonal = kept.iter().map(|&k| self.diagonal[k as usize]).collect();
        self.line = None;
        if let Some(sides) = &mut self.sides {
            (sides.side, sides.other) = (pick(&sides.side), pick(&sides.other));
        }
        self.index = kept.iter().map(|&k| self.index[k as usize]).collect();
        let m = kept.len();
        self.f.resize(padded(m), G::default());
        self.diagonal.resize(padded(m), G::default());
        self.up = vec![0; padded(m) / 8];
        self.low = vec![0; padded(m) / 8];
        (0..m).for_each(|k| self.mark(k));
        self.cache.compact(kept, padded(m));
        self.all = m == p.rows.n();
    }
}
