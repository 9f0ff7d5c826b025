//! The similarities of a bank as weights of the edges of graphs: kernels K whose entries must be at
//! least 0, with the edges K_ii from instances to themselves or without them.
//!
//! # The diagonal
//!
//! Ng, Jordan and Weiss set K_ii = 0 before they normalise; Kumar's thesis does not say. With all
//! K_ii/D_ii alike it hardly matters: D^{-1/2} K D^{-1/2} moves by a multiple of the identity. They
//! are not alike where some instances are far from all others (features of high dimension, words of
//! documents, products of several kernels): such an instance has a small degree D_ii, its vector e_i
//! alone gives e_iᵀ D^{-1/2} K D^{-1/2} e_i = K_ii/D_ii, and where this is more than the k-th
//! eigenvalue, leading eigenvectors stand for single instances and not for groups (of those that do,
//! K_ii/D_ii is the eigenvalue). Without diagonal e_i gives 0. The reverse happens, too: minimising disagreement multiplies kernels, whose
//! diagonals carry what the views say about an instance itself.
//!
//! `keep` is the default because kernels then stay positive semi-definite, which the monotone
//! updates of co-regularisation and the projections of co-training are made for, no instance is
//! isolated, and training instances given as new rows get back their own embedding (without
//! diagonal they are placed as another instance with the same features). A remark says where one
//! instance outweighs the k-th eigenvalue, and a comparison shows the controls both ways where their
//! clusters differ.
//!
//! Cost of `zero`: n operations per column and product.

use super::laplacian;
use crate::bank::{Bank, Gram};
use crate::data::Matrix;
use crate::params::{Param, Params, Range};
use crate::run::Pass;
use crate::solve::eigen::{Eigenpairs, Operator};
use crate::{Counts, Error, Result, Run, Watch};

/// The name of [`DIAGONAL`].
pub(crate) const NAME: &str = "diagonal";

/// Its value for graphs without edges from instances to themselves.
pub(crate) const ZERO: &str = "zero";

/// What becomes of the similarity of an instance to itself.
pub(super) const DIAGONAL: Param = Param {
    name: NAME,
    doc: "The similarity of an instance to itself, as an edge of the graph: keep, or zero (Ng, \
          Jordan, Weiss). Kept, the graph stays positive semi-definite and no instance is isolated; \
          but where some instances are far from all others (documents, many columns, products of \
          kernels) eigenvectors may stand for single instances: compare with zero.",
    range: Range::Choice { default: "keep", of: &["keep", ZERO] },
};

/// Degrees that lose all but this share with the diagonal are rounding.
const ROUNDING: f64 = 1e-12;

/// The share of the last eigenvalue from which one K_ii/D_ii counts as its equal. On embeddings of
/// documents that the diagonal spoils it is from 6 up, on pixels of digits and faces below 0.7.
const EQUAL: f64 = 0.8;

/// Names of kernels that a remark lists.
const LISTED: usize = 3;

/// See the [module](self).
#[derive(Debug, Clone, Copy)]
pub(super) struct Affinities<'a> {
    pub(super) bank: &'a Bank,
    pub(super) zero: bool,
    /// The passes over the kernels are given up a moment after its stop.
    pub(super) watch: &'a Watch,
}

/// Whether the parameters ask for graphs without diagonal.
pub(super) fn is_zero(p: &Params) -> bool {
    p.text(NAME) == ZERO
}

