//! Whether data in files has enough instances of each class for the folds, and the kernels, views and functions whose costs are told: seen
//! before any cell is computed, at the number that asks for too many, or the name. Of data whose classes are known without
//! reading, `plan::size` says the first.

use super::file::File;
use super::plan::{Data, Experiment, Learning, Pick};
use super::selection::{self, Selected};
use super::source::Source;
use anyhow::Result;
use cokernel::data::{View, Views};
use cokernel::kernel::KernelSpec;
use cokernel::method::Task;
use cokernel::{Error, eval};
use std::collections::BTreeSet;
use std::path::Path;
use toml::Spanned;

impl Experiment {
    /// Refuses folds that the labels of data in files do not suffice for, training sets without a class, and costs of what the
    /// data does not have; `name` and `text` are those of the experiment. Reads the files once.
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
        for (d, data) in self.data.iter().enumerate() {
            let drawn = data.given.is_none() && data.costs.is_empty();
            if drawn && !matches!(data.source, Source::Folder(_) | Source::Files(_)) {
                continue;
            }
            let selected = data.selection.load(&data.source, folder, None, seed, real)?;
            let file = File::new(name, text);
            if let Err((unknown, problem)) = self.check_costs(data, &selected.views) {
                let entries = file.parse()?.data.0;
                let place = entries.get(d).and_then(|e| e.costs.get(&unknown)).map(Spanned::span);
                return Err(file.refuse(place, format!("costs: {problem}")));
            }
            let how = (self.protocol.task(), learning);
            let Err((of_inner, problem)) =
                all_splits(&selected, how, data.given.as_ref(), inner, seed)
            else {
                continue;
            };
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

    /// Refuses costs of what is neither a kernel nor a view nor a function of the rows: the name, and what is known. Widths in
    /// parentheses are not known before they are chosen.
    fn check_costs(&self, data: &Data, views: &Views) -> Result<(), (String, Error)> {
        if data.costs.is_empty() {
            return Ok(());
        }
        let is_there = |name: &str| data.views.as_ref().is_none_or(|v| v.iter().any(|o| o == name));
        let views: Vec<&View> = views.iter().filter(|v| is_there(&v.name)).collect();
        let mut known: BTreeSet<String> = views.iter().map(|v| v.name.clone()).collect();
        let variants = self.rows.iter().flat_map(|r| &r.variants);
        for kernels in variants.map(|v| v.kernels.as_ref().or(data.kernels.as_ref())) {
            let default =
                [KernelSpec::gaussian(), KernelSpec::precomputed(), KernelSpec::spectrum(3)];
            for spec in kernels.map_or(&default[..], Vec::as_slice) {
                let on = |v: &&&View| match &spec.view {
                    Some(name) => *name == v.name,
                    None => spec.family.takes().is(&v.table),
                };
                for view in views.iter().filter(on) {
                    let function = spec.family.name();
                    known.insert(function.to_string());
                    known.insert(format!("{function}@{}", view.name));
                }
            }
        }
        // A column of a view, as gaussian@x[3](gamma=1), is called by the view.
        let without =
            |name: &str, end: char| name.split(end).next().unwrap_or_default().to_string();
        let is_known =
            |name: &str| known.contains(name) || known.contains(&without(&without(name, '('), '['));
        match data.costs.keys().find(|name| !is_known(name)) {
            None => Ok(()),
            Some(name) => {
                let what = "kernel, view or function";
                Err((name.clone(), Error::unknown(what, name, known.iter().map(String::as_str))))
            }
        }
    }
}

/// Makes all splits as cells do; of an error, whether it is one inside a training set.
fn all_splits(
    Selected { views, labels, test }: &Selected,
    how: (Task, Learning),
    given: Option<&eval::Splits>,
    inner: Option<usize>,
    seed: u64,
) -> Result<(), (bool, Error)> {
    let splits = selection::splits(how, given, (views, labels), test.as_ref(), seed);
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
