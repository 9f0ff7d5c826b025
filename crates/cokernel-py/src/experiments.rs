//! Experiments: what ships, runs into a store, tables and the page of a store.

use crate::learn::json;
use crate::work::{Run, to_py, work};
use cokernel::json::Marked;
use cokernel_experiments::misuse::one_line;
use cokernel_experiments::page::Tables;
use cokernel_experiments::system::available_memory;
use cokernel_experiments::{self as lab, Manner, SHIPPED, Specification, data_folder};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// An error of the experiments: that of the library in it as Python knows it, else `ValueError`.
fn raised(error: anyhow::Error) -> PyErr {
    let sentence = one_line(&error);
    if error.chain().any(|c| c.is::<std::io::Error>()) {
        return PyOSError::new_err(sentence);
    }
    match error.downcast::<cokernel::Error>() {
        Ok(of_library) => to_py(of_library),
        Err(_) => PyValueError::new_err(sentence),
    }
}

#[derive(Serialize)]
struct Listed {
    id: &'static str,
    title: String,
    source: String,
    /// Why it cannot be run here.
    absent: Option<String>,
}

/// The experiments that come with the package, as JSON.
#[pyfunction]
#[pyo3(signature = (data=None))]
pub fn experiments(data: Option<PathBuf>) -> PyResult<String> {
    let folder = data_folder(data.as_ref());
    let listed = |id: &'static str| {
        let plan = Specification::find(id, &[])?.parse()?;
        let absent = plan.absent(folder.as_deref());
        Ok(Listed { id, source: plan.place(), title: plan.title, absent })
    };
    let all: anyhow::Result<Vec<Listed>> = SHIPPED.iter().map(|(id, _)| listed(id)).collect();
    json(&all.map_err(raised)?)
}

/// The text of an experiment that comes with the package.
#[pyfunction]
pub fn experiment_text(id: &str) -> PyResult<String> {
    Ok(Specification::find(id, &[]).map_err(raised)?.text)
}

/// A text that explains all keys.
#[pyfunction]
pub fn experiment_example() -> &'static str {
    lab::EXAMPLE
}

/// Runs what a store lacks, or of that a `shard` (`K/N`). `experiment`: an id or a file, or a text if `text`; its seed is
/// that of `run` if `seeded`, else its own.
#[pyfunction]
pub fn run_experiment(
    py: Python<'_>,
    run: &Run,
    experiment: String,
    text: bool,
    store: PathBuf,
    data: Option<PathBuf>,
    sets: Option<usize>,
    repeats: Option<usize>,
    quick: bool,
    seeded: bool,
    update: bool,
    retry: bool,
    shard: Option<String>,
) -> PyResult<Stored> {
    let found = work(py, run, move |run| {
        let job = || {
            let spec = match text {
                false => Specification::find(&experiment, &[])?,
                true => Specification {
                    place: "experiment".to_string(),
                    id: "experiment".to_string(),
                    text: experiment,
                    base: PathBuf::from("."),
                },
            };
            let spec = if quick { spec.quick()? } else { spec };
            let (spec, plan) = spec.with(sets, repeats)?;
            let folder = data_folder(data.as_ref());
            if let Some(reason) = plan.absent(folder.as_deref()) {
                return Err(anyhow::anyhow!("{} cannot be run: {reason}", plan.id));
            }
            let seed = if seeded { run.seed } else { plan.protocol.seed };
            let run = cokernel::Run { seed, ..run.clone() };
            let shard = shard.as_deref().map(str::parse).transpose()?;
            let manner = Manner { update, retry, shard };
            let (spec, folder) = ((&spec, plan), folder.as_deref());
            let (stored, notes) =
                lab::Stored::run(&store, spec, folder, available_memory(), manner, &run)?;
            Stored::of(&stored, notes)
        };
        Ok(job())
    })?;
    found.map_err(raised)
}

/// Joins stores in one, which is made if it is not there: how many results were added.
#[pyfunction]
pub fn merge_stores(py: Python<'_>, stores: Vec<PathBuf>, into: PathBuf) -> PyResult<usize> {
    let merged = py.detach(|| lab::store::merge(&stores, &into)).map_err(raised)?;
    Ok(merged.added)
}

/// What a store holds, as texts.
#[pyclass(frozen, module = "cokernel._native")]
pub struct Stored {
    about: String,
    specification: String,
    tables: Tables,
}

#[derive(Serialize)]
struct About<'a> {
    id: &'a str,
    title: &'a str,
    seed: u64,
    cells: [(&'a str, usize); 5],
    troubles: Vec<(&'a str, &'a str)>,
    outcomes: Vec<&'a lab::Outcome>,
    text: Vec<String>,
    notes: Vec<String>,
}

impl Stored {
    fn of(stored: &lab::Stored, notes: Vec<String>) -> anyhow::Result<Self> {
        let counts = stored.counts;
        let outcomes: Vec<_> = stored.collected.iter().map(|c| &c.outcome).collect();
        let about = About {
            id: &stored.plan.id,
            title: &stored.plan.title,
            seed: stored.seed,
            cells: [
                ("done", counts.done),
                ("failed", counts.failed),
                ("refused", counts.refused),
                ("running", counts.running),
                ("waiting", counts.waiting),
            ],
            troubles: stored.troubles.iter().map(|t| (&*t.label, &*t.error)).collect(),
            text: outcomes.iter().map(|o| lab::print::untimed(o, None)).collect(),
            outcomes,
            notes,
        };
        Ok(Stored {
            about: serde_json::to_string(&Marked(&about))?,
            specification: stored.specification.text.clone(),
            tables: Tables::of(&stored.material())?,
        })
    }
}

#[pymethods]
impl Stored {
    /// Reads a store.
    #[staticmethod]
    fn open(path: PathBuf) -> PyResult<Self> {
        let stored = lab::Stored::open(&path).map_err(raised)?;
        Stored::of(&stored, Vec::new()).map_err(raised)
    }

    /// Writes page, tables and pictures of a store into a folder, which is made; the names of the files.
    #[staticmethod]
    fn write_page(store: PathBuf, folder: PathBuf) -> PyResult<Vec<String>> {
        let write = |store: &Path, folder: &Path| {
            let stored = lab::Stored::open(store)?;
            lab::files::folder(folder)?;
            stored.write_page(folder)
        };
        write(&store, &folder).map_err(raised)
    }

    /// Id, title, seed, counts, troubles, outcomes and notes as JSON.
    fn about(&self) -> &str {
        &self.about
    }

    /// The text of the experiment.
    fn specification(&self) -> &str {
        &self.specification
    }

    /// Means and deviations, one line for each row and score, as CSV.
    fn table(&self) -> &str {
        &self.tables.rows
    }

    /// One line for each cell, as CSV.
    fn cells(&self) -> &str {
        &self.tables.cells
    }
}
