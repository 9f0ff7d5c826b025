//! From files to views and labels.

use crate::misuse::misuse;
use anyhow::Result;
use cokernel::data::{
    AssembleOptions, Header, LabelFile, Labels, Pairs, ReadOptions, TableFile, Views, assemble,
    read_labels, read_pairs, read_table,
};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A view and where it comes from.
#[derive(Debug, Clone)]
pub struct ViewSource {
    /// The name of the view.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Whether it holds similarities, n × n, and not features.
    pub similarity: bool,
    /// Whether it holds a sequence for each instance.
    pub sequences: bool,
    /// The variable of a file with several, the column of sequences.
    pub variable: Option<String>,
    /// Whether the first line names the columns.
    pub header: Header,
}

/// The options of a view.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewTable {
    /// Its file, relative to the file that names it.
    pub path: PathBuf,
    /// Whether it holds similarities, n × n, and not features.
    #[serde(default)]
    pub similarity: bool,
    /// Whether it holds a sequence for each instance.
    #[serde(default)]
    pub sequences: bool,
    /// The variable of a file with several.
    #[serde(default)]
    pub variable: Option<String>,
    /// Whether the first line names the columns.
    #[serde(default)]
    pub header: Option<HeaderWord>,
}

/// Whether the first line of a text table is a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HeaderWord {
    /// If it is not all numbers.
    Auto,
    /// It is.
    Yes,
    /// It is not.
    No,
}

impl From<HeaderWord> for Header {
    fn from(word: HeaderWord) -> Self {
        match word {
            HeaderWord::Auto => Header::Auto,
            HeaderWord::Yes => Header::Yes,
            HeaderWord::No => Header::No,
        }
    }
}

/// The files of views and labels, and how they are read.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// The views.
    pub views: Vec<ViewSource>,
    /// The file with the labels.
    pub labels: Option<PathBuf>,
    /// The column of the labels: of that file, or of the view that has it.
    pub label_column: Option<String>,
    /// What stands for a label that is not known.
    pub unlabelled: Option<String>,
    /// The column that names the instances.
    pub id: Option<String>,
    /// Pairs of instances, where they are learned from.
    pub pairs: Option<PathBuf>,
    /// Bytes that a compressed file may unpack to.
    pub unpack: Option<usize>,
}

/// What the files of a command hold.
pub struct Loaded {
    /// The views, of the same instances.
    pub views: Views,
    /// Their classes or numbers, if any are given.
    pub labels: Labels,
    /// Pairs of instances, where they are asked for.
    pub pairs: Option<Pairs>,
}

/// What the files hold, and remarks. `incomplete`: instances may lack views; `real`: labels are numbers.
pub fn read_files(
    input: &Input,
    new_instances: bool,
    incomplete: bool,
    real_targets: bool,
) -> Result<(Loaded, Vec<String>)> {
    input.views.iter().try_for_each(|v| named_columns(v, input))?;
    let mut labels = input.labels.as_ref().map(|p| label_file(p, input)).transpose()?;
    let labelled = labels.as_ref().map(|l| l.texts.len());
    let (mut tables, mut notes) = tables(input, new_instances, incomplete, labelled)?;
    if let Some(word) = &input.unlabelled {
        let texts = tables.iter_mut().filter_map(|(_, t)| t.labels.as_mut());
        let found = forget(texts.chain(labels.as_mut().map(|l| &mut l.texts)), word);
        if found == 0 && !new_instances {
            notes.push(format!("no label is '{word}', which was to say that it is not known"));
        }
    }
    if input.id.is_none() {
        notes.extend(by_position(&mut tables, &mut labels));
    }
    let options = AssembleOptions { allow_missing: incomplete, new_instances, real_targets };
    let assembled = assemble(tables, labels, &options).map_err(|e| match e {
        cokernel::Error::Match(problem) => {
            let library = "allow missing views";
            let flag = "leave out instances that lack a view by --drop-incomplete";
            cokernel::Error::Match(problem.replace(library, flag))
        }
        other => other,
    })?;
    notes.extend(assembled.notes);
    let pairs = input.pairs.as_ref().map(|path| pair_file(path, input, &assembled.views));
    Ok((
        Loaded { views: assembled.views, labels: assembled.labels, pairs: pairs.transpose()? },
        notes,
    ))
}

