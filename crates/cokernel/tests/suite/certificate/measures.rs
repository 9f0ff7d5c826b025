//! Weights by similarity measures, recomputed from raw matrices: measures by their definitions, gaps and
//! objectives of the weights that came back.

use crate::common::{bank, classes, problem, weights};
use cokernel::Run;
use cokernel::bank::Storage;
use cokernel::catalogue::find;
use cokernel::data::{Matrix, Target};
use cokernel::machine::{Machine, Svc};
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

/// The inverse and the logarithm of the determinant, by elimination.
fn inverted(a: &Matrix) -> (Matrix, f64) {
    let n = a.rows();
    let mut both = Matrix::from_fn(n, 2 * n, |i, j| {
        if j < n { a.get(i, j) } else { f64::from(u8::from(j - n == i)) }
    });
    let mut log_det = 0.0;
    for p in 0..n {
        let pivot = both.get(p, p);
        log_det += pivot.ln();
        (0..2 * n).for_each(|j| both.set(p, j, both.get(p, j) / pivot));
        for i in (0..n).filter(|i| *i != p) {
            let factor = both.get(i, p);
            (0..2 * n).for_each(|j| both.set(i, j, both.get(i, j) - factor * both.get(p, j)));
        }
    }
    (Matrix::from_fn(n, n, |i, j| both.get(i, n + j)), log_det)
}

/// The divergence and its slope by the definition; the gap of the weights is what was said.
#[test]
fn the_gap_of_the_divergence_holds() {
    for seed in 1..6 {
        let k = 2 + seed as u32 % 2;
        let (kernels, codes) = problem(30, k as usize, 4, seed);
        let given = [("ridge", Value::Real(0.5)), ("tol", Value::Real(1e-9))];
        let found = learn("kl_divergence", &given, &kernels, &Target::from(classes(&codes)));
        let trace = |k: &Matrix| (0..30).map(|i| k.get(i, i)).sum::<f64>();
        let unit = kernels.iter().map(trace).sum::<f64>() / 120.0;
        let ridged = |k: &Matrix| {
            Matrix::from_fn(30, 30, |i, j| k.get(i, j) + if i == j { 0.5 } else { 0.0 })
        };
        let scaled: Vec<f64> = weights(&found).iter().map(|w| w / unit).collect();
        let own = ridged(&sum(&kernels, &scaled));
        let ((target, of_target), (inverse, of_own)) =
            (inverted(&ridged(&ideal(&codes, k))), inverted(&own));
        let value = 0.5 * (dot(&target, &own) - of_own + of_target - 30.0);
        let slope = |k: &Matrix| 0.5 * (dot(&target, k) - dot(&inverse, k)) / unit;
        let along: f64 = weights(&found).iter().zip(&kernels).map(|(w, k)| w * slope(k)).sum();
        let least = kernels.iter().map(slope).fold(f64::INFINITY, f64::min);
        let gap = found.report.gap.unwrap();
        assert!(((along - least) / value - gap).abs() < 1e-9 && gap < 1e-9, "{gap}");
        assert!((found.report.objective.last().unwrap() - value / 30.0).abs() < 1e-9);
    }
}

/// FSM in the feature space of linear kernels, where features are at hand.
#[test]
fn scores_of_features_are_those_of_the_definitions() {
    let n = 40;
    let codes: Vec<u32> = (0..n).map(|i| u32::from(i % 3 == 0)).collect();
    let x = Matrix::from_fn(n, 3, |i, j| {
        ((i * (j + 2)) as f64 * 0.9).sin() + 1.5 * f64::from(codes[i]) * f64::from(u8::from(j == 0))
    });
    let row = |i: usize| x.row(i).to_vec();
    let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
    let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let kernel = Matrix::from_fn(n, n, |i, j| inner(&row(i), &row(j)));
    let members = |c: u32| (0..n).filter(|i| codes[*i] == c).collect::<Vec<_>>();
    let centre = |c: u32| -> Vec<f64> {
        let own = members(c);
        (0..3).map(|j| own.iter().map(|i| x.get(*i, j)).sum::<f64>() / own.len() as f64).collect()
    };
    let apart = minus(&centre(1), &centre(0));
    let distance = inner(&apart, &apart).sqrt();
    let deviation = |c: u32, line: bool| {
        let own = members(c);
        let square = |i: &usize| {
            let off = minus(&row(*i), &centre(c));
            if line { (inner(&off, &apart) / distance).powi(2) } else { inner(&off, &off) }
        };
        (own.iter().map(square).sum::<f64>() / (own.len() - 1) as f64).sqrt()
    };
    let target = Target::from(classes(&codes));
    let bank = bank(std::slice::from_ref(&kernel), Storage::Resident);
    let found = cokernel::mkl::measures::scores(&bank, &target, &Run::default()).unwrap();
    let near = |a: Option<f64>, b: f64| assert!((a.unwrap() / b - 1.0).abs() < 1e-9, "{a:?} {b}");
    near(found[0].fsm, (deviation(0, true) + deviation(1, true)) / distance);
    near(found[0].fsm_total, (deviation(0, false) + deviation(1, false)) / distance);
    let t = ideal(&codes, 2);
    near(Some(found[0].alignment), alignment(&kernel, &t));
    near(Some(found[0].centered_alignment), alignment(&centred(&kernel), &centred(&t)));
    let unit = (0..n).map(|i| kernel.get(i, i)).sum::<f64>() / n as f64;
    let off = Matrix::from_fn(n, n, |i, j| kernel.get(i, j) / unit - t.get(i, j));
    near(Some(found[0].ideal_distance), (dot(&off, &off) / dot(&t, &t)).sqrt());
    let numbers = Target::Real(x.col(0));
    let found = cokernel::mkl::measures::scores(&bank, &numbers, &Run::default()).unwrap();
    assert!(found[0].fsm.is_none() && found[0].divergence.is_some());
}

