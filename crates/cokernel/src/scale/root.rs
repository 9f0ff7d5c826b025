//! [`Root`]: R_m, which makes features of kernel m to coordinates in which its norm is that of a vector.

use cokernel_dense::{Slice, product_nn, simd};

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
