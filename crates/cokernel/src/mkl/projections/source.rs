//! The features that are projected, in units in which all columns count alike.

use super::{First, Settings};
use crate::data::{Matrix, Table, Views};
use crate::error::room_for;
use crate::{Error, Result};

/// A view that is projected.
pub(super) struct Source {
    pub name: String,
    /// n × D, each column times its factor.
    pub features: Matrix,
    pub factors: Vec<f64>,
    /// Mean of each column of `features`.
    pub means: Vec<f64>,
    /// τ.
    pub unit: f64,
    /// R.
    pub dimensions: usize,
}

impl Source {
    pub fn of(views: &Views, name: &str, settings: &Settings) -> Result<Self> {
        let table = &views.get(name)?.table;
        let (n, d) = (table.rows(), table.cols());
        room_for::<f64>(n.checked_mul(d).and_then(|e| e.checked_mul(2)), || {
            format!("the {d} columns of {n} instances of view '{name}', which are projected")
        })?;
        let mut x = match table {
            Table::Dense(x) => x.clone(),
            Table::Sparse(x) => x.try_to_dense()?,
            Table::Similarity(_) | Table::Graph(_) | Table::Sequences(_) => {
                let (id, found) = (settings.id, table.words());
                let text = format!("{id}: view '{name}' is {found}; it projects features");
                return Err(Error::Data(text));
            }
        };
        let (mut means, deviations) = moments(&x);
        let dimensions = settings.dimensions.min(d);
        let largest = deviations.iter().fold(0.0_f64, |a, v| a.max(*v));
        if largest == 0.0 {
            return Err(Error::Data(format!(
                "{}: every column of view '{name}' has one value only; there is nothing to project",
                settings.id
            )));
        }
        if settings.first == First::Identity && dimensions < d {
            let problem = format!(
                "identity keeps all {d} columns of view '{name}'; give dimensions={d} or more"
            );
            return Err(Error::parameter("start", problem));
        }
        let shares: f64 = deviations.iter().map(|s| (s / largest) * (s / largest)).sum();
        let unit = largest * (shares / dimensions as f64).sqrt();
        let factor = |s: &f64| if *s > 0.0 { unit / s } else { 0.0 };
        let factors: Vec<f64> = deviations.iter().map(factor).collect();
        if let Some(j) = factors.iter().position(|f| !f.is_finite()) {
            return Err(Error::Data(format!(
                "{}: view '{name}': column {} varies too little beside the others; scale the features",
                settings.id,
                j + 1
            )));
        }
        for i in 0..n {
            x.row_mut(i).iter_mut().zip(&factors).for_each(|(v, f)| *v *= f);
        }
        means.iter_mut().zip(&factors).for_each(|(m, f)| *m *= f);
        let name = name.to_string();
        Ok(Source { name, features: x, factors, means, unit, dimensions })
    }
}

/// Mean and standard deviation of each column; 0 where a column has one value, up to rounding.
fn moments(x: &Matrix) -> (Vec<f64>, Vec<f64>) {
    let (n, d) = (x.rows(), x.cols());
    let (mut means, mut largest, mut spread) = (vec![0.0; d], vec![0.0_f64; d], vec![0.0_f64; d]);
    for i in 0..n {
        for ((m, l), v) in means.iter_mut().zip(&mut largest).zip(x.row(i)) {
            *m += v / n as f64;
            *l = l.max(v.abs());
        }
    }
    for i in 0..n {
        for ((s, m), v) in spread.iter_mut().zip(&means).zip(x.row(i)) {
            *s = s.max((v - m).abs());
        }
    }
    let mut sums = vec![0.0; d];
    for i in 0..n {
        for (j, v) in x.row(i).iter().enumerate().filter(|(j, _)| spread[*j] > 0.0) {
            let share = (v - means[j]) / spread[j];
            sums[j] += share * share;
        }
    }
    let deviation = |j: usize| match spread[j] > 1e-12 * largest[j] {
        true => spread[j] * (sums[j] / n as f64).sqrt(),
        false => 0.0,
    };
    let deviations = (0..d).map(deviation).collect();
    (means, deviations)
}
