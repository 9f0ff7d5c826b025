//! From files to views and labels.

use crate::input::{Loaded, read_files};
use crate::misuse::misuse;
use crate::session::Session;
use crate::settings::{Learning, Settings};
use crate::table::count;
use anyhow::Result;
use cokernel::data::{Labels, Missing};
use cokernel::method::Task;

/// Instances without a label that are left out, in words.
pub fn left_out_note(labels: &Labels) -> Option<String> {
    let (all, known) = (labels.len(), labels.known_rows().len());
    let missing = all - known;
    if missing == 0 || matches!(labels, Labels::Absent(_)) {
        return None;
    }
    Some(format!("{missing} of {all} instances have no label and are left out"))
}

/// Reads views and labels to learn from; there must be labels, but to detect outliers.
pub fn load_labelled(
    settings: &Settings,
    session: &Session,
    learning: &Learning,
) -> Result<Loaded> {
    let task = learning.task();
    let incomplete = settings.drop_incomplete || learning.missing != Missing::Refuse;
    let real = task == Task::Regress;
    let data = read(settings, session, false, incomplete, real)?;
    if learning.assumed {
        refuse_doubtful(&data.labels)?;
    }
    if let (Labels::Absent(_), true) = (&data.labels, task != Task::Detect) {
        return Err(misuse(
            "no labels are given; add --labels FILE, or --label-column NAME if a view has them",
        ));
    }
    Ok(data)
}

/// Refuses classes that are most probably numbers to predict, where it was not said which is meant:
/// all names are numbers, and there are more than 20 of them with fractions or above half as many as
/// instances.
fn refuse_doubtful(labels: &Labels) -> Result<()> {
    let Labels::Classes { names, codes } = labels else { return Ok(()) };
    let numbers: Option<Vec<f64>> = names.iter().map(|n| n.parse().ok()).collect();
    let Some(numbers) = numbers.filter(|n| n.len() > 20) else { return Ok(()) };
    let fractions = numbers.iter().any(|v| v.fract() != 0.0);
    let known = codes.iter().flatten().count();
    if fractions || 2 * numbers.len() > known {
        return Err(misuse(format!(
            "the labels of {known} instances are {} different numbers: add --task regress to learn the \
             numbers, or --task classify to learn each as a class",
            numbers.len()
        )));
    }
    Ok(())
}

/// Reads the instances to cluster, with labels if there are any. Instances may lack views, unless
/// these are to be left out.
pub fn load_incomplete(settings: &Settings, session: &Session) -> Result<Loaded> {
    read(settings, session, false, true, false)
}

/// Reads instances to be compared with those of a model; some may lack views.
pub fn load_new(settings: &Settings, session: &Session, real: bool) -> Result<Loaded> {
    read(settings, session, true, true, real)
}

/// `incomplete`: instances may lack views; `real`: labels are numbers.
fn read(
    settings: &Settings,
    session: &Session,
    new_instances: bool,
    incomplete: bool,
    real: bool,
) -> Result<Loaded> {
    if settings.input.views.is_empty() {
        return Err(misuse("no view is given; add --view NAME=FILE, or write a cokernel.toml"));
    }
    session.notes(&settings.remarks);
    let (data, notes) = read_files(&settings.input, new_instances, incomplete, real)?;
    session.notes(&notes);
    if settings.drop_incomplete { Ok(complete(data, session, new_instances)) } else { Ok(data) }
}

/// The instances that have every view.
fn complete(data: Loaded, session: &Session, new_instances: bool) -> Loaded {
    let (n, rows) = (data.views.n(), data.views.complete_rows());
    if rows.len() == n {
        return data;
    }
    let dropped = count(n - rows.len(), "instance", "instances");
    session.notes([format!("{dropped} of {n} left out: not every view is there")]);
    let views = if new_instances {
        let similarity = data.views.iter().find(|v| v.table.is_similarity());
        let training: Vec<usize> = (0..similarity.map_or(0, |v| v.table.cols())).collect();
        data.views.select_new(&rows, &training)
    } else {
        data.views.select(&rows)
    };
    let pairs = data.pairs.map(|pairs| pairs.select(&rows));
    Loaded { views, labels: data.labels.select(&rows), pairs }
}
