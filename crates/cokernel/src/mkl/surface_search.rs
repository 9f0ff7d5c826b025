//! What the methods that search by [`surface`](crate::solve::surface) share: parameters, numbers of each kernel with
//! that of the first fixed, and what a report says of the search.

use crate::params::{Param, Params, Range};
use crate::solve::surface::{Ended, Factor, Found, Limits, design_size, minimise};
use crate::{Event, Report, Result, Run, Status};

pub(super) const DELTA: Param = Param {
    name: "delta",
    doc: "Δ of the Koshal design, a step in log10.",
    range: Range::Real { default: 0.3, min: 0.0, max: 5.0, closed: false },
};

pub(super) const REACH: Param = Param {
    name: "reach",
    doc: "How far from 1 the numbers go at most, in log10: from 10^-reach to 10^reach.",
    range: Range::Real { default: 1.0, min: 0.0, max: 5.0, closed: false },
};

pub(super) const EPSILON: Param = Param {
    name: "step_tol",
    doc: "ε of Figure 2.3: the search ends at a step that is shorter in log10.",
    range: Range::Real { default: 0.02, min: 0.0, max: 5.0, closed: false },
};

pub(super) const EVALUATIONS: Param = Param {
    name: "max_evaluations",
    doc: "Limit on evaluations, each a fit per fold; the design of M kernels has M (M + 1)/2.",
    range: Range::Int { default: 100, min: 1, max: 100_000 },
};

pub(super) const ANSWER: Param = Param {
    name: "answer",
    doc: "Which evaluation is taken: best, the least error (of equal ones where the surface is least); last, where \
          the search ended, as Figure 2.3 does.",
    range: Range::Choice { default: "best", of: &["best", "last"] },
};

/// The parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    delta: f64,
    reach: f64,
    tol: f64,
    most: usize,
    last: bool,
}

impl Options {
    pub fn new(params: &Params) -> Self {
        Options {
            delta: params.real(DELTA.name),
            reach: params.real(REACH.name),
            tol: params.real(EPSILON.name),
            most: params.count(EVALUATIONS.name),
            last: params.text(ANSWER.name) == "last",
        }
    }

    /// One number for each kernel, the first of which is 1, with a small `error`, which is `None` after a stop.
    pub fn search(
        &self,
        kernels: usize,
        run: &Run,
        error: &mut dyn FnMut(&[f64]) -> Result<Option<f64>>,
    ) -> Result<Searched> {
        let factors = vec![Factor::log10(self.reach, self.delta.min(self.reach)); kernels - 1];
        let all = |values: &[f64]| [&[1.0], values].concat();
        run.tell(Event::Begin { stage: "response surface", total: None });
        let mut done = 0;
        let limits = Limits { tol: self.tol, most: self.most };
        let found = minimise(&factors, limits, &mut |values| {
            let found = error(&all(values))?;
            done += 1;
            let message = found.map_or_else(String::new, |e| format!("error {e:.4}"));
            run.tell(Event::Step { done, message: &message });
            Ok(found)
        })?;
        run.tell(Event::End);
        let chosen = if self.last { found.last } else { found.best };
        let numbers = chosen.map_or(vec![1.0; kernels], |k| all(&found.trace[k].values));
        let mut notes = Vec::new();
        if found.ended == Ended::Limit {
            notes.push(format!(
                "the search ended at its limit of {} evaluations (max_evaluations); its design has {}",
                self.most,
                design_size(kernels - 1)
            ));
        }
        if found.ended == Ended::Flat {
            let problem =
                "the errors of all evaluations are equal, so all kernels keep the number 1";
            notes.push(problem.to_string());
        }
        let failed = found.trace.iter().filter(|e| !e.response.is_finite()).count();
        if failed > 0 {
            notes.push(format!("{failed} of {} evaluations gave no number", found.trace.len()));
        }
        Ok(Searched { numbers, found, notes })
    }
}

/// What a search found.
#[derive(Debug)]
pub(super) struct Searched {
    /// One for each kernel, the first 1.
    pub numbers: Vec<f64>,
    found: Found,
    notes: Vec<String>,
}

impl Searched {
    /// Tells the evaluations: their errors, and their numbers one evaluation after the other.
    pub fn tell(self, report: &mut Report) {
        if self.found.ended == Ended::Limit && report.status.is_success() {
            report.status = Status::IterationLimit;
        }
        report.notes.extend(self.notes);
        let known = || self.found.trace.iter().filter(|e| e.response.is_finite());
        let errors = known().map(|e| e.response).collect();
        let numbers =
            known().flat_map(|e| std::iter::once(1.0).chain(e.values.iter().copied())).collect();
        report.details.insert("validation_error".to_string(), errors);
        report.details.insert("evaluated".to_string(), numbers);
    }
}
