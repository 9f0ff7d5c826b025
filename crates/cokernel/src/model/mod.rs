//! The fitted model: how it is made ([`Mkl`], [`MultiView`]), what it is ([`Model`] for classes,
//! [`EmbeddingModel`] for embeddings and clusters), and its file.

mod calibrated;
mod choose;
mod conformal;
mod costs;
mod embedding;
mod file;
mod finite;
mod fit;
mod gates;
mod given;
mod graphs;
mod kernels;
mod missing;
mod multiview;
mod pair_kernels;
mod paired;
mod predict;
mod prepare;
mod prepared;
mod summary;
#[cfg(test)]
mod tests;
mod widths;

pub(crate) use calibrated::cross_fitted;
pub use calibrated::{CalibrationInfo, CurveInfo};
pub use conformal::{Certain, Conformal, held_out};
pub use costs::Costs;
pub(crate) use costs::Priced;
pub use embedding::EmbeddingModel;
pub use fit::Mkl;
pub use gates::{GatePlane, Gates};
pub use given::Given;
pub use kernels::FittedKernels;
pub use missing::Lacking;
pub use multiview::{MultiView, PreparedViews};
pub use pair_kernels::{Combine, PairKernels};
pub use predict::Prediction;
pub use prepared::Prepared;
pub(crate) use prepared::Recipe;
pub use summary::{
    ClassKind, ClusterInfo, EmbeddingSummary, KernelUse, KernelWeight, MachineInfo, Summary,
    ViewInfo,
};
pub use widths::FeatureWidths;

use crate::bank::{Fill, Storage, needs_all_rows};
use crate::calibrate::Calibration;
use crate::data::{Csr, LearnedView, Matrix, Preparation, Table, Target, Views};
use crate::kernel::{Kernel, Norm, Normalization, ViewKind};
use crate::machine::{CheckedMachine, Reading, Solution, Svc};
use crate::method::Task;
use crate::mkl::{Learned, Parts, with_maps};
use crate::params::Params;
use crate::rule::{self, Combination, Rule};
use crate::scale::Basis;
use crate::{Error, Report, Result, Run, VERSION};
use missing::FillInfo;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;

/// What prediction needs, and how it was found. Made by [`Mkl::fit`] or [`Model::load`].
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    info: Info,
    /// The combination, whose fields are also in `info`.
    rule: Combination,
    /// Training instances that prediction compares with, increasing.
    kept: Vec<u32>,
    /// Their prepared rows, for the feature views of active kernels.
    support: Views,
    /// What the rule wants to know of each of them by itself, where it wants something.
    numbers: Option<Matrix>,
    /// α_i y_i: machines × kept; machines × (active kernels · kept), one kernel after the other, under a
    /// rule with coefficients for every kernel.
    coef: Matrix,
    /// b of each machine.
    bias: Vec<f64>,
    /// Where some of the instances that were given were left out: those of training, increasing.
    /// `n_train` numbers, or none if all were learned from.
    learned: Vec<u32>,
    /// Where some of the kept rows lack a view whose values are looked at.
    fill: Option<Fill>,
    /// The parts of decision functions that are told apart by kernels.
    parts: Option<Parts>,
}

/// What a model file holds, for those who do not know beforehand.
#[derive(Debug, Clone, PartialEq)]
pub enum Saved {
    /// A classification model.
    Classifier(Box<Model>),
    /// An embedding model.
    Embedding(Box<EmbeddingModel>),
}

impl Saved {
    /// Reads a model of any kind.
    ///
    /// # Errors
    /// As [`Model::load`] and [`EmbeddingModel::load`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        file::load_any(path.as_ref())
    }
}

