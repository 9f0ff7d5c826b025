//! Estimated similarities made those of a kernel: what is added to the similarity of instances to themselves.
//!
//! A matrix with estimated entries need not be positive semi-definite, and a machine without limits on its coefficients has
//! no solution then, while the duality gap of any other proves nothing. Of each kernel m that some instance lacks, with
//! least eigenvalue λ_m < 0,
//!
//! K_m + |λ_m| I
//!
//! is positive semi-definite, and has the values of K_m between all different instances: the estimates stay what they are.
//! It is the similarity k_m(x, z) + |λ_m| [x is z], so that nothing changes between training and new instances either.
//!
//! **Unit diagonal**, for methods that need it: the diagonal is 1 and estimates are cut to [−1, 1] first; the lifted matrix
//! is divided by 1 + |λ_m|, and so are values towards new instances.
//!
//! λ_m is exact up to [`EXACT`] instances, and five per cent more than what Lanczos steps find beyond.
//!
//! Source: Roth, Laub, Kawanabe, Buhmann 2003 (constant shift embedding); Chen, Garcia, Gupta, Rahimi, Cazzanti 2009
//! (spectrum shift). Negative eigenvalues set to 0, the other way there, change every value, and all instances and
//! eigenvectors would have to be kept for new ones. Cost: all kernels once, and 4/3 n³ multiplications for each kernel, or up
//! to 200 n² beyond.

use super::Fill;
use crate::bank::Bank;
use crate::bank::definite::least_by_steps;
use crate::bank::tiles::Tiles;
use crate::error::room_for;
use crate::run::Pass;
use crate::{Error, Result};
use cokernel_dense::{Slice, leading_eigen, simd};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Up to this many instances the least eigenvalue is that of a tridiagonal form.
pub(super) const EXACT: usize = 1000;

/// What stands for values of kernels between instances of which one lacks the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Estimates {
    /// Zeros, which are not to be read.
    None,
    /// Values estimated from the other views.
    Plain,
    /// The same, made positive semi-definite.
    Definite,
    /// The same with every instance as similar to itself as 1.
    UnitDiagonal,
}

/// What estimated similarities are lifted by.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Lift {
    /// Of each kernel, |λ_m|.
    pub added: Vec<f64>,
    /// Whether the diagonal is 1.
    pub unit: bool,
}

impl Lift {
    /// Of so many kernels, before any eigenvalue is known.
    pub(super) fn none(kernels: usize, unit: bool) -> Self {
        Lift { added: vec![0.0; kernels], unit }
    }

    /// How many kernels are lifted, and the most that is added beside the largest diagonal of that kernel.
    pub(super) fn note(&self, diagonals: &[Vec<f64>]) -> Option<String> {
        let lifted = self.added.iter().filter(|a| **a > 0.0).count();
        let share = |(a, d): (&f64, &Vec<f64>)| a / d.iter().fold(0.0_f64, |l, v| l.max(v.abs()));
        let shares = self.added.iter().zip(diagonals).filter(|(a, _)| **a > 0.0).map(share);
        let most = shares.fold(0.0_f64, f64::max);
        (lifted > 0).then(|| {
            format!(
                "estimated similarities: {lifted} of {} kernels were not positive semi-definite, and the size of the least \
                 eigenvalue was added to the similarity of every training instance to itself, up to {most:.1} times the \
                 largest such; the more it is, the less the kernel says, and it grows with the instances (missing=mean adds \
                 nothing)",
                self.added.len(),
            )
        })
    }
}

impl Fill {
    /// What the values of one pair of different instances become.
    pub(super) fn shrink_pair(&self, c: usize, stride: usize, values: &mut [f64]) {
        let Some(lift) = self.lift.as_ref().filter(|l| l.unit) else { return };
        for (m, added) in lift.added.iter().enumerate() {
            let value = &mut values[m * stride + c];
            if self.touches_kernel(m) {
                *value = value.clamp(-1.0, 1.0) / (1.0 + added);
            }
        }
    }

    /// What the similarities of one instance to itself become.
    pub(crate) fn lift_self(&self, c: usize, stride: usize, values: &mut [f64]) {
        let Some(lift) = &self.lift else { return };
        for (m, added) in lift.added.iter().enumerate() {
            let value = &mut values[m * stride + c];
            match lift.unit && self.touches_kernel(m) {
                true => *value = 1.0,
                false => *value += added,
            }
        }
    }
}

