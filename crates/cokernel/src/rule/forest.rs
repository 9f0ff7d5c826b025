//! A random forest of the values of the kernels: k(x, z) = h(k_1(x, z), …, k_M(x, z)), the mean over trees of
//! the value of the leaf that the pair falls into.
//!
//! h is symmetric in x and z, and in general no kernel: its matrix may have negative eigenvalues. The
//! coefficients of its machine are weights of landmarks (Balcan and Blum, ICML 2006; Kumar 2013, (6.3)), which
//! need none.
//!
//! Values are looked up in at most 255 cuts of their kernel once, and all trees compare the places (u8). A node is
//! 8 bytes; the two children of a node lie side by side, and a leaf is its own child, so that several
//! pairs walk a tree in lockstep until none moves.

use super::{Combination, Entry, Mix, Pairs, Rule, Stored, Tensors, nonzero, reals, wrong};
use crate::data::Matrix;
use crate::{Error, Result};
use serde_json::{Map, Value};

/// The registry entry.
pub static ENTRY: Entry = Entry { id: ID, read: |fields, tensors| read(fields, tensors) };

const ID: &str = "forest";

/// Most cuts of one kernel, so that places are u8.
pub(crate) const CUTS: usize = 255;
/// Pairs that walk a tree together.
const LANES: usize = 8;
/// What the numbers of an inner node are multiplied by in a file, which keeps each node as one f64.
const LEFT: u64 = 1 << 24;
const FEATURE: u64 = 1 << 8;

/// An inner node or a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node {
    /// The first of its two children, larger than its own place; a leaf: its own place.
    pub left: u32,
    /// The feature that it looks at, in the order of the active kernels.
    pub feature: u16,
    /// Places up to this one go left; [`u8::MAX`] at a leaf.
    pub cut: u8,
}

impl Node {
    /// The leaf at this place.
    pub fn leaf(place: u32) -> Self {
        Node { left: place, feature: 0, cut: u8::MAX }
    }
}

/// One tree, its root first.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Tree {
    pub nodes: Vec<Node>,
    /// The values of leaves, in [0, 1]; 0 at inner nodes.
    pub values: Vec<f32>,
}

impl Tree {
    #[inline]
    fn is_leaf(&self, place: usize) -> bool {
        self.nodes[place].left as usize == place
    }

    /// Adds the value of the leaf of each pair; `places` are those of `width` features for each.
    fn add(&self, places: &[u8], width: usize, out: &mut [f64]) {
        for (places, out) in places.chunks(LANES * width).zip(out.chunks_mut(LANES)) {
            let mut at = [0_u32; LANES];
            loop {
                let mut moved = 0;
                for (pair, at) in at.iter_mut().enumerate().take(out.len()) {
                    let node = self.nodes[*at as usize];
                    let place = places[pair * width + node.feature as usize];
                    let next = node.left + u32::from(place > node.cut);
                    moved |= next ^ *at;
                    *at = next;
                }
                if moved == 0 {
                    break;
                }
            }
            out.iter_mut().zip(&at).for_each(|(o, at)| *o += f64::from(self.values[*at as usize]));
        }
    }
}

/// A forest over M kernels.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    /// One number for each of the M kernels.
    shares: Vec<f64>,
    active: Vec<usize>,
    /// Of each active kernel, ascending.
    cuts: Vec<Vec<f64>>,
    trees: Vec<Tree>,
}

impl Forest {
    /// Trees over all M kernels with these cuts, and the share of each kernel in their splits, which is
    /// 0 for those that no node looks at.
    pub(crate) fn new(shares: Vec<f64>, cuts: Vec<Vec<f64>>, mut trees: Vec<Tree>) -> Self {
        let active = nonzero(&shares);
        let mut place = vec![0; shares.len()];
        active.iter().enumerate().for_each(|(a, m)| place[*m] = a as u16);
        for node in trees.iter_mut().flat_map(|t| &mut t.nodes) {
            node.feature = place[node.feature as usize];
        }
        let cuts = active.iter().map(|m| cuts[*m].clone()).collect();
        Forest { shares, active, cuts, trees }
    }

    /// The number of trees.
    pub fn trees(&self) -> usize {
        self.trees.len()
    }

    /// The number of nodes of all trees, leaves among them.
    pub fn nodes(&self) -> usize {
        self.trees.iter().map(|t| t.nodes.len()).sum()
    }

