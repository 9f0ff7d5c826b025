//! Problems on which several files test: one home for each.

mod blobs;
mod groups;
mod learning;
pub mod primal;
mod program;
pub mod rules;
mod stops;

pub use blobs::{blobs, dense};
pub use groups::{Real, Toy, cluster, points, run_method};
pub use learning::{bank, classes, classifiers, problem, simple_mkl, weights};
pub use program::{interior_point, least};
pub use stops::Stops;

use cokernel::data::Matrix;

/// exp(−γ‖x − z‖²), entry by entry.
pub fn gaussian(x: &Matrix, gamma: f64) -> Matrix {
    Matrix::from_fn(x.rows(), x.rows(), |i, j| {
        let d: f64 = x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum();
        (-gamma * d).exp()
    })
}
