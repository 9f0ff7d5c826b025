//! [`Tiles`]: the upper triangle of M symmetric matrices as square tiles, kept in memory or
//! computed when visited.
//!
//! In memory a tile of many kernels holds row r of all of them one after the other. A pass over all
//! kernels is then one sequential read, one kernel is read in runs of b numbers, and the M values
//! of one pair of instances lie within a few pages. A tile of few kernels, as views are, holds them
//! one after the other, because they are mostly multiplied by one at a time ([`Strides::stored`]).
//! Tiles on the diagonal are kept whole.
//!
//! Graphs (sparse similarities) are never kept as tiles: their tiles are written out when they
//! are visited.
//!
//! Reductions run over a fixed number of chunks of consecutive tiles whose results are added in
//! order, so they do not depend on the number of threads.

use super::engine::Engine;
use super::layout::{Layout, Strides};
use super::mapped::{Held, Mapped, Room, Source};
use crate::Result;
use crate::run::Pass;
use cokernel_dense::simd;
use rayon::prelude::*;
use std::path::Path;

/// Chunks of a reduction.
const CHUNKS: usize = 32;
/// Bytes of scratch for computed tiles: within the second-level cache.
const SCRATCH: usize = 512 << 10;

#[derive(Debug)]
pub(super) enum Values {
    Full(Vec<f64>),
    Half(Vec<f32>),
    File(Box<Mapped>),
    Computed,
}

/// A block of several kernels: rows `row0..row0 + rows`, columns `col0..col0 + cols`.
///
/// Over a visit of all tiles every pair (i, j) with i ≤ j comes up; a tile with
/// [`diagonal`](Self::diagonal) also holds its pairs with i > j, other tiles stand for their
/// transpose too.
#[derive(Debug, Clone, Copy)]
pub struct Tile<'a> {
    /// First row.
    pub row0: usize,
    /// Number of rows.
    pub rows: usize,
    /// First column.
    pub col0: usize,
    /// Number of columns.
    pub cols: usize,
    /// Whether the tile lies on the diagonal.
    pub diagonal: bool,
    values: &'a [f64],
    strides: Strides,
    places: Option<&'a [usize]>,
}

impl<'a> Tile<'a> {
    /// Row r of the tile (`cols` numbers) of the a-th visited kernel.
    #[inline]
    pub fn segment(&self, r: usize, a: usize) -> &'a [f64] {
        let place = self.places.map_or(a, |p| p[a]);
        &self.values[self.strides.at(r, place)..][..self.cols]
    }

    /// Whether most of what lies between the first and the last number of a row is of kernels that are not
    /// visited: reading ahead then reads in vain.
    #[inline]
    pub fn is_scattered(&self, visited: usize) -> bool {
        self.strides.kernel < self.strides.row && self.strides.row > 2 * visited * self.cols
    }

    /// Asks for row r of the a-th visited kernel.
    #[inline]
    pub(super) fn fetch(&self, r: usize, a: usize) {
        let segment = self.segment(r, a);
        (0..self.cols).step_by(simd::LINE).for_each(|at| simd::prefetch(segment.as_ptr(), at));
    }

    /// Asks for row r of all visited kernels.
    #[inline]
    pub fn fetch_all(&self, r: usize, visited: usize) {
        if r < self.rows {
            (0..visited).for_each(|a| self.fetch(r, a));
        }
    }

    /// The numbers of the one visited kernel, and the distance between the rows in them.
    pub(super) fn only(&self) -> (&'a [f64], usize) {
        let place = self.places.map_or(0, |p| p[0]);
        (&self.values[self.strides.at(0, place)..], self.strides.row)
    }

    /// How often a pair of this tile counts in a sum over all ordered pairs.
    pub fn weight(&self) -> f64 {
        if self.diagonal { 1.0 } else { 2.0 }
    }

    /// Row r of the first kernel and all that follows it, where the same rows of the others begin
    /// after each so many numbers.
    pub(super) fn rows(&self, r: usize) -> (&'a [f64], usize) {
        (&self.values[self.strides.at(r, 0)..], self.strides.kernel)
    }
}

#[derive(Debug)]
pub(super) struct Tiles {
    pub(super) layout: Layout,
    pub(super) kernels: usize,
    pub(super) values: Values,
    pub(super) engine: Engine,
    /// Place of each kernel among those in memory or in a file; `None` if it is computed when visited.
    pub(super) places: Vec<Option<usize>>,
    /// How many kernels are in memory or in a file.
    stored: usize,
}

