//! The comparison of clusterings: rows are what the methods give on their own, in the given
//! order; scores are those of every start; controls stand beside; views are compared.

use crate::common::gaussian;
use cokernel::data::{Labels, Matrix, Scale, Views, toy};
use cokernel::eval::cluster_scores::{ClusterScores, NmiNorm, nmi};
use cokernel::eval::{
    Candidate, ClusteringOptions, Clusterings, Stat, compare_candidates, compare_clusterings,
};
use cokernel::kernel::KernelSpec;
use cokernel::model::MultiView;
use cokernel::multiview::{Seeding, Starts, subspace_agreement};
use cokernel::solve::dense::symmetric_eigen;
use cokernel::{Error, Run, Status};

fn data() -> (Views, Labels) {
    toy::views(90, 3, &[2.5, 1.5, 0.5], 3).unwrap()
}

fn method(id: &str) -> MultiView {
    MultiView::new(id).unwrap()
}

fn spec(text: &str) -> KernelSpec {
    text.parse().unwrap()
}

/// All but the seconds.
fn timeless(mut all: Clusterings) -> Clusterings {
    all.rows.iter_mut().for_each(|r| r.report.seconds = 0.0);
    all
}

fn compared(candidates: &[Candidate], options: &ClusteringOptions) -> Clusterings {
    let (views, labels) = data();
    let run = Run::default();
    compare_candidates(candidates, &views, 3, Some(&labels), options, &mut |_| Ok(()), &run)
        .unwrap()
}

#[test]
fn rows_keep_their_order_whatever_kernels_they_share() {
    let (views, labels) = data();
    let methods = [
        method("spectral"),
        method("co_regularized").scale(Scale::Standard),
        method("co_regularized").param("lambda", 0.02),
        method("spectral").scale(Scale::Standard),
        method("spectral").kernels([spec("gaussian@view0")]),
        method("co_regularized"),
    ];
    let (run, starts) = (Run::with_seed(4), Starts::default());
    let all = compare_clusterings(&methods, &views, 3, Some(&labels), &starts, &run).unwrap();
    assert_eq!((all.rows.len(), all.k, all.scored), (6, 3, 90));
    assert_eq!((all.protocol.as_str(), all.nmi_normalization), ("best_of", NmiNorm::Arithmetic));
    assert_eq!(all.status, Status::Converged);
    let truth = labels.classes().unwrap().codes;
    for (row, method) in all.rows.iter().zip(&methods) {
        assert_eq!((row.name.clone(), row.method.as_str()), (method.name(), method.method().id));
        assert_eq!(row.control, method.method().is_control());
        let alone = method.cluster(&views, 3, &starts, &run).unwrap();
        assert_eq!(row.assignments, alone.assignments);
        assert_eq!(row.embedding, alone.embedding.rows);
        assert_eq!(
            (row.inertia, &row.inertias.values),
            (alone.kmeans.inertia, &alone.kmeans.inertias)
        );
        assert_eq!(row.sizes.iter().sum::<usize>(), 90);
        let scores = row.scores.as_ref().unwrap();
        assert_eq!(scores.best, ClusterScores::new(&alone.assignments, &truth).unwrap());
        let each = |of: fn(&ClusterScores) -> f64| {
            let all = alone.kmeans.all.iter();
            Stat::new(all.map(|a| of(&ClusterScores::new(a, &truth).unwrap())).collect())
        };
        assert_eq!(scores.nmi.values.len(), 20);
        assert_eq!(scores.nmi, each(|s| s.nmi));
        assert_eq!(scores.f, each(|s| s.pairs.f));
        assert_eq!(scores.entropy, each(|s| s.entropy));
        assert_eq!(scores.accuracy, each(|s| s.accuracy));
        let (first, arithmetic) = (&alone.kmeans.all[0], NmiNorm::Arithmetic);
        assert_eq!(scores.nmi.values[0], nmi(first, &truth, arithmetic).unwrap());
        assert_eq!(scores.by_name()[3].2, &scores.precision);
    }
}

#[test]
fn only_instances_with_a_class_are_scored() {
    let (views, labels) = toy::views(45, 3, &[9.0, 9.0], 2).unwrap();
    let Labels::Classes { names, mut codes } = labels else { panic!("classes") };
    codes[..6].fill(None);
    let some = Labels::Classes { names, codes };
    let (run, starts) = (Run::default(), Starts::default());
    let methods = ["spectral", "co_regularized"].map(method);
    let found = compare_clusterings(&methods, &views, 3, Some(&some), &starts, &run).unwrap();
    assert_eq!(found.scored, 39);
    for row in &found.rows {
        let best = row.scores.as_ref().unwrap().best;
        assert!((best.nmi - 1.0).abs() < 1e-12 && best.adjusted_rand == 1.0, "{}", row.name);
        assert_eq!(row.sizes, [15, 15, 15]);
    }
    let text = found.to_string();
    assert!(text.contains("co_regularized ") && text.contains("spectral *"), "{text}");
    let blind = compare_clusterings(&methods, &views, 3, None, &starts, &run).unwrap();
    assert!(blind.rows.iter().all(|r| r.scores.is_none()) && blind.scored == 0);
}

