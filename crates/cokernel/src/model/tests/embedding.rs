//! New rows of an embedding against dense matrices; its file against damage.

use super::{cross, data, dense, forged, rich, specs, train_and_test};
use crate::data::{Matrix, Scale, Scaler, Table, Views};
use crate::model::{EmbeddingModel, Model, MultiView, Saved};
use crate::multiview::{Degree, Extension, Source, Stage, Starts};
use crate::solve::dense::symmetric_eigen;
use crate::{Result, Run};
use proptest::prelude::*;

/// Kernels without negative values, on every kind of view.
const SPECS: [&str; 5] = [
    "gaussian@view0",
    "laplacian@view1:gamma=0.2:normalize=frobenius",
    "gaussian@sparse:gamma=0.5:normalize=unit_diagonal",
    "precomputed@given:normalize=unit_trace",
    "polynomial@sparse:degree=2:gamma=1:coef0=1",
];

fn spectral(list: &[&str]) -> MultiView {
    MultiView::new("spectral").unwrap().kernels(specs(list))
}

fn largest_difference(a: &Matrix, b: &Matrix) -> f64 {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    let pairs = a.values().iter().zip(b.values());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Training instances given as new rows get back their own rows and clusters.
    #[test]
    fn training_rows_get_back_their_own(
        chosen in prop::sample::subsequence(SPECS.to_vec(), 1..=5),
        one in any::<bool>(),
        k in 1_usize..6,
        seed in 0_u64..100,
        scale in prop_oneof![Just(Scale::None), Just(Scale::MinMax)],
    ) {
        let (train, _, _) = train_and_test();
        // Polynomial kernels of scaled columns stay positive, too.
        let mut method = spectral(&chosen).scale(scale);
        if one {
            let view = chosen[0].split(['@', ':']).nth(1).unwrap();
            let alone = chosen.iter().filter(|c| c.contains(&format!("@{view}"))).count() == 1;
            method = method.param("view", if alone { view } else { "mean" });
        }
        let run = Run::with_seed(seed);
        let starts = Starts::default();
        let (model, found) = method.fit_clusters(&train, k, &starts, &run).unwrap();
        let rows = model.transform(&train).unwrap();
        prop_assert!(largest_difference(&rows, &found.embedding.rows) < 1e-8);
        prop_assert_eq!(model.assign(&train).unwrap(), found.assignments);
        let (alone, embedding) = method.fit_embedding(&train, k, &run).unwrap();
        prop_assert_eq!(embedding.rows, found.embedding.rows);
        prop_assert_eq!(alone.transform(&train).unwrap(), rows);
    }
}

/// D^{-1/2} K D^{-1/2} decomposed as a whole, and the Nyström formula entry by entry.
#[test]
fn new_rows_are_those_of_dense_matrices() {
    let (train, _, new) = train_and_test();
    let k = 3;
    let method = spectral(&SPECS).scale(Scale::MinMax);
    let (model, _) = method.fit_embedding(&train, k, &Run::default()).unwrap();
    let kernels = &model.info.kernels;
    let mean_of = |rows: &Views| {
        let mut sum: Option<Matrix> = None;
        for kernel in kernels {
            let (old, rows) = (train.get(&kernel.view).unwrap(), rows.get(&kernel.view).unwrap());
            let scaled = |table: &Table| match &old.table {
                Table::Similarity(_) => dense(table),
                own => dense(&Scaler::fit(own, None, Scale::MinMax).unwrap().apply(table).unwrap()),
            };
            let m = cross(kernel, &scaled(&old.table), &scaled(&rows.table));
            sum = Some(Matrix::from_fn(m.rows(), m.cols(), |i, j| {
                sum.as_ref().map_or(0.0, |s| s.get(i, j)) + m.get(i, j) / kernels.len() as f64
            }));
        }
        sum.unwrap()
    };
    let (own, to_new) = (mean_of(&train), mean_of(&new));
    let n = own.rows();
    let degree = |m: &Matrix, i: usize| m.row(i).iter().sum::<f64>();
    let d: Vec<f64> = (0..n).map(|i| degree(&own, i)).collect();
    let l = Matrix::from_fn(n, n, |i, j| own.get(i, j) / (d[i] * d[j]).sqrt());
    let (values, vectors) = symmetric_eigen(&l).unwrap();
    let unit = |m: Matrix| {
        let length = |i: usize| m.row(i).iter().map(|v| v * v).sum::<f64>().sqrt();
        Matrix::from_fn(m.rows(), m.cols(), |i, j| m.get(i, j) / length(i))
    };
    let want = unit(Matrix::from_fn(new.n(), k, |i, c| {
        let sum: f64 = (0..n)
            .map(|j| {
                to_new.get(i, j) / (degree(&to_new, i) * d[j]).sqrt() * vectors.get(j, n - 1 - c)
            })
            .sum();
        sum / values[n - 1 - c]
    }));
    let found = model.transform(&new).unwrap();
    // Eigenvectors have no sign: inner products of rows have none to lose.
    let inner = |m: &Matrix| {
        Matrix::from_fn(m.rows(), m.rows(), |i, j| {
            m.row(i).iter().zip(m.row(j)).map(|(a, b)| a * b).sum()
        })
    };
    assert!(largest_difference(&inner(&found), &inner(&want)) < 1e-8);
    // One row at a time gives the same rows.
    for i in 0..new.n() {
        let one = new.select_new(&[i], &(0..n).collect::<Vec<_>>());
        let row = model.transform(&one).unwrap();
        assert!(largest_difference(&row, &found.select_rows(&[i])) < 1e-12);
    }
}

