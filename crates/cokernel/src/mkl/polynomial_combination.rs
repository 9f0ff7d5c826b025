//! Polynomial combination of kernels: all products of d kernels, with weights that are learned.
//!
//! ```text
//! K(μ) = (Σ_m μ_m K_m)^d  entry by entry  = Σ_{m_1 … m_d} μ_{m_1} ⋯ μ_{m_d} K_{m_1} ∘ ⋯ ∘ K_{m_d}
//! min  J(μ)   subject to   μ ≥ 0,  ‖μ‖_p ≤ Λ,      J(μ) = max_c  ℓ(c) − ½ Σ_u c_uᵀ K(μ) c_u
//! ```
//!
//! (Cortes, Mohri and Rostamizadeh, NIPS 22, learning non-linear combinations of kernels, §3-4; LMKA §2.2.2; D10.) The paper
//! learns with kernel ridge regression, J(μ) = ½ yᵀ(K(μ) + λI)⁻¹y; here it is whichever [machine](crate::machine) has a
//! dual whose ℓ is free of the kernel. It has no bias; that of the machine stays.
//!
//! | symbol | name |
//! |---|---|
//! | μ | `weights` of the rule |
//! | d, p, Λ | `degree`, `norm`, `radius` |
//! | ∂J/∂μ_m = −½ d Σ_u c_uᵀ (K_m ∘ (Σ_h μ_h K_h)^{d−1}) c_u | `gradient` |
//!
//! **Not convex** for d > 1: what is found is a stationary point. The start is the same weight for all kernels; the
//! trace of the objective never rises. J does not increase with μ, so the norm is Λ at the end. The loop stops when the
//! linear model promises at most `tol`·J anywhere in the set, S = max_{s} (μ − s)ᵀ∇J ≤ tol·|J|, which is 0 at
//! stationary points only; `details["stationarity"]` is S/|J|.
//!
//! **Steps.** Projected gradient as in the paper, with Barzilai-Borwein steps for its fixed ones and backtracking until
//! Armijo's condition holds. The projection of the paper scales to norm Λ; here it is the nearest point of the set.
//!
//! **Deviations.** LMKA counts each product of different kernels once; here, as in the algorithm of the paper for
//! d = 2, each order counts (2 μ_1 μ_2 K_1 ∘ K_2). The centre μ_0 of the paper's set is 0.
//!
//! **Scale.** All kernels times s multiply K(μ) by s^d. A kernel that is larger than others attracts weight, so normalise.
//! Two copies of a kernel get the same weight.
//!
//! **Cost** of an iteration: K(μ) and its machine for each trial, usually one, and one pass over all kernels for the
//! gradient; 10 to 50 iterations. d = 1 with p = 2 is [`lp_norm`](super::lp_norm), which is faster.

use super::{Copies, Learned, Learner, Problem, check, mixed};
use crate::machine::{How, Solution};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::Polynomial;
use crate::run::Pass;
use crate::{Error, Event, Report, Result, Run, Status, Watch};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(Combined::new(p)) };

static METHOD: Method = Method {
    id: "polynomial_combination",
    title: "polynomial combination of kernels",
    source: "Cortes, Mohri, Rostamizadeh 2009 (non-linear combinations); Gönen 2010, §2.2.2",
    summary: "A power of a weighted sum of the kernels, so that products of kernels take part, with the weights on which the \
              machine has the least objective. Not convex: ends at a stationary point. Costs 10 to 50 machines and as \
              many passes over all kernels.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Trace,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "degree",
            doc: "d, how many kernels are multiplied; 1 is a weighted sum.",
            range: Range::Int { default: 2, min: 1, max: crate::rule::LARGEST_DEGREE },
        },
        Param {
            name: "norm",
            doc: "p of ‖μ‖_p ≤ Λ: l2, which keeps many kernels; l1, which keeps few.",
            range: Range::Choice { default: "l2", of: &["l1", "l2"] },
        },
        Param {
            name: "radius",
            doc: "Λ of ‖μ‖_p ≤ Λ.",
            range: Range::Real { default: 1.0, min: 0.0, max: 1e6, closed: false },
        },
        Param {
            name: "tol",
            doc: "What the linear model promises at most, relative to the objective, to stop at.",
            range: Range::Real { default: 1e-3, min: 0.0, max: 0.5, closed: false },
        },
        Param {
            name: "max_iterations",
            doc: "Limit on changes of the weights.",
            range: Range::Int { default: 500, min: 1, max: i64::MAX },
        },
    ],
};

