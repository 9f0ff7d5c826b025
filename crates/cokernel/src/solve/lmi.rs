//! The positive semi-definite matrices of an affine family, for a method of interior points.
//!
//! ```text
//! S = { s : Σ_m s_m A_m ⪰ 0,  Σ_m s_m a_m = c },    a_m = tr A_m
//! barrier  −μ log det B,   B = Σ_m s_m A_m = L Lᵀ,   W_m = L⁻¹ A_m L⁻ᵀ
//!          gradient −μ tr W_m,   Hessian μ ⟨W_m, W_h⟩
//! ```
//!
//! B is looked at in the range of a start Σ_m A_m/… ≻ 0, in which it is the identity there.
//!
//! **The bound.** For a convex J with J(s) ≥ ℓ − zᵀs for all s (z ≥ 0 not needed), any Z ⪰ 0 and any ν,
//! min_S J ≥ ℓ − νc − max_S rᵀs with r_m = z_m + ⟨Z, A_m⟩ − ν a_m. Z = μ L⁻ᵀ(I + Σ y_m W_m)L⁻¹ with y such
//! that r = 0 as nearly as can be; what is left costs at most c·√(rᵀG⁺r), G_mh = ⟨A_m, A_h⟩, because ‖B‖_F ≤ tr B = c.
//!
//! Cost: M r³ for the W of a point, M² r² for their inner products; memory 2 M r² numbers.

use super::dense::{Slice, gram_tn, product, symmetric_eigen};
use crate::data::Matrix;
use crate::{Error, Result};
use cokernel_dense::{Cholesky, simd};
use rayon::prelude::*;

/// Eigenvalues of the start below this part of the largest are taken as 0.
const NOTHING: f64 = 1e-11;
/// Eigenvalues of M × M systems below this times M of the largest are rounding, and taken as 0.
const FLAT: f64 = 4e-16;

/// A_m with its Frobenius norm taken off, in a basis in which the start is the identity.
#[derive(Debug)]
pub struct Family {
    /// r.
    size: usize,
    parts: Vec<Vec<f64>>,
    /// From n numbers to the basis, such that xᵀ A_m z = (turn x)ᵀ (parts_m) (turn z): r × n.
    turn: Matrix,
    /// Weights of the matrices themselves at the start.
    pub start: Vec<f64>,
    /// ‖A_m‖_F, 1 for zero matrices.
    pub norms: Vec<f64>,
    /// a_m/‖A_m‖_F.
    pub traces: Vec<f64>,
    /// c.
    pub level: f64,
    /// G⁺, of the divided matrices.
    inverse: Inverse,
}

/// Σ_m w_m A_m.
fn sum(matrices: &[Matrix], weights: &[f64]) -> Matrix {
    let n = matrices[0].rows();
    let mut sum = Matrix::zeros(n, n);
    for (k, w) in matrices.iter().zip(weights) {
        sum.values_mut().iter_mut().zip(k.values()).for_each(|(s, v)| *s += w * v);
    }
    sum
}

/// What is known at a point.
#[derive(Debug, Clone)]
pub struct Place {
    factor: Cholesky,
    whitened: Vec<Vec<f64>>,
    /// tr W_m.
    pub traces: Vec<f64>,
    /// ⟨W_m, W_h⟩.
    pub bends: Matrix,
    /// log det B.
    pub log_det: f64,
}

