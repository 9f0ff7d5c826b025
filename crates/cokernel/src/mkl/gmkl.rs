//! Generalised multiple kernel learning: one width for every feature, or a weight for every kernel, with a regulariser of
//! the user's choice.
//!
//! ```text
//! min_{θ ≥ 0}  J(θ) + r(θ),      J(θ) = max_c  ℓ(c) − ½ Σ_u c_uᵀ K(θ) c_u
//! product     k(x, z) = exp(−Σ_d w_d (x_d − z_d)²)
//! sum         k(x, z) = Σ_m w_m k_m(x, z)
//! polynomial  k(x, z) = (1 + Σ_d w_d x_d z_d)^q
//! ```
//!
//! (Varma and Babu, ICML 2009; Varma and Ray, ICCV 2007; LMKA §2.2.2: the product is k^P, the sum of Gaussian kernels of
//! single features k^S; D9.) ℓ is the part of the dual of the [machine](crate::machine) that is free of the kernel.
//!
//! | symbol | name |
//! |---|---|
//! | θ_d | relevance of a feature, `details["relevance"]`: 1 is what it has at the start |
//! | w_d = θ_d / (2 D v_d) | width of a feature with variance v_d, of D that are not constant, `details["widths"]` (product) |
//! | w_d = θ_d / (D v_d) | the same with v_d the mean of x_d² (polynomial) |
//! | w_m = θ_m / (M v_m) | weight of a kernel with mean diagonal v_m, `weights` of the rule (sum) |
//! | r | λ · mean(θ) (`penalty=l1`) or ½ λ · mean(θ²) (l2), λ = `strength` · J(1), `details["strength"]` |
//!
//! **Scale.** θ has no unit: a feature in another unit, or a kernel times a number, gives the same θ and the same decision
//! values. At θ = 1 the distance in the exponent is 1 on average over pairs, to which each feature gives the same; mean
//! values of Σ_d w_d x_d² and of the diagonal of the sum are 1. λ is relative to the objective at θ = 1, so that it means the
//! same for few and many instances, any C and numbers in any unit. With `widths=views` the columns of a view share one width
//! and keep their sizes. Columns with one value get none: the model does not look at them.
//!
//! **Steps** of the [search](super::parametric) are projected, so that θ becomes exactly 0 where the regulariser asks for
//! more than the machine gives; where θ is the logarithm of a width, as elsewhere, it never does. With A_ij = Σ_u c_ui c_uj
//! k_ij the derivatives of the product are ½ Σ_ij A_ij (x_id − x_jd)² = Σ_i (A1)_i x_id² − x_dᵀ A x_d: one product A X for
//! all of them, over rows with a coefficient alone ([`features`](crate::bank)).
//!
//! **Cost** of an iteration: one kernel of n² d multiplications and its machine for each trial, mostly one, and as many
//! multiplications again for the derivatives. 10 to 50 iterations.
//!
//! **Not convex**, but for the sum: the result is a stationary point and depends on the start. The first start is θ = 1, the
//! next are 1/8 and 8 for all, later ones random; the best of `starts` is kept.
//!
//! **What the sum is.** The same weights as [`simple_mkl`](super::simple_mkl) (l1) and [`lp_norm`](super::lp_norm) with p = 2
//! (l2) at another C: the constraint on the weights has become a regulariser. Those certify their optimum, and are faster.
//!
//! **Detectors** are refused: their objective falls with the norm of the solution alone, so that all widths would end at 0,
//! where all instances are the same (product), or sums and polynomials grow without end. For one class there is `lp_norm`.
//!
//! **Deviations.** The source has regularisers in units of J, and widths in those of the features; steps are those of L-BFGS
//! (`search=gradient`: projected gradients, as in the source).

mod sum;
pub(super) mod widths;

use super::outer::settled;
use super::parametric::{Inside, Search, from_starts};
use super::{Copies, Learned, Learner, Problem, check};
use crate::data::Target;
use crate::machine::{How, Solution};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::{Error, Report, Result, Run, Watch};
use rand::RngExt;
use sum::Sum;
use widths::{Form, Widths};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(Generalised::new(p)) };

