//! Several clusterings of the same instances: rows in the given order, controls beside them, and
//! a sentence about whether anything beats the controls.
//!
//! Methods that want the same kernels share one bank, in whatever order they were named; banks
//! that differ are made one after the other, so that one at a time is in memory. Single kernels
//! come first among the rows. Every start of k-means is scored, so that a row has both the score
//! of the start with the least inertia and mean and standard deviation over all starts.

mod scores;
mod text;
mod verdict;
mod work;

pub use scores::StartScores;
pub use verdict::{MARGIN, Verdict};

use super::Stat;
use super::cluster_scores::NmiNorm;
use crate::data::{Labels, Matrix, Views};
use crate::model::{MultiView, PreparedViews, Recipe};
use crate::multiview::kmeans::check_clusters;
use crate::multiview::{Clustering, Spectrum, Starts};
use crate::params::Params;
use crate::{Error, Event, Report, Result, Run, Status, VERSION};
use serde::Serialize;
use std::collections::BTreeMap;
use work::{Place, Work};

/// A method of a comparison.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The method.
    pub method: MultiView,
    /// Whether the comparison fails if the method cannot use these views; else the method is left
    /// out, and that is said.
    pub required: bool,
}

impl From<MultiView> for Candidate {
    fn from(method: MultiView) -> Self {
        Candidate { method, required: true }
    }
}

/// What a comparison does beside the methods.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClusteringOptions {
    /// Starts of k-means.
    pub starts: Starts,
    /// Try every kernel alone: spectral clustering of it.
    pub singles: bool,
    /// Show a control and a kernel alone also without the diagonal of the similarities
    /// (`diagonal = zero`), where that gives other clusters: normalised mutual information of the
    /// two below 0.9.
    pub diagonals: bool,
    /// Say how far the views agree.
    pub agreement: bool,
    /// Number of leading eigenvalues of each view to report.
    pub spectrum: usize,
}

/// One clustering of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClusteringRow {
    /// `method`, `method(name=value)` where parameters were given, or `single:view`
    /// (`single:kernel` for a view with several kernels).
    pub name: String,
    /// Registry id.
    pub method: String,
    /// Its parameters.
    pub params: Params,
    /// Whether it is a control: something simple that a method should beat.
    pub control: bool,
    /// Whether it is a kernel tried alone.
    pub single: bool,
    /// Scores against the classes, where these are given.
    pub scores: Option<StartScores>,
    /// The least inertia of k-means, whose start gave `assignments`.
    pub inertia: f64,
    /// The inertia over all starts.
    pub inertias: Stat,
    /// Number of instances of each cluster; 0 for clusters that stayed empty.
    pub sizes: Vec<usize>,
    /// Cluster of each instance.
    pub assignments: Vec<u32>,
    /// Agreement of the views after each outer iteration, for methods with one embedding per
    /// view.
    pub agreement: Vec<f64>,
    /// Leading eigenvalues, one list per operator of the method.
    pub eigenvalues: Vec<Vec<f64>>,
    /// The difference of the last of each list and the next eigenvalue, where it is known.
    pub gaps: Vec<Option<f64>>,
    /// What k-means worked on.
    #[serde(skip)]
    pub embedding: Matrix,
    /// How it went; the seconds are without the kernels, which are shared.
    pub report: Report,
}

/// How far the views agree, each on its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ViewAgreement {
    /// The views; of a view with several kernels, the kernels.
    pub names: Vec<String>,
    /// Number of leading eigenvectors that were compared.
    pub eigenvectors: usize,
    /// [`subspace_agreement`](crate::multiview::subspace_agreement) of each pair.
    pub matrix: Vec<Vec<f64>>,
    /// Its mean over all pairs.
    pub mean: f64,
}

/// A method that could not use the views.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// The method.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// Several clusterings of the same instances.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Clusterings {
    /// Single kernels, then the methods in the given order.
    pub rows: Vec<ClusteringRow>,
    /// Number of clusters.
    pub k: usize,
    /// `best_of` or `published`; see [`Starts`].
    pub protocol: String,
    /// Starts of k-means.
    pub starts: Starts,
    /// What the mutual information is divided by.
    pub nmi_normalization: NmiNorm,
    /// Number of instances whose class is known: those that were scored.
    pub scored: usize,
    /// Names of the kernels.
    pub kernels: Vec<String>,
    /// Agreement of the views, if it was asked for and there are two.
    pub agreement: Option<ViewAgreement>,
    /// Leading eigenvalues of each view, if they were asked for.
    pub spectra: Vec<Spectrum>,
    /// Whether any method beats the controls; `None` without classes, or if the run was stopped.
    pub verdict: Option<Verdict>,
    /// Methods that could not use the views.
    pub left_out: Vec<LeftOut>,
    /// Views that instances lacked, and how many did; the notes say what became of them.
    pub filled: Vec<(String, usize)>,
    /// What a user should read, without repetitions.
    pub notes: Vec<String>,
    /// Seed of the methods.
    pub seed: u64,
    /// Version of the library.
    pub library_version: String,
    /// Interrupted or out of time, else converged.
    pub status: Status,
}

