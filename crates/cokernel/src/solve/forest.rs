//! Random forests for two classes, on features that are binned once.
//!
//! (Breiman, Machine Learning 45, 2001.) A tree is grown on a bootstrap of the N examples. At each node
//! `features` features are drawn without replacement, and the one with the split of largest gain, in
//! Gini impurity or in information, is taken; if none of them can be split, more are drawn. Nodes are split
//! until they are pure or no split leaves `leaf` different examples on both sides. The value of a leaf is its
//! share of positives.
//!
//! **Bins.** The values of a feature become at most 256 places, between cuts halfway from one value to
//! the next where there are as few values, else at quantiles. Each node then adds its examples to one histogram
//! for each feature that was drawn, and looks at the places between bins that are not empty: no sorting. Examples
//! that the bootstrap took several times are one with a weight.
//!
//! **Random thresholds** (Geurts, Ernst and Wehenkel, Machine Learning 63, 2006): one place for each
//! feature, uniform between the least and the largest bin of the node, in place of the best one. No histograms.
//!
//! **Invariance.** Every tree has a generator of its own, so that the result is the same for any number of
//! threads. Features are taken in an order that follows from their values, so that permuting columns
//! permutes the forest. Increasing functions of a feature leave its bins as they are, up to cuts.
//!
//! **Cost** of a tree: about N·`features`·log(N/`leaf`) additions, and N·p·log N once for the bins.
//! Memory: N·p bytes, 16 bytes an example and thread, 12 bytes a node.

mod draw;

use crate::data::Matrix;
use crate::rule::{CUTS, Forest, Node, Tree, place};
use crate::{Error, Result, Watch};
use draw::Classes;
pub use draw::Draw;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use std::cmp::Ordering;

/// Which place of a feature a node tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thresholds {
    /// All, for the best one.
    Best,
    /// One at random.
    Random,
}

/// What a split is to gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// Gini impurity.
    Gini,
    /// Information (entropy).
    Information,
}

/// The value of a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaves {
    /// Its share of positives, so that the forest gives the mean of the means of leaves.
    Means,
    /// 1 if most are positive, 0 if most are negative, else ½: the forest gives the share of trees.
    Votes,
}

/// How trees are grown.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The number of trees.
    pub trees: usize,
    /// Fewest different examples in a leaf.
    pub leaf: usize,
    /// Features that are drawn at a node.
    pub features: usize,
    /// Which places they try.
    pub thresholds: Thresholds,
    /// What is to gain.
    pub criterion: Criterion,
    /// What leaves say.
    pub leaves: Leaves,
    /// What trees learn from.
    pub draw: Draw,
    /// Of all random choices.
    pub seed: u64,
}

impl Default for Settings {
    /// 500 trees with leaves of 3 and ten features per node (Kumar 2013, §6.2.2.3).
    fn default() -> Self {
        Settings {
            trees: 500,
            leaf: 3,
            features: 10,
            thresholds: Thresholds::Best,
            criterion: Criterion::Information,
            leaves: Leaves::Means,
            draw: Draw::Bootstrap,
            seed: 0,
        }
    }
}

/// Most examples: their sums are kept in 21 bits.
pub const EXAMPLES: usize = 1 << 20;
/// Most features: nodes keep them in 16 bits.
pub const FEATURES: usize = 1 << 16;

