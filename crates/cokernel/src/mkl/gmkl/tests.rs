use super::*;
use crate::Status;
use crate::bank::{Bank, Storage};
use crate::data::{Csr, Matrix, Table, Views};
use crate::kernel::KernelSpec;
use crate::machine::How;
use crate::mkl::parametric::cases::{N, classes, machine, targets};

/// Two views in other units, the second also sparse; the third column of the first is constant.
fn views(sparse: bool) -> Views {
    let wave = |d: usize, f: f64, unit: f64| {
        Matrix::from_fn(N, d, move |i, j| match (d, j) {
            (3, 2) => 4.0,
            _ => unit * (((i + 7 * j) as f64 * f).sin() * 1.5 + 0.4),
        })
    };
    let b = wave(2, 1.9, 20.0);
    let kept = |i: usize, j: usize| (b.get(i, j) > 0.0).then(|| (j as u32, b.get(i, j)));
    let rows = (0..N).map(|i| (0..2).filter_map(|j| kept(i, j)).collect()).collect();
    let b = match sparse {
        true => Table::Sparse(Csr::from_rows(2, rows).unwrap()),
        false => Table::Dense(b),
    };
    Views::new().dense("a", wave(3, 0.7, 1.0)).unwrap().with("b", b).unwrap()
}

fn specs(form: &str) -> Vec<KernelSpec> {
    let texts: &[&str] = match form {
        "product" => &["gaussian@a", "gaussian@b:gamma=0.001,0.002"],
        "polynomial" => &["linear@a", "linear@b"],
        _ => &["gaussian@a", "linear@b", "gaussian@b:per_feature:normalize=center"],
    };
    texts.iter().map(|s| s.parse().unwrap()).collect()
}

fn method(given: &[(&str, &str)]) -> Generalised {
    let values: Vec<(&str, crate::params::Value)> =
        given.iter().map(|(n, v)| (*n, crate::params::Value::parse(v))).collect();
    Generalised::new(&METHOD.check(values.iter().map(|(n, v)| (*n, v))).unwrap())
}

/// Of every form, penalty and machine: the derivative of the optimum of the machine's dual, and of the regulariser.
#[test]
fn slopes_are_those_of_finite_differences() {
    let run = Run::default();
    for sparse in [false, true] {
        let views = views(sparse);
        for form in ["product", "sum", "polynomial"] {
            let bank = Bank::build(&views, &specs(form), Storage::Auto, &run).unwrap();
            for (text, target) in
                targets().into_iter().filter(|t| !matches!(t.1, Target::Nothing(_)))
            {
                let machine = machine(text);
                let problem = Problem {
                    views: Some(&views),
                    ..Problem::new(&bank, &target, machine.as_ref())
                };
                for (widths, penalty, degree) in [("features", "l1", "2"), ("views", "l2", "3")] {
                    let given = [
                        ("form", form),
                        ("widths", widths),
                        ("penalty", penalty),
                        ("degree", degree),
                    ];
                    let kernel = method(&given).kernel(&problem).unwrap();
                    let watch = run.watch();
                    let at: Vec<f64> =
                        (0..kernel.count()).map(|k| 1.0 + 0.7 * (k as f64 * 1.7).sin()).collect();
                    let solve = |at: &[f64]| {
                        let how = How::new(&run);
                        let mut solve =
                            |rows: &dyn crate::solve::Rows| machine.solve(rows, &target, &how);
                        kernel.with_kernel(at, &run, &watch, &mut solve).unwrap()
                    };
                    let here = solve(&at);
                    let slopes = kernel.slopes(&at, &here, &watch).unwrap();
                    let own = kernel.penalty(&at).unwrap().1;
                    let scale = 1.0 + here.objective().abs();
                    // ½ Σ_u c_uᵀ K c_u with the coefficients as they are.
                    let form_at = |at: &[f64]| {
                        let mut sum = 0.0;
                        let mut read = |rows: &dyn crate::solve::Rows| {
                            for c in here.coefs() {
                                let mut products = vec![0.0; N];
                                rows.multiply(c, &mut products);
                                sum +=
                                    0.5 * c.iter().zip(&products).map(|(c, p)| c * p).sum::<f64>();
                            }
                            Ok(here.clone())
                        };
                        kernel.with_kernel(at, &run, &watch, &mut read).unwrap();
                        sum
                    };
                    for (k, slope) in slopes.iter().enumerate() {
                        let difference = |h: f64, value: &dyn Fn(&[f64]) -> f64| {
                            let (mut up, mut down) = (at.clone(), at.clone());
                            (up[k], down[k]) = (at[k] + h, at[k] - h);
                            (value(&up) - value(&down)) / (2.0 * h)
                        };
                        let what = format!("{text} {form} {widths} {sparse} {k}");
                        let fixed = -difference(1e-4, &form_at);
                        assert!((slope - fixed).abs() <= 1e-6 * scale, "{what}: {slope} {fixed}");
                        // The optimum itself, whose slope has kinks where a coefficient reaches its bound.
                        let optimum = |at: &[f64]| {
                            let found = solve(at);
                            0.5 * (found.objective() + found.primal())
                        };
                        let moved = difference(1e-4, &optimum);
                        assert!((slope - moved).abs() <= 1e-5 * scale, "{what}: {slope} {moved}");
                        let penalty = |at: &[f64]| kernel.penalty(at).unwrap().0;
                        assert!((own[k] - difference(1e-4, &penalty)).abs() < 1e-9, "{what}");
                    }
                    // Of parameters whose kernel is not the last one.
                    let other: Vec<f64> = at.iter().map(|p| 2.0 * p).collect();
                    solve(&other);
                    let again = kernel.slopes(&at, &here, &watch).unwrap();
                    for (a, b) in again.iter().zip(&slopes) {
                        assert!((a - b).abs() <= 1e-12 * scale, "{text} {form}: {a} {b}");
                    }
                }
            }
        }
    }
}

