//! `cokernel run`: an experiment cell by cell into a store, by one or several workers.

use crate::args::GlobalArgs;
use crate::experiment::{
    Cell, Done, Experiment, Measured, Specification, collect, data_folder, print, work,
};
use crate::files::in_json;
use crate::misuse::misuse;
use crate::session::{self, Options, Session};
use crate::store::{Counts, Shard, Store};
use crate::system::available_memory;
use crate::table::count;
use anyhow::{Context, Result, anyhow};
use cokernel::Run;
use cokernel::json::Told;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

pub mod workers;

/// Run an experiment cell by cell into a store that a killed process cannot harm
///
/// A cell is one variant of one row on one split of one data set. Running again continues where
/// the last run ended. Results are the same for any number of workers and threads.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel run exp.toml                       into exp.sqlite; again: what is left
  cokernel run exp.toml --workers 2           two processes on the same store
  cokernel run lms-3.3 --store lms.sqlite     an experiment that comes with the program
  cokernel run exp.toml --shard 3/16 --store 3.sqlite     the third of 16 jobs; then cokernel merge
  cokernel status exp.sqlite                  how far it is
  cokernel report exp.sqlite -o report        page, tables and pictures
`cokernel reproduce --example` shows how to write an experiment. Exit code 1: some cells have no
result; `cokernel status` says why.")]
pub struct Args {
    /// The experiment: a file, or the id of one that comes with the program
    #[arg(value_name = "FILE|ID")]
    experiment: String,
    /// The store [default: name of the experiment with the ending .sqlite, in this folder]
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Number of processes that work side by side
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    workers: usize,
    /// The folder of data sets that do not come with the program [default: $COKERNEL_DATA]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Let this specification replace that of the store; cells that are the same keep their results
    #[arg(long)]
    update: bool,
    /// Only the K-th of N parts of the cells, for the jobs of a batch queue: each with a store of its own, joined by
    /// `cokernel merge`
    #[arg(long, value_name = "K/N")]
    shard: Option<String>,
    /// Try cells again that failed
    #[arg(long)]
    retry: bool,
    /// Be one of several workers, until the standard input ends
    #[arg(long, hide = true)]
    worker_of: Option<usize>,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    workers::check(args.workers)?;
    let mut spec = Specification::find(&args.experiment, &[])?;
    if let (Some(_), Some(store)) = (args.worker_of, &args.store) {
        // The caller may have changed numbers of the experiment: what it means stands in the store.
        spec = Specification { base: spec.base, ..Store::open(store)?.about()?.specification };
    }
    let shard: Option<Shard> =
        args.shard.as_deref().map(str::parse).transpose().context("--shard")?;
    let plan = spec.parse()?;
    let folder = data_folder(args.data.as_ref());
    if let Some(reason) = plan.absent(folder.as_deref()) {
        return Err(misuse(format!("{} cannot be run: {reason}", plan.id)));
    }
    let workers = args.worker_of.unwrap_or(args.workers);
    let options = Options {
        seed: global.seed,
        threads: global.threads.or_else(|| workers::threads_of(workers)),
        time_limit: global.time_limit,
        memory: None,
        quiet: global.quiet,
        wide: global.wide,
        json: global.json,
    };
    let session = Session::start(&options)?;
    let seed = global.seed.unwrap_or(plan.protocol.seed);
    let run = Run { seed, ..session.run.clone() };
    let cells = plan.cells(folder.as_deref(), seed)?;
    let path = args.store.clone().unwrap_or_else(|| PathBuf::from(format!("{}.sqlite", spec.id)));
    let available = available_memory().map(|bytes| bytes / workers);
    if args.worker_of.is_some() {
        workers::stop_with_the_caller(&run);
        let mut store = Store::join(&path, &cells)?;
        restrict(&mut store, shard, &plan, &cells)?;
        work(&mut store, &plan, &cells, folder.as_deref(), available, &run, &mut |_, _| {})?;
        return Ok(session.end([]));
    }
    spec.check_folds(&plan, folder.as_deref(), seed)?;
    let (mut store, mended) = Store::prepare(&path, &spec, &plan, &cells, seed, args.update)?;
    session.notes(first_few(mended, "results"));
    restrict(&mut store, shard, &plan, &cells)?;
    store.again("refused")?;
    if args.retry {
        store.again("failed")?;
    }
    let before = store.counts()?;
    let (experiment, data) = (args.experiment.as_str(), folder.as_deref());
    let call = workers::Call { experiment, workers, data, global, store: &path, shard };
    let lost = workers::work(&call, &plan.id, &mut store, &run)?;
    session.clear_progress();
    finish(&session, &plan, &cells, &store, before, (seed, shard), &lost)
}

