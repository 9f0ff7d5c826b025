//! Clustering of instances that lack views.

use cokernel::catalogue::methods;
use cokernel::data::{Csr, Matrix, Table, View, Views, toy};
use cokernel::eval::compare_clusterings;
use cokernel::kernel::GraphSpec;
use cokernel::method::{Method, Task};
use cokernel::model::MultiView;
use cokernel::multiview::Starts;
use cokernel::{Result, Run};
use rand::RngExt;

fn clusterers() -> impl Iterator<Item = &'static Method> {
    methods().filter(|m| m.tasks.contains(&Task::Cluster))
}

/// The same views, of which each instance lacks one with the given probability, never all.
fn thinned(views: &Views, share: f64, seed: u64) -> Views {
    let mut rng = Run::with_seed(seed).rng("absent");
    let n = views.n();
    let mut masks = vec![vec![true; n]; views.len()];
    for i in 0..n {
        let v = rng.random_range(0..views.len());
        if rng.random::<f64>() < share * views.len() as f64 {
            masks[v][i] = false;
        }
    }
    let mut all = Views::new();
    for (view, mask) in views.iter().zip(masks) {
        let nan = |m: &Matrix| {
            Matrix::from_fn(m.rows(), m.cols(), |i, j| if mask[i] { m.get(i, j) } else { f64::NAN })
        };
        let table = match &view.table {
            Table::Dense(m) => Table::Dense(nan(m)),
            other => other.clone(),
        };
        all.push(View { table, present: Some(mask), ..view.clone() }).unwrap();
    }
    all
}

#[test]
fn every_method_finds_groups_with_thirty_percent_missing() {
    let (views, labels) = toy::views(150, 3, &[6.0, 6.0], 4).unwrap();
    let classes = labels.classes().unwrap().codes;
    let views = thinned(&views, 0.3, 1);
    let absent: Vec<(String, usize)> =
        views.missing().into_iter().map(|(v, n)| (v.to_string(), n)).collect();
    assert_eq!(absent.len(), 2);
    assert!(absent.iter().all(|a| a.1 > 30), "{absent:?}");
    for m in clusterers() {
        let method = MultiView::new(m.id).unwrap();
        let prepared = method.prepare(&views, &Run::default()).unwrap();
        assert_eq!(prepared.filled().instances, absent, "{}", m.id);
        let all = prepared.notes().join("\n");
        assert!(all.contains("of 150 instances lack view 'view0'"), "{}: {all}", m.id);
        prepared.views().require_complete().unwrap();
        let found =
            method.cluster_prepared(&prepared, 3, &Starts::default(), &Run::default()).unwrap();
        let right = found.assignments.iter().zip(&classes).filter(|(a, b)| a == b).count();
        // Controls that put features side by side see column means, which say nothing.
        let least = if m.is_control() { 100 } else { 140 };
        assert!(right >= least, "{}: {right} of 150", m.id);
        assert!(prepared.notes().iter().all(|n| found.report.notes.contains(n)), "{}", m.id);
        let extends = found.embedding.extension.is_some();
        assert!(!extends || !matches!(m.id, "spectral" | "co_regularized"), "{}", m.id);
    }
    let all: Vec<MultiView> = clusterers().map(|m| MultiView::new(m.id).unwrap()).collect();
    let starts = Starts::default();
    let result =
        compare_clusterings(&all, &views, 3, Some(&labels), &starts, &Run::default()).unwrap();
    assert_eq!(result.filled, absent);
}

#[test]
fn complete_masks_change_nothing() {
    let (views, _) = toy::views(90, 3, &[5.0, 3.0], 4).unwrap();
    let mut masked = Views::new();
    for v in views.iter() {
        masked.push(View { present: Some(vec![true; 90]), ..v.clone() }).unwrap();
    }
    for m in clusterers() {
        let of = |views: &Views| {
            let method = MultiView::new(m.id).unwrap();
            method.cluster(views, 3, &Starts::default(), &Run::default()).unwrap()
        };
        let (a, b) = (of(&views), of(&masked));
        assert_eq!(a.embedding.rows, b.embedding.rows, "{}", m.id);
        assert_eq!(a.embedding.extension, b.embedding.extension, "{}", m.id);
    }
}

