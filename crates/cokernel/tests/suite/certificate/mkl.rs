//! The duality gap of SimpleMKL, recomputed from the matrices by plain loops.

pub use crate::common::{bank, classes, problem, simple_mkl, weights};
use cokernel::Run;
use cokernel::bank::Storage;
use cokernel::catalogue::find;
use cokernel::data::{Matrix, Target};
use cokernel::machine::{Block, Decomposition, Role, Svc};
use cokernel::mkl::{Learned, Problem, train};
use cokernel::params::Value;

/// +1, −1, or 0 for instances that take no part in the binary problem.
fn sign(dual: &Block, code: u32) -> f64 {
    let Role::Classes { positive, negative } = dual.heads[0].role else { panic!("classes") };
    match negative {
        _ if code == positive => 1.0,
        Some(negative) if negative != code => 0.0,
        _ => -1.0,
    }
}

fn form(k: &Matrix, c: &[f64]) -> f64 {
    let n = c.len();
    (0..n).map(|i| c[i] * (0..n).map(|j| k.get(i, j) * c[j]).sum::<f64>()).sum()
}

/// Upper and lower bound of SimpleMKL's optimum from (η, c, b); checks that α is feasible.
fn bounds(learned: &Learned, kernels: &[Matrix], codes: &[u32], costs: &[f64]) -> (f64, f64) {
    let (upper, sum, forms) = parts(learned, kernels, codes, costs);
    (upper, sum - 0.5 * forms.iter().fold(0.0_f64, |a, q| a.max(*q)))
}

/// The primal objective, Σ α and the quadratic forms of all kernels; checks that α is feasible.
pub fn parts(
    learned: &Learned,
    kernels: &[Matrix],
    codes: &[u32],
    costs: &[f64],
) -> (f64, f64, Vec<f64>) {
    let (eta, n) = (weights(learned), codes.len());
    let combined = Matrix::from_fn(n, n, |i, j| {
        eta.iter().zip(kernels).map(|(w, k)| w * k.get(i, j)).sum::<f64>()
    });
    let (mut upper, mut sum) = (0.0, 0.0);
    let mut forms = vec![0.0; kernels.len()];
    for dual in &learned.machines.as_ref().unwrap().blocks {
        let c = &dual.heads[0].coef;
        assert!(c.iter().sum::<f64>().abs() < 1e-9);
        upper += 0.5 * form(&combined, c);
        for i in 0..n {
            let y = sign(dual, codes[i]);
            let alpha = c[i] * y;
            assert!(
                (-1e-12..=costs[i] * (1.0 + 1e-12)).contains(&alpha) && (y != 0.0 || c[i] == 0.0)
            );
            let f: f64 =
                (0..n).map(|j| combined.get(i, j) * c[j]).sum::<f64>() + dual.heads[0].bias;
            upper += y.abs() * costs[i] * (1.0 - y * f).max(0.0);
            sum += alpha;
        }
        for (q, k) in forms.iter_mut().zip(kernels) {
            *q += form(k, c);
        }
    }
    (upper, sum, forms)
}

#[test]
fn reported_gaps_are_true() {
    for (count, decomposition) in
        [(2, Decomposition::OneVsRest), (3, Decomposition::OneVsRest), (4, Decomposition::OneVsOne)]
    {
        let (kernels, codes) = problem(80, count, 6, 1);
        let classes = classes(&codes);
        let class_weights = vec![("1".to_string(), 3.0)];
        let machine = Svc { c: 2.0, decomposition, class_weights, ..Svc::default() };
        let costs = machine.costs(&classes, None).unwrap();
        assert_eq!(costs[1], 6.0);
        let mut last = f64::INFINITY;
        for (tol, direction) in [(1e-2, "newton"), (1e-2, "gradient"), (1e-6, "newton")] {
            let learned =
                simple_mkl(&bank(&kernels, Storage::Resident), &classes, &machine, tol, direction);
            let eta = weights(&learned);
            assert!((eta.iter().sum::<f64>() - 1.0).abs() < 1e-12 && eta.iter().all(|w| *w >= 0.0));
            let (upper, lower) = bounds(&learned, &kernels, &codes, &costs);
            let gap = (upper - lower) / upper;
            assert!((0.0..=tol * (1.0 + 1e-9)).contains(&gap), "{gap}");
            assert!((gap - learned.report.gap.unwrap()).abs() < 1e-10, "{gap}");
            assert!((upper / learned.report.objective.last().unwrap() - 1.0).abs() < tol);
            // Bounds of different runs hold the same optimum between them.
            assert!(lower <= last * (1.0 + 1e-12));
            last = last.min(upper);
        }
    }
}

