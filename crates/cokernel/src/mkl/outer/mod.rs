//! The outer loop of all methods that learn weights and machine together.
//!
//! ```text
//! min_{η ∈ S}  J(η) + Ω(η),      J(η) = max_c  ℓ(c) − ½ Σ_u Σ_m η_m q_m^u(c),      q_m^u = c_uᵀ K_m c_u
//! ```
//!
//! ℓ is that of the [machine](crate::machine): Σ_i α_i with c = α∘y for C-SVC; u runs over its decision
//! functions, which share one η. J is convex with ∂J/∂η_m = −½ Σ_u q_m^u at the optimal c. A method gives the
//! set S of its weights, the penalty Ω and their conjugate: a [`Set`].
//!
//! | symbol | name |
//! |---|---|
//! | η | `weights` |
//! | c_u, P(η) | the heads of `machines`, `machines.primal()` |
//! | q_m^u | `forms[u][m]` |
//! | Ω, (Ω + ι_S)* | [`Set::penalty`], [`Set::conjugate`] |
//!
//! **Certificate.** For any η of S and any feasible c the two numbers
//!
//! ```text
//! P + Ω(η)     ≥  min (J + Ω)  ≥     ℓ(c) − (Ω + ι_S)*(½ Σ_u q^u)
//! ```
//!
//! bound the optimum from both sides, however exactly the machines were solved; (Ω + ι_S)*(z) is the largest
//! ηᵀz − Ω(η) over S. The loop stops when their difference is at most `tol`·|P + Ω| and reports it as the
//! gap. The kernels have to be positive semi-definite; with others the numbers are no bounds.
//!
//! **Steps.** The set proposes other weights: by the second-order model of J, whose exact Hessian comes from
//! the free support vectors (see [`curvature`]; Chapelle and Rakotomamonjy, 2008); where that promises less
//! than a [bound](Set::majorised) on J from above, as it does far from the optimum, by that bound, and so after a step that
//! was too long if it promises more than what was left of that gained (a weight that has to fall by powers of ten is
//! overshot; kernels of sizes 10⁻⁶ to 10⁶ take half the machines then); or by a step of first order. (With 20 kernels and 1,000 instances 4 machines, and some on 250 of them, lead to a gap of
//! 10⁻³ over the simplex; 6 or 7 without such a start.) Between these weights and the point at hand step 1 is tried first; then, for second order, back
//! by quadratic interpolation until Armijo's condition holds; for first order, by safeguarded secant steps
//! until the slope is a tenth of the first. K at a trial is made from the two matrices at hand, one pass
//! over n² entries for each trial instead of M. All upper bounds along the iterations decrease.
//!
//! **Inner accuracy.** Machines start from the last solution and are solved to a tenth of the decrease that
//! the model promises; when the promise is less than what the machines at hand can resolve, the full step is
//! tried all the same; where it leads up, or gains less than a hundredth of what was promised, their
//! tolerance is divided by 30, down to 10⁻⁶·`tol`. Machines that stop early, because rounding hides the rest,
//! are not asked for more again; when three changes of the weights in a row gain less than they can tell
//! apart, or none is better, steps of first order are taken; when these gain nothing either, or the machines
//! alone miss `tol`, the loop ends and says so; over a simplex after it has looked for coefficients of several machines
//! that [prove](hull) more than those of one.
//!
//! **Start.** Where there are enough instances, from weights that were learned on a quarter of them ([`sample`]), an eighth
//! where weights are [alike](Set::evens).
//! More than 4,096 kernels of single features in the ball of an lp norm begin with steps on the [dual](dual), from
//! approximate machines (`details["dual_steps"]`), which mostly lead to `tol` by themselves.
//! The report counts the work on all instances; `details["sample"]` has the instances and machines of the sample,
//! `details["proof"]` the rounds of the proof, where there were some.
//!
//! **Kernels left aside.** Once the gap is below 0.3, the forms of kernels that had no weight then and whose form was
//! less than 0.9 of the largest are not computed until the others alone have reached `tol`. The gaps in between
//! are the larger of that of the best lower bound from before and that of the kernels that are computed; the last is
//! that of all kernels at the coefficients of the result.
//!
//! **Small weights.** Weights below 10⁻⁸ become 0 at once; of sets that [drop](Set::drops) those below 10⁻⁶ at
//! the end (if the gap stays below `tol`); the others are brought back onto the set. So is a weight whose share of
//! the trace of the combination is not as small: one of 10⁻⁹ on entries of 10⁸ is what a kernel that was taken away
//! comes back with, because the model of second order is steep there and its steps are short.
//!
//! **Cost** of an iteration: one sum and one product with c of each kernel (2 M n² for the resident bank), the
//! warm machine, |F|³/3 for second order. Memory beside the bank: one n × n matrix, and two from the first trial on that
//! is not taken, if two fit into [`Run::memory`], else none; the largest F × F block.

