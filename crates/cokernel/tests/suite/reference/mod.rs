//! Answers of other implementations.

mod bank;
mod classics;
mod closed_forms;
mod co_regularized;
mod co_trained;
mod controls;
mod cuts;
mod diagonal;
mod discriminants;
mod families;
mod graphs;
mod hyperkernels;
mod machines;
mod measures;
pub mod mkl;
mod multiview;
mod probabilities;
mod scores;
mod sets;
mod significance;
mod svc;
