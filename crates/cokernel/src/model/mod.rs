//! The fitted model: how it is made ([`Mkl`]), what it is ([`Model`]), and its file.

mod file;
mod fit;
mod predict;

pub use fit::{Mkl, Prepared};
pub use predict::Prediction;

use crate::data::{Preparation, Views};
use crate::kernel::Kernel;
use crate::machine::Svc;
use crate::method::Params;
use crate::mkl::Rule;
use crate::{Report, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What prediction needs, and how it was found. Made by [`Mkl::fit`] or [`Model::load`].
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    info: Info,
}

/// Everything that is not a table of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Info {
    method: String,
    params: Params,
    svc: Svc,
    seed: u64,
    library_version: String,
    classes: Vec<String>,
    n_train: usize,
    n_dropped: usize,
    views: Vec<ViewInfo>,
    preparation: Preparation,
    kernels: Vec<Kernel>,
    rule: Rule,
    machines: Vec<MachineInfo>,
    report: Report,
}

/// A view as it was in training.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewInfo {
    /// Its name.
    pub name: String,
    /// `dense`, `sparse` or `similarity`.
    pub kind: String,
    /// Number of columns; the number of training instances for a similarity.
    pub cols: usize,
    /// Names of the columns, where the source had them.
    pub columns: Option<Vec<String>>,
}

/// A kernel with its weight in the combination.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelWeight {
    /// The name of the kernel.
    pub kernel: String,
    /// The view it looks at.
    pub view: String,
    /// Its weight; 1 for every factor of a product.
    pub weight: f64,
    /// Whether prediction evaluates it.
    pub active: bool,
}

/// A binary problem of the decomposition and its solution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MachineInfo {
    /// `positive vs negative`, or `positive vs rest`.
    pub name: String,
    /// Code of the class with positive decision values.
    pub positive: u32,
    /// Code of the class with negative decision values; `None` is the rest.
    pub negative: Option<u32>,
    /// Number of support vectors of this machine.
    pub support: usize,
    /// Relative duality gap of this machine.
    pub gap: f64,
}

/// A summary for people and programs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Registry id of the method.
    pub method: String,
    /// Its parameters.
    pub params: Params,
    /// The machine's parameters.
    pub svc: Svc,
    /// Version of the library that fitted the model.
    pub library_version: String,
    /// The seed that was used.
    pub seed: u64,
    /// Class names in code order.
    pub classes: Vec<String>,
    /// Number of training instances.
    pub n_train: usize,
    /// Instances left out because their label was missing.
    pub n_dropped: usize,
    /// The views that must be given to predict.
    pub views: Vec<ViewInfo>,
    /// Every kernel with its weight.
    pub weights: Vec<KernelWeight>,
    /// Number of kernels that prediction evaluates.
    pub active_kernels: usize,
    /// Number of training instances that are a support vector of some machine.
    pub support: usize,
    /// The same in percent of the training instances.
    pub support_percent: f64,
    /// The binary problems.
    pub machines: Vec<MachineInfo>,
    /// How learning went.
    pub report: Report,
}

impl Model {
    /// Labels and decision values of new instances. Similarity views hold, for each new instance,
    /// its similarity to all training instances in their order.
    ///
    /// # Errors
    /// A view is missing or incomplete, or differs from training in kind, number of columns or
    /// column names.
    pub fn predict(&self, views: &Views) -> Result<Prediction> {
        let _ = views;
        todo!()
    }

    /// Writes the model in one step: `path` holds the old content or the new, never half.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let _ = path.as_ref();
        todo!()
    }

    /// Reads a model. Nothing is executed, and every size is checked before it is used.
    ///
    /// # Errors
    /// The file cannot be read, is not a model, is truncated or damaged, or comes from a newer
    /// version of the format.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let _ = path.as_ref();
        todo!()
    }

    /// Registry id of the method.
    pub fn method(&self) -> &str {
        &self.info.method
    }

    /// The checked parameters of the method.
    pub fn params(&self) -> &Params {
        &self.info.params
    }

    /// The parameters of the machine.
    pub fn svc(&self) -> &Svc {
        &self.info.svc
    }

    /// The combination, over [`kernels`](Self::kernels).
    pub fn rule(&self) -> &Rule {
        &self.info.rule
    }

    /// All kernels of training in order.
    pub fn kernels(&self) -> &[Kernel] {
        &self.info.kernels
    }

    /// Every kernel with its weight, in order.
    pub fn weights(&self) -> Vec<KernelWeight> {
        todo!()
    }

    /// Number of training instances that are a support vector of some machine.
    pub fn n_support(&self) -> usize {
        todo!()
    }

    /// Support vectors in percent of the training instances.
    pub fn support_percent(&self) -> f64 {
        100.0 * self.n_support() as f64 / self.info.n_train.max(1) as f64
    }

    /// The binary problems, in the order of the columns of [`Prediction::decisions`].
    pub fn machines(&self) -> &[MachineInfo] {
        &self.info.machines
    }

    /// Class names in code order.
    pub fn classes(&self) -> &[String] {
        &self.info.classes
    }

    /// The views that must be given to predict.
    pub fn views(&self) -> &[ViewInfo] {
        &self.info.views
    }

    /// Number of training instances.
    pub fn n_train(&self) -> usize {
        self.info.n_train
    }

    /// How learning went; its notes hold everything a user should read.
    pub fn report(&self) -> &Report {
        &self.info.report
    }

    /// The seed that was used.
    pub fn seed(&self) -> u64 {
        self.info.seed
    }

    /// Version of the library that fitted the model.
    pub fn library_version(&self) -> &str {
        &self.info.library_version
    }

    /// All of the above in one serialisable value.
    pub fn inspect(&self) -> Summary {
        Summary {
            method: self.info.method.clone(),
            params: self.info.params.clone(),
            svc: self.info.svc.clone(),
            library_version: self.info.library_version.clone(),
            seed: self.info.seed,
            classes: self.info.classes.clone(),
            n_train: self.info.n_train,
            n_dropped: self.info.n_dropped,
            views: self.info.views.clone(),
            weights: self.weights(),
            active_kernels: self.weights().iter().filter(|w| w.active).count(),
            support: self.n_support(),
            support_percent: self.support_percent(),
            machines: self.info.machines.clone(),
            report: self.info.report.clone(),
        }
    }
}
