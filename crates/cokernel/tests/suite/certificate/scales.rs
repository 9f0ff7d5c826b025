//! Solution and combinations at every scale of kernels and C: they end, their gap is what plain
//! loops over the raw matrices find, and they say so where f64 does not reach what was asked.

use super::mkl::{bank, classes, problem, simple_mkl, weights};
use super::svc::blobs;
use crate::common::{classifiers, rules};
use cokernel::bank::{Bank, Gram, Storage};
use cokernel::data::{Classes, Labels, Matrix, Table, Target, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::{Block, Decomposition, Role, Solution, Svc};
use cokernel::method::Method;
use cokernel::mkl::{Learned, Problem, REGISTRY, train};
use cokernel::model::{Mkl, Model};
use cokernel::params::{Params, Value};
use cokernel::{Run, Status};
use rand::RngExt;

/// What plain loops find for one machine.
struct Found {
    primal: f64,
    sum: f64,
    norm: f64,
    /// How much rounding of decision values may change the primal.
    noise: f64,
}

impl Found {
    fn gap(&self) -> f64 {
        (self.primal - self.sum + 0.5 * self.norm) / self.primal.abs().max(f64::MIN_POSITIVE)
    }

    fn tolerance(&self) -> f64 {
        1e-9 + self.noise / self.primal.abs().max(f64::MIN_POSITIVE)
    }
}

fn examine(kernel: &Matrix, codes: &[u32], c: f64, dual: &Block) -> Found {
    let n = codes.len();
    let mut found = Found { primal: 0.0, sum: 0.0, norm: 0.0, noise: 0.0 };
    let (mut total, mut size) = (0.0, 0.0);
    for i in 0..n {
        let Role::Classes { positive, negative } = dual.heads[0].role else { panic!("classes") };
        let y = match negative {
            _ if codes[i] == positive => 1.0,
            Some(other) if other != codes[i] => 0.0,
            _ => -1.0,
        };
        let (mut value, mut rounding) = (0.0, 1.0 + dual.heads[0].bias.abs());
        for j in 0..n {
            value += kernel.get(i, j) * dual.heads[0].coef[j];
            rounding += (kernel.get(i, j) * dual.heads[0].coef[j]).abs();
        }
        let alpha = y * dual.heads[0].coef[i];
        assert!(alpha >= 0.0 && alpha <= c * (1.0 + 1e-12), "{alpha} outside 0 … {c}");
        assert!(y != 0.0 || dual.heads[0].coef[i] == 0.0);
        total += dual.heads[0].coef[i];
        size += alpha;
        found.sum += alpha;
        found.norm += dual.heads[0].coef[i] * value;
        let loss = y.abs() * (1.0 - y * (value + dual.heads[0].bias)).max(0.0);
        found.primal += c * loss;
        found.noise += if loss > 0.0 { c * 1e-15 * rounding } else { 0.0 };
        found.noise += alpha * 1e-15 * rounding;
    }
    found.primal += 0.5 * found.norm;
    assert!(total.abs() <= 1e-10 * size, "sum of coefficients {total} of {size}");
    found
}

/// Everything that machines say about themselves; whether all reached what was asked of them.
fn certify(kernel: &Matrix, codes: &[u32], svc: &Svc, machines: &Solution, what: &str) -> bool {
    for dual in &machines.blocks {
        let found = examine(kernel, codes, svc.c, dual);
        let (gap, tolerance) = (found.gap(), found.tolerance());
        let (said, status) = (dual.gap, dual.status);
        assert!(gap.is_finite() && said.is_finite(), "{what}: {gap} {said}");
        // Two ratios near 1 of numbers that are mostly rounding may differ.
        assert!(
            (gap - said).abs() <= tolerance * (1.0 + gap.abs()),
            "{what}: {gap:e}, said {said:e}, {tolerance:e}"
        );
        assert!(status.is_success() == (said <= svc.tol), "{what}: {status} at {said:e}");
    }
    let reached = machines.status().is_success();
    assert_eq!(machines.remark().is_some(), !reached, "{what}");
    reached
}

fn combined(learned: &Learned, kernels: &[Matrix]) -> Matrix {
    rules::combined(&*learned.rule, kernels)
}

fn scaled(kernels: &[Matrix], s: f64) -> Vec<Matrix> {
    let times = |k: &Matrix| Matrix::from_fn(k.rows(), k.cols(), |i, j| s * k.get(i, j));
    kernels.iter().map(times).collect()
}

/// Kernels that are the same twice, zero, of rank one, and (last) slightly indefinite.
fn awkward(mut kernels: Vec<Matrix>) -> Vec<Matrix> {
    let n = kernels[0].rows();
    let m = kernels.len();
    if m > 5 {
        kernels[1] = kernels[0].clone();
        kernels[2] = Matrix::from_fn(n, n, |_, _| 0.0);
        kernels[3] = Matrix::from_fn(n, n, |i, j| ((i % 7) as f64 - 3.0) * ((j % 7) as f64 - 3.0));
        kernels[m - 1] = Matrix::from_fn(n, n, |i, j| {
            kernels[m - 1].get(i, j) - if i == j { 0.02 } else { 0.0 }
        });
    }
    kernels
}

/// Kernels are multiplied by the first number, C is the second.
const SCALES: [(f64, f64); 12] = [
    (1.0, 1e-12),
    (1.0, 1e-3),
    (1.0, 1.0),
    (1.0, 100.0),
    (1.0, 1e8),
    (1.0, 1e17),
    (1e12, 1e-12),
    (1e12, 1.0),
    (1e12, 1e17),
    (1e-12, 1e-12),
    (1e-12, 1e12),
    (1e-12, 1e17),
];

/// The parameters by default; widths of features are not learned of similarities.
fn of_similarities(method: &Method) -> Params {
    let sum = Value::Text("sum".to_string());
    match method.id {
        "gmkl" => method.check([("form", &sum)]).unwrap(),
        _ => method.defaults(),
    }
}

/// One run: what is wrong with it fails; `None` where the numbers go beyond f64.
fn attempt(id: &str, kernels: &[Matrix], codes: &[u32], c: f64, what: &str) -> Option<Learned> {
    let method = REGISTRY.iter().find(|m| m.id == id).unwrap();
    // The geometric mean knows no negative entries.
    let ones = Value::Factors((0..kernels.len()).map(|m| (format!("k{m}"), 1.0)).collect());
    let params = match id {
        "power_product" => method.check([("exponents", &ones)]).unwrap(),
        _ => of_similarities(method),
    };
    let learner = cokernel::mkl::learner(method, &params).unwrap();
    let (bank, classes) = (bank(kernels, Storage::Resident), classes(codes));
    let svc = Svc { c, ..Svc::default() };
    let run = Run::default();
    let (views, target) = (rules::similarities(kernels), Target::from(classes));
    let problem = Problem { views: Some(&views), ..Problem::new(&bank, &target, &svc) };
    let learned = match train(&problem, learner.as_ref(), &run) {
        Ok(learned) => learned,
        Err(e) => {
            let e = e.to_string();
            // One of the seven kernels has a negative eigenvalue, one is 0.
            let refused = e.contains("is not positive semi-definite") || e.contains("has trace 0");
            assert!(
                id.ends_with("product") && e.contains("what f64 can hold")
                    || refused && kernels.len() == 7,
                "{what}: {e}"
            );
            return None;
        }
    };
    let machines = learned.machines.as_ref().unwrap();
    let steps = learned.report.counts.smo_steps;
    assert!(steps <= 20_000 * learned.report.counts.machine_solves, "{what}: {steps} steps");
    if !learner.trains_on_rule() {
        return Some(learned);
    }
    let reached = certify(&combined(&learned, kernels), codes, &svc, machines, what);
    assert!(reached || !learned.report.status.is_success() || id == "best_single", "{what}");
    assert!(reached || !learned.report.notes.is_empty() || id == "best_single", "{what}");
    if id == "simple_mkl" {
        certify_simple_mkl(&learned, kernels, codes, c, what);
    }
    Some(learned)
}

/// P − (Σα − ½ max_m Σ q_m) by plain loops is the gap that the method says.
fn certify_simple_mkl(learned: &Learned, kernels: &[Matrix], codes: &[u32], c: f64, what: &str) {
    let duals = &learned.machines.as_ref().unwrap().blocks;
    let kernel = combined(learned, kernels);
    let (mut primal, mut sum, mut noise) = (0.0, 0.0, 0.0);
    for found in duals.iter().map(|d| examine(&kernel, codes, c, d)) {
        primal += found.primal;
        sum += found.sum;
        noise += found.noise;
    }
    let form = |k: &Matrix, v: &[f64]| {
        let row = |i: usize| (0..v.len()).map(|j| k.get(i, j) * v[j]).sum::<f64>();
        (0..v.len()).map(|i| v[i] * row(i)).sum::<f64>()
    };
    let forms =
        kernels.iter().map(|k| duals.iter().map(|d| form(k, &d.heads[0].coef)).sum::<f64>());
    let gap = (primal - sum + 0.5 * forms.fold(f64::NEG_INFINITY, f64::max)) / primal;
    let said = learned.report.gap.unwrap();
    let tolerance = (1e-9 + noise / primal) * (1.0 + gap.abs());
    assert!((gap - said).abs() <= tolerance, "{what}: gap {gap:e}, said {said:e}");
    assert_eq!(learned.report.status.is_success(), said <= 1e-3, "{what}: gap {said:e}");
}

/// Every method at 12 scales of kernels and C. Old code: C of 10⁸ and more without support vectors
/// or without an end.
fn grid(count: usize, ids: &[&str]) {
    let (kernels, codes) = problem(40, 2, count, 11);
    let kernels = awkward(kernels);
    for (s, c) in SCALES {
        let kernels = scaled(&kernels, s);
        for id in ids {
            // Its λ is not scaled with the kernels.
            if *id == "two_stage" && s != 1.0 {
                continue;
            }
            let what = format!("{id}, {count} kernels times {s:e}, C = {c:e}");
            let learned = attempt(id, &kernels, &codes, c, &what);
            // Regular kernels: everything is reached, and a hard margin separates.
            if matches!(*id, "mean" | "sum" | "simple_mkl") && count != 7 {
                let learned = learned.unwrap();
                assert!(learned.report.status.is_success(), "{what}: {}", learned.report.status);
            }
        }
    }
}

/// The methods whose machine is one on one kernel.
fn ids() -> Vec<&'static str> {
    // Factors of matrices need kernels of an ordinary size.
    let others = ["late_mean", "ekp", "lp_beta", "medfc", "gml", "lanckriet_sdp"];
    // Boosting has coefficients of its own, and scales of its own in boosting.rs.
    let boosting = ["cg_boost", "mark", "kernel_boosting"];
    // Hyperkernels are for kernels of one scale, and have a test of their own.
    let scaled = "hyperkernels";
    // There are no features here to be mapped.
    let able = classifiers().filter(|m| !(m.build)(&m.defaults()).maps_features());
    able.map(|m| m.id)
        .filter(|id| !others.contains(id) && !boosting.contains(id) && *id != scaled)
        .collect()
}

