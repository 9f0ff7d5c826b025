//! The k algebraically largest eigenpairs of a symmetric operator A that can only be applied to
//! thin blocks of vectors: max tr(UᵀAU) subject to UᵀU = I, U ∈ R^{n×k}.
//!
//! Method: block Krylov subspace with full reorthogonalisation, Rayleigh–Ritz on it, thick
//! restart (Wu & Simon, *SIAM J. Matrix Anal. Appl.* 22, 2000; block form as in Golub & Van Loan,
//! *Matrix Computations*, §10.3). "Largest" means by value: −5 comes after 0.
//!
//! | symbol | name | |
//! |---|---|---|
//! | Q | `basis` | orthonormal columns, the first `used` of them |
//! | T = QᵀAQ | `t` | computed explicitly, not assumed to be banded |
//! | W | `rest` | the part of A·(newest block) outside Q; the next block spans it |
//! | (θ, y), Qy | | a Ritz value, its coordinates, its vector |
//!
//! | AQ | `images` | kept, so that residuals A·Qy − θ·Qy are sums of its columns |
//!
//! Every few blocks the Ritz pairs are looked at: the search ends when their measured residuals
//! are short enough for all k pairs ([`Options::tol`], [`Options::angle`]). Otherwise the largest residuals of the wanted pairs are the
//! next block, at most `LANES` of them, however wide the start was; in between W is.
//!
//! A Krylov space that grows from b start vectors holds at most b vectors of each eigenspace. An
//! eigenvalue that is more than b-fold would therefore be found b times only, with perfect
//! residuals. When as many values agree as there were start vectors, the search therefore keeps
//! what it has and looks again in the complement from new random vectors. In the same way a warm
//! start may be an invariant subspace that is not the leading one; a few random vectors stand
//! beside it, and the search ends only when the best pair outside the k is known to a tenth of
//! the gap.
//!
//! Cost: for a basis of m columns (default 120, more for large k), per block of b columns one
//! product A·(n × b) and O(n m b); per look O(n m k + m³). Memory (2m + 4b) n values.
//! When the basis would reach n, or n ≤ 64, or for n up to 2,600 where k is a sizeable part of n or the
//! search takes long, A is decomposed: 4/3 n³ operations for the reduction, and where nobody
//! has the matrix 2 n³ for applying it to the identity.
//!
//! Why the solver is ours: that of faer 0.24 (`partial_self_adjoint_eigen`) does not end on some
//! matrices and skips eigenvalues on others, without a word. Why there are three: this one is for one
//! operator that can only be applied; [`recycle`](super::recycle) for a sequence of operators that
//! differ by a thin factor, whose products are used again; [`filter`](super::filter) for such a
//! sequence where so many pairs are wanted that a growing basis costs more than the products it saves.

mod space;

use super::dense::{self, Slice};
use crate::data::Matrix;
use crate::{Counts, Error, Result, Run, Status, Watch};
pub(crate) use space::orient;
use space::{Space, residual_norms};

/// Up to this n the operator is formed and decomposed.
const DENSE: usize = 64;

/// Up to this n the operator is formed and decomposed, too, if more than n / `SHARE` pairs are wanted (a
/// basis of several k columns costs more) or [`Patience`] ends (measured at n = 1,600: a decomposition takes as long as
/// some 1,500 columns; at n = 2,000 with 120 pairs and no gap after them these and the decomposition took three times as
/// long as it alone). It cannot be stopped, and takes a second or two here.
const LARGEST: usize = 2600;
const SHARE: usize = 40;
/// Columns of products, as parts of n: those that are tried at most, those that may be expected to be needed still,
/// and those after which that is asked.
const MOST: usize = 2;
const STILL: usize = 2;
const BEFORE: usize = 6;

/// What a stop leaves without a result.
const SEARCH: &str = "the search for eigenvectors";

/// Columns of the identity that A is applied to at once where it is formed: with all of them, two fifths of
/// the time went into new memory for partial sums (n = 2,000, 250 pairs).
const PANEL: usize = 128;

/// Columns that one vector register holds: a product with fewer costs nearly as much.
const LANES: usize = 8;

/// Random columns beside a warm start.
const EXTRA: usize = 4;

/// Ritz values closer than this share of the spread count as one in the test for multiplicity.
const CLUSTER: f64 = 1e-4;

