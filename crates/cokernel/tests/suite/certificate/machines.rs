//! Machines of one kernel at every scale: they end, and their objectives are what plain loops over the
//! raw matrix find.

use crate::common::gaussian;
use cokernel::bank::Gram;
use cokernel::data::Matrix;
use cokernel::solve::joint::{Joint, joint_classes};
use cokernel::solve::nu_svr::nu_svr;
use cokernel::solve::one_class::{data_description, one_class};
use cokernel::solve::ridge::Ridge;
use cokernel::solve::smo::Settings;
use cokernel::solve::solved::Solved;
use cokernel::solve::squared_hinge::squared_hinge;
use cokernel::solve::svr::epsilon_svr;
use cokernel::{Run, Status};
use rand::RngExt;

const SETTINGS: Settings =
    Settings { tol: 1e-6, shrinking: true, cache: 1 << 24, max_steps: 1_000_000 };

/// Points in the plane, the first three twice.
fn points(n: usize) -> Matrix {
    let mut rng = Run::with_seed(5).rng("machines at scales");
    let free = Matrix::from_fn(n, 2, |_, _| rng.random::<f64>());
    Matrix::from_fn(n, 2, |i, j| free.get(if (3..6).contains(&i) { i - 3 } else { i }, j))
}

fn products(kernel: &Matrix, coef: &[f64]) -> Vec<f64> {
    (0..coef.len()).map(|i| kernel.row(i).iter().zip(coef).map(|(k, c)| k * c).sum()).collect()
}

/// What is said is true, up to `noise` relative to the primal; whether the tolerance was reached.
fn certify(found: &Solved, primal: f64, dual: f64, noise: f64, what: &str) -> bool {
    let scale = primal.abs().max(f64::MIN_POSITIVE);
    let (gap, noise) = ((primal - dual) / scale, 1e-9 + noise / scale);
    assert!(found.gap.is_finite() && found.steps <= 300_000, "{what}: {} steps", found.steps);
    let size = 1.0 + gap.abs();
    assert!((gap - found.gap).abs() <= noise * size, "{what}: {gap:e}, said {:e}", found.gap);
    assert!((dual - found.dual).abs() <= noise * scale * size, "{what}: {dual:e} {}", found.dual);
    if !found.status.is_success() {
        assert_eq!(found.status, Status::Stalled, "{what}");
    }
    assert!(!found.status.is_success() || gap <= SETTINGS.tol + noise, "{what}: gap {gap:e}");
    found.status.is_success()
}

fn certify_regression(
    kernel: &Matrix,
    y: &[f64],
    epsilon: f64,
    c: f64,
    found: &Solved,
    what: &str,
) -> bool {
    let values = products(kernel, &found.coef);
    let (mut primal, mut dual, mut noise, mut sum) = (0.0, 0.0, 0.0, 0.0);
    for i in 0..y.len() {
        let (b, v) = (found.coef[i], values[i]);
        assert!(b.abs() <= c * (1.0 + 1e-12), "{what}: {b} outside {c}");
        let rounding = kernel.row(i).iter().zip(&found.coef).map(|(k, c)| (k * c).abs());
        let rounding = 4e-16 * (rounding.sum::<f64>() + y[i].abs() + found.bias.abs());
        let loss = ((y[i] - v - found.bias).abs() - epsilon).max(0.0);
        noise += b.abs() * rounding + if loss > -rounding { c * rounding } else { 0.0 };
        primal += 0.5 * b * v + c * loss;
        dual += y[i] * b - epsilon * b.abs() - 0.5 * b * v;
        sum += b;
    }
    let size: f64 = found.coef.iter().map(|b| b.abs()).sum();
    assert!(sum.abs() <= 1e-10 * size, "{what}: sum {sum:e} of {size:e}");
    certify(found, primal, dual, noise, what)
}

/// The kernel, y and ε are multiplied by the first three numbers, C is the last.
const SCALES: [(f64, f64, f64); 14] = [
    (1.0, 1.0, 1e-12),
    (1.0, 1.0, 1e-3),
    (1.0, 1.0, 1.0),
    (1.0, 1.0, 100.0),
    (1.0, 1.0, 1e8),
    (1.0, 1.0, 1e17),
    (1e12, 1.0, 1e-12),
    (1e12, 1.0, 1.0),
    (1e12, 1.0, 1e17),
    (1e-12, 1.0, 1e-12),
    (1e-12, 1.0, 1e12),
    (1e-12, 1.0, 1e17),
    (1.0, 1e12, 1.0),
    (1.0, 1e-12, 1.0),
];

