//! The gates of a model at any instance: how much of each kernel it takes there.

use super::Model;
use super::predict::towards_learned;
use crate::Result;
use crate::data::{Matrix, Views};
use serde::Serialize;

/// Gates of some instances.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gates {
    /// The kernel of each column; of several copies of a kernel with their numbers, from 1: `gaussian@a#2`.
    pub names: Vec<String>,
    /// Instances × gates, those of a kernel one after the other.
    #[serde(skip)]
    pub values: Matrix,
}

impl Gates {
    /// The mean of each gate over the instances.
    pub fn means(&self) -> Vec<f64> {
        let n = self.values.rows().max(1) as f64;
        let mean =
            |g: usize| (0..self.values.rows()).map(|i| self.values.get(i, g)).sum::<f64>() / n;
        (0..self.values.cols()).map(mean).collect()
    }

    /// The mean number of gates that are open, which is above 0, of an instance.
    pub fn active(&self) -> f64 {
        let open = self.values.values().iter().filter(|g| **g > 0.0).count();
        open as f64 / self.values.rows().max(1) as f64
    }
}

impl Model {
    /// The gates of instances, with the views of [`predict`](Self::predict); `None` if the rule has none.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn gates(&self, views: &Views) -> Result<Option<Gates>> {
        let Some(gated) = self.rule.gated() else { return Ok(None) };
        let views = towards_learned(self, views)?;
        let views = self.info.preparation.apply(&views)?;
        views.require_complete()?;
        Ok(Some(Gates { names: self.gate_names(), values: gated.gates(&views)? }))
    }

    /// The kernel of each gate, none if the rule has none.
    pub fn gate_names(&self) -> Vec<String> {
        let copies = self.rule.gated().map_or(0, |gated| gated.copies());
        let of = |kernel: &str| -> Vec<String> {
            match copies {
                0 | 1 => vec![kernel.to_string(); copies],
                _ => (1..=copies).map(|p| format!("{kernel}#{p}")).collect(),
            }
        };
        self.info.kernels.iter().flat_map(|k| of(&k.name)).collect()
    }
}
