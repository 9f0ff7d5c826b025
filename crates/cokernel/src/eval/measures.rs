//! What predictions of each task are scored by.

use super::{Scores, Stat, probabilities};
use crate::data::Labels;
use crate::method::Task;
use crate::model::Prediction;
use crate::{Error, Result};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// snake_case name.
    pub id: &'static str,
    /// A few words.
    pub title: &'static str,
    /// Whether it is shown in percent.
    pub percent: bool,
    /// Whether more is better; `None`: neither.
    pub more_is_better: Option<bool>,
}

const fn percent(id: &'static str, title: &'static str) -> Measure {
    Measure { id, title, percent: true, more_is_better: Some(true) }
}

const fn plain(id: &'static str, title: &'static str, more: bool) -> Measure {
    Measure { id, title, percent: false, more_is_better: Some(more) }
}

static CLASSES: [Measure; 6] = [
    percent("accuracy", "accuracy"),
    percent("balanced_accuracy", "balanced accuracy"),
    percent("macro_f1", "macro F1"),
    AUC,
    plain("log_loss", "log loss", false),
    plain("brier", "Brier score", false),
];

const AUC: Measure = plain("auc", "area under the ROC curve", true);

static NUMBERS: [Measure; 3] = [
    plain("r2", "R²", true),
    plain("mse", "mean squared error", false),
    plain("mae", "mean absolute error", false),
];

static OUTLIERS: [Measure; 3] = [
    AUC,
    plain("average_precision", "average precision", true),
    Measure { id: "rejected", title: "rejected", percent: true, more_is_better: None },
];

impl Measure {
    /// All measures of a task, the most telling first.
    pub fn of(task: Task) -> &'static [Measure] {
        match task {
            Task::Classify | Task::Cluster | Task::Embed => &CLASSES,
            Task::Regress => &NUMBERS,
            Task::Detect => &OUTLIERS,
        }
    }

    /// Whether it is of the probabilities of classes.
    pub fn needs_probabilities(&self) -> bool {
        matches!(self.id, "log_loss" | "brier")
    }

    /// Its title with the unit.
    pub fn heading(&self) -> String {
        if self.percent { format!("{} %", self.title) } else { self.title.to_string() }
    }

    /// The value as people read it, with the unit.
    pub fn text(&self, value: f64) -> String {
        let unit = if self.percent && !value.is_nan() { " %" } else { "" };
        format!("{}{unit}", self.cell(value))
    }

    /// The value as people read it, without the unit.
    pub fn cell(&self, value: f64) -> String {
        match (value.is_nan(), self.percent) {
            (true, _) => "-".to_string(),
            (_, true) => format!("{:.2}", 100.0 * value),
            _ => format!("{value:.4}"),
        }
    }

    /// Mean and standard deviation as people read them, without the unit.
    pub fn spread(&self, stat: &Stat) -> String {
        format!("{} ± {}", self.cell(stat.mean), self.cell(stat.sd))
    }
}

/// The names of labels as a model writes its classes: where all of both are numbers, `1.0` is the class `1`
/// ([`Labels::from_texts`]).
pub fn as_classes<'a>(names: &'a [String], classes: &'a [String]) -> Vec<&'a str> {
    let numbers =
        |names: &[String]| names.iter().map(|t| t.parse().ok()).collect::<Option<Vec<f64>>>();
    let (Some(given), Some(known)) = (numbers(names), numbers(classes)) else {
        return names.iter().map(String::as_str).collect();
    };
    let same = |x: f64| known.iter().position(|k| *k == x);
    let written = |(name, x): (&'a String, f64)| same(x).map_or(name, |c| &classes[c]).as_str();
    names.iter().zip(given).map(written).collect()
}

/// The scores of one test set.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    values: Vec<(&'static Measure, f64)>,
    /// Confusion matrix and names, of classes.
    pub classes: Option<Scores>,
}

