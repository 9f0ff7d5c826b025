//! Scores of predicted classes.

use crate::{Error, Result};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Scores of predicted classes against the true ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Fraction of instances predicted correctly.
    pub accuracy: f64,
    /// Mean over the true classes of the fraction predicted correctly.
    pub balanced_accuracy: f64,
    /// Mean over the classes of 2·precision·recall / (precision + recall), 0 where undefined.
    /// Classes that are neither true nor predicted anywhere do not count.
    pub macro_f1: f64,
    /// `confusion[t][p]`: instances of true class t predicted as class p, in the order of
    /// `classes`.
    pub confusion: Vec<Vec<u64>>,
    /// Class names.
    pub classes: Vec<String>,
}

impl Scores {
    /// Compares labels by name; the classes are sorted as [`Labels`](crate::data::Labels) sorts
    /// them.
    ///
    /// # Errors
    /// The lists differ in length or are empty.
    pub fn new<A: AsRef<str>, B: AsRef<str>>(truth: &[A], predicted: &[B]) -> Result<Self> {
        let (truth, predicted): (Vec<&str>, Vec<&str>) = (
            truth.iter().map(AsRef::as_ref).collect(),
            predicted.iter().map(AsRef::as_ref).collect(),
        );
        let all: Vec<&str> = truth.iter().chain(&predicted).copied().collect();
        let classes = match crate::data::Labels::from_texts(&all) {
            crate::data::Labels::Classes { names, .. } => names,
            _ => Vec::new(),
        };
        Self::of_classes(&truth, &predicted, &classes)
    }

    /// [`new`](Self::new) with the classes given, so that the confusion matrices of several test
    /// sets have the same order.
    ///
    /// # Errors
    /// The lists differ in length or are empty, or a label is not one of the classes.
    pub fn of_classes(truth: &[&str], predicted: &[&str], classes: &[String]) -> Result<Self> {
        if truth.len() != predicted.len() {
            let expected = format!("{}, one per true label", truth.len());
            return Err(Error::shape("predicted labels", expected, predicted.len()));
        }
        if truth.is_empty() {
            return Err(Error::Labels("there is no instance to score".to_string()));
        }
        let code = |name: &str| {
            classes
                .iter()
                .position(|c| c == name)
                .ok_or_else(|| Error::unknown("class", name, classes))
        };
        let mut confusion = vec![vec![0_u64; classes.len()]; classes.len()];
        for (t, p) in truth.iter().zip(predicted) {
            confusion[code(t)?][code(p)?] += 1;
        }
        Ok(Self::of_confusion(confusion, classes.to_vec()))
    }

    fn of_confusion(confusion: Vec<Vec<u64>>, classes: Vec<String>) -> Self {
        let k = classes.len();
        let row = |c: usize| confusion[c].iter().sum::<u64>() as f64;
        let col = |c: usize| confusion.iter().map(|r| r[c]).sum::<u64>() as f64;
        let hit = |c: usize| confusion[c][c] as f64;
        let total: f64 = (0..k).map(row).sum();
        let (mut recalls, mut f1) = (Vec::new(), Vec::new());
        for c in 0..k {
            if row(c) > 0.0 {
                recalls.push(hit(c) / row(c));
            }
            if row(c) + col(c) > 0.0 {
                f1.push(2.0 * hit(c) / (row(c) + col(c)));
            }
        }
        Scores {
            accuracy: (0..k).map(hit).sum::<f64>() / total,
            balanced_accuracy: mean(&recalls),
            macro_f1: mean(&f1),
            confusion,
            classes,
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Values of one quantity over splits, or over starts of k-means.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Stat {
    /// Mean.
    pub mean: f64,
    /// Standard deviation with divisor n − 1; 0 for one value, of which JSON has null.
    #[serde(deserialize_with = "or_zero")]
    pub sd: f64,
    /// The values, in order.
    pub values: Vec<f64>,
}

fn or_zero<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<f64, D::Error> {
    Option::deserialize(from).map(|sd: Option<f64>| sd.unwrap_or(0.0))
}

impl Serialize for Stat {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("Stat", 3)?;
        fields.serialize_field("mean", &self.mean)?;
        fields.serialize_field("sd", &(self.values.len() > 1).then_some(self.sd))?;
        fields.serialize_field("values", &self.values)?;
        fields.end()
    }
}

impl Stat {
    /// Mean and standard deviation of these values.
    pub fn new(values: Vec<f64>) -> Self {
        let center = mean(&values);
        let squares: f64 = values.iter().map(|v| (v - center) * (v - center)).sum();
        let sd = (squares / (values.len().max(2) - 1) as f64).sqrt();
        Stat { mean: center, sd, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_by_hand() {
        let truth = ["a", "a", "a", "b", "b", "c"];
        let predicted = ["a", "a", "b", "b", "d", "c"];
        let s = Scores::new(&truth, &predicted).unwrap();
        assert_eq!(s.classes, ["a", "b", "c", "d"]);
        assert_eq!(s.confusion[0], [2, 1, 0, 0]);
        assert_eq!(s.confusion[1], [0, 1, 0, 1]);
        assert!((s.accuracy - 4.0 / 6.0).abs() < 1e-15);
        // Class d is never true: it has no recall.
        assert!((s.balanced_accuracy - (2.0 / 3.0 + 0.5 + 1.0) / 3.0).abs() < 1e-15);
        // F1: a 2·2/(3+2), b 2·1/(2+2), c 1, d 0.
        assert!((s.macro_f1 - (0.8 + 0.5 + 1.0 + 0.0) / 4.0).abs() < 1e-15);
    }

    #[test]
    fn spread_has_the_divisor_n_minus_one() {
        let s = Stat::new(vec![1.0, 2.0, 3.0]);
        assert_eq!((s.mean, s.sd), (2.0, 1.0));
        let one = Stat::new(vec![4.0]);
        assert_eq!(one.sd, 0.0);
        let told = |s: &Stat| serde_json::to_string(&crate::json::Told(s)).unwrap();
        assert_eq!(told(&one), r#"{"mean":4.0,"sd":null,"values":[4.0]}"#);
        assert_eq!(serde_json::from_str::<Stat>(&told(&one)).unwrap(), one);
        assert_eq!(told(&Stat::new(vec![1.0; 2])), r#"{"mean":1.0,"sd":0.0,"values":[1.0,1.0]}"#);
    }

    #[test]
    fn refusals() {
        let e = Scores::new(&["a"], &["a", "b"]).unwrap_err().to_string();
        assert_eq!(e, "predicted labels: expected 1, one per true label, found 2");
        assert!(Scores::new::<&str, &str>(&[], &[]).is_err());
    }
}
