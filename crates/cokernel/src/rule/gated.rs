//! Kernels with weights that depend on the instance:
//!
//! ```text
//! k(x, z) = Σ_m Σ_p η_mp(x) k_m(x, z) η_mp(z),      η_mp(x) = f_mp g_mp(x)
//! ```
//!
//! (Gönen & Alpaydın 2008; LMKA (3.9)), with [gates](super::gate) g of features of the instance alone, a factor f,
//! which is 1 unless a method weighs gates, and p the copies of kernel m, if it has several. What the gates look at is an
//! [`Input`].
//!
//! A kernel none of whose gates is open at a training instance is not read. `uses` are the means of the gates over the
//! training instances, summed over the copies.

use super::gate::{Gate, Shape};
use super::{
    Combination, Entry, Input, Mix, Pairs, Rule, Stored, Tensors, count, nonzero, reals, wrong,
};
use crate::Result;
use crate::data::{Matrix, Views};
use cokernel_dense::simd;
use serde_json::{Map, Value};

/// The registry entry.
pub static ENTRY: Entry = Entry { id: ID, read };

const ID: &str = "gated";

/// Gates that are added up at a time.
const TOGETHER: usize = 9;

/// M kernels with one gate or several for each.
#[derive(Debug, Clone, PartialEq)]
pub struct Gated {
    gate: Gate,
    input: Input,
    /// What the value of each gate is multiplied by.
    factors: Vec<f64>,
    /// The mean of each gate over the training instances; 0 for a kernel that is not read.
    means: Vec<f64>,
    /// Gates of each kernel, one kernel after the other.
    copies: usize,
    active: Vec<usize>,
}

impl Gated {
    /// Gates of M kernels, those of a kernel one after the other, and their values at the training instances
    /// (n × gates).
    ///
    /// # Errors
    /// As many features as columns and the same number of gates for each kernel are expected.
    pub fn new(gate: Gate, input: Input, kernels: usize, training: &Matrix) -> Result<Self> {
        let factors = vec![1.0; gate.count()];
        Self::with_means(gate, input, kernels, (factors, column_means(training)))
    }

    /// The same with a factor for each gate, which `training` does not have yet.
    ///
    /// # Errors
    /// As [`new`](Self::new); a factor that is negative or no finite number.
    pub fn with_factors(
        gate: Gate,
        input: Input,
        kernels: usize,
        factors: Vec<f64>,
        training: &Matrix,
    ) -> Result<Self> {
        let means = column_means(training).iter().zip(&factors).map(|(m, f)| m * f).collect();
        Self::with_means(gate, input, kernels, (factors, means))
    }

    pub(super) fn with_means(
        gate: Gate,
        input: Input,
        kernels: usize,
        (factors, means): (Vec<f64>, Vec<f64>),
    ) -> Result<Self> {
        let gates = gate.count();
        let sizes = means.len() == gates && factors.len() == gates;
        if kernels == 0 || !gates.is_multiple_of(kernels) || !sizes {
            return Err(wrong(&format!("{gates} gates of {kernels} kernels")));
        }
        if !factors.iter().all(|f| *f >= 0.0 && f.is_finite()) {
            return Err(wrong("a factor of a gate is negative or no finite number"));
        }
        if gate.features() != input.width() {
            let (sees, columns) = (gate.features(), input.width());
            return Err(wrong(&format!("gates of {sees} features look at {columns} columns")));
        }
        let copies = gates / kernels;
        let sums: Vec<f64> = means.chunks(copies).map(|c| c.iter().sum()).collect();
        Ok(Gated { gate, input, factors, means, copies, active: nonzero(&sums) })
    }

    /// The gates.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// What they look at.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// How many gates each kernel has.
    pub fn copies(&self) -> usize {
        self.copies
    }

    /// The mean of each gate over the training instances.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// Of all gates of instances those of the kernels that are read.
    pub(crate) fn read_of(&self, all: Matrix) -> Matrix {
        if self.active.len() == self.kernels() {
            return all;
        }
        let own = |m: &usize| m * self.copies..(m + 1) * self.copies;
        let gates: Vec<usize> = self.active.iter().flat_map(own).collect();
        all.select_cols(&gates)
    }

