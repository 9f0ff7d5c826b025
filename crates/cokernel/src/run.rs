//! [`Run`]: everything about a computation that is not a hyper-parameter, and [`Report`]: how it
//! went.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How a computation ended. Misuse is an [`Error`](crate::Error); all of these come with a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The requested tolerance was reached.
    Converged,
    /// The iteration limit came first.
    IterationLimit,
    /// The time limit came first.
    TimeLimit,
    /// No further progress was possible in floating-point arithmetic.
    Stalled,
    /// The user cancelled; the result is the last complete state.
    Interrupted,
    /// There was nothing to iterate.
    ClosedForm,
}

impl Status {
    /// Whether the result is what was asked for.
    pub fn is_success(self) -> bool {
        matches!(self, Status::Converged | Status::ClosedForm)
    }

    /// Whether the user or the clock ended it.
    pub fn is_stop(self) -> bool {
        matches!(self, Status::TimeLimit | Status::Interrupted)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Converged => "converged",
            Status::IterationLimit => "iteration limit",
            Status::TimeLimit => "time limit",
            Status::Stalled => "stalled",
            Status::Interrupted => "interrupted",
            Status::ClosedForm => "closed form",
        })
    }
}

/// Counts of work done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Kernel machines solved (warm starts included).
    pub machine_solves: u64,
    /// Pair steps of SMO over all machine solves.
    pub smo_steps: u64,
    /// Weighted sums of kernels formed.
    pub combines: u64,
    /// Leading-eigenpair computations.
    pub eigen_solves: u64,
}

impl Counts {
    /// Adds the work of a part.
    pub fn add(&mut self, other: &Counts) {
        self.machine_solves += other.machine_solves;
        self.smo_steps += other.smo_steps;
        self.combines += other.combines;
        self.eigen_solves += other.eigen_solves;
    }
}

/// How a computation went: filled by every method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// Outer iterations.
    pub iterations: usize,
    /// Objective after each outer iteration; monotone for methods without a gap.
    pub objective: Vec<f64>,
    /// Relative duality gap at the end, for convex methods: (primal − dual) / max(|primal|, tiny).
    pub gap: Option<f64>,
    /// Relative duality gap after each outer iteration, for convex methods that iterate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<f64>,
    /// Work done.
    pub counts: Counts,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// The seed that was used.
    pub seed: u64,
    /// Sentences about the data or the result that a user should read.
    pub notes: Vec<String>,
    /// Sentences that say that the result may mislead: read before the notes, and a warning in
    /// languages that have them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// How the kernel machine on the learned combination ended; `None` where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineReport>,
    /// Numbers that the method found beside the kernel weights, by the names of its documentation.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub details: BTreeMap<String, Vec<f64>>,
}

/// How the kernel machine on the learned combination ended: all its binary problems together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MachineReport {
    /// The first status that is not a success, else converged.
    pub status: Status,
    /// Sum of the primal objectives.
    pub primal: f64,
    /// Sum of the dual objectives.
    pub dual: f64,
    /// The largest relative duality gap.
    pub gap: f64,
    /// Of the instances on the smaller side of each binary problem, the share with α_i = C_i.
    pub at_bound: f64,
}

impl Report {
    /// The report of a computation with nothing to iterate.
    pub fn closed_form(run: &Run) -> Self {
        Report {
            status: Status::ClosedForm,
            iterations: 0,
            objective: Vec::new(),
            gap: None,
            gaps: Vec::new(),
            counts: Counts::default(),
            seconds: 0.0,
            seed: run.seed,
            notes: Vec::new(),
            warnings: Vec::new(),
            machine: None,
            details: BTreeMap::new(),
        }
    }

    /// All that a user should read: the warnings, then the notes.
    pub fn remarks(&self) -> impl Iterator<Item = &String> {
        self.warnings.iter().chain(&self.notes)
    }
}

/// What an observer is told while a computation goes on.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    /// A stage began; `total` steps are expected if that is known.
    Begin {
        /// What is being done.
        stage: &'a str,
        /// Expected number of steps.
        total: Option<u64>,
    },
    /// A step of the current stage is complete.
    Step {
        /// Steps complete so far in this stage.
        done: u64,
        /// A short state, such as the current gap.
        message: &'a str,
    },
    /// The stage ended.
    End,
}