/// A forest that tells `positive` examples (rows of N × p) from others. `weights`, positive, say how likely examples
/// of a class are to be drawn beside each other ([`Draw::Balanced`] only). A run that is stopped keeps the trees that
/// are grown, one at least.
///
/// # Errors
/// No example or more than [`EXAMPLES`]; no feature or more than [`FEATURES`]; a number that is not finite;
/// [`Draw::Balanced`] with one class.
pub fn grow(
    examples: &Matrix,
    positive: &[bool],
    weights: Option<&[f64]>,
    settings: &Settings,
    watch: &Watch,
) -> Result<Forest> {
    let (n, p) = (examples.rows(), examples.cols());
    check(examples, positive, settings)?;
    // Columns are sorted by their values, so that their order as given says nothing.
    let columns: Vec<Vec<f64>> = (0..p).into_par_iter().map(|j| examples.col(j)).collect();
    let mut order: Vec<usize> = (0..p).collect();
    order.sort_by(|a, b| by_values(&columns[*a], &columns[*b]));
    let binned: Vec<(Vec<f64>, Vec<u8>)> = order.par_iter().map(|&j| bins(&columns[j])).collect();
    drop(columns);
    let (cuts, bins): (Vec<_>, Vec<_>) = binned.into_iter().unzip();
    let terms = match settings.criterion {
        Criterion::Gini => Vec::new(),
        Criterion::Information => (0..=n as u64).map(term).collect(),
    };
    let classes = Classes::of(positive, weights)?;
    let shared = Shared { bins: &bins, positive, classes, settings, terms: &terms };
    let grown: Vec<Option<(Tree, Vec<f64>)>> = (0..settings.trees.max(1))
        .into_par_iter()
        .map(|t| (t == 0 || watch.stop().is_none()).then(|| Grower::new(&shared, t).tree()))
        .collect();
    let mut gains = vec![0.0; p];
    let mut trees = Vec::new();
    for (mut tree, own) in grown.into_iter().flatten() {
        for node in &mut tree.nodes {
            node.feature = order[node.feature as usize] as u16;
        }
        own.iter().zip(&order).for_each(|(g, j)| gains[*j] += g);
        trees.push(tree);
    }
    let mut by_column = vec![Vec::new(); p];
    order.iter().zip(cuts).for_each(|(j, c)| by_column[*j] = c);
    Ok(Forest::new(shares(gains, &trees), by_column, trees))
}

fn check(examples: &Matrix, positive: &[bool], settings: &Settings) -> Result<()> {
    let (n, p) = (examples.rows(), examples.cols());
    if n == 0 || n > EXAMPLES {
        return Err(Error::shape("examples of a forest", format!("1 to {EXAMPLES}"), n));
    }
    if p == 0 || p > FEATURES {
        return Err(Error::shape("features of a forest", format!("1 to {FEATURES}"), p));
    }
    if positive.len() != n {
        return Err(Error::shape("classes", format!("{n}, one per example"), positive.len()));
    }
    if let Some(at) = examples.values().iter().position(|v| !v.is_finite()) {
        let place = format!("example {}, feature {}", at / p, at % p);
        return Err(Error::Data(format!("{place}: a forest needs finite numbers")));
    }
    let one = positive.iter().all(|c| *c == positive[0]);
    if settings.draw == Draw::Balanced && one {
        return Err(Error::Data("all examples of a forest are of one class".to_string()));
    }
    Ok(())
}

/// The share of each feature in the gain of all splits. Features that a node looks at have one, be it as small
/// as a number can be.
fn shares(mut gains: Vec<f64>, trees: &[Tree]) -> Vec<f64> {
    let total: f64 = gains.iter().sum();
    if total > 0.0 {
        gains.iter_mut().for_each(|g| *g /= total);
    }
    for tree in trees {
        let inner = tree.nodes.iter().enumerate().filter(|(i, n)| n.left as usize != *i);
        for (_, node) in inner {
            let share = &mut gains[node.feature as usize];
            *share = share.max(f64::MIN_POSITIVE);
        }
    }
    gains
}

fn by_values(a: &[f64], b: &[f64]) -> Ordering {
    let differ = a.iter().zip(b).find(|(a, b)| a != b);
    differ.map_or(Ordering::Equal, |(a, b)| a.total_cmp(b))
}

/// The cuts of a feature, and the place of each example.
fn bins(values: &[f64]) -> (Vec<f64>, Vec<u8>) {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    let steps: Vec<usize> = (1..n).filter(|i| sorted[*i] > sorted[i - 1]).collect();
    let chosen = if steps.len() <= CUTS {
        steps
    } else {
        // The first step at or after each quantile.
        let quantile = |b: usize| {
            let at = steps.partition_point(|s| *s < b * n / (CUTS + 1));
            steps.get(at).copied()
        };
        let mut chosen: Vec<usize> = (1..=CUTS).filter_map(quantile).collect();
        chosen.dedup();
        chosen
    };
    let cuts: Vec<f64> = chosen
        .iter()
        .map(|&i| {
            let (below, above) = (sorted[i - 1], sorted[i]);
            let middle = 0.5 * below + 0.5 * above;
            // Between neighbours there may be no number.
            if middle >= below && middle < above { middle } else { below }
        })
        .collect();
    let places = values.iter().map(|v| place(&cuts, *v)).collect();
    (cuts, places)
}

/// x log x.
fn term(x: u64) -> f64 {
    if x == 0 { 0.0 } else { x as f64 * (x as f64).ln() }
}

