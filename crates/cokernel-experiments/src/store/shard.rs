//! A part of the cells, for one job of a batch queue.

use super::Store;
use crate::plan::Experiment;
use crate::{Cell, cells::Group};
use anyhow::Result;
use cokernel::Error;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::str::FromStr;

/// The k-th of n parts of the cells of an experiment, written `k/n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `of`.
    number: usize,
    of: usize,
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let numbers = text
            .split_once('/')
            .and_then(|(number, of)| Some((number.trim().parse().ok()?, of.trim().parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Shard { number, of }),
            _ => Err(Error::parameter(
                "shard",
                format!("found '{text}'; expected K/N with K from 1 to N, such as 3/16"),
            )),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl Shard {
    /// The names of its cells. The parts are the same whoever asks, have no cell in common, and together have all.
    /// Cells that can share kernels stay together where there are enough such groups for all parts.
    pub fn ids<'a>(&self, plan: &Experiment, cells: &'a [Cell]) -> BTreeSet<&'a str> {
        let mut groups: HashMap<Group, usize> = HashMap::new();
        // A cell may stand at several places: the first one counts.
        let mut places: HashMap<&str, (usize, usize)> = HashMap::new();
        for cell in cells {
            let next = groups.len();
            let group = *groups.entry(plan.group(cell)).or_insert(next);
            let place = places.len();
            places.entry(&cell.id).or_insert((group, place));
        }
        let by_group = groups.len() >= self.of;
        let mine = |(group, place): (usize, usize)| {
            (if by_group { group } else { place }) % self.of == self.number - 1
        };
        places.into_iter().filter(|(_, at)| mine(*at)).map(|(id, _)| id).collect()
    }
}

impl Store {
    /// From now on only these cells are claimed, counted and told of; the others are left to others.
    pub fn restrict(&mut self, ids: &BTreeSet<&str>) -> Result<()> {
        let names = serde_json::to_string(ids)?;
        let make = || {
            // Of this connection alone: the file knows nothing of parts.
            self.connection.execute_batch("CREATE TEMP TABLE mine (id TEXT PRIMARY KEY)")?;
            self.connection
                .execute("INSERT INTO temp.mine SELECT value FROM json_each(?1)", [&names])
        };
        let made = make();
        self.told(made)?;
        self.part = true;
        Ok(())
    }

    /// The condition on cells that this store is restricted to.
    pub(super) fn mine(&self) -> &'static str {
        if self.part { "id IN (SELECT id FROM temp.mine)" } else { "1" }
    }
}
