//! The classic algorithms of one-stage MKL beside each other and beside Clarabel.

use super::mkl::{cholesky, clarabel};
use crate::common::{bank, classes, interior_point, problem, simple_mkl, weights};
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT;
use cokernel::bank::Storage;
use cokernel::catalogue::find;
use cokernel::data::{Matrix, Target};
use cokernel::machine::{Decomposition, Machine, Svc};
use cokernel::mkl::{Learned, Problem, learner, train};
use cokernel::params::Value;
use cokernel::{Run, Status};

/// A method with parameters on matrices.
fn learn(
    id: &str,
    given: &[(&str, Value)],
    kernels: &[Matrix],
    target: &Target,
    machine: &dyn Machine,
) -> Learned {
    let method = find(id).unwrap();
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    let bank = bank(kernels, Storage::Resident);
    let problem = Problem::new(&bank, target, machine);
    train(&problem, learner(method, &params).unwrap().as_ref(), &Run::default()).unwrap()
}

fn signs(codes: &[u32], decomposition: Decomposition, count: usize) -> Vec<Vec<f64>> {
    let sign = |pair: &(u32, Option<u32>), code: u32| match pair {
        (positive, _) if *positive == code => 1.0,
        (_, Some(negative)) if *negative != code => 0.0,
        _ => -1.0,
    };
    let pairs = decomposition.pairs(count);
    pairs.iter().map(|pair| codes.iter().map(|code| sign(pair, *code)).collect()).collect()
}

/// The primal objective by plain loops.
fn upper(learned: &Learned, kernels: &[Matrix], labels: &[Vec<f64>], c: f64) -> f64 {
    let (eta, n) = (weights(learned), kernels[0].rows());
    let combined = Matrix::from_fn(n, n, |i, j| {
        eta.iter().zip(kernels).map(|(w, k)| w * k.get(i, j)).sum::<f64>()
    });
    let heads = learned.machines.as_ref().unwrap().heads();
    let value = |(head, y): (&cokernel::machine::Head, &Vec<f64>)| -> f64 {
        let images: Vec<f64> = (0..n)
            .map(|i| (0..n).map(|j| combined.get(i, j) * head.coef[j]).sum::<f64>())
            .collect();
        let norm: f64 = images.iter().zip(&head.coef).map(|(f, c)| f * c).sum();
        let loss = |i: usize| y[i].abs() * c * (1.0 - y[i] * (images[i] + head.bias)).max(0.0);
        0.5 * norm + (0..n).map(loss).sum::<f64>()
    };
    heads.zip(labels).map(value).sum()
}

/// Ten problems, to the gap asked for: SILP, LevelMKL and SimpleMKL hold Clarabel's optimum between their bounds.
#[test]
fn algorithms_agree_on_ten_problems() {
    for seed in 1..=10_u64 {
        let count = 2 + (seed % 3) as usize;
        let decomposition =
            if seed % 2 == 0 { Decomposition::OneVsRest } else { Decomposition::OneVsOne };
        let c = [0.3, 1.0, 3.0, 10.0][seed as usize % 4];
        let (kernels, codes) = problem(36, count, 4 + (seed % 4) as usize, 100 + seed);
        let labels = signs(&codes, decomposition, count);
        let (value, _) = clarabel(&kernels, &labels, c);
        let machine = Svc { c, decomposition, tol: 1e-9, ..Svc::default() };
        let target = Target::from(classes(&codes));
        for tol in [1e-3, 1e-6] {
            let simple = simple_mkl(
                &bank(&kernels, Storage::Resident),
                &classes(&codes),
                &machine,
                tol,
                "newton",
            );
            let given = [("tol", Value::Real(tol))];
            let silp = learn("silp", &given, &kernels, &target, &machine);
            let level = learn("level_mkl", &given, &kernels, &target, &machine);
            for (id, learned) in [("simple", &simple), ("silp", &silp), ("level", &level)] {
                let what = format!("{id}, problem {seed}, tol {tol}");
                assert_eq!(learned.report.status, Status::Converged, "{what}");
                let (upper, gap) =
                    (upper(learned, &kernels, &labels, c), learned.report.gap.unwrap());
                assert!((0.0..=tol).contains(&gap), "{what}: {gap}");
                let lower = upper * (1.0 - gap);
                assert!(
                    lower <= value * (1.0 + 1e-8) && value <= upper * (1.0 + 1e-8),
                    "{what}: {lower} {value} {upper}"
                );
                let trace = &learned.report.objective;
                assert!(trace.windows(2).all(|w| w[1] <= w[0]) || id == "simple", "{what}");
            }
        }
    }
}

