//! Accelerating options: on equals off.

mod bank;
mod mkl;
pub mod multiview;
mod smo;
