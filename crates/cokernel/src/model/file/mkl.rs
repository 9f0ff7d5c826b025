//! The file of a classification model. Its own tensors: kept (u32), coef, bias, machine_gaps,
//! machine_primals, machine_duals, machine_totals: primal, dual and gap of all machines together (the last
//! three not in files of early versions); where instances
//! were left out, learned (u32); under a rule that knows something of instances by themselves (gates) numbers, a row
//! for each kept instance; where kept instances lack views, of each view `absent.VIEW` (u32), which of them do; where decision
//! functions are sums of parts, parts.shares and parts.biases, machines × active kernels; of each isotonic curve of a calibration, `calibration.MACHINE.values` and
//! .probabilities (the numbers of a sigmoid are in the JSON). Files of formats 1 and 2 know one machine, C-SVC.
//!
//! `kept` are the training instances that prediction compares with; coef has one row per machine
//! and one column per kept instance. `kept` counts in the instances that were learned from, whose
//! places among those that were given are `learned`.

use super::read::{
    Checked, Compared, Opened, Tables, directions, misfit, refuse, sized, with_bytes, with_file,
};
use super::{
    FORMAT, Kind, Tensors, bytes, f64s, flat, matrix, put, put_calibration, put_norms, put_views,
    u32s,
};
use crate::bank::{Fill, centered_by_feature};
use crate::data::{Matrix, Missing};
use crate::machine::{MachineSpec, Reading};
use crate::mkl::Parts;
use crate::model::{Info, MachineInfo, Model, keeps_all, keeps_for_estimates, width};
use crate::rule;
use crate::{Error, Result};
use std::mem::take;
use std::path::Path;

