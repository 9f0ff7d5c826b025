//! SimpleMKL beside Clarabel, which solves the dual as one second-order cone program.
//!
//! ```text
//! max  Σ_u Σ_i α_i^u − ½ t    subject to   Σ_u c_uᵀ K_m c_u ≤ t for every m,  c = y∘α,
//!                                          0 ≤ α ≤ C,  Σ c_u = 0
//! ```
//!
//! With K_m = L_m L_mᵀ the m-th constraint is ‖(t − 1, 2 L_mᵀ c_1, 2 L_mᵀ c_2, …)‖ ≤ t + 1; twice
//! the sum of the first two entries of its multiplier is η_m.

use crate::common::{bank, classes, interior_point, problem, simple_mkl, weights};
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT;
use cokernel::Run;
use cokernel::bank::Storage;
use cokernel::catalogue::find;
use cokernel::data::{Matrix, Target};
use cokernel::machine::{Decomposition, Svc};
use cokernel::mkl::Problem;
use cokernel::params::Value;

/// L of K = L Lᵀ.
pub fn cholesky(k: &Matrix) -> Matrix {
    let n = k.rows();
    let mut l = Matrix::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            let s: f64 = (0..j).map(|p| l.get(i, p) * l.get(j, p)).sum();
            let v = if i == j { (k.get(i, i) - s).sqrt() } else { (k.get(i, j) - s) / l.get(j, j) };
            l.set(i, j, v);
        }
    }
    l
}

/// Optimal value and weights; `labels[u][i]` is +1, −1, or 0 for those that take no part.
pub fn clarabel(kernels: &[Matrix], labels: &[Vec<f64>], c: f64) -> (f64, Vec<f64>) {
    let (n, problems) = (kernels[0].rows(), labels.len());
    // Variables: c_u one after the other, then t. min Σ −y c + ½ t.
    let variables = n * problems + 1;
    let t = variables - 1;
    let mut objective: Vec<f64> = labels.iter().flatten().map(|y| -y).collect();
    objective.push(0.5);
    let (mut rows, mut cols, mut values, mut b) = (vec![], vec![], vec![], vec![]);
    let mut cones = Vec::new();
    let mut entry = |row: usize, col: usize, value: f64| {
        rows.push(row);
        cols.push(col);
        values.push(value);
    };
    // Σ c_u = 0, and c = 0 for those that take no part.
    for u in 0..problems {
        (0..n).for_each(|i| entry(b.len(), u * n + i, 1.0));
        b.push(0.0);
        for i in (0..n).filter(|&i| labels[u][i] == 0.0) {
            entry(b.len(), u * n + i, 1.0);
            b.push(0.0);
        }
    }
    cones.push(SupportedConeT::ZeroConeT(b.len()));
    let equalities = b.len();
    for u in 0..problems {
        for i in (0..n).filter(|&i| labels[u][i] != 0.0) {
            let y = labels[u][i];
            entry(b.len(), u * n + i, -y);
            b.push(0.0);
            entry(b.len(), u * n + i, y);
            b.push(c);
        }
    }
    cones.push(SupportedConeT::NonnegativeConeT(b.len() - equalities));
    let mut starts = Vec::new();
    for k in kernels {
        let l = cholesky(k);
        starts.push(b.len());
        entry(b.len(), t, -1.0);
        b.push(1.0);
        entry(b.len(), t, -1.0);
        b.push(-1.0);
        for u in 0..problems {
            for j in 0..n {
                (j..n).for_each(|i| entry(b.len(), u * n + i, -2.0 * l.get(i, j)));
                b.push(0.0);
            }
        }
        cones.push(SupportedConeT::SecondOrderConeT(2 + problems * n));
    }
    let a = CscMatrix::new_from_triplets(b.len(), variables, rows, cols, values);
    let p = CscMatrix::zeros((variables, variables));
    let solution = interior_point(&p, &objective, &a, &b, &cones);
    let eta = starts.iter().map(|&s| 2.0 * (solution.z[s] + solution.z[s + 1])).collect();
    (-solution.obj_val, eta)
}

