//! What a machine says of each training instance after learning from the others alone, where it has that in closed form
//! and is asked for it (`kernel_ridge:left_out=yes`).
//!
//! The combination of the kernels stays that of all instances: an estimate of the error of a machine on kernels that were
//! chosen without the targets (`mean`, `product`), too good where their weights were learned from them.

use super::{Problem, on_combination};
use crate::data::Target;
use crate::machine::Solution;
use crate::rule::Rule;
use crate::{Report, Result, Run, Watch};

/// The detail that holds the values.
const DETAIL: &str = "left_out";

/// Adds the values to the details of the report, and what they are worth to its notes.
pub(super) fn tell(
    problem: &Problem<'_>,
    rule: &dyn Rule,
    machines: &Solution,
    (run, watch): (&Run, &Watch),
    report: &mut Report,
) -> Result<()> {
    let Target::Real(y) = problem.target else { return Ok(()) };
    if !problem.machine.tells_left_out() || !report.status.is_success() {
        return Ok(());
    }
    let found = match rule.pointwise() {
        Some(mix) => on_combination(problem, mix, rule, (run, watch), |kernel, how| {
            problem.machine.left_out(kernel, problem.target, how, machines)
        })?,
        None => None,
    };
    let Some(values) = found else {
        report.notes.push(
            "there are no values of instances that are left out: what this method learned is not one ridge regression \
             with the ridge of the machine"
                .to_string(),
        );
        return Ok(());
    };
    let weight = |i: usize| problem.weights.map_or(1.0, |w| w[i]);
    let (mass, sum) =
        (0..y.len()).fold((0.0, 0.0), |(m, s), i| (m + weight(i), s + weight(i) * y[i]));
    let squares =
        |of: &dyn Fn(usize) -> f64| (0..y.len()).map(|i| weight(i) * of(i).powi(2)).sum::<f64>();
    let (error, spread) = (squares(&|i| y[i] - values[i]), squares(&|i| y[i] - sum / mass));
    report.notes.push(format!(
        "leave-one-out, with the kernels as they are: root mean squared error {:.4e}, R² {:.4}",
        (error / mass).sqrt(),
        1.0 - error / spread
    ));
    report.details.insert(DETAIL.to_string(), values);
    Ok(())
}
