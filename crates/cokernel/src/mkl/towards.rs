//! Learning where landmarks stand for the kernels ([`scale`](crate::scale)): methods that [scale](super::Learner::scales) do it themselves; of
//! those whose weights need no machine ([samples](super::Learner::samples)) the weights come from a [sample](super::row_sample),
//! and the machine is trained in the features at these weights.

use super::{Learned, Learner, Outer, Problem, bound, outer, row_sample};
use crate::{Error, Report, Result, Run, Status};

/// What the method learns, its machines perhaps not among it: from a sample of the instances where landmarks stand for the
/// kernels and it looks at no machine.
pub(crate) fn combination(
    problem: &Problem<'_>,
    learner: &dyn Learner,
    run: &Run,
) -> Result<Learned> {
    match (learner.samples(), problem.space) {
        (Some(most), Some(space)) => row_sample::learn(problem, space, learner, most, run),
        _ => learner.learn(problem, run),
    }
}

/// [`train`](super::train()) in the features of landmarks.
///
/// # Errors
/// The rule is no weighted sum with weights of 0 or more; those of the method and the machine.
pub(super) fn train(problem: &Problem<'_>, learner: &dyn Learner, run: &Run) -> Result<Learned> {
    let watch = run.watch();
    let mut learned = combination(problem, learner, run)?;
    if learned.machines.is_none() {
        let weights = learned.rule.weights().ok_or_else(|| {
            let problem = format!("the rule '{}' is no weighted sum of kernels", learned.rule.id());
            Error::parameter("storage", problem)
        })?;
        if let Some(m) = weights.iter().position(|w| *w < 0.0) {
            let problem = format!(
                "the weight of kernel {m} is {}, and towards landmarks weights are 0 or more",
                crate::brief(weights[m])
            );
            return Err(Error::parameter("storage", problem));
        }
        let set = outer::explicit::Fixed(weights.to_vec());
        let (title, tol, max_iterations) =
            ("machines towards landmarks", problem.machine.tol(), 500);
        let outer = Outer { title, set: &set, tol, max_iterations, second: true };
        let first = learned.report;
        learned = outer.learn(problem, &run.remaining(&watch))?;
        after(first, &mut learned.report);
    }
    let report = &mut learned.report;
    report.machine = learned.machines.as_ref().map(bound::report);
    if let Some(machine) = &report.machine {
        let share = machine.at_bound;
        bound::remark(problem, &*learned.rule, share, report);
    }
    report.seconds = watch.seconds();
    Ok(learned)
}

/// Puts what a method told of its weights before what the machines told; a method that iterates ends as it did itself.
pub(super) fn after(first: Report, report: &mut Report) {
    let machines = std::mem::replace(report, first);
    if report.status == Status::ClosedForm {
        (report.status, report.iterations) = (machines.status, machines.iterations);
        (report.objective, report.gap) = (machines.objective, machines.gap);
        report.gaps = machines.gaps;
    } else if report.status.is_success() {
        report.status = machines.status;
    }
    // What the weights promise is worth no more than the machines.
    if let (Some(own), Some(gap)) = (report.gap, machines.gap)
        && !machines.status.is_success()
    {
        report.gap = Some(own.max(gap));
    }
    report.counts.add(&machines.counts);
    report.notes.extend(machines.notes);
    report.warnings.extend(machines.warnings);
    report.details.extend(machines.details);
}
