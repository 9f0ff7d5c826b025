//! The loaders of classifiers, embeddings and fitted kernels: files as they are, and with sizes and
//! checksum repaired; what is loaded predicts and is written again.

use crate::repair::{repaired, timeless};
use cokernel::calibrate::{Calibrating, Shape};
use cokernel::data::{Csr, Labels, Matrix, Scale, Table, Views, toy};
use cokernel::kernel::KernelSpec;
use cokernel::model::{EmbeddingModel, FittedKernels, Mkl, Model, MultiView};
use cokernel::multiview::Starts;
use cokernel::{Result, Run};

/// Training instances, and new ones.
const N: usize = 12;
const NEW: usize = 3;

/// Two dense views, a sparse one and a similarity over 15 instances of two classes.
fn data() -> Result<(Views, Labels)> {
    let n = N + NEW;
    let (views, labels) = toy::views(n, 2, &[3.0, 1.5], 4)?;
    let mut all = Views::new();
    for view in views.iter() {
        all.push(view.clone())?;
    }
    let rows = (0..n).map(|i| vec![(i as u32 % 3, 1.0 + i as f64), (4, 0.5)]).collect();
    let all = all.with("sparse", Table::Sparse(Csr::from_rows(6, rows)?))?;
    let like = |i: usize, j: usize| (-((i as f64 - j as f64) / 4.0).powi(2)).exp();
    Ok((all.with("given", Table::Similarity(Matrix::from_fn(n, n, like)))?, labels))
}

/// Training views and labels, and views of new instances.
fn split() -> Result<(Views, Labels, Views)> {
    let (views, labels) = data()?;
    let train: Vec<usize> = (0..N).collect();
    let new: Vec<usize> = (N..N + NEW).collect();
    Ok((views.select(&train), labels.select(&train), views.select_new(&new, &train)))
}

fn specs(texts: &[&str]) -> Result<Vec<KernelSpec>> {
    texts.iter().map(|t| t.parse()).collect()
}

const LISTS: [&[&str]; 3] = [
    &["gaussian@view0:normalize=center", "linear@sparse:normalize=center_unit_variance"],
    &[
        "linear@view0:normalize=center,unit_diagonal",
        "precomputed@given:normalize=center",
        "laplacian@view1:gamma=1:per_feature",
    ],
    &["precomputed@given:normalize=unit_trace", "polynomial@sparse:normalize=frobenius"],
];

fn steady(files: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    files.iter().map(|f| timeless(f).expect("files in order")).collect()
}

/// A file with repaired sizes and checksum, and the same as it is, are loaded and used.
fn used<T: PartialEq + std::fmt::Debug>(
    bytes: &[u8],
    load: fn(&[u8]) -> Result<T>,
    save: fn(&T) -> Result<Vec<u8>>,
    apply: fn(&T, &Views) -> Result<()>,
) -> bool {
    let mut accepted = false;
    for file in [Some(bytes.to_vec()), repaired(bytes)].into_iter().flatten() {
        let model = match load(&file) {
            Ok(model) => model,
            Err(e) => {
                assert!(!e.to_string().is_empty());
                continue;
            }
        };
        accepted = true;
        let new = split().map(|s| s.2).expect("data in order");
        if let Err(e) = apply(&model, &new) {
            assert!(!e.to_string().is_empty());
        }
        // A gap or an objective may be a number that is none, which is not equal to itself.
        let written = save(&model).expect("what was read can be written");
        let again = load(&written).expect("what was written can be read");
        assert_eq!(save(&again).ok(), Some(written));
    }
    accepted
}

/// Classification models.
pub fn classifier(bytes: &[u8]) -> bool {
    used(bytes, Model::from_bytes, Model::to_bytes, |model, new| {
        assert!(serde_json::to_string(&model.inspect()).is_ok());
        model.predict(new).map(|p| assert_eq!(p.labels.len(), NEW))
    })
}

