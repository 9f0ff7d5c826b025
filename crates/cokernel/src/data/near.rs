//! [`Near`]: features of a view that an instance lacks, from training instances that are near it in the views that it has.
//!
//! ```text
//! x̂_v(i) = Σ_j s_ij x_v(j) / Σ_j s_ij,     s_ij = exp(−D_ij)
//! D_ij = mean over the views w that i and j have both of ‖x_w(i) − x_w(j)‖²/δ_w
//! ```
//!
//! over the [`COUNT`] training instances j with the least D among those that have v and share a view with i, the first of
//! equal ones; δ_w is twice the sum of the variances of w, the mean squared distance of two drawn of the training instances that have it. Where no instance shares a view with i
//! the means of the columns stand there. Features are those that the scaling left, so that columns count alike where it is by columns.
//!
//! The counterpart in features of [similarities that are estimated](crate::bank::Bank::build_filled) from the other views, for methods
//! whose kernels are of features that they make themselves. Source: the project's own; a mean of nearest
//! instances as Troyanskaya et al. (2001) have it for single values, with views in the place of columns.
//!
//! **Cost**: for each instance that lacks a view a pass over all training features, which a model keeps.

use super::{Csr, Matrix, Table, View};
use crate::Result;
use cokernel_dense::simd::squared_distance;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Instances of which a mean is taken. Chosen, not measured.
const COUNT: usize = 10;

/// What is kept of the training instances: for each view its features, `None` where it has none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Near {
    views: Vec<Option<Known>>,
}

/// Features of one view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Known {
    rows: Rows,
    /// Which instances have it; all where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    present: Option<Vec<bool>>,
    /// δ.
    spread: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Rows {
    Dense(Matrix),
    Sparse(Csr),
}

