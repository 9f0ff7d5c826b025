//! The experiment file as it is written: TOML in which unknown keys are refused with file, line
//! and a suggestion. What it means is checked in [`plan`](super::plan).

use crate::input::ViewTable;
use crate::misuse::misuse;
use crate::words::{explain, line};
use cokernel::params::Value;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use toml::Spanned;

/// An example that says everything; shown by `--example` and read by a test.
pub const EXAMPLE: &str = r#"# One experiment: data, protocol, rows of a table with the published figures beside them.
id = "my-table"                     # without it: the name of the file
title = "Two views of digits"
notes = ["A sentence that is printed below the result."]
reason = "Printed if figures of rows without a reason of their own are out of reach."

# quick = true                      # at most two drawn data sets, one split, 150 instances and three
#                                   # values of a sweep or grid, to see that everything runs

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
#   below --data DIR or $COKERNEL_DATA: VIEW.mtx.gz, VIEW.csv.gz or VIEW.npz, and labels.csv
# kind = "files", files = { fou = "fou.csv", ppi = { path = "ppi.npy", similarity = true } }
# labels = "y.csv", label_column = "class", id = "sample"
#   paths are relative to the folder of this file
# label = "digits"                  # its name; with several [[data]] each needs its own
# scale = "standard"                # or "min_max", "none": learned on the training rows
# costs = { fac = 2.0 }             # of a kernel value by kernel, view or function (gaussian)
#   for the cost of a model; 1 if left out
# classes = { even = ["0", "2"], odd = ["1", "3"] }
#   classes made of those of the data; instances of others are left out
# take = 1000                       # about so many instances, drawn by class with the seed: the share of each is rounded
# test = "test_idx.csv"             # beside the views of a folder: numbers of the rows to test on, from 0,
#                                   # in place of those that `reserve` draws
# published = { "Kernel Addition" = { nmi = 0.744 } }   # by row, where figures differ from data to data
# weights = { "Kernel Addition" = [0.5, 0.5] }          # published weights of the kernels, by row
# unit_rows = true                  # every row of every view divided by its length
# lsa = 100                         # then latent semantic analysis of every view to 100 columns (clusterings only)

[protocol]
clusters = 10
starts = "published"                # 20 starts of k-means from random rows, each one a result;
                                    # or { seeding = "plus_plus", starts = 10 }
# folds = 5, repeats = 2            # to learn from labels, in place of clusters and starts;
                                    # or test_fraction = 0.33, repeats = 10
                                    # or reserve = 0.33: a test set, then 5 × 2 folds of the rest, of
                                    # which the halves that are not learned from choose (pick = "inner")
                                    # or per_class = 15, repeats = 10: 15 of each class to learn from
                                    # or five_by_two = true
                                    # or splits = "splits.json": a file of `cokernel splits`, relative to this
                                    # one; with several [[data]] by label: { digits = "a.json", pima = "b.json" }
# transductive = true               # test instances are learned from, too, without their labels
# task = "regress"                  # numbers, or "detect": outliers; else that of the machine, else classes
# inner_folds = 5                   # of pick = "inner", inside each training set
seed = 0                            # the first seed
scores = ["nmi", "f"]               # f, precision, recall, entropy, nmi, ari, accuracy, purity;
                                    # of classes: accuracy, balanced_accuracy, macro_f1, auc,
                                    # log_loss, brier; of numbers: r2, mse, mae; of outliers: auc,
                                    # average_precision, rejected; of all that is learned:
                                    # support_vectors in percent, total_cost (that, times the share
                                    # of the costs of kernels that the active ones have)
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
pick = "best"                       # of these, the one with the best score is the result; "inner":
                                    # that of an inner cross-validation; without, each is a row
variants = [{ params = { view = "fou" } }, { params = { view = "fac" }, label = "profiles" }]
published = { nmi = 0.641 }

[[rows]]
label = "Co-regularised"
method = "co_regularized"
views = ["fou", "fac"]              # kernels = [...] also may differ by row or variant;
                                    # c = 10.0 too, and in a grid, where classes are learned
# machine = "kernel_logistic"       # of the whole row, in place of that of [machine]
pick = "best"
grid = { lambda = [0.01, 0.05] }    # one variant for each combination
# points = [{ at = 0.05, nmi = 0.76 }]   # with [sweep]: published figures at single values

[[claims]]                          # which row is better than which; counted over sets
above = "Co-regularised"
below = ["Best Single View"]        # all others if left out
score = "nmi"

[tests]                             # of the differences between rows, for `cokernel report`
alpha = 0.05
baseline = "Kernel Addition"        # compared with all others; the best row if left out

# [machine]                         # where classes are learned
# id = "svc"                        # see `cokernel methods`
# c = 1.0
# balanced = true                   # costs by class, so that all classes weigh the same
# decomposition = "one_vs_one"      # or "one_vs_rest", "dag"
# tol = 1e-3                        # relative duality gap
# probabilities = "sigmoid"         # or "isotonic", of every row: for log_loss, brier and auc of several
# calibration_folds = 5             # classes; costs one more fit for each fold