fn classifiers() -> Result<Vec<Vec<u8>>> {
    let (train, labels, _) = split()?;
    let mut all = Vec::new();
    for (k, method) in ["simple_mkl", "mean", "product", "concat"].into_iter().enumerate() {
        let mut mkl = Mkl::new(method)?.scale(if k % 2 == 0 { Scale::MinMax } else { Scale::None });
        if method != "concat" {
            mkl = mkl.kernels(specs(LISTS[k])?);
        } else {
            mkl = mkl.kernels(specs(&["gaussian@view0", "gaussian@sparse"])?);
        }
        let model = mkl.fit(&train, &labels, &Run::default())?;
        for shape in Shape::ALL.into_iter().take(if k == 1 { 2 } else { 0 }) {
            let how = Calibrating::new(shape).folds(2);
            let fitted = mkl.calibration(&train, &labels, None, how, &Run::default())?;
            all.push(model.clone().calibrated(fitted)?.to_bytes()?);
        }
        all.push(model.to_bytes()?);
    }
    Ok(all)
}

/// Files of classification models.
pub fn classifier_seeds() -> Vec<Vec<u8>> {
    steady(classifiers().expect("models in order"))
}

/// Embedding models.
pub fn embedding(bytes: &[u8]) -> bool {
    used(bytes, EmbeddingModel::from_bytes, EmbeddingModel::to_bytes, |model, new| {
        assert!(serde_json::to_string(&model.inspect()).is_ok());
        let rows = model.transform(new)?;
        assert_eq!((rows.rows(), rows.cols()), (NEW, model.columns()));
        model.clusters_of(&rows).map(|c| assert_eq!(c.len(), NEW))
    })
}

fn embeddings() -> Result<Vec<Vec<u8>>> {
    let (train, _, _) = split()?;
    let run = Run::default();
    let mut features = Views::new();
    for view in train.iter().filter(|v| !v.table.is_similarity()) {
        features.push(view.clone())?;
    }
    let mut all = Vec::new();
    for method in ["spectral", "product_spectral", "co_regularized", "co_trained", "kernel_cca"] {
        let method = MultiView::new(method)?.kernels(specs(&[
            "gaussian@view0:normalize=center,unit_diagonal",
            "precomputed@given:normalize=unit_trace",
        ])?);
        if let Ok((model, _)) = method.fit_clusters(&train, 2, &Starts::default(), &run) {
            all.push(model.to_bytes()?);
        }
    }
    for method in ["concat_kmeans", "cca", "concat_embeddings", "min_disagreement"] {
        let method = MultiView::new(method)?.scale(Scale::Standard);
        let (model, _) = method.fit_clusters(&features, 2, &Starts::default(), &run)?;
        all.push(model.to_bytes()?);
    }
    Ok(all)
}

/// Files of embedding models.
pub fn embedding_seeds() -> Vec<Vec<u8>> {
    steady(embeddings().expect("models in order"))
}

/// Fitted kernels.
pub fn fitted_kernels(bytes: &[u8]) -> bool {
    used(bytes, FittedKernels::from_bytes, FittedKernels::to_bytes, |kernels, new| {
        let all = kernels.cross(new)?;
        assert!(all.iter().all(|k| k.rows() == NEW && k.cols() == kernels.n_train()));
        kernels.combined(new, &vec![0.5; all.len()]).map(|k| assert_eq!(k.rows(), NEW))
    })
}

fn kernel_files() -> Result<Vec<Vec<u8>>> {
    let (train, _, _) = split()?;
    let file = |list: &&[&str]| {
        let method = MultiView::new("spectral")?.kernels(specs(list)?).scale(Scale::MinMax);
        FittedKernels::of_views(&method.prepare(&train, &Run::default())?)?.to_bytes()
    };
    LISTS[..2].iter().chain([&&["precomputed@given"][..]]).map(file).collect()
}

/// Files of fitted kernels.
pub fn kernel_seeds() -> Vec<Vec<u8>> {
    steady(kernel_files().expect("kernels in order"))
}
