//! Computes cells. Data, splits and kernels are kept from cell to cell where they are the same.

use super::cells::{Cell, Group};
use super::measured::{Details, Measured, plane};
use super::plan::{Data, Experiment, Kind, Learning, Pick, Protocol, Variant};
use super::score::Score;
use super::selection::{self, Selected};
use super::source::{reduced, subset, unit_rows};
use anyhow::{Context, Result};
use cokernel::data::{Classes, Labels, Table, Views};
use cokernel::eval::cluster_scores::ClusterScores;
use cokernel::eval::{self, Split, Splits, score_split};
use cokernel::method::Task;
use cokernel::model::{Mkl, Model, MultiView, Prepared, PreparedViews};
use cokernel::{Error, Run};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A cell that does not fit into memory.
#[derive(Debug)]
pub struct TooLarge(pub String);

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TooLarge {}

/// Where cells are computed.
pub struct Bench<'a> {
    plan: &'a Experiment,
    folder: Option<PathBuf>,
    /// The first seed.
    seed: u64,
    /// Bytes that the machine has for this process, if that is known.
    available: Option<usize>,
    loaded: Option<Loaded>,
}

/// One data set and what was computed on it.
struct Loaded {
    /// Data, value of the sweep, set.
    key: (usize, Option<usize>, usize),
    views: Views,
    labels: Labels,
    classes: Option<Classes>,
    /// None, where nothing is learned.
    splits: Option<Splits>,
    /// The split of the kernels.
    split: usize,
    ready: Vec<Ready>,
}

/// Kernels of a recipe on the whole data or on a training set.
struct Ready {
    views: Option<Vec<String>>,
    inner: Option<usize>,
    bytes: usize,
    kernels: Kernels,
}

enum Kernels {
    Learning(Box<Prepared>),
    Clustering(Box<PreparedViews>),
}

/// Bytes of the features of these views.
fn feature_bytes(views: &Views) -> usize {
    let of = |table: &Table| match table {
        Table::Dense(m) => 8 * m.rows() * m.cols(),
        Table::Sparse(m) | Table::Graph(m) => {
            12 * (0..m.rows()).map(|i| m.row(i).0.len()).sum::<usize>()
        }
        Table::Similarity(m) => 8 * m.rows() * m.cols(),
        Table::Sequences(s) => s.letters().len(),
    };
    views.iter().map(|v| of(&v.table)).sum()
}

/// Bytes beside the kernels that a method on n instances works with: the features three times (as
/// read, as chosen for the row and as scaled) and three matrices of n × n (a combination of
/// kernels, and rows or operators made of it).
fn working_bytes(features: usize, n: usize) -> usize {
    features.saturating_mul(3).saturating_add(n.saturating_mul(n).saturating_mul(24))
}

/// Training instances in each split of n, at least.
fn trained(protocol: &Protocol, n: usize) -> usize {
    match protocol.learning().filter(|l| !l.transductive).map(|l| l.splits) {
        None => n,
        Some(eval::Protocol::KFold { folds, .. }) => n - n.div_ceil(folds),
        Some(eval::Protocol::Shuffle { test, .. }) => (n as f64 * (1.0 - test)) as usize / 2,
        Some(eval::Protocol::FiveByTwo) => n / 2,
        Some(eval::Protocol::Reserved { test }) => (n as f64 * (1.0 - test)) as usize / 2,
        // The number of classes is not known.
        Some(eval::Protocol::PerClass { train, .. }) => train.min(n),
        Some(eval::Protocol::Given { .. }) => n,
    }
}

impl<'a> Bench<'a> {
    pub fn new(
        plan: &'a Experiment,
        folder: Option<PathBuf>,
        seed: u64,
        available: Option<usize>,
    ) -> Self {
        Bench { plan, folder, seed, available, loaded: None }
    }

