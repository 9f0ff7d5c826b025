//! Sparse multiple kernel learning with a logarithmic penalty: fewer kernels than any convex method keeps.
//!
//! ```text
//! min  J(η) + λ Σ_m log(1 + η_m/ε) / log(1 + 1/ε)   subject to   η ≥ 0, Σ η_m = 1
//! J(η) = max_c  ℓ(c) − ½ Σ_u Σ_m η_m q_m^u(c),      q_m^u = c_uᵀ K_m c_u
//! ```
//!
//! (Subrahmanya and Shin, IEEE TPAMI 32, 2010; LMKA §2.2.1.3; D7.) The penalty is concave: it costs a kernel nearly as
//! much to have a small weight as to have a large one, λ at weight 1. **The problem is not convex**: what is found is a point
//! that no small change improves, and another start may lead to a better one. There is no duality gap; the trace of the
//! objective never rises.
//!
//! | symbol | name |
//! |---|---|
//! | η | `weights` |
//! | λ | `lambda` in units of `lambda_unit`; the product is `details["lambda"]` |
//! | ε | `threshold` |
//! | ∂Ω/∂η_m at the last weights | `linear` |
//!
//! **Steps.** The penalty lies below its tangent at any weights, so the convex problem with the tangent, a linear
//! penalty on the simplex, is a bound from above that is exact there. It is solved to its duality gap by the
//! [loop](super::outer), the tangent is taken anew, and so on until a round gains less than `tol`·objective. At the
//! start all weights are equal and the tangent is the same for all kernels: the first round is SimpleMKL. A kernel that
//! was dropped costs λ/(ε log(1 + 1/ε)) for each unit of weight and rarely comes back.
//!
//! **Deviation.** The paper penalises the logarithm of the norms of the weight vectors w_m beside other penalties; here
//! it is the logarithm of the kernel weights, with the simplex as the other: as ‖w_m‖² = η_m² q_m, what is left without a
//! weight is the same. Dividing by log(1 + 1/ε) keeps the meaning of λ when ε changes.
//!
//! **Cost.** Three to six rounds, the first of about seven machines, the others of two or three.

use super::outer::{Outer, TOL};
use super::sets::even::{MEAN, UNIT, at_even_weights};
use super::sets::penalised::Penalised;
use super::{Copies, Learned, Learner, Problem, check};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::Weighted;
use crate::{Report, Result, Run, Status};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(LogPenalty::new(p)) };

static METHOD: Method = Method {
    id: "log_penalty",
    title: "sparse MKL with a log penalty",
    source: "Subrahmanya, Shin 2010; Gönen 2010, §2.2.1.3",
    summary: "SimpleMKL with a concave penalty on the weights, which keeps fewer kernels than any convex method. Not \
              convex: the objective falls until no small change improves it. Costs three to six times SimpleMKL's \
              last machines.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Trace,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[
        Param {
            name: "lambda",
            doc: "λ, what a kernel with weight 1 costs: 0 is SimpleMKL, large values keep one kernel.",
            range: Range::Real { default: 0.01, min: 0.0, max: 1e12, closed: true },
        },
        UNIT,
        Param {
            name: "threshold",
            doc: "ε of log(1 + η/ε): the weight from which on a kernel costs about as much as with weight 1.",
            range: Range::Real { default: 0.01, min: 0.0, max: 1e3, closed: false },
        },
        Param {
            name: "tol",
            doc: "Relative gain of a round to stop at, and relative duality gap of its convex problem.",
            range: TOL.range,
        },
        Param {
            name: "max_iterations",
            doc: "Limit on rounds, each a convex problem.",
            range: Range::Int { default: 50, min: 1, max: i64::MAX },
        },
    ],
};

/// Limit on changes of the weights of a round.
const CHANGES: usize = 500;

#[derive(Debug)]
struct LogPenalty {
    lambda: f64,
    relative: bool,
    epsilon: f64,
    tol: f64,
    max_iterations: usize,
}

impl LogPenalty {
    fn new(params: &Params) -> Self {
        LogPenalty {
            lambda: params.real("lambda"),
            relative: params.text(UNIT.name) == MEAN,
            epsilon: params.real("threshold"),
            tol: params.real("tol"),
            max_iterations: params.count("max_iterations"),
        }
    }

    /// The penalty at λ.
    fn penalty(&self, lambda: f64, weights: &[f64]) -> f64 {
        let unit = lambda / (1.0 / self.epsilon).ln_1p();
        weights.iter().map(|w| unit * (w / self.epsilon).ln_1p()).sum()
    }

    /// Its derivatives less the smallest of them, a constant on the simplex that would hide the machine's part of
    /// the objective where λ is large.
    fn tangent(&self, lambda: f64, weights: &[f64]) -> Vec<f64> {
        let unit = lambda / (1.0 / self.epsilon).ln_1p();
        let slopes: Vec<f64> = weights.iter().map(|w| unit / (w + self.epsilon)).collect();
        let least = slopes.iter().fold(f64::INFINITY, |a, s| a.min(*s));
        slopes.iter().map(|s| s - least).collect()
    }
}

impl Learner for LogPenalty {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let watch = run.watch();
        let kernels = problem.bank.len();
        let even = vec![1.0 / kernels as f64; kernels];
        let (mut lambda, mut best) = (self.lambda, None);
        let mut report = Report::closed_form(run);
        if self.relative && lambda > 0.0 {
            let machines = at_even_weights(problem, self.tol, run, &watch)?;
            report.counts.add(&machines.counts);
            report.counts.combines += 1;
            lambda *= machines.primal().abs();
            let rule = Weighted::rule(even.clone());
            best = Some(Learned { machines: Some(machines), ..Learned::of(rule, report.clone()) });
        }
        let (mut weights, mut value, mut inner) = (even, f64::INFINITY, None);
        let status = loop {
            let set = Penalised { linear: self.tangent(lambda, &weights), quadratic: 0.0 };
            let outer = Outer {
                title: "sparse MKL with a log penalty",
                set: &set,
                tol: self.tol,
                max_iterations: CHANGES,
                second: true,
            };
            let first = value.is_infinite();
            let given = problem.warm.filter(|_| first);
            let round = Problem { warm: given.or(best.as_ref()), ..*problem };
            let found = outer.learn(&round, &run.remaining(&watch))?;
            report.counts.add(&found.report.counts);
            let there = found.rule.weights().unwrap_or_default().to_vec();
            let primal = found.machines.as_ref().map_or(f64::INFINITY, |m| m.primal());
            let now = primal + self.penalty(lambda, &there);
            let gain = value - now;
            if first || gain > 0.0 {
                (weights, value, inner) = (there, now, found.report.gap);
                report.objective.push(now);
                report.notes.clone_from(&found.report.notes);
                report.iterations += usize::from(!first);
                let ended = found.report.status;
                best = Some(found);
                if !ended.is_success() {
                    break ended;
                }
            }
            if let Some(status) = watch.stop() {
                break status;
            }
            if !first && gain <= self.tol * value.abs() {
                break Status::Converged;
            }
            if report.iterations == self.max_iterations {
                break Status::IterationLimit;
            }
        };
        report.status = status;
        report.seconds = watch.seconds();
        report.details.insert("lambda".to_string(), vec![lambda]);
        // Of the last convex problem, not of this one.
        report.details.insert("round_gap".to_string(), inner.into_iter().collect());
        let machines = best.and_then(|b| b.machines);
        Ok(Learned { machines, ..Learned::of(Weighted::rule(weights), report) })
    }

    fn copies(&self) -> Copies {
        Copies::Either
    }

    fn drives_duals(&self) -> bool {
        true
    }
}
