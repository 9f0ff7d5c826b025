//! Instances that lack views: what is done about them when a model is made, and how new ones are told.

use super::predict::{Chosen, values};
use super::{Mkl, Model, Prepared, Recipe};
use crate::bank::{
    Bank, Estimates, Fill, Landmarks, Lift, LowRank, Storage, placed, resolved_where_present,
};
use crate::data::{self, Matrix, Missing, Preparation, Views};
use crate::kernel::{Kernel, KernelSpec};
use crate::mkl::{Learner, REGISTRY};
use crate::rule::Weighted;
use crate::scale::Space;
use crate::{Error, Result, Run};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Which instances of the training lacked views, and what was done about them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lacking {
    /// What was done: not `auto`.
    pub handling: Missing,
    /// Instances that were there to learn from.
    pub instances: usize,
    /// Those of them that have all views.
    pub complete: usize,
    /// Each view with the number of instances that have it.
    pub views: Vec<(String, usize)>,
    /// Whether features were estimated, and not similarities.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) of_features: bool,
    /// What stands for values of kernels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fill: Option<FillInfo>,
}

/// What is kept of a [`Fill`] beside its masks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct FillInfo {
    /// The views of the masks.
    pub views: Vec<String>,
    /// Of each kernel, where values are estimated.
    pub scales: Vec<f64>,
    pub neutral: Vec<f64>,
    /// What makes them those of a kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lift: Option<Lift>,
}

impl FillInfo {
    pub fn of(fill: &Fill, kernels: &[Kernel]) -> Self {
        let name = |v: usize| {
            let own = fill.mask_of.iter().zip(kernels).find(|(mask, _)| **mask == v);
            own.map_or(String::new(), |(_, kernel)| kernel.view.clone())
        };
        FillInfo {
            views: (0..fill.masks.len()).map(name).collect(),
            scales: fill.scales.clone(),
            neutral: fill.neutral.clone(),
            lift: fill.lift.clone(),
        }
    }

    /// With the masks; `None` where it is not that of these kernels.
    pub fn with(&self, masks: Vec<Vec<bool>>, kernels: &[Kernel], estimated: bool) -> Option<Fill> {
        let n = masks.first()?.len();
        let place = |k: &Kernel| self.views.iter().position(|v| *v == k.view);
        let mask_of: Vec<usize> = kernels.iter().map(place).collect::<Option<_>>()?;
        let lifts = |l: &Lift| {
            let some = l.added.iter().all(|a| a.is_finite() && *a >= 0.0);
            estimated && some && l.added.len() == kernels.len()
        };
        let sized = self.scales.len() == kernels.len()
            && self.neutral.len() == kernels.len()
            && self.lift.as_ref().is_none_or(lifts);
        let (scales, neutral, lift) =
            (self.scales.clone(), self.neutral.clone(), self.lift.clone());
        sized.then(|| Fill { scales, neutral, lift, ..Fill::of(mask_of, masks, n, estimated) })
    }
}

impl Missing {
    /// Whether something stands for features: always, or where a method makes its kernels of features of its own.
    pub(super) fn fills(self, own_features: bool) -> bool {
        matches!(self, Missing::Zero | Missing::Mean) || (self == Missing::Estimate && own_features)
    }
}

impl Lacking {
    /// `None` where no instance lacks a view.
    pub(super) fn of(views: &Views, handling: Missing, own_features: bool) -> Option<Self> {
        let (instances, complete) = (views.n(), views.complete_rows().len());
        if complete == instances {
            return None;
        }
        let have = |v: &data::View| (0..instances).filter(|i| v.has(*i)).count();
        let views = views.iter().map(|v| (v.name.clone(), have(v))).collect();
        let of_features = handling == Missing::Estimate && own_features;
        Some(Lacking { handling, instances, complete, views, of_features, fill: None })
    }

    /// The instances that have all views.
    ///
    /// # Errors
    /// There are none.
    pub(super) fn complete_rows(&self, views: &Views) -> Result<Vec<usize>> {
        let rows = views.complete_rows();
        if !rows.is_empty() {
            return Ok(rows);
        }
        let have: Vec<String> =
            self.views.iter().map(|(name, count)| format!("'{name}' {count}")).collect();
        Err(Error::Data(format!(
            "no instance has all views (of {}: {}); choose another treatment of missing views than drop, or leave a \
             view out",
            self.instances,
            have.join(", ")
        )))
    }

