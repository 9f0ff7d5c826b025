use super::*;
use crate::Status;
use crate::bank::Bank;
use crate::data::Table;
use crate::data::Target;
use crate::kernel::KernelSpec;
use crate::machine::How;
use crate::mkl::gate_views::Shown;
use crate::mkl::parametric::Search;
use crate::mkl::parametric::cases::{N, classes, machine, targets};
use crate::mkl::{Learned, Learner, learner, train};
use crate::params::Value;

fn views() -> Views {
    let wave = |f: f64, d: usize| {
        Matrix::from_fn(N, d, move |i, j| ((i + 7 * j) as f64 * f).sin() * (1.5 + j as f64) + 0.3)
    };
    Views::new().dense("a", wave(0.7, 3)).unwrap().dense("b", wave(1.9, 2)).unwrap()
}

fn settings(gates: Option<Regions>, keeps_lengths: bool, dimensions: usize) -> Settings {
    let search = Search { tol: 1e-3, max_iterations: 50, second_order: true };
    let (first, starts) = (First::Components, 1);
    Settings { id: "test", title: "test", dimensions, first, starts, keeps_lengths, gates, search }
}

fn specs(texts: &[&str]) -> Vec<KernelSpec> {
    texts.iter().map(|s| s.parse().unwrap()).collect()
}

/// Of every gate, kernel and machine: the derivative of the optimum of the machine's dual by each parameter.
#[test]
fn slopes_are_those_of_finite_differences() {
    let (views, run) = (views(), Run::default());
    let kernels: [&[&str]; 4] = [
        &["linear@a"],
        &["polynomial@a:degree=3:gamma=0.2"],
        &["gaussian@b:gamma=0.3"],
        &["linear@a", "gaussian@a:gamma=0.2", "polynomial@b:degree=2:gamma=0.3"],
    ];
    let shapes = [(Shape::Softmax, 0), (Shape::Sigmoid, 1), (Shape::Gaussian, 0)].map(
        |(shape, dimensions)| {
            Some(Regions { count: 2, shape, shown: Shown { dimensions, plain: false } })
        },
    );
    for specs in kernels.map(specs) {
        let bank = Bank::build(&views, &specs, Storage::Auto, &run).unwrap();
        for (text, target) in targets() {
            let machine = machine(text);
            let problem =
                Problem { views: Some(&views), ..Problem::new(&bank, &target, machine.as_ref()) };
            for gates in [None, shapes[0], shapes[1], shapes[2]] {
                for keeps in [true, false] {
                    let settings = settings(gates, keeps, 2);
                    let inside = Projections::new(&problem, &settings).unwrap();
                    let watch = run.watch();
                    let projected = inside.offset(inside.regions, 0);
                    let looked_at = inside.gates.as_ref().map_or(0, |g| g.seen.features.cols() + 1);
                    let all = projected + looked_at * bank.len() * inside.regions;
                    // Wide gates, as the objective jumps a little where one closes.
                    let round = matches!(gates, Some(Regions { shape: Shape::Gaussian, .. }));
                    let wide = |k: usize| {
                        let last = k >= projected && (k - projected + 1).is_multiple_of(looked_at);
                        if round && last { 2.0 } else { 0.0 }
                    };
                    let at: Vec<f64> =
                        (0..all).map(|k| (k as f64 * 1.7).sin() * 0.7 + wide(k)).collect();
                    let solve = |at: &[f64]| {
                        let how = How::new(&run);
                        let mut solve =
                            |rows: &dyn crate::solve::Rows| machine.solve(rows, &target, &how);
                        inside.with_kernel(at, &run, &watch, &mut solve).unwrap()
                    };
                    let here = solve(&at);
                    let slopes = inside.slopes(&at, &here, &watch).unwrap();
                    assert_eq!(slopes.len(), at.len());
                    let scale = 1.0 + here.objective().abs();
                    // ½ Σ_u c_uᵀ K c_u with the coefficients as they are, by the formulas.
                    let form = |at: &[f64]| form(&inside, &bank, &here, at);
                    let optimum = |at: &[f64]| {
                        let found = solve(at);
                        0.5 * (found.objective() + found.primal())
                    };
                    for (k, slope) in slopes.iter().enumerate() {
                        let difference = |h: f64, value: &dyn Fn(&[f64]) -> f64| {
                            let (mut up, mut down) = (at.clone(), at.clone());
                            (up[k], down[k]) = (at[k] + h, at[k] - h);
                            (value(&up) - value(&down)) / (2.0 * h)
                        };
                        let what = format!("{text} {gates:?} {keeps} {specs:?} {k}");
                        let fixed = -difference(1e-4, &form);
                        assert!((slope - fixed).abs() <= 1e-6 * scale, "{what}: {slope} {fixed}");
                        // The optimum itself, whose slope has kinks where a coefficient reaches its bound.
                        if k % 7 == 0 {
                            let moved = difference(1e-4, &optimum);
                            let near = (slope - moved).abs() <= 1e-5 * scale;
                            assert!(near, "{what}: {slope} {moved}");
                        }
                    }
                }
            }
        }
    }
}

