//! The list of elements that a MATLAB file is: a type, a size, and content padded to 8 bytes. A
//! compressed element holds one other element in zlib form.

use super::super::Room;
use std::borrow::Cow;
use std::io::Read;

pub(super) const DOUBLE: u32 = 9;
const COMPRESSED: u32 = 15;
pub(super) const MATRIX: u32 = 14;
const HEADER: usize = 128;

/// Whether numbers are stored highest byte first; refuses what is not a version 5 file.
pub(super) fn byte_order(bytes: &[u8]) -> Result<bool, String> {
    if bytes.starts_with(b"MATLAB 7.3") {
        return Err("this is MATLAB version 7.3, but no HDF5 file follows; copy it again".into());
    }
    match bytes.get(124..HEADER) {
        Some([0, 1, b'I', b'M']) => Ok(false),
        Some([1, 0, b'M', b'I']) => Ok(true),
        _ => Err("this is not a MATLAB file of version 5 to 7.3; save with -v7, or as .npy".into()),
    }
}

/// The contents of all matrix elements of a file, decompressed.
pub(super) fn contents<'a>(
    bytes: &'a [u8],
    big_endian: bool,
    mut room: Room,
) -> Result<Vec<Cow<'a, [u8]>>, String> {
    let mut all = Vec::new();
    let mut elements = Elements::new(&bytes[HEADER..], big_endian);
    while !elements.rest.is_empty() {
        let (kind, content) = elements.next()?;
        match kind {
            MATRIX => all.push(Cow::Borrowed(content)),
            COMPRESSED => all.push(Cow::Owned(decompress(content, big_endian, &mut room)?)),
            _ => {}
        }
    }
    Ok(all)
}

/// The content of the matrix element in a compressed one.
fn decompress(content: &[u8], big_endian: bool, room: &mut Room) -> Result<Vec<u8>, String> {
    let damaged = |e: std::io::Error| format!("a compressed variable is damaged: {e}");
    let mut stream = flate2::read::ZlibDecoder::new(content);
    let mut tag = [0; 8];
    stream.read_exact(&mut tag).map_err(damaged)?;
    let (kind, size) = (word(&tag, big_endian), word(&tag[4..], big_endian));
    if kind != MATRIX {
        return Ok(Vec::new());
    }
    let inside = room.unpack(stream.by_ref().take(u64::from(size)), damaged)?;
    // The check sum is compared when the end is reached; there is at most padding before it.
    let mut after = Vec::new();
    stream.take(16).read_to_end(&mut after).map_err(damaged)?;
    if inside.len() != size as usize || after.len() > 8 {
        let found = inside.len() + after.len();
        return Err(format!("a compressed variable declares {size} bytes and has {found}"));
    }
    Ok(inside)
}

/// A list of elements.
pub(super) struct Elements<'a> {
    pub(super) rest: &'a [u8],
    big_endian: bool,
}

impl<'a> Elements<'a> {
    pub(super) fn new(bytes: &'a [u8], big_endian: bool) -> Self {
        Elements { rest: bytes, big_endian }
    }

    /// Type and content of the next element.
    pub(super) fn next(&mut self) -> Result<(u32, &'a [u8]), String> {
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
    pub(super) fn sparse_values(
        &mut self,
        logical: bool,
        count: usize,
    ) -> Result<Vec<f64>, String> {
        let before = self.rest;
        let (kind, content) = self.next()?;
        if logical && kind == DOUBLE && content.len() == count {
            return Ok(content.iter().map(|b| f64::from(*b)).collect());
        }
        self.rest = before;
        self.numbers()
    }

    /// The next element as numbers.
    pub(super) fn numbers(&mut self) -> Result<Vec<f64>, String> {
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

pub(super) fn word(bytes: &[u8], big_endian: bool) -> u32 {
    let raw = [bytes[0], bytes[1], bytes[2], bytes[3]];
    if big_endian { u32::from_be_bytes(raw) } else { u32::from_le_bytes(raw) }
}
