//! Simple multiple kernel k-means: weights of kernels and relaxed clusters together, as a minimum of maxima,
//!
//! min_{γ ≥ 0, Σγ = 1} J(γ),   J(γ) = max_{HᵀH = I} tr Hᵀ (Σ_m γ_m² K̄_m) H,   H ∈ R^{n×k},
//!
//! for kernels K̄_m that are centred and have the same trace (`multiview/centred.rs`). Then k-means on the rows of H, each of
//! unit length. J(γ) is the sum of the k largest eigenvalues of the weighted sum.
//!
//! Source: Liu, *SimpleMKKM: Simple Multiple Kernel K-means*, IEEE TPAMI 45, 2023 (Liu, Zhu, Liu, arXiv 2005.04975).
//!
//! | symbol | name |
//! |---|---|
//! | γ | `gamma`; in the report `weights` |
//! | a_m = tr HᵀK̄_mH | `energies` |
//!
//! **Convexity and certificate.** The sum of the k largest eigenvalues is convex and, for positive semi-definite kernels, does not
//! fall in any γ_m² , so that J is convex on the simplex. Any H gives J(γ) ≥ Σ γ_m² a_m, whose least value is 1/Σ_m 1/a_m: the
//! relative gap (J − bound)/J that is reported can be computed again from γ alone. The source reports none.
//!
//! At the minimum the k-th and the next eigenvalue often meet; then no single H proves it, and the bound is that of a mixture W of
//! several, 0 ⪯ W ⪯ I, tr W = k, with a_m = tr W K̄_m (`simple_mkkm/subspace.rs`).
//!
//! **Search** (deviation: the source takes steps along a reduced gradient with a golden-section search, each of tens of
//! eigenvalue problems). The problem is solved in the span of all eigenvectors found so far, where it has a few dozen
//! dimensions (`simple_mkkm/subspace.rs`); the eigenvectors at its solution are added, and so on. The minimum within the span is a lower bound
//! too, and the gap is that of the best bound of all.
//!
//! **Instances that lack views** (`incomplete=own`): kernels are completed as those of [`mkkm`](super::mkkm), by its own
//! rounds; what is above holds of the completed kernels, and there are no new rows. The source has complete kernels.
//!
//! New rows: the Nyström extension of H.
//!
//! Cost: an eigenvalue problem of the weighted sum (from the eigenvectors expected there) and a product of every kernel with a
//! block of k columns for each of about five iterations. Memory of n × (160 or 8 k, and k more) beside the bank.

mod subspace;

use super::centred::{CENTER, Centred, Found, MAX_ITERATIONS, squares};
use super::extension::Extension;
use super::incomplete::{INCOMPLETE, Partial, alternate, present, scarce};
use super::kmeans::check_clusters;
use super::work::Work;
use super::{Embedder, Embedding, Problem, Wants, laplacian};
use crate::bank::{Bank, Storage};
use crate::data::Matrix;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::solve::dense::{self, Slice};
use crate::solve::eigen::{Eigenpairs, Options};
use crate::solve::orthonormal::orthonormal;
use crate::{Error, Event, Report, Result, Run, Status};
use subspace::{Point, Subspace, harmonic};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(SimpleMkkm::new(p)) };

static METHOD: Method = Method {
    id: "simple_mkkm",
    title: "simple multiple kernel k-means",
    source: "Liu 2023",
    summary: "Weights of the kernels by a minimum of maxima: the mixture whose best clusters explain least, which is convex \
              and has a duality gap. Any positive semi-definite kernels. About five eigenvalue problems of a weighted sum.",
    tasks: &[Task::Cluster],
    group: Group::MultiView,
    certificate: Certificate::Gap,
    recommended: true,
    weights: WeightSet::SIMPLEX,
    params: &[TOL, MAX_ITERATIONS, CENTER, INCOMPLETE],
};

const TOL: Param = Param {
    name: "tol",
    doc: "Relative duality gap at which the weights are good enough.",
    range: Range::Real { default: 1e-4, min: 0.0, max: 1.0, closed: true },
};

/// Columns of the subspace beyond which it begins anew, at least, and in eigenvectors.
const WIDTH: usize = 160;
const BLOCKS: usize = 8;

/// Eigenvectors beyond the k that join the subspace: the next ones often meet the k-th at the minimum.
const BEYOND: usize = 2;

/// Share of a new column outside the subspace below which it adds nothing.
const NOTHING: f64 = 1e-7;

/// Rounds in a row without a smaller gap that end the search.
const PATIENCE: usize = 4;

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct SimpleMkkm {
    tol: f64,
    max_iterations: usize,
    center: bool,
    own: bool,
}

impl SimpleMkkm {
    fn new(p: &Params) -> Self {
        SimpleMkkm {
            tol: p.real("tol"),
            max_iterations: p.count("max_iterations"),
            center: p.text("center") == "yes",
            own: p.text("incomplete") == "own",
        }
    }
}

/// The best weights so far.
struct Best {
    gamma: Vec<f64>,
    value: f64,
    pairs: Eigenpairs,
}

