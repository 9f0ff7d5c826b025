//! Rows are as they were written, or they are named: every row that decides a number has a
//! checksum, which is verified when it is read. The name of a cell is a hash of what decides its
//! result; the order of the cells and the words about the store have a checksum of their own.

use super::{Kept, Spent, Store};
use crate::{Cell, Experiment, hexadecimal, id_of, place_of};
use anyhow::Result;
use rusqlite::{Connection, Row, Transaction, params};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The key of the checksum in the table about the store.
pub const ABOUT_SUM: &str = "checksum";

/// Damaged cells that an error names.
const NAMED: usize = 5;

/// Parts of a row, each with its length, so that no part can pass for that of another.
struct Sum(Sha256);

impl Sum {
    fn part(mut self, part: &[u8]) -> Self {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    fn text(self) -> String {
        hexadecimal(&self.0.finalize()[..16])
    }
}

/// What tells one list of cells from another.
pub fn digest<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    ids.for_each(|id| hash.update(id.as_bytes()));
    hexadecimal(&hash.finalize()[..16])
}

/// The checksum of what a store says about itself.
pub fn about_sum(pairs: &BTreeMap<String, String>) -> String {
    let told = pairs.iter().filter(|p| p.0 != ABOUT_SUM);
    told.fold(Sum(Sha256::new()), |s, (k, v)| s.part(k.as_bytes()).part(v.as_bytes())).text()
}

/// A row of results.
pub struct ResultRow {
    pub cell: String,
    pub seed: i64,
    pub version: String,
    pub decided_by: String,
    pub scores: String,
    pub weights: String,
    pub trace: String,
    pub result: String,
    pub seconds: f64,
    pub peak_memory: Option<i64>,
    pub finished: i64,
}

/// The columns of [`ResultRow`], and the checksum behind them.
const COLUMNS: &str = "cell, seed, version, decided_by, scores, weights, trace, result, seconds, \
                       peak_memory, finished, checksum";

impl ResultRow {
    fn checksum(&self) -> String {
        let texts = [
            &self.cell,
            &self.version,
            &self.decided_by,
            &self.scores,
            &self.weights,
            &self.trace,
            &self.result,
        ];
        let sum = texts.iter().fold(Sum(Sha256::new()), |s, t| s.part(t.as_bytes()));
        let peak = self.peak_memory.map_or(Vec::new(), |b| b.to_le_bytes().to_vec());
        sum.part(&self.seed.to_le_bytes())
            .part(&self.seconds.to_bits().to_le_bytes())
            .part(&peak)
            .part(&self.finished.to_le_bytes())
            .text()
    }

    pub fn write(&self, t: &Transaction<'_>) -> rusqlite::Result<()> {
        let sql = format!(
            "INSERT OR REPLACE INTO results ({COLUMNS}) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
        );
        t.execute(
            &sql,
            params![
                self.cell,
                self.seed,
                self.version,
                self.decided_by,
                self.scores,
                self.weights,
                self.trace,
                self.result,
                self.seconds,
                self.peak_memory,
                self.finished,
                self.checksum(),
            ],
        )?;
        Ok(())
    }

    /// The row with the checksum that stands behind it.
    fn read(row: &Row<'_>) -> rusqlite::Result<(Self, String)> {
        let read = ResultRow {
            cell: row.get(0)?,
            seed: row.get(1)?,
            version: row.get(2)?,
            decided_by: row.get(3)?,
            scores: row.get(4)?,
            weights: row.get(5)?,
            trace: row.get(6)?,
            result: row.get(7)?,
            seconds: row.get(8)?,
            peak_memory: row.get(9)?,
            finished: row.get(10)?,
        };
        Ok((read, row.get(11)?))
    }

    /// Whether it belongs to its cell, and is as it was written.
    fn is_sound(&self, checksum: &str) -> bool {
        self.checksum() == *checksum && id_of(&self.decided_by) == self.cell
    }

    fn kept(&self) -> Option<Kept> {
        let peak_memory = self.peak_memory.map(|b| b as usize);
        let measured = serde_json::from_str(&self.result).ok()?;
        Some(Kept { measured, spent: Spent { seconds: self.seconds, peak_memory } })
    }
}

