//! Sparse graphs against the same numbers stored densely.

use cokernel::bank::{Bank, Storage};
use cokernel::catalogue::methods;
use cokernel::data::{Csr, Labels, Matrix, Table, Views};
use cokernel::kernel::{EdgeWeights, GraphSpec, KernelSpec};
use cokernel::method::Task;
use cokernel::model::{Mkl, MultiView};
use cokernel::multiview::Starts;
use cokernel::{Run, data::toy};

fn sparse(m: &Matrix) -> Csr {
    let row = |i: usize| {
        let all = m.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0);
        all.map(|(j, v)| (j as u32, *v)).collect()
    };
    Csr::from_rows(m.cols(), (0..m.rows()).map(row).collect()).unwrap()
}

/// Neighbour graphs of two views of three groups, dense.
fn graphs(n: usize) -> (Vec<Matrix>, Vec<u32>) {
    let (views, labels) = toy::views(n, 3, &[5.0, 4.0], 3).unwrap();
    let weights = EdgeWeights::Gaussian { sigma: None };
    let dense = views.iter().map(|v| cokernel::bank::knn(v, 8, false, weights).unwrap().to_dense());
    (dense.collect(), labels.classes().unwrap().codes)
}

fn both(matrices: &[Matrix]) -> (Views, Views) {
    let (mut a, mut b) = (Views::new(), Views::new());
    for (v, m) in matrices.iter().enumerate() {
        a = a.with(format!("g{v}"), Table::Graph(sparse(m))).unwrap();
        b = b.with(format!("g{v}"), Table::Similarity(m.clone())).unwrap();
    }
    (a, b)
}

#[test]
fn every_method_sees_the_same_similarity() {
    let (matrices, _) = graphs(160);
    let (graph, dense) = both(&matrices);
    for m in methods().filter(|m| m.tasks.contains(&Task::Cluster)) {
        let method = MultiView::new(m.id).unwrap();
        let of = |views: &Views| {
            let prepared = method.prepare(views, &Run::default())?;
            method.embed_prepared(&prepared, 3, &Run::default())
        };
        // Methods on features refuse both.
        match (of(&graph), of(&dense)) {
            (Ok(a), Ok(b)) => {
                let gram = |e: &Matrix, i: usize, j: usize| {
                    e.row(i).iter().zip(e.row(j)).map(|(x, y)| x * y).sum::<f64>()
                };
                for i in 0..160 {
                    for j in 0..160 {
                        let (x, y) = (gram(&a.rows, i, j), gram(&b.rows, i, j));
                        assert!((x - y).abs() < 1e-10, "{}: {i} {j}: {x} {y}", m.id);
                    }
                }
            }
            (Err(a), Err(b)) => assert_eq!(a.to_string(), b.to_string(), "{}", m.id),
            (a, b) => panic!("{}: {a:?} {b:?}", m.id),
        }
    }
}

