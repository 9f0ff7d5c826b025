//! Scores of predicted classes.

use crate::Result;
use serde::Serialize;

/// Scores of predicted classes against the true ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scores {
    /// Fraction of instances predicted correctly.
    pub accuracy: f64,
    /// Mean over the true classes of the fraction predicted correctly.
    pub balanced_accuracy: f64,
    /// Mean over the classes of 2·precision·recall / (precision + recall), 0 where undefined.
    /// Classes that are neither true nor predicted anywhere do not count.
    pub macro_f1: f64,
    /// `confusion[t][p]`: instances of true class t predicted as class p, in the order of
    /// `classes`.
    pub confusion: Vec<Vec<u64>>,
    /// Class names.
    pub classes: Vec<String>,
}

impl Scores {
    /// Compares labels by name.
    ///
    /// # Errors
    /// The lists differ in length or are empty.
    pub fn new<A: AsRef<str>, B: AsRef<str>>(truth: &[A], predicted: &[B]) -> Result<Self> {
        let _ = (truth.len(), predicted.len());
        todo!()
    }
}

/// Values of one quantity over splits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stat {
    /// Mean.
    pub mean: f64,
    /// Standard deviation with divisor n − 1; 0 for one value.
    pub sd: f64,
    /// The values, split by split.
    pub values: Vec<f64>,
}
