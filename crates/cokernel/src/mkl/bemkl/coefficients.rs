//! q(λ) and q(a) of a decision function.
//!
//! ```text
//! Cov a = M⁻¹/τ,   E a = M⁻¹ s,      M = S + diag d,   d = E λ/τ,   S = Σ_m K_m diag(w) K_m,   s = Σ_m K_m (w E g_m)
//! A = (S + diag d₀)⁻¹,  δ = d − d₀,  X = A^½ diag δ A^½:
//! diag M⁻¹ = diag A − (A∘A) δ + O(X²),   ln det M = ln det (S + diag d₀) + ⟨diag A, δ⟩ − ½ ‖X‖²_F + O(X³)
//! x = x₀ + Σ_k c_k,   c₁ = A (s − M x₀),   c_{k+1} = −A (δ∘c_k)
//! ```
//!
//! λ changes little from one sweep to the next, so the inverse A of a sweep serves several, each at some n² operations for n³.
//! What is left out of Σ λ_i Var a_i, and twice what is left out of the bound for it, is tr(A^½ D A^½ X²)/(1 − ρ) at most, D = diag
//! d₀ and ρ = max_i Σ_j |A_ij δ_j| ≥ ‖X‖; the former is at most κ‖X‖²_F, κ the same maximum with d₀ in the place of δ or 1. What is
//! left out of the determinant is at most ρ‖X‖²_F. The sum is kept below 10⁻⁹ n, or 10⁻³ of what the last sweep raised the bound by
//! where that is more: it is small beside what sweeps gain then, and the bound fell in no run that was looked at.

use crate::Watch;
use crate::mkl::bayes::Precisions;
use cokernel_dense::Cholesky;
use cokernel_dense::simd::{dot, powers, symmetric_times};
use std::sync::Arc;

/// (κ + ρ) ‖X‖²_F for each instance, or as a part of the last gain of the bound, and ρ, up to which an inverse serves.
const LEFT_OUT: f64 = 1e-9;
const OF_GAIN: f64 = 1e-3;
const REACH: f64 = 0.1;

/// Σ |δ_i| A_ii ≥ ρ of a step that is so short that the inverse, which makes a factorisation half as dear again, pays where
/// `LEFT_OUT` n may be left out; where more may, steps are longer by the root of that.
const SHORT: f64 = 1e-2;

/// Part by which a correction would change x that is left out.
const ENOUGH: f64 = 1e-15;

/// A, and what goes with it.
struct Inverse {
    d: Vec<f64>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
    /// ln det (S + diag d₀).
    log: f64,
    /// κ.
    share: f64,
}

/// What is looked for.
struct Found {
    /// x = M⁻¹ s.
    mean: Vec<f64>,
    /// Of M⁻¹.
    diagonal: Vec<f64>,
    /// ln det M.
    log: f64,
}

/// Both, and what the sweeps look at.
#[derive(Clone)]
pub(super) struct Coefficients {
    lambda: Precisions,
    /// E a, diagonal of Cov a.
    pub mean: Vec<f64>,
    variances: Vec<f64>,
    /// ln det Cov a.
    pub log: f64,
    /// tr(S Cov a).
    pub trace: f64,
    /// d, and the diagonal of M⁻¹; none before the first sweep.
    last: Option<(Vec<f64>, Vec<f64>)>,
    inverse: Option<Arc<Inverse>>,
}

impl Coefficients {
    /// The start.
    pub fn new(n: usize) -> Self {
        Coefficients {
            lambda: Precisions::new(1.0, 1.0, n, 1.0),
            mean: vec![0.0; n],
            variances: vec![1.0; n],
            log: 0.0,
            trace: 0.0,
            last: None,
            inverse: None,
        }
    }

    /// The next of both, of S and s; where inverses may be kept, `gain` is by how much the last sweep raised the bound. `None`
    /// where a matrix has no factor, and after a stop.
    pub fn update(
        &mut self,
        squares: &[f64],
        s: &[f64],
        tau: f64,
        gain: Option<f64>,
        watch: &Watch,
    ) -> Option<()> {
        let n = s.len();
        // As a multiple of n.
        let allowed = gain.map(|gain| LEFT_OUT.max(OF_GAIN * gain / n as f64));
        let moments = self.mean.iter().zip(&self.variances).map(|(a, v)| a * a + v);
        self.lambda.update(moments);
        let lambda = self.lambda.means();
        let d: Vec<f64> = lambda.iter().map(|l| l / tau).collect();
        let inverse = self.inverse.as_ref().zip(allowed);
        let near = inverse.and_then(|(i, allowed)| i.near(squares, &d, s, &self.mean, allowed));
        let Found { mean, diagonal, log } = match near {
            Some(found) => found,
            None => self.anew(squares, &d, s, allowed, watch)?,
        };
        self.mean = mean;
        self.variances = diagonal.iter().map(|v| v / tau).collect();
        self.log = -log - n as f64 * tau.ln();
        self.trace = (n as f64 - dot(&lambda, &self.variances)).max(0.0) / tau;
        self.last = Some((d, diagonal));
        Some(())
    }

