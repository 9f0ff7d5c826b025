//! Accelerating options: on equals off.

mod bank;
mod co_trained;
mod mkl;
pub mod multiview;
mod smo;
