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
//! **Several classes** (§3.4.3): all machines of a decomposition share the gates, whose derivative is the sum over them; so
//! do the classes of a machine that learns them together. With `gates=own` each machine of a decomposition has its own
//! gates and is searched for by itself, from the starts that it would have alone; what they look at is standardised over
//! all instances. The trace is then the sum over the machines, of which one that has ended keeps its last value.
//!
//! **Deviations.** What gates look at is standardised (`gate_scale=none`: as it is). The spread of a Gaussian gate is searched for as ln σ², and begins
//! at the mean squared distance from the mean, not 1. Gates below 1e-6 are 0. Directions are those of L-BFGS
//! (`search=gradient`: as in the source).

mod gates;
mod own;

pub(super) use gates::first_gates;

use super::gate_views::{self, GATE_DIMENSIONS, GATE_SCALE, GATE_VIEWS, GateViews};
use super::outer::settled;
use super::parametric::{Inside, Search, Started, from_starts};
use super::{Copies, Learned, Learner, Problem};
use crate::data::Matrix;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::Combination;
use crate::rule::gate::Shape;
use crate::{Result, Run, Watch};
use gates::{Gates, firsts};

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
        GATE_DIMENSIONS,
        GATE_SCALE,
        Param {
            name: "gates",
            doc: "Of several classes by binary problems: common gates of all machines, or own gates of each.",
            range: Range::Choice { default: "common", of: &["common", "own"] },
        },
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
    /// Whether each machine has gates of its own.
    own: bool,
    copies: usize,
    starts: usize,
    search: Search,
}

impl Localized {
    fn new(params: &Params) -> Self {
        Localized {
            shape: Shape::from_id(params.text("gating")).unwrap_or(Shape::Softmax),
            gate_views: GateViews::new(params),
            own: params.text("gates") == "own",
            copies: params.count("copies"),
            starts: params.count("starts"),
            search: Search {
                tol: params.real("tol"),
                max_iterations: params.count("max_iterations"),
                second_order: params.text("search") == "lbfgs",
            },
        }
    }

    /// The search from all starts, of the gates of all machines or of one.
    fn search(&self, gates: &Gates<'_>, run: &Run, watch: &Watch) -> Result<Started> {
        let start = |k| Ok(gates.start(k, run));
        let both = (gates.problem, gates as &dyn Inside);
        from_starts(METHOD.title, self.starts, start, both, self.search, run, watch)
    }
}

impl Learner for Localized {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let views = gate_views::check_all(problem, METHOD.id)?;
        let watch = run.watch();
        let settled = settled(problem, run, &watch)?;
        let problem = &Problem { target: settled.as_ref().unwrap_or(problem.target), ..*problem };
        let machines = if self.own { own::machines(problem)? } else { 1 };
        let (seen, firsts) = (self.gate_views.seen(views)?, firsts(problem.bank, run, &watch));
        let (shape, copies, seen, firsts) = (self.shape, self.copies, &seen, firsts.as_slice());
        if machines > 1 {
            return own::learn(self, problem, machines, (seen, firsts), run, &watch);
        }
        let gates = Gates::new(problem, shape, copies, (seen, firsts));
        let started = self.search(&gates, run, &watch)?;
        let mut report = started.report(METHOD.title, run, &watch);
        seen.tell(&mut report);
        let (rule, open) = gates.rule(&started.found.parameters)?;
        report.details.insert("mean_gates".to_string(), rule.means().to_vec());
        report.details.insert("active_gates".to_string(), vec![active(&open)]);
        let machines = Some(started.found.machines);
        Ok(Learned { machines, ..Learned::of(Combination::new(rule), report) })
    }

    fn looks_at_features(&self) -> bool {
        true
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

/// How many of these gates are open for an instance, on average.
pub(super) fn active(gates: &Matrix) -> f64 {
    let open = gates.values().iter().filter(|g| **g > 0.0).count();
    open as f64 / gates.rows().max(1) as f64
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
