//! Classifiers of the views: the machine on every kernel alone, and the decision values that methods which combine
//! decisions learn from (GMKD §IV-B (14), Cortes, Mohri and Rostamizadeh 2011).
//!
//! ```text
//! f_m(x) = Σ_i c_mi k_m(x_i, x) + b_m,      one for each decision function of the machine
//! ```
//!
//! Values of training instances come from machines that have not seen them (`values=out_of_fold`, the default) or from
//! the machine itself (`in_sample`, as GMKD and its baselines have it). A machine that can fit its training instances
//! without a loss has in-sample values that look perfect whatever it knows, and a second stage that learns from them
//! trusts the kernel that fits its noise best.
//!
//! C is that of the machine, or the one of several that the same folds tell (`c_factors`): the machine's C times each
//! factor, with the most right answers (the least squared error of numbers), the smallest where several are equal.
//! Instances of a held-out fold have weight 0, so a kernel is formed once; its normalisation is that of all training
//! instances.
//!
//! **Missing views** (GMKD §II). Machine m learns from the instances that have the view of kernel m
//! ([`Bank::present`](crate::bank::Bank::present)); the others have weight 0, and no value. A view that no instance of
//! some class has makes no classifier. What joins the values learns from the instances that have all of them
//! ([`Views::joint`]).
//!
//! **Cost**: for each kernel one machine, and one for each fold and factor; nothing where another fit on the same kernels
//! has [trained them](super::shared_classifiers).

use super::best_single::{decisions, even, stratified};
use super::{Parts, Problem, mixed, shared_classifiers};
use crate::data::{Matrix, PartialClasses, Target};
use crate::machine::{Block, Head, How, Solution};
use crate::params::{Param, Params, Range};
use crate::rule::Weighted;
use crate::{Counts, Error, Event, Report, Result, Run, Status, Watch};
use rayon::prelude::*;
use std::sync::Arc;

/// Where decision values come from.
pub(super) const VALUES: Param = Param {
    name: "values",
    doc: "Decision values that are learned from: out_of_fold, of machines that have not seen the instance; in_sample, \
          of the machines themselves, as printed.",
    range: Range::Choice { default: "out_of_fold", of: &["out_of_fold", "in_sample"] },
};

/// Folds for the values and for the choice of C.
pub(super) const FOLDS: Param = Param {
    name: "folds",
    doc: "Folds of the training instances, for decision values and for the choice of C.",
    range: Range::Int { default: 5, min: 2, max: 100 },
};

/// Among which C is chosen.
pub(super) const C_FACTORS: Param = Param {
    name: "c_factors",
    doc: "Factors of C among which each kernel chooses on the folds; 1 takes C as it is.",
    range: Range::Reals { default: 1.0, min: 1e-12, max: 1e12 },
};

/// How they are trained.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ViewClassifiers {
    out_of_fold: bool,
    folds: usize,
    factors: Vec<f64>,
}

/// The machines of all kernels that can have one, or of the first ones where the run was stopped.
#[derive(Debug)]
pub(super) struct Views {
    /// Which kernels, ascending; what follows is in their order.
    pub kernels: Vec<usize>,
    pub solutions: Vec<Solution>,
    /// `values[p][t][i]`: of head t, for instance i. Not to be used after a stop; 0 where an instance lacks the view.
    pub values: Vec<Vec<Vec<f64>>>,
    /// What C was multiplied by.
    pub factors: Vec<f64>,
    pub counts: Counts,
    pub notes: Vec<String>,
    /// Why not all of them are there, or not all values.
    pub stopped: Option<Status>,
}

impl ViewClassifiers {
    /// From checked parameters.
    pub fn new(p: &Params) -> Self {
        let mut factors = p.reals("c_factors").to_vec();
        factors.sort_by(f64::total_cmp);
        ViewClassifiers {
            out_of_fold: p.text("values") == "out_of_fold",
            folds: p.count("folds"),
            factors,
        }
    }

    /// Machines whose values nobody asks for.
    pub fn plain() -> Self {
        ViewClassifiers { out_of_fold: false, folds: 0, factors: vec![1.0] }
    }

    /// Whether C is chosen for each kernel.
    pub fn chooses(&self) -> bool {
        self.factors.len() > 1
    }

    /// Trains them, one kernel after the other and the folds of a kernel beside each other, or finds those that another
    /// fit trained.
    pub fn train(&self, problem: &Problem<'_>, run: &Run, watch: &Watch) -> Result<Arc<Views>> {
        shared_classifiers::find(problem, self, run, || self.train_anew(problem, run, watch))
    }

