//! The outer loop over combinations of kernels with weights of either sign that are positive semi-definite.
//!
//! ```text
//! min_η  J(η)   subject to   K_η = Σ_m η_m K_m ⪰ 0,   tr K_η = c
//! J(η) = max_c  ℓ(c) − ½ Σ_u c_uᵀ K_η c_u
//! ```
//!
//! J is convex where K_η ⪰ 0. Interior points: J(η) − μ log det K_η is minimised by Newton's method (J's Hessian is
//! that of [`curvature`](super::curvature), or the bound Σ_u c_uᵀ K_m K_η⁻¹ K_h c_u where that is not known), μ goes to 0, so the
//! machines never see an indefinite kernel. The mean of the kernels is the start (of those that are positive
//! semi-definite, where it is not), and log det is taken in its range.
//!
//! **Certificate.** P(η) ≥ min J ≥ ℓ(c) − νc − max rᵀη with Z ⪰ 0 and r_m = ½ Σ_u q_m^u + ⟨Z, K_m⟩ − ν tr K_m, for any feasible c;
//! see [`lmi`](crate::solve::lmi) for Z, which is μ K_η⁻¹ nearly, and for what is left of r.
//!
//! **Inner accuracy.** ν and r are first order in the error of c, whose square is the gap of the machines: these
//! are solved to the square of a tenth of the gap at hand.
//!
//! **Cost** of an iteration: one machine, M r³ + M² r² (r at most n), n³ once. Memory: 3 M n² numbers at the start.

use super::search::{Point, Search};
use super::{Outer, Proposal, Set, ended, settled, size};
use crate::data::Matrix;
use crate::mkl::{Learned, Problem, check, fits};
use crate::rule::Weighted;
use crate::run::Pass;
use crate::solve::lmi::{Family, Place};
use crate::{Error, Event, Report, Result, Run, Status};
use cokernel_dense::{Slice, extreme_eigenvalues_while};

/// Most instances.
pub(in crate::mkl) const LARGEST: usize = 500;
/// Loosest and tightest relative gaps of machines.
const INNER: (f64, f64) = (1e-13, 1e-5);
/// What μ is multiplied by.
const SHRINK: f64 = 0.1;
/// Armijo's constant.
const ARMIJO: f64 = 1e-4;
/// Trials of one line search.
const TRIALS: usize = 12;
/// Steps in a row that better no bound, after which the method ends.
const FRUITLESS: u32 = 20;

/// What a method asks of the loop.
pub(in crate::mkl) struct Semidefinite {
    pub title: &'static str,
    pub tol: f64,
    pub max_iterations: usize,
}

