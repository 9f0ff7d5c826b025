//! Clustering: order of instances, storages, threads, degenerate input, stops.

use crate::common::{Real, Toy, cluster, points, run_method};
use cokernel::bank::{Bank, Storage};
use cokernel::data::{Matrix, Table, Views};
use cokernel::model::MultiView;
use cokernel::multiview::Clustering;
use cokernel::{Run, Status};

/// All but the seconds.
fn timeless(mut c: Clustering) -> Clustering {
    c.report.seconds = 0.0;
    c.embedding.report.seconds = 0.0;
    c
}

#[test]
fn groups_are_found() {
    let toy = Toy::new(180, 3, 3, 1);
    for id in ["spectral", "co_regularized", "co_trained", "co_regularized_centroid"] {
        let found = cluster(id, &toy.bank(), 3, &[]);
        let right = found.assignments.iter().zip(&toy.classes).filter(|(a, b)| a == b).count();
        assert!(right >= 170, "{id}: {right} of 180");
        let norms = |i: usize| found.embedding.rows.row(i).iter().map(|v| v * v).sum::<f64>();
        let parts = found.embedding.rows.cols() as f64 / 3.0;
        assert!((0..180).all(|i| (norms(i) - parts).abs() < 1e-12));
    }
}

#[test]
fn permuted_instances_give_the_same_partition() {
    let toy = Toy::new(140, 2, 3, 9);
    let shuffled: Vec<usize> = (0..140).map(|i| (i * 37 + 5) % 140).collect();
    let moved = Toy {
        kernels: toy
            .kernels
            .iter()
            .map(|k| k.select_rows(&shuffled).select_cols(&shuffled))
            .collect(),
        classes: Vec::new(),
    };
    for id in ["spectral", "co_regularized", "co_trained", "co_regularized_centroid"] {
        let a = cluster(id, &toy.bank(), 3, &[]).assignments;
        let b = cluster(id, &moved.bank(), 3, &[]).assignments;
        for x in 0..140 {
            for y in 0..140 {
                assert_eq!(a[shuffled[x]] == a[shuffled[y]], b[x] == b[y]);
            }
        }
    }
}

#[test]
fn threads_and_repetition_do_not_change_bits() {
    let toy = Toy::new(700, 2, 4, 10);
    let bank = toy.bank();
    for id in ["spectral", "co_regularized", "co_trained", "co_regularized_centroid"] {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            timeless(pool.install(|| cluster(id, &bank, 4, &[])))
        };
        let one = with(1);
        assert_eq!(one, with(3), "{id}");
        assert_eq!(one, with(1), "{id}");
        let other = run_method(id, &bank, 4, &[], &Run::with_seed(77)).unwrap();
        assert_eq!(other.report.seed, 77);
        assert_eq!(other.assignments, one.assignments);
    }
}

#[test]
fn storages_agree() {
    let specs = ["gaussian@a:gamma=0.2", "gaussian@b:gamma=0.3"];
    let specs: Vec<_> = specs.iter().map(|s| s.parse().unwrap()).collect();
    let views = Views::new()
        .with("a", Table::Dense(points(160, 3, 1)))
        .and_then(|v| v.with("b", Table::Dense(points(160, 3, 2))))
        .unwrap();
    let run = Run::default();
    let bank = |storage| Bank::build(&views, &specs, storage, &run).unwrap();
    for id in ["spectral", "co_regularized", "co_trained", "co_regularized_centroid"] {
        let resident = cluster(id, &bank(Storage::Resident), 3, &[]);
        for (storage, tol) in [(Storage::OnDemand, 1e-9), (Storage::ResidentF32, 1e-5)] {
            let other = cluster(id, &bank(storage), 3, &[]);
            assert_eq!(other.assignments, resident.assignments);
            let (a, b) =
                (other.embedding.eigenvalues.concat(), resident.embedding.eigenvalues.concat());
            assert!(a.iter().zip(&b).all(|(x, y)| (x - y).abs() < tol), "{a:?} and {b:?}");
        }
        // Too little memory for the mean kernel: it is applied kernel by kernel.
        let poor = Run { memory: 1000, ..Run::default() };
        let streamed = run_method(id, &bank(Storage::Resident), 3, &[], &poor).unwrap();
        assert_eq!(streamed.assignments, resident.assignments);
        assert_eq!(streamed.report.counts.combines, 0);
    }
}

