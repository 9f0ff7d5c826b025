//! [`Mkl`]: from views and labels to a [`Model`].
//!
//! Fitting has two halves, so that several methods can share the expensive first one:
//! [`Mkl::prepare`] keeps the labelled instances, scales the views (side by side for methods that
//! concatenate) and computes the kernels; [`Mkl::fit_prepared`] learns.

use super::prepared::{check_square, dropped_note, kernels_or_default, used_views, without_view};
use super::{Given, Model, Prepared, Recipe};
use crate::bank::{Bank, Storage};
use crate::catalogue;
use crate::data::{Labels, Matrix, Preparation, Scale, Target, Views};
use crate::kernel::{Family, Function, Kernel, KernelSpec};
use crate::machine::{Decomposition, Machine, MachineSpec, Svc};
use crate::method::{Method, Task};
use crate::mkl::{self, Arrangement, Learned, Learner, Problem};
use crate::params::{Params, Value};
use crate::{Error, Event, Result, Run, Watch};
use std::borrow::Cow;

/// A method with its parameters, kernels, machine and scaling: everything but the data.
///
/// ```
/// use cokernel::{Run, data, kernel::KernelSpec, model::Mkl};
///
/// let (views, labels) = data::digits()?;
/// let (train, test): (Vec<usize>, Vec<usize>) = (0..2000).step_by(10).partition(|i| i % 20 == 0);
/// let model = Mkl::new("mean")?
///     .kernels([KernelSpec::gaussian(), KernelSpec::linear().view("fou")])
///     .scale(data::Scale::Standard)
///     .c(10.0)
///     .fit(&views.select(&train), &labels.select(&train), &Run::default())?;
/// let predicted = model.predict(&views.select(&test))?;
/// assert_eq!(predicted.labels.len(), 100);
/// assert_eq!(model.weights().len(), 7);
/// # Ok::<(), cokernel::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Mkl {
    method: &'static Method,
    given: Vec<(String, Value)>,
    kernels: Option<Vec<KernelSpec>>,
    machine: MachineSpec,
    scale: Scale,
    storage: Storage,
    /// Factor on the widths of all kernels.
    width: f64,
}

impl Mkl {
    /// The method with this registry id, everything else at its default.
    ///
    /// # Errors
    /// No such method (the closest is suggested), or it does not learn from labels.
    pub fn new(id: &str) -> Result<Self> {
        let method = catalogue::find(id)?;
        mkl::learner(method, &method.defaults())?;
        Ok(Mkl {
            method,
            given: Vec::new(),
            kernels: None,
            machine: MachineSpec::default(),
            scale: Scale::None,
            storage: Storage::Auto,
            width: 1.0,
        })
    }

    /// The kernels. Default: a Gaussian kernel with the median width on every feature view, the
    /// view itself where it is a similarity.
    #[must_use]
    pub fn kernels(mut self, kernels: impl IntoIterator<Item = KernelSpec>) -> Self {
        self.kernels = Some(kernels.into_iter().collect());
        self
    }

    /// A parameter of the method; checked against its table when fitting.
    #[must_use]
    pub fn param(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.given.push((name.into(), value.into()));
        self
    }

    /// The machine that learns on the combination. Default: C-SVC.
    #[must_use]
    pub fn machine(mut self, machine: impl Into<MachineSpec>) -> Self {
        self.machine = machine.into();
        self
    }

    /// Cost C of a unit of slack.
    #[must_use]
    pub fn c(mut self, c: f64) -> Self {
        self.machine.set("c", c);
        self
    }

    /// Multiplies C for the instances of one class.
    #[must_use]
    pub fn class_weight(mut self, class: impl Into<String>, weight: f64) -> Self {
        self.machine.add_factor("class_weight", class.into(), weight);
        self
    }

    /// Multiplies C of each class by n / (k · n_class).
    #[must_use]
    pub fn balanced(mut self, balanced: bool) -> Self {
        self.machine.set("class_weight", if balanced { "balanced" } else { "none" });
        self
    }

    /// How several classes become binary problems.
    #[must_use]
    pub fn decomposition(mut self, decomposition: Decomposition) -> Self {
        self.machine.set("decomposition", decomposition.id());
        self
    }

    /// C-SVC, with all its parameters at once.
    #[must_use]
    pub fn svc(self, svc: Svc) -> Self {
        self.machine(&svc)
    }

