//! Kernel machines whose weight vectors have priors: of their size, and with the classifiers of the views as their mean
//! (GMKD, Mao, Tsang, Gao and Wang 2015).
//!
//! ```text
//! min_{σ, μ ≥ 0}  Ω(σ) + Σ_m (γμ_m − log γμ_m − 1) + S(σ, μ)
//! S(σ, μ) = max_{0 ≤ α ≤ C}  Σ_i α_i (1 − Σ_m μ_m u_mi) − ½ Σ_m σ_m αᵀQ_mα
//! f(x) = Σ_m [ σ_m Σ_i α_i y_i K_m(x_i, x) + μ_m f_m(x) ],      K_m = κ_m + 1
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | x = α∘y | `coef` |
//! | f_m, u_m = f_m ∘ y, v_m = αᵀu_m | `values`, `votes` |
//! | q_m = αᵀQ_mα = xᵀK_mx | `forms` |
//! | Ω, from the prior of σ | [`Penalty`] |
//!
//! S is convex in (σ, μ) with the derivatives −½q and −v, and the saddle point may be taken in either order: with α
//! outside it is (16) and (20), a problem of n variables whose Newton steps cost n³; with (σ, μ) outside it has 2M
//! variables around a machine that starts warm. Its exact Hessian is GᵀK_FF⁻¹G with the free support vectors F, the matrix
//! K = Σ σ_m K_m and G = [(K_m x)_F, (f_m)_F].
//!
//! **Certificate.** For any α in the box −Ω*(½q) + Σ log(1 − v_m/γ) + Σα is a lower bound (the negative of (16)), taken at
//! the multiple sα, s ≤ 1, where it is largest; any machine at (σ, μ) gives an upper bound by its primal objective. All
//! terms of the upper bound are at least 0; the gap is relative to it, and that of a machine, whose own objective may be next
//! to nothing, as well.
//!
//! **Few labels** (GMKD §VII-C). With the Laplacian SVM as the machine the classifiers of the views learn from labelled and
//! unlabelled instances; α, with the same C, is of the labelled ones. Several classes are told one against the rest then.
//!
//! **Missing views** (GMKD §II). The classifiers of the views learn from the instances that have the view, the rest from
//! those that have all; a new instance is told by the terms of the views that it has, times Σ σ_m over all and over these.
//!
//! **Scale.** As printed, K_m = κ_m + 1 and λ depend on the unit of the kernels. By default everything is done on kernels
//! over their mean diagonal entry d, with d·C, so that kernels times s and C over s are the same problem; kernels with ones
//! on their diagonal are as printed (`unit=one` for all others).
//!
//! **Cost** of an iteration: one sum of M kernels and M products of a kernel with α, a warm machine, |F|³/3.

mod interior;
mod logarithmic;
mod newton;
mod part;
mod penalty;
mod shares;
mod sqp;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub(super) use penalty::Penalty;

use super::view_classifiers::{ViewClassifiers, Views, joint, without};
use super::{Learned, Problem, check, fits};
use crate::bank::Bank;
use crate::data::PartialClasses;
use crate::machine::{Block, Head, Role, Solution, Svc};
use crate::params::{Param, Params, Range};
use crate::rule::Each;
use crate::solve::smo::Settings;
use crate::{Counts, Error, Event, Report, Result, Run, Status, Watch};
use part::{Fitted, Part};
use shares::{nearer, parts, relative, shares, views_alone};

/// Most instances for which a problem is solved once more, at the cost of an n × n matrix and its factors in each step. Chosen,
/// not measured.
const AGAIN: usize = 2_000;

/// Machines after which Newton's method gives way to the interior one, where instances are that few: more than it takes
/// where it converges well.
const MACHINES: u64 = 40;

/// What is known of the weight vectors beforehand.
pub(super) const PRIOR: Param = Param {
    name: "prior",
    doc: "Mean of the weight vectors: views, the classifiers of the views with weights that are learned; none, zero \
          (γ = ∞).",
    range: Range::Choice { default: "views", of: &["views", "none"] },
};

/// γ.
pub(super) const GAMMA: Param = Param {
    name: "gamma",
    doc: "Rate γ of the exponential prior of μ: the larger, the less the view classifiers count.",
    range: Range::Real { default: 100.0, min: 0.0, max: 1e12, closed: false },
};

/// In which unit kernels are.
pub(super) const UNIT: Param = Param {
    name: "unit",
    doc: "Kernels are divided, and C multiplied, by: diagonal, the mean diagonal entry of all kernels together, of \
          instances as often as their sample weights say; one, nothing, as printed. The 1 that takes the place of a constant is added afterwards.",
    range: Range::Choice { default: "diagonal", of: &["diagonal", "one"] },
};

