//! What an experiment file means: data, methods, kernels and scores that exist, with their values.

use super::file::{Content, File};
use super::score::{Published, Score};
use super::selection::Selection;
use super::source::{self, Source};
use anyhow::Result;
use cokernel::Error;
use cokernel::calibrate::Calibrating;
use cokernel::data::Scale;
use cokernel::eval;
use cokernel::kernel::KernelSpec;
use cokernel::machine::MachineSpec;
use cokernel::method::{Method, Task};
use cokernel::model::{Mkl, MultiView};
use cokernel::multiview::Starts;
use cokernel::params::{Range, Value};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

mod figures;
mod protocol;
mod quick;
mod rows;
mod setting;
mod size;
mod splits;

pub use figures::MOST_STARTS;
pub use setting::MOST_SETS;
pub use size::MOST_CELLS;
pub use splits::self_contained;

/// The parameter of the machine that rows, grids and sweeps can have beside those of the method.
const COST: &str = "c";

/// One experiment, ready to be run.
#[derive(Debug)]
pub struct Experiment {
    /// The id of the experiment.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Remarks that stand below the tables.
    pub notes: Vec<String>,
    /// Why figures differ, for rows without a reason of their own.
    pub reason: Option<String>,
    /// The source of the published figures.
    pub paper: String,
    /// Where they stand there.
    pub table: String,
    /// At least one.
    pub data: Vec<Data>,
    /// How every row is measured.
    pub protocol: Protocol,
    /// The machine of rows that name none.
    pub machine: MachineSpec,
    /// How decision values become probabilities, if they do.
    pub calibrating: Option<Calibrating>,
    /// Methods with their parameters and published figures.
    pub rows: Vec<Row>,
    /// What the source says of the order of rows.
    pub claims: Vec<Claim>,
    /// Tests between rows.
    pub tests: Tests,
    /// Time and memory of a cell.
    pub limits: Limits,
    /// A parameter that takes several values.
    pub sweep: Option<Sweep>,
    /// Whether it is shortened.
    pub quick: bool,
}

/// What is clustered or learned from.
#[derive(Debug)]
pub struct Data {
    /// Its name in tables.
    pub label: String,
    /// Where it comes from.
    pub source: Source,
    /// `None`: all.
    pub views: Option<Vec<String>>,
    /// Its kernels, where they differ from those of the experiment.
    pub kernels: Option<Vec<KernelSpec>>,
    /// How feature columns are scaled.
    pub scale: Scale,
    /// Rows are divided by their lengths.
    pub unit_rows: bool,
    /// Columns that latent semantic analysis leaves of each view.
    pub lsa: Option<usize>,
    /// Data sets with consecutive seeds.
    pub sets: usize,
    /// Cost of a kernel value by kernel or view; 1 where there is none.
    pub costs: BTreeMap<String, f64>,
    /// Classes and instances that are taken.
    pub selection: Selection,
    /// Splits that are given; else they are drawn.
    pub given: Option<eval::Splits>,
    /// Published figures by the label of the row, where they differ from data to data.
    pub published: BTreeMap<String, BTreeMap<Score, Published>>,
    /// Published weights of the kernels by the label of the row.
    pub weights: BTreeMap<String, Vec<f64>>,
}

/// How every row is measured.
#[derive(Debug, Clone, Serialize)]
pub struct Protocol {
    #[serde(flatten)]
    pub kind: Kind,
    pub seed: u64,
    pub scores: Vec<Score>,
    pub pick_by: Score,
    /// The splits are those of files.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub given: bool,
    /// Only so many of the splits are computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_splits: Option<usize>,
}

/// Clustering of all instances, or learning on splits.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "task", rename_all = "snake_case")]
pub enum Kind {
    Cluster { clusters: usize, starts: Starts },
    Classify(Learning),
    Regress(Learning),
    Detect(Learning),
}

/// How what is learned is tested.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Learning {
    /// Training and test instances.
    pub splits: eval::Protocol,
    /// Test instances are learned from, too, without their labels.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub transductive: bool,
    /// Folds inside a training part, for the choice among variants.
    pub inner_folds: usize,
}

/// Which of the variants of a row is its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pick {
    /// There is one.
    Only,
    /// The one with the best score against the classes.
    Best,
    /// The one with the best score in a cross-validation inside the training set.
    Inner,
}

/// A row of the table, or a curve of the figure.
#[derive(Debug)]
pub struct Row {
    pub label: String,
    pub variants: Vec<Variant>,
    pub pick: Pick,
    pub published: BTreeMap<Score, Published>,
    /// Published figures at single values of the sweep.
    pub points: Vec<(f64, BTreeMap<Score, Published>)>,
    pub reason: Option<String>,
    /// The label in the file, which several rows share if each of their variants is a row.
    pub family: String,
}

/// One way to compute a row.
#[derive(Debug, Clone)]
pub struct Variant {
    pub label: String,
    pub method: &'static Method,
    pub params: BTreeMap<String, Value>,
    /// The machine, where it is not that of the experiment.
    pub machine: Option<MachineSpec>,
    /// Cost of slack, where it is not that of the machine.
    pub c: Option<f64>,
    pub views: Option<Vec<String>>,
    pub kernels: Option<Vec<KernelSpec>>,
    /// Where it stands in the grid: the numbers among its values.
    pub at: BTreeMap<String, f64>,
}

