//! Running a computation: without the interpreter lock, in its own threads, and so that Ctrl-C
//! ends it.

use cokernel::scale::Workers;
use cokernel::{Cancel, Error, Event, Observer, Result};
use pyo3::exceptions::{PyMemoryError, PyOSError, PyRuntimeError, PyTimeoutError, PyValueError};
use pyo3::prelude::*;
use rayon::ThreadPool;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often signals are looked for.
const LOOK: Duration = Duration::from_millis(50);

/// How long an interrupted computation may take to stop before it is left behind.
const PATIENCE: Duration = Duration::from_millis(400);

/// Everything that is not a hyper-parameter.
#[pyclass(frozen, module = "cokernel._native")]
pub struct Run {
    seed: u64,
    threads: usize,
    time_limit: Option<Duration>,
    memory: Option<usize>,
    verbose: bool,
    workers: Option<Arc<Workers>>,
}

#[pymethods]
impl Run {
    /// Seed, number of threads (at least 1), seconds, bytes for kernels, progress on stderr, and who computes fits towards
    /// landmarks.
    #[new]
    #[pyo3(signature = (seed=0, threads=1, time_limit=None, memory=None, verbose=false, workers=None))]
    fn new(
        seed: u64,
        threads: usize,
        time_limit: Option<f64>,
        memory: Option<usize>,
        verbose: bool,
        workers: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let time_limit = match time_limit.map(Duration::try_from_secs_f64).transpose() {
            Ok(limit) => limit,
            Err(_) => {
                let problem = "expected a number of seconds, 0 or more (up to 1.8e19), or None";
                return Err(to_py(Error::parameter("time_limit", problem)));
            }
        };
        let workers = workers.map(|w| crate::workers::workers(&w).map(Arc::new)).transpose()?;
        Ok(Run { seed, threads: threads.max(1), time_limit, memory, verbose, workers })
    }
}

impl Run {
    /// The same after so many seconds of its time.
    pub fn without(&self, seconds: f64) -> Self {
        let used = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        let time_limit = self.time_limit.map(|limit| limit.saturating_sub(used));
        Run { time_limit, workers: self.workers.clone(), ..*self }
    }
}

/// An error of the library as Python knows it: `OSError` where the system refused, `MemoryError`
/// where there is no room, `TimeoutError` where time was up before there was a result, else
/// `ValueError`, with the same sentence. One about a parameter has the attributes `parameter` and
/// `problem`, for the estimators, which have other names for some.
pub fn to_py(error: Error) -> PyErr {
    let sentence = error.to_string();
    match error {
        Error::Io { .. } => PyOSError::new_err(sentence),
        Error::Memory { .. } => PyMemoryError::new_err(sentence),
        Error::Stopped { .. } => PyTimeoutError::new_err(sentence),
        Error::Parameter { name, problem } => Python::attach(|py| {
            let raised = PyValueError::new_err(sentence);
            let value = raised.value(py);
            let told = value.setattr("parameter", name);
            told.and_then(|()| value.setattr("problem", problem)).err().unwrap_or(raised)
        }),
        Error::Unknown { kind: "parameter", name, .. } => Python::attach(|py| {
            let raised = PyValueError::new_err(sentence);
            raised.value(py).setattr("unknown", name).err().unwrap_or(raised)
        }),
        _ => PyValueError::new_err(sentence),
    }
}

/// Keeps the newest line of progress until it is printed.
#[derive(Default)]
struct Line(Mutex<(String, Option<u64>, Option<String>)>);

impl Observer for Line {
    fn event(&self, event: &Event<'_>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Begin { stage, total } => {
                *state = ((*stage).to_string(), *total, Some((*stage).to_string()));
            }
            Event::Step { done, message } => {
                let of = state.1.map_or(String::new(), |total| format!(" of {total}"));
                let message = if message.is_empty() { "" } else { &format!(": {message}") };
                state.2 = Some(format!("{} {done}{of}{message}", state.0));
            }
            Event::End => {}
        }
    }
}

impl Line {
    fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).2.take()
    }
}

/// Threads that wait for the next computation: the process that they belong to, their number, and
/// they themselves.
static IDLE: Mutex<Vec<(u32, usize, ThreadPool)>> = Mutex::new(Vec::new());

/// Threads for one computation, those of an earlier one if some wait. New threads for every call
/// would take memory that the allocator keeps for each. After a fork there are none to reuse.
fn threads(number: usize) -> PyResult<ThreadPool> {
    let process = std::process::id();
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(place) = idle.iter().position(|(p, n, _)| (*p, *n) == (process, number)) {
        return Ok(idle.swap_remove(place).2);
    }
    drop(idle);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(cokernel::threads_with_room(number).map_err(to_py)?)
        .build()
        .map_err(|e| PyRuntimeError::new_err(format!("threads cannot be started: {e}")))?;
    pool.install(cokernel::take_workspaces);
    Ok(pool)
}

/// Keeps threads for the next computation.
fn give_back(number: usize, pool: ThreadPool) {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    idle.push((std::process::id(), number, pool));
}

/// What a computation ended with.
type Outcome<T> = std::thread::Result<Result<T>>;

/// Runs `job` in `run.threads` threads of its own. Until it ends the interpreter is free; signals
/// are looked for every 50 ms. After a signal the job is asked to stop; one that does not at once
/// (a kernel matrix being filled) goes on unseen until its next look at the flag.
///
/// # Errors
/// Those of the job; what a signal handler raised; a panic of the job as `RuntimeError`.
pub fn work<T: Send + 'static>(
    py: Python<'_>,
    run: &Run,
    job: impl FnOnce(&cokernel::Run) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let line = Arc::new(Line::default());
    let mut inner = cokernel::Run::with_seed(run.seed);
    inner.time_limit = run.time_limit;
    inner.memory = run.memory.unwrap_or(inner.memory);
    inner.workers.clone_from(&run.workers);
    inner.observer = run.verbose.then(|| line.clone() as Arc<dyn Observer>);
    let cancel = inner.cancel.clone();
    let pool = threads(run.threads)?;
    let (send, receive) = sync_channel::<Outcome<T>>(1);
    pool.spawn(move || {
        // Nobody listens any more if the caller gave up; then the result is not wanted.
        let _ = send.send(catch_unwind(AssertUnwindSafe(|| job(&inner))));
    });
    let receive = Mutex::new(receive);
    let wait = |time: Duration| {
        let next = || receive.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time);
        py.detach(next)
    };
    let mut printed = Instant::now();
    loop {
        match wait(LOOK) {
            Ok(Ok(result)) => {
                give_back(run.threads, pool);
                return result.map_err(to_py);
            }
            Ok(Err(panic)) => return Err(internal(panic.as_ref())),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(internal(&"no answer")),
        }
        if let Err(raised) = py.check_signals() {
            stop(&cancel, &wait);
            return Err(raised);
        }
        if run.verbose && printed.elapsed() > Duration::from_millis(500) {
            printed = Instant::now();
            if let Some(text) = line.take() {
                let stderr = py.import("sys")?.getattr("stderr")?;
                stderr.call_method1("write", (format!("cokernel: {text}\n"),))?;
            }
        }
    }
}

fn stop<T>(cancel: &Cancel, wait: &impl Fn(Duration) -> std::result::Result<T, RecvTimeoutError>) {
    cancel.cancel();
    // Whatever it is, it is not wanted any more.
    let _ = wait(PATIENCE);
}

fn internal(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("unknown");
    PyRuntimeError::new_err(format!("internal error, please report it: {text}"))
}
