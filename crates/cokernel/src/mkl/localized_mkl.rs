//! Localized multiple kernel learning: weights of kernels that depend on the instance.
//!
//! ```text
//! min_V  J(V) = max_c  ℓ(c) − ½ Σ_u c_uᵀ K_η c_u,     k_η(x, z) = Σ_m η_m(x|V) k_m(x, z) η_m(z|V)
//! ```
//!
//! (Gönen & Alpaydın, ICML 2008; LMKA ch. 3: (3.8), (3.9), gates (3.2)-(3.4), gradients §3.3, other machines §3.4;
//! F1-F3.) The [gates](crate::rule::gate) η look at features of the instance: softmax and Gaussian gates compete, so
//! that mostly one kernel is used for an instance, sigmoid gates do not. A kernel may be there in several copies,
//! each with a gate of its own: three copies of a linear kernel make a piecewise linear function.
//!
//! | symbol | name |
//! |---|---|
//! | V | parameters of the gates, `parameters` in the model's file |
//! | η_m(x) | gate of kernel m, `gates` |
//! | x^G | what gates look at, `gate_views` |
//! | r_m(i) = Σ_u c_ui η_m(i) [K_m (c_u ∘ η_m)]_i | energies: −r_m(i) is η_m(i) times the derivative of J by η_m(i) |
//!
//! **Cost** of an iteration: the gated kernel and its machine for each trial, usually one, and one pass over the
//! kernels for the energies, for which rows without a coefficient are left out: M products of a kernel with a vector
//! and n·M·D, where the sums over pairs of LMKA §3.3 take M²·D·n². They are the same numbers.
//!
//! **Not convex**: the result depends on the start. The first start has the same gates for all kernels (copies of a
//! kernel, and kernels that are equal, start at random parameters, as they never part otherwise); the `starts` after it
//! are random. The best is kept, and `details["objectives"]` has all of them. Start k is the same for the same seed,
//! however many there are. No step closes a gate: its mean falls to a tenth at most, as a kernel whose gates are all
//! closed has no derivative that would open them again.
//!
//! **Several classes**: all machines of a decomposition share the gates, whose derivative is the sum over them; so
//! do the classes of a machine that learns them together.
//!
//! **Deviations.** What gates look at is standardised. The spread of a Gaussian gate is searched for as ln σ², and begins
//! at the mean squared distance from the mean, not 1. Gates below 1e-6 are 0. Directions are those of L-BFGS
//! (`search=gradient`: as in the source).

use super::gate_views::{self, GATE_VIEWS, GateViews};
use super::outer::settled;
use super::parametric::{Found, Inside, Search, Use, search};
use super::{Copies, Learned, Learner, Problem, mixed};
use crate::bank::Bank;
use crate::data::Matrix;
use crate::machine::Solution;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::gate::{Gate, Shape};
use crate::rule::{Combination, Gated, Input};
use crate::run::Pass;
use crate::{Counts, Event, Report, Result, Run, Status, Watch};
use rand::{Rng, RngExt};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(Localized::new(p)) };

static METHOD: Method = Method {
    id: "localized_mkl",
    title: "localized multiple kernel learning",
    source: "Gönen, Alpaydın 2008; Gönen 2010, ch. 3",
    summary: "Weights of kernels that depend on the instance, by gates that look at features, learned together with the \
              machine. For data in which other kernels tell something in other regions, or for several copies of a \
              simple kernel. Not convex: ends at a stationary point, the best of several starts. Costs 10 to 100 \
              machines for each start.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Trace,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "gating",
            doc: "The gates: softmax (3.2) and gaussian (3.4) compete for an instance, sigmoid (3.3) gates do not.",
            range: Range::Choice { default: "softmax", of: Shape::IDS },
        },
        GATE_VIEWS,
        Param {
            name: "copies",
            doc: "How often each kernel is there, each time with a gate of its own.",
            range: Range::Int { default: 1, min: 1, max: 100 },
        },
        Param {
            name: "starts",
            doc: "From how many starts the gates are learned; the best is kept.",
            range: Range::Int { default: 1, min: 1, max: 1_000 },
        },
        Param {
            name: "search",
            doc: "Directions of the steps: lbfgs, or gradient as in the source.",
            range: Range::Choice { default: "lbfgs", of: &["lbfgs", "gradient"] },
        },
        Param {
            name: "tol",
            doc: "Relative decrease of the objective to stop at.",
            range: Range::Real { default: 1e-3, min: 0.0, max: 0.5, closed: false },
        },
        Param {
            name: "max_iterations",
            doc: "Limit on changes of the gates for each start.",
            range: Range::Int { default: 500, min: 1, max: i64::MAX },
        },
    ],
};

#[derive(Debug)]
struct Localized {
    shape: Shape,
    gate_views: GateViews,
    copies: usize,
    starts: usize,
    search: Search,
}

