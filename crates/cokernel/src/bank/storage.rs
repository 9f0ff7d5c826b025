//! How kernels are kept, and the texts that say so: `auto`, `resident`, `resident_f32`, `on_demand`,
//! `mapped:DIR`, `mapped_f32:DIR`.

use crate::{Error, Result};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// How a bank keeps its kernels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Storage {
    /// Resident in f64 if it fits into [`Run::memory`](crate::Run::memory), else on demand.
    #[default]
    Auto,
    /// All kernels in memory, 8 bytes an entry (one triangle); of graphs only the edges.
    Resident,
    /// All kernels in memory, 4 bytes an entry; of graphs the edges, 8 bytes each.
    ResidentF32,
    /// Nothing of size n² is kept; entries are computed from the features each time.
    OnDemand,
    /// All kernels in a file of this directory, 8 bytes an entry (one triangle); graphs in memory. A file is made
    /// once for the same data and kernels, goes on where a killed run ended, and may be read by several programs.
    Mapped(PathBuf),
    /// The same, 4 bytes an entry.
    MappedF32(PathBuf),
}

impl Storage {
    /// Whether entries are rounded to 4 bytes.
    pub(crate) fn is_single(&self) -> bool {
        matches!(self, Storage::ResidentF32 | Storage::MappedF32(_))
    }

    /// The storage of a bank that is made for a moment in the course of learning from one with this storage.
    pub(crate) fn passing(self) -> Self {
        match self {
            Storage::Resident | Storage::Mapped(_) | Storage::MappedF32(_) => Storage::Auto,
            other => other,
        }
    }
}

/// The storages without parameters.
const PLAIN: [(&str, Storage); 4] = [
    ("auto", Storage::Auto),
    ("resident", Storage::Resident),
    ("resident_f32", Storage::ResidentF32),
    ("on_demand", Storage::OnDemand),
];

/// The storages in a directory.
const MAPPED: [&str; 2] = ["mapped", "mapped_f32"];

impl FromStr for Storage {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        if let Some((_, plain)) = PLAIN.iter().find(|(name, _)| *name == text) {
            return Ok(plain.clone());
        }
        let (word, rest) = text.split_once(':').unwrap_or((text, ""));
        if PLAIN.iter().any(|(name, _)| *name == word) {
            let problem = format!("'{word}' stands alone, found '{text}'");
            return Err(Error::parameter("storage", problem));
        }
        if !MAPPED.contains(&word) {
            return Err(Error::unknown("storage", word, PLAIN.iter().map(|p| p.0).chain(MAPPED)));
        }
        if rest.is_empty() {
            let problem = format!(
                "found '{text}'; expected a directory for the kernels, such as {word}:kernels"
            );
            return Err(Error::parameter("storage", problem));
        }
        let directory = PathBuf::from(rest);
        Ok(if word == MAPPED[0] {
            Storage::Mapped(directory)
        } else {
            Storage::MappedF32(directory)
        })
    }
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Storage::Mapped(d) => write!(f, "{}:{}", MAPPED[0], d.display()),
            Storage::MappedF32(d) => write!(f, "{}:{}", MAPPED[1], d.display()),
            plain => {
                f.write_str(PLAIN.iter().find(|(_, s)| s == plain).map_or("", |(name, _)| name))
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_written() {
        for text in
            ["auto", "resident", "resident_f32", "on_demand", "mapped:a/b", "mapped_f32:C:\\d e"]
        {
            assert_eq!(text.parse::<Storage>().unwrap().to_string(), text);
        }
        for (text, said) in [
            ("residant", "did you mean 'resident'"),
            ("map:x", "known: auto, resident, resident_f32, on_demand, mapped, mapped_f32"),
            ("mapped", "such as mapped:kernels"),
            ("mapped_f32:", "such as mapped_f32:kernels"),
            ("resident:x", "'resident' stands alone"),
        ] {
            let e = text.parse::<Storage>().unwrap_err().to_string();
            assert!(e.contains(said), "{text}: {e}");
        }
    }
}
