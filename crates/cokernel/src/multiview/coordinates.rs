//! Instances as rows of coordinates T (n × r) in an orthonormal basis of what their features, or the
//! images of their kernel, span: T Tᵀ is the centred Gram matrix. What the methods of
//! [`discriminant`](super::discriminant) learn is linear in them, so that a method on features and
//! its kernel form differ in nothing else.
//!
//! | | T Tᵀ | basis |
//! |---|---|---|
//! | [`of_features`] | Z Zᵀ, Z the centred columns, each of length 1 | right singular vectors of Z |
//! | [`of_kernel`] | H K H, K the mean kernel or one of the bank | HKH's eigenvectors, Φ̄ᵀ u λ^{-1/2} |
//!
//! These instances are those with a label alone, here numbered from 1 to n; the others are placed as new rows are, so
//! that nothing is learned from them but what kernels and the scales of columns owe to all.
//!
//! Directions with less than 1e-12 of the largest variance (1e-7 for kernels in single precision) are
//! left out. The columns of features have equal length, which a discriminant does not depend on but
//! for the ridge: that adds the same share of its own scatter to each column.
//!
//! Cost: products of n d min(n, d), a decomposition of min(n, d)³ (features) or n³ (kernels); memory of
//! a copy of the features, or 24 n² bytes.

use super::concat_kmeans::dense_features;
use super::embedding::kernel_named;
use super::extension::{Source, Stage};
use super::laplacian::EMBEDDING;
use super::work::Work;
use super::{Problem, laplacian};
use crate::bank::Bank;
use crate::data::{Matrix, View};
use crate::run::Pass;
use crate::solve::dense::{self, Slice, symmetric_eigen_in};
use crate::{Error, Result};
use rayon::prelude::*;

/// Shares of the largest variance up to which a direction is rounding.
const NOTHING: f64 = 1e-12;
const NOTHING_F32: f64 = 1e-7;

/// See the [module](self).
pub(super) struct Coordinates {
    /// T, of the instances with a label.
    pub(super) rows: Matrix,
    /// What distances of instances are measured between: the features as they are given, or T.
    pub(super) points: Option<Matrix>,
    /// Scatter that a ridge of 1 adds to every direction.
    pub(super) unit: f64,
    source: Source,
    /// T = [source] basis + 1 offsetᵀ.
    basis: Matrix,
    offset: Vec<f64>,
    /// The instances with a label, ascending, and those without.
    labelled: Vec<usize>,
    others: Vec<usize>,
    /// [source] of those without.
    unlabelled: Matrix,
}

impl Coordinates {
    /// How many instances there are, with and without a label.
    pub(super) fn count(&self) -> usize {
        self.labelled.len() + self.others.len()
    }

    /// The embedding T W of all instances and of new rows, each column with the sign that makes the
    /// largest entry of an instance with a label positive.
    pub(super) fn embedded(self, weights: &Matrix) -> (Matrix, Stage) {
        let n = self.count();
        let mut own = dense::product(Slice::of(&self.rows), Slice::of(weights));
        let mut basis = dense::product(Slice::of(&self.basis), Slice::of(weights));
        let constant = Matrix::new(1, self.offset.len(), self.offset);
        let mut constant = match constant {
            Ok(offset) => dense::product(Slice::of(&offset), Slice::of(weights)),
            Err(_) => Matrix::zeros(1, weights.cols()),
        };
        let flipped = oriented(&mut own);
        for (j, _) in flipped.iter().enumerate().filter(|f| *f.1) {
            (0..basis.rows()).for_each(|i| basis.set(i, j, -basis.get(i, j)));
            constant.set(0, j, -constant.get(0, j));
        }
        let constant = constant.values().to_vec();
        let mut rows = placed(&own, &self.labelled, n);
        if !self.others.is_empty() {
            let new = dense::product(Slice::of(&self.unlabelled), Slice::of(&basis));
            for (place, &i) in self.others.iter().enumerate() {
                let values = new.row(place).iter().zip(&constant);
                rows.row_mut(i).iter_mut().zip(values).for_each(|(o, (v, c))| *o = v + c);
            }
            if matches!(self.source, Source::Sum { .. }) {
                basis = placed(&basis, &self.labelled, n);
            }
        }
        let stage = Stage { source: self.source, basis, links: Vec::new(), constant, degree: None };
        (rows, stage)
    }
}