    /// What a user should read about it.
    pub fn note(&self) -> String {
        let done = match self.handling {
            Missing::Estimate if self.of_features => {
                "what instances near them in the other views have stands for the features there (missing=estimate)"
            }
            Missing::Drop => "they are left out (missing=drop)",
            Missing::Zero => "zeros stand for the scaled features there (missing=zero)",
            Missing::Mean => "column means stand for the features there (missing=mean)",
            Missing::Estimate => {
                "their similarities there are estimated from the other views (missing=estimate)"
            }
            _ => {
                "each view's classifier learns from the instances that have the view (missing=per_view)"
            }
        };
        format!("some instances lack a view: {done}")
    }
}

/// What is done about instances that lack a view by a method to which it was left, or that was told to; refuses what a
/// method cannot do.
pub(super) fn resolved(mkl: &Mkl, learner: &dyn Learner) -> Result<Missing> {
    let id = mkl.method.id;
    match mkl.missing {
        Missing::Auto if learner.learns_per_view() => Ok(Missing::PerView),
        Missing::PerView if !learner.learns_per_view() => {
            let can = |e: &&&crate::method::Entry<dyn Learner>| {
                (e.build)(&e.method.defaults()).learns_per_view()
            };
            let able: Vec<&str> = REGISTRY.iter().filter(can).map(|e| e.method.id).collect();
            let problem = format!(
                "method '{id}' learns one combination of all kernels, which takes every view of an instance; per_view \
                 is for {}; for others choose drop, zero, mean or estimate",
                able.join(", ")
            );
            Err(Error::parameter("missing", problem))
        }
        asked => Ok(asked),
    }
}

/// What is said of instances that lack views where these were to be refused.
pub(super) fn refused(views: &Views) -> Error {
    let lacking = views.missing();
    let each = lacking.iter().map(|(name, absent)| format!("'{name}' is missing for {absent}"));
    let row = (0..views.n()).find(|i| views.iter().any(|v| !v.has(*i)));
    Error::Data(format!(
        "view {} of {} instances (first: row {}), and missing=refuse learns from none such: leave these instances out, or say \
         what becomes of them (missing=auto, drop, zero, mean, estimate or per_view); a view is missing where its row has no \
         number, or a mask says so",
        each.collect::<Vec<_>>().join(", "),
        views.n(),
        row.unwrap_or(0)
    ))
}

/// What is done about these views where it was left to the method, and that does not learn per view.
pub(super) fn chosen(asked: Missing, views: &Views, learner: &dyn Learner) -> Missing {
    let lacks = |v: &data::View| (0..views.n()).any(|i| !v.has(i));
    let similar = views.iter().any(|v| !v.table.is_features() && lacks(v));
    match asked {
        Missing::Auto if similar && !learner.needs_features() => Missing::Estimate,
        Missing::Auto => Missing::Mean,
        asked => asked,
    }
}

/// The preparation of views that instances may lack, the prepared views, and the kernels on them.
pub(super) fn kernels(
    (handling, recipe): (Missing, &Recipe),
    preparation: Preparation,
    views: &Views,
    specs: &[KernelSpec],
    storage: Storage,
    run: &Run,
) -> Result<(Preparation, Views, Bank)> {
    if handling.fills(recipe.wanted.own_features) {
        let known = preparation.apply(views)?;
        let preparation = match handling {
            Missing::Zero => preparation.filling(views, data::Fill::Zero)?,
            Missing::Mean => preparation.filling(views, data::Fill::Mean)?,
            _ => preparation.estimating(views)?,
        };
        let watch = run.watch();
        let prepared = preparation.apply_until(views, &|| watch.stop().is_some())?;
        let bank = match preparation.concat() || known.missing().is_empty() {
            true => Bank::build(&prepared, specs, storage, run)?,
            false => Bank::build_standing_in((&known, &prepared), specs, storage, run)?,
        };
        return Ok((preparation, prepared, bank));
    }
    let prepared = preparation.apply(views)?;
    if prepared.missing().is_empty() {
        let bank = Bank::build(&prepared, specs, storage, run)?;
        return Ok((preparation, prepared, bank));
    }
    let estimates = match handling {
        Missing::Estimate if recipe.wanted.unit_diagonals => Estimates::UnitDiagonal,
        Missing::Estimate => Estimates::Definite,
        _ => Estimates::None,
    };
    let (bank, _) = Bank::build_incomplete(&prepared, specs, storage, estimates, run)?;
    if handling == Missing::Estimate && recipe.wanted.features {
        refuse_unknown(&prepared, &recipe.looks_at)?;
        let preparation = preparation.showing_means(views)?;
        let shown = preparation.shown(views)?;
        return Ok((preparation, placed(&shown)?, bank));
    }
    Ok((preparation, placed(&prepared)?, bank))
}

