//! NumPy arrays (`.npy`), archives of them (`.npz`) and SciPy's sparse matrices in such archives.
//!
//! The header of an array is a Python dictionary with three known keys, which is read here
//! directly: a general reader of Python literals would follow any nesting that a damaged file
//! holds.

use super::{
    ReadOptions, TableFile, csr_from_columns, dense_table, no_text_options, parse_error, plausible,
    sparse_table,
};
use crate::Result;
use crate::data::Csr;
use std::io::{Cursor, Read};
use std::path::Path;

/// Reads one array of numbers with one or two dimensions; one dimension becomes one column.
///
/// # Errors
/// The content is not an array of real numbers in one or two dimensions, is shorter or longer
/// than its header says, or holds a number that is not finite.
pub fn parse_npy(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<TableFile> {
    let fail = |problem: String| parse_error(path, (0, 0), problem);
    let (rows, cols, values) = Array::of(bytes).and_then(|a| a.table()).map_err(fail)?;
    dense_table(rows, cols, values, path, options)
}

/// Reads one array of an archive, or the sparse matrix that `scipy.sparse.save_npz` wrote.
///
/// # Errors
/// As [`parse_npy`]; also if the archive is damaged, or holds several arrays and
/// `options.variable` names none of them.
pub fn parse_npz(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<TableFile> {
    let mut archive = Archive::open(bytes, path)?;
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

/// An array as label texts.
pub(super) struct LabelArray {
    pub(super) shape: Vec<usize>,
    pub(super) texts: Vec<String>,
}

/// Labels from an array of integers, numbers or texts.
pub(super) fn label_array(bytes: &[u8], path: &Path) -> Result<LabelArray> {
    Array::of(bytes).and_then(|a| a.labels()).map_err(|p| parse_error(path, (0, 0), p))
}

/// Labels from an array of an archive.
pub(super) fn label_array_of_npz(
    bytes: &[u8],
    path: &Path,
    options: &ReadOptions,
) -> Result<LabelArray> {
    let (name, content) = Archive::open(bytes, path)?.chosen(options)?;
    let fail = |problem: String| parse_error(path, (0, 0), format!("array '{name}': {problem}"));
    Array::of(&content).and_then(|a| a.labels()).map_err(fail)
}

/// The type of the items of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item {
    Bool,
    Int,
    Unsigned,
    Float,
    /// Bytes, padded with zeros.
    Bytes,
    /// UTF-32, padded with zeros.
    Text,
}

/// An array whose content is as long as its header says.
struct Array<'a> {
    shape: Vec<usize>,
    fortran: bool,
    item: Item,
    size: usize,
    big_endian: bool,
    content: &'a [u8],
}

impl<'a> Array<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self, String> {
        let truncated = || "the file ends within its header".to_string();
        if !bytes.starts_with(b"\x93NUMPY") {
            return Err("this is not a NumPy array (.npy)".to_string());
        }
        let (length, start): (usize, usize) = match bytes.get(6).ok_or_else(truncated)? {
            1 => {
                let b: [u8; 2] = take(bytes, 8).ok_or_else(truncated)?;
                (usize::from(u16::from_le_bytes(b)), 10)
            }
            2 | 3 => {
                let b: [u8; 4] = take(bytes, 8).ok_or_else(truncated)?;
                (u32::from_le_bytes(b) as usize, 12)
            }
            v => return Err(format!("version {v} of the .npy format is not known")),
        };
        let header = bytes.get(start..start.saturating_add(length)).ok_or_else(truncated)?;
        let header = Header::of(header)?;
        let (item, size, big_endian) = item_type(&header.descr)?;
        let count = header.shape.iter().try_fold(1_usize, |n, d| n.checked_mul(*d));
        let content = &bytes[start + length..];
        if count.and_then(|n| n.checked_mul(size)) != Some(content.len()) {
            return Err(format!(
                "the header declares an array of shape {:?} with {size} bytes per item, but {} \
                 bytes follow",
                header.shape,
                content.len()
            ));
        }
        let Header { shape, fortran, .. } = header;
        Ok(Array { shape, fortran, item, size, big_endian, content })
    }

    /// Rows, columns and row-major values of a table of numbers.
    fn table(&self) -> Result<(usize, usize, Vec<f64>), String> {
        let (rows, cols) = match self.shape[..] {
            [n] => (n, 1),
            [n, d] => (n, d),
            _ => {
                let dimensions = self.shape.len();
                return Err(format!("the array has {dimensions} dimensions, expected 1 or 2"));
            }
        };
        let stored = self.numbers()?;
        if !self.fortran || rows == 0 || cols == 0 {
            return Ok((rows, cols, stored));
        }
        let values = (0..rows * cols).map(|p| stored[(p % cols) * rows + p / cols]).collect();
        Ok((rows, cols, values))
    }

    /// All items in the order of the file.
    fn numbers(&self) -> Result<Vec<f64>, String> {
        if matches!(self.item, Item::Bytes | Item::Text) {
            return Err("the array holds texts, expected numbers".to_string());
        }
        let mut values = Vec::with_capacity(self.content.len() / self.size);
        for item in self.content.chunks_exact(self.size) {
            values.push(match self.item {
                Item::Float => self.float(item),
                _ => {
                    let whole = self.whole(item);
                    // Every float in question fits i128, so that the way back is exact.
                    if (whole as f64) as i128 != whole {
                        return Err(format!("{whole} is too large to be held exactly"));
                    }
                    whole as f64
                }
            });
        }
        Ok(values)
    }

    fn labels(&self) -> Result<LabelArray, String> {
        let size = self.size;
        let texts: Vec<String> = match self.item {
            Item::Bool => {
                let word = |b: &u8| if *b == 0 { "False" } else { "True" }.to_string();
                self.content.iter().map(word).collect()
            }
            Item::Int | Item::Unsigned => {
                self.content.chunks_exact(size).map(|b| self.whole(b).to_string()).collect()
            }
            Item::Float => {
                self.content.chunks_exact(size).map(|b| self.float(b).to_string()).collect()
            }
            Item::Bytes => {
                let text = |b: &[u8]| String::from_utf8_lossy(b).trim_end_matches('\0').to_string();
                self.content.chunks_exact(size).map(text).collect()
            }
            Item::Text => self
                .content
                .chunks_exact(size)
                .map(|b| self.unicode(b))
                .collect::<Result<_, _>>()?,
        };
        Ok(LabelArray { shape: self.shape.clone(), texts })
    }

    /// The bytes of an item, lowest first.
    fn little(&self, item: &[u8]) -> [u8; 8] {
        let mut bytes = [0; 8];
        for (k, b) in item.iter().take(8).enumerate() {
            bytes[if self.big_endian { item.len() - 1 - k } else { k }] = *b;
        }
        bytes
    }

    fn float(&self, item: &[u8]) -> f64 {
        let b = self.little(item);
        if item.len() == 4 {
            f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        } else {
            f64::from_le_bytes(b)
        }
    }

    fn whole(&self, item: &[u8]) -> i128 {
        let value = u64::from_le_bytes(self.little(item));
        if self.item == Item::Int {
            let unused = 64 - 8 * item.len();
            i128::from(((value << unused) as i64) >> unused)
        } else {
            i128::from(value)
        }
    }

    fn unicode(&self, item: &[u8]) -> Result<String, String> {
        let letters = item.chunks_exact(4).map(|b| {
            let code = u64::from_le_bytes(self.little(b)) as u32;
            char::from_u32(code).ok_or_else(|| format!("{code:#x} is not a letter"))
        });
        let text: String = letters.collect::<Result<_, _>>()?;
        Ok(text.trim_end_matches('\0').to_string())
    }
}