/// Twenty random problems of each method to 10⁻⁶ of Clarabel's optimum, with the weights where they are unique.
#[test]
fn optima_of_twenty_random_problems() {
    for seed in 0..20_u64 {
        let (n, m) = (20 + seed as usize % 17, 2 + seed as usize % 5);
        let c = 10_f64.powf(f64::from(seed as u32 % 7) / 2.0 - 1.0);
        let (kernels, codes) = problem(n, 2, m, 200 + seed);
        let labels = signs(&codes, Decomposition::OneVsRest, 2);
        let (value, eta) = clarabel(&kernels, &labels, c);
        let machine = Svc { c, tol: 1e-10, ..Svc::default() };
        let target = Target::from(classes(&codes));
        for id in ["silp", "level_mkl"] {
            let learned = learn(id, &[("tol", Value::Real(5e-7))], &kernels, &target, &machine);
            let ours = learned.machines.as_ref().unwrap().primal();
            assert!((ours / value - 1.0).abs() < 1e-6, "{id}, {seed}: {ours} {value}");
            for (a, b) in weights(&learned).iter().zip(&eta) {
                assert!((a - b).abs() < 5e-3, "{id}, {seed}: {:?} {eta:?}", weights(&learned));
            }
        }
    }
}

/// A kernel that is not positive semi-definite is refused with its smallest eigenvalue, by name.
#[test]
fn indefinite_kernels_are_refused() {
    let (mut kernels, codes) = problem(40, 2, 3, 1);
    kernels.push(Matrix::from_fn(40, 40, |i, j| ((i * j) as f64).sin()));
    let target = Target::from(classes(&codes));
    let bank = bank(&kernels, Storage::Resident);
    let machine = Svc::default();
    let problem = Problem::new(&bank, &target, &machine);
    for id in [
        "silp",
        "level_mkl",
        "smo_mkl",
        "ufo_mkl",
        "lanckriet_qcqp",
        "bach",
        "alignf",
        "kandola",
        "kl_divergence",
    ] {
        let method = find(id).unwrap();
        let found =
            train(&problem, learner(method, &method.defaults()).unwrap().as_ref(), &Run::default());
        let e = found.unwrap_err().to_string();
        assert!(e.starts_with("kernel 'k3' is not positive semi-definite"), "{id}: {e}");
        assert!(e.contains("smallest eigenvalue is"), "{id}: {e}");
        let least = e.split([' ', ')']).find_map(|word| word.parse::<f64>().ok());
        assert!(least.is_some_and(|least| least < 0.0), "{id}: {e}");
    }
}

/// One case of `make_sdp.py`.
#[derive(serde::Deserialize)]
struct Case {
    x: Vec<Vec<f64>>,
    c: f64,
    kernels: Vec<Given>,
    value: f64,
    weights: Vec<f64>,
}

#[derive(serde::Deserialize)]
struct Given {
    gamma: f64,
    less: f64,
}

