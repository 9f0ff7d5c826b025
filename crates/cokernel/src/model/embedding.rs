//! [`EmbeddingModel`]: a learned embedding as far as new rows need it, and its clusters.

use super::predict::cross_with;
use super::summary::{ClusterInfo, EmbeddingSummary, KernelUse, ViewInfo};
use super::{MultiView, PreparedViews, all_views, beside, refuse_unit_diagonal};
use super::{file, finite};
use crate::bank::RowMeans;
use crate::data::{Matrix, Preparation, Views};
use crate::error::room_for;
use crate::kernel::{Kernel, Norm};
use crate::multiview::{Embedding, Extension, KMeans, Source, Starts};
use crate::params::Params;
use crate::scale::Basis;
use crate::{Error, Report, Result, Run, VERSION};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A learned embedding: places new rows in it, and, where it was clustered, in its clusters. Made by
/// [`MultiView::fit_embedding`], [`MultiView::fit_clusters`] or [`EmbeddingModel::load`].
///
/// ```
/// use cokernel::{Run, data, model::MultiView, multiview::Starts};
///
/// let (views, _) = data::toy::views(60, 3, &[6.0, 6.0], 1)?;
/// let old: Vec<usize> = (0..45).collect();
/// let new: Vec<usize> = (45..60).collect();
/// let (model, found) = MultiView::new("spectral")?.fit_clusters(
///     &views.select(&old), 3, &Starts::default(), &Run::default())?;
/// assert_eq!(model.assign(&views.select(&old))?, found.assignments);
/// assert_eq!(model.transform(&views.select_new(&new, &old))?.cols(), 3);
/// # Ok::<(), cokernel::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddingModel {
    pub(super) info: EmbeddingInfo,
    /// The prepared training rows of the feature views that active kernels look at: of all instances, or of the
    /// landmarks that stand for them.
    pub(super) rows: Views,
    /// Over the active kernels; `None` if the method tells no extension.
    pub(super) extension: Option<Extension>,
    /// One row per cluster that is not empty.
    pub(super) centers: Option<Matrix>,
}

/// Everything that is not a table of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct EmbeddingInfo {
    pub(super) method: String,
    pub(super) params: Params,
    pub(super) k: usize,
    pub(super) library_version: String,
    pub(super) n_train: usize,
    /// How many landmarks, where these stand for the training instances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) landmarks: Option<usize>,
    /// Columns of the embedding.
    pub(super) columns: usize,
    pub(super) views: Vec<ViewInfo>,
    /// All views of the fit in their order, where new rows do not need all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) all_views: Vec<String>,
    pub(super) preparation: Preparation,
    pub(super) kernels: Vec<Kernel>,
    /// Indices of the kernels that new rows are compared by.
    pub(super) active: Vec<usize>,
    /// Normalisations of each kernel; empty for those that are not active.
    pub(super) norms: Vec<Vec<Norm>>,
    pub(super) eigenvalues: Vec<Vec<f64>>,
    pub(super) gaps: Vec<Option<f64>>,
    pub(super) agreement: Vec<f64>,
    pub(super) clusters: Option<ClusterInfo>,
    pub(super) report: Report,
}

impl EmbeddingInfo {
    /// Training rows that are kept, where any are.
    pub(super) fn kept(&self) -> usize {
        self.landmarks.unwrap_or(self.n_train)
    }
}

/// How notes begin that say why new rows have no place.
const NOT_NEW: &str = "new rows cannot be embedded";

impl EmbeddingModel {
    /// The model of an embedding that `method` computed on `prepared` for `k` clusters.
    ///
    /// # Errors
    /// `prepared` was made for other kernels than `method` has, or has another number of
    /// instances than the embedding; a similarity is to have a unit diagonal, which new rows do
    /// not tell; a number overflows.
    pub fn new(
        method: &MultiView,
        prepared: &PreparedViews,
        k: usize,
        embedding: &Embedding,
    ) -> Result<Self> {
        method.check_prepared(prepared)?;
        let (bank, n) = (&prepared.bank, prepared.bank.n());
        if embedding.rows.rows() != n {
            return Err(Error::shape("rows of the embedding", n, embedding.rows.rows()));
        }
        let kernels = bank.kernels();
        let active = embedding.extension.as_ref().map_or(Vec::new(), |e| e.active(kernels.len()));
        refuse_unit_diagonal(&active, kernels)?;
        let norms = (0..kernels.len())
            .map(|m| if active.contains(&m) { bank.norms(m).to_vec() } else { Vec::new() })
            .collect();
        let compared = |name: &str| active.iter().any(|&m| kernels[m].view == name);
        let features = embedding.extension.as_ref().map_or(Vec::new(), |e| e.feature_views());
        let looked_at = |name: &str| compared(name) || features.contains(&name);
        let preparation = prepared.preparation.clone().only(looked_at);
        let asked_for = |v: &&ViewInfo| {
            embedding.extension.is_some() && preparation.names().contains(&v.name.as_str())
        };
        let views: Vec<ViewInfo> = prepared.given.iter().filter(asked_for).cloned().collect();
        let mut rows = Views::new();
        for view in prepared.views.iter() {
            if compared(&view.name) && !view.table.is_similarity() {
                let table = match bank.basis() {
                    Some(basis) => basis.table(view)?,
                    None => view.table.clone(),
                };
                rows = rows.with(view.name.clone(), table)?;
            }
        }
        let mut report = embedding.report.clone();
        let unsaid = |note: &&String| !report.notes.contains(note);
        let missing: Vec<String> = prepared.notes().iter().filter(unsaid).cloned().collect();
        report.notes.splice(0..0, missing);
        let info = EmbeddingInfo {
            method: method.method().id.to_string(),
            params: method.params()?,
            k,
            library_version: VERSION.to_string(),
            n_train: n,
            landmarks: bank.basis().map(Basis::len),
            columns: embedding.rows.cols(),
            all_views: beside(&prepared.names, &views),
            views,
            preparation,
            kernels: kernels.to_vec(),
            norms,
            eigenvalues: embedding.eigenvalues.clone(),
            gaps: embedding.gaps.clone(),
            agreement: embedding.agreement.clone(),
            clusters: None,
            report,
            active,
        };
        let extension = embedding.extension.as_ref().map(|e| e.of_kernels(&info.active));
        let model = EmbeddingModel { info, rows, extension, centers: None };
        finite::embedding(&model)?;
        Ok(model)
    }

