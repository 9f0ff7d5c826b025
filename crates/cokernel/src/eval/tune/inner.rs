//! One fit on an inner training set, and its score.

use super::Tuning;
use crate::data::{Labels, Views};
use crate::eval::cross_validate::{Truth, unless_stopped};
use crate::eval::{Measure, Split, Splits};
use crate::method::Task;
use crate::mkl::Learned;
use crate::model::{Given, Mkl, Prepared};
use crate::{Error, Event, Result, Run, Status, Watch};

/// What stays the same over the fits.
pub(super) struct Inner<'a> {
    tuning: &'a Tuning,
    pub by: &'static Measure,
    views: &'a Views,
    labels: &'a Labels,
    given: &'a Given<'a>,
    truth: Truth<'a>,
    pub splits: &'a Splits,
    pub run: &'a Run,
    watch: Watch,
}

/// What a fit gave.
pub(super) struct Fitted {
    pub score: f64,
    pub status: Status,
    pub learned: Learned,
}

impl<'a> Inner<'a> {
    pub fn new(
        tuning: &'a Tuning,
        task: Task,
        by: &'static Measure,
        (views, labels): (&'a Views, &'a Labels),
        given: &'a Given<'a>,
        splits: &'a Splits,
        run: &'a Run,
    ) -> Result<Self> {
        let truth = Truth::new(task, views, labels, &splits.splits)?;
        let watch = run.watch();
        Ok(Inner { tuning, by, views, labels, given, truth, splits, run, watch })
    }

    pub fn labels(&self) -> &'a Labels {
        self.labels
    }

    pub fn begin(&self, fits: u64) {
        self.run.tell(Event::Begin { stage: "choosing parameters", total: Some(fits) });
    }

    pub fn more_is_better(&self) -> bool {
        self.by.more_is_better != Some(false)
    }

    /// Why the run stopped.
    pub fn status(&self) -> Status {
        self.watch.stop().unwrap_or(Status::TimeLimit)
    }

    pub fn stopped(&self) -> Error {
        Error::Stopped { status: self.status(), what: "the choice of parameters".to_string() }
    }

    /// The kernels of a training set, of which there are so many in memory at once; `None` after a stop.
    pub fn prepare(&self, mkl: &Mkl, split: &Split, at_once: usize) -> Result<Option<Prepared>> {
        let rows = self.given.rows(mkl, &split.train, self.labels)?;
        let (views, labels) = (self.views.select(&rows), self.labels.select(&rows));
        let known = self.given.select(&rows)?;
        let run = self.run.remaining(&self.watch).quiet();
        let run = Run { memory: run.memory / at_once, ..run };
        let prepared = unless_stopped(mkl.prepare_given(&views, &labels, &known.given(), &run))?;
        Ok(prepared.filter(|_| self.watch.stop().is_none()))
    }

    /// A fit on these kernels and its score on the test set; `None` after a stop.
    pub fn fit(
        &self,
        mkl: &Mkl,
        prepared: &Prepared,
        start: Option<&Learned>,
        split: &Split,
    ) -> Result<Option<Fitted>> {
        let run = || self.run.remaining(&self.watch).quiet();
        let Some((mut model, learned)) =
            unless_stopped(mkl.fit_prepared_from(prepared, start, &run()))?
        else {
            return Ok(None);
        };
        if self.watch.stop().is_some() {
            return Ok(None);
        }
        if let Some(how) = self.tuning.calibrating.filter(|_| self.by.needs_probabilities()) {
            let rows = self.given.rows(mkl, &split.train, self.labels)?;
            let (views, labels) = (self.views.select(&rows), self.labels.select(&rows));
            let known = self.given.select(&rows)?;
            let found = mkl.calibration_given(&views, &labels, &known.given(), how, &run());
            let Some(found) = unless_stopped(found)? else { return Ok(None) };
            model = model.calibrated(found)?;
        }
        let found = self.truth.score(&model, self.views, split, &run());
        let Some(found) = unless_stopped(found)? else { return Ok(None) };
        let score = found.scores.get(self.by.id).ok_or_else(|| {
            Error::Labels(format!(
                "'{}' cannot choose parameters: some inner test set has none",
                self.by.id
            ))
        })?;
        Ok(Some(Fitted { score, status: found.status, learned }))
    }
}
