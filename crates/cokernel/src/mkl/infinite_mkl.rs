//! Infinite kernel learning: the best average of kernels of all widths, which are found one by one.
//!
//! ```text
//! min_η  max_c  ℓ(c) − ½ Σ_u c_uᵀ (Σ_m ∫ η_m(p) K_m^p dp) c_u       η ≥ 0,  Σ_m ∫ η_m(p) dp = 1,  1/span ≤ p ≤ span
//! ```
//!
//! K^p is the matrix of the powers k(x_i, x_j)^p. For k = exp(−γd) with a metric of this library it is that kernel with the
//! width pγ, positive semi-definite for every p > 0; kernels of other kinds, similarities among them, take part as they are
//! (p = 1). (Gehler and Nowozin 2008; Argyriou, Micchelli and Pontil 2005; LMKA §2.2.1.3.) ℓ is that of the
//! [machine](crate::machine).
//!
//! | symbol | name |
//! |---|---|
//! | kernels with a power, η | [`Powers`](crate::rule::Powers), `details["terms"]`, `["exponents"]`, `["weights"]` |
//! | T_m(p) = Σ_u c_uᵀ K_m^p c_u | [`Profile`] |
//!
//! **Method.** [SimpleMKL](super::simple_mkl) on a finite list, which starts with the given kernels. At its machines T_m is
//! maximised over p for every m; a power with a larger T than the kernels of the list joins, those without a weight leave.
//! Some weight on finitely many powers is always enough.
//!
//! **Certificate.** P − (ℓ(c) − ½ max_{m,p} T_m(p)) bounds the distance from the optimum over all widths. T is not convex,
//! but it is the difference of two convex functions of p, the terms with positive and with negative c_i c_j; a chord of the
//! first and tangents of the second bound it over an interval, and intervals with a large bound are halved until the bound is
//! as good as the tolerance asks (`infinite_mkl/profile.rs`). So the gap is not one over a grid.
//!
//! **Deviations.** The source looks for the next kernel from random starts by gradients, and takes widths of single features,
//! too; here every given kernel has one power, and its maximum is a global one.
//!
//! **Cost** of a round: SimpleMKL on the kernels of the list, for which n × n matrices are kept, and some hundred
//! sums of powers of the support vectors' pairs for each kernel.

mod profile;

use super::outer::simplex::Simplex;
use super::outer::{Outer, settled};
use super::{Learned, Learner, Problem, check, fits};
use crate::bank::{Bank, Storage};
use crate::data::Matrix;
use crate::kernel::{Function, Normalization};
use crate::machine::{How, Solution};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::{Power, Powers, Weighted};
use crate::run::Pass;
use crate::{Counts, Error, Event, Report, Result, Run, Status, Watch};
use profile::Profile;
use rayon::prelude::*;

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(InfiniteMkl::new(p)) };

static METHOD: Method = Method {
    id: "infinite_mkl",
    title: "infinite kernel learning",
    source: "Gehler, Nowozin 2008; Gönen 2010, §2.2.1.3",
    summary: "SimpleMKL over all widths of the given Gaussian, Laplacian and χ² kernels: widths are found, not chosen beforehand. \
              The duality gap is over all widths. Costs some rounds of SimpleMKL on a few kernels.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "span",
            doc: "Gammas are from those of the given kernels over span to span times these.",
            range: Range::Real { default: 100.0, min: 1.0, max: 1e6, closed: true },
        },
        Param {
            name: "tol",
            doc: "Relative duality gap over all widths to stop at.",
            range: Range::Real { default: 1e-3, min: 0.0, max: 0.5, closed: false },
        },
        Param {
            name: "max_rounds",
            doc: "Limit on rounds, each of which adds at most one width of each kernel.",
            range: Range::Int { default: 50, min: 1, max: 100_000 },
        },
    ],
};

#[derive(Debug)]
struct InfiniteMkl {
    span: f64,
    tol: f64,
    rounds: usize,
}

