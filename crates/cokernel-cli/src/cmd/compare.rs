//! `cokernel compare`: several methods on the same splits, or several clusterings of the same
//! instances.

use crate::args::{DataArgs, GlobalArgs, GraphArgs, KernelArgs, MachineArgs, SplitArgs};
use crate::clustering::StartArgs;
use crate::costs::CostArgs;
use crate::data;
use crate::files::{csv_line, write, write_json};
use crate::input::Loaded;
use crate::misuse::misuse;
use crate::picture::{self, Picture};
use crate::probabilities::{ProbabilityArgs, told};
use crate::report::{self, clusterings, clusterings_csv};
use crate::session::Session;
use crate::settings::Settings;
use crate::table::count;
use crate::tuning::TuneArgs;
use anyhow::{Context, Result};
use cokernel::catalogue::{INTEGRATION, goes_with, integration, partners, recommended};
use cokernel::data::{Labels, Views};
use cokernel::eval::tune::counted;
use cokernel::eval::{
    ClusteringOptions, ClusteringRow, Clusterings, Comparison, How, Measure, Protocol,
    compare_candidates, compare_how,
};
use cokernel::json::Told;
use cokernel::method::{Method, Task};
use cokernel::model::Mkl;
use serde_json::to_value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Compare several methods on the same splits
///
/// Every method sees the same training and test instances and, where it uses the same kernels,
/// the same kernel matrices. Seconds are those of learning, without the kernels.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  The controls and the recommended methods, five folds:
    cokernel compare --view fou=fou.csv --view fac=fac.csv --labels y.csv
  Three methods and every single kernel on ten random thirds, for a spreadsheet:
    cokernel compare --view fou=fou.csv --view fac=fac.csv --labels y.csv --singles \\
      --methods simple_mkl,mean,concat --repeats 10 --test-fraction 0.33 --csv table.csv
  Parameters of one method among several: --set two_stage.steps=5000
  Clusterings of the same instances, scored against labels, controls beside them:
    cokernel compare --task cluster -k 10 --view fou=fou.csv --view fac=fac.csv --labels y.csv
  By the protocol of the papers, one method and the controls:
    cokernel compare --task cluster -k 10 --view fou=fou.csv --view fac=fac.csv --labels y.csv \\
      --methods co_regularized --protocol published")]
pub struct Args {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    kernels: KernelArgs,
    #[command(flatten)]
    graphs: GraphArgs,
    /// The methods, separated by commas, groups of methods (controls, one_stage, … of `cokernel methods`), early,
    /// intermediate and late (integration of the views), or all for every method that can do the task [default: the controls and the recommended methods]
    #[arg(long, value_name = "ID,…", value_delimiter = ',', help_heading = "Method")]
    methods: Vec<String>,
    /// Compare early, intermediate and late integration of the same views: --methods integration, and the table
    /// grouped by the kind
    #[arg(long, conflicts_with = "methods", help_heading = "Method")]
    integration: bool,
    /// A parameter, as tol=1e-4 for every method that has it or simple_mkl.tol=1e-4 for one.
    /// Repeatable
    #[arg(long = "set", value_name = "[ID.]NAME=VALUE", help_heading = "Method")]
    set: Vec<String>,
    /// Try every kernel alone, too; clustering always does, unless there are to be no controls
    #[arg(long, help_heading = "Method")]
    singles: bool,
    /// Clustering shows the simple methods that others should beat, and every view alone, whatever
    /// methods are named: leave out those that are not named
    #[arg(long, help_heading = "Method")]
    no_controls: bool,
    /// Number of clusters, for --task cluster
    #[arg(
        long,
        short = 'k',
        value_name = "K",
        allow_negative_numbers = true,
        help_heading = "Method"
    )]
    clusters: Option<usize>,
    #[command(flatten)]
    starts: StartArgs,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    probabilities: ProbabilityArgs,
    #[command(flatten)]
    tuning: TuneArgs,
    #[command(flatten)]
    costs: CostArgs,
    #[command(flatten)]
    splits: SplitArgs,
    /// Write the result as JSON to this file
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Write the table as CSV to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    csv: Option<PathBuf>,
    /// For --task cluster: draw two principal components of the embedding with the highest mean
    /// NMI (without labels, of the last method), coloured by cluster and by label, and the
    /// eigenvalues of each view, into this SVG or PNG file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    plot: Option<PathBuf>,
    /// Draw the first score of each method against its total cost into this SVG or PNG file; needs prices (--costs)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    plot_cost: Option<PathBuf>,
}

