//! Probabilities of a model: the cross-fitting of its [`Calibration`], and what it then says.
//!
//! The decision values that curves are fitted on must come from instances that the machine did not learn
//! from. The instances are dealt into folds, stratified by class and drawn by the seed; the same method,
//! kernels and machine learn without each fold (widths, normalisations and scaling, too) and give the values
//! of its instances. The curves of all these values go with the model that learned from all instances, as
//! `CalibratedClassifierCV(ensemble=False)` of scikit-learn has it. Cost: a fit for each fold.

use super::{Given, Mkl, Model};
use crate::calibrate::{Calibrating, Calibration, Curve, Shape, folds};
use crate::data::{Classes, Labels, Matrix, Views};
use crate::error::room_for;
use crate::machine::Role;
use crate::method::Task;
use crate::{Error, Event, Result, Run, Status};
use serde::Serialize;

/// What is said of a calibration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CalibrationInfo {
    /// What its curves are.
    pub shape: Shape,
    /// The folds of the cross-fitting.
    pub folds: usize,
    /// How the worst of the models of the folds ended.
    pub status: Status,
    /// The curve of each machine.
    pub curves: Vec<CurveInfo>,
}

/// What is said of a curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CurveInfo {
    /// The name of the machine.
    pub machine: String,
    /// A of a sigmoid 1 / (1 + exp(A f + B)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slope: Option<f64>,
    /// B of a sigmoid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
    /// The number of points of an isotonic curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<usize>,
}

/// Learns on the instances with these row numbers.
type Learn<'a> = &'a dyn Fn(&[usize], &Run) -> Result<Model>;

/// What a stop leaves without a result.
const CALIBRATION: &str = "the calibration (raise the time limit, or fit without probabilities)";

impl Mkl {
    /// How decision values of this method become probabilities, by cross-fitting: one more
    /// [`fit`](Self::fit) for each fold, each without the instances of the fold. Weights are as in
    /// [`fit_weighted`](Self::fit_weighted); in the calibration they count as numbers of instances, and
    /// instances with weight 0 take no part. The seed of the run draws the folds.
    ///
    /// ```
    /// use cokernel::{Run, calibrate::{Calibrating, Shape}, data, model::Mkl};
    ///
    /// let (views, labels) = data::toy::views(60, 2, &[2.0, 1.0], 1)?;
    /// let (mkl, run) = (Mkl::new("mean")?, Run::default());
    /// let how = Calibrating::new(Shape::Sigmoid);
    /// let calibration = mkl.calibration(&views, &labels, None, how, &run)?;
    /// let model = mkl.fit(&views, &labels, &run)?.calibrated(calibration)?;
    /// let predicted = model.predict(&views)?;
    /// assert_eq!(predicted.probabilities.map(|p| (p.rows(), p.cols())), Some((60, 2)));
    /// # Ok::<(), cokernel::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`fit_weighted`](Self::fit_weighted); a machine that does not learn classes; a class with fewer
    /// instances than folds; [`Error::Stopped`] where the limits of the run came before the last fold.
    pub fn calibration(
        &self,
        views: &Views,
        labels: &Labels,
        weights: Option<&[f64]>,
        how: Calibrating,
        run: &Run,
    ) -> Result<Calibration> {
        self.calibration_given(views, labels, &Given { weights, ..Given::default() }, how, run)
    }

    /// The same for models of [`fit_given`](Self::fit_given). The machines of the folds learn from the
    /// posteriors, too, and the curves are fitted on the classes; pairs of instances that are held out take no
    /// part, those of instances without a label do.
    ///
    /// # Errors
    /// As [`calibration`](Self::calibration) and [`fit_given`](Self::fit_given).
    pub fn calibration_given(
        &self,
        views: &Views,
        labels: &Labels,
        given: &Given<'_>,
        how: Calibrating,
        run: &Run,
    ) -> Result<Calibration> {
        self.require_classes()?;
        given.check(views.n())?;
        cross_fitted(self, (views, labels, given.weights), how, run, &|rows, run| {
            let rows = given.rows(self, rows, labels)?;
            let part = given.select(&rows)?;
            self.fit_given(&views.select(&rows), &labels.select(&rows), &part.given(), run)
        })
    }

