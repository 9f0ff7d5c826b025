//! `cokernel fit`: files to a model file.

use crate::args::{DataArgs, GlobalArgs, KernelArgs, MachineArgs};
use crate::data;
use crate::files::in_json;
use crate::input::Loaded;
use crate::misuse::misuse;
use crate::probabilities::ProbabilityArgs;
use crate::project;
use crate::report::{model_lines, model_weights};
use crate::session::Session;
use crate::settings::Settings;
use crate::splitting::Column;
use crate::tasks::for_task;
use crate::tuning::TuneArgs;
use crate::workers::WorkerArgs;
use anyhow::{Context, Result};
use cokernel::eval::Tuned;
use cokernel::json::Told;
use cokernel::kernel::FAMILIES;
use cokernel::model::{self, Given};
use cokernel::{Run, Status};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Learn a model from your files
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
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
    /// Hold out this share of the instances: the model learns from the others, and `cokernel predict --coverage` then tells
    /// sets of classes, or intervals of numbers, that hold the truth with a chosen probability
    #[arg(
        long,
        value_name = "SHARE",
        help_heading = "Probabilities",
        allow_negative_numbers = true
    )]
    hold_out: Option<f64>,
    #[command(flatten)]
    probabilities: ProbabilityArgs,
    #[command(flatten)]
    tuning: TuneArgs,
    /// For --tune: instances with the same name in this column stay together in the folds
    #[arg(
        long,
        value_name = "[COLUMN@]FILE",
        requires = "tune",
        help_heading = "Choice of parameters"
    )]
    groups: Option<String>,
    /// Pairs of instances to learn the weights from in place of the labels, for methods that can
    /// (two_stage and its kin): lines of two ids (or row numbers, from 0) and must or cannot (or +1, -1), and a
    /// weight if it is not 1. Their instances need no label
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pairs: Option<PathBuf>,
    #[command(flatten)]
    workers: WorkerArgs,
    /// The model file to write [default: model.ck]
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

fn after_help() -> String {
    format!(
        "\
Examples
  Two views, one Gaussian kernel each at the median distance, weights by SimpleMKL:
    cokernel fit --view fou=fou.csv --view fac=fac.npy --labels y.csv -o model.ck
  Five widths for one view, a linear kernel on the other, rows matched by an id column:
    cokernel fit --view fou=fou.csv --view fac=fac.csv --labels y.csv --id sample \\
      --kernel 'gaussian@fou:sigma=median*2^-2..2' --kernel linear@fac --set tol=1e-4 --c 10
  A precomputed similarity beside a table, classes of unequal size:
    cokernel fit --view fou=fou.csv --similarity graph=K.npy --labels y.csv \\
      --class-weight balanced
  Weights from pairs that belong together or apart (a line: p17,p4,must), the machine from labels:
    cokernel fit --view fou=fou.csv --labels y.csv --id sample --method two_stage --pairs pairs.csv
  C and the widths of the kernels chosen by a cross-validation:
    cokernel fit --view fou=fou.csv --labels y.csv --tune c=0.1..100 --tune width=2^-2..2
  Sets of classes that hold the true one in 9 of 10 cases, for `cokernel predict --coverage 0.9`:
    cokernel fit --view fou=fou.csv --labels y.csv --hold-out 0.25 -o model.ck
  Ten million instances in eight processes; killed, the same command goes on:
    cokernel fit --view a=a.npy --labels y.csv --storage nystroem:rank=200 \\
      --machine squared_hinge_svc --workers 8 --scratch work
  Probabilities of the classes beside decisions, for `cokernel predict`:
    cokernel fit --view fou=fou.csv --labels y.csv --probabilities sigmoid -o model.ck

Kernels: {}.
  gaussian:sigma=median          exp(-d²/2σ²), σ the median distance; on every feature view
  gaussian@fou:gamma=0.1,1,10    exp(-γd²), three kernels on the view fou
  gaussian:sigma=2^-3..6         ten widths; also rules times factors: median*2^-2..2
  polynomial@fou:degree=2        also coef0=, gamma=
  …:normalize=center,unit_diagonal   …:per_feature (one kernel for each column,
                                 of which there may be 100,000 if they are linear)

All of it can stand in a project file, and flags override it:
{}",
        kernel_names(),
        project::EXAMPLE
    )
}

