//! [`MultiView`]: from views to an embedding and clusters.
//!
//! As with [`Mkl`](super::Mkl), the expensive first half, [`MultiView::prepare`], can be shared by
//! methods that want the same kernels; [`MultiView::embed_prepared`] and
//! [`MultiView::cluster_prepared`] do the rest.

use super::fit::{check, name, remaining};
use super::prepared::{check_square, kernels_or_default, used_views, without_view};
use super::{EmbeddingModel, Recipe, ViewInfo};
use crate::bank::{Bank, Storage};
use crate::data::{Preparation, Scale, Table, Views};
use crate::kernel::KernelSpec;
use crate::method::{self, Method, Params, Value};
use crate::mkl::Arrangement;
use crate::multiview::{self, Clustering, Embedder, Embedding, Problem, Starts};
use crate::{Error, Event, Result, Run};
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
    scale: Scale,
    storage: Storage,
}

/// Views and kernels ready for several methods.
#[derive(Debug)]
pub struct PreparedViews {
    pub(crate) preparation: Preparation,
    pub(crate) views: Views,
    pub(super) given: Vec<ViewInfo>,
    pub(crate) bank: Bank,
    pub(crate) recipe: Recipe,
    pub(crate) notes: Vec<String>,
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

    /// Sentences about data and kernels that a user should read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

impl MultiView {
    /// The method with this registry id, everything else at its default.
    ///
    /// # Errors
    /// No such method (the closest is suggested), or it does not cluster.
    pub fn new(id: &str) -> Result<Self> {
        let method = method::find(id)?;
        method.embedder(&method.defaults())?;
        let (scale, storage) = (Scale::None, Storage::Auto);
        Ok(MultiView { method, given: Vec::new(), kernels: None, scale, storage })
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
        self.method.embedder(&self.params()?)
    }

    /// What decides about the kernels; also checks the parameters.
    pub(crate) fn recipe(&self) -> Result<Recipe> {
        let wants = self.embedder()?.wants();
        Ok(Recipe {
            kernels: wants.kernels.or_else(|| self.kernels.clone()),
            scale: wants.scale.unwrap_or(self.scale),
            storage: wants.storage.unwrap_or(self.storage),
            arrangement: wants.arrangement,
        })
    }

    /// Whether [`prepare`](Self::prepare) of the same views would give what is prepared already.
    ///
    /// # Errors
    /// Wrong parameters.
    pub fn shares(&self, prepared: &PreparedViews) -> Result<bool> {
        Ok(self.recipe()? == prepared.recipe)
    }

    /// Scales the views and computes the kernels.
    ///
    /// # Errors
    /// Wrong parameters, kernels that the views cannot serve.
    pub fn prepare(&self, views: &Views, run: &Run) -> Result<PreparedViews> {
        let recipe = self.recipe()?;
        if views.is_empty() {
            return Err(Error::Data("there is no view; give at least one".to_string()));
        }
        let similarity = views.iter().find(|v| matches!(v.table, Table::Similarity(_)));
        if let Some(view) = similarity.filter(|_| self.embedder().is_ok_and(|e| e.wants().features))
        {
            return Err(Error::Data(format!(
                "method '{}' works on features, but view '{}' is a similarity; leave this view \
                 out, or choose a method that works on similarities",
                self.method.id, view.name
            )));
        }
        let specs = kernels_or_default(recipe.kernels.as_deref(), views)?;
        let views = used_views(Cow::Borrowed(views), &specs)?;
        check_square(&views)?;
        run.tell(Event::Begin { stage: "kernels", total: None });
        let concat = recipe.arrangement == Arrangement::Concatenated;
        let preparation = Preparation::fit(&views, recipe.scale, concat)?;
        let given = views.iter().map(ViewInfo::of).collect();
        let views = preparation.apply(&views)?;
        let specs = if concat { without_view(specs) } else { specs };
        let bank = Bank::build(&views, &specs, recipe.storage, run)?;
        let notes = preparation.notes().iter().chain(bank.notes()).cloned().collect();
        run.tell(Event::End);
        Ok(PreparedViews { preparation, views, given, bank, recipe, notes })
    }

    /// Embeds on kernels that may be shared.
    ///
    /// # Errors
    /// As [`Embedder::embed`]; or `prepared` was made with other kernels, scaling or arrangement.
    pub fn embed_prepared(
        &self,
        prepared: &PreparedViews,
        k: usize,
        run: &Run,
    ) -> Result<Embedding> {
        self.embedder()?.embed(&self.problem(prepared)?, k, run)
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
        let problem = self.problem(prepared)?;
        multiview::cluster(self.embedder()?.as_ref(), &problem, k, starts, run)
    }

    /// From views to an embedding.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare) and [`Embedder::embed`].
    pub fn embed(&self, views: &Views, k: usize, run: &Run) -> Result<Embedding> {
        let watch = run.watch();
        let prepared = self.prepare(views, run)?;
        let mut found = self.embed_prepared(&prepared, k, &remaining(run, &watch))?;
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
        let mut found = self.cluster_prepared(&prepared, k, starts, &remaining(run, &watch))?;
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
        let watch = run.watch();
        let prepared = self.prepare(views, run)?;
        let mut found = self.embed_prepared(&prepared, k, &remaining(run, &watch))?;
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
        let mut found = self.cluster_prepared(&prepared, k, starts, &remaining(run, &watch))?;
        found.report.seconds = watch.seconds();
        let model = EmbeddingModel::new(self, &prepared, k, &found.embedding)?;
        Ok((model.with_clusters(&found.kmeans, starts)?, found))
    }

    fn problem<'a>(&self, prepared: &'a PreparedViews) -> Result<Problem<'a>> {
        self.check_prepared(prepared)?;
        Ok(Problem { bank: &prepared.bank, views: Some(&prepared.views) })
    }

    /// Refuses views that were prepared for other kernels.
    pub(super) fn check_prepared(&self, prepared: &PreparedViews) -> Result<()> {
        if prepared.recipe == self.recipe()? {
            return Ok(());
        }
        Err(Error::Data(
            "the views were prepared with other kernels, scaling, storage or arrangement than this \
             method has; prepare them again"
                .to_string(),
        ))
    }
}
