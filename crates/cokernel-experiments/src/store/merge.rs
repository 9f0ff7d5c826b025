//! One store from several of the same experiment, as jobs of a batch queue leave them.

use super::verify::{ResultRow, each_result};
use super::{Counts, Store};
use crate::misuse::misuse;
use crate::stored::read;
use crate::{Cell, Experiment, Specification, place_of};
use anyhow::{Result, anyhow};
use rusqlite::params;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// What became of several stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merged {
    /// How many stores there were, that in which they were joined included if it was there.
    pub stores: usize,
    /// Results that it did not have.
    pub added: usize,
    /// Results that came more than once, and were the same.
    pub again: usize,
    /// The cells of all.
    pub counts: Counts,
}

/// What all stores agree on.
struct Common {
    path: PathBuf,
    specification: Specification,
    plan: Experiment,
    seed: u64,
    cells: Vec<Cell>,
    /// Tells one list of cells from another.
    digest: String,
}

/// What a cell has in one of the stores.
struct Found {
    row: ResultRow,
    store: PathBuf,
}

/// A cell without a result: its state and error.
type Trouble = (String, String);

/// Joins the results of `stores` in the store `into`, which is made if it is not there. Nothing is written unless all of
/// them fit together.
///
/// # Errors
/// A store is of another experiment, seed, version or data, or is not as it was written; two of `stores` have a result of the
/// same cell, or one and `into` have different ones.
pub fn merge(stores: &[PathBuf], into: &Path) -> Result<Merged> {
    if stores.is_empty() {
        return Err(misuse("there is no store to merge; give at least one"));
    }
    let mut all: Vec<PathBuf> = into.exists().then(|| into.to_path_buf()).into_iter().collect();
    let mut known: HashSet<PathBuf> = all.iter().filter_map(|p| p.canonicalize().ok()).collect();
    for path in stores {
        // A store that is named twice, or is that in which they are joined, is read once.
        if path.canonicalize().map_or(true, |whole| known.insert(whole)) {
            all.push(path.clone());
        }
    }
    let mut common: Option<Common> = None;
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    let mut troubles: BTreeMap<String, Trouble> = BTreeMap::new();
    let mut again = 0;
    for path in &all {
        let (store, specification, plan, seed) = read(path)?;
        let (digest, cells) = (store.about()?.cells, store.cells(&plan)?);
        let path = path.clone();
        let this = Common { path, specification, plan, seed, cells, digest };
        store.sound_results(&this.plan, &this.cells)?;
        let common = match &common {
            Some(first) => first.check(&this).map(|()| first)?,
            None => common.insert(this),
        };
        again += common.collect(&store, &mut found, into)?;
        troubles.extend(store.without_result()?);
    }
    let Some(common) = common else { return Err(misuse("there is no store to merge")) };
    let mut store = common.store(into)?;
    let added = store.add(&found, &troubles)?;
    Ok(Merged { stores: all.len(), added, again, counts: store.counts()? })
}

impl Common {
    /// Refuses a store of something else.
    fn check(&self, other: &Common) -> Result<()> {
        if self.digest == other.digest {
            return Ok(());
        }
        let (first, second) = (self.path.display(), other.path.display());
        let (old, new) = (&self.specification.text, &other.specification.text);
        let why = match () {
            () if self.seed != other.seed => {
                format!("seed {} there, {} here", self.seed, other.seed)
            }
            () if old != new => {
                let line = old.lines().zip(new.lines()).position(|(a, b)| a != b);
                let line = line.unwrap_or(old.lines().count().min(new.lines().count()));
                format!("line {} of the specification differs", line + 1)
            }
            () => "its data or its version of cokernel differ".to_string(),
        };
        Err(misuse(format!(
            "store {second} is of another experiment than {first}: {why}; only results of the same cells are joined"
        )))
    }

    /// Adds the results of a store to those that were found; how many were `into` already.
    fn collect(
        &self,
        store: &Store,
        found: &mut BTreeMap<String, Found>,
        into: &Path,
    ) -> Result<usize> {
        let wanted: HashSet<&str> = self.cells.iter().map(|c| c.id.as_str()).collect();
        let mut rows = Vec::new();
        let read = each_result(&store.connection, |_, row| {
            // Rows that are not as they were written were refused before.
            rows.extend(row.filter(|r| wanted.contains(r.cell.as_str())));
        });
        store.told(read)?;
        let (mut again, mut overlap) = (0, None);
        for row in rows {
            let Some(there) = found.get(&row.cell) else {
                let store = store.path().to_path_buf();
                found.insert(row.cell.clone(), Found { row, store });
                continue;
            };
            let name = || {
                let cell = self.cells.iter().find(|c| c.id == row.cell);
                cell.map_or(row.cell.clone(), |c| place_of(&self.plan, c))
            };
            let (first, second) = (there.store.display(), store.path().display());
            if !there.row.agrees(&row) {
                return Err(anyhow!(
                    "{}: {first} and {second} have different results of this cell, which should repeat exactly; leave one of \
                     them out, or run the cell again",
                    name()
                ));
            }
            if there.store != into && overlap.is_none() {
                overlap = Some(misuse(format!(
                    "{}: {first} and {second} both have a result of this cell, and parts of an experiment have no cell in \
                     common; leave one of them out, or merge them one after the other",
                    name()
                )));
            }
            again += 1;
        }
        overlap.map_or(Ok(again), Err)
    }

    /// The store in which all are joined.
    fn store(&self, into: &Path) -> Result<Store> {
        let (spec, plan) = (&self.specification, &self.plan);
        Ok(Store::prepare(into, spec, plan, &self.cells, self.seed, false)?.0)
    }
}

impl ResultRow {
    /// Whether both say the same, but for the time that it took.
    fn agrees(&self, other: &ResultRow) -> bool {
        let told = |row: &ResultRow| {
            let mut value: Value = serde_json::from_str(&row.result).unwrap_or_default();
            if let Value::Object(map) = &mut value {
                map.remove("seconds");
            }
            value
        };
        self.seed == other.seed && told(self) == told(other)
    }
}

impl Store {
    /// The cells that failed or were refused.
    fn without_result(&self) -> Result<Vec<(String, Trouble)>> {
        let sql =
            "SELECT id, state, coalesce(error, '') FROM cells WHERE state IN ('failed', 'refused')";
        let mut statement = self.told(self.connection.prepare(sql))?;
        let rows = statement.query_map([], |r| Ok((r.get(0)?, (r.get(1)?, r.get(2)?))));
        self.told(rows.and_then(|rows| rows.collect()))
    }

    /// Writes results and errors of cells that have none; how many results.
    fn add(
        &mut self,
        found: &BTreeMap<String, Found>,
        troubles: &BTreeMap<String, Trouble>,
    ) -> Result<usize> {
        self.transaction(|t| {
            let mut added = 0;
            for (cell, found) in found {
                let sql = "SELECT count(*) FROM results WHERE cell = ?1";
                if t.query_row(sql, [cell], |r| r.get::<_, i64>(0))? == 0 {
                    found.row.write(t)?;
                    added += 1;
                }
                let sql =
                    "UPDATE cells SET state = 'done', worker = NULL, error = NULL WHERE id = ?1";
                t.execute(sql, [cell])?;
            }
            for (cell, (state, error)) in troubles {
                let sql =
                    "UPDATE cells SET state = ?2, error = ?3 WHERE id = ?1 AND state = 'waiting'";
                t.execute(sql, params![cell, state, error])?;
            }
            Ok(added)
        })
    }
}
