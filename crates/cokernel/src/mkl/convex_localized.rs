//! Convex localized multiple kernel learning: weights of kernels for each of several regions that are known beforehand.
//!
//! ```text
//! min  J(β)   subject to   β ≥ 0,  ‖β_j‖_p ≤ 1 for each region j
//! J(β) = max_α  ℓ(α) − ½ Σ_u Σ_jm β_jm q_jm^u(α),      k_β(x, z) = Σ_j Σ_m β_jm c_j(x) k_m(x, z) c_j(z)
//! ```
//!
//! (Lei, Binder, Dogan, Kloft, ACML 2016.) An instance belongs to region j with c_j(x) ≥ 0, Σ_j c_j(x) = 1. As c is
//! learned from the features before and stays, the problem is convex: there is one optimum, with a duality gap, whatever the
//! start. [`localized_mkl`](super::localized_mkl) also learns where the regions are, and may end anywhere: it has to beat this.
//!
//! | symbol | name |
//! |---|---|
//! | c_j | regions: clusters of k-means on `gate_views`, c_j(x) ∝ exp(−s ‖x − μ_j‖²/v), v the mean squared distance to the next centre |
//! | s | `sharpness`: 0 is one region, [`lp_norm`](super::lp_norm); a large number divides the instances |
//! | q_jm | (α∘y∘c_j)ᵀ K_m (α∘y∘c_j) |
//! | β_jm | `details["region_weights"]`, in the order of the gates: the regions of the first kernel, those of the second, … |
//! | √β_jm c_j(x) | the gates of the rule [`gated`](crate::rule::Gated) |
//!
//! **Certificate.** P(β) ≥ min J ≥ ℓ(α) − ½ Σ_j ‖q_j‖_{p/(p−1)} with q_jm summed over machines, for any feasible α.
//!
//! **Steps.** Those of lp norms, with one level for each region ([`Ball`]). With p near 1 a region keeps few kernels.
//!
//! **Scale.** Features may have any units, as columns are standardised. The scale of kernels counts as for
//! [`lp_norm`](super::lp_norm).
//!
//! **Deviations.** The source clusters by kernel k-means with the mean of all kernels and measures the distance there; here the
//! clusters are those of the features that gates look at, so that both localized methods see the same.
//!
//! **Cost.** The l·M products c_j c_jᵀ ∘ K_m are stored, 4·l·M·n² bytes, whatever the storage of the kernels; more than
//! the memory of the run is refused. Beside
//! them the cost of lp_norm on l·M kernels: three to seven machines and as many passes. See [`outer`](super::outer).

use super::gate_views::{self, GATE_DIMENSIONS, GATE_SCALE, GATE_VIEWS, GateViews, Seen};
use super::outer::{MAX_ITERATIONS, Outer, TOL};
use super::sets::ball::Ball;
use super::{Copies, Learned, Learner, Problem};
use crate::data::{Matrix, Views};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::gate::{Gate, Shape};
use crate::rule::{Combination, Gated};
use crate::run::Pass;
use crate::solve::kmeans::{Starts, kmeans};
use crate::{Result, Run, Watch};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(ConvexLocalized::new(p)) };

static METHOD: Method = Method {
    id: "convex_localized",
    title: "convex localized multiple kernel learning",
    source: "Lei, Binder, Dogan, Kloft 2016",
    summary: "Weights of kernels for each of several regions, which are clusters of the features that are found \
              beforehand. Convex: stops on the relative duality gap, and needs no restarts. The control for \
              localized_mkl. Costs about five machines and as many passes over all kernels in all regions.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "regions",
            doc: "How many regions there are; fewer if there are fewer different instances.",
            range: Range::Int { default: 3, min: 1, max: 1_000 },
        },
        Param {
            name: "sharpness",
            doc: "How sharp regions end: 0 makes them all alike, a large number gives each instance to one region.",
            range: Range::Real { default: 2.0, min: 0.0, max: 1e6, closed: true },
        },
        Param {
            name: "p",
            doc: "The norm of the weights of a region: near 1 few kernels have one, large values weigh all alike.",
            range: Range::Real { default: 2.0, min: 1.01, max: 1e3, closed: true },
        },
        GATE_VIEWS,
        GATE_DIMENSIONS,
        GATE_SCALE,
        TOL,
        MAX_ITERATIONS,
    ],
};

/// Starts of k-means.
const STARTS: usize = 10;

#[derive(Debug)]
struct ConvexLocalized {
    regions: usize,
    sharpness: f64,
    p: f64,
    gate_views: GateViews,
    tol: f64,
    max_iterations: usize,
}

