//! The product k(x, z) = Π_m k_m(x, z) over all kernels.

use super::{Combination, Entry, Mix, Pairs, Rule, Stored, count, wrong};

/// The registry entry. Files of early versions do not say how many kernels there are: those that the
/// model lists.
pub static ENTRY: Entry = Entry {
    id: ID,
    read: |fields, _| match count(fields, "kernels")? {
        Some(kernels) => Ok(Product::rule(kernels)),
        None => Err(wrong("expected the number of kernels of a product")),
    },
};

const ID: &str = "product";

/// Π_m k_m.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    kernels: usize,
}

impl Product {
    /// Of so many kernels.
    pub fn new(kernels: usize) -> Self {
        Product { kernels }
    }

    /// The same, to be shared.
    pub fn rule(kernels: usize) -> Combination {
        Combination::new(Product { kernels })
    }
}

impl Rule for Product {
    fn id(&self) -> &'static str {
        ID
    }

    fn kernels(&self) -> usize {
        self.kernels
    }

    fn active(&self) -> Vec<usize> {
        (0..self.kernels).collect()
    }

    fn uses(&self) -> Vec<f64> {
        vec![1.0; self.kernels]
    }

    fn says(&self) -> &'static str {
        "exponent"
    }

    fn pointwise(&self) -> Option<&dyn Mix> {
        Some(self)
    }

    fn stored(&self) -> Stored {
        let fields = [("kernels".to_string(), self.kernels.into())];
        Stored { fields: fields.into_iter().collect(), tensors: Vec::new() }
    }
}

impl Mix for Product {
    fn mix(&self, pairs: Pairs<'_>, out: &mut [f64]) {
        out.fill(1.0);
        for values in pairs.values {
            out.iter_mut().zip(*values).for_each(|(o, v)| *o *= v);
        }
    }
}
