//! The subspace of the [module above](super) and its steps on a stored symmetric matrix M.

use crate::data::Matrix;
use crate::solve::dense::{self, Slice};
use crate::solve::eigen::{Eigenpairs, Options, orient};
use crate::{Result, Run, Status, Watch};
use cokernel_dense::Cholesky;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Columns beyond r at least, how many of them are new random ones each time, and how many must be known.
pub(super) const EXTRA: usize = 8;
const RANDOM: usize = 2;
const SETTLED: usize = 3;

/// Highest degree of a filter, and the logarithm of how much more than the others it may lift one column
/// from what the others hold of it.
const DEGREE: usize = 24;
const APART: f64 = 23.0;

/// Residuals are to become this much shorter than they must be.
const SAFETY: f64 = 3.0;

/// Gram matrices of one orthonormalisation at most, the shift of the first in units of its trace, and how
/// near the identity the last must be, whose factor goes into the Rayleigh–Ritz step.
const PASSES: usize = 5;
const SHIFT: f64 = 1e-13;
const ALMOST: f64 = 1e-2;

/// Columns of products, as a multiple of n, that are worth a decomposition (measured: 3.5 at n = 400,
/// 3.8 at n = 1,600, less what orthonormal columns cost), and from which the columns of F join the block.
pub(super) const WORTH: usize = 3;
const JOIN: f64 = 1.5;

/// Residuals of this share of what is allowed are left alone while others are filtered.
const SETTLED_SHARE: f64 = 0.3;

/// Products that take as long as the Rayleigh–Ritz step after a filter.
const STEP: f64 = 2.0;

/// How many times too long residuals mostly are when the next operator comes.
const USUAL: f64 = 1e9;

/// Least angle that counts between a Ritz vector and an eigenvector: rounding.
const ROUNDING: f64 = 1e-15;

/// A block that spans about the leading eigenvectors of a matrix, for the next matrix.
#[derive(Debug)]
pub(crate) struct Subspace {
    /// About the least eigenvalue of the matrices, from below; not a number before it is known. Where
    /// it is too high, only more products are needed.
    pub low: f64,
    /// The last block; no columns before the first answer.
    block: Matrix,
    rng: Xoshiro256PlusPlus,
}

/// Rayleigh–Ritz pairs of a block; before the first filter Rayleigh quotients of its columns.
struct Ritz {
    values: Vec<f64>,
    block: Matrix,
    image: Matrix,
    lengths: Vec<f64>,
}

/// The next filter.
struct Plan {
    degree: usize,
    /// The upper end of what it keeps down.
    high: f64,
    /// Products that are still needed, if all goes on like this.
    products: f64,
}

impl Subspace {
    /// For matrices of size n. Random columns come from [`Run::rng`].
    pub fn new(n: usize, run: &Run) -> Self {
        let rng = run.rng("filtered subspace");
        Subspace { low: f64::NAN, block: Matrix::zeros(n, 0), rng }
    }

    /// Columns of the last answer.
    pub fn holds(&self) -> usize {
        self.block.cols()
    }

    /// Begins with these columns, orthonormal and in the order of their eigenvalues.
    pub fn begin(&mut self, block: &Matrix, low: f64) {
        self.block.clone_from(block);
        self.low = low;
    }

    /// Puts an eigenvector of the next matrix, of any length but 0, in the place of the first column.
    pub fn replace_first(&mut self, vector: &[f64]) {
        let length = vector.iter().map(|v| v * v).sum::<f64>().sqrt();
        if self.block.cols() > 0 && length > 0.0 {
            vector.iter().enumerate().for_each(|(i, v)| self.block.set(i, 0, v / length));
        }
    }

    /// By decomposition.
    pub fn decomposed(&mut self, m: &Matrix, r: usize) -> Result<Eigenpairs> {
        let n = m.rows();
        let width = (r + EXTRA).min(n);
        let found = dense::leading_and_least(m, width)?;
        if self.low.is_nan() {
            self.low = found.least;
        }
        let (values, block) = (found.values, found.vectors);
        let image = dense::product(Slice::of(m), Slice::of(&block));
        let lengths = lengths(&image, &block, &values);
        self.block.clone_from(&block);
        Ok(Ritz { values, block, image, lengths }.finish(r, n, Status::Converged))
    }

