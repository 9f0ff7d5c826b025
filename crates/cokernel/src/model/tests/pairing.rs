//! Files that are whole and have a right checksum, but whose parts do not belong together: each of
//! these was a panic, or memory of the size that the file claims, in prediction.

use super::{data, fit, forged, rich, specs, train_and_test};
use crate::Run;
use crate::bank::{Cross, RowMeans};
use crate::data::Views;
use crate::model::{EmbeddingModel, FittedKernels, Mkl, Model, MultiView};
use crate::multiview::Starts;
use serde_json::{Value, json};

type Change = fn(&mut Value);

/// What a loader says about a file with one thing changed and its checksum repaired.
fn refusals<T: std::fmt::Debug + PartialEq>(
    bytes: &[u8],
    load: impl Fn(&[u8]) -> crate::Result<T>,
    cases: &[(&str, Change)],
) {
    assert_eq!(load(&forged(bytes, |_, _| ())).unwrap(), load(bytes).unwrap());
    for (sentence, change) in cases {
        let e = load(&forged(bytes, |m, _| change(m))).unwrap_err().to_string();
        assert!(e.contains(sentence), "{sentence}: {e}");
    }
}

#[test]
fn parts_of_a_classifier() {
    let bytes = rich().to_bytes().unwrap();
    refusals(
        &bytes,
        Model::from_bytes,
        &[
            ("'precomputed@given(center)' has not the statistics", |m| {
                m["model"]["norms"][2] = json!([{ "step": "unit_diagonal" }])
            }),
            ("is a similarity with a unit diagonal", |m| {
                m["model"]["norms"][2] = json!([{ "step": "unit_diagonal" }]);
                m["model"]["kernels"][2]["normalize"] = json!(["unit_diagonal"]);
            }),
            ("'gaussian@view0", |m| {
                m["model"]["kernels"][0]["normalize"] = json!(["center", "unit_trace"])
            }),
            ("looks at a column", |m| m["model"]["kernels"][2]["column"] = 0.into()),
            ("and view 'given'", |m| m["model"]["kernels"][0]["view"] = "given".into()),
            ("and view 'view1'", |m| m["model"]["kernels"][0]["view"] = "view1".into()),
            ("and view 'given'", |m| {
                m["model"]["preparation"]["views"][2]["scaler"]["cols"] = 44.into()
            }),
            ("view 'view0': not one shift", |m| {
                m["model"]["preparation"]["views"][0]["scaler"]["shift"] = json!([])
            }),
            ("view 'view0': a divisor of 0", |m| {
                m["model"]["preparation"]["views"][0]["scaler"]["divisor"][1] = 0.0.into()
            }),
            ("view 'view0': its name is empty or given twice", |m| {
                m["model"]["preparation"]["views"][1]["name"] = "view0".into()
            }),
            ("view 'given': 0 columns", |m| {
                m["model"]["preparation"]["views"][2]["scaler"]["cols"] = 0.into()
            }),
            ("view 'sparse': not one name for each column", |m| {
                m["model"]["preparation"]["views"][1]["columns"] = json!(["a"])
            }),
            ("a similarity is scaled", |m| m["model"]["preparation"]["concat"] = true.into()),
        ],
    );
    // Kept rows alone, and kernels that need all.
    let list = specs(&["linear@view0:normalize=center,unit_diagonal", "gaussian@sparse"]);
    let all = fit(Mkl::new("mean").unwrap().kernels(list));
    let change: Change = |m| m["model"]["n_train"] = 46.into();
    let cases = [("45 of 46 instances are kept, and kernels need all", change)];
    refusals(&all.to_bytes().unwrap(), Model::from_bytes, &cases);
}

