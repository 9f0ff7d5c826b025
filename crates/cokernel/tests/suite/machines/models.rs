//! Models of every machine: predictions, files, tubes, fractions, refusals.

use super::{labels, points};
use crate::common::{gaussian, rules};
use cokernel::Run;
use cokernel::bank::Gram;
use cokernel::catalogue::{machines, methods, together};
use cokernel::data::{Labels, Matrix, Target, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::{How, MachineSpec};
use cokernel::method::Task;
use cokernel::model::{Mkl, Model, Prepared};
use rand::RngExt;

/// Predictions for the instances of training are their decision values, after a file, too: centred
/// kernels once lost the means of rows where coefficients do not sum to 0.
#[test]
fn models_of_every_machine() {
    let (x, y) = points(40, 3);
    let views = Views::new().dense("a", x.clone()).unwrap();
    let views = views.dense("b", Matrix::from_fn(40, 1, |i, _| x.get(i, 2))).unwrap();
    let run = Run::default();
    // Kernels, and what a method learned without the machine, serve all machines of a task.
    let mut shared: Vec<Prepared> = Vec::new();
    for m in machines() {
        let labels = labels(m.tasks[0], &y);
        // Kernels of projected views are those of other features, and not normalised (suite/projections.rs).
        let projected = |id: &str| ["gpk", "lpk"].contains(&id);
        for method in methods().filter(|method| together(method, m) && !projected(method.id)) {
            let specs = ["gaussian:normalize=center", "gaussian:normalize=center,unit_diagonal"];
            let specs = specs.map(|s| s.parse::<KernelSpec>().unwrap());
            let mut machine = MachineSpec::new(m.id).unwrap();
            if m.id == "one_class_svm" {
                // Nothing separates instances from their own mean; all steps would be taken.
                machine.set("max_steps", 10_000);
            }
            let mut mkl = Mkl::new(method.id).unwrap().machine(machine).kernels(specs);
            if method.id == "gmkl" {
                // Products are those of Gaussian kernels as they are.
                mkl = mkl.param("form", "sum");
            }
            let what = format!("{} with {}", method.id, m.id);
            let mut fitted = |mkl: &Mkl| {
                let place = shared.iter().position(|p| mkl.shares(p).unwrap());
                let place = place.unwrap_or_else(|| {
                    shared.push(mkl.prepare(&views, &labels, &run).unwrap());
                    shared.len() - 1
                });
                mkl.fit_prepared_from(&shared[place], None, &run).map(|found| (place, found))
            };
            let (place, (model, learned)) = fitted(&mkl).unwrap_or_else(|e| {
                // Centred values are negative.
                assert!(e.to_string().contains("a negative number has no power"), "{what}: {e}");
                let specs = ["gaussian@a", "gaussian@b"].map(|s| s.parse::<KernelSpec>().unwrap());
                mkl = mkl.clone().kernels(specs);
                fitted(&mkl).unwrap()
            });
            let prepared = &shared[place];
            assert_eq!(model.task(), m.tasks[0], "{what}");
            let back = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
            let found = back.predict(&views).unwrap();
            assert_eq!(found, model.predict(&views).unwrap(), "{what}");
            let bank = prepared.bank();
            let entry = |m| Matrix::from_fn(40, 40, |i, j| bank.entry(m, i, j));
            let kernels: Vec<Matrix> = (0..bank.len()).map(entry).collect();
            let own = match m.id {
                "svdd" => rules::combined_with(&*learned.rule, &kernels, &views),
                _ => Matrix::zeros(40, 40),
            };
            let decisions = rules::decisions_with(&learned, &kernels, &views);
            for (t, values) in decisions.into_iter().enumerate() {
                for (i, value) in values.into_iter().enumerate() {
                    let value = value - 0.5 * own.get(i, i);
                    let predicted = found.decisions.get(i, t);
                    let size = 1.0 + value.abs();
                    assert!(
                        (predicted - value).abs() <= 1e-8 * size,
                        "{what}: {predicted} {value}"
                    );
                }
            }
            match m.tasks[0] {
                Task::Regress => assert_eq!(found.labels[3], found.decisions.get(3, 0).to_string()),
                Task::Detect => {
                    let inside = |i: usize| found.decisions.get(i, 0) >= 0.0;
                    assert!((0..40).all(|i| (found.labels[i] == "inlier") == inside(i)), "{what}");
                }
                _ => assert!(found.labels.iter().all(|l| model.classes().contains(l)), "{what}"),
            }
        }
    }
}

/// A first round that left instances out once wrote past what it knew: a panic on ordinary data.
#[test]
fn wide_tubes() {
    let mut rng = Run::with_seed(6).rng("wide tubes");
    let mut solved = 0;
    for n in 3..40 {
        let x = Matrix::from_fn(n, 1, |_, _| 4.0 * rng.random::<f64>());
        let y: Vec<f64> = (0..n).map(|i| (2.0 * x.get(i, 0)).sin()).collect();
        let gram = Gram::new(gaussian(&x, 1.0)).unwrap();
        for epsilon in [0.3, 0.5, 1.0] {
            for c in [0.1, 10.0] {
                let mut spec = MachineSpec::new("svr").unwrap();
                spec.set("epsilon", epsilon);
                spec.set("c", c);
                spec.set("tol", 1e-8);
                let machine = spec.checked().unwrap().build().unwrap();
                let target = Target::Real(y.clone());
                let found = machine.solve(&gram, &target, &How::new(&Run::default())).unwrap();
                let head = found.heads().next().unwrap();
                let (mut primal, mut dual) = (0.0, 0.0);
                for i in 0..n {
                    let row = gram.row(i).iter().zip(&head.coef);
                    let f: f64 = row.map(|(k, c)| k * c).sum();
                    let b = head.coef[i];
                    primal += 0.5 * b * f + c * ((y[i] - f - head.bias).abs() - epsilon).max(0.0);
                    dual += y[i] * b - epsilon * b.abs() - 0.5 * b * f;
                }
                assert!(
                    primal - dual <= 2e-8 * primal + 1e-14,
                    "{n} {epsilon} {c}: {primal} {dual}"
                );
                solved += usize::from(head.coef.iter().filter(|c| **c != 0.0).count() < n);
            }
        }
    }
    assert!(solved > 100);
}

/// At most a fraction ν is outside, and at least that fraction are support vectors.
#[test]
fn nu_is_a_fraction() {
    let (x, _) = points(100, 4);
    let gram = Gram::new(gaussian(&x, 1.0)).unwrap();
    for nu in [0.003, 0.01, 0.1, 0.35, 0.8, 1.0] {
        let mut spec = MachineSpec::new("one_class_svm").unwrap();
        spec.set("nu", nu);
        spec.set("tol", 1e-9);
        let machine = spec.checked().unwrap().build().unwrap();
        let run = Run::default();
        let found = machine.solve(&gram, &Target::Nothing(100), &How::new(&run)).unwrap();
        let head = found.heads().next().unwrap();
        let sum: f64 = head.coef.iter().sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        let value = |i: usize| {
            gram.row(i).iter().zip(&head.coef).map(|(k, c)| k * c).sum::<f64>() + head.bias
        };
        let outside = (0..100).filter(|&i| value(i) < -1e-6).count();
        assert!(outside as f64 <= nu * 100.0 + 1e-9, "{outside} outside, nu = {nu}");
        assert!(
            head.coef.iter().filter(|c| **c != 0.0).count() as f64 >= nu * 100.0 - 1e-9,
            "nu = {nu}"
        );
    }
}

#[test]
fn wrong_pairs_and_targets_are_refused() {
    let (x, y) = points(20, 5);
    let views = Views::new().dense("a", x.clone()).unwrap();
    let run = Run::default();
    let real = labels(Task::Regress, &y);
    let svr = MachineSpec::new("svr").unwrap();
    let e = Mkl::new("two_stage").unwrap().machine(svr.clone()).fit(&views, &real, &run);
    let e = e.unwrap_err().to_string();
    assert!(e.contains("method 'two_stage' does not go with machine 'svr' (regress)"), "{e}");
    assert!(e.contains("the method goes with svc, squared_hinge_svc"), "{e}");
    let e = Mkl::new("mean").unwrap().fit(&views, &real, &run).unwrap_err().to_string();
    assert!(e.contains("expected classes, found real targets"), "{e}");
    let classes = labels(Task::Classify, &y);
    let mkl = Mkl::new("mean").unwrap().machine(svr);
    let e = mkl.fit(&views, &classes, &run).unwrap_err().to_string();
    assert!(e.contains("expected real numbers, found classes"), "{e}");
    let infinite = Labels::Real(y.iter().map(|_| Some(f64::INFINITY)).collect());
    let e = mkl.fit(&views, &infinite, &run).unwrap_err().to_string();
    assert!(e.contains("the target of row 0 is inf"), "{e}");
    let e = "svr:epsilon=-1".parse::<MachineSpec>().unwrap_err().to_string();
    assert!(e.contains("parameter 'epsilon': expected a finite number at least 0"), "{e}");
    let e = "swr".parse::<MachineSpec>().unwrap_err().to_string();
    assert!(e.contains("unknown machine 'swr'") && e.contains("svr"), "{e}");
    let e = "svr:epsilon".parse::<MachineSpec>().unwrap_err().to_string();
    assert!(e.contains("expected name=value after ':'"), "{e}");
    let e = "svr:epsilon=0.1,c=2".parse::<MachineSpec>().unwrap_err().to_string();
    assert!(e.contains("write ':c=' in place of ',c='"), "{e}");
    let small = "one_class_svm:c=0.01".parse::<MachineSpec>().unwrap();
    let mkl = Mkl::new("mean").unwrap().machine(small);
    let e = mkl.fit(&views, &Labels::Absent(20), &run).unwrap_err().to_string();
    assert!(e.contains("parameter 'c': expected at least 1/20"), "{e}");
    // A class is not a number; the class weights of the text are read.
    let spec: MachineSpec = "svc:class_weight=low=2,high=0.5".parse().unwrap();
    let weights = spec.checked().unwrap();
    assert_eq!(weights.params().factors("class_weight").unwrap()["high"], 0.5);
    let e = "svc:class_weight=low=0".parse::<MachineSpec>().unwrap_err().to_string();
    assert!(e.contains("class_weight") && e.contains("'low'"), "{e}");
}
