//! SimpleMKL: the convex combination on which the support vector machine has the least objective.
//!
//! ```text
//! min  J(η)   subject to   η ≥ 0, Σ η_m = 1
//! J(η) = max_c  ℓ(c) − ½ Σ_u Σ_m η_m q_m^u(c),      q_m^u = c_uᵀ K_m c_u
//! ```
//!
//! (Rakotomamonjy, Bach, Canu and Grandvalet, JMLR 9, 2008; LMKA §2.2.1.3; D4.) ℓ is that of the
//! [machine](crate::machine): Σ_i α_i with c = α∘y for C-SVC. u runs over its decision functions: one for
//! two classes, else those of the machine's decomposition, which share one η as in §3.4 of the paper. J is
//! convex with ∂J/∂η_m = −½ Σ_u q_m^u at the optimal c.
//!
//! | symbol | name |
//! |---|---|
//! | η | `weights` |
//! | c_u, P(η) | the heads of `machines`, `machines.primal()` |
//! | q_m^u | `forms[u][m]` |
//! | D | `direction`, scaled so that step 1 ends at the boundary or at the model's minimiser |
//!
//! **Certificate.** For any η and any feasible α the two numbers
//!
//! ```text
//! P = Σ_u primal objective of machine u on K_η     ≥  min J  ≥     ℓ(c) − ½ max_m Σ_u q_m^u
//! ```
//!
//! bound the optimum from both sides for any feasible c, however exactly the machines were solved. The method stops
//! when their difference is at most `tol`·|P| and reports it as the gap. The kernels have to be
//! positive semi-definite; with others the numbers are no bounds.
//!
//! **Direction.** `gradient` is the reduced gradient of the paper: with μ the largest weight,
//! D_m = ∂_μ − ∂_m, set to 0 where η_m = 0 and D_m < 0, and D_μ = −Σ D_m. It converges linearly,
//! slowly when kernels resemble each other. `newton` (the default) is the direction to the
//! minimiser over the simplex of the second-order model of J, whose exact Hessian comes from the
//! free support vectors (see [`curvature`]; Chapelle and Rakotomamonjy, 2008). Both are descent
//! directions on the simplex and meet the same certificate; this one needs about ten machines.
//!
//! **Line search.** Step 1 first; the paper, too, goes to the boundary while J decreases. Then,
//! for `newton`, back by quadratic interpolation until Armijo's condition holds; for `gradient`, by
//! safeguarded secant steps until the slope is a tenth of the first (the paper: golden section).
//! K_{η+tD} is made from the two matrices at hand, one pass over n² entries for each trial instead
//! of M. All upper bounds P along the iterations decrease.
//!
//! **Inner accuracy.** Machines start from the last solution and are solved to a tenth of the
//! decrease that the model promises; when the promise falls below what the machines can resolve,
//! their tolerance is divided by 30, down to 10⁻⁶·`tol`; so it is when a step gains less than a
//! hundredth of what was promised. Machines that stop early, because rounding hides the rest, are
//! not asked for more again; when three changes of the weights in a row gain less than they can
//! tell apart, or they alone miss `tol`, the method ends and says so.
//!
//! **Small weights.** Weights below 10⁻⁸ become 0 at once, those below 10⁻⁶ at the end (if the gap
//! stays below `tol`); the others are divided by their sum.
//!
//! **Scale.** Not invariant: s·K_m with s > 1 makes kernel m cheaper and attracts weight, so
//! normalise. Scaling all kernels by s and C by 1/s leaves η unchanged. Two copies of a kernel
//! share its weight in any proportion.
//!
//! **Cost** of an iteration: one sum and one product with c of each kernel (2 M n² for the
//! resident bank), the warm machine, |F|³/3 for `newton`. Memory beside the bank: two n × n
//! matrices if they fit into [`Run::memory`], else none; the largest F × F block.

mod curvature;
mod search;

use super::{Learned, Learner, Problem, check};
use crate::method::{Entry, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::Weighted;
use crate::{Event, Report, Result, Run, Status};
use search::{Point, Search};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(SimpleMkl::new(p)) };

