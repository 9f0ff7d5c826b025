//! Tests of differences between methods; results as JSON.

use crate::learn::json;
use crate::work::to_py;
use cokernel::eval::significance as tests;
use cokernel::eval::significance::{Comparing, Paired, ScoreTable};
use pyo3::prelude::*;

/// Student's t-test with the correction for overlapping training sets.
#[pyfunction]
pub fn t_test(differences: Vec<f64>, test_over_train: f64) -> PyResult<String> {
    json(&tests::corrected_t_test(&differences, test_over_train).map_err(to_py)?)
}

/// The 5×2 cv F test.
#[pyfunction]
pub fn f_5x2(differences: Vec<f64>) -> PyResult<String> {
    json(&tests::f_5x2(&differences).map_err(to_py)?)
}

/// Signed ranks without zeros, or with.
#[pyfunction]
pub fn wilcoxon(differences: Vec<f64>, with_zeros: bool) -> PyResult<String> {
    let test = if with_zeros { tests::wilcoxon_with_zeros } else { tests::wilcoxon };
    json(&test(&differences).map_err(to_py)?)
}

/// Mean ranks and Friedman's test.
#[pyfunction]
pub fn friedman(scores: Vec<Vec<f64>>) -> PyResult<String> {
    json(&tests::friedman(&scores).map_err(to_py)?)
}

/// Nemenyi's critical difference.
#[pyfunction]
pub fn nemenyi(methods: usize, blocks: usize, alpha: f64) -> PyResult<f64> {
    tests::nemenyi(methods, blocks, alpha).map_err(to_py)
}

/// Holm's p-values.
#[pyfunction]
pub fn holm(p: Vec<f64>) -> Vec<f64> {
    tests::holm(&p)
}

/// Everything that is told of a table of scores. `test_over_train`: `None` for the 5×2 cv F test.
#[pyfunction]
pub fn compare_scores(
    methods: Vec<String>,
    rows: Vec<(String, Vec<f64>)>,
    baseline: Option<String>,
    alpha: f64,
    test_over_train: Option<f64>,
    lower: bool,
    with_zeros: bool,
) -> PyResult<String> {
    let paired = test_over_train.map_or(Paired::F5x2, Paired::T);
    let how = Comparing { baseline, alpha, paired, lower, with_zeros };
    json(&ScoreTable { methods, rows, unread: Vec::new() }.compare(&how).map_err(to_py)?)
}
