//! Methods that learn a combination for a machine.

use crate::values::{entry, matrix, number, params, perhaps, reals, text, texts, to_r, told};
use crate::views::views;
use crate::work::work;
use cokernel::calibrate::{Calibrating, Shape};
use cokernel::catalogue::for_task;
use cokernel::data::{Labels, Missing, Scale};
use cokernel::kernel::KernelSpec;
use cokernel::machine::MachineSpec;
use cokernel::method::Task;
use cokernel::model::{ClassKind, Given, Mkl, Model};
use extendr_api::Result;
use extendr_api::prelude::*;

/// Kernel specifications from their texts; a text may stand for several.
pub fn specs(texts: &[String]) -> Result<Vec<KernelSpec>> {
    let mut all = Vec::new();
    for text in texts {
        all.extend(KernelSpec::parse_list(text).map_err(to_r)?);
    }
    Ok(all)
}

fn learner(spec: &List) -> Result<(Mkl, Task)> {
    let task = Task::from_id(&text(spec, "task")?).map_err(to_r)?;
    let mut machine: MachineSpec = text(spec, "machine")?.parse().map_err(to_r)?;
    for_task(machine.method(), task).map_err(to_r)?;
    for (name, value) in params(spec, "machine_params", machine.method())? {
        machine.set(name, value);
    }
    machine.checked().map_err(to_r)?;
    let mut mkl = Mkl::new(&text(spec, "method")?)
        .map_err(to_r)?
        .machine(machine)
        .scale(Scale::from_id(&text(spec, "scale")?).map_err(to_r)?)
        .missing(Missing::from_id(&text(spec, "missing")?).map_err(to_r)?)
        .storage(text(spec, "storage")?.parse().map_err(to_r)?);
    for (name, value) in params(spec, "params", mkl.method())? {
        mkl = mkl.param(name, value);
    }
    mkl.params().map_err(to_r)?;
    if let Some(kernels) = texts(spec, "kernels")? {
        mkl = mkl.kernels(specs(&kernels)?);
    }
    Ok((mkl, task))
}

/// Classes as their names and codes (below 0: none), numbers, or the count of instances.
fn labels(given: &List, task: Task) -> Result<Labels> {
    let codes = entry(given, "y").and_then(|y| reals(&y)).unwrap_or_default();
    Ok(match task {
        Task::Classify => Labels::Classes {
            names: texts(given, "classes")?.unwrap_or_default(),
            codes: codes.iter().map(|c| (*c >= 0.0).then_some(*c as u32)).collect(),
        },
        Task::Regress => Labels::Real(codes.iter().map(|v| (!v.is_nan()).then_some(*v)).collect()),
        _ => Labels::Absent(number(given, "n")?.unwrap_or(0.0) as usize),
    })
}

/// Learns; the content of the model's file.
#[extendr]
fn ck_fit(given_views: List, given: List, spec: List, run: List) -> Result<Raw> {
    let (views, (mkl, task)) = (views(&given_views)?, learner(&spec)?);
    let labels = labels(&given, task)?;
    let weights = entry(&given, "weights").and_then(|w| reals(&w));
    let kind = match texts(&given, "kind")?.as_ref().and_then(|k| k.first()).map(String::as_str) {
        Some("whole") => ClassKind::Whole,
        Some("real") => ClassKind::Real,
        _ => ClassKind::Text,
    };
    let calibrating = match entry(&spec, "probability") {
        None => None,
        Some(_) => {
            let shape = Shape::from_id(&text(&spec, "probability")?).map_err(to_r)?;
            let folds = number(&spec, "folds")?.unwrap_or(5.0).max(0.0);
            Some(Calibrating::new(shape).folds(folds as usize))
        }
    };
    let bytes = work(&run, move |run| {
        // What has no weight takes no part in scaling and widths either.
        let n = views.n();
        let rows: Option<Vec<usize>> = (weights.as_ref())
            .filter(|w| w.len() == n && w.contains(&0.0))
            .map(|w| (0..n).filter(|i| w[*i] != 0.0).collect());
        let (views, labels, weights) = match &rows {
            None => (views, labels, weights),
            Some(rows) => {
                let of = |w: Vec<f64>| rows.iter().map(|i| w[*i]).collect::<Vec<f64>>();
                (views.select(rows), labels.select(rows), weights.map(of))
            }
        };
        let known = Given { weights: weights.as_deref(), posteriors: None, pairs: None };
        let watch = run.watch();
        let mut model = mkl.fit_given(&views, &labels, &known, run)?;
        if let Some(how) = calibrating {
            let rest = run.remaining(&watch);
            let found = mkl.calibration_given(&views, &labels, &known, how, &rest)?;
            model = model.calibrated(found)?;
        }
        if task == Task::Classify {
            model = model.with_class_kind(kind);
        }
        if let Some(rows) = rows {
            model = model.of_given(&rows, n)?;
        }
        model.to_bytes()
    })?;
    Ok(Raw::from_bytes(&bytes))
}

fn model(bytes: &Raw) -> Result<Model> {
    Model::from_bytes(bytes.as_slice()).map_err(to_r)
}

/// What a model says about new instances.
#[extendr]
fn ck_predict(bytes: Raw, given_views: List, run: List) -> Result<List> {
    let (model, views) = (model(&bytes)?, views(&given_views)?);
    let found = work(&run, move |run| model.predict_in(&views, run))?;
    let codes: Vec<i32> = found.codes.iter().map(|c| *c as i32 + 1).collect();
    Ok(list!(
        codes = codes,
        classes = found.classes,
        decisions = matrix(&found.decisions),
        machines = found.machine_names,
        probabilities = perhaps(found.probabilities.as_ref().map(matrix)),
        deviations = perhaps(found.deviations.as_ref().map(matrix)),
        notes = found.notes
    ))
}

/// Gates of instances, and what they are of; NULL where the method has none.
#[extendr]
fn ck_gates(bytes: Raw, given_views: List, run: List) -> Result<Robj> {
    let (model, views) = (model(&bytes)?, views(&given_views)?);
    let names = model.gate_names();
    let found = work(&run, move |_| model.gates(&views))?;
    Ok(match found {
        None => ().into(),
        Some(gates) => list!(names = names, values = matrix(&gates.values)).into(),
    })
}

/// Everything the model tells about itself.
#[extendr]
fn ck_summary(bytes: Raw) -> Result<Robj> {
    told(&model(&bytes)?.inspect())
}

/// Support vectors, counted from 1, dual coefficients (machines × support vectors) and biases.
#[extendr]
fn ck_duals(bytes: Raw) -> Result<List> {
    let (rows, coef, bias) = model(&bytes)?.duals();
    let rows: Vec<f64> = rows.into_iter().map(|i| i as f64 + 1.0).collect();
    Ok(list!(rows = rows, coefficients = matrix(&coef), bias = bias))
}

extendr_module! {
    mod learn;
    fn ck_fit;
    fn ck_predict;
    fn ck_gates;
    fn ck_summary;
    fn ck_duals;
}