    /// How the columns of feature views are scaled. Default: not.
    #[must_use]
    pub fn scale(mut self, scale: Scale) -> Self {
        self.scale = scale;
        self
    }

    /// How kernels are kept. Default: in memory if they fit into [`Run::memory`].
    #[must_use]
    pub fn storage(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// Multiplies the widths of all kernels that have one. Default: 1.
    #[must_use]
    pub fn width(mut self, factor: f64) -> Self {
        self.width = factor;
        self
    }

    /// Whether [`with`](Self::with) knows a parameter of this name.
    pub fn knows(&self, name: &str) -> bool {
        matches!(name, "width" | "method")
            || self.method.param(name).is_some()
            || self.machine.method().param(name).is_some()
    }

    /// The same with another value of a parameter of the method, of the machine (`c` is always that of the machine, if
    /// it has one), `width` for a factor on the widths of kernels, or `method` for another method.
    ///
    /// # Errors
    /// No such parameter, or a value outside its range.
    pub fn with(&self, name: &str, value: &Value) -> Result<Self> {
        let mut other = self.clone();
        let of_machine = self.machine.method().param(name).is_some();
        match name {
            "method" => {
                let id = value.to_string();
                other.method = Mkl::new(&id)?.method;
                other.given.retain(|(n, _)| other.method.param(n).is_some());
            }
            "width" => {
                let factor = match value {
                    Value::Real(v) => *v,
                    Value::Int(v) => *v as f64,
                    _ => f64::NAN,
                };
                if !(factor > 0.0 && factor.is_finite()) {
                    let problem = format!("expected a factor above 0, found {value}");
                    return Err(Error::parameter("width", problem));
                }
                other.width = factor;
            }
            name if of_machine && (name == "c" || self.method.param(name).is_none()) => {
                other.machine.set(name, value.clone());
                other.machine.checked()?;
            }
            name => {
                let Some(param) = self.method.param(name) else {
                    let known = self.method.params.iter().chain(self.machine.method().params);
                    let known = known.map(|p| p.name).chain(["width", "method"]);
                    return Err(Error::unknown("parameter", name, known));
                };
                let is_other = |n: &str| self.method.param(n).is_none_or(|p| p.name != param.name);
                other.given.retain(|(n, _)| is_other(n));
                other.given.push((param.name.to_string(), value.clone()));
                other.params()?;
            }
        }
        Ok(other)
    }

    /// Refuses methods that do not learn from pairs of instances.
    ///
    /// # Errors
    /// The method does not; those that do are listed.
    pub fn require_pairs(&self) -> Result<()> {
        if self.learner()?.reads_pairs() {
            return Ok(());
        }
        Err(mkl::no_pairs(&format!("method '{}'", self.method.id)))
    }

    /// What is learned: the task of the machine.
    pub fn task(&self) -> Task {
        self.machine.method().tasks[0]
    }

    /// Whether it learns from instances without a label, too.
    ///
    /// # Errors
    /// Wrong parameters of the machine.
    pub fn uses_unlabelled(&self) -> Result<bool> {
        Ok(self.machine.checked()?.build()?.uses_unlabelled())
    }

    /// Whether it learns from features alone, and some kernel is to be a similarity, or there are no features.
    ///
    /// # Errors
    /// Wrong parameters or kernels.
    pub fn lacks_features(&self, views: &Views) -> Result<bool> {
        if !self.learner()?.needs_features() {
            return Ok(false);
        }
        let similar = |name: &str| views.get(name).is_ok_and(|v| v.table.is_similarity());
        let specs = self.specs(views)?;
        Ok(views.iter().all(|v| v.table.is_similarity())
            || specs.iter().any(|s| s.view.as_deref().is_some_and(similar)))
    }

    /// The registry entry of the method.
    pub fn method(&self) -> &'static Method {
        self.method
    }

    /// The machine and its parameters.
    pub fn machine_spec(&self) -> &MachineSpec {
        &self.machine
    }

    /// `method`, or `method(name=value, …)` where parameters were given.
    pub fn name(&self) -> String {
        name(self.method, &self.given)
    }

    /// The checked parameters of the method.
    ///
    /// # Errors
    /// An unknown name (with a suggestion) or a value outside its range.
    pub fn params(&self) -> Result<Params> {
        check(self.method, &self.given)
    }

