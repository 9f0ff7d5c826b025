//! Kernel ridge regression with a bias (LMKA §1.2; Saunders, Gammerman and Vovk 1998).
//!
//! ```text
//! primal  min ½‖w‖² + Σ_i v_i (y_i − ⟨w, Φ(x_i)⟩ − b)² / (2λ)
//! dual    max yᵀc − ½ cᵀ(K + Λ)c      Σ c = 0,  Λ_ii = λ/v_i
//! ```
//!
//! ℓ(c) = yᵀc − ½ Σ Λ_ii c_i², v_i the instance weights. Every instance is a support vector. The errors
//! of leave-one-out cost two more factorisations, where `left_out` asks for them: see
//! [`Ridge::left_out`](crate::solve::ridge::Ridge::left_out). Cost: n³/3 and 16 n² bytes.

use super::common;
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
              vector. For up to a few thousand instances, and for any number towards landmarks (storage nystroem).",
    tasks: &[Task::Regress],
    group: Group::Machines,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "lambda",
            doc: "Ridge λ on the diagonal of the kernel matrix, divided by the instance weights.",
            range: Range::Real { default: 1.0, min: 0.0, max: f64::MAX, closed: false },
        },
        Param {
            name: "left_out",
            doc: "Whether the report tells what is predicted of each instance without it, on the same combination of \
                  kernels (in closed form, at the cost of two more fits).",
            range: Range::Choice { default: "no", of: &["yes", "no"] },
        },
    ],
};

/// How much coefficients may differ that are those of the same regression.
const SAME: f64 = 1e-6;

#[derive(Debug)]
struct KernelRidge {
    lambda: f64,
    left_out: bool,
}

impl KernelRidge {
    fn new(p: &Params) -> Self {
        KernelRidge { lambda: p.real("lambda"), left_out: p.text("left_out") == "yes" }
    }
}

impl Machine for KernelRidge {
    fn solve(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Solution> {
        let y = target.real()?;
        let role = Role::Only { says: Says::Number };
        common::check(kernel, y.len(), &[role], how)?;
        let largest = common::largest_entry(kernel, self.lambda)?;
        let (part, ridges) = common::ridged(kernel, self.lambda, how.weights, |_| true)?;
        let targets: Vec<f64> = part.kept.iter().map(|i| y[*i]).collect();
        let found = common::factor(&part, &ridges, &how.run.watch())?.solve(&targets);
        let block = common::closed(found, role, &part, &ridges);
        common::solution(vec![(block, 0)], largest, self.lambda)
    }

    fn with_ridge(&self, lambda: f64) -> Option<Box<dyn Machine>> {
        Some(Box::new(KernelRidge { lambda, ..*self }))
    }

    fn tells_left_out(&self) -> bool {
        self.left_out
    }

    fn left_out(
        &self,
        kernel: &dyn Rows,
        target: &Target,
        how: &How<'_>,
        solution: &Solution,
    ) -> Result<Option<Vec<f64>>> {
        let y = target.real()?;
        let (part, ridges) = common::ridged(kernel, self.lambda, how.weights, |_| true)?;
        let targets: Vec<f64> = part.kept.iter().map(|i| y[*i]).collect();
        let ridge = common::factor(&part, &ridges, &how.run.watch())?;
        let found = ridge.solve(&targets);
        let coef = part.spread(&found.coef);
        // Methods that learn a ridge of their own, or boost, have learned another function.
        let Some(head) = solution.heads().next().filter(|h| h.coef.len() == coef.len()) else {
            return Ok(None);
        };
        let largest = coef.iter().fold(0.0_f64, |a, c| a.max(c.abs()));
        if coef.iter().zip(&head.coef).any(|(a, b)| (a - b).abs() > SAME * largest) {
            return Ok(None);
        }
        let mut values = vec![0.0; y.len()];
        kernel.multiply(&coef, &mut values);
        values.iter_mut().for_each(|v| *v += found.bias);
        let told = ridge.left_out(&targets, &found);
        part.kept.iter().zip(told).for_each(|(i, v)| values[*i] = v);
        Ok(Some(values))
    }

    fn loss(&self) -> Option<Loss> {
        Some(Loss::Squared)
    }

    fn loss_costs(&self, target: &Target, weights: Option<&[f64]>) -> Result<Vec<f64>> {
        common::costs(1.0 / self.lambda, target.len(), weights)
    }

    fn tol(&self) -> f64 {
        1e-6
    }

    fn reading(&self) -> Reading {
        Reading::Number
    }
}
