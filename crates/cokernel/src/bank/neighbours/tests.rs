#![allow(clippy::unwrap_used)]

use super::*;
use crate::data::{Matrix, Table};
use proptest::prelude::*;

fn view(table: Table) -> View {
    View { name: "a".into(), table, columns: None, present: None }
}

fn squared(m: &Matrix, i: usize, j: usize) -> f64 {
    m.row(i).iter().zip(m.row(j)).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Neighbours one by one: sort all others by distance, then number.
fn brute(m: &Matrix, k: usize, mutual: bool) -> Matrix {
    let n = m.rows();
    let near = |i: usize| {
        let mut all: Vec<usize> = (0..n).filter(|j| *j != i).collect();
        all.sort_by(|a, b| squared(m, i, *a).total_cmp(&squared(m, i, *b)));
        all.truncate(k);
        all
    };
    let lists: Vec<Vec<usize>> = (0..n).map(near).collect();
    Matrix::from_fn(n, n, |i, j| {
        let (a, b) = (lists[i].contains(&j), lists[j].contains(&i));
        f64::from(u8::from(i == j || if mutual { a && b } else { a || b }))
    })
}

/// A grid of few whole numbers: many equal distances, some equal rows.
fn grid(n: usize, d: usize, side: usize) -> Matrix {
    Matrix::from_fn(n, d, |i, j| ((i * 31 + j * 17 + i * i * 7) % side) as f64)
}

fn sparse(m: &Matrix) -> Table {
    let row = |i: usize| {
        let all = m.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0);
        all.map(|(j, v)| (j as u32, *v)).collect()
    };
    Table::Sparse(Csr::from_rows(m.cols(), (0..m.rows()).map(row).collect()).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..Default::default() })]

    #[test]
    fn graphs_are_those_of_brute_force(
        n in 2_usize..150,
        d in 1_usize..4,
        side in 2_usize..9,
        k in 1_usize..20,
        mutual in any::<bool>(),
        shift in prop::sample::select(vec![0.0, 1e6]),
    ) {
        let m = grid(n, d, side);
        let k = k.min(n - 1);
        let moved = Matrix::from_fn(n, d, |i, j| m.get(i, j) + shift);
        for table in [Table::Dense(moved), sparse(&m)] {
            let found = knn(&view(table.clone()), k, mutual, EdgeWeights::Binary).unwrap();
            prop_assert_eq!(found.to_dense(), brute(&m, k, mutual));
            let radius = side as f64 / 2.0;
            let sigma = Some(1.3);
            let near = epsilon(&view(table), radius, EdgeWeights::Gaussian { sigma }).unwrap();
            let want = Matrix::from_fn(n, n, |i, j| {
                let d = squared(&m, i, j);
                if d.sqrt() <= radius { (-d / (2.0 * 1.3 * 1.3)).exp() } else { 0.0 }
            });
            let near = near.to_dense();
            for (a, b) in near.values().iter().zip(want.values()) {
                prop_assert!((a - b).abs() < 1e-14, "{} {}", a, b);
            }
        }
    }
}

#[test]
fn weights_by_hand() {
    // 0, 1, 3, 7: edges 0-1, 1-3 (of 3), 3-7 (of 7); lengths 1, 2, 4.
    let m = Matrix::new(4, 1, vec![0.0, 1.0, 3.0, 7.0]).unwrap();
    let gaussian = EdgeWeights::Gaussian { sigma: None };
    let g = knn(&view(Table::Dense(m.clone())), 1, false, gaussian).unwrap().to_dense();
    let w = |d: f64| (-d * d / (2.0 * 4.0)).exp();
    let want = [
        [1.0, w(1.0), 0.0, 0.0],
        [w(1.0), 1.0, w(2.0), 0.0],
        [0.0, w(2.0), 1.0, w(4.0)],
        [0.0, 0.0, w(4.0), 1.0],
    ];
    assert_eq!(g.values(), want.concat());
    let mutual = knn(&view(Table::Dense(m.clone())), 1, true, gaussian).unwrap().to_dense();
    assert_eq!(mutual.values()[..2], [1.0, (-0.5_f64).exp()]);
    assert_eq!(mutual.row(2), [0.0, 0.0, 1.0, 0.0]);
    // Two edges of lengths 1 and 2: the median is their mean.
    let g = epsilon(&view(Table::Dense(m)), 2.0, gaussian).unwrap();
    assert!((g.get(0, 1) - (-1.0_f64 / (2.0 * 2.25)).exp()).abs() < 1e-15);
}