    /// The same with the clusters that k-means found in the embedding.
    ///
    /// # Errors
    /// The centres do not have the columns of the embedding, or are not finite.
    pub fn with_clusters(mut self, found: &KMeans, starts: &Starts) -> Result<Self> {
        if found.centers.cols() != self.info.columns {
            let found = found.centers.cols();
            return Err(Error::shape("columns of the centres", self.info.columns, found));
        }
        let mut sizes = vec![0; found.centers.rows()];
        found.assignments.iter().for_each(|c| sizes[*c as usize] += 1);
        let inertia = found.inertia;
        finite::clusters(&found.centers, inertia)?;
        self.info.clusters = Some(ClusterInfo { starts: *starts, inertia, sizes });
        self.centers = Some(found.centers.clone());
        Ok(self)
    }

    /// The embedding of new rows, as many columns as that of the training instances, which get
    /// back their own rows. Similarity views hold, for each new row, its similarity to all
    /// training instances in their order.
    ///
    /// Cost: for each row the values of the active kernels towards all training instances, or towards the
    /// [landmarks](Self::landmarks) that stand for them.
    ///
    /// # Errors
    /// The method has no extension to new rows; a view is missing or incomplete, or differs from
    /// training in kind, number of columns or column names; a row that is similar to no training
    /// instance.
    pub fn transform(&self, views: &Views) -> Result<Matrix> {
        self.transform_in(views, &Run::default())
    }

    /// Why there is no embedding of new rows where the model does not [extend](Self::extends).
    pub fn why_not_new(&self) -> String {
        let told = self.info.report.notes.iter().find(|note| note.starts_with(NOT_NEW));
        let method = || {
            format!(
                "method '{}' embeds the instances that it was given; it tells no embedding of new rows: embed old \
                 and new rows together, or take another method",
                self.info.method
            )
        };
        told.cloned().unwrap_or_else(method)
    }

    /// [`transform`](Self::transform) with the limits of a run.
    ///
    /// # Errors
    /// As [`transform`](Self::transform); [`Error::Stopped`].
    pub fn transform_in(&self, views: &Views, run: &Run) -> Result<Matrix> {
        let Some(extension) = &self.extension else {
            return Err(Error::Data(self.why_not_new()));
        };
        let info = &self.info;
        // The parts of all stages, side by side and apart, and the result.
        let (rows, columns) = (views.n(), extension.columns());
        room_for::<f64>(columns.checked_mul(3).and_then(|c| rows.checked_mul(c)), || {
            format!("the embedding of {rows} instances")
        })?;
        let views = info.preparation.apply(views)?;
        views.require_complete()?;
        // Without kernels no row is looked at.
        let n = if info.active.is_empty() { 0 } else { info.kept() };
        let all: Vec<usize> = (0..n).collect();
        let cross = cross_with(
            &self.rows,
            &all,
            info.kept(),
            (&info.kernels, &info.norms),
            &info.active,
            RowMeans::Exact,
        )?
        .under(run.watch());
        let z = extension.apply(&cross, info.active.len(), &views)?;
        if let Some(p) = z.values().iter().position(|v| !v.is_finite()) {
            return Err(Error::Data(format!(
                "row {}: its embedding is not a finite number; the features of this row are too \
                 large",
                p / z.cols()
            )));
        }
        Ok(z)
    }

    /// The cluster of each new row: that with the nearest centre.
    ///
    /// # Errors
    /// As [`transform`](Self::transform); or there are no clusters.
    pub fn assign(&self, views: &Views) -> Result<Vec<u32>> {
        self.assign_in(views, &Run::default())
    }

    /// [`assign`](Self::assign) with the limits of a run.
    ///
    /// # Errors
    /// As [`assign`](Self::assign); [`Error::Stopped`].
    pub fn assign_in(&self, views: &Views, run: &Run) -> Result<Vec<u32>> {
        self.clusters_of(&self.transform_in(views, run)?)
    }

