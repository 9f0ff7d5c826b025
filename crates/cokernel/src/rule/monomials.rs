//! A sum of products of kernels with weights: k(x, z) = Σ_t w_t Π_{m in t} k_m(x, z).

use super::{Combination, Entry, Mix, Pairs, Rule, Stored, reals, wrong};
use serde_json::Value;

/// The registry entry.
pub static ENTRY: Entry = Entry {
    id: ID,
    read: |fields, _| {
        let kernels = super::count(fields, "kernels")?.unwrap_or(0);
        let factor = |v: &Value| v.as_u64().and_then(|m| u32::try_from(m).ok());
        let term = |v: &Value| v.as_array()?.iter().map(factor).collect::<Option<Vec<u32>>>();
        let list = fields.get("terms").and_then(Value::as_array);
        let terms: Option<Vec<Vec<u32>>> = list.and_then(|l| l.iter().map(term).collect());
        let weights = reals(fields, "weights")?;
        let known = |t: &Vec<u32>| !t.is_empty() && t.iter().all(|m| (*m as usize) < kernels);
        match terms.filter(|t| t.len() == weights.len() && t.iter().all(known)) {
            Some(terms) => Ok(Monomials::rule(kernels, terms, weights)),
            None => {
                Err(wrong("expected 'terms' of kernels that there are, one for each of 'weights'"))
            }
        }
    },
};

const ID: &str = "monomials";

/// Σ_t w_t Π_{m in t} k_m.
#[derive(Debug, Clone, PartialEq)]
pub struct Monomials {
    kernels: usize,
    terms: Vec<Vec<u32>>,
    weights: Vec<f64>,
    active: Vec<usize>,
}

impl Monomials {
    /// Of M kernels: the kernels of each product, with repetitions, and the weights; products of weight 0 are left out.
    pub fn new(kernels: usize, terms: Vec<Vec<u32>>, weights: Vec<f64>) -> Self {
        let kept = terms.into_iter().zip(weights).filter(|(_, w)| *w != 0.0);
        let (terms, weights): (Vec<Vec<u32>>, Vec<f64>) = kept.unzip();
        let mut active: Vec<usize> = terms.iter().flatten().map(|m| *m as usize).collect();
        active.sort_unstable();
        active.dedup();
        Monomials { kernels, terms, weights, active }
    }

    /// The same as a combination.
    pub fn rule(kernels: usize, terms: Vec<Vec<u32>>, weights: Vec<f64>) -> Combination {
        Combination::new(Monomials::new(kernels, terms, weights))
    }

    /// The kernels of each product.
    pub fn terms(&self) -> &[Vec<u32>] {
        &self.terms
    }
}

impl Rule for Monomials {
    fn id(&self) -> &'static str {
        ID
    }

    fn kernels(&self) -> usize {
        self.kernels
    }

    fn active(&self) -> Vec<usize> {
        self.active.clone()
    }

    /// The weights of the products that each kernel is in, each divided among its factors.
    fn uses(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.kernels];
        for (term, weight) in self.terms.iter().zip(&self.weights) {
            term.iter().for_each(|m| shares[*m as usize] += weight / term.len() as f64);
        }
        shares
    }

    fn pointwise(&self) -> Option<&dyn Mix> {
        Some(self)
    }

    fn stored(&self) -> Stored {
        let fields = [
            ("kernels".to_string(), self.kernels.into()),
            ("terms".to_string(), self.terms.clone().into()),
            ("weights".to_string(), self.weights.clone().into()),
        ];
        Stored { fields: fields.into_iter().collect(), tensors: Vec::new() }
    }
}

impl Mix for Monomials {
    fn mix(&self, pairs: Pairs<'_>, out: &mut [f64]) {
        out.fill(0.0);
        let mut place = vec![0; self.kernels];
        self.active.iter().enumerate().for_each(|(k, m)| place[*m] = k);
        let of = |m: &u32| pairs.values[place[*m as usize]];
        let mut product = vec![0.0; out.len()];
        for (term, weight) in self.terms.iter().zip(&self.weights) {
            product.fill(*weight);
            for values in term.iter().map(of) {
                product.iter_mut().zip(values).for_each(|(p, v)| *p *= v);
            }
            out.iter_mut().zip(&product).for_each(|(o, p)| *o += p);
        }
    }
}
