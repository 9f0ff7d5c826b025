//! Claims: a cell is computed by the worker that claimed it, and by no other.
//!
//! A worker that has ended without a word (killed, or the machine went down) is found by its
//! process number and start where the system tells them, else by its silence: a worker that lives
//! says so every ten seconds. Its cells then wait again. A worker that was only believed to have
//! ended finds that its claim is gone, and its result is not kept.

use super::{Spent, Store, checksum};
use crate::experiment::{Cell, Measured};
use crate::system::{process_start, system_name};
use anyhow::Result;
use rusqlite::{OptionalExtension, Transaction, params};
use serde_json::json;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A worker says this often that it lives, and is believed to have ended after such a silence.
const EVERY: Duration = Duration::from_secs(10);
const SILENCE: i64 = 60;

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
            let sql = "INSERT INTO workers VALUES (lower(hex(randomblob(8))), ?1, ?2, ?3, ?4) \
                       RETURNING token";
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
        let all = self.told(all_workers(&self.connection))?;
        Ok(all.iter().filter(|w| w.lives()).count())
    }

    /// Claims a cell: with the same data and training instances as the last one, else where no
    /// other worker is, else any.
    pub fn claim(&mut self, worker: &Worker, last: Option<&str>) -> Result<Claim> {
        self.transaction(|t| {
            let ended = all_workers(t)?.into_iter().filter(|w| !w.lives());
            for w in ended {
                t.execute(
                    "UPDATE cells SET state = 'waiting', worker = NULL \
                     WHERE state = 'running' AND worker = ?1",
                    [&w.token],
                )?;
                t.execute("DELETE FROM workers WHERE token = ?1", [&w.token])?;
            }
            let Some(id) = waiting(t, last)? else {
                let sql = "SELECT count(*) FROM cells WHERE state = 'running'";
                let running: i64 = t.query_row(sql, [], |r| r.get(0))?;
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

    /// Keeps a result, if the claim still holds.
    pub fn keep(
        &mut self,
        worker: &Worker,
        cell: &Cell,
        seed: u64,
        measured: &Measured,
        spent: Spent,
    ) -> Result<bool> {
        let text = serde_json::to_string(measured)?;
        let d = &measured.details;
        let weights = json!({ "kernels": d.kernels, "weights": d.weights }).to_string();
        let trace = json!({ "objective": d.objective, "gaps": d.gaps }).to_string();
        let scores = serde_json::to_string(&measured.scores)?;
        self.transaction(|t| {
            if !ended(t, worker, cell, "done", None)? {
                return Ok(false);
            }
            t.execute(
                "INSERT OR REPLACE INTO results VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, \
                 ?11, ?12)",
                params![
                    cell.id,
                    seed as i64,
                    cokernel::VERSION,
                    cell.decided_by,
                    scores,
                    weights,
                    trace,
                    text,
                    checksum(&text),
                    spent.seconds,
                    spent.peak_memory.map(|b| b as i64),
                    now(),
                ],
            )?;
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

/// The cell that is claimed next.
fn waiting(t: &Transaction<'_>, last: Option<&str>) -> Result<Option<String>> {
    let near = "SELECT id FROM cells WHERE state = 'waiting' AND near = \
                (SELECT near FROM cells WHERE id = ?1) ORDER BY position LIMIT 1";
    let apart = "SELECT id FROM cells WHERE state = 'waiting' AND near NOT IN \
                 (SELECT near FROM cells WHERE state = 'running') ORDER BY position LIMIT 1";
    let any = "SELECT id FROM cells WHERE state = 'waiting' ORDER BY position LIMIT 1";
    if let Some(last) = last
        && let Some(id) = t.query_row(near, [last], |r| r.get(0)).optional()?
    {
        return Ok(Some(id));
    }
    match t.query_row(apart, [], |r| r.get(0)).optional()? {
        Some(id) => Ok(Some(id)),
        None => Ok(t.query_row(any, [], |r| r.get(0)).optional()?),
    }
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
