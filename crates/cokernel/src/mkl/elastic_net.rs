//! Elastic-net MKL: weights in a set between the simplex, which keeps few kernels, and the ball of the l2 norm,
//! which keeps all.
//!
//! ```text
//! min  J(η)   subject to   η ≥ 0,  v Σ_m η_m + (1 − v) Σ_m η_m² ≤ 1
//! J(η) = max_c  ℓ(c) − ½ Σ_u Σ_m η_m q_m^u(c),      q_m^u = c_uᵀ K_m c_u
//! ```
//!
//! (Yang, Xu, King and Lyu, IEEE TNN 22, 2011; with the constraint as a penalty GMKD §V-C; D7.) v is `l1_ratio`: 1 is
//! [`simple_mkl`](super::simple_mkl), 0 is [`lp_norm`](super::lp_norm) with p = 2. In between a kernel has a weight
//! where its form q_m exceeds a threshold, and kernels that resemble each other share it evenly. J does not
//! increase with η, so the constraint holds with equality.
//!
//! **Certificate.** P(η) ≥ min J ≥ ℓ(c) − max_η ½ Σ η_m q_m for any feasible c; the largest value is at
//! η_m = [q_m/2 − τv]₊ / (2τ(1 − v)) with the τ of the constraint.
//!
//! **Steps.** s_m = v η_m + (1 − v) η_m² makes the set the simplex; J is convex in s, because it is convex and
//! non-increasing in η and η is a concave function of s. With d_m = 1/(v + 2(1 − v) η_m), the model
//!
//! ```text
//! ∂J/∂s_m = −½ q_m d_m,     ∂²J/∂s² = diag(d) H diag(d) + diag((1 − v) q_m d_m³),      H that of J in η,
//! ```
//!
//! is minimised over the simplex. The bound from above of other methods, ½ Σ ‖w_m‖²/η_m with ‖w_m‖² = η_m² q_m, is least
//! where ‖w_m‖²/(2η_m²) = τ(v + 2(1 − v) η_m). The paper solves it by a level method.
//!
//! **Scale.** Not invariant: s·K_m with s > 1 makes kernel m cheaper and attracts weight, so normalise. Scaling
//! all kernels by s and C by 1/s leaves η unchanged. Two copies of a kernel get the same weight, and together
//! more than the one had.
//!
//! See [`outer`](super::outer) for the loop and its cost: about five machines and as many passes over all kernels.

use super::outer::simplex::Simplex;
use super::outer::{MAX_ITERATIONS, Outer, Proposal, Set, TOL};
use super::sets::ball::Ball;
use super::sets::penalised::balance;
use super::sets::{cost, norms, towards_corner};
use super::{Copies, Learned, Learner, Problem};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::solve::simplex::minimize_on_simplex;
use crate::{Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(ElasticNet::new(p)) };

static METHOD: Method = Method {
    id: "elastic_net",
    title: "elastic-net MKL",
    source: "Yang, Xu, King, Lyu 2011; Mao et al. 2015, §V-C",
    summary: "Weights with v Σ η + (1 − v) Σ η² = 1 on which the machine has the least objective: between SimpleMKL, \
              which keeps few kernels, and the l2 norm, which keeps all. Kernels that resemble each other share \
              their weight. Stops on the relative duality gap. Costs about five machines and as many passes over \
              all kernels.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet {
        id: "elastic_net",
        says: "not negative, with v Σ η + (1 − v) Σ η² = 1",
        holds: |w, p| {
            let v = p.real("l1_ratio");
            let spent: f64 = w.iter().map(|w| v * w + (1.0 - v) * w * w).sum();
            w.iter().all(|w| *w >= 0.0) && (spent - 1.0).abs() < 1e-9
        },
    },
    params: &[
        Param {
            name: "l1_ratio",
            doc: "v: the part of the l1 norm in v Σ η + (1 − v) Σ η² ≤ 1; 1 keeps few kernels (SimpleMKL), 0 all (lp-norm \
                  MKL with p = 2).",
            range: Range::Real { default: 0.5, min: 0.0, max: 1.0, closed: true },
        },
        TOL,
        MAX_ITERATIONS,
    ],
};

