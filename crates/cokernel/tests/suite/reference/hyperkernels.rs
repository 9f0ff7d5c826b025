//! Hyperkernels beside Clarabel, which solves the primal over all pairs of instances as one cone program.

use super::mkl::cholesky;
use crate::common::primal::{Loss, Weights, one_stage};
use crate::common::rules::value;
use crate::common::{bank, classes, problem};
use cokernel::bank::Storage;
use cokernel::catalogue::find;
use cokernel::data::{Matrix, Target};
use cokernel::machine::MachineSpec;
use cokernel::mkl::{Learned, Problem, learner, train};
use cokernel::params::Value;
use cokernel::{Run, Status};

/// Values of Gaussian kernels, with unit diagonal.
fn kernels(n: usize, seed: u64) -> (Vec<Matrix>, Vec<u32>) {
    let (kernels, codes) = problem(n, 2, 3, seed);
    let unit = |k: &Matrix| {
        Matrix::from_fn(n, n, |i, j| (k.get(i, j) / (k.get(i, i) * k.get(j, j)).sqrt()).abs())
    };
    (kernels.iter().map(unit).collect(), codes)
}

fn learn(
    kernels: &[Matrix],
    target: &Target,
    machine: &str,
    given: &[(&str, f64)],
    run: &Run,
) -> Learned {
    let method = find("hyperkernels").unwrap();
    let given: Vec<(&str, Value)> = given.iter().map(|(n, v)| (*n, Value::Real(*v))).collect();
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    let spec: MachineSpec = machine.parse().unwrap();
    let machine = spec.checked().unwrap().build().unwrap();
    let bank = bank(kernels, Storage::Resident);
    let problem = Problem::new(&bank, target, machine.as_ref());
    train(&problem, learner(method, &params).unwrap().as_ref(), run).unwrap()
}

/// q_p(x, z), from the values of the kernels at a pair and at x and z.
fn hyper(decay: f64, pair: &[f64], at: &[f64]) -> f64 {
    let both = pair.iter().zip(at);
    both.map(|(v, k)| (1.0 - decay) / (1.0 - decay * v * k)).product()
}

/// The objective over all pairs is that of the cone program, the gap is true, and the rule is the sum of its terms.
#[test]
fn hyperkernels_over_all_pairs() {
    let cases = [
        (0, "svc:c=1:tol=1e-9", 0.6, 1.0),
        (1, "svc:c=30:tol=1e-9", 0.6, 0.1),
        (2, "svc:c=5:tol=1e-9", 0.9, 10.0),
        (3, "svr:c=2:epsilon=0.05:tol=1e-9", 0.6, 0.5),
        (4, "kernel_ridge:lambda=0.2", 0.3, 1.0),
        (5, "svc:c=3:tol=1e-9", 0.6, 0.0),
    ];
    let n = 9;
    for (seed, text, decay, lambda) in cases {
        let (kernels, codes) = kernels(n, seed);
        let signs: Vec<f64> = codes.iter().map(|c| 2.0 * f64::from(*c) - 1.0).collect();
        let real: Vec<f64> = (0..n).map(|i| signs[i] + 0.5 * kernels[0].get(i, 3)).collect();
        let number = |name: &str| -> f64 {
            let spec: MachineSpec = text.parse().unwrap();
            spec.checked().unwrap().params().real(name)
        };
        let (y, target, loss) = match text.split(':').next().unwrap() {
            "svc" => (signs, Target::from(classes(&codes)), Loss::Hinge { c: number("c") }),
            "svr" => {
                let loss = Loss::Tube { c: number("c"), epsilon: number("epsilon") };
                (real.clone(), Target::Real(real), loss)
            }
            _ => (real.clone(), Target::Real(real), Loss::Squared { lambda: number("lambda") }),
        };
        let given = [("decay", decay), ("penalty", lambda), ("tol", 1e-7)];
        let learned = learn(&kernels, &target, text, &given, &Run::default());
        let what = format!("{seed}: {:?}", learned.report);
        assert_eq!(learned.report.status, Status::Converged, "{what}");
        assert!(learned.report.gap.unwrap() <= 1e-7, "{what}");
        assert!(learned.report.objective.windows(2).all(|w| w[1] <= w[0]), "{what}");
        let at = |i: usize, j: usize| kernels.iter().map(|k| k.get(i, j)).collect::<Vec<f64>>();
        // Instances with themselves are one pair: all kernels are 1 there.
        let two = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        let pairs: Vec<Vec<f64>> = [(0, 0)].into_iter().chain(two).map(|(i, j)| at(i, j)).collect();
        // Little more on the diagonal, so that there are factors.
        let own = |i: usize, j: usize| if i == j { 1.0 + 1e-11 } else { 1.0 };
        let of =
            |p: &Vec<f64>| Matrix::from_fn(n, n, |i, j| own(i, j) * hyper(decay, p, &at(i, j)));
        let all: Vec<Matrix> = pairs.iter().map(of).collect();
        let form = Matrix::from_fn(pairs.len(), pairs.len(), |p, r| {
            own(p, r) * hyper(decay, &pairs[p], &pairs[r])
        });
        let set = Weights::Form { lambda, root: cholesky(&form) };
        let (best, _) = one_stage(&all, &y, &loss, &set);
        let ours = *learned.report.objective.last().unwrap();
        assert!((ours / best - 1.0).abs() < 1e-6, "{what}: {ours} {best}");
        // From its file.
        let stored = learned.rule.stored();
        let list = |name: &str| -> Vec<f64> {
            stored.fields[name].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
        };
        let (weights, values) = (list("weights"), list("values"));
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{what}");
        for (i, j) in [(0, 0), (1, 5), (7, 8)] {
            let terms = weights.iter().zip(values.chunks(3));
            let want: f64 = terms.map(|(w, v)| w * hyper(decay, v, &at(i, j))).sum();
            assert!((value(&*learned.rule, &at(i, j)) - want).abs() < 1e-12, "{what}");
        }
    }
}

