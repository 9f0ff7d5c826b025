//! EasyMKL: weights from the margin of the sum of the kernels.
//!
//! ```text
//! min over γ    (1 − λ)/u Σ_m γᵀY K_m Yγ + λ ‖γ‖²      γ ≥ 0,  Σ_{y_i=1} γ_i = Σ_{y_i=−1} γ_i = 1
//! η_m ∝ γᵀY K_m Yγ
//! ```
//!
//! (Aiolli and Donini, *Neurocomputing* 169, 2015.) γ spreads weight over the instances of each class: for λ = 1
//! evenly, so that γᵀY K_m Yγ is the squared distance between the class means of kernel m; for small λ on the
//! instances at the margin, and it is the squared margin that kernel m gives there. One problem, whatever
//! the number of kernels: the hulls of the two classes on the sum of the kernels with uλ/(1 − λ)
//! on its diagonal ([`hulls`]). u is the mean of all diagonal entries of all kernels, so that λ means the same
//! in any unit; it is 1 for kernels with unit diagonal, the source's setting.
//!
//! **Several classes.** One problem for each class and the rest; η is made of the sum of their squared
//! margins, one kernel for all machines.
//!
//! **Certificate.** The objective is that of γ, from evenly spread to the last (of all problems together), and
//! the gap that of the problem, or of all problems together. The weights are a formula of γ.
//!
//! **Deviations.** The source divides η by its 2-norm; here it has sum 1, with which C of the machine means what
//! it does for the mean. The source goes on with the machine of its first stage; here any machine follows. A
//! kernel that is not positive semi-definite can have a negative margin, which counts as 0, with a note.
//!
//! **Scale.** All kernels times s: no change. One kernel: large values have large margins, so normalise, as the
//! source does. Two copies get the same weight, and more
//! together than the one had. Cost: one sum of kernels, one problem like that of a machine for each class,
//! one pass of n²M/2 multiplications, one machine.

use super::measures::{Found, passed, unit, weighted};
use super::{Copies, Learned, Learner, Problem, check, mixed};
use crate::machine::{Decomposition, Role};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::Weighted;
use crate::run::Pass;
use crate::solve::Rows;
use crate::solve::hulls::hulls;
use crate::solve::smo::Settings;
use crate::solve::solved::{Solved, relative_gap};
use crate::{Event, Report, Result, Run, Status, Watch};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(EasyMkl::new(p)) };

static METHOD: Method = Method {
    id: "easy_mkl",
    title: "EasyMKL",
    source: "Aiolli and Donini 2015",
    summary: "Weighs every kernel by the margin that it gives between the classes at the margin of their sum. \
              Two machines, however many kernels there are: quick where there are hundreds.",
    tasks: &[Task::Classify],
    group: Group::WeightsFirst,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[
        Param {
            name: "lambda",
            doc: "Between the margin (near 0) and the distance of the class means (1), for kernels that are divided by the \
                  mean of all their diagonal entries.",
            range: Range::Real { default: 0.1, min: 0.0, max: 1.0, closed: false },
        },
        Param {
            name: "tol",
            doc: "Relative duality gap of the margin to stop at.",
            range: Range::Real { default: 1e-4, min: 0.0, max: 0.5, closed: false },
        },
    ],
};

/// Bytes for the row cache, and steps, of one problem.
const CACHE: usize = 256 << 20;
const MAX_STEPS: u64 = 1_000_000_000;

#[derive(Debug)]
struct EasyMkl {
    lambda: f64,
    tol: f64,
}

/// γ of one problem, signed, and what it is worth.
struct Margin {
    signed: Vec<f64>,
    /// (1 − λ)/u γᵀYKYγ + λ‖γ‖² at evenly spread γ, at the last, and a bound that no γ goes below.
    values: [f64; 3],
    steps: u64,
    status: Status,
}

impl EasyMkl {
    fn new(p: &Params) -> Self {
        EasyMkl { lambda: p.real("lambda"), tol: p.real("tol") }
    }

