//! What every machine of the registry promises to the methods that drive it.

mod cones;
mod detectors;
mod discriminants;
mod models;
mod posteriors;

use crate::common::gaussian;
use cokernel::Run;
use cokernel::bank::Gram;
use cokernel::catalogue::{machines, together};
use cokernel::data::{Labels, Matrix, Target};
use cokernel::machine::{How, Machine, MachineSpec, Solution};
use cokernel::method::{Method, Task};
use cokernel::params::Value;
use rand::RngExt;

/// Points in the plane with a real target and classes that follow from it.
fn points(n: usize, seed: u64) -> (Matrix, Vec<f64>) {
    let mut rng = Run::with_seed(seed).rng("points of machines");
    let x = Matrix::from_fn(n, 3, |_, _| 2.0 * rng.random::<f64>() - 1.0);
    let y = (0..n)
        .map(|i| (3.0 * x.get(i, 0)).sin() + x.get(i, 1) + 0.2 * rng.random::<f64>())
        .collect();
    (x, y)
}

fn kernels(x: &Matrix) -> Vec<Matrix> {
    [0.3, 1.0, 5.0].map(|gamma| gaussian(x, gamma)).into()
}

fn labels(task: Task, y: &[f64]) -> Labels {
    match task {
        Task::Regress => Labels::Real(y.iter().map(|v| Some(*v)).collect()),
        Task::Detect => Labels::Absent(y.len()),
        _ => {
            let class =
                |v: &f64| ["low", "middle", "high"][usize::from(*v > -0.4) + usize::from(*v > 0.6)];
            Labels::from_texts(&y.iter().map(class).collect::<Vec<_>>())
        }
    }
}

fn target(task: Task, y: &[f64]) -> Target {
    Target::of(&labels(task, y), task).unwrap()
}

/// A machine with what makes its problem neither trivial nor hard.
fn built(method: &Method, given: &[(&str, Value)]) -> Box<dyn Machine> {
    let mut spec = MachineSpec::new(method.id).unwrap();
    if method.param("tol").is_some() {
        spec.set("tol", 1e-9);
    }
    given.iter().for_each(|(name, value)| spec.set(*name, value.clone()));
    spec.checked().unwrap().build().unwrap()
}

fn form(k: &Matrix, c: &[f64]) -> f64 {
    (0..c.len()).map(|i| c[i] * k.row(i).iter().zip(c).map(|(k, c)| k * c).sum::<f64>()).sum()
}

fn forms(k: &Matrix, found: &Solution) -> f64 {
    found.heads().map(|h| form(k, &h.coef)).sum()
}

#[test]
fn parts_fit_together() {
    let (x, y) = points(45, 1);
    let k = gaussian(&x, 1.0);
    let gram = Gram::new(k.clone()).unwrap();
    let run = Run::default();
    for m in machines() {
        let machine = built(m, &[]);
        let target = target(m.tasks[0], &y);
        let found = machine.solve(&gram, &target, &How::new(&run)).unwrap();
        assert!(found.status().is_success() && found.counts.machine_solves > 0, "{}", m.id);
        for block in &found.blocks {
            let q: f64 = block.heads.iter().map(|h| form(&k, &h.coef)).sum();
            let size = block.primal.abs();
            let said = block.linear - 0.5 * q;
            assert!((block.objective - said).abs() <= 1e-12 * (size + q), "{}: ℓ(c)", m.id);
            assert!(block.objective <= block.primal + 1e-12 * size, "{}", m.id);
            assert!(
                block.gap <= 1e-9 && block.primal - block.objective <= 1.1e-9 * size,
                "{}",
                m.id
            );
            let Some(free) = &block.free else { continue };
            assert!(!free.rows.is_empty(), "{}: nothing is free", m.id);
            let only = vec![(0, 0); free.rows.len()];
            let between = if block.heads.len() == 1 { &only } else { &free.between };
            assert_eq!(between.len(), free.rows.len(), "{}", m.id);
            for (i, (up, down)) in free.rows.iter().zip(between) {
                let coef = |head: &u32| block.heads[*head as usize].coef[*i as usize];
                assert!(coef(up) != 0.0 && coef(down) != 0.0, "{}", m.id);
            }
        }
        // From its own solution nothing is left to do.
        let how = How { warm: Some(&found), ..How::new(&run) };
        let again = machine.solve(&gram, &target, &how).unwrap();
        assert!(again.counts.smo_steps <= 2 + found.counts.smo_steps / 4, "{}", m.id);
        assert!((again.primal() - found.primal()).abs() <= 1e-8 * found.primal().abs(), "{}", m.id);
    }
}

#[test]
fn instances_without_weight_take_no_part() {
    let (x, y) = points(45, 2);
    let kept: Vec<usize> = (0..45).filter(|i| i % 4 != 1).collect();
    let run = Run::default();
    for m in machines() {
        let machine = built(m, &[]);
        let task = m.tasks[0];
        let weights: Vec<f64> = (0..45).map(|i| if i % 4 == 1 { 0.0 } else { 1.0 }).collect();
        let whole = Gram::new(gaussian(&x, 1.0)).unwrap();
        let how = How { weights: Some(&weights), ..How::new(&run) };
        let found = machine.solve(&whole, &target(task, &y), &how).unwrap();
        let few: Vec<f64> = kept.iter().map(|i| y[*i]).collect();
        let part = Gram::new(gaussian(&x.select_rows(&kept), 1.0)).unwrap();
        let alone = machine.solve(&part, &target(task, &few), &How::new(&run)).unwrap();
        for (a, b) in found.heads().zip(alone.heads()) {
            assert!(a.coef.iter().enumerate().all(|(i, c)| i % 4 != 1 || *c == 0.0), "{}", m.id);
            let size: f64 = b.coef.iter().map(|c| c.abs()).sum();
            for (j, i) in kept.iter().enumerate() {
                assert!((a.coef[*i] - b.coef[j]).abs() <= 1e-3 * size, "{}", m.id);
            }
            assert!((a.bias - b.bias).abs() <= 1e-4 * (1.0 + b.bias.abs()), "{}", m.id);
        }
        assert!((found.primal() - alone.primal()).abs() <= 1e-8 * alone.primal().abs(), "{}", m.id);
    }
}

/// Methods hand machines coefficients that prove something, and want them back. Old code: ν-SVR solved several widths of its
/// tube again.
#[test]
fn a_start_that_is_good_enough_is_the_answer() {
    let (x, y) = points(45, 3);
    let gram = Gram::new(gaussian(&x, 1.0)).unwrap();
    let run = Run::default();
    let method = cokernel::catalogue::find("simple_mkl").unwrap();
    let driven = |m: &&Method| m.param("tol").is_some() && together(method, m);
    for m in machines().filter(driven) {
        let machine = built(m, &[("tol", Value::Real(1e-6))]);
        let target = target(m.tasks[0], &y);
        let first = machine.solve(&gram, &target, &How::new(&run)).unwrap();
        assert!(first.counts.smo_steps > 0, "{}", m.id);
        let how = How { warm: Some(&first), tol: Some(1e-3), ..How::new(&run) };
        let again = machine.solve(&gram, &target, &how).unwrap();
        assert_eq!(again.counts.smo_steps, 0, "{}", m.id);
        for (a, b) in first.heads().zip(again.heads()) {
            let size = a.coef.iter().fold(0.0_f64, |s, c| s.max(c.abs()));
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * size;
            assert!(a.coef.iter().zip(&b.coef).all(near), "{}", m.id);
        }
    }
}
