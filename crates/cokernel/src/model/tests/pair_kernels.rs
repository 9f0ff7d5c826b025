//! Similarities that are learned from pairs, for embedding and clustering, recomputed from the kernels.

use super::specs;
use crate::bank::{Bank, Storage};
use crate::data::{Labels, Link, Matrix, Pairs, Table, Views, toy};
use crate::eval::{Candidate, ClusteringOptions, compare_candidates};
use crate::kernel::{GraphSpec, KernelSpec, Normalization};
use crate::method::Task;
use crate::model::{Combine, EmbeddingModel, Mkl, MultiView, PairKernels};
use crate::multiview::{REGISTRY, Starts};
use crate::{Result, Run};

const N: usize = 60;

/// Three clusters that the first view shows and the others do not.
fn data() -> (Views, Vec<u32>, Pairs) {
    let (views, labels) = toy::views(N, 3, &[5.0, 0.0, 0.0], 3).unwrap();
    let Labels::Classes { codes, .. } = &labels else { panic!("classes") };
    let codes: Vec<u32> = codes.iter().map(|c| c.unwrap()).collect();
    let link = |i: usize, j: usize| match codes[i] == codes[j] {
        true => Link::Must,
        false => Link::Cannot,
    };
    let some = (0..N).flat_map(|i| (0..i).map(move |j| (i, j))).filter(|(i, j)| (i + j) % 5 == 0);
    let pairs = Pairs::new(N, some.map(|(i, j)| (i, j, link(i, j)))).unwrap();
    (views, codes, pairs)
}

fn learner() -> Mkl {
    Mkl::new("two_stage").unwrap().param("lambda", 0.01)
}

fn from(pairs: &Pairs, combine: Combine) -> PairKernels {
    PairKernels::new(learner(), pairs.clone(), combine).unwrap()
}

fn gaussians() -> Vec<KernelSpec> {
    specs(&["gaussian:gamma=0.1", "gaussian:gamma=1"])
}

/// Share of pairs of instances on which two clusterings say the same.
fn agreement(a: &[u32], b: &[u32]) -> f64 {
    let same = |i: usize, j: usize| f64::from((a[i] == a[j]) == (b[i] == b[j]));
    let all = (0..a.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let found: Vec<f64> = all.map(|(i, j)| same(i, j)).collect();
    found.iter().sum::<f64>() / found.len() as f64
}

/// The sum of the kernels with the weights that were told, each divided by the mean diagonal after centring.
fn by_hand(views: &Views, weights: &[f64]) -> Matrix {
    let bank = Bank::build(views, &gaussians(), Storage::Resident, &Run::default()).unwrap();
    let mut sum = Matrix::zeros(N, N);
    for (m, weight) in weights.iter().enumerate() {
        let k = Matrix::from_fn(N, N, |i, j| bank.entry(m, i, j));
        let n = N as f64;
        let variance =
            (0..N).map(|i| k.get(i, i)).sum::<f64>() / n - k.values().iter().sum::<f64>() / (n * n);
        for i in 0..N {
            let row = sum.row_mut(i).iter_mut().zip(k.row(i));
            row.for_each(|(s, v)| *s += weight / variance * v);
        }
    }
    let mean = (0..N).map(|i| sum.get(i, i)).sum::<f64>() / N as f64;
    Matrix::from_fn(N, N, |i, j| sum.get(i, j) / mean)
}

#[test]
fn the_similarity_is_the_weighted_sum_and_finds_what_pairs_say() {
    let (views, codes, pairs) = data();
    let method = MultiView::new("spectral").unwrap().kernels(gaussians());
    let plain = method.cluster(&views, 3, &Starts::default(), &Run::default()).unwrap();
    let found = method
        .clone()
        .pairs(from(&pairs, Combine::Sum))
        .cluster(&views, 3, &Starts::default(), &Run::default())
        .unwrap();
    let (before, after) =
        (agreement(&plain.assignments, &codes), agreement(&found.assignments, &codes));
    assert!(after > 0.97 && after > before + 0.03, "{before} {after}");
    let weights = &found.report.details["pair_weights"];
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12 && weights[0] + weights[1] > 0.8);
    assert!(
        found.report.notes[0].contains("the kernels have weights from "),
        "{:?}",
        found.report.notes
    );
    // The same clusters by the same similarity, made by other code and given as a matrix.
    let similarity = Table::Similarity(by_hand(&views, weights));
    let one = Views::new().with("own", similarity).unwrap();
    let own = MultiView::new("spectral").unwrap();
    let own = own.embed(&one, 3, &Run::default()).unwrap();
    let (a, b) = (&own.eigenvalues[0], &found.embedding.eigenvalues[0]);
    a.iter().zip(b).for_each(|(a, b)| assert!((a - b).abs() < 1e-9, "{a} {b}"));
    // The mean of those of the views is that of all.
    let by_view = method.pairs(from(&pairs, Combine::Views));
    let mean = by_view.embed(&views, 3, &Run::default()).unwrap();
    let shown = mean.eigenvalues[0].iter().zip(b);
    shown.for_each(|(a, b)| assert!((a - b).abs() < 1e-9, "{a} {b}"));
}

