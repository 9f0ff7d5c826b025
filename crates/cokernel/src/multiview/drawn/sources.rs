//! The coefficients of new rows, u_a(x) = Σ_v g_v(x) B_{a,v}, of blocks that were updated one after the other:
//! an update of block a makes
//!
//! B_a ← ([g_a] U_a + Σ_b λ_b B_b (U_bᵀU_a)) Θ^{-1}
//!
//! from the B_b of that moment ([`super`]). Updates are kept, and followed backwards from the blocks that are
//! shown: block b counts with C_b, at first the identity for a block that is shown; an update of a adds
//! U_a Θ^{-1} C_a to the part of view a and λ_b U_bᵀU_a Θ^{-1} C_a to each C_b, and leaves C_a = 0. So only
//! matrices of r rows are multiplied but for one of n rows; forwards all are of nV rows.
//!
//! After every [`KEPT`] rounds B_a is formed for all blocks, and the updates are forgotten. Memory: n r V (V + 1)
//! values then, and n r for each update of a view.

use super::super::extension::divisors;
use crate::data::Matrix;
use crate::solve::dense::{self, Slice};

/// Rounds whose updates are kept.
pub(super) const KEPT: usize = 8;

/// See the [module](self).
pub(super) struct Sources {
    /// Instances, or landmarks that stand for them: rows of each part of B_a.
    n: usize,
    views: usize,
    /// B_a before the first of the updates, each a part for every view; empty where it is 0.
    base: Vec<Vec<Matrix>>,
    updates: Vec<Update>,
    /// Columns of the blocks now.
    widths: Vec<usize>,
}

struct Update {
    block: usize,
    /// U_a Θ^{-1}; none for a block that is not a view.
    own: Option<Matrix>,
    /// b and λ_b U_bᵀU_a Θ^{-1}.
    links: Vec<(usize, Matrix)>,
}

impl Sources {
    /// For the views, and one block beside them.
    pub(super) fn new(n: usize, views: usize) -> Self {
        let blocks = views + 1;
        let base = (0..blocks).map(|_| Vec::new()).collect();
        Sources { n, views, base, updates: Vec::new(), widths: vec![0; blocks] }
    }

    /// An update of block a to `vectors` with eigenvalues `values`, drawn by `pulls` (b, λ_b) with
    /// U_bᵀU_a in `crosses`.
    pub(super) fn renew(
        &mut self,
        a: usize,
        vectors: &Matrix,
        values: &[f64],
        pulls: &[(usize, f64)],
        crosses: &[Matrix],
    ) {
        let columns = vectors.cols();
        let inverse: Vec<f64> = divisors(values).iter().map(|d| 1.0 / d).collect();
        let divided = |m: &Matrix, factor: f64| {
            let mut out = m.clone();
            for i in 0..m.rows() {
                let pairs = out.row_mut(i).iter_mut().zip(&inverse);
                pairs.for_each(|(v, inverse)| *v *= factor * inverse);
            }
            out
        };
        let own = (a < self.views).then(|| divided(vectors, 1.0));
        let pairs = pulls.iter().zip(crosses);
        let links = pairs.map(|((b, lambda), cross)| (*b, divided(cross, *lambda))).collect();
        self.updates.push(Update { block: a, own, links });
        self.widths[a] = columns;
        if self.updates.len() >= KEPT * (self.views + 1) {
            self.fold();
        }
    }

