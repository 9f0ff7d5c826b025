//! What [`fda`](super::fda), [`lfda`](super::lfda) and their kernel forms share: directions that are
//! best for classes, in the coordinates T of the instances.
//!
//! maximise tr((WᵀS_b W)(Wᵀ(S_w + ρI)W)^{-1}): the leading w of S_b w = θ (S_w + ρI) w, with
//! Wᵀ(S_w + ρI)W = I. The columns of the embedding T W are
//!
//! | `metric` | |
//! |---|---|
//! | plain | w √n: their variance within the classes (with the ridge, divisor n) is 1, as of canonical variates |
//! | weighted | the same times √θ: directions that tell little count for little |
//!
//! n is the number of labelled instances, C that of classes. Instances without a label are placed as new
//! rows are, but nothing is learned from them: coordinates, and with them the ridge, are those of the others.
//!
//! Scatters:
//!
//! | | S_w | S_b |
//! |---|---|---|
//! | `Scatter::fisher` | Σ_i (t_i − m_{y_i})(t_i − m_{y_i})ᵀ | Σ_c n_c (m_c − m)(m_c − m)ᵀ |
//! | `Scatter::local` | ½ Σ_ij W^w_ij (t_i − t_j)(t_i − t_j)ᵀ | the same with W^b |
//!
//! W^w_ij = A_ij/n_c and W^b_ij = A_ij(1/n − 1/n_c) for two instances of class c, 0 and 1/n for two of
//! different classes (Sugiyama 2007, eq. 8-10 in the form of its §3.3), with A_ij = exp(−d_ij²/(s_i s_j)),
//! s_i the distance of instance i to its `neighbours`-th neighbour in its class (Zelnik-Manor, Perona
//! 2004). With A = 1 both columns agree. Both are Σ_c over n_c × n_c blocks:
//! G_c = T_cᵀ(diag(A1) − A)T_c, S_w = Σ G_c/n_c, S_b = Σ_c [G_c/n + (1 − n_c/n) T_cᵀT_c + s_c s_cᵀ/n] −
//! s sᵀ/n − S_w, s_c and s the sums of the rows.
//!
//! S_b of `Scatter::fisher` is B Bᵀ with C columns, so that θ and w come from the C × C matrix
//! Bᵀ(S_w + ρI)^{-1}B; that of `Scatter::local` has full rank, is decomposed in r dimensions, and may
//! have negative θ, which are left out.

use super::coordinates::{Coordinates, columns_times, largest};
use super::laplacian::EMBEDDING;
use super::work::Work;
use super::{Embedding, Extension, Problem};
use crate::data::{Classes, Matrix};
use crate::params::{Param, Params, Range};
use crate::run::Pass;
use crate::solve::dense::{self, Slice, leading_eigen_in, symmetric_eigen};
use crate::{Error, Result};
use cokernel_dense::{Cholesky, extreme_eigenvalues_while};
use rayon::prelude::*;

/// ρ of features.
pub(super) const OF_COLUMNS: Param = Param {
    name: "regularization",
    doc: "What is added to the scatter of each column within the classes, as a share of its whole \
          scatter; 0 is the classical analysis, for fewer columns than instances.",
    range: Range::Real { default: 1e-3, min: 0.0, max: 1e6, closed: true },
};

/// ρ of kernels.
pub(super) const OF_TRACE: Param = Param {
    name: "regularization",
    doc: "What is added to the scatter within the classes in every direction, as a share of the \
          trace of the centred kernel.",
    range: Range::Real { default: 1e-3, min: 1e-8, max: 1e6, closed: true },
};

/// The kernel.
pub(super) const KERNEL: Param = Param {
    name: "view",
    doc: "The kernel: mean (that of all kernels), or the name of one view or kernel.",
    range: Range::Text { default: "mean", expected: "mean, or the name of a view or kernel" },
};

const METRIC_DOC: &str = "Lengths of the columns: plain (variance 1 within the classes), or weighted \
                          (times the root of the ratio that each reaches).";

