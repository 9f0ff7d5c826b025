//! Support vector data description: the smallest ball that holds most instances (Tax and Duin, *Machine Learning*
//! 54, 2004).
//!
//! ```text
//! primal  min R² + Σ C_i max(0, ‖Φ(x_i) − a‖² − R²)
//! dual    max Σ α_i k(x_i, x_i) − Σ α_i α_j k(x_i, x_j)      Σ α = 1, 0 ≤ α_i ≤ C_i
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | α, (R² − αᵀKα)/2 | [`Head::coef`](super::Head), [`Head::bias`](super::Head) |
//! | ν, C = 1/(νn) | `nu`; `c` where it is given |
//!
//! The decision value is half of what the squared distance of Φ(x) from the centre a = Σ α_i Φ(x_i) is below R²:
//! ½(R² − ‖Φ(x) − a‖²) = Σ α_i k(x_i, x) + b − ½ k(x, x), at least 0 inside. It needs k(x, x) of new instances
//! ([`Machine::own_similarity`]), which features tell and similarities do not. ν, C and instance weights mean
//! what they mean for the [one-class SVM](super::one_class_svm), whose ball this is where all k(x, x) are equal
//! (Gaussian kernels, `unit_diagonal`); elsewhere it does not look from the origin: adding a constant to the
//! kernel changes nothing.
//!
//! The kernel enters the dual through its diagonal, too: ℓ is not free of it, [`Block::linear`](super::Block)
//! is no ℓ, and methods that certify a combination by that form refuse this machine. See [`data_description`]
//! for the solver.

use super::common;
use super::one_class_svm::{PARAMS, bounds};
use super::{How, Machine, Reading, Role, Says, Solution};
use crate::Result;
use crate::data::Target;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::Params;
use crate::solve::Rows;
use crate::solve::one_class::data_description;
use crate::solve::smo::Settings;

/// The registry entry.
pub static ENTRY: Entry<dyn Machine> = Entry { method: &METHOD, build: |p| Box::new(Svdd::new(p)) };

static METHOD: Method = Method {
    id: "svdd",
    title: "support vector data description",
    source: "Tax, Duin 2004",
    summary: "Finds instances that are unlike the others, without labels: the smallest ball in feature space that \
              holds all but a fraction nu of the training instances. Wants features, as it compares new \
              instances with themselves.",
    tasks: &[Task::Detect],
    group: Group::Machines,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: PARAMS,
};

#[derive(Debug)]
struct Svdd {
    nu: f64,
    c: f64,
    settings: Settings,
}

impl Svdd {
    fn new(p: &Params) -> Self {
        Svdd { nu: p.real("nu"), c: p.real("c"), settings: common::settings(p) }
    }
}

impl Machine for Svdd {
    fn solve(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Solution> {
        let n = target.len();
        let role = Role::Only { says: Says::Inside };
        let (start, settings) = common::asked(kernel, n, role, &self.settings, how)?;
        let (c, costs) = bounds(self.nu, self.c, n, how.weights)?;
        let largest = common::largest_entry(kernel, c)?;
        let ball = data_description(kernel, &costs, start, &settings, &how.run.watch());
        let steps = ball.machine.steps;
        let terms = largest * ball.machine.coef.iter().map(|c| c.abs()).sum::<f64>();
        let block = common::settled(common::block(ball.machine, role, &costs, (0, 0)), terms);
        common::solution(vec![(block, steps)], largest, c)
    }

    fn tol(&self) -> f64 {
        self.settings.tol
    }

    fn reading(&self) -> Reading {
        Reading::Inside
    }

    fn has_free_dual(&self) -> bool {
        false
    }

    fn own_similarity(&self) -> f64 {
        -0.5
    }
}