impl InfiniteMkl {
    fn new(p: &Params) -> Self {
        InfiniteMkl { span: p.real("span"), tol: p.real("tol"), rounds: p.count("max_rounds") }
    }
}

/// The list of kernels, with what SimpleMKL found on it.
struct Fitted {
    terms: Vec<Power>,
    machines: Solution,
    counts: Counts,
    status: Status,
    trace: Vec<f64>,
    notes: Vec<String>,
}

impl Learner for InfiniteMkl {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let watch = run.watch();
        let target = settled(problem, run, &watch)?;
        let problem = &Problem { target: target.as_ref().unwrap_or(problem.target), ..*problem };
        let kernels = problem.bank.len();
        let term = |kernel: usize| Power { kernel, exponent: 1.0, weight: 1.0 / kernels as f64 };
        let mut list: Vec<Power> = (0..kernels).map(term).collect();
        let divisible = (0..kernels).any(|m| is_divisible(problem, m));
        let mut warm: Option<Solution> = None;
        let mut counts = Counts::default();
        let (mut objective, mut gaps): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut best: Option<Fitted> = None;
        run.tell(Event::Begin { stage: METHOD.title, total: None });
        // Lists are fitted a little better than what is asked for over all widths.
        let mut inner = 0.3 * self.tol;
        let mut bound = f64::NEG_INFINITY;
        let status = loop {
            let fitted = match self.fit(problem, &list, warm.take(), inner, run, &watch)? {
                Some(fitted) => fitted,
                None => {
                    // The best so far, or the mean of the kernels as they are.
                    if best.is_none() {
                        best = Some(at_the_mean(problem, &list, run, &watch)?);
                    }
                    let primal = best.as_ref().map_or(0.0, |b| b.machines.primal());
                    objective.push(objective.last().copied().unwrap_or(primal));
                    gaps.push(gaps.last().copied().unwrap_or(1.0));
                    break watch.stop().unwrap_or(Status::Stalled);
                }
            };
            counts.add(&fitted.counts);
            if objective.is_empty() {
                // The steps of the first list.
                objective.extend(fitted.trace.iter().rev().skip(1).rev());
            }
            let priced = self.price(problem, &fitted, &watch);
            let primal = fitted.machines.primal();
            let Some((lower, found)) = priced else {
                objective.push(objective.last().map_or(primal, |o| o.min(primal)));
                gaps.push(gaps.last().copied().unwrap_or(1.0));
                best = best.or(Some(fitted));
                break watch.stop().unwrap_or(Status::Stalled);
            };
            bound = bound.max(lower);
            if best.as_ref().is_none_or(|b| primal < b.machines.primal()) {
                best = Some(fitted);
            }
            let Some(now) = &best else { break Status::Stalled };
            let least = now.machines.primal();
            objective.push(least);
            gaps.push(((least - bound) / least.abs().max(f64::MIN_POSITIVE)).max(0.0));
            let gap = gaps[gaps.len() - 1];
            let message = format!("gap {gap:.1e}, {} widths", now.terms.len());
            run.tell(Event::Step { done: gaps.len() as u64, message: &message });
            if gap <= self.tol {
                break Status::Converged;
            }
            if let Some(stop) = watch.stop() {
                break stop;
            }
            if !divisible {
                // There is nothing that could join.
                break if now.status.is_success() { Status::Stalled } else { now.status };
            }
            if gaps.len() > self.rounds {
                break Status::IterationLimit;
            }
            list.clone_from(&now.terms);
            let before = list.len();
            list.extend(found.iter().filter(|new| !now.terms.iter().any(|t| near(t, new))));
            warm = Some(now.machines.clone());
            if list.len() == before {
                // What is left is the gap of the list itself.
                if inner < 1e-3 * self.tol || now.status == Status::Stalled {
                    break Status::Stalled;
                }
                inner *= 0.1;
            }
        };
        run.tell(Event::End);
        let Some(mut best) = best else {
            return Err(Error::Data("infinite kernel learning found nothing".to_string()));
        };
        best.terms.sort_by(|a, b| a.kernel.cmp(&b.kernel).then(a.exponent.total_cmp(&b.exponent)));
        let mut report = Report { status, counts, ..Report::closed_form(run) };
        report.iterations = objective.len() - 1;
        (report.objective, report.gap) = (objective, gaps.last().copied());
        report.details.insert("gaps_of_rounds".to_string(), gaps);
        let of = |f: fn(&Power) -> f64| best.terms.iter().map(f).collect::<Vec<f64>>();
        report.details.insert("terms".to_string(), of(|t| t.kernel as f64));
        report.details.insert("exponents".to_string(), of(|t| t.exponent));
        report.details.insert("weights".to_string(), of(|t| t.weight));
        report.notes.extend(self.said(problem, &best.terms));
        if !status.is_success() {
            report.notes.extend(best.notes);
            report.notes.push(format!(
                "infinite kernel learning ended before its tolerance ({status}) at relative gap {:.1e}",
                report.gap.unwrap_or(f64::NAN)
            ));
        }
        report.seconds = watch.seconds();
        let rule = Powers::rule(kernels, &best.terms);
        Ok(Learned { machines: Some(best.machines), ..Learned::of(rule, report) })
    }

    fn drives_duals(&self) -> bool {
        true
    }
}

