//! Support vector classification (C-SVC; LMKA §1.1, B1).
//!
//! ```text
//! primal  min ½‖w‖² + Σ C_i ξ_i      y_i(⟨w, Φ(x_i)⟩ + b) ≥ 1 − ξ_i, ξ ≥ 0
//! dual    max Σ α_i − ½ Σ α_i α_j y_i y_j k(x_i, x_j)      Σ α_i y_i = 0, 0 ≤ α_i ≤ C_i
//! ```
//!
//! C_i = `c` × class weight × instance weight. [`Head::coef`] is α_i y_i, [`Head::bias`] is b.
//! An instance with C_i = 0 takes no part; one-versus-one sets it for the classes outside the
//! pair, so a pair costs what its own instances cost.
//!
//! The solver works on x = coef with q = −y (see [`smo`](crate::solve::smo)); b is the minimiser of the primal
//! for the w found, exactly (the middle of the interval where several are), and the reported gap
//! is computed with that b. Where C is so large that no instance has a loss at the optimum, w is
//! enlarged until none has one, which makes the gap independent of C: a C of 10¹⁷ costs what a hard
//! margin costs. Where some have a loss and C is large, the rounding of kernels, times C, can be more than
//! the gap of the kernels as they are rounded: what it may hide, if that is a twentieth of the tolerance
//! or more, is in the gap that a fit tells ([`Block::hidden`]), and the machine has converged if that is within the tolerance.

use super::binary::{self, Binary};
use super::common::{self, NEAR};
use super::{Block, Decomposition, Free, Head, How, Machine, Reading, Solution};
use crate::data::{Classes, PartialClasses, Target};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range, Value};
use crate::scale::Loss;
use crate::solve::Rows;
use crate::solve::rounding::{Rounding, told};
use crate::solve::smo::{self, Quadratic};
use crate::solve::solved::of_sum_zero;
use crate::{Error, Result, Run, brief};
use serde::{Deserialize, Serialize};

/// The registry entry.
pub static ENTRY: Entry<dyn Machine> =
    Entry { method: &METHOD, build: |p| Box::new(Svc::from_params(p)) };

static METHOD: Method = Method {
    id: "svc",
    title: "C-SVC",
    source: "Cortes, Vapnik 1995; Gönen 2010, §1.1",
    summary: "Support vector classification with the hinge loss: few support vectors, and the same \
              answer whatever lies far beyond the margin. Several classes by binary problems.",
    tasks: &[Task::Classify],
    group: Group::Machines,
    certificate: Certificate::Gap,
    recommended: true,
    weights: WeightSet::NONE,
    params: PARAMS,
};

/// C of classes.
pub(super) const COST: Param = Param {
    name: "c",
    doc: "Cost C of a unit of slack.",
    range: Range::Real { default: 1.0, min: 0.0, max: f64::MAX, closed: false },
};

/// Its factors.
pub(super) const CLASS_WEIGHT: Param = Param {
    name: "class_weight",
    doc: "Factors of C by class; balanced: n / (k · n_class).",
    range: Range::Factors { default: "none", of: &["none", BALANCED], min: 0.0, max: f64::MAX },
};

/// How binary problems make up several classes.
pub(super) const DECOMPOSITION: Param = Param {
    name: "decomposition",
    doc: "How several classes become binary problems; one_vs_one votes, dag is one_vs_one decided along a \
          directed acyclic graph.",
    range: Range::Choice { default: "one_vs_rest", of: &["one_vs_rest", "one_vs_one", "dag"] },
};

/// Parameters of machines that learn classes by binary problems with a cost C.
pub(super) const PARAMS: &[Param] = &[
    COST,
    CLASS_WEIGHT,
    DECOMPOSITION,
    common::TOL,
    common::SHRINKING,
    common::CACHE,
    common::MAX_STEPS,
];

/// The word for class weights by frequency.
const BALANCED: &str = "balanced";

