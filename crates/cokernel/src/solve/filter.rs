//! The r algebraically largest eigenpairs of L + F Fᵀ for one stored symmetric L and a sequence of
//! factors F, each of which differs little from the one before, where r is a sizeable part of n.
//!
//! Method: the first answer by a decomposition or from random columns, each later one by subspace
//! iteration from the last one with a Chebyshev filter (Zhou, Saad, Tiago, Chelikowsky, *J. Comput.
//! Phys.* 219, 2006; Saad, *Numerical Methods for Large Eigenvalue Problems*, 2011, §7.4). The
//! polynomial T_d of (M − c)/e, with the unwanted eigenvalues in c ± e, leaves these below 1 and lifts
//! all above by cosh(d acosh((θ − c)/e)), so that one block product per degree takes the place of a
//! growing basis: with r columns in a block, orthogonalisation against a basis of several r and
//! eigenpairs of its size ([`recycle`](super::recycle)) would cost more than the products.
//!
//! | symbol | name |
//! |---|---|
//! | M = L + F Fᵀ, formed | `drawn` |
//! | X, MX | `block`, `image`, n × b with b = r + a few |
//! | θ | Ritz values, descending; before the first filter Rayleigh quotients |
//! | c ± e, from the least eigenvalue of L to the least trusted θ | `low`, `high` |
//! | d | `degree`, from how much too long the residuals are |
//!
//! The columns beyond r keep what lies next to the wanted eigenvalues out of the way, show the gap,
//! and hold two random columns in each answer, so that a direction that F brings up is not missed: an
//! answer counts only when the best pairs outside the r are known to a tenth of their distance from the
//! r-th. How many there are follows from the Ritz values: more of them widen the gap and cost more a
//! product. Pairs that are known well enough stay as they are, and the others are filtered and turned
//! beside them. Residuals are measured. Where the filter would need more products than a decomposition is
//! worth, or its columns lose independence, M is decomposed.
//!
//! Cost: forming M 2 n² columns(F); per degree 2 n² b; per filter O(n b² + b³). Memory 2 n² values.
//! A decomposition 4/3 n³ at the speed of memory.

mod krylov;
mod ritz;
mod subspace;

use super::dense::{self, Slice};
use super::eigen::{Eigenpairs, Options, top_eigenpairs};
use crate::data::Matrix;
use crate::{Counts, Error, Result, Run, Watch};
use subspace::EXTRA;
pub(crate) use subspace::Subspace;

/// Largest n: a decomposition cannot be stopped and takes a second or two here.
const LARGEST: usize = 2600;

/// n over r up to which the filter was faster than a recycled subspace, as far as it was tried: roughly,
/// at n = 400 and 1,600 (`benches/peers/many_clusters.py`).
const SHARE: usize = 64;

/// Residual, relative to the norm of L, with which its least eigenvalue is known well enough.
const ROUGH: f64 = 1e-3;

/// n over r from which a filter from random columns is tried before M is decomposed for the first answer:
/// at n = 1,600, r = 100 a decomposition took four fifths of its time, at n = 400, r = 40 the same.
const COLD: usize = 20;

/// See the [module](self).
#[derive(Debug)]
pub struct Filtered {
    l: Matrix,
    drawn: Matrix,
    subspace: Subspace,
    run: Run,
}

/// Whether r leading eigenpairs of operators of size n are better found by a filter on a stored matrix
/// than in a recycled subspace.
pub fn suits(n: usize, r: usize) -> bool {
    n <= LARGEST && r.saturating_mul(SHARE) >= n && 3 * (r + EXTRA) <= n
}

/// The same for one operator, without a sequence.
pub fn suits_alone(n: usize, r: usize) -> bool {
    suits(n, r) && r.saturating_mul(COLD) > n
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
        let subspace = Subspace::new(l.rows(), run);
        Ok(Filtered { l, drawn: Matrix::zeros(0, 0), subspace, run: run.clone().quiet() })
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
        if factor.cols() > 0 {
            self.form(factor);
        }
        // Without a factor M is L itself.
        let m = if factor.cols() > 0 { &self.drawn } else { &self.l };
        let subspace = &mut self.subspace;
        if subspace.holds() < r {
            return first(&self.l, m, subspace, r, options, &self.run, watch);
        }
        match subspace.follow(m, r, None, options, watch)? {
            Some(found) => Ok(found),
            None => subspace.renewed(m, r, options, watch),
        }
    }

    /// M = L + F Fᵀ, into the memory of the last one.
    fn form(&mut self, factor: &Matrix) {
        let n = self.l.rows();
        if self.drawn.rows() == 0 {
            self.drawn = Matrix::zeros(n, n);
        }
        dense::plus_gram(&self.l, factor, &mut self.drawn);
    }
}

/// The leading pairs of M, which is L or has a factor beside it, without anything to start from.
fn first(
    l: &Matrix,
    m: &Matrix,
    subspace: &mut Subspace,
    r: usize,
    options: &Options,
    run: &Run,
    watch: &Watch,
) -> Result<Eigenpairs> {
    let (n, counts) = (l.rows(), &mut Counts::default());
    if watch.stop().is_some() {
        let apply = |x: &Matrix| dense::product(Slice::of(m), Slice::of(x));
        return top_eigenpairs(n, r, &apply, None, options, run, watch, counts);
    }
    if r.saturating_mul(COLD) > n {
        // The least eigenvalue of L comes with it, or is not below that of M.
        return subspace.renewed(m, r, options, watch);
    }
    if subspace.low.is_nan() {
        let below = |x: &Matrix| {
            let mut image = dense::product(Slice::of(l), Slice::of(x));
            image.values_mut().iter_mut().for_each(|v| *v = -*v);
            image
        };
        let rough = Options { tol: ROUGH, ..Options::default() };
        let found = top_eigenpairs(n, 1, &below, None, &rough, run, watch, counts)?;
        subspace.low = -found.values[0] - found.residuals[0];
    }
    match subspace.cold(m, r, options, watch)? {
        Some(found) => Ok(found),
        None => subspace.renewed(m, r, options, watch),
    }
}

#[cfg(test)]
mod tests;
