//! Many kernels to an embedding and clusters: one file per method, registry as in
//! [`mkl`](crate::mkl).
//!
//! A method gives an [`Embedding`] of the instances; k-means on its rows gives clusters
//! ([`Clustering`]). To add a method, write `multiview/<id>.rs` with a `pub static ENTRY: Entry<dyn Embedder>`
//! and add its line to [`REGISTRY`].

pub(crate) mod affinity;
pub mod anchor_graph;
mod canonical;
pub mod cca;
mod centred;
pub mod co_regularized;
pub mod co_regularized_centroid;
pub mod co_trained;
pub mod components;
pub mod concat_embeddings;
pub mod concat_kmeans;
pub mod concat_spectral;
mod coordinates;
pub mod discriminant;
mod drawn;
mod embedding;
mod extension;
pub mod fda;
pub mod gpk;
mod incomplete;
pub mod kernel_cca;
pub mod kernel_fda;
pub mod kernel_lfda;
pub mod kernel_pca;
mod landmarks;
mod laplacian;
pub mod late_fusion;
pub mod lfda;
pub mod lpk;
pub mod max_margin;
pub mod min_disagreement;
pub mod mkkm;
pub mod one_pass_fusion;
pub mod pca;
pub mod product_spectral;
pub mod simple_mkkm;
pub mod snf;
mod spectra;
pub mod spectral;
mod work;

pub use crate::solve::kmeans::{self, KMeans, Seeding, Starts};
pub use anchor_graph::Anchors;
pub use components::{lsa, project};
pub use embedding::{Clustering, Embedding, subspace_agreement};
pub use extension::{Degree, Extension, Source, Stage};
pub use spectra::{Spectrum, agreement_matrix, spectra};

use crate::bank::{Bank, Storage};
use crate::data::{PartialClasses, Scale, Views};
use crate::kernel::KernelSpec;
use crate::method::{Entry, Method};
use crate::mkl::Arrangement;
use crate::params::Params;
use crate::{Error, Result, Run};
use std::fmt;

/// All methods that embed and cluster.
pub static REGISTRY: &[&Entry<dyn Embedder>] = &[
    &spectral::ENTRY,
    &product_spectral::ENTRY,
    &concat_spectral::ENTRY,
    &concat_kmeans::ENTRY,
    &concat_embeddings::ENTRY,
    &cca::ENTRY,
    &kernel_cca::ENTRY,
    &min_disagreement::ENTRY,
    &co_trained::ENTRY,
    &co_regularized::ENTRY,
    &co_regularized_centroid::ENTRY,
    &mkkm::ENTRY,
    &simple_mkkm::ENTRY,
    &late_fusion::ENTRY,
    &one_pass_fusion::ENTRY,
    &max_margin::ENTRY,
    &snf::ENTRY,
    &anchor_graph::ENTRY,
    &pca::ENTRY,
    &kernel_pca::ENTRY,
    &fda::ENTRY,
    &kernel_fda::ENTRY,
    &lfda::ENTRY,
    &kernel_lfda::ENTRY,
    &gpk::ENTRY,
    &lpk::ENTRY,
];

/// A method of this registry, built from checked parameters.
///
/// # Errors
/// The method is one of another registry.
pub fn embedder(method: &Method, params: &Params) -> Result<Box<dyn Embedder>> {
    Entry::built(REGISTRY, method, params, "learns from labels; it neither clusters nor embeds")
}

/// The methods that kernels towards landmarks will do for.
pub(crate) fn low_rank_methods() -> Vec<&'static str> {
    let takes = |e: &&&Entry<dyn Embedder>| (e.build)(&e.method.defaults()).wants().low_rank;
    REGISTRY.iter().filter(takes).map(|e| e.method.id).collect()
}

