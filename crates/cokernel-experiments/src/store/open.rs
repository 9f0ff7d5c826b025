//! Making and opening a store. What is no store, or is damaged, is reported and left as it is.

use super::trouble::{self, DAMAGED, explained, read_only};
use super::{Store, digest};
use crate::misuse::misuse;
use crate::system::process_start;
use crate::{Cell, Experiment, Specification, place_of};
use anyhow::{Context, Result, anyhow};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `CKNL`: marks the file as ours.
const APPLICATION: i32 = 0x434b_4e4c;

/// Raised when the tables change in a way that an older program does not understand. Format 1 is
/// read, and brought to this one.
const FORMAT: i32 = 2;
const OLD_FORMAT: i32 = 1;

/// How long a transaction waits for that of another process.
const PATIENCE: Duration = Duration::from_secs(60);

/// Files that SQLite makes beside another one, and that one itself.
const ENDINGS: [&str; 4] = ["", "-wal", "-shm", "-journal"];

const TABLES: &str = "
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE places (position INTEGER PRIMARY KEY, cell TEXT NOT NULL);
CREATE TABLE workers (
    token TEXT PRIMARY KEY, system TEXT, pid INTEGER NOT NULL, began INTEGER,
    seen INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE cells (
    id TEXT PRIMARY KEY, position INTEGER NOT NULL, near TEXT NOT NULL, label TEXT NOT NULL,
    decided_by TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'refused')),
    worker TEXT, claims INTEGER NOT NULL DEFAULT 0, error TEXT,
    lost INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX cells_by_state ON cells (state, near, position);
CREATE TABLE results (
    cell TEXT PRIMARY KEY, seed INTEGER NOT NULL, version TEXT NOT NULL,
    decided_by TEXT NOT NULL, scores TEXT NOT NULL, weights TEXT NOT NULL, trace TEXT NOT NULL,
    result TEXT NOT NULL, checksum TEXT NOT NULL,
    seconds REAL NOT NULL, peak_memory INTEGER, finished INTEGER NOT NULL
) WITHOUT ROWID;
";

impl Store {
    /// Opens the store of an experiment, or makes it. Another specification than that of the store
    /// is refused, unless it is to replace the old one; then cells that are the same keep their
    /// results, and no others. Rows that are not as they were written are written anew, and what
    /// that was is told beside the store.
    pub fn prepare(
        path: &Path,
        spec: &Specification,
        plan: &Experiment,
        cells: &[Cell],
        seed: u64,
        update: bool,
    ) -> Result<(Self, Vec<String>)> {
        clear_leftovers(path);
        let spec = &spec.self_contained()?;
        if !path.exists() {
            create(path, spec, plan, cells, seed)?;
        }
        check(path)?;
        let mut store = connect(path)?;
        store.upgrade(FORMAT)?;
        let about = store.about();
        let (wanted, placed) = (digest_of(cells), store.placed()?);
        let same = placed == wanted || about.as_ref().is_ok_and(|a| a.cells == wanted);
        if !same && !update {
            return Err(match about {
                Err(e) => e,
                Ok(about) => misuse(format!(
                    "store {} holds results of another specification: {}. Name another file with \
                     --store; or --update it: cells that are still the same keep their results",
                    path.display(),
                    difference(&about, spec, seed)
                )),
            });
        }
        let mut told = Vec::new();
        let sound = placed == wanted && about.is_ok() && store.names_are_sound()?;
        if same && !sound {
            let what = "some of what the store says about its cells was not as it was written";
            told.push(format!("{what}; it is written anew"));
        }
        if !sound || about.is_ok_and(|a| a.specification.text != spec.text) {
            store.put(spec, plan, cells, seed)?;
        }
        let again = store.heal()?;
        for cell in cells.iter().filter(|c| again.contains(&c.id)) {
            let name = place_of(plan, cell);
            let what = "the result was not as it was written; it is computed again";
            told.push(format!("{name}: {what}"));
        }
        Ok((store, told))
    }

    /// Opens a store that is there, to read it.
    pub fn open(path: &Path) -> Result<Self> {
        if !path.is_file() {
            return Err(misuse(format!("there is no store {}", path.display())));
        }
        let format = check(path)?;
        if format == OLD_FORMAT {
            connect(path)?.upgrade(FORMAT)?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let connection = reader(path, flags).map_err(|e| explained(path, e))?;
        Ok(Store { path: path.to_path_buf(), connection, part: false })
    }

    /// As [`open`](Self::open), for a worker of a store that was just checked: the cells must be
    /// these.
    pub fn join(path: &Path, cells: &[Cell]) -> Result<Self> {
        let store = connect(path)?;
        match store.placed()? == digest_of(cells) {
            true => Ok(store),
            false => Err(misuse(format!(
                "store {}: the specification or its data changed while it was run",
                path.display()
            ))),
        }
    }
}

fn digest_of(cells: &[Cell]) -> String {
    digest(cells.iter().map(|c| c.id.as_str()))
}

/// Where a store is made, beside its place.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.new", std::process::id()))
}

