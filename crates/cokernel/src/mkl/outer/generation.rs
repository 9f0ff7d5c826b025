//! Column generation: the loop for many kernels of single features, on few of them at a time.
//!
//! Where most weights are 0 at the optimum, the problem over some kernels that hold those with a weight has the same
//! solution. The loop is therefore run on some kernels to the end (each time from the last weights and machines), and
//! then one pass over all gives q_m = Σ_u c_uᵀ K_m c_u of every kernel at its coefficients. That proves how good the
//! weights are among all,
//!
//! ```text
//! P + Ω(η)     ≥  min (J + Ω)  ≥     ℓ(c) − (Ω + ι_S)*(½ q),      q of all kernels,
//! ```
//!
//! and it tells which kernels are missed: those whose form is beyond what a kernel without a weight may have
//! ([`threshold`](super::Set::threshold)). The [`ADDED`] largest join, those without a weight leave when there are many. The weight of
//! a kernel that is missed was 0, so the next round begins at the weights and machines of the last. A round need not lower the
//! objective (it is solved to a tolerance only), nor the gap (the bound is that of its last machines); three rounds in a
//! row without either, solved as tightly as they are, end the method.
//!
//! (Column generation for linear programs is due to Ford and Fulkerson 1958; SILP, Sonnenburg et al. 2006, adds a cut over
//! all kernels instead of kernels.)
//!
//! **Accuracy.** A round is solved to a tenth of the gap over all kernels that the round before has left, and to a third
//! of `tol` at the end.
//!
//! **Many features of few instances.** Where a C lets the noise of the features separate the classes there are about as many
//! kernels with a weight as free coefficients, and each change of the weights changes which are free: hundreds of changes,
//! 10⁴ steps of a machine each. A round that takes more than [`EASY`] is therefore solved again with weights and coefficients
//! [together](super::together), and so are all after it (`details["interior"]`: these rounds and their steps). Measured: 100 instances, 5,000 columns, SimpleMKL to
//! 10⁻³, C = 1: 17.3 s before, 0.41 s so, both with 93 kernels. From then on half as many kernels join as have a weight, if that is more,
//! and twice as many stay.
//!
//! **Cost.** Each round: n M multiplications for the forms, and the loop on at most a few hundred kernels, or interior points on up to
//! three times as many as have a weight. No M × M
//! numbers are formed.

use super::{Outer, Set, sample, together};
use crate::machine::Solution;
use crate::mkl::{Learned, Problem};
use crate::rule::Weighted;
use crate::run::Pass;
use crate::{Counts, Error, Event, Report, Result, Run, Status, Watch};

/// More kernels than this are looked at some at a time.
pub(super) const MANY: usize = 256;
/// Kernels of the first round without a start.
const FIRST: usize = 100;
/// Kernels that join in a round at most.
const ADDED: usize = 50;
/// Kernels of a round, as long as fewer have a weight.
const KEPT: usize = 200;
/// Changes of the weights in a round after which its weights and coefficients are looked for together. After 8 it took 0.4 to 0.75 of the time
/// on 80 and 200 instances, but 1.6 times as long on 1,000 with 10⁵ columns at C = 0.01.
const EASY: usize = 15;
/// To which part of the tolerance of a round.
const INSIDE: f64 = 0.1;
/// Rounds in a row that lower neither the objective nor the gap, after which the method ends.
const FRUITLESS: u32 = 3;

/// Weights of some kernels, with what the pass over all says of them.
struct Priced {
    active: Vec<usize>,
    weights: Vec<f64>,
    machines: Solution,
    gap: f64,
    objective: f64,
}

/// Learns weights and machines; `None` if the problem is none for this: few kernels, others than single features, a
/// set that has to know all.
pub(super) fn learn(
    outer: &Outer<'_>,
    problem: &Problem<'_>,
    run: &Run,
    watch: &Watch,
    sampled: bool,
) -> Option<Result<Learned>> {
    let bank = problem.bank;
    let serves = bank.len() > MANY && bank.is_all_columns() && outer.set.restricted(&[0]).is_some();
    serves.then(|| Generation::new(outer, problem, run, watch).learn(sampled))
}

struct Generation<'a> {
    outer: &'a Outer<'a>,
    problem: &'a Problem<'a>,
    run: &'a Run,
    watch: &'a Watch,
    /// At most what rounding takes off a form, for coefficients of size 1.
    unit: Vec<f64>,
    counts: Counts,
    iterations: usize,
    /// Whether a round took many changes of the weights.
    hard: bool,
    /// Rounds whose weights and coefficients were looked for together, and the steps of these.
    inside: [f64; 2],
}

