//! Several clusterings of the same instances.

use super::{cluster_scores, table};
use crate::data::{Labels, Views};
use crate::method::Params;
use crate::model::{MultiView, PreparedViews, remaining};
use crate::multiview::Starts;
use crate::{Error, Event, Report, Result, Run, Status, VERSION};
use serde::Serialize;
use std::fmt;

/// One clustering of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClusteringRow {
    /// `method`, or `method(name=value)` where parameters were given.
    pub name: String,
    /// Registry id.
    pub method: String,
    /// Its parameters.
    pub params: Params,
    /// Normalised mutual information (arithmetic) with the classes, where these are given.
    pub nmi: Option<f64>,
    /// Adjusted Rand index with the classes, where these are given.
    pub ari: Option<f64>,
    /// Number of instances of each cluster.
    pub sizes: Vec<usize>,
    /// Cluster of each instance.
    pub assignments: Vec<u32>,
    /// How it went.
    pub report: Report,
}

/// Several clusterings of the same instances.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Clusterings {
    /// One row per method.
    pub rows: Vec<ClusteringRow>,
    /// Number of clusters.
    pub k: usize,
    /// Names of the kernels.
    pub kernels: Vec<String>,
    /// Instances that lack a view, by view: their similarities were estimated from other views.
    pub filled: Vec<(String, usize)>,
    /// Seed of the methods.
    pub seed: u64,
    /// Version of the library.
    pub library_version: String,
    /// Interrupted or out of time, else converged.
    pub status: Status,
}

/// Clusters the same instances by several methods; those with the same kernels share them. Scores count the instances whose class is known;
/// without any there are none. A stopped run ends with the rows that it has.
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
    let watch = run.watch();
    if methods.is_empty() {
        return Err(Error::Data("there is no method to compare; name at least one".to_string()));
    }
    for method in methods {
        method.params()?;
    }
    if let Some(labels) = labels
        && labels.len() != views.n()
    {
        let expected = format!("{}, one per instance", views.n());
        return Err(Error::shape("labels", expected, labels.len()));
    }
    let truth: Vec<(usize, u32)> = match labels {
        Some(Labels::Classes { codes, .. }) => {
            codes.iter().enumerate().filter_map(|(i, c)| Some((i, (*c)?))).collect()
        }
        _ => Vec::new(),
    };
    let classes: Vec<u32> = truth.iter().map(|t| t.1).collect();
    let mut rows: Vec<ClusteringRow> = Vec::new();
    let (mut stopped, mut prepared, mut kernels) = (None, None::<PreparedViews>, None);
    let mut filled: Vec<(String, usize)> = Vec::new();
    run.tell(Event::Begin { stage: "clusterings", total: Some(methods.len() as u64) });
    for method in methods {
        let params = method.params()?;
        let inner = remaining(run, &watch).quiet();
        let recipe = method.recipe()?;
        let fitting = prepared.take().filter(|p| p.recipe == recipe);
        let ready = match fitting {
            Some(ready) => ready,
            None => method.prepare(views, &inner)?,
        };
        let found = method.cluster_prepared(&ready, k, starts, &inner)?;
        for one in &ready.filled().instances {
            if !filled.contains(one) {
                filled.push(one.clone());
            }
        }
        let names = || ready.bank.kernels().iter().map(|k| k.name.clone()).collect();
        kernels.get_or_insert_with(names);
        prepared = Some(ready);
        let known: Vec<u32> = truth.iter().map(|t| found.assignments[t.0]).collect();
        let (mut nmi, mut ari) = (None, None);
        if !classes.is_empty() {
            nmi = Some(cluster_scores::nmi(&known, &classes, cluster_scores::NmiNorm::Arithmetic)?);
            ari = Some(cluster_scores::adjusted_rand(&known, &classes)?);
        }
        let mut sizes = vec![0; k];
        for &c in &found.assignments {
            if let Some(size) = sizes.get_mut(c as usize) {
                *size += 1;
            }
        }
        rows.push(ClusteringRow {
            name: method.name(),
            method: method.method().id.to_string(),
            params,
            nmi,
            ari,
            sizes,
            assignments: found.assignments,
            report: found.report,
        });
        run.tell(Event::Step { done: rows.len() as u64, message: method.method().id });
        stopped = watch.stop();
        if stopped.is_some() {
            break;
        }
    }
    run.tell(Event::End);
    Ok(Clusterings {
        rows,
        k,
        kernels: kernels.unwrap_or_default(),
        filled,
        seed: run.seed,
        library_version: VERSION.to_string(),
        status: stopped.unwrap_or(Status::Converged),
    })
}

impl fmt::Display for Clusterings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let score = |s: Option<f64>| s.map_or("-".to_string(), |s| format!("{s:.4}"));
        let row = |r: &ClusteringRow| {
            let sizes = r.sizes.iter().min().zip(r.sizes.iter().max());
            vec![
                r.name.clone(),
                score(r.nmi),
                score(r.ari),
                sizes.map_or("-".to_string(), |(a, b)| format!("{a}-{b}")),
                format!("{:.2}", r.report.seconds),
                r.report.status.to_string(),
            ]
        };
        let rows: Vec<_> = self.rows.iter().map(row).collect();
        let header = ["method", "NMI", "ARI", "sizes", "seconds", "status"];
        f.write_str(&table::aligned(&header, &rows))
    }
}
