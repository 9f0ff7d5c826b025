//! A shortened experiment, to see that everything runs.

use super::{Experiment, Kind, Pick};
use crate::source::Source;

/// Drawn data sets, splits, starts of k-means, and values of a sweep or of a grid that is chosen from, at most.
const SETS: usize = 2;
const SPLITS: usize = 1;
const STARTS: usize = 3;
const VALUES: usize = 3;
const INNER_FOLDS: usize = 2;
/// Instances of data that is not drawn.
const INSTANCES: usize = 150;

impl Experiment {
    /// Leaves the beginning of everything, and no published figures: nothing can be compared with them. Cells of other numbers of instances are others; those of drawn data are the
    /// same as in the whole experiment.
    pub(super) fn shorten(&mut self) {
        for data in &mut self.data {
            match data.source {
                Source::Toy(_) => data.sets = data.sets.min(SETS),
                // Splits from a file are those of all instances.
                _ if data.given.is_some() => {}
                _ => {
                    data.selection.take =
                        Some(data.selection.take.unwrap_or(INSTANCES).min(INSTANCES))
                }
            }
        }
        match &mut self.protocol.kind {
            Kind::Cluster { starts, .. } => starts.starts = starts.starts.min(STARTS),
            Kind::Classify(l) | Kind::Regress(l) | Kind::Detect(l) => {
                l.inner_folds = l.inner_folds.min(INNER_FOLDS);
                self.protocol.first_splits = Some(SPLITS);
            }
        }
        if let Some(sweep) = self.sweep.as_mut().filter(|s| s.values.len() > VALUES) {
            let last = sweep.values.len() - 1;
            let kept = (0..VALUES).map(|i| sweep.values[i * last / (VALUES - 1)]);
            sweep.values = kept.collect();
        }
        for row in &mut self.rows {
            if row.pick == Pick::Inner {
                row.variants.truncate(VALUES);
            }
            row.published.clear();
            row.points.clear();
        }
        self.data.iter_mut().for_each(|d| d.published.clear());
        self.claims.clear();
        self.quick = true;
    }
}
