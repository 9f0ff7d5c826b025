//! [`Views`]: several named descriptions of the same n instances.

use super::{Csr, Matrix, Sequences, scan};
use crate::{Error, Result};

/// The content of a view.
#[derive(Debug, Clone, PartialEq)]
pub enum Table {
    /// Features, n × d.
    Dense(Matrix),
    /// Features, n × d, sparse.
    Sparse(Csr),
    /// Similarities: n × n between the instances themselves; or, for new instances, n_new × n
    /// to the n training instances.
    Similarity(Matrix),
    /// A similarity of which most entries are 0, shaped as [`Similarity`](Self::Similarity): a
    /// graph whose edges are the stored entries.
    Graph(Csr),
    /// A text for each instance, for string kernels.
    Sequences(Sequences),
}

impl Table {
    /// Number of instances (rows).
    pub fn rows(&self) -> usize {
        match self {
            Table::Dense(m) | Table::Similarity(m) => m.rows(),
            Table::Sparse(m) | Table::Graph(m) => m.rows(),
            Table::Sequences(s) => s.rows(),
        }
    }

    /// Number of columns; sequences are one.
    pub fn cols(&self) -> usize {
        match self {
            Table::Dense(m) | Table::Similarity(m) => m.cols(),
            Table::Sparse(m) | Table::Graph(m) => m.cols(),
            Table::Sequences(_) => 1,
        }
    }

    /// Whether it holds features: a number in each column of each instance.
    pub fn is_features(&self) -> bool {
        matches!(self, Table::Dense(_) | Table::Sparse(_))
    }

    /// What it holds, in words.
    pub fn words(&self) -> &'static str {
        match self {
            Table::Dense(_) | Table::Sparse(_) => "a table of features",
            Table::Similarity(_) | Table::Graph(_) => "a similarity",
            Table::Sequences(_) => "a list of sequences",
        }
    }

    /// Whether it holds similarities between instances, not features.
    pub fn is_similarity(&self) -> bool {
        matches!(self, Table::Similarity(_) | Table::Graph(_))
    }

    /// The same table, whose clones share dense values until they are changed.
    fn shared(&self) -> Table {
        match self {
            Table::Dense(m) => Table::Dense(m.shared()),
            Table::Similarity(m) => Table::Similarity(m.shared()),
            sparse => sparse.clone(),
        }
    }

    /// The rows with these indices; a square similarity stays n_rows × n here (see
    /// [`Views::select`] for both axes).
    pub fn select_rows(&self, rows: &[usize]) -> Table {
        match self {
            Table::Dense(m) => Table::Dense(m.select_rows(rows)),
            Table::Sparse(m) => Table::Sparse(m.select_rows(rows)),
            Table::Similarity(m) => Table::Similarity(m.select_rows(rows)),
            Table::Graph(m) => Table::Graph(m.select_rows(rows)),
            Table::Sequences(s) => Table::Sequences(s.select_rows(rows)),
        }
    }

    /// The columns with these indices; sequences stay as they are.
    pub fn select_cols(&self, cols: &[usize]) -> Table {
        match self {
            Table::Dense(m) => Table::Dense(m.select_cols(cols)),
            Table::Sparse(m) => Table::Sparse(m.select_cols(cols)),
            Table::Similarity(m) => Table::Similarity(m.select_cols(cols)),
            Table::Graph(m) => Table::Graph(m.select_cols(cols)),
            Table::Sequences(s) => Table::Sequences(s.clone()),
        }
    }

    /// Columns of similarities that are NaN in all rows that there are, ascending: those towards instances that lack the view.
    pub(crate) fn unknown_columns(&self, present: Option<&[bool]>) -> Vec<usize> {
        let Table::Similarity(m) = self else { return Vec::new() };
        if scan(m.values()).1 {
            return Vec::new();
        }
        let rows: Vec<usize> = (0..m.rows()).filter(|i| present.is_none_or(|p| p[*i])).collect();
        if rows.is_empty() {
            return Vec::new();
        }
        let unknown = |j: &usize| rows.iter().all(|i| m.get(*i, *j).is_nan());
        let all: Vec<usize> = (0..m.cols()).filter(unknown).collect();
        // Rows that are NaN throughout are those of instances that lack the view.
        if all.len() == m.cols() { Vec::new() } else { all }
    }

    fn first_not_finite(&self) -> Option<(usize, usize)> {
        match self {
            Table::Dense(m) | Table::Similarity(m) => {
                if scan(m.values()).1 {
                    return None;
                }
                m.values().iter().position(|v| !v.is_finite()).map(|p| (p / m.cols(), p % m.cols()))
            }
            Table::Sparse(m) | Table::Graph(m) => (0..m.rows()).find_map(|i| {
                let (c, v) = m.row(i);
                v.iter().position(|x| !x.is_finite()).map(|p| (i, c[p] as usize))
            }),
            Table::Sequences(_) => None,
        }
    }
}