    /// h of each row of `examples` (N × M).
    ///
    /// # Errors
    /// Another number of columns than kernels.
    pub fn values(&self, examples: &Matrix) -> Result<Vec<f64>> {
        if examples.cols() != self.shares.len() {
            return Err(Error::shape("K-examples", self.shares.len(), examples.cols()));
        }
        let columns: Vec<Vec<f64>> = self.active.iter().map(|m| examples.col(*m)).collect();
        let values: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut out = vec![0.0; examples.rows()];
        self.mix(Pairs { values: &values, own: &[], others: &[] }, &mut out);
        Ok(out)
    }
}

/// How many cuts are below a value.
pub(crate) fn place(cuts: &[f64], value: f64) -> u8 {
    cuts.partition_point(|c| *c < value) as u8
}

impl Rule for Forest {
    fn id(&self) -> &'static str {
        ID
    }

    fn kernels(&self) -> usize {
        self.shares.len()
    }

    fn active(&self) -> Vec<usize> {
        self.active.clone()
    }

    fn uses(&self) -> Vec<f64> {
        self.shares.clone()
    }

    fn says(&self) -> &'static str {
        "share"
    }

    fn pointwise(&self) -> Option<&dyn Mix> {
        Some(self)
    }

    fn stored(&self) -> Stored {
        let one = |v: Vec<f64>| Matrix::from_fn(v.len(), 1, |i, _| v[i]);
        let lengths: Vec<usize> = self.cuts.iter().map(Vec::len).collect();
        let sizes: Vec<usize> = self.trees.iter().map(|t| t.nodes.len()).collect();
        let fields = [
            ("shares".to_string(), self.shares.clone().into()),
            ("cuts".to_string(), lengths.into()),
            ("trees".to_string(), sizes.into()),
        ];
        let nodes = self.trees.iter().flat_map(|tree| {
            tree.nodes.iter().zip(&tree.values).enumerate().map(|(place, (node, value))| match tree
                .is_leaf(place)
            {
                true => f64::from(*value),
                false => {
                    let left = u64::from(node.left) * LEFT;
                    let feature = u64::from(node.feature) * FEATURE;
                    -((left + feature + u64::from(node.cut)) as f64)
                }
            })
        });
        let tensors = vec![
            ("cuts".to_string(), one(self.cuts.concat())),
            ("nodes".to_string(), one(nodes.collect())),
        ];
        Stored { fields: fields.into_iter().collect(), tensors }
    }
}

impl Mix for Forest {
    fn mix(&self, pairs: Pairs<'_>, out: &mut [f64]) {
        out.fill(0.0);
        // At least one column, so that trees of a single leaf have something to look at.
        let width = self.active.len().max(1);
        let mut places = vec![0; out.len() * width];
        for (a, (values, cuts)) in pairs.values.iter().zip(&self.cuts).enumerate() {
            let column = places.iter_mut().skip(a).step_by(width);
            column.zip(*values).for_each(|(p, v)| *p = place(cuts, *v));
        }
        self.trees.iter().for_each(|tree| tree.add(&places, width, out));
        let share = 1.0 / self.trees.len().max(1) as f64;
        out.iter_mut().for_each(|o| *o *= share);
    }
}

/// The whole numbers of a field.
fn counts(fields: &Map<String, Value>, name: &str) -> Result<Vec<usize>> {
    let list = fields.get(name).and_then(Value::as_array);
    let list = list.ok_or_else(|| wrong(&format!("expected a list of counts '{name}'")))?;
    let whole = |v: &Value| v.as_u64().and_then(|v| usize::try_from(v).ok());
    let read: Option<Vec<usize>> = list.iter().map(whole).collect();
    read.ok_or_else(|| wrong(&format!("'{name}' holds something that is not a whole number")))
}

fn total(counts: &[usize]) -> Result<usize> {
    let sum = counts.iter().try_fold(0_usize, |sum, c| sum.checked_add(*c));
    sum.ok_or_else(|| wrong("its sizes are too large"))
}

/// The forest of a file; nothing in it is trusted.
fn read(fields: &Map<String, Value>, tensors: &Tensors<'_>) -> Result<Combination> {
    let shares = reals(fields, "shares")?;
    let (lengths, sizes) = (counts(fields, "cuts")?, counts(fields, "trees")?);
    let active = nonzero(&shares);
    if lengths.len() != active.len() || lengths.iter().any(|l| *l > CUTS) {
        return Err(wrong(&format!("expected up to {CUTS} cuts for each kernel with a share")));
    }
    let all = tensors("cuts", &[total(&lengths)?, 1])?;
    let mut cuts = Vec::new();
    let mut rest = all.as_slice();
    for length in lengths {
        let (own, more) = rest.split_at(length);
        if own.windows(2).any(|w| w[0] >= w[1]) {
            return Err(wrong("the cuts of a kernel are not ascending"));
        }
        cuts.push(own.to_vec());
        rest = more;
    }
    let all = tensors("nodes", &[total(&sizes)?, 1])?;
    let mut trees = Vec::new();
    let mut rest = all.as_slice();
    for size in sizes {
        let (own, more) = rest.split_at(size);
        trees.push(tree(own, &cuts)?);
        rest = more;
    }
    Ok(Combination::new(Forest { shares, active, cuts, trees }))
}

