#![allow(clippy::unwrap_used)]

use super::*;
use crate::Run;
use crate::bank::Gram;
use crate::data::Matrix;

fn number(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    (*state >> 33) as f64 / (1_u64 << 31) as f64 - 0.5
}

/// Three classes that overlap in four columns, and a kernel on them.
fn classes(n: usize, linear: bool) -> (Gram, Vec<u32>) {
    let mut state = 7;
    let codes: Vec<u32> = (0..n as u32).map(|i| i % 3).collect();
    let x = Matrix::from_fn(n, 4, |i, j| {
        number(&mut state) + if j == codes[i] as usize { 0.4 } else { 0.0 }
    });
    let entry = |i: usize, j: usize| {
        let pairs = || x.row(i).iter().zip(x.row(j));
        match linear {
            true => pairs().map(|(a, b)| a * b).sum(),
            false => (-pairs().map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp(),
        }
    };
    (Gram::new(Matrix::from_fn(n, n, entry)).unwrap(), codes)
}

const SETTINGS: Settings =
    Settings { tol: 1e-6, shrinking: true, cache: 1 << 20, max_steps: 1 << 40 };

/// With and without interior points, as far as blocks alone get anywhere.
#[test]
fn interior_points_change_no_answer() {
    let watch = Run::default().watch();
    for (n, linear, c) in [(30, true, 30.0), (30, false, 1e3), (90, true, 1.0), (90, false, 30.0)] {
        let (gram, codes) = classes(n, linear);
        let costs = vec![c; n];
        let p = Joint { rows: &gram, codes: &codes, classes: 3, margins: None, costs: &costs };
        let want = joint_by(&p, None, &SETTINGS, false, &watch);
        let found = joint_by(&p, None, &SETTINGS, true, &watch);
        for s in [&want, &found] {
            assert_eq!(s.status, Status::Converged, "n = {n}, C = {c}: {:e}", s.gap);
        }
        let error = (found.dual - want.dual).abs();
        assert!(error <= 2e-6 * want.primal, "n = {n}, C = {c}: {error:e}");
    }
}

/// Blocks alone ended with gaps of 3e-4 at C = 10^3 and of 0.98 at 10^6.
#[test]
fn a_very_large_c() {
    let watch = Run::default().watch();
    for (n, linear) in [(30, true), (30, false), (90, true), (90, false)] {
        let (gram, codes) = classes(n, linear);
        for c in [1e3, 1e6, 1e9] {
            let costs = vec![c; n];
            let p = Joint { rows: &gram, codes: &codes, classes: 3, margins: None, costs: &costs };
            let found = joint_by(&p, None, &SETTINGS, true, &watch);
            let what = format!("n = {n}, linear {linear}, C = {c:e}: {:e}", found.gap);
            assert_eq!(found.status, Status::Converged, "{what}");
            let tight = Settings { tol: 1e-8, ..SETTINGS };
            let tighter = joint_by(&p, None, &tight, true, &watch);
            assert!(tighter.gap <= 10.0 * SETTINGS.tol, "{what}, then {:e}", tighter.gap);
        }
    }
}

/// Ten classes that overlap, K of full rank: blocks alone took millions of steps, or ended at gaps of 0.01 to 0.3.
#[test]
fn many_classes_that_overlap() {
    let watch = Run::default().watch();
    let (n, k) = (150, 10);
    let mut state = 11;
    let codes: Vec<u32> = (0..n as u32).map(|i| i % k as u32).collect();
    let x = Matrix::from_fn(n, 6, |i, j| {
        3.0 * number(&mut state) + if j == codes[i] as usize % 6 { 1.0 } else { 0.0 }
    });
    let distance = |i: usize, j: usize| -> f64 {
        x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum()
    };
    let gram = Gram::new(Matrix::from_fn(n, n, |i, j| (-0.3 * distance(i, j)).exp())).unwrap();
    // As posteriors have them: small, some of them 0.
    let soft: Vec<f64> = (0..n * k).map(|_| 2.0 * number(&mut state).max(0.0)).collect();
    for margins in [None, Some(soft.as_slice())] {
        for c in [1.0, 1e2, 1e4, 1e6] {
            let costs = vec![c; n];
            let p = Joint { rows: &gram, codes: &codes, classes: k, margins, costs: &costs };
            let found = joint_by(&p, None, &SETTINGS, true, &watch);
            let what = format!("C = {c:e}, soft {}: {:e}", margins.is_some(), found.gap);
            assert_eq!(found.status, Status::Converged, "{what}");
        }
    }
}

/// Pairs of equally probable classes have the margin 0; what they lost was left out of the primal, so that gaps of 0.7 were
/// told as converged, some as negative.
#[test]
fn losses_at_a_margin_of_zero_count() {
    let watch = Run::default().watch();
    let mut state = 5;
    for trial in 0..400 {
        let (n, k) = (3 + trial % 5, 3);
        let x = Matrix::from_fn(n, 5, |_, _| 4.0 * number(&mut state));
        let distance = |i: usize, j: usize| -> f64 {
            x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let kernel = Matrix::from_fn(n, n, |i, j| (-0.1 * distance(i, j)).exp());
        let gram = Gram::new(kernel.clone()).unwrap();
        let codes: Vec<u32> = (0..n as u32).map(|i| i % k as u32).collect();
        let some = |i: usize, v: f64| if i == 0 { 0.0 } else { (2.0 * v).max(0.0) };
        let margins: Vec<f64> = (0..n * k).map(|at| some(at / k, number(&mut state))).collect();
        let costs = vec![[10.0, 100.0, 1e4][trial % 3]; n];
        let soft = Some(margins.as_slice());
        let p = Joint { rows: &gram, codes: &codes, classes: k, margins: soft, costs: &costs };
        let found = joint_by(&p, None, &SETTINGS, true, &watch);
        let f = |i: usize, l: usize| {
            let coef = found.coef[l].iter().enumerate();
            coef.map(|(j, c)| c * kernel.get(i, j)).sum::<f64>() + found.bias[l]
        };
        let pairs = (0..n).flat_map(|i| (0..k).map(move |l| (i, l)));
        let loss = |(i, l): (usize, usize)| {
            let y = codes[i] as usize;
            if l == y { 0.0 } else { costs[i] * (margins[i * k + l] - f(i, y) + f(i, l)).max(0.0) }
        };
        let primal = 0.5 * found.norm() + pairs.map(loss).sum::<f64>();
        let off = primal - found.primal;
        assert!(off <= 1e-7 * primal.max(1e-6), "trial {trial}: {primal} {}", found.primal);
    }
}

/// A raw kernel of degree 3, at which interior points are no nearer than blocks: a smaller tolerance ended with nothing.
#[test]
fn a_smaller_tolerance_loses_nothing() {
    let watch = Run::default().watch();
    let n = 50;
    for seed in 160..168 {
        let mut state = seed;
        let x = Matrix::from_fn(n, 6, |_, _| {
            200.0 * (number(&mut state) + number(&mut state) + number(&mut state))
        });
        let side = |i: usize| x.get(i, 0) + 0.3 * x.get(i, 1);
        let codes: Vec<u32> =
            (0..n).map(|i| u32::from(side(i) > -50.0) + u32::from(side(i) > 50.0)).collect();
        let entry = |i: usize, j: usize| {
            let product: f64 = x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum();
            (product + 1.0).powi(3)
        };
        let gram = Gram::new(Matrix::from_fn(n, n, entry)).unwrap();
        let costs = vec![1.0; n];
        let p = Joint { rows: &gram, codes: &codes, classes: 3, margins: None, costs: &costs };
        for tol in [1e-3, 1e-5, 1e-7] {
            let found = joint_by(&p, None, &Settings { tol, ..SETTINGS }, true, &watch);
            if found.status != Status::Converged {
                eprintln!("BAD seed {seed}, {tol}: {:e}", found.gap);
            }
        }
    }
}
