//! The scores that an experiment can report, and how ours is compared with a published figure.

use anyhow::Result;
use cokernel::Error;
use cokernel::eval::cluster_scores::ClusterScores;
use cokernel::eval::{Measured, Stat};
use serde::{Deserialize, Serialize};

/// A score of a clustering against the classes, or of predicted classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    F,
    Precision,
    Recall,
    Entropy,
    Nmi,
    Ari,
    Accuracy,
    Purity,
    BalancedAccuracy,
    MacroF1,
    Auc,
    LogLoss,
    Brier,
}

/// Scores of predicted classes.
const OF_CLASSES: [Score; 6] = [
    Score::Accuracy,
    Score::BalancedAccuracy,
    Score::MacroF1,
    Score::Auc,
    Score::LogLoss,
    Score::Brier,
];

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
    pub fn from_id(id: &str, classify: bool) -> Result<Self, Error> {
        let known = Score::all(classify);
        let found = known.iter().copied().find(|s| s.id() == id);
        found.ok_or_else(|| Error::unknown("score", id, known.iter().map(|s| s.id())))
    }

    /// All scores of predicted classes, or of clusterings.
    pub fn all(classify: bool) -> &'static [Score] {
        if classify { &OF_CLASSES } else { &OF_CLUSTERS }
    }

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
        }
    }

    pub fn title(self, classify: bool) -> &'static str {
        match self {
            Score::Accuracy if classify => "accuracy",
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
        }
    }

    /// Its value for predicted classes; `None` if it is no score of those, or needs probabilities.
    pub fn of_classes(self, scores: &Measured) -> Option<f64> {
        OF_CLASSES.contains(&self).then(|| scores.get(self.id())).flatten()
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
            Score::BalancedAccuracy
            | Score::MacroF1
            | Score::Auc
            | Score::LogLoss
            | Score::Brier => return None,
        })
    }

    /// Whether `a` is a better value than `b`.
    pub fn better(self, a: f64, b: f64) -> bool {
        let less = matches!(self, Score::Entropy | Score::LogLoss | Score::Brier);
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
        let said = Score::from_id("nmii", false).unwrap_err().to_string();
        assert!(said.starts_with("unknown score 'nmii' (did you mean 'nmi'?)"), "{said}");
        assert!(Score::from_id("nmi", true).is_err());
        for classify in [true, false] {
            let all = Score::all(classify).iter();
            all.for_each(|s| assert_eq!(Score::from_id(s.id(), classify).unwrap(), *s));
        }
    }
}
