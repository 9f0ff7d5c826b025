//! Accelerating options: on equals off.

mod bank;
pub mod controls;
mod mkl;
pub mod multiview;
mod smo;
