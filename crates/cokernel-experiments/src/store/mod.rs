//! The store: an SQLite file that holds an experiment, its cells and their results.
//!
//! Every change is a transaction, so that a process that is killed leaves nothing half done. A
//! cell is claimed before it is computed, by a worker whose end the others notice; see
//! `claim`. What decides about a result is in the id of its cell, so that results of another
//! specification, version or data are never taken for those of this one. Rows are verified when
//! they are read; see `verify`.

mod claim;
mod merge;
mod open;
mod shard;
mod trouble;
mod verify;

pub use claim::Claim;
pub use merge::{Merged, merge};
pub use shard::Shard;
pub use verify::Results;

use crate::{Cell, Experiment, Measured, Specification, label_of};
use anyhow::{Result, anyhow};
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use verify::{ABOUT_SUM, about_pairs, about_sum, digest};

/// An open store.
pub struct Store {
    path: PathBuf,
    connection: Connection,
    /// Whether it is restricted to a part of the cells.
    part: bool,
}

/// How many cells are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Nobody has begun them.
    pub waiting: usize,
    /// A worker computes them.
    pub running: usize,
    /// With a result.
    pub done: usize,
    /// With an error.
    pub failed: usize,
    /// Not computed, because they do not fit into memory.
    pub refused: usize,
}

impl Counts {
    /// All cells of the store.
    pub fn all(&self) -> usize {
        self.waiting + self.running + self.done + self.failed + self.refused
    }

    /// Neither waiting nor running.
    pub fn ended(&self) -> usize {
        self.done + self.failed + self.refused
    }
}

/// A cell without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// Row, variant, split and set of the cell.
    pub label: String,
    /// Its error.
    pub error: String,
    /// Whether it had too little memory and will be tried again.
    pub refused: bool,
}

/// What the store says about itself.
#[derive(Debug, Clone)]
pub struct About {
    /// The text of the experiment.
    pub specification: Specification,
    /// Seed of the first data set.
    pub seed: u64,
    /// The version of the library that began it.
    pub version: String,
    /// Tells one list of cells from another.
    pub cells: String,
}

/// What a computation took; never part of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    /// Wall time.
    pub seconds: f64,
    /// The most bytes that the process held meanwhile, where the system tells it.
    pub peak_memory: Option<usize>,
}

/// What is kept of a cell.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The result.
    pub measured: Measured,
    /// What it cost.
    pub spent: Spent,
}

