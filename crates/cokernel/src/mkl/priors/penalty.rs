//! What the weights σ of kernels cost under their prior, with derivatives and conjugates.
//!
//! | prior | density, up to a factor | Ω(σ) | Ω*(z) |
//! |---|---|---|---|
//! | [`Averaged`](Penalty::Averaged) | exp(−λσ), σ averaged over | Σ λσ − log λσ − 1 | −Σ log(1 − z/λ) |
//! | [`Exponential`](Penalty::Exponential) | exp(−λσ) | λ Σσ | 0 for z ≤ λ, else ∞ |
//! | [`HalfNormal`](Penalty::HalfNormal) | exp(−½λσ²) | ½λ Σσ² | Σ z²/2λ |
//! | [`SuperGaussian`](Penalty::SuperGaussian) | exp(−λ₁σ − λ₂σ²) | λ₁ Σσ + λ₂ Σσ² | Σ (z − λ₁)₊²/4λ₂ |
//! | [`Power`](Penalty::Power) | exp(−λσᵖ), p > 1 | λ Σσᵖ | (p − 1) λ Σ (z/λp)^{p/(p−1)} |
//!
//! z is ½q. In the first and the last no σ is ever 0, so steps stay inside; in the others kernels can be left out.

/// How much more than the least σ, of the largest such excess, makes a kernel an active one.
const ACTIVE: f64 = 1e-3;

/// Ω, a sum over the kernels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::mkl) enum Penalty {
    /// An exponential prior whose σ is averaged over, (16): λ.
    Averaged(f64),
    /// The most likely σ under an exponential prior: λ.
    Exponential(f64),
    /// The same under a half-normal prior: λ.
    HalfNormal(f64),
    /// Under the product of both: λ₁, λ₂.
    SuperGaussian(f64, f64),
    /// Under a prior of σᵖ: λ, p.
    Power(f64, f64),
}

impl Penalty {
    /// Ω(σ).
    pub fn value(self, sigma: &[f64]) -> f64 {
        let one = |s: &f64| match self {
            Penalty::Averaged(l) => excess(l * s),
            Penalty::Exponential(l) => l * s,
            Penalty::HalfNormal(l) => 0.5 * l * s * s,
            Penalty::SuperGaussian(l, k) => (l + k * s) * s,
            Penalty::Power(l, p) => l * s.powf(p),
        };
        sigma.iter().map(one).sum()
    }

    /// Its first and second derivative in one σ.
    pub fn derivatives(self, sigma: f64) -> (f64, f64) {
        match self {
            Penalty::Averaged(l) => (l - 1.0 / sigma, 1.0 / (sigma * sigma)),
            Penalty::Exponential(l) => (l, 0.0),
            Penalty::HalfNormal(l) => (l * sigma, l),
            Penalty::SuperGaussian(l, k) => (l + 2.0 * k * sigma, 2.0 * k),
            Penalty::Power(l, p) => {
                (l * p * sigma.powf(p - 1.0), l * p * (p - 1.0) * sigma.powf(p - 2.0))
            }
        }
    }

    /// Ω*(z) for z = ½q, infinite where it is.
    pub fn conjugate(self, half_forms: impl Iterator<Item = f64>) -> f64 {
        let one = |z: f64| match self {
            Penalty::Averaged(l) if z < l => -(-z / l).ln_1p(),
            Penalty::Exponential(l) if z <= l => 0.0,
            Penalty::Averaged(_) | Penalty::Exponential(_) => f64::INFINITY,
            Penalty::HalfNormal(l) => 0.5 * z * (z / l),
            Penalty::SuperGaussian(l, k) => 0.25 * (z - l).max(0.0) * ((z - l).max(0.0) / k),
            Penalty::Power(l, p) => (p - 1.0) * l * (z / (l * p)).powf(p / (p - 1.0)),
        };
        half_forms.map(one).sum()
    }

    /// The σ that z = ½q asks for, where there is one: (17). An exponential prior asks for none: 0.
    pub fn best(self, half_form: f64) -> f64 {
        match self {
            Penalty::Averaged(l) => 1.0 / (l - half_form),
            Penalty::Exponential(_) => 0.0,
            Penalty::HalfNormal(l) => half_form / l,
            Penalty::SuperGaussian(l, k) => 0.5 * (half_form - l).max(0.0) / k,
            Penalty::Power(l, p) => (half_form / (l * p)).powf(1.0 / (p - 1.0)),
        }
    }

    /// σ with τ log σ added to its prior, where σ may be 0, for z = ½q: σ, its derivative, and max_σ zσ − Ω(σ) + τ log σ.
    /// Infinite where there is none. The others need no logarithm.
    pub fn inside(self, half_form: f64, tau: f64) -> (f64, f64, f64) {
        let z = half_form;
        match self {
            Penalty::Exponential(l) if z < l => {
                let sigma = tau / (l - z);
                (sigma, sigma / (l - z), tau * (sigma.ln() - 1.0))
            }
            Penalty::SuperGaussian(l, k) => {
                // 2kσ² + (λ − z)σ = τ, without cancellation.
                let (b, root) = (l - z, ((l - z).powi(2) + 8.0 * k * tau).sqrt());
                let sigma = if b > 0.0 { 2.0 * tau / (b + root) } else { (root - b) / (4.0 * k) };
                (sigma, sigma / root, (z - l - k * sigma) * sigma + tau * sigma.ln())
            }
            Penalty::Averaged(l) if z < l => (1.0 / (l - z), (l - z).powi(-2), -(-z / l).ln_1p()),
            Penalty::Exponential(_) | Penalty::Averaged(_) => {
                (f64::INFINITY, f64::INFINITY, f64::INFINITY)
            }
            Penalty::HalfNormal(l) => (z / l, 1.0 / l, 0.5 * z * (z / l)),
            Penalty::Power(l, p) => {
                let sigma = self.best(z);
                let slope = if z > 0.0 { sigma / (z * (p - 1.0)) } else { 0.0 };
                (sigma, slope, (p - 1.0) * l * (z / (l * p)).powf(p / (p - 1.0)))
            }
        }
    }

    /// Whether σ ≥ 0 is a limit that [`inside`](Self::inside) needs τ for.
    pub fn has_limit(self) -> bool {
        matches!(self, Penalty::Exponential(_) | Penalty::SuperGaussian(..))
    }

    /// Whether σ may be 0.
    pub fn leaves_out(self) -> bool {
        !matches!(self, Penalty::Averaged(_) | Penalty::Power(..))
    }

    /// Where every iteration begins: about as large as the prior lets σ be.
    pub fn first(self) -> f64 {
        match self {
            Penalty::Averaged(l) | Penalty::Exponential(l) => 1.0 / l,
            Penalty::HalfNormal(l) => 1.0 / l.sqrt(),
            Penalty::SuperGaussian(l, k) => 1.0 / (l + k.sqrt()),
            Penalty::Power(l, p) => l.powf(-1.0 / p),
        }
    }

    /// The least σ that there can be.
    fn least(self) -> f64 {
        match self {
            Penalty::Averaged(l) => 1.0 / l,
            _ => 0.0,
        }
    }

    /// r such that steps are taken in σʳ: where Ω is linear in a power, that power.
    pub fn power(self) -> f64 {
        match self {
            Penalty::Power(_, p) => p,
            _ => 1.0,
        }
    }

    /// How many kernels are active, counted from the least σ that there can be.
    pub fn active(self, sigma: &[f64]) -> usize {
        let least = self.least();
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
