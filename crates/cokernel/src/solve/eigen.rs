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
//! Since A Q = Q T + W Eᵀ, with E picking the newest block, ‖A Qy − θ Qy‖ = ‖W Eᵀy‖ is known
//! without multiplying; the search ends when it is ≤ tol · max|θ| for all k pairs, and the
//! residuals that are returned are then measured with one more product.
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
//! product A·(n × b) and O(n m b); per Rayleigh–Ritz step O(m³). Memory (m + 4b) n values.
//! When the basis would reach n, or n ≤ 64, A is formed by applying it to the identity and
//! decomposed: O(n³) for small n only.

use super::dense::{self, Slice};
use crate::data::Matrix;
use crate::{Counts, Error, Result, Run, Status, Watch};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Up to this n the operator is formed and decomposed.
const DENSE: usize = 64;

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
    /// Columns of A·(block) after which the search gives up.
    pub max_products: usize,
    /// Columns of a block, or 0 for 8; with a warm start at least its width and four.
    pub block: usize,
    /// Columns of the basis before a restart, or 0 for max(120, 4k + 2 blocks).
    pub basis: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { tol: 1e-10, max_products: 20_000, block: 0, basis: 0 }
    }
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
    /// Columns that A was applied to.
    pub products: usize,
    /// Converged; iteration limit; stalled (the tolerance is beyond the rounding of A); time
    /// limit or interrupted, with the best pairs found so far.
    pub status: Status,
}

/// The k algebraically largest eigenpairs of the symmetric n × n operator `apply`, which takes
/// an n × b block and returns A times it.
///
/// `warm` (n × any number of columns) is taken into the first block: the trace Σθ of the result is
/// never below the trace of the best k directions in its span. Start vectors come from
/// [`Run::rng`]; a call adds one to [`Counts::eigen_solves`].
///
/// # Errors
/// k is 0 or above n; a warm start of other than n rows; A gives values that are not finite.
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
    if k == 0 || k > n {
        let problem = format!("expected from 1 to {n} (the size of the matrix), found {k}");
        return Err(Error::parameter("eigenvectors", problem));
    }
    if let Some(w) = warm.filter(|w| w.rows() != n) {
        return Err(Error::shape("warm start of the eigenvectors", format!("{n} rows"), w.rows()));
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
    if n <= DENSE || capacity >= n {
        return decompose(n, k, apply);
    }
    let rng = run.rng("eigenvectors");
    let mut space = Space {
        basis: Matrix::zeros(n, capacity),
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
    space.append(&start);
    search(space, k, block, warm.is_some(), apply, options, watch)
}

/// The main loop. The basis holds the first block, which A has not been applied to yet. With
/// `verify` the start may be an invariant subspace that is not the leading one: the best pair in
/// its complement must be settled too.
fn search(
    mut space: Space,
    k: usize,
    block: usize,
    mut verify: bool,
    apply: &dyn Fn(&Matrix) -> Matrix,
    options: &Options,
    watch: &Watch,
) -> Result<Eigenpairs> {
    let capacity = space.basis.cols();
    let tol = options.tol.max(1e-14);
    let (mut done, mut products, mut next_check) = (0, 0, k);
    let mut rounds = 1; // times that random start vectors were drawn
    loop {
        let fresh = space.columns(done, space.used);
        products += fresh.cols();
        let rest = space.multiply(&fresh, done, apply)?;
        let newest = done;
        done = space.used;
        let stop =
            watch.stop().or((products >= options.max_products).then_some(Status::IterationLimit));
        let crowded = done + block > capacity;
        if done >= k && (done >= next_check || crowded || stop.is_some()) {
            next_check = done + block.max(done / 4);
            let ritz = space.rayleigh_ritz(&rest, newest)?;
            let limit = tol * space.scale;
            let converged = ritz.residuals[..k].iter().all(|r| *r <= limit)
                && (!verify || ritz.complement_settled(k, limit));
            if let Some(status) = stop {
                return space.finish(&ritz, k, status, limit, products, apply);
            }
            if converged && !ritz.may_miss_copies(k, rounds * block) {
                return space.finish(&ritz, k, Status::Converged, limit, products, apply);
            }
            if converged {
                space.restart(&ritz, k);
                (done, verify, rounds) = (k, true, rounds + 1);
                next_check = done + 2 * block;
                let mut start = space.random(block);
                space.project_out(&mut start);
                space.project_out(&mut start);
                space.append(&start);
                continue;
            }
            if crowded {
                let keep = (k + (capacity - k) * 2 / 5).min(capacity - block);
                space.restart(&ritz, keep);
                done = keep;
                next_check = done + (capacity - keep) / 2;
            }
        }
        space.append(&rest);
    }
}

/// All of A at once.
fn decompose(n: usize, k: usize, apply: &dyn Fn(&Matrix) -> Matrix) -> Result<Eigenpairs> {
    let a = apply(&Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j))));
    let a = Matrix::from_fn(n, n, |i, j| 0.5 * (a.get(i, j) + a.get(j, i)));
    let (ascending, all) = dense::symmetric_eigen(&a)?;
    let values: Vec<f64> = ascending.iter().rev().take(k).copied().collect();
    let mut vectors = Matrix::from_fn(n, k, |i, j| all.get(i, n - 1 - j));
    orient(&mut vectors);
    let image = dense::product(Slice::of(&a), Slice::of(&vectors));
    let residuals = residual_norms(&image, &vectors, &values);
    Ok(Eigenpairs { values, vectors, residuals, products: n, status: Status::Converged })
}

