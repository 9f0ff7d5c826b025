//! Flags that several commands share.

use crate::input::HeaderWord;
use crate::misuse::misuse;
use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;

/// Flags of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArgs {
    /// Seed of every random choice; the same seed gives the same result on any number of threads
    #[arg(long, global = true, value_name = "N", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Number of threads [default: all cores]
    #[arg(long, global = true, value_name = "N", allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Stop each fit, clustering or embedding after this many seconds and keep what it has; labels
    /// and embeddings of new instances that are not complete by then are an error
    #[arg(long, global = true, value_name = "SECONDS", allow_negative_numbers = true)]
    pub time_limit: Option<f64>,
    /// No progress bar, no remarks
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Show all columns of tables, however narrow the terminal is
    #[arg(long, global = true)]
    pub wide: bool,
    /// Print the result as JSON, and nothing else, to the standard output
    #[arg(long, global = true)]
    pub json: bool,
    /// Write CSV tables for a spreadsheet: an apostrophe before what would be a formula there
    #[arg(long, global = true)]
    pub spreadsheet: bool,
}

/// Where the data is.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Data")]
pub struct DataArgs {
    /// A feature table: one row per instance; CSV, TSV, NPY, NPZ, LIBSVM, MatrixMarket, MAT, HDF5, H5AD or H5MU
    /// file, also gzipped. Repeat for each view. Without NAME= the modalities of an H5MU file are views by their
    /// names
    #[arg(long = "view", value_name = "NAME=FILE")]
    pub views: Vec<String>,
    /// An H5MU or H5AD file (MuData, AnnData): its modalities are views by their names, ids are those of its
    /// observations, and --label-column names a column of its obs. The same as --view FILE
    #[arg(long, value_name = "FILE")]
    pub mudata: Option<PathBuf>,
    /// A precomputed similarity: n × n for training; n_new × n for new instances. A sparse file is
    /// a graph. Repeatable
    #[arg(long = "similarity", value_name = "NAME=FILE")]
    pub similarities: Vec<String>,
    /// Sequences (DNA, proteins, logs): a text for each instance, the column of a CSV or TSV file (which one, if there
    /// are several, by --variable NAME=COLUMN) or a FASTA file. Repeat for each
    #[arg(long = "sequences", value_name = "NAME=FILE")]
    pub sequences: Vec<String>,
    /// The file with the labels, one row per instance
    #[arg(long, value_name = "FILE", aliases = ["target", "targets"])]
    pub labels: Option<PathBuf>,
    /// The column that holds the labels: its name, or its number from 1; of the label file (of an
    /// NPZ, MAT or HDF5 file: its variable), or without one of the view that has it; of an H5AD or H5MU file a column
    /// of obs
    #[arg(long, value_name = "COLUMN")]
    pub label_column: Option<String>,
    /// What stands for a label that is not known, beside an empty one, ?, NA and nan
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    pub unlabelled: Option<String>,
    /// Whether the first line of text tables names the columns; auto: if it is not all numbers
    /// [default: auto]
    #[arg(long, value_parser = header(), value_name = "auto|yes|no", hide_possible_values = true)]
    pub header: Option<HeaderWord>,
    /// Which variable of an NPZ, MAT or HDF5 file is the view, if the file has several; in a MAT file
    /// also 'X{1}' or data.fou, of an H5AD file layers/NAME, obsm/NAME or obsp/NAME in place of X. A cell array,
    /// struct or group of matrices, or n × n × M kernels in one array, give the views a1, a2 … of a. Repeatable
    #[arg(long = "variable", value_name = "VIEW=VARIABLE")]
    pub variables: Vec<String>,
    /// The most that a compressed file may unpack to, as 500MB or 8GiB [default: 2GiB]
    #[arg(long, value_name = "SIZE")]
    pub unpack: Option<String>,
    /// The column that names the instances; rows are matched by it instead of by position
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// Leave out instances that lack a view, those that are tested or predicted, too; otherwise clustering estimates
    /// their similarities from the other views, and learning does what --missing says
    #[arg(long)]
    pub drop_incomplete: bool,
    /// Read settings from this file [default: ./cokernel.toml if it exists and no view is given]
    #[arg(long, value_name = "FILE")]
    pub project: Option<PathBuf>,
}

/// What the kernels are, and where they are kept.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Kernels")]
pub struct KernelArgs {
    /// A kernel, as FAMILY, FAMILY@VIEW or FAMILY@VIEW:KEY=VALUE…, for example `gaussian@fou:sigma=median`; without
    /// a view, one kernel for each view that the family can use. Repeatable
    /// [default: gaussian with the median distance as width, for each view]
    #[arg(long = "kernel", value_name = "SPEC")]
    pub kernels: Vec<String>,
    /// Scaling of the feature columns, learned on the training rows [default: none]
    #[arg(long, value_name = "none|standard|min_max")]
    pub scale: Option<String>,
    /// How kernels are kept: auto, resident, resident_f32, on_demand and others [default: auto]. mapped:DIR and mapped_f32:DIR: in a file of this directory, made once and
    /// read by all that need the same kernels; a run that was killed goes on. nystroem:rank=200:landmarks=kmeans: not at
    /// all; 200 instances, chosen as uniform, kmeans, leverage or cholesky say, stand for all, in time and memory
    /// proportional to the number of instances (simple_mkl, lp_norm, elastic_net, mean, sum, and methods that weigh
    /// kernels without a machine, as align and two_stage, or forest_two_stage; with svc, squared_hinge_svc, kernel_logistic, svr or kernel_ridge; clusters by spectral, co_trained, co_regularized and others).
    /// fourier:rank=200:directions=orthogonal: 200 random features for each kernel in the place of landmarks, for gaussian,
    /// laplacian and exponential kernels
    #[arg(long, value_name = "STORAGE")]
    pub storage: Option<String>,
    /// Memory for kernels before they are computed on demand, as 500MB or 2GiB [default: 2GiB]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
}

