//! [`LearnedView`]: a linear map of the features of a view, or a factor for each of them, learned by a method.

use super::{Csr, Matrix, Table, View, Views};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A view whose features x (of d columns, as the scaling left them) become xW of r columns before kernels
/// are computed. Methods that learn projections or widths give them; the [`Preparation`](super::Preparation) of a
/// model keeps them and redoes them for new instances.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedView {
    view: String,
    /// The name of what it becomes, where the view stays beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    beside: Option<String>,
    map: Map,
}

/// W: in a file the one is a table, the other a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Map {
    /// Any, d × r.
    Full(Matrix),
    /// Diagonal: features keep their names, and sparse ones stay sparse.
    Factors(Vec<f64>),
}

impl LearnedView {
    /// The map W (d × r) of the features of a view.
    ///
    /// # Errors
    /// W has no row or no column, or holds a number that is not finite.
    pub fn new(view: impl Into<String>, map: Matrix) -> Result<Self> {
        LearnedView { view: view.into(), beside: None, map: Map::Full(map) }.checked()
    }

    /// A factor for each feature of a view.
    ///
    /// # Errors
    /// There is none, or one is not finite.
    pub fn scaled(view: impl Into<String>, factors: Vec<f64>) -> Result<Self> {
        LearnedView { view: view.into(), beside: None, map: Map::Factors(factors) }.checked()
    }

    /// A map whose result is a view of its own with this name: the view that is mapped stays, and may have several.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn beside(view: impl Into<String>, name: impl Into<String>, map: Matrix) -> Result<Self> {
        LearnedView { view: view.into(), beside: Some(name.into()), map: Map::Full(map) }.checked()
    }

    fn checked(self) -> Result<Self> {
        match self.contradiction() {
            None => Ok(self),
            Some(problem) => Err(Error::Data(format!("the map of view '{}' {problem}", self.view))),
        }
    }

    /// The view.
    pub fn view(&self) -> &str {
        &self.view
    }

    /// The view that it makes: one of its own, or that which it is made of.
    pub fn name(&self) -> &str {
        self.beside.as_deref().unwrap_or(&self.view)
    }

    /// Whether the view that is mapped stays.
    pub fn is_beside(&self) -> bool {
        self.beside.is_some()
    }

    /// W, d × r; `None` where there is a factor for each feature.
    pub fn map(&self) -> Option<&Matrix> {
        match &self.map {
            Map::Full(map) => Some(map),
            Map::Factors(_) => None,
        }
    }

    /// The diagonal of W, where W is diagonal: a factor for each feature.
    pub fn factors(&self) -> Option<&[f64]> {
        match &self.map {
            Map::Full(_) => None,
            Map::Factors(factors) => Some(factors),
        }
    }

    /// d and r.
    pub(super) fn shape(&self) -> (usize, usize) {
        match &self.map {
            Map::Full(map) => (map.rows(), map.cols()),
            Map::Factors(factors) => (factors.len(), factors.len()),
        }
    }

    /// Why no view can be mapped by it, as one that was read from a file may be.
    pub(super) fn contradiction(&self) -> Option<&'static str> {
        if self.shape().0 == 0 || self.shape().1 == 0 {
            return Some("is empty");
        }
        let values = match &self.map {
            Map::Full(map) => map.values(),
            Map::Factors(factors) => factors,
        };
        let finite = values.iter().all(|v| v.is_finite());
        (!finite).then_some("has an entry that is not finite")
    }

    /// XW.
    fn of(&self, table: &Table) -> Result<Table> {
        let (d, r) = self.shape();
        if table.cols() != d && !table.is_similarity() {
            let expected = format!("{d} columns, those of its map");
            return Err(Error::shape(format!("view '{}'", self.view), expected, table.cols()));
        }
        match (table, &self.map) {
            (Table::Sparse(x), Map::Full(map)) => {
                let mut out = Matrix::zeros(x.rows(), r);
                for i in 0..x.rows() {
                    let (columns, values) = x.row(i);
                    let entries = columns.iter().zip(values).map(|(j, v)| (*j as usize, *v));
                    add(map, entries, out.row_mut(i));
                }
                Ok(Table::Dense(out))
            }
            (Table::Dense(x), Map::Full(map)) => {
                let mut out = Matrix::zeros(x.rows(), r);
                for i in 0..x.rows() {
                    add(map, x.row(i).iter().copied().enumerate(), out.row_mut(i));
                }
                Ok(Table::Dense(out))
            }
            (Table::Sparse(x), Map::Factors(factors)) => Ok(Table::Sparse(times(x, factors)?)),
            (Table::Dense(x), Map::Factors(factors)) => {
                let mut out = x.clone();
                for i in 0..out.rows() {
                    out.row_mut(i).iter_mut().zip(factors).for_each(|(x, f)| *x *= f);
                }
                Ok(Table::Dense(out))
            }
            (Table::Similarity(_) | Table::Graph(_) | Table::Sequences(_), _) => {
                let problem = format!("is {}, which has no features to map", table.words());
                Err(Error::Data(format!("view '{}' {problem}", self.view)))
            }
        }
    }
}

fn add(map: &Matrix, entries: impl Iterator<Item = (usize, f64)>, out: &mut [f64]) {
    for (j, v) in entries.filter(|(_, v)| *v != 0.0) {
        out.iter_mut().zip(map.row(j)).for_each(|(o, w)| *o += v * w);
    }
}

/// The entries times the factors of their columns; those that become 0 are not stored.
fn times(x: &Csr, factors: &[f64]) -> Result<Csr> {
    let row = |i: usize| {
        let (columns, values) = x.row(i);
        let entries = columns.iter().zip(values).map(|(j, v)| (*j, v * factors[*j as usize]));
        entries.filter(|(_, v)| *v != 0.0).collect()
    };
    Csr::from_rows(x.cols(), (0..x.rows()).map(row).collect())
}

/// The views with those that are learned in the place of those they are made of, or after them. Cost: n d r for each.
pub(crate) fn mapped(views: &Views, learned: &[LearnedView]) -> Result<Views> {
    let mut out = Views::new();
    let made = |view: &View, map: &LearnedView| -> Result<View> {
        Ok(View {
            name: map.name().to_string(),
            table: map.of(&view.table)?,
            columns: view.columns.clone().filter(|_| map.factors().is_some()),
            present: view.present.clone(),
        })
    };
    for view in views.iter() {
        let own = learned.iter().filter(|l| l.view == view.name && !l.is_beside());
        out.push(match own.collect::<Vec<_>>().as_slice() {
            [] => view.clone(),
            [map] => made(view, map)?,
            _ => return Err(Error::Data(format!("view '{}' has two maps", view.name))),
        })?;
    }
    if let Some(unknown) = learned.iter().find(|l| views.get(&l.view).is_err()) {
        let known = views.iter().map(|v| v.name.as_str());
        return Err(Error::unknown("view of a map", &unknown.view, known));
    }
    for map in learned.iter().filter(|l| l.is_beside()) {
        out.push(made(views.get(&map.view)?, map)?)?;
    }
    if let Some(ids) = views.ids() {
        out.set_ids(ids.to_vec())?;
    }
    Ok(out)
}