[limits]                            # of one cell: one variant on one split of one data set
memory = "2GiB"                     # cells that need more are refused
seconds = 600                       # cells that need more fail

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
    pub title: Option<String>,
    #[serde(default)]
    pub notes: Vec<String>,
    pub reason: Option<String>,
    #[serde(default)]
    pub source: SourceEntry,
    pub data: DataList,
    pub protocol: ProtocolEntry,
    pub rows: Vec<Spanned<RowEntry>>,
    #[serde(default)]
    pub claims: Vec<ClaimEntry>,
    #[serde(default)]
    pub machine: MachineEntry,
    #[serde(default)]
    pub tests: TestsEntry,
    #[serde(default)]
    pub limits: LimitsEntry,
    pub sweep: Option<SweepEntry>,
    #[serde(default)]
    pub quick: bool,
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
    pub views: Option<Spanned<Vec<String>>>,
    pub kernels: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(default)]
    pub unit_rows: bool,
    pub lsa: Option<Spanned<usize>>,
    pub generator: Option<Spanned<String>>,
    pub n: Option<Spanned<usize>>,
    pub sets: Option<Spanned<usize>>,
    #[serde(default)]
    pub params: BTreeMap<String, Spanned<f64>>,
    pub name: Option<Spanned<String>>,
    #[serde(default)]
    pub files: BTreeMap<String, Spanned<FileEntry>>,
    pub labels: Option<Spanned<PathBuf>>,
    pub label_column: Option<Spanned<String>>,
    pub id: Option<Spanned<String>>,
    pub label: Option<Spanned<String>>,
    pub scale: Option<Spanned<String>>,
    #[serde(default)]
    pub costs: BTreeMap<String, Spanned<f64>>,
    #[serde(default)]
    pub classes: BTreeMap<String, Spanned<Vec<String>>>,
    pub take: Option<Spanned<usize>>,
    pub test: Option<Spanned<String>>,
    #[serde(default)]
    pub published: BTreeMap<String, Spanned<BTreeMap<String, Spanned<toml::Value>>>>,
    #[serde(default)]
    pub weights: BTreeMap<String, Spanned<Vec<f64>>>,
}

/// One `[data]`, or several `[[data]]`.
#[derive(Debug)]
pub struct DataList(pub Vec<DataEntry>);

impl<'de> Deserialize<'de> for DataList {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = DataList;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table, as [data], or several, as [[data]]")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<DataList, A::Error> {
                let one = DataEntry::deserialize(MapAccessDeserializer::new(map))?;
                Ok(DataList(vec![one]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<DataList, A::Error> {
                let mut list = Vec::new();
                while let Some(one) = all.next_element()? {
                    list.push(one);
                }
                Ok(DataList(list))
            }
        }
        from.deserialize_any(Either)
    }
}

/// A file: its name, or a table of its name and options.
#[derive(Debug)]
pub struct FileEntry(pub ViewTable);

impl<'de> Deserialize<'de> for FileEntry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = FileEntry;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a file name in quotes, or a table as { path = \"a.csv\" }")
            }
            fn visit_str<E: serde::de::Error>(self, path: &str) -> Result<FileEntry, E> {
                let path = PathBuf::from(path);
                let (variable, header) = (None, None);
                let (similarity, sequences) = (false, false);
                Ok(FileEntry(ViewTable { path, similarity, sequences, variable, header }))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FileEntry, A::Error> {
                ViewTable::deserialize(MapAccessDeserializer::new(map)).map(FileEntry)
            }
        }
        from.deserialize_any(Either)
    }
}

/// How every row is measured: clusters and starts, or splits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProtocolEntry {
    pub task: Option<Spanned<String>>,
    pub clusters: Option<Spanned<usize>>,
    pub starts: Option<Spanned<toml::Value>>,
    pub folds: Option<Spanned<usize>>,
    pub test_fraction: Option<Spanned<f64>>,
    pub reserve: Option<Spanned<f64>>,
    pub per_class: Option<Spanned<usize>>,
    pub five_by_two: Option<Spanned<bool>>,
    pub splits: Option<Spanned<toml::Value>>,
    pub transductive: Option<Spanned<bool>>,
    pub repeats: Option<Spanned<usize>>,
    pub inner_folds: Option<Spanned<usize>>,
    #[serde(default)]
    pub seed: u64,
    pub scores: Spanned<Vec<Spanned<String>>>,
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
    pub views: Option<Spanned<Vec<String>>>,
    pub kernels: Option<Spanned<Vec<Spanned<String>>>>,
    pub c: Option<Spanned<f64>>,
    pub machine: Option<Spanned<String>>,
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
    pub views: Option<Spanned<Vec<String>>>,
    pub kernels: Option<Spanned<Vec<Spanned<String>>>>,
    pub c: Option<Spanned<f64>>,
}

/// The machine that is trained on the combined kernel.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MachineEntry {
    pub id: Option<Spanned<String>>,
    pub c: Option<Spanned<f64>>,
    pub balanced: bool,
    pub decomposition: Option<Spanned<String>>,
    pub tol: Option<Spanned<f64>>,
    pub probabilities: Option<Spanned<String>>,
    pub calibration_folds: Option<Spanned<usize>>,
}

/// Tests of the differences between rows.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TestsEntry {
    pub alpha: Option<Spanned<f64>>,
    pub baseline: Option<Spanned<String>>,
}

/// What one cell may take.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsEntry {
    pub memory: Option<Spanned<String>>,
    pub seconds: Option<Spanned<f64>>,
}

/// One row is better than others.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimEntry {
    pub above: Spanned<String>,
    pub below: Option<Spanned<Vec<Spanned<String>>>>,
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

    pub fn parse(&self) -> anyhow::Result<Content> {
        toml::from_str(self.text).map_err(|e| self.refuse(e.span(), explain(e.message())))
    }

    /// A list, which has something in it where it is given.
    pub fn listed<'v, T>(
        &self,
        key: &str,
        list: Option<&'v Spanned<Vec<T>>>,
    ) -> anyhow::Result<Option<&'v [T]>> {
        match list {
            Some(list) if list.get_ref().is_empty() => {
                let problem =
                    format!("{key}: expected at least one, found none; leave out the key");
                Err(self.refuse(Some(list.span()), problem))
            }
            list => Ok(list.map(|l| l.get_ref().as_slice())),
        }
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
