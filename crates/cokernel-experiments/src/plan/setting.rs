//! Everything of a plan but its rows: data, protocol, machine, tests and limits.

use super::{Data, Experiment, Limits, Protocol, Row, Tests, Variant};
use crate::file::{DataEntry, File, LimitsEntry, MachineEntry, ProtocolEntry, TestsEntry};
use crate::generator::{GENERATORS, N, Toy};
use crate::input::{Input, ViewSource, is_fasta};
use crate::selection::Selection;
use crate::source::{Folder, Source};
use crate::words::bytes;
use anyhow::Result;
use cokernel::calibrate::{Calibrating, Shape};
use cokernel::catalogue::{default_machine, for_task as for_machine};
use cokernel::data::{Header, Scale};
use cokernel::kernel::KernelSpec;
use cokernel::machine::{MachineSpec, tell_probabilities};
use cokernel::method::Task;
use cokernel::params::Value;
use cokernel::{Error, Run, brief};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;

const ALPHA: f64 = 0.05;

/// The most drawn data sets of an entry.
pub const MOST_SETS: usize = 100_000;
const MOST_COLUMNS: usize = 1_000_000;
const MOST_TAKEN: usize = 100_000_000;
/// Seconds: thirty years.
const LONGEST: f64 = 1e9;

pub(super) fn machine_of(file: &File, text: &Spanned<String>) -> Result<MachineSpec> {
    let read = text.get_ref().parse::<MachineSpec>();
    let checked = read.and_then(|m| m.checked().map(|_| m));
    checked.map_err(|e| file.refuse(Some(text.span()), e))
}

/// All data sets, with labels that differ.
pub fn all_data(file: &File, entries: &[DataEntry], base: &Path, task: Task) -> Result<Vec<Data>> {
    let mut all: Vec<Data> = Vec::new();
    for entry in entries {
        let one = data(file, entry, base)?;
        let other = match &one.source {
            Source::Toy(toy) if !toy.generator.tasks.contains(&task) => Some(toy.generator.id),
            Source::Digits if task == Task::Regress => Some("digits"),
            _ => None,
        };
        if let Some(id) = other {
            let able = GENERATORS.iter().filter(|g| g.tasks.contains(&task)).map(|g| g.id);
            let able: Vec<&str> = able.collect();
            let place = entry.generator.as_ref().map_or(entry.kind.span(), Spanned::span);
            let problem = format!(
                "data: the labels of '{id}' are not for the task {}; generators for it: {}",
                task.id(),
                able.join(", ")
            );
            return Err(file.refuse(Some(place), problem));
        }
        if all.iter().any(|d| d.label == one.label) {
            let place = entry.label.as_ref().map_or(entry.kind.span(), Spanned::span);
            let problem = format!("data '{}' is there twice; give each a label", one.label);
            return Err(file.refuse(Some(place), problem));
        }
        all.push(one);
    }
    match all.is_empty() {
        true => Err(file.refuse(None, "data: expected at least one [[data]]")),
        false => Ok(all),
    }
}

