//! The widths of features inside a kernel, where a method has learned some: how relevant each feature is.

use super::Model;
use crate::data::LearnedView;
use serde::Serialize;

/// What was learned for the features of a view.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FeatureWidths {
    /// The view.
    pub view: String,
    /// The names of its columns; their numbers from 1 where they have none.
    pub features: Vec<String>,
    /// How relevant each is, without a unit: 1 at the start, 0 where the kernel does not look at it.
    pub relevance: Vec<f64>,
    /// What the kernel multiplies squared differences or products of the feature by, as the scaling left it.
    pub widths: Vec<f64>,
}

impl Model {
    /// Widths of the features of each view, none for methods that do not learn any.
    pub fn feature_widths(&self) -> Vec<FeatureWidths> {
        let details = &self.info.report.details;
        let (Some(relevance), Some(widths)) = (details.get("relevance"), details.get("widths"))
        else {
            return Vec::new();
        };
        let scaled: Vec<&LearnedView> =
            self.info.preparation.learned().iter().filter(|l| l.factors().is_some()).collect();
        let sizes = scaled.iter().map(|l| l.factors().map_or(0, <[f64]>::len));
        if sizes.sum::<usize>() != relevance.len() || relevance.len() != widths.len() {
            return Vec::new();
        }
        let mut first = 0;
        let mut of = |map: &&LearnedView| {
            let span = first..first + map.factors().map_or(0, <[f64]>::len);
            first = span.end;
            let known = self.info.views.iter().find(|v| v.name == map.view());
            let names = known.and_then(|v| v.columns.clone());
            FeatureWidths {
                view: map.view().to_string(),
                features: names
                    .filter(|n| n.len() == span.len())
                    .unwrap_or_else(|| (1..=span.len()).map(|j| j.to_string()).collect()),
                relevance: relevance[span.clone()].to_vec(),
                widths: widths[span].to_vec(),
            }
        };
        scaled.iter().map(&mut of).collect()
    }
}