#[test]
fn similarities_and_graphs_may_lack_instances() {
    let (views, labels) = toy::views(120, 3, &[6.0, 6.0], 8).unwrap();
    let classes = labels.classes().unwrap().codes;
    let views = thinned(&views, 0.2, 2);
    let right = |found: &[u32]| found.iter().zip(&classes).filter(|(a, b)| a == b).count();
    for id in ["spectral", "co_regularized"] {
        let built = MultiView::new(id).unwrap().graphs([GraphSpec::knn(10)]);
        let found = built.cluster(&views, 3, &Starts::default(), &Run::default()).unwrap();
        assert!(right(&found.assignments) >= 110, "{id}: {}", right(&found.assignments));
        // The same graphs as given similarities, in both forms.
        let (mut sparse, mut dense) = (Views::new(), Views::new());
        for view in views.iter() {
            let graph = cokernel::bank::build_graph(view, &GraphSpec::knn(10)).unwrap();
            let Table::Graph(m) = &graph.table else { panic!("graph") };
            let present = view.present.as_ref().unwrap();
            let d = m.to_dense();
            let k = Matrix::from_fn(120, 120, |i, j| {
                if present[i] && present[j] { d.get(i, j) } else { f64::NAN }
            });
            dense.push(View { table: Table::Similarity(k), ..graph.clone() }).unwrap();
            sparse.push(graph).unwrap();
        }
        let method = MultiView::new(id).unwrap();
        for given in [sparse, dense] {
            let again = method.cluster(&given, 3, &Starts::default(), &Run::default()).unwrap();
            assert_eq!(again.assignments, found.assignments, "{id}");
        }
    }
}

fn cluster(id: &str, views: &Views, k: usize, graph: Option<GraphSpec>) -> Result<Vec<u32>> {
    let method = MultiView::new(id)?.graphs(graph);
    Ok(method.cluster(views, k, &Starts::default(), &Run::default())?.assignments)
}

#[test]
fn degenerate_inputs_have_a_defined_result_or_a_clear_error() {
    let (toy, _) = toy::views(30, 3, &[6.0], 2).unwrap();
    let Table::Dense(x) = toy.get("view0").unwrap().table.clone() else { panic!("dense") };
    let one = |m: Matrix| Views::new().dense("a", m).unwrap();
    let knn = || Some(GraphSpec::knn(4));
    for id in ["spectral", "co_regularized"] {
        // One cluster, as many clusters as instances.
        assert_eq!(cluster(id, &one(x.clone()), 1, knn()).unwrap(), [0; 30]);
        let all = cluster(id, &one(x.clone()), 30, knn()).unwrap();
        assert_eq!(all.iter().max(), Some(&29), "{id}");
        for k in [0, 31] {
            let e = cluster(id, &one(x.clone()), k, knn()).unwrap_err().to_string();
            assert!(e.contains("expected from 1 to 30 clusters"), "{e}");
        }
        // A constant view has no width, but a graph; rows of zeros are rows like others.
        let constant = one(Matrix::from_fn(30, 2, |_, _| 3.0));
        let e = cluster(id, &constant, 2, None).unwrap_err().to_string();
        assert!(e.contains("median distance between instances is 0"), "{e}");
        assert_eq!(cluster(id, &constant, 2, knn()).unwrap().len(), 30);
        let zeros = Matrix::from_fn(30, 3, |i, j| if i < 6 { 0.0 } else { x.get(i, j) });
        let found = cluster(id, &one(zeros), 3, None).unwrap();
        assert!(found[..6].iter().all(|c| *c == found[0]), "{id}: {found:?}");
        // Copies of an instance are in the same cluster.
        let twice = one(Matrix::from_fn(30, 3, |i, j| x.get(i / 2, j)));
        for graph in [None, knn()] {
            let found = cluster(id, &twice, 3, graph).unwrap();
            assert!((0..15).all(|i| found[2 * i] == found[2 * i + 1]), "{id}: {found:?}");
        }
        // An ε graph that joins nobody: every instance is a component.
        let alone = GraphSpec::epsilon(1e-6);
        let found = cluster(id, &one(x.clone()), 30, Some(alone)).unwrap();
        assert_eq!(found, (0..30).collect::<Vec<u32>>());
        // A given graph: no edge at instance 1; a negative one between 0 and 2.
        let given = |edges: Vec<Vec<(u32, f64)>>| {
            let n = edges.len();
            Views::new().with("g", Table::Graph(Csr::from_rows(n, edges).unwrap())).unwrap()
        };
        let isolated = given(vec![vec![(2, 1.0)], vec![], vec![(0, 1.0)]]);
        let e = cluster(id, &isolated, 2, None).unwrap_err().to_string();
        assert!(e.contains("'precomputed@g': instance 1 has no similarity to any instance"), "{e}");
        let negative =
            given(vec![vec![(1, 1.0), (2, -0.5)], vec![(0, 1.0)], vec![(0, -0.5), (2, 1.0)]]);
        let e = cluster(id, &negative, 2, None).unwrap_err().to_string();
        assert!(e.contains("the similarity of instances 0 and 2 is -0.5"), "{e}");
    }
}