fn data(file: &File, entry: &DataEntry, base: &Path) -> Result<Data> {
    let kind = entry.kind.get_ref().as_str();
    let only = |place: Option<Range<usize>>, key: &str, of: &str| match place {
        Some(place) if kind != of => {
            let problem = format!("data: '{key}' belongs to kind = \"{of}\", not to \"{kind}\"");
            Err(file.refuse(Some(place), problem))
        }
        _ => Ok(()),
    };
    only(entry.generator.as_ref().map(Spanned::span), "generator", "toy")?;
    only(entry.n.as_ref().map(Spanned::span), "n", "toy")?;
    only(entry.sets.as_ref().map(Spanned::span), "sets", "toy")?;
    only(entry.params.values().next().map(Spanned::span), "params", "toy")?;
    only(entry.name.as_ref().map(Spanned::span), "name", "folder")?;
    only(entry.test.as_ref().map(Spanned::span), "test", "folder")?;
    only(entry.files.values().next().map(Spanned::span), "files", "files")?;
    only(entry.labels.as_ref().map(Spanned::span), "labels", "files")?;
    only(entry.label_column.as_ref().map(Spanned::span), "label_column", "files")?;
    only(entry.id.as_ref().map(Spanned::span), "id", "files")?;
    let lacks =
        |key: &str| file.refuse(Some(entry.kind.span()), format!("data: missing key '{key}'"));
    let source = match kind {
        "digits" => Source::Digits,
        "toy" => {
            let generator = entry.generator.as_ref().ok_or_else(|| lacks("generator"))?;
            let n = entry.n.as_ref().ok_or_else(|| lacks("n"))?;
            N.check(*n.get_ref() as f64).map_err(|e| file.refuse(Some(n.span()), e))?;
            let toy = Toy::new(generator.get_ref(), *n.get_ref());
            let mut toy = toy.map_err(|e| file.refuse(Some(generator.span()), e))?;
            for (name, value) in &entry.params {
                let set = toy.set(name, *value.get_ref());
                set.map_err(|e| file.refuse(Some(value.span()), e))?;
            }
            Source::Toy(toy)
        }
        "folder" => {
            let name = entry.name.as_ref().ok_or_else(|| lacks("name"))?;
            let Some(views) = &entry.views else { return Err(lacks("views")) };
            Source::Folder(Folder { name: name.get_ref().clone(), views: views.get_ref().clone() })
        }
        "files" if entry.files.is_empty() => return Err(lacks("files")),
        "files" if entry.labels.is_none() && entry.label_column.is_none() => {
            return Err(lacks("labels"));
        }
        "files" => Source::Files(files(entry, base)),
        other => {
            let e = Error::unknown("kind of data", other, ["digits", "toy", "folder", "files"]);
            return Err(file.refuse(Some(entry.kind.span()), e));
        }
    };
    let sets = entry.sets.as_ref().map(|s| counted(file, "sets", s, 1, MOST_SETS)).transpose()?;
    let lsa = entry.lsa.as_ref().map(|l| counted(file, "lsa", l, 1, MOST_COLUMNS)).transpose()?;
    let scale = match &entry.scale {
        Some(word) => {
            Scale::from_id(word.get_ref()).map_err(|e| file.refuse(Some(word.span()), e))?
        }
        None => Scale::None,
    };
    let cost = |(view, cost): (&String, &Spanned<f64>)| match *cost.get_ref() {
        c if c > 0.0 && c.is_finite() => Ok((view.clone(), c)),
        c => {
            let problem =
                format!("costs: {view}: expected a number greater than 0, found {}", brief(c));
            Err(file.refuse(Some(cost.span()), problem))
        }
    };
    Ok(Data {
        label: entry.label.as_ref().map_or_else(|| source.name(), |l| l.get_ref().clone()),
        views: file.listed("views", entry.views.as_ref())?.map(<[String]>::to_vec),
        kernels: kernels(file, entry.kernels.as_ref())?,
        scale,
        unit_rows: entry.unit_rows,
        lsa,
        sets: sets.unwrap_or(1),
        costs: entry.costs.iter().map(cost).collect::<Result<_>>()?,
        selection: selection(file, entry)?,
        given: None,
        published: BTreeMap::new(),
        weights: BTreeMap::new(),
        source,
    })
}

fn selection(file: &File, entry: &DataEntry) -> Result<Selection> {
    let mut known: Vec<&str> = Vec::new();
    for (class, parts) in &entry.classes {
        let refuse = |problem: String| Err(file.refuse(Some(parts.span()), problem));
        if parts.get_ref().is_empty() {
            return refuse(format!("classes: {class}: expected classes of the data, found none"));
        }
        for part in parts.get_ref() {
            if known.contains(&part.as_str()) {
                return refuse(format!("classes: '{part}' is there twice"));
            }
            known.push(part);
        }
    }
    let classes = entry.classes.iter().map(|(c, parts)| (c.clone(), parts.get_ref().clone()));
    let take = entry.take.as_ref().map(|t| counted(file, "take", t, 2, MOST_TAKEN)).transpose()?;
    let test = entry.test.as_ref().map(|t| t.get_ref().clone());
    Ok(Selection { classes: classes.collect(), take, test })
}

