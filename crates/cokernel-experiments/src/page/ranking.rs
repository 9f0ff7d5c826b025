//! Mean ranks of the rows over several data sets, and which of them can be told apart.

use super::Material;
use crate::{Picked, mean_of};
use anyhow::Result;
use cokernel::eval::significance::{Ranking as Friedman, friedman, nemenyi};
use serde::Serialize;
use std::collections::BTreeMap;

/// Data sets from which on mean ranks mean anything.
const FROM: usize = 3;

/// Mean ranks by the score of the experiment.
#[derive(Debug, Clone, Serialize)]
pub struct Ranking {
    pub labels: Vec<String>,
    #[serde(flatten)]
    pub friedman: Friedman,
    pub alpha: f64,
    /// Mean ranks this far apart differ (Nemenyi).
    pub critical_difference: f64,
}

/// The ranking of the rows that every data set has; `None` with too few rows or data sets, and for
/// curves.
pub fn ranking(material: &Material<'_>) -> Result<Option<Ranking>> {
    let plan = material.plan;
    if plan.sweep.is_some() || plan.rows.len() < 2 {
        return Ok(None);
    }
    let (score, splits) = (plan.protocol.pick_by, plan.protocol.splits());
    let mut blocks: Vec<Vec<f64>> = Vec::new();
    for (collected, data) in material.collected.iter().zip(&plan.data) {
        for set in 0..data.sets {
            let of_row = |row: usize| -> Option<f64> {
                let picked: &BTreeMap<usize, Picked> = collected.measurements.get(&(row, None))?;
                let units = picked.range(set * splits..(set + 1) * splits);
                let values: Vec<f64> = units.map(|(_, p)| mean_of(&p.measured, score)).collect();
                let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
                let mean = if score.better(0.0, 1.0) { -mean } else { mean };
                (values.len() == splits).then_some(mean)
            };
            let block: Option<Vec<f64>> = (0..plan.rows.len()).map(of_row).collect();
            blocks.extend(block);
        }
    }
    if blocks.len() < FROM {
        return Ok(None);
    }
    let friedman = friedman(&blocks)?;
    let alpha = plan.tests.alpha;
    Ok(Some(Ranking {
        labels: plan.rows.iter().map(|r| r.label.clone()).collect(),
        alpha,
        critical_difference: nemenyi(plan.rows.len(), friedman.blocks, alpha)?,
        friedman,
    }))
}

impl Ranking {
    /// The rows from the best mean rank on.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        let rank = |i: usize| self.friedman.mean_ranks[i];
        order.sort_by(|&a, &b| rank(a).total_cmp(&rank(b)));
        order
    }

    /// Largest groups of rows, as first and last place in the order, whose mean ranks are closer
    /// than the critical difference.
    pub fn groups(&self) -> Vec<(usize, usize)> {
        let order = self.order();
        let rank = |i: usize| self.friedman.mean_ranks[order[i]];
        let mut groups: Vec<(usize, usize)> = Vec::new();
        for first in 0..order.len() {
            let near = |i: &usize| rank(*i) - rank(first) < self.critical_difference;
            let last = (first..order.len()).take_while(near).last().unwrap_or(first);
            if last > first && groups.last().is_none_or(|g| g.1 < last) {
                groups.push((first, last));
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_the_largest_that_cannot_be_told_apart() {
        let friedman = Friedman {
            mean_ranks: vec![3.1, 1.0, 1.8, 4.1],
            blocks: 10,
            chi_squared: 0.0,
            p: 0.0,
            f: 0.0,
            f_p: 0.0,
        };
        let labels = ["a", "b", "c", "d"].map(String::from).to_vec();
        let ranking = Ranking { labels, friedman, alpha: 0.05, critical_difference: 1.4 };
        assert_eq!(ranking.order(), [1, 2, 0, 3]);
        assert_eq!(ranking.groups(), [(0, 1), (1, 2), (2, 3)]);
        let wide = Ranking { critical_difference: 2.4, ..ranking };
        assert_eq!(wide.groups(), [(0, 2), (1, 3)]);
    }
}
