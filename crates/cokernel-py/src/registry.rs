//! The registry of methods, the grammar of kernels, scores, data sets and model files.

use crate::array::to_numpy;
use crate::cluster::EmbeddingModel;
use crate::learn::{Model, json};
use crate::views::Views;
use crate::work::{Run, to_py, work};
use cokernel::data::toy::Uninformative;
use cokernel::data::{self, Labels, Table};
use cokernel::eval::cluster_scores::ClusterScores;
use cokernel::kernel::{self, FAMILIES, Family, FamilyEntry, Function, KernelSpec, Key, ViewKind};
use cokernel::machine::{learn_unlabelled, tell_probabilities};
use cokernel::method::{Certificate, Group, Method, Task, WeightSet};
use cokernel::model::Saved;
use cokernel::params::{Param, Range, Value};
use cokernel::{Error, catalogue};
use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    doc: &'static str,
    kind: &'static str,
    default: Value,
    range: String,
    choices: &'static [&'static str],
}

#[derive(Serialize)]
struct Entry {
    id: &'static str,
    title: &'static str,
    source: &'static str,
    summary: &'static str,
    tasks: &'static [Task],
    group: Group,
    certificate: Certificate,
    control: bool,
    recommended: bool,
    weights: WeightSet,
    /// Whether a machine learns from instances without a class, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    unlabelled: Option<bool>,
    /// Whether models of a machine tell probabilities of classes without a calibration.
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<bool>,
    /// Whether new rows have a place in what was learned.
    places_new_rows: bool,
    /// Of a method the machines, of a machine the methods; none of methods that cluster.
    goes_with: Vec<&'static str>,
    params: Vec<Parameter>,
}

/// All methods, in their order, as JSON.
#[pyfunction]
pub fn methods() -> PyResult<String> {
    listed(&catalogue::methods().collect::<Vec<_>>())
}

/// The ids of the methods that a word stands for (a method, a group, a kind of integration), with the kind of
/// integration of each that has one.
#[pyfunction]
pub fn methods_named(
    word: &str,
    task: &str,
) -> PyResult<Vec<(&'static str, Option<&'static str>)>> {
    let task = Task::from_id(task).map_err(to_py)?;
    let found = catalogue::named(word, task).map_err(to_py)?;
    let kind = |m: &Method| catalogue::integration(m).map(cokernel::method::Integration::id);
    Ok(found.into_iter().map(|m| (m.id, kind(m))).collect())
}

/// All machines, in their order, as JSON.
#[pyfunction]
pub fn machines() -> PyResult<String> {
    listed(&catalogue::machines().collect::<Vec<_>>())
}

fn listed(all: &[&'static Method]) -> PyResult<String> {
    let parameter = |p: &Param| {
        let (kind, choices): (_, &'static [&'static str]) = match p.range {
            Range::Int { .. } => ("int", &[]),
            Range::Real { .. } => ("float", &[]),
            Range::Reals { .. } => ("floats", &[]),
            Range::Choice { of, .. } => ("choice", of),
            Range::Text { .. } => ("str", &[]),
            Range::Factors { of, .. } => ("factors", of),
        };
        let (default, range) = (p.default(), p.range_text());
        Parameter { name: p.name, doc: p.doc, kind, default, range, choices }
    };
    let entry = |m: &'static Method| Entry {
        id: m.id,
        title: m.title,
        source: m.source,
        summary: m.summary,
        tasks: m.tasks,
        group: m.group,
        certificate: m.certificate,
        control: m.is_control(),
        recommended: m.recommended,
        weights: m.weights,
        unlabelled: catalogue::machines()
            .any(|machine| machine.id == m.id)
            .then(|| learn_unlabelled().contains(&m.id)),
        probabilities: catalogue::machines()
            .any(|machine| machine.id == m.id)
            .then(|| tell_probabilities().contains(&m.id)),
        places_new_rows: catalogue::places_new_rows(m),
        goes_with: catalogue::partners(m),
        params: m.params.iter().map(parameter).collect(),
    };
    json(&all.iter().copied().map(entry).collect::<Vec<_>>())
}

/// A family of kernels, as Python's functions are made from it.
#[derive(Serialize)]
struct FamilyTold {
    name: &'static str,
    aliases: &'static [&'static str],
    formula: &'static str,
    doc: &'static str,
    takes: ViewKind,
    per_feature: bool,
    keys: &'static [Key],
}

/// All families of kernels, in their order, as JSON.
#[pyfunction]
pub fn kernel_families() -> PyResult<String> {
    let told = |f: &'static FamilyEntry| FamilyTold {
        name: f.name,
        aliases: f.aliases,
        formula: f.formula,
        doc: f.doc,
        takes: f.takes,
        per_feature: f.per_feature,
        keys: f.keys,
    };
    json(&FAMILIES.iter().map(told).collect::<Vec<_>>())
}