impl Embedder for SimpleMkkm {
    fn wants(&self) -> Wants {
        Wants { incomplete: self.own, ..Wants::products() }
    }

    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let bank = problem.bank;
        check_clusters(k, bank.n())?;
        let Some(present) = present(bank).filter(|_| self.own) else {
            return self.embed_whole(bank, self.center, k, run);
        };
        let watch = run.watch();
        let (completed, notes) = completed(bank, &present, self.center, k, run)?;
        let mut found = self.embed_whole(&completed, false, k, &run.remaining(&watch))?;
        found.extension = None;
        found.report.notes.extend(notes);
        found.report.seconds = watch.seconds();
        Ok(found)
    }
}

/// The kernels completed by multiple kernel k-means, and what is to be said of them.
fn completed(
    bank: &Bank,
    present: &[Vec<u32>],
    center: bool,
    k: usize,
    run: &Run,
) -> Result<(Bank, Vec<String>)> {
    let n = bank.n();
    let mut work = Work::new(bank, run);
    let mut kernels = Partial::all(bank, present, center, &mut work)?;
    work.notes.extend(scarce(bank, &kernels));
    alternate(&mut kernels, k, (1e-6, 100), &mut work)?;
    let mut matrices = Vec::with_capacity(kernels.len());
    for (kernel, own) in bank.kernels().iter().zip(&kernels) {
        work.go_on()?;
        matrices.push((kernel.name.clone(), own.whole(n)));
    }
    Ok((Bank::from_matrices(matrices, Storage::Resident)?, work.notes))
}

impl SimpleMkkm {
    fn embed_whole(&self, bank: &Bank, center: bool, k: usize, run: &Run) -> Result<Embedding> {
        let mut work = Work::new(bank, run);
        run.tell(Event::Begin { stage: METHOD.title, total: None });
        let mut kernels = Centred::new(bank, center, &mut work)?;
        let (best, search) = self.search(&mut kernels, k, &mut work)?;
        let weights = best.gamma.clone();
        let (pairs, iterations) = (best.pairs, search.objective.len());
        let (status, objective, gap) =
            (search.status, search.objective, search.gaps.last().copied());
        let report =
            Report { iterations, objective, gap, gaps: search.gaps, ..Report::closed_form(run) };
        run.tell(Event::End);
        let whose = "the weighted sum";
        let pairs = work.determined(pairs, whose);
        let extension = Some(Extension::single(kernels.stage(&pairs, &squares(&weights))));
        Found { pairs, whose, weights, extension, status, report }.embedding(work)
    }
}

/// What a search ended with.
struct Search {
    status: Status,
    objective: Vec<f64>,
    gaps: Vec<f64>,
}

impl SimpleMkkm {
    fn search(
        &self,
        kernels: &mut Centred<'_>,
        k: usize,
        work: &mut Work<'_>,
    ) -> Result<(Best, Search)> {
        let active: Vec<usize> =
            (0..kernels.scales.len()).filter(|m| kernels.scales[*m] > 0.0).collect();
        let (n, all) = (work.n(), kernels.scales.len());
        let spread = |gamma: &[f64]| {
            let mut whole = vec![0.0; all];
            active.iter().zip(gamma).for_each(|(m, g)| whole[*m] = *g);
            whole
        };
        let mut space = Subspace::new(n, active.len());
        let mut gamma = vec![1.0 / active.len() as f64; active.len()];
        let (mut best, mut bound, mut warm): (Option<Best>, f64, Option<Matrix>) =
            (None, 0.0, None);
        let mut search =
            Search { status: Status::IterationLimit, objective: Vec::new(), gaps: Vec::new() };
        let mut idle = 0;
        while search.objective.len() < self.max_iterations {
            let found = self.pairs(kernels, &spread(&gamma), k, warm.as_ref(), work);
            let pairs = match (found, &best) {
                (Ok(pairs), _) => pairs,
                (Err(Error::Stopped { status, .. }), Some(_)) => {
                    search.status = status;
                    break;
                }
                (Err(e), _) => return Err(e),
            };
            if space.width() > WIDTH.max(BLOCKS * k) {
                space = Subspace::new(n, active.len());
                if let Some(best) = &best {
                    extend(&mut space, &best.pairs.vectors, kernels, &active);
                }
            }
            let grown = extend(&mut space, &pairs.vectors, kernels, &active);
            let value: f64 = pairs.values[..k].iter().sum();
            if best.as_ref().is_none_or(|b| value < b.value) {
                best = Some(Best { gamma: spread(&gamma), value, pairs });
            }
            let Some(least) = best.as_ref().map(|b| b.value) else { break };
            if let Some(status) = work.status.or(work.watch.stop()) {
                search.status = status;
                break;
            }
            let here = space.at(&gamma, k, 0.0)?;
            check_definite(&here)?;
            let aim = (self.tol / 10.0).max(1e-13);
            let next = space.minimize(&gamma, k, aim)?;
            let before = search.gaps.last().copied().unwrap_or(f64::INFINITY);
            bound = bound.max(here.bound).max(next.bound);
            let gap = ((least - bound) / least).max(0.0);
            search.objective.push(least);
            search.gaps.push(gap);
            let message = format!("objective {least:.6e}, gap {gap:.1e}");
            work.run.tell(Event::Step { done: search.objective.len() as u64, message: &message });
            if gap <= self.tol {
                search.status = Status::Converged;
                break;
            }
            idle = if gap < before { 0 } else { idle + 1 };
            if !grown || idle >= PATIENCE {
                search.status = Status::Stalled;
                break;
            }
            warm = Some(space.vectors(&next, (k + BEYOND).min(space.width())));
            gamma = next.gamma;
        }
        let Some(mut best) = best else { return Err(stopped(work)) };
        best.pairs = first(best.pairs, k);
        if work.status.is_none() && !search.status.is_stop() {
            self.finish(kernels, &mut best, bound, k, &mut search, work)?;
        }
        Ok((best, search))
    }

