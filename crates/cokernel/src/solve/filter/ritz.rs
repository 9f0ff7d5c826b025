//! Ritz pairs of a block of columns, and what the [subspace](super::subspace) needs to know of them.

use crate::data::Matrix;
use crate::solve::dense::{self, Slice};
use crate::solve::eigen::{Eigenpairs, Options, orient};
use crate::{Result, Status};
use cokernel_dense::Cholesky;

/// How many of the pairs beyond r must be known.
const SETTLED: usize = 3;

/// Residuals of this share of what is allowed are left alone while others are filtered.
const SETTLED_SHARE: f64 = 0.3;

/// Gram matrices of one orthonormalisation at most, the shift of the first in units of its trace, and how
/// near the identity the last must be, whose factor goes into the Rayleigh–Ritz step.
const PASSES: usize = 5;
const SHIFT: f64 = 1e-13;
const ALMOST: f64 = 1e-2;

/// Rayleigh–Ritz pairs of a block, descending; before the first filter Rayleigh quotients of its columns.
pub(super) struct Ritz {
    pub values: Vec<f64>,
    pub block: Matrix,
    pub image: Matrix,
    pub lengths: Vec<f64>,
}

impl Ritz {
    /// The columns of a block and their Rayleigh quotients.
    pub fn quotients(block: Matrix, image: Matrix) -> Self {
        let mut values = vec![0.0; block.cols()];
        for i in 0..block.rows() {
            let pairs = image.row(i).iter().zip(block.row(i));
            values.iter_mut().zip(pairs).for_each(|(s, (m, x))| *s += m * x);
        }
        Ritz::of(values, block, image)
    }

    /// Pairs whose residuals ‖Mx − θx‖ are to be measured.
    pub fn of(values: Vec<f64>, block: Matrix, image: Matrix) -> Self {
        let mut squares = vec![0.0; values.len()];
        for i in 0..block.rows() {
            let pairs = image.row(i).iter().zip(block.row(i)).zip(&values);
            squares.iter_mut().zip(pairs).for_each(|(s, ((m, x), t))| *s += (m - t * x).powi(2));
        }
        let lengths = squares.into_iter().map(f64::sqrt).collect();
        Ritz { values, block, image, lengths }
    }

    /// Those of the span of `block`, whose columns `turn` makes orthonormal.
    pub fn of_span(block: &Matrix, image: &Matrix, turn: &Matrix) -> Result<Self> {
        let b = block.cols();
        let inner = dense::gram_tn(Slice::of(block), Slice::of(image));
        let inner = dense::product(Slice::of(&inner), Slice::of(turn));
        let inner = dense::gram_tn(Slice::of(turn), Slice::of(&inner));
        let inner = Matrix::from_fn(b, b, |i, j| 0.5 * (inner.get(i, j) + inner.get(j, i)));
        let (values, vectors) = dense::leading_eigen(&inner, b)?;
        let turn = dense::product(Slice::of(turn), Slice::of(&vectors));
        let block = dense::product(Slice::of(block), Slice::of(&turn));
        let image = dense::product(Slice::of(image), Slice::of(&turn));
        Ok(Ritz::of(values, block, image))
    }

    /// The first `fixed` pairs, and those of a block orthogonal to them.
    pub fn joined(&self, fixed: usize, others: Ritz) -> Self {
        if fixed == 0 {
            return others;
        }
        let mut joined = Ritz {
            values: [&self.values[..fixed], &others.values].concat(),
            block: beside(&self.block, fixed, &others.block),
            image: beside(&self.image, fixed, &others.image),
            lengths: [&self.lengths[..fixed], &others.lengths].concat(),
        };
        if others.values.first().is_some_and(|v| *v > self.values[fixed - 1]) {
            let values = &joined.values;
            let mut order: Vec<usize> = (0..values.len()).collect();
            order.sort_by(|i, j| values[*j].total_cmp(&values[*i]));
            let sorted = |v: &[f64]| order.iter().map(|j| v[*j]).collect();
            joined = Ritz {
                values: sorted(values),
                block: joined.block.select_cols(&order),
                image: joined.image.select_cols(&order),
                lengths: sorted(&joined.lengths),
            };
        }
        joined
    }

    /// How many times too long the residuals are: those of the first r, and those of the next few,
    /// which are to be known to a tenth of their distance from the r-th.
    pub fn excess(&self, r: usize, options: &Options) -> f64 {
        let scale = self.values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        let last = self.values[r - 1];
        let beyond = r..(r + SETTLED).min(self.values.len());
        let of_next = beyond.fold(0.0_f64, |a, j| {
            let allowed = options.good_enough(scale, 0.0).max(0.1 * (last - self.values[j]));
            a.max(self.lengths[j] / allowed)
        });
        // Where the next one is not known yet, `of_next` is above 1 and nothing ends.
        self.shares(r, options).fold(of_next, f64::max)
    }

