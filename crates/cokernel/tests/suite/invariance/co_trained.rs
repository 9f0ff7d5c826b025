//! Co-training: what must not change the result, ends, and odd input.

use crate::common::{Real, Toy, cluster, gaussian, points, run_method};
use cokernel::bank::{Bank, Storage};
use cokernel::data::Matrix;
use cokernel::multiview::Clustering;
use cokernel::{Cancel, Event, Observer, Run, Status};
use std::sync::Arc;

fn word(text: &str) -> Real {
    Real::from(text.to_string())
}

fn column_grams(c: &Clustering, width: usize, view: usize) -> Vec<f64> {
    let rows = &c.embedding.rows;
    let part = rows.select_cols(&(view * width..(view + 1) * width).collect::<Vec<_>>());
    let n = rows.rows();
    (0..n * n)
        .map(|p| part.row(p / n).iter().zip(part.row(p % n)).map(|(a, b)| a * b).sum())
        .collect()
}

#[test]
fn permuted_views_give_permuted_embeddings() {
    let toy = Toy::new(150, 3, 3, 8);
    let order = [2, 0, 1];
    let permuted = Toy {
        kernels: order.iter().map(|v| toy.kernels[*v].clone()).collect(),
        classes: Vec::new(),
    };
    let (a, b) = (
        cluster("co_trained", &toy.bank(), 3, &[]),
        cluster("co_trained", &permuted.bank(), 3, &[]),
    );
    assert_eq!(a.assignments, b.assignments);
    for (x, y) in a.embedding.agreement.iter().zip(&b.embedding.agreement) {
        assert!((x - y).abs() < 1e-10, "{x} and {y}");
    }
    for (place, v) in order.into_iter().enumerate() {
        let (x, y) = (column_grams(&b, 3, place), column_grams(&a, 3, v));
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-8));
    }
}

/// Identical views stay identical: the agreement is 1 throughout.
#[test]
fn identical_views() {
    for n in [60, 170] {
        let toy = Toy::new(n, 1, 3, 4);
        let single = cluster("spectral", &toy.bank(), 3, &[]);
        let alone = cluster("co_trained", &toy.bank(), 3, &[]);
        assert_eq!(alone.embedding.rows, single.embedding.rows);
        assert_eq!((alone.report.iterations, alone.report.status), (0, Status::ClosedForm));
        assert_eq!(alone.assignments, single.assignments);
        let same = Toy { kernels: vec![toy.kernels[0].clone(); 3], classes: toy.classes.clone() };
        let given = [("stop", word("agreement"))];
        let found = cluster("co_trained", &same.bank(), 3, &given);
        assert_eq!((found.report.status, found.report.iterations), (Status::Converged, 1));
        assert!((found.embedding.agreement[0] - 1.0).abs() < 1e-10);
        assert_eq!(found.assignments, single.assignments);
        let (x, y) = (column_grams(&found, 3, 0), column_grams(&found, 3, 2));
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-8));
    }
}

#[test]
fn ends() {
    let toy = Toy::new(150, 2, 3, 14);
    let of = |given: &[(&str, Real)]| {
        let found = cluster("co_trained", &toy.bank(), 3, given);
        assert_eq!(found.embedding.agreement.len(), found.report.iterations);
        (found.report.status, found.report.iterations, found.report.counts.eigen_solves)
    };
    assert_eq!(of(&[]), (Status::ClosedForm, 10, 22));
    assert_eq!(of(&[("max_iterations", 0.into())]), (Status::ClosedForm, 0, 2));
    let never =
        [("stop", word("agreement")), ("tol", Real::from(0.0)), ("max_iterations", 3.into())];
    assert_eq!(of(&never), (Status::IterationLimit, 3, 8));
    let soon =
        [("stop", word("agreement")), ("tol", Real::from(1e-3)), ("max_iterations", 500.into())];
    let (status, rounds, _) = of(&soon);
    assert!(status == Status::Converged && rounds > 1 && rounds < 500, "{status} {rounds}");
}

