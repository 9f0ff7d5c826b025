//! The outer loop of methods that keep a piecewise linear model of J over the simplex.
//!
//! ```text
//! g(η) = max_t  ℓ(c_t) − ½ Σ_m η_m q_m(c_t)  ≤  J(η),      q_m(c) = Σ_u c_uᵀ K_m c_u
//! ```
//!
//! over the coefficients c_t of all machines solved so far: each is feasible for every kernel, so each plane lies
//! below J, however exactly its machine was solved.
//!
//! **Certificate.** With the multipliers λ of the planes at the least of g,
//!
//! ```text
//! min_t P(η_t)  ≥  min J  ≥  Σ_t λ_t ℓ(c_t) − ½ max_m Σ_t λ_t q_m(c_t),
//! ```
//!
//! the right side also being what the feasible coefficients Σ_t λ_t c_t prove at least. The reported gap is between the best
//! upper and the best lower bound; the loop stops when it is at most `tol`·|P|, and returns the weights with the least P.
//!
//! **Inner accuracy.** Machines start from the last solution and are solved to a fiftieth of the gap at hand. When ten
//! in a row move neither bound, they are solved thirty times as exactly, then the loop ends and says so.
//!
//! **Cost** of an iteration: one sum and one quadratic form of each kernel (2 M n² for the resident bank), the warm
//! machine, and one or two small programs over the planes ([`planes`](crate::solve::planes)). Memory beside the
//! bank: two n × n matrices if they fit into [`Run::memory`].

use super::search::{self, Point, Search};
use super::simplex::Simplex;
use super::{DROP_AT_END, Outer, Set, ended, settled, size};
use crate::mkl::definite::refuse_indefinite;
use crate::mkl::{Learned, Problem, check};
use crate::rule::Weighted;
use crate::solve::planes::Planes;
use crate::{Event, Report, Result, Run, Status};

/// Part of the gap to which machines are solved.
const INNER: f64 = 0.02;
/// Machines in a row that move no bound, after which they are solved more exactly.
const FRUITLESS: u32 = 10;

/// Where the next machine is solved.
#[derive(Debug, Clone, Copy)]
pub(in crate::mkl) enum Next {
    /// Where the model is least.
    Least,
    /// At the nearest point where the model is at most this part of the way from the lower to the upper bound.
    Level(f64),
}

/// What a method asks of the loop.
pub(in crate::mkl) struct Cutting {
    pub title: &'static str,
    pub tol: f64,
    pub max_iterations: usize,
    pub next: Next,
}

/// The bounds so far.
struct Bounds {
    planes: Planes,
    lower: f64,
    best: Option<Point>,
    upper: f64,
}

impl Bounds {
    fn gap(&self) -> f64 {
        let gap = (self.upper - self.lower) / self.upper.abs().max(f64::MIN_POSITIVE);
        if gap.is_finite() { gap } else { f64::MAX }
    }

    /// Takes the machines of a point into account; gives where the model is least.
    fn add(&mut self, point: &Point) -> Vec<f64> {
        // Forms that rounding made too small would lift the plane above J.
        let half = point.safe_half_forms();
        let linear = point.machines.linear();
        self.planes.push(half.iter().map(|q| linear - q));
        let least = self.planes.least();
        let alone = linear - Simplex.conjugate(&half);
        self.lower = self.lower.max(alone).max(least.bound);
        let upper = point.primal();
        if upper < self.upper {
            self.upper = upper;
            self.best = Some(point.clone());
        }
        least.at
    }
}

