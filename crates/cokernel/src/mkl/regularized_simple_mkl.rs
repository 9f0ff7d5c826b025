//! SimpleMKL with a quadratic penalty, which keeps the weights near each other.
//!
//! ```text
//! min  J(η) + λ Σ_m (η_m − 1/M)²   subject to   η ≥ 0, Σ η_m = 1
//! J(η) = max_c  ℓ(c) − ½ Σ_u Σ_m η_m q_m^u(c),      q_m^u = c_uᵀ K_m c_u
//! ```
//!
//! (Longworth and Gales, ICASSP 2008 and IEEE TASLP 17, 2009; LMKA §2.2.1.3, where the penalty is also λ Σ η_m², the same
//! but for λ/M; D7.) λ = 0 is [`simple_mkl`](super::simple_mkl); with λ → ∞ all weights become 1/M.
//!
//! | symbol | name |
//! |---|---|
//! | η | `weights` |
//! | λ | `lambda` in units of `lambda_unit`; the product is `details["lambda"]` |
//!
//! **Certificate.** P(η) + Ω(η) ≥ min ≥ ℓ(c) − max_{η ∈ Δ} (½ Σ η_m q_m − Ω(η)) for any feasible c; the largest value is at
//! the projection of q/(4λ) onto the simplex.
//!
//! **The unit of λ.** The papers compare λ with J, which grows with C and with the number of instances. By default λ is
//! told in multiples of the objective of the machine on the mean of the kernels (`lambda_unit = mean`), which does not; that
//! costs one machine, at which the loop then starts. `lambda_unit = one` is the papers' λ.
//!
//! **Scale.** With the default unit, scaling all kernels by s and C by 1/s leaves η unchanged. A kernel multiplied by
//! s > 1 alone attracts weight, so normalise.
//!
//! See [`outer`](super::outer) for the loop and its cost, and [`penalised`](super::sets::penalised) for the steps: four to
//! seven machines and as many passes over all kernels.

use super::outer::{MAX_ITERATIONS, Outer, TOL};
use super::sets::even::{MEAN, UNIT, at_even_weights};
use super::sets::penalised::Penalised;
use super::{Copies, Learned, Learner, Problem, check};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::Weighted;
use crate::{Report, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(Regularized::new(p)) };

static METHOD: Method = Method {
    id: "regularized_simple_mkl",
    title: "SimpleMKL with a quadratic penalty",
    source: "Longworth, Gales 2008; Gönen 2010, §2.2.1.3",
    summary: "The average of the kernels on which the machine has the least objective, with a penalty λ Σ (η − 1/M)² that \
              keeps the weights near each other. Stops on the relative duality gap. Costs about six machines and as \
              many passes over all kernels.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[
        Param {
            name: "lambda",
            doc: "λ of λ Σ (η − 1/M)²: 0 is SimpleMKL, large values weigh all kernels alike.",
            range: Range::Real { default: 0.1, min: 0.0, max: 1e12, closed: true },
        },
        UNIT,
        TOL,
        MAX_ITERATIONS,
    ],
};

#[derive(Debug)]
struct Regularized {
    lambda: f64,
    relative: bool,
    tol: f64,
    max_iterations: usize,
}

impl Regularized {
    fn new(params: &Params) -> Self {
        Regularized {
            lambda: params.real("lambda"),
            relative: params.text(UNIT.name) == MEAN,
            tol: params.real("tol"),
            max_iterations: params.count("max_iterations"),
        }
    }
}

impl Learner for Regularized {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let watch = run.watch();
        let kernels = problem.bank.len();
        let mut start = None;
        let mut lambda = self.lambda;
        if self.relative && lambda > 0.0 {
            let machines = at_even_weights(problem, self.tol, run, &watch)?;
            lambda *= machines.primal().abs();
            let rule = Weighted::rule(vec![1.0 / kernels as f64; kernels]);
            start = Some(Learned {
                machines: Some(machines),
                ..Learned::of(rule, Report::closed_form(run))
            });
        }
        let set = Penalised { linear: vec![0.0; kernels], quadratic: lambda };
        let outer = Outer {
            title: "SimpleMKL with a quadratic penalty",
            set: &set,
            tol: self.tol,
            max_iterations: self.max_iterations,
            second: true,
        };
        let problem = &Problem { warm: problem.warm.or(start.as_ref()), ..*problem };
        let mut learned = outer.learn(problem, &run.remaining(&watch))?;
        if let Some(start) = start.and_then(|s| s.machines) {
            learned.report.counts.add(&start.counts);
            learned.report.counts.combines += 1;
        }
        learned.report.seconds = watch.seconds();
        learned.report.details.insert("lambda".to_string(), vec![lambda]);
        Ok(learned)
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    fn drives_duals(&self) -> bool {
        true
    }
}