#[derive(Debug)]
struct ElasticNet {
    v: f64,
    tol: f64,
    max_iterations: usize,
}

impl ElasticNet {
    fn new(params: &Params) -> Self {
        ElasticNet {
            v: params.real("l1_ratio"),
            tol: params.real("tol"),
            max_iterations: params.count("max_iterations"),
        }
    }
}

impl Learner for ElasticNet {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let (net, ball) = (Net { v: self.v }, Ball { p: 2.0, blocks: 1 });
        let set: &dyn Set = match self.v {
            1.0 => &Simplex,
            0.0 => &ball,
            _ => &net,
        };
        let outer = Outer {
            title: "elastic-net MKL",
            set,
            tol: self.tol,
            max_iterations: self.max_iterations,
            second: true,
        };
        outer.learn(problem, run)
    }

    fn copies(&self) -> Copies {
        if self.v == 1.0 { Copies::Share } else { Copies::CountTwice }
    }

    fn scales(&self) -> bool {
        true
    }

    fn drives_duals(&self) -> bool {
        true
    }
}

/// η ≥ 0, v Σ η + (1 − v) Σ η² = 1, 0 < v < 1.
#[derive(Debug)]
struct Net {
    v: f64,
}

impl Net {
    /// s of one weight.
    fn spent(&self, weight: f64) -> f64 {
        self.v * weight + (1.0 - self.v) * weight * weight
    }

    /// The weight of s.
    fn bought(&self, s: f64) -> f64 {
        2.0 * s / (self.v + (self.v * self.v + 4.0 * (1.0 - self.v) * s).sqrt())
    }

    /// ds/dη.
    fn price(&self, weight: f64) -> f64 {
        self.v + 2.0 * (1.0 - self.v) * weight
    }

    /// The point of the set with the largest Σ η_m z_m; some z is positive.
    fn best(&self, z: &[f64]) -> Vec<f64> {
        let at = |tau: f64| -> Vec<f64> {
            let above = z.iter().map(|z| (z - tau * self.v).max(0.0));
            above.map(|a| a / (2.0 * tau * (1.0 - self.v))).collect()
        };
        let largest = z.iter().fold(0.0_f64, |a, v| a.max(*v));
        // At τ = largest/v no kernel is left.
        self.onto(&self.tightened(&at, largest / self.v))
    }

    /// What `at` gives at the τ where the constraint is met, near `start` or far; the weights fall as τ grows.
    fn tightened(&self, at: &dyn Fn(f64) -> Vec<f64>, start: f64) -> Vec<f64> {
        let spent = |tau: f64| at(tau).iter().map(|w| self.spent(*w)).sum::<f64>();
        let (mut low, mut high) = (start, start);
        while spent(high) > 1.0 && high < f64::MAX {
            (low, high) = (high, 2.0 * high);
        }
        while spent(low) <= 1.0 && low > f64::MIN_POSITIVE {
            (low, high) = (0.5 * low, low);
        }
        for _ in 0..200 {
            let tau = 0.5 * (low + high);
            if tau <= low || tau >= high {
                break;
            }
            if spent(tau) > 1.0 { low = tau } else { high = tau }
        }
        at(low)
    }
}

impl Set for Net {
    fn first(&self, kernels: usize) -> Vec<f64> {
        vec![self.bought(1.0 / kernels as f64); kernels]
    }

    fn onto(&self, weights: &[f64]) -> Vec<f64> {
        let sum: f64 = weights.iter().sum();
        let parts: Vec<f64> = weights.iter().map(|w| w / sum).collect();
        let (linear, square) = (self.v, (1.0 - self.v) * parts.iter().map(|w| w * w).sum::<f64>());
        let times = 2.0 / (linear + (linear * linear + 4.0 * square).sqrt());
        parts.iter().map(|w| w * times).collect()
    }

