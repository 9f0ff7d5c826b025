//! What an experiment file means: methods, kernels and scores that exist, with their values.

use super::file::{Content, DataEntry, File, RowEntry, VariantEntry};
use super::score::{Published, Score};
use super::source::{self, Folder, Source, Toy};
use crate::settings::for_task;
use anyhow::Result;
use cokernel::Error;
use cokernel::kernel::KernelSpec;
use cokernel::method::{Method, Range, Task, Value, find};
use cokernel::model::MultiView;
use cokernel::multiview::Starts;
use serde::Serialize;
use std::collections::BTreeMap;
use toml::Spanned;

mod figures;

/// One published table or figure, ready to be run.
#[derive(Debug)]
pub struct Experiment {
    pub id: String,
    pub title: String,
    pub notes: Vec<String>,
    pub paper: String,
    pub table: String,
    pub data: Data,
    pub protocol: Protocol,
    pub rows: Vec<Row>,
    pub claims: Vec<Claim>,
    pub sweep: Option<Sweep>,
}

/// What is clustered.
#[derive(Debug)]
pub struct Data {
    pub source: Source,
    /// `None`: all.
    pub views: Option<Vec<String>>,
    pub kernels: Option<Vec<KernelSpec>>,
    pub lsa: Option<usize>,
    /// Data sets with consecutive seeds.
    pub sets: usize,
}

/// How every row is measured.
#[derive(Debug, Clone, Serialize)]
pub struct Protocol {
    pub clusters: usize,
    pub starts: Starts,
    pub seed: u64,
    pub scores: Vec<Score>,
    pub pick_by: Score,
}

/// A row of the table, or a curve of the figure.
#[derive(Debug)]
pub struct Row {
    pub label: String,
    pub variants: Vec<Variant>,
    /// The best variant is the result.
    pub pick: bool,
    pub published: BTreeMap<Score, Published>,
    /// Published figures at single values of the sweep.
    pub points: Vec<(f64, BTreeMap<Score, Published>)>,
    pub reason: Option<String>,
}

/// One way to compute a row.
#[derive(Debug, Clone)]
pub struct Variant {
    pub label: String,
    pub method: &'static Method,
    pub params: BTreeMap<String, Value>,
    pub views: Option<Vec<String>>,
    pub kernels: Option<Vec<KernelSpec>>,
}

/// One row is better than others.
#[derive(Debug)]
pub struct Claim {
    pub above: usize,
    pub below: Vec<usize>,
    pub score: Score,
}

/// A parameter of the generator, or of methods, over values.
#[derive(Debug)]
pub struct Sweep {
    pub parameter: String,
    pub of_data: bool,
    pub values: Vec<f64>,
    pub label: String,
    pub log: bool,
}

impl Variant {
    /// The method, with `extra` parameters over its own.
    pub fn multi_view(&self, data: &Data, extra: Option<(&str, f64)>) -> Result<MultiView, Error> {
        let mut built = MultiView::new(self.method.id)?;
        if let Some(kernels) = self.kernels.as_ref().or(data.kernels.as_ref()) {
            built = built.kernels(kernels.clone());
        }
        for (name, value) in &self.params {
            built = built.param(name, value.clone());
        }
        if let Some((name, value)) = extra.filter(|(name, _)| self.has(name)) {
            built = built.param(name, self.number(name, value));
        }
        built.params()?;
        Ok(built)
    }

    /// Whether the method has this parameter.
    pub fn has(&self, parameter: &str) -> bool {
        self.method.params.iter().any(|p| p.name == parameter)
    }

    /// A value of a sweep in the type of the parameter.
    fn number(&self, parameter: &str, value: f64) -> Value {
        let whole = |p: &&cokernel::method::Param| matches!(p.range, Range::Int { .. });
        match self.method.params.iter().find(|p| p.name == parameter).filter(whole) {
            Some(_) if value.fract() == 0.0 => Value::Int(value as i64),
            _ => Value::Real(value),
        }
    }
}