/// When to stop and how much to keep.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Residual ‖Au − θu‖ that is good enough, relative to the largest |θ|; values below 1e-14
    /// count as 1e-14.
    pub tol: f64,
    /// Angle between each vector and the span of the exact ones that is good enough, in radians:
    /// a residual is good enough if it is so by `tol` or at most `angle` · (θ − the next value
    /// outside the k), which bounds the angle to first order (Davis and Kahan).
    pub angle: f64,
    /// Columns of A·(block) after which the search gives up.
    pub max_products: usize,
    /// Columns of a block, or 0 for 8; with a warm start at least its width and four.
    pub block: usize,
    /// Columns of the basis before a restart, or 0 for max(120, 4k + 2 blocks).
    pub basis: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { tol: 1e-10, angle: 0.0, max_products: 20_000, block: 0, basis: 0 }
    }
}

impl Options {
    /// The length of a residual that is good enough, for an operator of norm `scale` and a value
    /// that lies `gap` above those outside.
    pub(super) fn good_enough(&self, scale: f64, gap: f64) -> f64 {
        (self.tol.max(1e-14) * scale).max(self.angle * gap)
    }
}

/// A symmetric n × n matrix A.
pub(crate) struct Operator<'a> {
    pub n: usize,
    /// A times an n × b block.
    pub apply: &'a dyn Fn(&Matrix) -> Matrix,
    /// A itself, where it is had for less than n products.
    pub matrix: Option<&'a dyn Fn() -> Result<Matrix>>,
}

/// Leading eigenpairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Eigenpairs {
    /// Eigenvalues, descending.
    pub values: Vec<f64>,
    /// Eigenvectors as orthonormal columns, n × k. In each column the entry of the largest
    /// magnitude (the first of them, should several agree to eight digits) is positive.
    pub vectors: Matrix,
    /// ‖Au − θu‖ of each pair.
    pub residuals: Vec<f64>,
    /// The largest value outside the k, as the search knew it at its end: from below, and good to
    /// a few digits where the k are known to many. `None` if there is none.
    pub next: Option<f64>,
    /// Columns that A was applied to.
    pub products: usize,
    /// Converged; iteration limit; stalled (the tolerance is beyond the rounding of A); time
    /// limit or interrupted, with the best pairs found so far.
    pub status: Status,
}

impl Eigenpairs {
    /// The difference of the k-th value and the next one.
    pub fn gap(&self) -> Option<f64> {
        Some((self.values.last()? - self.next?).max(0.0))
    }
}

/// The k algebraically largest eigenpairs of the symmetric n × n operator `apply`, which takes
/// an n × b block and returns A times it.
///
/// `warm` (n × any number of columns) is taken into the first block: the trace Σθ of the result is
/// never below the trace of the best k directions in its span. Start vectors come from
/// [`Run::rng`]; a call adds one to [`Counts::eigen_solves`].
///
/// # Errors
/// k is 0 or above n; a warm start of other than n rows; A gives values that are not finite; the first
/// products were given up because of a stop (later ones are left out of the result).
pub fn top_eigenpairs(
    n: usize,
    k: usize,
    apply: &dyn Fn(&Matrix) -> Matrix,
    warm: Option<&Matrix>,
    options: &Options,
    run: &Run,
    watch: &Watch,
    counts: &mut Counts,
) -> Result<Eigenpairs> {
    Operator { n, apply, matrix: None }.top(k, warm, options, run, watch, counts)
}

