//! Where the rounding of values times C is larger than the gap: what is said holds when kernels and values are
//! computed again, by other sums in another order.

use crate::common::gaussian;
use cokernel::Run;
use cokernel::bank::Gram;
use cokernel::data::{Classes, Matrix};
use cokernel::machine::{How, MachineSpec, Svc};
use cokernel::solve::nu_svr::nu_svr;
use cokernel::solve::one_class::data_description;
use cokernel::solve::smo::Settings;
use cokernel::solve::svr::epsilon_svr;
use cokernel::solve::verify::svc_gap;
use rand::RngExt;

const N: usize = 60;
const TOL: f64 = 1e-3;
const SETTINGS: Settings =
    Settings { tol: TOL, shrinking: true, cache: 1 << 24, max_steps: 10_000_000 };

/// Points and a target with noise.
fn points(seed: u64) -> (Matrix, Vec<f64>) {
    let mut rng = Run::with_seed(seed).rng("rounding");
    let x = Matrix::from_fn(N, 3, |_, _| (0..4).map(|_| rng.random::<f64>()).sum::<f64>() - 2.0);
    let y = (0..N)
        .map(|i| x.get(i, 0) + x.get(i, 1).sin() + 0.3 * (rng.random::<f64>() - 0.5))
        .collect();
    (x, y)
}

/// exp(−γ‖x − z‖²) from γ‖x‖², γ‖z‖² and the product: another rounding.
fn again(x: &Matrix, gamma: f64) -> Matrix {
    let dot = |i: usize, j: usize| -> f64 {
        (0..x.cols()).rev().map(|k| x.get(i, k) * x.get(j, k)).sum()
    };
    Matrix::from_fn(N, N, |i, j| (gamma * (2.0 * dot(i, j) - dot(i, i) - dot(j, j))).exp())
}

/// Sums from the other end.
fn products(kernel: &Matrix, coef: &[f64]) -> Vec<f64> {
    (0..N).map(|i| kernel.row(i).iter().zip(coef).rev().map(|(k, c)| k * c).sum()).collect()
}

/// Relative gap of ε-SVR, `extra` being what else is in the primal objective.
fn regression_gap(
    kernel: &Matrix,
    y: &[f64],
    (coef, bias): (&[f64], f64),
    c: f64,
    epsilon: f64,
    extra: (f64, f64),
) -> f64 {
    let values = products(kernel, coef);
    let (mut norm, mut gain, mut loss) = (0.0, 0.0, 0.0);
    for i in 0..N {
        norm += coef[i] * values[i];
        gain += y[i] * coef[i] - extra.1 * coef[i].abs();
        loss += c * ((y[i] - values[i] - bias).abs() - epsilon).max(0.0);
    }
    let (primal, dual) = (0.5 * norm + loss + extra.0, gain - 0.5 * norm);
    (primal - dual) / primal
}

#[test]
fn regressions_of_a_large_c_hold_for_other_roundings() {
    let (mut converged, mut early) = (0, 0);
    for seed in 0..2 {
        let (x, y) = points(seed);
        for gamma in [0.05, 0.2, 1.0] {
            let (kernel, other) = (gaussian(&x, gamma), again(&x, gamma));
            let gram = Gram::new(kernel).unwrap();
            for c in [1e2, 1e8, 1e11, 1e12] {
                let watch = Run::default().watch();
                let svr = epsilon_svr(&gram, &y, 0.1, &[c; N], None, &SETTINGS, &watch);
                let told = (svr.coef.as_slice(), svr.bias);
                let gap = regression_gap(&other, &y, told, c, 0.1, (0.0, 0.1));
                let what = format!("{seed} {gamma} {c:e}: {gap:e}, said {:e}", svr.gap);
                // Typical rounding, not the largest there can be.
                assert!(gap <= 4.0 * svr.gap.max(TOL / 4.0), "{what}");
                assert!(!svr.status.is_success() || gap <= 2.0 * TOL, "{what}");
                match svr.status.is_success() {
                    true => converged += 1,
                    false => early += 1,
                }
                assert!(c > 1e8 || svr.status.is_success(), "{what}");
                let tube = nu_svr(&gram, &y, 0.3, &[c; N], None, &SETTINGS, &watch);
                let (nu, extra) = (&tube.machine, 0.3 * c * N as f64 * tube.epsilon);
                let told = (nu.coef.as_slice(), nu.bias);
                let gap = regression_gap(&other, &y, told, c, tube.epsilon, (extra, 0.0));
                let what = format!("{seed} {gamma} {c:e}, ν: {gap:e}, said {:e}", nu.gap);
                assert!(gap <= 4.0 * nu.gap.max(TOL / 4.0), "{what}");
                assert!(!nu.status.is_success() || gap <= 2.0 * TOL, "{what}");
            }
        }
    }
    assert!(converged >= 10 && early >= 5, "{converged} {early}");
}

