//! What the Bayesian methods share: the instances that take part, kernel matrices of these in a common unit, decision
//! functions without a machine, precisions with gamma priors, and normal values that labels truncate.

mod laplace;
mod precision;

pub(super) use laplace::{Classes, fit};
pub(super) use precision::Precisions;

use super::{Problem, check, mixed};
use crate::bank::Bank;
use crate::error::amount;
use crate::machine::{Block, Head, Reading, Role, Solution, Svc};
use crate::rule::Weighted;
use crate::solve::Rows;
use crate::solve::normal::{hazard, log_cdf, log_largest};
use crate::{Counts, Error, Result, Run, Status, Watch};

/// The instances that take part.
pub(super) struct Instances<'a> {
    pub bank: &'a Bank,
    /// Ascending.
    pub rows: Vec<usize>,
    /// Their weights, all above 0.
    pub weights: Vec<f64>,
    /// What all kernels are divided by: the mean of their diagonals.
    pub unit: f64,
}

impl<'a> Instances<'a> {
    /// Those with a weight, of which there have to be `least`.
    pub fn new(problem: &Problem<'a>, least: usize) -> Result<Self> {
        check(problem)?;
        let bank = problem.bank;
        // Weights of classes are those of their instances; C itself is not looked at.
        let of_classes = match (problem.machine.as_logistic(), problem.target.classes()) {
            (Some(svc), Ok(classes)) => {
                let unit = Svc { c: 1.0, ..svc.clone() };
                Some(unit.costs(classes, problem.weights)?)
            }
            _ => None,
        };
        let given = of_classes.as_deref().or(problem.weights);
        let weight = |i: usize| given.map_or(1.0, |w| w[i]);
        let rows: Vec<usize> = (0..bank.n()).filter(|i| weight(*i) > 0.0).collect();
        if rows.len() < least {
            return Err(Error::Data(format!(
                "the method needs {least} instances or more with a weight, found {}",
                rows.len()
            )));
        }
        let share = 1.0 / (bank.len() * rows.len()) as f64;
        let of_kernel = |m: usize| -> f64 {
            let diagonal = bank.diagonal(m);
            rows.iter().map(|i| share * diagonal[*i]).sum()
        };
        let mean: f64 = (0..bank.len()).map(of_kernel).sum();
        let unit = if mean > 0.0 && mean.is_finite() { mean } else { 1.0 };
        Ok(Instances { bank, weights: rows.iter().map(|i| weight(*i)).collect(), rows, unit })
    }

    pub fn n(&self) -> usize {
        self.rows.len()
    }

    /// The sum of the weights.
    pub fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Refuses what needs this many n × n matrices of numbers, if there is no memory for them.
    pub fn room(&self, matrices: usize, run: &Run) -> Result<()> {
        if super::fits(self.bank, matrices, run) {
            return Ok(());
        }
        let n = self.bank.n() as f64;
        Err(Error::Data(format!(
            "the method keeps {matrices} matrices of n × n numbers, {}; give it that (memory) or fewer instances",
            amount(8.0 * n * n * matrices as f64)
        )))
    }

    /// Σ_m w_m K_m of these instances, in units.
    pub fn combined(&self, weights: &[f64], run: &Run, watch: &Watch) -> Result<Vec<f64>> {
        let rule = Weighted::new(weights.iter().map(|w| w / self.unit).collect());
        let kernel = mixed(self.bank, &rule, None, run, watch)?;
        Ok(gathered(kernel.as_ref(), &self.rows))
    }

    /// One K_m, in units.
    pub fn kernel(&self, m: usize, run: &Run, watch: &Watch) -> Result<Vec<f64>> {
        let mut weights = vec![0.0; self.bank.len()];
        weights[m] = 1.0;
        self.combined(&weights, run, watch)
    }

    /// Numbers of all instances, 0 for those that take no part.
    pub fn spread(&self, own: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.bank.n()];
        self.rows.iter().zip(own).for_each(|(i, v)| all[*i] = *v);
        all
    }

    /// Those of these instances.
    pub fn gather(&self, all: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|i| all[*i]).collect()
    }
}

