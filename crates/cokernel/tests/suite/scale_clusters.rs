//! Clusters on kernels towards landmarks: what the exact kernels give where all instances are landmarks, and what is refused.

mod kernel_kmeans;
mod new_rows;

use cokernel::bank::Storage;
use cokernel::data::{Matrix, Views, toy};
use cokernel::eval::cluster_scores::ClusterScores;
use cokernel::kernel::KernelSpec;
use cokernel::model::MultiView;
use cokernel::multiview::{Clustering, Starts};
use cokernel::{Error, Run};

pub(crate) const METHODS: [&str; 6] = [
    "spectral",
    "concat_embeddings",
    "min_disagreement",
    "co_trained",
    "co_regularized",
    "co_regularized_centroid",
];

fn method(id: &str, storage: &str) -> MultiView {
    MultiView::new(id)
        .unwrap()
        .kernels([KernelSpec::gaussian().gamma([0.05])])
        .storage(storage.parse::<Storage>().unwrap())
}

fn views(n: usize) -> (Views, Vec<u32>) {
    let (views, labels) = toy::views(n, 3, &[4.0, 3.0], 5).unwrap();
    (views, labels.classes().unwrap().codes)
}

fn clusters(id: &str, storage: &str, views: &Views, run: &Run) -> Clustering {
    method(id, storage).cluster(views, 3, &Starts::default(), run).unwrap()
}

#[test]
fn at_full_rank_the_answer_is_exact() {
    let (views, codes) = views(90);
    for id in METHODS {
        let exact = clusters(id, "resident", &views, &Run::default());
        let found = clusters(id, "nystroem:rank=90", &views, &Run::default());
        let (a, b) = (&exact.embedding, &found.embedding);
        assert_eq!(a.eigenvalues.len(), b.eigenvalues.len(), "{id}");
        for (a, b) in a.eigenvalues.iter().flatten().zip(b.eigenvalues.iter().flatten()) {
            assert!((a - b).abs() < 1e-8, "{id}: {a} {b}");
        }
        // Rows up to rotations: the same inner products.
        let gram = |rows: &Matrix, i: usize, j: usize| -> f64 {
            rows.row(i).iter().zip(rows.row(j)).map(|(x, z)| x * z).sum()
        };
        for i in 0..90 {
            for j in 0..i {
                let (x, z) = (gram(&a.rows, i, j), gram(&b.rows, i, j));
                assert!((x - z).abs() < 1e-6, "{id}: rows {i} and {j}: {x} {z}");
            }
        }
        assert_eq!(exact.assignments, found.assignments, "{id}");
        assert!(ClusterScores::new(&found.assignments, &codes).unwrap().nmi > 0.9, "{id}");
    }
}

/// Single precision where double precision takes more than half of the memory; one thread and two.
#[test]
fn threads_change_no_bit_and_single_precision_little() {
    let (views, _) = views(1_500);
    let storage = "nystroem:rank=40";
    let single = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let run = Run { memory: 1_500_000, ..Run::default() };
        pool.install(|| clusters("co_trained", storage, &views, &run))
    };
    let (one, two) = (single(1), single(2));
    assert_eq!(one.embedding.rows, two.embedding.rows);
    assert_eq!(one.embedding.eigenvalues, two.embedding.eigenvalues);
    assert!(
        one.report.notes.iter().any(|n| n.contains("single precision")),
        "{:?}",
        one.report.notes
    );
    let double = clusters("co_trained", storage, &views, &Run::default());
    let pairs = one.embedding.eigenvalues.iter().flatten();
    for (a, b) in pairs.zip(double.embedding.eigenvalues.iter().flatten()) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }
    assert_ne!(one.embedding.eigenvalues, double.embedding.eigenvalues);
    assert_eq!(one.assignments, double.assignments);
}

/// An instance of large norm hides no other one.
#[test]
fn full_rank_is_exact_whatever_the_norms_are() {
    let table = Matrix::from_fn(60, 3, |i, j| {
        let near = if i % 3 == j { 3.0 } else { 0.0 };
        let value = near + 0.5 + 0.4 * ((i * 7 + j * 13) as f64).sin();
        if i == 0 { 1e3 * value } else { value }
    });
    let views = Views::new().dense("a", table).unwrap();
    let eigenvalues = |storage: &str| {
        MultiView::new("spectral")
            .unwrap()
            .kernels(["polynomial:degree=2".parse::<KernelSpec>().unwrap()])
            .storage(storage.parse().unwrap())
            .embed(&views, 3, &Run::default())
            .unwrap()
            .eigenvalues
            .remove(0)
    };
    for (a, b) in eigenvalues("resident").iter().zip(eigenvalues("nystroem:rank=60")) {
        assert!((a - b).abs() < 1e-6 * a, "{a} {b}");
    }
}

#[test]
fn refusals() {
    let (views, _) = views(60);
    let refused = |id: &str, storage: &str, views: &Views| -> String {
        method(id, storage)
            .cluster(views, 3, &Starts::default(), &Run::default())
            .unwrap_err()
            .to_string()
    };
    for id in ["product_spectral", "kernel_cca", "snf"] {
        let said = refused(id, "nystroem", &views);
        assert!(said.contains(id) && said.contains("between 60 instances"), "{said}");
        for method in METHODS {
            assert!(said.contains(method), "{said}");
        }
    }
    let run = Run::default();
    // An instance that lacks a view.
    let lacking = views.iter().next().unwrap().name.clone();
    let mut rows = vec![true; 60];
    rows[7] = false;
    let lacks = with_presence(&views, &lacking, rows);
    let said = refused("spectral", "nystroem", &lacks);
    assert!(said.contains("1 of 60 instances lack view"), "{said}");
    // Nor on kernels that were prepared for another method.
    let prepared = method("spectral", "nystroem:rank=20").prepare(&views, &run).unwrap();
    let other = method("kernel_cca", "nystroem:rank=20");
    let said = other.cluster_prepared(&prepared, 3, &Starts::default(), &run).unwrap_err();
    assert!(said.to_string().contains("method 'kernel_cca'"), "{said}");
    // Nothing but zeros.
    let zeros = Views::new().dense("zero", Matrix::zeros(9, 2)).unwrap();
    let linear = MultiView::new("spectral").unwrap().kernels([KernelSpec::linear()]);
    let said =
        linear.storage("nystroem:rank=3".parse().unwrap()).embed(&zeros, 2, &run).unwrap_err();
    assert!(said.to_string().contains("instance 0"), "{said}");
    // Sums of 0: nothing is similar to instance 0.
    let far = Matrix::from_fn(40, 1, |i, _| if i == 0 { 1e9 } else { i as f64 * 0.01 });
    let far = Views::new().dense("far", far).unwrap();
    match method("spectral", "nystroem:rank=3").cluster(&far, 2, &Starts::default(), &run) {
        Ok(found) => assert!(found.embedding.rows.values().iter().all(|v| v.is_finite())),
        Err(Error::Data(problem)) => assert!(problem.contains("instance 0"), "{problem}"),
        Err(other) => panic!("{other}"),
    }
}

fn with_presence(views: &Views, name: &str, rows: Vec<bool>) -> Views {
    let mut out = Views::new();
    for view in views.iter() {
        let mut view = view.clone();
        if view.name == name {
            view.present = Some(rows.clone());
        }
        out.push(view).unwrap();
    }
    out
}