/// Receives progress; must return quickly.
pub trait Observer: Send + Sync {
    /// Called from the computing thread.
    fn event(&self, event: &Event<'_>);
}

/// A flag by which another thread (or Ctrl-C) asks a computation to stop; it keeps the time.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<OnceLock<Instant>>);

impl Cancel {
    /// Asks to stop. The computation returns its last complete state with
    /// [`Status::Interrupted`].
    pub fn cancel(&self) {
        // A second call leaves the time of the first one, from which the delay is measured.
        let _ = self.0.set(Instant::now());
    }

    /// Whether a stop was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.0.get().is_some()
    }
}

/// Everything that is not a hyper-parameter.
#[derive(Clone)]
pub struct Run {
    /// Seed of every random choice. The same seed gives the same bits, whatever the threads.
    pub seed: u64,
    /// Wall-clock limit for one call.
    pub time_limit: Option<Duration>,
    /// The flag that stops the computation.
    pub cancel: Cancel,
    /// Who is told about progress.
    pub observer: Option<Arc<dyn Observer>>,
    /// Bytes that a bank may keep in memory before it computes on demand.
    pub memory: usize,
    /// Who computes fits towards landmarks, and where these keep what they go on from; `None`: the threads of this process, from
    /// the start.
    pub workers: Option<Arc<crate::scale::Workers>>,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("seed", &self.seed)
            .field("time_limit", &self.time_limit)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

impl Default for Run {
    /// Seed 0, no limits, nobody watching, 2 GiB for kernels.
    fn default() -> Self {
        Run {
            seed: 0,
            time_limit: None,
            cancel: Cancel::default(),
            observer: None,
            memory: 2 << 30,
            workers: None,
        }
    }
}

impl Run {
    /// The default run with another seed.
    pub fn with_seed(seed: u64) -> Self {
        Run { seed, ..Run::default() }
    }

    /// Starts the clock of one computation.
    pub fn watch(&self) -> Watch {
        Watch {
            start: Instant::now(),
            limit: self.time_limit,
            cancel: self.cancel.clone(),
            gave_up: Arc::default(),
        }
    }

    /// Tells the observer, if there is one.
    pub fn tell(&self, event: Event<'_>) {
        if let Some(observer) = &self.observer {
            observer.event(&event);
        }
    }

    /// This run with the time that is left of it, for a part of the computation that the watch
    /// belongs to.
    pub fn remaining(&self, watch: &Watch) -> Self {
        let spent = Duration::from_secs_f64(watch.seconds());
        Run { time_limit: self.time_limit.map(|l| l.saturating_sub(spent)), ..self.clone() }
    }

    /// This run with nine tenths of its time, for what is learned before a machine is trained on it: without time it would be
    /// no answer.
    pub(crate) fn but_for_the_machine(&self) -> Self {
        Run { time_limit: self.time_limit.map(|l| l.mul_f64(0.9)), ..self.clone() }
    }

    /// This run, silent: for the inner computations of an outer one.
    pub fn quiet(&self) -> Self {
        Run { observer: None, ..self.clone() }
    }

    /// A generator for one named purpose, so that adding a random choice in one place does not
    /// change those in another.
    pub fn rng(&self, purpose: &str) -> rand_xoshiro::Xoshiro256PlusPlus {
        use rand::SeedableRng;
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in purpose.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(self.seed ^ hash)
    }
}

/// The clock of one computation; cheap to ask.
#[derive(Debug, Clone)]
pub struct Watch {
    start: Instant,
    limit: Option<Duration>,
    cancel: Cancel,
    /// Whether a pass under this watch was given up; its copies share it.
    gave_up: Arc<AtomicBool>,
}

impl Watch {
    /// The status to stop with, if the computation must stop now.
    pub fn stop(&self) -> Option<Status> {
        if self.cancel.is_cancelled() {
            Some(Status::Interrupted)
        } else if self.limit.is_some_and(|l| self.start.elapsed() >= l) {
            Some(Status::TimeLimit)
        } else {
            None
        }
    }