impl Operator<'_> {
    /// [`top_eigenpairs`].
    pub fn top(
        &self,
        k: usize,
        warm: Option<&Matrix>,
        options: &Options,
        run: &Run,
        watch: &Watch,
        counts: &mut Counts,
    ) -> Result<Eigenpairs> {
        let (n, apply) = (self.n, self.apply);
        if k == 0 || k > n {
            let problem = format!("expected from 1 to {n} (the size of the matrix), found {k}");
            return Err(Error::parameter("eigenvectors", problem));
        }
        if let Some(w) = warm.filter(|w| w.rows() != n) {
            return Err(Error::shape(
                "warm start of the eigenvectors",
                format!("{n} rows"),
                w.rows(),
            ));
        }
        counts.eigen_solves += 1;
        let block = match (options.block, warm) {
            (0, Some(w)) => (w.cols() + EXTRA).next_multiple_of(LANES),
            (0, None) => LANES,
            (b, Some(w)) => b.max(w.cols() + EXTRA),
            (b, None) => b,
        };
        let capacity = if options.basis == 0 { 120.max(4 * k + 2 * block) } else { options.basis };
        let capacity = capacity.max(k + 2 * block);
        let free = options.block == 0 && options.basis == 0;
        if n <= DENSE || capacity >= n || (free && decomposes(n, k, run, watch)) {
            return self.decompose(k, watch);
        }
        let rng = run.rng("eigenvectors");
        let mut space = Space {
            basis: Matrix::zeros(n, capacity),
            images: Matrix::zeros(n, capacity),
            t: Matrix::zeros(capacity, capacity),
            used: 0,
            rng,
            scale: 0.0,
        };
        let mut start = space.random(block);
        if let Some(w) = warm {
            for i in 0..n {
                start.row_mut(i)[..w.cols()].copy_from_slice(w.row(i));
            }
        }
        space.append(&start)?;
        let patience = (free && may_form(n, run)).then_some(Patience { n, first: None });
        match search(space, k, warm.is_some(), apply, options, patience, watch)? {
            Some(found) => Ok(found),
            None => self.decompose(k, watch),
        }
    }

    /// By a decomposition.
    fn decompose(&self, k: usize, watch: &Watch) -> Result<Eigenpairs> {
        if let Some(matrix) = self.matrix {
            return top_of_matrix(matrix()?, k);
        }
        let (n, mut a) = (self.n, Matrix::zeros(self.n, self.n));
        for first in (0..n).step_by(PANEL) {
            let width = PANEL.min(n - first);
            let identity = |i: usize, j: usize| f64::from(u8::from(i == first + j));
            let image = (self.apply)(&Matrix::from_fn(n, width, identity));
            watch.complete(SEARCH)?;
            (0..n).for_each(|i| a.row_mut(i)[first..first + width].copy_from_slice(image.row(i)));
        }
        top_of_matrix(dense::symmetric_part(a), k)
    }
}

/// When a search is given up for a decomposition.
struct Patience {
    n: usize,
    /// Columns of products and excess when the basis was full for the first time: before that residuals say nothing of
    /// how they will fall.
    first: Option<(usize, f64)>,
}

impl Patience {
    /// Asked after so many columns, when the largest residual is `excess` times too long.
    fn ends(&mut self, products: usize, excess: f64, full: bool) -> bool {
        let expected = match self.first {
            Some((then, was)) if full => {
                let fallen = (was / excess).ln();
                let rate = fallen / (products - then) as f64;
                if fallen > 0.0 { excess.ln().max(0.0) / rate } else { f64::INFINITY }
            }
            _ => 0.0,
        };
        if full && self.first.is_none() {
            self.first = Some((products, excess));
        }
        products >= self.n / MOST
            || products >= self.n / BEFORE && expected > (self.n / STILL) as f64
    }
}

/// Notices residuals that rounding keeps from falling further.
#[derive(Default)]
struct Progress {
    best: Option<f64>,
    looks: usize,
    /// Columns and excess at the last look.
    last: Option<(usize, f64)>,
}

impl Progress {
    /// Columns at which to look again: when the residuals will have become good enough if they go
    /// on falling as they did, but at the latest after a quarter more columns. `excess` is how
    /// many times too long the worst one is.
    fn next_look(&mut self, done: usize, excess: f64, block: usize) -> usize {
        let most = block.max(done / 4);
        let guess = match self.last {
            Some((before, was)) if done > before && was > excess && excess > 1.0 => {
                let rate = (was / excess).ln() / (done - before) as f64;
                (excess.ln() / rate).ceil() as usize
            }
            _ => most,
        };
        self.last = Some((done, excess));
        done + guess.clamp(block, most)
    }

    /// Stalled, if residuals are too long but near rounding, and three looks have not halved the
    /// largest.
    fn stalled(&mut self, excess: f64, residuals: &[f64], scale: f64) -> Option<Status> {
        let worst = residuals.iter().fold(0.0_f64, |a, r| a.max(*r));
        if self.best.is_none_or(|b| worst < 0.5 * b) {
            (self.best, self.looks) = (Some(worst), 0);
        } else {
            self.looks += 1;
        }
        let near = excess > 1.0 && worst <= 1e-11 * scale;
        (near && self.looks >= 3).then_some(Status::Stalled)
    }
}

