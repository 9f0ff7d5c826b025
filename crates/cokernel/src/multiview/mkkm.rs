//! Multiple kernel k-means: relaxed clusters and weights of kernels in turn,
//!
//! min Σ_m γ_m² tr K̄_m (I − HHᵀ)   subject to   HᵀH = I,  γ ≥ 0,  Σγ = 1,   H ∈ R^{n×k},
//!
//! for kernels K̄_m that are centred and have the same trace (`multiview/centred.rs`). Given γ, H are the k leading
//! eigenvectors of Σ γ_m² K̄_m; given H, γ_m ∝ 1/b_m with b_m = tr K̄_m (I − HHᵀ), what the clusters leave unexplained of
//! kernel m. Then k-means on the rows of H, each of unit length.
//!
//! Source: Huang, Chuang, Chen, *Multiple Kernel Fuzzy Clustering*, IEEE TFS 20, 2012, in the relaxed form of Liu and others (AAAI
//! 2016, (4)).
//!
//! The objective never rises, and may end in a local minimum: it starts from even weights. [`simple_mkkm`](super::simple_mkkm)
//! has another objective, which is convex.
//!
//! | symbol | name |
//! |---|---|
//! | γ | `gamma`; in the report `weights` |
//! | b_m | `left` |
//!
//! **Instances that lack views** (`incomplete=own`): kernels are completed by the clusters, in turn with the rest
//! (`multiview/incomplete.rs`); no new rows then.
//!
//! A kernel that k clusters explain up to rounding (b_m = 0) takes all the weight.
//!
//! New rows: the Nyström extension of H. Cost: for each round an eigenvalue problem of the weighted sum, from the last
//! eigenvectors, and a product of every kernel with a block of k columns.

use super::centred::{CENTER, Centred, Found, MAX_ITERATIONS, squares};
use super::extension::Extension;
use super::incomplete::{INCOMPLETE, Partial, alternate, present, scarce};
use super::kmeans::check_clusters;
use super::work::Work;
use super::{Embedder, Embedding, Problem, Wants, laplacian};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::{Error, Event, Report, Result, Run, Status};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(Mkkm::new(p)) };

static METHOD: Method = Method {
    id: "mkkm",
    title: "multiple kernel k-means",
    source: "Huang, Chuang, Chen 2012; Liu and others 2016, (4)",
    summary: "Clusters and weights of the kernels in turn: kernels that the clusters explain well get more weight. The \
              objective never rises; it may end in a local minimum. Any positive semi-definite kernels. An eigenvalue problem \
              of a weighted sum for each of some ten rounds, of hundreds where instances lack views.",
    tasks: &[Task::Cluster],
    group: Group::MultiView,
    certificate: Certificate::Trace,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[TOL, MAX_ITERATIONS, CENTER, INCOMPLETE],
};

const TOL: Param = Param {
    name: "tol",
    doc: "Relative decrease of the objective at which the rounds end.",
    range: Range::Real { default: 1e-6, min: 0.0, max: 1.0, closed: true },
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct Mkkm {
    tol: f64,
    max_iterations: usize,
    center: bool,
    own: bool,
}

impl Mkkm {
    fn new(p: &Params) -> Self {
        Mkkm {
            tol: p.real("tol"),
            max_iterations: p.count("max_iterations"),
            center: p.text("center") == "yes",
            own: p.text("incomplete") == "own",
        }
    }
}

impl Embedder for Mkkm {
    fn wants(&self) -> Wants {
        Wants { incomplete: self.own, ..Wants::products() }
    }

    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let bank = problem.bank;
        check_clusters(k, bank.n())?;
        let mut work = Work::new(bank, run);
        if let Some(present) = present(bank).filter(|_| self.own) {
            return self.embed_incomplete(&present, k, work);
        }
        run.tell(Event::Begin { stage: METHOD.title, total: None });
        let mut kernels = Centred::new(bank, self.center, &mut work)?;
        let mut gamma = kernels.even();
        let (mut objective, mut status) = (Vec::new(), Status::IterationLimit);
        let mut best = None;
        for rounds in 1..=self.max_iterations {
            match self.round(&mut kernels, &gamma, k, best.as_ref(), &mut work) {
                Ok(round) => {
                    let last = objective.last().copied().unwrap_or(f64::INFINITY);
                    // Rounding may turn the objective at the end.
                    if round.value < last || best.is_none() {
                        objective.push(round.value);
                        let message = format!("objective {:.6e}", round.value);
                        run.tell(Event::Step { done: objective.len() as u64, message: &message });
                        gamma.clone_from(&round.next);
                        best = Some(round);
                    }
                    let value = objective.last().copied().unwrap_or(0.0);
                    if let Some(stop) = work.status.or(work.watch.stop()) {
                        status = stop;
                        break;
                    }
                    let settled = rounds > 1 || self.max_iterations == 1;
                    if value == 0.0 || (settled && (last - value).max(0.0) <= self.tol * value) {
                        status = Status::Converged;
                        break;
                    }
                }
                Err(Error::Stopped { status: stop, .. }) if best.is_some() => {
                    status = stop;
                    break;
                }
                Err(e) => return Err(e),
            }
        }
        run.tell(Event::End);
        let Some(Round { pairs, weights, .. }) = best else {
            let what = laplacian::EMBEDDING.to_string();
            return Err(Error::Stopped { status, what });
        };
        let whose = "the weighted sum";
        let pairs = work.determined(pairs, whose);
        let extension = Some(Extension::single(kernels.stage(&pairs, &squares(&weights))));
        let iterations = objective.len();
        let report = Report { iterations, objective, ..Report::closed_form(run) };
        Found { pairs, whose, weights, extension, status, report }.embedding(work)
    }
}

