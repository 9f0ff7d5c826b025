//! Embedding of rows that were not there when the embedding was computed.
//!
//! An eigenvector u of an operator A over the training instances, A u = θ u, says its own value at
//! instance i in terms of row i of A: u_i = A(i, ·) u / θ. For a new row x the same formula with
//! A(x, ·) in place of A(i, ·) is the Nyström extension (Bengio et al., NIPS 2003; LMS §4.4 leaves
//! out-of-sample rows open). All operators of this module are made of kernel rows,
//! thin blocks, and degrees, so that an extension is a short list of [`Stage`]s, each of which
//! gives a thin block for the new rows:
//!
//! z_s(x) = d_s(x)^{-1/2} ( κ_s(x)ᵀ A_s + Σ_t z_t(x) B_{s,t} + c_s ),
//! d_s(x) = κ_s(x)ᵀ a_s + Σ_t z_t(x) b_{s,t} + γ_s,
//!
//! where κ_s(x) are the n values of a kernel (or combination) between x and the training
//! instances, those of several kernels between x and landmarks (`multiview/landmarks.rs`), the features of x, or an earlier
//! stage of unit length, and t runs over stages before s. Without a degree, d = 1. Training instances given as
//! new rows get back their own row of the embedding.
//!
//! | symbol | name |
//! |---|---|
//! | κ_s | [`Stage::source`] |
//! | A_s, c_s | `basis` (n × r), `constant` (r) |
//! | B_{s,t} | `links` |
//! | a_s, b_{s,t}, γ_s | [`Degree`] |
//!
//! Cost: for q new rows, the kernel values of the rows (q·n for each active kernel) and one product
//! with the columns of all bases. Memory: the thin blocks.

mod features;

use super::anchor_graph::Anchors;
use super::laplacian;
use crate::bank::{Cross, NewRows};
use crate::data::{Matrix, Views, scan};
use crate::rule::gate::Gate;
use crate::solve::dense::{self, Slice};
use crate::{Error, Result, brief};
use features::{features_times, joined_times};

/// Where the n values of a stage come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// Σ_m weights_m k_m(x, ·).
    Sum {
        /// One weight per kernel.
        weights: Vec<f64>,
    },
    /// The values of these kernels one after the other: the basis has a block of rows for each of them.
    Each {
        /// Increasing.
        kernels: Vec<usize>,
    },
    /// Π_m k_m(x, ·) over all kernels.
    Product,
    /// The features of a view: κ(x) are the d columns of row x, and the basis is d × r, or 0 × d if
    /// the features themselves are meant.
    Columns {
        /// The view.
        view: String,
    },
    /// How an instance is joined to the anchors of a view: κ(x) is z(x), with as many numbers as there are anchors.
    Anchors {
        /// The view.
        view: String,
        /// The anchors.
        anchors: Anchors,
    },
    /// exp(−γ ‖z_t(x) − z_j‖²) for the rows z_j of `points`, which are stage t of the training
    /// instances.
    Gaussian {
        /// t.
        of: usize,
        /// γ.
        gamma: f64,
        /// n × r.
        points: Matrix,
    },
    /// The rows of stage t, each of unit length: κ(x) are the columns of z_t(x) / ‖z_t(x)‖.
    Unit {
        /// t.
        of: usize,
    },
    /// The columns of stage t, each times a gate of what stage u gives: the gates, of as many columns each as there are for
    /// one, in turn.
    Gated {
        /// t.
        of: usize,
        /// u.
        by: usize,
        /// The gates.
        gate: Gate,
    },
    /// The stage has links only.
    Links,
}

/// What the rows of a stage are divided by the root of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Degree {
    /// a, length n.
    pub basis: Vec<f64>,
    /// b for earlier stages.
    pub links: Vec<(usize, Vec<f64>)>,
    /// γ.
    pub constant: f64,
}

/// One step of an extension.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// κ.
    pub source: Source,
    /// A, n × r; 0 × r without a source.
    pub basis: Matrix,
    /// B for earlier stages, each columns of that stage × r.
    pub links: Vec<(usize, Matrix)>,
    /// c, length r, or empty for 0.
    pub constant: Vec<f64>,
    /// d, if rows are divided.
    pub degree: Option<Degree>,
}

