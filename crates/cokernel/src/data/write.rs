//! Writers. A file is never seen half written: content goes to a temporary file in the same
//! folder, is flushed to the disk, and then takes the name in one step.

use crate::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes a file in one step: after success `path` holds exactly what `write` wrote; after an
/// error it is as before, and the temporary file beside it is gone.
///
/// The permissions of a file that is replaced are kept. If `path` is a symbolic link, the file
/// that it points to is replaced. Devices and pipes are written to directly.
///
/// # Errors
/// [`Error::Io`] with `path` if the folder does not exist, cannot be written to, or is full;
/// and whatever `write` returns.
pub fn atomic_write(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
) -> Result<()> {
    let io = |source| Error::Io { path: path.to_path_buf(), source };
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if target.is_dir() {
        return Err(io(std::io::Error::new(ErrorKind::IsADirectory, "is a folder, not a file")));
    }
    if target.exists() && !target.is_file() {
        // A device or a pipe is written to as it is: renaming a file to it would replace it.
        let mut out = BufWriter::new(File::create(&target).map_err(io)?);
        write(&mut out)?;
        return out.flush().map_err(io);
    }
    let (file, temporary) = create_beside(&target).map_err(io)?;
    let finish = || -> Result<()> {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        let file = out.into_inner().map_err(|e| io(e.into_error()))?;
        if let Ok(old) = std::fs::metadata(&target) {
            file.set_permissions(old.permissions()).map_err(io)?;
        }
        file.sync_all().map_err(io)?;
        drop(file);
        std::fs::rename(&temporary, &target).map_err(io)
    };
    let result = finish();
    if result.is_err() {
        // The first error is the one to report; a temporary file that cannot be removed either
        // does no harm.
        let _ = std::fs::remove_file(&temporary);
    }
    result
}

/// Creates a new file beside `target` under a name that nobody uses.
fn create_beside(target: &Path) -> std::io::Result<(File, PathBuf)> {
    let name = target
        .file_name()
        .ok_or_else(|| std::io::Error::new(ErrorKind::InvalidInput, "not the name of a file"))?;
    let process = std::process::id();
    for attempt in 0..1000_u32 {
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{process}-{attempt}.tmp"));
        let temporary = target.with_file_name(temporary);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((file, temporary)),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Err(std::io::Error::new(ErrorKind::AlreadyExists, "too many temporary files in the folder"))
}

/// Writes a comma-separated table in one step: one line of names if there are some, then the
/// rows. Fields with a comma, a quote or a line break are quoted.
///
/// # Errors
/// As [`atomic_write`]; also if a row has not as many fields as the first line.
pub fn write_csv<R, S>(
    path: &Path,
    header: &[&str],
    rows: impl IntoIterator<Item = R>,
) -> Result<()>
where
    R: IntoIterator<Item = S>,
    S: AsRef<[u8]>,
{
    atomic_write(path, |out| {
        let mut csv = csv::Writer::from_writer(out);
        let line = std::cell::Cell::new(1_usize);
        let error = |e: csv::Error| match e.into_kind() {
            csv::ErrorKind::Io(source) => Error::Io { path: path.to_path_buf(), source },
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => Error::shape(
                format!("{}, line {} to be written", path.display(), line.get()),
                format!("{expected_len} fields"),
                format!("{len} fields"),
            ),
            other => Error::Data(format!("{}: cannot be written: {other:?}", path.display())),
        };
        if !header.is_empty() {
            csv.write_record(header).map_err(error)?;
            line.set(2);
        }
        for row in rows {
            csv.write_record(row).map_err(error)?;
            line.set(line.get() + 1);
        }
        csv.flush().map_err(|source| Error::Io { path: path.to_path_buf(), source })
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        std::fs::write(&path, "old").unwrap();
        let e = atomic_write(&path, |out| {
            out.write_all(b"half").map_err(|source| Error::Io { path: path.clone(), source })?;
            Err(Error::Data("stopped".into()))
        });
        assert_eq!(e.unwrap_err().to_string(), "stopped");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn replaces_and_creates() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.csv");
        for text in ["1", "x,y"] {
            write_csv(&path, &["name"], [[text]]).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "name\n\"x,y\"\n");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn refusals_name_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let missing = dir.path().join("none").join("a.csv");
        let e = write_csv(&missing, &["a"], [["1"]]).unwrap_err();
        assert!(matches!(&e, Error::Io { path, .. } if *path == missing), "{e}");
        let e = write_csv(dir.path(), &["a"], [["1"]]).unwrap_err();
        assert!(e.to_string().ends_with("is a folder, not a file"), "{e}");
        let path = dir.path().join("a.csv");
        let e = write_csv(&path, &["a", "b"], [["1"]]).unwrap_err();
        let expected = "a.csv, line 2 to be written: expected 2 fields, found 1 fields";
        assert!(e.to_string().ends_with(expected), "{e}");
        assert!(!path.exists());
    }
}