/// Everything that is not a table of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Info {
    method: String,
    params: Params,
    /// What files of formats 1 and 2 say instead of `machine`.
    #[serde(default, skip_serializing)]
    svc: Option<Svc>,
    #[serde(default)]
    machine: CheckedMachine,
    seed: u64,
    library_version: String,
    classes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    class_kind: Option<ClassKind>,
    n_train: usize,
    n_dropped: usize,
    /// How many instances were given, where that is known and not all were learned from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    n_given: Option<usize>,
    /// Where training instances lacked views.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lacking: Option<Lacking>,
    views: Vec<ViewInfo>,
    /// All views of the fit in their order, where prediction does not ask for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    all_views: Vec<String>,
    preparation: Preparation,
    kernels: Vec<Kernel>,
    /// Normalisations of each kernel, cut to the kept instances; empty for inactive kernels.
    norms: Vec<Vec<Norm>>,
    rule: serde_json::Value,
    machines: Vec<MachineInfo>,
    /// Its curves' points are tables of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    calibration: Option<Calibration>,
    /// What sets and intervals come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conformal: Option<Conformal>,
    report: Report,
}

/// What a detector says of an instance, in code order.
const DETECTED: [&str; 2] = ["outlier", "inlier"];

/// The training instances that prediction compares with; never none, so that tables have a row.
fn kept_rows(machines: &Solution, n: usize, all: bool) -> Vec<usize> {
    if all {
        return (0..n).collect();
    }
    let support = machines.support(n);
    if support.is_empty() { vec![0] } else { support }
}

/// The names of all views, unless these are all.
fn beside(names: &[String], asked_for: &[ViewInfo]) -> Vec<String> {
    if names.iter().eq(asked_for.iter().map(|v| &v.name)) { Vec::new() } else { names.to_vec() }
}

/// The names of all views of the fit.
fn all_views(beside: &[String], asked_for: &[ViewInfo]) -> Vec<String> {
    match beside.is_empty() {
        true => asked_for.iter().map(|v| v.name.clone()).collect(),
        false => beside.to_vec(),
    }
}

/// Some rows of a table, of which few columns are looked at: 0 elsewhere, and sparse.
fn only_columns(table: &Table, kept: &[usize], columns: &[usize]) -> Result<Table> {
    if 4 * columns.len() > table.cols() {
        return Ok(table.select_rows(kept));
    }
    let entry = |i: usize, c: usize| match table {
        Table::Dense(m) | Table::Similarity(m) => m.get(i, c),
        Table::Sparse(m) | Table::Graph(m) => m.get(i, c),
        Table::Sequences(_) => 0.0,
    };
    let row = |i: &usize| {
        let cells = columns.iter().map(|c| (*c as u32, entry(*i, *c)));
        cells.filter(|cell| cell.1 != 0.0).collect()
    };
    Ok(Table::Sparse(Csr::from_rows(table.cols(), kept.iter().map(row).collect())?))
}

/// A normalisation for the kept instances only.
fn cut(norm: &Norm, kept: &[usize]) -> Norm {
    match norm {
        Norm::Center { row_means, grand_mean } => Norm::Center {
            row_means: kept.iter().map(|&i| row_means[i]).collect(),
            grand_mean: *grand_mean,
        },
        other => other.clone(),
    }
}

/// Coefficients of each instance: one, or one for each kernel that is read.
fn width(rule: &dyn Rule) -> usize {
    match rule.pointwise().is_some() || !rule.own_gates().is_empty() {
        true => 1,
        false => rule.active().len(),
    }
}

/// Refuses what no model could predict: a similarity view does not tell the self-similarity of new
/// instances.
fn refuse_unit_diagonal(active: &[usize], kernels: &[Kernel]) -> Result<()> {
    let unit = |m: &&usize| {
        kernels[**m].function.takes() == ViewKind::Similarities
            && kernels[**m].normalize.contains(&Normalization::UnitDiagonal)
    };
    match active.iter().find(unit) {
        None => Ok(()),
        Some(m) => Err(Error::Data(format!(
            "kernel '{}' has normalisation unit_diagonal, but a similarity does not tell the \
             self-similarity of new instances; normalise the similarity itself before training \
             and prediction",
            kernels[*m].name
        ))),
    }
}

