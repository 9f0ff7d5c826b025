//! Many kernels to an embedding and clusters: one file per method, registry as in
//! [`mkl`](crate::mkl).

pub mod co_regularized;
pub mod kmeans;
mod laplacian;
pub mod spectral;

use crate::bank::Bank;
use crate::data::Matrix;
use crate::method::Method;
use crate::{Report, Result, Run};
use std::fmt;

/// All methods that cluster.
pub static REGISTRY: &[&Method] = &[&spectral::METHOD, &co_regularized::METHOD];

/// A clustering of the instances it was computed on; it cannot label new ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Clustering {
    /// Cluster of each instance, 0..k, numbered in order of first appearance.
    pub assignments: Vec<u32>,
    /// The embedding that k-means worked on, n × columns (rows of unit length; where several
    /// embeddings stand side by side, those of each).
    pub embedding: Matrix,
    /// Leading eigenvalues of the operators whose eigenvectors the embedding is made of, one list
    /// per view (one list for a combined kernel).
    pub eigenvalues: Vec<Vec<f64>>,
    /// Sum of squared distances to the cluster centres.
    pub inertia: f64,
    /// How it went.
    pub report: Report,
}

/// The one trait that a clustering method implements.
pub trait Clusterer: fmt::Debug + Send + Sync {
    /// Clusters n instances into `k` clusters; the bank holds one similarity per view.
    ///
    /// # Errors
    /// k is 0 or above n, negative similarities, isolated instances.
    fn cluster(&self, bank: &Bank, k: usize, run: &Run) -> Result<Clustering>;
}
