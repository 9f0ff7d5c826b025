//! Answers of other implementations.

mod bank;
mod graphs;
mod mkl;
mod multiview;
mod scores;
mod svc;