#[test]
fn every_method_on_similarities_takes_them() {
    let (views, codes, pairs) = data();
    let (mut taken, mut refused) = (0, Vec::new());
    for method in REGISTRY.iter().filter(|m| m.tasks.contains(&Task::Cluster)) {
        for combine in Combine::ALL {
            let made = MultiView::new(method.id).unwrap().kernels(gaussians());
            let made = made.pairs(from(&pairs, combine));
            match made.fit_clusters(&views, 3, &Starts::default(), &Run::default()) {
                Ok((model, found)) => {
                    let right = agreement(&found.assignments, &codes);
                    assert!(combine == Combine::Views || right > 0.9, "{}: {right}", method.id);
                    if model.extends() {
                        let again = model.transform(&views).unwrap();
                        let rows = found.embedding.rows.values();
                        let all = again.values().iter().zip(rows);
                        all.for_each(|(a, b)| assert!((a - b).abs() < 1e-6, "{}", method.id));
                        let bytes = model.to_bytes().unwrap();
                        assert_eq!(EmbeddingModel::from_bytes(&bytes).unwrap(), model);
                    }
                    taken += 1;
                }
                Err(e) => refused.push(format!("{} {}: {e}", method.id, combine.id())),
            }
        }
    }
    // Some compare views, and have no use for one.
    let expected = |text: &String| {
        text.contains("that are learned from pairs") || text.ends_with("for one use 'spectral'")
    };
    assert!(taken >= 13 && refused.iter().all(expected), "{taken} {refused:?}");
}

#[test]
fn centred_kernels_missing_views_graphs_and_products() {
    let (views, codes, pairs) = data();
    let run = Run::default();
    // Kernels that are centred are learned from as they are: the sum has no mean.
    let centred = gaussians().into_iter().map(|k| k.normalize([Normalization::CenterUnitVariance]));
    let method = MultiView::new("spectral").unwrap().kernels(centred);
    let e =
        method.pairs(from(&pairs, Combine::Sum)).embed(&views, 3, &run).unwrap_err().to_string();
    assert!(e.contains("negative"), "{e}");
    // An instance lacks the view that counts: the others tell its similarities.
    let mut present = vec![true; N];
    present[7] = false;
    let mut some = Views::new();
    for view in views.iter() {
        let mut view = view.clone();
        view.present = (view.name == "view0").then(|| present.clone());
        some.push(view).unwrap();
    }
    let method = MultiView::new("spectral").unwrap().kernels(gaussians());
    let found = method.clone().pairs(from(&pairs, Combine::Sum));
    let found = found.cluster(&some, 3, &Starts::default(), &run).unwrap();
    assert!(agreement(&found.assignments, &codes) > 0.95);
    // Graphs are similarities, too.
    let graph = GraphSpec::knn(10);
    let found =
        MultiView::new("spectral").unwrap().graphs([graph]).pairs(from(&pairs, Combine::Sum));
    let found = found.cluster(&views, 3, &Starts::default(), &run).unwrap();
    assert!(agreement(&found.assignments, &codes) > 0.9);
    // Products of kernels and forests are no weighted sums.
    for learner in [
        Mkl::new("polynomial_two_stage").unwrap().param("lambda", 0.01),
        Mkl::new("forest_two_stage").unwrap().param("trees", 50),
    ] {
        let id = learner.method().id;
        let learned = PairKernels::new(learner, pairs.clone(), Combine::Sum).unwrap();
        let own = method.clone().pairs(learned);
        let (model, found) = own.fit_clusters(&views, 3, &Starts::default(), &run).unwrap();
        let right = agreement(&found.assignments, &codes);
        assert!(right > 0.9 && !model.extends(), "{id}: {right}");
    }
}

