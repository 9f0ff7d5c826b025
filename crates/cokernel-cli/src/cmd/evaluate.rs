//! `cokernel evaluate`: cross-validation of one method.

use crate::args::{DataArgs, GlobalArgs, KernelArgs, MachineArgs, SplitArgs};
use crate::costs::CostArgs;
use crate::data;
use crate::files::write_json;
use crate::probabilities::{ProbabilityArgs, told};
use crate::report::{basis, in_lines, measure_spread, shortened, square, weight_bars};
use crate::session::Session;
use crate::settings::Settings;
use crate::table::{Table, count, gap, percent, seconds};
use crate::tasks::for_task;
use crate::tuning::TuneArgs;
use crate::words::once;
use anyhow::Result;
use cokernel::eval::tune::counted;
use cokernel::eval::{CvResult, How, Measure, cross_validate_given};
use cokernel::json::Told;
use cokernel::model::{Costs, Given};
use serde_json::to_value;
use std::path::PathBuf;
use std::process::ExitCode;

/// Estimate the accuracy of one method on instances it has not seen
///
/// Everything that is learned (scaling, kernel widths, normalisations, weights, machines) is
/// learned on the training instances of each split only.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel evaluate --view fou=fou.csv --view fac=fac.csv --labels y.csv
  cokernel evaluate --view fou=fou.csv --labels y.csv --method mean --folds 10 -o results.json
  cokernel evaluate --view fou=fou.csv --labels y.csv --repeats 20 --test-fraction 0.33
C chosen inside each training set:
  cokernel evaluate --view fou=fou.csv --labels y.csv --tune c=0.01..100
Log loss and Brier score take probabilities:
  cokernel evaluate --view fou=fou.csv --labels y.csv --probabilities sigmoid")]
pub struct Args {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    kernels: KernelArgs,
    /// The method; `cokernel methods` lists them [default: simple_mkl, mean with machines that it does not drive]
    #[arg(long, short, value_name = "ID", help_heading = "Method")]
    method: Option<String>,
    /// A parameter of the method, as tol=1e-4. Repeatable; see `cokernel methods ID`
    #[arg(long = "set", value_name = "NAME=VALUE", help_heading = "Method")]
    set: Vec<String>,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    probabilities: ProbabilityArgs,
    /// Pairs of instances to learn the weights from in place of the labels, as for fit; pairs of test
    /// instances take no part
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pairs: Option<PathBuf>,
    #[command(flatten)]
    tuning: TuneArgs,
    #[command(flatten)]
    costs: CostArgs,
    #[command(flatten)]
    splits: SplitArgs,
    /// Write the result as JSON to this file
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let mut settings = Settings::load(&args.data, &args.set, global)?;
    let learning = settings.learning(&args.kernels, &args.machine)?;
    let method = settings.method(args.method.as_ref(), learning.usual()?, &[learning.task()])?;
    let method = for_task(method, learning.task())?;
    let mkl = settings.mkl(method, &[method], &learning)?;
    let calibrating = settings.calibrating(&args.probabilities, learning.task())?;
    settings.choose_pairs(args.pairs.as_deref(), &mkl)?;
    let tuning = settings.tuning(&args.tuning, calibrating)?;
    let costs = settings.costs(&args.costs)?;
    let splitting = settings.splitting(&args.splits)?;
    if let Some(output) = &args.output {
        settings.check_output(output)?;
    }
    let session = Session::start(&settings.options)?;
    let data = data::load_labelled(&settings, &session, &learning)?;
    let splits = splitting.splits(&settings, &data, learning.task(), session.run.seed)?;
    let known = (&data.views, &data.labels);
    let given = Given { pairs: data.pairs.as_ref(), ..Given::default() };
    let how = How { calibrating, tuning: tuning.as_ref(), costs: costs.as_ref(), ..How::default() };
    if calibrating.is_some() && splits.groups.is_some() {
        session.notes(["groups do not stay together in the folds of the calibration".to_string()]);
    }
    let result = cross_validate_given(&mkl, how, known, &given, &splits, &session.run)?;
    session.clear_progress();
    let json = to_value(Told(&result))?;
    if let Some(output) = &args.output {
        write_json(output, &json)?;
    }
    if !mkl.uses_unlabelled()? {
        session.notes(data::left_out_note(&data.labels));
    }
    session.notes(once(result.results.iter().flat_map(|r| &r.notes)));
    session.show(describe(&result, basis(&learning.storage), session.width(false)))?;
    if let Some(output) = &args.output {
        session.say(format!("\nresult written to {}", output.display()))?;
    }
    session.show_json(&json)?;
    Ok(session.end([result.status]))
}