fn form(inside: &Projections<'_>, bank: &Bank, here: &Solution, at: &[f64]) -> f64 {
    let features = |view: &str| match &inside.views.get(view).unwrap().table {
        Table::Dense(x) => x.clone(),
        _ => unreachable!(),
    };
    let gates = inside.gates(at).unwrap().map(|g| g.1);
    let maps = inside.maps(at).unwrap();
    let (kernels, regions) = (bank.len(), inside.regions);
    let mut total = 0.0;
    for (m, kernel) in bank.kernels().iter().enumerate() {
        let x = features(&kernel.view);
        let own: Vec<&LearnedView> = maps.iter().filter(|l| l.view() == kernel.view).collect();
        assert_eq!(own.len(), regions);
        for (p, map) in own.iter().enumerate() {
            let z = |i: usize, l: usize| {
                (0..x.cols()).map(|j| x.get(i, j) * map.map().unwrap().get(j, l)).sum::<f64>()
            };
            let r = map.map().unwrap().cols();
            let z = Matrix::from_fn(N, r, z);
            let gate = |i: usize| match &gates {
                Some(all) => all.get(i, m * regions + p),
                None => (kernels as f64).powf(-0.5),
            };
            let value = |i: usize, j: usize| {
                let dot: f64 = (0..r).map(|l| z.get(i, l) * z.get(j, l)).sum();
                let far: f64 = (0..r).map(|l| (z.get(i, l) - z.get(j, l)).powi(2)).sum();
                match kernel.function {
                    Function::Linear => dot,
                    Function::Polynomial { degree, gamma, coef0 } => {
                        (gamma * dot + coef0).powi(degree as i32)
                    }
                    Function::Exponential { gamma, .. } => (-gamma * far).exp(),
                    _ => unreachable!(),
                }
            };
            for c in here.coefs() {
                for i in (0..N).filter(|i| c[*i] != 0.0) {
                    for j in (0..N).filter(|j| c[*j] != 0.0) {
                        total += 0.5 * c[i] * c[j] * gate(i) * gate(j) * value(i, j);
                    }
                }
            }
        }
    }
    total
}

fn build(id: &str, given: &[(&str, &str)]) -> Box<dyn Learner> {
    let method = crate::catalogue::find(id).unwrap();
    let values: Vec<(&str, Value)> = given.iter().map(|(n, v)| (*n, Value::parse(v))).collect();
    let params = method.check(values.iter().map(|(n, v)| (*n, v))).unwrap();
    learner(method, &params).unwrap()
}