/// The matrix of a kernel of the graph that the first view holds.
#[pyfunction]
pub fn graph_kernel<'py>(
    py: Python<'py>,
    views: &Views,
    text: &str,
    run: &Run,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let spec: KernelSpec = text.parse().map_err(to_py)?;
    let views = views.shared();
    let matrix = work(py, run, move |run| {
        let view =
            views.iter().next().ok_or_else(|| Error::Data("there is no graph".to_string()))?;
        match spec.family {
            Family::Fixed(Function::Diffusion { beta, normalized }) => {
                kernel::diffusion(&view.table, beta, normalized, run)
            }
            Family::Fixed(Function::RandomWalk { steps, a }) => {
                kernel::random_walk(&view.table, steps, a, run)
            }
            _ => Err(Error::Data(format!("'{spec}' is no kernel of a graph"))),
        }
    })?;
    to_numpy(py, matrix)
}

/// The canonical texts of the kernels that a text stands for.
#[pyfunction]
pub fn kernel_specs(text: &str) -> PyResult<Vec<String>> {
    let specs = KernelSpec::parse_list(text).map_err(to_py)?;
    Ok(specs.iter().map(ToString::to_string).collect())
}

fn codes(array: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<u32>> {
    let code = |c: &i64| u32::try_from(*c);
    let codes: Result<Vec<u32>, _> = array.as_array().iter().map(code).collect();
    codes.map_err(|_| PyValueError::new_err("codes of clusters and classes start at 0"))
}

/// All scores of a clustering against classes, as JSON.
#[pyfunction]
pub fn cluster_scores(
    clusters: PyReadonlyArray1<'_, i64>,
    classes: PyReadonlyArray1<'_, i64>,
) -> PyResult<String> {
    let scores = ClusterScores::new(&codes(&clusters)?, &codes(&classes)?).map_err(to_py)?;
    json(&scores)
}

/// The model of any kind in a file.
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<Py<PyAny>> {
    match Saved::load(path).map_err(to_py)? {
        Saved::Classifier(model) => Model::new(*model).into_py_any(py),
        Saved::Embedding(model) => EmbeddingModel::new(*model).into_py_any(py),
    }
}

type DataSet<'py> = (Bound<'py, PyDict>, Vec<String>);

/// Views as a dictionary of arrays, and the class of each instance.
fn data_set<'py>(
    py: Python<'py>,
    made: cokernel::Result<(data::Views, Labels)>,
) -> PyResult<DataSet<'py>> {
    let (views, labels) = made.map_err(to_py)?;
    let tables = PyDict::new(py);
    for view in views.iter() {
        let table = match &view.table {
            Table::Dense(m) | Table::Similarity(m) => m.clone(),
            Table::Sparse(m) | Table::Graph(m) => m.to_dense(),
            Table::Sequences(_) => cokernel::data::Matrix::zeros(0, 0),
        };
        tables.set_item(&view.name, to_numpy(py, table)?)?;
    }
    let classes = labels.classes().map_err(to_py)?;
    let of = classes.codes.iter().map(|c| classes.names[*c as usize].clone()).collect();
    Ok((tables, of))
}

/// The six views of 2,000 handwritten digits that the library carries.
#[pyfunction]
pub fn digits(py: Python<'_>) -> PyResult<DataSet<'_>> {
    data_set(py, data::digits())
}

/// A toy data set by name; `value` is its second number, where it has one.
#[pyfunction]
#[pyo3(signature = (name, n, seed, value=0.0, n_classes=2, separations=Vec::new(), content="random"))]
pub fn toy<'py>(
    py: Python<'py>,
    name: &str,
    n: usize,
    seed: u64,
    value: f64,
    n_classes: usize,
    separations: Vec<f64>,
    content: &str,
) -> PyResult<DataSet<'py>> {
    let known = [
        "gaussian",
        "two_circles",
        "synthetic_1",
        "synthetic_2",
        "correlated",
        "complementary_corruption",
        "uninformative",
        "contradictory",
    ];
    let made = match name {
        "gaussian" => data::toy::views(n, n_classes, &separations, seed),
        "two_circles" => data::toy::two_circles(n, value, seed),
        "synthetic_1" => data::toy::synthetic_1(n, seed),
        "synthetic_2" => data::toy::synthetic_2(n, seed),
        "correlated" => data::toy::correlated(n, value, seed),
        "complementary_corruption" => data::toy::complementary_corruption(n, value, seed),
        "uninformative" => {
            let content = match content {
                "ones" => Uninformative::Ones,
                "random" => Uninformative::Random,
                other => {
                    let known = ["ones", "random"];
                    return Err(to_py(Error::unknown("content", other, known)));
                }
            };
            data::toy::uninformative(n, content, seed)
        }
        "contradictory" => data::toy::contradictory(n),
        other => Err(Error::unknown("data set", other, known)),
    };
    data_set(py, made)
}