impl Experiment {
    /// Reads and checks a file; `name` stands in the errors, `id` is used if the file has none.
    pub fn parse(name: &str, id: &str, text: &str) -> Result<Self> {
        let file = File::new(name, text);
        let content = file.parse()?;
        let protocol = protocol(&file, &content)?;
        let data = data(&file, &content.data)?;
        let reach = figures::reaches(&file, &content.protocol.reach)?;
        if content.rows.is_empty() {
            return Err(file.refuse(None, "rows: expected at least one [[rows]]"));
        }
        let sweep = content.sweep.as_ref();
        let sweep = sweep.map(|s| figures::sweep(&file, s, &data)).transpose()?;
        let mut rows: Vec<Row> = Vec::new();
        for entry in &content.rows {
            let row = row(&file, entry.get_ref(), &data, &reach, sweep.as_ref())?;
            if rows.iter().any(|r| r.label == row.label) {
                let problem = format!("row '{}' is there twice; labels must differ", row.label);
                return Err(file.refuse(Some(entry.get_ref().label.span()), problem));
            }
            rows.push(row);
        }
        if let Some(sweep) = sweep.as_ref().filter(|s| !s.of_data) {
            let known = rows.iter().flat_map(|r| &r.variants).any(|v| v.has(&sweep.parameter));
            if !known {
                let place = content.sweep.as_ref().map(|s| s.parameter.span());
                let mut names = source::parameters(&data.source);
                names.extend(rows[0].variants[0].method.params.iter().map(|p| p.name));
                return Err(
                    file.refuse(place, Error::unknown("parameter", &sweep.parameter, names))
                );
            }
        }
        let claims = figures::claims(&file, &content.claims, &rows, &protocol)?;
        Ok(Experiment {
            id: content.id.unwrap_or_else(|| id.to_string()),
            title: content.title,
            notes: content.notes,
            paper: content.source.paper,
            table: content.source.table,
            data,
            protocol,
            rows,
            claims,
            sweep,
        })
    }

    /// `LMS Table 3.3`, or nothing.
    pub fn place(&self) -> String {
        format!("{} {}", self.paper, self.table).trim().to_string()
    }
}

fn protocol(file: &File, content: &Content) -> Result<Protocol> {
    let entry = &content.protocol;
    let scores = entry
        .scores
        .iter()
        .map(|s| Score::from_id(s.get_ref()).map_err(|e| file.refuse(Some(s.span()), e)))
        .collect::<Result<Vec<_>>>()?;
    let Some(&first) = scores.first() else {
        return Err(file.refuse(None, "protocol: scores: expected at least one, as [\"nmi\"]"));
    };
    let pick_by = match &entry.pick_by {
        Some(s) => Score::from_id(s.get_ref()).map_err(|e| file.refuse(Some(s.span()), e))?,
        None if scores.contains(&Score::Nmi) => Score::Nmi,
        None => first,
    };
    let clusters = *entry.clusters.get_ref();
    if clusters == 0 {
        return Err(file.refuse(Some(entry.clusters.span()), "clusters: expected at least 1"));
    }
    let starts = figures::starts(file, &entry.starts)?;
    Ok(Protocol { clusters, starts, seed: entry.seed, scores, pick_by })
}

fn data(file: &File, entry: &Spanned<DataEntry>) -> Result<Data> {
    let span = entry.span();
    let entry = entry.get_ref();
    let kind = entry.kind.get_ref().as_str();
    let only = |place: Option<std::ops::Range<usize>>, key: &str, of: &str| match place {
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
    let lacks = |key: &str| file.refuse(Some(span.clone()), format!("data: missing key '{key}'"));
    let source = match kind {
        "digits" => Source::Digits,
        "toy" => {
            let generator = entry.generator.as_ref().ok_or_else(|| lacks("generator"))?;
            let n = entry.n.as_ref().ok_or_else(|| lacks("n"))?;
            let params = entry.params.iter().map(|(k, v)| (k.clone(), *v.get_ref())).collect();
            let toy = Toy::new(generator.get_ref(), *n.get_ref(), params);
            let place = entry.params.values().next().map_or(generator.span(), Spanned::span);
            Source::Toy(toy.map_err(|e| file.refuse(Some(place), e))?)
        }
        "folder" => {
            let name = entry.name.as_ref().ok_or_else(|| lacks("name"))?;
            let Some(views) = &entry.views else { return Err(lacks("views")) };
            Source::Folder(Folder { name: name.get_ref().clone(), views: views.clone() })
        }
        other => {
            let e = Error::unknown("kind of data", other, ["digits", "toy", "folder"]);
            return Err(file.refuse(Some(entry.kind.span()), e));
        }
    };
    if let Some(place) = entry.sets.as_ref().filter(|s| *s.get_ref() == 0) {
        return Err(file.refuse(Some(place.span()), "sets: expected at least 1"));
    }
    Ok(Data {
        source,
        views: entry.views.clone(),
        kernels: kernels(file, entry.kernels.as_ref())?,
        lsa: entry.lsa.as_ref().map(|l| *l.get_ref()),
        sets: entry.sets.as_ref().map_or(1, |s| *s.get_ref()),
    })
}

fn kernels(file: &File, texts: Option<&Vec<Spanned<String>>>) -> Result<Option<Vec<KernelSpec>>> {
    let Some(texts) = texts else { return Ok(None) };
    let mut specs = Vec::new();
    for text in texts {
        let parsed = KernelSpec::parse_list(text.get_ref());
        specs.extend(parsed.map_err(|e| file.refuse(Some(text.span()), e))?);
    }
    Ok(Some(specs))
}

fn method(file: &File, id: &Spanned<String>) -> Result<&'static Method> {
    let found = find(id.get_ref()).map_err(|e| file.refuse(Some(id.span()), e))?;
    for_task(found, Task::Cluster).map_err(|e| file.refuse(Some(id.span()), e))
}