fn compare(n: usize, count: usize, decomposition: Decomposition, c: f64, seed: u64) {
    let (kernels, codes) = problem(n, count, 5, seed);
    let machine = Svc { c, tol: 1e-8, decomposition, ..Svc::default() };
    let bank = bank(&kernels, Storage::Resident);
    let learned = simple_mkl(&bank, &classes(&codes), &machine, 1e-7, "newton");
    assert!(learned.report.status.is_success(), "{:?}", learned.report);
    let sign = |pair: &(u32, Option<u32>), code: u32| {
        if code == pair.0 {
            1.0
        } else if pair.1.is_none_or(|c| c == code) {
            -1.0
        } else {
            0.0
        }
    };
    let labels: Vec<Vec<f64>> = decomposition
        .pairs(count)
        .iter()
        .map(|pair| codes.iter().map(|code| sign(pair, *code)).collect())
        .collect();
    let (value, eta) = clarabel(&kernels, &labels, c);
    let ours = learned.machines.as_ref().unwrap().primal();
    assert!((ours / value - 1.0).abs() < 1e-6, "{ours} {value}");
    for (a, b) in weights(&learned).iter().zip(&eta) {
        assert!((a - b).abs() < 2e-4, "{:?} {eta:?}", weights(&learned));
    }
    assert!(eta.iter().any(|w| *w > 0.05 && *w < 0.95), "an interior weight: {eta:?}");
}

#[test]
fn two_classes() {
    for (c, seed) in [(0.5, 1), (5.0, 2), (100.0, 3)] {
        compare(50, 2, Decomposition::OneVsRest, c, seed);
    }
}

#[test]
fn several_classes_share_the_weights() {
    compare(36, 3, Decomposition::OneVsRest, 1.0, 4);
    compare(36, 3, Decomposition::OneVsOne, 10.0, 5);
}

#[test]
fn the_reduced_gradient_of_the_paper_agrees() {
    let (kernels, codes) = problem(50, 2, 5, 6);
    let (bank, classes) = (bank(&kernels, Storage::Resident), classes(&codes));
    let machine = Svc { tol: 1e-8, ..Svc::default() };
    let newton = simple_mkl(&bank, &classes, &machine, 1e-7, "newton");
    let gradient = simple_mkl(&bank, &classes, &machine, 1e-5, "gradient");
    assert!(gradient.report.status.is_success(), "{:?}", gradient.report);
    for (a, b) in weights(&newton).iter().zip(weights(&gradient)) {
        assert!((a - b).abs() < 0.02, "{:?} {:?}", weights(&newton), weights(&gradient));
    }
}

/// (5.2) of two-stage MKL as a quadratic program in μ and the slacks.
#[test]
fn the_problem_of_pairs_is_solved() {
    let (kernels, codes) = problem(30, 3, 5, 7);
    let (bank, classes) = (bank(&kernels, Storage::Resident), classes(&codes));
    let unit: f64 = kernels.iter().flat_map(|k| (0..30).map(|i| k.get(i, i))).sum::<f64>() / 150.0;
    let pairs: Vec<(usize, usize)> = (0..30).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
    let sign = |(i, j): (usize, usize)| if codes[i] == codes[j] { 1.0 } else { -1.0 };
    let equal = pairs.iter().filter(|p| sign(**p) > 0.0).count() as f64;
    let (m, p) = (kernels.len(), pairs.len());
    for lambda in [1e-8, 1e-6, 1e-3, 0.3, 10.0] {
        let (mut rows, mut cols, mut values, mut b) = (vec![], vec![], vec![], vec![]);
        for (k, pair) in pairs.iter().enumerate() {
            for (c, kernel) in kernels.iter().enumerate() {
                rows.push(k);
                cols.push(c);
                values.push(-sign(*pair) * kernel.get(pair.0, pair.1) / unit);
            }
            rows.push(k);
            cols.push(m + k);
            values.push(-1.0);
            b.push(-1.0);
        }
        for c in 0..m + p {
            rows.push(p + c);
            cols.push(c);
            values.push(-1.0);
            b.push(0.0);
        }
        let a = CscMatrix::new_from_triplets(b.len(), m + p, rows, cols, values);
        let quadratic = CscMatrix::new_from_triplets(
            m + p,
            m + p,
            (0..m).collect(),
            (0..m).collect(),
            vec![lambda; m],
        );
        let weight =
            |pair: &(usize, usize)| 0.5 / if sign(*pair) > 0.0 { equal } else { p as f64 - equal };
        let linear: Vec<f64> =
            std::iter::repeat_n(0.0, m).chain(pairs.iter().map(weight)).collect();
        let cones = [SupportedConeT::NonnegativeConeT(b.len())];
        let best = interior_point(&quadratic, &linear, &a, &b, &cones).obj_val;
        let method = find("two_stage").unwrap();
        let params = method.check([("lambda", &Value::Real(lambda))]).unwrap();
        let learner = cokernel::mkl::learner(method, &params).unwrap();
        let machine = Svc::default();
        let target = Target::from(classes.clone());
        let problem = Problem::new(&bank, &target, &machine);
        let report = learner.learn(&problem, &Run::default()).unwrap().report;
        let ours = *report.objective.last().unwrap();
        assert!((ours / best - 1.0).abs() < 2e-6, "lambda {lambda}: {ours} {best}");
    }
}
