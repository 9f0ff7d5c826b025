//! The growing subspace of the eigenpair search, and Rayleigh–Ritz steps on it.

use super::{CLUSTER, Eigenpairs, Options};
use crate::data::Matrix;
use crate::solve::dense::{self, Slice};
use crate::solve::orthonormal::{dot, length};
use crate::{Error, Result, Status};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Columns of length 1 are independent of each other if the least eigenvalue of their Gram matrix
/// is above this.
const INDEPENDENT: f64 = 1e-8;

/// The growing subspace.
pub(super) struct Space {
    pub(super) basis: Matrix,
    /// A times each column of the basis.
    pub(super) images: Matrix,
    pub(super) t: Matrix,
    pub(super) used: usize,
    pub(super) rng: Xoshiro256PlusPlus,
    /// Largest |θ| seen: the scale of A.
    pub(super) scale: f64,
}

/// A Rayleigh–Ritz step: the leading pairs in descending order.
pub(super) struct Ritz {
    pub(super) values: Vec<f64>,
    /// The difference of the largest value of all and the least.
    spread: f64,
    /// Coordinates as columns.
    coordinates: Matrix,
    /// The first pairs' vectors, and A·Qy − θ·Qy.
    vectors: Matrix,
    rest: Matrix,
    /// Norms of `rest`.
    pub(super) residuals: Vec<f64>,
}

impl Ritz {
    /// Whether some eigenvalue among the first k appears as often as the start vectors allow.
    pub(super) fn may_miss_copies(&self, k: usize, starts: usize) -> bool {
        if starts >= k {
            return false;
        }
        let near = CLUSTER * self.spread;
        (0..k - starts + 1).any(|i| self.values[i] - self.values[i + starts - 1] <= near)
    }

    /// The largest of the measured residuals, at most `count` of them, in the order of pairs.
    pub(super) fn next_block(&self, count: usize) -> Matrix {
        let mut order: Vec<usize> = (0..self.residuals.len()).collect();
        order.sort_by(|a, b| self.residuals[*b].total_cmp(&self.residuals[*a]));
        order.truncate(count);
        order.sort_unstable();
        self.rest.select_cols(&order)
    }

    /// The first k pairs, oriented.
    pub(super) fn finish(self, k: usize, status: Status, products: usize) -> Eigenpairs {
        let mut vectors = self.vectors.select_cols(&(0..k).collect::<Vec<_>>());
        orient(&mut vectors);
        let next = self.values.get(k).copied();
        let (mut values, mut residuals) = (self.values, self.residuals);
        values.truncate(k);
        residuals.truncate(k);
        Eigenpairs { values, vectors, residuals, next, products, status }
    }

    /// The largest of the first k residuals as a multiple of what is good enough. Gaps count only
    /// where the pair after the k is known well enough.
    pub(super) fn excess(&self, k: usize, options: &Options, scale: f64) -> f64 {
        let next = self.values.get(k).filter(|_| self.complement_settled(k, 0.0));
        let gap = |j: usize| next.map_or(0.0, |next| self.values[j] - next);
        let share = |j: usize| self.residuals[j] / options.good_enough(scale, gap(j));
        (0..k).map(share).fold(0.0, f64::max)
    }

    /// Whether the best pair outside the first k is known well enough to stay outside.
    pub(super) fn complement_settled(&self, k: usize, limit: f64) -> bool {
        match (self.values.get(k), self.residuals.get(k)) {
            (Some(v), Some(r)) => *r <= limit.max(0.1 * (self.values[k - 1] - v)),
            _ => false,
        }
    }
}

impl Space {
    pub(super) fn random(&mut self, cols: usize) -> Matrix {
        Matrix::from_fn(self.basis.rows(), cols, |_, _| self.rng.random::<f64>() - 0.5)
    }

    fn columns(&self, from: usize, to: usize) -> Matrix {
        Matrix::from_fn(self.basis.rows(), to - from, |i, j| self.basis.get(i, from + j))
    }

    /// w ← w − Q Qᵀw; returns Qᵀw.
    pub(super) fn project_out(&self, w: &mut Matrix) -> Matrix {
        let q = Slice::head(&self.basis, self.used);
        let coordinates = dense::gram_tn(q, Slice::of(&*w));
        dense::accumulate(w, -1.0, q, Slice::of(&coordinates));
        coordinates
    }

