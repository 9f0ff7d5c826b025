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
use super::kmeans::check_columns;
use super::{Embedder, Embedding, Extension, Problem, Source, Stage, Wants, coordinates};
use crate::bank::{Bank, Storage};
use crate::data::{Matrix, Target};
use crate::machine::Svc;
use crate::method::Entry;
use crate::mkl::gpk::{METHOD, settings};
use crate::mkl::{self, Arrangement, Learned, Learner};
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
        check_columns(k, problem.bank.n())?;
        let c = self.params.real("embed_c");
        let Supervised { mut learned, view, x } =
            supervised(problem, METHOD.id, &settings(&self.params).to(k), c, run)?;
        let map = learned.views.iter().find(|l| l.view() == view);
        let basis = map.and_then(|l| l.map()).cloned().unwrap_or_else(|| Matrix::zeros(0, 0));
        let table = dense::product(Slice::of(&x), Slice::of(&basis));
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
        wants()
    }
}

pub(super) fn wants() -> Wants {
    Wants { arrangement: Arrangement::Concatenated, features: true, ..Wants::default() }
}

/// What was learned from the instances with a label.
pub(super) struct Supervised {
    pub learned: Learned,
    /// The view of all features side by side, and these features of all instances.
    pub view: String,
    pub x: Matrix,
}

/// Lets a method that projects features learn from the classes, with C-SVC of this cost.
pub(super) fn supervised(
    problem: &Problem<'_>,
    id: &str,
    learner: &dyn Learner,
    c: f64,
    run: &Run,
) -> Result<Supervised> {
    let (rows, classes) = labelled(problem, id)?;
    let view = coordinates::concatenated(problem, id)?.name.clone();
    let views = problem.views.ok_or_else(|| Error::Data(format!("{id}: no views")))?;
    let own = views.select(&rows);
    let bank =
        Bank::from_kernels(&own, problem.bank.kernels().to_vec(), Storage::Auto, &run.quiet())?;
    let machine = Svc { c, ..Svc::default() };
    let target = Target::Classes(classes);
    let learnable =
        mkl::Problem { views: Some(&own), ..mkl::Problem::new(&bank, &target, &machine) };
    let mut learned = mkl::train(&learnable, learner, run)?;
    let x = dense_features(views.get(&view)?, run)?.into_owned();
    let n = views.n();
    if rows.len() < n {
        learned.report.notes.push(format!(
            "{} of {n} instances have no label: they are placed, but nothing is learned from them",
            n - rows.len()
        ));
    }
    Ok(Supervised { learned, view, x })
}
