//! Output files: written whole or not at all, and refused before the work if they cannot be.

use crate::misuse::misuse;
use crate::visible::defused;
use anyhow::Result;
use cokernel::data::atomic_write;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Writes a file in one step.
pub fn write(path: &Path, content: &[u8]) -> Result<()> {
    atomic_write(path, |out| {
        let io = |source| cokernel::Error::Io { path: path.to_path_buf(), source };
        out.write_all(content).map_err(io)
    })?;
    Ok(())
}

/// A JSON value as an indented file.
pub fn write_json(path: &Path, value: &serde_json::Value) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    write(path, text.as_bytes())
}

/// A path in JSON, which holds text only: what is not UTF-8 in it becomes �.
pub fn in_json(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Makes the folder of results, in a folder that exists.
pub fn folder(path: &Path) -> Result<()> {
    match std::fs::create_dir(path) {
        Err(_) if path.is_dir() => Ok(()),
        Err(e) => Err(misuse(format!("cannot make the folder {}: {e}", path.display()))),
        Ok(()) => Ok(()),
    }
}

/// The folder of an output file exists: said before the work, not after.
pub fn check_place(path: &Path) -> Result<()> {
    if path.is_dir() {
        let path = path.display();
        return Err(misuse(format!("cannot write {path}: it is a folder; name a file")));
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => Err(misuse(format!(
            "cannot write {}: there is no folder {}",
            path.display(),
            folder.display()
        ))),
        _ if path.exists() && !path.is_file() => Ok(()),
        folder => writable(folder.unwrap_or(Path::new(".")))
            .map_err(|e| misuse(format!("cannot write {}: {e}", path.display()))),
    }
}

/// Whether a file can be made in this folder: tried, and the file removed.
fn writable(folder: &Path) -> std::io::Result<()> {
    let trial = folder.join(format!(".cokernel-{}.tmp", std::process::id()));
    std::fs::OpenOptions::new().write(true).create_new(true).open(&trial)?;
    std::fs::remove_file(&trial)
}

/// An output file is none of those that are read: they would be lost.
pub fn not_an_input<'a>(path: &Path, inputs: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    let Ok(target) = std::fs::canonicalize(path) else { return Ok(()) };
    let same = |input: &&Path| std::fs::canonicalize(input).is_ok_and(|i| i == target);
    match inputs.into_iter().find(same).filter(|_| target.is_file()) {
        Some(_) => Err(misuse(format!(
            "cannot write {}: it is one of the files to read; name another file",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// Whether CSV tables are meant for spreadsheets; said once, at the start of the program.
static FOR_SPREADSHEETS: AtomicBool = AtomicBool::new(false);

/// From here on no cell of a CSV table is a formula of a spreadsheet.
pub fn for_spreadsheets() {
    FOR_SPREADSHEETS.store(true, Ordering::Relaxed);
}

/// One CSV line, ended by a line break; fields are quoted where needed.
pub fn csv_line<S: AsRef<str>>(fields: impl IntoIterator<Item = S>) -> String {
    line_of(fields, FOR_SPREADSHEETS.load(Ordering::Relaxed))
}

fn line_of<S: AsRef<str>>(fields: impl IntoIterator<Item = S>, spreadsheet: bool) -> String {
    let quoted = |text: &str| {
        let text = if spreadsheet { defused(text) } else { text.into() };
        match text.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.into_owned(),
        }
    };
    let fields: Vec<String> = fields.into_iter().map(|f| quoted(f.as_ref())).collect();
    fields.join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_checked_first() {
        let dir = tempfile::tempdir().unwrap();
        let e = check_place(&dir.path().join("no/b.csv")).unwrap_err();
        assert!(e.to_string().contains("there is no folder"), "{e}");
        assert!(check_place(dir.path()).unwrap_err().to_string().contains("is a folder"));
        assert!(check_place(&dir.path().join("b.csv")).is_ok());
        assert!(check_place(Path::new("b.csv")).is_ok());
    }

    #[test]
    fn fields_are_quoted_when_needed() {
        assert_eq!(csv_line(["a,b", "say \"x\"", "plain"]), "\"a,b\",\"say \"\"x\"\"\",plain\n");
        assert_eq!(line_of(["=a,b", "-1e3", "=c"], true), "\"'=a,b\",-1e3,'=c\n");
        assert_eq!(line_of(["=a"], false), "=a\n");
    }
}
