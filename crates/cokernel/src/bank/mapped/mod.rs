//! [`Mapped`]: the tiles of a bank in a file.
//!
//! A file is named by what it is made of, the digest of data, kernels, precision and version, so that folds,
//! methods and programs that need the same kernels share one, and others get one of their own. It holds
//!
//! | part | bytes |
//! |---|---|
//! | head | 4,096: what the file is and what it was made of |
//! | table | 8 for each piece: whether it is there, and its CRC-32; rounded up to 4,096 |
//! | tiles | numbers as they lie in memory, tile by tile |
//!
//! A piece is what is read at once: the part of one kernel where few kernels lie one after the other in a tile, else
//! the tile ([`Strides::stored`]). A tile is written before its entry of the table is, and the same tile always has
//! the same bytes, so a killed run leaves nothing that is wrong, several programs may write one file without waiting
//! for each other, and each goes on from what the others have.
//!
//! Tiles are read where they are needed (positioned reads, cached by the system) and checked each time. One that
//! cannot be read, or whose bytes changed meanwhile, is computed again from the features: the file makes a bank
//! quick, never wrong. That is also why it is not mapped into the address space, where a file that others change or
//! truncate ends the program.

mod build;
mod digest;
pub(crate) mod place;
mod reads;

pub(super) use digest::Source;
pub(crate) use digest::{add_bytes, add_text, add_view};

use super::engine::Engine;
use super::layout::{Layout, Strides};
use super::storage::Storage;
use bytemuck::Pod;
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes before the table.
const HEAD: usize = 4_096;
/// Bytes of an entry of the table.
const ENTRY: usize = 8;
/// Set in an entry whose piece is there; below it is the checksum.
const THERE: u64 = 1 << 32;

/// What a file has room for.
#[derive(Debug, Clone, Copy)]
struct Shape {
    layout: Layout,
    kernels: usize,
    single: bool,
}

impl Shape {
    fn strides(&self) -> Strides {
        Strides::stored(self.layout.b, self.kernels)
    }

    /// Numbers of a tile.
    fn numbers(&self) -> usize {
        self.layout.b * self.layout.b * self.kernels
    }

    /// Pieces of a tile.
    fn pieces(&self) -> usize {
        let one = self.layout.b * self.layout.b;
        if self.strides().kernel == one { self.kernels } else { 1 }
    }

    /// Numbers of a piece.
    fn piece(&self) -> usize {
        self.numbers() / self.pieces()
    }

    /// Bytes of a number.
    fn width(&self) -> usize {
        if self.single { size_of::<f32>() } else { size_of::<f64>() }
    }

    /// Where the entry of a tile's first piece lies.
    fn entry(&self, tile: usize) -> u64 {
        (HEAD + tile * self.pieces() * ENTRY) as u64
    }

    /// Where a piece lies.
    fn at(&self, tile: usize, piece: usize) -> u64 {
        let table = (self.layout.tiles() * self.pieces() * ENTRY).next_multiple_of(HEAD);
        (HEAD + table) as u64
            + (tile * self.numbers() + piece * self.piece()) as u64 * self.width() as u64
    }

    /// Bytes of all tiles.
    fn bytes(&self) -> usize {
        self.layout.stored(self.kernels).saturating_mul(self.width())
    }
}

/// Computes tiles from features.
#[derive(Debug)]
struct Maker {
    engine: Engine,
    /// Place of each kernel in a tile.
    slots: Vec<Option<usize>>,
    shape: Shape,
}

