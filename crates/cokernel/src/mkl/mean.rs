//! The mean of the kernels: η_m = 1/M.
//!
//! A fixed rule (LMKA §2.1): nothing is learned. Its feature space is the concatenation of
//! those of the kernels, each scaled by 1/√M. It is the control that a learned combination has to
//! beat. Multiplying one kernel by s multiplies its share of the mean by s, and a kernel that is
//! given twice counts twice: normalise kernels first. Cost: M n² multiplications for the one sum.

use super::{Copies, Learned, Learner, Problem, fixed};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::rule::Weighted;
use crate::{Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry { method: &METHOD, build: |_| Box::new(Mean) };

static METHOD: Method = Method {
    id: "mean",
    title: "mean of the kernels",
    source: "Gönen 2010, §2.1",
    summary: "All kernels with the same weight 1/M. Nothing is learned; often hard to beat when most kernels are useful. Costs one machine.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::Controls,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[],
};

#[derive(Debug)]
struct Mean;

impl Learner for Mean {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let m = problem.bank.len();
        fixed(problem, Weighted::rule(vec![1.0 / m as f64; m]), run)
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
