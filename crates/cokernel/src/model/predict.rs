//! Prediction: only active kernels, only kept rows; the values of a few new rows at a time.

use super::Model;
use super::missing::{known_columns, require_some_view};
use crate::bank::{Cross, Fill, Numbers, RowMeans};
use crate::data::{Matrix, Table, View, Views};
use crate::error::room_for;
use crate::kernel::{Kernel, Norm, ViewKind};
use crate::mkl::NO_ANSWER;
use crate::rule::{Mix, Pairs, Told, Uncertain, Weighted};
use crate::run::Pass;
use crate::{Error, Result, Run, Watch};
use rayon::prelude::*;
use serde::Serialize;
use std::borrow::Cow;

/// What a model says about new instances.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prediction {
    /// The name of the predicted class of each instance; of a regression the number, as text.
    pub labels: Vec<String>,
    /// The same as codes into [`Model::classes`](super::Model::classes); none of a regression.
    pub codes: Vec<u32>,
    /// Decision values, instances × machines. With two classes there is one machine; it is
    /// positive for the class that its name begins with. Of a regression the predicted numbers, of a
    /// detector at least 0 for inliers.
    pub decisions: Matrix,
    /// Names of the machines: `positive vs negative` or `positive vs rest`, `value`, `inside`.
    pub machine_names: Vec<String>,
    /// [`Model::classes`](super::Model::classes).
    pub classes: Vec<String>,
    /// Probabilities of the classes, instances × classes, of a model that is
    /// [calibrated](super::Model::calibrated), or whose rule or machine tells them. The most probable class need not be the
    /// predicted one.
    pub probabilities: Option<Matrix>,
    /// Standard deviations of the predicted numbers, noise included, of a rule that tells them: instances × 1. A Gaussian
    /// process tells neither where a kernel is a similarity, which does not say how like itself a new instance is; no rule
    /// does where an instance lacks a view.
    pub deviations: Option<Matrix>,
    /// What a user should read: how instances that lack views were told.
    pub notes: Vec<String>,
}

/// See [`Model::predict`].
pub(super) fn predict(model: &Model, views: &Views, run: &Run) -> Result<Prediction> {
    let info = &model.info;
    let (decisions, spread) = decisions(model, views, run)?;
    let (deviations, told) = match spread {
        Some(Beside::Deviations(found)) => (Some(found), None),
        Some(Beside::Probabilities(found)) => (None, Some(found)),
        None => (None, None),
    };
    let (n, t) = (decisions.rows(), decisions.cols());
    let by_machine: Vec<Vec<f64>> = (0..t).map(|t| decisions.col(t)).collect();
    let reading = info.machine.build()?.reading();
    let codes = reading.decide(info.classes.len(), &by_machine);
    let labels = match codes.is_empty() {
        true => (0..n).map(|i| decisions.get(i, 0).to_string()).collect(),
        false => codes.iter().map(|c| info.classes[*c as usize].clone()).collect(),
    };
    Ok(Prediction {
        labels,
        codes,
        classes: info.classes.clone(),
        probabilities: model.probabilities(&decisions)?.or(told),
        deviations,
        decisions,
        machine_names: info.machines.iter().map(|m| m.name.clone()).collect(),
        notes: model.no_answer().into_iter().chain(model.lacking_note(views)).collect(),
    })
}

impl Model {
    /// What a user should know of a model that was stopped before anything was learned.
    fn no_answer(&self) -> Option<String> {
        let warnings = &self.report().warnings;
        let said = warnings.iter().find(|w| w.ends_with(NO_ANSWER))?;
        Some(format!("when the model was fitted: {said}"))
    }
}

/// Which decision functions.
pub(super) enum Chosen {
    /// Those of the model.
    Whole,
    /// A weighted sum of some of the kernels.
    Sum { kernels: Vec<usize>, rule: Box<Weighted> },
    /// Coefficients for some of the kernels, and biases.
    Each { kernels: Vec<usize>, coef: Matrix, bias: Vec<f64> },
}