/// n rows, of which those with these indices are given and the others 0.
fn placed(rows: &Matrix, at: &[usize], n: usize) -> Matrix {
    let mut out = Matrix::zeros(n, rows.cols());
    for (place, &i) in at.iter().enumerate() {
        out.row_mut(i).copy_from_slice(rows.row(place));
    }
    out
}

/// Those of n instances that are not among these.
fn without(labelled: &[usize], n: usize) -> Vec<usize> {
    let mut is_labelled = vec![false; n];
    labelled.iter().for_each(|i| is_labelled[*i] = true);
    (0..n).filter(|i| !is_labelled[*i]).collect()
}

/// Gives each column the sign that makes its largest entry positive, and tells which were turned.
pub(super) fn oriented(rows: &mut Matrix) -> Vec<bool> {
    let before = rows.clone();
    crate::solve::eigen::orient(rows);
    let turned = |j: usize| (0..rows.rows()).any(|i| rows.get(i, j) != before.get(i, j));
    (0..rows.cols()).map(turned).collect()
}

/// The one view that a method on concatenated features looks at.
///
/// # Errors
/// There are no features.
pub(super) fn concatenated<'a>(problem: &Problem<'a>, id: &str) -> Result<&'a View> {
    let view = problem.views.and_then(|views| views.iter().next());
    view.ok_or_else(|| {
        Error::Data(format!(
            "method '{id}' works on features, and there is nothing but similarities; use \
             'kernel_{id}'"
        ))
    })
}

/// Centred features, and the means of their columns. What centring leaves of a constant column is
/// rounding and becomes 0.
pub(super) fn centred(mut x: Matrix) -> (Matrix, Vec<f64>) {
    let (n, d) = (x.rows(), x.cols());
    let (mut mean, mut largest) = (vec![0.0; d], vec![0.0_f64; d]);
    for i in 0..n {
        for ((m, l), v) in mean.iter_mut().zip(&mut largest).zip(x.row(i)) {
            *m += v / n as f64;
            *l = l.max(v.abs());
        }
    }
    let mut spread = vec![0.0_f64; d];
    for i in 0..n {
        for ((v, m), s) in x.row_mut(i).iter_mut().zip(&mean).zip(&mut spread) {
            *v -= m;
            *s = s.max(v.abs());
        }
    }
    let constant: Vec<usize> = (0..d).filter(|j| spread[*j] <= 1e-13 * largest[*j]).collect();
    for i in 0..n {
        constant.iter().for_each(|j| x.row_mut(i)[*j] = 0.0);
    }
    (x, mean)
}

