//! The combined kernels that the search keeps.

use crate::Result;
use crate::bank::{Bank, Gram};
use crate::run::Pass;
use crate::solve::Rows;
use rayon::prelude::*;

/// What a blend adds to the [terms](Rows::terms) of an entry: it rounds three times.
const BLENDED: usize = 3;

/// The kernel of the point, and that of the last trial. Most first trials are taken, and so they are formed in the place of
/// the kernel of the point, as long as all are: a second matrix of 1,000 instances that is never needed was a tenth of
/// the time of a method, for the pages of its memory. After the first that is not taken there are two.
pub(super) struct Stored {
    point: Gram,
    trial: Option<Gram>,
}

impl Stored {
    pub fn new(point: Gram) -> Self {
        Stored { point, trial: None }
    }

    /// The kernel of the point; of no use between a trial and what becomes of it.
    pub fn point(&self) -> &Gram {
        &self.point
    }

    pub fn point_mut(&mut self) -> &mut Gram {
        &mut self.point
    }

    pub fn trial(&self) -> &Gram {
        self.trial.as_ref().unwrap_or(&self.point)
    }

    pub fn trial_mut(&mut self) -> &mut Gram {
        self.trial.as_mut().unwrap_or(&mut self.point)
    }

    /// The last trial is not taken: the kernel of the point, which has these weights, is formed again where the trial took
    /// its place.
    pub fn refuse(&mut self, bank: &Bank, weights: &[f64], pass: &Pass<'_>) -> Result<()> {
        if self.trial.is_none() {
            let point = bank.combine_in(weights, pass)?;
            self.trial = Some(std::mem::replace(&mut self.point, point));
        }
        Ok(())
    }

    /// The last trial is the point now.
    pub fn accept(&mut self) {
        if let Some(trial) = &mut self.trial {
            std::mem::swap(&mut self.point, trial);
        }
    }

    /// trial ← factor·(point + part·(trial − point)) after a [refused](Self::refuse) one, in parallel over chunks.
    pub fn blend(&mut self, part: f64, factor: f64) {
        const CHUNK: usize = 1 << 16;
        let Some(trial) = &mut self.trial else { return };
        trial.set_terms(trial.terms() + BLENDED);
        let pairs =
            trial.values_mut().par_chunks_mut(CHUNK).zip(self.point.values().par_chunks(CHUNK));
        pairs.for_each(|(t, b)| {
            t.iter_mut().zip(b).for_each(|(t, b)| *t = factor * (b + part * (*t - b)));
        });
    }
}
