//! [`Prepared`]: training instances ready to learn from, and which views that takes.

use super::ViewInfo;
use super::missing::Lacking;
use super::paired::Paired;
use crate::bank::{Bank, Storage};
use crate::data::{Matrix, Missing, Posteriors, Preparation, Scale, Table, Target, View, Views};
use crate::kernel::{GraphSpec, Kernel, KernelSpec, Normalization};
use crate::machine::learn_unlabelled;
use crate::method::Task;
use crate::mkl::{Arrangement, Learned, SharedClassifiers};
use crate::params::Params;
use crate::scale::Space;
use crate::{Error, Result};
use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

/// Everything that decides which kernels a [`Prepared`] has.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Recipe {
    pub(super) kernels: Option<Vec<KernelSpec>>,
    pub(super) graphs: Vec<GraphSpec>,
    pub(super) scale: Scale,
    pub(super) storage: Storage,
    /// Factor on the widths of all kernels.
    pub(super) width: f64,
    /// Views that the method looks at beside those of the kernels.
    pub(super) looks_at: Vec<String>,
    pub(crate) arrangement: Arrangement,
    pub(crate) task: Task,
    /// Whether instances without a label are learned from, too.
    pub(super) unlabelled: bool,
    /// What is done about instances that lack views.
    pub(super) missing: Missing,
    /// What estimates have to be, where there are some.
    pub(super) wanted: Wanted,
}

/// What a method wants where something is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Wanted {
    /// Every instance as similar to itself as 1.
    pub(super) unit_diagonals: bool,
    /// Something in the place of missing features, beside them.
    pub(super) features: bool,
    /// Features, of which it makes its kernels itself, and no similarities.
    pub(super) own_features: bool,
}

impl Recipe {
    /// The same for instances of which it is known what they lack: if nothing, nothing is done about them, but what
    /// stands for missing features of new ones.
    pub(super) fn on(mut self, lacking: Option<&Lacking>) -> Self {
        if lacking.is_none() && !self.missing.fills(self.wanted.own_features) {
            self.missing = Missing::Refuse;
        }
        if lacking.map_or(self.missing, |l| l.handling) != Missing::Estimate {
            self.wanted = Wanted::default();
        }
        self
    }
}

/// Training instances ready to learn from: several methods with the same kernels can share one.
pub struct Prepared {
    pub(super) rows: Vec<usize>,
    pub(super) target: Target,
    pub(super) preparation: Preparation,
    pub(super) views: Views,
    pub(super) given: Vec<ViewInfo>,
    /// All views, whether a kernel looks at them or not.
    pub(super) names: Vec<String>,
    pub(super) bank: Bank,
    /// Where kernels are features towards landmarks; the bank is then that of the landmarks.
    pub(super) space: Option<Box<Space>>,
    pub(super) n_dropped: usize,
    /// Those of them that were left out for a view.
    pub(super) n_incomplete: usize,
    pub(super) lacking: Option<Lacking>,
    pub(super) recipe: Recipe,
    pub(super) notes: Vec<String>,
    /// One per row.
    pub(super) weights: Option<Vec<f64>>,
    /// Pairs of instances.
    pub(super) paired: Option<Box<Paired>>,
    pub(super) seconds: f64,
    pub(super) known: KnownRules,
    pub(super) shared: SharedClassifiers,
}

