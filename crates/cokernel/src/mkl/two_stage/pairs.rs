//! Balanced random pairs of instances and their K-examples, in bounded memory.

use super::examples::Examples;
use super::products::Products;
use super::source::Source;
use crate::bank::Bank;
use crate::mkl::Problem;
use crate::{Result, Run, Watch};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;

/// Most pairs, and most numbers, that are fetched between two looks at the clock.
const PIECE: usize = 1 << 14;
const PIECE_NUMBERS: usize = 1 << 20;
/// Draws after which a pair of the other part is taken; on average a pair takes five at most.
const PATIENCE: usize = 1000;
/// Pairs of one sign up to which both parts are looked for one by one. Of so many pairs both parts
/// have some: the chance of none is below 10⁻³⁹⁶.
const COUNTED: f64 = 4096.0;

/// From which pairs to draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::mkl) enum Part {
    /// All pairs.
    All,
    /// Four fifths.
    Training,
    /// The other fifth.
    Validation,
    /// All pairs, in another order than [`Part::All`].
    Draw,
}

/// K-examples with their signs.
#[derive(Debug, Default)]
pub(in crate::mkl) struct Chunk {
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
        (first..first + count).map(|k| self.example(k))
    }

    fn example(&self, k: usize) -> (&[f64], f64) {
        let place = self.places[k] as usize;
        (&self.examples[place * self.kernels..(place + 1) * self.kernels], self.signs[k])
    }
}

/// K-examples with their signs, and which of them belong to the validation fifth.
#[derive(Debug)]
pub(in crate::mkl) struct Drawn {
    pub examples: Examples,
    pub signs: Vec<f64>,
    /// How much each counts beside others of its sign.
    pub counts: Vec<f64>,
    /// Of those for validation the instance that is held out, or 0 where pairs are.
    held: Vec<Option<u32>>,
}

impl Drawn {
    fn push(&mut self, z: &[f64], (sign, count): (f64, f64), held: Option<u32>) {
        self.examples.push(z, sign);
        self.signs.push(sign);
        self.counts.push(count);
        self.held.push(held);
    }

    /// The standard error of a sum of these terms over the examples for validation, of which those with one instance go
    /// together; `weights` are those of the validation part. Infinite for less than two instances.
    pub fn standard_error(&self, terms: &[f64], weights: &[f64]) -> f64 {
        let mean: f64 = terms.iter().sum();
        let mut groups = BTreeMap::<u32, f64>::new();
        for ((t, w), held) in terms.iter().zip(weights).zip(&self.held) {
            if let Some(held) = held {
                *groups.entry(*held).or_default() += t - mean * w;
            }
        }
        let count = groups.len() as f64;
        match count > 1.0 {
            true => (groups.values().map(|d| d * d).sum::<f64>() * count / (count - 1.0)).sqrt(),
            false => f64::INFINITY,
        }
    }

    /// Weights of the examples: those of one part, each sign with half of the weight. A sign of which a part has none
    /// is there with all of its examples.
    pub fn weights(&self, part: Part) -> Vec<f64> {
        let of = |k: usize| match part {
            Part::Training => self.held[k].is_none(),
            Part::Validation => self.held[k].is_some(),
            Part::All | Part::Draw => true,
        };
        let all = 0..self.signs.len();
        let mut weights = vec![0.0; self.signs.len()];
        for sign in [1.0, -1.0] {
            let some = || all.clone().filter(|k| self.signs[*k] == sign);
            let count = some().filter(|k| of(*k)).count();
            let chosen = |k: &usize| count == 0 || of(*k);
            let total: f64 = some().filter(chosen).map(|k| self.counts[k]).sum();
            some().filter(chosen).for_each(|k| weights[k] = 0.5 * (self.counts[k] / total));
        }
        weights
    }
}

/// The pairs of the instances of one problem.
pub(in crate::mkl) struct Sampler<'a> {
    bank: &'a Bank,
    source: Source<'a>,
    /// s.
    unit: f64,
    /// Whether instances are held out, or pairs.
    by_instances: bool,
    /// Whether pairs of different and of equal class are in both parts.
    parted: [bool; 2],
    seed: u64,
    run: Run,
    /// The features of a K-example, where they are not the kernels themselves.
    products: Option<Products>,
}