    fn train_anew(&self, problem: &Problem<'_>, run: &Run, watch: &Watch) -> Result<Views> {
        let count = problem.bank.len();
        let mut views = Views {
            kernels: Vec::new(),
            solutions: Vec::new(),
            values: Vec::new(),
            factors: Vec::new(),
            counts: Counts::default(),
            notes: Vec::new(),
            stopped: None,
        };
        let whole = (0..count).any(|m| problem.bank.present(m).is_none());
        let fold = if whole { self.fold(problem, None, run, &mut views.notes) } else { None };
        run.tell(Event::Begin { stage: "a machine for each kernel", total: Some(count as u64) });
        for m in 0..count {
            // Something is learned in any case.
            if !views.solutions.is_empty() && watch.stop().is_some() {
                break;
            }
            let present = problem.bank.present(m);
            if let Some(class) = present.and_then(|p| unseen(problem, p)) {
                views.notes.push(format!(
                    "kernel '{}': {class} has its view; it makes no classifier",
                    problem.bank.kernels()[m].name
                ));
                continue;
            }
            let own = present.map(|p| self.fold(problem, Some(p), run, &mut views.notes));
            let fold = own.as_ref().unwrap_or(&fold).as_deref();
            views.kernels.push(m);
            self.one(problem, m, fold, run, watch, &mut views)?;
            run.tell(Event::Step { done: m as u64 + 1, message: &problem.bank.kernels()[m].name });
        }
        run.tell(Event::End);
        views.stopped = watch.stop();
        let trained = views.solutions.len();
        if trained == 0 {
            return Err(Error::Data(
                "no view has instances of every class: there is nothing to learn from; fill in what is missing \
                 (missing=mean or estimate), or give other views"
                    .to_string(),
            ));
        }
        if trained < count && views.stopped.is_some() {
            let said =
                format!("stopped after {trained} of {count} kernels: the others have no share");
            views.notes.push(said);
        }
        Ok(views)
    }

    /// The fold of each instance, of those that have a view, where there is something to hold out for.
    fn fold(
        &self,
        problem: &Problem<'_>,
        present: Option<&[bool]>,
        run: &Run,
        notes: &mut Vec<String>,
    ) -> Option<Vec<usize>> {
        if !self.out_of_fold && !self.chooses() {
            return None;
        }
        let fold = match problem.target {
            Target::Real(_) => even(problem.target, self.folds, run),
            target => target.partial_classes().ok().and_then(|classes| {
                let mut classes = classes.into_owned();
                if let Some(present) = present {
                    let codes = classes.codes.iter_mut().zip(present);
                    codes.filter(|(_, p)| !**p).for_each(|(code, _)| *code = None);
                }
                stratified(&classes, self.folds, run)
            }),
        };
        if fold.is_none() {
            let said = "nothing could be held out (a class has a single instance, or there are no labels): C was not \
                        chosen, and decision values are those of machines that have seen the instances";
            if !notes.iter().any(|n| n == said) {
                notes.push(said.to_string());
            }
        }
        fold
    }

