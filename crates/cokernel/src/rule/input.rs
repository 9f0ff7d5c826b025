//! What gates look at: columns of views, each with its mean over the training instances taken off and divided by its
//! standard deviation, or as it is. Of a similarity these are the similarities to the training instances: an empirical kernel
//! map (LMKA (3.5)), which has as many columns as there are instances. Both may be [reduced](Input::reduced) to their first
//! principal components, each divided by its standard deviation, as columns are.

use super::{Stored, Tensors, count, reals, wrong};
use crate::data::{Matrix, Table, Views};
use crate::error::room_for;
use crate::solve::dense::{principal_axes, product};
use crate::solve::eigen::orient;
use crate::{Error, Result};
use serde_json::{Map, Value};

/// Components with a smaller share of the variance than this of the first one's are those of rounding.
const ZERO: f64 = 1e-10;

/// What gates look at.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// Names of views and how many columns they have.
    views: Vec<(String, usize)>,
    /// What is taken off each column.
    means: Vec<f64>,
    /// What each column is multiplied by after its mean was taken off.
    factors: Vec<f64>,
    /// What the standardised columns are multiplied by (columns × components), if they are reduced.
    basis: Option<Matrix>,
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
        let mut input =
            Input { views: sized, means: vec![0.0; d], factors: vec![1.0; d], basis: None };
        let columns = input.read_columns(views)?;
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

    /// The same with columns as they are, or with their means taken off only; those with one value are 0 as before.
    pub fn unscaled(mut self, centred: bool) -> Self {
        self.factors.iter_mut().filter(|f| **f != 0.0).for_each(|f| *f = 1.0);
        if !centred {
            self.means.iter_mut().for_each(|m| *m = 0.0);
        }
        self
    }

    /// The same, seen as its first principal components: as many as are asked for, or as its columns have. Also gives
    /// their share of the variance of the columns.
    ///
    /// # Errors
    /// As [`rows`](Self::rows); the components of more than one value cannot be found.
    pub fn reduced(mut self, views: &Views, components: usize) -> Result<(Self, f64)> {
        self.basis = None;
        let columns = self.rows(views)?;
        let all = columns.values().iter().map(|v| v * v).sum::<f64>();
        let wanted = components.min(columns.rows()).min(columns.cols());
        if all == 0.0 || wanted == 0 {
            return Ok((self, 1.0));
        }
        let (values, mut basis) = principal_axes(&columns, wanted)?;
        let rank = values.iter().take_while(|v| **v > ZERO * values[0]).count();
        basis = basis.select_cols(&(0..rank).collect::<Vec<_>>());
        orient(&mut basis);
        // Components of variance 1, as the columns have.
        let n = columns.rows() as f64;
        for j in 0..basis.rows() {
            basis.row_mut(j).iter_mut().zip(&values).for_each(|(b, v)| *b /= (v / n).sqrt());
        }
        self.basis = Some(basis);
        Ok((self, (values[..rank].iter().sum::<f64>() / all).min(1.0)))
    }

    /// How many numbers the gates see of an instance.
    pub fn width(&self) -> usize {
        self.basis.as_ref().map_or(self.means.len(), Matrix::cols)
    }

    /// Whether the gates see principal components of the columns.
    pub fn is_reduced(&self) -> bool {
        self.basis.is_some()
    }

    /// How many columns the views have together.
    pub fn columns(&self) -> usize {
        self.means.len()
    }

    /// Whether some column had more than one value in training.
    pub fn varies(&self) -> bool {
        self.factors.iter().any(|f| *f != 0.0)
    }

    /// The names of the views.
    pub fn views(&self) -> Vec<String> {
        self.views.iter().map(|v| v.0.clone()).collect()
    }

    /// The same as a matrix A (columns × [`width`](Self::width)) and numbers a: the gates see xᵀA + a.
    pub(crate) fn linear(&self) -> (Matrix, Vec<f64>) {
        let d = self.columns();
        let scaled = |j: usize, l: usize| match &self.basis {
            Some(basis) => self.factors[j] * basis.get(j, l),
            None => f64::from(u8::from(j == l)) * self.factors[j],
        };
        let map = Matrix::from_fn(d, self.width(), scaled);
        let constant = |l: usize| -(0..d).map(|j| self.means[j] * map.get(j, l)).sum::<f64>();
        let constants = (0..map.cols()).map(constant).collect();
        (map, constants)
    }

    /// What the gates see of these instances, n × [`width`](Self::width).
    ///
    /// # Errors
    /// A view is not there or has another number of columns than in training; there is no memory for it.
    pub fn rows(&self, views: &Views) -> Result<Matrix> {
        let mut columns = self.read_columns(views)?;
        for i in 0..columns.rows() {
            let scales = self.means.iter().zip(&self.factors);
            columns.row_mut(i).iter_mut().zip(scales).for_each(|(x, (m, f))| *x = (*x - m) * f);
        }
        Ok(match &self.basis {
            Some(basis) => product((&columns).into(), basis.into()),
            None => columns,
        })
    }

    /// The columns of all views side by side, as they are.
    pub(crate) fn read_columns(&self, views: &Views) -> Result<Matrix> {
        let (n, width) = (views.n(), self.columns());
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
                    Table::Sequences(_) => {
                        return Err(Error::Data(format!(
                            "view '{name}' holds sequences, which gates cannot look at"
                        )));
                    }
                }
            }
            first += cols;
        }
        Ok(all)
    }

    /// What a file keeps.
    pub(super) fn stored(&self) -> Stored {
        let names: Vec<&str> = self.views.iter().map(|v| v.0.as_str()).collect();
        let widths: Vec<usize> = self.views.iter().map(|v| v.1).collect();
        let mut fields = Map::new();
        fields.insert("views".to_string(), names.into());
        fields.insert("widths".to_string(), widths.into());
        let scales = [&self.means, &self.factors];
        let scales = Matrix::from_fn(2, self.columns(), |k, j| scales[k][j]);
        let mut tensors = vec![("scales".to_string(), scales)];
        if let Some(basis) = &self.basis {
            fields.insert("components".to_string(), basis.cols().into());
            tensors.push(("components".to_string(), basis.clone()));
        }
        Stored { fields, tensors }
    }

    /// That of a file; nothing in it is trusted.
    pub(super) fn read(fields: &Map<String, Value>, tensors: &Tensors<'_>) -> Result<Self> {
        let (names, widths) = (texts(fields, "views")?, reals(fields, "widths")?);
        let whole = |w: &f64| *w >= 0.0 && w.fract() == 0.0 && *w < 2_f64.powi(53);
        if names.len() != widths.len() || !widths.iter().all(whole) {
            return Err(wrong("the views of its gates are none"));
        }
        let views: Vec<(String, usize)> =
            names.into_iter().zip(widths.iter().map(|w| *w as usize)).collect();
        let total = views.iter().try_fold(0_usize, |sum, v| sum.checked_add(v.1));
        let d =
            total.filter(|d| *d < usize::MAX).ok_or_else(|| wrong("its sizes are too large"))?;
        let scales = tensors("scales", &[2, d])?;
        let basis = match count(fields, "components")? {
            Some(r) if r == 0 || r > d => {
                return Err(wrong(&format!("its gates see {r} components of {d} columns")));
            }
            Some(r) => Some(Matrix::new(d, r, tensors("components", &[d, r])?)?),
            None => None,
        };
        let (means, factors) = (scales[..d].to_vec(), scales[d..].to_vec());
        Ok(Input { views, means, factors, basis })
    }
}

fn texts(fields: &Map<String, Value>, name: &str) -> Result<Vec<String>> {
    let list = fields.get(name).and_then(Value::as_array);
    let list = list.ok_or_else(|| wrong(&format!("expected a list of names '{name}'")))?;
    let read: Option<Vec<String>> = list.iter().map(|v| v.as_str().map(String::from)).collect();
    read.ok_or_else(|| wrong(&format!("'{name}' holds something that is not a name")))
}
