//! The r algebraically largest eigenpairs of L + F Fᵀ for one stored symmetric L and a sequence of
//! factors F, each of which differs little from the one before, where r is a sizeable part of n.
//!
//! Method: the first answer by [`top_eigenpairs`]; each later one by subspace iteration
//! from the last one with a Chebyshev filter (Zhou, Saad, Tiago, Chelikowsky, *J. Comput. Phys.* 219,
//! 2006; Saad, *Numerical Methods for Large Eigenvalue Problems*, 2011, §7.4). The polynomial T_d of
//! (M − c)/e, with the unwanted eigenvalues in c ± e, leaves these below 1 and lifts all above by
//! cosh(d acosh((θ − c)/e)), so that one block product per degree takes the place of a growing basis:
//! with r columns in a block, orthogonalisation against a basis of several r and eigenpairs of its
//! size ([`recycle`](super::recycle)) would cost more than the products.
//!
//! | symbol | name |
//! |---|---|
//! | M = L + F Fᵀ, formed | `drawn` |
//! | X, MX | `block`, `image`, n × b with b = r + a few |
//! | θ | Ritz values, descending |
//! | c ± e, from the least eigenvalue of L to the least trusted θ | `low`, `high` |
//! | d | `degree`, from how much too long the residuals are |
//!
//! The columns beyond r keep what lies next to the wanted eigenvalues out of the way, show the gap,
//! and hold two random columns in each answer, so that a direction that F brings up is not missed: an
//! answer counts only when the best pairs outside the r are known to a tenth of their distance from the
//! r-th. Residuals are measured. Where the filter would need more products than a decomposition is
//! worth, or its columns lose independence, M is decomposed.
//!
//! Cost: forming M 2 n² columns(F); per degree 2 n² b; per filter O(n b² + b³). Memory 2 n² values.
//! A decomposition 4/3 n³ at the speed of memory.

use super::dense::{self, Slice};
use super::eigen::{Eigenpairs, Options, orient, top_eigenpairs};
use crate::data::Matrix;
use crate::{Counts, Error, Result, Run, Status, Watch};
use cokernel_dense::Cholesky;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Largest n: a decomposition cannot be stopped and takes a second or two here.
const LARGEST: usize = 2600;

/// n over r up to which the filter was faster than a recycled subspace, as far as it was tried: roughly,
/// at n = 400 and 1,600 (`benches/peers/many_clusters.py`).
const SHARE: usize = 64;

/// Columns beyond r, how many of them are new random ones each time, and how many must be known.
const EXTRA: usize = 8;
const RANDOM: usize = 2;
const SETTLED: usize = 3;

/// Highest degree of a filter, and the logarithm of how much more it may lift one column than another.
const DEGREE: usize = 24;
const APART: f64 = 23.0;

/// Residuals are to become this much shorter than they must be.
const SAFETY: f64 = 3.0;

/// Gram matrices of one orthonormalisation at most, the shift of the first in units of its trace, and how
/// near the identity the last must be.
const PASSES: usize = 4;
const SHIFT: f64 = 1e-13;
const ALMOST: f64 = 1e-6;

/// Residual, relative to the norm of L, with which its least eigenvalue is known well enough.
const ROUGH: f64 = 1e-3;

/// Columns of products, as a multiple of n, that are worth a decomposition.
const WORTH: usize = 3;

/// See the [module](self).
#[derive(Debug)]
pub struct Filtered {
    l: Matrix,
    drawn: Matrix,
    /// About the least eigenvalue of L, from below; that of M is not below it.
    low: f64,
    /// The last block; no columns before the first answer.
    block: Matrix,
    run: Run,
    rng: Xoshiro256PlusPlus,
}

/// Rayleigh–Ritz pairs of a block.
struct Ritz {
    values: Vec<f64>,
    block: Matrix,
    image: Matrix,
    lengths: Vec<f64>,
}