/// How new rows are embedded.
#[derive(Debug, Clone, PartialEq)]
pub struct Extension {
    /// In order.
    pub stages: Vec<Stage>,
    /// The stages whose blocks stand side by side in the result.
    pub outputs: Vec<usize>,
    /// Whether the rows of each of them are brought to unit length.
    pub unit_rows: bool,
}

impl Stage {
    /// The Nyström stage of one normalised similarity D^{-1/2} K D^{-1/2}, with right factor
    /// `right` (n × r): z(x) = d(x)^{-1/2} κ(x)ᵀ D^{-1/2} `right`, d(x) = κ(x)ᵀ1; `scaling` is
    /// D^{-1/2}. With right = U Θ^{-1} this is the eigenvectors' own extension.
    pub(super) fn normalized(source: Source, scaling: &[f64], right: &Matrix) -> Self {
        let mut basis = right.clone();
        laplacian::scale_rows(&mut basis, scaling);
        let degree = Degree { basis: vec![1.0; scaling.len()], ..Degree::default() };
        Stage { source, basis, links: Vec::new(), constant: Vec::new(), degree: Some(degree) }
    }

    /// A stage without a kernel: Σ_t z_t B_t.
    pub(super) fn linked(links: Vec<(usize, Matrix)>) -> Self {
        let cols = links.first().map_or(0, |l| l.1.cols());
        let (source, basis) = (Source::Links, Matrix::zeros(0, cols));
        Stage { source, basis, links, constant: Vec::new(), degree: None }
    }
}

/// `u` with column j divided by `values[j]`; a column whose value is not above 1e-12 of the
/// largest has no extension and becomes 0.
pub(super) fn divided(u: &Matrix, values: &[f64]) -> Matrix {
    let divisors = divisors(values);
    let mut out = u.clone();
    for i in 0..out.rows() {
        out.row_mut(i).iter_mut().zip(&divisors).for_each(|(v, d)| *v /= d);
    }
    out
}

/// What [`divided`] divides columns by: infinite where the column becomes 0.
pub(super) fn divisors(values: &[f64]) -> Vec<f64> {
    let floor = 1e-12 * values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    values.iter().map(|v| if v.abs() > floor { *v } else { f64::INFINITY }).collect()
}

impl Extension {
    /// Whether all its numbers are finite.
    pub(super) fn is_finite(&self) -> bool {
        let all = |values: &[f64]| scan(values).1;
        let of_degree = |d: &Degree| {
            all(&d.basis) && d.constant.is_finite() && d.links.iter().all(|l| all(&l.1))
        };
        let of_source = |source: &Source| match source {
            Source::Sum { weights } => all(weights),
            Source::Gaussian { gamma, points, .. } => gamma.is_finite() && all(points.values()),
            Source::Gated { gate, .. } => all(gate.parameters().values()),
            Source::Anchors { anchors, .. } => {
                anchors.alpha.is_finite() && all(anchors.points.values())
            }
            Source::Each { .. }
            | Source::Product
            | Source::Columns { .. }
            | Source::Unit { .. }
            | Source::Links => true,
        };
        self.stages.iter().all(|s| {
            of_source(&s.source)
                && all(s.basis.values())
                && all(&s.constant)
                && s.links.iter().all(|l| all(l.1.values()))
                && s.degree.as_ref().is_none_or(of_degree)
        })
    }

    /// The extension of one embedding by one stage, rows of unit length.
    pub(super) fn single(stage: Stage) -> Self {
        Extension { stages: vec![stage], outputs: vec![0], unit_rows: true }
    }

    /// Which of `kernels` kernels are looked at.
    pub fn active(&self, kernels: usize) -> Vec<usize> {
        let used = |m: &usize| {
            self.stages.iter().any(|s| match &s.source {
                Source::Sum { weights } => weights[*m] != 0.0,
                Source::Each { kernels } => kernels.contains(m),
                Source::Product => true,
                Source::Columns { .. }
                | Source::Anchors { .. }
                | Source::Gaussian { .. }
                | Source::Unit { .. }
                | Source::Gated { .. }
                | Source::Links => false,
            })
        };
        (0..kernels).filter(used).collect()
    }

