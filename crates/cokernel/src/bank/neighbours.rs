//! Nearest-neighbour and ε graphs of the instances of a feature view.
//!
//! Distances are Euclidean. They are computed block by block, O(n² d) work on all threads, and
//! nothing of size n² is kept. Blocks use ‖x‖² + ‖z‖² − 2⟨x, z⟩, which is off by rounding; the
//! candidates it leaves are measured again from the differences of the given features, so that
//! equal distances compare as equal and the lower row number goes first. Two instances have the
//! same distance from both sides, to the last bit.
//!
//! | graph | an edge between i and j |
//! |---|---|
//! | k nearest neighbours | i is one of the k nearest others of j, or j of i; and, if mutual |
//! | ε | d(i, j) ≤ ε |
//!
//! The weight of an edge of length d is 1, or exp(−d²/2σ²); σ is given, or the median length of
//! all edges. The diagonal is 1. An ε graph with a large radius and Gaussian weights is thus the
//! Gaussian kernel; an instance that no other is near is a component of its own.
//!
//! Source: U. von Luxburg, "A tutorial on spectral clustering", Statistics and Computing 17, 2007,
//! §2.2 (graphs); the diagonal is ours.

use super::base::{Measure, Side, column_means};
use super::engine::refuse_too_large;
use crate::data::{Csr, View};
use crate::kernel::{EdgeWeights, GraphKind, GraphSpec};
use crate::run::Pass;
use crate::{Error, Result};
use rayon::prelude::*;

/// Rows of a block of distances.
const STRIP: usize = 64;

/// What the distances of a block may be off, relatively.
const ROUNDING: f64 = 1e-9;

/// For each instance, others with the squared distance, by rising number.
type Lists = Vec<Vec<(u32, f64)>>;

/// The rows of a view that are there, ready for distances.
struct Rows {
    /// Around their mean, for blocks.
    fast: Side,
    /// As given, for pairs.
    exact: Side,
    n: usize,
}

impl Rows {
    fn of(view: &View) -> Result<Self> {
        if !view.table.is_features() {
            return Err(Error::Data(format!(
                "view '{}' is {}; a graph of neighbours is built from features",
                view.name,
                view.table.words()
            )));
        }
        let (means, pass) = (column_means(&view.table), Pass::default());
        let fast = Side::new(&view.table, None, Measure::Squared, &means, &pass)?;
        refuse_too_large(&view.name, &fast)?;
        let exact = Side::new(&view.table, None, Measure::Squared, &[], &pass)?;
        Ok(Rows { fast, exact, n: view.table.rows() })
    }

    /// `choose(i, squared distances to all)` for every instance.
    fn lists(&self, choose: impl Fn(usize, &[f64]) -> Vec<(u32, f64)> + Sync) -> Lists {
        let n = self.n;
        let strips: Vec<Lists> = (0..n.div_ceil(STRIP))
            .into_par_iter()
            .map_init(
                || vec![0.0; STRIP * n],
                |block, s| {
                    let i0 = s * STRIP;
                    let rows = STRIP.min(n - i0);
                    self.fast.block(i0, rows, &self.fast, 0, n, block);
                    let one = |(r, row): (usize, &[f64])| choose(i0 + r, row);
                    block[..rows * n].chunks(n).enumerate().map(one).collect()
                },
            )
            .collect();
        strips.into_iter().flatten().collect()
    }

    /// The others whose rough distance is at most `limit`, measured exactly.
    fn measured(&self, i: usize, rough: &[f64], limit: f64) -> Vec<(u32, f64)> {
        let near = |j: &usize| *j != i && rough[*j] <= limit + ROUNDING * limit;
        let near = (0..self.n).filter(near);
        near.map(|j| (j as u32, self.exact.entry(i, &self.exact, j))).collect()
    }

    fn knn(&self, k: usize, mutual: bool) -> Lists {
        let mut nearest = self.lists(|i, rough| {
            let mut others = rough.to_vec();
            others.swap_remove(i);
            let (_, limit, _) = others.select_nth_unstable_by(k - 1, f64::total_cmp);
            let mut found = self.measured(i, rough, *limit);
            found.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            found.truncate(k);
            found.sort_unstable_by_key(|e| e.0);
            found
        });
        let names = |list: &[(u32, f64)], i: u32| list.binary_search_by_key(&i, |e| e.0).is_ok();
        let mut one_sided: Vec<(u32, u32, f64)> = Vec::new();
        for (i, list) in nearest.iter().enumerate() {
            let i = i as u32;
            let only = list.iter().filter(|e| !names(&nearest[e.0 as usize], i));
            one_sided.extend(only.map(|e| (i, e.0, e.1)));
        }
        for (i, j, d) in one_sided {
            if mutual {
                nearest[i as usize].retain(|e| e.0 != j);
            } else {
                nearest[j as usize].push((i, d));
            }
        }
        nearest.iter_mut().for_each(|list| list.sort_unstable_by_key(|e| e.0));
        nearest
    }

