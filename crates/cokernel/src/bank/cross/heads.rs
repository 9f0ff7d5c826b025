//! New rows under rules that differ from head to head: the kernels are computed once for all.

use super::{Cross, NewRows, Numbers, Room};
use crate::Result;
use crate::data::Matrix;
use crate::rule::{Gated, Mix, Pairs, Rule};
use cokernel_dense::simd;

/// The rule of one head.
struct One<'a> {
    rule: &'a Gated,
    /// Which of the kernels here it reads.
    places: Vec<usize>,
    /// Where its numbers begin among those of all heads, and how many there are.
    numbers: (usize, usize),
    /// Its numbers of the support rows, a row of each number.
    support: Matrix,
}

impl Cross {
    /// K_u c_u for each head u, K_u its rule of the kernels, new rows × support rows; `kernels` are the kernels here as
    /// the rules count them, `numbers` those of one head after the other, `coef` has a row for each head.
    ///
    /// # Errors
    /// As [`multiply`](Self::multiply).
    pub fn multiply_heads(
        &self,
        new: &NewRows,
        kernels: &[usize],
        heads: &[Gated],
        numbers: Option<Numbers<'_>>,
        coef: &Matrix,
    ) -> Result<Matrix> {
        let all: Vec<usize> = (0..kernels.len()).collect();
        self.require_exact(&all)?;
        let mut first = 0;
        let mut ones = Vec::with_capacity(heads.len());
        for rule in heads {
            let read = Rule::active(rule).into_iter();
            let places = read.filter_map(|m| kernels.iter().position(|k| *k == m)).collect();
            let own = (first, rule.per_instance());
            first += own.1;
            let columns: Vec<usize> = (own.0..first).collect();
            let support = match numbers {
                Some(n) => n.support.select_cols(&columns).transposed(),
                None => Matrix::zeros(0, 0),
            };
            ones.push(One { rule, places, numbers: own, support });
        }
        let s = self.n_support();
        let by_head = coef.transposed();
        self.strips(new, &all, &by_head, |first, Room { values, mixed, .. }, out| {
            mixed.resize(s, 0.0);
            for (r, out) in out.chunks_mut(ones.len()).enumerate() {
                let own = r * all.len() * s..(r + 1) * all.len() * s;
                let values: Vec<&[f64]> = values[own].chunks(s).collect();
                for (u, (one, out)) in ones.iter().zip(out).enumerate() {
                    let read: Vec<&[f64]> = one.places.iter().map(|m| values[*m]).collect();
                    let own = match numbers {
                        Some(n) => &n.new.row(first + r)[one.numbers.0..][..one.numbers.1],
                        None => &[],
                    };
                    let others: Vec<&[f64]> =
                        (0..one.support.rows()).map(|g| one.support.row(g)).collect();
                    one.rule.mix(Pairs { values: &read, own, others: &others }, mixed);
                    *out = simd::dot(mixed, coef.row(u));
                }
            }
        })
    }
}
