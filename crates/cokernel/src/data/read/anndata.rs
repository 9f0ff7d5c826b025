//! AnnData (`.h5ad`) and MuData (`.h5mu`) files: observations with matrices in one or several modalities.
//! Layout: "On-disk format" of anndata 0.7 to 0.13, and of mudata 0.1 to 0.4.
//!
//! | in the file | becomes |
//! |---|---|
//! | `X`, `layers/…`, `raw/X`, `obsm/…` | features: dense, or sparse (CSR, CSC); a table of numbers |
//! | `obsp/…` | similarities, a graph if they are sparse |
//! | the index of `obs` | ids of the instances |
//! | a column of `obs` | labels |
//! | `mod/…`, `obsmap/…` | modalities, and which instances have them |
//!
//! | file | what it holds |
//! |---|---|
//! | `frame` | the table of observations |
//! | `element` | matrices |
//!
//! The instances of an `.h5mu` file are its own observations, in their order; `obsmap` has for each of them the
//! row of the modality from 1, and 0 for one that lacks it.

mod element;
mod frame;

use super::hdf5::{File, Group};
use super::{LabelFile, ReadOptions, TableFile, parse_error};
use crate::data::{Csr, Matrix, Table};
use crate::{Error, Result};
use element::matrix;
use frame::Frame;
use std::collections::HashMap;
use std::path::Path;