impl Cutting {
    /// Learns weights and machines.
    pub fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let outer = Outer {
            title: self.title,
            set: &Simplex,
            tol: self.tol,
            max_iterations: self.max_iterations,
            second: false,
        };
        outer.check_machine(problem)?;
        let watch = run.watch();
        refuse_indefinite(problem, self.title, &watch)?;
        let settled = settled(problem, run, &watch)?;
        let problem = &Problem { target: settled.as_ref().unwrap_or(problem.target), ..*problem };
        let run = &run.remaining(&watch);
        let kernels = problem.bank.len();
        let mut search = Search::new(problem, &Simplex, run, self.tol)?;
        run.tell(Event::Begin { stage: self.title, total: None });
        let mut point = search.start(outer.first_weights(problem, run, &watch, false).0)?;
        let mut bounds = Bounds {
            planes: Planes::new(kernels),
            lower: f64::NEG_INFINITY,
            best: None,
            upper: f64::INFINITY,
        };
        let (mut objective, mut gaps) = (Vec::new(), Vec::new());
        let (mut iterations, mut fruitless, mut inner) = (0, 0, INNER);
        let status = loop {
            search.differentiate(&mut point, false)?;
            if search.given_up {
                break search.watch.stop().unwrap_or(Status::Stalled);
            }
            let before = (bounds.lower, bounds.upper);
            let least = bounds.add(&point);
            let gap = bounds.gap();
            objective.push(bounds.upper);
            gaps.push(gap);
            let message = format!("gap {gap:.1e}, {} kernels", point.active());
            run.tell(Event::Step { done: iterations as u64, message: &message });
            if gap <= self.tol {
                break Status::Converged;
            }
            if let Some(status) = search.watch.stop() {
                break status;
            }
            if iterations == self.max_iterations {
                break Status::IterationLimit;
            }
            if search.limited(&point) {
                break Status::Stalled;
            }
            fruitless = if before == (bounds.lower, bounds.upper) { fruitless + 1 } else { 0 };
            if fruitless >= FRUITLESS {
                if inner < INNER {
                    break Status::Stalled;
                }
                (fruitless, inner) = (0, inner / 30.0);
            }
            let weights = match self.next {
                Next::Least => least,
                Next::Level(part) => {
                    let level = bounds.lower + part * (bounds.upper - bounds.lower);
                    bounds.planes.nearest(&point.weights, level)
                }
            };
            iterations += 1;
            let weights = search.cleaned(&weights, search::DROP);
            point = search.elsewhere_to(weights, &point, inner * gap)?;
        };
        let mut point = bounds.best.take().unwrap_or(point);
        let gap = self.finish(&mut search, &mut point, &bounds, status)?;
        run.tell(Event::End);
        let hidden = point.machines.tell_hidden(problem.machine.tol()) / size(point.primal());
        let gap = gap.map(|_| ((point.primal() - bounds.lower) / size(point.primal())).abs());
        let status = ended(status, gap, self.tol);
        if let (Some(last), Some(gap)) = (objective.last_mut(), gap) {
            *last = last.min(point.primal());
            gaps.last_mut().into_iter().for_each(|g| *g = gap);
        }
        let mut notes = outer.notes(gap, status, search.refused, hidden);
        if let (Status::Stalled, Some(note)) = (status, notes.first_mut()) {
            note.push_str(", or take simple_mkl, which has the same optimum");
        }
        let report = Report {
            status,
            iterations,
            objective,
            gap,
            gaps,
            counts: search.counts,
            seconds: search.watch.seconds(),
            seed: run.seed,
            notes,
            ..Report::closed_form(run)
        };
        let rule = Weighted::rule(point.weights);
        Ok(Learned { machines: Some(point.machines), ..Learned::of(rule, report) })
    }

    /// Drops small weights where that does no harm, solves the machines to their own tolerance, and gives the gap of
    /// the point that is returned.
    fn finish(
        &self,
        search: &mut Search<'_>,
        point: &mut Point,
        bounds: &Bounds,
        status: Status,
    ) -> Result<Option<f64>> {
        let gap = |p: &Point| {
            let upper = p.primal();
            (upper - bounds.lower) / upper.abs().max(f64::MIN_POSITIVE)
        };
        if bounds.lower == f64::NEG_INFINITY {
            return Ok(None);
        }
        if matches!(status, Status::Interrupted | Status::TimeLimit) {
            return Ok(Some(gap(point)));
        }
        let enough = self.tol.max(gap(point));
        let kept = search.cleaned(&point.weights, DROP_AT_END);
        let tol = point.machines.gap().min(search.problem.machine.tol());
        if kept != point.weights || point.machines.gap() > tol {
            let exact = search.elsewhere_to(kept, point, tol)?;
            if gap(&exact) <= enough {
                *point = exact;
            } else if point.machines.gap() > tol {
                let weights = point.weights.clone();
                let exact = search.elsewhere_to(weights, point, tol)?;
                if gap(&exact) <= enough {
                    *point = exact;
                }
            }
        }
        Ok(Some(gap(point)))
    }
}
