//! Draws of a posterior: coefficients of instances and weights of kernels that belong together, one pair of them for each
//! draw.
//!
//! ```text
//! f_us(x) = b_us + Σ_m η_ms Σ_i w_ius k_m(x_i, x)     draw s, function u
//! P(c) = 1/S Σ_s P(f_cs(x) + ε_c is the largest),     ε ~ N(0, 1)
//! ```
//!
//! The decision functions are the means over the draws, which have coefficients for every kernel. Two classes have one
//! function, and P = 1/S Σ_s Φ(f_s(x)). (Damoulas and Girolami, Bioinformatics 24, 2008, (8).)

use super::{Combination, Entry, Mix, Rule, Stored, Told, Uncertain, count, nonzero, reals, wrong};
use crate::data::Matrix;
use crate::solve::normal::{add_largest, log_cdf};

/// The registry entry.
pub static ENTRY: Entry = Entry {
    id: ID,
    read: |fields, tensors| {
        let n = count(fields, "instances")?.unwrap_or(0);
        let heads = count(fields, "heads")?.filter(|h| *h > 0);
        let heads = heads.ok_or_else(|| wrong("it has no decision function"))?;
        let shares = reals(fields, "shares")?;
        let active = nonzero(&shares).len();
        let draws = count(fields, "draws")?.filter(|d| *d > 0);
        let draws = draws.ok_or_else(|| wrong("it has no draws"))?;
        let columns = draws.checked_mul(heads).ok_or_else(|| wrong("'draws' is too large"))?;
        let values = Draws {
            heads,
            coef: Matrix::new(n, columns, tensors("draws.coef", &[n, columns])?)?,
            biases: Matrix::new(draws, heads, tensors("draws.biases", &[draws, heads])?)?,
            weights: Matrix::new(draws, active, tensors("draws.weights", &[draws, active])?)?,
        };
        Ok(Combination::new(Sampled { shares, values }))
    },
};

const ID: &str = "sampled";

/// The draws.
#[derive(Debug, Clone, PartialEq)]
pub struct Draws {
    /// Number of decision functions.
    pub heads: usize,
    /// w, instances × (functions of one draw after the other).
    pub coef: Matrix,
    /// b, draws × functions.
    pub biases: Matrix,
    /// η of the active kernels, draws × kernels.
    pub weights: Matrix,
}

impl Uncertain for Draws {
    fn columns(&self) -> &Matrix {
        &self.coef
    }

    fn heads(&self) -> usize {
        self.heads
    }

    fn of_classes(&self) -> bool {
        true
    }

    fn apart(&self) -> bool {
        true
    }

    fn probabilities(&self, told: Told<'_>, out: &mut [f64]) {
        let (draws, columns) = (self.biases.rows(), self.coef.cols());
        out.fill(0.0);
        for s in 0..draws {
            let value = |u: usize| {
                let sums = told.sums.chunks(columns).zip(self.weights.row(s));
                let of_kernels = sums.map(|(sums, eta)| eta * sums[s * self.heads + u]);
                self.biases.get(s, u) + of_kernels.sum::<f64>()
            };
            if self.heads == 1 {
                let f = value(0);
                out[0] += log_cdf(-f).exp();
                out[1] += log_cdf(f).exp();
                continue;
            }
            let values: Vec<f64> = (0..self.heads).map(value).collect();
            add_largest(&values, out);
        }
        let sum: f64 = out.iter().sum();
        out.iter_mut().for_each(|p| *p /= sum);
    }
}

/// The mean weights, and the draws.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampled {
    shares: Vec<f64>,
    values: Draws,
}

impl Sampled {
    /// The mean weight of each kernel, and the draws.
    pub fn rule(shares: Vec<f64>, values: Draws) -> Combination {
        Combination::new(Sampled { shares, values })
    }
}

impl Rule for Sampled {
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

    fn uncertain(&self) -> Option<&dyn Uncertain> {
        Some(&self.values)
    }

    fn pointwise(&self) -> Option<&dyn Mix> {
        None
    }

    fn stored(&self) -> Stored {
        let Draws { heads, coef, biases, weights } = &self.values;
        let fields = [
            ("shares".to_string(), self.shares.clone().into()),
            ("instances".to_string(), coef.rows().into()),
            ("heads".to_string(), (*heads).into()),
            ("draws".to_string(), biases.rows().into()),
        ];
        let tensors = vec![
            ("draws.coef".to_string(), coef.clone()),
            ("draws.biases".to_string(), biases.clone()),
            ("draws.weights".to_string(), weights.clone()),
        ];
        Stored { fields: fields.into_iter().collect(), tensors }
    }
}