    /// By a factorisation.
    fn anew(
        &mut self,
        squares: &[f64],
        d: &[f64],
        s: &[f64],
        allowed: Option<f64>,
        watch: &Watch,
    ) -> Option<Found> {
        let n = s.len();
        self.inverse = None;
        let mut matrix = squares.to_vec();
        d.iter().enumerate().for_each(|(i, d)| matrix[i * n + i] += d);
        let going = || watch.stop().is_none();
        let factor = Cholesky::while_going(n, matrix, &going)?;
        let mut mean = s.to_vec();
        factor.solve(&mut mean, 1);
        let log = factor.log_determinant();
        let short = self.last.as_ref().zip(allowed).is_some_and(|((last, diagonal), allowed)| {
            let steps = d.iter().zip(last).zip(diagonal);
            let size: f64 = steps.map(|((d, l), v)| (d - l).abs() * v).sum();
            size <= SHORT * (allowed / LEFT_OUT).sqrt()
        });
        if !short {
            return Some(Found { mean, diagonal: factor.inverse_diagonal(), log });
        }
        let values = factor.inverse_while_going(&going)?;
        let diagonal: Vec<f64> = (0..n).map(|i| values[i * n + i]).collect();
        let share = values.chunks(n).fold(0.0_f64, |a, row| a.max(powers(row, d).1)).min(1.0);
        let (d, own) = (d.to_vec(), diagonal.clone());
        self.inverse = Some(Arc::new(Inverse { d, values, diagonal: own, log, share }));
        Some(Found { mean, diagonal, log })
    }

    /// Their part of the bound.
    pub fn bound(&self, log_tau: f64) -> f64 {
        let moments = self.mean.iter().zip(&self.variances).map(|(a, v)| a * a + v);
        let n = self.mean.len() as f64;
        self.lambda.bound(moments) + 0.5 * (n * (log_tau + 1.0) + self.log)
    }
}

impl Inverse {
    /// From the inverse; `None` where it is too far away.
    fn near(
        &self,
        squares: &[f64],
        d: &[f64],
        s: &[f64],
        start: &[f64],
        allowed: f64,
    ) -> Option<Found> {
        let n = s.len();
        let delta: Vec<f64> = d.iter().zip(&self.d).map(|(d, d0)| d - d0).collect();
        let (mut first, mut reach) = (vec![0.0; n], 0.0_f64);
        for (first, row) in first.iter_mut().zip(self.values.chunks(n)) {
            let (change, size) = powers(row, &delta);
            *first = change;
            reach = reach.max(size);
        }
        let norm = dot(&delta, &first);
        if !(reach <= REACH && (self.share + reach) * norm <= allowed * n as f64) {
            return None;
        }
        let log = self.log + dot(&self.diagonal, &delta) - 0.5 * norm;
        let diagonal = self.diagonal.iter().zip(&first).map(|(v, c)| v - c).collect();
        let mut mean = start.to_vec();
        let (mut rest, mut change) = (vec![0.0; n], vec![0.0; n]);
        symmetric_times(squares, n, &mean, &mut rest);
        for ((r, x), (d, s)) in rest.iter_mut().zip(&mean).zip(d.iter().zip(s)) {
            *r = s - *r - d * x;
        }
        let largest = |v: &[f64]| v.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        // ρ of a correction is left to the next, at most.
        loop {
            symmetric_times(&self.values, n, &rest, &mut change);
            mean.iter_mut().zip(&change).for_each(|(x, c)| *x += c);
            let left = reach * largest(&change);
            if !left.is_finite() {
                return None;
            }
            if left <= ENOUGH * largest(&mean) {
                return Some(Found { mean, diagonal, log });
            }
            rest.iter_mut().zip(&delta).zip(&change).for_each(|((r, d), c)| *r = -d * c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From an inverse as by a factorisation, step by step, and a factorisation where the step is too long.
    #[test]
    fn an_inverse_serves_what_is_near() {
        let n = 60;
        let root = |i: usize, k: usize| ((i * k) as f64 * 0.37 + i as f64).sin();
        let entry = |i: usize, j: usize| {
            let sum: f64 = (0..n).map(|k| root(i, k) * root(j, k)).sum();
            sum + f64::from(u8::from(i == j))
        };
        let squares: Vec<f64> = (0..n * n).map(|p| entry(p / n, p % n)).collect();
        let (mut with, tau) = (Coefficients::new(n), 50.0);
        let s: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let (mut served, watch) = (0, crate::Run::default().watch());
        for step in 0..40 {
            let s: Vec<f64> = s.iter().map(|s| (1.0 + 0.03 * f64::from(step)) * s).collect();
            let mut without = with.clone();
            without.inverse = None;
            let before = with.inverse.clone();
            with.update(&squares, &s, tau, Some(0.0), &watch).expect("a factor");
            without.update(&squares, &s, tau, None, &watch).expect("a factor");
            served += usize::from(match (before, &with.inverse) {
                (Some(before), Some(now)) => Arc::ptr_eq(&before, now),
                _ => false,
            });
            for (a, b) in with.mean.iter().zip(&without.mean) {
                assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{step}: {a} {b}");
            }
            let apart =
                with.variances.iter().zip(&without.variances).map(|(a, b)| (a - b).abs() / b);
            assert!(apart.fold(0.0, f64::max) < 1e-6, "{step}");
            let (a, b) = (with.bound(1.8), without.bound(1.8));
            assert!((a - b).abs() < LEFT_OUT * n as f64, "{step}: {a} {b}");
        }
        assert!((10..30).contains(&served), "{served}");
        let inverse = with.inverse.clone().expect("an inverse");
        let far: Vec<f64> = inverse.d.iter().map(|d| d + 1.0).collect();
        assert!(inverse.near(&squares, &far, &s, &with.mean, LEFT_OUT).is_none());
    }
}
