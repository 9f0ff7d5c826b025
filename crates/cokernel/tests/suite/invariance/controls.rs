//! The control methods of clustering: new rows, order of views, identical views, storages, memory,
//! threads, degenerate data.

use crate::common::{Toy, cluster, run_method};
use cokernel::bank::{Bank, Storage};
use cokernel::data::{Csr, Matrix, Table, Views};
use cokernel::kernel::KernelSpec;
use cokernel::model::{EmbeddingModel, MultiView, PreparedViews};
use cokernel::multiview::{Embedding, Starts};
use cokernel::{Run, Status};
use rand::RngExt;

/// Methods that work on any similarities.
const ON_KERNELS: [&str; 4] =
    ["product_spectral", "concat_embeddings", "min_disagreement", "kernel_cca"];

/// Methods that work on features.
const ON_FEATURES: [&str; 3] = ["concat_spectral", "concat_kmeans", "cca"];

/// Overlapping groups seen in views with these numbers of columns.
pub fn toy_views(n: usize, dims: &[usize], groups: usize, seed: u64) -> Views {
    let mut rng = Run::with_seed(seed).rng("control views");
    let mut views = Views::new();
    for (v, &d) in dims.iter().enumerate() {
        let centers = Matrix::from_fn(groups, d, |g, j| {
            (if g % d == j { 2.5 } else { 0.0 }) + rng.random::<f64>()
        });
        let x = Matrix::from_fn(n, d, |i, j| {
            let noise: f64 = (0..4).map(|_| rng.random::<f64>() - 0.5).sum();
            (centers.get(i % groups, j) + noise) * (1.0 + j as f64)
        });
        views = views.dense(format!("v{v}"), x).unwrap();
    }
    views
}

/// exp(−d²/2σ²), σ the median of the distances of all pairs.
pub fn gaussian_median(x: &Matrix) -> Matrix {
    let n = x.rows();
    let d2 = |i: usize, j: usize| -> f64 {
        x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum()
    };
    let mut all: Vec<f64> = (0..n).flat_map(|i| (0..i).map(move |j| d2(i, j).sqrt())).collect();
    all.sort_by(f64::total_cmp);
    let half = all.len() / 2;
    let median = if all.len() % 2 == 1 { all[half] } else { 0.5 * (all[half - 1] + all[half]) };
    Matrix::from_fn(n, n, |i, j| (-d2(i, j) / (2.0 * median * median)).exp())
}

/// The embedding by a method from views.
pub fn embed(method: &MultiView, views: &Views, k: usize) -> Embedding {
    let prepared = method.prepare(views, &Run::default()).unwrap();
    method.embed_prepared(&prepared, k, &Run::default()).unwrap()
}

/// The rows of `new` by a model of `embedding`, the same after it was written and read.
fn extended(m: &MultiView, embedding: &Embedding, prepared: &PreparedViews, new: &Views) -> Matrix {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model");
    let model = EmbeddingModel::new(m, prepared, 3, embedding).unwrap();
    model.save(&path).unwrap();
    let rows = model.transform(new).unwrap();
    assert_eq!(EmbeddingModel::load(&path).unwrap().transform(new).unwrap(), rows, "{}", m.name());
    rows
}

fn largest_difference(a: &Matrix, b: &Matrix) -> f64 {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    a.values().iter().zip(b.values()).fold(0.0, |m, (x, y)| m.max((x - y).abs()))
}

fn variants() -> Vec<MultiView> {
    let new = |id: &str| MultiView::new(id).unwrap();
    let with = |id: &str, name: &str, value: &str| new(id).param(name, value);
    let mut all: Vec<MultiView> = ON_KERNELS.into_iter().chain(ON_FEATURES).map(new).collect();
    all.extend([
        new("spectral"),
        with("spectral", "view", "v1"),
        with("concat_spectral", "scale", "standard"),
        new("concat_spectral").param("sigma", 3.0),
        with("concat_kmeans", "scale", "standard"),
        with("min_disagreement", "embedding", "concat"),
        with("min_disagreement", "embedding", "v1"),
        with("kernel_cca", "embedding", "v0"),
        with("kernel_cca", "then", "kmeans"),
        new("kernel_cca").kernels([KernelSpec::polynomial(2)]),
        with("cca", "embedding", "v1"),
        with("cca", "then", "kmeans"),
        new("cca").param("regularization", 0.0).param("components", 2),
        new("mkkm"),
        with("mkkm", "center", "no"),
        new("simple_mkkm"),
        new("late_fusion"),
    ]);
    all
}