    /// From random columns; `None` if that is not worth it.
    pub fn cold(
        &mut self,
        m: &Matrix,
        r: usize,
        options: &Options,
        watch: &Watch,
    ) -> Result<Option<Eigenpairs>> {
        let n = m.rows();
        let width = (r + r / 2).max(r + EXTRA).min(n / 2);
        let start = self.random(n, width);
        let once = dense::product(Slice::of(m), Slice::of(&start));
        let Some((block, turn)) = independent(once) else { return Ok(None) };
        let image = dense::product(Slice::of(m), Slice::of(&block));
        let ritz = rayleigh_ritz(&block, &image, &turn, width)?;
        self.search(m, ritz, true, r, &Matrix::zeros(n, 0), options, watch)
    }

    /// From the last block; `None` if that is not worth it. M differs from the matrix before by no more
    /// than what the columns of `factor` and of the factor before span, as far as these help.
    pub fn follow(
        &mut self,
        m: &Matrix,
        r: usize,
        factor: &Matrix,
        options: &Options,
        watch: &Watch,
    ) -> Result<Option<Eigenpairs>> {
        let n = m.rows();
        let width = (r + EXTRA).max(self.block.cols()).min(n);
        let kept = self.block.cols().min(width - RANDOM.min(width));
        let fresh = self.random(n, width - kept);
        let start = beside(&self.block, kept, &fresh);
        let Some((block, _)) = independent(start) else { return Ok(None) };
        let image = dense::product(Slice::of(m), Slice::of(&block));
        let values = quotients(&block, &image);
        let lengths = lengths(&image, &block, &values);
        self.search(m, Ritz { values, block, image, lengths }, false, r, factor, options, watch)
    }

    /// By filters from the given block, whose pairs are Ritz pairs if it is `turned`.
    fn search(
        &mut self,
        m: &Matrix,
        mut ritz: Ritz,
        mut turned: bool,
        r: usize,
        factor: &Matrix,
        options: &Options,
        watch: &Watch,
    ) -> Result<Option<Eigenpairs>> {
        let n = m.rows();
        let (mut columns, mut joined) = (ritz.values.len(), factor.cols() == 0);
        loop {
            let excess = ritz.excess(r, options);
            if turned {
                let done = (excess <= 1.0).then_some(Status::Converged);
                if let Some(status) = done.or(watch.stop()) {
                    let width = self.width(&ritz, r, USUAL);
                    self.block = head(&ritz.block, width);
                    return Ok(Some(ritz.finish(r, columns, status)));
                }
                let width = self.width(&ritz, r, excess);
                ritz.narrow(width);
            }
            let plan = self.plan(&ritz, r, excess);
            let width = ritz.values.len();
            let needed = plan.as_ref().map_or(f64::INFINITY, |p| p.products * width as f64);
            let (fixed, next, most) = if !joined && needed > JOIN * n as f64 {
                joined = true;
                if width + factor.cols() > n / 2 {
                    continue;
                }
                (0, beside(&ritz.block, width, &unit_columns(factor.clone())), 2 * r)
            } else {
                let Some(Plan { degree, high, .. }) = plan else { return Ok(None) };
                let fixed = if turned { ritz.settled(r, options) } else { 0 };
                let moving = width - fixed;
                if columns + degree * moving > WORTH * n {
                    return Ok(None);
                }
                columns += (degree - 1) * moving;
                let (block, image) = (tail(&ritz.block, fixed), tail(&ritz.image, fixed));
                let next = self.filter(m, block, image, degree, high);
                (fixed, beside(&ritz.block, fixed, &next), width)
            };
            let Some((block, turn)) = independent(next) else { return Ok(None) };
            let next = dense::product(Slice::of(m), Slice::of(&tail(&block, fixed)));
            columns += next.cols();
            let image = if fixed == 0 { next } else { beside(&ritz.image, fixed, &next) };
            ritz = rayleigh_ritz(&block, &image, &turn, most.min(block.cols()))?;
            turned = true;
        }
    }