    /// Whether a stop was asked for a moment ago: what could be finished quickly is, and passes over
    /// much data are given up.
    fn late(&self) -> bool {
        self.cancel.0.get().is_some_and(|asked| self.start.max(*asked).elapsed() >= MOMENT)
            || self.limit.is_some_and(|l| self.start.elapsed() >= l.saturating_add(MOMENT))
    }

    /// Whether a pass over much data was given up, so that the last results are not to be used: all
    /// passes that come later are given up as well.
    pub(crate) fn gave_up(&self) -> bool {
        self.gave_up.load(Ordering::Relaxed)
    }

    /// The error of what has no result because a pass [was given up](Self::gave_up).
    ///
    /// # Errors
    /// One was.
    pub(crate) fn complete(&self, what: &str) -> Result<()> {
        match self.stop().filter(|_| self.gave_up()) {
            Some(status) => Err(Error::Stopped { status, what: what.to_string() }),
            None => Ok(()),
        }
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}

/// How much longer a pass over much data may take when a stop is asked for, so that the result of
/// what came before can still be had.
const MOMENT: Duration = Duration::from_millis(400);

/// One pass over much data under a watch, or under none. Its loops ask [`is_over`](Self::is_over)
/// and leave out what is left; then its result is not to be used.
#[derive(Debug, Default)]
pub(crate) struct Pass<'a> {
    watch: Option<&'a Watch>,
    given_up: AtomicBool,
}

impl<'a> Pass<'a> {
    /// A pass under a watch.
    pub fn under(watch: &'a Watch) -> Self {
        Pass { watch: Some(watch), given_up: AtomicBool::new(false) }
    }

    /// Whether what is left must be left out.
    pub fn is_over(&self) -> bool {
        let Some(watch) = self.watch else { return false };
        let over = self.is_given_up() || watch.late();
        if over {
            self.given_up.store(true, Ordering::Relaxed);
            watch.gave_up.store(true, Ordering::Relaxed);
        }
        over
    }

    /// Whether something was left out.
    pub fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// The error of a pass that was given up, where no result can go without it.
    ///
    /// # Errors
    /// It was given up.
    pub fn complete(&self, what: &str) -> Result<()> {
        self.watch.map_or(Ok(()), |watch| watch.complete(what))
    }
}

/// A watch whose stop was asked for so long ago that every pass under it is given up.
#[cfg(test)]
pub(crate) fn late_watch() -> Watch {
    let (run, watch) = (Run::default(), Run::default().watch());
    let watch = Watch { cancel: run.cancel.clone(), ..watch };
    run.cancel.cancel();
    std::thread::sleep(MOMENT);
    watch
}

/// Stops a run when its first stage begins, and waits until every pass under its watches that ran
/// then is given up.
#[cfg(test)]
#[derive(Debug)]
pub(crate) struct StopAtTheBeginning(pub Cancel);

#[cfg(test)]
impl Observer for StopAtTheBeginning {
    fn event(&self, event: &Event<'_>) {
        if matches!(event, Event::Begin { .. }) {
            self.0.cancel();
            std::thread::sleep(MOMENT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_given_up_a_moment_after_the_stop() {
        let run = Run { time_limit: Some(Duration::ZERO), ..Run::default() };
        let watch = run.watch();
        let pass = Pass::under(&watch);
        assert_eq!((watch.stop(), pass.is_over()), (Some(Status::TimeLimit), false));
        assert!(pass.complete("a pass").is_ok());
        std::thread::sleep(MOMENT);
        let copy = watch.clone();
        assert!(!copy.gave_up() && pass.is_over() && pass.is_given_up() && copy.gave_up());
        let e = pass.complete("a pass").map_err(|e| e.to_string());
        assert_eq!(e, Err("a pass was stopped (time limit) before there was a result".to_string()));
        assert!(!Pass::default().is_over());
        run.cancel.cancel();
        run.cancel.cancel();
        assert_eq!(watch.stop(), Some(Status::Interrupted));
    }
}
