//! A method and its machine, together: [`train`].

use super::problem::{Learned, Problem};
use super::{Learner, REGISTRY, bound, left_out, towards};
use crate::bank::Bank;
use crate::data::{Matrix, Target};
use crate::machine::{How, Solution, learn_unlabelled};
use crate::method::Entry;
use crate::rule::{Combination, Mix, Rule};
use crate::run::Pass;
use crate::solve::Rows;
use crate::{Error, Report, Result, Run, Status, Watch};

/// Refuses pairs that the method would not look at, or that are not those of their kernels.
pub(crate) fn check_pairs(problem: &Problem<'_>, learner: &dyn Learner) -> Result<()> {
    let Some(given) = problem.pairs else { return Ok(()) };
    if !learner.reads_pairs() {
        return Err(no_pairs("the method"));
    }
    if problem.space.is_some() {
        let problem = "towards landmarks weights are learned from a sample of the instances, and pairs are of all; give no pairs, \
                       or another storage";
        return Err(Error::parameter("pairs", problem));
    }
    if given.pairs.n() != given.bank.n() || given.bank.len() != problem.bank.len() {
        let expected = format!("{} instances and {} kernels", given.bank.n(), problem.bank.len());
        let found = format!("{} and {}", given.pairs.n(), given.bank.len());
        return Err(Error::shape("pairs", expected, found));
    }
    Ok(())
}

/// Says that a method does not learn from pairs, and which do.
pub fn no_pairs(method: &str) -> Error {
    let reads = |e: &&&Entry<dyn Learner>| (e.build)(&e.method.defaults()).reads_pairs();
    let able: Vec<&str> = REGISTRY.iter().filter(reads).map(|e| e.method.id).collect();
    let able = able.join(", ");
    Error::parameter(
        "pairs",
        format!("{method} does not learn from pairs; methods that do: {able}"),
    )
}

/// Learns a combination and makes sure that its machines are trained: those of the method where
/// it has some, else the problem's machine on the combined kernel. The report covers both; a rule
/// that is a formula ends as its machine does, with the machine's objective and gap.
///
/// # Errors
/// Data or machine parameters that cannot be used.
pub fn train(problem: &Problem<'_>, learner: &dyn Learner, run: &Run) -> Result<Learned> {
    let watch = run.watch();
    problem.machine.check()?;
    if matches!(problem.target, Target::Posteriors(_)) && !problem.machine.reads_posteriors() {
        let problem = "the machine learns from classes, not from their posteriors; choose one that does \
                       (posterior_svm)";
        return Err(Error::parameter("machine", problem));
    }
    if matches!(problem.target, Target::Partial(_)) && !problem.machine.uses_unlabelled() {
        let problem = format!(
            "it learns from instances with a class, and some have none; leave them out, or choose a machine \
             that learns from both: {}",
            learn_unlabelled().join(", ")
        );
        return Err(Error::parameter("machine", problem));
    }
    check_pairs(problem, learner)?;
    if problem.space.is_some() {
        return towards::train(problem, learner, run);
    }
    let mut learned = learner.learn(problem, run)?;
    let mapped = problem.mapped(&learned.views, run)?;
    let problem = &match &mapped {
        Some((views, bank)) => Problem { bank, views: Some(views), ..*problem },
        None => *problem,
    };
    let formula = learned.report.status == Status::ClosedForm;
    let (mut machines, trained) = match learned.machines.take() {
        Some(machines) => (machines, false),
        None => (machines(problem, &*learned.rule, run, &watch)?, true),
    };
    let hidden = machines.tell_hidden(problem.machine.tol());
    let ended = bound::report(&machines);
    let report = &mut learned.report;
    if trained {
        report.counts.combines += 1;
        report.counts.add(&machines.counts);
    }
    let shown = trained || (hidden > 0.0 && report.status.is_success());
    if let Some(remark) = machines.remark().filter(|_| shown) {
        report.notes.push(remark);
        if report.status.is_success() {
            report.status = machines.status();
        }
    }
    if report.status == Status::Converged {
        report.notes.extend(machines.uneven(problem.machine.tol()));
    }
    if formula {
        report.status = ended.status;
        report.objective = vec![ended.primal];
        report.gap = Some(ended.gap);
    }
    let nothing = machines.heads().all(|h| h.coef.iter().all(|c| *c == 0.0));
    match report.status {
        status @ (Status::TimeLimit | Status::Interrupted) if nothing => report
            .warnings
            .push(format!("stopped ({status}) before anything was learned: {NO_ANSWER}")),
        // Not for what no coefficient is left of: that has other reasons.
        _ if nothing => {}
        _ => bound::remark(problem, &*learned.rule, ended.at_bound, report),
    }
    left_out::tell(problem, &*learned.rule, &machines, (run, &watch), report)?;
    // Decision functions that no machine has solved have no optimum to tell.
    let solves = machines.counts.machine_solves + report.counts.machine_solves;
    report.machine = (solves > 0).then_some(ended);
    report.seconds = watch.seconds();
    learned.machines = Some(machines);
    Ok(learned)
}