/// Where some files name their instances by themselves and others do not, and no id column is given, rows are
/// matched by position: without their names. A remark, if it is so.
fn by_position(tables: &mut NamedTables, labels: &mut Option<LabelFile>) -> Option<String> {
    let all = tables.iter().map(|(_, t)| (&t.ids, &t.path));
    let all: Vec<_> = all.chain(labels.as_ref().map(|l| (&l.ids, &l.path))).collect();
    let (with, without) =
        (all.iter().find(|(ids, _)| ids.is_some())?, all.iter().find(|(ids, _)| ids.is_none())?);
    let remark = format!(
        "rows are matched by position: {} names its instances, but {} does not; give its id column by --id to match them",
        with.1.display(),
        without.1.display()
    );
    tables.iter_mut().for_each(|(_, t)| t.ids = None);
    labels.iter_mut().for_each(|l| l.ids = None);
    Some(remark)
}

/// Makes labels that are this word, or the same number, missing ones; how many they are.
fn forget<'a>(labels: impl Iterator<Item = &'a mut Vec<String>>, word: &str) -> usize {
    let number = word.trim().parse::<f64>().ok();
    let is_word = |text: &str| {
        let text = text.trim();
        text == word.trim() || number.is_some_and(|v| text.parse() == Ok(v))
    };
    let mut found = 0;
    for text in labels.flatten().filter(|t| is_word(t.as_str())) {
        text.clear();
        found += 1;
    }
    found
}

/// Refuses an id column in a view of a format that has no named columns; one of observations has ids of its own.
fn named_columns(view: &ViewSource, input: &Input) -> Result<()> {
    readable(&view.path)?;
    let named = is_text(&view.path) || is_annotated(&view.path) || is_fasta(&view.path);
    if let Some(id) = input.id.as_ref().filter(|_| !named) {
        return Err(misuse(format!(
            "view '{}': {} has no column '{id}', because this format holds numbers only; \
             write it as CSV with that column, or give no id column to match all rows by \
             position",
            view.name,
            view.path.display()
        )));
    }
    Ok(())
}

/// Tables by the names of their views.
type NamedTables = Vec<(String, TableFile)>;

/// The views as they are in their files, and remarks. The label column, if there is no label file,
/// is that of the views that have it: there must be one, but for new instances. `labelled`: the
/// number of labels in the label file.
fn tables(
    input: &Input,
    new_instances: bool,
    incomplete: bool,
    labelled: Option<usize>,
) -> Result<(NamedTables, Vec<String>)> {
    let column = input.label_column.as_ref().filter(|_| input.labels.is_none());
    let texts = input.views.iter().filter(|v| is_text(&v.path)).count();
    if let Some(number) = column.filter(|c| texts > 1 && c.parse::<usize>().is_ok()) {
        return Err(misuse(format!(
            "label column {number}: with {texts} text tables it is not clear which of them is \
             meant; name the column by its header, or give the labels as a file of their own"
        )));
    }
    let (mut tables, mut found, mut refusals) = (Vec::new(), false, Vec::new());
    for view in &input.views {
        let named = is_text(&view.path) || is_annotated(&view.path);
        let mut options = ReadOptions {
            id_column: input.id.clone(),
            label_column: column.filter(|_| named).cloned(),
            variable: view.variable.clone(),
            header: view.header,
            similarity: view.similarity,
            sequences: view.sequences,
            missing_rows: incomplete,
            instances: labelled,
            unpacked: input.unpack,
            ..ReadOptions::default()
        };
        let table = match read_table(&view.path, &options) {
            Err(e) if lacks_label_column(&e) => {
                refusals.push(e);
                options.label_column = None;
                read_table(&view.path, &options)
            }
            read => {
                found |= options.label_column.is_some();
                read
            }
        }
        .map_err(in_flags)?;
        tables.push((view.name.clone(), table));
    }
    let Some(column) = column.filter(|_| !found) else { return Ok((tables, Vec::new())) };
    if new_instances {
        let note = format!("no view has the label column '{column}': nothing is scored");
        return Ok((tables, vec![note]));
    }
    let each = refusals.iter().map(|e| e.to_string()).collect::<Vec<_>>().join("; ");
    let each =
        if each.is_empty() { "no file is a text table, .h5ad or .h5mu".to_string() } else { each };
    Err(misuse(format!("no view has the label column '{column}': {each}")))
}