impl Family {
    /// The family of these symmetric matrices; c is their mean trace, the start their mean, or that of those which are
    /// positive semi-definite.
    ///
    /// # Errors
    /// None of these is positive semi-definite with a positive trace.
    pub fn new(matrices: &[Matrix]) -> Result<Self> {
        let (n, m) = (matrices[0].rows(), matrices.len());
        let trace = |k: &Matrix| (0..n).map(|i| k.get(i, i)).sum::<f64>();
        let level = matrices.iter().map(trace).sum::<f64>() / m as f64;
        let mut start = vec![1.0 / m as f64; m];
        let (mut values, mut vectors) = symmetric_eigen(&sum(matrices, &start))?;
        let definite = |v: &[f64]| v[0] >= -1e-9 * v[n - 1].abs() && v[n - 1] > 0.0;
        if !definite(&values) {
            for (s, k) in start.iter_mut().zip(matrices) {
                *s = if definite(&symmetric_eigen(k)?.0) { 1.0 } else { 0.0 };
            }
            let scale = level / matrices.iter().zip(&start).map(|(k, s)| s * trace(k)).sum::<f64>();
            start.iter_mut().for_each(|s| *s *= scale);
            if !(scale > 0.0 && scale.is_finite()) {
                return Err(Error::Data(format!(
                    "neither the mean of the kernels is positive semi-definite (its smallest eigenvalue is \
                     {:.2e}) nor any of them, and their mean trace is {level:.2e}: the search needs a start; \
                     add to the diagonals",
                    values[0]
                )));
            }
            (values, vectors) = symmetric_eigen(&sum(matrices, &start))?;
        }
        let largest = values[n - 1];
        let kept: Vec<usize> = (0..n).filter(|k| values[*k] > NOTHING * largest).collect();
        let size = kept.len();
        let basis =
            Matrix::from_fn(n, size, |i, k| vectors.get(i, kept[k]) / values[kept[k]].sqrt());
        let turn =
            Matrix::from_fn(size, n, |k, i| vectors.get(i, kept[k]) * values[kept[k]].sqrt());
        let norms: Vec<f64> = matrices
            .iter()
            .map(|k| simd::dot(k.values(), k.values()).sqrt())
            .map(|v| if v > 0.0 { v } else { 1.0 })
            .collect();
        let parts = (matrices.par_iter().zip(&norms))
            .map(|(k, norm)| {
                let inner = gram_tn(
                    Slice::from(&basis),
                    Slice::from(&product(Slice::from(k), Slice::from(&basis))),
                );
                let half = |i: usize, j: usize| 0.5 * (inner.get(i, j) + inner.get(j, i)) / norm;
                (0..size * size).map(|p| half(p / size, p % size)).collect()
            })
            .collect();
        let traces = matrices.iter().zip(&norms).map(|(k, norm)| trace(k) / norm).collect();
        let products = Matrix::from_fn(m, m, |a, b| {
            simd::dot(matrices[a].values(), matrices[b].values()) / (norms[a] * norms[b])
        });
        let inverse = Inverse::new(&products);
        Ok(Family { size, parts, turn, start, norms, traces, level, inverse })
    }

    /// r: the rank of the start.
    pub fn size(&self) -> usize {
        self.size
    }

    /// M.
    fn len(&self) -> usize {
        self.parts.len()
    }

    fn sum(&self, weights: &[f64]) -> Vec<f64> {
        let mut b = vec![0.0; self.size * self.size];
        for (part, w) in self.parts.iter().zip(weights) {
            b.iter_mut().zip(part).for_each(|(b, a)| *b += w * a);
        }
        b
    }

    /// Whether B ≻ 0.
    pub fn contains(&self, weights: &[f64]) -> bool {
        Cholesky::new(self.size, self.sum(weights)).is_some()
    }

    /// B and its W; `None` where B is not positive definite.
    pub fn place(&self, weights: &[f64]) -> Option<Place> {
        let r = self.size;
        let factor = Cholesky::new(r, self.sum(weights))?;
        let whitened: Vec<Vec<f64>> = (self.parts.par_iter())
            .map(|part| {
                // L⁻¹A by columns, whose transpose is AL⁻ᵀ by columns; once more gives L⁻¹AL⁻ᵀ.
                let mut half = part.clone();
                factor.forward(&mut half, r);
                let mut turned: Vec<f64> = (0..r * r).map(|p| half[(p % r) * r + p / r]).collect();
                factor.forward(&mut turned, r);
                turned
            })
            .collect();
        let traces = whitened.iter().map(|w| (0..r).map(|i| w[i * r + i]).sum()).collect();
        let bends =
            Matrix::from_fn(self.len(), self.len(), |a, b| simd::dot(&whitened[a], &whitened[b]));
        let mut ones = vec![0.0; r * r];
        (0..r).for_each(|i| ones[i * r + i] = 1.0);
        factor.forward(&mut ones, r);
        // The diagonal of L⁻¹ is that of L, inverted.
        let log_det = -2.0 * (0..r).map(|i| ones[i * r + i].ln()).sum::<f64>();
        Some(Place { factor, whitened, traces, bends, log_det })
    }

    /// xᵀ A_m B⁻¹ A_h x for the divided matrices: the Hessian of ½ xᵀ B x at x fixed as B x is kept, which
    /// is at least that of J.
    pub fn stiff(&self, place: &Place, x: &[f64]) -> Matrix {
        let r = self.size;
        let inside: Vec<f64> = (0..r).map(|k| simd::dot(self.turn.row(k), x)).collect();
        let pulled: Vec<Vec<f64>> = (self.parts.iter())
            .map(|part| {
                let mut y: Vec<f64> = part.chunks_exact(r).map(|a| simd::dot(a, &inside)).collect();
                place.factor.forward(&mut y, 1);
                y
            })
            .collect();
        Matrix::from_fn(self.len(), self.len(), |a, b| simd::dot(&pulled[a], &pulled[b]))
    }

