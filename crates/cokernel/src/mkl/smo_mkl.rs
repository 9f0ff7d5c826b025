//! SMO-MKL: lp-norm MKL with a squared norm as penalty, in whose dual the weights are a formula.
//!
//! ```text
//! min  ½ Σ_m ‖w_m‖²/d_m + Σ C_i ξ_i + (λ/2) ‖d‖_p²      d ≥ 0,  y_i(Σ_m ⟨w_m, Φ_m(x_i)⟩ + b) ≥ 1 − ξ_i
//! max  D(α) = Σ α_i − (1/8λ) ‖q‖_s²                     q_m = cᵀ K_m c,  c = y∘α,  Σ c = 0,  0 ≤ α ≤ C
//! d_m = (1/2λ) ‖q‖_s^{2−s} q_m^{s−1}                    s = p/(p − 1),  ‖d‖_p = ‖q‖_s/2λ
//! ```
//!
//! (Vishwanathan, Sun, Ampornpunt and Varma, NIPS 23, 2010; GMKD §VII; D6.) For p > 1 the dual is differentiable in α, so
//! two coefficients can be changed at a time as for one kernel, without an outer loop over the weights. Several binary
//! problems share d: q is then their sum.
//!
//! | symbol | name |
//! |---|---|
//! | d | `weights` |
//! | λ, p | parameters `lambda`, `p` |
//! | c, K_m c | `coef`, `images` |
//! | ‖d‖_p | `norm` of the report's details |
//!
//! **Certificate.** P(d) + (λ/2)‖d‖_p² ≥ min ≥ D(α) for any feasible α; P is that of the machine on Σ d_m K_m.
//!
//! **Beside [`lp_norm`](super::lp_norm)**, which has ‖η‖_p ≤ 1: with ρ = ‖d‖_p the weights d/ρ are those of lp-norm MKL at cost
//! ρC, and the decision functions are the same. λ only says how large d is: λ → 0 is a hard margin.
//!
//! **Steps.** `newton` (the default): the [loop](super::outer) of all methods with the penalty (λ/2)‖d‖_p²
//! ([`squared`](super::sets::squared)), a handful of machines. `pairs`, as published: the pair with the largest violation for
//! one and the largest gain by the second-order model with d held fixed for the other; then the step where the slope of D
//! along the pair is 0 or a bound is met, the slope being monotone. The paper shrinks and takes Newton's steps along the
//! pair; here the line is searched by regula falsi. Both start from the machine on the mean of the kernels, and end at the
//! same gap. C-SVC only.
//!
//! **Cost** of a step over a pair: about 4 M n multiplications and two rows of each kernel, of which those that fit into a
//! quarter of the run's memory are kept: many of them where C is large, and Newton's iterations do not grow with C.
//!
//! **Scale.** λ is divided by the mean diagonal entry of all kernels (an instance with a weight counts by it), which is 1 for
//! kernels of unit diagonal; so all kernels times s and C divided by s leave d unchanged. Two copies of a kernel get the same
//! weight. Of 400 random problems of kernels whose sizes are between 10⁻⁶ and 10⁶, with C up to 10⁶, `newton` solved 397;
//! the others ended as *stalled* and said so, as `pairs` can, too.

mod pairs;

use super::{Copies, Learned, Learner, Problem, check};
use crate::machine::{How, Machine, Solution, Svc};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::mkl::definite::refuse_indefinite;
use crate::mkl::mixed;
use crate::mkl::outer::{MAX_ITERATIONS, Outer, TOL, ended, size};
use crate::mkl::sets::squared::{Norm, Squared};
use crate::params::{Param, Params, Range};
use crate::rule::Weighted;
use crate::run::Pass;
use crate::{Error, Event, Report, Result, Run, Status, Watch};
use pairs::{Part, Search};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(SmoMkl::new(p)) };

static METHOD: Method = Method {
    id: "smo_mkl",
    title: "SMO-MKL",
    source: "Vishwanathan, Sun, Ampornpunt, Varma 2010; Mao, Tsang, Gao, Wang 2015, §VII",
    summary: "lp-norm MKL with the squared norm of the weights as penalty: the weights of lp_norm at another cost, times a \
              factor. Stops on the relative duality gap. By Newton steps and about five machines, or by the published \
              pair steps in its dual.",
    tasks: &[Task::Classify],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NON_NEGATIVE,
    params: &[
        Param {
            name: "p",
            doc: "The norm: near 1 few kernels take part, large values weigh all alike.",
            range: Range::Real { default: 2.0, min: 1.01, max: 1e3, closed: true },
        },
        Param {
            name: "lambda",
            doc: "What the squared norm of the weights costs, for kernels whose mean diagonal entry is 1, and over that mean for \
                  others: the smaller, the larger the weights.",
            range: Range::Real { default: 1.0, min: 0.0, max: 1e12, closed: false },
        },
        TOL,
        MAX_ITERATIONS,
        Param {
            name: "solver",
            doc: "newton: steps of second order in the weights; pairs: pair steps in the dual, as published.",
            range: Range::Choice { default: "newton", of: &["newton", "pairs"] },
        },
    ],
};

