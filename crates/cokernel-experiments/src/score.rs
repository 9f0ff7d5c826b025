//! The scores that an experiment can report, and how ours is compared with a published figure.

use anyhow::Result;
use cokernel::Error;
use cokernel::eval::cluster_scores::ClusterScores;
use cokernel::eval::{Measured, Stat};
use cokernel::method::Task;
use serde::{Deserialize, Serialize};

/// A score of a clustering against the classes, or of predictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// F score over pairs of instances.
    F,
    /// Precision over pairs of instances, or of classes.
    Precision,
    /// Recall over pairs of instances, or of classes.
    Recall,
    /// Mean entropy of the classes in a cluster.
    Entropy,
    /// Normalised mutual information.
    Nmi,
    /// Adjusted Rand index.
    Ari,
    /// Fraction of instances that are right; of clusters after the best matching.
    Accuracy,
    /// Fraction of instances in the largest class of their cluster.
    Purity,
    /// Mean of the recalls of the classes.
    BalancedAccuracy,
    /// Mean F score of the classes.
    MacroF1,
    /// Area under the receiver operating characteristic.
    Auc,
    /// Logarithmic loss of probabilities.
    LogLoss,
    /// Brier score of probabilities.
    Brier,
    /// Coefficient of determination.
    R2,
    /// Mean squared error.
    Mse,
    /// Mean absolute error.
    Mae,
    /// Average precision of outliers.
    AveragePrecision,
    /// Fraction of instances outside.
    Rejected,
    /// Of a model: support vectors in percent of the training instances.
    SupportVectors,
    /// Of a model: that, times the share of the costs of all kernels that the active ones have (LMKA §2.8).
    TotalCost,
}

/// Scores of predicted classes.
const OF_CLASSES: [Score; 8] = [
    Score::Accuracy,
    Score::BalancedAccuracy,
    Score::MacroF1,
    Score::Auc,
    Score::LogLoss,
    Score::Brier,
    Score::SupportVectors,
    Score::TotalCost,
];

/// Scores of predicted numbers.
const OF_NUMBERS: [Score; 5] =
    [Score::R2, Score::Mse, Score::Mae, Score::SupportVectors, Score::TotalCost];

/// Scores of detected outliers.
const OF_OUTLIERS: [Score; 5] =
    [Score::Auc, Score::AveragePrecision, Score::Rejected, Score::SupportVectors, Score::TotalCost];

/// Scores of clusterings.
const OF_CLUSTERS: [Score; 8] = [
    Score::F,
    Score::Precision,
    Score::Recall,
    Score::Entropy,
    Score::Nmi,
    Score::Ari,
    Score::Accuracy,
    Score::Purity,
];

impl Score {
    /// The score with this id, or an error that suggests one.
    pub fn from_id(id: &str, task: Task) -> Result<Self, Error> {
        let known = Score::all(task);
        let found = known.iter().copied().find(|s| s.id() == id);
        found.ok_or_else(|| Error::unknown("score", id, known.iter().map(|s| s.id())))
    }

    /// All scores of a task.
    pub fn all(task: Task) -> &'static [Score] {
        match task {
            Task::Classify => &OF_CLASSES,
            Task::Regress => &OF_NUMBERS,
            Task::Detect => &OF_OUTLIERS,
            Task::Cluster => &OF_CLUSTERS,
            Task::Embed => &[],
        }
    }

    /// As files name it.
    pub fn id(self) -> &'static str {
        match self {
            Score::F => "f",
            Score::Precision => "precision",
            Score::Recall => "recall",
            Score::Entropy => "entropy",
            Score::Nmi => "nmi",
            Score::Ari => "ari",
            Score::Accuracy => "accuracy",
            Score::Purity => "purity",
            Score::BalancedAccuracy => "balanced_accuracy",
            Score::MacroF1 => "macro_f1",
            Score::Auc => "auc",
            Score::LogLoss => "log_loss",
            Score::Brier => "brier",
            Score::R2 => "r2",
            Score::Mse => "mse",
            Score::Mae => "mae",
            Score::AveragePrecision => "average_precision",
            Score::Rejected => "rejected",
            Score::SupportVectors => "support_vectors",
            Score::TotalCost => "total_cost",
        }
    }

    /// As tables name it.
    pub fn title(self, task: Task) -> &'static str {
        match self {
            Score::Accuracy if task == Task::Classify => "accuracy",
            Score::F => "pairwise F",
            Score::Precision => "pairwise precision",
            Score::Recall => "pairwise recall",
            Score::Entropy => "average cluster entropy in bits (lower is better)",
            Score::Nmi => "NMI",
            Score::Ari => "adjusted Rand index",
            Score::Accuracy => "accuracy by best matching",
            Score::Purity => "purity",
            Score::BalancedAccuracy => "balanced accuracy",
            Score::MacroF1 => "macro F1",
            Score::Auc => "area under the ROC curve",
            Score::LogLoss => "log loss (lower is better)",
            Score::Brier => "Brier score (lower is better)",
            Score::R2 => "R²",
            Score::Mse => "mean squared error (lower is better)",
            Score::Mae => "mean absolute error (lower is better)",
            Score::AveragePrecision => "average precision",
            Score::Rejected => "share rejected",
            Score::SupportVectors => "support vectors in percent (lower is better)",
            Score::TotalCost => "total cost in percent (lower is better)",
        }
    }

    /// Its value for predictions; `None` if it is no score of those, or needs probabilities or labels.
    pub fn of_learned(self, scores: &Measured) -> Option<f64> {
        scores.get(self.id()).filter(|v| !v.is_nan())
    }

    /// Whether it tells of the model, and nothing of what it predicts.
    pub fn is_of_model(self) -> bool {
        matches!(self, Score::SupportVectors | Score::TotalCost)
    }

    /// Whether it takes probabilities, however many classes there are.
    pub fn needs_probabilities(self) -> bool {
        matches!(self, Score::LogLoss | Score::Brier)
    }

    /// Its value for a clustering; `None` if it is no score of those.
    pub fn of_clusters(self, scores: &ClusterScores) -> Option<f64> {
        Some(match self {
            Score::F => scores.pairs.f,
            Score::Precision => scores.pairs.precision,
            Score::Recall => scores.pairs.recall,
            Score::Entropy => scores.entropy,
            Score::Nmi => scores.nmi,
            Score::Ari => scores.adjusted_rand,
            Score::Accuracy => scores.accuracy,
            Score::Purity => scores.purity,
            _ => return None,
        })
    }

    /// Whether `a` is a better value than `b`.
    pub fn better(self, a: f64, b: f64) -> bool {
        let less = matches!(
            self,
            Score::Entropy
                | Score::LogLoss
                | Score::Brier
                | Score::Mse
                | Score::Mae
                | Score::SupportVectors
                | Score::TotalCost
        );
        if less { a < b } else { a > b }
    }
}

