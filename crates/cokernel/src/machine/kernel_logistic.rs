//! Kernel logistic regression: classes with the logarithms of their odds.
//!
//! ```text
//! primal  min ½‖w‖² + Σ C_i ln(1 + exp(−y_i(⟨w, Φ(x_i)⟩ + b)))
//! dual    max −Σ C_i [s_i ln s_i + (1 − s_i) ln(1 − s_i)] − ½ cᵀKc     c_i = C_i y_i s_i, 0 ≤ s ≤ 1, Σ c = 0
//! ```
//!
//! (Keerthi, Duan, Shevade and Poo, Machine Learning 61, 2005; Wahba 1999.) ℓ(c) is the first sum. C_i as for C-SVC, whose
//! parameters and binary problems it has; what concerns SMO is not looked at. P(+|x) = 1/(1 + exp(−f(x))): the model tells
//! probabilities without a calibration. With C = 1 they are those of the most probable function of a Gaussian process
//! with a free constant, and say nothing of how uncertain that is. Every instance is a support vector. See
//! [`logistic`](crate::solve::logistic) for the solver and its cost.
//!
//! It is the machine beside which the Bayesian methods stand that tell probabilities: its reading of decision values is
//! theirs; their own numbers take the place of its C.

use super::binary::{self, Binary};
use super::svc::PARAMS;
use super::{Block, Free, Head, How, Machine, Reading, Solution, Svc};
use crate::data::Target;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::scale::Loss;
use crate::solve::Rows;
use crate::solve::logistic::Logistic;
use crate::{Result, Status};

/// The registry entry.
pub static ENTRY: Entry<dyn Machine> =
    Entry { method: &METHOD, build: |p| Box::new(KernelLogistic(Svc::from_params(p))) };

static METHOD: Method = Method {
    id: "kernel_logistic",
    title: "kernel logistic regression",
    source: "Wahba 1999; Keerthi, Duan, Shevade, Poo 2005",
    summary: "Classes by the logistic loss: decision values are logarithms of odds, so that the model has \
              probabilities without a calibration. Every training instance is a support vector. For up to a few \
              thousand instances, and for any number towards landmarks (storage nystroem).",
    tasks: &[Task::Classify],
    group: Group::Machines,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: PARAMS,
};

#[derive(Debug)]
struct KernelLogistic(Svc);

impl Machine for KernelLogistic {
    fn solve(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Solution> {
        let tol = how.tol.unwrap_or(self.0.tol);
        binary::solve(&self.0, tol, kernel, target.classes()?, how, &one)
    }

    fn check(&self) -> Result<()> {
        Machine::check(&self.0)
    }

    fn loss(&self) -> Option<Loss> {
        Some(Loss::Logistic)
    }

    fn loss_costs(&self, target: &Target, weights: Option<&[f64]>) -> Result<Vec<f64>> {
        self.0.loss_costs(target, weights)
    }

    fn as_logistic(&self) -> Option<&Svc> {
        Some(&self.0)
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
    let Binary { kernel, signed, start, settings, watch, .. } = problem;
    let n = kernel.n();
    let part: Vec<usize> = (0..n).filter(|i| signed[*i] != 0.0).collect();
    let of = |all: &[f64]| -> Vec<f64> { part.iter().map(|i| all[*i]).collect() };
    let costs: Vec<f64> = part.iter().map(|i| signed[*i].abs()).collect();
    let y: Vec<f64> = part.iter().map(|i| signed[*i].signum()).collect();
    let mut values = Vec::with_capacity(part.len() * part.len());
    let mut room = vec![0.0; n];
    for i in &part {
        values.extend(of(kernel.row(*i, &mut room)));
    }
    let logistic = Logistic {
        kernel: &values,
        y: &y,
        costs: &costs,
        bias: true,
        tol: settings.tol,
        max_steps: settings.max_steps.max(1),
    };
    let found = logistic.solve(start.map(of).as_deref(), watch);
    let linear = found.dual + 0.5 * found.norm();
    let mut coef = vec![0.0; n];
    part.iter().zip(&found.coef).for_each(|(i, c)| coef[*i] = *c);
    let curvature = |(c, cost): (&f64, &f64)| c.abs() * (1.0 - c.abs() / cost);
    let bends: Vec<f64> = found.coef.iter().zip(&costs).map(curvature).collect();
    let free: Vec<usize> = (0..part.len()).filter(|k| bends[*k] > 0.0).collect();
    let block = Block {
        linear,
        primal: found.primal,
        objective: found.dual,
        gap: found.gap,
        hidden: 0.0,
        status: found.status,
        free: (found.status != Status::Stalled).then(|| Free {
            rows: free.iter().map(|k| part[*k] as u32).collect(),
            ridge: free.iter().map(|k| 1.0 / bends[*k]).collect(),
            sum: true,
            ..Free::default()
        }),
        at_bound: (0, 0),
        heads: vec![Head { role: problem.role, coef, bias: found.bias }],
    };
    (block, found.steps)
}
