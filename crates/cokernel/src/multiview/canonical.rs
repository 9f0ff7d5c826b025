//! What [`cca`](super::cca) and [`kernel_cca`](super::kernel_cca) share: their parameters, and the
//! way from canonical variates to the embedding.
//!
//! LMS §3.4: "Applying CCA for feature fusion … and then running spectral clustering using these
//! extracted features". The canonical variates f_v (n × c per view) are put side by side, or those
//! of one view are taken; then a Gaussian kernel, its width the median distance, and its spectral
//! embedding; or the variates themselves are the embedding.

use super::embedding::{chosen, side_by_side};
use super::extension::{Extension, Source, Stage, divided};
use super::work::Work;
use super::{Embedding, laplacian};
use crate::bank::{Bank, Storage};
use crate::data::{Matrix, Views};
use crate::kernel::{Function, KernelSpec};
use crate::params::{Param, Params, Range};
use crate::run::Pass;
use crate::{Error, Result};

/// Number of pairs of variates.
pub(super) const COMPONENTS: Param = Param {
    name: "components",
    doc: "Canonical variates per view; 0 takes as many as clusters. Those without correlation \
          are left out. Their eigenvalues are told less 1: for two views, canonical correlations.",
    range: Range::Int { default: 0, min: 0, max: i64::MAX },
};

/// Which variates.
pub(super) const VARIATES: Param = Param {
    name: "embedding",
    doc: "The canonical variates that are used: concat (those of all views side by side), or the \
          name of a view or kernel.",
    range: Range::Text { default: "concat", expected: "concat, or the name of a view or kernel" },
};

/// What becomes of them.
pub(super) const THEN: Param = Param {
    name: "then",
    doc: "What is done with the variates: spectral (the spectral embedding of a Gaussian kernel \
          on them, its width the median distance), or kmeans (they are the embedding).",
    range: Range::Choice { default: "spectral", of: &["spectral", "kmeans"] },
};

/// Correlations below this are rounding.
const NONE: f64 = 1e-9;

/// The parameters of both methods.
#[derive(Debug, Clone)]
pub struct Settings {
    /// κ_v as a share of the variance of view v.
    pub regularization: f64,
    /// Variates per view, or 0 for k.
    pub components: usize,
    /// `concat`, or the view or kernel whose variates are used.
    pub embedding: String,
    /// Whether spectral clustering follows.
    pub spectral: bool,
}

/// Canonical variates.
pub(super) struct Variates {
    /// θ − 1 of each, descending: for two views the canonical correlations.
    pub(super) correlations: Vec<f64>,
    /// Difference to the next one.
    pub(super) gap: Option<f64>,
    /// n × c per view.
    pub(super) parts: Vec<Matrix>,
    /// How new rows get theirs, where that is known, per view.
    pub(super) stages: Vec<Option<Stage>>,
}

impl Settings {
    pub(super) fn new(p: &Params) -> Self {
        Settings {
            regularization: p.real("regularization"),
            components: p.count("components"),
            embedding: p.text("embedding").to_string(),
            spectral: p.text("then") == "spectral",
        }
    }

    /// How many variates are asked for.
    ///
    /// # Errors
    /// Fewer than two views; more components than instances; no such view.
    pub(super) fn asked(&self, bank: &Bank, k: usize) -> Result<usize> {
        if bank.len() < 2 {
            return Err(Error::Data(
                "canonical correlations are between views: two kernels or more are needed, found \
                 1; for one use 'spectral'"
                    .to_string(),
            ));
        }
        chosen(bank, &self.embedding)?;
        let asked = if self.components == 0 { k } else { self.components };
        if asked > bank.n() {
            let problem =
                format!("expected at most {} (the number of instances), found {asked}", bank.n());
            return Err(Error::parameter("components", problem));
        }
        Ok(asked)
    }

    /// How many of the values θ of I + (offdiagonal blocks) stand for a correlation.
    ///
    /// # Errors
    /// None does, and the computation was not cut short.
    pub(super) fn kept(&self, values: &[f64], work: &mut Work<'_>) -> Result<usize> {
        if work.status.is_some() {
            return Ok(values.len());
        }
        let kept = values.iter().take_while(|v| **v > 1.0 + NONE).count();
        if kept == 0 {
            return Err(Error::Data(
                "no function of one view is correlated with one of another view, so that there \
                 are no canonical variates to cluster"
                    .to_string(),
            ));
        }
        if kept < values.len() {
            work.notes.push(format!(
                "the views have {kept} canonical variates that are correlated; {} were asked for",
                values.len()
            ));
        }
        Ok(kept)
    }

    /// From variates to the embedding.
    pub(super) fn finish(
        &self,
        bank: &Bank,
        variates: Variates,
        k: usize,
        mut work: Work<'_>,
    ) -> Result<Embedding> {
        let shown = chosen(bank, &self.embedding)?;
        let parts: Vec<&Matrix> = shown.iter().map(|v| &variates.parts[*v]).collect();
        let z = side_by_side(&parts);
        let mut stages: Option<Vec<Stage>> =
            shown.iter().map(|v| variates.stages[*v].clone()).collect();
        let mut eigenvalues = vec![variates.correlations];
        let mut gaps = vec![variates.gap];
        let outputs = (0..shown.len()).collect();
        let with = |stages: Option<Vec<Stage>>, outputs, unit_rows| {
            stages.map(|stages| Extension { stages, outputs, unit_rows })
        };
        if !self.spectral || work.status.is_some() {
            return Ok(Embedding {
                rows: z,
                eigenvectors: Vec::new(),
                eigenvalues,
                gaps,
                agreement: Vec::new(),
                extension: with(stages, outputs, false),
                report: work.report(),
            });
        }
        let views = Views::new().dense("canonical variates", z.clone())?;
        let kernel = Bank::build(&views, &[KernelSpec::gaussian()], Storage::Auto, work.run)?;
        work.notes.extend_from_slice(kernel.notes());
        let degrees = laplacian::degrees(&kernel, 0, &work.watch)?;
        let watch = work.watch.clone();
        let whose = "the kernel on the canonical variates";
        let apply = |x: &Matrix| kernel.apply_in(0, x, &Pass::under(&watch));
        let (pairs, s) = work.normalized(whose, &degrees, k, apply)?;
        let rows = work.unit_rows(&pairs.vectors, whose);
        if let (Some(stages), Function::Exponential { gamma, .. }) =
            (&mut stages, kernel.kernels()[0].function)
        {
            let of = joined(stages);
            let source = Source::Gaussian { of, gamma, points: z };
            stages.push(Stage::normalized(source, &s, &divided(&pairs.vectors, &pairs.values)));
        }
        let last = stages.as_ref().map_or(0, |s| s.len() - 1);
        gaps.push(pairs.gap());
        eigenvalues.push(pairs.values);
        Ok(Embedding {
            rows,
            eigenvectors: vec![pairs.vectors],
            eigenvalues,
            gaps,
            agreement: Vec::new(),
            extension: with(stages, vec![last], true),
            report: work.report(),
        })
    }
}

/// The stage that holds the columns of all stages side by side.
fn joined(stages: &mut Vec<Stage>) -> usize {
    if stages.len() > 1 {
        let total: usize = stages.iter().map(|s| s.basis.cols()).sum();
        let (mut links, mut before) = (Vec::new(), 0);
        for (t, stage) in stages.iter().enumerate() {
            let c = stage.basis.cols();
            let place = Matrix::from_fn(c, total, |i, j| f64::from(u8::from(j == before + i)));
            links.push((t, place));
            before += c;
        }
        stages.push(Stage::linked(links));
    }
    stages.len() - 1
}
