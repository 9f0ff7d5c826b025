//! The r algebraically largest eigenpairs of L + F Fᵀ for one symmetric operator L and a sequence
//! of thin factors F, each of which differs little from the one before.
//!
//! Products with L are what costs. Whatever subspace Q has been multiplied by L stays: for a new F
//! the Rayleigh–Ritz step on Q needs no product at all, because (L + FFᵀ)Q = (LQ) + F(FᵀQ), and
//! only what the residuals show to be missing extends Q. Since Q holds the leading part of the
//! spectrum of L, three or four blocks do where a search from the last eigenvectors alone would
//! need ten. This is a block Davidson method without preconditioner (Saad, *Numerical Methods for
//! Large Eigenvalue Problems*, 2011, §8.4), which spans the same spaces as block Lanczos with
//! thick restart; the recycled subspace is its start.
//!
//! | symbol | name |
//! |---|---|
//! | Q | `basis`, orthonormal columns, the first `used` of them |
//! | LQ, QᵀLQ | `image`, `inner` |
//! | FᵀQ | `shares` |
//! | (θ, y), Qy | a Ritz value, its coordinates, its vector |
//!
//! A block is not the residuals themselves. Divided by what is good enough for each
//! ([`Options::tol`], [`Options::angle`]) they measure what the answer lacks, and the leading left
//! singular vectors of these columns, as many as fill a register for r up to 16, span most of it
//! for fewer products than all of them.
//!
//! A full basis is cut to the leading Ritz vectors and the last few answers. The former keep the rest
//! of the spectrum away; near the span of the latter lies the next answer, because what one
//! answer lacks of the next is much like what the one before lacked of it.
//!
//! The first search starts from more than r random columns, so that an eigenvalue of any
//! multiplicity is found r times; each search ends only when the best pairs outside the r, as many
//! as fill a register, are known to a tenth of their distance from the r-th. Residuals are measured
//! with LQ, not implied. The vectors of the last answer stay in Q, so that the trace Σθ for the
//! same F never falls, wherever a search ends.
//!
//! Cost: for a basis of m columns, per block of b columns one product L·(n × b), O(n m b) and
//! O(m³). Memory 2 n × m values, m at most 128 or about 8r. If n ≤ m, L is applied to the identity,
//! once.

use super::dense::{self, Slice};
use super::eigen::{Eigenpairs, Options, orient};
use crate::data::{Matrix, side_by_side};
use crate::{Counts, Error, Result, Run, Status, Watch};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::VecDeque;

/// Random start columns above r, at least.
const EXTRA: usize = 4;

/// Blocks have at most a multiple of this: what one vector register holds.
const LANES: usize = 8;

/// Columns of the basis before it is cut, and Ritz vectors that are left of it, as multiples of the
/// columns of the first block or of `LEAST`.
const FULL: usize = 8;
const CUT: usize = 2;
const LEAST: usize = 16;

/// Answers that are kept, if there is room for them and a block.
const ANSWERS: usize = 6;

/// Directions in which residuals are shorter than this share of what is good enough are left out.
const NEGLIGIBLE: f64 = 0.3;

/// Directions of a block whose share in its spread is below this are rounding.
const DEPENDENT: f64 = 1e-12;

/// A subspace with its image under L.
#[derive(Debug)]
pub struct Recycled {
    /// Columns of the first block, and at most of each other one.
    start: usize,
    width: usize,
    /// Both have a few columns that stay unused: rows a power of two apart would drive each other
    /// out of the cache.
    basis: Matrix,
    image: Matrix,
    /// Its size is that of the full basis.
    inner: Matrix,
    used: usize,
    /// Coordinates of the last answers, the newest last; they do not reach into columns that came
    /// later.
    answers: VecDeque<Matrix>,
    products: usize,
    rng: Xoshiro256PlusPlus,
}

/// The leading Ritz pairs, descending.
struct Ritz {
    values: Vec<f64>,
    /// (L + FFᵀ) Qy − θ Qy.
    rests: Matrix,
    lengths: Vec<f64>,
    /// Coordinates, as columns.
    coordinates: Matrix,
}

