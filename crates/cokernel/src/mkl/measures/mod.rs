//! Kernel similarity measures: how well kernels fit each other and a target, before any machine.
//!
//! | file | what it holds |
//! |---|---|
//! | `ideal` | the ideal kernel T of a target |
//! | `products` | ⟨K_m, K_h⟩, ⟨K_m, T⟩ and ⟨T, T⟩ from one pass, centred or not; alignment and distance |
//! | `sampled` | products of all instances, from those of a sample |
//! | `fsm` | deviations of classes over the distance of their centres |
//! | `divergence` | the Kullback-Leibler divergence from the ideal kernel |
//! | `scores` | all of them, for each kernel |
//! | `weights` | what the methods on them share: weights with sum 1, their parameters |

mod divergence;
mod fsm;
mod ideal;
mod products;
mod sampled;
mod scores;
mod weights;

pub use divergence::Divergence;
pub(super) use divergence::Value;
pub use fsm::Spread;
pub use ideal::Ideal;
pub use products::Products;
pub use scores::{DIVERGENCE_UP_TO, EACH_UP_TO, Score, scores};
pub(super) use weights::{CENTERED, CENTERED_NOT, Found, is_centered, passed, unit, weighted};
