//! Selection of k kernels with weights 0 or 1: feature selection, where each kernel looks at one feature.
//!
//! ```text
//! min  J(η)   subject to   η_m ∈ {0, 1},  Σ η_m = k
//! J(η) = max_c  ℓ(c) − ½ Σ_u Σ_m η_m q_m^u(c),      q_m^u = c_uᵀ K_m c_u
//! ```
//!
//! (Xu, Jin, Ye, Lyu and King, ICML 2009, non-monotonic feature selection; LMKA §2.2.1.4; D7.) What is selected for k
//! need not contain what is selected for k − 1, as it does where features are ranked once.
//!
//! | symbol | name |
//! |---|---|
//! | η | `weights` |
//! | k | `select` |
//! | q_m | `forms` |
//!
//! 1. **Relaxation**, as in the paper: 0 ≤ η ≤ 1, which is convex. The paper writes a quadratically constrained program;
//!    here the [loop](super::outer) solves it over [its set](super::sets::capped) to a relative duality gap of `tol`, with the
//!    lower bound ℓ(c) − ½ (sum of the k largest q_m).
//! 2. **Rounding**: the k largest weights become 1, among equal ones those with the larger form.
//! 3. **Exchange**: J is convex, so J(η − e_a + e_b) ≥ J(η) − ½(q_b − q_a): only pairs with q_b > q_a can gain. The most promising
//!    ones are tried, a machine each, and the first that gains is taken, until [`TRIED`] in a row do not. The paper ends with
//!    step 2 and a bound on what rounding loses.
//!
//! **Certificate.** Selecting is not convex. The objective of the selection never rises, and `details["selection_gap"]` is
//! (objective − lower bound of the relaxation) / objective: how much better the best of all choices of k kernels can
//! be at most; 0 says that none is better.
//!
//! **Scale.** As for [`simple_mkl`](super::simple_mkl); the combined kernel is the sum of k kernels and needs as much less C
//! than their mean. Cost: about eight machines for the relaxation, and one for each exchange that is tried.

use super::outer::{MAX_ITERATIONS, Outer, TOL};
use super::sets::capped::{Capped, largest};
use super::{Copies, Learned, Learner, Problem, check, mixed};
use crate::machine::{How, Solution};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::Weighted;
use crate::run::Pass;
use crate::{Error, Report, Result, Run, Status, Watch};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(Selection::new(p)) };

static METHOD: Method = Method {
    id: "binary_selection",
    title: "binary selection of kernels",
    source: "Xu, Jin, Ye, Lyu, King 2009; Gönen 2010, §2.2.1.4",
    summary: "A given number of kernels with weight 1, the others 0, by a convex relaxation, rounding and exchanges; says \
              how much better the best choice can be at most. Feature selection where each kernel looks at one feature. \
              Costs about ten machines.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Trace,
    recommended: false,
    weights: WeightSet {
        id: "binary",
        says: "0 or 1",
        holds: |w, _| w.iter().all(|w| *w == 0.0 || *w == 1.0) && w.contains(&1.0),
    },
    params: &[
        Param {
            name: "select",
            doc: "k, how many kernels are selected; 0: half of them.",
            range: Range::Int { default: 0, min: 0, max: i64::MAX },
        },
        Param {
            name: "tol",
            doc: "Relative duality gap of the relaxation to stop at.",
            range: TOL.range,
        },
        Param {
            name: "max_iterations",
            doc: "Limit on changes of the weights of the relaxation, and on exchanges.",
            range: MAX_ITERATIONS.range,
        },
    ],
};

/// Exchanges in a row that gain nothing, after which no more are tried.
const TRIED: usize = 5;

#[derive(Debug)]
struct Selection {
    kernels: usize,
    tol: f64,
    max_iterations: usize,
}

impl Selection {
    fn new(params: &Params) -> Self {
        Selection {
            kernels: params.count("select"),
            tol: params.real("tol"),
            max_iterations: params.count("max_iterations"),
        }
    }

    fn count(&self, kernels: usize) -> Result<usize> {
        match self.kernels {
            0 => Ok(kernels.div_ceil(2)),
            k if k <= kernels => Ok(k),
            k => {
                let problem =
                    format!("expected at most {kernels}, the number of kernels, found {k}");
                Err(Error::parameter("select", problem))
            }
        }
    }
}

/// A choice of kernels and its machines.
struct Choice {
    weights: Vec<f64>,
    machines: Solution,
}

impl Choice {
    fn new(
        problem: &Problem<'_>,
        chosen: &[usize],
        warm: Option<&Solution>,
        run: &Run,
        watch: &Watch,
    ) -> Result<Self> {
        let mut weights = vec![0.0; problem.bank.len()];
        chosen.iter().for_each(|m| weights[*m] = 1.0);
        let rule = Weighted::new(weights.clone());
        let kernel = mixed(problem.bank, &rule, None, run, watch)?;
        let run = run.remaining(watch).quiet();
        let how = How { weights: problem.weights, warm, ..How::new(&run) };
        let machines = problem.machine.solve(kernel.as_ref(), problem.target, &how)?;
        Ok(Choice { weights, machines })
    }
}