impl Ritz {
    /// What the basis lacks, in units of what it may lack: the residuals of the first r pairs that
    /// are too long, and those of later pairs that are not known to stay behind, each divided by
    /// the length that is good enough. `None` if nothing is too long.
    fn missing(&self, r: usize, options: &Options) -> Option<Matrix> {
        let scale = self.values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        let last = r.min(self.values.len()) - 1;
        let gap = |j: usize| self.values.get(r).map_or(0.0, |next| self.values[j] - next);
        let limit = |j: usize| options.good_enough(scale, gap(j));
        let mut columns: Vec<(usize, f64)> =
            (0..=last).map(|j| (j, limit(j))).filter(|(j, l)| self.lengths[*j] > *l).collect();
        let unsettled = |j: &usize| {
            self.lengths[*j] > limit(last).max(0.1 * (self.values[last] - self.values[*j]))
        };
        columns.extend((r..self.lengths.len()).filter(unsettled).map(|j| (j, limit(last))));
        if columns.is_empty() {
            return None;
        }
        let factors: Vec<(usize, f64)> = columns.into_iter().map(|(j, l)| (j, 1.0 / l)).collect();
        let mut block = Matrix::zeros(self.rests.rows(), factors.len());
        for i in 0..block.rows() {
            let rests = self.rests.row(i);
            block.row_mut(i).iter_mut().zip(&factors).for_each(|(v, (j, f))| *v = f * rests[*j]);
        }
        Some(block)
    }
}

/// The directions in which the columns are longest, at most `count`, and those only whose length
/// is not far below 1, but for the first.
fn leading_directions(columns: &Matrix, count: usize) -> Result<Matrix> {
    let (squares, turn) =
        dense::symmetric_eigen(&dense::gram_tn(Slice::of(columns), Slice::of(columns)))?;
    let last = squares.len() - 1;
    let long = squares.iter().filter(|s| **s > NEGLIGIBLE * NEGLIGIBLE).count();
    let turn = Matrix::from_fn(squares.len(), long.clamp(1, count), |i, j| turn.get(i, last - j));
    Ok(dense::product(Slice::of(columns), Slice::of(&turn)))
}

impl Recycled {
    /// For the r leading pairs of operators of size n. Start vectors come from [`Run::rng`].
    ///
    /// # Errors
    /// r is 0 or above n.
    pub fn new(n: usize, r: usize, run: &Run) -> Result<Self> {
        if r == 0 || r > n {
            let problem = format!("expected from 1 to {n} (the size of the matrix), found {r}");
            return Err(Error::parameter("eigenvectors", problem));
        }
        let start = (r + EXTRA).next_multiple_of(LANES);
        let capacity = (FULL * start.max(LEAST)).min(n);
        Ok(Recycled {
            start,
            width: (r / 2).next_multiple_of(LANES).max(LANES),
            basis: Matrix::zeros(n, capacity + LANES),
            image: Matrix::zeros(n, capacity + LANES),
            inner: Matrix::zeros(capacity, capacity),
            used: 0,
            answers: VecDeque::new(),
            products: 0,
            rng: run.rng("recycled subspace"),
        })
    }

