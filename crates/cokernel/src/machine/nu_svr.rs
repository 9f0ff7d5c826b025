//! Support vector regression whose tube has a width that is learned (ν-SVR; Schölkopf, Smola, Williamson
//! and Bartlett, *Neural Computation* 12, 2000).
//!
//! ```text
//! primal  min ½‖w‖² + Σ C_i max(0, |y_i − ⟨w, Φ(x_i)⟩ − b| − ε) + ν (Σ C_i) ε      over w, b, ε ≥ 0
//! dual    max yᵀβ − ½ Σ β_i β_j k(x_i, x_j)      Σ β = 0, |β_i| ≤ C_i, ‖β‖₁ ≤ ν Σ C_i
//! ```
//!
//! At most a fraction ν of the instances is outside the tube, and at least that fraction are support
//! vectors. C_i = `c` × instance weight. ℓ(c) = yᵀβ; where the tube has a width the free coefficients share the sum
//! Σ |β|, too. See [`nu_svr`] for the solver and its cost.

use super::common;
use super::{How, Machine, Reading, Role, Says, Solution};
use crate::Result;
use crate::data::Target;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::solve::Rows;
use crate::solve::nu_svr::nu_svr;
use crate::solve::smo::Settings;

/// The registry entry.
pub static ENTRY: Entry<dyn Machine> =
    Entry { method: &METHOD, build: |p| Box::new(NuSvr::new(p)) };

static METHOD: Method = Method {
    id: "nu_svr",
    title: "ν-SVR",
    source: "Schölkopf, Smola, Williamson, Bartlett 2000; Gönen 2010, §1.2",
    summary: "Support vector regression that learns the width of its tube: nu says how many instances may \
              lie outside. Takes a few solutions of ε-SVR, at a large C dozens.",
    tasks: &[Task::Regress],
    group: Group::Machines,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "c",
            doc: "Cost C of a unit of error beyond the tube.",
            range: Range::Real { default: 1.0, min: 0.0, max: f64::MAX, closed: false },
        },
        Param {
            name: "nu",
            doc: "Largest fraction of instances outside the tube, and least of support vectors.",
            range: Range::Real { default: 0.5, min: 0.0, max: 1.0, closed: false },
        },
        common::TOL,
        common::SHRINKING,
        common::CACHE,
        common::MAX_STEPS,
    ],
};

/// Part of ν Σ C_i by which Σ |c| may be less where it is all that is allowed.
const NEAR: f64 = 1e-6;

#[derive(Debug)]
struct NuSvr {
    c: f64,
    nu: f64,
    settings: Settings,
}

impl NuSvr {
    fn new(p: &Params) -> Self {
        NuSvr { c: p.real("c"), nu: p.real("nu"), settings: common::settings(p) }
    }
}

impl Machine for NuSvr {
    fn solve(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Solution> {
        let y = target.real()?;
        let role = Role::Only { says: Says::Number };
        let (start, settings) = common::asked(kernel, y.len(), role, &self.settings, how)?;
        let costs = common::costs(self.c, y.len(), how.weights)?;
        let largest = common::largest_entry(kernel, self.c)?;
        let tube = nu_svr(kernel, y, self.nu, &costs, start, &settings, &how.run.watch());
        let steps = tube.machine.steps;
        let mut block = common::block(tube.machine, role, &costs, (0, 0));
        let coef = &block.heads[0].coef;
        let (used, all) = (coef.iter().map(|c| c.abs()).sum::<f64>(), costs.iter().sum::<f64>());
        // A width that is rounding is no sign that Σ |c| is all that ν allows.
        let full = tube.epsilon > 0.0 && used >= (1.0 - NEAR) * self.nu.min(1.0) * all;
        if let Some(free) = block.free.as_mut().filter(|_| full) {
            free.also = free.rows.iter().map(|i| coef[*i as usize].signum()).collect();
        }
        common::solution(vec![(block, steps)], largest, self.c)
    }

    fn tol(&self) -> f64 {
        self.settings.tol
    }

    fn reading(&self) -> Reading {
        Reading::Number
    }
}