/// The gradient of the alignment by central differences, and a trace that only rises.
#[test]
fn the_slope_of_the_alignment_is_that_of_differences() {
    let (kernels, codes) = problem(40, 3, 5, 8);
    let target = Target::from(classes(&codes));
    let ideal = cokernel::mkl::measures::Ideal::of(&target).unwrap();
    let bank = bank(&kernels, Storage::Resident);
    for centered in [true, false] {
        let products =
            cokernel::mkl::measures::Products::of(&bank, &ideal, centered, true, &Run::default())
                .unwrap();
        let weights = [0.3, 0.1, 0.7, 0.05, 0.2];
        let slope = products.slope(&weights);
        for m in 0..5 {
            let moved = |step: f64| {
                let mut w = weights;
                w[m] += step;
                products.alignment(&w)
            };
            let want = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((slope[m] - want).abs() < 1e-8, "{m}: {} {want}", slope[m]);
        }
    }
    let given = [("tol", Value::Real(1e-6)), ("max_iterations", Value::Int(100_000))];
    let found = learn("alignment_gradient", &given, &kernels, &target);
    assert!(found.report.objective.is_sorted(), "{:?}", found.report.objective);
    let best = learn("alignf", &[("centered", word("no"))], &kernels, &target);
    let (ours, best) =
        (found.report.objective.last().unwrap(), best.report.objective.last().unwrap());
    assert!((ours / best - 1.0).abs() < 1e-5, "{ours} {best}");
    let early =
        learn("alignment_gradient", &[("max_iterations", Value::Int(2))], &kernels, &target);
    assert!(!early.report.status.is_success() && early.report.iterations == 2);
}

/// Out-of-fold accuracies are not recomputed here; the formulas are, from what was measured.
#[test]
fn weights_from_single_kernels_are_those_of_the_formulas() {
    let (kernels, codes) = problem(60, 2, 4, 3);
    let numbers = (0..60).map(|i| f64::from(codes[i]) + 0.3 * (i as f64).sin()).collect();
    let svr = cokernel::machine::MachineSpec::new("kernel_ridge").unwrap();
    let svr = svr.checked().unwrap().build().unwrap();
    let learn = |given: &[(&str, Value)], target: &Target, machine: &dyn Machine| {
        let method = find("accuracy_weights").unwrap();
        let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
        let bank = bank(&kernels, Storage::Resident);
        let problem = Problem::new(&bank, target, machine);
        learner(method, &params).unwrap().learn(&problem, &Run::default())
    };
    let target = Target::from(classes(&codes));
    for (threshold, delta) in [("zero", Some(0.0)), ("least", None)] {
        let found = learn(&[("threshold", word(threshold))], &target, &Svc::default()).unwrap();
        let measured = &found.report.details["accuracies"];
        let least = measured.iter().copied().fold(f64::INFINITY, f64::min);
        let above: Vec<f64> = measured.iter().map(|p| p - delta.unwrap_or(least)).collect();
        let total: f64 = above.iter().sum();
        for (w, a) in weights(&found).iter().zip(&above) {
            assert!((w - a / total).abs() < 1e-12);
        }
        assert!(measured[0] > 0.7 && measured.iter().all(|p| (0.0..=1.0).contains(p)));
    }
    let numbers = Target::Real(numbers);
    let found = learn(&[], &numbers, svr.as_ref()).unwrap();
    let errors = &found.report.details["squared_errors"];
    let total: f64 = errors.iter().sum();
    for (w, e) in weights(&found).iter().zip(errors) {
        assert!((w - (total - e) / (3.0 * total)).abs() < 1e-12);
    }
    let found = learn(&[("measure", word("correlation"))], &numbers, svr.as_ref()).unwrap();
    let measured = &found.report.details["correlations"];
    let total: f64 = measured.iter().map(|r| r.max(0.0)).sum();
    for (w, r) in weights(&found).iter().zip(measured) {
        assert!((w - r.max(0.0) / total).abs() < 1e-12);
    }
    let e = learn(&[("measure", word("mse"))], &target, &Svc::default()).unwrap_err().to_string();
    assert!(e.contains("'measure'") && e.contains("use accuracy"), "{e}");
    let e = learn(&[("measure", word("accuracy"))], &numbers, svr.as_ref());
    assert!(e.unwrap_err().to_string().contains("use mse or correlation"));
}

