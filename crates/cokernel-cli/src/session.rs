//! One run of the program: seed, threads, limits, progress, signals and what goes where.

use crate::misuse::misuse;
use crate::progress::Progress;
use crate::signals::keeps_after_hang_up;
use crate::table::fold_sentences;
use crate::visible::{escaped_json, on_one_line, visible};
use anyhow::Result;
use cokernel::{
    Cancel, Observer, Report, Run, Status, address_space, brief, take_workspaces, threads_with_room,
};
use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Exit code after Ctrl-C, as shells have it; after SIGTERM and SIGHUP, too.
pub const INTERRUPTED: u8 = 130;

/// Signals closer to each other are one.
const ONE_SIGNAL: Duration = Duration::from_millis(200);

/// More threads would only wait for each other.
const MAX_THREADS: usize = 1024;

/// Where the number of threads comes from without a flag.
const THREADS_VARIABLE: &str = "RAYON_NUM_THREADS";

/// Set once per process, for the exit code of errors that follow an interruption.
static CANCEL: OnceLock<Cancel> = OnceLock::new();

/// Whether Ctrl-C was pressed, or the program was asked to end.
pub fn interrupted() -> bool {
    CANCEL.get().is_some_and(Cancel::is_cancelled)
}

/// Lines on the standard error, in the width of its terminal.
pub fn say_aside(text: &str) {
    let text = visible(text.trim_end_matches('\n'));
    // Nothing can be said if the standard error is gone.
    let _ = writeln!(std::io::stderr(), "{}", folded(&text, columns(true), 2));
}

/// Sentences in lines of `width` characters.
fn folded(text: &str, width: Option<usize>, more: usize) -> Cow<'_, str> {
    width.map_or(Cow::Borrowed(text), |w| fold_sentences(text, w, more).into())
}

/// What the variable `COLUMNS` says, or the width of the terminal of the standard output, or of the standard error for what
/// stands `aside`.
pub fn columns(aside: bool) -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok());
    let found = || match aside {
        true => terminal_size::terminal_size_of(std::io::stderr()),
        false => terminal_size::terminal_size_of(std::io::stdout()),
    };
    said.filter(|w| *w > 0).or_else(|| found().map(|(width, _)| usize::from(width.0)))
}

/// What is not about data or methods.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Seed of every random choice.
    pub seed: Option<u64>,
    /// Number of threads; all cores if not given.
    pub threads: Option<usize>,
    /// Seconds for one computation.
    pub time_limit: Option<f64>,
    /// Bytes for kernels.
    pub memory: Option<usize>,
    /// No progress, no remarks.
    pub quiet: bool,
    /// Tables with all their columns.
    pub wide: bool,
    /// The result as JSON, and nothing else.
    pub json: bool,
}

/// A started run.
pub struct Session {
    /// Passed to the library.
    pub run: Run,
    json: bool,
    quiet: bool,
    wide: bool,
    progress: Option<Arc<Progress>>,
}

/// Starts the threads that were asked for. Where the address space is bounded, no more than it has room
/// for, with this one among them.
fn start_threads(asked: Option<usize>, quiet: bool) -> Result<()> {
    let builder = rayon::ThreadPoolBuilder::new();
    if address_space().is_none() {
        if let Some(threads) = asked {
            builder.num_threads(threads).build_global()?;
        }
        return Ok(());
    }
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let variable = std::env::var(THREADS_VARIABLE).ok().and_then(|text| text.parse().ok());
    let wanted = asked.or(variable.filter(|n| *n > 0)).unwrap_or(all);
    let threads = threads_with_room(wanted)?;
    if threads < wanted && !quiet {
        say_aside(&format!(
            "note: the address space that this process may use (ulimit -v) has room for {} of {}",
            threads,
            crate::table::count(wanted, "thread", "threads")
        ));
    }
    builder.num_threads(threads).use_current_thread().build_global()?;
    take_workspaces();
    Ok(())
}