/// The semidefinite program over K_L as Clarabel solves it in the form of the paper, whose optimum is twice ω.
#[test]
fn the_semidefinite_program() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../reference/sdp.json")).unwrap();
    let mut negative = 0;
    for (number, case) in cases.iter().enumerate() {
        let n = case.x.len();
        let codes: Vec<u32> = (0..n).map(|i| (i % 2) as u32).collect();
        let square = |i: usize, j: usize| -> f64 {
            case.x[i].iter().zip(&case.x[j]).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let kernels: Vec<Matrix> = (case.kernels.iter())
            .map(|k| {
                Matrix::from_fn(n, n, |i, j| {
                    let d = k.gamma * square(i, j);
                    (-d).exp() - k.less * (-4.0 * d).exp() + if i == j { 0.05 } else { 0.0 }
                })
            })
            .collect();
        let machine = Svc { c: case.c, tol: 1e-10, ..Svc::default() };
        let target = Target::from(classes(&codes));
        let given = [("tol", Value::Real(3e-7))];
        let learned = learn("lanckriet_sdp", &given, &kernels, &target, &machine);
        let what = format!("case {number}");
        assert_eq!(learned.report.status, Status::Converged, "{what}: {:?}", learned.report);
        let labels = signs(&codes, Decomposition::OneVsRest, 2);
        let (upper, gap) =
            (upper(&learned, &kernels, &labels, case.c), learned.report.gap.unwrap());
        assert!((0.0..=3e-7).contains(&gap), "{what}: {gap}");
        assert!((upper / case.value - 1.0).abs() < 1e-6, "{what}: {upper} {}", case.value);
        assert!(upper * (1.0 - gap) <= case.value * (1.0 + 1e-7), "{what}");
        let eta = weights(&learned);
        negative += usize::from(eta.iter().any(|w| *w < 0.0));
        for (a, b) in eta.iter().zip(&case.weights) {
            assert!((a - b).abs() < 1e-2 * (1.0 + b.abs()), "{what}: {eta:?} {:?}", case.weights);
        }
        // In the set, by plain loops: the trace, and a Cholesky factor with 1e-9 on the diagonal.
        let trace = |k: &Matrix| (0..n).map(|i| k.get(i, i)).sum::<f64>();
        let level = kernels.iter().map(trace).sum::<f64>() / kernels.len() as f64;
        let combined = Matrix::from_fn(n, n, |i, j| {
            let sum: f64 = eta.iter().zip(&kernels).map(|(w, k)| w * k.get(i, j)).sum();
            sum + if i == j { 1e-9 } else { 0.0 }
        });
        assert!((trace(&combined) / level - 1.0).abs() < 1e-8, "{what}");
        assert!(cholesky(&combined).values().iter().all(|v| v.is_finite()), "{what}");
    }
    assert!(cases.len() >= 20 && negative >= 10, "{} {negative}", cases.len());
}

#[test]
fn too_many_instances_for_the_semidefinite_program() {
    let kernels = vec![Matrix::from_fn(501, 501, |i, j| f64::from(u8::from(i == j)))];
    let target = Target::from(classes(&(0..501).map(|i| i % 2).collect::<Vec<u32>>()));
    let (bank, machine) = (bank(&kernels, Storage::Resident), Svc::default());
    let method = find("lanckriet_sdp").unwrap();
    let problem = Problem::new(&bank, &target, &machine);
    let found =
        train(&problem, learner(method, &method.defaults()).unwrap().as_ref(), &Run::default());
    let e = found.unwrap_err().to_string();
    assert!(e.contains("501 instances") && e.contains("at most 500"), "{e}");
    // Nothing to start from.
    let kernels = vec![Matrix::from_fn(6, 6, |i, j| if i == j { -1.0 } else { 0.0 })];
    let target = Target::from(classes(&[0, 1, 0, 1, 0, 1]));
    let bank = crate::common::bank(&kernels, Storage::Resident);
    let problem = Problem::new(&bank, &target, &machine);
    let found =
        train(&problem, learner(method, &method.defaults()).unwrap().as_ref(), &Run::default());
    let e = found.unwrap_err().to_string();
    assert!(e.contains("smallest eigenvalue is -1.00e0"), "{e}");
}

