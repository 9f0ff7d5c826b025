//! [`Preparation`]: what a model must redo with the views of new instances before it compares
//! them with those it was trained on.

use super::near::Near;
use super::scale::{MAX_COLS, Moments};
use super::{
    Csr, Fill, LearnedView, Scale, Scaler, Table, View, Views, cannot_fill, mapped, side_by_side,
};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// The steps between the views that a user gives and the views that kernels see: scaling of
/// every feature view, then, on request, all of them side by side as one view named
/// [`Preparation::CONCAT`], then the [maps](LearnedView) of views that a method has learned. Learned from
/// training instances, stored in a model, redone for new instances.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Preparation {
    scale: Scale,
    concat: bool,
    views: Vec<Prepared>,
    notes: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    learned: Vec<LearnedView>,
    /// Whether it stays known who lacks the features that something stands for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    shows: bool,
    /// Of what features are estimated that an instance lacks, where they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    near: Option<Near>,
}

/// What a prepared view looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether it is a similarity.
    pub similarity: bool,
    /// Number of columns.
    pub cols: usize,
}

/// What is known about one view from training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Prepared {
    name: String,
    similarity: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    sequences: bool,
    columns: Option<Vec<String>>,
    scaler: Scaler,
    /// What stands for the scaled features of an instance that lacks the view, where something does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fill: Option<Vec<f64>>,
}

impl Preparation {
    /// The name of the view that holds all feature views side by side.
    pub const CONCAT: &str = "concat";

    /// Learns the preparation from the views of the training instances.
    ///
    /// # Errors
    /// There is no view, a view cannot be scaled (see [`Scaler::fit`]), or `concat` is asked for
    /// while a view is a similarity.
    pub fn fit(views: &Views, scale: Scale, concat: bool) -> Result<Self> {
        if views.is_empty() {
            return Err(Error::Data("there is no view to learn from".to_string()));
        }
        let mut prepared = Vec::new();
        let mut notes = Vec::new();
        for view in views.iter() {
            let similarity = view.table.is_similarity();
            if concat && !view.table.is_features() {
                return Err(Error::Data(format!(
                    "view '{}' is {} and cannot be concatenated; \
                     give feature views only, or do not concatenate",
                    view.name,
                    view.table.words()
                )));
            }
            let sequences = matches!(view.table, Table::Sequences(_));
            let scale = if view.table.is_features() { scale } else { Scale::None };
            let scaler = Scaler::fit(&view.table, view.present.as_deref(), scale)
                .map_err(|e| Error::Data(format!("view '{}': {e}", view.name)))?;
            notes.extend(constant_note(view, &scaler));
            notes.extend(extreme_note(view, &scaler));
            prepared.push(Prepared {
                name: view.name.clone(),
                similarity,
                sequences,
                columns: view.columns.clone(),
                scaler,
                fill: None,
            });
        }
        if concat && scale == Scale::None {
            notes.extend(scale_note(views)?);
        }
        Ok(Preparation {
            scale,
            concat,
            views: prepared,
            notes,
            learned: Vec::new(),
            shows: false,
            near: None,
        })
    }

    /// The same, which puts zeros or the means of the scaled columns of these views, those of training, in the place
    /// of features that an instance lacks; also those of new instances.
    ///
    /// # Errors
    /// A similarity is incomplete; as [`apply`](Self::apply).
    pub(crate) fn filling(mut self, views: &Views, fill: Fill) -> Result<Self> {
        for known in &mut self.views {
            let view = views.get(&known.name)?;
            if known.similarity || known.sequences {
                let absent = view.present.iter().flatten().filter(|p| !**p).count();
                if absent > 0 {
                    return Err(cannot_fill(view, absent));
                }
                continue;
            }
            let table = known.scaler.apply(&known.check(view)?)?;
            known.fill = View { table, ..view.clone() }.stand_in(fill);
        }
        Ok(self)
    }

    /// The same, which puts what instances that are [near](Near) in the other views have in the place of features that an
    /// instance lacks; also those of new instances.
    ///
    /// # Errors
    /// A similarity is incomplete; as [`apply`](Self::apply).
    pub(crate) fn estimating(mut self, views: &Views) -> Result<Self> {
        let scaled = |known: &Prepared| {
            let view = views.get(&known.name)?;
            let table = known.check(view)?;
            let table = if known.similarity { table } else { known.scaler.apply(&table)? };
            Ok(View { table, ..view.clone() })
        };
        let scaled = self.views.iter().map(scaled).collect::<Result<Vec<View>>>()?;
        self = self.filling(views, Fill::Mean)?;
        self.near = Some(Near::of(&scaled));
        Ok(self)
    }

