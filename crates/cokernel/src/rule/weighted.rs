//! The weighted sum k(x, z) = Σ_m η_m k_m(x, z); kernels with weight 0 are not read.

use super::{Combination, Entry, Mix, Pairs, Rule, Stored, nonzero, reals};
use cokernel_dense::simd;

/// The registry entry.
pub static ENTRY: Entry =
    Entry { id: ID, read: |fields, _| Ok(Weighted::rule(reals(fields, "weights")?)) };

const ID: &str = "linear";

/// Σ_m η_m k_m.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighted {
    weights: Vec<f64>,
    active: Vec<usize>,
}

impl Weighted {
    /// η, one for each kernel.
    pub fn new(weights: Vec<f64>) -> Self {
        Weighted { active: nonzero(&weights), weights }
    }

    /// The same, to be shared.
    pub fn rule(weights: Vec<f64>) -> Combination {
        Combination::new(Self::new(weights))
    }
}

impl Rule for Weighted {
    fn id(&self) -> &'static str {
        ID
    }

    fn kernels(&self) -> usize {
        self.weights.len()
    }

    fn active(&self) -> Vec<usize> {
        self.active.clone()
    }

    fn uses(&self) -> Vec<f64> {
        self.weights.clone()
    }

    fn weights(&self) -> Option<&[f64]> {
        Some(&self.weights)
    }

    fn pointwise(&self) -> Option<&dyn Mix> {
        Some(self)
    }

    fn stored(&self) -> Stored {
        let fields = [("weights".to_string(), self.weights.clone().into())];
        Stored { fields: fields.into_iter().collect(), tensors: Vec::new() }
    }
}

impl Mix for Weighted {
    fn mix(&self, pairs: Pairs<'_>, out: &mut [f64]) {
        out.fill(0.0);
        let mut terms: [(f64, &[f64]); 8] = [(0.0, &[]); 8];
        for (values, active) in pairs.values.chunks(8).zip(self.active.chunks(8)) {
            for ((term, values), m) in terms.iter_mut().zip(values).zip(active) {
                *term = (self.weights[*m], values);
            }
            simd::weighted_sum(&terms[..values.len()], out);
        }
    }
}
