//! Optimality recomputed from raw data.

mod exact;
pub mod mkl;
mod scales;
pub(crate) mod svc;