static METHOD: Method = Method {
    id: "simple_mkl",
    title: "SimpleMKL",
    source: "Rakotomamonjy, Bach, Canu, Grandvalet 2008; Gönen 2010, §2.2.1.3",
    summary: "The average of the kernels on which the machine has the least objective; most \
              weights become 0. Stops on the relative duality gap. Costs about ten machines and \
              as many passes over all kernels.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    control: false,
    recommended: true,
    weights: WeightSet::SIMPLEX,
    params: &[
        Param {
            name: "tol",
            doc: "Relative duality gap (upper − lower bound) / |upper bound| to stop at.",
            range: Range::Real { default: 1e-3, min: 0.0, max: 0.5, closed: false },
        },
        Param {
            name: "max_iterations",
            doc: "Limit on changes of the weights.",
            range: Range::Int { default: 500, min: 1, max: i64::MAX },
        },
        Param {
            name: "direction",
            doc: "newton: second-order model on the simplex; gradient: the reduced gradient of \
                  the paper.",
            range: Range::Choice { default: "newton", of: &["newton", "gradient"] },
        },
    ],
};

/// Changes of the weights in a row that gain less than the machines can tell apart, after which
/// the method ends.
const FRUITLESS: u32 = 3;

/// Weights below this become 0 at the end.
const DROP_AT_END: f64 = 1e-6;

#[derive(Debug)]
struct SimpleMkl {
    tol: f64,
    max_iterations: usize,
    newton: bool,
}

impl SimpleMkl {
    fn new(params: &Params) -> Self {
        SimpleMkl {
            tol: params.real("tol"),
            max_iterations: params.count("max_iterations"),
            newton: params.text("direction") == "newton",
        }
    }
}

impl Learner for SimpleMkl {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let mut search = Search::new(problem, run, self.tol)?;
        let kernels = problem.bank.len();
        run.tell(Event::Begin { stage: "SimpleMKL", total: None });
        let mut point = search.start(first_weights(problem, kernels))?;
        let (mut objective, mut gaps) = (Vec::new(), Vec::new());
        let (mut iterations, mut fruitless) = (0, 0);
        // The last point whose gap is known.
        let mut complete: Option<Point> = None;
        let status = loop {
            let curvature = search.differentiate(&mut point, self.newton)?;
            if search.given_up {
                point = complete.unwrap_or(point);
                break search.watch.stop().unwrap_or(Status::Stalled);
            }
            complete = Some(point.clone());
            let gap = point.gap();
            objective.push(point.primal());
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
            let exhausted = point.limited(self.tol) || fruitless >= FRUITLESS;
            if exhausted && !search.can_tighten() {
                break Status::Stalled;
            }
            let gradient = point.gradient();
            let (direction, decrease) = match curvature {
                Some(hessian) => newton(&point.weights, &gradient, &hessian),
                None => reduced_gradient(&point.weights, &gradient),
            };
            iterations += 1;
            let moved = if decrease > 0.5 * point.inner_gap() || !search.can_tighten() {
                search.line(&point, &direction, decrease, self.newton && search.second)?
            } else {
                None
            };
            match moved {
                Some(next) => {
                    // A step that gains next to nothing of what was promised: the machines are too
                    // inexact for the model, and perhaps for the lower bound.
                    let gain = point.primal() - next.primal();
                    let poor = gain < 0.01 * decrease;
                    fruitless = if gain <= next.inner_gap() { fruitless + 1 } else { 0 };
                    point = next;
                    if poor && search.tighten() {
                        search.solve_again(&mut point)?;
                    }
                }
                None if search.tighten() => search.solve_again(&mut point)?,
                None => break search.watch.stop().unwrap_or(Status::Stalled),
            }
        };
        self.finish(&mut search, &mut point, status)?;
        run.tell(Event::End);
        let report = Report {
            status,
            iterations,
            objective,
            gap: point.known_gap(),
            gaps,
            counts: search.counts,
            seconds: search.watch.seconds(),
            seed: run.seed,
            notes: notes(&point, status, search.refused),
            ..Report::closed_form(run)
        };
        let rule = Weighted::rule(point.weights);
        Ok(Learned { rule, machines: Some(point.machines), report })
    }
}

