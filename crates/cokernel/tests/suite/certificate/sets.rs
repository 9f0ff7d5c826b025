//! Methods of the loop over weights: bounds by plain loops, and what they are at the ends of their parameters.

use super::mkl::{bank, classes, parts, problem, simple_mkl, weights};
use cokernel::bank::Storage;
use cokernel::catalogue::{find, goes_with};
use cokernel::data::{Matrix, Target};
use cokernel::machine::{Machine, MachineSpec, Svc};
use cokernel::method::Task;
use cokernel::mkl::{Learned, Problem, learner, train};
use cokernel::params::Value;
use cokernel::{Run, Status};

fn learn(
    id: &str,
    given: &[(&str, Value)],
    kernels: &[Matrix],
    target: &Target,
    machine: &dyn Machine,
) -> Learned {
    let method = find(id).unwrap();
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    let bank = bank(kernels, Storage::Resident);
    let problem = Problem::new(&bank, target, machine);
    train(&problem, learner(method, &params).unwrap().as_ref(), &Run::default()).unwrap()
}

/// Numbers by the names of the kernels.
fn named(numbers: &[f64]) -> Value {
    Value::Factors(numbers.iter().enumerate().map(|(m, v)| (format!("k{m}"), *v)).collect())
}

/// The largest Σ η_m z_m over v Σ η + (1 − v) Σ η² ≤ 1, by a plain search for the multiplier.
fn elastic(z: &[f64], v: f64) -> f64 {
    let at = |tau: f64| -> (f64, f64) {
        let eta: Vec<f64> =
            z.iter().map(|z| ((z - tau * v) / (2.0 * tau * (1.0 - v))).max(0.0)).collect();
        let spent = eta.iter().map(|w| v * w + (1.0 - v) * w * w).sum();
        (spent, eta.iter().zip(z).map(|(w, z)| w * z).sum())
    };
    let (mut low, mut high) = (1e-12, 1e12_f64);
    for _ in 0..400 {
        let tau = (low * high).sqrt();
        if at(tau).0 > 1.0 { low = tau } else { high = tau }
    }
    at(high).1
}

/// The largest Σ η_m z_m − λ Σ (η_m − 1/M)² over the simplex, by the multiplier of its sum.
fn quadratic(z: &[f64], lambda: f64) -> f64 {
    let even = 1.0 / z.len() as f64;
    let at = |nu: f64| -> Vec<f64> {
        z.iter().map(|z| (even + (z - nu) / (2.0 * lambda)).max(0.0)).collect()
    };
    let (mut low, mut high) = (-1e6, 1e6);
    for _ in 0..200 {
        let nu = 0.5 * (low + high);
        if at(nu).iter().sum::<f64>() > 1.0 { low = nu } else { high = nu }
    }
    let eta = at(high);
    eta.iter().zip(z).map(|(w, z)| w * z - lambda * (w - even).powi(2)).sum()
}

fn norm(values: &[f64], p: f64) -> f64 {
    if p == 1.0 {
        return values.iter().fold(0.0_f64, |a, v| a.max(*v));
    }
    let r = p / (p - 1.0);
    values.iter().map(|v| v.powf(r)).sum::<f64>().powf(1.0 / r)
}

