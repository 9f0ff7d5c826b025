//! Every registry entry keeps the promises of its table.
//!
//! The tests go through the whole registry, so a new method is tested by being listed. What a
//! method does with a duplicated kernel is a fact about the method ([`duplicate`]).

use crate::common::{gaussian, rules};
use cokernel::bank::{Bank, Storage};
use cokernel::catalogue::{find, machines, methods};
use cokernel::data::{Classes, Labels, Matrix, Target, Views};
use cokernel::machine::{Solution, Svc};
use cokernel::method::{Certificate, Method, Task, WeightSet};
use cokernel::mkl::{Copies, Learned, Learner, Problem, learner, train};
use cokernel::model::MultiView;
use cokernel::multiview::{self, Clustering};
use cokernel::params::{Range, Value};
use cokernel::rule::Weighted;
use cokernel::{Cancel, Run, Status};
use rand::RngExt;
use std::collections::HashSet;
use std::path::Path;

/// n instances of three classes: views that tell all classes, two of them, and none.
fn views(n: usize) -> (Vec<Matrix>, Vec<String>) {
    let mut rng = Run::with_seed(5).rng("contract data");
    let mut noise = || (0..4).map(|_| rng.random::<f64>()).sum::<f64>() - 2.0;
    let class = |i: usize| i % 3;
    let all = Matrix::from_fn(n, 3, |i, j| noise() + if class(i) == j { 2.0 } else { 0.0 });
    let some =
        Matrix::from_fn(n, 2, |i, j| noise() + if class(i) == 0 && j == 0 { 2.0 } else { 0.0 });
    let none = Matrix::from_fn(n, 2, |_, _| noise());
    (vec![all, some, none], (0..n).map(|i| ["red", "green", "blue"][class(i)].into()).collect())
}

fn kernels(n: usize) -> (Vec<Matrix>, Classes) {
    let (views, labels) = views(n);
    let kernels = views.iter().map(|v| gaussian(v, 0.2)).collect();
    (kernels, Classes::from_texts(&labels).unwrap())
}

fn bank(kernels: &[Matrix]) -> Bank {
    let named = kernels.iter().enumerate().map(|(m, k)| (format!("k{m}"), k.clone())).collect();
    Bank::from_matrices(named, Storage::Resident).unwrap()
}

/// The method with its tolerance, if it has one, made tight.
fn learn(method: &Method, kernels: &[Matrix], classes: &Classes, c: f64, run: &Run) -> Learned {
    learn_to(method, 1e-8, kernels, classes, c, run)
}

/// The same to any tolerance.
fn learn_to(
    method: &Method,
    tol: f64,
    kernels: &[Matrix],
    classes: &Classes,
    c: f64,
    run: &Run,
) -> Learned {
    let has_tol = method.params.iter().any(|p| p.name == "tol");
    let mut given: Vec<_> = has_tol.then_some(("tol", Value::Real(tol))).into_iter().collect();
    // Similarities have no features.
    given.extend((method.id == "gmkl").then(|| ("form", Value::Text("sum".to_string()))));
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    let learner = cokernel::mkl::learner(method, &params).unwrap();
    let bank = bank(kernels);
    let machine = Svc { c, tol: 1e-8, ..Svc::default() };
    let (views, target) = (rules::similarities(kernels), Target::from(classes.clone()));
    let problem = Problem { views: Some(&views), ..Problem::new(&bank, &target, &machine) };
    train(&problem, learner.as_ref(), run).unwrap()
}

fn cluster_bank(method: &Method, bank: &Bank, k: usize, run: &Run) -> cokernel::Result<Clustering> {
    let embedder = multiview::embedder(method, &method.defaults())?;
    let problem = multiview::Problem::new(bank);
    multiview::cluster(embedder.as_ref(), &problem, k, &multiview::Starts::default(), run)
}

/// What clusterers see: views and, for those that do not look at features, a kernel of each.
struct Seen {
    views: Vec<Matrix>,
    kernels: Vec<Matrix>,
}