static METHOD: Method = Method {
    id: "gmkl",
    title: "generalised MKL",
    source: "Varma, Babu 2009; Gönen 2010, §2.2.2",
    summary: "One width for each feature, or each view, inside a Gaussian or a polynomial kernel, learned together with \
              the machine; a regulariser leads those that do not help to 0, so that widths tell how relevant features are. \
              Not convex: ends at a stationary point. Costs 10 to 50 kernels and machines.",
    tasks: &[Task::Classify, Task::Regress],
    group: Group::OneStage,
    certificate: Certificate::Trace,
    recommended: false,
    weights: WeightSet::NON_NEGATIVE,
    params: &[
        Param {
            name: "form",
            doc: "The kernel: product of Gaussians of the features; sum of the given kernels; polynomial of the features.",
            range: Range::Choice { default: PRODUCT, of: &[PRODUCT, SUM, "polynomial"] },
        },
        Param {
            name: "widths",
            doc: "Product, polynomial: one width for each of the features, or one for each of the views.",
            range: Range::Choice { default: "features", of: &["features", "views"] },
        },
        Param {
            name: "degree",
            doc: "Polynomial: q.",
            range: Range::Int { default: 2, min: 1, max: crate::rule::LARGEST_DEGREE },
        },
        Param {
            name: "penalty",
            doc: "The regulariser: l1, the mean of the relevances, which leads some to 0; l2, half the mean of their squares.",
            range: Range::Choice { default: "l1", of: &["l1", "l2"] },
        },
        Param {
            name: "strength",
            doc: "What the regulariser is multiplied by, relative to the objective of the machine at the start: the larger, \
                  the smaller widths, and mostly the fewer.",
            range: Range::Real { default: 0.01, min: 0.0, max: 1e12, closed: false },
        },
        Param {
            name: "starts",
            doc: "From how many starts the widths are learned; the best is kept.",
            range: Range::Int { default: 1, min: 1, max: 1_000 },
        },
        Param {
            name: "search",
            doc: "Directions of the steps: lbfgs, or gradient as in the source.",
            range: Range::Choice { default: "lbfgs", of: &["lbfgs", "gradient"] },
        },
        Param {
            name: "tol",
            doc: "Relative decrease of the objective to stop at.",
            range: Range::Real { default: 1e-3, min: 0.0, max: 0.5, closed: false },
        },
        Param {
            name: "max_iterations",
            doc: "Limit on changes of the widths for each start.",
            range: Range::Int { default: 500, min: 1, max: i64::MAX },
        },
    ],
};

const PRODUCT: &str = "product";
const SUM: &str = "sum";
/// Sizes of all parameters at the first starts.
const SIZES: [f64; 3] = [1.0, 0.125, 8.0];

#[derive(Debug)]
struct Generalised {
    /// `None` is the sum.
    form: Option<Form>,
    by_view: bool,
    penalty: Penalty,
    starts: usize,
    search: Search,
}

/// λ · mean(θ) or ½ λ · mean(θ²).
#[derive(Debug, Clone, Copy)]
pub(super) struct Penalty {
    squared: bool,
    strength: f64,
}

impl Penalty {
    /// Its value and its derivative.
    fn of(self, parameters: &[f64]) -> (f64, Vec<f64>) {
        let share = self.strength / parameters.len().max(1) as f64;
        let square = |p: &f64| 0.5 * p * p;
        match self.squared {
            false => (share * parameters.iter().sum::<f64>(), vec![share; parameters.len()]),
            true => (
                share * parameters.iter().map(square).sum::<f64>(),
                parameters.iter().map(|p| share * p).collect(),
            ),
        }
    }
}

/// What is learned: parameters of a kernel, and how a model tells them.
pub(super) trait Kernel: Inside {
    /// How many parameters there are.
    fn count(&self) -> usize;

    /// Takes another regulariser.
    fn regularise(&mut self, penalty: Penalty);

    /// The rule and the maps of views of these parameters, with numbers for the report.
    fn learned(&self, parameters: &[f64], report: Report) -> Result<Learned>;
}