/// Calls `each` with every result, by the name of its cell as it stands there; `None` for what is
/// not as it was written.
pub fn each_result(
    connection: &Connection,
    mut each: impl FnMut(Option<String>, Option<ResultRow>),
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(&format!("SELECT {COLUMNS} FROM results"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        // A column that holds another type, or no text, is damage of this row alone.
        let found = ResultRow::read(row).ok().filter(|(r, sum)| r.is_sound(sum)).map(|r| r.0);
        each(row.get(0).ok(), found);
    }
    Ok(())
}

/// The results of an experiment.
pub struct Results {
    /// By index of the cell.
    pub kept: BTreeMap<usize, Kept>,
    /// Cells that had a result which is lost or not as it was written.
    pub damaged: Vec<usize>,
}

impl Store {
    /// The results of the cells of an experiment.
    pub fn results(&self, cells: &[Cell]) -> Result<Results> {
        // Before the results: what another process ends in between has one then.
        let mut statement =
            self.told(self.connection.prepare("SELECT id FROM cells WHERE state = 'done'"))?;
        let done = statement.query_map([], |r| r.get::<_, String>(0));
        let done: HashSet<String> = self.told(done.and_then(|rows| rows.collect()))?;
        let (mut sound, mut damaged) = (HashMap::new(), HashSet::new());
        let wanted: HashSet<&str> = cells.iter().map(|c| c.id.as_str()).collect();
        let read = each_result(&self.connection, |cell, row| {
            let Some(cell) = cell.filter(|c| wanted.contains(c.as_str())) else { return };
            match row.and_then(|r| r.kept()) {
                Some(kept) => drop(sound.insert(cell, kept)),
                None => drop(damaged.insert(cell)),
            }
        });
        self.told(read)?;
        let lost = |c: &Cell| {
            !sound.contains_key(&c.id) && (damaged.contains(&c.id) || done.contains(&c.id))
        };
        Ok(Results {
            damaged: (0..cells.len()).filter(|&i| lost(&cells[i])).collect(),
            kept: cells
                .iter()
                .enumerate()
                .filter_map(|(i, c)| Some((i, sound.get(&c.id)?.clone())))
                .collect(),
        })
    }

    /// As [`results`](Self::results), where a result that is not as it was written is an error.
    pub fn sound_results(
        &self,
        plan: &Experiment,
        cells: &[Cell],
    ) -> Result<BTreeMap<usize, Kept>> {
        let Results { kept, damaged } = self.results(cells)?;
        let mut names: Vec<String> = damaged.iter().map(|&i| place_of(plan, &cells[i])).collect();
        if names.is_empty() {
            return Ok(kept);
        }
        let all = match names.len() {
            1 => "1 result is not as it was".to_string(),
            n => format!("{n} results are not as they were"),
        };
        if names.len() > NAMED {
            names.truncate(NAMED);
            names.push("…".to_string());
        }
        Err(self.damaged(&format!("{all} written: {}", names.join("; "))))
    }

    /// The order of the cells as it stands there.
    pub(super) fn placed(&self) -> Result<String> {
        let sql = "SELECT cell FROM places ORDER BY position";
        let mut statement = self.told(self.connection.prepare(sql))?;
        let rows = statement.query_map([], |r| r.get::<_, String>(0));
        let ids: Vec<String> = self.told(rows.and_then(|rows| rows.collect()))?;
        Ok(digest(ids.iter().map(String::as_str)))
    }

    /// Whether every cell has the name of what decides its result.
    pub(super) fn names_are_sound(&self) -> Result<bool> {
        let mut statement =
            self.told(self.connection.prepare("SELECT id, decided_by FROM cells"))?;
        let mut rows = self.told(statement.query([]))?;
        while let Some(row) = self.told(rows.next())? {
            let pair: rusqlite::Result<(String, String)> =
                row.get(0).and_then(|id| Ok((id, row.get(1)?)));
            if !pair.is_ok_and(|(id, decided_by)| id_of(&decided_by) == id) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes results that are not as they were written out of the store; the names of the cells
    /// that wait again therefore, or because their result is lost.
    pub(super) fn heal(&mut self) -> Result<HashSet<String>> {
        self.transaction(|t| {
            let (mut sound, mut bad) = (HashSet::new(), 0);
            each_result(t, |_, row| match row {
                Some(row) => drop(sound.insert(row.cell)),
                None => bad += 1,
            })?;
            if bad > 0 {
                let names = serde_json::to_string(&sound)?;
                let sql = "DELETE FROM results WHERE cell NOT IN (SELECT value FROM json_each(?1))";
                t.execute(sql, [names])?;
            }
            let sql = "UPDATE cells SET state = 'waiting', worker = NULL, error = NULL \
                       WHERE state = 'done' AND id NOT IN (SELECT cell FROM results) \
                       RETURNING id";
            let mut statement = t.prepare(sql)?;
            let ids = statement.query_map([], |r| r.get(0))?;
            Ok(ids.collect::<rusqlite::Result<HashSet<String>>>()?)
        })
    }

    /// Brings a store of format 1 to format 2: there, the checksum was that of the result alone.
    pub(super) fn upgrade(&mut self, format: i32) -> Result<()> {
        self.transaction(|t| {
            if t.pragma_query_value(None, "user_version", |r| r.get::<_, i32>(0))? == format {
                return Ok(());
            }
            t.execute_batch("ALTER TABLE cells ADD COLUMN lost INTEGER NOT NULL DEFAULT 0")?;
            let mut rows = Vec::new();
            {
                let mut statement = t.prepare(&format!("SELECT {COLUMNS} FROM results"))?;
                let mut all = statement.query([])?;
                while let Some(row) = all.next()? {
                    rows.extend(ResultRow::read(row).ok());
                }
            }
            for (row, sum) in rows {
                let old = hexadecimal(&Sha256::digest(row.result.as_bytes())[..8]);
                if old == sum && id_of(&row.decided_by) == row.cell {
                    row.write(t)?;
                }
            }
            let pairs = about_pairs(t)?;
            let sql = "INSERT OR REPLACE INTO about VALUES (?1, ?2)";
            t.execute(sql, params![ABOUT_SUM, about_sum(&pairs)])?;
            t.pragma_update(None, "user_version", format)?;
            Ok(())
        })
    }
}

/// Everything that a store says about itself.
pub fn about_pairs(connection: &Connection) -> rusqlite::Result<BTreeMap<String, String>> {
    let mut statement = connection.prepare("SELECT key, value FROM about")?;
    let pairs = statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?;
    pairs.collect()
}