#[derive(Debug)]
struct SmoMkl {
    p: f64,
    lambda: f64,
    newton: bool,
    tol: f64,
    max_iterations: usize,
}

impl SmoMkl {
    fn new(params: &Params) -> Self {
        SmoMkl {
            p: params.real("p"),
            lambda: params.real("lambda"),
            newton: params.text("solver") == "newton",
            tol: params.real("tol"),
            max_iterations: params.count("max_iterations"),
        }
    }
}

/// The machine on Σ_m w_m K_m.
fn machine_on(
    problem: &Problem<'_>,
    weights: &[f64],
    warm: Option<&Solution>,
    tol: Option<f64>,
    (run, watch): (&Run, &Watch),
) -> Result<Solution> {
    let rule = Weighted::new(weights.to_vec());
    let kernel = mixed(problem.bank, &rule, None, run, watch)?;
    let run = run.remaining(watch).quiet();
    let how = How { weights: problem.weights, warm, tol, ..How::new(&run) };
    problem.machine.solve(kernel.as_ref(), problem.target, &how)
}

/// The machine on the mean of the kernels, nearly.
fn machine_on_mean(problem: &Problem<'_>, clock: (&Run, &Watch)) -> Result<Solution> {
    let kernels = problem.bank.len();
    let mean = vec![1.0 / kernels as f64; kernels];
    let tol = problem.machine.tol().max(1e-3);
    machine_on(problem, &mean, problem.warm_machines(), Some(tol), clock)
}

impl Learner for SmoMkl {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let svc = problem.machine.as_svc().ok_or_else(|| {
            let problem =
                "SMO-MKL solves the dual of C-SVC itself; choose svc, or the method lp_norm";
            Error::parameter("machine", problem)
        })?;
        let watch = run.watch();
        refuse_indefinite(problem, "SMO-MKL", &watch)?;
        let (bank, kernels) = (problem.bank, problem.bank.len());
        // An instance with weight 2 is the same instance twice.
        let ones = vec![1.0; bank.n()];
        let masses = problem.weights.unwrap_or(&ones);
        let sum =
            |m: usize| -> f64 { bank.diagonal(m).iter().zip(masses).map(|(k, w)| k * w).sum() };
        let unit = (0..kernels).map(sum).sum::<f64>()
            / (kernels as f64 * masses.iter().sum::<f64>()).max(f64::MIN_POSITIVE);
        let lambda = self.lambda / if unit > 0.0 { unit } else { 1.0 };
        let norm = Norm { p: self.p, lambda };
        let mut learned = match self.newton {
            true => self.by_weights(norm, problem, (run, &watch)),
            false => self.by_pairs(norm, (problem, svc), (run, &watch)),
        }?;
        let size = norm.size(learned.rule.weights().unwrap_or_default());
        learned.report.details.insert("norm".to_string(), vec![size]);
        learned.report.seconds = watch.seconds();
        Ok(learned)
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    fn drives_duals(&self) -> bool {
        true
    }

    fn takes(&self, machine: &dyn Machine) -> bool {
        machine.as_svc().is_some()
    }
}

