//! Prices and weights that are found by errors on held-out folds: regularized MKL, prices from eigenvalues, weights by a
//! response surface.

use crate::certificate::mkl::parts;
use crate::common::rules::decisions;
use crate::common::{bank, classes, problem, weights};
use cokernel::bank::Storage;
use cokernel::catalogue::{find, goes_with, machines};
use cokernel::data::{Labels, Matrix, Target, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::{Machine, MachineSpec, Svc};
use cokernel::mkl::{Learned, Problem, train};
use cokernel::model::Mkl;
use cokernel::params::Value;
use cokernel::solve::dense::symmetric_eigen;
use cokernel::{Error, Run, Status};
use rand::RngExt;
use std::f64::consts::PI;

fn learn_in(
    id: &str,
    given: &[(&str, Value)],
    (kernels, target): (&[Matrix], &Target),
    machine: &dyn Machine,
    run: &Run,
) -> Result<Learned, Error> {
    let method = find(id).unwrap();
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    let learner = cokernel::mkl::learner(method, &params).unwrap();
    let bank = bank(kernels, Storage::Resident);
    train(&Problem::new(&bank, target, machine), learner.as_ref(), run)
}

fn learn(id: &str, given: &[(&str, Value)], kernels: &[Matrix], codes: &[u32]) -> Learned {
    let machine = Svc { tol: 1e-8, ..Svc::default() };
    let target = Target::from(classes(codes));
    learn_in(id, given, (kernels, &target), &machine, &Run::default()).unwrap()
}

fn text(value: &str) -> Value {
    Value::Text(value.to_string())
}

fn close(a: &[f64], b: &[f64], tol: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() <= tol * (1.0 + y.abs()))
}

#[test]
fn with_equal_prices_it_is_the_plain_problem() {
    let (kernels, codes) = problem(80, 2, 4, 3);
    let tight = ("tol", Value::Real(1e-8));
    let plain = learn("bach", std::slice::from_ref(&tight), &kernels, &codes);
    for (id, only) in [("rmkl", ("max_evaluations", Value::Int(1))), ("emkl", ("gamma", text("0")))]
    {
        let learned = learn(id, &[tight.clone(), only], &kernels, &codes);
        assert_eq!(learned.report.details["d"], [1.0; 4], "{id}");
        assert!(close(weights(&learned), weights(&plain), 1e-4), "{id}");
        let (a, b) = (decisions(&learned, &kernels), decisions(&plain, &kernels));
        assert!(close(&a.concat(), &b.concat(), 1e-3), "{id}");
    }
    let mean = learn("mean", &[], &kernels, &codes);
    let learned = learn("rwkl", &[("max_evaluations", Value::Int(1))], &kernels, &codes);
    assert!(close(weights(&learned), weights(&mean), 1e-15));
}

#[test]
fn gaps_are_true_for_the_prices_that_were_found() {
    let (kernels, codes) = problem(80, 2, 4, 5);
    let costs = Svc::default().costs(&classes(&codes), None).unwrap();
    for id in ["rmkl", "emkl"] {
        let learned = learn(id, &[("tol", Value::Real(1e-6))], &kernels, &codes);
        let d = &learned.report.details["d"];
        let eta = weights(&learned);
        let sum: f64 = eta.iter().zip(d).map(|(w, d)| d * d * w).sum();
        assert!((sum - 1.0).abs() < 1e-9 && eta.iter().all(|w| *w >= 0.0), "{id}: {eta:?} {d:?}");
        let (upper, alpha, forms) = parts(&learned, &kernels, &codes, &costs);
        let largest = forms.iter().zip(d).fold(0.0_f64, |a, (q, d)| a.max(q / (d * d)));
        let gap = (upper - (alpha - 0.5 * largest)) / upper;
        assert!((0.0..=1e-6).contains(&gap), "{id}: {gap}");
        assert!((gap - learned.report.gap.unwrap()).abs() < 1e-9, "{id}");
    }
}

/// One useful kernel, and others on which instances are next to nothing but themselves.
fn noise_beside(n: usize) -> (Vec<Matrix>, Vec<u32>) {
    let (useful, codes) = problem(n, 2, 1, 7);
    let wave = |i: usize, m: usize| ((i * (7 + 3 * m)) as f64 * 12.9898).sin() * 43_758.545_3;
    let narrow = |m: usize| {
        let x = Matrix::from_fn(n, 2, |i, j| wave(i + 1, 2 * m + j).fract());
        let mut k = crate::common::gaussian(&x, 200.0);
        (0..n).for_each(|i| k.set(i, i, 1.0));
        k
    };
    (vec![useful[0].clone(), narrow(0), narrow(1)], codes)
}

