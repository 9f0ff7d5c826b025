//! `cokernel splits`: splits as a file that commands, experiments, Python and others can share.

use crate::args::{DataArgs, GlobalArgs, KernelArgs, MachineArgs, SplitArgs};
use crate::data;
use crate::files::in_json;
use crate::session::{Options, Session};
use crate::settings::Settings;
use crate::splitting::{check, load};
use crate::table::{Table, count};
use anyhow::{Context, Result};
use cokernel::eval::Splits;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;

/// Draw splits into training and test instances, and write them to a file; or show or check such a file
///
/// `evaluate` and `compare` take the file by --splits, experiments by `splits = "FILE"`, Python by
/// `cokernel.Splits.load`: everybody then measures on the same instances. The file knows how and with which
/// seed it was drawn, and refuses other labels.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel splits --view fou=fou.csv --labels y.csv --folds 10 -o splits.json
  cokernel splits --view fou=fou.csv --labels y.csv --reserve 0.33 -o splits.json
      a test set, and five times two folds of the rest: learn and choose parameters
  cokernel splits --view fou=fou.csv --labels y.csv --groups patient@meta.csv -o splits.json
  cokernel splits --view fou=fou.csv --labels y.csv --per-class 15 --transductive -o splits.json
      15 of each class are learned from with their labels, all others without
  cokernel compare --view fou=fou.csv --labels y.csv --splits splits.json --tune c=0.01..100
  cokernel splits --show splits.json
  cokernel splits --check splits.json --view fou=fou.csv --labels y.csv")]
pub struct Args {
    /// Show what a file of splits holds, and draw none
    #[arg(long, value_name = "FILE", conflicts_with_all = [OTHERS, &["views", "similarities", "labels", "project", "check"]].concat())]
    show: Option<PathBuf>,
    /// Tell whether a file of splits belongs to this data, and draw none
    #[arg(long, value_name = "FILE", conflicts_with_all = OTHERS)]
    check: Option<PathBuf>,
    #[command(flatten)]
    data: DataArgs,
    /// What the labels are [default: classify]
    #[arg(long, value_name = "classify|regress|detect", help_heading = "Data")]
    task: Option<String>,
    #[command(flatten)]
    splits: SplitArgs,
    /// What the splits are called
    #[arg(long, value_name = "NAME", help_heading = "Output")]
    name: Option<String>,
    /// The file to write [default: splits.json]
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

/// Flags for drawing.
const OTHERS: &[&str] = &[
    "folds",
    "repeats",
    "test_fraction",
    "reserve",
    "per_class",
    "five_by_two",
    "groups",
    "splits",
    "split_column",
    "transductive",
    "name",
    "output",
];

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    if let Some(path) = &args.show {
        let splits = load(path)?;
        let options = Options { json: global.json, wide: global.wide, ..Options::default() };
        let session = Session::start(&options)?;
        session.show(describe(&splits))?;
        session.show_json(&in_full(&splits))?;
        return Ok(session.end([]));
    }
    let mut settings = Settings::load(&args.data, &[], global)?;
    let machine = MachineArgs { task: args.task.clone(), ..MachineArgs::default() };
    let learning = settings.learning(&KernelArgs::default(), &machine)?;
    let splitting = settings.splitting(&args.splits)?;
    let output = args.output.unwrap_or_else(|| "splits.json".into());
    settings.check_output(&output)?;
    let session = Session::start(&settings.options)?;
    let data = data::load_labelled(&settings, &session, &learning)?;
    if let Some(path) = &args.check {
        let splits = load(path)?;
        check(&splits, &data, learning.task()).context(path.display().to_string())?;
        session.show(describe(&splits))?;
        let instances = count(data.labels.len(), "instance", "instances");
        session.say(format!("\n{} belongs to these {instances}", path.display()))?;
        session.show_json(&in_full(&splits))?;
        return Ok(session.end([]));
    }
    let mut splits = splitting.splits(&settings, &data, learning.task(), session.run.seed)?;
    if let Some(name) = args.name {
        splits = splits.named(name);
    }
    if let Some(ids) = data.views.ids() {
        splits = splits.of_ids(ids);
    }
    splits.save(&output)?;
    session.notes(data::left_out_note(&data.labels));
    session.show(describe(&splits))?;
    session.say(format!("\nsplits written to {}", output.display()))?;
    session.show_json(&json!({ "output": in_json(&output), "splits": splits.splits }))?;
    Ok(session.end([]))
}

fn in_full(splits: &Splits) -> Value {
    json!({
        "how": splits.how(), "seed": splits.seed, "digest": splits.digest(), "name": splits.name, "instances": splits.instances(),
        "transductive": splits.transductive, "groups": splits.groups, "splits": splits.splits,
    })
}

fn describe(splits: &Splits) -> String {
    let validated = splits.splits.iter().any(|s| !s.validation.is_empty());
    let mut header = vec!["split", "learned from", "tested on"];
    if validated {
        header.push("chosen on");
    }
    let mut table = Table::new(&header);
    for (s, split) in splits.splits.iter().enumerate() {
        let mut row =
            vec![s.to_string(), split.train.len().to_string(), split.test.len().to_string()];
        if validated {
            row.push(split.validation.len().to_string());
        }
        table.row(row);
    }
    let named = splits.name.as_ref().map_or(String::new(), |n| format!("{n}: "));
    let instances = count(splits.instances(), "instance", "instances");
    let (how, seed) = (splits.how(), splits.seed);
    format!("{named}{how}, seed {seed}, {instances}\n{}", table.text())
}