#[test]
fn every_method_at_every_scale_on_one_kernel() {
    grid(1, &ids());
}

#[test]
fn every_method_at_every_scale_on_seven_kernels() {
    grid(7, &ids());
}

#[test]
fn every_method_at_every_scale_on_two_hundred_kernels() {
    grid(200, &["mean", "simple_mkl"]);
}

fn fit(svc: &Svc, gram: &Gram, classes: &Classes) -> Solution {
    svc.fit(gram, classes, None, None, &Run::default()).unwrap()
}

/// From a C at which all instances are at their bound to a hard margin, which a larger C does not
/// change. Old code: at 10¹⁴ no end, at 10¹⁷ no support vectors.
#[test]
fn any_c() {
    let (gram, classes) = blobs(80, 3, 1.5, 2.0, 5);
    let kernel = super::svc::dense(&gram);
    let mut hard = None;
    for power in -12..=17 {
        let svc = Svc { c: 10_f64.powi(power), tol: 1e-6, ..Svc::default() };
        let machines = fit(&svc, &gram, &classes);
        assert!(certify(&kernel, &classes.codes, &svc, &machines, &format!("C = 1e{power}")));
        assert!(machines.counts.smo_steps < 200_000, "{:?}", machines.counts);
        assert!(
            machines
                .blocks
                .iter()
                .all(|d| d.heads[0].coef.iter().filter(|c| **c != 0.0).count() > 1)
        );
        if power >= 8 {
            let objective = *hard.get_or_insert(machines.objective());
            assert!((machines.objective() / objective - 1.0).abs() < 1e-5);
        }
    }
}

