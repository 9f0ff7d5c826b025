//! Splits that are given, and files of splits.

use super::{Protocol, Split, Splits};
use crate::data::{Labels, atomic_write};
use crate::{Error, Result, VERSION};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::Path;

/// The most instances that a file of splits may speak of: more are a mistake in the file, as codes of classes have 32 bits.
const MOST_INSTANCES: usize = u32::MAX as usize;

/// The version of the format.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct File {
    format: u32,
    library_version: String,
    #[serde(default)]
    name: Option<String>,
    /// Of the draw; the protocol's words.
    how: String,
    protocol: Protocol,
    seed: u64,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    transductive: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<String>>,
    #[serde(flatten)]
    of: Origin,
    splits: Vec<Split>,
}

/// Of what splits were made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Origin {
    pub instances: usize,
    /// Tells labels in one order from others; none where there were no labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    labels: Option<String>,
    /// Tells names of instances in one order from others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ids: Option<String>,
}

impl Origin {
    pub fn of(labels: &Labels) -> Self {
        Origin { instances: labels.len(), labels: fingerprint(labels), ids: None }
    }
}

const START: u64 = 0xcbf2_9ce4_8422_2325;

fn mixed(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// A number for the names of the instances in their order.
fn names(ids: &[String]) -> String {
    let hash = ids.iter().fold(START, |h, id| mixed(mixed(h, id.as_bytes()), &[0]));
    format!("{hash:016x}")
}

/// A number for the partition of the instances by their labels: the same labels in another order, or other labels, have
/// another one. FNV-1a.
fn fingerprint(labels: &Labels) -> Option<String> {
    let mut hash = START;
    let mut put = |value: u64| hash = mixed(hash, &value.to_le_bytes());
    match labels {
        Labels::Absent(_) => return None,
        Labels::Real(values) => values.iter().for_each(|v| put(v.map_or(u64::MAX, f64::to_bits))),
        Labels::Classes { codes, .. } => {
            // By first appearance: what classes are called does not matter.
            let mut seen: HashMap<u32, u64> = HashMap::new();
            for code in codes {
                put(code.map_or(u64::MAX, |c| {
                    let next = seen.len() as u64;
                    *seen.entry(c).or_insert(next)
                }));
            }
        }
    }
    Some(format!("{hash:016x}"))
}

impl Splits {
    /// Splits that somebody else made of these labels. Row numbers need no order and become increasing.
    ///
    /// # Errors
    /// A split without training or test instances, a row that does not exist, has no label (to test on) or is there
    /// twice.
    pub fn given(splits: Vec<Split>, labels: &Labels) -> Result<Self> {
        let splits: Vec<Split> = splits.into_iter().map(increasing).collect();
        possible(&splits, labels.len())?;
        tested(&splits, labels)?;
        Ok(Self::made(Protocol::Given { splits: splits.len() }, 0, splits, labels))
    }

    /// The splits that a column says, one text for each instance: `train` and `test` (and `validation`) make one split,
    /// other words are the names of folds, each of which is tested once, in the order of their first appearance. Instances
    /// with an empty text take no part.
    ///
    /// # Errors
    /// One name only; as [`given`](Self::given).
    pub fn of_column(column: &[String], labels: &Labels) -> Result<Self> {
        if column.len() != labels.len() {
            let expected = format!("{}, one for each instance", labels.len());
            return Err(Error::shape("split column", expected, column.len()));
        }
        const MISSING: [&str; 5] = ["", "?", "NA", "nan", "NaN"];
        let text = |i: usize| Some(column[i].trim()).filter(|t| !MISSING.contains(t));
        let side = |t: &str| match t.to_lowercase().as_str() {
            "train" | "training" => Some(0),
            "test" => Some(1),
            "validation" | "valid" | "val" => Some(2),
            _ => None,
        };
        let all: Vec<usize> = match labels {
            Labels::Absent(n) => (0..*n).collect(),
            _ => labels.known_rows(),
        };
        let mut names: Vec<&str> = Vec::new();
        for text in (0..column.len()).filter_map(text) {
            if !names.contains(&text) {
                names.push(text);
            }
        }
        let sides = names.iter().filter(|n| side(n).is_some()).count();
        let is_one = names.iter().any(|n| side(n) == Some(0) || side(n) == Some(1));
        if is_one && sides < names.len() {
            let other = names.iter().find(|n| side(n).is_none()).unwrap_or(&"");
            return Err(Error::Labels(format!(
                "split column: expected train, test and validation, or the names of folds, found '{other}' beside these"
            )));
        }
        let rows = |is: &dyn Fn(&str) -> bool| -> Vec<usize> {
            all.iter().copied().filter(|&i| text(i).is_some_and(is)).collect()
        };
        let splits = match is_one {
            true => vec![Split {
                train: rows(&|t| side(t) == Some(0)),
                test: rows(&|t| side(t) == Some(1)),
                validation: rows(&|t| side(t) == Some(2)),
            }],
            false if names.len() < 2 => {
                return Err(Error::Labels(format!(
                    "split column: expected train and test, or the names of at least two folds, found {}",
                    names.first().map_or("nothing".to_string(), |n| format!("'{n}' only"))
                )));
            }
            false => names
                .iter()
                .map(|n| Split {
                    train: rows(&|t| t != *n),
                    test: rows(&|t| t == *n),
                    validation: Vec::new(),
                })
                .collect(),
        };
        Self::given(splits, labels)
    }

    /// The same with a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The same, transductive: test instances are learned from, too, without their labels.
    #[must_use]
    pub fn transductive(self) -> Self {
        Splits { transductive: true, ..self }
    }

    /// The same, of instances with these names.
    #[must_use]
    pub fn of_ids(mut self, ids: &[String]) -> Self {
        self.of.ids = Some(names(ids));
        self
    }

    /// Compares them with the labels of instances, and with their names if both have some.
    ///
    /// # Errors
    /// They were made of other labels, of other instances, or of the same in another order; an instance to test on has no
    /// label.
    pub fn check(&self, labels: &Labels, ids: Option<&[String]>) -> Result<()> {
        let Origin { instances, labels: before, ids: named } = &self.of;
        if *instances != labels.len() {
            return Err(wrong(format!(
                "they were made of {instances} instances, found {}",
                labels.len()
            )));
        }
        if let (Some(before), Some(now)) = (before, fingerprint(labels))
            && *before != now
        {
            return Err(wrong("they were made of other labels, or of the same in another order"));
        }
        if let (Some(before), Some(ids)) = (named, ids)
            && *before != names(ids)
        {
            let problem =
                "they were made of other instances, or of the same in another order, by their ids";
            return Err(wrong(problem));
        }
        tested(&self.splits, labels)
    }

    /// Refuses training sets that lack a class, of which nothing could be learned. For outlier detection, which may learn from one class, this is
    /// not asked.
    ///
    /// # Errors
    /// A training set has no instance of some class; the split and the class are named.
    pub fn check_classes(&self, labels: &Labels) -> Result<()> {
        let Labels::Classes { names, codes } = labels else { return Ok(()) };
        let mut of_all = vec![false; names.len()];
        codes.iter().flatten().for_each(|&c| of_all[c as usize] = true);
        for (s, split) in self.splits.iter().enumerate() {
            let mut here = vec![false; names.len()];
            let known = split.train.iter().filter_map(|&i| codes.get(i).copied().flatten());
            known.for_each(|c| here[c as usize] = true);
            if let Some(c) = (0..names.len()).find(|&c| of_all[c] && !here[c]) {
                let problem = format!("the training set has no instance of class '{}'", names[c]);
                return Err(Error::Labels(format!("split {s}: {problem}")));
            }
        }
        Ok(())
    }

    /// A number for the rows of all splits, in hexadecimal digits: the same splits have the same, whoever drew them, others another one.
    /// FNV-1a.
    pub fn digest(&self) -> String {
        let mut hash = START;
        for split in &self.splits {
            for rows in [&split.train, &split.test, &split.validation] {
                let length = (rows.len() as u64).to_le_bytes();
                hash = mixed(hash, &length);
                hash = rows.iter().fold(hash, |h, row| mixed(h, &(*row as u64).to_le_bytes()));
            }
        }
        format!("{hash:016x}")
    }

    /// As JSON: how and of which labels (and instances, if they have names) they were made, and their rows, from 0.
    ///
    /// # Errors
    /// A number that JSON cannot hold.
    pub fn to_json(&self) -> Result<String> {
        let file = File {
            format: FORMAT,
            library_version: VERSION.to_string(),
            name: self.name.clone(),
            how: self.how(),
            protocol: self.protocol,
            seed: self.seed,
            transductive: self.transductive,
            groups: self.groups.clone(),
            of: self.of.clone(),
            splits: self.splits.clone(),
        };
        let text = serde_json::to_string(&file).map_err(wrong)?;
        Ok(text + "\n")
    }

    /// What [`to_json`](Self::to_json) wrote. Whether they belong to some labels is for [`check`](Self::check).
    ///
    /// # Errors
    /// Text that is none of splits, or of a newer version; rows that do not exist or are there twice; not as many splits
    /// as the protocol makes.
    pub fn from_json(text: &str) -> Result<Self> {
        let text = text.trim_start_matches('\u{feff}');
        let file: File = serde_json::from_str(text).map_err(|e| {
            wrong(format!("expected what `cokernel splits` writes, found other text: {e}"))
        })?;
        if file.format > FORMAT {
            return Err(wrong(format!(
                "format {} is newer than this version of Cokernel reads ({FORMAT})",
                file.format
            )));
        }
        let File { protocol, seed, name, transductive, groups, of, splits, .. } = file;
        if of.instances > MOST_INSTANCES {
            let found = of.instances;
            return Err(wrong(format!(
                "expected at most {MOST_INSTANCES} instances, found {found}"
            )));
        }
        if groups.as_ref().is_some_and(|g| g.len() != of.instances) {
            return Err(wrong("there is not one group for each instance"));
        }
        if splits.len() != protocol.splits() {
            let (found, expected) = (splits.len(), protocol.splits());
            return Err(wrong(format!("{protocol} makes {expected} splits, found {found}")));
        }
        // Increasing, whatever was done to the file.
        let splits: Vec<Split> = splits.into_iter().map(increasing).collect();
        possible(&splits, of.instances)?;
        Ok(Splits { protocol, seed, name, transductive, groups, splits, of })
    }

    /// Writes a file of splits in one step.
    ///
    /// # Errors
    /// As [`to_json`](Self::to_json); the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let (path, text) = (path.as_ref(), self.to_json()?);
        atomic_write(path, |out| {
            let io = |source| Error::Io { path: path.to_path_buf(), source };
            out.write_all(text.as_bytes()).map_err(io)
        })
    }

    /// Reads a file of splits.
    ///
    /// # Errors
    /// The file cannot be read; as [`from_json`](Self::from_json).
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let io = |source| Error::Io { path: path.to_path_buf(), source };
        Self::from_json(&std::fs::read_to_string(path).map_err(io)?)
    }
}

