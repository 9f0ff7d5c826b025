//! Steps of (σ, μ) far from the optimum, σ in its logarithm.
//!
//! ```text
//! min_d  Σ_k (λσ_k exp(d_k) − d_k) + Σ_k (γμ_k(1 + d_k) − log(1 + d_k)) + gᵀd + ½ dᵀBd
//! ```
//!
//! with σ' = σ exp(d), μ' = μ(1 + d), and g and B the derivatives of S in (log σ, μ/μ now), B without its negative part. What
//! the priors cost is taken as it is and S as a quadratic function of log σ: where the box does not hold the
//! coefficients S falls like 1/σ, and a quadratic function of σ says little beyond a doubling. In μ, which shifts the margins,
//! it is one. On 20 kernels, n = 1,000, C = 1 to 100, one such step took gaps of 0.25 to 0.28 to 0.007 to 0.014, a
//! Newton step to 0.08 to 0.12, and three took the start from no data to 0.01 where Newton's method took five. Near the
//! optimum the steps of Newton's method are the better ones.

use super::newton::PART;
use crate::solve::hinge::Factor;
use cokernel_dense::simd::dot;
use cokernel_dense::{Slice, symmetric_eigen};

/// The most that a logarithm changes by: further no model reaches.
const REACH: f64 = 3.0;

/// Newton iterations within the model, and the decrement at which they end.
const ITERATIONS: usize = 50;
const ENOUGH: f64 = 1e-10;

/// Whether eigenvalues of so many weights cost less than a pass over as many kernels of n instances.
pub(super) fn is_cheap(size: usize, n: usize) -> bool {
    10.0 * (size as f64).powi(2) <= (n as f64).powi(2)
}

/// d; `None` where it cannot be computed. The first of θ = (σ, μ) are σ, `rates` λ and γ of each, `gradient` and `curvature` those of
/// S in θ.
pub(super) fn step(
    (theta, sigmas): (&[f64], usize),
    rates: &[f64],
    gradient: &[f64],
    curvature: &[f64],
) -> Option<Vec<f64>> {
    let size = theta.len();
    let slope: Vec<f64> = gradient.iter().zip(theta).map(|(g, t)| g * t).collect();
    let mut bowl = curvature.to_vec();
    for (k, row) in bowl.chunks_mut(size).enumerate() {
        row.iter_mut().zip(theta).for_each(|(v, t)| *v *= theta[k] * t);
        row[k] += if k < sigmas { slope[k] } else { 0.0 };
    }
    let bowl = above_zero(size, bowl)?;
    let mut at = vec![0.0_f64; size];
    for _ in 0..ITERATIONS {
        let mut hessian = bowl.clone();
        let mut side = Vec::with_capacity(size);
        for k in 0..size {
            let cost = rates[k] * theta[k];
            let (first, second) = match k < sigmas {
                true => (cost * at[k].exp() - 1.0, cost * at[k].exp()),
                false => (cost - 1.0 / (1.0 + at[k]), 1.0 / (1.0 + at[k]).powi(2)),
            };
            hessian[k * size + k] += second;
            let pull = dot(&bowl[k * size..(k + 1) * size], &at);
            side.push(-first - slope[k] - pull);
        }
        let downhill = side.clone();
        Factor::new(size, hessian)?.solve(&mut side);
        let decrement = dot(&downhill, &side);
        // A damped step stays where the logarithms and the exponentials are what they are expected to be.
        let length = if decrement > 0.25 { 1.0 / (1.0 + decrement.sqrt()) } else { 1.0 };
        for (k, (a, s)) in at.iter_mut().zip(&side).enumerate() {
            let (least, most) = if k < sigmas { (-REACH, REACH) } else { (-PART, f64::MAX) };
            *a = (*a + length * s).clamp(least, most);
        }
        if decrement.is_nan() || decrement <= ENOUGH {
            break;
        }
    }
    at.iter().all(|d| d.is_finite()).then_some(at)
}

/// A symmetric matrix without the part of its negative eigenvalues.
fn above_zero(size: usize, matrix: Vec<f64>) -> Option<Vec<f64>> {
    if !matrix.iter().all(|v| v.is_finite()) {
        return None;
    }
    let mut vectors = vec![0.0; size * size];
    let values = symmetric_eigen(Slice::new(&matrix, size, size), &mut vectors)?;
    let mut matrix = matrix;
    for (column, value) in values.iter().enumerate().filter(|(_, v)| **v < 0.0) {
        let vector: Vec<f64> = vectors.chunks(size).map(|row| row[column]).collect();
        for (row, own) in matrix.chunks_mut(size).zip(&vector) {
            row.iter_mut().zip(&vector).for_each(|(v, other)| *v -= value * own * other);
        }
    }
    Some(matrix)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn where_the_model_is_least_its_gradient_vanishes() {
        let (theta, rates) = ([0.5, 2.0, 0.1], [3.0, 1.5, 10.0]);
        // Symmetric; in logarithms its diagonal has parts of either sign.
        let curvature = [2.0, 0.3, -0.1, 0.3, 0.5, 0.2, -0.1, 0.2, 4.0];
        let gradient = [-1.2, -0.4, -0.7];
        let d = step((&theta, 2), &rates, &gradient, &curvature).unwrap();
        let at = |i: usize, j: usize| {
            let diagonal = if i == j && i < 2 { gradient[i] * theta[i] } else { 0.0 };
            curvature[3 * i + j] * theta[i] * theta[j] + diagonal
        };
        let matrix: Vec<f64> = (0..9).map(|k| at(k / 3, k % 3)).collect();
        let bowl = above_zero(3, matrix).unwrap();
        for k in 0..3 {
            let pull: f64 = (0..3).map(|l| bowl[3 * k + l] * d[l]).sum();
            let cost = match k {
                2 => rates[k] * theta[k] - 1.0 / (1.0 + d[k]),
                _ => rates[k] * theta[k] * d[k].exp() - 1.0,
            };
            let slope = cost + gradient[k] * theta[k] + pull;
            assert!(slope.abs() < 1e-4, "{k}: {slope} at {d:?}");
        }
    }

    #[test]
    fn what_is_below_zero_is_left_out() {
        // Eigenvalues 3 and −1 of (1, 1)/√2 and (1, −1)/√2.
        let found = above_zero(2, vec![1.0, 2.0, 2.0, 1.0]).unwrap();
        found.iter().for_each(|v| assert!((v - 1.5).abs() < 1e-12, "{found:?}"));
        let as_it_is = vec![2.0, 1.0, 1.0, 2.0];
        assert_eq!(above_zero(2, as_it_is.clone()).unwrap(), as_it_is);
    }
}