/// How it is solved.
pub(super) const SOLVER: Param = Param {
    name: "solver",
    doc: "newton: Newton's method in (σ, μ) around a machine, and where it stalls or takes many machines and instances \
          are few an interior method in all α, then sqp; sqp: the sequential quadratic programming of the paper, (19), \
          in all α.",
    range: Range::Choice { default: "newton", of: &["newton", "sqp"] },
};

/// A method of this family.
#[derive(Debug)]
pub(super) struct Priors {
    pub title: &'static str,
    pub penalty: Penalty,
    /// γ; `None` where μ = 0.
    pub gamma: Option<f64>,
    pub views: ViewClassifiers,
    pub diagonal: bool,
    pub sqp: bool,
    pub tol: f64,
    pub max_iterations: usize,
}

impl Priors {
    /// From checked parameters.
    pub fn new(title: &'static str, penalty: Penalty, p: &Params) -> Self {
        Priors {
            title,
            penalty,
            gamma: (p.text("prior") == "views").then(|| p.real("gamma")),
            views: ViewClassifiers::new(p),
            diagonal: p.text("unit") == "diagonal",
            sqp: p.text("solver") == "sqp",
            tol: p.real("tol"),
            max_iterations: p.count("max_iterations"),
        }
    }

    /// The mean diagonal entry of the kernels, of instances as often as their weights say.
    fn unit(&self, bank: &Bank, weights: Option<&[f64]>) -> f64 {
        if !self.diagonal {
            return 1.0;
        }
        let ones = vec![1.0; bank.n()];
        let masses = weights.unwrap_or(&ones);
        let of = |m: usize| bank.diagonal(m).iter().zip(masses).map(|(k, w)| k * w).sum::<f64>();
        let mass = bank.len() as f64 * masses.iter().sum::<f64>();
        let mean = (0..bank.len()).map(of).sum::<f64>() / mass;
        if mean > 0.0 && mean.is_finite() { mean } else { 1.0 }
    }

