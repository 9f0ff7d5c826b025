//! Are the differences between methods more than chance? Tests for scores on splits of one data
//! set, and for scores on several data sets.
//!
//! * On r splits of one data set the training sets overlap, so that the scores are not
//!   independent: [`corrected_t_test`].
//! * On several data sets, two methods: [`wilcoxon`]; more methods: [`friedman`], then
//!   [`nemenyi`] for the pairs, as J. Demšar, *Statistical comparisons of classifiers over
//!   multiple data sets*, JMLR 7, 2006, has it.
//! * Several comparisons at once: [`holm`].
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

use crate::{Error, Result, brief};
use serde::Serialize;
use statrs::distribution::StudentsT;
use statrs::distribution::{ChiSquared, Continuous, ContinuousCDF, FisherSnedecor, Normal};

/// Differences up to this number have the exact distribution of the signed ranks.
const EXACT: usize = 50;

/// A test of whether differences are zero.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Tested {
    /// The statistic: t, or the smaller sum of ranks.
    pub statistic: f64,
    /// The probability of a statistic at least as extreme if there is no difference.
    pub p: f64,
    /// Number of differences that took part.
    pub n: usize,
}

/// Mean ranks of methods over data sets, and the test of whether they are all alike.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// Mean rank of each method; 1 is the best.
    pub mean_ranks: Vec<f64>,
    /// Number of data sets.
    pub blocks: usize,
    /// Friedman's χ² with k − 1 degrees of freedom, corrected for ties.
    pub chi_squared: f64,
    /// Its p-value.
    pub p: f64,
    /// The F of Iman and Davenport, less conservative; infinite if all data sets agree.
    pub f: f64,
    /// Its p-value, with k − 1 and (k − 1)(N − 1) degrees of freedom.
    pub f_p: f64,
}

fn finite(what: &str, values: &[f64]) -> Result<()> {
    match values.iter().find(|v| !v.is_finite()) {
        Some(v) => Err(Error::parameter(what, format!("expected finite numbers, found {v}"))),
        None => Ok(()),
    }
}

fn distribution<T, E: std::fmt::Display>(made: std::result::Result<T, E>) -> Result<T> {
    made.map_err(|e| Error::Data(format!("distribution: {e}")))
}

/// The corrected resampled t-test of C. Nadeau and Y. Bengio (*Inference for the generalization
/// error*, Machine Learning 52, 2003): t = mean / √((1/r + test/train) · variance) with r − 1
/// degrees of freedom, for the differences of two methods on r splits.
///
/// `test_over_train` is the ratio of the sizes of test and training set: 1/(k − 1) for k folds;
/// 0 for data sets that were drawn independently, which gives the usual paired t-test. Cost O(r).
///
/// # Errors
/// Fewer than two differences, or numbers that are not finite; a negative ratio.
pub fn corrected_t_test(differences: &[f64], test_over_train: f64) -> Result<Tested> {
    finite("differences", differences)?;
    let n = differences.len();
    if n < 2 {
        return Err(Error::parameter("differences", format!("expected at least 2, found {n}")));
    }
    if !(test_over_train >= 0.0 && test_over_train.is_finite()) {
        let problem = format!("expected a ratio of at least 0, found {}", brief(test_over_train));
        return Err(Error::parameter("test_over_train", problem));
    }
    let stat = super::Stat::new(differences.to_vec());
    if stat.mean == 0.0 {
        return Ok(Tested { statistic: 0.0, p: 1.0, n });
    }
    let statistic = stat.mean / ((1.0 / n as f64 + test_over_train).sqrt() * stat.sd);
    let t = distribution(StudentsT::new(0.0, 1.0, (n - 1) as f64))?;
    let p = if statistic.is_finite() { 2.0 * t.sf(statistic.abs()) } else { 0.0 };
    Ok(Tested { statistic, p, n })
}

/// Ranks of values from the smallest, 1, on; equal values share the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut begin = 0;
    for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let mean = begin as f64 + (group.len() + 1) as f64 / 2.0;
        group.iter().for_each(|&i| ranks[i] = mean);
        begin += group.len();
    }
    ranks
}

/// Σ (t³ − t) over groups of t equal values.
fn ties(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let of = |group: &[f64]| (group.len() as f64).powi(3) - group.len() as f64;
    sorted.chunk_by(|a, b| a == b).map(of).sum()
}

