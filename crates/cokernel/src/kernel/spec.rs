//! What a user writes: `family[@view][:key=value]…`.

use super::{Kernel, Metric, Normalization, Width};
use crate::data::Views;
use crate::{Result, Run};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// A kernel family; widths are separate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// ⟨x, z⟩.
    Linear,
    /// (γ⟨x, z⟩ + c₀)^q.
    Polynomial {
        /// q.
        degree: u32,
        /// γ.
        gamma: f64,
        /// c₀.
        coef0: f64,
    },
    /// exp(−γ d) of a distance: Gaussian, Laplacian, χ² and others.
    Exponential(Metric),
    /// tanh(γ⟨x, z⟩ + c₀).
    Sigmoid {
        /// γ.
        gamma: f64,
        /// c₀.
        coef0: f64,
    },
    /// The view's own similarity.
    Precomputed,
}

/// One line of a kernel list: may become many kernels (views × columns × widths).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelSpec {
    /// The view, or every view (that the family can use).
    pub view: Option<String>,
    /// The family.
    pub family: Family,
    /// Widths, for families that have one.
    pub width: Width,
    /// One kernel for each single column.
    pub per_feature: bool,
    /// Normalisations in order.
    pub normalize: Vec<Normalization>,
}

impl KernelSpec {
    /// Fixes widths on the training instances and expands views, columns and widths.
    ///
    /// # Errors
    /// Unknown view, a family the view cannot serve, a width that comes out as 0.
    pub fn resolve(&self, views: &Views, run: &Run) -> Result<Vec<Kernel>> {
        let _ = (views, run);
        todo!()
    }
}

impl FromStr for KernelSpec {
    type Err = crate::Error;
    fn from_str(text: &str) -> Result<Self> {
        let _ = text;
        todo!()
    }
}