/// Trials of one line search.
const TRIALS: usize = 30;
/// Armijo's constant.
const ARMIJO: f64 = 1e-4;

#[derive(Debug)]
struct Combined {
    degree: u32,
    l1: bool,
    radius: f64,
    tol: f64,
    max_iterations: usize,
}

/// Weights, the machines on their kernel, and the gradient, where it is known.
struct Point {
    weights: Vec<f64>,
    machines: Solution,
}

impl Combined {
    fn new(params: &Params) -> Self {
        Combined {
            degree: u32::try_from(params.count("degree")).unwrap_or(1),
            l1: params.text("norm") == "l1",
            radius: params.real("radius"),
            tol: params.real("tol"),
            max_iterations: params.count("max_iterations"),
        }
    }

    fn point(
        &self,
        problem: &Problem<'_>,
        weights: Vec<f64>,
        warm: Option<&Solution>,
        run: &Run,
        watch: &Watch,
    ) -> Result<Point> {
        let mix = Polynomial::new(weights.clone(), self.degree);
        let run = &run.remaining(watch);
        let kernel = mixed(problem.bank, &mix, None, run, watch)?;
        let how = How { weights: problem.weights, warm, tol: None, only: None, run: &run.quiet() };
        let machines = problem.machine.solve(kernel.as_ref(), problem.target, &how)?;
        Ok(Point { weights, machines })
    }

    /// ∂J/∂μ; `None` after a stop.
    fn gradient(&self, problem: &Problem<'_>, point: &Point, watch: &Watch) -> Option<Vec<f64>> {
        let pass = Pass::under(watch);
        let (weights, power) = (&point.weights, self.degree as i32 - 1);
        let factor = |values: &[&[f64]], out: &mut [f64]| {
            out.fill(0.0);
            for (w, values) in weights.iter().zip(values).filter(|(w, _)| **w != 0.0) {
                out.iter_mut().zip(*values).for_each(|(o, v)| *o += w * v);
            }
            out.iter_mut().for_each(|o| *o = o.powi(power));
        };
        let forms = problem.bank.mixed_forms(&point.machines.coefs(), factor, &pass);
        let by = -0.5 * f64::from(self.degree);
        (!pass.is_given_up()).then(|| forms.iter().map(|q| by * q).collect())
    }

    /// The nearest point of the set.
    fn project(&self, weights: &[f64]) -> Vec<f64> {
        let kept: Vec<f64> = weights.iter().map(|w| w.max(0.0)).collect();
        if self.l1 {
            if kept.iter().sum::<f64>() <= self.radius {
                return kept;
            }
            let unit: Vec<f64> = weights.iter().map(|w| w / self.radius).collect();
            let found = super::sets::penalised::project(&unit);
            return found.iter().map(|w| w * self.radius).collect();
        }
        let norm = kept.iter().map(|w| w * w).sum::<f64>().sqrt();
        let by = if norm > self.radius { self.radius / norm } else { 1.0 };
        kept.iter().map(|w| w * by).collect()
    }

    /// The largest (μ − s)ᵀ∇J over s in the set.
    fn stationarity(&self, weights: &[f64], gradient: &[f64]) -> f64 {
        let here: f64 = weights.iter().zip(gradient).map(|(w, g)| w * g).sum();
        let down = gradient.iter().map(|g| (-g).max(0.0));
        let size = match self.l1 {
            true => down.fold(0.0_f64, f64::max),
            false => down.map(|g| g * g).sum::<f64>().sqrt(),
        };
        here + self.radius * size
    }

    fn first(&self, kernels: usize) -> Vec<f64> {
        let m = kernels as f64;
        vec![self.radius / if self.l1 { m } else { m.sqrt() }; kernels]
    }
}

/// Refuses machines whose dual holds the kernel otherwise than in the quadratic form.
fn check_machine(problem: &Problem<'_>) -> Result<()> {
    if problem.machine.has_free_dual() {
        return Ok(());
    }
    let text = "the kernel enters its dual in another way than polynomial combination relies on; choose another \
                machine";
    Err(Error::parameter("machine", text))
}

