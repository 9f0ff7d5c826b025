//! C-SVC: optimality conditions and the duality gap of returned machines, from raw data.

pub use crate::common::{blobs, dense};
use cokernel::bank::Gram;
use cokernel::data::{Classes, Matrix};
use cokernel::machine::{Block, Decomposition, Role, Svc};
use cokernel::solve::verify::{svc_gap, verify};
use cokernel::{Run, Status};
use proptest::prelude::*;
use rand::RngExt;

fn signs(classes: &Classes, dual: &Block) -> Vec<f64> {
    let Role::Classes { positive, negative } = dual.heads[0].role else { panic!("classes") };
    let sign = |c: &u32| match negative {
        _ if *c == positive => 1.0,
        Some(negative) if negative != *c => 0.0,
        _ => -1.0,
    };
    classes.codes.iter().map(sign).collect()
}

/// Recomputes everything that a machine says about itself.
pub(crate) fn certify(
    svc: &Svc,
    gram: &Gram,
    classes: &Classes,
    weights: Option<&[f64]>,
    dual: &Block,
) {
    let kernel = dense(gram);
    let y = signs(classes, dual);
    let costs = svc.costs(classes, weights).unwrap();
    let c: Vec<f64> = y.iter().zip(&costs).map(|(y, c)| y.abs() * c).collect();
    assert_eq!(dual.status, Status::Converged);
    let found = svc_gap(&kernel, &y, &c, &dual.heads[0].coef, dual.heads[0].bias);
    let scale = found.primal.abs() + 1e-9;
    assert!(found.gap <= svc.tol + 1e-12, "gap {} above {}", found.gap, svc.tol);
    assert!(found.gap >= -1e-9);
    assert!((found.primal - dual.primal).abs() <= 1e-9 * scale);
    assert!((found.dual - dual.objective).abs() <= 1e-9 * scale);
    assert!((found.gap - dual.gap).abs() <= 1e-9);
    let a: Vec<f64> = y.iter().map(|y| if *y == 0.0 { 1.0 } else { *y }).collect();
    let p: Vec<f64> = y.iter().map(|y| -y.abs()).collect();
    let alpha: Vec<f64> = dual.heads[0].coef.iter().zip(&a).map(|(v, a)| v * a).collect();
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
    for dual in &machines.blocks {
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
        assert_eq!(machines.blocks.len(), expected);
        for dual in &machines.blocks {
            certify(&svc, &gram, &classes, None, dual);
        }
    }
}

/// Points that appear several times with both labels make singular and contradictory problems.
#[test]
fn duplicated_points() {
    let (gram, classes) = blobs(30, 2, 2.0, 1.0, 5);
    let twice = Matrix::from_fn(90, 90, |i, j| gram.row(i % 30)[j % 30]);
    let gram = Gram::new(twice).unwrap();
    let texts: Vec<String> = (0..90)
        .map(|i| classes.names[(classes.codes[i % 30] as usize + usize::from(i >= 60)) % 2].clone())
        .collect();
    let classes = Classes::from_texts(&texts).unwrap();
    for c in [1e-2, 1.0, 1e3] {
        check(&Svc { c, tol: 1e-9, ..Svc::default() }, &gram, &classes, None);
    }
}

/// A linear kernel in two dimensions has rank 2: most directions are flat.
#[test]
fn low_rank() {
    let mut rng = Run::with_seed(2).rng("points");
    let x: Vec<[f64; 2]> = (0..80).map(|_| [rng.random::<f64>() - 0.5, rng.random()]).collect();
    let texts: Vec<&str> =
        x.iter().map(|x| if x[0] + 0.3 * rng.random::<f64>() > 0.1 { "a" } else { "b" }).collect();
    let classes = Classes::from_texts(&texts).unwrap();
    let linear = Matrix::from_fn(80, 80, |i, j| x[i][0] * x[j][0] + x[i][1] * x[j][1]);
    let gram = Gram::new(linear).unwrap();
    for c in [0.1, 10.0, 1000.0] {
        check(&Svc { c, tol: 1e-9, ..Svc::default() }, &gram, &classes, None);
    }
}

