//! Accelerating options: on equals off.

mod bank;
mod co_regularized;
mod mkl;
pub mod multiview;
mod smo;