    /// The B of the blocks `shown` side by side: a part (n rows) for each view.
    pub(super) fn of(&self, shown: &[usize]) -> Vec<Matrix> {
        let all = shown.iter().map(|a| self.widths[*a]).sum();
        let mut coefficients: Vec<Option<Matrix>> = self.widths.iter().map(|_| None).collect();
        let mut from = 0;
        for a in shown {
            let own = coefficients[*a].get_or_insert_with(|| Matrix::zeros(self.widths[*a], all));
            (0..self.widths[*a]).for_each(|i| own.set(i, from + i, 1.0));
            from += self.widths[*a];
        }
        let mut parts: Vec<Matrix> = (0..self.views).map(|_| Matrix::zeros(self.n, all)).collect();
        for update in self.updates.iter().rev() {
            let Some(own) = coefficients[update.block].take() else { continue };
            if let Some(vectors) = &update.own {
                let part = &mut parts[update.block];
                dense::accumulate(part, 1.0, Slice::of(vectors), Slice::of(&own));
            }
            for (b, link) in &update.links {
                let of_b = &mut coefficients[*b];
                let of_b = of_b.get_or_insert_with(|| Matrix::zeros(link.rows(), all));
                dense::accumulate(of_b, 1.0, Slice::of(link), Slice::of(&own));
            }
        }
        for (base, own) in self.base.iter().zip(&coefficients) {
            let Some(own) = own else { continue };
            for (part, base) in parts.iter_mut().zip(base) {
                dense::accumulate(part, 1.0, Slice::of(base), Slice::of(own));
            }
        }
        parts
    }

    /// Forms all B and forgets the updates.
    fn fold(&mut self) {
        let blocks: Vec<usize> = (0..self.widths.len()).collect();
        let parts = self.of(&blocks);
        let mut from = 0;
        for (base, width) in self.base.iter_mut().zip(&self.widths) {
            let columns: Vec<usize> = (from..from + width).collect();
            *base = parts.iter().map(|part| part.select_cols(&columns)).collect();
            from += width;
        }
        self.updates.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiview::embedding::side_by_side;
    use crate::multiview::min_disagreement::stacked;

    /// The formula as it stands, over more updates than are kept, with blocks that lose a column.
    #[test]
    fn backwards_is_forwards() {
        let (n, views, r) = (6, 3, 4);
        let mut sources = Sources::new(n, views);
        let zero = |c: usize| Matrix::zeros(n * views, c);
        let mut forwards: Vec<Matrix> = (0..=views).map(|_| zero(0)).collect();
        let some = |rows: usize, cols: usize, s: usize| {
            Matrix::from_fn(rows, cols, |i, j| ((i * 5 + j * 3 + s * 7 + 1) as f64 * 0.61).sin())
        };
        for t in 0..3 * KEPT * (views + 1) + 5 {
            let a = t % (views + 1);
            let columns = if t % 7 == 3 { r - 1 } else { r };
            let pulls: Vec<(usize, f64)> = match t < views {
                true => Vec::new(),
                false => (0..=views)
                    .filter(|b| *b != a && forwards[*b].cols() > 0)
                    .map(|b| (b, 0.1 + 0.05 * b as f64))
                    .collect(),
            };
            let vectors = some(n, columns, t);
            let values: Vec<f64> = (0..columns).map(|j| 2.0 + j as f64).collect();
            let crosses: Vec<Matrix> =
                pulls.iter().map(|(b, _)| some(forwards[*b].cols(), columns, t + b)).collect();
            sources.renew(a, &vectors, &values, &pulls, &crosses);
            let mut sum = zero(columns);
            for i in (0..n).filter(|_| a < views) {
                (0..columns).for_each(|j| sum.set(a * n + i, j, vectors.get(i, j) / values[j]));
            }
            for ((b, lambda), cross) in pulls.iter().zip(&crosses) {
                let scaled =
                    Matrix::from_fn(cross.rows(), columns, |i, j| cross.get(i, j) / values[j]);
                dense::accumulate(&mut sum, *lambda, Slice::of(&forwards[*b]), Slice::of(&scaled));
            }
            forwards[a] = sum;
            for shown in [vec![a], vec![views, 0]] {
                let got = stacked(&sources.of(&shown));
                let blocks: Vec<&Matrix> = shown.iter().map(|a| &forwards[*a]).collect();
                if blocks.iter().any(|b| b.cols() == 0) {
                    continue;
                }
                let want = side_by_side(&blocks);
                let pairs = got.values().iter().zip(want.values());
                assert!(pairs.clone().count() == want.values().len());
                assert!(pairs.into_iter().all(|(g, w)| (g - w).abs() < 1e-12), "update {t}");
            }
        }
    }
}
