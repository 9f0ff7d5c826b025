//! [`MultiView`]: from views to an embedding and clusters.
//!
//! As with [`Mkl`](super::Mkl), the expensive first half, [`MultiView::prepare`], can be shared by
//! methods that want the same kernels; [`MultiView::embed_prepared`] and
//! [`MultiView::cluster_prepared`] do the rest. Views that some instances lack are filled in there;
//! features may give way to graphs of neighbours.

use super::choose::{check, name};
use super::graphs;
use super::pair_kernels::{LearnedBank, PairKernels};
use super::prepared::{Wanted, check_square, kernels_or_default, used_views, without_view};
use super::{EmbeddingModel, Recipe, ViewInfo};
use crate::bank::{Bank, Filled, LowRank, Storage, check_sources};
use crate::catalogue;
use crate::data::{
    Fill, Labels, Missing, PartialClasses, Preparation, Scale, Views, components_note,
};
use crate::kernel::{GraphSpec, KernelSpec};
use crate::method::{Method, Task};
use crate::mkl::Arrangement;
use crate::multiview::{self, Clustering, Embedder, Embedding, Extension, Problem, Starts};
use crate::params::{Params, Value};
use crate::scale::Space;
use crate::{Error, Event, Report, Result, Run};
use std::borrow::Cow;

/// A multi-view method with its parameters, kernels and scaling: everything but the data.
///
/// ```
/// use cokernel::{Run, data, model::MultiView, multiview::Starts};
///
/// let (views, labels) = data::toy::views(60, 3, &[6.0, 6.0], 1)?;
/// let found = MultiView::new("co_regularized")?
///     .param("lambda", 0.02)
///     .cluster(&views, 3, &Starts::default(), &Run::default())?;
/// assert_eq!(found.assignments, labels.classes()?.codes);
/// # Ok::<(), cokernel::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MultiView {
    method: &'static Method,
    given: Vec<(String, Value)>,
    kernels: Option<Vec<KernelSpec>>,
    graphs: Vec<GraphSpec>,
    scale: Scale,
    storage: Storage,
    pairs: Option<PairKernels>,
}

/// Views and kernels ready for several methods.
#[derive(Debug)]
pub struct PreparedViews {
    pub(crate) preparation: Preparation,
    pub(crate) views: Views,
    pub(super) given: Vec<ViewInfo>,
    /// All views, whether a kernel looks at them or not.
    pub(super) names: Vec<String>,
    pub(crate) bank: Bank,
    pub(crate) recipe: Recipe,
    pub(crate) filled: Filled,
    /// Why new rows cannot be compared with these kernels, if they cannot.
    pub(crate) no_new_rows: Option<&'static str>,
    pub(crate) notes: Vec<String>,
    /// What the kernels were computed of, if it is not `views`: views that some instances lack, graphs.
    known: Option<Views>,
    learned: Option<Box<LearnedBank>>,
    classes: Option<PartialClasses>,
}

impl PreparedViews {
    /// The kernels.
    pub fn bank(&self) -> &Bank {
        &self.bank
    }

    /// The views that the kernels were computed on.
    pub fn views(&self) -> &Views {
        &self.views
    }

    /// What redoes the scaling for new instances.
    pub fn preparation(&self) -> &Preparation {
        &self.preparation
    }

    /// What was filled in for instances that lack a view: how many of each view.
    pub fn filled(&self) -> &Filled {
        &self.filled
    }

    /// Sentences about data and kernels that a user should read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The same with the classes of the instances, some of which may be missing, for methods that learn
    /// from them ([`MultiView::reads_labels`]); the others do not look at them.
    ///
    /// # Errors
    /// Labels of another number of instances, that are no classes, or of fewer than two classes.
    pub fn with_labels(mut self, labels: &Labels) -> Result<Self> {
        if labels.len() != self.bank.n() {
            let expected = format!("{}, one per instance of the views", self.bank.n());
            return Err(Error::shape("labels", expected, labels.len()));
        }
        self.classes = Some(labels.partial_classes()?);
        Ok(self)
    }
}

