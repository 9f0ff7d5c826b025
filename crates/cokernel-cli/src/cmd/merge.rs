//! `cokernel merge`: the stores of several jobs joined in one.

use super::run::{json_of, summary};
use crate::args::GlobalArgs;
use crate::files::in_json;
use crate::session::{Options, Session};
use crate::store::merge;
use crate::table::count;
use anyhow::Result;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Join stores of the same experiment, as the jobs of a batch queue leave them
///
/// Only results of the same cells are joined: of the same data, splits, methods, seed and version. No two of the
/// stores may have the same cell; what the output has already may come again. Nothing is written if one of them is
/// damaged or does not fit.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example
  cokernel run exp.toml --shard 1/2 --store 1.sqlite      one job
  cokernel run exp.toml --shard 2/2 --store 2.sqlite      another one, elsewhere
  cokernel merge 1.sqlite 2.sqlite -o exp.sqlite
  cokernel report exp.sqlite -o report
Exit code 1: some cells have no result yet; `cokernel run exp.toml --store exp.sqlite` computes them.")]
pub struct Args {
    /// The stores
    #[arg(value_name = "STORE", required = true)]
    stores: Vec<PathBuf>,
    /// The store in which they are joined; one that is there keeps its results
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let options =
        Options { quiet: global.quiet, json: global.json, wide: global.wide, ..Options::default() };
    let session = Session::start(&options)?;
    let merged = merge(&args.stores, &args.output)?;
    let counts = merged.counts;
    let stores = count(merged.stores, "store", "stores");
    let added = count(merged.added, "result", "results");
    let again = match merged.again {
        0 => String::new(),
        n => format!("; {n} were there already"),
    };
    session.show(format!("{stores}: {added} added{again}\n{}", summary(&counts, 0)))?;
    session.say(format!("store {}", args.output.display()))?;
    let missing = counts.all() - counts.done;
    if missing > 0 {
        session.notes([format!(
            "incomplete (exit code 1): {} no result yet; `cokernel run` of the experiment with --store {} computes what \
             is missing",
            if missing == 1 { "1 cell has".to_string() } else { format!("{missing} cells have") },
            args.output.display()
        )]);
    }
    session.show_json(&json!({
        "store": in_json(&args.output),
        "stores": merged.stores,
        "added": merged.added,
        "again": merged.again,
        "cells": json_of(&counts),
    }))?;
    let _ = session.end([]);
    Ok(if missing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
