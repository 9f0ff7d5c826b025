//! Scores of every start of k-means.

use crate::Result;
use crate::eval::Stat;
use crate::eval::cluster_scores::ClusterScores;
use crate::multiview::KMeans;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Scores of one method against known classes: those of the start with the least inertia, and
/// mean and standard deviation of each score over all starts. Entropy is better the smaller it is,
/// everything else the larger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StartScores {
    /// The start with the least inertia.
    pub best: ClusterScores,
    /// Normalised mutual information, divided by the arithmetic mean of the entropies.
    pub nmi: Stat,
    /// Adjusted Rand index.
    pub adjusted_rand: Stat,
    /// Accuracy by best matching.
    pub accuracy: Stat,
    /// Purity.
    pub purity: Stat,
    /// Average cluster entropy in bits.
    pub entropy: Stat,
    /// Pairwise precision.
    pub precision: Stat,
    /// Pairwise recall.
    pub recall: Stat,
    /// Pairwise F.
    pub f: Stat,
}

impl StartScores {
    /// Scores every start on the instances whose class is known: pairs of instance and class.
    ///
    /// # Errors
    /// No instance is known.
    pub fn new(found: &KMeans, truth: &[(usize, u32)]) -> Result<Self> {
        let classes: Vec<u32> = truth.iter().map(|t| t.1).collect();
        let score = |assignments: &Vec<u32>| {
            let known: Vec<u32> = truth.iter().map(|t| assignments[t.0]).collect();
            ClusterScores::new(&known, &classes)
        };
        let all: Vec<ClusterScores> = found.all.par_iter().map(score).collect::<Result<_>>()?;
        let stat = |of: fn(&ClusterScores) -> f64| Stat::new(all.iter().map(of).collect());
        Ok(StartScores {
            best: score(&found.assignments)?,
            nmi: stat(|s| s.nmi),
            adjusted_rand: stat(|s| s.adjusted_rand),
            accuracy: stat(|s| s.accuracy),
            purity: stat(|s| s.purity),
            entropy: stat(|s| s.entropy),
            precision: stat(|s| s.pairs.precision),
            recall: stat(|s| s.pairs.recall),
            f: stat(|s| s.pairs.f),
        })
    }

    /// Every score by name: that of the start with the least inertia, and over all starts.
    pub fn by_name(&self) -> [(&'static str, f64, &Stat); 8] {
        let best = &self.best;
        [
            ("nmi", best.nmi, &self.nmi),
            ("adjusted_rand", best.adjusted_rand, &self.adjusted_rand),
            ("f", best.pairs.f, &self.f),
            ("precision", best.pairs.precision, &self.precision),
            ("recall", best.pairs.recall, &self.recall),
            ("entropy", best.entropy, &self.entropy),
            ("purity", best.purity, &self.purity),
            ("accuracy", best.accuracy, &self.accuracy),
        ]
    }
}
