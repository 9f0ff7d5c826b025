//! Accelerating options: on equals off.

mod bank;
mod clusterings;
mod co_regularized;
mod co_trained;
pub mod controls;
mod embedding_models;
mod incomplete;
mod machines;
mod mkl;
pub mod multiview;
mod null_space;
mod old_files;
mod smo;
mod weights;
