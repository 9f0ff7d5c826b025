//! The projections of [local projection kernels](crate::mkl) as an embedding: of an instance η_p(x) W_pᵀx, those of the P
//! regions side by side, learned with support vector machines that tell the classes apart.
//!
//! With a linear kernel that is the feature map of the kernel Σ_p η_p(x) ⟨W_pᵀx, W_pᵀz⟩ η_p(z), so that what the machine says is
//! linear in the embedding: LMKA Figure 4.3(b) and §5.4.1, where two regions of one dimension each are the axes of a
//! picture. Instances deep in a region have nothing but the columns of this region; between regions they have a part of
//! several. Problem, search and parameters are those of the learner of the same name; the features of all views
//! are side by side, there is one kernel, the machines are C-SVC with cost `embed_c`, one class against the rest. The
//! columns that are asked for are divided among the regions (`dimensions` is not looked at). Instances without a label
//! are placed, but nothing is learned from them.
//!
//! New rows: the same maps and gates.

use super::gpk::{Supervised, supervised, wants};
use super::kmeans::check_columns;
use super::{Embedder, Embedding, Extension, Problem, Source, Stage, Wants};
use crate::data::{Matrix, side_by_side};
use crate::method::Entry;
use crate::mkl::lpk::{METHOD, settings};
use crate::params::Params;
use crate::solve::dense::{self, Slice};
use crate::{Error, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(Local { params: p.clone() }) };

/// See the [module](self).
#[derive(Debug, Clone)]
struct Local {
    params: Params,
}

impl Embedder for Local {
    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        check_columns(k, problem.bank.n())?;
        let regions = self.params.count("regions");
        if !k.is_multiple_of(regions) {
            let text = format!(
                "expected a multiple of {regions}, as many columns for each of the regions of lpk, found {k}"
            );
            return Err(Error::parameter("k", text));
        }
        if problem.bank.len() != 1 {
            let text = format!(
                "lpk embeds by the projections and gates of one kernel, and there are {}; give one kernel",
                problem.bank.len()
            );
            return Err(Error::parameter("kernels", text));
        }
        let c = self.params.real("embed_c");
        let learner = settings(&self.params).to(k / regions);
        let Supervised { mut learned, view, x } = supervised(problem, METHOD.id, &learner, c, run)?;
        let maps: Vec<&Matrix> = learned.views.iter().filter_map(|l| l.map()).collect();
        let basis = side_by_side(&maps);
        let nothing = || Error::Data("lpk gave no gates".to_string());
        let gated = learned.rule.gated().ok_or_else(nothing)?;
        let (gate, (map, constant)) = (gated.gate().clone(), gated.input().linear());
        let columns = basis.cols();
        if columns < k {
            let (each, d) = (columns / regions, basis.rows());
            learned.report.notes.push(format!(
                "the embedding has {columns} of the {k} columns that were asked for, {each} for each region: there are \
                 {d} features"
            ));
        }
        let stage = |source, basis, constant| Stage {
            source,
            basis,
            links: Vec::new(),
            constant,
            degree: None,
        };
        let unit = Matrix::from_fn(columns, columns, |i, j| f64::from(u8::from(i == j)));
        let of = |view: &str| Source::Columns { view: view.to_string() };
        let projected = dense::product(Slice::of(&x), Slice::of(&basis));
        let mut seen = dense::product(Slice::of(&x), Slice::of(&map));
        for i in 0..seen.rows() {
            seen.row_mut(i).iter_mut().zip(&constant).for_each(|(s, c)| *s += c);
        }
        let rows = super::extension::gated(&projected, &gate, &seen);
        let stages = vec![
            stage(of(&view), basis, Vec::new()),
            stage(of(&view), map, constant),
            stage(Source::Gated { of: 0, by: 1, gate }, unit, Vec::new()),
        ];
        Ok(Embedding {
            rows,
            eigenvectors: Vec::new(),
            eigenvalues: Vec::new(),
            gaps: Vec::new(),
            agreement: Vec::new(),
            extension: Some(Extension { stages, outputs: vec![2], unit_rows: false }),
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
