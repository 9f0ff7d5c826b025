//! Kernel machines: one kernel to a dual.

mod svc;

pub use svc::{Decomposition, Dual, Machines, Svc};