    fn conjugate(&self, half_forms: &[f64]) -> f64 {
        if half_forms.iter().all(|z| *z <= 0.0) {
            return 0.0;
        }
        let best = self.best(half_forms);
        let value: f64 = best.iter().zip(half_forms).map(|(w, z)| w * z).sum();
        // No less than at any corner, whatever rounding does.
        value.max(half_forms.iter().fold(0.0_f64, |a, z| a.max(*z)))
    }

    /// The direction that stays on the constraint to first order.
    fn slope(&self, weights: &[f64], gradient: &[f64], direction: &[f64]) -> f64 {
        let across = |along: &[f64]| -> f64 {
            weights.iter().zip(along).map(|(w, d)| self.price(*w) * d).sum()
        };
        let outward = across(direction) / across(weights);
        let terms = weights.iter().zip(gradient).zip(direction);
        terms.map(|((w, g), d)| g * (d - w * outward)).sum()
    }

    fn second_order(&self, weights: &[f64], gradient: &[f64], hessian: &[f64]) -> Proposal {
        let m = weights.len();
        let s: Vec<f64> = weights.iter().map(|w| self.spent(*w)).collect();
        let d: Vec<f64> = weights.iter().map(|w| 1.0 / self.price(*w)).collect();
        let slope: Vec<f64> = gradient.iter().zip(&d).map(|(g, d)| g * d).collect();
        let mut model: Vec<f64> = hessian
            .chunks(m)
            .zip(&d)
            .flat_map(|(line, a)| line.iter().zip(&d).map(move |(h, b)| a * h * b))
            .collect();
        for k in 0..m {
            model[k * m + k] += 2.0 * (1.0 - self.v) * (-gradient[k]).max(0.0) * d[k].powi(3);
        }
        let (found, decrease) = minimize_on_simplex(&s, &slope, &model);
        let weights: Vec<f64> = found.iter().map(|s| self.bought(*s)).collect();
        Proposal { weights: self.onto(&weights), decrease, far: false }
    }

    fn majorised(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        let norms = norms(weights, gradient);
        let root: f64 = norms.iter().map(|v| v.sqrt()).sum();
        if !(root > 0.0 && root.is_finite()) {
            return Proposal { weights: weights.to_vec(), decrease: 0.0, far: false };
        }
        let at = |tau: f64| -> Vec<f64> {
            let (flat, steep) = (tau * self.v, 2.0 * tau * (1.0 - self.v));
            norms.iter().map(|v| balance(0.5 * v, flat, steep)).collect()
        };
        let found = self.onto(&self.tightened(&at, root * root));
        let decrease = cost(&norms, weights) - cost(&norms, &found);
        Proposal { weights: found, decrease, far: false }
    }

    fn first_order(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        let half: Vec<f64> = gradient.iter().map(|g| (-g).max(0.0)).collect();
        let bound = self.majorised(weights, gradient);
        if half.iter().all(|z| *z == 0.0) {
            return bound;
        }
        towards_corner(bound, self.best(&half), weights, gradient)
    }

    fn drops(&self) -> bool {
        true
    }

    fn bowl(&self, kernels: usize) -> Option<(Vec<f64>, Vec<f64>)> {
        Some((vec![self.v; kernels], vec![1.0 - self.v; kernels]))
    }

    fn restricted(&self, _: &[usize]) -> Option<Box<dyn Set>> {
        Some(Box::new(Net { v: self.v }))
    }

    /// τv, with z_m = τ(v + 2(1 − v) η_m) of those with a weight.
    fn threshold(&self, terms: &[(usize, f64)], half_forms: &[f64]) -> f64 {
        let level: f64 = terms.iter().map(|(m, w)| w * half_forms[*m]).sum();
        let price: f64 = terms.iter().map(|(_, w)| w * (self.v + 2.0 * (1.0 - self.v) * w)).sum();
        self.v * level / price
    }
}
