//! Other weights: where they go, and which functions go with them.

use super::{Loop, half_forms};
use crate::Result;
use crate::mkl::outer::Proposal;
use crate::mkl::outer::search::DROP;
use crate::scale::newton::{Newton, Point, blend, half_norm};

impl Loop<'_> {
    /// Other weights, with a smaller objective if they can be found; `None` if it was given up.
    pub(super) fn move_weights(
        &self,
        newton: &mut Newton<'_>,
        here: &Point,
    ) -> Result<Option<Point>> {
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
        let kappas: Vec<f64> = here.at.sums.iter().map(|s| s.curvature).collect();
        newton.prepare(here);
        let Some(factor) = newton.factor.take() else { return Ok(Some(here.clone())) };
        let hessian = newton.curvature.hessian(space, &factor, &u, &kappas);
        let before = here.value(problem) + self.set.penalty(&here.weights);
        let proposals = [
            self.set.second_order(&here.weights, &gradient, &hessian),
            self.set.majorised(&here.weights, &gradient),
        ];
        let useful =
            |p: &Proposal| p.decrease > 0.0 && p.weights.iter().all(|w| w.is_finite() && *w >= 0.0);
        let mut trials = Vec::new();
        for proposal in proposals.into_iter().filter(useful) {
            let weights = self.cleaned(proposal.weights);
            let mut moved = u.clone();
            for own in moved.chunks_mut(size.max(1)) {
                for (m, (to, from)) in weights.iter().zip(&here.weights).enumerate() {
                    space.part(m).for_each(|j| own[j] *= to - from);
                }
            }
            let (change, shift) = newton.curvature.response(space, &factor, &moved, &kappas);
            let mut v: Vec<f64> = here.v.iter().zip(change).map(|(v, c)| v + c).collect();
            for own in v.chunks_mut(size.max(1)) {
                let gone = |m: &usize| weights[*m] == 0.0;
                (0..weights.len()).filter(gone).for_each(|m| own[space.part(m)].fill(0.0));
            }
            let bias = here.bias.iter().zip(shift).map(|(b, s)| b + s).collect();
            trials.push(Point { weights, v, bias, ..here.clone() });
        }
        newton.factor = Some(factor);
        for moved in trials {
            let active = moved.active();
            let Some(moved) = newton.evaluate(moved, &active)? else { return Ok(None) };
            if moved.value(problem) + self.set.penalty(&moved.weights) < before {
                return Ok(Some(moved));
            }
            // Between the two, where nothing but sums is to be made anew.
            let steps: Vec<f64> = (1..=12).map(|k| 0.5_f64.powi(k)).collect();
            let losses = problem.along(&here.at.f, &moved.at.f, &steps, here.h)?;
            let Some(losses) = losses else { return Ok(None) };
            let at = |t: f64| {
                let weights = self.set.onto(&blend(&here.weights, &moved.weights, t));
                (weights, blend(&here.v, &moved.v, t))
            };
            let value = |(t, loss): (&f64, &f64)| {
                let (weights, v) = at(*t);
                let norms = (0..problem.heads()).map(|u| half_norm(problem, &weights, &v, u));
                loss + self.set.penalty(&weights) + norms.sum::<f64>()
            };
            let values: Vec<f64> = steps.iter().zip(&losses).map(value).collect();
            let best = (0..values.len()).fold(0, |b, k| if values[k] < values[b] { k } else { b });
            if values[best] < before {
                let (weights, v) = at(steps[best]);
                let bias = blend(&here.bias, &moved.bias, steps[best]);
                let point = Point { weights, v, bias, ..here.clone() };
                let active = point.active();
                return newton.evaluate(point, &active);
            }
        }
        // The weights that are best for these functions: no decision value changes.
        let slopes: Vec<f64> = (0..here.weights.len())
            .map(|m| {
                let norm: f64 = (0..problem.heads())
                    .map(|u| {
                        here.v[u * size..(u + 1) * size][space.part(m)]
                            .iter()
                            .map(|v| v * v)
                            .sum::<f64>()
                    })
                    .sum();
                if here.weights[m] > 0.0 { -0.5 * norm / here.weights[m].powi(2) } else { 0.0 }
            })
            .collect();
        let weights = self.set.majorised(&here.weights, &slopes).weights;
        let lost = (0..weights.len()).any(|m| weights[m] == 0.0 && slopes[m] != 0.0);
        let moved = Point { weights, ..here.clone() };
        let better = moved.value(problem) + self.set.penalty(&moved.weights) < before;
        Ok(Some(if better && !lost { moved } else { here.clone() }))
    }

    /// Weights next to nothing become 0.
    fn cleaned(&self, weights: Vec<f64>) -> Vec<f64> {
        let largest = weights.iter().fold(0.0_f64, |a, w| a.max(*w));
        if !self.set.drops() || largest <= 0.0 {
            return weights;
        }
        let kept: Vec<f64> =
            weights.iter().map(|w| if *w < DROP * largest { 0.0 } else { *w }).collect();
        self.set.onto(&kept)
    }
}
