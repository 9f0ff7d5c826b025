//! Weights by similarity measures, recomputed from raw matrices: measures by their definitions, gaps and
//! objectives of the weights that came back.

use crate::common::{bank, classes, problem, weights};
use cokernel::Run;
use cokernel::bank::Storage;
use cokernel::catalogue::find;
use cokernel::data::{Matrix, Target};
use cokernel::machine::Svc;
use cokernel::mkl::{Learned, Problem, learner};
use cokernel::params::Value;

pub fn dot(a: &Matrix, b: &Matrix) -> f64 {
    a.values().iter().zip(b.values()).map(|(a, b)| a * b).sum()
}

/// HKH.
pub fn centred(k: &Matrix) -> Matrix {
    let n = k.rows();
    let means: Vec<f64> = (0..n).map(|i| k.row(i).iter().sum::<f64>() / n as f64).collect();
    let grand = means.iter().sum::<f64>() / n as f64;
    Matrix::from_fn(n, n, |i, j| k.get(i, j) - means[i] - means[j] + grand)
}

/// 1 within classes, −1/(k − 1) between them.
pub fn ideal(codes: &[u32], k: u32) -> Matrix {
    let entry = |i: usize, j: usize| {
        if codes[i] == codes[j] { 1.0 } else { -1.0 / f64::from(k - 1) }
    };
    Matrix::from_fn(codes.len(), codes.len(), entry)
}

pub fn sum(kernels: &[Matrix], weights: &[f64]) -> Matrix {
    let n = kernels[0].rows();
    let entry =
        |i: usize, j: usize| kernels.iter().zip(weights).map(|(k, w)| w * k.get(i, j)).sum();
    Matrix::from_fn(n, n, entry)
}

/// What a method learns from kernels alone.
pub fn learn(id: &str, given: &[(&str, Value)], kernels: &[Matrix], target: &Target) -> Learned {
    let method = find(id).unwrap();
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    let (bank, machine) = (bank(kernels, Storage::Resident), Svc::default());
    let problem = Problem::new(&bank, target, &machine);
    learner(method, &params).unwrap().learn(&problem, &Run::default()).unwrap()
}

pub fn word(text: &str) -> Value {
    Value::Text(text.to_string())
}

/// The alignment of two matrices.
fn alignment(k: &Matrix, t: &Matrix) -> f64 {
    dot(k, t) / (dot(k, k) * dot(t, t)).sqrt()
}

#[test]
fn weights_of_align_are_the_alignments() {
    for (k, seed) in [(2, 1), (3, 2), (5, 3)] {
        let (kernels, codes) = problem(45, k, 4, seed);
        let target = Target::from(classes(&codes));
        let t = ideal(&codes, k as u32);
        for (centered, of) in
            [("yes", centred as fn(&Matrix) -> Matrix), ("no", |k: &Matrix| k.clone())]
        {
            let found = learn("align", &[("centered", word(centered))], &kernels, &target);
            let all: Vec<f64> =
                kernels.iter().map(|k| alignment(&of(k), &of(&t)).max(0.0)).collect();
            let total: f64 = all.iter().sum();
            for (w, a) in weights(&found).iter().zip(&all) {
                assert!((w - a / total).abs() < 1e-10, "{w} {a}");
            }
        }
    }
}

/// A real target is yyᵀ without its mean.
#[test]
fn numbers_are_aligned_with_their_products() {
    let (kernels, _) = problem(40, 2, 3, 4);
    let y: Vec<f64> =
        (0..40).map(|i| 3.0 + f64::from(i % 2) + (f64::from(i) * 0.4).sin()).collect();
    let mean = y.iter().sum::<f64>() / 40.0;
    let t = Matrix::from_fn(40, 40, |i, j| (y[i] - mean) * (y[j] - mean));
    let found = learn("align", &[], &kernels, &Target::Real(y));
    let all: Vec<f64> = kernels.iter().map(|k| alignment(&centred(k), &t).max(0.0)).collect();
    let total: f64 = all.iter().sum();
    for (w, a) in weights(&found).iter().zip(&all) {
        assert!((w - a / total).abs() < 1e-10, "{w} {a}");
    }
}

/// The bound of joint alignment: no combination has more than s times the alignment of η.
#[test]
fn the_gap_of_joint_alignment_holds() {
    for seed in 1..6 {
        let k = 2 + seed as usize % 2;
        let (kernels, codes) = problem(40, k, 6, seed);
        let found = learn("alignf", &[], &kernels, &Target::from(classes(&codes)));
        let t = centred(&ideal(&codes, k as u32));
        let kernels: Vec<Matrix> = kernels.iter().map(centred).collect();
        let combined = sum(&kernels, weights(&found));
        let own = dot(&combined, &t) / dot(&combined, &combined);
        let excess =
            kernels.iter().map(|k| dot(k, &t) / (own * dot(k, &combined))).fold(1.0, f64::max);
        let gap = found.report.gap.unwrap();
        assert!((excess - 1.0 - gap).abs() < 1e-9 && gap < 1e-9, "{excess} {gap}");
        let value = found.report.objective.last().unwrap();
        assert!((value - alignment(&combined, &t)).abs() < 1e-10);
        assert!((found.report.details["alignment"][0] - value).abs() < 1e-10);
    }
}

#[test]
fn the_gap_of_the_ideal_distance_holds() {
    for seed in 1..6 {
        let (kernels, codes) = problem(40, 2, 5, seed);
        let found = learn("ideal_distance", &[], &kernels, &Target::from(classes(&codes)));
        let diagonal = |k: &Matrix| (0..40).map(|i| k.get(i, i)).sum::<f64>() / 40.0;
        let unit = kernels.iter().map(diagonal).sum::<f64>() / 5.0;
        let t = ideal(&codes, 2);
        let combined = sum(&kernels, weights(&found));
        let apart = Matrix::from_fn(40, 40, |i, j| combined.get(i, j) / unit - t.get(i, j));
        let value = dot(&apart, &apart) / dot(&t, &t);
        let slope = |k: &Matrix| 2.0 * dot(k, &apart) / unit / dot(&t, &t);
        let along: f64 = weights(&found).iter().zip(&kernels).map(|(w, k)| w * slope(k)).sum();
        let least = kernels.iter().map(slope).fold(f64::INFINITY, f64::min);
        let gap = found.report.gap.unwrap();
        assert!(((along - least) / value - gap).abs() < 1e-10 && gap < 1e-9, "{gap}");
        assert!((found.report.objective[1] - value).abs() < 1e-10);
    }
}

/// η of EasyMKL are the squared margins of γ, and γ is the point of the hulls on the sum.
#[test]
fn easy_mkl_ends_where_its_gap_says() {
    for (lambda, k) in [(0.01, 2), (0.1, 3), (0.9, 2), (1.0, 2)] {
        let (kernels, codes) = problem(40, k, 4, 9);
        let given = [("lambda", Value::Real(lambda)), ("tol", Value::Real(1e-9))];
        let found = learn("easy_mkl", &given, &kernels, &Target::from(classes(&codes)));
        let margins = &found.report.details["squared_margins"];
        let total: f64 = margins.iter().sum();
        for (w, q) in weights(&found).iter().zip(margins) {
            assert!((w - q / total).abs() < 1e-12);
        }
        let gap = found.report.gap.unwrap();
        assert!((-1e-12..=1e-9).contains(&gap), "{lambda}: {gap}");
        assert!(found.report.objective[1] <= found.report.objective[0] * (1.0 + 1e-12));
    }
}
