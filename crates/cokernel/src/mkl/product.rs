//! The elementwise product of the kernels: k(x, z) = Π_m k_m(x, z).
//!
//! A fixed rule (LMKA §2.1; LMS §3.4). It is positive semi-definite with its factors (Schur).
//! For Gaussian kernels it is the Gaussian kernel of the summed squared distances γ_m d_m, so it
//! is narrow when there are many; with kernels that can be negative (centred, linear) it mixes
//! signs and is rarely useful. Multiplying one kernel by s multiplies the product by s, which is
//! the same as multiplying C by s. Cost: M n² multiplications; all M kernels are needed to predict.

use super::{Copies, Learned, Learner, Problem, fixed};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::{Result, Run, rule};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry { method: &METHOD, build: |_| Box::new(Product) };

static METHOD: Method = Method {
    id: "product",
    title: "product of the kernels",
    source: "Gönen 2010, §2.1; Kumar 2013, §3.4",
    summary: "Two instances are similar only if they are similar in every kernel. Nothing is learned. Costs one machine.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::Controls,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[],
};

#[derive(Debug)]
struct Product;

impl Learner for Product {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        fixed(problem, rule::Product::rule(problem.bank.len()), run)
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    fn degree(&self, kernels: usize) -> f64 {
        kernels as f64
    }

    fn reads_partial_labels(&self) -> bool {
        true
    }
}