/// Leaves all cells to others that are not of this part.
fn restrict(
    store: &mut Store,
    shard: Option<Shard>,
    plan: &Experiment,
    cells: &[Cell],
) -> Result<()> {
    shard.map_or(Ok(()), |shard| store.restrict(&shard.ids(plan, cells)))
}

/// The first sentences of many.
fn first_few(mut all: Vec<String>, what: &str) -> Vec<String> {
    const SHOWN: usize = 5;
    if all.len() > SHOWN {
        let rest = all.len() - SHOWN;
        all.truncate(SHOWN);
        all.push(format!("… and {rest} more {what}"));
    }
    all
}

/// Says what there is, and what is not.
fn finish(
    session: &Session,
    plan: &Experiment,
    cells: &[Cell],
    store: &Store,
    before: Counts,
    (seed, shard): (u64, Option<Shard>),
    lost: &[String],
) -> Result<ExitCode> {
    let counts = store.counts()?;
    let kept = store.sound_results(plan, cells)?;
    let results: BTreeMap<usize, Measured> =
        kept.into_iter().map(|(i, kept)| (i, kept.measured)).collect();
    let done = Done { cells, results: &results, seed };
    let outcomes: Vec<_> = collect(plan, &done, None, 0.0).into_iter().map(|c| c.outcome).collect();
    let complete = counts.done == counts.all();
    // Of a part there are no tables yet.
    if complete && shard.is_none() {
        for outcome in &outcomes {
            session.show(print::untimed(outcome, session.width(false)) + "\n")?;
        }
    }
    let part = shard.map_or(String::new(), |s| format!("part {s}, "));
    session.show(part + &summary(&counts, before.ended()))?;
    let troubles = store.troubles()?;
    session.notes(troubles.iter().take(5).map(|t| format!("{}: {}", t.label, t.error)));
    session.say(format!("store {}", store.path().display()))?;
    session.show_json(&json!({
        "store": in_json(store.path()),
        "shard": shard.map(|s| s.to_string()),
        "cells": json_of(&counts),
        "results": Told(&outcomes),
    }))?;
    if session::interrupted() {
        return Ok(ExitCode::from(session::INTERRUPTED));
    }
    let unfinished = counts.waiting + counts.running > 0;
    if !unfinished {
        session.notes(lost);
    } else if !lost.is_empty() {
        return Err(anyhow!("{}; run it again to continue", lost.join("; ")));
    }
    Ok(if complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// `40 cells: 38 done (12 before), 1 failed, 1 refused`.
pub fn summary(counts: &Counts, before: usize) -> String {
    let mut parts = vec![match before {
        0 => format!("{} done", counts.done),
        n => format!("{} done ({n} ended before)", counts.done),
    }];
    for (n, what) in [
        (counts.failed, "failed"),
        (counts.refused, "refused for lack of memory"),
        (counts.running, "running"),
        (counts.waiting, "waiting"),
    ] {
        if n > 0 {
            parts.push(format!("{n} {what}"));
        }
    }
    format!("{}: {}", count(counts.all(), "cell", "cells"), parts.join(", "))
}

/// The counts for programs.
pub fn json_of(counts: &Counts) -> Value {
    json!({
        "all": counts.all(), "done": counts.done, "failed": counts.failed,
        "refused": counts.refused, "running": counts.running, "waiting": counts.waiting,
    })
}
