//! Methods that learn a combination for a machine: kernels, fits, models.

use crate::array::to_numpy;
use crate::kernels::{self, FittedKernels};
use crate::views::Views;
use crate::work::{Run, to_py, work};
use cokernel::bank::Storage;
use cokernel::catalogue::for_task;
use cokernel::data::{Labels, Link, Matrix, Missing, Pairs, Scale};
use cokernel::json::Marked;
use cokernel::kernel::KernelSpec;
use cokernel::machine::MachineSpec;
use cokernel::method::{Method, Task};
use cokernel::model::{ClassKind, Given as Known, Mkl};
use cokernel::params::{Range, Value};
use cokernel::{Error, mkl, model};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A parameter value from Python.
#[derive(FromPyObject)]
pub enum Given {
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(String),
    Reals(Vec<f64>),
    Factors(BTreeMap<String, f64>),
}

impl Given {
    /// The value for this parameter of a method. True and False stand for yes and no where these may
    /// be chosen, and for no number.
    pub fn of(self, method: &Method, name: &str) -> PyResult<Value> {
        Ok(match self {
            Given::Int(v) => Value::Int(v),
            Given::Real(v) => Value::Real(v),
            Given::Text(v) => Value::Text(v),
            Given::Reals(v) => Value::Reals(v),
            Given::Factors(v) => Value::Factors(v),
            Given::Bool(v) => {
                let word = if v { "yes" } else { "no" };
                match method.param(name) {
                    Some(p) if !matches!(p.range, Range::Choice { of, .. } if of.contains(&word)) =>
                    {
                        let found = if v { "True" } else { "False" };
                        let problem = format!("expected {}, found {found}", p.range_text());
                        return Err(to_py(Error::parameter(p.name, problem)));
                    }
                    _ => Value::Text(word.to_string()),
                }
            }
        })
    }
}

/// Kernel specifications from their texts; a text may stand for several.
pub fn specs(texts: &[String]) -> PyResult<Vec<KernelSpec>> {
    let mut all = Vec::new();
    for text in texts {
        all.extend(KernelSpec::parse_list(text).map_err(to_py)?);
    }
    Ok(all)
}

/// The storage with this name.
pub fn storage(name: &Bound<'_, PyAny>) -> PyResult<Storage> {
    match name.extract::<&str>() {
        Ok(name) => name.parse().map_err(to_py),
        Err(_) => {
            let found = name.repr()?;
            Err(PyValueError::new_err(format!(
                "storage: expected a text such as \"auto\" or \"nystroem:rank=200\", found {found:.80}"
            )))
        }
    }
}

/// A method with its parameters, kernels, machine and scaling.
#[pyclass(frozen, module = "cokernel._native")]
pub struct Learner {
    pub inner: Mkl,
}