/// Kernels that it cannot take, one instance in each class, copies, and a stop.
#[test]
fn hyperkernels_of_odd_kernels() {
    let (kernels, codes) = kernels(12, 7);
    let target = Target::from(classes(&codes));
    let method = find("hyperkernels").unwrap();
    let params = method.check(std::iter::empty::<(&str, &Value)>()).unwrap();
    let spec: MachineSpec = "svc".parse().unwrap();
    let machine = spec.checked().unwrap().build().unwrap();
    let refused = |kernels: &[Matrix], target: &Target| {
        let bank = bank(kernels, Storage::Resident);
        let problem = Problem::new(&bank, target, machine.as_ref());
        train(&problem, learner(method, &params).unwrap().as_ref(), &Run::default())
            .unwrap_err()
            .to_string()
    };
    let twice = Matrix::from_fn(12, 12, |i, j| 2.0 * kernels[0].get(i, j));
    let said = refused(&[kernels[1].clone(), twice], &target);
    assert!(said.contains("unit diagonal") && said.contains("'k1'"), "{said}");
    let many = Matrix::from_fn(301, 301, |i, j| if i == j { 1.0 } else { 0.1 });
    let labels: Vec<u32> = (0..301).map(|i| i % 2).collect();
    let said = refused(&[many], &Target::from(classes(&labels)));
    assert!(said.contains("at most 300") && said.contains("301"), "{said}");
    // Signs: pairs with negative values take no part, and the result is positive semi-definite.
    let signed = Matrix::from_fn(12, 12, |i, j| {
        let sign = |i: usize| if i.is_multiple_of(3) { -1.0 } else { 1.0 };
        sign(i) * sign(j) * kernels[0].get(i, j)
    });
    let learned =
        learn(&[signed.clone(), kernels[1].clone()], &target, "svc", &[], &Run::default());
    let values = learned.rule.stored().fields["values"].clone();
    assert!(values.as_array().unwrap().iter().all(|v| v.as_f64().unwrap() >= 0.0));
    let combined = crate::common::rules::combined(&*learned.rule, &[signed, kernels[1].clone()]);
    // Its factor exists: the smallest eigenvalue is not below −10⁻⁹.
    let shifted =
        Matrix::from_fn(12, 12, |i, j| combined.get(i, j) + if i == j { 1e-9 } else { 0.0 });
    assert!(cholesky(&shifted).values().iter().all(|v| v.is_finite()));
    // Two copies, a kernel of ones, two instances.
    let ones = Matrix::from_fn(12, 12, |_, _| 1.0);
    let odd = [kernels[0].clone(), kernels[0].clone(), ones];
    let learned = learn(&odd, &target, "svc", &[], &Run::default());
    assert!(learned.report.gap.unwrap() <= 1e-3);
    for c in ["1e-12", "1e8", "1e17"] {
        let learned = learn(&kernels, &target, &format!("svc:c={c}"), &[], &Run::default());
        let report = &learned.report;
        let finite = report.objective.iter().chain(&report.gap).all(|v| v.is_finite());
        assert!(finite && report.gap.is_some(), "C = {c}: {report:?}");
        let reached = report.gap.is_some_and(|g| g <= 1e-3);
        assert_eq!(report.status.is_success(), reached, "C = {c}: {report:?}");
    }
    let two = [Matrix::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 0.5 })];
    let learned = learn(&two, &Target::from(classes(&[0, 1])), "svc:c=1e17", &[], &Run::default());
    assert!(learned.report.gap.is_some(), "{:?}", learned.report);
    let stopped = Run { time_limit: Some(std::time::Duration::ZERO), ..Run::default() };
    let learned = learn(&kernels, &target, "svc", &[], &stopped);
    assert!(!learned.report.status.is_success());
}
