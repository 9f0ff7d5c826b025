//! What MKL methods refuse, and what they say instead of failing.

use crate::common::{bank, classes, problem, weights};
use cokernel::bank::Storage;
use cokernel::catalogue::find;
use cokernel::data::{Classes, Matrix, Target};
use cokernel::machine::Svc;
use cokernel::mkl::{Learned, Problem, train};
use cokernel::params::Value;
use cokernel::{Run, Status};
use std::time::Duration;

fn learn(
    id: &str,
    given: &[(&str, Value)],
    kernels: &[Matrix],
    classes: &Classes,
    machine: &Svc,
    run: &Run,
) -> cokernel::Result<Learned> {
    let method = find(id)?;
    let params = method.check(given.iter().map(|(n, v)| (*n, v)))?;
    let bank = bank(kernels, Storage::Resident);
    let target = Target::from(classes.clone());
    let problem = Problem::new(&bank, &target, machine);
    train(&problem, cokernel::mkl::learner(method, &params)?.as_ref(), run)
}

fn refusal(id: &str, given: &[(&str, Value)], codes: &[u32], machine: &Svc) -> String {
    let (kernels, _) = problem(codes.len(), 2, 3, 1);
    learn(id, given, &kernels, &classes(codes), machine, &Run::default()).unwrap_err().to_string()
}

#[test]
fn parameters() {
    let codes = [0, 1, 0, 1, 0, 1];
    let svc = Svc::default();
    let say = |id: &str, name: &str, value: Value| refusal(id, &[(name, value)], &codes, &svc);
    assert_eq!(
        say("simple_mkl", "tol", Value::Real(0.0)),
        "parameter 'tol': expected a real number greater than 0 and at most 0.5, found '0'"
    );
    assert!(say("simple_mkl", "tol", Value::Real(f64::NAN)).contains("found 'NaN'"));
    assert!(
        say("simple_mkl", "direction", Value::Text("newtom".into()))
            .contains("unknown value 'direction=newtom'")
    );
    assert_eq!(
        say("two_stage", "batch", Value::Int(1)),
        "parameter 'batch': expected whole number from 2 to 1000000, found '1'"
    );
    assert!(say("best_single", "fold", Value::Int(3)).contains("did you mean 'folds'?"));
    assert!(find("simplemkl").unwrap_err().to_string().contains("did you mean 'simple_mkl'?"));
}

#[test]
fn machines_are_checked() {
    for id in ["simple_mkl", "best_single", "mean", "two_stage"] {
        let svc = Svc { c: -1.0, ..Svc::default() };
        let e = refusal(id, &[], &[0, 1, 0, 1, 0, 1], &svc);
        assert!(e.starts_with("parameter 'c'"), "{id}: {e}");
        let svc = Svc { class_weights: vec![("7".into(), 2.0)], ..Svc::default() };
        let e = refusal(id, &[], &[0, 1, 0, 1, 0, 1], &svc);
        assert!(e.contains("unknown class '7'"), "{id}: {e}");
    }
}

#[test]
fn pairs_of_one_class_are_needed_without_the_diagonal() {
    let exclude = [("diagonal", Value::Text("exclude".into()))];
    let e = refusal("two_stage", &exclude, &[0, 1, 2, 3], &Svc::default());
    assert!(e.contains("every class has a single instance"), "{e}");
    let (kernels, _) = problem(4, 2, 3, 1);
    let all = classes(&[0, 1, 2, 3]);
    let learned = learn("two_stage", &[], &kernels, &all, &Svc::default(), &Run::default());
    assert!(learned.unwrap().report.status.is_success());
}