/// The problem's machine on the combination.
pub(super) fn machines(
    problem: &Problem<'_>,
    rule: &dyn Rule,
    run: &Run,
    watch: &Watch,
) -> Result<Solution> {
    let Some(mix) = rule.pointwise() else {
        let problem = "has coefficients for every kernel, which its method did not bring";
        return Err(Error::Data(format!("the rule '{}' {problem}", rule.id())));
    };
    on_combination(problem, mix, rule, (run, watch), |kernel, how| {
        problem.machine.solve(kernel, problem.target, how)
    })
}

/// What is found on the kernel that a rule makes of the kernels.
pub(super) fn on_combination<T>(
    problem: &Problem<'_>,
    mix: &dyn Mix,
    rule: &dyn Rule,
    (run, watch): (&Run, &Watch),
    of: impl FnOnce(&dyn Rows, &How<'_>) -> Result<T>,
) -> Result<T> {
    let numbers = numbers(problem, mix)?;
    let kernel = mixed(problem.bank, mix, numbers.as_ref(), run, watch)?;
    if mix.weights().is_none() {
        usable(problem.bank, rule, &kernel.diagonal())?;
    }
    let run = run.remaining(watch).quiet();
    let (weights, warm) = (problem.weights, problem.warm_machines());
    of(kernel.as_ref(), &How { weights, warm, ..How::new(&run) })
}

/// What the rule wants to know of the instances by themselves.
pub(super) fn numbers(problem: &Problem<'_>, mix: &dyn Mix) -> Result<Option<Matrix>> {
    match problem.views {
        Some(views) => mix.numbers(views),
        None if mix.views().is_empty() => Ok(None),
        None => {
            let names = mix.views().join("', '");
            Err(Error::Data(format!(
                "the rule '{}' looks at the features of '{names}'; give the views, not kernels alone",
                mix.id()
            )))
        }
    }
}

/// Refuses a combination that is nothing but 0, or nearly, though none of its kernels is, and one whose
/// values are not numbers.
pub(super) fn usable(bank: &Bank, rule: &dyn Rule, diagonal: &[f64]) -> Result<()> {
    let largest = |d: &[f64]| d.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    if let Some(i) = diagonal.iter().position(|d| !d.is_finite()) {
        let why = match diagonal[i].is_nan() {
            true => "no number: powers that are not whole were taken of negative values",
            false => "beyond what f64 can hold",
        };
        return Err(Error::Data(format!(
            "the combination of the kernels by '{}' is {why} (row {i}); normalise the kernels \
             (normalize=unit_diagonal)",
            rule.id()
        )));
    }
    let found = largest(diagonal);
    let active = rule.active();
    if found >= f64::MIN_POSITIVE || active.iter().any(|m| largest(&bank.diagonal(*m)) == 0.0) {
        return Ok(());
    }
    Err(Error::Data(format!(
        "the product of {} kernels is below what f64 can hold (its largest diagonal entry is \
         {found:.1e}); normalise the kernels (normalize=unit_diagonal) or multiply fewer",
        active.len()
    )))
}

/// The combination: stored where n × n values fit into the memory of the run, else row by row, also if
/// storing it takes too long.
pub(super) fn mixed<'a>(
    bank: &'a Bank,
    mix: &'a dyn Mix,
    numbers: Option<&'a Matrix>,
    run: &Run,
    watch: &Watch,
) -> Result<Box<dyn Rows + 'a>> {
    if fits(bank, 1, run) {
        let pass = Pass::under(watch);
        let gram = bank.mixed_in(mix, numbers, &pass)?;
        if !pass.is_given_up() {
            return Ok(Box::new(gram));
        }
    }
    Ok(match mix.weights() {
        Some(weights) => bank.combined_rows_in(weights, None, &Pass::under(watch)),
        None => bank.mixed_rows(mix, numbers),
    })
}

/// How a remark ends on a model that nothing has been learned for.
pub(crate) const NO_ANSWER: &str = "all decision values are the same, which is no answer";

/// Whether this many n × n matrices fit into the memory of the run.
pub(super) fn fits(bank: &Bank, matrices: usize, run: &Run) -> bool {
    let bytes = bank.n().checked_mul(bank.n()).and_then(|e| e.checked_mul(8 * matrices));
    bytes.is_some_and(|b| b <= run.memory)
}

/// Refuses labels for another number of instances than the bank has.
pub(super) fn check(problem: &Problem<'_>) -> Result<()> {
    if problem.space.is_some() {
        return Ok(());
    }
    let (n, labels) = (problem.bank.n(), problem.target.len());
    if n != labels {
        return Err(Error::shape("labels", format!("{n}, one per instance"), labels));
    }
    Ok(())
}

/// A rule without training: nothing but the rule and a report.
pub(super) fn fixed(problem: &Problem<'_>, rule: Combination, run: &Run) -> Result<Learned> {
    check(problem)?;
    Ok(Learned::of(rule, Report::closed_form(run)))
}