/// Refuses incomplete similarities as what a method looks at beside kernels: features have means, and they have none.
fn refuse_unknown(views: &Views, named: &[String]) -> Result<()> {
    let features = views.iter().any(|v| v.table.is_features());
    let seen = |v: &&data::View| match named.is_empty() {
        true => !features && v.table.is_similarity(),
        false => named.contains(&v.name) && !v.table.is_features(),
    };
    let lacks = |v: &&data::View| (0..views.n()).any(|i| !v.has(i));
    match views.iter().find(|v| seen(v) && lacks(v)) {
        None => Ok(()),
        Some(view) => Err(Error::Data(format!(
            "view '{}' is {}, the gates look at it as if it were features, and some instances lack it: choose missing=drop, \
             or give views of features, or similarities that no instance lacks, and name them (gate_views)",
            view.name,
            view.table.words()
        ))),
    }
}

/// [`kernels`] as features towards landmarks, with the kernels of these.
pub(super) fn landmarks(
    handling: Missing,
    preparation: Preparation,
    views: &Views,
    (specs, how): (&[KernelSpec], LowRank),
    run: &Run,
    notes: &mut Vec<String>,
) -> Result<(Preparation, Views, Bank, Option<Box<Space>>)> {
    let known = preparation.apply(views)?;
    let preparation = match handling {
        Missing::Zero => preparation.filling(views, data::Fill::Zero)?,
        Missing::Mean => preparation.filling(views, data::Fill::Mean)?,
        _ => preparation,
    };
    let prepared = preparation.apply(views)?;
    if let Some((view, lacking)) = prepared.missing().first() {
        let problem = format!(
            "{lacking} instances lack view '{view}', which landmarks cannot do without; choose drop, zero or mean"
        );
        return Err(Error::parameter("missing", problem));
    }
    // Widths are those of the instances that have the view, as with kernels between all instances.
    let at = if preparation.concat() { &prepared } else { &known };
    let kernels = resolved_where_present(at, specs, run, notes)?;
    if matches!(how.landmarks, Landmarks::Orthogonal | Landmarks::Independent) {
        // As many features as that are not drawn and compared first.
        crate::scale::room_for_learning(kernels.len().saturating_mul(how.rank))?;
    }
    let (space, bank) = Space::new(&prepared, kernels, how, run)?;
    Ok((preparation, prepared, bank, Some(Box::new(space))))
}

impl Prepared {
    /// What its instances lack, if some lack a view.
    pub fn lacking(&self) -> Option<&Lacking> {
        self.lacking.as_ref()
    }
}

impl Model {
    /// Which training instances lacked views, and what was done about them; `None` if all had all.
    pub fn lacking(&self) -> Option<&Lacking> {
        self.info.lacking.as_ref()
    }

    /// The kernels that new rows are compared by: where some values are estimated all of them.
    pub(super) fn compared(&self) -> Vec<usize> {
        compared(self.fill.as_ref(), self.info.kernels.len(), self.active())
    }

    /// Whether instances that lack views are told by the others, where nothing stands for what they lack.
    pub(crate) fn tells_by_views(&self) -> bool {
        // How uncertain a sum of some kernels is, a rule that tells that of all does not know.
        let sum = self.rule.weights().is_some() && self.rule.uncertain().is_none();
        let alone = sum || (self.rule.id() == "each" && self.parts.is_some());
        alone && !self.info.preparation.concat() && self.maps().is_empty()
    }

