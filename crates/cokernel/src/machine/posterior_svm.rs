//! The posterior-probability SVM: soft labels instead of classes (LMKA §1.5; Tao et al., *IEEE Transactions on
//! Neural Networks* 16, 2005; Gönen, Tanuğur and Alpaydın, the same, 19, 2008).
//!
//! Two classes, (1.12) and (1.13):
//!
//! ```text
//! ŷ_i = 2 P(+|x_i) − 1
//! primal  min ½‖w‖² + Σ C_i ξ_i      ŷ_i(⟨w, Φ(x_i)⟩ + b) ≥ ŷ_i² − ŷ_i² ξ_i, ξ ≥ 0
//! dual    max Σ ŷ_i c_i − ½ cᵀKc      Σ c = 0,  0 ≤ c_i ŷ_i ≤ C_i
//! ```
//!
//! With c_i = α_i ŷ_i that is 0 ≤ α_i ≤ C_i/ŷ_i²: the problem of C-SVC with another linear part and other
//! bounds. Instances with ŷ_i = 0 say nothing and take no part. More classes: [`joint_svc`](super::joint_svc)
//! with the margins 2(P(y_i|x_i) − P(l|x_i)), which may be negative, instead of 2.
//!
//! | symbol | name |
//! |---|---|
//! | P(l\|x_i) | `posteriors`, instance by instance |
//! | c, b; c_l, b_l | [`Head::coef`], [`Head::bias`] |
//!
//! **Posteriors.** Those of the target where it has some ([`Target::Posteriors`]). Else the shares of the
//! classes among the `neighbours` nearest instances in the distance of the kernel, of which each is its own
//! nearest, so that one neighbour is C-SVC. The papers leave open whether it counts. Instance weights multiply
//! C_i, and are so many copies among the neighbours (see [`class_shares`]). They are estimated once for each
//! kernel that is learned on. As ℓ has to be free of the kernel, methods that change the kernel while they learn
//! (SimpleMKL) estimate them once before ([`Machine::settle`]), from the mean of the kernels.
//!
//! Cost: every row of the kernel once, beside what C-SVC or the single machine for several classes costs.

use super::binary::{self, Binary};
use super::common;
use super::svc::{CLASS_WEIGHT, COST, hinge};
use super::{Block, Decomposition, Head, How, Machine, Reading, Solution, Svc};
use crate::data::{Classes, Posteriors, Target};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::solve::Rows;
use crate::solve::joint::{Joint, joint_classes};
use crate::solve::nearest::class_shares;
use crate::solve::smo::Settings;
use crate::{Error, Result, Watch};

/// The registry entry.
pub static ENTRY: Entry<dyn Machine> =
    Entry { method: &METHOD, build: |p| Box::new(PosteriorSvm::new(p)) };

static METHOD: Method = Method {
    id: "posterior_svm",
    title: "posterior-probability SVM",
    source: "Tao, Wu, Wang, Wang 2005; Gönen, Tanuğur, Alpaydın 2008; Gönen 2010, §1.5, (1.12), (1.13)",
    summary: "Learns from how probable the classes are instead of from the classes, estimated among the nearest \
              instances or given: wrong labels among right ones hardly count.",
    tasks: &[Task::Classify],
    group: Group::Machines,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        COST,
        CLASS_WEIGHT,
        Param {
            name: "neighbours",
            doc: "Nearest instances, itself included, whose classes are the posteriors of an instance, where \
                  none are given.",
            range: Range::Int { default: 5, min: 1, max: i64::MAX },
        },
        common::TOL,
        common::SHRINKING,
        common::CACHE,
        common::MAX_STEPS,
    ],
};

/// Soft labels below this are 0: what rounding leaves of equal probabilities.
const NOTHING: f64 = 1e-9;

#[derive(Debug)]
struct PosteriorSvm {
    svc: Svc,
    neighbours: f64,
    settings: Settings,
}

impl PosteriorSvm {
    fn new(p: &Params) -> Self {
        PosteriorSvm {
            svc: Svc::with_costs(p),
            neighbours: p.count("neighbours") as f64,
            settings: common::settings(p),
        }
    }

    /// The shares of the classes among the nearest instances.
    fn estimated(
        &self,
        kernel: &dyn Rows,
        classes: &Classes,
        how: &How<'_>,
        watch: &Watch,
    ) -> Result<Vec<f64>> {
        if how.weights.is_some_and(|w| w.iter().all(|w| *w == 0.0)) {
            return Err(Error::Labels(
                "there is no instance with a weight to learn from".to_string(),
            ));
        }
        let (codes, k) = (&classes.codes, classes.n_classes());
        class_shares(kernel, codes, k, how.weights, self.neighbours, watch)
            .map_err(|status| Error::Stopped { status, what: "estimating posteriors".to_string() })
    }

