//! Optimality recomputed from raw data.

mod mkl;
mod svc;
