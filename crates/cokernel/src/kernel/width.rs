//! Width rules (A3): how γ is found from the data.

use serde::{Deserialize, Serialize};

/// Which convention a width number follows; everything is converted to γ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Convention {
    /// exp(−γ d), the number is γ.
    Gamma,
    /// exp(−d²/2σ²), the number is σ (Gaussian only).
    Sigma,
    /// exp(−d²/s²) for the Gaussian, exp(−d/s) for other distances; the number is s.
    Scale,
}

/// A number taken from the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WidthRule {
    /// Median of the pairwise distances.
    Median,
    /// Mean of the pairwise distances.
    Mean,
    /// Mean distance to the nearest other instance, LMKA (2.10).
    MeanNearest,
}

/// Where the widths of a kernel family come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Width {
    /// The convention of the numbers below.
    pub convention: Convention,
    /// A rule that gives the base number, or 1.
    pub rule: Option<WidthRule>,
    /// Factors on the base: one kernel for each. `2^-3..6` becomes ten powers of two.
    pub factors: Vec<f64>,
}