    /// Refuses machines that have no probabilities.
    pub(crate) fn require_classes(&self) -> Result<()> {
        if self.task() == Task::Classify {
            return Ok(());
        }
        Err(Error::Data(format!(
            "probabilities are of classes; machine '{}' does not learn classes",
            self.machine_spec().method().id
        )))
    }
}

/// The weights of these instances.
fn of(weights: &[f64], rows: &[usize]) -> Vec<f64> {
    rows.iter().map(|&i| weights[i]).collect()
}

/// A calibration by models that `learn` gives, each without the instances of a fold; with those that have no label,
/// if the machine uses them.
pub(crate) fn cross_fitted(
    mkl: &Mkl,
    (views, labels, weights): (&Views, &Labels, Option<&[f64]>),
    how: Calibrating,
    run: &Run,
    learn: Learn<'_>,
) -> Result<Calibration> {
    how.check()?;
    for (what, len) in [("labels", Some(labels.len())), ("weights", weights.map(<[f64]>::len))] {
        if let Some(len) = len.filter(|len| *len != views.n()) {
            let expected = format!("{}, one per instance of the views", views.n());
            return Err(Error::shape(what, expected, len));
        }
    }
    let weighs = |i: &usize| weights.is_none_or(|w| w[*i] > 0.0);
    let rows: Vec<usize> = labels.known_rows().into_iter().filter(weighs).collect();
    let classes = labels.select(&rows).classes()?;
    let mut unlabelled = Vec::new();
    if mkl.uses_unlabelled()? {
        let mut is_known = vec![false; labels.len()];
        labels.known_rows().into_iter().for_each(|i| is_known[i] = true);
        unlabelled.extend((0..labels.len()).filter(|i| !is_known[*i] && weighs(i)));
    }
    enough(&classes, how.folds)?;
    let fold_of = folds(&classes.codes, classes.n_classes(), how.folds, run);
    let watch = run.watch();
    run.tell(Event::Begin { stage: "calibration", total: Some(how.folds as u64) });
    let mut roles: Vec<Role> = Vec::new();
    let mut values: Vec<Vec<f64>> = Vec::new();
    let mut status = Status::Converged;
    for fold in 0..how.folds {
        let (test, rest): (Vec<usize>, Vec<usize>) =
            (0..rows.len()).partition(|&place| fold_of[place] == fold);
        let rest = rest.into_iter().map(|place| rows[place]);
        let mut train: Vec<usize> = rest.chain(unlabelled.iter().copied()).collect();
        train.sort_unstable();
        let tested: Vec<usize> = test.iter().map(|&place| rows[place]).collect();
        let inner = run.remaining(&watch).quiet();
        let model = learn(&train, &inner);
        let stopped = |status| Error::Stopped { status, what: CALIBRATION.to_string() };
        if let Some(status) = watch.stop() {
            return Err(stopped(status));
        }
        let model = model?;
        if model.classes() != classes.names.as_slice() {
            let problem = "a model of the calibration has other classes than all instances";
            return Err(Error::Labels(problem.to_string()));
        }
        let new = views.select_new(&tested, &train);
        let decisions = model.predict_in(&new, &run.remaining(&watch))?.decisions;
        if values.is_empty() {
            roles = model.roles();
            values = vec![vec![0.0; rows.len()]; roles.len()];
        }
        for (t, values) in values.iter_mut().enumerate() {
            test.iter().enumerate().for_each(|(i, &place)| values[place] = decisions.get(i, t));
        }
        if status.is_success() && !model.report().status.is_success() {
            status = model.report().status;
        }
        run.tell(Event::Step { done: fold as u64 + 1, message: "" });
    }
    run.tell(Event::End);
    let weights = weights.map(|w| of(w, &rows));
    let fitted = Calibration::fit(how, &roles, &classes.codes, &values, weights.as_deref())?;
    Ok(Calibration { status, ..fitted })
}