#[test]
fn the_search_is_told_and_its_best_is_kept() {
    let (kernels, codes) = noise_beside(90);
    for id in ["rmkl", "rwkl"] {
        let learned = learn(id, &[], &kernels, &codes);
        let details = &learned.report.details;
        let (errors, points) = (&details["validation_error"], &details["evaluated"]);
        assert!(errors.len() >= 6 && points.len() == 3 * errors.len(), "{id}");
        assert!(points.chunks(3).all(|p| p[0] == 1.0), "{id}: the first kernel's is fixed");
        assert!(points.iter().all(|v| (0.1..=10.0).contains(v)), "{id}");
        // The design: the centre, one step of 0.3 each way, a pair.
        let expected = [[0.0, 0.0], [0.3, 0.0], [-0.3, 0.0], [0.0, 0.3], [0.0, -0.3], [0.3, 0.3]];
        for (p, e) in points.chunks(3).zip(expected) {
            assert!((p[1].log10() - e[0]).abs() < 1e-12 && (p[2].log10() - e[1]).abs() < 1e-12);
        }
        let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
        let numbers: Vec<f64> = match id {
            "rmkl" => details["d"].clone(),
            _ => weights(&learned).iter().map(|w| w / weights(&learned)[0]).collect(),
        };
        let chosen = points.chunks(3).position(|p| close(p, &numbers, 1e-9)).unwrap();
        assert_eq!(errors[chosen], least, "{id}");
        assert!(least <= errors[0] && errors.iter().all(|e| (0.0..=1.0).contains(e)), "{id}");
        let last = learn(id, &[("answer", text("last"))], &kernels, &codes);
        assert_eq!(last.report.details["evaluated"], *points, "{id}: the same search");
    }
}

#[test]
fn large_eigenvalues_are_counted() {
    let (kernels, codes) = noise_beside(60);
    let learned = learn("emkl", &[("gamma", text("0.5"))], &kernels, &codes);
    let details = &learned.report.details;
    for (m, kernel) in kernels.iter().enumerate() {
        let bound = 0.5 * (0..60).map(|i| kernel.get(i, i)).sum::<f64>() / 60.0;
        let values = symmetric_eigen(kernel).unwrap().0;
        let count = values.iter().filter(|v| **v > bound).count() as f64;
        assert_eq!(details["eigenvalues"][m], count);
        assert!((details["d"][m] - count.sqrt()).abs() < 1e-12);
    }
    assert!(details["eigenvalues"][1] > details["eigenvalues"][0]);
    // The whole list: the least error is taken.
    let learned = learn("emkl", &[], &kernels, &codes);
    let details = &learned.report.details;
    let errors = &details["validation_error"];
    assert_eq!(errors.len(), 11);
    let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
    let first = errors.iter().position(|e| *e == least).unwrap();
    assert_eq!(details["gamma"], [details["gammas"][first]]);
}

#[test]
fn numbers_are_learned_by_squared_error() {
    let (kernels, codes) = noise_beside(60);
    let values: Vec<f64> =
        codes.iter().enumerate().map(|(i, c)| f64::from(*c) + 0.01 * i as f64).collect();
    let target = Target::Real(values);
    for (id, machine) in
        [("rmkl", "svr"), ("emkl", "svr"), ("rwkl", "svr"), ("rwkl", "kernel_ridge")]
    {
        let machine = machine.parse::<MachineSpec>().unwrap().checked().unwrap().build().unwrap();
        let learned =
            learn_in(id, &[], (&kernels, &target), machine.as_ref(), &Run::default()).unwrap();
        let errors = &learned.report.details["validation_error"];
        let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(least > 0.0 && least < errors[0] * (1.0 + 1e-12), "{id}: {errors:?}");
    }
}