fn take<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

/// Kind, size and byte order from a type description such as `<f8`.
fn item_type(descr: &str) -> Result<(Item, usize, bool), String> {
    let unknown = || {
        let reason = match descr.trim_start_matches(['<', '>', '|', '=']).chars().next() {
            Some('O') => "Python objects; convert them to numbers before saving",
            Some('c') => "complex numbers; save real and imaginary parts as columns",
            Some('f') => "floats of unusual size; convert them to float64",
            Some('M' | 'm') => "dates or times; convert them to numbers",
            _ => "items that are not numbers",
        };
        format!("the array is of type '{descr}': {reason}")
    };
    if !descr.is_ascii() || descr.len() < 3 {
        return Err(unknown());
    }
    let (order, rest) = descr.split_at(1);
    let (kind, size) = rest.split_at(1);
    let size: usize = size.parse().map_err(|_| unknown())?;
    let item = match (kind, size) {
        ("b", 1) => Item::Bool,
        ("i", 1 | 2 | 4 | 8) => Item::Int,
        ("u", 1 | 2 | 4 | 8) => Item::Unsigned,
        ("f", 4 | 8) => Item::Float,
        ("S", 1..) => Item::Bytes,
        ("U", 1..) => Item::Text,
        _ => return Err(unknown()),
    };
    let width = if item == Item::Text { 4 } else { 1 };
    let size = size.checked_mul(width).ok_or_else(unknown)?;
    match order {
        "<" | "|" | "=" => Ok((item, size, false)),
        ">" => Ok((item, size, true)),
        _ => Err(unknown()),
    }
}

/// The dictionary before the content.
struct Header {
    descr: String,
    fortran: bool,
    shape: Vec<usize>,
}

