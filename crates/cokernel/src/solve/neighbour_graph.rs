//! The graph of nearest neighbours in the distance of a matrix K, and its Laplacian.
//!
//! d²(i, j) = K_ii + K_jj − 2 K_ij. Two instances are joined where one is among the k nearest others of the
//! other; of equally near ones the first by number. An edge weighs 1, or exp(−d²/2σ²) with σ the mean distance of
//! all pairs. With D the diagonal matrix of the sums of W:
//!
//! ```text
//! L = D − W        normalised: L = D^{-1/2} (D − W) D^{-1/2}
//! fᵀLf = Σ_edges W_ij (f_i − f_j)²        normalised: Σ_edges W_ij (f_i/√D_ii − f_j/√D_jj)²
//! ```
//!
//! An instance without neighbours has a row of zeros in both. Cost: every row of K once, O(n) work for each, on all
//! threads; memory for the edges.

use super::Rows;
use crate::data::Csr;
use crate::{Status, Watch};
use rayon::prelude::*;

/// How the edges weigh, and which Laplacian is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphKind {
    /// k, at least 1; n − 1 at most counts.
    pub neighbours: usize,
    /// exp(−d²/2σ²) instead of 1.
    pub heat: bool,
    /// Whether the Laplacian is normalised.
    pub normalized: bool,
}

/// L.
#[derive(Debug, Clone, PartialEq)]
pub struct Laplacian {
    /// W, without a diagonal.
    weights: Csr,
    /// 1, or D_ii^{-1/2}.
    scale: Vec<f64>,
    /// L1, exactly 0 where it is.
    ones: Vec<f64>,
}

/// The nearest others of an instance with the squared distance, and the sum of the distances to all.
type Nearest = (Vec<(u32, f64)>, f64);

impl Laplacian {
    /// The Laplacian of the graph of nearest neighbours.
    ///
    /// # Errors
    /// A stop; [`Status::Stalled`] for more instances than an index can count.
    pub fn of_neighbours(rows: &dyn Rows, kind: GraphKind, watch: &Watch) -> Result<Self, Status> {
        let (n, own) = (rows.n(), rows.diagonal());
        let most = kind.neighbours.min(n.saturating_sub(1));
        let one = |(row, found): &mut (Vec<f64>, Vec<(f64, u32)>), i: usize| {
            if let Some(status) = watch.stop() {
                return Err(status);
            }
            let values = rows.row(i, row);
            found.clear();
            let distance = |j: usize| (own[i] + own[j] - 2.0 * values[j]).max(0.0);
            found.extend((0..n).filter(|j| *j != i).map(|j| (distance(j), j as u32)));
            let total = found.iter().map(|e| e.0.sqrt()).sum();
            if most > 0 && most < found.len() {
                found.select_nth_unstable_by(most - 1, |a, b| {
                    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
                });
            }
            Ok((found[..most].iter().map(|e| (e.1, e.0)).collect(), total))
        };
        let nearest: Vec<Nearest> = (0..n)
            .into_par_iter()
            .map_init(|| (vec![0.0; n], Vec::new()), one)
            .collect::<Result<_, Status>>()?;
        let pairs = (n * n.saturating_sub(1)).max(1) as f64;
        let sigma = nearest.iter().map(|e| e.1).sum::<f64>() / pairs;
        let mut lists: Vec<Vec<(u32, f64)>> = vec![Vec::new(); n];
        for (i, (list, _)) in nearest.into_iter().enumerate() {
            for (j, d) in list {
                let weight = match kind.heat && sigma > 0.0 {
                    true => (-0.5 * (d.sqrt() / sigma).powi(2)).exp(),
                    false => 1.0,
                };
                lists[i].push((j, weight));
                lists[j as usize].push((i as u32, weight));
            }
        }
        for list in &mut lists {
            // Named from both sides; rounding may tell the two weights apart, and the smaller stays.
            list.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            list.dedup_by_key(|e| e.0);
        }
        let weights = Csr::from_rows(n, lists).map_err(|_| Status::Stalled)?;
        let degree = |i: usize| weights.row(i).1.iter().sum::<f64>();
        let scale: Vec<f64> = match kind.normalized {
            true => {
                (0..n).map(|i| if degree(i) > 0.0 { 1.0 / degree(i).sqrt() } else { 0.0 }).collect()
            }
            false => vec![1.0; n],
        };
        let mut found = Laplacian { weights, scale, ones: vec![0.0; n] };
        if kind.normalized {
            let mut ones = vec![0.0; n];
            found.multiply(&vec![1.0; n], &mut ones);
            found.ones = ones;
        }
        Ok(found)
    }

    /// L1.
    pub fn ones(&self) -> &[f64] {
        &self.ones
    }