    /// The same, which puts the means of scaled columns in the place of features that an instance lacks, for what looks
    /// at features beside kernels, and lets it be known who lacks them.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub(crate) fn showing_means(mut self, views: &Views) -> Result<Self> {
        for known in self.views.iter_mut().filter(|v| !v.similarity && !v.sequences) {
            let view = views.get(&known.name)?;
            let table = known.scaler.apply(&known.check(view)?)?;
            known.fill = View { table, ..view.clone() }.stand_in(Fill::Mean);
        }
        self.shows = true;
        Ok(self)
    }

    /// [`apply`](Self::apply) for what looks at features: those that something stands for are there.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub(crate) fn shown(&self, views: &Views) -> Result<Views> {
        let views = self.apply(views)?;
        Ok(if self.shows { views.with_features_known() } else { views })
    }

    /// Whether something stands for features that an instance lacks, as if it had them.
    pub(crate) fn fills(&self) -> bool {
        !self.shows && self.views.iter().any(|v| v.fill.is_some())
    }

    /// The prepared views of training or new instances, in the order of training. Views that
    /// training did not have are left out. A sparse view may have fewer columns than in training:
    /// formats that store entries only do not tell how many there are.
    ///
    /// # Errors
    /// A view of training is not there, or differs from training in kind, number of columns or
    /// column names.
    pub fn apply(&self, views: &Views) -> Result<Views> {
        self.applied(views, false, &|| false)
    }

    /// [`apply`](Self::apply) where features that have not been estimated when time is over stay means.
    pub(crate) fn apply_until(
        &self,
        views: &Views,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Views> {
        self.applied(views, false, stop)
    }

    /// The same, where similarities are not towards the training instances but among the instances
    /// themselves.
    pub(crate) fn apply_among(&self, views: &Views) -> Result<Views> {
        self.applied(views, true, &|| false)
    }

    fn applied(
        &self,
        views: &Views,
        among: bool,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Views> {
        let (mut scaled, mut present) = (Vec::new(), Vec::new());
        for known in &self.views {
            let view = views.iter().find(|v| v.name == known.name).ok_or_else(|| {
                let list = |names: Vec<&str>| names.join(", ");
                Error::Data(format!(
                    "view '{}' is missing; training had the views {}, found {}",
                    known.name,
                    list(self.names()),
                    list(views.iter().map(|v| v.name.as_str()).collect())
                ))
            })?;
            present.push(view.present.clone());
            if among && known.similarity && view.table.is_similarity() {
                scaled.push(view.clone());
                continue;
            }
            let table = known.check(view)?;
            let table = if known.similarity { table } else { known.scaler.apply(&table)? };
            let columns = known.columns.clone().or_else(|| view.columns.clone());
            let own = view.present.clone();
            let mut view = View { name: known.name.clone(), table, columns, present: own };
            if let Some(row) = &known.fill {
                let present = view.present.clone().filter(|_| self.shows);
                view.put(row)?;
                view.present = present;
            }
            scaled.push(view);
        }
        if let Some(near) = &self.near {
            near.fill(&mut scaled, &present, stop)?;
        }
        if self.concat {
            scaled = vec![concatenated(&scaled)?];
        }
        let mut out = Views::new();
        for view in scaled {
            out.push(view)?;
        }
        if let Some(ids) = views.ids() {
            out.set_ids(ids.to_vec())?;
        }
        if self.learned.is_empty() { Ok(out) } else { mapped(&out, &self.learned) }
    }

    /// The same with maps of prepared views as its last step.
    ///
    /// # Errors
    /// A view that is not there, is a similarity or has another number of columns; two maps of one view.
    pub fn with_learned(mut self, learned: Vec<LearnedView>) -> Result<Self> {
        self.learned = learned;
        match self.layout() {
            Ok(_) => Ok(self),
            Err(problem) => Err(Error::Data(format!("the learned views do not fit: {problem}"))),
        }
    }

    /// The maps of prepared views that a method has learned.
    pub fn learned(&self) -> &[LearnedView] {
        &self.learned
    }

    /// The same without the views for which `keep` is false: a model that does not look at them
    /// does not ask for them. Views side by side are kept together.
    pub fn only(mut self, keep: impl Fn(&str) -> bool) -> Self {
        // Where instances are near is told by all views.
        if !self.concat && self.near.is_none() {
            self.learned.retain(|l| keep(l.name()));
            let mapped = |name: &str| self.learned.iter().any(|l| l.view() == name);
            self.views.retain(|v| keep(&v.name) || mapped(&v.name));
        }
        self
    }

    /// The prepared views; of a preparation that was read from a file, what contradicts what.
    pub(crate) fn layout(&self) -> Result<Vec<Layout<'_>>, String> {
        for (i, view) in self.views.iter().enumerate() {
            let said = |problem: &str| Err(format!("view '{}': {problem}", view.name));
            if view.name.is_empty() || self.views[..i].iter().any(|v| v.name == view.name) {
                return said("its name is empty or given twice");
            }
            if let Some(problem) = view.scaler.contradiction() {
                return said(problem);
            }
            let cols = view.scaler.cols();
            if cols == 0 || cols > u32::MAX as usize + 1 {
                return said(&format!("{cols} columns"));
            }
            if view.fill.as_ref().is_some_and(|row| view.similarity || row.len() != cols) {
                return said("what stands for a missing row has not its columns");
            }
            if view.columns.as_ref().is_some_and(|names| names.len() != cols) {
                return said("not one name for each column");
            }
            if view.similarity && (self.concat || view.scaler.scale() != Scale::None) {
                return said("a similarity is scaled or concatenated");
            }
        }
        let features = |v: &Prepared| (!v.similarity && !v.sequences).then(|| v.scaler.cols());
        let cols: Vec<Option<usize>> = self.views.iter().map(features).collect();
        if let Some(problem) = self.near.as_ref().and_then(|n| n.contradiction(&cols)) {
            return Err(problem.to_string());
        }
        let layout = self.views.iter().map(|view| Layout {
            name: &view.name,
            similarity: view.similarity,
            cols: view.scaler.cols(),
        });
        let mut layout: Vec<Layout<'_>> = layout.collect();
        if self.concat {
            let cols = layout.iter().map(|l| l.cols).sum();
            layout = vec![Layout { name: Self::CONCAT, similarity: false, cols }];
        }
        let given = layout.len();
        for (i, map) in self.learned.iter().enumerate() {
            let said = |problem: &str| Err(format!("the map of view '{}' {problem}", map.view()));
            if let Some(problem) = map.contradiction() {
                return said(problem);
            }
            if self.learned[..i].iter().any(|l| l.name() == map.name()) {
                return said("is given twice");
            }
            let Some(at) = layout[..given].iter().position(|l| l.name == map.view()) else {
                return said("has no such view");
            };
            let from = &layout[at];
            // The columns of a view that is mapped itself, too, are no more those it had.
            let mut before = self.learned[..i].iter().filter(|l| !l.is_beside());
            if before.any(|l| l.view() == map.view()) {
                return said("comes after another of the same view");
            }
            if from.similarity || from.cols != map.shape().0 {
                return said("has not one row for each column of it");
            }
            let cols = map.shape().1;
            if !map.is_beside() {
                layout[at].cols = cols;
                continue;
            }
            if layout.iter().any(|l| l.name == map.name()) {
                return said("makes a view that is there already");
            }
            layout.push(Layout { name: map.name(), similarity: false, cols });
        }
        Ok(layout)
    }

    /// The names of the views that must be given.
    pub fn names(&self) -> Vec<&str> {
        self.views.iter().map(|v| v.name.as_str()).collect()
    }

    /// How feature views are scaled.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Whether feature views are put side by side.
    pub fn concat(&self) -> bool {
        self.concat
    }

    /// Whether prepared views are the given ones.
    pub fn is_identity(&self) -> bool {
        self.scale == Scale::None && !self.concat && self.learned.is_empty()
    }

    /// Sentences about the training data that a user should read: constant columns, and
    /// concatenated views whose scales differ by more than 100 ×.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

impl Prepared {
    /// The table of a view that fits what training had, or why it does not.
    fn check(&self, view: &View) -> Result<Table> {
        let what = format!("view '{}'", self.name);
        let then = match (self.similarity, self.sequences) {
            (true, _) => "a similarity",
            (_, true) => "a list of sequences",
            _ => "a table of features",
        };
        let (similarity, now) = (view.table.is_similarity(), view.table.words());
        if now != then {
            return Err(Error::Data(format!("{what} is {now}, but was {then} in training")));
        }
        let (found, expected) = (view.table.cols(), self.scaler.cols());
        if let (Table::Sparse(m), true) = (&view.table, found < expected) {
            return Ok(Table::Sparse(m.widened(expected)));
        }
        if found != expected && similarity {
            let expected = format!("{expected} columns, one for each training instance");
            return Err(Error::shape(what, expected, found));
        }
        if found != expected {
            return Err(Error::shape(what, format!("{expected} columns as in training"), found));
        }
        if let (Some(then), Some(now)) = (&self.columns, &view.columns)
            && let Some(j) = (0..expected).find(|&j| then.get(j) != now.get(j))
        {
            return Err(Error::Data(format!(
                "{what}: column {} is '{}' but was '{}' in training; \
                 the columns must have the same order",
                j + 1,
                now[j],
                then.get(j).map_or("", String::as_str)
            )));
        }
        Ok(view.table.clone())
    }
}

/// All views as one; an instance is present if it has all of them.
fn concatenated(views: &[View]) -> Result<View> {
    let rows = views.first().map_or(0, |v| v.table.rows());
    let cols = views.iter().map(|v| v.table.cols()).sum();
    let dense = views.iter().map(|v| match &v.table {
        Table::Dense(m) => Some(m),
        _ => None,
    });
    let table = match dense.collect::<Option<Vec<_>>>() {
        Some(parts) => Table::Dense(side_by_side(&parts)),
        None => Table::Sparse(sparse_side_by_side(views, rows, cols)?),
    };
    let columns = views
        .iter()
        .map(|v| Some(v.columns.as_ref()?.iter().map(|c| format!("{}.{c}", v.name))))
        .collect::<Option<Vec<_>>>()
        .map(|parts| parts.into_iter().flatten().collect());
    let masks: Vec<&Vec<bool>> = views.iter().filter_map(|v| v.present.as_ref()).collect();
    let present =
        (!masks.is_empty()).then(|| (0..rows).map(|i| masks.iter().all(|m| m[i])).collect());
    Ok(View { name: Preparation::CONCAT.to_string(), table, columns, present })
}

fn sparse_side_by_side(views: &[View], rows: usize, cols: usize) -> Result<Csr> {
    if u32::try_from(cols).is_err() {
        return Err(Error::Data(format!("the views have {cols} columns together: too many")));
    }
    let mut starts = vec![0];
    let (mut indices, mut values) = (Vec::new(), Vec::new());
    for i in 0..rows {
        let mut offset = 0_u32;
        for view in views {
            match &view.table {
                Table::Dense(m) | Table::Similarity(m) => {
                    for (j, &x) in m.row(i).iter().enumerate().filter(|(_, x)| **x != 0.0) {
                        indices.push(offset + j as u32);
                        values.push(x);
                    }
                }
                Table::Sequences(_) => {}
                Table::Sparse(m) | Table::Graph(m) => {
                    let (c, v) = m.row(i);
                    indices.extend(c.iter().map(|j| offset + j));
                    values.extend_from_slice(v);
                }
            }
            offset += view.table.cols() as u32;
        }
        starts.push(indices.len());
    }
    Csr::from_parts(cols, starts, indices, values)
}

/// A column by its name, or by its number from 1 on.
fn column_of(view: &View, j: usize) -> String {
    match view.columns.as_ref().and_then(|c| c.get(j)) {
        Some(column) => format!("'{column}'"),
        None => (j + 1).to_string(),
    }
}

/// How many times farther from the median than three quarters of the values one must be to be called extreme.
const EXTREME: f64 = 1e6;

/// Rows, evenly spaced, by which it is judged which columns are looked at as a whole.
const LOOKED_AT: usize = 64;

/// Says in which columns a few values are so large that scaling leaves nothing of what tells the others apart.
fn extreme_note(view: &View, scaler: &Scaler) -> Option<String> {
    let Table::Dense(m) = &view.table else { return None };
    if scaler.scale() == Scale::None {
        return None;
    }
    let present = |i: &usize| view.present.as_ref().is_none_or(|p| p[*i]);
    let rows: Vec<usize> = (0..m.rows()).filter(present).collect();
    let some: Vec<usize> = rows.iter().step_by(rows.len().div_ceil(LOOKED_AT)).copied().collect();
    // The median, and how far three quarters of the values are from it at most.
    let spread = |j: usize, rows: &[usize]| {
        let mut values: Vec<f64> = rows.iter().map(|i| m.get(*i, j)).collect();
        values.sort_unstable_by(f64::total_cmp);
        let median = values[values.len() / 2];
        let mut off: Vec<f64> = values.iter().map(|v| (v - median).abs()).collect();
        off.sort_unstable_by(f64::total_cmp);
        Some((median, off[3 * off.len() / 4])).filter(|(_, near)| *near > 0.0)
    };
    let far = |j: usize| {
        let (median, near) = spread(j, &rows)?;
        let off = |v: &f64| (v - median).abs() > EXTREME * near;
        let found: Vec<f64> = rows.iter().map(|i| m.get(*i, j)).filter(off).collect();
        Some((j, found)).filter(|(_, found)| !found.is_empty())
    };
    let root = 2.0 * (rows.len() as f64).sqrt();
    let suspect = |j: &usize| {
        let range = scaler.divisor(*j).map_or(0.0, |d| root * d);
        spread(*j, &some).is_some_and(|(_, near)| range > EXTREME * near)
    };
    let all: Vec<(usize, Vec<f64>)> = (0..m.cols()).filter(suspect).filter_map(far).collect();
    let (j, found) = all.first()?;
    let column = column_of(view, *j);
    let (count, n, value) = (found.len(), rows.len(), found[0]);
    let verb = if count == 1 { "is" } else { "are" };
    let more = match all.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more such"),
    };
    Some(format!(
        "view '{}', column {column}{more}: {count} of {n} values {verb} more than a million times as far from \
         the others as most of these are from each other ({value:e}), so that the others are all alike when \
         they are scaled; if such numbers stand for missing values, leave these instances out, otherwise scale \
         the features by ranks or logarithms",
        view.name
    ))
}

