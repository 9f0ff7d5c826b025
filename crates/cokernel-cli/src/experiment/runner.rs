//! Runs an experiment: every row on every data set, kernels shared where methods want the same.

use super::outcome::{self, DataFound, Measured, Measurements, Outcome};
use super::plan::{Experiment, Row, Variant};
use super::source::{Labelled, reduced, subset};
use crate::misuse::misuse;
use anyhow::{Context, Result};
use cokernel::data::{Classes, Views};
use cokernel::eval::cluster_scores::ClusterScores;
use cokernel::model::{MultiView, PreparedViews};
use cokernel::{Event, Run, Status, VERSION, Watch};
use std::path::Path;
use std::time::Duration;

/// Views and classes of one data set, with the kernels that were computed on them.
struct Bench<'a> {
    plan: &'a Experiment,
    views: Views,
    classes: Classes,
    ready: Vec<(Option<Vec<String>>, PreparedViews)>,
    run: Run,
}

/// Runs an experiment with its first seed (data set i and the methods on it have seed + i).
///
/// The result of a run that was stopped holds what was complete.
pub fn run(plan: &Experiment, folder: Option<&Path>, run: &Run) -> Result<Outcome> {
    let watch = run.watch();
    let mut all = Measurements::new();
    let mut found = DataFound { sets: plan.data.sets, ..DataFound::default() };
    found.source = plan.data.source.describe();
    let values = plan.sweep.as_ref().map_or(&[][..], |s| &s.values);
    let of_data = plan.sweep.as_ref().filter(|s| s.of_data);
    let of_methods = plan.sweep.as_ref().filter(|s| !s.of_data);
    let data_values: Vec<Option<usize>> = match of_data {
        Some(_) => (0..values.len()).map(Some).collect(),
        None => vec![None],
    };
    let swept = |row: &Row| {
        of_methods.filter(|s| row.variants.iter().any(|v| v.has(&s.parameter))).is_some()
    };
    let row_steps = |row: &Row| if swept(row) { values.len() } else { 1 };
    let steps: usize = plan.rows.iter().map(row_steps).sum();
    let total = steps * data_values.len() * plan.data.sets;
    run.tell(Event::Begin { stage: &plan.id, total: Some(total as u64) });
    let (mut done, mut stopped) = (0, None);
    'all: for data_value in data_values {
        for set in 0..plan.data.sets {
            let seed = run.seed.wrapping_add(set as u64);
            let swept_data =
                of_data.zip(data_value).map(|(s, i)| (s.parameter.as_str(), values[i]));
            let labelled = plan.data.source.load(folder, swept_data, seed)?;
            let mut bench = Bench::new(plan, labelled, seed, run)?;
            found.n = bench.views.n();
            found.views = bench.views.iter().map(|v| v.name.clone()).collect();
            for (r, row) in plan.rows.iter().enumerate() {
                for step in 0..row_steps(row) {
                    let of_row = of_methods.filter(|_| swept(row));
                    let extra = of_row.map(|s| (s.parameter.as_str(), values[step]));
                    let measured = bench
                        .row(row, extra, &watch)
                        .with_context(|| format!("{}, row '{}'", plan.id, row.label))?;
                    stopped = watch.stop();
                    if stopped.is_some() {
                        break 'all;
                    }
                    let at = data_value.or_else(|| of_row.map(|_| step));
                    all.entry((r, at)).or_default().push(measured);
                    done += 1;
                    run.tell(Event::Step { done, message: &row.label });
                }
            }
        }
    }
    run.tell(Event::End);
    Ok(collect(plan, all, found, run, stopped, watch.seconds()))
}

