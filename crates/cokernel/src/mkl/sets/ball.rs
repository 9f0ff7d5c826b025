//! The ball of an lp norm, and a ball for each of several blocks of weights.

use super::logarithms::{Equations, FARTHEST, SMALL};
use super::norm;
use crate::mkl::outer::{Proposal, Set, closed_form};
use crate::solve::conjugate::conjugate_gradients;
use cokernel_dense::Lu;

/// p from which on the best weights are alike: of sixty problems of 20 kernels with p = 2, 3, 4 and 8 a sample of half the
/// size cost one a machine more, at p = 2, and took a tenth off the time of the others.
const EVEN: f64 = 2.0;

/// η ≥ 0, ‖η_b‖_p = 1 for each block b, p > 1. Newton's step is that of [`lp_norm`](crate::mkl), with one κ for each
/// block.
#[derive(Debug)]
pub(in crate::mkl) struct Ball {
    pub p: f64,
    /// How many blocks there are, all of one size, one after the other.
    pub blocks: usize,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Ball {
    /// The number of weights in a block of M in all.
    fn size(&self, all: usize) -> usize {
        (all / self.blocks).max(1)
    }
}

impl Set for Ball {
    fn first(&self, kernels: usize) -> Vec<f64> {
        vec![(self.size(kernels) as f64).powf(-1.0 / self.p); kernels]
    }

    fn onto(&self, weights: &[f64]) -> Vec<f64> {
        let size = self.size(weights.len());
        let block = |block: &[f64]| -> Vec<f64> {
            match norm(block, self.p) {
                norm if norm > 0.0 => block.iter().map(|w| w / norm).collect(),
                // A block whose kernels are all 0, which has any weights.
                _ => vec![(size as f64).powf(-1.0 / self.p); size],
            }
        };
        weights.chunks(size).flat_map(block).collect()
    }

    fn conjugate(&self, half_forms: &[f64]) -> f64 {
        let kept: Vec<f64> = half_forms.iter().map(|q| q.max(0.0)).collect();
        let blocks = kept.chunks(self.size(kept.len()));
        blocks.map(|block| norm(block, self.p / (self.p - 1.0))).sum()
    }

    /// The direction that stays on ‖η_b‖_p = 1 to first order.
    fn slope(&self, weights: &[f64], gradient: &[f64], direction: &[f64]) -> f64 {
        let size = self.size(weights.len());
        let across = |w: &f64| if *w > 0.0 { w.powf(self.p - 1.0) } else { 0.0 };
        let parts = weights.chunks(size).zip(gradient.chunks(size)).zip(direction.chunks(size));
        let block = |((weights, gradient), direction): ((&[f64], &[f64]), &[f64])| -> f64 {
            let inward: f64 = weights.iter().zip(direction).map(|(w, d)| across(w) * d).sum();
            let terms = weights.iter().zip(gradient).zip(direction);
            terms.map(|((w, g), d)| g * (d - w * inward)).sum()
        };
        parts.map(block).sum()
    }

    fn second_order(&self, weights: &[f64], gradient: &[f64], hessian: &[f64]) -> Proposal {
        let (p, m, size) = (self.p, weights.len(), self.size(weights.len()));
        let forms: Vec<f64> = gradient.iter().map(|g| (-2.0 * g).max(0.0)).collect();
        // κ of each block.
        let levels: Vec<f64> =
            weights.chunks(size).zip(forms.chunks(size)).map(|(w, q)| dot(w, q)).collect();
        let level = |k: usize| levels[k / size];
        let own = |k: usize| match level(k) > 0.0 {
            true => (forms[k] / level(k)).powf(1.0 / (p - 1.0)).min(1.0),
            false => weights[k],
        };
        let mut found: Vec<f64> = (0..m).map(own).collect();
        let equations = Equations::new(p, weights, &forms, hessian, SMALL);
        let (used, mass) = (&equations.used, &equations.mass);
        let miss = |k: &usize| forms[*k].ln() - level(*k).ln() - (p - 1.0) * weights[*k].ln();
        let mut sides: Vec<f64> = used.iter().zip(mass).map(|(k, w)| w * miss(k)).collect();
        let mut blocks: Vec<usize> = used.iter().map(|k| k / size).collect();
        blocks.dedup();
        for b in &blocks {
            let part = |(k, w): (&usize, &f64)| if k / size == *b { *w } else { 0.0 };
            sides.extend(used.iter().zip(mass).map(part));
        }
        let f = used.len();
        let stay = Proposal { weights: weights.to_vec(), decrease: 0.0, far: false };
        if !equations.solve(&mut sides) {
            return stay;
        }
        let (plain, ones) = sides.split_at(f);
        // The changes of log κ with which each block stays on its sphere to first order.
        let along = |b: usize, v: &[f64]| -> f64 {
            let inside = used.iter().zip(v).filter(|(k, _)| *k / size == b);
            inside.map(|(k, v)| weights[*k].powf(p) * v).sum()
        };
        let mut changes: Vec<f64> = blocks.iter().map(|b| along(*b, plain)).collect();
        let rows = blocks.iter().flat_map(|b| ones.chunks(f.max(1)).map(|v| along(*b, v)));
        let Some(lu) = Lu::new(blocks.len(), rows.collect()) else { return stay };
        lu.solve(&mut changes, 1);
        let mut step = plain.to_vec();
        for (change, ones) in changes.iter().zip(ones.chunks(f.max(1))) {
            step.iter_mut().zip(ones).for_each(|(s, one)| *s -= change * one);
        }
        if blocks.is_empty() || !step.iter().all(|v| v.is_finite()) {
            return stay;
        }
        let decrease = 0.5 * equations.bend(&step) + equations.regained(&forms, &found);
        equations.moved(weights, &step, &mut found);
        Proposal { weights: self.onto(&found), decrease, far: false }
    }

