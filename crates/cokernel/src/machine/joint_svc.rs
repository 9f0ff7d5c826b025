//! The multi-class SVM in a single machine (Weston and Watkins 1998; LMKA §1.4.2, (1.9) and (1.11)).
//!
//! ```text
//! primal  min ½ Σ_l ‖w_l‖² + Σ_i C_i Σ_{l≠y_i} max(0, 2 − f_{y_i}(x_i) + f_l(x_i))
//! dual    max 2 Σ α_il − ½ Σ_l c_lᵀ K c_l      Σ_i c_il = 0 for each l,  0 ≤ α_il ≤ C_i
//! ```
//!
//! [`simple_mkl`](mod@crate::mkl) with this machine is the multi-class MKL of Zien and Ong (ICML 2007; D8), whose joint feature
//! maps are those of one weight vector for each class and kernel; `lp_norm` is the same with another norm of the weights.
//!
//! One block with a head for each class; the largest value decides. With two classes its objective is
//! twice that of C-SVC with the same C, and the decisions are the same. C_i as for C-SVC. What is free to move are the
//! α_il inside their bounds, each between two heads. See [`joint_classes`] for the solver and its cost.

use super::common;
use super::svc::{CLASS_WEIGHT, COST};
use super::{Block, Head, How, Machine, Reading, Role, Solution, Svc};
use crate::Result;
use crate::data::Target;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::Params;
use crate::solve::Rows;
use crate::solve::joint::{Joint, joint_classes};
use crate::solve::smo::Settings;

/// The registry entry.
pub static ENTRY: Entry<dyn Machine> =
    Entry { method: &METHOD, build: |p| Box::new(JointSvc::new(p)) };

static METHOD: Method = Method {
    id: "joint_svc",
    title: "multi-class SVM in a single machine",
    source: "Weston, Watkins 1998; Gönen 2010, §1.4.2, (1.9)-(1.11)",
    summary: "All classes in one problem, with a margin between the own class and each other one, instead of \
              binary problems. The classes share one optimum; takes several times as long as one versus rest, and at a large C may end before its tolerance. With \
              simple_mkl or lp_norm it is the multi-class MKL of Zien and Ong (2007).",
    tasks: &[Task::Classify],
    group: Group::Machines,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[COST, CLASS_WEIGHT, common::TOL, common::CACHE, common::MAX_STEPS],
};

#[derive(Debug)]
struct JointSvc {
    svc: Svc,
    settings: Settings,
}

impl JointSvc {
    fn new(p: &Params) -> Self {
        let svc = Svc::with_costs(p);
        JointSvc {
            svc,
            settings: Settings {
                tol: p.real("tol"),
                shrinking: false,
                cache: p.count("cache"),
                max_steps: p.count("max_steps") as u64,
            },
        }
    }
}

impl Machine for JointSvc {
    fn solve(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Solution> {
        let classes = target.classes()?;
        let (n, k) = (classes.codes.len(), classes.n_classes());
        let roles: Vec<Role> =
            (0..k as u32).map(|c| Role::Classes { positive: c, negative: None }).collect();
        common::check(kernel, n, &roles, how)?;
        let costs = self.svc.costs(classes, how.weights)?;
        let largest = common::largest_entry(kernel, self.svc.c)?;
        let start: Option<Vec<Vec<f64>>> =
            how.warm.map(|w| w.heads().map(|h| h.coef.clone()).collect());
        let settings = Settings { tol: how.tol.unwrap_or(self.settings.tol), ..self.settings };
        let problem =
            Joint { rows: kernel, codes: &classes.codes, classes: k, margins: None, costs: &costs };
        let found = joint_classes(&problem, start.as_deref(), &settings, &how.run.watch());
        let norm = found.norm();
        let heads = roles.iter().zip(found.coef).zip(found.bias);
        let block = Block {
            linear: found.dual + 0.5 * norm,
            primal: found.primal,
            objective: found.dual,
            gap: found.gap,
            hidden: 0.0,
            status: found.status,
            free: Some(common::free_between(&found.free)),
            at_bound: (0, 0),
            heads: heads.map(|((role, coef), bias)| Head { role: *role, coef, bias }).collect(),
        };
        common::solution(vec![(block, found.steps)], largest, self.svc.c)
    }

    fn check(&self) -> Result<()> {
        Machine::check(&self.svc)
    }

    fn tol(&self) -> f64 {
        self.settings.tol
    }

    fn reading(&self) -> Reading {
        Reading::Scores
    }
}
