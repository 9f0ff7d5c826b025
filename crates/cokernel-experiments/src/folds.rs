//! Whether data in files has enough instances of each class for the folds: seen before any cell is
//! computed, at the number that asks for too many. Of data whose classes are known without reading,
//! `plan::size` says it.

use super::file::File;
use super::plan::{Experiment, Learning, Pick};
use super::selection::{self, Selected};
use super::source::Source;
use anyhow::Result;
use cokernel::method::Task;
use cokernel::{Error, eval};
use std::path::Path;
use toml::Spanned;

impl Experiment {
    /// Refuses folds that the labels of data in files do not suffice for; `name` and `text` are those
    /// of the experiment. Reads the files once.
    pub fn check_folds(
        &self,
        (name, text): (&str, &str),
        folder: Option<&Path>,
        seed: u64,
    ) -> Result<()> {
        let Some(learning) = self.protocol.learning() else {
            return Ok(());
        };
        let Learning { splits, inner_folds, .. } = learning;
        let real = self.protocol.task() == Task::Regress;
        let inner = self.rows.iter().any(|r| r.pick == Pick::Inner).then_some(inner_folds);
        for data in &self.data {
            let drawn = data.given.is_none();
            if drawn && !matches!(data.source, Source::Folder(_) | Source::Files(_)) {
                continue;
            }
            let selected = data.selection.load(&data.source, folder, None, seed, real)?;
            let Err((of_inner, problem)) =
                all_splits(&selected, (learning, data.given.as_ref()), inner, seed)
            else {
                continue;
            };
            let file = File::new(name, text);
            let protocol = file.parse()?.protocol;
            let outer = match splits {
                _ if data.given.is_some() => ("splits", protocol.splits.map(|f| f.span())),
                eval::Protocol::KFold { .. } => ("folds", protocol.folds.map(|f| f.span())),
                eval::Protocol::Reserved { .. } => ("reserve", protocol.reserve.map(|f| f.span())),
                eval::Protocol::PerClass { .. } => {
                    ("per_class", protocol.per_class.map(|f| f.span()))
                }
                _ => ("test_fraction", protocol.test_fraction.map(|f| f.span())),
            };
            let (key, place) = match (of_inner, &protocol.inner_folds) {
                (false, _) => outer,
                (true, Some(given)) => ("inner_folds", Some(Spanned::span(given))),
                // Not given, it is inside the training sets of these.
                (true, None) => ("inner_folds", outer.1),
            };
            return Err(file.refuse(place, format!("{key}: data '{}': {problem}", data.label)));
        }
        Ok(())
    }
}

/// Makes all splits as cells do; of an error, whether it is one inside a training set.
fn all_splits(
    Selected { views, labels, test }: &Selected,
    (learning, given): (Learning, Option<&eval::Splits>),
    inner: Option<usize>,
    seed: u64,
) -> Result<(), (bool, Error)> {
    let splits = selection::splits(learning, given, (views, labels), test.as_ref(), seed);
    let splits = splits.map_err(|e| (false, e))?.splits;
    // Validation sets need no folds.
    let Some(folds) = inner.filter(|_| splits.iter().all(|s| s.validation.is_empty())) else {
        return Ok(());
    };
    let inner = eval::Protocol::KFold { folds, repeats: 1 };
    for split in &splits {
        inner.split(&labels.select(&split.train), seed).map_err(|e| (true, e))?;
    }
    Ok(())
}
