//! The file of an embedding model. Rows of views and normalisations, and n in the sizes of stages, are those of all training
//! instances, or of `landmarks`, if the header has their number. Its own tensors: for stage s of the extension `stage.s.basis`,
//! `.points`, `.anchors`, `.link.i`, `.constant`, `.degree`, `.degree.link.i`, as far as it has them; `centers`.

use super::read::{
    Checked, Compared, Opened, Tables, directions, misfit, sized, with_bytes, with_file,
};
use super::{Kind, PLAIN, Tensors, bytes, flat, matrix, put, put_norms, put_views};
use crate::Result;
use crate::data::Matrix;
use crate::kernel::ViewKind;
use crate::model::EmbeddingModel;
use crate::model::embedding::EmbeddingInfo;
use crate::multiview::{Anchors, Degree, Extension, Source, Stage};
use crate::rule::gate::{Gate, Shape};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What stands in the header.
#[derive(PartialEq, Serialize, Deserialize)]
struct Content {
    info: EmbeddingInfo,
    extension: Option<ExtensionShape>,
}

/// An extension without its tables.
#[derive(PartialEq, Serialize, Deserialize)]
struct ExtensionShape {
    stages: Vec<StageShape>,
    outputs: Vec<usize>,
    unit_rows: bool,
}

#[derive(PartialEq, Serialize, Deserialize)]
struct StageShape {
    source: SourceShape,
    cols: usize,
    links: Vec<usize>,
    constant: bool,
    degree: Option<DegreeShape>,
}

#[derive(PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SourceShape {
    Sum { weights: Vec<f64> },
    Each { kernels: Vec<usize> },
    Product,
    Columns { view: String, rows: usize },
    Anchors { view: String, anchors: usize, columns: usize, neighbors: usize, alpha: f64 },
    Gaussian { of: usize, gamma: f64 },
    Unit { of: usize },
    Gated { of: usize, by: usize, gate: String, gates: usize },
    Links,
}

#[derive(PartialEq, Serialize, Deserialize)]
struct DegreeShape {
    links: Vec<usize>,
    constant: f64,
}

/// Writes `model`; see [`EmbeddingModel::save`].
pub fn save(model: &EmbeddingModel, path: &Path) -> Result<()> {
    put(path, to_bytes(model))
}

/// Reads a model; see [`EmbeddingModel::from_bytes`].
pub fn from_bytes(bytes: &[u8]) -> Result<EmbeddingModel> {
    with_bytes(bytes, |file| {
        file.expect(Kind::Embedding)?;
        assemble(file)
    })
}

/// The content of the model's file.
pub fn to_bytes(model: &EmbeddingModel) -> Result<Vec<u8>> {
    let mut info = model.info.clone();
    let mut tensors = Tensors::new();
    tensors.insert("objective".to_string(), flat(&std::mem::take(&mut info.report.objective)));
    put_norms(&mut info.norms, &mut tensors);
    if let Some(centers) = &model.centers {
        tensors.insert("centers".to_string(), matrix(centers));
    }
    let support = put_views(&model.rows, &mut tensors);
    let extension = model.extension.as_ref().map(|e| ExtensionShape {
        stages: e.stages.iter().enumerate().map(|(s, t)| put_stage(s, t, &mut tensors)).collect(),
        outputs: e.outputs.clone(),
        unit_rows: e.unit_rows,
    });
    bytes((Kind::Embedding, PLAIN), &Content { info, extension }, &support, &tensors)
}