fn describe(result: &CvResult, kept: &str, width: Option<usize>) -> String {
    let asked = result.splits.splits.len();
    let mut text = format!(
        "{} on {}{}{}\n\n",
        result.method,
        count(result.results.len(), "split", "splits"),
        if result.results.len() < asked { format!(" of {asked}") } else { String::new() },
        match result.classes.len() {
            0 => String::new(),
            k => {
                format!(", {}: {}", count(k, "class", "classes"), shortened(&result.classes, 12))
            }
        }
    );
    let main = result.measures.main().map(|m| m.0);
    let heading = main.map_or(String::new(), Measure::heading);
    let kept = format!("{kept} %");
    let titles = ["split", &heading, "active kernels", &kept, "seconds", "gap", "<status"];
    let mut table = Table::new(&titles);
    for (i, r) in result.results.iter().enumerate() {
        table.row(vec![
            (i + 1).to_string(),
            main.and_then(|m| r.scores.get(m.id).map(|v| score(m, v))).unwrap_or_default(),
            format!("{} of {}", r.active_kernels, result.kernels.len()),
            percent(r.support_percent / 100.0),
            seconds(r.seconds),
            gap(r.gap),
            r.status.to_string(),
        ]);
    }
    text.push_str(&in_lines(table, width, &["seconds", &kept, "active kernels", "gap"]));
    text.push('\n');
    let widest = result.measures.0.iter().map(|(m, _)| m.title.chars().count()).max().unwrap_or(0);
    for (measure, stat) in &result.measures.0 {
        let unit = if measure.percent { " %" } else { "" };
        let (title, value) = (measure.title, measure_spread(measure, stat));
        text.push_str(&format!("  {title:<widest$}  {value}{unit}\n"));
    }
    if let Some(cost) = &result.total_cost {
        let sd = if cost.values.len() > 1 { format!(" ± {:.1}", cost.sd) } else { String::new() };
        let title = "Total cost";
        text.push_str(&format!(
            "  {title:<widest$}  {:.1}{sd} %{}\n",
            cost.mean,
            by(&result.costs)
        ));
    }
    if let Some(how) = &result.calibrating {
        text.push_str(&format!("\n  probabilities: {} of each training set\n", told(how)));
    }
    let chosen: Vec<_> = result.results.iter().map(|r| r.chosen.clone()).collect();
    if chosen.iter().any(|c| !c.is_empty()) {
        text.push_str(&format!("\n  chosen inside the training sets: {}\n", counted(&chosen)));
    }
    if (2..=12).contains(&result.classes.len()) {
        text.push_str(&format!("\n{}", confusion(result, width)));
    }
    text + &format!("\n{}", weight_bars(&weights(result), width))
}

/// Whose prices a cost is by.
fn by(costs: &Option<Costs>) -> String {
    match costs {
        Some(costs) => format!(" by {costs}"),
        None => " by the prices of the method".to_string(),
    }
}

/// A score without the unit.
fn score(measure: &Measure, value: f64) -> String {
    if measure.percent { percent(value) } else { measure.cell(value) }
}

/// Mean and spread of each weight over the splits.
fn weights(result: &CvResult) -> Vec<(String, f64, Option<f64>)> {
    let n = result.results.len().max(1) as f64;
    let one = |(m, name): (usize, &String)| {
        let values = || result.results.iter().map(|r| r.weights.get(m).copied().unwrap_or(0.0));
        let mean = values().sum::<f64>() / n;
        let squares: f64 = values().map(|w| (w - mean).powi(2)).sum();
        (name.clone(), mean, (n > 1.0).then(|| (squares / (n - 1.0)).sqrt()))
    };
    result.kernels.iter().enumerate().map(one).collect()
}

fn confusion(result: &CvResult, width: Option<usize>) -> String {
    let cell = |i: usize, j: usize| result.confusion[i][j].to_string();
    square("true \\ predicted", &result.classes, cell, width)
}
