//! `cokernel reproduce`: published tables and figures re-run, ours beside theirs.

use super::run::workers::{self, Call};
use crate::args::GlobalArgs;
use crate::experiment::{
    DATA_VARIABLE, Data, EXAMPLE, Experiment, MOST_SETS, Manner, Outcome, SHIPPED, Source,
    Specification, Stored, data_folder, print, reproduction, reproduction::Skipped,
    run as run_plan,
};
use crate::files::{check_place, folder, write, write_json};
use crate::misuse::misuse;
use crate::report::in_lines;
use crate::session::{Options, Session};
use crate::store::Store;
use crate::system::available_memory;
use crate::table::Table;
use anyhow::{Result, anyhow};
use cokernel::json::Told;
use cokernel::{Run, Status};
use serde_json::{Value, json, to_value};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Re-run published tables and figures, ours beside theirs
///
/// A figure that differs from the published one is a finding, not a failure: the exit code is 0.
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "\
Examples
  cokernel reproduce                          what can be re-run
  cokernel reproduce lms-3.3 -o results       a table, and files with the result
  cokernel reproduce lms-fig-3.2 --sets 3     on fewer generated data sets
  cokernel reproduce lms-5.2-sonar --repeats 2 --data ~/data
                                              on fewer random splits
  cokernel reproduce all --data ~/data        all of them, those with data of your own, too
  cokernel reproduce all --quick              the same shortened, to see that everything runs
  cokernel reproduce all --store kept --page reproduction.md
                                              as a page; stopped, it continues where it was
  cokernel reproduce all --store kept --workers 2
                                              by two processes side by side
  cokernel reproduce my.toml                  your own experiment; --example shows how to write it")]
pub struct Args {
    /// The experiment, `all`, or a file of your own
    #[arg(value_name = "ID|FILE")]
    experiment: Option<String>,
    /// List the experiments
    #[arg(long)]
    list: bool,
    /// Print the file of the experiment instead of running it
    #[arg(long, requires = "experiment")]
    show: bool,
    /// Print an experiment file that explains all keys
    #[arg(long, conflicts_with_all = ["experiment", "list"])]
    example: bool,
    /// The folder of data sets that do not come with the program [default: $COKERNEL_DATA]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Number of generated data sets, instead of that in the file
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    sets: Option<usize>,
    /// Number of repetitions of the splits, instead of that in the file
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    repeats: Option<usize>,
    /// A shortened run of a few minutes, to see that everything runs: at most two drawn data sets, one split, 150
    /// instances, three values of a curve or grid; nothing is compared with the published figures
    #[arg(long, conflicts_with_all = ["sets", "repeats"])]
    quick: bool,
    /// Write result.json, table.csv, table.md and curves as SVG and PNG into this folder (with
    /// `all`, into one folder for each experiment in it)
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Keep the results cell by cell in this folder, one store for each experiment: a run that was
    /// stopped continues there, and `cokernel report` makes pages of them
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Number of processes that work side by side on the stores
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        requires = "store",
        allow_negative_numbers = true
    )]
    workers: usize,
    /// Write a page of all figures, ours beside theirs, to this Markdown file
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let options = Options {
        seed: global.seed,
        threads: global.threads,
        time_limit: global.time_limit,
        memory: None,
        quiet: global.quiet,
        wide: global.wide,
        json: global.json,
    };
    match args.sets {
        Some(0) => return Err(misuse("--sets: expected at least 1, found 0")),
        Some(n) if n > MOST_SETS => {
            return Err(misuse(format!("--sets: expected at most {MOST_SETS}, found {n}")));
        }
        _ => {}
    }
    if args.repeats == Some(0) {
        return Err(misuse("--repeats: expected at least 1, found 0"));
    }
    workers::check(args.workers)?;
    let session = Session::start(&options)?;
    if args.example {
        session.show_table(EXAMPLE)?;
        return Ok(session.end([]));
    }
    let Some(name) = args.experiment.as_deref().filter(|_| !args.list) else {
        return list(session);
    };
    if name == "all" && args.show {
        return Err(misuse("--show: name one experiment"));
    }
    if name == "all" {
        return all(&args, global, session);
    }
    if args.show {
        session.show_table(&find(name)?.text)?;
        return Ok(session.end([]));
    }
    let (spec, plan) = planned(name, &args)?;
    if let Some(output) = &args.output {
        folder(output)?;
    }
    let data = data_folder(args.data.as_ref());
    if let Some(reason) = plan.absent(data.as_deref()) {
        return Err(misuse(format!("{} cannot be run: {reason}", plan.id)));
    }
    if let Some(page) = &args.page {
        check_place(page)?;
    }
    if let Some(store) = &args.store {
        folder(store)?;
    }
    let (results, trouble) = one(&spec, &plan, &args, data.as_deref(), global, &session)?;
    if let Some(trouble) = trouble {
        return Err(anyhow!(trouble));
    }
    session.clear_progress();
    write_page(args.page.as_deref(), &results, &[], false)?;
    for (i, result) in results.iter().enumerate() {
        let apart = if i > 0 { "\n" } else { "" };
        session.show(apart.to_string() + &print::text(result, session.width(false)))?;
    }
    if let Some(output) = &args.output {
        let names = files(&plan, &results, output)?;
        session.say(format!("\nwritten to {}: {}", output.display(), names.join(", ")))?;
    }
    session.show_json(&json_of(&results)?)?;
    Ok(session.end(results.iter().map(|r| r.status)))
}

