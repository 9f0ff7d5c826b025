//! Cross-validation of one method.

use super::{Scores, Splits, Stat};
use crate::data::{Labels, Views};
use crate::machine::Svc;
use crate::method::Params;
use crate::model::Mkl;
use crate::{Result, Run, Status};
use serde::Serialize;

/// What one split gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SplitResult {
    /// Scores on the test instances.
    pub scores: Scores,
    /// Kernels that prediction evaluates.
    pub active_kernels: usize,
    /// Support vectors in percent of the training instances.
    pub support_percent: f64,
    /// Seconds to learn, kernels included.
    pub seconds: f64,
    /// Relative duality gap, where the method has one.
    pub gap: Option<f64>,
    /// How learning ended.
    pub status: Status,
    /// Kernel weights in the order of `CvResult::kernels`.
    pub weights: Vec<f64>,
    /// What a user should read.
    pub notes: Vec<String>,
}

/// Cross-validated scores of one method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CvResult {
    /// Registry id.
    pub method: String,
    /// Its parameters.
    pub params: Params,
    /// The machine's parameters.
    pub svc: Svc,
    /// How instances were split, and with which seed.
    pub splits: Splits,
    /// Seed of the methods.
    pub seed: u64,
    /// Version of the library.
    pub library_version: String,
    /// Kernel names; numbers found on training instances are left out where they differ between
    /// splits.
    pub kernels: Vec<String>,
    /// Accuracy over the splits.
    pub accuracy: Stat,
    /// Balanced accuracy over the splits.
    pub balanced_accuracy: Stat,
    /// Macro F1 over the splits.
    pub macro_f1: Stat,
    /// Sum of the confusion matrices over the splits.
    pub confusion: Vec<Vec<u64>>,
    /// Class names.
    pub classes: Vec<String>,
    /// Split by split; fewer than asked for if the run was stopped.
    pub results: Vec<SplitResult>,
    /// How it ended: the worst of the splits.
    pub status: Status,
}

/// Learns on each training set and scores on its test set. Widths, normalisations and scaling
/// come from the training instances only.
///
/// # Errors
/// As [`Mkl::fit`], with the number of the split; no split was complete when the run was stopped.
pub fn cross_validate(
    mkl: &Mkl,
    views: &Views,
    labels: &Labels,
    splits: &Splits,
    run: &Run,
) -> Result<CvResult> {
    let _ = (mkl, views, labels, splits, run);
    todo!()
}
