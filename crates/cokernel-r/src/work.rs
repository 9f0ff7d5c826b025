//! Running a computation: in threads of its own, and so that an interrupt ends it.

use crate::values::{number, to_r};
use cokernel::{Event, Observer, Run};
use extendr_api::prelude::*;
use extendr_api::{Error, Result};
use rayon::ThreadPool;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often interrupts are looked for, and how long a computation may take to stop before it is left behind.
const LOOK: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_millis(400);
/// Between two lines of progress.
const SHOWN: Duration = Duration::from_millis(500);

unsafe extern "C" {
    fn R_ToplevelExec(work: extern "C" fn(*mut c_void), data: *mut c_void) -> i32;
    fn R_CheckUserInterrupt();
}

extern "C" fn look(_: *mut c_void) {
    // SAFETY: called on the thread of R, under R_ToplevelExec, to which it may jump.
    unsafe { R_CheckUserInterrupt() }
}

/// Whether the user asked to stop.
fn interrupted() -> bool {
    // SAFETY: called on the thread of R alone; `look` holds nothing that a jump would leave behind.
    unsafe { R_ToplevelExec(look, std::ptr::null_mut()) == 0 }
}

/// Keeps the newest line of progress until it is printed.
#[derive(Default)]
struct Line(Mutex<(String, Option<String>)>);

impl Observer for Line {
    fn event(&self, event: &Event<'_>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Begin { stage, .. } => {
                *state = ((*stage).to_string(), Some((*stage).to_string()));
            }
            Event::Step { done, message } => {
                let message = if message.is_empty() { "" } else { &format!(": {message}") };
                state.1 = Some(format!("{} {done}{message}", state.0));
            }
            Event::End => {}
        }
    }
}

/// The threads of the last computation: the process that they belong to (after a fork there are none) and their number.
static POOL: Mutex<Option<(u32, usize, Arc<ThreadPool>)>> = Mutex::new(None);

fn threads(wanted: usize) -> Result<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut kept = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((p, n, pool)) = kept.as_ref()
        && (*p, *n) == (process, wanted)
    {
        return Ok(pool.clone());
    }
    let number = cokernel::threads_with_room(wanted).map_err(to_r)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(number).build();
    let pool = pool.map_err(|e| Error::Other(format!("threads cannot be started: {e}")))?;
    pool.install(cokernel::take_workspaces);
    let pool = Arc::new(pool);
    // Those of a parent process cannot be joined.
    std::mem::forget(kept.replace((process, wanted, pool.clone())).filter(|k| k.0 != process));
    Ok(pool)
}

/// Runs `job` with what the list `given` says: seed, threads, time_limit (seconds), memory (bytes), verbose.
///
/// # Errors
/// Those of the job; an interrupt; a panic of the job.
pub fn work<T: Send + 'static>(
    given: &List,
    job: impl FnOnce(&Run) -> cokernel::Result<T> + Send + 'static,
) -> Result<T> {
    let line = Arc::new(Line::default());
    let seed = number(given, "seed")?.unwrap_or(0.0);
    if !(seed >= 0.0 && seed.fract() == 0.0 && seed < 9e15) {
        return Err(Error::Other(format!(
            "seed: expected a whole number, 0 or more, found {seed}"
        )));
    }
    let mut run = Run::with_seed(seed as u64);
    if let Some(limit) = number(given, "time_limit")?.filter(|l| *l != f64::INFINITY) {
        let limit = Duration::try_from_secs_f64(limit);
        let expected = "time_limit: expected a number of seconds, 0 or more";
        run.time_limit = Some(limit.map_err(|_| Error::Other(expected.to_string()))?);
    }
    if let Some(memory) = number(given, "memory")? {
        run.memory = memory.max(0.0) as usize;
    }
    let verbose = given.iter().any(|(name, v)| name == "verbose" && v.as_bool() == Some(true));
    run.observer = verbose.then(|| line.clone() as Arc<dyn Observer>);
    let cancel = run.cancel.clone();
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let wanted = number(given, "threads")?.map_or(all, |t| t.clamp(1.0, 1e6) as usize);
    let pool = threads(wanted)?;
    let (send, receive) = sync_channel(1);
    pool.spawn(move || {
        // Nobody listens any more after an interrupt.
        let _ = send.send(catch_unwind(AssertUnwindSafe(|| job(&run))));
    });
    let mut printed = Instant::now();
    loop {
        match receive.recv_timeout(LOOK) {
            Ok(Ok(result)) => return result.map_err(to_r),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::Other("internal error, please report it".to_string()));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if interrupted() {
            cancel.cancel();
            let _ = receive.recv_timeout(PATIENCE);
            return Err(Error::Other("interrupted".to_string()));
        }
        if verbose && printed.elapsed() > SHOWN {
            printed = Instant::now();
            let text = line.0.lock().unwrap_or_else(PoisonError::into_inner).1.take();
            if let Some(text) = text {
                reprintln!("cokernel: {text}");
            }
        }
    }
}