/// Forms of features over several tiles, with several coefficient vectors and rows without any, on every storage.
#[test]
fn forms_of_features_are_those_of_their_definition() {
    use crate::bank::Feature;
    let n = 150;
    let x = |f: f64, shift: f64| {
        Matrix::from_fn(n, 3, move |i, j| shift + ((i + 7 * j) as f64 * f).sin())
    };
    let (a, b) = (x(0.7, 30.0), x(1.9, 0.0));
    let rows = (0..n).map(|i| vec![(0, b.get(i, 0)), (2, b.get(i, 2))]).collect();
    let sparse = Csr::from_rows(3, rows).unwrap();
    let b = sparse.to_dense();
    let views =
        Views::new().dense("a", a.clone()).unwrap().with("b", Table::Sparse(sparse)).unwrap();
    let specs: Vec<KernelSpec> =
        ["gaussian@a:gamma=0.4", "linear@b"].iter().map(|s| s.parse().unwrap()).collect();
    let coefs: Vec<Vec<f64>> = (0..2)
        .map(|u| {
            (0..n).map(|i| if (i / 40 + u) % 2 == 0 { (i as f64).sin() } else { 0.0 }).collect()
        })
        .collect();
    let heads: Vec<&[f64]> = coefs.iter().map(Vec::as_slice).collect();
    let factor = |values: &[&[f64]], out: &mut [f64]| {
        out.iter_mut().enumerate().for_each(|(j, o)| *o = values[0][j] + values[1][j].powi(2));
    };
    let tables: Vec<&Table> = views.iter().map(|v| &v.table).collect();
    for storage in [Storage::Resident, Storage::ResidentF32, Storage::OnDemand] {
        let bank = Bank::build(&views, &specs, storage.clone(), &Run::default()).unwrap();
        for of in [Feature::Differences, Feature::Products] {
            let found =
                bank.feature_forms(&heads, factor, &tables, of, &crate::run::Pass::default());
            assert_eq!(found.len(), 6);
            for (d, found) in found.iter().enumerate() {
                let x = |i: usize| if d < 3 { a.get(i, d) } else { b.get(i, d - 3) };
                let mut wanted = 0.0;
                for i in 0..n {
                    for j in 0..n {
                        let by = bank.entry(0, i, j) + bank.entry(1, i, j).powi(2);
                        let pair: f64 = coefs.iter().map(|c| c[i] * c[j]).sum();
                        let feature = match of {
                            Feature::Differences => (x(i) - x(j)).powi(2),
                            Feature::Products => x(i) * x(j),
                        };
                        wanted += pair * by * feature;
                    }
                }
                let near = (found - wanted).abs() <= 1e-9 * (1.0 + wanted.abs());
                assert!(near, "{storage:?} {of:?} {d}: {found} {wanted}");
            }
        }
    }
}