/// Regions with their centres, for M kernels.
struct Regions {
    seen: Seen,
    /// One row for each kernel and region, those of a kernel one after the other.
    gate: Gate,
    /// Their values at the training instances.
    gates: Matrix,
    /// c, n × l.
    inside: Matrix,
    /// What k-means says, where it was stopped.
    note: Option<String>,
}

impl ConvexLocalized {
    fn new(params: &Params) -> Self {
        ConvexLocalized {
            regions: params.count("regions"),
            sharpness: params.real("sharpness"),
            p: params.real("p"),
            gate_views: GateViews::new(params),
            tol: params.real("tol"),
            max_iterations: params.count("max_iterations"),
        }
    }

    fn regions(&self, views: &Views, kernels: usize, run: &Run, watch: &Watch) -> Result<Regions> {
        let seen = self.gate_views.seen(views)?;
        let features = &seen.features;
        let starts = Starts { starts: STARTS, ..Starts::default() };
        let (n, wanted) = (features.rows(), self.regions.min(features.rows()));
        let found = kmeans(features, wanted, &starts, &run.quiet(), watch)?;
        let (count, d) = (found.centers.rows(), features.cols());
        // Instances that lie on their centres are nearer to each other than rounding.
        let spread = (found.inertia / n as f64).max(1e-12 * d.max(1) as f64);
        let last = spread.ln() - self.sharpness.max(1e-300).ln();
        let row = |g: usize, j: usize| match j < d {
            true => found.centers.get(g % count, j),
            false => last,
        };
        let gate = Gate::new(Shape::Gaussian, Matrix::from_fn(kernels * count, d + 1, row))?;
        // Gates compete with their copies for the other kernels, too, which leaves c_j / M for each.
        let gates = gate.values(features);
        let inside = Matrix::from_fn(n, count, |i, j| kernels as f64 * gates.get(i, j));
        let note = (!found.status.is_success() && watch.stop().is_some())
            .then(|| "the search for regions was stopped".to_string());
        Ok(Regions { seen, gate, gates, inside, note })
    }
}

impl Learner for ConvexLocalized {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let views = gate_views::check_all(problem, METHOD.id)?;
        let (watch, kernels) = (run.watch(), problem.bank.len());
        let regions = self.regions(views, kernels, run, &watch)?;
        let l = regions.inside.cols();
        let bank = problem.bank.of_regions(&regions.inside, run.memory, &Pass::under(&watch))?;
        let outer = Outer {
            title: METHOD.title,
            set: &Ball { p: self.p, blocks: l },
            tol: self.tol,
            max_iterations: self.max_iterations,
            second: true,
        };
        let inner = Problem { bank: &bank, views: None, warm: None, ..*problem };
        let learned = outer.learn(&inner, &run.remaining(&watch))?;
        let weights = learned.rule.weights().unwrap_or_default();
        let factor = |g: usize| kernels as f64 * weights[g % l * kernels + g / l].sqrt();
        let factors: Vec<f64> = (0..kernels * l).map(factor).collect();
        let mut report = learned.report;
        report.notes.extend(regions.note);
        regions.seen.tell(&mut report);
        let sizes = (0..l).map(|j| regions.inside.col(j).iter().sum::<f64>()).collect();
        // In the order of the gates.
        let of_gates = (0..kernels * l).map(|g| weights[g % l * kernels + g / l]).collect();
        report.details.insert("region_weights".to_string(), of_gates);
        report.details.insert("region_sizes".to_string(), sizes);
        report.seconds = watch.seconds();
        let open = |g: &f64| *g > 0.0;
        let rows = regions.gates.values().chunks((kernels * l).max(1));
        let open_of =
            |row: &[f64]| row.iter().zip(&factors).filter(|(g, f)| open(g) && open(f)).count();
        let active = rows.map(open_of).sum::<usize>() as f64 / problem.bank.n() as f64;
        report.details.insert("active_gates".to_string(), vec![active]);
        let (gate, input) = (regions.gate, regions.seen.input);
        let rule = Gated::with_factors(gate, input, kernels, factors, &regions.gates)?;
        report.details.insert("mean_gates".to_string(), rule.means().to_vec());
        let machines = learned.machines;
        Ok(Learned { machines, ..Learned::of(Combination::new(rule), report) })
    }

    fn looks_at_features(&self) -> bool {
        true
    }

    fn looks_at(&self) -> Vec<String> {
        self.gate_views.named()
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    fn drives_duals(&self) -> bool {
        true
    }

    /// Regions are found without a look at weights.
    fn weights_repeat(&self) -> bool {
        false
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
