//! Coefficients for every kernel: f(x) = Σ_m Σ_i A_mi k_m(x_i, x) + b.
//!
//! The coefficients are those of the heads of [`Solution`](crate::machine::Solution), one kernel that is
//! read after the other, n for each. `uses` are the shares of the kernels, as their method sees them.

use super::{Combination, Entry, Mix, Rule, Stored, nonzero, reals};

/// The registry entry.
pub static ENTRY: Entry =
    Entry { id: ID, read: |fields, _| Ok(Each::rule(reals(fields, "shares")?)) };

const ID: &str = "each";

/// Coefficients for every kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Each {
    shares: Vec<f64>,
}

impl Each {
    /// The share of each kernel in f; 0 for those that take no part.
    pub fn rule(shares: Vec<f64>) -> Combination {
        Combination::new(Each { shares })
    }
}

impl Rule for Each {
    fn id(&self) -> &'static str {
        ID
    }

    fn kernels(&self) -> usize {
        self.shares.len()
    }

    fn active(&self) -> Vec<usize> {
        nonzero(&self.shares)
    }

    fn uses(&self) -> Vec<f64> {
        self.shares.clone()
    }

    fn says(&self) -> &'static str {
        "share"
    }

    fn pointwise(&self) -> Option<&dyn Mix> {
        None
    }

    fn stored(&self) -> Stored {
        let fields = [("shares".to_string(), self.shares.clone().into())];
        Stored { fields: fields.into_iter().collect(), tensors: Vec::new() }
    }
}