/// One row is better than others.
#[derive(Debug)]
pub struct Claim {
    pub above: usize,
    pub below: Vec<usize>,
    pub score: Score,
}

/// Tests of differences.
#[derive(Debug, Clone)]
pub struct Tests {
    pub alpha: f64,
    /// A row; `None`: the best one.
    pub baseline: Option<usize>,
}

/// What one cell may take.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes; the part of it that kernels may take is given to the library.
    pub memory: usize,
    pub seconds: Option<f64>,
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

impl Kind {
    /// What is measured.
    pub fn task(&self) -> Task {
        match self {
            Kind::Cluster { .. } => Task::Cluster,
            Kind::Classify(_) => Task::Classify,
            Kind::Regress(_) => Task::Regress,
            Kind::Detect(_) => Task::Detect,
        }
    }
}

impl Protocol {
    /// What is measured.
    pub fn task(&self) -> Task {
        self.kind.task()
    }

    /// The splits, where something is learned.
    pub fn learning(&self) -> Option<Learning> {
        match self.kind {
            Kind::Cluster { .. } => None,
            Kind::Classify(l) | Kind::Regress(l) | Kind::Detect(l) => Some(l),
        }
    }

    /// Repeats the splits so often, where something is learned on them.
    pub fn repeat(&mut self, times: usize) {
        if self.given {
            return;
        }
        let (Kind::Classify(l) | Kind::Regress(l) | Kind::Detect(l)) = &mut self.kind else {
            return;
        };
        match &mut l.splits {
            eval::Protocol::KFold { repeats, .. }
            | eval::Protocol::Shuffle { repeats, .. }
            | eval::Protocol::PerClass { repeats, .. } => *repeats = times,
            eval::Protocol::FiveByTwo
            | eval::Protocol::Reserved { .. }
            | eval::Protocol::Given { .. } => {}
        }
    }

    /// How often the splits are repeated, where that can be said.
    pub fn repeats(&self) -> Option<usize> {
        match self.learning().filter(|_| !self.given)?.splits {
            eval::Protocol::KFold { repeats, .. }
            | eval::Protocol::Shuffle { repeats, .. }
            | eval::Protocol::PerClass { repeats, .. } => Some(repeats),
            eval::Protocol::FiveByTwo
            | eval::Protocol::Reserved { .. }
            | eval::Protocol::Given { .. } => None,
        }
    }

    /// Number of splits of a data set; 1 for clustering, which takes it whole.
    pub fn splits(&self) -> usize {
        let all = self.all_splits();
        self.first_splits.map_or(all, |first| first.min(all))
    }

    fn all_splits(&self) -> usize {
        self.learning().map_or(1, |l| l.splits.splits())
    }

    /// How instances are split, in words; nothing where nothing is learned.
    pub fn how(&self) -> String {
        let Some(Learning { splits, transductive, .. }) = self.learning() else {
            return String::new();
        };
        let mut text = splits.to_string();
        if transductive {
            text.push_str(", transductive");
        }
        if self.given {
            text.push_str(", from a file");
        }
        text
    }
}

impl Variant {
    /// The clustering method, with `extra` parameters over its own.
    pub fn multi_view(&self, data: &Data, extra: Option<(&str, f64)>) -> Result<MultiView, Error> {
        let mut built = MultiView::new(self.method.id)?.scale(data.scale);
        if let Some(kernels) = self.kernels.as_ref().or(data.kernels.as_ref()) {
            built = built.kernels(kernels.clone());
        }
        for (name, value) in self.values(extra) {
            built = built.param(name, value);
        }
        built.params()?;
        Ok(built)
    }

    /// The method that learns, with `extra` parameters over its own.
    pub fn mkl(
        &self,
        data: &Data,
        machine: &MachineSpec,
        extra: Option<(&str, f64)>,
    ) -> Result<Mkl, Error> {
        let machine = self.machine.as_ref().unwrap_or(machine);
        cokernel::catalogue::goes_with(self.method, machine.method())?;
        let swept = extra.filter(|(name, _)| *name == COST).map(|(_, c)| c);
        let mut built = Mkl::new(self.method.id)?.scale(data.scale).machine(machine.clone());
        if let Some(c) = swept.or(self.c) {
            built = built.c(c);
        }
        if let Some(kernels) = self.kernels.as_ref().or(data.kernels.as_ref()) {
            built = built.kernels(kernels.clone());
        }
        for (name, value) in self.values(extra.filter(|(name, _)| *name != COST)) {
            built = built.param(name, value);
        }
        built.params()?;
        built.machine_spec().checked()?;
        Ok(built)
    }

    /// Refuses parameters that the method does not take.
    pub fn check(
        &self,
        data: &Data,
        machine: &MachineSpec,
        extra: Option<(&str, f64)>,
    ) -> Result<(), Error> {
        match self.classifies() {
            true => self.mkl(data, machine, extra).map(|_| ()),
            false => self.multi_view(data, extra).map(|_| ()),
        }
    }