/// How the kernels of a visit are found.
pub(super) struct Plan {
    /// Slot of each kernel that is computed.
    slots: Vec<Option<usize>>,
    /// Places in memory, if all kernels of the visit have one.
    places: Option<Vec<usize>>,
}

/// Buffers of one thread.
#[derive(Default)]
pub(super) struct Scratch {
    measures: Vec<f64>,
    out: Vec<f64>,
    /// A tile of a file.
    read: Room,
}

impl Tiles {
    /// Kernels that are computed when visited.
    pub(super) fn computed(engine: Engine) -> Self {
        let layout = Layout::new(engine.n);
        let kernels = engine.functions.len();
        let places = vec![None; kernels];
        Tiles { layout, kernels, values: Values::Computed, engine, places, stored: 0 }
    }

    /// Kernels whose tiles are these numbers, but for those that are kept as columns.
    pub(super) fn stored(engine: Engine, values: Vec<f64>) -> Self {
        let layout = Layout::new(engine.n);
        let kernels = engine.functions.len();
        let tiled: Vec<usize> = (0..kernels).filter(|m| engine.column(*m).is_none()).collect();
        let (places, stored) = (engine.slots(&tiled), tiled.len());
        Tiles { layout, kernels, values: Values::Full(values), engine, places, stored }
    }

    /// Computes all tiles into memory, but for graphs and single features, and lets go of the features.
    pub(super) fn keep(&mut self, half: bool, pass: &Pass<'_>) {
        let layout = self.layout;
        let kept: Vec<usize> = (0..self.kernels).filter(|m| self.engine.is_tiled(*m)).collect();
        let (slots, kernels) = (self.engine.slots(&kept), kept.len());
        (self.places, self.stored) = (slots.clone(), kernels);
        if kept.is_empty() {
            self.values = if half { Values::Half(Vec::new()) } else { Values::Full(Vec::new()) };
            return;
        }
        let size = layout.b * layout.b * kernels;
        let (strides, engine) = (self.strides(), &self.engine);
        let fill = |tile: usize, scratch: &mut Scratch, out: &mut [f64]| {
            engine.tile(&slots, layout, tile, strides, &mut scratch.measures, out);
        };
        self.values = if half {
            let mut values = vec![0.0_f32; layout.stored(kernels)];
            huge_pages(&values);
            values.par_chunks_mut(size).enumerate().for_each_init(
                Scratch::default,
                |s, (t, out)| {
                    if pass.is_over() {
                        return;
                    }
                    let mut wide = std::mem::take(&mut s.out);
                    wide.resize(size, 0.0);
                    fill(t, s, &mut wide);
                    out.iter_mut().zip(&wide).for_each(|(o, v)| *o = *v as f32);
                    s.out = wide;
                },
            );
            Values::Half(values)
        } else {
            let mut values = vec![0.0_f64; layout.stored(kernels)];
            huge_pages(&values);
            values.par_chunks_mut(size).enumerate().for_each_init(
                Scratch::default,
                |s, (t, out)| {
                    if !pass.is_over() {
                        fill(t, s, out);
                    }
                },
            );
            Values::Full(values)
        };
        self.let_go(&kept);
    }

    /// Puts all tiles into a file of this directory, but for graphs and single features; what a user should read of
    /// it. Nothing of it is to be used if the pass is given up.
    pub(super) fn keep_in(
        &mut self,
        directory: &Path,
        half: bool,
        source: Source<'_>,
        memory: usize,
        pass: &Pass<'_>,
    ) -> Result<Vec<String>> {
        let kept: Vec<usize> = (0..self.kernels).filter(|m| self.engine.is_tiled(*m)).collect();
        if kept.is_empty() {
            self.keep(half, pass);
            return Ok(Vec::new());
        }
        let slots = self.engine.slots(&kept);
        (self.places, self.stored) = (slots.clone(), kept.len());
        // The file computes a tile again that it cannot read.
        let rest = self.engine.without(&kept);
        let engine = std::mem::replace(&mut self.engine, rest);
        let made = (engine, slots, kept.len());
        let (file, notes) = Mapped::open(directory, half, source, made, memory, pass)?;
        self.values = Values::File(Box::new(file));
        Ok(notes)
    }

    /// Lets go of the features of kernels that are in memory.
    fn let_go(&mut self, kept: &[usize]) {
        let (engine, places) = (&mut self.engine, &self.places);
        engine.groups.iter_mut().for_each(|g| g.members.retain(|m| places[*m].is_none()));
        engine.groups.retain(|g| !g.members.is_empty());
        kept.iter().for_each(|m| engine.steps[*m].clear());
        engine.fill = None;
    }