#[test]
fn limits_and_single_instances_are_told() {
    let (kernels, mut codes) = problem(40, 2, 3, 3);
    for id in ["rmkl", "rwkl"] {
        let learned = learn(id, &[("max_evaluations", Value::Int(4))], &kernels, &codes);
        assert_eq!(learned.report.details["validation_error"].len(), 4, "{id}");
        let told = "limit of 4 evaluations (max_evaluations); its design has 6";
        assert!(learned.report.notes.iter().any(|n| n.contains(told)), "{id}");
    }
    codes.iter_mut().skip(1).for_each(|c| *c %= 2);
    codes[0] = 2;
    for id in ["rmkl", "emkl", "rwkl"] {
        let learned = learn(id, &[], &kernels, &codes);
        let note = "a class has a single instance";
        assert!(learned.report.notes.iter().any(|n| n.contains(note)), "{id}");
        assert!(learned.report.status.is_success(), "{id}");
    }
    let none = Run { time_limit: Some(std::time::Duration::ZERO), ..Run::default() };
    let target = Target::from(classes(&codes));
    for id in ["rmkl", "emkl", "rwkl"] {
        let learned = learn_in(id, &[], (&kernels, &target), &Svc::default(), &none).unwrap();
        assert_eq!(learned.report.status, Status::TimeLimit, "{id}");
    }
}

#[test]
fn detectors_are_refused() {
    let machine = machines().find(|m| m.id == "one_class_svm").unwrap();
    for id in ["rmkl", "emkl", "rwkl"] {
        let e = goes_with(find(id).unwrap(), machine).unwrap_err().to_string();
        assert!(
            e.contains(&format!("method '{id}' does not go with machine 'one_class_svm'")),
            "{e}"
        );
    }
}

/// Views of 16, 16, 64 and 256 features, as in LMKA Table 5.12.
#[test]
fn features_are_counted_and_seconds_are_kept() {
    let (_, codes) = problem(60, 2, 1, 3);
    let labels: Vec<String> = codes.iter().map(u32::to_string).collect();
    let labels = Labels::from_texts(&labels);
    let mut views = Views::new();
    let entry = |i: usize, j: usize| {
        ((i * 31 + j * 17) as f64).sin() + f64::from(codes[i]) * (j as f64).cos()
    };
    for (name, columns) in [("dyn", 16), ("sta4", 16), ("sta8", 64), ("sta16", 256)] {
        views = views.dense(name, Matrix::from_fn(60, columns, entry)).unwrap();
    }
    let kernels = || ["dyn", "sta4", "sta8", "sta16"].map(|v| KernelSpec::linear().view(v));
    let fit = |d: Value| Mkl::new("bach").unwrap().kernels(kernels()).param("d", d);
    let model = fit(text("features")).fit(&views, &labels, &Run::default()).unwrap();
    assert_eq!(model.prices().unwrap(), [1.0, 1.0, 2.0, 4.0]);
    let weights = model.weights();
    let active = weights.iter().filter(|w| w.active).map(|w| match w.view.as_str() {
        "sta8" => 2.0,
        "sta16" => 4.0,
        _ => 1.0,
    });
    let cost = active.sum::<f64>() / 8.0 * 100.0 * model.n_support() as f64 / 60.0;
    assert!((model.inspect().total_cost.unwrap() - cost).abs() < 1e-9);
    let read = cokernel::model::Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(read.inspect().total_cost, model.inspect().total_cost);
    assert!(
        model.total_cost(&[1.0; 3]).unwrap_err().to_string().contains("4, one for each kernel")
    );
    assert!(model.total_cost(&[1.0, 0.0, 1.0, 1.0]).unwrap_err().to_string().contains("found 0"));
    // The prices by name are the same fit.
    let named = [("sta8".to_string(), 2.0), ("sta16".to_string(), 4.0)];
    let given = fit(Value::Factors(named.into())).fit(&views, &labels, &Run::default()).unwrap();
    assert_eq!(given.weights(), model.weights());
    let measured = fit(text("measured")).fit(&views, &labels, &Run::default()).unwrap();
    let (d, seconds) = (measured.prices().unwrap(), &measured.report().details["seconds"]);
    let least = seconds.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(seconds.iter().zip(d).all(|(s, d)| (d * d - s / least).abs() < 1e-9 * d * d));
    // Given matrices have no features, and take no time to compute.
    let (kernels, codes) = problem(40, 2, 3, 1);
    let target = Target::from(classes(&codes));
    for word in ["features", "measured"] {
        let given = [("d", text(word))];
        let e = learn_in("bach", &given, (&kernels, &target), &Svc::default(), &Run::default());
        let e = e.unwrap_err().to_string();
        assert!(e.contains(&format!("d = {word}")) && e.contains("d by name"), "{e}");
    }
}