mod curvature;
mod dual;
pub(super) mod explicit;
mod generation;
mod hull;
pub(super) mod planes;
pub(super) mod sample;
mod search;
pub(super) mod semidefinite;
pub(super) mod simplex;
mod stored;
mod together;

use super::sets::{cost, norms};
use super::{Learned, Problem, check, mixed};
use crate::data::Target;
use crate::machine::How;
use crate::params::{Param, Range};
use crate::rule::Weighted;
use crate::{Error, Event, Report, Result, Run, Status, Watch};
use search::{Point, Search};
use std::fmt;

/// Relative duality gap at which the loop stops.
pub(super) const TOL: Param = Param {
    name: "tol",
    doc: "Relative duality gap (upper − lower bound) / |upper bound| to stop at.",
    range: Range::Real { default: 1e-3, min: 0.0, max: 0.5, closed: false },
};

/// Limit on changes of the weights.
pub(super) const MAX_ITERATIONS: Param = Param {
    name: "max_iterations",
    doc: "Limit on changes of the weights.",
    range: Range::Int { default: 500, min: 1, max: i64::MAX },
};

/// Weights that are proposed, and how much less the objective would be there by the model they come from.
pub(super) struct Proposal {
    pub weights: Vec<f64>,
    pub decrease: f64,
    /// Whether the least on the way there is looked for; else any point is taken that is enough better.
    pub far: bool,
}

/// Where weights come from, and what they cost.
pub(super) trait Set: fmt::Debug + Send + Sync {
    /// A point of S in which every kernel has a weight.
    fn first(&self, kernels: usize) -> Vec<f64>;

    /// The point of S on the ray of non-negative numbers, not all 0, on which J + Ω is least or nearly.
    fn onto(&self, weights: &[f64]) -> Vec<f64>;

    /// Ω.
    fn penalty(&self, weights: &[f64]) -> f64 {
        let _ = weights;
        0.0
    }

    /// (Ω + ι_S)*, non-decreasing in each number.
    fn conjugate(&self, half_forms: &[f64]) -> f64;

    /// Slope of J + Ω at `weights` towards [`onto`](Self::onto) of points in this direction.
    fn slope(&self, weights: &[f64], gradient: &[f64], direction: &[f64]) -> f64 {
        let _ = weights;
        gradient.iter().zip(direction).map(|(g, d)| g * d).sum()
    }

    /// The least of the second-order model of J (gradient, M × M Hessian) plus Ω, or near it.
    fn second_order(&self, weights: &[f64], gradient: &[f64], hessian: &[f64]) -> Proposal;

    /// [`second_order`](Self::second_order) with the Hessian as an operator, for more kernels than M × M numbers
    /// can be had of; `None` if the set has no such step.
    fn second_order_by(
        &self,
        weights: &[f64],
        gradient: &[f64],
        times: &dyn Fn(&[f64]) -> Option<Vec<f64>>,
    ) -> Option<Proposal> {
        let _ = (weights, gradient, times);
        None
    }

    /// A point that is best for a bound on J + Ω from above which is exact at `weights`.
    fn majorised(&self, weights: &[f64], gradient: &[f64]) -> Proposal;

    /// A point with a smaller objective that needs the gradient of J only.
    fn first_order(&self, weights: &[f64], gradient: &[f64]) -> Proposal;

    /// The size of a weight of this kernel, to which small weights are compared.
    fn unit(&self, kernel: usize) -> f64 {
        let _ = kernel;
        1.0
    }

    /// The size of the largest of these weights, where the set does not say how large they are.
    fn size(&self, weights: &[f64]) -> f64 {
        let _ = weights;
        1.0
    }

    /// Whether weights below 10⁻⁶ become 0 at the end.
    fn drops(&self) -> bool;

    /// p, where S is {η ≥ 0, pᵀη = 1} without a penalty: several machines then [prove](hull) what one may not.
    fn prices(&self, kernels: usize) -> Option<Vec<f64>> {
        let _ = kernels;
        None
    }

