//! `cokernel report`: the results of a store as a page, tables and pictures.

use crate::args::GlobalArgs;
use crate::experiment::Stored;
use crate::files::{folder, in_json};
use crate::session::{Options, Session};
use anyhow::Result;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Make one self-contained page, tables (CSV, JSON, LaTeX, Markdown) and pictures (SVG, PNG)
///
/// The tables are the same bytes whenever, wherever and by however many workers the cells were
/// computed; times stand in timings.csv and on the page only. A store that is not complete gives a
/// report of what it has.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example
  cokernel run exp.toml
  cokernel report exp.sqlite -o report        then open report/index.html")]
pub struct Args {
    /// The store
    #[arg(value_name = "STORE")]
    store: PathBuf,
    /// The folder for the files; made, if it is not there
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let options =
        Options { quiet: global.quiet, json: global.json, wide: global.wide, ..Options::default() };
    let session = Session::start(&options)?;
    let stored = Stored::open(&args.store)?;
    folder(&args.output)?;
    let names = stored.write_page(&args.output)?;
    let place = args.output.display();
    session.say(format!("written to {place}: {}", names.join(", ")))?;
    session.show_json(&json!({ "folder": in_json(&args.output), "files": names }))?;
    Ok(session.end([]))
}