#[test]
fn published_starts_are_random_and_every_one_counts() {
    let (views, labels) = data();
    let starts = Starts::named("published", 7).unwrap();
    assert_eq!((starts.seeding, starts.starts), (Seeding::Random, 7));
    let run = Run::default();
    let all = compare_clusterings(&[method("spectral")], &views, 3, Some(&labels), &starts, &run)
        .unwrap();
    assert_eq!((all.protocol.as_str(), all.starts), ("published", starts));
    assert_eq!(all.rows[0].scores.as_ref().unwrap().nmi.values.len(), 7);
    let e = Starts::named("publish", 7).unwrap_err().to_string();
    assert_eq!(
        e,
        "unknown protocol 'publish' (did you mean 'published'?); known: best_of, published"
    );
}

#[test]
fn every_kernel_is_tried_alone_as_a_control() {
    let kernels = [spec("gaussian@view0"), spec("gaussian@view1"), spec("laplacian@view1:gamma=1")];
    let list = [method("co_regularized").kernels(kernels).into()];
    let options = ClusteringOptions { singles: true, ..ClusteringOptions::default() };
    let all = compared(&list, &options);
    let names: Vec<&str> = all.rows.iter().map(|r| r.name.split('(').next().unwrap()).collect();
    assert_eq!(
        names,
        ["single:view0", "single:gaussian@view1", "single:laplacian@view1", "co_regularized"]
    );
    let controls: Vec<bool> = all.rows.iter().map(|r| r.control).collect();
    assert_eq!(controls, [true, true, true, false]);
    assert_eq!(all.kernels.len(), 3);
    let (views, _) = data();
    for (row, kernel) in all.rows.iter().zip(&all.kernels) {
        let alone = list[0].method.with_method("spectral").unwrap().param("view", kernel.as_str());
        let found = alone.cluster(&views, 3, &Starts::default(), &Run::default()).unwrap();
        assert_eq!((&row.assignments, row.method.as_str()), (&found.assignments, "spectral"));
    }
    let verdict = all.verdict.unwrap();
    assert_eq!(verdict.best_control.as_deref(), Some("single:view0"));
    let best = "the best control, single:view0 (mean NMI over 20 starts 0.";
    assert!(verdict.sentence.contains(best), "{verdict:?}");
}

/// D^{-1/2} K D^{-1/2} as a whole, all its eigenpairs in descending order.
fn decomposed(x: &Matrix, gamma: f64) -> (Vec<f64>, Matrix) {
    let n = x.rows();
    let k = gaussian(x, gamma);
    let d: Vec<f64> = (0..n).map(|i| k.row(i).iter().sum()).collect();
    let l = Matrix::from_fn(n, n, |i, j| k.get(i, j) / (d[i] * d[j]).sqrt());
    let (mut values, vectors) = symmetric_eigen(&l).unwrap();
    values.reverse();
    (values, Matrix::from_fn(n, n, |i, j| vectors.get(i, n - 1 - j)))
}

#[test]
fn views_are_compared_as_dense_decompositions_compare_them() {
    let (views, _) = data();
    let kernels = [0.3, 0.2, 0.1]
        .iter()
        .enumerate()
        .map(|(v, g)| spec(&format!("gaussian@view{v}:gamma={g}")));
    let list = [method("spectral").kernels(kernels).into()];
    let options = ClusteringOptions { agreement: true, spectrum: 10, ..Default::default() };
    let all = compared(&list, &options);
    let dense: Vec<(Vec<f64>, Matrix)> = [0.3, 0.2, 0.1]
        .iter()
        .enumerate()
        .map(|(v, gamma)| {
            let view = views.get(&format!("view{v}")).unwrap();
            let cokernel::data::Table::Dense(x) = &view.table else { panic!("features") };
            decomposed(x, *gamma)
        })
        .collect();
    let agreement = all.agreement.unwrap();
    assert_eq!(agreement.eigenvectors, 3);
    assert_eq!(agreement.names, ["view0", "view1", "view2"]);
    let mut sum = 0.0;
    for v in 0..3 {
        assert_eq!(all.spectra[v].values.len(), 10);
        for (a, b) in all.spectra[v].values.iter().zip(&dense[v].0) {
            assert!((a - b).abs() < 1e-8, "{a} and {b}");
        }
        for w in 0..3 {
            let (u, x) = (dense[v].1.select_cols(&[0, 1, 2]), dense[w].1.select_cols(&[0, 1, 2]));
            let want = subspace_agreement(&u, &x);
            let found = agreement.matrix[v][w];
            assert!((found - want).abs() < 1e-8, "{found} and {want}");
            sum += if w < v { found } else { 0.0 };
        }
    }
    assert!((agreement.mean - sum / 3.0).abs() < 1e-12);
    // Nothing that was not asked for.
    let plain = compared(&list, &ClusteringOptions::default());
    assert!(plain.agreement.is_none() && plain.spectra.is_empty());
    let one = [method("spectral").kernels([spec("gaussian@view0")]).into()];
    assert!(compared(&one, &options).agreement.is_none());
}

