use super::*;
use crate::Status;
use crate::bank::{Bank, Storage};
use crate::data::{Target, Views};
use crate::kernel::KernelSpec;
use crate::machine::How;
use crate::mkl::gate_views::{Seen, Shown};
use crate::mkl::parametric::cases::{N, classes, machine, targets};
use crate::run::Pass;

fn views() -> Views {
    let wave = |f: f64| Matrix::from_fn(N, 2, move |i, j| ((i + 7 * j) as f64 * f).sin() * 1.5);
    Views::new().dense("a", wave(0.7)).unwrap().dense("b", wave(1.9)).unwrap()
}

fn seen(views: &Views) -> Seen {
    Seen::of(views, &["a".to_string()], Shown { dimensions: 0, plain: false }).unwrap()
}

/// Of every gate, kernel and machine: the derivative of the optimum of the machine's dual by each parameter.
#[test]
fn slopes_are_those_of_finite_differences() {
    let (views, run) = (views(), Run::default());
    let seen = seen(&views);
    let kernels: [&[&str]; 3] = [
        &["linear@a", "linear@b"],
        &["polynomial@a", "gaussian@b:gamma=0.4"],
        &["gaussian@b:gamma=0.3:normalize=center"],
    ];
    for (set, specs) in kernels.iter().enumerate() {
        let specs: Vec<KernelSpec> = specs.iter().map(|s| s.parse().unwrap()).collect();
        let copies = if set == 2 { 3 } else { 1 };
        let bank = Bank::build(&views, &specs, Storage::Auto, &run).unwrap();
        for (text, target) in targets() {
            let machine = machine(text);
            let problem =
                Problem { views: Some(&views), ..Problem::new(&bank, &target, machine.as_ref()) };
            for shape in [Shape::Softmax, Shape::Sigmoid, Shape::Gaussian] {
                let firsts: Vec<usize> = (0..bank.len()).collect();
                let gates = Gates::new(&problem, shape, copies, (&seen, &firsts));
                let watch = run.watch();
                // Wide gates, as the objective jumps a little where one closes.
                let wide =
                    |k: usize| if shape == Shape::Gaussian && k % 3 == 2 { 2.0 } else { 0.0 };
                let at = |k: usize| (k as f64 * 1.7).sin() * 0.7 + wide(k);
                let at: Vec<f64> = (0..bank.len() * copies * 3).map(at).collect();
                let solve = |at: &[f64]| {
                    let how = How::new(&run);
                    let mut solve =
                        |rows: &dyn crate::solve::Rows| machine.solve(rows, &target, &how);
                    gates.with_kernel(at, &run, &watch, &mut solve).unwrap()
                };
                let here = solve(&at);
                let slopes = gates.slopes(&at, &here, &watch).unwrap();
                let scale = 1.0 + here.objective().abs();
                // ½ Σ_u c_uᵀ K_η c_u with the coefficients as they are.
                let form = |at: &[f64]| {
                    let values = &gates.at(at).unwrap().values;
                    let value = |i: usize, j: usize| {
                        let term = |g: usize| {
                            values.get(i, g) * bank.entry(g / copies, i, j) * values.get(j, g)
                        };
                        (0..values.cols()).map(term).sum::<f64>()
                    };
                    let of = |c: &[f64]| {
                        let row = |i: usize| (0..N).map(|j| c[i] * c[j] * value(i, j)).sum::<f64>();
                        (0..N).filter(|i| c[*i] != 0.0).map(row).sum::<f64>()
                    };
                    0.5 * here.coefs().iter().map(|c| of(c)).sum::<f64>()
                };
                for (k, slope) in slopes.iter().enumerate() {
                    let difference = |h: f64, value: &dyn Fn(&[f64]) -> f64| {
                        let (mut up, mut down) = (at.clone(), at.clone());
                        (up[k], down[k]) = (at[k] + h, at[k] - h);
                        (value(&up) - value(&down)) / (2.0 * h)
                    };
                    let what = format!("{text} {} {set} {k}", shape.id());
                    let fixed = -difference(1e-4, &form);
                    assert!((slope - fixed).abs() <= 1e-6 * scale, "{what}: {slope} {fixed}");
                    // The optimum itself, whose slope has kinks where a coefficient reaches its bound.
                    let optimum = |at: &[f64]| {
                        let found = solve(at);
                        0.5 * (found.objective() + found.primal())
                    };
                    let moved = difference(1e-4, &optimum);
                    assert!((slope - moved).abs() <= 1e-5 * scale, "{what}: {slope} {moved}");
                }
            }
        }
    }
}