    fn epsilon(&self, radius: f64) -> Lists {
        self.lists(|i, rough| {
            let mut found = self.measured(i, rough, radius * radius);
            found.retain(|e| e.1.sqrt() <= radius);
            found
        })
    }
}

/// The graph of the `k` nearest neighbours; instances that lack the view have no edges.
///
/// # Errors
/// The view is a similarity, `k` is 0 or not below the number of instances, features whose
/// distances overflow; no σ is given and half of the edges have length 0.
pub fn knn(view: &View, k: usize, mutual: bool, weights: EdgeWeights) -> Result<Csr> {
    graph(view, &GraphSpec { view: None, kind: GraphKind::Knn { k, mutual }, weights })
}

/// The graph of all pairs at most `radius` apart; instances that lack the view have no edges.
///
/// # Errors
/// The view is a similarity, the radius is not a finite number above 0, features whose distances
/// overflow; no σ is given and half of the edges have length 0.
pub fn epsilon(view: &View, radius: f64, weights: EdgeWeights) -> Result<Csr> {
    graph(view, &GraphSpec { view: None, kind: GraphKind::Epsilon { radius }, weights })
}

/// The graph that `spec` describes in place of the features of a view.
///
/// # Errors
/// As [`knn`] and [`epsilon`].
pub fn build_graph(view: &View, spec: &GraphSpec) -> Result<View> {
    let table = crate::data::Table::Graph(graph(view, spec)?);
    Ok(View { name: view.name.clone(), table, columns: None, present: view.present.clone() })
}

fn graph(view: &View, spec: &GraphSpec) -> Result<Csr> {
    spec.check()?;
    let n = view.table.rows();
    let Some(present) = view.present.as_ref().filter(|p| p.contains(&false)) else {
        let lists = weighed(&view.name, lists(view, spec)?, spec.weights)?;
        return Csr::from_rows(n, lists);
    };
    let rows: Vec<usize> = (0..n).filter(|i| present[*i]).collect();
    let table = view.table.select_rows(&rows);
    let part = View { name: view.name.clone(), table, columns: None, present: None };
    let found = weighed(&view.name, lists(&part, spec)?, spec.weights)?;
    let mut all = vec![Vec::new(); n];
    for (i, list) in rows.iter().zip(found) {
        all[*i] = list.into_iter().map(|(j, w)| (rows[j as usize] as u32, w)).collect();
    }
    Csr::from_rows(n, all)
}

fn lists(view: &View, spec: &GraphSpec) -> Result<Lists> {
    let rows = Rows::of(view)?;
    match spec.kind {
        GraphKind::Knn { k, .. } if k >= rows.n => {
            let problem = format!(
                "found {k}, expected less than the {} instances that have view '{}'",
                rows.n, view.name
            );
            Err(Error::parameter("graph k", problem))
        }
        GraphKind::Knn { k, mutual } => Ok(rows.knn(k, mutual)),
        GraphKind::Epsilon { radius } => Ok(rows.epsilon(radius)),
    }
}

/// Weights in place of squared distances, and the diagonal.
fn weighed(name: &str, mut lists: Lists, weights: EdgeWeights) -> Result<Lists> {
    let width = match weights {
        EdgeWeights::Binary => None,
        EdgeWeights::Gaussian { sigma: Some(sigma) } => Some(sigma),
        EdgeWeights::Gaussian { sigma: None } => median_length(name, &lists)?,
    };
    for (i, list) in lists.iter_mut().enumerate() {
        for (_, d) in list.iter_mut() {
            *d = width.map_or(1.0, |s| (-*d / (2.0 * s * s)).exp());
        }
        let place = list.partition_point(|e| (e.0 as usize) < i);
        list.insert(place, (i as u32, 1.0));
    }
    Ok(lists)
}

/// The median length of the edges, each counted once; `None` without edges.
fn median_length(name: &str, lists: &Lists) -> Result<Option<f64>> {
    let rising = |(i, list): (usize, &Vec<(u32, f64)>)| {
        list.iter().filter(|e| e.0 as usize > i).map(|e| e.1.sqrt()).collect::<Vec<_>>()
    };
    let mut lengths: Vec<f64> = lists.iter().enumerate().flat_map(rising).collect();
    if lengths.is_empty() {
        return Ok(None);
    }
    let (half, even) = (lengths.len() / 2, lengths.len().is_multiple_of(2));
    let (lower, middle, _) = lengths.select_nth_unstable_by(half, f64::total_cmp);
    let mut median = *middle;
    if even {
        let below = lower.iter().copied().fold(0.0_f64, f64::max);
        median = 0.5 * (below + median);
    }
    if median > 0.0 {
        return Ok(Some(median));
    }
    Err(Error::Data(format!(
        "view '{name}': half of the edges of its graph have length 0, because many rows are \
         equal, so that their median gives no width; give sigma as a number, or binary weights"
    )))
}

#[cfg(test)]
mod tests;