/// s·K with C/s is the same problem.
#[test]
fn machines_do_not_depend_on_the_unit() {
    let (gram, classes) = blobs(80, 3, 1.5, 2.0, 6);
    for decomposition in [Decomposition::OneVsRest, Decomposition::OneVsOne] {
        for c in [1.0, 1e3, 1e9] {
            let svc = Svc { c, tol: 1e-9, decomposition, ..Svc::default() };
            let plain = fit(&svc, &gram, &classes);
            for s in [1e-150, 1e-12, 1e12, 1e150] {
                let other = scaled(&[super::svc::dense(&gram)], s).remove(0);
                let machines =
                    fit(&Svc { c: c / s, ..svc.clone() }, &Gram::new(other).unwrap(), &classes);
                for (a, b) in plain.blocks.iter().zip(&machines.blocks) {
                    assert!((a.objective / (s * b.objective) - 1.0).abs() < 1e-8);
                    assert!(
                        (a.heads[0].bias - b.heads[0].bias).abs() < 1e-3,
                        "{} {}",
                        a.heads[0].bias,
                        b.heads[0].bias
                    );
                    let largest = a.heads[0].coef.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
                    for (x, y) in a.heads[0].coef.iter().zip(&b.heads[0].coef) {
                        assert!((x - s * y).abs() < 1e-3 * largest, "{x} {}", s * y);
                    }
                }
            }
        }
    }
}