#[test]
fn regressions_of_every_scale() {
    let n = 40;
    let base = gaussian(&points(n), 20.0);
    let shape: Vec<f64> = (0..n).map(|i| base.get(i, 7) + 0.1 * ((i * 7) % 11) as f64).collect();
    for (k, s, c) in SCALES {
        let kernel = Matrix::from_fn(n, n, |i, j| k * base.get(i, j));
        let gram = Gram::new(kernel.clone()).unwrap();
        let y: Vec<f64> = shape.iter().map(|v| s * v).collect();
        for epsilon in [0.0, 0.1 * s, 10.0 * s] {
            let costs = vec![c; n];
            let watch = Run::default().watch();
            let found = epsilon_svr(&gram, &y, epsilon, &costs, None, &SETTINGS, &watch);
            let what = format!("kernel × {k:e}, y × {s:e}, C = {c:e}, ε = {epsilon:e}");
            let reached = certify_regression(&kernel, &y, epsilon, c, &found, &what);
            // Equal rows with different y have a loss at every C; sizes of boxes past 1/ε stay.
            let hard = c * k / s > 1e7 && epsilon < s;
            assert!(reached || hard, "{what}: {} at {:e}", found.status, found.gap);
            // The width of the tube learned; what it says is what this width says.
            let tube = nu_svr(&gram, &y, 0.4, &costs, None, &SETTINGS, &watch);
            let what = format!("learned tube, {what}");
            let (width, most) = (tube.epsilon, 0.4 * n as f64 * c);
            let norm: f64 = tube.machine.coef.iter().map(|b| b.abs()).sum();
            assert!(norm <= most * (1.0 + 1e-9), "{what}");
            let as_fixed = Solved {
                primal: tube.machine.primal - most * width,
                dual: tube.machine.dual - norm * width,
                ..tube.machine.clone()
            };
            let gap = (as_fixed.primal - as_fixed.dual) / as_fixed.primal.abs().max(1e-300);
            let as_fixed = Solved { gap, status: Status::Stalled, steps: 0, ..as_fixed };
            assert!(tube.machine.steps <= 1_000_000, "{what}: {} steps", tube.machine.steps);
            certify_regression(&kernel, &y, width, c, &as_fixed, &what);
            let reached = tube.machine.status.is_success();
            assert_eq!(reached, tube.machine.gap <= SETTINGS.tol, "{what}");
            assert!(reached || c * k / s > 1e7, "{what}: {:e}", tube.machine.gap);
            if epsilon > s {
                assert!(found.coef.iter().all(|b| *b == 0.0) && found.primal == 0.0, "{what}");
            }
        }
    }
}

#[test]
fn small_regressions() {
    let two = Matrix::new(2, 2, vec![1.0, 0.5, 0.5, 1.0]).unwrap();
    let gram = Gram::new(two.clone()).unwrap();
    let watch = Run::default().watch();
    // β = (t, −t): ½t² − 2t·½(3 − 1) + 2·0.25·t least at t = 1.5, or at the bound.
    for (c, t) in [(10.0, 1.5), (0.25, 0.25)] {
        let found = epsilon_svr(&gram, &[3.0, 1.0], 0.25, &[c; 2], None, &SETTINGS, &watch);
        assert!((found.coef[0] - t).abs() < 1e-6 && (found.coef[1] + t).abs() < 1e-6, "{found:?}");
        assert!((found.bias - 2.0).abs() < 1e-6, "{found:?}");
        assert!(certify_regression(&two, &[3.0, 1.0], 0.25, c, &found, "two instances"));
    }
    // A constant y: nothing to explain.
    for epsilon in [0.0, 0.5] {
        let found = epsilon_svr(&gram, &[7.0; 2], epsilon, &[1.0; 2], None, &SETTINGS, &watch);
        assert_eq!((found.coef.as_slice(), found.bias), (&[0.0, 0.0][..], 7.0));
        assert_eq!((found.primal, found.gap, found.status), (0.0, 0.0, Status::Converged));
    }
    // One instance, and none that counts.
    let one = Gram::new(Matrix::new(1, 1, vec![2.0]).unwrap()).unwrap();
    let found = epsilon_svr(&one, &[4.0], 0.1, &[1.0], None, &SETTINGS, &watch);
    assert_eq!((found.coef[0], found.bias, found.primal), (0.0, 4.0, 0.0));
    let found = epsilon_svr(&gram, &[3.0, 1.0], 0.1, &[0.0; 2], None, &SETTINGS, &watch);
    assert_eq!((found.coef[0], found.primal, found.gap), (0.0, 0.0, 0.0));
}

