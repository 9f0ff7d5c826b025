//! Answers of other implementations.

mod bank;
mod controls;
mod co_trained;
mod mkl;
mod multiview;
mod scores;
mod svc;