impl<'a> Sampler<'a> {
    /// The pairs that are given, else those of the classes.
    ///
    /// # Errors
    /// There is no pair of equal class (only when the diagonal is excluded); no pair of one sign is given.
    pub fn new(
        problem: &Problem<'a>,
        diagonal: bool,
        by_instances: bool,
        run: &Run,
    ) -> Result<Self> {
        let (bank, source) = match problem.pairs {
            Some(given) => (given.bank, Source::given(given.pairs)?),
            None => (problem.bank, Source::of_classes(problem.target.classes()?, diagonal)?),
        };
        let (seed, run, unit) = (run.seed, run.quiet(), mean_diagonal(bank));
        let mut sampler = Sampler {
            bank,
            source,
            unit,
            by_instances,
            parted: [true; 2],
            seed,
            run,
            products: None,
        };
        for sign in [false, true] {
            if sampler.source.count(sign) <= COUNTED {
                let held: Vec<bool> = sampler
                    .source
                    .each(sign)
                    .into_iter()
                    .map(|(i, j)| sampler.held_out(i, j))
                    .collect();
                sampler.parted[usize::from(sign)] = held.contains(&true) && held.contains(&false);
            }
        }
        Ok(sampler)
    }

    /// The same with products of kernels as features.
    #[must_use]
    pub fn with_products(self, products: Products) -> Self {
        Sampler { products: Some(products), ..self }
    }

    /// s.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// The number of all pairs.
    pub fn pairs(&self) -> f64 {
        self.source.count(true) + self.source.count(false)
    }

    /// Pairs that are fetched between two looks at the clock.
    pub fn piece(&self) -> usize {
        PIECE.min(PIECE_NUMBERS / self.kernels()).max(1)
    }

    /// The K-examples of all pairs if they are not more than `most`, else of so many that are drawn, signs alternating;
    /// `None` if the run is stopped meanwhile.
    pub fn examples(&self, most: usize, watch: &Watch) -> Option<Drawn> {
        let kernels = self.kernels();
        let mut drawn = Drawn {
            examples: Examples::new(kernels),
            signs: Vec::new(),
            counts: Vec::new(),
            held: Vec::new(),
        };
        if self.pairs() <= most as f64 {
            let mut values = Vec::new();
            for (equal, sign) in [(false, -1.0), (true, 1.0)] {
                let (pairs, counts) = self.source.each_weighted(equal);
                let pieces = pairs.chunks(self.piece()).zip(counts.chunks(self.piece()));
                for (piece, counts) in pieces {
                    if watch.stop().is_some() {
                        return None;
                    }
                    self.values(piece, &mut values);
                    let rows = values.chunks_exact(kernels).zip(counts);
                    for ((i, j), (z, count)) in piece.iter().zip(rows) {
                        drawn.push(z, (sign, *count), self.group(*i, *j));
                    }
                }
            }
            return Some(drawn);
        }
        let (mut stream, mut chunk) = (self.stream(Part::Draw), Chunk::default());
        while drawn.signs.len() < most {
            if watch.stop().is_some() {
                return None;
            }
            stream.fetch(self.piece().min(most - drawn.signs.len()), &mut chunk);
            for k in 0..chunk.signs.len() {
                let (i, j) = chunk.pairs[chunk.places[k] as usize];
                let (z, sign) = chunk.example(k);
                drawn.push(z, (sign, 1.0), self.group(i, j));
            }
        }
        Some(drawn)
    }

    /// The next `count` K-examples of a stream; at least a piece of them, fewer if the run is stopped meanwhile.
    pub fn draw(&self, mut stream: Stream<'_>, count: usize, watch: &Watch) -> Examples {
        let mut drawn = Examples::new(self.kernels());
        let mut chunk = Chunk::default();
        while drawn.len() < count && (drawn.len() == 0 || watch.stop().is_none()) {
            stream.fetch(self.piece().min(count - drawn.len()), &mut chunk);
            chunk.range(0, chunk.signs.len()).for_each(|(z, sign)| drawn.push(z, sign));
        }
        drawn
    }

    /// The features of each pair: k(x_i, x_j)/s for each kernel, or their products.
    fn values(&self, pairs: &[(u32, u32)], out: &mut Vec<f64>) {
        let kernels = self.bank.len();
        out.resize(pairs.len() * kernels, 0.0);
        self.bank.pairs(pairs, out);
        let unit = self.unit;
        out.iter_mut().for_each(|z| *z /= unit);
        if let Some(products) = &self.products {
            let single = std::mem::take(out);
            single.chunks_exact(kernels).for_each(|z| products.write(z, out));
        }
    }

    /// M, or the number of products.
    pub fn kernels(&self) -> usize {
        self.products.as_ref().map_or(self.bank.len(), Products::len)
    }

