//! Lanckriet's semidefinite program: weights of either sign, as long as the combined kernel is positive semi-definite.
//!
//! ```text
//! min  ω(K_η)   over   K_L = { K_η = Σ_m η_m K_m :  K_η ⪰ 0,  tr K_η = c }
//! ω(K) = max_α  Σ α_i − ½ Σ_ij α_i α_j y_i y_j K_ij
//! ```
//!
//! (Lanckriet, Cristianini, Bartlett, El Ghaoui and Jordan, JMLR 5, 2004; LMKA §2.2.1.1; D1.) The program of the paper, in t, λ,
//! ν, δ and η with two matrix inequalities of n rows, has the same η at its optimum and twice the ω of C-SVC. Here ω is that of
//! the [machine](crate::machine), so several classes share η, and regression and detection go as well. c is the mean trace of
//! the kernels: all equal weights 1/M are then a point of the set.
//!
//! | symbol | name |
//! |---|---|
//! | η | `weights` |
//! | ω, K_η | J, the combined kernel |
//! | c, λ_min(K_η) | `trace`, `smallest_eigenvalue` of the report's details |
//!
//! The matrix inequality is that of the training instances; the paper's transductive setting takes the rows to predict
//! into it, which a model for new rows cannot. K_η can so be indefinite with new rows; decision values are what they are.
//!
//! **Certificate, algorithm and cost** as of [`semidefinite`](super::outer::semidefinite): interior points, 15 to 40
//! machines, M n³ each; at most 500 instances. Directions in which the mean of the kernels has eigenvalues below 10⁻¹¹ of
//! the largest are left out of the inequality, so λ_min(K_η) ≥ −10⁻⁹ tr K_η or so; the report says what it is.
//! With [non-negative weights](super::lanckriet_qcqp) it is a simplex problem, for any n.
//!
//! **Scale.** K_L is the same if a kernel is multiplied by a number, c is not: normalise. All kernels times s and C
//! divided by s leave η. Two copies of a kernel share its weight.

use super::outer::semidefinite::Semidefinite;
use super::outer::{MAX_ITERATIONS, TOL};
use super::{Learned, Learner, Problem};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::Params;
use crate::{Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(LanckrietSdp::new(p)) };

static METHOD: Method = Method {
    id: "lanckriet_sdp",
    title: "semidefinite program over linear combinations",
    source: "Lanckriet, Cristianini, Bartlett, El Ghaoui, Jordan 2004; Gönen 2010, §2.2.1.1",
    summary: "Weights of either sign with a fixed trace of the combined kernel, which has to be positive \
              semi-definite on the training instances; the machine's objective is the least. Stops on the relative \
              duality gap. For at most 500 instances: each of about 25 steps factors a matrix for each kernel.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet {
        id: "either_sign",
        says: "of either sign; the combined kernel is positive semi-definite",
        holds: |w, _| w.iter().all(|w| w.is_finite()) && w.iter().any(|w| *w != 0.0),
    },
    params: &[TOL, MAX_ITERATIONS],
};

#[derive(Debug)]
struct LanckrietSdp {
    tol: f64,
    max_iterations: usize,
}

impl LanckrietSdp {
    fn new(params: &Params) -> Self {
        LanckrietSdp { tol: params.real("tol"), max_iterations: params.count("max_iterations") }
    }
}

impl Learner for LanckrietSdp {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let semidefinite = Semidefinite {
            title: "Lanckriet's SDP",
            tol: self.tol,
            max_iterations: self.max_iterations,
        };
        semidefinite.learn(problem, run)
    }

    fn drives_duals(&self) -> bool {
        true
    }

    fn weights_repeat(&self) -> bool {
        // The trace is that of the instances, whatever their weights.
        false
    }
}