/// Whether every training instance must be kept, not only the support vectors.
///
/// Centring subtracts r(x), the mean of k(x, ·) over all training instances. In Σ_i coef_i k(x_i, x)
/// it cancels where Σ_i coef_i = 0. It does not cancel where the centred value is divided by its
/// diagonal afterwards, or combined with other kernels in another way than by a weighted sum.
///
/// Kernels of single features that are centred by the mean of their feature (`by_feature`) need none of that.
fn keeps_all(
    rule: &dyn Rule,
    kernels: &[Kernel],
    active: &[usize],
    reading: Reading,
    by_feature: impl Fn(usize) -> bool,
) -> bool {
    active.iter().filter(|m| !by_feature(**m)).any(|&m| match rule.weights() {
        Some(_) if reading.sums_to_zero() => needs_all_rows(&kernels[m].normalize),
        _ => kernels[m].normalize.iter().any(|step| step.centers()),
    })
}

/// Whether estimates of values for new rows need every training instance: they mix values of several kernels, so that
/// what centring subtracts from all values of a kernel does not cancel.
fn keeps_for_estimates(fill: Option<&Fill>, kernels: &[Kernel]) -> bool {
    let centres = |k: &Kernel| k.normalize.iter().any(|step| step.centers());
    fill.is_some_and(|f| f.estimated) && kernels.iter().any(centres)
}

impl Model {
    /// Cuts what was learned down to what prediction needs.
    fn build(
        method: &str,
        params: Params,
        machine: CheckedMachine,
        prepared: &Prepared,
        learned: Learned,
        run: &Run,
    ) -> Result<Self> {
        let Learned { rule, machines, views: maps, parts, basis, mut report } = learned;
        let machines = machines.ok_or_else(|| {
            Error::Data(format!("method '{method}' gave a rule but no machine was trained on it"))
        })?;
        let mapped = match maps.is_empty() {
            true => None,
            false => {
                let (views, bank) = (&prepared.views, &prepared.bank);
                Some(with_maps(bank, views, &maps, Storage::OnDemand, run)?)
            }
        };
        let unmapped = (&prepared.views, &prepared.bank);
        let (prepared_views, bank) = mapped.as_ref().map_or(unmapped, |(v, b)| (v, b));
        let n = prepared.rows.len();
        let active = rule.active();
        let reading = machine.build()?.reading();
        let compared_by = missing::compared(bank.fill(), bank.len(), active.clone());
        let all = rule.uncertain().is_some()
            || keeps_all(&*rule, bank.kernels(), &active, reading, |m| bank.is_column(m))
            || keeps_for_estimates(bank.fill(), bank.kernels());
        // The instances that coefficients belong to.
        let of = basis.as_ref().map_or(n, Basis::len);
        let kept = match &basis {
            None => kept_rows(&machines, n, all),
            Some(Basis::Instances(rows)) => rows.clone(),
            Some(directions) => (0..directions.len()).collect(),
        };
        let kernels = match &basis {
            Some(Basis::Directions { kernels, .. }) => kernels,
            _ => bank.kernels(),
        };
        let mut is_active = vec![false; bank.len()];
        compared_by.iter().for_each(|m| is_active[*m] = true);
        let plain = basis.as_ref().is_some_and(Basis::are_directions);
        let norms = (0..bank.len())
            .map(|m| match is_active[m] && !plain {
                true => bank.norms(m).iter().map(|norm| cut(norm, &kept)).collect(),
                false => Vec::new(),
            })
            .collect();
        let own = rule.views();
        let compared = |name: &str| compared_by.iter().any(|&m| kernels[m].view == name);
        let looked_at = |name: &str| compared(name) || own.iter().any(|v| v == name);
        let preparation = prepared.preparation.clone().with_learned(maps)?.only(looked_at);
        let asked_for = |v: &&ViewInfo| preparation.names().contains(&v.name.as_str());
        let views: Vec<ViewInfo> = prepared.given.iter().filter(asked_for).cloned().collect();
        refuse_unit_diagonal(&compared_by, kernels)?;
        let fill = bank.fill().map(|f| f.rows(&kept));
        let lacking = prepared.lacking.clone().map(|lacking| Lacking {
            fill: bank.fill().map(|fill| FillInfo::of(fill, kernels)),
            ..lacking
        });
        let mut support = Views::new();
        for view in prepared_views.iter() {
            if compared(&view.name) && !view.table.is_similarity() {
                let table = match (bank.columns_read(&view.name, &compared_by), &basis) {
                    (_, Some(directions @ Basis::Directions { .. })) => directions.table(view)?,
                    (Some(columns), _) => only_columns(&view.table, &kept, &columns)?,
                    (None, _) => view.table.select_rows(&kept),
                };
                support = support.with(view.name.clone(), table)?;
            }
        }
        let numbers = rule::numbers(&*rule, prepared_views)?.map(|all| all.select_rows(&kept));
        let coefs = machines.coefs();
        let (s, width) = (kept.len(), width(&*rule));
        if coefs.iter().any(|c| c.len() != width * of) {
            let expected = format!("{} coefficients for each machine", width * of);
            return Err(Error::shape(format!("method '{method}'"), expected, "other machines"));
        }
        let place = |j: usize| if of == s { j } else { kept[j] };
        let at = |t: usize, j: usize| coefs[t][(j / s) * of + place(j % s)];
        let coef = Matrix::from_fn(coefs.len(), width * s, at);
        let names = match &prepared.target {
            Target::Classes(classes) => classes.names.as_slice(),
            Target::Posteriors(posteriors) => posteriors.classes().names.as_slice(),
            Target::Partial(partial) => partial.names.as_slice(),
            Target::Real(_) => &[],
            Target::Nothing(_) => &DETECTED.map(str::to_string),
        };
        let infos = machines.blocks.iter().flat_map(|block| {
            block.heads.iter().map(|head| MachineInfo::of(block, head, of, names))
        });
        report.notes.splice(0..0, prepared.notes().iter().cloned());
        report.warnings.splice(0..0, prepared.bank.warnings().iter().cloned());
        let info = Info {
            method: method.to_string(),
            params,
            svc: None,
            machine,
            seed: run.seed,
            library_version: VERSION.to_string(),
            classes: names.to_vec(),
            class_kind: None,
            n_train: n,
            n_dropped: prepared.n_dropped - prepared.n_incomplete,
            lacking,
            n_given: None,
            all_views: beside(&prepared.names, &views),
            views,
            preparation,
            kernels: kernels.to_vec(),
            norms,
            rule: rule::written(&*rule).0,
            machines: infos.collect(),
            calibration: None,
            conformal: None,
            report,
        };
        let bias = machines.heads().map(|h| h.bias).collect();
        let kept = kept.into_iter().map(|i| i as u32).collect();
        let learned = Vec::new();
        let model = Model { info, rule, kept, support, numbers, coef, bias, learned, fill, parts };
        finite::classifier(&model)?;
        match prepared.n_dropped {
            0 => Ok(model),
            dropped => model.of_given(&prepared.rows, n + dropped),
        }
    }

