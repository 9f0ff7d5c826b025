//! Several methods on the same data.

use super::{Splits, Stat};
use crate::bank::Bank;
use crate::data::{Labels, Views};
use crate::machine::Svc;
use crate::method::{Method, Params, Value};
use crate::model::Mkl;
use crate::{Report, Result, Run, Status};
use serde::Serialize;

/// A kernel's weight over splits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeanWeight {
    /// The kernel, without numbers that differ between splits.
    pub kernel: String,
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub sd: f64,
}

/// One method of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonRow {
    /// `method`, `method(name=value)` where parameters were given, or `single:kernel`.
    pub name: String,
    /// Registry id, or `single`.
    pub method: String,
    /// Its parameters.
    pub params: Params,
    /// The machine's parameters.
    pub svc: Svc,
    /// Accuracy.
    pub accuracy: Stat,
    /// Balanced accuracy.
    pub balanced_accuracy: Stat,
    /// Macro F1.
    pub macro_f1: Stat,
    /// Number of kernels that prediction evaluates.
    pub active_kernels: Stat,
    /// Number of kernels to choose from.
    pub kernels: usize,
    /// Support vectors in percent of the training instances.
    pub support_percent: Stat,
    /// Seconds to learn, without the kernels (they are shared).
    pub seconds: Stat,
    /// Relative duality gap, where the method has one: the largest over the splits.
    pub gap: Option<f64>,
    /// Kernel weights.
    pub weights: Vec<MeanWeight>,
    /// The worst status over the splits.
    pub status: Status,
    /// What a user should read, without repetitions.
    pub notes: Vec<String>,
}

/// Several methods on the same splits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// One row per method, in the given order; single kernels first.
    pub rows: Vec<ComparisonRow>,
    /// How instances were split, and with which seed.
    pub splits: Splits,
    /// Splits that are complete for every row; fewer than asked for if the run was stopped.
    pub complete: usize,
    /// Number of labelled instances.
    pub instances: usize,
    /// Class names.
    pub classes: Vec<String>,
    /// Seed of the methods.
    pub seed: u64,
    /// Version of the library.
    pub library_version: String,
    /// Interrupted or out of time, else converged.
    pub status: Status,
}

/// Compares methods on the same splits. Methods with the same kernels, scaling and storage share
/// one bank per split. With `singles`, every kernel of the first method is also tried alone.
///
/// # Errors
/// As [`Mkl::fit`], with the number of the split; no method; no split was complete when the run
/// was stopped.
pub fn compare(
    methods: &[Mkl],
    singles: bool,
    views: &Views,
    labels: &Labels,
    splits: &Splits,
    run: &Run,
) -> Result<Comparison> {
    let _ = (methods, singles, views, labels, splits, run);
    todo!()
}

/// A clustering method with its parameters.
#[derive(Debug, Clone)]
pub struct ClusterMethod {
    method: &'static Method,
    given: Vec<(String, Value)>,
}

impl ClusterMethod {
    /// The method with this registry id, at its defaults.
    ///
    /// # Errors
    /// No such method (the closest is suggested), or it does not cluster.
    pub fn new(id: &str) -> Result<Self> {
        let method = crate::method::find(id)?;
        method.clusterer(&method.defaults())?;
        Ok(ClusterMethod { method, given: Vec::new() })
    }

    /// A parameter of the method; checked against its table when clustering.
    #[must_use]
    pub fn param(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.given.push((name.into(), value.into()));
        self
    }

    /// The registry entry of the method.
    pub fn method(&self) -> &'static Method {
        self.method
    }
}

/// One clustering of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClusteringRow {
    /// `method`, or `method(name=value)` where parameters were given.
    pub name: String,
    /// Registry id.
    pub method: String,
    /// Its parameters.
    pub params: Params,
    /// Normalised mutual information (arithmetic) with the classes, where these are given.
    pub nmi: Option<f64>,
    /// Adjusted Rand index with the classes, where these are given.
    pub ari: Option<f64>,
    /// Number of instances of each cluster.
    pub sizes: Vec<usize>,
    /// Cluster of each instance.
    pub assignments: Vec<u32>,
    /// How it went.
    pub report: Report,
}

/// Several clusterings of the same instances.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Clusterings {
    /// One row per method.
    pub rows: Vec<ClusteringRow>,
    /// Number of clusters.
    pub k: usize,
    /// Names of the kernels.
    pub kernels: Vec<String>,
    /// Seed of the methods.
    pub seed: u64,
    /// Version of the library.
    pub library_version: String,
}

/// Clusters the same bank by several methods. Scores count the instances whose class is known.
///
/// # Errors
/// Labels of another length, and whatever the methods refuse.
pub fn compare_clusterings(
    methods: &[ClusterMethod],
    bank: &Bank,
    k: usize,
    labels: Option<&Labels>,
    run: &Run,
) -> Result<Clusterings> {
    let _ = (methods, bank, k, labels, run);
    todo!()
}
