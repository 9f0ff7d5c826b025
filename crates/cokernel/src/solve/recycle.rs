//! The r algebraically largest eigenpairs of L + F Fᵀ for one symmetric operator L and a sequence
//! of thin factors F, each of which differs little from the one before.
//!
//! Products with L are what costs. Whatever subspace Q has been multiplied by L stays: for a new F
//! the Rayleigh–Ritz step on Q needs no product at all, because (L + FFᵀ)Q = (LQ) + F(FᵀQ), and
//! only the residuals that are still too long extend Q. Since Q holds the leading part of the
//! spectrum of L, two or three blocks do where a search from the last eigenvectors alone would
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
//! The first search starts from more than r random columns, so that an eigenvalue of any
//! multiplicity is found r times; each search ends only when the best pair outside the r is known
//! to a tenth of the gap. Residuals are measured with LQ, not implied. The vectors of the last
//! answer stay in Q, so that the trace Σθ for the same F never falls, wherever a search ends.
//!
//! Cost: for a basis of m columns, per block of b columns one product L·(n × b), O(n m b) and
//! O(m³). Memory 2 n × m values, m = 8 b at most. If n ≤ m, L is applied to the identity, once.

use super::dense::{self, Slice};
use super::eigen::{Eigenpairs, Options, orient};
use crate::data::Matrix;
use crate::{Counts, Error, Result, Run, Status, Watch};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Random start columns above r, at least.
const EXTRA: usize = 4;

/// Blocks are a multiple of this: what one vector register holds.
const LANES: usize = 8;

/// Columns of the basis before it is cut, in blocks, and in columns at least.
const BLOCKS: usize = 8;
const LEAST: usize = 96;

/// Directions of a block whose share in its spread is below this are rounding.
const DEPENDENT: f64 = 1e-12;

/// A subspace with its image under L.
#[derive(Debug)]
pub struct Recycled {
    block: usize,
    basis: Matrix,
    image: Matrix,
    inner: Matrix,
    used: usize,
    products: usize,
    rng: Xoshiro256PlusPlus,
}