/// A method with parameters, the largest value of its set for half the forms, and its penalty.
type Case = (
    &'static str,
    Vec<(&'static str, Value)>,
    Box<dyn Fn(&[f64]) -> f64>,
    Box<dyn Fn(&[f64]) -> f64>,
);

fn cases() -> Vec<Case> {
    let d = [0.5, 2.0, 1.0, 1.3, 0.8, 0.7];
    let free = || Box::new(|_: &[f64]| 0.0);
    let mut all: Vec<Case> = vec![(
        "bach",
        vec![("d", named(&d))],
        Box::new(move |z| z.iter().zip(&d).fold(0.0_f64, |a, (z, d)| a.max(z / (d * d)))),
        free(),
    )];
    for v in [0.03, 0.5, 0.95] {
        let given = vec![("l1_ratio", Value::Real(v))];
        all.push(("elastic_net", given, Box::new(move |z| elastic(z, v)), free()));
    }
    for (r, s) in [(2.0, 1.0), (1.0, 2.0), (4.0, 1.3), (1.3, 4.0)] {
        let groups = named(&[1.0, 2.0, 1.0, 2.0, 3.0, 3.0]);
        let given = vec![("groups", groups), ("within", r.into()), ("across", s.into())];
        let largest = move |z: &[f64]| {
            let parts = [[z[0], z[2]], [z[1], z[3]], [z[4], z[5]]];
            norm(&parts.map(|p| norm(&p, r)), s)
        };
        all.push(("mixed_norm", given, Box::new(largest), free()));
    }
    for lambda in [0.05, 3.0] {
        let given = vec![("lambda", lambda.into()), ("lambda_unit", Value::from("one"))];
        let penalty =
            move |w: &[f64]| lambda * w.iter().map(|w| (w - 1.0 / 6.0).powi(2)).sum::<f64>();
        let largest = Box::new(move |z: &[f64]| quadratic(z, lambda));
        all.push(("regularized_simple_mkl", given, largest, Box::new(penalty)));
    }
    all
}

#[test]
fn gaps_are_true() {
    for (count, c) in [(2, 1.0), (2, 100.0), (3, 5.0)] {
        let (kernels, codes) = problem(60, count, 6, 1);
        let classes = classes(&codes);
        let machine = Svc { c, tol: 1e-9, ..Svc::default() };
        let costs = machine.costs(&classes, None).unwrap();
        let target = Target::from(classes);
        for (id, mut given, largest, penalty) in cases() {
            let what = format!("{id} {given:?}, {count} classes, C = {c}");
            given.push(("tol", Value::Real(1e-6)));
            let learned = learn(id, &given, &kernels, &target, &machine);
            assert_eq!(learned.report.status, Status::Converged, "{what}");
            let (upper, sum, forms) = parts(&learned, &kernels, &codes, &costs);
            let half: Vec<f64> = forms.iter().map(|q| 0.5 * q).collect();
            let upper = upper + penalty(weights(&learned));
            let gap = (upper - (sum - largest(&half))) / upper;
            assert!((-1e-9..=1.1e-6).contains(&gap), "{what}: {gap}");
            assert!((gap - learned.report.gap.unwrap()).abs() < 1e-8, "{what}: {gap}");
            let trace = &learned.report.objective;
            assert!(trace.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-9)), "{what}: {trace:?}");
        }
    }
}

/// The certificate holds whichever machine it is: ℓ and the forms by plain loops.
#[test]
fn every_machine() {
    let (kernels, codes) = problem(30, 2, 6, 3);
    let n = codes.len();
    let numbers: Vec<f64> = (0..n).map(|i| kernels[0].get(i, 3) + f64::from(codes[i])).collect();
    for entry in cokernel::machine::REGISTRY {
        let spec: MachineSpec = entry.id.parse().unwrap();
        let machine = spec.checked().unwrap().build().unwrap();
        let target = match entry.tasks[0] {
            Task::Classify => Target::from(classes(&codes)),
            Task::Regress => Target::Real(numbers.clone()),
            _ => Target::Nothing(n),
        };
        for (id, mut given, largest, penalty) in cases() {
            if goes_with(find(id).unwrap(), entry.method).is_err() {
                continue;
            }
            let what = format!("{id} {given:?} with {}", entry.id);
            // Without second derivatives there are steps of first order only.
            let slow = entry.id == "joint_svc";
            let tol = if slow { 1e-3 } else { 1e-5 };
            given.push(("tol", Value::Real(tol)));
            let learned = learn(id, &given, &kernels, &target, machine.as_ref());
            assert!(learned.report.status.is_success(), "{what}: {}", learned.report.status);
            let machines = learned.machines.as_ref().unwrap();
            let form = |k: &Matrix, c: &[f64]| -> f64 {
                (0..n).map(|i| c[i] * (0..n).map(|j| k.get(i, j) * c[j]).sum::<f64>()).sum()
            };
            let half: Vec<f64> = kernels
                .iter()
                .map(|k| 0.5 * machines.heads().map(|h| form(k, &h.coef)).sum::<f64>())
                .collect();
            let upper = machines.primal() + penalty(weights(&learned));
            let gap = (upper - (machines.linear() - largest(&half))) / upper.abs();
            assert!((-1e-9..=1.1 * tol).contains(&gap), "{what}: {gap}");
            // ν-SVR had no second derivatives, and took 20 iterations and more.
            let iterations = learned.report.iterations;
            assert!(
                slow || id != "simple_mkl" || iterations <= 12,
                "{what}: {iterations} iterations"
            );
            assert!((gap - learned.report.gap.unwrap()).abs() < 1e-8, "{what}: {gap}");
        }
    }
}