impl Measured {
    /// Scores predictions on the instances whose label is known; `None` if there is none. Of outliers
    /// the labels say which instances are no inliers: of two classes the rarer; without labels only the
    /// fraction rejected is known.
    ///
    /// # Errors
    /// Labels that do not fit the task, or another number of them.
    pub fn of(task: Task, labels: &Labels, predicted: &Prediction) -> Result<Option<Self>> {
        let n = predicted.decisions.rows();
        if labels.len() != n {
            let expected = format!("{n}, one per prediction");
            return Err(Error::shape("labels", expected, labels.len()));
        }
        let known = labels.known_rows();
        if known.is_empty() && task != Task::Detect {
            return Ok(None);
        }
        match (task, labels) {
            (Task::Regress, _) => {
                let truth = labels.select(&known).real()?;
                let found: Vec<f64> =
                    known.iter().map(|&i| predicted.decisions.get(i, 0)).collect();
                Ok(Some(Self::numbers(&truth, &found)))
            }
            (Task::Detect, _) => Ok(Some(Self::outliers(labels, predicted))),
            (_, Labels::Classes { names, codes }) => {
                let names = as_classes(names, &predicted.classes);
                let name = |i: &usize| codes[*i].map_or("", |c| names[c as usize]);
                let truth: Vec<&str> = known.iter().map(name).collect();
                let said: Vec<&str> = known.iter().map(|&i| predicted.labels[i].as_str()).collect();
                let scores = Self::classes(Scores::new(&truth, &said)?);
                let truth: Vec<Option<&str>> =
                    codes.iter().map(|c| c.map(|c| names[c as usize])).collect();
                Ok(Some(scores.and_probabilities(&truth, predicted)))
            }
            _ => Err(Error::Labels("expected classes".to_string())),
        }
    }

    /// Those of classes.
    pub fn classes(scores: Scores) -> Self {
        let values = [scores.accuracy, scores.balanced_accuracy, scores.macro_f1];
        Measured { values: CLASSES.iter().zip(values).collect(), classes: Some(scores) }
    }

    /// The same with how sure the predictions are: the area under the ROC curve of two classes, and where
    /// the model has probabilities the log loss, the Brier score and the area of several classes, too.
    /// `truth` has the class of each predicted instance, where it is known.
    #[must_use]
    pub fn and_probabilities(mut self, truth: &[Option<&str>], predicted: &Prediction) -> Self {
        let found = probabilities::scores(truth, predicted);
        let known = CLASSES[3..].iter().zip(found);
        self.values.extend(known.filter_map(|(measure, v)| Some((measure, v?))));
        self
    }

    /// Those of numbers: R² = 1 − Σ(y − f)² / Σ(y − ȳ)², which is 0 for constant y that are not
    /// predicted exactly, 1 for those that are, and not a number for a single y.
    pub fn numbers(truth: &[f64], found: &[f64]) -> Self {
        let n = truth.len().max(1) as f64;
        let mean = truth.iter().map(|y| y / n).sum::<f64>();
        let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
            truth.iter().zip(found).map(|(y, f_)| f(*y, *f_)).sum()
        };
        let squares = sum(&|y, f| (y - f).powi(2));
        let spread = sum(&|y, _| (y - mean).powi(2));
        let r2 = match (squares == 0.0, spread == 0.0) {
            _ if truth.len() < 2 => f64::NAN,
            (true, _) => 1.0,
            (_, true) => 0.0,
            _ => 1.0 - squares / spread,
        };
        let values = [r2, squares / n, sum(&|y, f| (y - f).abs()) / n];
        Measured { values: NUMBERS.iter().zip(values).collect(), classes: None }
    }

    fn outliers(labels: &Labels, predicted: &Prediction) -> Self {
        let n = predicted.decisions.rows();
        let value = |i: usize| predicted.decisions.get(i, 0);
        let mut values = Vec::new();
        if let Labels::Classes { names, codes } = labels
            && names.len() == 2
        {
            let count = |c: u32| codes.iter().filter(|v| **v == Some(c)).count();
            let outlier = u32::from(count(1) < count(0));
            // The less the value, the more of an outlier.
            let pairs: Vec<(f64, bool)> =
                (0..n).filter_map(|i| codes[i].map(|code| (-value(i), code == outlier))).collect();
            values.push((&OUTLIERS[0], area(&pairs)));
            values.push((&OUTLIERS[1], average_precision(&pairs)));
        }
        let rejected = (0..n).filter(|&i| value(i) < 0.0).count() as f64 / n.max(1) as f64;
        values.push((&OUTLIERS[2], rejected));
        Measured { values, classes: None }
    }

    /// All values, the most telling first.
    pub fn values(&self) -> impl Iterator<Item = (&'static Measure, f64)> {
        self.values.iter().copied()
    }

    /// The value with this id.
    pub fn get(&self, id: &str) -> Option<f64> {
        self.values.iter().find(|(m, _)| m.id == id).map(|(_, v)| *v)
    }
}

