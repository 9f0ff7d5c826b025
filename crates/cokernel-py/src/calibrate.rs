//! Probabilities of classes.

use crate::array::to_numpy;
use crate::learn::{Beside, Learner, Model, labels};
use crate::views::Views;
use crate::work::{Run, to_py, work};
use cokernel::calibrate::{Calibrating, Shape, folds as dealt};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The model with probabilities, which are calibrated on what the learner decides of instances of folds
/// that it did not learn from.
#[pyfunction]
#[pyo3(signature = (learner, model, views, names, codes, weights, shape, folds, run, posteriors=None, pairs=None))]
#[allow(clippy::too_many_arguments)]
pub fn calibrate(
    py: Python<'_>,
    learner: &Learner,
    model: &Model,
    views: &Views,
    names: Vec<String>,
    codes: PyReadonlyArray1<'_, i64>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    shape: &str,
    folds: usize,
    run: &Run,
    posteriors: Option<PyReadonlyArray2<'_, f64>>,
    pairs: Option<PyReadonlyArray2<'_, f64>>,
) -> PyResult<Model> {
    let how = Calibrating::new(Shape::from_id(shape).map_err(to_py)?).folds(folds);
    let (mkl, views, model) = (learner.inner.clone(), views.shared(), model.inner.clone());
    let labels = labels(names, codes)?;
    let beside = Beside::new(labels.len(), weights, posteriors, pairs)?;
    // What the fit left of the time.
    let run = &run.without(model.report().seconds);
    let calibrated = work(py, run, move |run| {
        let fitted = mkl.calibration_given(&views, &labels, &beside.given(), how, run)?;
        model.as_ref().clone().calibrated(fitted)
    })?;
    Ok(Model::new(calibrated))
}

/// Probabilities, instances × classes; nothing if the model has none.
#[pyfunction]
#[pyo3(signature = (model, views, run))]
pub fn probabilities<'py>(
    py: Python<'py>,
    model: &Model,
    views: &Views,
    run: &Run,
) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
    let (model, views) = (model.inner.clone(), views.shared());
    let found = work(py, run, move |run| model.predict_in(&views, run))?;
    found.probabilities.map(|p| to_numpy(py, p)).transpose()
}

/// Predicted numbers and their standard deviations; the latter nothing if the model has none.
#[pyfunction]
#[pyo3(signature = (model, views, run))]
#[allow(clippy::type_complexity)]
pub fn deviations<'py>(
    py: Python<'py>,
    model: &Model,
    views: &Views,
    run: &Run,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Option<Bound<'py, PyArray2<f64>>>, Vec<String>)> {
    let (model, views) = (model.inner.clone(), views.shared());
    let found = work(py, run, move |run| model.predict_in(&views, run))?;
    let deviations = found.deviations.map(|d| to_numpy(py, d)).transpose()?;
    Ok((to_numpy(py, found.decisions)?, deviations, found.notes))
}

/// The fold of each instance in a calibration.
#[pyfunction]
#[pyo3(signature = (codes, classes, folds, seed))]
pub fn calibration_folds<'py>(
    py: Python<'py>,
    codes: PyReadonlyArray1<'_, i64>,
    classes: usize,
    folds: usize,
    seed: u64,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let code = |c: &i64| match u32::try_from(*c) {
        Ok(code) if (code as usize) < classes => Ok(code),
        _ => Err(PyValueError::new_err(format!("class code {c} of {classes}"))),
    };
    let codes = codes.as_array().iter().map(code).collect::<PyResult<Vec<u32>>>()?;
    let how = Calibrating::new(Shape::Sigmoid).folds(folds);
    how.check().map_err(to_py)?;
    let fold = dealt(&codes, classes, folds, &cokernel::Run::with_seed(seed));
    Ok(fold.into_iter().map(|f| f as i64).collect::<Vec<i64>>().into_pyarray(py))
}