/// What methods learned that do not look at the machine: by method, parameters and seed.
#[derive(Default)]
pub(super) struct KnownRules(Mutex<Vec<(&'static str, Params, u64, Learned)>>);

impl KnownRules {
    /// What this method learned before, or what it learns now, kept if it was not cut short.
    pub(super) fn get_or(
        &self,
        (id, params, seed): (&'static str, &Params, u64),
        learn: impl FnOnce() -> Result<Learned>,
    ) -> Result<Learned> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(k) = known.iter().find(|k| (k.0, &k.1, k.2) == (id, params, seed)) {
            return Ok(k.3.clone());
        }
        let learned = learn()?;
        if !learned.report.status.is_stop() {
            known.push((id, params.clone(), seed, learned.clone()));
        }
        Ok(learned)
    }
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (n, kernels) = (self.rows.len(), self.bank.len());
        write!(f, "Prepared({n} instances, {kernels} kernels)")
    }
}

impl Prepared {
    /// Indices, in the given views, of the instances that are learned from.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// What is known about them.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// With weights that multiply C, one for each instance that was given to
    /// [`Mkl::prepare`](super::Mkl::prepare) (those without a label have one, too). Methods that
    /// choose kernels before the machine sees them (`two_stage`) do so without weights.
    ///
    /// # Errors
    /// Not as many weights as instances; a weight that is negative or not finite.
    pub fn with_weights(mut self, weights: &[f64]) -> Result<Self> {
        let n = self.rows.len() + self.n_dropped;
        if weights.len() != n {
            let expected = format!("{n}, one per instance");
            return Err(Error::shape("instance weights", expected, weights.len()));
        }
        if let Some(i) = weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
            let problem = format!(
                "the weight of instance {i} is {}; expected a finite number, 0 or more",
                weights[i]
            );
            return Err(Error::parameter("weights", problem));
        }
        self.weights = Some(self.rows.iter().map(|&i| weights[i]).collect());
        self.shared = SharedClassifiers::default();
        Ok(self)
    }

    /// With the probability of each class for each instance that was given to
    /// [`Mkl::prepare`](super::Mkl::prepare), instance by instance, in the order of the class names; for machines
    /// that learn from posteriors (`posterior_svm`), which estimate them otherwise.
    ///
    /// # Errors
    /// The target has no classes; other numbers than [`Posteriors::new`] expects.
    pub fn with_posteriors(mut self, posteriors: &Matrix) -> Result<Self> {
        let classes = self.target.classes()?.clone();
        let (n, k) = (self.rows.len() + self.n_dropped, classes.n_classes());
        if (posteriors.rows(), posteriors.cols()) != (n, k) {
            let expected = format!("{n} × {k}, a probability for each instance and class");
            let found = format!("{} × {}", posteriors.rows(), posteriors.cols());
            return Err(Error::shape("posteriors", expected, found));
        }
        let values = self.rows.iter().flat_map(|i| posteriors.row(*i)).copied().collect();
        self.target = Target::Posteriors(Posteriors::new(classes, values)?);
        self.shared = SharedClassifiers::default();
        Ok(self)
    }

    /// The kernels over them; over the landmarks alone where these stand for all.
    pub fn bank(&self) -> &Bank {
        &self.bank
    }

    /// The kernels between all instances, for what needs them.
    ///
    /// # Errors
    /// Landmarks stand for the instances.
    pub fn between(&self, what: &str) -> Result<&Bank> {
        match self.space {
            Some(_) => Err(self.recipe.storage.refused(what, Some(self.rows.len()))),
            None => Ok(&self.bank),
        }
    }

    /// The resolved kernels.
    pub fn kernels(&self) -> &[Kernel] {
        self.bank.kernels()
    }

    /// The features towards landmarks, where these stand for the kernels.
    pub fn space(&self) -> Option<&Space> {
        self.space.as_deref()
    }

    /// Computes in so many partitions of the instances, where landmarks stand for the kernels: the bits of all results are
    /// the same for any number.
    #[must_use]
    pub fn in_partitions(mut self, partitions: usize) -> Self {
        self.space = self.space.map(|space| Box::new(space.with_partitions(partitions)));
        self
    }

    /// Sentences about the data and the kernels that a user should read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Wall-clock seconds that preparing took.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }
}

/// Refuses a similarity that is not between the instances themselves.
pub(super) fn check_square(views: &Views) -> Result<()> {
    for v in views.iter() {
        let (rows, cols) = (v.table.rows(), v.table.cols());
        if v.table.is_similarity() && rows != cols {
            let found = format!("{rows} × {cols}");
            let expected = "a similarity between the training instances, as many columns as rows";
            return Err(Error::shape(format!("view '{}'", v.name), expected, found));
        }
        v.require_known()?;
    }
    Ok(())
}

/// Letters of a word, of the kernel that sequences have by default.
const SPECTRUM: u32 = 3;