fn row(
    file: &File,
    entry: &RowEntry,
    data: &Data,
    reach: &BTreeMap<Score, f64>,
    sweep: Option<&Sweep>,
) -> Result<Row> {
    let place = || Some(entry.label.span());
    let base = Variant {
        label: String::new(),
        method: method(file, &entry.method)?,
        params: BTreeMap::new(),
        views: entry.views.clone(),
        kernels: kernels(file, entry.kernels.as_ref())?,
    };
    let mut variants = Vec::new();
    let none = [Spanned::new(0..0, VariantEntry::default())];
    let listed = entry.variants.as_deref().unwrap_or(&none);
    for given in listed {
        variants.extend(variant(file, &base, entry, given.get_ref())?);
    }
    for v in &variants {
        v.multi_view(data, None).map_err(|e| file.refuse(place(), e))?;
        for &x in sweep.iter().filter(|s| !s.of_data).flat_map(|s| &s.values) {
            let swept = sweep.map(|s| (s.parameter.as_str(), x));
            v.multi_view(data, swept).map_err(|e| file.refuse(place(), e))?;
        }
    }
    let pick = match &entry.pick {
        Some(word) if word.get_ref() != "best" => {
            let e = Error::unknown("word", word.get_ref(), ["best"]);
            return Err(file.refuse(Some(word.span()), e));
        }
        word => word.is_some(),
    };
    if pick != (variants.len() > 1) {
        let problem = "a row has several variants (or a grid) and pick = \"best\", or neither";
        return Err(file.refuse(place(), format!("row '{}': {problem}", entry.label.get_ref())));
    }
    Ok(Row {
        label: entry.label.get_ref().clone(),
        variants,
        pick,
        published: figures::published(file, &entry.published, reach)?,
        points: figures::points(file, &entry.points, reach, sweep)?,
        reason: entry.reason.clone(),
    })
}

/// The variants of one entry: one for each combination of the values of the grid.
fn variant(
    file: &File,
    base: &Variant,
    row: &RowEntry,
    own: &VariantEntry,
) -> Result<Vec<Variant>> {
    let chosen = own.method.as_ref().map(|id| method(file, id)).transpose()?;
    let mut one = Variant { method: chosen.unwrap_or(base.method), ..base.clone() };
    one.views = own.views.clone().or(one.views);
    one.kernels = kernels(file, own.kernels.as_ref())?.or(one.kernels);
    // A parameter of the row is meant for the variants whose method has it.
    for (name, value) in &row.params {
        if chosen.is_none() || one.has(name) {
            set(file, &mut one, name, value.span(), value.get_ref())?;
        }
    }
    let mut told: Vec<String> = own.method.iter().map(|id| id.get_ref().clone()).collect();
    for (name, value) in &own.params {
        set(file, &mut one, name, value.span(), value.get_ref())?;
        told.push(format!("{name}={}", value.get_ref()));
    }
    if let Some(views) = &own.views {
        told.push(format!("views {}", views.join("+")));
    }
    for text in own.kernels.iter().flatten() {
        told.push(text.get_ref().clone());
    }
    if let Some(label) = &own.label {
        told = vec![label.clone()];
    }
    let mut all = vec![(one, told)];
    for (name, values) in &row.grid {
        let mut crossed = Vec::new();
        for (one, told) in &all {
            for value in values.get_ref() {
                let (mut one, mut told) = (one.clone(), told.clone());
                set(file, &mut one, name, values.span(), value)?;
                told.push(format!("{name}={value}"));
                crossed.push((one, told));
            }
        }
        all = crossed;
    }
    Ok(all.into_iter().map(|(one, told)| Variant { label: told.join(", "), ..one }).collect())
}

fn set(
    file: &File,
    variant: &mut Variant,
    name: &str,
    place: std::ops::Range<usize>,
    value: &Value,
) -> Result<()> {
    let method = variant.method;
    let checked = method.check([(name, value)]);
    checked.map_err(|e| file.refuse(Some(place), format!("{}: {e}", method.id)))?;
    variant.params.insert(name.to_string(), value.clone());
    Ok(())
}
