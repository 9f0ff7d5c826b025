//! What went wrong with a store, in the words of a user: damaged, full, or not to be written.

use anyhow::anyhow;
use rusqlite::ErrorCode;
use std::path::Path;

/// What becomes of a store that is damaged, and what can be done.
pub const DAMAGED: &str = "it is damaged and is left as it is: restore it from a copy, or name \
                           another file with --store";

/// What can be done if rows are not as they were written: the specification has all they need.
pub const MENDED: &str = "`cokernel run` with its specification writes it anew and keeps the \
                          results that are as they were written (with --update, if the \
                          specification changed, too)";

/// The error of SQLite as an error about this store.
pub fn explained(path: &Path, error: rusqlite::Error) -> anyhow::Error {
    let place = path.display();
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => anyhow!(
            "store {place}: the disk that holds {} is full",
            std::fs::canonicalize(folder).unwrap_or(folder.to_path_buf()).display()
        ),
        Some(ErrorCode::SystemIoFailure) => anyhow!(
            "store {place}: {error}; is the disk full, or is there a limit on the size of files?"
        ),
        Some(ErrorCode::ReadOnly) => read_only(path),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            anyhow!("store {place} is not as it was written ({error}); {DAMAGED}")
        }
        _ => anyhow::Error::new(error).context(format!("store {place}")),
    }
}

/// The store is there, but cannot be written.
pub fn read_only(path: &Path) -> anyhow::Error {
    let place = path.display();
    anyhow!("store {place} cannot be written: the file, its folder or the disk is read-only")
}

/// As [`explained`], for work that has errors of other kinds, too.
pub fn of_work(path: &Path, error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<rusqlite::Error>() {
        Ok(error) => explained(path, error),
        Err(other) => other,
    }
}
