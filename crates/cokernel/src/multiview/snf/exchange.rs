//! The rounds of network fusion: P ← S·X·Sᵀ with X the mean of the other graphs, on tiles of 64 × 64 numbers.
//!
//! Of a graph, which is symmetric, the tiles on and above the diagonal are kept. A round of one kernel takes two sweeps over panels of
//! 64 columns, each of which stays in the second-level cache while K rows of it are added up for every instance: Y = S·X, written
//! transposed, and Z = S·Yᵀ, of which the upper half is computed. The sums of Z's rows, by which they are divided, follow from those of
//! Y: Z·1 = S·(Yᵀ·1). 3 n² K multiplications and additions.
//!
//! **Single precision**: the sweeps are bound by the caches, and a graph whose rows sum to one does not ask for more. Sums of rows are
//! kept in double precision. Entries of P below 1e-18 and of S below 1e-12, beside sums of ½ and 1, count as 0: their products would be
//! so small that processors slow down. Where a row has little but such entries (a sum below 1e-4 without its diagonal, by which it is
//! then divided: very narrow kernels with one neighbour), the rounds are taken in double precision (`exact`).

use crate::bank::huge_pages;
use cokernel_dense::simd::row_sum;
use cokernel_dense::simd::tiles::{Row, SIDE, column_sums, gathered, mean, scaled, turned};
use rayon::prelude::*;

const LEAST: f32 = 1e-18;
const LEAST_NEIGHBOUR: f64 = 1e-12;
/// A sum of a row without its diagonal, of which less than this share is left, is added up anew.
const CANCELLED: f64 = 1e-3;
/// Sums of rows without their diagonals below this ask for double precision: what counts as 0 is 1e-7 of others at most.
pub(super) const FEEBLE: f64 = 1e-4;
/// Sums below are of entries that count as 0; the factors of larger ones can be held.
const NOTHING: f64 = 1e-34;

/// S of one kernel: K columns and values for each instance, and zeros for those that lack the view.
pub(super) struct Sparse {
    columns: Vec<u32>,
    values: Vec<f32>,
    /// The values as they are.
    exact: Vec<f64>,
    each: usize,
    /// The same by tiles of columns: row, column within the tile, value; rows ascending.
    by_tile: Vec<Vec<(u32, u8, f32)>>,
}

/// Rows of zeros.
fn zeros(count: usize) -> Vec<Row> {
    let mut rows = Vec::with_capacity(count);
    huge_pages(rows.spare_capacity_mut());
    rows.resize(count, Row::ZERO);
    rows
}

/// Tiles in a row for n instances.
fn tiles(n: usize) -> usize {
    n.div_ceil(SIDE)
}

impl Sparse {
    /// Nobody listens to anybody yet.
    pub fn new(n: usize, each: usize) -> Self {
        let len = tiles(n) * SIDE * each;
        Sparse {
            columns: vec![0; len],
            values: vec![0.0; len],
            exact: vec![0.0; len],
            each,
            by_tile: vec![Vec::new(); tiles(n)],
        }
    }

    /// The neighbours of instance i, at most K, with shares that sum to one; instances come in their order.
    pub fn set(&mut self, i: usize, neighbours: impl Iterator<Item = (u32, f64)>) {
        for (q, (l, s)) in neighbours.enumerate() {
            self.exact[i * self.each + q] = s;
            let s = if s < LEAST_NEIGHBOUR { 0.0 } else { s };
            (self.columns[i * self.each + q], self.values[i * self.each + q]) = (l, s as f32);
            let (tile, l) = (l as usize / SIDE, l as usize % SIDE);
            self.by_tile[tile].push((i as u32, l as u8, s as f32));
        }
    }

    fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let part = i * self.each..(i + 1) * self.each;
        let columns = self.columns[part.clone()].iter().map(|l| *l as usize);
        columns.zip(self.values[part].iter().map(|s| f64::from(*s)))
    }

    /// Columns and values of row i, as they are.
    pub fn exact_row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let part = i * self.each..(i + 1) * self.each;
        let columns = self.columns[part.clone()].iter().map(|l| *l as usize);
        columns.zip(self.exact[part].iter().copied())
    }

    /// What `panel` becomes for the instances of tile `i`; the rows `ahead` are asked for on the way.
    fn times(&self, i: usize, panel: &[Row], ahead: &[&[Row]], out: &mut [Row]) {
        let part = i * SIDE * self.each..(i + 1) * SIDE * self.each;
        gathered(&self.columns[part.clone()], &self.values[part], panel, ahead, out);
    }
}

