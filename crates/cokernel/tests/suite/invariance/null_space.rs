//! Similarities of low rank: eigenvectors of eigenvalue 0 are arbitrary and belong to no embedding.

use cokernel::Run;
use cokernel::catalogue::places_new_rows;
use cokernel::data::{Matrix, Views};
use cokernel::kernel::KernelSpec;
use cokernel::method::Task;
use cokernel::model::MultiView;
use cokernel::multiview::{REGISTRY, Starts};

const N: usize = 60;
const RANKS: [usize; 2] = [3, 4];
const IN_UNITS: [&str; 5] = ["concat_kmeans", "cca", "kernel_cca", "pca", "kernel_pca"];

/// Methods with one matrix, and its rank.
const ONE: [(&str, usize); 6] = [
    ("spectral", 7),
    ("kernel_pca", 7),
    ("min_disagreement", 3),
    ("mkkm", 7),
    ("simple_mkkm", 7),
    ("late_fusion", 7),
];

/// Two views of 3 and 4 columns of positive numbers, whose linear kernels have these ranks.
fn views(factor: f64, order: &[usize]) -> Views {
    let table = |columns: usize, speed: f64| {
        Matrix::from_fn(N, columns, |i, j| {
            let i = order[i];
            factor * (1.2 + ((i * i + 3) as f64 * (j + 1) as f64 * speed).sin())
        })
    };
    let both = Views::new().dense("a", table(RANKS[0], 0.37)).unwrap();
    both.dense("b", table(RANKS[1], 0.71)).unwrap()
}

fn gram(rows: &Matrix, order: &[usize]) -> Matrix {
    let mut gram = Matrix::zeros(N, N);
    for i in 0..N {
        for j in 0..N {
            let dot = rows.row(i).iter().zip(rows.row(j)).map(|(a, b)| a * b).sum();
            gram.set(order[i], order[j], dot);
        }
    }
    gram
}

fn method(id: &str) -> MultiView {
    MultiView::new(id).unwrap().kernels(["linear".parse::<KernelSpec>().unwrap()])
}

/// With more clusters than the rank, rounding chose eigenvectors: rows in another order, or a kernel
/// times 3, gave other clusters, and most methods said nothing or gave another reason.
#[test]
fn the_order_of_instances_is_no_matter() {
    let (plain, run): (Vec<usize>, _) = ((0..N).collect(), Run::default());
    let turned: Vec<usize> = (0..N).map(|i| (i * 37 + 11) % N).collect();
    // Their rows are clusters, or look at anchors, from starts that are drawn row by row.
    let drawn = |id: &&str| ["max_margin", "one_pass_fusion", "anchor_graph"].contains(id);
    let ids = REGISTRY.iter().map(|m| m.id).filter(|id| !drawn(id));
    for id in ids.filter(|id| !method(id).reads_labels().unwrap()) {
        let found = method(id).embed(&views(1.0, &plain), 8, &run).unwrap();
        let own = gram(&found.rows, &plain);
        let scale = own.values().iter().fold(1.0_f64, |a, v| a.max(v.abs()));
        for (factor, order) in [(1.0, &turned), (3.0, &plain), (3.0, &turned)] {
            if factor != 1.0 && IN_UNITS.contains(&id) {
                continue; // The lengths of their rows have the units of the features.
            }
            let other = method(id).embed(&views(factor, order), 8, &run).unwrap();
            let other = gram(&other.rows, order);
            for (x, y) in own.values().iter().zip(other.values()) {
                assert!((x - y).abs() < 1e-5 * scale, "{id}, times {factor}: {x} {y}");
            }
        }
        let notes = &found.report.notes;
        assert!(!notes.iter().any(|n| n.contains("little but themselves")), "{id}: {notes:?}");
        let said = notes.iter().find(|n| n.contains("eigenvalues are above rounding"));
        let singles =
            ["concat_embeddings", "co_trained", "co_regularized", "co_regularized_centroid"];
        if singles.contains(&id) {
            let start = "kernel 'linear@a': 3 of 8, kernel 'linear@b': 4 of 8 eigenvalues";
            assert!(said.is_some_and(|n| n.starts_with(start)), "{id}: {notes:?}");
        } else if let Some(rank) = ONE.iter().find(|m| m.0 == id) {
            let count = format!(": {} of 8", rank.1);
            assert!(said.is_some_and(|n| n.contains(&count)), "{id}: {notes:?}");
            assert_eq!(found.eigenvalues[0].len(), rank.1, "{id}");
        } else {
            assert_eq!(said, None, "{id}");
        }
    }
}

/// What is left out of the training instances is left out of new ones.
#[test]
fn training_rows_get_back_their_own_embedding() {
    let (plain, run): (Vec<usize>, _) = ((0..N).collect(), Run::default());
    let views = views(1.0, &plain);
    let methods = REGISTRY.iter().filter(|m| m.tasks.contains(&Task::Cluster));
    let placed = methods.filter(|e| places_new_rows(e.method));
    for id in placed.map(|m| m.id) {
        let (model, found) = method(id).fit_clusters(&views, 8, &Starts::default(), &run).unwrap();
        let rows = model.transform(&views).unwrap();
        let own = &found.embedding.rows;
        assert_eq!((rows.rows(), rows.cols()), (own.rows(), own.cols()), "{id}");
        for (x, y) in rows.values().iter().zip(own.values()) {
            assert!((x - y).abs() < 1e-5, "{id}: {x} {y}");
        }
        let file = model.to_bytes().unwrap();
        assert_eq!(cokernel::model::EmbeddingModel::from_bytes(&file).unwrap(), model, "{id}");
    }
}

/// A kernel of zeros takes no part in the unit of C.
#[test]
fn a_kernel_of_zeros_is_no_matter_to_max_margin() {
    let order: Vec<usize> = (0..N).collect();
    let plain = views(1.0, &order);
    let zeros = plain.clone().dense("zeros", Matrix::zeros(N, 2)).unwrap();
    let objective = |views: &Views| {
        let found = method("max_margin").embed(views, 3, &Run::default()).unwrap();
        *found.report.objective.last().unwrap()
    };
    let (a, b) = (objective(&plain), objective(&zeros));
    assert!((a - b).abs() < 1e-3 * a, "{a} {b}");
}
