//! [`Layout`]: the division of an n × n matrix into square tiles.

/// Rows and columns of a full tile.
const SIDE: usize = 128;

/// Up to this many stored kernels lie one after the other in a tile.
const APART: usize = 6;

/// Where the rows of several kernels lie in a tile: row r of kernel a begins at
/// `r · row + a · kernel`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strides {
    pub(super) row: usize,
    pub(super) kernel: usize,
}

impl Strides {
    /// Rows of `width` numbers; those of all kernels side by side.
    pub(super) fn side_by_side(width: usize, kernels: usize) -> Self {
        Strides { row: kernels * width, kernel: width }
    }

    /// Of kernels in memory, in tiles of b × b numbers. Few are mostly read one at a time, as views
    /// are: each lies in one piece, which is a quarter faster to multiply by. Many are mostly summed:
    /// their rows lie side by side.
    pub(super) fn stored(b: usize, kernels: usize) -> Self {
        match kernels <= APART {
            true => Strides { row: b, kernel: b * b },
            false => Strides::side_by_side(b, kernels),
        }
    }

    /// The beginning of row r of kernel a.
    #[inline]
    pub(super) fn at(self, r: usize, a: usize) -> usize {
        r * self.row + a * self.kernel
    }
}

/// The division of n × n into tiles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) n: usize,
    /// Rows of a full tile.
    pub(super) b: usize,
    /// Tiles along one side.
    pub(super) blocks: usize,
}

impl Layout {
    pub(super) fn new(n: usize) -> Self {
        let blocks = n.div_ceil(SIDE).max(1);
        let b = n.div_ceil(blocks).next_multiple_of(8);
        Layout { n, b, blocks: n.div_ceil(b) }
    }

    /// Number of tiles of the upper triangle.
    pub(super) fn tiles(&self) -> usize {
        self.blocks * (self.blocks + 1) / 2
    }

    /// Number of tile (I, J), I ≤ J.
    pub(super) fn index(&self, block_i: usize, block_j: usize) -> usize {
        block_i * self.blocks - block_i * (block_i + 1) / 2 + block_j
    }

    /// (I, J) of a tile number.
    pub(super) fn place(&self, mut tile: usize) -> (usize, usize) {
        let mut i = 0;
        while tile >= self.blocks - i {
            tile -= self.blocks - i;
            i += 1;
        }
        (i, i + tile)
    }

    /// First instance of a block and how many there are.
    pub(super) fn span(&self, block: usize) -> (usize, usize) {
        let start = block * self.b;
        (start, self.b.min(self.n - start))
    }

    /// Numbers stored for M kernels.
    pub(super) fn stored(&self, kernels: usize) -> usize {
        self.tiles() * self.b * self.b * kernels
    }

    /// (tile · b + r, c) of entry (i, j): the stored row of the upper triangle and the column.
    #[inline]
    pub(super) fn cell(&self, i: usize, j: usize) -> (usize, usize) {
        let (i, j) = if i / self.b <= j / self.b { (i, j) } else { (j, i) };
        let tile = self.index(i / self.b, j / self.b);
        (tile * self.b + i % self.b, j % self.b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_the_upper_triangle() {
        for n in [1, 7, 8, 128, 129, 300, 1000] {
            let layout = Layout::new(n);
            assert!(layout.b <= SIDE && layout.b * layout.blocks >= n);
            let mut tile = 0;
            for i in 0..layout.blocks {
                assert!(layout.span(i).1 > 0);
                for j in i..layout.blocks {
                    assert_eq!((layout.index(i, j), layout.place(tile)), (tile, (i, j)));
                    tile += 1;
                }
            }
            assert_eq!(tile, layout.tiles());
        }
    }
}