    /// Where the kernels in memory lie in a tile.
    pub(super) fn strides(&self) -> Strides {
        Strides::stored(self.layout.b, self.stored)
    }

    /// Where entry (i, j) of the first kernel in memory lies.
    #[inline]
    fn first_cell(&self, i: usize, j: usize) -> usize {
        let b = self.layout.b;
        let (row, c) = self.layout.cell(i, j);
        row / b * b * b * self.stored + self.strides().at(row % b, 0) + c
    }

    /// How the kernels in `active` are found.
    pub(super) fn plan(&self, active: &[usize]) -> Plan {
        assert!(self.engine.factors.is_none(), "kernels of low rank have no tiles");
        let places = match &self.values {
            Values::Full(_) => active.iter().map(|m| self.places[*m]).collect(),
            Values::File(f) if !f.is_single() => active.iter().map(|m| self.places[*m]).collect(),
            _ => None,
        };
        if places.is_some() {
            return Plan { slots: Vec::new(), places };
        }
        let mut slots = self.engine.slots(active);
        for (slot, place) in slots.iter_mut().zip(&self.places) {
            *slot = slot.filter(|_| place.is_none());
        }
        Plan { slots, places }
    }

    /// Visits one tile of the kernels in `active`, in one or more strips of rows.
    pub(super) fn visit(
        &self,
        tile: usize,
        active: &[usize],
        plan: &Plan,
        scratch: &mut Scratch,
        visit: &mut impl FnMut(&Tile<'_>),
    ) {
        let Layout { b, .. } = self.layout;
        let (block_i, block_j) = self.layout.place(tile);
        let ((i0, rows), (j0, cols)) = (self.layout.span(block_i), self.layout.span(block_j));
        let diagonal = block_i == block_j;
        let size = b * b * self.stored;
        let Scratch { measures, out, read } = scratch;
        let held = match &self.values {
            Values::Full(values) => Held::Full(&values[tile * size..(tile + 1) * size]),
            Values::Half(values) => Held::Half(&values[tile * size..(tile + 1) * size]),
            Values::File(file) => {
                let places = active.iter().filter_map(|m| self.places[*m]);
                file.read(tile, places, read)
            }
            Values::Computed => Held::Nothing,
        };
        if let (Held::Full(values), Some(places)) = (held, &plan.places) {
            visit(&Tile {
                row0: i0,
                rows,
                col0: j0,
                cols,
                diagonal,
                values,
                strides: self.strides(),
                places: Some(places),
            });
            return;
        }
        let k = active.len();
        let own = Strides::side_by_side(b, k);
        let strip = (SCRATCH / (8 * b * k.max(1))).clamp(1, b);
        let strip = if strip < b { strip.next_multiple_of(8).min(b) } else { b };
        measures.resize(strip * b, 0.0);
        out.resize(strip * b * k, 0.0);
        for r0 in (0..rows).step_by(strip) {
            let height = strip.min(rows - r0);
            let from = self.strides().at(r0, 0);
            match held {
                Held::Full(values) if self.stored > 0 => {
                    self.copy(&values[from..], active, height, cols, out, |v| v);
                }
                Held::Half(values) if self.stored > 0 => {
                    self.copy(&values[from..], active, height, cols, out, f64::from);
                }
                _ => {}
            }
            if plan.slots.iter().any(Option::is_some) {
                self.engine.strip(&plan.slots, (i0 + r0, height), (j0, cols), own, measures, out);
            }
            visit(&Tile {
                row0: i0 + r0,
                rows: height,
                col0: j0,
                cols,
                diagonal,
                values: out,
                strides: own,
                places: None,
            });
        }
    }

    /// Copies rows of the kernels in memory to their slots; `values` begins with the first row.
    fn copy<T: Copy>(
        &self,
        values: &[T],
        active: &[usize],
        rows: usize,
        cols: usize,
        out: &mut [f64],
        widen: impl Fn(T) -> f64,
    ) {
        let stored = self.strides();
        let own = Strides::side_by_side(self.layout.b, active.len());
        for r in 0..rows {
            for (a, place) in
                active.iter().enumerate().filter_map(|(a, m)| Some((a, self.places[*m]?)))
            {
                let from = &values[stored.at(r, place)..][..cols];
                let to = &mut out[own.at(r, a)..][..cols];
                to.iter_mut().zip(from).for_each(|(o, v)| *o = widen(*v));
            }
        }
    }

    /// Whether no tile is kept.
    pub(super) fn is_computed(&self) -> bool {
        matches!(self.values, Values::Computed)
    }

    /// Whether a pass that begins now should go from the last tiles to the first: every other one over a file, which then
    /// finds in the system's cache what the one before read last.
    pub(super) fn is_backwards(&self) -> bool {
        matches!(&self.values, Values::File(file) if file.turn())
    }

    /// Brings tiles into the order of a pass that begins now: from the last stretch of consecutive ones to the first where
    /// it [goes backwards](Self::is_backwards).
    pub(super) fn turn<T>(&self, tiles: &mut [T]) {
        if self.is_backwards() {
            let stretch = tiles.len().div_ceil(CHUNKS).max(1);
            tiles.reverse();
            tiles.chunks_mut(stretch).for_each(<[T]>::reverse);
        }
    }

    /// Buffers of one thread.
    pub(super) fn scratch(&self) -> Scratch {
        match &self.values {
            Values::File(file) => Scratch { read: file.room(), ..Scratch::default() },
            _ => Scratch::default(),
        }
    }

    /// Visits the wanted tiles of the kernels in `active` and reduces: each of a fixed number
    /// of chunks starts from `init`, and the chunks are merged in order. `wanted` is asked
    /// about (first row, rows) and (first column, columns).
    pub(super) fn fold<S: Send>(
        &self,
        pass: &Pass<'_>,
        active: &[usize],
        wanted: impl Fn((usize, usize), (usize, usize)) -> bool + Sync,
        init: impl Fn() -> S + Sync,
        visit: impl Fn(&mut S, &Tile<'_>) + Sync,
        merge: impl FnMut(&mut S, S),
    ) -> S {
        self.fold_in(pass, CHUNKS, active, wanted, |_| init(), visit, merge)
    }

    /// [`fold`](Self::fold) with another number of chunks, which must not depend on threads, and
    /// with `init` told the first row of the first tile, before which no tile of the chunk reaches.
    pub(super) fn fold_in<S: Send>(
        &self,
        pass: &Pass<'_>,
        chunks: usize,
        active: &[usize],
        wanted: impl Fn((usize, usize), (usize, usize)) -> bool + Sync,
        init: impl Fn(usize) -> S + Sync,
        visit: impl Fn(&mut S, &Tile<'_>) + Sync,
        mut merge: impl FnMut(&mut S, S),
    ) -> S {
        let plan = self.plan(active);
        let tiles = self.layout.tiles();
        let chunks = chunks.min(tiles);
        let backwards = self.is_backwards();
        let mut states: Vec<S> = (0..chunks)
            .into_par_iter()
            .map(|c| {
                let c = if backwards { chunks - 1 - c } else { c };
                let first = self.layout.place(c * tiles / chunks).0;
                let mut state = init(self.layout.span(first).0);
                let mut scratch = self.scratch();
                if active.is_empty() {
                    return state;
                }
                for tile in c * tiles / chunks..(c + 1) * tiles / chunks {
                    if pass.is_over() {
                        break;
                    }
                    let (i, j) = self.layout.place(tile);
                    if wanted(self.layout.span(i), self.layout.span(j)) {
                        let mut visit = |t: &Tile<'_>| visit(&mut state, t);
                        self.visit(tile, active, &plan, &mut scratch, &mut visit);
                    }
                }
                state
            })
            .collect();
        if backwards {
            states.reverse();
        }
        let mut states = states.into_iter();
        let mut total = states.next().unwrap_or_else(|| init(0));
        states.for_each(|s| merge(&mut total, s));
        total
    }

    /// Visits all tiles in order, on this thread.
    pub(super) fn each(&self, active: &[usize], mut visit: impl FnMut(&Tile<'_>)) {
        let (plan, mut scratch) = (self.plan(active), Scratch::default());
        for tile in 0..self.layout.tiles() {
            self.visit(tile, active, &plan, &mut scratch, &mut visit);
        }
    }

    /// Visits all tiles, in any order and on all threads, until the pass is over.
    pub(super) fn par_each(
        &self,
        pass: &Pass<'_>,
        active: &[usize],
        visit: impl Fn(&mut Vec<f64>, &Tile<'_>) + Sync,
    ) {
        let plan = self.plan(active);
        let mut tiles: Vec<usize> = (0..self.layout.tiles()).collect();
        self.turn(&mut tiles);
        tiles.into_par_iter().for_each_init(
            || (self.scratch(), Vec::new()),
            |(scratch, buffer), tile| {
                if pass.is_over() {
                    return;
                }
                self.visit(tile, active, &plan, scratch, &mut |t| visit(buffer, t));
            },
        );
    }

    /// Entries (i, j), j in `columns`, of the kernels in `active`: kernel active[a] goes to
    /// `out[a·len..]`.
    pub(super) fn entries(
        &self,
        active: &[usize],
        i: usize,
        columns: impl ExactSizeIterator<Item = usize> + Clone,
        out: &mut [f64],
    ) {
        let len = columns.len();
        if let Some(factors) = &self.engine.factors {
            return factors.entries(active, i, columns, out);
        }
        if let Values::Computed = self.values {
            return self.engine.entries(active, i, columns, out);
        }
        if let Values::File(file) = &self.values {
            self.file_entries(file, active, i, columns.clone(), out);
        }
        let apart = self.strides().kernel;
        let cells: Vec<usize> = columns.clone().map(|j| self.first_cell(i, j)).collect();
        for (out, m) in out.chunks_mut(len.max(1)).zip(active) {
            let Some(place) = self.places[*m] else { continue };
            let at = cells.iter().map(|first| first + place * apart);
            match &self.values {
                Values::Full(v) => out.iter_mut().zip(at).for_each(|(o, at)| *o = v[at]),
                Values::Half(v) => out.iter_mut().zip(at).for_each(|(o, at)| *o = f64::from(v[at])),
                Values::File(_) | Values::Computed => {}
            }
        }
        if self.stored < self.kernels {
            let slots: Vec<usize> =
                (0..active.len()).filter(|a| self.places[active[*a]].is_none()).collect();
            let kernels: Vec<usize> = slots.iter().map(|a| active[*a]).collect();
            let mut values = vec![0.0; kernels.len() * len];
            self.engine.entries(&kernels, i, columns, &mut values);
            for (a, values) in slots.iter().zip(values.chunks(len.max(1))) {
                out[a * len..(a + 1) * len].copy_from_slice(values);
            }
        }
    }

    /// The M values of each pair, row by row into `out`.
    pub(super) fn pairs(&self, pairs: &[(u32, u32)], out: &mut [f64]) {
        match &self.values {
            Values::Full(values) if self.stored == self.kernels => {
                self.gather(values, pairs, out, |v| v);
            }
            Values::Half(values) if self.stored == self.kernels => {
                self.gather(values, pairs, out, f64::from);
            }
            Values::File(file) if self.stored == self.kernels => self.file_pairs(file, pairs, out),
            _ => {
                let all: Vec<usize> = (0..self.kernels).collect();
                for (&(i, j), out) in pairs.iter().zip(out.chunks_mut(self.kernels)) {
                    self.entries(&all, i as usize, std::iter::once(j as usize), out);
                }
            }
        }
    }

    fn gather<T: Copy>(
        &self,
        values: &[T],
        pairs: &[(u32, u32)],
        out: &mut [f64],
        widen: impl Fn(T) -> f64,
    ) {
        let (apart, kernels) = (self.strides().kernel, self.kernels);
        let start = |p: &(u32, u32)| self.first_cell(p.0 as usize, p.1 as usize);
        for (k, (pair, out)) in pairs.iter().zip(out.chunks_mut(kernels)).enumerate() {
            if let Some(ahead) = pairs.get(k + AHEAD) {
                let from = start(ahead);
                (0..kernels).for_each(|m| simd::prefetch(values.as_ptr(), from + m * apart));
            }
            let from = start(pair);
            out.iter_mut().enumerate().for_each(|(m, o)| *o = widen(values[from + m * apart]));
        }
    }
}

/// Pairs whose values are asked for ahead of time.
const AHEAD: usize = 2;

/// Asks the system to back a large fresh allocation by huge pages, which saves most of the time
/// of first touching it and of looking up addresses. Only advice: nothing depends on it.
pub(crate) fn huge_pages<T>(values: &[T]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        const MADV_HUGEPAGE: i32 = 14;
        unsafe extern "C" {
            fn madvise(start: *mut std::ffi::c_void, length: usize, advice: i32) -> i32;
        }
        let bytes = size_of_val(values);
        if bytes < 4 << 20 {
            return;
        }
        let start = values.as_ptr().addr().next_multiple_of(PAGE);
        let end = (values.as_ptr().addr() + bytes) & !(PAGE - 1);
        let start_pointer = values.as_ptr().with_addr(start).cast_mut().cast();
        // SAFETY: the range lies within an allocation of this process, page by page, and this
        // advice does not change its content.
        unsafe { madvise(start_pointer, end - start, MADV_HUGEPAGE) };
    }
    let _ = values;
}
