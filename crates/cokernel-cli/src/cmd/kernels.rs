//! `cokernel kernels`: how well each kernel fits the labels, before anything is learned.

use crate::args::{DataArgs, GlobalArgs, KernelArgs, MachineArgs};
use crate::data;
use crate::files::{csv_line, in_json, write};
use crate::misuse::misuse;
use crate::report::in_lines;
use crate::session::Session;
use crate::settings::Settings;
use crate::table::{Table, count};
use anyhow::Result;
use cokernel::bank::Storage;
use cokernel::data::Labels;
use cokernel::json::Told;
use cokernel::method::Task;
use cokernel::mkl::measures::{DIVERGENCE_UP_TO, EACH_UP_TO, Score, scores};
use cokernel::model::{Lacking, Mkl};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Kernels listed one by one; of more, those that fit best.
const LISTED: usize = 200;

/// Show how well each kernel fits the labels, without learning anything
///
/// Alignment is the cosine between the kernel and the ideal kernel of the labels, 1 at best, and
/// the centered one that after centring in feature space; a constant kernel has none. The other
/// measures are the better the smaller: the distance to the ideal kernel, FSM (how wide classes are
/// over how far apart), and the divergence from the ideal kernel in nats per instance. Some methods
/// make weights of these: see `cokernel methods alignment`. For distance and divergence all kernels
/// are divided by one number, the mean of all their diagonal entries: they depend on the sizes of the
/// kernels relative to each other, so normalise kernels to compare shapes only.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel kernels --view fou=fou.csv --view fac=fac.csv --labels y.csv
  cokernel kernels --view fou=fou.csv --labels y.csv --kernel 'gaussian:sigma=median*2^-3..3'
  cokernel kernels --view x=x.csv --label-column price --task regress
  cokernel kernels --view fou=fou.csv --labels y.csv --json | jq '.kernels[].centered_alignment'")]
pub struct Args {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    kernels: KernelArgs,
    /// Whether the labels are classes or numbers [default: classify]
    #[arg(long, value_name = "classify|regress", help_heading = "Data")]
    task: Option<String>,
    /// Write the table as CSV to this file
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let mut settings = Settings::load(&args.data, &[], global)?;
    let machine = MachineArgs { task: args.task.clone(), ..MachineArgs::default() };
    let learning = settings.learning(&args.kernels, &machine)?;
    if !matches!(learning.task(), Task::Classify | Task::Regress) {
        return Err(misuse(format!(
            "--task {}: expected classify or regress; kernels are compared with the labels, and this \
             task is learned without",
            learning.task().id()
        )));
    }
    if let Storage::LowRank(_) = learning.storage {
        return Err(misuse(format!(
            "--storage {}: how well kernels fit is told from all pairs of instances, which landmarks and random features do not \
             keep; leave --storage out",
            learning.storage
        )));
    }
    let mut mkl = Mkl::new("align")?
        .machine(learning.machine.clone())
        .scale(learning.scale)
        .storage(learning.storage.clone());
    if let Some(kernels) = &learning.kernels {
        mkl = mkl.kernels(kernels.clone());
    }
    if let Some(output) = &args.output {
        settings.check_output(output)?;
    }
    let session = Session::start(&settings.options)?;
    let data = data::load_labelled(&settings, &session, &learning)?;
    let prepared = mkl.prepare(&data.views, &data.labels, &session.run)?;
    let found = scores(prepared.bank(), prepared.target(), &session.run)?;
    session.clear_progress();
    session.notes(prepared.bank().warnings().iter().cloned());
    session.notes(prepared.lacking().map(Lacking::note));
    session.notes(prepared.bank().notes().iter().cloned());
    session.notes(data::left_out_note(&data.labels));
    let n = prepared.bank().n();
    if found.len() > EACH_UP_TO {
        session.notes([format!(
            "FSM and the divergence are not computed for more than {EACH_UP_TO} kernels"
        )]);
    }
    if n > DIVERGENCE_UP_TO {
        session.notes([format!(
            "the divergence is not computed for more than {DIVERGENCE_UP_TO} instances"
        )]);
    }
    let classes = matches!(&data.labels, Labels::Classes { .. });
    let mut text = format!(
        "{} over {}\n\n",
        count(found.len(), "kernel", "kernels"),
        count(n, "instance", "instances")
    );
    text.push_str(&table(&found, classes, session.width(false)));
    session.show(&text)?;
    if let Some(output) = &args.output {
        write(output, csv(&found).as_bytes())?;
        session.say(format!("\ntable written to {}", output.display()))?;
    }
    session.show_json(&json!({
        "instances": n, "kernels": Told(&found), "output": args.output.as_deref().map(in_json),
    }))?;
    Ok(session.end([]))
}

fn table(found: &[Score], classes: bool, width: Option<usize>) -> String {
    let mut titles = vec!["kernel", "alignment", "centered", "distance"];
    titles.extend(classes.then_some(["FSM", "FSM total"]).into_iter().flatten());
    titles.push("divergence");
    let mut table = Table::new(&titles);
    let number = |v: Option<f64>| v.map_or("–".to_string(), |v| format!("{v:.4}"));
    let mut order: Vec<usize> = (0..found.len()).collect();
    if found.len() > LISTED {
        let worth = |k: &usize| found[*k].centered_alignment;
        order.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        order.truncate(LISTED);
        order.sort_unstable();
    }
    for s in order.iter().map(|k| &found[*k]) {
        let all = [s.alignment, s.centered_alignment, s.ideal_distance].map(|v| number(Some(v)));
        let mut cells = vec![s.kernel.clone()];
        cells.extend(all);
        cells.extend(classes.then(|| [s.fsm, s.fsm_total].map(number)).into_iter().flatten());
        cells.push(number(s.divergence));
        table.row(cells);
    }
    let mut text = in_lines(table, width, &["FSM total", "divergence", "distance", "FSM"]);
    if order.len() < found.len() {
        let rest = count(found.len() - order.len(), "kernel", "kernels");
        text.push_str(&format!("  … and {rest} with smaller centered alignment\n"));
    }
    text
}

fn csv(found: &[Score]) -> String {
    let mut text = csv_line([
        "kernel",
        "view",
        "alignment",
        "centered_alignment",
        "ideal_distance",
        "fsm",
        "fsm_total",
        "divergence",
    ]);
    let number = |v: Option<f64>| v.map_or(String::new(), |v| v.to_string());
    for s in found {
        let always = [s.alignment, s.centered_alignment, s.ideal_distance].map(|v| v.to_string());
        let mut cells = vec![s.kernel.clone(), s.view.clone()];
        cells.extend(always);
        cells.extend([s.fsm, s.fsm_total, s.divergence].map(number));
        text.push_str(&csv_line(cells));
    }
    text
}
