//! From files to views and labels.

use crate::misuse::misuse;
use crate::session::Session;
use crate::settings::{Learning, Settings, ViewSource};
use crate::table::count;
use anyhow::Result;
use cokernel::data::{
    AssembleOptions, LabelFile, Labels, Pairs, ReadOptions, TableFile, Views, assemble,
    read_labels, read_pairs, read_table,
};
use cokernel::method::Task;
use std::path::Path;

/// What the files of a command hold.
pub struct Data {
    pub views: Views,
    pub labels: Labels,
    /// Pairs of instances, where they are asked for.
    pub pairs: Option<Pairs>,
}

/// Instances without a label that are left out, in words.
pub fn left_out_note(labels: &Labels) -> Option<String> {
    let (all, known) = (labels.len(), labels.known_rows().len());
    let missing = all - known;
    if missing == 0 || matches!(labels, Labels::Absent(_)) {
        return None;
    }
    Some(format!("{missing} of {all} instances have no label and are left out"))
}

/// Reads views and labels to learn from; there must be labels, but to detect outliers.
pub fn load_labelled(settings: &Settings, session: &Session, learning: &Learning) -> Result<Data> {
    let task = learning.task();
    let (incomplete, real) = (settings.drop_incomplete, task == Task::Regress);
    let data = read(settings, session, false, incomplete, real)?;
    if learning.assumed {
        refuse_doubtful(&data.labels)?;
    }
    if let (Labels::Absent(_), true) = (&data.labels, task != Task::Detect) {
        return Err(misuse(
            "no labels are given; add --labels FILE, or --label-column NAME if a view has them",
        ));
    }
    Ok(data)
}

/// Refuses classes that are most probably numbers to predict, where it was not said which is meant:
/// all names are numbers, and there are more than 20 of them with fractions or above half as many as
/// instances.
fn refuse_doubtful(labels: &Labels) -> Result<()> {
    let Labels::Classes { names, codes } = labels else { return Ok(()) };
    let numbers: Option<Vec<f64>> = names.iter().map(|n| n.parse().ok()).collect();
    let Some(numbers) = numbers.filter(|n| n.len() > 20) else { return Ok(()) };
    let fractions = numbers.iter().any(|v| v.fract() != 0.0);
    let known = codes.iter().flatten().count();
    if fractions || 2 * numbers.len() > known {
        return Err(misuse(format!(
            "the labels of {known} instances are {} different numbers: add --task regress to learn the \
             numbers, or --task classify to learn each as a class",
            numbers.len()
        )));
    }
    Ok(())
}

/// Reads the instances to cluster, with labels if there are any. Instances may lack views, unless
/// these are to be left out.
pub fn load_incomplete(settings: &Settings, session: &Session) -> Result<Data> {
    read(settings, session, false, true, false)
}

/// Reads instances to be compared with those of a model.
pub fn load_new(settings: &Settings, session: &Session, real: bool) -> Result<Data> {
    read(settings, session, true, settings.drop_incomplete, real)
}

/// `incomplete`: instances may lack views; `real`: labels are numbers.
fn read(
    settings: &Settings,
    session: &Session,
    new_instances: bool,
    incomplete: bool,
    real: bool,
) -> Result<Data> {
    if settings.views.is_empty() {
        return Err(misuse("no view is given; add --view NAME=FILE, or write a cokernel.toml"));
    }
    session.notes(&settings.remarks);
    let (data, notes) = read_files(settings, new_instances, incomplete, real)?;
    session.notes(&notes);
    if settings.drop_incomplete { Ok(complete(data, session, new_instances)) } else { Ok(data) }
}

