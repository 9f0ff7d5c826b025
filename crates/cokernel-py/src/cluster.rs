//! Methods that embed and cluster.

use crate::array::to_numpy;
use crate::kernels::{self, FittedKernels};
use crate::learn::{Given, json, labels, pairs_of, specs, storage};
use crate::views::Views;
use crate::work::{Run, to_py, work};
use cokernel::data::Scale;
use cokernel::kernel::GraphSpec;
use cokernel::model::{self, Combine, Mkl, MultiView, PairKernels};
use cokernel::multiview::{Embedding, KMeans, Starts};
use cokernel::{Error, Report};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// Number of instances, pairs among them, and the method that learns from them with its parameters; what is made of
/// the weighted kernels.
type PairsGiven<'py> = (usize, PyReadonlyArray2<'py, f64>, String, Vec<(String, Given)>, String);

/// A multi-view method with its parameters, kernels and scaling.
#[pyclass(frozen, module = "cokernel._native")]
pub struct Clusterer {
    inner: MultiView,
}

/// What is told about an embedding beside its rows.
#[derive(Serialize)]
struct Told<'a> {
    eigenvalues: &'a [Vec<f64>],
    gaps: &'a [Option<f64>],
    agreement: &'a [f64],
    inertia: Option<f64>,
    inertias: &'a [f64],
    report: &'a Report,
}

fn starts(protocol: &str, starts: usize) -> PyResult<Starts> {
    if starts == 0 {
        return Err(to_py(Error::parameter(
            "n_init",
            "expected a whole number, at least 1, found 0",
        )));
    }
    Starts::named(protocol, starts).map_err(to_py)
}

/// The result as a dictionary of arrays and a JSON text.
fn result<'py>(
    py: Python<'py>,
    embedding: Embedding,
    kmeans: Option<KMeans>,
    report: &Report,
) -> PyResult<Bound<'py, PyDict>> {
    let told = Told {
        eigenvalues: &embedding.eigenvalues,
        gaps: &embedding.gaps,
        agreement: &embedding.agreement,
        inertia: kmeans.as_ref().map(|k| k.inertia),
        inertias: kmeans.as_ref().map_or(&[], |k| k.inertias.as_slice()),
        report,
    };
    let found = PyDict::new(py);
    found.set_item("told", json(&told)?)?;
    found.set_item("rows", to_numpy(py, embedding.rows)?)?;
    let vectors = embedding.eigenvectors.into_iter().map(|u| to_numpy(py, u));
    found.set_item("eigenvectors", vectors.collect::<PyResult<Vec<_>>>()?)?;
    if let Some(kmeans) = kmeans {
        let codes = |all: &[u32]| all.iter().map(|c| i64::from(*c)).collect::<Vec<i64>>();
        found.set_item("labels", codes(&kmeans.assignments).into_pyarray(py))?;
        found.set_item("centers", to_numpy(py, kmeans.centers)?)?;
        let all: Vec<_> = kmeans.all.iter().map(|a| codes(a).into_pyarray(py)).collect();
        found.set_item("all", all)?;
    }
    Ok(found)
}

#[pymethods]
impl Clusterer {
    #[new]
    #[pyo3(signature = (method, params, kernels, graphs, scale, storage, pairs=None))]
    fn new(
        method: &str,
        params: Vec<(String, Given)>,
        kernels: Option<Vec<String>>,
        graphs: Vec<String>,
        scale: &str,
        storage: &Bound<'_, PyAny>,
        pairs: Option<PairsGiven<'_>>,
    ) -> PyResult<Self> {
        let mut inner = MultiView::new(method)
            .map_err(to_py)?
            .scale(Scale::from_id(scale).map_err(to_py)?)
            .storage(self::storage(storage)?);
        for (name, value) in params {
            let value = value.of(inner.method(), &name)?;
            inner = inner.param(name, value);
        }
        inner.params().map_err(to_py)?;
        if let Some(kernels) = kernels {
            inner = inner.kernels(specs(&kernels)?);
        }
        if !graphs.is_empty() {
            let parse = |g: &String| g.parse::<GraphSpec>().map_err(to_py);
            inner = inner.graphs(graphs.iter().map(parse).collect::<PyResult<Vec<_>>>()?);
        }
        if let Some((n, lines, id, params, combine)) = pairs {
            let mut learner = Mkl::new(&id).map_err(to_py)?;
            for (name, value) in params {
                let value = value.of(learner.method(), &name)?;
                learner = learner.param(name, value);
            }
            let pairs = pairs_of(n, &lines)?;
            let combine = Combine::from_id(&combine).map_err(to_py)?;
            let made = PairKernels::new(learner, pairs, combine);
            inner = inner.pairs(made.map_err(to_py)?);
        }
        Ok(Clusterer { inner })
    }

    /// Scaling, graphs and kernels: the half that several methods can share.
    fn prepare(&self, py: Python<'_>, views: &Views, run: &Run) -> PyResult<PreparedViews> {
        let (method, views) = (self.inner.clone(), views.shared());
        let prepared = work(py, run, move |run| method.prepare(&views, run))?;
        Ok(PreparedViews { inner: Arc::new(prepared) })
    }

    /// Whether a method learns from labels, which it then needs.
    #[staticmethod]
    fn learns_from_labels(method: &str) -> PyResult<bool> {
        MultiView::new(method).and_then(|m| m.reads_labels()).map_err(to_py)
    }