    /// Learns from the instances whose label is known, or from all with a machine that uses the others, too
    /// (`laplacian_svm`).
    ///
    /// # Errors
    /// Views and labels of different length, incomplete views, fewer than two classes, wrong
    /// parameters, kernels that the views cannot serve.
    pub fn fit(&self, views: &Views, labels: &Labels, run: &Run) -> Result<Model> {
        let watch = run.watch();
        let prepared = self.prepare(views, labels, run)?;
        self.finish(&prepared, &watch, run)
    }

    /// The same with non-negative weights of the instances, which multiply C.
    ///
    /// # Errors
    /// As [`fit`](Self::fit) and [`Prepared::with_weights`].
    pub fn fit_weighted(
        &self,
        views: &Views,
        labels: &Labels,
        weights: &[f64],
        run: &Run,
    ) -> Result<Model> {
        let watch = run.watch();
        let prepared = self.prepare(views, labels, run)?.with_weights(weights)?;
        self.finish(&prepared, &watch, run)
    }

    /// The same for machines that learn from the probability of each class for each instance.
    ///
    /// # Errors
    /// As [`fit_weighted`](Self::fit_weighted) and [`Prepared::with_posteriors`]; a machine that does not.
    pub fn fit_posteriors(
        &self,
        views: &Views,
        labels: &Labels,
        posteriors: &Matrix,
        weights: Option<&[f64]>,
        run: &Run,
    ) -> Result<Model> {
        let given = Given { weights, posteriors: Some(posteriors), pairs: None };
        self.fit_given(views, labels, &given, run)
    }

    /// The same with whatever else is known about the instances.
    ///
    /// ```
    /// use cokernel::{Run, data::{self, Link, Pairs}, model::{Given, Mkl}};
    ///
    /// let (views, labels) = data::toy::views(60, 2, &[3.0, 1.0], 1)?;
    /// let pairs = [(0, 1, Link::Cannot), (0, 2, Link::Must), (1, 3, Link::Must), (2, 3, Link::Cannot)];
    /// let pairs = Pairs::new(60, pairs)?;
    /// let given = Given { pairs: Some(&pairs), ..Given::default() };
    /// let model = Mkl::new("two_stage")?.fit_given(&views, &labels, &given, &Run::default())?;
    /// assert_eq!(model.report().details["pairs"], [4.0]);
    /// # Ok::<(), cokernel::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`fit`](Self::fit), [`Prepared::with_weights`], [`Prepared::with_posteriors`] and
    /// [`Prepared::with_pairs`]; a method that does not learn from pairs, a machine that does not learn from
    /// posteriors.
    pub fn fit_given(
        &self,
        views: &Views,
        labels: &Labels,
        given: &Given<'_>,
        run: &Run,
    ) -> Result<Model> {
        let watch = run.watch();
        let prepared = self.prepare_given(views, labels, given, run)?;
        self.finish(&prepared, &watch, run)
    }

    /// [`prepare`](Self::prepare) with what else is known about the instances.
    ///
    /// # Errors
    /// As [`fit_given`](Self::fit_given).
    pub fn prepare_given(
        &self,
        views: &Views,
        labels: &Labels,
        given: &Given<'_>,
        run: &Run,
    ) -> Result<Prepared> {
        let watch = run.watch();
        if given.pairs.is_some() {
            self.require_pairs()?;
        }
        let mut prepared = self.prepare(views, labels, run)?;
        if let Some(posteriors) = given.posteriors {
            prepared = prepared.with_posteriors(posteriors)?;
        }
        if let Some(weights) = given.weights {
            prepared = prepared.with_weights(weights)?;
        }
        if let Some(pairs) = given.pairs {
            prepared = prepared.with_pairs(views, pairs, &run.remaining(&watch))?;
        }
        Ok(prepared)
    }

    /// The second half, in the time that is left; the report tells all of it.
    pub(crate) fn finish(&self, prepared: &Prepared, watch: &Watch, run: &Run) -> Result<Model> {
        let mut model = self.fit_prepared(prepared, &run.remaining(watch))?;
        model.info.report.seconds = watch.seconds();
        Ok(model)
    }