    /// The eigenvectors of the best weights to the accuracy of an embedding, and their own bound, from which the gap can be
    /// computed again.
    fn finish(
        &self,
        kernels: &mut Centred<'_>,
        best: &mut Best,
        bound: f64,
        k: usize,
        search: &mut Search,
        work: &mut Work<'_>,
    ) -> Result<()> {
        kernels.combine(&squares(&best.gamma), work)?;
        let warm = best.pairs.vectors.clone();
        best.pairs = kernels.top(k, Some(&warm), &laplacian::precise(), work)?;
        best.value = best.pairs.values.iter().sum();
        let energies = kernels.energies(&best.pairs.vectors)?;
        let taking: Vec<f64> = energies
            .iter()
            .zip(&kernels.scales)
            .filter(|(_, s)| **s > 0.0)
            .map(|(a, _)| *a)
            .collect();
        let own = harmonic(&taking);
        let gap = ((best.value - bound.max(own)) / best.value).max(0.0);
        if let (Some(last), Some(value)) = (search.gaps.last_mut(), search.objective.last_mut()) {
            (*last, *value) = (gap, best.value);
        }
        if own < bound && (best.value - own) / best.value > 2.0 * gap.max(self.tol) {
            let alone = (best.value - own) / best.value;
            work.notes.push(format!(
                "the gap of {gap:.1e} is proved by the eigenvectors of several rounds together; those of the last alone prove \
                 {alone:.1e} (the eigenvalues {k} and {} are close)",
                k + 1
            ));
        }
        Ok(())
    }

    fn pairs(
        &self,
        kernels: &mut Centred<'_>,
        gamma: &[f64],
        k: usize,
        warm: Option<&Matrix>,
        work: &mut Work<'_>,
    ) -> Result<Eigenpairs> {
        kernels.combine(&squares(gamma), work)?;
        // The sum of eigenvalues is off by the square of a residual.
        let options = Options { tol: 1e-7, ..Options::default() };
        let count = (k + BEYOND).min(work.n());
        let pairs = kernels.top(count, warm, &options, work)?;
        work.watch.complete(laplacian::EMBEDDING)?;
        Ok(pairs)
    }
}

/// The first k of some more eigenpairs.
fn first(mut pairs: Eigenpairs, k: usize) -> Eigenpairs {
    if let Some(next) = pairs.values.get(k) {
        pairs.next = Some(*next);
        pairs.values.truncate(k);
        pairs.residuals.truncate(k);
        pairs.vectors = pairs.vectors.select_cols(&(0..k).collect::<Vec<_>>());
    }
    pairs
}

fn stopped(work: &Work<'_>) -> Error {
    let status = work.status.or(work.watch.stop()).unwrap_or(Status::IterationLimit);
    Error::Stopped { status, what: laplacian::EMBEDDING.to_string() }
}

/// # Errors
/// A kernel with negative energy: it is not positive semi-definite, and J not convex.
fn check_definite(point: &Point) -> Result<()> {
    let floor = -1e-9 * point.value.abs();
    match point.energies.iter().all(|a| *a >= floor) && point.value > 0.0 {
        true => Ok(()),
        false => Err(Error::Data(
            "a kernel is not positive semi-definite, so that the clusters that explain most of the mixture explain less than \
             nothing of it; add a multiple of the identity to such similarities, or use spectral clustering"
                .to_string(),
        )),
    }
}

/// Adds columns to the subspace; whether there was anything new in them.
fn extend(space: &mut Subspace, columns: &Matrix, kernels: &Centred<'_>, active: &[usize]) -> bool {
    let mut rest = columns.clone();
    for _ in 0..2 {
        let share = dense::gram_tn(Slice::of(&space.basis), Slice::of(&rest));
        dense::accumulate(&mut rest, -1.0, Slice::of(&space.basis), Slice::of(&share));
    }
    let length = |j: &usize| rest.col(*j).iter().map(|v| v * v).sum::<f64>().sqrt();
    let new: Vec<usize> = (0..rest.cols()).filter(|j| length(j) > NOTHING).collect();
    if new.is_empty() {
        return false;
    }
    let (_, rows) = orthonormal(&rest.select_cols(&new).transposed());
    let block = rows.transposed();
    let images: Vec<Matrix> = active.iter().map(|m| kernels.apply(*m, &block)).collect();
    space.grow(&block, &images);
    true
}