#[test]
fn all_pairs_with_gaussian_weights_are_the_gaussian_kernel() {
    let m = Matrix::from_fn(90, 3, |i, j| ((i * 7 + j * 3) as f64 * 0.61).sin());
    let gaussian = EdgeWeights::Gaussian { sigma: Some(0.8) };
    let a = epsilon(&view(Table::Dense(m.clone())), 1e3, gaussian).unwrap().to_dense();
    let b = knn(&view(Table::Dense(m.clone())), 89, false, gaussian).unwrap().to_dense();
    assert_eq!(a, b);
    for (p, v) in a.values().iter().enumerate() {
        let want = (-squared(&m, p / 90, p % 90) / (2.0 * 0.64)).exp();
        assert!((v - want).abs() < 1e-14);
    }
    assert_eq!(a, a.transposed());
}

#[test]
fn degenerate_views() {
    // A constant view: distances are 0, neighbours go by number.
    let same = view(Table::Dense(Matrix::zeros(5, 2)));
    let g = knn(&same, 1, false, EdgeWeights::Binary).unwrap().to_dense();
    assert_eq!(g.row(0), [1.0; 5]);
    assert_eq!(g.row(4), [1.0, 0.0, 0.0, 0.0, 1.0]);
    let e = knn(&same, 1, false, EdgeWeights::Gaussian { sigma: None }).unwrap_err();
    assert!(e.to_string().starts_with("view 'a': half of the edges"), "{e}");
    let fixed = EdgeWeights::Gaussian { sigma: Some(2.0) };
    assert_eq!(knn(&same, 1, false, fixed).unwrap().to_dense(), g);
    // Nobody is near: every instance is alone.
    let far = Matrix::from_fn(4, 1, |i, _| 10.0 * i as f64);
    let g = epsilon(&view(Table::Dense(far)), 1.0, EdgeWeights::Gaussian { sigma: None });
    assert_eq!(g.unwrap().stored(), 4);
}

#[test]
fn absent_instances_have_no_edges() {
    let m = Matrix::new(5, 1, vec![0.0, f64::NAN, 1.0, 5.0, f64::NAN]).unwrap();
    let present = Some(vec![true, false, true, true, false]);
    let mut v = view(Table::Dense(m));
    v.present = present.clone();
    let built = build_graph(&v, &GraphSpec::knn(1)).unwrap();
    assert_eq!(built.present, present);
    let Table::Graph(g) = built.table else { panic!("graph") };
    assert_eq!(
        (0..5).map(|i| g.row(i).0.to_vec()).collect::<Vec<_>>(),
        [vec![0, 2], vec![], vec![0, 2, 3], vec![2, 3], vec![]]
    );
}

#[test]
fn refusals() {
    let m = || Table::Dense(grid(6, 2, 5));
    let of =
        |spec: GraphSpec, table: Table| build_graph(&view(table), &spec).unwrap_err().to_string();
    assert_eq!(
        of(GraphSpec::knn(6), m()),
        "parameter 'graph k': found 6, expected less than the 6 instances that have view 'a'"
    );
    assert!(of(GraphSpec::knn(0), m()).contains("expected at least 1"));
    assert!(of(GraphSpec::epsilon(f64::NAN), m()).contains("expected a finite number above 0"));
    let given = Table::Similarity(Matrix::zeros(6, 6));
    assert!(of(GraphSpec::knn(2), given).contains("built from features"));
    let huge = Table::Dense(Matrix::from_fn(6, 1, |i, _| 1e200 * i as f64));
    assert!(of(GraphSpec::knn(2), huge).contains("too large for squared distances"));
}