impl Serialize for Measured {
    /// Values by id; of classes the confusion matrix and the names, too.
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (measure, value) in &self.values {
            map.serialize_entry(measure.id, value)?;
        }
        if let Some(scores) = &self.classes {
            map.serialize_entry("confusion", &scores.confusion)?;
            map.serialize_entry("classes", &scores.classes)?;
        }
        map.end()
    }
}

/// Each measure over the splits.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures(pub Vec<(&'static Measure, Stat)>);

impl Measures {
    /// Those that every test set has.
    pub fn over<'a>(all: impl Iterator<Item = &'a Measured> + Clone) -> Self {
        let first = all.clone().next().map(|m| m.values.as_slice()).unwrap_or_default();
        let stat = |(measure, _): &(&'static Measure, f64)| {
            let values: Option<Vec<f64>> = all.clone().map(|m| m.get(measure.id)).collect();
            values.map(|v| (*measure, Stat::new(v)))
        };
        Measures(first.iter().filter_map(stat).collect())
    }

    /// The most telling one.
    pub fn main(&self) -> Option<(&'static Measure, &Stat)> {
        self.0.first().map(|(m, s)| (*m, s))
    }

    /// The one with this id.
    pub fn get(&self, id: &str) -> Option<&Stat> {
        self.0.iter().find(|(m, _)| m.id == id).map(|(_, s)| s)
    }
}

impl Serialize for Measures {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(m, s)| (m.id, s)))
    }
}

/// Positives and negatives up to each distinct value, from the largest down.
fn ranked(pairs: &[(f64, bool)]) -> Vec<(f64, f64)> {
    let mut sorted = pairs.to_vec();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut yes, mut no) = (0.0, 0.0);
    sorted
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| {
            let hits = same.iter().filter(|p| p.1).count() as f64;
            (yes, no) = (yes + hits, no + same.len() as f64 - hits);
            (yes, no)
        })
        .collect()
}

/// Probability that a positive has a larger value than a negative, ties by half; not a number where one
/// kind is missing.
pub(super) fn area(pairs: &[(f64, bool)]) -> f64 {
    let ranked = ranked(pairs);
    let (mut before, mut sum) = ((0.0, 0.0), 0.0);
    for &(yes, no) in &ranked {
        sum += (no - before.1) * 0.5 * (yes + before.0);
        before = (yes, no);
    }
    sum / (before.0 * before.1)
}

/// Σ (R_k − R_{k−1}) P_k over the distinct values from the largest down; not a number without a positive.
fn average_precision(pairs: &[(f64, bool)]) -> f64 {
    let ranked = ranked(pairs);
    let all = ranked.last().map_or(0.0, |r| r.0);
    let (mut before, mut sum) = (0.0, 0.0);
    for (yes, no) in ranked {
        sum += (yes - before) / all * (yes / (yes + no));
        before = yes;
    }
    if all > 0.0 { sum } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_hand() {
        let m = Measured::numbers(&[1.0, 2.0, 4.0], &[1.0, 3.0, 2.0]);
        // Σ(y − f)² = 5, Σ(y − 7/3)² = 42/9.
        assert!((m.get("r2").unwrap_or(0.0) - (1.0 - 5.0 * 9.0 / 42.0)).abs() < 1e-15);
        assert_eq!((m.get("mse"), m.get("mae")), (Some(5.0 / 3.0), Some(1.0)));
        assert_eq!(Measured::numbers(&[2.0, 2.0], &[2.0, 2.0]).get("r2"), Some(1.0));
        assert_eq!(Measured::numbers(&[2.0, 2.0], &[2.0, 3.0]).get("r2"), Some(0.0));
        assert!(Measured::numbers(&[2.0], &[3.0]).get("r2").is_some_and(f64::is_nan));
    }

    #[test]
    fn ranks_by_hand() {
        // Values 4⁺ 3⁻ 2⁺ 2⁻ 1⁻: of 6 pairs 3 + 1 + ½ are in order.
        let pairs = [(4.0, true), (3.0, false), (2.0, true), (2.0, false), (1.0, false)];
        assert!((area(&pairs) - 4.5 / 6.0).abs() < 1e-15);
        // Precision 1 at recall ½, 2/4 at recall 1.
        assert!((average_precision(&pairs) - 0.75).abs() < 1e-15);
        assert!(area(&pairs[..1]).is_nan() && average_precision(&pairs[1..2]).is_nan());
    }
}