    /// The largest lower bound ℓ − νc − … that these z (of the divided matrices) and this μ give.
    pub fn bound(&self, place: &Place, linear: f64, z: &[f64], mu: f64) -> f64 {
        let with: Vec<f64> = z.iter().zip(&place.traces).map(|(z, t)| z + mu * t).collect();
        // Without Z, and with y = 0.
        let mut best = self.left(linear, z).max(self.left(linear, &with));
        let inverse = Inverse::new(&place.bends);
        // Near the boundary ⟨W_m, W_h⟩ has large eigenvalues, along which rounding of s moves Z most, and small ones that
        // are rounding themselves. Which to use is tried, and so is ν: by G, or by ⟨W, W⟩.
        for flat in [1e-5, 1e-9, 1e-13] {
            let (to_with, to_traces) =
                (inverse.above(flat, &with), inverse.above(flat, &self.traces));
            let nu = simd::dot(&self.traces, &to_with) / simd::dot(&self.traces, &to_traces);
            for nu in [self.multiplier(&with), nu] {
                let pairs = to_with.iter().zip(&to_traces);
                let change: Vec<f64> = pairs.map(|(b, a)| (nu * a - b) / mu).collect();
                best = best.max(self.changed(place, linear, &with, &change, mu));
            }
        }
        best
    }

    /// The bound with I + Σ y_m W_m, if that is positive definite.
    fn changed(&self, place: &Place, linear: f64, with: &[f64], y: &[f64], mu: f64) -> f64 {
        let r = self.size;
        let mut middle = vec![0.0; r * r];
        (0..r).for_each(|i| middle[i * r + i] = 1.0);
        for (w, y) in place.whitened.iter().zip(y) {
            middle.iter_mut().zip(w).for_each(|(m, w)| *m += y * w);
        }
        if Cholesky::new(r, middle).is_none() {
            return f64::NEG_INFINITY;
        }
        let moved = |m: usize| with[m] + mu * simd::dot(place.bends.row(m), y);
        self.left(linear, &(0..self.len()).map(moved).collect::<Vec<f64>>())
    }

    /// The ν with the least rᵀG⁺r, r = z − ν a.
    fn multiplier(&self, z: &[f64]) -> f64 {
        let to_traces = self.inverse.times(&self.traces);
        simd::dot(&to_traces, z) / simd::dot(&to_traces, &self.traces)
    }

    /// ℓ − νc − c·√(rᵀG⁺r).
    fn left(&self, linear: f64, z: &[f64]) -> f64 {
        let nu = self.multiplier(z);
        let rest: Vec<f64> = z.iter().zip(&self.traces).map(|(z, a)| z - nu * a).collect();
        let length = simd::dot(&rest, &self.inverse.times(&rest)).max(0.0).sqrt();
        let bound = linear - self.level * (nu + length);
        if bound.is_nan() { f64::NEG_INFINITY } else { bound }
    }

    /// The d with Σ a_m d_m = 0 that is least for gᵀd + ½dᵀHd, the shortest where several are.
    pub fn newton(&self, gradient: &[f64], hessian: &Matrix) -> Vec<f64> {
        let m = self.len();
        // A reflection that takes a to the first axis: the other columns are a basis of what is orthogonal to it.
        let length = simd::dot(&self.traces, &self.traces).sqrt();
        let mut v = self.traces.clone();
        v[0] += if v[0] >= 0.0 { length } else { -length };
        let square = simd::dot(&v, &v);
        if m < 2 || square.is_nan() || square <= 0.0 {
            return vec![0.0; m];
        }
        let reflect = |x: &[f64]| -> Vec<f64> {
            let part = 2.0 * simd::dot(&v, x) / square;
            x.iter().zip(&v).map(|(x, v)| x - part * v).collect()
        };
        let rows: Vec<Vec<f64>> = (0..m).map(|i| reflect(hessian.row(i))).collect();
        let columns: Vec<Vec<f64>> =
            (0..m).map(|j| reflect(&rows.iter().map(|row| row[j]).collect::<Vec<f64>>())).collect();
        let inner = Matrix::from_fn(m - 1, m - 1, |i, j| {
            0.5 * (columns[j + 1][i + 1] + columns[i + 1][j + 1])
        });
        let step = Inverse::new(&inner).times(&reflect(gradient)[1..]);
        let full: Vec<f64> = std::iter::once(0.0).chain(step.iter().map(|d| -d)).collect();
        reflect(&full)
    }
}

