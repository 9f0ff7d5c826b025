//! The search from several starts, of which the best is kept.

use super::{Found, Inside, Search, search};
use crate::mkl::Problem;
use crate::{Counts, Event, Report, Result, Run, Status, Watch};

/// Where searches from several starts ended.
#[derive(Debug)]
pub(crate) struct Started {
    /// The best end.
    pub found: Found,
    /// Its start.
    at: usize,
    /// How many starts were asked for, and how to search.
    asked: (usize, Search),
    /// The objective at the end of each start that was made.
    values: Vec<f64>,
    /// Work done from all starts.
    counts: Counts,
}

/// Searches from `starts` parameters, which `start` gives by number, one after the other. After a stop no further start
/// is made.
///
/// # Errors
/// As [`search`]; what `start` says.
pub(crate) fn from_starts(
    title: &str,
    starts: usize,
    start: impl Fn(usize) -> Result<Vec<f64>>,
    (problem, kernel): (&Problem<'_>, &dyn Inside),
    how: Search,
    run: &Run,
    watch: &Watch,
) -> Result<Started> {
    let one = |k: usize| {
        run.tell(Event::Begin { stage: title, total: None });
        let found = start(k).and_then(|at| search(problem, kernel, at, how, run, watch));
        run.tell(Event::End);
        found
    };
    let found = one(0)?;
    let (values, counts) = (vec![found.value()], found.counts);
    let mut all = Started { found, at: 0, asked: (starts, how), values, counts };
    for k in 1..starts {
        if watch.stop().is_some() {
            break;
        }
        all.keep(one(k)?);
    }
    Ok(all)
}

impl Started {
    /// Also searches from these parameters, one start more than were asked for.
    ///
    /// # Errors
    /// As [`search`].
    pub fn also(
        &mut self,
        start: Vec<f64>,
        (problem, kernel): (&Problem<'_>, &dyn Inside),
        run: &Run,
        watch: &Watch,
    ) -> Result<()> {
        self.asked.0 += 1;
        self.keep(search(problem, kernel, start, self.asked.1, run, watch)?);
        Ok(())
    }

    /// Takes note of where a search ended. One that was cut short counts only where it is better already.
    fn keep(&mut self, found: Found) {
        self.counts.add(&found.counts);
        if found.value() < self.found.value() {
            (self.found, self.at) = (found.clone(), self.values.len());
        }
        self.values.push(found.value());
    }

    /// The report of the best end, with notes and details about all starts.
    pub fn report(&self, title: &str, run: &Run, watch: &Watch) -> Report {
        let Started { found, at, asked: (asked, how), values, counts } = self;
        let mut report = Report {
            status: found.status,
            iterations: found.objective.len() - 1,
            counts: *counts,
            objective: found.objective.clone(),
            ..Report::closed_form(run)
        };
        if how.max_iterations == 0 && found.status == Status::IterationLimit {
            // The start was asked for.
            report.status = found.machines.status();
        } else {
            report.notes.extend(found.remark(title, *how));
        }
        if *asked > 1 {
            report.notes.push(note(values, *at, *asked));
            if values.len() < *asked && report.status.is_success() {
                report.status = watch.stop().unwrap_or(Status::TimeLimit);
            }
        }
        report.notes.extend(found.machines.remark());
        if report.iterations == 0 {
            report.gap = Some(found.machines.gap());
        }
        let mut detail = |name: &str, values| report.details.insert(name.to_string(), values);
        detail("objectives", values.clone());
        detail("start", vec![*at as f64]);
        if found.slope.is_finite() {
            detail("slope", vec![found.slope]);
        }
        report.seconds = watch.seconds();
        report
    }
}

fn note(values: &[f64], best: usize, asked: usize) -> String {
    let (least, most) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
    let made = match values.len() == asked {
        true => format!("{asked} starts"),
        false => format!("{} of {asked} starts before the stop", values.len()),
    };
    format!("{made}: objectives from {least:.6e} (start {best}, kept) to {most:.6e}")
}
