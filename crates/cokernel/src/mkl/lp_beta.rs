//! LP-β: a machine on every kernel, and the weights of their decision values with the largest margin that most instances
//! keep.
//!
//! ```text
//! min  −ρ + 1/(νn) Σ_i w_i ξ_i      over  β ≥ 0, Σ β = 1, ρ, ξ ≥ 0
//!      Σ_m β_m [f_m,y(i)(x_i) − f_m,c(x_i)] + ξ_i ≥ ρ      for all classes c ≠ y(i)
//! ```
//!
//! (Gehler and Nowozin, ICCV 2009; LMS §5.3.2.)
//!
//! | symbol | name |
//! |---|---|
//! | f_m,c | [`view_classifiers`](super::view_classifiers): y f_m alone where the machine has one decision function |
//! | β, one for all classes | `details["beta"]` |
//! | ρ | `details["rho"]` |
//! | w_i, weights of the instances over their mean | [`Problem::weights`] |
//!
//! At most a part ν of the instances has a smaller margin than ρ. The boosting of Demiriz, Bennett and Shawe-Taylor (2002)
//! has the same program; here its columns are the kernels, all at once. As the authors do, the decision values that β is
//! learned from are those of held-out folds (`values=in_sample`: of the training instances). With a machine for each pair of
//! classes (one versus one) the margin of an instance is the least among those of its class: y f_m for each of them.
//!
//! **Certificate.** The linear program is solved by interior points ([`hinge`](crate::solve::hinge)) with a duality gap; the
//! machines of the first stage have gaps of their own.
//!
//! **Scale.** All kernels times s and C over s leave everything as it is.
//!
//! **Cost**: `folds` + 1 machines for each kernel (times the number of `c_factors`), then some 20 iterations of
//! n (k − 1) M² with k classes.

use super::ekp::tell;
use super::outer::TOL;
use super::view_classifiers::{
    C_FACTORS, FOLDS, VALUES, ViewClassifiers, Views, count_alike, together, without,
};
use super::{Learned, Learner, Problem, check};
use crate::data::PartialClasses;
use crate::machine::{Machine, Reading, Role};
use crate::method::{Certificate, Entry, Group, Integration, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::Each;
use crate::solve::hinge::{self, Hinge, Margin};
use crate::{Report, Result, Run, Status};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(LpBeta::new(p)) };

static METHOD: Method = Method {
    id: "lp_beta",
    title: "linear program boosting of kernels (LP-β)",
    source: "Gehler, Nowozin 2009; Kumar et al. 2012, §5.3.2",
    summary: "A machine on every kernel, and weights of their decision values that all classes share, with the largest \
              margin that all but a part ν of the instances keep. Weights are sparse. Costs a few machines for each kernel \
              and a linear program.",
    tasks: &[Task::Classify],
    group: Group::WeightsFirst,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "nu",
            doc: "Part ν of the instances that may have less than the margin.",
            range: Range::Real { default: 0.5, min: 0.0, max: 0.999, closed: false },
        },
        VALUES,
        FOLDS,
        C_FACTORS,
        TOL,
    ],
};

#[derive(Debug)]
struct LpBeta {
    nu: f64,
    views: ViewClassifiers,
    tol: f64,
}

impl LpBeta {
    fn new(p: &Params) -> Self {
        LpBeta { nu: p.real("nu"), views: ViewClassifiers::new(p), tol: p.real("tol") }
    }
}

