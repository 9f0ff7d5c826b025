//! Making and opening a store. What is no store, or is damaged, is reported and left as it is.

use super::{Store, digest};
use crate::experiment::{Cell, Experiment, Specification};
use crate::misuse::misuse;
use anyhow::{Context, Result};
use rusqlite::{Connection, OpenFlags};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// `CKNL`: marks the file as ours.
const APPLICATION: i32 = 0x434b_4e4c;

/// Raised when the tables change in a way that an older program does not understand.
const FORMAT: i32 = 1;

/// How long a transaction waits for that of another process.
const PATIENCE: Duration = Duration::from_secs(60);

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
    worker TEXT, claims INTEGER NOT NULL DEFAULT 0, error TEXT
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
    /// results, and no others.
    pub fn prepare(
        path: &Path,
        spec: &Specification,
        plan: &Experiment,
        cells: &[Cell],
        seed: u64,
        update: bool,
    ) -> Result<Self> {
        if !path.exists() {
            create(path, spec, plan, cells, seed)?;
        }
        check(path)?;
        let mut store = connect(path)?;
        let about = store.about()?;
        let same = store.cells_digest()? == digest(cells);
        if !same && !update {
            return Err(misuse(format!(
                "store {} holds results of another specification: {}. Name another file with \
                 --store; or --update it: cells that are still the same keep their results",
                path.display(),
                difference(&about, spec, seed)
            )));
        }
        if !same || about.specification.text != spec.text {
            store.put(spec, plan, cells, seed)?;
        }
        Ok(store)
    }

    /// Opens a store that is there.
    pub fn open(path: &Path) -> Result<Self> {
        if !path.is_file() {
            return Err(misuse(format!("there is no store {}", path.display())));
        }
        check(path)?;
        connect(path)
    }

    /// As [`open`](Self::open), for a worker of a store that was just checked: the cells must be
    /// these.
    pub fn join(path: &Path, cells: &[Cell]) -> Result<Self> {
        let store = connect(path)?;
        match store.cells_digest()? == digest(cells) {
            true => Ok(store),
            false => Err(misuse(format!(
                "store {}: the specification or its data changed while it was run",
                path.display()
            ))),
        }
    }

    fn cells_digest(&self) -> Result<String> {
        let sql = "SELECT value FROM about WHERE key = 'cells'";
        self.told(self.connection.query_row(sql, [], |r| r.get(0)))
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
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let made = || -> Result<()> {
        let mut store = connect(&beside)?;
        store.transaction(|t| {
            t.execute_batch(TABLES)?;
            t.pragma_update(None, "application_id", APPLICATION)?;
            t.pragma_update(None, "user_version", FORMAT)?;
            Ok(())
        })?;
        store.put(spec, plan, cells, seed)?;
        let Store { connection, .. } = store;
        connection.close().map_err(|(_, e)| e)?;
        match std::fs::hard_link(&beside, path) {
            // Not every file system has links; a rename could replace a store made just now.
            Err(_) if !path.exists() => Ok(std::fs::rename(&beside, path)?),
            _ => Ok(()),
        }
    };
    let done = made().with_context(|| format!("cannot make the store {}", path.display()));
    for ending in ["", "-wal", "-shm", "-journal"] {
        let mut file = beside.clone().into_os_string();
        file.push(ending);
        // Most of them are not there.
        let _ = std::fs::remove_file(file);
    }
    done
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
    let connection = open().with_context(|| format!("cannot open the store {}", path.display()))?;
    Ok(Store { path: path.to_path_buf(), connection })
}

/// Looks whether a file is a store and undamaged, without writing to it.
fn check(path: &Path) -> Result<()> {
    let place = path.display();
    let mut head = [0_u8; 16];
    let read = std::fs::File::open(path).and_then(|mut f| f.read_exact(&mut head));
    if read.is_err() || &head != b"SQLite format 3\0" {
        return Err(misuse(format!(
            "{place} is no store (or its beginning is damaged); it is left as it is: name another \
             file with --store"
        )));
    }
    let look = || -> rusqlite::Result<(i32, i32, String)> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(PATIENCE)?;
        let number = |key| connection.pragma_query_value(None, key, |r| r.get(0));
        let checked = connection.query_row("PRAGMA integrity_check(1)", [], |r| r.get(0))?;
        Ok((number("application_id")?, number("user_version")?, checked))
    };
    let damaged = |how: String| {
        anyhow::anyhow!(
            "store {place} is damaged and is left as it is ({how}): restore it from a copy, or \
             name another file with --store"
        )
    };
    match look() {
        Err(e) => Err(damaged(e.to_string())),
        Ok((_, _, said)) if said != "ok" => Err(damaged(said.replace('\n', "; "))),
        Ok((application, _, _)) if application != APPLICATION => {
            Err(misuse(format!("{place} is a database of another program")))
        }
        Ok((_, format, _)) if format != FORMAT => Err(misuse(format!(
            "store {place} has format {format}; this program reads and writes format {FORMAT}"
        ))),
        Ok(_) => Ok(()),
    }
}
