//! Experiments of Cokernel: published tables and figures as files, what they mean, and what running them gives.
//!
//! A [`Specification`] is a text in TOML; [`Specification::parse`] makes the [`Experiment`] that it means. Its
//! [`Cell`]s (one variant of one row on one split of one data set) are computed in one go by [`run()`], or cell by cell into
//! a [`store::Store`] by [`work`], by several processes side by side; [`collect()`] makes tables of what is there and
//! [`page`] a page of it. Nothing here knows a terminal: progress goes to the observer of a [`cokernel::Run`].

mod bench;
mod cells;
mod collect;
mod file;
pub mod files;
mod folds;
mod generator;
pub mod input;
mod measured;
pub mod misuse;
mod outcome;
pub mod page;
mod plan;
pub mod print;
pub mod reproduction;
mod runner;
mod score;
mod selection;
mod source;
pub mod store;
mod stored;
pub mod system;
pub mod table;
pub mod tasks;
pub mod visible;
pub mod words;
mod worker;

pub use cells::{Cell, id_of, label_of, place_of};
pub use collect::{Collected, Done, collect};
pub use file::EXAMPLE;
pub use generator::{GENERATORS, N, Toy};
pub use measured::Measured;
pub use outcome::{Outcome, Picked, mean as mean_of};
pub use plan::{Data, Experiment, Learning, MOST_CELLS, MOST_SETS, MOST_STARTS};
pub use runner::run;
pub use score::Score;
pub use source::{DATA_VARIABLE, Source, data_folder, hexadecimal, subset};
pub use stored::{Manner, Stored, read};
pub use worker::work;

use anyhow::{Context, Result};
use cokernel::Error;
use std::path::{Path, PathBuf};

/// The text of an experiment, and where it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Specification {
    /// As it stands in errors: `experiments/lms-3.3.toml`.
    pub place: String,
    /// The id of an experiment without one of its own.
    pub id: String,
    /// The specification in TOML.
    pub text: String,
    /// Paths are relative to this folder.
    pub base: PathBuf,
}

impl Specification {
    /// An experiment that comes with the program, or a file. `others`: what else the name could
    /// have been, for the suggestion.
    pub fn find(name: &str, others: &[&str]) -> Result<Self> {
        if let Some((id, text)) = SHIPPED.iter().find(|e| e.0 == name) {
            return Ok(Specification {
                place: format!("experiments/{id}.toml"),
                id: id.to_string(),
                text: text.to_string(),
                base: PathBuf::from("."),
            });
        }
        let path = Path::new(name);
        if path.extension().is_none_or(|e| e != "toml") && !path.is_file() {
            let known = SHIPPED.iter().map(|e| e.0).chain(others.iter().copied());
            return Err(Error::unknown("experiment", name, known).into());
        }
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the experiment {}", path.display()))?;
        let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned());
        Ok(Specification {
            place: name.to_string(),
            id: stem.unwrap_or_else(|| "experiment".to_string()),
            text,
            base: path.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf),
        })
    }

    /// The same with the content of files of splits in place of their names.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn self_contained(&self) -> Result<Self> {
        let text = plan::self_contained(&self.text, &self.base)?;
        Ok(Specification { text: text.unwrap_or_else(|| self.text.clone()), ..self.clone() })
    }

    /// What it means.
    pub fn parse(&self) -> Result<Experiment> {
        Experiment::parse(&self.place, &self.id, &self.text, &self.base)
    }

    /// The same with the numbers of drawn sets and of repetitions that `plan`, which was read from it, has by now: a
    /// store then says what it holds. Comments are left out.
    pub fn with_numbers(&self, plan: &Experiment) -> Result<Self> {
        let mut content: toml::Table = toml::from_str(&self.text)?;
        let put = |entry: &mut toml::Value, key: &str, number: usize| {
            if let Some(table) = entry.as_table_mut() {
                table.insert(key.to_string(), toml::Value::Integer(number as i64));
            }
        };
        let entries = match content.get_mut("data") {
            Some(toml::Value::Array(several)) => several.as_mut_slice(),
            Some(one) => std::slice::from_mut(one),
            None => &mut [],
        };
        for (entry, data) in entries.iter_mut().zip(&plan.data) {
            if data.source.is_drawn() {
                put(entry, "sets", data.sets);
            }
        }
        if let (Some(repeats), Some(entry)) = (plan.protocol.repeats(), content.get_mut("protocol"))
        {
            put(entry, "repeats", repeats);
        }
        Ok(Specification { text: toml::to_string(&content)?, ..self.clone() })
    }

    /// Refuses folds that the labels of data in files do not suffice for.
    pub fn check_folds(&self, plan: &Experiment, folder: Option<&Path>, seed: u64) -> Result<()> {
        plan.check_folds((&self.place, &self.text), folder, seed)
    }
}

macro_rules! shipped {
    ($($id:literal)*) => {
        &[$(($id, include_str!(concat!("../../../experiments/", $id, ".toml")))),*]
    };
}

/// The files that come with the program, by id: one line each.
pub static SHIPPED: &[(&str, &str)] = shipped! {
    "lms-3.1"
    "lms-3.2"
    "lms-3.2-unit"
    "lms-3.3"
    "lms-3.3-cca"
    "lms-3.4"
    "lms-3.5"
    "lms-4.1-synthetic-1"
    "lms-4.1-synthetic-2"
    "lms-4.1-handwritten"
    "lms-4.1-lambda"
    "crsc-1-handwritten"
    "lms-fig-3.2"
    "lms-fig-3.3"
    "lms-3.3.3-uninformative"
    "lms-3.3.3-uninformative-random"
    "lms-3.3.3-contradictory"
    "lms-fig-3.4"
    "lms-fig-3.5"
    "lms-fig-4.2"
    "lms-5.2-sonar"
    "lms-5.2-ionosphere"
    "lms-5.2-pima"
    "lms-5.2-vertebral"
    "lms-6.3-sonar"
    "lms-6.3-ionosphere"
    "lms-6.3-pima"
    "lms-6.3-vertebral"
    "lmka-5.6"
    "lmka-5.10"
    "lmka-5.11"
    "lmka-5.12"
    "gmkd-1"
    "pendigits-multi"
};

#[cfg(test)]
mod tests;
