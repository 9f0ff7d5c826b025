//! What the methods share that weigh kernels by a measure.

use crate::bank::Bank;
use crate::mkl::Learned;
use crate::params::{Param, Params, Range};
use crate::rule::Weighted;
use crate::{Report, Watch};

/// Whether alignments are those of centred kernels; centred by default.
pub(in crate::mkl) const CENTERED: Param = Param {
    name: "centered",
    doc: "Whether kernels and target are compared after centring in feature space; the machine gets them as \
          they are.",
    range: Range::Choice { default: "yes", of: &["yes", "no"] },
};

/// The same for methods whose source does not centre.
pub(in crate::mkl) const CENTERED_NOT: Param =
    Param { range: Range::Choice { default: "no", of: &["yes", "no"] }, ..CENTERED };

/// The value of [`CENTERED`].
pub(in crate::mkl) fn is_centered(params: &Params) -> bool {
    params.text(CENTERED.name) == "yes"
}

/// What a method found for the kernels.
pub(in crate::mkl) struct Found<'a> {
    /// Numbers of which the weights are a multiple, not negative.
    pub weights: &'a [f64],
    /// Why all of them are 0, where they are.
    pub zero: &'a str,
}

/// The weighted sum with weights of sum 1; the mean of the kernels where all were 0, with a note.
pub(in crate::mkl) fn weighted(found: &Found<'_>, mut report: Report, watch: &Watch) -> Learned {
    let largest = found.weights.iter().fold(0.0_f64, |a, w| a.max(*w));
    let weights = if largest > 0.0 && largest.is_finite() {
        let sum: f64 = found.weights.iter().map(|w| w / largest).sum();
        found.weights.iter().map(|w| w / largest / sum).collect()
    } else {
        report.notes.push(format!("{}: the mean of the kernels is used", found.zero));
        vec![1.0 / found.weights.len() as f64; found.weights.len()]
    };
    report.seconds = watch.seconds();
    Learned::of(Weighted::rule(weights), report)
}

/// The mean of the kernels, where a pass over them was given up; `None` where it was not.
pub(in crate::mkl) fn passed(kernels: usize, report: &Report, watch: &Watch) -> Option<Learned> {
    let status = watch.stop().filter(|_| watch.gave_up())?;
    let report = Report { status, ..report.clone() };
    let zero = &format!("stopped ({status}) before any weight");
    Some(weighted(&Found { weights: &vec![0.0; kernels], zero }, report, watch))
}

/// The mean of all diagonal entries of all kernels: what makes them as large as the ideal kernel; 1 where
/// that is 0.
pub(in crate::mkl) fn unit(bank: &Bank) -> f64 {
    let mean = bank.mean_diagonals().iter().sum::<f64>() / bank.len() as f64;
    if mean > 0.0 { mean } else { 1.0 }
}