#[test]
fn training_rows_as_new_rows_get_their_own_embedding() {
    for n in [50, 130] {
        let views = toy_views(n, &[4, 3, 5], 3, 31);
        for method in variants() {
            let prepared = method.prepare(&views, &Run::default()).unwrap();
            let embedding = method.embed_prepared(&prepared, 3, &Run::default()).unwrap();
            let again = extended(&method, &embedding, &prepared, &views);
            let d = largest_difference(&again, &embedding.rows);
            assert!(d <= 1e-8, "{}, n {n}: {d}", method.name());
            // Some of them, in another order, are no different.
            let some = extended(&method, &embedding, &prepared, &views.select_new(&[7, 3], &[0]));
            let want = embedding.rows.select_rows(&[7, 3]);
            let d = largest_difference(&some, &want);
            assert!(d <= 1e-8, "{}, n {n}: {d}", method.name());
        }
    }
}

#[test]
fn new_rows_fall_into_their_groups() {
    let all = toy_views(240, &[4, 3], 3, 32);
    let (old, new): (Vec<usize>, Vec<usize>) = (0..240).partition(|i| *i < 180);
    let training = all.select(&old);
    for method in variants() {
        let prepared = method.prepare(&training, &Run::default()).unwrap();
        let starts = Starts::default();
        let found = method.cluster_prepared(&prepared, 3, &starts, &Run::default()).unwrap();
        let rows = extended(&method, &found.embedding, &prepared, &all.select_new(&new, &old));
        let nearest = |i: usize| {
            let d = |c: usize| -> f64 {
                let center = found.kmeans.centers.row(c);
                rows.row(i).iter().zip(center).map(|(a, b)| (a - b).powi(2)).sum()
            };
            (0..3).min_by(|a, b| d(*a).total_cmp(&d(*b))).unwrap() as u32
        };
        // Old instances of the same group vote.
        let vote = |group: usize| {
            let mut counts = [0; 3];
            (0..180).filter(|i| i % 3 == group).for_each(|i| {
                counts[found.assignments[i] as usize] += 1;
            });
            (0..3).max_by_key(|c| counts[*c]).unwrap() as u32
        };
        let right = (0..60).filter(|i| nearest(*i) == vote((180 + i) % 3)).count();
        assert!(right >= 45, "{}: {right} of 60", method.name());
    }
}

fn gram(rows: &Matrix) -> Matrix {
    Matrix::from_fn(rows.rows(), rows.rows(), |i, j| {
        rows.row(i).iter().zip(rows.row(j)).map(|(a, b)| a * b).sum()
    })
}

#[test]
fn the_order_of_views_does_not_matter() {
    let views = toy_views(110, &[4, 3, 5], 3, 33);
    let mut permuted = Views::new();
    for name in ["v2", "v0", "v1"] {
        permuted.push(views.get(name).unwrap().clone()).unwrap();
    }
    for method in variants() {
        let (a, b) = (embed(&method, &views, 3), embed(&method, &permuted, 3));
        let d = largest_difference(&gram(&a.rows), &gram(&b.rows));
        let size = gram(&a.rows).values().iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        assert!(d <= 1e-8 * size, "{}: {d}", method.name());
    }
}

#[test]
fn identical_views() {
    let toy = Toy::new(120, 1, 3, 34);
    let same = Toy { kernels: vec![toy.kernels[0].clone(); 3], classes: Vec::new() };
    let single = cluster("spectral", &toy.bank(), 3, &[]);
    let together = cluster("concat_embeddings", &same.bank(), 3, &[]);
    assert_eq!(together.assignments, single.assignments);
    assert!((together.embedding.agreement[0] - 1.0).abs() < 1e-10);
    // One view alone is its own concatenation and its own product.
    for id in ["concat_embeddings", "product_spectral"] {
        let alone = cluster(id, &toy.bank(), 3, &[]).embedding.rows;
        assert!(largest_difference(&alone, &single.embedding.rows) < 1e-10, "{id}");
    }
    // All nodes of an instance are at one place.
    let nodes = [("embedding", "concat".to_string().into())];
    let nodes = cluster("min_disagreement", &same.bank(), 3, &nodes).embedding.rows;
    let apart =
        |i: usize| (0..3).map(|j| (nodes.get(i, j) - nodes.get(i, 6 + j)).abs()).sum::<f64>();
    assert!((0..120).all(|i| apart(i) < 1e-8));
    // Kernel CCA of a view with itself is its kernel principal components: θ − 1 = 2 r² with r an
    // eigenvalue of R, whose variates are all the same.
    let plain = [("then", "kmeans".to_string().into())];
    let found = cluster("kernel_cca", &same.bank(), 3, &plain).embedding;
    let rows = &found.rows;
    assert!((0..120).all(|i| (0..3).all(|j| (rows.get(i, j) - rows.get(i, 3 + j)).abs() < 1e-9)));
    for j in 0..3 {
        let length: f64 = rows.col(j).iter().map(|v| v * v).sum();
        assert!((6.0 * length - found.eigenvalues[0][j]).abs() < 1e-9);
    }
}

