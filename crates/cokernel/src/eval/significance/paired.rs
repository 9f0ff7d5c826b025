//! Tests for two methods on splits of one data set.

use super::{Tested, distribution, finite, of_one};
use crate::eval::Stat;
use crate::{Error, Result, brief};
use statrs::distribution::{ContinuousCDF, FisherSnedecor, StudentsT};

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
    let stat = Stat::new(of_one(differences));
    if stat.mean == 0.0 {
        return Ok(Tested { statistic: 0.0, p: 1.0, n });
    }
    let statistic = stat.mean / ((1.0 / n as f64 + test_over_train).sqrt() * stat.sd);
    let t = distribution(StudentsT::new(0.0, 1.0, (n - 1) as f64))?;
    let p = if statistic.is_finite() { 2.0 * t.sf(statistic.abs()) } else { 0.0 };
    Ok(Tested { statistic, p, n })
}

/// The combined 5×2 cv F test of E. Alpaydın (*Combined 5×2 cv F test for comparing supervised classification
/// learning algorithms*, Neural Computation 11, 1999; LMKA (A.1)): with the differences p_i1, p_i2 of both folds of
/// replication i, p̄_i their mean and s_i² = Σ_j (p_ij − p̄_i)², f = Σ p_ij² / (2 Σ s_i²) has an F distribution with 10 and 5
/// degrees of freedom if both methods are equally good. (LMKA prints f without the 2.)
///
/// `differences`: ten numbers, those of a replication after each other. Without any spread f is infinite, or 0 where
/// all are zero.
///
/// # Errors
/// Not ten differences, or numbers that are not finite.
pub fn f_5x2(differences: &[f64]) -> Result<Tested> {
    finite("differences", differences)?;
    let n = differences.len();
    if n != 10 {
        let problem = format!("expected 10, two for each of five replications, found {n}");
        return Err(Error::parameter("differences", problem));
    }
    let differences = of_one(differences);
    let above: f64 = differences.iter().map(|p| p * p).sum();
    // Σ_j (p_j − p̄)² of two numbers is half the square of their difference.
    let below: f64 = differences.chunks(2).map(|p| (p[0] - p[1]).powi(2)).sum();
    if above == 0.0 {
        return Ok(Tested { statistic: 0.0, p: 1.0, n });
    }
    let statistic = above / below;
    let p = match statistic.is_finite() {
        true => distribution(FisherSnedecor::new(10.0, 5.0))?.sf(statistic),
        false => 0.0,
    };
    Ok(Tested { statistic, p, n })
}