    /// Applies A to the newest block (columns `newest..used`), fills in T, returns the part
    /// outside the basis.
    pub(super) fn multiply(
        &mut self,
        newest: usize,
        apply: &dyn Fn(&Matrix) -> Matrix,
    ) -> Result<Matrix> {
        let mut w = apply(&self.columns(newest, self.used));
        if w.values().iter().any(|v| !v.is_finite()) {
            return Err(Error::Data(
                "eigenvectors were asked of a matrix with entries that are not finite numbers"
                    .into(),
            ));
        }
        for i in 0..w.rows() {
            self.images.row_mut(i)[newest..self.used].copy_from_slice(w.row(i));
        }
        let mut coordinates = self.project_out(&mut w);
        let again = self.project_out(&mut w);
        coordinates.values_mut().iter_mut().zip(again.values()).for_each(|(c, a)| *c += a);
        for i in 0..self.used {
            for j in newest..self.used {
                let value = coordinates.get(i, j - newest);
                self.t.set(i, j, value);
                self.t.set(j, i, value);
            }
        }
        for j in newest..self.used {
            let length: f64 = (newest..self.used).map(|i| self.t.get(i, j).powi(2)).sum();
            self.scale = self.scale.max(length.sqrt());
        }
        Ok(w)
    }

    /// Adds the span of the columns of `block`, which are orthogonal to the basis, to it. Columns
    /// that add nothing are replaced by random ones, so that the basis grows by the width of the
    /// block, or up to n.
    pub(super) fn append(&mut self, block: &Matrix) -> Result<()> {
        let n = self.basis.rows();
        let width = block.cols().min(n - self.used).min(self.basis.cols() - self.used);
        if width == block.cols()
            && let Some((mut once, grown)) = orthonormal(block)?
            && grown * self.scale < 1e13
        {
            // Small remainders have lost their orthogonality to the basis.
            if grown * self.scale > 1e3 {
                self.project_out(&mut once);
            }
            // The second time removes what rounding left the first time, and takes little away.
            if let Some((twice, again)) = orthonormal(&once)?
                && again < 10.0
            {
                for i in 0..n {
                    let row = &mut self.basis.row_mut(i)[self.used..self.used + width];
                    row.copy_from_slice(twice.row(i));
                }
                self.used += width;
                return Ok(());
            }
        }
        let floor = 1e-13 * self.scale;
        let mut vectors = block.transposed();
        let mut weak = false;
        for c in 0..width {
            let (before, after) = clear_row(&mut vectors, c);
            if after <= floor.max(1e-13 * before) {
                let mut w = self.random(1);
                self.project_out(&mut w);
                vectors.row_mut(c).copy_from_slice(w.values());
                clear_row(&mut vectors, c);
                weak = true;
            }
            weak |= after < 0.1 * before || after < 1e-6 * self.scale;
            normalize(vectors.row_mut(c));
        }
        let rows: Vec<usize> = (0..width).collect();
        let mut vectors = vectors.select_rows(&rows);
        // Small remainders have lost their orthogonality to the basis: once more.
        if weak {
            let mut w = vectors.transposed();
            self.project_out(&mut w);
            vectors = w.transposed();
            for c in 0..width {
                clear_row(&mut vectors, c);
                normalize(vectors.row_mut(c));
            }
        }
        for i in 0..n {
            for c in 0..width {
                self.basis.set(i, self.used + c, vectors.get(c, i));
            }
        }
        self.used += width;
        Ok(())
    }

    /// The k + 1 leading eigenpairs of T, with their vectors and residuals.
    pub(super) fn rayleigh_ritz(&mut self, k: usize) -> Result<Ritz> {
        let m = self.used;
        let shown = (k + 1).min(m);
        let dense::Leading { values, vectors: y, least } = self.leading(shown)?;
        self.scale = self.scale.max(values[0].abs()).max(least.abs());
        let spread = values[0] - least;
        let vectors = dense::product(Slice::head(&self.basis, m), Slice::of(&y));
        let mut rest = dense::product(Slice::head(&self.images, m), Slice::of(&y));
        let mut squares = vec![0.0; shown];
        for i in 0..rest.rows() {
            let own = vectors.row(i);
            for (j, r) in rest.row_mut(i).iter_mut().enumerate() {
                *r -= values[j] * own[j];
                squares[j] += *r * *r;
            }
        }
        let residuals = squares.into_iter().map(f64::sqrt).collect();
        Ok(Ritz { values, spread, coordinates: y, vectors, rest, residuals })
    }

