//! Methods with machines in closed form beside plain linear algebra: polynomial combination and l2 multiple kernel ridge
//! regression (Cortes, Mohri and Rostamizadeh), and the multiple-kernel Fisher discriminant (Kim et al., Ye et al.).

use crate::common::{bank, classes, problem, weights};
use cokernel::Run;
use cokernel::bank::Storage;
use cokernel::catalogue::find;
use cokernel::data::{Labels, Matrix, Target, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::MachineSpec;
use cokernel::mkl::{Learned, Problem, learner, train};
use cokernel::model::{Mkl, Model};
use cokernel::params::Value;
use rand::RngExt;

fn learn(
    id: &str,
    given: &[(&str, Value)],
    machine: &str,
    kernels: &[Matrix],
    target: &Target,
) -> Learned {
    let method = find(id).unwrap();
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    let bank = bank(kernels, Storage::Resident);
    let spec: MachineSpec = machine.parse().unwrap();
    let machine = spec.checked().unwrap().build().unwrap();
    let problem = Problem::new(&bank, target, machine.as_ref());
    train(&problem, learner(method, &params).unwrap().as_ref(), &Run::default()).unwrap()
}

/// Solves A x = b by elimination with pivots.
fn solve(a: &Matrix, b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut rows: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| a.get(i, j)).chain([b[i]]).collect()).collect();
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| rows[*i][k].abs().total_cmp(&rows[*j][k].abs())).unwrap();
        rows.swap(k, pivot);
        for i in k + 1..n {
            let by = rows[i][k] / rows[k][k];
            for j in k..=n {
                rows[i][j] -= by * rows[k][j];
            }
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| rows[k][j] * x[j]).sum();
        x[k] = (rows[k][n] - known) / rows[k][k];
    }
    x
}

/// c of kernel ridge regression with a bias, and half of yᵀc, its objective.
fn ridge(kernel: &Matrix, y: &[f64], lambda: f64) -> (Vec<f64>, f64) {
    let n = y.len();
    let bordered = Matrix::from_fn(n + 1, n + 1, |i, j| match (i == n, j == n) {
        (false, false) => kernel.get(i, j) + if i == j { lambda } else { 0.0 },
        (true, true) => 0.0,
        _ => 1.0,
    });
    let side: Vec<f64> = y.iter().copied().chain([0.0]).collect();
    let mut c = solve(&bordered, &side);
    c.pop();
    let value = 0.5 * c.iter().zip(y).map(|(c, y)| c * y).sum::<f64>();
    (c, value)
}

fn sum(kernels: &[Matrix], w: &[f64], degree: i32) -> Matrix {
    let n = kernels[0].rows();
    let entry = |i, j| kernels.iter().zip(w).map(|(k, w)| w * k.get(i, j)).sum::<f64>();
    Matrix::from_fn(n, n, |i, j| entry(i, j).powi(degree))
}

fn numbers(codes: &[u32], kernels: &[Matrix]) -> Vec<f64> {
    let each = codes.iter().enumerate();
    each.map(|(i, c)| f64::from(*c) + kernels[0].get(i, 2) - 0.5 * kernels[1].get(i, 5)).collect()
}

