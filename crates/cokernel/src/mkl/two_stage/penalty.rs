//! What large weights cost: λ/2 ‖μ‖² of (5.2), or λ Σ μ, which leaves few kernels.

/// λ with its norm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::mkl) enum Penalty {
    /// λ/2 ‖μ‖².
    Squares(f64),
    /// λ Σ μ.
    Sum(f64),
}

impl Penalty {
    /// With another λ.
    pub fn with(self, lambda: f64) -> Self {
        match self {
            Penalty::Squares(_) => Penalty::Squares(lambda),
            Penalty::Sum(_) => Penalty::Sum(lambda),
        }
    }

    /// λ.
    pub fn lambda(self) -> f64 {
        match self {
            Penalty::Squares(l) | Penalty::Sum(l) => l,
        }
    }

    /// Of μ ≥ 0.
    pub fn value(self, mu: &[f64]) -> f64 {
        match self {
            Penalty::Squares(l) => 0.5 * l * mu.iter().map(|v| v * v).sum::<f64>(),
            Penalty::Sum(l) => l * mu.iter().sum::<f64>(),
        }
    }

    /// Its derivative along d at c·d.
    pub fn slope(self, d: &[f64], c: f64) -> f64 {
        match self {
            Penalty::Squares(l) => c * l * d.iter().map(|v| v * v).sum::<f64>(),
            Penalty::Sum(l) => l * d.iter().sum::<f64>(),
        }
    }

    /// Its derivative at μ_k = 0.
    pub fn linear(self) -> f64 {
        match self {
            Penalty::Squares(_) => 0.0,
            Penalty::Sum(l) => l,
        }
    }

    /// Its second derivative.
    pub fn curvature(self) -> f64 {
        match self {
            Penalty::Squares(l) => l,
            Penalty::Sum(_) => 0.0,
        }
    }

    /// The largest value of the dual objective on the ray of multipliers t·a, t ≤ 1, for their sum and v = Aᵀa:
    /// t Σa − t² ‖v₊‖²/2λ, or t Σa with t v ≤ λ.
    pub fn dual(self, sum: f64, v: &[f64]) -> f64 {
        match self {
            Penalty::Squares(l) => {
                let square = v.iter().map(|v| v.max(0.0).powi(2)).sum::<f64>() / l;
                let t = if square > sum { sum / square } else { 1.0 };
                t * (sum - 0.5 * t * square)
            }
            Penalty::Sum(l) => {
                let largest = v.iter().fold(0.0_f64, |a, v| a.max(*v));
                sum * if largest > l { l / largest } else { 1.0 }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Penalty;

    #[test]
    fn duals_by_hand() {
        // Σa = 2, v₊ = (3, 0): t·2 − t²·9/2λ, best at t = 2λ/9.
        let v = [3.0, -4.0];
        assert_eq!(Penalty::Squares(9.0).dual(2.0, &v), 2.0 - 0.5);
        assert!((Penalty::Squares(1.0).dual(2.0, &v) - 2.0 / 9.0).abs() < 1e-15);
        assert_eq!(Penalty::Sum(3.0).dual(2.0, &v), 2.0);
        assert_eq!(Penalty::Sum(1.5).dual(2.0, &v), 1.0);
    }
}