#[test]
fn parts_of_an_embedding() {
    let (train, _, _) = train_and_test();
    let run = Run::default();
    let list = specs(&["gaussian@view0", "precomputed@given"]);
    let method = MultiView::new("spectral").unwrap().kernels(list);
    let (model, _) = method.fit_clusters(&train, 3, &Starts::default(), &run).unwrap();
    refusals(
        &model.to_bytes().unwrap(),
        EmbeddingModel::from_bytes,
        &[
            ("has not the statistics", |m| {
                m["model"]["info"]["norms"][1] = json!([{ "step": "unit_diagonal" }])
            }),
            ("kernel 2 of 2", |m| m["model"]["info"]["active"] = json!([0, 2])),
            ("'centers' is", |m| m["model"]["info"]["columns"] = 0.into()),
            ("stage 0 of the extension has no columns", |m| {
                m["model"]["extension"]["stages"][0]["cols"] = 0.into()
            }),
        ],
    );
    // Features as they are: no kernel, no row.
    let features = Views::new().with("v", train.get("view0").unwrap().table.clone()).unwrap();
    let method = MultiView::new("concat_kmeans").unwrap();
    let (plain, _) = method.fit_embedding(&features, 3, &run).unwrap();
    let bytes = plain.to_bytes().unwrap();
    let change: Change =
        |m| m["model"]["info"]["preparation"]["views"][0]["scaler"]["cols"] = 4.into();
    let cases = [("3 columns of the features of view", change)];
    refusals(&bytes, EmbeddingModel::from_bytes, &cases);
    // A number of training instances that nothing backs costs nothing.
    let many = forged(&bytes, |m, _| m["model"]["info"]["n_train"] = 4_000_000_000_u64.into());
    let many = EmbeddingModel::from_bytes(&many).unwrap();
    assert_eq!(many.transform(&features).unwrap(), plain.transform(&features).unwrap());
}

#[test]
fn parts_of_kernels() {
    let (train, _, _) = train_and_test();
    let run = Run::default();
    let list = specs(&["gaussian@view0:normalize=center", "precomputed@given:normalize=center"]);
    let method = MultiView::new("spectral").unwrap().kernels(list);
    let fitted = FittedKernels::of_views(&method.prepare(&train, &run).unwrap()).unwrap();
    refusals(
        &fitted.to_bytes().unwrap(),
        FittedKernels::from_bytes,
        &[
            ("has not the statistics", |m| {
                m["model"]["norms"][1] = json!([{ "step": "unit_diagonal" }])
            }),
            ("and view 'view0'", |m| m["model"]["kernels"][1]["view"] = "view0".into()),
            ("0 kernels of 45 instances", |m| {
                m["model"]["kernels"] = json!([]);
                m["model"]["norms"] = json!([]);
            }),
        ],
    );
    // The similarity alone: rows of which the file holds none.
    let alone = Views::new().with("given", train.get("given").unwrap().table.clone()).unwrap();
    let fitted = MultiView::new("spectral").unwrap().prepare(&alone, &run).unwrap();
    let fitted = FittedKernels::of_views(&fitted).unwrap();
    let change: Change = |m| m["model"]["n_train"] = 4_000_000_000_u64.into();
    refusals(&fitted.to_bytes().unwrap(), FittedKernels::from_bytes, &[("view 'given'", change)]);
}

/// The same mistakes without a file.
#[test]
fn statistics_of_other_normalisations_are_refused() {
    let (views, _) = data();
    let run = Run::default();
    let method = MultiView::new("spectral").unwrap().kernels(specs(&["precomputed@given"]));
    let prepared = method.prepare(&views, &run).unwrap();
    let mut kernels = prepared.bank().kernels().to_vec();
    let rows: Vec<usize> = (0..60).collect();
    let narrow = views.select_new(&rows, &rows[..5]);
    let cross = |kernels: &[crate::kernel::Kernel]| {
        let norms = [vec![crate::kernel::Norm::UnitDiagonal]];
        Cross::new(&narrow, &rows, 60, kernels, &norms, RowMeans::Exact).unwrap_err().to_string()
    };
    assert!(cross(&kernels).contains("not those of its normalisations"), "{}", cross(&kernels));
    kernels[0].normalize = vec![crate::kernel::Normalization::UnitDiagonal];
    assert!(
        cross(&kernels).starts_with("view 'given': expected 60 columns"),
        "{}",
        cross(&kernels)
    );
}