#[test]
fn weights_do_not_depend_on_the_unit() {
    let (kernels, codes) = problem(60, 2, 6, 4);
    let classes = classes(&codes);
    for (direction, c) in [("newton", 1.0), ("newton", 1e6), ("gradient", 1.0)] {
        let machine = Svc { c, ..Svc::default() };
        let plain =
            simple_mkl(&bank(&kernels, Storage::Resident), &classes, &machine, 1e-6, direction);
        assert_eq!(plain.report.status, Status::Converged);
        for s in [1e-12, 1e12, 1e120] {
            let bank = bank(&scaled(&kernels, s), Storage::Resident);
            let machine = Svc { c: c / s, ..Svc::default() };
            let other = simple_mkl(&bank, &classes, &machine, 1e-6, direction);
            assert_eq!(other.report.status, Status::Converged);
            for (a, b) in weights(&plain).iter().zip(weights(&other)) {
                assert!((a - b).abs() < 1e-2, "{direction}, {s:e}: {a} {b}");
            }
            let (a, b) =
                (plain.report.objective.last().unwrap(), other.report.objective.last().unwrap());
            assert!((a / (s * b) - 1.0).abs() < 2e-6, "{direction}, {s:e}: {a} {b}");
        }
    }
}

/// `columns` features of n instances in 10 classes, each column with its own size.
fn raw(n: usize, sizes: &[f64], apart: f64, seed: u64) -> (Matrix, Classes) {
    let mut rng = Run::with_seed(seed).rng("raw features");
    let codes: Vec<u32> = (0..n).map(|i| (i % 10) as u32).collect();
    let middle = Matrix::from_fn(10, sizes.len(), |_, j| sizes[j] * rng.random::<f64>());
    let x = Matrix::from_fn(n, sizes.len(), |i, j| {
        let noise: f64 = (0..3).map(|_| rng.random::<f64>()).sum::<f64>() / 3.0;
        (apart * middle.get(i % 10, j) + (1.0 - apart) * sizes[j] * noise).round()
    });
    let names = (0..10).map(|c| c.to_string()).collect();
    (x, Classes { names, codes })
}

fn product(x: &Matrix, i: usize, j: usize) -> f64 {
    x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum()
}

/// Entries of 10¹⁸, coefficients of 10⁻¹⁷ beside a C of 10. Old code: machines without a support
/// vector at gap 1.
#[test]
fn polynomial_kernel_of_raw_features() {
    let sizes: Vec<f64> = (0..47).map(|j| 713.0 / (1.0 + f64::from(j % 9))).collect();
    let (x, classes) = raw(150, &sizes, 0.5, 1);
    let kernel = Matrix::from_fn(150, 150, |i, j| (1.0 + product(&x, i, j)).powi(3));
    for c in [10.0, 1e10] {
        let svc = Svc { c, ..Svc::default() };
        let machines = fit(&svc, &Gram::new(kernel.clone()).unwrap(), &classes);
        assert!(certify(&kernel, &classes.codes, &svc, &machines, "polynomial"));
        assert!(
            machines
                .blocks
                .iter()
                .all(|d| d.heads[0].coef.iter().filter(|c| **c != 0.0).count() >= 4)
        );
        assert!(machines.counts.smo_steps < 100_000, "{:?}", machines.counts);
    }
}

