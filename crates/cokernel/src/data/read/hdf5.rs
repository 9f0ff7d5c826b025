//! HDF5 files (`.h5`, `.hdf5`): the arrays in them, by their paths. Layout: "HDF5 File Format Specification
//! Version 3.0", The HDF Group.
//!
//! | file | what it holds |
//! |---|---|
//! | `file` | groups, datasets, attributes |
//! | `decode` | the numbers of a dataset |
//! | `tree` | the arrays of a file, of MATLAB 7.3 or others, as variables |
//!
//! Files of MATLAB 7.3 are HDF5, and so are AnnData's and MuData's: `matlab` and `anndata` read them through
//! this. Which arrays are views and labels is found as in a file of MATLAB, with two differences: arrays are
//! stored row by row, and labels may be text.

mod decode;
mod file;
#[cfg(test)]
mod tests;
mod tree;

pub(super) use file::{Dataset, File, Group, Kind, Node, is_hdf5, is_hdf5_file};
pub(super) use tree::variables;

use super::matlab::{self, Source};
use super::{ReadOptions, TableFile};
use crate::Result;
use std::path::Path;

/// Reads one array of an HDF5 file: the one that `options.variable` names by its path (`views/fou`), or the
/// only one besides labels. It is turned as [`parse_mat`](super::parse_mat) says.
///
/// # Errors
/// The content is no HDF5 file or is damaged; it holds several arrays while none is named; the array is not a
/// real table with finite entries; or it is stored in a way that is not read (virtual, other filters than gzip,
/// shuffle, Fletcher32, LZF and scale-offset).
pub fn parse_hdf5(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<TableFile> {
    let file = File::of(bytes.to_vec(), path)?;
    matlab::read(&Source::Hdf5 { file: &file, matlab: false }, path, options)
}