    /// All there is if it has room, else random columns.
    fn start(&mut self, multiply: &dyn Fn(&Matrix) -> Matrix) -> Result<()> {
        let (n, capacity) = (self.basis.rows(), self.inner.cols());
        let first = if capacity == n {
            Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)))
        } else {
            let rng = &mut self.rng;
            Matrix::from_fn(n, self.start, |_, _| rng.random::<f64>() - 0.5)
        };
        self.extend(first, multiply).map(|_| ())
    }

    /// The r leading eigenpairs of L + F Fᵀ, r at most one above what [`new`](Self::new) was told
    /// and not above n; `multiply` applies L, `factor` is n × any number of columns. A call adds
    /// one to [`Counts::eigen_solves`].
    ///
    /// # Errors
    /// L or F gives values that are not finite; the first product was given up because of a stop.
    pub fn top(
        &mut self,
        r: usize,
        factor: &Matrix,
        multiply: &dyn Fn(&Matrix) -> Matrix,
        options: &Options,
        watch: &Watch,
        counts: &mut Counts,
    ) -> Result<Eigenpairs> {
        counts.eigen_solves += 1;
        let n = self.basis.rows();
        let before = self.products;
        if self.used == 0 {
            self.start(multiply)?;
            watch.complete("the search for eigenvectors")?;
        }
        let mut shares = dense::gram_tn(Slice::of(factor), self.head());
        loop {
            let mut ritz = self.rayleigh_ritz(r, factor, &shares)?;
            let products = self.products - before;
            let block = ritz.missing(r, options);
            let Some(block) = block.filter(|_| self.used < n) else {
                self.remember(&ritz.coordinates, r);
                return Ok(self.finish(&ritz, r, products, Status::Converged));
            };
            let limited = (products >= options.max_products).then_some(Status::IterationLimit);
            if let Some(status) = watch.stop().or(limited) {
                return Ok(self.finish(&ritz, r, products, status));
            }
            let block = leading_directions(&block, self.width)?;
            if self.used + block.cols() > self.inner.cols() {
                self.cut(&mut ritz, &mut shares)?;
            }
            let known = self.used;
            let new = self.extend(block, multiply)?;
            if let Some(status) = watch.stop().filter(|_| watch.gave_up()) {
                self.used = known;
                return Ok(self.finish(&ritz, r, products, status));
            }
            if new.cols() == 0 {
                return Ok(self.finish(&ritz, r, products, Status::Stalled));
            }
            let more = dense::gram_tn(Slice::of(factor), Slice::of(&new));
            shares = side_by_side(&[&shares, &more]);
        }
    }

    /// Ritz vectors that are left of a full basis.
    fn lead(&self) -> usize {
        CUT * self.start.max(LEAST)
    }

    fn head(&self) -> Slice<'_> {
        Slice::head(&self.basis, self.used)
    }

    /// Qᵀ(L + FFᵀ)Q.
    fn projected(&self, shares: &Matrix) -> Matrix {
        let mut t = dense::gram_tn(Slice::of(shares), Slice::of(shares));
        for i in 0..self.used {
            t.row_mut(i).iter_mut().zip(self.inner.row(i)).for_each(|(t, l)| *t += l);
        }
        t
    }

    /// The leading pairs of (L + FFᵀ) on the basis, with their residuals.
    fn rayleigh_ritz(&self, r: usize, factor: &Matrix, shares: &Matrix) -> Result<Ritz> {
        let m = self.used;
        let shown = (r + 1).next_multiple_of(LANES).min(m);
        let (values, coordinates) = dense::leading_eigen(&self.projected(shares), shown)?;
        let y = Slice::of(&coordinates);
        let mut rests = dense::product(Slice::head(&self.image, m), y);
        let drawn = dense::product(Slice::of(shares), y);
        dense::accumulate(&mut rests, 1.0, Slice::of(factor), Slice::of(&drawn));
        let scaled = Matrix::from_fn(m, shown, |i, j| values[j] * coordinates.get(i, j));
        dense::accumulate(&mut rests, -1.0, self.head(), Slice::of(&scaled));
        let mut squares = vec![0.0; shown];
        for rests in rests.values().chunks_exact(shown) {
            squares.iter_mut().zip(rests).for_each(|(s, rest)| *s += rest * rest);
        }
        let lengths = squares.into_iter().map(f64::sqrt).collect();
        Ok(Ritz { values, rests, lengths, coordinates })
    }

    /// Adds what the columns of `block`, at most as many as there is room for, span outside the
    /// basis, with its image; the new columns.
    fn extend(
        &mut self,
        mut block: Matrix,
        multiply: &dyn Fn(&Matrix) -> Matrix,
    ) -> Result<Matrix> {
        let room = self.inner.cols() - self.used;
        if block.cols() > room {
            block = block.select_cols(&(0..room).collect::<Vec<_>>());
        }
        let new = orthonormal(self.head(), block)?;
        let (from, to) = (self.used, self.used + new.cols());
        let image = multiply(&new);
        if image.values().iter().any(|v| !v.is_finite()) {
            return Err(Error::Data(
                "eigenvectors were asked of a matrix with entries that are not finite numbers"
                    .into(),
            ));
        }
        for i in 0..new.rows() {
            self.basis.row_mut(i)[from..to].copy_from_slice(new.row(i));
            self.image.row_mut(i)[from..to].copy_from_slice(image.row(i));
        }
        self.used = to;
        self.products += to - from;
        let inner = dense::gram_tn(self.head(), Slice::of(&image));
        for i in 0..to {
            for j in from..to {
                let other = if i < from { inner.get(i, j - from) } else { inner.get(j, i - from) };
                let value = 0.5 * (inner.get(i, j - from) + other);
                self.inner.set(i, j, value);
                self.inner.set(j, i, value);
            }
        }
        Ok(new)
    }

    /// The first r pairs.
    fn finish(&self, ritz: &Ritz, r: usize, products: usize, status: Status) -> Eigenpairs {
        let mut vectors = dense::product(self.head(), Slice::head(&ritz.coordinates, r));
        orient(&mut vectors);
        Eigenpairs {
            values: ritz.values[..r].to_vec(),
            vectors,
            residuals: ritz.lengths[..r].to_vec(),
            next: ritz.values.get(r).copied(),
            products,
            status,
        }
    }

    /// Keeps the coordinates of the first r pairs.
    fn remember(&mut self, coordinates: &Matrix, r: usize) {
        if self.answers.len() == ANSWERS {
            self.answers.pop_front();
        }
        self.answers.push_back(coordinates.select_cols(&(0..r).collect::<Vec<_>>()));
    }

    /// Keeps the span of the leading Ritz vectors and of the last answers.
    fn cut(&mut self, ritz: &mut Ritz, shares: &mut Matrix) -> Result<()> {
        let m = self.used;
        let (_, mut y) = dense::leading_eigen(&self.projected(shares), self.lead())?;
        for answer in &mut self.answers {
            let at = |i: usize, j: usize| if i < answer.rows() { answer.get(i, j) } else { 0.0 };
            *answer = Matrix::from_fn(m, answer.cols(), at);
        }
        let room = self.inner.cols() - self.width;
        for answer in self.answers.iter().rev() {
            if y.cols() + answer.cols() <= room {
                y = side_by_side(&[&y, &orthonormal(Slice::of(&y), answer.clone())?]);
            }
        }
        let (keep, y) = (y.cols(), Slice::of(&y));
        for answer in &mut self.answers {
            *answer = dense::gram_tn(y, Slice::of(&*answer));
        }
        for part in [&mut self.basis, &mut self.image] {
            let turned = dense::product(Slice::head(&*part, m), y);
            for i in 0..turned.rows() {
                part.row_mut(i)[..keep].copy_from_slice(turned.row(i));
            }
        }
        let inner = Matrix::from_fn(m, m, |i, j| self.inner.get(i, j));
        let inner = dense::gram_tn(y, Slice::of(&dense::product(Slice::of(&inner), y)));
        for i in 0..keep {
            self.inner.row_mut(i)[..keep].copy_from_slice(inner.row(i));
        }
        *shares = dense::product(Slice::of(&*shares), y);
        ritz.coordinates =
            Matrix::from_fn(keep, ritz.values.len(), |i, j| f64::from(u8::from(i == j)));
        self.used = keep;
        Ok(())
    }
}

