//! Embedding models that keep landmarks: views of all kinds in their files, and files that were tampered with.

use super::{forged, specs, train_and_test};
use crate::data::{Matrix, Sequences, Table, Views};
use crate::model::{EmbeddingModel, Mkl, Model, MultiView};
use crate::multiview::{Source, Starts};
use crate::{Result, Run};

/// Kernels on dense and sparse features, single columns and sequences.
const SPECS: [&str; 4] = [
    "gaussian@view0",
    "gaussian@view1:per_feature:gamma=0.5",
    "polynomial@sparse:degree=2:gamma=1:coef0=1:normalize=unit_diagonal",
    "spectrum@words:k=2",
];

fn with_words(views: &Views) -> Views {
    let word =
        |i: usize| (0..8).map(|j| b"abc"[(i * i + j * (1 + i % 3)) % 3]).collect::<Vec<u8>>();
    let texts: Vec<String> = (0..views.n()).map(|i| String::from_utf8(word(i)).unwrap()).collect();
    let words = Table::Sequences(Sequences::new(&texts).unwrap());
    views.clone().with("words", words).unwrap()
}

fn model(id: &str) -> (EmbeddingModel, Matrix, Views) {
    let (train, _, new) = train_and_test();
    let (train, new) = (with_words(&train), with_words(&new));
    let method = MultiView::new(id)
        .unwrap()
        .kernels(specs(&SPECS))
        .storage("nystroem:rank=12".parse().unwrap());
    let run = Run::default();
    let (model, found) = method.fit_clusters(&train, 3, &Starts::default(), &run).unwrap();
    let own = model.transform(&train).unwrap();
    let pairs = own.values().iter().zip(found.embedding.rows.values());
    assert!(pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-8, "{id}");
    (model, own, new)
}

#[test]
fn all_kinds_of_views_are_kept() {
    for id in ["spectral", "co_trained", "co_regularized"] {
        let (model, _, new) = model(id);
        assert_eq!((model.rows.n(), model.rows.len(), model.n_train()), (12, 4, 45));
        let back = EmbeddingModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(back, model);
        let (a, b) = (model.transform(&new).unwrap(), back.transform(&new).unwrap());
        assert!(a.values().iter().zip(b.values()).all(|(x, z)| x.to_bits() == z.to_bits()));
        assert_eq!(back.inspect().landmarks, Some(12));
    }
}

/// Kernels that no stage reads are left out of the file, and the others get their new numbers.
#[test]
fn only_active_kernels_are_kept() {
    let (train, _, new) = train_and_test();
    let method = MultiView::new("spectral")
        .unwrap()
        .kernels(specs(&["gaussian@view0", "gaussian@view1:gamma=0.3", "gaussian@sparse"]))
        .storage("nystroem:rank=12".parse().unwrap())
        .param("view", "view1");
    let (model, _) = method.fit_embedding(&train, 3, &Run::default()).unwrap();
    assert_eq!((model.rows.len(), model.info.active.as_slice()), (1, [1].as_slice()));
    let stages = &model.extension.as_ref().unwrap().stages;
    assert_eq!(stages[0].source, Source::Each { kernels: vec![0] });
    let alone = Views::new().with("view1", new.get("view1").unwrap().table.clone()).unwrap();
    assert_eq!(model.transform(&alone).unwrap(), model.transform(&new).unwrap());
}

