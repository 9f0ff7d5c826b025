//! [`Target`]: what a machine learns from, complete.

use super::{Classes, Labels, PartialClasses};
use crate::method::Task;
use crate::{Error, Result};
use std::borrow::Cow;

/// Classes with the probability of each class for each instance.
#[derive(Debug, Clone, PartialEq)]
pub struct Posteriors {
    classes: Classes,
    values: Vec<f64>,
}

/// How far the probabilities of an instance may be from a sum of 1.
const SUM: f64 = 1e-6;

impl Posteriors {
    /// The probabilities, instance by instance, in the order of the class codes.
    ///
    /// # Errors
    /// Not one for each instance and class; numbers that are no probabilities; instances whose probabilities
    /// do not sum to 1.
    pub fn new(classes: Classes, values: Vec<f64>) -> Result<Self> {
        let (n, k) = (classes.codes.len(), classes.n_classes());
        if values.len() != n * k {
            let expected = format!("{n} × {k}, a probability for each instance and class");
            return Err(Error::shape("posteriors", expected, format!("{} numbers", values.len())));
        }
        for (i, row) in values.chunks(k).enumerate() {
            if let Some(p) = row.iter().find(|p| !(0.0..=1.0 + SUM).contains(*p)) {
                let problem = format!("row {i} has {p}; expected numbers between 0 and 1");
                return Err(Error::parameter("posteriors", problem));
            }
            let sum: f64 = row.iter().sum();
            if (sum - 1.0).abs() > SUM {
                let problem = format!("the numbers of row {i} sum to {sum}; expected 1");
                return Err(Error::parameter("posteriors", problem));
            }
        }
        Ok(Posteriors { classes, values })
    }

    /// The classes.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The probabilities, instance by instance.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}

/// What is known about the instances that are learned from.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A class for each.
    Classes(Classes),
    /// A class for each, and how probable all classes are.
    Posteriors(Posteriors),
    /// A class for some, two classes at least.
    Partial(PartialClasses),
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
            Task::Detect | Task::Cluster | Task::Embed => (0..labels.len()).collect(),
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
            Task::Detect | Task::Cluster | Task::Embed => Ok(Target::Nothing(labels.len())),
        }
    }

    /// The labels of all instances as target of a machine that learns classes from unlabelled instances, too.
    ///
    /// # Errors
    /// Labels that are no classes, or fewer than two classes.
    pub fn partial(labels: &Labels) -> Result<Self> {
        let found = labels.partial_classes()?;
        match found.codes.contains(&None) {
            true => Ok(Target::Partial(found)),
            false => labels.classes().map(Target::Classes),
        }
    }

    /// Of these instances: classes, numbers, or nothing but their number; `None` for other targets.
    pub(crate) fn of_rows(&self, rows: &[usize]) -> Option<Self> {
        match self {
            Target::Classes(classes) => Some(Target::Classes(Classes {
                names: classes.names.clone(),
                codes: rows.iter().map(|i| classes.codes[*i]).collect(),
            })),
            Target::Real(values) => Some(Target::Real(rows.iter().map(|i| values[*i]).collect())),
            Target::Nothing(_) => Some(Target::Nothing(rows.len())),
            _ => None,
        }
    }

    /// Number of instances.
    pub fn len(&self) -> usize {
        match self {
            Target::Partial(p) => p.codes.len(),
            Target::Classes(c) => c.codes.len(),
            Target::Posteriors(p) => p.classes.codes.len(),
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
            Target::Posteriors(posteriors) => Ok(&posteriors.classes),
            Target::Partial(_) => Err(wrong("a class for every instance", "some without a class")),
            Target::Real(_) => Err(wrong("classes", "real numbers")),
            Target::Nothing(_) => Err(wrong("classes", "no labels")),
        }
    }

    /// The classes of the instances that have one.
    ///
    /// # Errors
    /// There are no classes.
    pub fn partial_classes(&self) -> Result<Cow<'_, PartialClasses>> {
        match self {
            Target::Partial(partial) => Ok(Cow::Borrowed(partial)),
            _ => self.classes().map(|c| Cow::Owned(c.clone().into())),
        }
    }

    /// The real numbers.
    ///
    /// # Errors
    /// It has none.
    pub fn real(&self) -> Result<&[f64]> {
        match self {
            Target::Real(values) => Ok(values),
            Target::Classes(_) | Target::Posteriors(_) | Target::Partial(_) => {
                Err(wrong("real numbers", "classes"))
            }
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
