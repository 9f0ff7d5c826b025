//! The projection of [global projection kernels](crate::mkl) as an embedding: Wᵀx, learned with support vector machines
//! that tell the classes apart.
//!
//! Problem, search and parameters are those of the learner of the same name; the features of all views are side by
//! side, the machines are C-SVC with cost `embed_c`, one class against the rest, and the embedding has as many columns
//! as are asked for (`dimensions` is not looked at), or as the features have. Instances without a label are placed, but
//! nothing is learned from them.
//!
//! New rows: the same linear map.

use super::concat_kmeans::dense_features;
use super::discriminant::labelled;
use super::kmeans::check_clusters;
use super::{Embedder, Embedding, Extension, Problem, Source, Stage, Wants, coordinates};
use crate::bank::{Bank, Storage};
use crate::data::{Matrix, Target};
use crate::machine::Svc;
use crate::method::Entry;
use crate::mkl::gpk::{Gpk, METHOD};
use crate::mkl::{self, Arrangement};
use crate::params::Params;
use crate::solve::dense::{self, Slice};
use crate::{Error, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(Projection { params: p.clone() }) };

/// See the [module](self).
#[derive(Debug, Clone)]
struct Projection {
    params: Params,
}

impl Embedder for Projection {
    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        check_clusters(k, problem.bank.n())?;
        let (rows, classes) = labelled(problem, METHOD.id)?;
        let view = coordinates::concatenated(problem, METHOD.id)?.name.clone();
        let views = problem.views.ok_or_else(|| Error::Data("gpk: no views".to_string()))?;
        let own = views.select(&rows);
        let bank =
            Bank::from_kernels(&own, problem.bank.kernels().to_vec(), Storage::Auto, &run.quiet())?;
        let machine = Svc { c: self.params.real("embed_c"), ..Svc::default() };
        let target = Target::Classes(classes);
        let learner = Gpk::new(&self.params).to(k);
        let learnable =
            mkl::Problem { views: Some(&own), ..mkl::Problem::new(&bank, &target, &machine) };
        let mut learned = mkl::train(&learnable, &learner, run)?;
        let map = learned.views.iter().find(|l| l.view() == view);
        let basis = map.and_then(|l| l.map()).cloned().unwrap_or_else(|| Matrix::zeros(0, 0));
        let x = dense_features(views.get(&view)?, run)?;
        let table = dense::product(Slice::of(&*x), Slice::of(&basis));
        let n = views.n();
        if rows.len() < n {
            learned.report.notes.push(format!(
                "{} of {n} instances have no label: they are placed, but nothing is learned from them",
                n - rows.len()
            ));
        }
        if basis.cols() < k {
            let (found, d) = (basis.cols(), basis.rows());
            learned.report.notes.push(format!(
                "the embedding has {found} of the {k} columns that were asked for: there are {d} features"
            ));
        }
        let source = Source::Columns { view };
        let stage = Stage { source, basis, links: Vec::new(), constant: Vec::new(), degree: None };
        Ok(Embedding {
            rows: table,
            eigenvectors: Vec::new(),
            eigenvalues: Vec::new(),
            gaps: Vec::new(),
            agreement: Vec::new(),
            extension: Some(Extension { stages: vec![stage], outputs: vec![0], unit_rows: false }),
            report: learned.report,
        })
    }

    fn reads_labels(&self) -> bool {
        true
    }

    fn wants(&self) -> Wants {
        Wants { arrangement: Arrangement::Concatenated, features: true, ..Wants::default() }
    }
}