/// Nearly constant kernels, where C times the rounding of values exceeds the objective: an answer whose gap is that of one
/// rounding of the entries alone is made larger until no instance has a loss.
#[test]
fn classes_of_a_large_c_hold_for_other_roundings() {
    let (n, mut converged) = (10, 0);
    for seed in 0..120 {
        let mut rng = Run::with_seed(seed).rng("ulps");
        let (x, target) = points(seed);
        let codes: Vec<u32> = target[..n].iter().map(|v| u32::from(*v > 0.0)).collect();
        if codes.iter().all(|c| *c == codes[0]) {
            continue;
        }
        let gap2 = |i: usize, j: usize| -> f64 {
            (0..3).map(|k| (x.get(i, k) - x.get(j, k)).powi(2)).sum()
        };
        let kernel = Matrix::from_fn(n, n, |i, j| 0.7 * (-1e-6 * gap2(i, j)).exp());
        let ulps = Matrix::from_fn(n, n, |_, _| (3.0 * rng.random::<f64>()).floor() - 1.0);
        let other = Matrix::from_fn(n, n, |i, j| {
            kernel.get(i, j) * (1.0 + f64::EPSILON * ulps.get(i.min(j), i.max(j)))
        });
        let y: Vec<f64> = codes.iter().map(|c| if *c == 1 { 1.0 } else { -1.0 }).collect();
        let classes = Classes { codes, names: vec!["no".to_string(), "yes".to_string()] };
        let gram = Gram::new(kernel).unwrap();
        for c in [1e10, 1e12, 1e13, 1e14] {
            let svc = Svc { c, tol: TOL, ..Svc::default() };
            let mut found = svc.fit(&gram, &classes, None, None, &Run::default()).unwrap();
            found.tell_hidden(TOL);
            let (block, head) = (&found.blocks[0], &found.blocks[0].heads[0]);
            // The bias that is best for these entries.
            let values: Vec<f64> = (0..n)
                .map(|i| other.row(i).iter().zip(&head.coef).rev().map(|(k, c)| k * c).sum())
                .collect();
            let biases = (0..n).map(|i| y[i] - values[i]).chain([head.bias]);
            let gap = biases
                .map(|b| svc_gap(&other, &y, &vec![c; n], &head.coef, b).gap)
                .fold(f64::INFINITY, f64::min);
            let what = format!("{seed} {c:e}: {gap:e}, said {:e} ({:?})", block.gap, block.status);
            assert!(gap <= 4.0 * block.gap.max(TOL / 4.0), "{what}");
            assert!(!block.status.is_success() || gap <= 2.0 * TOL, "{what}");
            converged += usize::from(block.status.is_success());
        }
    }
    assert!(converged >= 300, "{converged}");
}