    fn one(
        &self,
        problem: &Problem<'_>,
        m: usize,
        fold: Option<&[usize]>,
        run: &Run,
        watch: &Watch,
        views: &mut Views,
    ) -> Result<()> {
        let mut weights = vec![0.0; problem.bank.len()];
        weights[m] = 1.0;
        let rule = Weighted::new(weights);
        let kernel = mixed(problem.bank, &rule, None, run, watch)?;
        views.counts.combines += 1;
        let left = run.remaining(watch).quiet();
        let fit = |weights: Option<&[f64]>, warm: Option<&Solution>| {
            let how = How { weights, warm, ..How::new(&left) };
            problem.machine.solve(kernel.as_ref(), problem.target, &how)
        };
        let present = problem.bank.present(m);
        let scaled = |factor: f64| -> Option<Vec<f64>> {
            let has = |i: usize| f64::from(u8::from(present.is_none_or(|p| p[i])));
            let given = |i: usize| has(i) * factor * problem.weights.map_or(1.0, |w| w[i]);
            (factor != 1.0 || problem.weights.is_some() || present.is_some())
                .then(|| (0..problem.bank.n()).map(given).collect())
        };
        let Some(fold) = fold else {
            let factor = if self.factors.len() == 1 { self.factors[0] } else { 1.0 };
            let solved = fit(scaled(factor).as_deref(), None)?;
            views.counts.add(&solved.counts);
            views.values.push(known(decisions(&solved, kernel.as_ref(), watch), present));
            views.solutions.push(solved);
            views.factors.push(factor);
            return Ok(());
        };
        let mut best: Option<(f64, f64, Solution, Vec<Vec<f64>>)> = None;
        for factor in &self.factors {
            let costs = scaled(*factor);
            let warm = best.as_ref().map(|b| &b.2);
            let solved = fit(costs.as_deref(), warm)?;
            views.counts.add(&solved.counts);
            let parts = (0..self.folds).into_par_iter().map(|held| {
                let cost = |i: usize| costs.as_ref().map_or(1.0, |c| c[i]);
                let one = |i: usize| if fold[i] == held { 0.0 } else { cost(i) };
                let costs: Vec<f64> = (0..fold.len()).map(one).collect();
                let part = fit(Some(&costs), Some(&solved))?;
                let found = decisions(&part, kernel.as_ref(), watch);
                Ok((part.counts, found))
            });
            let mut values = decisions(&solved, kernel.as_ref(), watch);
            let mut held = vec![vec![0.0; fold.len()]; values.len()];
            for (f, part) in parts.collect::<Result<Vec<_>>>()?.into_iter().enumerate() {
                views.counts.add(&part.0);
                for (held, found) in held.iter_mut().zip(part.1) {
                    (0..fold.len()).filter(|i| fold[*i] == f).for_each(|i| held[i] = found[i]);
                }
            }
            let judged = problem.machine.reading().right(problem.target, &held);
            let has = |i: usize| f64::from(u8::from(present.is_none_or(|p| p[i])));
            let weight = |i: usize| has(i) * problem.weights.map_or(1.0, |w| w[i]);
            // Instances without a label are in no fold.
            let of_folds: Vec<usize> = (0..fold.len()).filter(|i| fold[*i] < self.folds).collect();
            let right: f64 = of_folds.iter().map(|i| weight(*i) * judged[*i]).sum();
            if self.out_of_fold {
                for (values, held) in values.iter_mut().zip(&held) {
                    of_folds.iter().for_each(|i| values[*i] = held[*i]);
                }
            }
            if best.as_ref().is_none_or(|b| right > b.0) {
                best = Some((right, *factor, solved, values));
            }
            if watch.stop().is_some() {
                break;
            }
        }
        if let Some((_, factor, solved, values)) = best {
            views.solutions.push(solved);
            views.values.push(known(values, present));
            views.factors.push(factor);
        }
        Ok(())
    }
}

/// Values with 0 for the instances that lack the view.
fn known(mut values: Vec<Vec<f64>>, present: Option<&[bool]>) -> Vec<Vec<f64>> {
    let Some(present) = present else { return values };
    for values in &mut values {
        values.iter_mut().zip(present).filter(|(_, p)| !**p).for_each(|(v, _)| *v = 0.0);
    }
    values
}

/// Which class no instance with this view has, of those with a weight; `no instance` where there are no classes.
fn unseen(problem: &Problem<'_>, present: &[bool]) -> Option<String> {
    let weighs = |i: usize| present[i] && problem.weights.is_none_or(|w| w[i] > 0.0);
    let Ok(classes) = problem.target.partial_classes() else {
        return (!(0..present.len()).any(weighs)).then(|| "no instance".to_string());
    };
    let weights: Vec<f64> = (0..present.len()).map(|i| f64::from(u8::from(weighs(i)))).collect();
    without(&classes, &weights).map(|class| format!("no instance of class '{class}'"))
}

/// Weights of the instances for what looks at all these kernels: those that lack the view of one have none. `None`
/// where all have all.
pub(super) fn joint(problem: &Problem<'_>, kernels: &[usize]) -> Option<Vec<f64>> {
    let masks: Vec<&[bool]> = kernels.iter().filter_map(|m| problem.bank.present(*m)).collect();
    if masks.is_empty() {
        return None;
    }
    let has = |i: usize| masks.iter().all(|p| p[i]);
    let weight = |i: usize| problem.weights.map_or(1.0, |w| w[i]);
    Some((0..problem.bank.n()).map(|i| if has(i) { weight(i) } else { 0.0 }).collect())
}

/// The name of a class of which no instance has a weight.
pub(super) fn without(classes: &PartialClasses, weights: &[f64]) -> Option<String> {
    let mut seen = vec![false; classes.n_classes()];
    for (code, weight) in classes.codes.iter().zip(weights) {
        if let Some(code) = code.filter(|_| *weight > 0.0) {
            seen[code as usize] = true;
        }
    }
    seen.iter().position(|s| !s).map(|c| classes.names[c].clone())
}

/// What is said where weights of the classifiers have nothing to be learned from.
pub(super) fn count_alike(class: &str) -> String {
    format!(
        "no instance of class '{class}' has all views: the classifiers of the views count alike"
    )
}

