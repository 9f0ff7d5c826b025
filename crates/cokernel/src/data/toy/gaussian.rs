//! Gaussian clusters seen by several views (LMS §3.3.1, §4.3).

use super::{check_count, normal};
use crate::data::{Labels, Matrix, Views};
use crate::{Error, Result, Run, brief};
use rand::{Rng, RngExt};

/// Mean and covariance of one cluster in one view of two columns.
struct Cluster {
    mean: [f64; 2],
    /// σ₁₁, σ₁₂, σ₂₂.
    covariance: [f64; 3],
}

const fn cluster(mean: [f64; 2], covariance: [f64; 3]) -> Cluster {
    Cluster { mean, covariance }
}

/// Synthetic data 1 of LMS §4.3: the two clusters of each view.
const SYNTHETIC_1: [[Cluster; 2]; 2] = [
    [cluster([1.0, 1.0], [1.0, 0.5, 1.5]), cluster([2.0, 2.0], [0.3, 0.0, 0.6])],
    [cluster([2.0, 2.0], [0.3, 0.0, 0.6]), cluster([1.0, 1.0], [1.0, 0.5, 1.5])],
];

/// Synthetic data 2 of LMS §4.3, which is also the synthetic data of LMS §3.4.
const SYNTHETIC_2: [[Cluster; 2]; 3] = [
    [cluster([1.0, 1.0], [1.0, 0.5, 1.5]), cluster([3.0, 4.0], [0.3, 0.2, 0.6])],
    [cluster([1.0, 2.0], [1.0, -0.2, 1.0]), cluster([2.0, 2.0], [0.6, 0.1, 0.5])],
    [cluster([1.0, 1.0], [1.2, 0.2, 1.0]), cluster([3.0, 3.0], [1.0, 0.4, 0.7])],
];

/// Synthetic data 1 of LMS §4.3: two views (`view1`, `view2`) of two columns, two Gaussian
/// clusters (classes `1` and `2`) whose parameters change places between the views; n = 1000 in
/// the thesis.
///
/// Choices where the thesis is silent: each instance is in either cluster with probability ½
/// (so the clusters differ a little in size), and given the cluster the views are independent.
///
/// # Errors
/// n is 0.
pub fn synthetic_1(n: usize, seed: u64) -> Result<(Views, Labels)> {
    mixture(&SYNTHETIC_1, n, seed, "toy synthetic 1")
}

/// Synthetic data 2 of LMS §4.3 and §3.4: three views (`view1` to `view3`) of two columns, two
/// Gaussian clusters (classes `1` and `2`); n = 1000 in the thesis. Choices as in
/// [`synthetic_1`]; "the features are correlated" (§4.3) is read as the covariance within views.
///
/// # Errors
/// n is 0.
pub fn synthetic_2(n: usize, seed: u64) -> Result<(Views, Labels)> {
    mixture(&SYNTHETIC_2, n, seed, "toy synthetic 2")
}

fn mixture(views: &[[Cluster; 2]], n: usize, seed: u64, purpose: &str) -> Result<(Views, Labels)> {
    check_count(n)?;
    let mut rng = Run::with_seed(seed).rng(purpose);
    let mut tables = vec![Matrix::zeros(n, 2); views.len()];
    let mut classes = Vec::with_capacity(n);
    for i in 0..n {
        let class = either(&mut rng);
        for (table, clusters) in tables.iter_mut().zip(views) {
            let point = draw(&clusters[class], &mut rng);
            table.row_mut(i).copy_from_slice(&point);
        }
        classes.push(class);
    }
    named(tables, &classes)
}