/// Reads a matrix of an AnnData file: `X`, or what `options.variable` says, with the names of the observations
/// as ids, and the column `options.label_column` of `obs` as labels.
///
/// # Errors
/// The content is no HDF5 file or is damaged, there is no such matrix or column (the error lists what there is),
/// or an entry is not a finite number.
pub fn parse_anndata(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<TableFile> {
    read(&File::of(bytes.to_vec(), path)?, false, path, options)
}

/// Reads a matrix of a modality of a MuData file, or of all: `options.variable` names it, as `rna`, `rna/obsm/X_pca`
/// or `obsm/X_mofa`; see [`parse_anndata`]. Instances that lack the modality are not present.
///
/// # Errors
/// As [`parse_anndata`]; or there are several modalities and none is named; or an instance lacks the modality while
/// `options.missing_rows` is not set.
pub fn parse_mudata(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<TableFile> {
    read(&File::of(bytes.to_vec(), path)?, true, path, options)
}

/// What an AnnData group can hold matrices in.
const FOLDERS: [&str; 3] = ["layers", "obsm", "obsp"];

/// As [`parse_anndata`]; `several`: as [`parse_mudata`].
pub(super) fn read(
    file: &File,
    several: bool,
    path: &Path,
    options: &ReadOptions,
) -> Result<TableFile> {
    let fail = |problem: String| parse_error(path, (0, 0), problem);
    let root = file.root();
    let all = Frame::of(&root).map_err(fail)?;
    let (modality, element) = match several {
        true => which(&root, options).map_err(fail)?,
        false => (None, options.variable.clone()),
    };
    let within = match &modality {
        Some(name) => modality_group(&root, name).map_err(fail)?,
        None => file.root(),
    };
    let element = match element {
        Some(element) => element,
        None => default_element(&within, options).map_err(fail)?,
    };
    let ids = all.names(&mut options.room()).map_err(fail)?;
    let labels = match &options.label_column {
        None => None,
        Some(column) => Some(match &modality {
            None => all.column(column, &mut options.room()).map_err(fail)?,
            Some(name) => labels_within(&root, &within, name, column, options).map_err(fail)?,
        }),
    };
    let (table, columns) = matrix(&within, &element, path, options)?;
    let own = match &modality {
        Some(_) => Frame::of(&within).and_then(|f| f.len()).map_err(fail)?,
        None => ids.len(),
    };
    let (rows, cols) = (table.rows(), table.cols());
    if rows != own || (table.is_similarity() && cols != own) {
        let expected = if table.is_similarity() { own } else { cols };
        let problem = format!("'{element}' is {rows} × {cols}; expected {own} × {expected}");
        return Err(fail(format!("{problem}, as there are {own} observations")));
    }
    let found = TableFile {
        path: path.to_path_buf(),
        table,
        columns,
        ids: Some(ids),
        labels,
        present: None,
        notes: Vec::new(),
    };
    let Some(name) = modality else { return Ok(found) };
    let places = places(&root, &within, &name, &found, options).map_err(fail)?;
    aligned(found, &places, &name, path)
}

/// The matrices that are views: `X` of an AnnData file, the `X` of each modality of a MuData file.
pub(super) fn view_variables(
    file: &File,
    several: bool,
    path: &Path,
    options: &ReadOptions,
) -> Result<Vec<(String, String)>> {
    let fail = |problem: String| parse_error(path, (0, 0), problem);
    let root = file.root();
    if let Some(variable) = &options.variable {
        return Ok(vec![(String::new(), variable.clone())]);
    }
    if !several {
        let element = default_element(&root, options).map_err(fail)?;
        return Ok(vec![(String::new(), element)]);
    }
    let names = modalities(&root).map_err(fail)?;
    Ok(names.into_iter().map(|name| (format!(".{name}"), name)).collect())
}

/// The labels of a file: the column `options.label_column` of `obs`.
pub(super) fn labels(
    file: &File,
    several: bool,
    path: &Path,
    options: &ReadOptions,
) -> Result<LabelFile> {
    let fail = |problem: String| parse_error(path, (0, 0), problem);
    let (root, mut room) = (file.root(), options.room());
    let frame = Frame::of(&root).map_err(fail)?;
    let Some(column) = options.label_column.as_ref().or(options.variable.as_ref()) else {
        let known = frame.columns().map_err(fail)?.join(", ");
        return Err(fail(format!(
            "it is not clear which column of obs holds the labels; name one of {known}"
        )));
    };
    let texts = match frame.column(column, &mut room) {
        Err(_) if several => {
            let found = modalities(&root).map_err(fail)?.into_iter().find_map(|name| {
                let within = modality_group(&root, &name).ok()?;
                labels_within(&root, &within, &name, column, options).ok()
            });
            found.map_or_else(|| frame.column(column, &mut room), Ok)
        }
        read => read,
    }
    .map_err(fail)?;
    let ids = Some(frame.names(&mut room).map_err(fail)?);
    Ok(LabelFile { path: path.to_path_buf(), texts, ids, blank: None })
}

/// The modalities of a MuData file, in its order.
fn modalities(root: &Group) -> Result<Vec<String>, String> {
    let within = root.group("mod")?.ok_or("there is no group 'mod': this is no MuData file")?;
    let mut names = within.names()?;
    if let Some(order) = within.texts("mod-order") {
        let place = |name: &String| order.iter().position(|o| o == name).unwrap_or(order.len());
        names.sort_by_key(place);
    }
    if names.is_empty() {
        return Err("there is no modality".to_string());
    }
    if root.whole("axis").is_some_and(|axis| axis != 0) {
        return Err("its modalities share their variables, not their observations (axis 1); \
                    expected modalities of the same observations"
            .to_string());
    }
    Ok(names)
}

fn modality_group(root: &Group, name: &str) -> Result<Group, String> {
    let names = modalities(root)?;
    if !names.iter().any(|n| n == name) {
        return Err(Error::unknown("modality", name, &names).to_string());
    }
    root.group(&format!("mod/{name}"))?.ok_or_else(|| format!("modality '{name}' is no group"))
}

/// The modality that is meant, and what in it: of `rna/obsm/X_pca` both, of `rna` the first, of `obsm/X_mofa`
/// the second.
fn which(root: &Group, options: &ReadOptions) -> Result<(Option<String>, Option<String>), String> {
    let names = modalities(root)?;
    let Some(asked) = &options.variable else {
        return match &names[..] {
            [one] => Ok((Some(one.clone()), None)),
            _ => {
                Err(format!("the file holds several modalities; name one of {}", names.join(", ")))
            }
        };
    };
    let asked = asked.strip_prefix("mod/").unwrap_or(asked);
    // A modality may be called like a folder.
    let (first, rest) = asked.split_once('/').map_or((asked, None), |(f, r)| (f, Some(r)));
    if names.iter().any(|n| n == first) {
        return Ok((Some(first.to_string()), rest.map(String::from)));
    }
    if FOLDERS[1..].contains(&first) && rest.is_some() {
        return Ok((None, Some(asked.to_string())));
    }
    let known = names.iter().cloned().chain(elements(root)?);
    Err(Error::unknown("modality or matrix", asked, known).to_string())
}

/// `X`, or for a similarity the only one that there is.
fn default_element(within: &Group, options: &ReadOptions) -> Result<String, String> {
    let all = elements(within)?;
    if !options.similarity && all.iter().any(|e| e == "X") {
        return Ok("X".to_string());
    }
    let fits = |e: &&String| e.starts_with("obsp/") == options.similarity;
    let found: Vec<&String> = all.iter().filter(fits).collect();
    match (&found[..], options.similarity) {
        ([one], true) => Ok((*one).clone()),
        ([], true) => Err("there is no similarity in obsp".to_string()),
        ([], false) => Err("there is neither X nor another matrix of features".to_string()),
        (_, true) => {
            Err(format!("the file holds several similarities; name one of {}", list(&found)))
        }
        (_, false) => Err(format!("there is no X; name one of {}", list(&found))),
    }
}

fn list(names: &[&String]) -> String {
    names.iter().map(|n| n.as_str()).collect::<Vec<_>>().join(", ")
}

/// The matrices of a group.
fn elements(within: &Group) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    if within.get("X")?.is_some() {
        all.push("X".to_string());
    }
    for folder in FOLDERS {
        if let Some(group) = within.group(folder)? {
            all.extend(group.names()?.into_iter().map(|name| format!("{folder}/{name}")));
        }
    }
    Ok(all)
}

/// For each instance of a MuData file its row in a modality: from `obsmap`, without it by name.
fn rows_of(
    root: &Group,
    within: &Group,
    modality: &str,
    ids: &[String],
    options: &ReadOptions,
) -> Result<Vec<Option<usize>>, String> {
    let own = Frame::of(within)?;
    let n = own.len()?;
    let Some(map) = root.group("obsmap")?.filter(|g| matches!(g.get(modality), Ok(Some(_)))) else {
        let names = own.names(&mut options.room())?;
        let rows: HashMap<&String, usize> = names.iter().zip(0..).collect();
        return Ok(ids.iter().map(|id| rows.get(id).copied()).collect());
    };
    let map = map.dataset(modality)?.numbers::<usize>(&mut options.room())?;
    if map.len() != ids.len() {
        let (expected, found) = (ids.len(), map.len());
        return Err(format!("obsmap/{modality} has {found} entries; expected {expected}"));
    }
    let mut seen = vec![false; n];
    let place = |(k, row): (usize, usize)| match row.checked_sub(1) {
        None => Ok(None),
        Some(row) if row < n && !std::mem::replace(&mut seen[row], true) => Ok(Some(row)),
        Some(row) => Err(format!(
            "obsmap/{modality}: entry {k} is {}; expected each of 1 to {n} once at most",
            row + 1
        )),
    };
    map.into_iter().enumerate().map(place).collect()
}

/// As [`rows_of`], if instances may lack the modality or none does.
fn places(
    root: &Group,
    within: &Group,
    modality: &str,
    found: &TableFile,
    options: &ReadOptions,
) -> Result<Vec<Option<usize>>, String> {
    let ids = found.ids.as_deref().unwrap_or_default();
    let rows = rows_of(root, within, modality, ids, options)?;
    let lacking: Vec<&String> =
        ids.iter().zip(&rows).filter(|(_, r)| r.is_none()).map(|(id, _)| id).collect();
    if let ([first, ..], false) = (&lacking[..], options.missing_rows) {
        return Err(format!(
            "{} of {} instances lack modality '{modality}', the first is '{first}'; leave them \
             out, or allow missing views",
            lacking.len(),
            ids.len()
        ));
    }
    Ok(rows)
}

/// A column of all observations, or of those of a modality.
fn labels_within(
    root: &Group,
    within: &Group,
    modality: &str,
    column: &str,
    options: &ReadOptions,
) -> Result<Vec<String>, String> {
    let (all, own, mut room) = (Frame::of(root)?, Frame::of(within)?, options.room());
    let known = all.columns()?;
    if known.iter().any(|c| c == column) {
        return all.column(column, &mut room);
    }
    // MuData repeats the columns of a modality under its name.
    let short = column.strip_prefix(modality).and_then(|c| c.strip_prefix(':')).unwrap_or(column);
    if !own.columns()?.iter().any(|c| c == short) {
        let known = known.into_iter().chain(own.columns()?);
        return Err(Error::unknown("label column", column, known).to_string());
    }
    let texts = own.column(short, &mut room)?;
    let rows = rows_of(root, within, modality, &all.names(&mut room)?, options)?;
    Ok(rows.iter().map(|r| r.map_or(String::new(), |r| texts[r].clone())).collect())
}

/// The table of a modality with a row for each instance.
fn aligned(
    mut file: TableFile,
    rows: &[Option<usize>],
    modality: &str,
    path: &Path,
) -> Result<TableFile> {
    if file.table.rows() == rows.len() && rows.iter().enumerate().all(|(i, r)| *r == Some(i)) {
        return Ok(file);
    }
    let present: Vec<bool> = rows.iter().map(Option::is_some).collect();
    if !present.contains(&true) {
        let problem = format!("no instance has modality '{modality}'");
        return Err(parse_error(path, (0, 0), problem));
    }
    let n = rows.len();
    file.table = match file.table {
        Table::Dense(m) => {
            let mut values = Vec::with_capacity(n * m.cols());
            for row in rows {
                match row {
                    Some(r) => values.extend_from_slice(m.row(*r)),
                    None => values.resize(values.len() + m.cols(), f64::NAN),
                }
            }
            Table::Dense(Matrix::new(n, m.cols(), values)?)
        }
        Table::Similarity(m) => Table::Similarity(Matrix::from_fn(n, n, |i, j| {
            rows[i].zip(rows[j]).map_or(f64::NAN, |(a, b)| m.get(a, b))
        })),
        // None is read from these files.
        Table::Sequences(s) => Table::Sequences(s),
        Table::Sparse(m) => Table::Sparse(picked(&m, rows, None)?),
        Table::Graph(m) => {
            let mut columns = vec![0; m.cols()];
            for (i, row) in rows.iter().enumerate() {
                row.iter().for_each(|r| columns[*r] = i as u32);
            }
            Table::Graph(picked(&m, rows, Some(&columns))?)
        }
    };
    file.present = present.contains(&false).then_some(present);
    Ok(file)
}

/// These rows, none for absent ones; `columns`: the new place of each column, of n.
fn picked(m: &Csr, rows: &[Option<usize>], columns: Option<&[u32]>) -> Result<Csr> {
    let mut starts = vec![0];
    let (mut indices, mut values) = (Vec::new(), Vec::new());
    for row in rows {
        let (c, v) = row.map_or((&[][..], &[][..]), |r| m.row(r));
        match columns {
            None => {
                indices.extend_from_slice(c);
                values.extend_from_slice(v);
            }
            Some(places) => {
                let mut entries: Vec<(u32, f64)> =
                    c.iter().map(|j| places[*j as usize]).zip(v.iter().copied()).collect();
                entries.sort_unstable_by_key(|e| e.0);
                indices.extend(entries.iter().map(|e| e.0));
                values.extend(entries.iter().map(|e| e.1));
            }
        }
        starts.push(indices.len());
    }
    Csr::from_parts(columns.map_or(m.cols(), |_| rows.len()), starts, indices, values)
}
