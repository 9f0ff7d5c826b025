//! Kernels with weights that depend on the instance, from what its neighbours in training say of each kernel:
//!
//! ```text
//! k(x, z) = Σ_m √(η_m(x) η_m(z)) k_m(x, z),      η_m(x) = Σ_{l ∈ N(x)} s_lm / Σ_h Σ_{l ∈ N(x)} s_lh
//! ```
//!
//! (LMKA §2.2.2: k_η(x, z) = Σ_m η_m(x, z) k_m(x, z).) N(x) are the ν training instances nearest to x in what the weights
//! look at, an [`Input`]; s_lm ≥ 0 tells how good kernel m is at training instance l. Where every s is 0 near x, all
//! kernels weigh alike. With the same weights everywhere it is the weighted sum Σ_m η_m k_m; a geometric mean of two
//! weights keeps positive semi-definite kernels so.
//!
//! The model keeps the features of the training instances that the weights look at. `uses` are the mean weights over
//! them. Cost: n·D multiplications for each instance.

use super::gated::gated_sum;
use super::{Combination, Entry, Input, Mix, Pairs, Rule, Stored, Tensors, count, wrong};
use crate::Result;
use crate::data::{Matrix, Views};
use cokernel_dense::simd;
use rayon::prelude::*;
use serde_json::{Map, Value};

/// The registry entry.
pub static ENTRY: Entry = Entry { id: ID, read };

const ID: &str = "neighbours";

/// M kernels and how good each is at each training instance.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbours {
    input: Input,
    /// What the weights see of the training instances, one row each.
    features: Matrix,
    /// s, instances × kernels.
    goodness: Matrix,
    /// ν.
    nearest: usize,
    means: Vec<f64>,
}

impl Neighbours {
    /// The features of training instances (n × D) that the weights look at, and how good the kernels are there (n × M).
    ///
    /// # Errors
    /// As many features as the input has columns, numbers that are not negative, and 1 ≤ `nearest` ≤ n are expected.
    pub fn new(input: Input, features: Matrix, goodness: Matrix, nearest: usize) -> Result<Self> {
        let n = features.rows();
        if goodness.rows() != n || goodness.cols() == 0 || features.cols() != input.width() {
            return Err(wrong("the sizes of its neighbours do not fit"));
        }
        if !(1..=n).contains(&nearest) {
            return Err(wrong(&format!("{nearest} neighbours of {n} instances")));
        }
        if !goodness.values().iter().all(|s| *s >= 0.0 && s.is_finite()) {
            return Err(wrong("what its neighbours say is negative or no finite number"));
        }
        let means = vec![0.0; goodness.cols()];
        let mut rule = Neighbours { input, features, goodness, nearest, means };
        let weights = rule.of_rows(&rule.features);
        for i in 0..n {
            let row = weights.row(i).iter();
            rule.means.iter_mut().zip(row).for_each(|(m, w)| *m += w / n as f64);
        }
        Ok(rule)
    }

    /// η of these instances, n × M: not negative, with sum 1 in each row.
    ///
    /// # Errors
    /// The views are not those of training.
    pub fn weights(&self, views: &Views) -> Result<Matrix> {
        Ok(self.of_rows(&self.input.rows(views)?))
    }

    /// η of instances with these features.
    fn of_rows(&self, rows: &Matrix) -> Matrix {
        let m = self.goodness.cols();
        let mut out = Matrix::zeros(rows.rows(), m);
        out.values_mut().par_chunks_mut(m).enumerate().for_each(|(i, out)| {
            let own = rows.row(i);
            let mut order = Vec::with_capacity(self.features.rows());
            for l in 0..self.features.rows() {
                order.push((simd::squared_distance(own, self.features.row(l)), l));
            }
            // Of equal distances the first in the order of training.
            let by = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            if self.nearest < order.len() {
                order.select_nth_unstable_by(self.nearest, by);
                order.truncate(self.nearest);
            }
            order.sort_unstable_by_key(|o| o.1);
            for (_, l) in order {
                out.iter_mut().zip(self.goodness.row(l)).for_each(|(o, s)| *o += s);
            }
            let sum: f64 = out.iter().sum();
            match sum > 0.0 {
                true => out.iter_mut().for_each(|o| *o /= sum),
                false => out.fill(1.0 / m as f64),
            }
        });
        out
    }
}

impl Rule for Neighbours {
    fn id(&self) -> &'static str {
        ID
    }

    fn kernels(&self) -> usize {
        self.goodness.cols()
    }

    /// All: far from the training instances any of them can be wanted.
    fn active(&self) -> Vec<usize> {
        (0..self.kernels()).collect()
    }

    fn uses(&self) -> Vec<f64> {
        self.means.clone()
    }

    fn says(&self) -> &'static str {
        "mean weight"
    }

    fn views(&self) -> Vec<String> {
        self.input.views()
    }

    fn pointwise(&self) -> Option<&dyn Mix> {
        Some(self)
    }

    fn stored(&self) -> Stored {
        let Stored { mut fields, mut tensors } = self.input.stored();
        fields.extend([
            ("kernels".to_string(), self.kernels().into()),
            ("instances".to_string(), self.features.rows().into()),
            ("nearest".to_string(), self.nearest.into()),
        ]);
        tensors.push(("features".to_string(), self.features.clone()));
        tensors.push(("goodness".to_string(), self.goodness.clone()));
        Stored { fields, tensors }
    }
}

impl Mix for Neighbours {
    fn mix(&self, pairs: Pairs<'_>, out: &mut [f64]) {
        gated_sum(pairs, 1, out);
    }

    fn per_instance(&self) -> usize {
        self.kernels()
    }

    /// √η.
    fn numbers(&self, views: &Views) -> Result<Option<Matrix>> {
        let mut weights = self.weights(views)?;
        weights.values_mut().iter_mut().for_each(|w| *w = w.sqrt());
        Ok(Some(weights))
    }
}

/// The rule of a file; nothing in it is trusted.
fn read(fields: &Map<String, Value>, tensors: &Tensors<'_>) -> Result<Combination> {
    let size = |name: &str| count(fields, name)?.ok_or_else(|| wrong(&format!("no '{name}'")));
    let (kernels, n, nearest) = (size("kernels")?, size("instances")?, size("nearest")?);
    let input = Input::read(fields, tensors)?;
    let wide = input.width();
    let features = Matrix::new(n, wide, tensors("features", &[n, wide])?)?;
    let goodness = Matrix::new(n, kernels, tensors("goodness", &[n, kernels])?)?;
    Ok(Combination::new(Neighbours::new(input, features, goodness, nearest)?))
}