impl SmoMkl {
    /// Steps in the weights.
    fn by_weights(
        &self,
        norm: Norm,
        problem: &Problem<'_>,
        (run, watch): (&Run, &Watch),
    ) -> Result<Learned> {
        let machines = machine_on_mean(problem, (run, watch))?;
        let pass = Pass::under(watch);
        let forms = problem.bank.quad_forms_in(&machines.coefs(), &pass);
        pass.complete("SMO-MKL")?;
        let kernels = problem.bank.len();
        let forms: Vec<f64> = (0..kernels).map(|m| forms.iter().map(|q| q[m]).sum()).collect();
        // D is largest along these coefficients at t c with t³ = Σ α_i / 4Ω*.
        let steep = 4.0 * norm.conjugate(&forms);
        let t = (machines.linear() / steep).cbrt().min(1.0);
        let mut first: Vec<f64> = norm.weights(&forms).iter().map(|d| t * t * d).collect();
        if !first.iter().all(|d| *d > 0.0 && d.is_finite()) {
            // Kernels that tell nothing, or a form that is 0: all have the same weight first.
            let size = norm.size(&first);
            let one = vec![1.0; kernels];
            let even = if size > 0.0 && size.is_finite() { size } else { 1.0 } / norm.size(&one);
            first.iter_mut().filter(|d| !(**d > 0.0 && d.is_finite())).for_each(|d| *d = even);
        }
        let set = Squared { norm, first };
        let (tol, max_iterations) = (self.tol, self.max_iterations);
        let outer = Outer { title: "SMO-MKL", set: &set, tol, max_iterations, second: true };
        let mut learned = outer.learn(problem, &run.remaining(watch))?;
        learned.report.counts.add(&machines.counts);
        learned.report.counts.combines += 1;
        Ok(learned)
    }

    /// Pair steps.
    fn by_pairs(
        &self,
        norm: Norm,
        (problem, svc): (&Problem<'_>, &Svc),
        (run, watch): (&Run, &Watch),
    ) -> Result<Learned> {
        let mut machines = machine_on_mean(problem, (run, watch))?;
        let classes = problem.target.classes()?;
        let costs = svc.costs(classes, problem.weights)?;
        let mut counts = machines.counts;
        counts.combines += 1;
        run.tell(Event::Begin { stage: "SMO-MKL", total: None });
        let parts = machines.blocks.iter().map(|block| {
            let head = &block.heads[0];
            Part::new(&classes.codes, head.role, &costs, &head.coef)
        });
        let mut search = Search::new(problem.bank, norm, parts.collect(), run.memory / 4);
        let (mut objective, mut gaps) = (Vec::new(), Vec::new());
        let (mut iterations, mut limit, mut best) = (0, 10.0 * self.tol, f64::INFINITY);
        let mut fruitless = 0;
        let status = loop {
            let found = search.descend(limit, watch);
            let weights = search.weights();
            // Warm from the coefficients at hand the machine is nearly solved.
            for (block, part) in machines.blocks.iter_mut().zip(&search.parts) {
                block.heads[0].coef.copy_from_slice(&part.coef);
            }
            let tol = svc.tol().min(0.1 * limit).max(1e-13);
            machines = machine_on(problem, &weights, Some(&machines), Some(tol), (run, watch))?;
            counts.add(&machines.counts);
            counts.combines += 1;
            let upper = machines.primal() + search.norm.penalty(&weights);
            let gap = (upper - search.dual()) / upper.abs().max(f64::MIN_POSITIVE);
            // Descents that end at their limit on steps will not get there: each takes seconds.
            fruitless = if upper < best && found { 0 } else { fruitless + 1 };
            best = best.min(upper);
            objective.push(best);
            gaps.push(gap);
            let message = format!("gap {gap:.1e}");
            run.tell(Event::Step { done: iterations as u64, message: &message });
            if let Some(status) = watch.stop() {
                break status;
            }
            if gap <= self.tol && iterations > 0 {
                break Status::Converged;
            }
            if iterations == self.max_iterations {
                break Status::IterationLimit;
            }
            if !found && fruitless > 1 {
                break Status::Stalled;
            }
            iterations += 1;
            limit = if iterations == 1 { self.tol } else { 0.3 * limit };
        };
        run.tell(Event::End);
        counts.smo_steps += search.steps;
        let weights = search.weights();
        machines.tell_hidden(svc.tol());
        let upper = machines.primal() + search.norm.penalty(&weights);
        let told = ((upper - search.dual()) / size(upper)).abs();
        gaps.last_mut().into_iter().for_each(|last| *last = told);
        let gap = gaps.last().copied();
        let status = ended(status, gap, self.tol);
        let mut report = Report {
            status,
            iterations,
            objective,
            gap,
            gaps,
            counts,
            seconds: watch.seconds(),
            seed: run.seed,
            ..Report::closed_form(run)
        };
        if !status.is_success() {
            let gap = gap.map_or(String::new(), |g| format!(" at relative gap {g:.1e}"));
            let mut note = format!("SMO-MKL ended before its tolerance ({status}){gap}");
            if status == Status::Stalled {
                note.push_str(
                    "; normalise the kernels, or take solver=newton, which has the same optimum",
                );
            }
            report.notes.push(note);
        }
        let rule = Weighted::rule(weights);
        Ok(Learned { machines: Some(machines), ..Learned::of(rule, report) })
    }
}
