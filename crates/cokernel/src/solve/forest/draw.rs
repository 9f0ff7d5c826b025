//! Which examples the trees of a forest learn from.

use crate::{Error, Result};
use rand::RngExt;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_xoshiro::Xoshiro256PlusPlus;

/// From which examples a tree learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draw {
    /// All, once.
    All,
    /// N, with replacement.
    Bootstrap,
    /// N/2 of each class, with replacement, each example of a class as likely as its weight.
    Balanced,
}

/// The examples of either class, negative ones first, and how likely each is where that differs.
pub(super) struct Classes([(Vec<usize>, Option<WeightedIndex<f64>>); 2]);

impl Classes {
    pub(super) fn of(positive: &[bool], weights: Option<&[f64]>) -> Result<Self> {
        let class = |class: bool| -> Result<_> {
            let own: Vec<usize> = (0..positive.len()).filter(|i| positive[*i] == class).collect();
            let chances = match weights.filter(|_| !own.is_empty()) {
                Some(weights) => {
                    Some(WeightedIndex::new(own.iter().map(|i| weights[*i])).map_err(|e| {
                        Error::Data(format!("weights of the examples of a forest: {e}"))
                    })?)
                }
                None => None,
            };
            Ok((own, chances))
        };
        Ok(Classes([class(false)?, class(true)?]))
    }

    /// How often each of n examples is drawn.
    pub(super) fn drawn(&self, n: usize, draw: Draw, rng: &mut Xoshiro256PlusPlus) -> Vec<u32> {
        let mut times = vec![0; n];
        match draw {
            Draw::All => times.fill(1),
            Draw::Bootstrap => (0..n).for_each(|_| times[rng.random_range(0..n)] += 1),
            Draw::Balanced => {
                for (class, (own, chances)) in self.0.iter().enumerate() {
                    for _ in 0..n / 2 + class * (n % 2) {
                        let chosen = match chances {
                            Some(chances) => chances.sample(rng),
                            None => rng.random_range(0..own.len()),
                        };
                        times[own[chosen]] += 1;
                    }
                }
            }
        }
        times
    }
}
