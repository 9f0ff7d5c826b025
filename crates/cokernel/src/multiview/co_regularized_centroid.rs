//! Centroid co-regularised spectral clustering: one embedding U_v ∈ R^{n×r} per view and a common
//! one, the centroid U*, to which all are drawn,
//!
//! max Σ_v tr(U_vᵀ L_v U_v) + Σ_v λ_v ‖U_vᵀ U*‖_F²  subject to U_vᵀ U_v = I, U*ᵀ U* = I,
//!
//! L_v = D_v^{-1/2} K_v D_v^{-1/2}. Given U*, the best U_v are the leading eigenvectors of
//! L_v + λ_v U* U*ᵀ; given all U_v, the best U* are those of Σ_v λ_v U_v U_vᵀ, that is the leading
//! left singular vectors of [√λ_v U_v]. The views are updated, then U*, until the objective
//! grows by less than `tol`, relatively. Then k-means on the rows of U*.
//!
//! Source: Kumar's thesis (LMS) §4.1.3, equations (4.7)-(4.10).
//!
//! | symbol | name |
//! |---|---|
//! | λ_v | `lambda`: one number, or one for each kernel |
//! | r | `eigenvectors`, by default k |
//! | all others | see `multiview/drawn.rs`, which has the computation |
//!
//! Left open by the thesis, and chosen:
//! - Start: each U_v the solution of its view alone, U* then from them by the same formula as in
//!   every round.
//! - If all λ_v are 0, U* has no part in the objective; it is then the leading eigenvectors of
//!   Σ_v U_v U_vᵀ for the single-view U_v.
//! - The change of the objective is taken relative to its size.
//! - λ = 0.05 by default, for the reasons given with pairwise co-regularisation. A view that is
//!   known to be noisy wants a smaller λ_v: it moves U* less, and U* moves it less.
//! - `embedding` may also name a view, or `concat` for all U_v (without U*) side by side.
//!
//! New rows: exact, see `multiview/drawn.rs`.
//!
//! Cost: as pairwise, with a factor of r columns for each view in place of r(V−1), and per round
//! one decomposition of size r V.

use super::affinity::DIAGONAL;
use super::drawn::{self, LAMBDA_SCALE, MAX_ITER, Scheme, Settings, TOL};
use super::embedding::{EIGENVECTORS, chosen, kernel_named};
use super::{Embedder, Embedding, Problem, Wants};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::{Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(CoRegularizedCentroid::new(p)) };

static METHOD: Method = Method {
    id: "co_regularized_centroid",
    title: "centroid co-regularised spectral clustering",
    source: "Kumar, Rai, Daumé 2011; Kumar 2013, §4.1.3, (4.7)-(4.10)",
    summary: "One spectral embedding per view and a common centroid, each drawn to the other with \
              a strength lambda that may differ from view to view; k-means works on the centroid \
              of as many columns as clusters. A noisy view harms it unless its lambda is small. \
              Needs similarities of at least 0. Costs as much as pairwise co-regularisation.",
    tasks: &[Task::Cluster],
    group: Group::MultiView,
    certificate: Certificate::Trace,
    recommended: true,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "lambda",
            doc: "Weight of the agreement of a view with the centroid, λ_v in (4.7); one number, \
                  or one for each kernel.",
            range: Range::Reals { default: 0.05, min: 0.0, max: 1e6 },
        },
        LAMBDA_SCALE,
        TOL,
        MAX_ITER,
        Param {
            name: "embedding",
            doc: "The embedding that is the result: centroid, concat (those of all views side by \
                  side, rows of each of unit length), or the name of a view or kernel.",
            range: Range::Text {
                default: "centroid",
                expected: "centroid, concat, or the name of a view or kernel",
            },
        },
        EIGENVECTORS,
        DIAGONAL,
    ],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct CoRegularizedCentroid {
    settings: Settings,
    embedding: String,
}

impl CoRegularizedCentroid {
    fn new(p: &Params) -> Self {
        let embedding = p.text("embedding").to_string();
        CoRegularizedCentroid { settings: Settings::new(p), embedding }
    }
}

impl Embedder for CoRegularizedCentroid {
    fn wants(&self) -> Wants {
        Wants::products()
    }

    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let bank = problem.bank;
        let shown = match self.embedding.as_str() {
            "centroid" => vec![bank.len()],
            "concat" => chosen(bank, "concat")?,
            name => vec![kernel_named(bank, "embedding", name, &["centroid", "concat"])?],
        };
        drawn::embed(problem, &self.settings, Scheme::Centroid, &shown, k, run)
    }
}
