//! The product of powers k(x, z) = Π_m k_m(x, z)^γ_m; kernels with exponent 0 are not read.
//!
//! A power that is not whole is taken of values of at least 0 only; of a negative value it is not a
//! number, which the method that makes the rule has to rule out and prediction refuses.

use super::{Combination, Entry, Mix, Pairs, Rule, Stored, nonzero, reals};

/// The registry entry.
pub static ENTRY: Entry =
    Entry { id: ID, read: |fields, _| Ok(PowerProduct::rule(reals(fields, "exponents")?)) };

const ID: &str = "power_product";

/// Π_m k_m^γ_m.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerProduct {
    exponents: Vec<f64>,
    active: Vec<usize>,
}

impl PowerProduct {
    /// γ, one for each kernel.
    pub fn rule(exponents: Vec<f64>) -> Combination {
        Combination::new(PowerProduct { active: nonzero(&exponents), exponents })
    }
}

impl Rule for PowerProduct {
    fn id(&self) -> &'static str {
        ID
    }

    fn kernels(&self) -> usize {
        self.exponents.len()
    }

    fn active(&self) -> Vec<usize> {
        self.active.clone()
    }

    fn uses(&self) -> Vec<f64> {
        self.exponents.clone()
    }

    fn says(&self) -> &'static str {
        "exponent"
    }

    fn pointwise(&self) -> Option<&dyn Mix> {
        Some(self)
    }

    fn stored(&self) -> Stored {
        let fields = [("exponents".to_string(), self.exponents.clone().into())];
        Stored { fields: fields.into_iter().collect(), tensors: Vec::new() }
    }
}

impl Mix for PowerProduct {
    fn mix(&self, pairs: Pairs<'_>, out: &mut [f64]) {
        out.fill(1.0);
        for (values, m) in pairs.values.iter().zip(&self.active) {
            let exponent = self.exponents[*m];
            match exponent == exponent.round() && exponent.abs() <= 64.0 {
                true => {
                    let whole = exponent as i32;
                    out.iter_mut().zip(*values).for_each(|(o, v)| *o *= v.powi(whole));
                }
                false => out.iter_mut().zip(*values).for_each(|(o, v)| *o *= v.powf(exponent)),
            }
        }
    }
}
