//! Lanckriet's quadratically constrained program: weights that are not negative, with a fixed trace of the combined
//! kernel.
//!
//! ```text
//! min  ω(K_η)   over   K_P = { K_η = Σ_m η_m K_m :  η ≥ 0,  tr K_η = c }
//!   =  min  ½ c t − Σ α_i   subject to   t tr K_m ≥ αᵀ(yyᵀ∘K_m)α for each m,  Σ α_i y_i = 0,  0 ≤ α ≤ C     (signs turned)
//! ```
//!
//! (Lanckriet, Cristianini, Bartlett, El Ghaoui and Jordan, JMLR 5, 2004; LMKA §2.2.1.2; D1.) The multipliers of the quadratic
//! constraints are the weights. c is the mean trace of the kernels; weights of instances count in traces, too. ω is that of the [machine](crate::machine), with several
//! classes sharing η.
//!
//! | symbol | name |
//! |---|---|
//! | η | `weights` |
//! | tr K_m/c | `prices` |
//! | c | `trace` of the report's details |
//!
//! **Certificate.** P(η) ≥ min J ≥ ℓ(c) − ½ max_m (Σ_u q_m^u)·c/tr K_m for any feasible coefficients.
//!
//! **Steps.** s_m = η_m tr K_m/c are weights on the simplex of the kernels K_m·c/tr K_m: the problem is that of
//! [`simple_mkl`](super::simple_mkl) for kernels of equal trace, and is solved as it, in about seven machines and as many passes
//! over all kernels. The paper gives the program to an interior-point solver, with n variables and M dense constraints;
//! a test compares the two.
//!
//! **Scale.** Each kernel counts as if its trace were c, so its own scale does not matter but for c. All kernels times s
//! and C divided by s leave η. Two copies of a kernel share its weight.

use super::definite::refuse_indefinite;
use super::outer::simplex::Simplex;
use super::outer::{MAX_ITERATIONS, Outer, Proposal, Set, TOL};
use super::{Learned, Learner, Problem, check};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::Params;
use crate::{Error, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(LanckrietQcqp::new(p)) };

static METHOD: Method = Method {
    id: "lanckriet_qcqp",
    title: "quadratically constrained program over non-negative combinations",
    source: "Lanckriet, Cristianini, Bartlett, El Ghaoui, Jordan 2004; Gönen 2010, §2.2.1.2",
    summary: "SimpleMKL among kernels as if all had the same trace: the combination with a fixed trace on which the \
              machine has the least objective. Stops on the relative duality gap. Costs about seven machines and as \
              many passes over all kernels.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet {
        id: "fixed_trace",
        says: "not negative; the combined kernel has the mean trace of the kernels",
        holds: |w, _| w.iter().all(|w| *w >= 0.0) && w.iter().any(|w| *w > 0.0),
    },
    params: &[TOL, MAX_ITERATIONS],
};

#[derive(Debug)]
struct LanckrietQcqp {
    tol: f64,
    max_iterations: usize,
}

impl LanckrietQcqp {
    fn new(params: &Params) -> Self {
        LanckrietQcqp { tol: params.real("tol"), max_iterations: params.count("max_iterations") }
    }
}

impl Learner for LanckrietQcqp {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        refuse_indefinite(problem, "Lanckriet's QCQP", &run.watch())?;
        let bank = problem.bank;
        // An instance with weight 2 is the same instance twice.
        let trace = |m: usize| match problem.weights {
            Some(weights) => bank.diagonal(m).iter().zip(weights).map(|(k, w)| k * w).sum::<f64>(),
            None => bank.diagonal(m).iter().sum::<f64>(),
        };
        let traces: Vec<f64> = (0..bank.len()).map(trace).collect();
        if let Some(m) = traces.iter().position(|t| !(*t > 0.0 && t.is_finite())) {
            return Err(Error::Data(format!(
                "kernel '{}' has trace {:e}, expected above 0: the trace of the combination is fixed; leave the \
                 kernel out",
                bank.kernels()[m].name,
                traces[m]
            )));
        }
        let mean = traces.iter().sum::<f64>() / traces.len() as f64;
        let priced = Priced { prices: traces.iter().map(|t| t / mean).collect() };
        let outer = Outer {
            title: "Lanckriet's QCQP",
            set: &priced,
            tol: self.tol,
            max_iterations: self.max_iterations,
            second: true,
        };
        let mut learned = outer.learn(problem, run)?;
        learned.report.details.insert("trace".to_string(), vec![mean]);
        Ok(learned)
    }

    fn drives_duals(&self) -> bool {
        true
    }
}

/// η ≥ 0, Σ prices_m η_m = 1: the simplex in s_m = prices_m η_m.
#[derive(Debug)]
struct Priced {
    prices: Vec<f64>,
}

impl Priced {
    fn shares(&self, weights: &[f64]) -> Vec<f64> {
        weights.iter().zip(&self.prices).map(|(w, p)| w * p).collect()
    }

    /// What is one of K_m as one of K_m/prices_m.
    fn divided(&self, numbers: &[f64]) -> Vec<f64> {
        numbers.iter().zip(&self.prices).map(|(v, p)| v / p).collect()
    }

    fn found(&self, proposal: Proposal) -> Proposal {
        Proposal { weights: self.divided(&proposal.weights), ..proposal }
    }
}

impl Set for Priced {
    fn first(&self, kernels: usize) -> Vec<f64> {
        self.divided(&Simplex.first(kernels))
    }

    fn onto(&self, weights: &[f64]) -> Vec<f64> {
        self.divided(&Simplex.onto(&self.shares(weights)))
    }

    fn conjugate(&self, half_forms: &[f64]) -> f64 {
        Simplex.conjugate(&self.divided(half_forms))
    }

    fn second_order(&self, weights: &[f64], gradient: &[f64], hessian: &[f64]) -> Proposal {
        let rows = hessian.chunks(weights.len()).zip(&self.prices);
        let hessian: Vec<f64> =
            rows.flat_map(|(row, p)| self.divided(row).into_iter().map(move |h| h / p)).collect();
        self.found(Simplex.second_order(&self.shares(weights), &self.divided(gradient), &hessian))
    }

    fn majorised(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        self.found(Simplex.majorised(&self.shares(weights), &self.divided(gradient)))
    }

    fn first_order(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        self.found(Simplex.first_order(&self.shares(weights), &self.divided(gradient)))
    }

    fn drops(&self) -> bool {
        true
    }

    fn prices(&self, _: usize) -> Option<Vec<f64>> {
        Some(self.prices.clone())
    }
}
