//! Standard deviations of predicted numbers and probabilities of classes, of rules that know how uncertain they are.
//!
//! A rule says of which coefficients it wants sums over the instances of training, Σ_i c_ij k(x_i, x), for each new
//! instance: [`columns`](Uncertain::columns) on the combination, or on every kernel by itself
//! ([`apart`](Uncertain::apart)). A model with such a rule keeps all instances of training.

use crate::data::Matrix;
use std::fmt;

/// What a new instance is told by.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// The values of the decision functions.
    pub decisions: &'a [f64],
    /// The sums: of the combination; of one active kernel after the other, where they are apart.
    pub sums: &'a [f64],
    /// k(x, x) of the combination, 0 where it is not [wanted](Uncertain::wants_own).
    pub own: f64,
}

/// How uncertain the values of a rule are.
pub trait Uncertain: fmt::Debug + Send + Sync {
    /// Coefficients c_ij, instances of training × sums.
    fn columns(&self) -> &Matrix;

    /// How many decision functions it is of.
    fn heads(&self) -> usize;

    /// Whether it is of classes, not of numbers.
    fn of_classes(&self) -> bool;

    /// Whether the sums are those of every active kernel by itself.
    fn apart(&self) -> bool {
        false
    }

    /// Whether k(x, x) is wanted, which similarities do not tell.
    fn wants_own(&self) -> bool {
        false
    }

    /// The standard deviation of a predicted number, noise included.
    fn deviation(&self, told: Told<'_>) -> f64 {
        let _ = told;
        0.0
    }

    /// Writes the probabilities of the classes, which sum to 1.
    fn probabilities(&self, told: Told<'_>, out: &mut [f64]) {
        let _ = (told, out);
    }
}

/// Divides by the sum of the numbers whose logarithms these are.
pub(super) fn normalized(logs: &mut [f64]) {
    let highest = logs.iter().fold(f64::NEG_INFINITY, |a, v| a.max(*v));
    if highest == f64::NEG_INFINITY {
        logs.fill(0.0);
    }
    let highest = highest.max(f64::MIN);
    logs.iter_mut().for_each(|v| *v = (*v - highest).exp());
    let sum: f64 = logs.iter().sum();
    logs.iter_mut().for_each(|v| *v /= sum);
}

/// Probabilities of the first and the second class, from the logarithms of the weights of the second and the first.
pub(super) fn two(second: f64, first: f64, out: &mut [f64]) {
    (out[0], out[1]) = (first, second);
    normalized(out);
}