/// Wilcoxon's signed-rank test for the differences of two methods on several data sets.
///
/// Zeros are left out. Up to 50 differences the distribution is exact, with ties too; above it is
/// normal with the variance corrected for ties. Cost O(n³) for the exact distribution.
///
/// # Errors
/// No difference, or numbers that are not finite.
pub fn wilcoxon(differences: &[f64]) -> Result<Tested> {
    finite("differences", differences)?;
    if differences.is_empty() {
        return Err(Error::parameter("differences", "expected at least 1, found 0"));
    }
    let kept: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let n = kept.len();
    if n == 0 {
        return Ok(Tested { statistic: 0.0, p: 1.0, n });
    }
    let sizes: Vec<f64> = kept.iter().map(|d| d.abs()).collect();
    let ranks = ranks(&sizes);
    let above: f64 = ranks.iter().zip(&kept).filter(|(_, d)| **d > 0.0).map(|(r, _)| r).sum();
    let all = (n * (n + 1)) as f64 / 2.0;
    let statistic = above.min(all - above);
    if n <= EXACT {
        return Ok(Tested { statistic, p: exact(&ranks, statistic), n });
    }
    let variance = n as f64 * (n + 1) as f64 * (2 * n + 1) as f64 / 24.0 - ties(&sizes) / 48.0;
    let z = (statistic - all / 2.0) / variance.sqrt();
    Ok(Tested { statistic, p: (2.0 * Normal::standard().cdf(z)).min(1.0), n })
}

/// Twice the share of the sums of subsets of these ranks that are at most `statistic`. Twice a
/// rank is a whole number.
fn exact(ranks: &[f64], statistic: f64) -> f64 {
    let doubled: Vec<usize> = ranks.iter().map(|r| (2.0 * r).round() as usize).collect();
    let mut share = vec![0.0; doubled.iter().sum::<usize>() + 1];
    share[0] = 1.0;
    for &r in &doubled {
        for sum in (0..share.len()).rev() {
            let with = if sum >= r { share[sum - r] } else { 0.0 };
            share[sum] = 0.5 * (share[sum] + with);
        }
    }
    let limit = (2.0 * statistic).round() as usize;
    (2.0 * share[..=limit].iter().sum::<f64>()).min(1.0)
}

/// Friedman's test: `scores[d][m]` is the score of method m on data set d; the largest has rank 1.
/// Cost O(N k log k).
///
/// # Errors
/// Fewer than two data sets or methods, rows of different length, numbers that are not finite.
pub fn friedman(scores: &[Vec<f64>]) -> Result<Ranking> {
    let blocks = scores.len();
    let k = scores.first().map_or(0, Vec::len);
    if blocks < 2 || k < 2 {
        let problem =
            format!("expected at least 2 data sets and 2 methods, found {blocks} and {k}");
        return Err(Error::parameter("scores", problem));
    }
    let (mut sums, mut tied) = (vec![0.0; k], 0.0);
    for row in scores {
        if row.len() != k {
            return Err(Error::shape(
                "scores",
                format!("{k} methods on every data set"),
                row.len(),
            ));
        }
        finite("scores", row)?;
        let turned: Vec<f64> = row.iter().map(|v| -v).collect();
        sums.iter_mut().zip(ranks(&turned)).for_each(|(s, r)| *s += r);
        tied += ties(&turned);
    }
    let (n, kf) = (blocks as f64, k as f64);
    let middle = n * (kf + 1.0) / 2.0;
    let squares: f64 = sums.iter().map(|s| (s - middle).powi(2)).sum();
    let scale = n * kf * (kf + 1.0) / 12.0 * (1.0 - tied / (n * (kf.powi(3) - kf)));
    // All methods alike on every data set: there is nothing to tell apart.
    let chi_squared = if scale > 1e-12 { squares / scale } else { 0.0 };
    let p = distribution(ChiSquared::new(kf - 1.0))?.sf(chi_squared);
    let rest = n * (kf - 1.0) - chi_squared;
    let f = if rest > 1e-12 { (n - 1.0) * chi_squared / rest } else { f64::INFINITY };
    let f_p = match f.is_finite() {
        true => distribution(FisherSnedecor::new(kf - 1.0, (kf - 1.0) * (n - 1.0)))?.sf(f),
        false => 0.0,
    };
    let mean_ranks = sums.iter().map(|s| s / n).collect();
    Ok(Ranking { mean_ranks, blocks, chi_squared, p, f, f_p })
}

/// The probability that the range of k standard normal values is at most q: k ∫ φ(z) (Φ(z) −
/// Φ(z − q))^(k−1) dz over the largest of them, by Simpson's rule.
fn range_cdf(q: f64, k: usize) -> f64 {
    const STEPS: usize = 2000;
    let normal = Normal::standard();
    let (from, to) = (-8.5, 8.5);
    let h = (to - from) / STEPS as f64;
    let value = |i: usize| {
        let z = from + i as f64 * h;
        let inside = (normal.cdf(z) - normal.cdf(z - q)).max(0.0);
        let weight = if i == 0 || i == STEPS {
            1.0
        } else if i % 2 == 1 {
            4.0
        } else {
            2.0
        };
        weight * normal.pdf(z) * inside.powi(k as i32 - 1)
    };
    k as f64 * (0..=STEPS).map(value).sum::<f64>() * h / 3.0
}

