//! The project file: everything the flags can say, in TOML.
//!
//! Unknown keys are refused with file, line and a suggestion; relative paths are relative to the
//! folder of the file.

use crate::input::ViewTable;
use crate::misuse::misuse;
use crate::words::{explain, line};
use anyhow::{Context, Result};
use cokernel::params::Value;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// The name that is looked for in the current folder.
pub const DEFAULT: &str = "cokernel.toml";

/// An example that says everything; shown by `--help` and read by a test.
pub const EXAMPLE: &str = r#"# cokernel.toml: paths are relative to this file
labels = "y.csv"                    # file with the labels
label_column = "class"              # its column; without a file: that of the view that has it
unlabelled = "unknown"              # what stands for a label that is not known; also: "", ?, NA, nan
id = "sample"                       # column that names the instances, in every file
pairs = "pairs.csv"                 # for fit, evaluate, cluster, embed: id, id, must or cannot
drop_incomplete = false             # true: leave out instances that lack a view
missing = "auto"                    # what training does about them: refuse, drop, zero, mean, estimate, per_view
kernels = ["gaussian@fou:sigma=median", "linear@fac", "precomputed@graph"]
graph = ["knn@zer:k=10"]            # for cluster: in place of the features of a view
method = "simple_mkl"               # for fit and evaluate
methods = ["simple_mkl", "mean"]    # for compare
task = "classify"                   # or "regress", "detect"
machine = "svc"                     # or with parameters, "svc:tol=1e-6"
c = 1.0                             # cost of slack
class_weights = "balanced"          # or { rare = 5.0, common = 1.0 }
decomposition = "one_vs_rest"       # or "one_vs_one", "dag"
probabilities = "sigmoid"           # or "isotonic", "none": for fit, evaluate and compare
calibration_folds = 5
scale = "standard"                  # or "min_max", "none"
storage = "auto"                    # or "resident", "resident_f32", "on_demand", "mapped:DIR", "mapped_f32:DIR",
                                    # "nystroem:rank=200", "fourier:rank=200"
memory = "2GiB"                     # for the kernels
output = "model.ck"
folds = 5                           # for evaluate and compare; or test_fraction = 0.33, reserve = 0.33,
                                    # per_class = 15, splits = "splits.json"
transductive = false                # true: test instances are learned from, too, without their labels
repeats = 1
tune = ["c=0.01..100"]              # chosen inside the training instances; also width=, method=
tune_folds = 5
tune_score = "accuracy"
tune_search = "grid"                # or "surface"
costs = "features"                  # of kernels, for evaluate and compare: also "measured", "fou=2", a file
clusters = 10                       # for cluster and embed
starts = 20                         # of k-means
protocol = "best_of"                # or "published": every random start is a result
seed = 0
threads = 2
time_limit = 600                    # seconds

[views]
fou = "fou.csv"
fac = { path = "fac.npz", variable = "X" }
zer = { path = "zer.tsv", header = "yes" }    # the first line names the columns: auto, yes, no
graph = { path = "graph.npy", similarity = true }
dna = { path = "dna.csv", sequences = true, variable = "promoter" }

[params]                            # of `method` and `methods`: see `cokernel methods ID`
tol = 1e-3
[params.two_stage]                  # of one method by its id
steps = 2000
"#;

/// The file as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Content {
    pub views: BTreeMap<String, Spanned<ViewEntry>>,
    pub labels: Option<PathBuf>,
    pub label_column: Option<String>,
    pub unlabelled: Option<String>,
    pub id: Option<String>,
    pub pairs: Option<PathBuf>,
    pub drop_incomplete: bool,
    pub missing: Option<Spanned<String>>,
    pub kernels: Option<Vec<Spanned<String>>>,
    pub graph: Option<Vec<Spanned<String>>>,
    pub method: Option<Spanned<String>>,
    pub methods: Option<Vec<Spanned<String>>>,
    pub params: BTreeMap<String, Spanned<ParamEntry>>,
    pub task: Option<Spanned<String>>,
    pub machine: Option<Spanned<String>>,
    pub c: Option<f64>,
    pub class_weights: Option<ClassWeights>,
    pub decomposition: Option<Spanned<String>>,
    pub probabilities: Option<Spanned<String>>,
    pub calibration_folds: Option<usize>,
    pub scale: Option<Spanned<String>>,
    pub storage: Option<Spanned<String>>,
    pub memory: Option<Spanned<String>>,
    pub output: Option<PathBuf>,
    pub folds: Option<usize>,
    pub repeats: Option<usize>,
    pub test_fraction: Option<f64>,
    pub reserve: Option<f64>,
    pub per_class: Option<usize>,
    pub splits: Option<PathBuf>,
    pub transductive: bool,
    pub clusters: Option<usize>,
    pub starts: Option<usize>,
    pub protocol: Option<Spanned<String>>,
    pub tune: Option<Vec<Spanned<String>>>,
    pub tune_folds: Option<usize>,
    pub tune_score: Option<String>,
    pub tune_search: Option<Spanned<String>>,
    pub costs: Option<Spanned<String>>,
    pub seed: Option<u64>,
    pub threads: Option<usize>,
    pub time_limit: Option<f64>,
}