/// A kernel of rank 6 on columns of sizes 1 to 17,000, on which pair steps crawl. Old code: tens
/// of millions of steps for each machine.
#[test]
fn linear_kernel_of_columns_of_different_size() {
    let (x, classes) = raw(150, &[3.0, 4.0, 9.0, 60.0, 1100.0, 17_000.0], 0.5, 2);
    let kernel = Matrix::from_fn(150, 150, |i, j| product(&x, i, j));
    let gram = Gram::new(kernel.clone()).unwrap();
    for c in [1e-6, 1.0] {
        let svc = Svc { c, max_steps: 1_000_000, ..Svc::default() };
        let machines = fit(&svc, &gram, &classes);
        assert!(certify(&kernel, &classes.codes, &svc, &machines, "linear"));
    }
    // Beyond f64: 10¹⁸ times the last bit of 10⁸. It ends and says so.
    let svc = Svc { c: 1e17, ..Svc::default() };
    let machines = fit(&svc, &gram, &classes);
    certify(&kernel, &classes.codes, &svc, &machines, "linear");
    assert!(machines.counts.smo_steps < 10_000_000, "{:?}", machines.counts);
}

/// Old code: no end at C = 10⁴, where C = 100 has the same optimum.
#[test]
fn many_kernels_to_a_small_gap() {
    let (kernels, codes) = problem(50, 2, 200, 9);
    let (bank, classes) = (bank(&kernels, Storage::Resident), classes(&codes));
    let objective = |c: f64| {
        let machine = Svc { c, ..Svc::default() };
        let learned = simple_mkl(&bank, &classes, &machine, 1e-8, "newton");
        let (gap, counts) = (learned.report.gap.unwrap(), learned.report.counts);
        assert!(gap <= 1e-5, "C = {c}: {gap:e} {counts:?} {:?}", learned.report.notes);
        assert!(learned.report.counts.smo_steps < 1_000_000, "{:?}", learned.report.counts);
        *learned.report.objective.last().unwrap()
    };
    let (a, b) = (objective(100.0), objective(1e4));
    assert!((a / b - 1.0).abs() < 2e-5, "{a} {b}");
}

/// Traces from 7·10⁵ to 4·10⁻³. Old code: 139 million steps in the first minute.
#[test]
fn kernels_of_very_different_size() {
    let (kernels, codes) = problem(60, 2, 4, 10);
    let kernels: Vec<Matrix> = [1.2e4, 30.0, 0.1, 6e-5]
        .iter()
        .zip(&kernels)
        .map(|(s, k)| scaled(std::slice::from_ref(k), *s).remove(0))
        .collect();
    let (bank, classes) = (bank(&kernels, Storage::Resident), classes(&codes));
    let machine = Svc { c: 100.0, ..Svc::default() };
    for direction in ["newton", "gradient"] {
        let learned = simple_mkl(&bank, &classes, &machine, 1e-6, direction);
        assert!(learned.report.counts.smo_steps < 2_000_000, "{:?}", learned.report.counts);
        certify_simple_mkl_status(&learned);
    }
}

/// Classes that overlap, 50 columns, a large C: interior points end in rounding with hundreds of variables between
/// their bounds. Old code: no end in 100 s at n = 2,000.
#[test]
fn linear_kernel_of_fifty_columns_and_a_large_cost() {
    let n = 600;
    let mut rng = Run::with_seed(3).rng("fifty columns");
    let codes: Vec<u32> = (0..n).map(|i| (i % 2) as u32).collect();
    // Sums of twelve uniform numbers: about normal.
    let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    let x = Matrix::from_fn(n, 50, |i, j| {
        let apart = if j < 4 { 0.5 } else { 0.0 };
        normal() + if codes[i] == 1 { apart } else { -apart }
    });
    let kernel = Matrix::from_fn(n, n, |i, j| product(&x, i, j));
    let gram = Gram::new(kernel.clone()).unwrap();
    let classes = classes(&codes);
    for c in [1e4, 1e6] {
        let svc = Svc { c, tol: 1e-6, max_steps: 2_000_000, ..Svc::default() };
        let machines = fit(&svc, &gram, &classes);
        assert!(certify(&kernel, &classes.codes, &svc, &machines, "fifty columns"), "C = {c:e}");
        let support = machines.blocks[0].heads[0].coef.iter().filter(|c| **c != 0.0).count();
        assert!(support < n / 2, "C = {c:e}: {support} support vectors");
        assert!(machines.counts.smo_steps < 500_000, "C = {c:e}: {:?}", machines.counts);
    }
}