fn wrong(problem: impl std::fmt::Display) -> Error {
    Error::Data(format!("splits: {problem}"))
}

fn increasing(mut split: Split) -> Split {
    for rows in [&mut split.train, &mut split.test, &mut split.validation] {
        rows.sort_unstable();
    }
    split
}

/// Refuses instances to test on that have no label.
fn tested(splits: &[Split], labels: &Labels) -> Result<()> {
    if let Labels::Absent(_) = labels {
        return Ok(());
    }
    let mut known = vec![false; labels.len()];
    labels.known_rows().into_iter().for_each(|i| known[i] = true);
    for (s, split) in splits.iter().enumerate() {
        if let Some(row) = split.test.iter().chain(&split.validation).find(|i| !known[**i]) {
            let problem = format!("split {s}: row {row} is to be tested and has no label");
            return Err(Error::Data(problem));
        }
    }
    Ok(())
}

/// Refuses what is no split of n instances.
fn possible(splits: &[Split], n: usize) -> Result<()> {
    if splits.is_empty() {
        return Err(wrong("expected at least one, found none"));
    }
    let validated = splits.iter().filter(|s| !s.validation.is_empty()).count();
    if validated > 0 && validated < splits.len() {
        return Err(wrong(format!(
            "expected a validation set in all or in none, found {validated} in {} splits",
            splits.len()
        )));
    }
    for (s, split) in splits.iter().enumerate() {
        let wrong = |problem: String| Err(Error::Data(format!("split {s}: {problem}")));
        if split.train.is_empty() || split.test.is_empty() {
            return wrong("expected training and test instances, found an empty set".to_string());
        }
        let mut seen = HashSet::new();
        for &row in split.train.iter().chain(&split.test).chain(&split.validation) {
            if row >= n {
                return wrong(format!("row {row} does not exist; there are {n} instances"));
            }
            if !seen.insert(row) {
                return wrong(format!("row {row} is there twice"));
            }
        }
    }
    Ok(())
}