#[pymethods]
impl Learner {
    #[new]
    #[pyo3(signature = (method, params, kernels, task, machine, machine_params, scale, storage, missing))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        method: &str,
        params: Vec<(String, Given)>,
        kernels: Option<Vec<String>>,
        task: &str,
        machine: &str,
        machine_params: Vec<(String, Given)>,
        scale: &str,
        storage: &Bound<'_, PyAny>,
        missing: &str,
    ) -> PyResult<Self> {
        let mut machine: MachineSpec = machine.parse().map_err(to_py)?;
        let task = Task::from_id(task).map_err(to_py)?;
        for_task(machine.method(), task).map_err(to_py)?;
        for (name, value) in machine_params {
            let value = value.of(machine.method(), &name)?;
            machine.set(name, value);
        }
        machine.checked().map_err(to_py)?;
        let mut inner = Mkl::new(method)
            .map_err(to_py)?
            .machine(machine)
            .scale(Scale::from_id(scale).map_err(to_py)?)
            .missing(Missing::from_id(missing).map_err(to_py)?)
            .storage(self::storage(storage)?);
        for (name, value) in params {
            let value = value.of(inner.method(), &name)?;
            inner = inner.param(name, value);
        }
        inner.params().map_err(to_py)?;
        if let Some(kernels) = kernels {
            inner = inner.kernels(specs(&kernels)?);
        }
        Ok(Learner { inner })
    }

    /// Instances, scaling and kernels: the half of a fit that several methods can share. `codes`
    /// are indices into `names`; instances with weight 0 are left out beforehand by the caller
    /// (see `Model.of_given`).
    #[pyo3(signature = (views, names, codes, weights, run))]
    fn prepare(
        &self,
        py: Python<'_>,
        views: &Views,
        names: Vec<String>,
        codes: PyReadonlyArray1<'_, i64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        run: &Run,
    ) -> PyResult<Prepared> {
        self.prepared(py, views, labels(names, codes)?, weights, run)
    }

    /// The same half for numbers.
    #[pyo3(signature = (views, targets, weights, run))]
    fn prepare_numbers(
        &self,
        py: Python<'_>,
        views: &Views,
        targets: PyReadonlyArray1<'_, f64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        run: &Run,
    ) -> PyResult<Prepared> {
        let targets = targets.as_array().iter().map(|v| Some(*v)).collect();
        self.prepared(py, views, Labels::Real(targets), weights, run)
    }

    /// The same half without labels.
    #[pyo3(signature = (views, weights, run))]
    fn prepare_alone(
        &self,
        py: Python<'_>,
        views: &Views,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        run: &Run,
    ) -> PyResult<Prepared> {
        let n = views.shared().n();
        self.prepared(py, views, Labels::Absent(n), weights, run)
    }

    /// Whether kernels prepared by another method serve this one.
    fn shares(&self, prepared: &Prepared) -> PyResult<bool> {
        self.inner.shares(&prepared.inner).map_err(to_py)
    }

    /// Learns on prepared kernels; `warm` is what a fit on the same instances and kernels learned.
    #[pyo3(signature = (prepared, run, warm=None))]
    fn fit_prepared(
        &self,
        py: Python<'_>,
        prepared: &Prepared,
        run: &Run,
        warm: Option<&Learned>,
    ) -> PyResult<(Model, Learned)> {
        let (mkl, prepared) = (self.inner.clone(), prepared.inner.clone());
        let warm = warm.map(|w| w.inner.clone());
        let (model, learned) =
            work(py, run, move |run| mkl.fit_prepared_from(&prepared, warm.as_deref(), run))?;
        Ok((Model { inner: Arc::new(model) }, Learned { inner: Arc::new(learned) }))
    }

    /// Both halves at once. `pairs` has two rows, 1 (must-link) or -1 (cannot-link) and a weight in each line.
    #[pyo3(signature = (views, names, codes, weights, run, posteriors=None, pairs=None))]
    #[allow(clippy::too_many_arguments)]
    fn fit(
        &self,
        py: Python<'_>,
        views: &Views,
        names: Vec<String>,
        codes: PyReadonlyArray1<'_, i64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        run: &Run,
        posteriors: Option<PyReadonlyArray2<'_, f64>>,
        pairs: Option<PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<Model> {
        let labels = labels(names, codes)?;
        let (mkl, views) = (self.inner.clone(), views.shared());
        let beside = Beside::new(labels.len(), weights, posteriors, pairs)?;
        let model = work(py, run, move |run| mkl.fit_given(&views, &labels, &beside.given(), run))?;
        Ok(Model { inner: Arc::new(model) })
    }

    /// Learns numbers.
    #[pyo3(signature = (views, targets, weights, run))]
    fn fit_numbers(
        &self,
        py: Python<'_>,
        views: &Views,
        targets: PyReadonlyArray1<'_, f64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        run: &Run,
    ) -> PyResult<Model> {
        let targets = targets.as_array().iter().map(|v| Some(*v)).collect();
        self.learn(py, views, Labels::Real(targets), weights, run)
    }

    /// Learns without labels.
    #[pyo3(signature = (views, weights, run))]
    fn fit_alone(
        &self,
        py: Python<'_>,
        views: &Views,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        run: &Run,
    ) -> PyResult<Model> {
        let n = views.shared().n();
        self.learn(py, views, Labels::Absent(n), weights, run)
    }
}

