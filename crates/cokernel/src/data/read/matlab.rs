//! MATLAB files of version 5 to 7 (`.mat`): numeric and sparse matrices, compressed or not, in
//! either byte order. Layout: "MAT-File Format", The MathWorks, chapter 1.
//!
//! The file is a header of 128 bytes and a list of elements; an element is a type, a size, and
//! content padded to 8 bytes. A compressed element holds one other element in zlib form.

use super::npy::LabelArray;
use super::{
    ReadOptions, TableFile, choose, csr_from_columns, dense_table, no_text_options, parse_error,
    plausible, sparse_table,
};
use crate::Result;
use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

const DOUBLE: u32 = 9;
const COMPRESSED: u32 = 15;
const MATRIX: u32 = 14;
const HEADER: usize = 128;
/// Bit of the array flags that says that the numbers are complex.
const COMPLEX: u32 = 0x0800;
/// Bit of the array flags that says that the numbers are true or false.
const LOGICAL: u32 = 0x0200;

/// Reads one matrix.
///
/// # Errors
/// The file is not of version 5 to 7, is damaged, holds several matrices while
/// `options.variable` names none, or the matrix is not a real table with finite entries.
pub fn parse_mat(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<TableFile> {
    let (variable, big_endian) = chosen(bytes, path, options)?;
    let fail = |problem: String| {
        parse_error(path, (0, 0), format!("variable '{}': {problem}", variable.name))
    };
    let (rows, cols) = variable.size().map_err(fail)?;
    let mut parts = Elements::new(&variable.content, big_endian);
    if variable.class != Class::Sparse {
        let columns = parts.numbers().map_err(fail)?;
        if rows.checked_mul(cols) != Some(columns.len()) {
            let found = columns.len();
            return Err(fail(format!("{rows} × {cols} is declared, {found} numbers follow")));
        }
        let row_major = (0..columns.len()).map(|p| columns[(p % cols) * rows + p / cols]);
        return dense_table(rows, cols, row_major.collect(), path, options);
    }
    no_text_options(path, options)?;
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
    let csr = csr_from_columns(rows, &starts, &indices, &values).map_err(fail)?;
    sparse_table(csr, path, options)
}

/// Labels from a vector of numbers.
pub(super) fn label_array(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<LabelArray> {
    let (variable, big_endian) = chosen(bytes, path, options)?;
    let fail = |problem: String| {
        parse_error(path, (0, 0), format!("variable '{}': {problem}", variable.name))
    };
    if variable.class != Class::Numeric {
        return Err(fail("expected a vector of numbers".to_string()));
    }
    let (rows, cols) = variable.size().map_err(fail)?;
    let numbers = Elements::new(&variable.content, big_endian).numbers().map_err(fail)?;
    if rows.checked_mul(cols) != Some(numbers.len()) {
        let found = numbers.len();
        return Err(fail(format!("{rows} × {cols} is declared, {found} numbers follow")));
    }
    let texts = numbers.iter().map(f64::to_string).collect();
    Ok(LabelArray { shape: vec![rows, cols], texts })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Numeric,
    Sparse,
    Other,
}

/// A matrix whose content is still in the form of the file.
struct Variable<'a> {
    name: String,
    class: Class,
    complex: bool,
    logical: bool,
    shape: Vec<usize>,
    /// The elements after the name.
    content: Cow<'a, [u8]>,
}

impl Variable<'_> {
    fn size(&self) -> Result<(usize, usize), String> {
        if self.class == Class::Other {
            return Err("expected a matrix of numbers, found texts, cells or a structure".into());
        }
        if self.complex {
            return Err("the numbers are complex; save real and imaginary parts".into());
        }
        match self.shape[..] {
            [rows, cols] => Ok((rows, cols)),
            _ => Err(format!("the array has {} dimensions, expected 2", self.shape.len())),
        }
    }
}

fn chosen<'a>(bytes: &'a [u8], path: &Path, options: &ReadOptions) -> Result<(Variable<'a>, bool)> {
    let fail = |problem: String| parse_error(path, (0, 0), problem);
    let big_endian = byte_order(bytes).map_err(fail)?;
    let variables = variables(bytes, big_endian).map_err(fail)?;
    let numeric =
        |v: &&Variable<'_>| v.class != Class::Other && !v.shape.contains(&0) && !v.name.is_empty();
    let usable: Vec<String> = variables.iter().filter(numeric).map(|v| v.name.clone()).collect();
    // A variable that exists but cannot be used is explained, not called unknown.
    let asked = options.variable.as_ref().filter(|n| variables.iter().any(|v| v.name == **n));
    let name = match asked {
        Some(name) => name.clone(),
        None => choose(&usable, options, path, "matrix")?,
    };
    let found = variables.into_iter().find(|v| v.name == name);
    found.map(|v| (v, big_endian)).ok_or_else(|| fail(format!("there is no matrix '{name}'")))
}