    /// Decision values of prepared rows some of which lack views: rows with the same views together, by the parts of the
    /// decision functions that these views have.
    pub(super) fn by_views(&self, views: &Views, run: &Run) -> Result<Matrix> {
        let active = self.active();
        if !self.tells_by_views() {
            let row = views.iter().find_map(|v| (0..views.n()).find(|i| !v.has(*i))).unwrap_or(0);
            return Err(Error::Data(format!(
                "{} lacks a view, and what the model learned takes all of them together; fit it with missing=mean or \
                 missing=zero (or estimate, where the method takes it and some training instances lack views, too), or leave such instances \
                 out",
                views.instance(row)
            )));
        }
        let kernels = &self.info.kernels;
        let looked_at = |v: &&data::View| active.iter().any(|m| kernels[*m].view == v.name);
        let asked: Vec<&data::View> = views.iter().filter(looked_at).collect();
        let mut rows_of: BTreeMap<Vec<bool>, Vec<usize>> = BTreeMap::new();
        for i in 0..views.n() {
            rows_of.entry(asked.iter().map(|v| v.has(i)).collect()).or_default().push(i);
        }
        let machines = self.bias.len();
        let mut out = Matrix::zeros(views.n(), machines);
        for (has, rows) in rows_of {
            let here: Vec<&str> =
                asked.iter().zip(&has).filter(|(_, h)| **h).map(|(v, _)| v.name.as_str()).collect();
            let is_here = |k: &usize| here.contains(&kernels[active[*k]].view.as_str());
            let own: Vec<usize> = (0..active.len()).filter(is_here).collect();
            let found = match own.is_empty() {
                true => Matrix::from_fn(rows.len(), machines, |_, t| self.bias[t]),
                false => values(self, &views.rows(&rows), &self.part(&active, &own), run)?.0,
            };
            for (r, i) in rows.iter().enumerate() {
                out.row_mut(*i).copy_from_slice(found.row(r));
            }
        }
        Ok(out)
    }

    /// The decision functions on some of the active kernels (places in `active`), with their weights renormalised; the
    /// constant alone of machines that look at none of them.
    fn part(&self, active: &[usize], own: &[usize]) -> Chosen {
        let whole = own.len() == active.len();
        let kernels = own.iter().map(|k| active[*k]).collect();
        let s = self.kept.len();
        if let Some(weights) = self.rule.weights() {
            let of = |k: usize| weights[active[k]];
            let total: f64 = (0..active.len()).map(|k| of(k).abs()).sum();
            let here: f64 = own.iter().map(|k| of(*k).abs()).sum();
            let factor = if whole { 1.0 } else { total / here };
            let rule = Weighted::new(own.iter().map(|k| factor * of(*k)).collect());
            return Chosen::Sum { kernels, rule: Box::new(rule) };
        }
        let machines = self.bias.len();
        let factor = |t: usize| -> Option<f64> {
            let parts = self.parts.as_ref().filter(|_| !whole)?;
            let here: f64 = own.iter().map(|k| parts.shares.get(t, *k)).sum();
            Some(if here > 0.0 { parts.shares.row(t).iter().sum::<f64>() / here } else { 0.0 })
        };
        let factors: Vec<Option<f64>> = (0..machines).map(factor).collect();
        let at = |t: usize, j: usize| {
            factors[t].unwrap_or(1.0) * self.coef.get(t, own[j / s] * s + j % s)
        };
        let bias = |t: usize| match (factors[t].filter(|f| *f > 0.0), &self.parts) {
            (Some(f), Some(parts)) => f * own.iter().map(|k| parts.biases.get(t, *k)).sum::<f64>(),
            _ => self.bias[t],
        };
        Chosen::Each {
            kernels,
            coef: Matrix::from_fn(machines, own.len() * s, at),
            bias: (0..machines).map(bias).collect(),
        }
    }