/// Energies with heads, copies and rows without a coefficient, on every storage, by definition.
#[test]
fn energies_are_parts_of_the_quadratic_form() {
    let n = 150;
    let x = |f: f64| Matrix::from_fn(n, 2, move |i, j| ((i + 7 * j) as f64 * f).sin());
    let views = Views::new().dense("a", x(0.7)).unwrap().dense("b", x(1.9)).unwrap();
    let specs: Vec<KernelSpec> = ["gaussian@a:gamma=0.4", "linear@b", "gaussian@b:gamma=2"]
        .iter()
        .map(|s| s.parse().unwrap())
        .collect();
    let copies = 2;
    let gates = Matrix::from_fn(n, 6, |i, g| match (i + g) % 4 {
        0 => 0.0,
        k => k as f64 / 5.0 + 0.01 * g as f64,
    });
    let coefs: Vec<Vec<f64>> = (0..2)
        .map(|u| {
            (0..n).map(|i| if (i / 40 + u) % 2 == 0 { (i as f64).sin() } else { 0.0 }).collect()
        })
        .collect();
    for storage in [Storage::Resident, Storage::OnDemand] {
        let bank = Bank::build(&views, &specs, storage.clone(), &Run::default()).unwrap();
        let heads: Vec<&[f64]> = coefs.iter().map(Vec::as_slice).collect();
        let found = bank.gated_energies(&heads, &gates, &Pass::default());
        for i in 0..n {
            for g in 0..6 {
                let mut wanted = 0.0;
                for c in &coefs {
                    let others =
                        (0..n).map(|j| bank.entry(g / copies, i, j) * c[j] * gates.get(j, g));
                    wanted += c[i] * gates.get(i, g) * others.sum::<f64>();
                }
                assert!((found.get(i, g) - wanted).abs() < 1e-10, "{storage:?} {i} {g}");
            }
        }
    }
}

fn learned(given: &[(&str, &str)], machine_text: &str, target: &Target, run: &Run) -> Learned {
    learned_on(&["gaussian@a", "linear@b"], given, machine_text, target, run)
}

fn learned_on(
    kernels: &[&str],
    given: &[(&str, &str)],
    machine_text: &str,
    target: &Target,
    run: &Run,
) -> Learned {
    let (views, machine) = (views(), machine(machine_text));
    let specs: Vec<KernelSpec> = kernels.iter().map(|s| s.parse().unwrap()).collect();
    let bank = Bank::build(&views, &specs, Storage::Auto, run).unwrap();
    let values: Vec<(&str, crate::params::Value)> =
        given.iter().map(|(n, v)| (*n, crate::params::Value::parse(v))).collect();
    let params = METHOD.check(values.iter().map(|(n, v)| (*n, v))).unwrap();
    let problem = Problem { views: Some(&views), ..Problem::new(&bank, target, machine.as_ref()) };
    crate::mkl::train(&problem, &Localized::new(&params), run).unwrap()
}

#[test]
fn traces_never_rise_and_the_best_start_is_kept() {
    for (text, target) in targets() {
        for gating in Shape::IDS {
            for search in ["lbfgs", "gradient"] {
                let what = format!("{text} {gating} {search}");
                let given =
                    [("gating", *gating), ("search", search), ("starts", "3"), ("copies", "2")];
                let found = learned(&given, text, &target, &Run::default());
                let (report, trace) = (&found.report, &found.report.objective);
                assert!(
                    trace.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-12 * w[0].signum())),
                    "{what}: {trace:?}"
                );
                assert_eq!(trace.len(), report.iterations + 1, "{what}");
                assert!(report.status.is_success(), "{what}: {}", report.status);
                let all = &report.details["objectives"];
                let least = all.iter().fold(f64::INFINITY, |a, v| a.min(*v));
                assert_eq!(all.len(), 3, "{what}");
                assert_eq!(trace.last(), Some(&least), "{what}");
                let at = report.details["start"][0] as usize;
                assert_eq!(all[at], least, "{what}");
                assert!(
                    report.notes.iter().any(|n| n.starts_with("3 starts: objectives from")),
                    "{what}"
                );
                // A start is the same however many there are.
                if at == 0 {
                    let given = [("gating", *gating), ("search", search), ("copies", "2")];
                    let alone = learned(&given, text, &target, &Run::default());
                    assert_eq!(alone.rule, found.rule, "{what}");
                }
            }
        }
    }
}

