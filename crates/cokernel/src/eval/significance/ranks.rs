//! Tests by ranks: two methods on several data sets, and more than two.

use super::{Tested, distribution, finite, largest, snapped};
use crate::{Error, Result, brief};
use serde::Serialize;
use statrs::distribution::{ChiSquared, Continuous, ContinuousCDF, FisherSnedecor, Normal};

/// Differences up to this number have the exact distribution of the signed ranks.
const EXACT: usize = 50;

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

/// Ranks of values from the smallest, 1, on; equal values share the mean of their ranks.
pub(super) fn ranks(values: &[f64]) -> Vec<f64> {
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
    let whole = snapped(differences, largest(differences));
    let kept: Vec<f64> = whole.iter().copied().filter(|d| *d != 0.0).collect();
    let n = kept.len();
    if n == 0 {
        return Ok(Tested { statistic: 0.0, p: 1.0, n });
    }
    let sizes: Vec<f64> = kept.iter().map(|d| d.abs()).collect();
    let ranks = ranks(&sizes);
    // The sum of nothing is −0.
    let above =
        ranks.iter().zip(&kept).filter(|(_, d)| **d > 0.0).map(|(r, _)| r).sum::<f64>() + 0.0;
    let all = (n * (n + 1)) as f64 / 2.0;
    let statistic = above.min(all - above);
    if n <= EXACT {
        return Ok(Tested { statistic, p: exact(&ranks, statistic), n });
    }
    let variance = n as f64 * (n + 1) as f64 * (2 * n + 1) as f64 / 24.0 - ties(&sizes) / 48.0;
    let z = (statistic - all / 2.0) / variance.sqrt();
    Ok(Tested { statistic, p: (2.0 * Normal::standard().cdf(z)).min(1.0), n })
}

/// The signed-rank test in the form of LMKA (A.2), which the tables there use: ranks of zeros are split evenly
/// between both sums, one zero is left out if their number is odd, and the smaller sum T is compared with a normal
/// distribution without corrections for ties and continuity, z = (T − M(M+1)/4) / √(M(M+1)(2M+1)/24) for M
/// differences.
///
/// # Errors
/// As [`wilcoxon`].
pub fn wilcoxon_with_zeros(differences: &[f64]) -> Result<Tested> {
    finite("differences", differences)?;
    if differences.is_empty() {
        return Err(Error::parameter("differences", "expected at least 1, found 0"));
    }
    let whole = snapped(differences, largest(differences));
    let zeros = whole.iter().filter(|d| **d == 0.0).count();
    let kept = whole.iter().copied().filter(|d| *d != 0.0);
    let kept: Vec<f64> = kept.chain(std::iter::repeat_n(0.0, zeros - zeros % 2)).collect();
    let n = kept.len();
    if n == 0 {
        return Ok(Tested { statistic: 0.0, p: 1.0, n });
    }
    let ranks = ranks(&kept.iter().map(|d| d.abs()).collect::<Vec<_>>());
    let share = |d: f64| {
        if d > 0.0 {
            1.0
        } else if d == 0.0 {
            0.5
        } else {
            0.0
        }
    };
    let above: f64 = ranks.iter().zip(&kept).map(|(r, d)| r * share(*d)).sum();
    let m = n as f64;
    let statistic = above.min(m * (m + 1.0) / 2.0 - above);
    let deviation = (m * (m + 1.0) * (2.0 * m + 1.0) / 24.0).sqrt();
    let z = (statistic - m * (m + 1.0) / 4.0) / deviation;
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
        let turned: Vec<f64> = snapped(row, largest(row)).iter().map(|v| -v).collect();
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

/// The probability that the range of k standard normal values is above q: k ∫ φ(z) [Φ(z)^(k−1) − (Φ(z) −
/// Φ(z − q))^(k−1)] dz over the largest of them, by Simpson's rule. The difference is taken without cancellation.
fn range_tail(q: f64, k: usize) -> f64 {
    const STEPS: usize = 2000;
    let normal = Normal::standard();
    let (from, to) = (-8.5, 8.5);
    let h = (to - from) / STEPS as f64;
    let value = |i: usize| {
        let z = from + i as f64 * h;
        let (below, outside) = (normal.cdf(z), normal.cdf(z - q));
        let others = (k - 1) as f64;
        let part = -(others * (-outside / below).max(-1.0).ln_1p()).exp_m1();
        let weight = if i == 0 || i == STEPS {
            1.0
        } else if i % 2 == 1 {
            4.0
        } else {
            2.0
        };
        weight * normal.pdf(z) * below.powf(others) * part
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
        if range_tail(middle, methods) > alpha { low = middle } else { high = middle }
    }
    let (k, n) = (methods as f64, blocks as f64);
    Ok(high / 2.0_f64.sqrt() * (k * (k + 1.0) / (6.0 * n)).sqrt())
}
