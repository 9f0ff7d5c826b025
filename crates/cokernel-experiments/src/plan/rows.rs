//! The rows of a plan with their variants and grids.

use super::setting::{kernels, machine_of, positive};
use super::{COST, Data, MOST_CELLS, Pick, Protocol, Row, Sweep, Variant, figures};
use crate::file::{File, RowEntry, VariantEntry};
use crate::score::Score;
use crate::tasks::for_task;
use anyhow::Result;
use cokernel::Error;
use cokernel::catalogue::{find, for_task as for_machine};
use cokernel::machine::MachineSpec;
use cokernel::method::{Method, Task};
use cokernel::params::Value;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;

/// Combinations of the values of one grid.
const MOST_VARIANTS: f64 = 10_000.0;

/// What rows are read with.
pub struct Rows<'a> {
    pub file: &'a File<'a>,
    pub data: &'a [Data],
    pub protocol: &'a Protocol,
    pub machine: &'a MachineSpec,
    pub reach: &'a BTreeMap<Score, f64>,
    pub sweep: Option<&'a Sweep>,
}

impl Rows<'_> {
    /// All rows, with labels that differ.
    pub fn read(&self, entries: &[Spanned<RowEntry>]) -> Result<Vec<Row>> {
        let mut rows: Vec<Row> = Vec::new();
        for entry in entries {
            for row in self.row(entry.get_ref())? {
                if rows.iter().any(|r| r.label == row.label) {
                    let problem = format!("row '{}' is there twice; labels must differ", row.label);
                    return Err(self.file.refuse(Some(entry.get_ref().label.span()), problem));
                }
                rows.push(row);
            }
        }
        Ok(rows)
    }

    fn method(&self, id: &Spanned<String>) -> Result<&'static Method> {
        let task = self.task();
        let refuse = |e: anyhow::Error| self.file.refuse(Some(id.span()), e);
        let found = find(id.get_ref()).map_err(|e| refuse(e.into()))?;
        for_task(found, task).map_err(refuse)
    }

    /// The row, or one for each of its variants.
    fn row(&self, entry: &RowEntry) -> Result<Vec<Row>> {
        let file = self.file;
        let place = || Some(entry.label.span());
        let base = Variant {
            label: String::new(),
            method: self.method(&entry.method)?,
            params: BTreeMap::new(),
            machine: self.machine_of(entry.machine.as_ref())?,
            c: None,
            views: file.listed("views", entry.views.as_ref())?.map(<[String]>::to_vec),
            kernels: kernels(file, entry.kernels.as_ref())?,
            at: BTreeMap::new(),
        };
        let base = Variant { c: self.cost(&base, entry.c.as_ref())?, ..base };
        if entry.variants.as_ref().is_some_and(Vec::is_empty) {
            let problem = "variants: expected at least one, found none; leave out the key";
            return Err(file.refuse(place(), problem));
        }
        let mut variants = Vec::new();
        let none = [Spanned::new(0..0, VariantEntry::default())];
        let listed = entry.variants.as_deref().unwrap_or(&none);
        for given in listed {
            variants.extend(self.variant(&base, entry, given.get_ref())?);
        }
        let values = self.sweep.map_or(1, |s| s.values.len());
        if variants.len().saturating_mul(values) > MOST_CELLS {
            let problem = format!("{} variants at {values} values are too many", variants.len());
            return Err(file.refuse(place(), problem));
        }
        for v in &variants {
            for data in self.data {
                let check = |extra| v.check(data, self.machine, extra);
                check(None).map_err(|e| file.refuse(place(), e))?;
                for &x in self.sweep.iter().filter(|s| !s.of_data).flat_map(|s| &s.values) {
                    let swept = self.sweep.map(|s| (s.parameter.as_str(), x));
                    check(swept).map_err(|e| file.refuse(place(), e))?;
                }
            }
        }
        let pick = self.pick(entry, variants.len())?;
        let label = entry.label.get_ref();
        let published = figures::published(file, &entry.published, self.reach, self.task())?;
        let points = figures::points(file, &entry.points, self.reach, self.sweep, self.task())?;
        if pick == Pick::Only && variants.len() > 1 {
            if !published.is_empty() || !points.is_empty() {
                let problem = "published figures of a row with several variants (or a grid) need \
                               pick = \"best\" or \"inner\", which makes them one result";
                return Err(file.refuse(place(), format!("row '{label}': {problem}")));
            }
            let each = variants.into_iter().map(|v| Row {
                label: format!("{label}, {}", v.label),
                variants: vec![v],
                pick,
                published: BTreeMap::new(),
                points: Vec::new(),
                reason: entry.reason.clone(),
                family: label.clone(),
            });
            return Ok(each.collect());
        }
        Ok(vec![Row {
            label: label.clone(),
            variants,
            pick,
            published,
            points,
            reason: entry.reason.clone(),
            family: label.clone(),
        }])
    }

    fn task(&self) -> Task {
        self.protocol.task()
    }

    fn pick(&self, entry: &RowEntry, variants: usize) -> Result<Pick> {
        let Some(word) = &entry.pick else { return Ok(Pick::Only) };
        let refuse = |problem: String| Err(self.file.refuse(Some(word.span()), problem));
        let label = entry.label.get_ref();
        match word.get_ref().as_str() {
            // A list of one value leaves no choice.
            "best" | "inner"
                if variants == 1 && (!entry.grid.is_empty() || entry.variants.is_some()) =>
            {
                Ok(Pick::Only)
            }
            "best" | "inner" if variants < 2 => {
                refuse(format!("row '{label}': pick needs several variants, or a grid"))
            }
            "best" => Ok(Pick::Best),
            "inner" if self.protocol.learning().is_some() => Ok(Pick::Inner),
            "inner" => refuse(format!("row '{label}': pick = \"inner\" is for learning on splits")),
            other => refuse(Error::unknown("word", other, ["best", "inner"]).to_string()),
        }
    }

    /// The machine of a row that names one.
    fn machine_of(&self, given: Option<&Spanned<String>>) -> Result<Option<MachineSpec>> {
        let Some(text) = given else { return Ok(None) };
        let refuse = |problem| self.file.refuse(Some(text.span()), problem);
        if self.task() == Task::Cluster {
            return Err(refuse("machine: clustering has none; give folds to learn".into()));
        }
        let machine = machine_of(self.file, text)?;
        for_machine(machine.method(), self.task()).map_err(|e| refuse(e.to_string()))?;
        Ok(Some(machine))
    }

    /// The cost of slack, for methods that have a machine.
    fn cost(&self, variant: &Variant, given: Option<&Spanned<f64>>) -> Result<Option<f64>> {
        match given {
            Some(c) if !variant.has(COST) => {
                let problem = format!("c: method '{}' has no machine", variant.method.id);
                Err(self.file.refuse(Some(c.span()), problem))
            }
            c => c.map(|c| positive(self.file, COST, c)).transpose(),
        }
    }

    /// The variants of one entry: one for each combination of the values of the grid.
    fn variant(&self, base: &Variant, row: &RowEntry, own: &VariantEntry) -> Result<Vec<Variant>> {
        let chosen = own.method.as_ref().map(|id| self.method(id)).transpose()?;
        let mut one = Variant { method: chosen.unwrap_or(base.method), ..base.clone() };
        let views = self.file.listed("views", own.views.as_ref())?;
        one.views = views.map(<[String]>::to_vec).or(one.views);
        one.kernels = kernels(self.file, own.kernels.as_ref())?.or(one.kernels);
        one.c = self.cost(&one, own.c.as_ref())?.or(one.c);
        // A parameter of the row is meant for the variants whose method has it.
        for (name, value) in &row.params {
            if chosen.is_none() || one.has(name) {
                self.set(&mut one, name, value.span(), value.get_ref())?;
            }
        }
        let mut told: Vec<String> = own.method.iter().map(|id| id.get_ref().clone()).collect();
        for (name, value) in &own.params {
            self.set(&mut one, name, value.span(), value.get_ref())?;
            told.push(format!("{name}={}", value.get_ref()));
        }
        told.extend(own.c.iter().map(|c| format!("c={}", c.get_ref())));
        if let Some(views) = views {
            told.push(format!("views {}", views.join("+")));
        }
        for text in own.kernels.iter().flat_map(Spanned::get_ref) {
            told.push(text.get_ref().clone());
        }
        if let Some(label) = &own.label {
            told = vec![label.clone()];
        }
        for (name, values) in &row.grid {
            self.file.listed(&format!("grid: {name}"), Some(values))?;
        }
        let lists = row.grid.values().map(|v| v.get_ref().len() as f64);
        let combinations: f64 = lists.product();
        if let Some(first) = row.grid.values().next().filter(|_| combinations > MOST_VARIANTS) {
            let problem = format!("grid: expected at most {MOST_VARIANTS} combinations");
            let problem = format!("{problem}, found {combinations}");
            return Err(self.file.refuse(Some(first.span()), problem));
        }
        let mut all = vec![(one, told)];
        for (name, values) in &row.grid {
            let mut crossed = Vec::new();
            for (one, told) in &all {
                for value in values.get_ref() {
                    let (mut one, mut told) = (one.clone(), told.clone());
                    self.set(&mut one, name, values.span(), value)?;
                    if let Some(number) = number(value) {
                        one.at.insert(name.clone(), number);
                    }
                    told.push(format!("{name}={value}"));
                    crossed.push((one, told));
                }
            }
            all = crossed;
        }
        Ok(all.into_iter().map(|(one, told)| Variant { label: told.join(", "), ..one }).collect())
    }

    fn set(
        &self,
        variant: &mut Variant,
        name: &str,
        place: Range<usize>,
        value: &Value,
    ) -> Result<()> {
        let method = variant.method;
        let own = method.param(name);
        if name == COST && own.is_none() && variant.has(COST) {
            let Some(c) = number(value).filter(|c| *c > 0.0 && c.is_finite()) else {
                let problem =
                    format!("c: expected a number greater than 0, found {}", shown(value));
                return Err(self.file.refuse(Some(place), problem));
            };
            variant.c = Some(c);
            return Ok(());
        }
        if name == "machine" && own.is_none() {
            let problem = "machine: a row has one for all of its variants; give a row for each machine, with machine = beside \
                           its method";
            return Err(self.file.refuse(Some(place), problem));
        }
        let checked = method.check([(name, value)]);
        checked.map_err(|e| self.file.refuse(Some(place), format!("{}: {e}", method.id)))?;
        let name = own.map_or(name, |p| p.name);
        variant.params.insert(name.to_string(), value.clone());
        Ok(())
    }
}

/// A value as messages show it.
fn shown(value: &Value) -> String {
    match value {
        Value::Real(v) => cokernel::brief(*v),
        other => other.to_string(),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(v) => Some(*v as f64),
        Value::Real(v) => Some(*v),
        _ => None,
    }
}
