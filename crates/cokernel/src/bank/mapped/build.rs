//! Making a file of tiles, or what is missing of one.

use super::digest::Source;
use super::{ENTRY, HEAD, Maker, Mapped, Room, Shape, THERE, narrow, place};
use crate::bank::engine::Engine;
use crate::bank::layout::Layout;
use crate::run::Pass;
use crate::{Error, Result};
use rayon::prelude::*;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

/// What files of other formats, versions and byte orders differ in.
#[cfg(target_endian = "little")]
pub(super) const VERSION: &str =
    concat!("cokernel grams 1, version ", env!("CARGO_PKG_VERSION"), ", little endian");
#[cfg(target_endian = "big")]
pub(super) const VERSION: &str =
    concat!("cokernel grams 1, version ", env!("CARGO_PKG_VERSION"), ", big endian");

/// Damaged tiles that are named.
const NAMED: usize = 5;

/// A file that is made.
struct Building<'a> {
    path: PathBuf,
    file: File,
    /// Whether it may be written.
    writable: bool,
    maker: &'a Maker,
    /// The entries of the table as they were at first.
    table: Vec<u64>,
    /// Why nothing more can be written.
    failure: OnceLock<io::Error>,
}

/// What became of a tile.
enum Outcome {
    /// It was there.
    Found(Vec<u32>),
    /// It was not, or was not what had been written.
    Made { sums: Vec<u32>, damaged: bool },
    /// It was left out.
    Skipped,
}

impl Mapped {
    /// The tiles of these kernels in a file of this directory, made as far as they are not there already, and what a
    /// user should read about it. Nothing of it is to be used if the pass is given up.
    ///
    /// # Errors
    /// The directory cannot be written or has no room, a file of that name holds something else.
    pub(in crate::bank) fn open(
        directory: &Path,
        single: bool,
        source: Source<'_>,
        (engine, slots, kernels): (Engine, Vec<Option<usize>>, usize),
        memory: usize,
        pass: &Pass<'_>,
    ) -> Result<(Self, Vec<String>)> {
        let shape = Shape { layout: Layout::new(engine.n), kernels, single };
        let maker = Maker { engine, slots, shape };
        let digest = source.digest(&shape)?;
        let path = directory.join(format!("{}.grams", &digest[..16]));
        std::fs::create_dir_all(directory).map_err(|e| at(directory, e))?;
        let (file, writable) = open_to_write(&path).map_err(|e| at(&path, e))?;
        let (table, failure) = (Vec::new(), OnceLock::new());
        let short = file.metadata().map(|m| m.len()).map_err(|e| at(&path, e))?;
        let mut building = Building { path, file, writable, maker: &maker, table, failure };
        building.check_head(&head(&shape, &digest))?;
        building.read_table()?;
        let tiles = shape.layout.tiles();
        // Programs that go on with the same file begin at different tiles.
        let first = std::process::id() as usize * 7_919 % tiles;
        let order =
            |t: usize| if building.table.iter().all(|e| *e == 0) { t } else { (t + first) % tiles };
        let outcomes: Vec<(usize, Outcome)> = (0..tiles)
            .into_par_iter()
            .map_init(Room::default, |room, t| {
                let tile = order(t);
                match building.failure.get().is_some() || pass.is_over() {
                    true => (tile, Outcome::Skipped),
                    false => (tile, building.tile(tile, room)),
                }
            })
            .collect();
        if let Some(why) = building.failure.get() {
            return Err(building.full(why, &outcomes));
        }
        let mut notes = building.notes(&outcomes);
        if (1..=HEAD as u64).contains(&short) {
            notes.push(format!(
                "kernels in {}: of the file there were only {short} bytes and no tile, because a run was killed as it \
                 began or the file was cut; all tiles were computed again",
                building.path.display()
            ));
        }
        let mut sums = vec![0; tiles * shape.pieces()];
        for (tile, outcome) in &outcomes {
            if let Outcome::Found(own) | Outcome::Made { sums: own, .. } = outcome {
                sums[tile * shape.pieces()..][..own.len()].copy_from_slice(own);
            }
        }
        let file = File::open(&building.path).map_err(|e| at(&building.path, e))?;
        let directory = directory.to_path_buf();
        let (cache, backwards) = (std::sync::Mutex::default(), AtomicBool::new(false));
        let path = building.path;
        let mapped = Mapped { directory, path, file, shape, sums, maker, cache, backwards, memory };
        Ok((mapped, notes))
    }
}