#[test]
fn only_active_views_are_kept_and_asked_for() {
    let (train, _, new) = train_and_test();
    let method = spectral(&SPECS).param("view", "view1");
    let (model, _) = method.fit_embedding(&train, 3, &Run::default()).unwrap();
    assert_eq!(model.rows.len(), 1);
    assert_eq!(model.views().len(), 1);
    let used: Vec<bool> = model.inspect().kernels.iter().map(|k| k.active).collect();
    assert_eq!(used, [false, true, false, false, false]);
    let alone = Views::new().with("view1", new.get("view1").unwrap().table.clone()).unwrap();
    assert_eq!(model.transform(&alone).unwrap(), model.transform(&new).unwrap());
}

/// A model with every kind of table in its file; the extension is made up.
fn every_table() -> EmbeddingModel {
    let (train, _, _) = train_and_test();
    let list = [SPECS[0], SPECS[1], SPECS[3], "gaussian@sparse:normalize=center"];
    let method = MultiView::new("spectral").unwrap().kernels(specs(&list)).param("view", "view0");
    let (mut model, _) =
        method.fit_clusters(&train, 3, &Starts::default(), &Run::default()).unwrap();
    let all = EmbeddingModel::new(
        &method,
        &method.prepare(&train, &Run::default()).unwrap(),
        3,
        &crate::multiview::Embedding {
            extension: Some(Extension {
                stages: vec![Stage {
                    source: Source::Product,
                    basis: Matrix::zeros(45, 3),
                    links: Vec::new(),
                    constant: Vec::new(),
                    degree: None,
                }],
                outputs: vec![0],
                unit_rows: false,
            }),
            ..method.embed(&train, 3, &Run::default()).unwrap()
        },
    )
    .unwrap();
    (model.rows, model.info.active, model.info.norms) = (all.rows, all.info.active, all.info.norms);
    (model.info.views, model.info.preparation) = (all.info.views, all.info.preparation);
    let n = model.n_train();
    let table = |rows, cols| Matrix::from_fn(rows, cols, |i, j| ((i * 7 + j * 3) as f64).sin());
    let list = |size: usize| (0..size).map(|i| 1.0 + (i as f64).cos() / 3.0).collect::<Vec<_>>();
    let degree = |size: usize, links| Some(Degree { basis: list(size), links, constant: 4.5 });
    let stages = vec![
        Stage {
            source: Source::Sum { weights: vec![0.1, 0.2, 0.0, 1.0 / 3.0] },
            basis: table(n, 2),
            links: Vec::new(),
            constant: Vec::new(),
            degree: degree(n, Vec::new()),
        },
        Stage {
            source: Source::Product,
            basis: table(n, 4),
            links: vec![(0, table(2, 4))],
            constant: list(4),
            degree: None,
        },
        Stage {
            source: Source::Gaussian { of: 0, gamma: 0.3, points: table(n, 2) },
            basis: table(n, 1),
            links: Vec::new(),
            constant: Vec::new(),
            degree: degree(n, vec![(0, vec![0.0, 0.1])]),
        },
        Stage {
            source: Source::Links,
            basis: Matrix::zeros(0, 2),
            links: vec![(0, table(2, 2)), (1, table(4, 2))],
            constant: Vec::new(),
            degree: degree(0, vec![(2, vec![0.5])]),
        },
        Stage {
            source: Source::Unit { of: 1 },
            basis: table(4, 3),
            links: vec![(3, table(2, 3))],
            constant: Vec::new(),
            degree: None,
        },
        Stage {
            source: Source::Each { kernels: vec![1, 3] },
            basis: table(2 * n, 2),
            links: Vec::new(),
            constant: Vec::new(),
            degree: degree(2 * n, Vec::new()),
        },
    ];
    model.extension = Some(Extension { stages, outputs: vec![3, 2], unit_rows: false });
    model
}

