//! `cokernel inspect`: what a model file holds.

use crate::args::GlobalArgs;
use crate::report::{model_lines, model_weights};
use crate::session::{Options, Session};
use crate::table::Table;
use anyhow::Result;
use cokernel::model::Model;
use serde_json::to_value;
use std::path::PathBuf;
use std::process::ExitCode;

/// Show what a model file holds
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel inspect model.ck
  cokernel inspect model.ck --json | jq '.weights[] | select(.active)'")]
pub struct Args {
    /// The model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let session = Session::start(&Options { json: global.json, ..Options::default() })?;
    let model = Model::load(&args.model)?;
    session.show_json(&to_value(model.inspect())?)?;
    session.show(describe(&model))?;
    Ok(session.end([]))
}

fn describe(model: &Model) -> String {
    let s = model.inspect();
    let mut text = model_lines(model);
    text.push_str(&format!("  machine   {}\n", machine(model)));
    text.push_str(&format!("  made by   cokernel {}, seed {}\n", s.library_version, s.seed));
    if s.n_dropped > 0 {
        text.push_str(&format!("  left out  {} instances without a label\n", s.n_dropped));
    }
    let mut views = Table::new(&["view", "<kind", "columns"]);
    for v in &s.views {
        views.row(vec![v.name.clone(), v.kind.clone(), v.cols.to_string()]);
    }
    let mut machines = Table::new(&["machine", "support vectors", "gap"]);
    for m in &s.machines {
        machines.row(vec![m.name.clone(), m.support.to_string(), format!("{:.1e}", m.gap)]);
    }
    text.push_str(&format!("\n{}", views.text()));
    text.push_str(&format!("\n{}", model_weights(&s.weights)));
    text.push_str(&format!("\n{}", machines.text()));
    for note in &s.report.notes {
        text.push_str(&format!("\nnote: {note}"));
    }
    text
}

fn machine(model: &Model) -> String {
    use cokernel::machine::Decomposition;
    let svc = model.svc();
    let mut text = format!("C-SVC, C = {}", svc.c);
    if model.classes().len() > 2 {
        text.push_str(match svc.decomposition {
            Decomposition::OneVsRest => ", one versus rest",
            Decomposition::OneVsOne => ", one versus one",
        });
    }
    if svc.balanced {
        text.push_str(", balanced classes");
    }
    for (class, factor) in &svc.class_weights {
        text.push_str(&format!(", C × {factor} for class {class}"));
    }
    text
}