/// Runs the command.
pub fn run(mut args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    if args.integration {
        args.methods = vec![INTEGRATION.to_string()];
    }
    let settings = Settings::load(&args.data, &args.set, global)?;
    picture::check("--plot", args.plot.as_deref())?;
    picture::check("--plot-cost", args.plot_cost.as_deref())?;
    settings.check_outputs([&args.output, &args.csv, &args.plot, &args.plot_cost])?;
    let task = settings.word(args.machine.task.as_ref(), "task", |f| f.task.as_ref());
    match task {
        Some((word, _)) if word == Task::Cluster.id() => compare_clusters(&args, settings),
        _ => learners(&args, settings),
    }
}

fn learners(args: &Args, mut settings: Settings) -> Result<ExitCode> {
    if args.clusters.is_some() {
        return Err(misuse("--clusters needs --task cluster"));
    }
    if !args.graphs.graphs.is_empty() {
        return Err(misuse("--graph needs --task cluster"));
    }
    if args.no_controls {
        return Err(misuse("--no-controls needs --task cluster"));
    }
    if args.plot.is_some() {
        return Err(misuse("--plot needs --task cluster"));
    }
    args.starts.refuse()?;
    let learning = settings.learning(&args.kernels, &args.machine)?;
    let task = learning.task();
    let mut methods = settings.methods(&args.methods, task)?;
    let grouped = settings.by_integration(&args.methods);
    if grouped {
        methods.sort_by_key(|m| integration(m));
    }
    // What a group brings is left out where it does not go with the machine; what is named is refused.
    let machine = learning.machine.method();
    let asked = methods.len();
    methods.retain(|m| settings.names(&args.methods, m.id) || goes_with(m, machine).is_ok());
    if asked > 0 && methods.is_empty() {
        let able = partners(machine).join(", ");
        return Err(misuse(format!(
            "none of these methods goes with machine '{}'; it goes with {}",
            machine.id,
            if able.is_empty() { "none" } else { &able }
        )));
    }
    let mut mkls: Vec<Mkl> =
        methods.iter().map(|m| settings.mkl(m, &methods, &learning)).collect::<Result<_>>()?;
    let mut unfit = Vec::new();
    mkls.retain(|m| {
        let kept = settings.names(&args.methods, m.method().id) || m.check_missing().is_ok();
        unfit.extend((!kept).then(|| m.method().id));
        kept
    });
    if mkls.is_empty() && !unfit.is_empty() {
        let (missing, unfit) = (learning.missing, unfit.join(", "));
        return Err(misuse(format!("--missing {missing} is for none of these methods ({unfit})")));
    }
    let (mut unstored, mut refusal) = (Vec::new(), None);
    mkls.retain(|m| match m.check_stored() {
        Err(e) if !settings.names(&args.methods, m.method().id) => {
            unstored.push(m.method().id);
            refusal = Some(e);
            false
        }
        _ => true,
    });
    if let (true, Some(e)) = (mkls.is_empty(), refusal) {
        return Err(e.into());
    }
    let calibrating = settings.calibrating(&args.probabilities, task)?;
    let tuning = settings.tuning(&args.tuning, calibrating)?;
    let costs = settings.costs(&args.costs)?;
    if args.plot_cost.is_some() && costs.is_none() {
        return Err(misuse("--plot-cost needs --costs, as --costs features"));
    }
    let splitting = settings.splitting(&args.splits)?;
    settings.leave_pairs();
    let session = Session::start(&settings.options)?;
    let data = data::load_labelled(&settings, &session, &learning)?;
    let splits = splitting.splits(&settings, &data, task, session.run.seed)?;
    let (views, labels, run) = (&data.views, &data.labels, &session.run);
    let named = |m: &Mkl| settings.names(&args.methods, m.method().id);
    if !unfit.is_empty() {
        session.notes([format!(
            "left out, since --missing {} is not for them: {}",
            learning.missing,
            unfit.join(", ")
        )]);
    }
    if !unstored.is_empty() {
        session.notes([format!(
            "left out, since {} keeps no kernels between instances, which they need: {}",
            learning.storage,
            unstored.join(", ")
        )]);
    }
    session.notes(leave_featureless(&mut mkls, views, named)?);
    let may_leave_out: Vec<bool> = mkls.iter().map(|m| !named(m)).collect();
    let how = How {
        calibrating,
        tuning: tuning.as_ref(),
        costs: costs.as_ref(),
        may_leave_out: &may_leave_out,
    };
    let result = compare_how(&mkls, args.singles, how, views, labels, &splits, run)?;
    session.clear_progress();
    let json = to_value(Told(&result))?;
    if let Some(output) = &args.output {
        write_json(output, &json)?;
    }
    if let Some(path) = &args.csv {
        write(path, as_csv(&result).as_bytes())?;
    }
    if let Some(path) = &args.plot_cost {
        picture::draw_costs(path, &result)?;
    }
    let left_out = result.left_out.iter();
    session.notes(left_out.map(|l| format!("{} is left out: {}", l.name, l.reason)));
    session.notes(settings.left_out(&args.methods, task, methods.len()));
    if !learning.machine.checked()?.build()?.uses_unlabelled() {
        session.notes(data::left_out_note(&data.labels));
    }
    session.notes(not_tuned(&result, learning.machine.method()));
    session.notes(crate::words::once(result.rows.iter().flat_map(|r| &r.notes)));
    session.show(describe(
        &result,
        grouped,
        report::basis(&learning.storage),
        session.width(false),
    ))?;
    say_written(&session, args)?;
    session.show_json(&json)?;
    Ok(session.end([result.status]))
}