/// One named description of the instances.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// The name by which kernels refer to it.
    pub name: String,
    /// Its content.
    pub table: Table,
    /// Column names, where the source had them.
    pub columns: Option<Vec<String>>,
    /// Which instances have this view; `None` means all. Rows of absent instances are not read,
    /// nor their columns in a square similarity.
    pub present: Option<Vec<bool>>,
}

/// What stands in for the features of instances that lack a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// Zeros.
    Zero,
    /// The mean of each column over the instances that have the view.
    Mean,
}

impl View {
    /// Whether instance i has it.
    pub fn has(&self, i: usize) -> bool {
        self.present.as_ref().is_none_or(|p| p[i])
    }

    /// Refuses similarities among instances of which one has the view and nobody is compared with it.
    ///
    /// # Errors
    /// Names the first such instance.
    pub(crate) fn require_known(&self) -> Result<()> {
        let unknown = self.table.unknown_columns(self.present.as_deref());
        match unknown.into_iter().find(|j| self.table.rows() == self.table.cols() && self.has(*j)) {
            None => Ok(()),
            Some(j) => Err(not_finite(&self.name, (j, j))),
        }
    }

    /// One row of features that stands for that of instances that lack the view; `None` for a similarity and for
    /// sequences, which have none.
    pub(crate) fn stand_in(&self, fill: Fill) -> Option<Vec<f64>> {
        let mut row = vec![0.0; self.table.cols()];
        let kept: Vec<usize> = (0..self.table.rows()).filter(|i| self.has(*i)).collect();
        let known = kept.len() as f64;
        match &self.table {
            Table::Similarity(_) | Table::Graph(_) | Table::Sequences(_) => return None,
            Table::Dense(m) if fill == Fill::Mean => {
                for &i in &kept {
                    row.iter_mut().zip(m.row(i)).for_each(|(r, x)| *r += x / known);
                }
            }
            Table::Sparse(m) if fill == Fill::Mean => {
                for &i in &kept {
                    let (c, v) = m.row(i);
                    c.iter().zip(v).for_each(|(&j, x)| row[j as usize] += x / known);
                }
            }
            Table::Dense(_) | Table::Sparse(_) => {}
        }
        Some(row)
    }

    /// Puts this row in the place of the features of all instances that lack the view, which is complete then.
    ///
    /// # Errors
    /// As [`Csr::from_rows`].
    pub(crate) fn put(&mut self, row: &[f64]) -> Result<()> {
        let Some(present) = self.present.take() else { return Ok(()) };
        match &mut self.table {
            Table::Dense(m) => {
                for i in (0..present.len()).filter(|&i| !present[i]) {
                    m.row_mut(i).copy_from_slice(row);
                }
            }
            Table::Sparse(m) => {
                let cells: Vec<(u32, f64)> =
                    (0_u32..).zip(row.iter().copied()).filter(|(_, x)| *x != 0.0).collect();
                let rows = (0..present.len()).map(|i| {
                    let (c, v) = m.row(i);
                    let own = c.iter().copied().zip(v.iter().copied());
                    if present[i] { own.collect() } else { cells.clone() }
                });
                *m = Csr::from_rows(m.cols(), rows.collect())?;
            }
            Table::Similarity(_) | Table::Graph(_) | Table::Sequences(_) => {
                self.present = Some(present);
            }
        }
        Ok(())
    }
}

/// Named views over the same n instances.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Views {
    n: usize,
    ids: Option<Vec<String>>,
    views: Vec<View>,
}

