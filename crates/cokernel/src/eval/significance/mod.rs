//! Are the differences between methods more than chance? Tests for scores on splits of one data
//! set, and for scores on several data sets.
//!
//! * On r splits of one data set the training sets overlap, so that the scores are not
//!   independent: [`corrected_t_test`]; on the ten of 5×2 cross-validation [`f_5x2`].
//! * On several data sets, two methods: [`wilcoxon`]; more methods: [`friedman`], then
//!   [`nemenyi`] for the pairs, as J. Demšar, *Statistical comparisons of classifiers over
//!   multiple data sets*, JMLR 7, 2006, has it.
//! * Several comparisons at once: [`holm`].
//! * A table of scores with wins, ties and losses: [`ScoreTable`].
//!
//! ```
//! use cokernel::eval::significance::{corrected_t_test, friedman, nemenyi};
//!
//! // Differences of two accuracies on the ten splits of 10-fold cross-validation.
//! let differences = [0.02, 0.01, 0.03, 0.0, 0.02, 0.01, 0.02, 0.03, 0.01, 0.02];
//! assert!(corrected_t_test(&differences, 1.0 / 9.0)?.p < 0.05);
//! // Three methods on four data sets.
//! let scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.6, 0.5, 0.4]];
//! let ranking = friedman(&scores.map(Vec::from))?;
//! assert_eq!(ranking.mean_ranks, [1.0, 2.25, 2.75]);
//! let apart = ranking.mean_ranks[2] - ranking.mean_ranks[0];
//! assert!(apart > nemenyi(3, 4, 0.05)?);
//! # Ok::<(), cokernel::Error>(())
//! ```
//!
//! All p-values are two-sided. Distributions come from the crate statrs, except for the
//! studentized range, which is integrated here.

mod paired;
mod ranks;
mod scores;

pub use paired::{corrected_t_test, f_5x2};
pub use ranks::{Ranking, friedman, nemenyi, wilcoxon, wilcoxon_with_zeros};
pub use scores::{Comparing, Means, Pair, Paired, ScoreTable, Verdict, Versus, apart};

use crate::{Error, Result};
use serde::Serialize;

/// A test of whether differences are zero.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Tested {
    /// The statistic: t, F, or the smaller sum of ranks.
    pub statistic: f64,
    /// The probability of a statistic at least as extreme if there is no difference.
    pub p: f64,
    /// Number of differences that took part.
    pub n: usize,
}

fn finite(what: &str, values: &[f64]) -> Result<()> {
    match values.iter().find(|v| !v.is_finite()) {
        Some(v) => Err(Error::parameter(what, format!("expected finite numbers, found {v}"))),
        None => Ok(()),
    }
}

/// Numbers over a power of two near the largest of them, so that no square overflows and none of it is lost.
fn of_one(values: &[f64]) -> Vec<f64> {
    let exponent = largest(values).log2().floor();
    match exponent.is_finite() {
        true => {
            // In two steps: 2^1074 is none.
            let half = 2.0_f64.powi(-(exponent as i32) / 2);
            let rest = 2.0_f64.powi(-(exponent as i32) - (-(exponent as i32) / 2));
            values.iter().map(|v| v * half * rest).collect()
        }
        false => values.to_vec(),
    }
}

/// Numbers as multiples of 10⁻¹⁰ of the largest: what rounding tells apart is equal.
fn snapped(values: &[f64], largest: f64) -> Vec<f64> {
    let unit = 1e-10 * largest;
    match unit > 0.0 && unit.is_finite() {
        true => values.iter().map(|v| (v / unit).round()).collect(),
        false => values.to_vec(),
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |a, v| v.abs().max(a))
}

fn distribution<T, E: std::fmt::Display>(made: std::result::Result<T, E>) -> Result<T> {
    made.map_err(|e| Error::Data(format!("distribution: {e}")))
}

/// Holm's p-values for several comparisons at once (S. Holm, *A simple sequentially rejective
/// multiple test procedure*, Scandinavian Journal of Statistics 6, 1979), in the given order.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let (mut adjusted, mut largest) = (vec![1.0; p.len()], 0.0_f64);
    for (i, &at) in order.iter().enumerate() {
        largest = largest.max((p.len() - i) as f64 * p[at]).min(1.0);
        adjusted[at] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests;