#[test]
fn storages_memory_and_sparse_features_agree() {
    let views = toy_views(130, &[4, 3], 3, 35);
    let mut sparse = Views::new();
    for v in views.iter() {
        let Table::Dense(m) = &v.table else { panic!("dense") };
        let row = |i: usize| (0..m.cols()).map(|j| (j as u32, m.get(i, j))).collect();
        let csr = Csr::from_rows(m.cols(), (0..130).map(row).collect()).unwrap();
        sparse = sparse.with(v.name.clone(), Table::Sparse(csr)).unwrap();
    }
    for method in variants() {
        let want = gram(&embed(&method, &views, 3).rows);
        let demand = method.clone().storage(Storage::OnDemand);
        let d = largest_difference(&gram(&embed(&demand, &views, 3).rows), &want);
        assert!(d <= 1e-8, "{}: {d}", method.name());
        if !method.name().contains("standard") {
            let prepared = method.prepare(&sparse, &Run::default()).unwrap();
            let found = method.embed_prepared(&prepared, 3, &Run::default()).unwrap();
            let d = largest_difference(&gram(&found.rows), &want);
            assert!(d <= 1e-8, "{}: {d}", method.name());
            let d = largest_difference(&extended(&method, &found, &prepared, &sparse), &found.rows);
            assert!(d <= 1e-8, "{}: {d}", method.name());
        }
    }
    // Too little memory for the product: its rows are formed anew each time.
    let bank = Toy::new(130, 3, 3, 36).bank();
    let poor = Run { memory: 1000, ..Run::default() };
    let streamed = run_method("product_spectral", &bank, 3, &[], &poor).unwrap();
    let kept = cluster("product_spectral", &bank, 3, &[]);
    assert!(largest_difference(&streamed.embedding.rows, &kept.embedding.rows) < 1e-8);
    assert_eq!((streamed.report.counts.combines, kept.report.counts.combines), (0, 1));
}

#[test]
fn threads_do_not_change_bits() {
    let views = toy_views(600, &[4, 3, 5], 4, 37);
    for method in variants() {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut found = pool.install(|| embed(&method, &views, 4));
            found.report.seconds = 0.0;
            found
        };
        assert_eq!(with(1), with(3), "{}", method.name());
    }
}

#[test]
fn degenerate_inputs_are_clustered() {
    let toy = Toy::new(90, 2, 3, 38);
    let feature_toy = toy_views(90, &[4, 3], 3, 38);
    let rows: Vec<usize> = (0..270).map(|i| i % 90).collect();
    let check = |id: &str, once: Vec<u32>, copies: Vec<u32>| {
        assert_eq!(once, [0; 90], "{id}");
        assert_eq!(copies[..90], copies[90..180], "{id}");
        assert_eq!(copies[..90], copies[180..], "{id}");
    };
    for id in ON_KERNELS {
        let kernels = toy.kernels.iter().map(|k| k.select_rows(&rows).select_cols(&rows));
        let copies = Toy { kernels: kernels.collect(), classes: Vec::new() };
        let once = cluster(id, &toy.bank(), 1, &[]).assignments;
        check(id, once, cluster(id, &copies.bank(), 3, &[]).assignments);
        let few = Toy::new(6, 2, 3, 39);
        assert_eq!(cluster(id, &few.bank(), 6, &[]).assignments, [0, 1, 2, 3, 4, 5], "{id}");
    }
    for id in ON_FEATURES {
        let find = |views: &Views, k: usize| {
            let method = MultiView::new(id).unwrap();
            method.cluster(views, k, &Starts::default(), &Run::default()).unwrap().assignments
        };
        check(id, find(&feature_toy, 1), find(&feature_toy.select(&rows), 3));
        let few: Vec<usize> = (0..6).collect();
        assert_eq!(find(&feature_toy.select(&few), 6), [0, 1, 2, 3, 4, 5], "{id}");
    }
}

