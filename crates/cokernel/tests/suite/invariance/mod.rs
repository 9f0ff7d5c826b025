//! Accelerating options: on equals off.

mod bank;
pub mod controls;
mod co_trained;
mod clusterings;
mod mkl;
pub mod multiview;
mod smo;
