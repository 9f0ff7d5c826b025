//! [`Processes`]: worker processes of our own on this machine.
//!
//! A worker is any program that calls [`serve`] with what it reads and writes, such as `cokernel worker`. It gets tasks as
//! lines, and answers each with a byte (1 an answer, 0 a sentence about what is wrong), the number of bytes (8, little-endian) and
//! these. A worker that ends is started again, and its task given to it anew, [`TRIES`] times.

use super::workers::{Executor, answer};
use crate::{Error, Result};
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often a task is given to a worker that ends without an answer.
const TRIES: usize = 6;

/// How often a stop is looked for.
const LOOK: Duration = Duration::from_millis(20);

/// Numbers of tasks, with their answers.
type Answers = Vec<(usize, Vec<u8>)>;

/// A worker that runs.
#[derive(Debug)]
struct Worker {
    child: Arc<Mutex<Child>>,
    tasks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Worker {
    fn start(command: &[OsString]) -> io::Result<Self> {
        let (program, args) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let tasks = child.stdin.take().ok_or_else(gone)?;
        let answers = BufReader::new(child.stdout.take().ok_or_else(gone)?);
        Ok(Worker { child: Arc::new(Mutex::new(child)), tasks, answers })
    }

    fn ask(&mut self, task: &str) -> io::Result<(u8, Vec<u8>)> {
        self.tasks.write_all(format!("{task}\n").as_bytes())?;
        self.tasks.flush()?;
        let (mut said, mut length) = ([0], [0; 8]);
        self.answers.read_exact(&mut said)?;
        self.answers.read_exact(&mut length)?;
        let mut bytes = Vec::new();
        let length = u64::from_le_bytes(length);
        let read = (&mut self.answers).take(length).read_to_end(&mut bytes)?;
        match read as u64 == length {
            true => Ok((said[0], bytes)),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It ends when its tasks end; at once if it is at work.
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Processes on this machine that are started when they are needed, and end with this.
#[derive(Debug)]
pub struct Processes {
    command: Vec<OsString>,
    workers: Vec<Mutex<Option<Worker>>>,
    /// Of the workers that run, to end them while others wait for their answers.
    running: Mutex<Vec<Option<Arc<Mutex<Child>>>>>,
    started: AtomicUsize,
}

impl Processes {
    /// So many (at least one) processes of a program with arguments.
    pub fn new(command: impl IntoIterator<Item = impl Into<OsString>>, count: usize) -> Self {
        let command = command.into_iter().map(Into::into).collect();
        let count = count.max(1);
        let workers = (0..count).map(|_| Mutex::new(None)).collect();
        let running = Mutex::new((0..count).map(|_| None).collect());
        Processes { command, workers, running, started: AtomicUsize::new(0) }
    }

    /// How many processes were started, again included.
    pub fn started(&self) -> usize {
        self.started.load(Ordering::Relaxed)
    }

    /// The numbers by which the system knows the workers that run.
    pub fn running(&self) -> Vec<u32> {
        self.children()
            .iter()
            .map(|c| c.lock().unwrap_or_else(PoisonError::into_inner).id())
            .collect()
    }

    fn children(&self) -> Vec<Arc<Mutex<Child>>> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.iter().flatten().cloned().collect()
    }

    /// The answer to a task by this worker, started if it does not run; `None` once a stop was asked for.
    fn ask(&self, w: usize, task: &str, over: &AtomicBool) -> Result<Option<Vec<u8>>> {
        let mut worker = self.workers[w].lock().unwrap_or_else(PoisonError::into_inner);
        let mut last = String::new();
        for _ in 0..TRIES {
            if over.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if worker.is_none() {
                let new = Worker::start(&self.command).map_err(|e| {
                    let program = self.command.first().cloned().unwrap_or_default();
                    let program = program.to_string_lossy().into_owned();
                    Error::Data(format!("the worker '{program}' cannot be started: {e}"))
                })?;
                self.started.fetch_add(1, Ordering::Relaxed);
                self.runs(w, Some(new.child.clone()));
                *worker = Some(new);
            }
            let Some(running) = worker.as_mut() else { continue };
            match running.ask(task) {
                Ok((1, bytes)) => return Ok(Some(bytes)),
                Ok((_, sentence)) => {
                    let sentence = String::from_utf8_lossy(&sentence).into_owned();
                    return Err(Error::Data(format!("a worker: {sentence}")));
                }
                Err(e) => {
                    last = e.to_string();
                    self.runs(w, None);
                    *worker = None;
                }
            }
        }
        Err(Error::Data(format!(
            "a worker ended {TRIES} times at the same task ({last}); does it have the memory that it needs?"
        )))
    }

    fn runs(&self, w: usize, child: Option<Arc<Mutex<Child>>>) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)[w] = child;
    }
}

impl Executor for Processes {
    fn workers(&self) -> usize {
        self.workers.len()
    }

    fn map(&self, tasks: &[String], stop: &dyn Fn() -> bool) -> Result<Option<Vec<Vec<u8>>>> {
        let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = |w: usize| -> Result<Answers> {
            let mut found = Vec::new();
            loop {
                let t = next.fetch_add(1, Ordering::Relaxed);
                let Some(task) = tasks.get(t) else { return Ok(found) };
                match self.ask(w, task, &over) {
                    Ok(Some(bytes)) => found.push((t, bytes)),
                    Ok(None) => return Ok(found),
                    Err(e) => {
                        over.store(true, Ordering::Relaxed);
                        return Err(e);
                    }
                }
            }
        };
        let found: Vec<Result<Answers>> = std::thread::scope(|scope| {
            let (work, (send, receive)) = (&work, channel());
            let spawn = |w: usize| {
                let send = send.clone();
                scope.spawn(move || {
                    let found = work(w);
                    // Whoever listened may have gone.
                    let _ = send.send(());
                    found
                })
            };
            let threads: Vec<_> = (0..self.workers.len()).map(spawn).collect();
            let mut left = threads.len();
            while left > 0 {
                match receive.recv_timeout(LOOK) {
                    Ok(()) => left -= 1,
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if left > 0 && (over.load(Ordering::Relaxed) || stop()) {
                    over.store(true, Ordering::Relaxed);
                    for child in self.children() {
                        // One that has ended is as it should be.
                        let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
                    }
                }
            }
            let lost = || Err(Error::Data("a thread that waits for a worker ended".to_string()));
            threads.into_iter().map(|t| t.join().unwrap_or_else(|_| lost())).collect()
        });
        let mut answers = vec![None; tasks.len()];
        for part in found {
            for (t, bytes) in part? {
                answers[t] = Some(bytes);
            }
        }
        Ok(answers.into_iter().collect())
    }
}

/// Answers tasks that come as lines, until they end.
///
/// # Errors
/// Nobody reads the answers any more; what is read is no text.
pub fn serve(tasks: impl Read, mut answers: impl Write) -> io::Result<()> {
    for task in BufReader::new(tasks).lines() {
        let (said, bytes) = match answer(&task?) {
            Ok(bytes) => (1, bytes),
            Err(e) => (0, e.to_string().into_bytes()),
        };
        answers.write_all(&[said])?;
        answers.write_all(&(bytes.len() as u64).to_le_bytes())?;
        answers.write_all(&bytes)?;
        answers.flush()?;
    }
    Ok(())
}