    fn leading(&self, count: usize) -> Result<dense::Leading> {
        let m = self.used;
        dense::leading_and_least(&Matrix::from_fn(m, m, |i, j| self.t.get(i, j)), count)
    }

    /// Keeps the span of the first `keep` Ritz vectors.
    pub(super) fn restart(&mut self, ritz: &Ritz, keep: usize) -> Result<()> {
        let (values, y) = if keep <= ritz.values.len() {
            let columns: Vec<usize> = (0..keep).collect();
            (ritz.values[..keep].to_vec(), ritz.coordinates.select_cols(&columns))
        } else {
            let leading = self.leading(keep)?;
            (leading.values, leading.vectors)
        };
        for part in [&mut self.basis, &mut self.images] {
            let kept = dense::product(Slice::head(&*part, self.used), Slice::of(&y));
            for i in 0..part.rows() {
                part.row_mut(i)[..keep].copy_from_slice(kept.row(i));
            }
        }
        self.t.values_mut().fill(0.0);
        for (j, value) in values.iter().enumerate() {
            self.t.set(j, j, *value);
        }
        self.used = keep;
        Ok(())
    }
}

/// Orthonormal columns with the span of those of `block`, and how much rounding grew on the way;
/// `None` if one of them is nearly a sum of others.
fn orthonormal(block: &Matrix) -> Result<Option<(Matrix, f64)>> {
    let gram = dense::gram_tn(Slice::of(block), Slice::of(block));
    let inverses: Vec<f64> = (0..block.cols()).map(|j| 1.0 / gram.get(j, j).sqrt()).collect();
    let largest = inverses.iter().fold(0.0_f64, |a, v| a.max(*v));
    if !largest.is_finite() {
        return Ok(None);
    }
    let (count, cosine) = (block.cols(), |i, j| gram.get(i, j) * inverses[i] * inverses[j]);
    let (values, vectors) = dense::symmetric_eigen(&Matrix::from_fn(count, count, cosine))?;
    if values[0] < INDEPENDENT {
        return Ok(None);
    }
    let root = |i: usize, j: usize| vectors.get(i, j) * inverses[i] / values[j].sqrt();
    let turned = dense::product(Slice::of(block), Slice::of(&Matrix::from_fn(count, count, root)));
    Ok(Some((turned, largest / values[0].sqrt())))
}

/// Takes rows 0..c out of row c, twice; its norms before and after.
fn clear_row(vectors: &mut Matrix, c: usize) -> (f64, f64) {
    let before = length(vectors.row(c));
    let cols = vectors.cols();
    let (earlier, rest) = vectors.values_mut().split_at_mut(c * cols);
    let row = &mut rest[..cols];
    for _ in 0..2 {
        for other in earlier.chunks_exact(cols) {
            let share = dot(other, row);
            row.iter_mut().zip(other).for_each(|(r, o)| *r -= share * o);
        }
    }
    (before, length(vectors.row(c)))
}

pub(super) fn normalize(row: &mut [f64]) {
    let size = length(row);
    if size > 0.0 {
        row.iter_mut().for_each(|v| *v /= size);
    }
}

pub(super) fn residual_norms(image: &Matrix, vectors: &Matrix, values: &[f64]) -> Vec<f64> {
    let mut squares = vec![0.0; values.len()];
    for i in 0..image.rows() {
        for (j, s) in squares.iter_mut().enumerate() {
            *s += (image.get(i, j) - values[j] * vectors.get(i, j)).powi(2);
        }
    }
    squares.into_iter().map(f64::sqrt).collect()
}

/// Makes the entry of the largest magnitude in each column positive.
pub(crate) fn orient(vectors: &mut Matrix) {
    let mut largest = vec![0.0_f64; vectors.cols()];
    for i in 0..vectors.rows() {
        largest.iter_mut().zip(vectors.row(i)).for_each(|(m, v)| *m = m.max(v.abs()));
    }
    // Of the first entry that is as large.
    let mut signs = vec![0.0; vectors.cols()];
    for i in 0..vectors.rows() {
        for ((sign, v), largest) in signs.iter_mut().zip(vectors.row(i)).zip(&largest) {
            if *sign == 0.0 && v.abs() >= largest * (1.0 - 1e-8) {
                *sign = if *v < 0.0 { -1.0 } else { 1.0 };
            }
        }
    }
    if signs.contains(&-1.0) {
        for i in 0..vectors.rows() {
            vectors.row_mut(i).iter_mut().zip(&signs).for_each(|(v, sign)| *v *= sign);
        }
    }
}