    /// Columns of all stages together, each with that of its degree.
    pub(crate) fn columns(&self) -> usize {
        self.stages.iter().map(|s| s.basis.cols() + 1).sum()
    }

    /// The views whose features are looked at, apart from those that kernels look at.
    pub fn feature_views(&self) -> Vec<&str> {
        let mut views = Vec::new();
        for stage in &self.stages {
            if let Source::Columns { view } | Source::Anchors { view, .. } = &stage.source {
                views.push(view.as_str());
            }
        }
        views
    }

    /// The same over the kernels with these indices only (increasing), among which all active ones are.
    pub(crate) fn of_kernels(&self, kernels: &[usize]) -> Self {
        let mut cut = self.clone();
        for stage in &mut cut.stages {
            match &mut stage.source {
                Source::Sum { weights } => {
                    *weights = kernels.iter().map(|&m| weights[m]).collect();
                }
                Source::Each { kernels: own } => {
                    *own = (0..kernels.len()).filter(|j| own.contains(&kernels[*j])).collect();
                }
                _ => {}
            }
        }
        cut
    }

    /// Embeds new rows (n_new × columns of the result); `cross` compares with all training
    /// instances, or with the landmarks that stand for them, and has `kernels` kernels.
    ///
    /// # Errors
    /// As [`Cross::new_rows`]; a new row that has no positive similarity to any training instance.
    pub fn apply(&self, cross: &Cross, kernels: usize, views: &Views) -> Result<Matrix> {
        let new = cross.new_rows(views, &self.active(kernels))?;
        self.evaluate(cross, kernels, &new, views)
    }

    fn evaluate(
        &self,
        cross: &Cross,
        kernels: usize,
        new: &NewRows,
        views: &Views,
    ) -> Result<Matrix> {
        let mut products = self.products(cross, kernels, new, views)?;
        let mut blocks: Vec<Matrix> = Vec::new();
        for (stage, product) in self.stages.iter().zip(&mut products) {
            blocks.push(stage.evaluate(product.take(), new, &blocks)?);
        }
        let parts: Vec<Matrix> = self
            .outputs
            .iter()
            .map(|&s| {
                if self.unit_rows { laplacian::unit_rows(&blocks[s]).0 } else { blocks[s].clone() }
            })
            .collect();
        Ok(super::embedding::side_by_side(&parts.iter().collect::<Vec<_>>()))
    }
}

impl Extension {
    /// κᵀ [A a] of the stages whose κ comes from kernels, computed once for all stages with the
    /// same κ; `None` for the others.
    fn products(
        &self,
        cross: &Cross,
        kernels: usize,
        new: &NewRows,
        views: &Views,
    ) -> Result<Vec<Option<Matrix>>> {
        let mut products: Vec<Option<Matrix>> = vec![None; self.stages.len()];
        for s in 0..self.stages.len() {
            let source = &self.stages[s].source;
            let elsewhere = matches!(
                source,
                Source::Gaussian { .. }
                    | Source::Unit { .. }
                    | Source::Gated { .. }
                    | Source::Links
            );
            if products[s].is_some() || elsewhere {
                continue;
            }
            // Features as they are (a basis without rows) stand alone.
            let rows = self.stages[s].basis.rows();
            let together = |t: &usize| {
                let other = &self.stages[*t];
                *t == s || (rows > 0 && other.basis.rows() == rows && other.source == *source)
            };
            let same: Vec<usize> = (s..self.stages.len()).filter(together).collect();
            let wide: Vec<Matrix> = same.iter().map(|t| self.stages[*t].wide()).collect();
            let all = super::embedding::side_by_side(&wide.iter().collect::<Vec<_>>());
            let product = match source {
                Source::Sum { weights } => cross.multiply_sum(new, weights, &all)?,
                Source::Each { kernels } => cross.multiply_each(new, kernels, &all)?,
                Source::Columns { view } => features_times(views, view, &all)?,
                Source::Anchors { view, anchors } => joined_times(views, view, anchors, &all)?,
                _ => cross.multiply_product(new, &(0..kernels).collect::<Vec<_>>(), &all)?,
            };
            let mut first = 0;
            for (t, wide) in same.into_iter().zip(wide) {
                let columns: Vec<usize> = (first..first + wide.cols()).collect();
                products[t] = Some(product.select_cols(&columns));
                first += wide.cols();
            }
        }
        Ok(products)
    }
}

