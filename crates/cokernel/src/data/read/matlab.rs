//! MATLAB files (`.mat`): numeric and sparse matrices, also within cell arrays and structs. Those of version 5
//! to 7, compressed or not, in either byte order, have a layout of their own ("MAT-File Format", The MathWorks,
//! chapter 1); those of version 7.3 are HDF5 files, which `hdf5` reads.
//!
//! | file | what it holds |
//! |---|---|
//! | `elements` | the list of elements that a file is |
//! | `tree` | its variables, and what cell arrays and structs hold |
//! | `choice` | which of them are meant, and where the instances are |
//!
//! Public multi-view data is mostly a cell array `X` of n × d (or d × n) matrices and labels `y`,
//! `Y`, `gt` or `truth`. Its matrices are called `X{1}`, `X{2}` …, a field of a struct `data.fou`. Kernels are
//! mostly one array of n × n × M, whose matrices are called `KH(:,:,1)`, `KH(:,:,2)` ….
//! Nothing is read because it alone is left: what cannot be read is named.

mod choice;
mod elements;
#[cfg(test)]
mod tests;
mod tree;

use super::npy::LabelArray;
use super::{
    ReadOptions, Room, TableFile, csr_from_columns, dense_table, hdf5, no_text_options,
    parse_error, plausible, sparse_table,
};
use crate::Result;
use crate::data::Csr;
use choice::{chosen, chosen_labels, columns_are_instances, expanded};
use elements::{Elements, byte_order, contents};
use std::path::Path;
pub(super) use tree::{Class, Content, DEEPEST, MOST, Variable, stacked};

