//! The registry of kernel families: [`FAMILIES`]. A family is named in one line here; the grammar of specifications, the
//! command line's help, Python's functions and the table of the documentation are made from that line.
//!
//! What a family computes is a [`Function`]; most are a pointwise function of one of the measures in `bank/base.rs`, or a
//! map of rows (`bank/maps.rs`) before one of them.

use super::{Family, Function, Letters, Metric, Words};
use crate::data::Table;
use crate::{Error, Result};
use serde::Serialize;

/// What a view holds that a kernel looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewKind {
    /// A table of numbers.
    Features,
    /// Numbers for pairs of instances: similarities, distances, or the edges of a graph.
    Similarities,
    /// A text for each instance.
    Sequences,
}

impl ViewKind {
    /// Whether a table is of this kind.
    pub fn is(self, table: &Table) -> bool {
        match self {
            ViewKind::Features => table.is_features(),
            ViewKind::Similarities => table.is_similarity(),
            ViewKind::Sequences => matches!(table, Table::Sequences(_)),
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            ViewKind::Features => "features",
            ViewKind::Similarities => "a similarity",
            ViewKind::Sequences => "sequences",
        }
    }
}

/// What stands after a key of a specification.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "holds", rename_all = "snake_case")]
pub enum Holds {
    /// A number; the default, if there is one.
    Number {
        /// What it is if nothing is said.
        default: Option<f64>,
    },
    /// A whole number, or a list of them, which gives a kernel for each.
    Wholes {
        /// What it is if nothing is said.
        default: u32,
    },
    /// One word of these, the first if nothing is said.
    Choice {
        /// The words.
        of: &'static [&'static str],
    },
    /// Letters; those of the training sequences if nothing is said.
    Letters,
    /// Widths: numbers, or a rule that takes them from the training instances.
    Widths,
}

/// A key of a family: `degree` in `polynomial:degree=2`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Key {
    /// The name in specifications.
    pub name: &'static str,
    /// The name of the argument in Python.
    pub python: &'static str,
    /// What stands after it.
    pub holds: Holds,
    /// A sentence about it.
    pub doc: &'static str,
}

/// What was given for the keys of a family.
#[derive(Debug, Clone, Copy, Default)]
pub struct Given<'a> {
    pub(super) numbers: &'a [(&'static str, f64)],
    pub(super) words: &'a [(&'static str, &'a str)],
}

impl Given<'_> {
    fn number(&self, key: &str) -> f64 {
        self.numbers.iter().find(|n| n.0 == key).map_or(f64::NAN, |n| n.1)
    }

    fn whole(&self, key: &str) -> u32 {
        self.number(key) as u32
    }

    fn word(&self, key: &str) -> &str {
        self.words.iter().find(|w| w.0 == key).map_or("", |w| w.1)
    }
}

/// The values of the keys of a family as text, widths apart.
type Told = Vec<(&'static str, String)>;

/// One kernel family.
pub struct FamilyEntry {
    /// The name in specifications, and of the function in Python.
    pub name: &'static str,
    /// Other names that are understood.
    pub aliases: &'static [&'static str],
    /// The formula.
    pub formula: &'static str,
    /// What it is, in a sentence or two.
    pub doc: &'static str,
    /// What it looks at.
    pub takes: ViewKind,
    /// Whether it can be asked for on each single column.
    pub per_feature: bool,
    /// Its keys, in the order of Python's arguments.
    pub keys: &'static [Key],
    /// The family with these values.
    pub(super) build: fn(&Given<'_>) -> Result<Family>,
    /// The values of the keys, if the family is this one.
    pub(super) told: fn(&Family) -> Option<Told>,
}

impl std::fmt::Debug for FamilyEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FamilyEntry").field("name", &self.name).finish_non_exhaustive()
    }
}

impl FamilyEntry {
    /// The entry of this name, or of this other name for one.
    pub fn named(name: &str) -> Option<&'static FamilyEntry> {
        FAMILIES.iter().find(|f| f.name == name || f.aliases.contains(&name))
    }

    /// Whether it has widths.
    pub fn has_width(&self) -> bool {
        self.keys.iter().any(|k| k.holds == Holds::Widths)
    }
}