/// Lengths of columns, by default 1.
pub(super) const PLAIN: Param = Param {
    name: "metric",
    doc: METRIC_DOC,
    range: Range::Choice { default: "plain", of: &["plain", "weighted"] },
};

/// The same, by default weighted.
pub(super) const WEIGHTED: Param = Param {
    name: "metric",
    doc: METRIC_DOC,
    range: Range::Choice { default: "weighted", of: &["plain", "weighted"] },
};

/// How local the scatters are.
pub(super) const NEIGHBOURS: Param = Param {
    name: "neighbours",
    doc: "The neighbour within the class whose distance is the width of the affinity; the last one, \
          where a class has fewer.",
    range: Range::Int { default: 7, min: 1, max: 1_000_000 },
};

/// Which scatters.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Of all instances of a class around its mean.
    Fisher,
    /// Of neighbours in a class.
    Local {
        /// Which neighbour tells the width.
        neighbours: usize,
    },
}

/// Parameters.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Which scatters.
    pub kind: Kind,
    /// ρ in units of the coordinates.
    pub regularization: f64,
    /// Whether columns are as long as they are good.
    pub weighted: bool,
}

impl Settings {
    pub(super) fn new(p: &Params, local: bool) -> Self {
        let kind = match local {
            true => Kind::Local { neighbours: p.count("neighbours") },
            false => Kind::Fisher,
        };
        let weighted = p.text("metric") == "weighted";
        Settings { kind, regularization: p.real("regularization"), weighted }
    }

    /// The embedding of all instances, learned from those with a label.
    pub(super) fn embedding(
        &self,
        at: Coordinates,
        classes: &Classes,
        asked: usize,
        mut work: Work<'_>,
    ) -> Result<Embedding> {
        let (own, n) = (at.rows.rows(), at.count());
        if own < n {
            work.notes.push(format!(
                "{} of {n} instances have no label: they are placed, but nothing is learned from them",
                n - own
            ));
        }
        let scatter = match self.kind {
            Kind::Fisher => Scatter::fisher(&at.rows, classes),
            Kind::Local { neighbours } => {
                let points = at.points.as_ref().unwrap_or(&at.rows);
                Scatter::local(&at.rows, points, classes, neighbours, &work)?
            }
        };
        work.go_on()?;
        work.counts.eigen_solves += 1;
        let ridge = self.regularization * at.unit;
        let (mut weights, ratios) = scatter.directions(ridge, asked, &Pass::under(&work.watch))?;
        if ratios.is_empty() {
            return Err(Error::Data(
                "the classes do not differ: their means are the same up to rounding".to_string(),
            ));
        }
        if ratios.len() < asked {
            let (found, c) = (ratios.len(), classes.n_classes());
            let why = match self.kind {
                Kind::Fisher => format!(", one less than there are classes ({c}) at most"),
                Kind::Local { .. } => String::new(),
            };
            work.notes.push(format!(
                "the embedding has {found} of the {asked} columns that were asked for{why}"
            ));
        }
        let (weighted, own) = (self.weighted, own as f64);
        let length = |j: usize| if weighted { (own * ratios[j]).sqrt() } else { own.sqrt() };
        columns_times(&mut weights, length);
        let (rows, stage) = at.embedded(&weights);
        Ok(Embedding {
            rows,
            eigenvectors: Vec::new(),
            eigenvalues: vec![ratios],
            gaps: vec![None],
            agreement: Vec::new(),
            extension: Some(Extension { stages: vec![stage], outputs: vec![0], unit_rows: false }),
            report: work.report(),
        })
    }
}

/// The instances with a label and their classes.
///
/// # Errors
/// No labels were given.
pub(super) fn labelled(problem: &Problem<'_>, id: &str) -> Result<(Vec<usize>, Classes)> {
    match problem.classes {
        Some(classes) => Ok(classes.labelled()),
        None => Err(Error::Labels(format!(
            "method '{id}' learns from labels, and there are none; give the class of each instance, or \
             of some"
        ))),
    }
}

/// S_b.
enum Between {
    /// B with S_b = B Bᵀ.
    Factor(Matrix),
    /// S_b itself.
    Whole(Matrix),
}

