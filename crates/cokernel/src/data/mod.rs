//! Views over the same n instances, their labels, readers, scaling and toy generators.

mod assemble;
mod digits;
mod graph;
mod labels;
mod learned;
mod matrix;
mod missing;
mod near;
mod pairs;
mod prepare;
pub mod read;
mod scale;
mod sequences;
mod shared;
mod target;
mod task_pairs;
pub mod toy;
mod views;
mod write;

pub use assemble::{AssembleOptions, Assembled, assemble};
pub use digits::digits;
pub use graph::{components, components_note};
pub(crate) use labels::dealt;
pub use labels::{Classes, Labels, PartialClasses};
pub use learned::LearnedView;
pub(crate) use learned::mapped;
pub use matrix::{Csr, Matrix};
pub(crate) use matrix::{scan, side_by_side};
pub use missing::Missing;
pub use pairs::{Link, Pairs};
pub(crate) use prepare::Layout;
pub use prepare::Preparation;
pub use read::{
    Header, LabelFile, PairFile, ReadOptions, TableFile, ViewsIn, read_labels, read_pairs,
    read_table, views_in,
};
pub use scale::{Scale, Scaler};
pub use sequences::Sequences;
pub use shared::Shared;
pub use target::{Posteriors, Target};
pub(crate) use views::cannot_fill;
pub use views::{Fill, Table, View, Views};
pub use write::{atomic_write, write_csv};
