//! A power of a weighted sum: k(x, z) = (c + Σ_m μ_m k_m(x, z))^d, all products of d kernels with their weights, and with
//! a constant c > 0 those of fewer.

use super::{Combination, Entry, Mix, Pairs, Rule, Stored, count, nonzero, reals, wrong};

/// The registry entry.
pub static ENTRY: Entry = Entry {
    id: ID,
    read: |fields, _| {
        let degree = count(fields, "degree")?.and_then(|d| u32::try_from(d).ok());
        match degree.filter(|d| (1..=LARGEST).contains(d)) {
            Some(degree) => {
                let rule = Polynomial::new(reals(fields, "weights")?, degree);
                let constant = match fields.get("constant") {
                    None => 0.0,
                    Some(c) => c
                        .as_f64()
                        .filter(|c| c.is_finite() && *c >= 0.0)
                        .ok_or_else(|| wrong("'constant' is not a finite number of at least 0"))?,
                };
                Ok(Combination::new(rule.with_constant(constant)))
            }
            None => Err(wrong(&format!("'degree' is not a whole number from 1 to {LARGEST}"))),
        }
    },
};

const ID: &str = "polynomial";

/// Largest degree.
pub(crate) const LARGEST: u32 = 16;

/// (c + Σ_m μ_m k_m)^d.
#[derive(Debug, Clone, PartialEq)]
pub struct Polynomial {
    weights: Vec<f64>,
    active: Vec<usize>,
    degree: u32,
    constant: f64,
}

impl Polynomial {
    /// μ, one for each kernel, and d.
    pub fn new(weights: Vec<f64>, degree: u32) -> Self {
        Polynomial { active: nonzero(&weights), weights, degree, constant: 0.0 }
    }

    /// The same with c.
    #[must_use]
    pub fn with_constant(self, constant: f64) -> Self {
        Polynomial { constant, ..self }
    }

    /// The same as a combination.
    pub fn rule(weights: Vec<f64>, degree: u32) -> Combination {
        Combination::new(Polynomial::new(weights, degree))
    }
}

impl Rule for Polynomial {
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

    fn pointwise(&self) -> Option<&dyn Mix> {
        Some(self)
    }

    fn stored(&self) -> Stored {
        let mut fields = vec![
            ("weights".to_string(), self.weights.clone().into()),
            ("degree".to_string(), self.degree.into()),
        ];
        if self.constant != 0.0 {
            fields.push(("constant".to_string(), self.constant.into()));
        }
        Stored { fields: fields.into_iter().collect(), tensors: Vec::new() }
    }
}

impl Mix for Polynomial {
    fn mix(&self, pairs: Pairs<'_>, out: &mut [f64]) {
        out.fill(self.constant);
        for (values, m) in pairs.values.iter().zip(&self.active) {
            let weight = self.weights[*m];
            out.iter_mut().zip(*values).for_each(|(o, v)| *o += weight * v);
        }
        out.iter_mut().for_each(|o| *o = o.powi(self.degree as i32));
    }
}
