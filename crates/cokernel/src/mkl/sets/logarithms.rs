//! Newton's method on q_m = κ η_m^{p−1} in logarithms, of both sides and of the weights (see [`lp_norm`](crate::mkl)).

use cokernel_dense::LeveledCholesky;

/// Largest change of the logarithm of a weight in a step.
pub(super) const FARTHEST: f64 = 3.0;
/// Weights below this share of their norm are put where the equations say, but for those whose form depends on them.
pub(super) const SMALL: f64 = 1e-7;
/// What a form changes by with its own weight, as a share of what the equation does, from which on it depends on it.
const DEPENDS: f64 = 0.05;

/// diag((p − 1) ω) + diag(η) H diag(η) with ω_m = ½ η_m q_m, of the kernels that have a weight and a form.
pub(super) struct Equations {
    /// These kernels.
    pub used: Vec<usize>,
    /// ω: what each equation counts.
    pub mass: Vec<f64>,
    matrix: Vec<f64>,
}

impl Equations {
    /// `hessian` is H, M × M. Weights below `least` are not used, unless their form depends on them: that of a kernel whose
    /// entries are 10⁸ times those of the others can need a weight of 10⁻⁹ and be 10²⁰ times as large without it.
    pub fn new(p: f64, weights: &[f64], forms: &[f64], hessian: &[f64], least: f64) -> Self {
        let m = weights.len();
        let bent = |k: usize| weights[k] * hessian[k * m + k] > DEPENDS * (p - 1.0) * forms[k];
        let is_used = |k: &usize| {
            let (weight, form) = (weights[*k], forms[*k]);
            weight > 0.0 && form > 0.0 && (weight >= least || bent(*k))
        };
        let used: Vec<usize> = (0..m).filter(is_used).collect();
        let mass: Vec<f64> = used.iter().map(|k| 0.5 * weights[*k] * forms[*k]).collect();
        let f = used.len();
        let mut matrix = vec![0.0; f * f];
        for (a, k) in used.iter().enumerate() {
            for (b, l) in used.iter().enumerate() {
                matrix[a * f + b] = weights[*k] * hessian[k * m + l] * weights[*l];
            }
            matrix[a * f + a] += (p - 1.0) * mass[a];
        }
        Equations { used, mass, matrix }
    }

    /// Solves for right sides, one after the other; false if the matrix could not be factored.
    pub fn solve(&self, sides: &mut [f64]) -> bool {
        let Some(factor) = LeveledCholesky::new(self.used.len(), self.matrix.clone()) else {
            return false;
        };
        for side in sides.chunks_mut(self.used.len().max(1)) {
            side.copy_from_slice(&factor.solved(side));
        }
        true
    }

    /// xᵀ (this matrix) x.
    pub fn bend(&self, x: &[f64]) -> f64 {
        let dot = |row: &[f64]| row.iter().zip(x).map(|(r, x)| r * x).sum::<f64>();
        self.matrix.chunks(x.len().max(1)).zip(x).map(|(row, x)| x * dot(row)).sum()
    }

    /// What kernels that are not used promise at the weights `found`, to first order.
    pub fn regained(&self, forms: &[f64], found: &[f64]) -> f64 {
        let mut rest: Vec<f64> = forms.iter().zip(found).map(|(q, w)| 0.5 * q * w).collect();
        self.used.iter().for_each(|k| rest[*k] = 0.0);
        rest.iter().sum()
    }

    /// Puts the weights that are used where a step in logarithms leads.
    pub fn moved(&self, weights: &[f64], step: &[f64], found: &mut [f64]) {
        for (k, v) in self.used.iter().zip(step) {
            found[*k] = weights[*k] * v.clamp(-FARTHEST, FARTHEST).exp();
        }
    }
}
