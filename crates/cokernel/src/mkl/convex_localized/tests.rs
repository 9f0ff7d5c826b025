use super::*;
use crate::bank::{Bank, Storage};
use crate::data::{Classes, Target};
use crate::kernel::KernelSpec;
use crate::machine::{Machine, MachineSpec};
use crate::params::Value;

const N: usize = 60;

fn noise(i: usize, j: usize) -> f64 {
    ((i * 13 + j * 29 + 5) as f64).sin()
}

fn place(unit: f64) -> Matrix {
    Matrix::from_fn(N, 2, |i, j| {
        unit * (noise(i, j) + if i.is_multiple_of(2) { 4.0 } else { -4.0 })
    })
}

/// Two places in view `a`; classes are told by `b` in one and by `c` in the other.
fn data() -> (Views, Vec<String>) {
    let right = |i: usize| i.is_multiple_of(2);
    let code = |i: usize| (i / 2) % 2;
    let tells = move |at: bool| {
        Matrix::from_fn(N, 2, move |i, j| {
            let shift = if right(i) == at { 2.0 * code(i) as f64 - 1.0 } else { 0.0 };
            shift + 0.8 * noise(i, 2 + j + 5 * usize::from(at))
        })
    };
    let views = Views::new().dense("a", place(1.0)).unwrap();
    let views = views.dense("b", tells(true)).unwrap().dense("c", tells(false)).unwrap();
    (views, (0..N).map(|i| format!("c{}", code(i))).collect())
}

fn bank(views: &Views, specs: &[&str]) -> Bank {
    let specs: Vec<KernelSpec> = specs.iter().map(|s| s.parse().unwrap()).collect();
    Bank::build(views, &specs, Storage::Auto, &Run::default()).unwrap()
}

fn machine(text: &str) -> Box<dyn Machine> {
    text.parse::<MachineSpec>().unwrap().checked().unwrap().build().unwrap()
}

fn learn(problem: &Problem<'_>, id: &str, given: &[(&str, Value)]) -> Learned {
    let method = super::super::REGISTRY.iter().find(|m| m.id == id).unwrap();
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    (method.build)(&params).learn(problem, &Run::default()).unwrap()
}

fn text(id: &str) -> Value {
    Value::Text(id.to_string())
}

/// With the weights, the coefficients and the gates of the rule, by plain loops: the objective above, the bound below.
#[test]
fn the_gap_is_that_of_the_raw_kernels() {
    let (views, labels) = data();
    let bank = bank(&views, &["gaussian@b:gamma=0.5", "gaussian@c:gamma=0.5", "linear@b"]);
    let classes = Target::Classes(Classes::from_texts(&labels).unwrap());
    let numbers = Target::Real((0..N).map(|i| (i as f64 * 0.37).sin()).collect());
    let cases = [
        ("svc:c=3:tol=1e-10", classes.clone()),
        ("svr:c=2:epsilon=0.1:tol=1e-10", numbers),
        ("one_class_svm:nu=0.4:tol=1e-10", Target::Nothing(N)),
    ];
    for (spec, target) in cases {
        for (p, regions) in [(1.1, 2), (2.0, 3), (8.0, 2)] {
            let machine = machine(spec);
            let problem =
                Problem { views: Some(&views), ..Problem::new(&bank, &target, machine.as_ref()) };
            let given = [
                ("p", Value::Real(p)),
                ("regions", Value::Int(regions)),
                ("tol", Value::Real(1e-6)),
                ("gate_views", text("a")),
            ];
            let learned = learn(&problem, "convex_localized", &given);
            let report = &learned.report;
            assert!(report.status.is_success(), "{spec} {p}: {} {:?}", report.status, report.notes);
            let (machines, l) = (learned.machines.as_ref().unwrap(), regions as usize);
            let gates = learned.rule.gated().unwrap().gates(&views).unwrap();
            let beta = &report.details["region_weights"];
            for j in 0..l {
                let size: f64 = (0..3).map(|m| beta[m * l + j].powf(p)).sum();
                assert!((size - 1.0).abs() < 1e-9, "{size}");
            }
            let coef = &machines.heads().next().unwrap().coef;
            // q_jm with c_j = gate / √β.
            let form = |j: usize, m: usize| {
                let inside = |i: usize| gates.get(i, m * l + j) / beta[m * l + j].sqrt();
                let at = |i: usize, k: usize| {
                    coef[i] * inside(i) * bank.entry(m, i, k) * inside(k) * coef[k]
                };
                (0..N).map(|i| (0..N).map(|k| at(i, k)).sum::<f64>()).sum::<f64>()
            };
            let dual_norm = |j: usize| {
                let powers = (0..3).map(|m| form(j, m).max(0.0).powf(p / (p - 1.0)));
                powers.sum::<f64>().powf((p - 1.0) / p)
            };
            let lower = machines.linear() - 0.5 * (0..l).map(dual_norm).sum::<f64>();
            let gap = (machines.primal() - lower) / machines.primal().abs();
            let said = report.gap.unwrap();
            assert!((gap - said).abs() < 1e-7 && said <= 1e-6, "{spec} {p}: {gap} {said}");
        }
    }
}

