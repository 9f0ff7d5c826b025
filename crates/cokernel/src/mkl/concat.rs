//! All views side by side: the kernels are computed on the concatenated columns.
//!
//! The control against which every combination of views is measured (LMS §3.4): one table made of
//! the columns of all feature views, the given kernel families on it, and their mean (one family
//! gives one kernel, and the mean is that kernel). Columns keep their scales, so a view with many
//! or with large columns dominates: standardise first. Precomputed similarities have no columns
//! and cannot take part. Cost: one machine.

use super::{Arrangement, Copies, Learned, Learner, Problem, fixed};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::rule::Weighted;
use crate::{Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry { method: &METHOD, build: |_| Box::new(Concat) };

static METHOD: Method = Method {
    id: "concat",
    title: "concatenated views",
    source: "Kumar 2013, §3.4",
    summary: "One machine on all columns side by side; the control for combining views at all. Costs one machine.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::Controls,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[],
};

#[derive(Debug)]
struct Concat;

impl Learner for Concat {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let m = problem.bank.len();
        fixed(problem, Weighted::rule(vec![1.0 / m as f64; m]), run)
    }

    fn arrangement(&self) -> Arrangement {
        Arrangement::Concatenated
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    fn reads_partial_labels(&self) -> bool {
        true
    }
}
