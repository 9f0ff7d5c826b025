//! NumPy arrays (`.npy`).
//!
//! The header of an array is a Python dictionary with three known keys, which is read here
//! directly: a general reader of Python literals would follow any nesting that a damaged file
//! holds.

use super::{ReadOptions, TableFile, dense_table, parse_error};
use crate::Result;
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

/// An array as label texts.
pub(super) struct LabelArray {
    pub(super) shape: Vec<usize>,
    pub(super) texts: Vec<String>,
}

/// Labels from an array of integers, numbers or texts.
pub(super) fn label_array(bytes: &[u8], path: &Path) -> Result<LabelArray> {
    Array::of(bytes).and_then(|a| a.labels()).map_err(|p| parse_error(path, (0, 0), p))
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
pub(super) struct Array<'a> {
    shape: Vec<usize>,
    fortran: bool,
    item: Item,
    size: usize,
    big_endian: bool,
    content: &'a [u8],
}

impl<'a> Array<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Result<Self, String> {
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
    pub(super) fn table(&self) -> Result<(usize, usize, Vec<f64>), String> {
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
    pub(super) fn numbers(&self) -> Result<Vec<f64>, String> {
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

    pub(super) fn labels(&self) -> Result<LabelArray, String> {
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

#[cfg(test)]
mod tests;
