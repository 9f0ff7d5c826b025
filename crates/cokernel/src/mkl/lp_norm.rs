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
//! δu is kept between −3 and 3, and weights below 10⁻⁷ whose q_m does not depend on them go where the equations put them,
//! η_m = (q_m / Σ_h η_h q_h)^{1/(p−1)}. `closed_form`: the step of the papers, η_m ∝ ‖w_m‖^{2/(p+1)} with
//! ‖w_m‖² = η_m² q_m, which needs the more machines the nearer p is to 1.
//!
//! **Scale.** Not invariant: s·K_m with s > 1 makes kernel m cheaper and attracts weight, so normalise. Scaling
//! all kernels by s and C by 1/s leaves η unchanged. The combined kernel has up to M^{1 − 1/p} times the
//! size of one of the kernels, and needs as much less C than SimpleMKL. Two copies of a kernel get
//! the same weight, and together more than the one had.
//!
//! See [`outer`](super::outer) for the loop and its cost: three to seven machines and as many passes over all kernels; and
//! `outer/dual.rs` for very many kernels of single features, where one sum of all of them is enough.

use super::outer::simplex::Simplex;
use super::outer::{MAX_ITERATIONS, Outer, TOL};
use super::sets::ball::Ball;
use super::{Copies, Learned, Learner, Problem};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::{Result, Run};

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
        let ball = Ball { p: self.p, blocks: 1 };
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

    fn scales(&self) -> bool {
        true
    }

    fn drives_duals(&self) -> bool {
        true
    }
}