impl Learner {
    fn prepared(
        &self,
        py: Python<'_>,
        views: &Views,
        labels: Labels,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        run: &Run,
    ) -> PyResult<Prepared> {
        let (mkl, views) = (self.inner.clone(), views.shared());
        let weights = weights.map(|w| w.to_vec()).transpose()?;
        let prepared = work(py, run, move |run| {
            let prepared = mkl.prepare(&views, &labels, run)?;
            match weights {
                None => Ok(prepared),
                Some(weights) => prepared.with_weights(&weights),
            }
        })?;
        Ok(Prepared { inner: Arc::new(prepared) })
    }

    fn learn(
        &self,
        py: Python<'_>,
        views: &Views,
        labels: Labels,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        run: &Run,
    ) -> PyResult<Model> {
        let (mkl, views) = (self.inner.clone(), views.shared());
        let weights = weights.map(|w| w.to_vec()).transpose()?;
        let model = work(py, run, move |run| match weights {
            None => mkl.fit(&views, &labels, run),
            Some(weights) => mkl.fit_weighted(&views, &labels, &weights, run),
        })?;
        Ok(Model { inner: Arc::new(model) })
    }
}

/// What is known about instances beside their labels.
pub struct Beside {
    weights: Option<Vec<f64>>,
    posteriors: Option<Matrix>,
    pairs: Option<Pairs>,
}

/// Pairs among n instances: two rows, 1 or -1, and a weight in each line.
pub fn pairs_of(n: usize, lines: &PyReadonlyArray2<'_, f64>) -> PyResult<Pairs> {
    let lines = lines.as_array();
    let one = |p: usize| {
        let link = Link::from_sign(lines[[p, 2]]);
        let link = link.ok_or_else(|| PyValueError::new_err("pairs: expected 1 or -1"))?;
        // A number that is no row becomes one that is not there.
        Ok((lines[[p, 0]] as usize, lines[[p, 1]] as usize, link, lines[[p, 3]]))
    };
    let given = (0..lines.nrows()).map(one).collect::<PyResult<Vec<_>>>()?;
    Pairs::weighted(n, given).map_err(to_py)
}

/// The pairs of several tasks: two rows, 1 or -1, and a weight in each line. A code below 0 is none.
#[pyfunction]
pub fn task_pairs(
    py: Python<'_>,
    codes: Vec<Vec<i64>>,
    most: usize,
    seed: u64,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let known = |task: &Vec<i64>| task.iter().map(|c| u32::try_from(*c).ok()).collect();
    let codes: Vec<Vec<Option<u32>>> = codes.iter().map(known).collect();
    let pairs = Pairs::of_tasks(&codes, most, seed).map_err(to_py)?;
    let mut values = Vec::new();
    for link in Link::ALL {
        for (p, (i, j)) in pairs.of(link).iter().enumerate() {
            let weight = pairs.weights(link).map_or(1.0, |w| w[p]);
            values.extend([f64::from(*i), f64::from(*j), link.sign(), weight]);
        }
    }
    to_numpy(py, Matrix::new(pairs.len(), 4, values).map_err(to_py)?)
}

impl Beside {
    /// Of n instances.
    pub fn new(
        n: usize,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        posteriors: Option<PyReadonlyArray2<'_, f64>>,
        pairs: Option<PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<Self> {
        let matrix = |values: PyReadonlyArray2<'_, f64>| {
            let values = values.as_array();
            let (rows, cols) = values.dim();
            Matrix::new(rows, cols, values.iter().copied().collect()).map_err(to_py)
        };
        let pairs = pairs.map(|lines| pairs_of(n, &lines));
        Ok(Beside {
            weights: weights.map(|w| w.to_vec()).transpose()?,
            posteriors: posteriors.map(matrix).transpose()?,
            pairs: pairs.transpose()?,
        })
    }