/// The growing subspace.
struct Space {
    basis: Matrix,
    t: Matrix,
    used: usize,
    rng: Xoshiro256PlusPlus,
    /// Largest |θ| seen: the scale of A.
    scale: f64,
}

/// A Rayleigh–Ritz step: pairs in descending order.
struct Ritz {
    values: Vec<f64>,
    /// Coordinates as columns.
    coordinates: Matrix,
    residuals: Vec<f64>,
}

impl Ritz {
    /// Whether some eigenvalue among the first k appears as often as the start vectors allow.
    fn may_miss_copies(&self, k: usize, starts: usize) -> bool {
        if starts >= k {
            return false;
        }
        let near = CLUSTER * (self.values[0] - self.values[self.values.len() - 1]);
        (0..k - starts + 1).any(|i| self.values[i] - self.values[i + starts - 1] <= near)
    }

    /// Whether the best pair outside the first k is known well enough to stay outside.
    fn complement_settled(&self, k: usize, limit: f64) -> bool {
        match (self.values.get(k), self.residuals.get(k)) {
            (Some(v), Some(r)) => *r <= limit.max(0.1 * (self.values[k - 1] - v)),
            _ => false,
        }
    }
}

impl Space {
    fn random(&mut self, cols: usize) -> Matrix {
        Matrix::from_fn(self.basis.rows(), cols, |_, _| self.rng.random::<f64>() - 0.5)
    }

    fn columns(&self, from: usize, to: usize) -> Matrix {
        Matrix::from_fn(self.basis.rows(), to - from, |i, j| self.basis.get(i, from + j))
    }

    /// w ← w − Q Qᵀw; returns Qᵀw.
    fn project_out(&self, w: &mut Matrix) -> Matrix {
        let q = Slice::head(&self.basis, self.used);
        let coordinates = dense::gram_tn(q, Slice::of(w));
        dense::accumulate(w, -1.0, q, Slice::of(&coordinates));
        coordinates
    }

    /// Applies A to the newest block (columns `newest..used`), fills in T, returns the part
    /// outside the basis.
    fn multiply(
        &mut self,
        fresh: &Matrix,
        newest: usize,
        apply: &dyn Fn(&Matrix) -> Matrix,
    ) -> Result<Matrix> {
        let mut w = apply(fresh);
        if w.values().iter().any(|v| !v.is_finite()) {
            return Err(Error::Data(
                "eigenvectors were asked of a matrix with entries that are not finite numbers"
                    .into(),
            ));
        }
        let mut coordinates = self.project_out(&mut w);
        let again = self.project_out(&mut w);
        coordinates.values_mut().iter_mut().zip(again.values()).for_each(|(c, a)| *c += a);
        for i in 0..self.used {
            for j in newest..self.used {
                let value = coordinates.get(i, j - newest);
                self.t.set(i, j, value);
                self.t.set(j, i, value);
            }
        }
        for j in newest..self.used {
            let length: f64 = (newest..self.used).map(|i| self.t.get(i, j).powi(2)).sum();
            self.scale = self.scale.max(length.sqrt());
        }
        Ok(w)
    }

    /// Adds the span of the columns of `block`, which are orthogonal to the basis, to it. Columns
    /// that add nothing are replaced by random ones, so that the basis grows by the width of the
    /// block, or up to n.
    fn append(&mut self, block: &Matrix) {
        let n = self.basis.rows();
        let width = block.cols().min(n - self.used).min(self.basis.cols() - self.used);
        let floor = 1e-13 * self.scale;
        let mut vectors = block.transposed();
        let mut weak = false;
        for c in 0..width {
            let (before, after) = clear_row(&mut vectors, c);
            if after <= floor.max(1e-13 * before) {
                let mut w = self.random(1);
                self.project_out(&mut w);
                vectors.row_mut(c).copy_from_slice(w.values());
                clear_row(&mut vectors, c);
                weak = true;
            }
            weak |= after < 0.1 * before || after < 1e-6 * self.scale;
            normalize(vectors.row_mut(c));
        }
        let rows: Vec<usize> = (0..width).collect();
        let mut vectors = vectors.select_rows(&rows);
        // Small remainders have lost their orthogonality to the basis: once more.
        if weak {
            let mut w = vectors.transposed();
            self.project_out(&mut w);
            vectors = w.transposed();
            for c in 0..width {
                clear_row(&mut vectors, c);
                normalize(vectors.row_mut(c));
            }
        }
        for i in 0..n {
            for c in 0..width {
                self.basis.set(i, self.used + c, vectors.get(c, i));
            }
        }
        self.used += width;
    }

