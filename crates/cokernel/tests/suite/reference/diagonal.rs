//! The diagonal of a similarity as an edge of its graph: left out, remarked upon, compared.

use crate::common::{Real, Toy, cluster, run_method};
use cokernel::Run;
use cokernel::catalogue::methods;
use cokernel::data::{Labels, Matrix, Views};
use cokernel::eval::{ClusteringOptions, Clusterings, compare_candidates};
use cokernel::method::Task;
use cokernel::model::MultiView;

/// Methods on similarities alone that have the parameter.
fn with_parameter() -> Vec<&'static str> {
    let has = methods().filter(|m| {
        m.tasks.contains(&Task::Cluster) && m.params.iter().any(|p| p.name == "diagonal")
    });
    has.map(|m| m.id).filter(|id| *id != "concat_spectral").collect()
}

/// Groups of which three instances are far from all others, in two views.
fn outliers() -> (Views, Labels) {
    let n = 63;
    let at = |v: usize| {
        Matrix::from_fn(n, 2, move |i, j| match i {
            60.. => 9.0 * (i - 59) as f64 * [1.0, -1.0][j],
            _ => 3.0 * f64::from(u8::from(i % 3 == j)) + ((i * (7 + j + v)) % 11) as f64 / 11.0,
        })
    };
    let views = Views::new().dense("a", at(0)).and_then(|x| x.dense("b", at(1))).unwrap();
    let classes: Vec<String> = (0..n).map(|i| (i % 3).to_string()).collect();
    (views, Labels::from_texts(&classes))
}

#[test]
fn left_out_it_is_as_if_it_were_zero() {
    let toy = Toy::new(90, 3, 3, 21);
    let without =
        |k: &Matrix| Matrix::from_fn(90, 90, |i, j| if i == j { 0.0 } else { k.get(i, j) });
    let kernels = toy.kernels.iter().map(without).collect();
    let hollow = Toy { kernels, classes: Vec::new() }.bank();
    let ids = with_parameter();
    assert_eq!(ids.len(), 7, "{ids:?}");
    for id in ids {
        let zero = || [("diagonal", Real::from("zero".to_string()))];
        let (a, b) = (cluster(id, &toy.bank(), 3, &zero()), cluster(id, &hollow, 3, &[]));
        let kept = cluster(id, &toy.bank(), 3, &[]);
        let apart = |x: &Matrix, y: &Matrix| {
            x.values().iter().zip(y.values()).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()))
        };
        let (same, other) = (
            apart(&a.embedding.rows, &b.embedding.rows),
            apart(&a.embedding.rows, &kept.embedding.rows),
        );
        assert!(same < 1e-8, "{id}: {same}");
        assert!(other > 1e-4, "{id}: {other}");
        for (x, y) in a.embedding.eigenvalues.concat().iter().zip(b.embedding.eigenvalues.concat())
        {
            assert!((x - y).abs() < 1e-10, "{id}: {x} and {y}");
        }
    }
}

#[test]
fn without_it_nobody_may_be_alone() {
    let lone = Matrix::from_fn(30, 30, |i, j| match (i == j, i == 7 || j == 7) {
        (true, _) => 1.0,
        (_, true) => 0.0,
        _ => 0.5 + ((i + j) % 4) as f64 / 10.0,
    });
    let toy = Toy { kernels: vec![lone.clone(), lone], classes: Vec::new() };
    for id in with_parameter() {
        assert!(run_method(id, &toy.bank(), 2, &[], &Run::default()).is_ok(), "{id}");
        let zero = [("diagonal", Real::from("zero".to_string()))];
        let e = run_method(id, &toy.bank(), 2, &zero, &Run::default()).unwrap_err().to_string();
        assert!(e.contains("instance 7 has no similarity to any other instance"), "{id}: {e}");
        assert!(e.ends_with("or set diagonal=keep"), "{id}: {e}");
    }
}

/// Instances far from all others take the leading eigenvectors, and nobody said why clusters were
/// useless, or what else to try.
#[test]
fn instances_that_outweigh_groups_are_remarked_upon() {
    let (views, labels) = outliers();
    for id in ["spectral", "concat_embeddings", "co_regularized", "co_trained"] {
        let mut method = MultiView::new(id).unwrap();
        if id == "spectral" {
            method = method.param("view", "a");
        }
        let notes = |m: &MultiView| m.embed(&views, 3, &Run::default()).unwrap().report.notes;
        let about = |notes: Vec<String>| notes.iter().any(|n| n.contains("diagonal=zero"));
        assert!(about(notes(&method)), "{id}: {:?}", notes(&method));
        assert!(!about(notes(&method.clone().param("diagonal", "zero"))), "{id}");
    }
    let plain = Toy::new(90, 2, 3, 4);
    let found = cluster("concat_embeddings", &plain.bank(), 3, &[]);
    assert!(!found.report.notes.iter().any(|n| n.contains("diagonal")));
    let list = [MultiView::new("concat_embeddings").unwrap().into()];
    let compared = |diagonals: bool| -> Clusterings {
        let options = ClusteringOptions { diagonals, singles: true, ..Default::default() };
        let run = Run::default();
        let labels = Some(&labels);
        compare_candidates(&list, &views, 3, labels, &options, &mut |_| Ok(()), &run).unwrap()
    };
    let names = |all: &Clusterings| all.rows.iter().map(|r| r.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&compared(false)), ["single:a", "single:b", "concat_embeddings"]);
    let both = compared(true);
    assert_eq!(
        names(&both),
        [
            "single:a",
            "single:a(diagonal=zero)",
            "single:b",
            "single:b(diagonal=zero)",
            "concat_embeddings",
            "concat_embeddings(diagonal=zero)"
        ]
    );
    assert!(both.rows.iter().all(|r| r.control));
    let nmi = |row: usize| both.rows[row].scores.as_ref().unwrap().best.nmi;
    assert!(nmi(5) > nmi(4) + 0.2, "{} and {}", nmi(5), nmi(4));
    // Where it does not matter it is not shown.
    let (views, _) = cokernel::data::toy::views(90, 3, &[6.0, 6.0], 3).unwrap();
    let options = ClusteringOptions { diagonals: true, singles: true, ..Default::default() };
    let run = Run::default();
    let same = compare_candidates(&list, &views, 3, None, &options, &mut |_| Ok(()), &run).unwrap();
    assert_eq!(same.rows.len(), 3);
}
