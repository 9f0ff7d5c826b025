//! Splits of instances into training and test sets: stratified, seeded.

use crate::Result;
use crate::data::Labels;
use serde::{Deserialize, Serialize};

/// How instances are split.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "protocol", rename_all = "snake_case")]
pub enum Protocol {
    /// Stratified k-fold: every instance is tested once in each repetition.
    KFold {
        /// k ≥ 2.
        folds: usize,
        /// Repetitions with new folds.
        repeats: usize,
    },
    /// Stratified random test sets, drawn anew each time.
    Shuffle {
        /// How many splits.
        repeats: usize,
        /// Fraction of each class to test on, 0 < test < 1.
        test: f64,
    },
    /// Five repetitions of stratified 2-fold, for the 5 × 2 cv test.
    FiveByTwo,
}

/// Row indices of one split.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Split {
    /// Instances to learn from, increasing.
    pub train: Vec<usize>,
    /// Instances to test on, increasing.
    pub test: Vec<usize>,
}

/// All splits of a protocol.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Splits {
    /// How they were made.
    pub protocol: Protocol,
    /// With which seed.
    pub seed: u64,
    /// The splits; instances without a label are in none.
    #[serde(skip)]
    pub splits: Vec<Split>,
}

impl Protocol {
    /// Splits the instances whose class is known.
    ///
    /// # Errors
    /// Labels are not classes, a number is out of range, or a class has too few instances.
    pub fn split(self, labels: &Labels, seed: u64) -> Result<Splits> {
        let _ = (labels, seed);
        todo!()
    }
}