/// A number of a machine that may be infinite.
type Number = fn(&mut MachineInfo) -> &mut f64;
const NUMBERS: [(&str, Number); 3] = [
    ("machine_gaps", |m| &mut m.gap),
    ("machine_primals", |m| &mut m.primal),
    ("machine_duals", |m| &mut m.dual),
];

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
    for (name, number) in NUMBERS {
        let numbers: Vec<f64> = info.machines.iter_mut().map(|m| take(number(m))).collect();
        tensors.insert(name.to_string(), flat(&numbers));
    }
    // JSON has no number that is not finite.
    if let Some(m) = &mut info.report.machine {
        let totals = [&mut m.primal, &mut m.dual, &mut m.gap].map(take);
        tensors.insert("machine_totals".to_string(), flat(&totals));
    }
    tensors.insert("objective".to_string(), flat(&take(&mut info.report.objective)));
    for (name, table) in rule::written(&*model.rule).1 {
        tensors.insert(format!("rule.{name}"), matrix(&table));
    }
    if let Some(numbers) = &model.numbers {
        tensors.insert("numbers".to_string(), matrix(numbers));
    }
    for (v, mask) in model.fill.iter().flat_map(|f| f.masks.iter().enumerate()) {
        let absent: Vec<u32> = (0_u32..).zip(mask).filter(|(_, p)| !**p).map(|(i, _)| i).collect();
        tensors.insert(format!("absent.{v}"), u32s(&absent));
    }
    if let Some(parts) = &model.parts {
        tensors.insert("parts.shares".to_string(), matrix(&parts.shares));
        tensors.insert("parts.biases".to_string(), matrix(&parts.biases));
    }
    put_norms(&mut info.norms, &mut tensors);
    put_calibration(&mut info.calibration, &mut tensors);
    let support = put_views(&model.support, &mut tensors);
    if info.n_given.is_some() {
        tensors.insert("learned".to_string(), u32s(&model.learned));
    }
    bytes((Kind::Classifier, FORMAT), &info, &support, &tensors)
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
    if let Some(svc) = info.svc.take() {
        info.machine = sized(MachineSpec::from(&svc).checked())?;
    }
    let tables = file.tables()?;
    let kept = tables.whole("kept")?;
    let (s, t) = (kept.len(), info.machines.len());
    let directions = directions(&info.kernels)?;
    let beyond = |i: &u32| !directions && *i as usize >= info.n_train;
    if kept.windows(2).any(|w| w[0] >= w[1]) || kept.iter().any(beyond) {
        return refuse("the kept instances are not increasing row numbers");
    }
    if s == 0 {
        return misfit("no kept instances");
    }
    let rule = combination(&mut info, &tables)?;
    let wide = width(&*rule) * s;
    let coef = sized(Matrix::new(t, wide, tables.finite("coef", Some(&[t, wide]))?))?;
    let bias = tables.finite("bias", Some(&[t]))?;
    for (name, number) in NUMBERS {
        let numbers = match name {
            "machine_gaps" => tables.reals(name, Some(&[t]))?,
            _ if tables.has(name) => tables.reals(name, Some(&[t]))?,
            _ => vec![f64::NAN; t],
        };
        info.machines.iter_mut().zip(numbers).for_each(|(m, v)| *number(m) = v);
    }
    let totals = match tables.has("machine_totals") {
        true => Some(tables.reals("machine_totals", Some(&[3]))?),
        false => None,
    };
    if let (Some(all), Some(totals)) = (&mut info.report.machine, &totals) {
        (all.primal, all.dual, all.gap) = (totals[0], totals[1], totals[2]);
    } else if let Some(all) = &mut info.report.machine {
        // A file of an early version, whose machines had one head each.
        all.primal = info.machines.iter().map(|m| m.primal).sum();
        all.dual = info.machines.iter().map(|m| m.dual).sum();
        all.gap = info.machines.iter().fold(0.0, |a, m| m.gap.max(a));
    }
    info.report.objective = tables.reals("objective", None)?;
    tables.norms(&mut info.norms, info.kernels.len(), s)?;
    tables.calibration(&mut info.calibration)?;
    let support = tables.views(&views, s)?;
    let given = info.n_given.take();
    let numbers = match rule::per_instance(&*rule) {
        0 => None,
        g => Some(sized(Matrix::new(s, g, tables.finite("numbers", Some(&[s, g]))?))?),
    };
    let learned = Vec::new();
    let fill = filled(&info, &tables, s)?;
    let parts = parts(&tables, t, rule.active().len())?;
    let mut model = Model { info, rule, kept, support, numbers, coef, bias, learned, fill, parts };
    if let Some(problem) = inconsistency(&model) {
        return misfit(problem);
    }
    if let Some(uncertain) = model.rule.uncertain()
        && (uncertain.columns().rows() != s || s != model.info.n_train)
    {
        let found = uncertain.columns().rows();
        return misfit(format!(
            "coefficients of what is uncertain for {found} instances, {s} that are kept"
        ));
    }
    if let Some(uncertain) = model.rule.uncertain()
        && (uncertain.heads(), uncertain.of_classes()) != (t, !model.info.classes.is_empty())
    {
        return misfit("what is uncertain is not that of the machines");
    }
    let (active, compared) = (model.active(), model.compared());
    let Info { preparation, kernels, norms, n_train, .. } = &model.info;
    let support = &model.support;
    Compared { preparation, kernels, norms, active: &compared, support, n_train: *n_train }
        .check()?;
    let reading = sized(model.info.machine.build())?.reading();
    let by_feature = |m: usize| centered_by_feature(&kernels[m], &norms[m]);
    let whole = keeps_all(&*model.rule, kernels, &active, reading, by_feature)
        || keeps_for_estimates(model.fill.as_ref(), kernels);
    if s != *n_train && whole {
        return misfit(format!("{s} of {n_train} instances are kept, and kernels need all"));
    }
    if let Some(n) = given {
        let learned = tables.whole("learned")?;
        let rows: Vec<usize> = learned.iter().map(|i| *i as usize).collect();
        model = sized(model.of_given(&rows, n))?;
        if model.info.n_given.is_none() {
            return misfit("instances are left out, and none is");
        }
    }
    Ok(model)
}

