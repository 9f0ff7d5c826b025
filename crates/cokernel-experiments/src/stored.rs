//! An experiment with its store from the first cell to tables and page, in one process.

use crate::page::{self, Material};
use crate::plan::MOST_CELLS;
use crate::store::{Counts, Kept, Shard, Store, Trouble};
use crate::worker::work;
use crate::{Cell, Collected, Done, Experiment, Specification, collect};
use anyhow::{Context, Result};
use cokernel::{Event, Run, Status};
use std::collections::BTreeMap;
use std::path::Path;

/// The experiment that a store holds, with what is there of its results.
pub struct Stored {
    /// The text of the experiment.
    pub specification: Specification,
    /// What it means; its paths are of no use where the store is only read.
    pub plan: Experiment,
    /// Seed of the first data set.
    pub seed: u64,
    /// All cells.
    pub cells: Vec<Cell>,
    /// Results by index of the cell.
    pub kept: BTreeMap<usize, Kept>,
    /// Tables of what is there, one for each data set.
    pub collected: Vec<Collected>,
    /// How many cells are in which state.
    pub counts: Counts,
    /// Cells without a result, and why.
    pub troubles: Vec<Trouble>,
    /// The name of the store's file.
    pub name: String,
}

impl Specification {
    /// The same, shortened: see `quick` of the file.
    ///
    /// # Errors
    /// It is no TOML.
    pub fn quick(&self) -> Result<Self> {
        let mut content: toml::Table = toml::from_str(&self.text)?;
        content.insert("quick".to_string(), toml::Value::Boolean(true));
        Ok(Specification { text: toml::to_string(&content)?, ..self.clone() })
    }

    /// What it means with these numbers of drawn data sets and of repetitions of the splits in place of its own, and
    /// its text with them.
    ///
    /// # Errors
    /// It means nothing; it has more cells than can be kept.
    pub fn with(
        &self,
        sets: Option<usize>,
        repeats: Option<usize>,
    ) -> Result<(Specification, Experiment)> {
        let mut plan = self.parse()?;
        for data in plan.data.iter_mut().filter(|d| d.source.is_drawn()) {
            data.sets = sets.unwrap_or(data.sets);
        }
        if let Some(repeats) = repeats {
            plan.protocol.repeat(repeats);
        }
        if plan.protocol.given && (sets.is_some_and(|s| s > 1) || repeats.is_some()) {
            let name = if repeats.is_some() { "repeats" } else { "sets" };
            let problem = format!("the splits of {} are those of a file", plan.id);
            return Err(cokernel::Error::parameter(name, problem).into());
        }
        if plan.size() > MOST_CELLS as f64 {
            let problem = format!("{} would have more than {MOST_CELLS} cells", plan.id);
            let name = if repeats.is_some() { "repeats" } else { "sets" };
            return Err(cokernel::Error::parameter(name, problem).into());
        }
        let spec = match (sets, repeats) {
            (None, None) => self.clone(),
            _ => self.with_numbers(&plan)?,
        };
        Ok((spec, plan))
    }
}

/// How [`Stored::run`] treats a store that is there.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner {
    /// Another specification replaces that of the store; cells that are the same keep their results.
    pub update: bool,
    /// Cells that failed are tried again.
    pub retry: bool,
    /// Only these cells are computed, counted and told of.
    pub shard: Option<Shard>,
}

impl Stored {
    /// Computes what the store lacks, and remarks about results that were mended. `data`: the folder of data sets;
    /// `available`: bytes that the machine has for this.
    ///
    /// # Errors
    /// The store holds another experiment, or cannot be read or written; data cannot be read. Cells that fail are
    /// told by `troubles`.
    pub fn run(
        path: &Path,
        (spec, plan): (&Specification, Experiment),
        data: Option<&Path>,
        available: Option<usize>,
        manner: Manner,
        run: &Run,
    ) -> Result<(Self, Vec<String>)> {
        spec.check_folds(&plan, data, run.seed)?;
        let cells = plan.cells(data, run.seed)?;
        let (mut store, mended) =
            Store::prepare(path, spec, &plan, &cells, run.seed, manner.update)?;
        if let Some(shard) = manner.shard {
            store.restrict(&shard.ids(&plan, &cells))?;
        }
        store.again("refused")?;
        if manner.retry {
            store.again("failed")?;
        }
        let (watch, all) = (run.watch(), store.counts()?.all());
        run.tell(Event::Begin { stage: &plan.id, total: Some(all as u64) });
        let mut tell = |store: &Store, run: &Run| {
            // Progress is not worth an error; the work itself meets it, if it stays.
            let ended = store.counts().map_or(0, |c| c.ended());
            run.tell(Event::Step { done: ended as u64, message: "" });
        };
        work(&mut store, &plan, &cells, data, available, run, &mut tell)?;
        let stopped = watch.stop();
        Ok((Self::of(&store, (spec.clone(), plan), run.seed, cells, stopped)?, mended))
    }

    /// What is in a store.
    ///
    /// # Errors
    /// There is none, or it is not as it was written.
    pub fn open(path: &Path) -> Result<Self> {
        let (store, spec, plan, seed) = read(path)?;
        let cells = store.cells(&plan)?;
        Self::of(&store, (spec, plan), seed, cells, None)
    }

    fn of(
        store: &Store,
        (specification, plan): (Specification, Experiment),
        seed: u64,
        cells: Vec<Cell>,
        stopped: Option<Status>,
    ) -> Result<Self> {
        let kept = store.sound_results(&plan, &cells)?;
        let results = kept.iter().map(|(i, k)| (*i, k.measured.clone())).collect();
        let done = Done { cells: &cells, results: &results, seed };
        let seconds = kept.values().map(|k| k.spent.seconds).sum();
        let stopped = stopped.filter(|_| kept.len() < cells.len());
        let collected = collect(&plan, &done, stopped, seconds);
        let name = store.path().file_name().map(|n| n.to_string_lossy().into_owned());
        let (counts, troubles) = (store.counts()?, store.troubles()?);
        let name = name.unwrap_or_default();
        Ok(Stored { specification, plan, seed, cells, kept, collected, counts, troubles, name })
    }

    /// Everything a page is made of.
    pub fn material(&self) -> Material<'_> {
        Material {
            plan: &self.plan,
            spec: &self.specification,
            seed: self.seed,
            cells: &self.cells,
            kept: &self.kept,
            collected: &self.collected,
            counts: self.counts,
            troubles: &self.troubles,
            store: self.name.clone(),
        }
    }

    /// Writes page, tables and pictures into a folder that is there; the names of the files.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write_page(&self, folder: &Path) -> Result<Vec<String>> {
        page::write_all(&self.material(), folder)
    }
}

/// A store, its specification, what that means, and its seed.
///
/// # Errors
/// As [`Stored::open`].
pub fn read(path: &Path) -> Result<(Store, Specification, Experiment, u64)> {
    let store = Store::open(path)?;
    let about = store.about()?;
    let plan = about.specification.parse().with_context(|| format!("store {}", path.display()))?;
    Ok((store, about.specification, plan, about.seed))
}