fn constant_note(view: &View, scaler: &Scaler) -> Option<String> {
    let name = |j: &usize| column_of(view, *j);
    let constant = scaler.constant();
    let shown: Vec<String> = constant.iter().take(5).map(name).collect();
    let more = if constant.len() > 5 { ", …" } else { "" };
    (!constant.is_empty()).then(|| {
        format!(
            "view '{}': {} of {} columns have one value only (column {}{more})",
            view.name,
            constant.len(),
            scaler.cols(),
            shown.join(", ")
        )
    })
}

/// A warning if the typical spread of a column differs between views by more than 100 ×.
fn scale_note(views: &Views) -> Result<Option<String>> {
    let mut spreads = Vec::new();
    for view in views.iter() {
        if view.table.cols() > MAX_COLS {
            continue;
        }
        let mut deviation = Moments::of(&view.table, view.present.as_deref())?.deviation;
        deviation.retain(|d| *d > 0.0);
        deviation.sort_by(f64::total_cmp);
        if !deviation.is_empty() {
            spreads.push((deviation[deviation.len() / 2], view.name.as_str()));
        }
    }
    let small = spreads.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let large = spreads.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(small), Some(large)) = (small, large) else { return Ok(None) };
    let ratio = large.0 / small.0;
    Ok((ratio > 100.0).then(|| {
        format!(
            "concatenated views differ in scale: the median column of view '{}' has standard \
             deviation {:.3e}, that of view '{}' {:.3e} ({ratio:.0} ×); the larger one hides the \
             smaller one unless the columns are scaled (standard)",
            large.1, large.0, small.1, small.0
        )
    }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Matrix;

    fn column(values: &[f64]) -> Matrix {
        Matrix::new(values.len(), 1, values.to_vec()).unwrap()
    }

    /// One row of 10²⁰ made all others alike, and the message said that too many rows are equal.
    #[test]
    fn extreme_values_are_named_before_they_are_scaled() {
        let value = |far: f64| {
            move |i: usize, j: usize| match (i, j) {
                (5, 1) => far,
                _ => ((7 * i + 3 * j) as f64).sin(),
            }
        };
        let notes = |far: f64, scale: Scale| {
            let table = Matrix::from_fn(200, 3, value(far));
            let views = Views::new().dense("a", table).unwrap();
            Preparation::fit(&views, scale, false).unwrap().notes().to_vec()
        };
        for scale in [Scale::Standard, Scale::MinMax] {
            let found = notes(-1e20, scale);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with("view 'a', column 2: 1 of 200 values is"), "{found:?}");
            assert!(found[0].contains("from each other (-1e20), so"), "{found:?}");
            assert!(notes(1e3, scale).is_empty());
        }
        assert!(notes(-1e20, Scale::None).is_empty());
    }

    fn dense(views: &Views, name: &str) -> Matrix {
        match &views.get(name).unwrap().table {
            Table::Dense(m) => m.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn concatenation_is_learned_once_and_redone() {
        let a = Matrix::from_fn(3, 2, |i, j| (i * (j + 1)) as f64);
        let train = Views::new()
            .dense("a", a)
            .unwrap()
            .with("b", Table::Sparse(Csr::from_rows(1, vec![vec![(0, 8.0)]; 3]).unwrap()))
            .unwrap();
        let p = Preparation::fit(&train, Scale::MinMax, true).unwrap();
        assert!(p.notes()[0].starts_with("view 'b': 1 of 1 columns have one value only"));
        let new = Views::new()
            .with("b", Table::Sparse(Csr::from_rows(1, vec![vec![(0, 2.0)]]).unwrap()))
            .unwrap()
            .dense("other", column(&[0.0]))
            .unwrap()
            .dense("a", Matrix::new(1, 2, vec![1.0, 8.0]).unwrap())
            .unwrap();
        let out = p.apply(&new).unwrap();
        assert_eq!((out.len(), out.n()), (1, 1));
        let Table::Sparse(m) = &out.get("concat").unwrap().table else { panic!("sparse") };
        assert_eq!(m.to_dense().values(), [0.5, 2.0, 2.0]);
        let text = serde_json::to_string(&p).unwrap();
        assert_eq!(serde_json::from_str::<Preparation>(&text).unwrap(), p);
    }

    #[test]
    fn concatenation_keeps_names_and_masks() {
        let view = |name: &str, absent: usize| View {
            name: name.into(),
            table: Table::Dense(column(&[1.0, 2.0, 3.0])),
            columns: Some(vec!["x".into()]),
            present: Some((0..3).map(|i| i != absent).collect()),
        };
        let mut views = Views::new();
        views.push(view("a", 0)).unwrap();
        views.push(view("b", 2)).unwrap();
        let p = Preparation::fit(&views, Scale::None, true).unwrap();
        let out = p.apply(&views).unwrap();
        let concat = out.get("concat").unwrap();
        assert_eq!(concat.columns.as_deref().unwrap(), ["a.x", "b.x"]);
        assert_eq!(concat.present.as_deref().unwrap(), [false, true, false]);
        assert_eq!(out.complete_rows(), [1]);
    }

    #[test]
    fn raw_concatenation_warns_about_scales_beyond_a_hundred() {
        let views = |factor: f64| {
            Views::new()
                .dense("a", column(&[-1.0, 1.0]))
                .unwrap()
                .dense("b", column(&[-factor, factor]))
                .unwrap()
        };
        let notes =
            |factor, scale| Preparation::fit(&views(factor), scale, true).unwrap().notes().to_vec();
        assert!(notes(1000.0, Scale::None)[0].contains("view 'b' has standard deviation 1.000e3"));
        assert!(notes(1000.0, Scale::None)[0].contains("(1000 ×)"));
        assert!(notes(100.0, Scale::None).is_empty());
        assert!(notes(1000.0, Scale::Standard).is_empty());
    }

    #[test]
    fn without_scaling_values_pass_unchanged() {
        let k = Table::Similarity(Matrix::from_fn(2, 2, |i, j| (i + j) as f64));
        let mut views =
            Views::new().dense("a", column(&[1e300, -3.0])).unwrap().with("k", k).unwrap();
        views.set_ids(vec!["p".into(), "q".into()]).unwrap();
        let p = Preparation::fit(&views, Scale::None, false).unwrap();
        assert!(p.is_identity());
        assert_eq!(p.apply(&views).unwrap(), views);
        let p = Preparation::fit(&views.select(&[1]), Scale::Standard, false).unwrap();
        assert_eq!(dense(&p.apply(&views.select_new(&[0], &[1])).unwrap(), "a").values().len(), 1);
    }
}