    /// Refuses what does not fit together; gives the C_i and the largest entry of the kernel.
    fn checked(
        &self,
        kernel: &dyn Rows,
        classes: &Classes,
        how: &How<'_>,
    ) -> Result<(Vec<f64>, f64)> {
        binary::check(&self.svc, classes)?;
        let roles = self.reading().roles(classes.n_classes());
        common::check(kernel, classes.codes.len(), &roles, how)?;
        let costs = self.svc.costs(classes, how.weights)?;
        Ok((costs, common::largest_entry(kernel, self.svc.c)?))
    }
}

impl Machine for PosteriorSvm {
    fn solve(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Solution> {
        let classes = target.classes()?;
        let (costs, largest) = self.checked(kernel, classes, how)?;
        let watch = how.run.watch();
        let estimated;
        let posteriors = match target {
            Target::Posteriors(known) => known.values(),
            _ => {
                estimated = self.estimated(kernel, classes, how, &watch)?;
                &estimated
            }
        };
        let settings = Settings { tol: how.tol.unwrap_or(self.settings.tol), ..self.settings };
        let solved = match classes.n_classes() {
            2 => {
                let soft = |p: &[f64]| {
                    let y = p[1] - p[0];
                    if y.abs() < NOTHING { 0.0 } else { y }
                };
                let y: Vec<f64> = posteriors.chunks(2).map(soft).collect();
                let bound = |(y, c): (&f64, f64)| if *y == 0.0 { 0.0 } else { c / y };
                let signed: Vec<f64> = y.iter().zip(costs).map(bound).collect();
                if signed.iter().all(|c| *c == 0.0) {
                    return Err(undecided());
                }
                let start = how.warm.map(|w| w.blocks[0].heads[0].coef.as_slice());
                let role = self.reading().roles(2)[0];
                hinge(&Binary { kernel, role, y, signed, start, settings, watch: &watch })
            }
            k => several(kernel, classes, posteriors, (&costs, k), settings, how, &watch),
        };
        common::solution(vec![solved], largest, self.svc.c)
    }

    fn settle(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Option<Target>> {
        if matches!(target, Target::Posteriors(_)) {
            return Ok(None);
        }
        let classes = target.classes()?;
        self.checked(kernel, classes, how)?;
        let values = self.estimated(kernel, classes, how, &how.run.watch())?;
        Posteriors::new(classes.clone(), values).map(|p| Some(Target::Posteriors(p)))
    }

    fn check(&self) -> Result<()> {
        Machine::check(&self.svc)
    }

    fn tol(&self) -> f64 {
        self.settings.tol
    }

    fn reading(&self) -> Reading {
        Reading::Classes(Decomposition::OneVsRest)
    }

    fn reads_posteriors(&self) -> bool {
        true
    }
}

/// Three classes or more: the single machine with the margins of the posteriors; also gives the steps.
fn several(
    kernel: &dyn Rows,
    classes: &Classes,
    posteriors: &[f64],
    (costs, k): (&[f64], usize),
    settings: Settings,
    how: &How<'_>,
    watch: &Watch,
) -> (Block, u64) {
    let of = |(p, y): (&[f64], &u32)| {
        let own = p[*y as usize];
        p.iter().map(|other| 2.0 * (own - other)).collect::<Vec<f64>>()
    };
    let margins: Vec<f64> = posteriors.chunks(k).zip(&classes.codes).flat_map(of).collect();
    let start: Option<Vec<Vec<f64>>> =
        how.warm.map(|w| w.heads().map(|h| h.coef.clone()).collect());
    let codes = &classes.codes;
    let problem = Joint { rows: kernel, codes, classes: k, margins: Some(&margins), costs };
    let found = joint_classes(&problem, start.as_deref(), &settings, watch);
    let norm = found.norm();
    let steps = found.steps;
    let roles = Decomposition::OneVsRest.roles(k);
    let heads = roles.into_iter().zip(found.coef).zip(found.bias);
    let block = Block {
        linear: found.dual + 0.5 * norm,
        primal: found.primal,
        objective: found.dual,
        gap: found.gap,
        hidden: 0.0,
        status: found.status,
        free: Some(common::free_between(&found.free)),
        at_bound: (0, 0),
        heads: heads.map(|((role, coef), bias)| Head { role, coef, bias }).collect(),
    };
    (common::settled(block, costs.iter().sum()), steps)
}

fn undecided() -> Error {
    Error::Labels(
        "every instance is as probable in one class as in the other; give other posteriors or another \
         number of neighbours"
            .to_string(),
    )
}