fn tree(numbers: &[f64], cuts: &[Vec<f64>]) -> Result<Tree> {
    if numbers.is_empty() {
        return Err(wrong("a tree has no node"));
    }
    let mut tree = Tree::default();
    for (place, number) in numbers.iter().enumerate() {
        if (0.0..=1.0).contains(number) {
            let place = u32::try_from(place).map_err(|_| wrong("a tree is too large"))?;
            tree.nodes.push(Node::leaf(place));
            tree.values.push(*number as f32);
            continue;
        }
        let whole = (-number) as u64;
        let (left, feature, cut) = (whole / LEFT, whole % LEFT / FEATURE, whole % FEATURE);
        let below = cuts.get(feature as usize).is_some_and(|c| (cut as usize) < c.len());
        let inside = left > place as u64 && left + 1 < numbers.len() as u64;
        if whole as f64 != -number || !below || !inside {
            return Err(wrong(&format!("node {place} of a tree is none")));
        }
        tree.nodes.push(Node { left: left as u32, feature: feature as u16, cut: cut as u8 });
        tree.values.push(0.0);
    }
    Ok(tree)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// One inner node on kernel 1 of 3, at the second of two cuts.
    fn small() -> Forest {
        let nodes = vec![Node { left: 1, feature: 1, cut: 1 }, Node::leaf(1), Node::leaf(2)];
        let tree = Tree { nodes, values: vec![0.0, 0.25, 1.0] };
        let leaf = Tree { nodes: vec![Node::leaf(0)], values: vec![0.5] };
        Forest::new(vec![0.0, 1.0, 0.0], vec![vec![], vec![1.0, 2.0], vec![]], vec![tree, leaf])
    }

    #[test]
    fn values_are_means_over_the_trees() {
        let rows = [-9.0, 1.0, 2.0, 2.0_f64.next_up(), 7.0];
        let examples = Matrix::from_fn(5, 3, |i, j| if j == 1 { rows[i] } else { 100.0 });
        assert_eq!(small().values(&examples).unwrap(), [0.375, 0.375, 0.375, 0.75, 0.75]);
        let e = small().values(&Matrix::zeros(2, 2)).unwrap_err().to_string();
        assert_eq!(e, "K-examples: expected 3, found 2");
    }

    type Change<'a> = &'a dyn Fn(&mut Value, &mut Vec<(String, Matrix)>);

    #[test]
    fn files_give_back_the_forest_and_refuse_others() {
        let forest = small();
        let (value, tensors) = super::super::written(&forest);
        let with = |change: Change<'_>| {
            let (mut value, mut tensors) = (value.clone(), tensors.clone());
            change(&mut value, &mut tensors);
            super::super::read(&value, &|name: &str, shape: &[usize]| {
                let found = tensors.iter().find(|t| t.0 == name).unwrap();
                match shape == [found.1.rows(), found.1.cols()] {
                    true => Ok(found.1.values().to_vec()),
                    false => Err(wrong("shape")),
                }
            })
        };
        let same = with(&|_, _| ()).unwrap();
        assert_eq!(same, Combination::new(forest));
        // The root is the node at place 0: feature 0 of those that are active, cut 1, children 1 and 2.
        let root = -((LEFT + 1) as f64);
        assert_eq!(tensors[1].1.get(0, 0), root);
        let wrong_roots =
            [-1.0, root - 1.0, root - FEATURE as f64, root - LEFT as f64, root - 0.5, 1.5, -1e300];
        for number in wrong_roots {
            let e = with(&|_, t| t[1].1.set(0, 0, number)).unwrap_err().to_string();
            assert_eq!(e, "the rule of a model: node 0 of a tree is none", "{number}");
        }
        let e = with(&|_, t| t[0].1.set(0, 0, 2.0)).unwrap_err().to_string();
        assert!(e.ends_with("the cuts of a kernel are not ascending"), "{e}");
        for (name, value) in [("trees", "[5]"), ("trees", "[1.5]"), ("cuts", "[256]")] {
            let value: Value = serde_json::from_str(value).unwrap();
            assert!(with(&|v, _| v[name] = value.clone()).is_err(), "{name} {value}");
        }
        let e = with(&|v, _| v["trees"] = vec![0, 4].into()).unwrap_err().to_string();
        assert!(e.ends_with("a tree has no node"), "{e}");
    }
}
