//! MARK, multiple additive regression kernels: ridge regression on columns of all kernels, added one batch after the other.
//!
//! ```text
//! f(x) = Σ_m Σ_i α_mi k_m(x_i, x) + b
//! min  ½ λ nM ‖α‖² + ½ Σ_i w_i (y_i − f(x_i))²       all kernels over d, α of the columns so far
//! ```
//!
//! (Bennett, Momma and Embrechts 2002; LMKA §2.4.) A column's gain is its product with the weighted residual, the
//! functional gradient; the largest join, and the ridge regression on all columns so far is solved anew. Columns, edges and
//! the bound over all columns are those of [`boosting`](super::boosting). Classes are told by −1 and 1 for each binary problem
//! of the machine.
//!
//! | symbol | name |
//! |---|---|
//! | λ | parameter `lambda` |
//! | d | the mean of the absolute diagonal entries of all M kernels together |
//! | w_i | [`Problem::weights`], class weights of the machine; over their mean |
//! | columns with a coefficient | `details["columns"]` |
//! | the objective over λ | the report's `objective` |
//!
//! **Deviations.** The paper's text is not at hand; the problem is that of LMKA §2.4 and of its abstract. Columns join in
//! batches (a few, then half as many as there are), and all their coefficients are found again, where boosting would take a step.
//! The paper stops early on a validation set; here `max_columns` and the gap to the optimum over all columns do, and
//! `--tune max_columns=…` chooses. λ is for nM‖α‖² and kernels over d, so that it means the same for any
//! number of columns and unit.
//!
//! **Scale.** All kernels times s leave everything as it is.
//!
//! **Cost** of a round: M n² and n³/3 for each decision function; memory 8n² for each.

use super::boosting::{Boosting, Loss, MAX_COLUMNS, Part, of_classes};
use super::outer::TOL;
use super::{Copies, Learned, Learner, Problem, check};
use crate::data::Target;
use crate::machine::{Machine, Reading};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::{Error, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry { method: &METHOD, build: |p| Box::new(Mark::new(p)) };

static METHOD: Method = Method {
    id: "mark",
    title: "multiple additive regression kernels (MARK)",
    source: "Bennett, Momma, Embrechts 2002; Gönen 2010, §2.4",
    summary: "Ridge regression on single columns of all kernels, those first that the residual asks for; fewer columns are a \
              sparser model. Needs no positive semi-definite kernels. Costs a pass over the kernels and a ridge \
              regression for every batch of columns.",
    tasks: &[Task::Classify, Task::Regress],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "lambda",
            doc: "Ridge λ of ½λ·nM·‖α‖² beside half the squared errors, n instances and M kernels, each over the mean diagonal \
                  entry of all kernels together.",
            range: Range::Real { default: 0.01, min: 0.0, max: 1e12, closed: false },
        },
        MAX_COLUMNS,
        TOL,
    ],
};

#[derive(Debug)]
struct Mark {
    boosting: Boosting,
}

impl Mark {
    fn new(p: &Params) -> Self {
        Mark {
            boosting: Boosting {
                title: "MARK",
                loss: Loss::Squares { lambda: p.real("lambda") },
                tol: p.real("tol"),
                max_columns: p.count("max_columns"),
            },
        }
    }
}

impl Learner for Mark {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let mut parts = match (problem.target, problem.machine.as_svc()) {
            (Target::Real(values), _) => {
                let role = Reading::Number.roles(0)[0];
                let weights = problem.weights.map_or(vec![1.0; values.len()], <[f64]>::to_vec);
                vec![Part { role, y: values.clone(), weights }]
            }
            (target, Some(svc)) => {
                let classes = target.classes()?;
                let costs = svc.costs(classes, problem.weights)?;
                of_classes(&svc.decomposition.roles(classes.n_classes()), classes, &costs)
            }
            _ => {
                let said = "MARK is ridge regression on columns; choose svc for classes, kernel_ridge for numbers";
                return Err(Error::parameter("machine", said));
            }
        };
        // Only their ratios count: the machine's C does not.
        for part in &mut parts {
            let count = part.weights.iter().filter(|w| **w > 0.0).count();
            let mean = part.weights.iter().sum::<f64>() / count.max(1) as f64;
            part.weights.iter_mut().for_each(|w| *w /= mean);
        }
        self.boosting.learn(problem, &parts, run)
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    fn degree(&self, _: usize) -> f64 {
        0.0
    }

    fn takes(&self, machine: &dyn Machine) -> bool {
        machine.as_svc().is_some() || machine.with_ridge(1.0).is_some()
    }

    fn weights_repeat(&self) -> bool {
        false
    }
}
