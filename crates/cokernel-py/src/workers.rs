//! Workers of a fit that are an executor of Python.

use crate::work::to_py;
use cokernel::scale::{Executor, Workers};
use cokernel::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use std::sync::Arc;

/// Seconds between two looks for a stop.
const LOOK: f64 = 0.1;

/// An object with `parts` and `submit(tasks)`, which gives one with `wait(seconds)`, `answers()` and `cancel()`.
struct OfPython {
    parts: usize,
    object: Py<PyAny>,
}

impl Executor for OfPython {
    fn workers(&self) -> usize {
        self.parts
    }

    fn map(&self, tasks: &[String], stop: &dyn Fn() -> bool) -> Result<Option<Vec<Vec<u8>>>> {
        let told = |e: PyErr| Error::Data(format!("workers: {e}"));
        let given = Python::attach(|py| {
            self.object.bind(py).call_method1("submit", (tasks.to_vec(),)).map(Bound::unbind)
        });
        let given = given.map_err(told)?;
        loop {
            let done = Python::attach(|py| {
                given.bind(py).call_method1("wait", (LOOK,))?.extract::<bool>()
            });
            if done.map_err(told)? {
                break;
            }
            if stop() {
                let cancelled =
                    Python::attach(|py| given.bind(py).call_method0("cancel").map(drop));
                return cancelled.map_err(told).map(|()| None);
            }
        }
        let answers = Python::attach(|py| -> PyResult<Vec<Vec<u8>>> {
            let found: Vec<Bound<'_, PyBytes>> =
                given.bind(py).call_method0("answers")?.extract()?;
            Ok(found.iter().map(|bytes| bytes.as_bytes().to_vec()).collect())
        });
        answers.map(Some).map_err(told)
    }
}

/// From an object with `scratch`, `threads`, `least` and `executor`, which is `None` where threads of this process work.
pub fn workers(object: &Bound<'_, PyAny>) -> PyResult<Workers> {
    let scratch: PathBuf = object.getattr("scratch")?.extract()?;
    let executor: Option<Arc<dyn Executor>> = match object.getattr("executor")?.is_none() {
        true => None,
        false => {
            let parts = object.getattr("parts")?.extract()?;
            Some(Arc::new(OfPython { parts, object: object.clone().unbind() }))
        }
    };
    let threads = object.getattr("threads")?.extract()?;
    let least = object.getattr("least")?.extract()?;
    Ok(Workers { threads, least, ..Workers::new(executor, scratch) })
}

/// The answer to a task of a fit.
#[pyfunction]
pub fn answer<'py>(py: Python<'py>, task: &str) -> PyResult<Bound<'py, PyBytes>> {
    let found = py.detach(|| cokernel::scale::answer(task)).map_err(to_py)?;
    Ok(PyBytes::new(py, &found))
}