/// A result, or the list of those of several data sets.
fn json_of(results: &[Outcome]) -> Result<Value> {
    match results {
        [one] => Ok(to_value(Told(one))?),
        several => Ok(to_value(Told(several))?),
    }
}

/// The specification with this name; `all` is known, too.
fn find(name: &str) -> Result<Specification> {
    Specification::find(name, &["all"])
}

/// The specification and its plan, with the numbers of sets and repetitions that are asked for, where it has such.
fn planned(name: &str, args: &Args) -> Result<(Specification, Experiment)> {
    let spec = find(name)?;
    let spec = if args.quick { spec.quick()? } else { spec };
    spec.with(args.sets, args.repeats)
}

/// What an experiment gives; beside it, where a cell has no result, why.
fn one(
    spec: &Specification,
    plan: &Experiment,
    args: &Args,
    data: Option<&Path>,
    global: &GlobalArgs,
    session: &Session,
) -> Result<(Vec<Outcome>, Option<String>)> {
    let mut run = session.run.clone();
    run.seed = global.seed.unwrap_or(plan.protocol.seed);
    spec.check_folds(plan, data, run.seed)?;
    let Some(store) = &args.store else { return Ok((run_plan(plan, data, &run)?, None)) };
    // Beside the whole results, which it does not replace.
    let quick = if plan.quick { "-quick" } else { "" };
    let path = store.join(format!("{}{quick}.sqlite", plan.id));
    if args.workers > 1 {
        let watch = run.watch();
        side_by_side((spec, plan), &path, args, data, global, (session, &run))?;
        run = run.remaining(&watch);
    }
    let manner = Manner { update: true, ..Manner::default() };
    let (stored, mended) =
        Stored::run(&path, (spec, spec.parse()?), data, available_memory(), manner, &run)?;
    session.notes(mended);
    let trouble = stored.troubles.first().map(|t| {
        let (again, path) = ("`cokernel run --retry` tries it again", path.display());
        format!("{}: {} (store {path}; {again})", t.label, t.error)
    });
    Ok((stored.collected.into_iter().map(|c| c.outcome).collect(), trouble))
}

/// Computes the cells that a store lacks by several processes. What they leave, such as cells that did not fit into
/// the memory of one of several, is for this one.
fn side_by_side(
    (spec, plan): (&Specification, &Experiment),
    path: &Path,
    args: &Args,
    data: Option<&Path>,
    global: &GlobalArgs,
    (session, run): (&Session, &Run),
) -> Result<()> {
    let cells = plan.cells(data, run.seed)?;
    let (mut store, mended) = Store::prepare(path, spec, plan, &cells, run.seed, true)?;
    session.notes(mended);
    store.again("refused")?;
    let left = |store: &Store| store.counts().map(|c| c.waiting + c.running);
    if left(&store)? == 0 {
        return Ok(());
    }
    let experiment = args.experiment.as_deref().filter(|e| *e != "all").unwrap_or(&plan.id);
    let call = Call { experiment, workers: args.workers, data, global, store: path, shard: None };
    let lost = workers::work(&call, &plan.id, &mut store, run)?;
    if !lost.is_empty() && left(&store)? > 0 {
        return Err(anyhow!("{}; run it again to continue", lost.join("; ")));
    }
    session.notes(lost);
    Ok(())
}

fn write_page(
    page: Option<&Path>,
    results: &[Outcome],
    skipped: &[Skipped],
    all: bool,
) -> Result<()> {
    match page {
        Some(page) => write(page, reproduction::page(results, skipped, all)?.as_bytes()),
        None => Ok(()),
    }
}

