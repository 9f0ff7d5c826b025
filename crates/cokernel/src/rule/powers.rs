//! A weighted sum of powers of kernels: k(x, z) = Σ_t η_t k_m(t)(x, z)^p_t, several powers of one kernel among them.
//!
//! Other powers than the first are taken of values of at least 0, as 0 where rounding has left less. A power of a Gaussian kernel is a Gaussian
//! kernel of another width.

use super::{Combination, Entry, Mix, Pairs, Rule, Stored, count, reals, wrong};
use crate::Result;
use serde_json::{Map, Value};

/// The registry entry.
pub static ENTRY: Entry = Entry { id: ID, read: |fields, _| read(fields) };

const ID: &str = "powers";

/// Σ_t η_t k_m(t)^p_t.
#[derive(Debug, Clone, PartialEq)]
pub struct Powers {
    kernels: usize,
    terms: Vec<Power>,
    active: Vec<usize>,
}

/// η k_m^p.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Power {
    /// m.
    pub kernel: usize,
    /// p > 0.
    pub exponent: f64,
    /// η ≥ 0.
    pub weight: f64,
}

impl Powers {
    /// Of M kernels; terms without a weight are left out.
    pub fn rule(kernels: usize, terms: &[Power]) -> Combination {
        let terms: Vec<Power> = terms.iter().copied().filter(|t| t.weight != 0.0).collect();
        let mut active: Vec<usize> = terms.iter().map(|t| t.kernel).collect();
        active.sort_unstable();
        active.dedup();
        Combination::new(Powers { kernels, terms, active })
    }
}

fn read(fields: &Map<String, Value>) -> Result<Combination> {
    let kernels = count(fields, "kernels")?.unwrap_or(0);
    let (of, exponents) = (reals(fields, "of")?, reals(fields, "exponents")?);
    let weights = reals(fields, "weights")?;
    let fits = of.len() == exponents.len() && of.len() == weights.len();
    let inside = of.iter().all(|m| *m >= 0.0 && *m < kernels as f64 && m.fract() == 0.0);
    if !fits || !inside || exponents.iter().any(|p| *p <= 0.0) {
        return Err(wrong("its terms do not fit together"));
    }
    let term =
        |t: usize| Power { kernel: of[t] as usize, exponent: exponents[t], weight: weights[t] };
    let terms: Vec<Power> = (0..of.len()).map(term).collect();
    Ok(Powers::rule(kernels, &terms))
}

impl Rule for Powers {
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
        let mut uses = vec![0.0; self.kernels];
        self.terms.iter().for_each(|t| uses[t.kernel] += t.weight);
        uses
    }

    fn pointwise(&self) -> Option<&dyn Mix> {
        Some(self)
    }

    fn stored(&self) -> Stored {
        let of = |f: fn(&Power) -> f64| self.terms.iter().map(f).collect::<Vec<f64>>();
        let fields = [
            ("kernels".to_string(), self.kernels.into()),
            ("of".to_string(), of(|t| t.kernel as f64).into()),
            ("exponents".to_string(), of(|t| t.exponent).into()),
            ("weights".to_string(), of(|t| t.weight).into()),
        ];
        Stored { fields: fields.into_iter().collect(), tensors: Vec::new() }
    }
}

impl Mix for Powers {
    fn mix(&self, pairs: Pairs<'_>, out: &mut [f64]) {
        out.fill(0.0);
        for term in &self.terms {
            let Ok(p) = self.active.binary_search(&term.kernel) else { continue };
            let (weight, exponent) = (term.weight, term.exponent);
            let each = out.iter_mut().zip(pairs.values[p]);
            match exponent == 1.0 {
                true => each.for_each(|(o, v)| *o += weight * v),
                false => each.for_each(|(o, v)| *o += weight * v.max(0.0).powf(exponent)),
            }
        }
    }
}
