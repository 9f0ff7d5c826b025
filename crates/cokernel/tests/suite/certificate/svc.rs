//! C-SVC: optimality conditions and the duality gap of returned machines, from raw data.

use cokernel::bank::Gram;
use cokernel::data::{Classes, Matrix};
use cokernel::machine::{Decomposition, Dual, Svc};
use cokernel::solve::verify::{svc_gap, verify};
use cokernel::{Run, Status};
use proptest::prelude::*;
use rand::RngExt;

/// Gaussian kernel on two-dimensional points of `k` overlapping classes.
fn blobs(n: usize, k: usize, spread: f64, gamma: f64, seed: u64) -> (Gram, Classes) {
    let mut rng = Run::with_seed(seed).rng("blobs");
    let texts: Vec<String> = (0..n).map(|i| format!("c{}", i % k)).collect();
    let points: Vec<[f64; 2]> = (0..n)
        .map(|i| {
            let angle = (i % k) as f64 * std::f64::consts::TAU / k as f64;
            let mut noise = || spread * (0..4).map(|_| rng.random::<f64>() - 0.5).sum::<f64>();
            [angle.cos() + noise(), angle.sin() + noise()]
        })
        .collect();
    let square = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
    let kernel = Matrix::from_fn(n, n, |i, j| (-gamma * square(points[i], points[j])).exp());
    (Gram::new(kernel).unwrap(), Classes::from_texts(&texts).unwrap())
}

fn dense(gram: &Gram) -> Matrix {
    Matrix::new(gram.n(), gram.n(), gram.values().to_vec()).unwrap()
}

fn signs(classes: &Classes, dual: &Dual) -> Vec<f64> {
    let sign = |c: &u32| match dual.negative {
        _ if *c == dual.positive => 1.0,
        Some(negative) if negative != *c => 0.0,
        _ => -1.0,
    };
    classes.codes.iter().map(sign).collect()
}

/// Recomputes everything that a machine says about itself.
fn certify(svc: &Svc, gram: &Gram, classes: &Classes, weights: Option<&[f64]>, dual: &Dual) {
    let kernel = dense(gram);
    let y = signs(classes, dual);
    let costs = svc.costs(classes, weights).unwrap();
    let c: Vec<f64> = y.iter().zip(&costs).map(|(y, c)| y.abs() * c).collect();
    assert_eq!(dual.status, Status::Converged);
    let found = svc_gap(&kernel, &y, &c, &dual.coef, dual.bias);
    let scale = found.primal.abs() + 1e-9;
    assert!(found.gap <= svc.tol + 1e-12, "gap {} above {}", found.gap, svc.tol);
    assert!(found.gap >= -1e-9);
    assert!((found.primal - dual.primal).abs() <= 1e-9 * scale);
    assert!((found.dual - dual.objective).abs() <= 1e-9 * scale);
    assert!((found.gap - dual.gap).abs() <= 1e-9);
    let a: Vec<f64> = y.iter().map(|y| if *y == 0.0 { 1.0 } else { *y }).collect();
    let p: Vec<f64> = y.iter().map(|y| -y.abs()).collect();
    let alpha: Vec<f64> = dual.coef.iter().zip(&a).map(|(v, a)| v * a).collect();
    let kkt = verify(&kernel, &a, &p, &c, 0.0, &alpha);
    let largest = c.iter().fold(0.0_f64, |m, c| m.max(*c));
    assert!(kkt.feasibility <= 1e-10 * largest, "sum of coefficients {}", kkt.feasibility);
    assert!(kkt.bounds <= 1e-12 * largest, "outside the box by {}", kkt.bounds);
    assert!((kkt.objective + dual.objective).abs() <= 1e-9 * scale);
    if svc.tol <= 1e-9 {
        assert!(kkt.stationarity <= 1e-3, "violation {}", kkt.stationarity);
    }
}

fn check(svc: &Svc, gram: &Gram, classes: &Classes, weights: Option<&[f64]>) {
    let machines = svc.fit(gram, classes, weights, None, &Run::default()).unwrap();
    for dual in &machines.duals {
        certify(svc, gram, classes, weights, dual);
    }
}

#[test]
fn gap_is_what_was_asked_for_and_what_is_reported() {
    for (spread, c) in [(0.3, 1.0), (1.5, 1.0), (1.5, 100.0), (3.0, 1e-4), (3.0, 1e4)] {
        let (gram, classes) = blobs(120, 2, spread, 2.0, 7);
        for tol in [1e-1, 1e-3, 1e-6, 1e-10] {
            check(&Svc { c, tol, ..Svc::default() }, &gram, &classes, None);
        }
    }
}

#[test]
fn several_classes() {
    let (gram, classes) = blobs(90, 4, 1.5, 1.0, 3);
    for decomposition in [Decomposition::OneVsRest, Decomposition::OneVsOne] {
        let svc = Svc { c: 5.0, tol: 1e-8, decomposition, ..Svc::default() };
        let machines = svc.fit(&gram, &classes, None, None, &Run::default()).unwrap();
        let expected = if decomposition == Decomposition::OneVsRest { 4 } else { 6 };
        assert_eq!(machines.duals.len(), expected);
        for dual in &machines.duals {
            certify(&svc, &gram, &classes, None, dual);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_problem(
        n in 4..80_usize,
        k in 2..4_usize,
        seed in 0..1000_u64,
        spread in 0.1..4.0,
        log_c in -4.0..5.0,
        log_gamma in -3.0..3.0,
        log_tol in -9.0..-1.0,
        shrinking: bool,
        weighted: bool,
    ) {
        let (gram, classes) = blobs(n, k, spread, 10_f64.powf(log_gamma), seed);
        let weights: Vec<f64> = (0..n).map(|i| ((i * 7 + 3) % 5) as f64 * 0.5).collect();
        let svc = Svc {
            c: 10_f64.powf(log_c),
            tol: 10_f64.powf(log_tol),
            shrinking,
            ..Svc::default()
        };
        check(&svc, &gram, &classes, weighted.then_some(weights.as_slice()));
    }
}
