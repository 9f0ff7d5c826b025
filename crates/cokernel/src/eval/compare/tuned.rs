//! Parameters of the methods of a comparison, chosen on the same splits.

use crate::data::{Labels, Views};
use crate::eval::tune::{Candidates, Tuned, Tuning};
use crate::eval::{Split, Splits};
use crate::model::{Given, Mkl};
use crate::params::Value;
use crate::{Result, Run};

/// The choices of several methods on the same splits.
pub(super) struct Tunings<'a> {
    tuning: &'a Tuning,
    candidates: Vec<Candidates>,
    splits: &'a Splits,
    /// Where the splits have validation sets: one choice for all splits.
    once: Option<Vec<Option<Tuned>>>,
}

impl<'a> Tunings<'a> {
    pub(super) fn new(
        tuning: &'a Tuning,
        methods: &[Mkl],
        data: (&Views, &Labels),
        splits: &'a Splits,
        run: &Run,
    ) -> Result<Self> {
        for axis in &tuning.axes {
            if !methods.iter().any(|m| m.knows(&axis.name)) {
                methods.iter().try_for_each(|m| {
                    m.with(&axis.name, axis.values.first().unwrap_or(&Value::Int(0))).map(|_| ())
                })?;
            }
        }
        let of = |m: &Mkl| tuning.candidates(m, true);
        let candidates: Vec<Candidates> = methods.iter().map(of).collect::<Result<_>>()?;
        let mut all = Tunings { tuning, candidates, splits, once: None };
        if let Some(inner) = splits.validating() {
            let choose = |c: &Candidates| match c.is_single() {
                true => Ok(None),
                false => tuning.choose_on(c, data, &Given::default(), &inner, run).map(Some),
            };
            all.once = Some(all.candidates.iter().map(choose).collect::<Result<_>>()?);
        }
        Ok(all)
    }

    /// The choice of method m on the training set of a split, of which `data` are all instances; `None` if there is nothing to choose.
    pub(super) fn choose(
        &self,
        m: usize,
        split: &Split,
        data: (&Views, &Labels),
        run: &Run,
    ) -> Result<Option<Tuned>> {
        if let Some(once) = &self.once {
            return Ok(once[m].clone());
        }
        match self.candidates[m].is_single() {
            true => Ok(None),
            false => {
                let (given, candidates) = (Given::default(), &self.candidates[m]);
                if let Some(own) = split.validating() {
                    let whole = self.splits.alone(own);
                    return self.tuning.choose_on(candidates, data, &given, &whole, run).map(Some);
                }
                let train = (data.0.select(&split.train), data.1.select(&split.train));
                let groups = self.splits.groups_of(&split.train);
                let (data, groups) = ((&train.0, &train.1), groups.as_deref());
                self.tuning.choose_among(candidates, data, groups, &given, run).map(Some)
            }
        }
    }
}
