//! What would be lost without a view: permutation importance.
//!
//! The rows of one view are dealt among the instances, so that it says of each what it says of another one, while
//! all other views stay. What the first measure (accuracy, R²) loses by that is the importance of the view to this model
//! on these instances; two views that say the same can each look dispensable. Cost: a prediction for each view
//! and repeat. Source: Breiman 2001, §10; Fisher, Rudin, Dominici 2019, on groups of features.

use super::{Measure, Measured};
use crate::data::{Labels, View, Views};
use crate::model::Model;
use crate::{Error, Result, Run};
use rand::seq::SliceRandom;
use serde::Serialize;

/// What is lost without one view.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Importance {
    /// The view.
    pub view: String,
    /// The mean loss over the repeats.
    pub mean: f64,
    /// The standard deviation of the losses.
    pub deviation: f64,
}

/// The importance of each view that a model looks at, for instances with labels, and the measure with its
/// value on these instances as they are. The seed of the run deals.
///
/// # Errors
/// No repeat; no label; a detector; as [`Model::predict`].
pub fn importance(
    model: &Model,
    views: &Views,
    labels: &Labels,
    repeats: usize,
    run: &Run,
) -> Result<((&'static Measure, f64), Vec<Importance>)> {
    if repeats == 0 {
        return Err(Error::parameter("repeats", "found 0, expected at least 1"));
    }
    let score = |views: &Views| {
        let predicted = model.predict_in(views, run)?;
        let found = Measured::of(model.task(), labels, &predicted)?;
        found.and_then(|m| m.values().next()).ok_or_else(|| {
            Error::Labels("no instance has a label, so that nothing can be lost".to_string())
        })
    };
    let (measure, whole) = score(views)?;
    let mut rng = run.rng("view importance");
    let mut found = Vec::new();
    for info in model.views() {
        let mut losses = Vec::new();
        for _ in 0..repeats {
            let mut rows: Vec<usize> = (0..views.n()).collect();
            rows.shuffle(&mut rng);
            losses.push(whole - score(&dealt(views, &info.name, &rows)?)?.1);
        }
        let count = losses.len() as f64;
        let mean = losses.iter().sum::<f64>() / count;
        let square = losses.iter().map(|l| (l - mean) * (l - mean)).sum::<f64>();
        let deviation = (square / (count - 1.0).max(1.0)).sqrt();
        found.push(Importance { view: info.name.clone(), mean, deviation });
    }
    Ok(((measure, whole), found))
}

/// The same views, one of them with its rows in another order.
fn dealt(views: &Views, name: &str, rows: &[usize]) -> Result<Views> {
    let mut all = Views::new();
    for view in views.iter() {
        all.push(match view.name == name {
            false => view.clone(),
            true => View {
                table: view.table.select_rows(rows),
                present: view.present.as_ref().map(|p| rows.iter().map(|i| p[*i]).collect()),
                ..view.clone()
            },
        })?;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::toy;
    use crate::model::Mkl;

    #[test]
    fn a_view_that_tells_the_class_is_missed() {
        let (views, labels) = toy::views(120, 2, &[6.0, 0.0], 3).unwrap();
        let run = Run::default();
        let model = Mkl::new("mean").unwrap().fit(&views, &labels, &run).unwrap();
        let ((measure, whole), found) = importance(&model, &views, &labels, 4, &run).unwrap();
        assert_eq!((measure.id, found.len()), ("accuracy", 2));
        // Rows of another instance are of the other class in half of all cases.
        assert!(whole > 0.95 && found[0].mean > 0.25, "{whole} {found:?}");
        assert!(found[1].mean.abs() < 0.1 && found[1].deviation < 0.1, "{found:?}");
        assert_eq!(importance(&model, &views, &labels, 4, &run).unwrap().1, found);
        assert!(importance(&model, &views, &labels, 0, &run).is_err());
        assert!(importance(&model, &views, &Labels::Absent(120), 1, &run).is_err());
    }
}