/// Gates of kernels that are the same never part from the same start.
#[test]
fn equal_kernels_are_copies() {
    let run = Run::default();
    for gating in Shape::IDS {
        let twice = ["linear@b", "linear@b"];
        let twice = learned_on(&twice, &[("gating", gating)], "svc:c=2", &classes(2), &run);
        let copies = [("gating", *gating), ("copies", "2")];
        let copies = learned_on(&["linear@b"], &copies, "svc:c=2", &classes(2), &run);
        assert!(twice.report.iterations > 0, "{gating}");
        assert_eq!(twice.report.objective, copies.report.objective, "{gating}");
        let among = ["linear@b", "gaussian@a", "linear@b"];
        let among = learned_on(&among, &[("gating", gating)], "svc:c=2", &classes(2), &run);
        let means = &among.report.details["mean_gates"];
        assert!((means[0] - means[2]).abs() > 1e-3, "{gating}: {means:?}");
    }
}

#[test]
fn a_stop_gives_what_there_is() {
    let run = Run::default();
    run.cancel.cancel();
    let found = learned(&[("starts", "4")], "svc", &classes(2), &run);
    assert_eq!(found.report.status, Status::Interrupted);
    assert_eq!(found.report.details["objectives"].len(), 1);
    // No machine was solved: nothing is known about the slope.
    let notes = found.report.notes.join("\n");
    assert!(notes.contains("ended before its tolerance (interrupted)"), "{notes}");
    assert!(!notes.contains("slope") && !found.report.details.contains_key("slope"), "{notes}");
    let note = "1 of 4 starts before the stop";
    assert!(found.report.notes.iter().any(|n| n.starts_with(note)), "{:?}", found.report.notes);
    let few =
        learned(&[("max_iterations", "2"), ("tol", "1e-9")], "svc", &classes(2), &Run::default());
    assert_eq!((few.report.status, few.report.iterations), (Status::IterationLimit, 2));
}

/// Gates of each machine are those that it has alone, stop or not; of two classes there is one machine.
#[test]
fn own_gates_of_each_machine() {
    let run = Run::default();
    for gating in Shape::IDS {
        let own = [("gates", "own"), ("gating", *gating), ("starts", "2")];
        let found = learned(&own, "svc:c=2", &classes(3), &run);
        let (report, trace) = (&found.report, &found.report.objective);
        assert_eq!(trace.len(), report.iterations + 1, "{gating}");
        assert!(trace.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-12)), "{gating}: {trace:?}");
        assert_eq!(found.rule.own_gates().len(), 3);
        let details = &report.details;
        assert_eq!((details["objectives"].len(), details["start"].len()), (6, 3));
        assert_eq!((details["mean_gates"].len(), details["active_gates"].len()), (6, 3));
        let note = "c1 vs rest: 2 starts: objectives from";
        assert!(report.notes.iter().any(|n| n.starts_with(note)), "{:?}", report.notes);
        let two =
            |gates| learned(&[("gates", gates), ("gating", gating)], "svc:c=2", &classes(2), &run);
        let (own, common) = (two("own"), two("common"));
        assert_eq!((own.rule, own.machines), (common.rule, common.machines), "{gating}");
    }
    let numbers = Target::Real((0..N).map(|i| (i as f64 * 0.9).sin()).collect());
    let value = |gates| learned(&[("gates", gates)], "svr:c=2", &numbers, &run);
    assert_eq!(value("own").rule, value("common").rule);
    let stopped = Run::default();
    stopped.cancel.cancel();
    let found = learned(&[("gates", "own"), ("starts", "4")], "svc", &classes(3), &stopped);
    assert_eq!(found.report.status, Status::Interrupted);
    assert_eq!(found.report.details["objectives"].len(), 3);
}
