//! What a model tells about itself.

use super::Lacking;
use super::{CalibrationInfo, FeatureWidths};
use crate::Report;
use crate::data::{Table, View};
use crate::machine::{Block, CheckedMachine, Head, Role};
use crate::multiview::Starts;
use crate::params::Params;
use serde::{Deserialize, Serialize};

/// What the names of classes were before they became text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassKind {
    /// Text.
    Text,
    /// Whole numbers.
    Whole,
    /// Numbers.
    Real,
    /// False and true.
    Truth,
}

/// A view as it was in training.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewInfo {
    /// Its name.
    pub name: String,
    /// `dense`, `sparse`, `similarity` or `sequences`.
    pub kind: String,
    /// Number of columns; the number of training instances for a similarity.
    pub cols: usize,
    /// Names of the columns, where the source had them.
    pub columns: Option<Vec<String>>,
}

impl ViewInfo {
    /// What a model says about this view.
    pub(super) fn of(view: &View) -> Self {
        let kind = match view.table {
            Table::Dense(_) => "dense",
            Table::Sparse(_) => "sparse",
            Table::Similarity(_) | Table::Graph(_) => "similarity",
            Table::Sequences(_) => "sequences",
        };
        ViewInfo {
            name: view.name.clone(),
            kind: kind.to_string(),
            cols: view.table.cols(),
            columns: view.columns.clone(),
        }
    }
}

/// A kernel with its weight in the combination.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelWeight {
    /// The name of the kernel.
    pub kernel: String,
    /// The view it looks at.
    pub view: String,
    /// Its weight; its exponent in a product; its share where every kernel has coefficients of its own.
    pub weight: f64,
    /// Its standard deviation or standard error, where the method tells one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// Whether prediction evaluates it.
    pub active: bool,
}

/// A decision function of the machine and the problem that it is the solution of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MachineInfo {
    /// `positive vs negative` or `positive vs rest`; `value` of a regression; `inside` of a detector.
    pub name: String,
    /// What its values say: codes of the classes with positive and with negative ones, for classes.
    #[serde(flatten)]
    pub role: Role,
    /// Number of support vectors of this machine.
    pub support: usize,
    /// Relative duality gap of this machine.
    pub gap: f64,
    /// Its primal objective ½‖w‖² + Σ C_i ξ_i; not a number in models of early versions.
    #[serde(default)]
    pub primal: f64,
    /// Its dual objective Σ α_i − ½‖w‖²; not a number in models of early versions.
    #[serde(default)]
    pub dual: f64,
}

impl MachineInfo {
    pub(super) fn of(block: &Block, head: &Head, n: usize, classes: &[String]) -> Self {
        MachineInfo {
            name: head.role.name(classes),
            role: head.role,
            support: head.support(n).len(),
            gap: block.gap,
            primal: block.primal,
            dual: block.objective,
        }
    }
}

/// A summary for people and programs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Registry id of the method.
    pub method: String,
    /// Its parameters.
    pub params: Params,
    /// The machine and its parameters.
    pub machine: CheckedMachine,
    /// Version of the library that fitted the model.
    pub library_version: String,
    /// The seed that was used.
    pub seed: u64,
    /// Class names in code order.
    pub classes: Vec<String>,
    /// What these names were, where that was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class_kind: Option<ClassKind>,
    /// Number of training instances, without those that were left out.
    pub n_train: usize,
    /// Instances left out because their label was missing.
    pub n_dropped: usize,
    /// Number of instances that were given, with those that were left out for any reason as far as
    /// the model knows of them: the columns of similarities.
    pub n_given: usize,
    /// The views that must be given to predict.
    pub views: Vec<ViewInfo>,
    /// The names of all views of the fit in their order, as far as the file knows: those above, if an early
    /// version wrote it.
    pub all_views: Vec<String>,
    /// How kernels are combined: `linear`, `product`, … (see [`rule`](crate::rule)).
    pub rule: String,
    /// Every kernel with its weight.
    pub weights: Vec<KernelWeight>,
    /// Widths of the features of each view, of methods that learn some.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub widths: Vec<FeatureWidths>,
    /// Number of kernels that prediction evaluates.
    pub active_kernels: usize,
    /// Number of training instances that are a support vector of some machine.
    pub support: usize,
    /// The same in percent of the training instances.
    pub support_percent: f64,
    /// What predicting an instance costs, where the method had prices of kernels: support vectors in percent of the training
    /// instances, times the share that the prices of the active kernels have of all prices (LMKA §2.8).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_cost: Option<f64>,
    /// The binary problems.
    pub machines: Vec<MachineInfo>,
    /// How decision values become probabilities, where they do.
    pub calibration: Option<CalibrationInfo>,
    /// Which training instances lacked views, and what was done about them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lacking: Option<Lacking>,
    /// How learning went.
    pub report: Report,
}

/// A kernel and whether new rows are compared by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelUse {
    /// The name of the kernel.
    pub kernel: String,
    /// The view it looks at.
    pub view: String,
    /// Whether the embedding of new rows evaluates it.
    pub active: bool,
}

/// The clusters of an embedding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClusterInfo {
    /// The starts of k-means.
    pub starts: Starts,
    /// The least inertia.
    pub inertia: f64,
    /// Number of training instances of each cluster that is not empty.
    pub sizes: Vec<usize>,
}

/// A summary of an embedding for people and programs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EmbeddingSummary {
    /// Registry id of the method.
    pub method: String,
    /// Its parameters.
    pub params: Params,
    /// The number of clusters that was asked for.
    pub k: usize,
    /// Version of the library that made the model.
    pub library_version: String,
    /// The seed that was used.
    pub seed: u64,
    /// Number of training instances.
    pub n_train: usize,
    /// Number of landmarks, where these stand for the training instances.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landmarks: Option<usize>,
    /// Number of rows of directions, a cosine and a sine of each, where random features stand for kernels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directions: Option<usize>,
    /// Columns of the embedding.
    pub columns: usize,
    /// The views that must be given to embed new rows.
    pub views: Vec<ViewInfo>,
    /// The names of all views of the fit in their order, as far as the file knows: those above, if an early
    /// version wrote it.
    pub all_views: Vec<String>,
    /// Every kernel of training.
    pub kernels: Vec<KernelUse>,
    /// Whether new rows can be embedded.
    pub extends: bool,
    /// Leading eigenvalues, one list per operator.
    pub eigenvalues: Vec<Vec<f64>>,
    /// The difference of the last of each list and the next eigenvalue, where it is known.
    pub gaps: Vec<Option<f64>>,
    /// Agreement of the views after each outer iteration.
    pub agreement: Vec<f64>,
    /// The clusters, if they were looked for.
    pub clusters: Option<ClusterInfo>,
    /// How learning went.
    pub report: Report,
}