/// P of one kernel: for each tile J those of the rows 0 to J, one after the other; n² / 2 numbers.
pub(super) struct Graph {
    upper: Vec<Row>,
    /// 1 for the instances that have the view, else 0.
    has: Vec<Row>,
}

/// Where tile (i, j) begins, i ≤ j.
fn place(i: usize, j: usize) -> usize {
    (j * (j + 1) / 2 + i) * SIDE
}

impl Graph {
    /// The graph of n instances from the similarities `w` of all or of those in `rows`: P_ij = w_ij (f_i + f_j), f_i a quarter over
    /// the sum of row i without its diagonal.
    pub fn new(n: usize, w: &[f64], rows: Option<&[u32]>) -> Self {
        let size = rows.map_or(n, <[u32]>::len);
        let factor = |(i, row): (usize, &[f64])| {
            let sum = row_sum(&row[..i], 0, &mut []).0 + row_sum(&row[i + 1..], 0, &mut []).0;
            if sum > 0.0 { 0.25 / sum } else { 0.0 }
        };
        let factors: Vec<f64> = w.par_chunks(size).enumerate().map(factor).collect();
        let mut upper = zeros(place(0, tiles(n)));
        let mut has = vec![Row::ZERO; tiles(n)];
        let at = |a: usize| rows.map_or(a, |rows| rows[a] as usize);
        // Row i among all instances, to whole tiles.
        let (mut line, mut right) = (vec![0.0; tiles(n) * SIDE], vec![0.0; tiles(n) * SIDE]);
        factors.iter().enumerate().for_each(|(a, f)| right[at(a)] = *f);
        for (a, w) in w.chunks(size).enumerate() {
            match rows {
                None => line[..n].copy_from_slice(w),
                Some(rows) => w.iter().zip(rows).for_each(|(v, j)| line[*j as usize] = *v),
            }
            let (i, left) = (at(a), factors[a]);
            let (tile, r) = (i / SIDE, i % SIDE);
            for j in tile..tiles(n) {
                let out = &mut upper[place(tile, j) + r];
                let from = line[j * SIDE..].iter().zip(&right[j * SIDE..]);
                for (out, (v, right)) in out.iter_mut().zip(from) {
                    let value = (v * (left + right)) as f32;
                    *out = if value < LEAST { 0.0 } else { value };
                }
            }
            (has[tile][r], upper[place(tile, tile) + r][r]) = (1.0, 0.5);
        }
        Graph { upper, has }
    }

    /// A place for the next round.
    pub fn room(&self) -> Self {
        Graph { upper: zeros(self.upper.len()), has: self.has.clone() }
    }

    fn lacks(&self, n: usize) -> bool {
        self.has.iter().flat_map(|row| row.iter()).take(n).any(|h| *h == 0.0)
    }
}

/// X of one kernel: for each pair the mean of the other graphs that have both instances, or what it says itself where none has.
struct Others<'a> {
    own: &'a Graph,
    others: Vec<&'a Graph>,
    /// The tiles of `others`, where nobody lacks a view.
    whole: Option<Vec<&'a [Row]>>,
}

impl<'a> Others<'a> {
    fn new(n: usize, all: &'a [Graph], m: usize) -> Self {
        let others: Vec<&Graph> =
            all.iter().enumerate().filter(|(h, _)| *h != m).map(|(_, g)| g).collect();
        let lacking = others.iter().any(|g| g.lacks(n)) || all[m].lacks(n);
        let whole = (!lacking).then(|| others.iter().map(|g| &g.upper[..]).collect());
        Others { own: &all[m], others, whole }
    }

