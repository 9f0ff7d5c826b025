//! `cokernel splits`: splits as a file that commands, Python and others can share.

use crate::args::{DataArgs, GlobalArgs, KernelArgs, MachineArgs, SplitArgs};
use crate::data;
use crate::files::in_json;
use crate::session::Session;
use crate::settings::Settings;
use crate::table::{Table, count};
use anyhow::Result;
use cokernel::data::Labels;
use cokernel::eval::Splits;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Draw splits into training and test instances, and write them to a file
///
/// `evaluate` and `compare` take the file by --splits, Python by `cokernel.Splits.load`: everybody then
/// measures on the same instances. The file knows how and with which seed it was drawn, and refuses other
/// labels.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel splits --view fou=fou.csv --labels y.csv --folds 10 -o splits.json
  cokernel splits --view fou=fou.csv --labels y.csv --reserve 0.33 -o splits.json
      a test set, and five times two folds of the rest: learn and choose parameters
  cokernel splits --view fou=fou.csv --labels y.csv --groups patient@meta.csv -o splits.json
  cokernel compare --view fou=fou.csv --labels y.csv --splits splits.json --tune c=0.01..100")]
pub struct Args {
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

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let mut settings = Settings::load(&args.data, &[], global)?;
    let machine = MachineArgs { task: args.task.clone(), ..MachineArgs::default() };
    let learning = settings.learning(&KernelArgs::default(), &machine)?;
    let splitting = settings.splitting(&args.splits)?;
    let output = args.output.unwrap_or_else(|| "splits.json".into());
    settings.check_output(&output)?;
    let session = Session::start(&settings.options)?;
    let data = data::load_labelled(&settings, &session, &learning)?;
    let mut splits = splitting.splits(&settings, &data, session.run.seed)?;
    if let Some(name) = args.name {
        splits = splits.named(name);
    }
    splits.save(&output, &data.labels, data.views.ids())?;
    session.notes(data::left_out_note(&data.labels));
    session.show(describe(&splits, &data.labels))?;
    session.say(format!("\nsplits written to {}", output.display()))?;
    session.show_json(&json!({ "output": in_json(&output), "splits": splits.splits }))?;
    Ok(session.end([]))
}

fn describe(splits: &Splits, labels: &Labels) -> String {
    let validated = splits.validating().is_some();
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
    let grouped = if splits.groups.is_some() { ", groups stay together" } else { "" };
    let known = count(
        labels.known_rows().len().max(usize::from(labels.is_empty())),
        "instance",
        "instances",
    );
    format!("{}{grouped}, seed {}, {known}\n{}", splits.protocol, splits.seed, table.text())
}