/// Where variables are read from.
pub(super) enum Source<'a> {
    /// The bytes of a MATLAB file of any version.
    Bytes(&'a [u8]),
    /// An HDF5 file; `matlab`: of MATLAB 7.3.
    Hdf5 { file: &'a hdf5::File, matlab: bool },
}

impl Source<'_> {
    /// What is done with the variables.
    fn with<T>(
        &self,
        path: &Path,
        options: &ReadOptions,
        then: impl FnOnce(&[Variable<'_>]) -> Result<T>,
    ) -> Result<T> {
        let fail = |problem: String| parse_error(path, (0, 0), problem);
        match self {
            Source::Bytes(bytes) if hdf5::is_hdf5(bytes) => {
                let file = hdf5::File::of(bytes.to_vec(), path)?;
                then(&hdf5::variables(&file, true).map_err(fail)?)
            }
            Source::Bytes(bytes) => {
                let big_endian = byte_order(bytes).map_err(fail)?;
                let contents = contents(bytes, big_endian, options.room()).map_err(fail)?;
                then(&tree::variables(&contents, big_endian).map_err(fail)?)
            }
            Source::Hdf5 { file, matlab } => then(&hdf5::variables(file, *matlab).map_err(fail)?),
        }
    }
}

/// Reads one matrix. If the file tells that its columns are the instances, by the number of
/// labels or of `options.instances`, or because it is one of several in a cell array or struct
/// that agree in their columns only, then it is turned, with a note.
///
/// # Errors
/// The file is not one of MATLAB 5 to 7.3, is damaged, holds several matrices besides labels while
/// `options.variable` names none, or the matrix is not a real table with finite entries.
pub fn parse_mat(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<TableFile> {
    read(&Source::Bytes(bytes), path, options)
}

/// Reads one matrix, as [`parse_mat`] says.
pub(super) fn read(source: &Source<'_>, path: &Path, options: &ReadOptions) -> Result<TableFile> {
    let fail = |problem: String| parse_error(path, (0, 0), problem);
    source.with(path, options, |variables| {
        let variable = chosen(variables, options).map_err(fail)?;
        let why = match options.similarity {
            true => None,
            false => columns_are_instances(variables, variable, options),
        };
        let mut file = table(variable, why.is_some(), path, options)?;
        if let Some(why) = why {
            let (rows, cols) = variable.size().map_err(fail)?;
            file.notes.push(format!(
                "'{}' is {rows} × {cols}: its columns are taken for the instances, because {why}",
                variable.path
            ));
        }
        Ok(file)
    })
}

/// Variables that are views together, each after what its name adds to that of the view; remarks.
pub(super) type Expanded = (Vec<(String, String)>, Vec<String>);

/// The matrices that are views together: the variable of each, after what its name adds to that
/// of the view, and remarks.
pub(super) fn view_variables(
    source: &Source<'_>,
    path: &Path,
    options: &ReadOptions,
) -> Result<Expanded> {
    let fail = |problem: String| parse_error(path, (0, 0), problem);
    source.with(path, options, |variables| expanded(variables, options).map_err(fail))
}

/// Labels from a vector of numbers, in an HDF5 file also of texts.
pub(super) fn label_array(
    source: &Source<'_>,
    path: &Path,
    options: &ReadOptions,
) -> Result<LabelArray> {
    let fail = |problem: String| parse_error(path, (0, 0), problem);
    source.with(path, options, |variables| {
        let mut found: Option<(&str, LabelArray)> = None;
        for variable in chosen_labels(variables, options).map_err(fail)? {
            let one = match variable.class {
                Class::Sparse => sparse_labels(variable, path, options)?,
                _ => labels_of(variable, &mut options.room())
                    .map_err(|p| fail(format!("variable '{}': {p}", variable.path)))?,
            };
            match &found {
                Some((first, known)) if known.texts != one.texts => {
                    let (a, b) = (first, &variable.path);
                    return Err(fail(format!(
                        "the labels '{a}' and '{b}' differ; name one of them"
                    )));
                }
                Some(_) => {}
                None => found = Some((&variable.path, one)),
            }
        }
        found.map(|f| f.1).ok_or_else(|| fail("the file holds no labels".to_string()))
    })
}

fn labels_of(variable: &Variable<'_>, room: &mut Room) -> Result<LabelArray, String> {
    if let (true, Content::ByRows(dataset, None)) = (variable.is_text_vector(), &variable.content) {
        return Ok(LabelArray { shape: variable.shape.clone(), texts: dataset.texts(room)? });
    }
    if variable.class != Class::Numeric {
        return Err("expected a vector of numbers".to_string());
    }
    let (rows, cols) = variable.size()?;
    let values = numbers(variable, rows, cols, room)?;
    let at =
        |i: usize, j: usize| values[if variable.by_rows() { i * cols + j } else { j * rows + i }];
    let found = || indicated(rows, cols, at).or_else(|| indicated(cols, rows, |i, j| at(j, i)));
    if rows.min(cols) > 1
        && let Some(codes) = found()
    {
        let texts: Vec<String> = codes.iter().map(|code| (code + 1).to_string()).collect();
        return Ok(LabelArray { shape: vec![texts.len(), 1], texts });
    }
    let texts = values.iter().map(f64::to_string).collect();
    Ok(LabelArray { shape: vec![rows, cols], texts })
}

/// Labels of a sparse matrix of indicators.
fn sparse_labels(
    variable: &Variable<'_>,
    path: &Path,
    options: &ReadOptions,
) -> Result<LabelArray> {
    let fail = |problem: String| {
        parse_error(path, (0, 0), format!("variable '{}': {problem}", variable.path))
    };
    let csr = sparse(variable, variable.size().map_err(fail)?, path, options)?;
    let codes = |m: &Csr| -> Option<Vec<u32>> {
        let one = |i: usize| match m.row(i) {
            ([code], [1.0]) => Some(*code),
            _ => None,
        };
        (0..m.rows()).map(one).collect()
    };
    let found = match codes(&csr) {
        Some(codes) => Some(codes),
        None => codes(&turn(csr, path)?),
    };
    let problem =
        "a sparse matrix of labels needs one 1 in each row, or in each column, and nothing else";
    let codes = found.ok_or_else(|| fail(problem.to_string()))?;
    let texts: Vec<String> = codes.iter().map(|code| (code + 1).to_string()).collect();
    Ok(LabelArray { shape: vec![texts.len(), 1], texts })
}

/// The column of each row that holds 1, if there is one in each and all other entries are 0, or all are −1: indicators of
/// classes.
fn indicated(rows: usize, cols: usize, at: impl Fn(usize, usize) -> f64) -> Option<Vec<usize>> {
    let mut rest = None;
    let one = |i: usize| {
        let mut found = None;
        for j in 0..cols {
            let value = at(i, j);
            if value == 1.0 && found.is_none() {
                found = Some(j);
            } else if !(value == 0.0 || value == -1.0) || *rest.get_or_insert(value) != value {
                return None;
            }
        }
        found
    };
    (0..rows).map(one).collect()
}

/// The entries of a dense matrix in the order of the file: [`by_rows`](Variable::by_rows), or column by column.
fn numbers(
    variable: &Variable<'_>,
    rows: usize,
    cols: usize,
    room: &mut Room,
) -> Result<Vec<f64>, String> {
    let cells = rows.checked_mul(cols);
    let found = match &variable.content {
        Content::ByColumns(dataset, slice) | Content::ByRows(dataset, slice) => match slice {
            Some(k) => dataset.numbers_of(*k..k + 1, room)?,
            None => dataset.numbers(room)?,
        },
        Content::Elements { bytes, big_endian, slice } => {
            let all = Elements::new(bytes, *big_endian).numbers()?;
            let Some(k) = slice else { return exactly(all, rows, cols) };
            let part = |cells: usize| all.get(k.checked_mul(cells)?..(k + 1).checked_mul(cells)?);
            cells.and_then(part).unwrap_or_default().to_vec()
        }
        Content::Columns(_) => Vec::new(),
    };
    exactly(found, rows, cols)
}

fn exactly(found: Vec<f64>, rows: usize, cols: usize) -> Result<Vec<f64>, String> {
    match rows.checked_mul(cols) == Some(found.len()) {
        true => Ok(found),
        false => Err(format!("{rows} × {cols} is declared, {} numbers follow", found.len())),
    }
}

/// A matrix as a table; `turned`: its columns are the rows.
fn table(
    variable: &Variable<'_>,
    turned: bool,
    path: &Path,
    options: &ReadOptions,
) -> Result<TableFile> {
    let fail = |problem: String| {
        parse_error(path, (0, 0), format!("variable '{}': {problem}", variable.path))
    };
    let (rows, cols) = variable.size().map_err(fail)?;
    if variable.class != Class::Sparse {
        let found = numbers(variable, rows, cols, &mut options.room()).map_err(fail)?;
        let (lines, across) = if turned { (cols, rows) } else { (rows, cols) };
        if turned != variable.by_rows() {
            return dense_table(lines, across, found, path, options);
        }
        let other = (0..found.len()).map(|p| found[(p % across) * lines + p / across]);
        return dense_table(lines, across, other.collect(), path, options);
    }
    no_text_options(path, options)?;
    let csr = sparse(variable, (rows, cols), path, options)
        .and_then(|csr| if turned { turn(csr, path) } else { Ok(csr) })?;
    sparse_table(csr, path, options)
}

fn turn(csr: Csr, path: &Path) -> Result<Csr> {
    // Each row of what comes out takes memory, with or without entries.
    plausible(path, &format!("{} columns", csr.cols()), Some(csr.cols()), csr.stored())?;
    Ok(csr.transposed())
}

fn sparse(
    variable: &Variable<'_>,
    (rows, cols): (usize, usize),
    path: &Path,
    options: &ReadOptions,
) -> Result<Csr> {
    let fail = |problem: String| {
        parse_error(path, (0, 0), format!("variable '{}': {problem}", variable.path))
    };
    let (mut indices, starts, mut values) = match &variable.content {
        Content::Elements { bytes, big_endian, .. } => {
            entries(&mut Elements::new(bytes, *big_endian), variable.logical)
        }
        Content::Columns(group) => columns(group, &mut options.room()),
        _ => Err("it is no sparse matrix".to_string()),
    }
    .map_err(fail)?;
    if starts.len() != cols.saturating_add(1) {
        let found = starts.len();
        return Err(fail(format!("expected {cols} columns and an end, found {found} starts")));
    }
    // There may be room for more entries than there are.
    let used = starts[cols];
    if used > indices.len() || used > values.len() {
        let (i, v) = (indices.len(), values.len());
        return Err(fail(format!("{used} entries are declared, {i} rows and {v} values follow")));
    }
    indices.truncate(used);
    values.truncate(used);
    plausible(path, &format!("{rows} rows"), Some(rows), used)?;
    csr_from_columns(rows, &starts, &indices, &values).map_err(fail)
}

/// Rows, starts of the columns, and values of a sparse matrix.
type Entries = (Vec<usize>, Vec<usize>, Vec<f64>);

fn entries(parts: &mut Elements<'_>, logical: bool) -> Result<Entries, String> {
    let mut wholes = || -> Result<Vec<usize>, String> {
        let numbers = parts.numbers()?;
        let whole = |x: f64| if x >= 0.0 && x.fract() == 0.0 { Some(x as usize) } else { None };
        numbers.into_iter().map(|x| whole(x).ok_or(format!("{x} is no index"))).collect()
    };
    let (indices, starts) = (wholes()?, wholes()?);
    let values = parts.sparse_values(logical, indices.len())?;
    Ok((indices, starts, values))
}

fn columns(group: &hdf5::Group, room: &mut Room) -> Result<Entries, String> {
    let starts = group.dataset("jc")?.numbers(room)?;
    // A matrix without entries has neither rows nor values.
    if group.get("ir")?.is_none() {
        return Ok((Vec::new(), starts, Vec::new()));
    }
    let (indices, values) = (group.dataset("ir")?, group.dataset("data")?);
    Ok((indices.numbers(room)?, starts, values.numbers(room)?))
}
