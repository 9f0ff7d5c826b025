//! Classes by normal latent values: the weighted sum Σ_m η_m k_m, and how uncertain the values of its decision functions
//! are.
//!
//! ```text
//! f_u(x) ~ N(m_u(x), v_u(x)),     v_u(x) = ‖o_u + S_uᵀk‖²     or     k(x, x) − ‖S_uᵀk‖²
//! ```
//!
//! with k = (k(x_1, x), …, k(x_n, x)) and m_u the value of the decision function. What follows for the classes:
//!
//! | link | two classes, one function | several, a function for each |
//! |---|---|---|
//! | `logit` | E 1/(1 + exp(−f)) | the same of each against the rest, divided by their sum |
//! | `probit` | Φ(m/√(1 + v)) | P(f_c + ε_c is the largest), ε ~ N(0, 1), all independent |

use super::uncertain::{normalized, two};
use super::{
    Combination, Entry, Mix, Pairs, Rule, Stored, Told, Uncertain, Weighted, count, reals, wrong,
};
use crate::data::Matrix;
use crate::solve::normal::{log_cdf, log_largest, mean_logistic};
use serde_json::{Map, Value};

/// The registry entry.
pub static ENTRY: Entry = Entry {
    id: ID,
    read: |fields, tensors| {
        let n = count(fields, "instances")?.unwrap_or(0);
        let heads = count(fields, "heads")?.filter(|h| *h > 0);
        let heads = heads.ok_or_else(|| wrong("it has no decision function"))?;
        let remains = matches!(fields.get("remains"), Some(Value::Bool(true)));
        let width = count(fields, "width")?.unwrap_or(0);
        let columns = width.checked_mul(heads).ok_or_else(|| wrong("'heads' is too large"))?;
        let roots = Matrix::new(n, columns, tensors("roots", &[n, columns])?)?;
        let offsets = match remains {
            true => Vec::new(),
            false => tensors("offsets", &[1, columns])?,
        };
        let values = Values { link: Link::read(fields)?, heads, remains, offsets, roots };
        Ok(Combination::new(Latent { sum: Weighted::new(reals(fields, "weights")?), values }))
    },
};

const ID: &str = "latent_normal";

/// How latent values become probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// The logistic function.
    Logit,
    /// The distribution function of the normal distribution; the largest of several.
    Probit,
}

impl Link {
    fn id(self) -> &'static str {
        match self {
            Link::Logit => "logit",
            Link::Probit => "probit",
        }
    }

    fn read(fields: &Map<String, Value>) -> crate::Result<Self> {
        match fields.get("link").and_then(Value::as_str) {
            Some("logit") => Ok(Link::Logit),
            Some("probit") => Ok(Link::Probit),
            _ => Err(wrong("'link' is neither logit nor probit")),
        }
    }
}

/// The distributions of the latent values.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// How they become probabilities.
    pub link: Link,
    /// Number of decision functions.
    pub heads: usize,
    /// Whether the sums are what k(x, x) is diminished by.
    pub remains: bool,
    /// o of one function after the other; empty where the variance is what remains.
    pub offsets: Vec<f64>,
    /// S of one function beside the other.
    pub roots: Matrix,
}

impl Values {
    fn variance(&self, u: usize, told: Told<'_>) -> f64 {
        let width = self.roots.cols() / self.heads;
        let own = u * width..(u + 1) * width;
        let sums = &told.sums[own.clone()];
        if self.remains {
            return (told.own - sums.iter().map(|v| v * v).sum::<f64>()).max(0.0);
        }
        sums.iter().zip(&self.offsets[own]).map(|(v, o)| (v + o).powi(2)).sum()
    }
}

impl Uncertain for Values {
    fn columns(&self) -> &Matrix {
        &self.roots
    }

    fn heads(&self) -> usize {
        self.heads
    }

    fn of_classes(&self) -> bool {
        true
    }

    fn wants_own(&self) -> bool {
        self.remains
    }

    fn probabilities(&self, told: Told<'_>, out: &mut [f64]) {
        let variance = |u: usize| self.variance(u, told);
        match (self.link, told.decisions) {
            (Link::Logit, [m]) => {
                let second = mean_logistic(*m, variance(0).sqrt());
                let first = mean_logistic(-*m, variance(0).sqrt());
                (out[0], out[1]) = (first / (first + second), second / (first + second));
            }
            (Link::Probit, [m]) => {
                let z = m / (1.0 + variance(0)).sqrt();
                two(log_cdf(z), log_cdf(-z), out);
            }
            (Link::Logit, values) => {
                for (u, m) in values.iter().enumerate() {
                    out[u] = mean_logistic(*m, variance(u).sqrt());
                }
                let sum: f64 = out.iter().sum();
                let equal = 1.0 / out.len() as f64;
                out.iter_mut().for_each(|p| *p = if sum > 0.0 { *p / sum } else { equal });
            }
            (Link::Probit, values) => {
                let scales: Vec<f64> =
                    (0..values.len()).map(|u| (1.0 + variance(u)).sqrt()).collect();
                for (u, p) in out.iter_mut().enumerate() {
                    *p = log_largest(values, &scales, u, None);
                }
                normalized(out);
            }
        }
    }
}

/// The sum, and the distributions.
#[derive(Debug, Clone, PartialEq)]
pub struct Latent {
    sum: Weighted,
    values: Values,
}

impl Latent {
    /// η, one for each kernel, and the distributions.
    pub fn rule(weights: Vec<f64>, values: Values) -> Combination {
        Combination::new(Latent { sum: Weighted::new(weights), values })
    }
}

impl Rule for Latent {
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
        Some(&self.values)
    }

    fn pointwise(&self) -> Option<&dyn Mix> {
        Some(self)
    }

    fn stored(&self) -> Stored {
        let mut stored = self.sum.stored();
        let Values { link, heads, remains, offsets, roots } = &self.values;
        stored.fields.insert("instances".to_string(), roots.rows().into());
        stored.fields.insert("heads".to_string(), (*heads).into());
        stored.fields.insert("width".to_string(), (roots.cols() / heads).into());
        stored.fields.insert("link".to_string(), link.id().into());
        stored.fields.insert("remains".to_string(), (*remains).into());
        stored.tensors.push(("roots".to_string(), roots.clone()));
        if !remains {
            let row = Matrix::from_fn(1, offsets.len(), |_, j| offsets[j]);
            stored.tensors.push(("offsets".to_string(), row));
        }
        stored
    }
}

impl Mix for Latent {
    fn mix(&self, pairs: Pairs<'_>, out: &mut [f64]) {
        self.sum.mix(pairs, out);
    }
}