/// Whether numbers are stored highest byte first; refuses what is not a version 5 file.
fn byte_order(bytes: &[u8]) -> Result<bool, String> {
    const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";
    let newer = bytes.starts_with(HDF5)
        || bytes.get(512..).is_some_and(|b| b.starts_with(HDF5))
        || bytes.starts_with(b"MATLAB 7.3");
    if newer {
        return Err("MATLAB version 7.3 (HDF5) is not supported; save with -v7, or as .npy".into());
    }
    match bytes.get(124..HEADER) {
        Some([0, 1, b'I', b'M']) => Ok(false),
        Some([1, 0, b'M', b'I']) => Ok(true),
        _ => Err("this is not a MATLAB file of version 5 to 7; save with -v7, or as .npy".into()),
    }
}

fn variables(bytes: &[u8], big_endian: bool) -> Result<Vec<Variable<'_>>, String> {
    let mut all = Vec::new();
    let mut elements = Elements::new(&bytes[HEADER..], big_endian);
    while !elements.rest.is_empty() {
        let (kind, content) = elements.next()?;
        let content = match kind {
            MATRIX => Cow::Borrowed(content),
            COMPRESSED => Cow::Owned(decompress(content, big_endian)?),
            _ => continue,
        };
        if let Some(variable) = variable(content, big_endian)? {
            all.push(variable);
        }
    }
    Ok(all)
}

/// The content of the matrix element in a compressed one.
fn decompress(content: &[u8], big_endian: bool) -> Result<Vec<u8>, String> {
    let damaged = |e: std::io::Error| format!("a compressed variable is damaged: {e}");
    let mut stream = flate2::read::ZlibDecoder::new(content);
    let mut tag = [0; 8];
    stream.read_exact(&mut tag).map_err(damaged)?;
    let (kind, size) = (word(&tag, big_endian), word(&tag[4..], big_endian));
    if kind != MATRIX {
        return Ok(Vec::new());
    }
    let mut inside = Vec::new();
    stream.by_ref().take(u64::from(size)).read_to_end(&mut inside).map_err(damaged)?;
    // The check sum is compared when the end is reached; there is at most padding before it.
    let mut after = Vec::new();
    stream.take(16).read_to_end(&mut after).map_err(damaged)?;
    if inside.len() != size as usize || after.len() > 8 {
        let found = inside.len() + after.len();
        return Err(format!("a compressed variable declares {size} bytes and has {found}"));
    }
    Ok(inside)
}

/// Flags, size and name of a matrix; `None` for an empty element.
fn variable(content: Cow<'_, [u8]>, big_endian: bool) -> Result<Option<Variable<'_>>, String> {
    if content.is_empty() {
        return Ok(None);
    }
    let mut parts = Elements::new(&content, big_endian);
    let (_, flags) = parts.next()?;
    if flags.len() < 8 {
        return Err("a variable has no array flags".to_string());
    }
    let flags = word(flags, big_endian);
    let class = match flags & 0xff {
        5 => Class::Sparse,
        6..=15 => Class::Numeric,
        _ => Class::Other,
    };
    let shape: Option<Vec<usize>> =
        parts.numbers()?.iter().map(|d| (*d >= 0.0).then_some(*d as usize)).collect();
    let shape = shape.ok_or("a variable has a negative size")?;
    let (_, name) = parts.next()?;
    let name = String::from_utf8_lossy(name).trim_end_matches('\0').to_string();
    let used = content.len() - parts.rest.len();
    let content = match content {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[used..]),
        Cow::Owned(mut bytes) => Cow::Owned(bytes.split_off(used)),
    };
    let (complex, logical) = (flags & COMPLEX != 0, flags & LOGICAL != 0);
    Ok(Some(Variable { name, class, complex, logical, shape, content }))
}

/// A list of elements.
struct Elements<'a> {
    rest: &'a [u8],
    big_endian: bool,
}

impl<'a> Elements<'a> {
    fn new(bytes: &'a [u8], big_endian: bool) -> Self {
        Elements { rest: bytes, big_endian }
    }