fn collect(
    plan: &Experiment,
    all: Measurements,
    data: DataFound,
    run: &Run,
    stopped: Option<Status>,
    seconds: f64,
) -> Outcome {
    let values = plan.sweep.as_ref().map_or(&[][..], |s| &s.values);
    let drawn = plan.data.sets > 1;
    let row = |(&(r, at), sets): (&(usize, Option<usize>), &Vec<Measured>)| {
        let at = at.map(|i| values[i]);
        outcome::row(&plan.rows[r], at, sets, &plan.protocol, drawn)
    };
    Outcome {
        id: plan.id.clone(),
        title: plan.title.clone(),
        paper: plan.paper.clone(),
        table: plan.table.clone(),
        data,
        protocol: plan.protocol.clone(),
        first_seed: run.seed,
        seeds: plan.data.sets,
        library_version: VERSION.to_string(),
        status: stopped.unwrap_or(Status::Converged),
        seconds,
        sweep: plan.sweep.as_ref().map(|s| s.label.clone()),
        rows: all.iter().map(row).collect(),
        claims: plan.claims.iter().flat_map(|c| outcome::claim(c, plan, &all)).collect(),
        notes: plan.notes.clone(),
    }
}

impl<'a> Bench<'a> {
    fn new(plan: &'a Experiment, data: Labelled, seed: u64, run: &Run) -> Result<Self> {
        let (mut views, labels) = data;
        if let Some(names) = &plan.data.views {
            views = subset(&views, names)?;
        }
        let classes = labels.classes()?;
        let run = Run { seed, ..run.quiet() };
        if let Some(columns) = plan.data.lsa {
            views = reduced(&views, columns, &run)?;
        }
        Ok(Bench { plan, views, classes, ready: Vec::new(), run })
    }

    /// The best of the variants of a row.
    fn row(&mut self, row: &Row, extra: Option<(&str, f64)>, watch: &Watch) -> Result<Measured> {
        let by = self.plan.protocol.pick_by;
        let (mut best, mut seconds): (Option<Measured>, f64) = (None, 0.0);
        for (i, variant) in row.variants.iter().enumerate() {
            let tried = Measured { variant: i, ..self.variant(variant, extra, watch)? };
            seconds += tried.seconds;
            let value = outcome::mean(&tried, by);
            if best.as_ref().is_none_or(|b| by.better(value, outcome::mean(b, by))) {
                best = Some(tried);
            }
            if watch.stop().is_some() {
                break;
            }
        }
        let best = best.ok_or_else(|| misuse("a row needs at least one variant"))?;
        Ok(Measured { seconds, ..best })
    }

    fn variant(
        &mut self,
        variant: &Variant,
        extra: Option<(&str, f64)>,
        watch: &Watch,
    ) -> Result<Measured> {
        let method = variant.multi_view(&self.plan.data, extra)?;
        let spent = Duration::from_secs_f64(watch.seconds());
        let run = Run {
            time_limit: self.run.time_limit.map(|l| l.saturating_sub(spent)),
            ..self.run.clone()
        };
        let clock = run.watch();
        let at = self.prepared(&method, variant.views.as_ref(), &run)?;
        let protocol = &self.plan.protocol;
        let ready = &self.ready[at].1;
        let found = method.cluster_prepared(ready, protocol.clusters, &protocol.starts, &run)?;
        let score = |clusters: &Vec<u32>| ClusterScores::new(clusters, &self.classes.codes);
        Ok(Measured {
            starts: found.kmeans.all.iter().map(score).collect::<Result<_, _>>()?,
            variant: 0,
            status: found.report.status,
            seconds: clock.seconds(),
            notes: found.report.notes,
        })
    }

    /// The place of views and kernels that this method can use: made once for all methods that
    /// want the same.
    fn prepared(
        &mut self,
        method: &MultiView,
        views: Option<&Vec<String>>,
        run: &Run,
    ) -> Result<usize> {
        for (i, (names, ready)) in self.ready.iter().enumerate() {
            if names.as_ref() == views && method.shares(ready)? {
                return Ok(i);
            }
        }
        let ready = match views {
            Some(names) => method.prepare(&subset(&self.views, names)?, run)?,
            None => method.prepare(&self.views, run)?,
        };
        self.ready.push((views.cloned(), ready));
        Ok(self.ready.len() - 1)
    }
}