/// The pseudo-inverse of a small positive semi-definite matrix.
#[derive(Debug)]
pub(crate) struct Inverse {
    values: Vec<f64>,
    vectors: Matrix,
}

impl Inverse {
    pub fn new(matrix: &Matrix) -> Self {
        let n = matrix.rows();
        let (values, vectors) =
            symmetric_eigen(matrix).unwrap_or_else(|_| (vec![0.0; n], Matrix::zeros(n, n)));
        Inverse { values, vectors }
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        self.above(FLAT * x.len() as f64, x)
    }

    /// By the eigenvalues above this part of the largest.
    pub fn above(&self, part: f64, x: &[f64]) -> Vec<f64> {
        let n = x.len();
        let least = part * self.values.last().copied().unwrap_or(0.0);
        let mut out = vec![0.0; n];
        for k in (0..n).filter(|k| self.values[*k] > least) {
            let along: f64 = (0..n).map(|i| self.vectors.get(i, k) * x[i]).sum();
            (0..n).for_each(|i| out[i] += along / self.values[k] * self.vectors.get(i, k));
        }
        out
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// Random symmetric matrices around a definite one.
    fn family(n: usize, m: usize, seed: u64) -> Vec<Matrix> {
        let mut rng = crate::Run::with_seed(seed).rng("lmi tests");
        (0..m)
            .map(|_| {
                let a = Matrix::from_fn(n, n, |_, _| rng.random::<f64>() - 0.5);
                Matrix::from_fn(n, n, |i, j| {
                    0.5 * (a.get(i, j) + a.get(j, i)) + if i == j { 2.0 } else { 0.0 }
                })
            })
            .collect()
    }

    #[test]
    fn derivatives_by_differences() {
        let matrices = family(6, 3, 1);
        let family = Family::new(&matrices).unwrap();
        let at: Vec<f64> = (0..3).map(|m| family.norms[m] * [0.5, 0.3, 0.1][m]).collect();
        let place = family.place(&at).unwrap();
        for m in 0..3 {
            let moved = |h: f64| {
                let mut s = at.clone();
                s[m] += h;
                family.place(&s).unwrap()
            };
            let (up, down) = (moved(1e-5), moved(-1e-5));
            let slope = (up.log_det - down.log_det) / 2e-5;
            assert!((slope - place.traces[m]).abs() < 1e-6 * slope.abs(), "{slope} {place:?}");
            for h in 0..3 {
                let bend = (up.traces[h] - down.traces[h]) / 2e-5;
                assert!((bend + place.bends.get(m, h)).abs() < 1e-5 * bend.abs().max(1.0));
            }
        }
        let d = family.newton(&[1.0, -2.0, 0.5], &place.bends);
        assert!(simd::dot(&d, &family.traces).abs() < 1e-12);
        // Optimality: gradient + H d is a multiple of the traces.
        let left: Vec<f64> =
            (0..3).map(|m| [1.0, -2.0, 0.5][m] + simd::dot(place.bends.row(m), &d)).collect();
        let ratio = left[0] / family.traces[0];
        for (l, a) in left.iter().zip(&family.traces) {
            assert!((l - ratio * a).abs() < 1e-9, "{left:?}");
        }
    }

    /// For a linear J the bound holds at points drawn from the set.
    #[test]
    fn bounds_hold() {
        let matrices = family(5, 3, 2);
        let family = Family::new(&matrices).unwrap();
        let mut rng = crate::Run::with_seed(3).rng("lmi bounds");
        let z = [0.3, 1.0, 0.6];
        let start: Vec<f64> = family.norms.iter().map(|n| n / 3.0).collect();
        let place = family.place(&start).unwrap();
        let best = [1.0, 0.1, 1e-3].map(|mu| family.bound(&place, 0.0, &z, mu));
        for _ in 0..2000 {
            let d: Vec<f64> = (0..3).map(|_| 4.0 * (rng.random::<f64>() - 0.5)).collect();
            let s: Vec<f64> = start.iter().zip(&d).map(|(s, d)| s + d).collect();
            let trace = simd::dot(&s, &family.traces);
            let s: Vec<f64> = s.iter().map(|s| s * family.level / trace).collect();
            if trace > 0.0 && family.contains(&s) {
                let value = -simd::dot(&z, &s);
                assert!(best.iter().all(|b| *b <= value + 1e-12), "{best:?} {value}");
            }
        }
    }
}