impl PreparedViews {
    /// Adds to an embedding what its method does not know: remarks about the data, and whether it
    /// can have an extension to new rows.
    fn complete(&self, method: &MultiView, embedding: &mut Embedding) {
        if let Some(learned) = self.learned_for(method) {
            learned.extend(embedding);
        }
        self.put_notes(method, &mut embedding.report);
        let active = |e: &Extension| !e.active(self.bank.len()).is_empty();
        let extends = embedding.extension.as_ref().is_some_and(active);
        if let Some(why) = self.no_new_rows.filter(|_| extends) {
            embedding.extension = None;
            embedding.report.notes.push(why.to_string());
        }
    }

    /// What the kernels were computed of.
    pub(super) fn known(&self) -> &Views {
        self.known.as_ref().unwrap_or(&self.views)
    }

    /// The similarities that were learned, if the method asks for some.
    fn learned_for(&self, method: &MultiView) -> Option<&LearnedBank> {
        self.learned.as_deref().filter(|_| method.pairs.is_some())
    }

    /// Puts the remarks about data and kernels before those of the method.
    fn put_notes(&self, method: &MultiView, report: &mut Report) {
        if let Some(learned) = self.learned_for(method) {
            learned.tell(report);
        }
        report.notes.retain(|n| !self.notes.contains(n));
        report.notes.splice(0..0, self.notes.iter().cloned());
    }
}

impl MultiView {
    /// The method with this registry id, everything else at its default.
    ///
    /// # Errors
    /// No such method (the closest is suggested), or it does not cluster.
    pub fn new(id: &str) -> Result<Self> {
        let method = catalogue::find_for(id, &[Task::Cluster, Task::Embed])?;
        multiview::embedder(method, &method.defaults())?;
        let (scale, storage) = (Scale::None, Storage::Auto);
        let (given, graphs) = (Vec::new(), Vec::new());
        Ok(MultiView { method, given, kernels: None, graphs, scale, storage, pairs: None })
    }

    /// The kernels; without this call a Gaussian on every feature view, width the median
    /// distance, and every similarity as it is. Methods that are defined by their kernels keep
    /// their own.
    #[must_use]
    pub fn kernels(mut self, kernels: impl IntoIterator<Item = KernelSpec>) -> Self {
        self.kernels = Some(kernels.into_iter().collect());
        self
    }

    /// A parameter of the method; checked against its table when it is used.
    #[must_use]
    pub fn param(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.given.push((name.into(), value.into()));
        self
    }

    /// Graphs of neighbours, built from the scaled features, in place of the features of views: each
    /// is a kernel, beside [`kernels`](Self::kernels) on the other views. Methods that put all
    /// features side by side build the first graph on them; methods that look at the features
    /// themselves see these; methods that are defined by their kernels keep their own.
    #[must_use]
    pub fn graphs(mut self, graphs: impl IntoIterator<Item = GraphSpec>) -> Self {
        self.graphs = graphs.into_iter().collect();
        self
    }

    /// Similarities that are learned from pairs in place of the kernels: one for each view, or one of all; see
    /// [`PairKernels`]. Methods that look at features or are defined by their kernels have no use for them.
    #[must_use]
    pub fn pairs(mut self, pairs: PairKernels) -> Self {
        self.pairs = Some(pairs);
        self
    }

    /// The same on the kernels as they are.
    #[must_use]
    pub(crate) fn without_pairs(mut self) -> Self {
        self.pairs = None;
        self
    }

    /// Scaling of the feature columns.
    #[must_use]
    pub fn scale(mut self, scale: Scale) -> Self {
        self.scale = scale;
        self
    }

    /// How kernels are kept.
    #[must_use]
    pub fn storage(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// Another method on the same kernels, scaling and storage, its parameters at their defaults.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_method(&self, id: &str) -> Result<Self> {
        let other = MultiView::new(id)?;
        Ok(MultiView { method: other.method, given: Vec::new(), ..self.clone() })
    }

