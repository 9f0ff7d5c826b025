//! Accelerating options: on equals off.

mod bank;
mod clusterings;
mod co_trained;
pub mod controls;
mod incomplete;
mod mkl;
pub mod multiview;
mod smo;