/// Whether r leading eigenpairs of operators of size n are better found by a filter on a stored matrix
/// than in a recycled subspace.
pub fn suits(n: usize, r: usize) -> bool {
    n <= LARGEST && r.saturating_mul(SHARE) >= n && 3 * (r + EXTRA) <= n
}

impl Filtered {
    /// For the leading pairs of operators that are L and what a factor adds. Random columns come from
    /// [`Run::rng`].
    ///
    /// # Errors
    /// L is not square, or has entries that are not finite.
    pub fn new(l: Matrix, run: &Run) -> Result<Self> {
        if l.rows() != l.cols() {
            return Err(Error::shape("operator", format!("{} columns", l.rows()), l.cols()));
        }
        let n = l.rows();
        let (drawn, block) = (Matrix::zeros(0, 0), Matrix::zeros(n, 0));
        let (run, rng) = (run.clone().quiet(), run.rng("filtered subspace"));
        Ok(Filtered { l, drawn, low: f64::NAN, block, run, rng })
    }

    /// The r leading eigenpairs of L + F Fᵀ for a factor F of any number of columns. A call adds one to
    /// [`Counts::eigen_solves`].
    ///
    /// # Errors
    /// r is 0 or above n; L or F has entries that are not finite.
    pub fn top(
        &mut self,
        r: usize,
        factor: &Matrix,
        options: &Options,
        watch: &Watch,
        counts: &mut Counts,
    ) -> Result<Eigenpairs> {
        let n = self.l.rows();
        if r == 0 || r > n {
            let problem = format!("expected from 1 to {n} (the size of the matrix), found {r}");
            return Err(Error::parameter("eigenvectors", problem));
        }
        counts.eigen_solves += 1;
        self.drawn.clone_from(&self.l);
        if factor.cols() > 0 {
            let turned = factor.transposed();
            dense::accumulate(&mut self.drawn, 1.0, Slice::of(factor), Slice::of(&turned));
        }
        if self.block.cols() < r {
            return self.first(r, options, watch);
        }
        match self.filtered(r, options, watch)? {
            Some(found) => Ok(found),
            None => self.decomposed(r),
        }
    }

    /// Without anything to start from.
    fn first(&mut self, r: usize, options: &Options, watch: &Watch) -> Result<Eigenpairs> {
        let (n, run, counts) = (self.l.rows(), &self.run, &mut Counts::default());
        if self.low.is_nan() {
            let below = |x: &Matrix| {
                let mut image = dense::product(Slice::of(&self.l), Slice::of(x));
                image.values_mut().iter_mut().for_each(|v| *v = -*v);
                image
            };
            let rough = Options { tol: ROUGH, ..Options::default() };
            let found = top_eigenpairs(n, 1, &below, None, &rough, run, watch, counts)?;
            self.low = -found.values[0] - found.residuals[0];
        }
        let apply = |x: &Matrix| dense::product(Slice::of(&self.drawn), Slice::of(x));
        let found = top_eigenpairs(n, r, &apply, None, options, run, watch, counts)?;
        self.block.clone_from(&found.vectors);
        Ok(found)
    }

    /// By decomposition.
    fn decomposed(&mut self, r: usize) -> Result<Eigenpairs> {
        let n = self.l.rows();
        let width = (r + EXTRA).min(n);
        let (values, vectors) = dense::leading_eigen(&self.drawn, width)?;
        let image = dense::product(Slice::of(&self.drawn), Slice::of(&vectors));
        let lengths = lengths(&image, &vectors, &values);
        self.block = vectors.clone();
        let ritz = Ritz { values, block: vectors, image, lengths };
        Ok(ritz.finish(r, n, Status::Converged))
    }

