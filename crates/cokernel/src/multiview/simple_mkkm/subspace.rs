//! The problem of [`simple_mkkm`](super) within a subspace: with B_m = QᵀK̄_mQ for orthonormal columns Q (n × s),
//!
//! min_{γ ∈ Δ} J_Q(γ),   J_Q(γ) = sum of the k largest eigenvalues of A(γ) = Σ_m γ_m² B_m.
//!
//! J_Q ≤ J (H is restricted to the span of Q) with equality where the span holds the leading eigenvectors; so its minimum is
//! below that of J, and its minimiser is where to look next (subspace acceleration of eigenvalue optimisation: Kangal,
//! Meerbergen, Mengi, Michiels, SIAM J. Matrix Anal. Appl. 39, 2018).
//!
//! At the minimum the k-th and the next eigenvalue often meet, where J_Q has a kink and no single H proves that it is one. So
//! tr HᵀAH is replaced by max over 0 ⪯ W ⪯ I, tr W = k of tr WA + μ S(W), S the entropy −Σ w log w + (1−w) log(1−w) of the
//! eigenvalues of W: W has the eigenvectors y_i of A and w_i = 1/(1 + exp((ν − λ_i)/μ)) with ν such that Σ w_i = k. That is smooth in γ:
//! with a_m = tr WB_m its gradient is 2γ_m a_m, and with f_ij = (w_i − w_j)/(λ_i − λ_j), f_ii = w_i(1−w_i)/μ, b_m = YᵀB_mY its Hessian
//! 2 diag(a) + 4 γγᵀ ∘ [Σ_ij f_ij b_m,ij b_l,ij − (Σ_i f_ii b_m,ii)(Σ_i f_ii b_l,ii)/Σ_i f_ii]. μ falls until the gap is small
//! enough.
//!
//! Any such W gives J(γ') ≥ Σ γ'_m² a_m for all γ', and so min J ≥ 1/Σ 1/a_m.
//!
//! Cost: an s × s eigenvalue problem and about 2 M s² k operations for each of some ten Newton steps.

use crate::Result;
use crate::data::Matrix;
use crate::solve::dense::{self, Slice};
use crate::solve::simplex::minimize_on_simplex;

/// Most Newton steps for one μ, and halvings of one.
const STEPS: usize = 30;
const HALVINGS: usize = 40;

/// Share of the promised decrease that a step has to bring.
const ARMIJO: f64 = 1e-4;

/// The first and the last μ as shares of the mean of the k eigenvalues, and what it is multiplied by.
const SMOOTH: f64 = 1e-3;
const SHARPEST: f64 = 1e-13;
const SHARPER: f64 = 0.1;

/// Eigenvalues of W up to this are 0.
const EMPTY: f64 = 1e-14;

/// See the [module](self).
pub(super) struct Subspace {
    /// Q, as n × s.
    pub(super) basis: Matrix,
    /// B_m.
    forms: Vec<Matrix>,
}

/// A point.
pub(super) struct Point {
    pub(super) gamma: Vec<f64>,
    /// J_Q.
    pub(super) value: f64,
    /// a.
    pub(super) energies: Vec<f64>,
    /// What no value of J is below.
    pub(super) bound: f64,
    /// J_Q with the entropy.
    smooth: f64,
    mu: f64,
    /// λ, descending, y as columns, and w.
    values: Vec<f64>,
    vectors: Matrix,
    filled: Vec<f64>,
}

impl Subspace {
    pub(super) fn new(n: usize, kernels: usize) -> Self {
        Subspace { basis: Matrix::zeros(n, 0), forms: vec![Matrix::zeros(0, 0); kernels] }
    }

    /// Columns of Q.
    pub(super) fn width(&self) -> usize {
        self.basis.cols()
    }

    /// Q with new columns that are orthonormal to it, K̄_m times which are `images`.
    pub(super) fn grow(&mut self, new: &Matrix, images: &[Matrix]) {
        let (old, own) = (self.width(), new.cols());
        for (form, image) in self.forms.iter_mut().zip(images) {
            let across = dense::gram_tn(Slice::of(&self.basis), Slice::of(image));
            let within = dense::symmetric_part(dense::gram_tn(Slice::of(new), Slice::of(image)));
            *form = Matrix::from_fn(old + own, old + own, |i, j| match (i < old, j < old) {
                (true, true) => form.get(i, j),
                (true, false) => across.get(i, j - old),
                (false, true) => across.get(j, i - old),
                (false, false) => within.get(i - old, j - old),
            });
        }
        self.basis = crate::data::side_by_side(&[&self.basis, new]);
    }

