//! The convex combination of least Kullback-Leibler divergence from the ideal kernel.
//!
//! ```text
//! min over η ≥ 0, Σ η = 1    KL(N(0, K_η/u + ρI) ‖ N(0, T + ρI)) / n
//! ```
//!
//! (Ying, Huang and Campbell 2009; LMKA §2.3.2; the measure is in [`measures`](super::measures::Divergence).) T is the
//! [ideal kernel](super::measures::Ideal) of classes, two or more, or of real numbers divided by their
//! standard deviation.
//!
//! **Deviations.** The ridge ρ, without which the divergence is infinite. u, the mean of all diagonal entries of all
//! kernels, which makes kernels and T of one size. Second-order steps in place of the source's projected
//! gradient: the problem is convex, and they end after about five.
//!
//! **Certificate.** With f the divergence: min f ≥ f(η) − (ηᵀ∇f − min_m ∂f/∂η_m); the gap is that difference over
//! f(η).
//!
//! **Scale.** All kernels times s: no change. One kernel: normalise. Two copies share the weight that one would
//! have. Cost: some 4n³M multiplications for each of about five iterations, which is for up to a few
//! thousand instances and a few dozen kernels; three n × n matrices; one machine.

use super::definite::refuse_indefinite;
use super::ideal_distance::standardised;
use super::measures::{Divergence, Found, Ideal, passed, unit, weighted};
use super::{Learned, Learner, Problem, check};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Range};
use crate::run::Pass;
use crate::solve::simplex::minimize_on_simplex;
use crate::{Error, Event, Report, Result, Run, Status};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry {
    method: &METHOD,
    build: |p| Box::new(KlDivergence { ridge: p.real("ridge"), tol: p.real("tol") }),
};

static METHOD: Method = Method {
    id: "kl_divergence",
    title: "divergence from the ideal kernel",
    source: "Ying, Huang, Campbell 2009; Gönen 2010, §2.3.2",
    summary: "The convex combination whose Gaussian process is nearest to that of the ideal kernel. Some n³ \
              operations for each kernel: for up to a few thousand instances.",
    tasks: &[Task::Classify, Task::Regress],
    group: Group::Alignment,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[
        Param {
            name: "ridge",
            doc: "ρ on the diagonal of the kernel, divided by the mean of all diagonal entries of all kernels, and of the \
                  ideal one, whose diagonal is 1; the objective is the divergence for each instance.",
            range: Range::Real { default: 1.0, min: 0.0, max: 1e6, closed: false },
        },
        Param {
            name: "tol",
            doc: "Relative duality gap to stop at.",
            range: Range::Real { default: 1e-6, min: 0.0, max: 0.5, closed: false },
        },
    ],
};

/// Changes of the weights at most.
const MOST: usize = 100;

/// Relative rounding of the divergence, whose logarithm of a determinant is a sum of n numbers.
const LEVEL: f64 = 1e-13;

#[derive(Debug)]
struct KlDivergence {
    ridge: f64,
    tol: f64,
}

impl Learner for KlDivergence {
    fn weights_repeat(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let (bank, watch) = (problem.bank, run.watch());
        refuse_indefinite(problem, "the divergence from the ideal kernel", &watch)?;
        let (m, n) = (bank.len(), bank.n() as f64);
        let pass = Pass::under(&watch);
        let mut report = Report::closed_form(run);
        let ideal = Ideal::of(&standardised(problem.target)?)?;
        let divergence = Divergence::from(bank, &ideal, unit(bank), self.ridge, &pass)?;
        let mut weights = vec![1.0 / m as f64; m];
        let value = |weights: &[f64]| divergence.value(weights, &pass);
        let first = value(&weights)?;
        if let Some(stopped) = passed(m, &report, &watch) {
            return Ok(stopped);
        }
        let mut at = first.ok_or_else(|| {
            Error::Data(
                "the mean of the kernels with the ridge on its diagonal is not positive definite; leave out \
                 kernels that are not positive semi-definite, or choose a larger ridge"
                    .to_string(),
            )
        })?;
        report.objective.push(at.divergence / n);
        run.tell(Event::Begin { stage: "divergence", total: None });
        let gap = |weights: &[f64], at: &super::measures::Value| {
            let along: f64 = weights.iter().zip(&at.slope).map(|(w, s)| w * s).sum();
            let least = at.slope.iter().copied().fold(f64::INFINITY, f64::min);
            (along - least).max(0.0) / at.divergence.max(f64::MIN_POSITIVE)
        };
        report.status = Status::Converged;
        while gap(&weights, &at) > self.tol {
            if let Some(status) = watch.stop() {
                report.status = status;
                break;
            }
            let Some(curvature) = divergence.curvature(&at, &pass)? else {
                report.status = watch.stop().unwrap_or(Status::Stalled);
                break;
            };
            let (target, promised) = minimize_on_simplex(&weights, &at.slope, &curvature);
            let (mut part, mut better) = (1.0, None);
            while part > 1e-6 && better.is_none() {
                let next: Vec<f64> =
                    weights.iter().zip(&target).map(|(w, t)| w + part * (t - w)).collect();
                let found = value(&next)?;
                let least = at.divergence - 1e-3 * part * promised;
                better = found
                    .filter(|f| {
                        let lower = f.divergence <= least && f.divergence < at.divergence;
                        // At the end rounding hides what the full step brings.
                        let level = f.divergence - at.divergence <= LEVEL * at.divergence.abs();
                        lower || part == 1.0 && level && gap(&next, f) < 0.5 * gap(&weights, &at)
                    })
                    .map(|f| (next, f));
                part *= 0.5;
            }
            let Some((next, found)) = better else {
                report.status = watch.stop().unwrap_or(Status::Stalled);
                break;
            };
            (weights, at) = (next, found);
            report.iterations += 1;
            report.objective.push(at.divergence / n);
            let message = format!("gap {:.1e}", gap(&weights, &at));
            run.tell(Event::Step { done: report.iterations as u64, message: &message });
            if report.iterations == MOST {
                report.status = Status::IterationLimit;
                break;
            }
        }
        run.tell(Event::End);
        if report.iterations == 0 {
            report.iterations = 1;
            report.objective.push(at.divergence / n);
        }
        let reached = gap(&weights, &at);
        if report.status == Status::Stalled && reached <= self.tol.max(1e-9) {
            report.status = Status::Converged;
        }
        report.gap = Some(reached);
        Ok(weighted(&Found { weights: &weights, zero: "every weight is 0" }, report, &watch))
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    /// s³ operations for each kernel and step.
    fn samples(&self) -> Option<usize> {
        Some(1_500)
    }
}
