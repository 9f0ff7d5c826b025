//! Maximum entropy discrimination with feature concatenation (MEDFC): weights of kernels and of view classifiers, and the
//! machine between them, in one convex problem.
//!
//! ```text
//! min_{0 ≤ α ≤ C}  −Σ_m [ log(1 − αᵀQ_mα/2λ) + log(1 − v_m/γ) ] − Σα                    (16)
//! σ_m = 1/(λ − ½αᵀQ_mα),   μ_m = 1/(γ − v_m)                                            (17)
//! f(x) = Σ_m [ σ_m Σ_i α_i y_i K_m(x_i, x) + μ_m f_m(x) ]
//! ```
//!
//! (GMKD, Mao, Tsang, Gao and Wang 2015, §IV.) λ and γ are the rates of exponential priors of σ and μ: small ones give all
//! kernels alike large weights, large ones let few stand out; with λ → ∞ for the same C all σ_m are 1/λ. `prior=none` is
//! γ = ∞: the view classifiers do not count, and none is trained. Symbols, solver, certificate, scale and cost are those
//! of the [family](super::priors): the default takes (σ, μ) as its variables, `solver=sqp` is Algorithm 1 of the paper.
//!
//! σ_m is at least 1/λ, so no kernel is ever left out; `details["active_kernels"]` counts those whose σ_m − 1/λ is above
//! 10⁻³ of the largest. `uses` of the rule are σ_m over their sum.

use super::outer::TOL;
use super::priors::{GAMMA, PRIOR, Penalty, Priors, SOLVER, UNIT};
use super::view_classifiers::{C_FACTORS, FOLDS, VALUES};
use super::{Copies, Learned, Learner, Problem};
use crate::machine::Machine;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Range};
use crate::{Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry {
    method: &METHOD,
    build: |p| Box::new(Medfc(Priors::new("MEDFC", Penalty::Averaged(p.real("lambda")), p))),
};

static METHOD: Method = Method {
    id: "medfc",
    title: "maximum entropy discrimination with view classifiers (MEDFC)",
    source: "Mao, Tsang, Gao, Wang 2015, (16)-(19)",
    summary: "Weights of kernels, weights of the classifiers of single kernels, and a machine that mends what these leave, \
              in one convex problem: between MKL and an ensemble. All kernels keep some weight. 1 is added \
              to every kernel in place of a constant beside them. Costs the view classifiers and about five machines.",
    tasks: &[Task::Classify],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "lambda",
            doc: "Rate λ of the exponential prior of σ: the larger, the smaller the part of the kernels.",
            range: Range::Real { default: 10.0, min: 0.0, max: 1e12, closed: false },
        },
        GAMMA,
        PRIOR,
        SOLVER,
        UNIT,
        VALUES,
        FOLDS,
        C_FACTORS,
        TOL,
        Param {
            name: "max_iterations",
            doc: "Limit on changes of the weights of each binary problem.",
            range: Range::Int { default: 200, min: 1, max: i64::MAX },
        },
    ],
};

#[derive(Debug)]
struct Medfc(Priors);

impl Learner for Medfc {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        self.0.learn(problem, run)
    }

    fn learns_per_view(&self) -> bool {
        true
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    fn takes(&self, machine: &dyn Machine) -> bool {
        machine.hinge().is_some()
    }

    fn reads_partial_labels(&self) -> bool {
        true
    }

    fn weights_repeat(&self) -> bool {
        false
    }
}