impl SimpleMkl {
    /// Drops small weights where that does no harm, and solves the machines to their own tolerance.
    fn finish(&self, search: &mut Search<'_>, point: &mut Point, status: Status) -> Result<()> {
        if matches!(status, Status::Interrupted | Status::TimeLimit) {
            return Ok(());
        }
        let small = |w: &f64| *w > 0.0 && *w < DROP_AT_END;
        if point.weights.iter().any(small) {
            let kept = search::cleaned(&point.weights, DROP_AT_END);
            let mut fewer = search.elsewhere(kept, point)?;
            search.differentiate(&mut fewer, false)?;
            if search.given_up {
                return Ok(());
            }
            if fewer.gap() <= self.tol.max(point.gap()) {
                *point = fewer;
            }
        }
        if point.machines.gap() > search.problem.machine.tol() {
            let before = point.clone();
            search.solve_to(point, search.problem.machine.tol())?;
            search.differentiate(point, false)?;
            // Other coefficients that are as good for the machine can be worth less as a certificate.
            if search.given_up || point.gap() > self.tol.max(before.gap()) {
                *point = before;
            }
        }
        Ok(())
    }
}

/// The weights of the start, where there is one that fits; else all equal.
fn first_weights(problem: &Problem<'_>, kernels: usize) -> Vec<f64> {
    match problem.warm.and_then(|w| w.rule.weights()) {
        Some(weights) if weights.len() == kernels => search::cleaned(weights, 0.0),
        _ => vec![1.0 / kernels as f64; kernels],
    }
}

fn notes(point: &Point, status: Status, refused: Option<(f64, Status)>) -> Vec<String> {
    if status.is_success() {
        return Vec::new();
    }
    let gap = match point.known_gap() {
        Some(gap) => format!("at relative gap {gap:.1e}"),
        None => "before its gap was known".to_string(),
    };
    let mut note = format!("SimpleMKL ended before its tolerance ({status}) {gap}");
    if let (Some((gap, how)), Status::Stalled) = (refused, status) {
        note.push_str(&format!(
            ": its machines could not be solved as exactly as it needs them ({how} at relative gap \
             {gap:.1e}); normalise the kernels, scale the features or use a smaller C"
        ));
    }
    vec![note]
}

/// The direction to the minimiser of the second-order model, and the decrease that it promises.
fn newton(weights: &[f64], gradient: &[f64], hessian: &[f64]) -> (Vec<f64>, f64) {
    let (target, decrease) = crate::solve::simplex::minimize_on_simplex(weights, gradient, hessian);
    (target.iter().zip(weights).map(|(t, w)| t - w).collect(), decrease)
}

/// The reduced gradient, scaled to end at the boundary, and half the decrease of a linear model.
fn reduced_gradient(weights: &[f64], gradient: &[f64]) -> (Vec<f64>, f64) {
    let m = weights.len();
    let mut base = 0;
    for k in 1..m {
        if weights[k] > weights[base] {
            base = k;
        }
    }
    let mut direction: Vec<f64> = (0..m)
        .map(|k| gradient[base] - gradient[k])
        .zip(weights)
        .map(|(d, w)| if *w == 0.0 && d < 0.0 { 0.0 } else { d })
        .collect();
    direction[base] = -direction.iter().sum::<f64>();
    let reach = (0..m)
        .filter(|&k| direction[k] < 0.0)
        .map(|k| -weights[k] / direction[k])
        .fold(f64::INFINITY, f64::min);
    if !reach.is_finite() {
        return (vec![0.0; m], 0.0);
    }
    direction.iter_mut().for_each(|d| *d *= reach);
    let slope: f64 = direction.iter().zip(gradient).map(|(d, g)| d * g).sum();
    (direction, -0.5 * slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reduced_gradient_by_hand() {
        // base = 1; D = (0.5 − 1, ·, 0.5 − 0) = (−½, 0, ½); kernel 0 reaches 0 at step 0.6.
        let (d, decrease) = reduced_gradient(&[0.3, 0.7, 0.0], &[1.0, 0.5, 0.0]);
        assert!((d[0] + 0.3).abs() < 1e-15 && d[1].abs() < 1e-15 && (d[2] - 0.3).abs() < 1e-15);
        assert!((decrease - 0.15).abs() < 1e-15);
        // A kernel at 0 that would leave the simplex stays.
        let (d, _) = reduced_gradient(&[0.0, 0.7, 0.3], &[1.0, 0.5, 0.5]);
        assert_eq!(d, [0.0, 0.0, 0.0]);
    }
}