    /// By filters from the last block; `None` if that is not worth it.
    fn filtered(
        &mut self,
        r: usize,
        options: &Options,
        watch: &Watch,
    ) -> Result<Option<Eigenpairs>> {
        let n = self.l.rows();
        let width = (r + EXTRA).min(n);
        let kept = self.block.cols().min(width - RANDOM.min(width));
        let (rng, last) = (&mut self.rng, &self.block);
        let start = Matrix::from_fn(n, width, |i, j| {
            if j < kept { last.get(i, j) } else { rng.random::<f64>() - 0.5 }
        });
        let Some(mut block) = independent(start) else { return Ok(None) };
        let mut columns = 0;
        loop {
            let image = dense::product(Slice::of(&self.drawn), Slice::of(&block));
            columns += width;
            let ritz = rayleigh_ritz(&block, &image)?;
            let excess = ritz.excess(r, options);
            let stop = watch.stop();
            if let Some(status) = (excess <= 1.0).then_some(Status::Converged).or(stop) {
                self.block.clone_from(&ritz.block);
                return Ok(Some(ritz.finish(r, columns, status)));
            }
            let Some((degree, high)) = self.plan(&ritz, r, excess) else { return Ok(None) };
            if columns + degree * width > WORTH * n {
                return Ok(None);
            }
            columns += (degree - 1) * width;
            match independent(self.filter(ritz, degree, high)) {
                Some(next) => block = next,
                None => return Ok(None),
            }
        }
    }

    /// Degree of the next filter and the upper end of what it keeps down.
    fn plan(&self, ritz: &Ritz, r: usize, excess: f64) -> Option<(usize, f64)> {
        let values = &ritz.values;
        let high = values[values.len() - 1 - RANDOM.min(values.len() - 1)];
        let (low, scale) = (self.low, values[0].abs().max(self.low.abs()));
        // Not finite, or no gap at all.
        if !(high - low > 1e-12 * scale && values[r - 1] - high > 1e-9 * scale) {
            return None;
        }
        let lift = |value: f64| (1.0 + 2.0 * (value - high) / (high - low)).acosh();
        let (least, most) = (lift(values[r - 1]), lift(values[0]));
        let wanted = ((2.0 * SAFETY * excess).ln() / least).ceil();
        let room = if most > least { APART / (most - least) } else { f64::INFINITY };
        let degree = wanted.min(room).min(DEGREE as f64) as usize;
        (room >= 2.0).then_some((degree.max(2), high))
    }

    /// T_d((M − c)/e) X, each column brought to unit length.
    fn filter(&self, ritz: Ritz, degree: usize, high: f64) -> Matrix {
        let (centre, half) = (0.5 * (high + self.low), 0.5 * (high - self.low));
        let mut before = ritz.block;
        let mut now = ritz.image;
        combine(&mut now, 1.0 / half, &before, -centre / half);
        for _ in 1..degree {
            let mut next = dense::product(Slice::of(&self.drawn), Slice::of(&now));
            combine(&mut next, 2.0 / half, &now, -2.0 * centre / half);
            combine(&mut next, 1.0, &before, -1.0);
            before = now;
            now = next;
        }
        let mut squares = vec![0.0; now.cols()];
        for i in 0..now.rows() {
            squares.iter_mut().zip(now.row(i)).for_each(|(s, v)| *s += v * v);
        }
        let inverses: Vec<f64> = squares.iter().map(|s| 1.0 / s.sqrt()).collect();
        for i in 0..now.rows() {
            now.row_mut(i).iter_mut().zip(&inverses).for_each(|(v, f)| *v *= f);
        }
        now
    }
}

/// a ← α a + β b.
fn combine(a: &mut Matrix, alpha: f64, b: &Matrix, beta: f64) {
    a.values_mut().iter_mut().zip(b.values()).for_each(|(a, b)| *a = alpha * *a + beta * b);
}

