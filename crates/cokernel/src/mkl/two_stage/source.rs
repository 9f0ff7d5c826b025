//! Where pairs come from: all pairs of classes, or those that are given.

use crate::data::{Classes, Link, Pairs};
use crate::{Error, Result};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Pairs of instances of equal class or must-link, and of different class or cannot-link.
pub(in crate::mkl) enum Source<'a> {
    Classes(OfClasses),
    Given(OfPairs<'a>),
}

/// Pairs that are given: there are some of both.
pub(in crate::mkl) struct OfPairs<'a> {
    pairs: &'a Pairs,
    /// Running totals of the weights of cannot-link and must-link pairs; empty where all are 1.
    totals: [Vec<f64>; 2],
}

/// All pairs of classes, which are never listed.
pub(in crate::mkl) struct OfClasses {
    /// Instances by class, and where each class begins (k + 1 numbers).
    members: Vec<u32>,
    starts: Vec<usize>,
    /// Running totals over the classes of the number of pairs of equal and of different class.
    equal: Vec<f64>,
    different: Vec<f64>,
    diagonal: bool,
}

impl<'a> Source<'a> {
    /// # Errors
    /// There is no pair of equal class (only when the diagonal is excluded).
    pub fn of_classes(classes: &Classes, diagonal: bool) -> Result<Self> {
        let counts = classes.counts();
        let n = classes.codes.len();
        let mut members: Vec<u32> = (0..n as u32).collect();
        members.sort_by_key(|&i| classes.codes[i as usize]);
        let (mut starts, mut equal, mut different) = (vec![0], Vec::new(), Vec::new());
        let (mut all_equal, mut all_different) = (0.0, 0.0);
        for &c in &counts {
            starts.push(starts[starts.len() - 1] + c);
            let c = c as f64;
            all_equal += c * if diagonal { c + 1.0 } else { c - 1.0 } / 2.0;
            all_different += c * (n as f64 - c);
            equal.push(all_equal);
            different.push(all_different);
        }
        if all_equal == 0.0 {
            return Err(Error::Labels(
                "every class has a single instance, so no two instances share a class; give more \
                 instances, or include the diagonal"
                    .to_string(),
            ));
        }
        Ok(Source::Classes(OfClasses { members, starts, equal, different, diagonal }))
    }

    /// # Errors
    /// No pair of one sign.
    pub fn given(pairs: &'a Pairs) -> Result<Self> {
        pairs.require_both()?;
        let totals = [false, true].map(|equal| {
            let mut total = 0.0;
            let add = |w: &f64| {
                total += w;
                total
            };
            pairs.weights(link(equal)).unwrap_or_default().iter().map(add).collect::<Vec<_>>()
        });
        if totals.iter().any(|t| t.last().is_some_and(|sum| !sum.is_finite())) {
            let problem = "the sum of the weights overflows; divide them by a number";
            return Err(Error::parameter("pairs", problem));
        }
        Ok(Source::Given(OfPairs { pairs, totals }))
    }

    /// The number of pairs of a sign.
    pub fn count(&self, equal: bool) -> f64 {
        match self {
            Source::Classes(c) if equal => c.equal[c.equal.len() - 1],
            // Each pair of two classes is counted at both.
            Source::Classes(c) => 0.5 * c.different[c.different.len() - 1],
            Source::Given(given) => given.pairs.of(link(equal)).len() as f64,
        }
    }

    /// All pairs of a sign, i ≥ j.
    pub fn each(&self, equal: bool) -> Vec<(u32, u32)> {
        match self {
            Source::Classes(classes) => classes.each(equal),
            Source::Given(given) => given.pairs.of(link(equal)).to_vec(),
        }
    }

    /// The same in increasing order with their weights.
    pub fn each_weighted(&self, equal: bool) -> (Vec<(u32, u32)>, Vec<f64>) {
        let mut pairs = self.each(equal);
        // Those that are given are in order.
        pairs.sort_unstable();
        let weights = match self {
            Source::Given(given) => given.pairs.weights(link(equal)),
            Source::Classes(_) => None,
        };
        let weights = weights.map_or_else(|| vec![1.0; pairs.len()], <[f64]>::to_vec);
        (pairs, weights)
    }

    /// A pair of a sign, as likely as its weight.
    pub fn draw(&self, equal: bool, rng: &mut Xoshiro256PlusPlus) -> (u32, u32) {
        match self {
            Source::Classes(classes) if equal => classes.equal_pair(rng),
            Source::Classes(classes) => classes.different_pair(rng),
            Source::Given(given) => {
                let pairs = given.pairs.of(link(equal));
                let totals = &given.totals[usize::from(equal)];
                match totals.is_empty() {
                    true => pairs[rng.random_range(0..pairs.len())],
                    false => pairs[draw(totals, rng)],
                }
            }
        }
    }
}

fn link(equal: bool) -> Link {
    if equal { Link::Must } else { Link::Cannot }
}

impl OfClasses {
    fn each(&self, equal: bool) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for class in 0..self.starts.len() - 1 {
            let (start, end) = (self.starts[class], self.starts[class + 1]);
            for a in start..end {
                let others = match equal {
                    true => start..a + usize::from(self.diagonal),
                    false => 0..start,
                };
                for b in others {
                    let (i, j) = (self.members[a], self.members[b]);
                    pairs.push((i.max(j), i.min(j)));
                }
            }
        }
        pairs
    }

    /// A pair of equal class, i ≤ j or i < j, all equally likely.
    fn equal_pair(&self, rng: &mut Xoshiro256PlusPlus) -> (u32, u32) {
        let class = draw(&self.equal, rng);
        let (start, count) = (self.starts[class], self.starts[class + 1] - self.starts[class]);
        // Two different ones of count + 1 are, with the larger less 1, a pair a ≤ b of count.
        let more = usize::from(self.diagonal);
        let a = rng.random_range(0..count + more);
        let mut b = rng.random_range(0..count + more - 1);
        b += usize::from(b >= a);
        let (a, b) = (a.min(b), a.max(b) - more);
        (self.members[start + a], self.members[start + b])
    }

    /// A pair of different classes, all equally likely.
    fn different_pair(&self, rng: &mut Xoshiro256PlusPlus) -> (u32, u32) {
        let class = draw(&self.different, rng);
        let (start, end) = (self.starts[class], self.starts[class + 1]);
        let i = rng.random_range(start..end);
        let mut j = rng.random_range(0..self.members.len() - (end - start));
        if j >= start {
            j += end - start;
        }
        (self.members[i], self.members[j])
    }
}

/// The first index whose running total exceeds a uniform draw.
fn draw(totals: &[f64], rng: &mut Xoshiro256PlusPlus) -> usize {
    let all = totals[totals.len() - 1];
    let u = rng.random::<f64>() * all;
    // A draw that rounds to the total belongs to the last index that adds to it.
    totals.partition_point(|t| *t <= u).min(totals.partition_point(|t| *t < all))
}
