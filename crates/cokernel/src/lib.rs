//! Learn from many similarities at once.
//!
//! Instances often come with several descriptions (*views*); each view gives one or more
//! similarity matrices (*kernels*). Cokernel finds out which of them matter and combines them,
//! to classify and to cluster.
//!
//! ```text
//! views ──► kernels ──► bank ──► method ──► rule ─┐
//!  (data)   (kernel)   (bank)   (mkl)             ├─► model ──► predict
//!                         └──────► machine ──► dual┘
//! views ──► kernels ──► bank ──► multiview ──► embedding, clusters
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`data`] | views over the same n instances, labels, readers, scaling, toy generators |
//! | [`kernel`] | kernel functions, width rules, normalisations: plain serialisable values |
//! | [`rule`] | how the values of several kernels become decision values |
//! | [`bank`] | M kernels over n instances: the primitives on which methods are written |
//! | [`solve`] | solvers that know matrices only: SMO, eigenpairs, simplex steps |
//! | [`scale`] | kernels towards landmarks, learned in time and memory proportional to n |
//! | [`machine`] | one kernel to a dual: support vector classification |
//! | [`calibrate`] | decision values to probabilities of classes |
//! | [`mkl`] | many kernels to a combination rule: one file per method |
//! | [`multiview`] | many kernels to an embedding and clusters: one file per method |
//! | [`model`] | the fitted model: prediction and its file format |
//! | [`eval`] | scores, splits, cross-validation, comparison of methods |
//!
//! A module uses those above it in this table, with two exceptions: matrices of [`bank`] implement
//! [`solve::Rows`], by which solvers read them; and the width rules of [`kernel`] measure distances
//! with the code of [`bank`]. [`params`] and [`method`] are the form of every registry and know no room, nor does [`json`];
//! [`catalogue`] lists the methods of [`mkl`] and [`multiview`].

pub mod bank;
pub mod calibrate;
pub mod catalogue;
pub mod data;
mod error;
pub mod eval;
pub mod json;
pub mod kernel;
pub mod machine;
pub mod method;
pub mod mkl;
pub mod model;
pub mod multiview;
pub mod params;
pub mod rule;
mod run;
pub mod scale;
pub mod solve;
mod threads;

pub use error::{Error, Result, brief};
pub use run::{Cancel, Counts, Event, MachineReport, Observer, Report, Run, Status, Watch};
pub use threads::{address_space, take_workspaces, threads_with_room};

/// The version of this library, written into every result and model file.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The README's Rust example runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