#[test]
fn one_region_is_the_lp_norm_and_soft_ones_are_it_on_smaller_kernels() {
    let (views, labels) = data();
    let bank = bank(&views, &["gaussian@b:gamma=0.5", "gaussian@c:gamma=0.5"]);
    let target = Target::Classes(Classes::from_texts(&labels).unwrap());
    let machine = machine("svc:c=2:tol=1e-10");
    let problem = Problem { views: Some(&views), ..Problem::new(&bank, &target, machine.as_ref()) };
    let tol = ("tol", Value::Real(1e-8));
    let of = |l: i64, s: f64| {
        let given = [("regions", Value::Int(l)), ("sharpness", Value::Real(s)), tol.clone()];
        *learn(&problem, "convex_localized", &given).report.objective.last().unwrap()
    };
    let lp = |bank: &Bank| {
        let problem = Problem { bank, ..problem };
        *learn(&problem, "lp_norm", std::slice::from_ref(&tol)).report.objective.last().unwrap()
    };
    assert!((of(1, 2.0) / lp(&bank) - 1.0).abs() < 1e-7);
    let third = |m: usize| Matrix::from_fn(N, N, |i, j| bank.entry(m, i, j) / 3.0);
    let thirds = (0..2).map(|m| (format!("k{m}"), third(m))).collect();
    let thirds = Bank::from_matrices(thirds, Storage::Resident).unwrap();
    assert!((of(3, 0.0) / lp(&thirds) - 1.0).abs() < 1e-7);
}

/// Each place has the weight of the view that tells there, and features of any size are the same.
#[test]
fn regions_find_what_counts_in_them() {
    let (views, labels) = data();
    let bank = bank(&views, &["gaussian@b:gamma=0.5", "gaussian@c:gamma=0.5"]);
    let target = Target::Classes(Classes::from_texts(&labels).unwrap());
    let machine = machine("svc:c=1");
    let mut all = Vec::new();
    for factor in [1.0, 1e9] {
        let views = Views::new().dense("a", place(factor)).unwrap();
        let problem =
            Problem { views: Some(&views), ..Problem::new(&bank, &target, machine.as_ref()) };
        let given =
            [("regions", Value::Int(2)), ("p", Value::Real(1.1)), ("gate_views", text("a"))];
        let learned = learn(&problem, "convex_localized", &given);
        let beta = learned.report.details["region_weights"].clone();
        // Instance 0 is right, so that its cluster is the first.
        assert!(beta[0] > 0.9 && beta[2] < 0.3 && beta[3] > 0.9 && beta[1] < 0.3, "{beta:?}");
        all.push(beta);
    }
    all[0].iter().zip(&all[1]).for_each(|(a, b)| assert!((a - b).abs() < 1e-6));
}

/// The products keep to the memory and the time of the run, or say what they would take.
#[test]
fn limits_are_kept() {
    let (views, labels) = data();
    let bank = bank(&views, &["gaussian@b:gamma=0.5", "linear@c"]);
    let classes = Target::Classes(Classes::from_texts(&labels).unwrap());
    let svc = machine("svc");
    let problem = Problem { views: Some(&views), ..Problem::new(&bank, &classes, svc.as_ref()) };
    let params = METHOD.check([("regions", &Value::Int(4))]).unwrap();
    let learn = |run: &Run| ConvexLocalized::new(&params).learn(&problem, run);
    // One tile of 64 × 64 numbers for each.
    let needed = 8 * 2 * 4 * 64 * 64;
    let said = learn(&Run { memory: needed - 1, ..Run::default() }).unwrap_err().to_string();
    assert!(said.contains("2 kernels of 60 instances in 4 regions need 0.3 MB, more"), "{said}");
    assert!(learn(&Run { memory: needed, ..Run::default() }).is_ok());
    let late = Run { time_limit: Some(std::time::Duration::ZERO), ..Run::default() };
    // So few values are done before anybody looks at the clock.
    match learn(&late) {
        Ok(learned) => assert_eq!(learned.report.status, crate::Status::TimeLimit),
        Err(e) => assert!(e.to_string().contains("time limit"), "{e}"),
    }
}