#[test]
fn polynomial_ridge() {
    let mut rng = Run::with_seed(1).rng("polynomial");
    for seed in 0..10 {
        let (kernels, codes) = problem(24, 2, 4, 40 + seed);
        let y = numbers(&codes, &kernels);
        let degree = 1 + (seed % 3) as i64;
        let (norm, radius) = [("l2", 1.0), ("l1", 1.0), ("l2", 2.0)][seed as usize / 3 % 3];
        let lambda = [0.1, 1.0][seed as usize % 2];
        let given = [
            ("degree", degree.into()),
            ("norm", Value::from(norm)),
            ("radius", radius.into()),
            ("tol", Value::Real(1e-6)),
        ];
        let machine = format!("kernel_ridge:lambda={lambda}");
        let target = Target::Real(y.clone());
        let learned = learn("polynomial_combination", &given, &machine, &kernels, &target);
        let what = format!("{given:?} {machine}");
        let report = &learned.report;
        assert!(report.status.is_success() && report.gap.is_none(), "{what}: {}", report.status);
        assert!(report.objective.windows(2).all(|w| w[1] < w[0]), "{what}: {:?}", report.objective);
        let mu = learned.rule.uses();
        let size = |w: &[f64]| match norm {
            "l1" => w.iter().sum::<f64>(),
            _ => w.iter().map(|w| w * w).sum::<f64>().sqrt(),
        };
        assert!(
            mu.iter().all(|w| *w >= 0.0) && (size(&mu) - radius).abs() < 1e-9,
            "{what}: {mu:?}"
        );
        let value = |w: &[f64]| ridge(&sum(&kernels, w, degree as i32), &y, lambda).1;
        let here = value(&mu);
        assert!((here / report.objective.last().unwrap() - 1.0).abs() < 1e-9, "{what}: {here}");
        // The gradient by differences: the promise of the linear model is what is told.
        let slope = |m: usize| {
            let moved = |by: f64| {
                let mut w = mu.clone();
                w[m] += by;
                value(&w)
            };
            (moved(1e-5) - moved(-1e-5)) / 2e-5
        };
        let slopes: Vec<f64> = (0..4).map(slope).collect();
        let inner: f64 = slopes.iter().zip(&mu).map(|(g, w)| g * w).sum();
        let best = match norm {
            "l1" => slopes.iter().fold(0.0_f64, |a, g| a.max(-g)),
            _ => slopes.iter().map(|g| g.min(0.0).powi(2)).sum::<f64>().sqrt(),
        };
        let promise = (inner + radius * best) / here;
        let told = report.details["stationarity"][0];
        assert!((promise - told).abs() < 1e-6 && promise < 2e-6, "{what}: {promise} {told}");
        for _ in 0..20 {
            let near: Vec<f64> =
                mu.iter().map(|w| (w + 0.02 * (rng.random::<f64>() - 0.5)).max(0.0)).collect();
            let by = radius / size(&near);
            let near: Vec<f64> = near.iter().map(|w| w * by).collect();
            assert!(value(&near) >= here * (1.0 - 1e-5), "{what}: {near:?} {mu:?}");
        }
        if degree == 1 {
            let (id, given) = match norm {
                "l1" => ("simple_mkl", vec![]),
                _ => ("lp_norm", vec![("p", Value::Real(2.0))]),
            };
            let scaled: Vec<Matrix> = kernels
                .iter()
                .map(|k| Matrix::from_fn(24, 24, |i, j| radius * k.get(i, j)))
                .collect();
            let given: Vec<_> = given.into_iter().chain([("tol", Value::Real(1e-6))]).collect();
            let convex = learn(id, &given, &machine, &scaled, &target);
            let best = convex.report.objective.last().unwrap();
            assert!((here / best - 1.0).abs() < 3e-6, "{what}: {here} {best}");
        }
    }
}

/// A model of a polynomial of kernels from features predicts what the rule says of new rows, also from a file.
#[test]
fn polynomials_of_new_rows() {
    let mut rng = Run::with_seed(2).rng("rows");
    let x = Matrix::from_fn(50, 3, |_, _| rng.random::<f64>());
    let y: Vec<f64> = (0..50).map(|i| x.get(i, 0) * x.get(i, 1) + 0.1 * x.get(i, 2)).collect();
    let views = Views::new().dense("a", x.clone()).unwrap();
    let specs: Vec<KernelSpec> =
        ["linear", "gaussian:gamma=1"].iter().map(|t| t.parse().unwrap()).collect();
    let machine: MachineSpec = "kernel_ridge:lambda=0.1".parse().unwrap();
    let mkl = Mkl::new("polynomial_combination").unwrap().kernels(specs).machine(machine);
    let model =
        mkl.fit(&views, &Labels::Real(y.into_iter().map(Some).collect()), &Run::default()).unwrap();
    let file = tempfile::tempdir().unwrap();
    let path = file.path().join("model.safetensors");
    model.save(&path).unwrap();
    let again = Model::load(&path).unwrap();
    let (a, b) = (model.predict(&views).unwrap(), again.predict(&views).unwrap());
    assert_eq!(a.decisions, b.decisions);
    assert!(model.report().status.is_success());
    let error = |i: usize| a.decisions.get(i, 0) - x.get(i, 0) * x.get(i, 1) - 0.1 * x.get(i, 2);
    assert!((0..50).all(|i| error(i).abs() < 0.2));
}