/// Cancels after some steps.
struct After(Cancel, u64);

impl Observer for After {
    fn event(&self, event: &Event<'_>) {
        if matches!(event, Event::Step { done, .. } if *done == self.1) {
            self.0.cancel();
        }
    }
}

#[test]
fn interrupted_between_rounds() {
    let toy = Toy::new(150, 2, 3, 15);
    let three = cluster("co_trained", &toy.bank(), 3, &[("max_iterations", 3.into())]);
    let cancel = Cancel::default();
    let observer = Some(Arc::new(After(cancel.clone(), 3)) as Arc<dyn Observer>);
    let run = Run { cancel, observer, ..Run::default() };
    let found = run_method("co_trained", &toy.bank(), 3, &[], &run).unwrap();
    assert_eq!((found.report.status, found.report.iterations), (Status::Interrupted, 3));
    assert_eq!(found.embedding.rows, three.embedding.rows);
    assert_eq!(found.embedding.extension, three.embedding.extension);
    let run = Run::default();
    run.cancel.cancel();
    let found = run_method("co_trained", &toy.bank(), 3, &[], &run).unwrap();
    assert_eq!((found.report.status, found.report.iterations), (Status::Interrupted, 0));
    assert_eq!(found.assignments.len(), 150);
}

#[test]
fn little_memory_leaves_out_new_rows_only() {
    let toy = Toy::new(150, 2, 3, 16);
    let poor = Run { memory: 1000, ..Run::default() };
    let found = run_method("co_trained", &toy.bank(), 3, &[], &poor).unwrap();
    assert!(found.embedding.extension.is_none());
    assert!(found.report.notes.iter().any(|n| n.starts_with("new rows cannot be embedded")));
    let rich = cluster("co_trained", &toy.bank(), 3, &[]);
    assert!(rich.embedding.extension.is_some());
    assert_eq!(found.embedding.rows, rich.embedding.rows);
}

/// Which of the equal eigenvalues of two components comes first is arbitrary, but the result is
/// defined and finite, whether an instance becomes isolated or not.
#[test]
fn fewer_eigenvectors_than_components() {
    for n in [30, 150] {
        let blocks = |k: usize| Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i % k == j % k)));
        let toy = Toy { kernels: vec![blocks(2), blocks(4)], classes: Vec::new() };
        let found = cluster("co_trained", &toy.bank(), 2, &[("projection", 1.into())]);
        assert!(found.report.status.is_success());
        assert!(found.embedding.rows.values().iter().all(|v| v.is_finite()));
    }
}

/// What cannot be kept apart is said: more clusters than different instances, and new rows without the diagonal.
#[test]
fn notes_on_places_and_new_rows() {
    let bank = |rows: &Matrix| {
        Bank::from_matrices(vec![("k".into(), gaussian(rows, 1.0))], Storage::Resident).unwrap()
    };
    let all = points(100, 5, 4);
    let alike = bank(&Matrix::from_fn(100, 3, |i, j| all.get(i % 20, j)));
    let different = bank(&all);
    let said = |id: &str, bank: &Bank, k: usize, diagonal: &str| {
        let found = cluster(id, bank, k, &[("diagonal", word(diagonal))]);
        found.embedding.report.notes.join("\n")
    };
    let (places, new) = ("have only 20 places", "new rows may be placed badly");
    for id in ["spectral", "co_trained"] {
        let notes = [
            said(id, &alike, 30, "keep"),
            said(id, &alike, 15, "keep"),
            said(id, &different, 40, "zero"),
            said(id, &different, 2, "zero"),
        ];
        assert!(notes[0].contains(places) && !notes[1].contains(places), "{id}: {notes:?}");
        assert!(notes[2].contains(new) && !notes[3].contains(new), "{id}: {notes:?}");
        assert!(notes[..2].iter().all(|n| !n.contains(new)), "{id}: {notes:?}");
    }
}