    /// Type and content of the next element.
    fn next(&mut self) -> Result<(u32, &'a [u8]), String> {
        let truncated = "the file ends within a variable";
        if self.rest.len() < 8 {
            return Err(truncated.to_string());
        }
        let first = word(self.rest, self.big_endian);
        // Small elements hold type and size in one word, and the content in the next.
        let (kind, size, start) = match (first & 0xffff, (first >> 16) as usize) {
            (kind, 0) => (kind, word(&self.rest[4..], self.big_endian) as usize, 8),
            (kind, size) if size <= 4 => (kind, size, 4),
            (_, size) => return Err(format!("a small element declares {size} bytes")),
        };
        let content = self.rest.get(start..start + size).ok_or(truncated)?;
        let padded =
            if kind == COMPRESSED { size } else { (start + size).next_multiple_of(8) - start };
        self.rest = self.rest.get(start + padded..).unwrap_or_default();
        Ok((kind, content))
    }

    /// The next element as the values of a sparse matrix with room for `count` of them. MATLAB
    /// calls truth values of one byte each doubles here.
    fn sparse_values(&mut self, logical: bool, count: usize) -> Result<Vec<f64>, String> {
        let before = self.rest;
        let (kind, content) = self.next()?;
        if logical && kind == DOUBLE && content.len() == count {
            return Ok(content.iter().map(|b| f64::from(*b)).collect());
        }
        self.rest = before;
        self.numbers()
    }

    /// The next element as numbers.
    fn numbers(&mut self) -> Result<Vec<f64>, String> {
        let (kind, content) = self.next()?;
        let big = self.big_endian;
        macro_rules! read {
            ($t:ty) => {
                content.chunks_exact(size_of::<$t>()).map(|b| {
                    let mut raw = [0; size_of::<$t>()];
                    raw.copy_from_slice(b);
                    if big { <$t>::from_be_bytes(raw) } else { <$t>::from_le_bytes(raw) }
                })
            };
        }
        let exact = |x: i128| {
            let inexact = || format!("{x} is too large to be held exactly");
            if (x as f64) as i128 == x { Ok(x as f64) } else { Err(inexact()) }
        };
        Ok(match kind {
            1 => read!(i8).map(f64::from).collect(),
            2 => read!(u8).map(f64::from).collect(),
            3 => read!(i16).map(f64::from).collect(),
            4 => read!(u16).map(f64::from).collect(),
            5 => read!(i32).map(f64::from).collect(),
            6 => read!(u32).map(f64::from).collect(),
            7 => read!(f32).map(f64::from).collect(),
            DOUBLE => read!(f64).collect(),
            12 => read!(i64).map(|x| exact(x.into())).collect::<Result<_, _>>()?,
            13 => read!(u64).map(|x| exact(x.into())).collect::<Result<_, _>>()?,
            _ => return Err(format!("expected numbers, found an element of type {kind}")),
        })
    }
}