/// The three functions entry by entry, for three kernels in the order that is told; decision values of the
/// training rows by coefficients for each kernel are those of the combined matrix.
#[test]
fn functional_combinations_are_those_of_the_formulas() {
    let (kernels, codes) = problem(30, 2, 3, 5);
    let (n, tau) = (30, 0.3);
    let target = Target::from(classes(&codes));
    for function in ["absolute", "difference", "squared"] {
        let given = [("function", word(function)), ("tau", Value::Real(tau))];
        let found = learn("de_diego", &given, &kernels, &target);
        let order = &found.report.details["order"];
        let mut combined = kernels[order[0] as usize].clone();
        for m in &order[1..] {
            let other = &kernels[*m as usize];
            let apart = Matrix::from_fn(n, n, |i, j| combined.get(i, j) - other.get(i, j));
            let size = dot(&apart, &apart).sqrt();
            combined = Matrix::from_fn(n, n, |i, j| {
                let sign = if codes[i] == codes[j] { tau } else { -tau };
                let d = apart.get(i, j);
                let term = match function {
                    "absolute" => sign * d.abs(),
                    "difference" => sign * d,
                    _ => (0..n).map(|k| tau / size * apart.get(i, k) * apart.get(k, j)).sum(),
                };
                0.5 * (combined.get(i, j) + other.get(i, j)) + term
            });
        }
        let machines = found.machines.as_ref().unwrap();
        let head = &machines.blocks[0].heads[0];
        // The dual objective from the matrix: αᵀ1 − ½cᵀKc, c the coefficients, plus what was added.
        if function == "squared" {
            let share = found.rule.uses();
            let last = order[2] as usize;
            assert!(
                (share[last] - 0.5).abs() < 1e-12
                    && (share.iter().sum::<f64>() - 1.0).abs() < 1e-12
            );
            let values = crate::common::rules::decisions(&found, &kernels).concat();
            let named = vec![("combined".to_string(), combined)];
            let one = cokernel::bank::Bank::from_matrices(named, Storage::Resident).unwrap();
            let machine = Svc::default();
            let direct = machine
                .fit(&one.combine(&[1.0]).unwrap(), &classes(&codes), None, None, &Run::default())
                .unwrap();
            let gram = one.combine(&[1.0]).unwrap();
            let own = &direct.blocks[0].heads[0];
            for i in 0..n {
                let want: f64 =
                    gram.row(i).iter().zip(&own.coef).map(|(k, c)| k * c).sum::<f64>() + own.bias;
                assert!((values[i] - want).abs() < 1e-2 * (1.0 + want.abs()), "{i}");
            }
        } else {
            let (_, shift) =
                found.report.notes.iter().find_map(|t| t.split_once("): ")).unwrap_or(("", "0 "));
            let shift: f64 = shift.split_once(' ').unwrap().0.parse().unwrap();
            let quadratic: f64 = (0..n)
                .flat_map(|i| (0..n).map(move |j| (i, j)))
                .map(|(i, j)| head.coef[i] * head.coef[j] * combined.get(i, j))
                .sum::<f64>()
                + shift * head.coef.iter().map(|c| c * c).sum::<f64>();
            let linear: f64 = head.coef.iter().map(|c| c.abs()).sum();
            let want = linear - 0.5 * quadratic;
            assert!((machines.objective() / want - 1.0).abs() < 1e-3, "{function}");
            assert!(machines.gap() < 1e-2);
        }
    }
}

/// At the optimum the divergence of the full step is the same up to rounding, and its gap is smaller.
#[test]
fn divergences_end_at_their_tolerance() {
    for seed in 0..8 {
        let (kernels, codes) = problem(40, 2, 2 + seed as usize % 4, 700 + seed);
        for ridge in [1e-3, 1.0, 1e3] {
            let given = [("ridge", Value::Real(ridge)), ("tol", Value::Real(1e-9))];
            let target = Target::from(classes(&codes));
            let report = learn("kl_divergence", &given, &kernels, &target).report;
            assert!(report.status.is_success(), "{seed} {ridge}: {:?}", report.gap);
            assert!(report.gap.unwrap() <= 1e-9, "{seed} {ridge}: {:?}", report.gap);
        }
    }
}