/// Whether a file cannot be read only because it has no such label column.
fn lacks_label_column(error: &cokernel::Error) -> bool {
    let cokernel::Error::Parse { problem, .. } = error else { return false };
    problem.starts_with("unknown label column '")
        || problem.starts_with("there is no header") && problem.contains("the label column")
}

/// The labels of a label file. In a NumPy, MATLAB or HDF5 file the label column is a variable.
fn label_file(path: &Path, input: &Input) -> Result<LabelFile> {
    readable(path)?;
    let mut options = ReadOptions {
        id_column: input.id.clone(),
        label_column: input.label_column.clone(),
        unpacked: input.unpack,
        ..ReadOptions::default()
    };
    if !is_text(path) && !is_annotated(path) {
        options.variable = options.label_column.take();
    }
    Ok(read_labels(path, &options).map_err(in_flags)?)
}

/// The pairs of a file of pairs, among these instances.
fn pair_file(path: &Path, input: &Input, views: &Views) -> Result<Pairs> {
    readable(path)?;
    let options = ReadOptions { unpacked: input.unpack, ..ReadOptions::default() };
    Ok(read_pairs(path, &options).map_err(in_flags)?.pairs(views)?)
}

/// A name for each of these instances: a column of a text table (the only one, if none is named), matched by the id column
/// where one is given, else by position.
pub fn names(
    path: &Path,
    column: Option<&String>,
    input: &Input,
    views: &Views,
) -> Result<Vec<String>> {
    readable(path)?;
    let options = ReadOptions {
        id_column: input.id.clone(),
        label_column: column.cloned(),
        unpacked: input.unpack,
        ..ReadOptions::default()
    };
    let read = read_labels(path, &options).map_err(in_flags)?;
    let place = path.display();
    match (read.ids, views.ids()) {
        (Some(names), Some(ids)) => {
            let text: HashMap<&String, &String> = names.iter().zip(&read.texts).collect();
            let of = |id: &String| match text.get(id) {
                Some(text) => Ok((*text).clone()),
                None => Err(misuse(format!("{place}: there is no line for instance '{id}'"))),
            };
            ids.iter().map(of).collect()
        }
        _ if read.texts.len() == views.n() => Ok(read.texts),
        _ => Err(misuse(format!(
            "{place}: expected {} lines, one for each instance, found {}",
            views.n(),
            read.texts.len()
        ))),
    }
}

/// An error of a reader in the words of the command line.
pub fn in_flags(error: cokernel::Error) -> cokernel::Error {
    match error {
        cokernel::Error::Parse { path, line, column, problem } => {
            let mut problem =
                problem.replace("raise ReadOptions::unpacked", "allow more by --unpack SIZE");
            if problem.starts_with("the file holds several; name one of") {
                problem += " (of a view by --variable VIEW=NAME, of labels by --label-column NAME)";
            }
            cokernel::Error::Parse { path, line, column, problem }
        }
        other => other,
    }
}

/// Said before the ending of the name is looked at.
fn readable(path: &Path) -> Result<()> {
    let io = |source| cokernel::Error::Io { path: path.to_path_buf(), source };
    if std::fs::metadata(path).map_err(io)?.is_dir() {
        return Err(misuse(format!("{} is a folder; name a file", path.display())));
    }
    Ok(())
}

/// Whether a file is a text table, which has named columns.
fn is_text(path: &Path) -> bool {
    ends_in(path, &[".csv", ".tsv", ".txt", ".dat"])
}

/// Whether a file holds observations, with names and columns of their own (AnnData, MuData).
pub fn is_annotated(path: &Path) -> bool {
    ends_in(path, &[".h5ad", ".h5mu"])
}

/// Whether a file holds sequences under their names.
pub fn is_fasta(path: &Path) -> bool {
    ends_in(path, &[".fasta", ".fa", ".faa", ".fna"])
}

/// Whether these may be in several modalities (MuData).
pub fn has_modalities(path: &Path) -> bool {
    ends_in(path, &[".h5mu"])
}

/// Whether a name has one of these endings, `.gz` apart.
fn ends_in(path: &Path, endings: &[&str]) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    endings.iter().any(|ending| stem.ends_with(ending))
}
