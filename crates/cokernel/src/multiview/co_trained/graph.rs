//! The graph that a round puts in the place of a view's own: S − m 11ᵀ with
//! S = sym(P K) = ½ (C Hᵀ + H Cᵀ), P = C Cᵀ, H = K C, and the leading eigenvectors of its
//! normalisation. C and H are thin; nothing of size n² is stored.
//!
//! | symbol | name |
//! |---|---|
//! | C, H (n × c) | `c`, `h` |
//! | m | `low` |
//! | D^{-1/2}, D_ii = Σ_j (S_ij − m) | `scaling` |
//!
//! Eigenvectors: with [C H 1]ᵀ D^{-1/2} = L Q, Q having orthonormal rows, the normalised graph is
//! Qᵀ T Q, T = ½ (L_Cᵀ L_H + L_Hᵀ L_C) − m l lᵀ (L_C, L_H, lᵀ the rows of L that belong to C, H, 1),
//! so that its eigenvalues other than 0 are those of the small matrix T. Where Z has full rank and the eigenvalues
//! are well above rounding, Gram matrices do without Q ([`pencil`]): a round at
//! n = 1,600, c = 200 then takes two thirds of the time.
//!
//! Cost: the least entry (`least`) up to n² 2c operations; all else O(n c²).

use super::least::least;
use super::pencil;
use crate::data::Matrix;
use crate::multiview::laplacian::NOTHING;
use crate::solve::dense::{self, Slice};
use crate::solve::orthonormal::orthonormal;
use crate::{Error, Result};
pub(super) use cokernel_dense::simd::dot;

/// Degrees below this share of the largest are 0 up to rounding.
const ISOLATED: f64 = 1e-13;

/// See the [module](self).
pub(super) struct Graph {
    pub c: Matrix,
    pub h: Matrix,
    /// The least entry of S if it is negative and the shift was asked for, else 0.
    pub low: f64,
    pub scaling: Vec<f64>,
    /// Cᵀ1 and Hᵀ1.
    pub sums: [Vec<f64>; 2],
    /// Instances without any similarity; their scaling is 0.
    pub isolated: Vec<usize>,
}

/// Leading eigenvectors.
pub(super) struct Leading {
    /// Descending, all above rounding.
    pub values: Vec<f64>,
    /// n × (number of values).
    pub vectors: Matrix,
    /// The next eigenvalue; `None` if there are n.
    pub next: Option<f64>,
    /// CᵀG, HᵀG and, as one row, 1ᵀG, with G = D^{-1/2} U Θ^{-1}.
    pub shares: [Matrix; 3],
}

impl Graph {
    /// The graph of C and H = K C, moved up by its least entry if that is negative and `shift`.
    ///
    /// # Errors
    /// Without shift: an instance whose entries do not sum to more than 0. Entries that are too
    /// large for floating point.
    pub fn new(c: Matrix, h: Matrix, shift: bool) -> Result<Self> {
        let low = if shift { least(&c, &h) } else { 0.0 };
        Self::with_least(c, h, low, shift)
    }