#[test]
fn useless_kernels_fall_back_to_the_mean() {
    // No similarity at all, not even to itself.
    let zero = vec![Matrix::zeros(8, 8), Matrix::zeros(8, 8)];
    let classes = classes(&[0, 1, 0, 1, 0, 1, 0, 1]);
    let steps = [("steps", Value::Int(50))];
    let learned =
        learn("two_stage", &steps, &zero, &classes, &Svc::default(), &Run::default()).unwrap();
    assert_eq!(weights(&learned), [0.5, 0.5]);
    assert!(learned.report.notes.iter().any(|n| n.contains("every weight became 0")));
    for id in ["simple_mkl", "best_single", "mean", "sum", "product"] {
        let learned = learn(id, &[], &zero, &classes, &Svc::default(), &Run::default()).unwrap();
        assert!(learned.machines.unwrap().primal().is_finite(), "{id}");
    }
}

#[test]
fn a_lonely_class_leaves_no_cross_validation() {
    let (kernels, _) = problem(7, 2, 3, 1);
    let classes = classes(&[0, 0, 0, 1, 1, 1, 2]);
    let learned =
        learn("best_single", &[], &kernels, &classes, &Svc::default(), &Run::default()).unwrap();
    assert!(learned.report.notes[0].contains("a class has a single instance"));
}

#[test]
fn limits_are_a_status_and_a_note() {
    let (kernels, codes) = problem(60, 2, 6, 1);
    let classes = classes(&codes);
    let svc = Svc::default();
    let once = [("max_iterations", Value::Int(1)), ("tol", Value::Real(1e-9))];
    let learned = learn("simple_mkl", &once, &kernels, &classes, &svc, &Run::default()).unwrap();
    assert_eq!(learned.report.status, Status::IterationLimit);
    assert!(learned.report.notes[0].contains("iteration limit"), "{:?}", learned.report.notes);
    assert!(learned.report.gap.unwrap() > 1e-9);
    let run = Run { time_limit: Some(Duration::ZERO), ..Run::default() };
    for id in ["simple_mkl", "best_single", "two_stage", "mean"] {
        let learned = learn(id, &[], &kernels, &classes, &svc, &run).unwrap();
        assert_eq!(learned.report.status, Status::TimeLimit, "{id}");
        assert!(!learned.report.notes.is_empty(), "{id}");
    }
}

/// A kernel that is not positive semi-definite breaks the bounds, not the program.
#[test]
fn indefinite_kernels_end() {
    let (mut kernels, codes) = problem(40, 2, 3, 1);
    kernels.push(Matrix::from_fn(40, 40, |i, j| ((i * j) as f64).sin()));
    for direction in ["newton", "gradient"] {
        let given =
            [("direction", Value::Text(direction.into())), ("max_iterations", Value::Int(50))];
        let svc = Svc { max_steps: 100_000, ..Svc::default() };
        let classes = classes(&codes);
        let learned = learn("simple_mkl", &given, &kernels, &classes, &svc, &Run::default());
        assert!(weights(&learned.unwrap()).iter().all(|w| w.is_finite()));
    }
}

/// Names that no kernel and no view has, and kernels without a trace.
#[test]
fn prices_and_groups_of_unknown_kernels() {
    let (mut kernels, codes) = problem(40, 2, 3, 1);
    let classes = classes(&codes);
    let unknown = || Value::Factors([("nothing".to_string(), 2.0)].into());
    for (id, parameter) in [("bach", "d"), ("mixed_norm", "groups")] {
        let given = [(parameter, unknown())];
        let e = learn(id, &given, &kernels, &classes, &Svc::default(), &Run::default());
        let e = e.unwrap_err().to_string();
        assert!(e.contains(&format!("kernel, view or function in {parameter} 'nothing'")), "{e}");
        let e = find(id).unwrap().check([(parameter, &Value::Real(3.0))]).unwrap_err().to_string();
        assert!(e.contains(parameter) && e.contains("by name"), "{e}");
    }
    kernels[1] = Matrix::zeros(40, 40);
    let given = [("d", Value::from("trace"))];
    let e = learn("bach", &given, &kernels, &classes, &Svc::default(), &Run::default());
    let e = e.unwrap_err().to_string();
    assert!(e.contains("kernel 'k1' has trace 0e0, expected above 0 for d = trace"), "{e}");
}