/// Kernels with gates whose parameters are learned.
struct Gates<'a> {
    problem: &'a Problem<'a>,
    shape: Shape,
    input: Input,
    /// What the gates see of the instances.
    features: Matrix,
    copies: usize,
    /// Of each kernel the first that is the same, mostly itself.
    firsts: Vec<usize>,
}

/// To what share the mean of a gate falls in one step at most.
const CLOSING: f64 = 0.1;

/// Products with a random vector that differ by less, relative to the largest number, are those of the same kernel.
const EQUAL: f64 = 1e-10;

/// Of each kernel of the bank the first that is the same, mostly itself; all themselves after a stop.
fn firsts(bank: &Bank, run: &Run, watch: &Watch) -> Vec<usize> {
    let mut rng = run.rng("localized_mkl equal kernels");
    let probe = Matrix::from_fn(bank.n(), 1, |_, _| rng.random_range(-1.0..1.0));
    let pass = Pass::under(watch);
    let image = |m: usize| {
        let image = bank.apply_in(m, &probe, &pass);
        let largest = image.values().iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        (image, EQUAL * largest)
    };
    let images: Vec<(Matrix, f64)> = (0..bank.len()).map(image).collect();
    if pass.is_given_up() {
        return (0..bank.len()).collect();
    }
    let same = |h: usize, m: usize| {
        let ((a, _), (b, limit)) = (&images[h], &images[m]);
        a.values().iter().zip(b.values()).all(|(a, b)| (a - b).abs() <= *limit)
    };
    (0..bank.len()).map(|m| (0..m).find(|h| same(*h, m)).unwrap_or(m)).collect()
}

impl Gates<'_> {
    fn gate(&self, parameters: &[f64]) -> Result<Gate> {
        let wide = self.features.cols() + 1;
        Gate::new(self.shape, Matrix::new(parameters.len() / wide, wide, parameters.to_vec())?)
    }

    fn rule(&self, parameters: &[f64]) -> Result<(Gated, Matrix)> {
        let gate = self.gate(parameters)?;
        let gates = gate.values(&self.features);
        let kernels = self.problem.bank.len();
        Ok((Gated::new(gate, self.input.clone(), kernels, &gates)?, gates))
    }

    /// Start k.
    fn start(&self, k: usize, run: &Run) -> Vec<f64> {
        let mut rng = run.rng(&format!("localized_mkl start {k}"));
        first_gates(self.shape, &self.features, &self.firsts, self.copies, k > 0, &mut rng)
    }
}

/// Parameters to start with, those of a kernel's copies one after the other: equal for all kernels but random for the
/// copies of one and for kernels that are the same (`firsts` has of each kernel the first of them), or all random. They
/// are as large as features of one standard deviation together.
pub(super) fn first_gates(
    shape: Shape,
    features: &Matrix,
    firsts: &[usize],
    copies: usize,
    all_random: bool,
    rng: &mut dyn Rng,
) -> Vec<f64> {
    let (d, kernels) = (features.cols(), firsts.len());
    let wide = d + 1;
    let size = 1.0 / (wide as f64).sqrt();
    let mut one = |random: bool| -> Vec<f64> {
        let mut row = vec![0.0; wide];
        match shape {
            Shape::Gaussian => {
                if random && features.rows() > 0 {
                    let i = rng.random_range(0..features.rows());
                    row[..d].copy_from_slice(features.row(i));
                }
                row[d] = (d.max(1) as f64).ln();
            }
            Shape::Softmax | Shape::Sigmoid if random => {
                row.iter_mut().for_each(|v| *v = size * rng.random_range(-1.0..1.0));
            }
            Shape::Softmax | Shape::Sigmoid => {}
        }
        row
    };
    if all_random {
        return (0..kernels * copies).flat_map(|_| one(true)).collect();
    }
    let random: Vec<Vec<f64>> = (0..kernels * copies).map(|_| one(true)).collect();
    let plain = one(false);
    let of = |m: usize| {
        let same =
            |others: std::ops::Range<usize>| others.filter(|h| firsts[*h] == firsts[m]).count();
        match copies == 1 && same(0..kernels) == 1 {
            true => plain.clone(),
            false => random[same(0..m) * copies..][..copies].concat(),
        }
    };
    (0..kernels).flat_map(of).collect()
}