/// A view: a file, or a file with options.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a file name in quotes, or a table as { path = \"a.csv\" }")]
pub enum ViewEntry {
    Path(PathBuf),
    Table(ViewTable),
}

/// A value for the chosen method, or a table of values for one method by its id.
#[derive(Debug, Clone, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a number, a word in quotes, or a table of them for one method"
)]
pub enum ParamEntry {
    Method(BTreeMap<String, Value>),
    One(Value),
}

/// Cost factors by class, or the word `balanced`.
#[derive(Debug, Clone, Deserialize)]
#[serde(
    untagged,
    expecting = "expected \"balanced\", or a table of factors as { rare = 5.0, common = 1.0 }"
)]
pub enum ClassWeights {
    Word(String),
    ByClass(BTreeMap<String, f64>),
}

/// A project file that was read.
#[derive(Debug)]
pub struct Project {
    pub path: PathBuf,
    text: String,
    pub content: Content,
}

impl Project {
    /// Reads and checks a project file.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the project file {}", path.display()))?;
        Self::parse(path, text)
    }

    fn parse(path: &Path, text: String) -> Result<Self> {
        let refuse = |span: Option<std::ops::Range<usize>>, problem: String| {
            let line = span.map_or(String::new(), |s| format!(", line {}", line(&text, s.start)));
            misuse(format!("{}{line}: {problem}", path.display()))
        };
        let raw = toml::de::DeTable::parse(&text)
            .map_err(|e| refuse(e.span(), e.message().replace('\n', " ")))?;
        // An untagged enum forgets which key was wrong: views are checked on their own.
        for (name, view) in
            raw.get_ref().get("views").iter().flat_map(|v| v.get_ref().as_table()).flatten()
        {
            if view.get_ref().is_table() {
                let table = ViewTable::deserialize(toml::de::ValueDeserializer::from(view.clone()));
                table.map_err(|e| {
                    let span = e.span().or(Some(view.span()));
                    refuse(span, format!("view '{}': {}", name.get_ref(), explain(e.message())))
                })?;
            }
        }
        let content: Content =
            toml::from_str(&text).map_err(|e| refuse(e.span(), explain(e.message())))?;
        drop(raw);
        Ok(Project { path: path.to_path_buf(), text, content })
    }

    /// Where a value stands: `cokernel.toml, line 7`.
    pub fn place<T>(&self, value: &Spanned<T>) -> String {
        format!("{}, line {}", self.path.display(), line(&self.text, value.span().start))
    }

    /// The views in the order of the file.
    pub fn views(&self) -> Vec<(&str, &ViewEntry)> {
        let mut views: Vec<_> = self.content.views.iter().collect();
        views.sort_by_key(|(_, entry)| entry.span().start);
        views.into_iter().map(|(name, entry)| (name.as_str(), entry.get_ref())).collect()
    }

    /// A path of the file, seen from where the program runs.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        match self.path.parent() {
            Some(folder) if path.is_relative() => folder.join(path),
            _ => path.to_path_buf(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Project> {
        Project::parse(Path::new("p/cokernel.toml"), text.to_string())
    }

    fn refusal(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn the_example_says_everything() {
        let project = read(EXAMPLE).unwrap();
        let c = &project.content;
        let names: Vec<&str> = project.views().iter().map(|v| v.0).collect();
        assert_eq!(names, ["fou", "fac", "zer", "graph", "dna"]);
        assert_eq!(c.kernels.as_ref().map(Vec::len), Some(3));
        assert_eq!(project.place(c.method.as_ref().unwrap()), "p/cokernel.toml, line 11");
        assert_eq!(project.resolve(Path::new("fou.csv")), Path::new("p/fou.csv"));
        assert!(matches!(c.params["tol"].get_ref(), ParamEntry::One(Value::Real(_))));
        assert!(matches!(c.params["two_stage"].get_ref(), ParamEntry::Method(_)));
        // Every key of the struct is in the example, but for the alternative it names.
        let keys = refusal("nothing = 1");
        for key in keys.split("known: ").nth(1).unwrap().split(", ") {
            assert!(EXAMPLE.contains(key), "{key} is not in the example");
        }
    }

    #[test]
    fn unknown_keys_are_refused_by_file_line_and_suggestion() {
        let said = refusal("c = 1\nkernel = [\"linear\"]\n");
        assert!(
            said.starts_with(
                "p/cokernel.toml, line 2: unknown key 'kernel' (did you mean 'kernels'?); known: "
            ),
            "{said}"
        );
        let said = refusal("[views]\na = \"a.csv\"\nb = { path = \"b\", similarty = true }\n");
        assert_eq!(
            said,
            "p/cokernel.toml, line 3: view 'b': unknown key 'similarty' (did you mean \
             'similarity'?); known: path, similarity, sequences, variable, header"
        );
    }

    #[test]
    fn wrong_types_and_syntax_name_the_line() {
        let said = refusal("seed = 1\nc = \"one\"\n");
        assert!(said.starts_with("p/cokernel.toml, line 2: invalid type"), "{said}");
        let said = refusal("seed = 1\nc = = 2\n");
        assert!(said.starts_with("p/cokernel.toml, line 2: "), "{said}");
    }
}
