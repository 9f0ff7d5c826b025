//! Certainty: sets of classes and intervals that hold the truth with a chosen probability (split conformal prediction).
//!
//! The strangeness of an answer is 1 − P(class) of a [calibrated](Model::calibrated) model, else how far the decision
//! values speak against the class (of pairs of classes their sum), and |y − prediction| of a number. That of the true answers of m instances
//! from which the model did not learn goes with the model. An answer belongs to the set of a new instance
//! if it is no stranger than the ⌈(m + 1) c⌉-th least of these; the set then holds the truth with probability at least c and
//! at most c + 1/(m + 1), over training sets whose instances are in no particular order, whatever the model
//! and the data are (Vovk, Gammerman, Shafer 2005, ch. 4; Lei, G'Sell, Rinaldo, Tibshirani, Wasserman 2018, theorem 2).
//! With fewer than c/(1 − c) instances every answer belongs to it. Cost: a prediction of m instances.

use super::{Model, Prediction};
use crate::data::{Labels, Matrix, Views};
use crate::machine::Role;
use crate::method::Task;
use crate::{Error, Result, Run, brief};
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// How strange the true answers of instances are that the model did not learn from, ascending.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conformal {
    scores: Vec<f64>,
}

impl Conformal {
    /// The number of these instances.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    /// What is at most as strange belongs to the set; infinite where there are too few instances.
    ///
    /// # Errors
    /// The coverage is not above 0 and below 1.
    pub fn threshold(&self, coverage: f64) -> Result<f64> {
        if !(coverage > 0.0 && coverage < 1.0) {
            let problem =
                format!("found {}, expected a number above 0 and below 1", brief(coverage));
            return Err(Error::parameter("coverage", problem));
        }
        let place = ((self.len() + 1) as f64 * coverage - 1e-9).ceil() as usize;
        Ok(self.scores.get(place.max(1) - 1).copied().unwrap_or(f64::INFINITY))
    }

    /// What contradicts what in one that was read from a file.
    pub(super) fn contradiction(&self) -> Option<&'static str> {
        let finite = self.scores.iter().all(|s| s.is_finite());
        let rises = self.scores.windows(2).all(|w| w[0] <= w[1]);
        (!finite || !rises).then_some("numbers of held-out instances that do not rise")
    }
}

/// What new instances may be.
#[derive(Debug, Clone, PartialEq)]
pub enum Certain {
    /// Of each instance for each class whether it belongs to the set.
    Sets(Vec<Vec<bool>>),
    /// The least and the greatest number, instances × 2.
    Intervals(Matrix),
}

impl Model {
    /// The same model, which can tell sets or intervals: from instances that it did not learn from. Those without a
    /// label take no part.
    ///
    /// # Errors
    /// None has a label, or a class that the model does not know; the model detects; as
    /// [`predict`](Self::predict).
    pub fn conformed(mut self, views: &Views, labels: &Labels, run: &Run) -> Result<Self> {
        if labels.len() != views.n() {
            let expected = format!("{}, one per instance of the views", views.n());
            return Err(Error::shape("labels", expected, labels.len()));
        }
        let prediction = self.predict_in(views, run)?;
        let known = labels.known_rows();
        let mut scores: Vec<f64> = match (self.task(), labels) {
            (Task::Regress, _) => {
                let truth = labels.select(&known).real()?;
                let error = |(i, y): (&usize, &f64)| (y - prediction.decisions.get(*i, 0)).abs();
                known.iter().zip(&truth).map(error).collect()
            }
            (Task::Classify, Labels::Classes { names, codes }) => {
                let strange = self.strangeness(&prediction);
                let own = |i: &usize| {
                    let name = codes[*i].map_or("", |c| names[c as usize].as_str());
                    let code = self.classes().iter().position(|c| c == name).ok_or_else(|| {
                        Error::Labels(format!(
                            "the model does not know the class '{name}' of a held-out instance"
                        ))
                    })?;
                    Ok(strange.get(*i, code))
                };
                known.iter().map(own).collect::<Result<_>>()?
            }
            _ => {
                return Err(Error::Data(
                    "sets are of classes and intervals of numbers".to_string(),
                ));
            }
        };
        if scores.is_empty() {
            return Err(Error::Labels("no held-out instance has a label".to_string()));
        }
        scores.sort_unstable_by(f64::total_cmp);
        self.info.conformal = Some(Conformal { scores });
        Ok(self)
    }

