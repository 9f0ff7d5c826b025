//! Spectral clustering of the mean of the bank's kernels: max tr(UᵀLU) subject to UᵀU = I for
//! U ∈ R^{n×r}, L = D^{-1/2} K D^{-1/2}, K = (1/M) Σ_m K_m, D_ii = Σ_j K_ij; then k-means on the
//! rows of U, each divided by its length.
//!
//! Source: Ng, Jordan, Weiss, NIPS 2001, as in Kumar's thesis (LMS) §2.1; with several kernels it
//! is the kernel-addition baseline of LMS §3.4. METHODS J1.
//!
//! | symbol | name |
//! |---|---|
//! | D^{-1/2} | `scaling` |
//! | r | `eigenvectors`, by default k |
//!
//! Deviations: the diagonal of K is kept (the original sets it to 0; the thesis does not say). The
//! mean is taken in place of the sum, which gives the same L.
//!
//! Cost: a few dozen products K·(n × r), never a decomposition of an n × n matrix unless n is
//! small; memory of a few n × 120 blocks beside the bank. For several kernels the mean is formed
//! once if its n² values fit into half of [`Run::memory`].

use super::kmeans::{check_clusters, kmeans};
use super::{Clusterer, Clustering, laplacian};
use crate::bank::Bank;
use crate::data::Matrix;
use crate::method::{Build, Method, Param, Params, Range, Task, WeightSet};
use crate::solve::dense::{self, Slice};
use crate::solve::eigen::top_eigenpairs;
use crate::{Counts, Event, Report, Result, Run, Status};

/// Registry entry.
pub static METHOD: Method = Method {
    id: "spectral",
    title: "spectral clustering of the mean kernel",
    source: "Ng, Jordan, Weiss 2001; LMS §2.1 (J1)",
    summary: "Leading eigenvectors of the normalised similarity, rows of unit length, k-means. \
              The baseline of every multi-view clustering: with one kernel it is single-view \
              spectral clustering, with several it is kernel addition. Needs similarities of at \
              least 0. A few dozen products of the kernels with a thin block.",
    tasks: &[Task::Cluster],
    weights: WeightSet::Simplex,
    params: &[EIGENVECTORS, RESTARTS],
    build: Build::Clusterer(|p| Box::new(Spectral::new(p))),
};

/// Number of eigenvectors, shared with the other spectral methods.
pub(super) const EIGENVECTORS: Param = Param {
    name: "eigenvectors",
    doc: "Columns of the embedding U; 0 takes as many as clusters.",
    range: Range::Int { default: 0, min: 0, max: i64::MAX },
};

/// Restarts of k-means, shared with the other spectral methods.
pub(super) const RESTARTS: Param = Param {
    name: "restarts",
    doc: "Runs of k-means from different seeds, of which the one with the least inertia is kept.",
    range: Range::Int { default: 20, min: 1, max: 100_000 },
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct Spectral {
    /// r, or 0 for k.
    pub eigenvectors: usize,
    /// k-means restarts.
    pub restarts: usize,
}

impl Spectral {
    fn new(p: &Params) -> Self {
        Spectral { eigenvectors: p.count("eigenvectors"), restarts: p.count("restarts") }
    }
}

impl Clusterer for Spectral {
    fn cluster(&self, bank: &Bank, k: usize, run: &Run) -> Result<Clustering> {
        let watch = run.watch();
        let n = bank.n();
        check_clusters(k, n)?;
        let r = if self.eigenvectors == 0 { k } else { self.eigenvectors };
        run.tell(Event::Begin { stage: "spectral clustering", total: Some(2) });
        let weight = 1.0 / bank.len() as f64;
        let mut degrees = vec![0.0; n];
        for kernel in laplacian::degrees(bank)? {
            degrees.iter_mut().zip(&kernel).for_each(|(d, v)| *d += weight * v);
        }
        let s = laplacian::scaling(&degrees);
        let weights = vec![weight; bank.len()];
        let mut counts = Counts::default();
        let fits = n.saturating_mul(n).saturating_mul(16) <= run.memory;
        let gram = (bank.len() > 1 && fits).then(|| {
            counts.combines += 1;
            bank.combine(&weights)
        });
        let multiply = |v: &Matrix| match &gram {
            Some(g) => dense::product(Slice::new(g.values(), n, n), Slice::of(v)),
            None => bank.apply_combined(&weights, v),
        };
        let apply = |block: &Matrix| laplacian::apply(block, &s, multiply);
        let pairs =
            top_eigenpairs(n, r, &apply, None, &laplacian::precise(), run, &watch, &mut counts)?;
        run.tell(Event::Step { done: 1, message: "eigenvectors" });
        let (embedding, zero) = laplacian::unit_rows(&pairs.vectors);
        let found = kmeans(&embedding, k, self.restarts, run, &watch)?;
        run.tell(Event::Step { done: 2, message: "k-means" });
        run.tell(Event::End);
        let mut notes = bank.notes().to_vec();
        notes.extend(laplacian::unreached(&zero, r, "the mean kernel"));
        let status = match (pairs.status, found.status) {
            (Status::Converged, Status::Converged) => Status::ClosedForm,
            (Status::Converged, other) => other,
            (other, _) => other,
        };
        let report =
            Report { status, counts, notes, seconds: watch.seconds(), ..Report::closed_form(run) };
        Ok(Clustering {
            assignments: found.assignments,
            embedding,
            eigenvalues: vec![pairs.values],
            inertia: found.inertia,
            report,
        })
    }
}