/// The machines at θ = 1.
fn size(
    problem: &Problem<'_>,
    kernel: &dyn Kernel,
    tol: f64,
    run: &Run,
    watch: &Watch,
) -> Result<Solution> {
    let run = run.remaining(watch).quiet();
    let how = How { weights: problem.weights, tol: Some(tol), ..How::new(&run) };
    let (machine, target) = (problem.machine, problem.target);
    kernel.with_kernel(&vec![1.0; kernel.count()], &run, watch, &mut |rows| {
        machine.solve(rows, target, &how)
    })
}

/// Start k of so many parameters.
fn start(count: usize, k: usize, run: &Run) -> Vec<f64> {
    if let Some(size) = SIZES.get(k) {
        return vec![*size; count];
    }
    let mut rng = run.rng(&format!("gmkl start {k}"));
    (0..count).map(|_| rng.random_range(-2.0_f64..2.0).exp()).collect()
}

impl Generalised {
    fn new(params: &Params) -> Self {
        let form = match params.text("form") {
            SUM => None,
            PRODUCT => Some(Form::Product),
            _ => Some(Form::Polynomial(u32::try_from(params.count("degree")).unwrap_or(1))),
        };
        Generalised {
            form,
            by_view: params.text("widths") == "views",
            penalty: Penalty {
                squared: params.text("penalty") == "l2",
                strength: params.real("strength"),
            },
            starts: params.count("starts"),
            search: Search {
                tol: params.real("tol"),
                max_iterations: params.count("max_iterations"),
                second_order: params.text("search") == "lbfgs",
            },
        }
    }

    fn kernel<'a>(&self, problem: &'a Problem<'a>) -> Result<Box<dyn Kernel + 'a>> {
        Ok(match self.form {
            None => Box::new(Sum::new(problem, self.penalty)),
            Some(form) => Box::new(Widths::new(METHOD.id, problem, form, self.by_view)?),
        })
    }
}

impl Learner for Generalised {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        if !problem.machine.has_free_dual() {
            let text = "the kernel enters its dual in another way than gmkl relies on; choose another machine";
            return Err(Error::parameter("machine", text));
        }
        if matches!(problem.target, Target::Nothing(_)) {
            let text = "without labels the objective is least where all instances are the same; gmkl learns from labels";
            return Err(Error::parameter("machine", text));
        }
        let watch = run.watch();
        let settled = settled(problem, run, &watch)?;
        let problem = &Problem { target: settled.as_ref().unwrap_or(problem.target), ..*problem };
        let mut kernel = self.kernel(problem)?;
        let ones = size(problem, kernel.as_ref(), 0.1 * self.search.tol, run, &watch)?;
        let strength = self.penalty.strength * ones.primal().abs();
        let penalty = Penalty { strength, ..self.penalty };
        kernel.regularise(penalty);
        let first = |k: usize| Ok(start(kernel.count(), k, run));
        let both = (problem, kernel.as_ref() as &dyn Inside);
        let (title, starts, search) = (METHOD.title, self.starts, self.search);
        let started = from_starts(title, starts, first, both, search, run, &watch)?;
        let mut report = started.report(title, run, &watch);
        let found = started.found;
        report.counts.add(&ones.counts);
        report.counts.combines += 1;
        let penalty = penalty.of(&found.parameters).0;
        for (name, value) in [("penalty", penalty), ("strength", strength)] {
            report.details.insert(name.to_string(), vec![value]);
        }
        let learned = kernel.learned(&found.parameters, report)?;
        Ok(Learned { machines: Some(found.machines), ..learned })
    }

    fn copies(&self) -> Copies {
        Copies::Either
    }

    /// Widths are those of features; a sum is one of any kernels.
    fn needs_features(&self) -> bool {
        self.form.is_some()
    }

    /// Sizes of kernels do not count.
    fn degree(&self, _: usize) -> f64 {
        0.0
    }

    fn drives_duals(&self) -> bool {
        true
    }

    /// Variances of features are those without a look at weights.
    fn weights_repeat(&self) -> bool {
        false
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