/// Correlated views of LMS §3.3.1: two Gaussian clusters in four dimensions, means (1, 1, 1, 1)
/// and (3, 3, 3, 3), variances 1; `view1` has the first two coordinates, `view2` the last two,
/// and the correlation of the j-th columns of both is `rho`. n = 1000 and ρ from −1 to 1 in the
/// thesis. Each instance is in either cluster (classes `1` and `2`) with probability ½.
///
/// # Errors
/// n is 0; ρ is not in [−1, 1].
pub fn correlated(n: usize, rho: f64, seed: u64) -> Result<(Views, Labels)> {
    check_count(n)?;
    if !(-1.0..=1.0).contains(&rho) {
        let problem = format!("expected a correlation from -1 to 1, found {}", brief(rho));
        return Err(Error::parameter("rho", problem));
    }
    let mut rng = Run::with_seed(seed).rng("toy correlated");
    // The Cholesky factor of the covariance, which also holds where it is singular.
    let own = ((1.0 - rho) * (1.0 + rho)).sqrt();
    let (mut first, mut second) = (Matrix::zeros(n, 2), Matrix::zeros(n, 2));
    let mut classes = Vec::with_capacity(n);
    for i in 0..n {
        let class = either(&mut rng);
        let mean = [1.0, 3.0][class];
        for j in 0..2 {
            let (z, w) = (normal(&mut rng), normal(&mut rng));
            first.set(i, j, mean + z);
            second.set(i, j, mean + rho * z + own * w);
        }
        classes.push(class);
    }
    named(vec![first, second], &classes)
}

/// 0 or 1 with equal probability.
fn either(rng: &mut impl Rng) -> usize {
    usize::from(rng.random::<f64>() >= 0.5)
}

/// A normal point: mean + L z, where L Lᵀ is the covariance.
fn draw(cluster: &Cluster, rng: &mut impl Rng) -> [f64; 2] {
    let [a, b, c] = cluster.covariance;
    let l11 = a.sqrt();
    let l21 = b / l11;
    let l22 = (c - l21 * l21).sqrt();
    let (z, w) = (normal(rng), normal(rng));
    [cluster.mean[0] + l11 * z, cluster.mean[1] + l21 * z + l22 * w]
}