impl Session {
    /// Sets threads, limits, Ctrl-C and progress.
    pub fn start(options: &Options) -> Result<Self> {
        if let Some(threads) = options.threads {
            if threads == 0 {
                return Err(misuse("threads: expected at least 1, found 0"));
            }
            if threads > MAX_THREADS {
                let most = format!("expected at most {MAX_THREADS}, found {threads}");
                return Err(misuse(format!("threads: {most}; more than cores is of no use")));
            }
        } else if let Some(text) = std::env::var_os(THREADS_VARIABLE) {
            let text = text.to_string_lossy();
            if text.parse::<u128>().is_ok_and(|n| n > MAX_THREADS as u128) {
                let most = format!("expected at most {MAX_THREADS}, found {text}");
                return Err(misuse(format!("${THREADS_VARIABLE}: {most}")));
            }
        }
        start_threads(options.threads, options.quiet)?;
        let mut run = Run::with_seed(options.seed.unwrap_or(0));
        if let Some(memory) = options.memory {
            run.memory = memory;
        }
        if let Some(seconds) = options.time_limit {
            if seconds.is_nan() || seconds <= 0.0 {
                let problem = format!("expected seconds greater than 0, found {}", brief(seconds));
                return Err(misuse(format!("time limit: {problem}")));
            }
            // A limit that no clock can hold is none.
            run.time_limit = Duration::try_from_secs_f64(seconds).ok();
        }
        let cancel = CANCEL.get_or_init(|| run.cancel.clone()).clone();
        keeps_after_hang_up(|| {
            let mut first: Option<Instant> = None;
            ctrlc::set_handler(move || {
                // `timeout` and some batch systems send a signal twice at once: to the process, and to its group.
                if first.is_some_and(|at| at.elapsed() < ONE_SIGNAL) {
                    return;
                }
                if cancel.is_cancelled() {
                    std::process::exit(i32::from(INTERRUPTED));
                }
                first = Some(Instant::now());
                cancel.cancel();
                let text = "\nstopping after this step; press Ctrl-C again to stop at once";
                let _ = writeln!(std::io::stderr(), "{text}");
            })
        })?;
        let watched = !options.quiet && std::io::stderr().is_terminal();
        let progress = watched.then(Progress::start);
        run.observer = progress.clone().map(|p| p as Arc<dyn Observer>);
        let Options { json, quiet, wide, .. } = *options;
        Ok(Session { run, json, quiet, wide, progress })
    }

    /// Characters of a line that tables keep to: what the variable `COLUMNS` says, or the width of the terminal of the
    /// standard output, or of the standard error for what stands `aside`. `None` without both, or with `--wide`.
    pub fn width(&self, aside: bool) -> Option<usize> {
        if self.wide { None } else { columns(aside) }
    }

    /// A remark on the standard output: not with `--quiet` or `--json`.
    pub fn say(&self, text: impl AsRef<str>) -> Result<()> {
        if self.quiet { Ok(()) } else { self.show(text) }
    }

    /// The result for people on the standard output, its sentences in the width of the terminal: not with `--json`.
    pub fn show(&self, text: impl AsRef<str>) -> Result<()> {
        if !self.json {
            self.print(&folded(&visible(text.as_ref()), self.width(false), 0))?;
        }
        Ok(())
    }

    /// A table for people and programs on the standard output: not with `--json`. To a file or
    /// another program it goes as it is.
    pub fn show_table(&self, text: &str) -> Result<()> {
        match (self.json, std::io::stdout().is_terminal()) {
            (true, _) => Ok(()),
            (false, true) => self.print(&visible(text)),
            (false, false) => self.print(text),
        }
    }

    /// The result for programs on the standard output: only with `--json`.
    pub fn show_json(&self, value: &serde_json::Value) -> Result<()> {
        if self.json {
            self.print(&escaped_json(&serde_json::to_string_pretty(value)?))?;
        }
        Ok(())
    }

    fn print(&self, text: &str) -> Result<()> {
        let mut out = std::io::stdout().lock();
        let text = text.trim_end_matches('\n').as_bytes();
        let written = out.write_all(text).and_then(|()| out.write_all(b"\n"));
        match written.and_then(|()| out.flush()) {
            // After a hang-up nobody reads, and the files are still to be written.
            Err(_) if interrupted() => Ok(()),
            done => Ok(done?),
        }
    }

    /// Sentences that the user should read, on the standard error.
    pub fn notes<S: AsRef<str>>(&self, notes: impl IntoIterator<Item = S>) {
        for note in notes {
            self.aside(&format!("note: {}", on_one_line(note.as_ref())));
        }
    }

    /// Sentences that the user must not overlook, on the standard error.
    pub fn warnings<'a>(&self, warnings: impl IntoIterator<Item = &'a String>) {
        for warning in warnings {
            self.aside(&format!("warning: {}", on_one_line(warning)));
        }
    }

    /// What a report has to say, on the standard error.
    pub fn remarks(&self, report: &Report) {
        self.warnings(&report.warnings);
        self.notes(&report.notes);
    }

    /// What accompanies a result that is written to the standard output, on the standard error.
    pub fn aside(&self, text: &str) {
        if !self.quiet {
            say_aside(text);
        }
    }

    /// Removes the progress bar before results are printed.
    pub fn clear_progress(&self) {
        if let Some(progress) = &self.progress {
            progress.finish();
        }
    }

    /// Ends the progress display; the exit code of a run that ended with these states.
    pub fn end(self, statuses: impl IntoIterator<Item = Status>) -> ExitCode {
        self.clear_progress();
        let stopped = statuses.into_iter().any(|s| s == Status::Interrupted);
        if stopped || interrupted() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS }
    }
}
