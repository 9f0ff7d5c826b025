//! Ensemble of kernel predictors: a machine on every kernel, and a combination of their decision values that is learned.
//!
//! ```text
//! f(x) = Σ_m μ_m f_m(x),      min  Σ_i w_i max(0, 1 − y_i Σ_m μ_m f_m(x_i))   over  μ ≥ 0, Σ μ = 1
//! ```
//!
//! (Cortes, Mohri and Rostamizadeh, UAI 2011; GMKD §V-D, (21).)
//!
//! | symbol | name |
//! |---|---|
//! | f_m | [`view_classifiers`](super::view_classifiers) |
//! | μ, one for each decision function of the machine | `details["mu_…"]` |
//! | w_i, weights of the instances | [`Problem::weights`] |
//!
//! GMKD learns μ from the values of the instances that the f_m were trained on, for want of others. A view classifier
//! that fits them without a loss then has all the weight, whatever it knows; values of held-out folds are the default
//! here, `values=in_sample` is as printed. Several classes have one μ for each of their binary problems. The loss of the
//! second stage is not regularised: the simplex is.
//!
//! **Missing views.** Every machine learns from the instances that have its view, μ from those that have all (GMKD §II); a
//! new instance is told by Σ_m μ_m f_m(x) / Σ_m μ_m over its views. Where no instance of some class has all views, the
//! machines count alike.
//!
//! **Certificate.** The linear programs of the second stage are solved by interior points
//! ([`hinge`](crate::solve::hinge)) with a duality gap; the machines of the first have gaps of their own.
//!
//! **Scale.** All kernels times s and C over s leave everything as it is.
//!
//! **Cost**: `folds` + 1 machines for each kernel (times the number of `c_factors`), then some 15 iterations of n M².

use super::outer::TOL;
use super::view_classifiers::{
    C_FACTORS, FOLDS, VALUES, ViewClassifiers, count_alike, together, without,
};
use super::{Learned, Learner, Problem, check};
use crate::data::PartialClasses;
use crate::machine::{Machine, Reading, Role};
use crate::method::{Certificate, Entry, Group, Integration, Method, Task, WeightSet};
use crate::params::Params;
use crate::rule::Each;
use crate::solve::hinge::{self, Found, Hinge, Margin};
use crate::{Report, Result, Run, Status, Watch};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry { method: &METHOD, build: |p| Box::new(Ekp::new(p)) };

static METHOD: Method = Method {
    id: "ekp",
    title: "ensemble of kernel predictors (EKP)",
    source: "Cortes, Mohri, Rostamizadeh 2011; Mao, Tsang, Gao, Wang 2015, (21)",
    summary: "A machine on every kernel, and weights of their decision values that have the least hinge loss on \
              instances that the machines have not seen. Decisions are combined, not similarities, so each kernel may \
              have its own C. Costs a few machines for each kernel and a small linear program.",
    tasks: &[Task::Classify],
    group: Group::WeightsFirst,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[VALUES, FOLDS, C_FACTORS, TOL],
};

#[derive(Debug)]
struct Ekp {
    views: ViewClassifiers,
    tol: f64,
}

impl Ekp {
    fn new(p: &Params) -> Self {
        Ekp { views: ViewClassifiers::new(p), tol: p.real("tol") }
    }
}

