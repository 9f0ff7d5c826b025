//! A Gaussian process whose covariance is a weighted sum of the kernels: weights of largest marginal likelihood.
//!
//! Numbers, with their noise, and predictions with standard deviations:
//!
//! ```text
//! y = b + Σ_m f_m + ε,     f_m ~ GP(0, θ_m k_m),     ε_i ~ N(0, σ²/w_i)
//! ```
//!
//! (LMKA §2.5, with Girolami and Zhong, NIPS 19, 2007; Rasmussen and Williams 2006, ch. 2 and 5.)
//!
//! | symbol | name |
//! |---|---|
//! | θ | weights of the rule |
//! | σ² | `details["noise"]` |
//! | standard errors of θ and σ², the information's | `details["weight_errors"]`, `details["noise_error"]` |
//! | w_i, weights of the instances | [`Problem::weights`] |
//! | ln Z of each class against the rest, or of two classes | `details["log_evidence"]` |
//!
//! The mean of the posterior is kernel ridge regression with λ = σ²: that is the machine, and its own λ is not looked at. Its
//! bias is b, an unknown constant without a prior; `likelihood=restricted` integrates it out, `plain` takes its best value,
//! which makes the noise too small by about 1/n. The standard deviation of a prediction is that of a new observation, noise
//! included.
//!
//! Classes, with probabilities of new instances: P(y_i | f) = 1/(1 + exp(−y_i f_i)) with Σ_m f_m for f, by Laplace's
//! approximation ([`bayes`](super::bayes)). The mode is kernel logistic regression with C = 1 and no bias: a constant, where one
//! is wanted, is one more kernel. The probability of a class is the mean of the logistic function of the latent value,
//! integrated to 10 digits; several classes each have a function against the rest, the same θ, and their probabilities are
//! divided by the sum. `likelihood` is of numbers.
//!
//! **Not convex**: what is found is a stationary point, of numbers from equal shares of the variance with half of it noise.
//! The trace of minus the logarithm of the likelihood never rises. Search and cost: [`components`], [`bayes`](super::bayes).
//! The clock is looked at between factorisations; those of the point that is kept are made after a stop, too (4,000 instances
//! of two classes with a limit of 0.01 s: 5 to 6 s).
//!
//! **Scale.** A kernel times s has its weight over s. Two copies of a kernel share its weight.

use super::bayes::{self, Instances};
use super::components::{self, Found};
use super::{Copies, Learned, Learner, Problem, check, mixed};
use crate::data::Matrix;
use crate::machine::Role;
use crate::machine::{How, Machine};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::{Latent, Link, Process, Spread, Values, Weighted};
use crate::{Counts, Error, Report, Result, Run, Status};
use cokernel_dense::Cholesky;

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(GaussianProcess::new(p)) };

static METHOD: Method = Method {
    id: "gaussian_process",
    title: "Gaussian process with a weighted sum of covariances",
    source: "Rasmussen, Williams 2006, (3.32), (5.20)-(5.24); Gilmour, Thompson, Cullis 1995; Gönen 2010, §2.5",
    summary: "Weights of kernels that make the labels most likely. Of numbers with their noise and standard errors, and \
              predictions with standard deviations, at the cost of about ten factorisations of an n × n matrix; of \
              classes with probabilities by Laplace's approximation, at the cost of about a hundred. No C to choose.",
    tasks: &[Task::Regress, Task::Classify],
    group: Group::OneStage,
    certificate: Certificate::Trace,
    recommended: false,
    weights: WeightSet::NON_NEGATIVE,
    params: &[
        Param {
            name: "likelihood",
            doc: "Of numbers: with restricted the unknown mean is integrated out, with plain it has its best value.",
            range: Range::Choice { default: "restricted", of: &["restricted", "plain"] },
        },
        Param {
            name: "tol",
            doc: "The search ends where it expects to gain less in the logarithm of the likelihood.",
            range: Range::Real { default: 1e-6, min: 0.0, max: 1e3, closed: false },
        },
        Param {
            name: "max_iterations",
            doc: "Limit on changes of the weights.",
            range: Range::Int { default: 200, min: 1, max: i64::MAX },
        },
    ],
};