/// What a rule tells beside values.
pub(super) enum Beside {
    /// New instances × 1.
    Deviations(Matrix),
    /// New instances × classes.
    Probabilities(Matrix),
}

/// Σ_i coef_i k(x_i, x) + b: new instances × machines; and how uncertain that is, where the rule says so.
fn decisions(model: &Model, views: &Views, run: &Run) -> Result<(Matrix, Option<Beside>)> {
    let info = &model.info;
    let active = model.active();
    let (n, machines) = (views.n(), model.bias.len());
    // By machine and by instance, the kernels' sums, and a name for each.
    room_for::<f64>(n.checked_mul(3 * machines + 8), || {
        format!("the decision values of {n} instances and {machines} machines")
    })?;
    let mut out = Matrix::zeros(n, machines);
    let mut beside = None;
    if active.is_empty() {
        for i in 0..n {
            out.row_mut(i).copy_from_slice(&model.bias);
        }
        if let Some(uncertain) = uncertain(model) {
            let nothing = Matrix::zeros(n, uncertain.columns().cols());
            let none = vec![0.0; n];
            beside = Some(tell(model, uncertain, (&out, &nothing, &none), &run.watch())?);
        }
    } else {
        let views = towards_learned(model, views)?;
        require_some_view(model, &views)?;
        let views = known_columns(model, views)?;
        let views = info.preparation.apply(&views)?;
        let estimated = model.fill.as_ref().is_some_and(|f| f.estimated);
        match estimated || views.missing().is_empty() {
            true => (out, beside) = values(model, &views, &Chosen::Whole, run)?,
            false => out = model.by_views(&views, run)?,
        }
    }
    if let Some(p) = out.values().iter().position(|v| !v.is_finite()) {
        let (row, machine) = (p / out.cols(), p % out.cols());
        return Err(Error::Data(format!(
            "row {row}: the decision value of machine '{}' is not a finite number; the features \
             of this instance are too large",
            info.machines[machine].name
        )));
    }
    Ok((out, beside))
}

/// How uncertain values are, where the rule says so. Where it wants to know how like itself a new instance is, no kernel may
/// be a similarity: nothing tells it then.
fn uncertain(model: &Model) -> Option<&dyn Uncertain> {
    let known = |m: &usize| model.info.kernels[*m].function.takes() != ViewKind::Similarities;
    model.rule.uncertain().filter(|u| !u.wants_own() || model.active().iter().all(known))
}

/// Standard deviations or probabilities, from the values, the sums that the rule asked for and k(x, x) of each instance.
///
/// # Errors
/// The time is up.
fn tell(
    model: &Model,
    uncertain: &dyn Uncertain,
    (decisions, sums, own): (&Matrix, &Matrix, &[f64]),
    watch: &Watch,
) -> Result<Beside> {
    let told = |i: usize| Told { decisions: decisions.row(i), sums: sums.row(i), own: own[i] };
    let (n, k) = (decisions.rows(), model.info.classes.len());
    if !uncertain.of_classes() {
        let one = |i, _| uncertain.deviation(told(i));
        return Ok(Beside::Deviations(Matrix::from_fn(n, 1, one)));
    }
    let (mut out, pass) = (Matrix::zeros(n, k), Pass::under(watch));
    let rows = out.values_mut().par_chunks_mut(k).enumerate();
    rows.filter(|_| !pass.is_over()).for_each(|(i, out)| uncertain.probabilities(told(i), out));
    pass.complete("probabilities of new instances")?;
    Ok(Beside::Probabilities(out))
}

