//! [`Basis`]: what instances are compared with.

use crate::data::{Table, View, Views};
use crate::kernel::Kernel;

/// What the features of an instance are taken towards.
#[derive(Debug, Clone, PartialEq)]
pub enum Basis {
    /// Instances, increasing: landmarks.
    Instances(Vec<usize>),
    /// The directions of random features.
    Directions {
        /// The numbers of each direction, in the place of the rows of each view.
        rows: Views,
        /// What of a view and a direction is the feature of a kernel.
        kernels: Vec<Kernel>,
    },
}

impl Basis {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Basis::Instances(rows) => rows.len(),
            Basis::Directions { rows, .. } => rows.n(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The instances; none where they are directions.
    pub fn instances(&self) -> &[usize] {
        match self {
            Basis::Instances(rows) => rows,
            Basis::Directions { .. } => &[],
        }
    }

    /// Whether they are directions.
    pub fn are_directions(&self) -> bool {
        matches!(self, Basis::Directions { .. })
    }

    /// Their rows in the place of those of a view of the instances.
    pub(crate) fn table(&self, view: &View) -> crate::Result<Table> {
        match self {
            Basis::Instances(rows) => Ok(view.table.select_rows(rows)),
            Basis::Directions { rows, .. } => Ok(rows.get(&view.name)?.table.clone()),
        }
    }
}
