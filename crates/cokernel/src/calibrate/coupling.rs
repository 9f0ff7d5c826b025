//! Class probabilities from those of pairs of classes.
//!
//! Problem: r_ij is an estimate of P(i | i or j) with r_ij + r_ji = 1. Minimise over p with Σ p = 1, p ≥ 0
//!
//! ```text
//! Σ_i Σ_{j ≠ i} (r_ji p_i − r_ij p_j)² = 2 pᵀ Q p,   Q_ii = Σ_{j ≠ i} r_ji²,  Q_ij = − r_ji r_ij
//! ```
//!
//! Where all r are above 0, the minimiser without p ≥ 0 has it (theorem 2 of the source), and solves
//! Q p = const · 1. As Q is singular where the r agree with some p, it is looked for by
//! (Q + 1 1ᵀ) x = 1, p = x / Σ x: the same p, and a positive definite matrix. One Cholesky decomposition, so
//! that there is neither a tolerance nor a limit of iterations; LIBSVM iterates to 0.005/k.
//!
//! Cost: O(k³/6) time and O(k²) memory for each instance.
//!
//! Source: T.-F. Wu, C.-J. Lin and R. C. Weng, Probability estimates for multi-class classification by
//! pairwise coupling, JMLR 5, 2004, section 4.2 (the second approach); r is kept within 10⁻⁷ of 0 and 1 as
//! in LIBSVM.

/// The least r.
const LEAST: f64 = 1e-7;

/// Writes p from (i, j, r_ij) for each pair of classes.
pub fn probabilities(pairs: &[(usize, usize, f64)], p: &mut [f64]) {
    let k = p.len();
    let mut q = vec![1.0; k * k];
    for &(i, j, r) in pairs {
        let r = r.clamp(LEAST, 1.0 - LEAST);
        let s = 1.0 - r;
        q[i * k + i] += s * s;
        q[j * k + j] += r * r;
        q[i * k + j] -= r * s;
        q[j * k + i] -= r * s;
    }
    p.fill(1.0);
    solve(&mut q, p);
    p.iter_mut().for_each(|v| *v = v.max(0.0));
    let sum: f64 = p.iter().sum();
    let equal = 1.0 / k as f64;
    p.iter_mut().for_each(|v| *v = if sum > 0.0 && sum.is_finite() { *v / sum } else { equal });
}

/// x with A x = b in the place of b, for positive definite A, whose lower half is overwritten by its
/// Cholesky factor.
fn solve(a: &mut [f64], b: &mut [f64]) {
    let k = b.len();
    for i in 0..k {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|l| a[i * k + l] * a[j * k + l]).sum();
            let rest = a[i * k + j] - dot;
            a[i * k + j] = match i == j {
                true => rest.max(f64::MIN_POSITIVE).sqrt(),
                false => rest / a[j * k + j],
            };
        }
        let dot: f64 = (0..i).map(|l| a[i * k + l] * b[l]).sum();
        b[i] = (b[i] - dot) / a[i * k + i];
    }
    for i in (0..k).rev() {
        let dot: f64 = (i + 1..k).map(|l| a[l * k + i] * b[l]).sum();
        b[i] = (b[i] - dot) / a[i * k + i];
    }
}
