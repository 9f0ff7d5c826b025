//! C-SVC beside scikit-learn 1.9.1 (LIBSVM) and Clarabel.

use crate::common::{blobs, dense, interior_point};
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT;
use cokernel::Run;
use cokernel::bank::Gram;
use cokernel::data::{Classes, Matrix};
use cokernel::machine::{Decomposition, Svc};
use cokernel::solve::Rows;
use serde::Deserialize;

/// One case of `make_svc.py`.
#[derive(Deserialize)]
struct Case {
    name: String,
    x: Vec<[f64; 2]>,
    y: Vec<u32>,
    gamma: f64,
    c: f64,
    decomposition: Decomposition,
    weights: Option<Vec<f64>>,
    class_weights: Vec<(String, f64)>,
    balanced: bool,
    machines: Vec<Expected>,
    decided: Option<Vec<u32>>,
}

#[derive(Deserialize)]
struct Expected {
    objective: Option<f64>,
    bias: f64,
    decisions: Vec<f64>,
}

#[test]
fn scikit_learn() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../reference/svc.json")).unwrap();
    assert_eq!(cases.len(), 9);
    for case in cases {
        let n = case.x.len();
        let square = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
        let kernel =
            Matrix::from_fn(n, n, |i, j| (-case.gamma * square(&case.x[i], &case.x[j])).exp());
        let gram = Gram::new(kernel).unwrap();
        let texts: Vec<String> = case.y.iter().map(u32::to_string).collect();
        let classes = Classes::from_texts(&texts).unwrap();
        let svc = Svc {
            c: case.c,
            tol: 1e-11,
            decomposition: case.decomposition,
            class_weights: case.class_weights.clone(),
            balanced: case.balanced,
            ..Svc::default()
        };
        let weights = case.weights.as_deref();
        let found = svc.fit(&gram, &classes, weights, None, &Run::default()).unwrap();
        assert_eq!(found.blocks.len(), case.machines.len(), "{}", case.name);
        // scikit-learn's pairs are positive for the lower class.
        let pairwise = case.decomposition == Decomposition::OneVsOne;
        let sign = if pairwise { -1.0 } else { 1.0 };
        let mut decisions = Vec::new();
        for (dual, expected) in found.blocks.iter().zip(&case.machines) {
            let mut values = vec![0.0; n];
            gram.multiply(&dual.heads[0].coef, &mut values);
            values.iter_mut().for_each(|v| *v += dual.heads[0].bias);
            for (v, e) in values.iter().zip(&expected.decisions) {
                assert!((v - sign * e).abs() < 2e-4, "{}: {v}, expected {e}", case.name);
            }
            assert!((dual.heads[0].bias - sign * expected.bias).abs() < 2e-4, "{}", case.name);
            if let Some(objective) = expected.objective {
                let distance = (dual.objective - objective).abs();
                assert!(distance <= 1e-8 * objective, "{}: objective", case.name);
            }
            decisions.push(values);
        }
        if let Some(decided) = case.decided {
            let k = classes.n_classes();
            let ours = case.decomposition.decide(&found.roles(), k, &decisions);
            assert_eq!(ours, decided, "{}", case.name);
        }
    }
}

/// max Σα − ½αᵀQα, yᵀα = 0, 0 ≤ α ≤ c by an interior-point method.
fn clarabel(kernel: &Matrix, y: &[f64], c: f64) -> f64 {
    let n = y.len();
    let mut rows = Vec::new();
    for i in 0..n {
        let entry = |j: usize| if j >= i { y[i] * y[j] * kernel.get(i, j) } else { 0.0 };
        rows.push((0..n).map(entry).collect::<Vec<f64>>());
    }
    let p = CscMatrix::from(&rows);
    let unit = |i: usize, v: f64| (0..n).map(|j| if j == i { v } else { 0.0 }).collect();
    let mut constraints: Vec<Vec<f64>> = vec![y.to_vec()];
    constraints.extend((0..n).map(|i| unit(i, -1.0)));
    constraints.extend((0..n).map(|i| unit(i, 1.0)));
    let a = CscMatrix::from(&constraints);
    let mut b = vec![0.0; n + 1];
    b.extend(vec![c; n]);
    let cones = [SupportedConeT::ZeroConeT(1), SupportedConeT::NonnegativeConeT(2 * n)];
    -interior_point(&p, &vec![-1.0; n], &a, &b, &cones).obj_val
}

#[test]
fn objectives_of_an_interior_point_method() {
    for (seed, c, gamma) in [(1, 0.3, 1.0), (2, 1.0, 4.0), (3, 30.0, 0.5), (4, 1000.0, 2.0)] {
        let (gram, classes) = blobs(50, 2, 2.0, gamma, seed);
        let svc = Svc { c, tol: 1e-10, ..Svc::default() };
        let found = svc.fit(&gram, &classes, None, None, &Run::default()).unwrap();
        let y: Vec<f64> = classes.codes.iter().map(|k| if *k == 1 { 1.0 } else { -1.0 }).collect();
        let expected = clarabel(&dense(&gram), &y, c);
        let ours = found.blocks[0].objective;
        assert!((ours - expected).abs() <= 1e-7 * expected.abs(), "{ours}, expected {expected}");
    }
}