#[derive(Debug)]
struct GaussianProcess {
    restricted: bool,
    tol: f64,
    max_iterations: usize,
}

impl GaussianProcess {
    fn new(p: &Params) -> Self {
        GaussianProcess {
            restricted: p.text("likelihood") == "restricted",
            tol: p.real("tol"),
            max_iterations: p.count("max_iterations"),
        }
    }
}

impl GaussianProcess {
    fn learn_classes(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let watch = run.watch();
        let instances = Instances::new(problem, 2)?;
        let roles = bayes::roles(problem)?;
        instances.room(3 + 4 * roles.len(), run)?;
        let codes = &problem.target.classes()?.codes;
        let signs = |role: &Role| instances.rows.iter().map(|i| role.sign(codes[*i])).collect();
        let signs: Vec<Vec<f64>> = roles.iter().map(signs).collect();
        let asked = bayes::Classes {
            instances: &instances,
            signs: &signs,
            tol: self.tol,
            max_iterations: self.max_iterations,
        };
        let found = bayes::fit(&asked, run, &watch)?;
        let (n, heads) = (instances.n(), roles.len());
        let mut roots = Matrix::zeros(instances.bank.n(), heads * n);
        for (u, own) in found.roots.iter().enumerate() {
            for (k, i) in instances.rows.iter().enumerate() {
                roots.row_mut(*i)[u * n..(u + 1) * n].copy_from_slice(own.row(k));
            }
        }
        let values = Values { link: Link::Logit, heads, remains: true, offsets: Vec::new(), roots };
        let coefs = found.coefs.iter().map(|a| instances.spread(a)).collect();
        let machines = bayes::heads(&roles, coefs, &vec![0.0; heads]);
        let mut report = Report::closed_form(run);
        report.counts = Counts { combines: found.combines, ..Counts::default() };
        report.iterations = found.objective.len() - 1;
        report.objective = found.objective;
        report.status = found.status;
        if report.status == Status::Stalled {
            let said = "no step makes the classes more likely, though the slope promises it: rounding, or a kernel that is not \
                 positive semi-definite";
            report.notes.push(said.to_string());
        }
        report.details.insert("log_evidence".to_string(), found.evidence);
        report.seconds = watch.seconds();
        let rule = Latent::rule(found.weights, values);
        Ok(Learned { machines: Some(machines), ..Learned::of(rule, report) })
    }
}