#[test]
fn every_primitive_on_every_storage() {
    let n = 300;
    let (matrices, _) = graphs(n);
    let (x, _) = toy::views(n, 3, &[2.0], 9).unwrap();
    let (graph, dense) = both(&matrices);
    let with_features = |views: &Views| {
        let mut all = Views::new();
        all.push(x.get("view0").unwrap().clone()).unwrap();
        views.iter().for_each(|v| all.push(v.clone()).unwrap());
        all
    };
    let (graph, dense) = (with_features(&graph), with_features(&dense));
    let texts = [
        "precomputed@g0",
        "gaussian@view0",
        "precomputed@g1:normalize=unit_diagonal,frobenius",
        "linear@view0",
        "precomputed@g0:normalize=center",
    ];
    let specs: Vec<KernelSpec> = texts.iter().map(|t| t.parse().unwrap()).collect();
    let run = Run::default();
    let want = Bank::build(&dense, &specs, Storage::Resident, &run).unwrap();
    for (storage, tol) in
        [(Storage::Resident, 1e-12), (Storage::OnDemand, 1e-12), (Storage::ResidentF32, 1e-5)]
    {
        let bank = Bank::build(&graph, &specs, storage.clone(), &run).unwrap();
        assert_eq!(bank.storage(), storage);
        let sparse: Vec<bool> = (0..5).map(|m| bank.is_sparse(m)).collect();
        assert_eq!(sparse, [true, false, true, false, false]);
        assert!((0..5).all(|m| !want.is_sparse(m)));
        let close = |what: &str, a: &[f64], b: &[f64]| {
            let size = b.iter().fold(1.0_f64, |s, v| s.max(v.abs()));
            assert_eq!(a.len(), b.len());
            for (k, (a, b)) in a.iter().zip(b).enumerate() {
                assert!((a - b).abs() <= tol * size, "{storage:?} {what} {k}: {a} {b}");
            }
        };
        let weights = [0.5, 0.0, 2.0, 0.3, 1.0];
        close(
            "combine",
            bank.combine(&weights).unwrap().values(),
            want.combine(&weights).unwrap().values(),
        );
        close(
            "product",
            bank.product(&[0, 1, 2]).unwrap().values(),
            want.product(&[0, 1, 2]).unwrap().values(),
        );
        let block = Matrix::from_fn(n, 3, |i, j| ((i * 3 + j) as f64 * 0.7).sin());
        let (a, b) = (bank.apply_combined(&weights, &block), want.apply_combined(&weights, &block));
        close("apply", a.values(), b.values());
        let coef: Vec<f64> =
            (0..n).map(|i| if i % 4 == 0 { i as f64 - 99.0 } else { 0.0 }).collect();
        close("forms", &bank.quad_forms(&[&coef])[0], &want.quad_forms(&[&coef])[0]);
        for centred in [false, true] {
            let (a, b) =
                (bank.inner_products(centred).unwrap(), want.inner_products(centred).unwrap());
            close("inner products", a.values(), b.values());
        }
        let pairs: Vec<(u32, u32)> = (0..n as u32).map(|i| (i, (i * 7) % n as u32)).collect();
        let (mut a, mut b) = (vec![0.0; 5 * n], vec![0.0; 5 * n]);
        bank.pairs(&pairs, &mut a);
        want.pairs(&pairs, &mut b);
        close("pairs", &a, &b);
        let mut seen = Vec::new();
        bank.products(&[&coef], |m, _, product| seen.push((m, product.to_vec())));
        want.products(&[&coef], |m, _, product| {
            let own = &seen[m];
            let picked = |v: &[f64]| (0..n).step_by(4).map(|i| v[i]).collect::<Vec<_>>();
            close("products", &picked(&own.1), &picked(product));
        });
        let columns: Vec<u32> = vec![5, 200, 3, 3, 299, 0];
        for m in 0..5 {
            close("diagonal", &bank.diagonal(m), &want.diagonal(m));
            let (mut a, mut b) = (vec![0.0; n], vec![0.0; n]);
            let (mut c, mut d) = (vec![0.0; 6], vec![0.0; 6]);
            for i in (0..n).step_by(17) {
                bank.row(m, i, &mut a);
                want.row(m, i, &mut b);
                close("row", &a, &b);
                bank.entries(m, i, &columns, &mut c);
                want.entries(m, i, &columns, &mut d);
                close("entries", &c, &d);
                let mut values = Vec::new();
                if let Some(columns) = bank.sparse_row(m, i, &mut values) {
                    assert!(columns.len() < n / 2);
                    let stored: Vec<f64> = columns.iter().map(|j| b[*j as usize]).collect();
                    close("stored", &values, &stored);
                }
            }
        }
    }
}

#[test]
fn twenty_thousand_instances_take_no_square() {
    // Four parts; within each, edges to places far and near, so that it hangs together well.
    let (n, part) = (20_000_usize, 5_000);
    let edges = |i: usize| {
        let (first, own) = (i / part * part, i % part);
        let steps = [0, 1, 17, 301, 1_013, 2_203];
        let mut to: Vec<u32> = steps
            .iter()
            .flat_map(|s| [own + s, own + part - s])
            .map(|j| (first + j % part) as u32)
            .collect();
        to.sort_unstable();
        to.dedup();
        to.into_iter().map(|j| (j, 1.0)).collect()
    };
    let graph = Csr::from_rows(n, (0..n).map(edges).collect()).unwrap();
    let views = Views::new().with("g", Table::Graph(graph)).unwrap();
    // One full row of blocks of such a matrix would not fit.
    let run = Run { memory: 1 << 20, ..Run::default() };
    let method = MultiView::new("spectral").unwrap();
    let prepared = method.prepare(&views, &run).unwrap();
    assert_eq!(prepared.bank().storage(), Storage::Resident);
    assert!(prepared.bank().is_sparse(0));
    assert!(prepared.notes()[0].contains(
        "view 'g': the graph has 4 connected components of 5000, 5000, 5000 and 5000 instances"
    ));
    let starts = Starts { starts: 3, ..Starts::default() };
    let found = method.cluster_prepared(&prepared, 4, &starts, &run).unwrap();
    for i in 0..n {
        assert_eq!(found.assignments[i], (i / part) as u32);
    }
    assert!(found.report.notes.contains(&prepared.notes()[0]));
}

