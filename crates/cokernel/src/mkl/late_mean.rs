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
//! **Certificate.** The M problems do not depend on each other: primal and dual objectives are their sums,
//! and their difference bounds the distance of all from their optima together.
//!
//! **Cost**: M machines, one after the other, each on its own n × n kernel.

use super::{Copies, Learned, Learner, Problem, check, mixed};
use crate::machine::{Block, Head, How, Machine, Solution};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::rule::{Each, Weighted};
use crate::{Counts, Event, Report, Result, Run, Status};

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
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let (watch, bank) = (run.watch(), problem.bank);
        let count = bank.len();
        run.tell(Event::Begin { stage: "late integration", total: Some(count as u64) });
        let mut solutions: Vec<Solution> = Vec::new();
        let mut counts = Counts::default();
        for m in 0..count {
            // Something is learned in any case.
            if m > 0 && watch.stop().is_some() {
                break;
            }
            let mut weights = vec![0.0; count];
            weights[m] = 1.0;
            let rule = Weighted::new(weights);
            let kernel = mixed(bank, &rule, None, run, &watch)?;
            let left = run.remaining(&watch).quiet();
            let how = How { weights: problem.weights, ..How::new(&left) };
            let solved = problem.machine.solve(kernel.as_ref(), problem.target, &how)?;
            counts.combines += 1;
            counts.add(&solved.counts);
            solutions.push(solved);
            run.tell(Event::Step { done: m as u64 + 1, message: &bank.kernels()[m].name });
        }
        run.tell(Event::End);
        let trained = solutions.len();
        let machines = together(solutions, counts);
        let mut notes: Vec<String> = machines.remark().into_iter().collect();
        if trained < count {
            notes.push(format!(
                "stopped after {trained} of {count} kernels: the others have no share"
            ));
        }
        let stopped = watch.stop().filter(|_| trained < count);
        let report = Report {
            status: stopped.unwrap_or(machines.status()),
            objective: vec![machines.primal()],
            gap: Some(machines.gap()),
            counts,
            seconds: watch.seconds(),
            notes,
            ..Report::closed_form(run)
        };
        let share = |m| if m < trained { 1.0 / trained as f64 } else { 0.0 };
        let rule = Each::rule((0..count).map(share).collect());
        Ok(Learned { machines: Some(machines), ..Learned::of(rule, report) })
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

/// The mean of the decision functions; blocks of the same place make one.
fn together(solutions: Vec<Solution>, counts: Counts) -> Solution {
    let share = 1.0 / solutions.len() as f64;
    let places = solutions.first().map_or(0, |s| s.blocks.len());
    let block = |b: usize| {
        let parts: Vec<&Block> = solutions.iter().map(|s| &s.blocks[b]).collect();
        let sum = |number: fn(&Block) -> f64| parts.iter().map(|p| number(p)).sum::<f64>();
        let head = |u: usize| {
            let heads = parts.iter().map(|p| &p.heads[u]);
            Head {
                role: parts[0].heads[u].role,
                coef: heads.clone().flat_map(|h| h.coef.iter().map(|c| share * c)).collect(),
                bias: share * heads.map(|h| h.bias).sum::<f64>(),
            }
        };
        let (primal, objective) = (sum(|p| p.primal), sum(|p| p.objective));
        let early = parts.iter().map(|p| p.status).find(|s| !s.is_success());
        let bound = parts.iter().fold((0, 0), |(a, b), p| (a + p.at_bound.0, b + p.at_bound.1));
        Block {
            heads: (0..parts[0].heads.len()).map(head).collect(),
            linear: sum(|p| p.linear),
            primal,
            objective,
            gap: (primal - objective) / primal.abs().max(f64::MIN_POSITIVE),
            status: early.unwrap_or(Status::Converged),
            free: None,
            at_bound: bound,
        }
    };
    Solution { blocks: (0..places).map(block).collect(), counts }
}
