//! Claims: a cell is computed by the worker that claimed it, and by no other.
//!
//! A worker that has ended without a word (killed, or the machine went down) is found by its
//! process number and start where the system tells them, else by its silence: a worker that lives
//! says so every ten seconds. Its cells then wait again. A worker that was only believed to have
//! ended finds that its claim is gone, and its result is not kept.
//!
//! A cell may be what ends its worker, for lack of memory as a rule. Claims that were lost so are
//! counted; a cell with two of them is claimed after all others. If whoever started the worker saw
//! that it did not end by itself, the cell has failed with the second.

use super::verify::ResultRow;
use super::{Spent, Store};
use crate::system::{process_start, system_name};
use crate::{Cell, Measured};
use anyhow::Result;
use cokernel::json::Told;
use rusqlite::{OptionalExtension, Transaction, params, params_from_iter};
use serde_json::json;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A worker says this often that it lives, and is believed to have ended after such a silence.
const EVERY: Duration = Duration::from_secs(10);
const SILENCE: i64 = 60;

/// Lost claims after which a cell is set aside.
const LOST: i64 = 2;

/// What a worker is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// Compute the cell with this id.
    Cell(String),
    /// Others compute the last cells: look again, in case they end.
    Wait,
    /// Nothing is left.
    Nothing,
}

/// A process (or thread) that computes cells.
pub struct Worker {
    token: String,
    /// Ends the thread that says that the worker lives.
    _alive: mpsc::Sender<()>,
}

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs() as i64)
}

impl Store {
    /// Makes a worker known.
    pub fn enter(&mut self) -> Result<Worker> {
        let pid = std::process::id();
        let began = process_start(pid);
        let system = system_name();
        let token = self.transaction(|t| {
            let sql = "INSERT INTO workers VALUES (?2 || ':' || lower(hex(randomblob(8))), ?1, ?2, \
                       ?3, ?4) RETURNING token";
            let began = began.map(|b| b as i64);
            Ok(t.query_row(sql, params![system, pid, began, now()], |r| r.get::<_, String>(0))?)
        })?;
        let (alive, ended) = mpsc::channel();
        let (path, name) = (self.path().to_path_buf(), token.clone());
        std::thread::spawn(move || stay(&path, &name, &ended));
        Ok(Worker { token, _alive: alive })
    }

    /// Removes a worker that has no cell.
    pub fn leave(&mut self, worker: &Worker) -> Result<()> {
        self.transaction(|t| {
            t.execute("DELETE FROM workers WHERE token = ?1", [&worker.token])?;
            Ok(())
        })
    }

    /// The number of workers that live.
    pub fn workers(&self) -> Result<usize> {
        Ok(self.living()?.len())
    }

    /// Their tokens.
    pub(super) fn living(&self) -> Result<Vec<String>> {
        let all = self.told(all_workers(&self.connection))?;
        Ok(all.into_iter().filter(|w| w.lives()).map(|w| w.token).collect())
    }

    /// Claims a cell: with the same data and training instances as the last one, else where no
    /// other worker is, else any.
    pub fn claim(&mut self, worker: &Worker, last: Option<&str>) -> Result<Claim> {
        let mine = self.mine();
        self.transaction(|t| {
            let ended = all_workers(t)?.into_iter().filter(|w| !w.lives());
            for w in ended {
                lose(t, &w.token)?;
            }
            let Some(id) = waiting(t, last, mine)? else {
                let sql = format!("SELECT count(*) FROM cells WHERE state = 'running' AND {mine}");
                let running: i64 = t.query_row(&sql, [], |r| r.get(0))?;
                return Ok(if running > 0 { Claim::Wait } else { Claim::Nothing });
            };
            t.execute(
                "UPDATE cells SET state = 'running', worker = ?2, claims = claims + 1 \
                 WHERE id = ?1",
                params![id, worker.token],
            )?;
            Ok(Claim::Cell(id))
        })
    }

    /// A process that worked here did not end by itself. The cell that it had waits again, or has
    /// failed if that was not the first time; whether it had one.
    pub fn crashed(&mut self, pid: u32, how: &str) -> Result<bool> {
        self.transaction(|t| {
            let mine = format!("{pid}:%");
            let system = system_name();
            for w in all_workers(t)?.iter().filter(|w| w.pid == pid && w.system == system) {
                lose(t, &w.token)?;
            }
            // Another worker may have found it first; the cell still says who had it.
            let sql = "SELECT count(*) FROM cells WHERE state = 'waiting' AND worker LIKE ?1";
            let had: i64 = t.query_row(sql, [&mine], |r| r.get(0))?;
            let error = format!(
                "set aside: the process that computed it {how}, and did so before; as a rule that \
                 is a lack of memory. `cokernel run --retry` tries it again"
            );
            let sql = "UPDATE cells SET state = 'failed', error = ?2, worker = NULL \
                       WHERE state = 'waiting' AND worker LIKE ?1 AND lost >= ?3";
            t.execute(sql, params![mine, error, LOST])?;
            Ok(had > 0)
        })
    }

