//! Co-regularised embeddings: identical views, λ = 0, order of views, units of λ, new rows,
//! monotone traces.

use crate::common::{Real, Toy, cluster};
use cokernel::Run;
use cokernel::Status;
use cokernel::bank::{Bank, Cross, RowMeans};
use cokernel::data::{Matrix, Table, Views};
use cokernel::multiview::{Clustering, Source};
use proptest::prelude::*;
use rand::RngExt;

const BOTH: [&str; 2] = ["co_regularized", "co_regularized_centroid"];

fn largest_difference(a: &Matrix, b: &Matrix) -> f64 {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    a.values().iter().zip(b.values()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

#[test]
fn identical_views_give_the_single_view_result() {
    for n in [60, 170] {
        let toy = Toy::new(n, 1, 3, 4);
        let single = cluster("spectral", &toy.bank(), 3, &[]);
        let same = Toy { kernels: vec![toy.kernels[0].clone(); 3], classes: toy.classes.clone() };
        let mean = cluster("spectral", &same.bank(), 3, &[]);
        assert_eq!(mean.assignments, single.assignments);
        // Each view is raised by λ for two others, or for the centroid.
        for (id, raised, copies) in [(BOTH[0], 0.6, 3.0), (BOTH[1], 0.3, 1.0)] {
            let together = cluster(id, &same.bank(), 3, &[("lambda", 0.3.into())]);
            assert_eq!(together.assignments, single.assignments);
            assert!(
                (together.kmeans.inertia - copies * single.kmeans.inertia).abs()
                    < 1e-6 * single.kmeans.inertia
            );
            let own = &single.embedding.eigenvalues[0];
            for (a, b) in together.embedding.eigenvalues[1].iter().zip(own) {
                assert!((a - b - raised).abs() < 1e-9, "{a} and {b}");
            }
            assert!(together.embedding.agreement.iter().all(|a| (a - 1.0).abs() < 1e-12));
            let alone = cluster(id, &toy.bank(), 3, &[]);
            assert_eq!(alone.assignments, single.assignments);
        }
    }
}

#[test]
fn without_coupling_it_is_the_concatenation_of_single_views() {
    let toy = Toy::new(150, 2, 3, 6);
    for id in BOTH {
        let concat = [("lambda", 0.0.into()), ("embedding", Real::from("concat".to_string()))];
        let zero = cluster(id, &toy.bank(), 3, &concat);
        assert_eq!(zero.embedding.rows.cols(), 6);
        for v in 0..2 {
            let single = cluster("spectral", &toy.bank_in_order(&[v]), 3, &[]);
            let own = zero.embedding.rows.select_cols(&[3 * v, 3 * v + 1, 3 * v + 2]);
            assert!(largest_difference(&own, &single.embedding.rows) < 1e-8);
            let named = [("lambda", 0.0.into()), ("embedding", Real::from(format!("view {v}")))];
            let named = cluster(id, &toy.bank(), 3, &named);
            assert_eq!(named.assignments, single.assignments);
            assert_eq!(named.embedding.rows.cols(), 3);
        }
    }
}

#[test]
fn permuted_views_give_permuted_results() {
    let toy = Toy::new(150, 3, 3, 8);
    let order = [2, 0, 1];
    for (id, lambda, permuted) in [
        (BOTH[0], vec![0.1], vec![0.1]),
        // Pairs 0-1, 0-2, 1-2 of the permuted views are 2-0, 2-1, 0-1.
        (BOTH[0], vec![0.1, 0.2, 0.05], vec![0.2, 0.05, 0.1]),
        (BOTH[1], vec![0.1, 0.2, 0.05], vec![0.05, 0.1, 0.2]),
    ] {
        // At a tight tolerance the order of updates leaves no trace.
        let tight = |lambda: Vec<f64>| {
            [("tol", Real::from(1e-13)), ("lambda", lambda.into()), ("max_iterations", 1000.into())]
        };
        let a = cluster(id, &toy.bank(), 3, &tight(lambda));
        let b = cluster(id, &toy.bank_in_order(&order), 3, &tight(permuted));
        assert_eq!(a.assignments, b.assignments);
        for (place, v) in order.into_iter().enumerate() {
            for (x, y) in b.embedding.eigenvalues[place].iter().zip(&a.embedding.eigenvalues[v]) {
                assert!((x - y).abs() < 1e-6, "{x} and {y}");
            }
        }
        let (x, y) = (a.report.objective.last().unwrap(), b.report.objective.last().unwrap());
        assert!((x - y).abs() < 1e-10 * x);
    }
}

/// `first` turns the order of updates, which is all that the order of the bank decides.
#[test]
fn rounds_begin_where_they_are_told() {
    let toy = Toy::new(150, 3, 3, 15);
    let rounds = [("tol", Real::from(0.0)), ("max_iterations", 2.into())];
    let turned = cluster("co_regularized", &toy.bank_in_order(&[1, 2, 0]), 3, &rounds);
    let rounds = rounds.into_iter().chain([("first", Real::from("view 1".to_string()))]);
    let told = cluster("co_regularized", &toy.bank(), 3, &rounds.collect::<Vec<_>>());
    for (x, y) in told.report.objective.iter().zip(&turned.report.objective) {
        assert!((x - y).abs() < 1e-12 * x, "{x} and {y}");
    }
    let plain = cluster("co_regularized", &toy.bank(), 3, &[("max_iterations", 1.into())]);
    assert!((plain.report.objective[0] - told.report.objective[0]).abs() > 1e-9);
}

#[test]
fn lambda_in_units_of_the_eigengap() {
    let toy = Toy::new(150, 3, 3, 16);
    let names = ["view 0", "view 1", "view 2"];
    for id in BOTH {
        let unit = || ("lambda_scale", Real::from("gap".to_string()));
        let scaled = cluster(id, &toy.bank(), 3, &[unit(), ("lambda", vec![0.5, 1.0, 2.0].into())]);
        let g: Vec<f64> = scaled.embedding.gaps.iter().map(|g| g.unwrap()).collect();
        let by_hand = match id {
            "co_regularized" => {
                vec![0.5 * (g[0] + g[1]) / 2.0, (g[0] + g[2]) / 2.0, 2.0 * (g[1] + g[2]) / 2.0]
            }
            _ => vec![0.5 * g[0], g[1], 2.0 * g[2]],
        };
        let raw = cluster(id, &toy.bank(), 3, &[("lambda", by_hand.clone().into())]);
        assert_eq!(raw.report.iterations, scaled.report.iterations);
        for (x, y) in raw.report.objective.iter().zip(&scaled.report.objective) {
            assert!((x - y).abs() < 1e-12 * x, "{x} and {y}");
        }
        // The gap of each view alone, four eigenvectors being one more than three.
        for (v, gap) in g.iter().enumerate() {
            let more = [("eigenvectors", 4.into())];
            let single = cluster("spectral", &toy.bank_in_order(&[v]), 3, &more);
            let values = &single.embedding.eigenvalues[0];
            assert!((values[2] - values[3] - gap).abs() < 1e-11, "{gap} and {values:?}");
            // Known to a few digits in raw units.
            assert!((raw.embedding.gaps[v].unwrap() - gap).abs() < 0.02 * gap);
        }
        let note = scaled.report.notes.last().unwrap();
        assert!(note.starts_with("eigengaps: view 0 0."), "{note}");
        assert!(note.contains("; lambda in force: view 0"), "{note}");
        assert!(names.iter().all(|n| note.contains(n)), "{note}");
        let one = cluster(id, &toy.bank(), 3, &[("lambda", 0.02.into())]);
        let note = one.report.notes.last().unwrap();
        assert!(note.ends_with("; lambda in force: 0.02"), "{note}");
    }
}

/// The embedding of rows of which only the similarities to the training instances are known.
fn embed_rows(bank: &Bank, train: &[Matrix], found: &Clustering, rows: &[Matrix]) -> Matrix {
    let views = |tables: &[Matrix]| {
        bank.kernels().iter().zip(tables).fold(Views::new(), |views, (kernel, table)| {
            views.with(&kernel.view, Table::Similarity(table.clone())).unwrap()
        })
    };
    let n = bank.n();
    let norms: Vec<_> = (0..bank.len()).map(|m| bank.norms(m).to_vec()).collect();
    let all: Vec<usize> = (0..n).collect();
    let cross =
        Cross::new(&views(train), &all, n, bank.kernels(), &norms, RowMeans::Exact).unwrap();
    let extension = found.embedding.extension.as_ref().unwrap();
    extension.apply(&cross, bank.len(), &views(rows)).unwrap()
}

#[test]
fn training_rows_get_back_their_embedding() {
    for (n, views) in [(60, 2), (170, 2), (170, 3), (150, 5)] {
        let toy = Toy::new(n, views, 3, 17);
        let bank = toy.bank();
        for id in BOTH {
            // After one round, after a few, and at the end.
            for (lambda, rounds) in [(0.05, 1), (0.05, 100), (0.7, 3), (0.0, 1)] {
                for embedding in ["concat", "view 1"] {
                    let params = [
                        ("lambda", lambda.into()),
                        ("max_iterations", rounds.into()),
                        ("embedding", Real::from(embedding.to_string())),
                    ];
                    let found = cluster(id, &bank, 3, &params);
                    let again = embed_rows(&bank, &toy.kernels, &found, &toy.kernels);
                    let off = largest_difference(&again, &found.embedding.rows);
                    assert!(off < 1e-8, "{id}, {views} views, λ {lambda}, {embedding}: {off}");
                }
            }
            let found = cluster(id, &bank, 3, &[]);
            let again = embed_rows(&bank, &toy.kernels, &found, &toy.kernels);
            assert!(largest_difference(&again, &found.embedding.rows) < 1e-8);
        }
        // Without ties a view needs no other.
        let alone = [("lambda", 0.0.into()), ("embedding", Real::from("view 1".to_string()))];
        let found = cluster("co_regularized", &bank, 3, &alone);
        let stages = &found.embedding.extension.as_ref().unwrap().stages;
        let sums = stages.iter().filter(|s| matches!(s.source, Source::Sum { .. })).count();
        assert_eq!(sums, 1);
    }
    // Too little memory for it: said, and the embedding as ever.
    let poor = Run { memory: 1000, ..Run::default() };
    let toy = Toy::new(60, 2, 3, 17);
    let found = crate::common::run_method(BOTH[0], &toy.bank(), 3, &[], &poor).unwrap();
    assert!(found.embedding.extension.is_none());
    assert!(found.report.notes.iter().any(|n| n.starts_with("new rows cannot be embedded")));
}

/// A row between the groups, and rows of the groups themselves, from held-out instances.
#[test]
fn new_rows_join_their_group() {
    let toy = Toy::new(190, 2, 3, 18);
    let (old, new): (Vec<usize>, Vec<usize>) = ((0..150).collect(), (150..190).collect());
    let train: Vec<Matrix> =
        toy.kernels.iter().map(|k| k.select_rows(&old).select_cols(&old)).collect();
    let rows: Vec<Matrix> =
        toy.kernels.iter().map(|k| k.select_rows(&new).select_cols(&old)).collect();
    let part = Toy { kernels: train.clone(), classes: Vec::new() };
    for id in BOTH {
        let found = cluster(id, &part.bank(), 3, &[]);
        let embedded = embed_rows(&part.bank(), &train, &found, &rows);
        let nearest = |row: &[f64]| {
            let distance = |i: usize| {
                let pairs = row.iter().zip(found.embedding.rows.row(i));
                pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>()
            };
            (0..150).min_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap()
        };
        let right = (0..40).filter(|q| nearest(embedded.row(*q)) % 3 == (150 + q) % 3).count();
        assert!(right >= 36, "{id}: {right} of 40");
    }
}

/// The contradictory views of LMS §4.2.3: two partitions of which neither follows from the other.
#[test]
fn contradictory_views_run() {
    let n = 120;
    let halves = |half: fn(usize) -> usize| {
        Matrix::from_fn(n, n, |i, j| f64::from(u8::from(half(i) == half(j))))
    };
    let toy = Toy { kernels: vec![halves(|i| i / 60), halves(|i| i % 2)], classes: Vec::new() };
    for id in BOTH {
        for lambda in [0.0, 0.05, 1.0, 10.0] {
            let found = cluster(id, &toy.bank(), 2, &[("lambda", lambda.into())]);
            assert_eq!(found.report.status, Status::Converged);
            assert!(found.embedding.rows.values().iter().all(|v| v.is_finite()));
            assert_eq!(found.assignments.iter().max(), Some(&1));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// The objective never falls, whatever the similarities, λ and number of views.
    #[test]
    fn the_objective_never_falls(
        seed in 0_u64..1000,
        n in 20_usize..170,
        views in 2_usize..5,
        k in 1_usize..5,
        strength in prop_oneof![Just(0.0), 1e-3_f64..3.0],
        common in any::<bool>(),
    ) {
        let mut rng = Run::with_seed(seed).rng("similarities");
        let kernels = (0..views).map(|_| {
            let half = Matrix::from_fn(n, n, |_, _| rng.random::<f64>().powi(4));
            Matrix::from_fn(n, n, |i, j| half.get(i, j) + half.get(j, i))
        });
        let toy = Toy { kernels: kernels.collect(), classes: Vec::new() };
        for id in BOTH {
            let ties = if id == BOTH[0] { views * (views - 1) / 2 } else { views };
            let several = (0..ties).map(|_| strength * rng.random::<f64>());
            let lambda = if common { vec![strength] } else { several.collect() };
            let params =
                [("lambda", lambda.into()), ("tol", Real::from(1e-7)), ("max_iterations", 30.into())];
            let found = cluster(id, &toy.bank(), k, &params);
            let trace = &found.report.objective;
            prop_assert_eq!(trace.len(), found.report.iterations);
            prop_assert_eq!(found.embedding.agreement.len(), found.report.iterations);
            for pair in trace.windows(2) {
                prop_assert!(pair[1] >= pair[0] - 1e-12 * pair[0].abs(), "{}: {:?}", id, trace);
            }
        }
    }
}