/// Views in the order of the file, paths seen from where the program runs.
fn files(entry: &DataEntry, base: &Path) -> Input {
    let path = |p: &Path| if p.is_relative() { base.join(p) } else { p.to_path_buf() };
    let mut given: Vec<_> = entry.files.iter().collect();
    given.sort_by_key(|(_, file)| file.span().start);
    let view = |(name, file): (&String, &Spanned<crate::file::FileEntry>)| {
        let file = &file.get_ref().0;
        ViewSource {
            name: name.clone(),
            path: path(&file.path),
            similarity: file.similarity,
            sequences: file.sequences || is_fasta(&file.path),
            variable: file.variable.clone(),
            header: file.header.map_or(Header::Auto, Header::from),
        }
    };
    Input {
        views: given.into_iter().map(view).collect(),
        labels: entry.labels.as_ref().map(|l| path(l.get_ref())),
        label_column: entry.label_column.as_ref().map(|c| c.get_ref().clone()),
        id: entry.id.as_ref().map(|i| i.get_ref().clone()),
        ..Input::default()
    }
}

pub fn kernels(
    file: &File,
    texts: Option<&Spanned<Vec<Spanned<String>>>>,
) -> Result<Option<Vec<KernelSpec>>> {
    let Some(texts) = file.listed("kernels", texts)? else { return Ok(None) };
    let mut specs = Vec::new();
    for text in texts {
        let parsed = KernelSpec::parse_list(text.get_ref());
        specs.extend(parsed.map_err(|e| file.refuse(Some(text.span()), e))?);
    }
    Ok(Some(specs))
}

/// A count between these.
pub(super) fn counted(
    file: &File,
    key: &str,
    value: &Spanned<usize>,
    least: usize,
    most: usize,
) -> Result<usize> {
    let found = *value.get_ref();
    let problem = match found {
        n if n < least => format!("{key}: expected at least {least}, found {n}"),
        n if n > most => format!("{key}: expected at most {most}, found {n}"),
        n => return Ok(n),
    };
    Err(file.refuse(Some(value.span()), problem))
}

/// A number greater than 0.
pub fn positive(file: &File, key: &str, value: &Spanned<f64>) -> Result<f64> {
    match *value.get_ref() {
        v if v > 0.0 && v.is_finite() => Ok(v),
        v => {
            let problem = format!("{key}: expected a number greater than 0, found {}", brief(v));
            Err(file.refuse(Some(value.span()), problem))
        }
    }
}

/// The machine with the parameters of its table; `balanced` is short for class weights.
pub fn machine(file: &File, entry: &MachineEntry, task: Task) -> Result<MachineSpec> {
    let mut machine = match (&entry.id, default_machine(task)) {
        (Some(text), _) => machine_of(file, text)?,
        (None, Some(machine)) => MachineSpec::new(machine.id)?,
        (None, None) => MachineSpec::default(),
    };
    if let Some(id) = entry.id.as_ref().filter(|_| task != Task::Cluster) {
        for_machine(machine.method(), task).map_err(|e| file.refuse(Some(id.span()), e))?;
    }
    let places = [
        entry.c.as_ref().map(Spanned::span),
        entry.decomposition.as_ref().map(Spanned::span),
        entry.id.as_ref().map(Spanned::span),
    ];
    let place = places.into_iter().flatten().next();
    if task == Task::Cluster && (entry.balanced || place.is_some()) {
        return Err(file.refuse(place, "machine: clustering has none; give folds to learn"));
    }
    let mut set = |name: &str, value: Value, span: std::ops::Range<usize>| {
        machine.set(name, value);
        machine.checked().map(|_| ()).map_err(|e| file.refuse(Some(span), e))
    };
    if let Some(c) = &entry.c {
        set("c", positive(file, "c", c)?.into(), c.span())?;
    }
    if let Some(tol) = &entry.tol {
        set("tol", positive(file, "tol", tol)?.into(), tol.span())?;
    }
    if let Some(word) = &entry.decomposition {
        set("decomposition", word.get_ref().as_str().into(), word.span())?;
    }
    if entry.balanced {
        machine.set("class_weight", "balanced");
        machine.checked().map_err(|e| file.refuse(place, format!("balanced: {e}")))?;
    }
    Ok(machine)
}

