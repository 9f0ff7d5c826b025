//! The leading eigenpairs of a stored matrix M with nothing to start from: Ritz pairs of a block Krylov
//! subspace Q with full orthogonalisation (Golub & Van Loan, *Matrix Computations*, 4th ed., §10.3.6), which
//! grows until their residuals are short enough.
//!
//! | symbol | name |
//! |---|---|
//! | Q, MQ | `basis`, `image`, the first `used` columns |
//! | T = QᵀMQ | `inner`, computed |
//! | W, what M times the newest block has outside Q; WᵀW | `rest`, `gram` |
//! | (θ, y), Qy | a Ritz value, its coordinates, its vector |
//!
//! A residual is as long as W times the last coordinates of y, so that a look at Q costs the eigenpairs of
//! T and nothing of size n. Those of the pairs that are returned are measured.
//!
//! A block of b start vectors finds b vectors of each eigenspace. Where b Ritz values agree, up to what
//! their residuals may be, there may be more, and there is no answer.
//!
//! Cost, for m columns of Q: 2 n² m for products, 4 n m² to orthogonalise, and a few times O(m³). For
//! n = 1,600 and 108 pairs some 450 columns, half the time of a decomposition.

use super::ritz::{Ritz, orthonormal, unit_columns};
use crate::data::Matrix;
use crate::solve::dense::{self, Leading, Slice};
use crate::solve::eigen::Options;
use crate::{Result, Watch};

/// Columns of a block.
pub(super) const BLOCK: usize = 16;

/// Columns of Q as multiples of the wanted pairs: at the first look, and at most.
const FIRST: f64 = 3.0;
const MOST: f64 = 6.0;

/// Columns of Q as a part of n, from which a decomposition takes no longer.
const SHARE: f64 = 0.4;

/// Ritz values nearer to each other than this share of the spread count as one in the test for multiplicity.
const CLUSTER: f64 = 1e-8;

/// The next look is where residuals will be this share of what they may be, if they fall on as they did.
const AIM: f64 = 0.3;

/// Pairs, and the least Ritz value.
pub(super) struct Found {
    pub ritz: Ritz,
    pub least: f64,
    pub products: usize,
}

struct Space {
    basis: Matrix,
    image: Matrix,
    inner: Matrix,
    used: usize,
}

/// How many columns of Q there may be for `width` pairs of a matrix of size n; `None` if too few for a search.
pub(super) fn room(n: usize, width: usize) -> Option<usize> {
    let most = (MOST * width as f64).min(SHARE * n as f64) as usize / BLOCK * BLOCK;
    (most as f64 > FIRST * width as f64 + BLOCK as f64).then_some(most)
}

/// The `width` leading pairs of M, the first r of them as well known as asked for, from a block of [`BLOCK`]
/// random columns. `None` if `room` columns do not do, after a stop, or where eigenvalues may be missing.
pub(super) fn leading(
    m: &Matrix,
    r: usize,
    width: usize,
    room: usize,
    start: Matrix,
    options: &Options,
    watch: &Watch,
) -> Result<Option<Found>> {
    let n = m.rows();
    // A few columns stay unused: rows a power of two apart would drive each other out of the cache.
    let wide = || Matrix::zeros(n, room + 8);
    let inner = Matrix::zeros(room, room);
    let mut space = Space { basis: wide(), image: wide(), inner, used: 0 };
    let Some(mut block) = orthonormal(start) else { return Ok(None) };
    let mut look = (FIRST * width as f64) as usize;
    let mut last: Option<(usize, f64)> = None;
    loop {
        if watch.stop().is_some() {
            return Ok(None);
        }
        let mut rest = space.extend(&block, m);
        if space.used >= look {
            let gram = dense::gram_tn(Slice::of(&rest), Slice::of(&rest));
            let found = space.pairs(width)?;
            let lengths = space.lengths(&found, &gram);
            let nothing = || Matrix::zeros(0, 0);
            let values = found.values.clone();
            let known = Ritz { values, block: nothing(), image: nothing(), lengths };
            let excess = known.excess(r, options);
            if excess <= 1.0 {
                return Ok((!may_miss_copies(&found)).then(|| space.answer(found)));
            }
            let more = match last {
                Some((before, was)) if was > excess => {
                    let rate = (was / excess).ln() / (space.used - before) as f64;
                    ((excess / AIM).ln() / rate).ceil() as usize
                }
                _ => 4 * BLOCK,
            };
            last = Some((space.used, excess));
            look = space.used + more.clamp(BLOCK, 8 * BLOCK);
        }
        if space.used + BLOCK > room {
            return Ok(None);
        }
        rest = unit_columns(rest);
        let Some(mut once) = orthonormal(rest) else { return Ok(None) };
        // Small remainders have lost their orthogonality to Q.
        space.clear(&mut once);
        let Some(twice) = orthonormal(once) else { return Ok(None) };
        block = twice;
    }
}

