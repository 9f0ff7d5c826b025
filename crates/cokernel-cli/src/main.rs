//! The command line of Cokernel: learn from several views on disk to a trusted model.
//!
//! Thin: one file per command under `cmd/`; every number comes from the library.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod args;
mod clustering;
mod cmd;
mod costs;
mod data;
mod pairs;
mod picture;
mod probabilities;
mod progress;
mod project;
mod report;
mod session;
mod settings;
mod signals;
mod splitting;
mod tuning;
mod workers;

use cokernel_experiments as experiment;
use cokernel_experiments::{files, input, misuse, store, system, table, tasks, visible, words};

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Learn from many similarities at once: multiple kernel learning and multi-view clustering
#[derive(Debug, Parser)]
#[command(name = "cokernel", version, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: args::GlobalArgs,
}

const AFTER_HELP: &str = "\
Start with
  cokernel demo                      the whole story on real data, in a minute
  cokernel methods                   what can be learned
  cokernel help fit                  your own files

Exit codes: 0 done, 1 failed, 2 wrong call or project file, 130 stopped by Ctrl-C, SIGTERM or
SIGHUP (the best result so far is written).";

#[derive(Debug, Subcommand)]
enum Command {
    /// Compare methods on the six digit views that come with the program
    Demo(cmd::demo::Args),
    /// Learn a model from your files
    Fit(cmd::fit::Args),
    /// Label new instances with a model
    Predict(cmd::predict::Args),
    /// Estimate the accuracy of one method on instances it has not seen
    Evaluate(cmd::evaluate::Args),
    /// Compare several methods on the same splits
    Compare(cmd::compare::Args),
    /// Cluster instances by all their views
    Cluster(cmd::cluster::Args),
    /// Embed instances by all their views, or new instances by a saved model
    Embed(cmd::embed::Args),
    /// Re-run published tables and figures, ours beside theirs
    Reproduce(cmd::reproduce::Args),
    /// Run an experiment cell by cell into a store
    Run(cmd::run::Args),
    /// Join the stores of several jobs
    Merge(cmd::merge::Args),
    /// Draw splits of instances into a file that commands and Python share
    Splits(cmd::splits::Args),
    /// How far an experiment is
    Status(cmd::status::Args),
    /// Make tables and pictures of an experiment
    Report(cmd::report::Args),
    /// Show what a model file holds
    Inspect(cmd::inspect::Args),
    /// Show how well each kernel fits the labels, without learning anything
    Kernels(cmd::kernels::Args),
    /// Tests, wins and ranks of methods from a file of their scores
    Statistics(cmd::statistics::Args),
    /// List the methods, or explain one
    Methods(cmd::methods::Args),
    /// Write toy data of the papers to files
    Toy(cmd::toy::Args),
    #[command(hide = true)]
    Worker(cmd::worker::Args),
}

fn main() -> ExitCode {
    signals::files_may_be_too_large();
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        let text = visible::on_one_line(&text);
        let _ = writeln!(std::io::stderr(), "error: a fault in cokernel, please report it: {text}");
    }));
    let cli = match parsed() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && error.kind() != ErrorKind::InvalidUtf8 => {
            // What it repeats was typed, and may hold anything.
            session::say_aside(&error.render().to_string());
            return ExitCode::from(2);
        }
        Err(error) if error.kind() == ErrorKind::InvalidUtf8 => {
            let _ = writeln!(std::io::stderr(), "error: {}", not_text(std::env::args_os()));
            return ExitCode::from(2);
        }
        Err(error) => error.exit(),
    };
    if cli.global.spreadsheet {
        files::for_spreadsheets();
    }
    let result = match cli.command {
        Command::Demo(args) => cmd::demo::run(args, &cli.global),
        Command::Fit(args) => cmd::fit::run(args, &cli.global),
        Command::Predict(args) => cmd::predict::run(args, &cli.global),
        Command::Evaluate(args) => cmd::evaluate::run(args, &cli.global),
        Command::Compare(args) => cmd::compare::run(args, &cli.global),
        Command::Cluster(args) => cmd::cluster::run(args, &cli.global),
        Command::Embed(args) => cmd::embed::run(args, &cli.global),
        Command::Reproduce(args) => cmd::reproduce::run(args, &cli.global),
        Command::Run(args) => cmd::run::run(args, &cli.global),
        Command::Merge(args) => cmd::merge::run(args, &cli.global),
        Command::Splits(args) => cmd::splits::run(args, &cli.global),
        Command::Status(args) => cmd::status::run(args, &cli.global),
        Command::Report(args) => cmd::report::run(args, &cli.global),
        Command::Inspect(args) => cmd::inspect::run(args, &cli.global),
        Command::Kernels(args) => cmd::kernels::run(args, &cli.global),
        Command::Statistics(args) => cmd::statistics::run(args, &cli.global),
        Command::Methods(args) => cmd::methods::run(args, &cli.global),
        Command::Toy(args) => cmd::toy::run(args, &cli.global),
        Command::Worker(args) => cmd::worker::run(args),
    };
    match result {
        Ok(code) => code,
        Err(error) if misuse::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            session::say_aside(&format!("error: {}", misuse::one_line(&error)));
            let code = match session::interrupted() {
                true => session::INTERRUPTED,
                false => misuse::exit_code(&error),
            };
            ExitCode::from(code)
        }
    }
}

/// Characters of a line below which help stands under what it is about.
const NARROW: usize = 72;

/// The command that was called.
fn parsed() -> Result<Cli, clap::Error> {
    let narrow = session::columns(false).is_some_and(|width| width < NARROW);
    let mut command = Cli::command().next_line_help(narrow);
    let mut matches = command.try_get_matches_from_mut(std::env::args_os())?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Which of the arguments are no text, where text is wanted.
fn not_text(arguments: impl Iterator<Item = OsString>) -> String {
    let wrong = arguments.filter(|a| a.to_str().is_none());
    let names: Vec<String> =
        wrong.map(|a| format!("'{}'", visible::on_one_line(&a.to_string_lossy()))).collect();
    format!(
        "{}: expected UTF-8 text; give the file another name, or a link to it with such a name",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    /// It was not said which argument is meant.
    #[cfg(unix)]
    #[test]
    fn arguments_that_are_no_text_are_named() {
        use std::ffi::OsString;
        use std::os::unix::ffi::OsStringExt;
        let arguments = [b"fit".to_vec(), b"a=b\xff.csv".to_vec()].map(OsString::from_vec);
        let said = super::not_text(arguments.into_iter());
        assert!(said.starts_with("'a=b\u{fffd}.csv': expected UTF-8 text"), "{said}");
    }

    #[test]
    fn the_flags_are_consistent() {
        super::Cli::command().debug_assert();
    }
}