/// Σ_u q_m^u of all kernels; `None` after a stop.
fn forms(problem: &Problem<'_>, machines: &Solution, watch: &Watch) -> Option<Vec<f64>> {
    let pass = Pass::under(watch);
    let all = problem.bank.quad_forms_in(&machines.coefs(), &pass);
    let sum = |m: usize| all.iter().map(|q| q[m]).sum();
    (!pass.is_given_up()).then(|| (0..problem.bank.len()).map(sum).collect())
}

impl Learner for Selection {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let watch = run.watch();
        let count = self.count(problem.bank.len())?;
        let set = Capped { count };
        let outer = Outer {
            title: "selection of kernels",
            set: &set,
            tol: self.tol,
            max_iterations: self.max_iterations,
            second: true,
        };
        let relaxed = outer.learn(problem, run)?;
        let mut report = Report { counts: relaxed.report.counts, ..Report::closed_form(run) };
        report.notes.clone_from(&relaxed.report.notes);
        let parts = relaxed.rule.weights().unwrap_or_default();
        let upper = relaxed.machines.as_ref().map_or(f64::INFINITY, |m| m.primal());
        let bound = relaxed.report.gap.map(|gap| upper - gap * upper.abs());
        // Weights are at most 1 and the last digits of forms break ties.
        let by_forms = relaxed.machines.as_ref().and_then(|m| forms(problem, m, &watch));
        let top = by_forms.iter().flatten().fold(0.0_f64, |a, q| a.max(*q));
        let tie =
            |m: usize| by_forms.as_ref().map_or(0.0, |q| 1e-6 * q[m] / top.max(f64::MIN_POSITIVE));
        let order: Vec<f64> = parts.iter().enumerate().map(|(m, w)| w + tie(m)).collect();
        let run_now = &run.remaining(&watch);
        let solved = relaxed.machines.as_ref();
        let mut best = Choice::new(problem, &largest(&order, count), solved, run_now, &watch)?;
        let mut counted = |machines: &Solution| {
            report.counts.add(&machines.counts);
            report.counts.combines += 1;
        };
        counted(&best.machines);
        let mut trace = vec![best.machines.primal()];
        let mut status = relaxed.report.status;
        let mut exchanges = 0;
        while status.is_success() {
            if let Some(stop) = watch.stop() {
                status = stop;
                break;
            }
            let Some(forms) = forms(problem, &best.machines, &watch) else { continue };
            let better = exchange(problem, &best, &forms, run, &watch, &mut counted)?;
            let Some(next) = better else { break };
            best = next;
            trace.push(best.machines.primal());
            exchanges += 1;
            if exchanges == self.max_iterations {
                status = Status::IterationLimit;
            }
        }
        if status.is_success() {
            status = best.machines.status();
        }
        report.notes.extend(best.machines.remark());
        let value = best.machines.primal();
        if let Some(bound) = bound {
            let gap = (value - bound) / value.abs().max(f64::MIN_POSITIVE);
            report.details.insert("selection_gap".to_string(), vec![gap]);
            report.details.insert("lower_bound".to_string(), vec![bound]);
        }
        report.details.insert("relaxed_weights".to_string(), parts.to_vec());
        report.iterations = relaxed.report.iterations + exchanges;
        (report.status, report.objective) = (status, trace);
        report.seconds = watch.seconds();
        let rule = Weighted::rule(best.weights);
        Ok(Learned { machines: Some(best.machines), ..Learned::of(rule, report) })
    }

    fn copies(&self) -> Copies {
        Copies::Either
    }

    fn drives_duals(&self) -> bool {
        true
    }
}

/// The choice with one kernel exchanged for another whose objective is smaller, by more than machines can tell.
fn exchange(
    problem: &Problem<'_>,
    from: &Choice,
    forms: &[f64],
    run: &Run,
    watch: &Watch,
    counted: &mut impl FnMut(&Solution),
) -> Result<Option<Choice>> {
    let kernels = forms.len();
    let has = |m: &usize| from.weights[*m] > 0.0;
    // The largest gains are among the least of those chosen and the largest of the others.
    let side = |chosen: bool, sign: f64| -> Vec<usize> {
        let worth = |m: usize| if has(&m) == chosen { sign * forms[m] } else { f64::NEG_INFINITY };
        let worth: Vec<f64> = (0..kernels).map(worth).collect();
        largest(&worth, TRIED).into_iter().filter(|m| has(m) == chosen).collect()
    };
    let (out, new) = (side(true, -1.0), side(false, 1.0));
    let mut pairs: Vec<(usize, usize)> =
        out.iter().flat_map(|a| new.iter().map(move |b| (*a, *b))).collect();
    pairs.retain(|(a, b)| forms[*b] > forms[*a]);
    let gain = |(a, b): &(usize, usize)| forms[*b] - forms[*a];
    pairs.sort_by(|x, y| gain(y).total_cmp(&gain(x)).then(x.cmp(y)));
    for (a, b) in pairs.into_iter().take(TRIED) {
        if watch.stop().is_some() {
            break;
        }
        let chosen: Vec<usize> = (0..kernels).filter(|m| *m == b || (*m != a && has(m))).collect();
        let warm = Some(&from.machines);
        let there = Choice::new(problem, &chosen, warm, &run.remaining(watch), watch)?;
        counted(&there.machines);
        // The upper bound of one is below the lower bound of the other.
        if there.machines.primal() < from.machines.objective() {
            return Ok(Some(there));
        }
    }
    Ok(None)
}
