//! Worker processes: started, watched, and replaced where a cell was what ended them.

use super::Args;
use crate::args::GlobalArgs;
use crate::session::{self, say_aside};
use crate::store::Store;
use anyhow::{Context, Result};
use cokernel::Run;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

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

/// How this program was called.
pub struct Call<'a> {
    pub args: &'a Args,
    pub global: &'a GlobalArgs,
    pub store: &'a Path,
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
        let (args, global) = (self.args, self.global);
        let mut command = Command::new(program);
        let workers = args.workers.to_string();
        command.args(["run", &args.experiment, "--quiet", "--worker-of", &workers]);
        command.arg("--store").arg(self.store);
        for (flag, value) in [
            ("--seed", global.seed.map(|v| v.to_string())),
            ("--threads", global.threads.map(|v| v.to_string())),
            ("--time-limit", global.time_limit.map(|v| v.to_string())),
        ] {
            if let Some(value) = value {
                command.args([flag, &value]);
            }
        }
        if let Some(data) = &args.data {
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

/// Runs workers until all have ended; of those that ended before their work, why.
pub fn work(
    call: &Call<'_>,
    store: &mut Store,
    run: &Run,
    tell: &mut dyn FnMut(&Store, &Run),
) -> Result<Vec<String>> {
    let workers: Result<Vec<Worker>> = (0..call.args.workers).map(|_| call.start()).collect();
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
        tell(store, run);
    }
    Ok(lost)
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