    pub fn given(&self) -> Known<'_> {
        Known {
            weights: self.weights.as_deref(),
            posteriors: self.posteriors.as_ref(),
            pairs: self.pairs.as_ref(),
        }
    }
}

/// Labels by codes into the names of the classes; −1 is none.
pub fn labels(names: Vec<String>, codes: PyReadonlyArray1<'_, i64>) -> PyResult<Labels> {
    let code = |c: &i64| match u32::try_from(*c) {
        // An instance without a class.
        Err(_) if *c == -1 => Ok(None),
        Ok(code) if (code as usize) < names.len() => Ok(Some(code)),
        _ => Err(PyValueError::new_err(format!("class code {c} of {}", names.len()))),
    };
    let codes = codes.as_array().iter().map(code).collect::<PyResult<_>>()?;
    Ok(Labels::Classes { names, codes })
}

/// Training instances with their kernels.
#[pyclass(frozen, module = "cokernel._native")]
pub struct Prepared {
    inner: Arc<model::Prepared>,
}

#[pymethods]
impl Prepared {
    /// Names of the kernels.
    #[getter]
    fn kernels(&self) -> Vec<String> {
        self.inner.kernels().iter().map(|k| k.name.clone()).collect()
    }

    /// Σ_m weights_m K_m, n × n.
    fn gram<'py>(
        &self,
        py: Python<'py>,
        weights: Vec<f64>,
        run: &Run,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let prepared = self.inner.clone();
        let gram = work(py, run, move |_| {
            kernels::gram(prepared.between("the matrix of a sum")?, &weights)
        })?;
        to_numpy(py, gram)
    }

    /// How well each kernel fits the target, as JSON.
    fn scores(&self, py: Python<'_>, run: &Run) -> PyResult<String> {
        let prepared = self.inner.clone();
        let found = work(py, run, move |run| {
            let bank = prepared.between("a comparison with the labels")?;
            mkl::measures::scores(bank, prepared.target(), run)
        })?;
        json(&found)
    }

    /// What compares new rows with the training instances.
    fn fitted_kernels(&self) -> PyResult<FittedKernels> {
        let fitted = model::FittedKernels::of_prepared(&self.inner).map_err(to_py)?;
        Ok(FittedKernels::new(fitted))
    }
}

/// What a method learned: the start of a fit of a similar problem.
#[pyclass(frozen, module = "cokernel._native")]
pub struct Learned {
    inner: Arc<mkl::Learned>,
}

/// A model of a machine on a combination.
#[pyclass(frozen, module = "cokernel._native")]
pub struct Model {
    pub inner: Arc<model::Model>,
}

impl Model {
    /// From the library.
    pub fn new(model: model::Model) -> Self {
        Model { inner: Arc::new(model) }
    }
}