const GAMMA: Key = Key {
    name: "gamma",
    python: "gamma",
    holds: Holds::Widths,
    doc: "Factor of the distance, instead of a width.",
};
const SCALE: Key = Key {
    name: "scale",
    python: "scale",
    holds: Holds::Widths,
    doc: "Distance at which the kernel falls to 1/e, in the units of the distance; several give several kernels; \
          \"mean\" (the default), \"median\" and \"mean_nearest\" are taken from the training instances, also times \
          factors: \"mean*0.5,1,2\".",
};
const WORD: Key = Key {
    name: "k",
    python: "k",
    holds: Holds::Wholes { default: 3 },
    doc: "Letters of a word; several give several kernels.",
};
const ALPHABET: Key = Key {
    name: "alphabet",
    python: "alphabet",
    holds: Holds::Letters,
    doc: "The letters that words are made of, such as \"ACGT\"; words with others are passed over. Default: those of \
          the training sequences.",
};

const fn number(name: &'static str, default: Option<f64>, doc: &'static str) -> Key {
    Key { name, python: name, holds: Holds::Number { default }, doc }
}

const fn whole(name: &'static str, default: u32, doc: &'static str) -> Key {
    Key { name, python: name, holds: Holds::Wholes { default }, doc }
}

fn none() -> Option<Told> {
    Some(Vec::new())
}

fn words_of(family: &Family) -> Option<Words> {
    match family {
        Family::Fixed(Function::Words(words)) => Some(*words),
        _ => None,
    }
}

fn told_words(words: Words, with_mismatches: bool) -> Told {
    let mut told = vec![("k", words.length.to_string())];
    if with_mismatches {
        told.push(("mismatches", words.mismatches.to_string()));
    }
    if !words.letters.is_empty() {
        told.push(("alphabet", words.letters.to_string()));
    }
    told
}