    /// v and s, where S is {η ≥ 0, Σ_m v_m η_m + s_m η_m² ≤ 1} without a penalty: weights and coefficients of kernels of single
    /// features can then be looked for [together].
    fn bowl(&self, kernels: usize) -> Option<(Vec<f64>, Vec<f64>)> {
        let _ = kernels;
        None
    }

    /// p > 1, where S is {η ≥ 0, ‖η‖_p ≤ 1} without a penalty: very many kernels of single features then have a
    /// [start](dual) of their own.
    fn ball(&self) -> Option<f64> {
        None
    }

    /// Whether all best weights are alike on most data, so that a smaller [`sample`] tells enough of them.
    fn evens(&self) -> bool {
        false
    }

    /// The set of the weights of these kernels if all others have none, where the set has a place for that: with it
    /// few of many kernels are looked at at a time ([`generation`]).
    fn restricted(&self, kernels: &[usize]) -> Option<Box<dyn Set>> {
        let _ = kernels;
        None
    }

    /// What is compared with [`threshold`](Self::threshold): ½ Σ_u q_m^u, in the unit of this kernel.
    fn worth(&self, kernel: usize, half_form: f64) -> f64 {
        let _ = kernel;
        half_form
    }

    /// What a kernel without a weight is worth at most where the weights of the others, `terms` (kernel, weight),
    /// are best among these.
    fn threshold(&self, terms: &[(usize, f64)], half_forms: &[f64]) -> f64 {
        terms.iter().map(|(m, w)| w * half_forms[*m]).sum()
    }
}

/// The step of the papers for sets with an lp norm: η_m ∝ ‖w_m‖^{2/(p+1)} with ‖w_m‖² = η_m² q_m, which is least for the
/// w at hand, because J(η) ≤ ½ Σ ‖w_m‖²/η_m + what does not depend on η, with equality here. The decrease is that of
/// this bound, so it is had at least.
pub(super) fn closed_form(set: &dyn Set, p: f64, weights: &[f64], gradient: &[f64]) -> Proposal {
    let norms = norms(weights, gradient);
    let largest = norms.iter().fold(0.0_f64, |a, v| a.max(*v));
    if largest <= 0.0 {
        return Proposal { weights: weights.to_vec(), decrease: 0.0, far: false };
    }
    let root: Vec<f64> = norms.iter().map(|v| (v / largest).powf(1.0 / (p + 1.0))).collect();
    let found = set.onto(&root);
    Proposal { decrease: cost(&norms, weights) - cost(&norms, &found), weights: found, far: false }
}

/// What a method asks of the loop.
pub(super) struct Outer<'a> {
    /// The name of the method, for people.
    pub title: &'static str,
    pub set: &'a dyn Set,
    pub tol: f64,
    pub max_iterations: usize,
    /// Whether second-order steps are taken where they can be had, and a sample is asked for the start.
    pub second: bool,
}

/// Changes of the weights in a row that gain less than the machines can tell apart, after which
/// the method ends.
const FRUITLESS: u32 = 3;

/// Most kernels for which the Hessian is formed (8·M² bytes).
const MOST: usize = 4_096;

/// Trials of one line search.
const TRIALS: usize = 20;

/// Gap of machines, as a part of the tolerance, up to which they are not said to be why a method stalled.
const BLAMED: f64 = 0.01;

/// Weights below this become 0 at the end.
const DROP_AT_END: f64 = 1e-6;

