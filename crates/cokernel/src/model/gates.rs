//! The gates of a model at any instance: how much of each kernel it takes there.

use super::Model;
use super::predict::towards_learned;
use crate::data::{Matrix, Views};
use crate::multiview::project;
use crate::rule::{Gated, all_gates};
use crate::{Result, Run};
use serde::Serialize;

/// Gates of some instances.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gates {
    /// The kernel of each column; of several copies of a kernel with their numbers, from 1: `gaussian@a#2`. Where
    /// machines have gates of their own, with that of the machine before it.
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

/// Where instances lie in a picture of gates.
#[derive(Debug, Clone, PartialEq)]
pub struct GatePlane {
    /// What the two numbers of an instance are.
    pub names: [String; 2],
    /// Instances × 2.
    pub points: Matrix,
}

impl Model {
    /// What the gates look at as two numbers of each instance, with the views of [`predict`](Self::predict): the columns
    /// themselves where there are two, else the first two principal components of what the gates see (of these
    /// instances, unless the gates see components already). `None` if the rule has no gates.
    ///
    /// # Errors
    /// As [`predict`](Self::predict); time ran out or the user stopped.
    pub fn gate_plane(&self, views: &Views, run: &Run) -> Result<Option<GatePlane>> {
        let Some(gated) = self.gated().first() else { return Ok(None) };
        let (input, views) = (gated.input(), self.prepared_views(views)?);
        let component = |c: usize| match input.is_reduced() {
            true => format!("component {c}"),
            false => format!("principal component {c}"),
        };
        let (names, points) = match (input.columns(), input.is_reduced(), input.width()) {
            (1 | 2, false, _) => (self.column_names(&input.views()), input.read_columns(&views)?),
            (_, true, 1..) => (vec![component(1), component(2)], input.rows(&views)?),
            _ => (vec![component(1), component(2)], project(&input.rows(&views)?, 2, run)?),
        };
        let [first, second] = [0, 1].map(|c| names.get(c).cloned().unwrap_or_default());
        let at = |i: usize, c: usize| if c < points.cols() { points.get(i, c) } else { 0.0 };
        let points = Matrix::from_fn(points.rows(), 2, at);
        Ok(Some(GatePlane { names: [first, second], points }))
    }

    /// The columns of these views, by name or number.
    fn column_names(&self, views: &[String]) -> Vec<String> {
        let of = |name: &String| -> Vec<String> {
            let Some(view) = self.info.views.iter().find(|v| v.name == *name) else {
                return Vec::new();
            };
            let own = |j: usize| match &view.columns {
                Some(names) => names[j].clone(),
                None => format!("column {}", j + 1),
            };
            (0..view.cols).map(|j| format!("{name}: {}", own(j))).collect()
        };
        views.iter().flat_map(of).collect()
    }

    /// The views as the rule looks at them.
    fn prepared_views(&self, views: &Views) -> Result<Views> {
        let views = towards_learned(self, views)?;
        let views = self.info.preparation.shown(&views)?;
        views.require_complete()?;
        Ok(views)
    }

    /// The gates of instances, with the views of [`predict`](Self::predict); `None` if the rule has none.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn gates(&self, views: &Views) -> Result<Option<Gates>> {
        let heads = self.gated();
        if heads.is_empty() {
            return Ok(None);
        }
        let views = self.prepared_views(views)?;
        Ok(Some(Gates { names: self.gate_names(), values: all_gates(heads, &views)? }))
    }

    /// The kernel of each gate, none if the rule has none; with the name of the machine before it, where each has its
    /// own: `a vs rest: gaussian@x`.
    pub fn gate_names(&self) -> Vec<String> {
        let heads = self.gated();
        let copies = heads.first().map_or(0, Gated::copies);
        let of = |kernel: &str| -> Vec<String> {
            match copies {
                0 | 1 => vec![kernel.to_string(); copies],
                _ => (1..=copies).map(|p| format!("{kernel}#{p}")).collect(),
            }
        };
        let names: Vec<String> = self.info.kernels.iter().flat_map(|k| of(&k.name)).collect();
        if self.rule.own_gates().is_empty() {
            return names;
        }
        let machines = self.info.machines.iter();
        machines.flat_map(|m| names.iter().map(move |n| format!("{}: {n}", m.name))).collect()
    }

    /// What has gates: one rule for all machines, one for each, or nothing.
    fn gated(&self) -> &[Gated] {
        self.rule.gated().map_or_else(|| self.rule.own_gates(), std::slice::from_ref)
    }
}
