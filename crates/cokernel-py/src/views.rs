//! Views from Python.

use crate::array;
use crate::work::to_py;
use cokernel::data::{Sequences, Table, View};
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Named views over the same instances.
#[pyclass(module = "cokernel._native")]
#[derive(Default)]
pub struct Views {
    inner: Arc<cokernel::data::Views>,
}

impl Views {
    /// The views, shared.
    pub fn shared(&self) -> Arc<cokernel::data::Views> {
        self.inner.clone()
    }

    fn push(
        &mut self,
        name: String,
        table: Table,
        columns: Option<Vec<String>>,
        present: Option<Vec<bool>>,
    ) -> PyResult<()> {
        let view = View { name, table, columns, present };
        Arc::make_mut(&mut self.inner).push(view).map_err(to_py)
    }
}

#[pymethods]
impl Views {
    #[new]
    fn new() -> Self {
        Views::default()
    }

    /// Adds a dense view: features, or similarities. The array is read in place, so that it must
    /// not change while the views are used; with `own` it is copied.
    #[pyo3(signature = (name, array, similarity=false, columns=None, present=None, own=false))]
    fn dense(
        &mut self,
        name: String,
        array: &Bound<'_, PyArray2<f64>>,
        similarity: bool,
        columns: Option<Vec<String>>,
        present: Option<Vec<bool>>,
        own: bool,
    ) -> PyResult<()> {
        let m = if own { array::own(array)? } else { array::lend(array)? };
        let table = if similarity { Table::Similarity(m) } else { Table::Dense(m) };
        self.push(name, table, columns, present)
    }

    /// Adds a sparse view: features, or a graph.
    #[pyo3(signature = (name, cols, starts, indices, values, graph=false, columns=None, present=None))]
    fn sparse(
        &mut self,
        name: String,
        cols: usize,
        starts: &Bound<'_, PyArray1<i64>>,
        indices: &Bound<'_, PyArray1<i64>>,
        values: &Bound<'_, PyArray1<f64>>,
        graph: bool,
        columns: Option<Vec<String>>,
        present: Option<Vec<bool>>,
    ) -> PyResult<()> {
        let m = array::csr(cols, starts, indices, values)?;
        let table = if graph { Table::Graph(m) } else { Table::Sparse(m) };
        self.push(name, table, columns, present)
    }

    /// Adds a view of sequences.
    #[pyo3(signature = (name, texts, present=None))]
    fn sequences(
        &mut self,
        name: String,
        texts: Vec<String>,
        present: Option<Vec<bool>>,
    ) -> PyResult<()> {
        let sequences = Sequences::new(texts).map_err(to_py)?;
        self.push(name, Table::Sequences(sequences), None, present)
    }

    /// Names the instances.
    fn set_ids(&mut self, ids: Vec<String>) -> PyResult<()> {
        Arc::make_mut(&mut self.inner).set_ids(ids).map_err(to_py)
    }

    /// The instances with these indices; with `training`, as new instances whose similarities are
    /// to those.
    #[pyo3(signature = (rows, training=None))]
    fn select(&self, rows: Vec<usize>, training: Option<Vec<usize>>) -> PyResult<Self> {
        let n = self.inner.n();
        if let Some(i) = rows.iter().chain(training.iter().flatten()).find(|i| **i >= n) {
            return Err(PyValueError::new_err(format!("row {i}: expected a row below {n}")));
        }
        let views = match training {
            None => self.inner.select(&rows),
            Some(training) => self.inner.select_new(&rows, &training),
        };
        Ok(Views { inner: Arc::new(views) })
    }

    /// Number of instances.
    #[getter]
    fn n(&self) -> usize {
        self.inner.n()
    }

    /// Names of the views, in order.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.inner.iter().map(|v| v.name.clone()).collect()
    }
}