impl Outer<'_> {
    /// Learns weights and machines; with steps of second order from weights that were learned on a [`sample`] of
    /// the instances, where there are enough.
    pub fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        self.learn_from(problem, run, self.second)
    }

    /// [`learn`](Self::learn) with or without a sample.
    fn learn_from(&self, problem: &Problem<'_>, run: &Run, sampled: bool) -> Result<Learned> {
        if let Some(space) = problem.space {
            return explicit::learn(self, problem, space, run);
        }
        check(problem)?;
        self.check_machine(problem)?;
        let watch = run.watch();
        let settled = settled(problem, run, &watch)?;
        let problem = &Problem { target: settled.as_ref().unwrap_or(problem.target), ..*problem };
        let run = &run.remaining(&watch);
        match generation::learn(self, problem, run, &watch, sampled) {
            Some(learned) => learned,
            None => self.learn_together(problem, run, &watch, sampled),
        }
    }

    /// The loop on all kernels.
    fn learn_together(
        &self,
        problem: &Problem<'_>,
        run: &Run,
        watch: &Watch,
        sampled: bool,
    ) -> Result<Learned> {
        let few = problem.bank.len() <= MOST;
        let ball = self.set.ball().filter(|_| sampled && !few);
        let dual = ball.and_then(|p| dual::start(p, self.tol, problem, run, watch));
        // Where all of very many kernels have a weight, those of a sample are worse than equal ones: most kernels
        // fit its noise.
        let sampled = sampled && (few || self.set.drops());
        let (first, sample) = match &dual {
            Some(dual) => (dual.weights.clone(), None),
            None => self.first_weights(problem, run, watch, sampled),
        };
        let run = &run.remaining(watch);
        let mut search = Search::new(problem, self.set, run, self.tol)?;
        run.tell(Event::Begin { stage: self.title, total: None });
        let mut point = match &dual {
            Some(dual) => {
                search.counts.add(&dual.counts);
                let weights = search.cleaned(&first, search::DROP);
                match search.proven_start(dual, &weights)? {
                    Some(point) => point,
                    // The machines are to take a small part of the gap only: these weights may be the last.
                    None => search.start_from(weights, Some(&dual.machines), 0.1 * self.tol)?,
                }
            }
            None => search.start(first)?,
        };
        let (mut objective, mut gaps) = (Vec::new(), Vec::new());
        let (mut iterations, mut fruitless) = (0, 0);
        // Steps of second order as long as they lead anywhere.
        let mut second = self.second;
        // The last point whose gap is known.
        let mut complete: Option<Point> = None;
        let status = loop {
            let mut curvature = match second && few {
                true => search.differentiate_some(&mut point)?,
                false => search.differentiate(&mut point, false)?,
            };
            // Kernels that were left aside are looked at before the end.
            let last = iterations == self.max_iterations || fruitless >= FRUITLESS;
            let some = !search.given_up && !point.aside.is_empty();
            if some && (last || search.gap_of_seen(&point) <= self.tol) {
                search.see_all(&mut point);
                if !search.given_up && search.gap(&point) > self.tol {
                    curvature = search.differentiate(&mut point, few)?;
                }
            }
            if search.given_up {
                point = complete.unwrap_or(point);
                break search.watch.stop().unwrap_or(Status::Stalled);
            }
            complete = Some(point.clone());
            let gap = search.gap(&point);
            objective.push(search.objective(&point));
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
            let limited = search.limited(&point);
            if (limited || fruitless >= FRUITLESS) && !search.can_tighten() {
                if limited || !second {
                    break Status::Stalled;
                }
                (second, fruitless, curvature) = (false, 0, None);
                search.see_all(&mut point);
            }
            // A kernel that was taken away and is missed: its gradient is far steeper than the model's.
            let missed = gap > 1.0 && gaps.iter().rev().nth(1).is_some_and(|g| gap > 10.0 * g);
            if missed {
                curvature = None;
            }
            let proposal = match second && !few && !missed {
                true => self.proposal_by(&search, &point),
                false => self.proposal(&point, curvature.as_deref(), search.shortened),
            };
            iterations += 1;
            let hopeful = proposal.decrease > 0.5 * point.inner_gap() || !search.can_tighten();
            let trials = if hopeful { TRIALS } else { 1 };
            let moved = search.line(&point, &proposal, trials)?;
            match moved {
                Some(next) => {
                    // A step that gains next to nothing of what was promised: the machines are too
                    // inexact for the model, and perhaps for the lower bound.
                    let gain = search.objective(&point) - search.objective(&next);
                    let poor = gain < 0.01 * proposal.decrease;
                    // Machines in closed form have no gap, but round.
                    let rounding = 4.0 * f64::EPSILON * search.objective(&next).abs();
                    let least = next.inner_gap().max(rounding);
                    fruitless = if gain <= least { fruitless + 1 } else { 0 };
                    point = next;
                    if poor && search.tighten() {
                        search.solve_again(&mut point)?;
                    }
                }
                None if search.tighten() => search.solve_again(&mut point)?,
                None if second && search.watch.stop().is_none() => second = false,
                None => break search.watch.stop().unwrap_or(Status::Stalled),
            }
        };
        let (most, mut proof) = (self.max_iterations - iterations, None);
        let status = match status {
            Status::Stalled => match self.prove(&mut search, &mut point, most, run)? {
                Some(rounds) => {
                    iterations += rounds.gaps.len();
                    proof = Some(vec![rounds.gaps.len() as f64]);
                    objective.extend(rounds.objective);
                    gaps.extend(rounds.gaps);
                    let proven = search.known_gap(&point).is_some_and(|gap| gap <= self.tol);
                    if proven { Status::Converged } else { search.watch.stop().unwrap_or(status) }
                }
                None => status,
            },
            _ => status,
        };
        let left = self.finish(&mut search, &mut point, status)?;
        let hidden = point.machines.tell_hidden(problem.machine.tol()) / size(point.primal());
        if let Some(last) = objective.last_mut() {
            *last = search.objective(&point);
        }
        let gap = search.known_gap(&point).map(f64::abs);
        if let (Some(last), Some(gap)) = (gaps.last_mut(), gap) {
            *last = gap;
        }
        let status = ended(status, gap, self.tol);
        run.tell(Event::End);
        let mut report = Report {
            status,
            iterations,
            objective,
            gap,
            gaps,
            counts: search.counts,
            seconds: search.watch.seconds(),
            seed: run.seed,
            notes: self.notes(gap, status, search.refused, hidden),
            ..Report::closed_form(run)
        };
        report.notes.extend(left);
        report.details.extend(sample.map(|s| ("sample".to_string(), s)));
        report.details.extend(dual.map(|d| ("dual_steps".to_string(), vec![d.steps as f64])));
        report.details.extend(proof.map(|rounds| ("proof".to_string(), rounds)));
        let rule = Weighted::rule(point.weights);
        Ok(Learned { machines: Some(point.machines), ..Learned::of(rule, report) })
    }

    /// Refuses machines whose ℓ is not free of the kernel.
    fn check_machine(&self, problem: &Problem<'_>) -> Result<()> {
        if problem.machine.has_free_dual() {
            return Ok(());
        }
        let problem = format!(
            "the kernel enters its dual in another way than {} relies on; choose another machine",
            self.title
        );
        Err(Error::parameter("machine", problem))
    }

    /// The same for more kernels than the Hessian is formed for.
    fn proposal_by(&self, search: &Search<'_>, point: &Point) -> Proposal {
        let gradient = point.gradient();
        let second = search.with_operator(point, |operator| {
            self.set.second_order_by(&point.weights, &gradient, &|x| operator.times(x))
        });
        let bound = self.set.majorised(&point.weights, &gradient);
        let down = |found: &Proposal| {
            let direction = search::towards(&point.weights, &found.weights);
            found.decrease > 0.0 && self.set.slope(&point.weights, &gradient, &direction) < 0.0
        };
        match second.filter(down) {
            Some(second) if bound.decrease <= second.decrease || !down(&bound) => second,
            Some(_) => bound,
            None => self.set.first_order(&point.weights, &gradient),
        }
    }

    /// Of second order, or where its model promises less what a bound from above does: so it is far from
    /// the optimum, where the model is too careful. First order where there is no second or it leads up.
    /// After a step that was too long the bound, which never is, if it promises more than that `gained`.
    fn proposal(&self, point: &Point, curvature: Option<&[f64]>, gained: Option<f64>) -> Proposal {
        let gradient = point.gradient();
        let Some(hessian) = curvature else {
            return self.set.first_order(&point.weights, &gradient);
        };
        let mut second = self.set.second_order(&point.weights, &gradient, hessian);
        // A kernel that lost its weight and is missed promises 10²⁰ times all there is.
        let all = point.primal() + self.set.penalty(&point.weights);
        second.decrease = second.decrease.min(all.abs());
        let bound = self.set.majorised(&point.weights, &gradient);
        let down = |found: &Proposal| {
            let direction = search::towards(&point.weights, &found.weights);
            found.decrease > 0.0 && self.set.slope(&point.weights, &gradient, &direction) < 0.0
        };
        if !down(&second) {
            return self.set.first_order(&point.weights, &gradient);
        }
        let least = gained.map_or(second.decrease, |gained| gained.min(second.decrease));
        if bound.decrease > least && down(&bound) { bound } else { second }
    }

    /// Drops small weights where that does no harm, and solves the machines to their own tolerance.
    fn finish(
        &self,
        search: &mut Search<'_>,
        point: &mut Point,
        status: Status,
    ) -> Result<Option<String>> {
        if matches!(status, Status::Interrupted | Status::TimeLimit) {
            return Ok(None);
        }
        if self.set.drops() && !search.small(&point.weights, DROP_AT_END).is_empty() {
            let kept = search.cleaned(&point.weights, DROP_AT_END);
            let mut fewer = search.elsewhere(kept, point)?;
            search.differentiate(&mut fewer, false)?;
            if search.given_up {
                return Ok(None);
            }
            match search.gap(&fewer) <= self.tol.max(search.gap(point)) {
                true => *point = fewer,
                false => search.form(&point.weights),
            }
        }
        if point.machines.gap() > search.problem.machine.tol() {
            let before = point.clone();
            search.solve_to(point, search.problem.machine.tol())?;
            search.differentiate(point, false)?;
            // Other coefficients that are as good for the machine can be worth less as a certificate.
            if search.given_up || search.gap(point) > self.tol.max(search.gap(&before)) {
                *point = before;
                return Ok(Some(format!(
                    "{}: its machines are left at relative gap {:.1e}, because their coefficients prove its \
                     duality gap and those of more exact ones do not (tol of the machine {:.1e})",
                    self.title,
                    point.machines.gap(),
                    search.problem.machine.tol()
                )));
            }
        }
        Ok(None)
    }

    /// The weights of the start, where there is one that fits; else those of a sample of the instances, where
    /// there are enough, with its size and machines; else all kernels have one.
    fn first_weights(
        &self,
        problem: &Problem<'_>,
        run: &Run,
        watch: &Watch,
        sampled: bool,
    ) -> (Vec<f64>, Option<Vec<f64>>) {
        let kernels = problem.bank.len();
        let usable = |w: &[f64]| w.len() == kernels && w.iter().any(|w| *w > 0.0);
        let warm = problem.warm.and_then(|w| w.rule.weights()).filter(|w| usable(w));
        if let Some(weights) = warm {
            return (self.set.onto(weights), None);
        }
        let sampled = if sampled { sample::start(self, problem, run, watch) } else { None };
        match sampled.filter(|s| usable(&s.weights)) {
            Some(s) => {
                (self.set.onto(&s.weights), Some(vec![s.instances as f64, s.machines as f64]))
            }
            None => (self.set.first(kernels), None),
        }
    }

    fn notes(
        &self,
        gap: Option<f64>,
        status: Status,
        refused: Option<(f64, Status)>,
        hidden: f64,
    ) -> Vec<String> {
        if status.is_success() {
            return Vec::new();
        }
        let gap = match gap {
            Some(gap) => format!("at relative gap {gap:.1e}"),
            None => "before its gap was known".to_string(),
        };
        let mut note = format!("{} ended before its tolerance ({status}) {gap}", self.title);
        if status == Status::Stalled {
            // Machines that are as exact as this are not what stopped it.
            if let Some((gap, how)) = refused.filter(|(gap, _)| *gap > BLAMED * self.tol) {
                note.push_str(&format!(
                    ": machines on the way could not be solved as exactly as it needs them ({how} at relative gap {gap:.1e})"
                ));
            }
            if hidden > BLAMED * self.tol {
                note.push_str(&format!(
                    "; {hidden:.1e} of it is what the rounding of kernels, times C, may hide of the losses"
                ));
            }
            note.push_str("; normalise the kernels, scale the features or use a smaller C");
        }
        vec![note]
    }
}