/// Graphs in place of features, for clustering.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Kernels")]
pub struct GraphArgs {
    /// A graph of neighbours in place of the features of a view (without a view: of each), as
    /// knn:k=10, knn@fou:k=10:mutual=yes:weights=gaussian or epsilon:radius=0.5. Repeatable
    #[arg(long = "graph", value_name = "SPEC")]
    pub graphs: Vec<String>,
}

/// The machine that is trained on the combined kernel.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Machine")]
pub struct MachineArgs {
    /// What is learned: classes, numbers, or which instances are unlike the others; it chooses the
    /// machine [default: that of the machine, classify]
    #[arg(long, value_name = "classify|regress|detect")]
    pub task: Option<String>,
    /// Machine that learns on the combination, with parameters: ID:NAME=VALUE:… (see `cokernel methods`)
    /// [default: svc; of --task regress svr, of --task detect one_class_svm]
    #[arg(long, value_name = "MACHINE")]
    pub machine: Option<String>,
    /// Cost of a unit of slack, greater than 0; after normalize=unit_trace or frobenius a useful one
    /// grows with the number of instances [default: 1]
    #[arg(long, value_name = "C", allow_negative_numbers = true)]
    pub c: Option<f64>,
    /// Factor on the cost for a class, as CLASS=FACTOR (repeatable), or `balanced`
    #[arg(long = "class-weight", value_name = "CLASS=FACTOR|balanced")]
    pub class_weights: Vec<String>,
    /// How several classes become two-class machines; dag: one for each pair, decided along a graph
    /// [default: one_vs_rest]
    #[arg(long, value_name = "one_vs_rest|one_vs_one|dag")]
    pub decomposition: Option<String>,
    /// Training instances that lack a view: drop, leave them out; zero, mean: zeros or column means for the (scaled)
    /// features; estimate: similarities from the other views; per_view: each view's classifier learns from the
    /// instances that have it (late_mean, ekp, lp_beta, medfc, gml); refuse; auto: per_view where the method can, else mean, of
    /// similarities estimate [default: auto]
    #[arg(
        long,
        value_name = "auto|refuse|drop|zero|mean|estimate|per_view",
        help_heading = "Data"
    )]
    pub missing: Option<String>,
}

/// How instances are split into training and test sets; what is drawn is stratified by class.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Splits")]
pub struct SplitArgs {
    /// Folds of a cross-validation, at least 2 [default: 5]
    #[arg(long, value_name = "K", conflicts_with = "test_fraction", allow_negative_numbers = true)]
    pub folds: Option<usize>,
    /// How often the folds, or the random test sets, are drawn anew [default: 1; 5 with
    /// --test-fraction]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub repeats: Option<usize>,
    /// Random test sets of this fraction of the instances instead of folds
    #[arg(long, value_name = "FRACTION", allow_negative_numbers = true)]
    pub test_fraction: Option<f64>,
    /// Set this fraction aside to test on, once, and divide the rest five times into two folds: one to learn
    /// from, the other to choose parameters on (--tune)
    #[arg(long, value_name = "FRACTION", allow_negative_numbers = true, conflicts_with_all = ["folds", "test_fraction"])]
    pub reserve: Option<f64>,
    /// Learn from this many instances of each class, test on the others
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with_all = ["folds", "test_fraction", "reserve"])]
    pub per_class: Option<usize>,
    /// Five times two folds, for the 5×2 cv F test
    #[arg(long, conflicts_with_all = ["folds", "test_fraction", "reserve", "per_class"])]
    pub five_by_two: bool,
    /// Instances with the same name in this column stay on the same side
    #[arg(long, value_name = "[COLUMN@]FILE")]
    pub groups: Option<String>,
    /// A file of splits, as `cokernel splits` writes it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["folds", "test_fraction", "reserve", "per_class", "five_by_two"])]
    pub splits: Option<PathBuf>,
    /// A column that says the split: train and test (and validation), or the names of folds
    #[arg(long, value_name = "[COLUMN@]FILE", conflicts_with_all = ["folds", "test_fraction", "reserve", "per_class", "five_by_two", "splits"])]
    pub split_column: Option<String>,
    /// Learn from the test instances, too, without their labels (machines that can: laplacian_svm)
    #[arg(long)]
    pub transductive: bool,
}

/// The words of `--header`.
fn header() -> impl TypedValueParser<Value = HeaderWord> {
    PossibleValuesParser::new(["auto", "yes", "no"]).map(|word| match word.as_str() {
        "yes" => HeaderWord::Yes,
        "no" => HeaderWord::No,
        _ => HeaderWord::Auto,
    })
}

/// `NAME=REST`, for a flag.
pub fn name_and_rest<'a>(flag: &str, what: &str, text: &'a str) -> Result<(&'a str, &'a str)> {
    match text.split_once('=') {
        Some((name, rest)) if !name.trim().is_empty() && !rest.is_empty() => {
            Ok((name.trim(), rest))
        }
        _ => Err(misuse(format!("{flag}: expected {what}, found '{text}'"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_read() {
        assert!(name_and_rest("--view", "NAME=FILE", "fou.csv").is_err());
    }
}
