//! Graphs that are built from features, as a user writes them.
//!
//! ```text
//! knn                                     ten nearest neighbours, on every feature view
//! knn@fou:k=5                             on one view
//! knn:k=10:mutual=yes                     an edge only where both are neighbours of each other
//! knn:k=10:weights=gaussian               exp(−d²/2σ²), σ the median length of an edge
//! epsilon:radius=0.5                      an edge up to this distance
//! epsilon:radius=0.5:weights=gaussian:sigma=0.2
//! ```

use super::text::{quoted, split};
use crate::{Error, Result, brief};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which instances are joined; distances are Euclidean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "graph", rename_all = "snake_case")]
pub enum GraphKind {
    /// Each instance and its k nearest others.
    Knn {
        /// k.
        k: usize,
        /// An edge only where each is among the k nearest of the other; otherwise where one is.
        mutual: bool,
    },
    /// Instances at most this far apart.
    Epsilon {
        /// The distance, above 0.
        radius: f64,
    },
}

/// What an edge weighs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "weights", rename_all = "snake_case")]
pub enum EdgeWeights {
    /// 1.
    Binary,
    /// exp(−d²/2σ²) for an edge of length d.
    Gaussian {
        /// σ, or the median length of the edges.
        sigma: Option<f64>,
    },
}

/// A graph on the instances of a feature view, or of every one. The diagonal is 1: an instance is
/// at distance 0 from itself.
///
/// ```
/// use cokernel::kernel::GraphSpec;
/// let spec: GraphSpec = "knn@fou:k=5:mutual=yes".parse()?;
/// assert_eq!(spec.to_string(), "knn@fou:k=5:mutual=yes");
/// # Ok::<(), cokernel::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphSpec {
    /// The view, or every feature view.
    pub view: Option<String>,
    /// Its edges.
    pub kind: GraphKind,
    /// Their weights.
    pub weights: EdgeWeights,
}

/// Neighbours if none are given.
const NEIGHBOURS: usize = 10;

impl GraphSpec {
    /// The k nearest neighbours on every feature view, edges of weight 1.
    pub fn knn(k: usize) -> Self {
        let kind = GraphKind::Knn { k, mutual: false };
        GraphSpec { view: None, kind, weights: EdgeWeights::Binary }
    }

    /// Edges up to a distance on every feature view, of weight 1.
    pub fn epsilon(radius: f64) -> Self {
        let kind = GraphKind::Epsilon { radius };
        GraphSpec { view: None, kind, weights: EdgeWeights::Binary }
    }

    /// Only on this view.
    #[must_use]
    pub fn view(mut self, view: impl Into<String>) -> Self {
        self.view = Some(view.into());
        self
    }

    /// Only edges between instances that are neighbours of each other.
    #[must_use]
    pub fn mutual(mut self) -> Self {
        if let GraphKind::Knn { mutual, .. } = &mut self.kind {
            *mutual = true;
        }
        self
    }

    /// What edges weigh.
    #[must_use]
    pub fn weights(mut self, weights: EdgeWeights) -> Self {
        self.weights = weights;
        self
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// No neighbours, a radius or σ that is not a finite number above 0.
    pub fn check(&self) -> Result<()> {
        let positive = |name: &str, v: f64| {
            if v.is_finite() && v > 0.0 {
                return Ok(());
            }
            let problem = format!("found {}, expected a finite number above 0", brief(v));
            Err(Error::parameter(format!("graph {name}"), problem))
        };
        match self.kind {
            GraphKind::Knn { k: 0, .. } => {
                return Err(Error::parameter("graph k", "found 0, expected at least 1"));
            }
            GraphKind::Knn { .. } => {}
            GraphKind::Epsilon { radius } => positive("radius", radius)?,
        }
        match self.weights {
            EdgeWeights::Gaussian { sigma: Some(sigma) } => positive("sigma", sigma),
            _ => Ok(()),
        }
    }

    /// The name of the kernel that it becomes on a view.
    pub fn kernel_name(&self, view: &str) -> String {
        let text = GraphSpec { view: None, ..self.clone() }.to_string();
        let (family, rest) = text.split_once(':').unwrap_or((&text, ""));
        if rest.is_empty() {
            return format!("{family}@{view}");
        }
        format!("{family}@{view}({})", rest.replace(':', ", "))
    }
}

impl FromStr for GraphSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (family, view, parts) = split(text, "graph")?;
        let keys: &[&str] = match family {
            "knn" => &["k", "mutual", "weights", "sigma"],
            "epsilon" => &["radius", "weights", "sigma"],
            other => return Err(Error::unknown("graph", other, ["knn", "epsilon"])),
        };
        let (mut k, mut mutual, mut radius) = (NEIGHBOURS, false, None);
        let (mut weights, mut sigma) = (EdgeWeights::Binary, None);
        let mut seen: Vec<&str> = Vec::new();
        for part in parts {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let (key, value) = (key.trim(), value.trim());
            let wrong = |expected: &str| {
                let problem = format!("found '{value}', expected {expected}");
                Err(Error::parameter(format!("graph {key}"), problem))
            };
            if !keys.contains(&key) {
                return Err(Error::unknown("graph key", key, keys.iter().copied()));
            }
            if seen.contains(&key) {
                let problem = format!("given twice in '{text}'");
                return Err(Error::parameter(format!("graph {key}"), problem));
            }
            seen.push(key);
            match key {
                "k" => match value.parse() {
                    Ok(v) => k = v,
                    Err(_) => return wrong("a whole number of at least 1"),
                },
                "mutual" => match value {
                    "yes" => mutual = true,
                    "no" => mutual = false,
                    _ => return wrong("yes or no"),
                },
                "weights" => match value {
                    "binary" => weights = EdgeWeights::Binary,
                    "gaussian" => weights = EdgeWeights::Gaussian { sigma: None },
                    _ => return wrong("binary or gaussian"),
                },
                "sigma" if value == "median" => sigma = Some(None),
                "sigma" => match value.parse() {
                    Ok(v) => sigma = Some(Some(v)),
                    Err(_) => return wrong("a number above 0, or median"),
                },
                _ => match value.parse() {
                    Ok(v) => radius = Some(v),
                    Err(_) => return wrong("a number above 0"),
                },
            }
        }
        if let Some(sigma) = sigma {
            let EdgeWeights::Gaussian { sigma: own } = &mut weights else {
                let problem = format!("'{text}': σ belongs to weights=gaussian");
                return Err(Error::parameter("graph sigma", problem));
            };
            *own = sigma;
        }
        let kind = match (family, radius) {
            ("knn", _) => GraphKind::Knn { k, mutual },
            (_, Some(radius)) => GraphKind::Epsilon { radius },
            (_, None) => {
                let problem = format!("'{text}': expected a distance, as epsilon:radius=0.5");
                return Err(Error::parameter("graph radius", problem));
            }
        };
        let spec = GraphSpec { view, kind, weights };
        spec.check()?;
        Ok(spec)
    }
}