    /// What the sets and intervals come from, if the model can tell some.
    pub fn conformal(&self) -> Option<&Conformal> {
        self.info.conformal.as_ref()
    }

    /// What instances with these predictions may be, with probability `coverage`.
    ///
    /// # Errors
    /// The model was not [conformed](Self::conformed); the coverage is not above 0 and below 1.
    pub fn certain(&self, prediction: &Prediction, coverage: f64) -> Result<Certain> {
        let known = self.conformal().ok_or_else(|| {
            Error::Data(
                "the model was fitted without instances that are held out, so that it cannot tell sets or intervals; \
                 fit it again with a part held out (--hold-out 0.25)"
                    .to_string(),
            )
        })?;
        let threshold = known.threshold(coverage)?;
        if self.task() == Task::Regress {
            let values = &prediction.decisions;
            return Ok(Certain::Intervals(Matrix::from_fn(values.rows(), 2, |i, j| {
                values.get(i, 0) + if j == 0 { -threshold } else { threshold }
            })));
        }
        let strange = self.strangeness(prediction);
        let set = |i: usize| strange.row(i).iter().map(|s| *s <= threshold).collect();
        Ok(Certain::Sets((0..strange.rows()).map(set).collect()))
    }

    /// How strange each class would be, instances × classes.
    fn strangeness(&self, prediction: &Prediction) -> Matrix {
        let (n, k) = (prediction.decisions.rows(), self.classes().len());
        if let Some(p) = &prediction.probabilities {
            return Matrix::from_fn(n, k, |i, c| 1.0 - p.get(i, c));
        }
        let mut out = Matrix::zeros(n, k);
        for (t, role) in self.roles().into_iter().enumerate() {
            let Role::Classes { positive, negative } = role else { continue };
            for i in 0..n {
                let value = prediction.decisions.get(i, t);
                out.row_mut(i)[positive as usize] -= value;
                if let Some(negative) = negative {
                    out.row_mut(i)[negative as usize] += value;
                }
            }
        }
        out
    }
}