    /// Computes a cell; the cause of an error comes after data and row. The seed, the memory and
    /// the silence are those of the experiment; stopping is the caller's.
    pub fn measure(&mut self, cell: &Cell, run: &Run) -> Result<Measured> {
        let plan = self.plan;
        let (data, row) = (&plan.data[cell.data], &plan.rows[cell.row]);
        let place = match plan.data.len() {
            1 => format!("{}, row '{}'", plan.id, row.label),
            _ => format!("{}, {}, row '{}'", plan.id, data.label, row.label),
        };
        let seed = self.seed.wrapping_add(cell.set as u64);
        let run = Run { seed, ..run.quiet() };
        self.load(cell, &run)?;
        let Some(loaded) = &mut self.loaded else {
            return Err(Error::Data("the data is not there".to_string()).into());
        };
        let n = match &loaded.splits {
            Some(s) if !s.transductive => s.splits[cell.split].train.len(),
            _ => loaded.views.n(),
        };
        let need = working_bytes(feature_bytes(&loaded.views), n);
        let run = Run { memory: room(plan, self.available, need, n)?, ..run };
        let variant = &row.variants[cell.variant];
        let measured = match plan.protocol.learning() {
            Some(_) => loaded.learn(plan, cell, data, variant, &run),
            None => loaded.cluster(plan, cell, data, variant, &run),
        };
        let mut measured = measured.context(place)?;
        measured.details.instances = loaded.views.n();
        measured.details.views = loaded.views.iter().map(|v| v.name.clone()).collect();
        Ok(measured)
    }

    /// Reads or draws the data of a cell, unless it is there; lets go of kernels of other splits.
    fn load(&mut self, cell: &Cell, run: &Run) -> Result<()> {
        let plan = self.plan;
        let (d, at, set, split): Group = plan.group(cell);
        let key = (d, at, set);
        if let Some(loaded) = self.loaded.as_mut().filter(|l| l.key == key) {
            if loaded.split != split {
                loaded.ready.clear();
                loaded.split = split;
            }
            return Ok(());
        }
        self.loaded = None;
        let data = &plan.data[d];
        if let Some(toy) = data.source.toy() {
            // What cannot be computed is not drawn.
            let (n, bytes) = toy.size(plan.swept_data(cell));
            let n = trained(&plan.protocol, n);
            room(plan, self.available, working_bytes(bytes, n), n)?;
        }
        let real = plan.protocol.task() == Task::Regress;
        let (folder, swept) = (self.folder.as_deref(), plan.swept_data(cell));
        let Selected { mut views, labels, test } =
            data.selection.load(&data.source, folder, swept, run.seed, real)?;
        if let Some(names) = &data.views {
            views = subset(&views, names)?;
        }
        if data.unit_rows {
            views = unit_rows(&views)?;
        }
        if let Some(columns) = data.lsa {
            views = reduced(&views, columns, run)?;
        }
        let (classes, splits) = match plan.protocol.learning() {
            None => (Some(labels.classes()?), None),
            Some(learning) => {
                let (n, all) = (views.n(), plan.protocol.splits());
                let indices = n.saturating_mul(all).saturating_mul(8);
                let need = working_bytes(feature_bytes(&views), 0).saturating_add(indices);
                room(plan, self.available, need, n)?;
                let (given, of) = (data.given.as_ref(), (&views, &labels));
                let how = (plan.protocol.task(), learning);
                (None, Some(selection::splits(how, given, of, test.as_ref(), run.seed)?))
            }
        };
        self.loaded =
            Some(Loaded { key, views, labels, classes, splits, split, ready: Vec::new() });
        Ok(())
    }
}

/// Bytes that kernels may take where a method needs so many beside them; or the refusal, with the
/// figures.
fn room(
    plan: &Experiment,
    available: Option<usize>,
    need: usize,
    n: usize,
) -> Result<usize, TooLarge> {
    let in_words = |bytes: usize| match bytes as f64 {
        b if b < 1e8 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.2} GB", b / 1e9),
    };
    let refuse = |limit: usize, whose: &str| {
        TooLarge(format!(
            "{n} instances need {} beside the kernels, but {whose} {}; use fewer instances{}",
            in_words(need),
            in_words(limit),
            if whose.starts_with("the limit") { ", or a larger memory in [limits]" } else { "" }
        ))
    };
    if need > plan.limits.memory {
        return Err(refuse(plan.limits.memory, "the limit of a cell is"));
    }
    if let Some(limit) = available.filter(|a| need > *a) {
        return Err(refuse(limit, "the machine has for each worker"));
    }
    Ok(plan.limits.memory - need)
}