/// Removes what processes left behind that were killed while they made this store.
fn clear_leftovers(path: &Path) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Where the system does not tell which processes run, nothing is known to be left behind.
    if process_start(std::process::id()).is_none() {
        return;
    }
    let begin = format!(".{name}.");
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let rest = file.to_str().and_then(|f| f.strip_prefix(&begin));
        let Some((pid, ending)) = rest.and_then(|r| r.split_once('.')) else { continue };
        let dead = pid.parse().is_ok_and(|pid| process_start(pid).is_none());
        if dead && ENDINGS.iter().any(|e| ending.strip_prefix("new") == Some(e)) {
            // What cannot be removed harms nobody.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Makes a store beside its place, and puts it there when it is whole. If another process was
/// faster, its store stays.
fn create(
    path: &Path,
    spec: &Specification,
    plan: &Experiment,
    cells: &[Cell],
    seed: u64,
) -> Result<()> {
    let beside = beside(path);
    let made = || -> Result<()> {
        let connection = Connection::open(&beside)?;
        // Without a log beside it the file is whole when the transaction is; what a killed process
        // leaves is never opened.
        connection.pragma_update(None, "journal_mode", "MEMORY")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        let mut store = Store { path: path.to_path_buf(), connection, part: false };
        store.transaction(|t| {
            t.execute_batch(TABLES)?;
            t.pragma_update(None, "application_id", APPLICATION)?;
            t.pragma_update(None, "user_version", FORMAT)?;
            Ok(())
        })?;
        store.put(spec, plan, cells, seed)?;
        let Store { connection, .. } = store;
        connection.close().map_err(|(_, e)| e)?;
        check(&beside)?;
        match std::fs::hard_link(&beside, path) {
            // Not every file system has links; a rename could replace a store made just now.
            Err(_) if !path.exists() => Ok(std::fs::rename(&beside, path)?),
            _ => Ok(()),
        }
    };
    let done = made().map_err(|e| trouble::of_work(path, e));
    for ending in ENDINGS {
        let mut file = beside.clone().into_os_string();
        file.push(ending);
        // Most of them are not there.
        let _ = std::fs::remove_file(file);
    }
    done.with_context(|| format!("cannot make the store {}", path.display()))
}

fn difference(about: &super::About, spec: &Specification, seed: u64) -> String {
    if about.version != cokernel::VERSION {
        return format!("they are of version {}, this is {}", about.version, cokernel::VERSION);
    }
    if about.seed != seed {
        return format!("they have seed {}, not {seed}", about.seed);
    }
    let (old, new) = (about.specification.text.lines(), spec.text.lines());
    match old.clone().zip(new.clone()).position(|(a, b)| a != b) {
        Some(line) => format!("line {} of {} differs", line + 1, spec.place),
        None if old.count() != new.count() => format!("{} has another length", spec.place),
        None => "the data differ".to_string(),
    }
}

fn connect(path: &Path) -> Result<Store> {
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(connection)
    };
    match open() {
        Ok(connection) => Ok(Store { path: path.to_path_buf(), connection, part: false }),
        Err(e) if cannot_be_written(&e) => Err(read_only(path)),
        Err(e) => Err(explained(path, e)),
    }
}

/// A connection to read with; also where nothing can be written, as on a read-only disk: there the
/// file is taken as it is, if it has no log beside it that would have to be read, too.
fn reader(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let open = |connection: Connection| -> rusqlite::Result<Connection> {
        connection.busy_timeout(PATIENCE)?;
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
        Ok(connection)
    };
    let mut log = path.as_os_str().to_os_string();
    log.push("-wal");
    let logged = std::fs::metadata(log).is_ok_and(|m| m.len() > 0);
    match Connection::open_with_flags(path, flags).and_then(open) {
        Err(e) if cannot_be_written(&e) && !logged => {
            let Some(text) = path.to_str() else { return Err(e) };
            let text = text.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            let uri = format!("file:{text}?immutable=1");
            Connection::open_with_flags(uri, flags).and_then(open)
        }
        done => done,
    }
}

/// Whether the error is that a log cannot be made beside the file.
fn cannot_be_written(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen))
}

/// Looks whether a file is a store and undamaged, without writing to it; its format.
fn check(path: &Path) -> Result<i32> {
    let place = path.display();
    let mut head = [0_u8; 16];
    let read = std::fs::File::open(path).and_then(|mut f| f.read_exact(&mut head));
    match read {
        Err(e) if e.kind() != std::io::ErrorKind::UnexpectedEof => {
            return Err(anyhow!(e).context(format!("cannot read the store {place}")));
        }
        Ok(()) if &head == b"SQLite format 3\0" => {}
        _ => {
            return Err(misuse(format!(
                "{place} is no store (or its beginning is damaged); it is left as it is: name \
                 another file with --store"
            )));
        }
    }
    let look = || -> rusqlite::Result<(i32, i32, String)> {
        let connection = reader(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let number = |key| connection.pragma_query_value(None, key, |r| r.get(0));
        let checked = connection.query_row("PRAGMA integrity_check(1)", [], |r| r.get(0))?;
        Ok((number("application_id")?, number("user_version")?, checked))
    };
    match look() {
        Err(e) if cannot_be_written(&e) => Err(anyhow!(
            "store {place} cannot be opened ({e}): nothing can be written in its folder, and the \
             log beside it ({place}-wal) would have to be read; copy both to another folder"
        )),
        Err(e) => Err(explained(path, e)),
        Ok((_, _, said)) if said != "ok" => {
            Err(anyhow!("store {place} ({}): {DAMAGED}", said.replace('\n', "; ")))
        }
        Ok((application, _, _)) if application != APPLICATION => {
            Err(misuse(format!("{place} is a database of another program")))
        }
        Ok((_, format, _)) if ![FORMAT, OLD_FORMAT].contains(&format) => Err(misuse(format!(
            "store {place} has format {format}; this program reads and writes format {FORMAT}"
        ))),
        Ok((_, format, _)) => Ok(format),
    }
}
