//! GML beside its cone programs by Clarabel, its special cases, and what it does where no kernel is worth its prior.

use crate::common::{classes, problem, rules};
use crate::medfc::{Sigma, cone, learn_by, values};
use cokernel::Status;
use cokernel::data::{Classes, Matrix};
use cokernel::mkl::Learned;
use cokernel::params::Value;

fn learn(kernels: &[Matrix], classes: &Classes, c: f64, given: &[(&str, Value)]) -> Learned {
    learn_by("gml", kernels, classes, c, given)
}

fn chosen(sigma: Sigma) -> Vec<(&'static str, Value)> {
    let (id, lambda) = match sigma {
        Sigma::Exponential(l) => ("exponential", l),
        Sigma::HalfNormal(l) => ("half_normal", l),
        Sigma::SuperGaussian(l, _) => ("super_gaussian", l),
        Sigma::Power(l, _) => ("power", l),
        Sigma::Averaged(_) => panic!("that is MEDFC"),
    };
    let mut given = vec![("sigma_prior", Value::from(id)), ("lambda", Value::Real(lambda))];
    match sigma {
        Sigma::SuperGaussian(_, second) => given.push(("lambda2", Value::Real(second))),
        Sigma::Power(_, p) => given.push(("p", Value::Real(p))),
        _ => {}
    }
    given
}

/// 24 problems, with and without the view classifiers.
#[test]
fn cone_programs() {
    for case in 0..24_u64 {
        let (kernels, codes) = problem(16, 2, 3, 300 + case);
        let y: Vec<f64> = codes.iter().map(|c| if *c == 1 { 1.0 } else { -1.0 }).collect();
        let classes = classes(&codes);
        let c = [0.3, 3.0, 30.0][case as usize % 3];
        let lambda = [0.02, 0.2][case as usize / 6 % 2];
        let sigma = [
            Sigma::Exponential(lambda),
            Sigma::HalfNormal(lambda),
            Sigma::SuperGaussian(lambda, 2.0 * lambda),
            Sigma::Power(lambda, [1.2, 3.0][case as usize % 2]),
        ][case as usize % 4];
        let values = values(&kernels, &classes, c);
        let views = case < 12;
        let best = -cone(&kernels, &y, c, sigma, views.then_some((2.0, &values[..])));
        let mut given = chosen(sigma);
        given.extend([
            ("gamma", Value::Real(2.0)),
            ("prior", Value::from(if views { "views" } else { "none" })),
            ("values", Value::from("in_sample")),
            ("unit", Value::from("one")),
            ("tol", Value::Real(1e-8)),
        ]);
        let found = learn(&kernels, &classes, c, &given);
        let said = *found.report.objective.last().unwrap();
        let what = format!("{case} {sigma:?} C={c} {said} {best} {:?}", found.report.gaps);
        let (gap, cost) = (found.report.gap.unwrap(), (1.0 - found.report.gap.unwrap()) * said);
        // The cone program itself is right to some 1e-7 where its optimum is 0.
        let near = 1e-6 * best.max(0.2);
        assert!(cost <= best + near && said >= best - near, "{what}");
        assert_eq!(found.report.status, Status::Converged, "{what}");
        assert!((said - best).abs() <= near, "{what}");
        assert!(gap <= 1e-8, "{what}");
        assert!(found.report.objective.is_sorted_by(|a, b| b <= a), "{what}");
        assert!(found.report.iterations <= 40, "{what}");
    }
}

/// Kernels of any unit; several classes; a kernel twice; and λ so large that no kernel is worth it.
#[test]
fn units_and_limits() {
    let (kernels, codes) = problem(45, 3, 3, 9);
    let classes = classes(&codes);
    let tight = ("tol", Value::Real(1e-8));
    let decide = |kernels: &[Matrix], c: f64, given: &[(&str, Value)]| {
        let found = learn(kernels, &classes, c, given);
        assert_eq!(found.report.status, Status::Converged, "{:?}", found.report.notes);
        (rules::decisions(&found, kernels).concat(), found)
    };
    let (plain, _) = decide(&kernels, 3.0, std::slice::from_ref(&tight));
    for s in [1e-12, 1e12] {
        let scaled: Vec<Matrix> =
            kernels.iter().map(|k| Matrix::from_fn(45, 45, |i, j| s * k.get(i, j))).collect();
        for (a, b) in decide(&scaled, 3.0 / s, std::slice::from_ref(&tight)).0.iter().zip(&plain) {
            assert!((a - b).abs() < 1e-4 * (1.0 + b.abs()), "{a} {b}");
        }
    }
    let sparse = [
        ("sigma_prior", Value::from("exponential")),
        ("lambda", Value::Real(0.5)),
        ("prior", Value::from("none")),
        tight.clone(),
    ];
    let (once, _) = decide(&kernels, 3.0, &sparse);
    let twice = [kernels.clone(), vec![kernels[0].clone()]].concat();
    for (a, b) in decide(&twice, 3.0, &sparse).0.iter().zip(&once) {
        assert!((a - b).abs() < 1e-4 * (1.0 + b.abs()), "{a} {b}");
    }
    let dear = [
        ("sigma_prior", Value::from("super_gaussian")),
        ("lambda", Value::Real(1e9)),
        ("prior", Value::from("none")),
    ];
    let (values, found) = decide(&kernels, 3.0, &dear);
    assert!(found.report.details["sigma_0 vs rest"].iter().all(|s| *s == 0.0));
    assert!(found.report.notes.iter().any(|n| n.contains("all σ are 0")));
    assert!(values.iter().all(|v| *v == 0.0));
}