    /// Eigenpairs of T with the residuals that `rest`, belonging to columns `newest..used`,
    /// implies.
    fn rayleigh_ritz(&mut self, rest: &Matrix, newest: usize) -> Result<Ritz> {
        let m = self.used;
        let t = Matrix::from_fn(m, m, |i, j| self.t.get(i, j));
        let (ascending, all) = dense::symmetric_eigen(&t)?;
        let values: Vec<f64> = ascending.into_iter().rev().collect();
        let coordinates = Matrix::from_fn(m, m, |i, j| all.get(i, m - 1 - j));
        self.scale = values.iter().fold(self.scale, |s, v| s.max(v.abs()));
        let gram = dense::gram_tn(Slice::of(rest), Slice::of(rest));
        let residuals = (0..m)
            .map(|j| {
                let y: Vec<f64> = (newest..m).map(|i| coordinates.get(i, j)).collect();
                let square: f64 = (0..y.len())
                    .map(|a| y[a] * gram.row(a).iter().zip(&y).map(|(g, b)| g * b).sum::<f64>())
                    .sum();
                square.max(0.0).sqrt()
            })
            .collect();
        Ok(Ritz { values, coordinates, residuals })
    }

    /// Keeps the span of the first `keep` Ritz vectors.
    fn restart(&mut self, ritz: &Ritz, keep: usize) {
        let vectors = self.vectors(ritz, keep);
        self.t.values_mut().fill(0.0);
        for i in 0..self.basis.rows() {
            self.basis.row_mut(i)[..keep].copy_from_slice(vectors.row(i));
        }
        for (j, value) in ritz.values.iter().take(keep).enumerate() {
            self.t.set(j, j, *value);
        }
        self.used = keep;
    }

    fn vectors(&self, ritz: &Ritz, count: usize) -> Matrix {
        let y = ritz.coordinates.select_cols(&(0..count).collect::<Vec<_>>());
        dense::product(Slice::head(&self.basis, self.used), Slice::of(&y))
    }

    /// The first k Ritz pairs, oriented, with measured residuals.
    fn finish(
        &self,
        ritz: &Ritz,
        k: usize,
        status: Status,
        limit: f64,
        products: usize,
        apply: &dyn Fn(&Matrix) -> Matrix,
    ) -> Result<Eigenpairs> {
        let mut vectors = self.vectors(ritz, k);
        orient(&mut vectors);
        let values = ritz.values[..k].to_vec();
        let image = apply(&vectors);
        let residuals = residual_norms(&image, &vectors, &values);
        let far = residuals.iter().any(|r| *r > 10.0 * limit.max(1e-13 * self.scale));
        let status = if status == Status::Converged && far { Status::Stalled } else { status };
        Ok(Eigenpairs { values, vectors, residuals, products: products + k, status })
    }
}

/// Takes rows 0..c out of row c, twice; its norms before and after.
fn clear_row(vectors: &mut Matrix, c: usize) -> (f64, f64) {
    let before = norm(vectors.row(c));
    let cols = vectors.cols();
    let (earlier, rest) = vectors.values_mut().split_at_mut(c * cols);
    let row = &mut rest[..cols];
    for _ in 0..2 {
        for other in earlier.chunks_exact(cols) {
            let share = dot(other, row);
            row.iter_mut().zip(other).for_each(|(r, o)| *r -= share * o);
        }
    }
    (before, norm(vectors.row(c)))
}

fn normalize(row: &mut [f64]) {
    let length = norm(row);
    if length > 0.0 {
        row.iter_mut().for_each(|v| *v /= length);
    }
}

fn norm(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

/// Eight running sums, added in order.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (ca, cb) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = ca.remainder().iter().zip(cb.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in ca.zip(cb) {
        for l in 0..8 {
            sums[l] += x[l] * y[l];
        }
    }
    sums.iter().sum::<f64>() + tail
}

fn residual_norms(image: &Matrix, vectors: &Matrix, values: &[f64]) -> Vec<f64> {
    let mut squares = vec![0.0; values.len()];
    for i in 0..image.rows() {
        for (j, s) in squares.iter_mut().enumerate() {
            *s += (image.get(i, j) - values[j] * vectors.get(i, j)).powi(2);
        }
    }
    squares.into_iter().map(f64::sqrt).collect()
}

/// Makes the entry of the largest magnitude in each column positive.
fn orient(vectors: &mut Matrix) {
    for j in 0..vectors.cols() {
        let column = vectors.col(j);
        let largest = column.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let first = column.iter().find(|v| v.abs() >= largest * (1.0 - 1e-8));
        if first.is_some_and(|v| *v < 0.0) {
            for i in 0..vectors.rows() {
                vectors.set(i, j, -vectors.get(i, j));
            }
        }
    }
}

#[cfg(test)]
mod tests;