#[test]
fn forged_files_are_refused_without_panic() {
    let (model, _, _) = model("concat_embeddings");
    let bytes = model.to_bytes().unwrap();
    let reload = |bytes: &[u8]| -> Result<EmbeddingModel> { EmbeddingModel::from_bytes(bytes) };
    assert_eq!(reload(&forged(&bytes, |_, _| ())).unwrap(), model);
    type Change = fn(&mut serde_json::Value);
    let cases: [(&str, Change); 9] = [
        ("0 of 45 training", |m| m["model"]["info"]["landmarks"] = 0.into()),
        ("46 of 45 training", |m| m["model"]["info"]["landmarks"] = 46.into()),
        ("'view.0.dense' is", |m| m["model"]["info"]["landmarks"] = 11.into()),
        ("'view.0.dense' is", |m| m["model"]["info"]["landmarks"] = serde_json::Value::Null),
        ("kernels [] of", |m| {
            m["model"]["extension"]["stages"][0]["source"]["each"]["kernels"] =
                Vec::<u8>::new().into()
        }),
        ("kernels [9] of", |m| {
            m["model"]["extension"]["stages"][0]["source"]["each"]["kernels"] = vec![9].into()
        }),
        ("kernels [1, 1] of", |m| {
            m["model"]["extension"]["stages"][0]["source"]["each"]["kernels"] = vec![1, 1].into()
        }),
        ("'stage.0.basis' is", |m| {
            m["model"]["extension"]["stages"][0]["source"]["each"]["kernels"] = vec![0, 1].into()
        }),
        ("weights for", |m| {
            let sum = serde_json::json!({ "sum": { "weights": [1.0] } });
            m["model"]["extension"]["stages"][0]["source"] = sum
        }),
    ];
    for (sentence, change) in cases {
        let e = reload(&forged(&bytes, |m, _| change(m))).unwrap_err().to_string();
        assert!(e.contains(sentence), "{sentence}: {e}");
    }
    // A model of all instances that claims to be one of landmarks: similarities know no landmarks.
    let (train, _, _) = train_and_test();
    let given = MultiView::new("spectral").unwrap().kernels(specs(&["precomputed@given"]));
    let (given, _) = given.fit_embedding(&train, 3, &Run::default()).unwrap();
    let claims = forged(&given.to_bytes().unwrap(), |m, _| {
        m["model"]["info"]["landmarks"] = 45.into();
    });
    let e = reload(&claims).unwrap_err().to_string();
    assert!(e.contains("landmarks and a similarity"), "{e}");
}

/// A classifier of random features, more of them than instances, and its file with parts that do not go together.
#[test]
fn forged_random_features_are_refused_without_panic() {
    let (train, labels, new) = train_and_test();
    let mkl = Mkl::new("mean")
        .unwrap()
        .kernels(specs(&["gaussian@view0", "laplacian@sparse"]))
        .machine("squared_hinge_svc".parse::<crate::machine::MachineSpec>().unwrap())
        .storage("fourier:rank=60".parse().unwrap());
    let model = mkl.fit(&train, &labels, &Run::default()).unwrap();
    let bytes = model.to_bytes().unwrap();
    let reload = |bytes: &[u8]| -> Result<Model> { Model::from_bytes(bytes) };
    assert_eq!(reload(&forged(&bytes, |_, _| ())).unwrap(), model);
    assert_eq!(reload(&bytes).unwrap().predict(&new).unwrap(), model.predict(&new).unwrap());
    type Change = fn(&mut serde_json::Value);
    let cases: [(&str, Change); 4] = [
        ("random features of 1 of 2 kernels", |m| {
            m["model"]["kernels"][0]["function"] = serde_json::json!({ "function": "linear" })
        }),
        ("kept instances are not increasing", |m| {
            (0..2).for_each(|k| {
                m["model"]["kernels"][k]["function"] = serde_json::json!({ "function": "linear" });
            });
        }),
        ("kernel 'gaussian", |m| m["model"]["kernels"][0]["view"] = "other".into()),
        ("header is damaged", |m| {
            m["model"]["kernels"][0]["function"] =
                serde_json::json!({ "function": "wave", "factor": "x" })
        }),
    ];
    for (sentence, change) in cases {
        let e = reload(&forged(&bytes, |m, _| change(m))).unwrap_err().to_string();
        assert!(e.contains(sentence), "{sentence}: {e}");
    }
}
