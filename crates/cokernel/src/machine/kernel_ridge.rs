//! Kernel ridge regression with a bias (LMKA §1.2; Saunders, Gammerman and Vovk 1998).
//!
//! ```text
//! primal  min ½‖w‖² + Σ_i v_i (y_i − ⟨w, Φ(x_i)⟩ − b)² / (2λ)
//! dual    max yᵀc − ½ cᵀ(K + Λ)c      Σ c = 0,  Λ_ii = λ/v_i
//! ```
//!
//! ℓ(c) = yᵀc − ½ Σ Λ_ii c_i², v_i the instance weights. Every instance is a support vector. The errors
//! of leave-one-out cost one more factorisation: see [`Ridge::left_out`](crate::solve::ridge::Ridge::left_out). Cost: n³/3 and 16 n² bytes.

use super::common::{self, Part};
use super::{How, Machine, Reading, Role, Says, Solution};
use crate::Result;
use crate::data::Target;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::scale::Loss;
use crate::solve::Rows;

/// The registry entry.
pub static ENTRY: Entry<dyn Machine> =
    Entry { method: &METHOD, build: |p| Box::new(KernelRidge::new(p)) };

static METHOD: Method = Method {
    id: "kernel_ridge",
    title: "kernel ridge regression",
    source: "Saunders, Gammerman, Vovk 1998; Cawley, Talbot 2004",
    summary: "Regression with the squared error, in closed form: every training instance is a support \
              vector. For up to a few thousand instances.",
    tasks: &[Task::Regress],
    group: Group::Machines,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[Param {
        name: "lambda",
        doc: "Ridge λ on the diagonal of the kernel matrix, divided by the instance weights.",
        range: Range::Real { default: 1.0, min: 0.0, max: f64::MAX, closed: false },
    }],
};

#[derive(Debug)]
struct KernelRidge {
    lambda: f64,
}

impl KernelRidge {
    fn new(p: &Params) -> Self {
        KernelRidge { lambda: p.real("lambda") }
    }
}

impl Machine for KernelRidge {
    fn solve(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Solution> {
        let y = target.real()?;
        let role = Role::Only { says: Says::Number };
        common::check(kernel, y.len(), &[role], how)?;
        let largest = common::largest_entry(kernel, self.lambda)?;
        let part = Part::with_weight(kernel, how.weights)?;
        let weight = |i: &usize| how.weights.map_or(1.0, |w| w[*i]);
        let ridges: Vec<f64> = part.kept.iter().map(|i| self.lambda / weight(i)).collect();
        let targets: Vec<f64> = part.kept.iter().map(|i| y[*i]).collect();
        let found = common::factor(&part, &ridges, &how.run.watch())?.solve(&targets);
        let block = common::closed(found, role, &part, &ridges);
        common::solution(vec![(block, 0)], largest, self.lambda)
    }

    fn with_ridge(&self, lambda: f64) -> Option<Box<dyn Machine>> {
        Some(Box::new(KernelRidge { lambda }))
    }

    fn loss(&self) -> Option<Loss> {
        Some(Loss::Squared)
    }

    fn loss_costs(&self, target: &Target, weights: Option<&[f64]>) -> Result<Vec<f64>> {
        common::costs(1.0 / self.lambda, target.len(), weights)
    }

    fn needs_definite(&self) -> bool {
        true
    }

    fn tol(&self) -> f64 {
        1e-6
    }

    fn reading(&self) -> Reading {
        Reading::Number
    }
}
