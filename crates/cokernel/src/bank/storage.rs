//! How kernels are kept, and the texts that say so: `auto`, `resident`, `resident_f32`, `on_demand`,
//! `mapped:DIR`, `mapped_f32:DIR`, `nystroem:rank=200:landmarks=kmeans`, `fourier:rank=200:directions=orthogonal`.

use crate::error::amount;
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
    /// No kernel is kept or computed between instances: each is approximated by its values towards a few of them, the
    /// landmarks, or by random features, and learning is in the space of these ([`scale`](crate::scale)).
    LowRank(LowRank),
}

/// A few instances, the landmarks, that stand for all; or random features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LowRank {
    /// How many landmarks, or features for each kernel.
    pub rank: usize,
    /// How landmarks are chosen, or directions drawn.
    pub landmarks: Landmarks,
}

/// How landmarks are chosen, or, in their place, directions drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Landmarks {
    /// At random, all instances alike.
    Uniform,
    /// As k-means++ chooses its first centres: far from those that there are.
    Kmeans,
    /// By their ridge leverage scores: those that the others explain least.
    Leverage,
    /// The pivots of an incomplete Cholesky factorisation, which bounds the error.
    Cholesky,
    /// No instances, but cosines and sines along random directions, blocks of which are orthogonal: random features of kernels
    /// of a difference (Gaussian and Laplacian ones).
    Orthogonal,
    /// The same along independent directions.
    Independent,
}

