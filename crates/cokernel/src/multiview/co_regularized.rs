//! Pairwise co-regularised spectral clustering: one embedding U_v ∈ R^{n×r} per view, each close
//! to the leading eigenvectors of its own view and to the span of all others,
//!
//! max Σ_v tr(U_vᵀ L_v U_v) + Σ_{v<w} λ_vw ‖U_vᵀ U_w‖_F²  subject to U_vᵀ U_v = I,
//!
//! L_v = D_v^{-1/2} K_v D_v^{-1/2}. With all but one view fixed the best U_v are the leading
//! eigenvectors of L_v + Σ_{w≠v} λ_vw U_w U_wᵀ; the views are updated in turn, from the
//! single-view solutions, until the objective grows by less than `tol`, relatively. Then k-means
//! on rows.
//!
//! Source: Kumar's thesis (LMS) §4.1.1-4.1.2, equations (4.3)-(4.6); Kumar, Rai, Daumé, *Co-
//! regularized spectral clustering with multiple kernels* (CRSC), §3, (3)-(4).
//!
//! | symbol | name |
//! |---|---|
//! | λ_vw | `lambda`: one number, or one for each pair (0,1), (0,2), …, (1,2), … |
//! | r | `eigenvectors`, by default k |
//! | all others | see `multiview/drawn.rs`, which has the computation |
//!
//! Deviations, and why:
//! - Each unordered pair of views counts once. (4.5) as printed runs over ordered pairs, which
//!   counts each twice; update (4.6) maximises the objective with single counting only, and the
//!   trace would otherwise not be monotone.
//! - (4.2) divides by squared norms in print, its text by norms; both leave the same objective
//!   because all norms are √r.
//! - The change of the objective is taken relative to its size; the thesis takes it as it is.
//! - All views start from their own solutions and are updated in order. CRSC starts with the more
//!   informative of two views and updates the other first: `first` names the latter.
//! - λ = 0.05 by default. The thesis names no value in chapter 4. λ adds to eigenvalues and is to
//!   be compared with the eigengap of L_v: values from 0.01 to 0.1 change the embeddings of the
//!   handwritten digits without drowning any view. No λ is best everywhere, and λ = 0 is a
//!   control that is hard to beat: compare with it.
//! - The embedding that k-means sees is, by default, all U_v side by side, the rows of each first
//!   brought to unit length, so that λ = 0 is the concatenation of the single-view embeddings.
//!   CRSC names two choices, the more informative view (`embedding` with its name) and the
//!   concatenation.
//!
//! New rows: exact, see `multiview/drawn.rs`.
//!
//! Cost: the single-view solutions, then per view and round one to five products K_v·(n × about
//! r/2), fewer as the rounds go on, plus O(n r² V) for V views. Memory of two blocks per view, n × 128
//! or about n × 8r, and n r V² values beside the bank.

use super::affinity::DIAGONAL;
use super::drawn::{self, LAMBDA_SCALE, MAX_ITER, Scheme, Settings, TOL};
use super::embedding::{EIGENVECTORS, EMBEDDING, chosen, kernel_named};
use super::{Embedder, Embedding, Problem, Wants};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::{Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(CoRegularized::new(p)) };

static METHOD: Method = Method {
    id: "co_regularized",
    title: "pairwise co-regularised spectral clustering",
    source: "Kumar, Rai, Daumé 2011; Kumar 2013, §4.1.1-4.1.2, (4.3)-(4.6)",
    summary: "One spectral embedding per view, drawn towards the span of the others with \
              strength lambda. Often better than kernel addition when each view is \
              informative; compare with lambda = 0. Needs similarities of at least 0. Each of \
              about ten iterations costs a few products of every kernel with a thin block.",
    tasks: &[Task::Cluster],
    group: Group::MultiView,
    certificate: Certificate::Trace,
    recommended: true,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "lambda",
            doc: "Weight of the agreement of a pair of views, λ in (4.3); one number, or one for \
                  each pair of kernels in the order (0,1), (0,2), …, (1,2), …; 0 is the \
                  concatenation of the single-view embeddings.",
            range: Range::Reals { default: 0.05, min: 0.0, max: 1e6 },
        },
        LAMBDA_SCALE,
        TOL,
        MAX_ITER,
        Param {
            name: "first",
            doc: "The view or kernel that each round updates first, from where it goes on in order \
                  and around. Of two views that should be the less informative one, which is then \
                  drawn to the other's own solution.",
            range: Range::Text {
                default: "in_order",
                expected: "in_order, or the name of a view or kernel",
            },
        },
        EMBEDDING,
        EIGENVECTORS,
        DIAGONAL,
    ],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct CoRegularized {
    settings: Settings,
    first: String,
    embedding: String,
}

impl CoRegularized {
    fn new(p: &Params) -> Self {
        CoRegularized {
            settings: Settings::new(p),
            first: p.text("first").to_string(),
            embedding: p.text("embedding").to_string(),
        }
    }
}

impl Embedder for CoRegularized {
    fn wants(&self) -> Wants {
        Wants::products()
    }

    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let shown = chosen(problem.bank, &self.embedding)?;
        let first = match self.first.as_str() {
            "in_order" => 0,
            name => kernel_named(problem.bank, "first", name, &["in_order"])?,
        };
        drawn::embed(problem, &self.settings, Scheme::Pairs { first }, &shown, k, run)
    }
}