/// Leaves out what a group brings that needs features, where there are similarities only; gives a note.
fn leave_featureless(
    mkls: &mut Vec<Mkl>,
    views: &Views,
    named: impl Fn(&Mkl) -> bool,
) -> Result<Option<String>> {
    let mut without = Vec::new();
    let mut kept = Vec::new();
    for mkl in mkls.drain(..) {
        match !named(&mkl) && mkl.lacks_features(views)? {
            true => without.push(mkl.method().id),
            false => kept.push(mkl),
        }
    }
    *mkls = kept;
    Ok((!without.is_empty()).then(|| {
        format!(
            "left out, because they need features and there are similarities: {}",
            without.join(", ")
        )
    }))
}

fn describe(result: &Comparison, grouped: bool, kept: &str, width: Option<usize>) -> String {
    let mut text = format!(
        "{}{}, {}\n\n{}",
        count(result.instances, "instance", "instances"),
        match result.classes.len() {
            0 => String::new(),
            k => format!(" in {}", count(k, "class", "classes")),
        },
        splits_text(result),
        report::comparison(result, grouped, kept, width)
    );
    if result.complete > 1 {
        text.push_str("\n  ± is the standard deviation over the splits\n");
    }
    if let Some(costs) = &result.costs {
        text.push_str(&format!(
            "\n  cost of predicting an instance: support vectors × the share of the prices of active kernels, by {costs}\n"
        ));
    }
    if let Some(how) = &result.calibrating {
        text.push_str(&format!(
            "\n  probabilities: {} of each training set; seconds are without them\n",
            told(how)
        ));
    }
    if result.tuned.is_some() {
        text.push_str("\n  chosen inside the training sets\n");
        for row in result.rows.iter().filter(|r| !r.chosen.is_empty()) {
            text.push_str(&format!("    {}: {}\n", row.name, counted(&row.chosen)));
        }
    }
    text
}

/// What is missing for a fair comparison.
fn not_tuned(result: &Comparison, machine: &Method) -> Option<String> {
    let alone = result.tuned.is_none() && result.rows.len() > 1 && machine.param("c").is_some();
    alone.then(|| {
        "C is the same for all methods and was not tuned; --tune c=0.01..100 chooses it for each inside each \
         training set"
            .to_string()
    })
}

/// `2 of 3 splits with a random 33 % to test on`.
pub fn splits_text(result: &Comparison) -> String {
    let asked = count(result.splits.splits.len(), "split", "splits");
    let splits = match result.complete {
        n if n < result.splits.splits.len() => format!("{n} of {asked}"),
        _ => asked,
    };
    let text = match result.splits.protocol {
        Protocol::KFold { folds, repeats: 1 } => format!("{splits}, {folds} folds"),
        Protocol::KFold { folds, repeats } => format!("{splits}, {folds} folds {repeats} times"),
        Protocol::Shuffle { test, .. } => {
            format!("{splits} with a random {:.0} % to test on", 100.0 * test)
        }
        Protocol::Given { .. } => format!("{splits}, given"),
        _ => result.splits.protocol.to_string(),
    };
    if result.splits.transductive { text + ", transductive" } else { text }
}