/// Where no instance needs a loss C is no matter: what losses of the model there are count C times in the objective, and the
/// optimum stays.
#[test]
fn the_largest_costs() {
    for seed in 0..4 {
        let (kernels, codes) = problem(60, 2, 4, 50 + seed);
        let classes = classes(&codes);
        for prior in ["half_normal", "super_gaussian", "power"] {
            let fit = |c: f64| {
                let given = [
                    ("sigma_prior", Value::from(prior)),
                    ("lambda", Value::Real(10.0)),
                    ("prior", Value::from("none")),
                ];
                learn(&kernels, &classes, c, &given)
            };
            let plain = fit(1e6).report;
            for c in [1e9, 1e11, 1e13] {
                let found = fit(c);
                let said = *found.report.objective.last().unwrap();
                let values = rules::decisions(&found, &kernels).concat();
                let slack =
                    |(v, code): (&f64, &u32)| (1.0 - v * (2.0 * f64::from(*code) - 1.0)).max(0.0);
                let losses: f64 = values.iter().zip(&codes).map(slack).sum();
                let what =
                    format!("{seed} {prior} C={c:e} {said} {losses} {:?}", found.report.notes);
                // Of values that are rounded.
                assert!(c * (losses - 1e-10) <= said, "{what}");
                if found.report.status == Status::Converged {
                    let optimum = plain.objective.last().unwrap();
                    assert!((said - optimum).abs() <= 3e-3 * optimum, "{what} {optimum}");
                }
            }
        }
    }
}

/// Next to σ = 0 the objective has kinks, where steps in the weights end early: the other solver goes on.
#[test]
fn solved_next_to_nothing() {
    let (kernels, codes) = problem(40, 2, 4, 7);
    let classes = classes(&codes);
    let (mut left, mut solved) = (Vec::new(), 0);
    for prior in ["exponential", "super_gaussian", "half_normal", "power"] {
        for lambda in [1e-3, 0.1, 1.0, 10.0, 1e3, 1e6, 1e9] {
            for gamma in [1e-3, 0.1, 1.0, 10.0, 1e3] {
                for c in [0.01, 1.0, 100.0] {
                    let given = [
                        ("sigma_prior", Value::from(prior)),
                        ("lambda", Value::Real(lambda)),
                        ("gamma", Value::Real(gamma)),
                    ];
                    let report = learn(&kernels, &classes, c, &given).report;
                    assert!(report.objective.is_sorted_by(|a, b| b <= a));
                    solved += usize::from(report.status == Status::Converged);
                    if report.status != Status::Converged || report.gap.unwrap() > 1e-3 {
                        left.push((prior, lambda, gamma, c, report.status, report.gap));
                    }
                }
            }
        }
    }
    assert!(left.is_empty(), "{} of {}: {left:?}", left.len(), left.len() + solved);
}

/// The classifiers of two groups far apart have no loss at μ = 1/γ: the optimum is 0, at σ = 0. The power prior ended at its
/// limit, as no relative gap leads to 0, and the half-normal one at σ = 10⁻¹⁶⁵.
#[test]
fn views_without_loss_need_no_kernel() {
    let far = |i: usize, j: usize| f64::from(u8::from(i % 2 == j % 2));
    let kernels = [Matrix::from_fn(12, 12, far), Matrix::from_fn(12, 12, |i, j| 2.0 * far(i, j))];
    let classes = classes(&[0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    for (prior, p) in
        [("exponential", 2.0), ("half_normal", 2.0), ("super_gaussian", 2.0), ("power", 1.1)]
    {
        let given = [
            ("sigma_prior", Value::from(prior)),
            ("lambda", Value::Real(1e9)),
            ("p", Value::Real(p)),
            ("gamma", Value::Real(1e-3)),
        ];
        let found = learn(&kernels, &classes, 1.0, &given);
        let report = &found.report;
        assert_eq!(report.status, Status::Converged, "{prior}");
        assert_eq!((report.objective.as_slice(), report.gap), (&[0.0][..], Some(0.0)), "{prior}");
        assert_eq!(report.details["active_kernels"], [0.0], "{prior}");
        let said =
            report.notes.iter().any(|n| n.contains("have no loss at the most likely weights"));
        assert!(said, "{prior}: {:?}", report.notes);
    }
}
