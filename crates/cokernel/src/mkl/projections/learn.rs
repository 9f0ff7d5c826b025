//! From a problem to projections: the starts, and what is told of them.

use super::{Projections, Settings};
use crate::data::Target;
use crate::mkl::localized_mkl::starts_note;
use crate::mkl::outer::settled;
use crate::mkl::parametric::{Found, search};
use crate::mkl::{Learned, Problem, check};
use crate::{Counts, Error, Event, Report, Result, Run, Status, Watch};

/// Learns projections (and gates), and the machines on them.
///
/// # Errors
/// Data or machines that projections cannot be learned with.
pub(in crate::mkl) fn learn(
    problem: &Problem<'_>,
    settings: &Settings,
    run: &Run,
) -> Result<Learned> {
    check(problem)?;
    if !problem.machine.has_free_dual() {
        let text = format!(
            "the kernel enters its dual in another way than {} relies on; choose another machine",
            settings.id
        );
        return Err(Error::parameter("machine", text));
    }
    let watch = run.watch();
    let settled = settled(problem, run, &watch)?;
    let problem = &Problem { target: settled.as_ref().unwrap_or(problem.target), ..*problem };
    let detects = matches!(problem.target, Target::Nothing(_));
    let inside = Projections::new(problem, settings)?;
    let (found, at, values, counts) = all_starts(&inside, run, &watch)?;
    let mut report = Report {
        status: found.status,
        iterations: found.objective.len() - 1,
        counts,
        ..Report::closed_form(run)
    };
    report.notes.extend(inside.notes());
    if settings.search.max_iterations == 0 && found.status == Status::IterationLimit {
        // The start was asked for.
        report.status = found.machines.status();
    } else {
        report.notes.extend(found.remark(settings.title));
    }
    if settings.starts > 1 {
        report.notes.push(starts_note(&values, at, settings.starts));
        if values.len() < settings.starts && report.status.is_success() {
            report.status = watch.stop().unwrap_or(Status::TimeLimit);
        }
    }
    if detects && found.value().abs() <= 1e-6 * inside.scale(&found)? {
        report.notes.push(format!(
            "the objective is {:.1e}, nearly 0: the projected instances lie on all sides of the origin, so that \
             nothing separates them from it and the detector says nothing; use a Gaussian kernel",
            found.value()
        ));
    }
    report.notes.extend(found.machines.remark());
    if report.iterations == 0 {
        report.gap = Some(found.machines.gap());
    }
    let mut details = vec![("objectives", values), ("start", vec![at as f64])];
    if let Some((_, open)) = inside.gates(&found.parameters)? {
        let n = open.rows().max(1) as f64;
        let mean = |g: usize| open.col(g).iter().sum::<f64>() / n;
        details.push(("mean_gates", (0..open.cols()).map(mean).collect()));
        let active = open.values().iter().filter(|g| **g > 0.0).count();
        details.push(("active_gates", vec![active as f64 / n]));
    }
    if found.slope.is_finite() {
        details.push(("slope", vec![found.slope]));
    }
    report.details = details.into_iter().map(|(name, v)| (name.to_string(), v)).collect();
    let rule = inside.rule(&found.parameters)?.shared();
    let views = inside.maps(&found.parameters)?;
    report.objective = found.objective;
    report.seconds = watch.seconds();
    Ok(Learned { machines: Some(found.machines), views, ..Learned::of(rule, report) })
}

/// What was learned from all starts: the best with its number, the objective of each, and the work.
fn all_starts(
    inside: &Projections<'_>,
    run: &Run,
    watch: &Watch,
) -> Result<(Found, usize, Vec<f64>, Counts)> {
    let settings = inside.settings;
    let one = |k: usize| {
        run.tell(Event::Begin { stage: settings.title, total: None });
        let start = inside.start(k, run)?;
        let found = search(inside.problem, inside, start, settings.search, run, watch);
        run.tell(Event::End);
        found
    };
    let mut best = one(0)?;
    let (mut at, mut values, mut counts) = (0, vec![best.value()], best.counts);
    for k in 1..settings.starts {
        if watch.stop().is_some() {
            break;
        }
        let found = one(k)?;
        counts.add(&found.counts);
        values.push(found.value());
        if found.value() < best.value() {
            (best, at) = (found, k);
        }
    }
    Ok((best, at, values, counts))
}

impl Projections<'_> {
    /// What a user should know of the views.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for s in &self.sources {
            let constant = s.factors.iter().filter(|f| **f == 0.0).count();
            if constant > 0 {
                let (name, d) = (&s.name, s.factors.len());
                notes.push(format!(
                    "view '{name}': {constant} of {d} columns have one value only and take no part in the projection"
                ));
            }
        }
        notes
    }

    /// The mean of the kernel's diagonal.
    fn scale(&self, found: &Found) -> Result<f64> {
        let maps = self.maps(&found.parameters)?;
        let run = Run::default().quiet();
        let (_, bank) =
            super::with_maps(self.problem.bank, self.views, &maps, super::Storage::OnDemand, &run)?;
        let mean = |m: usize| bank.diagonal(m).iter().sum::<f64>() / bank.n().max(1) as f64;
        Ok((0..bank.len()).map(mean).sum::<f64>() / bank.len() as f64)
    }
}