fn saved(model: &EmbeddingModel) -> (tempfile::TempDir, std::path::PathBuf, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.ck");
    model.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    (dir, path, bytes)
}

fn bits(m: &Matrix) -> Vec<u64> {
    m.values().iter().map(|v| v.to_bits()).collect()
}

#[test]
fn files_give_back_the_same_bits() {
    let (train, _, new) = train_and_test();
    let run = Run::default();
    let plain = spectral(&SPECS).scale(Scale::MinMax).fit_embedding(&train, 3, &run).unwrap().0;
    for model in [every_table(), plain] {
        let (_dir, path, bytes) = saved(&model);
        let back = EmbeddingModel::load(&path).unwrap();
        assert_eq!(back, model);
        assert_eq!(Saved::load(&path).unwrap(), Saved::Embedding(Box::new(model.clone())));
        assert_eq!(saved(&back).2, bytes);
        assert_eq!(back.inspect(), model.inspect());
        let (a, b) = (model.transform(&new).unwrap(), back.transform(&new).unwrap());
        assert_eq!(bits(&a), bits(&b));
    }
}

#[test]
fn one_kind_of_file_is_not_taken_for_the_other() {
    let (_dir, path, _) = saved(&every_table());
    let e = Model::load(&path).unwrap_err().to_string();
    assert!(e.ends_with("it holds an embedding model, not a classification model"), "{e}");
    let classifier = rich();
    classifier.save(&path).unwrap();
    let e = EmbeddingModel::load(&path).unwrap_err().to_string();
    assert!(e.ends_with("it holds a classification model, not an embedding model"), "{e}");
    assert_eq!(Saved::load(&path).unwrap(), Saved::Classifier(Box::new(classifier)));
}

fn reload(path: &std::path::Path, bytes: &[u8]) -> Result<EmbeddingModel> {
    std::fs::write(path, bytes).unwrap();
    EmbeddingModel::load(path)
}

