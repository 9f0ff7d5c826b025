//! LevelMKL: the optimum of SimpleMKL by the extended level method, a small quadratic program after each machine.
//!
//! ```text
//! g(η)    = max_t  ℓ(c_t) − ½ Σ_m η_m q_m(c_t)                        the machines solved so far
//! lower   = min g over the simplex,   upper = min_t P(η_t)
//! η_{t+1} = argmin ‖η − η_t‖²   subject to   g(η) ≤ level·upper + (1 − level)·lower,  η ≥ 0,  Σ η_m = 1
//! ```
//!
//! (Xu, Jin, King and Lyu, NIPS 21, 2008; GMKD §VII; D5.) Weights that stay near the last ones, as far as the model
//! is not at odds with them, oscillate less than those of [`silp`](super::silp).
//!
//! | symbol | name |
//! |---|---|
//! | η | `weights` |
//! | g | [`Planes`](crate::solve::planes::Planes) |
//! | upper, lower | the two bounds of the gap |
//!
//! **Certificate and cost** as of [`planes`](super::outer::planes). The paper stops on upper − lower below a constant; here it
//! is divided by upper. `level` is 0.9 in the paper, which takes long steps towards weights that turn out worse where kernels
//! resemble each other: with 20 Gaussian kernels and 1,000 instances at C = 1, 10 and 100 it needs 59, 73 and 67
//! machines to a gap of 10⁻⁴, 0.5 (the default) 22, 27 and 30, SimpleMKL 6 or 7. Kept for comparison with the literature.
//!
//! **Scale.** As SimpleMKL: normalise the kernels; all kernels times s and C divided by s leave η.

use super::outer::planes::{Cutting, Next};
use super::outer::{MAX_ITERATIONS, TOL};
use super::{Learned, Learner, Problem};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::{Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(LevelMkl::new(p)) };

static METHOD: Method = Method {
    id: "level_mkl",
    title: "LevelMKL",
    source: "Xu, Jin, King, Lyu 2008; Mao, Tsang, Gao, Wang 2015, §VII",
    summary: "The optimum of SimpleMKL by the extended level method: a small quadratic program over the weights \
              after each machine. Stops on the relative duality gap. Needs several times as many machines as \
              SimpleMKL; kept for comparison with the literature.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[
        TOL,
        MAX_ITERATIONS,
        Param {
            name: "level",
            doc: "Where between the lower bound (0) and the upper bound (1) the model at the next weights may be \
                  at most; 0.9 in the paper.",
            range: Range::Real { default: 0.5, min: 0.0, max: 0.999, closed: false },
        },
    ],
};

#[derive(Debug)]
struct LevelMkl {
    tol: f64,
    max_iterations: usize,
    level: f64,
}

impl LevelMkl {
    fn new(params: &Params) -> Self {
        LevelMkl {
            tol: params.real("tol"),
            max_iterations: params.count("max_iterations"),
            level: params.real("level"),
        }
    }
}

impl Learner for LevelMkl {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let cutting = Cutting {
            title: "LevelMKL",
            tol: self.tol,
            max_iterations: self.max_iterations,
            next: Next::Level(self.level),
        };
        cutting.learn(problem, run)
    }

    fn drives_duals(&self) -> bool {
        true
    }
}