impl Views {
    /// No views yet.
    pub fn new() -> Self {
        Views::default()
    }

    /// The same views, whose clones share the values of dense tables until they are changed.
    pub(crate) fn shared(&self) -> Self {
        let views = self.views.iter().map(|view| View {
            name: view.name.clone(),
            table: view.table.shared(),
            columns: view.columns.clone(),
            present: view.present.clone(),
        });
        Views { n: self.n, ids: self.ids.clone(), views: views.collect() }
    }

    /// Adds a view in which every instance is present.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn with(mut self, name: impl Into<String>, table: Table) -> Result<Self> {
        self.push(View { name: name.into(), table, columns: None, present: None })?;
        Ok(self)
    }

    /// Adds a dense feature view in which every instance is present.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn dense(self, name: impl Into<String>, features: Matrix) -> Result<Self> {
        self.with(name, Table::Dense(features))
    }

    /// Adds a view.
    ///
    /// # Errors
    /// The name is taken, the number of rows differs from that of the views before, the mask has
    /// the wrong length, the table has no columns, or a present row holds a value that is not
    /// finite. A view that no instance has is none: what learns from the views refuses it. Of similarities to others, a
    /// column may be NaN throughout: that training instance lacks the view, which [`Model::predict`](crate::model::Model::predict)
    /// checks.
    pub fn push(&mut self, view: View) -> Result<()> {
        let what = format!("view '{}'", view.name);
        if view.name.is_empty() {
            return Err(Error::Data("a view must have a name".to_string()));
        }
        if self.views.iter().any(|v| v.name == view.name) {
            return Err(Error::Data(format!("{what} is given twice; view names must differ")));
        }
        let rows = view.table.rows();
        if !self.views.is_empty() && rows != self.n {
            let expected = format!("{} rows like view '{}'", self.n, self.views[0].name);
            return Err(Error::shape(what, expected, format!("{rows} rows")));
        }
        if rows == 0 || view.table.cols() == 0 {
            let found = format!("{rows} × {}", view.table.cols());
            return Err(Error::shape(what, "at least one row and one column", found));
        }
        if let Some(columns) = &view.columns
            && columns.len() != view.table.cols()
        {
            let expected = format!("{} column names", view.table.cols());
            return Err(Error::shape(what, expected, columns.len()));
        }
        let problem = |place| not_finite(&view.name, place);
        let unknown = view.table.unknown_columns(view.present.as_deref());
        match &view.present {
            _ if !unknown.is_empty() => {
                let known: Vec<usize> =
                    (0..view.table.cols()).filter(|j| unknown.binary_search(j).is_err()).collect();
                let kept: Vec<usize> = (0..rows).filter(|&i| view.has(i)).collect();
                let there = view.table.select_rows(&kept).select_cols(&known);
                if let Some((i, j)) = there.first_not_finite() {
                    return Err(problem((kept[i], known[j])));
                }
            }
            None => {
                if let Some(place) = view.table.first_not_finite() {
                    return Err(problem(place));
                }
            }
            Some(mask) => {
                if mask.len() != rows {
                    return Err(Error::shape(what, format!("a mask of length {rows}"), mask.len()));
                }
                let kept: Vec<usize> = (0..rows).filter(|&i| mask[i]).collect();
                let present = view.table.select_rows(&kept);
                if view.table.is_similarity() && rows == view.table.cols() {
                    if let Some((i, j)) = present.select_cols(&kept).first_not_finite() {
                        return Err(problem((kept[i], kept[j])));
                    }
                } else if let Some((i, j)) = present.first_not_finite() {
                    return Err(problem((kept[i], j)));
                }
            }
        }
        self.n = rows;
        self.views.push(view);
        Ok(())
    }

    /// Number of instances.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Number of views.
    pub fn len(&self) -> usize {
        self.views.len()
    }

    /// Whether there is no view.
    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// The views in order.
    pub fn iter(&self) -> impl Iterator<Item = &View> {
        self.views.iter()
    }

    /// The view with this name.
    ///
    /// # Errors
    /// No such view; the error lists all and suggests the closest.
    pub fn get(&self, name: &str) -> Result<&View> {
        self.views
            .iter()
            .find(|v| v.name == name)
            .ok_or_else(|| Error::unknown("view", name, self.views.iter().map(|v| &v.name)))
    }

    /// Names of the instances, where they have some.
    pub fn ids(&self) -> Option<&[String]> {
        self.ids.as_deref()
    }

    /// What instance i is called: its row, and its name where it has one.
    pub(crate) fn instance(&self, i: usize) -> String {
        match &self.ids {
            Some(ids) => format!("instance {i} ('{}')", ids[i]),
            None => format!("instance {i}"),
        }
    }

    /// Names the instances.
    ///
    /// # Errors
    /// The number of names is not n, or a name appears twice.
    pub fn set_ids(&mut self, ids: Vec<String>) -> Result<()> {
        if ids.len() != self.n {
            return Err(Error::shape("instance ids", self.n, ids.len()));
        }
        let mut seen = std::collections::HashSet::new();
        if let Some(id) = ids.iter().find(|id| !seen.insert(id.as_str())) {
            return Err(Error::Match(format!("id '{id}' appears twice")));
        }
        self.ids = Some(ids);
        Ok(())
    }

    /// The instances with these indices, as a training set: similarities are cut on both axes.
    pub fn select(&self, rows: &[usize]) -> Views {
        self.cut(rows, Some(rows))
    }

    /// The instances with these indices, as new instances to be compared with the training
    /// instances `training`: similarities become `rows` × `training`.
    pub fn select_new(&self, rows: &[usize], training: &[usize]) -> Views {
        self.cut(rows, Some(training))
    }

    /// The instances with these indices; of similarities all columns.
    pub(crate) fn rows(&self, rows: &[usize]) -> Views {
        self.cut(rows, None)
    }

    fn cut(&self, rows: &[usize], training: Option<&[usize]>) -> Views {
        let views = self
            .views
            .iter()
            .map(|v| View {
                name: v.name.clone(),
                table: match (v.table.select_rows(rows), training) {
                    (table, Some(t)) if table.is_similarity() => table.select_cols(t),
                    (table, _) => table,
                },
                columns: if v.table.is_similarity() { None } else { v.columns.clone() },
                present: v.present.as_ref().map(|p| rows.iter().map(|&i| p[i]).collect()),
            })
            .collect();
        let ids = self.ids.as_ref().map(|ids| rows.iter().map(|&i| ids[i].clone()).collect());
        Views { n: rows.len(), ids, views }
    }

    /// Number of instances that lack each view, for the views that lack some.
    pub fn missing(&self) -> Vec<(&str, usize)> {
        self.views
            .iter()
            .filter_map(|v| {
                let absent = v.present.as_ref()?.iter().filter(|p| !**p).count();
                (absent > 0).then_some((v.name.as_str(), absent))
            })
            .collect()
    }

    /// Indices of the instances that have every view.
    pub fn complete_rows(&self) -> Vec<usize> {
        (0..self.n)
            .filter(|&i| self.views.iter().all(|v| v.present.as_ref().is_none_or(|p| p[i])))
            .collect()
    }

    /// Complete views: rows of instances that lack a feature view are filled.
    ///
    /// # Errors
    /// A view of similarities or sequences is incomplete: they have no neutral value.
    pub fn fill_missing(&self, fill: Fill) -> Result<Views> {
        self.filled(fill, |_| true)
    }

    /// [`fill_missing`](Self::fill_missing) for feature views only; others stay incomplete.
    ///
    /// # Errors
    /// As [`Csr::from_rows`].
    pub fn fill_features(&self, fill: Fill) -> Result<Views> {
        self.filled(fill, Table::is_features)
    }

    /// The same, whose features all are there: something stands for them already.
    pub(crate) fn with_features_known(mut self) -> Views {
        let features = self.views.iter_mut().filter(|v| v.table.is_features());
        features.for_each(|v| v.present = None);
        self
    }

    fn filled(&self, fill: Fill, wanted: impl Fn(&Table) -> bool) -> Result<Views> {
        let mut filled = self.clone();
        for view in filled.views.iter_mut().filter(|v| wanted(&v.table)) {
            let absent = view.present.iter().flatten().filter(|p| !**p).count();
            if absent == 0 {
                view.present = None;
                continue;
            }
            let row = view.stand_in(fill).ok_or_else(|| cannot_fill(view, absent))?;
            view.put(&row)?;
        }
        Ok(filled)
    }

    /// An error if any instance lacks a view.
    ///
    /// # Errors
    /// Names the first view that is incomplete and the first instance that lacks it.
    pub fn require_complete(&self) -> Result<()> {
        for v in &self.views {
            if let Some(row) = v.present.as_ref().and_then(|p| p.iter().position(|x| !x)) {
                let absent = self.missing().iter().find(|m| m.0 == v.name).map_or(0, |m| m.1);
                return Err(Error::Data(format!(
                    "view '{}' is missing for {absent} of {} instances (first: row {row}); this \
                     method needs every view: leave these instances out of all views, labels and \
                     weights (a view is missing where its row has no number, or a mask says so)",
                    v.name, self.n
                )));
            }
        }
        Ok(())
    }
}

