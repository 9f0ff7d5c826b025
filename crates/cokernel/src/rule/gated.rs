//! Kernels with weights that depend on the instance:
//!
//! ```text
//! k(x, z) = Σ_m Σ_p η_mp(x) k_m(x, z) η_mp(z),      η_mp(x) = f_mp g_mp(x)
//! ```
//!
//! (Gönen & Alpaydın 2008; LMKA (3.9)), with [gates](super::gate) g of features of the instance alone, a factor f,
//! which is 1 unless a method weighs gates, and p the copies of kernel m, if it has several. What the gates look at ([`Input`]) are columns of views, each with its mean
//! over the training instances taken off and divided by its standard deviation. Of a similarity these are the
//! similarities to the training instances: an empirical kernel map (3.5).
//!
//! A kernel none of whose gates is open at a training instance is not read. `uses` are the means of the gates over the
//! training instances, summed over the copies.

use super::gate::{Gate, Shape};
use super::{Combination, Entry, Mix, Pairs, Rule, Stored, Tensors, count, nonzero, reals, wrong};
use crate::data::{Matrix, Table, Views};
use crate::error::room_for;
use crate::{Error, Result};
use serde_json::{Map, Value};

/// The registry entry.
pub static ENTRY: Entry = Entry { id: ID, read };

const ID: &str = "gated";

/// What gates look at: columns of views, standardised.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// Names of views and how many columns they have.
    views: Vec<(String, usize)>,
    /// Of each column.
    means: Vec<f64>,
    /// What each column is multiplied by after its mean was taken off.
    factors: Vec<f64>,
}

impl Input {
    /// All columns of these views, which are those of training.
    ///
    /// # Errors
    /// A view is not there; there is no memory for its columns.
    pub fn of(views: &Views, names: &[String]) -> Result<Self> {
        let mut sized = Vec::new();
        for name in names {
            sized.push((name.clone(), views.get(name)?.table.cols()));
        }
        let d = sized.iter().map(|v| v.1).sum();
        let mut input = Input { views: sized, means: vec![0.0; d], factors: vec![1.0; d] };
        let columns = input.columns(views)?;
        let n = columns.rows().max(1) as f64;
        for i in 0..columns.rows() {
            input.means.iter_mut().zip(columns.row(i)).for_each(|(m, x)| *m += x / n);
        }
        let mut squares = vec![0.0; d];
        for i in 0..columns.rows() {
            let centred = columns.row(i).iter().zip(&input.means).map(|(x, m)| x - m);
            squares.iter_mut().zip(centred).for_each(|(s, x)| *s += x * x / n);
        }
        let factor = |(square, mean): (&f64, &f64)| {
            let spread = square.sqrt();
            // A column with one value, up to rounding, says nothing.
            let says = spread > 1e-12 * mean.abs() && spread.is_finite();
            if says && spread.recip().is_finite() { spread.recip() } else { 0.0 }
        };
        input.factors = squares.iter().zip(&input.means).map(factor).collect();
        Ok(input)
    }

    /// How many columns there are.
    pub fn width(&self) -> usize {
        self.means.len()
    }

    /// The names of the views.
    pub fn views(&self) -> Vec<String> {
        self.views.iter().map(|v| v.0.clone()).collect()
    }

    /// What the gates see of these instances, n × [`width`](Self::width).
    ///
    /// # Errors
    /// A view is not there or has another number of columns than in training; there is no memory for it.
    pub fn rows(&self, views: &Views) -> Result<Matrix> {
        let mut columns = self.columns(views)?;
        for i in 0..columns.rows() {
            let scales = self.means.iter().zip(&self.factors);
            columns.row_mut(i).iter_mut().zip(scales).for_each(|(x, (m, f))| *x = (*x - m) * f);
        }
        Ok(columns)
    }

