//! SimpleMKL: the convex combination on which the support vector machine has the least objective.
//!
//! ```text
//! min  J(η)   subject to   η ≥ 0, Σ η_m = 1
//! J(η) = max_c  ℓ(c) − ½ Σ_u Σ_m η_m q_m^u(c),      q_m^u = c_uᵀ K_m c_u
//! ```
//!
//! (Rakotomamonjy, Bach, Canu and Grandvalet, JMLR 9, 2008; LMKA §2.2.1.3; D4.) ℓ is that of the
//! [machine](crate::machine): Σ_i α_i with c = α∘y for C-SVC. u runs over its decision functions: one for
//! two classes, else those of the machine's decomposition, which share one η as in §3.4 of the paper. J is
//! convex with ∂J/∂η_m = −½ Σ_u q_m^u at the optimal c.
//!
//! | symbol | name |
//! |---|---|
//! | η | `weights` |
//! | c_u, P(η) | the heads of `machines`, `machines.primal()` |
//! | q_m^u | quadratic forms of the heads |
//!
//! **Certificate.** P(η) ≥ min J ≥ ℓ(c) − ½ max_m Σ_u q_m^u for any feasible c; the method stops when the two
//! sides differ by at most `tol`·|P|. Where many coefficients are optimal (equal rows, linear kernels, a small C) c is a combination
//! of those of several machines. See [`outer`](super::outer) for the loop, its steps and its cost, and
//! [`simplex`](super::outer::simplex) for the directions: `newton` (the default) needs six to eight machines;
//! `gradient`, the reduced gradient of the paper, converges linearly, slowly when kernels resemble each other.
//! The paper's line search is by golden section, here by secants; both go to the boundary while J decreases.
//!
//! **Scale.** Not invariant: s·K_m with s > 1 makes kernel m cheaper and attracts weight, so
//! normalise. Scaling all kernels by s and C by 1/s leaves η unchanged. Two copies of a kernel
//! share its weight in any proportion.

use super::outer::simplex::Simplex;
use super::outer::{MAX_ITERATIONS, Outer, TOL};
use super::{Learned, Learner, Problem};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::{Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(SimpleMkl::new(p)) };

static METHOD: Method = Method {
    id: "simple_mkl",
    title: "SimpleMKL",
    source: "Rakotomamonjy, Bach, Canu, Grandvalet 2008; Gönen 2010, §2.2.1.3",
    summary: "The average of the kernels on which the machine has the least objective; most \
              weights become 0. Stops on the relative duality gap. Costs about seven machines and \
              as many passes over all kernels.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: true,
    weights: WeightSet::SIMPLEX,
    params: &[
        TOL,
        MAX_ITERATIONS,
        Param {
            name: "direction",
            doc: "newton: second-order model on the simplex; gradient: the reduced gradient of \
                  the paper.",
            range: Range::Choice { default: "newton", of: &["newton", "gradient"] },
        },
    ],
};

#[derive(Debug)]
struct SimpleMkl {
    tol: f64,
    max_iterations: usize,
    newton: bool,
}

impl SimpleMkl {
    fn new(params: &Params) -> Self {
        SimpleMkl {
            tol: params.real("tol"),
            max_iterations: params.count("max_iterations"),
            newton: params.text("direction") == "newton",
        }
    }
}

impl Learner for SimpleMkl {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let outer = Outer {
            title: "SimpleMKL",
            set: &Simplex,
            tol: self.tol,
            max_iterations: self.max_iterations,
            second: self.newton,
        };
        outer.learn(problem, run)
    }

    fn scales(&self) -> bool {
        true
    }

    fn drives_duals(&self) -> bool {
        true
    }
}