#[test]
fn one_class_machines_of_every_scale() {
    let n = 40;
    let base = gaussian(&points(n), 20.0);
    for k in [1e-12, 1.0, 1e12] {
        let kernel = Matrix::from_fn(n, n, |i, j| k * base.get(i, j));
        let gram = Gram::new(kernel.clone()).unwrap();
        for c in [1.0 / n as f64, 0.03, 0.1, 1.0, 1e17] {
            let what = format!("kernel × {k:e}, C = {c:e}");
            let watch = Run::default().watch();
            let costs = vec![c; n];
            let found = one_class(&gram, &costs, None, &SETTINGS, &watch);
            let values = products(&kernel, &found.coef);
            let norm: f64 = values.iter().zip(&found.coef).map(|(v, a)| v * a).sum();
            let excess = |rho: f64| values.iter().map(|v| c * (rho - v).max(0.0)).sum::<f64>();
            let rho = -found.bias;
            let noise = 1e-15 * k * c.max(1.0) * n as f64;
            let reached =
                certify(&found, 0.5 * norm - rho + excess(rho), -0.5 * norm, noise, &what);
            assert!(reached || c > 1e3, "{what}: {found:?}");
            let sum: f64 = found.coef.iter().sum();
            assert!((sum - 1.0).abs() < 1e-12, "{what}: {sum}");
            assert!(found.coef.iter().all(|a| *a >= 0.0 && *a <= c), "{what}");

            // A Gaussian kernel has the same α in both machines.
            let ball = data_description(&gram, &costs, None, &SETTINGS, &watch);
            let values = products(&kernel, &ball.machine.coef);
            let norm: f64 = values.iter().zip(&ball.machine.coef).map(|(v, a)| v * a).sum();
            let outside = |i: usize| (k - 2.0 * values[i] + norm - ball.radius_squared).max(0.0);
            let primal = ball.radius_squared + (0..n).map(|i| c * outside(i)).sum::<f64>();
            let reached = certify(&ball.machine, primal, k - norm, noise, &what);
            assert!(reached || c > 1e3, "{what}: {ball:?}");
            let near = (ball.machine.dual - (k + 2.0 * found.dual)).abs();
            assert!(near <= 1e-4 * k || c > 1e3, "{what}: {near:e}");
        }
        // Not enough room for a sum of 1: it ends.
        let found = one_class(&gram, &vec![0.01; n], None, &SETTINGS, &Run::default().watch());
        assert!(found.coef.iter().all(|a| *a == 0.01));
    }
}

#[test]
fn squared_hinges_of_every_scale() {
    let n = 40;
    let base = gaussian(&points(n), 20.0);
    let y: Vec<f64> =
        (0..n).map(|i| if base.get(i, 7) > 0.2 || i % 9 == 4 { 1.0 } else { -1.0 }).collect();
    for (k, _, c) in SCALES {
        let kernel = Matrix::from_fn(n, n, |i, j| k * base.get(i, j));
        let gram = Gram::new(kernel.clone()).unwrap();
        let what = format!("kernel × {k:e}, C = {c:e}");
        let costs = vec![c; n];
        let found = squared_hinge(&gram, &y, &costs, None, &SETTINGS, &Run::default().watch());
        let values = products(&kernel, &found.coef);
        let (mut primal, mut dual, mut noise) = (0.0, 0.0, 0.0);
        for i in 0..n {
            let (b, v) = (found.coef[i], values[i]);
            assert!(b * y[i] >= 0.0, "{what}: {b}");
            let rounding = kernel.row(i).iter().zip(&found.coef).map(|(k, c)| (k * c).abs());
            let rounding = 4e-16 * (rounding.sum::<f64>() + 1.0 + found.bias.abs());
            let loss = (1.0 - y[i] * (v + found.bias)).max(0.0);
            noise += (b.abs() + c * (loss + rounding)) * rounding;
            primal += 0.5 * b * v + 0.5 * c * loss * loss;
            dual += b * y[i] - 0.5 * b * v - 0.5 * b * b / c;
        }
        let reached = certify(&found, primal, dual, noise, &what);
        // Equal instances of different classes have a loss at every C.
        assert!(reached || c * k > 1e7, "{what}: {} at {:e}", found.status, found.gap);
    }
}