/// What an embedding is made of.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The similarities of the n instances, one kernel or more per view.
    pub bank: &'a Bank,
    /// The views that the bank was made of, complete and scaled, for methods that look at
    /// features; `None` if there is nothing but matrices.
    pub views: Option<&'a Views>,
    /// The classes of the instances, or of some, for methods that learn from them.
    pub classes: Option<&'a PartialClasses>,
}

impl<'a> Problem<'a> {
    /// The kernels alone.
    pub fn new(bank: &'a Bank) -> Self {
        Problem { bank, views: None, classes: None }
    }
}

/// What a method wants its bank to be made of; the default is the given views and kernels.
#[derive(Debug, Clone, PartialEq)]
pub struct Wants {
    /// Which views the kernels are computed on.
    pub arrangement: Arrangement,
    /// The kernels, where the method is defined by its own.
    pub kernels: Option<Vec<KernelSpec>>,
    /// The scaling of columns, where the method has its own.
    pub scale: Option<Scale>,
    /// How kernels are kept, where the method has no use for stored ones.
    pub storage: Option<Storage>,
    /// Whether the method is about features: similarity views are then refused.
    pub features: bool,
    /// Whether it treats instances that lack views itself, and looks at no estimates of their similarities.
    pub incomplete: bool,
    /// Whether products with thin blocks, row sums and diagonals are all that it asks kernels for, so that kernels towards
    /// landmarks will do.
    pub low_rank: bool,
}

impl Default for Wants {
    fn default() -> Self {
        Wants {
            arrangement: Arrangement::Views,
            kernels: None,
            scale: None,
            storage: None,
            features: false,
            incomplete: false,
            low_rank: false,
        }
    }
}

impl Wants {
    /// The default, of a method that kernels towards landmarks will do for.
    pub(crate) fn products() -> Self {
        Wants { low_rank: true, ..Wants::default() }
    }

    /// The features of all views side by side, and no kernels that are stored.
    pub fn concatenated() -> Self {
        Wants {
            arrangement: Arrangement::Concatenated,
            kernels: Some(vec![KernelSpec::linear()]),
            scale: None,
            storage: Some(Storage::OnDemand),
            features: true,
            ..Wants::default()
        }
    }
}

/// The one trait that a multi-view method implements.
pub trait Embedder: fmt::Debug + Send + Sync {
    /// Embeds the n instances for `k` clusters (k columns, or k per view, unless the method's
    /// parameters say otherwise; fewer where eigenvalues are 0 up to rounding).
    ///
    /// # Errors
    /// k is 0 or above n, negative similarities, isolated instances, views that the method cannot
    /// use.
    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding>;

    /// What the bank is to be made of.
    fn wants(&self) -> Wants {
        Wants::default()
    }

    /// Whether new rows have a place in its embeddings.
    fn places_new_rows(&self) -> bool {
        true
    }

    /// Whether it learns from [`Problem::classes`], without which it cannot embed.
    fn reads_labels(&self) -> bool {
        false
    }
}

/// Embeds, and sees to it that what comes out is numbers. An extension that overflows is left out.
///
/// # Errors
/// As [`Embedder::embed`]; an embedding with numbers that are not finite.
pub fn embed(
    embedder: &dyn Embedder,
    problem: &Problem<'_>,
    k: usize,
    run: &Run,
) -> Result<Embedding> {
    let watch = run.watch();
    let mut found = embedder.embed(problem, k, run)?;
    let columns = found.rows.cols().max(1);
    found.report.warnings.splice(0..0, problem.bank.warnings().iter().cloned());
    if found.report.status.is_stop() {
        let (status, done) = (found.report.status, found.report.iterations);
        found.report.warnings.push(format!(
            "the embedding was stopped ({status}) after {done} rounds, and what it tells of the instances may be little"
        ));
    }
    let bad = found.rows.values().iter().position(|v| !v.is_finite()).map(|p| p / columns);
    if bad.is_some() || found.eigenvalues.iter().flatten().any(|v| !v.is_finite()) {
        let instance = bad.map_or(String::new(), |i| format!(" (instance {i} is the first)"));
        return Err(Error::Data(format!(
            "the embedding has numbers that are not finite{instance}: the similarities are too \
             large or too small for floating point; scale features or kernels, or leave out \
             instances with extreme values"
        )));
    }
    found.gaps.iter_mut().for_each(|gap| *gap = gap.filter(|g| g.is_finite()));
    if let Some(extension) = found.extension.take() {
        found.extension = extension.towards(problem.bank, &watch);
        if found.extension.is_none() {
            found.report.notes.push(landmarks::STOPPED.to_string());
        }
    }
    if found.extension.as_ref().is_some_and(|e| !e.is_finite()) {
        found.extension = None;
        let why =
            "new rows cannot be embedded: the numbers for that are too large for floating point";
        found.report.notes.push(why.to_string());
    }
    Ok(found)
}