    /// Tile (i, j), i ≤ j.
    fn tile(&self, i: usize, j: usize, out: &mut [Row]) {
        let at = place(i, j);
        if let Some(whole) = &self.whole {
            return mean(whole, at, out);
        }
        for (r, out) in out.iter_mut().enumerate() {
            let (mut sums, mut count) = ([0.0; SIDE], [0.0; SIDE]);
            for g in self.others.iter().filter(|g| g.has[i][r] > 0.0) {
                for (k, (sum, count)) in sums.iter_mut().zip(&mut count).enumerate() {
                    *sum += g.upper[at + r][k];
                    *count += g.has[j][k];
                }
            }
            for (k, o) in out.iter_mut().enumerate() {
                *o = if count[k] > 0.0 { sums[k] / count[k] } else { self.own.upper[at + r][k] };
            }
        }
    }

    /// The columns of tile j, n × 64; `room` is a tile.
    fn panel(&self, j: usize, room: &mut [Row], out: &mut [Row]) {
        for (i, out) in out.chunks_mut(SIDE).enumerate() {
            if i <= j {
                self.tile(i, j, out);
            } else {
                self.tile(j, i, room);
                turned(room, out);
            }
        }
    }
}

/// Yᵀ of one kernel, panel by panel: room for every kernel in turn.
pub(super) struct Half {
    n: usize,
    tiles: Vec<Row>,
}

impl Half {
    pub fn new(n: usize) -> Self {
        Half { n, tiles: zeros(tiles(n) * tiles(n) * SIDE) }
    }

    /// The next graph of kernel m; returns by how much an entry changed at most, and the least sum of a row without its diagonal.
    pub fn pass(
        &mut self,
        all: &[Graph],
        m: usize,
        sparse: &Sparse,
        next: &mut Graph,
    ) -> (f64, f64) {
        let count = tiles(self.n);
        let others = Others::new(self.n, all, m);
        // Tile (c, j), of rows c in panel j, is written from panel c of X.
        let mut written: Vec<Vec<&mut [Row]>> =
            (0..count).map(|_| Vec::with_capacity(count)).collect();
        for (q, tile) in self.tiles.chunks_mut(SIDE).enumerate() {
            written[q % count].push(tile);
        }
        let rooms = || (zeros(count * SIDE), zeros(SIDE));
        let first = |(panel, room): &mut (Vec<Row>, Vec<Row>),
                     (c, out): (usize, Vec<&mut [Row]>)| {
            others.panel(c, room, panel);
            let mut sums = [0.0; SIDE];
            let mut diagonal = vec![0.0; count * SIDE];
            let mut entries = sparse.by_tile[c].iter().peekable();
            for (i, out) in out.into_iter().enumerate() {
                sparse.times(i, panel, &[out], room);
                let part = column_sums(room);
                sums.iter_mut().zip(part.iter()).for_each(|(s, p)| *s += f64::from(*p));
                let here = |e: &&(u32, u8, f32)| (e.0 as usize) < (i + 1) * SIDE;
                while let Some((r, l, s)) = entries.next_if(here) {
                    let r = *r as usize;
                    diagonal[r] += f64::from(*s) * f64::from(room[r % SIDE][*l as usize]);
                }
                turned(room, out);
            }
            (sums, diagonal)
        };
        let parts: Vec<([f64; SIDE], Vec<f64>)> =
            written.into_par_iter().enumerate().map_init(rooms, first).collect();
        let sums: Vec<f64> = parts.iter().flat_map(|p| p.0).collect();
        let mut diagonal = vec![0.0; count * SIDE];
        for (_, part) in &parts {
            diagonal.iter_mut().zip(part).for_each(|(d, p)| *d += p);
        }
        let factors: Vec<f32> = (0..count * SIDE)
            .into_par_iter()
            .map(|i| self.factor(i, sparse, &sums, diagonal[i]) as f32)
            .collect();
        let largest = factors.iter().fold(0.0_f32, |a, f| a.max(*f));
        let nothing = |i: usize| factors[i] == 0.0 && all[m].has[i / SIDE][i % SIDE] > 0.0;
        let least = if (0..self.n).any(nothing) { 0.0 } else { 0.25 / f64::from(largest) };
        let factors: Vec<Row> = factors.as_chunks::<SIDE>().0.iter().map(|f| Row(*f)).collect();

        let mut columns = Vec::with_capacity(count);
        let mut rest = &mut next.upper[..];
        for j in 0..count {
            let (one, more) = rest.split_at_mut((j + 1) * SIDE);
            columns.push(one);
            rest = more;
        }
        let (before, has) = (&all[m], &next.has);
        let second = |(j, out): (usize, &mut [Row])| {
            let (panel, after) = self.tiles[j * count * SIDE..].split_at(count * SIDE);
            let after = &after[..after.len().min(panel.len())];
            let part =
                |i: usize| &after[i * after.len() / (j + 1)..(i + 1) * after.len() / (j + 1)];
            let mut moved = 0.0_f32;
            for (i, out) in out.chunks_mut(SIDE).enumerate() {
                let before = &before.upper[place(i, j)..][..SIDE];
                sparse.times(i, panel, &[part(i)], out);
                let mut change = scaled(out, &factors[i], &factors[j], LEAST, before);
                if i == j {
                    (0..SIDE).for_each(|r| out[r][r] = 0.5 * has[i][r]);
                    let entries = out.iter().flat_map(|r| r.iter());
                    let pairs = entries.zip(before.iter().flat_map(|r| r.iter()));
                    change = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                }
                moved = moved.max(change);
            }
            moved
        };
        let moved = columns.into_par_iter().enumerate().map(second);
        (f64::from(moved.reduce(|| 0.0, f32::max)), least)
    }