#[test]
fn few_against_many_and_weights_of_classes() {
    let (gram, classes) = blobs(100, 10, 2.0, 1.0, 9);
    let texts: Vec<&str> =
        classes.codes.iter().map(|c| if *c == 3 { "rare" } else { "common" }).collect();
    let classes = Classes::from_texts(&texts).unwrap();
    let class_weights = vec![("rare".to_string(), 6.5)];
    let plain = Svc { tol: 1e-8, ..Svc::default() };
    check(&plain, &gram, &classes, None);
    check(&Svc { class_weights, ..plain.clone() }, &gram, &classes, None);
    let balanced = Svc { balanced: true, ..plain };
    check(&balanced, &gram, &classes, None);
    let costs = balanced.costs(&classes, None).unwrap();
    let rare = classes.codes.iter().position(|c| *c == 1).unwrap();
    assert_eq!(costs[rare], 100.0 / (2.0 * 10.0));
}

/// On an indefinite matrix the steps end at a stationary point.
#[test]
fn indefinite_matrix_ends() {
    let mut rng = Run::with_seed(4).rng("matrix");
    let raw: Vec<f64> = (0..60 * 60).map(|_| rng.random::<f64>() - 0.5).collect();
    let matrix = Matrix::from_fn(60, 60, |i, j| raw[i.min(j) * 60 + i.max(j)]);
    let gram = Gram::new(matrix.clone()).unwrap();
    let (_, classes) = blobs(60, 2, 1.0, 1.0, 1);
    for c in [1.0, 100.0] {
        let svc = Svc { c, tol: 1e-6, max_steps: 100_000, ..Svc::default() };
        let found = svc.fit(&gram, &classes, None, None, &Run::default()).unwrap();
        let dual = &found.blocks[0];
        assert!(found.counts.smo_steps < 100_000);
        let y = signs(&classes, dual);
        let alpha: Vec<f64> = dual.heads[0].coef.iter().zip(&y).map(|(v, y)| v * y).collect();
        let kkt = verify(&matrix, &y, &[-1.0; 60], &[c; 60], 0.0, &alpha);
        assert!(kkt.feasibility <= 1e-10 * c && kkt.bounds <= 1e-12 * c);
        assert!(kkt.stationarity <= 1e-2, "violation {}", kkt.stationarity);
    }
}

#[test]
fn limits_come_with_a_feasible_answer() {
    let (gram, classes) = blobs(100, 2, 3.0, 2.0, 8);
    let svc = Svc { c: 1e3, tol: 1e-10, max_steps: 10, ..Svc::default() };
    let stopped = svc.fit(&gram, &classes, None, None, &Run::default()).unwrap();
    assert_eq!(stopped.blocks[0].status, Status::IterationLimit);
    assert_eq!(stopped.counts.smo_steps, 10);
    assert!(stopped.blocks[0].heads[0].coef.iter().sum::<f64>().abs() < 1e-9);
    let y = signs(&classes, &stopped.blocks[0]);
    let found = svc_gap(
        &dense(&gram),
        &y,
        &[1e3; 100],
        &stopped.blocks[0].heads[0].coef,
        stopped.blocks[0].heads[0].bias,
    );
    assert!((found.gap - stopped.blocks[0].gap).abs() < 1e-9 && found.gap > 1e-3);

    let run = Run::default();
    run.cancel.cancel();
    let found = svc.fit(&gram, &classes, None, None, &run).unwrap();
    assert_eq!(found.status(), Status::Interrupted);
    let run = Run { time_limit: Some(std::time::Duration::ZERO), ..Run::default() };
    let found = svc.fit(&gram, &classes, None, None, &run).unwrap();
    assert_eq!(found.status(), Status::TimeLimit);
}

/// The certificate must be able to fail.
#[test]
fn wrong_answers_are_noticed() {
    let (gram, classes) = blobs(60, 2, 1.5, 1.0, 6);
    let svc = Svc { tol: 1e-9, ..Svc::default() };
    let dual = svc.fit(&gram, &classes, None, None, &Run::default()).unwrap().blocks.remove(0);
    let y = signs(&classes, &dual);
    let c = [1.0; 60];
    let right = svc_gap(&dense(&gram), &y, &c, &dual.heads[0].coef, dual.heads[0].bias);
    let moved = svc_gap(&dense(&gram), &y, &c, &dual.heads[0].coef, dual.heads[0].bias + 0.1);
    assert!(right.gap < 1e-8 && moved.gap > 1e-4);
    let mut alpha: Vec<f64> = dual.heads[0].coef.iter().zip(&y).map(|(v, y)| v * y).collect();
    alpha[0] += 1.5;
    let kkt = verify(&dense(&gram), &y, &[-1.0; 60], &c, 0.0, &alpha);
    assert!(kkt.feasibility > 1.0 && kkt.bounds >= 0.5 && kkt.stationarity > 0.1);
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