#[test]
fn the_ends_of_the_parameters() {
    let (kernels, codes) = problem(60, 2, 6, 2);
    let (classes, tol) = (classes(&codes), ("tol", Value::Real(1e-7)));
    let machine = Svc { c: 3.0, tol: 1e-9, ..Svc::default() };
    let target = Target::from(classes.clone());
    let run = |id: &str, given: &[(&str, Value)]| {
        let given: Vec<_> = given.iter().cloned().chain([tol.clone()]).collect();
        learn(id, &given, &kernels, &target, &machine)
    };
    let simple = simple_mkl(&bank(&kernels, Storage::Resident), &classes, &machine, 1e-7, "newton");
    let close = |a: &Learned, b: &Learned, tol: f64| {
        for (a, b) in weights(a).iter().zip(weights(b)) {
            assert!((a - b).abs() <= tol, "{a} {b}");
        }
        let last = |l: &Learned| *l.report.objective.last().unwrap();
        assert!((last(a) / last(b) - 1.0).abs() <= 3e-7, "{} {}", last(a), last(b));
    };
    let real = |name, v: f64| (name, Value::Real(v));
    close(&run("bach", &[]), &simple, 0.0);
    close(&run("elastic_net", &[real("l1_ratio", 1.0)]), &simple, 0.0);
    close(&run("elastic_net", &[real("l1_ratio", 1.0 - 1e-9)]), &simple, 2e-3);
    let two = run("lp_norm", &[real("p", 2.0)]);
    close(&run("elastic_net", &[real("l1_ratio", 0.0)]), &two, 0.0);
    close(&run("elastic_net", &[real("l1_ratio", 1e-9)]), &two, 2e-3);
    close(&run("regularized_simple_mkl", &[real("lambda", 0.0)]), &simple, 0.0);
    let even = run("regularized_simple_mkl", &[real("lambda", 1e7)]);
    assert!(weights(&even).iter().all(|w| (w - 1.0 / 6.0).abs() < 1e-6), "{:?}", weights(&even));
    let groups = ("groups", named(&[1.0, 2.0, 1.0, 2.0, 3.0, 3.0]));
    let both = |r, s| run("mixed_norm", &[groups.clone(), real("within", r), real("across", s)]);
    close(&both(1.0, 1.0), &simple, 0.0);
    for p in [1.1, 2.0, 4.0] {
        close(&both(p, p), &run("lp_norm", &[real("p", p)]), 2e-3);
    }
    // One group, and each kernel for itself.
    let all = [("groups", named(&[1.0; 6])), real("within", 1.5), real("across", 1.0)];
    close(&run("mixed_norm", &all), &run("lp_norm", &[real("p", 1.5)]), 2e-3);
    close(&run("mixed_norm", &[real("within", 3.0), real("across", 1.0)]), &simple, 2e-3);
    close(
        &run("mixed_norm", &[real("within", 3.0), real("across", 2.0)]),
        &run("lp_norm", &[real("p", 2.0)]),
        2e-3,
    );
    // A large norm within: SimpleMKL on the sums of the groups.
    let sum = |a: usize, b: usize| {
        Matrix::from_fn(60, 60, |i, j| kernels[a].get(i, j) + kernels[b].get(i, j))
    };
    let sums = [sum(0, 2), sum(1, 3), sum(4, 5)];
    let summed = simple_mkl(&bank(&sums, Storage::Resident), &classes, &machine, 1e-7, "newton");
    let large = both(1000.0, 1.0);
    for (m, g) in [0, 1, 0, 1, 2, 2].iter().enumerate() {
        let (a, b) = (weights(&large)[m], weights(&summed)[*g]);
        assert!((a - b).abs() < 5e-3, "{:?} {:?}", weights(&large), weights(&summed));
    }
}

/// d = trace undoes the scale of each kernel, and twice the price is a quarter of the weight.
#[test]
fn prices() {
    let (kernels, codes) = problem(50, 2, 5, 4);
    let target = Target::from(classes(&codes));
    let machine = Svc { c: 2.0, tol: 1e-9, ..Svc::default() };
    let tol = ("tol", Value::Real(1e-7));
    let sizes = [1e-3, 1.0, 40.0, 5e6, 0.2];
    let scaled: Vec<Matrix> = kernels
        .iter()
        .zip(&sizes)
        .map(|(k, s)| Matrix::from_fn(50, 50, |i, j| s * k.get(i, j)))
        .collect();
    let trace = [("d", Value::from("trace")), tol.clone()];
    let plain = learn("bach", &trace, &kernels, &target, &machine);
    let other = learn("bach", &trace, &scaled, &target, &machine);
    for ((a, b), s) in weights(&plain).iter().zip(weights(&other)).zip(&sizes) {
        assert!((a - b * s).abs() < 2e-3, "{:?} {:?}", weights(&plain), weights(&other));
    }
    let mean = |k: &Matrix| (0..50).map(|i| k.get(i, i)).sum::<f64>() / 50.0;
    let spent: f64 = weights(&other).iter().zip(&scaled).map(|(w, k)| w * mean(k)).sum();
    assert!((spent - 1.0).abs() < 1e-12, "{spent}");
}