/// Orthonormal columns for the span of `block` outside that of the orthonormal columns of Q: the
/// projection and the inverse root of the Gram matrix, twice unless the first time took next to
/// nothing away.
fn orthonormal(q: Slice<'_>, mut w: Matrix) -> Result<Matrix> {
    for _ in 0..2 {
        let gram = dense::gram_tn(Slice::of(&w), Slice::of(&w));
        let inverse = |j: usize| match gram.get(j, j) {
            square if square > 0.0 => 1.0 / square.sqrt(),
            _ => 0.0,
        };
        let inverses: Vec<f64> = (0..w.cols()).map(inverse).collect();
        for i in 0..w.rows() {
            w.row_mut(i).iter_mut().zip(&inverses).for_each(|(v, f)| *v *= f);
        }
        let coordinates = dense::gram_tn(q, Slice::of(&w));
        dense::accumulate(&mut w, -1.0, q, Slice::of(&coordinates));
        let (values, vectors) =
            dense::symmetric_eigen(&dense::gram_tn(Slice::of(&w), Slice::of(&w)))?;
        let kept: Vec<usize> = (0..values.len()).rev().filter(|j| values[*j] > DEPENDENT).collect();
        let root = Matrix::from_fn(w.cols(), kept.len(), |i, j| {
            vectors.get(i, kept[j]) / values[kept[j]].sqrt()
        });
        w = dense::product(Slice::of(&w), Slice::of(&root));
        let taken = coordinates.values().iter().fold(0.0_f64, |a, c| a.max(c.abs()));
        if taken < 0.1 && values.iter().all(|v| *v > 0.1) {
            break;
        }
    }
    Ok(w)
}

#[cfg(test)]
pub(super) mod tests;
