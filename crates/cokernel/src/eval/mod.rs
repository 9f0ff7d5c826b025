//! Scores, splits, cross-validation and the comparison of methods.

pub mod cluster_scores;
mod compare;
mod cross_validate;
mod scores;
mod splits;

pub use compare::{
    ClusterMethod, ClusteringRow, Clusterings, Comparison, ComparisonRow, MeanWeight, compare,
    compare_clusterings,
};
pub use cross_validate::{CvResult, SplitResult, cross_validate};
pub use scores::{Scores, Stat};
pub use splits::{Protocol, Split, Splits};
