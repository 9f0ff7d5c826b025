//! The best single kernel: the machine is trained on every kernel, one is kept.
//!
//! The control of LMS §5.3 ("best kernel"). There the choice is made on test
//! accuracy; here it is honest: accuracy in an inner cross-validation on the training instances,
//! with stratified folds that are the same for every kernel. Equal accuracies are decided by the
//! lower primal objective ½‖w‖² + Σ C_i ξ_i of the machine on all training instances, equal
//! objectives by the order of the kernels.
//!
//! | symbol | name |
//! |---|---|
//! | number of folds | `folds` |
//! | fold of instance i | `fold[i]` |
//!
//! Instances of the held-out fold take part with cost C_i = 0, so the kernel is formed once for
//! all folds. Normalisations of the bank (centring, scaling) are those of all training instances.
//! Instances without a class, where the machine learns from them, are held out in no fold.
//! A class with one instance cannot be both learned and held out: the choice is then made by the
//! primal objective alone, and the report says so.
//!
//! **Scale.** Multiplying a kernel by s is the same as multiplying C by s for it, which changes
//! its accuracy as C does; normalise, so that the kernels meet the same C. A second copy of a
//! kernel is never chosen.
//!
//! **Cost**: M·`folds` machines and M sums of one kernel; memory for one n × n matrix.

use super::{Learned, Learner, Problem, check, mixed};
use crate::data::{PartialClasses, Target, dealt};
use crate::machine::{How, Solution};
use crate::method::{Certificate, Entry, Group, Integration, Method, Task, WeightSet};
use crate::params::{Param, Range};
use crate::rule::Weighted;
use crate::solve::Rows;
use crate::{Event, Report, Result, Run, Watch};
use rand::seq::SliceRandom;

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(BestSingle { folds: p.count("folds") }) };

static METHOD: Method = Method {
    id: "best_single",
    title: "best single kernel",
    source: "Gönen 2010, §5; Kumar 2013, §5.3",
    summary: "Trains the machine on every kernel and keeps the one with the best accuracy in an \
              inner cross-validation. Costs a few machines per kernel.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::Controls,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::ONE,
    params: &[Param {
        name: "folds",
        doc: "Folds of the inner cross-validation on the training instances.",
        range: Range::Int { default: 3, min: 2, max: 100 },
    }],
};

#[derive(Debug)]
struct BestSingle {
    folds: usize,
}

/// What is known about a kernel.
struct Candidate {
    kernel: usize,
    /// How right the predictions of all folds are, weighted: see [`Reading::right`].
    right: f64,
    machines: Solution,
}

impl Candidate {
    fn beats(&self, other: &Candidate) -> bool {
        self.right > other.right
            || (self.right == other.right && self.machines.primal() < other.machines.primal())
    }
}

impl Learner for BestSingle {
    fn integration(&self) -> Integration {
        Integration::Late
    }

    fn weights_repeat(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let watch = run.watch();
        let mut report = Report::closed_form(run);
        let kernels = problem.bank.len();
        let classes = problem.target.partial_classes();
        let fold = match &classes {
            Ok(classes) => stratified(classes, self.folds, run),
            Err(_) => even(problem.target, self.folds, run),
        };
        if fold.is_none() {
            report.notes.push(
                match classes {
                    Ok(_) => {
                        "a class has a single instance, so there was no inner cross-validation; the \
                         kernel was chosen by the objective of its machine"
                    }
                    Err(_) => {
                        "there is nothing that predictions could be compared with, so the kernel was \
                         chosen by the objective of its machine"
                    }
                }
                .to_string(),
            );
        }
        run.tell(Event::Begin { stage: "single kernels", total: Some(kernels as u64) });
        let mut best: Option<Candidate> = None;
        for kernel in 0..kernels {
            let candidate =
                self.judge(problem, kernel, fold.as_deref(), run, &watch, &mut report)?;
            if let Some(status) = watch.stop() {
                report.status = status;
                report.notes.push(format!(
                    "stopped ({status}) after {kernel} of {kernels} kernels; the best of those \
                     is kept"
                ));
                best.get_or_insert(candidate);
                break;
            }
            if best.as_ref().is_none_or(|b| candidate.beats(b)) {
                best = Some(candidate);
            }
            let message = &problem.bank.kernels()[kernel].name;
            run.tell(Event::Step { done: kernel as u64 + 1, message });
        }
        run.tell(Event::End);
        let mut weights = vec![0.0; kernels];
        let mut machines = None;
        if let Some(best) = best {
            weights[best.kernel] = 1.0;
            report.objective.push(best.machines.primal());
            report.gap = Some(best.machines.gap());
            machines = Some(best.machines);
        }
        report.seconds = watch.seconds();
        Ok(Learned { machines, ..Learned::of(Weighted::rule(weights), report) })
    }