impl Affinities<'_> {
    /// Row sums of graph m.
    ///
    /// # Errors
    /// As [`laplacian::degrees`]; an instance that is similar to itself only, without diagonal.
    pub(super) fn degrees(&self, m: usize) -> Result<Vec<f64>> {
        let mut degrees = laplacian::degrees(self.bank, m, self.watch)?;
        if self.zero {
            let name = format!("kernel '{}'", self.bank.kernels()[m].name);
            without(&mut degrees, &self.bank.diagonal(m), &name)?;
        }
        Ok(degrees)
    }

    /// Graph m times a thin block; not to be used if the watch [gave up](Watch::gave_up).
    pub(super) fn apply(&self, m: usize, block: &Matrix) -> Matrix {
        self.apply_towards(m, block).0
    }

    /// The same, and for kernels of low rank what kernel m has of the block
    /// [towards landmarks](Bank::towards_landmarks), diagonal and all: new rows have none.
    pub(super) fn apply_towards(&self, m: usize, block: &Matrix) -> (Matrix, Option<Matrix>) {
        let (mut image, towards) = self.bank.apply_towards(m, block, &Pass::under(self.watch));
        if self.zero {
            subtract(&self.bank.diagonal(m), block, &mut image);
        }
        (image, towards)
    }

    /// D^{-1/2} K D^{-1/2} of graph m as a matrix; `scaling` is D^{-1/2}.
    pub(super) fn normalized(&self, m: usize, scaling: &[f64]) -> Result<Matrix> {
        let mut weights = vec![0.0; self.bank.len()];
        weights[m] = 1.0;
        let pass = Pass::under(self.watch);
        let gram = self.bank.combine_in(&weights, &pass)?;
        pass.complete(laplacian::EMBEDDING)?;
        self.scaled(&gram, scaling)
    }

    /// The same of a sum of graphs.
    pub(super) fn scaled(&self, sum: &Gram, scaling: &[f64]) -> Result<Matrix> {
        let n = scaling.len();
        let mut values = Vec::with_capacity(n * n);
        for (row, own) in sum.values().chunks_exact(n).zip(scaling) {
            values.extend(row.iter().zip(scaling).map(|(v, s)| v * (own * s)));
        }
        let mut matrix = Matrix::new(n, n, values)?;
        if self.zero {
            (0..n).for_each(|i| matrix.set(i, i, 0.0));
        }
        Ok(matrix)
    }

    /// The `r` leading eigenpairs of it, of graph m.
    pub(super) fn top(
        &self,
        m: usize,
        scaling: &[f64],
        r: usize,
        run: &Run,
        counts: &mut Counts,
    ) -> Result<Eigenpairs> {
        let apply = |x: &Matrix| laplacian::apply(x, scaling, |x| self.apply(m, x));
        let whole = || self.normalized(m, scaling);
        let matrix = (!self.bank.is_sparse(m)).then_some(&whole as &dyn Fn() -> _);
        let operator = Operator { n: self.bank.n(), apply: &apply, matrix };
        operator.top(r, None, &laplacian::precise(), run, self.watch, counts)
    }

    /// The diagonal of Σ_m w_m K_m that is to be left out; `None` if it is kept.
    pub(super) fn left_out(&self, weights: &[f64]) -> Option<Vec<f64>> {
        self.zero.then(|| {
            let mut sum = vec![0.0; self.bank.n()];
            for (m, w) in weights.iter().enumerate().filter(|w| *w.1 != 0.0) {
                sum.iter_mut().zip(&*self.bank.diagonal(m)).for_each(|(s, d)| *s += w * d);
            }
            sum
        })
    }

    /// The remark that the diagonal of some kernels outweighs the last eigenvalue that was taken,
    /// each given with its D^{-1/2}; `None` without diagonal or where it is no matter.
    pub(super) fn remark(&self, alone: &[(usize, &[f64], Option<f64>)]) -> Option<String> {
        if self.zero {
            return self.remark_on_new_rows(alone);
        }
        let found: Vec<(usize, Excess)> = alone
            .iter()
            .filter_map(|(m, scaling, last)| {
                Some((*m, outweighs(&self.bank.diagonal(*m), scaling, (*last)?)?))
            })
            .collect();
        let (first, excess) = found.first()?;
        let names = found.iter().take(LISTED).map(|(m, _)| self.bank.kernels()[*m].name.as_str());
        let others = match found.len() {
            n if n > LISTED => format!(" and {} other kernels", n - LISTED),
            _ => String::new(),
        };
        Some(format!(
            "{}{others}: instances are similar to little but themselves (in '{}' instance {} to \
             {:.2e} of its sum; the last eigenvalue taken is {:.2e}), so that eigenvectors \
             may stand for single instances; compare with {NAME}={ZERO}",
            names.collect::<Vec<_>>().join(", "),
            self.bank.kernels()[*first].name,
            excess.instance,
            excess.share,
            excess.value
        ))
    }

    /// The remark, without diagonal, that new rows are divided by eigenvalues below what the diagonal would add to all of them: a row
    /// that is given again, with its similarity to itself, then goes more than twice as far as it should.
    fn remark_on_new_rows(&self, alone: &[(usize, &[f64], Option<f64>)]) -> Option<String> {
        alone.iter().find_map(|(m, scaling, last)| {
            let last = (*last)?;
            let diagonal = self.bank.diagonal(*m);
            let shares = diagonal.iter().zip(*scaling).map(|(d, s)| d * s * s);
            let mean = shares.sum::<f64>() / scaling.len().max(1) as f64;
            (last < mean).then(|| {
                format!(
                    "{}: new rows may be placed badly or nowhere without the diagonal: the last eigenvalue taken is {last:.2e}, and similarities \
                     to oneself, which new rows have, add {mean:.2e}; take {NAME}=keep or fewer eigenvectors for them",
                    self.bank.kernels()[*m].name
                )
            })
        })
    }
}

/// An instance whose Rayleigh quotient alone is that of the last eigenvector, or more.
struct Excess {
    instance: usize,
    share: f64,
    value: f64,
}

/// The instance with the largest K_ii/D_ii, if this exceeds their mean (which moves all eigenvalues
/// alike) by as much as `last`.
fn outweighs(diagonal: &[f64], scaling: &[f64], last: f64) -> Option<Excess> {
    let shares = diagonal.iter().zip(scaling).map(|(d, s)| d * s * s);
    let (mut mean, mut most) = (0.0, (0, 0.0));
    for (i, share) in shares.enumerate() {
        mean += share / diagonal.len() as f64;
        if share > most.1 {
            most = (i, share);
        }
    }
    (most.1 - mean > EQUAL * last).then_some(Excess {
        instance: most.0,
        share: most.1,
        value: last,
    })
}

/// Takes the diagonal out of the degrees of the graph `name`.
///
/// # Errors
/// Nothing remains of one of them.
pub(super) fn without(degrees: &mut [f64], diagonal: &[f64], name: &str) -> Result<()> {
    for (i, (degree, own)) in degrees.iter_mut().zip(diagonal).enumerate() {
        let rest = *degree - own;
        if rest <= ROUNDING * *degree {
            return Err(Error::Data(format!(
                "{name}: instance {i} has no similarity to any other instance, so that without \
                 diagonal it belongs to no cluster; leave it out, or set {NAME}=keep"
            )));
        }
        *degree = rest;
    }
    Ok(())
}

/// `image` − diag(`diagonal`) `block`.
pub(super) fn subtract(diagonal: &[f64], block: &Matrix, image: &mut Matrix) {
    for (i, own) in diagonal.iter().enumerate() {
        image.row_mut(i).iter_mut().zip(block.row(i)).for_each(|(o, x)| *o -= own * x);
    }
}