/// Refuses kernels whose known diagonal is not 1.
pub(super) fn require_unit(bank: &Bank) -> Result<()> {
    for (m, kernel) in bank.kernels().iter().enumerate() {
        if let Some(d) = bank.diagonal(m).iter().find(|d| (**d - 1.0).abs() > 1e-9) {
            return Err(Error::Data(format!(
                "kernel '{}' has {d} on its diagonal, and estimates for this method need 1 there (normalize=unit_diagonal)",
                kernel.name
            )));
        }
    }
    Ok(())
}

/// |λ| of the kernels `which`, 0 where none of their eigenvalues is negative: exact up to so many instances, with matrices
/// of so many bytes together.
///
/// # Errors
/// There is no memory for one matrix and it has to be there.
pub(super) fn least_eigenvalues(
    tiles: &Tiles,
    which: &[usize],
    (exactly, memory): (usize, usize),
    pass: &Pass<'_>,
) -> Result<Vec<f64>> {
    let n = tiles.layout.n;
    let of_one = n.saturating_mul(n).saturating_mul(size_of::<f64>());
    if n > exactly && of_one > memory {
        return Ok(which.iter().map(|m| by_rows(tiles, *m, pass)).collect());
    }
    let mut found = Vec::with_capacity(which.len());
    for some in which.chunks((memory / of_one.max(1)).max(1)) {
        let width = n * some.len();
        room_for::<f64>(n.checked_mul(width), || {
            format!("{} matrices of estimated similarities", some.len())
        })?;
        let mut rows = vec![0.0; n * width];
        rows.par_chunks_mut(width.max(1)).enumerate().for_each(|(i, row)| {
            if !pass.is_given_up() {
                tiles.entries(some, i, 0..n, row);
            }
        });
        pass.complete("the estimates of missing similarities")?;
        let one = |a: usize| {
            let at = |i: usize| &rows[i * width + a * n..][..n];
            match n <= exactly {
                // Nothing of it is used then.
                _ if pass.is_given_up() => 0.0,
                true => exact(n, at),
                false => stepwise(n, |x, out| {
                    let out = out.par_iter_mut().with_min_len(64).enumerate();
                    let out = out.filter(|_| !pass.is_given_up());
                    out.for_each(|(i, o)| *o = simd::dot(at(i), x));
                }),
            }
        };
        let lifts: Vec<f64> = (0..some.len()).into_par_iter().map(one).collect();
        found.extend(lifts);
        pass.complete("the estimates of missing similarities")?;
    }
    Ok(found)
}

fn exact<'a>(n: usize, row: impl Fn(usize) -> &'a [f64]) -> f64 {
    let mut values = Vec::with_capacity(n * n);
    (0..n).for_each(|i| values.extend_from_slice(row(i)));
    let largest = values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    values.iter_mut().for_each(|v| *v /= largest);
    let found = leading_eigen(Slice::new(&values, n, n), 1, true, &mut vec![0.0; n]);
    // A matrix of numbers of which the largest is 1 has eigenvalues between −n and n.
    let (most, least) = found.map_or((n as f64, -(n as f64)), |(most, least)| (most[0], least));
    let rounding = 4.0 * f64::EPSILON * n as f64 * most.abs().max(1.0);
    if least < -rounding { (rounding - least) * largest } else { 0.0 }
}

fn stepwise(n: usize, multiply: impl Fn(&[f64], &mut [f64])) -> f64 {
    let (least, most) = least_by_steps(n, multiply);
    let rounding = 4.0 * f64::EPSILON * n as f64 * most;
    if least < -rounding { rounding - 1.05 * least } else { 0.0 }
}

/// The same where no matrix is kept: its rows are computed for every product.
fn by_rows(tiles: &Tiles, m: usize, pass: &Pass<'_>) -> f64 {
    let n = tiles.layout.n;
    stepwise(n, |x, out| {
        let rows = out.par_iter_mut().enumerate();
        rows.for_each_init(
            || vec![0.0; n],
            |row, (i, o)| {
                if !pass.is_given_up() {
                    tiles.entries(&[m], i, 0..n, row);
                }
                *o = simd::dot(row, x);
            },
        );
    })
}
