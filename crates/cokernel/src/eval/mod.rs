//! Scores, splits, cross-validation and comparison of methods.

pub mod cluster_scores;