#[test]
fn degenerate_inputs_are_clustered() {
    let toy = Toy::new(90, 2, 3, 12);
    for id in ["spectral", "co_regularized", "co_trained", "co_regularized_centroid"] {
        assert_eq!(cluster(id, &toy.bank(), 1, &[]).assignments, [0; 90]);
        // Every instance three times: copies go together.
        let rows: Vec<usize> = (0..270).map(|i| i % 90).collect();
        let kernels = toy.kernels.iter().map(|k| k.select_rows(&rows).select_cols(&rows));
        let copies = Toy { kernels: kernels.collect(), classes: Vec::new() };
        let found = cluster(id, &copies.bank(), 3, &[]).assignments;
        assert_eq!(found[..90], found[90..180]);
        assert_eq!(found[..90], found[180..]);
        // As many clusters as instances.
        let few = Toy::new(5, 2, 3, 13);
        let all = cluster(id, &few.bank(), 5, &[]).assignments;
        assert_eq!(all, [0, 1, 2, 3, 4]);
        let one = Toy { kernels: vec![Matrix::from_fn(1, 1, |_, _| 2.0)], classes: vec![0] };
        assert_eq!(cluster(id, &one.bank(), 1, &[]).assignments, [0]);
        let wide = cluster(id, &toy.bank(), 3, &[("eigenvectors", 5.into())]);
        assert_eq!(wide.embedding.eigenvalues[0].len(), 5);
    }
}

#[test]
fn limits_end_with_a_status_and_a_result() {
    let toy = Toy::new(150, 2, 3, 14);
    for id in ["co_regularized", "co_regularized_centroid"] {
        let once = [("max_iterations", 1.into()), ("tol", Real::from(0.0))];
        let found = cluster(id, &toy.bank(), 3, &once);
        assert_eq!((found.report.status, found.report.iterations), (Status::IterationLimit, 1));
        assert_eq!(found.report.counts.eigen_solves, 4);
    }
    let run = Run::default();
    run.cancel.cancel();
    for id in ["spectral", "co_regularized", "co_trained", "co_regularized_centroid"] {
        let found = run_method(id, &toy.bank(), 3, &[], &run).unwrap();
        assert_eq!(found.report.status, Status::Interrupted);
        assert_eq!(found.assignments.len(), 150);
        let late = Run { time_limit: Some(std::time::Duration::ZERO), ..Run::default() };
        let found = run_method(id, &toy.bank(), 3, &[], &late).unwrap();
        assert_eq!(found.report.status, Status::TimeLimit);
    }
}

#[test]
fn kernel_addition_does_not_see_the_order_of_views() {
    let toy = Toy::new(150, 3, 3, 8);
    let mean = |order: &[usize]| cluster("spectral", &toy.bank_in_order(order), 3, &[]).assignments;
    assert_eq!(mean(&[0, 1, 2]), mean(&[1, 2, 0]));
}

/// Interrupted before anything is known, a method says so, and what it gives is not a table of one
/// value: kernel canonical correlation gave zeros, which were written as an embedding.
#[test]
fn an_early_stop_gives_a_sentence_or_something() {
    let (views, labels) = cokernel::data::toy::views(150, 3, &[2.0, 2.0], 1).unwrap();
    let run = Run::default();
    run.cancel.cancel();
    for method in cokernel::catalogue::methods().filter(|m| MultiView::new(m.id).is_ok()) {
        let model = MultiView::new(method.id).unwrap();
        let prepared = model.prepare(&views, &Run::default()).unwrap();
        let prepared = match model.reads_labels().unwrap() {
            true => prepared.with_labels(&labels).unwrap(),
            false => prepared,
        };
        match model.embed_prepared(&prepared, 2, &run) {
            Err(e) => assert!(e.to_string().contains("before there was"), "{}: {e}", method.id),
            Ok(found) => {
                let rows = &found.rows;
                assert!((1..150).any(|i| rows.row(i) != rows.row(0)), "{}", method.id);
                assert!(rows.values().iter().all(|v| v.is_finite()), "{}", method.id);
            }
        }
    }
}

/// With so many clusters that operators are stored and filtered, and with few, the same method.
#[test]
fn many_clusters_on_demand_and_stored() {
    let toy = Toy::new(240, 3, 20, 17);
    for id in ["co_regularized", "co_regularized_centroid", "co_trained", "spectral"] {
        let rounds = match id {
            "co_trained" => vec![("iterations", Real::from(3))],
            "spectral" => vec![],
            _ => vec![("max_iter", Real::from(3)), ("tol", Real::from(0.0))],
        };
        let stored = cluster(id, &toy.bank(), 20, &rounds);
        let poor = Run { memory: 1000, ..Run::default() };
        let applied = run_method(id, &toy.bank(), 20, &rounds, &poor).unwrap();
        let (a, b) =
            (stored.embedding.eigenvalues.concat(), applied.embedding.eigenvalues.concat());
        assert!(a.iter().zip(&b).all(|(x, y)| (x - y).abs() < 1e-9), "{id}: {a:?} and {b:?}");
    }
}