impl Loaded {
    fn cluster(
        &mut self,
        plan: &Experiment,
        cell: &Cell,
        data: &Data,
        variant: &Variant,
        run: &Run,
    ) -> Result<Measured> {
        let Kind::Cluster { clusters, starts } = plan.protocol.kind else {
            return Err(Error::Data("this experiment does not cluster".to_string()).into());
        };
        let method = variant.multi_view(data, plan.swept_method(cell))?;
        let clock = run.watch();
        let at = self.prepared_views(&method, variant.views.as_ref(), run)?;
        let Kernels::Clustering(ready) = &self.ready[at].kernels else {
            return Err(Error::Data("the kernels are those of another task".to_string()).into());
        };
        let found = method.cluster_prepared(ready, clusters, &starts, run)?;
        let codes = self.classes.as_ref().map_or(&[][..], |c| &c.codes);
        let of_start = |assigned: &Vec<u32>| ClusterScores::new(assigned, codes);
        let each = found.kmeans.all.iter().map(of_start).collect::<Result<Vec<_>, _>>()?;
        let mut scores = BTreeMap::new();
        for &score in Score::all(Task::Cluster) {
            scores.insert(score, each.iter().filter_map(|s| score.of_clusters(s)).collect());
        }
        let mut details = Details::of_report(&found.report);
        details.kernels = ready.bank().kernels().iter().map(|k| k.name.clone()).collect();
        if let Some(classes) = &self.classes {
            details.count_clusters(classes, &found.assignments, clusters);
            if cell.set == 0 {
                details.plane = plane(&found.embedding.rows, run.seed)?;
                details.shown(&found.assignments, &classes.codes);
            }
        }
        Ok(Measured {
            scores,
            inner: None,
            status: found.report.status,
            seconds: clock.seconds(),
            notes: found.report.remarks().cloned().collect(),
            details,
        })
    }

    fn learn(
        &mut self,
        plan: &Experiment,
        cell: &Cell,
        data: &Data,
        variant: &Variant,
        run: &Run,
    ) -> Result<Measured> {
        let mkl = variant.mkl(data, &plan.machine, plan.swept_method(cell))?;
        let Some(splits) = &self.splits else {
            return Err(Error::Data("this experiment does not learn".to_string()).into());
        };
        let split = &splits.splits[cell.split];
        let labels = splits.seen(&mkl, &self.labels, split)?.into_owned();
        let split = split.learned_from(&mkl, &labels)?.into_owned();
        let chosen = match &variant.views {
            Some(names) => subset(&self.views, names)?,
            None => self.views.clone(),
        };
        let train = (chosen.select(&split.train), labels.select(&split.train));
        let at = self.prepared(&mkl, (&train.0, &train.1), variant, None, run)?;
        let Kernels::Learning(ready) = &self.ready[at].kernels else {
            return Err(Error::Data("the kernels are those of another task".to_string()).into());
        };
        let fitted = mkl.fit_prepared(ready, run)?;
        let model = probable(plan, &mkl, fitted, (&train.0, &train.1), run)?;
        // The limit is one of learning.
        let to_the_end = Run { time_limit: None, ..run.clone() };
        let result = score_split(&model, &chosen, &self.labels, &split, &to_the_end)?;
        let mut scores = BTreeMap::new();
        let asked = plan.protocol.scores.iter().chain([&plan.protocol.pick_by]);
        let lacks = |s: &&Score| !s.is_of_model() && s.of_learned(&result.scores).is_none();
        if let Some(score) = asked.into_iter().find(lacks) {
            let why = match plan.protocol.task() {
                Task::Detect => "needs labels of two kinds in every test set",
                _ => {
                    "of more than two classes needs probabilities: set probabilities = \
                     \"sigmoid\" in [machine], or take a machine that tells them"
                }
            };
            return Err(Error::Data(format!("score '{}' {why}", score.id())).into());
        }
        for &score in Score::all(plan.protocol.task()).iter().filter(|s| !s.is_of_model()) {
            scores.insert(score, score.of_learned(&result.scores).into_iter().collect());
        }
        let mut measured = Measured {
            scores,
            inner: None,
            status: result.status,
            seconds: model.report().seconds,
            notes: model.report().remarks().cloned().collect(),
            details: Details::of_model(&model, &result.scores, &data.costs),
        };
        measured.details.sizes = Some([split.train.len(), split.test.len()]);
        let inner = plan.rows[cell.row].pick == Pick::Inner;
        if inner && !split.validation.is_empty() {
            let validated = Split { test: split.validation.clone(), ..split.clone() };
            let found = score_split(&model, &chosen, &self.labels, &validated, &to_the_end)?;
            measured.inner = chosen_by(plan, data, &model, &found.scores);
        } else if let (Pick::Inner, Some(Learning { inner_folds, .. })) =
            (plan.rows[cell.row].pick, plan.protocol.learning())
        {
            let folds = eval::Protocol::KFold { folds: inner_folds, repeats: 1 };
            let (mut sum, folds) = (0.0, folds.split(&train.1, run.seed)?.splits);
            for (i, fold) in folds.iter().enumerate() {
                let fold = &*fold.learned_from(&mkl, &train.1)?;
                let part = (train.0.select(&fold.train), train.1.select(&fold.train));
                let at = self.prepared(&mkl, (&part.0, &part.1), variant, Some(i), run)?;
                let Kernels::Learning(ready) = &self.ready[at].kernels else { continue };
                let fitted = mkl.fit_prepared(ready, run)?;
                let model = probable(plan, &mkl, fitted, (&part.0, &part.1), run)?;
                let found = score_split(&model, &train.0, &train.1, fold, &to_the_end)?;
                let lacks = || {
                    let score = plan.protocol.pick_by.id();
                    Error::Data(format!(
                        "score '{score}', by which a row is picked, cannot be told of inner fold {i}"
                    ))
                };
                sum += chosen_by(plan, data, &model, &found.scores).ok_or_else(lacks)?;
            }
            measured.inner = Some(sum / folds.len() as f64);
        }
        Ok(measured)
    }

