//! [`Target`]: what a machine learns from, complete.

use super::{Classes, Labels};
use crate::method::Task;
use crate::{Error, Result};

/// What is known about the instances that are learned from.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A class for each.
    Classes(Classes),
    /// A finite real number for each.
    Real(Vec<f64>),
    /// Nothing, for this many instances.
    Nothing(usize),
}

impl Target {
    /// The instances from which a task is learned: those with a label, or all where none is needed.
    pub fn rows(labels: &Labels, task: Task) -> Vec<usize> {
        match task {
            Task::Classify | Task::Regress => labels.known_rows(),
            Task::Detect | Task::Cluster => (0..labels.len()).collect(),
        }
    }

    /// The labels as target of a task.
    ///
    /// # Errors
    /// Labels of another kind, one that is missing, fewer than two classes.
    pub fn of(labels: &Labels, task: Task) -> Result<Self> {
        match task {
            Task::Classify => labels.classes().map(Target::Classes),
            Task::Regress => labels.real().map(Target::Real),
            Task::Detect | Task::Cluster => Ok(Target::Nothing(labels.len())),
        }
    }

    /// Number of instances.
    pub fn len(&self) -> usize {
        match self {
            Target::Classes(c) => c.codes.len(),
            Target::Real(v) => v.len(),
            Target::Nothing(n) => *n,
        }
    }

    /// Whether there is no instance.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The classes.
    ///
    /// # Errors
    /// It has none.
    pub fn classes(&self) -> Result<&Classes> {
        match self {
            Target::Classes(classes) => Ok(classes),
            Target::Real(_) => Err(wrong("classes", "real numbers")),
            Target::Nothing(_) => Err(wrong("classes", "no labels")),
        }
    }

    /// The real numbers.
    ///
    /// # Errors
    /// It has none.
    pub fn real(&self) -> Result<&[f64]> {
        match self {
            Target::Real(values) => Ok(values),
            Target::Classes(_) => Err(wrong("real numbers", "classes")),
            Target::Nothing(_) => Err(wrong("real numbers", "no labels")),
        }
    }
}

impl From<Classes> for Target {
    fn from(classes: Classes) -> Self {
        Target::Classes(classes)
    }
}

fn wrong(expected: &str, found: &str) -> Error {
    Error::Labels(format!("expected {expected}, found {found}"))
}
