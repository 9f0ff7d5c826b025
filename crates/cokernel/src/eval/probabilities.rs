//! Scores of how sure a prediction of classes is: area under the ROC curve, log loss, Brier score.
//!
//! | id | two classes | k > 2 classes |
//! |---|---|---|
//! | `auc` | P(f of the one > f of the other), ties by half; by the decision value f | the mean over classes of the area of each against the rest, by its probability |
//! | `log_loss` | − mean ln p(true class), p at least 2⁻⁵² | the same |
//! | `brier` | mean (p(second class) − \[it is the true one\])² | mean Σ_c (p(c) − \[c is the true one\])² |
//!
//! These are `roc_auc_score(multi_class="ovr")`, `log_loss` and `brier_score_loss` of scikit-learn. The area
//! of two classes is known without probabilities. A class that the model does not know has probability 0.
//! An area is not a number where a class of the model has no instance, or all are of one.

use super::measures::area;
use crate::model::Prediction;

/// The least probability in the log loss.
const LEAST: f64 = f64::EPSILON;

/// Area, log loss and Brier score, as far as they are known, of the instances whose class is.
pub(super) fn scores(truth: &[Option<&str>], predicted: &Prediction) -> [Option<f64>; 3] {
    let names = &predicted.classes;
    // The row of an instance, and the code of its class, if the model knows it.
    let code = |name: &str| names.iter().position(|c| c == name);
    let known: Vec<(usize, Option<usize>)> =
        truth.iter().enumerate().filter_map(|(i, name)| Some((i, code((*name)?)))).collect();
    let n = known.len().max(1) as f64;
    let Some(p) = &predicted.probabilities else {
        return [two_classes(&known, predicted), None, None];
    };
    let of_true = |(i, c): &(usize, Option<usize>)| c.map_or(0.0, |c| p.get(*i, c));
    let loss = known.iter().map(|one| -of_true(one).max(LEAST).ln()).sum::<f64>() / n;
    let squares = |(i, c): &(usize, Option<usize>)| -> f64 {
        let hit = |k: usize| f64::from(u8::from(*c == Some(k)));
        (0..names.len()).map(|k| (p.get(*i, k) - hit(k)).powi(2)).sum()
    };
    let scale = if names.len() == 2 { 0.5 } else { 1.0 };
    let brier = scale * known.iter().map(squares).sum::<f64>() / n;
    let auc = match names.len() {
        2 => two_classes(&known, predicted),
        k => {
            let one = |c: usize| {
                let pairs: Vec<(f64, bool)> =
                    known.iter().map(|(i, is)| (p.get(*i, c), *is == Some(c))).collect();
                area(&pairs)
            };
            Some((0..k).map(one).sum::<f64>() / k as f64)
        }
    };
    [auc, Some(loss), Some(brier)]
}

/// The area by the decision values of two classes, without instances of others.
fn two_classes(known: &[(usize, Option<usize>)], predicted: &Prediction) -> Option<f64> {
    let values = &predicted.decisions;
    if predicted.classes.len() != 2 {
        return None;
    }
    let value = |i: usize| match values.cols() {
        2 => values.get(i, 1) - values.get(i, 0),
        _ => values.get(i, 0),
    };
    let pairs: Vec<(f64, bool)> =
        known.iter().filter_map(|(i, code)| Some((value(*i), (*code)? == 1))).collect();
    Some(area(&pairs))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Matrix;

    fn predicted(decisions: &[f64], p: Option<&[f64]>, classes: &[&str]) -> Prediction {
        let k = classes.len();
        let n = p.map_or(decisions.len(), |p| p.len() / k);
        Prediction {
            notes: Vec::new(),
            labels: vec![classes[0].to_string(); n],
            codes: vec![0; n],
            decisions: Matrix::new(n, decisions.len() / n, decisions.to_vec()).unwrap(),
            machine_names: Vec::new(),
            classes: classes.iter().map(|c| c.to_string()).collect(),
            probabilities: p.map(|p| Matrix::new(n, k, p.to_vec()).unwrap()),
            deviations: None,
        }
    }

    #[test]
    fn two_classes_by_hand() {
        let truth = [Some("a"), Some("b"), None, Some("b"), Some("a")];
        let f = [-1.0, 0.5, 9.0, 0.5, 0.5];
        let [auc, loss, brier] = scores(&truth, &predicted(&f, None, &["a", "b"]));
        // Of the 2 × 2 pairs two are in order and two are ties.
        assert_eq!((auc, loss, brier), (Some(0.75), None, None));
        let p = [0.8, 0.2, 0.4, 0.6, 0.5, 0.5, 1.0, 0.0, 0.5, 0.5];
        let [auc, loss, brier] = scores(&truth, &predicted(&f, Some(&p), &["a", "b"]));
        assert_eq!(auc, Some(0.75));
        let sum = -(0.8_f64.ln() + 0.6_f64.ln() + f64::EPSILON.ln() + 0.5_f64.ln());
        assert!((loss.unwrap() - sum / 4.0).abs() < 1e-14);
        assert!((brier.unwrap() - (0.04 + 0.16 + 1.0 + 0.25) / 4.0).abs() < 1e-15);
    }

    #[test]
    fn several_classes_by_definition() {
        let names = ["a", "b", "c"];
        let codes = [0, 1, 2, 2, 1, 0, 1];
        let truth: Vec<Option<&str>> = codes.iter().map(|&c: &usize| Some(names[c])).collect();
        let raw: Vec<f64> = (0..21).map(|i| 1.0 + ((i * 7) % 5) as f64).collect();
        let p: Vec<f64> = raw
            .chunks(3)
            .flat_map(|r| r.iter().map(|v| v / r.iter().sum::<f64>()).collect::<Vec<_>>())
            .collect();
        let found = predicted(&[0.0; 21], Some(&p), &names);
        let [auc, loss, brier] = scores(&truth, &found);
        let (mut areas, mut log, mut squares) = (0.0, 0.0, 0.0);
        for c in 0..3 {
            let (mut right, mut all) = (0.0, 0.0);
            for i in (0..7).filter(|&i| codes[i] == c) {
                for j in (0..7).filter(|&j| codes[j] != c) {
                    let (yes, no) = (p[3 * i + c], p[3 * j + c]);
                    all += 1.0;
                    right += if yes > no {
                        1.0
                    } else if yes == no {
                        0.5
                    } else {
                        0.0
                    };
                }
            }
            areas += right / all / 3.0;
        }
        for i in 0..7 {
            log -= p[3 * i + codes[i]].ln() / 7.0;
            for c in 0..3 {
                let hit = if codes[i] == c { 1.0 } else { 0.0 };
                squares += (p[3 * i + c] - hit) * (p[3 * i + c] - hit) / 7.0;
            }
        }
        for (found, expected) in [(auc, areas), (loss, log), (brier, squares)] {
            assert!((found.unwrap() - expected).abs() < 1e-14, "{found:?} {expected}");
        }
        assert_eq!(scores(&truth, &predicted(&[0.0; 21], None, &names)), [None; 3]);
        // A class that no instance has.
        assert!(scores(&truth[..2], &found)[0].is_some_and(f64::is_nan));
        // A class that the model does not know.
        let [_, loss, brier] = scores(&[Some("d")], &found);
        assert_eq!(loss, Some(-f64::EPSILON.ln()));
        assert!(
            brier.is_some_and(|b| (b - p[..3].iter().map(|v| v * v).sum::<f64>()).abs() < 1e-15)
        );
    }
}