    /// Degree of the next filter and the upper end of what it keeps down.
    fn plan(&self, ritz: &Ritz, r: usize, excess: f64) -> Option<Plan> {
        let values = &ritz.values;
        let high = values[values.len() - 1 - RANDOM.min(values.len() - 1)];
        let wanted = values[..r].iter().fold(f64::INFINITY, |a, v| a.min(*v));
        let most = values[..r].iter().fold(f64::NEG_INFINITY, |a, v| a.max(*v));
        let (low, scale) = (self.low, most.abs().max(self.low.abs()));
        // Not finite, or no gap at all.
        if !(high - low > 1e-12 * scale && wanted - high > 1e-9 * scale) {
            return None;
        }
        let lift = |value: f64| lift(value, low, high);
        let least = lift(wanted);
        let products = (2.0 * SAFETY * excess).ln() / least;
        // What is known of a vector is not in the other columns, and need not be kept small there.
        let room =
            values[..r].iter().zip(&ritz.lengths).fold(f64::INFINITY, |a, (value, length)| {
                let more = lift(*value) - least;
                let angle = (length / (value - high)).clamp(ROUNDING, 1.0);
                if more > 0.0 { a.min((APART - angle.ln()) / more) } else { a }
            });
        let degree = products.ceil().min(room).min(DEGREE as f64) as usize;
        (room >= 2.0).then_some(Plan { degree: degree.max(2), high, products })
    }

    /// How many columns of Ritz pairs, of those that there are, find the first r with the least work.
    fn width(&self, ritz: &Ritz, r: usize, excess: f64) -> usize {
        let (values, all) = (&ritz.values, ritz.values.len());
        let work = |width: usize| {
            let high = values[width - 1 - RANDOM];
            let least = lift(values[r - 1], self.low, high);
            let products = (2.0 * SAFETY * excess).ln() / least;
            let work = width as f64 * (products + STEP);
            if work.is_finite() { work } else { f64::INFINITY }
        };
        let (mut best, mut width) = ((r + EXTRA).min(all), r + EXTRA);
        while width <= all {
            if work(width) < work(best) {
                best = width;
            }
            width += 4;
        }
        best
    }

    /// T_d((M − c)/e) X for X and MX, each column brought to unit length.
    fn filter(
        &self,
        m: &Matrix,
        mut before: Matrix,
        mut now: Matrix,
        degree: usize,
        high: f64,
    ) -> Matrix {
        let (centre, half) = (0.5 * (high + self.low), 0.5 * (high - self.low));
        combine(&mut now, 1.0 / half, &before, -centre / half);
        for _ in 1..degree {
            combine(&mut before, -1.0, &now, -2.0 * centre / half);
            dense::accumulate(&mut before, 2.0 / half, Slice::of(m), Slice::of(&now));
            std::mem::swap(&mut before, &mut now);
        }
        unit_columns(now)
    }

    fn random(&mut self, n: usize, columns: usize) -> Matrix {
        let rng = &mut self.rng;
        Matrix::from_fn(n, columns, |_, _| rng.random::<f64>() - 0.5)
    }
}

/// acosh of where `value` lies, low ↦ −1 and high ↦ 1.
fn lift(value: f64, low: f64, high: f64) -> f64 {
    (1.0 + 2.0 * (value - high) / (high - low)).acosh()
}

/// a ← α a + β b.
fn combine(a: &mut Matrix, alpha: f64, b: &Matrix, beta: f64) {
    a.values_mut().iter_mut().zip(b.values()).for_each(|(a, b)| *a = alpha * *a + beta * b);
}

/// The first `count` columns of `a` and all of `b`.
fn beside(a: &Matrix, count: usize, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), count + b.cols());
    for i in 0..a.rows() {
        let (left, right) = out.row_mut(i).split_at_mut(count);
        left.copy_from_slice(&a.row(i)[..count]);
        right.copy_from_slice(b.row(i));
    }
    out
}

