//! Newton's method on q_m = κ η_m^{p−1} in logarithms, of both sides and of the weights (see [`lp_norm`](crate::mkl)).

use cokernel_dense::Cholesky;

/// Largest change of the logarithm of a weight in a step.
pub(super) const FARTHEST: f64 = 3.0;
/// Weights below this share of their norm are put where the equations say.
pub(super) const SMALL: f64 = 1e-7;

/// diag((p − 1) ω) + diag(η) H diag(η) with ω_m = ½ η_m q_m, of the kernels that have a weight and a form.
pub(super) struct Equations {
    /// These kernels.
    pub used: Vec<usize>,
    /// ω: what each equation counts.
    pub mass: Vec<f64>,
    matrix: Vec<f64>,
}

impl Equations {
    /// `hessian` is H, M × M; weights below `least` are not used.
    pub fn new(p: f64, weights: &[f64], forms: &[f64], hessian: &[f64], least: f64) -> Self {
        let m = weights.len();
        let used: Vec<usize> = (0..m).filter(|k| weights[*k] >= least && forms[*k] > 0.0).collect();
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

    /// Solves for `count` right sides, one after the other; false if the matrix could not be factored.
    pub fn solve(&self, sides: &mut [f64], count: usize) -> bool {
        let factor = Cholesky::with_ridge(self.used.len(), &self.matrix);
        factor.map(|factor| factor.solve(sides, count)).is_some()
    }

    /// xᵀ (this matrix) x.
    pub fn bend(&self, x: &[f64]) -> f64 {
        let dot = |row: &[f64]| row.iter().zip(x).map(|(r, x)| r * x).sum::<f64>();
        self.matrix.chunks(x.len().max(1)).zip(x).map(|(row, x)| x * dot(row)).sum()
    }

    /// Puts the weights that are used where a step in logarithms leads.
    pub fn moved(&self, weights: &[f64], step: &[f64], found: &mut [f64]) {
        for (k, v) in self.used.iter().zip(step) {
            found[*k] = weights[*k] * v.clamp(-FARTHEST, FARTHEST).exp();
        }
    }
}