fn as_csv(result: &Comparison) -> String {
    let measures: Vec<&Measure> = result
        .rows
        .first()
        .map(|r| r.measures.0.iter().map(|(m, _)| *m).collect())
        .unwrap_or_default();
    let main = measures.first().map(|m| format!("{}_sd", m.id)).unwrap_or_default();
    let mut titles = vec!["name", "method"];
    for (k, measure) in measures.iter().enumerate() {
        titles.push(measure.id);
        if k == 0 {
            titles.push(&main);
        }
    }
    titles.extend([
        "active_kernels",
        "kernels",
        "support_percent",
        "seconds",
        "gap",
        "status",
        "primal",
        "dual",
        "at_bound",
        "total_cost",
        "integration",
    ]);
    let mut text = csv_line(titles);
    for r in &result.rows {
        let mut cells = vec![r.name.clone(), r.method.clone()];
        for (k, measure) in measures.iter().enumerate() {
            let stat = r.measures.get(measure.id);
            cells.push(stat.map_or(String::new(), |s| s.mean.to_string()));
            if k == 0 {
                let sd = stat.filter(|s| s.values.len() > 1).map(|s| s.sd.to_string());
                cells.push(sd.unwrap_or_default());
            }
        }
        cells.extend([
            r.active_kernels.mean.to_string(),
            r.kernels.to_string(),
            r.support_percent.mean.to_string(),
            r.seconds.mean.to_string(),
            r.gap.map_or(String::new(), |g| g.to_string()),
            r.status.to_string(),
            r.primal.mean.to_string(),
            r.dual.mean.to_string(),
            r.at_bound.mean.to_string(),
            r.total_cost.as_ref().map_or(String::new(), |c| c.mean.to_string()),
            r.integration.map_or(String::new(), |i| i.id().to_string()),
        ]);
        text.push_str(&csv_line(cells));
    }
    text
}

fn compare_clusters(args: &Args, mut settings: Settings) -> Result<ExitCode> {
    args.probabilities.refuse("classes to learn, not --task cluster")?;
    if args.integration || args.splits.transductive {
        return Err(misuse(
            "--integration and --transductive need something to learn, not --task cluster",
        ));
    }
    if args.costs.costs.is_some() || args.plot_cost.is_some() {
        return Err(misuse("--costs and --plot-cost need something to learn, not --task cluster"));
    }
    if args.machine.missing.is_some() {
        return Err(misuse(
            "--missing needs something to learn; clustering estimates the similarities of instances that lack a view",
        ));
    }
    let k = settings.clusters(args.clusters)?;
    let starts = settings.starts(&args.starts)?;
    let from = settings.similarities(&args.kernels, &args.graphs)?;
    let controls = !args.no_controls;
    let candidates = settings.candidates(&args.methods, controls, &from)?;
    let session = Session::start(&settings.options)?;
    let Loaded { views, labels, .. } = data::load_incomplete(&settings, &session)?;
    let labels = (!matches!(labels, Labels::Absent(_))).then_some(&labels);
    let singles = controls || args.singles;
    let spectrum = if args.plot.is_some() { picture::eigenvalues(k) } else { 0 };
    let options =
        ClusteringOptions { starts, singles, diagonals: controls, agreement: true, spectrum };
    let result = compare_candidates(
        &candidates,
        &views,
        k,
        labels,
        &options,
        &mut |_| Ok(()),
        &session.run,
    )?;
    session.clear_progress();
    let json = to_value(Told(&result))?;
    if let Some(output) = &args.output {
        write_json(output, &json)?;
    }
    if let Some(path) = &args.csv {
        write(path, clusterings_csv(&result).as_bytes())?;
    }
    if let (Some(path), Some(row)) = (&args.plot, shown(&result)) {
        let picture = Picture {
            title: &row.name,
            embedding: &row.embedding,
            clusters: Some(&row.assignments),
            labels,
            spectra: &result.spectra,
            k,
        };
        picture::draw(path, &picture, &session.run)?;
    }
    session.notes(settings.left_out(
        &args.methods,
        Task::Cluster,
        recommended(Task::Cluster).count(),
    ));
    session.notes(&result.notes);
    session.show(clusterings(&result, session.width(false)))?;
    say_written(&session, args)?;
    session.show_json(&json)?;
    Ok(session.end(result.rows.iter().map(|r| r.report.status).chain([result.status])))
}

/// The clustering of the picture.
fn shown(result: &Clusterings) -> Option<&ClusteringRow> {
    let mean = |r: &ClusteringRow| r.scores.as_ref().map_or(0.0, |s| s.nmi.mean);
    match result.scored {
        0 => result.rows.last(),
        _ => result.rows.iter().reduce(|best, r| if mean(r) > mean(best) { r } else { best }),
    }
}

fn say_written(session: &Session, args: &Args) -> Result<()> {
    let written = [&args.output, &args.csv, &args.plot, &args.plot_cost].into_iter().flatten();
    for path in written.map(|p| p as &Path) {
        session.say(format!("\nwritten to {}", path.display())).context("standard output")?;
    }
    Ok(())
}
