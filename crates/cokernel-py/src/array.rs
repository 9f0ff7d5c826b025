//! Between numpy arrays and matrices.

use cokernel::data::{Csr, Matrix};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use std::sync::Arc;

/// A numpy array that a matrix reads in place.
struct Lent {
    /// Keeps the memory alive.
    _array: Py<PyArray2<f64>>,
    start: *const f64,
    len: usize,
}

// SAFETY: the memory is only read, and belongs to the array, which lives as long as this. As with
// every library that releases the interpreter lock, nobody may write to the array meanwhile.
unsafe impl Send for Lent {}
unsafe impl Sync for Lent {}

impl AsRef<[f64]> for Lent {
    fn as_ref(&self) -> &[f64] {
        // SAFETY: `start` is aligned and points to `len` initialised numbers of a C-contiguous
        // array, as `lend` has checked.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

/// A matrix on the memory of the array, without a copy.
///
/// # Errors
/// The array is not C-contiguous and aligned.
pub fn lend(array: &Bound<'_, PyArray2<f64>>) -> PyResult<Matrix> {
    let start = array.data().cast_const();
    if !array.is_c_contiguous() || !start.is_aligned() {
        return Err(PyTypeError::new_err("expected an aligned C-contiguous float64 array"));
    }
    let (rows, cols) = (array.shape()[0], array.shape()[1]);
    if array.is_empty() {
        return Matrix::new(rows, cols, Vec::new()).map_err(crate::work::to_py);
    }
    let lent = Lent { _array: array.clone().unbind(), start, len: array.len() };
    Matrix::lent(rows, cols, Arc::new(lent)).map_err(crate::work::to_py)
}

/// A matrix with a copy of the array's values, for what outlives the call: changes of the array do
/// not reach it.
///
/// # Errors
/// As [`lend`]; `MemoryError` if there is no room for the copy.
pub fn own(array: &Bound<'_, PyArray2<f64>>) -> PyResult<Matrix> {
    let lent = lend(array)?;
    let mut values = room(lent.rows(), lent.cols())?;
    values.extend_from_slice(lent.values());
    Matrix::lent(lent.rows(), lent.cols(), Arc::new(values)).map_err(crate::work::to_py)
}

/// An empty list with room for a table.
///
/// # Errors
/// `MemoryError`, which says how much was asked for.
pub fn room(rows: usize, cols: usize) -> PyResult<Vec<f64>> {
    let mut values = Vec::new();
    let reserved = rows.checked_mul(cols).map(|entries| values.try_reserve_exact(entries));
    match reserved {
        Some(Ok(())) => Ok(values),
        _ => Err(PyMemoryError::new_err(format!(
            "no memory for a table of {rows} × {cols} numbers ({:.1} GB)",
            rows as f64 * cols as f64 * 8e-9
        ))),
    }
}

/// A sparse matrix from the arrays of `scipy.sparse.csr_matrix` with sorted, unique indices.
///
/// # Errors
/// The arrays do not describe such a matrix.
pub fn csr(
    cols: usize,
    starts: &Bound<'_, PyArray1<i64>>,
    indices: &Bound<'_, PyArray1<i64>>,
    values: &Bound<'_, PyArray1<f64>>,
) -> PyResult<Csr> {
    let wrong = |_| PyTypeError::new_err("a sparse matrix has indices that are out of range");
    let starts = starts.to_vec()?.into_iter().map(usize::try_from).collect::<Result<_, _>>();
    let indices = indices.to_vec()?.into_iter().map(u32::try_from).collect::<Result<_, _>>();
    let (starts, indices) = (starts.map_err(wrong)?, indices.map_err(wrong)?);
    Csr::from_parts(cols, starts, indices, values.to_vec()?).map_err(crate::work::to_py)
}

/// A matrix as a numpy array.
pub fn to_numpy<'py>(py: Python<'py>, m: Matrix) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let shape = [m.rows(), m.cols()];
    m.into_values().into_pyarray(py).reshape(shape)
}