/// The rows of one view in which it is told how near instances are.
enum Asked<'a> {
    Dense(&'a Matrix),
    Sparse(&'a Csr),
}

impl Near {
    /// Of the scaled views of the training instances.
    pub fn of(views: &[View]) -> Self {
        Near { views: views.iter().map(Known::of).collect() }
    }

    /// Puts what is estimated in the place of features that instances lack, where there is something to estimate it from.
    /// What is not known is the mean of the column already, and `present` of each view says who lacks it; rows that a stop
    /// leaves keep it.
    pub fn fill(
        &self,
        views: &mut [View],
        present: &[Option<Vec<bool>>],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<()> {
        let n = views.first().map_or(0, |v| v.table.rows());
        let has = |v: usize, i: usize| present[v].as_ref().is_none_or(|p| p[i]);
        let lacking: Vec<usize> =
            (0..n).filter(|i| (0..views.len()).any(|v| !has(v, *i))).collect();
        let asked: Vec<Option<Asked<'_>>> = views.iter().map(Asked::of).collect();
        let one = |i: &usize| {
            if stop() {
                return Vec::new();
            }
            let own: Vec<usize> = (0..views.len()).filter(|v| has(*v, *i)).collect();
            let distances = self.distances(&asked, *i, &own);
            let absent = (0..views.len()).filter(|v| !has(*v, *i));
            absent.map(|v| Some((v, *i, self.estimate(v, &distances)?))).collect::<Vec<_>>()
        };
        let found: Vec<_> = lacking.par_iter().flat_map_iter(one).flatten().collect();
        for (v, view) in views.iter_mut().enumerate() {
            let own = found.iter().filter(|f| f.0 == v).map(|(_, i, row)| (*i, &row[..]));
            put(view, own.collect())?;
        }
        Ok(())
    }

    /// D of instance i and each of training, infinite where they share no view.
    fn distances(&self, asked: &[Option<Asked<'_>>], i: usize, own: &[usize]) -> Vec<f64> {
        let n = self.views.iter().flatten().next().map_or(0, Known::n);
        let (mut sums, mut counts) = (vec![0.0; n], vec![0_u32; n]);
        for v in own {
            let (Some(known), Some(rows)) = (&self.views[*v], &asked[*v]) else { continue };
            let row = rows.row(i);
            for j in (0..n).filter(|j| known.has(*j)) {
                let far = known.rows.squared_distance(j, &row) / known.spread;
                if far.is_finite() {
                    sums[j] += far;
                    counts[j] += 1;
                }
            }
        }
        let mean = |(s, c): (f64, u32)| if c > 0 { s / f64::from(c) } else { f64::INFINITY };
        sums.into_iter().zip(counts).map(mean).collect()
    }

    /// The features of view v next to instances at these distances.
    fn estimate(&self, v: usize, distances: &[f64]) -> Option<Vec<f64>> {
        let known = self.views[v].as_ref()?;
        let mut near: Vec<usize> =
            (0..distances.len()).filter(|j| known.has(*j) && distances[*j].is_finite()).collect();
        let order = |a: &usize, b: &usize| distances[*a].total_cmp(&distances[*b]).then(a.cmp(b));
        if near.len() > COUNT {
            near.select_nth_unstable_by(COUNT, order);
            near.truncate(COUNT);
        }
        near.sort_unstable_by(order);
        let least = distances[*near.first()?];
        // Over that of the nearest one, so that the sum is not 0.
        let weights: Vec<f64> = near.iter().map(|j| (least - distances[*j]).exp()).collect();
        let total: f64 = weights.iter().sum();
        let mut row = vec![0.0; known.rows.cols()];
        for (j, weight) in near.iter().zip(&weights) {
            known.rows.add(*j, weight / total, &mut row);
        }
        Some(row)
    }

    /// Why it does not fit views of so many columns, as one that was read from a file may not; `None` is one without features.
    pub fn contradiction(&self, cols: &[Option<usize>]) -> Option<&'static str> {
        let n = self.views.iter().flatten().next().map_or(0, Known::n);
        let fits = |(known, cols): (&Option<Known>, &Option<usize>)| match (known, cols) {
            (None, None) => true,
            (Some(known), Some(cols)) => known.fits(n, *cols),
            _ => false,
        };
        let all = self.views.len() == cols.len() && self.views.iter().zip(cols).all(fits);
        (!all).then_some("what stands for missing rows does not fit the views")
    }
}

impl Known {
    fn of(view: &View) -> Option<Self> {
        let absent = |i: usize| !view.has(i);
        let rows = match &view.table {
            Table::Dense(m) => {
                let value = |i: usize, j: usize| if absent(i) { 0.0 } else { m.get(i, j) };
                Rows::Dense(Matrix::from_fn(m.rows(), m.cols(), value))
            }
            Table::Sparse(m) => {
                let cells = |i: usize| {
                    let (c, v) = m.row(i);
                    c.iter().copied().zip(v.iter().copied()).collect()
                };
                let row = |i: usize| if absent(i) { Vec::new() } else { cells(i) };
                Rows::Sparse(Csr::from_rows(m.cols(), (0..m.rows()).map(row).collect()).ok()?)
            }
            Table::Similarity(_) | Table::Graph(_) | Table::Sequences(_) => return None,
        };
        let mut known = Known { rows, present: view.present.clone(), spread: 1.0 };
        known.spread = known.mean_squared_distance();
        Some(known)
    }

    fn n(&self) -> usize {
        match &self.rows {
            Rows::Dense(m) => m.rows(),
            Rows::Sparse(m) => m.rows(),
        }
    }

    fn has(&self, i: usize) -> bool {
        self.present.as_ref().is_none_or(|p| p[i])
    }

    /// 1 where all are alike.
    fn mean_squared_distance(&self) -> f64 {
        let own: Vec<usize> = (0..self.n()).filter(|i| self.has(*i)).collect();
        let mut mean = vec![0.0; self.rows.cols()];
        own.iter().for_each(|i| self.rows.add(*i, 1.0 / own.len() as f64, &mut mean));
        let sum: f64 = own.iter().map(|i| self.rows.squared_distance(*i, &mean)).sum();
        let spread = 2.0 * sum / own.len().max(1) as f64;
        if spread > 0.0 && spread.is_finite() { spread } else { 1.0 }
    }

    fn fits(&self, n: usize, cols: usize) -> bool {
        self.n() == n
            && self.rows.cols() == cols
            && self.present.as_ref().is_none_or(|p| p.len() == n)
            && self.spread > 0.0
            && self.spread.is_finite()
            && self.rows.is_finite()
    }
}

impl Rows {
    fn cols(&self) -> usize {
        match self {
            Rows::Dense(m) => m.cols(),
            Rows::Sparse(m) => m.cols(),
        }
    }

    fn is_finite(&self) -> bool {
        match self {
            Rows::Dense(m) => m.values().iter().all(|v| v.is_finite()),
            Rows::Sparse(m) => (0..m.rows()).all(|i| m.row(i).1.iter().all(|v| v.is_finite())),
        }
    }

    fn squared_distance(&self, j: usize, row: &[f64]) -> f64 {
        match self {
            Rows::Dense(m) => squared_distance(m.row(j), row),
            Rows::Sparse(m) => {
                let (columns, values) = m.row(j);
                let all: f64 = row.iter().map(|v| v * v).sum();
                // What differs where this row has entries.
                let change = |(c, a): (&u32, &f64)| {
                    let b = row[*c as usize];
                    (a - b) * (a - b) - b * b
                };
                (all + columns.iter().zip(values).map(change).sum::<f64>()).max(0.0)
            }
        }
    }

    fn add(&self, j: usize, weight: f64, to: &mut [f64]) {
        match self {
            Rows::Dense(m) => to.iter_mut().zip(m.row(j)).for_each(|(t, v)| *t += weight * v),
            Rows::Sparse(m) => {
                let (columns, values) = m.row(j);
                columns.iter().zip(values).for_each(|(c, v)| to[*c as usize] += weight * v);
            }
        }
    }
}

impl<'a> Asked<'a> {
    fn of(view: &'a View) -> Option<Self> {
        match &view.table {
            Table::Dense(m) => Some(Asked::Dense(m)),
            Table::Sparse(m) => Some(Asked::Sparse(m)),
            _ => None,
        }
    }

    fn row(&self, i: usize) -> Vec<f64> {
        match self {
            Asked::Dense(m) => m.row(i).to_vec(),
            Asked::Sparse(m) => {
                let mut row = vec![0.0; m.cols()];
                let (columns, values) = m.row(i);
                columns.iter().zip(values).for_each(|(c, v)| row[*c as usize] = *v);
                row
            }
        }
    }
}

/// Puts rows in the place of those of a view.
fn put(view: &mut View, rows: Vec<(usize, &[f64])>) -> Result<()> {
    match &mut view.table {
        Table::Dense(m) => rows.iter().for_each(|(i, row)| m.row_mut(*i).copy_from_slice(row)),
        Table::Sparse(m) if !rows.is_empty() => {
            let mut all: Vec<Vec<(u32, f64)>> = (0..m.rows())
                .map(|i| {
                    let (c, v) = m.row(i);
                    c.iter().copied().zip(v.iter().copied()).collect()
                })
                .collect();
            for (i, row) in rows {
                all[i] = (0_u32..).zip(row.iter().copied()).filter(|(_, x)| *x != 0.0).collect();
            }
            *m = Csr::from_rows(m.cols(), all)?;
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn view(name: &str, table: Table, absent: &[usize]) -> View {
        let n = table.rows();
        let present = (0..n).map(|i| !absent.contains(&i)).collect();
        View { name: name.into(), table, columns: None, present: Some(present) }
    }

    /// Two views of a position on a line, of fourteen instances.
    fn pair(sparse: bool) -> Vec<View> {
        let a = Matrix::from_fn(14, 2, |i, j| (i as f64 * 0.3 + j as f64).sin());
        let b = Matrix::from_fn(14, 3, |i, j| i as f64 - j as f64);
        let of = |m: Matrix| match sparse {
            false => Table::Dense(m),
            true => {
                let row = |i: usize| (0_u32..).zip(m.row(i).iter().copied()).collect();
                Table::Sparse(Csr::from_rows(m.cols(), (0..14).map(row).collect()).unwrap())
            }
        };
        vec![view("a", of(a), &[3]), view("b", of(b), &[5, 3])]
    }

    #[test]
    fn an_estimate_is_the_mean_of_the_nearest_by_hand() {
        for sparse in [false, true] {
            let views = pair(sparse);
            let near = Near::of(&views);
            let present: Vec<_> = views.iter().map(|v| v.present.clone()).collect();
            let mut filled = views.clone();
            near.fill(&mut filled, &present, &|| false).unwrap();
            let mut stopped = views.clone();
            near.fill(&mut stopped, &present, &|| true).unwrap();
            assert_eq!(stopped, views);
            let a = |i: usize, j: usize| (i as f64 * 0.3 + j as f64).sin();
            let own: Vec<usize> = (0..14).filter(|i| *i != 3).collect();
            let square =
                |i: usize, k: usize| (0..2).map(|j| (a(i, j) - a(k, j)).powi(2)).sum::<f64>();
            let all: f64 = own.iter().flat_map(|i| own.iter().map(move |k| square(*i, *k))).sum();
            let spread = all / 169.0;
            let mut others: Vec<usize> = (0..14).filter(|i| *i != 3 && *i != 5).collect();
            others.sort_by(|i, k| square(5, *i).total_cmp(&square(5, *k)));
            let s = |k: &usize| (-square(5, *k) / spread).exp();
            let total: f64 = others[..COUNT].iter().map(s).sum();
            let row = Asked::of(&filled[1]).unwrap().row(5);
            for (j, found) in row.iter().enumerate() {
                let sum: f64 = others[..COUNT].iter().map(|k| s(k) * (*k as f64 - j as f64)).sum();
                assert!((found - sum / total).abs() < 1e-12, "{sparse} {j}: {found}");
            }
            // What is there stays, and an instance without a view keeps what stands there.
            let before = Asked::of(&views[1]).unwrap();
            let after = Asked::of(&filled[1]).unwrap();
            (0..14).filter(|i| *i != 5).for_each(|i| assert_eq!(before.row(i), after.row(i)));
        }
    }

    #[test]
    fn what_was_stored_fits_its_views() {
        let near = Near::of(&pair(false));
        let text = serde_json::to_string(&near).unwrap();
        let read: Near = serde_json::from_str(&text).unwrap();
        assert_eq!(read, near);
        assert_eq!(read.contradiction(&[Some(2), Some(3)]), None);
        for wrong in [&[Some(2)][..], &[Some(2), Some(4)], &[None, Some(3)]] {
            assert!(read.contradiction(wrong).is_some());
        }
    }
}
