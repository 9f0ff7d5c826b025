//! Optimality recomputed from raw data.

mod exact;
mod lp_norm;
mod machines;
pub mod measures;
pub mod mkl;
mod scales;
pub(crate) mod svc;