fn learned(id: &str, given: &[(&str, &str)], text: &str, target: &Target, run: &Run) -> Learned {
    let (views, machine) = (views(), machine(text));
    let kernels = specs(&["gaussian@a", "linear@b"]);
    let bank = Bank::build(&views, &kernels, Storage::Auto, run).unwrap();
    let problem = Problem { views: Some(&views), ..Problem::new(&bank, target, machine.as_ref()) };
    train(&problem, build(id, given).as_ref(), run).unwrap()
}

#[test]
fn traces_never_rise_and_the_best_start_is_kept() {
    for (text, target) in targets() {
        // Beyond 2e-10 it is rounding whether a joint machine gets any closer.
        let text = &text.replace("tol=1e-11", "tol=1e-9");
        let shapes = Shape::IDS.iter().map(|s| ("lpk", Some(*s)));
        for (id, gating) in std::iter::once(("gpk", None)).chain(shapes) {
            for search in ["lbfgs", "gradient"] {
                // The slower search, which knows nothing of gates, with one of them.
                if search == "gradient" && gating.is_some_and(|g| g != Shape::IDS[0]) {
                    continue;
                }
                let what = format!("{text} {id} {gating:?} {search}");
                let mut given = vec![("search", search), ("dimensions", "1")];
                given.extend(gating.map(|g| ("gating", g)));
                let alone = learned(id, &given, text, &target, &Run::default());
                given.push(("starts", "2"));
                let found = learned(id, &given, text, &target, &Run::default());
                let (report, trace) = (&found.report, &found.report.objective);
                let falls = |w: &[f64]| w[1] <= w[0] + 1e-12 * w[0].abs();
                assert!(trace.windows(2).all(falls), "{what}: {trace:?}");
                assert_eq!(trace.len(), report.iterations + 1, "{what}");
                assert!(report.status.is_success(), "{what}: {} {:?}", report.status, report.notes);
                let all = &report.details["objectives"];
                let least = all.iter().fold(f64::INFINITY, |a, v| a.min(*v));
                assert_eq!((all.len(), trace.last()), (2, Some(&least)), "{what}");
                assert_eq!(all[report.details["start"][0] as usize], least, "{what}");
                let note = "2 starts: objectives from";
                assert!(report.notes.iter().any(|n| n.starts_with(note)), "{what}");
                // A start is the same however many there are.
                assert_eq!(alone.report.details["objectives"], all[..1], "{what}");
                // One of the gates for all.
                if search == "lbfgs" && gating.is_none_or(|g| g == Shape::IDS[0]) {
                    let again = learned(id, &given, text, &target, &Run::default());
                    assert_eq!((again.rule, again.views), (found.rule, found.views), "{what}");
                }
            }
        }
    }
}

#[test]
fn a_stop_gives_what_there_is() {
    let run = Run::default();
    run.cancel.cancel();
    for id in ["gpk", "lpk"] {
        let found = learned(id, &[("starts", "4")], "svc", &classes(2), &run);
        assert_eq!(found.report.status, Status::Interrupted);
        assert_eq!(found.report.details["objectives"].len(), 1);
        let note = "1 of 4 starts before the stop";
        assert!(found.report.notes.iter().any(|n| n.starts_with(note)), "{:?}", found.report.notes);
        let few = [("max_iterations", "2"), ("tol", "1e-9")];
        let few = learned(id, &few, "svc", &classes(2), &Run::default());
        assert_eq!((few.report.status, few.report.iterations), (Status::IterationLimit, 2));
    }
}

/// Free lengths of a linear kernel have no minimum; the limit on steps ends that.
#[test]
fn free_lengths_end_all_the_same() {
    for (text, target) in targets() {
        for id in ["gpk", "lpk"] {
            let given = [("lengths", "free"), ("max_iterations", "30"), ("tol", "1e-6")];
            let found = learned(id, &given, text, &target, &Run::default());
            let trace = &found.report.objective;
            assert!(trace.windows(2).all(|w| w[1] <= w[0] + 1e-12 * w[0].abs()), "{text} {id}");
            assert!(trace.iter().all(|v| v.is_finite()), "{text} {id}: {trace:?}");
        }
    }
}