/// k(x, x) of each new instance, from its values of the kernels.
fn own_values<'a>(
    mix: &'a dyn Mix,
    own: Option<&'a Matrix>,
    kernels: &'a Matrix,
) -> impl Iterator<Item = (usize, f64)> + 'a {
    (0..kernels.rows()).map(move |i| {
        let own = own.map_or(&[][..], |m| m.row(i));
        let pair: Vec<&[f64]> = kernels.row(i).chunks(1).collect();
        let others: Vec<&[f64]> = own.chunks(1).collect();
        let mut same = [0.0];
        mix.mix(Pairs { values: &pair, own, others: &others }, &mut same);
        (i, same[0])
    })
}

/// Σ_i coef_i k(x_i, x) + b of prepared rows that have the views of the kernels, and what the rule tells beside them.
pub(super) fn values(
    model: &Model,
    views: &Views,
    part: &Chosen,
    run: &Run,
) -> Result<(Matrix, Option<Beside>)> {
    let active = model.active();
    let kernels = match part {
        Chosen::Whole => model.compared(),
        Chosen::Sum { kernels, .. } | Chosen::Each { kernels, .. } => kernels.clone(),
    };
    let watch = run.watch();
    let cross = cross(model, &kernels)?.under(watch.clone());
    let places: Vec<usize> = match part {
        // All kernels are compared for estimates, and these are read.
        Chosen::Whole if kernels.len() > active.len() => active.clone(),
        _ => (0..kernels.len()).collect(),
    };
    let new = cross.new_rows(views, &places)?;
    let mix = match part {
        Chosen::Whole => model.rule.pointwise(),
        Chosen::Sum { rule, .. } => Some(rule.as_ref() as &dyn Mix),
        Chosen::Each { .. } => None,
    };
    let uncertain = uncertain(model).filter(|_| matches!(part, Chosen::Whole));
    // Those of the combination, and k(x, x), where they are wanted.
    let (mut sums, mut own_of) = (None, vec![0.0; new.n()]);
    let mut out = match (mix, part) {
        (_, Chosen::Each { coef, .. }) => cross.multiply_each(&new, &places, &coef.transposed())?,
        (Some(mix), _) => {
            let coef = model.coef.transposed();
            let own = mix.numbers(views)?;
            let numbers = own.iter().zip(&model.numbers).next();
            let numbers = numbers.map(|(new, support)| Numbers { new, support });
            let mut values = cross.multiply(&new, &places, mix, numbers, &coef)?;
            let share = model.info.machine.build()?.own_similarity();
            if share != 0.0 {
                for (i, same) in own_values(mix, own.as_ref(), &cross.own(&new, &places)?) {
                    values.row_mut(i).iter_mut().for_each(|v| *v += share * same);
                }
            }
            if let Some(uncertain) = uncertain.filter(|u| !u.apart()) {
                sums = Some(cross.multiply(&new, &places, mix, numbers, uncertain.columns())?);
            }
            if uncertain.is_some_and(Uncertain::wants_own) {
                let of_kernels = cross.own(&new, &places)?;
                own_values(mix, own.as_ref(), &of_kernels).for_each(|(i, v)| own_of[i] = v);
            }
            values
        }
        (None, _) if !model.rule.own_gates().is_empty() => {
            let (own, of) = (crate::rule::numbers(model.rule(), views)?, &model.numbers);
            let numbers = own.as_ref().zip(of.as_ref());
            let numbers = numbers.map(|(new, support)| Numbers { new, support });
            cross.multiply_heads(&new, &active, model.rule.own_gates(), numbers, &model.coef)?
        }
        (None, _) => cross.multiply_each(&new, &places, &model.coef.transposed())?,
    };
    let bias = match part {
        Chosen::Each { bias, .. } => bias,
        _ => &model.bias,
    };
    for i in 0..out.rows() {
        out.row_mut(i).iter_mut().zip(bias).for_each(|(v, b)| *v += b);
    }
    let beside = match uncertain {
        Some(uncertain) if uncertain.apart() => {
            let sums = cross.multiply_apart(&new, &places, uncertain.columns())?;
            Some(tell(model, uncertain, (&out, &sums, &own_of), &watch)?)
        }
        Some(uncertain) => {
            sums.map(|sums| tell(model, uncertain, (&out, &sums, &own_of), &watch)).transpose()?
        }
        None => None,
    };
    Ok((out, beside))
}