/// How a search has ended, given the gap that is told: what the last machines have closed is converged, what rounding may
/// hide of their losses is not. A dual objective above the primal one is rounding that is seen, and counts like a gap.
pub(super) fn ended(status: Status, gap: Option<f64>, tol: f64) -> Status {
    match (status, gap) {
        (Status::Stalled, Some(gap)) if gap <= tol => Status::Converged,
        (Status::Converged, Some(gap)) if gap > tol => Status::Stalled,
        _ => status,
    }
}

/// A number that something is divided by.
pub(super) fn size(v: f64) -> f64 {
    v.abs().max(f64::MIN_POSITIVE)
}

/// The target with what the machine estimates from a kernel, taken from the mean of the kernels, where it does
/// that: ℓ has to be the same for all weights.
pub(super) fn settled(problem: &Problem<'_>, run: &Run, watch: &Watch) -> Result<Option<Target>> {
    let known = matches!(problem.target, Target::Posteriors(_));
    if known || !problem.machine.reads_posteriors() {
        return Ok(None);
    }
    let kernels = problem.bank.len();
    let mean = Weighted::new(vec![1.0 / kernels as f64; kernels]);
    let kernel = mixed(problem.bank, &mean, None, run, watch)?;
    let run = run.remaining(watch).quiet();
    let how = How { weights: problem.weights, ..How::new(&run) };
    problem.machine.settle(kernel.as_ref(), problem.target, &how)
}
