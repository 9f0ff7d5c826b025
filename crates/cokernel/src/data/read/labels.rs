//! Label files: one label per instance, as text, with or without ids.

use super::csv::{Rows, find_column, shorten};
use super::npy::LabelArray;
use super::{
    Format, Header, ReadOptions, Stored, anndata, hdf5, matlab, npy, npz, parse_error, read_bytes,
};
use crate::Result;
use std::path::{Path, PathBuf};

/// Column names that say "this is the label", in any letter case.
const LABEL_NAMES: [&str; 5] = ["label", "labels", "y", "class", "target"];

/// The labels of a file, as they are written there.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelFile {
    /// Where they were read from.
    pub path: PathBuf,
    /// One text per instance.
    pub texts: Vec<String>,
    /// Names of the instances, where an id column was asked for.
    pub ids: Option<Vec<String>>,
    /// The first line between rows that is blank, from 1: it is no row.
    pub blank: Option<usize>,
}

/// Reads labels: a text table with one label column, a NumPy, MATLAB or HDF5 vector, or a column of the
/// observations of an `.h5ad` or `.h5mu` file.
///
/// In a text table with several columns the label is the one that `options.label_column` names,
/// or the only one besides the ids, or the only one called label, labels, y, class or target.
///
/// # Errors
/// The file cannot be read or is malformed, or it is not clear which column holds the labels.
pub fn read_labels(path: &Path, options: &ReadOptions) -> Result<LabelFile> {
    let format = Format::of(path)?;
    let stored = format.stored(path)?;
    if let Some(Stored::Annotated { several }) = stored {
        return anndata::labels(&hdf5::File::open(path, options)?, several, path, options);
    }
    let array = if let Some(Stored::Variables { matlab }) = stored {
        let file = hdf5::File::open(path, options)?;
        matlab::label_array(&matlab::Source::Hdf5 { file: &file, matlab }, path, options)?
    } else {
        let bytes = read_bytes(path, options)?;
        match format {
            Format::Text => return parse_labels(&bytes, path, options),
            Format::Npy => npy::label_array(&bytes, path)?,
            Format::Npz => npz::label_array(&bytes, path, options)?,
            Format::Matlab => matlab::label_array(&matlab::Source::Bytes(&bytes), path, options)?,
            _ => {
                let problem = "labels are read from csv, tsv, txt, dat, npy, npz, mat, h5, hdf5, \
                               h5ad or h5mu files";
                return Err(parse_error(path, (0, 0), problem));
            }
        }
    };
    super::no_text_options(path, options)?;
    let LabelArray { shape, texts } = array;
    if shape.iter().filter(|&&d| d != 1).count() > 1 {
        let problem = format!("labels must be one vector, found an array of shape {shape:?}");
        return Err(parse_error(path, (0, 0), problem));
    }
    if texts.is_empty() {
        return Err(parse_error(path, (0, 0), "there are no labels"));
    }
    Ok(LabelFile { path: path.to_path_buf(), texts, ids: None, blank: None })
}

