//! Newton steps by conjugate gradients: products with K and L alone.

use super::{Point, Smooth, Step, Times, add, dot, without_mean};

/// Share of its residual at which a step by conjugate gradients is good enough.
const ENOUGH: f64 = 1e-3;

/// Products with K that one such step takes at most.
const MOST_INNER: u64 = 1_000;

impl Smooth<'_> {
    /// The Newton step for E by conjugate gradients in the inner product of K, with b eliminated: the operator
    /// I + B̂K with B = D_E + μL and B̂ = B − B11ᵀB/1ᵀB1. The squared length of the residual there is twice the gap
    /// that is left while E stays.
    pub(super) fn gradients(
        &self,
        now: &Point,
        active: &[bool],
        enough: f64,
        most: u64,
        times: &Times<'_>,
    ) -> Option<Step> {
        let n = active.len();
        let cost = |i: usize| if active[i] { self.costs[i] } else { 0.0 };
        let ones = self.laplacian.ones();
        let weight: Vec<f64> = (0..n).map(|i| cost(i) + self.smoothness * ones[i]).collect();
        let total: f64 = weight.iter().sum();
        let shift = |x: &[f64]| if total > 0.0 { dot(&weight, x) / total } else { 0.0 };
        let (mut x, mut kx) = (vec![0.0; n], vec![0.0; n]);
        let (mut r, mut kr) = (now.residual.clone(), now.pull.clone());
        let (mut p, mut kp) = (r.clone(), kr.clone());
        let mut length = dot(&r, &kr);
        let enough = (ENOUGH * length).max(2.0 * enough);
        let mut products = 0;
        while products < most.min(MOST_INNER) && length > 0.0 {
            let back = shift(&kp);
            let rough = self.rough(&kp);
            let q: Vec<f64> =
                (0..n).map(|i| p[i] + cost(i) * kp[i] + rough[i] - weight[i] * back).collect();
            let by = length / dot(&kp, &q);
            if !(by.is_finite() && by > 0.0) {
                break;
            }
            add(&mut x, by, &p);
            add(&mut kx, by, &kp);
            add(&mut r, -by, &q);
            without_mean(&mut r);
            kr = times(&r)?.0;
            products += 1;
            let next = dot(&r, &kr);
            if next <= enough {
                break;
            }
            let keep = next / length;
            length = next;
            p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + keep * *p);
            kp.iter_mut().zip(&kr).for_each(|(p, r)| *p = r + keep * *p);
        }
        let bias = -shift(&kx);
        Some(Step { coef: x, bias, values: Some(kx), products })
    }
}