/// A clustering as it is found, with what it was made of.
#[derive(Debug)]
pub struct Found<'a> {
    /// The method.
    pub method: &'a MultiView,
    /// Whether it is a kernel tried alone.
    pub single: bool,
    /// Its kernels.
    pub prepared: &'a PreparedViews,
    /// The clustering.
    pub clustering: &'a Clustering,
}

/// Clusters the same instances by several methods; each must be able to use the views. Scores
/// count the instances whose class is known; without any there are none. A stopped run ends with
/// the rows that it has.
///
/// # Errors
/// No method, labels of another length, and whatever the methods refuse.
pub fn compare_clusterings(
    methods: &[MultiView],
    views: &Views,
    k: usize,
    labels: Option<&Labels>,
    starts: &Starts,
    run: &Run,
) -> Result<Clusterings> {
    let candidates: Vec<Candidate> = methods.iter().cloned().map(Candidate::from).collect();
    let options = ClusteringOptions { starts: *starts, ..ClusteringOptions::default() };
    compare_candidates(&candidates, views, k, labels, &options, &mut |_| Ok(()), run)
}

/// As [`compare_clusterings`], with controls, agreement and spectra of the views on request.
/// Kernels that are tried alone, and the views that are compared, are those of the first method
/// that takes the kernels as they are given. `visit` is called with each clustering.
///
/// # Errors
/// As [`compare_clusterings`]; what `visit` refuses; no method can use these views.
pub fn compare_candidates(
    candidates: &[Candidate],
    views: &Views,
    k: usize,
    labels: Option<&Labels>,
    options: &ClusteringOptions,
    visit: &mut dyn FnMut(&Found<'_>) -> Result<()>,
    run: &Run,
) -> Result<Clusterings> {
    let watch = run.watch();
    if candidates.is_empty() {
        return Err(Error::Data("there is no method to compare; name at least one".to_string()));
    }
    for candidate in candidates {
        candidate.method.params()?;
    }
    if let Some(labels) = labels
        && labels.len() != views.n()
    {
        let expected = format!("{}, one per instance", views.n());
        return Err(Error::shape("labels", expected, labels.len()));
    }
    check_clusters(k, views.n())?;
    let truth: Vec<(usize, u32)> = match labels {
        Some(Labels::Classes { codes, .. }) => {
            codes.iter().enumerate().filter_map(|(i, c)| Some((i, (*c)?))).collect()
        }
        _ => Vec::new(),
    };
    let (candidates, unstored) = stored(candidates)?;
    let candidates = &candidates[..];
    let recipes: Vec<Recipe> =
        candidates.iter().map(|c| c.method.recipe()).collect::<Result<_>>()?;
    let base = base(candidates, &recipes)?;
    let mut work = Work {
        k,
        options,
        truth,
        visit,
        run,
        watch,
        rows: BTreeMap::new(),
        left_out: Vec::new(),
        notes: unstored.into_iter().collect(),
        steps: 0,
    };
    let (mut agreement, mut seen, mut kernels) = (None, Vec::new(), Vec::new());
    let about_views = options.singles || options.agreement || options.spectrum > 0;
    // Kernels that several methods want, those of the base first.
    let mut order: Vec<&Recipe> = if about_views { vec![&base.1] } else { Vec::new() };
    recipes.iter().for_each(|r| {
        if !order.contains(&r) {
            order.push(r);
        }
    });
    let mut first_refusal = None;
    'all: for (turn, recipe) in order.into_iter().enumerate() {
        if work.watch.stop().is_some() && turn > 0 {
            break;
        }
        let group: Vec<usize> = (0..candidates.len()).filter(|c| recipes[*c] == *recipe).collect();
        let own = about_views && turn == 0;
        let maker = if own { &base.0 } else { &candidates[group[0]].method };
        let loud = run.remaining(&work.watch);
        let mut prepared = match maker.prepare(views, &if turn == 0 { loud } else { loud.quiet() })
        {
            Ok(prepared) => prepared,
            Err(e) if own || group.iter().any(|c| candidates[*c].required) => return Err(e),
            Err(e) => {
                group.iter().for_each(|c| work.leave_out(&candidates[*c].method.name(), &e));
                first_refusal.get_or_insert(e);
                continue;
            }
        };
        let names: Vec<String> = prepared.bank.kernels().iter().map(|k| k.name.clone()).collect();
        if kernels.is_empty() {
            let singles = if options.singles { names.len() } else { 0 };
            let total = Some((singles + candidates.len()) as u64);
            run.tell(Event::Begin { stage: "clusterings", total });
            kernels = names;
        }
        work.remark(prepared.bank.warnings());
        work.remark(prepared.notes());
        if own {
            work.singles(&base.0, &prepared)?;
            (agreement, seen) = work.views(&prepared)?;
        }
        for c in group {
            let candidate = &candidates[c];
            if work.watch.stop().is_some() && !work.rows.is_empty() {
                break;
            }
            let name = candidate.method.name();
            candidate.method.learn_pairs(&mut prepared, &run.remaining(&work.watch))?;
            match work.cluster(Place::Method(c, false), name, &candidate.method, &prepared) {
                Ok(()) => {}
                // What other methods gave remains.
                Err(_) if work.watch.stop().is_some() && !work.rows.is_empty() => break,
                Err(e @ Error::Stopped { .. }) => {
                    first_refusal = Some(e);
                    break 'all;
                }
                Err(e) if candidate.required || is_misuse(&e) => return Err(e),
                Err(e) => {
                    work.leave_out(&candidate.method.name(), &e);
                    first_refusal.get_or_insert(e);
                }
            }
        }
    }
    if !kernels.is_empty() {
        run.tell(Event::End);
    }
    let stopped = work.watch.stop();
    if let (true, Some(refusal)) = (work.rows.is_empty(), first_refusal) {
        return Err(refusal);
    }
    let rows: Vec<ClusteringRow> = work.rows.into_values().collect();
    let verdict = if stopped.is_none() { verdict::of(&rows) } else { None };
    Ok(Clusterings {
        rows,
        k,
        protocol: options.starts.protocol().to_string(),
        starts: options.starts,
        nmi_normalization: NmiNorm::Arithmetic,
        scored: work.truth.len(),
        kernels,
        agreement,
        spectra: seen,
        verdict,
        left_out: work.left_out,
        filled: views.missing().into_iter().map(|(name, n)| (name.to_string(), n)).collect(),
        notes: work.notes,
        seed: run.seed,
        library_version: VERSION.to_string(),
        status: stopped.unwrap_or(Status::Converged),
    })
}

