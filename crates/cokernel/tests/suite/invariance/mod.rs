//! Accelerating options: on equals off.

mod bank;
mod mkl;
mod multiview;
mod smo;