    /// Keeps a result, if the claim still holds.
    pub fn keep(
        &mut self,
        worker: &Worker,
        cell: &Cell,
        seed: u64,
        measured: &Measured,
        spent: Spent,
    ) -> Result<bool> {
        let d = &measured.details;
        let row = ResultRow {
            cell: cell.id.clone(),
            seed: seed as i64,
            version: cokernel::VERSION.to_string(),
            decided_by: cell.decided_by.clone(),
            scores: serde_json::to_string(&Told(&measured.scores))?,
            weights: json!({ "kernels": d.kernels, "weights": Told(&d.weights) }).to_string(),
            trace: json!({ "objective": Told(&d.objective), "gaps": Told(&d.gaps) }).to_string(),
            result: serde_json::to_string(&Told(measured))?,
            seconds: spent.seconds,
            peak_memory: spent.peak_memory.map(|b| b as i64),
            finished: now(),
        };
        self.transaction(|t| {
            if !ended(t, worker, cell, "done", None)? {
                return Ok(false);
            }
            row.write(t)?;
            Ok(true)
        })
    }

    /// Notes why a cell has no result.
    pub fn fail(
        &mut self,
        worker: &Worker,
        cell: &Cell,
        error: &str,
        refused: bool,
    ) -> Result<bool> {
        let state = if refused { "refused" } else { "failed" };
        self.transaction(|t| ended(t, worker, cell, state, Some(error)))
    }

    /// Gives a cell back that was not computed to its end.
    pub fn release(&mut self, worker: &Worker, cell: &Cell) -> Result<bool> {
        self.transaction(|t| ended(t, worker, cell, "waiting", None))
    }
}

/// A worker has ended without a word: the cell that it had waits again, and says still who had it.
fn lose(t: &Transaction<'_>, token: &str) -> rusqlite::Result<()> {
    t.execute(
        "UPDATE cells SET state = 'waiting', lost = lost + 1 \
         WHERE state = 'running' AND worker = ?1",
        [token],
    )?;
    t.execute("DELETE FROM workers WHERE token = ?1", [token])?;
    Ok(())
}

/// The end of a claim; whether it held.
fn ended(
    t: &Transaction<'_>,
    worker: &Worker,
    cell: &Cell,
    state: &str,
    error: Option<&str>,
) -> Result<bool> {
    let sql = "UPDATE cells SET state = ?3, error = ?4, worker = NULL \
               WHERE id = ?1 AND worker = ?2 AND state = 'running'";
    Ok(t.execute(sql, params![cell.id, worker.token, state, error])? == 1)
}

/// The cell that is claimed next, of those for which the condition `mine` holds.
fn waiting(t: &Transaction<'_>, last: Option<&str>, mine: &str) -> Result<Option<String>> {
    let near = "AND near = (SELECT near FROM cells WHERE id = ?1)";
    let apart = "AND near NOT IN (SELECT near FROM cells WHERE state = 'running')";
    let places = [last.map(|_| (near, last)), Some((apart, None)), Some(("", None))];
    for lost in [format!("lost < {LOST}"), format!("lost >= {LOST}")] {
        for (place, given) in places.iter().flatten() {
            let sql = format!(
                "SELECT id FROM cells WHERE state = 'waiting' AND {lost} AND {mine} {place} \
                 ORDER BY position LIMIT 1"
            );
            let mut statement = t.prepare_cached(&sql)?;
            let found = statement.query_row(params_from_iter(given), |r| r.get(0)).optional()?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

/// A worker as the store knows it.
struct Known {
    token: String,
    system: Option<String>,
    pid: u32,
    began: Option<i64>,
    seen: i64,
}

fn all_workers(connection: &rusqlite::Connection) -> rusqlite::Result<Vec<Known>> {
    let mut statement =
        connection.prepare("SELECT token, system, pid, began, seen FROM workers")?;
    let known = statement.query_map([], |r| {
        Ok(Known {
            token: r.get(0)?,
            system: r.get(1)?,
            pid: r.get(2)?,
            began: r.get(3)?,
            seen: r.get(4)?,
        })
    })?;
    known.collect()
}

impl Known {
    fn lives(&self) -> bool {
        match (&self.system, system_name(), self.began) {
            (Some(theirs), Some(ours), Some(began)) if *theirs == ours => {
                process_start(self.pid) == Some(began as u64)
            }
            _ => now() - self.seen < SILENCE,
        }
    }
}

/// Says that a worker lives, until it ends.
fn stay(path: &Path, token: &str, ended: &mpsc::Receiver<()>) {
    while ended.recv_timeout(EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
        let say = || -> rusqlite::Result<usize> {
            let connection = rusqlite::Connection::open(path)?;
            connection.busy_timeout(EVERY)?;
            let sql = "UPDATE workers SET seen = ?2 WHERE token = ?1";
            connection.execute(sql, params![token, now()])
        };
        // Said again in ten seconds.
        let _ = say();
    }
}
