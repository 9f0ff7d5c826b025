//! MEDFC beside the cone program (16) with the logarithms as exponential cones, by Clarabel; its limits and its scale.

use crate::common::{Stops, bank, classes, interior_point, problem, rules};
use crate::reference::mkl::cholesky;
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT;
use cokernel::bank::Storage;
use cokernel::catalogue::find;
use cokernel::data::{Classes, Matrix, Target};
use cokernel::machine::Svc;
use cokernel::mkl::{Learned, Problem, learner, train};
use cokernel::params::Value;
use cokernel::{Cancel, Run, Status};
use std::sync::Arc;

fn learn(kernels: &[Matrix], classes: &Classes, c: f64, given: &[(&str, Value)]) -> Learned {
    learn_by("medfc", kernels, classes, c, given)
}

pub fn learn_by(
    id: &str,
    kernels: &[Matrix],
    classes: &Classes,
    c: f64,
    given: &[(&str, Value)],
) -> Learned {
    let method = find(id).unwrap();
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    let (target, machine) =
        (Target::from(classes.clone()), Svc { c, tol: 1e-10, ..Svc::default() });
    let (learner, bank) = (learner(method, &params).unwrap(), bank(kernels, Storage::Resident));
    train(&Problem::new(&bank, &target, &machine), learner.as_ref(), &Run::default()).unwrap()
}

/// Values of the machines on the kernels alone, [m][i].
pub fn values(kernels: &[Matrix], classes: &Classes, c: f64) -> Vec<Vec<f64>> {
    let one = |kernel: &Matrix| {
        let alone = bank(std::slice::from_ref(kernel), Storage::Resident);
        let svc = Svc { c, tol: 1e-10, ..Svc::default() };
        let gram = alone.combine(&[1.0]).unwrap();
        let found = svc.fit(&gram, classes, None, None, &Run::default()).unwrap();
        let (head, n) = (found.heads().next().unwrap(), kernel.rows());
        let value = |i: usize| (0..n).map(|j| head.coef[j] * kernel.get(i, j)).sum::<f64>();
        (0..n).map(|i| value(i) + head.bias).collect()
    };
    kernels.iter().map(one).collect()
}

/// What the weights σ cost.
#[derive(Debug, Clone, Copy)]
pub enum Sigma {
    Averaged(f64),
    Exponential(f64),
    HalfNormal(f64),
    SuperGaussian(f64, f64),
    Power(f64, f64),
}

