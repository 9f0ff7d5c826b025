//! Prediction: only active kernels, only support rows, a chunk of new instances at a time.

use crate::data::Matrix;
use serde::Serialize;

/// What a model says about new instances.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prediction {
    /// The name of the predicted class of each instance.
    pub labels: Vec<String>,
    /// The same as codes into [`Model::classes`](super::Model::classes).
    pub codes: Vec<u32>,
    /// Decision values, instances × machines. With two classes there is one machine; it is
    /// positive for the class that its name begins with.
    pub decisions: Matrix,
    /// Names of the machines, `positive vs negative` or `positive vs rest`.
    pub machine_names: Vec<String>,
}
