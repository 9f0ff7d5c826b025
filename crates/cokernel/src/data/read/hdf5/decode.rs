//! The numbers of an HDF5 dataset.
//!
//! Contiguous data, and chunks that are plain, shuffled or deflated, are read here: side by side, a band of
//! chunks with the same first index each, straight into the type that is asked for. Chunks of other filters
//! that `hdf5-pure` knows (LZF, Fletcher32, scale-offset), data that was not written to the end, and what is
//! small are read by it as a whole and converted here.

use super::super::Room;
use super::file::{Dataset, Kind, Store};
use crate::bank::huge_pages;
use crate::data::scan;
use hdf5_pure::{Chunk, Layout};
use rayon::prelude::*;
use std::io::Read;
use std::ops::Range;

const DEFLATE: u16 = 1;
const SHUFFLE: u16 = 2;
/// Elements of contiguous data that are read at a time; they stay in the second-level cache until they are converted and looked at.
const BAND: usize = 1 << 16;

/// What numbers are read as: `f64`, `u32` or `usize`, every pattern of whose bits is a number.
pub(in super::super) trait Cell: Copy + Default + Send {
    /// Whether these bits are the number of this kind, if it is not negative.
    fn is(kind: Kind) -> bool;
    /// Whether all are finite, and none is negative where numbers with a sign were taken as they are.
    fn sound(all: &[Self], signed: bool) -> (bool, bool);
    fn signed(x: i64) -> Option<Self>;
    fn unsigned(x: u64) -> Option<Self>;
    fn real(x: f64) -> Option<Self>;
}

impl Cell for f64 {
    fn is(kind: Kind) -> bool {
        kind == Kind::Real(8)
    }

    fn sound(all: &[Self], _: bool) -> (bool, bool) {
        (scan(all).1, true)
    }

    fn signed(x: i64) -> Option<Self> {
        (x.unsigned_abs() <= 1 << 53).then_some(x as f64)
    }

    fn unsigned(x: u64) -> Option<Self> {
        (x <= 1 << 53).then_some(x as f64)
    }

    fn real(x: f64) -> Option<Self> {
        Some(x)
    }
}

impl Cell for u32 {
    fn is(kind: Kind) -> bool {
        matches!(kind, Kind::Signed(4) | Kind::Unsigned(4))
    }

    fn sound(all: &[Self], signed: bool) -> (bool, bool) {
        let most = all.iter().fold(0, |most, x| most | x);
        (true, !signed || i32::try_from(most).is_ok())
    }

    fn signed(x: i64) -> Option<Self> {
        x.try_into().ok()
    }

    fn unsigned(x: u64) -> Option<Self> {
        x.try_into().ok()
    }

    fn real(_: f64) -> Option<Self> {
        None
    }
}

impl Cell for usize {
    fn is(kind: Kind) -> bool {
        matches!(kind, Kind::Signed(w) | Kind::Unsigned(w) if w == size_of::<usize>())
    }

    fn sound(all: &[Self], signed: bool) -> (bool, bool) {
        let most = all.iter().fold(0, |most, x| most | x);
        (true, !signed || isize::try_from(most).is_ok())
    }

    fn signed(x: i64) -> Option<Self> {
        x.try_into().ok()
    }

    fn unsigned(x: u64) -> Option<Self> {
        x.try_into().ok()
    }

    fn real(_: f64) -> Option<Self> {
        None
    }
}

/// How bytes become numbers.
#[derive(Clone, Copy)]
struct Element {
    kind: Kind,
    big_endian: bool,
    width: usize,
}

impl Element {
    /// As many numbers as there is room for; `None` if one cannot be held.
    fn convert<T: Cell>(self, bytes: &[u8], out: &mut [T]) -> Option<()> {
        macro_rules! from {
            ($t:ty, $to:expr) => {{
                const WIDTH: usize = size_of::<$t>();
                // No way out of the loop, so that several are converted at a time.
                let mut held = true;
                for (raw, o) in bytes.as_chunks::<WIDTH>().0.iter().zip(out) {
                    let x = match self.big_endian {
                        true => <$t>::from_be_bytes(*raw),
                        false => <$t>::from_le_bytes(*raw),
                    };
                    let x = $to(x);
                    held &= x.is_some();
                    *o = x.unwrap_or_default();
                }
                held
            }};
        }
        let held = match (self.kind, self.width) {
            (Kind::Signed(_), 1) => from!(i8, |x: i8| T::signed(x.into())),
            (Kind::Signed(_), 2) => from!(i16, |x: i16| T::signed(x.into())),
            (Kind::Signed(_), 4) => from!(i32, |x: i32| T::signed(x.into())),
            (Kind::Signed(_), _) => from!(i64, T::signed),
            (Kind::Unsigned(_) | Kind::Bool, 1) => from!(u8, |x: u8| T::unsigned(x.into())),
            (Kind::Unsigned(_), 2) => from!(u16, |x: u16| T::unsigned(x.into())),
            (Kind::Unsigned(_), 4) => from!(u32, |x: u32| T::unsigned(x.into())),
            (Kind::Unsigned(_), _) => from!(u64, T::unsigned),
            (Kind::Real(_), 2) => from!(u16, |x: u16| T::real(half(x))),
            (Kind::Real(_), 4) => from!(f32, |x: f32| T::real(x.into())),
            (Kind::Real(_), _) => from!(f64, T::real),
            _ => false,
        };
        held.then_some(())
    }
}