impl Seen {
    fn new(n: usize) -> Self {
        Seen { views: views(n).0, kernels: kernels(n).0 }
    }

    fn in_order(&self, order: &[usize]) -> Self {
        let chosen = |from: &[Matrix]| order.iter().map(|v| from[*v].clone()).collect();
        Seen { views: chosen(&self.views), kernels: chosen(&self.kernels) }
    }

    /// Features times `factor`, kernels times its square.
    fn times(&self, factor: f64) -> Self {
        let scaled = |from: &[Matrix], s: f64| -> Vec<Matrix> {
            let one = |m: &Matrix| Matrix::from_fn(m.rows(), m.cols(), |i, j| s * m.get(i, j));
            from.iter().map(one).collect()
        };
        Seen { views: scaled(&self.views, factor), kernels: scaled(&self.kernels, factor * factor) }
    }
}

fn cluster(method: &Method, seen: &Seen, k: usize, run: &Run) -> Clustering {
    try_cluster(method, seen, k, run).unwrap()
}

fn try_cluster(method: &Method, seen: &Seen, k: usize, run: &Run) -> cokernel::Result<Clustering> {
    if !multiview::embedder(method, &method.defaults()).unwrap().wants().features {
        return cluster_bank(method, &bank(&seen.kernels), k, run);
    }
    let mut views = Views::new();
    for (v, features) in seen.views.iter().enumerate() {
        views = views.dense(format!("v{v}"), features.clone()).unwrap();
    }
    let starts = multiview::Starts::default();
    MultiView::new(method.id).unwrap().cluster(&views, k, &starts, run)
}

/// Those that learn with support vector machines from kernels that are given as matrices; methods that map features, and
/// Bayesian ones, have tests of their own.
fn learners() -> impl Iterator<Item = &'static Method> {
    let classify = |m: &&Method| m.tasks.contains(&Task::Classify);
    methods()
        .filter(classify)
        .filter(|m| !built(m).maps_features() && built(m).takes(&Svc::default()))
}

fn clusterers() -> impl Iterator<Item = &'static Method> {
    methods().filter(|m| m.tasks.contains(&Task::Cluster))
}

/// Decision values on the training instances, from the matrices themselves.
fn decisions(learned: &Learned, kernels: &[Matrix]) -> Vec<f64> {
    rules::decisions(learned, kernels).concat()
}

fn assert_close(id: &str, a: &[f64], b: &[f64], tol: f64) {
    assert_eq!(a.len(), b.len(), "{id}");
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tol * (1.0 + y.abs()), "{id}: {x} and {y}");
    }
}

fn weights(learned: &Learned) -> Option<&[f64]> {
    learned.rule.weights()
}

#[test]
fn every_file_is_registered() {
    for (room, ids) in [
        ("mkl", cokernel::mkl::REGISTRY.iter().map(|m| m.id).collect::<HashSet<_>>()),
        ("multiview", cokernel::multiview::REGISTRY.iter().map(|m| m.id).collect()),
        ("machine", machines().map(|m| m.id).collect()),
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room);
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let is_method = text.lines().any(|l| l.starts_with("pub static ENTRY: Entry<"));
            assert_eq!(is_method, ids.contains(stem), "{}", path.display());
        }
    }
}