    /// How many times too long the residuals of the first r are.
    pub fn shares<'a>(&'a self, r: usize, options: &'a Options) -> impl Iterator<Item = f64> + 'a {
        let scale = self.values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        let gap = move |j: usize| self.values.get(r).map_or(0.0, |next| self.values[j] - next);
        (0..r).map(move |j| self.lengths[j] / options.good_enough(scale, gap(j)))
    }

    /// How many of the first pairs are known so well that no filter is needed for them.
    pub fn settled(&self, r: usize, options: &Options) -> usize {
        self.shares(r, options).take_while(|share| *share <= SETTLED_SHARE).count()
    }

    /// Leaves the first `width` pairs.
    pub fn narrow(&mut self, width: usize) {
        if width < self.values.len() {
            self.block = head(&self.block, width);
            self.image = head(&self.image, width);
            self.values.truncate(width);
            self.lengths.truncate(width);
        }
    }

    /// The first r pairs.
    pub fn finish(self, r: usize, products: usize, status: Status) -> Eigenpairs {
        let mut vectors = head(&self.block, r);
        orient(&mut vectors);
        let (next, mut values, mut residuals) =
            (self.values.get(r).copied(), self.values, self.lengths);
        values.truncate(r);
        residuals.truncate(r);
        Eigenpairs { values, vectors, residuals, next, products, status }
    }
}

/// Nearly orthonormal columns with the span of those of `x`, of about unit length, and the small matrix
/// that makes them orthonormal, by Cholesky factors of Gram matrices: mostly two, or, where columns are
/// nearly sums of others, one more with a shift that keeps the first factor real (Fukaya, Kannan,
/// Nakatsukasa, Yamamoto, Yanagisawa, *SIAM J. Sci. Comput.* 42, 2020). `None` if that does not help.
pub(super) fn independent(mut x: Matrix) -> Option<(Matrix, Matrix)> {
    let b = x.cols();
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
        // L⁻¹ of I, column by column, is L⁻ᵀ row by row.
        let mut turn = Matrix::from_fn(b, b, |i, j| f64::from(u8::from(i == j)));
        factor.forward(turn.values_mut(), b);
        if apart < ALMOST {
            return Some((x, turn));
        }
        x = dense::product(Slice::of(&x), Slice::of(&turn));
    }
    None
}

/// Orthonormal columns with the span of those of `x`, which are of about unit length; `None` as for [`independent`].
pub(super) fn orthonormal(x: Matrix) -> Option<Matrix> {
    let (x, turn) = independent(x)?;
    Some(dense::product(Slice::of(&x), Slice::of(&turn)))
}

/// X without what the orthonormal columns of Q hold of it.
pub(super) fn clear(x: &mut Matrix, q: &Matrix) {
    let shares = dense::gram_tn(Slice::of(q), Slice::of(&*x));
    dense::accumulate(x, -1.0, Slice::of(q), Slice::of(&shares));
}

/// The first `count` columns of `a` and all of `b`.
pub(super) fn beside(a: &Matrix, count: usize, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), count + b.cols());
    for i in 0..a.rows() {
        let (left, right) = out.row_mut(i).split_at_mut(count);
        left.copy_from_slice(&a.row(i)[..count]);
        right.copy_from_slice(b.row(i));
    }
    out
}

/// The first `count` columns.
pub(super) fn head(a: &Matrix, count: usize) -> Matrix {
    beside(a, count, &Matrix::zeros(a.rows(), 0))
}

/// The columns from `first` on.
pub(super) fn tail(a: &Matrix, first: usize) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), a.cols() - first);
    (0..a.rows()).for_each(|i| out.row_mut(i).copy_from_slice(&a.row(i)[first..]));
    out
}

/// Columns of length 1; those of 0 stay.
pub(super) fn unit_columns(mut a: Matrix) -> Matrix {
    let mut factors = vec![0.0; a.cols()];
    for i in 0..a.rows() {
        factors.iter_mut().zip(a.row(i)).for_each(|(s, v)| *s += v * v);
    }
    factors.iter_mut().for_each(|s| *s = if *s > 0.0 { 1.0 / s.sqrt() } else { 0.0 });
    for i in 0..a.rows() {
        a.row_mut(i).iter_mut().zip(&factors).for_each(|(v, f)| *v *= f);
    }
    a
}