/// Algorithm of Cortes, Mohri and Rostamizadeh (UAI 2009): c from the weights, weights in the direction of cᵀK_m c, averaged.
#[test]
fn l2_ridge_by_its_fixed_point() {
    for seed in 0..5 {
        let (kernels, codes) = problem(30, 2, 5, 60 + seed);
        let y = numbers(&codes, &kernels);
        let lambda = [0.05, 0.3, 1.0, 3.0, 10.0][seed as usize];
        let mut mu = vec![1.0 / 5.0_f64.sqrt(); 5];
        for _ in 0..500 {
            let (c, _) = ridge(&sum(&kernels, &mu, 1), &y, lambda);
            let forms: Vec<f64> = kernels
                .iter()
                .map(|k| {
                    (0..30).map(|i| c[i] * (0..30).map(|j| k.get(i, j) * c[j]).sum::<f64>()).sum()
                })
                .collect();
            let norm = forms.iter().map(|q: &f64| q * q).sum::<f64>().sqrt();
            mu.iter_mut().zip(&forms).for_each(|(w, q)| *w = 0.5 * (*w + q / norm));
        }
        let given = [("p", Value::Real(2.0)), ("tol", Value::Real(1e-7))];
        let machine = format!("kernel_ridge:lambda={lambda}");
        let learned = learn("lp_norm", &given, &machine, &kernels, &Target::Real(y));
        for (a, b) in weights(&learned).iter().zip(&mu) {
            assert!((a - b).abs() < 3e-3, "{lambda}: {:?} {mu:?}", weights(&learned));
        }
    }
}

/// (m₊ − m₋)ᵀ (S_w + λI)⁻¹ (m₊ − m₋) in the feature space of the sum, from kernel values: with K = L Lᵀ the rows of L are
/// features.
fn fisher_ratio(kernel: &Matrix, codes: &[u32], lambda: f64) -> f64 {
    let n = codes.len();
    let l = super::mkl::cholesky(kernel);
    let mean = |class: u32| -> Vec<f64> {
        let of: Vec<usize> = (0..n).filter(|i| codes[*i] == class).collect();
        (0..n).map(|f| of.iter().map(|i| l.get(*i, f)).sum::<f64>() / of.len() as f64).collect()
    };
    let means = [mean(0), mean(1)];
    let scatter = Matrix::from_fn(n, n, |f, g| {
        let one = |i: usize| {
            let m = &means[codes[i] as usize];
            (l.get(i, f) - m[f]) * (l.get(i, g) - m[g])
        };
        (0..n).map(one).sum::<f64>() + if f == g { lambda } else { 0.0 }
    });
    let apart: Vec<f64> = means[1].iter().zip(&means[0]).map(|(a, b)| a - b).collect();
    solve(&scatter, &apart).iter().zip(&apart).map(|(w, d)| w * d).sum()
}

/// The multiple-kernel Fisher discriminant is SimpleMKL, or lp-norm MKL, with `kernel_fisher`: the weights maximise Fisher's
/// regularised ratio over their set.
#[test]
fn multiple_kernel_fisher() {
    let mut rng = Run::with_seed(3).rng("fisher");
    for seed in 0..6 {
        let (kernels, codes) = problem(31, 2, 4, 80 + seed);
        let lambda = [0.3, 3.0][seed as usize % 2];
        let p = [1.0, 2.0, 4.0][seed as usize % 3];
        let tol = ("tol", Value::Real(1e-7));
        let (id, given) = match p {
            1.0 => ("simple_mkl", vec![tol]),
            _ => ("lp_norm", vec![("p", Value::Real(p)), tol]),
        };
        let machine = format!("kernel_fisher:lambda={lambda}");
        let target = Target::from(classes(&codes));
        let learned = learn(id, &given, &machine, &kernels, &target);
        assert!(learned.report.gap.unwrap() <= 1e-7);
        let eta = weights(&learned);
        let ratio = |w: &[f64]| fisher_ratio(&sum(&kernels, w, 1), &codes, lambda);
        let best = ratio(eta);
        for k in 0..60 {
            let size = if k % 2 == 0 { 1.0 } else { 0.05 };
            let other: Vec<f64> = eta
                .iter()
                .map(|w| ((1.0 - size) * w + size * rng.random::<f64>()).max(0.0))
                .collect();
            let norm = other.iter().map(|w| w.powf(p)).sum::<f64>().powf(1.0 / p);
            let other: Vec<f64> = other.iter().map(|w| w / norm).collect();
            assert!(ratio(&other) <= best * (1.0 + 1e-6), "p = {p}: {other:?} {eta:?}");
        }
    }
}
