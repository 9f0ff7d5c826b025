//! A worker: claims cells of a store, computes them and keeps their results, until none is left.

use super::bench::{Bench, TooLarge};
use super::cells::Cell;
use super::measured::Measured;
use super::plan::Experiment;
use crate::misuse::one_line;
use crate::store::{Claim, Spent, Store};
use crate::system::{peak_memory, reset_peak_memory};
use anyhow::{Result, anyhow};
use cokernel::{Event, Run, Status};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// Between two looks whether others have ended their last cells.
const LOOK: Duration = Duration::from_millis(200);

/// What a worker did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Worked {
    pub done: usize,
    pub failed: usize,
}

/// Works until nothing is left, or the run is stopped. `tell` is called with the store after
/// each cell; `available` are the bytes that the machine has for this worker.
pub fn work(
    store: &mut Store,
    plan: &Experiment,
    cells: &[Cell],
    folder: Option<&Path>,
    available: Option<usize>,
    run: &Run,
    tell: &mut dyn FnMut(&Store, &Run),
) -> Result<Worked> {
    let watch = run.watch();
    let by_id: HashMap<&str, &Cell> = cells.iter().rev().map(|c| (c.id.as_str(), c)).collect();
    let bench = || Bench::new(plan, folder.map(Path::to_path_buf), run.seed, available);
    let worker = store.enter()?;
    let (mut bench_now, mut last, mut worked) = (bench(), None::<String>, Worked::default());
    while watch.stop().is_none() {
        let id = match store.claim(&worker, last.as_deref())? {
            Claim::Cell(id) => id,
            Claim::Nothing => break,
            Claim::Wait => {
                std::thread::sleep(LOOK);
                tell(store, run);
                continue;
            }
        };
        let Some(cell) = by_id.get(id.as_str()) else {
            return Err(anyhow!("cell {id} of the store is not in the specification"));
        };
        reset_peak_memory();
        let clock = Instant::now();
        let limit = plan.limits.seconds.map(Duration::from_secs_f64);
        let spent = Duration::from_secs_f64(watch.seconds());
        let left = run.time_limit.map(|l| l.saturating_sub(spent));
        let limited = [limit, left].into_iter().flatten().min();
        let inner = Run { time_limit: limited, ..run.clone() };
        let computed = catch_unwind(AssertUnwindSafe(|| bench_now.measure(cell, &inner)));
        let seconds = clock.elapsed().as_secs_f64();
        if watch.stop().is_some() {
            store.release(&worker, cell)?;
            break;
        }
        let computed = match computed {
            Ok(computed) => in_time(computed, plan.limits.seconds),
            Err(_) => {
                bench_now = bench();
                Err(anyhow!("a fault in cokernel, please report it with this specification"))
            }
        };
        match computed {
            Ok(measured) => {
                let spent = Spent { seconds, peak_memory: peak_memory() };
                let seed = run.seed.wrapping_add(cell.set as u64);
                worked.done += usize::from(store.keep(&worker, cell, seed, &measured, spent)?);
            }
            Err(error) => {
                let refused = error.chain().any(|c| c.is::<TooLarge>());
                worked.failed +=
                    usize::from(store.fail(&worker, cell, &one_line(&error), refused)?);
            }
        }
        last = Some(id);
        tell(store, run);
    }
    store.leave(&worker)?;
    run.tell(Event::End);
    Ok(worked)
}

/// A result that was cut short by the clock would not repeat: it is none.
fn in_time(computed: Result<Measured>, limit: Option<f64>) -> Result<Measured> {
    match (computed, limit) {
        (Ok(m), Some(limit)) if m.status == Status::TimeLimit => Err(anyhow!(
            "not complete after {limit} s, the limit of a cell; raise seconds in [limits]"
        )),
        (computed, _) => computed,
    }
}
