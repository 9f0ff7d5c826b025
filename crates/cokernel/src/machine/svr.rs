//! Support vector regression with an ε-insensitive loss (ε-SVR; LMKA §1.2, (1.5)).
//!
//! ```text
//! primal  min ½‖w‖² + Σ C_i max(0, |y_i − ⟨w, Φ(x_i)⟩ − b| − ε)
//! dual    max yᵀβ − ε‖β‖₁ − ½ Σ β_i β_j k(x_i, x_j)      Σ β = 0, |β_i| ≤ C_i
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | β, b | [`Head::coef`](super::Head), [`Head::bias`](super::Head) |
//! | ε | `epsilon`, in the units of y |
//!
//! C_i = `c` × instance weight. y is not scaled: with targets far from unit size, scale C and ε with
//! them. See [`epsilon_svr`] for the solver and its cost.

use super::common;
use super::{How, Machine, Reading, Role, Says, Solution};
use crate::data::Target;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::scale::Loss;
use crate::solve::Rows;
use crate::solve::smo::Settings;
use crate::solve::svr::epsilon_svr;
use crate::{Result, Watch};

/// The registry entry.
pub static ENTRY: Entry<dyn Machine> = Entry { method: &METHOD, build: |p| Box::new(Svr::new(p)) };

static METHOD: Method = Method {
    id: "svr",
    title: "ε-SVR",
    source: "Vapnik 1998; Gönen 2010, §1.2",
    summary: "Support vector regression: errors up to epsilon cost nothing, larger ones grow linearly, \
              so that few outliers do not decide. Few support vectors.",
    tasks: &[Task::Regress],
    group: Group::Machines,
    certificate: Certificate::Gap,
    recommended: true,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "c",
            doc: "Cost C of a unit of error beyond epsilon.",
            range: Range::Real { default: 1.0, min: 0.0, max: f64::MAX, closed: false },
        },
        Param {
            name: "epsilon",
            doc: "Half the width of the tube in which errors cost nothing, in the units of the target.",
            range: Range::Real { default: 0.1, min: 0.0, max: f64::MAX, closed: true },
        },
        common::TOL,
        common::SHRINKING,
        common::CACHE,
        common::MAX_STEPS,
    ],
};

#[derive(Debug)]
struct Svr {
    c: f64,
    epsilon: f64,
    settings: Settings,
}

impl Svr {
    fn new(p: &Params) -> Self {
        Svr { c: p.real("c"), epsilon: p.real("epsilon"), settings: common::settings(p) }
    }
}

impl Machine for Svr {
    fn solve(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Solution> {
        let y = target.real()?;
        let role = Role::Only { says: Says::Number };
        let (start, settings) = common::asked(kernel, y.len(), role, &self.settings, how)?;
        let costs = common::costs(self.c, y.len(), how.weights)?;
        let largest = common::largest_entry(kernel, self.c)?;
        let watch: Watch = how.run.watch();
        let found = epsilon_svr(kernel, y, self.epsilon, &costs, start, &settings, &watch);
        let bound =
            |(c, cost): &(&f64, &f64)| **cost > 0.0 && c.abs() >= **cost * (1.0 - common::NEAR);
        let some = found.coef.iter().zip(&costs).filter(bound).count();
        let of = costs.iter().filter(|c| **c > 0.0).count();
        let steps = found.steps;
        common::solution(
            vec![(common::block(found, role, &costs, (some, of)), steps)],
            largest,
            self.c,
        )
    }

    fn loss(&self) -> Option<Loss> {
        Some(Loss::Insensitive { epsilon: self.epsilon })
    }

    fn loss_costs(&self, target: &Target, weights: Option<&[f64]>) -> Result<Vec<f64>> {
        common::costs(self.c, target.len(), weights)
    }

    fn tol(&self) -> f64 {
        self.settings.tol
    }

    fn reading(&self) -> Reading {
        Reading::Number
    }

    fn advice(&self, share: f64, diagonal: f64) -> Option<String> {
        let c = self.c;
        Some(format!(
            "{:.0} % of the instances are outside the tube at their bound (|β| = C): either C = {c:.3e} times the mean \
             diagonal of the combined kernel ({diagonal:.3e}) is small beside the spread of the targets (compare a C 10 and \
             100 times as large), or epsilon = {:.3e} is small beside their noise, or the kernels say little of them (then a \
             larger C changes nothing; compare a larger epsilon and other kernels)",
            100.0 * share,
            self.epsilon,
        ))
    }
}