impl Stage {
    /// The basis, and beside it the column of the degree.
    pub(super) fn wide(&self) -> Matrix {
        let r = self.basis.cols();
        match &self.degree {
            Some(d) if self.basis.rows() > 0 => {
                let at = |i, j| if j < r { self.basis.get(i, j) } else { d.basis[i] };
                Matrix::from_fn(self.basis.rows(), r + 1, at)
            }
            _ => self.basis.clone(),
        }
    }

    /// z for the new rows; `product` is κᵀ [A a] where κ comes from kernels.
    fn evaluate(
        &self,
        product: Option<Matrix>,
        new: &NewRows,
        blocks: &[Matrix],
    ) -> Result<Matrix> {
        let (r, degree) = (self.basis.cols(), self.degree.as_ref());
        let wide = self.wide();
        let product = match (&self.source, product) {
            (_, Some(product)) => product,
            (Source::Gaussian { of, gamma, points }, None) => {
                let z = &blocks[*of];
                let kernel = Matrix::from_fn(z.rows(), points.rows(), |i, j| {
                    let pairs = z.row(i).iter().zip(points.row(j));
                    let square: f64 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
                    (-gamma * square).exp()
                });
                dense::product(Slice::of(&kernel), Slice::of(&wide))
            }
            (Source::Unit { of }, None) => {
                let (rows, _) = laplacian::unit_rows(&blocks[*of]);
                dense::product(Slice::of(&rows), Slice::of(&wide))
            }
            (Source::Gated { of, by, gate }, None) => {
                let rows = gated(&blocks[*of], gate, &blocks[*by]);
                dense::product(Slice::of(&rows), Slice::of(&wide))
            }
            (_, None) => Matrix::zeros(new.n(), wide.cols()),
        };
        let constant = |j: usize| self.constant.get(j).copied().unwrap_or(0.0);
        let mut z = Matrix::from_fn(new.n(), r, |i, j| product.get(i, j) + constant(j));
        for (t, link) in &self.links {
            dense::accumulate(&mut z, 1.0, Slice::of(&blocks[*t]), Slice::of(link));
        }
        if let Some(degree) = degree {
            for i in 0..new.n() {
                let own = if wide.cols() > r { product.get(i, r) } else { 0.0 };
                let linked: f64 = degree
                    .links
                    .iter()
                    .flat_map(|(t, b)| blocks[*t].row(i).iter().zip(b))
                    .map(|(z, b)| z * b)
                    .sum();
                let d = own + linked + degree.constant;
                if !(d > 0.0 && d.is_finite()) {
                    let what = match self.source {
                        Source::Each { .. } => format!(
                            "as kernels are approximated its similarities to the training instances sum to {}; a row can be embedded \
                             only if it is similar to some of them ({})",
                            brief(d),
                            laplacian::MORE_LANDMARKS
                        ),
                        _ => format!(
                            "its similarities to the training instances sum to {}; a row can be \
                             embedded only if it is similar to some of them",
                            brief(d)
                        ),
                    };
                    return Err(Error::Data(format!("new row {i}: {what}")));
                }
                z.row_mut(i).iter_mut().for_each(|v| *v /= d.sqrt());
            }
        }
        Ok(z)
    }
}

/// The columns, each times the gate whose turn it is, of instances with these features.
pub(super) fn gated(columns: &Matrix, gate: &Gate, features: &Matrix) -> Matrix {
    let gates = gate.values(features);
    let each = (columns.cols() / gate.count()).max(1);
    Matrix::from_fn(columns.rows(), columns.cols(), |i, j| {
        columns.get(i, j) * gates.get(i, (j / each).min(gate.count() - 1))
    })
}