/// A linear kernel of rank 2 times 10⁴ to 10⁸ beside a Gaussian one: the second-order model took it away for good,
/// and the loop ended up to 16 % above the optimum with a gap of 10⁷. Nor did weights below 10⁻⁸ come through, as which
/// it comes back: such fits ended with gaps of 10⁷ to 10¹⁰, among them those of the last two seeds.
#[test]
fn a_kernel_that_was_taken_away_comes_back() {
    for seed in [0, 15, 23] {
        let mut rng = Run::with_seed(seed).rng("two scales");
        let codes: Vec<u32> = (0..100).map(|_| u32::from(rng.random::<f64>() < 0.5)).collect();
        let mut view = |distance: f64| {
            let mut x = |i: usize| distance * f64::from(codes[i]) + 2.0 * rng.random::<f64>() - 1.0;
            Matrix::from_fn(100, 2, |i, _| x(i))
        };
        let (a, b) = (view(0.3), view(0.9));
        let pair = |x: &Matrix, i: usize, j: usize, f: &dyn Fn(f64, f64) -> f64| {
            x.row(i).iter().zip(x.row(j)).map(|(a, b)| f(*a, *b)).sum::<f64>()
        };
        let gaussian = Matrix::from_fn(100, 100, |i, j| {
            (-4.0 * pair(&b, i, j, &|a, b| (a - b) * (a - b))).exp()
        });
        for s in [1e4, 1e7, 1e8] {
            let linear = Matrix::from_fn(100, 100, |i, j| s * pair(&a, i, j, &|a, b| a * b));
            let bank = bank(&[linear, gaussian.clone()], Storage::Resident);
            let classes = classes(&codes);
            for c in [1.0, 1e4] {
                let machine = Svc { c, ..Svc::default() };
                let found = simple_mkl(&bank, &classes, &machine, 1e-3, "newton");
                let (status, gap) = (found.report.status, found.report.gap);
                // Where rounding ends the search, the gap says how far: it was 10⁷ and more.
                let near = status == Status::Converged || gap.is_some_and(|g| g < 1e-2);
                assert!(near, "seed {seed}, {s:e}, C = {c}: {gap:?}");
                // The others by their gap alone.
                if seed != 0 {
                    continue;
                }
                let plain = simple_mkl(&bank, &classes, &machine, 1e-3, "gradient");
                let primal = |l: &Learned| l.machines.as_ref().unwrap().primal();
                let (a, b) = (primal(&found), primal(&plain));
                assert!(a <= b * 1.005, "seed {seed}, {s:e}, C = {c}: {a} {b}, {:?}", found.report);
            }
        }
    }
}

fn certify_simple_mkl_status(learned: &Learned) {
    let (status, gap) = (learned.report.status, learned.report.gap.unwrap());
    assert_eq!(status == Status::Converged, gap <= 1e-6, "{status} at {gap:e}");
    assert_eq!(status == Status::Converged, learned.report.notes.is_empty());
}

/// Solution that f64 cannot solve. Old code: 500 iterations and 84,220 machines at equal weights.
#[test]
fn simple_mkl_ends_where_its_machines_do() {
    let (x, classes) = raw(100, &[3.0, 40.0, 900.0, 17_000.0], 0.05, 3);
    let kernels: Vec<Matrix> = [1, 2, 3]
        .map(|q| Matrix::from_fn(100, 100, |i, j| (1.0 + product(&x, i, j)).powi(q)))
        .to_vec();
    let bank = bank(&kernels, Storage::Resident);
    let machine = Svc { c: 1e6, ..Svc::default() };
    let learned = simple_mkl(&bank, &classes, &machine, 1e-3, "newton");
    assert_eq!(learned.report.status, Status::Stalled);
    assert!(learned.report.counts.machine_solves <= 500, "{:?}", learned.report.counts);
    let note = &learned.report.notes[0];
    assert!(
        note.contains("machines on the way could not be solved as exactly as it needs them"),
        "{note}"
    );
}

