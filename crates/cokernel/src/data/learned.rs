//! [`LearnedView`]: a linear map of the features of a view, learned by a method.

use super::{Csr, Matrix, Table, View, Views};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A view whose features x (of d columns, as the scaling left them) become xW of r columns before kernels
/// are computed. Methods that learn projections give them; the [`Preparation`](super::Preparation) of a model
/// keeps them and redoes them for new instances.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedView {
    view: String,
    /// W, d × r.
    map: Matrix,
}

impl LearnedView {
    /// The map W (d × r) of the features of a view.
    ///
    /// # Errors
    /// W has no row or no column, or holds a number that is not finite.
    pub fn new(view: impl Into<String>, map: Matrix) -> Result<Self> {
        let found = LearnedView { view: view.into(), map };
        match found.contradiction() {
            None => Ok(found),
            Some(problem) => {
                Err(Error::Data(format!("the map of view '{}' {problem}", found.view)))
            }
        }
    }

    /// The view.
    pub fn view(&self) -> &str {
        &self.view
    }

    /// W, d × r.
    pub fn map(&self) -> &Matrix {
        &self.map
    }

    /// Why no view can be mapped by it, as one that was read from a file may be.
    pub(super) fn contradiction(&self) -> Option<&'static str> {
        if self.map.rows() == 0 || self.map.cols() == 0 {
            return Some("is empty");
        }
        let finite = self.map.values().iter().all(|v| v.is_finite());
        (!finite).then_some("has an entry that is not finite")
    }

    /// XW.
    fn of(&self, table: &Table) -> Result<Table> {
        let (d, r) = (self.map.rows(), self.map.cols());
        if table.cols() != d && !table.is_similarity() {
            let expected = format!("{d} columns, those of its map");
            return Err(Error::shape(format!("view '{}'", self.view), expected, table.cols()));
        }
        let mut out = Matrix::zeros(table.rows(), r);
        match table {
            Table::Sparse(x) => self.of_sparse(x, &mut out),
            Table::Dense(x) => {
                for i in 0..x.rows() {
                    self.add(x.row(i).iter().copied().enumerate(), out.row_mut(i));
                }
            }
            Table::Similarity(_) | Table::Graph(_) => {
                let problem = "is a similarity, which has no features to map";
                return Err(Error::Data(format!("view '{}' {problem}", self.view)));
            }
        }
        Ok(Table::Dense(out))
    }

    fn of_sparse(&self, x: &Csr, out: &mut Matrix) {
        for i in 0..x.rows() {
            let (columns, values) = x.row(i);
            let entries = columns.iter().zip(values).map(|(j, v)| (*j as usize, *v));
            self.add(entries, out.row_mut(i));
        }
    }

    fn add(&self, entries: impl Iterator<Item = (usize, f64)>, out: &mut [f64]) {
        for (j, v) in entries.filter(|(_, v)| *v != 0.0) {
            out.iter_mut().zip(self.map.row(j)).for_each(|(o, w)| *o += v * w);
        }
    }
}

/// The views with those that are learned in the place of those they are made of. Cost: n d r for each.
pub(crate) fn mapped(views: &Views, learned: &[LearnedView]) -> Result<Views> {
    let mut out = Views::new();
    for view in views.iter() {
        let maps: Vec<&LearnedView> = learned.iter().filter(|l| l.view == view.name).collect();
        out.push(match maps.as_slice() {
            [] => view.clone(),
            [map] => View {
                name: view.name.clone(),
                table: map.of(&view.table)?,
                columns: None,
                present: view.present.clone(),
            },
            _ => return Err(Error::Data(format!("view '{}' has two maps", view.name))),
        })?;
    }
    if let Some(unknown) = learned.iter().find(|l| views.get(&l.view).is_err()) {
        let known = views.iter().map(|v| v.name.as_str());
        return Err(Error::unknown("view of a map", &unknown.view, known));
    }
    if let Some(ids) = views.ids() {
        out.set_ids(ids.to_vec())?;
    }
    Ok(out)
}
