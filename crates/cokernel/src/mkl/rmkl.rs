//! Regularized MKL: the prices d_m of Bach's MKL by a response surface of the validation error.
//!
//! ```text
//! min over log₁₀ d   (error on held-out folds of (2.4) with these d),      d_1 = 1
//! ```
//!
//! (Gönen and Alpaydın, 2010c; LMKA §2.7.1, Figure 2.3; E1.) A large d_m asks more of kernel m: Σ_m d_m² η_m = 1. See
//! [`surface`](crate::solve::surface) for the design, the fit and the stops, and [`bach`](super::bach) for the problem
//! that every evaluation solves. With all d_m equal to 1, the centre of the design, it is that problem.
//!
//! | symbol | name |
//! |---|---|
//! | η | `weights` |
//! | d | `details["d"]` |
//! | Δ, ε | parameters `delta`, `step_tol` |
//! | VE, D | `details["validation_error"]`, `details["evaluated"]` (one d after the other) |
//!
//! **As in the paper.** d of the first kernel is 1, so the order of the kernels matters; Δ = 0.3, factors of 2; the
//! second-order Koshal design of M (M + 1)/2 points; d between 0.1 and 10 (Table 5.8 has both ends).
//!
//! **Otherwise.** The paper takes the last point, which under noise need not be good: here the best one, or the last with
//! `answer = last`. It minimises the fitted surface wherever that leads: here in a box and a region of trust. Its
//! ε is not told: 0.02. Its validation sets are the halves of its 5 × 2 folds: here inner folds of the training instances,
//! in which a held-out instance has weight 0. Numbers: the mean squared error takes the place of the share of errors.
//!
//! **Certificate.** That of the last fit, for the d that were found; the search over d has none.
//!
//! **Cost**: `folds` fits of [`bach`](super::bach) for each of M (M + 1)/2 points and of 1 to 15 more; fits start from
//! the last ones. Many kernels are too many: 20 have a design of 210 points.

use super::definite::refuse_indefinite;
use super::held_out::{FOLDS, HeldOut};
use super::outer::{MAX_ITERATIONS, TOL};
use super::prices::{Prices, Solving, nothing_searched};
use super::surface_search::{ANSWER, DELTA, EPSILON, EVALUATIONS, Options, REACH};
use super::{Copies, Learned, Learner, Problem, bach, check};
use crate::method::{Certificate, Entry, Group, Method, Task};
use crate::{Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry {
    method: &METHOD,
    build: |p| {
        let solving = Solving {
            title: "regularized MKL",
            tol: p.real("tol"),
            max_iterations: p.count("max_iterations"),
        };
        Box::new(Rmkl { options: Options::new(p), folds: p.count("folds"), solving })
    },
};

static METHOD: Method = Method {
    id: "rmkl",
    title: "regularized MKL by a response surface",
    source: "Gönen, Alpaydın 2010; Gönen 2010, §2.7, Figure 2.3",
    summary: "MKL whose price for each kernel is chosen by errors on inner folds: a quadratic surface is fitted to the \
              errors of a few prices, and its least point near the best one is tried next. For up to about ten kernels: costs folds × \
              M (M + 1)/2 fits of MKL and some more.",
    tasks: &[Task::Classify, Task::Regress],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: bach::FOUND_PRICES,
    params: &[FOLDS, DELTA, REACH, EPSILON, EVALUATIONS, ANSWER, TOL, MAX_ITERATIONS],
};

#[derive(Debug)]
struct Rmkl {
    options: Options,
    folds: usize,
    solving: Solving,
}

impl Learner for Rmkl {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let watch = run.watch();
        refuse_indefinite(problem, "regularized MKL", &watch)?;
        let kernels = problem.bank.len();
        let held_out = HeldOut::new(problem, self.folds, run)?;
        let Some(held_out) = held_out.filter(|_| kernels > 1) else {
            let mut learned = bach::learn_with(&self.solving, &vec![1.0; kernels], problem, run)?;
            learned.report.notes.extend(nothing_searched(kernels, &watch));
            learned.report.details.insert("d".to_string(), vec![1.0; kernels]);
            return Ok(learned);
        };
        let mut prices = Prices::new(problem, held_out, self.solving, (run, &watch));
        let searched = self.options.search(kernels, run, &mut |d| prices.error(d))?;
        let mut learned = prices.finish(searched.numbers.clone())?;
        searched.tell(&mut learned.report);
        Ok(learned)
    }

    fn weights_repeat(&self) -> bool {
        false
    }

    fn copies(&self) -> Copies {
        Copies::Either
    }

    fn drives_duals(&self) -> bool {
        true
    }
}