    /// The same equations by conjugate gradients, divided by the diagonal. Where kernels have rank one and ℓ adds
    /// nothing to the diagonal, diag(η) H diag(η) is then 2/(p − 1) times a projection: two steps are exact.
    fn second_order_by(
        &self,
        weights: &[f64],
        gradient: &[f64],
        times: &dyn Fn(&[f64]) -> Option<Vec<f64>>,
    ) -> Option<Proposal> {
        if self.blocks > 1 {
            return None;
        }
        let (p, m) = (self.p, weights.len());
        let forms: Vec<f64> = gradient.iter().map(|g| (-2.0 * g).max(0.0)).collect();
        let level: f64 = weights.iter().zip(&forms).map(|(w, q)| w * q).sum();
        let small = SMALL * (m as f64).powf(-1.0 / p);
        let mut used = vec![false; m];
        (0..m).for_each(|k| used[k] = weights[k] >= small && forms[k] > 0.0);
        let only = |f: &dyn Fn(usize) -> f64| -> Vec<f64> {
            (0..m).map(|k| if used[k] { f(k) } else { 0.0 }).collect()
        };
        let mass = only(&|k| 0.5 * weights[k] * forms[k]);
        let miss = |k: usize| forms[k].ln() - level.ln() - (p - 1.0) * weights[k].ln();
        let side = only(&|k| mass[k] * miss(k));
        let left = |x: &[f64]| -> Option<Vec<f64>> {
            let scaled = only(&|k| weights[k] * x[k]);
            let bent = times(&scaled)?;
            Some(only(&|k| (p - 1.0) * mass[k] * x[k] + weights[k] * bent[k]))
        };
        let divided = |r: &[f64]| only(&|k| r[k] / ((p - 1.0) * mass[k]));
        let plain = conjugate_gradients(&left, &divided, &side)?;
        let ones = conjugate_gradients(&left, &divided, &mass)?;
        let shares = only(&|k| weights[k].powf(p));
        let change = dot(&shares, &plain) / dot(&shares, &ones);
        let step = only(&|k| plain[k] - change * ones[k]);
        let bend: f64 = (0..m).map(|k| step[k] * (side[k] - change * mass[k])).sum();
        if !(level > 0.0 && bend.is_finite() && step.iter().all(|v| v.is_finite())) {
            return None;
        }
        let found: Vec<f64> = (0..m)
            .map(|k| match used[k] {
                true => weights[k] * step[k].clamp(-FARTHEST, FARTHEST).exp(),
                false => (forms[k] / level).powf(1.0 / (p - 1.0)).min(1.0),
            })
            .collect();
        Some(Proposal { weights: self.onto(&found), decrease: 0.5 * bend, far: false })
    }

    fn majorised(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        closed_form(self, self.p, weights, gradient)
    }

    fn first_order(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        self.majorised(weights, gradient)
    }

    fn drops(&self) -> bool {
        false
    }

    fn evens(&self) -> bool {
        self.blocks == 1 && self.p >= EVEN
    }

    fn ball(&self) -> Option<f64> {
        (self.blocks == 1).then_some(self.p)
    }
}