impl<'a> Generation<'a> {
    fn new(outer: &'a Outer<'a>, problem: &'a Problem<'a>, run: &'a Run, watch: &'a Watch) -> Self {
        let n = problem.bank.n() as f64;
        let unit = problem
            .bank
            .mean_diagonals()
            .iter()
            .map(|d| 2.0 * f64::EPSILON * n.sqrt() * n * d)
            .collect();
        let (counts, iterations, hard, inside) = (Counts::default(), 0, false, [0.0; 2]);
        Generation { outer, problem, run, watch, unit, counts, iterations, hard, inside }
    }

    fn learn(mut self, sampled: bool) -> Result<Learned> {
        let (outer, run, tol) = (self.outer, self.run, self.outer.tol);
        let (mut active, mut warm, sample) = self.first(sampled);
        run.tell(Event::Begin { stage: outer.title, total: None });
        let (mut objective, mut gaps) = (Vec::new(), Vec::new());
        let mut best: Option<Priced> = None;
        let (mut exact, mut fruitless, mut refused) = (0.1_f64, 0, None);
        let (status, last) = loop {
            let learned = self.round(&active, warm.take(), exact)?;
            let ended = learned.report.status;
            let (weights, machines) = parts(learned)?;
            let stopped = self.watch.stop();
            let price = match stopped {
                Some(_) => None,
                None => self.price(&active, weights.clone(), &machines),
            };
            let Some((priced, worths)) = price else {
                let unpriced =
                    Priced { active, weights, machines, gap: f64::NAN, objective: f64::NAN };
                break (self.watch.stop().unwrap_or(Status::Stalled), best.unwrap_or(unpriced));
            };
            objective.push(priced.objective);
            gaps.push(priced.gap);
            let some = priced.weights.iter().filter(|w| **w > 0.0).count();
            let message =
                format!("gap {:.1e}, {some} kernels of {}", priced.gap, self.problem.bank.len());
            run.tell(Event::Step { done: objective.len() as u64, message: &message });
            if priced.gap <= tol {
                break (Status::Converged, priced);
            }
            if self.iterations >= outer.max_iterations {
                break (Status::IterationLimit, priced);
            }
            if !ended.is_success() {
                refused = Some(ended);
            }
            let gain = best.as_ref().is_none_or(|b| {
                let less = b.objective - priced.objective > 1e-3 * tol * priced.objective.abs();
                less || priced.gap < 0.9 * b.gap
            });
            fruitless = if gain { 0 } else { fruitless + 1 };
            let missed = self.missed(&priced, &worths);
            let tight = exact <= 0.02 * tol;
            if tight && (fruitless >= FRUITLESS || missed.is_empty()) {
                break (Status::Stalled, priced);
            }
            exact = match missed.is_empty() || fruitless > 0 {
                true => (0.2 * exact).max(0.01 * tol),
                false => (0.1 * priced.gap).max(0.3 * tol).min(exact),
            };
            active = self.next(&priced, &worths, missed);
            warm = Some(self.start(&active, &priced));
            best = Some(priced);
        };
        run.tell(Event::End);
        let gap = last.gap.is_finite().then(|| self.certified(&last));
        let gap = gap.flatten().or(last.gap.is_finite().then_some(last.gap));
        if objective.is_empty() {
            objective.push(last.machines.primal());
        }
        let mut weights = vec![0.0; self.problem.bank.len()];
        last.active.iter().zip(&last.weights).for_each(|(m, w)| weights[*m] = *w);
        let mut report = Report {
            status,
            iterations: self.iterations,
            gap,
            counts: self.counts,
            seconds: self.watch.seconds(),
            seed: run.seed,
            notes: outer.notes(gap, status, refused.map(|how| (last.machines.gap(), how)), 0.0),
            ..Report::closed_form(run)
        };
        report.details.insert("rounds".to_string(), vec![objective.len() as f64]);
        if self.inside[0] > 0.0 {
            report.details.insert("interior".to_string(), self.inside.to_vec());
        }
        (report.objective, report.gaps) = (objective, gaps);
        report.details.extend(sample.map(|s| ("sample".to_string(), s)));
        Ok(Learned {
            machines: Some(last.machines),
            ..Learned::of(Weighted::rule(weights), report)
        })
    }

