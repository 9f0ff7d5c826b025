//! The graphs of one view as stored matrices, where C and H have so many columns together that their
//! Gram matrix and the small eigenproblem ([`Graph::leading`]) cost more than n × n products: S = ½ (C Hᵀ + H Cᵀ), whose least entry m is then seen, and
//! M = D^{-1/2} (S − m 11ᵀ) D^{-1/2}, which is decomposed in the first round, and whose leading
//! eigenvectors are then filtered from those of the round before ([`filter`]). D^{1/2} 1 is an
//! eigenvector of M, of the eigenvalue 1: it is given to the filter as it is, because what others hold of
//! it would grow most.
//!
//! Cost: 2 n² c operations for S, 2 n² r for each of about twenty products, memory 3 n² values while a
//! graph is made.

use super::divided;
use super::graph::{Graph, Leading};
use crate::data::Matrix;
use crate::multiview::laplacian;
use crate::solve::dense::{self, Slice};
use crate::solve::eigen::Eigenpairs;
use crate::solve::filter::{self, Subspace};
use crate::{Result, Run, Status, Watch};
use cokernel_dense::simd;

/// 2c from this share of n. At 0.6 (n = 400, 2c = 240) a round of a view took 10.3 ms in the first ten rounds, 9.3 ms
/// the other way, and 9.0 ms later, 10.6 ms the other way; at n = 1,600, 2c = 400 twenty products alone would take twice as
/// long as a round the other way (`benches/peers/many_clusters.py`).
const SHARE: f64 = 0.8;

/// How far below the last known least eigenvalue that of the next graph is looked for.
const BELOW: f64 = 1.2;

/// Whether graphs of size n with c columns in C and `count` eigenvectors are stored.
pub(super) fn suits(n: usize, c: usize, count: usize, run: &Run) -> bool {
    2.0 * c as f64 >= SHARE * n as f64 && filter::suits(n, count) && has_room(n, run)
}

/// Whether the graph of a view alone is stored for `count` eigenvectors.
pub(super) fn suits_alone(n: usize, count: usize, run: &Run) -> bool {
    filter::suits_alone(n, count) && has_room(n, run)
}

fn has_room(n: usize, run: &Run) -> bool {
    [24, n, n].into_iter().fold(1, usize::saturating_mul) <= run.memory / 4
}

/// The leading eigenvectors of the sequence of graphs of one view.
pub(super) struct Stored {
    subspace: Subspace,
}

impl Stored {
    /// For graphs of size n.
    pub fn new(n: usize, run: &Run) -> Self {
        Stored { subspace: Subspace::new(n, run) }
    }

    /// The graph of C and H, and its leading eigenvectors as [`Graph::leading`] gives them.
    ///
    /// # Errors
    /// As [`Graph::new`] and [`Graph::leading`].
    pub fn leading(
        &mut self,
        c: Matrix,
        h: Matrix,
        shift: bool,
        count: usize,
        watch: &Watch,
    ) -> Result<(Graph, Leading)> {
        let (mut m, least) = similarities(&c, &h);
        let graph = Graph::with_least(c, h, least, shift)?;
        for i in 0..m.rows() {
            let (own, low) = (graph.scaling[i], graph.low);
            let pairs = m.row_mut(i).iter_mut().zip(&graph.scaling);
            pairs.for_each(|(v, other)| *v = own * other * (*v - low));
        }
        if let Some(found) = self.solved(&m, &graph, count, watch)? {
            // Where eigenvalues are near rounding, the other way knows which of them are above it.
            let floor = laplacian::NOTHING * graph.terms();
            if found.values.last().is_some_and(|v| *v > floor) {
                let leading = shared(&graph, found);
                return Ok((graph, leading));
            }
        }
        let leading = graph.leading(count)?;
        Ok((graph, leading))
    }