/// See the [module](self).
pub(super) struct Scatter {
    within: Matrix,
    between: Between,
}

impl Scatter {
    /// Around the means of the classes.
    pub(super) fn fisher(rows: &Matrix, classes: &Classes) -> Self {
        let (r, k) = (rows.cols(), classes.n_classes());
        let (means, sizes) = means(rows, classes);
        let mean: Vec<f64> = (0..r).map(|j| rows.col(j).iter().sum::<f64>()).collect();
        let n = rows.rows() as f64;
        let left = Matrix::from_fn(rows.rows(), r, |i, j| {
            rows.get(i, j) - means.get(classes.codes[i] as usize, j)
        });
        let factor =
            Matrix::from_fn(r, k, |j, c| sizes[c].sqrt() * (means.get(c, j) - mean[j] / n));
        let within = dense::gram_tn(Slice::of(&left), Slice::of(&left));
        Scatter { within, between: Between::Factor(factor) }
    }

    /// Of neighbours; distances are those of `points`.
    pub(super) fn local(
        rows: &Matrix,
        points: &Matrix,
        classes: &Classes,
        neighbours: usize,
        work: &Work<'_>,
    ) -> Result<Self> {
        let (n, r) = (rows.rows() as f64, rows.cols());
        let (mut within, mut between) = (Matrix::zeros(r, r), Matrix::zeros(r, r));
        let add = |to: &mut Matrix, factor: f64, what: &Matrix| {
            to.values_mut().iter_mut().zip(what.values()).for_each(|(a, b)| *a += factor * b);
        };
        let mut sums = Matrix::zeros(1, r);
        for c in 0..classes.n_classes() as u32 {
            work.go_on()?;
            let members: Vec<usize> = (0..rows.rows()).filter(|i| classes.codes[*i] == c).collect();
            let (own, size) = (rows.select_rows(&members), members.len() as f64);
            let mut laplacian = affinity(&points.select_rows(&members), neighbours);
            for i in 0..members.len() {
                let degree: f64 = laplacian.row(i).iter().sum();
                laplacian.row_mut(i).iter_mut().for_each(|a| *a = -*a);
                laplacian.set(i, i, laplacian.get(i, i) + degree);
            }
            let image = dense::product(Slice::of(&laplacian), Slice::of(&own));
            let g = dense::gram_tn(Slice::of(&own), Slice::of(&image));
            let square = dense::gram_tn(Slice::of(&own), Slice::of(&own));
            let sum = Matrix::from_fn(1, r, |_, j| own.col(j).iter().sum());
            let outer = dense::gram_tn(Slice::of(&sum), Slice::of(&sum));
            add(&mut within, 1.0 / size, &g);
            add(&mut between, 1.0 / n, &g);
            add(&mut between, 1.0 - size / n, &square);
            add(&mut between, 1.0 / n, &outer);
            add(&mut sums, 1.0, &sum);
        }
        add(&mut between, -1.0 / n, &dense::gram_tn(Slice::of(&sums), Slice::of(&sums)));
        add(&mut between, -1.0, &within);
        let (within, between) = (dense::symmetric_part(within), dense::symmetric_part(between));
        Ok(Scatter { within, between: Between::Whole(between) })
    }

