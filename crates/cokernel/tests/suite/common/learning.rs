//! Kernels of classes, some of them useful, and SimpleMKL on them.

use super::gaussian;
use cokernel::Run;
use cokernel::bank::{Bank, Storage};
use cokernel::catalogue::find;
use cokernel::data::{Classes, Matrix, Target};
use cokernel::machine::Svc;
use cokernel::method::{Entry, Task};
use cokernel::mkl::{Learned, Learner, Problem, train};
use cokernel::params::Value;
use rand::RngExt;

/// n instances in `classes` classes; M Gaussian kernels on as many views, the first ones useful,
/// plus 0.01 on the diagonal, so that all matrices are well conditioned.
pub fn problem(n: usize, classes: usize, kernels: usize, seed: u64) -> (Vec<Matrix>, Vec<u32>) {
    let mut rng = Run::with_seed(seed).rng("mkl tests");
    let mut noise = || (0..4).map(|_| rng.random::<f64>()).sum::<f64>() - 2.0;
    let codes: Vec<u32> = (0..n).map(|i| (i % classes) as u32).collect();
    let matrices = (0..kernels)
        .map(|m| {
            let x = Matrix::from_fn(n, 2, |i, j| {
                let useful = 2 * m < kernels && codes[i] as usize % 2 == (m + j) % 2;
                noise() + if useful { 1.2 } else { 0.1 * f64::from(codes[i]) }
            });
            let mut k = gaussian(&x, 0.5);
            (0..n).for_each(|i| k.set(i, i, k.get(i, i) + 0.01));
            k
        })
        .collect();
    (matrices, codes)
}

pub fn bank(matrices: &[Matrix], storage: Storage) -> Bank {
    let named = matrices.iter().enumerate().map(|(m, k)| (format!("k{m}"), k.clone())).collect();
    Bank::from_matrices(named, storage).unwrap()
}

pub fn classes(codes: &[u32]) -> Classes {
    Classes::from_texts(&codes.iter().map(u32::to_string).collect::<Vec<_>>()).unwrap()
}

/// SimpleMKL with this tolerance and direction.
pub fn simple_mkl(
    bank: &Bank,
    classes: &Classes,
    machine: &Svc,
    tol: f64,
    direction: &str,
) -> Learned {
    let method = find("simple_mkl").unwrap();
    let given = [("tol", Value::Real(tol)), ("direction", Value::Text(direction.to_string()))];
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    let learner = cokernel::mkl::learner(method, &params).unwrap();
    train(
        &Problem::new(bank, &Target::from(classes.clone()), machine),
        learner.as_ref(),
        &Run::default(),
    )
    .unwrap()
}

pub fn weights(learned: &Learned) -> &[f64] {
    learned.rule.weights().expect("a weighted sum")
}

/// The methods that learn classes with support vector machines.
pub fn classifiers() -> impl Iterator<Item = &'static &'static Entry<dyn Learner>> {
    let takes = |m: &Entry<dyn Learner>| (m.build)(&m.defaults()).takes(&Svc::default());
    cokernel::mkl::REGISTRY.iter().filter(move |m| m.tasks.contains(&Task::Classify) && takes(m))
}