/// The leading Ritz pairs, descending.
struct Ritz {
    values: Vec<f64>,
    vectors: Matrix,
    rests: Matrix,
    lengths: Vec<f64>,
    /// Coordinates of all, as columns.
    coordinates: Matrix,
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
        let block = (r + EXTRA).next_multiple_of(LANES);
        let capacity = (BLOCKS * block).max(LEAST).min(n);
        Ok(Recycled {
            block,
            basis: Matrix::zeros(n, capacity),
            image: Matrix::zeros(n, capacity),
            inner: Matrix::zeros(capacity, capacity),
            used: 0,
            products: 0,
            rng: run.rng("recycled subspace"),
        })
    }

    /// All there is if it has room, else random columns.
    fn start(&mut self, multiply: &dyn Fn(&Matrix) -> Matrix) -> Result<()> {
        let (n, capacity) = (self.basis.rows(), self.basis.cols());
        let first = if capacity == n {
            Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)))
        } else {
            let rng = &mut self.rng;
            Matrix::from_fn(n, self.block, |_, _| rng.random::<f64>() - 0.5)
        };
        self.extend(&first, multiply)
    }

    /// The r leading eigenpairs of L + F Fᵀ, r at most one above what [`new`](Self::new) was told
    /// and not above n; `multiply` applies L, `factor` is n × any number of columns. A call adds
    /// one to [`Counts::eigen_solves`].
    ///
    /// # Errors
    /// L or F gives values that are not finite.
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
        }
        let mut shares = dense::gram_tn(Slice::of(factor), self.head());
        loop {
            let ritz = self.rayleigh_ritz(r, factor, &shares)?;
            let products = self.products - before;
            let scale = ritz.values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
            let limit = options.tol.max(1e-14) * scale;
            let mut wanted: Vec<usize> = (0..r).filter(|j| ritz.lengths[*j] > limit).collect();
            if let (Some(next), Some(rest)) = (ritz.values.get(r), ritz.lengths.get(r))
                && *rest > limit.max(0.1 * (ritz.values[r - 1] - next))
            {
                wanted.push(r);
            }
            if wanted.is_empty() || self.used == n {
                return Ok(finish(ritz, r, products, Status::Converged));
            }
            let limited = (products >= options.max_products).then_some(Status::IterationLimit);
            if let Some(status) = watch.stop().or(limited) {
                return Ok(finish(ritz, r, products, status));
            }
            // A product with a few columns costs as much as one with a full register.
            let width = wanted.len().next_multiple_of(LANES);
            let others = (r..ritz.lengths.len()).filter(|j| ritz.lengths[*j] > limit);
            let others: Vec<usize> = others.filter(|j| !wanted.contains(j)).collect();
            wanted.extend(others.into_iter().take(width - wanted.len()));
            let block = ritz.rests.select_cols(&wanted);
            if self.used + block.cols() > self.basis.cols() {
                self.cut(&ritz.coordinates, &mut shares);
            }
            let held = self.used;
            self.extend(&block, multiply)?;
            if self.used == held {
                return Ok(finish(ritz, r, products, Status::Stalled));
            }
            shares = dense::gram_tn(Slice::of(factor), self.head());
        }
    }

    fn head(&self) -> Slice<'_> {
        Slice::head(&self.basis, self.used)
    }

    /// The leading pairs of (L + FFᵀ) on the basis, with their residuals.
    fn rayleigh_ritz(&self, r: usize, factor: &Matrix, shares: &Matrix) -> Result<Ritz> {
        let m = self.used;
        let low = dense::gram_tn(Slice::of(shares), Slice::of(shares));
        let t = Matrix::from_fn(m, m, |i, j| {
            0.5 * (self.inner.get(i, j) + self.inner.get(j, i)) + low.get(i, j)
        });
        let (ascending, all) = dense::symmetric_eigen(&t)?;
        let shown = (r + 1).next_multiple_of(LANES).min(m);
        let values: Vec<f64> = ascending.into_iter().rev().take(shown).collect();
        let coordinates = Matrix::from_fn(m, m, |i, j| all.get(i, m - 1 - j));
        let y = Slice::head(&coordinates, shown);
        let vectors = dense::product(self.head(), y);
        let mut rests = dense::product(Slice::head(&self.image, m), y);
        let drawn = dense::product(Slice::of(shares), y);
        dense::accumulate(&mut rests, 1.0, Slice::of(factor), Slice::of(&drawn));
        let mut squares = vec![0.0; shown];
        for i in 0..rests.rows() {
            for (j, (rest, u)) in rests.row_mut(i).iter_mut().zip(vectors.row(i)).enumerate() {
                *rest -= values[j] * u;
                squares[j] += *rest * *rest;
            }
        }
        let lengths = squares.into_iter().map(f64::sqrt).collect();
        Ok(Ritz { values, vectors, rests, lengths, coordinates })
    }

    /// Adds what the columns of `block` span outside the basis, with its image.
    fn extend(&mut self, block: &Matrix, multiply: &dyn Fn(&Matrix) -> Matrix) -> Result<()> {
        let new = self.orthonormal(block)?;
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
                self.inner.set(i, j, inner.get(i, j - from));
                self.inner.set(j, i, inner.get(i, j - from));
            }
        }
        Ok(())
    }

    /// Orthonormal columns for the span of `block` outside the basis, at most as many as it has
    /// room for: twice the projection and the inverse root of the Gram matrix.
    fn orthonormal(&self, block: &Matrix) -> Result<Matrix> {
        let room = self.basis.cols() - self.used;
        let mut w = block.select_cols(&(0..block.cols().min(room)).collect::<Vec<_>>());
        for _ in 0..2 {
            let lengths = dense::gram_tn(Slice::of(&w), Slice::of(&w));
            for i in 0..w.rows() {
                for (j, v) in w.row_mut(i).iter_mut().enumerate() {
                    let square = lengths.get(j, j);
                    *v = if square > 0.0 { *v / square.sqrt() } else { 0.0 };
                }
            }
            let coordinates = dense::gram_tn(self.head(), Slice::of(&w));
            dense::accumulate(&mut w, -1.0, self.head(), Slice::of(&coordinates));
            let (values, vectors) =
                dense::symmetric_eigen(&dense::gram_tn(Slice::of(&w), Slice::of(&w)))?;
            let kept: Vec<usize> =
                (0..values.len()).rev().filter(|j| values[*j] > DEPENDENT).collect();
            let root = Matrix::from_fn(w.cols(), kept.len(), |i, j| {
                vectors.get(i, kept[j]) / values[kept[j]].sqrt()
            });
            w = dense::product(Slice::of(&w), Slice::of(&root));
        }
        Ok(w)
    }

    /// Keeps the span of the leading two fifths of the Ritz vectors.
    fn cut(&mut self, coordinates: &Matrix, shares: &mut Matrix) {
        let keep = (self.basis.cols() * 2 / 5).max(self.block).min(self.used);
        let y = coordinates.select_cols(&(0..keep).collect::<Vec<_>>());
        let y = Slice::of(&y);
        let m = self.used;
        for part in [&mut self.basis, &mut self.image] {
            let turned = dense::product(Slice::head(part, m), y);
            for i in 0..turned.rows() {
                part.row_mut(i)[..keep].copy_from_slice(turned.row(i));
            }
        }
        let inner = Matrix::from_fn(m, m, |i, j| self.inner.get(i, j));
        let inner = dense::gram_tn(y, Slice::of(&dense::product(Slice::of(&inner), y)));
        for i in 0..keep {
            self.inner.row_mut(i)[..keep].copy_from_slice(inner.row(i));
        }
        *shares = dense::product(Slice::of(shares), y);
        self.used = keep;
    }
}