/// Those that the storage will do for, and a note about the others.
///
/// # Errors
/// One of these is required, or none is left.
fn stored(candidates: &[Candidate]) -> Result<(Vec<Candidate>, Option<String>)> {
    let (mut kept, mut without, mut refusal) = (Vec::new(), Vec::new(), None);
    for candidate in candidates {
        match candidate.method.check_stored() {
            Ok(()) => kept.push(candidate.clone()),
            Err(e) if candidate.required => return Err(e),
            Err(e) => {
                without.push(candidate.method.method().id);
                refusal = Some(e);
            }
        }
    }
    match refusal {
        Some(e) if kept.is_empty() => Err(e),
        _ => Ok((
            kept,
            (!without.is_empty()).then(|| {
                format!(
                    "left out, since landmarks keep no kernels between instances, which they need: {}",
                    without.join(", ")
                )
            }),
        )),
    }
}

/// A wrong call, as against views that a method cannot use.
fn is_misuse(error: &Error) -> bool {
    matches!(error, Error::Parameter { .. } | Error::Unknown { .. })
}

/// Spectral clustering on the kernels as they were given, and what it is prepared from.
fn base(candidates: &[Candidate], recipes: &[Recipe]) -> Result<(MultiView, Recipe)> {
    let mut first = None;
    for (candidate, recipe) in candidates.iter().zip(recipes) {
        let plain = candidate.method.with_method("spectral")?.without_pairs();
        let own = plain.recipe()?;
        if own == *recipe {
            return Ok((plain, own));
        }
        first.get_or_insert((plain, own));
    }
    first.ok_or_else(|| Error::Data("there is no method to compare".to_string()))
}
