//! Scores, splits, cross-validation, the comparison of methods and tests of their differences.

pub mod cluster_scores;
mod clusterings;
mod compare;
mod cross_validate;
mod importance;
mod measures;
mod probabilities;
mod scores;
pub mod significance;
mod splits;
mod table;
pub mod tune;

pub use clusterings::{
    Candidate, ClusteringOptions, ClusteringRow, Clusterings, Found, LeftOut, MARGIN, StartScores,
    Verdict, ViewAgreement, compare_candidates, compare_clusterings,
};
pub use compare::{Comparison, ComparisonRow, MeanWeight, compare, compare_how};
pub use cross_validate::{
    CvResult, How, SplitResult, cross_validate, cross_validate_calibrated, cross_validate_given,
    score_split,
};
pub use importance::{Importance, importance};
pub use measures::{Measure, Measured, Measures, as_classes};
pub use scores::{Scores, Stat};
pub use splits::{Protocol, Split, Splits};
pub use tune::{Axis, Tuned, Tuning};
