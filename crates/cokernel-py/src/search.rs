//! The search of a response surface, with scores that Python computes.

use crate::work::to_py;
use cokernel::Error;
use cokernel::eval::Axis;
use cokernel::eval::tune::search_surface as search;
use cokernel::params::Value;
use cokernel::solve::surface::Ended;
use pyo3::prelude::*;

/// Searches numbers between the least and the largest value of each list for the highest score. Which point is the best, what
/// the surface said before of each, why it ended, and how many points there could be.
#[pyfunction]
pub fn search_surface(
    names: Vec<String>,
    values: Vec<Vec<f64>>,
    score: Bound<'_, PyAny>,
) -> PyResult<(usize, Vec<Option<f64>>, &'static str, usize)> {
    let axis = |(name, values): (String, Vec<f64>)| Axis {
        name,
        values: values.into_iter().map(Value::Real).collect(),
    };
    let axes: Vec<Axis> = names.into_iter().zip(values).map(axis).collect();
    let mut raised = None;
    let found = search(&axes, true, &mut |numbers| {
        let told = score.call1((numbers.to_vec(),)).and_then(|v| v.extract::<f64>());
        Ok(told.map_err(|e| raised = Some(e)).ok())
    });
    if let Some(e) = raised {
        return Err(e);
    }
    let found = found.map_err(to_py)?;
    let Some(best) = found.best else {
        return Err(to_py(Error::Data("no point of the surface has a score".to_string())));
    };
    let ended = match found.ended {
        Ended::Settled => "settled",
        Ended::Flat => "flat",
        Ended::Limit => "limit",
        Ended::Stopped => "stopped",
        Ended::Failed => "failed",
    };
    Ok((best, found.predicted, ended, found.most))
}