    fn reads_partial_labels(&self) -> bool {
        true
    }
}

impl BestSingle {
    /// Cross-validates one kernel and trains the machine on it.
    fn judge(
        &self,
        problem: &Problem<'_>,
        kernel: usize,
        fold: Option<&[usize]>,
        run: &Run,
        watch: &Watch,
        report: &mut Report,
    ) -> Result<Candidate> {
        let mut weights = vec![0.0; problem.bank.len()];
        weights[kernel] = 1.0;
        let rule = Weighted::new(weights);
        let rows = mixed(problem.bank, &rule, None, run, watch)?;
        report.counts.combines += 1;
        let fit = |weights: Option<&[f64]>, warm: Option<&Solution>| {
            let how =
                How { weights, warm, tol: None, only: None, run: &run.remaining(watch).quiet() };
            problem.machine.solve(rows.as_ref(), problem.target, &how)
        };
        let machines = fit(problem.weights, problem.warm_machines())?;
        report.counts.add(&machines.counts);
        let mut right = 0.0;
        for held in 0..fold.map_or(0, |_| self.folds) {
            let Some(fold) = fold else { break };
            let weight = |i: usize| problem.weights.map_or(1.0, |w| w[i]);
            let learned = |i: usize| if fold[i] == held { 0.0 } else { weight(i) };
            let costs: Vec<f64> = (0..fold.len()).map(learned).collect();
            let part = fit(Some(&costs), Some(&machines))?;
            report.counts.add(&part.counts);
            let values = decisions(&part, rows.as_ref(), watch);
            let found = problem.machine.reading().right(problem.target, &values);
            right += (0..fold.len())
                .filter(|&i| fold[i] == held)
                .map(|i| weight(i) * found[i])
                .sum::<f64>();
        }
        Ok(Candidate { kernel, right, machines })
    }
}

/// Values of each head for all instances; not to be used after a stop.
pub(super) fn decisions(machines: &Solution, rows: &dyn Rows, watch: &Watch) -> Vec<Vec<f64>> {
    let values = |head: &crate::machine::Head| {
        let mut values = vec![0.0; head.coef.len()];
        rows.multiply_until(&head.coef, &mut values, watch);
        values.iter_mut().for_each(|v| *v += head.bias);
        values
    };
    machines.heads().map(values).collect()
}

/// A fold for each instance, in random order; `None` where there is nothing to predict.
pub(super) fn even(target: &Target, folds: usize, run: &Run) -> Option<Vec<usize>> {
    if !matches!(target, Target::Real(_)) || target.len() < 2 {
        return None;
    }
    let mut fold: Vec<usize> = (0..target.len()).map(|i| i % folds).collect();
    fold.shuffle(&mut run.rng("best_single folds"));
    Some(fold)
}

/// A fold for each labelled instance, classes spread evenly, and one that is none for the others; `None` if a
/// class has a single instance.
pub(super) fn stratified(classes: &PartialClasses, folds: usize, run: &Run) -> Option<Vec<usize>> {
    let (mut order, labelled) = classes.labelled();
    if labelled.counts().iter().any(|c| *c < 2) {
        return None;
    }
    order.shuffle(&mut run.rng("best_single folds"));
    order.sort_by_key(|&i| classes.codes[i]);
    let mut fold = vec![usize::MAX; classes.codes.len()];
    for (k, part) in dealt(order.into_iter(), folds).into_iter().enumerate() {
        part.into_iter().for_each(|i| fold[i] = k);
    }
    Some(fold)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Classes;

    #[test]
    fn folds_hold_every_class_evenly() {
        let texts: Vec<String> = (0..31).map(|i| ["a", "b", "c"][i % 3].to_string()).collect();
        let classes = Classes::from_texts(&texts).unwrap();
        let partial = PartialClasses::from(classes.clone());
        let fold = stratified(&partial, 3, &Run::default()).unwrap();
        for f in 0..3 {
            for c in 0..3 {
                let held =
                    (0..31).filter(|&i| fold[i] == f && classes.codes[i] == c as u32).count();
                assert!((3..=4).contains(&held));
            }
        }
        let lonely = Classes::from_texts(&["a", "a", "b"]).unwrap();
        assert!(stratified(&lonely.into(), 3, &Run::default()).is_none());
        let mut some = partial;
        some.codes[4] = None;
        let fold = stratified(&some, 3, &Run::default()).unwrap();
        assert!(fold[4] == usize::MAX && fold.iter().filter(|f| **f < 3).count() == 30);
    }
}