impl Learner for LpBeta {
    fn integration(&self) -> Integration {
        Integration::Late
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let watch = run.watch();
        let classes = problem.target.partial_classes()?;
        let views = self.views.train(problem, run, &watch)?;
        let kernels = problem.bank.len();
        let trained = views.solutions.len();
        // Instances that lack a view have a part in the machines of the others alone.
        let joint = views.joint(problem);
        let lacking = joint.as_ref().and_then(|w| without(&classes, w));
        let rows = Rows::new(&views, &classes, joint.as_deref().or(problem.weights), self.nu);
        let found = match (views.stopped, &lacking) {
            (None, None) => {
                let program = rows.hinge(trained);
                Some(hinge::fewest(&program, hinge::minimize(&program, self.tol, &watch)))
            }
            // Values after a stop are none.
            _ => None,
        };
        let beta: Vec<f64> =
            found.as_ref().map_or(vec![1.0 / trained as f64; trained], |f| f.weights.clone());
        let machines = together(&views.solutions, views.counts, &|m, _| beta[m]);
        let notes = views.notes.clone();
        let mut report = Report { counts: views.counts, notes, ..Report::closed_form(run) };
        report.notes.extend(machines.remark());
        report.status = views.stopped.unwrap_or(Status::Converged);
        if let Some(class) = lacking.filter(|_| views.stopped.is_none()) {
            report.status = machines.status();
            report.notes.push(count_alike(&class));
        }
        views.tell(problem, joint.as_deref(), &mut report);
        if let Some(found) = found {
            report.details.insert("rho".to_string(), vec![found.rho]);
            if found.rho <= 0.0 && found.status.is_success() {
                report.notes.push(format!(
                    "no weights give a positive margin to more than {:.0} % of the instances (nu): a larger nu lets more \
                     of them be wrong",
                    100.0 * (1.0 - self.nu)
                ));
            }
            tell(&[found], machines.status(), self.tol, &mut report);
        }
        let parts = Some(views.parts(&|p, _| beta[p]));
        let shares = views.spread(&beta, kernels);
        report.details.insert("beta".to_string(), shares.clone());
        if self.views.chooses() {
            report.details.insert("c_factors".to_string(), views.spread(&views.factors, kernels));
        }
        report.seconds = watch.seconds();
        Ok(Learned { machines: Some(machines), parts, ..Learned::of(Each::rule(shares), report) })
    }

    fn learns_per_view(&self) -> bool {
        true
    }

    /// One value for each class, or one for two of them.
    fn takes(&self, machine: &dyn Machine) -> bool {
        machine.own_similarity() == 0.0
            && matches!(machine.reading(), Reading::Classes(_) | Reading::Scores)
    }

    fn reads_partial_labels(&self) -> bool {
        true
    }

    fn weights_repeat(&self) -> bool {
        false
    }
}

/// The constraints: for each instance with a class and a weight one row for each other class.
struct Rows {
    rows: Vec<f64>,
    groups: Vec<usize>,
    costs: Vec<f64>,
}

impl Rows {
    fn new(views: &Views, classes: &PartialClasses, weights: Option<&[f64]>, nu: f64) -> Self {
        let roles = views.solutions[0].roles();
        let (mut rows, mut groups, mut costs) = (Vec::new(), vec![0], Vec::new());
        let mut count = 0;
        for (i, code) in classes.codes.iter().enumerate() {
            let weight = weights.map_or(1.0, |w| w[i]);
            let Some(code) = code.filter(|_| weight > 0.0) else { continue };
            for (own, sign, other) in comparisons(&roles, code) {
                let value = |t: usize| views.values.iter().map(move |v| v[t][i]);
                match other {
                    Some(other) => rows.extend(value(own).zip(value(other)).map(|(a, b)| a - b)),
                    None => rows.extend(value(own).map(|v| sign * v)),
                }
                count += 1;
            }
            groups.push(count);
            costs.push(weight);
        }
        let total: f64 = nu * costs.iter().sum::<f64>();
        costs.iter_mut().for_each(|w| *w /= total);
        Rows { rows, groups, costs }
    }

    fn hinge(&self, columns: usize) -> Hinge<'_> {
        Hinge {
            rows: &self.rows,
            columns,
            groups: &self.groups,
            weights: &self.costs,
            margin: Margin::Largest,
        }
    }
}

/// The values whose difference is a margin of an instance of this class, a head with a sign or two heads: one for each
/// other class.
fn comparisons(roles: &[Role], code: u32) -> Vec<(usize, f64, Option<usize>)> {
    let for_one = |r: &Role| matches!(r, Role::Classes { negative: None, .. });
    if roles.len() > 1 && roles.iter().all(for_one) {
        let own = roles.iter().position(|r| r.sign(code) > 0.0).unwrap_or(0);
        return (0..roles.len()).filter(|t| *t != own).map(|t| (own, 1.0, Some(t))).collect();
    }
    let signs = roles.iter().map(|r| r.sign(code)).enumerate();
    signs.filter(|(_, sign)| *sign != 0.0).map(|(t, sign)| (t, sign, None)).collect()
}