/// C-SVC: parameters of the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Svc {
    /// Cost C > 0 of a unit of slack.
    pub c: f64,
    /// Multiplies C for each class by name; missing classes have 1. `balanced` below overrides.
    pub class_weights: Vec<(String, f64)>,
    /// Class weights n / (k · n_class).
    pub balanced: bool,
    /// How several classes become binary problems.
    pub decomposition: Decomposition,
    /// Relative duality gap to stop at.
    pub tol: f64,
    /// Whether variables at their bounds are set aside while they stay there.
    pub shrinking: bool,
    /// Bytes for the row cache of the solver.
    pub cache: usize,
    /// Limit on SMO steps per binary problem.
    pub max_steps: u64,
}

impl Default for Svc {
    /// C = 1, no weights, one-versus-rest, gap 1e-3, shrinking, 256 MiB of rows, 10⁹ steps.
    fn default() -> Self {
        Svc {
            c: 1.0,
            class_weights: Vec::new(),
            balanced: false,
            decomposition: Decomposition::OneVsRest,
            tol: 1e-3,
            shrinking: true,
            cache: 256 << 20,
            max_steps: 1_000_000_000,
        }
    }
}

impl Machine for Svc {
    fn solve(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Solution> {
        let tol = how.tol.unwrap_or(self.tol);
        binary::solve(self, tol, kernel, target.classes()?, how, &hinge)
    }

    fn check(&self) -> Result<()> {
        if !(self.c > 0.0 && self.c.is_finite()) {
            let problem = format!("expected a finite number above 0, found {}", brief(self.c));
            return Err(Error::parameter("c", problem));
        }
        if !(self.tol > 0.0 && self.tol < 1.0) {
            let problem = format!("expected a number between 0 and 1, found {}", brief(self.tol));
            return Err(Error::parameter("tol", problem));
        }
        Ok(())
    }

    fn loss(&self) -> Option<Loss> {
        Some(Loss::Hinge)
    }

    fn loss_costs(&self, target: &Target, weights: Option<&[f64]>) -> Result<Vec<f64>> {
        binary::check(self, target.classes()?)?;
        self.costs(target.classes()?, weights)
    }

    fn tol(&self) -> f64 {
        self.tol
    }

    fn reading(&self) -> Reading {
        Reading::Classes(self.decomposition)
    }

    fn problems(&self, classes: usize) -> usize {
        self.decomposition.pairs(classes).len()
    }

    fn as_svc(&self) -> Option<&Svc> {
        Some(self)
    }

    fn advice(&self, share: f64, diagonal: f64) -> Option<String> {
        let (c, product) = (self.c, self.c * diagonal);
        let start = format!(
            "{:.0} % of the instances of the smaller classes are at their bound (α = C = {c:.3e}), and C times the mean \
             diagonal of the combined kernel ({diagonal:.3e}) is {product:.3e}",
            100.0 * share
        );
        // Unit diagonals are 1, a little less where some instances lack a view.
        Some(if product < 0.5 {
            let near = if (10.0 / diagonal).is_finite() { 10.0 / diagonal } else { 10.0 * c };
            format!(
                "{start}: C is small for these kernels; scale them (normalize=unit_diagonal or center_unit_variance) or \
                 try C near {near:.0e}"
            )
        } else {
            let (more, most) = (10.0 * c, 100.0 * c);
            format!(
                "{start}, which is not small: the classes may overlap; compare C = {more:.0e} and {most:.0e}"
            )
        })
    }
}

impl Svc {
    /// The machine with checked parameters.
    pub(super) fn from_params(p: &Params) -> Self {
        Svc {
            decomposition: Decomposition::from_params(p),
            tol: p.real("tol"),
            shrinking: p.text("shrinking") == "yes",
            cache: p.count("cache"),
            max_steps: p.count("max_steps") as u64,
            ..Svc::with_costs(p)
        }
    }