#[test]
fn a_constant_view_takes_no_part_in_correlations() {
    let toy = Toy::new(100, 2, 3, 40);
    let ones = Matrix::from_fn(100, 100, |_, _| 1.0);
    let more = Toy {
        kernels: vec![toy.kernels[0].clone(), ones, toy.kernels[1].clone()],
        classes: Vec::new(),
    };
    let plain = || [("then", "kmeans".to_string().into())];
    let (a, b) = (
        cluster("kernel_cca", &toy.bank(), 3, &plain()),
        cluster("kernel_cca", &more.bank(), 3, &plain()),
    );
    let d = largest_difference(&gram(&a.embedding.rows), &gram(&b.embedding.rows));
    assert!(d < 1e-9, "{d}");
    assert!(b.report.notes.iter().any(|n| n.contains("'view 1' is the same for all instances")));
    // The same with features.
    let two = toy_views(100, &[4, 3], 3, 40);
    let three = two.clone().dense("flat", Matrix::from_fn(100, 2, |_, j| 0.1 + j as f64)).unwrap();
    let method = MultiView::new("cca").unwrap();
    let (a, b) = (embed(&method, &two, 3), embed(&method, &three, 3));
    assert!(largest_difference(&gram(&a.rows), &gram(&b.rows)) < 1e-9);
    assert!(b.report.notes.iter().any(|n| n.contains("same for all instances")));
    // The other methods have a defined result too.
    for id in ON_KERNELS {
        assert_eq!(cluster(id, &more.bank(), 3, &[]).assignments.len(), 100);
    }
}

#[test]
fn fewer_correlations_than_asked_for_are_noted() {
    let views = toy_views(80, &[2, 4], 3, 41);
    let found = embed(&MultiView::new("cca").unwrap().param("then", "kmeans"), &views, 5);
    assert_eq!((found.rows.cols(), found.eigenvalues[0].len()), (4, 2));
    let note = "the views have 2 canonical variates that are correlated; 5 were asked for";
    assert!(found.report.notes.iter().any(|n| n == note), "{:?}", found.report.notes);
}

/// Indefinite similarities, as filled ones may be, are lifted; new rows are then not promised.
#[test]
fn indefinite_kernels_are_lifted() {
    let toy = Toy::new(90, 2, 3, 42);
    let mut bent = toy.kernels[0].clone();
    for i in 0..90 {
        for j in 0..90 {
            bent.set(i, j, if (i + j) % 7 == 0 { 0.3 } else { bent.get(i, j) });
        }
    }
    let bent = Toy { kernels: vec![bent, toy.kernels[1].clone()], classes: Vec::new() };
    let found = cluster("kernel_cca", &bent.bank(), 3, &[]);
    let lifted = |n: &&String| n.contains("'view 0' is not positive semi-definite");
    assert_eq!(
        found
            .report
            .notes
            .iter()
            .filter(|n| n.contains("eigenvalues of the centred"))
            .filter(lifted)
            .count(),
        1
    );
    assert!(found.embedding.extension.is_none());
    assert!(found.embedding.eigenvalues[0].iter().all(|r| (0.0..1.0).contains(r)));
    assert!(cluster("kernel_cca", &toy.bank(), 3, &[]).embedding.extension.is_some());
}

#[test]
fn limits_end_with_a_status_and_a_result() {
    let bank: Bank = Toy::new(150, 2, 3, 43).bank();
    let cancelled = Run::default();
    cancelled.cancel.cancel();
    let late = Run { time_limit: Some(std::time::Duration::ZERO), ..Run::default() };
    for id in ON_KERNELS {
        for (run, status) in [(&cancelled, Status::Interrupted), (&late, Status::TimeLimit)] {
            let found = run_method(id, &bank, 3, &[], run);
            if id == "kernel_cca" {
                let e = found.unwrap_err().to_string();
                let said = "before there was a result";
                assert_eq!(e, format!("the embedding was stopped ({status}) {said}"));
                continue;
            }
            let found = found.unwrap();
            assert_eq!((found.report.status, found.assignments.len()), (status, 150), "{id}");
        }
    }
}