impl Semidefinite {
    /// Learns weights and machines.
    pub fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let outer = Outer {
            title: self.title,
            set: &Any,
            tol: self.tol,
            max_iterations: self.max_iterations,
            second: true,
        };
        outer.check_machine(problem)?;
        let (watch, bank) = (run.watch(), problem.bank);
        let (n, m) = (bank.n(), bank.len());
        if n > LARGEST || !fits(bank, 3 * m, run) {
            return Err(Error::Data(format!(
                "{} factors matrices of n × n for each kernel in each step: {n} instances and {m} kernels \
                 are too many (at most {LARGEST} instances, and 3 M n² numbers in memory); take fewer, \
                 or simple_mkl, which has weights that are not negative",
                self.title
            )));
        }
        let pass = Pass::under(&watch);
        let matrices: Result<Vec<Matrix>> = (0..m)
            .map(|k| {
                let mut one = vec![0.0; m];
                one[k] = 1.0;
                bank.combine_in(&one, &pass)?.into_matrix()
            })
            .collect();
        pass.complete("the kernels")?;
        let family = Family::new(&matrices?)?;
        let settled = settled(problem, run, &watch)?;
        let problem = &Problem { target: settled.as_ref().unwrap_or(problem.target), ..*problem };
        let run = &run.remaining(&watch);
        let mut search = Search::new(problem, &Any, run, self.tol)?;
        run.tell(Event::Begin { stage: self.title, total: None });
        let mut point = search.start(family.start.clone())?;
        let mut state = State::new(&family, &point)?;
        let (mut objective, mut gaps) = (Vec::new(), Vec::new());
        let (mut iterations, mut fruitless) = (0, 0);
        let status = loop {
            let exact = search.differentiate(&mut point, true)?;
            if search.given_up {
                break search.watch.stop().unwrap_or(Status::Stalled);
            }
            let before = state.bounds;
            state.look(&family, &point);
            let gap = state.gap();
            objective.push(state.bounds.1);
            gaps.push(gap);
            let message = format!("gap {gap:.1e}");
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
            fruitless = if before == state.bounds { fruitless + 1 } else { 0 };
            if fruitless >= FRUITLESS {
                break Status::Stalled;
            }
            let hessian = state.hessian(&family, &point, exact);
            let tol = (0.1 * gap).powi(2).clamp(INNER.0, INNER.1);
            let direction = state.direction(&family, &point, &hessian, self.tol);
            iterations += 1;
            match state.line(&family, &mut search, &point, &direction, tol)? {
                Some(next) => point = next,
                None => break search.watch.stop().unwrap_or(Status::Stalled),
            }
        };
        let mut point = state.best.take().unwrap_or(point);
        if status.is_success() && point.machines.gap() > search.problem.machine.tol() {
            let weights = point.weights.clone();
            point = search.elsewhere_to(weights, &point, search.problem.machine.tol())?;
        }
        run.tell(Event::End);
        let hidden = point.machines.tell_hidden(problem.machine.tol()) / size(point.primal());
        let known = state.bounds.0.is_finite();
        let gap = known.then(|| ((point.primal() - state.bounds.0) / size(point.primal())).abs());
        let status = ended(status, gap, self.tol);
        let mut report = Report {
            status,
            iterations,
            objective,
            gap,
            gaps,
            counts: search.counts,
            seconds: search.watch.seconds(),
            seed: run.seed,
            notes: outer.notes(gap, status, search.refused, hidden),
            ..Report::closed_form(run)
        };
        let least = least_eigenvalue(problem, &point.weights)?;
        report.details.insert("smallest_eigenvalue".to_string(), vec![least]);
        report.details.insert("trace".to_string(), vec![family.level]);
        let rule = Weighted::rule(point.weights);
        Ok(Learned { machines: Some(point.machines), ..Learned::of(rule, report) })
    }
}

/// Weights of either sign, of which [`Search`] is to prove nothing: bounds and steps are this file's.
#[derive(Debug)]
struct Any;

impl Any {
    fn stay(weights: &[f64]) -> Proposal {
        Proposal { weights: weights.to_vec(), decrease: 0.0, far: false }
    }
}

impl Set for Any {
    fn first(&self, kernels: usize) -> Vec<f64> {
        vec![1.0 / kernels as f64; kernels]
    }

    fn onto(&self, weights: &[f64]) -> Vec<f64> {
        weights.to_vec()
    }

    fn conjugate(&self, _: &[f64]) -> f64 {
        f64::INFINITY
    }

    fn second_order(&self, weights: &[f64], _: &[f64], _: &[f64]) -> Proposal {
        Any::stay(weights)
    }

    fn majorised(&self, weights: &[f64], _: &[f64]) -> Proposal {
        Any::stay(weights)
    }

    fn first_order(&self, weights: &[f64], _: &[f64]) -> Proposal {
        Any::stay(weights)
    }

    fn drops(&self) -> bool {
        false
    }
}

fn least_eigenvalue(problem: &Problem<'_>, weights: &[f64]) -> Result<f64> {
    let matrix = problem.bank.combine(weights)?.into_matrix()?;
    let ends = extreme_eigenvalues_while(Slice::of(&matrix), &|| true);
    Ok(ends.map_or(f64::NAN, |(least, _)| least))
}

/// The barrier at the current point, and the bounds so far.
struct State {
    mu: f64,
    place: Place,
    /// The best lower and upper bound.
    bounds: (f64, f64),
    best: Option<Point>,
}

impl State {
    fn new(family: &Family, point: &Point) -> Result<Self> {
        let place = family.place(&inside(family, &point.weights));
        let place = place.ok_or_else(|| {
            Error::Data("the start is not positive definite in its range".to_string())
        })?;
        let mu = SHRINK * size(point.primal()) / family.size() as f64;
        Ok(State { mu, place, bounds: (f64::NEG_INFINITY, f64::INFINITY), best: None })
    }