/// The least of (16) or (20) over α: variables α, t ≥ ½αᵀQα, for each kernel what t costs, and b ≤ log(1 − v/γ).
pub fn cone(
    kernels: &[Matrix],
    y: &[f64],
    c: f64,
    sigma: Sigma,
    prior: Option<(f64, &[Vec<f64>])>,
) -> f64 {
    let (n, m) = (y.len(), kernels.len());
    let logs = if prior.is_some() { m } else { 0 };
    let count = n + 2 * m + logs;
    let (mut rows, mut cols, mut entries, mut b) = (vec![], vec![], vec![], Vec::<f64>::new());
    let mut entry = |row: usize, col: usize, value: f64| {
        rows.push(row);
        cols.push(col);
        entries.push(value);
    };
    for i in 0..n {
        entry(b.len(), i, -1.0);
        entry(b.len() + 1, i, 1.0);
        b.extend([0.0, c]);
    }
    let mut cones = vec![SupportedConeT::NonnegativeConeT(2 * n)];
    let mut q = vec![-1.0; count];
    q[n..n + 2 * m].fill(0.0);
    let mut squares = vec![0.0; count];
    for (k, kernel) in kernels.iter().enumerate() {
        let (t, cost) = (n + k, n + m + k);
        let plus = Matrix::from_fn(n, n, |i, j| kernel.get(i, j) + 1.0);
        let l = cholesky(&plus);
        // ‖2Lᵀ(α∘y)‖² ≤ 4·2t as a second-order cone.
        entry(b.len(), t, -2.0);
        entry(b.len() + 1, t, -2.0);
        b.extend([1.0, -1.0]);
        for j in 0..n {
            (0..=j).for_each(|row| entry(b.len() + row, j, -2.0 * y[j] * l.get(j, row)));
        }
        b.extend(vec![0.0; n]);
        cones.push(SupportedConeT::SecondOrderConeT(2 + n));
        match sigma {
            // exp(cost) ≤ 1 − t/λ.
            Sigma::Averaged(lambda) => {
                q[cost] = -1.0;
                entry(b.len(), cost, -1.0);
                entry(b.len() + 2, t, 1.0 / lambda);
                b.extend([0.0, 1.0, 1.0]);
                cones.push(SupportedConeT::ExponentialConeT());
            }
            Sigma::Exponential(lambda) => {
                entry(b.len(), t, 1.0);
                b.push(lambda);
                cones.push(SupportedConeT::NonnegativeConeT(1));
                entry(b.len(), cost, 1.0);
                b.push(0.0);
                cones.push(SupportedConeT::ZeroConeT(1));
            }
            Sigma::HalfNormal(lambda) => {
                squares[t] = 1.0 / lambda;
                entry(b.len(), cost, 1.0);
                b.push(0.0);
                cones.push(SupportedConeT::ZeroConeT(1));
            }
            // cost ≥ t − λ, cost ≥ 0.
            Sigma::SuperGaussian(lambda, second) => {
                squares[cost] = 0.5 / second;
                entry(b.len(), t, 1.0);
                entry(b.len(), cost, -1.0);
                entry(b.len() + 1, cost, -1.0);
                b.extend([lambda, 0.0]);
                cones.push(SupportedConeT::NonnegativeConeT(2));
            }
            // t ≤ cost^{1/e}.
            Sigma::Power(lambda, p) => {
                let e = p / (p - 1.0);
                q[cost] = (p - 1.0) * lambda * (lambda * p).powf(-e);
                entry(b.len(), cost, -1.0);
                entry(b.len() + 2, t, -1.0);
                b.extend([0.0, 1.0, 0.0]);
                cones.push(SupportedConeT::PowerConeT(1.0 / e));
            }
        }
    }
    if let Some((gamma, values)) = prior {
        for (k, f) in values.iter().enumerate() {
            entry(b.len(), n + 2 * m + k, -1.0);
            (0..n).for_each(|i| entry(b.len() + 2, i, y[i] * f[i] / gamma));
            b.extend([0.0, 1.0, 1.0]);
            cones.push(SupportedConeT::ExponentialConeT());
        }
    }
    let a = CscMatrix::new_from_triplets(b.len(), count, rows, cols, entries);
    let all = (0..count).collect::<Vec<_>>();
    let squares = CscMatrix::new_from_triplets(count, count, all.clone(), all, squares);
    interior_point(&squares, &q, &a, &b, &cones).obj_val
}

/// 20 problems: the objective by both solvers, with and without the view classifiers, and the decision values of the
/// two solvers.
#[test]
fn twenty_cone_programs() {
    for case in 0..20_u64 {
        let (kernels, codes) = problem(16, 2, 3, 100 + case);
        let y: Vec<f64> = codes.iter().map(|c| if *c == 1 { 1.0 } else { -1.0 }).collect();
        let classes = classes(&codes);
        let c = [0.3, 3.0, 30.0][case as usize % 3];
        let (lambda, gamma) =
            ([1.0, 10.0, 0.1][case as usize / 7], [1.0, 100.0][case as usize % 2]);
        let views = case % 4 != 3;
        let values = values(&kernels, &classes, c);
        let prior = views.then_some((gamma, &values[..]));
        let best = -cone(&kernels, &y, c, Sigma::Averaged(lambda), prior);
        let given = |solver: &str| {
            [
                ("lambda", Value::Real(lambda)),
                ("gamma", Value::Real(gamma)),
                ("prior", Value::from(if views { "views" } else { "none" })),
                ("values", Value::from("in_sample")),
                ("unit", Value::from("one")),
                ("solver", Value::from(solver)),
                ("tol", Value::Real(1e-8)),
            ]
        };
        let [newton, sqp] = ["newton", "sqp"].map(|solver| {
            let found = learn(&kernels, &classes, c, &given(solver));
            let said = *found.report.objective.last().unwrap();
            let what = format!("{case} {solver} {said} {best} {:?}", found.report.gaps);
            assert_eq!(found.report.status, Status::Converged, "{what}");
            assert!((said - best).abs() <= 1e-6 * best.max(1e-3), "{what}");
            assert!(found.report.gap.unwrap() <= 1e-8, "{what}");
            if solver == "newton" {
                assert!(found.report.iterations <= 25, "{what}");
            }
            rules::decisions(&found, &kernels).concat()
        });
        for (a, b) in newton.iter().zip(&sqp) {
            assert!((a - b).abs() <= 1e-3 * (1.0 + a.abs()), "{case}: {a} {b}");
        }
    }
}