impl Store {
    /// Where the store is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn transaction<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let path = self.path.clone();
        let begin = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begin.map_err(|e| trouble::explained(&path, e))?;
        let done = work(&transaction).map_err(|e| trouble::of_work(&path, e))?;
        transaction.commit().map_err(|e| trouble::explained(&path, e))?;
        Ok(done)
    }

    fn told<T>(&self, result: rusqlite::Result<T>) -> Result<T> {
        result.map_err(|e| trouble::explained(&self.path, e))
    }

    /// Puts the cells of an experiment into the store. Cells that have a result keep it; cells of
    /// another specification leave the table, but not their results the store.
    fn put(
        &mut self,
        spec: &Specification,
        plan: &Experiment,
        cells: &[Cell],
        seed: u64,
    ) -> Result<()> {
        let mut pairs: BTreeMap<String, String> = [
            ("specification", spec.text.clone()),
            ("place", spec.place.clone()),
            ("id", spec.id.clone()),
            ("seed", seed.to_string()),
            ("version", cokernel::VERSION.to_string()),
            ("cells", digest(cells.iter().map(|c| c.id.as_str()))),
        ]
        .map(|(key, value)| (key.to_string(), value))
        .into();
        pairs.insert(ABOUT_SUM.to_string(), about_sum(&pairs));
        self.transaction(|t| {
            t.execute("DELETE FROM about", [])?;
            for pair in &pairs {
                t.execute("INSERT INTO about VALUES (?1, ?2)", pair)?;
            }
            t.execute("DELETE FROM places", [])?;
            let mut place = t.prepare("INSERT INTO places VALUES (?1, ?2)")?;
            let mut cell = t.prepare(
                "INSERT INTO cells (id, position, near, label, decided_by, state) \
                 VALUES (?1, ?2, ?3, ?4, ?5, \
                 CASE WHEN EXISTS (SELECT 1 FROM results WHERE cell = ?1) \
                 THEN 'done' ELSE 'waiting' END) \
                 ON CONFLICT (id) DO UPDATE SET position = ?2, near = ?3, label = ?4, \
                 decided_by = ?5",
            )?;
            for (position, c) in cells.iter().enumerate().rev() {
                let near = format!("{:?}", plan.group(c));
                cell.execute(params![
                    c.id,
                    position as i64,
                    near,
                    label_of(plan, c),
                    c.decided_by
                ])?;
                place.execute(params![position as i64, c.id])?;
            }
            t.execute("DELETE FROM cells WHERE id NOT IN (SELECT cell FROM places)", [])?;
            Ok(())
        })
    }

    /// What the store says about itself.
    pub fn about(&self) -> Result<About> {
        let pairs = self.told(about_pairs(&self.connection))?;
        if pairs.get(ABOUT_SUM) != Some(&about_sum(&pairs)) {
            return Err(self.damaged("what it says about itself is not as it was written"));
        }
        let get = |key: &str| {
            let found = pairs.get(key).cloned();
            found.ok_or_else(|| self.damaged(&format!("it lacks its {key}")))
        };
        let seed = get("seed")?.parse().map_err(|_| self.damaged("its seed is no number"))?;
        let specification = Specification {
            place: get("place")?,
            id: get("id")?,
            text: get("specification")?,
            base: PathBuf::from("."),
        };
        Ok(About { specification, seed, version: get("version")?, cells: get("cells")? })
    }

    fn damaged(&self, how: &str) -> anyhow::Error {
        let place = self.path.display();
        anyhow!("store {place}: {how}; {}", trouble::MENDED)
    }

    /// How many cells are in which state.
    pub fn counts(&self) -> Result<Counts> {
        // A cell is done if it has a result, and waits if its worker lives no more, whatever it says itself.
        let sql = format!(
            "SELECT CASE WHEN EXISTS (SELECT 1 FROM results WHERE cell = id) THEN 'done' \
             WHEN state = 'done' THEN 'waiting' WHEN state = 'running' AND \
             worker NOT IN (SELECT value FROM json_each(?1)) THEN 'waiting' ELSE state END AS now, count(*) \
             FROM cells WHERE {} GROUP BY now",
            self.mine()
        );
        let mut statement = self.told(self.connection.prepare(&sql))?;
        let living = serde_json::to_string(&self.living()?)?;
        let rows = statement
            .query_map([living], |r| Ok((r.get::<_, String>(0)?, r.get::<_, i64>(1)? as usize)));
        let mut counts = Counts::default();
        for row in self.told(rows)? {
            let (state, n) = self.told(row)?;
            match state.as_str() {
                "waiting" => counts.waiting = n,
                "running" => counts.running = n,
                "done" => counts.done = n,
                "failed" => counts.failed = n,
                _ => counts.refused = n,
            }
        }
        Ok(counts)
    }

    /// Cells that failed or were refused, in order.
    pub fn troubles(&self) -> Result<Vec<Trouble>> {
        let sql = format!(
            "SELECT label, coalesce(error, ''), state = 'refused' FROM cells \
             WHERE state IN ('failed', 'refused') AND {} ORDER BY position",
            self.mine()
        );
        let mut statement = self.told(self.connection.prepare(&sql))?;
        let rows = statement.query_map([], |r| {
            Ok(Trouble { label: r.get(0)?, error: r.get(1)?, refused: r.get(2)? })
        });
        self.told(rows.and_then(|rows| rows.collect()))
    }

    /// Seconds that the cells without a result will take one worker, from the mean of those like
    /// them; `None` as long as nothing is known.
    pub fn seconds_left(&self) -> Result<Option<f64>> {
        let sql = format!(
            "SELECT sum(state IN ('waiting', 'running')), avg(seconds), count(seconds), \
             total(seconds) FROM cells LEFT JOIN results ON cell = id WHERE {} GROUP BY label",
            self.mine()
        );
        let mut statement = self.told(self.connection.prepare(&sql))?;
        let rows = statement.query_map([], |r| {
            Ok((
                r.get::<_, f64>(0)?,
                r.get::<_, Option<f64>>(1)?,
                r.get::<_, f64>(2)?,
                r.get::<_, f64>(3)?,
            ))
        });
        let rows: Vec<(f64, Option<f64>, f64, f64)> = self.told(rows.and_then(|r| r.collect()))?;
        let known: f64 = rows.iter().map(|r| r.2).sum();
        if known == 0.0 {
            return Ok(None);
        }
        let mean = rows.iter().map(|r| r.3).sum::<f64>() / known;
        Ok(Some(rows.iter().map(|r| r.0 * r.1.unwrap_or(mean)).sum()))
    }

    /// The cells of the experiment with their ids, in the order of its places.
    pub fn cells(&self, plan: &Experiment) -> Result<Vec<Cell>> {
        if self.placed()? != self.about()?.cells || !self.names_are_sound()? {
            return Err(self.damaged("its cells are not as they were written"));
        }
        let sql = "SELECT places.cell, decided_by FROM places JOIN cells ON id = places.cell \
                   ORDER BY places.position";
        let mut statement = self.told(self.connection.prepare(sql))?;
        let rows = statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?)));
        let rows: Vec<(String, String)> = self.told(rows.and_then(|r| r.collect()))?;
        let places = plan.places();
        if places.len() != rows.len() {
            return Err(self.damaged("its cells are not those of its specification"));
        }
        let with =
            |(cell, (id, decided_by)): (Cell, (String, String))| Cell { id, decided_by, ..cell };
        Ok(places.into_iter().zip(rows).map(with).collect())
    }

    /// Lets failed cells be tried again, or refused ones.
    pub fn again(&mut self, state: &str) -> Result<usize> {
        self.transaction(|t| {
            let sql = "UPDATE cells SET state = 'waiting', error = NULL, lost = 0 WHERE state = ?1";
            Ok(t.execute(sql, [state])?)
        })
    }
}

#[cfg(test)]
mod tests;
