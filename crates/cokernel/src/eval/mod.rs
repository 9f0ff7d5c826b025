//! Scores, splits, cross-validation and the comparison of methods.

pub mod cluster_scores;
mod clusterings;
mod compare;
mod cross_validate;
mod scores;
mod splits;
mod table;

pub use clusterings::{
    Candidate, ClusteringOptions, ClusteringRow, Clusterings, Found, LeftOut, MARGIN, StartScores,
    Verdict, ViewAgreement, compare_candidates, compare_clusterings,
};
pub use compare::{Comparison, ComparisonRow, MeanWeight, compare};
pub use cross_validate::{CvResult, SplitResult, cross_validate};
pub use scores::{Scores, Stat};
pub use splits::{Protocol, Split, Splits};
