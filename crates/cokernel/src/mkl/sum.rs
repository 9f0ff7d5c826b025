//! The sum of the kernels: η_m = 1.
//!
//! A fixed rule (LMKA §2.1; "kernel addition" in LMS §3.4). The same function as the mean
//! with M times the cost C, because ½‖w‖² is measured in a kernel that is M times larger.
//! Scaling and duplicates act as in the mean. Cost: M n² multiplications for the one sum.

use super::{Copies, Learned, Learner, Problem, fixed};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::rule::Weighted;
use crate::{Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry { method: &METHOD, build: |_| Box::new(Sum) };

static METHOD: Method = Method {
    id: "sum",
    title: "sum of the kernels",
    source: "Gönen 2010, §2.1; Kumar 2013, §3.4",
    summary: "All kernels with weight 1: the mean with M times the cost C. Nothing is learned. Costs one machine.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::Controls,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NON_NEGATIVE,
    params: &[],
};

#[derive(Debug)]
struct Sum;

impl Learner for Sum {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        fixed(problem, Weighted::rule(vec![1.0; problem.bank.len()]), run)
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    fn scales(&self) -> bool {
        true
    }

    fn reads_partial_labels(&self) -> bool {
        true
    }
}