/// Numbers near the ends of f64: an answer in finite numbers, or a sentence.
#[test]
fn extreme_numbers() {
    let (kernels, codes) = problem(12, 2, 3, 12);
    let (mut answers, mut sentences, mut refused) = (0, 0, 0);
    for s in [1e-300, 1e-200, 1e-138, 1e138, 1e200, 1e300] {
        for c in [1e-300, 1e-150, 1e-10, 1.0, 1e10, 1e150, 1e300] {
            for id in ids().into_iter().filter(|id| *id != "two_stage") {
                let method = REGISTRY.iter().find(|m| m.id == id).unwrap();
                let learner = cokernel::mkl::learner(method, &of_similarities(method)).unwrap();
                let named = scaled(&kernels, s).into_iter().enumerate();
                let named = named.map(|(m, k)| (format!("k{m}"), k)).collect();
                // Values whose squares overflow or vanish are refused before anything is learned.
                let bank = match Bank::from_matrices(named, Storage::Resident) {
                    Ok(bank) => bank,
                    Err(e) => {
                        refused += 1;
                        assert!(e.to_string().contains("so that squares of them"), "{s:e}: {e}");
                        continue;
                    }
                };
                let classes = classes(&codes);
                let svc = Svc { c, ..Svc::default() };
                let (views, target) =
                    (rules::similarities(&scaled(&kernels, s)), Target::from(classes));
                let problem = Problem { views: Some(&views), ..Problem::new(&bank, &target, &svc) };
                match train(&problem, learner.as_ref(), &Run::default()) {
                    Ok(learned) => {
                        answers += 1;
                        let report = &learned.report;
                        assert!(
                            report.objective.iter().chain(&report.gap).all(|v| v.is_finite()),
                            "{id}, {s:e}, {c:e}: {report:?}"
                        );
                        assert!(
                            report.gaps.iter().all(|v| v.is_finite()),
                            "{id}, {s:e}, {c:e}: {report:?}"
                        );
                        assert!(report.counts.smo_steps < 1_000_000);
                    }
                    Err(e) => {
                        sentences += 1;
                        assert!(
                            e.to_string().contains("what f64 can hold")
                                || id == "power_product" && e.to_string().contains("has no power"),
                            "{id}, {s:e}, {c:e}: {e}"
                        );
                    }
                }
            }
        }
    }
    assert!(answers > 50 && sentences + refused > 50, "{answers} {sentences} {refused}");
    let huge = Gram::new(scaled(&kernels, 1e300).remove(0)).unwrap();
    let error = Svc { c: 1e300, ..Svc::default() };
    let error = error.fit(&huge, &classes(&codes), None, None, &Run::default());
    if let Err(e) = error {
        assert!(e.to_string().contains("C is 1.0e300"), "{e}");
    }
}

/// Features near 10^±150 and any C: a model that can be written, or a sentence where it is fitted.
/// Old code: numbers beyond f32 in the rows of the solver, models that could not be saved.
#[test]
fn extreme_features() {
    let mut rng = Run::with_seed(1).rng("extreme features");
    let texts = [
        "linear",
        "poly:degree=2",
        "gaussian:sigma=median",
        "linear:normalize=unit_trace",
        "linear:normalize=center",
    ];
    let kernels = texts.map(|text| KernelSpec::parse_list(text).unwrap());
    let mut saved = 0;
    for round in 0..200 {
        let power = [-150.0, -75.0, -30.0, 0.0, 30.0, 75.0, 150.0][round % 7];
        let x = Matrix::from_fn(8, 3, |_, _| {
            (rng.random::<f64>() - 0.5) * 10_f64.powf(power + 4.0 * (rng.random::<f64>() - 0.5))
        });
        let views = Views::new().with("x", Table::Dense(x)).unwrap();
        let labels = Labels::from_texts(&["a", "b", "a", "b", "a", "a", "b", "b"]);
        let c = 10_f64.powf([-290.0, -150.0, -10.0, 0.0, 17.0, 150.0, 290.0][round / 7 % 7]);
        let id = ["mean", "simple_mkl", "product", "sum"][round / 49 % 4];
        let model = Mkl::new(id).unwrap().kernels(kernels[round % kernels.len()].clone()).c(c);
        match model.fit(&views, &labels, &Run::default()) {
            Ok(model) => {
                let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
                let (a, b) = (model.predict(&views), again.predict(&views));
                assert_eq!(a.map(|p| p.labels).ok(), b.map(|p| p.labels).ok());
                saved += 1;
            }
            Err(e) => assert!(!e.to_string().contains("cannot be written"), "{e}"),
        }
    }
    assert!(saved > 50, "{saved}");
}