    /// The cluster with the nearest centre (the first of them, should several be) for each row
    /// that [`transform`](Self::transform) gave.
    ///
    /// # Errors
    /// There are no clusters, or the rows have another number of columns than the embedding.
    pub fn clusters_of(&self, embedded: &Matrix) -> Result<Vec<u32>> {
        let Some(centers) = &self.centers else {
            return Err(Error::Data(
                "this model embeds only: no clusters were looked for when it was made".to_string(),
            ));
        };
        if embedded.cols() != centers.cols() {
            return Err(Error::shape("columns of the embedding", centers.cols(), embedded.cols()));
        }
        let distance = |row: &[f64], c: usize| -> f64 {
            row.iter().zip(centers.row(c)).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let nearest = |i: usize| {
            let row = embedded.row(i);
            let best = (0..centers.rows()).map(|c| (distance(row, c), c));
            best.reduce(|best, next| if next.0 < best.0 { next } else { best })
                .map_or(0, |(_, c)| c as u32)
        };
        Ok((0..embedded.rows()).map(nearest).collect())
    }

    /// Writes the model in one step: `path` holds the old content or the new, never half.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        file::save_embedding(self, path.as_ref())
    }

    /// The content of the model's file.
    ///
    /// # Errors
    /// The model holds a number that is not finite.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        file::embedding_to_bytes(self)
    }

    /// Reads the content of a model's file, as [`load`](Self::load) does.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        file::embedding_from_bytes(bytes)
    }

    /// Reads a model. Nothing is executed, and every size is checked before it is used.
    ///
    /// # Errors
    /// The file cannot be read, is not an embedding model, is truncated or damaged, or comes from
    /// a newer version of the format.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        file::load_embedding(path.as_ref())
    }

    /// Registry id of the method.
    pub fn method(&self) -> &str {
        &self.info.method
    }

    /// The views that must be given to embed new rows.
    pub fn views(&self) -> &[ViewInfo] {
        &self.info.views
    }

    /// Number of training instances.
    pub fn n_train(&self) -> usize {
        self.info.n_train
    }

    /// Number of landmarks, where these stand for the training instances (storage `nystroem`): then the model keeps
    /// their rows alone, and as many numbers for each column of a stage and kernel.
    pub fn landmarks(&self) -> Option<usize> {
        self.info.landmarks.filter(|_| !self.is_random())
    }

    /// Number of rows of directions, a cosine and a sine of each, where random features stand for kernels (storage `fourier`).
    pub fn directions(&self) -> Option<usize> {
        self.info.landmarks.filter(|_| self.is_random())
    }

    fn is_random(&self) -> bool {
        self.info.kernels.iter().any(|k| k.function.is_wave())
    }

    /// Number of columns of the embedding.
    pub fn columns(&self) -> usize {
        self.info.columns
    }

    /// Whether new rows can be embedded.
    pub fn extends(&self) -> bool {
        self.extension.is_some()
    }

    /// The linear map of the features, where the embedding is one: the view that it maps, and W (columns of the view ×
    /// columns of the embedding), beside which there may be a constant. Of local projections those of all regions side by
    /// side, without the gates that they are multiplied by.
    pub fn projection(&self) -> Option<(&str, &Matrix)> {
        let extension = self.extension.as_ref()?;
        let stage = match extension.stages.as_slice() {
            [stage] => stage,
            [stage, _, last] if matches!(last.source, Source::Gated { of: 0, .. }) => stage,
            _ => return None,
        };
        match &stage.source {
            Source::Columns { view } if !extension.unit_rows && stage.basis.rows() > 0 => {
                Some((view, &stage.basis))
            }
            _ => None,
        }
    }

    /// Centres of the clusters that are not empty, if the embedding was clustered.
    pub fn centers(&self) -> Option<&Matrix> {
        self.centers.as_ref()
    }

    /// How learning went; its notes hold everything a user should read.
    pub fn report(&self) -> &Report {
        &self.info.report
    }

    /// All of the above in one serialisable value.
    pub fn inspect(&self) -> EmbeddingSummary {
        let info = &self.info;
        let one = |(m, kernel): (usize, &Kernel)| KernelUse {
            kernel: kernel.name.clone(),
            view: kernel.view.clone(),
            active: info.active.contains(&m),
        };
        EmbeddingSummary {
            method: info.method.clone(),
            params: info.params.clone(),
            k: info.k,
            library_version: info.library_version.clone(),
            seed: info.report.seed,
            n_train: info.n_train,
            landmarks: self.landmarks(),
            directions: self.directions(),
            columns: info.columns,
            views: info.views.clone(),
            all_views: all_views(&info.all_views, &info.views),
            kernels: info.kernels.iter().enumerate().map(one).collect(),
            extends: self.extends(),
            eigenvalues: info.eigenvalues.clone(),
            gaps: info.gaps.clone(),
            agreement: info.agreement.clone(),
            clusters: info.clusters.clone(),
            report: info.report.clone(),
        }
    }
}