    /// What a user should know where some of these rows lack views.
    pub(super) fn lacking_note(&self, views: &Views) -> Option<String> {
        let n = views.n();
        let known = |v: &&data::View| self.info.views.iter().any(|own| own.name == v.name);
        let asked: Vec<&data::View> = views.iter().filter(known).collect();
        let lacking = (0..n).filter(|i| asked.iter().any(|v| !v.has(*i))).count();
        if lacking == 0 {
            return None;
        }
        let told = |how: &str| {
            Some(format!("{lacking} of {n} instances lack a view: they are told {how}"))
        };
        if self.info.preparation.fills() {
            return told("by what stands for the missing features");
        }
        if self.fill.as_ref().is_some_and(|f| f.estimated) {
            let unsure = match self.rule.uncertain() {
                None => "",
                Some(u) if u.of_classes() => "; their probabilities may be too sure",
                Some(_) => "; their standard deviations may be too small",
            };
            return told(&format!(
                "with similarities that are estimated from the other views{unsure}"
            ));
        }
        let active = self.active();
        let read = |v: &&&data::View| active.iter().any(|m| self.info.kernels[*m].view == v.name);
        let read: Vec<&&data::View> = asked.iter().filter(read).collect();
        let alone = (0..n).filter(|i| !read.iter().any(|v| v.has(*i))).count();
        match alone {
            0 => told("by the views that they have, whose weights are renormalised"),
            _ => told(&format!(
                "by the views that they have, whose weights are renormalised, but {alone} of them by the constant of the \
                 model, which looks at no view that they have"
            )),
        }
    }
}

/// The kernels that new rows are compared by, of so many, where `active` are those that the rule reads.
pub(super) fn compared(fill: Option<&Fill>, kernels: usize, active: Vec<usize>) -> Vec<usize> {
    match fill.is_some_and(|f| f.estimated) {
        true => (0..kernels).collect(),
        false => active,
    }
}

/// Refuses new instances that have none of the views of the training. Where only those are given that the model reads, an
/// instance may have another.
pub(super) fn require_some_view(model: &Model, views: &Views) -> Result<()> {
    let learned = model.info.preparation.learned();
    // The view that a map of features was learned of stands for what it makes.
    let source = |view: &'_ str| -> String {
        learned.iter().find(|l| l.name() == view).map_or(view, |l| l.view()).to_string()
    };
    let given = |view: &str| views.iter().any(|v| v.name == source(view));
    if !model.info.preparation.concat() && !model.info.kernels.iter().all(|k| given(&k.view)) {
        return Ok(());
    }
    let Some(i) = (0..views.n()).find(|i| !views.iter().any(|v| v.has(*i))) else { return Ok(()) };
    let names: Vec<String> = views.iter().map(|v| format!("'{}'", v.name)).collect();
    Err(Error::Data(format!(
        "{} has none of the views {}; leave it out",
        views.instance(i),
        names.join(", ")
    )))
}

/// New instances with 0 for their similarities to training instances that lack the view, which are not read.
pub(super) fn known_columns<'a>(model: &Model, views: Cow<'a, Views>) -> Result<Cow<'a, Views>> {
    let looked_at = |v: &data::View| model.info.views.iter().any(|known| known.name == v.name);
    let unknown = |v: &data::View| match looked_at(v) {
        true => v.table.unknown_columns(v.present.as_deref()),
        false => Vec::new(),
    };
    let unknown: Vec<Vec<usize>> = views.iter().map(unknown).collect();
    if unknown.iter().all(Vec::is_empty) {
        return Ok(views);
    }
    let fill = model.info.lacking.as_ref().and_then(|l| l.fill.as_ref());
    let lacks = |view: &str, kept: usize| {
        let place = fill.and_then(|f| f.views.iter().position(|v| v == view));
        place.zip(model.fill.as_ref()).is_some_and(|(v, fill)| !fill.masks[v][kept])
    };
    let mut all = Views::new();
    for (view, columns) in views.iter().zip(&unknown) {
        let mut view = view.clone();
        for j in columns {
            let kept = model.kept.binary_search_by(|i| (*i as usize).cmp(j));
            if kept.is_ok_and(|k| !lacks(&view.name, k)) {
                return Err(Error::Data(format!(
                    "view '{}': column {j} is NaN, and the training instance that it belongs to has the view",
                    view.name
                )));
            }
        }
        if let data::Table::Similarity(m) = &mut view.table {
            for i in 0..m.rows() {
                columns.iter().for_each(|j| m.set(i, *j, 0.0));
            }
        }
        all.push(view)?;
    }
    if let Some(ids) = views.ids() {
        all.set_ids(ids.to_vec())?;
    }
    Ok(Cow::Owned(all))
}