/// The coordinates of the features of a view.
///
/// # Errors
/// As [`dense_features`]; features that are the same for all instances; a stop.
pub(super) fn of_features(
    view: &View,
    labelled: &[usize],
    work: &mut Work<'_>,
) -> Result<Coordinates> {
    let given = dense_features(view, work.run)?;
    let others = without(labelled, given.rows());
    let unlabelled = given.select_rows(&others);
    let (points, mean) = centred(match others.is_empty() {
        true => given.into_owned(),
        false => given.select_rows(labelled),
    });
    let (n, d) = (points.rows(), points.cols());
    let mut lengths = vec![0.0; d];
    for i in 0..n {
        lengths.iter_mut().zip(points.row(i)).for_each(|(l, v)| *l += v * v);
    }
    let scale: Vec<f64> =
        lengths.iter().map(|l| if *l > 0.0 { 1.0 / l.sqrt() } else { 0.0 }).collect();
    let z = Matrix::from_fn(n, d, |i, j| points.get(i, j) * scale[j]);
    work.go_on()?;
    work.counts.eigen_solves += 1;
    let narrow = d < n;
    let gram = match narrow {
        true => dense::gram_tn(Slice::of(&z), Slice::of(&z)),
        false => {
            let zt = z.transposed();
            dense::gram_tn(Slice::of(&zt), Slice::of(&zt))
        }
    };
    work.go_on()?;
    let (values, vectors) = symmetric_eigen_in(&gram, &Pass::under(&work.watch), EMBEDDING)?;
    work.go_on()?;
    let kept = above(&values, NOTHING);
    if kept.is_empty() {
        return Err(same("the features are"));
    }
    let vectors = vectors.select_cols(&kept);
    let root: Vec<f64> = kept.iter().map(|j| values[*j].sqrt()).collect();
    let (rows, mut basis) = if narrow {
        (dense::product(Slice::of(&z), Slice::of(&vectors)), vectors)
    } else {
        let mut basis = dense::gram_tn(Slice::of(&z), Slice::of(&vectors));
        columns_times(&mut basis, |j| 1.0 / root[j]);
        let mut rows = vectors;
        columns_times(&mut rows, |j| root[j]);
        (rows, basis)
    };
    laplacian::scale_rows(&mut basis, &scale);
    let offset = (0..basis.cols())
        .map(|j| -mean.iter().enumerate().map(|(i, m)| m * basis.get(i, j)).sum::<f64>())
        .collect();
    let source = Source::Columns { view: view.name.clone() };
    let (labelled, points) = (labelled.to_vec(), Some(points));
    Ok(Coordinates { rows, points, unit: 1.0, source, basis, offset, labelled, others, unlabelled })
}

/// The coordinates of the images of the mean kernel, or of the kernel of this name.
///
/// # Errors
/// Too little memory; no such kernel; a kernel that is the same for all instances; a stop.
pub(super) fn of_kernel(
    bank: &Bank,
    name: &str,
    labelled: &[usize],
    work: &mut Work<'_>,
) -> Result<Coordinates> {
    let (all, n) = (bank.n(), labelled.len());
    let others = without(labelled, all);
    let bytes = all.saturating_mul(all).saturating_mul(24);
    if bytes > work.run.memory {
        return Err(Error::Data(format!(
            "the decomposition of a {all} × {all} kernel takes {:.2} GB, more than the {:.2} GB that the \
             run may use; allow more memory, or use fewer instances",
            bytes as f64 / 1e9,
            work.run.memory as f64 / 1e9
        )));
    }
    let (weights, whose) = weighted(bank, name)?;
    let pass = Pass::under(&work.watch);
    let gram = bank.combine_in(&weights, &pass)?;
    pass.complete(EMBEDDING)?;
    work.counts.combines += 1;
    let (mut gram, unlabelled) = split(gram.into_matrix()?, labelled, &others);
    let before = largest(gram.values());
    let means: Vec<f64> = (0..n).map(|i| gram.row(i).iter().sum::<f64>() / n as f64).collect();
    let grand = means.iter().sum::<f64>() / n as f64;
    gram.values_mut().par_chunks_mut(n).enumerate().for_each(|(i, row)| {
        row.iter_mut().zip(&means).for_each(|(k, r)| *k += grand - means[i] - r);
    });
    if largest(gram.values()) <= 1e-12 * before {
        return Err(same(&format!("{whose} is")));
    }
    work.go_on()?;
    work.counts.eigen_solves += 1;
    let (values, vectors) = symmetric_eigen_in(&gram, &pass, EMBEDDING)?;
    work.go_on()?;
    let share = if bank.storage().is_single() { NOTHING_F32 } else { NOTHING };
    let kept = above(&values, share);
    let (least, most) = (values[0], values[n - 1]);
    if kept.is_empty() {
        return Err(Error::Data(format!(
            "{whose}: its centred matrix has no positive eigenvalue; give a kernel that is positive \
             semi-definite"
        )));
    }
    // The trace, where all eigenvalues count.
    let unit = kept.iter().map(|j| values[*j]).sum();
    if least < -1e-8 * most {
        work.notes.push(format!(
            "{whose} is not positive semi-definite (eigenvalues from {least:.1e} to {most:.1e} after \
             centring): what its negative eigenvalues stand for is left out"
        ));
    }
    let mut rows = vectors.select_cols(&kept);
    let mut basis = rows.clone();
    columns_times(&mut rows, |j| values[kept[j]].sqrt());
    columns_times(&mut basis, |j| 1.0 / values[kept[j]].sqrt());
    let offset = means_times(&means, &mut basis);
    let source = Source::Sum { weights };
    let (labelled, points) = (labelled.to_vec(), None);
    Ok(Coordinates { rows, points, unit, source, basis, offset, labelled, others, unlabelled })
}

