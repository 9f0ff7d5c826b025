//! Similarity matrices of two known clusters, one of which is wrong in a known way (LMS §3.3.2,
//! §3.3.3, §4.2.3).

use super::check_count;
use crate::data::{Labels, Matrix, Table, Views};
use crate::{Error, Result, Run, brief};
use rand::RngExt;

/// Two similarity views with complementary corruption (LMS §3.3.2). In `view1` and `view2` the
/// first n/2 instances (class `1`) are 1 similar to each other, so are the last n/2 (class `2`);
/// between the classes, half of the pairs drawn at random are `alpha` similar in `view1` and 0 in
/// `view2`, the other half the other way round. n = 1000 and α from 0.5 to 200 in the thesis.
///
/// The half is exact: ⌊(n/2)²/2⌋ of the (n/2)² pairs have α in `view1`.
///
/// # Errors
/// n is 0 or odd; α is negative or not a finite number.
pub fn complementary_corruption(n: usize, alpha: f64, seed: u64) -> Result<(Views, Labels)> {
    check_multiple(n, 2)?;
    if !(alpha.is_finite() && alpha >= 0.0) {
        let problem = format!("expected a finite number of at least 0, found {}", brief(alpha));
        return Err(Error::parameter("alpha", problem));
    }
    let half = n / 2;
    let mut rng = Run::with_seed(seed).rng("toy corruption");
    // Selection sampling: each pair with probability (still to draw) / (still to come).
    let mut first = blocks(n);
    let mut second = first.clone();
    let mut wanted = half * half / 2;
    let mut left = half * half;
    for i in 0..half {
        for j in half..n {
            let chosen = rng.random_range(0..left) < wanted;
            left -= 1;
            wanted -= usize::from(chosen);
            let target = if chosen { &mut first } else { &mut second };
            target.set(i, j, alpha);
            target.set(j, i, alpha);
        }
    }
    halves(first, second)
}

/// What stands in the view that says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uninformative {
    /// 1 everywhere.
    Ones,
    /// Uniform random numbers in [0, 1), symmetric, the diagonal included.
    Random,
}

/// Two similarity views of which the second says nothing (LMS §3.3.3, §4.2.3): `view1` has ones
/// within the first n/2 instances (class `1`) and within the last n/2 (class `2`), and zeros
/// between them; `view2` is as `content` says. The seed matters for random content only. The
/// thesis does not print n.
///
/// # Errors
/// n is 0 or odd.
pub fn uninformative(n: usize, content: Uninformative, seed: u64) -> Result<(Views, Labels)> {
    check_multiple(n, 2)?;
    let mut second = Matrix::from_fn(n, n, |_, _| 1.0);
    if content == Uninformative::Random {
        let mut rng = Run::with_seed(seed).rng("toy uninformative");
        for i in 0..n {
            for j in 0..=i {
                let value = rng.random::<f64>();
                second.set(i, j, value);
                second.set(j, i, value);
            }
        }
    }
    halves(blocks(n), second)
}

/// Two similarity views that contradict each other (LMS §3.3.3, §4.2.3): `view1` has ones within
/// the first n/2 instances (class `1`) and within the last n/2 (class `2`), `view2` ones within
/// the middle n/2 and among the first and last n/4 together; zeros elsewhere. Nothing is random.
/// The thesis does not print n.
///
/// # Errors
/// n is 0 or not a multiple of 4.
pub fn contradictory(n: usize) -> Result<(Views, Labels)> {
    check_multiple(n, 4)?;
    let middle = |i: usize| (n / 4..n / 4 + n / 2).contains(&i);
    let second = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(middle(i) == middle(j))));
    halves(blocks(n), second)
}

fn check_multiple(n: usize, of: usize) -> Result<()> {
    check_count(n)?;
    if !n.is_multiple_of(of) {
        return Err(Error::parameter("n", format!("expected a multiple of {of}, found {n}")));
    }
    Ok(())
}

/// Ones within either half.
fn blocks(n: usize) -> Matrix {
    Matrix::from_fn(n, n, |i, j| f64::from(u8::from((i < n / 2) == (j < n / 2))))
}