#[test]
fn joint_machines_of_every_scale() {
    let (n, classes) = (45, 4);
    let base = gaussian(&points(n), 20.0);
    // The last class has no instance.
    let codes: Vec<u32> =
        (0..n).map(|i| u32::from(base.get(i, 7) > 0.1) + u32::from(i % 5 == 4)).collect();
    for (k, _, c) in SCALES {
        let kernel = Matrix::from_fn(n, n, |i, j| k * base.get(i, j));
        let gram = Gram::new(kernel.clone()).unwrap();
        let what = format!("kernel × {k:e}, C = {c:e}");
        let costs = vec![c; n];
        let problem = Joint { rows: &gram, codes: &codes, classes, margins: None, costs: &costs };
        let settings = Settings { tol: 1e-4, max_steps: 300_000, ..SETTINGS };
        let found = joint_classes(&problem, None, &settings, &Run::default().watch());
        let values: Vec<Vec<f64>> = found.coef.iter().map(|c| products(&kernel, c)).collect();
        let (mut norm, mut gain, mut loss, mut noise) = (0.0, 0.0, 0.0, 0.0);
        for i in 0..n {
            let y = codes[i] as usize;
            let f = |l: usize| values[l][i] + found.bias[l];
            let total: f64 = (0..classes).map(|l| found.coef[l][i]).sum();
            assert!(total.abs() <= 1e-12 * found.coef[y][i].abs(), "{what}: {total:e}");
            for l in 0..classes {
                let alpha = -found.coef[l][i];
                let sizes = kernel.row(i).iter().zip(&found.coef[l]).map(|(k, c)| (k * c).abs());
                let rounding = 4e-16 * (sizes.sum::<f64>() + 2.0 + found.bias[l].abs());
                norm -= alpha * values[l][i];
                if l != y {
                    assert!(alpha >= 0.0 && alpha <= c * (1.0 + 1e-12), "{what}: {alpha}");
                    gain += 2.0 * alpha;
                    loss += c * (2.0 - f(y) + f(l)).max(0.0);
                    noise += (alpha + if 2.0 - f(y) + f(l) > -1e-9 { c } else { 0.0 }) * rounding;
                }
            }
        }
        let total: f64 = found.coef.iter().flatten().map(|c| c.abs()).sum();
        for coef in &found.coef {
            assert!(coef.iter().sum::<f64>().abs() <= 1e-12 * total, "{what}");
        }
        let (primal, dual) = (0.5 * norm + loss, gain - 0.5 * norm);
        let scale = primal.abs();
        let gap = (primal - dual) / scale;
        let near = 1e-9 + 2.0 * noise / scale;
        assert!((gap - found.gap).abs() <= near * (1.0 + gap.abs()), "{what}: {gap:e} {found:?}");
        let reached = found.status.is_success();
        assert_eq!(reached, found.gap <= settings.tol, "{what}: {} {gap:e}", found.status);
        assert!(reached || c * k > 1e6, "{what}: {} at {gap:e}", found.status);
    }
}

#[test]
fn a_stop_is_kept() {
    let n = 60;
    let gram = Gram::new(gaussian(&points(n), 20.0)).unwrap();
    let y: Vec<f64> = (0..n).map(|i| (i % 7) as f64).collect();
    let run = Run::default();
    run.cancel.cancel();
    let watch = run.watch();
    let found = epsilon_svr(&gram, &y, 0.1, &vec![1.0; n], None, &SETTINGS, &watch);
    assert_eq!(found.status, Status::Interrupted);
    let found = one_class(&gram, &vec![0.1; n], None, &SETTINGS, &watch);
    assert_eq!(found.status, Status::Interrupted);
    let signs: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let costs = vec![1.0; n];
    let found = squared_hinge(&gram, &signs, &costs, None, &SETTINGS, &watch);
    assert_eq!(found.status, Status::Interrupted);
    let codes: Vec<u32> = (0..n as u32).map(|i| i % 3).collect();
    let joint = Joint { rows: &gram, codes: &codes, classes: 3, margins: None, costs: &costs };
    assert_eq!(joint_classes(&joint, None, &SETTINGS, &watch).status, Status::Interrupted);
    assert!(matches!(Ridge::new(&gram, &costs, true, &watch), Err(Status::Interrupted)));
    let few = Settings { max_steps: 3, ..SETTINGS };
    let found = joint_classes(&joint, None, &few, &Run::default().watch());
    assert_eq!((found.status, found.steps), (Status::IterationLimit, 3));
    let found = epsilon_svr(&gram, &y, 0.1, &vec![1.0; n], None, &few, &Run::default().watch());
    assert_eq!((found.status, found.steps), (Status::IterationLimit, 3));
}