/// The clusters for some weights.
struct Round {
    pairs: crate::solve::eigen::Eigenpairs,
    /// γ of these clusters.
    weights: Vec<f64>,
    /// Σ γ_m² b_m.
    value: f64,
    /// The best γ given the clusters.
    next: Vec<f64>,
}

impl Mkkm {
    /// Where some instances lack views: kernels are completed by the clusters.
    fn embed_incomplete(
        &self,
        present: &[Vec<u32>],
        k: usize,
        mut work: Work<'_>,
    ) -> Result<Embedding> {
        work.run.tell(Event::Begin { stage: METHOD.title, total: None });
        let mut kernels = Partial::all(work.bank(), present, self.center, &mut work)?;
        let remark = scarce(work.bank(), &kernels);
        work.notes.extend(remark);
        let ended = (self.tol, self.max_iterations);
        let found = alternate(&mut kernels, k, ended, &mut work)?;
        work.run.tell(Event::End);
        let whose = "the weighted sum";
        let pairs = work.determined(found.pairs, whose);
        let report = Report {
            iterations: found.objective.len(),
            objective: found.objective,
            ..Report::closed_form(work.run)
        };
        let (weights, status) = (found.weights, found.status);
        Found { pairs, whose, weights, extension: None, status, report }.embedding(work)
    }

    fn round(
        &self,
        kernels: &mut Centred<'_>,
        gamma: &[f64],
        k: usize,
        last: Option<&Round>,
        work: &mut Work<'_>,
    ) -> Result<Round> {
        kernels.combine(&squares(gamma), work)?;
        let warm = last.map(|round| &round.pairs.vectors);
        let pairs = kernels.top(k, warm, &laplacian::precise(), work)?;
        let energies = kernels.energies(&pairs.vectors)?;
        let n = work.n() as f64;
        let left =
            |m: usize| if kernels.scales[m] > 0.0 { (n - energies[m]).max(0.0) } else { 0.0 };
        let left: Vec<f64> = (0..energies.len()).map(left).collect();
        let value = left.iter().zip(gamma).map(|(b, g)| g * g * b).sum();
        Ok(Round {
            pairs,
            weights: gamma.to_vec(),
            value,
            next: weights(&left, &kernels.scales, n),
        })
    }
}

/// γ_m ∝ 1/b_m of the kernels that take part; what is explained up to rounding shares all.
pub(super) fn weights(left: &[f64], scales: &[f64], trace: f64) -> Vec<f64> {
    let floor = 1e-12 * trace;
    let part = |m: usize| scales[m] > 0.0;
    let explained = (0..left.len()).any(|m| part(m) && left[m] <= floor);
    let share = |m: usize| match (part(m), explained) {
        (false, _) => 0.0,
        (true, true) => f64::from(u8::from(left[m] <= floor)),
        (true, false) => 1.0 / left[m],
    };
    let shares: Vec<f64> = (0..left.len()).map(share).collect();
    let sum: f64 = shares.iter().sum();
    shares.iter().map(|s| s / sum).collect()
}