/// What the files hold, and remarks. `incomplete`: instances may lack views; `real`: labels are numbers.
pub fn read_files(
    settings: &Settings,
    new_instances: bool,
    incomplete: bool,
    real_targets: bool,
) -> Result<(Data, Vec<String>)> {
    settings.views.iter().try_for_each(|v| named_columns(v, settings))?;
    let mut labels = settings.labels.as_ref().map(|p| label_file(p, settings)).transpose()?;
    let labelled = labels.as_ref().map(|l| l.texts.len());
    let (mut tables, mut notes) = tables(settings, new_instances, incomplete, labelled)?;
    if let Some(word) = &settings.unlabelled {
        let texts = tables.iter_mut().filter_map(|(_, t)| t.labels.as_mut());
        let found = forget(texts.chain(labels.as_mut().map(|l| &mut l.texts)), word);
        if found == 0 && !new_instances {
            notes.push(format!("no label is '{word}', which was to say that it is not known"));
        }
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
    let pairs = settings.pairs.as_ref().map(|path| pair_file(path, settings, &assembled.views));
    Ok((
        Data { views: assembled.views, labels: assembled.labels, pairs: pairs.transpose()? },
        notes,
    ))
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

/// Refuses an id column in a view of a format that has no named columns.
fn named_columns(view: &ViewSource, settings: &Settings) -> Result<()> {
    readable(&view.path)?;
    if let Some(id) = settings.id.as_ref().filter(|_| !is_text(&view.path)) {
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
    settings: &Settings,
    new_instances: bool,
    incomplete: bool,
    labelled: Option<usize>,
) -> Result<(NamedTables, Vec<String>)> {
    let column = settings.label_column.as_ref().filter(|_| settings.labels.is_none());
    let texts = settings.views.iter().filter(|v| is_text(&v.path)).count();
    if let Some(number) = column.filter(|c| texts > 1 && c.parse::<usize>().is_ok()) {
        return Err(misuse(format!(
            "label column {number}: with {texts} text tables it is not clear which of them is \
             meant; name the column by its header, or give the labels as a file of their own"
        )));
    }
    let (mut tables, mut found, mut refusals) = (Vec::new(), false, Vec::new());
    for view in &settings.views {
        let text = is_text(&view.path);
        let mut options = ReadOptions {
            id_column: settings.id.clone(),
            label_column: column.filter(|_| text).cloned(),
            variable: view.variable.clone(),
            header: view.header,
            similarity: view.similarity,
            missing_rows: incomplete,
            instances: labelled,
            unpacked: settings.unpack,
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
    let each = if each.is_empty() { "no file is a text table".to_string() } else { each };
    Err(misuse(format!("no view has the label column '{column}': {each}")))
}

/// Whether a file cannot be read only because it has no such label column.
fn lacks_label_column(error: &cokernel::Error) -> bool {
    let cokernel::Error::Parse { problem, .. } = error else { return false };
    problem.starts_with("unknown label column '")
        || problem.starts_with("there is no header, so the label column")
}

/// The labels of a label file. In a NumPy or MATLAB file the label column is a variable.
fn label_file(path: &Path, settings: &Settings) -> Result<LabelFile> {
    readable(path)?;
    let mut options = ReadOptions {
        id_column: settings.id.clone(),
        label_column: settings.label_column.clone(),
        unpacked: settings.unpack,
        ..ReadOptions::default()
    };
    if !is_text(path) {
        options.variable = options.label_column.take();
    }
    Ok(read_labels(path, &options).map_err(in_flags)?)
}

/// The pairs of a file of pairs, among these instances.
fn pair_file(path: &Path, settings: &Settings, views: &Views) -> Result<Pairs> {
    readable(path)?;
    let options = ReadOptions { unpacked: settings.unpack, ..ReadOptions::default() };
    Ok(read_pairs(path, &options).map_err(in_flags)?.pairs(views)?)
}

/// An error of a reader in the words of the command line.
pub fn in_flags(error: cokernel::Error) -> cokernel::Error {
    match error {
        cokernel::Error::Parse { path, line, column, problem } => {
            let problem =
                problem.replace("raise ReadOptions::unpacked", "allow more by --unpack SIZE");
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

/// Whether a file has named columns, by the ending of its name.
fn is_text(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    [".csv", ".tsv", ".txt", ".dat"].iter().any(|ending| stem.ends_with(ending))
}

/// The instances that have every view.
fn complete(data: Data, session: &Session, new_instances: bool) -> Data {
    let (n, rows) = (data.views.n(), data.views.complete_rows());
    if rows.len() == n {
        return data;
    }
    let dropped = count(n - rows.len(), "instance", "instances");
    session.notes([format!("{dropped} of {n} left out: not every view is there")]);
    let views = if new_instances {
        let similarity = data.views.iter().find(|v| v.table.is_similarity());
        let training: Vec<usize> = (0..similarity.map_or(0, |v| v.table.cols())).collect();
        data.views.select_new(&rows, &training)
    } else {
        data.views.select(&rows)
    };
    let pairs = data.pairs.map(|pairs| pairs.select(&rows));
    Data { views, labels: data.labels.select(&rows), pairs }
}