/// max Σ y c − ‖q‖₂²/8λ as a cone program: q_m ≥ cᵀK_mc, ‖q‖ ≤ t. The variables are c/unit and q/unit².
fn squared_norm(kernels: &[Matrix], y: &[f64], c: f64, lambda: f64, unit: f64) -> f64 {
    let (n, m) = (y.len(), kernels.len());
    let size = n + m + 1;
    let (mut rows, mut cols, mut values, mut b) = (vec![], vec![], vec![], vec![]);
    let mut entry = |row: usize, col: usize, value: f64| {
        rows.push(row);
        cols.push(col);
        values.push(value);
    };
    (0..n).for_each(|i| entry(0, i, 1.0));
    b.push(0.0);
    for i in 0..n {
        entry(b.len(), i, -y[i]);
        b.push(0.0);
        entry(b.len(), i, y[i]);
        b.push(c / unit);
    }
    let mut cones = vec![SupportedConeT::ZeroConeT(1), SupportedConeT::NonnegativeConeT(2 * n)];
    for (k, kernel) in kernels.iter().enumerate() {
        let l = cholesky(kernel);
        for right in [1.0, -1.0] {
            entry(b.len(), n + k, -1.0);
            b.push(right);
        }
        for j in 0..n {
            (j..n).for_each(|i| entry(b.len(), i, -2.0 * l.get(i, j)));
            b.push(0.0);
        }
        cones.push(SupportedConeT::SecondOrderConeT(2 + n));
    }
    entry(b.len(), size - 1, -1.0);
    b.push(0.0);
    for k in 0..m {
        entry(b.len(), n + k, -1.0);
        b.push(0.0);
    }
    cones.push(SupportedConeT::SecondOrderConeT(1 + m));
    let a = CscMatrix::new_from_triplets(b.len(), size, rows, cols, values);
    let last = vec![size - 1];
    let p = CscMatrix::new_from_triplets(
        size,
        size,
        last.clone(),
        last,
        vec![0.25 * unit.powi(3) / lambda],
    );
    let mut target: Vec<f64> = y.iter().map(|y| -y).collect();
    target.resize(size, 0.0);
    -unit * interior_point(&p, &target, &a, &b, &cones).obj_val
}

/// Σ d_m K_m's primal objective plus the penalty, by plain loops.
#[test]
fn smo_mkl_on_twenty_random_problems() {
    for seed in 0..20_u64 {
        let (n, m) = (20 + seed as usize % 11, 2 + seed as usize % 4);
        let c = [0.3, 1.0, 2.0, 5.0][seed as usize % 4];
        let lambda = [0.5, 1.0, 5.0][seed as usize % 3];
        let (kernels, codes) = problem(n, 2, m, 300 + seed);
        let labels = signs(&codes, Decomposition::OneVsRest, 2);
        let machine = Svc { c, tol: 1e-10, ..Svc::default() };
        let target = Target::from(classes(&codes));
        for solver in ["newton", "pairs"] {
            let given = [
                ("tol", Value::Real(2e-7)),
                ("lambda", Value::Real(lambda)),
                ("solver", solver.into()),
            ];
            let learned = learn("smo_mkl", &given, &kernels, &target, &machine);
            let d = weights(&learned);
            let largest = d.iter().fold(0.0_f64, |a, d| a.max(*d));
            let unit = (2.0 * lambda * largest).sqrt();
            let value = squared_norm(&kernels, &labels[0], c, lambda / 1.01, unit);
            let penalty = 0.5 * lambda / 1.01 * d.iter().map(|d| d * d).sum::<f64>();
            let ours = upper(&learned, &kernels, &labels, c) + penalty;
            let what = format!("{seed}, {solver}: {ours} {value} {:?}", learned.report);
            assert_eq!(learned.report.status, Status::Converged, "{what}");
            assert!((ours / value - 1.0).abs() < 1e-6, "{what}");
            let gap = learned.report.gap.unwrap();
            assert!(gap <= 2e-7 && ours * (1.0 - gap) <= value * (1.0 + 1e-8), "{what}");
        }
    }
}

/// With ρ = ‖d‖_p: lp-norm MKL at cost ρC, whose weights are d/ρ and whose decisions are the same.
#[test]
fn smo_mkl_is_lp_norm_at_another_cost() {
    let all = [(2, 1.1), (2, 4.0 / 3.0), (3, 2.0), (3, 4.0), (2, 30.0)];
    for ((count, p), solver) in all.into_iter().flat_map(|c| [(c, "newton"), (c, "pairs")]) {
        let (kernels, codes) = problem(40, count, 5, 11);
        let target = Target::from(classes(&codes));
        let machine = Svc { c: 3.0, tol: 1e-10, ..Svc::default() };
        let given = [
            ("tol", Value::Real(1e-8)),
            ("p", Value::Real(p)),
            ("lambda", Value::Real(5.0)),
            ("solver", solver.into()),
        ];
        let smo = learn("smo_mkl", &given, &kernels, &target, &machine);
        assert_eq!(smo.report.status, Status::Converged, "{:?}", smo.report);
        let size = smo.report.details["norm"][0];
        let direct = weights(&smo).iter().map(|d| d.powf(p)).sum::<f64>().powf(1.0 / p);
        assert!((size / direct - 1.0).abs() < 1e-12);
        let machine = Svc { c: 3.0 * size, tol: 1e-10, ..Svc::default() };
        let given = [("tol", Value::Real(1e-8)), ("p", Value::Real(p))];
        let lp = learn("lp_norm", &given, &kernels, &target, &machine);
        for (d, eta) in weights(&smo).iter().zip(weights(&lp)) {
            assert!((d / size - eta).abs() < 2e-3, "{count}, {p}: {d} {size} {eta}");
        }
        let decisions = |l: &Learned| crate::common::rules::decisions(l, &kernels).concat();
        for (a, b) in decisions(&smo).iter().zip(decisions(&lp)) {
            assert!((a - b).abs() < 5e-3 * (1.0 + b.abs()), "{count}, {p}: {a} {b}");
        }
    }
}