    /// The leading pairs of M, from the last answer or by decomposition; `None` after a stop.
    fn solved(
        &mut self,
        m: &Matrix,
        graph: &Graph,
        count: usize,
        watch: &Watch,
    ) -> Result<Option<Eigenpairs>> {
        if self.subspace.holds() >= count {
            let root = |s: &f64| if *s > 0.0 { 1.0 / s } else { 0.0 };
            let known: Vec<f64> = graph.scaling.iter().map(root).collect();
            let precise = laplacian::precise();
            let found = self.subspace.follow(m, count, Some(&known), &precise, watch)?;
            if let Some(found) = found {
                return Ok(Some(found).filter(|f| f.status == Status::Converged));
            }
        }
        self.subspace.low = f64::NAN;
        let found = self.subspace.renewed(m, count, &laplacian::precise(), watch)?;
        self.subspace.low = BELOW * self.subspace.low.min(0.0);
        Ok(Some(found))
    }
}

/// What else new rows need of the pairs.
fn shared(graph: &Graph, found: Eigenpairs) -> Leading {
    let n = graph.c.rows();
    let mut g = divided(&found.vectors, &found.values);
    laplacian::scale_rows(&mut g, &graph.scaling);
    let ones = Matrix::from_fn(n, 1, |_, _| 1.0);
    let shares = [&graph.c, &graph.h, &ones].map(|x| dense::gram_tn(Slice::of(x), Slice::of(&g)));
    let next = found.next.map(|v| if 2 * graph.c.cols() + 1 < n { v.max(0.0) } else { v });
    Leading { values: found.values, vectors: found.vectors, next, shares }
}

/// ½ (C Hᵀ + H Cᵀ) and its least entry.
fn similarities(c: &Matrix, h: &Matrix) -> (Matrix, f64) {
    let s = dense::product(Slice::of(c), Slice::of(&h.transposed()));
    let s = dense::symmetric_part(s);
    let least = simd::least(s.values());
    (s, least)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Filtered answers of a sequence of graphs are those of the other way.
    #[test]
    fn on_equals_off() {
        let (n, k, count) = (150, 40, 15);
        let run = Run::default();
        let watch = run.watch();
        let place = |i: usize| (i % 15) as f64 + 0.3 * ((i * i) as f64 * 0.37).sin();
        let kernel = Matrix::from_fn(n, n, |i, j| (-3.0 * (place(i) - place(j)).powi(2)).exp());
        let mut stored = Stored::new(n, &run);
        for round in 0..4 {
            let step = 0.1_f64.powi(round);
            let c = Matrix::from_fn(n, k, |i, j| {
                let own = f64::from(u8::from(i % 15 == j % 15));
                own * (1.0 + (j / 15) as f64 * (i as f64).cos())
                    + 0.01 * step * ((i * (j + 1)) as f64).sin()
            });
            let h = dense::product(Slice::of(&kernel), Slice::of(&c));
            let (graph, got) = stored.leading(c.clone(), h.clone(), true, count, &watch).unwrap();
            let other = Graph::new(c, h, true).unwrap();
            let want = other.leading(count).unwrap();
            assert!((graph.low - other.low).abs() < 1e-12);
            assert_eq!(got.values.len(), want.values.len());
            for (x, y) in got.values.iter().zip(&want.values) {
                assert!((x - y).abs() < 1e-12, "round {round}: {x} and {y}");
            }
            let outer =
                |a: &Matrix, b: &Matrix| dense::product(Slice::of(a), Slice::of(&b.transposed()));
            let same = |a: &Matrix, b: &Matrix| {
                a.values().iter().zip(b.values()).all(|(x, y)| (x - y).abs() < 1e-7)
            };
            assert!(same(&outer(&got.vectors, &got.vectors), &outer(&want.vectors, &want.vectors)));
            for (a, b) in got.shares.iter().zip(&want.shares) {
                assert!(same(&outer(&got.vectors, a), &outer(&want.vectors, b)), "round {round}");
            }
            let (a, b) = (got.next.unwrap(), want.next.unwrap());
            assert!((a - b).abs() < 0.02 * (want.values[count - 1] - b).abs(), "{a} and {b}");
        }
    }
}
