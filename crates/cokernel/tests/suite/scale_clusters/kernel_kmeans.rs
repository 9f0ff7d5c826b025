//! Multiple kernel k-means, fusions of partitions and kernel PCA towards landmarks: what the exact kernels give at full rank, and
//! new rows.

use super::method;
use cokernel::Run;
use cokernel::data::{Matrix, Views, toy};
use cokernel::eval::cluster_scores::ClusterScores;
use cokernel::model::{EmbeddingModel, MultiView};
use cokernel::multiview::{Clustering, Starts};

const METHODS: [&str; 4] = ["mkkm", "simple_mkkm", "late_fusion", "one_pass_fusion"];

/// Well apart: where groups overlap kernel k-means joins some of them, on exact kernels as towards landmarks.
fn data(n: usize) -> (Views, Vec<u32>) {
    let (views, labels) = toy::views(n, 3, &[7.0, 6.0], 5).unwrap();
    (views, labels.classes().unwrap().codes)
}

fn fitted(method: &MultiView, views: &Views) -> (EmbeddingModel, Clustering) {
    method.fit_clusters(views, 3, &Starts::default(), &Run::default()).unwrap()
}

/// The worst difference of inner products of rows: embeddings may be turned.
fn apart(a: &Matrix, b: &Matrix) -> f64 {
    let inner = |m: &Matrix, i: usize, j: usize| -> f64 {
        m.row(i).iter().zip(m.row(j)).map(|(x, z)| x * z).sum()
    };
    let pairs = (0..a.rows()).flat_map(|i| (0..=i).map(move |j| (i, j)));
    pairs.map(|(i, j)| (inner(a, i, j) - inner(b, i, j)).abs()).fold(0.0, f64::max)
}

#[test]
fn at_full_rank_the_answer_is_exact() {
    let (views, codes) = data(120);
    let (first, others): (Vec<usize>, Vec<usize>) = ((0..90).collect(), (90..120).collect());
    let (train, new) = (views.select(&first), views.select(&others));
    for id in METHODS {
        for center in ["yes", "no"] {
            let with = |storage| fitted(&method(id, storage).param("center", center), &train);
            let ((exact, there), (near, here)) = (with("resident"), with("nystroem:rank=90"));
            let last = |c: &Clustering| c.embedding.report.objective.last().copied();
            if let (Some(a), Some(b)) = (last(&there), last(&here)) {
                assert!((a - b).abs() < 1e-7 * a.abs().max(1.0), "{id} {center}: {a} {b}");
            }
            let same = ClusterScores::new(&here.assignments, &there.assignments).unwrap().nmi;
            assert!(same > 1.0 - 1e-9, "{id} {center}: {same}");
            let worst = apart(&there.embedding.rows, &here.embedding.rows);
            // Of clusters alone, which a rotation takes to the partitions of kernels: not unique.
            assert!(worst < 1e-5 || id == "one_pass_fusion", "{id} {center}: {worst:e}");
            let nmi = ClusterScores::new(&here.assignments, &codes[..90]).unwrap().nmi;
            assert!(nmi > 0.9, "{id} {center}: {nmi}");
            if let (Some(a), Some(b)) = (there.embedding.report.gap, here.embedding.report.gap) {
                assert!((a - b).abs() < 1e-6, "{id} {center}: {a} {b}");
            }
            assert_eq!(exact.extends(), near.extends(), "{id}");
            if exact.extends() {
                let (a, b) = (exact.transform(&new).unwrap(), near.transform(&new).unwrap());
                assert!(apart(&a, &b) < 1e-5, "{id} {center}: {:e}", apart(&a, &b));
                assert_eq!(exact.assign(&new).unwrap(), near.assign(&new).unwrap(), "{id}");
            }
        }
    }
}

#[test]
fn few_landmarks_find_the_clusters_and_place_new_rows() {
    let (views, codes) = data(600);
    let storages = ["nystroem:rank=25", "fourier:rank=300"];
    for (id, storage) in METHODS.into_iter().flat_map(|id| storages.map(|s| (id, s))) {
        let (model, found) = fitted(&method(id, storage), &views);
        let nmi = ClusterScores::new(&found.assignments, &codes).unwrap().nmi;
        assert!(nmi > 0.9, "{id}, {storage}: {nmi}");
        if !model.extends() {
            assert_eq!(id, "one_pass_fusion");
            continue;
        }
        let (own, rows) = (model.transform(&views).unwrap(), &found.embedding.rows);
        let far = own.values().iter().zip(rows.values()).map(|(a, b)| (a - b).abs());
        assert!(far.fold(0.0_f64, f64::max) < 1e-6, "{id}, {storage}");
        let back = EmbeddingModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(back.transform(&views).unwrap(), own, "{id}, {storage}");
        assert!(model.to_bytes().unwrap().len() < 100_000, "{id}, {storage}");
    }
}

#[test]
fn principal_components() {
    let (views, _) = data(120);
    let (first, others): (Vec<usize>, Vec<usize>) = ((0..90).collect(), (90..120).collect());
    let (train, new) = (views.select(&first), views.select(&others));
    let with =
        |storage| method("kernel_pca", storage).fit_embedding(&train, 3, &Run::default()).unwrap();
    let ((exact, there), (near, here)) = (with("resident"), with("nystroem:rank=90"));
    for (a, b) in there.eigenvalues[0].iter().zip(&here.eigenvalues[0]) {
        assert!((a - b).abs() < 1e-8 * a, "{a} {b}");
    }
    let (a, b) = (exact.transform(&new).unwrap(), near.transform(&new).unwrap());
    assert!(apart(&a, &b) < 1e-7, "{:e}", apart(&a, &b));
    for storage in ["nystroem:rank=20", "fourier:rank=200"] {
        let (model, found) = with(storage);
        let own = model.transform(&train).unwrap();
        let far = own.values().iter().zip(found.rows.values()).map(|(a, b)| (a - b).abs());
        assert!(far.fold(0.0_f64, f64::max) < 1e-9, "{storage}");
    }
}