    /// Embedding and model, by a method that does not learn from labels.
    fn embed<'py>(
        &self,
        py: Python<'py>,
        views: &Views,
        k: usize,
        run: &Run,
    ) -> PyResult<(Bound<'py, PyDict>, EmbeddingModel)> {
        let (method, views) = (self.inner.clone(), views.shared());
        let (model, found) = work(py, run, move |run| method.fit_embedding(&views, k, run))?;
        let report = found.report.clone();
        Ok((result(py, found, None, &report)?, EmbeddingModel::new(model)))
    }

    /// Embedding and model, by a method that learns from labels: codes of `names`, −1 where there is none.
    fn embed_labelled<'py>(
        &self,
        py: Python<'py>,
        views: &Views,
        names: Vec<String>,
        codes: PyReadonlyArray1<'_, i64>,
        k: usize,
        run: &Run,
    ) -> PyResult<(Bound<'py, PyDict>, EmbeddingModel)> {
        let (method, views) = (self.inner.clone(), views.shared());
        let labels = labels(names, codes)?;
        let learn = move |run: &_| method.fit_labelled_embedding(&views, &labels, k, run);
        let (model, found) = work(py, run, learn)?;
        let report = found.report.clone();
        Ok((result(py, found, None, &report)?, EmbeddingModel::new(model)))
    }

    /// Embedding, clusters and model.
    fn cluster<'py>(
        &self,
        py: Python<'py>,
        views: &Views,
        k: usize,
        protocol: &str,
        starts: usize,
        run: &Run,
    ) -> PyResult<(Bound<'py, PyDict>, EmbeddingModel)> {
        let starts = self::starts(protocol, starts)?;
        let (method, views) = (self.inner.clone(), views.shared());
        let (model, found) =
            work(py, run, move |run| method.fit_clusters(&views, k, &starts, run))?;
        let shown = result(py, found.embedding, Some(found.kmeans), &found.report)?;
        Ok((shown, EmbeddingModel::new(model)))
    }

    /// Embedding and clusters on shared kernels.
    fn cluster_prepared<'py>(
        &self,
        py: Python<'py>,
        prepared: &PreparedViews,
        k: usize,
        protocol: &str,
        starts: usize,
        run: &Run,
    ) -> PyResult<Bound<'py, PyDict>> {
        let starts = self::starts(protocol, starts)?;
        let (method, prepared) = (self.inner.clone(), prepared.inner.clone());
        let found = work(py, run, move |run| method.cluster_prepared(&prepared, k, &starts, run))?;
        result(py, found.embedding, Some(found.kmeans), &found.report)
    }

    /// Whether kernels prepared by another method serve this one.
    fn shares(&self, prepared: &PreparedViews) -> PyResult<bool> {
        self.inner.shares(&prepared.inner).map_err(to_py)
    }
}

/// Views and kernels ready for several methods.
#[pyclass(frozen, module = "cokernel._native")]
pub struct PreparedViews {
    inner: Arc<model::PreparedViews>,
}

#[pymethods]
impl PreparedViews {
    /// Names of the kernels.
    #[getter]
    fn kernels(&self) -> Vec<String> {
        self.inner.bank().kernels().iter().map(|k| k.name.clone()).collect()
    }

    /// Sentences about data and kernels.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.inner.notes().to_vec()
    }

    /// Sentences about them that must not be overlooked.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.inner.bank().warnings().to_vec()
    }

    /// Σ_m weights_m K_m, n × n.
    fn gram<'py>(
        &self,
        py: Python<'py>,
        weights: Vec<f64>,
        run: &Run,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let prepared = self.inner.clone();
        let gram = work(py, run, move |_| kernels::gram(prepared.bank(), &weights))?;
        to_numpy(py, gram)
    }

    /// What compares new rows with the training instances.
    fn fitted_kernels(&self) -> PyResult<FittedKernels> {
        let fitted = model::FittedKernels::of_views(&self.inner).map_err(to_py)?;
        Ok(FittedKernels::new(fitted))
    }
}

/// A learned embedding, and its clusters.
#[pyclass(frozen, module = "cokernel._native")]
pub struct EmbeddingModel {
    inner: Arc<model::EmbeddingModel>,
}

impl EmbeddingModel {
    /// From the library.
    pub fn new(model: model::EmbeddingModel) -> Self {
        EmbeddingModel { inner: Arc::new(model) }
    }
}

#[pymethods]
impl EmbeddingModel {
    /// The embedding of new rows.
    fn transform<'py>(
        &self,
        py: Python<'py>,
        views: &Views,
        run: &Run,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (model, views) = (self.inner.clone(), views.shared());
        let rows = work(py, run, move |run| model.transform_in(&views, run))?;
        to_numpy(py, rows)
    }

    /// Refuses new rows where the model has no place for them.
    fn require_new(&self) -> PyResult<()> {
        match self.inner.extends() {
            true => Ok(()),
            false => Err(to_py(cokernel::Error::Data(self.inner.why_not_new()))),
        }
    }

    /// The linear map of the features, nothing where the embedding is none.
    fn projection<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        self.inner.projection().map(|(_, map)| to_numpy(py, map.clone())).transpose()
    }

    /// The cluster of each new row.
    fn assign<'py>(
        &self,
        py: Python<'py>,
        views: &Views,
        run: &Run,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (model, views) = (self.inner.clone(), views.shared());
        let codes = work(py, run, move |run| model.assign_in(&views, run))?;
        Ok(codes.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py))
    }

    /// Everything the model tells about itself, as JSON.
    fn summary(&self) -> PyResult<String> {
        json(&self.inner.inspect())
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
        Ok(EmbeddingModel::new(model::EmbeddingModel::from_bytes(bytes).map_err(to_py)?))
    }
}
