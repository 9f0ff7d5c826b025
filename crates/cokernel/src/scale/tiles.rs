//! Sums over tiles whose bits do not depend on who computed what.
//!
//! A tile is a range of [`TILE`] instances. What the tiles give is added along one binary tree over their numbers: a
//! node of level l is the sum of 2^l tiles, of which the left half is added to the right one. A partition of the tiles
//! (one process, one machine) computes the largest nodes that lie in it; these are put together afterwards. So the same
//! additions are made whatever the threads and partitions are.

use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;

/// Instances of a tile.
pub(crate) const TILE: usize = 1024;

/// How n instances are cut into tiles, and the tiles into partitions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tiling {
    n: usize,
    partitions: usize,
}

impl Tiling {
    /// Tiles of n instances, in so many partitions.
    pub fn new(n: usize, partitions: usize) -> Self {
        Tiling { n, partitions: partitions.max(1) }
    }

    /// Number of tiles.
    pub fn count(self) -> usize {
        self.n.div_ceil(TILE)
    }

    /// The instances of a tile.
    pub fn rows(self, tile: usize) -> Range<usize> {
        tile * TILE..self.n.min((tile + 1) * TILE)
    }

    /// What all tiles give, added in the order of the tree; `None` without tiles.
    pub fn sum<T: Send>(
        self,
        tile: impl Fn(usize) -> T + Sync,
        add: impl Fn(&mut T, T) + Sync,
    ) -> Option<T> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        if self.partitions == 1 {
            return Some(node(self.level(), 0, count, &tile, &add));
        }
        let parts = self.parts(self.partitions);
        let nodes = parts.into_par_iter().flat_map_iter(|part| self.nodes(part, &tile, &add));
        self.joined(nodes.collect(), add)
    }

    /// The tiles in so many ranges that differ by one tile at most.
    pub fn parts(self, count: usize) -> Vec<Range<usize>> {
        let end = |p: usize| p * self.count() / count.max(1);
        (0..count.max(1)).map(|p| end(p)..end(p + 1)).collect()
    }

    /// Of a range of tiles the largest nodes of the tree that lie in it: level and number of each, and its sum.
    pub fn nodes<T: Send>(
        self,
        part: Range<usize>,
        tile: &(impl Fn(usize) -> T + Sync),
        add: &(impl Fn(&mut T, T) + Sync),
    ) -> Vec<((u32, usize), T)> {
        let sum = |(level, index)| ((level, index), node(level, index, self.count(), tile, add));
        pieces(part, self.count()).into_iter().map(sum).collect()
    }

    /// The sum of all tiles from the nodes of all parts; `None` if some are missing.
    pub fn joined<T>(
        self,
        mut nodes: HashMap<(u32, usize), T>,
        add: impl Fn(&mut T, T),
    ) -> Option<T> {
        together(self.level(), 0, self.count(), &mut nodes, &add)
    }

    fn level(self) -> u32 {
        self.count().next_power_of_two().trailing_zeros()
    }
}

/// The sum of tiles `index`·2^`level` up to the next such number, or the last.
fn node<T: Send>(
    level: u32,
    index: usize,
    count: usize,
    tile: &(impl Fn(usize) -> T + Sync),
    add: &(impl Fn(&mut T, T) + Sync),
) -> T {
    if level == 0 {
        return tile(index);
    }
    let left = || node(level - 1, 2 * index, count, tile, add);
    if (2 * index + 1) << (level - 1) >= count {
        return left();
    }
    let right = || node(level - 1, 2 * index + 1, count, tile, add);
    let (mut sum, other) = rayon::join(left, right);
    add(&mut sum, other);
    sum
}

/// The largest nodes that lie in a range of tiles.
fn pieces(range: Range<usize>, count: usize) -> Vec<(u32, usize)> {
    let mut found = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let inside = |level: u32| {
            let size = 1_usize << level;
            at.is_multiple_of(size) && count.min(at + size) <= range.end
        };
        let mut level = 0;
        while (1_usize << level) < count && inside(level + 1) {
            level += 1;
        }
        found.push((level, at >> level));
        at += 1 << level;
    }
    found
}

/// A node from the nodes that are there.
fn together<T>(
    level: u32,
    index: usize,
    count: usize,
    found: &mut HashMap<(u32, usize), T>,
    add: &impl Fn(&mut T, T),
) -> Option<T> {
    if let Some(sum) = found.remove(&(level, index)) {
        return Some(sum);
    }
    let level = level.checked_sub(1)?;
    let mut sum = together(level, 2 * index, count, found, add)?;
    if (2 * index + 1) << level < count {
        add(&mut sum, together(level, 2 * index + 1, count, found, add)?);
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers whose sum depends on the order to the last bit.
    #[test]
    fn the_order_of_additions_is_that_of_the_tree() {
        let value = |t: usize| ((t * t) as f64 * 0.7).sin() * (1.0 + (t % 7) as f64 * 1e8);
        for count in [1, 2, 3, 7, 8, 31, 100] {
            let of = |partitions: usize| {
                let tiling = Tiling::new(count * TILE - TILE / 2, partitions);
                assert_eq!(tiling.count(), count);
                tiling.sum(value, |a, b| *a += b).map(f64::to_bits)
            };
            let alone = of(1);
            for partitions in [2, 3, 5, 7, 64, 200] {
                assert_eq!(of(partitions), alone, "{count} tiles in {partitions} partitions");
            }
            let plain: f64 = (0..count).map(value).sum();
            let found = alone.map_or(f64::NAN, f64::from_bits);
            assert!((found - plain).abs() <= 1e-6 * plain.abs().max(1.0));
        }
        assert_eq!(Tiling::new(0, 3).sum(value, |a, b| *a += b), None);
        let three = Tiling::new(3 * TILE, 1).sum(|t| 1e16_f64.powi(t as i32 % 2), |a, b| *a += b);
        assert_eq!(three, Some((1.0 + 1e16) + 1.0));
    }
}
