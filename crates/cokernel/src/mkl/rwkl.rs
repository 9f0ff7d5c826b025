//! Weights by a response surface of the validation error of the plain machine.
//!
//! ```text
//! min over log₁₀ v   (error on held-out folds of the machine on Σ_m η_m K_m),      η_m = v_m/Σ_h v_h,  v_1 = 1
//! ```
//!
//! (LMKA §2.7.2, where it is RWKL; E3.) As [`rmkl`](super::rmkl), but over the weights themselves: each evaluation is
//! `folds` machines, and no weight becomes 0. See [`surface`](crate::solve::surface) for the search.
//!
//! | symbol | name |
//! |---|---|
//! | η | `weights` |
//! | VE, v | `details["validation_error"]`, `details["evaluated"]` (one v after the other) |
//!
//! The paper does not tell the scale of its weights. Here they sum to 1, so that C means the same at every point and the
//! centre of the design is the [`mean`](super::mean) of the kernels; that of the first kernel is the unit of the
//! search, so the order of the kernels matters. Deviations of the search are those of [`rmkl`](super::rmkl).
//!
//! **Certificate.** That of the machine, for the weights that were found.
//!
//! **Cost**: one sum of all kernels and `folds` machines for each of M (M + 1)/2 points and of 1 to 15 more.

use super::held_out::{FOLDS, HeldOut, NO_FOLDS};
use super::surface_search::{ANSWER, DELTA, EPSILON, EVALUATIONS, Options, REACH};
use super::{Copies, Learned, Learner, Problem, check, mixed};
use crate::machine::{How, Solution};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::rule::Weighted;
use crate::{Error, Report, Result, Run, Watch};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry {
    method: &METHOD,
    build: |p| Box::new(Rwkl { options: Options::new(p), folds: p.count("folds") }),
};

static METHOD: Method = Method {
    id: "rwkl",
    title: "weights by a response surface",
    source: "Gönen 2010, §2.7.2",
    summary: "Weights with which the machine makes few errors on inner folds: a quadratic surface is fitted to the \
              errors of a few weights, and its least point near the best one is tried next. No weight becomes 0. For up to about ten \
              kernels: costs folds × M (M + 1)/2 machines and some more.",
    tasks: &[Task::Classify, Task::Regress],
    group: Group::Heuristics,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[FOLDS, DELTA, REACH, EPSILON, EVALUATIONS, ANSWER],
};

#[derive(Debug)]
struct Rwkl {
    options: Options,
    folds: usize,
}

/// η = v/Σv.
fn shares(numbers: &[f64]) -> Vec<f64> {
    let sum: f64 = numbers.iter().sum();
    numbers.iter().map(|v| v / sum).collect()
}

/// The error of these weights on the folds, with machines that start from the last ones; `None` after a stop.
fn error(
    problem: &Problem<'_>,
    held_out: &HeldOut,
    weights: Vec<f64>,
    last: &mut [Option<Solution>],
    report: &mut Report,
    (run, watch): (&Run, &Watch),
) -> Result<Option<f64>> {
    let rule = Weighted::new(weights);
    let rows = match mixed(problem.bank, &rule, None, run, watch) {
        Err(Error::Stopped { .. }) => return Ok(None),
        rows => rows?,
    };
    report.counts.combines += 1;
    let mut error = 0.0;
    for (held, last) in last.iter_mut().enumerate() {
        let weights = held_out.weights(problem, held);
        let left = run.remaining(watch).quiet();
        let how =
            How { weights: Some(&weights), warm: last.as_ref(), tol: None, only: None, run: &left };
        let machines = problem.machine.solve(rows.as_ref(), problem.target, &how)?;
        report.counts.add(&machines.counts);
        if watch.stop().is_some() {
            return Ok(None);
        }
        error += held_out.error(problem, held, rows.as_ref(), &machines, watch);
        *last = Some(machines);
    }
    Ok(watch.stop().is_none().then_some(error))
}

impl Learner for Rwkl {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let watch = run.watch();
        let mut report = Report::closed_form(run);
        let kernels = problem.bank.len();
        let even = Weighted::rule(vec![1.0 / kernels as f64; kernels]);
        if kernels == 1 {
            return Ok(Learned::of(even, report));
        }
        let Some(held_out) = HeldOut::new(problem, self.folds, run)? else {
            report.notes.push(NO_FOLDS.to_string());
            return Ok(Learned::of(even, report));
        };
        let mut last: Vec<Option<Solution>> = vec![None; self.folds];
        let searched = self.options.search(kernels, run, &mut |v| {
            error(problem, &held_out, shares(v), &mut last, &mut report, (run, &watch))
        })?;
        let rule = Weighted::rule(shares(&searched.numbers));
        searched.tell(&mut report);
        if let Some(status) = watch.stop() {
            report.status = status;
            report.notes.push(format!("stopped ({status}) during the search for weights"));
        }
        report.seconds = watch.seconds();
        Ok(Learned::of(rule, report))
    }

    fn weights_repeat(&self) -> bool {
        false
    }

    fn copies(&self) -> Copies {
        Copies::Either
    }
}