/// The main loop. The basis holds the first block, which A has not been applied to yet. With
/// `verify` the start may be an invariant subspace that is not the leading one: the best pair in
/// its complement must be settled too. `None` where the patience ends.
fn search(
    mut space: Space,
    k: usize,
    mut verify: bool,
    apply: &dyn Fn(&Matrix) -> Matrix,
    options: &Options,
    mut patience: Option<Patience>,
    watch: &Watch,
) -> Result<Option<Eigenpairs>> {
    let capacity = space.basis.cols();
    let block = if options.block == 0 { LANES } else { options.block };
    let (mut done, mut products, mut next_check) = (0, 0, k);
    let mut starts = space.used; // random and warm start vectors so far
    let mut progress = Progress::default();
    loop {
        products += space.used - done;
        let mut rest = space.multiply(done, apply)?;
        if watch.gave_up() {
            if done < k {
                watch.complete(SEARCH)?;
            }
            (products, space.used) = (products - (space.used - done), done);
        }
        done = space.used;
        let stop =
            watch.stop().or((products >= options.max_products).then_some(Status::IterationLimit));
        let crowded = done + block.max(rest.cols()) > capacity;
        if done >= k && (done >= next_check || crowded || stop.is_some()) {
            let ritz = space.rayleigh_ritz(k)?;
            let limit = options.good_enough(space.scale, 0.0);
            let excess = ritz.excess(k, options, space.scale);
            next_check = progress.next_look(done, excess, block);
            let converged = excess <= 1.0 && (!verify || ritz.complement_settled(k, limit));
            let stop = stop.or(progress.stalled(excess, &ritz.residuals[..k], space.scale));
            if let Some(status) = stop.filter(|_| !converged) {
                return Ok(Some(ritz.finish(k, status, products)));
            }
            if converged && !ritz.may_miss_copies(k, starts) {
                return Ok(Some(ritz.finish(k, Status::Converged, products)));
            }
            if patience.as_mut().is_some_and(|p| p.ends(products, excess, crowded)) {
                return Ok(None);
            }
            if converged {
                space.restart(&ritz, k)?;
                (done, verify, starts) = (k, true, starts + block);
                next_check = done + 2 * block;
                let mut start = space.random(block);
                space.project_out(&mut start);
                space.project_out(&mut start);
                space.append(&start)?;
                continue;
            }
            if crowded {
                let keep = (k + (capacity - k) * 2 / 5).min(capacity - block);
                space.restart(&ritz, keep)?;
                done = keep;
                next_check = done + (capacity - keep) / 2;
            }
            rest = ritz.next_block(block);
            space.project_out(&mut rest);
            space.project_out(&mut rest);
        }
        space.append(&rest)?;
    }
}

/// Whether the k leading pairs of an n × n operator are found by decomposition: those of a matrix that is
/// there, or can be had for less than n products, by [`top_of_matrix`].
pub(crate) fn decomposes(n: usize, k: usize, run: &Run, watch: &Watch) -> bool {
    let many = k > 0 && k <= n && k.saturating_mul(SHARE) >= n;
    many && may_form(n, run) && watch.stop().is_none()
}

/// Whether an n × n matrix and what its decomposition takes have room, and this can do without a stop.
fn may_form(n: usize, run: &Run) -> bool {
    n <= LARGEST && [24, n, n].into_iter().fold(1, usize::saturating_mul) <= run.memory
}

/// [`top_eigenpairs`] of a symmetric matrix, 1 ≤ k ≤ n, by decomposition.
///
/// # Errors
/// An entry is not finite.
pub(crate) fn top_of_matrix(a: Matrix, k: usize) -> Result<Eigenpairs> {
    let n = a.rows();
    let shown = (k + 1).min(n);
    let (mut values, vectors) = dense::leading_eigen(&a, shown)?;
    let next = (k < n).then(|| values[k]);
    values.truncate(k);
    let mut vectors = if k < shown { head(&vectors, k) } else { vectors };
    orient(&mut vectors);
    let image = dense::product(Slice::of(&a), Slice::of(&vectors));
    let residuals = residual_norms(&image, &vectors, &values);
    Ok(Eigenpairs { values, vectors, residuals, next, products: n, status: Status::Converged })
}

/// The first k columns.
fn head(vectors: &Matrix, k: usize) -> Matrix {
    vectors.select_cols(&(0..k).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