/// Views `view1`, `view2`, … and classes `1`, `2`.
fn named(tables: Vec<Matrix>, classes: &[usize]) -> Result<(Views, Labels)> {
    let mut views = Views::new();
    for (v, table) in tables.into_iter().enumerate() {
        views = views.dense(format!("view{}", v + 1), table)?;
    }
    let texts: Vec<&str> = classes.iter().map(|c| ["1", "2"][*c]).collect();
    Ok((views, Labels::from_texts(&texts)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Table;

    /// Mean and covariance of the instances of a class, over columns of all views side by side.
    fn moments(views: &Views, labels: &Labels, class: u32) -> (Vec<f64>, Matrix) {
        let classes = labels.classes().unwrap();
        let rows: Vec<usize> = (0..views.n()).filter(|i| classes.codes[*i] == class).collect();
        // Equal probability: within five standard deviations of half.
        let half = views.n() as f64 / 2.0;
        assert!((rows.len() as f64 - half).abs() < 2.5 * (2.0 * half).sqrt(), "{}", rows.len());
        let tables: Vec<&Matrix> = views
            .iter()
            .map(|v| match &v.table {
                Table::Dense(m) => m,
                _ => panic!("dense"),
            })
            .collect();
        let row =
            |i: usize| -> Vec<f64> { tables.iter().flat_map(|t| t.row(i).to_vec()).collect() };
        let d = 2 * tables.len();
        let mut mean = vec![0.0; d];
        for &i in &rows {
            mean.iter_mut().zip(row(i)).for_each(|(m, v)| *m += v / rows.len() as f64);
        }
        let mut covariance = Matrix::zeros(d, d);
        for &i in &rows {
            let r = row(i);
            for a in 0..d {
                for b in 0..d {
                    let add = (r[a] - mean[a]) * (r[b] - mean[b]) / rows.len() as f64;
                    covariance.set(a, b, covariance.get(a, b) + add);
                }
            }
        }
        (mean, covariance)
    }

    const N: usize = 100_000;
    /// Five standard errors of a variance of 1.5 from n/2 instances.
    const NEAR: f64 = 0.05;

    fn assert_near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (f, e) in found.iter().zip(expected) {
            assert!((f - e).abs() < NEAR, "{found:?} and {expected:?}");
        }
    }

    #[test]
    fn synthetic_1_has_the_printed_moments() {
        let (views, labels) = synthetic_1(N, 5).unwrap();
        let names: Vec<&str> = views.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names, ["view1", "view2"]);
        let (mean, covariance) = moments(&views, &labels, 0);
        assert_near(&mean, &[1.0, 1.0, 2.0, 2.0]);
        #[rustfmt::skip]
        assert_near(covariance.values(), &[
            1.0, 0.5, 0.0, 0.0,
            0.5, 1.5, 0.0, 0.0,
            0.0, 0.0, 0.3, 0.0,
            0.0, 0.0, 0.0, 0.6,
        ]);
        let (mean, covariance) = moments(&views, &labels, 1);
        assert_near(&mean, &[2.0, 2.0, 1.0, 1.0]);
        #[rustfmt::skip]
        assert_near(covariance.values(), &[
            0.3, 0.0, 0.0, 0.0,
            0.0, 0.6, 0.0, 0.0,
            0.0, 0.0, 1.0, 0.5,
            0.0, 0.0, 0.5, 1.5,
        ]);
    }

    #[test]
    fn synthetic_2_has_the_printed_moments() {
        let (views, labels) = synthetic_2(N, 6).unwrap();
        let (mean, covariance) = moments(&views, &labels, 0);
        assert_near(&mean, &[1.0, 1.0, 1.0, 2.0, 1.0, 1.0]);
        #[rustfmt::skip]
        assert_near(covariance.values(), &[
            1.0, 0.5, 0.0, 0.0, 0.0, 0.0,
            0.5, 1.5, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 1.0, -0.2, 0.0, 0.0,
            0.0, 0.0, -0.2, 1.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 1.2, 0.2,
            0.0, 0.0, 0.0, 0.0, 0.2, 1.0,
        ]);
        let (mean, covariance) = moments(&views, &labels, 1);
        assert_near(&mean, &[3.0, 4.0, 2.0, 2.0, 3.0, 3.0]);
        #[rustfmt::skip]
        assert_near(covariance.values(), &[
            0.3, 0.2, 0.0, 0.0, 0.0, 0.0,
            0.2, 0.6, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.6, 0.1, 0.0, 0.0,
            0.0, 0.0, 0.1, 0.5, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 1.0, 0.4,
            0.0, 0.0, 0.0, 0.0, 0.4, 0.7,
        ]);
    }

    #[test]
    fn the_correlation_is_the_one_asked_for() {
        for rho in [-1.0, -0.4, 0.0, 0.7, 1.0] {
            let (views, labels) = correlated(N, rho, 7).unwrap();
            for (class, centre) in [(0, 1.0), (1, 3.0)] {
                let (mean, covariance) = moments(&views, &labels, class);
                assert_near(&mean, &[centre; 4]);
                #[rustfmt::skip]
                assert_near(covariance.values(), &[
                    1.0, 0.0, rho, 0.0,
                    0.0, 1.0, 0.0, rho,
                    rho, 0.0, 1.0, 0.0,
                    0.0, rho, 0.0, 1.0,
                ]);
            }
        }
        // At the ends the views say the same.
        let (views, labels) = correlated(20, -1.0, 1).unwrap();
        let table = |name| match &views.get(name).unwrap().table {
            Table::Dense(m) => m.clone(),
            _ => panic!("dense"),
        };
        let codes = labels.classes().unwrap().codes;
        for i in 0..20 {
            let sum = [2.0, 6.0][codes[i] as usize];
            for j in 0..2 {
                let (a, b) = (table("view1").get(i, j), table("view2").get(i, j));
                assert!((a + b - sum).abs() < 1e-12);
            }
        }
    }
}