    /// The columns of all views side by side.
    fn columns(&self, views: &Views) -> Result<Matrix> {
        let (n, width) = (views.n(), self.width());
        room_for::<f64>(n.checked_mul(width), || {
            format!(
                "the {width} columns of {n} instances that gates look at; let them look at another view"
            )
        })?;
        let mut all = Matrix::zeros(n, width);
        let mut first = 0;
        for (name, cols) in &self.views {
            let table = &views.get(name)?.table;
            if table.cols() != *cols {
                let expected = format!("{cols} columns, which gates look at");
                return Err(Error::shape(format!("view '{name}'"), expected, table.cols()));
            }
            for i in 0..n {
                let out = &mut all.row_mut(i)[first..first + cols];
                match table {
                    Table::Dense(m) | Table::Similarity(m) => out.copy_from_slice(m.row(i)),
                    Table::Sparse(m) | Table::Graph(m) => {
                        let (places, values) = m.row(i);
                        places.iter().zip(values).for_each(|(c, v)| out[*c as usize] = *v);
                    }
                }
            }
            first += cols;
        }
        Ok(all)
    }
}

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

    fn with_means(
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
        let mut gates = self.gate.values(&self.input.rows(views)?);
        if self.factors.iter().any(|f| *f != 1.0) {
            let rows = gates.values_mut().chunks_mut(self.factors.len());
            rows.for_each(|row| row.iter_mut().zip(&self.factors).for_each(|(g, f)| *g *= f));
        }
        Ok(gates)
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
        let names: Vec<&str> = self.input.views.iter().map(|v| v.0.as_str()).collect();
        let widths: Vec<usize> = self.input.views.iter().map(|v| v.1).collect();
        let fields = [
            ("gate".to_string(), self.gate.shape().id().into()),
            ("kernels".to_string(), self.kernels().into()),
            ("views".to_string(), names.into()),
            ("widths".to_string(), widths.into()),
            ("means".to_string(), self.means.clone().into()),
            ("factors".to_string(), self.factors.clone().into()),
        ];
        let scales = [&self.input.means, &self.input.factors];
        let scales = Matrix::from_fn(2, self.input.width(), |k, j| scales[k][j]);
        let tensors = vec![
            ("parameters".to_string(), self.gate.parameters().clone()),
            ("scales".to_string(), scales),
        ];
        Stored { fields: fields.into_iter().collect(), tensors }
    }
}

impl Mix for Gated {
    fn mix(&self, pairs: Pairs<'_>, out: &mut [f64]) {
        out.fill(0.0);
        let wide = pairs.own.len();
        for (own, (g, values)) in pairs.own.iter().zip(
            // The numbers are those of the kernels that are read.
            (0..wide).map(|g| (g, pairs.values[g / self.copies])),
        ) {
            if *own == 0.0 {
                continue;
            }
            let others = pairs.others.iter().skip(g).step_by(wide);
            for ((o, v), other) in out.iter_mut().zip(values).zip(others) {
                *o += own * other * v;
            }
        }
    }

    fn per_instance(&self) -> usize {
        self.active.len() * self.copies
    }

    /// The gates of the kernels that are read.
    fn numbers(&self, views: &Views) -> Result<Option<Matrix>> {
        Ok(Some(self.read_of(self.gates(views)?)))
    }
}

fn texts(fields: &Map<String, Value>, name: &str) -> Result<Vec<String>> {
    let list = fields.get(name).and_then(Value::as_array);
    let list = list.ok_or_else(|| wrong(&format!("expected a list of names '{name}'")))?;
    let read: Option<Vec<String>> = list.iter().map(|v| v.as_str().map(String::from)).collect();
    read.ok_or_else(|| wrong(&format!("'{name}' holds something that is not a name")))
}

/// The rule of a file; nothing in it is trusted.
fn read(fields: &Map<String, Value>, tensors: &Tensors<'_>) -> Result<Combination> {
    let shape = Shape::from_id(fields.get("gate").and_then(Value::as_str).unwrap_or_default())?;
    let kernels = count(fields, "kernels")?.ok_or_else(|| wrong("how many kernels is missing"))?;
    let (names, widths) = (texts(fields, "views")?, reals(fields, "widths")?);
    let means = reals(fields, "means")?;
    let whole = |w: &f64| *w >= 0.0 && w.fract() == 0.0 && *w < 2_f64.powi(53);
    if names.len() != widths.len() || !widths.iter().all(whole) || means.iter().any(|m| *m < 0.0) {
        return Err(wrong("the views or the means of its gates are none"));
    }
    let views: Vec<(String, usize)> =
        names.into_iter().zip(widths.iter().map(|w| *w as usize)).collect();
    let total = views.iter().try_fold(0_usize, |sum, v| sum.checked_add(v.1));
    let d = total.filter(|d| *d < usize::MAX).ok_or_else(|| wrong("its sizes are too large"))?;
    let scales = tensors("scales", &[2, d])?;
    let parameters =
        Matrix::new(means.len(), d + 1, tensors("parameters", &[means.len(), d + 1])?)?;
    let input = Input { views, means: scales[..d].to_vec(), factors: scales[d..].to_vec() };
    let gate = Gate::new(shape, parameters)?;
    let factors = match fields.contains_key("factors") {
        true => reals(fields, "factors")?,
        false => vec![1.0; means.len()],
    };
    Ok(Combination::new(Gated::with_means(gate, input, kernels, (factors, means))?))
}