    /// All gates of these instances times their factors, n × gates, those of a kernel one after the other.
    ///
    /// # Errors
    /// The views are not those of training.
    pub fn gates(&self, views: &Views) -> Result<Matrix> {
        Ok(self.values(&self.input.rows(views)?))
    }

    /// The same of instances with these features.
    pub(super) fn values(&self, features: &Matrix) -> Matrix {
        let mut gates = self.gate.values(features);
        if self.factors.iter().any(|f| *f != 1.0) {
            let rows = gates.values_mut().chunks_mut(self.factors.len());
            rows.for_each(|row| row.iter_mut().zip(&self.factors).for_each(|(g, f)| *g *= f));
        }
        gates
    }
}

fn column_means(table: &Matrix) -> Vec<f64> {
    let n = table.rows().max(1) as f64;
    let mean = |g: usize| (0..table.rows()).map(|i| table.get(i, g)).sum::<f64>() / n;
    (0..table.cols()).map(mean).collect()
}

impl Rule for Gated {
    fn id(&self) -> &'static str {
        ID
    }

    fn kernels(&self) -> usize {
        self.gate.count() / self.copies
    }

    fn active(&self) -> Vec<usize> {
        self.active.clone()
    }

    fn uses(&self) -> Vec<f64> {
        self.means.chunks(self.copies).map(|c| c.iter().sum()).collect()
    }

    fn says(&self) -> &'static str {
        "mean gate"
    }

    fn views(&self) -> Vec<String> {
        self.input.views()
    }

    fn pointwise(&self) -> Option<&dyn Mix> {
        Some(self)
    }

    fn gated(&self) -> Option<&Gated> {
        Some(self)
    }

    fn stored(&self) -> Stored {
        let Stored { mut fields, mut tensors } = self.input.stored();
        fields.extend([
            ("gate".to_string(), self.gate.shape().id().into()),
            ("kernels".to_string(), self.kernels().into()),
            ("means".to_string(), self.means.clone().into()),
            ("factors".to_string(), self.factors.clone().into()),
        ]);
        tensors.push(("parameters".to_string(), self.gate.parameters().clone()));
        Stored { fields, tensors }
    }
}

/// Σ_g own_g · value of its kernel · other_g of each pair, with so many numbers for each kernel.
pub(super) fn gated_sum(pairs: Pairs<'_>, copies: usize, out: &mut [f64]) {
    out.fill(0.0);
    // The numbers are those of the kernels that are read.
    let open = pairs.own.iter().enumerate().filter(|(_, own)| **own != 0.0);
    let mut terms: [simd::Gated<'_>; TOGETHER] = [(0.0, &[], &[]); TOGETHER];
    let mut filled = 0;
    for (g, own) in open {
        terms[filled] = (*own, pairs.others[g], pairs.values[g / copies]);
        filled += 1;
        if filled == TOGETHER {
            simd::gated_sum(&terms, out);
            filled = 0;
        }
    }
    simd::gated_sum(&terms[..filled], out);
}

impl Mix for Gated {
    fn mix(&self, pairs: Pairs<'_>, out: &mut [f64]) {
        gated_sum(pairs, self.copies, out);
    }

    fn per_instance(&self) -> usize {
        self.active.len() * self.copies
    }

    /// The gates of the kernels that are read.
    fn numbers(&self, views: &Views) -> Result<Option<Matrix>> {
        Ok(Some(self.read_of(self.gates(views)?)))
    }
}

/// The rule of a file; nothing in it is trusted.
fn read(fields: &Map<String, Value>, tensors: &Tensors<'_>) -> Result<Combination> {
    let shape = Shape::from_id(fields.get("gate").and_then(Value::as_str).unwrap_or_default())?;
    let kernels = count(fields, "kernels")?.ok_or_else(|| wrong("how many kernels is missing"))?;
    let means = reals(fields, "means")?;
    if means.iter().any(|m| *m < 0.0) {
        return Err(wrong("a mean of its gates is negative"));
    }
    let input = Input::read(fields, tensors)?;
    let wide = input.width() + 1;
    let parameters = Matrix::new(means.len(), wide, tensors("parameters", &[means.len(), wide])?)?;
    let gate = Gate::new(shape, parameters)?;
    let factors = match fields.contains_key("factors") {
        true => reals(fields, "factors")?,
        false => vec![1.0; means.len()],
    };
    Ok(Combination::new(Gated::with_means(gate, input, kernels, (factors, means))?))
}
