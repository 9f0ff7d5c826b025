//! The protocol of a plan: clusters and starts, or splits.

use super::setting::{counted, machine_of};
use super::splits::Given;
use super::{Kind, Learning, Protocol, figures};
use crate::file::{Content, File, ProtocolEntry};
use crate::score::Score;
use anyhow::Result;
use cokernel::machine::{MachineSpec, learn_unlabelled};
use cokernel::method::Task;
use cokernel::{brief, eval};
use toml::Spanned;

const MOST_SPLITS: usize = 100_000;
/// Counts above these are mistakes; what fits into memory is planned with the data.
const MOST_CLUSTERS: usize = 1_000_000;
/// Inner folds of `pick = "inner"`.
const INNER_FOLDS: usize = 5;

pub fn protocol(file: &File, content: &Content, given: Option<&Given>) -> Result<Protocol> {
    let entry = &content.protocol;
    let given = given.and_then(Given::first);
    let kind = kind(file, entry, task(file, content)?, given)?;
    let task = kind.task();
    let score = |s: &Spanned<String>| {
        Score::from_id(s.get_ref(), task).map_err(|e| file.refuse(Some(s.span()), e))
    };
    let scores = entry.scores.get_ref().iter().map(score).collect::<Result<Vec<_>>>()?;
    let Some(&first) = scores.first() else {
        let problem = "protocol: scores: expected at least one, as [\"nmi\"]";
        return Err(file.refuse(Some(entry.scores.span()), problem));
    };
    let pick_by = match &entry.pick_by {
        Some(s) => score(s)?,
        None if scores.contains(&Score::Nmi) => Score::Nmi,
        None => first,
    };
    let given = given.is_some();
    Ok(Protocol { kind, seed: entry.seed, scores, pick_by, given, first_splits: None })
}

/// What is measured: the task that is named, else that of the machine, else classes; clusters where their
/// number is given.
fn task(file: &File, content: &Content) -> Result<Task> {
    let (named, machine) = (&content.protocol.task, &content.machine.id);
    if let Some(id) = named {
        return Task::from_id(id.get_ref()).map_err(|e| file.refuse(Some(id.span()), e));
    }
    match machine {
        _ if content.protocol.clusters.is_some() => Ok(Task::Cluster),
        Some(id) => Ok(machine_of(file, id)?.method().tasks[0]),
        None => Ok(Task::Classify),
    }
}