    fn gap(&self) -> f64 {
        let gap = (self.bounds.1 - self.bounds.0) / size(self.bounds.1);
        if gap.is_finite() { gap } else { f64::MAX }
    }

    /// The bounds of a point whose forms are known.
    fn look(&mut self, family: &Family, point: &Point) {
        let half = half_forms(family, point);
        let bound = family.bound(&self.place, point.machines.linear(), &half, self.mu);
        self.bounds.0 = self.bounds.0.max(bound);
        if point.primal() < self.bounds.1 {
            self.bounds.1 = point.primal();
            self.best = Some(point.clone());
        }
    }

    /// That of J, divided as the family is.
    fn hessian(&self, family: &Family, point: &Point, exact: Option<Vec<f64>>) -> Matrix {
        let m = family.norms.len();
        if let Some(exact) = exact {
            let divided =
                |a: usize, b: usize| exact[a * m + b] / (family.norms[a] * family.norms[b]);
            return Matrix::from_fn(m, m, divided);
        }
        let mut sum = Matrix::zeros(m, m);
        for head in point.machines.heads() {
            let part = family.stiff(&self.place, &head.coef);
            sum.values_mut().iter_mut().zip(part.values()).for_each(|(s, p)| *s += p);
        }
        sum
    }

    /// Newton's direction; μ is lowered as long as the point is near the centre.
    fn direction(
        &mut self,
        family: &Family,
        point: &Point,
        hessian: &Matrix,
        tol: f64,
    ) -> Vec<f64> {
        let half = half_forms(family, point);
        let m = half.len();
        // r μ is the part of the barrier in the gap.
        let least = 0.2 * tol * size(point.primal()) / family.size() as f64;
        loop {
            let gradient: Vec<f64> =
                half.iter().zip(&self.place.traces).map(|(h, t)| -h - self.mu * t).collect();
            let bent = Matrix::from_fn(m, m, |a, b| {
                hessian.get(a, b) + self.mu * self.place.bends.get(a, b)
            });
            let direction = family.newton(&gradient, &bent);
            let slope: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
            if -slope > 0.5 * self.mu || self.mu <= least {
                return direction;
            }
            self.mu = (SHRINK * self.mu).max(least);
        }
    }

    /// The first point along the direction at which the barrier problem is enough better.
    fn line(
        &mut self,
        family: &Family,
        search: &mut Search<'_>,
        from: &Point,
        direction: &[f64],
        tol: f64,
    ) -> Result<Option<Point>> {
        let start = inside(family, &from.weights);
        let half = half_forms(family, from);
        let slope: f64 = (0..direction.len())
            .map(|m| direction[m] * (-half[m] - self.mu * self.place.traces[m]))
            .sum();
        let before = from.primal() - self.mu * self.place.log_det;
        let moved = |step: f64| -> Vec<f64> {
            start.iter().zip(direction).map(|(s, d)| s + step * d).collect()
        };
        let mut step = 1.0;
        while step > 1e-12 && !family.contains(&moved(step / 0.95)) {
            step *= 0.8;
        }
        for _ in 0..TRIALS {
            let Some(place) = family.place(&moved(step)) else {
                step *= 0.5;
                continue;
            };
            let weights: Vec<f64> =
                moved(step).iter().zip(&family.norms).map(|(s, n)| s / n).collect();
            let next = search.elsewhere_to(weights, from, tol)?;
            if search.watch.stop().is_some() {
                return Ok(None);
            }
            let value = next.primal() - self.mu * place.log_det;
            // What the machines cannot tell apart is no reason to stay.
            let slack = next.inner_gap().max(from.inner_gap()) + 1e-14 * size(before);
            if value <= before + ARMIJO * step * slope + slack {
                self.place = place;
                return Ok(Some(next));
            }
            step *= 0.3;
        }
        Ok(None)
    }
}

/// η_m ‖K_m‖.
fn inside(family: &Family, weights: &[f64]) -> Vec<f64> {
    weights.iter().zip(&family.norms).map(|(w, n)| w * n).collect()
}

/// ½ q_m/‖K_m‖.
fn half_forms(family: &Family, point: &Point) -> Vec<f64> {
    point.total_forms().iter().zip(&family.norms).map(|(q, n)| 0.5 * q / n).collect()
}