#[test]
fn methods_that_cannot_use_the_views_are_left_out_unless_required() {
    // A linear kernel has negative values.
    let unfit = || method("spectral").kernels([spec("linear@view1")]);
    let optional = |m: MultiView| Candidate { method: m, required: false };
    let options = ClusteringOptions { singles: true, agreement: true, ..Default::default() };
    let all = compared(&[method("spectral").into(), optional(unfit())], &options);
    assert_eq!(all.rows.len(), 4);
    assert_eq!(all.left_out.len(), 1);
    assert!(all.left_out[0].reason.starts_with("kernel 'linear@view1': the similarity of"));
    assert!(all.notes.iter().any(|n| n.starts_with("spectral is left out: kernel 'linear@view1'")));
    let (views, labels) = data();
    let fails = |list: &[Candidate]| -> Error {
        let run = Run::default();
        compare_candidates(list, &views, 3, Some(&labels), &options, &mut |_| Ok(()), &run)
            .unwrap_err()
    };
    let e = fails(&[method("spectral").into(), unfit().into()]).to_string();
    assert!(e.starts_with("kernel 'linear@view1'"), "{e}");
    // Nothing is left: the first reason is the answer.
    let e = fails(&[optional(unfit())]).to_string();
    assert!(e.starts_with("kernel 'linear@view1'"), "{e}");
    // A wrong call stays one.
    let e = fails(&[optional(method("spectral").param("view", "nowhere"))]).to_string();
    assert!(e.starts_with("unknown embedding 'nowhere'"), "{e}");
}

#[test]
fn visitors_see_each_clustering_and_can_refuse() {
    let (views, _) = data();
    let list = [method("spectral").into(), method("co_regularized").into()];
    let options = ClusteringOptions { singles: true, ..ClusteringOptions::default() };
    let mut seen = Vec::new();
    let run = Run::default();
    let all = compare_candidates(
        &list,
        &views,
        3,
        None,
        &options,
        &mut |found| {
            assert_eq!(found.prepared.bank().len(), 3);
            seen.push((found.single, found.clustering.assignments.clone()));
            Ok(())
        },
        &run,
    )
    .unwrap();
    assert_eq!(seen.len(), 5);
    assert_eq!(seen.iter().filter(|s| s.0).count(), 3);
    assert!(all.rows.iter().zip(&seen).all(|(r, s)| r.assignments == s.1));
    assert!(all.rows.iter().all(|r| r.scores.is_none()) && all.verdict.is_none());
    let e = compare_candidates(
        &list,
        &views,
        3,
        None,
        &options,
        &mut |_| Err(Error::Data("enough".to_string())),
        &run,
    );
    assert_eq!(e.unwrap_err().to_string(), "enough");
}

#[test]
fn threads_do_not_change_bits_and_stops_keep_rows() {
    let list = [method("spectral").into(), method("co_regularized").into()];
    let options =
        ClusteringOptions { singles: true, agreement: true, spectrum: 6, ..Default::default() };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        timeless(pool.install(|| compared(&list, &options)))
    };
    assert_eq!(with(1), with(3));
    let (views, labels) = data();
    let run = Run::default();
    run.cancel.cancel();
    let methods = [method("spectral"), method("co_regularized")];
    let starts = Starts::default();
    let cut = compare_clusterings(&methods, &views, 3, Some(&labels), &starts, &run).unwrap();
    assert_eq!((cut.rows.len(), cut.status), (1, Status::Interrupted));
    assert_eq!(cut.rows[0].report.status, Status::Interrupted);
    assert!(cut.verdict.is_none());
}

#[test]
fn instances_without_a_class_are_clustered_but_not_scored() {
    let (views, labels) = toy::views(45, 3, &[9.0, 9.0], 2).unwrap();
    let Labels::Classes { names, mut codes } = labels else { panic!("classes") };
    codes[..6].fill(None);
    let some = Labels::Classes { names, codes };
    let (run, starts) = (Run::default(), Starts::default());
    let methods = [method("spectral")];
    let found = compare_clusterings(&methods, &views, 3, Some(&some), &starts, &run).unwrap();
    assert_eq!((found.scored, &found.rows[0].sizes[..]), (39, &[15, 15, 15][..]));
    assert!((found.rows[0].scores.as_ref().unwrap().best.nmi - 1.0).abs() < 1e-12);
    let blind = compare_clusterings(&methods, &views, 3, None, &starts, &run).unwrap();
    assert!(blind.rows[0].scores.is_none());
}
