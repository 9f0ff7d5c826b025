//! What the weights σ of kernels cost under their prior, with derivatives and conjugates.

/// How much more than the least σ, of the largest such excess, makes a kernel an active one.
const ACTIVE: f64 = 1e-3;

/// Ω, a sum over the kernels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::mkl) enum Penalty {
    /// λσ − log λσ − 1: an exponential prior whose σ is averaged over, (16).
    Averaged(f64),
}

impl Penalty {
    /// Ω(σ).
    pub fn value(self, sigma: &[f64]) -> f64 {
        match self {
            Penalty::Averaged(l) => sigma.iter().map(|s| excess(l * s)).sum(),
        }
    }

    /// Its first and second derivative in one σ.
    pub fn derivatives(self, sigma: f64) -> (f64, f64) {
        match self {
            Penalty::Averaged(l) => (l - 1.0 / sigma, 1.0 / (sigma * sigma)),
        }
    }

    /// Ω*(z) for z = ½q, infinite where it is.
    pub fn conjugate(self, half_forms: impl Iterator<Item = f64>) -> f64 {
        match self {
            Penalty::Averaged(l) => {
                half_forms.map(|z| if z < l { -(-z / l).ln_1p() } else { f64::INFINITY }).sum()
            }
        }
    }

    /// The σ that z = ½q asks for, where there is one: (17).
    pub fn best(self, half_form: f64) -> f64 {
        match self {
            Penalty::Averaged(l) => 1.0 / (l - half_form),
        }
    }

    /// Where every iteration begins.
    pub fn first(self) -> f64 {
        match self {
            Penalty::Averaged(l) => 1.0 / l,
        }
    }

    /// How many kernels are active: (17) has no σ below 1/λ, so that counts from there.
    pub fn active(self, sigma: &[f64]) -> usize {
        let least = match self {
            Penalty::Averaged(l) => 1.0 / l,
        };
        let most = sigma.iter().fold(0.0_f64, |a, s| a.max(s - least));
        sigma.iter().filter(|s| **s - least > ACTIVE * most.max(1e-9 * least)).count()
    }
}

/// t − log t − 1 ≥ 0, also near 1.
pub(super) fn excess(t: f64) -> f64 {
    let d = t - 1.0;
    if d.abs() < 1e-4 {
        d * d * (0.5 - d * (1.0 / 3.0 - 0.25 * d))
    } else if d < -0.5 {
        d - t.ln()
    } else {
        d - d.ln_1p()
    }
}