    /// The default machine with the C and the class weights of checked parameters.
    pub(super) fn with_costs(p: &Params) -> Self {
        let class_weight = p.factors("class_weight");
        let named = |all: &std::collections::BTreeMap<String, f64>| {
            all.iter().map(|(name, weight)| (name.clone(), *weight)).collect()
        };
        Svc {
            c: p.real("c"),
            balanced: class_weight == Err(BALANCED),
            class_weights: class_weight.map(named).unwrap_or_default(),
            ..Svc::default()
        }
    }

    /// The parameters by name.
    pub fn given(&self) -> Vec<(String, Value)> {
        let class_weight = match (self.balanced, self.class_weights.is_empty()) {
            (true, _) => Value::from(BALANCED),
            (_, true) => Value::from("none"),
            _ => Value::Factors(self.class_weights.iter().cloned().collect()),
        };
        let whole = |v: u64| Value::Int(i64::try_from(v).unwrap_or(i64::MAX));
        [
            ("c", Value::Real(self.c)),
            ("class_weight", class_weight),
            ("decomposition", self.decomposition.id().into()),
            ("tol", Value::Real(self.tol)),
            ("shrinking", if self.shrinking { "yes" } else { "no" }.into()),
            ("cache", whole(self.cache as u64)),
            ("max_steps", whole(self.max_steps)),
        ]
        .map(|(name, value)| (name.to_string(), value))
        .into()
    }

    /// Trains on one kernel.
    ///
    /// `weights`: non-negative instance weights that multiply C (length n), if given.
    /// `warm`: the solution of a nearby problem with the same instances, to start from.
    ///
    /// # Errors
    /// Parameters out of range, lengths that differ, unknown class names, numbers beyond f64.
    pub fn fit(
        &self,
        kernel: &dyn Rows,
        classes: &Classes,
        weights: Option<&[f64]>,
        warm: Option<&Solution>,
        run: &Run,
    ) -> Result<Solution> {
        let how = How { weights, warm, ..How::new(run) };
        binary::solve(self, self.tol, kernel, classes, &how, &hinge)
    }

    /// C_i of each instance, 0 without a class.
    ///
    /// # Errors
    /// As [`costs`](Self::costs).
    pub(crate) fn costs_of_labelled(
        &self,
        classes: &PartialClasses,
        weights: Option<&[f64]>,
    ) -> Result<Vec<f64>> {
        let (known, labelled) = classes.labelled();
        let weights: Option<Vec<f64>> = weights.map(|w| known.iter().map(|i| w[*i]).collect());
        let found = self.costs(&labelled, weights.as_deref())?;
        let mut costs = vec![0.0; classes.codes.len()];
        known.iter().zip(found).for_each(|(i, c)| costs[*i] = c);
        Ok(costs)
    }