    /// The kernels of the first round, with weights of a start or a sample where there are some.
    fn first(&self, sampled: bool) -> (Vec<usize>, Option<Learned>, Option<Vec<f64>>) {
        let kernels = self.problem.bank.len();
        let usable = |w: &[f64]| w.len() == kernels && w.iter().any(|w| *w > 0.0);
        let given = self.problem.warm.and_then(|w| Some((w.rule.weights()?, w.machines.clone())));
        let (weights, machines, sample) = match given.filter(|(w, _)| usable(w)) {
            Some((weights, machines)) => (weights.to_vec(), machines, None),
            None => {
                let started = match sampled {
                    true => sample::start(self.outer, self.problem, self.run, self.watch),
                    false => None,
                };
                let Some(s) = started.filter(|s| usable(&s.weights)) else {
                    let first = FIRST.min(kernels);
                    return ((0..first).map(|k| k * kernels / first).collect(), None, None);
                };
                (s.weights, None, Some(vec![s.instances as f64, s.machines as f64]))
            }
        };
        let mut active: Vec<usize> = (0..kernels).filter(|m| weights[*m] > 0.0).collect();
        active.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]));
        active.truncate(4 * KEPT);
        active.sort_unstable();
        let list = active.iter().map(|m| weights[*m]).collect();
        let report = Report::closed_form(self.run);
        let warm = Learned { machines, ..Learned::of(Weighted::rule(list), report) };
        (active, Some(warm), sample)
    }

    /// The loop on some kernels.
    fn round(&mut self, active: &[usize], warm: Option<Learned>, tol: f64) -> Result<Learned> {
        let wrong = || Error::Data("kernels of single features were expected".to_string());
        let bank = self.problem.bank.part(active).ok_or_else(wrong)?;
        let set = self.outer.set.restricted(active).ok_or_else(wrong)?;
        let part = Problem { bank: &bank, views: None, pairs: None, ..*self.problem };
        let serves = together::serves(&*set, &part, self.run);
        if !(serves && self.hard) {
            let most = if serves { EASY } else { usize::MAX };
            let learned = self.loop_on(&*set, &part, warm.as_ref(), (tol, most))?;
            let limit = learned.report.status == Status::IterationLimit;
            if !(serves && limit) || self.iterations >= self.outer.max_iterations {
                return Ok(learned);
            }
            self.hard = true;
        }
        let exact = (INSIDE * tol).min(self.problem.machine.tol());
        let Some(found) = together::solve(&*set, &part, exact, self.watch) else {
            return self.loop_on(&*set, &part, warm.as_ref(), (tol, usize::MAX));
        };
        self.iterations += 1;
        self.inside[0] += 1.0;
        self.inside[1] += found.iterations as f64;
        let report = Report { status: Status::Converged, ..Report::closed_form(self.run) };
        let rule = Weighted::rule(found.weights);
        Ok(Learned { machines: Some(found.machines), ..Learned::of(rule, report) })
    }

    /// The loop on a part, with a limit on its changes of the weights.
    fn loop_on(
        &mut self,
        set: &dyn Set,
        part: &Problem<'_>,
        warm: Option<&Learned>,
        (tol, most): (f64, usize),
    ) -> Result<Learned> {
        let left = self.outer.max_iterations.saturating_sub(self.iterations).max(1);
        let inner = Outer { set, tol, max_iterations: left.min(most), ..*self.outer };
        let run = self.run.remaining(self.watch).quiet();
        let part = Problem { warm, ..*part };
        let learned = inner.learn_together(&part, &run, &run.watch(), false)?;
        self.iterations += learned.report.iterations;
        self.counts.add(&learned.report.counts);
        Ok(learned)
    }

    /// The gap among all kernels, and what each is worth; `None` if the pass was given up.
    fn price(
        &self,
        active: &[usize],
        weights: Vec<f64>,
        machines: &Solution,
    ) -> Option<(Priced, Vec<f64>)> {
        let pass = Pass::under(self.watch);
        let half = self.half_forms(machines, &pass)?;
        let size: f64 = machines
            .heads()
            .map(|h| h.coef.iter().fold(0.0_f64, |a, c| a.max(c.abs())).powi(2))
            .sum();
        let safe: Vec<f64> = half.iter().zip(&self.unit).map(|(q, u)| q + 0.5 * size * u).collect();
        let penalty = self.outer.set.restricted(active)?.penalty(&weights);
        let objective = machines.primal() + penalty;
        let gap = relative(objective, machines.linear() - self.outer.set.conjugate(&safe));
        let machines = machines.clone();
        Some((Priced { active: active.to_vec(), weights, machines, gap, objective }, half))
    }

    /// ½ Σ_u q_m^u of all kernels.
    fn half_forms(&self, machines: &Solution, pass: &Pass<'_>) -> Option<Vec<f64>> {
        let forms = self.problem.bank.quad_forms_in(&machines.coefs(), pass);
        if pass.is_given_up() {
            return None;
        }
        let all = 0..self.problem.bank.len();
        Some(all.map(|m| 0.5 * forms.iter().map(|q| q[m]).sum::<f64>()).collect())
    }

    /// The gap with the rounding of every form as it is; `None` if a pass was given up.
    fn certified(&self, last: &Priced) -> Option<f64> {
        let pass = Pass::under(self.watch);
        let half = self.half_forms(&last.machines, &pass)?;
        let sums = self.problem.bank.diagonal_forms(&last.machines.coefs(), &pass);
        let unit = f64::EPSILON * (self.problem.bank.n() as f64).sqrt();
        let safe: Vec<f64> = half.iter().zip(&sums).map(|(q, s)| q + unit * s).collect();
        let lower = last.machines.linear() - self.outer.set.conjugate(&safe);
        (!pass.is_given_up()).then(|| relative(last.objective, lower))
    }

    /// Kernels that should have a weight and are not looked at, the most wanted first.
    fn missed(&self, priced: &Priced, half: &[f64]) -> Vec<usize> {
        let set = self.outer.set;
        let terms = priced.active.iter().zip(&priced.weights).filter(|(_, w)| **w > 0.0);
        let terms: Vec<(usize, f64)> = terms.map(|(m, w)| (*m, *w)).collect();
        let threshold = set.threshold(&terms, half);
        let mut looked_at = vec![false; half.len()];
        priced.active.iter().for_each(|m| looked_at[*m] = true);
        let mut missed: Vec<usize> = (0..half.len())
            .filter(|m| !looked_at[*m] && set.worth(*m, half[*m]) > threshold)
            .collect();
        let order = |a: &usize, b: &usize| {
            let (x, y) = (set.worth(*a, half[*a]), set.worth(*b, half[*b]));
            y.total_cmp(&x).then(a.cmp(b))
        };
        // Interior points look for the weights of many at little more cost.
        let most = if self.hard { ADDED.max(terms.len() / 2) } else { ADDED };
        if missed.len() > most {
            missed.select_nth_unstable_by(most, order);
            missed.truncate(most);
        }
        missed.sort_unstable_by(order);
        missed
    }

    /// The kernels of the next round: with a weight, missed, and the best of the others that there is room for.
    fn next(&self, priced: &Priced, half: &[f64], missed: Vec<usize>) -> Vec<usize> {
        let pairs = || priced.active.iter().zip(&priced.weights);
        let mut next: Vec<usize> = pairs().filter(|(_, w)| **w > 0.0).map(|(m, _)| *m).collect();
        next.extend(missed);
        let mut others: Vec<usize> = pairs().filter(|(_, w)| **w == 0.0).map(|(m, _)| *m).collect();
        let worth = |m: usize| self.outer.set.worth(m, half[m]);
        others.sort_by(|a, b| worth(*b).total_cmp(&worth(*a)).then(a.cmp(b)));
        // Of many coefficients that are equally good each round finds others, which want other kernels.
        let kept = if self.hard { KEPT.max(2 * next.len()) } else { KEPT };
        next.extend(others.into_iter().take(kept.saturating_sub(next.len())));
        next.sort_unstable();
        next
    }

    /// The start of a round.
    fn start(&self, active: &[usize], priced: &Priced) -> Learned {
        let known = |m: &usize| {
            priced.active.iter().position(|a| a == m).map_or(0.0, |place| priced.weights[place])
        };
        let weights = active.iter().map(known).collect();
        let machines = Some(priced.machines.clone());
        Learned { machines, ..Learned::of(Weighted::rule(weights), Report::closed_form(self.run)) }
    }
}

fn relative(upper: f64, lower: f64) -> f64 {
    (upper - lower) / upper.abs().max(f64::MIN_POSITIVE)
}

/// The weights and machines of a round.
fn parts(learned: Learned) -> Result<(Vec<f64>, Solution)> {
    let weights = learned.rule.weights().map(<[f64]>::to_vec);
    match (weights, learned.machines) {
        (Some(weights), Some(machines)) => Ok((weights, machines)),
        _ => Err(Error::Data("a round of the loop gave no weights".to_string())),
    }
}
