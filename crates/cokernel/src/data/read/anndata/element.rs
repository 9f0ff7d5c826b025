//! Matrices of observations: arrays, sparse matrices, and tables of numbers.

use super::super::hdf5::{Dataset, Group, Kind, Node};
use super::super::{
    ReadOptions, Room, TableFile, csr_from_columns, dense_table, dense_table_of, parse_error,
    plausible, sparse_table_of,
};
use super::frame::variable_names;
use crate::data::{Csr, Table};
use crate::{Error, Result};
use std::path::Path;

/// A matrix as a table, and the names of its columns where it has some.
pub(super) fn matrix(
    within: &Group,
    element: &str,
    path: &Path,
    options: &ReadOptions,
) -> Result<(Table, Option<Vec<String>>)> {
    let fail = |problem: String| parse_error(path, (0, 0), problem);
    let Some(node) = within.get(element).map_err(fail)? else {
        let known = super::elements(within).map_err(fail)?;
        return Err(fail(Error::unknown("matrix", element, &known).to_string()));
    };
    let name = node.path().to_string();
    let similarity = options.similarity;
    if element.starts_with("obsp/") && !similarity {
        let problem =
            format!("'/{name}' holds similarities of observations; read it as a similarity");
        return Err(fail(problem));
    }
    let in_name = |e: Error| match e {
        Error::Parse { problem, .. } => fail(format!("'/{name}': {problem}")),
        other => fail(format!("'/{name}': {other}")),
    };
    // Ids and labels are those of the observations; a row of NaN is one that was not measured.
    let plain = ReadOptions { similarity, ..ReadOptions::default() };
    let mut columns = None;
    let room = &mut options.room();
    let file: TableFile = match node {
        Node::Dataset(dataset) => dense(&dataset, room, path, &plain),
        Node::Group(group) => match sparse_format(&group) {
            Some(format) => {
                let (csr, finite) = sparse(&group, &format, path, room).map_err(in_name)?;
                sparse_table_of(csr, finite, path, &plain)
            }
            None if group.text("encoding-type").as_deref() == Some("dataframe") => {
                let (names, rows, values) = frame(&group, room).map_err(fail)?;
                let width = names.len();
                columns = Some(names);
                dense_table(rows, width, values, path, &plain)
            }
            None => {
                let kind = group.text("encoding-type").unwrap_or_else(|| "a group".to_string());
                let problem =
                    format!("found '{kind}'; expected an array, a sparse matrix or a table");
                Err(parse_error(path, (0, 0), problem))
            }
        },
    }
    .map_err(in_name)?;
    if columns.is_none() && (element == "X" || element.starts_with("layers/")) {
        columns = variable_names(within, file.table.cols(), room);
    }
    Ok((file.table, columns))
}

fn dense(
    dataset: &Dataset,
    room: &mut Room,
    path: &Path,
    options: &ReadOptions,
) -> Result<TableFile> {
    let fail = |problem: String| parse_error(path, (0, 0), problem);
    let (rows, cols) = match dataset.shape().map_err(fail)?[..] {
        [rows, cols] => (rows, cols),
        [rows] => (rows, 1),
        ref shape => return Err(fail(format!("its shape is {shape:?}; expected a matrix"))),
    };
    if dataset.kind().map_err(fail)? == Kind::Other {
        return Err(fail("it is a list of records; save it as an array".to_string()));
    }
    let values = dataset.numbers_and_sound(room).map_err(fail)?;
    dense_table_of(rows, cols, values, path, options)
}

/// `csr` or `csc`, of a sparse matrix.
fn sparse_format(group: &Group) -> Option<String> {
    let kind = group.text("encoding-type").or_else(|| group.text("h5sparse_format"))?;
    let kind = kind.strip_suffix("_matrix").unwrap_or(&kind);
    matches!(kind, "csr" | "csc").then(|| kind.to_string())
}

/// The matrix, and whether all its values are finite.
fn sparse(group: &Group, format: &str, path: &Path, room: &mut Room) -> Result<(Csr, bool)> {
    let fail = |problem: String| parse_error(path, (0, 0), problem);
    let shape = group.wholes("shape").or_else(|| group.wholes("h5sparse_shape"));
    let Some([rows, cols]) = shape.as_deref().and_then(|s| <[usize; 2]>::try_from(s).ok()) else {
        return Err(fail("a sparse matrix has no shape of two numbers".to_string()));
    };
    let part = |name: &str| group.dataset(name).map_err(fail);
    let starts: Vec<usize> = part("indptr")?.numbers(room).map_err(fail)?;
    let (values, finite) = part("data")?.numbers_and_sound(room).map_err(fail)?;
    plausible(path, &format!("{rows} rows"), Some(rows), values.len())?;
    let lines = if format == "csr" { rows } else { cols };
    if starts.len().checked_sub(1) != Some(lines) {
        let (expected, found) = (lines.saturating_add(1), starts.len());
        return Err(fail(format!("expected {expected} entries in 'indptr', found {found}")));
    }
    if format == "csc" {
        let indices: Vec<usize> = part("indices")?.numbers(room).map_err(fail)?;
        let csr = csr_from_columns(rows, &starts, &indices, &values).map_err(fail)?;
        return Ok((csr, finite));
    }
    let mut indices: Vec<u32> = part("indices")?.numbers(room).map_err(fail)?;
    let mut values = values;
    if starts.windows(2).any(|w| w[0] > w[1])
        || starts[lines] != indices.len()
        || indices.len() != values.len()
    {
        return Err(fail("'indptr', 'indices' and 'data' do not fit each other".to_string()));
    }
    // SciPy does not ask for entries to be sorted.
    for w in starts.windows(2) {
        let (columns, numbers) = (&mut indices[w[0]..w[1]], &mut values[w[0]..w[1]]);
        if falls(columns) {
            let mut order: Vec<(u32, f64)> =
                columns.iter().copied().zip(numbers.iter().copied()).collect();
            order.sort_by_key(|e| e.0);
            for (k, (column, number)) in order.into_iter().enumerate() {
                (columns[k], numbers[k]) = (column, number);
            }
        }
    }
    Ok((Csr::from_parts(cols, starts, indices, values)?, finite))
}

/// Whether a column is below the one before; several at a time.
fn falls(columns: &[u32]) -> bool {
    columns.windows(2).fold(false, |falls, c| falls | (c[0] > c[1]))
}

/// Names of the columns, number of rows, and the numbers row by row of a table.
fn frame(group: &Group, room: &mut Room) -> Result<(Vec<String>, usize, Vec<f64>), String> {
    let index = group.text("_index").unwrap_or_else(|| "_index".to_string());
    let names = group.texts("column-order").map_or_else(|| group.names(), Ok)?;
    let names: Vec<String> = names.into_iter().filter(|name| *name != index).collect();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for name in &names {
        let column = group.dataset(name)?;
        if !column.kind()?.is_number() {
            let problem = format!("column '{name}' of '/{}' holds no numbers", group.path);
            return Err(format!("{problem}; expected a table of numbers"));
        }
        columns.push(column.numbers(room)?);
    }
    let rows = columns.first().map_or(0, Vec::len);
    if columns.iter().any(|c| c.len() != rows) {
        return Err(format!("the columns of '/{}' are of different lengths", group.path));
    }
    let values = (0..rows).flat_map(|i| columns.iter().map(move |c| c[i])).collect();
    Ok((names, rows, values))
}
