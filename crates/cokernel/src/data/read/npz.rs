//! Archives of NumPy arrays (`.npz`) and SciPy's sparse matrices in them.

use super::npy::{Array, LabelArray};
use super::{
    ReadOptions, Room, TableFile, csr_from_columns, dense_table, no_text_options, parse_error,
    plausible, sparse_table,
};
use crate::Result;
use crate::data::Csr;
use std::io::Cursor;
use std::path::Path;

/// Reads one array of an archive, or the sparse matrix that `scipy.sparse.save_npz` wrote.
///
/// # Errors
/// As [`parse_npy`](super::parse_npy); also if the archive is damaged, or holds several arrays and
/// `options.variable` names none of them.
pub fn parse_npz(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<TableFile> {
    let mut archive = Archive::open(bytes, path, options)?;
    let sparse = ["format", "shape", "data"];
    if options.variable.is_none() && sparse.iter().all(|n| archive.names.iter().any(|m| m == n)) {
        no_text_options(path, options)?;
        return sparse_table(archive.sparse()?, path, options);
    }
    let (name, content) = archive.chosen(options)?;
    let fail = |problem: String| parse_error(path, (0, 0), format!("array '{name}': {problem}"));
    let (rows, cols, values) = Array::of(&content).and_then(|a| a.table()).map_err(fail)?;
    dense_table(rows, cols, values, path, options)
}

/// Labels from an array of an archive.
pub(super) fn label_array(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<LabelArray> {
    let (name, content) = Archive::open(bytes, path, options)?.chosen(options)?;
    let fail = |problem: String| parse_error(path, (0, 0), format!("array '{name}': {problem}"));
    Array::of(&content).and_then(|a| a.labels()).map_err(fail)
}

/// The arrays of a zip file.
struct Archive<'a> {
    zip: zip::ZipArchive<Cursor<&'a [u8]>>,
    /// Names without `.npy`, sorted.
    names: Vec<String>,
    path: &'a Path,
    room: Room,
}

impl<'a> Archive<'a> {
    fn open(bytes: &'a [u8], path: &'a Path, options: &ReadOptions) -> Result<Self> {
        let zip = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| {
            parse_error(path, (0, 0), format!("not a complete NumPy archive (.npz): {e}"))
        })?;
        let names =
            zip.file_names().filter_map(|n| n.ok()?.strip_suffix(".npy").map(str::to_string));
        let mut names: Vec<String> = names.collect();
        names.sort();
        Ok(Archive { zip, names, path, room: options.room() })
    }

    fn read(&mut self, name: &str) -> Result<Vec<u8>> {
        let damaged = |e: std::io::Error| format!("array '{name}' cannot be read: {e}");
        let content = match self.zip.by_name(&format!("{name}.npy")) {
            Ok(file) => self.room.unpack(file, damaged),
            Err(e) => Err(damaged(e.into())),
        };
        content.map_err(|problem| parse_error(self.path, (0, 0), problem))
    }

    /// Name and content of the array that was asked for, or of the only one.
    fn chosen(&mut self, options: &ReadOptions) -> Result<(String, Vec<u8>)> {
        let name = super::choose(&self.names, options, self.path, "array")?;
        let content = self.read(&name)?;
        Ok((name, content))
    }

    fn sparse(&mut self) -> Result<Csr> {
        let path = self.path;
        let fail = |problem: String| parse_error(path, (0, 0), format!("sparse matrix: {problem}"));
        let format = self.read("format")?;
        let format = Array::of(&format).and_then(|a| a.labels()).map_err(fail)?.texts.concat();
        let mut wholes = |name: &str| -> Result<Vec<usize>> {
            let content = self.read(name)?;
            let numbers = Array::of(&content).and_then(|a| a.numbers()).map_err(fail)?;
            let whole = |x: &f64| *x >= 0.0 && x.fract() == 0.0 && *x < 9e15;
            match numbers.iter().position(|x| !whole(x)) {
                Some(k) => Err(fail(format!("entry {} of '{name}' is no index", k + 1))),
                None => Ok(numbers.into_iter().map(|x| x as usize).collect()),
            }
        };
        let shape = wholes("shape")?;
        let [rows, cols] = shape[..] else {
            return Err(fail(format!("expected two dimensions, found shape {shape:?}")));
        };
        if !matches!(format.as_str(), "csr" | "csc") {
            let advice = "save it with .tocsr()";
            return Err(fail(format!("the layout '{format}' is not supported; {advice}")));
        }
        let (starts, indices) = (wholes("indptr")?, wholes("indices")?);
        let values = self.read("data")?;
        let values = Array::of(&values).and_then(|a| a.numbers()).map_err(fail)?;
        plausible(path, &format!("{rows} rows"), Some(rows), values.len())?;
        let (lines, across) = if format == "csr" { (rows, cols) } else { (cols, rows) };
        if starts.len() != lines + 1 {
            let found = starts.len();
            return Err(fail(format!("expected {} entries in 'indptr', found {found}", lines + 1)));
        }
        if format == "csc" {
            return csr_from_columns(across, &starts, &indices, &values).map_err(fail);
        }
        // Entries need not be sorted: sort them row by row.
        if starts.windows(2).any(|w| w[0] > w[1])
            || starts[lines] != indices.len()
            || indices.len() != values.len()
        {
            return Err(fail("'indptr', 'indices' and 'data' do not fit each other".to_string()));
        }
        if let Some(j) = indices.iter().find(|j| **j >= cols || u32::try_from(**j).is_err()) {
            return Err(fail(format!("column {} of {cols} is named", j + 1)));
        }
        let row =
            |w: &[usize]| (w[0]..w[1]).map(|k| (indices[k] as u32, values[k])).collect::<Vec<_>>();
        let entries = starts.windows(2).map(row).collect();
        Csr::from_rows(cols, entries).map_err(|e| fail(e.to_string()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::samples::{npy, npz};
    use super::*;
    use crate::data::{Matrix, Table};

    fn column(values: &[f64]) -> Table {
        Table::Dense(Matrix::new(values.len(), 1, values.to_vec()).unwrap())
    }

    #[test]
    fn archives() {
        let (a, b) = (npy("|u1", false, "(2,)", &[1, 2]), npy("|u1", false, "(1,)", &[3]));
        let read = |file: &[u8], variable: Option<&str>| {
            let options =
                ReadOptions { variable: variable.map(String::from), ..Default::default() };
            parse_npz(file, Path::new("a.npz"), &options).map(|f| f.table)
        };
        assert_eq!(read(&npz(&[("b", &b)]), None).unwrap(), column(&[3.0]));
        let both = npz(&[("b", &b), ("a", &a)]);
        assert_eq!(read(&both, Some("a")).unwrap(), column(&[1.0, 2.0]));
        let e = read(&both, None).unwrap_err().to_string();
        assert_eq!(e, "a.npz: the file holds several; name one of a, b");
        let e = read(&both, Some("c")).unwrap_err().to_string();
        assert!(e.starts_with("a.npz: unknown array 'c'"), "{e}");
        let e = read(&npz(&[]), None).unwrap_err().to_string();
        assert_eq!(e, "a.npz: the file holds no array of numbers");
    }

    #[test]
    fn sparse_archives() {
        let expected =
            Csr::from_rows(3, vec![vec![(0, 1.0), (2, 2.0)], vec![], vec![(1, 3.0)]]).unwrap();
        let whole = |v: &[u8]| npy("|u1", false, &format!("({},)", v.len()), v);
        let sparse = |format: &[u8], starts: &[u8], indices: &[u8], data: &[u8]| {
            let file = npz(&[
                ("format", &npy("|S3", false, "()", format)),
                ("shape", &whole(&[3, 3])),
                ("indptr", &whole(starts)),
                ("indices", &whole(indices)),
                ("data", &whole(data)),
            ]);
            parse_npz(&file, Path::new("a.npz"), &ReadOptions::default()).map(|f| f.table)
        };
        let csr = sparse(b"csr", &[0, 2, 2, 3], &[2, 0, 1], &[2, 1, 3]).unwrap();
        assert_eq!(csr, Table::Sparse(expected.clone()));
        let csc = sparse(b"csc", &[0, 1, 2, 3], &[0, 2, 0], &[1, 3, 2]).unwrap();
        assert_eq!(csc, Table::Sparse(expected));
        for (format, starts, indices, problem) in [
            (b"coo", &[0, 1, 1, 1], &[0], "the layout 'coo' is not supported"),
            (b"csr", &[0, 1, 1, 1], &[3], "column 4 of 3 is named"),
            (b"csc", &[0, 1, 1, 1], &[3], "row 4 of 3 rows is named"),
            (b"csr", &[0, 2, 1, 1], &[0], "do not fit each other"),
            (b"csc", &[0, 2, 1, 1], &[0], "do not rise from 0"),
        ] {
            let e = sparse(format, starts, indices, &[1]).unwrap_err().to_string();
            assert!(e.contains(problem), "{e}");
        }
    }
}