impl Landmarks {
    /// Those that are instances, with their names in texts.
    pub const ALL: [(&'static str, Landmarks); 4] = [
        ("uniform", Landmarks::Uniform),
        ("kmeans", Landmarks::Kmeans),
        ("leverage", Landmarks::Leverage),
        ("cholesky", Landmarks::Cholesky),
    ];

    /// Those that are directions of random features.
    pub const DIRECTIONS: [(&'static str, Landmarks); 2] =
        [("orthogonal", Landmarks::Orthogonal), ("independent", Landmarks::Independent)];

    /// Its name in texts.
    pub fn id(self) -> &'static str {
        let mut all = Landmarks::ALL.iter().chain(&Landmarks::DIRECTIONS);
        all.find(|(_, l)| *l == self).map_or("", |(id, _)| id)
    }

    /// Whether they are no instances, but directions of random features.
    pub fn are_directions(self) -> bool {
        matches!(self, Landmarks::Orthogonal | Landmarks::Independent)
    }
}

impl LowRank {
    /// The methods that learn towards landmarks, which [`Learner::scales`](crate::mkl::Learner::scales), and those whose
    /// weights are learned from a [sample](crate::mkl::Learner::samples) of the instances.
    pub const METHODS: [&str; 15] = [
        "mean",
        "sum",
        "simple_mkl",
        "lp_norm",
        "elastic_net",
        "two_stage",
        "normalized_cut",
        "align",
        "alignf",
        "kandola",
        "ideal_distance",
        "fsm",
        "kl_divergence",
        "easy_mkl",
        "forest_two_stage",
    ];
}

impl Default for LowRank {
    /// 200 landmarks as k-means++ has them.
    fn default() -> Self {
        LowRank { rank: 200, landmarks: Landmarks::Kmeans }
    }
}

impl Storage {
    /// Refuses a storage that keeps no kernels for what needs them, with their size where the number of instances is known.
    pub(crate) fn refused(&self, what: &str, n: Option<usize>) -> Error {
        self.refused_for(what, n, &LowRank::METHODS)
    }

    /// [`refused`](Self::refused), with the methods that can do without.
    pub(crate) fn refused_for(&self, what: &str, n: Option<usize>, methods: &[&str]) -> Error {
        // Where their number is not known, an example.
        let n = n.unwrap_or(100_000);
        let bytes = 4.0 * n as f64 * (n as f64 + 1.0);
        let size = format!(" ({} for each kernel between {n} instances)", amount(bytes));
        let problem = format!(
            "{self} keeps no kernels between instances, which {what} needs{size}; methods that learn towards landmarks: {}",
            methods.join(", ")
        );
        Error::parameter("storage", problem)
    }

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

/// A word, what names the kind of it, and the kinds.
type Kinds = (&'static str, &'static str, &'static [(&'static str, Landmarks)]);

/// The storages of landmarks and of random features.
const LOW_RANK: [Kinds; 2] =
    [("nystroem", "landmarks", &Landmarks::ALL), ("fourier", "directions", &Landmarks::DIRECTIONS)];

impl LowRank {
    /// What stands after the word `nystroem:` or `fourier:`, as `rank=200:landmarks=kmeans`, either or both.
    fn parse(word: usize, text: &str) -> Result<Self> {
        let (storage, key, kinds) = LOW_RANK[word];
        let landmarks = if word == 0 { Landmarks::Kmeans } else { kinds[0].1 };
        let mut low_rank = LowRank { landmarks, ..LowRank::default() };
        let mut seen = Vec::new();
        for part in text.split(':').filter(|p| !p.is_empty()) {
            let (name, value) = part.split_once('=').ok_or_else(|| {
                let example = LowRank { landmarks, ..LowRank::default() };
                let expected = Storage::LowRank(example);
                Error::parameter("storage", format!("found '{part}'; expected {expected}"))
            })?;
            let (name, value) = (name.trim(), value.trim());
            if seen.contains(&name) {
                return Err(Error::parameter("storage", format!("{name}: given twice")));
            }
            seen.push(name);
            if name == "rank" {
                let rank = value.parse().ok().filter(|r| *r > 0);
                low_rank.rank = rank.ok_or_else(|| {
                    let problem = format!("rank: expected a whole number above 0, found '{value}'");
                    Error::parameter("storage", problem)
                })?;
            } else if name == key {
                let found = kinds.iter().find(|(id, _)| *id == value);
                let ids = kinds.iter().map(|l| l.0);
                low_rank.landmarks =
                    found.map(|(_, l)| *l).ok_or_else(|| Error::unknown(key, value, ids))?;
            } else {
                return Err(Error::unknown("parameter of storage", name, ["rank", key]));
            }
        }
        if storage == "fourier" && low_rank.rank % 2 == 1 {
            let problem = format!(
                "rank: expected an even number, a cosine and a sine for each direction, found {}",
                low_rank.rank
            );
            return Err(Error::parameter("storage", problem));
        }
        Ok(low_rank)
    }
}

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
        if let Some(word) = LOW_RANK.iter().position(|(name, ..)| *name == word) {
            return Ok(Storage::LowRank(LowRank::parse(word, rest)?));
        }
        if !MAPPED.contains(&word) {
            let known = PLAIN.iter().map(|p| p.0).chain(MAPPED).chain(LOW_RANK.map(|l| l.0));
            return Err(Error::unknown("storage", word, known));
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
            Storage::LowRank(l) => {
                let (word, key, _) = LOW_RANK[usize::from(l.landmarks.are_directions())];
                write!(f, "{word}:rank={}:{key}={}", l.rank, l.landmarks.id())
            }
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
        let near: Storage = "nystroem:rank=7:landmarks=uniform".parse().unwrap();
        assert_eq!(near.to_string(), "nystroem:rank=7:landmarks=uniform");
        assert_eq!("nystroem".parse::<Storage>().unwrap(), Storage::LowRank(LowRank::default()));
        let drawn: Storage = "fourier:rank=8".parse().unwrap();
        assert_eq!(drawn.to_string(), "fourier:rank=8:directions=orthogonal");
        assert_eq!(drawn, drawn.to_string().parse().unwrap());
        for (text, said) in [
            ("fourier:rank=7", "rank: expected an even number"),
            ("fourier:landmarks=kmeans", "directions"),
            ("fourier:directions=ortogonal", "did you mean 'orthogonal'"),
            ("fourier:8", "expected fourier:rank=200:directions=orthogonal"),
            ("residant", "did you mean 'resident'"),
            ("map:x", "known: auto, resident, resident_f32, on_demand, mapped, mapped_f32"),
            ("nystroem:rank=0", "rank: expected a whole number above 0, found '0'"),
            ("nystroem:rang=5", "rang"),
            ("nystroem:rank=50:rank=60", "rank: given twice"),
            ("nystroem:landmarks=kmean", "kmeans"),
            ("nystroem:200", "found '200'"),
            ("mapped", "such as mapped:kernels"),
            ("mapped_f32:", "such as mapped_f32:kernels"),
            ("resident:x", "'resident' stands alone"),
        ] {
            let e = text.parse::<Storage>().unwrap_err().to_string();
            assert!(e.contains(said), "{text}: {e}");
        }
    }
}