#[test]
fn upper_bounds_decrease() {
    let (kernels, codes) = problem(80, 2, 8, 2);
    for direction in ["newton", "gradient"] {
        let bank = bank(&kernels, Storage::Resident);
        let learned = simple_mkl(&bank, &classes(&codes), &Svc::default(), 1e-4, direction);
        let trace = &learned.report.objective;
        assert!(trace.len() > 2);
        assert!(trace.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-12)), "{trace:?}");
    }
}

/// Without its hinge part the two-stage objective is convex in μ: the learned direction must
/// have a lower hinge loss over all pairs than the mean of the kernels, at its best scale.
#[test]
fn two_stage_beats_the_mean_on_pairs() {
    let (kernels, codes) = problem(60, 3, 6, 3);
    let (bank, classes) = (bank(&kernels, Storage::Resident), classes(&codes));
    let method = find("two_stage").unwrap();
    let learner = cokernel::mkl::learner(method, &method.defaults()).unwrap();
    let machine = Svc::default();
    let target = Target::from(classes.clone());
    let problem = Problem::new(&bank, &target, &machine);
    let learned = train(&problem, learner.as_ref(), &Run::default()).unwrap();
    let loss = |w: &[f64]| {
        let at = |scale: f64| {
            let (mut sums, mut counts) = ([0.0; 2], [0.0; 2]);
            for i in 0..60 {
                for j in 0..=i {
                    let z: f64 = kernels.iter().zip(w).map(|(k, w)| w * k.get(i, j)).sum();
                    let t = if codes[i] == codes[j] { 1.0 } else { -1.0 };
                    sums[usize::from(t > 0.0)] += (1.0 - t * scale * z).max(0.0);
                    counts[usize::from(t > 0.0)] += 1.0;
                }
            }
            0.5 * (sums[0] / counts[0] + sums[1] / counts[1])
        };
        (0..40).map(|s| at(0.1 * f64::from(s))).fold(f64::INFINITY, f64::min)
    };
    let (ours, mean) = (loss(weights(&learned)), loss(&[1.0 / 6.0; 6]));
    assert!(ours < mean - 0.003, "{ours} {mean}");
}

/// The objective of (5.2) over all pairs by plain loops, from μ, λ and s of the report. With λ =
/// 10⁻⁶ it was above that of zero weights and called converged.
#[test]
fn two_stage_tells_its_objective_over_all_pairs() {
    let (kernels, codes) = problem(60, 3, 6, 3);
    let (bank, classes) = (bank(&kernels, Storage::Resident), classes(&codes));
    let (method, machine) = (find("two_stage").unwrap(), Svc::default());
    for lambda in [0.0, 1e-10, 1e-6, 1e-2, 10.0] {
        let params = method.check([("lambda", &Value::Real(lambda))]).unwrap();
        let learner = cokernel::mkl::learner(method, &params).unwrap();
        let target = Target::from(classes.clone());
        let problem = Problem::new(&bank, &target, &machine);
        let learned = train(&problem, learner.as_ref(), &Run::default()).unwrap();
        let report = &learned.report;
        let (mu, unit) = (&report.details["mu"], report.details["unit"][0]);
        let used = report.details["lambda"][0];
        assert!(lambda == 0.0 || used == lambda);
        assert_eq!(report.details["pairs"], [1830.0]);
        let (mut sums, mut counts) = ([0.0; 2], [0.0; 2]);
        for i in 0..60 {
            for j in 0..=i {
                let z: f64 = kernels.iter().zip(mu).map(|(k, w)| w * k.get(i, j) / unit).sum();
                let t = if codes[i] == codes[j] { 1.0 } else { -1.0 };
                sums[usize::from(t > 0.0)] += (1.0 - t * z).max(0.0);
                counts[usize::from(t > 0.0)] += 1.0;
            }
        }
        let loss = 0.5 * (sums[0] / counts[0] + sums[1] / counts[1]);
        let value = 0.5 * used * mu.iter().map(|w| w * w).sum::<f64>() + loss;
        let told = *report.objective.last().unwrap();
        assert!((value - told).abs() < 1e-9 * told, "{value} {told}");
        assert!(report.status.is_success() && told < 1.0, "{report:?}");
        let sum: f64 = mu.iter().sum();
        for (w, m) in weights(&learned).iter().zip(mu) {
            assert!((w - m / sum).abs() < 1e-12);
        }
    }
}