    /// The leading directions, at most `asked`, and their ratios θ > 0.
    ///
    /// # Errors
    /// Without a ridge, directions in which no class varies; a stop.
    fn directions(&self, ridge: f64, asked: usize, pass: &Pass<'_>) -> Result<(Matrix, Vec<f64>)> {
        let (r, going) = (self.within.rows(), || !pass.is_over());
        let mut within = self.within.clone();
        (0..r).for_each(|j| within.set(j, j, within.get(j, j) + ridge));
        let singular = || {
            Error::Data(
                "in some directions the instances of a class do not differ at all, and nothing bounds \
                 how far apart classes are; give a regularization above 0, such as 0.001"
                    .to_string(),
            )
        };
        if ridge <= 1e-10 * largest(within.values()) {
            let ends = extreme_eigenvalues_while(Slice::of(&within), &going);
            pass.complete(EMBEDDING)?;
            if ends.is_none_or(|(least, largest)| least <= 1e-12 * largest) {
                return Err(singular());
            }
        }
        let factor = Cholesky::while_going(r, within.values().to_vec(), &going);
        pass.complete(EMBEDDING)?;
        let Some(factor) = factor else {
            return Err(singular());
        };
        match &self.between {
            Between::Factor(b) => {
                let k = b.cols();
                let mut solved = b.transposed();
                factor.solve(solved.values_mut(), k);
                let solved = solved.transposed();
                let small = dense::gram_tn(Slice::of(b), Slice::of(&solved));
                let (values, vectors) = symmetric_eigen(&dense::symmetric_part(small))?;
                let kept = positive(values.iter().rev().copied(), asked.min(k - 1));
                let columns: Vec<usize> = (0..kept).map(|j| k - 1 - j).collect();
                let ratios: Vec<f64> = columns.iter().map(|j| values[*j]).collect();
                let e = vectors.select_cols(&columns);
                let mut weights = dense::product(Slice::of(&solved), Slice::of(&e));
                columns_times(&mut weights, |j| 1.0 / ratios[j].sqrt());
                Ok((weights, ratios))
            }
            Between::Whole(between) => {
                // L⁻¹ S_b L⁻ᵀ, by two halves: columns of a symmetric matrix are its rows.
                let mut half = between.clone();
                factor.forward(half.values_mut(), r);
                let mut both = half.transposed();
                factor.forward(both.values_mut(), r);
                pass.complete(EMBEDDING)?;
                let both = dense::symmetric_part(both);
                let (values, e) = leading_eigen_in(&both, asked.min(r), pass, EMBEDDING)?;
                let kept = positive(values.iter().copied(), values.len());
                let columns: Vec<usize> = (0..kept).collect();
                let mut weights = e.select_cols(&columns).transposed();
                factor.back(weights.values_mut(), kept);
                let weights = weights.transposed();
                Ok((weights, values[..kept].to_vec()))
            }
        }
    }
}

/// How many of these descending ratios are above 0 up to rounding, `most` at most.
fn positive(values: impl Iterator<Item = f64>, most: usize) -> usize {
    let mut values = values.peekable();
    let floor = 1e-12 * values.peek().map_or(1.0, |v| v.max(1.0));
    values.take(most).take_while(|v| *v > floor).count()
}

/// The means of the classes, C × r, and their sizes.
fn means(rows: &Matrix, classes: &Classes) -> (Matrix, Vec<f64>) {
    let mut means = Matrix::zeros(classes.n_classes(), rows.cols());
    let mut sizes = vec![0.0; classes.n_classes()];
    for (i, c) in classes.codes.iter().enumerate() {
        let c = *c as usize;
        sizes[c] += 1.0;
        means.row_mut(c).iter_mut().zip(rows.row(i)).for_each(|(m, v)| *m += v);
    }
    for (c, size) in sizes.iter().enumerate() {
        means.row_mut(c).iter_mut().for_each(|m| *m /= size);
    }
    (means, sizes)
}

/// A between the instances of one class. Instances whose width is 0, for they have as many equal ones,
/// have no affinity to any other.
fn affinity(points: &Matrix, neighbours: usize) -> Matrix {
    let n = points.rows();
    let square = |i: usize, j: usize| -> f64 {
        points.row(i).iter().zip(points.row(j)).map(|(a, b)| (a - b) * (a - b)).sum()
    };
    let squares: Vec<Vec<f64>> =
        (0..n).into_par_iter().map(|i| (0..n).map(|j| square(i, j)).collect()).collect();
    let width = |row: &Vec<f64>| {
        let mut sorted = row.clone();
        sorted.sort_by(f64::total_cmp);
        // The first is the instance itself.
        sorted[neighbours.min(n - 1)].sqrt()
    };
    let widths: Vec<f64> = squares.par_iter().map(width).collect();
    Matrix::from_fn(n, n, |i, j| {
        let scale = widths[i] * widths[j];
        if scale > 0.0 { (-squares[i][j] / scale).exp() } else { 0.0 }
    })
}