/// A number of 16 bits.
fn half(bits: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => mantissa * 2_f64.powi(-24),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1024.0 + mantissa) * 2_f64.powi(e - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// The memory of numbers.
fn bytes_of<T: Cell>(all: &mut [T]) -> &mut [u8] {
    let length = size_of_val(all);
    // SAFETY: the same memory, and every pattern of bits is a number of these types.
    unsafe { std::slice::from_raw_parts_mut(all.as_mut_ptr().cast(), length) }
}

impl Dataset {
    /// All numbers, and whether they are finite.
    pub(in super::super) fn numbers_and_sound(
        &self,
        room: &mut Room,
    ) -> Result<(Vec<f64>, bool), String> {
        let rows = self.shape()?.first().copied().unwrap_or(1);
        self.read(0..rows, room)
    }

    /// All numbers, the last index running fastest.
    pub(in super::super) fn numbers<T: Cell>(&self, room: &mut Room) -> Result<Vec<T>, String> {
        let rows = self.shape()?.first().copied().unwrap_or(1);
        self.numbers_of(0..rows, room)
    }

    /// The numbers whose first index is one of these.
    pub(in super::super) fn numbers_of<T: Cell>(
        &self,
        rows: Range<usize>,
        room: &mut Room,
    ) -> Result<Vec<T>, String> {
        Ok(self.read(rows, room)?.0)
    }

    fn read<T: Cell>(&self, rows: Range<usize>, room: &mut Room) -> Result<(Vec<T>, bool), String> {
        let (kind, big_endian) = self.element()?;
        if !kind.is_number() {
            return Err(self.says(format!("expected numbers, found {}", kind.words())));
        }
        let width = match kind {
            Kind::Signed(w) | Kind::Unsigned(w) | Kind::Real(w) => w,
            _ => 1,
        };
        let element = Element { kind, big_endian, width };
        let mut shape = self.shape()?;
        if shape.is_empty() {
            shape = vec![1];
        }
        if rows.end > shape[0] {
            return Err(self.says(format!("row {} of {} is asked for", rows.end, shape[0])));
        }
        let all = self.elements(&shape)?;
        self.plausible(all, width)?;
        let across = if all == 0 { 0 } else { all / shape[0] };
        let length = rows.len() * across;
        let layout = self.inner.layout().map_err(|e| self.refused(e))?;
        let deflated = matches!(layout, Layout::Chunked { .. }) && !self.inner.filters().is_empty();
        // What is compressed may be far larger than the file.
        if deflated {
            room.take(length.saturating_mul(size_of::<T>())).map_err(|e| self.says(e))?;
        }
        let mut out = vec![T::default(); length];
        huge_pages(&out);
        if length == 0 {
            return Ok((out, true));
        }
        let finite = match layout {
            Layout::Contiguous { address: Some(address), size } if size == (all * width) as u64 => {
                let from = address.checked_add((rows.start * across * width) as u64);
                let from = from.ok_or_else(|| self.says("it begins beyond the end of the file"))?;
                contiguous(&self.store, from, element, &mut out)
            }
            Layout::Chunked { chunk_shape, .. } => match self.grid(&shape, &chunk_shape, width)? {
                Some(grid) => grid.read(&self.store, element, &rows, &mut out),
                None => self.as_a_whole(element, rows.start * across, all, &mut out),
            },
            _ => self.as_a_whole(element, rows.start * across, all, &mut out),
        };
        let finite = finite.map_err(|e| self.says(e))?;
        Ok((out, finite))
    }

    /// The chunks, if they are all there and in a form that is read here.
    fn grid(&self, shape: &[usize], chunk: &[u64], width: usize) -> Result<Option<Grid>, String> {
        let mut filters = Vec::new();
        for filter in self.inner.filter_pipeline() {
            match filter.id {
                DEFLATE => filters.push(DEFLATE),
                SHUFFLE => filters.push(SHUFFLE),
                3 | 6 | 32000 => return Ok(None),
                id => {
                    let name = filter.name.map_or(String::new(), |n| format!(" ({n})"));
                    return Err(self.says(format!(
                        "it is compressed by filter {id}{name}, which is not read; write it \
                         with gzip or without compression"
                    )));
                }
            }
        }
        let sizes: Option<Vec<usize>> = chunk.iter().map(|d| usize::try_from(*d).ok()).collect();
        let sizes = sizes.filter(|s| s.len() == shape.len() && !s.contains(&0));
        let Some(sizes) = sizes else { return Ok(None) };
        let bytes = sizes.iter().try_fold(width, |n, d| n.checked_mul(*d));
        let count =
            shape.iter().zip(&sizes).try_fold(1_usize, |n, (d, c)| n.checked_mul(d.div_ceil(*c)));
        let (Some(bytes), Some(count)) = (bytes, count) else { return Ok(None) };
        // An index that the library cannot list is read by it as a whole.
        let Ok(mut chunks) = self.inner.chunks() else { return Ok(None) };
        chunks.sort_unstable_by(|a, b| a.offset.cmp(&b.offset));
        let fits = |c: &Chunk| {
            let mut each = c.offset.iter().zip(shape).zip(&sizes);
            each.all(|((o, d), s)| *o < *d as u64 && o % *s as u64 == 0)
        };
        let whole = chunks.len() == count
            && chunks.iter().all(fits)
            && chunks.windows(2).all(|w| w[0].offset != w[1].offset);
        let stored = chunks.iter().try_fold(0_u64, |n, c| n.checked_add(c.storage_size));
        if !whole || stored.is_none_or(|s| s > self.store.length()) {
            return Ok(None);
        }
        // A chunk is unpacked as a whole; it may be larger than the array.
        if !filters.is_empty() {
            let most = chunks.iter().map(|c| c.storage_size).max().unwrap_or(0);
            if bytes as u64 > most.saturating_mul(1100).max(1 << 24) {
                return Err(self.says(format!("a chunk declares {bytes} bytes and stores {most}")));
            }
        }
        Ok(Some(Grid { shape: shape.to_vec(), sizes, bytes, filters, chunks }))
    }

    /// Read by `hdf5-pure`, then converted.
    fn as_a_whole<T: Cell>(
        &self,
        element: Element,
        from: usize,
        all: usize,
        out: &mut [T],
    ) -> Result<bool, String> {
        let raw = self.inner.read_raw().map_err(|e| format!("it cannot be read ({e})"))?;
        if raw.len() != all * element.width {
            let (expected, found) = (all * element.width, raw.len());
            return Err(format!("{expected} bytes are declared, {found} follow"));
        }
        element.convert(&raw[from * element.width..], out).ok_or_else(unrepresentable)?;
        Ok(T::sound(out, false).0)
    }
}

fn unrepresentable() -> String {
    "a number is negative where it counts something, or too large to be held exactly".to_string()
}

fn contiguous<T: Cell>(
    store: &Store,
    from: u64,
    element: Element,
    out: &mut [T],
) -> Result<bool, String> {
    let same = cfg!(target_endian = "little") && !element.big_endian && T::is(element.kind);
    let read = |bytes: &mut Vec<u8>, (k, band): (usize, &mut [T])| {
        let place = from.checked_add((k * BAND * element.width) as u64);
        let place = place.ok_or("it ends beyond the end of the file")?;
        if same {
            store.fill(place, bytes_of(band))?;
        } else {
            bytes.resize(band.len() * element.width, 0);
            store.fill(place, bytes)?;
            element.convert(bytes, band).ok_or_else(unrepresentable)?;
        }
        let signed = same && matches!(element.kind, Kind::Signed(_));
        match T::sound(band, signed) {
            (_, false) => Err(unrepresentable()),
            (finite, _) => Ok(finite),
        }
    };
    let bands = out.par_chunks_mut(BAND).enumerate().map_init(Vec::new, read);
    bands.try_reduce(|| true, |a, b| Ok(a && b))
}

/// Chunks that cover an array, in the order of their places.
struct Grid {
    shape: Vec<usize>,
    /// Of a chunk.
    sizes: Vec<usize>,
    /// Of a chunk, unpacked.
    bytes: usize,
    filters: Vec<u16>,
    chunks: Vec<Chunk>,
}

impl Grid {
    fn read<T: Cell>(
        &self,
        store: &Store,
        element: Element,
        rows: &Range<usize>,
        out: &mut [T],
    ) -> Result<bool, String> {
        let across = self.shape[1..].iter().product::<usize>();
        let height = self.sizes[0];
        let per_band = self.chunks.len() / self.shape[0].div_ceil(height);
        // Each band of chunks with its part of what is asked for.
        let (mut bands, mut rest) = (Vec::new(), out);
        for k in rows.start / height..rows.end.div_ceil(height) {
            let lines = (k * height).max(rows.start)..((k + 1) * height).min(rows.end);
            let (band, after) = rest.split_at_mut(lines.len() * across);
            rest = after;
            bands.push((&self.chunks[k * per_band..][..per_band], lines, band));
        }
        let read = |buffers: &mut Buffers, (chunks, lines, band): (&[Chunk], _, &mut [T])| {
            for chunk in chunks {
                self.unpack(store, chunk, element.width, buffers)?;
                self.copy(chunk, &buffers.plain, element, &lines, band)?;
            }
            Ok(T::sound(band, false).0)
        };
        let finite = bands.into_par_iter().map_init(Buffers::default, read);
        finite.try_reduce(|| true, |a, b| Ok(a && b))
    }

    /// The content of a chunk, its filters undone.
    fn unpack(
        &self,
        store: &Store,
        chunk: &Chunk,
        width: usize,
        buffers: &mut Buffers,
    ) -> Result<(), String> {
        let Buffers { plain, packed } = buffers;
        let short = |found: usize| {
            format!("the chunk at {:?} declares {} bytes and has {found}", chunk.offset, self.bytes)
        };
        plain.resize(chunk.storage_size as usize, 0);
        store.fill(chunk.address, plain)?;
        for (k, filter) in self.filters.iter().enumerate().rev() {
            if chunk.filter_mask >> k & 1 == 1 {
                continue;
            }
            std::mem::swap(plain, packed);
            plain.clear();
            if *filter == DEFLATE {
                let mut stream = flate2::bufread::ZlibDecoder::new(packed.as_slice())
                    .take(self.bytes as u64 + 1);
                plain.reserve(self.bytes + 1);
                stream.read_to_end(plain).map_err(|e| {
                    format!("the chunk at {:?} is damaged ({e}); copy the file again", chunk.offset)
                })?;
            } else {
                unshuffle(packed, width, plain);
            }
        }
        if plain.len() == self.bytes { Ok(()) } else { Err(short(plain.len())) }
    }

    /// Copies what a chunk has of these rows into their band.
    fn copy<T: Cell>(
        &self,
        chunk: &Chunk,
        plain: &[u8],
        element: Element,
        rows: &Range<usize>,
        band: &mut [T],
    ) -> Result<(), String> {
        let rank = self.shape.len();
        let start: Vec<usize> = chunk.offset.iter().map(|o| *o as usize).collect();
        let extent: Vec<usize> =
            (0..rank).map(|a| self.sizes[a].min(self.shape[a] - start[a])).collect();
        let run = extent[rank - 1];
        // The index within the chunk, without that of the last axis.
        let mut at = vec![0; rank - 1];
        loop {
            let row = start[0] + at.first().unwrap_or(&0);
            if rank == 1 {
                let here = rows.start.max(start[0])..rows.end.min(start[0] + run);
                let bytes = &plain[(here.start - start[0]) * element.width..];
                let part = &mut band[here.start - rows.start..here.end - rows.start];
                return element.convert(bytes, part).ok_or_else(unrepresentable);
            }
            if rows.contains(&row) {
                let (mut from, mut to) = (0, 0);
                for a in 0..rank - 1 {
                    from = (from + at[a]) * self.sizes[a + 1];
                    let index = if a == 0 { row - rows.start } else { start[a] + at[a] };
                    to = (to + index) * self.shape[a + 1];
                }
                let to = to + start[rank - 1];
                let bytes = &plain[from * element.width..];
                element.convert(bytes, &mut band[to..to + run]).ok_or_else(unrepresentable)?;
            }
            // The next index, the last of them running fastest.
            let Some(axis) = (0..rank - 1).rev().find(|a| at[*a] + 1 < extent[*a]) else {
                return Ok(());
            };
            at[axis] += 1;
            at[axis + 1..].fill(0);
        }
    }
}

/// What a thread reads chunks into.
#[derive(Default)]
struct Buffers {
    plain: Vec<u8>,
    packed: Vec<u8>,
}

/// Puts the bytes of each element together again: all first bytes come first, then all second ones …; what
/// is left over follows as it is.
fn unshuffle(shuffled: &[u8], width: usize, into: &mut Vec<u8>) {
    let elements = shuffled.len() / width;
    into.resize(shuffled.len(), 0);
    for (k, plane) in shuffled.chunks_exact(elements.max(1)).take(width).enumerate() {
        for (element, byte) in into.chunks_exact_mut(width).zip(plane) {
            element[k] = *byte;
        }
    }
    into[elements * width..].copy_from_slice(&shuffled[elements * width..]);
}
