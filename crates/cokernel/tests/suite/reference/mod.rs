//! Answers of other implementations.

mod bank;
mod mkl;
mod multiview;
mod scores;
mod svc;