    /// Yᵀ(l, i).
    fn at(&self, l: usize, i: usize) -> f64 {
        let count = tiles(self.n);
        f64::from(self.tiles[((i / SIDE) * count + l / SIDE) * SIDE + l % SIDE][i % SIDE])
    }

    /// ¼ over the sum of row i of Z without its diagonal; half of that comes from row i, half from its mirror image.
    fn factor(&self, i: usize, sparse: &Sparse, sums: &[f64], diagonal: f64) -> f64 {
        let all: f64 = sparse.row(i).map(|(l, s)| s * sums[l]).sum();
        let mut rest = all - diagonal;
        if rest < CANCELLED * all {
            let entry = |j: usize| sparse.row(i).map(|(l, s)| s * self.at(l, j)).sum::<f64>();
            rest = (0..self.n).filter(|j| *j != i).map(entry).sum();
        }
        if rest > NOTHING { 0.25 / rest } else { 0.0 }
    }
}

/// For each pair the mean over the graphs that have both, 0 where none has; n × n, in the place of `out`.
pub(super) fn mean_of(n: usize, all: &[Graph], mut out: Vec<f64>) -> Vec<f64> {
    out.clear();
    out.resize(n * n, 0.0);
    let rooms = || (vec![Row::ZERO; SIDE], vec![Row::ZERO; SIDE]);
    let rows = |(room, count): &mut (Vec<Row>, Vec<Row>), (i, out): (usize, &mut [f64])| {
        for j in 0..tiles(n) {
            let columns = j * SIDE..n.min((j + 1) * SIDE);
            count.fill(Row::ZERO);
            for g in all {
                let tile = &g.upper[place(i.min(j), i.max(j))..][..SIDE];
                if i > j {
                    turned(tile, room);
                }
                let tile = if i > j { &room[..] } else { tile };
                for (r, out) in out.chunks_mut(n).enumerate() {
                    let sums = out[columns.clone()].iter_mut().zip(count[r].iter_mut());
                    for ((sum, count), (v, has)) in sums.zip(tile[r].iter().zip(g.has[j].iter())) {
                        *sum += f64::from(*v);
                        *count += g.has[i][r] * has;
                    }
                }
            }
            for (out, count) in out.chunks_mut(n).zip(count.iter()) {
                let out = out[columns.clone()].iter_mut().zip(count.iter());
                out.filter(|(_, c)| **c > 0.0).for_each(|(sum, c)| *sum /= f64::from(*c));
            }
        }
    };
    out.par_chunks_mut(SIDE * n).enumerate().for_each_init(rooms, rows);
    out
}
