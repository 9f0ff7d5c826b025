//! Many kernels to a combination rule: one file per method, one registry.
//!
//! To add a method, write `mkl/<id>.rs` with a `pub static METHOD: Method` and add its line to
//! [`REGISTRY`].

use crate::bank::Bank;
use crate::data::Classes;
use crate::machine::{Machines, Svc};
use crate::method::Method;
use crate::{Report, Result, Run};
use serde::{Deserialize, Serialize};
use std::fmt;

/// All methods that learn a combination for a kernel machine.
pub static REGISTRY: &[&Method] = &[];

/// What a method learns from.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The kernels over the n training instances.
    pub bank: &'a Bank,
    /// Their classes.
    pub classes: &'a Classes,
    /// The machine that will be trained on the combination.
    pub machine: &'a Svc,
}

/// How M kernel values become one. Data only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum Rule {
    /// Σ_m weights_m k_m.
    Linear {
        /// η, one per kernel.
        weights: Vec<f64>,
    },
    /// Π_m k_m over all kernels.
    Product,
}

/// What a method learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The combination.
    pub rule: Rule,
    /// The machines on the combination, where the method solved them to the machine's tolerance
    /// itself; otherwise the caller trains the machine on the rule.
    pub machines: Option<Machines>,
    /// How it went.
    pub report: Report,
}

/// Which views the kernels of a method are computed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrangement {
    /// The views as they are.
    Views,
    /// One view made of all columns side by side (kernel specifications lose their view).
    Concatenated,
}

/// The one trait that a new method implements.
pub trait Learner: fmt::Debug + Send + Sync {
    /// Learns a combination.
    ///
    /// # Errors
    /// Data that the method cannot use.
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned>;

    /// Which views the kernels are computed on.
    fn arrangement(&self) -> Arrangement {
        Arrangement::Views
    }
}