impl Views {
    /// How many numbers they are.
    pub fn size(&self) -> usize {
        let coefs = self.solutions.iter().flat_map(Solution::heads).map(|h| h.coef.len());
        coefs.chain(self.values.iter().flatten().map(Vec::len)).sum()
    }

    /// Weights of the instances for what joins the classifiers: those that lack the view of one have none. `None` where
    /// all have all.
    pub fn joint(&self, problem: &Problem<'_>) -> Option<Vec<f64>> {
        joint(problem, &self.kernels)
    }

    /// A number for each of all kernels from one for each of these, 0 for the others.
    pub fn spread(&self, own: &[f64], count: usize) -> Vec<f64> {
        let mut all = vec![0.0; count];
        self.kernels.iter().zip(own).for_each(|(m, v)| all[*m] = *v);
        all
    }

    /// The parts of Σ_p s_pt f_pt, `share` being s of a classifier and a head: of those with a share in some head.
    pub fn parts(&self, share: &dyn Fn(usize, usize) -> f64) -> Parts {
        let heads: Vec<Vec<&Head>> = self.solutions.iter().map(|s| s.heads().collect()).collect();
        let count = heads.first().map_or(0, Vec::len);
        let used: Vec<usize> =
            (0..heads.len()).filter(|p| (0..count).any(|t| share(*p, t) != 0.0)).collect();
        let of = |value: &dyn Fn(usize, usize) -> f64| {
            Matrix::from_fn(count, used.len(), |t, k| value(used[k], t))
        };
        Parts { shares: of(share), biases: of(&|p, t| share(p, t) * heads[p][t].bias) }
    }

    /// Tells from how many instances each classifier learned, and from how many what joins them, where some lack a view.
    pub fn tell(&self, problem: &Problem<'_>, joint: Option<&[f64]>, report: &mut Report) {
        let bank = problem.bank;
        if (0..bank.len()).all(|m| bank.present(m).is_none()) {
            return;
        }
        let of = |m: usize| match bank.present(m) {
            Some(present) => present.iter().filter(|p| **p).count() as f64,
            None => bank.n() as f64,
        };
        let counts: Vec<f64> = self.kernels.iter().map(|m| of(*m)).collect();
        report.details.insert("instances_of_kernels".to_string(), self.spread(&counts, bank.len()));
        if let Some(joint) = joint {
            let count = joint.iter().filter(|w| **w > 0.0).count() as f64;
            report.details.insert("instances_together".to_string(), vec![count]);
        }
    }
}

/// One machine of several whose decision functions are Σ_m s_mt f_mt: `share` is s of a kernel and a head. Kernels that
/// have no share in any head are left out; blocks of the same place make one.
pub(super) fn together(
    solutions: &[Solution],
    counts: Counts,
    share: &dyn Fn(usize, usize) -> f64,
) -> Solution {
    let heads: usize = solutions.first().map_or(0, |s| s.heads().count());
    let used: Vec<usize> =
        (0..solutions.len()).filter(|m| (0..heads).any(|t| share(*m, t) != 0.0)).collect();
    let places = solutions.first().map_or(0, |s| s.blocks.len());
    let mut first = 0;
    let mut blocks = Vec::with_capacity(places);
    for b in 0..places {
        let parts: Vec<&Block> = solutions.iter().map(|s| &s.blocks[b]).collect();
        let sum = |number: fn(&Block) -> f64| parts.iter().map(|p| number(p)).sum::<f64>();
        let head = |u: usize| {
            let t = first + u;
            let of = |m: &usize| (share(*m, t), &parts[*m].heads[u]);
            Head {
                role: parts[0].heads[u].role,
                coef: used
                    .iter()
                    .map(of)
                    .flat_map(|(s, h)| h.coef.iter().map(move |c| s * c))
                    .collect(),
                bias: used.iter().map(of).map(|(s, h)| s * h.bias).sum(),
            }
        };
        let (primal, objective) = (sum(|p| p.primal), sum(|p| p.objective));
        let early = parts.iter().map(|p| p.status).find(|s| !s.is_success());
        let bound = parts.iter().fold((0, 0), |(a, b), p| (a + p.at_bound.0, b + p.at_bound.1));
        let count = parts[0].heads.len();
        blocks.push(Block {
            heads: (0..count).map(head).collect(),
            linear: sum(|p| p.linear),
            primal,
            objective,
            gap: (primal - objective) / primal.abs().max(f64::MIN_POSITIVE),
            hidden: 0.0,
            status: early.unwrap_or(Status::Converged),
            free: None,
            at_bound: bound,
        });
        first += count;
    }
    Solution { blocks, counts }
}
