//! Optimality recomputed from raw data.

mod exact;
mod machines;
pub mod mkl;
mod scales;
pub(crate) mod svc;
