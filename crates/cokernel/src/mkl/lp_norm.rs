//! lp-norm MKL: weights in the unit ball of the lp norm, which keep all kernels and share weight the more
//! evenly the larger p is.
//!
//! ```text
//! min  J(η)   subject to   η ≥ 0,  ‖η‖_p = (Σ η_m^p)^{1/p} ≤ 1
//! J(η) = max_c  ℓ(c) − ½ Σ_u Σ_m η_m q_m^u(c),      q_m^u = c_uᵀ K_m c_u
//! ```
//!
//! (Kloft, Brefeld, Sonnenburg and Zien, JMLR 12, 2011; LMKA §2.2.1.2; GMKD §VII.) p = 1 is SimpleMKL; for
//! p → ∞ all weights become 1, which is the sum of the kernels. J does not increase with η, so ‖η‖_p = 1.
//!
//! **Certificate.** P(η) ≥ min J ≥ ℓ(c) − ½ ‖q‖_{p/(p−1)} with q_m = Σ_u q_m^u, for any feasible c.
//!
//! **Steps.** `newton` (the default): where weights are best, q_m = κ η_m^{p−1} with one κ for all kernels. Newton's method
//! solves these equations in logarithms, of both sides and of the weights: with u_m = log η_m, ω_m = ½ η_m q_m and H the
//! Hessian of J in η,
//!
//! ```text
//! [diag((p − 1) ω) + diag(η) H diag(η)] δu = diag(ω) (log(q_m/(κ η_m^{p−1})) − δ log κ),     Σ η_m^p δu_m = 0.
//! ```
//!
//! The left side is positive definite; where forms do not change (H = 0) a step solves the equations, however small the
//! weight should be: a second-order model of J in η, or in η^p, comes there in many steps, because it is poor far away.
//! δu is kept between −3 and 3, and weights below 10⁻⁷ go where the equations put them,
//! η_m = (q_m / Σ_h η_h q_h)^{1/(p−1)}. `closed_form`: the step of the papers, η_m ∝ ‖w_m‖^{2/(p+1)} with
//! ‖w_m‖² = η_m² q_m, which needs the more machines the nearer p is to 1.
//!
//! **Scale.** Not invariant: s·K_m with s > 1 makes kernel m cheaper and attracts weight, so normalise. Scaling
//! all kernels by s and C by 1/s leaves η unchanged. The combined kernel has up to M^{1 − 1/p} times the
//! size of one of the kernels, and needs as much less C than SimpleMKL. Two copies of a kernel get
//! the same weight, and together more than the one had.
//!
//! See [`outer`](super::outer) for the loop and its cost: three to seven machines and as many passes over all kernels.

use super::outer::simplex::Simplex;
use super::outer::{MAX_ITERATIONS, Outer, Proposal, Set, TOL, closed_form};
use super::{Copies, Learned, Learner, Problem};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::solve::conjugate::conjugate_gradients;
use crate::{Result, Run};
use cokernel_dense::Cholesky;

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(LpNorm::new(p)) };

static METHOD: Method = Method {
    id: "lp_norm",
    title: "lp-norm MKL",
    source: "Kloft, Brefeld, Sonnenburg, Zien 2011; Gönen 2010, §2.2.1.2",
    summary: "Weights in the unit ball of the lp norm on which the machine has the least objective: all \
              kernels take part, the more evenly the larger p is. Stops on the relative duality gap. Costs \
              about five machines and as many passes over all kernels.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet {
        id: "lp_ball",
        says: "not negative, with lp norm 1",
        holds: |w, p| {
            let sum: f64 = w.iter().map(|w| w.powf(p.real("p"))).sum();
            w.iter().all(|w| *w >= 0.0) && (sum - 1.0).abs() < 1e-9
        },
    },
    params: &[
        Param {
            name: "p",
            doc: "The norm: 1 keeps few kernels (SimpleMKL), large values weigh all alike.",
            range: Range::Real { default: 2.0, min: 1.0, max: 1e3, closed: true },
        },
        TOL,
        MAX_ITERATIONS,
        Param {
            name: "direction",
            doc: "newton: Newton's method on the optimality conditions; closed_form: the step of the papers.",
            range: Range::Choice { default: "newton", of: &["newton", "closed_form"] },
        },
    ],
};

#[derive(Debug)]
struct LpNorm {
    p: f64,
    tol: f64,
    max_iterations: usize,
    newton: bool,
}

impl LpNorm {
    fn new(params: &Params) -> Self {
        LpNorm {
            p: params.real("p"),
            tol: params.real("tol"),
            max_iterations: params.count("max_iterations"),
            newton: params.text("direction") == "newton",
        }
    }
}

impl Learner for LpNorm {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let ball = Ball { p: self.p };
        let outer = Outer {
            title: "lp-norm MKL",
            set: if self.p > 1.0 { &ball } else { &Simplex },
            tol: self.tol,
            max_iterations: self.max_iterations,
            second: self.newton,
        };
        outer.learn(problem, run)
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    fn drives_duals(&self) -> bool {
        true
    }
}

