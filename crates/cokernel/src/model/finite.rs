//! Numbers that arithmetic could not hold are said where a model is made: no file could keep them,
//! and nothing could be predicted with them.

use super::embedding::EmbeddingModel;
use super::{Info, Model};
use crate::data::Matrix;
use crate::kernel::{Kernel, Norm};
use crate::multiview::Source;
use crate::{Error, Report, Result};

fn all(values: &[f64]) -> bool {
    values.iter().all(|v| v.is_finite())
}

fn matrix(m: &Matrix) -> bool {
    all(m.values())
}

/// Refuses, unless the numbers that `what` names are finite.
fn require(finite: bool, what: impl Into<String>) -> Result<()> {
    if finite {
        return Ok(());
    }
    Err(Error::Data(format!(
        "{} overflows: the values of the kernels are too large or too small for arithmetic; scale \
         the features or the similarities first",
        what.into()
    )))
}

/// Statistics of normalisations.
pub(super) fn norms(kernels: &[Kernel], norms: &[Vec<Norm>]) -> Result<()> {
    for (kernel, norms) in kernels.iter().zip(norms) {
        let finite = norms.iter().all(|norm| match norm {
            Norm::UnitDiagonal => true,
            Norm::Scale { factor } => factor.is_finite(),
            Norm::CenterFeature { mean } => mean.is_finite(),
            Norm::Center { row_means, grand_mean } => all(row_means) && grand_mean.is_finite(),
        });
        require(finite, format!("the normalisation of kernel '{}'", kernel.name))?;
    }
    Ok(())
}

fn report(report: &Report) -> Result<()> {
    require(all(&report.objective), "the objective")?;
    let gap = report.gap.is_none_or(f64::is_finite);
    require(gap && all(&report.gaps) && report.seconds.is_finite(), "the duality gap")
}

/// Everything of a classification model.
pub(super) fn classifier(model: &Model) -> Result<()> {
    let Info { kernels, norms: steps, machines, report: how, .. } = &model.info;
    norms(kernels, steps)?;
    let tables = model.rule.stored().tensors.iter().all(|(_, m)| matrix(m));
    require(all(&model.rule.uses()) && tables, "a kernel weight")?;
    let lifts = |f: &crate::bank::Fill| f.lift.iter().all(|l| all(&l.added));
    let sizes = model.fill.iter().all(|f| all(&f.scales) && all(&f.neutral) && lifts(f));
    let parts = model.parts.iter().all(|p| matrix(&p.shares) && matrix(&p.biases));
    require(sizes && parts, "what stands for missing views")?;
    for (t, machine) in machines.iter().enumerate() {
        let finite = all(model.coef.row(t)) && model.bias[t].is_finite() && machine.gap.is_finite();
        require(finite, format!("the machine '{}'", machine.name))?;
    }
    report(how)
}

/// Everything of an embedding.
pub(super) fn embedding(model: &EmbeddingModel) -> Result<()> {
    let info = &model.info;
    norms(&info.kernels, &info.norms)?;
    let values = info.eigenvalues.iter().all(|v| all(v));
    let gaps = info.gaps.iter().flatten().all(|g| g.is_finite());
    require(values && gaps, "an eigenvalue")?;
    require(all(&info.agreement), "the agreement of the views")?;
    for stage in model.extension.iter().flat_map(|e| &e.stages) {
        let source = match &stage.source {
            Source::Sum { weights } => all(weights),
            Source::Gaussian { gamma, points, .. } => gamma.is_finite() && matrix(points),
            Source::Gated { gate, .. } => matrix(gate.parameters()),
            Source::Anchors { anchors, .. } => anchors.alpha.is_finite() && matrix(&anchors.points),
            _ => true,
        };
        let degree = stage.degree.as_ref().is_none_or(|d| {
            all(&d.basis) && d.constant.is_finite() && d.links.iter().all(|l| all(&l.1))
        });
        let links = stage.links.iter().all(|l| matrix(&l.1));
        let own = matrix(&stage.basis) && all(&stage.constant);
        require(source && degree && links && own, "the embedding of new rows")?;
    }
    report(&info.report)
}

/// The clusters of an embedding.
pub(super) fn clusters(centers: &Matrix, inertia: f64) -> Result<()> {
    require(matrix(centers) && inertia.is_finite(), "the inertia of the clusters")
}