impl Header {
    fn of(bytes: &[u8]) -> Result<Self, String> {
        let malformed = || "the header is malformed".to_string();
        let text = std::str::from_utf8(bytes).map_err(|_| malformed())?;
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        let mut rest = text.strip_prefix('{').ok_or_else(malformed)?;
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        loop {
            rest = rest.trim_start_matches([' ', ',', '\n', '\t']);
            if rest.starts_with('}') {
                break;
            }
            let (key, after) = quoted(rest).ok_or_else(malformed)?;
            let after = after.trim_start().strip_prefix(':').ok_or_else(malformed)?.trim_start();
            rest = match key {
                "descr" if after.starts_with('[') => {
                    let advice = "save its fields as separate arrays";
                    return Err(format!("the array is a record array; {advice}"));
                }
                "descr" => {
                    let (value, after) = quoted(after).ok_or_else(malformed)?;
                    descr = Some(value.to_string());
                    after
                }
                "fortran_order" => {
                    fortran = Some(after.starts_with("True"));
                    let word = if after.starts_with("True") { "True" } else { "False" };
                    after.strip_prefix(word).ok_or_else(malformed)?
                }
                "shape" => {
                    let inside = after.strip_prefix('(').ok_or_else(malformed)?;
                    let (inside, after) = inside.split_once(')').ok_or_else(malformed)?;
                    let sizes = inside.split(',').map(|d| d.trim().trim_end_matches('L'));
                    let sizes: Result<Vec<usize>, _> =
                        sizes.filter(|d| !d.is_empty()).map(str::parse).collect();
                    shape = Some(sizes.map_err(|_| malformed())?);
                    after
                }
                _ => return Err(malformed()),
            };
        }
        match (descr, fortran, shape) {
            (Some(descr), Some(fortran), Some(shape)) => Ok(Header { descr, fortran, shape }),
            _ => Err("the header lacks descr, fortran_order or shape".to_string()),
        }
    }
}

/// A text between quotes, and what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split_once(quote)
}

/// The arrays of a zip file.
struct Archive<'a> {
    zip: zip::ZipArchive<Cursor<&'a [u8]>>,
    /// Names without `.npy`, sorted.
    names: Vec<String>,
    path: &'a Path,
}