#[test]
fn graphs_are_built_on_request() {
    let (views, labels) = toy::views(120, 3, &[5.0, 4.0], 3).unwrap();
    let classes = labels.classes().unwrap().codes;
    let graph = GraphSpec::knn(8);
    let other =
        GraphSpec::epsilon(2.5).view("view1").weights(EdgeWeights::Gaussian { sigma: None });
    let method = MultiView::new("co_regularized").unwrap().graphs([graph.clone(), other.clone()]);
    let prepared = method.prepare(&views, &Run::default()).unwrap();
    let bank = prepared.bank();
    let names: Vec<&str> = bank.kernels().iter().map(|k| k.name.as_str()).collect();
    assert_eq!(names[0], "knn@view0(k=8)");
    assert_eq!(names[1], "epsilon@view1(radius=2.5, weights=gaussian)");
    assert!(bank.is_sparse(0) && bank.is_sparse(1));
    for (m, (view, spec)) in views.iter().zip([&graph, &other]).enumerate() {
        let Table::Graph(want) = cokernel::bank::build_graph(view, spec).unwrap().table else {
            panic!("graph")
        };
        for i in 0..120 {
            let mut values = Vec::new();
            let columns = bank.sparse_row(m, i, &mut values).unwrap();
            assert_eq!((columns, values.as_slice()), want.row(i));
        }
    }
    // Features stay for methods that look at them.
    assert_eq!(prepared.views(), &views);
    let found = method.cluster_prepared(&prepared, 3, &Starts::default(), &Run::default()).unwrap();
    let right = found.assignments.iter().zip(&classes).filter(|(a, b)| a == b).count();
    assert!(right >= 108, "{right} of 120");
    assert!(found.embedding.extension.is_none());
    let single = MultiView::new("spectral").unwrap().graphs([graph.clone(), other.clone()]);
    let prepared = single.prepare(&views, &Run::default()).unwrap();
    let embedding = single.embed_prepared(&prepared, 3, &Run::default()).unwrap();
    assert!(embedding.extension.is_none());
    let last = embedding.report.notes.last().unwrap();
    assert!(last.starts_with("graphs of neighbours are not built for new rows"), "{last}");
    // A kernel on the other view stays beside the graph.
    let mixed = MultiView::new("spectral").unwrap().graphs([GraphSpec::knn(8).view("view0")]);
    let prepared = mixed.prepare(&views, &Run::default()).unwrap();
    let views_of: Vec<&str> = prepared.bank().kernels().iter().map(|k| k.view.as_str()).collect();
    assert_eq!(views_of, ["view1", "view0"]);
}

#[test]
fn learning_from_labels_takes_graphs_too() {
    let (matrices, classes) = graphs(90);
    let (graph, dense) = both(&matrices);
    let texts: Vec<String> = classes.iter().map(u32::to_string).collect();
    let labels = Labels::from_texts(&texts);
    let rows: Vec<usize> = (0..90).filter(|i| i % 3 != 1 || i % 2 == 0).collect();
    let rest: Vec<usize> = (0..90).filter(|i| !rows.contains(i)).collect();
    for id in ["mean", "simple_mkl"] {
        let fit = |views: &Views| {
            let method = Mkl::new(id).unwrap();
            method.fit(&views.select(&rows), &labels.select(&rows), &Run::default()).unwrap()
        };
        let (a, b) = (fit(&graph), fit(&dense));
        let want = b.predict(&dense.select_new(&rest, &rows)).unwrap();
        // A model does not mind in which form similarities come.
        for model in [&a, &b] {
            for views in [&graph, &dense] {
                let got = model.predict(&views.select_new(&rest, &rows)).unwrap();
                assert_eq!(got.labels, want.labels, "{id}");
                for (x, y) in got.decisions.values().iter().zip(want.decisions.values()) {
                    assert!((x - y).abs() < 1e-9, "{id}: {x} {y}");
                }
            }
        }
    }
}