#[test]
fn refusals() {
    let (toy, _) = toy::views(20, 2, &[3.0, 3.0], 2).unwrap();
    let square = Matrix::from_fn(20, 20, |i, j| f64::from(u8::from(i == j)));
    let views = toy.with("s", Table::Similarity(square)).unwrap();
    let of = |graphs: &[&str], kernels: &[&str]| {
        let mut method = MultiView::new("spectral").unwrap();
        method = method.graphs(graphs.iter().map(|g| g.parse().unwrap()));
        if !kernels.is_empty() {
            method = method.kernels(kernels.iter().map(|k| k.parse().unwrap()));
        }
        method.prepare(&views, &Run::default()).map(|p| p.bank().len()).map_err(|e| e.to_string())
    };
    assert_eq!(of(&["knn"], &[]), Ok(3));
    assert_eq!(of(&["knn@view1"], &["gaussian"]), Ok(2));
    assert_eq!(of(&["knn@view1:k=3"], &["precomputed", "gaussian"]), Ok(3));
    for (graphs, kernels, want) in [
        (&["knn@view2"][..], &[][..], "unknown view 'view2'"),
        (&["knn@s"], &[], "graph 'knn@s:k=10': view 's' is a similarity already"),
        (
            &["knn@view0", "knn@view0:k=3"],
            &[],
            "'knn@view0:k=10' and 'knn@view0:k=3' are both graphs of view0",
        ),
        (&["knn", "epsilon:radius=1"], &[], "'knn:k=10' and 'epsilon:radius=1' are both graphs of"),
        (
            &["knn@view0"],
            &["linear@view0"],
            "view 'view0' becomes the graph 'knn@view0:k=10', so that the kernel 'linear@view0'",
        ),
        (&["knn"], &["gaussian"], "kernel 'gaussian': there is no feature view"),
        (&["knn:k=20"], &[], "parameter 'graph k': found 20, expected less than the 20 instances"),
    ] {
        let e = of(graphs, kernels).unwrap_err();
        assert!(e.starts_with(want), "{graphs:?} {kernels:?}: {e}");
    }
    // Graphs that are none.
    let given = |edges: Vec<Vec<(u32, f64)>>, cols: usize| {
        let views = Views::new().with("g", Table::Graph(Csr::from_rows(cols, edges).unwrap()))?;
        MultiView::new("spectral")?.prepare(&views, &Run::default())
    };
    let e = given(vec![vec![(1, 1.0)], vec![]], 2).unwrap_err().to_string();
    assert!(e.starts_with("view 'g', row 0, column 1: found 1, but 0 at row 1, column 0"), "{e}");
    let e = given(vec![vec![(1, 1.0)], vec![]], 3).unwrap_err().to_string();
    assert!(e.starts_with("view 'g': expected a similarity between the training"), "{e}");
    let e = given(vec![vec![(0, f64::NAN)], vec![]], 2).unwrap_err().to_string();
    assert!(e.starts_with("view 'g', row 0, column 0: not a finite number"), "{e}");
    // No view at all.
    let mut lacking = Views::new();
    for name in ["a", "b"] {
        let present = Some((0..4).map(|i| i != 2).collect());
        let table = Table::Dense(Matrix::from_fn(4, 1, |i, _| i as f64));
        lacking.push(View { name: name.into(), table, columns: None, present }).unwrap();
    }
    lacking.set_ids(["p", "q", "r", "s"].map(String::from).to_vec()).unwrap();
    for m in clusterers() {
        let method = MultiView::new(m.id).unwrap();
        let e = method.prepare(&lacking, &Run::default()).unwrap_err().to_string();
        assert_eq!(e, "instance 2 ('r') has none of the views 'a', 'b'; leave it out", "{}", m.id);
    }
}
