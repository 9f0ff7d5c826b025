//! Machines that learn from posteriors: hard ones, those of the nearest, given ones.

use super::{built, forms, labels, points, target};
use crate::common::gaussian;
use cokernel::Run;
use cokernel::bank::Gram;
use cokernel::catalogue::machines;
use cokernel::data::{Labels, Matrix, Posteriors, Target, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::{How, Machine, MachineSpec};
use cokernel::method::Task;
use cokernel::model::Mkl;
use cokernel::params::Value;

fn posterior_svm(given: &[(&str, Value)]) -> Box<dyn Machine> {
    built(machines().find(|m| m.id == "posterior_svm").unwrap(), given)
}

/// With one neighbour, and with posteriors 0 and 1, it is C-SVC; with several classes the single machine.
#[test]
fn hard_posteriors_are_classes() {
    let (x, y) = points(40, 21);
    let gram = Gram::new(gaussian(&x, 1.0)).unwrap();
    let run = Run::default();
    let cost = [("c", Value::Real(2.0))];
    let nearest = posterior_svm(&[("c", Value::Real(2.0)), ("neighbours", Value::Int(1))]);
    let two: Vec<_> = y.iter().map(|v| if *v > 0.0 { "yes" } else { "no" }).collect();
    for (id, labels) in
        [("svc", Labels::from_texts(&two)), ("joint_svc", labels(Task::Classify, &y))]
    {
        let classes = labels.classes().unwrap();
        let (codes, k) = (classes.codes.clone(), classes.n_classes());
        let hard = (0..40 * k).map(|p| f64::from(u8::from(codes[p / k] as usize == p % k)));
        let given = Posteriors::new(classes.clone(), hard.collect()).unwrap();
        let target = Target::Classes(classes);
        let machine = built(machines().find(|m| m.id == id).unwrap(), &cost);
        let expected = machine.solve(&gram, &target, &How::new(&run)).unwrap();
        for target in [target, Target::Posteriors(given)] {
            let found = nearest.solve(&gram, &target, &How::new(&run)).unwrap();
            assert!((found.primal() - expected.primal()).abs() <= 1e-8 * expected.primal(), "{id}");
            assert_eq!(found.heads().count(), expected.heads().count());
        }
    }
}

/// Posteriors by plain counting, the machine of several classes with them from the raw matrix.
#[test]
fn posteriors_are_shares_of_the_nearest() {
    let (x, y) = points(40, 22);
    let kernel = gaussian(&x, 1.0);
    let gram = Gram::new(kernel.clone()).unwrap();
    let run = Run::default();
    let machine = posterior_svm(&[
        ("c", Value::Real(2.0)),
        ("neighbours", Value::Int(7)),
        ("tol", Value::Real(1e-6)),
    ]);
    let target = target(Task::Classify, &y);
    let classes = target.classes().unwrap().clone();
    let settled = machine.settle(&gram, &target, &How::new(&run)).unwrap().unwrap();
    let Target::Posteriors(estimated) = &settled else { panic!() };
    for i in 0..40 {
        let mut order: Vec<usize> = (0..40).collect();
        order.sort_by(|a, b| kernel.get(i, *b).total_cmp(&kernel.get(i, *a)));
        for class in 0..3 {
            let count = order[..7].iter().filter(|j| classes.codes[**j] == class).count();
            let found = estimated.values()[3 * i + class as usize];
            assert!((found - count as f64 / 7.0).abs() < 1e-12);
        }
    }
    let found = machine.solve(&gram, &target, &How::new(&run)).unwrap();
    assert_eq!(found, machine.solve(&gram, &settled, &How::new(&run)).unwrap());
    let values: Vec<Vec<f64>> = found
        .heads()
        .map(|h| {
            let value =
                |i: usize| kernel.row(i).iter().zip(&h.coef).map(|(k, c)| k * c).sum::<f64>();
            (0..40).map(|i| value(i) + h.bias).collect()
        })
        .collect();
    let (mut loss, mut gain, mut negative) = (0.0, 0.0, 0);
    for i in 0..40 {
        let own = classes.codes[i] as usize;
        for l in (0..3).filter(|l| *l != own) {
            let p = &estimated.values()[3 * i..3 * i + 3];
            let margin = 2.0 * (p[own] - p[l]);
            negative += usize::from(margin < 0.0);
            loss += 2.0 * (margin - values[own][i] + values[l][i]).max(0.0);
            gain -= margin * found.heads().nth(l).unwrap().coef[i];
        }
    }
    assert!(negative > 0);
    let norm = forms(&kernel, &found);
    let (primal, dual) = (0.5 * norm + loss, gain - 0.5 * norm);
    assert!((primal - found.primal()).abs() <= 1e-9 * primal, "{primal} {}", found.primal());
    assert!(found.status().is_success() && primal - dual <= 1.1e-6 * primal, "{primal} {dual}");
    // Whole weights are copies, and the order of equal instances does not matter.
    let mut weights = vec![1.0; 40];
    weights[3] = 2.0;
    weights[5] = 0.0;
    let how = How { weights: Some(&weights), ..How::new(&run) };
    let weighted = machine.solve(&gram, &target, &how).unwrap();
    let rows: Vec<usize> = (0..40).filter(|i| *i != 5).chain([3]).rev().collect();
    let copies = Gram::new(gaussian(&x.select_rows(&rows), 1.0)).unwrap();
    let texts: Vec<_> =
        rows.iter().map(|i| classes.names[classes.codes[*i] as usize].clone()).collect();
    let target = Target::Classes(Labels::from_texts(&texts).classes().unwrap());
    let copied = machine.solve(&copies, &target, &How::new(&run)).unwrap();
    assert!((weighted.primal() - copied.primal()).abs() <= 2e-6 * copied.primal());
}

#[test]
fn posteriors_that_say_nothing() {
    let (x, y) = points(20, 23);
    let gram = Gram::new(gaussian(&x, 1.0)).unwrap();
    let run = Run::default();
    let two: Vec<_> = y.iter().map(|v| if *v > 0.0 { "yes" } else { "no" }).collect();
    let classes = Labels::from_texts(&two).classes().unwrap();
    let solve = |p: Vec<f64>| {
        let target = Target::Posteriors(Posteriors::new(classes.clone(), p)?);
        posterior_svm(&[]).solve(&gram, &target, &How::new(&run))
    };
    let e = solve(vec![0.5; 40]).unwrap_err().to_string();
    assert!(e.contains("every instance is as probable in one class as in the other"), "{e}");
    // What says nothing takes no part; more neighbours than instances make one answer for all.
    let some = (0..20).flat_map(|i| {
        if i % 2 == 0 { [0.5, 0.5] } else { [y[i].clamp(0.0, 1.0), 1.0 - y[i].clamp(0.0, 1.0)] }
    });
    let found = solve(some.collect()).unwrap();
    assert!((0..20).step_by(2).all(|i| found.heads().next().unwrap().coef[i] == 0.0));
    let all = posterior_svm(&[("neighbours", Value::Int(i64::MAX))]);
    let found = all.solve(&gram, &Target::Classes(classes.clone()), &How::new(&run)).unwrap();
    assert!(found.status().is_success() && found.heads().all(|h| h.coef.iter().all(|c| *c == 0.0)));
    for (p, said) in [
        (vec![0.5; 39], "posteriors: expected 20 × 2, a probability for each instance and class"),
        (vec![0.6; 40], "the numbers of row 0 sum to 1.2; expected 1"),
        (vec![f64::NAN; 40], "row 0 has NaN; expected numbers between 0 and 1"),
        ([2.0, -1.0].repeat(20), "row 0 has 2; expected numbers between 0 and 1"),
    ] {
        let e = solve(p).unwrap_err().to_string();
        assert!(e.contains(said), "{e}");
    }
}

/// Posteriors that are given belong to the instances that were given, those without a label included.
#[test]
fn given_posteriors_are_learned_from() {
    let (x, y) = points(30, 24);
    let views = Views::new().dense("a", x.clone()).unwrap();
    let text = |i: usize| match i {
        4 => "?",
        _ if y[i] > 0.0 => "yes",
        _ => "no",
    };
    let labels = Labels::from_texts(&(0..30).map(text).collect::<Vec<_>>());
    let given = Matrix::from_fn(30, 2, |i, j| {
        let p = 0.5 + 0.45 * (3.0 * y[i]).sin();
        if j == 1 { p } else { 1.0 - p }
    });
    let run = Run::default();
    for method in ["mean", "simple_mkl", "best_single"] {
        let spec: MachineSpec = "posterior_svm:tol=1e-8:c=3".parse().unwrap();
        let mkl = Mkl::new(method).unwrap().machine(spec);
        let mkl = mkl.kernels(["gaussian:gamma=1".parse::<KernelSpec>().unwrap()]);
        let prepared = mkl.prepare(&views, &labels, &run).unwrap();
        let prepared = prepared.with_posteriors(&given).unwrap();
        let (model, learned) = mkl.fit_prepared_from(&prepared, None, &run).unwrap();
        let machine = posterior_svm(&[("c", Value::Real(3.0)), ("tol", Value::Real(1e-8))]);
        let rows: Vec<usize> = (0..30).filter(|i| *i != 4).collect();
        let gram = Gram::new(gaussian(&x.select_rows(&rows), 1.0)).unwrap();
        let kept = given.select_rows(&rows);
        let classes = labels.select(&rows).classes().unwrap();
        let target = Posteriors::new(classes, kept.values().to_vec()).unwrap();
        let target = Target::Posteriors(target);
        let alone = machine.solve(&gram, &target, &How::new(&run)).unwrap();
        let found = learned.machines.unwrap().primal();
        assert!((found - alone.primal()).abs() <= 1e-7 * found, "{method}: {found}");
        assert_eq!(model.predict(&views).unwrap().labels.len(), 30);
    }
    let mkl = Mkl::new("mean").unwrap();
    let prepared = mkl.prepare(&views, &labels, &run).unwrap();
    let e = prepared.with_posteriors(&Matrix::zeros(30, 3)).unwrap_err().to_string();
    assert!(e.contains("posteriors: expected 30 × 2") && e.contains("found 30 × 3"), "{e}");
    let prepared = mkl.prepare(&views, &labels, &run).unwrap().with_posteriors(&given).unwrap();
    let e = mkl.fit_prepared(&prepared, &run).unwrap_err().to_string();
    assert!(e.contains("learns from classes, not from their posteriors"), "{e}");
}