#[test]
fn what_cannot_be_used_is_refused() {
    let (views, _, pairs) = data();
    let made = |id: &str, pairs: &Pairs, combine| -> Result<PairKernels> {
        PairKernels::new(Mkl::new(id).unwrap(), pairs.clone(), combine)
    };
    let one = Pairs::new(N, [(0, 1, Link::Must)]).unwrap();
    let few = Pairs::new(3, [(0, 1, Link::Must), (0, 2, Link::Cannot)]).unwrap();
    let run = Run::default();
    let embed = |id: &str, pairs: &Pairs| {
        let method = MultiView::new(id).unwrap().pairs(from(pairs, Combine::Sum));
        method.embed(&views, 3, &run).unwrap_err().to_string()
    };
    for (found, said) in [
        (made("mean", &pairs, Combine::Sum).unwrap_err().to_string(), "does not learn from pairs"),
        (made("two_stage", &one, Combine::Sum).unwrap_err().to_string(), "no cannot-link pair"),
        (
            made("polynomial_two_stage", &pairs, Combine::Views).unwrap_err().to_string(),
            "learns no weights of kernels",
        ),
        (embed("spectral", &few), "expected 60 instances, as many as the views have"),
        (embed("concat_kmeans", &pairs), "'concat_kmeans' works on features"),
        (Combine::from_id("mean").unwrap_err().to_string(), "expected sum or views, found 'mean'"),
    ] {
        assert!(found.contains(said), "{found}");
    }
    // What was prepared without pairs is not what is asked for.
    let plain = MultiView::new("spectral").unwrap();
    let mut prepared = plain.prepare(&views, &run).unwrap();
    let paired = plain.clone().pairs(from(&pairs, Combine::Sum));
    let e = paired.embed_prepared(&prepared, 3, &run).unwrap_err().to_string();
    assert!(e.contains("prepared with other kernels, pairs"), "{e}");
    paired.learn_pairs(&mut prepared, &run).unwrap();
    let learned = paired.embed_prepared(&prepared, 3, &run).unwrap();
    let kept = plain.embed_prepared(&prepared, 3, &run).unwrap();
    assert_ne!(learned.rows, kept.rows);
    assert_eq!(kept.rows, plain.embed(&views, 3, &run).unwrap().rows);
}

#[test]
fn single_kernels_beside_them_are_those_that_were_given() {
    let (views, _, pairs) = data();
    let method = MultiView::new("co_regularized").unwrap().pairs(from(&pairs, Combine::Views));
    let options = ClusteringOptions { singles: true, ..ClusteringOptions::default() };
    let result = compare_candidates(
        &[Candidate::from(method)],
        &views,
        3,
        None,
        &options,
        &mut |_| Ok(()),
        &Run::default(),
    )
    .unwrap();
    let names: Vec<&str> = result.rows.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["single:view0", "single:view1", "single:view2", "co_regularized"]);
    assert!(result.rows[3].report.details.contains_key("pair_weights"));
    assert!(result.notes.iter().any(|n| n.starts_with("the kernels have weights from ")));
}