/// Whether two powers are the same up to what makes no difference.
fn near(a: &Power, b: &Power) -> bool {
    a.kernel == b.kernel && (a.exponent / b.exponent).ln().abs() < 1e-9
}

/// Whether every power of it is positive semi-definite.
fn is_divisible(problem: &Problem<'_>, m: usize) -> bool {
    let kernel = &problem.bank.kernels()[m];
    let plain = |n: &Normalization| *n == Normalization::UnitDiagonal;
    matches!(kernel.function, Function::Exponential { .. }) && kernel.normalize.iter().all(plain)
}

impl InfiniteMkl {
    /// SimpleMKL on these powers; `None` after a stop that comes before there are their matrices.
    fn fit(
        &self,
        problem: &Problem<'_>,
        list: &[Power],
        machines: Option<Solution>,
        tol: f64,
        run: &Run,
        watch: &Watch,
    ) -> Result<Option<Fitted>> {
        if !fits(problem.bank, list.len() + 2, run) {
            return Err(Error::Data(format!(
                "infinite kernel learning keeps {} matrices of {} × {} values, for which the memory limit is too small; allow \
                 more memory, or use simple_mkl with some widths",
                list.len() + 2,
                problem.bank.n(),
                problem.bank.n()
            )));
        }
        let mut matrices = Vec::with_capacity(list.len());
        for (t, term) in list.iter().enumerate() {
            if watch.stop().is_some() {
                return Ok(None);
            }
            matrices.push((format!("{t}"), power(problem.bank, term)?));
        }
        let left = run.remaining(watch).quiet();
        let bank = match Bank::of_matrices(matrices, Storage::Resident, &left) {
            Err(Error::Stopped { .. }) => return Ok(None),
            bank => bank?,
        };
        let weights = list.iter().map(|t| t.weight).collect();
        let report = Report::closed_form(run);
        let warm = machines
            .map(|m| Learned { machines: Some(m), ..Learned::of(Weighted::rule(weights), report) });
        let part =
            Problem { bank: &bank, views: None, pairs: None, warm: warm.as_ref(), ..*problem };
        let outer =
            Outer { title: "SimpleMKL", set: &Simplex, tol, max_iterations: 500, second: true };
        let learned = outer.learn(&part, &run.remaining(watch).quiet())?;
        let none = || Error::Data("SimpleMKL brought no machines".to_string());
        let found = learned.rule.weights().ok_or_else(none)?;
        let terms = list.iter().zip(found).filter(|(_, w)| **w > 0.0);
        let terms = terms.map(|(t, w)| Power { weight: *w, ..*t }).collect();
        let machines = learned.machines.ok_or_else(none)?;
        let Report { status, notes, counts, objective: trace, .. } = learned.report;
        Ok(Some(Fitted { terms, machines, counts, status, trace, notes }))
    }