/// Refuses scores of probabilities where a row has none, of its machine or by calibration.
pub fn refuse_uncertain(
    file: &File,
    scores: &ProtocolEntry,
    protocol: &Protocol,
    (machine, rows): (&MachineSpec, &[Row]),
) -> Result<()> {
    let asked = protocol.scores.iter().chain([&protocol.pick_by]);
    let Some(score) = asked.into_iter().find(|s| s.needs_probabilities()) else { return Ok(()) };
    let tells = |v: &Variant| {
        let machine = v.machine.as_ref().unwrap_or(machine);
        tell_probabilities().contains(&machine.method().id)
    };
    let Some(row) = rows.iter().find(|r| !r.variants.iter().all(tells)) else { return Ok(()) };
    let problem = format!(
        "score '{}' needs probabilities, and row '{}' has none: set probabilities = \"sigmoid\" in [machine], or take a \
         machine that tells them ({})",
        score.id(),
        row.label,
        tell_probabilities().join(", ")
    );
    Err(file.refuse(Some(scores.scores.span()), problem))
}

/// How decision values become probabilities.
pub fn calibrating(
    file: &File,
    entry: &MachineEntry,
    protocol: &Protocol,
) -> Result<Option<Calibrating>> {
    let Some(word) = &entry.probabilities else {
        if let Some(folds) = &entry.calibration_folds {
            let problem = "calibration_folds: give probabilities, too";
            return Err(file.refuse(Some(folds.span()), problem));
        }
        return Ok(None);
    };
    if protocol.task() != Task::Classify {
        let problem = "probabilities: they are of classes; give folds to learn classes";
        return Err(file.refuse(Some(word.span()), problem));
    }
    let shape = Shape::from_id(word.get_ref()).map_err(|e| file.refuse(Some(word.span()), e))?;
    let mut how = Calibrating::new(shape);
    if let Some(folds) = &entry.calibration_folds {
        how = how.folds(*folds.get_ref());
        how.check().map_err(|e| file.refuse(Some(folds.span()), e))?;
    }
    Ok(Some(how))
}

pub fn tests(file: &File, entry: &TestsEntry, rows: &[Row]) -> Result<Tests> {
    let alpha = match &entry.alpha {
        Some(a) if !(*a.get_ref() > 0.0 && *a.get_ref() < 1.0) => {
            let problem =
                format!("alpha: expected a number between 0 and 1, found {}", brief(*a.get_ref()));
            return Err(file.refuse(Some(a.span()), problem));
        }
        a => a.as_ref().map_or(ALPHA, |a| *a.get_ref()),
    };
    let baseline = |label: &Spanned<String>| {
        let found = rows.iter().position(|r| r.label == *label.get_ref());
        found.ok_or_else(|| {
            let known = rows.iter().map(|r| r.label.as_str());
            file.refuse(Some(label.span()), Error::unknown("row", label.get_ref(), known))
        })
    };
    Ok(Tests { alpha, baseline: entry.baseline.as_ref().map(baseline).transpose()? })
}

pub fn limits(file: &File, entry: &LimitsEntry) -> Result<Limits> {
    let memory = match &entry.memory {
        Some(text) => bytes(text.get_ref()).ok_or_else(|| {
            let found = text.get_ref();
            let problem = format!("memory: expected a size such as 500MB or 2GiB, found '{found}'");
            file.refuse(Some(text.span()), problem)
        })?,
        None => Run::default().memory,
    };
    let seconds = entry.seconds.as_ref().map(|s| positive(file, "seconds", s)).transpose()?;
    if let Some(place) = entry.seconds.as_ref().filter(|_| seconds.is_some_and(|s| s > LONGEST)) {
        let problem =
            format!("seconds: expected at most {LONGEST}, found {}", brief(*place.get_ref()));
        return Err(file.refuse(Some(place.span()), problem));
    }
    Ok(Limits { memory, seconds })
}

impl Experiment {
    /// Where the data of this experiment is absent, the reason why it cannot be run.
    pub fn absent(&self, folder: Option<&Path>) -> Option<String> {
        let folders = self.data.iter().filter_map(|d| match &d.source {
            Source::Folder(f) => Some(f),
            _ => None,
        });
        folders.filter_map(|f| f.find(folder).err()).next()
    }
}

/// Latent semantic analysis has its directions from all instances: where something is learned, those tested on would be among
/// them.
pub fn refuse_lsa(file: &File<'_>, data: &[DataEntry], protocol: &Protocol) -> Result<()> {
    if protocol.learning().is_none() {
        return Ok(());
    }
    for entry in data {
        if let Some(lsa) = &entry.lsa {
            let problem = "lsa: its directions are those of all instances, also of those that are tested on; \
                           use it for clusterings, or learn from views that were reduced before";
            return Err(file.refuse(Some(lsa.span()), problem));
        }
    }
    Ok(())
}
