//! A Gaussian process: the weighted sum Σ_m η_m k_m as its covariance, and how uncertain its values are.
//!
//! ```text
//! var f(x) = k(x, x) − ‖Sᵀk‖² + (o − eᵀk)²,      k = (k(x_1, x), …, k(x_n, x))
//! ```
//!
//! With V = K + Λ, Λ the variance of the noise of each instance: S = L^{−T} of V = LLᵀ, e = V⁻¹1/√(1ᵀV⁻¹1), o = 1/√(1ᵀV⁻¹1);
//! the last term is the uncertainty of the constant mean. Rows of S and e are those of the instances of training, all of
//! which a model keeps.

use super::{
    Combination, Entry, Mix, Pairs, Rule, Stored, Told, Uncertain, Weighted, reals, wrong,
};
use crate::data::Matrix;

/// The registry entry.
pub static ENTRY: Entry = Entry {
    id: ID,
    read: |fields, tensors| {
        let number = |name: &str| {
            let found = reals(fields, name)?;
            (found.len() == 1)
                .then(|| found[0])
                .ok_or_else(|| wrong(&format!("'{name}' is one number")))
        };
        let n = super::count(fields, "instances")?.unwrap_or(0);
        let values = tensors("roots", &[n, n + 1])?;
        Ok(Combination::new(Process {
            sum: Weighted::new(reals(fields, "weights")?),
            spread: Spread {
                roots: Matrix::new(n, n + 1, values)?,
                offset: number("offset")?,
                noise: number("noise")?,
            },
        }))
    },
};

const ID: &str = "gaussian_process";

/// How uncertain the values are.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// [S, e], n × (n + 1).
    pub roots: Matrix,
    /// o.
    pub offset: f64,
    /// Variance of the noise of an instance with weight 1.
    pub noise: f64,
}

impl Uncertain for Spread {
    fn columns(&self) -> &Matrix {
        &self.roots
    }

    fn heads(&self) -> usize {
        1
    }

    fn of_classes(&self) -> bool {
        false
    }

    fn wants_own(&self) -> bool {
        true
    }

    fn deviation(&self, told: Told<'_>) -> f64 {
        let (last, rest) = told.sums.split_last().map_or((0.0, told.sums), |(l, r)| (*l, r));
        let explained: f64 = rest.iter().map(|v| v * v).sum();
        let variance = (told.own - explained).max(0.0) + (self.offset - last).powi(2) + self.noise;
        variance.sqrt()
    }
}

/// The covariance, and the spread.
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    sum: Weighted,
    spread: Spread,
}

impl Process {
    /// η, one for each kernel, and the spread.
    pub fn rule(weights: Vec<f64>, spread: Spread) -> Combination {
        Combination::new(Process { sum: Weighted::new(weights), spread })
    }
}

impl Rule for Process {
    fn id(&self) -> &'static str {
        ID
    }

    fn kernels(&self) -> usize {
        self.sum.kernels()
    }

    fn active(&self) -> Vec<usize> {
        self.sum.active()
    }

    fn uses(&self) -> Vec<f64> {
        self.sum.uses()
    }

    fn weights(&self) -> Option<&[f64]> {
        self.sum.weights()
    }

    fn uncertain(&self) -> Option<&dyn Uncertain> {
        Some(&self.spread)
    }

    fn pointwise(&self) -> Option<&dyn Mix> {
        Some(self)
    }

    fn stored(&self) -> Stored {
        let mut stored = self.sum.stored();
        let n = self.spread.roots.rows();
        stored.fields.insert("instances".to_string(), n.into());
        stored.fields.insert("offset".to_string(), vec![self.spread.offset].into());
        stored.fields.insert("noise".to_string(), vec![self.spread.noise].into());
        stored.tensors.push(("roots".to_string(), self.spread.roots.clone()));
        stored
    }
}

impl Mix for Process {
    fn mix(&self, pairs: Pairs<'_>, out: &mut [f64]) {
        self.sum.mix(pairs, out);
    }
}