    /// The problem with these signs.
    fn margin(&self, sum: &dyn Rows, unit: f64, signs: &[f64], watch: &Watch) -> Margin {
        let count = |sign: f64| signs.iter().filter(|y| **y == sign).count() as f64;
        let (above, below) = (count(1.0), count(-1.0));
        let even: Vec<f64> =
            signs.iter().map(|y| if *y > 0.0 { y / above } else { y / below }).collect();
        let mut product = vec![0.0; signs.len()];
        let complete = sum.multiply_until(&even, &mut product, watch);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let own = (1.0 - self.lambda) / unit;
        let spread = own * dot(&even, &product) + self.lambda * dot(&even, &even);
        let done = Status::Converged;
        if self.lambda == 1.0 || !complete {
            let status = if complete { done } else { watch.stop().unwrap_or(done) };
            return Margin { signed: even, values: [spread; 3], steps: 0, status };
        }
        let ridges = vec![self.lambda / own; signs.len()];
        let settings =
            Settings { tol: self.tol, shrinking: true, cache: CACHE, max_steps: MAX_STEPS };
        let Solved { coef, primal, dual, steps, status, .. } =
            hulls(sum, signs, &ridges, None, &settings, watch);
        let factor = 2.0 * own;
        Margin { signed: coef, values: [spread, factor * primal, factor * dual], steps, status }
    }
}

impl Learner for EasyMkl {
    fn weights_repeat(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let (bank, watch) = (problem.bank, run.watch());
        let classes = problem.target.classes()?;
        let mut report = Report::closed_form(run);
        let all = Weighted::new(vec![1.0; bank.len()]);
        let sum = mixed(bank, &all, None, run, &watch)?;
        let roles: Vec<Role> = Decomposition::OneVsRest.roles(classes.n_classes());
        run.tell(Event::Begin { stage: "margins", total: Some(roles.len() as u64) });
        let mut margins: Vec<Margin> = Vec::new();
        for role in &roles {
            let signs: Vec<f64> = classes.codes.iter().map(|c| role.sign(*c)).collect();
            margins.push(self.margin(sum.as_ref(), unit(bank), &signs, &watch));
            run.tell(Event::Step { done: margins.len() as u64, message: "" });
        }
        run.tell(Event::End);
        let signed: Vec<&[f64]> = margins.iter().map(|m| m.signed.as_slice()).collect();
        let forms = bank.quad_forms_in(&signed, &Pass::under(&watch));
        report.counts.combines = 1;
        report.counts.smo_steps = margins.iter().map(|m| m.steps).sum();
        if let Some(stopped) = passed(bank.len(), &report, &watch) {
            return Ok(stopped);
        }
        let total = |part: usize| margins.iter().map(|m| m.values[part]).sum::<f64>();
        let [even, primal, dual] = [0, 1, 2].map(total);
        report.objective = vec![even, primal];
        report.iterations = 1;
        report.gap = Some(relative_gap(primal, dual));
        let early = margins.iter().map(|m| m.status).find(|s| !s.is_success());
        report.status = early.unwrap_or(Status::Converged);
        let found: Vec<f64> =
            (0..bank.len()).map(|m| forms.iter().map(|q| q[m]).sum::<f64>()).collect();
        let negative = found.iter().filter(|q| **q < 0.0).count();
        if negative > 0 {
            report.notes.push(format!(
                "{negative} of {} kernels have a negative squared margin, so they are not positive \
                 semi-definite; their weight is 0",
                bank.len()
            ));
        }
        let weights: Vec<f64> = found.iter().map(|q| q.max(0.0)).collect();
        report.details.insert("squared_margins".to_string(), found);
        let zero = "no kernel tells the classes apart";
        Ok(weighted(&Found { weights: &weights, zero }, report, &watch))
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    fn samples(&self) -> Option<usize> {
        Some(super::row_sample::MOST)
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }
}
