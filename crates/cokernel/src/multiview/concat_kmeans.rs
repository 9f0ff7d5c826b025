//! Plain k-means on the concatenated features: the embedding of an instance is its features, those
//! of all views side by side.
//!
//! Source: the simplest of the feature-concatenation baselines (LMS §3.4 runs spectral clustering
//! on the concatenation, which is [`concat_spectral`](super::concat_spectral)).
//!
//! Columns keep their scales unless `scale` is `standard`: a view with large values decides alone
//! on raw columns. No kernel is looked at. Sparse features are made dense if that fits into
//! [`Run::memory`]; else the method is refused, because centres of clusters are dense.
//!
//! New rows: their features. Cost: n d numbers of memory for d columns, and that of k-means.

use super::concat_spectral::SCALE;
use super::embedding::side_by_side;
use super::extension::{Extension, Source, Stage};
use super::kmeans::check_clusters;
use super::{Embedder, Embedding, Problem, Wants};
use crate::data::{Matrix, Scale, Table, View};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::Params;
use crate::{Error, Report, Result, Run};
use std::borrow::Cow;

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(ConcatKMeans::new(p)) };

static METHOD: Method = Method {
    id: "concat_kmeans",
    title: "k-means on concatenated features",
    source: "k-means of all columns: MacQueen 1967",
    summary: "k-means on the features of all views side by side, without any kernel. The \
              simplest control: show it with the columns as they are and with standardised ones. \
              Needs features. Costs k-means in as many dimensions as there are columns.",
    tasks: &[Task::Cluster],
    group: Group::Controls,
    certificate: Certificate::None,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[SCALE],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct ConcatKMeans {
    /// Whether columns are standardised.
    pub standard: bool,
}

impl ConcatKMeans {
    fn new(p: &Params) -> Self {
        ConcatKMeans { standard: p.text("scale") == "standard" }
    }
}

/// The features of a view as a dense matrix.
///
/// # Errors
/// They are sparse and n × d numbers do not fit into [`Run::memory`]; a similarity.
pub(super) fn dense_features<'a>(view: &'a View, run: &Run) -> Result<Cow<'a, Matrix>> {
    match &view.table {
        Table::Dense(x) => Ok(Cow::Borrowed(x)),
        Table::Sparse(x) => {
            let bytes = x.rows().saturating_mul(x.cols()).saturating_mul(8);
            if bytes > run.memory {
                return Err(Error::Data(format!(
                    "view '{}': its {} × {} sparse features would take {:.1} GB as dense ones, \
                     more than the {:.1} GB that the run may use; reduce the columns first, or \
                     choose a method that works on kernels",
                    view.name,
                    x.rows(),
                    x.cols(),
                    bytes as f64 / 1e9,
                    run.memory as f64 / 1e9
                )));
            }
            Ok(Cow::Owned(x.try_to_dense()?))
        }
        Table::Similarity(_) | Table::Graph(_) | Table::Sequences(_) => Err(Error::Data(format!(
            "view '{}' is {} and has no features; leave it out, or choose a method \
             that works on similarities",
            view.name,
            view.table.words()
        ))),
    }
}

impl Embedder for ConcatKMeans {
    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let watch = run.watch();
        check_clusters(k, problem.bank.n())?;
        let Some(views) = problem.views else {
            return Err(Error::Data(
                "k-means on concatenated features needs the features of the views; there is \
                 nothing but similarities"
                    .to_string(),
            ));
        };
        views.require_complete()?;
        let (mut parts, mut stages) = (Vec::new(), Vec::new());
        for view in views.iter() {
            parts.push(dense_features(view, run)?);
            stages.push(Stage {
                source: Source::Columns { view: view.name.clone() },
                basis: Matrix::zeros(0, view.table.cols()),
                links: Vec::new(),
                constant: Vec::new(),
                degree: None,
            });
        }
        let outputs = (0..stages.len()).collect();
        Ok(Embedding {
            rows: side_by_side(&parts.iter().map(AsRef::as_ref).collect::<Vec<_>>()),
            eigenvectors: Vec::new(),
            eigenvalues: Vec::new(),
            gaps: Vec::new(),
            agreement: Vec::new(),
            extension: Some(Extension { stages, outputs, unit_rows: false }),
            report: Report { seconds: watch.seconds(), ..Report::closed_form(run) },
        })
    }

    fn wants(&self) -> Wants {
        Wants { scale: self.standard.then_some(Scale::Standard), ..Wants::concatenated() }
    }
}
