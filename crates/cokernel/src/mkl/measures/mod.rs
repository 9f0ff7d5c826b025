//! Kernel similarity measures: how well kernels fit each other and a target, before any machine.
//!
//! | file | what it holds |
//! |---|---|
//! | `ideal` | the ideal kernel T of a target |
//! | `products` | ⟨K_m, K_h⟩, ⟨K_m, T⟩ and ⟨T, T⟩ from one pass, centred or not; alignment and distance |
//! | `weights` | what the methods on them share: weights with sum 1, their parameters |

mod ideal;
mod products;
mod weights;

pub use ideal::Ideal;
pub use products::Products;
pub(super) use weights::{CENTERED, CENTERED_NOT, Found, is_centered, passed, unit, weighted};