/// The values of these rows and columns.
pub(super) fn gathered(kernel: &dyn Rows, rows: &[usize]) -> Vec<f64> {
    let mut values = Vec::with_capacity(rows.len() * rows.len());
    let mut room = vec![0.0; kernel.n()];
    for i in rows {
        let row = kernel.row(*i, &mut room);
        values.extend(rows.iter().map(|j| row[*j]));
    }
    values
}

/// What the decision functions say: one of two classes, one for each of several.
pub(super) fn roles(problem: &Problem<'_>) -> Result<Vec<Role>> {
    let classes = problem.target.classes()?;
    let Reading::Classes(decomposition) = problem.machine.reading() else {
        return Err(Error::parameter("machine", "the method learns classes by kernel_logistic"));
    };
    let k = classes.n_classes();
    if k > 2 && decomposition.is_pairwise() {
        return Err(Error::parameter(
            "decomposition",
            "the method has one decision function for each class; leave it at one_vs_rest",
        ));
    }
    Ok(decomposition.roles(k))
}

/// The decision functions of a method that no machine has solved.
pub(super) fn heads(roles: &[Role], coefs: Vec<Vec<f64>>, biases: &[f64]) -> Solution {
    let one = |((role, coef), bias): ((&Role, Vec<f64>), &f64)| Block {
        heads: vec![Head { role: *role, coef, bias: *bias }],
        linear: 0.0,
        primal: 0.0,
        objective: 0.0,
        gap: 0.0,
        hidden: 0.0,
        status: Status::Converged,
        free: None,
        at_bound: (0, 0),
    };
    let blocks = roles.iter().zip(coefs).zip(biases).map(one).collect();
    Solution { blocks, counts: Counts::default() }
}

/// Sweeps until one raises the bound by a part less than `tol`, with the bound after each. One that ends in the middle
/// (`None`: a stop, or no factor) is taken back.
pub(super) fn ascend<S: Clone>(
    state: &mut S,
    tol: f64,
    most: usize,
    watch: &Watch,
    mut sweep: impl FnMut(&mut S) -> Option<f64>,
) -> (Status, Vec<f64>) {
    let mut bounds: Vec<f64> = Vec::new();
    let status = loop {
        if let Some(status) = watch.stop() {
            break status;
        }
        if bounds.len() >= most {
            break Status::IterationLimit;
        }
        let before = state.clone();
        let Some(bound) = sweep(state) else {
            *state = before;
            break watch.stop().unwrap_or(Status::Stalled);
        };
        let last = bounds.last().copied();
        bounds.push(bound);
        if last.is_some_and(|last| bound - last <= tol * bound.abs()) {
            break Status::Converged;
        }
    };
    (status, bounds)
}

/// Latent values t_u ~ N(m_u, 1) of an instance, of which its class says which is positive or the largest.
#[derive(Debug)]
pub(super) enum Latents {
    /// The signs of the instances: t > 0 for 1, t < 0 for −1.
    Signs(Vec<f64>),
    /// The codes of the instances: t_c is the largest.
    Largest(Vec<usize>),
}

impl Latents {
    /// Those of the instances.
    pub fn new(problem: &Problem<'_>, roles: &[Role], rows: &[usize]) -> Result<Self> {
        let codes = &problem.target.classes()?.codes;
        Ok(match roles {
            [role] => Latents::Signs(rows.iter().map(|i| role.sign(codes[*i])).collect()),
            _ => Latents::Largest(rows.iter().map(|i| codes[*i] as usize).collect()),
        })
    }

    /// The means of the truncated values of instance i, into `means`; gives ln of the probability of its class.
    pub fn truncate(&self, i: usize, means: &mut [f64]) -> f64 {
        match self {
            Latents::Signs(signs) => {
                let s = signs[i];
                let along = s * means[0];
                means[0] += s * hazard(along);
                log_cdf(along)
            }
            Latents::Largest(codes) => {
                let mut slopes = vec![0.0; means.len()];
                let scales = vec![1.0; means.len()];
                let found = log_largest(means, &scales, codes[i], Some(&mut slopes));
                means.iter_mut().zip(&slopes).for_each(|(m, s)| *m += s);
                found
            }
        }
    }
}