/// γ → ∞ is the problem without view classifiers; λ → ∞ gives all kernels the weight 1/λ.
#[test]
fn limits() {
    let (kernels, codes) = problem(40, 2, 4, 7);
    let classes = classes(&codes);
    let tight = ("tol", Value::Real(1e-9));
    let none = [("prior", Value::from("none")), tight.clone()];
    let far = [("gamma", Value::Real(1e9)), tight.clone()];
    let [none, far] = [&none[..], &far[..]].map(|given| learn(&kernels, &classes, 2.0, given));
    let (a, b) = (rules::decisions(&none, &kernels), rules::decisions(&far, &kernels));
    assert!(a[0].iter().zip(&b[0]).all(|(a, b)| (a - b).abs() < 1e-5), "{a:?} {b:?}");
    assert!(!none.report.details.contains_key("mu_1 vs 0"));
    // Useful kernels are active, and few.
    let sigma = &none.report.details["sigma_1 vs 0"];
    assert!(
        sigma.iter().all(|s| *s >= 0.1) && sigma[0].min(sigma[1]) > sigma[2].max(sigma[3]),
        "{sigma:?}"
    );
    let uniform = [("prior", Value::from("none")), ("lambda", Value::Real(1e9)), tight];
    let found = learn(&kernels, &classes, 2.0, &uniform);
    assert!(found.report.details["sigma_1 vs 0"].iter().all(|s| (s * 1e9 - 1.0).abs() < 1e-4));
    assert!(found.rule.uses().iter().all(|s| (s - 0.25).abs() < 1e-5));
}

/// Where λ leaves σ next to 0 and little but the view classifiers counts, both solvers end at the optimum.
#[test]
fn large_prices() {
    let (kernels, codes) = problem(40, 2, 4, 7);
    let classes = classes(&codes);
    for (lambda, gamma) in [(1e4, 0.1), (1e6, 1e-3), (1e8, 0.1), (1e9, 0.5), (1e9, 1e-3)] {
        let [newton, sqp] = ["newton", "sqp"].map(|solver| {
            let given = [
                ("lambda", Value::Real(lambda)),
                ("gamma", Value::Real(gamma)),
                ("solver", Value::from(solver)),
            ];
            learn(&kernels, &classes, 1.0, &given).report
        });
        let value = |report: &cokernel::Report| *report.objective.last().unwrap();
        let place = format!("{lambda} {gamma}: {} {}", value(&newton), value(&sqp));
        assert_eq!(newton.status, Status::Converged, "{place}: {:?}", newton.gap);
        assert!((value(&newton) / value(&sqp) - 1.0).abs() < 3e-3, "{place}");
    }
}

/// Where γ is small the view classifiers leave next to nothing of the loss: what is called converged is so of every machine,
/// whose gap is relative to the whole objective.
#[test]
fn small_prices_of_views() {
    let (kernels, codes) = problem(40, 2, 4, 7);
    let classes = classes(&codes);
    let mut converged = 0;
    for id in ["medfc", "gml"] {
        for gamma in [1e-2, 1e-6, 1e-9] {
            let found = learn_by(id, &kernels, &classes, 1.0, &[("gamma", Value::Real(gamma))]);
            let gap = found.report.gap.unwrap();
            let of_machines: Vec<f64> =
                found.machines.as_ref().unwrap().blocks.iter().map(|b| b.gap).collect();
            let place = format!("{id} {gamma} {} {gap} {of_machines:?}", found.report.status);
            match found.report.status {
                Status::Converged => {
                    assert!(of_machines.iter().all(|g| *g <= 1e-3), "{place}");
                    converged += 1;
                }
                _ => assert!(!found.report.notes.is_empty(), "{place}"),
            }
        }
    }
    assert!(converged >= 3, "{converged}");
}

/// Kernels of any unit, with C against it, several classes.
#[test]
fn kernels_of_any_unit() {
    let (kernels, codes) = problem(45, 3, 3, 9);
    let classes = classes(&codes);
    let given = [("tol", Value::Real(1e-8))];
    let plain = rules::decisions(&learn(&kernels, &classes, 3.0, &given), &kernels).concat();
    for s in [1e-12, 1e12] {
        let scaled: Vec<Matrix> =
            kernels.iter().map(|k| Matrix::from_fn(45, 45, |i, j| s * k.get(i, j))).collect();
        let found = learn(&scaled, &classes, 3.0 / s, &given);
        assert_eq!(found.report.status, Status::Converged);
        assert_eq!(found.machines.as_ref().unwrap().blocks.len(), 3);
        for (a, b) in rules::decisions(&found, &scaled).concat().iter().zip(&plain) {
            assert!((a - b).abs() < 1e-4 * (1.0 + b.abs()), "{a} {b}");
        }
    }
}