/// What all trees read.
struct Shared<'a> {
    /// By feature.
    bins: &'a [Vec<u8>],
    positive: &'a [bool],
    classes: Classes,
    settings: &'a Settings,
    /// x log x of whole numbers, for information.
    terms: &'a [f64],
}

impl Shared<'_> {
    /// Larger for purer parts: minus the impurity times the weight, up to what all splits of a node share.
    fn score(&self, part: Sums) -> f64 {
        let (weight, positive) = (part.weight(), part.positive());
        if self.terms.is_empty() {
            let (w, p) = (weight as f64, positive as f64);
            return p * p / w;
        }
        let term = |x: u64| self.terms[x as usize];
        term(positive) + term(weight - positive) - term(weight)
    }
}

/// Of some examples: how many are different, their weight, and the weight of positive ones, in one number, so that
/// one addition adds all three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Sums(u64);

const BITS: u32 = 21;
const MASK: u64 = (1 << BITS) - 1;

impl Sums {
    fn of(weight: u32, positive: bool) -> Self {
        let weight = u64::from(weight);
        Sums(1 | weight << BITS | if positive { weight << (2 * BITS) } else { 0 })
    }

    fn count(self) -> usize {
        (self.0 & MASK) as usize
    }

    fn weight(self) -> u64 {
        self.0 >> BITS & MASK
    }

    fn positive(self) -> u64 {
        self.0 >> (2 * BITS)
    }

    fn plus(self, other: Sums) -> Sums {
        Sums(self.0 + other.0)
    }

    /// Without a part of these examples.
    fn minus(self, part: Sums) -> Sums {
        Sums(self.0 - part.0)
    }
}

/// A split and how good it is.
#[derive(Clone, Copy)]
struct Split {
    score: f64,
    feature: usize,
    cut: u8,
}

/// A node whose split is still to be found.
struct Open {
    node: usize,
    first: usize,
    end: usize,
    sums: Sums,
}

/// One tree while it grows.
struct Grower<'a> {
    shared: &'a Shared<'a>,
    rng: Xoshiro256PlusPlus,
    /// The examples of the bootstrap, those of a node side by side, and what each adds.
    rows: Vec<u32>,
    adds: Vec<Sums>,
    /// Of all features; the first ones are those that were drawn last.
    order: Vec<usize>,
    histogram: [Sums; CUTS + 1],
    tree: Tree,
    gains: Vec<f64>,
}

impl<'a> Grower<'a> {
    fn new(shared: &'a Shared<'a>, tree: usize) -> Self {
        let seed = shared.settings.seed;
        // Far apart, so that the trees of neighbouring seeds are not the same.
        let own = (tree as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ own);
        let times = shared.classes.drawn(shared.positive.len(), shared.settings.draw, &mut rng);
        let taken = || (0..times.len()).filter(|i| times[*i] > 0);
        let rows: Vec<u32> = taken().map(|i| i as u32).collect();
        let adds: Vec<Sums> = taken().map(|i| Sums::of(times[i], shared.positive[i])).collect();
        let features = shared.bins.len();
        Grower {
            shared,
            rng,
            rows,
            adds,
            order: (0..features).collect(),
            histogram: [Sums::default(); CUTS + 1],
            tree: Tree::default(),
            gains: vec![0.0; features],
        }
    }

    /// The tree, and what splits by each feature gained.
    fn tree(mut self) -> (Tree, Vec<f64>) {
        let sums = self.adds.iter().fold(Sums::default(), |a, b| a.plus(*b));
        self.leaf(sums);
        let mut open = vec![Open { node: 0, first: 0, end: self.rows.len(), sums }];
        while let Some(at) = open.pop() {
            let Some(split) = self.best(&at) else { continue };
            let (middle, left) = self.part(&at, split);
            let first = self.tree.nodes.len();
            let (feature, cut) = (split.feature as u16, split.cut);
            self.tree.nodes[at.node] = Node { left: first as u32, feature, cut };
            self.tree.values[at.node] = 0.0;
            let gain = split.score - self.shared.score(at.sums);
            self.gains[split.feature] += gain.max(0.0);
            let right = at.sums.minus(left);
            self.leaf(left);
            self.leaf(right);
            open.push(Open { node: first + 1, first: middle, end: at.end, sums: right });
            open.push(Open { node: first, first: at.first, end: middle, sums: left });
        }
        (self.tree, self.gains)
    }