/// Centers as near to each other, beside the largest coordinate, are the same but for rounding.
const SAME: f64 = 1e-9;

/// Embeds, then clusters the rows of the embedding.
///
/// # Errors
/// As [`embed`] and [`kmeans::kmeans`].
pub fn cluster(
    embedder: &dyn Embedder,
    problem: &Problem<'_>,
    k: usize,
    starts: &Starts,
    run: &Run,
) -> Result<Clustering> {
    let watch = run.watch();
    kmeans::check_clusters(k, problem.bank.n())?;
    let mut embedding = embed(embedder, problem, k, run)?;
    let found = kmeans::kmeans(&embedding.rows, k, starts, run, &watch)?;
    if found.inertias.len() < starts.starts {
        let (ran, asked) = (found.inertias.len(), starts.starts);
        embedding.report.notes.push(format!("{ran} of {asked} starts of k-means were run"));
    }
    let centers = &found.centers;
    let size = centers.values().iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    let same = |i: usize, j: usize| {
        let pairs = || centers.row(i).iter().zip(centers.row(j));
        pairs().all(|(a, b)| (a - b).abs() <= SAME * size)
    };
    // Clusters without an instance have no center.
    let apart = (0..centers.rows()).filter(|i| !(0..*i).any(|j| same(*i, j))).count();
    if apart < centers.rows() {
        embedding.report.notes.push(format!(
            "the rows of the embedding have only {apart} places but for rounding: {k} clusters cannot be told apart, and instances that are \
             alike can be in different ones; ask for {apart} clusters"
        ));
    }
    Ok(Clustering::new(embedding, found, watch.seconds()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::run::StopAtTheBeginning;
    use std::sync::Arc;

    /// Row sums and products with blocks once went on to the end, view after view, for tens of
    /// seconds where kernels are computed on demand.
    #[test]
    fn a_stop_ends_passes_over_kernels() {
        let (views, _) = crate::data::toy::views(150, 3, &[6.0, 6.0], 1).unwrap();
        let specs = [KernelSpec::gaussian()];
        let bank = Bank::build(&views, &specs, Storage::OnDemand, &Run::default()).unwrap();
        let codes = (0..150).map(|i| Some(i % 3)).collect();
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let classes = PartialClasses { names, codes };
        let problem = Problem { bank: &bank, views: Some(&views), classes: Some(&classes) };
        let mut seen = 0;
        for method in REGISTRY {
            let embedder = (method.build)(&method.defaults());
            if embedder.wants().features || embedder.wants().kernels.is_some() {
                continue;
            }
            let mut run = Run::default();
            run.observer = Some(Arc::new(StopAtTheBeginning(run.cancel.clone())));
            match embed(embedder.as_ref(), &problem, 3, &run) {
                Err(Error::Stopped { .. }) => seen += 1,
                other => panic!("{}: {:?}", method.id, other.map(|e| e.report.status)),
            }
        }
        assert!(seen >= 7, "{seen}");
        let mut run = Run::default();
        run.observer = Some(Arc::new(StopAtTheBeginning(run.cancel.clone())));
        assert!(spectra(&bank, 3, &run).unwrap().is_none());
    }
}