/// The classifiers of two groups far apart have no loss at μ = 1/γ: the optimum is 0, at σ = 1/λ, also where γ times 1/γ is
/// not 1 in floating point, which left objectives of 10⁻³² and gaps of 1.
#[test]
fn views_without_loss() {
    let far = |i: usize, j: usize| f64::from(u8::from(i % 2 == j % 2));
    let kernels = [Matrix::from_fn(12, 12, far), Matrix::from_fn(12, 12, |i, j| 2.0 * far(i, j))];
    let classes = classes(&[0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    for gamma in (1..200).map(|g| 0.01 * f64::from(g)) {
        let given = [("lambda", Value::Real(3.0)), ("gamma", Value::Real(gamma))];
        let report = learn(&kernels, &classes, 1.0, &given).report;
        assert_eq!(report.status, Status::Converged, "{gamma}");
        assert_eq!((report.objective.as_slice(), report.gap), (&[0.0][..], Some(0.0)), "{gamma}");
        let sigma = report.details.iter().find(|(name, _)| name.starts_with("sigma_"));
        assert_eq!(sigma.unwrap().1, &[1.0 / 3.0; 2], "{gamma}");
        assert_eq!(report.counts.machine_solves, 12, "{gamma}");
    }
}

/// A fit that is stopped while the classifiers of the views are trained has those that are there, alike.
#[test]
fn stopped_among_the_views() {
    let (kernels, codes) = problem(60, 3, 4, 8);
    let (classes, bank) = (classes(&codes), bank(&kernels, Storage::Resident));
    let (target, machine) = (Target::from(classes.clone()), Svc { c: 3.0, ..Svc::default() });
    let fit = |id: &str, run: &Run| {
        let method = find(id).unwrap();
        let learner = learner(method, &method.defaults()).unwrap();
        train(&Problem::new(&bank, &target, &machine), learner.as_ref(), run).unwrap()
    };
    for id in ["medfc", "gml"] {
        let cancel = Cancel::default();
        let observer = Stops::at(2, cancel.clone());
        let run = Run { cancel, observer: Some(Arc::new(observer)), ..Run::default() };
        let found = fit(id, &run);
        assert_eq!(found.report.status, Status::Interrupted);
        let told = |part: &str| found.report.notes.iter().any(|n| n.contains(part));
        assert!(
            told("stopped after 2 of 4 kernels") && told("count alike"),
            "{:?}",
            found.report.notes
        );
        let uses = found.rule.uses();
        assert!(uses[0] == 0.5 && uses[1] == 0.5 && uses[2..] == [0.0; 2], "{id}: {uses:?}");
        let of = |n: usize| -> Vec<f64> {
            let mean = learn_by("late_mean", &kernels[..n], &classes, 3.0, &[]);
            rules::decisions(&mean, &kernels[..n]).concat()
        };
        let values = rules::decisions(&found, &kernels).concat();
        let scale = values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        let (two, most) = (of(2), of(2).iter().fold(0.0_f64, |a, v| a.max(v.abs())));
        assert!(scale > 0.0);
        for (a, b) in values.iter().zip(&two) {
            assert!((a / scale - b / most).abs() < 1e-2, "{id}: {a} {b}");
        }
    }
}

/// What is stopped keeps the best that was found, and says where that is nothing.
#[test]
fn stopped_anywhere() {
    let (kernels, codes) = problem(80, 2, 5, 3);
    let (target, bank) = (Target::from(classes(&codes)), bank(&kernels, Storage::Resident));
    let machine = Svc { c: 100.0, ..Svc::default() };
    for id in ["medfc", "gml"] {
        let method = find(id).unwrap();
        for step in 0..40 {
            let given = [("gamma", Value::Real(0.5)), ("tol", Value::Real(1e-9))];
            let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
            let limit = std::time::Duration::from_micros(300 * step);
            let run = Run { time_limit: Some(limit), ..Run::default() };
            let learner = learner(method, &params).unwrap();
            let found = train(&Problem::new(&bank, &target, &machine), learner.as_ref(), &run);
            let found = found.unwrap();
            let trace = &found.report.objective;
            assert!(trace.is_sorted_by(|a, b| b <= a), "{id} {limit:?}: {trace:?}");
            let none = rules::decisions(&found, &kernels).concat().iter().all(|v| *v == 0.0);
            let told = found.report.warnings.iter().any(|w| w.contains("is no answer"));
            assert_eq!(none, told, "{id} {limit:?}");
        }
    }
}
