//! What one cell gives: scores, and what tables and pictures beside them are made of.

use super::score::Score;
use anyhow::Result;
use cokernel::data::{Classes, Matrix};
use cokernel::json;
use cokernel::kernel::{names, number};
use cokernel::model::{KernelWeight, Model};
use cokernel::multiview::project;
use cokernel::{Report, Run, Status};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// Instances of an embedding that are kept for its picture.
const SHOWN: usize = 300;

/// The result of a cell. Everything but the seconds repeats exactly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Of each score one value, or one for each start of k-means.
    #[serde(deserialize_with = "by_score")]
    pub scores: BTreeMap<Score, Vec<f64>>,
    /// The score of an inner cross-validation, for rows that are picked by it.
    #[serde(default, deserialize_with = "json::maybe")]
    pub inner: Option<f64>,
    /// How the fit ended.
    pub status: Status,
    /// Seconds to learn, without the kernels, which are shared; of a clustering with the kernels,
    /// if they were computed for it.
    pub seconds: f64,
    /// Remarks of the method.
    pub notes: Vec<String>,
    /// What else the method tells, by name.
    pub details: Details,
}

fn by_score<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<Score, Vec<f64>>, D::Error> {
    let found = BTreeMap::<Score, Vec<json::Real>>::deserialize(from)?;
    Ok(found.into_iter().map(|(s, v)| (s, v.into_iter().map(|r| r.0).collect())).collect())
}

impl Measured {
    /// The values of a score: one, or one for each start of k-means.
    pub fn values(&self, score: Score) -> Vec<f64> {
        match score.is_of_model() {
            true => self.details.score(score).into_iter().collect(),
            false => self.scores.get(&score).cloned().unwrap_or_default(),
        }
    }
}

/// What is not a score.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Details {
    /// Of the data: all instances, and the names of the views.
    pub instances: usize,
    /// Where something is learned: instances to learn from and to test on.
    pub sizes: Option<[usize; 2]>,
    pub views: Vec<String>,
    pub kernels: Vec<String>,
    /// In the order of `kernels`; none for clusterings.
    #[serde(deserialize_with = "json::reals")]
    pub weights: Vec<f64>,
    pub active: Option<usize>,
    pub support: Option<usize>,
    pub support_percent: Option<f64>,
    /// Of predicting one instance: Σ over active kernels of their costs, times the number of
    /// support vectors.
    pub cost: Option<f64>,
    /// The share that the costs of active kernels have of those of all.
    pub cost_share: Option<f64>,
    pub iterations: usize,
    /// Objective after each iteration.
    #[serde(deserialize_with = "json::reals")]
    pub objective: Vec<f64>,
    /// Relative duality gap after each iteration.
    #[serde(deserialize_with = "json::reals")]
    pub gaps: Vec<f64>,
    #[serde(deserialize_with = "json::maybe")]
    pub gap: Option<f64>,
    pub classes: Vec<String>,
    /// Instances by true class and predicted class, or cluster.
    pub confusion: Vec<Vec<u64>>,
    /// Two principal components of an embedding, for some instances, with cluster and class of
    /// each.
    pub plane: Vec<(f64, f64)>,
    pub plane_clusters: Vec<u32>,
    pub plane_classes: Vec<u32>,
}

impl Details {
    /// A score [of the model](Score::is_of_model).
    pub fn score(&self, score: Score) -> Option<f64> {
        match score {
            Score::SupportVectors => self.support_percent,
            Score::TotalCost => self.support_percent.zip(self.cost_share).map(|(s, c)| s * c),
            _ => None,
        }
    }

    /// How a computation went.
    pub fn of_report(report: &Report) -> Self {
        Details {
            iterations: report.iterations,
            objective: report.objective.clone(),
            gaps: report.gaps.clone(),
            gap: report.gap,
            ..Details::default()
        }
    }

    /// A model; costs are by kernel, view or function, kernels without one have cost 1.
    pub fn of_model(
        model: &Model,
        scores: &cokernel::eval::Measured,
        costs: &BTreeMap<String, f64>,
    ) -> Self {
        let weights = model.weights();
        let support = model.n_support();
        let active = weights.iter().filter(|w| w.active);
        let cost = |w: &KernelWeight| number(costs, names(&w.kernel, &w.view)).unwrap_or(1.0);
        let unit: f64 = active.clone().map(cost).sum();
        let all: f64 = weights.iter().map(cost).sum();
        Details {
            active: Some(active.count()),
            support: Some(support),
            support_percent: Some(model.support_percent()),
            cost: Some(unit * support as f64),
            cost_share: (all > 0.0).then_some(unit / all),
            weights: weights.iter().map(|w| w.weight).collect(),
            kernels: weights.into_iter().map(|w| w.kernel).collect(),
            classes: scores.classes.as_ref().map(|s| s.classes.clone()).unwrap_or_default(),
            confusion: scores.classes.as_ref().map(|s| s.confusion.clone()).unwrap_or_default(),
            ..Details::of_report(model.report())
        }
    }

    /// Counts instances by class and cluster.
    pub fn count_clusters(&mut self, classes: &Classes, clusters: &[u32], k: usize) {
        self.classes = classes.names.clone();
        self.confusion = vec![vec![0; k]; classes.names.len()];
        for (&class, &cluster) in classes.codes.iter().zip(clusters) {
            self.confusion[class as usize][cluster as usize] += 1;
        }
    }

    /// Cluster and class of the instances of `plane`.
    pub fn shown(&mut self, clusters: &[u32], classes: &[u32]) {
        self.plane_clusters = every(clusters.len()).map(|i| clusters[i]).collect();
        self.plane_classes = every(classes.len()).map(|i| classes[i]).collect();
    }
}

/// At most [`SHOWN`] of n rows, evenly.
fn every(n: usize) -> impl Iterator<Item = usize> {
    (0..n).step_by(n.div_ceil(SHOWN).max(1))
}

/// Two principal components of some rows, with four digits.
pub fn plane(rows: &Matrix, seed: u64) -> Result<Vec<(f64, f64)>> {
    if rows.cols() < 2 {
        return Ok(Vec::new());
    }
    let plane = project(rows, 2, &Run::with_seed(seed))?;
    let short = |v: f64| format!("{v:.3e}").parse().unwrap_or(v);
    Ok(every(plane.rows()).map(|i| (short(plane.get(i, 0)), short(plane.get(i, 1)))).collect())
}