/// The given kernel specifications; without any a Gaussian on every feature view, every similarity as it is, and
/// the spectrum kernel of words of three letters with a unit diagonal on sequences.
pub(super) fn kernels_or_default(
    given: Option<&[KernelSpec]>,
    views: &Views,
) -> Result<Vec<KernelSpec>> {
    if let Some(specs) = given {
        if specs.is_empty() {
            return Err(Error::Data("the list of kernels is empty".to_string()));
        }
        return Ok(specs.to_vec());
    }
    let mut specs = Vec::new();
    if views.iter().any(|v| v.table.is_features()) {
        specs.push(KernelSpec::gaussian());
    }
    if views.iter().any(|v| matches!(v.table, Table::Sequences(_))) {
        specs.push(KernelSpec::spectrum(SPECTRUM).normalize([Normalization::UnitDiagonal]));
    }
    if views.iter().any(|v| v.table.is_similarity()) {
        specs.push(KernelSpec::precomputed());
    }
    Ok(specs)
}

/// Only the views that some kernel or the method itself (`also`) looks at, so that prediction does not ask for others.
pub(super) fn used_views<'a>(
    views: Cow<'a, Views>,
    specs: &[KernelSpec],
    also: &[String],
) -> Result<Cow<'a, Views>> {
    for name in also {
        views.get(name)?;
    }
    for spec in specs {
        if let Some(name) = &spec.view {
            views.get(name)?;
        }
    }
    let serves = |v: &View, spec: &KernelSpec| match &spec.view {
        Some(name) => *name == v.name,
        None => spec.family.takes().is(&v.table),
    };
    let used = |v: &View| specs.iter().any(|s| serves(v, s)) || also.contains(&v.name);
    if views.iter().all(used) {
        return Ok(views);
    }
    let mut kept = Views::new();
    for v in views.iter().filter(|v| used(v)) {
        kept.push(v.clone())?;
    }
    if kept.is_empty() {
        return Err(Error::Data("no view can serve any of the kernels".to_string()));
    }
    Ok(Cow::Owned(kept))
}

/// The specifications on the one view that holds all, each once.
pub(super) fn without_view(specs: Vec<KernelSpec>) -> Vec<KernelSpec> {
    let mut plain: Vec<KernelSpec> = Vec::new();
    for mut spec in specs {
        spec.view = None;
        if !plain.contains(&spec) {
            plain.push(spec);
        }
    }
    plain
}

pub(super) fn dropped_note(dropped: usize, views: &Views, task: Task) -> Vec<String> {
    if dropped == 0 {
        return Vec::new();
    }
    let n = views.n();
    let all = n + dropped;
    let mut note = format!("{dropped} of {all} instances have no label and are left out");
    if task == Task::Classify {
        let machines = learn_unlabelled().join(", ");
        note.push_str(&format!(" (machines that learn from them, too: {machines})"));
    }
    if views.iter().any(|v| v.table.is_similarity()) {
        note.push_str(&format!(
            "; to predict, similarities are to all {all} training instances, or to the {n} labelled \
             ones"
        ));
    }
    vec![note]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::Run;
    use crate::model::Mkl;

    /// Every C learned the weights again.
    #[test]
    fn weights_that_do_not_depend_on_the_machine_are_learned_once() {
        let (views, labels) = crate::data::toy::views(40, 2, &[3.0, 1.0], 1).unwrap();
        let (run, other) = (Run::default(), Run::with_seed(1));
        let mkl = |c: f64, steps: i64| Mkl::new("two_stage").unwrap().param("steps", steps).c(c);
        let prepared = mkl(1.0, 50).prepare(&views, &labels, &run).unwrap();
        let learned = || prepared.known.0.lock().unwrap().len();
        for (c, steps, run, times) in
            [(1.0, 50, &run, 1), (10.0, 50, &run, 1), (1.0, 60, &run, 2), (1.0, 50, &other, 3)]
        {
            let found = mkl(c, steps).fit_prepared(&prepared, run).unwrap();
            assert_eq!(learned(), times, "C = {c}, {steps} steps");
            let alone = mkl(c, steps).prepare(&views, &labels, run).unwrap();
            let alone = mkl(c, steps).fit_prepared(&alone, run).unwrap();
            assert_eq!((found.weights(), found.duals()), (alone.weights(), alone.duals()));
            assert_eq!(found.report().notes, alone.report().notes);
        }
        let simple = Mkl::new("simple_mkl").unwrap();
        simple.fit_prepared(&prepared, &run).unwrap();
        assert_eq!(learned(), 3);
    }
}