impl Learner for GaussianProcess {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        if problem.target.classes().is_ok() {
            return self.learn_classes(problem, run);
        }
        check(problem)?;
        let watch = run.watch();
        let (bank, all) = (problem.bank, problem.target.real()?);
        let weight = |i: usize| problem.weights.map_or(1.0, |w| w[i]);
        let rows: Vec<usize> = (0..all.len()).filter(|i| weight(*i) > 0.0).collect();
        if rows.len() < 3 {
            return Err(Error::Data(format!(
                "a Gaussian process with a noise and a mean that are learned needs 3 instances or more with a weight, \
                 found {}",
                rows.len()
            )));
        }
        let n = rows.len() as f64;
        let mean = rows.iter().map(|i| all[*i] / n).sum::<f64>();
        let spread = rows.iter().map(|i| (all[*i] - mean).abs()).fold(0.0, f64::max);
        let lost = 8.0 * f64::EPSILON * all.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        if spread <= lost {
            return Err(Error::Data(
                "all numbers are equal: there is no variance that kernels could have a part in"
                    .to_string(),
            ));
        }
        // First over the largest, so that no square overflows.
        let square = |i: &usize| ((all[*i] - mean) / spread).powi(2);
        let deviation = spread * (rows.iter().map(square).sum::<f64>() / n).sqrt();
        let y: Vec<f64> = rows.iter().map(|i| (all[*i] - mean) / deviation).collect();
        let noise: Vec<f64> = rows.iter().map(|i| 1.0 / weight(*i)).collect();
        let own = |m: usize| {
            let diagonal = bank.diagonal(m);
            let mean = rows.iter().map(|i| diagonal[*i] / n).sum::<f64>();
            if mean > 0.0 { mean } else { f64::INFINITY }
        };
        let units: Vec<f64> = (0..bank.len()).map(own).collect();
        let asked = components::Problem {
            bank,
            rows: &rows,
            y: &y,
            noise: &noise,
            units: &units,
            restricted: self.restricted,
            tol: self.tol,
            max_iterations: self.max_iterations,
        };
        let found = components::fit(&asked, run, &watch)?;
        let variance = deviation * deviation;
        let weights: Vec<f64> =
            found.point.iter().zip(&units).map(|(t, u)| variance * t / u).collect();
        let noise_variance = variance * found.point[bank.len()];
        let sum = Weighted::new(weights.clone());
        let kernel = mixed(bank, &sum, None, run, &watch)?;
        let Some(machine) = problem.machine.with_ridge(noise_variance) else {
            let said = "a Gaussian process is kernel ridge regression with a λ of its own; choose kernel_ridge";
            return Err(Error::parameter("machine", said));
        };
        // The last step is not cut short: without it there is nothing.
        let rest = Run { time_limit: None, ..run.clone() }.quiet();
        let how = How { weights: problem.weights, ..How::new(&rest) };
        let machines = machine.solve(kernel.as_ref(), problem.target, &how)?;
        let uncertain = spread_of(kernel.as_ref(), &rows, &noise, noise_variance)?;
        let mut report = Report::closed_form(run);
        let Found { errors, objective, status, .. } = &found;
        if objective.is_empty() {
            let said = "stopped before the likelihood of the start was known: the weights are equal shares of the variance";
            report.notes.push(said.to_string());
        }
        report.counts = Counts { combines: found.combines + 1, ..machines.counts };
        report.iterations = objective.len().saturating_sub(1);
        // In the unit of the numbers.
        let shift = deviation.ln() * if self.restricted { n - 1.0 } else { n };
        report.objective = objective.iter().map(|v| v + shift).collect();
        report.status = *status;
        if *status == Status::Stalled {
            let said = "no step makes the numbers more likely, though the slope promises it: rounding, or a kernel that is not \
                 positive semi-definite";
            report.notes.push(said.to_string());
        }
        let of_kernels = errors.iter().zip(&units).map(|(e, u)| variance * e / u).collect();
        report.details.insert("weight_errors".to_string(), of_kernels);
        report.details.insert("noise".to_string(), vec![noise_variance]);
        report.details.insert("noise_error".to_string(), vec![variance * errors[bank.len()]]);
        report.seconds = watch.seconds();
        let rule = Process::rule(weights, uncertain);
        Ok(Learned { machines: Some(machines), ..Learned::of(rule, report) })
    }

    fn copies(&self) -> Copies {
        Copies::Either
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    fn weights_repeat(&self) -> bool {
        false
    }

    fn takes(&self, machine: &dyn Machine) -> bool {
        machine.with_ridge(1.0).is_some() || machine.as_logistic().is_some()
    }
}

/// What the variances of predictions are made of.
fn spread_of(
    kernel: &dyn crate::solve::Rows,
    rows: &[usize],
    noise: &[f64],
    variance: f64,
) -> Result<Spread> {
    let (n, all) = (rows.len(), kernel.n());
    let mut v = bayes::gathered(kernel, rows);
    (0..n).for_each(|r| v[r * n + r] += variance * noise[r]);
    let factor = Cholesky::new(n, v).ok_or_else(|| {
        Error::Data(
            "the sum of the kernels and the noise is not positive definite in f64".to_string(),
        )
    })?;
    let mut ones = vec![1.0; n];
    factor.solve(&mut ones, 1);
    let root = ones.iter().sum::<f64>().sqrt();
    let inverse = factor.inverse_root();
    let mut roots = Matrix::zeros(all, all + 1);
    for (j, i) in rows.iter().enumerate() {
        let row = roots.row_mut(*i);
        (0..n).for_each(|k| row[rows[k]] = inverse[j * n + k]);
        row[all] = ones[j] / root;
    }
    Ok(Spread { roots, offset: 1.0 / root, noise: variance })
}
