//! Single-view spectral embeddings side by side: for each view v the r leading eigenvectors U_v of
//! L_v = D_v^{-1/2} K_v D_v^{-1/2}, each row of U_v divided by its length; row i of the embedding
//! is (row i of U_1, …, row i of U_M).
//!
//! Source: not in the papers as a method of its own. It is pairwise co-regularisation
//! ([`co_regularized`](super::co_regularized)) with λ = 0, and co-training after no iteration
//! (LMS Algorithm 1, steps 4-6, with the column-wise concatenation), so it shows what coupling the
//! views adds, which is often nothing.
//!
//! | symbol | name |
//! |---|---|
//! | U_v | `u[v]` |
//! | r | `eigenvectors`, by default k |
//!
//! k-means on it minimises the sum over views of the within-cluster scatter: the squared distance
//! of two rows is the sum of those in each view.
//!
//! New rows: the Nyström extension of each view. Cost: one spectral embedding per view.

use super::affinity::{self, Affinities, DIAGONAL};
use super::embedding::{EIGENVECTORS, mean_agreement, side_by_side};
use super::extension::{Extension, Source, Stage, divided};
use super::kmeans::check_clusters;
use super::work::Work;
use super::{Embedder, Embedding, Problem, Wants};
use crate::data::Matrix;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::Params;
use crate::{Event, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(ConcatEmbeddings::new(p)) };

static METHOD: Method = Method {
    id: "concat_embeddings",
    title: "single-view spectral embeddings side by side",
    source: "Kumar 2013, Algorithm 1 without rounds, (4.3) with λ = 0",
    summary: "The spectral embedding of each view, rows of unit length, side by side. The views \
              do not influence each other; k-means weighs them alike. Hard to beat, so a gain of \
              any coupling is to be measured against it. Needs similarities of at least 0.",
    tasks: &[Task::Cluster],
    group: Group::Controls,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[EIGENVECTORS, DIAGONAL],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct ConcatEmbeddings {
    /// r, or 0 for k.
    pub eigenvectors: usize,
    /// Whether the diagonals are left out.
    pub zero_diagonal: bool,
}

impl ConcatEmbeddings {
    fn new(p: &Params) -> Self {
        ConcatEmbeddings {
            eigenvectors: p.count("eigenvectors"),
            zero_diagonal: affinity::is_zero(p),
        }
    }
}

/// Weight 1 on kernel v of `views`, for [`Source::Sum`].
pub(super) fn only(v: usize, views: usize) -> Source {
    Source::Sum { weights: (0..views).map(|w| f64::from(u8::from(w == v))).collect() }
}

impl Embedder for ConcatEmbeddings {
    fn wants(&self) -> Wants {
        Wants::products()
    }

    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let bank = problem.bank;
        check_clusters(k, bank.n())?;
        let mut work = Work::new(bank, run);
        let watch = work.watch.clone();
        let graphs = Affinities { bank, zero: self.zero_diagonal, watch: &watch };
        let r = if self.eigenvectors == 0 { k } else { self.eigenvectors };
        let views = bank.len();
        let degrees = (0..views).map(|v| graphs.degrees(v)).collect::<Result<Vec<_>>>()?;
        run.tell(Event::Begin { stage: "spectral embeddings", total: Some(views as u64) });
        let (mut u, mut eigenvalues, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
        let (mut parts, mut stages, mut scalings) = (Vec::new(), Vec::new(), Vec::new());
        for (v, degrees) in degrees.iter().enumerate() {
            let name = format!("kernel '{}'", bank.kernels()[v].name);
            let (pairs, s) = work.of_graph(&graphs, v, &name, degrees, r)?;
            let right = divided(&pairs.vectors, &pairs.values);
            stages.push(Stage::normalized(only(v, views), &s, &right));
            parts.push(work.unit_rows(&pairs.vectors, &name));
            gaps.push(pairs.gap());
            eigenvalues.push(pairs.values);
            scalings.push(s);
            u.push(pairs.vectors);
            run.tell(Event::Step { done: v as u64 + 1, message: &name });
        }
        run.tell(Event::End);
        let last = |v: usize| eigenvalues[v].last().copied().filter(|_| eigenvalues[v].len() == r);
        let alone: Vec<_> = (0..views).map(|v| (v, scalings[v].as_slice(), last(v))).collect();
        work.notes.extend(graphs.remark(&alone));
        Ok(Embedding {
            rows: side_by_side(&parts.iter().collect::<Vec<&Matrix>>()),
            eigenvalues,
            gaps,
            agreement: vec![mean_agreement(&u)],
            eigenvectors: u,
            extension: Some(Extension { stages, outputs: (0..views).collect(), unit_rows: true }),
            report: work.report(),
        })
    }
}
