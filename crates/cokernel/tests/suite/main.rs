//! The integration tests, by layer, in one binary.
//!
//! | layer | says |
//! |---|---|
//! | contract, machines, rules | every registry entry keeps the promises of its table |
//! | invariance | accelerating options: on equals off |
//! | scale | learning towards landmarks: bounds from raw data, the exact answer at full rank, the same bits whoever computes |
//! | certificate | optimality recomputed from raw data by code that shares nothing with the solvers |
//! | reference | scikit-learn's and Clarabel's answers to the same problems |
//! | refusal | one wrong argument at a time, and the sentence that comes back |

#![allow(clippy::unwrap_used, missing_docs)]

mod bayes;
mod boosting;
mod certificate;
mod common;
mod contract;
mod few_labels;
mod gates;
mod gaussian_process;
mod gmkl;
mod gml;
mod invariance;
mod laplacian_svm;
mod localized;
mod machines;
mod mapped;
mod medfc;
mod missing;
mod neighbour_weights;
mod prices;
mod projections;
mod random_features;
mod reference;
mod refusal;
mod rules;
mod scale;
mod scale_clusters;
mod scale_forest;
mod scale_workers;
mod view_classifiers;