    /// The first half of [`fit`](Self::fit): instances, scaling and kernels.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn prepare(&self, views: &Views, labels: &Labels, run: &Run) -> Result<Prepared> {
        let watch = run.watch();
        let recipe = self.recipe()?;
        if views.is_empty() {
            return Err(Error::Data("there is no view; give at least one".to_string()));
        }
        if labels.len() != views.n() {
            let expected = format!("{}, one per instance of the views", views.n());
            return Err(Error::shape("labels", expected, labels.len()));
        }
        let rows = match recipe.unlabelled {
            true => (0..labels.len()).collect(),
            false => Target::rows(labels, recipe.task),
        };
        let n_dropped = views.n() - rows.len();
        if rows.is_empty() && !matches!(labels, Labels::Absent(_)) {
            return Err(Error::Labels("every label is missing".to_string()));
        }
        let target = match recipe.unlabelled {
            true => Target::partial(labels)?,
            false => Target::of(&labels.select(&rows), recipe.task)?,
        };
        let mut unlabelled = None;
        if let Target::Partial(partial) = &target {
            let (count, all) = (partial.codes.iter().filter(|c| c.is_none()).count(), views.n());
            let note =
                format!("{count} of {all} instances have no label and are learned from, too");
            unlabelled = Some(note);
        }
        let views = match n_dropped {
            0 => Cow::Borrowed(views),
            _ => Cow::Owned(views.select(&rows)),
        };
        let names = views.iter().map(|v| v.name.clone()).collect();
        let specs = self.specs(&views)?;
        let views = used_views(views, &specs, &recipe.looks_at)?;
        views.require_complete()?;
        check_square(&views)?;
        run.tell(Event::Begin { stage: "kernels", total: None });
        let concat = recipe.arrangement == Arrangement::Concatenated;
        let preparation = Preparation::fit(&views, self.scale, concat)?;
        let mut notes = dropped_note(n_dropped, &views, recipe.task);
        notes.extend(unlabelled);
        notes.extend_from_slice(preparation.notes());
        let given = views.iter().map(super::ViewInfo::of).collect();
        let views = preparation.apply(&views)?;
        let specs = if concat { without_view(specs) } else { specs };
        let bank = Bank::build(&views, &specs, self.storage, run)?;
        notes.extend_from_slice(bank.notes());
        notes.extend(bank.indefinite(&views)?);
        run.tell(Event::End);
        Ok(Prepared {
            rows,
            target,
            preparation,
            views,
            given,
            names,
            bank,
            n_dropped,
            recipe,
            notes,
            weights: None,
            paired: None,
            seconds: watch.seconds(),
            known: Default::default(),
        })
    }

    /// Whether [`prepare`](Self::prepare) of the same instances would give what is prepared already.
    ///
    /// # Errors
    /// Wrong parameters.
    pub fn shares(&self, prepared: &Prepared) -> Result<bool> {
        Ok(self.recipe()? == prepared.recipe)
    }

    /// The second half of [`fit`](Self::fit): learns on kernels that may be shared.
    ///
    /// # Errors
    /// Wrong parameters; or `prepared` was made with other kernels, scaling or arrangement.
    pub fn fit_prepared(&self, prepared: &Prepared, run: &Run) -> Result<Model> {
        Ok(self.fit_prepared_from(prepared, None, run)?.0)
    }

    /// [`fit_prepared`](Self::fit_prepared) from the solution of a similar problem: what another
    /// fit on `prepared` learned, with another C, say. The start changes how long learning takes,
    /// not what it finds beyond the tolerances. Also gives what was learned, for the next one.
    ///
    /// # Errors
    /// As [`fit_prepared`](Self::fit_prepared); or `warm` has other instances or other binary
    /// problems.
    pub fn fit_prepared_from(
        &self,
        prepared: &Prepared,
        warm: Option<&Learned>,
        run: &Run,
    ) -> Result<(Model, Learned)> {
        if prepared.recipe != self.recipe()? {
            return Err(Error::Data(
                "the instances were prepared with other kernels, scaling, storage or arrangement \
                 of views than this method has; prepare them again"
                    .to_string(),
            ));
        }
        let (id, params) = (self.method.id, self.params()?);
        let learner = self.learner()?;
        let learned = if learner.depends_on_machine() {
            self.learn(prepared, learner.as_ref(), warm, run)?
        } else {
            let watch = run.watch();
            let machine = self.machine.checked()?.build()?;
            let problem = problem(prepared, machine.as_ref(), None);
            let rule =
                prepared.known.get_or((id, &params, run.seed), || learner.learn(&problem, run))?;
            let rest = run.remaining(&watch);
            let mut learned = self.learn(prepared, &mkl::Known(rule), warm, &rest)?;
            learned.report.seconds = watch.seconds();
            learned
        };
        let model = self.model(id, params, prepared, learned.clone(), run)?;
        Ok((model, learned))
    }

    /// [`fit_prepared`](Self::fit_prepared) with any learner, also one of your own, which the model
    /// names `id`.
    ///
    /// # Errors
    /// What the learner says; parameters of the machine that cannot be used.
    pub fn fit_learner(
        &self,
        prepared: &Prepared,
        id: &str,
        learner: &dyn Learner,
        params: Params,
        run: &Run,
    ) -> Result<Model> {
        let learned = self.learn(prepared, learner, None, run)?;
        self.model(id, params, prepared, learned, run)
    }

    fn learn(
        &self,
        prepared: &Prepared,
        learner: &dyn Learner,
        warm: Option<&Learned>,
        run: &Run,
    ) -> Result<Learned> {
        let machine = self.machine.checked()?.build()?;
        let given = |k: &&Kernel| k.function == Function::Precomputed;
        if machine.own_similarity() != 0.0
            && let Some(kernel) = prepared.kernels().iter().find(given)
        {
            return Err(Error::Data(format!(
                "machine '{}' compares new instances with themselves, which kernel '{}' does not tell: it \
                 is a similarity to the training instances; give features",
                self.machine.method().id,
                kernel.name
            )));
        }
        mkl::train(&problem(prepared, machine.as_ref(), warm), learner, run)
    }

    fn model(
        &self,
        id: &str,
        params: Params,
        prepared: &Prepared,
        learned: Learned,
        run: &Run,
    ) -> Result<Model> {
        Model::build(id, params, self.machine.checked()?, prepared, learned, run)
    }

    pub(super) fn learner(&self) -> Result<Box<dyn Learner>> {
        mkl::learner(self.method, &self.params()?)
    }

    /// What decides about the kernels; also checks the parameters.
    pub(crate) fn recipe(&self) -> Result<Recipe> {
        let learner = self.learner()?;
        let (arrangement, looks_at) = (learner.arrangement(), learner.looks_at());
        let (kernels, scale, storage) = (self.kernels.clone(), self.scale, self.storage);
        let task = self.task();
        catalogue::goes_with(self.method, self.machine.method())?;
        let unlabelled = self.uses_unlabelled()?;
        let graphs = Vec::new();
        let width = self.width;
        Ok(Recipe {
            kernels,
            graphs,
            scale,
            storage,
            width,
            looks_at,
            arrangement,
            task,
            unlabelled,
        })
    }

    /// The given kernel specifications, or the default for these views.
    fn specs(&self, views: &Views) -> Result<Vec<KernelSpec>> {
        let specs = kernels_or_default(self.kernels.as_deref(), views)?;
        Ok(match self.width {
            1.0 => specs,
            _ if !specs.iter().any(|s| matches!(s.family, Family::Exponential(_))) => {
                let problem = "expected 1, because no kernel has a width";
                return Err(Error::parameter("width", problem));
            }
            width => specs.into_iter().map(|s| s.wider(width)).collect(),
        })
    }
}