/// Far from the origin products are nearly equal, and their rounding is as large as the ball.
#[test]
fn balls_far_from_the_origin_say_that_rounding_decides() {
    for seed in 0..30 {
        let (x, _) = points(seed);
        let known = [(0.0, Some(true)), (1e3, Some(true)), (1e8, Some(false)), (1e9, Some(false))];
        // In between a dual objective above the primal one used to count as proven.
        let between = [(1e7, None), (3e7, None)];
        for (shift, fine) in known.into_iter().filter(|_| seed < 5).chain(between) {
            let moved = Matrix::from_fn(N, 3, |i, k| x.get(i, k) + shift);
            let dot = |i: usize, j: usize| -> f64 {
                (0..3).map(|k| moved.get(i, k) * moved.get(j, k)).sum()
            };
            let gram = Gram::new(Matrix::from_fn(N, N, dot)).unwrap();
            let costs = [1.0 / (0.2 * N as f64); N];
            let ball = data_description(&gram, &costs, None, &SETTINGS, &Run::default().watch());
            let converged = ball.machine.status.is_success();
            assert!(fine.is_none_or(|fine| fine == converged), "{shift:e}: {:?}", ball.machine.gap);
            // From the points themselves: the centre, and the best radius for it.
            let coef = &ball.machine.coef;
            let centre: Vec<f64> = (0..3)
                .map(|k| (0..N).map(|i| coef[i] * (moved.get(i, k) - shift)).sum::<f64>())
                .collect();
            let distance = |i: usize| -> f64 {
                (0..3).map(|k| (moved.get(i, k) - shift - centre[k]).powi(2)).sum()
            };
            let all: Vec<f64> = (0..N).map(distance).collect();
            let value = |r: f64| r + costs[0] * all.iter().map(|d| (d - r).max(0.0)).sum::<f64>();
            let primal = all.iter().map(|r| value(*r)).fold(f64::INFINITY, f64::min);
            let dual: f64 = (0..N).map(|i| coef[i] * all[i]).sum();
            let gap = (primal - dual) / primal;
            assert!(
                (fine.is_none() && !converged) || gap <= 2.0 * ball.machine.gap.max(TOL),
                "{shift:e}: {gap} {}",
                ball.machine.gap
            );
        }
    }
}

/// Without smoothness the Laplacian SVM is the machine with the squared hinge; the rank of the kernel is 3.
#[test]
fn laplacian_machines_of_a_large_c_are_those_without_a_graph() {
    for seed in 0..4 {
        let (x, y) = points(seed);
        let dot = |i: usize, j: usize| -> f64 { (0..3).map(|k| x.get(i, k) * x.get(j, k)).sum() };
        let gram = Gram::new(Matrix::from_fn(N, N, dot)).unwrap();
        let codes: Vec<Option<u32>> = y.iter().map(|v| Some(u32::from(*v > 0.3))).collect();
        let names = vec!["no".to_string(), "yes".to_string()];
        let whole = cokernel::data::Classes {
            codes: codes.iter().map(|c| c.unwrap()).collect(),
            names: names.clone(),
        };
        let partial = cokernel::data::PartialClasses { codes, names };
        for c in [1.0, 1e6, 1e10, 1e12] {
            let solved = |text: &str, target: &cokernel::data::Target| {
                let spec: MachineSpec = format!("{text}:c={c:e}").parse().unwrap();
                let machine = spec.checked().unwrap().build().unwrap();
                machine.solve(&gram, target, &How::new(&Run::default())).unwrap()
            };
            let target = cokernel::data::Target::Partial(partial.clone());
            let ours = solved("laplacian_svm:gamma_i=0", &target);
            let theirs = solved("squared_hinge_svc", &whole.clone().into());
            assert!(ours.status().is_success(), "{seed} {c:e}: {:e}", ours.gap());
            let (a, b) = (ours.primal(), theirs.primal());
            assert!((a - b).abs() <= 2e-3 * b, "{seed} {c:e}: {a:e} {b:e}");
        }
    }
}
