//! Splits that are given, and files of splits.

use super::{Protocol, Split, Splits};
use crate::data::{Labels, atomic_write};
use crate::{Error, Result, VERSION};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<String>>,
    instances: usize,
    /// Tells labels in one order from others.
    labels: String,
    /// Tells names of instances in one order from others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ids: Option<String>,
    splits: Vec<Split>,
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

/// A number for the partition of the instances by their labels, or for their numbers: the same labels in another order, or
/// other labels, have another one. FNV-1a.
fn fingerprint(labels: &Labels) -> String {
    let mut hash = START;
    let mut put = |value: u64| hash = mixed(hash, &value.to_le_bytes());
    match labels {
        Labels::Absent(n) => put(*n as u64),
        Labels::Real(values) => values.iter().for_each(|v| put(v.map_or(u64::MAX, f64::to_bits))),
        Labels::Classes { codes, .. } => {
            // By first appearance: what classes are called does not matter.
            let mut seen: Vec<u32> = Vec::new();
            for code in codes {
                put(code.map_or(u64::MAX, |c| {
                    let known = seen.iter().position(|s| *s == c);
                    known.unwrap_or_else(|| {
                        seen.push(c);
                        seen.len() - 1
                    }) as u64
                }));
            }
        }
    }
    format!("{hash:016x}")
}

impl Splits {
    /// Splits that somebody else made of these labels. Row numbers need no order and become increasing.
    ///
    /// # Errors
    /// A split without training or test instances, a row that does not exist, has no label (to test on) or is there
    /// twice.
    pub fn given(splits: Vec<Split>, labels: &Labels) -> Result<Self> {
        let sort = |mut rows: Vec<usize>| {
            rows.sort_unstable();
            rows
        };
        let splits: Vec<Split> = splits
            .into_iter()
            .map(|s| Split {
                train: sort(s.train),
                test: sort(s.test),
                validation: sort(s.validation),
            })
            .collect();
        check(&splits, labels)?;
        let protocol = Protocol::Given { splits: splits.len() };
        Ok(Splits { protocol, seed: 0, name: None, groups: None, splits })
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

    /// As JSON: how and of which labels (and instances, if `ids` names them) they were made, and their rows, from 0.
    ///
    /// # Errors
    /// Splits of other labels than these.
    pub fn to_json(&self, labels: &Labels, ids: Option<&[String]>) -> Result<String> {
        check(&self.splits, labels)?;
        let file = File {
            format: FORMAT,
            library_version: VERSION.to_string(),
            name: self.name.clone(),
            how: self.protocol.to_string(),
            protocol: self.protocol,
            seed: self.seed,
            groups: self.groups.clone(),
            instances: labels.len(),
            labels: fingerprint(labels),
            ids: ids.map(names),
            splits: self.splits.clone(),
        };
        let text = serde_json::to_string(&file).map_err(|e| Error::Data(format!("splits: {e}")))?;
        Ok(text + "\n")
    }

    /// What [`to_json`](Self::to_json) wrote, for the same labels in the same order.
    ///
    /// # Errors
    /// Text that is none of splits, or of a newer version; other labels, or in another order.
    pub fn from_json(text: &str, labels: &Labels, ids: Option<&[String]>) -> Result<Self> {
        let wrong = |problem: String| Error::Data(format!("splits: {problem}"));
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
        if file.instances != labels.len() {
            return Err(wrong(format!(
                "they were made of {} instances, found {}",
                file.instances,
                labels.len()
            )));
        }
        if file.labels != fingerprint(labels) {
            return Err(wrong(
                "they were made of other labels, or of the same in another order".to_string(),
            ));
        }
        if let (Some(before), Some(ids)) = (&file.ids, ids)
            && *before != names(ids)
        {
            return Err(wrong(
                "they were made of other instances, or of the same in another order, by their ids"
                    .to_string(),
            ));
        }
        if file.groups.as_ref().is_some_and(|g| g.len() != labels.len()) {
            return Err(wrong("there is not one group for each instance".to_string()));
        }
        let File { protocol, seed, name, groups, splits, .. } = file;
        // Increasing, whatever was done to the file.
        let given = Splits::given(splits, labels)?;
        Ok(Splits { protocol, seed, name, groups, ..given })
    }

    /// Writes a file of splits in one step.
    ///
    /// # Errors
    /// As [`to_json`](Self::to_json); the file cannot be written.
    pub fn save(
        &self,
        path: impl AsRef<Path>,
        labels: &Labels,
        ids: Option<&[String]>,
    ) -> Result<()> {
        let (path, text) = (path.as_ref(), self.to_json(labels, ids)?);
        atomic_write(path, |out| {
            let io = |source| Error::Io { path: path.to_path_buf(), source };
            out.write_all(text.as_bytes()).map_err(io)
        })
    }

    /// Reads a file of splits.
    ///
    /// # Errors
    /// The file cannot be read; as [`from_json`](Self::from_json).
    pub fn load(path: impl AsRef<Path>, labels: &Labels, ids: Option<&[String]>) -> Result<Self> {
        let path = path.as_ref();
        let io = |source| Error::Io { path: path.to_path_buf(), source };
        Self::from_json(&std::fs::read_to_string(path).map_err(io)?, labels, ids)
    }
}

/// Refuses what is no split of these labels.
fn check(splits: &[Split], labels: &Labels) -> Result<()> {
    let n = labels.len();
    let mut usable = vec![matches!(labels, Labels::Absent(_)); n];
    if !matches!(labels, Labels::Absent(_)) {
        labels.known_rows().into_iter().for_each(|i| usable[i] = true);
    }
    if splits.is_empty() {
        return Err(Error::Data("splits: expected at least one, found none".to_string()));
    }
    let validated = splits.iter().filter(|s| !s.validation.is_empty()).count();
    if validated > 0 && validated < splits.len() {
        return Err(Error::Data(format!(
            "splits: expected a validation set in all or in none, found {validated} in {} splits",
            splits.len()
        )));
    }
    for (s, split) in splits.iter().enumerate() {
        let wrong = |problem: String| Err(Error::Data(format!("split {s}: {problem}")));
        if split.train.is_empty() || split.test.is_empty() {
            return wrong("expected training and test instances, found an empty set".to_string());
        }
        let mut seen = vec![false; n];
        for (&row, tested) in split
            .train
            .iter()
            .map(|r| (r, false))
            .chain(split.test.iter().chain(&split.validation).map(|r| (r, true)))
        {
            if row >= n {
                return wrong(format!("row {row} does not exist; there are {n} instances"));
            }
            if std::mem::replace(&mut seen[row], true) {
                return wrong(format!("row {row} is there twice"));
            }
            if tested && !usable[row] {
                return wrong(format!("row {row} is to be tested and has no label"));
            }
        }
    }
    Ok(())
}
