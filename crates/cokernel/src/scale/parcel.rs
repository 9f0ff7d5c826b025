//! [`Parcel`]: what is written for another process, a head as JSON and numbers as they are.
//!
//! ```text
//! CRC-32 of what follows (4 bytes), length of the head (8), head, numbers (8 each); all little-endian
//! ```

use crate::data::atomic_write;
use crate::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Bytes before the head.
const BEFORE: usize = 12;

/// A head and numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parcel<H> {
    pub head: H,
    pub numbers: Vec<f64>,
}

/// That a file could not be written; where the disk is full with what to do.
pub(super) fn unwritten(path: &Path, source: std::io::Error) -> Error {
    let kind = source.kind();
    let is_full = [ErrorKind::StorageFull, ErrorKind::FileTooLarge, ErrorKind::QuotaExceeded];
    let source = match is_full.contains(&kind) {
        true => std::io::Error::new(
            kind,
            format!("{source}; make room there: the same fit goes on from what lies in the folder"),
        ),
        false => source,
    };
    Error::Io { path: path.to_path_buf(), source }
}

impl<H: Serialize + DeserializeOwned> Parcel<H> {
    /// As bytes.
    pub fn pack(&self) -> Result<Vec<u8>> {
        let head = serde_json::to_vec(&self.head)
            .map_err(|e| Error::Data(format!("a message to workers cannot be written: {e}")))?;
        let mut bytes = Vec::with_capacity(BEFORE + head.len() + 8 * self.numbers.len());
        bytes.extend([0; 4]);
        bytes.extend((head.len() as u64).to_le_bytes());
        bytes.extend(head);
        self.numbers.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
        let sum = crc32fast::hash(&bytes[4..]);
        bytes[..4].copy_from_slice(&sum.to_le_bytes());
        Ok(bytes)
    }

    /// From bytes; `None` if they are no parcel with such a head, or were changed.
    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        let (sum, rest) = bytes.split_first_chunk::<4>()?;
        if crc32fast::hash(rest) != u32::from_le_bytes(*sum) {
            return None;
        }
        let (length, rest) = rest.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (head, numbers) = rest.split_at_checked(length)?;
        let (numbers, left) = numbers.as_chunks::<8>();
        if !left.is_empty() {
            return None;
        }
        let numbers = numbers.iter().map(|v| f64::from_le_bytes(*v)).collect();
        Some(Parcel { head: serde_json::from_slice(head).ok()?, numbers })
    }

    /// Into a file that nobody looks at yet.
    pub fn write(&self, path: &Path) -> Result<()> {
        std::fs::write(path, self.pack()?).map_err(|source| unwritten(path, source))
    }

    /// Into a file, in one step.
    pub fn save(&self, path: &Path) -> Result<()> {
        let bytes = self.pack()?;
        let written = atomic_write(path, |out| {
            out.write_all(&bytes).map_err(|source| Error::Io { path: path.to_path_buf(), source })
        });
        written.map_err(|e| match e {
            Error::Io { path, source } => unwritten(&path, source),
            other => other,
        })
    }

    /// From a file.
    pub fn load(path: &Path) -> Result<Self> {
        let io = |source| Error::Io { path: path.to_path_buf(), source };
        let bytes = std::fs::read(path).map_err(io)?;
        Parcel::unpack(&bytes).ok_or_else(|| {
            Error::Data(format!(
                "{}: is damaged, or of another version; remove it, and begin again",
                path.display()
            ))
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Back as it was, to the bit; nothing that was cut or changed.
    #[test]
    fn what_is_packed_is_unpacked() {
        let numbers = vec![1.0, -0.0, f64::NAN, f64::INFINITY, 1e-310];
        let parcel = Parcel { head: ("a".to_string(), 7), numbers };
        let bytes = parcel.pack().unwrap();
        let back = Parcel::<(String, i32)>::unpack(&bytes).unwrap();
        assert_eq!(back.head, parcel.head);
        let bits = |v: &[f64]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&back.numbers), bits(&parcel.numbers));
        for end in 0..bytes.len() {
            assert!(Parcel::<(String, i32)>::unpack(&bytes[..end]).is_none());
        }
        for place in 0..bytes.len() {
            let mut other = bytes.clone();
            other[place] ^= 4;
            assert!(Parcel::<(String, i32)>::unpack(&other).is_none());
        }
        assert!(Parcel::<i32>::unpack(&bytes).is_none());
    }
}
