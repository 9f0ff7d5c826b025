//! MKL methods: storages, threads and shrinking do not change what is learned.

use crate::common::{classes, classifiers, problem, simple_mkl};
use cokernel::Run;
use cokernel::bank::{Bank, Storage};
use cokernel::catalogue::find;
use cokernel::data::{Matrix, Target, Views};
use cokernel::kernel::{Function, Kernel, Metric};
use cokernel::machine::Svc;
use cokernel::mkl::{Learned, Problem, train};
use cokernel::params::Value;
use rand::RngExt;

fn views(n: usize) -> Views {
    let mut rng = Run::with_seed(9).rng("invariance data");
    let mut view = |gap: f64| {
        Matrix::from_fn(n, 3, |i, _| rng.random::<f64>() + if i % 2 == 0 { gap } else { 0.0 })
    };
    Views::new().dense("a", view(0.3)).unwrap().dense("b", view(0.1)).unwrap()
}

/// Gaussian kernels of three widths on two views, from features.
fn bank(n: usize, storage: Storage) -> Bank {
    let kernel = |view: &str, gamma: f64| Kernel {
        name: format!("gaussian@{view}({gamma})"),
        view: view.to_string(),
        column: None,
        function: Function::Exponential { metric: Metric::SquaredEuclidean, gamma },
        normalize: Vec::new(),
    };
    let kernels =
        ["a", "b"].iter().flat_map(|v| [0.5, 2.0, 8.0].map(|gamma| kernel(v, gamma))).collect();
    Bank::from_kernels(&views(n), kernels, storage, &Run::default()).unwrap()
}

/// Instances of a comparison of two ways: fewer for methods that solve many programs or large ones.
fn size(id: &str) -> usize {
    match id {
        "hyperkernels"
        | "infinite_mkl"
        | "kernel_boosting"
        | "lanckriet_alignment"
        | "lanckriet_sdp"
        | "lpk"
        | "rmkl" => 60,
        _ => 120,
    }
}

fn learn(id: &str, bank: &Bank, machine: &Svc, run: &Run) -> Learned {
    learn_to(1e-7, id, bank, machine, run)
}

fn learn_to(tol: f64, id: &str, bank: &Bank, machine: &Svc, run: &Run) -> Learned {
    let method = find(id).unwrap();
    let given = match id {
        "forest_two_stage" => Some(("trees", Value::Int(5))),
        // Later steps amplify rounding.
        "localized_mkl" | "gmkl" => Some(("max_iterations", Value::Int(3))),
        "gpk" | "lpk" => Some(("max_iterations", Value::Int(1))),
        _ if method.params.iter().any(|p| p.name == "tol") => Some(("tol", Value::Real(tol))),
        _ => None,
    };
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    let codes: Vec<u32> = (0..bank.n()).map(|i| (i % 2) as u32).collect();
    let classes = classes(&codes);
    let target = Target::from(classes.clone());
    let views = views(bank.n());
    let problem = Problem { views: Some(&views), ..Problem::new(bank, &target, machine) };
    train(&problem, cokernel::mkl::learner(method, &params).unwrap().as_ref(), run).unwrap()
}

fn assert_same(id: &str, a: &Learned, b: &Learned, tol: f64) {
    let weights = |l: &Learned| l.rule.weights().map(<[f64]>::to_vec).unwrap_or_default();
    // Where they end within their gap depends on the last digits.
    let coarse =
        ["silp", "level_mkl", "smo_mkl", "lanckriet_sdp", "ufo_mkl", "lanckriet_alignment"]
            .contains(&id);
    let apart = if coarse { 1e-2 } else { tol };
    for (x, y) in weights(a).iter().zip(&weights(b)) {
        assert!((x - y).abs() <= apart, "{id}: {:?} {:?}", weights(a), weights(b));
    }
    let (a, b) = (a.machines.as_ref().unwrap().primal(), b.machines.as_ref().unwrap().primal());
    assert!((a / b - 1.0).abs() <= tol, "{id}: {a} {b}");
}

#[test]
fn storages() {
    let machine = Svc { tol: 1e-8, ..Svc::default() };
    let run = Run::default();
    // Too little memory for an n × n matrix: kernels are read by rows.
    let small = Run { memory: 1000, ..Run::default() };
    for method in classifiers() {
        let id = method.id;
        let of = |storage| bank(size(id), storage);
        let resident = learn(id, &of(Storage::Resident), &machine, &run);
        let demand = learn(id, &of(Storage::OnDemand), &machine, &run);
        assert_same(id, &demand, &resident, 1e-5);
        let half = learn(id, &of(Storage::ResidentF32), &machine, &run);
        assert_same(id, &half, &resident, 1e-3);
        // Its matrices have to fit.
        if ["lanckriet_sdp", "infinite_mkl", "hyperkernels", "convex_localized"].contains(&id) {
            continue;
        }
        let rows = learn(id, &of(Storage::OnDemand), &machine, &small);
        assert_same(id, &rows, &resident, 1e-5);
    }
}

/// UFO-MKL keeps rows of all kernels as far as half of the memory suffices: all, a third of them, none.
#[test]
fn rows_that_are_kept_change_no_bit() {
    let machine = Svc::default();
    for storage in [Storage::Resident, Storage::OnDemand] {
        let bank = bank(120, storage);
        let on = learn("ufo_mkl", &bank, &machine, &Run::default());
        for rows in [0, 40] {
            let run = Run { memory: 2 * 8 * 120 * bank.len() * rows, ..Run::default() };
            let off = learn("ufo_mkl", &bank, &machine, &run);
            assert_eq!(on.rule.weights(), off.rule.weights());
            assert_eq!(on.report.objective, off.report.objective);
            assert_eq!(on.report.gaps, off.report.gaps);
        }
    }
}

#[test]
fn shrinking_and_cache() {
    let plain = Svc { tol: 1e-8, shrinking: false, ..Svc::default() };
    let fast = Svc { shrinking: true, cache: 5000, ..plain.clone() };
    for method in classifiers() {
        let bank = bank(size(method.id), Storage::Resident);
        let a = learn(method.id, &bank, &plain, &Run::default());
        let b = learn(method.id, &bank, &fast, &Run::default());
        assert_same(method.id, &b, &a, 1e-5);
    }
}

#[test]
fn one_thread_and_two_give_the_same_bits() {
    let (kernels, codes) = problem(150, 3, 6, 4);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut all = Vec::new();
            // One storage for each method, in turn: it takes long.
            let storages = [Storage::Resident, Storage::OnDemand].into_iter().cycle();
            for (method, storage) in classifiers().zip(storages) {
                let bank = bank(150, storage);
                // Bits are the same wherever it ends.
                let svc = Svc::default();
                all.push(learn_to(1e-2, method.id, &bank, &svc, &Run::default()));
            }
            let bank = crate::common::bank(&kernels, Storage::Resident);
            all.push(simple_mkl(&bank, &classes(&codes), &Svc::default(), 1e-5, "newton"));
            all.push(simple_mkl(&bank, &classes(&codes), &Svc::default(), 1e-2, "gradient"));
            all.iter_mut().for_each(|l| l.report.seconds = 0.0);
            all
        })
    };
    assert_eq!(on(1), on(2));
}