/// All kernel families, in the order of the documentation.
pub static FAMILIES: [FamilyEntry; 17] = [
    FamilyEntry {
        name: "linear",
        aliases: &[],
        formula: "⟨x, z⟩",
        doc: "The dot product.",
        takes: ViewKind::Features,
        per_feature: true,
        keys: &[],
        build: |_| Ok(Family::Linear),
        told: |f| if *f == Family::Linear { none() } else { None },
    },
    FamilyEntry {
        name: "polynomial",
        aliases: &["poly"],
        formula: "(gamma ⟨x, z⟩ + coef0)^degree",
        doc: "Products of up to `degree` features.",
        takes: ViewKind::Features,
        per_feature: true,
        keys: &[
            whole("degree", 2, "At least 1; several give several kernels."),
            number("gamma", Some(1.0), "Positive factor of the dot product."),
            number("coef0", Some(1.0), "Constant, at least 0."),
        ],
        build: |g| {
            Ok(Family::Polynomial {
                degree: g.whole("degree"),
                gamma: g.number("gamma"),
                coef0: g.number("coef0"),
            })
        },
        told: |f| match f {
            Family::Polynomial { degree, gamma, coef0 } => Some(vec![
                ("degree", degree.to_string()),
                ("gamma", format!("{gamma:?}")),
                ("coef0", format!("{coef0:?}")),
            ]),
            _ => None,
        },
    },
    FamilyEntry {
        name: "gaussian",
        aliases: &["rbf"],
        formula: "exp(−d² / 2 sigma²)",
        doc: "Gaussian kernel of the Euclidean distance d; also exp(−gamma d²) and exp(−d² / scale²).",
        takes: ViewKind::Features,
        per_feature: true,
        keys: &[
            Key {
                name: "sigma",
                python: "width",
                holds: Holds::Widths,
                doc: "Standard deviation in the units of the features; several give several kernels. \"median\" (the \
                      default), \"mean\" and \"mean_nearest\" are taken from the training instances; \
                      \"median*0.5,1,2\" gives three kernels around the median distance.",
            },
            GAMMA,
            Key {
                name: "scale",
                python: "scale",
                holds: Holds::Widths,
                doc: "s of exp(−d² / s²), instead of a width; given as that is.",
            },
        ],
        build: |_| Ok(Family::Exponential(Metric::SquaredEuclidean)),
        told: |f| if *f == Family::Exponential(Metric::SquaredEuclidean) { none() } else { None },
    },
    FamilyEntry {
        name: "laplacian",
        aliases: &[],
        formula: "exp(−d / scale)",
        doc: "Laplacian kernel of the Manhattan distance d; also exp(−gamma d).",
        takes: ViewKind::Features,
        per_feature: true,
        keys: &[SCALE, GAMMA],
        build: |_| Ok(Family::Exponential(Metric::Manhattan)),
        told: |f| if *f == Family::Exponential(Metric::Manhattan) { none() } else { None },
    },
    FamilyEntry {
        name: "chi2",
        aliases: &["chi_squared"],
        formula: "exp(−d / scale)",
        doc: "Exponential χ² kernel, d = Σ (x − z)² / (x + z); features must not be negative.",
        takes: ViewKind::Features,
        per_feature: true,
        keys: &[SCALE, GAMMA],
        build: |_| Ok(Family::Exponential(Metric::ChiSquared)),
        told: |f| if *f == Family::Exponential(Metric::ChiSquared) { none() } else { None },
    },
    FamilyEntry {
        name: "exponential",
        aliases: &[],
        formula: "exp(−d / scale)",
        doc: "Exponential kernel of the distance d that `metric` says; of \"squared_euclidean\" it is a Gaussian \
              kernel, exp(−‖x − z‖² / scale), scale the mean of the squared distances by default.",
        takes: ViewKind::Features,
        per_feature: true,
        keys: &[
            SCALE,
            Key {
                name: "metric",
                python: "metric",
                holds: Holds::Choice {
                    of: &["euclidean", "squared_euclidean", "manhattan", "chi_squared"],
                },
                doc: "The distance.",
            },
            GAMMA,
            Key {
                name: "sigma",
                python: "",
                holds: Holds::Widths,
                doc: "Of the squared Euclidean distance, as in gaussian.",
            },
        ],
        build: |g| {
            Ok(Family::Exponential(match g.word("metric") {
                "squared_euclidean" => Metric::SquaredEuclidean,
                "manhattan" => Metric::Manhattan,
                "chi_squared" => Metric::ChiSquared,
                _ => Metric::Euclidean,
            }))
        },
        told: |f| match f {
            Family::Exponential(Metric::Euclidean) => {
                Some(vec![("metric", "euclidean".to_string())])
            }
            _ => None,
        },
    },
    FamilyEntry {
        name: "sigmoid",
        aliases: &[],
        formula: "tanh(gamma ⟨x, z⟩ + coef0)",
        doc: "Sigmoid kernel, which need not be positive semi-definite.",
        takes: ViewKind::Features,
        per_feature: true,
        keys: &[
            number("gamma", Some(1.0), "Positive factor of the dot product."),
            number("coef0", Some(0.0), "Constant."),
        ],
        build: |g| Ok(Family::Sigmoid { gamma: g.number("gamma"), coef0: g.number("coef0") }),
        told: |f| match f {
            Family::Sigmoid { gamma, coef0 } => {
                Some(vec![("gamma", format!("{gamma:?}")), ("coef0", format!("{coef0:?}"))])
            }
            _ => None,
        },
    },
    FamilyEntry {
        name: "tanimoto",
        aliases: &["jaccard"],
        formula: "⟨x, z⟩ / (‖x‖² + ‖z‖² − ⟨x, z⟩)",
        doc: "Tanimoto (Jaccard) kernel, of bit vectors such as molecular fingerprints the share of bits in common; \
              two rows of zeros have 1.",
        takes: ViewKind::Features,
        per_feature: true,
        keys: &[],
        build: |_| Ok(Family::Fixed(Function::Tanimoto)),
        told: |f| if *f == Family::Fixed(Function::Tanimoto) { none() } else { None },
    },
    FamilyEntry {
        name: "minmax",
        aliases: &["ruzicka"],
        formula: "Σ min(x, z) / Σ max(x, z)",
        doc: "MinMax kernel of counts, which of bits is the Tanimoto kernel; features must not be negative, two rows \
              of zeros have 1.",
        takes: ViewKind::Features,
        per_feature: true,
        keys: &[],
        build: |_| Ok(Family::Fixed(Function::MinMax)),
        told: |f| if *f == Family::Fixed(Function::MinMax) { none() } else { None },
    },
    FamilyEntry {
        name: "pearson",
        aliases: &["correlation"],
        formula: "correlation of x and z",
        doc: "Correlation of the features of two instances, across the columns of the view.",
        takes: ViewKind::Features,
        per_feature: false,
        keys: &[],
        build: |_| Ok(Family::Fixed(Function::Correlation { ranks: false })),
        told: |f| match f {
            Family::Fixed(Function::Correlation { ranks: false }) => none(),
            _ => None,
        },
    },
    FamilyEntry {
        name: "spearman",
        aliases: &[],
        formula: "correlation of the ranks of x and z",
        doc: "Rank correlation of the features of two instances; equal features share their mean rank.",
        takes: ViewKind::Features,
        per_feature: false,
        keys: &[],
        build: |_| Ok(Family::Fixed(Function::Correlation { ranks: true })),
        told: |f| match f {
            Family::Fixed(Function::Correlation { ranks: true }) => none(),
            _ => None,
        },
    },
    FamilyEntry {
        name: "spectrum",
        aliases: &[],
        formula: "Σ over words w of k letters: count of w in x × count in z",
        doc: "Spectrum kernel of sequences: words of k letters in common.",
        takes: ViewKind::Sequences,
        per_feature: false,
        keys: &[WORD, ALPHABET],
        build: |g| {
            let letters = Letters::parse(g.word("alphabet"))?;
            Ok(Family::Fixed(Function::Words(Words {
                length: g.whole("k"),
                mismatches: 0,
                letters,
            })))
        },
        told: |f| words_of(f).filter(|w| w.mismatches == 0).map(|w| told_words(w, false)),
    },
    FamilyEntry {
        name: "mismatch",
        aliases: &[],
        formula: "as spectrum, where w counts for all words that differ from it in at most `mismatches` letters",
        doc: "Mismatch kernel of sequences: words of k letters in common, up to some letters.",
        takes: ViewKind::Sequences,
        per_feature: false,
        keys: &[
            WORD,
            whole("mismatches", 1, "Letters in which words may differ, at least 1 and below k."),
            ALPHABET,
        ],
        build: |g| {
            let letters = Letters::parse(g.word("alphabet"))?;
            if g.whole("mismatches") == 0 {
                let problem =
                    "found 0, expected at least 1; without any it is the kernel 'spectrum'";
                return Err(Error::parameter("kernel mismatches", problem));
            }
            Ok(Family::Fixed(Function::Words(Words {
                length: g.whole("k"),
                mismatches: g.whole("mismatches"),
                letters,
            })))
        },
        told: |f| words_of(f).filter(|w| w.mismatches > 0).map(|w| told_words(w, true)),
    },
    FamilyEntry {
        name: "distances",
        aliases: &["distance"],
        formula: "exp(−d / scale)",
        doc: "Exponential kernel of distances that a view gives in place of similarities, whatever they are; it need \
              not be positive semi-definite.",
        takes: ViewKind::Similarities,
        per_feature: false,
        keys: &[SCALE, GAMMA],
        build: |_| Ok(Family::Exponential(Metric::Given)),
        told: |f| if *f == Family::Exponential(Metric::Given) { none() } else { None },
    },
    FamilyEntry {
        name: "diffusion",
        aliases: &[],
        formula: "exp(−beta L)",
        doc: "Diffusion kernel of a graph that a view gives, L its Laplacian. It is of the training instances \
              together: new ones have no place in it.",
        takes: ViewKind::Similarities,
        per_feature: false,
        keys: &[
            number("beta", Some(1.0), "Time of the diffusion, above 0."),
            Key {
                name: "laplacian",
                python: "laplacian",
                holds: Holds::Choice { of: &["normalized", "plain"] },
                doc: "L = I − D^(−1/2) A D^(−1/2), or D − A.",
            },
        ],
        build: |g| {
            let normalized = g.word("laplacian") != "plain";
            Ok(Family::Fixed(Function::Diffusion { beta: g.number("beta"), normalized }))
        },
        told: |f| match f {
            Family::Fixed(Function::Diffusion { beta, normalized }) => {
                let laplacian = if *normalized { "normalized" } else { "plain" };
                Some(vec![("beta", format!("{beta:?}")), ("laplacian", laplacian.to_string())])
            }
            _ => None,
        },
    },
    FamilyEntry {
        name: "random_walk",
        aliases: &[],
        formula: "(a I − L)^steps",
        doc: "Random walk kernel of a graph that a view gives, L its normalised Laplacian. It is of the training \
              instances together: new ones have no place in it.",
        takes: ViewKind::Similarities,
        per_feature: false,
        keys: &[
            whole("steps", 2, "Steps of the walk, at least 1; several give several kernels."),
            number("a", Some(2.0), "At least 2; the larger, the more a walk stays where it is."),
        ],
        build: |g| {
            Ok(Family::Fixed(Function::RandomWalk { steps: g.whole("steps"), a: g.number("a") }))
        },
        told: |f| match f {
            Family::Fixed(Function::RandomWalk { steps, a }) => {
                Some(vec![("steps", steps.to_string()), ("a", format!("{a:?}"))])
            }
            _ => None,
        },
    },
    FamilyEntry {
        name: "precomputed",
        aliases: &[],
        formula: "the similarity of the view",
        doc: "A similarity view as it is, beside kernels that are computed on other views.",
        takes: ViewKind::Similarities,
        per_feature: false,
        keys: &[],
        build: |_| Ok(Family::Precomputed),
        told: |f| if *f == Family::Precomputed { none() } else { None },
    },
];