fn kind(
    file: &File,
    entry: &ProtocolEntry,
    task: Task,
    given: Option<&eval::Splits>,
) -> Result<Kind> {
    let of_splits = [
        ("folds", entry.folds.as_ref().map(Spanned::span)),
        ("test_fraction", entry.test_fraction.as_ref().map(Spanned::span)),
        ("repeats", entry.repeats.as_ref().map(Spanned::span)),
        ("inner_folds", entry.inner_folds.as_ref().map(Spanned::span)),
        ("five_by_two", entry.five_by_two.as_ref().map(Spanned::span)),
        ("splits", entry.splits.as_ref().map(Spanned::span)),
        ("transductive", entry.transductive.as_ref().map(Spanned::span)),
    ];
    if let Some(clusters) = &entry.clusters {
        if let Some((key, Some(place))) = of_splits.into_iter().find(|s| s.1.is_some()) {
            let problem =
                format!("protocol: '{key}' is for learning on splits; leave out 'clusters'");
            return Err(file.refuse(Some(place), problem));
        }
        let clusters = counted(file, "clusters", clusters, 1, MOST_CLUSTERS)?;
        let Some(starts) = &entry.starts else {
            let place = entry.clusters.as_ref().map(Spanned::span);
            return Err(file.refuse(place, "protocol: missing key 'starts'"));
        };
        let starts = figures::starts(file, starts)?;
        if let Some(place) = entry.task.as_ref().filter(|_| task != Task::Cluster) {
            let problem = format!("task: clusters are given; found {}", task.id());
            return Err(file.refuse(Some(place.span()), problem));
        }
        return Ok(Kind::Cluster { clusters, starts });
    }
    if let Some(starts) = &entry.starts {
        let problem = "protocol: 'starts' is for clustering; give 'clusters', too";
        return Err(file.refuse(Some(starts.span()), problem));
    }
    let from = |value: &Option<Spanned<usize>>, key: &str, least: usize, default: usize| {
        let value = value.as_ref().map(|v| counted(file, key, v, least, MOST_SPLITS));
        value.unwrap_or(Ok(default))
    };
    let inner_folds = from(&entry.inner_folds, "inner_folds", 2, INNER_FOLDS)?;
    let fraction = |key: &str, value: &Spanned<f64>| match *value.get_ref() {
        v if v > 0.0 && v < 1.0 => Ok(v),
        v => {
            let problem = format!("{key}: expected a number between 0 and 1, found {}", brief(v));
            Err(file.refuse(Some(value.span()), problem))
        }
    };
    let five_by_two = entry.five_by_two.as_ref().filter(|f| *f.get_ref());
    let kinds = [
        ("folds", entry.folds.as_ref().map(Spanned::span)),
        ("test_fraction", entry.test_fraction.as_ref().map(Spanned::span)),
        ("reserve", entry.reserve.as_ref().map(Spanned::span)),
        ("per_class", entry.per_class.as_ref().map(Spanned::span)),
        ("five_by_two", five_by_two.map(Spanned::span)),
        ("splits", entry.splits.as_ref().map(Spanned::span)),
    ];
    let mut there = kinds.into_iter().filter_map(|(key, place)| Some((key, place?)));
    if let (Some((first, _)), Some((second, place))) = (there.next(), there.next()) {
        let problem = format!("protocol: give either {first} or {second}, not both");
        return Err(file.refuse(Some(place), problem));
    }
    let repeats = |default: usize| from(&entry.repeats, "repeats", 1, default);
    let fixed = five_by_two.map(|_| "five_by_two").or(given.map(|_| "splits"));
    if let (Some(key), Some(repeats)) = (fixed, &entry.repeats) {
        let problem = format!("repeats: {key} says how many splits there are; leave it out");
        return Err(file.refuse(Some(repeats.span()), problem));
    }
    let splits = if let Some(given) = given {
        given.protocol
    } else if five_by_two.is_some() {
        eval::Protocol::FiveByTwo
    } else if entry.folds.is_some() {
        eval::Protocol::KFold { folds: from(&entry.folds, "folds", 2, 0)?, repeats: repeats(1)? }
    } else if let Some(test) = &entry.test_fraction {
        let test = fraction("test_fraction", test)?;
        eval::Protocol::Shuffle { repeats: repeats(5)?, test }
    } else if let Some(test) = &entry.reserve {
        if let Some(repeats) = &entry.repeats {
            let problem =
                "repeats: a reserved test set is followed by five times two folds; leave it out";
            return Err(file.refuse(Some(repeats.span()), problem));
        }
        eval::Protocol::Reserved { test: fraction("reserve", test)? }
    } else if entry.per_class.is_some() {
        let train = from(&entry.per_class, "per_class", 1, 0)?;
        eval::Protocol::PerClass { train, repeats: repeats(5)? }
    } else {
        let problem = "protocol: expected clusters = K and starts to cluster; or folds = K, \
                       test_fraction = 0.33, reserve = 0.33, per_class = 15, five_by_two = true or \
                       splits = \"splits.json\" to learn";
        return Err(file.refuse(None, problem));
    };
    let transductive = entry.transductive.as_ref().is_some_and(|t| *t.get_ref())
        || given.is_some_and(|s| s.transductive);
    let learning = Learning { splits, transductive, inner_folds };
    match task {
        Task::Classify => Ok(Kind::Classify(learning)),
        Task::Regress => Ok(Kind::Regress(learning)),
        Task::Detect => Ok(Kind::Detect(learning)),
        Task::Cluster => {
            let place = entry.task.as_ref().map(Spanned::span);
            Err(file.refuse(place, "task: to cluster, give clusters and starts, not splits"))
        }
        Task::Embed => {
            let place = entry.task.as_ref().map(Spanned::span);
            Err(file.refuse(place, "task: experiments have no scores of an embedding"))
        }
    }
}

/// Refuses transductive splits for a machine that does not learn from instances without a label.
pub fn unlabelled(
    file: &File,
    entry: &ProtocolEntry,
    protocol: &Protocol,
    machine: &MachineSpec,
) -> Result<()> {
    if protocol.learning().is_none_or(|l| !l.transductive)
        || machine.checked()?.build()?.uses_unlabelled()
    {
        return Ok(());
    }
    let flag = entry.transductive.as_ref().map(Spanned::span);
    let place = flag.or_else(|| entry.splits.as_ref().map(Spanned::span));
    let (id, able) = (machine.method().id, learn_unlabelled().join(", "));
    let problem = format!(
        "transductive: machine '{id}' does not learn from instances without a label; expected {able}"
    );
    Err(file.refuse(place, problem))
}
