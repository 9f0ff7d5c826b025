//! Late integration: a machine on every kernel, and the mean of their decision values.
//!
//! ```text
//! f(x) = (1/M) Σ_m f_m(x),      f_m the machine trained on kernel m alone
//! ```
//!
//! LMKA §2.6 sets it beside early integration (`concat`) and intermediate integration (all methods that
//! combine kernels); the paper leaves open how decisions are combined, and here nothing is learned about it. A
//! view that says nothing of an instance gives small decision values, and so counts little. Every machine
//! keeps the cost C. Numbers are averaged as they are; decision values of classes are comparable between
//! kernels of the same diagonal, so normalise kernels first.
//!
//! Instances that lack a view are learned from, and told, by the views that they have: the mean is over these.
//!
//! **Certificate.** The M problems do not depend on each other: primal and dual objectives are their sums,
//! and their difference bounds the distance of all from their optima together.
//!
//! **Cost**: M machines, one after the other, each on its own n × n kernel.

use super::view_classifiers::{ViewClassifiers, together};
use super::{Copies, Learned, Learner, Problem, check};
use crate::machine::Machine;
use crate::method::{Certificate, Entry, Group, Integration, Method, Task, WeightSet};
use crate::rule::Each;
use crate::{Report, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry { method: &METHOD, build: |_| Box::new(LateMean) };

static METHOD: Method = Method {
    id: "late_mean",
    title: "late integration",
    source: "Gönen 2010, §2.6; Noble 2004",
    summary: "A machine on every kernel, and the mean of their decision values: decisions are combined, not \
              similarities. Nothing is learned about the kernels. Costs one machine for each.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::FixedRules,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[],
};

#[derive(Debug)]
struct LateMean;

impl Learner for LateMean {
    fn integration(&self) -> Integration {
        Integration::Late
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let (watch, count) = (run.watch(), problem.bank.len());
        let views = ViewClassifiers::plain().train(problem, run, &watch)?;
        let trained = views.solutions.len();
        let equal = |_: usize, _: usize| 1.0 / trained as f64;
        let machines = together(&views.solutions, views.counts, &equal);
        let mut notes: Vec<String> = machines.remark().into_iter().collect();
        notes.extend(views.notes.iter().cloned());
        let stopped = watch.stop().filter(|_| trained < count);
        let mut report = Report {
            status: stopped.unwrap_or(machines.status()),
            objective: vec![machines.primal()],
            gap: Some(machines.gap()),
            counts: views.counts,
            seconds: watch.seconds(),
            notes,
            ..Report::closed_form(run)
        };
        views.tell(problem, None, &mut report);
        let rule = Each::rule(views.spread(&vec![1.0 / trained as f64; trained], count));
        let parts = Some(views.parts(&equal));
        Ok(Learned { machines: Some(machines), parts, ..Learned::of(rule, report) })
    }

    fn learns_per_view(&self) -> bool {
        true
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    /// Decision values that compare an instance with itself have no coefficients.
    fn takes(&self, machine: &dyn Machine) -> bool {
        machine.own_similarity() == 0.0
    }

    fn reads_partial_labels(&self) -> bool {
        true
    }
}