#[test]
fn entries_are_well_formed() {
    let mut seen = HashSet::new();
    for m in methods().chain(machines()) {
        let snake = |s: &str| {
            s.starts_with(|c: char| c.is_ascii_lowercase())
                && s.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        assert!(seen.insert(m.id), "{} is registered twice", m.id);
        assert!(snake(m.id), "{}", m.id);
        assert!(!m.title.is_empty() && !m.source.is_empty() && m.summary.len() > 40, "{}", m.id);
        assert!(!m.tasks.is_empty(), "{}", m.id);
        let listed = machines().any(|machine| machine.id == m.id) || find(m.id).is_ok();
        assert!(listed, "{}", m.id);
        let mut names = HashSet::new();
        for p in m.params {
            assert!(snake(p.name) && names.insert(p.name), "{} {}", m.id, p.name);
            assert!(p.doc.ends_with('.'), "{} {}: a sentence", m.id, p.name);
            let default = p.default();
            m.check([(p.name, &default)]).unwrap_or_else(|e| panic!("{}: {e}", m.id));
        }
        assert_eq!(m.check([]).unwrap(), m.defaults());
    }
    assert!(seen.len() >= 7);
}

#[test]
fn wrong_parameters_are_refused() {
    for m in methods().chain(machines()) {
        let one = Value::Int(1);
        let e = m.check([("no_such_parameter", &one)]).unwrap_err().to_string();
        assert!(e.contains("unknown parameter 'no_such_parameter'"), "{}: {e}", m.id);
        for p in m.params {
            let typo = format!("{}x", p.name);
            let e = m.check([(typo.as_str(), &one)]).unwrap_err().to_string();
            assert!(e.contains(&format!("did you mean '{}'", p.name)), "{}: {e}", m.id);
            let wrong = match p.range {
                Range::Int { min, .. } if min > i64::MIN => Value::Int(min - 1),
                Range::Real { min, .. } if min.is_finite() => Value::Real(min - 1.0),
                Range::Reals { min, .. } => Value::Real(min - 1.0),
                Range::Text { .. } => Value::Text(String::new()),
                _ => Value::Text("no such word".to_string()),
            };
            let e = m.check([(p.name, &wrong)]).unwrap_err().to_string();
            assert!(e.contains(p.name), "{}: {e}", m.id);
        }
    }
}

#[test]
fn weights_come_from_the_declared_set() {
    let (kernels, classes) = kernels(60);
    for m in learners() {
        let learned = learn(m, &kernels, &classes, 1.0, &Run::default());
        let w = weights(&learned);
        let given = w.is_none_or(|w| (m.weights.holds)(w, &m.defaults()));
        assert!(given, "{}: {w:?} is not {}", m.id, m.weights.says);
        assert_eq!(w.is_none(), m.weights == WeightSet::NONE, "{}", m.id);
    }
}

#[test]
fn permuted_kernels_give_permuted_weights() {
    let (kernels, classes) = kernels(60);
    let order = [2, 0, 1];
    let permuted: Vec<Matrix> = order.iter().map(|m| kernels[*m].clone()).collect();
    // The number of the first kernel is the unit of their search.
    let first = ["rmkl", "rwkl"];
    for m in learners().filter(|m| !first.contains(&m.id)) {
        let a = learn(m, &kernels, &classes, 1.0, &Run::default());
        let b = learn(m, &permuted, &classes, 1.0, &Run::default());
        if let (Some(a), Some(b)) = (weights(&a), weights(&b)) {
            let back: Vec<f64> = order.iter().map(|m| a[*m]).collect();
            assert_close(m.id, b, &back, 1e-4);
        }
        if m.id == "localized_mkl" {
            // Steps along valleys of a function that is not convex amplify rounding.
            let end = |l: &Learned| l.report.objective.last().copied().unwrap();
            assert_close(m.id, &[end(&b)], &[end(&a)], 1e-2);
            continue;
        }
        assert_close(m.id, &decisions(&b, &permuted), &decisions(&a, &kernels), 1e-3);
    }
    let seen = Seen::new(60);
    for m in clusterers() {
        let a = cluster(m, &seen, 3, &Run::default());
        let b = cluster(m, &seen.in_order(&order), 3, &Run::default());
        let differ = a.assignments.iter().zip(&b.assignments).filter(|(a, b)| a != b).count();
        assert!(differ <= 3, "{}: {differ} of 60 instances changed cluster", m.id);
    }
}

fn built(m: &'static Method) -> Box<dyn Learner> {
    learner(m, &m.defaults()).unwrap()
}

#[test]
fn a_duplicated_kernel() {
    let (kernels, classes) = kernels(60);
    let mut twice = kernels.clone();
    twice.push(kernels[0].clone());
    for m in learners() {
        let a = learn(m, &kernels, &classes, 1.0, &Run::default());
        let b = learn(m, &twice, &classes, 1.0, &Run::default());
        match built(m).copies() {
            Copies::Share => {
                assert_close(m.id, &decisions(&b, &twice), &decisions(&a, &kernels), 1e-3);
            }
            Copies::CountTwice => {
                let uses = b.rule.uses();
                assert_close(m.id, &uses[..1], &uses[3..], 1e-12);
                assert!(uses[0] > 0.0, "{}", m.id);
            }
            Copies::Either => assert!(b.report.status.is_success(), "{}", m.id),
        }
    }
}

/// All kernels times s and C divided by what that does to the combined kernel: nothing changes.
#[test]
fn scaled_kernels() {
    let (kernels, classes) = kernels(60);
    let scaled: Vec<Matrix> =
        kernels.iter().map(|k| Matrix::from_fn(60, 60, |i, j| 4.0 * k.get(i, j))).collect();
    // Hyperkernels are for kernels of one scale.
    for m in learners().filter(|m| m.id != "hyperkernels") {
        let a = learn(m, &kernels, &classes, 16.0, &Run::default());
        let factor = 4.0_f64.powf(built(m).degree(kernels.len()));
        let b = learn(m, &scaled, &classes, 16.0 / factor, &Run::default());
        if let (Some(a), Some(b)) = (weights(&a), weights(&b)) {
            // Its weights are relative to the sizes of kernels.
            let by = if m.id == "gmkl" { 4.0 } else { 1.0 };
            assert_close(m.id, &b.iter().map(|w| by * w).collect::<Vec<_>>(), a, 1e-5);
        }
        assert_close(m.id, &decisions(&b, &scaled), &decisions(&a, &kernels), 1e-4);
    }
    let seen = Seen::new(60);
    for m in clusterers() {
        let a = cluster(m, &seen, 3, &Run::default());
        let b = cluster(m, &seen.times(2.0), 3, &Run::default());
        assert_eq!(a.assignments, b.assignments, "{}", m.id);
    }
}

#[test]
fn same_seed_same_bits() {
    let (kernels, classes) = kernels(45);
    let timeless = |mut l: Learned| {
        l.report.seconds = 0.0;
        l
    };
    for m in learners() {
        let a = timeless(learn(m, &kernels, &classes, 1.0, &Run::with_seed(7)));
        let b = timeless(learn(m, &kernels, &classes, 1.0, &Run::with_seed(7)));
        assert_eq!(a, b, "{}", m.id);
    }
    let seen = Seen::new(45);
    for m in clusterers() {
        let mut a = cluster(m, &seen, 3, &Run::with_seed(7));
        let mut b = cluster(m, &seen, 3, &Run::with_seed(7));
        for c in [&mut a, &mut b] {
            c.report.seconds = 0.0;
            c.embedding.report.seconds = 0.0;
        }
        assert_eq!(a, b, "{}", m.id);
    }
}

/// Whether the trace never turns back, up to rounding.
fn monotone(trace: &[f64]) -> bool {
    let steps = trace.windows(2).map(|w| (w[1] - w[0]) / w[0].abs().max(f64::MIN_POSITIVE));
    let steps: Vec<f64> = steps.collect();
    steps.iter().all(|s| *s <= 1e-10) || steps.iter().all(|s| *s >= -1e-10)
}

#[test]
fn reports_are_filled() {
    let (kernels, classes) = kernels(45);
    let run = Run::with_seed(11);
    for m in learners() {
        let learned = learn(m, &kernels, &classes, 1.0, &run);
        let (r, machines) = (&learned.report, learned.machines.as_ref().unwrap());
        // Stochastic steps end by their number, and say so.
        let by_number = m.id == "ufo_mkl" && r.gap.unwrap() > 1e-8;
        let expected = if by_number { Status::IterationLimit } else { Status::Converged };
        // SILP's linear program is solved to a gap near 1e-8, on this side or that by rounding.
        let near = m.id == "silp" && r.gap.unwrap() <= 1e-7;
        assert!(r.status == expected || near, "{} {} {:?}", m.id, r.status, r.gap);
        assert!(r.seconds > 0.0 && r.seed == 11, "{}", m.id);
        assert_eq!(machines.blocks.len(), 3, "{}", m.id);
        assert!(r.counts.machine_solves >= 3, "{}", m.id);
        // Programs on columns know no pairs, and no sum of kernels.
        let on_columns = ["cg_boost", "mark"].contains(&m.id);
        assert!(r.counts.smo_steps > 0 || on_columns, "{}", m.id);
        assert!(r.counts.combines >= 1 || on_columns, "{}", m.id);
        assert!(machines.gap() <= 1e-7, "{}: {}", m.id, machines.gap());
        // A rule that is a formula used to end in "closed form", without an objective or a gap.
        let told = r.machine.unwrap();
        assert_eq!((told.status, told.gap), (machines.status(), machines.gap()), "{}", m.id);
        assert_eq!((told.primal, told.dual), (machines.primal(), machines.objective()));
        // A gap of nothing is one of rounding.
        let below = told.dual <= told.primal * (1.0 + 1e-14);
        let shown = || format!("{} {} {} {}", m.id, told.primal, told.dual, told.at_bound);
        assert!(below && (0.0..=1.0).contains(&told.at_bound), "{}", shown());
        if r.iterations == 0 {
            assert_eq!(r.objective, [told.primal], "{}", m.id);
            assert_eq!(r.gap, Some(told.gap), "{}", m.id);
        }
        if let Some(gap) = r.gap {
            // A method without a tolerance tells the gap of the work that it was asked to do.
            let has_tol = m.params.iter().any(|p| p.name == "tol");
            let asked = (has_tol && !by_number) || r.iterations == 0;
            let most = if near {
                1e-7
            } else if asked {
                1e-8
            } else {
                1.0
            };
            assert!((-1e-12..=most).contains(&gap), "{}: {gap}", m.id);
            assert_eq!(r.objective.len(), r.iterations + 1, "{}", m.id);
        }
        assert!(m.certificate != Certificate::Gap || r.gap.is_some(), "{}", m.id);
        assert!(m.certificate != Certificate::Trace || monotone(&r.objective), "{}", m.id);
        assert!(r.objective.iter().all(|v| v.is_finite()), "{}", m.id);
        assert!(r.iterations == 0 || !r.objective.is_empty(), "{}", m.id);
    }
    let seen = Seen::new(45);
    for m in clusterers() {
        let found = cluster(m, &seen, 3, &run);
        let (r, spectra) = (found.report, found.embedding.eigenvalues);
        assert!(r.status.is_success(), "{}: {}", m.id, r.status);
        assert!(r.seconds > 0.0 && r.seed == 11, "{}", m.id);
        // Its eigenvectors are those of its starts.
        let of_starts = m.id == "max_margin";
        assert_eq!(r.counts.eigen_solves >= 1, !spectra.is_empty() || of_starts, "{}", m.id);
        if m.certificate == Certificate::Trace {
            // They may find nothing better than one of their starts.
            let may_stay = of_starts || m.id == "one_pass_fusion";
            let steps = r.objective.len() > 1 || may_stay && r.objective.len() == 1;
            assert!(steps && monotone(&r.objective), "{}: {:?}", m.id, r.objective);
        }
    }
}

#[test]
fn cancelled_runs_say_so() {
    let (kernels, classes) = kernels(45);
    let cancel = Cancel::default();
    cancel.cancel();
    let run = Run { cancel, ..Run::default() };
    for m in learners() {
        let learned = learn(m, &kernels, &classes, 1.0, &run);
        assert_eq!(learned.report.status, Status::Interrupted, "{}", m.id);
        assert!(learned.machines.is_some(), "{}", m.id);
        if let Some(w) = weights(&learned) {
            assert!(w.iter().all(|w| w.is_finite()), "{}", m.id);
        }
    }
    let seen = Seen::new(45);
    for m in clusterers() {
        // Those that have nothing at all yet say that; an embedding of zeros is no result.
        match try_cluster(m, &seen, 3, &run) {
            Ok(found) => assert_eq!(found.report.status, Status::Interrupted, "{}", m.id),
            Err(e) => {
                assert!(["kernel_cca", "anchor_graph"].contains(&m.id), "{}", m.id);
                let said = "the embedding was stopped (interrupted) before there was a result";
                assert_eq!(e.to_string(), said);
            }
        }
    }
}

/// The largest and the smallest tolerance that a parameter takes: an answer, whatever it is worth.
#[test]
fn any_tolerance() {
    let (kernels, classes) = kernels(30);
    let run = Run { time_limit: Some(std::time::Duration::from_secs(1)), ..Run::default() };
    for m in learners() {
        let Some(param) = m.params.iter().find(|p| p.name == "tol") else { continue };
        let Range::Real { min, max, .. } = param.range else { continue };
        for tol in [max, 0.3 * max, 0.1 * max, min.max(1e-15)] {
            let learned = learn_to(m, tol, &kernels, &classes, 1.0, &run);
            assert!(learned.machines.is_some(), "{} {tol}", m.id);
        }
    }
    let mut seen = Views::new();
    for (v, features) in views(30).0.into_iter().enumerate() {
        seen = seen.dense(format!("v{v}"), features).unwrap();
    }
    for m in clusterers() {
        let Some(param) = m.params.iter().find(|p| p.name == "tol") else { continue };
        let Range::Real { max, .. } = param.range else { continue };
        let method = MultiView::new(m.id).unwrap().param("tol", max);
        let found = method.cluster(&seen, 2, &multiview::Starts::default(), &run).unwrap();
        assert_eq!(found.assignments.len(), 30, "{}", m.id);
    }
}

#[test]
fn one_class_is_refused() {
    let e = Labels::from_texts(&["red", "red", "red"]).classes().unwrap_err().to_string();
    assert!(e.contains("every instance is in class 'red'; at least two"), "{e}");
}

#[test]
fn not_a_number_is_refused_by_view_row_and_column() {
    for (row, column, value) in [(3, 1, f64::NAN), (0, 0, f64::INFINITY)] {
        let mut x = views(12).0[0].clone();
        x.set(row, column, value);
        let e = Views::new().dense("colour", x.clone()).unwrap_err().to_string();
        let place = format!("view 'colour', row {row}, column {column}");
        assert!(e.starts_with(&place), "{e}");
        let square = Matrix::from_fn(12, 12, |i, j| {
            if (i, j) == (row, column) { value } else { f64::from(u8::from(i == j)) }
        });
        let e = Bank::from_matrices(vec![("colour".into(), square)], Storage::Resident)
            .unwrap_err()
            .to_string();
        assert!(e.contains("colour") && e.contains(&format!("row {row}, column {column}")), "{e}");
    }
}

#[test]
fn labels_of_another_size_are_refused() {
    let (kernels, classes) = kernels(30);
    let fewer = Classes { names: classes.names.clone(), codes: classes.codes[..29].to_vec() };
    let (bank, machine) = (bank(&kernels), Svc::default());
    let target = Target::from(fewer.clone());
    let problem = Problem::new(&bank, &target, &machine);
    for m in learners() {
        let learner = cokernel::mkl::learner(m, &m.defaults()).unwrap();
        let e = learner.learn(&problem, &Run::default()).unwrap_err().to_string();
        assert!(e.contains("labels: expected 30, one per instance, found 29"), "{}: {e}", m.id);
        assert!(
            multiview::embedder(m, &m.defaults())
                .unwrap_err()
                .to_string()
                .contains("neither clusters nor embeds")
        );
    }
    for m in clusterers() {
        let e = cokernel::mkl::learner(m, &m.defaults()).unwrap_err().to_string();
        assert!(e.contains("does not learn from labels"), "{}: {e}", m.id);
        for k in [0, 31] {
            assert!(cluster_bank(m, &bank, k, &Run::default()).is_err());
        }
    }
}

/// With one kernel there is nothing to choose: all methods are the machine on that kernel, but one whose penalty
/// says how large weights are.
#[test]
fn one_kernel_is_the_machine_on_it() {
    let (kernels, classes) = kernels(45);
    let one = &kernels[..1];
    let machine = Svc { tol: 1e-8, ..Svc::default() };
    let plain: Solution = machine
        .fit(&bank(one).combine(&[1.0]).unwrap(), &classes, None, None, &Run::default())
        .unwrap();
    let rule = Weighted::rule(vec![1.0]);
    let report = cokernel::Report::closed_form(&Run::default());
    let plain = Learned { machines: Some(plain), ..Learned::of(rule, report) };
    // Products of a kernel with itself, functions of it, and parts of it in several regions, are other kernels.
    let other =
        ["smo_mkl", "medfc", "gml", "polynomial_two_stage", "convex_localized", "hyperkernels"];
    for m in learners().filter(|m| built(m).degree(1) == 1.0 && !other.contains(&m.id)) {
        let learned = learn(m, one, &classes, 1.0, &Run::default());
        assert_close(m.id, &decisions(&learned, one), &decisions(&plain, one), 1e-3);
    }
}

/// The arguments that a block of `python/tools/generate.py` documents: `NAME = """\`, lines `argument : …`.
fn python_arguments(text: &str, block: &str) -> Vec<String> {
    let start = format!("\n{block} = \"\"\"\\\n");
    let from = text.find(&start).unwrap_or_else(|| panic!("no block {block}")) + start.len();
    let body = &text[from..from + text[from..].find("\"\"\"").unwrap()];
    let named = body.lines().filter(|l| !l.starts_with(' ')).filter_map(|l| l.split_once(" : "));
    named.map(|(name, _)| name.to_string()).collect()
}

/// In Python the parameters of a method are arguments beside those of the estimator.
#[test]
fn parameters_have_names_of_their_own_in_python() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/tools/generate.py");
    let text = std::fs::read_to_string(path).unwrap();
    let everywhere = ["VIEWS", "KERNELS", "RUN"];
    // Clusterers have a parameter `scale`, where they scale.
    let of = |task: Task| -> &[&str] {
        match task {
            Task::Classify => &["SCALE", "MACHINE", "MACHINE_MORE"],
            Task::Regress => &["SCALE", "MACHINE", "EPSILON", "TOL"],
            Task::Detect => &["SCALE", "MACHINE", "NU", "TOL"],
            Task::Cluster => &["CLUSTERS", "STARTS"],
            // They have no estimator of their own: MultiViewEmbedding takes their parameters by name.
            Task::Embed => &["CLUSTERS", "STARTS"],
        }
    };
    // What Python does not take as a name, as _base.py renames it.
    let name = |name: &'static str| if name == "lambda" { "lam" } else { name };
    let keywords =
        ["lam", "and", "as", "class", "def", "del", "from", "global", "import", "in", "is"];
    for method in methods() {
        for param in method.params {
            assert!(!keywords.contains(&param.name), "{} {}", method.id, param.name);
        }
        for task in method.tasks {
            let blocks = everywhere.iter().chain(of(*task));
            let mut taken: Vec<String> =
                blocks.flat_map(|block| python_arguments(&text, block)).collect();
            assert!(taken.len() > 8, "{taken:?}");
            taken.extend(["method", "method_params", "self"].map(str::to_string));
            for param in method.params {
                let own = name(param.name).to_string();
                let problem = format!("'{own}' of {} is an argument of the estimator", method.id);
                assert!(!taken.contains(&own), "{problem} for {}", task.id());
            }
        }
    }
}
