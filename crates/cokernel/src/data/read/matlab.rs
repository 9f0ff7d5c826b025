//! MATLAB files of version 5 to 7 (`.mat`): numeric and sparse matrices, compressed or not, in
//! either byte order, also within cell arrays and structs. Layout: "MAT-File Format", The
//! MathWorks, chapter 1.
//!
//! | file | what it holds |
//! |---|---|
//! | `elements` | the list of elements that a file is |
//! | `tree` | its variables, and what cell arrays and structs hold |
//! | `choice` | which of them are meant, and where the instances are |
//!
//! Public multi-view data is mostly a cell array `X` of n × d (or d × n) matrices and labels `y`,
//! `Y`, `gt` or `truth`. Its matrices are called `X{1}`, `X{2}` …, a field of a struct `data.fou`.
//! Nothing is read because it alone is left: what cannot be read is named.

mod choice;
mod elements;
#[cfg(test)]
mod tests;
mod tree;

use super::npy::LabelArray;
use super::{
    ReadOptions, TableFile, csr_from_columns, dense_table, no_text_options, parse_error, plausible,
    sparse_table,
};
use crate::Result;
use crate::data::Csr;
use choice::{chosen, chosen_labels, columns_are_instances, expanded};
use elements::{Elements, byte_order, contents};
use std::path::Path;
use tree::{Class, Variable, variables};

/// Reads one matrix. If the file tells that its columns are the instances, by the number of
/// labels or of `options.instances`, or because it is one of several in a cell array or struct
/// that agree in their columns only, then it is turned, with a note.
///
/// # Errors
/// The file is not of version 5 to 7, is damaged, holds several matrices besides labels while
/// `options.variable` names none, or the matrix is not a real table with finite entries.
pub fn parse_mat(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<TableFile> {
    let fail = |problem: String| parse_error(path, (0, 0), problem);
    let big_endian = byte_order(bytes).map_err(fail)?;
    let contents = contents(bytes, big_endian, options.room()).map_err(fail)?;
    let variables = variables(&contents, big_endian).map_err(fail)?;
    let variable = chosen(&variables, options).map_err(fail)?;
    let why = match options.similarity {
        true => None,
        false => columns_are_instances(&variables, variable, options),
    };
    let mut file = table(variable, big_endian, why.is_some(), path, options)?;
    if let Some(why) = why {
        let (rows, cols) = variable.size().map_err(fail)?;
        file.notes.push(format!(
            "'{}' is {rows} × {cols}: its columns are taken for the instances, because {why}",
            variable.path
        ));
    }
    Ok(file)
}

/// Variables that are views together, each after what its name adds to that of the view; remarks.
pub(super) type Expanded = (Vec<(String, String)>, Vec<String>);

/// The matrices that are views together: the variable of each, after what its name adds to that
/// of the view, and remarks.
pub(super) fn view_variables(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<Expanded> {
    let fail = |problem: String| parse_error(path, (0, 0), problem);
    let big_endian = byte_order(bytes).map_err(fail)?;
    let contents = contents(bytes, big_endian, options.room()).map_err(fail)?;
    expanded(&variables(&contents, big_endian).map_err(fail)?, options).map_err(fail)
}

/// Labels from a vector of numbers.
pub(super) fn label_array(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<LabelArray> {
    let fail = |problem: String| parse_error(path, (0, 0), problem);
    let big_endian = byte_order(bytes).map_err(fail)?;
    let contents = contents(bytes, big_endian, options.room()).map_err(fail)?;
    let variables = variables(&contents, big_endian).map_err(fail)?;
    let mut found: Option<(&str, LabelArray)> = None;
    for variable in chosen_labels(&variables, options).map_err(fail)? {
        let read = labels_of(variable, big_endian);
        let one = read.map_err(|p| fail(format!("variable '{}': {p}", variable.path)))?;
        match &found {
            Some((first, known)) if known.texts != one.texts => {
                let (a, b) = (first, &variable.path);
                return Err(fail(format!("the labels '{a}' and '{b}' differ; name one of them")));
            }
            Some(_) => {}
            None => found = Some((&variable.path, one)),
        }
    }
    found.map(|f| f.1).ok_or_else(|| fail("the file holds no labels".to_string()))
}

fn labels_of(variable: &Variable<'_>, big_endian: bool) -> Result<LabelArray, String> {
    if variable.class != Class::Numeric {
        return Err("expected a vector of numbers".to_string());
    }
    let (rows, cols) = variable.size()?;
    let texts = numbers(variable, rows, cols, big_endian)?.iter().map(f64::to_string).collect();
    Ok(LabelArray { shape: vec![rows, cols], texts })
}

/// The entries of a dense matrix, column by column.
fn numbers(
    variable: &Variable<'_>,
    rows: usize,
    cols: usize,
    big_endian: bool,
) -> Result<Vec<f64>, String> {
    let columns = Elements::new(variable.content, big_endian).numbers()?;
    if rows.checked_mul(cols) != Some(columns.len()) {
        let found = columns.len();
        return Err(format!("{rows} × {cols} is declared, {found} numbers follow"));
    }
    Ok(columns)
}

/// A matrix as a table; `turned`: its columns are the rows.
fn table(
    variable: &Variable<'_>,
    big_endian: bool,
    turned: bool,
    path: &Path,
    options: &ReadOptions,
) -> Result<TableFile> {
    let fail = |problem: String| {
        parse_error(path, (0, 0), format!("variable '{}': {problem}", variable.path))
    };
    let (rows, cols) = variable.size().map_err(fail)?;
    if variable.class != Class::Sparse {
        let columns = numbers(variable, rows, cols, big_endian).map_err(fail)?;
        if turned {
            return dense_table(cols, rows, columns, path, options);
        }
        let row_major = (0..columns.len()).map(|p| columns[(p % cols) * rows + p / cols]);
        return dense_table(rows, cols, row_major.collect(), path, options);
    }
    no_text_options(path, options)?;
    let csr = sparse(variable, (rows, cols), big_endian, path)
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
    big_endian: bool,
    path: &Path,
) -> Result<Csr> {
    let fail = |problem: String| {
        parse_error(path, (0, 0), format!("variable '{}': {problem}", variable.path))
    };
    let mut parts = Elements::new(variable.content, big_endian);
    let mut wholes = || -> Result<Vec<usize>, String> {
        let numbers = parts.numbers()?;
        let whole = |x: f64| if x >= 0.0 && x.fract() == 0.0 { Some(x as usize) } else { None };
        numbers.into_iter().map(|x| whole(x).ok_or(format!("{x} is no index"))).collect()
    };
    let (mut indices, starts) = (wholes().map_err(fail)?, wholes().map_err(fail)?);
    let mut values = parts.sparse_values(variable.logical, indices.len()).map_err(fail)?;
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
