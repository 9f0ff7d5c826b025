//! The store: an SQLite file that holds an experiment, its cells and their results.
//!
//! Every change is a transaction, so that a process that is killed leaves nothing half done. A
//! cell is claimed before it is computed, by a worker whose end the others notice; see
//! [`claim`]. What decides about a result is in the id of its cell, so that results of another
//! specification, version or data are never taken for those of this one.

mod claim;
mod open;

pub use claim::Claim;

use crate::experiment::{Cell, Experiment, Measured, Specification, hexadecimal, label_of};
use anyhow::{Context, Result, anyhow};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// An open store.
pub struct Store {
    path: PathBuf,
    connection: Connection,
}

/// How many cells are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub waiting: usize,
    pub running: usize,
    pub done: usize,
    pub failed: usize,
    /// Not computed, because they do not fit into memory.
    pub refused: usize,
}

impl Counts {
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
    pub label: String,
    pub error: String,
    pub refused: bool,
}

/// What the store says about itself.
#[derive(Debug, Clone)]
pub struct About {
    pub specification: Specification,
    pub seed: u64,
    pub version: String,
}

/// What a computation took; never part of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    pub seconds: f64,
    pub peak_memory: Option<usize>,
}

/// What is kept of a cell.
#[derive(Debug, Clone)]
pub struct Kept {
    pub measured: Measured,
    pub spent: Spent,
}

fn checksum(text: &str) -> String {
    hexadecimal(&Sha256::digest(text.as_bytes())[..8])
}

/// What tells one set of cells from another.
fn digest(cells: &[Cell]) -> String {
    let mut hash = Sha256::new();
    cells.iter().for_each(|c| hash.update(c.id.as_bytes()));
    hexadecimal(&hash.finalize()[..16])
}

impl Store {
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn transaction<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let path = self.path.clone();
        let told = |e: anyhow::Error| e.context(format!("store {}", path.display()));
        let begin = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begin.map_err(|e| told(e.into()))?;
        let done = work(&transaction).map_err(&told)?;
        transaction.commit().map_err(|e| told(e.into()))?;
        Ok(done)
    }

    fn told<T>(&self, result: rusqlite::Result<T>) -> Result<T> {
        result.with_context(|| format!("store {}", self.path.display()))
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
        let digest = digest(cells);
        self.transaction(|t| {
            let pairs = [
                ("specification", spec.text.clone()),
                ("place", spec.place.clone()),
                ("id", spec.id.clone()),
                ("seed", seed.to_string()),
                ("version", cokernel::VERSION.to_string()),
                ("cells", digest),
            ];
            for (key, value) in pairs {
                t.execute("INSERT OR REPLACE INTO about VALUES (?1, ?2)", params![key, value])?;
            }
            t.execute("DELETE FROM places", [])?;
            let mut place = t.prepare("INSERT INTO places VALUES (?1, ?2)")?;
            let mut cell = t.prepare(
                "INSERT INTO cells (id, position, near, label, decided_by, state) \
                 VALUES (?1, ?2, ?3, ?4, ?5, \
                 CASE WHEN EXISTS (SELECT 1 FROM results WHERE cell = ?1) \
                 THEN 'done' ELSE 'waiting' END) \
                 ON CONFLICT (id) DO UPDATE SET position = ?2, near = ?3, label = ?4",
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
        let get = |key: &str| -> Result<String> {
            let sql = "SELECT value FROM about WHERE key = ?1";
            let found = self.connection.query_row(sql, [key], |r| r.get(0)).optional();
            self.told(found)?.ok_or_else(|| self.damaged(&format!("it lacks its {key}")))
        };
        let seed = get("seed")?.parse().map_err(|_| self.damaged("its seed is no number"))?;
        let specification = Specification {
            place: get("place")?,
            id: get("id")?,
            text: get("specification")?,
            base: PathBuf::from("."),
        };
        Ok(About { specification, seed, version: get("version")? })
    }

    fn damaged(&self, how: &str) -> anyhow::Error {
        anyhow!(
            "store {}: {how}; it is damaged and is left as it is: restore it from a copy, or name \
             another file with --store",
            self.path.display()
        )
    }

    /// How many cells are in which state.
    pub fn counts(&self) -> Result<Counts> {
        let sql = "SELECT state, count(*) FROM cells GROUP BY state";
        let mut statement = self.told(self.connection.prepare(sql))?;
        let rows =
            statement.query_map([], |r| Ok((r.get::<_, String>(0)?, r.get::<_, i64>(1)? as usize)));
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
        let sql = "SELECT label, coalesce(error, ''), state = 'refused' FROM cells \
                   WHERE state IN ('failed', 'refused') ORDER BY position";
        let mut statement = self.told(self.connection.prepare(sql))?;
        let rows = statement.query_map([], |r| {
            Ok(Trouble { label: r.get(0)?, error: r.get(1)?, refused: r.get(2)? })
        });
        self.told(rows.and_then(|rows| rows.collect()))
    }

    /// Seconds that the cells without a result will take one worker, from the mean of those like
    /// them; `None` as long as nothing is known.
    pub fn seconds_left(&self) -> Result<Option<f64>> {
        let sql = "SELECT sum(state IN ('waiting', 'running')), avg(seconds), count(seconds), \
                   total(seconds) FROM cells LEFT JOIN results ON cell = id GROUP BY label";
        let mut statement = self.told(self.connection.prepare(sql))?;
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

    /// Every result by cell.
    pub fn results(&self) -> Result<HashMap<String, Kept>> {
        let sql = "SELECT cell, result, checksum, seconds, peak_memory FROM results \
                   JOIN cells ON id = cell";
        let mut statement = self.told(self.connection.prepare(sql))?;
        let mut rows = self.told(statement.query([]))?;
        let mut all = HashMap::new();
        while let Some(row) = self.told(rows.next())? {
            let cell: String = self.told(row.get(0))?;
            let text: String = self.told(row.get(1))?;
            let sum: String = self.told(row.get(2))?;
            let wrong =
                || self.damaged(&format!("the result of cell {cell} is not as it was written"));
            if checksum(&text) != sum {
                return Err(wrong());
            }
            let measured = serde_json::from_str(&text).map_err(|_| wrong())?;
            let peak: Option<i64> = self.told(row.get(4))?;
            let peak_memory = peak.map(|b| b as usize);
            let spent = Spent { seconds: self.told(row.get(3))?, peak_memory };
            all.insert(cell, Kept { measured, spent });
        }
        Ok(all)
    }

    /// What is known of the cells of an experiment, by their index.
    pub fn measured(&self, cells: &[Cell]) -> Result<BTreeMap<usize, Kept>> {
        let all = self.results()?;
        let known = |(i, c): (usize, &Cell)| Some((i, all.get(&c.id)?.clone()));
        Ok(cells.iter().enumerate().filter_map(known).collect())
    }

    /// Lets failed cells be tried again, or refused ones.
    pub fn again(&mut self, state: &str) -> Result<usize> {
        self.transaction(|t| {
            let sql = "UPDATE cells SET state = 'waiting', error = NULL WHERE state = ?1";
            Ok(t.execute(sql, [state])?)
        })
    }
}
