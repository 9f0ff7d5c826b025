//! Stages that look at the features of new rows themselves.

use crate::data::{Matrix, Table, View, Views};
use crate::multiview::anchor_graph::Anchors;
use crate::multiview::concat_kmeans::dense_features;
use crate::solve::dense::{self, Slice};
use crate::{Error, Result, Run};

/// Z A for the graph Z between new rows and the anchors of a view.
pub(super) fn joined_times(
    views: &Views,
    name: &str,
    anchors: &Anchors,
    a: &Matrix,
) -> Result<Matrix> {
    let view = present_features(views, name, anchors.points.cols())?;
    let x = dense_features(view, &Run::default())?;
    let all: Vec<usize> = (0..x.rows()).collect();
    let mut out = Matrix::zeros(x.rows(), a.cols());
    for (i, z) in anchors.join(&x, &all).into_iter().enumerate() {
        for (j, z) in z {
            out.row_mut(i).iter_mut().zip(a.row(j as usize)).for_each(|(o, w)| *o += z * w);
        }
    }
    Ok(out)
}

/// A view that all new rows have, with so many columns.
fn present_features<'a>(views: &'a Views, name: &str, expected: usize) -> Result<&'a View> {
    let view = views.get(name)?;
    let what = format!("view '{name}'");
    if view.present.as_ref().is_some_and(|p| p.contains(&false)) {
        return Err(Error::Data(format!("{what} is missing for some new rows; all are needed")));
    }
    let found = view.table.cols();
    if found != expected {
        return Err(Error::shape(what, format!("{expected} columns as in training"), found));
    }
    Ok(view)
}

/// X A for the features X of a view and A with as many rows as they have columns, or X itself if A
/// has none.
pub(super) fn features_times(views: &Views, name: &str, a: &Matrix) -> Result<Matrix> {
    let view = present_features(views, name, if a.rows() > 0 { a.rows() } else { a.cols() })?;
    match &view.table {
        Table::Similarity(_) | Table::Graph(_) | Table::Sequences(_) => {
            let found = view.table.words();
            Err(Error::Data(format!("view '{name}' is {found}; features are needed")))
        }
        Table::Dense(x) if a.rows() == 0 => Ok(x.clone()),
        Table::Sparse(x) if a.rows() == 0 => x.try_to_dense(),
        Table::Dense(x) => Ok(dense::product(Slice::of(x), Slice::of(a))),
        Table::Sparse(x) => {
            let mut out = Matrix::zeros(x.rows(), a.cols());
            for i in 0..x.rows() {
                let (columns, values) = x.row(i);
                for (&j, &v) in columns.iter().zip(values) {
                    out.row_mut(i).iter_mut().zip(a.row(j as usize)).for_each(|(o, w)| *o += v * w);
                }
            }
            Ok(out)
        }
    }
}