    /// Pairs to learn from.
    pub fn stream(&self, part: Part) -> Stream<'_> {
        let purpose = match part {
            Part::Training => "two_stage training pairs",
            Part::Draw => "two_stage drawn pairs",
            _ => "two_stage pairs",
        };
        Stream { sampler: self, part, rng: self.run.rng(purpose), positive: false }
    }

    /// Pairs to measure the loss on.
    pub fn check_stream(&self, part: Part) -> Stream<'_> {
        let rng = self.run.rng("two_stage validation pairs");
        Stream { sampler: self, part, rng, positive: false }
    }

    /// Whether a pair is for validation: one with an instance of the fifth that is held out, or of a fifth of pairs.
    fn held_out(&self, i: u32, j: u32) -> bool {
        match self.by_instances {
            true => self.in_fifth(u64::from(i)) || self.in_fifth(u64::from(j)),
            false => self.in_fifth(u64::from(i.min(j)) << 32 | u64::from(i.max(j))),
        }
    }

    /// What [`Drawn`] keeps of that.
    fn group(&self, i: u32, j: u32) -> Option<u32> {
        let of =
            if self.by_instances { if self.in_fifth(u64::from(i)) { i } else { j } } else { 0 };
        self.held_out(i, j).then_some(of)
    }

    fn in_fifth(&self, key: u64) -> bool {
        let key = key ^ self.seed.rotate_left(17);
        // The finaliser of SplitMix64.
        let mut h = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
        h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (h ^ (h >> 31)).is_multiple_of(5)
    }
}

/// The mean of all diagonal entries of all kernels; 1 where that is no scale. Means of means,
/// because a sum over everything overflows first.
fn mean_diagonal(bank: &Bank) -> f64 {
    let (kernels, n) = (bank.len() as f64, bank.n() as f64);
    let mean = |m: usize| bank.diagonal(m).iter().map(|v| v / n).sum::<f64>() / kernels;
    let unit = (0..bank.len()).map(mean).sum::<f64>();
    if unit > f64::MIN_POSITIVE && unit.is_finite() { unit } else { 1.0 }
}

/// An endless stream of pairs, signs alternating.
pub(in crate::mkl) struct Stream<'a> {
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
            let (i, j) = sampler.source.draw(self.positive, &mut self.rng);
            let wanted = match self.part {
                _ if !sampler.parted[usize::from(self.positive)] => true,
                Part::All | Part::Draw => true,
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
        chunk.kernels = self.sampler.kernels();
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
        self.sampler.values(&chunk.pairs, &mut chunk.examples);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bank::Storage;
    use crate::data::{Classes, Matrix, Target};
    use crate::machine::Svc;

    fn with_sampler(codes: &[u32], diagonal: bool, look: impl FnOnce(&Sampler<'_>)) {
        let n = codes.len();
        let k = Matrix::from_fn(n, n, |i, j| (i.max(j) * n + i.min(j)) as f64);
        let bank = Bank::from_matrices(vec![("k".into(), k)], Storage::Resident).unwrap();
        let texts: Vec<String> = codes.iter().map(u32::to_string).collect();
        let (classes, machine) = (Classes::from_texts(&texts).unwrap(), Svc::default());
        let target = Target::from(classes.clone());
        let problem = Problem::new(&bank, &target, &machine);
        look(&Sampler::new(&problem, diagonal, false, &Run::default()).unwrap());
    }

    #[test]
    fn draws_are_all_pairs_equally_often() {
        for diagonal in [true, false] {
            with_sampler(&[0, 1, 0, 2, 1, 0, 0], diagonal, |sampler| {
                let mut stream = sampler.stream(Part::All);
                let mut counts = BTreeMap::new();
                for _ in 0..60_000 {
                    let (pair, sign) = stream.next_pair();
                    *counts.entry((sign > 0.0, pair)).or_insert(0) += 1;
                }
                for equal in [true, false] {
                    let all = sampler.source.each(equal);
                    assert_eq!(counts.keys().filter(|k| k.0 == equal).count(), all.len());
                    let expected = 30_000.0 / all.len() as f64;
                    for pair in all {
                        let seen = f64::from(counts[&(equal, pair)]);
                        assert!((seen / expected - 1.0).abs() < 0.15, "{pair:?} {seen} {expected}");
                    }
                }
                let all = sampler.source.each(true).len() + sampler.source.each(false).len();
                assert_eq!(sampler.pairs(), all as f64);
            });
        }
    }

    #[test]
    fn a_part_without_pairs_of_a_sign_takes_all_of_them() {
        // Two pairs of different class: whichever part lacks one takes both.
        with_sampler(&[0, 0, 1], true, |sampler| {
            for part in [Part::Training, Part::Validation] {
                let mut stream = sampler.stream(part);
                let drawn: Vec<_> = (0..200).map(|_| stream.next_pair()).collect();
                assert!(drawn.iter().any(|(pair, _)| *pair == (2, 0) || *pair == (2, 1)));
                assert!(drawn.iter().any(|(_, sign)| *sign > 0.0));
            }
            let held: Vec<bool> = sampler
                .source
                .each(false)
                .into_iter()
                .map(|(i, j)| sampler.held_out(i, j))
                .collect();
            assert_eq!(sampler.parted[0], held[0] != held[1]);
        });
    }
}