    /// A leaf, until it is split.
    fn leaf(&mut self, sums: Sums) {
        let mean = sums.positive() as f64 / sums.weight() as f64;
        let value = match self.shared.settings.leaves {
            Leaves::Means => mean,
            Leaves::Votes if mean == 0.5 => 0.5,
            Leaves::Votes => f64::from(u8::from(mean > 0.5)),
        };
        self.tree.nodes.push(Node::leaf(self.tree.nodes.len() as u32));
        self.tree.values.push(value as f32);
    }

    /// The split of a node; `None` if it stays a leaf.
    fn best(&mut self, at: &Open) -> Option<Split> {
        let leaf = self.shared.settings.leaf.max(1);
        let pure = at.sums.positive() == 0 || at.sums.positive() == at.sums.weight();
        if pure || at.sums.count() < 2 * leaf {
            return None;
        }
        let mut best: Option<Split> = None;
        for tried in 0..self.order.len() {
            if tried >= self.shared.settings.features && best.is_some() {
                break;
            }
            let chosen = self.rng.random_range(tried..self.order.len());
            self.order.swap(tried, chosen);
            let feature = self.order[tried];
            let found = match self.shared.settings.thresholds {
                Thresholds::Best => self.best_place(at, feature, leaf),
                Thresholds::Random => self.random_place(at, feature, leaf),
            };
            // Of equal ones that of the first feature, whichever was drawn first.
            let better = |new: &Split, old: &Split| {
                new.score > old.score || new.score == old.score && new.feature < old.feature
            };
            best = match (found, best) {
                (Some(new), Some(old)) if better(&new, &old) => Some(new),
                (Some(new), None) => Some(new),
                (_, old) => old,
            };
        }
        best
    }

    /// The place of a feature with the largest gain.
    fn best_place(&mut self, at: &Open, feature: usize, leaf: usize) -> Option<Split> {
        let bins = &self.shared.bins[feature];
        let (rows, adds) = (&self.rows[at.first..at.end], &self.adds[at.first..at.end]);
        let histogram = &mut self.histogram;
        let mut filled = [0_u64; (CUTS + 1) / 64];
        for (row, add) in rows.iter().zip(adds) {
            let bin = bins[*row as usize];
            filled[usize::from(bin >> 6)] |= 1 << (bin & 63);
            let sums = &mut histogram[usize::from(bin)];
            *sums = sums.plus(*add);
        }
        let mut best: Option<Split> = None;
        let mut left = Sums::default();
        for (word, mut bits) in filled.into_iter().enumerate() {
            while bits != 0 {
                let bin = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                left = left.plus(std::mem::take(&mut histogram[bin]));
                let right = at.sums.minus(left);
                if left.count() < leaf || right.count() < leaf {
                    continue;
                }
                let score = self.shared.score(left) + self.shared.score(right);
                if best.is_none_or(|b| score > b.score) {
                    best = Some(Split { score, feature, cut: bin as u8 });
                }
            }
        }
        best
    }

    /// A place of a feature between those of the examples, all equally likely; `None` if it leaves
    /// too few on a side.
    fn random_place(&mut self, at: &Open, feature: usize, leaf: usize) -> Option<Split> {
        let bins = &self.shared.bins[feature];
        let (rows, adds) = (&self.rows[at.first..at.end], &self.adds[at.first..at.end]);
        let bin = |row: &u32| bins[*row as usize];
        let (least, most) =
            rows.iter().fold((u8::MAX, 0), |(a, b), r| (a.min(bin(r)), b.max(bin(r))));
        if least >= most {
            return None;
        }
        let cut = self.rng.random_range(least..most);
        let taken = |(row, add): (&u32, &Sums)| if bin(row) <= cut { add.0 } else { 0 };
        let left = Sums(rows.iter().zip(adds).map(taken).sum());
        let right = at.sums.minus(left);
        if left.count() < leaf || right.count() < leaf {
            return None;
        }
        let score = self.shared.score(left) + self.shared.score(right);
        Some(Split { score, feature, cut })
    }

    /// Moves the examples of the left child before those of the right one; where these begin, and
    /// the sums of the left.
    fn part(&mut self, at: &Open, split: Split) -> (usize, Sums) {
        let bins = &self.shared.bins[split.feature];
        let (mut i, mut end, mut left) = (at.first, at.end, Sums::default());
        while i < end {
            if bins[self.rows[i] as usize] <= split.cut {
                left = left.plus(self.adds[i]);
                i += 1;
            } else {
                end -= 1;
                self.rows.swap(i, end);
                self.adds.swap(i, end);
            }
        }
        (i, left)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
