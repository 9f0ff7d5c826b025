//! Optimality recomputed from raw data.

mod mkl;
pub(crate) mod svc;