/// Reads labels from the bytes of a text table.
///
/// # Errors
/// As [`read_labels`].
pub fn parse_labels(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<LabelFile> {
    let rows = Rows::of(bytes, path, options.delimiter, false)?;
    let Some((_, first)) = rows.iter().next() else {
        return Err(parse_error(path, (0, 0), "the file is empty"));
    };
    let special = [options.id_column.as_deref(), options.label_column.as_deref()];
    let is_name = |field: &str| {
        is_label_name(field)
            || special.iter().flatten().any(|n| *n == field && n.parse::<usize>().is_err())
    };
    let named = match options.header {
        Header::Yes => true,
        Header::No => false,
        Header::Auto => {
            rows.commented || first.iter().any(|f| is_name(f)) || only_first_is_text(&rows)
        }
    };
    let header: Option<Vec<String>> = named.then(|| first.iter().map(|f| f.to_string()).collect());
    let width = first.len();
    rows.check_widths(path, 0, width)?;
    let find = |name: &Option<String>, kind| {
        name.as_ref().map(|n| find_column(n, header.as_deref(), width, path, kind)).transpose()
    };
    let id = find(&options.id_column, "id column")?;
    let label = match find(&options.label_column, "label column")? {
        Some(label) if Some(label) == id => {
            let problem = "the same column is given for ids and labels";
            return Err(parse_error(path, (0, 0), problem));
        }
        Some(label) => label,
        None => only_label(header.as_deref(), width, id, path)?,
    };
    if let Some(id) = id {
        rows.check_ids(path, usize::from(named), id)?;
    }
    let column = |j: usize| -> Vec<String> {
        rows.iter().skip(usize::from(named)).map(|(_, fields)| fields[j].to_string()).collect()
    };
    let texts = column(label);
    if texts.is_empty() {
        return Err(parse_error(path, (0, 0), "there are no labels below the header"));
    }
    Ok(LabelFile { path: path.to_path_buf(), texts, ids: id.map(column), blank: rows.blank() })
}

fn is_label_name(field: &str) -> bool {
    LABEL_NAMES.iter().any(|n| n.eq_ignore_ascii_case(field))
}

/// Whether the first row is not a number anywhere while all others are numbers throughout.
fn only_first_is_text(rows: &Rows) -> bool {
    let number = |f: &&str| f.parse::<f64>().is_ok();
    let mut all = rows.iter();
    let text = all.next().is_some_and(|(_, fields)| !fields.iter().any(number));
    text && rows.len() > 1 && all.all(|(_, fields)| fields.iter().all(number))
}

/// The label column where none was asked for.
fn only_label(
    header: Option<&[String]>,
    width: usize,
    id: Option<usize>,
    path: &Path,
) -> Result<usize> {
    let others: Vec<usize> = (0..width).filter(|j| Some(*j) != id).collect();
    if let [one] = others[..] {
        return Ok(one);
    }
    let named = |j: &usize| header.is_some_and(|h| is_label_name(&h[*j]));
    let by_name: Vec<usize> = others.iter().copied().filter(named).collect();
    if let [one] = by_name[..] {
        return Ok(one);
    }
    let found = match header {
        Some(names) => names.iter().map(|n| shorten(n)).collect::<Vec<_>>().join(", "),
        None => format!("{width} columns without names"),
    };
    let problem = format!("it is not clear which column holds the labels; name it (found {found})");
    Err(parse_error(path, (0, 0), problem))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn labels(text: &str, options: ReadOptions) -> Result<LabelFile> {
        parse_labels(text.as_bytes(), Path::new("y.csv"), &options)
    }

    fn texts(text: &str) -> Vec<String> {
        labels(text, ReadOptions::default()).unwrap().texts
    }

    #[test]
    fn one_column_with_and_without_header() {
        assert_eq!(texts("a\nb b\n\na\n"), ["a", "b b", "a"]);
        assert_eq!(texts("species\n1\n2\n"), ["1", "2"]);
        assert_eq!(texts("LABEL\na\nb\n"), ["a", "b"]);
        assert_eq!(texts("# kind\na\nb\n"), ["a", "b"]);
        assert_eq!(texts("1\n2\n"), ["1", "2"]);
        let options = ReadOptions { header: Header::Yes, ..Default::default() };
        assert_eq!(labels("species\na\n", options).unwrap().texts, ["a"]);
        let options = ReadOptions { header: Header::No, ..Default::default() };
        assert_eq!(labels("y\na\n", options).unwrap().texts, ["y", "a"]);
    }

    #[test]
    fn the_label_column_is_found_by_name() {
        assert_eq!(texts("age,class,name\n1,x,p\n2,,q\n"), ["x", ""]);
        let options = ReadOptions { id_column: Some("name".into()), ..Default::default() };
        let file = labels("name,kind\np,x\nq,y\n", options).unwrap();
        assert_eq!(file.texts, ["x", "y"]);
        assert_eq!(file.ids.unwrap(), ["p", "q"]);
        let e = labels("a,b\n1,2\n3,4\n", ReadOptions::default()).unwrap_err().to_string();
        assert_eq!(e, "y.csv: it is not clear which column holds the labels; name it (found a, b)");
    }
}
