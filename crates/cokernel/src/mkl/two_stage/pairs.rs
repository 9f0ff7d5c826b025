//! Balanced random pairs of instances and their K-examples, in bounded memory.

use crate::bank::Bank;
use crate::mkl::Problem;
use crate::{Error, Result, Run};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Bytes for the K-examples that are held at a time.
pub(super) const BUFFER: usize = 8 << 20;
/// Draws after which a part counts as empty.
const PATIENCE: usize = 1000;

/// From which pairs to draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Part {
    /// All pairs.
    All,
    /// Four fifths.
    Training,
    /// The other fifth.
    Validation,
}

/// K-examples with their signs.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    kernels: usize,
    examples: Vec<f64>,
    signs: Vec<f64>,
    /// Where example k of the stream lies in `examples`.
    places: Vec<u32>,
    pairs: Vec<(u32, u32)>,
}

impl Chunk {
    /// A chunk of these examples, in this order.
    #[cfg(test)]
    pub fn of(kernels: usize, examples: Vec<f64>, signs: Vec<f64>) -> Self {
        let places = (0..signs.len() as u32).collect();
        Chunk { kernels, examples, signs, places, pairs: Vec::new() }
    }

    /// `count` examples from `first` on, with their signs.
    pub fn range(&self, first: usize, count: usize) -> impl Iterator<Item = (&[f64], f64)> {
        (first..first + count).map(|k| {
            let place = self.places[k] as usize;
            (&self.examples[place * self.kernels..(place + 1) * self.kernels], self.signs[k])
        })
    }

    /// All examples.
    pub fn iter(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.range(0, self.signs.len())
    }
}

/// The pairs of the instances of one problem.
pub(super) struct Sampler<'a> {
    bank: &'a Bank,
    /// Instances by class, and where each class begins (k + 1 numbers).
    members: Vec<u32>,
    starts: Vec<usize>,
    /// Running totals over the classes of the number of pairs of equal and of different class.
    equal: Vec<f64>,
    different: Vec<f64>,
    diagonal: bool,
    /// 1/s.
    factor: f64,
    seed: u64,
    run: Run,
}

impl<'a> Sampler<'a> {
    /// # Errors
    /// There is no pair of equal class (only when the diagonal is excluded).
    pub fn new(problem: &Problem<'a>, diagonal: bool, run: &Run) -> Result<Self> {
        let counts = problem.classes.counts();
        let n = problem.classes.codes.len();
        let mut members: Vec<u32> = (0..n as u32).collect();
        members.sort_by_key(|&i| problem.classes.codes[i as usize]);
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
        let bank = problem.bank;
        let trace: f64 = (0..bank.len()).map(|m| bank.diagonal(m).iter().sum::<f64>()).sum();
        let unit = trace / (bank.len() * n) as f64;
        let factor = if unit > 0.0 && unit.is_finite() { 1.0 / unit } else { 1.0 };
        let (seed, run) = (run.seed, run.quiet());
        Ok(Sampler { bank, members, starts, equal, different, diagonal, factor, seed, run })
    }

    /// M.
    pub fn kernels(&self) -> usize {
        self.bank.len()
    }

    /// How many batches of this size fit into the buffer, at least one.
    pub fn batches_together(&self, batch: usize) -> usize {
        (BUFFER / (8 * self.kernels() * batch)).max(1)
    }

    /// Pairs to learn from.
    pub fn stream(&self, part: Part) -> Stream<'_> {
        let purpose = match part {
            Part::Training => "two_stage training pairs",
            _ => "two_stage pairs",
        };
        Stream { sampler: self, part, rng: self.run.rng(purpose), positive: false }
    }

    /// Pairs to measure the loss on.
    pub fn check_stream(&self, part: Part) -> Stream<'_> {
        let rng = self.run.rng("two_stage validation pairs");
        Stream { sampler: self, part, rng, positive: false }
    }

    /// A pair of equal class, i ≤ j or i < j, all equally likely.
    fn equal_pair(&self, rng: &mut Xoshiro256PlusPlus) -> (u32, u32) {
        let class = draw(&self.equal, rng);
        let (start, count) = (self.starts[class], self.starts[class + 1] - self.starts[class]);
        loop {
            let (a, b) = (rng.random_range(0..count), rng.random_range(0..count));
            if a < b || (a == b && self.diagonal) {
                return (self.members[start + a], self.members[start + b]);
            }
        }
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

    /// Whether a pair belongs to the validation fifth.
    fn held_out(&self, i: u32, j: u32) -> bool {
        let key = (u64::from(i.min(j)) << 32 | u64::from(i.max(j))) ^ self.seed.rotate_left(17);
        // The finaliser of SplitMix64.
        let mut h = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
        h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (h ^ (h >> 31)).is_multiple_of(5)
    }
}

/// The first index whose running total exceeds a uniform draw.
fn draw(totals: &[f64], rng: &mut Xoshiro256PlusPlus) -> usize {
    let all = totals[totals.len() - 1];
    let u = rng.random::<f64>() * all;
    totals.partition_point(|t| *t <= u).min(totals.len() - 1)
}

/// An endless stream of pairs, signs alternating.
pub(super) struct Stream<'a> {
    sampler: &'a Sampler<'a>,
    part: Part,
    rng: Xoshiro256PlusPlus,
    positive: bool,
}

impl Stream<'_> {
    fn next_pair(&mut self) -> ((u32, u32), f64) {
        self.positive = !self.positive;
        let sampler = self.sampler;
        let mut draws = 0;
        loop {
            let (i, j) = if self.positive {
                sampler.equal_pair(&mut self.rng)
            } else {
                sampler.different_pair(&mut self.rng)
            };
            let wanted = match self.part {
                Part::All => true,
                Part::Training => !sampler.held_out(i, j),
                Part::Validation => sampler.held_out(i, j),
            };
            draws += 1;
            if wanted || draws == PATIENCE {
                let sign = if self.positive { 1.0 } else { -1.0 };
                return ((i.max(j), i.min(j)), sign);
            }
        }
    }

    /// The next `count` examples, in place of those in the chunk.
    ///
    /// They are read from the bank in the order of their rows, which reads memory forwards.
    pub fn fetch(&mut self, count: usize, chunk: &mut Chunk) {
        let m = self.sampler.kernels();
        chunk.kernels = m;
        chunk.signs.clear();
        let drawn: Vec<(u32, u32)> = (0..count)
            .map(|_| {
                let (pair, sign) = self.next_pair();
                chunk.signs.push(sign);
                pair
            })
            .collect();
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_unstable_by_key(|&k| (drawn[k as usize], k));
        chunk.places.resize(count, 0);
        chunk.pairs.clear();
        for (place, &k) in order.iter().enumerate() {
            chunk.places[k as usize] = place as u32;
            chunk.pairs.push(drawn[k as usize]);
        }
        chunk.examples.resize(count * m, 0.0);
        self.sampler.bank.pairs(&chunk.pairs, &mut chunk.examples);
        let factor = self.sampler.factor;
        chunk.examples.iter_mut().for_each(|z| *z *= factor);
    }
}