    /// out = L f.
    pub fn multiply(&self, f: &[f64], out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            let (columns, weights) = self.weights.row(i);
            let own = self.scale[i] * f[i];
            let pairs = columns.iter().zip(weights);
            let sum: f64 =
                pairs.map(|(&j, w)| w * (own - self.scale[j as usize] * f[j as usize])).sum();
            *out = self.scale[i] * sum;
        }
    }

    /// out += factor · row i of L M, for the matrix M of `width` columns with the rows `values`.
    pub(super) fn add_row(
        &self,
        i: usize,
        factor: f64,
        values: &[f64],
        width: usize,
        out: &mut [f64],
    ) {
        let (columns, weights) = self.weights.row(i);
        let own = &values[i * width..(i + 1) * width];
        for (&j, w) in columns.iter().zip(weights) {
            let j = j as usize;
            let other = &values[j * width..(j + 1) * width];
            let (a, b) = (self.scale[i], self.scale[j]);
            let by = factor * w * a;
            for ((o, x), y) in out.iter_mut().zip(own).zip(other) {
                *o += by * (a * x - b * y);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::bank::Gram;
    use crate::data::Matrix;

    /// Points on a line.
    fn line(places: &[f64]) -> Gram {
        let n = places.len();
        Gram::new(Matrix::from_fn(n, n, |i, j| places[i] * places[j])).unwrap()
    }

    fn dense(laplacian: &Laplacian, n: usize) -> Matrix {
        let mut m = Matrix::zeros(n, n);
        for j in 0..n {
            let unit: Vec<f64> = (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
            let mut column = vec![0.0; n];
            laplacian.multiply(&unit, &mut column);
            (0..n).for_each(|i| m.set(i, j, column[i]));
        }
        m
    }

    #[test]
    fn a_chain_by_hand() {
        let watch = Run::default().watch();
        let kind = GraphKind { neighbours: 1, heat: false, normalized: false };
        // 0 and 1 are each other's nearest, 3's nearest is 6's other side.
        let found = Laplacian::of_neighbours(&line(&[0.0, 1.0, 3.0, 6.0]), kind, &watch).unwrap();
        let expected = [1., -1., 0., 0., -1., 2., -1., 0., 0., -1., 2., -1., 0., 0., -1., 1.];
        assert_eq!(dense(&found, 4).values(), expected);
        assert_eq!(found.ones(), [0.0; 4]);
        let normalized = GraphKind { normalized: true, ..kind };
        let found =
            Laplacian::of_neighbours(&line(&[0.0, 1.0, 3.0, 6.0]), normalized, &watch).unwrap();
        let root = 1.0 / 2.0_f64.sqrt();
        let expected =
            [1., -root, 0., 0., -root, 1., -0.5, 0., 0., -0.5, 1., -root, 0., 0., -root, 1.];
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-15;
        assert!(dense(&found, 4).values().iter().zip(&expected).all(near));
        assert!((found.ones()[1] - (0.5 - root)).abs() < 1e-15);
        let mut row = vec![0.0; 4];
        let identity = Matrix::from_fn(4, 4, |i, j| f64::from(u8::from(i == j)));
        found.add_row(2, 2.0, identity.values(), 4, &mut row);
        assert!((0..4).all(|j| (row[j] - 2.0 * dense(&found, 4).get(2, j)).abs() < 1e-15));
    }

    #[test]
    fn heat_few_instances_and_equal_ones() {
        let watch = Run::default().watch();
        let kind = GraphKind { neighbours: 1, heat: true, normalized: false };
        let found = Laplacian::of_neighbours(&line(&[0.0, 1.0, 4.0]), kind, &watch).unwrap();
        let sigma: f64 = (1.0 + 4.0 + 3.0) / 3.0;
        let (a, b) = ((-0.5 / sigma / sigma).exp(), (-4.5 / sigma / sigma).exp());
        let expected = [a, -a, 0.0, -a, a + b, -b, 0.0, -b, b];
        let near = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-15;
        assert!(dense(&found, 3).values().iter().zip(&expected).all(near));
        for n in [1, 2, 5] {
            for normalized in [false, true] {
                let kind = GraphKind { neighbours: 50, heat: true, normalized };
                let found = Laplacian::of_neighbours(&line(&vec![2.0; n]), kind, &watch).unwrap();
                let degree = (n - 1) as f64;
                let scale = if normalized && n > 1 { 1.0 / degree } else { 1.0 };
                let entry = |i: usize, j: usize| scale * if i == j { degree } else { -1.0 };
                let found = dense(&found, n);
                assert!(
                    (0..n * n)
                        .all(|p| { (found.get(p / n, p % n) - entry(p / n, p % n)).abs() < 1e-14 })
                );
            }
        }
    }
}
