//! Gates of each machine on its own (LMKA §3.4.3: (3.8) for each of the binary problems).

use super::gates::Gates;
use super::{Localized, METHOD, active};
use crate::data::Target;
use crate::machine::{Alone, Solution};
use crate::mkl::gate_views::Seen;
use crate::mkl::{Learned, Problem};
use crate::rule::{Combination, Gated, OwnGates};
use crate::{Counts, Error, Report, Result, Run, Watch};

/// How many machines have gates of their own: 1 where there is nothing to tell apart.
///
/// # Errors
/// The machine learns several classes in one problem.
pub(super) fn machines(problem: &Problem<'_>) -> Result<usize> {
    let classes = match problem.target {
        Target::Real(_) | Target::Nothing(_) => return Ok(1),
        target => target.classes()?.n_classes(),
    };
    let problems = problem.machine.problems(classes);
    if problems < problem.machine.reading().roles(classes).len() {
        let text = "own gates are those of binary problems, and the machine learns all classes in one problem; expected \
                    common, or another machine";
        return Err(Error::parameter("gates", text));
    }
    Ok(problems)
}

/// Searches for the gates of one machine after the other.
pub(super) fn learn(
    method: &Localized,
    problem: &Problem<'_>,
    machines: usize,
    (seen, firsts): (&Seen, &[usize]),
    run: &Run,
    watch: &Watch,
) -> Result<Learned> {
    let (shape, copies) = (method.shape, method.copies);
    let (mut rules, mut reports): (Vec<Gated>, Vec<Report>) = (Vec::new(), Vec::new());
    let mut solved = Solution { blocks: Vec::new(), counts: Counts::default() };
    let names = head_names(problem)?;
    for (t, name) in names.iter().enumerate().take(machines) {
        let alone = Alone { machine: problem.machine, problem: t };
        let problem = &Problem { machine: &alone, ..*problem };
        let gates = Gates::new(problem, shape, copies, (seen, firsts));
        let started = method.search(&gates, run, watch)?;
        let mut report = started.report(METHOD.title, run, watch);
        let (rule, open) = gates.rule(&started.found.parameters)?;
        report.details.insert("mean_gates".to_string(), rule.means().to_vec());
        report.details.insert("active_gates".to_string(), vec![active(&open)]);
        report.notes.iter_mut().for_each(|note| *note = format!("{name}: {note}"));
        solved.counts.add(&started.found.machines.counts);
        solved.blocks.extend(started.found.machines.blocks);
        rules.push(rule);
        reports.push(report);
    }
    let mut report = together(reports, run);
    seen.tell(&mut report);
    report.seconds = watch.seconds();
    if report.iterations == 0 {
        report.gap = Some(solved.gap());
    }
    let rule = Combination::new(OwnGates::new(rules)?);
    Ok(Learned { machines: Some(solved), ..Learned::of(rule, report) })
}

/// What the machines are called.
fn head_names(problem: &Problem<'_>) -> Result<Vec<String>> {
    let names = &problem.target.classes()?.names;
    let roles = problem.machine.reading().roles(names.len());
    Ok(roles.iter().map(|role| role.name(names)).collect())
}

/// One report of those of all machines: the sum of the objectives, the first status that is no success, and the
/// details of one machine after the other.
fn together(reports: Vec<Report>, run: &Run) -> Report {
    let mut all = Report::closed_form(run);
    all.iterations = reports.iter().map(|r| r.iterations).max().unwrap_or(0);
    let at = |r: &Report, step: usize| r.objective[step.min(r.objective.len() - 1)];
    all.objective = (0..=all.iterations).map(|t| reports.iter().map(|r| at(r, t)).sum()).collect();
    let failed = reports.iter().map(|r| r.status).find(|s| !s.is_success());
    if let Some(first) = reports.first() {
        all.status = failed.unwrap_or(first.status);
    }
    for report in reports {
        all.counts.add(&report.counts);
        all.notes.extend(report.notes);
        for (name, values) in report.details {
            all.details.entry(name).or_default().extend(values);
        }
    }
    all
}