fn word(bytes: &[u8], big_endian: bool) -> u32 {
    let raw = [bytes[0], bytes[1], bytes[2], bytes[3]];
    if big_endian { u32::from_be_bytes(raw) } else { u32::from_le_bytes(raw) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::samples::{compressed, element, mat, matrix, small};
    use super::*;
    use crate::data::{Csr, Matrix, Table};

    fn read(file: &[u8], variable: Option<&str>) -> Result<Table> {
        let options = ReadOptions { variable: variable.map(String::from), ..Default::default() };
        parse_mat(file, Path::new("a.mat"), &options).map(|f| f.table)
    }

    fn dense(rows: usize, cols: usize, values: &[f64]) -> Table {
        Table::Dense(Matrix::new(rows, cols, values.to_vec()).unwrap())
    }

    fn double(values: &[f64]) -> Vec<u8> {
        element(9, &values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>())
    }

    fn whole(values: &[i32]) -> Vec<u8> {
        element(5, &values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>())
    }

    #[test]
    fn dense_matrices_plain_and_compressed() {
        let x = matrix(6, "x", &[2, 3], &[double(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]);
        let y = matrix(6, "yy", &[3, 1], &[small(2, &[7, 8, 255])]);
        let file = mat(&[x.clone(), compressed(&y)]);
        let expected = dense(2, 3, &[1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
        assert_eq!(read(&file, Some("x")).unwrap(), expected);
        assert_eq!(read(&file, Some("yy")).unwrap(), dense(3, 1, &[7.0, 8.0, 255.0]));
        assert_eq!(read(&mat(&[x]), None).unwrap(), expected);
        let e = read(&file, None).unwrap_err().to_string();
        assert_eq!(e, "a.mat: the file holds several; name one of x, yy");
        let e = read(&file, Some("z")).unwrap_err().to_string();
        assert!(e.starts_with("a.mat: unknown matrix 'z'"), "{e}");
        let y = label_array(
            &file,
            Path::new("a.mat"),
            &ReadOptions { variable: Some("yy".into()), ..Default::default() },
        );
        assert_eq!(y.unwrap().texts, ["7", "8", "255"]);
    }

    #[test]
    fn a_wrong_check_sum_is_seen() {
        let x = compressed(&matrix(6, "x", &[1, 2], &[double(&[1.0, 2.0])]));
        let mut file = mat(&[x]);
        assert!(read(&file, None).is_ok());
        if let Some(last) = file.last_mut() {
            *last ^= 1;
        }
        let e = read(&file, None).unwrap_err().to_string();
        assert!(e.starts_with("a.mat: a compressed variable is damaged"), "{e}");
    }

    #[test]
    fn sparse_matrices() {
        let parts = [whole(&[0, 2, 0, 0]), whole(&[0, 1, 2, 3]), double(&[1.0, 3.0, 2.0])];
        let file = mat(&[matrix(5, "s", &[3, 3], &parts)]);
        let rows = vec![vec![(0, 1.0), (2, 2.0)], vec![], vec![(1, 3.0)]];
        assert_eq!(read(&file, None).unwrap(), Table::Sparse(Csr::from_rows(3, rows).unwrap()));
        // Truth values as MATLAB writes them.
        let parts = [whole(&[0, 2]), whole(&[0, 1, 1, 2]), element(9, &[1, 1])];
        let file = mat(&[matrix(5 | LOGICAL, "s", &[3, 3], &parts)]);
        let rows = vec![vec![(0, 1.0)], vec![], vec![(2, 1.0)]];
        assert_eq!(read(&file, None).unwrap(), Table::Sparse(Csr::from_rows(3, rows).unwrap()));
        let parts = [whole(&[9]), whole(&[0, 1, 1, 1]), double(&[1.0])];
        let e = read(&mat(&[matrix(5, "s", &[3, 3], &parts)]), None).unwrap_err().to_string();
        assert_eq!(e, "a.mat: variable 's': row 10 of 3 rows is named");
        let parts = [whole(&[0]), whole(&[0, 1]), double(&[1.0])];
        let file = mat(&[matrix(5, "s", &[2_000_000_000, 1], &parts)]);
        let e = read(&file, None).unwrap_err().to_string();
        assert!(e.starts_with("a.mat: the file declares 2000000000 rows, but holds 1"), "{e}");
    }

    #[test]
    fn refusals() {
        let text = element(4, &[65, 0]);
        let x = || double(&[1.0, 2.0]);
        for (file, expected) in [
            (b"MATLAB 7.3 MAT-file".to_vec(), "version 7.3 (HDF5) is not supported; save with -v7"),
            (vec![0; 200], "this is not a MATLAB file of version 5 to 7"),
            (mat(&[]), "the file holds no matrix of numbers"),
            (mat(&[matrix(4, "t", &[1, 1], &[text])]), "the file holds no matrix of numbers"),
            (mat(&[matrix(6, "x", &[2, 2], &[x()])]), "2 × 2 is declared, 2 numbers follow"),
            (mat(&[matrix(6, "x", &[1, 2, 1], &[x()])]), "the array has 3 dimensions"),
            (mat(&[matrix(6 | COMPLEX, "x", &[1, 2], &[x(), x()])]), "the numbers are complex"),
            (
                mat(&[matrix(6, "x", &[1, 1], &[double(&[f64::NAN])])]),
                "row 1, column 1: NaN is not",
            ),
            (
                mat(&[compressed(b"\x0e\0\0\0\xff\xff\xff\xff")]),
                "declares 4294967295 bytes and has 0",
            ),
        ] {
            let e = read(&file, None).unwrap_err().to_string();
            assert!(e.starts_with("a.mat: ") && e.contains(expected), "{e} / {expected}");
        }
        let cell = mat(&[matrix(1, "c", &[1, 1], &[])]);
        let e = read(&cell, Some("c")).unwrap_err().to_string();
        assert!(e.contains("variable 'c': expected a matrix of numbers, found texts"), "{e}");
    }
}