/// Columns of mean 0 and deviation 1 of GAUSS3 (LMKA Table 2.2), which has its classes by turns.
fn gauss3(n: usize, seed: u64) -> (Vec<[f64; 2]>, Vec<u32>) {
    let mut rng = Run::with_seed(seed).rng("mixture");
    let mut uniform = || rng.random::<f64>();
    let mut rows = Vec::new();
    for i in 0..n {
        let centre = [[-2.0, 1.0], [0.0, -2.2], [2.0, 1.0], [0.0, -2.2]][i % 4];
        let second = [2.0_f64, 4.0][i % 2];
        // Box and Muller: two normal numbers.
        let (radius, angle) = ((-2.0 * (1.0 - uniform()).ln()).sqrt(), 2.0 * PI * uniform());
        let normal = [radius * angle.cos(), radius * angle.sin()];
        rows.push([centre[0] + 0.8_f64.sqrt() * normal[0], centre[1] + second.sqrt() * normal[1]]);
    }
    for j in 0..2 {
        let mean = rows.iter().map(|x| x[j]).sum::<f64>() / n as f64;
        let square = rows.iter().map(|x| (x[j] - mean).powi(2)).sum::<f64>() / n as f64;
        rows.iter_mut().for_each(|x| x[j] = (x[j] - mean) / square.sqrt());
    }
    (rows, (0..n).map(|i| (i % 2) as u32).collect())
}

/// k_L, k_P and k_G of LMKA §2.7.1: the first two with the unit diagonal of (2.9), s of (2.10).
fn three_kernels(rows: &[[f64; 2]]) -> Vec<Matrix> {
    let n = rows.len();
    let dot = |i: usize, j: usize| rows[i][0] * rows[j][0] + rows[i][1] * rows[j][1];
    let square = |i: usize, j: usize| dot(i, i) + dot(j, j) - 2.0 * dot(i, j);
    let unit = |k: &dyn Fn(usize, usize) -> f64| {
        Matrix::from_fn(n, n, |i, j| k(i, j) / (k(i, i) * k(j, j)).sqrt())
    };
    let nearest = |i: usize| {
        let others = (0..n).filter(|j| *j != i).map(|j| square(i, j).max(0.0).sqrt());
        others.fold(f64::INFINITY, f64::min)
    };
    let s = (0..n).map(nearest).sum::<f64>() / n as f64;
    let gaussian = Matrix::from_fn(n, n, |i, j| (-square(i, j).max(0.0) / (s * s)).exp());
    vec![unit(&dot), unit(&|i, j| (dot(i, j) + 1.0).powi(2)), gaussian]
}

/// LMKA §2.7.1 prints the weights of MKL and of RMKL on one draw of GAUSS3, neither its seed nor C: on halves of 400
/// instances with C = 1 they are within two deviations over draws, and k_P comes before k_G only at the prices that RMKL found.
#[test]
fn printed_weights_come_out_at_the_printed_prices() {
    let machine = Svc { c: 1.0, ..Svc::default() };
    let draws = 6;
    for (d, printed) in
        [([1.0, 1.0, 1.0], [0.00, 0.25, 0.75]), ([1.0, 0.85, 1.46], [0.00, 0.48, 0.31])]
    {
        // Printed digits keep (2.5), Σ d² η = 1, within their rounding.
        let square = |m: usize| d[m] * d[m];
        let sum: f64 = (0..3).map(|m| square(m) * printed[m]).sum();
        let rounding: f64 = (0..3).map(|m| 0.005 * (square(m) + 2.0 * d[m] * printed[m])).sum();
        assert!((sum - 1.0).abs() <= rounding, "{sum}");
        let prices = text(&format!("k0={},k1={},k2={}", d[0], d[1], d[2]));
        let mut found = Vec::new();
        for seed in 0..draws {
            let (rows, codes) = gauss3(400, seed);
            let target = Target::from(classes(&codes));
            let given = [("d", prices.clone())];
            let kernels = three_kernels(&rows);
            let run = Run::default();
            let learned = learn_in("bach", &given, (&kernels, &target), &machine, &run).unwrap();
            found.push(weights(&learned).to_vec());
        }
        for m in 0..3 {
            let of: Vec<f64> = found.iter().map(|w| w[m]).collect();
            let mean = of.iter().sum::<f64>() / draws as f64;
            let sd =
                (of.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (draws - 1) as f64).sqrt();
            let apart = (mean - printed[m]).abs();
            assert!(
                apart <= 2.0 * sd + 0.005,
                "d = {d:?}, kernel {m}: {mean} ± {sd}, {}",
                printed[m]
            );
        }
        assert!(found.iter().all(|w| (w[1] > w[2]) == (d[1] < 1.0)), "{found:?}");
    }
}
