//! What tests of parameters inside a kernel are tried on.

use crate::data::{Classes, Target};
use crate::machine::{Machine, MachineSpec};

/// Instances.
pub(in crate::mkl) const N: usize = 24;

/// Some of each of so many classes.
pub(in crate::mkl) fn classes(k: usize) -> Target {
    let texts: Vec<String> = (0..N).map(|i| format!("c{}", (i * 7) % 5 % k)).collect();
    Target::Classes(Classes::from_texts(&texts).unwrap())
}

/// The machine with these parameters.
pub(in crate::mkl) fn machine(text: &str) -> Box<dyn Machine> {
    text.parse::<MachineSpec>().unwrap().checked().unwrap().build().unwrap()
}

/// Every machine with a free dual, solved exactly, with something to learn.
pub(in crate::mkl) fn targets() -> [(&'static str, Target); 8] {
    let numbers = Target::Real((0..N).map(|i| (i as f64 * 0.9).sin()).collect());
    [
        ("svc:c=2:tol=1e-11", classes(2)),
        ("svc:c=2:tol=1e-11", classes(3)),
        ("svc:c=2:decomposition=one_vs_one:tol=1e-11", classes(3)),
        ("joint_svc:c=2:tol=1e-11", classes(3)),
        ("squared_hinge_svc:c=2:tol=1e-11", classes(2)),
        ("svr:c=2:epsilon=0.05:tol=1e-11", numbers.clone()),
        ("kernel_ridge:lambda=0.3", numbers),
        ("one_class_svm:nu=0.3:tol=1e-11", Target::Nothing(N)),
    ]
}
