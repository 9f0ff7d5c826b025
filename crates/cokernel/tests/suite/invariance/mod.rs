//! Accelerating options: on equals off.

mod bank;
mod incomplete;
mod mkl;
pub mod multiview;
mod smo;