    /// The model, which keeps what the names of its classes were, so that who reads it can make the same of them.
    #[must_use]
    pub fn with_class_kind(mut self, kind: ClassKind) -> Self {
        self.info.class_kind = Some(kind);
        self
    }

    /// The model with these sentences before the other notes of its report.
    #[must_use]
    pub fn with_notes(mut self, notes: Vec<String>) -> Self {
        self.info.report.notes.splice(0..0, notes);
        self
    }

    /// Says that the instances of training were those with the indices `rows` among `n`, the others
    /// having been left out before (for a weight of 0, say). [`duals`](Self::duals) then counts in
    /// all of them, and similarities may be towards all of them.
    ///
    /// # Errors
    /// Not one index below `n` for each instance of training, increasing.
    pub fn of_given(mut self, rows: &[usize], n: usize) -> Result<Self> {
        // Where some were left out before, those are counted in what is given now.
        let all: Cow<'_, [usize]> = match self.info.n_given {
            Some(given) if given == rows.len() && !self.learned.is_empty() => {
                self.learned.iter().map(|i| rows[*i as usize]).collect::<Vec<_>>().into()
            }
            _ => rows.into(),
        };
        let rows = &all[..];
        let learned: Vec<u32> = rows.iter().filter_map(|&i| u32::try_from(i).ok()).collect();
        let increasing = learned.windows(2).all(|w| w[0] < w[1]);
        let below = learned.last().is_some_and(|i| (*i as usize) < n);
        if learned.len() != self.info.n_train
            || rows.len() != learned.len()
            || !increasing
            || !below
        {
            let expected = format!("{} increasing row numbers below {n}", self.info.n_train);
            return Err(Error::shape("instances of training", expected, rows.len()));
        }
        (self.learned, self.info.n_given) = match learned.len() == n {
            true => (Vec::new(), None),
            false => (learned, Some(n)),
        };
        Ok(self)
    }

    /// The instances of training among those that were given, increasing, and how many were given;
    /// `None` if all were learned from (or an early version wrote the model).
    pub fn learned_from(&self) -> Option<(Vec<usize>, usize)> {
        let n = self.info.n_given?;
        Some((self.learned.iter().map(|i| *i as usize).collect(), n))
    }

    /// Labels and decision values of new instances. Similarity views hold, for each new instance,
    /// its similarity to all training instances in their order; where some of those that were given
    /// were left out, either to all that were given or to those that were learned from.
    ///
    /// # Errors
    /// A view is missing, or differs from training in kind, number of columns or column names; an instance has none of
    /// the views, or lacks one that the combination cannot do without. Instances that lack a view are told by the
    /// others: see [`Missing`](crate::data::Missing) and [`Prediction::notes`].
    pub fn predict(&self, views: &Views) -> Result<Prediction> {
        self.predict_in(views, &Run::default())
    }

    /// [`predict`](Self::predict) with the limits of a run.
    ///
    /// # Errors
    /// As [`predict`](Self::predict); [`Error::Stopped`].
    pub fn predict_in(&self, views: &Views, run: &Run) -> Result<Prediction> {
        predict::predict(self, views, run)
    }

    /// Writes the model in one step: `path` holds the old content or the new, never half.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        file::save(self, path.as_ref())
    }

    /// The content of the model's file.
    ///
    /// # Errors
    /// The model holds a number that is not finite.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        file::to_bytes(self)
    }

    /// Reads the content of a model's file, as [`load`](Self::load) does.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        file::from_bytes(bytes)
    }

    /// Reads a model. Nothing is executed, and every size is checked before it is used.
    ///
    /// # Errors
    /// The file cannot be read, is not a classification model, is truncated or damaged, or comes from a newer
    /// version of the format.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        file::load(path.as_ref())
    }

    /// Registry id of the method.
    pub fn method(&self) -> &str {
        &self.info.method
    }

    /// The checked parameters of the method.
    pub fn params(&self) -> &Params {
        &self.info.params
    }

    /// The machine and its parameters.
    pub fn machine(&self) -> &CheckedMachine {
        &self.info.machine
    }

    /// What the model was learned for.
    pub fn task(&self) -> Task {
        self.info.machine.method().map_or(Task::Classify, |m| m.tasks[0])
    }

    /// The combination, over [`kernels`](Self::kernels).
    pub fn rule(&self) -> &dyn Rule {
        &*self.rule
    }

    /// All kernels of training in order.
    pub fn kernels(&self) -> &[Kernel] {
        &self.info.kernels
    }

    /// The maps of views that the method has learned.
    pub fn maps(&self) -> &[LearnedView] {
        self.info.preparation.learned()
    }

    /// Every kernel with its weight, in order.
    pub fn weights(&self) -> Vec<KernelWeight> {
        let mut active = vec![false; self.info.kernels.len()];
        self.rule.active().into_iter().for_each(|m| active[m] = true);
        let errors = self.info.report.details.get("weight_errors");
        let errors = errors.filter(|e| e.len() == self.info.kernels.len());
        let one = |((m, kernel), weight): ((usize, &Kernel), f64)| KernelWeight {
            error: errors.map(|e| e[m]),
            kernel: kernel.name.clone(),
            view: kernel.view.clone(),
            weight,
            active: active[m],
        };
        self.info.kernels.iter().enumerate().zip(self.rule.uses()).map(one).collect()
    }

    /// Indices of the kernels that prediction evaluates.
    fn active(&self) -> Vec<usize> {
        self.rule.active()
    }

    /// Whether new rows are compared with directions of random features, not with instances of training.
    fn has_directions(&self) -> bool {
        self.info.kernels.iter().any(|k| k.function.is_wave())
    }

    /// Number of training instances that are a support vector of some machine; of random features their number.
    pub fn n_support(&self) -> usize {
        self.used().len()
    }

    /// Places of kept rows with a coefficient.
    fn used(&self) -> Vec<usize> {
        let (s, width) = (self.kept.len(), width(&*self.rule));
        let here = |t: usize, i: usize| (0..width).any(|l| self.coef.get(t, l * s + i) != 0.0);
        (0..s).filter(|i| (0..self.coef.rows()).any(|t| here(t, *i))).collect()
    }

    /// The support vectors: training instances (increasing, counted in all that were given; none where random features stand
    /// for kernels), α_i y_i
    /// (machines × support vectors, or random features; under a rule with coefficients for every kernel those of one active
    /// kernel after the other) and the bias of each machine.
    pub fn duals(&self) -> (Vec<usize>, Matrix, Vec<f64>) {
        let (s, width, used) = (self.kept.len(), width(&*self.rule), self.used());
        let columns: Vec<usize> =
            (0..width).flat_map(|l| used.iter().map(move |i| l * s + i)).collect();
        let given = |i: u32| self.learned.get(i as usize).copied().unwrap_or(i) as usize;
        let rows = match self.has_directions() {
            true => Vec::new(),
            false => used.iter().map(|&i| given(self.kept[i])).collect(),
        };
        (rows, self.coef.select_cols(&columns), self.bias.clone())
    }

    /// Support vectors in percent of the training instances.
    pub fn support_percent(&self) -> f64 {
        100.0 * self.n_support() as f64 / self.info.n_train.max(1) as f64
    }

    /// The binary problems, in the order of the columns of [`Prediction::decisions`].
    pub fn machines(&self) -> &[MachineInfo] {
        &self.info.machines
    }

    /// Class names in code order; `outlier` and `inlier` of a detector, none of a regression.
    pub fn classes(&self) -> &[String] {
        &self.info.classes
    }

    /// The views that must be given to predict.
    pub fn views(&self) -> &[ViewInfo] {
        &self.info.views
    }

    /// Number of training instances, without those that were left out.
    pub fn n_train(&self) -> usize {
        self.info.n_train
    }

    /// How learning went; its notes hold everything a user should read.
    pub fn report(&self) -> &Report {
        &self.info.report
    }

    /// The seed that was used.
    pub fn seed(&self) -> u64 {
        self.info.seed
    }

    /// Version of the library that fitted the model.
    pub fn library_version(&self) -> &str {
        &self.info.library_version
    }

    /// All of the above in one serialisable value.
    pub fn inspect(&self) -> Summary {
        Summary {
            method: self.info.method.clone(),
            params: self.info.params.clone(),
            machine: self.info.machine.clone(),
            library_version: self.info.library_version.clone(),
            seed: self.info.seed,
            classes: self.info.classes.clone(),
            class_kind: self.info.class_kind,
            n_train: self.info.n_train,
            n_dropped: self.info.n_dropped,
            n_given: self.info.n_given.unwrap_or(self.info.n_train),
            views: self.info.views.clone(),
            all_views: all_views(&self.info.all_views, &self.info.views),
            rule: self.rule.id().to_string(),
            weights: self.weights(),
            widths: self.feature_widths(),
            active_kernels: self.weights().iter().filter(|w| w.active).count(),
            support: self.n_support(),
            support_percent: self.support_percent(),
            total_cost: self.prices().and_then(|d| self.total_cost(d).ok()),
            machines: self.info.machines.clone(),
            calibration: self.calibration_info(),
            lacking: self.info.lacking.clone().map(|l| Lacking { fill: None, ..l }),
            report: self.info.report.clone(),
        }
    }
}