/// K between the instances with a label, and of the others towards them.
fn split(whole: Matrix, labelled: &[usize], others: &[usize]) -> (Matrix, Matrix) {
    if others.is_empty() {
        let none = Matrix::zeros(0, whole.cols());
        return (whole, none);
    }
    let of = |rows: &[usize]| whole.select_rows(rows).select_cols(labelled);
    (of(labelled), of(others))
}

/// The weights of the kernels that `name`, the value of parameter `view`, stands for, and in words.
///
/// # Errors
/// As [`kernel_named`].
pub(super) fn weighted(bank: &Bank, name: &str) -> Result<(Vec<f64>, String)> {
    let used = match name {
        "mean" => (0..bank.len()).collect(),
        name => vec![kernel_named(bank, "view", name, &["mean"])?],
    };
    let mut weights = vec![0.0; bank.len()];
    used.iter().for_each(|m| weights[*m] = 1.0 / used.len() as f64);
    let whose = match used.as_slice() {
        [one] => format!("kernel '{}'", bank.kernels()[*one].name),
        _ => "the mean kernel".to_string(),
    };
    Ok((weights, whose))
}

/// Takes the mean from each column of `basis`, and gives −meansᵀ basis: what centres the values of a
/// kernel towards the training instances, whose row means these are.
pub(super) fn means_times(means: &[f64], basis: &mut Matrix) -> Vec<f64> {
    let n = basis.rows() as f64;
    let mut offset = Vec::with_capacity(basis.cols());
    for j in 0..basis.cols() {
        let mean = (0..basis.rows()).map(|i| basis.get(i, j)).sum::<f64>() / n;
        (0..basis.rows()).for_each(|i| basis.set(i, j, basis.get(i, j) - mean));
        offset.push(-means.iter().enumerate().map(|(i, m)| m * basis.get(i, j)).sum::<f64>());
    }
    offset
}

/// Column j times f(j).
pub(super) fn columns_times(block: &mut Matrix, f: impl Fn(usize) -> f64) {
    let factors: Vec<f64> = (0..block.cols()).map(f).collect();
    for i in 0..block.rows() {
        block.row_mut(i).iter_mut().zip(&factors).for_each(|(v, f)| *v *= f);
    }
}

/// What cannot be embedded.
pub(super) fn same(what: &str) -> Error {
    Error::Data(format!("{what} the same for all instances: there is nothing to embed them by"))
}

pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0_f64, |a, v| a.max(v.abs()))
}

/// The ascending values above this share of the last, in descending order.
fn above(values: &[f64], share: f64) -> Vec<usize> {
    let floor = share * values.last().copied().unwrap_or(0.0).max(0.0);
    (0..values.len()).rev().filter(|j| values[*j] > floor).collect()
}
