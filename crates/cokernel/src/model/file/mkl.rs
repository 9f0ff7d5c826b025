//! The file of a classification model. Its own tensors: kept (u32), coef, bias, machine_gaps.
//!
//! `kept` are the training instances that prediction compares with; coef has one row per machine
//! and one column per kept instance.

use super::read::{Checked, Compared, Opened, misfit, refuse, sized, with_bytes, with_file};
use super::{Kind, Tensors, bytes, f64s, flat, put, put_norms, put_views, u32s};
use crate::Result;
use crate::data::Matrix;
use crate::mkl::Rule;
use crate::model::{Info, Model, needs_all_rows};
use std::path::Path;

/// Writes `model`; see [`Model::save`].
pub fn save(model: &Model, path: &Path) -> Result<()> {
    put(path, to_bytes(model))
}

/// Reads a model; see [`Model::from_bytes`].
pub fn from_bytes(bytes: &[u8]) -> Result<Model> {
    with_bytes(bytes, |file| {
        file.expect(Kind::Classifier)?;
        assemble(file)
    })
}

/// The content of the model's file.
pub fn to_bytes(model: &Model) -> Result<Vec<u8>> {
    let mut info = model.info.clone();
    let mut tensors = Tensors::new();
    tensors.insert("kept".to_string(), u32s(&model.kept));
    let shape = vec![model.coef.rows(), model.coef.cols()];
    tensors.insert("coef".to_string(), f64s(shape, model.coef.values()));
    tensors.insert("bias".to_string(), flat(&model.bias));
    let gaps: Vec<f64> = info.machines.iter().map(|m| m.gap).collect();
    tensors.insert("machine_gaps".to_string(), flat(&gaps));
    info.machines.iter_mut().for_each(|m| m.gap = 0.0);
    tensors.insert("objective".to_string(), flat(&std::mem::take(&mut info.report.objective)));
    put_norms(&mut info.norms, &mut tensors);
    let support = put_views(&model.support, &mut tensors);
    bytes(Kind::Classifier, &info, &support, &tensors)
}

/// Reads a model; see [`Model::load`].
pub fn load(path: &Path) -> Result<Model> {
    with_file(path, |file| {
        file.expect(Kind::Classifier)?;
        assemble(file)
    })
}

/// Puts a model together and checks that its parts fit.
pub fn assemble(file: &Opened) -> Checked<Model> {
    let (mut info, views) = file.envelope::<Info>()?;
    let tables = file.tables()?;
    let kept = tables.whole("kept")?;
    let (s, t) = (kept.len(), info.machines.len());
    if kept.windows(2).any(|w| w[0] >= w[1]) || kept.iter().any(|i| *i as usize >= info.n_train) {
        return refuse("the kept instances are not increasing row numbers");
    }
    if s == 0 {
        return misfit("no kept instances");
    }
    let coef = sized(Matrix::new(t, s, tables.finite("coef", Some(&[t, s]))?))?;
    let bias = tables.finite("bias", Some(&[t]))?;
    let gaps = tables.reals("machine_gaps", Some(&[t]))?;
    info.machines.iter_mut().zip(gaps).for_each(|(m, gap)| m.gap = gap);
    info.report.objective = tables.reals("objective", None)?;
    tables.norms(&mut info.norms, info.kernels.len(), s)?;
    let support = tables.views(&views, s)?;
    let model = Model { info, kept, support, coef, bias };
    if let Some(problem) = inconsistency(&model) {
        return misfit(problem);
    }
    let active = model.active();
    let Info { preparation, kernels, norms, n_train, .. } = &model.info;
    let (active, support) = (active.as_slice(), &model.support);
    Compared { preparation, kernels, norms, active, support, n_train: *n_train }.check()?;
    let of_active = active.iter().map(|&m| norms[m].as_slice());
    if s != *n_train && needs_all_rows(&model.info.rule, of_active) {
        return misfit(format!("{s} of {n_train} instances are kept, and kernels need all"));
    }
    Ok(model)
}

/// What contradicts what, if anything does.
fn inconsistency(model: &Model) -> Option<String> {
    let info = &model.info;
    let k = info.classes.len();
    if k < 2 {
        return Some(format!("{k} classes, expected at least 2"));
    }
    let pairs: Vec<_> = info.machines.iter().map(|m| (m.positive, m.negative)).collect();
    let count = match info.svc.decomposition {
        _ if k == 2 => 1,
        crate::machine::Decomposition::OneVsRest => k,
        crate::machine::Decomposition::OneVsOne => k * (k - 1) / 2,
    };
    if pairs.len() != count || pairs != info.svc.decomposition.pairs(k) {
        return Some(format!("{} machines for {k} classes", pairs.len()));
    }
    if let Rule::Linear { weights } = &info.rule
        && weights.len() != info.kernels.len()
    {
        return Some(format!("{} weights for {} kernels", weights.len(), info.kernels.len()));
    }
    None
}