fn not_finite(view: &str, (row, column): (usize, usize)) -> Error {
    Error::Value {
        what: format!("view '{view}'"),
        row,
        column,
        problem: "not a finite number; remove the row, or mark it as missing".to_string(),
    }
}

/// Says that a similarity or sequences are no features.
pub(crate) fn cannot_fill(view: &View, absent: usize) -> Error {
    Error::Data(format!(
        "view '{}' is {} and is missing for {absent} instances; {} cannot be filled: keep the \
         complete instances only, or estimate them from the other views",
        view.name,
        view.table.words(),
        if view.table.is_similarity() { "similarities" } else { "sequences" }
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn refuses_values_by_view_row_and_column() {
        let mut m = Matrix::zeros(3, 2);
        m.set(2, 1, f64::NAN);
        let e = Views::new().dense("gene", m).unwrap_err();
        assert!(e.to_string().starts_with("view 'gene', row 2, column 1: not a finite"), "{e}");
    }

    #[test]
    fn masked_rows_are_not_read() {
        let mut m = Matrix::zeros(3, 2);
        m.set(1, 0, f64::NAN);
        let view = View {
            name: "a".into(),
            table: Table::Dense(m),
            columns: None,
            present: Some(vec![true, false, true]),
        };
        let mut views = Views::new();
        views.push(view).unwrap();
        assert_eq!(views.missing(), [("a", 1)]);
        assert_eq!(views.complete_rows(), [0, 2]);
        assert!(views.require_complete().unwrap_err().to_string().contains("first: row 1"));
        assert!(views.select(&[0, 2]).require_complete().is_ok());
    }

    #[test]
    fn filled_views_are_complete() {
        let m = Matrix::new(3, 2, vec![1.0, 0.0, f64::NAN, f64::NAN, 3.0, 0.0]).unwrap();
        let sparse = vec![vec![(0, 1.0)], vec![(1, 9.0)], vec![(0, 3.0)]];
        let present = Some(vec![true, false, true]);
        let mut views = Views::new();
        for (name, table) in
            [("d", Table::Dense(m)), ("s", Table::Sparse(Csr::from_rows(2, sparse).unwrap()))]
        {
            let view = View { name: name.into(), table, columns: None, present: present.clone() };
            views.push(view).unwrap();
        }
        for (fill, value) in [(Fill::Zero, 0.0), (Fill::Mean, 2.0)] {
            let filled = views.fill_missing(fill).unwrap();
            filled.require_complete().unwrap();
            let expected = Matrix::new(3, 2, vec![1.0, 0.0, value, 0.0, 3.0, 0.0]).unwrap();
            let Table::Sparse(s) = &filled.get("s").unwrap().table else { panic!("sparse") };
            assert_eq!(s.to_dense(), expected);
            assert_eq!(filled.get("d").unwrap().table, Table::Dense(expected));
        }
    }

    #[test]
    fn similarities_are_cut_on_both_axes() {
        let k = Matrix::from_fn(3, 3, |i, j| (10 * i + j) as f64);
        let views = Views::new().with("s", Table::Similarity(k)).unwrap();
        let new = views.select_new(&[1], &[2, 0]);
        assert_eq!(
            new.get("s").unwrap().table,
            Table::Similarity(Matrix::new(1, 2, vec![12.0, 10.0]).unwrap())
        );
    }
}