#[pymethods]
impl Model {
    /// Codes into the classes (none of a regression), decision values (instances × machines), and what a user should read.
    #[allow(clippy::type_complexity)]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        views: &Views,
        run: &Run,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray2<f64>>, Vec<String>)> {
        let (model, views) = (self.inner.clone(), views.shared());
        let found = work(py, run, move |run| model.predict_in(&views, run))?;
        let codes: Vec<i64> = found.codes.iter().map(|c| i64::from(*c)).collect();
        Ok((codes.into_pyarray(py), to_numpy(py, found.decisions)?, found.notes))
    }

    /// The gates of instances (instances × gates), nothing where the method has none.
    fn gates<'py>(
        &self,
        py: Python<'py>,
        views: &Views,
        run: &Run,
    ) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let (model, views) = (self.inner.clone(), views.shared());
        let found = work(py, run, move |_| model.gates(&views))?;
        found.map(|gates| to_numpy(py, gates.values)).transpose()
    }

    /// What the gates look at as two numbers of each instance (instances × 2), and what these are.
    #[allow(clippy::type_complexity)]
    fn gate_plane<'py>(
        &self,
        py: Python<'py>,
        views: &Views,
        run: &Run,
    ) -> PyResult<Option<(Vec<String>, Bound<'py, PyArray2<f64>>)>> {
        let (model, views) = (self.inner.clone(), views.shared());
        let found = work(py, run, move |run| model.gate_plane(&views, run))?;
        found.map(|plane| Ok((plane.names.to_vec(), to_numpy(py, plane.points)?))).transpose()
    }

    /// Whether the kernels are on features that the method maps.
    fn maps_features(&self) -> bool {
        !self.inner.maps().is_empty()
    }

    /// The maps of views that were learned, by the name of what they make: of each the columns of the view × those of
    /// its projection.
    fn maps<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyArray2<f64>>)>> {
        let full = self.inner.maps().iter().filter_map(|l| Some((l.name(), l.map()?)));
        full.map(|(name, map)| Ok((name.to_string(), to_numpy(py, map.clone())?))).collect()
    }

    /// The kernel of each gate.
    fn gate_names(&self) -> Vec<String> {
        self.inner.gate_names()
    }

    /// Everything the model tells about itself, as JSON.
    fn summary(&self) -> PyResult<String> {
        json(&self.inner.inspect())
    }

    /// What predicting an instance costs by prices of kernels and views.
    fn total_cost(&self, prices: BTreeMap<String, f64>) -> PyResult<f64> {
        self.inner.total_cost_by_name(&prices).map_err(to_py)
    }

    /// The weights of a weighted sum of kernels, or nothing for a product.
    fn rule_weights(&self) -> Option<Vec<f64>> {
        self.inner.rule().weights().map(<[f64]>::to_vec)
    }

    /// The same model, whose instances of training were those with the indices `rows` of `n`.
    fn of_given(&self, rows: Vec<usize>, n: usize) -> PyResult<Self> {
        let model = self.inner.as_ref().clone();
        Ok(Model::new(model.of_given(&rows, n).map_err(to_py)?))
    }

    /// The same model, whose classes were of this kind: text, whole, real or truth.
    fn of_class_kind(&self, kind: &str) -> PyResult<Self> {
        let known = [
            ("text", ClassKind::Text),
            ("whole", ClassKind::Whole),
            ("real", ClassKind::Real),
            ("truth", ClassKind::Truth),
        ];
        let found = known.iter().find(|k| k.0 == kind);
        let found =
            found.ok_or_else(|| to_py(Error::unknown("kind", kind, known.iter().map(|k| k.0))))?;
        Ok(Model::new(self.inner.as_ref().clone().with_class_kind(found.1)))
    }

    /// Training instances that are a support vector of some machine, increasing and counted in all
    /// that were given, with the dual
    /// coefficients (machines × support vectors) and the biases.
    #[allow(clippy::type_complexity)]
    fn support<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>)>
    {
        let (rows, coef, bias) = self.inner.duals();
        let rows: Vec<i64> = rows.into_iter().map(|i| i as i64).collect();
        Ok((rows.into_pyarray(py), to_numpy(py, coef)?, bias.into_pyarray(py)))
    }

    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.inner.save(path).map_err(to_py)
    }

    /// The content of the model's file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.inner.to_bytes().map_err(to_py)?))
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Model::new(model::Model::from_bytes(bytes).map_err(to_py)?))
    }
}

/// A value as JSON, numbers that are not finite as words that `_json.loads` of the package knows.
pub fn json<T: serde::Serialize>(value: &T) -> PyResult<String> {
    serde_json::to_string(&Marked(value)).map_err(|e| PyValueError::new_err(e.to_string()))
}
