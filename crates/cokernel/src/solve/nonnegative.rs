//! Non-negative quadratic programs, for weights of M kernels.
//!
//! ```text
//! min  xᵀQx − 2bᵀx    subject to   x ≥ 0
//! ```
//!
//! with Q positive semi-definite: the active-set method of Lawson and Hanson (*Solving Least Squares
//! Problems*, 1974, ch. 23) on Q scaled to a unit diagonal. Each step frees the variable whose condition is
//! hurt most and solves on the free ones, k³/3 for k of them; the objective never increases.
//!
//! **Certificate.** With x scaled so that xᵀQx = bᵀx, and s the least number ≥ 1 with s Qx ≥ b: every
//! z ≥ 0 has bᵀz ≤ s zᵀQx ≤ s √(zᵀQz) √(xᵀQx). So the cosine bᵀz/√(zᵀQz) is nowhere more than s times that
//! of x, and the objective nowhere less than s² times that of x.

use crate::Watch;
use cokernel_dense::Cholesky;

/// How far a condition may be hurt, of the largest |b| where Q has a unit diagonal.
const TOL: f64 = 1e-13;

/// A solution.
#[derive(Debug, Clone, PartialEq)]
pub struct Nonnegative {
    /// x; 0 where no x is better than 0.
    pub x: Vec<f64>,
    /// The objective at 0 and after each step.
    pub objective: Vec<f64>,
    /// s ≥ 1 of the certificate; infinite where there is none (Q has entries below 0).
    pub excess: f64,
}

/// Solves it; Q is M × M, symmetric. A variable with Q_mm = 0 stays 0. After a stop the answer is that of the steps
/// so far, with its certificate.
pub fn minimize_nonnegative(q: &[f64], b: &[f64], watch: &Watch) -> Nonnegative {
    let m = b.len();
    let unit = |i: usize| if q[i * m + i] > 0.0 { 1.0 / q[i * m + i].sqrt() } else { 0.0 };
    let units: Vec<f64> = (0..m).map(unit).collect();
    let scaled: Vec<f64> = (0..m * m).map(|k| q[k] * units[k / m] * units[k % m]).collect();
    let target: Vec<f64> = b.iter().zip(&units).map(|(b, u)| b * u).collect();
    let largest = target.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    let (mut x, mut free) = (vec![0.0; m], Vec::<usize>::new());
    let (mut barred, mut objective) = (vec![false; m], vec![0.0]);
    for _ in 0..3 * m + 50 {
        let product = multiply(&scaled, &x, &free);
        let hurt = |i: &usize| target[*i] - product[*i];
        let next = (0..m)
            .filter(|i| units[*i] > 0.0 && !barred[*i] && !free.contains(i))
            .filter(|i| hurt(i) > TOL * largest)
            .max_by(|a, b| hurt(a).total_cmp(&hurt(b)));
        let Some(next) = next.filter(|_| watch.stop().is_none()) else { break };
        free.push(next);
        settle(&scaled, &target, &mut x, &mut free);
        // Rounding: what was freed went back at once.
        barred[next] = !free.contains(&next);
        if !barred[next] {
            objective.push(-free.iter().map(|i| target[*i] * x[*i]).sum::<f64>());
        }
    }
    let product = multiply(&scaled, &x, &free);
    let (norm, gain): (f64, f64) =
        free.iter().fold((0.0, 0.0), |a, i| (a.0 + x[*i] * product[*i], a.1 + x[*i] * target[*i]));
    // At x = 0 there is no cosine: either no b is above 0, or a stop came first.
    let none = (0..m).all(|i| units[i] == 0.0 || target[i] <= TOL * largest);
    let excess = match (free.is_empty(), none) {
        (true, true) => 1.0,
        (true, false) => f64::INFINITY,
        (false, _) => excess(&product, &target, gain / norm),
    };
    let x = x.iter().zip(&units).map(|(x, u)| x * u).collect();
    Nonnegative { x, objective, excess }
}

/// Qx, for an x that is 0 outside of `free`.
fn multiply(q: &[f64], x: &[f64], free: &[usize]) -> Vec<f64> {
    let m = x.len();
    let row = |i: usize| free.iter().map(|j| q[i * m + j] * x[*j]).sum();
    (0..m).map(row).collect()
}