fn all(args: &Args, global: &GlobalArgs, session: Session) -> Result<ExitCode> {
    let data = data_folder(args.data.as_ref());
    if let Some(output) = &args.output {
        folder(output)?;
    }
    if let Some(page) = &args.page {
        check_place(page)?;
    }
    if let Some(store) = &args.store {
        folder(store)?;
    }
    let (mut results, mut skipped, mut summaries) = (Vec::new(), Vec::new(), Vec::new());
    let (mut statuses, mut all, mut failed) = (Vec::new(), Vec::new(), false);
    let mut skip = |plan: &Experiment, reason: String| {
        let (id, paper, table) = (plan.id.clone(), plan.paper.clone(), plan.table.clone());
        skipped.push(Skipped { id, paper, table, reason });
    };
    for (id, _) in SHIPPED {
        let (spec, plan) = planned(id, args)?;
        if statuses.iter().any(|s: &Status| !s.is_success()) {
            skip(&plan, "the run was stopped before it; the same command continues".to_string());
            continue;
        }
        if let Some(reason) = plan.absent(data.as_deref()) {
            session.show(format!("{id}: skipped: {reason}\n"))?;
            skip(&plan, reason);
            continue;
        }
        let (found, trouble) = one(&spec, &plan, args, data.as_deref(), global, &session)?;
        if let Some(reason) = trouble {
            // The others are told all the same.
            session.notes([&reason]);
            skip(&plan, reason);
            failed = true;
            continue;
        }
        for result in &found {
            session.show(print::text(result, session.width(false)) + "\n")?;
            summaries.push(format!("{id}: {}", print::summary(result)));
            statuses.push(result.status);
        }
        if let Some(output) = &args.output {
            let output = output.join(id);
            folder(&output)?;
            files(&plan, &found, &output)?;
        }
        results.push(json_of(&found)?);
        all.extend(found);
    }
    session.clear_progress();
    write_page(args.page.as_deref(), &all, &skipped, true)?;
    session.show(summaries.join("\n"))?;
    let of = |s: &Skipped| json!({ "id": s.id, "reason": s.reason });
    let skipped: Vec<Value> = skipped.iter().map(of).collect();
    session.show_json(&json!({ "results": results, "skipped": skipped }))?;
    let code = session.end(statuses);
    Ok(if failed && code == ExitCode::SUCCESS { ExitCode::FAILURE } else { code })
}

/// Writes the files of results, one for each data set; their names.
fn files(plan: &Experiment, results: &[Outcome], folder: &Path) -> Result<Vec<&'static str>> {
    write_json(&folder.join("result.json"), &json_of(results)?)?;
    let csv: Vec<String> = results.iter().map(print::csv).collect();
    write(&folder.join("table.csv"), csv.join("\n").as_bytes())?;
    let markdown: Vec<String> =
        results.iter().map(|r| print::markdown(r, print::summary(r))).collect();
    write(&folder.join("table.md"), markdown.join("\n").as_bytes())?;
    let mut names = vec!["result.json", "table.csv", "table.md"];
    let log = plan.sweep.as_ref().is_some_and(|s| s.log);
    let panels: Vec<_> = results.iter().flat_map(|r| print::panels(r, log)).flatten().collect();
    if !panels.is_empty() {
        let (svg, png) = print::pictures(&panels)?;
        write(&folder.join("curves.svg"), svg.as_bytes())?;
        write(&folder.join("curves.png"), &png)?;
        names.extend(["curves.svg", "curves.png"]);
    }
    Ok(names)
}

fn where_from(data: &Data) -> String {
    match &data.source {
        Source::Digits => "shipped".to_string(),
        Source::Toy(_) => format!("generated, sets: {}", data.sets),
        Source::Folder(f) => format!("folder {}", f.name),
        Source::Files(_) => "files".to_string(),
    }
}

fn list(session: Session) -> Result<ExitCode> {
    let mut table = Table::new(&["id", "<published as", "<what it is", "<data"]);
    let mut entries: Vec<Value> = Vec::new();
    for (id, _) in SHIPPED {
        let (_, plan) = planned(id, &Args::default())?;
        let data: Vec<String> = plan.data.iter().map(where_from).collect();
        let data = data.join(", ");
        let source = plan.place();
        entries.push(json!({ "id": id, "source": source, "title": plan.title, "data": data }));
        table.row(vec![id.to_string(), source, plan.title, data]);
    }
    let hint = format!(
        "`cokernel reproduce ID` runs one, `cokernel reproduce all` all of them. Folders are looked \
         for below --data DIR\nor ${DATA_VARIABLE}; without, those experiments are skipped."
    );
    // Sources are left out where folding is not enough.
    let width = session.width(false);
    let fits = |text: &str| width.is_none_or(|w| text.lines().all(|l| l.chars().count() <= w));
    let (mut shown, _) = table.clone().fitting(width, &[]);
    if !fits(&shown) {
        shown = in_lines(table, width, &["published as"]);
    }
    session.show(format!("{shown}\n{hint}"))?;
    session.show_json(&Value::Array(entries))?;
    Ok(session.end([]))
}
