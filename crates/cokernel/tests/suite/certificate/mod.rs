//! Optimality recomputed from raw data.

mod columns;
mod exact;
mod hull;
mod lp_norm;
mod machines;
pub mod measures;
mod mixed_sizes;
pub mod mkl;
mod rounding;
mod scales;
mod sets;
pub(crate) mod svc;
