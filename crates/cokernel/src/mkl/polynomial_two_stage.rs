//! Polynomial TS-MKL: weights of kernels and of their products as a linear classifier of pairs of instances.
//!
//! ```text
//! min over μ ≥ 0    λ/2 ‖μ‖² + mean over pairs i ≤ j of  [1 − t_ij μ·z_ij]₊
//! z_ij = (k_1, …, k_M, k_1 k_1, k_1 k_2, …, k_M k_M)(x_i, x_j),      K(μ) = Σ_a μ_a K_a + Σ_{a ≤ b} μ_ab K_a ∘ K_b
//! ```
//!
//! (LMS (6.1), (6.2), §6.2.1.) Degree 3 has all products of three kernels, too. Products of positive semi-definite kernels are
//! positive semi-definite, so K(μ) is a kernel. Everything else is as in [`two_stage`](super::two_stage): pairs, signs,
//! λ, s (kernels are divided by it before they are multiplied) and the solvers.
//!
//! | symbol | name |
//! |---|---|
//! | μ | detail `mu`, in the order of detail `term_sizes`; the terms with weight and their weights are in the rule |
//! | λ | `lambda`, detail `lambda` |
//! | degree | `degree` |
//!
//! **Choices that the source leaves open.** (6.1) lists p² products, each pair of different kernels in both orders, its toy
//! the distinct ones: under an L2 penalty they have different optima. `products = distinct` is the default, `ordered` the
//! other ([`products`](super::two_stage::products)). `solver = auto` is `exact` up to 4 000 products, from which on their
//! values on 10⁴ pairs would fill the memory of a small machine, and `pegasos` beyond.
//!
//! **Result.** The weights are divided so that the combination has the mean diagonal s of the kernels: C of the machine means
//! what it does for their mean. `weights` of a kernel in tables is its part of the weights of its products.
//!
//! **Scale.** Scaling all kernels by one factor changes nothing; scaling one does. Two copies get the same weights.
//!
//! **Cost**: T = C(M + d, d) − 1 features a pair, formed pair by pair; at most 2²⁴ numbers at once. The interior-point
//! method works on the features that have a weight, all of them where λ is large. New rows evaluate the kernels of terms with a weight alone.

use super::two_stage::classifier::{
    BATCH, DIAGONAL, EXAMPLES, LAMBDA, PENALTY, PairClassifier, SOLVER, STEPS, TOL, VALIDATION,
};
use super::two_stage::pairs::Sampler;
use super::two_stage::products::{Products, count};
use super::two_stage::uncentred;
use super::{Copies, Learned, Learner, Problem, check};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::Monomials;
use crate::{Error, Report, Result, Run, Status};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(Polynomial { params: p.clone() }) };

static METHOD: Method = Method {
    id: "polynomial_two_stage",
    title: "polynomial two-stage MKL (TS-MKL)",
    source: "Kumar 2013, §6.2.1, (6.1), (6.2)",
    summary: "Learns weights of the kernels and of their products of two or three, as a linear classifier of pairs of \
              instances, then the machine. For kernels that are weak alone, such as those of single features.",
    tasks: &[Task::Classify],
    group: Group::WeightsFirst,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "degree",
            doc: "Most kernels in a product.",
            range: Range::Int { default: 2, min: 1, max: 3 },
        },
        Param {
            name: "products",
            doc: "distinct: each product once; ordered: k_a k_b and k_b k_a are two.",
            range: Range::Choice { default: "distinct", of: &["distinct", "ordered"] },
        },
        SOLVER,
        EXAMPLES,
        PENALTY,
        TOL,
        STEPS,
        BATCH,
        LAMBDA,
        VALIDATION,
        DIAGONAL,
    ],
};

/// Most products: their weights for each λ of the grid fill 1.4 GB.
const MOST: usize = 10_000_000;

#[derive(Debug)]
struct Polynomial {
    params: Params,
}

impl Learner for Polynomial {
    fn weights_repeat(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let (watch, kernels) = (run.watch(), problem.bank.len());
        let degree = self.params.count("degree");
        if count(kernels, degree).is_none_or(|t| t > MOST) {
            let problem = format!(
                "{kernels} kernels have more than {MOST} products of degree {degree}; use fewer kernels or a \
                 smaller degree"
            );
            return Err(Error::parameter("degree", problem));
        };
        let mut report = Report::closed_form(run);
        report.status = Status::Converged;
        report.warnings.extend(uncentred(METHOD.id, problem));
        let classifier = PairClassifier::new(&self.params);
        let squares = self.params.text("penalty") == "l2";
        let ordered = self.params.text("products") == "ordered" && squares;
        let products = Products::new(kernels, degree, ordered);
        let sampler = Sampler::new(problem, classifier.diagonal, classifier.by_instances, run)?;
        if !sampler.unit().powi(degree as i32).is_normal() {
            return Err(Error::Data(format!(
                "the mean diagonal of the kernels is {:.1e}: products of {degree} of them are no numbers; scale them, as \
                 normalize=unit_trace does",
                sampler.unit()
            )));
        }
        let sampler = sampler.with_products(products.clone());
        let found = classifier.learn(&sampler, run, &watch, &mut report)?;
        let terms = products.terms();
        let weights = match found.mu.iter().any(|v| *v > 0.0) {
            true => {
                let largest = found.mu.iter().fold(0.0_f64, |a, v| a.max(*v));
                let unit = sampler.unit();
                let of = |(t, v): (usize, &f64)| {
                    v / largest * products.factor(t) / unit.powi(terms[t].len() as i32)
                };
                found.mu.iter().enumerate().map(of).collect()
            }
            false => {
                found.shares(problem, &mut report);
                (0..terms.len())
                    .map(|t| if t < kernels { 1.0 / kernels as f64 } else { 0.0 })
                    .collect()
            }
        };
        let sizes = terms.iter().map(|t| t.len() as f64).collect();
        report.details.insert("term_sizes".to_string(), sizes);
        let rule = Monomials::new(
            kernels,
            terms,
            self.of_unit_size(problem, &sampler, &products, weights),
        );
        report.seconds = watch.seconds();
        Ok(Learned::of(crate::rule::Combination::new(rule), report))
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    fn reads_pairs(&self) -> bool {
        true
    }
}

impl Polynomial {
    /// The weights, divided so that the mean diagonal of the combination is s.
    fn of_unit_size(
        &self,
        problem: &Problem<'_>,
        sampler: &Sampler<'_>,
        products: &Products,
        weights: Vec<f64>,
    ) -> Vec<f64> {
        let (n, kernels) = (problem.bank.n(), problem.bank.len());
        let diagonals: Vec<_> = (0..kernels).map(|m| problem.bank.diagonal(m)).collect();
        let terms = products.terms();
        let used: Vec<usize> = (0..terms.len()).filter(|t| weights[*t] != 0.0).collect();
        let value = |i: usize, t: &usize| -> f64 {
            weights[*t] * terms[*t].iter().map(|m| diagonals[*m as usize][i]).product::<f64>()
        };
        let mean =
            (0..n).map(|i| used.iter().map(|t| value(i, t)).sum::<f64>() / n as f64).sum::<f64>();
        let factor = sampler.unit() / mean;
        match factor.is_finite() && factor > 0.0 {
            true => weights.iter().map(|w| w * factor).collect(),
            false => weights,
        }
    }
}