impl Building<'_> {
    /// Writes the head of a new file; refuses a file of something else.
    fn check_head(&self, head: &[u8]) -> Result<()> {
        let io = |e| at(&self.path, e);
        let length = usize::try_from(self.file.metadata().map_err(io)?.len()).unwrap_or(usize::MAX);
        let mut found = vec![0; length.min(HEAD)];
        place::read(&self.file, &mut found, 0).map_err(io)?;
        if found == head {
            return Ok(());
        }
        // One that was killed while it wrote its first bytes.
        if length < HEAD && head.starts_with(&found) {
            return self.write(head, 0).map_err(|e| self.full(&e, &[]));
        }
        let mine = String::from_utf8_lossy(&found);
        let of = mine.lines().next().unwrap_or_default();
        let problem = match of {
            VERSION => "it was made of other data or kernels than its name says".to_string(),
            of if of.starts_with("cokernel grams ") && !of.contains('\u{fffd}') => {
                format!("it is of {of}; this is {VERSION}")
            }
            _ => "it is no file of kernels, or its head is damaged".to_string(),
        };
        let path = self.path.clone();
        let problem =
            format!("{problem}; remove it, or choose another directory for storage mapped");
        Err(Error::Parse { path, line: 0, column: 0, problem })
    }

    /// The entries of all pieces; those that a short file does not have are 0.
    fn read_table(&mut self) -> Result<()> {
        let shape = self.maker.shape;
        let wanted = shape.layout.tiles() * shape.pieces() * ENTRY;
        let length = self.file.metadata().map_err(|e| at(&self.path, e))?.len();
        let there = usize::try_from(length).unwrap_or(usize::MAX).saturating_sub(HEAD).min(wanted);
        let mut bytes = vec![0; wanted];
        place::read(&self.file, &mut bytes[..there], HEAD as u64).map_err(|e| at(&self.path, e))?;
        self.table = entries(&bytes);
        Ok(())
    }

    /// Checks a tile that is there, and computes and writes it otherwise.
    fn tile(&self, tile: usize, room: &mut Room) -> Outcome {
        let pieces = self.maker.shape.pieces();
        let mut table = self.table[tile * pieces..(tile + 1) * pieces].to_vec();
        if table.contains(&0) {
            // Another program may have made it meanwhile.
            let mut bytes = vec![0; pieces * ENTRY];
            if place::read(&self.file, &mut bytes, self.maker.shape.entry(tile)).is_ok() {
                table = entries(&bytes);
            }
        }
        let marked = table.iter().all(|e| e & THERE != 0);
        let sums: Vec<u32> = table.iter().map(|e| *e as u32).collect();
        if marked && self.is_whole(tile, &sums, room) {
            return Outcome::Found(sums);
        }
        match self.make(tile, room) {
            Ok(sums) => Outcome::Made { sums, damaged: marked },
            Err(e) => {
                let _ = self.failure.set(e);
                Outcome::Skipped
            }
        }
    }

    fn is_whole(&self, tile: usize, sums: &[u32], room: &mut Room) -> bool {
        let shape = self.maker.shape;
        room.half.resize(shape.piece() * shape.width() / size_of::<f32>(), 0.0);
        let bytes = bytemuck::cast_slice_mut(&mut room.half);
        sums.iter().enumerate().all(|(p, sum)| {
            place::read(&self.file, bytes, shape.at(tile, p)).is_ok()
                && crc32fast::hash(bytes) == *sum
        })
    }

    /// Computes and writes a tile, then its entries.
    fn make(&self, tile: usize, room: &mut Room) -> io::Result<Vec<u32>> {
        let shape = self.maker.shape;
        self.maker.tile(tile, &mut room.measures, &mut room.full);
        let bytes: &[u8] = match shape.single {
            true => {
                narrow(&room.full, &mut room.half);
                bytemuck::cast_slice(&room.half)
            }
            false => bytemuck::cast_slice(&room.full),
        };
        self.write(bytes, shape.at(tile, 0))?;
        let sums: Vec<u32> =
            bytes.chunks(shape.piece() * shape.width()).map(crc32fast::hash).collect();
        let table: Vec<u8> =
            sums.iter().flat_map(|s| (THERE | u64::from(*s)).to_le_bytes()).collect();
        self.write(&table, shape.entry(tile))?;
        Ok(sums)
    }

    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        match self.writable {
            true => place::write(&self.file, bytes, at),
            false => Err(ErrorKind::PermissionDenied.into()),
        }
    }

    /// What a user should read of a file that was not just made or read.
    fn notes(&self, outcomes: &[(usize, Outcome)]) -> Vec<String> {
        let path = self.path.display();
        let count = |of: fn(&Outcome) -> bool| outcomes.iter().filter(|(_, o)| of(o)).count();
        let found = count(|o| matches!(o, Outcome::Found(_)));
        let made = count(|o| matches!(o, Outcome::Made { damaged: false, .. }));
        let mut notes = Vec::new();
        if found > 0 && made > 0 {
            let all = outcomes.len();
            notes.push(format!(
                "kernels in {path}: {found} of {all} tiles were there, the others were added"
            ));
        }
        let damaged = |(tile, o): &(usize, Outcome)| match o {
            Outcome::Made { damaged: true, .. } => Some(*tile),
            _ => None,
        };
        let mut damaged: Vec<usize> = outcomes.iter().filter_map(damaged).collect();
        damaged.sort_unstable();
        if !damaged.is_empty() {
            let layout = self.maker.shape.layout;
            let range = |block: usize| {
                let (start, count) = layout.span(block);
                format!("{start} to {}", start + count - 1)
            };
            let one = |tile: &usize| {
                let (i, j) = layout.place(*tile);
                format!("tile {tile} (rows {}, columns {})", range(i), range(j))
            };
            let mut names: Vec<String> = damaged.iter().take(NAMED).map(one).collect();
            if damaged.len() > NAMED {
                names.push(format!("{} more", damaged.len() - NAMED));
            }
            let verb = if damaged.len() == 1 { "was" } else { "were" };
            let names = names.join(", ");
            notes.push(format!(
                "kernels in {path}: {names} {verb} damaged and {verb} computed again"
            ));
        }
        notes
    }

    /// Why the file could not be written, and what becomes of it.
    fn full(&self, why: &io::Error, outcomes: &[(usize, Outcome)]) -> Error {
        let shape = self.maker.shape;
        let (path, n, kernels) = (self.path.display(), shape.layout.n, shape.kernels);
        let kept = outcomes.iter().filter(|(_, o)| !matches!(o, Outcome::Skipped)).count();
        let all = shape.layout.tiles();
        let bytes = shape.bytes() as f64;
        let (takes, there) = (bytes / 1e9, bytes / 1e9 * kept as f64 / all as f64);
        let help = match why.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                "the directory must be one that may be written, or hold all tiles"
            }
            _ if shape.single => "make room, or choose another directory",
            _ => "make room, choose another directory, or keep half of it (storage mapped_f32)",
        };
        Error::Data(format!(
            "{path}: {why}; {kernels} kernels over {n} instances take {takes:.3} GB there, of which {there:.3} GB are \
             written and stay: the same command goes on from there ({help})"
        ))
    }
}

/// A file to read, and whether it may be written: complete files of others can be read.
fn open_to_write(path: &Path) -> io::Result<(File, bool)> {
    match OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path) {
        Ok(file) => Ok((file, true)),
        Err(e)
            if matches!(e.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) =>
        {
            File::open(path).map(|file| (file, false)).map_err(|_| e)
        }
        Err(e) => Err(e),
    }
}

fn at(path: &Path, source: io::Error) -> Error {
    Error::Io { path: path.to_path_buf(), source }
}

fn entries(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<ENTRY>().0.iter().map(|b| u64::from_le_bytes(*b)).collect()
}

/// The first bytes of a file: text for people, then zeros.
fn head(shape: &Shape, digest: &str) -> Vec<u8> {
    let (n, kernels, side) = (shape.layout.n, shape.kernels, shape.layout.b);
    let width = 8 * shape.width();
    let mut head = format!(
        "{VERSION}\n{kernels} kernels over {n} instances in tiles of {side} x {side} numbers of {width} bits\n\
         SHA-256 of data and kernels: {digest}\n"
    )
    .into_bytes();
    head.resize(HEAD, 0);
    head
}