/// Draws the share of the instances with a label from which a model shall not learn: the rows to learn from, and
/// these, each ascending. The seed of the run draws.
///
/// # Errors
/// The share is not above 0 and below 1, or so that none is held out or none is left.
pub fn held_out(labels: &Labels, share: f64, run: &Run) -> Result<(Vec<usize>, Vec<usize>)> {
    let wrong = |problem: String| Error::parameter("share that is held out", problem);
    if !(share > 0.0 && share < 1.0) {
        let found = brief(share);
        return Err(wrong(format!("found {found}, expected a number above 0 and below 1")));
    }
    let mut known = labels.known_rows();
    known.shuffle(&mut run.rng("held out"));
    let count = (share * known.len() as f64).round() as usize;
    if count == 0 || count == known.len() {
        let all = known.len();
        return Err(wrong(format!(
            "{share} of {all} instances with a label holds none out, or leaves none to learn from"
        )));
    }
    let mut test = known[..count].to_vec();
    test.sort_unstable();
    let train = (0..labels.len()).filter(|i| test.binary_search(i).is_err()).collect();
    Ok((train, test))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::toy;
    use crate::machine::MachineSpec;
    use crate::model::Mkl;

    /// 1 − coverage of the sets of a model on data that it never saw, over 20 data sets, within three standard errors.
    #[test]
    fn sets_hold_the_class() {
        let (run, coverage, sets) = (Run::default(), 0.8, 20);
        let (mut held, mut size) = (0.0, 0.0);
        for seed in 0..sets {
            let (views, labels) = toy::views(220, 2, &[1.0, 0.5], seed).unwrap();
            let order: Vec<usize> = (0..220).map(|i| (i * 87 + seed as usize) % 220).collect();
            let (train, rest) = order.split_at(60);
            let (held_out, new) = rest.split_at(39);
            let model =
                Mkl::new("mean").unwrap().fit(&views.select(train), &labels.select(train), &run);
            let held_views = views.select_new(held_out, train);
            let model =
                model.unwrap().conformed(&held_views, &labels.select(held_out), &run).unwrap();
            let model = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
            let prediction = model.predict(&views.select_new(new, train)).unwrap();
            let Certain::Sets(told) = model.certain(&prediction, coverage).unwrap() else {
                panic!("sets")
            };
            let truth = labels.select(new).classes().unwrap();
            for (set, code) in told.iter().zip(&truth.codes) {
                held += f64::from(u8::from(set[*code as usize]));
                size += set.iter().filter(|s| **s).count() as f64;
            }
        }
        let all = 121.0 * sets as f64;
        let error =
            3.0 * (coverage * (1.0 - coverage) * (1.0 / (40.0 * sets as f64) + 1.0 / all)).sqrt();
        let found = held / all;
        assert!(
            found > coverage - error && found < coverage + 1.0 / 40.0 + error,
            "{found} ± {error}"
        );
        assert!(size / all < 1.6, "{}", size / all);
    }

    #[test]
    fn thresholds_by_hand() {
        let ten = Conformal { scores: (1..=9).map(f64::from).collect() };
        for (coverage, want) in
            [(0.1, 1.0), (0.5, 5.0), (0.55, 6.0), (0.9, 9.0), (0.91, f64::INFINITY), (1e-9, 1.0)]
        {
            assert_eq!(ten.threshold(coverage).unwrap(), want, "{coverage}");
        }
        for coverage in [0.0, 1.0, f64::NAN, -1.0] {
            assert!(ten.threshold(coverage).is_err());
        }
        assert!(ten.contradiction().is_none());
        assert!(Conformal { scores: vec![2.0, 1.0] }.contradiction().is_some());
    }

    #[test]
    fn intervals_are_predictions_and_their_errors() {
        let run = Run::default();
        let x = Matrix::from_fn(60, 1, |i, _| i as f64 / 10.0);
        let y: Vec<f64> =
            (0..60).map(|i| (i as f64 / 10.0).sin() + f64::from(i % 3) * 0.1).collect();
        let (views, labels) = (
            Views::new().dense("x", x).unwrap(),
            Labels::Real(y.iter().map(|v| Some(*v)).collect()),
        );
        let (held, train): (Vec<usize>, Vec<usize>) = (0..60).partition(|i| i % 4 == 1);
        let mkl = Mkl::new("mean").unwrap().machine(MachineSpec::new("kernel_ridge").unwrap());
        let model = mkl.fit(&views.select(&train), &labels.select(&train), &run).unwrap();
        let given = views.select_new(&held, &train);
        let said = model.predict(&given).unwrap();
        assert!(model.certain(&said, 0.9).unwrap_err().to_string().contains("--hold-out"));
        let mut errors: Vec<f64> = held
            .iter()
            .enumerate()
            .map(|(r, i)| (y[*i] - said.decisions.get(r, 0)).abs())
            .collect();
        errors.sort_unstable_by(f64::total_cmp);
        let model = model.conformed(&given, &labels.select(&held), &run).unwrap();
        let Certain::Intervals(told) = model.certain(&said, 0.75).unwrap() else {
            panic!("intervals")
        };
        // 15 instances are held out: the twelfth of 16.
        for r in 0..held.len() {
            let middle = said.decisions.get(r, 0);
            assert_eq!(told.row(r), [middle - errors[11], middle + errors[11]]);
        }
    }
}