fn learned(given: &[(&str, &str)], machine_text: &str, target: &Target, run: &Run) -> Learned {
    let (views, machine) = (views(false), machine(machine_text));
    let form = given.iter().find(|g| g.0 == "form").map_or("product", |g| g.1);
    let bank = Bank::build(&views, &specs(form), Storage::Auto, run).unwrap();
    let problem = Problem { views: Some(&views), ..Problem::new(&bank, target, machine.as_ref()) };
    crate::mkl::train(&problem, &method(given), run).unwrap()
}

#[test]
fn traces_never_rise_and_the_best_start_is_kept() {
    for (text, target) in targets().into_iter().filter(|t| !matches!(t.1, Target::Nothing(_))) {
        // As exactly as all machines can be solved.
        let coarse = text.replace("1e-11", "1e-7");
        for form in ["product", "sum", "polynomial"] {
            for search in ["lbfgs", "gradient"] {
                for penalty in ["l1", "l2"] {
                    let what = format!("{text} {form} {search} {penalty}");
                    let one = [("form", form), ("search", search), ("penalty", penalty)];
                    let given = [one[0], one[1], one[2], ("starts", "5")];
                    let found = learned(&given, &coarse, &target, &Run::default());
                    let (report, trace) = (&found.report, &found.report.objective);
                    let falls = |w: &[f64]| w[1] <= w[0] * (1.0 + 1e-12 * w[0].signum());
                    assert!(trace.windows(2).all(falls), "{what}: {trace:?}");
                    assert_eq!(trace.len(), report.iterations + 1, "{what}");
                    assert!(report.status.is_success(), "{what}: {}", report.status);
                    let all = &report.details["objectives"];
                    let least = all.iter().fold(f64::INFINITY, |a, v| a.min(*v));
                    assert_eq!((all.len(), trace.last()), (5, Some(&least)), "{what}");
                    // The objective is that of the machine with the regulariser.
                    let machines = found.machines.as_ref().unwrap();
                    let sum = machines.primal() + report.details["penalty"][0];
                    assert!((sum - least).abs() <= 1e-3 * least.abs(), "{what}: {sum} {least}");
                    assert!(report.details["relevance"].iter().all(|r| *r >= 0.0), "{what}");
                    if report.details["start"] == [0.0] {
                        let alone = learned(&one, &coarse, &target, &Run::default());
                        assert_eq!(alone.report.details["relevance"], report.details["relevance"]);
                    }
                }
            }
        }
    }
}

/// The sum is convex: both searches end at the same objective. Where it is not they do from this start, too.
#[test]
fn both_searches_end_at_the_same_objective() {
    for form in ["product", "sum", "polynomial"] {
        for penalty in ["l1", "l2"] {
            let end = |search: &str| {
                let given = [
                    ("form", form),
                    ("penalty", penalty),
                    ("search", search),
                    ("tol", "1e-8"),
                    ("max_iterations", "5000"),
                ];
                let found = learned(&given, "svc:c=2:tol=1e-9", &classes(2), &Run::default());
                *found.report.objective.last().unwrap()
            };
            let (on, off) = (end("lbfgs"), end("gradient"));
            assert!((on - off).abs() <= 1e-4 * off, "{form} {penalty}: {on} {off}");
        }
    }
}

#[test]
fn a_stop_gives_what_there_is() {
    let run = Run::default();
    run.cancel.cancel();
    let found = learned(&[("starts", "4")], "svc", &classes(2), &run);
    assert_eq!(found.report.status, Status::Interrupted);
    assert_eq!(found.report.details["objectives"].len(), 1);
    let note = "1 of 4 starts before the stop";
    assert!(found.report.notes.iter().any(|n| n.starts_with(note)), "{:?}", found.report.notes);
    let few =
        learned(&[("max_iterations", "2"), ("tol", "1e-9")], "svc", &classes(2), &Run::default());
    assert_eq!((few.report.status, few.report.iterations), (Status::IterationLimit, 2));
}
