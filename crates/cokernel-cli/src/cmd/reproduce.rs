//! `cokernel reproduce`: published tables and figures re-run, ours beside theirs.

use crate::args::GlobalArgs;
use crate::experiment::{
    DATA_VARIABLE, EXAMPLE, Experiment, Outcome, SHIPPED, Source, data_folder, print,
    run as run_plan,
};
use crate::files::{write, write_json};
use crate::misuse::misuse;
use crate::session::{Options, Session};
use crate::table::Table;
use anyhow::{Context, Result};
use cokernel::Error;
use serde_json::{Value, json, to_value};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Re-run published tables and figures, ours beside theirs
///
/// A figure that differs from the published one is a finding, not a failure: the exit code is 0.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel reproduce                          what can be re-run
  cokernel reproduce lms-3.3 -o results       a table, and files with the result
  cokernel reproduce lms-fig-3.2 --sets 3     on fewer generated data sets
  cokernel reproduce all --data ~/data        all of them, those with data of your own, too
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
    /// Write result.json, table.csv, table.md and curves as SVG and PNG into this folder (with
    /// `all`, into one folder for each experiment in it)
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let options = Options {
        seed: global.seed,
        threads: global.threads,
        time_limit: global.time_limit,
        memory: None,
        quiet: global.quiet,
        json: global.json,
    };
    if args.sets == Some(0) {
        return Err(misuse("--sets: expected at least 1, found 0"));
    }
    let session = Session::start(&options)?;
    if args.example {
        session.print(EXAMPLE)?;
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
    let (place, id, text) = find(name)?;
    if args.show {
        session.print(&text)?;
        return Ok(session.end([]));
    }
    let plan = plan(&place, &id, &text, args.sets)?;
    if let Some(output) = &args.output {
        folder(output)?;
    }
    let data = data_folder(args.data.as_ref());
    if let Source::Folder(f) = &plan.data.source
        && let Err(reason) = f.find(data.as_deref())
    {
        return Err(misuse(format!("{} cannot be run: {reason}", plan.id)));
    }
    let result = one(&plan, data.as_deref(), global, &session)?;
    session.clear_progress();
    session.show(print::text(&result))?;
    if let Some(output) = &args.output {
        let names = files(&plan, &result, output)?;
        session.say(format!("\nwritten to {}: {}", output.display(), names.join(", ")))?;
    }
    session.show_json(&to_value(&result)?)?;
    Ok(session.end([result.status]))
}

/// Place in errors, id without one of its own, and text of an experiment.
fn find(name: &str) -> Result<(String, String, String)> {
    if let Some((id, text)) = SHIPPED.iter().find(|e| e.0 == name) {
        return Ok((format!("experiments/{id}.toml"), id.to_string(), text.to_string()));
    }
    let path = Path::new(name);
    if path.extension().is_none_or(|e| e != "toml") && !path.is_file() {
        let known = SHIPPED.iter().map(|e| e.0).chain(["all"]);
        return Err(Error::unknown("experiment", name, known).into());
    }
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the experiment {}", path.display()))?;
    let id = path.file_stem().map_or("experiment".into(), |s| s.to_string_lossy().into_owned());
    Ok((name.to_string(), id, text))
}

fn plan(place: &str, id: &str, text: &str, sets: Option<usize>) -> Result<Experiment> {
    let mut plan = Experiment::parse(place, id, text)?;
    if let (Some(sets), true) = (sets, plan.data.source.is_drawn()) {
        plan.data.sets = sets;
    }
    Ok(plan)
}

fn one(
    plan: &Experiment,
    data: Option<&Path>,
    global: &GlobalArgs,
    session: &Session,
) -> Result<Outcome> {
    let mut run = session.run.clone();
    run.seed = global.seed.unwrap_or(plan.protocol.seed);
    let result = run_plan(plan, data, &run)?;
    Ok(result)
}

fn all(args: &Args, global: &GlobalArgs, session: Session) -> Result<ExitCode> {
    let data = data_folder(args.data.as_ref());
    if let Some(output) = &args.output {
        folder(output)?;
    }
    let (mut results, mut skipped, mut summaries) = (Vec::new(), Vec::new(), Vec::new());
    let mut statuses = Vec::new();
    for (id, text) in SHIPPED {
        let plan = plan(&format!("experiments/{id}.toml"), id, text, args.sets)?;
        if let Source::Folder(f) = &plan.data.source
            && let Err(reason) = f.find(data.as_deref())
        {
            session.show(format!("{id}: skipped: {reason}\n"))?;
            skipped.push(json!({ "id": id, "reason": reason }));
            continue;
        }
        let result = one(&plan, data.as_deref(), global, &session)?;
        session.show(print::text(&result) + "\n")?;
        if let Some(output) = &args.output {
            let output = output.join(id);
            folder(&output)?;
            files(&plan, &result, &output)?;
        }
        summaries.push(format!("{id}: {}", print::summary(&result)));
        results.push(to_value(&result)?);
        statuses.push(result.status);
        if !result.status.is_success() {
            break;
        }
    }
    session.clear_progress();
    session.show(summaries.join("\n"))?;
    session.show_json(&json!({ "results": results, "skipped": skipped }))?;
    Ok(session.end(statuses))
}

/// Makes the folder of results, in a folder that exists.
fn folder(path: &Path) -> Result<()> {
    match std::fs::create_dir(path) {
        Err(_) if path.is_dir() => Ok(()),
        Err(e) => Err(misuse(format!("cannot make the folder {}: {e}", path.display()))),
        Ok(()) => Ok(()),
    }
}

/// Writes the files of a result; their names.
fn files(plan: &Experiment, result: &Outcome, folder: &Path) -> Result<Vec<&'static str>> {
    write_json(&folder.join("result.json"), &to_value(result)?)?;
    write(&folder.join("table.csv"), print::csv(result).as_bytes())?;
    write(&folder.join("table.md"), print::markdown(result).as_bytes())?;
    let mut names = vec!["result.json", "table.csv", "table.md"];
    let log = plan.sweep.as_ref().is_some_and(|s| s.log);
    if let Some(panels) = print::panels(result, log) {
        let (svg, png) = print::pictures(&panels)?;
        write(&folder.join("curves.svg"), svg.as_bytes())?;
        write(&folder.join("curves.png"), &png)?;
        names.extend(["curves.svg", "curves.png"]);
    }
    Ok(names)
}

fn list(session: Session) -> Result<ExitCode> {
    let mut table = Table::new(&["id", "<published as", "<what it is", "<data"]);
    let mut entries: Vec<Value> = Vec::new();
    for (id, text) in SHIPPED {
        let plan = plan(&format!("experiments/{id}.toml"), id, text, None)?;
        let data = match &plan.data.source {
            Source::Digits => "shipped".to_string(),
            Source::Toy(_) => format!("generated, sets: {}", plan.data.sets),
            Source::Folder(f) => format!("folder {}", f.name),
        };
        let source = plan.place();
        entries.push(json!({ "id": id, "source": source, "title": plan.title, "data": data }));
        table.row(vec![id.to_string(), source, plan.title, data]);
    }
    let hint = format!(
        "`cokernel reproduce ID` runs one, `cokernel reproduce all` all of them. Folders are looked \
         for below --data DIR\nor ${DATA_VARIABLE}; without, those experiments are skipped."
    );
    session.show(format!("{}\n{hint}", table.text()))?;
    session.show_json(&Value::Array(entries))?;
    Ok(session.end([]))
}