/// The views with similarities to the instances that were learned from, where they may be to all that
/// were given.
pub(super) fn towards_learned<'a>(model: &Model, views: &'a Views) -> Result<Cow<'a, Views>> {
    let Some((learned, given)) = model.learned_from() else { return Ok(Cow::Borrowed(views)) };
    let is_known = |v: &View| model.info.views.iter().any(|known| known.name == v.name);
    let is_longer =
        |v: &View| v.table.is_similarity() && is_known(v) && v.table.cols() != learned.len();
    if !views.iter().any(is_longer) {
        return Ok(Cow::Borrowed(views));
    }
    let mut cut = Views::new();
    for view in views.iter() {
        let mut view = view.clone();
        if is_longer(&view) {
            let found = view.table.cols();
            if found != given {
                let expected = format!(
                    "{given} columns, one for each training instance, or {} for those that were \
                     learned from",
                    learned.len()
                );
                return Err(Error::shape(format!("view '{}'", view.name), expected, found));
            }
            view.table = view.table.select_cols(&learned);
        }
        cut.push(view)?;
    }
    if let Some(ids) = views.ids() {
        cut.set_ids(ids.to_vec())?;
    }
    Ok(Cow::Owned(cut))
}

/// The active kernels towards the kept rows.
fn cross(model: &Model, active: &[usize]) -> Result<Cross> {
    let info = &model.info;
    let rows: Vec<usize> = model.kept.iter().map(|i| *i as usize).collect();
    let complete = rows.len() == info.n_train;
    let means = if complete { RowMeans::Exact } else { RowMeans::Cancelled };
    let kernels = (info.kernels.as_slice(), info.norms.as_slice());
    let fill = model.fill.as_ref().map(|f| f.kernels(active));
    cross_incomplete(&model.support, &rows, info.n_train, kernels, active, means, fill)
}

/// The kernels with indices `active`, with their normalisations, towards the rows of `support`,
/// which are the training instances `rows`. Similarities come with the new instances: only their
/// names are needed, and `support` does not hold them.
pub(super) fn cross_with(
    support: &Views,
    rows: &[usize],
    n_train: usize,
    kernels: (&[Kernel], &[Vec<Norm>]),
    active: &[usize],
    means: RowMeans,
) -> Result<Cross> {
    cross_incomplete(support, rows, n_train, kernels, active, means, None)
}

/// The same where some of these rows lack views.
fn cross_incomplete(
    support: &Views,
    rows: &[usize],
    n_train: usize,
    (kernels, norms): (&[Kernel], &[Vec<Norm>]),
    active: &[usize],
    means: RowMeans,
    fill: Option<Fill>,
) -> Result<Cross> {
    let kernels: Vec<_> = active.iter().map(|&m| kernels[m].clone()).collect();
    let norms: Vec<_> = active.iter().map(|&m| norms[m].clone()).collect();
    if kernels.is_empty() {
        // Nothing is compared: one row stands for all, so that nothing grows with their number.
        let nothing = Table::Similarity(Matrix::zeros(1, 1));
        let support = Views::new().with("nothing is compared", nothing)?;
        return Cross::new(&support, &[0], 1, &kernels, &norms, means);
    }
    let mut support = Cow::Borrowed(support);
    for kernel in &kernels {
        if support.get(&kernel.view).is_err() {
            let nothing = Table::Similarity(Matrix::zeros(rows.len(), 1));
            support = Cow::Owned(support.into_owned().with(kernel.view.clone(), nothing)?);
        }
    }
    Cross::of_incomplete(&support, rows, n_train, (&kernels, &norms), means, fill)
}