/// Equal kernels have equal weights wherever something shares.
#[test]
fn equal_kernels_share() {
    let (mut kernels, codes) = problem(50, 2, 5, 5);
    kernels.push(kernels[0].clone());
    let target = Target::from(classes(&codes));
    let machine = Svc { tol: 1e-9, ..Svc::default() };
    let groups = named(&[1.0, 2.0, 2.0, 3.0, 3.0, 1.0]);
    for (id, given) in [
        ("elastic_net", vec![("l1_ratio", Value::Real(0.7))]),
        ("mixed_norm", vec![("groups", groups.clone())]),
        ("mixed_norm", vec![("groups", groups), ("within", 3.0.into()), ("across", 2.0.into())]),
        ("regularized_simple_mkl", vec![("lambda", Value::Real(0.05))]),
    ] {
        let given: Vec<_> = given.into_iter().chain([("tol", Value::Real(1e-7))]).collect();
        let learned = learn(id, &given, &kernels, &target, &machine);
        let w = weights(&learned);
        assert!((w[0] - w[5]).abs() < 1e-6 && w[0] > 0.01, "{id}: {w:?}");
    }
}

/// λ in multiples of an objective is told as exactly as the method is asked for: it came from a machine of its own tolerance, so
/// that the problem that was solved, and its objective, changed in the fifth digit with the order of the instances.
#[test]
fn the_unit_of_a_penalty_is_as_exact_as_the_method() {
    let (kernels, codes) = problem(50, 2, 4, 7);
    let target = Target::from(classes(&codes));
    for id in ["regularized_simple_mkl", "log_penalty"] {
        let lambda = |tol: f64| {
            let machine = Svc { c: 50.0, tol, ..Svc::default() };
            let given = [("lambda", Value::Real(10.0)), ("tol", Value::Real(1e-6))];
            learn(id, &given, &kernels, &target, &machine).report.details["lambda"][0]
        };
        let (loose, exact) = (lambda(1e-3), lambda(1e-11));
        assert!((loose / exact - 1.0).abs() < 2e-8, "{id}: {loose} {exact}");
    }
}

/// The log penalty: a trace that never rises, no better point nearby, and no more kernels than without.
#[test]
fn log_penalties() {
    let (kernels, codes) = problem(60, 2, 8, 6);
    let classes = classes(&codes);
    let machine = Svc { c: 3.0, tol: 1e-9, ..Svc::default() };
    let costs = machine.costs(&classes, None).unwrap();
    let target = Target::from(classes.clone());
    let simple = simple_mkl(&bank(&kernels, Storage::Resident), &classes, &machine, 1e-7, "newton");
    let active = |l: &Learned| weights(l).iter().filter(|w| **w > 0.0).count();
    let mut last = active(&simple);
    let epsilon = 0.02;
    for lambda in [0.0, 1e-4, 0.03, 0.3, 30.0] {
        let given = [
            ("lambda", Value::Real(lambda)),
            ("threshold", Value::Real(epsilon)),
            ("tol", Value::Real(1e-7)),
        ];
        let learned = learn("log_penalty", &given, &kernels, &target, &machine);
        let report = &learned.report;
        assert_eq!((report.status, report.gap), (Status::Converged, None), "{lambda}");
        assert!(report.objective.windows(2).all(|w| w[1] <= w[0]), "{:?}", report.objective);
        let eta = weights(&learned);
        let lambda_here = report.details["lambda"][0];
        let penalty = |w: f64| lambda_here * (1.0 + w / epsilon).ln() / (1.0 + 1.0 / epsilon).ln();
        let (upper, _, forms) = parts(&learned, &kernels, &codes, &costs);
        let value = upper + eta.iter().map(|w| penalty(*w)).sum::<f64>();
        assert!((value / report.objective.last().unwrap() - 1.0).abs() < 1e-9, "{lambda}");
        let before = simple.machines.as_ref().unwrap().primal()
            + weights(&simple).iter().map(|w| penalty(*w)).sum::<f64>();
        assert!(value <= before * (1.0 + 1e-7), "{lambda}: {value} {before}");
        // Slopes by differences: equal where there is weight, no smaller elsewhere.
        let slope = |m: usize| -0.5 * forms[m] + (penalty(eta[m] + 1e-6) - penalty(eta[m])) / 1e-6;
        let level = (0..8).filter(|m| eta[*m] > 1e-4).map(slope).fold(f64::NEG_INFINITY, f64::max);
        for m in 0..8 {
            assert!(slope(m) >= level - 2e-3 * value, "{lambda}: {m} {} {level} {eta:?}", slope(m));
        }
        assert!(active(&learned) <= last, "{lambda}: {eta:?}");
        last = active(&learned);
    }
    assert_eq!(last, 1);
}
