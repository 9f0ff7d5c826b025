//! Splits of instances: drawn, given, saved and read.

use crate::learn::json;
use crate::work::to_py;
use cokernel::Error;
use cokernel::data::Labels;
use cokernel::eval::{Protocol, Split, Splits};
use pyo3::prelude::*;
use serde::Serialize;

#[derive(Serialize)]
struct Told<'a> {
    how: String,
    seed: u64,
    name: &'a Option<String>,
    grouped: bool,
    transductive: bool,
    instances: usize,
    splits: &'a [Split],
    /// What a file holds.
    file: String,
}

fn told(splits: &Splits) -> PyResult<String> {
    json(&Told {
        how: splits.how(),
        seed: splits.seed,
        name: &splits.name,
        grouped: splits.groups.is_some(),
        transductive: splits.transductive,
        instances: splits.instances(),
        splits: &splits.splits,
        file: splits.to_json().map_err(to_py)?,
    })
}

/// Codes of classes (negative: not known), else numbers, else so many instances without a label.
fn labels(codes: Option<Vec<i64>>, values: Option<Vec<f64>>, n: usize) -> Labels {
    match (codes, values) {
        (Some(codes), _) => {
            let classes = codes.iter().copied().max().unwrap_or(-1) + 1;
            let names = (0..classes).map(|c| c.to_string()).collect();
            Labels::Classes { names, codes: codes.iter().map(|c| u32::try_from(*c).ok()).collect() }
        }
        (None, Some(values)) => {
            Labels::Real(values.into_iter().map(|v| (!v.is_nan()).then_some(v)).collect())
        }
        (None, None) => Labels::Absent(n),
    }
}

/// Splits by the JSON of a protocol, with groups that stay together.
#[pyfunction]
pub fn draw_splits(
    protocol: &str,
    codes: Option<Vec<i64>>,
    values: Option<Vec<f64>>,
    n: usize,
    groups: Option<Vec<String>>,
    seed: u64,
    name: Option<String>,
    transductive: bool,
) -> PyResult<String> {
    let protocol: Protocol = serde_json::from_str(protocol)
        .map_err(|e| to_py(Error::parameter("protocol", e.to_string())))?;
    let labels = labels(codes, values, n);
    let mut found = match groups {
        None => protocol.split(&labels, seed),
        Some(groups) => protocol.split_groups(&labels, &groups, seed),
    }
    .map_err(to_py)?;
    found.name = name;
    found.transductive = transductive;
    told(&found)
}

/// Splits that a column says.
#[pyfunction]
pub fn column_splits(
    column: Vec<String>,
    codes: Option<Vec<i64>>,
    values: Option<Vec<f64>>,
    name: Option<String>,
    transductive: bool,
) -> PyResult<String> {
    let labels = labels(codes, values, column.len());
    let mut found = Splits::of_column(&column, &labels).map_err(to_py)?;
    found.name = name;
    found.transductive = transductive;
    told(&found)
}

/// Splits of a file's text, of these labels if some are given; then no training set may lack a class.
#[pyfunction]
pub fn read_splits(
    text: &str,
    codes: Option<Vec<i64>>,
    values: Option<Vec<f64>>,
) -> PyResult<String> {
    let splits = Splits::from_json(text).map_err(to_py)?;
    if codes.is_some() || values.is_some() {
        let labels = labels(codes, values, 0);
        splits.check(&labels, None).map_err(to_py)?;
        splits.check_classes(&labels).map_err(to_py)?;
    }
    told(&splits)
}

/// Compares the splits of a file's text with labels.
#[pyfunction]
pub fn check_splits(text: &str, codes: Option<Vec<i64>>, values: Option<Vec<f64>>) -> PyResult<()> {
    let splits = Splits::from_json(text).map_err(to_py)?;
    splits.check(&labels(codes, values, 0), None).map_err(to_py)
}