    fn values(&self, extra: Option<(&str, f64)>) -> BTreeMap<String, Value> {
        let mut values = self.params.clone();
        if let Some((name, value)) = extra.filter(|(name, _)| self.has(name)) {
            values.insert(name.to_string(), self.number(name, value));
        }
        values
    }

    fn classifies(&self) -> bool {
        self.method.tasks.contains(&Task::Classify)
    }

    /// Whether the method, or its machine, has this parameter.
    pub fn has(&self, parameter: &str) -> bool {
        let own = self.method.param(parameter).is_some();
        own || (parameter == COST && self.classifies())
    }

    /// A value of a sweep in the type of the parameter.
    fn number(&self, parameter: &str, value: f64) -> Value {
        let whole = |p: &&cokernel::params::Param| matches!(p.range, Range::Int { .. });
        match self.method.param(parameter).filter(whole) {
            Some(_) if value.fract() == 0.0 => Value::Int(value as i64),
            _ => Value::Real(value),
        }
    }
}

impl Row {
    /// Whether it has a value for each of those of a sweep over methods.
    pub fn is_swept(&self, sweep: &Sweep) -> bool {
        !sweep.of_data && self.variants.iter().any(|v| v.has(&sweep.parameter))
    }
}

impl Experiment {
    /// Reads and checks a file; `name` stands in the errors, `id` is used if the file has none,
    /// and paths in it are relative to `base`.
    pub fn parse(name: &str, id: &str, text: &str, base: &Path) -> Result<Self> {
        let file = File::new(name, text);
        let content = file.parse()?;
        let given = splits::given(&file, &content, base)?;
        let protocol = protocol::protocol(&file, &content, given.as_ref())?;
        let mut data = setting::all_data(&file, &content.data.0, base, protocol.task())?;
        if let Some(given) = given {
            splits::place(&file, &content, given, &mut data)?;
        }
        setting::refuse_lsa(&file, &content.data.0, &protocol)?;
        let machine = setting::machine(&file, &content.machine, protocol.task())?;
        protocol::unlabelled(&file, &content.protocol, &protocol, &machine)?;
        let calibrating = setting::calibrating(&file, &content.machine, &protocol)?;
        let reach = figures::reaches(&file, &content.protocol.reach, protocol.task())?;
        if content.rows.is_empty() {
            return Err(file.refuse(None, "rows: expected at least one [[rows]]"));
        }
        let sweep = content.sweep.as_ref();
        let sweep = sweep.map(|s| figures::sweep(&file, s, &data)).transpose()?;
        let all = rows::Rows {
            file: &file,
            data: &data,
            protocol: &protocol,
            machine: &machine,
            reach: &reach,
            sweep: sweep.as_ref(),
        };
        let rows = all.read(&content.rows)?;
        if calibrating.is_none() {
            let by = (&machine, rows.as_slice());
            setting::refuse_uncertain(&file, &content.protocol, &protocol, by)?;
        }
        for (data, entry) in data.iter_mut().zip(&content.data.0) {
            data.published =
                figures::by_row(&file, &entry.published, &rows, &reach, protocol.task())?;
            data.weights = figures::weights(&file, &entry.weights, &rows)?;
        }
        if let Some(sweep) = sweep.as_ref().filter(|s| !s.of_data) {
            check_swept(&file, &content, sweep, &data[0], &rows)?;
        }
        let claims = figures::claims(&file, &content.claims, &rows, &protocol)?;
        let tests = setting::tests(&file, &content.tests, &rows)?;
        let limits = setting::limits(&file, &content.limits)?;
        let mut plan = Experiment {
            id: content.id.clone().unwrap_or_else(|| id.to_string()),
            title: content
                .title
                .clone()
                .unwrap_or_else(|| content.id.clone().unwrap_or_else(|| id.to_string())),
            notes: content.notes.clone(),
            reason: content.reason.clone(),
            paper: content.source.paper.clone(),
            table: content.source.table.clone(),
            data,
            protocol,
            machine,
            calibrating,
            rows,
            claims,
            tests,
            limits,
            sweep,
            quick: false,
        };
        if content.quick {
            plan.shorten();
        }
        size::check(&file, &content, &plan)?;
        Ok(plan)
    }

    /// `LMS Table 3.3`, or nothing.
    pub fn place(&self) -> String {
        format!("{} {}", self.paper, self.table).trim().to_string()
    }
}

/// Some row has the parameter of the sweep.
fn check_swept(
    file: &File,
    content: &Content,
    sweep: &Sweep,
    data: &Data,
    rows: &[Row],
) -> Result<()> {
    if rows.iter().any(|r| r.is_swept(sweep)) {
        return Ok(());
    }
    let place = content.sweep.as_ref().map(|s| s.parameter.span());
    let mut names = source::parameters(&data.source);
    names.extend(rows[0].variants[0].method.params.iter().map(|p| p.name));
    Err(file.refuse(place, Error::unknown("parameter", &sweep.parameter, names)))
}