/// Both solvers end at the same optimum, from weights of next to nothing to a hard margin, and whatever the unit of the
/// kernels is: kernels times s with C and λ as they are is C times s.
#[test]
fn the_solvers_of_smo_mkl_agree() {
    let (kernels, codes) = problem(40, 2, 6, 5);
    let target = Target::from(classes(&codes));
    for (p, lambda, c) in [
        (1.05, 1.0, 1.0),
        (1.1, 1e-3, 0.1),
        (2.0, 1e6, 1e3),
        (2.0, 1e-6, 1e-2),
        (3.0, 1.0, 1e2),
        (50.0, 0.1, 10.0),
    ] {
        let value = |solver: &str, scale: f64| {
            let scaled: Vec<Matrix> = (kernels.iter())
                .map(|k| Matrix::from_fn(40, 40, |i, j| scale * k.get(i, j)))
                .collect();
            let machine = Svc { c: c / scale, tol: 1e-10, ..Svc::default() };
            let given = [
                ("tol", Value::Real(1e-6)),
                ("p", Value::Real(p)),
                ("lambda", Value::Real(lambda)),
                ("solver", solver.into()),
            ];
            let learned = learn("smo_mkl", &given, &scaled, &target, &machine);
            let what = format!("{p}, {lambda}, {c}, {solver}, {scale}: {:?}", learned.report);
            assert_eq!(learned.report.status, Status::Converged, "{what}");
            scale * learned.report.objective.last().unwrap()
        };
        let pairs = value("pairs", 1.0);
        for scale in [1.0, 1e-12, 1e12] {
            let newton = value("newton", scale);
            assert!(
                (newton / pairs - 1.0).abs() < 3e-6,
                "{p}, {lambda}, {c}, {scale}: {newton} {pairs}"
            );
        }
    }
}

/// The program of the paper over K_P: kernels of another trace are those of the same trace, times a number.
#[test]
fn the_quadratically_constrained_program() {
    for seed in 0..20_u64 {
        let (n, m) = (20 + seed as usize % 17, 2 + seed as usize % 5);
        let c = 10_f64.powf(f64::from(seed as u32 % 7) / 2.0 - 1.0);
        let (mut kernels, codes) = problem(n, 2, m, 400 + seed);
        let scales: Vec<f64> = (0..m).map(|k| 1.0 + 0.7 * k as f64).collect();
        for (k, s) in kernels.iter_mut().zip(&scales) {
            k.values_mut().iter_mut().for_each(|v| *v *= s);
        }
        let trace = |k: &Matrix| (0..n).map(|i| k.get(i, i)).sum::<f64>();
        let level = kernels.iter().map(trace).sum::<f64>() / m as f64;
        let equal: Vec<Matrix> = (kernels.iter())
            .map(|k| Matrix::from_fn(n, n, |i, j| k.get(i, j) * level / trace(k)))
            .collect();
        let labels = signs(&codes, Decomposition::OneVsRest, 2);
        let (value, shares) = clarabel(&equal, &labels, c);
        let machine = Svc { c, tol: 1e-10, ..Svc::default() };
        let target = Target::from(classes(&codes));
        let given = [("tol", Value::Real(5e-7))];
        let learned = learn("lanckriet_qcqp", &given, &kernels, &target, &machine);
        let ours = upper(&learned, &kernels, &labels, c);
        assert!((ours / value - 1.0).abs() < 1e-6, "{seed}: {ours} {value}");
        assert!(learned.report.gap.unwrap() <= 5e-7, "{seed}");
        let eta = weights(&learned);
        let sum: f64 = eta.iter().zip(&kernels).map(|(w, k)| w * trace(k)).sum();
        assert!((sum / level - 1.0).abs() < 1e-12, "{seed}");
        for ((w, k), share) in eta.iter().zip(&kernels).zip(&shares) {
            assert!((w * trace(k) / level - share).abs() < 5e-3, "{seed}: {eta:?} {shares:?}");
        }
        // The larger set has an optimum that is no larger.
        let wider = learn("lanckriet_sdp", &given, &kernels, &target, &machine);
        assert!(wider.report.status.is_success(), "{seed}: {:?}", wider.report);
        let below = upper(&wider, &kernels, &labels, c);
        assert!(below <= ours * (1.0 + 1e-6), "{seed}: {below} {ours}");
    }
}

