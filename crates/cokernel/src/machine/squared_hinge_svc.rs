//! Support vector classification with the squared hinge (L2-loss SVC).
//!
//! ```text
//! primal  min ½‖w‖² + ½ Σ C_i max(0, 1 − y_i(⟨w, Φ(x_i)⟩ + b))²
//! dual    max Σ α_i − ½ Σ α_i α_j y_i y_j (k(x_i, x_j) + δ_ij/C_i)      Σ α_i y_i = 0, α_i ≥ 0
//! ```
//!
//! ℓ(c) = Σ α_i − ½ Σ c_i²/C_i. C_i as for C-SVC, whose parameters and binary problems it has; LIBLINEAR's
//! C is half of this one. No coefficient has an upper bound, so every support vector is free to move. See
//! [`squared_hinge`] for the solver and its cost.

use super::binary::{self, Binary};
use super::svc::PARAMS;
use super::{Block, Free, Head, How, Machine, Reading, Solution, Svc};
use crate::Result;
use crate::data::Target;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::scale::Loss;
use crate::solve::Rows;
use crate::solve::squared_hinge::squared_hinge;

/// The registry entry.
pub static ENTRY: Entry<dyn Machine> =
    Entry { method: &METHOD, build: |p| Box::new(SquaredHingeSvc(Svc::from_params(p))) };

static METHOD: Method = Method {
    id: "squared_hinge_svc",
    title: "squared-hinge SVC",
    source: "Cortes, Vapnik 1995; Chapelle 2007",
    summary: "Support vector classification with the squared hinge loss: smooth, more support vectors \
              than C-SVC, and instances far on the wrong side count more.",
    tasks: &[Task::Classify],
    group: Group::Machines,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: PARAMS,
};

#[derive(Debug)]
struct SquaredHingeSvc(Svc);

impl Machine for SquaredHingeSvc {
    fn solve(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Solution> {
        let tol = how.tol.unwrap_or(self.0.tol);
        binary::solve(&self.0, tol, kernel, target.classes()?, how, &one)
    }

    fn check(&self) -> Result<()> {
        Machine::check(&self.0)
    }

    fn loss(&self) -> Option<Loss> {
        Some(Loss::SquaredHinge)
    }

    fn loss_costs(&self, target: &Target, weights: Option<&[f64]>) -> Result<Vec<f64>> {
        self.0.loss_costs(target, weights)
    }

    fn tol(&self) -> f64 {
        self.0.tol
    }

    fn reading(&self) -> Reading {
        self.0.reading()
    }

    fn problems(&self, classes: usize) -> usize {
        self.0.problems(classes)
    }
}

/// Solves one binary problem; also gives the number of steps.
fn one(problem: &Binary<'_>) -> (Block, u64) {
    let Binary { kernel, y, signed, start, settings, watch, .. } = problem;
    let costs: Vec<f64> = signed.iter().map(|c| c.abs()).collect();
    let found = squared_hinge(*kernel, y, &costs, *start, settings, watch);
    let linear = found.dual + 0.5 * found.norm();
    let rows: Vec<u32> =
        (0..).zip(&found.coef).filter(|(_, c)| **c != 0.0).map(|(i, _)| i).collect();
    let ridge = rows.iter().map(|i| 1.0 / costs[*i as usize]).collect();
    let block = Block {
        linear,
        primal: found.primal,
        objective: found.dual,
        gap: found.gap,
        hidden: 0.0,
        status: found.status,
        free: Some(Free { rows, ridge, sum: true, ..Free::default() }),
        at_bound: (0, 0),
        heads: vec![Head { role: problem.role, coef: found.coef, bias: found.bias }],
    };
    (block, found.steps)
}
