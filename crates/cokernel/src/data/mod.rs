//! Views over the same n instances, their labels, readers, scaling and toy generators.

mod labels;
mod matrix;
mod views;

pub use labels::{Classes, Labels};
pub use matrix::{Csr, Matrix};
pub use views::{Table, View, Views};
