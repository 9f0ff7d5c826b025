//! Spectral embedding on the concatenated features: [`spectral`](super::spectral) on the one
//! Gaussian kernel K_ij = exp(−‖x_i − x_j‖² / 2σ²), x_i the features of all views side by side.
//!
//! Source: the feature-concatenation baseline of Kumar's thesis (LMS) §3.4.
//!
//! | symbol | name |
//! |---|---|
//! | σ | `sigma`, by default the median distance, as in LMS §3.4 |
//! | r | `eigenvectors`, by default k |
//!
//! Columns keep their scales unless `scale` is `standard`, so that a view with many or with large
//! columns drowns the others. That is what LMS reports; standardised columns are often much
//! better, and a fair control shows both. Similarity views have no columns and are refused.
//!
//! New rows: the Nyström extension. Cost: that of [`spectral`](super::spectral) with one kernel.

use super::affinity::{self, DIAGONAL};
use super::embedding::EIGENVECTORS;
use super::kmeans::check_clusters;
use super::spectral::Spectral;
use super::{Embedder, Embedding, Problem, Wants};
use crate::data::Scale;
use crate::kernel::KernelSpec;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::mkl::Arrangement;
use crate::params::{Param, Params, Range};
use crate::{Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(ConcatSpectral::new(p)) };

static METHOD: Method = Method {
    id: "concat_spectral",
    title: "spectral clustering of concatenated features",
    source: "Kumar 2013, §3.4",
    summary: "The features of all views side by side, one Gaussian kernel on them, its spectral \
              embedding. The control for looking at views separately at all: show it with the \
              columns as they are and with standardised ones. Costs one kernel.",
    tasks: &[Task::Cluster],
    group: Group::Controls,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        SCALE,
        Param {
            name: "sigma",
            doc: "Width σ of the Gaussian kernel exp(-d²/2σ²); 0 takes the median distance.",
            range: Range::Real { default: 0.0, min: 0.0, max: f64::INFINITY, closed: true },
        },
        EIGENVECTORS,
        DIAGONAL,
    ],
};

/// Scaling of the columns, shared by the methods on concatenated features.
pub(super) const SCALE: Param = Param {
    name: "scale",
    doc: "Scaling of the columns before they are put side by side: given (as the data is scaled \
          for all methods), or standard (mean 0 and variance 1 each).",
    range: Range::Choice { default: "given", of: &["given", "standard"] },
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct ConcatSpectral {
    /// Whether columns are standardised.
    pub standard: bool,
    /// σ, or 0 for the median distance.
    pub sigma: f64,
    /// r, or 0 for k.
    pub eigenvectors: usize,
    /// Whether the diagonal is left out.
    pub zero_diagonal: bool,
}

impl ConcatSpectral {
    fn new(p: &Params) -> Self {
        ConcatSpectral {
            standard: p.text("scale") == "standard",
            sigma: p.real("sigma"),
            eigenvectors: p.count("eigenvectors"),
            zero_diagonal: affinity::is_zero(p),
        }
    }
}

impl Embedder for ConcatSpectral {
    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        check_clusters(k, problem.bank.n())?;
        let view = "mean".to_string();
        let (eigenvectors, zero_diagonal) = (self.eigenvectors, self.zero_diagonal);
        Spectral { eigenvectors, view, zero_diagonal }.embed(problem, k, run)
    }

    fn wants(&self) -> Wants {
        let gaussian = KernelSpec::gaussian();
        let kernel = if self.sigma > 0.0 { gaussian.sigma([self.sigma]) } else { gaussian };
        Wants {
            arrangement: Arrangement::Concatenated,
            kernels: Some(vec![kernel]),
            scale: self.standard.then_some(Scale::Standard),
            features: true,
            ..Wants::default()
        }
    }
}