/// The first `count` columns.
fn head(a: &Matrix, count: usize) -> Matrix {
    beside(a, count, &Matrix::zeros(a.rows(), 0))
}

/// The columns from `first` on.
fn tail(a: &Matrix, first: usize) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), a.cols() - first);
    (0..a.rows()).for_each(|i| out.row_mut(i).copy_from_slice(&a.row(i)[first..]));
    out
}

/// Columns of length 1; those of 0 stay.
fn unit_columns(mut a: Matrix) -> Matrix {
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

/// Nearly orthonormal columns with the span of those of `x`, of about unit length, and the small matrix
/// that makes them orthonormal, by Cholesky factors of Gram matrices: mostly two, or, where columns are
/// nearly sums of others, one more with a shift that keeps the first factor real (Fukaya, Kannan,
/// Nakatsukasa, Yamamoto, Yanagisawa, *SIAM J. Sci. Comput.* 42, 2020). `None` if that does not help.
fn independent(mut x: Matrix) -> Option<(Matrix, Matrix)> {
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

/// The first `count` Ritz pairs, descending, of the span of `block`, whose columns `turn` makes
/// orthonormal.
fn rayleigh_ritz(block: &Matrix, image: &Matrix, turn: &Matrix, count: usize) -> Result<Ritz> {
    let b = block.cols();
    let inner = dense::gram_tn(Slice::of(block), Slice::of(image));
    let inner = dense::product(Slice::of(&inner), Slice::of(turn));
    let inner = dense::gram_tn(Slice::of(turn), Slice::of(&inner));
    let inner = Matrix::from_fn(b, b, |i, j| 0.5 * (inner.get(i, j) + inner.get(j, i)));
    let (values, vectors) = dense::leading_eigen(&inner, count)?;
    let turn = dense::product(Slice::of(turn), Slice::of(&vectors));
    let block = dense::product(Slice::of(block), Slice::of(&turn));
    let image = dense::product(Slice::of(image), Slice::of(&turn));
    let lengths = lengths(&image, &block, &values);
    Ok(Ritz { values, block, image, lengths })
}

/// xᵀMx of each column of unit length.
fn quotients(block: &Matrix, image: &Matrix) -> Vec<f64> {
    let mut sums = vec![0.0; block.cols()];
    for i in 0..block.rows() {
        let pairs = image.row(i).iter().zip(block.row(i));
        sums.iter_mut().zip(pairs).for_each(|(s, (m, x))| *s += m * x);
    }
    sums
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
        self.shares(r, options).fold(of_next, f64::max)
    }

    /// How many times too long the residuals of the first r are.
    fn shares<'a>(&'a self, r: usize, options: &'a Options) -> impl Iterator<Item = f64> + 'a {
        let scale = self.values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        let gap = move |j: usize| self.values.get(r).map_or(0.0, |next| self.values[j] - next);
        (0..r).map(move |j| self.lengths[j] / options.good_enough(scale, gap(j)))
    }

    /// How many of the first pairs are known so well that no filter is needed for them.
    fn settled(&self, r: usize, options: &Options) -> usize {
        self.shares(r, options).take_while(|share| *share <= SETTLED_SHARE).count()
    }

    /// Leaves the first `width` pairs.
    fn narrow(&mut self, width: usize) {
        if width < self.values.len() {
            self.block = head(&self.block, width);
            self.image = head(&self.image, width);
            self.values.truncate(width);
            self.lengths.truncate(width);
        }
    }

    /// The first r pairs.
    fn finish(self, r: usize, products: usize, status: Status) -> Eigenpairs {
        let mut vectors = head(&self.block, r);
        orient(&mut vectors);
        let (next, mut values, mut residuals) =
            (self.values.get(r).copied(), self.values, self.lengths);
        values.truncate(r);
        residuals.truncate(r);
        Eigenpairs { values, vectors, residuals, next, products, status }
    }
}