impl Learner for Ekp {
    fn integration(&self) -> Integration {
        Integration::Late
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let watch = run.watch();
        let classes = problem.target.partial_classes()?;
        let views = self.views.train(problem, run, &watch)?;
        let roles = views.solutions[0].roles();
        let (kernels, trained) = (problem.bank.len(), views.solutions.len());
        let values = |t: usize| -> Vec<&[f64]> { views.values.iter().map(|v| &v[t][..]).collect() };
        let joint = views.joint(problem);
        let lacking = joint.as_ref().and_then(|w| without(&classes, w));
        let weights = joint.as_deref().or(problem.weights);
        let solve = |(t, role): (usize, &Role)| match (views.stopped, &lacking) {
            (None, None) => Some(weigh(&values(t), *role, &classes, weights, self.tol, &watch)),
            // Values after a stop are none.
            _ => None,
        };
        let found: Vec<Option<Found>> = roles.iter().enumerate().map(solve).collect();
        let mu: Vec<Vec<f64>> = found
            .iter()
            .map(|f| f.as_ref().map_or(vec![1.0 / trained as f64; trained], |f| f.weights.clone()))
            .collect();
        let machines = together(&views.solutions, views.counts, &|m, t| mu[t][m]);
        let notes = views.notes.clone();
        let mut report = Report { counts: views.counts, notes, ..Report::closed_form(run) };
        report.notes.extend(machines.remark());
        report.status = views.stopped.unwrap_or(Status::Converged);
        if let Some(class) = lacking.filter(|_| views.stopped.is_none()) {
            report.status = machines.status();
            report.notes.push(count_alike(&class));
        }
        views.tell(problem, joint.as_deref(), &mut report);
        if let Some(found) = found.into_iter().collect::<Option<Vec<Found>>>() {
            tell(&found, machines.status(), self.tol, &mut report);
        }
        for (role, mu) in roles.iter().zip(&mu) {
            let all = views.spread(mu, kernels);
            report.details.insert(format!("mu_{}", role.name(&classes.names)), all);
        }
        if self.views.chooses() {
            report.details.insert("c_factors".to_string(), views.spread(&views.factors, kernels));
        }
        let share = |p: usize| mu.iter().map(|mu| mu[p]).sum::<f64>() / mu.len() as f64;
        let shares: Vec<f64> = (0..trained).map(share).collect();
        let rule = Each::rule(views.spread(&shares, kernels));
        let parts = Some(views.parts(&|p, t| mu[t][p]));
        report.seconds = watch.seconds();
        Ok(Learned { machines: Some(machines), parts, ..Learned::of(rule, report) })
    }

    fn learns_per_view(&self) -> bool {
        true
    }

    /// Values of heads that are each for one class against another or the rest.
    fn takes(&self, machine: &dyn Machine) -> bool {
        machine.own_similarity() == 0.0 && matches!(machine.reading(), Reading::Classes(_))
    }

    fn reads_partial_labels(&self) -> bool {
        true
    }

    fn weights_repeat(&self) -> bool {
        false
    }
}

/// The weights of the values of one binary problem: `values[m][i]`.
fn weigh(
    values: &[&[f64]],
    role: Role,
    classes: &PartialClasses,
    weights: Option<&[f64]>,
    tol: f64,
    watch: &Watch,
) -> Found {
    let (mut rows, mut costs) = (Vec::new(), Vec::new());
    for (i, code) in classes.codes.iter().enumerate() {
        let sign = code.map_or(0.0, |code| role.sign(code));
        let weight = weights.map_or(1.0, |w| w[i]);
        if sign != 0.0 && weight > 0.0 {
            rows.extend(values.iter().map(|v| sign * v[i]));
            costs.push(weight);
        }
    }
    let groups: Vec<usize> = (0..=costs.len()).collect();
    let problem = Hinge {
        rows: &rows,
        columns: values.len(),
        groups: &groups,
        weights: &costs,
        margin: Margin::One,
    };
    hinge::fewest(&problem, hinge::minimize(&problem, tol, watch))
}

/// The linear programs of all binary problems as one.
pub(super) fn tell(found: &[Found], machines: Status, tol: f64, report: &mut Report) {
    let iterations = found.iter().map(|f| f.objective.len()).max().unwrap_or(1) - 1;
    let at = |f: &Found, k: usize| f.objective[k.min(f.objective.len() - 1)];
    report.objective = (0..=iterations).map(|k| found.iter().map(|f| at(f, k)).sum()).collect();
    report.iterations = iterations;
    report.gap = Some(found.iter().fold(0.0, |a: f64, f| a.max(f.gap)));
    let early = found.iter().map(|f| f.status).find(|s| !s.is_success());
    report.status = early.unwrap_or(machines);
    if let Some(status) = early {
        report.notes.push(format!(
            "the weights of the decision values are a part {:.1e} of their loss from the best ({status}); {tol:e} was \
             asked for",
            report.gap.unwrap_or(f64::NAN)
        ));
    }
}
