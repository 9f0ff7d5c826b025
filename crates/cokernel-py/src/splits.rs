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
    splits: &'a [Split],
    /// What a file holds.
    file: String,
}

fn told(splits: &Splits, labels: &Labels) -> PyResult<String> {
    json(&Told {
        how: splits.protocol.to_string(),
        seed: splits.seed,
        name: &splits.name,
        grouped: splits.groups.is_some(),
        splits: &splits.splits,
        file: splits.to_json(labels, None).map_err(to_py)?,
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
    told(&found, &labels)
}

/// Splits that a column says.
#[pyfunction]
pub fn column_splits(
    column: Vec<String>,
    codes: Option<Vec<i64>>,
    values: Option<Vec<f64>>,
    name: Option<String>,
) -> PyResult<String> {
    let labels = labels(codes, values, column.len());
    let mut found = Splits::of_column(&column, &labels).map_err(to_py)?;
    found.name = name;
    told(&found, &labels)
}

/// Splits of a file's text.
#[pyfunction]
pub fn read_splits(
    text: &str,
    codes: Option<Vec<i64>>,
    values: Option<Vec<f64>>,
    n: usize,
) -> PyResult<String> {
    let labels = labels(codes, values, n);
    told(&Splits::from_json(text, &labels, None).map_err(to_py)?, &labels)
}
