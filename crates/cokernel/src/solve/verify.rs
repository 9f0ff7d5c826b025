//! Optimality recomputed from raw data, sharing no code with the solvers: textbook loops over a
//! dense matrix, for users and tests that want to check an answer. O(n²) for n instances.

use crate::data::Matrix;

/// How far a point is from the optimality conditions of
/// min ½αᵀQα + pᵀα, aᵀα = const, 0 ≤ α ≤ C, with Q_ij = a_i a_j K_ij.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KktResidual {
    /// |aᵀα − constant|.
    pub feasibility: f64,
    /// Largest distance of an α_i from [0, C_i].
    pub bounds: f64,
    /// max over I_low of −a_i ∇_i … minus min over I_up, or 0: the largest violation of
    /// stationarity by a pair.
    pub stationarity: f64,
    /// ½αᵀQα + pᵀα.
    pub objective: f64,
}

/// Checks a point of the general problem. `k` is n × n, all slices have length n.
pub fn verify(
    k: &Matrix,
    a: &[f64],
    p: &[f64],
    upper: &[f64],
    constant: f64,
    alpha: &[f64],
) -> KktResidual {
    let n = alpha.len();
    let mut objective = 0.0;
    let mut sum = 0.0;
    let mut bounds = 0.0_f64;
    // At the optimum, a_i·∇_i is one number for all free variables.
    let (mut up, mut low) = (f64::INFINITY, f64::NEG_INFINITY);
    for i in 0..n {
        let mut q = 0.0;
        for j in 0..n {
            q += a[i] * a[j] * k.get(i, j) * alpha[j];
        }
        objective += alpha[i] * (0.5 * q + p[i]);
        sum += a[i] * alpha[i];
        bounds = bounds.max(-alpha[i]).max(alpha[i] - upper[i]);
        let slope = a[i] * (q + p[i]);
        let (can_grow, can_shrink) = (alpha[i] < upper[i], alpha[i] > 0.0);
        let (rises, falls) =
            if a[i] > 0.0 { (can_grow, can_shrink) } else { (can_shrink, can_grow) };
        if rises {
            up = up.min(slope);
        }
        if falls {
            low = low.max(slope);
        }
    }
    KktResidual {
        feasibility: (sum - constant).abs(),
        bounds: bounds.max(0.0),
        stationarity: (low - up).max(0.0),
        objective,
    }
}

/// Objectives of C-SVC at a given machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SvcGap {
    /// ½‖w‖² + Σ C_i max(0, 1 − y_i f(x_i)).
    pub primal: f64,
    /// Σ|coef| − ½‖w‖².
    pub dual: f64,
    /// (primal − dual) / max(|primal|, tiny).
    pub gap: f64,
}

/// The duality gap of a C-SVC machine f(x_i) = Σ_j K_ij coef_j + bias. `y` is ±1, `c` the cost of
/// each instance.
pub fn svc_gap(k: &Matrix, y: &[f64], c: &[f64], coef: &[f64], bias: f64) -> SvcGap {
    let (mut norm, mut loss, mut sum) = (0.0, 0.0, 0.0);
    for i in 0..y.len() {
        let value: f64 = (0..y.len()).map(|j| k.get(i, j) * coef[j]).sum();
        norm += coef[i] * value;
        sum += coef[i] * y[i];
        if c[i] > 0.0 {
            loss += c[i] * (1.0 - y[i] * (value + bias)).max(0.0);
        }
    }
    let (primal, dual) = (0.5 * norm + loss, sum - 0.5 * norm);
    SvcGap { primal, dual, gap: (primal - dual) / primal.abs().max(f64::MIN_POSITIVE) }
}