/// What stands for values of kept instances that lack a view.
fn filled(info: &Info, tables: &Tables<'_>, s: usize) -> Checked<Option<Fill>> {
    let Some(lacking) = &info.lacking else { return Ok(None) };
    let Some(stored) = &lacking.fill else { return Ok(None) };
    let mut masks = Vec::new();
    for v in 0..stored.views.len() {
        let absent = tables.whole(&format!("absent.{v}"))?;
        if absent.windows(2).any(|w| w[0] >= w[1]) || absent.iter().any(|i| *i as usize >= s) {
            return misfit("instances that lack a view are not increasing numbers of kept ones");
        }
        let mut mask = vec![true; s];
        absent.iter().for_each(|i| mask[*i as usize] = false);
        masks.push(mask);
    }
    let estimated = lacking.handling == Missing::Estimate;
    match stored.with(masks, &info.kernels, estimated) {
        Some(fill) => Ok(Some(fill)),
        None => misfit("what stands for missing values is not that of the kernels"),
    }
}

/// The parts of the decision functions, where the file has them.
fn parts(tables: &Tables<'_>, machines: usize, active: usize) -> Checked<Option<Parts>> {
    if !tables.has("parts.shares") {
        return Ok(None);
    }
    let shares = tables.matrix("parts.shares", machines, active)?;
    let biases = tables.matrix("parts.biases", machines, active)?;
    if shares.values().iter().any(|s| *s < 0.0) {
        return misfit("a kernel has a share below 0");
    }
    Ok(Some(Parts { shares, biases }))
}

/// What contradicts what, if anything does.
fn inconsistency(model: &Model) -> Option<String> {
    let info = &model.info;
    let k = info.classes.len();
    let reading = match info.machine.build() {
        Ok(machine) => machine.reading(),
        Err(e) => return Some(e.to_string()),
    };
    let (classes, count) = match reading {
        Reading::Number => (0..=0, 1),
        Reading::Inside => (2..=2, 1),
        Reading::Scores => (2..=usize::MAX, k),
        Reading::Classes(_) if k == 2 => (2..=2, 1),
        Reading::Classes(d) if d.is_pairwise() => (2..=usize::MAX, k * k.saturating_sub(1) / 2),
        Reading::Classes(_) => (2..=usize::MAX, k),
    };
    if !classes.contains(&k) {
        return Some(format!("{k} classes, expected at least {}", classes.start()));
    }
    // Before a list of all pairs is made of a number that the file claims.
    if info.machines.len() != count {
        return Some(format!("{} machines for {k} classes", info.machines.len()));
    }
    if let Some(Err(e)) = model.calibration().map(|c| c.check(&model.roles())) {
        return Some(e.to_string());
    }
    if let Some(problem) = model.conformal().and_then(|c| c.contradiction()) {
        return Some(problem.to_string());
    }
    let own = model.rule.own_gates().len();
    if own > 0 && own != count {
        return Some(format!("gates of {own} machines, and {count} machines"));
    }
    if reading.roles(k).iter().zip(&info.machines).any(|(role, m)| *role != m.role) {
        return Some(format!("{} other machines for {k} classes", info.machines.len()));
    }
    None
}

/// The rule; files of early versions do not say how many kernels a product has.
fn combination(info: &mut Info, tables: &Tables<'_>) -> Checked<rule::Combination> {
    let kernels = info.kernels.len();
    if let Some(fields) = info.rule.as_object_mut() {
        fields.entry("kernels").or_insert(kernels.into());
    }
    let tensors = |name: &str, shape: &[usize]| {
        let read = tables.finite(&format!("rule.{name}"), Some(shape));
        read.map_err(|_| {
            Error::Data(format!("the table 'rule.{name}' is missing or not {shape:?}"))
        })
    };
    let rule = sized(rule::read(&info.rule, &tensors))?;
    if rule.kernels() != kernels {
        return misfit(format!("{} weights for {kernels} kernels", rule.kernels()));
    }
    info.rule = rule::written(&*rule).0;
    Ok(rule)
}
