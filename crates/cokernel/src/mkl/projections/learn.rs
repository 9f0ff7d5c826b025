//! From a problem to projections: the starts, and what is told of them.

use super::{First, Projections, Settings};
use crate::data::Target;
use crate::machine::Solution;
use crate::mkl::localized_mkl::active;
use crate::mkl::outer::settled;
use crate::mkl::parametric::{Found, Inside, from_starts};
use crate::mkl::{Copies, Learned, Learner, Problem, check};
use crate::{Error, Result, Run};

impl Learner for Settings {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        learn(problem, self, run)
    }

    fn copies(&self) -> Copies {
        Copies::Either
    }

    fn drives_duals(&self) -> bool {
        true
    }

    /// Columns are standardised without a look at weights.
    fn weights_repeat(&self) -> bool {
        false
    }

    fn maps_features(&self) -> bool {
        true
    }
}

/// Learns projections (and gates), and the machines on them.
///
/// # Errors
/// Data or machines that projections cannot be learned with.
fn learn(problem: &Problem<'_>, settings: &Settings, run: &Run) -> Result<Learned> {
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
    let both = (problem, &inside as &dyn Inside);
    let start = |k| inside.start(k, run);
    let (title, starts, how) = (settings.title, settings.starts, settings.search);
    let mut started = from_starts(title, starts, start, both, how, run, &watch)?;
    let classes = matches!(problem.target, Target::Classes(_));
    let no_slope = classes && is_constant(&started.found.machines);
    let again = no_slope && settings.first == First::Components && watch.stop().is_none();
    if again {
        let start = inside.start_at(First::Discriminant, 0, run)?;
        started.also(start, both, run, &watch)?;
    }
    let mut report = started.report(settings.title, run, &watch);
    report.notes.splice(0..0, inside.notes());
    if again {
        report.notes.push(
            "along the principal components the machine has no slope, and the search no direction: it began once more, \
             along directions in which the classes differ (start=fda)"
                .to_string(),
        );
    }
    if let Some(looking) = &inside.gates {
        looking.seen.tell(&mut report);
    }
    let found = started.found;
    if detects && found.value().abs() <= 1e-6 * inside.scale(&found)? {
        report.notes.push(format!(
            "the objective is {:.1e}, nearly 0: the projected instances lie on all sides of the origin, so that \
             nothing separates them from it and the detector says nothing; use a Gaussian kernel",
            found.value()
        ));
    }
    if classes && is_constant(&found.machines) {
        report.notes.push(
            "every machine decides the same for all instances: along these projections a C this small pays for no \
             slope, and where the machine has none the search has no direction; use a larger C, class_weight=balanced, \
             or more starts"
                .to_string(),
        );
    }
    if let Some((_, open)) = inside.gates(&found.parameters)? {
        let n = open.rows().max(1) as f64;
        let mean = |g: usize| open.col(g).iter().sum::<f64>() / n;
        report.details.insert("mean_gates".to_string(), (0..open.cols()).map(mean).collect());
        report.details.insert("active_gates".to_string(), vec![active(&open)]);
        let shut = (0..open.cols()).filter(|g| open.col(*g).iter().all(|v| *v == 0.0)).count();
        if shut > 0 {
            let all = open.cols();
            report.notes.push(format!(
                "{shut} of {all} gates are open for no training instance: what they would open takes no part, and the \
                 model does not keep its projections"
            ));
        }
    }
    let rule = inside.rule(&found.parameters)?.shared();
    let views = inside.maps(&found.parameters)?;
    report.seconds = watch.seconds();
    Ok(Learned { machines: Some(found.machines), views, ..Learned::of(rule, report) })
}

/// Whether the part of all dual objectives that the kernel enters is nothing beside the rest.
fn is_constant(machines: &Solution) -> bool {
    machines.blocks.iter().all(|b| b.linear - b.objective <= 1e-6 * b.linear.abs())
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
