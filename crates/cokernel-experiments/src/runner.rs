//! Runs an experiment in one go, without a store.

use super::bench::Bench;
use super::collect::{Done, collect};
use super::measured::Measured;
use super::outcome::Outcome;
use super::plan::Experiment;
use crate::system::available_memory;
use anyhow::Result;
use cokernel::{Event, Run};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

/// Runs all cells with its first seed (data set i and the methods on it have seed + i); one result
/// for each data set.
///
/// The result of a run that was stopped holds what was complete.
pub fn run(plan: &Experiment, folder: Option<&Path>, run: &Run) -> Result<Vec<Outcome>> {
    let watch = run.watch();
    let cells = plan.cells(folder, run.seed)?;
    let folder = folder.map(Path::to_path_buf);
    let mut bench = Bench::new(plan, folder, run.seed, available_memory());
    run.tell(Event::Begin { stage: &plan.id, total: Some(cells.len() as u64) });
    let mut results: BTreeMap<usize, Measured> = BTreeMap::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut stopped = None;
    for (i, cell) in cells.iter().enumerate() {
        // Rows may have a cell in common.
        if let Some(same) = known.get(cell.id.as_str()).and_then(|k| results.get(k)) {
            results.insert(i, same.clone());
            continue;
        }
        let spent = Duration::from_secs_f64(watch.seconds());
        let left = run.time_limit.map(|l| l.saturating_sub(spent));
        let measured = bench.measure(cell, &Run { time_limit: left, ..run.clone() });
        stopped = watch.stop();
        // A stop is no error, and what it left is no result.
        if stopped.is_some() {
            break;
        }
        results.insert(i, measured?);
        known.insert(&cell.id, i);
        let message = &plan.rows[cell.row].label;
        run.tell(Event::Step { done: i as u64 + 1, message });
    }
    run.tell(Event::End);
    let done = Done { cells: &cells, results: &results, seed: run.seed };
    Ok(collect(plan, &done, stopped, watch.seconds()).into_iter().map(|c| c.outcome).collect())
}