fn problem<'a>(
    prepared: &'a Prepared,
    machine: &'a dyn Machine,
    warm: Option<&'a Learned>,
) -> Problem<'a> {
    let (bank, target) = (&prepared.bank, &prepared.target);
    let weights = prepared.weights.as_deref();
    let pairs = prepared.paired.as_ref().map(|p| p.given(bank));
    Problem { bank, views: Some(&prepared.views), target, machine, weights, warm, pairs }
}

/// `method`, or `method(name=value, …)` where parameters were given.
pub(crate) fn name(method: &Method, given: &[(String, Value)]) -> String {
    if given.is_empty() {
        return method.id.to_string();
    }
    let list: Vec<String> = given.iter().map(|(k, v)| format!("{k}={v}")).collect();
    format!("{}({})", method.id, list.join(", "))
}

/// Checks parameters against the table; also refuses infinite numbers, which no file can hold.
pub(crate) fn check(method: &Method, given: &[(String, Value)]) -> Result<Params> {
    for (name, value) in given {
        if let Value::Real(v) = value
            && !v.is_finite()
        {
            let problem = format!("expected a finite number, found {v}");
            return Err(Error::parameter(name, problem));
        }
    }
    method.check(given.iter().map(|(name, value)| (name.as_str(), value)))
}
