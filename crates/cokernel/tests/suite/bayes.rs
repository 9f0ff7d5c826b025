//! Bayesian methods: bounds that never fall, scales, threads, storages, stops, files, probabilities.

use crate::common::{bank, classes, problem, rules};
use cokernel::bank::Storage;
use cokernel::catalogue::find;
use cokernel::data::{Labels, Matrix, Target, Views, toy};
use cokernel::kernel::KernelSpec;
use cokernel::machine::MachineSpec;
use cokernel::mkl::{Learned, Problem, learner, train};
use cokernel::model::{Mkl, Model};
use cokernel::params::Value;
use cokernel::{Cancel, Run, Status};
use std::time::Duration;

const ALL: [&str; 4] = ["bemkl", "gaussian_process", "girolami_rogers", "gibbs_probit"];

/// What makes a method quick, or exact.
fn given(id: &str) -> Vec<(&'static str, Value)> {
    match id {
        "gibbs_probit" => vec![("burn_in", Value::Int(30)), ("draws", Value::Int(40))],
        "gaussian_process" => vec![("tol", Value::Real(1e-8))],
        _ => Vec::new(),
    }
}

fn learn(
    id: &str,
    kernels: &[Matrix],
    target: &Target,
    more: &[(&'static str, Value)],
    run: &Run,
) -> Learned {
    let method = find(id).unwrap();
    let all = [given(id), more.to_vec()].concat();
    let params = method.check(all.iter().map(|(n, v)| (*n, v))).unwrap();
    let machine =
        if matches!(target, Target::Real(_)) { "kernel_ridge" } else { "kernel_logistic" };
    let machine = MachineSpec::new(machine).unwrap().checked().unwrap().build().unwrap();
    let (learner, bank) = (learner(method, &params).unwrap(), bank(kernels, Storage::Resident));
    train(&Problem::new(&bank, target, machine.as_ref()), learner.as_ref(), run).unwrap()
}

fn times(kernels: &[Matrix], s: f64) -> Vec<Matrix> {
    kernels.iter().map(|k| Matrix::from_fn(k.rows(), k.cols(), |i, j| s * k.get(i, j))).collect()
}

/// Up to rounding of a sum of this size.
fn rises(trace: &[f64]) -> bool {
    trace.windows(2).all(|w| w[1] >= w[0] - 1e-9 * (1.0 + w[0].abs()))
}

#[test]
fn bounds_never_fall_at_any_scale() {
    for (n, count, kernels) in [(40, 2, 3), (45, 3, 4), (2, 2, 1), (30, 2, 1), (24, 2, 200)] {
        let (matrices, codes) = problem(n, count, kernels, 5);
        let target = Target::Classes(classes(&codes));
        for id in ["bemkl", "girolami_rogers"] {
            let exact = [("tol", Value::Real(1e-9)), ("max_iterations", Value::Int(60))];
            let plain = learn(id, &matrices, &target, &exact, &Run::default());
            assert!(rises(&plain.report.objective), "{id} {n} {:?}", plain.report.objective);
            let want = rules::decisions(&plain, &matrices).concat();
            for scale in [1e-12, 1e12] {
                let found = learn(id, &times(&matrices, scale), &target, &exact, &Run::default());
                let trace = &found.report.objective;
                assert!(!trace.is_empty() && rises(trace), "{id} {n} {kernels} {scale} {trace:?}");
                let values = rules::decisions(&found, &times(&matrices, scale)).concat();
                for (a, b) in values.iter().zip(&want) {
                    assert!((a - b).abs() <= 1e-6 * (1.0 + b.abs()), "{id} {n} {scale} {a} {b}");
                }
            }
        }
        // Sparse weights, numbers, and kernels of very unlike sizes.
        let sparse = [("weights_prior", Value::from("sparse")), ("max_iterations", Value::Int(60))];
        let found = learn("bemkl", &matrices, &target, &sparse, &Run::default());
        assert!(rises(&found.report.objective), "{:?}", found.report.objective);
        let numbers: Vec<f64> =
            (0..n).map(|i| f64::from(codes[i]) * 1e6 + (i as f64).sin()).collect();
        let few = [("max_iterations", Value::Int(60))];
        let found = learn("bemkl", &matrices, &Target::Real(numbers), &few, &Run::default());
        assert!(rises(&found.report.objective), "{:?}", found.report.objective);
        let mut unlike = matrices.clone();
        unlike[0] = times(&matrices[..1], 1e10).remove(0);
        for id in ["bemkl", "girolami_rogers"] {
            let found = learn(id, &unlike, &target, &few, &Run::default());
            assert!(rises(&found.report.objective), "{id} {:?}", found.report.objective);
        }
    }
}

#[test]
fn sparse_weights_are_fewer_and_copies_are_taken() {
    let (mut kernels, codes) = problem(60, 2, 8, 3);
    let target = Target::Classes(classes(&codes));
    kernels.push(kernels[0].clone());
    for id in ALL {
        let found = learn(id, &kernels, &target, &[], &Run::default());
        assert!(found.report.iterations > 0, "{id}");
        let (a, b) = (found.rule.uses()[0], found.rule.uses()[8]);
        // No start prefers one of two copies; draws do.
        assert!(id == "gibbs_probit" || (a - b).abs() <= 1e-6 * (1.0 + a.abs()), "{id} {a} {b}");
    }
    let norm = |l: &Learned| {
        let w: Vec<f64> = l.rule.uses();
        let one: f64 = w.iter().map(|v| v.abs()).sum();
        one / w.iter().fold(0.0_f64, |a, v| a.max(v.abs()))
    };
    let sparse = [("weights_prior", Value::from("sparse"))];
    let dense = norm(&learn("bemkl", &kernels, &target, &[], &Run::default()));
    assert!(norm(&learn("bemkl", &kernels, &target, &sparse, &Run::default())) < dense);
}

#[test]
fn threads_and_storages_do_not_matter() {
    let (kernels, codes) = problem(50, 3, 3, 4);
    let target = Target::Classes(classes(&codes));
    for id in ALL {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut found = pool.install(|| learn(id, &kernels, &target, &[], &Run::with_seed(3)));
            found.report.seconds = 0.0;
            found
        };
        assert_eq!(on(1), on(2), "{id}");
    }
    let (views, labels) = toy::views(40, 2, &[2.0, 1.0], 5).unwrap();
    for id in ALL {
        let by = |storage| {
            let mkl = mkl(id).storage(storage);
            mkl.fit(&views, &labels, &Run::default()).unwrap().predict(&views).unwrap()
        };
        let (a, b) = (by(Storage::Resident), by(Storage::OnDemand));
        // Draws follow the last digits.
        let tol = if id == "gibbs_probit" { 1.0 } else { 1e-6 };
        for (a, b) in a.decisions.values().iter().zip(b.decisions.values()) {
            assert!((a - b).abs() <= tol * (1.0 + b.abs()), "{id} {a} {b}");
        }
    }
}

fn mkl(id: &str) -> Mkl {
    let specs: Vec<KernelSpec> =
        ["gaussian:gamma=0.05,0.5", "linear"].iter().map(|t| t.parse().unwrap()).collect();
    let machine = MachineSpec::new("kernel_logistic").unwrap();
    let mkl = Mkl::new(id).unwrap().kernels(specs).machine(machine);
    given(id).into_iter().fold(mkl, |mkl, (name, value)| mkl.param(name, value))
}

#[test]
fn models_read_back_say_the_same_probabilities() {
    for count in [2, 3] {
        let (views, labels) = toy::views(60, count, &[2.0, 1.0], 5).unwrap();
        let (new, _) = toy::views(25, count, &[2.0, 1.0], 6).unwrap();
        for id in ALL.into_iter().chain(["mean"]) {
            let model = mkl(id).fit(&views, &labels, &Run::with_seed(1)).unwrap();
            let told = model.predict(&new).unwrap();
            let p = told.probabilities.as_ref().unwrap();
            assert_eq!((p.rows(), p.cols()), (25, count), "{id}");
            for i in 0..25 {
                let sum: f64 = p.row(i).iter().sum();
                assert!((sum - 1.0).abs() < 1e-12, "{id} {sum}");
                assert!(p.row(i).iter().all(|p| (0.0..=1.0).contains(p)), "{id}");
            }
            let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(again.predict(&new).unwrap(), told, "{id}");
            assert_eq!(again, model, "{id}");
            // Damaged in the part that tells how uncertain it is.
            let errors = model.weights().iter().filter_map(|w| w.error).count();
            let tells = !["mean", "gaussian_process"].contains(&id);
            assert_eq!(errors, if tells { model.weights().len() } else { 0 }, "{id}");
            // The most probable class is most often the right one.
            let right = model.predict(&views).unwrap();
            let p = right.probabilities.unwrap();
            let truth = labels.classes().unwrap();
            let hits = (0..60).filter(|i| {
                let best = (0..count).max_by(|a, b| p.get(*i, *a).total_cmp(&p.get(*i, *b)));
                best == Some(truth.codes[*i] as usize)
            });
            assert!(hits.count() >= 45, "{id}");
        }
    }
}

#[test]
fn stops_keep_what_there_is() {
    let (kernels, codes) = problem(60, 3, 3, 4);
    let target = Target::Classes(classes(&codes));
    let cancel = Cancel::default();
    cancel.cancel();
    let cancelled = Run { cancel, ..Run::default() };
    let late = Run { time_limit: Some(Duration::ZERO), ..Run::default() };
    for id in ALL {
        for (run, status) in [(&cancelled, Status::Interrupted), (&late, Status::TimeLimit)] {
            let found = learn(id, &kernels, &target, &[], run);
            assert_eq!(found.report.status, status, "{id}");
            assert!(found.rule.uses().iter().all(|w| w.is_finite()), "{id}");
            // Of a burn-in no deviations are known.
            let told = found.report.details.contains_key("weight_errors");
            assert!(!told || id != "gibbs_probit", "{id}");
            assert_eq!(found.machines.unwrap().blocks.len(), 3, "{id}");
        }
    }
}

/// Where time ends all chains have their draws.
#[test]
fn chains_are_as_far_as_each_other() {
    let (kernels, codes) = problem(20, 2, 2, 4);
    let target = Target::Classes(classes(&codes));
    let given = |kept: i64| {
        [("burn_in", Value::Int(0)), ("draws", Value::Int(100_000)), ("kept", Value::Int(kept))]
    };
    let run = Run { time_limit: Some(Duration::from_millis(300)), ..Run::default() };
    let found = learn("gibbs_probit", &kernels, &target, &given(4), &run);
    assert_eq!(found.report.status, Status::TimeLimit);
    // Draws of all four chains, so that something is known of them.
    assert!(found.report.details.contains_key("weight_errors"), "{:?}", found.report.notes);
    assert_eq!(found.report.details["accepted"].len(), 4);
    assert!(found.report.details["accepted"].iter().all(|a| *a > 0.0));
}

#[test]
fn weights_of_instances() {
    let (views, labels) = toy::views(60, 2, &[2.0, 1.0], 5).unwrap();
    let weights: Vec<f64> = (0..60).map(|i| [1.0, 2.0, 0.0, 1.0][i % 4]).collect();
    let repeated: Vec<usize> =
        (0..60).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let run = Run::default();
    // Of a Gaussian process a weight of 2 is the same instance twice.
    let fit = |views: &Views, labels: &Labels, w: Option<&[f64]>| {
        let mkl = mkl("gaussian_process");
        match w {
            Some(w) => mkl.fit_weighted(views, labels, w, &run).unwrap(),
            None => mkl.fit(views, labels, &run).unwrap(),
        }
        .predict(&views.select(&[0, 1, 2, 3]))
        .unwrap()
    };
    let a = fit(&views, &labels, Some(&weights));
    let b = fit(&views.select(&repeated), &labels.select(&repeated), None);
    let first = |p: &Matrix| p.get(0, 1);
    let (a, b) =
        (first(a.probabilities.as_ref().unwrap()), first(b.probabilities.as_ref().unwrap()));
    assert!((a - b).abs() < 1e-3, "{a} {b}");
    // Weights of 0 are as if the instance were not there, for all.
    let zero: Vec<f64> = (0..60).map(|i| f64::from(u8::from(i % 4 != 2))).collect();
    let kept: Vec<usize> = (0..60).filter(|i| i % 4 != 2).collect();
    for id in ALL {
        let weighted = mkl(id).fit_weighted(&views, &labels, &zero, &run).unwrap();
        let alone = mkl(id).fit(&views.select(&kept), &labels.select(&kept), &run).unwrap();
        let (a, b) = (weighted.predict(&views).unwrap(), alone.predict(&views).unwrap());
        for (a, b) in a.decisions.values().iter().zip(b.decisions.values()) {
            assert!((a - b).abs() <= 1e-6 * (1.0 + b.abs()), "{id} {a} {b}");
        }
    }
    let halves = vec![0.5; 60];
    let e = mkl("gibbs_probit").fit_weighted(&views, &labels, &halves, &run).unwrap_err();
    assert!(e.to_string().contains("0 or 1 only"), "{e}");
}

#[test]
fn what_cannot_be_is_refused() {
    let (views, labels) = toy::views(30, 3, &[2.0, 1.0], 5).unwrap();
    let run = Run::default();
    for id in ALL {
        let e = mkl(id).machine(MachineSpec::new("svc").unwrap()).fit(&views, &labels, &run);
        let e = e.unwrap_err().to_string();
        assert!(e.contains("kernel_logistic"), "{id}: {e}");
        let mut pairs = MachineSpec::new("kernel_logistic").unwrap();
        pairs.set("decomposition", "one_vs_one");
        let e = mkl(id).machine(pairs).fit(&views, &labels, &run).unwrap_err().to_string();
        assert!(e.contains("one_vs_rest"), "{id}: {e}");
        let small = Run { memory: 1000, ..Run::default() };
        let e = mkl(id).fit(&views, &labels, &small).unwrap_err().to_string();
        assert!(e.contains("memory"), "{id}: {e}");
    }
}