/// With two kernels q = 2, so that the problem is a quadratic program in γ on the sum of the kernels.
#[test]
fn ufo_mkl_holds_the_optimum_between_its_bounds() {
    let (kernels, codes) = problem(30, 2, 2, 21);
    let n = codes.len();
    let target = Target::from(classes(&codes));
    let (cost, mean) = (2.0, 1.01);
    let lambda = 1.0 / (cost * n as f64);
    let sign = |i: usize| if codes[i] == 0 { 1.0 } else { -1.0 };
    let quadratic = Matrix::from_fn(n, n, |i, j| {
        let sum: f64 = kernels.iter().map(|k| k.get(i, j) / mean).sum();
        2.0 / lambda * sign(i) * sign(j) * sum
    });
    let bounds = (vec![0.0; n], vec![1.0 / n as f64; n]);
    let value = -crate::common::least(&quadratic, &vec![-1.0; n], &[], &bounds.0, &bounds.1);
    let mut last = 1.0;
    for epochs in [100, 3000] {
        let given =
            [("c", Value::Real(cost)), ("epochs", Value::Int(epochs)), ("tol", Value::Real(0.0))];
        let learned = learn("ufo_mkl", &given, &kernels, &target, &Svc::default());
        let (report, details) = (&learned.report, &learned.report.details);
        let (primal, dual) = (details["primal"][0], details["dual"][0]);
        assert!(
            dual <= value * (1.0 + 1e-7) && value <= primal * (1.0 + 1e-7),
            "{dual} {value} {primal}"
        );
        let gap = report.gap.unwrap();
        assert!((gap - (primal - dual) / primal).abs() < 1e-12);
        assert!(gap < last, "{gap} {last}");
        last = 0.3 * gap;
        assert!(report.objective.windows(2).all(|w| w[1] <= w[0]));
        assert_eq!(report.objective.len(), epochs as usize + 1);
        let said = format!("(iteration limit) after {epochs} epochs at relative gap {gap:.1e}");
        assert_eq!(report.status, Status::IterationLimit);
        assert!(report.notes.iter().any(|n| n.contains(&said)), "{:?}", report.notes);
    }
    // The tolerance ends it.
    let given =
        [("c", Value::Real(cost)), ("epochs", Value::Int(3000)), ("tol", Value::Real(0.05))];
    let learned = learn("ufo_mkl", &given, &kernels, &target, &Svc::default());
    assert!(learned.report.status.is_success() && learned.report.iterations < 3000);
    assert!(learned.report.gap.unwrap() <= 0.05);
    // A large α leaves no kernel; many kernels and classes.
    let (kernels, codes) = problem(45, 3, 8, 22);
    let target = Target::from(classes(&codes));
    let none =
        learn("ufo_mkl", &[("alpha", Value::Real(10.0))], &kernels, &target, &Svc::default());
    assert_eq!(weights(&none), [0.125; 8]);
    assert!(none.report.notes.iter().any(|n| n.contains("smaller alpha")), "{:?}", none.report);
    let some = learn("ufo_mkl", &[], &kernels, &target, &Svc::default());
    let eta = weights(&some);
    let (useful, others) = (eta[..4].iter().sum::<f64>(), eta[4..].iter().sum::<f64>());
    assert!(useful > others, "{eta:?}");
}