    pub fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let svc = problem.machine.hinge().ok_or_else(|| {
            let said = format!(
                "{} solves the dual of C-SVC itself; choose svc, or laplacian_svm for the classifiers of the views",
                self.title
            );
            Error::parameter("machine", said)
        })?;
        let watch = run.watch();
        let classes = problem.target.partial_classes()?;
        let classes = &*classes;
        // Instances that lack a view have a part in the classifiers of the others alone.
        let all: Vec<usize> = (0..problem.bank.len()).collect();
        let joint = joint(problem, &all);
        if let Some(class) = joint.as_ref().and_then(|w| without(classes, w)) {
            return Err(Error::Data(format!(
                "no instance of class '{class}' has all views, and {} learns from such; choose a method that joins the \
                 classifiers of the views (late_mean, ekp), or fill in what is missing (missing=mean or estimate)",
                self.title
            )));
        }
        let weights = joint.as_deref().or(problem.weights);
        let unit = self.unit(problem.bank, weights);
        let costs = svc.costs_of_labelled(classes, weights)?;
        let costs: Vec<f64> = costs.iter().map(|c| c * unit).collect();
        // Sums of losses are to be numbers, too.
        if costs.iter().any(|c| *c >= 1e300) {
            return Err(Error::Data(format!(
                "C times the mean diagonal entry of the kernels ({unit:.1e}) is {:.1e}, and sums of losses beyond what f64 can \
                 hold; choose a smaller C",
                costs.iter().fold(0.0_f64, |a, c| a.max(*c))
            )));
        }
        let mut report = Report::closed_form(run);
        let views = match self.gamma {
            Some(_) => Some(self.views.train(problem, run, &watch)?),
            None => None,
        };
        if let Some(views) = &views {
            report.counts = views.counts;
            report.notes.extend(views.notes.iter().cloned());
            views.tell(problem, joint.as_deref(), &mut report);
            if self.views.chooses() {
                let all = views.spread(&views.factors, problem.bank.len());
                report.details.insert("c_factors".to_string(), all);
            }
        }
        let views = views.as_deref();
        // After a stop those that are there count alike.
        let trained = views.filter(|v| v.stopped.is_some()).map(|v| v.solutions.len());
        if trained.is_some() {
            let said =
                "stopped before weights could be learned: the classifiers of the views count alike";
            report.notes.push(said.to_string());
        }
        let roles = svc.decomposition.roles(classes.n_classes());
        run.tell(Event::Begin { stage: self.title, total: Some(roles.len() as u64) });
        let (mut fitted, none) = (Vec::new(), vec![0.0; problem.bank.n()]);
        for (t, role) in roles.iter().enumerate() {
            let part = self.part(problem, svc, classes, (t, *role), &costs, unit, (views, &none));
            let mut found = match self.sqp {
                true => match views_alone(&part) {
                    Some(found) => found,
                    None => sqp::solve(&part, run, &watch)?,
                },
                false => self.solved(&part, run, &watch)?,
            };
            if let Some(trained) = trained {
                found.sigma[trained..].fill(0.0);
                found.mu[trained..].fill(0.0);
            }
            fitted.push(found);
            run.tell(Event::Step { done: t as u64 + 1, message: "" });
        }
        run.tell(Event::End);
        let shares = shares(&fitted, problem.bank.len());
        let machines = self.machines(&roles, &fitted, unit, views, &shares);
        fitted.iter().for_each(|f| report.counts.add(&f.counts));
        self.tell(&roles, classes, &fitted, &watch, &mut report);
        report.seconds = watch.seconds();
        let rule = Each::rule(shares);
        let parts = Some(parts(&rule.active(), &fitted, views));
        Ok(Learned {
            machines: Some(Solution { counts: report.counts, ..machines }),
            parts,
            ..Learned::of(rule, report)
        })
    }

    /// By Newton's method; where it ends early, next to σ = 0 say, or takes many machines, and instances are few, by an
    /// interior one, and where that does not prove the tolerance, by Newton's method to its end and by quadratic programs:
    /// the one with the smallest gap.
    fn solved(&self, part: &Part<'_>, run: &Run, watch: &Watch) -> Result<Fitted> {
        if let Some(found) = views_alone(part) {
            return Ok(found);
        }
        let few = part.n() <= AGAIN && fits(part.bank, 4, run);
        let early = |f: &Fitted| matches!(f.status, Status::Stalled | Status::IterationLimit);
        let mut best = newton::solve(part, if few { MACHINES } else { u64::MAX }, run, watch)?;
        if !few || !early(&best) {
            return Ok(best);
        }
        let cut = best.counts.machine_solves >= MACHINES;
        let start = Some((best.sigma.clone(), best.mu.clone()));
        best = nearer(best, interior::solve(part, watch)?);
        if cut && early(&best) {
            best = nearer(best, newton::solve_from(part, start, u64::MAX, run, watch)?);
        }
        // Without limits of σ all of (16) is smooth.
        if early(&best) && !part.penalty.has_limit() {
            best = nearer(best, sqp::solve(part, run, watch)?);
        }
        Ok(best)
    }

    #[allow(clippy::too_many_arguments)]
    fn part<'a>(
        &self,
        problem: &Problem<'a>,
        svc: &Svc,
        classes: &PartialClasses,
        (t, role): (usize, Role),
        costs: &[f64],
        unit: f64,
        (views, none): (Option<&'a Views>, &'a [f64]),
    ) -> Part<'a> {
        let sign = |code: &Option<u32>| code.map_or(0.0, |code| role.sign(code));
        let y: Vec<f64> = classes.codes.iter().map(sign).collect();
        let signed: Vec<f64> = y.iter().zip(costs).map(|(y, c)| y * c).collect();
        let mut values: Vec<&[f64]> =
            views.map_or(Vec::new(), |v| v.values.iter().map(|v| &v[t][..]).collect());
        if views.is_some() {
            values.resize(problem.bank.len(), none);
        }
        Part {
            bank: problem.bank,
            unit,
            lower: signed.iter().map(|c| c.min(0.0)).collect(),
            upper: signed.iter().map(|c| c.max(0.0)).collect(),
            y,
            gamma: self.gamma.filter(|_| views.is_some()).unwrap_or(1.0),
            values,
            penalty: self.penalty,
            tol: self.tol,
            max_iterations: self.max_iterations,
            settings: Settings {
                tol: self.tol,
                shrinking: svc.shrinking,
                cache: svc.cache,
                max_steps: svc.max_steps,
            },
        }
    }

    /// The decision functions, with coefficients for every kernel that has a share.
    fn machines(
        &self,
        roles: &[Role],
        fitted: &[Fitted],
        unit: f64,
        views: Option<&Views>,
        shares: &[f64],
    ) -> Solution {
        let used: Vec<usize> = (0..shares.len()).filter(|m| shares[*m] != 0.0).collect();
        let block = |(t, role): (usize, &Role)| {
            let found = &fitted[t];
            let machine = &found.machine;
            let total: f64 = machine.coef.iter().sum();
            let mut bias = found.sigma.iter().sum::<f64>() * total;
            let mut coef: Vec<f64> = used
                .iter()
                .map(|m| found.sigma[*m])
                .flat_map(|s| machine.coef.iter().map(move |x| s * x / unit))
                .collect();
            if let Some(views) = views {
                for (part, m) in coef.chunks_mut(machine.coef.len()).zip(&used) {
                    let head = views.solutions.get(*m).and_then(|s| s.heads().nth(t));
                    let mu = found.mu[*m];
                    if let Some(head) = head {
                        part.iter_mut().zip(&head.coef).for_each(|(c, v)| *c += mu * v);
                        bias += mu * head.bias;
                    }
                }
            }
            // Of the whole objective, of which the machine's is a part that may be nothing.
            let whole = found.objective.last().map_or(0.0, |v| v.max(machine.primal));
            let apart = (machine.primal - machine.dual).max(0.0);
            let gap = if whole > 0.0 { machine.gap.min(apart / whole) } else { machine.gap };
            Block {
                heads: vec![Head { role: *role, coef, bias }],
                linear: machine.dual + 0.5 * machine.norm(),
                primal: machine.primal,
                objective: machine.dual,
                gap,
                hidden: 0.0,
                status: machine.status,
                free: None,
                at_bound: found.at_bound,
            }
        };
        Solution {
            blocks: roles.iter().enumerate().map(block).collect(),
            counts: Counts::default(),
        }
    }

    fn tell(
        &self,
        roles: &[Role],
        classes: &PartialClasses,
        fitted: &[Fitted],
        watch: &Watch,
        report: &mut Report,
    ) {
        let iterations = fitted.iter().map(|f| f.objective.len()).max().unwrap_or(1) - 1;
        let at = |v: &[f64], k: usize| v[k.min(v.len() - 1)];
        let sum = |k: usize, of: fn(&Fitted) -> &[f64]| -> f64 {
            fitted.iter().map(|f| at(of(f), k)).sum()
        };
        let upper: Vec<f64> = (0..=iterations).map(|k| sum(k, |f| &f.objective)).collect();
        report.gaps = (0..=iterations)
            .map(|k| (upper[k] - sum(k, |f| &f.lower)) / upper[k].max(f64::MIN_POSITIVE))
            .collect();
        report.gap = report.gaps.last().copied();
        (report.objective, report.iterations) = (upper, iterations);
        let early = fitted.iter().map(|f| f.status).find(|s| !s.is_success());
        report.status = watch.stop().or(early).unwrap_or(Status::Converged);
        if let Some(status) = early.filter(|_| watch.stop().is_none()) {
            let worst = (0..fitted.len())
                .filter(|t| !fitted[*t].status.is_success())
                .max_by(|a, b| relative(&fitted[*a]).total_cmp(&relative(&fitted[*b])));
            let (gap, all) = (worst.map_or(f64::NAN, |t| relative(&fitted[t])), report.gap);
            let place = match (worst, all) {
                (Some(t), Some(all)) if roles.len() > 1 => {
                    format!(" ({}; {all:.1e} of all together)", roles[t].name(&classes.names))
                }
                _ => String::new(),
            };
            let kink = |f: &Fitted| {
                f.status == Status::Stalled
                    && f.sigma.iter().all(|s| *s <= 1e-6 * self.penalty.first())
            };
            let why = match fitted.iter().any(kink) {
                true => {
                    ": next to σ = 0 the objective has kinks, where Newton's steps end early; choose a smaller lambda, \
                         or lp_beta or ekp, which combine decisions alone"
                }
                false => "",
            };
            report.notes.push(format!(
                "{} ended before its tolerance ({status}) at relative gap {gap:.1e}{place}{why}",
                self.title
            ));
        }
        let mut active = Vec::new();
        for (role, found) in roles.iter().zip(fitted) {
            let name = role.name(&classes.names);
            let none = watch.stop().is_none() && found.sigma.iter().all(|s| *s == 0.0);
            if none && found.objective == [0.0] {
                report.notes.push(format!(
                    "{}: the classifiers of the views have no loss at the most likely weights of their prior, so that all σ are \
                     0 ({name}); choose a larger gamma for them to count less",
                    self.title
                ));
            } else if none {
                report.notes.push(format!(
                    "{}: no kernel is worth what its prior asks for, all σ are 0 ({name}); choose a smaller lambda, or a \
                     larger C",
                    self.title
                ));
            }
            report.details.insert(format!("sigma_{name}"), found.sigma.clone());
            if !found.mu.is_empty() {
                report.details.insert(format!("mu_{name}"), found.mu.clone());
            }
            active.push(self.penalty.active(&found.sigma) as f64);
        }
        report.details.insert("active_kernels".to_string(), active);
    }
}