fn put_stage(s: usize, stage: &Stage, tensors: &mut Tensors) -> StageShape {
    let mut put = |name: &str, table| tensors.insert(format!("stage.{s}.{name}"), table);
    let source = match &stage.source {
        Source::Sum { weights } => SourceShape::Sum { weights: weights.clone() },
        Source::Each { kernels } => SourceShape::Each { kernels: kernels.clone() },
        Source::Product => SourceShape::Product,
        Source::Columns { view } => {
            SourceShape::Columns { view: view.clone(), rows: stage.basis.rows() }
        }
        Source::Anchors { view, anchors } => {
            put("anchors", matrix(&anchors.points));
            SourceShape::Anchors {
                view: view.clone(),
                anchors: anchors.points.rows(),
                columns: anchors.points.cols(),
                neighbors: anchors.neighbors,
                alpha: anchors.alpha,
            }
        }
        Source::Gaussian { of, gamma, points } => {
            put("points", matrix(points));
            SourceShape::Gaussian { of: *of, gamma: *gamma }
        }
        Source::Unit { of } => SourceShape::Unit { of: *of },
        Source::Gated { of, by, gate } => {
            put("gates", matrix(gate.parameters()));
            let (shape, gates) = (gate.shape().id().to_string(), gate.count());
            SourceShape::Gated { of: *of, by: *by, gate: shape, gates }
        }
        Source::Links => SourceShape::Links,
    };
    if source != SourceShape::Links {
        put("basis", matrix(&stage.basis));
    }
    for (i, (_, link)) in stage.links.iter().enumerate() {
        put(&format!("link.{i}"), matrix(link));
    }
    if !stage.constant.is_empty() {
        put("constant", flat(&stage.constant));
    }
    let degree = stage.degree.as_ref().map(|d| {
        put("degree", flat(&d.basis));
        for (i, (_, link)) in d.links.iter().enumerate() {
            put(&format!("degree.link.{i}"), flat(link));
        }
        DegreeShape { links: d.links.iter().map(|l| l.0).collect(), constant: d.constant }
    });
    StageShape {
        source,
        cols: stage.basis.cols(),
        links: stage.links.iter().map(|l| l.0).collect(),
        constant: !stage.constant.is_empty(),
        degree,
    }
}

/// Reads a model; see [`EmbeddingModel::load`].
pub fn load(path: &Path) -> Result<EmbeddingModel> {
    with_file(path, |file| {
        file.expect(Kind::Embedding)?;
        assemble(file)
    })
}

/// Puts a model together and checks that its parts fit.
pub fn assemble(file: &Opened) -> Checked<EmbeddingModel> {
    let (Content { mut info, extension }, views) = file.envelope()?;
    let tables = file.tables()?;
    let (n, kept) = (info.n_train, info.kept());
    let directions = info.landmarks.is_some() && directions(&info.kernels)?;
    let most = if directions { usize::MAX } else { n };
    if n == 0 || n > u32::MAX as usize || !(1..=most).contains(&kept) {
        return misfit(format!("{kept} of {n} training instances"));
    }
    info.report.objective = tables.reals("objective", None)?;
    tables.norms(&mut info.norms, info.kernels.len(), kept)?;
    if info.active.windows(2).any(|w| w[0] >= w[1]) {
        return misfit("the active kernels are not in increasing order");
    }
    let centers = match &info.clusters {
        Some(found) => Some(tables.matrix("centers", found.sizes.len(), info.columns)?),
        None => None,
    };
    if info.columns == 0 || centers.as_ref().is_some_and(|c| c.rows() == 0) {
        return misfit("no columns or no clusters");
    }
    let rows = tables.views(&views, kept)?;
    let EmbeddingInfo { preparation, kernels, norms, active, .. } = &info;
    let support = &rows;
    let compared = Compared { preparation, kernels, norms, active, support, n_train: n };
    let layout = compared.check()?;
    let given = |m: &usize| info.kernels[*m].function.takes() == ViewKind::Similarities;
    if info.landmarks.is_some() && info.active.iter().any(given) {
        return misfit("landmarks and a similarity between all instances");
    }
    let extension = match extension {
        Some(shape) => Some(put_together(shape, &tables, kept, active.len(), info.columns)?),
        None => None,
    };
    for stage in extension.iter().flat_map(|e: &Extension| &e.stages) {
        let (view, cols) = match &stage.source {
            // Without a basis the features themselves are meant.
            Source::Columns { view } if stage.basis.rows() == 0 => (view, stage.basis.cols()),
            Source::Columns { view } => (view, stage.basis.rows()),
            Source::Anchors { view, anchors } => (view, anchors.points.cols()),
            _ => continue,
        };
        if !layout.iter().any(|l| l.name == *view && !l.similarity && l.cols == cols) {
            return misfit(format!("{cols} columns of the features of view '{view}'"));
        }
    }
    Ok(EmbeddingModel { info, rows, extension, centers })
}

fn put_together(
    shape: ExtensionShape,
    tables: &Tables<'_>,
    n: usize,
    kernels: usize,
    columns: usize,
) -> Checked<Extension> {
    let mut stages: Vec<Stage> = Vec::new();
    for (s, stage) in shape.stages.into_iter().enumerate() {
        stages.push(get_stage(s, stage, &stages, tables, n, kernels)?);
    }
    if shape.outputs.iter().any(|s| *s >= stages.len()) {
        return misfit("an output of the extension is not one of its stages");
    }
    let found: usize = shape.outputs.iter().map(|s| stages[*s].basis.cols()).sum();
    if found != columns {
        return misfit(format!("{found} columns of the extension for {columns} of the embedding"));
    }
    Ok(Extension { stages, outputs: shape.outputs, unit_rows: shape.unit_rows })
}