fn halves(first: Matrix, second: Matrix) -> Result<(Views, Labels)> {
    let n = first.rows();
    let texts: Vec<&str> = (0..n).map(|i| if i < n / 2 { "1" } else { "2" }).collect();
    let views = Views::new()
        .with("view1", Table::Similarity(first))?
        .with("view2", Table::Similarity(second))?;
    Ok((views, Labels::from_texts(&texts)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn similarities(views: &Views) -> [&Matrix; 2] {
        ["view1", "view2"].map(|name| match &views.get(name).unwrap().table {
            Table::Similarity(m) => {
                let n = m.rows();
                assert!((0..n * n).all(|p| m.get(p / n, p % n) == m.get(p % n, p / n)));
                m
            }
            _ => panic!("similarities"),
        })
    }

    fn assert_halves(labels: &Labels, n: usize) {
        let codes = labels.classes().unwrap().codes;
        assert!((0..n).all(|i| codes[i] == u32::from(i >= n / 2)));
    }

    #[test]
    fn corruption_is_complementary_and_half() {
        for (n, alpha) in [(2, 0.5), (6, 2.0), (40, 200.0)] {
            let (views, labels) = complementary_corruption(n, alpha, 3).unwrap();
            assert_halves(&labels, n);
            let [a, b] = similarities(&views);
            let half = n / 2;
            let mut corrupted = 0;
            for i in 0..n {
                for j in 0..n {
                    let pair = (a.get(i, j), b.get(i, j));
                    if (i < half) == (j < half) {
                        assert_eq!(pair, (1.0, 1.0));
                    } else {
                        assert!(pair == (alpha, 0.0) || pair == (0.0, alpha), "{pair:?}");
                        corrupted += usize::from(i < j && pair.0 > 0.0);
                    }
                }
            }
            assert_eq!(corrupted, half * half / 2);
        }
        // At random: no row of 200 has all or none, rows differ.
        let (views, _) = complementary_corruption(400, 1.0, 3).unwrap();
        let [a, _] = similarities(&views);
        let sums: Vec<f64> = (0..200).map(|i| a.row(i)[200..].iter().sum()).collect();
        assert!(sums.iter().all(|s| (60.0..=140.0).contains(s)), "{sums:?}");
        assert!(sums.iter().any(|s| *s != sums[0]));
    }

    #[test]
    fn the_second_view_says_nothing() {
        let (views, labels) = uninformative(6, Uninformative::Ones, 0).unwrap();
        assert_halves(&labels, 6);
        let [a, b] = similarities(&views);
        assert!(b.values().iter().all(|v| *v == 1.0));
        #[rustfmt::skip]
        assert_eq!(a.values(), [
            1.0, 1.0, 1.0, 0.0, 0.0, 0.0,
            1.0, 1.0, 1.0, 0.0, 0.0, 0.0,
            1.0, 1.0, 1.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 1.0, 1.0, 1.0,
            0.0, 0.0, 0.0, 1.0, 1.0, 1.0,
            0.0, 0.0, 0.0, 1.0, 1.0, 1.0,
        ]);
        let (views, _) = uninformative(300, Uninformative::Random, 0).unwrap();
        let [_, b] = similarities(&views);
        assert!(b.values().iter().all(|v| (0.0..1.0).contains(v)));
        let mean = b.values().iter().sum::<f64>() / 9e4;
        let square = b.values().iter().map(|v| v * v).sum::<f64>() / 9e4;
        assert!((mean - 0.5).abs() < 0.01 && (square - 1.0 / 3.0).abs() < 0.01);
    }

    #[test]
    fn the_views_contradict_each_other() {
        let (views, labels) = contradictory(4).unwrap();
        assert_halves(&labels, 4);
        let [a, b] = similarities(&views);
        #[rustfmt::skip]
        assert_eq!(a.values(), [
            1.0, 1.0, 0.0, 0.0,
            1.0, 1.0, 0.0, 0.0,
            0.0, 0.0, 1.0, 1.0,
            0.0, 0.0, 1.0, 1.0,
        ]);
        #[rustfmt::skip]
        assert_eq!(b.values(), [
            1.0, 0.0, 0.0, 1.0,
            0.0, 1.0, 1.0, 0.0,
            0.0, 1.0, 1.0, 0.0,
            1.0, 0.0, 0.0, 1.0,
        ]);
    }
}