/// Nemenyi's critical difference of mean ranks: two of `methods` over `blocks` data sets differ at
/// the level `alpha` if their mean ranks are at least this far apart. It is q √(k(k+1)/(6N)), q
/// the quantile of the studentized range with infinite degrees of freedom divided by √2.
///
/// # Errors
/// Fewer than two methods, no data set, a level outside (0, 1).
pub fn nemenyi(methods: usize, blocks: usize, alpha: f64) -> Result<f64> {
    if methods < 2 || blocks == 0 {
        let problem = format!("expected at least 2, and a data set; found {methods} and {blocks}");
        return Err(Error::parameter("methods", problem));
    }
    if !(alpha > 0.0 && alpha < 1.0) {
        let problem = format!("expected a number between 0 and 1, found {}", brief(alpha));
        return Err(Error::parameter("alpha", problem));
    }
    let (mut low, mut high) = (0.0, 50.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if range_cdf(middle, methods) < 1.0 - alpha { low = middle } else { high = middle }
    }
    let (k, n) = (methods as f64, blocks as f64);
    Ok(high / 2.0_f64.sqrt() * (k * (k + 1.0) / (6.0 * n)).sqrt())
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
mod tests {
    use super::*;

    #[test]
    fn critical_values_are_those_of_the_printed_table() {
        // Demšar 2006, Table 5(a): q for 2 to 10 methods; CD = q where k(k+1) = 6N.
        let five = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164];
        let ten = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920];
        for (alpha, table) in [(0.05, five), (0.10, ten)] {
            for (k, q) in (2..).zip(table) {
                let unit = (k as f64 * (k + 1) as f64 / 6.0).sqrt();
                let found = nemenyi(k, 1, alpha).unwrap() / unit;
                assert!((found - q).abs() < 1e-3, "{k} methods: {found}, printed {q}");
            }
        }
    }

    #[test]
    fn the_worked_example_of_demsar() {
        // Table 6 there: mean ranks 3.143, 2.000, 2.893, 1.964 over 14 data sets.
        let cd = nemenyi(4, 14, 0.05).unwrap();
        assert!((cd - 1.25).abs() < 0.01, "{cd}");
    }

    #[test]
    fn ranks_of_ties_are_means_and_methods_alike_do_not_differ() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
        let alike = friedman(&[vec![0.5; 3], vec![0.7; 3]]).unwrap();
        assert_eq!((alike.mean_ranks, alike.chi_squared), (vec![2.0; 3], 0.0));
        let clear = friedman(&[vec![0.9, 0.5], vec![0.8, 0.1], vec![0.3, 0.2]]).unwrap();
        assert_eq!((clear.mean_ranks, clear.f_p), (vec![1.0, 2.0], 0.0));
        assert_eq!(wilcoxon(&[0.0, 0.0]).unwrap().p, 1.0);
        // All of 5 above: two of the 32 assignments of signs are as extreme.
        assert_eq!(wilcoxon(&[0.1, 0.2, 0.3, 0.4, 0.5]).unwrap().p, 2.0 / 32.0);
    }

    #[test]
    fn differences_without_spread_are_certain_and_none_is_none() {
        let all = corrected_t_test(&[0.25, 0.25, 0.25], 0.5).unwrap();
        assert_eq!((all.p, all.n), (0.0, 3));
        assert_eq!(corrected_t_test(&[0.0, 0.0], 0.5).unwrap().p, 1.0);
        let usual = corrected_t_test(&[0.1, 0.2, 0.4], 0.0).unwrap();
        let corrected = corrected_t_test(&[0.1, 0.2, 0.4], 0.5).unwrap();
        assert!((usual.statistic / corrected.statistic - 2.5_f64.sqrt()).abs() < 1e-12);
        assert!(usual.p < corrected.p);
    }

    #[test]
    fn holm_by_hand() {
        let adjusted = holm(&[0.04, 0.01, 0.03]);
        let expected = [0.06, 0.03, 0.06];
        assert!(adjusted.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{adjusted:?}");
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }

    #[test]
    fn refusals() {
        let said = corrected_t_test(&[1.0], 0.0).unwrap_err().to_string();
        assert_eq!(said, "parameter 'differences': expected at least 2, found 1");
        let said = friedman(&[vec![0.1, f64::NAN], vec![0.1, 0.2]]).unwrap_err().to_string();
        assert_eq!(said, "parameter 'scores': expected finite numbers, found NaN");
        assert!(friedman(&[vec![0.1, 0.2], vec![0.1]]).is_err());
        assert!(nemenyi(3, 5, 1.0).is_err() && nemenyi(1, 5, 0.05).is_err());
        assert!(wilcoxon(&[]).is_err() && corrected_t_test(&[1.0, 2.0], -1.0).is_err());
    }
}