fn get_stage(
    s: usize,
    shape: StageShape,
    before: &[Stage],
    tables: &Tables<'_>,
    n: usize,
    kernels: usize,
) -> Checked<Stage> {
    let name = |part: &str| format!("stage.{s}.{part}");
    let earlier = |t: usize| match before.get(t) {
        Some(stage) => Ok(stage.basis.cols()),
        None => misfit(format!("stage {s} of the extension refers to stage {t}")),
    };
    let r = shape.cols;
    if r == 0 {
        return misfit(format!("stage {s} of the extension has no columns"));
    }
    let rows = match &shape.source {
        SourceShape::Links => 0,
        SourceShape::Columns { rows, .. } => *rows,
        SourceShape::Anchors { anchors, .. } => *anchors,
        SourceShape::Unit { of } | SourceShape::Gated { of, .. } => earlier(*of)?,
        SourceShape::Each { kernels } => n.saturating_mul(kernels.len()),
        _ => n,
    };
    let source = match shape.source {
        SourceShape::Sum { weights } if weights.len() != kernels => {
            return misfit(format!("{} weights for {kernels} kernels", weights.len()));
        }
        SourceShape::Sum { weights } => Source::Sum { weights },
        SourceShape::Each { kernels: own } => {
            if own.is_empty()
                || own.windows(2).any(|w| w[0] >= w[1])
                || own.iter().any(|m| *m >= kernels)
            {
                return misfit(format!("kernels {own:?} of {kernels}"));
            }
            Source::Each { kernels: own }
        }
        SourceShape::Product if kernels == 0 => return misfit("a product of no kernels"),
        SourceShape::Product => Source::Product,
        SourceShape::Columns { view, .. } => Source::Columns { view },
        SourceShape::Anchors { view, anchors, columns, neighbors, alpha } => {
            if anchors == 0 || columns == 0 || !alpha.is_finite() || alpha < 0.0 {
                return misfit(format!("{anchors} anchors of {columns} columns"));
            }
            let points = tables.matrix(&name("anchors"), anchors, columns)?;
            Source::Anchors { view, anchors: Anchors { points, neighbors, alpha } }
        }
        SourceShape::Gaussian { of, gamma } => {
            let points = tables.matrix(&name("points"), n, earlier(of)?)?;
            Source::Gaussian { of, gamma, points }
        }
        SourceShape::Unit { of } => Source::Unit { of },
        SourceShape::Gated { of, by, gate, gates } => {
            let (shape, wide) = (sized(Shape::from_id(&gate))?, earlier(by)? + 1);
            if gates == 0 || !rows.is_multiple_of(gates) {
                return misfit(format!("{gates} gates of {rows} columns"));
            }
            let gate = sized(Gate::new(shape, tables.matrix(&name("gates"), gates, wide)?))?;
            Source::Gated { of, by, gate }
        }
        SourceShape::Links => Source::Links,
    };
    let without = source == Source::Links;
    let basis = match without {
        true => sized(Matrix::new(0, r, Vec::new()))?,
        false => tables.matrix(&name("basis"), rows, r)?,
    };
    let mut links = Vec::new();
    for (i, t) in shape.links.into_iter().enumerate() {
        links.push((t, tables.matrix(&name(&format!("link.{i}")), earlier(t)?, r)?));
    }
    let constant = match shape.constant {
        true => tables.finite(&name("constant"), Some(&[r]))?,
        false => Vec::new(),
    };
    if without && links.is_empty() && constant.is_empty() {
        return misfit(format!("stage {s} of the extension is made of nothing"));
    }
    let degree = match shape.degree {
        None => None,
        Some(d) => {
            let basis = tables.finite(&name("degree"), Some(&[rows]))?;
            let mut links = Vec::new();
            for (i, t) in d.links.into_iter().enumerate() {
                let size = earlier(t)?;
                let values = tables.finite(&name(&format!("degree.link.{i}")), Some(&[size]))?;
                links.push((t, values));
            }
            Some(Degree { basis, links, constant: d.constant })
        }
    };
    Ok(Stage { source, basis, links, constant, degree })
}
