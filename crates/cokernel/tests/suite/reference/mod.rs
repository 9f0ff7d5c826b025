//! Answers of other implementations.

mod bank;
mod controls;
mod mkl;
mod multiview;
mod scores;
mod svc;