impl Maker {
    fn tile(&self, tile: usize, measures: &mut Vec<f64>, out: &mut Vec<f64>) {
        // What lies beyond the last row and column is 0, so that the same tile has the same bytes.
        out.clear();
        out.resize(self.shape.numbers(), 0.0);
        let Shape { layout, .. } = self.shape;
        self.engine.tile(&self.slots, layout, tile, self.shape.strides(), measures, out);
    }
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(super) struct Room {
    full: Vec<f64>,
    half: Vec<f32>,
    measures: Vec<f64>,
    /// The file, of this thread alone: the system reads ahead of each.
    file: Option<File>,
}

/// The numbers of a tile.
#[derive(Debug, Clone, Copy)]
pub(super) enum Held<'a> {
    Full(&'a [f64]),
    Half(&'a [f32]),
    /// None is kept.
    Nothing,
}

/// A tile that is kept for a while.
#[derive(Debug)]
pub(super) enum Whole {
    Full(Vec<f64>),
    Half(Vec<f32>),
}

impl Whole {
    /// The number at this place of the tile.
    #[inline]
    pub(super) fn get(&self, at: usize) -> f64 {
        match self {
            Whole::Full(values) => values[at],
            Whole::Half(values) => f64::from(values[at]),
        }
    }
}

/// The tiles that were read last for single rows and pairs.
#[derive(Debug, Default)]
struct Cache {
    tiles: HashMap<usize, Arc<Whole>>,
    order: VecDeque<usize>,
}

/// A complete file of tiles.
#[derive(Debug)]
pub(super) struct Mapped {
    directory: PathBuf,
    path: PathBuf,
    file: File,
    shape: Shape,
    /// The checksums of all pieces.
    sums: Vec<u32>,
    maker: Maker,
    cache: Mutex<Cache>,
    /// Whether the last pass went backwards.
    backwards: AtomicBool,
    /// Bytes that the run may keep in memory.
    pub(super) memory: usize,
}

impl Mapped {
    /// The storage by which it was made.
    pub(super) fn storage(&self) -> Storage {
        let directory = self.directory.clone();
        if self.is_single() { Storage::MappedF32(directory) } else { Storage::Mapped(directory) }
    }

    /// Buffers of a thread that reads many tiles.
    pub(super) fn room(&self) -> Room {
        Room { file: File::open(&self.path).ok(), ..Room::default() }
    }

    /// The direction of a pass that begins now: the other one each time.
    pub(super) fn turn(&self) -> bool {
        !self.backwards.fetch_xor(true, Ordering::Relaxed)
    }

    /// Whether numbers have 4 bytes.
    pub(super) fn is_single(&self) -> bool {
        self.shape.single
    }

    /// Reads what these places (kernels) have of a tile; the rest of the numbers has no meaning.
    pub(super) fn read<'a>(
        &self,
        tile: usize,
        places: impl Iterator<Item = usize> + Clone,
        room: &'a mut Room,
    ) -> Held<'a> {
        let numbers = self.shape.numbers();
        if !self.is_single() {
            room.full.resize(numbers, 0.0);
            let file = room.file.as_ref().unwrap_or(&self.file);
            if !self.read_pieces(file, tile, places, &mut room.full) {
                self.maker.tile(tile, &mut room.measures, &mut room.full);
            }
            return Held::Full(&room.full);
        }
        room.half.resize(numbers, 0.0);
        let file = room.file.as_ref().unwrap_or(&self.file);
        if !self.read_pieces(file, tile, places, &mut room.half) {
            self.maker.tile(tile, &mut room.measures, &mut room.full);
            narrow(&room.full, &mut room.half);
        }
        Held::Half(&room.half)
    }

    /// A whole tile, kept for the next rows and pairs that need it.
    pub(super) fn kept(&self, tile: usize) -> Arc<Whole> {
        let lock = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(whole) = lock().tiles.get(&tile) {
            return Arc::clone(whole);
        }
        let mut room = Room::default();
        self.read(tile, 0..self.shape.kernels, &mut room);
        let whole = Arc::new(match self.is_single() {
            true => Whole::Half(room.half),
            false => Whole::Full(room.full),
        });
        // A quarter of the memory, and enough for some rows of every thread.
        let most = (self.memory / 4 / (self.shape.numbers() * self.shape.width())).max(64);
        let mut cache = lock();
        if cache.tiles.insert(tile, Arc::clone(&whole)).is_none() {
            cache.order.push_back(tile);
        }
        while cache.order.len() > most {
            if let Some(oldest) = cache.order.pop_front() {
                cache.tiles.remove(&oldest);
            }
        }
        whole
    }

    /// Whether these places of a tile could be read and are what was written.
    fn read_pieces<T: Pod>(
        &self,
        file: &File,
        tile: usize,
        places: impl Iterator<Item = usize> + Clone,
        out: &mut [T],
    ) -> bool {
        let pieces = self.shape.pieces();
        (0..pieces).all(|p| {
            if pieces > 1 && !places.clone().any(|place| place == p) {
                return true;
            }
            let bytes =
                bytemuck::cast_slice_mut(&mut out[p * self.shape.piece()..][..self.shape.piece()]);
            place::read(file, bytes, self.shape.at(tile, p)).is_ok()
                && crc32fast::hash(bytes) == self.sums[tile * pieces + p]
        })
    }
}

/// Rounds to 4 bytes.
fn narrow(values: &[f64], out: &mut Vec<f32>) {
    out.clear();
    out.extend(values.iter().map(|v| *v as f32));
}