impl<'a> Archive<'a> {
    fn open(bytes: &'a [u8], path: &'a Path) -> Result<Self> {
        let zip = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| {
            parse_error(path, (0, 0), format!("not a complete NumPy archive (.npz): {e}"))
        })?;
        let names =
            zip.file_names().filter_map(|n| n.ok()?.strip_suffix(".npy").map(str::to_string));
        let mut names: Vec<String> = names.collect();
        names.sort();
        Ok(Archive { zip, names, path })
    }

    fn read(&mut self, name: &str) -> Result<Vec<u8>> {
        let mut content = Vec::new();
        let problem = match self.zip.by_name(&format!("{name}.npy")) {
            Ok(mut file) => match file.read_to_end(&mut content) {
                Ok(_) => return Ok(content),
                Err(e) => e.to_string(),
            },
            Err(e) => e.to_string(),
        };
        Err(parse_error(self.path, (0, 0), format!("array '{name}' cannot be read: {problem}")))
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

    fn read(bytes: &[u8]) -> Result<Table> {
        parse_npy(bytes, Path::new("a.npy"), &ReadOptions::default()).map(|f| f.table)
    }

    fn matrix(rows: usize, cols: usize, values: &[f64]) -> Table {
        Table::Dense(Matrix::new(rows, cols, values.to_vec()).unwrap())
    }

    #[test]
    fn every_type_of_number() {
        let numbers = [0_i8, 1, 100, -3];
        macro_rules! check {
            ($t:ty, $code:literal, $expected:expr) => {
                let expected = matrix(2, 2, &$expected);
                for (order, big) in [("<", false), (">", true)] {
                    let bytes: Vec<u8> = numbers
                        .iter()
                        .flat_map(|&x| {
                            let x = x as $t;
                            if big { x.to_be_bytes() } else { x.to_le_bytes() }
                        })
                        .collect();
                    let file = npy(&format!("{order}{}", $code), false, "(2, 2)", &bytes);
                    assert_eq!(read(&file).unwrap(), expected, "{order}{}", $code);
                }
            };
        }
        let signed = [0.0, 1.0, 100.0, -3.0];
        check!(i8, "i1", signed);
        check!(i16, "i2", signed);
        check!(i32, "i4", signed);
        check!(i64, "i8", signed);
        check!(f32, "f4", signed);
        check!(f64, "f8", signed);
        check!(u8, "u1", [0.0, 1.0, 100.0, 253.0]);
        check!(u16, "u2", [0.0, 1.0, 100.0, 65533.0]);
        check!(u32, "u4", [0.0, 1.0, 100.0, 4294967293.0]);
        assert_eq!(read(&npy("|b1", false, "(2,)", &[1, 0])).unwrap(), matrix(2, 1, &[1.0, 0.0]));
    }

    #[test]
    fn column_order_and_one_dimension() {
        let bytes = [1, 2, 3, 4, 5, 6];
        let c = matrix(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(read(&npy("|u1", false, "(2, 3)", &bytes)).unwrap(), c);
        let f = matrix(2, 3, &[1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
        assert_eq!(read(&npy("|u1", true, "(2, 3)", &bytes)).unwrap(), f);
        let one = matrix(6, 1, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(read(&npy("|u1", false, "(6,)", &bytes)).unwrap(), one);
    }

    #[test]
    fn refusals() {
        let mut nan = 1.0_f64.to_le_bytes().to_vec();
        nan.extend(f64::NAN.to_le_bytes());
        let large = (u64::MAX).to_le_bytes();
        for (file, expected) in [
            (npy("|O", false, "(1,)", b"x"), "type '|O': Python objects"),
            (npy("|O8", false, "(1,)", b"x"), "Python objects; convert them to numbers"),
            (npy("<c16", false, "(1,)", &[0; 16]), "complex numbers"),
            (npy("<f2", false, "(1,)", &[0; 2]), "floats of unusual size"),
            (npy("<U1", false, "(1,)", &[65, 0, 0, 0]), "holds texts, expected numbers"),
            (npy("|u1", false, "(1, 1, 2)", &[1, 2]), "has 3 dimensions, expected 1 or 2"),
            (npy("|u1", false, "()", &[1]), "has 0 dimensions, expected 1 or 2"),
            (npy("|u1", false, "(0, 3)", &[]), "the table is 0 × 3"),
            (npy("|u1", false, "(3,)", &[1, 2]), "shape [3] with 1 bytes per item, but 2 bytes"),
            (npy("<f8", false, "(9999999999, 9999999999)", &[]), "but 0 bytes follow"),
            (npy("<f8", false, "(2, 1)", &nan), "row 2, column 1: NaN is not a finite number"),
            (npy("<u8", false, "(1,)", &large), "18446744073709551615 is too large"),
            (b"garbage".to_vec(), "this is not a NumPy array (.npy)"),
            (b"\x93NUMPY\x01\x00\xff\xff{".to_vec(), "ends within its header"),
            (b"\x93NUMPY\x09\x00".to_vec(), "version 9 of the .npy format"),
        ] {
            let e = read(&file).unwrap_err().to_string();
            assert!(e.starts_with("a.npy: ") && e.contains(expected), "{e} / {expected}");
        }
    }

    #[test]
    fn missing_rows_are_all_nan() {
        let values = [1.0, 2.0, f64::NAN, f64::NAN].map(f64::to_le_bytes).concat();
        let options = ReadOptions { missing_rows: true, ..Default::default() };
        let file = npy("<f8", false, "(2, 2)", &values);
        let file = parse_npy(&file, Path::new("a.npy"), &options).unwrap();
        assert_eq!(file.present.unwrap(), [true, false]);
    }

    #[test]
    fn archives() {
        let (a, b) = (npy("|u1", false, "(2,)", &[1, 2]), npy("|u1", false, "(1,)", &[3]));
        let read = |file: &[u8], variable: Option<&str>| {
            let options =
                ReadOptions { variable: variable.map(String::from), ..Default::default() };
            parse_npz(file, Path::new("a.npz"), &options).map(|f| f.table)
        };
        assert_eq!(read(&npz(&[("b", &b)]), None).unwrap(), matrix(1, 1, &[3.0]));
        let both = npz(&[("b", &b), ("a", &a)]);
        assert_eq!(read(&both, Some("a")).unwrap(), matrix(2, 1, &[1.0, 2.0]));
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

    #[test]
    fn labels_of_every_type() {
        let texts = |file: &[u8]| label_array(file, Path::new("y.npy")).unwrap().texts;
        assert_eq!(texts(&npy("|i1", false, "(2,)", &[255, 7])), ["-1", "7"]);
        assert_eq!(texts(&npy("|b1", false, "(2,)", &[0, 1])), ["False", "True"]);
        assert_eq!(texts(&npy("<f8", false, "(1,)", &3.0_f64.to_le_bytes())), ["3"]);
        assert_eq!(texts(&npy("|S2", false, "(2,)", b"abc\0")), ["ab", "c"]);
        let unicode: Vec<u8> = "ä\0é!".chars().flat_map(|c| (c as u32).to_be_bytes()).collect();
        assert_eq!(texts(&npy(">U2", false, "(2,)", &unicode)), ["ä", "é!"]);
    }
}
