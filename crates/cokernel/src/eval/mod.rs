//! Scores, splits, cross-validation and comparison of methods.