    /// The place of kernels over training instances that this method can use: made once for all
    /// cells that want the same.
    fn prepared(
        &mut self,
        mkl: &Mkl,
        train: (&Views, &Labels),
        variant: &Variant,
        inner: Option<usize>,
        run: &Run,
    ) -> Result<usize> {
        for (i, ready) in self.ready.iter().enumerate() {
            if let Kernels::Learning(kernels) = &ready.kernels
                && ready.inner == inner
                && ready.views == variant.views
                && mkl.shares(kernels)?
            {
                return Ok(i);
            }
        }
        let made = mkl.prepare(train.0, train.1, run)?;
        let size = (made.bank().n(), made.bank().len());
        Ok(self.keep(
            variant.views.as_ref(),
            inner,
            size,
            run.memory,
            Kernels::Learning(Box::new(made)),
        ))
    }

    /// As [`prepared`](Self::prepared), for clustering.
    fn prepared_views(
        &mut self,
        method: &MultiView,
        views: Option<&Vec<String>>,
        run: &Run,
    ) -> Result<usize> {
        for (i, ready) in self.ready.iter().enumerate() {
            if let Kernels::Clustering(kernels) = &ready.kernels
                && ready.views.as_ref() == views
                && method.shares(kernels)?
            {
                return Ok(i);
            }
        }
        let made = match views {
            Some(names) => method.prepare(&subset(&self.views, names)?, run)?,
            None => method.prepare(&self.views, run)?,
        };
        let size = (made.bank().n(), made.bank().len());
        Ok(self.keep(views, None, size, run.memory, Kernels::Clustering(Box::new(made))))
    }

    /// Keeps kernels; the oldest go where all together would be above the limit.
    fn keep(
        &mut self,
        views: Option<&Vec<String>>,
        inner: Option<usize>,
        (n, kernels_count): (usize, usize),
        limit: usize,
        kernels: Kernels,
    ) -> usize {
        let bytes = 4 * n * (n + 1) * kernels_count;
        while !self.ready.is_empty()
            && self.ready.iter().map(|r| r.bytes).sum::<usize>() + bytes > limit
        {
            self.ready.remove(0);
        }
        self.ready.push(Ready { views: views.cloned(), inner, bytes, kernels });
        self.ready.len() - 1
    }
}

/// The score by which rows are picked, of a model that was learned on a part of the training instances.
fn chosen_by(
    plan: &Experiment,
    data: &Data,
    model: &Model,
    scores: &eval::Measured,
) -> Option<f64> {
    let by = plan.protocol.pick_by;
    if by.is_of_model() {
        return Details::of_model(model, scores, &data.costs).score(by);
    }
    by.of_learned(scores)
}

/// The model with probabilities, where the plan has them, by fits inside its training set.
fn probable(
    plan: &Experiment,
    mkl: &Mkl,
    model: Model,
    (views, labels): (&Views, &Labels),
    run: &Run,
) -> Result<Model> {
    let Some(how) = plan.calibrating else { return Ok(model) };
    Ok(model.calibrated(mkl.calibration(views, labels, None, how, run)?)?)
}