/// The families of kernels, as many on a line as there is room for.
fn kernel_names() -> String {
    let mut text = String::new();
    let mut width = "Kernels: ".len();
    for (k, family) in FAMILIES.iter().enumerate() {
        if k > 0 {
            text.push(',');
            width += family.name.len() + 2;
            let fits = width <= 88;
            text.push_str(if fits { " " } else { "\n  " });
            width = if fits { width } else { 2 + family.name.len() };
        }
        text.push_str(family.name);
    }
    text
}

/// Draws the share of instances with a label that is held out; those that the model learns from come first.
fn held_out(share: f64, data: &Loaded, args: &Args, run: &Run) -> Result<(Vec<usize>, Vec<usize>)> {
    if data.pairs.is_some() || args.groups.is_some() {
        return Err(misuse(
            "--hold-out does not go with --pairs and --groups, which are of all instances",
        ));
    }
    model::held_out(&data.labels, share, run).context("--hold-out")
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let mut settings = Settings::load(&args.data, &args.set, global)?;
    let learning = settings.learning(&args.kernels, &args.machine)?;
    let method = settings.method(args.method.as_ref(), learning.usual()?, &[learning.task()])?;
    let method = for_task(method, learning.task())?;
    let mkl = settings.mkl(method, &[method], &learning)?;
    let calibrating = settings.calibrating(&args.probabilities, learning.task())?;
    let tuning = settings.tuning(&args.tuning, calibrating)?;
    settings.choose_pairs(args.pairs.as_deref(), &mkl)?;
    let output = settings.output(args.output.as_deref()).unwrap_or_else(|| "model.ck".into());
    settings.check_output(&output)?;
    let mut session = Session::start(&settings.options)?;
    let _scratch = args.workers.add_to(&mut session.run)?;
    let data = data::load_labelled(&settings, &session, &learning)?;
    let held =
        args.hold_out.map(|share| held_out(share, &data, &args, &session.run)).transpose()?;
    let learned = held.as_ref().map(|h| (data.views.select(&h.0), data.labels.select(&h.0)));
    let (views, labels) = learned.as_ref().map_or((&data.views, &data.labels), |l| (&l.0, &l.1));
    let given = Given { pairs: data.pairs.as_ref(), ..Given::default() };
    let watch = session.run.watch();
    let tuned = match &tuning {
        None => None,
        Some(tuning) => {
            let candidates = tuning.candidates(&mkl, false)?;
            let groups = args.groups.as_deref().map(Column::parse);
            let groups = groups.map(|g| g.read(&settings.input, &data).context("--groups"));
            let groups = groups.transpose()?;
            // The fit that follows takes less than those of the choice together.
            let half = session.run.time_limit.map(|limit| limit / 2);
            let run = Run { time_limit: half, ..session.run.clone() };
            let (known, groups) = ((views, labels), groups.as_deref());
            Some(tuning.choose_among(&candidates, known, groups, &given, &run)?)
        }
    };
    let mkl = tuned.as_ref().map_or(mkl, |t| t.mkl.clone());
    let mut model = mkl.fit_given(views, labels, &given, &session.run.remaining(&watch))?;
    if let Some(how) = calibrating {
        let rest = session.run.remaining(&watch);
        let found = mkl.calibration_given(views, labels, &given, how, &rest)?;
        model = model.calibrated(found)?;
    }
    if let Some((train, test)) = &held {
        let new = data.views.select_new(test, train);
        model = model.conformed(&new, &data.labels.select(test), &session.run)?;
    }
    session.clear_progress();
    let chosen = tuned.as_ref().map_or(Vec::new(), Tuned::notes);
    let model = model.with_notes(chosen);
    model.save(&output)?;
    session.remarks(model.report());
    let width = session.width(false);
    session.say(model_lines(&model, width))?;
    session.say(format!("\n{}", model_weights(&model.weights(), width)))?;
    session.say(format!("\nmodel written to {}", output.display()))?;
    session.show_json(
        &json!({ "output": in_json(&output), "model": Told(model.inspect()), "tuned": Told(&tuned) }),
    )?;
    let stopped = tuned.iter().map(|t| t.status).filter(|s| *s != Status::IterationLimit);
    Ok(session.end([model.report().status].into_iter().chain(stopped)))
}
