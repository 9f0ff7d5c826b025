//! Other weights: where they go, and which functions go with them.

use super::{Loop, half_forms};
use crate::Result;
use crate::mkl::outer::search::DROP;
use crate::scale::newton::{Newton, Point, Step};

/// Parts of the way to the proposed weights that are tried.
const PARTS: [f64; 3] = [1.0, 0.25, 0.0625];

/// Newton steps at weights that are tried.
const TRIES: usize = 6;

/// The part of the promised decrease that has to be achieved.
const ENOUGH: f64 = 0.1;

/// Where a change of the weights ended.
pub(super) enum Moved {
    To(Box<Point>),
    /// No weights are better that can be told from these.
    Nowhere,
    /// It was given up.
    Stopped,
}

impl Loop<'_> {
    /// Other weights with a smaller objective.
    pub(super) fn move_weights(&self, newton: &mut Newton<'_>, here: &Point) -> Result<Moved> {
        let (problem, size) = (newton.problem, newton.problem.space.size());
        let space = problem.space;
        let gradient: Vec<f64> = half_forms(problem, here).iter().map(|z| -z).collect();
        let mut u = vec![0.0; here.v.len()];
        for (head, own) in u.chunks_mut(size.max(1)).enumerate() {
            for (m, weight) in here.weights.iter().enumerate() {
                for j in space.part(m) {
                    let at = head * size + j;
                    own[j] = if *weight > 0.0 { here.v[at] / weight } else { here.at.dual[at] };
                }
            }
        }
        let mut moved = self.along_model(newton, here, (&gradient, &u))?;
        if matches!(moved, Moved::Nowhere) && newton.models_elsewhere() {
            // By curvatures of another point no weights are better; those of this one may tell more.
            newton.forget();
            moved = self.along_model(newton, here, (&gradient, &u))?;
        }
        match moved {
            Moved::Nowhere => Ok(self.best_for_these(newton, here)),
            other => Ok(other),
        }
    }

    /// Towards the weights that are best by the model of second order.
    fn along_model(
        &self,
        newton: &mut Newton<'_>,
        here: &Point,
        (gradient, u): (&[f64], &[f64]),
    ) -> Result<Moved> {
        let (problem, size) = (newton.problem, newton.problem.space.size());
        let space = problem.space;
        let hessian = newton.hessian(here, u)?;
        let before = here.value(problem) + self.set.penalty(&here.weights);
        let proposal = self.set.second_order(&here.weights, gradient, &hessian);
        let useful =
            proposal.decrease > 0.0 && proposal.weights.iter().all(|w| w.is_finite() && *w >= 0.0);
        // All that the response is made of, before Newton's steps at other weights take its place.
        let trial = |part: f64| -> Point {
            let to: Vec<f64> = here
                .weights
                .iter()
                .zip(&proposal.weights)
                .map(|(w, to)| (w + part * (to - w)).max(0.0))
                .collect();
            let weights = self.cleaned(&to);
            let moved: Vec<f64> = weights.iter().zip(&here.weights).map(|(to, w)| to - w).collect();
            let (change, shift) = newton.response(u, &moved);
            let mut v: Vec<f64> = here.v.iter().zip(change).map(|(v, c)| v + c).collect();
            for own in v.chunks_mut(size.max(1)) {
                let gone = |m: &usize| weights[*m] == 0.0;
                (0..weights.len()).filter(gone).for_each(|m| own[space.part(m)].fill(0.0));
            }
            let bias = here.bias.iter().zip(shift).map(|(b, s)| b + s).collect();
            Point { weights, v, bias, ..here.clone() }
        };
        let trials: Vec<(f64, Point)> = match useful {
            true => PARTS.iter().map(|part| (*part, trial(*part))).collect(),
            false => Vec::new(),
        };
        for (part, point) in trials {
            let wanted = before - ENOUGH * part * proposal.decrease;
            match self.try_out(newton, point, wanted)? {
                Moved::Nowhere => {}
                other => return Ok(other),
            }
        }
        Ok(Moved::Nowhere)
    }

    /// Newton's steps at the weights of a point until its objective is as wanted, or it is known that it will not be.
    fn try_out(&self, newton: &mut Newton<'_>, point: Point, wanted: f64) -> Result<Moved> {
        let problem = newton.problem;
        let active = point.active();
        let Some(mut point) = newton.evaluate(point, &active)? else { return Ok(Moved::Stopped) };
        let penalty = self.set.penalty(&point.weights);
        for _ in 0..TRIES {
            if point.value(problem) + penalty <= wanted {
                return Ok(Moved::To(Box::new(point)));
            }
            let lower = point.inner_bound(problem) + penalty;
            if lower.is_nan() || lower > wanted {
                return Ok(Moved::Nowhere);
            }
            match newton.step(&point)? {
                Step::To(better) => point = *better,
                Step::Nowhere => return Ok(Moved::Nowhere),
                Step::Stopped => return Ok(Moved::Stopped),
            }
        }
        Ok(Moved::Nowhere)
    }

    /// The weights that are best for the functions at hand: no decision value changes.
    fn best_for_these(&self, newton: &Newton<'_>, here: &Point) -> Moved {
        let (problem, size) = (newton.problem, newton.problem.space.size());
        let slope = |m: usize| -> f64 {
            let norm = |own: &[f64]| own[problem.space.part(m)].iter().map(|v| v * v).sum::<f64>();
            let norms: f64 = here.v.chunks(size.max(1)).map(norm).sum();
            if here.weights[m] > 0.0 { -0.5 * norms / here.weights[m].powi(2) } else { 0.0 }
        };
        let slopes: Vec<f64> = (0..here.weights.len()).map(slope).collect();
        let weights = self.set.majorised(&here.weights, &slopes).weights;
        let lost = (0..weights.len()).any(|m| weights[m] == 0.0 && slopes[m] != 0.0);
        let moved = Point { weights, ..here.clone() };
        let value = |p: &Point| p.value(problem) + self.set.penalty(&p.weights);
        match !lost && value(&moved) < value(here) * (1.0 - 1e-12) {
            true => Moved::To(Box::new(moved)),
            false => Moved::Nowhere,
        }
    }

    /// The point of the set in the direction of these weights; those next to nothing become 0.
    fn cleaned(&self, weights: &[f64]) -> Vec<f64> {
        let largest = weights.iter().fold(0.0_f64, |a, w| a.max(*w));
        if largest <= 0.0 {
            return weights.to_vec();
        }
        let least = if self.set.drops() { DROP * largest } else { 0.0 };
        let kept: Vec<f64> = weights.iter().map(|w| if *w < least { 0.0 } else { *w }).collect();
        self.set.onto(&kept)
    }
}