/// Orthonormal columns with the span of those of `x`, of about unit length, by Cholesky factors of Gram
/// matrices: twice, or, where columns are nearly sums of others, once more with a shift that keeps the
/// first factor real (Fukaya, Kannan, Nakatsukasa, Yamamoto, Yanagisawa, *SIAM J. Sci. Comput.* 42,
/// 2020). `None` if that does not help.
fn independent(mut x: Matrix) -> Option<Matrix> {
    let (n, b) = (x.rows(), x.cols());
    for _ in 0..PASSES {
        let gram = dense::gram_tn(Slice::of(&x), Slice::of(&x));
        let apart = (0..b * b).fold(0.0_f64, |a, p| {
            let identity = f64::from(u8::from(p / b == p % b));
            a.max((gram.values()[p] - identity).abs())
        });
        let factor = Cholesky::new(b, gram.values().to_vec()).or_else(|| {
            let mut shifted = gram.values().to_vec();
            (0..b).for_each(|i| shifted[i * b + i] += SHIFT * b as f64);
            Cholesky::new(b, shifted)
        })?;
        factor.forward(x.values_mut(), n);
        // The factor of I + E, E small, leaves E² and rounding.
        if apart < ALMOST {
            return Some(x);
        }
    }
    None
}

/// Ritz pairs of the orthonormal columns of `block`, descending.
fn rayleigh_ritz(block: &Matrix, image: &Matrix) -> Result<Ritz> {
    let b = block.cols();
    let inner = dense::gram_tn(Slice::of(block), Slice::of(image));
    let inner = Matrix::from_fn(b, b, |i, j| 0.5 * (inner.get(i, j) + inner.get(j, i)));
    let (mut values, vectors) = dense::symmetric_eigen(&inner)?;
    values.reverse();
    let turn = Matrix::from_fn(b, b, |i, j| vectors.get(i, b - 1 - j));
    let block = dense::product(Slice::of(block), Slice::of(&turn));
    let image = dense::product(Slice::of(image), Slice::of(&turn));
    let lengths = lengths(&image, &block, &values);
    Ok(Ritz { values, block, image, lengths })
}

/// ‖Mx − θx‖ of each column.
fn lengths(image: &Matrix, block: &Matrix, values: &[f64]) -> Vec<f64> {
    let mut squares = vec![0.0; values.len()];
    for i in 0..block.rows() {
        let pairs = image.row(i).iter().zip(block.row(i)).zip(values);
        squares.iter_mut().zip(pairs).for_each(|(s, ((m, x), t))| *s += (m - t * x).powi(2));
    }
    squares.into_iter().map(f64::sqrt).collect()
}

impl Ritz {
    /// How many times too long the residuals are: those of the first r, and those of the next few,
    /// which are to be known to a tenth of their distance from the r-th.
    fn excess(&self, r: usize, options: &Options) -> f64 {
        let scale = self.values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        let last = self.values[r - 1];
        let beyond = r..(r + SETTLED).min(self.values.len());
        let of_next = beyond.fold(0.0_f64, |a, j| {
            let allowed = options.good_enough(scale, 0.0).max(0.1 * (last - self.values[j]));
            a.max(self.lengths[j] / allowed)
        });
        // Where the next one is not known yet, `of_next` is above 1 and nothing ends.
        let gap = |j: usize| self.values.get(r).map_or(0.0, |next| self.values[j] - next);
        let share = |j: usize| self.lengths[j] / options.good_enough(scale, gap(j));
        (0..r).fold(of_next, |a, j| a.max(share(j)))
    }

    /// The first r pairs.
    fn finish(self, r: usize, products: usize, status: Status) -> Eigenpairs {
        let mut vectors = self.block.select_cols(&(0..r).collect::<Vec<_>>());
        orient(&mut vectors);
        let (next, mut values, mut residuals) =
            (self.values.get(r).copied(), self.values, self.lengths);
        values.truncate(r);
        residuals.truncate(r);
        Eigenpairs { values, vectors, residuals, next, products, status }
    }
}

#[cfg(test)]
mod tests;