/// η ≥ 0, ‖η‖_p = 1, p > 1.
#[derive(Debug)]
pub(super) struct Ball {
    pub p: f64,
}

/// Largest change of the logarithm of a weight in a step.
const FARTHEST: f64 = 3.0;
/// Weights below this are put where the equations say.
const SMALL: f64 = 1e-7;

impl Ball {
    fn norm(&self, weights: &[f64], p: f64) -> f64 {
        // Divided by the largest, so that no power overflows.
        let largest = weights.iter().fold(0.0_f64, |a, w| a.max(w.abs()));
        if largest == 0.0 {
            return 0.0;
        }
        let sum: f64 = weights.iter().map(|w| (w.abs() / largest).powf(p)).sum();
        largest * sum.powf(1.0 / p)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Set for Ball {
    fn first(&self, kernels: usize) -> Vec<f64> {
        vec![(kernels as f64).powf(-1.0 / self.p); kernels]
    }

    fn onto(&self, weights: &[f64]) -> Vec<f64> {
        let norm = self.norm(weights, self.p);
        weights.iter().map(|w| w / norm).collect()
    }

    fn conjugate(&self, half_forms: &[f64]) -> f64 {
        let kept: Vec<f64> = half_forms.iter().map(|q| q.max(0.0)).collect();
        self.norm(&kept, self.p / (self.p - 1.0))
    }

    /// The direction that stays on ‖η‖_p = 1 to first order.
    fn slope(&self, weights: &[f64], gradient: &[f64], direction: &[f64]) -> f64 {
        let across = |w: &f64| if *w > 0.0 { w.powf(self.p - 1.0) } else { 0.0 };
        let inward: f64 = weights.iter().zip(direction).map(|(w, d)| across(w) * d).sum();
        let terms = weights.iter().zip(gradient).zip(direction);
        terms.map(|((w, g), d)| g * (d - w * inward)).sum()
    }

    fn second_order(&self, weights: &[f64], gradient: &[f64], hessian: &[f64]) -> Proposal {
        let (p, m) = (self.p, weights.len());
        let forms: Vec<f64> = gradient.iter().map(|g| (-2.0 * g).max(0.0)).collect();
        let level: f64 = weights.iter().zip(&forms).map(|(w, q)| w * q).sum();
        let mut found: Vec<f64> =
            forms.iter().map(|q| (q / level).powf(1.0 / (p - 1.0)).min(1.0)).collect();
        let used: Vec<usize> = (0..m).filter(|k| weights[*k] >= SMALL && forms[*k] > 0.0).collect();
        let f = used.len();
        // What each equation counts.
        let mass: Vec<f64> = used.iter().map(|k| 0.5 * weights[*k] * forms[*k]).collect();
        let mut model = vec![0.0; f * f];
        for (a, k) in used.iter().enumerate() {
            for (b, l) in used.iter().enumerate() {
                model[a * f + b] = weights[*k] * hessian[k * m + l] * weights[*l];
            }
            model[a * f + a] += (p - 1.0) * mass[a];
        }
        let miss = |k: &usize| forms[*k].ln() - level.ln() - (p - 1.0) * weights[*k].ln();
        let mut sides: Vec<f64> = used.iter().zip(&mass).map(|(k, w)| w * miss(k)).collect();
        sides.extend(&mass);
        let stay = Proposal { weights: weights.to_vec(), decrease: 0.0, far: false };
        let Some(factor) = Cholesky::with_ridge(f, &model) else { return stay };
        factor.solve(&mut sides, 2);
        let (plain, ones) = sides.split_at(f);
        let along =
            |v: &[f64]| -> f64 { used.iter().zip(v).map(|(k, v)| weights[*k].powf(p) * v).sum() };
        let change = along(plain) / along(ones);
        let step: Vec<f64> = plain.iter().zip(ones).map(|(a, b)| a - change * b).collect();
        if !(level > 0.0 && step.iter().all(|v| v.is_finite())) {
            return stay;
        }
        let mut bend = 0.0;
        for (row, a) in model.chunks(f).zip(&step) {
            bend += a * row.iter().zip(&step).map(|(h, b)| h * b).sum::<f64>();
        }
        for (k, v) in used.iter().zip(&step) {
            found[*k] = weights[*k] * v.clamp(-FARTHEST, FARTHEST).exp();
        }
        Proposal { weights: self.onto(&found), decrease: 0.5 * bend, far: false }
    }

    /// The same equations by conjugate gradients, divided by the diagonal. Where kernels have rank one and ℓ adds
    /// nothing to the diagonal, diag(η) H diag(η) is then 2/(p − 1) times a projection: two steps are exact.
    fn second_order_by(
        &self,
        weights: &[f64],
        gradient: &[f64],
        times: &dyn Fn(&[f64]) -> Option<Vec<f64>>,
    ) -> Option<Proposal> {
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
}
