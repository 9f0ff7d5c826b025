//! How kernels are kept, and the texts that say so: `auto`, `resident`, `resident_f32`, `on_demand`,
//! `nystroem:rank=200:landmarks=kmeans`.

use crate::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// How a bank keeps its kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
    /// No kernel is kept or computed between instances: each is approximated by its values towards a few of them, the
    /// landmarks, and learning is in the space of these ([`scale`](crate::scale)).
    LowRank(LowRank),
}

/// A few instances, the landmarks, that stand for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LowRank {
    /// How many landmarks.
    pub rank: usize,
    /// How they are chosen.
    pub landmarks: Landmarks,
}

/// How landmarks are chosen.
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
}

impl Landmarks {
    /// All, with their names in texts.
    pub const ALL: [(&'static str, Landmarks); 4] = [
        ("uniform", Landmarks::Uniform),
        ("kmeans", Landmarks::Kmeans),
        ("leverage", Landmarks::Leverage),
        ("cholesky", Landmarks::Cholesky),
    ];

    /// Its name in texts.
    pub fn id(self) -> &'static str {
        Landmarks::ALL.iter().find(|(_, l)| *l == self).map_or("", |(id, _)| id)
    }
}

impl LowRank {
    /// The methods that learn towards landmarks, which [`Learner::scales`](crate::mkl::Learner::scales).
    pub const METHODS: [&str; 5] = ["mean", "sum", "simple_mkl", "lp_norm", "elastic_net"];
}

impl Storage {
    /// Refuses a storage that keeps no kernels for what needs them.
    pub(crate) fn refused(self, what: &str) -> Error {
        let problem = format!(
            "{self} keeps no kernels between instances, which {what} needs; methods that learn towards landmarks: {}",
            LowRank::METHODS.join(", ")
        );
        Error::parameter("storage", problem)
    }
}

impl Default for LowRank {
    /// 200 landmarks as k-means++ has them.
    fn default() -> Self {
        LowRank { rank: 200, landmarks: Landmarks::Kmeans }
    }
}

/// The storages without parameters.
const PLAIN: [(&str, Storage); 4] = [
    ("auto", Storage::Auto),
    ("resident", Storage::Resident),
    ("resident_f32", Storage::ResidentF32),
    ("on_demand", Storage::OnDemand),
];

/// The storage with parameters.
const NYSTROEM: &str = "nystroem";

impl FromStr for Storage {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut parts = text.split(':');
        let word = parts.next().unwrap_or_default().trim();
        let known = || PLAIN.iter().map(|p| p.0).chain([NYSTROEM]);
        let plain = PLAIN.iter().find(|(name, _)| *name == word).map(|(_, s)| *s);
        let mut low_rank = LowRank::default();
        for part in parts {
            let Some((name, value)) = part.split_once('=').filter(|_| plain.is_none()) else {
                let problem = format!(
                    "found '{part}' in '{text}'; expected nystroem:rank=200:landmarks=kmeans, or a word alone: auto, \
                     resident, resident_f32, on_demand"
                );
                return Err(Error::parameter("storage", problem));
            };
            let value = value.trim();
            match name.trim() {
                "rank" => {
                    let rank = value.parse().ok().filter(|r| *r > 0);
                    low_rank.rank = rank.ok_or_else(|| {
                        let problem =
                            format!("rank: expected a whole number above 0, found '{value}'");
                        Error::parameter("storage", problem)
                    })?;
                }
                "landmarks" => {
                    let found = Landmarks::ALL.iter().find(|(id, _)| *id == value);
                    let ids = Landmarks::ALL.iter().map(|l| l.0);
                    low_rank.landmarks = found
                        .map(|(_, l)| *l)
                        .ok_or_else(|| Error::unknown("landmarks", value, ids))?;
                }
                other => {
                    return Err(Error::unknown(
                        "parameter of storage",
                        other,
                        ["rank", "landmarks"],
                    ));
                }
            }
        }
        match plain {
            Some(plain) => Ok(plain),
            None if word == NYSTROEM => Ok(Storage::LowRank(low_rank)),
            None => Err(Error::unknown("storage", word, known())),
        }
    }
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Storage::LowRank(l) => {
                write!(f, "{NYSTROEM}:rank={}:landmarks={}", l.rank, l.landmarks.id())
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
            ["auto", "resident", "resident_f32", "on_demand", "nystroem:rank=7:landmarks=uniform"]
        {
            assert_eq!(text.parse::<Storage>().unwrap().to_string(), text);
        }
        assert_eq!("nystroem".parse::<Storage>().unwrap(), Storage::LowRank(LowRank::default()));
        for (text, said) in [
            ("nystroem:rank=0", "rank: expected a whole number above 0, found '0'"),
            ("nystroem:rang=5", "rang"),
            ("nystroem:landmarks=kmean", "kmeans"),
            ("nystroem:200", "found '200'"),
            ("resident:rank=5", "found 'rank=5'"),
            ("residant", "resident"),
        ] {
            let e = text.parse::<Storage>().unwrap_err().to_string();
            assert!(e.contains(said), "{text}: {e}");
        }
    }
}