/// A published figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Published {
    pub mean: f64,
    pub sd: Option<f64>,
    /// |ours − theirs| that counts as the same.
    pub reach: Option<f64>,
}

/// Ours beside theirs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Against {
    pub theirs: Published,
    /// Ours − theirs.
    pub difference: f64,
    /// The difference in the larger of both standard deviations; `None` if both are 0.
    pub in_sd: Option<f64>,
    pub within_reach: bool,
    /// What was compared with what, in words.
    pub by: String,
}

/// Without a reach, this many standard deviations count as the same.
const WITHOUT_REACH: f64 = 2.0;

/// Half a unit of the last of the three digits that the papers print.
const ROUNDING: f64 = 0.0005;

impl Against {
    pub fn new(ours: &Stat, theirs: Published) -> Self {
        let difference = ours.mean - theirs.mean;
        let sd = ours.sd.max(theirs.sd.unwrap_or(0.0));
        // Starts that agree differ by rounding only.
        let in_sd = (sd > 1e-9).then_some(difference / sd);
        let (limit, by) = match theirs.reach {
            Some(reach) => (reach, format!("reach {reach}")),
            None => (WITHOUT_REACH * sd, format!("{WITHOUT_REACH} sd")),
        };
        let within_reach = difference.abs() <= limit + ROUNDING;
        Against { theirs, difference, in_sd, within_reach, by }
    }

    pub fn verdict(&self) -> String {
        match self.within_reach {
            true => format!("within {}", self.by),
            false => format!("differs ({})", self.by),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_by_reach_or_by_standard_deviations() {
        let ours = Stat::new(vec![0.70, 0.72, 0.74]);
        let theirs = |mean, reach| Published { mean, sd: Some(0.01), reach };
        let a = Against::new(&ours, theirs(0.74, Some(0.02)));
        assert!(a.within_reach && (a.difference + 0.02).abs() < 1e-12);
        assert!((a.in_sd.unwrap() + 1.0).abs() < 1e-9, "the larger deviation is ours");
        assert_eq!(a.verdict(), "within reach 0.02");
        let a = Against::new(&ours, theirs(0.75, Some(0.02)));
        assert_eq!(a.verdict(), "differs (reach 0.02)");
        let a = Against::new(&ours, theirs(0.75, None));
        assert_eq!(a.verdict(), "within 2 sd");
        let one = Stat::new(vec![0.5]);
        let a = Against::new(&one, Published { mean: 0.5004, sd: None, reach: None });
        assert!(a.within_reach && a.in_sd.is_none(), "rounding of three digits");
        assert!(
            Against::new(&one, Published { mean: 0.502, sd: None, reach: None }).in_sd.is_none()
        );
    }

    #[test]
    fn entropy_is_better_when_it_is_smaller() {
        assert!(Score::Entropy.better(0.1, 0.2) && Score::Nmi.better(0.2, 0.1));
        let said = Score::from_id("nmii", Task::Cluster).unwrap_err().to_string();
        assert!(said.starts_with("unknown score 'nmii' (did you mean 'nmi'?)"), "{said}");
        assert!(Score::from_id("nmi", Task::Classify).is_err());
        for task in [Task::Classify, Task::Regress, Task::Detect, Task::Cluster] {
            let all = Score::all(task).iter();
            all.for_each(|s| assert_eq!(Score::from_id(s.id(), task).unwrap(), *s));
        }
    }
}
