//! Principal components of the concatenated features.
//!
//! With X̄ the centred features of all views side by side, n × d, X̄ = U Σ Vᵀ: the columns of X̄ V = U Σ
//! for the largest singular values. [`Embedding::eigenvalues`] holds their variances σ²/(n − 1),
//! `explained` in the report each as a share of the sum of the variances of all columns.
//!
//! Source: Pearson, Philosophical Magazine 2, 1901; Hotelling, J. Educational Psychology 24, 1933.
//!
//! Columns keep their scales unless `scale` is `standard`: a view with large values decides alone on raw
//! columns. Singular values that rounding of the features could make have no component. Sparse features are made dense
//! if that fits into [`Run::memory`].
//!
//! New rows: (x − mean)ᵀ V.
//!
//! Cost: some dozens of products of X̄ and X̄ᵀ with 8 columns each (see
//! [`components`](super::components)); memory of two copies of the features.

use super::components::principal;
use super::concat_kmeans::dense_features;
use super::concat_spectral::SCALE;
use super::coordinates::{self, oriented, same};
use super::extension::{Source, Stage};
use super::kmeans::check_columns;
use super::{Embedder, Embedding, Extension, Problem, Wants};
use crate::data::{Matrix, Scale};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::Params;
use crate::solve::dense::{self, Slice};
use crate::{Report, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> = Entry {
    method: &METHOD,
    build: |p: &Params| Box::new(Pca { standard: p.text("scale") == "standard" }),
};

static METHOD: Method = Method {
    id: "pca",
    title: "principal components of concatenated features",
    source: "Pearson 1901; Hotelling 1933",
    summary: "Directions of the largest variance of the features of all views side by side: for \
              pictures, and as features. Learns without labels. Needs features. Costs some dozens of \
              products of the features with a thin block.",
    tasks: &[Task::Embed],
    group: Group::MultiView,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[SCALE],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct Pca {
    /// Whether columns are standardised.
    pub standard: bool,
}

impl Embedder for Pca {
    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let watch = run.watch();
        check_columns(k, problem.bank.n())?;
        let view = coordinates::concatenated(problem, METHOD.id)?;
        let (x, mean) = coordinates::centred(dense_features(view, run)?.into_owned());
        let (n, d) = (x.rows(), x.cols());
        let total: f64 = x.values().iter().map(|v| v * v).sum();
        if total == 0.0 {
            return Err(same("the features are"));
        }
        let mut largest = vec![0.0_f64; d];
        for i in 0..n {
            for ((l, v), m) in largest.iter_mut().zip(x.row(i)).zip(&mean) {
                *l = l.max((v + m).abs());
            }
        }
        // Of the rounding of all entries together.
        let squares: f64 = largest.iter().map(|l| l * l).sum();
        let floor = 4.0 * f64::EPSILON * (n as f64 * squares).sqrt();
        let found = principal(&x, k, floor, run, &watch)?;
        let basis = found.directions;
        let mut rows = dense::product(Slice::of(&x), Slice::of(&basis));
        let flipped = oriented(&mut rows);
        let sign = |j: usize| if flipped[j] { -1.0 } else { 1.0 };
        let basis = Matrix::from_fn(d, basis.cols(), |i, j| sign(j) * basis.get(i, j));
        let constant = (0..basis.cols())
            .map(|j| -mean.iter().enumerate().map(|(i, m)| m * basis.get(i, j)).sum::<f64>())
            .collect();
        let mut report = Report::closed_form(run);
        report.counts = found.counts;
        report.notes = problem.bank.notes().to_vec();
        if basis.cols() < k {
            report.notes.push(format!(
                "the features have {} principal components with a variance above rounding; {k} were asked for",
                basis.cols()
            ));
        }
        let shares = found.squares.iter().map(|v| v / total).collect();
        report.details.insert("explained".to_string(), shares);
        let freedom = (n as f64 - 1.0).max(1.0);
        let variances = found.squares.iter().map(|v| v / freedom).collect();
        let source = Source::Columns { view: view.name.clone() };
        let stage = Stage { source, basis, links: Vec::new(), constant, degree: None };
        report.seconds = watch.seconds();
        Ok(Embedding {
            rows,
            eigenvectors: Vec::new(),
            eigenvalues: vec![variances],
            gaps: vec![None],
            agreement: Vec::new(),
            extension: Some(Extension { stages: vec![stage], outputs: vec![0], unit_rows: false }),
            report,
        })
    }

    fn wants(&self) -> Wants {
        Wants { scale: self.standard.then_some(Scale::Standard), ..Wants::concatenated() }
    }
}
