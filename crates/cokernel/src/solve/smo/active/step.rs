//! One step of the active variables.

use super::super::cache::Real;
use super::super::conjugate::Line;
use super::super::halves::Problem;
use super::super::passes::{self, First, Gradient};
use super::Active;

/// What became of a step.
pub(super) enum Step {
    Done,
    /// There is no violating pair.
    Optimal,
    /// Rounding swallowed the step.
    Void,
}

impl<T: Real, G: Gradient> Active<T, G> {
    /// One pair step; `best` becomes the first variable of the next pair.
    pub(super) fn step(
        &mut self,
        p: &Problem<'_>,
        best: &mut First,
        objective: &mut f64,
        conjugate: bool,
    ) -> Step {
        let (i, f_i) = (best.i, best.min_up);
        if best.max_low <= f_i || !f_i.is_finite() {
            return Step::Optimal;
        }
        let slot_i = self.cache.get(p.rows, i, &self.index, self.all);
        let row_i = self.cache.row(slot_i);
        let d_i = self.own[i];
        let (at, tau) = ((f_i, d_i), self.tau);
        let j = passes::second(self.level, &self.f, row_i, &self.diagonal, &self.low, at, tau);
        let Some(j) = j else { return Step::Optimal };
        let k_ij: f64 = row_i[j].into();
        let slot_j = self.cache.get(p.rows, j, &self.index, self.all);
        let curvature = d_i + self.own[j] - 2.0 * k_ij;
        let f_j: f64 = self.f[j].into();
        let slope = f_j - f_i;
        if conjugate && curvature > self.tau {
            return self.glide((i, j), [slot_i, slot_j], slope, curvature, best, objective);
        }
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
        if let Some(line) = &mut self.line {
            line.forget();
        }
        let rows = [self.cache.row(slot_i), self.cache.row(slot_j)];
        let level = self.level;
        *best = passes::update(level, &mut self.f, rows, t, [&self.up, &self.low]);
        Step::Done
    }

    /// A step along the pair (i, j) turned towards the last line.
    fn glide(
        &mut self,
        (i, j): (usize, usize),
        slots: [usize; 2],
        slope: f64,
        curvature: f64,
        best: &mut First,
        objective: &mut f64,
    ) -> Step {
        let mut line = match self.line.take() {
            Some(line) if line.q.len() == self.f.len() => line,
            _ => Line::new(self.f.len()),
        };
        let room = |k: usize| (self.x[k] - self.lower[k], self.upper[k] - self.x[k]);
        let go = line.turn((i, j), slope, curvature, room);
        let mut moved = false;
        for (at, (k, v)) in line.p.iter().enumerate() {
            let (k, before) = (*k as usize, self.x[*k as usize]);
            let next = before + go.length * v;
            self.x[k] = match go.hit {
                Some(hit) if hit == at => {
                    if *v > 0.0 {
                        self.upper[k]
                    } else {
                        self.lower[k]
                    }
                }
                _ => next.clamp(self.lower[k], self.upper[k]),
            };
            moved |= self.x[k] != before;
        }
        for k in 0..line.p.len() {
            let k = line.p[k].0 as usize;
            self.mark(k);
            if self.sides.is_some() && self.x[k] == 0.0 {
                self.turn(k);
            }
        }
        *objective -= go.length * (slope - 0.5 * go.length * go.curvature);
        let rows = [self.cache.row(slots[0]), self.cache.row(slots[1])];
        let (level, by) = (self.level, (go.gamma, go.length));
        *best = passes::glide(level, &mut self.f, &mut line.q, rows, by, [&self.up, &self.low]);
        if go.hit.is_some() {
            line.forget();
        }
        // A line whose first bound is here already: the pair alone will do.
        let stuck = !moved && go.gamma == 0.0;
        self.line = Some(line);
        if stuck { Step::Void } else { Step::Done }
    }
}