impl Learner for Combined {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        check_machine(problem)?;
        let watch = run.watch();
        let title = METHOD.title;
        run.tell(Event::Begin { stage: title, total: None });
        let start = self.first(problem.bank.len());
        let mut report = Report::closed_form(run);
        let warm = problem.warm_machines();
        let mut point = self.point(problem, start, warm, run, &watch)?;
        report.counts.add(&point.machines.counts);
        report.counts.combines += 1;
        report.objective.push(point.machines.primal());
        let mut step: Option<f64> = None;
        let (mut gradient, mut measure) = (None, f64::NAN);
        let status = loop {
            if gradient.is_none() {
                gradient = self.gradient(problem, &point, &watch);
            }
            let Some(slopes) = &gradient else { break watch.stop().unwrap_or(Status::Stalled) };
            let value = point.machines.primal();
            let scale = value.abs().max(f64::MIN_POSITIVE);
            measure = self.stationarity(&point.weights, slopes) / scale;
            let message = format!("slope {measure:.1e}");
            run.tell(Event::Step { done: report.iterations as u64, message: &message });
            if !point.machines.status().is_success() {
                break point.machines.status();
            }
            if measure <= self.tol {
                break Status::Converged;
            }
            if let Some(status) = watch.stop() {
                break status;
            }
            if report.iterations == self.max_iterations {
                break Status::IterationLimit;
            }
            let Some(next) = self.line(problem, &point, slopes, step, run, &watch, &mut report)?
            else {
                break watch.stop().unwrap_or(Status::Stalled);
            };
            let there = self.gradient(problem, &next, &watch);
            step = there.as_ref().and_then(|g| {
                let moves = next.weights.iter().zip(&point.weights).map(|(a, b)| a - b);
                let bends = g.iter().zip(slopes).map(|(a, b)| a - b);
                let pairs: Vec<(f64, f64)> = moves.zip(bends).collect();
                let along: f64 = pairs.iter().map(|(s, y)| s * y).sum();
                let square: f64 = pairs.iter().map(|(s, _)| s * s).sum();
                (along > 0.0).then(|| square / along)
            });
            (point, gradient) = (next, there);
            report.iterations += 1;
            report.objective.push(point.machines.primal());
        };
        run.tell(Event::End);
        if !status.is_success() {
            report.notes.push(format!(
                "{title} ended before its tolerance ({status}) at slope {measure:.1e}"
            ));
        }
        report.notes.extend(point.machines.remark());
        report.status = status;
        report.seconds = watch.seconds();
        if measure.is_finite() {
            report.details.insert("stationarity".to_string(), vec![measure]);
        }
        let rule = Polynomial::rule(point.weights, self.degree);
        Ok(Learned { machines: Some(point.machines), ..Learned::of(rule, report) })
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    fn degree(&self, _: usize) -> f64 {
        f64::from(self.degree)
    }

    fn drives_duals(&self) -> bool {
        true
    }
}

impl Combined {
    /// The first of shorter and shorter steps whose objective is enough smaller; `None` if none is.
    #[allow(clippy::too_many_arguments)]
    fn line(
        &self,
        problem: &Problem<'_>,
        from: &Point,
        slopes: &[f64],
        step: Option<f64>,
        run: &Run,
        watch: &Watch,
        report: &mut Report,
    ) -> Result<Option<Point>> {
        let steepest = slopes.iter().fold(0.0_f64, |a, g| a.max(g.abs()));
        // Far enough that the first projection is nearly where the linear model is least.
        let longest = 1e3 * self.radius / steepest.max(f64::MIN_POSITIVE);
        let mut step = step.unwrap_or(longest).min(longest);
        let before = from.machines.primal();
        for _ in 0..TRIALS {
            let moved: Vec<f64> =
                from.weights.iter().zip(slopes).map(|(w, g)| w - step * g).collect();
            let there = self.project(&moved);
            let terms = there.iter().zip(&from.weights).zip(slopes);
            let linear: f64 = terms.map(|((t, w), g)| g * (t - w)).sum();
            if linear >= 0.0 || !linear.is_finite() || watch.stop().is_some() {
                return Ok(None);
            }
            let next = self.point(problem, there, Some(&from.machines), run, watch)?;
            report.counts.add(&next.machines.counts);
            report.counts.combines += 1;
            if watch.stop().is_some() {
                return Ok(None);
            }
            if next.machines.primal() <= before + ARMIJO * linear {
                return Ok(Some(next));
            }
            step *= 0.2;
        }
        Ok(None)
    }
}