    /// J_Q, its slope and its bound at γ; μ = 0 is without entropy.
    pub(super) fn at(&self, gamma: &[f64], k: usize, mu: f64) -> Result<Point> {
        let s = self.width();
        let mut a = Matrix::zeros(s, s);
        for (form, g) in self.forms.iter().zip(gamma).filter(|(_, g)| **g > 0.0) {
            a.values_mut().iter_mut().zip(form.values()).for_each(|(a, b)| *a += g * g * b);
        }
        let (mut values, vectors) = dense::symmetric_eigen(&a)?;
        // Descending.
        let order: Vec<usize> = (0..s).rev().collect();
        values.reverse();
        let vectors = vectors.select_cols(&order);
        let value: f64 = values[..k].iter().sum();
        let filled = filled(&values, k, mu);
        let entropy = |w: &f64| {
            if *w > 0.0 && *w < 1.0 { -w * w.ln() - (1.0 - w) * (-w).ln_1p() } else { 0.0 }
        };
        let mean: f64 = filled.iter().zip(&values).map(|(w, v)| w * v).sum();
        let smooth = mean + mu * filled.iter().map(entropy).sum::<f64>();
        let used: Vec<usize> = (0..s).filter(|i| filled[*i] > EMPTY).collect();
        let mut head = vectors.select_cols(&used);
        for i in 0..s {
            head.row_mut(i).iter_mut().zip(&used).for_each(|(v, j)| *v *= filled[*j].sqrt());
        }
        let energy = |form: &Matrix| -> f64 {
            let image = dense::product(Slice::of(form), Slice::of(&head));
            image.values().iter().zip(head.values()).map(|(a, b)| a * b).sum()
        };
        let energies: Vec<f64> = self.forms.iter().map(energy).collect();
        let bound = harmonic(&energies);
        Ok(Point {
            gamma: gamma.to_vec(),
            value,
            energies,
            bound,
            smooth,
            mu,
            values,
            vectors,
            filled,
        })
    }

    /// The leading k eigenvectors of a point, as columns of n entries.
    pub(super) fn vectors(&self, point: &Point, k: usize) -> Matrix {
        let head = point.vectors.select_cols(&(0..k).collect::<Vec<_>>());
        dense::product(Slice::of(&self.basis), Slice::of(&head))
    }

    /// The minimiser, from γ, to a relative accuracy of `tol`; the bound is the best of all points.
    pub(super) fn minimize(&self, gamma: &[f64], k: usize, tol: f64) -> Result<Point> {
        let mut best = self.at(gamma, k, 0.0)?;
        let unit = best.value.abs() / k as f64;
        let mut share = SMOOTH;
        let mut bound = best.bound;
        let mut from = best.gamma.clone();
        while best.value - bound > tol * best.value && share > SHARPEST {
            let found = self.newton(&from, k, share * unit, tol)?;
            bound = bound.max(found.bound);
            from.clone_from(&found.gamma);
            if found.value <= best.value {
                best = found;
            }
            share *= SHARPER;
        }
        best.bound = bound;
        Ok(best)
    }

    /// The minimiser for one μ.
    fn newton(&self, gamma: &[f64], k: usize, mu: f64, tol: f64) -> Result<Point> {
        let mut point = self.at(gamma, k, mu)?;
        for _ in 0..STEPS {
            let slope = slope(&point);
            let least = slope.iter().copied().fold(f64::INFINITY, f64::min);
            let mean: f64 = slope.iter().zip(&point.gamma).map(|(s, g)| s * g).sum();
            if mean - least <= 0.1 * tol * point.value {
                break;
            }
            let (target, promise) =
                minimize_on_simplex(&point.gamma, &slope, &self.hessian(&point));
            let towards: f64 =
                target.iter().zip(&point.gamma).zip(&slope).map(|((t, g), s)| (t - g) * s).sum();
            if !(promise > 0.0 && towards < 0.0) {
                break;
            }
            let mut length = 1.0;
            let mut next = None;
            for _ in 0..HALVINGS {
                let at = |(t, g): (&f64, &f64)| (g + length * (t - g)).max(0.0);
                let gamma: Vec<f64> = target.iter().zip(&point.gamma).map(at).collect();
                let tried = self.at(&gamma, k, mu)?;
                if tried.smooth <= point.smooth + ARMIJO * length * towards {
                    next = Some(tried);
                    break;
                }
                length /= 2.0;
            }
            let Some(mut next) = next else { break };
            let over = next.smooth >= point.smooth;
            next.bound = next.bound.max(point.bound);
            point = next;
            if over {
                break;
            }
        }
        Ok(point)
    }

