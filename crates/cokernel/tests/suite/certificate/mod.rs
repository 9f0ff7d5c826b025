//! Optimality recomputed from raw data.

pub mod mkl;
mod scales;
pub(crate) mod svc;