#[test]
fn damage_is_refused_or_harmless() {
    let model = every_table();
    let (_dir, path, bytes) = saved(&model);
    for end in (0..bytes.len()).step_by(97).chain(bytes.len() - 9..bytes.len()) {
        let e = reload(&path, &bytes[..end]).unwrap_err().to_string();
        assert!(e.contains("truncated") || e.contains("not a model"), "{end}: {e}");
    }
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut refused = 0;
    let places = (0..header).step_by(7).chain((header..bytes.len()).step_by(131));
    for (turn, place) in places.enumerate() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (turn % 8);
        match reload(&path, &damaged) {
            Ok(back) => assert_eq!(back, model, "byte {place}"),
            Err(_) => refused += 1,
        }
        if place >= header {
            let e = reload(&path, &damaged).unwrap_err().to_string();
            assert!(e.contains("checksum"), "{e}");
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn forged_files_are_refused_without_panic() {
    let model = every_table();
    let (_dir, path, bytes) = saved(&model);
    assert_eq!(reload(&path, &forged(&bytes, |_, _| ())).unwrap(), model);
    type Change = fn(&mut serde_json::Value);
    let cases: [(&str, Change); 20] = [
        ("it has format 9, written by", |m| m["format"] = 9.into()),
        ("0 training instances", |m| m["model"]["info"]["n_train"] = 0.into()),
        ("18446744073709551615 training", |m| m["model"]["info"]["n_train"] = u64::MAX.into()),
        ("row_means' is", |m| m["model"]["info"]["n_train"] = 44.into()),
        ("as many normalisations", |m| m["model"]["info"]["norms"] = Vec::<u8>::new().into()),
        ("kernel 4 of 4", |m| m["model"]["info"]["active"] = vec![0, 4].into()),
        ("increasing order", |m| m["model"]["info"]["active"] = vec![1, 0, 2, 3].into()),
        ("4 weights for 1 kernels", |m| m["model"]["info"]["active"] = vec![0].into()),
        ("'centers' is", |m| m["model"]["info"]["columns"] = 4.into()),
        ("'centers' is", |m| m["model"]["info"]["clusters"]["sizes"] = vec![1].into()),
        ("kernel 'gaussian", |m| m["model"]["info"]["kernels"][0]["view"] = "other".into()),
        ("not one of its stages", |m| m["model"]["extension"]["outputs"][0] = 6.into()),
        ("4 columns of the extension", |m| m["model"]["extension"]["outputs"] = vec![3, 3].into()),
        ("stage 1 of the extension refers to stage 1", |m| {
            m["model"]["extension"]["stages"][1]["links"][0] = 1.into()
        }),
        ("stage 2 of the extension refers to stage 9", |m| {
            m["model"]["extension"]["stages"][2]["source"]["gaussian"]["of"] = 9.into()
        }),
        ("stage 3 of the extension refers to stage 3", |m| {
            m["model"]["extension"]["stages"][3]["degree"]["links"][0] = 3.into()
        }),
        ("'stage.3.link.0' is", |m| {
            m["model"]["extension"]["stages"][3]["cols"] = 1_000_000_000_000_000_u64.into()
        }),
        ("stage 3 of the extension is made of nothing", |m| {
            m["model"]["extension"]["stages"][3]["links"] = Vec::<u8>::new().into()
        }),
        ("the table 'stage.0.constant' is missing", |m| {
            m["model"]["extension"]["stages"][0]["constant"] = true.into()
        }),
        ("header is damaged", |m| m["model"]["extension"]["stages"][0]["source"] = "magic".into()),
    ];
    for (sentence, change) in cases {
        let e = reload(&path, &forged(&bytes, |m, _| change(m))).unwrap_err().to_string();
        assert!(e.contains(sentence) && e.contains("model.ck"), "{sentence}: {e}");
    }
}

#[test]
fn misuse_is_refused() {
    let (views, _) = data();
    let (train, _, new) = train_and_test();
    let run = Run::default();
    let said = |r: Result<Matrix>| r.unwrap_err().to_string();
    let (model, found) = spectral(&SPECS).fit_embedding(&train, 3, &run).unwrap();
    let e = model.assign(&new).unwrap_err().to_string();
    assert_eq!(e, "this model embeds only: no clusters were looked for when it was made");
    let e = said(model.transform(&views.select(&[0, 1, 2])));
    assert!(e.starts_with("view 'given': expected 45 columns"), "{e}");
    let only = Views::new().with("view0", new.get("view0").unwrap().table.clone()).unwrap();
    assert!(said(model.transform(&only)).starts_with("view 'view1' is missing"));
    // A row far from everything has no similarity that a number can hold.
    let alone = spectral(&SPECS[..1]).fit_embedding(&train, 3, &run).unwrap().0;
    let far = Views::new().dense("view0", Matrix::from_fn(1, 3, |_, _| 1e6)).unwrap();
    let e = said(alone.transform(&far));
    assert!(e.starts_with("new row 0: its similarities to the training instances sum to 0"), "{e}");
    let e = model.clusters_of(&Matrix::zeros(2, 9)).unwrap_err().to_string();
    assert!(e.contains("embeds only"), "{e}");

    let method = spectral(&SPECS);
    let prepared = method.prepare(&train, &run).unwrap();
    let silent = crate::multiview::Embedding { extension: None, ..found.clone() };
    let silent = EmbeddingModel::new(&method, &prepared, 3, &silent).unwrap();
    assert!(!silent.extends() && silent.views().is_empty());
    let e = said(silent.transform(&new));
    assert!(e.starts_with("method 'spectral' embeds the instances that it was given"), "{e}");
    let (_dir, path, _) = saved(&silent);
    assert_eq!(EmbeddingModel::load(&path).unwrap(), silent);

    let other = spectral(&SPECS[..2]);
    let e = EmbeddingModel::new(&other, &prepared, 3, &found).unwrap_err().to_string();
    assert!(e.starts_with("the views were prepared with other kernels"), "{e}");
    let unit = spectral(&["precomputed@given:normalize=unit_diagonal"]);
    let e = unit.fit_embedding(&train, 3, &run).unwrap_err().to_string();
    assert!(e.contains("does not tell the self-similarity of new instances"), "{e}");
}
