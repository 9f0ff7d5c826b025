//! The experiment file as it is written: TOML in which unknown keys are refused with file, line
//! and a suggestion. What it means is checked in [`plan`](super::plan).

use crate::misuse::misuse;
use crate::project::{explain, line};
use anyhow::Result;
use cokernel::method::Value;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;

/// An example that says everything; shown by `--example` and read by a test.
pub const EXAMPLE: &str = r#"# One experiment: data, protocol, rows of a table with the published figures beside them.
id = "my-table"                     # without it: the name of the file
title = "Two views of digits"
notes = ["A sentence that is printed below the result."]

[source]                            # where the published figures come from
paper = "LMS"
table = "Table 3.3"

[data]
kind = "digits"                     # shipped; or "toy" or "folder", see below
views = ["fou", "fac"]              # which views, in which order; all if left out
kernels = ["gaussian:sigma=median"] # the default
# kind = "toy", generator = "synthetic_2", n = 1000, sets = 30, params = { rho = 0.5 }
#   `sets` are drawn with consecutive seeds; figures are then means over the sets
# kind = "folder", name = "bbcsport_2views"
#   below --data DIR or $COKERNEL_DATA: VIEW.mtx.gz or VIEW.csv.gz, and labels.csv
# lsa = 100                         # latent semantic analysis of every view to 100 columns

[protocol]
clusters = 10
starts = "published"                # 20 starts of k-means from random rows, each one a result;
                                    # or { seeding = "plus_plus", starts = 10 }
seed = 0                            # the first seed
scores = ["nmi", "f"]               # f, precision, recall, entropy, nmi, ari, accuracy, purity
pick_by = "nmi"                     # the score by which `pick` chooses
reach = { nmi = 0.02 }              # |ours - theirs| that counts as the same

[[rows]]
label = "Kernel Addition"
method = "spectral"                 # see `cokernel methods`
params = { view = "mean" }
published = { nmi = [0.744, 0.030], f = { mean = 0.707, sd = 0.052, reach = 0.05 } }
reason = "Printed if a figure of this row is out of reach."

[[rows]]
label = "Best Single View"
method = "spectral"
pick = "best"                       # of these, the one with the best score is the result
variants = [{ params = { view = "fou" } }, { params = { view = "fac" }, label = "profiles" }]
published = { nmi = 0.641 }

[[rows]]
label = "Co-regularised"
method = "co_regularized"
views = ["fou", "fac"]              # kernels = [...] also may differ by row or variant
pick = "best"
grid = { lambda = [0.01, 0.05] }    # one variant for each combination
# points = [{ at = 0.05, nmi = 0.76 }]   # with [sweep]: published figures at single values

[[claims]]                          # which row is better than which; counted over sets
above = "Co-regularised"
below = ["Best Single View"]        # all others if left out
score = "nmi"

# [sweep]                           # a figure: every row is a curve
# parameter = "lambda"              # of the methods of the rows, or of the generator
# values = [0.0, 0.01, 0.1]         # or { from = 0, to = 1, step = 0.1 }
# label = "λ"
# log = true
"#;

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    pub id: Option<String>,
    pub title: String,
    #[serde(default)]
    pub notes: Vec<String>,
    #[serde(default)]
    pub source: SourceEntry,
    pub data: Spanned<DataEntry>,
    pub protocol: ProtocolEntry,
    pub rows: Vec<Spanned<RowEntry>>,
    #[serde(default)]
    pub claims: Vec<ClaimEntry>,
    pub sweep: Option<SweepEntry>,
}

/// Where the published figures come from.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SourceEntry {
    pub paper: String,
    pub table: String,
}

/// The data of all kinds; the plan refuses what does not belong to its kind.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataEntry {
    pub kind: Spanned<String>,
    pub views: Option<Vec<String>>,
    pub kernels: Option<Vec<Spanned<String>>>,
    pub lsa: Option<Spanned<usize>>,
    pub generator: Option<Spanned<String>>,
    pub n: Option<Spanned<usize>>,
    pub sets: Option<Spanned<usize>>,
    #[serde(default)]
    pub params: BTreeMap<String, Spanned<f64>>,
    pub name: Option<Spanned<String>>,
}

/// How every row is measured.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProtocolEntry {
    pub clusters: Spanned<usize>,
    pub starts: Spanned<toml::Value>,
    #[serde(default)]
    pub seed: u64,
    pub scores: Vec<Spanned<String>>,
    pub pick_by: Option<Spanned<String>>,
    #[serde(default)]
    pub reach: BTreeMap<String, Spanned<f64>>,
}

/// A row of the table, or a curve of the figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowEntry {
    pub label: Spanned<String>,
    pub method: Spanned<String>,
    #[serde(default)]
    pub params: BTreeMap<String, Spanned<Value>>,
    pub views: Option<Vec<String>>,
    pub kernels: Option<Vec<Spanned<String>>>,
    pub pick: Option<Spanned<String>>,
    pub variants: Option<Vec<Spanned<VariantEntry>>>,
    #[serde(default)]
    pub grid: BTreeMap<String, Spanned<Vec<Value>>>,
    #[serde(default)]
    pub published: BTreeMap<String, Spanned<toml::Value>>,
    #[serde(default)]
    pub points: Vec<Spanned<BTreeMap<String, Spanned<toml::Value>>>>,
    pub reason: Option<String>,
}

/// What a variant has in another way than its row.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VariantEntry {
    pub label: Option<String>,
    pub method: Option<Spanned<String>>,
    pub params: BTreeMap<String, Spanned<Value>>,
    pub views: Option<Vec<String>>,
    pub kernels: Option<Vec<Spanned<String>>>,
}

/// One row is better than others.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimEntry {
    pub above: Spanned<String>,
    pub below: Option<Vec<Spanned<String>>>,
    pub score: Option<Spanned<String>>,
}

/// A parameter over values.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepEntry {
    pub parameter: Spanned<String>,
    pub values: Spanned<toml::Value>,
    pub label: Option<String>,
    #[serde(default)]
    pub log: bool,
}

/// A text with the name by which its mistakes are reported.
pub struct File<'a> {
    name: &'a str,
    text: &'a str,
}

impl<'a> File<'a> {
    pub fn new(name: &'a str, text: &'a str) -> Self {
        File { name, text }
    }

    pub fn parse(&self) -> Result<Content> {
        toml::from_str(self.text).map_err(|e| self.refuse(e.span(), explain(e.message())))
    }

    /// Where a value stands: `experiments/lms-3.3.toml, line 7`.
    pub fn place(&self, span: Range<usize>) -> String {
        format!("{}, line {}", self.name, line(self.text, span.start))
    }

    pub fn refuse(
        &self,
        span: Option<Range<usize>>,
        problem: impl std::fmt::Display,
    ) -> anyhow::Error {
        let place = span.map_or(self.name.to_string(), |s| self.place(s));
        misuse(format!("{place}: {problem}"))
    }
}
