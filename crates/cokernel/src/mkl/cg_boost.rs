//! Column generation boosting: a sparse sum of columns of all kernels with the largest margin, or the least hinge loss
//! and 2-norm.
//!
//! ```text
//! f(x) = Σ_m Σ_i α_mi k_m(x_i, x) + b
//! norm=1   max ρ − (1/νn) Σ_i w_i ξ_i     y_i f(x_i) + ξ_i ≥ ρ,   Σ|α| + |b| = 1 (kernels over the mean diagonal entry of all together)
//! norm=2   min ½ nM ‖α‖² + ½ b² + Σ_i C_i max(0, 1 − y_i f(x_i))                 (kernels over d, times 1/d and C d²)
//! ```
//!
//! (Bi, Zhang and Bennett 2004; Demiriz, Bennett and Shawe-Taylor 2002; LMKA §2.4.) The programs, their duals, column
//! generation and its certificate are those of [`boosting`](super::boosting). Every kernel may have coefficients for
//! every instance, so a kernel need not be positive semi-definite, nor symmetric in what it says.
//!
//! | symbol | name |
//! |---|---|
//! | C_i, w_i = C_i over their mean | the machine's C, class weights and weights of instances |
//! | ν, at most this part has less than the margin | parameter `nu` |
//! | ρ | `details["rho"]`; decision values are over ρ, so that the margin is 1 |
//! | columns with a coefficient, of each decision function | `details["columns"]` |
//!
//! **Deviations.** The texts of the two papers are not at hand; the problems are those that LMKA §2.4 and their abstracts
//! tell. The 1-norm program is in its ν form, in which no parameter depends on the unit of the kernels; it has the solutions
//! of the form with C (Rätsch and others, *Machine Learning* 48, 2002). The constant counts in the norms, as a column of
//! the size of a diagonal entry. C of the 2-norm program is for nM‖α‖², so that it means the same for any number of
//! columns. Of the machine only C, class weights and how classes are told by pairs are used.
//!
//! **Scale.** All kernels times s: nothing changes for norm=1; with C over s² for norm=2.
//!
//! **Cost**: see [`boosting`](super::boosting).

use super::boosting::{Boosting, Loss, MAX_COLUMNS, of_classes};
use super::outer::TOL;
use super::{Copies, Learned, Learner, Problem, check};
use crate::machine::Machine;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::{Error, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(CgBoost::new(p)) };

static METHOD: Method = Method {
    id: "cg_boost",
    title: "column generation boosting",
    source: "Bi, Zhang, Bennett 2004; Gönen 2010, §2.4",
    summary: "A sum of single columns of all kernels, found by column generation: few of them with the 1-norm, where each \
              kernel is read only for the instances that it is good at. The constant counts in the norm as a column does; \
              with the 2-norm C is for the mean square of the columns. \
              Needs no positive semi-definite kernels. Costs a \
              pass over the kernels and a linear or quadratic program for every few columns.",
    tasks: &[Task::Classify],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "norm",
            doc: "Norm of the coefficients: 1, a linear program with few columns; 2, a quadratic program.",
            range: Range::Choice { default: "1", of: &["1", "2"] },
        },
        Param {
            name: "nu",
            doc: "With norm 1: part ν of the instances that may have less than the margin.",
            range: Range::Real { default: 0.2, min: 0.0, max: 0.999, closed: false },
        },
        MAX_COLUMNS,
        TOL,
    ],
};

#[derive(Debug)]
struct CgBoost {
    boosting: Boosting,
}

impl CgBoost {
    fn new(p: &Params) -> Self {
        let loss = match p.text("norm") {
            "2" => Loss::Hinge,
            _ => Loss::Margin { nu: p.real("nu") },
        };
        CgBoost {
            boosting: Boosting {
                title: "column generation boosting",
                loss,
                tol: p.real("tol"),
                max_columns: p.count("max_columns"),
            },
        }
    }
}

impl Learner for CgBoost {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let svc = problem.machine.as_svc().ok_or_else(|| {
            let said = "column generation boosting has the loss of C-SVC; choose svc";
            Error::parameter("machine", said)
        })?;
        let classes = problem.target.classes()?;
        let costs = svc.costs(classes, problem.weights)?;
        let parts = of_classes(&svc.decomposition.roles(classes.n_classes()), classes, &costs);
        self.boosting.learn(problem, &parts, run)
    }

    fn copies(&self) -> Copies {
        match self.boosting.loss {
            Loss::Margin { .. } => Copies::Share,
            _ => Copies::CountTwice,
        }
    }

    fn degree(&self, _: usize) -> f64 {
        if self.boosting.loss == Loss::Hinge { 2.0 } else { 0.0 }
    }

    fn takes(&self, machine: &dyn Machine) -> bool {
        machine.as_svc().is_some()
    }

    fn weights_repeat(&self) -> bool {
        false
    }
}
