//! Answers of other implementations.

mod bank;
mod co_regularized;
mod mkl;
mod multiview;
mod scores;
mod svc;
