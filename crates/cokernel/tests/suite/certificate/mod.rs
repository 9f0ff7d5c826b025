//! Optimality recomputed from raw data.

pub mod mkl;
pub(crate) mod svc;