fn finish(ritz: Ritz, r: usize, products: usize, status: Status) -> Eigenpairs {
    let mut vectors = ritz.vectors.select_cols(&(0..r).collect::<Vec<_>>());
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn random(rows: usize, cols: usize, seed: u64) -> Matrix {
        let mut rng = Run::with_seed(seed).rng("recycle tests");
        Matrix::from_fn(rows, cols, |_, _| rng.random::<f64>() - 0.5)
    }

    /// A Gaussian similarity of groups that overlap, normalised: a decaying spectrum.
    fn similarity(n: usize) -> Matrix {
        let x = random(n, 3, 1);
        let at = |i: usize, j: usize| 4.0 * x.get(i, j) + f64::from(u8::from(i % 3 == j));
        let k = Matrix::from_fn(n, n, |i, j| {
            let d: f64 = (0..3).map(|c| (at(i, c) - at(j, c)).powi(2)).sum();
            (-0.5 * d).exp()
        });
        let s: Vec<f64> = (0..n).map(|i| k.row(i).iter().sum::<f64>().sqrt()).collect();
        Matrix::from_fn(n, n, |i, j| k.get(i, j) / (s[i] * s[j]))
    }

    fn plus(l: &Matrix, f: &Matrix) -> Matrix {
        let mut sum = l.clone();
        dense::accumulate(&mut sum, 1.0, Slice::of(f), Slice::of(&f.transposed()));
        sum
    }

    /// Values, residuals and orthonormality against the full decomposition.
    fn check(l: &Matrix, f: &Matrix, r: usize, e: &Eigenpairs) {
        let a = plus(l, f);
        let n = a.rows();
        let (ascending, _) = dense::symmetric_eigen(&a).unwrap();
        for j in 0..r {
            assert!((e.values[j] - ascending[n - 1 - j]).abs() < 1e-11, "{:?}", e.values);
        }
        let mut rest = dense::product(Slice::of(&a), Slice::of(&e.vectors));
        for i in 0..n {
            for j in 0..r {
                rest.set(i, j, rest.get(i, j) - e.values[j] * e.vectors.get(i, j));
            }
        }
        let scale = ascending[n - 1].max(1.0);
        let first = rest.select_cols(&(0..r).collect::<Vec<_>>());
        assert!(first.values().iter().all(|v| v.abs() < 2e-12 * scale));
        let gram = dense::gram_tn(Slice::of(&e.vectors), Slice::of(&e.vectors));
        for i in 0..r {
            for j in 0..r {
                assert!((gram.get(i, j) - f64::from(u8::from(i == j))).abs() < 1e-12);
            }
        }
        let gap = ascending[n - r] - ascending[n - 1 - r];
        assert!((e.next.unwrap() - ascending[n - 1 - r]).abs() <= 0.02 * gap + 1e-12);
    }

    fn options() -> Options {
        Options { tol: 1e-12, ..Options::default() }
    }

    #[test]
    fn a_sequence_of_factors() {
        for (n, r) in [(40, 3), (300, 3), (400, 10)] {
            let l = similarity(n);
            let multiply = |x: &Matrix| dense::product(Slice::of(&l), Slice::of(x));
            let run = Run::default();
            let watch = run.watch();
            let mut counts = Counts::default();
            let mut space = Recycled::new(n, r, &run).unwrap();
            let mut top = |f: &Matrix| {
                let e = space.top(r, f, &multiply, &options(), &watch, &mut counts).unwrap();
                assert_eq!(e.status, Status::Converged);
                check(&l, f, r, &e);
                e.products
            };
            let first = top(&Matrix::zeros(n, 0));
            // The same again costs nothing.
            assert_eq!(top(&Matrix::zeros(n, 0)), 0);
            let (f, step) = (random(n, 2 * r, 2), random(n, 2 * r, 3));
            let mut last = usize::MAX;
            for t in 0..6 {
                let shrink = 0.1_f64.powi(t);
                let f = Matrix::from_fn(n, 2 * r, |i, j| {
                    0.05 * (f.get(i, j) + shrink * step.get(i, j))
                });
                last = top(&f);
            }
            if n > 40 {
                assert!(2 * last < first, "{last} products after {first}");
            } else {
                assert_eq!((first, last), (n, 0));
            }
            assert_eq!(counts.eigen_solves, 8);
        }
    }

    /// An eigenvalue of any multiplicity is found, and a factor that lifts others is noticed.
    #[test]
    fn copies_and_overtaking() {
        let n = 240;
        let parts = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i % 12 == j % 12)) / 20.0);
        let multiply = |x: &Matrix| dense::product(Slice::of(&parts), Slice::of(x));
        let run = Run::default();
        let watch = run.watch();
        let mut counts = Counts::default();
        let mut space = Recycled::new(n, 12, &run).unwrap();
        let none = Matrix::zeros(n, 0);
        let e = space.top(12, &none, &multiply, &options(), &watch, &mut counts).unwrap();
        check(&parts, &none, 12, &e);
        // Two directions orthogonal to all parts come first.
        let lift = Matrix::from_fn(n, 2, |i, j| {
            let sign = if (i / 12) % 2 == 0 { 1.0 } else { -1.0 };
            if i % 2 == j { 0.2 * sign } else { 0.0 }
        });
        let e = space.top(12, &lift, &multiply, &options(), &watch, &mut counts).unwrap();
        check(&parts, &lift, 10, &Eigenpairs { next: Some(1.0), ..e.clone() });
        assert!((e.values[0] - 4.8).abs() < 1e-12 && (e.values[1] - 4.8).abs() < 1e-12);
        assert!(e.values[2..].iter().all(|v| (v - 1.0).abs() < 1e-12));
    }

    #[test]
    fn limits_and_misuse() {
        let l = similarity(300);
        let multiply = |x: &Matrix| dense::product(Slice::of(&l), Slice::of(x));
        let late = Run { time_limit: Some(Duration::ZERO), ..Run::default() };
        let none = Matrix::zeros(300, 0);
        let mut counts = Counts::default();
        let mut space = Recycled::new(300, 3, &late).unwrap();
        let e = space.top(3, &none, &multiply, &options(), &late.watch(), &mut counts).unwrap();
        assert_eq!((e.status, e.vectors.cols(), e.products), (Status::TimeLimit, 3, 8));
        // The trace goes on from there, and never falls.
        let few = Options { max_products: 16, ..options() };
        let run = Run::default();
        let mut trace = e.values.iter().sum::<f64>();
        for _ in 0..4 {
            let e = space.top(3, &none, &multiply, &few, &run.watch(), &mut counts).unwrap();
            let now = e.values.iter().sum::<f64>();
            assert!(now >= trace - 1e-14);
            trace = now;
        }
        for r in [0, 301] {
            let e = Recycled::new(300, r, &run).unwrap_err().to_string();
            assert!(e.contains("expected from 1 to 300") && e.ends_with(&format!("found {r}")));
        }
        let bad = |x: &Matrix| Matrix::from_fn(x.rows(), x.cols(), |_, _| f64::NAN);
        let mut space = Recycled::new(300, 3, &run).unwrap();
        let e = space.top(3, &none, &bad, &options(), &run.watch(), &mut counts).unwrap_err();
        assert!(e.to_string().contains("not finite"));
    }
}
