//! [`Mkl`]: from views and labels to a [`Model`].

use super::Model;
use crate::bank::{Bank, Storage};
use crate::data::{Classes, Labels, Preparation, Scale, Views};
use crate::kernel::{Kernel, KernelSpec};
use crate::machine::{Decomposition, Svc};
use crate::method::{self, Method, Params, Value};
use crate::mkl::Arrangement;
use crate::{Result, Run};

/// A method with its parameters, kernels, machine and scaling: everything but the data.
#[derive(Debug, Clone)]
pub struct Mkl {
    method: &'static Method,
    given: Vec<(String, Value)>,
    kernels: Option<Vec<KernelSpec>>,
    svc: Svc,
    scale: Scale,
    storage: Storage,
}

/// Training instances ready to learn from: several methods with the same kernels can share one.
pub struct Prepared {
    rows: Vec<usize>,
    classes: Classes,
    preparation: Preparation,
    views: Views,
    bank: Bank,
    n_given: usize,
    specs: Vec<KernelSpec>,
    scale: Scale,
    arrangement: Arrangement,
    seconds: f64,
}

impl Mkl {
    /// The method with this registry id, everything else at its default.
    ///
    /// # Errors
    /// No such method (the closest is suggested), or it does not learn from labels.
    pub fn new(id: &str) -> Result<Self> {
        let method = method::find(id)?;
        method.learner(&method.defaults())?;
        todo!()
    }

    /// The kernels. Default: a Gaussian kernel with the median width on every feature view, the
    /// view itself where it is a similarity.
    #[must_use]
    pub fn kernels(mut self, kernels: impl IntoIterator<Item = KernelSpec>) -> Self {
        self.kernels = Some(kernels.into_iter().collect());
        self
    }

    /// A parameter of the method; checked against its table when fitting.
    #[must_use]
    pub fn param(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.given.push((name.into(), value.into()));
        self
    }

    /// Cost C of a unit of slack.
    #[must_use]
    pub fn c(mut self, c: f64) -> Self {
        self.svc.c = c;
        self
    }

    /// Multiplies C for the instances of one class.
    #[must_use]
    pub fn class_weight(mut self, class: impl Into<String>, weight: f64) -> Self {
        self.svc.class_weights.push((class.into(), weight));
        self
    }

    /// Multiplies C of each class by n / (k · n_class).
    #[must_use]
    pub fn balanced(mut self, balanced: bool) -> Self {
        self.svc.balanced = balanced;
        self
    }

    /// How several classes become binary problems.
    #[must_use]
    pub fn decomposition(mut self, decomposition: Decomposition) -> Self {
        self.svc.decomposition = decomposition;
        self
    }

    /// All parameters of the machine at once.
    #[must_use]
    pub fn svc(mut self, svc: Svc) -> Self {
        self.svc = svc;
        self
    }

    /// How the columns of feature views are scaled. Default: not.
    #[must_use]
    pub fn scale(mut self, scale: Scale) -> Self {
        self.scale = scale;
        self
    }

    /// How kernels are kept. Default: in memory if they fit into [`Run::memory`].
    #[must_use]
    pub fn storage(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// The registry entry of the method.
    pub fn method(&self) -> &'static Method {
        self.method
    }

    /// The checked parameters of the method.
    ///
    /// # Errors
    /// An unknown name (with a suggestion) or a value outside its range.
    pub fn params(&self) -> Result<Params> {
        self.method.check(self.given.iter().map(|(name, value)| (name.as_str(), value)))
    }

    /// Learns from the instances whose label is known.
    ///
    /// # Errors
    /// Views and labels of different length, incomplete views, fewer than two classes, wrong
    /// parameters, kernels that the views cannot serve.
    pub fn fit(&self, views: &Views, labels: &Labels, run: &Run) -> Result<Model> {
        let _ = (views, labels, run);
        todo!()
    }

    /// The first half of [`fit`](Self::fit): instances, scaling and kernels.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn prepare(&self, views: &Views, labels: &Labels, run: &Run) -> Result<Prepared> {
        let _ = (views, labels, run);
        todo!()
    }

    /// The second half of [`fit`](Self::fit): learns on kernels that may be shared.
    ///
    /// # Errors
    /// Wrong parameters; or `prepared` was made with other kernels, scaling or arrangement.
    pub fn fit_prepared(&self, prepared: &Prepared, run: &Run) -> Result<Model> {
        let _ = (prepared, run);
        todo!()
    }
}

impl Prepared {
    /// Indices, in the given views, of the instances that are learned from.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Their classes.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The kernels over them.
    pub fn bank(&self) -> &Bank {
        &self.bank
    }

    /// The resolved kernels.
    pub fn kernels(&self) -> &[Kernel] {
        self.bank.kernels()
    }

    /// Sentences about the data and the kernels that a user should read.
    pub fn notes(&self) -> Vec<String> {
        todo!()
    }

    /// Wall-clock seconds that preparing took.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }
}
