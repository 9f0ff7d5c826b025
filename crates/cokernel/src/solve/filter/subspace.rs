//! The subspace of the [module above](super) and its steps on a stored symmetric matrix M.

use super::krylov;
use super::ritz::{Ritz, beside, clear, head, independent, orthonormal, tail, unit_columns};
use crate::data::Matrix;
use crate::solve::dense::{self, Slice};
use crate::solve::eigen::{Eigenpairs, Options};
use crate::{Result, Run, Status, Watch};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Columns beyond r at least, and how many of them are new random ones each time.
pub(super) const EXTRA: usize = 8;
const RANDOM: usize = 2;

/// Highest degree of a filter, and the logarithm of how much more than the others it may lift one column
/// from what the others hold of it.
const DEGREE: usize = 24;
const APART: f64 = 23.0;

/// Residuals are to become this much shorter than they must be.
const SAFETY: f64 = 3.0;

/// Columns of products, as a multiple of n, that are worth a decomposition (measured: 4 at n = 400,
/// 2.7 at n = 1,600, less what the steps between products cost).
pub(super) const WORTH: f64 = 3.0;

/// Products that take as long as the Rayleigh–Ritz step after a filter.
const STEP: f64 = 2.0;

/// How many times too long residuals mostly are when the next operator comes.
const USUAL: f64 = 1e9;

/// From this n a Krylov subspace is tried before a decomposition: at n = 1,600 and r = 100 it takes half
/// the time, at n = 400 and r = 40 as long.
const LARGE: usize = 800;

/// How far below the least Ritz value the least eigenvalue may lie, as part of the width of what a filter keeps
/// down.
const BELOW: f64 = 0.01;

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

/// The next filter.
struct Plan {
    degree: usize,
    /// The upper end of what it keeps down.
    high: f64,
    /// Columns of products that are still needed, if all goes on like this.
    columns: f64,
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

    /// From nothing: in a Krylov subspace where n is large, or by decomposition.
    pub fn renewed(
        &mut self,
        m: &Matrix,
        r: usize,
        options: &Options,
        watch: &Watch,
    ) -> Result<Eigenpairs> {
        let (n, width) = (m.rows(), r + EXTRA);
        if let Some(room) = krylov::room(n, width).filter(|_| n >= LARGE) {
            let start = self.random(n, krylov::BLOCK);
            if let Some(found) = krylov::leading(m, r, width, room, start, options, watch)? {
                if self.low.is_nan() {
                    let above = found.ritz.values[width - 1] - found.least;
                    self.low = found.least - BELOW * above;
                }
                let products = found.products;
                let found = self.search(m, found.ritz, true, 0, r, options, watch)?;
                if let Some(mut found) = found {
                    found.products += products;
                    return Ok(found);
                }
            }
        }
        self.decomposed(m, r)
    }

    /// By decomposition.
    fn decomposed(&mut self, m: &Matrix, r: usize) -> Result<Eigenpairs> {
        let n = m.rows();
        let width = (r + EXTRA).min(n);
        let found = dense::leading_and_least(m, width)?;
        if self.low.is_nan() {
            self.low = found.least;
        }
        self.block = found.vectors.clone();
        let image = dense::product(Slice::of(m), Slice::of(&found.vectors));
        Ok(Ritz::of(found.values, found.vectors, image).finish(r, n, Status::Converged))
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
        let ritz = Ritz::of_span(&block, &image, &turn)?;
        self.search(m, ritz, true, 0, r, options, watch)
    }

    /// From the last block; `None` if that is not worth it. An eigenvector of M that is `known`, of any
    /// length but 0, stands in the place of the first column.
    pub fn follow(
        &mut self,
        m: &Matrix,
        r: usize,
        known: Option<&[f64]>,
        options: &Options,
        watch: &Watch,
    ) -> Result<Option<Eigenpairs>> {
        let n = m.rows();
        let width = (r + EXTRA).max(self.block.cols()).min(n);
        let kept = self.block.cols().min(width - RANDOM.min(width));
        let mut fresh = self.random(n, width - kept);
        let last = head(&self.block, kept);
        clear(&mut fresh, &last);
        let block = match known {
            // The columns of the last answer are orthonormal already.
            None => orthonormal(unit_columns(fresh)).map(|mut fresh| {
                clear(&mut fresh, &last);
                beside(&last, kept, &fresh)
            }),
            Some(known) => {
                let start = beside(&last, kept, &unit_columns(fresh));
                let known = unit_columns(Matrix::from_fn(n, 1, |i, _| known[i]));
                // What other columns hold of it would be lifted most.
                let mut others = tail(&start, 1);
                (0..2).for_each(|_| clear(&mut others, &known));
                independent(beside(&known, 1, &others)).map(|(block, _)| block)
            }
        };
        let Some(block) = block else { return Ok(None) };
        let image = dense::product(Slice::of(m), Slice::of(&block));
        let known = usize::from(known.is_some());
        self.search(m, Ritz::quotients(block, image), false, known, r, options, watch)
    }

