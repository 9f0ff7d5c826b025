//! A kernel that is learned by a hyperkernel: k(x, z) = Σ_p β_p Π_m (1 − λ)/(1 − λ v_pm k_m(x, z)).
//!
//! Each term is a sum of products of powers of the kernels, with coefficients that are not negative: positive semi-definite
//! where they are. Kernel values above 1, which are not of kernels with unit diagonal, count as 1.

use super::{Combination, Entry, Mix, Pairs, Rule, Stored, count, nonzero, reals, wrong};
use cokernel_dense::simd;
use serde_json::{Map, Value};

/// The registry entry.
pub static ENTRY: Entry = Entry { id: ID, read: |fields, _| read(fields) };

const ID: &str = "hyperkernel";

/// Σ_p β_p Π_m (1 − λ)/(1 − λ v_pm k_m).
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperkernel {
    kernels: usize,
    decay: f64,
    weights: Vec<f64>,
    /// v, of each term those of all kernels.
    values: Vec<f64>,
    /// Σ_p β_p v_pm.
    uses: Vec<f64>,
    active: Vec<usize>,
}

impl Hyperkernel {
    /// λ in (0, 1), β and v (one line of `kernels` numbers from 0 to 1 for each β). Terms without a weight are left out.
    pub fn rule(kernels: usize, decay: f64, weights: &[f64], values: &[f64]) -> Combination {
        let terms = weights.iter().zip(values.chunks(kernels.max(1))).filter(|(w, _)| **w != 0.0);
        let (weights, lines): (Vec<f64>, Vec<&[f64]>) = terms.unzip();
        let mut uses = vec![0.0; kernels];
        for (weight, line) in weights.iter().zip(&lines) {
            uses.iter_mut().zip(*line).for_each(|(u, v)| *u += weight * v);
        }
        let values = lines.concat();
        let active = nonzero(&uses);
        Combination::new(Hyperkernel { kernels, decay, weights, values, uses, active })
    }
}

/// (1 − λ)/(1 − λ v k).
pub(crate) fn harmonic(decay: f64, value: f64, kernel: f64) -> f64 {
    (1.0 - decay) / (1.0 - decay * value * kernel.min(1.0))
}

fn read(fields: &Map<String, Value>) -> crate::Result<Combination> {
    let kernels = count(fields, "kernels")?.unwrap_or(0);
    let decay = fields.get("decay").and_then(Value::as_f64).filter(|d| *d > 0.0 && *d < 1.0);
    let Some(decay) = decay else { return Err(wrong("'decay' is not a number between 0 and 1")) };
    let (weights, values) = (reals(fields, "weights")?, reals(fields, "values")?);
    let fits = weights.len().checked_mul(kernels) == Some(values.len());
    let inside = values.iter().all(|v| (0.0..=1.0).contains(v)) && weights.iter().all(|w| *w > 0.0);
    if kernels == 0 || !fits || !inside {
        return Err(wrong("its terms do not fit together"));
    }
    Ok(Hyperkernel::rule(kernels, decay, &weights, &values))
}

impl Rule for Hyperkernel {
    fn id(&self) -> &'static str {
        ID
    }

    fn kernels(&self) -> usize {
        self.kernels
    }

    fn active(&self) -> Vec<usize> {
        self.active.clone()
    }

    fn uses(&self) -> Vec<f64> {
        self.uses.clone()
    }

    fn says(&self) -> &'static str {
        "relevance"
    }

    fn pointwise(&self) -> Option<&dyn Mix> {
        Some(self)
    }

    fn stored(&self) -> Stored {
        let fields = [
            ("kernels".to_string(), self.kernels.into()),
            ("decay".to_string(), self.decay.into()),
            ("weights".to_string(), self.weights.clone().into()),
            ("values".to_string(), self.values.clone().into()),
        ];
        Stored { fields: fields.into_iter().collect(), tensors: Vec::new() }
    }
}

impl Mix for Hyperkernel {
    fn mix(&self, pairs: Pairs<'_>, out: &mut [f64]) {
        let constant = (1.0 - self.decay).powi((self.kernels - self.active.len()) as i32);
        let mut term = vec![0.0; out.len()];
        out.fill(0.0);
        for (weight, line) in self.weights.iter().zip(self.values.chunks(self.kernels)) {
            term.fill(weight * constant);
            for (values, m) in pairs.values.iter().zip(&self.active) {
                simd::harmonic(&mut term, 1.0 - self.decay, self.decay * line[*m], values);
            }
            out.iter_mut().zip(&term).for_each(|(o, t)| *o += t);
        }
    }
}
