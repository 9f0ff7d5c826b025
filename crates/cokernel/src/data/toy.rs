//! Generated data for examples and tests, and the toy data of the papers (METHODS K6). The same
//! seed gives the same bits.

mod gaussian;
mod graphs;
mod tasks;

pub use gaussian::{correlated, synthetic_1, synthetic_2};
pub use graphs::{Uninformative, complementary_corruption, contradictory, uninformative};
pub use tasks::{strays, waves};

use super::{Labels, Matrix, Views};
use crate::{Error, Result, Run, brief};
use rand::{Rng, RngExt};

/// A Gaussian mixture seen from several sides: `n` instances in `n_classes` balanced classes
/// (instance i is in class i mod `n_classes`), one dense view per entry of `informativeness`,
/// named `view0`, `view1`, ….
///
/// Each view has `n_classes` columns: the centre of class c lies on axis c, and around it the
/// values are normal with standard deviation 1, independent between views. The entry of
/// `informativeness` is the distance between any two centres: with 0 the view is noise, with 6
/// the classes hardly overlap.
///
/// # Errors
/// There is no instance, class or view, or a distance is not a finite number.
pub fn views(
    n: usize,
    n_classes: usize,
    informativeness: &[f64],
    seed: u64,
) -> Result<(Views, Labels)> {
    if n == 0 || n_classes == 0 {
        return Err(Error::parameter("n, n_classes", "expected at least 1"));
    }
    if informativeness.is_empty() || informativeness.iter().any(|s| !s.is_finite()) {
        let problem = "expected one finite distance for each view";
        return Err(Error::parameter("informativeness", problem));
    }
    let mut rng = Run::with_seed(seed).rng("toy views");
    let mut views = Views::new();
    for (v, distance) in informativeness.iter().enumerate() {
        let features = Matrix::from_fn(n, n_classes, |i, j| {
            let centre = if j == i % n_classes { distance / 2.0_f64.sqrt() } else { 0.0 };
            centre + normal(&mut rng)
        });
        views = views.dense(format!("view{v}"), features)?;
    }
    Ok((views, labels(n, n_classes)))
}

/// Two rings around the origin, of radius 1 (class 0, even instances) and 2 (class 1, odd ones),
/// with normal noise of standard deviation `noise` in both coordinates: one view `plane`.
/// No straight line separates them; a Gaussian kernel does.
///
/// # Errors
/// There is no instance, or the noise is negative or not a finite number.
pub fn two_circles(n: usize, noise: f64, seed: u64) -> Result<(Views, Labels)> {
    check_count(n)?;
    if !(noise.is_finite() && noise >= 0.0) {
        let problem = format!("expected a finite number of at least 0, found {}", brief(noise));
        return Err(Error::parameter("noise", problem));
    }
    let mut rng = Run::with_seed(seed).rng("toy circles");
    let mut values = Vec::with_capacity(2 * n);
    for i in 0..n {
        let angle = std::f64::consts::TAU * rng.random::<f64>();
        let radius = (1 + i % 2) as f64;
        values.push(radius * angle.cos() + noise * normal(&mut rng));
        values.push(radius * angle.sin() + noise * normal(&mut rng));
    }
    Ok((Views::new().dense("plane", Matrix::new(n, 2, values)?)?, labels(n, 2)))
}

fn check_count(n: usize) -> Result<()> {
    if n == 0 {
        return Err(Error::parameter("n", "expected at least 1"));
    }
    Ok(())
}

fn labels(n: usize, n_classes: usize) -> Labels {
    let texts: Vec<String> = (0..n).map(|i| (i % n_classes).to_string()).collect();
    Labels::from_texts(&texts)
}

/// A standard normal number, by the transform of Box and Muller.
fn normal(rng: &mut impl Rng) -> f64 {
    // 1 - u lies in (0, 1], where the logarithm is finite.
    let (u, v) = (1.0 - rng.random::<f64>(), rng.random::<f64>());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Table;

    #[test]
    fn centres_lie_at_the_given_distance() {
        let (views, labels) = views(3000, 3, &[0.0, 4.0], 7).unwrap();
        let classes = labels.classes().unwrap();
        assert_eq!(classes.counts(), [1000; 3]);
        for (view, expected) in views.iter().zip([0.0, 4.0]) {
            let Table::Dense(m) = &view.table else { panic!("dense") };
            let mean =
                |c: usize, j: usize| (0..1000).map(|k| m.get(3 * k + c, j)).sum::<f64>() / 1000.0;
            for (a, b) in [(0, 1), (0, 2), (1, 2)] {
                let square: f64 = (0..3).map(|j| (mean(a, j) - mean(b, j)).powi(2)).sum();
                assert!((square.sqrt() - expected).abs() < 0.2, "{a} {b}: {square}");
            }
            let spread: f64 = (0..1000).map(|k| (m.get(3 * k, 1) - mean(0, 1)).powi(2)).sum();
            assert!((spread / 1000.0 - 1.0).abs() < 0.15, "{spread}");
        }
    }

    #[test]
    fn seeds_repeat_and_differ() {
        let make = |seed| views(20, 2, &[1.0], seed).unwrap();
        assert_eq!(make(1), make(1));
        assert_ne!(make(1), make(2));
        assert_eq!(synthetic_1(9, 1).unwrap(), synthetic_1(9, 1).unwrap());
        assert_ne!(synthetic_1(9, 1).unwrap(), synthetic_1(9, 2).unwrap());
        assert_eq!(synthetic_2(9, 1).unwrap(), synthetic_2(9, 1).unwrap());
        assert_ne!(synthetic_2(9, 1).unwrap(), synthetic_2(9, 2).unwrap());
        assert_eq!(correlated(9, 0.5, 1).unwrap(), correlated(9, 0.5, 1).unwrap());
        assert_ne!(correlated(9, 0.5, 1).unwrap(), correlated(9, 0.5, 2).unwrap());
        let corrupted = |seed| complementary_corruption(20, 2.0, seed).unwrap();
        assert_eq!(corrupted(1), corrupted(1));
        assert_ne!(corrupted(1), corrupted(2));
        let random = |seed| uninformative(8, Uninformative::Random, seed).unwrap();
        assert_eq!(random(1), random(1));
        assert_ne!(random(1), random(2));
        let (a, _) = two_circles(50, 0.0, 3).unwrap();
        let Table::Dense(m) = &a.get("plane").unwrap().table else { panic!("dense") };
        for i in 0..50 {
            let radius = m.get(i, 0).hypot(m.get(i, 1));
            assert!((radius - (1 + i % 2) as f64).abs() < 1e-12);
        }
    }
}