/// Whether as many values agree as there were start vectors.
fn may_miss_copies(found: &Leading) -> bool {
    let values = &found.values;
    let near = CLUSTER * (values[0] - found.least);
    (BLOCK..=values.len()).any(|end| values[end - BLOCK] - values[end - 1] <= near)
}

impl Space {
    fn head(&self) -> Slice<'_> {
        Slice::head(&self.basis, self.used)
    }

    /// Adds a block; what M times it has outside Q.
    fn extend(&mut self, block: &Matrix, m: &Matrix) -> Matrix {
        let mut image = dense::product(Slice::of(m), Slice::of(block));
        let (from, to) = (self.used, self.used + block.cols());
        for i in 0..block.rows() {
            self.basis.row_mut(i)[from..to].copy_from_slice(block.row(i));
            self.image.row_mut(i)[from..to].copy_from_slice(image.row(i));
        }
        self.used = to;
        let shares = dense::gram_tn(self.head(), Slice::of(&image));
        dense::accumulate(&mut image, -1.0, self.head(), Slice::of(&shares));
        for i in 0..to {
            for j in from..to {
                let other =
                    if i < from { shares.get(i, j - from) } else { shares.get(j, i - from) };
                let value = 0.5 * (shares.get(i, j - from) + other);
                self.inner.set(i, j, value);
                self.inner.set(j, i, value);
            }
        }
        image
    }

    /// Takes out what Q holds.
    fn clear(&self, x: &mut Matrix) {
        let shares = dense::gram_tn(self.head(), Slice::of(&*x));
        dense::accumulate(x, -1.0, self.head(), Slice::of(&shares));
    }

    /// The leading pairs of T and its least eigenvalue.
    fn pairs(&self, width: usize) -> Result<Leading> {
        let m = self.used;
        let t = Matrix::from_fn(m, m, |i, j| self.inner.get(i, j));
        dense::leading_and_least(&t, width)
    }

    /// ‖W y_last‖ of each pair.
    fn lengths(&self, found: &Leading, gram: &Matrix) -> Vec<f64> {
        let (width, first) = (found.values.len(), self.used - BLOCK);
        let last = Matrix::from_fn(BLOCK, width, |i, j| found.vectors.get(first + i, j));
        let turned = dense::product(Slice::of(gram), Slice::of(&last));
        let square = |j: usize| (0..BLOCK).map(|i| last.get(i, j) * turned.get(i, j)).sum::<f64>();
        (0..width).map(|j| square(j).max(0.0).sqrt()).collect()
    }

    fn answer(&self, found: Leading) -> Found {
        let turn = Slice::of(&found.vectors);
        let block = dense::product(self.head(), turn);
        let image = dense::product(Slice::head(&self.image, self.used), turn);
        let ritz = Ritz::of(found.values, block, image);
        Found { ritz, least: found.least, products: self.used }
    }
}
