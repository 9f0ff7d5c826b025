//! Views over the same n instances, their labels, readers, scaling and toy generators.

mod labels;
mod matrix;
mod scale;
mod views;
mod write;

pub use labels::{Classes, Labels};
pub use matrix::{Csr, Matrix};
pub use scale::{Preparation, Scale, Scaler};
pub use views::{Fill, Table, View, Views};
pub use write::{atomic_write, write_csv};