    /// Refuses a method that has no use for similarities that are [learned from pairs](Self::pairs).
    ///
    /// # Errors
    /// It works on features or kernels of its own; wrong parameters.
    pub fn require_similarities(&self) -> Result<()> {
        let wants = self.embedder()?.wants();
        let looks_at = match (wants.features, wants.kernels.is_some()) {
            (true, _) => "features",
            (false, true) => "kernels of its own",
            (false, false) => return Ok(()),
        };
        let problem = format!(
            "method '{}' works on {looks_at}, not on similarities that are learned from pairs; leave the pairs out, \
             or choose another method (spectral, co_regularized)",
            self.method.id
        );
        Err(Error::parameter("pairs", problem))
    }

    /// The registry entry.
    pub fn method(&self) -> &'static Method {
        self.method
    }

    /// `method`, or `method(name=value, …)` where parameters were given.
    pub fn name(&self) -> String {
        name(self.method, &self.given)
    }

    /// The checked parameters.
    ///
    /// # Errors
    /// An unknown name (with a suggestion) or a value outside its range.
    pub fn params(&self) -> Result<Params> {
        check(self.method, &self.given)
    }

    fn embedder(&self) -> Result<Box<dyn Embedder>> {
        multiview::embedder(self.method, &self.params()?)
    }

    /// Whether the method learns from labels, which it then needs.
    ///
    /// # Errors
    /// Wrong parameters.
    pub fn reads_labels(&self) -> Result<bool> {
        Ok(self.embedder()?.reads_labels())
    }

    /// What decides about the kernels; also checks the parameters.
    pub(crate) fn recipe(&self) -> Result<Recipe> {
        let wants = self.embedder()?.wants();
        if self.pairs.is_some() {
            self.require_similarities()?;
        }
        Ok(Recipe {
            task: Task::Cluster,
            unlabelled: false,
            missing: Missing::Estimate,
            graphs: if wants.kernels.is_some() { Vec::new() } else { self.graphs.clone() },
            kernels: wants.kernels.or_else(|| self.kernels.clone()),
            scale: wants.scale.unwrap_or(self.scale),
            storage: wants.storage.unwrap_or_else(|| self.storage.clone()),
            width: 1.0,
            looks_at: Vec::new(),
            arrangement: wants.arrangement,
            wanted: Wanted::default(),
        })
    }

    /// Whether [`prepare`](Self::prepare) of the same views would give what is prepared already.
    ///
    /// # Errors
    /// Wrong parameters.
    pub fn shares(&self, prepared: &PreparedViews) -> Result<bool> {
        Ok(self.recipe()? == prepared.recipe && self.has_learned(prepared))
    }

    /// Whether similarities that are to be learned from pairs are there.
    fn has_learned(&self, prepared: &PreparedViews) -> bool {
        let given = prepared.learned.as_ref().map(|learned| &learned.given);
        self.pairs.is_none() || self.pairs.as_ref() == given
    }

    /// Learns similarities from pairs on views that were prepared without, or with other pairs; does nothing
    /// where there is nothing to learn.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn learn_pairs(&self, prepared: &mut PreparedViews, run: &Run) -> Result<()> {
        let Some(pairs) = &self.pairs else { return Ok(()) };
        if !self.has_learned(prepared) {
            prepared.learned = None;
            prepared.learned = Some(Box::new(in_pool(|| pairs.learn(prepared, run))?));
        }
        Ok(())
    }

    /// Scales the views, builds graphs and computes the kernels.
    ///
    /// Instances may lack views: their similarities there are estimated from the other views
    /// ([`Bank::build_filled`]), and methods that look at features see the mean of each column.
    ///
    /// # Errors
    /// Wrong parameters, kernels that the views cannot serve, instances without any view.
    pub fn prepare(&self, views: &Views, run: &Run) -> Result<PreparedViews> {
        let watch = run.watch();
        let mut prepared = in_pool(|| self.prepare_here(views, run))?;
        self.learn_pairs(&mut prepared, &run.remaining(&watch))?;
        Ok(prepared)
    }

    fn prepare_here(&self, views: &Views, run: &Run) -> Result<PreparedViews> {
        let recipe = self.recipe()?;
        if views.is_empty() {
            return Err(Error::Data("there is no view; give at least one".to_string()));
        }
        let features = self.embedder()?.wants().features;
        if let Some(view) = views.iter().find(|v| features && !v.table.is_features()) {
            return Err(Error::Data(format!(
                "method '{}' works on features, but view '{}' is {}; leave this view \
                 out, or choose a method that works on similarities",
                self.method.id,
                view.name,
                view.table.words()
            )));
        }
        // What follows copies views several times.
        let views = &views.shared();
        let names = views.iter().map(|v| v.name.clone()).collect();
        let mut graphs = graphs::assign(&recipe.graphs, views)?;
        let seen = graphs::announced(views, &graphs)?;
        let specs = kernels_or_default(recipe.kernels.as_deref(), &seen)?;
        let mut specs = graphs::with_graphs(specs, &graphs)?;
        let used = used_views(Cow::Borrowed(&seen), &specs, &[])?;
        let mut given = Views::new();
        for view in views.iter().filter(|v| used.get(&v.name).is_ok()) {
            given.push(view.clone())?;
        }
        if let Some(ids) = views.ids() {
            given.set_ids(ids.to_vec())?;
        }
        check_square(&given)?;
        check_sources(&given)?;
        run.tell(Event::Begin { stage: "kernels", total: None });
        let concat = recipe.arrangement == Arrangement::Concatenated;
        let preparation = Preparation::fit(&given, recipe.scale, concat)?;
        let mut notes = preparation.notes().to_vec();
        // Scaling is linear: the mean of a column becomes the mean of the scaled column.
        let complete = preparation.apply(&given.fill_features(Fill::Mean)?)?;
        if concat {
            specs = without_view(specs);
            if !graphs.is_empty() {
                graphs = graphs::of_concatenation(&graphs);
                specs = vec![KernelSpec::precomputed()];
            }
        }
        let known = if concat { complete.clone() } else { preparation.apply(&given)? };
        let known = graphs::built(&known, &graphs)?;
        notes.extend(known.iter().filter_map(components_note));
        let (mut bank, mut filled) = match recipe.storage {
            Storage::LowRank(how) => {
                (self.low_rank(&known, &specs, how, run, &mut notes)?, Filled::default())
            }
            ref storage => {
                crate::scale::Workers::refuse_others(run)?;
                Bank::build_filled(&known, &specs, storage.clone(), run)?
            }
        };
        for (view, graph) in &graphs {
            let plain = format!("precomputed@{view}");
            for m in 0..bank.len() {
                if let Some(rest) = bank.kernels()[m].name.strip_prefix(&plain) {
                    let name = format!("{}{rest}", graph.kernel_name(view));
                    bank.rename(m, name);
                }
            }
        }
        if concat {
            for (view, absent) in given.missing() {
                filled.instances.push((view.to_string(), absent));
                notes.push(format!(
                    "{absent} of {} instances lack view '{view}': its columns take their means",
                    given.n()
                ));
            }
        } else {
            let own = self.embedder()?.wants().incomplete;
            notes.extend(if own { filled.lacking(given.n()) } else { filled.notes(given.n()) });
        }
        notes.extend_from_slice(bank.notes());
        run.tell(Event::End);
        let no_new_rows = if !graphs.is_empty() {
            Some("graphs of neighbours are not built for new rows: no model for new rows")
        } else if !filled.instances.is_empty() && !concat {
            Some("some similarities are estimated from other views: no model for new rows")
        } else {
            None
        };
        let shown = given.iter().map(ViewInfo::of).collect();
        Ok(PreparedViews {
            preparation,
            views: complete,
            given: shown,
            names,
            bank,
            recipe,
            filled,
            no_new_rows,
            notes,
            known: (!graphs.is_empty() || !given.missing().is_empty()).then_some(known),
            learned: None,
            classes: None,
        })
    }

    /// Refuses a storage that keeps no kernels for a method that needs them.
    ///
    /// # Errors
    /// Landmarks, for a method that asks kernels for more than products with thin blocks; wrong parameters.
    pub fn check_stored(&self) -> Result<()> {
        self.check_low_rank(None)
    }

    /// [`check_stored`](Self::check_stored), saying what so many instances would take.
    fn check_low_rank(&self, n: Option<usize>) -> Result<()> {
        let storage = self.recipe()?.storage;
        match storage {
            Storage::LowRank(_) if !self.embedder()?.wants().low_rank => {
                let whose = format!("method '{}'", self.method.id);
                Err(storage.refused_for(&whose, n, &multiview::low_rank_methods()))
            }
            _ => Ok(()),
        }
    }

    /// The kernels towards landmarks, where the method asks for nothing else.
    fn low_rank(
        &self,
        known: &Views,
        specs: &[KernelSpec],
        how: LowRank,
        run: &Run,
        notes: &mut Vec<String>,
    ) -> Result<Bank> {
        let n = known.n();
        self.check_low_rank(Some(n))?;
        if self.pairs.is_some() {
            let methods = multiview::low_rank_methods();
            return Err(self.storage.refused_for("learning from pairs", Some(n), &methods));
        }
        if let Some((view, absent)) = known.missing().first() {
            return Err(Error::Data(format!(
                "{absent} of {n} instances lack view '{view}', which landmarks cannot do without; leave these instances out, or take \
                 another storage"
            )));
        }
        let mut kernels = Vec::new();
        for spec in specs {
            kernels.extend(spec.resolve_with_notes(known, run, notes)?);
        }
        let (space, _) = Space::new(known, kernels, how, run)?;
        space.bank(known, how, run)
    }

    /// Embeds on kernels that may be shared.
    ///
    /// # Errors
    /// As [`multiview::embed`]; or `prepared` was made with other kernels, scaling or arrangement.
    pub fn embed_prepared(
        &self,
        prepared: &PreparedViews,
        k: usize,
        run: &Run,
    ) -> Result<Embedding> {
        let (embedder, problem) = (self.embedder()?, self.problem(prepared)?);
        let mut found = in_pool(|| multiview::embed(embedder.as_ref(), &problem, k, run))?;
        prepared.complete(self, &mut found);
        Ok(found)
    }

    /// Embeds and clusters on kernels that may be shared.
    ///
    /// # Errors
    /// As [`multiview::cluster`]; or `prepared` was made with other kernels, scaling or
    /// arrangement.
    pub fn cluster_prepared(
        &self,
        prepared: &PreparedViews,
        k: usize,
        starts: &Starts,
        run: &Run,
    ) -> Result<Clustering> {
        if !self.method.tasks.contains(&Task::Cluster) {
            return Err(Error::Data(format!(
                "method '{}' embeds, it does not cluster; embed with it, or choose a method that clusters",
                self.method.id
            )));
        }
        let problem = self.problem(prepared)?;
        let embedder = self.embedder()?;
        let mut found =
            in_pool(|| multiview::cluster(embedder.as_ref(), &problem, k, starts, run))?;
        prepared.complete(self, &mut found.embedding);
        prepared.put_notes(self, &mut found.report);
        Ok(found)
    }

    /// From views to an embedding.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare) and [`Embedder::embed`].
    pub fn embed(&self, views: &Views, k: usize, run: &Run) -> Result<Embedding> {
        let watch = run.watch();
        let prepared = self.prepare(views, run)?;
        let mut found = self.embed_prepared(&prepared, k, &run.remaining(&watch))?;
        found.report.seconds = watch.seconds();
        Ok(found)
    }

    /// From views to clusters.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare) and [`multiview::cluster`].
    pub fn cluster(
        &self,
        views: &Views,
        k: usize,
        starts: &Starts,
        run: &Run,
    ) -> Result<Clustering> {
        let watch = run.watch();
        let prepared = self.prepare(views, run)?;
        let mut found = self.cluster_prepared(&prepared, k, starts, &run.remaining(&watch))?;
        found.report.seconds = watch.seconds();
        Ok(found)
    }

    /// From views to an embedding and the model that embeds new rows.
    ///
    /// # Errors
    /// As [`embed`](Self::embed) and [`EmbeddingModel::new`].
    pub fn fit_embedding(
        &self,
        views: &Views,
        k: usize,
        run: &Run,
    ) -> Result<(EmbeddingModel, Embedding)> {
        self.fit_embedding_to(views, None, k, run)
    }

    /// [`fit_embedding`](Self::fit_embedding) by a method that learns from labels, too: classes, some of
    /// which may be missing.
    ///
    /// ```
    /// use cokernel::{Run, data, model::MultiView};
    ///
    /// let (views, labels) = data::toy::views(60, 3, &[3.0, 1.0], 1)?;
    /// let run = Run::default();
    /// let (model, found) = MultiView::new("fda")?.fit_labelled_embedding(&views, &labels, 2, &run)?;
    /// assert_eq!((found.rows.cols(), model.transform(&views)?.rows()), (2, 60));
    /// # Ok::<(), cokernel::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`fit_embedding`](Self::fit_embedding) and [`PreparedViews::with_labels`].
    pub fn fit_labelled_embedding(
        &self,
        views: &Views,
        labels: &Labels,
        k: usize,
        run: &Run,
    ) -> Result<(EmbeddingModel, Embedding)> {
        self.fit_embedding_to(views, Some(labels), k, run)
    }

    fn fit_embedding_to(
        &self,
        views: &Views,
        labels: Option<&Labels>,
        k: usize,
        run: &Run,
    ) -> Result<(EmbeddingModel, Embedding)> {
        let watch = run.watch();
        let mut prepared = self.prepare(views, run)?;
        if let Some(labels) = labels {
            prepared = prepared.with_labels(labels)?;
        }
        let mut found = self.embed_prepared(&prepared, k, &run.remaining(&watch))?;
        found.report.seconds = watch.seconds();
        let model = EmbeddingModel::new(self, &prepared, k, &found)?;
        Ok((model, found))
    }

    /// From views to clusters and the model that embeds new rows and finds their clusters.
    ///
    /// # Errors
    /// As [`cluster`](Self::cluster) and [`EmbeddingModel::new`].
    pub fn fit_clusters(
        &self,
        views: &Views,
        k: usize,
        starts: &Starts,
        run: &Run,
    ) -> Result<(EmbeddingModel, Clustering)> {
        let watch = run.watch();
        let prepared = self.prepare(views, run)?;
        let mut found = self.cluster_prepared(&prepared, k, starts, &run.remaining(&watch))?;
        found.report.seconds = watch.seconds();
        let model = EmbeddingModel::new(self, &prepared, k, &found.embedding)?;
        Ok((model.with_clusters(&found.kmeans, starts)?, found))
    }

    fn problem<'a>(&self, prepared: &'a PreparedViews) -> Result<Problem<'a>> {
        self.check_prepared(prepared)?;
        let bank = prepared.learned_for(self).map_or(&prepared.bank, |learned| &learned.bank);
        let (views, classes) = (Some(&prepared.views), prepared.classes.as_ref());
        Ok(Problem { bank, views, classes })
    }

    /// Refuses views that were prepared for other kernels.
    pub(super) fn check_prepared(&self, prepared: &PreparedViews) -> Result<()> {
        if self.shares(prepared)? {
            return self.check_low_rank(Some(prepared.bank.n()));
        }
        Err(Error::Data(
            "the views were prepared with other kernels, pairs, scaling, storage or arrangement than this \
             method has; prepare them again"
                .to_string(),
        ))
    }
}

/// Runs `work` on a thread of the pool, where parallel steps begin without waking one.
fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rayon::scope(|_| work())
}
