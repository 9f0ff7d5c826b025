//! Accelerating options: on equals off.

mod bank;
mod clusterings;
mod mkl;
pub mod multiview;
mod smo;
