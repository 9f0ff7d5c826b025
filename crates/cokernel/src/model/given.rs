//! [`Given`]: what is known about instances beside their labels.

use super::Mkl;
use crate::data::{Labels, Link, Matrix, Pairs};
use crate::{Error, Result};

/// What is known about the instances beside their labels: an entry for each instance of the views.
#[derive(Debug, Clone, Copy, Default)]
pub struct Given<'a> {
    /// Non-negative weights, which multiply C.
    pub weights: Option<&'a [f64]>,
    /// How probable each class is, instances × classes, in the order of the class names.
    pub posteriors: Option<&'a Matrix>,
    /// Pairs of instances that must or cannot link.
    pub pairs: Option<&'a Pairs>,
}

/// The same of some of the instances.
pub(crate) struct Part {
    weights: Option<Vec<f64>>,
    posteriors: Option<Matrix>,
    pairs: Option<Pairs>,
}

impl Given<'_> {
    /// Refuses what is of another number of instances.
    pub(crate) fn check(&self, n: usize) -> Result<()> {
        let sizes = [
            ("weights", self.weights.map(<[f64]>::len)),
            ("posteriors", self.posteriors.map(Matrix::rows)),
            ("pairs", self.pairs.map(Pairs::n)),
        ];
        for (what, found) in sizes {
            if let Some(found) = found.filter(|found| *found != n) {
                let expected = format!("{n} instances, as many as the views have");
                return Err(Error::shape(what, expected, found));
            }
        }
        Ok(())
    }

    /// The instances to hand on where these are to be learned from: where there are pairs, after them
    /// also those without a label, unless the machine learns from all of them anyway.
    pub(crate) fn rows(&self, mkl: &Mkl, train: &[usize], labels: &Labels) -> Result<Vec<usize>> {
        let mut rows = train.to_vec();
        if self.pairs.is_some() && !mkl.uses_unlabelled()? {
            let mut labelled = vec![false; labels.len()];
            labels.known_rows().into_iter().for_each(|i| labelled[i] = true);
            rows.extend((0..labels.len()).filter(|i| !labelled[*i]));
        }
        Ok(rows)
    }

    /// What is known of the instances with these row numbers.
    ///
    /// # Errors
    /// Of the pairs of one kind none is among them.
    pub(crate) fn select(&self, rows: &[usize]) -> Result<Part> {
        let pairs = self.pairs.map(|p| p.select(rows));
        for (all, part) in self.pairs.iter().zip(&pairs) {
            for link in Link::ALL {
                let given = all.of(link).len();
                if given > 0 && part.of(link).is_empty() {
                    let problem = format!(
                        "of {given} {link} pairs none is left without the instances that are held out; \
                         give more pairs, or hold out fewer instances (more folds)"
                    );
                    return Err(Error::parameter("pairs", problem));
                }
            }
        }
        Ok(Part {
            weights: self.weights.map(|w| rows.iter().map(|&i| w[i]).collect()),
            posteriors: self.posteriors.map(|p| p.select_rows(rows)),
            pairs,
        })
    }
}

impl Part {
    pub(crate) fn given(&self) -> Given<'_> {
        Given {
            weights: self.weights.as_deref(),
            posteriors: self.posteriors.as_ref(),
            pairs: self.pairs.as_ref(),
        }
    }
}
