//! [`Mkl`]: from views and labels to a [`Model`].
//!
//! Fitting has two halves, so that several methods can share the expensive first one:
//! [`Mkl::prepare`] keeps the labelled instances, scales the views (side by side for methods that
//! concatenate) and computes the kernels; [`Mkl::fit_prepared`] learns.

use super::choose::{check, name};
use super::{Given, Model, Prepared, missing};
use crate::bank::Storage;
use crate::catalogue;
use crate::data::{Labels, Matrix, Missing, Scale, Views};
use crate::kernel::{Kernel, KernelSpec, ViewKind};
use crate::machine::{Decomposition, Machine, MachineSpec, Svc};
use crate::method::{Method, Task};
use crate::mkl::{self, Learned, Learner, Problem};
use crate::params::{Params, Value};
use crate::{Error, Result, Run, Watch};

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
    pub(super) method: &'static Method,
    pub(super) given: Vec<(String, Value)>,
    pub(super) kernels: Option<Vec<KernelSpec>>,
    pub(super) machine: MachineSpec,
    pub(super) scale: Scale,
    pub(super) storage: Storage,
    /// Factor on the widths of all kernels.
    pub(super) width: f64,
    pub(super) missing: Missing,
}

impl Mkl {
    /// The method with this registry id, everything else at its default.
    ///
    /// # Errors
    /// No such method (the closest is suggested), or it does not learn from labels.
    pub fn new(id: &str) -> Result<Self> {
        let method = catalogue::find_for(id, &[Task::Classify, Task::Regress, Task::Detect])?;
        mkl::learner(method, &method.defaults())?;
        Ok(Mkl {
            method,
            given: Vec::new(),
            kernels: None,
            machine: MachineSpec::default(),
            scale: Scale::None,
            storage: Storage::Auto,
            width: 1.0,
            missing: Missing::Auto,
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

    /// What is done about instances that lack views. Default: [`Missing::Auto`].
    #[must_use]
    pub fn missing(mut self, missing: Missing) -> Self {
        self.missing = missing;
        self
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

    /// Refuses a treatment of missing views that the method, or the machine, cannot use.
    ///
    /// # Errors
    /// Says which can.
    pub fn check_missing(&self) -> Result<()> {
        missing::resolved(self, self.learner()?.as_ref()).map(|_| ())
    }

    /// Whether instances that lack views are left out in training (`missing=drop`).
    pub(crate) fn drops_incomplete(&self) -> bool {
        self.missing == Missing::Drop
    }

    /// What is learned: the task of the machine.
    pub fn task(&self) -> Task {
        self.machine.method().tasks[0]
    }

    /// Whether its models tell probabilities of classes without a calibration.
    pub fn tells_probabilities(&self) -> bool {
        crate::machine::tell_probabilities().contains(&self.machine.method().id)
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
        let similar = |name: &str| views.get(name).is_ok_and(|v| !v.table.is_features());
        let specs = self.specs(views)?;
        Ok(!views.iter().any(|v| v.table.is_features())
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
    /// Views and labels of different length, instances without any view, fewer than two classes, wrong
    /// parameters, kernels that the views cannot serve; see [`Missing`] for instances that lack some views.
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

    /// The second half, in the time that is left; the report tells all of it.
    pub(crate) fn finish(&self, prepared: &Prepared, watch: &Watch, run: &Run) -> Result<Model> {
        let mut model = self.fit_prepared(prepared, &run.remaining(watch))?;
        model.info.report.seconds = watch.seconds();
        Ok(model)
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
        if !self.shares(prepared)? {
            return Err(Error::Data(
                "the instances were prepared with other kernels, scaling, storage, arrangement or \
                 treatment of missing views than this method has; prepare them again"
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
            let find = || mkl::combination(&problem, learner.as_ref(), run);
            let rule = prepared.known.get_or((id, &params, run.seed), find)?;
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
        let given = |k: &&Kernel| k.function.takes() == ViewKind::Similarities;
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
        let checked = self.machine.checked()?;
        let problem = problem(prepared, machine.as_ref(), warm);
        mkl::train(&problem.sharing(&prepared.shared, &checked), learner, run)
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
}

fn problem<'a>(
    prepared: &'a Prepared,
    machine: &'a dyn Machine,
    warm: Option<&'a Learned>,
) -> Problem<'a> {
    let (bank, target) = (&prepared.bank, &prepared.target);
    let weights = prepared.weights.as_deref();
    let pairs = prepared.paired.as_ref().map(|p| p.given(bank));
    let space = prepared.space.as_deref();
    let views = Some(&prepared.views);
    Problem { views, weights, warm, pairs, space, ..Problem::new(bank, target, machine) }
}