impl fmt::Display for GraphSpec {
    /// Text that reads back as the same specification.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let family = match self.kind {
            GraphKind::Knn { .. } => "knn",
            GraphKind::Epsilon { .. } => "epsilon",
        };
        f.write_str(family)?;
        if let Some(view) = &self.view {
            write!(f, "@{}", quoted(view))?;
        }
        match self.kind {
            GraphKind::Knn { k, mutual } => {
                write!(f, ":k={k}{}", if mutual { ":mutual=yes" } else { "" })?;
            }
            GraphKind::Epsilon { radius } => write!(f, ":radius={radius}")?,
        }
        match self.weights {
            EdgeWeights::Binary => Ok(()),
            EdgeWeights::Gaussian { sigma: None } => f.write_str(":weights=gaussian"),
            EdgeWeights::Gaussian { sigma: Some(s) } => write!(f, ":weights=gaussian:sigma={s}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_reads_back_as_the_same_graph() {
        for text in [
            "knn",
            "knn:k=3",
            "knn@fou:k=10:mutual=yes",
            "knn@\"a:b\":k=10",
            "knn@fou:k=10:mutual=no:weights=gaussian",
            "knn:weights=gaussian:sigma=0.1",
            "epsilon:radius=0.5",
            "epsilon@a:radius=1e-3:weights=gaussian:sigma=median",
        ] {
            let spec: GraphSpec = text.parse().unwrap();
            assert_eq!(spec, spec.to_string().parse().unwrap(), "{text} -> {spec}");
        }
        assert_eq!("knn".parse::<GraphSpec>().unwrap(), GraphSpec::knn(10));
        let spec: GraphSpec = "knn@a:k=4:mutual=yes:weights=gaussian".parse().unwrap();
        assert_eq!(spec.kernel_name("a"), "knn@a(k=4, mutual=yes, weights=gaussian)");
    }

    #[test]
    fn refusals_say_what_was_expected() {
        for (text, want) in [
            ("kn", "unknown graph 'kn' (did you mean 'knn'?); known: knn, epsilon"),
            ("knn@:k=3", "'knn@:k=3': expected the name of a view after '@'"),
            ("knn:kk=3", "unknown graph key 'kk' (did you mean 'k'?); known: k, mutual"),
            ("knn:radius=3", "unknown graph key 'radius'"),
            ("knn:k=x", "graph k': found 'x', expected a whole number of at least 1"),
            ("knn:k", "graph k': found '', expected a whole number of at least 1"),
            ("knn:k=0", "graph k': found 0, expected at least 1"),
            ("knn:k=3:k=4", "graph k': given twice in 'knn:k=3:k=4'"),
            ("knn:mutual=true", "graph mutual': found 'true', expected yes or no"),
            ("knn:weights=rbf", "graph weights': found 'rbf', expected binary or gaussian"),
            ("knn:sigma=2", "graph sigma': 'knn:sigma=2': σ belongs to weights=gaussian"),
            ("epsilon", "graph radius': 'epsilon': expected a distance, as epsilon:radius=0.5"),
            ("epsilon:radius=-1", "graph radius': found -1, expected a finite number above 0"),
            ("epsilon:radius=inf", "graph radius': found inf, expected a finite number above 0"),
            (
                "epsilon:radius=1:weights=gaussian:sigma=0",
                "graph sigma': found 0, expected a finite number above 0",
            ),
        ] {
            let e = text.parse::<GraphSpec>().unwrap_err().to_string();
            assert!(e.contains(want), "{text}: {e}");
        }
    }
}
