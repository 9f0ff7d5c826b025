//! Directions from gradients: limited-memory BFGS (Nocedal & Wright 2006, algorithm 7.4).

use std::collections::VecDeque;

/// Pairs of steps and changes of the gradient that are kept.
const MEMORY: usize = 10;

/// What is known of the curvature.
#[derive(Debug, Default)]
pub(in crate::mkl) struct Curvature {
    /// s, y and 1 / sᵀy, the oldest first.
    pairs: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
}

pub(in crate::mkl) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Curvature {
    /// Learns from a step and the change of the gradient along it; whether the objective bends upwards there.
    pub fn learn(&mut self, step: Vec<f64>, change: Vec<f64>) -> bool {
        let along = dot(&step, &change);
        let size = (dot(&step, &step) * dot(&change, &change)).sqrt();
        if along.is_nan() || along <= 1e-8 * size {
            return false;
        }
        if self.pairs.len() == MEMORY {
            self.pairs.pop_front();
        }
        self.pairs.push_back((step, change, along.recip()));
        true
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.pairs.clear();
    }

    /// −H g; `None` while nothing is known, or where it is no descent.
    pub fn direction(&self, gradient: &[f64]) -> Option<Vec<f64>> {
        let (last_step, last_change, inverse) = self.pairs.back()?;
        debug_assert_eq!(last_step.len(), gradient.len());
        let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for (step, change, inverse) in self.pairs.iter().rev() {
            let share = inverse * dot(step, &q);
            q.iter_mut().zip(change).for_each(|(q, y)| *q -= share * y);
            shares.push(share);
        }
        let scale = 1.0 / (inverse * dot(last_change, last_change));
        q.iter_mut().for_each(|q| *q *= scale);
        for ((step, change, inverse), share) in self.pairs.iter().zip(shares.iter().rev()) {
            let back = inverse * dot(change, &q);
            q.iter_mut().zip(step).for_each(|(q, s)| *q += (share - back) * s);
        }
        let descends = q.iter().all(|v| v.is_finite()) && dot(&q, gradient) < 0.0;
        descends.then_some(q)
    }

    /// The same among the parameters that are free, by what the pairs say of these alone; 0 for the others.
    pub fn direction_in(&self, gradient: &[f64], free: &[bool]) -> Option<Vec<f64>> {
        if free.iter().all(|f| *f) {
            return self.direction(gradient);
        }
        let only = |v: &[f64]| v.iter().zip(free).filter(|f| *f.1).map(|f| *f.0).collect();
        let mut reduced = Curvature::default();
        for (step, change, _) in &self.pairs {
            reduced.learn(only(step), only(change));
        }
        let mut found = reduced.direction(&only(gradient))?.into_iter();
        Some(free.iter().map(|f| if *f { found.next().unwrap_or(0.0) } else { 0.0 }).collect())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// With as many pairs as there are directions it is Newton's step of a quadratic function.
    #[test]
    fn pairs_along_the_axes_give_the_newton_step() {
        let curvatures = [1.0, 4.0, 0.25];
        let mut known = Curvature::default();
        assert!(known.direction(&[1.0, 1.0, 1.0]).is_none());
        for (k, bend) in curvatures.iter().enumerate() {
            let axis = |v: f64| (0..3).map(|j| if j == k { v } else { 0.0 }).collect::<Vec<_>>();
            assert!(known.learn(axis(1.0), axis(*bend)));
        }
        let found = known.direction(&[1.0, 2.0, 3.0]).unwrap();
        for (f, w) in found.iter().zip([-1.0, -0.5, -12.0]) {
            assert!((f - w).abs() < 1e-12, "{found:?}");
        }
        // The second parameter is held: as if it were not there.
        let held = known.direction_in(&[1.0, 2.0, 3.0], &[true, false, true]).unwrap();
        for (f, w) in held.iter().zip([-1.0, 0.0, -12.0]) {
            assert!((f - w).abs() < 1e-12, "{held:?}");
        }
        // Bent downwards: nothing is learned.
        assert!(!known.learn(vec![1.0, 0.0, 0.0], vec![-1.0, 0.0, 0.0]));
        assert!(!known.learn(vec![1.0, 0.0, 0.0], vec![f64::NAN, 0.0, 0.0]));
    }
}
