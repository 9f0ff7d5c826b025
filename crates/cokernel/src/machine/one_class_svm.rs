//! One-class support vector machine: a half-space that holds most instances (LMKA §1.3, (1.7)).
//!
//! ```text
//! primal  min ½‖w‖² − ρ + Σ C_i max(0, ρ − ⟨w, Φ(x_i)⟩)
//! dual    max −½ Σ α_i α_j k(x_i, x_j)      Σ α = 1, 0 ≤ α_i ≤ C_i
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | α, −ρ | [`Head::coef`](super::Head), [`Head::bias`](super::Head) |
//! | ν, C = 1/(νn) | `nu`; `c` where it is given |
//!
//! f(x) = Σ α_i k(x_i, x) − ρ is at least 0 for instances like those of training. At most a fraction ν of
//! them lies outside (up to the tolerance), and at least that fraction are support vectors (Schölkopf et al., *Neural
//! Computation* 13, 2001). Multiples of the kernel change f and nothing else. With instance weights C_i is
//! C times the weight, divided by the mean of the weights. See [`one_class`] for the solver and its cost.

use super::common;
use super::{How, Machine, Reading, Role, Says, Solution};
use crate::data::Target;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::solve::Rows;
use crate::solve::one_class::one_class;
use crate::solve::smo::Settings;
use crate::{Error, Result};

/// The registry entry.
pub static ENTRY: Entry<dyn Machine> =
    Entry { method: &METHOD, build: |p| Box::new(OneClassSvm::new(p)) };

static METHOD: Method = Method {
    id: "one_class_svm",
    title: "one-class SVM",
    source: "Schölkopf, Platt, Shawe-Taylor, Smola, Williamson 2001; Gönen 2010, §1.3",
    summary: "Finds instances that are unlike the others, without labels: a half-space in feature space \
              that holds all but a fraction nu of the training instances.",
    tasks: &[Task::Detect],
    group: Group::Machines,
    certificate: Certificate::Gap,
    recommended: true,
    weights: WeightSet::NONE,
    params: PARAMS,
};

/// Parameters of machines that hold most instances.
pub(super) const PARAMS: &[Param] = &[
    Param {
        name: "nu",
        doc: "Largest fraction of training instances outside, and least fraction of support vectors.",
        range: Range::Real { default: 0.5, min: 0.0, max: 1.0, closed: false },
    },
    Param {
        name: "c",
        doc: "Largest coefficient C of an instance, at least 1/n; 0: 1 / (nu n).",
        range: Range::Real { default: 0.0, min: 0.0, max: f64::MAX, closed: true },
    },
    common::TOL,
    common::SHRINKING,
    common::CACHE,
    common::MAX_STEPS,
];

/// Larger bounds count as this: no coefficient is above 1.
const LARGEST: f64 = 1e6;

#[derive(Debug)]
struct OneClassSvm {
    nu: f64,
    c: f64,
    settings: Settings,
}

impl OneClassSvm {
    fn new(p: &Params) -> Self {
        OneClassSvm { nu: p.real("nu"), c: p.real("c"), settings: common::settings(p) }
    }
}

impl Machine for OneClassSvm {
    fn solve(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Solution> {
        let n = target.len();
        let role = Role::Only { says: Says::Inside };
        let (start, settings) = common::asked(kernel, n, role, &self.settings, how)?;
        let (c, costs) = bounds(self.nu, self.c, n, how.weights)?;
        let largest = common::largest_entry(kernel, c)?;
        let found = one_class(kernel, &costs, start, &settings, &how.run.watch());
        let steps = found.steps;
        common::solution(vec![(common::block(found, role, &costs, (0, 0)), steps)], largest, c)
    }

    fn tol(&self) -> f64 {
        self.settings.tol
    }

    fn reading(&self) -> Reading {
        Reading::Inside
    }
}

/// C (`given`, or 1/(νn) where that is 0) and the C_i, whose sum is at least 1.
pub(super) fn bounds(
    nu: f64,
    given: f64,
    n: usize,
    weights: Option<&[f64]>,
) -> Result<(f64, Vec<f64>)> {
    // Instances without weight take no part: the others are n.
    let mass: f64 = weights.map_or(n as f64, |w| w.iter().sum());
    let present = weights.map_or(n, |w| w.iter().filter(|w| **w > 0.0).count());
    if present == 0 {
        return Err(Error::Labels("there is no instance with a weight to learn from".to_string()));
    }
    let c = if given > 0.0 { given } else { 1.0 / (nu * present as f64) };
    if c * (present as f64) < 1.0 - 1e-12 {
        let problem = format!(
            "expected at least 1/{present} = {:.3e}, one divided by the number of instances, found \
             {c:.3e}: the coefficients could not sum to 1",
            1.0 / present as f64
        );
        return Err(Error::parameter("c", problem));
    }
    // Rounding must not make their sum less than 1.
    let costs = common::costs(c * present as f64 / mass, n, weights)?;
    let wider = 1.0 + f64::EPSILON * present as f64;
    let costs: Vec<f64> = costs.iter().map(|c| c.min(LARGEST) * wider).collect();
    Ok((c, costs))
}
