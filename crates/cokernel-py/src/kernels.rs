//! Kernels without a machine: training matrices and those towards new rows.

use crate::array::to_numpy;
use crate::views::Views;
use crate::work::{Run, to_py, work};
use cokernel::bank::Bank;
use cokernel::data::Matrix;
use cokernel::{Error, Result, model};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// Σ_m w_m K_m over the training instances, n × n.
///
/// # Errors
/// Not one weight per kernel.
pub fn gram(bank: &Bank, weights: &[f64]) -> Result<Matrix> {
    if weights.len() != bank.len() {
        return Err(Error::shape(
            "weights",
            format!("{}, one per kernel", bank.len()),
            weights.len(),
        ));
    }
    let gram = bank.combine(weights)?;
    gram.into_matrix()
}

/// Compares new rows with the training instances.
#[pyclass(frozen, module = "cokernel._native")]
pub struct FittedKernels {
    inner: Arc<model::FittedKernels>,
}

impl FittedKernels {
    /// From the library.
    pub fn new(fitted: model::FittedKernels) -> Self {
        FittedKernels { inner: Arc::new(fitted) }
    }
}

#[pymethods]
impl FittedKernels {
    /// Names of the kernels.
    #[getter]
    fn kernels(&self) -> Vec<String> {
        self.inner.kernels().iter().map(|k| k.name.clone()).collect()
    }

    /// The view of each kernel.
    #[getter]
    fn views(&self) -> Vec<String> {
        self.inner.kernels().iter().map(|k| k.view.clone()).collect()
    }

    /// All of it as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.inner.to_bytes().map_err(to_py)?))
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(FittedKernels::new(model::FittedKernels::from_bytes(bytes).map_err(to_py)?))
    }

    /// Every kernel towards the training instances, each n_new × n.
    fn cross<'py>(
        &self,
        py: Python<'py>,
        views: &Views,
        run: &Run,
    ) -> PyResult<Vec<Bound<'py, PyArray2<f64>>>> {
        let (fitted, views) = (self.inner.clone(), views.shared());
        let all = work(py, run, move |run| fitted.cross_in(&views, run))?;
        all.into_iter().map(|m| to_numpy(py, m)).collect()
    }

    /// Σ_m weights_m k_m towards the training instances, n_new × n.
    fn combined<'py>(
        &self,
        py: Python<'py>,
        views: &Views,
        weights: Vec<f64>,
        run: &Run,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (fitted, views) = (self.inner.clone(), views.shared());
        let sum = work(py, run, move |run| fitted.combined_in(&views, &weights, run))?;
        to_numpy(py, sum)
    }
}
