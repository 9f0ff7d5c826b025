//! The two plain matrices at the border: dense row-major and sparse by rows.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A dense matrix, row-major (C order).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// A matrix from its values in row-major order.
    ///
    /// # Errors
    /// The number of values is not `rows * cols`.
    pub fn new(rows: usize, cols: usize, values: Vec<f64>) -> Result<Self> {
        if values.len() != rows * cols {
            return Err(Error::shape(
                "matrix",
                format!("{rows} × {cols} = {} values", rows * cols),
                format!("{} values", values.len()),
            ));
        }
        Ok(Matrix { rows, cols, values })
    }

    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Matrix { rows, cols, values: vec![0.0; rows * cols] }
    }

    /// A matrix whose entry (i, j) is `f(i, j)`.
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> f64) -> Self {
        let mut values = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            for j in 0..cols {
                values.push(f(i, j));
            }
        }
        Matrix { rows, cols, values }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All values, row-major.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, row-major, to be changed.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Row i.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }

    /// Row i, to be changed.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.cols..(i + 1) * self.cols]
    }

    /// Entry (i, j).
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.cols + j]
    }

    /// Sets entry (i, j).
    pub fn set(&mut self, i: usize, j: usize, value: f64) {
        self.values[i * self.cols + j] = value;
    }

    /// Column j, copied.
    pub fn col(&self, j: usize) -> Vec<f64> {
        (0..self.rows).map(|i| self.get(i, j)).collect()
    }

    /// The rows with these indices, in this order.
    pub fn select_rows(&self, rows: &[usize]) -> Matrix {
        let mut values = Vec::with_capacity(rows.len() * self.cols);
        for &i in rows {
            values.extend_from_slice(self.row(i));
        }
        Matrix { rows: rows.len(), cols: self.cols, values }
    }

    /// The columns with these indices, in this order.
    pub fn select_cols(&self, cols: &[usize]) -> Matrix {
        Matrix::from_fn(self.rows, cols.len(), |i, j| self.get(i, cols[j]))
    }

    /// The transposed matrix.
    pub fn transposed(&self) -> Matrix {
        Matrix::from_fn(self.cols, self.rows, |i, j| self.get(j, i))
    }
}

/// A sparse matrix by rows. Column indices are strictly increasing within a row.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Csr {
    cols: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Csr {
    /// A sparse matrix from `(column, value)` lists, one per row; entries are sorted, zeros kept.
    ///
    /// # Errors
    /// A column index is out of range or appears twice in a row.
    pub fn from_rows(cols: usize, rows: Vec<Vec<(u32, f64)>>) -> Result<Self> {
        let mut starts = vec![0];
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for (i, mut row) in rows.into_iter().enumerate() {
            row.sort_unstable_by_key(|e| e.0);
            for (k, &(j, v)) in row.iter().enumerate() {
                let problem = if j as usize >= cols {
                    format!("column index out of range, expected below {cols}")
                } else if k > 0 && row[k - 1].0 == j {
                    "this column appears twice".to_string()
                } else {
                    indices.push(j);
                    values.push(v);
                    continue;
                };
                let (what, column) = ("sparse matrix".to_string(), j as usize);
                return Err(Error::Value { what, row: i, column, problem });
            }
            starts.push(indices.len());
        }
        Ok(Csr { cols, starts, indices, values })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Column indices and values of row i.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let span = self.starts[i]..self.starts[i + 1];
        (&self.indices[span.clone()], &self.values[span])
    }

    /// The stored values of all rows, to be changed.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Number of stored entries.
    pub fn stored(&self) -> usize {
        self.values.len()
    }

    /// The rows with these indices, in this order.
    pub fn select_rows(&self, rows: &[usize]) -> Csr {
        let mut starts = vec![0];
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for &i in rows {
            let (c, v) = self.row(i);
            indices.extend_from_slice(c);
            values.extend_from_slice(v);
            starts.push(indices.len());
        }
        Csr { cols: self.cols, starts, indices, values }
    }

    /// The same matrix, dense.
    pub fn to_dense(&self) -> Matrix {
        let mut dense = Matrix::zeros(self.rows(), self.cols);
        for i in 0..self.rows() {
            let (c, v) = self.row(i);
            for (&j, &x) in c.iter().zip(v) {
                dense.set(i, j as usize, x);
            }
        }
        dense
    }
}