impl Inside for Gates<'_> {
    fn with_kernel(
        &self,
        parameters: &[f64],
        run: &Run,
        watch: &Watch,
        then: &mut Use<'_>,
    ) -> Result<Solution> {
        let (rule, gates) = self.rule(parameters)?;
        let gates = rule.read_of(gates);
        then(mixed(self.problem.bank, &rule, Some(&gates), run, watch)?.as_ref())
    }

    fn slopes(&self, parameters: &[f64], machines: &Solution, watch: &Watch) -> Option<Vec<f64>> {
        let gate = self.gate(parameters).ok()?;
        let gates = gate.values(&self.features);
        let pass = Pass::under(watch);
        let energies = self.problem.bank.gated_energies(&machines.coefs(), &gates, &pass);
        (!pass.is_given_up()).then(|| gate.slopes(&self.features, &gates, &energies))
    }

    fn is_too_far(&self, from: &[f64], to: &[f64]) -> bool {
        let sums = |parameters: &[f64]| -> Option<Vec<f64>> {
            let gates = self.gate(parameters).ok()?.values(&self.features);
            let mut sums = vec![0.0; gates.cols()];
            (0..gates.rows())
                .for_each(|i| sums.iter_mut().zip(gates.row(i)).for_each(|(s, g)| *s += g));
            Some(sums)
        };
        match (sums(from), sums(to)) {
            (Some(from), Some(to)) => from.iter().zip(&to).any(|(f, t)| *t < CLOSING * f),
            _ => false,
        }
    }
}

impl Localized {
    fn new(params: &Params) -> Self {
        Localized {
            shape: Shape::from_id(params.text("gating")).unwrap_or(Shape::Softmax),
            gate_views: GateViews::new(params),
            copies: params.count("copies"),
            starts: params.count("starts"),
            search: Search {
                tol: params.real("tol"),
                max_iterations: params.count("max_iterations"),
                second_order: params.text("search") == "lbfgs",
            },
        }
    }

    /// What was learned from all starts: the best, and the objective of each.
    fn all_starts(
        &self,
        gates: &Gates<'_>,
        run: &Run,
        watch: &Watch,
    ) -> Result<(Found, usize, Vec<f64>, Counts)> {
        let one = |k: usize| {
            run.tell(Event::Begin { stage: METHOD.title, total: None });
            let found = search(gates.problem, gates, gates.start(k, run), self.search, run, watch);
            run.tell(Event::End);
            found
        };
        let mut best = one(0)?;
        let (mut at, mut values, mut counts) = (0, vec![best.value()], best.counts);
        for k in 1..self.starts {
            if watch.stop().is_some() {
                break;
            }
            let found = one(k)?;
            counts.add(&found.counts);
            values.push(found.value());
            // A start that was cut short counts only where it is better already.
            if found.value() < best.value() {
                (best, at) = (found, k);
            }
        }
        Ok((best, at, values, counts))
    }
}

impl Learner for Localized {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let views = gate_views::check_all(problem, METHOD.id)?;
        let watch = run.watch();
        let settled = settled(problem, run, &watch)?;
        let problem = &Problem { target: settled.as_ref().unwrap_or(problem.target), ..*problem };
        let input = self.gate_views.input(views)?;
        let features = input.rows(views)?;
        let firsts = firsts(problem.bank, run, &watch);
        let (shape, copies) = (self.shape, self.copies);
        let gates = Gates { problem, shape, input, features, copies, firsts };
        let (found, at, values, counts) = self.all_starts(&gates, run, &watch)?;
        let (rule, open) = gates.rule(&found.parameters)?;
        let mut report = Report {
            status: found.status,
            iterations: found.objective.len() - 1,
            counts,
            ..Report::closed_form(run)
        };
        report.notes.extend(found.remark(METHOD.title));
        if self.starts > 1 {
            report.notes.push(starts_note(&values, at, self.starts));
            if values.len() < self.starts && report.status.is_success() {
                report.status = watch.stop().unwrap_or(Status::TimeLimit);
            }
        }
        report.notes.extend(found.machines.remark());
        if report.iterations == 0 {
            report.gap = Some(found.machines.gap());
        }
        let active = open.values().iter().filter(|g| **g > 0.0).count();
        let details = [
            ("objectives", values),
            ("start", vec![at as f64]),
            ("mean_gates", rule.means().to_vec()),
            ("active_gates", vec![active as f64 / open.rows().max(1) as f64]),
        ];
        report.details = details.into_iter().map(|(name, v)| (name.to_string(), v)).collect();
        if found.slope.is_finite() {
            report.details.insert("slope".to_string(), vec![found.slope]);
        }
        report.objective = found.objective;
        report.seconds = watch.seconds();
        let rule = Combination::new(rule);
        Ok(Learned { machines: Some(found.machines), ..Learned::of(rule, report) })
    }

    fn looks_at(&self) -> Vec<String> {
        self.gate_views.named()
    }

    fn copies(&self) -> Copies {
        Copies::Either
    }

    fn drives_duals(&self) -> bool {
        true
    }

    /// What gates look at is standardised without a look at weights.
    fn weights_repeat(&self) -> bool {
        false
    }
}

/// Of how many starts there were, and from where to where their objectives reach.
pub(super) fn starts_note(values: &[f64], best: usize, asked: usize) -> String {
    let (least, most) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
    let made = match values.len() == asked {
        true => format!("{asked} starts"),
        false => format!("{} of {asked} starts before the stop", values.len()),
    };
    format!("{made}: objectives from {least:.6e} (start {best}, kept) to {most:.6e}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