    fn hessian(&self, point: &Point) -> Vec<f64> {
        let (m, s, w) = (self.forms.len(), self.width(), &point.filled);
        let used: Vec<usize> = (0..s).filter(|i| w[*i] > EMPTY).collect();
        let head = point.vectors.select_cols(&used);
        // f_ij b_m,ij b_l,ij = Σ over used i, and twice what has j without a share.
        let (mut rows, mut traces) = (Matrix::zeros(m, used.len() * s), Matrix::zeros(m, 1));
        let own = |i: usize| w[i] * (1.0 - w[i]) / point.mu;
        let total: f64 = used.iter().map(|i| own(*i)).sum();
        for (h, form) in self.forms.iter().enumerate() {
            let image = dense::product(Slice::of(form), Slice::of(&head));
            let across = dense::gram_tn(Slice::of(&point.vectors), Slice::of(&image));
            let out = rows.row_mut(h);
            for j in 0..s {
                let twice = if w[j] > EMPTY { 1.0 } else { 2.0 };
                for (at, i) in used.iter().enumerate() {
                    let apart = point.values[*i] - point.values[j];
                    let slope = if apart.abs() > 1e-9 * point.mu {
                        (w[*i] - w[j]) / apart
                    } else {
                        own(*i)
                    };
                    out[j * used.len() + at] = (twice * slope.max(0.0)).sqrt() * across.get(j, at);
                }
            }
            let trace: f64 =
                used.iter().enumerate().map(|(at, i)| own(*i) * across.get(*i, at)).sum();
            traces.set(h, 0, trace);
        }
        let mut products = Matrix::zeros(m, m);
        dense::product_nt(Slice::of(&rows), Slice::of(&rows), products.values_mut());
        let g = &point.gamma;
        let entry = |i: usize, j: usize| {
            let diagonal = if i == j { 2.0 * point.energies[i] } else { 0.0 };
            let share = if total > 0.0 { traces.get(i, 0) * traces.get(j, 0) / total } else { 0.0 };
            diagonal + 4.0 * g[i] * g[j] * (products.get(i, j) - share)
        };
        (0..m * m).map(|at| entry(at / m, at % m)).collect()
    }
}

fn slope(point: &Point) -> Vec<f64> {
    point.gamma.iter().zip(&point.energies).map(|(g, a)| 2.0 * g * a).collect()
}

/// w_i = 1/(1 + exp((ν − λ_i)/μ)) with sum k, for descending λ.
fn filled(values: &[f64], k: usize, mu: f64) -> Vec<f64> {
    let crisp = || (0..values.len()).map(|i| f64::from(u8::from(i < k))).collect();
    if k == values.len() || mu <= 0.0 {
        return crisp();
    }
    let share = |nu: f64, v: f64| 1.0 / (1.0 + ((nu - v) / mu).exp());
    // Between the k-th value and the next Σ w passes k; both ends are far enough out.
    let reach = mu * (values.len() as f64 + 40.0);
    let (mut low, mut high) = (values[k] - reach, values[k - 1] + reach);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        let sum: f64 = values.iter().map(|v| share(middle, *v)).sum();
        if sum > k as f64 { low = middle } else { high = middle }
    }
    let nu = 0.5 * (low + high);
    let mut w: Vec<f64> = values.iter().map(|v| share(nu, *v)).collect();
    // The bound needs Σ w = k to rounding, and no w above 1.
    let sum: f64 = w.iter().sum();
    w.iter_mut().for_each(|w| *w = (*w * k as f64 / sum).min(1.0));
    w
}

/// min_{γ ∈ Δ} Σ γ_m² a_m = 1/Σ 1/a_m.
pub(super) fn harmonic(energies: &[f64]) -> f64 {
    if energies.iter().any(|a| *a <= 0.0) {
        0.0
    } else {
        1.0 / energies.iter().map(|a| 1.0 / a).sum::<f64>()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// Gradient and Hessian against differences of values and of gradients.
    #[test]
    fn derivatives_are_differences() {
        let mut rng = crate::Run::with_seed(3).rng("mkkm");
        let (n, k, kernels) = (9, 3, 3);
        let mut space = Subspace::new(n, kernels);
        let all = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
        let image = |_| {
            let f = Matrix::from_fn(n, 4, |_, _| rng.random::<f64>() - 0.5);
            let mut k = Matrix::zeros(n, n);
            dense::product_nt(Slice::of(&f), Slice::of(&f), k.values_mut());
            k
        };
        let images: Vec<Matrix> = (0..kernels).map(image).collect();
        space.grow(&all, &images);
        let gamma = [0.5, 0.3, 0.2];
        let at = |g: &[f64]| space.at(g, k, 0.02).unwrap();
        let (point, h) = (at(&gamma), 1e-5);
        let hessian = space.hessian(&point);
        for m in 0..kernels {
            let moved = |step: f64| {
                let mut g = gamma;
                g[m] += step;
                at(&g)
            };
            let (up, down) = (moved(h), moved(-h));
            let difference = (up.smooth - down.smooth) / (2.0 * h);
            assert!((difference - slope(&point)[m]).abs() < 1e-8, "{difference}");
            for l in 0..kernels {
                let difference = (slope(&up)[l] - slope(&down)[l]) / (2.0 * h);
                let own = hessian[m * kernels + l];
                assert!((difference - own).abs() < 1e-6 * (1.0 + own.abs()), "{difference} {own}");
            }
        }
        let found = space.minimize(&gamma, k, 1e-10).unwrap();
        let gap = (found.value - found.bound) / found.value;
        assert!(
            gap <= 1e-10 && found.value < point.value,
            "{gap:e} {:?} {:?} {:?}",
            found.gamma,
            found.energies,
            found.values
        );
    }
}
