//! Gaussian processes: the likelihood by plain elimination, its slopes by differences, other starts, units.

use crate::common::{bank, gaussian, rules};
use cokernel::bank::Storage;
use cokernel::catalogue::find;
use cokernel::data::{Matrix, Target};
use cokernel::machine::MachineSpec;
use cokernel::mkl::{Learned, Problem, learner, train};
use cokernel::params::Value;
use cokernel::{Run, Status};
use rand::RngExt;

const N: usize = 60;

/// Kernels on single columns, and numbers that depend on the first two of them.
fn data(seed: u64) -> (Vec<Matrix>, Vec<f64>) {
    let mut rng = Run::with_seed(seed).rng("process tests");
    let x = Matrix::from_fn(N, 4, |_, _| rng.random::<f64>() * 4.0 - 2.0);
    let y = (0..N)
        .map(|i| {
            3.0 + x.get(i, 0).sin() + 0.5 * x.get(i, 1).powi(2) + 0.4 * (rng.random::<f64>() - 0.5)
        })
        .collect();
    ((0..4).map(|c| gaussian(&x.select_cols(&[c]), 0.7)).collect(), y)
}

fn learn(kernels: &[Matrix], y: &[f64], given: &[(&str, Value)]) -> Learned {
    let method = find("gaussian_process").unwrap();
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    let machine = MachineSpec::new("kernel_ridge").unwrap().checked().unwrap().build().unwrap();
    let (learner, bank) = (learner(method, &params).unwrap(), bank(kernels, Storage::Resident));
    let target = Target::Real(y.to_vec());
    train(&Problem::new(&bank, &target, machine.as_ref()), learner.as_ref(), &Run::default())
        .unwrap()
}

/// Minus the logarithm of the likelihood: V by elimination, without a factorisation of the library.
fn cost(kernels: &[Matrix], y: &[f64], point: &[f64], restricted: bool) -> f64 {
    let n = y.len();
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let entry = |j: usize| {
                let own = if i == j { point[kernels.len()] } else { 0.0 };
                own + kernels.iter().zip(point).map(|(k, t)| t * k.get(i, j)).sum::<f64>()
            };
            (0..n).map(entry).chain([y[i], 1.0]).collect()
        })
        .collect();
    let mut log = 0.0;
    for p in 0..n {
        log += rows[p][p].ln();
        for r in 0..n {
            if r != p {
                let (factor, pivot) = (rows[r][p] / rows[p][p], rows[p].clone());
                rows[r].iter_mut().zip(&pivot).for_each(|(v, w)| *v -= factor * w);
            }
        }
    }
    let solved = |c: usize| -> Vec<f64> { (0..n).map(|i| rows[i][n + c] / rows[i][i]).collect() };
    let (a, e) = (solved(0), solved(1));
    let total: f64 = e.iter().sum();
    let b = a.iter().sum::<f64>() / total;
    let fit: f64 = y.iter().zip(a.iter().zip(&e)).map(|(y, (a, e))| y * (a - b * e)).sum();
    let tau = std::f64::consts::TAU.ln();
    match restricted {
        true => 0.5 * (fit + log + total.ln() + (n - 1) as f64 * tau),
        false => 0.5 * (fit + log + n as f64 * tau),
    }
}

#[test]
fn the_likelihood_is_largest_there() {
    for (seed, restricted) in [(1, true), (2, false), (3, true)] {
        let (kernels, y) = data(seed);
        let likelihood = Value::from(if restricted { "restricted" } else { "plain" });
        let found = learn(&kernels, &y, &[("likelihood", likelihood), ("tol", Value::Real(1e-9))]);
        let report = &found.report;
        assert_eq!(report.status, Status::Converged, "{:?}", report.notes);
        assert!(report.objective.is_sorted_by(|a, b| b <= a));
        assert!(report.iterations <= 25, "{}", report.iterations);
        let mut point = found.rule.uses();
        point.push(report.details["noise"][0]);
        let least = cost(&kernels, &y, &point, restricted);
        let said = *report.objective.last().unwrap();
        assert!((least - said).abs() < 1e-7 * least.abs(), "{least} {said}");
        assert!(point[0] > 0.0 && point[1] > 0.0);
        for k in 0..point.len() {
            let h = 1e-5 * point[k].max(0.01);
            let moved = |by: f64| {
                let mut other = point.clone();
                other[k] += by;
                cost(&kernels, &y, &other, restricted)
            };
            match point[k] > h {
                true => {
                    let slope = (moved(h) - moved(-h)) / (2.0 * h);
                    assert!((slope * point[k]).abs() < 1e-3, "{k} {slope}");
                }
                false => assert!(moved(h) >= least - 1e-9, "{k}"),
            }
        }
        // No likelier point among random ones.
        let mut rng = Run::with_seed(seed).rng("process points");
        for _ in 0..100 {
            let other: Vec<f64> = point
                .iter()
                .map(|t| (t + 1e-3) * (2.0 * rng.random::<f64>()).powi(3) + 1e-9)
                .collect();
            assert!(cost(&kernels, &y, &other, restricted) >= least - 1e-6);
        }
    }
}

#[test]
fn units_do_not_matter() {
    let (kernels, y) = data(4);
    let plain = learn(&kernels, &y, &[]);
    let values = rules::decisions(&plain, &kernels).concat();
    for (s, c) in [(1e-12, 1.0), (1e12, 1.0), (1.0, 1e9), (1e-12, 1e-9)] {
        let scaled: Vec<Matrix> =
            kernels.iter().map(|k| Matrix::from_fn(N, N, |i, j| s * k.get(i, j))).collect();
        let numbers: Vec<f64> = y.iter().map(|v| c * v).collect();
        let found = learn(&scaled, &numbers, &[]);
        assert_eq!(found.report.status, Status::Converged);
        for (a, b) in rules::decisions(&found, &scaled).concat().iter().zip(&values) {
            assert!((a - c * b).abs() < 1e-4 * c * (1.0 + b.abs()), "{s} {c}: {a} {b}");
        }
        for (a, b) in found.rule.uses().iter().zip(plain.rule.uses()) {
            assert!((a * s / (c * c) - b).abs() < 1e-3 * (b + 0.01), "{a} {b}");
        }
    }
    // A kernel of zeros has no part, one that is there twice shares.
    let zero = Matrix::zeros(N, N);
    let more = [kernels.clone(), vec![zero, kernels[0].clone()]].concat();
    let found = learn(&more, &y, &[]);
    let uses = found.rule.uses();
    assert!(uses[4] == 0.0 && (uses[0] + uses[5] - plain.rule.uses()[0]).abs() < 1e-2);
    // Noise alone: whatever is found, it ends, and the noise is most of the variance.
    let mut rng = Run::with_seed(9).rng("noise");
    let noise: Vec<f64> = (0..N).map(|_| rng.random::<f64>()).collect();
    let found = learn(&kernels, &noise, &[]);
    assert!(found.report.status.is_success(), "{:?}", found.report.notes);
    assert!(found.report.details["noise"][0] > 0.03);
    let refused = std::panic::catch_unwind(|| learn(&data(4).0, &[2.5; N], &[]));
    assert!(refused.is_err());
}
