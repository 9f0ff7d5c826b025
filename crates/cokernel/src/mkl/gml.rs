//! Maximum entropy discrimination with the most likely weights of the kernels (GML): MKL whose weights have a prior, with
//! the classifiers of the views beside it.
//!
//! ```text
//! min_{σ ≥ 0, μ ≥ 0}  Ω(σ) + Σ_m (γμ_m − log γμ_m − 1) + S(σ, μ)                        (20)
//! f(x) = Σ_m [ σ_m Σ_i α_i y_i K_m(x_i, x) + μ_m f_m(x) ]
//! ```
//!
//! (GMKD, Mao, Tsang, Gao and Wang 2015, Proposition 5 and §V-A to V-C.) Where [`medfc`](super::medfc) averages over σ
//! under its prior, this takes the σ of the largest posterior, and Ω is minus the logarithm of the prior:
//!
//! | `sigma_prior` | Ω(σ) | with `prior=none` (γ = ∞) |
//! |---|---|---|
//! | `exponential` | λ Σσ | MKL with a bound on Σσ, of which λ is the multiplier |
//! | `half_normal` | ½λ Σσ² | MKL with the 2-norm on the weights |
//! | `super_gaussian` | λ Σσ + λ₂ Σσ² | elastic-net MKL |
//! | `power` | λ Σσᵖ, p ≥ 1 | lp-norm MKL |
//!
//! (The half-normal prior with ½: the text and the formula of the paper differ.) All of them are convex. S, the other
//! symbols, the certificate, the scale and the cost are those of the [family](super::priors); steps are Newton's, in σᵖ for
//! the last, with weights of 0 left out of the system while the gradient holds them there.
//!
//! Kernels can be left out. If λ is so large that no kernel pays for its prior, all σ are 0 and the report says so: with
//! `prior=none` there is nothing to decide by then.

use super::outer::TOL;
use super::priors::{GAMMA, PRIOR, Penalty, Priors, UNIT};
use super::view_classifiers::{C_FACTORS, FOLDS, VALUES, ViewClassifiers};
use super::{Copies, Learned, Learner, Problem};
use crate::machine::Machine;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::{Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry { method: &METHOD, build: |p| Box::new(Gml::new(p)) };

static METHOD: Method = Method {
    id: "gml",
    title: "generalised maximum likelihood weights with view classifiers (GML)",
    source: "Mao, Tsang, Gao, Wang 2015, (20)",
    summary: "The most likely weights of kernels under an exponential, half-normal, super-Gaussian or power prior, with \
              weights of the classifiers of single kernels beside them: l1, l2, elastic-net and lp MKL in their penalised \
              form, each with an ensemble as its prior. 1 is added to every kernel in place of a constant beside them. Costs \
              the view classifiers and about ten machines.",
    tasks: &[Task::Classify],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "sigma_prior",
            doc: "Prior of σ: exponential, λσ; half_normal, ½λσ²; super_gaussian, λσ + λ₂σ²; power, λσᵖ.",
            range: Range::Choice {
                default: "half_normal",
                of: &["exponential", "half_normal", "super_gaussian", "power"],
            },
        },
        Param {
            name: "lambda",
            doc: "Rate λ of the prior of σ: the larger, the smaller the part of the kernels.",
            range: Range::Real { default: 10.0, min: 0.0, max: 1e12, closed: false },
        },
        Param {
            name: "lambda2",
            doc: "λ₂, the rate of σ² in sigma_prior=super_gaussian.",
            range: Range::Real { default: 10.0, min: 0.0, max: 1e12, closed: false },
        },
        Param {
            name: "p",
            doc: "Exponent p of sigma_prior=power; 1 is the exponential prior.",
            range: Range::Real { default: 2.0, min: 1.0, max: 100.0, closed: true },
        },
        GAMMA,
        PRIOR,
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
struct Gml(Priors);

impl Gml {
    fn new(p: &Params) -> Self {
        let lambda = p.real("lambda");
        let penalty = match p.text("sigma_prior") {
            "exponential" => Penalty::Exponential(lambda),
            "half_normal" => Penalty::HalfNormal(lambda),
            "super_gaussian" => Penalty::SuperGaussian(lambda, p.real("lambda2")),
            _ if p.real("p") == 1.0 => Penalty::Exponential(lambda),
            _ => Penalty::Power(lambda, p.real("p")),
        };
        Gml(Priors {
            title: "GML",
            penalty,
            gamma: (p.text("prior") == "views").then(|| p.real("gamma")),
            views: ViewClassifiers::new(p),
            diagonal: p.text("unit") == "diagonal",
            sqp: false,
            tol: p.real("tol"),
            max_iterations: p.count("max_iterations"),
        })
    }
}

impl Learner for Gml {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        self.0.learn(problem, run)
    }

    fn learns_per_view(&self) -> bool {
        true
    }

    fn copies(&self) -> Copies {
        match (self.0.penalty, self.0.gamma) {
            (Penalty::Exponential(_), None) => Copies::Share,
            _ => Copies::CountTwice,
        }
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
