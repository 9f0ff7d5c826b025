//! `cokernel status`: how far an experiment is.

use super::run::workers::duration;
use super::run::{json_of, summary};
use crate::args::GlobalArgs;
use crate::experiment::{place_of, read};
use crate::session::{Options, Session};
use crate::store::Results;
use crate::table::{Table, wrap};
use anyhow::Result;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

/// How far an experiment is, and which of its cells have no result, and why
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example
  cokernel status exp.sqlite")]
pub struct Args {
    /// The store
    #[arg(value_name = "STORE")]
    store: PathBuf,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let options =
        Options { quiet: global.quiet, json: global.json, wide: global.wide, ..Options::default() };
    let session = Session::start(&options)?;
    let (store, _, plan, seed) = read(&args.store)?;
    let (counts, workers, troubles) = (store.counts()?, store.workers()?, store.troubles()?);
    let left = store.seconds_left()?.map(|s| s / workers.max(1) as f64);
    let mut by_row: BTreeMap<usize, (usize, usize, f64, usize)> = BTreeMap::new();
    let cells = store.cells(&plan)?;
    let Results { kept, damaged } = store.results(&cells)?;
    for (i, cell) in cells.iter().enumerate() {
        let row = by_row.entry(cell.row).or_default();
        row.1 += 1;
        if let Some(kept) = kept.get(&i) {
            row.0 += 1;
            row.2 += kept.spent.seconds;
            row.3 = row.3.max(kept.spent.peak_memory.unwrap_or(0));
        }
    }
    let mut table = Table::new(&["row", "cells done", "seconds a cell", "peak memory MB"]);
    for (&row, &(done, all, seconds, peak)) in &by_row {
        let dash = || "–".to_string();
        table.row(vec![
            plan.rows[row].label.clone(),
            format!("{done} of {all}"),
            if done > 0 { format!("{:.3}", seconds / done as f64) } else { dash() },
            if peak > 0 { format!("{:.0}", peak as f64 / 1e6) } else { dash() },
        ]);
    }
    let mut text = format!("{}: {}\n{}", plan.id, plan.title, summary(&counts, 0));
    match (counts.waiting + counts.running, workers, left) {
        (0, _, _) => {}
        (_, 0, _) => text.push_str("; no worker runs: `cokernel run` continues"),
        (_, n, None) => text.push_str(&format!("; workers: {n}")),
        (_, n, Some(s)) => text.push_str(&format!("; workers: {n}, {} left", duration(s))),
    }
    text.push_str(&format!("\n\n{}", table.fitting(session.width(false), &[]).0));
    let damaged: Vec<String> = damaged.iter().map(|&i| place_of(&plan, &cells[i])).collect();
    if !troubles.is_empty() || !damaged.is_empty() {
        text.push_str("\nCells without a result\n");
        for name in &damaged {
            let how =
                "damaged: the result is not as it was written; `cokernel run` computes it again";
            text.push_str(&wrap(&format!("{name}: {how}"), 2, 96));
        }
        for t in &troubles {
            let how = if t.refused { "refused" } else { "failed" };
            text.push_str(&wrap(&format!("{}: {how}: {}", t.label, t.error), 2, 96));
        }
    }
    session.show(text)?;
    let trouble = |t: &crate::store::Trouble| json!({ "cell": t.label, "error": t.error });
    session.show_json(&json!({
        "id": plan.id,
        "seed": seed,
        "cells": json_of(&counts),
        "workers": workers,
        "seconds_left": left,
        "damaged": damaged,
        "without_result": troubles.iter().map(trouble).collect::<Vec<_>>(),
    }))?;
    Ok(session.end([]))
}
