//! Worker processes: started, watched, and replaced where a cell was what ended them.

use crate::args::GlobalArgs;
use crate::misuse::misuse;
use crate::session::{self, say_aside};
use crate::store::{Shard, Store};
use anyhow::{Context, Result};
use cokernel::{Event, Run};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// More processes would only wait for each other.
const MOST: usize = 256;

/// Between two looks at the store, and between two lines about progress where there is no terminal.
const LOOK: Duration = Duration::from_millis(100);
const LINE: Duration = Duration::from_secs(30);

/// Between two looks whether a worker has ended.
const BLINK: Duration = Duration::from_millis(20);

/// What a worker whose caller is gone may take to give its cell back.
const GRACE: Duration = Duration::from_secs(2);

/// A worker ends when its caller does, however that ends: its standard input is then closed. A
/// byte there asks it to stop after this step.
pub fn stop_with_the_caller(run: &Run) {
    let cancel = run.cancel.clone();
    std::thread::spawn(move || {
        let mut input = std::io::stdin();
        // An error is an end, too.
        while input.read(&mut [0]).is_ok_and(|n| n > 0) {
            cancel.cancel();
        }
        cancel.cancel();
        std::thread::sleep(GRACE);
        std::process::exit(i32::from(session::INTERRUPTED));
    });
}

/// How workers are to be called. What they do stands in the store.
pub struct Call<'a> {
    /// The experiment as the user named it: paths are relative to its folder.
    pub experiment: &'a str,
    pub workers: usize,
    pub data: Option<&'a Path>,
    pub global: &'a GlobalArgs,
    pub store: &'a Path,
    /// Only these cells.
    pub shard: Option<Shard>,
}

/// A worker process.
struct Worker {
    child: Child,
    /// Closed when this process ends, whatever ends it.
    input: Option<ChildStdin>,
    said: JoinHandle<String>,
}

impl Call<'_> {
    fn start(&self) -> Result<Worker> {
        let program = std::env::current_exe().context("cannot find this program")?;
        let global = self.global;
        let mut command = Command::new(program);
        let workers = self.workers.to_string();
        command.args(["run", self.experiment, "--quiet", "--worker-of", &workers]);
        command.arg("--store").arg(self.store);
        for (flag, value) in [
            ("--seed", global.seed.map(|v| v.to_string())),
            ("--threads", global.threads.map(|v| v.to_string())),
            ("--time-limit", global.time_limit.map(|v| v.to_string())),
            ("--shard", self.shard.map(|v| v.to_string())),
        ] {
            if let Some(value) = value {
                command.args([flag, &value]);
            }
        }
        if let Some(data) = self.data {
            command.arg("--data").arg(data);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().context("cannot start a worker")?;
        let (input, error) = (child.stdin.take(), child.stderr.take());
        let said = std::thread::spawn(move || {
            let mut said = Vec::new();
            // What was read before an error is what it said.
            let _ = error.map(|mut e| e.read_to_end(&mut said));
            String::from_utf8_lossy(&said).into_owned()
        });
        Ok(Worker { child, input, said })
    }
}

/// The number of workers that was asked for, refused where it makes no sense.
pub fn check(workers: usize) -> Result<()> {
    match workers {
        0 => Err(misuse("--workers: expected at least 1, found 0")),
        n if n > MOST => Err(misuse(format!("--workers: expected at most {MOST}, found {n}"))),
        _ => Ok(()),
    }
}

/// Runs workers on the experiment `id` until all have ended; of those that ended before their work, why.
pub fn work(call: &Call<'_>, id: &str, store: &mut Store, run: &Run) -> Result<Vec<String>> {
    let line = Instant::now();
    let (quiet, number) = (call.global.quiet, call.workers);
    let mut progress = Progress { quiet, workers: number, next: line, line };
    run.tell(Event::Begin { stage: id, total: Some(store.counts()?.all() as u64) });
    let workers: Result<Vec<Worker>> = (0..call.workers).map(|_| call.start()).collect();
    let (mut workers, mut lost, mut asked) = (workers?, Vec::new(), false);
    while !workers.is_empty() {
        std::thread::sleep(BLINK);
        if run.cancel.is_cancelled() && !asked {
            asked = true;
            for input in workers.iter_mut().filter_map(|w| w.input.as_mut()) {
                // Who does not listen has ended.
                let _ = input.write_all(b".");
            }
        }
        let mut rest: Vec<Worker> = Vec::new();
        for mut worker in workers {
            let Some(status) = worker.child.try_wait().context("waiting for a worker")? else {
                rest.push(worker);
                continue;
            };
            let pid = worker.child.id();
            drop(worker.input);
            let said = worker.said.join().unwrap_or_default();
            let mut errors = said.lines().filter(|l| l.starts_with("error: "));
            let memory = said.lines().find(|l| l.starts_with("memory allocation"));
            let last = || errors.next_back().map(|l| l.trim_start_matches("error: "));
            let last = memory.or_else(last);
            let how = match last {
                Some(last) => format!("ended with {status} ({last})"),
                None => format!("ended with {status}"),
            };
            errors.for_each(say_aside);
            match ending(status) {
                _ if status.success() || asked => {}
                Ending::Crash if store.crashed(pid, &how)? => rest.push(call.start()?),
                Ending::Crash => lost.push(format!("a worker {how}")),
                Ending::Error => lost.push(last.map_or(how, str::to_string)),
            }
        }
        workers = rest;
        progress.tell(store, run);
    }
    Ok(lost)
}

/// Workers share the cores.
pub fn threads_of(workers: usize) -> Option<usize> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (workers > 1).then(|| (cores / workers).max(1))
}

struct Progress {
    quiet: bool,
    workers: usize,
    /// When the store is asked again, and when a line was printed last.
    next: Instant,
    line: Instant,
}

impl Progress {
    /// Tells the observer, and now and then the standard error if there is none.
    fn tell(&mut self, store: &Store, run: &Run) {
        let now = Instant::now();
        let watched = run.observer.is_some();
        if now < self.next || (self.quiet && !watched) {
            return;
        }
        // Progress is not worth an error; the work itself meets it, if it stays.
        let (Ok(counts), Ok(left)) = (store.counts(), store.seconds_left()) else { return };
        // Large stores are asked less often, and those of which nobody sees more than a line now and then.
        let least = if watched { LOOK } else { LINE / 10 };
        self.next = now + least.max(20 * now.elapsed());
        let left = left.map(|s| s / self.workers as f64);
        let message = left.map_or(String::new(), |s| format!("{} left", duration(s)));
        run.tell(Event::Step { done: counts.ended() as u64, message: &message });
        if !watched && self.line.elapsed() >= LINE {
            self.line = Instant::now();
            let (ended, all) = (counts.ended(), counts.all());
            say_aside(&format!("{ended} of {all} cells, {message}"));
        }
    }
}

/// `45 s`, `12 min`, `3 h 20 min`.
pub fn duration(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as u64;
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        _ if minutes < 90 => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

/// Whether a worker said itself that it ended.
enum Ending {
    Error,
    Crash,
}

fn ending(status: ExitStatus) -> Ending {
    match status.code() {
        Some(1 | 2) => Ending::Error,
        Some(code) if code == i32::from(session::INTERRUPTED) => Ending::Error,
        _ => Ending::Crash,
    }
}