/// The least s ≥ 1 with s·factor·product ≥ target.
fn excess(product: &[f64], target: &[f64], factor: f64) -> f64 {
    let (mut least, mut most) = (1.0_f64, f64::INFINITY);
    for (p, b) in product.iter().zip(target) {
        let p = factor * p;
        match (*b > 0.0, p > 0.0) {
            (true, true) => least = least.max(b / p),
            (true, false) => return f64::INFINITY,
            (false, false) if p < 0.0 => most = most.min(b / p),
            (false, _) => {}
        }
    }
    // A condition that is hurt by rounding alone holds for s = 1.
    if least <= most.max(1.0) { least } else { f64::INFINITY }
}

/// Goes to the best point on the free variables, of which those that would be negative are given up.
fn settle(q: &[f64], b: &[f64], x: &mut [f64], free: &mut Vec<usize>) {
    let m = x.len();
    while !free.is_empty() {
        let k = free.len();
        let face: Vec<f64> =
            free.iter().flat_map(|i| free.iter().map(move |j| q[i * m + j])).collect();
        let factor = Cholesky::new(k, face.clone()).or_else(|| Cholesky::with_ridge(k, &face));
        let Some(factor) = factor else { return };
        let mut best: Vec<f64> = free.iter().map(|i| b[*i]).collect();
        factor.solve(&mut best, 1);
        let mut step = 1.0_f64;
        for (i, z) in free.iter().zip(&best).filter(|(_, z)| **z <= 0.0) {
            step = step.min(x[*i] / (x[*i] - z));
        }
        let all = best.iter().all(|z| *z > 0.0);
        for (i, z) in free.iter().zip(&best) {
            x[*i] = if all { *z } else { x[*i] + step * (z - x[*i]) };
            if !all && *z <= 0.0 && x[*i] <= 1e-14 * (x[*i] - z).abs() {
                x[*i] = 0.0;
            }
        }
        if all {
            return;
        }
        free.retain(|i| x[*i] > 0.0);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn hand_computed() {
        let watch = crate::Run::default().watch();
        // x₁² + x₂² + x₁x₂ − 2x₁ + 2x₂: x₂ = 0, x₁ = 1.
        let found = minimize_nonnegative(&[1.0, 0.5, 0.5, 1.0], &[1.0, -1.0], &watch);
        assert_eq!(found.x, [1.0, 0.0]);
        assert_eq!((found.excess, found.objective), (1.0, vec![0.0, -1.0]));
        let nothing = minimize_nonnegative(&[1.0, 0.0, 0.0, 0.0], &[-1.0, 3.0], &watch);
        assert_eq!((nothing.x, nothing.excess), (vec![0.0, 0.0], 1.0));
    }

    #[test]
    fn random_programs_are_optimal() {
        let watch = crate::Run::default().watch();
        let mut rng = crate::Run::with_seed(3).rng("nonnegative tests");
        for (m, rank) in [(1, 1), (2, 1), (5, 3), (20, 20), (40, 7), (60, 100)] {
            let f: Vec<f64> = (0..rank * m).map(|_| rng.random::<f64>()).collect();
            let q: Vec<f64> = (0..m * m)
                .map(|k| (0..rank).map(|r| f[r * m + k / m] * f[r * m + k % m]).sum())
                .collect();
            // Within the range of Q, so that there is a minimum.
            let t: Vec<f64> = (0..rank).map(|_| rng.random::<f64>() - 0.3).collect();
            let b: Vec<f64> =
                (0..m).map(|i| (0..rank).map(|r| f[r * m + i] * t[r]).sum()).collect();
            let found = minimize_nonnegative(&q, &b, &watch);
            let x = &found.x;
            assert!((1.0..1.0 + 1e-8).contains(&found.excess), "{m}, {rank}: {}", found.excess);
            for i in 0..m {
                let slope = (0..m).map(|j| q[i * m + j] * x[j]).sum::<f64>() - b[i];
                assert!(x[i] >= 0.0 && slope > -1e-9 && (x[i] * slope).abs() < 1e-9);
            }
            assert!(found.objective.is_sorted_by(|a, b| a >= b), "{:?}", found.objective);
        }
    }
}