    /// The same where the least entry of S is known already.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_least(c: Matrix, h: Matrix, least: f64, shift: bool) -> Result<Self> {
        let n = c.rows();
        let low = if shift { least.min(0.0) } else { 0.0 };
        let (of_c, of_h) = (column_sums(&c), column_sums(&h));
        let degrees: Vec<f64> = (0..n)
            .map(|i| 0.5 * (dot(c.row(i), &of_h) + dot(h.row(i), &of_c)) - low * n as f64)
            .collect();
        if let Some(i) = degrees.iter().position(|d| !d.is_finite()) {
            return Err(Error::Data(format!(
                "the similarities of instance {i} sum to {}: scale the kernel down",
                degrees[i]
            )));
        }
        let floor = ISOLATED * degrees.iter().fold(0.0_f64, |a, d| a.max(*d));
        let isolated: Vec<usize> = (0..n).filter(|i| degrees[*i] <= floor).collect();
        if let (Some(i), false) = (isolated.first(), shift) {
            return Err(Error::Data(format!(
                "projected on the eigenvectors of the other views, the similarities of instance \
                 {i} sum to {:.3e}, and only a positive sum can be normalised: set shift=yes",
                degrees[*i]
            )));
        }
        let root = |d: &f64| if *d <= floor { 0.0 } else { 1.0 / d.sqrt() };
        let scaling = degrees.iter().map(root).collect();
        Ok(Graph { c, h, low, scaling, sums: [of_c, of_h], isolated })
    }

    /// The eigenvectors of the (at most) `count` algebraically largest eigenvalues that are above
    /// rounding.
    ///
    /// # Errors
    /// Numbers that are too large for floating point.
    pub fn leading(&self, count: usize) -> Result<Leading> {
        match pencil::leading(self, count)? {
            Some(found) => Ok(found),
            None => self.leading_by_rows(count),
        }
    }

    /// [`leading`](Self::leading) from an orthonormal basis, whatever the rank.
    pub(super) fn leading_by_rows(&self, count: usize) -> Result<Leading> {
        let (n, width) = (self.c.rows(), self.c.cols());
        let mut z = Matrix::zeros(2 * width + 1, n);
        for (i, s) in self.scaling.iter().enumerate() {
            for (j, v) in self.c.row(i).iter().chain(self.h.row(i)).chain([&1.0]).enumerate() {
                z.set(j, i, s * v);
            }
        }
        let (l, q) = orthonormal(&z);
        let rank = q.rows();
        let (of_c, rest) = l.values().split_at(width * rank);
        let (of_h, one) = rest.split_at(width * rank);
        let product = dense::gram_tn(rows(of_c, width, rank), rows(of_h, width, rank));
        let t = Matrix::from_fn(rank, rank, |i, j| {
            0.5 * (product.get(i, j) + product.get(j, i)) - self.low * one[i] * one[j]
        });
        let (found, turn) = dense::leading_eigen(&t, (count + 1).min(rank))?;
        let floor = NOTHING * (norm(of_c) * norm(of_h) - self.low * dot(one, one));
        let kept = found.iter().take(count).take_while(|v| **v > floor).count();
        if kept == 0 {
            return Err(Error::Data(
                "projected on the eigenvectors of the other views, no similarity is left; more \
                 eigenvectors (parameter 'projection') leave more"
                    .into(),
            ));
        }
        let y = Matrix::from_fn(kept, rank, |i, j| turn.get(j, i));
        // D^{-1/2} [C H 1] = Qᵀ Lᵀ and U = Qᵀ yᵀ.
        let inverse = Matrix::from_fn(rank, kept, |i, j| y.get(j, i) / found[j]);
        let shares = [(of_c, width), (of_h, width), (one, 1)]
            .map(|(l, count)| dense::product(rows(l, count, rank), Slice::of(&inverse)));
        let next = match (found.get(kept).copied(), rank < n) {
            (value, true) => Some(value.unwrap_or(0.0).max(0.0)),
            (value, false) => value,
        };
        let values = found[..kept].to_vec();
        let vectors = dense::product(Slice::of(&y), Slice::of(&q)).transposed();
        Ok(Leading { values, vectors, next, shares })
    }

    /// The size of the terms that the eigenvalues are differences of.
    pub fn terms(&self) -> f64 {
        let mut squares = [0.0; 3];
        for (i, s) in self.scaling.iter().enumerate() {
            let rows = [self.c.row(i), self.h.row(i), &[1.0]];
            squares.iter_mut().zip(rows).for_each(|(sum, row)| *sum += s * s * dot(row, row));
        }
        (squares[0] * squares[1]).sqrt() - self.low * squares[2]
    }
}

/// `count` rows of `rank` numbers.
fn rows(values: &[f64], count: usize, rank: usize) -> Slice<'_> {
    Slice::new(values, count, rank)
}

fn column_sums(block: &Matrix) -> Vec<f64> {
    let mut sums = vec![0.0; block.cols()];
    for i in 0..block.rows() {
        sums.iter_mut().zip(block.row(i)).for_each(|(s, v)| *s += v);
    }
    sums
}