    /// By filters from the given block, whose pairs are Ritz pairs if it is `turned`; if it is not, only
    /// the first `known` of them may be eigenvectors already.
    fn search(
        &mut self,
        m: &Matrix,
        mut ritz: Ritz,
        mut turned: bool,
        known: usize,
        r: usize,
        options: &Options,
        watch: &Watch,
    ) -> Result<Option<Eigenpairs>> {
        let n = m.rows();
        let mut columns = ritz.values.len();
        loop {
            if turned {
                let excess = ritz.excess(r, options);
                let done = (excess <= 1.0).then_some(Status::Converged);
                if let Some(status) = done.or(watch.stop()) {
                    let width = self.width(&ritz, r, USUAL);
                    self.block = head(&ritz.block, width);
                    return Ok(Some(ritz.finish(r, columns, status)));
                }
                let width = self.width(&ritz, r, excess);
                ritz.narrow(width);
            }
            let settled = ritz.settled(r, options);
            let fixed = if turned { settled } else { settled.min(known) };
            let Some(plan) = self.plan(&ritz, fixed, r, options) else { return Ok(None) };
            if columns as f64 + plan.columns > WORTH * n as f64 {
                return Ok(None);
            }
            let (block, image) = (tail(&ritz.block, fixed), tail(&ritz.image, fixed));
            columns += plan.degree * block.cols();
            let mut next = self.filter(m, block, image, &plan);
            let before = head(&ritz.block, fixed);
            if fixed > 0 {
                clear(&mut next, &before);
                next = unit_columns(next);
            }
            let Some((mut block, turn)) = independent(next) else { return Ok(None) };
            if fixed > 0 {
                clear(&mut block, &before);
            }
            let image = dense::product(Slice::of(m), Slice::of(&block));
            ritz = ritz.joined(fixed, Ritz::of_span(&block, &image, &turn)?);
            turned = true;
        }
    }

    /// The next filter of the columns after the first `fixed`.
    fn plan(&self, ritz: &Ritz, fixed: usize, r: usize, options: &Options) -> Option<Plan> {
        let (values, width) = (&ritz.values, ritz.values.len());
        let high = values[width - 1 - RANDOM.min(width - 1)];
        let wanted = values[..r].iter().fold(f64::INFINITY, |a, v| a.min(*v));
        let most = values[..r].iter().fold(f64::NEG_INFINITY, |a, v| a.max(*v));
        let (low, scale) = (self.low, most.abs().max(self.low.abs()));
        // Not finite, or no gap at all.
        if !(high - low > 1e-12 * scale && wanted - high > 1e-9 * scale) {
            return None;
        }
        let lifts: Vec<f64> = values[..r].iter().map(|v| lift(*v, low, high)).collect();
        let least = lift(wanted, low, high);
        // What is known of a vector is not in the other columns, and need not be kept small there.
        let of_known = values[..r].iter().zip(&ritz.lengths).zip(&lifts);
        let room = of_known.fold(f64::INFINITY, |a, ((value, length), lift)| {
            let angle = (length / (value - high)).clamp(ROUNDING, 1.0);
            if *lift > least { a.min((APART - angle.ln()) / (lift - least)) } else { a }
        });
        if room < 2.0 {
            return None;
        }
        let products = |share: f64, lift: f64| ((2.0 * SAFETY * share).ln() / lift).max(0.0);
        let shares =
            ritz.shares(r, options).zip(&lifts).map(|(share, lift)| products(share, *lift));
        let needed: Vec<f64> = shares.skip(fixed).collect();
        let all = products(ritz.excess(r, options), least).ceil().max(2.0);
        // Some columns are found before others: these alone are then filtered again.
        let work = |degree: f64| {
            let rest = needed.iter().filter(|products| **products > degree).count() + width - r;
            let again = if degree < all { rest as f64 * (all - degree + STEP) } else { 0.0 };
            degree * (width - fixed) as f64 + again
        };
        let last = all.min(room).min(DEGREE as f64) as usize;
        let degree =
            (2..=last.max(2)).min_by(|a, b| work(*a as f64).total_cmp(&work(*b as f64)))?;
        Some(Plan { degree, high, columns: work(degree as f64) })
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
    fn filter(&self, m: &Matrix, mut before: Matrix, mut now: Matrix, plan: &Plan) -> Matrix {
        let (centre, half) = (0.5 * (plan.high + self.low), 0.5 * (plan.high - self.low));
        combine(&mut now, 1.0 / half, &before, -centre / half);
        for _ in 1..plan.degree {
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
