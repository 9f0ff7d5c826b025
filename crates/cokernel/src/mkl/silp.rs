//! SILP: the optimum of SimpleMKL by column generation, one linear program over the weights after each machine.
//!
//! ```text
//! max θ   subject to   η ≥ 0,  Σ η_m = 1,   Σ_m η_m S_m(c) ≥ θ  for every feasible c
//! S_m(c) = ½ Σ_u c_uᵀ K_m c_u − ℓ(c)
//! ```
//!
//! (Sonnenburg, Rätsch, Schäfer and Schölkopf, JMLR 7, 2006; LMKA §2.2.1.3; D3.) Infinitely many constraints, of which
//! the program has those of the machines solved so far. The weights at which it is best give the next machine, whose
//! coefficients are the constraint that is violated most.
//!
//! | symbol | name |
//! |---|---|
//! | η | `weights` |
//! | −S_m(c_t) | a plane of [`Planes`](crate::solve::planes::Planes) |
//! | −θ | the least of the planes, a lower bound of the optimum |
//!
//! **Certificate and cost** as of [`planes`](super::outer::planes). The paper stops on 1 − (−θ)/P at the last weights; here
//! the best weights so far are kept, so the objective that is reported never increases, and the gap is between the
//! best bounds. The weights jump between corners of the model before they settle: with 20 Gaussian kernels and 1,000
//! instances at C = 1, 10 and 100 it needs 36, 39 and 39 machines to a gap of 10⁻⁴, SimpleMKL 6 or 7. Kept for
//! comparison with the literature.
//!
//! **Scale.** As SimpleMKL: normalise the kernels; all kernels times s and C divided by s leave η.

use super::outer::planes::{Cutting, Next};
use super::outer::{MAX_ITERATIONS, TOL};
use super::{Learned, Learner, Problem};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::Params;
use crate::{Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry { method: &METHOD, build: |p| Box::new(Silp::new(p)) };

static METHOD: Method = Method {
    id: "silp",
    title: "semi-infinite linear program (SILP)",
    source: "Sonnenburg, Rätsch, Schäfer, Schölkopf 2006; Gönen 2010, §2.2.1.3",
    summary: "The optimum of SimpleMKL by column generation: a linear program over the weights after each \
              machine. Stops on the relative duality gap. Needs several times as many machines as SimpleMKL; \
              kept for comparison with the literature.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[TOL, MAX_ITERATIONS],
};

#[derive(Debug)]
struct Silp {
    tol: f64,
    max_iterations: usize,
}

impl Silp {
    fn new(params: &Params) -> Self {
        Silp { tol: params.real("tol"), max_iterations: params.count("max_iterations") }
    }
}

impl Learner for Silp {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let cutting = Cutting {
            title: "SILP",
            tol: self.tol,
            max_iterations: self.max_iterations,
            next: Next::Least,
        };
        cutting.learn(problem, run)
    }

    fn drives_duals(&self) -> bool {
        true
    }
}