/// Refuses a class that would be missing where a fold is held out, or in a fold.
fn enough(classes: &Classes, folds: usize) -> Result<()> {
    let counts = classes.counts();
    let Some(least) = (0..counts.len()).min_by_key(|&c| counts[c]) else { return Ok(()) };
    let found = counts[least];
    if found >= folds {
        return Ok(());
    }
    let what = match found {
        0 | 1 => {
            "1 instance of known label and with a weight above 0; probabilities take at least 2 \
                  of each class, better 10: leave the class out, or fit without probabilities"
                .to_string()
        }
        n => format!(
            "{n} instances of known label and with a weight above 0, fewer than the {folds} folds of \
             the calibration; use {n} folds, or fit without probabilities"
        ),
    };
    Err(Error::Labels(format!("class '{}' has {what}", classes.names[least])))
}

impl Model {
    /// The same model with probabilities: [`predict`](Self::predict) gives them beside labels and
    /// decision values, which stay what they are.
    ///
    /// # Errors
    /// The model does not learn classes, or the calibration is that of another number of machines.
    pub fn calibrated(mut self, calibration: Calibration) -> Result<Self> {
        calibration.check(&self.roles())?;
        let names: Vec<&str> = self.info.machines.iter().map(|m| m.name.as_str()).collect();
        let said = self.info.calibration.take().map_or(Vec::new(), |old| old.remarks(&names));
        let remarks = calibration.remarks(&names);
        let warnings = &mut self.info.report.warnings;
        warnings.retain(|w| !said.contains(w));
        warnings.extend(remarks);
        self.info.calibration = Some(calibration);
        Ok(self)
    }

    /// How decision values become probabilities, if they do.
    pub fn calibration(&self) -> Option<&Calibration> {
        self.info.calibration.as_ref()
    }

    /// What the machines say, in order.
    pub(crate) fn roles(&self) -> Vec<Role> {
        self.info.machines.iter().map(|m| m.role).collect()
    }

    /// Probabilities of the classes from decision values, if the model is calibrated or these are logarithms of odds.
    pub(super) fn probabilities(&self, decisions: &Matrix) -> Result<Option<Matrix>> {
        let odds = || -> Result<Option<Calibration>> {
            let own = self.rule.uncertain().is_none()
                && self.info.machine.build()?.as_logistic().is_some();
            Ok(own.then(|| Calibration::of_odds(self.bias.len())))
        };
        let calibration = match &self.info.calibration {
            Some(calibration) => Some(calibration.clone()),
            None => odds()?,
        };
        let Some(calibration) = calibration else { return Ok(None) };
        let (n, k) = (decisions.rows(), self.info.classes.len());
        room_for::<f64>(n.checked_mul(k), || {
            format!("the probabilities of {n} instances and {k} classes")
        })?;
        Ok(Some(calibration.probabilities(&self.roles(), k, decisions)))
    }

    /// What is said of the calibration.
    pub(super) fn calibration_info(&self) -> Option<CalibrationInfo> {
        let calibration = self.info.calibration.as_ref()?;
        let one = |(machine, curve): (&super::MachineInfo, &Curve)| {
            let machine = machine.name.clone();
            match curve {
                Curve::Sigmoid { slope, offset } => {
                    CurveInfo { machine, slope: Some(*slope), offset: Some(*offset), points: None }
                }
                Curve::Isotonic { values, .. } => {
                    CurveInfo { machine, slope: None, offset: None, points: Some(values.len()) }
                }
            }
        };
        let curves = self.info.machines.iter().zip(&calibration.curves).map(one).collect();
        let (shape, folds) = (calibration.how.shape, calibration.how.folds);
        Some(CalibrationInfo { shape, folds, status: calibration.status, curves })
    }
}
