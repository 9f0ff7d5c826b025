//! Kernel machines: one kernel to a dual.

mod multiclass;
mod svc;

pub use multiclass::{Decomposition, Machines};
pub use svc::{Dual, Svc};
