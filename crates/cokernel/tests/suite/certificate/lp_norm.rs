//! lp-norm MKL: bounds by plain loops, its ends p = 1 and p → ∞, and both directions.

use super::mkl::{bank, classes, parts, problem, simple_mkl, weights};
use cokernel::bank::Storage;
use cokernel::catalogue::find;
use cokernel::data::{Matrix, Target};
use cokernel::machine::{Decomposition, MachineSpec, Svc};
use cokernel::mkl::{Learned, Problem, learner, train};
use cokernel::params::Value;
use cokernel::{Run, Status};

fn lp(
    kernels: &[Matrix],
    target: &Target,
    machine: &dyn cokernel::machine::Machine,
    (p, tol, direction): (f64, f64, &str),
) -> Learned {
    let method = find("lp_norm").unwrap();
    let given = [("p", p.into()), ("tol", tol.into()), ("direction", Value::from(direction))];
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    let bank = bank(kernels, Storage::Resident);
    let problem = Problem::new(&bank, target, machine);
    train(&problem, learner(method, &params).unwrap().as_ref(), &Run::default()).unwrap()
}

/// ‖q‖ of the norm that is dual to that of p.
fn dual_norm(q: &[f64], p: f64) -> f64 {
    let r = p / (p - 1.0);
    q.iter().map(|q| q.powf(r)).sum::<f64>().powf(1.0 / r)
}

#[test]
fn gaps_are_true_for_every_norm() {
    for (count, decomposition, c) in [
        (2, Decomposition::OneVsRest, 1.0),
        (2, Decomposition::OneVsRest, 100.0),
        (3, Decomposition::OneVsRest, 5.0),
        (4, Decomposition::OneVsOne, 5.0),
    ] {
        let (kernels, codes) = problem(60, count, 6, 1);
        let classes = classes(&codes);
        let machine = Svc { c, decomposition, tol: 1e-9, ..Svc::default() };
        let costs = machine.costs(&classes, None).unwrap();
        let target = Target::from(classes);
        for p in [1.01, 1.1, 4.0 / 3.0, 2.0, 4.0, 50.0] {
            let what = format!("{count} classes, C = {c}, p = {p}");
            let newton = lp(&kernels, &target, &machine, (p, 1e-7, "newton"));
            let eta = weights(&newton);
            let norm: f64 = eta.iter().map(|w| w.powf(p)).sum();
            assert!((norm - 1.0).abs() < 1e-12 && eta.iter().all(|w| *w >= 0.0), "{what}");
            let (upper, sum, forms) = parts(&newton, &kernels, &codes, &costs);
            let gap = (upper - (sum - 0.5 * dual_norm(&forms, p))) / upper;
            assert!((-1e-12..=1.1e-7).contains(&gap), "{what}: {gap}");
            assert!((gap - newton.report.gap.unwrap()).abs() < 1e-9, "{what}: {gap}");
            assert_eq!(newton.report.status, Status::Converged, "{what}");
            let trace = &newton.report.objective;
            assert!(trace.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-9)), "{what}: {trace:?}");
            if p >= 4.0 / 3.0 {
                let closed = lp(&kernels, &target, &machine, (p, 1e-5, "closed_form"));
                assert_eq!(closed.report.status, Status::Converged, "{what}");
                let other = parts(&closed, &kernels, &codes, &costs).0;
                assert!((other / upper - 1.0).abs() <= 1.1e-5, "{what}: {other} {upper}");
                for (a, b) in weights(&closed).iter().zip(eta) {
                    assert!((a - b).abs() < 0.05, "{what}: {a} {b}");
                }
            }
        }
    }
}

/// The certificate holds whichever machine it is: ℓ and the forms by plain loops.
#[test]
fn every_machine() {
    let (kernels, codes) = problem(40, 2, 5, 3);
    let n = codes.len();
    let numbers: Vec<f64> = (0..n).map(|i| kernels[0].get(i, 3) + f64::from(codes[i])).collect();
    for entry in cokernel::machine::REGISTRY {
        let spec: MachineSpec = entry.id.parse().unwrap();
        let checked = spec.checked().unwrap();
        let machine = checked.build().unwrap();
        let target = match entry.tasks[0] {
            cokernel::method::Task::Classify => Target::from(classes(&codes)),
            cokernel::method::Task::Regress => Target::Real(numbers.clone()),
            _ => Target::Nothing(n),
        };
        if cokernel::catalogue::goes_with(find("lp_norm").unwrap(), entry.method).is_err() {
            continue;
        }
        let learned = lp(&kernels, &target, machine.as_ref(), (1.5, 1e-5, "newton"));
        let machines = learned.machines.as_ref().unwrap();
        let form = |k: &Matrix, c: &[f64]| -> f64 {
            (0..n).map(|i| c[i] * (0..n).map(|j| k.get(i, j) * c[j]).sum::<f64>()).sum()
        };
        let forms: Vec<f64> =
            kernels.iter().map(|k| machines.heads().map(|h| form(k, &h.coef)).sum()).collect();
        let lower = machines.linear() - 0.5 * dual_norm(&forms, 1.5);
        let gap = (machines.primal() - lower) / machines.primal().abs();
        assert!((-1e-9..=1.1e-5).contains(&gap), "{}: {gap}", entry.id);
        assert!((gap - learned.report.gap.unwrap()).abs() < 1e-9, "{}: {gap}", entry.id);
    }
}

#[test]
fn p_1_is_simple_mkl_and_large_p_the_sum() {
    let (kernels, codes) = problem(60, 2, 6, 2);
    let classes = classes(&codes);
    let machine = Svc { c: 3.0, tol: 1e-9, ..Svc::default() };
    let target = Target::from(classes.clone());
    let one = lp(&kernels, &target, &machine, (1.0, 1e-7, "newton"));
    let simple = simple_mkl(&bank(&kernels, Storage::Resident), &classes, &machine, 1e-7, "newton");
    assert_eq!(weights(&one), weights(&simple));
    // The optimum over the balls grows steadily from the simplex on.
    let near = lp(&kernels, &target, &machine, (1.001, 1e-6, "newton"));
    let (a, b) = (near.report.objective.last().unwrap(), one.report.objective.last().unwrap());
    assert!((a / b - 1.0).abs() < 3e-3, "{a} {b}");
    let large = lp(&kernels, &target, &machine, (1e3, 1e-7, "newton"));
    assert!(weights(&large).iter().all(|w| (w - 1.0).abs() < 5e-3), "{:?}", weights(&large));
}