    /// C_i of each instance.
    ///
    /// # Errors
    /// Unknown class names; a product that is not a finite number.
    pub fn costs(&self, classes: &Classes, weights: Option<&[f64]>) -> Result<Vec<f64>> {
        let k = classes.n_classes();
        let mut by_class = vec![1.0; k];
        for (name, weight) in &self.class_weights {
            let Some(c) = classes.names.iter().position(|n| n == name) else {
                return Err(Error::unknown("class", name, &classes.names));
            };
            by_class[c] = *weight;
        }
        if self.balanced {
            let n = classes.codes.len() as f64;
            by_class = classes.counts().iter().map(|m| n / (k as f64 * *m as f64)).collect();
        }
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let cost = |(i, code): (usize, &u32)| self.c * by_class[*code as usize] * weight(i);
        let costs: Vec<f64> = classes.codes.iter().enumerate().map(cost).collect();
        match costs.iter().position(|c| !c.is_finite()) {
            None => Ok(costs),
            Some(i) => {
                let problem = format!(
                    "{:e} times the weights of instance {i} is {}; use a smaller C or smaller weights",
                    self.c, costs[i]
                );
                Err(Error::parameter("c", problem))
            }
        }
    }
}

/// Solves one binary problem; also gives the number of steps. With soft labels the loss C_i max(0, 1 − f/ŷ_i)
/// is C_i/|ŷ_i| max(0, |ŷ_i| − f sign ŷ_i).
pub(super) fn hinge(problem: &Binary<'_>) -> (Block, u64) {
    let Binary { y, signed, .. } = problem;
    let lower: Vec<f64> = signed.iter().map(|c| c.min(0.0)).collect();
    let upper: Vec<f64> = signed.iter().map(|c| c.max(0.0)).collect();
    let linear: Vec<f64> = y.iter().map(|y| -y).collect();
    let quadratic =
        Quadratic { rows: problem.kernel, linear: &linear, lower: &lower, upper: &upper };
    let start = problem.start.map(|coef| of_sum_zero(coef, &lower, &upper));
    let found = smo::solve(&quadratic, start, &problem.settings, problem.watch);
    let bias = -found.threshold;
    let values: Vec<f64> = found.gradient.iter().zip(&linear).map(|(f, q)| f - q).collect();
    let costs: Vec<f64> = signed.iter().map(|c| c.abs()).collect();
    let excess = |i: usize| y[i].abs() - y[i].signum() * (values[i] + bias);
    let excess: Vec<f64> = (0..y.len()).map(excess).collect();
    let (mut norm, mut sum, mut loss) = (0.0, 0.0, 0.0);
    for i in 0..y.len() {
        norm += found.x[i] * values[i];
        sum += found.x[i] * y[i];
        loss += costs[i] * excess[i].max(0.0);
    }
    let (primal, objective) = (0.5 * norm + loss, sum - 0.5 * norm);
    let gap = (primal - objective) / primal.abs().max(f64::MIN_POSITIVE);
    // Below 0 by the rounding of two sums; a matrix that is not positive semi-definite may have more.
    let gap = if gap.abs() <= y.len() as f64 * f64::EPSILON { gap.max(0.0) } else { gap };
    let other: Vec<f64> = values.iter().map(|v| v.abs() + bias.abs()).collect();
    let rounding = Rounding { rows: problem.kernel, coef: &found.x, other: &other };
    let enough = told(problem.settings.tol) * primal.abs();
    let hidden = rounding.of_losses(&costs, &excess, enough, problem.watch);
    let coef = found.x;
    let inside = |i: &usize| coef[*i] != 0.0 && coef[*i].abs() < (1.0 - NEAR) * signed[*i].abs();
    let rows = (0..y.len()).filter(inside).map(|i| i as u32).collect();
    let block = Block {
        linear: sum,
        primal,
        objective,
        gap,
        hidden,
        status: found.status,
        free: Some(Free { rows, sum: true, ..Free::default() }),
        at_bound: smaller_side(&coef, signed),
        heads: vec![Head { role: problem.role, coef, bias }],
    };
    (block, found.steps)
}

/// Σ_i α_i y_i = 0, so at most the smaller side of a binary problem (by the sum of its C_i) can be at its
/// bound as a whole, together with as much of the other. Of that side: the instances at their bound, and
/// all that take part. `signed` is y_i C_i.
fn smaller_side(coef: &[f64], signed: &[f64]) -> (usize, usize) {
    let side = |sign: f64| {
        let (mut some, mut of, mut sum) = (0, 0, 0.0);
        for (coef, c) in coef.iter().zip(signed).filter(|(_, c)| **c * sign > 0.0) {
            some += usize::from(coef.abs() >= c.abs() * (1.0 - NEAR));
            of += 1;
            sum += c.abs();
        }
        (sum, some, of)
    };
    let (positive, negative) = (side(1.0), side(-1.0));
    let (_, some, of) = if negative.0 < positive.0 { negative } else { positive };
    (some, of)
}