    /// A lower bound on the optimum over all widths, and the powers with the largest T; `None` after a stop.
    fn price(
        &self,
        problem: &Problem<'_>,
        fitted: &Fitted,
        watch: &Watch,
    ) -> Option<(f64, Vec<Power>)> {
        let bank = problem.bank;
        let (coefs, linear) = (fitted.machines.coefs(), fitted.machines.linear());
        let primal = fitted.machines.primal();
        // The error of T that costs a third of the tolerance.
        let allowed = 0.6 * self.tol * primal.abs();
        let one = |m: usize| {
            let profile = Profile::new(bank, m, &coefs);
            match is_divisible(problem, m) && self.span > 1.0 {
                true => {
                    let found = profile.largest(1.0 / self.span, self.span, allowed, watch)?;
                    Some((found.above, Some(Power { kernel: m, exponent: found.at, weight: 0.0 })))
                }
                false => Some((profile.plain(), None)),
            }
        };
        let found: Option<Vec<_>> = (0..bank.len()).into_par_iter().map(one).collect();
        let found = found?;
        let above = found.iter().fold(0.0, |a: f64, f| a.max(f.0));
        // Kernels that are as they are come back, too.
        let fixed = |(m, f): (usize, &(f64, Option<Power>))| {
            f.1.unwrap_or(Power { kernel: m, exponent: 1.0, weight: 0.0 })
        };
        let all = found.iter().enumerate().map(fixed).collect();
        Some((linear - 0.5 * above, all))
    }

    /// The widths that were found.
    fn said(&self, problem: &Problem<'_>, terms: &[Power]) -> Option<String> {
        let width = |t: &Power| match problem.bank.kernels()[t.kernel].function {
            Function::Exponential { gamma, .. } if is_divisible(problem, t.kernel) => {
                Some(format!("γ = {:.3e} ({:.2})", gamma * t.exponent, t.weight))
            }
            _ => None,
        };
        let mut lines = Vec::new();
        for (m, kernel) in problem.bank.kernels().iter().enumerate() {
            let own: Vec<String> =
                terms.iter().filter(|t| t.kernel == m).filter_map(width).collect();
            if !own.is_empty() {
                lines.push(format!("{}: {}", kernel.names()[1], own.join(", ")));
            }
        }
        (!lines.is_empty()).then(|| format!("widths (weights) of {}", lines.join("; ")))
    }
}

/// The machines on the mean of the kernels as they are.
fn at_the_mean(problem: &Problem<'_>, list: &[Power], run: &Run, watch: &Watch) -> Result<Fitted> {
    let weights: Vec<f64> = list.iter().map(|t| t.weight).collect();
    let gram = problem.bank.combine(&weights)?;
    let left = run.remaining(watch).quiet();
    let how = How { weights: problem.weights, ..How::new(&left) };
    let machines = problem.machine.solve(&gram, problem.target, &how)?;
    let (counts, status) = (machines.counts, machines.status());
    let notes = machines.remark().into_iter().collect();
    Ok(Fitted { terms: list.to_vec(), machines, counts, status, trace: Vec::new(), notes })
}

/// Entries of powers below this are 0: products of them would underflow.
const SMALLEST: f64 = 1e-150;

/// The matrix of a power.
fn power(bank: &Bank, term: &Power) -> Result<Matrix> {
    let mut alone = vec![0.0; bank.len()];
    alone[term.kernel] = 1.0;
    // Without it there is nothing: it is not given up.
    let mut matrix = bank.combine_in(&alone, &Pass::default())?.into_matrix()?;
    if term.exponent != 1.0 {
        let exponent = term.exponent;
        matrix.values_mut().par_iter_mut().for_each(|v| {
            let power = v.max(0.0).powf(exponent);
            *v = if power < SMALLEST { 0.0 } else { power };
        });
    }
    Ok(matrix)
}