fn norm(values: &[f64]) -> f64 {
    dot(values, values).sqrt()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Side of the blocks in which the least entry is looked for.
    const SIDE: usize = 128;

    /// Entry (i, j) of S.
    fn entry(g: &Graph, i: usize, j: usize) -> f64 {
        0.5 * (dot(g.c.row(i), g.h.row(j)) + dot(g.h.row(i), g.c.row(j)))
    }

    /// The example of LMS §3.2: the modified graph of (3.1) as it is printed there.
    #[test]
    fn the_printed_example() {
        let [b, c, d, e, f, g] = [0.9, 0.35, 0.11, 0.6, 0.07, 0.23];
        let k = [[0.0, b, c, d], [b, 0.0, e, f], [c, e, 0.0, g], [d, f, g, 0.0]];
        let third = 1.0 / 3.0_f64.sqrt();
        let u = Matrix::new(4, 2, vec![third, 0.0, third, 0.0, third, 0.0, 0.0, 1.0]).unwrap();
        let k = Matrix::new(4, 4, k.concat()).unwrap();
        let h = dense::product(Slice::of(&k), Slice::of(&u));
        let graph = Graph::new(u, h, true).unwrap();
        let printed = [
            [b + c, b + (c + e) / 2.0, c + (b + e) / 2.0, 2.0 * d + (f + g) / 2.0],
            [b + (c + e) / 2.0, b + e, e + (b + c) / 2.0, 2.0 * f + (d + g) / 2.0],
            [c + (b + e) / 2.0, e + (b + c) / 2.0, c + e, 2.0 * g + (d + f) / 2.0],
            [2.0 * d + (f + g) / 2.0, 2.0 * f + (d + g) / 2.0, 2.0 * g + (d + f) / 2.0, 0.0],
        ];
        for (i, row) in printed.iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                let got = entry(&graph, i, j);
                assert!((got - value / 3.0).abs() < 1e-15, "({i}, {j}): {got}");
            }
            let degree = row.iter().sum::<f64>() / 3.0;
            assert!((graph.scaling[i] - 1.0 / degree.sqrt()).abs() < 1e-14);
        }
        assert_eq!(graph.low, 0.0);
    }

    fn wave(n: usize, cols: usize, speed: f64) -> Matrix {
        Matrix::from_fn(n, cols, |i, j| ((i * (j + 1)) as f64 * speed).sin() + 0.3)
    }

    #[test]
    fn least_entries() {
        for n in [1, 5, SIDE, SIDE + 1, 3 * SIDE + 17] {
            let graph = Graph::new(wave(n, 3, 0.37), wave(n, 3, 0.71), true).unwrap();
            let all = (0..n * n).map(|p| entry(&graph, p / n, p % n));
            let want = all.fold(f64::INFINITY, f64::min);
            assert!((graph.low - want.min(0.0)).abs() < 1e-14, "{n}: {} {want}", graph.low);
        }
    }

    /// Instances outside what is projected on have no similarity left.
    #[test]
    fn isolated_instances() {
        let n = 20;
        let c = Matrix::from_fn(n, 1, |i, _| if i < 15 { 0.25 } else { 0.0 });
        let graph = Graph::new(c.clone(), c.clone(), true).unwrap();
        assert_eq!(graph.isolated, [15, 16, 17, 18, 19]);
        let leading = graph.leading(3).unwrap();
        assert_eq!(leading.values.len(), 1);
        assert!((leading.values[0] - 1.0).abs() < 1e-14 && leading.next == Some(0.0));
        for i in 0..n {
            let want = if i < 15 { 1.0 / 15.0_f64.sqrt() } else { 0.0 };
            assert!((leading.vectors.get(i, 0).abs() - want).abs() < 1e-14);
        }
        let e = Graph::new(c.clone(), c, false).err().unwrap().to_string();
        assert!(e.contains("instance 15 sum to 0.000e0") && e.contains("set shift=yes"), "{e}");
        let nothing = Graph::new(wave(4, 1, 0.3), Matrix::zeros(4, 1), true).unwrap();
        assert!(nothing.leading(1).err().unwrap().to_string().contains("no similarity is left"));
    }
}
