//! Bayesian efficient multiple kernel learning: f_u(x) = Σ_m e_m g_mu(x) + b_u with g_mu(x) = Σ_i a_iu k_m(x_i, x), and the
//! covariance of e and the b.
//!
//! ```text
//! f_u(x) ~ N(m_u(x), v_u(x)),     v_u = σ² + zᵀ Cov(b_u, e) z,     z = (1, g_1u(x), …, g_Mu(x))
//! P(+) = Φ((m − ν)/√v) / (Φ((m − ν)/√v) + Φ((−m − ν)/√v))
//! ```
//!
//! with ν the margin and σ² = 1 for classes (several: P(+) of each, divided by their sum), σ² the variance of the noise for
//! numbers. (Gönen, ICML 2012, §3; how uncertain the a are is not a part of the source's predictions.)

use super::uncertain::{normalized, two};
use super::{
    Combination, Entry, Mix, Pairs, Rule, Stored, Told, Uncertain, Weighted, count, reals, wrong,
};
use crate::data::Matrix;
use crate::solve::normal::log_cdf;

/// The registry entry.
pub static ENTRY: Entry = Entry {
    id: ID,
    read: |fields, tensors| {
        let number = |name: &str| match reals(fields, name)?[..] {
            [one] => Ok(one),
            _ => Err(wrong(&format!("'{name}' is one number"))),
        };
        let n = count(fields, "instances")?.unwrap_or(0);
        let heads = count(fields, "heads")?.filter(|h| *h > 0 && *h <= u32::MAX as usize);
        let heads = heads.ok_or_else(|| wrong("it has no decision function"))?;
        let sum = Weighted::new(reals(fields, "weights")?);
        let size = heads + sum.active().len();
        let margin = match fields.get("margin") {
            Some(_) => Some(number("margin")?),
            None => None,
        };
        let values = Parts {
            coef: Matrix::new(n, heads, tensors("parts", &[n, heads])?)?,
            covariance: Matrix::new(size, size, tensors("covariance", &[size, size])?)?,
            noise: number("noise")?,
            margin,
        };
        Ok(Combination::new(Margins { sum, values }))
    },
};

const ID: &str = "bemkl";

/// How uncertain the values are.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// a, instances × functions.
    pub coef: Matrix,
    /// That of the b, then of the e of the active kernels.
    pub covariance: Matrix,
    /// σ².
    pub noise: f64,
    /// ν; `None` for numbers.
    pub margin: Option<f64>,
}

impl Parts {
    fn variance(&self, u: usize, told: Told<'_>) -> f64 {
        let heads = self.coef.cols();
        let value = |j: usize| told.sums.get(j * heads + u).copied().unwrap_or(0.0);
        let kernels = self.covariance.rows() - heads;
        let z: Vec<(usize, f64)> =
            std::iter::once((u, 1.0)).chain((0..kernels).map(|j| (heads + j, value(j)))).collect();
        let row = |i: &usize| z.iter().map(|(j, v)| v * self.covariance.get(*i, *j)).sum::<f64>();
        self.noise + z.iter().map(|(i, v)| v * row(i)).sum::<f64>().max(0.0)
    }
}

impl Uncertain for Parts {
    fn columns(&self) -> &Matrix {
        &self.coef
    }

    fn heads(&self) -> usize {
        self.coef.cols()
    }

    fn of_classes(&self) -> bool {
        self.margin.is_some()
    }

    fn apart(&self) -> bool {
        true
    }

    fn deviation(&self, told: Told<'_>) -> f64 {
        self.variance(0, told).sqrt()
    }

    fn probabilities(&self, told: Told<'_>, out: &mut [f64]) {
        let Some(margin) = self.margin else { return };
        let sides = |u: usize| {
            let (m, s) = (told.decisions[u], self.variance(u, told).sqrt());
            (log_cdf((m - margin) / s), log_cdf((-m - margin) / s))
        };
        if let [_] = told.decisions {
            let (second, first) = sides(0);
            two(second, first, out);
            return;
        }
        for (u, p) in out.iter_mut().enumerate() {
            // ln P(+) = −ln(1 + e^{first − second})
            let (own, rest) = sides(u);
            *p = if rest > own {
                own - rest - (own - rest).exp().ln_1p()
            } else {
                -(rest - own).exp().ln_1p()
            };
        }
        normalized(out);
    }
}

/// The sum, and how uncertain it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Margins {
    sum: Weighted,
    values: Parts,
}

impl Margins {
    /// e, one for each kernel, and how uncertain the values are.
    pub fn rule(weights: Vec<f64>, values: Parts) -> Combination {
        Combination::new(Margins { sum: Weighted::new(weights), values })
    }
}

impl Rule for Margins {
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
        let Parts { coef, covariance, noise, margin } = &self.values;
        stored.fields.insert("instances".to_string(), coef.rows().into());
        stored.fields.insert("heads".to_string(), coef.cols().into());
        stored.fields.insert("noise".to_string(), vec![*noise].into());
        if let Some(margin) = margin {
            stored.fields.insert("margin".to_string(), vec![*margin].into());
        }
        stored.tensors.push(("parts".to_string(), coef.clone()));
        stored.tensors.push(("covariance".to_string(), covariance.clone()));
        stored
    }
}

impl Mix for Margins {
    fn mix(&self, pairs: Pairs<'_>, out: &mut [f64]) {
        self.sum.mix(pairs, out);
    }
}
