//! The machine on the mean of the kernels: a unit for penalties, which depends on neither the scale of the kernels
//! nor that of C.

use crate::machine::{How, Solution};
use crate::mkl::{Problem, mixed};
use crate::params::{Param, Range};
use crate::rule::Weighted;
use crate::{Result, Run, Watch};

/// What λ counts.
pub(in crate::mkl) const UNIT: Param = Param {
    name: "lambda_unit",
    doc: "What λ counts: mean, the objective of the machine on the mean of the kernels, so that λ means the same \
          whatever C and the number of instances are; one, itself, as in the papers.",
    range: Range::Choice { default: MEAN, of: &[MEAN, ONE] },
};

/// λ counts the objective at equal weights.
pub(in crate::mkl) const MEAN: &str = "mean";
const ONE: &str = "one";

/// Relative gap of the machines as a part of that of the method: what is told in their objective is another problem
/// where it is another number.
const EXACT: f64 = 0.01;

/// The machines at equal weights, for a method that is to reach the relative gap `tol`.
///
/// # Errors
/// Data that the machine cannot use.
pub(in crate::mkl) fn at_even_weights(
    problem: &Problem<'_>,
    tol: f64,
    run: &Run,
    watch: &Watch,
) -> Result<Solution> {
    let kernels = problem.bank.len();
    let mean = Weighted::new(vec![1.0 / kernels as f64; kernels]);
    let kernel = mixed(problem.bank, &mean, None, run, watch)?;
    let run = run.remaining(watch).quiet();
    let warm = problem.warm_machines();
    let tol = Some((EXACT * tol).max(1e-13).min(problem.machine.tol()));
    let how = How { weights: problem.weights, warm, tol, ..How::new(&run) };
    problem.machine.solve(kernel.as_ref(), problem.target, &how)
}
