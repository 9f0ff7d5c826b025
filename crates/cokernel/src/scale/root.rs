//! [`Root`]: R_m, which makes features of kernel m to coordinates in which its norm is that of a vector.

use cokernel_dense::{Slice, product_nn, simd};
use serde::{Deserialize, Serialize};

/// R_m.
#[derive(Debug)]
pub(crate) struct Root {
    /// r_m.
    pub rank: usize,
    pub values: Values,
    /// Where v_m begins among all.
    pub first: usize,
}

/// The numbers of R_m.
#[derive(Debug)]
pub(crate) enum Values {
    /// r × r_m.
    All(Vec<f64>),
    /// This factor times the features from this one on, and nothing of the others: of random features.
    Own(usize, f64),
}

impl Root {
    /// R_m v for one v_m: the number of each feature.
    pub fn times(&self, v: &[f64], mut each: impl FnMut(usize, f64)) {
        match &self.values {
            Values::All(values) => {
                let rows = values.chunks(self.rank.max(1)).enumerate();
                rows.for_each(|(i, row)| each(i, simd::dot(row, v)));
            }
            Values::Own(first, factor) => {
                v.iter().enumerate().for_each(|(j, v)| each(first + j, factor * v));
            }
        }
    }

    /// `out` (r × k, zeros) = R_m G for G, r_m × k.
    pub fn times_block(&self, block: &[f64], k: usize, out: &mut [f64]) {
        match &self.values {
            Values::All(values) => {
                let root = Slice::new(values, out.len() / k.max(1), self.rank);
                product_nn(root, Slice::new(block, self.rank, k), out);
            }
            Values::Own(first, factor) => {
                let own = out[first * k..].iter_mut().zip(block);
                own.for_each(|(o, v)| *o = factor * v);
            }
        }
    }
}

/// A root without its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Shape {
    pub rank: usize,
    /// First feature and bits of the factor, where it takes features as they are.
    own: Option<(usize, u64)>,
}

impl Shape {
    pub fn of(root: &Root) -> Self {
        let own = match root.values {
            Values::All(_) => None,
            Values::Own(first, factor) => Some((first, factor.to_bits())),
        };
        Shape { rank: root.rank, own }
    }

    /// How many numbers it has towards so many landmarks.
    pub fn numbers(self, landmarks: usize) -> usize {
        if self.own.is_some() { 0 } else { landmarks.saturating_mul(self.rank) }
    }

    /// With these numbers.
    pub fn with(self, numbers: Vec<f64>, first: usize) -> Root {
        let values = match self.own {
            None => Values::All(numbers),
            Some((own, factor)) => Values::Own(own, f64::from_bits(factor)),
        };
        Root { rank: self.rank, values, first }
    }
}

/// C R for these kernels, from features of some rows of which theirs are the first: row after row, kernel after kernel.
pub(super) fn whitened(
    (roots, landmarks): (&[Root], usize),
    kernels: &[usize],
    count: usize,
    values: &[f64],
    out: &mut Vec<f64>,
) {
    let (r, stride) = (landmarks, values.len() / count.max(1));
    let wide: usize = kernels.iter().map(|m| roots[*m].rank).sum();
    out.clear();
    out.resize(count * wide, 0.0);
    let (mut at, mut part) = (0, Vec::new());
    for (a, m) in kernels.iter().enumerate() {
        let root = &roots[*m];
        match &root.values {
            Values::All(own) => {
                let rows = Slice { values: &values[a * r..], rows: count, cols: r, stride };
                part.resize(count * root.rank, 0.0);
                product_nn(rows, Slice::new(own, r, root.rank), &mut part);
                for i in 0..count {
                    let from = &part[i * root.rank..(i + 1) * root.rank];
                    out[i * wide + at..i * wide + at + root.rank].copy_from_slice(from);
                }
            }
            Values::Own(first, factor) => {
                for i in 0..count {
                    let from = &values[i * stride + a * r + first..][..root.rank];
                    let to = out[i * wide + at..].iter_mut().zip(from);
                    to.for_each(|(o, v)| *o = factor * v);
                }
            }
        }
        at += root.rank;
    }
}
