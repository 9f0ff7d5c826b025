//! The registry form shared by [`mkl`](crate::mkl) and [`multiview`](crate::multiview): what a
//! method is called, where it comes from, which parameters it has, and how it is built. The
//! command line, the README table, the documentation and the contract tests are made from it.

use crate::mkl::Learner;
use crate::multiview::Embedder;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What a method can be asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Binary and multi-class classification.
    Classify,
    /// Clustering and embedding without labels.
    Cluster,
}

/// The set from which a method's kernel weights come; contract tests check it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WeightSet {
    /// η ≥ 0, Σ η = 1.
    Simplex,
    /// η ≥ 0.
    NonNegative,
    /// One kernel has weight 1, the others 0.
    One,
    /// The rule is not a weighted sum of the given kernels.
    None,
}

/// A parameter value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A real number.
    Real(f64),
    /// A word.
    Text(String),
    /// Several real numbers.
    Reals(Vec<f64>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(v) => write!(f, "{v}"),
            Value::Real(v) => write!(f, "{v}"),
            Value::Text(v) => f.write_str(v),
            Value::Reals(v) => {
                let parts: Vec<String> = v.iter().map(f64::to_string).collect();
                f.write_str(&parts.join(","))
            }
        }
    }
}

impl From<i64> for Value {
    fn from(v: i64) -> Self {
        Value::Int(v)
    }
}

impl From<i32> for Value {
    fn from(v: i32) -> Self {
        Value::Int(v.into())
    }
}

impl From<f64> for Value {
    fn from(v: f64) -> Self {
        Value::Real(v)
    }
}

impl From<Vec<f64>> for Value {
    fn from(v: Vec<f64>) -> Self {
        Value::Reals(v)
    }
}

impl From<&str> for Value {
    fn from(v: &str) -> Self {
        Value::Text(v.to_string())
    }
}

impl From<String> for Value {
    fn from(v: String) -> Self {
        Value::Text(v)
    }
}

/// The values that a parameter may take, with its default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// A whole number in `min..=max`.
    Int {
        /// Default.
        default: i64,
        /// Smallest allowed.
        min: i64,
        /// Largest allowed.
        max: i64,
    },
    /// A real number with `min < v` (or `min <= v` if `closed`) and `v <= max`.
    Real {
        /// Default.
        default: f64,
        /// Lower end.
        min: f64,
        /// Upper end, included.
        max: f64,
        /// Whether the lower end is allowed.
        closed: bool,
    },
    /// One real number in `min..=max`, or several: one for each of what the documentation says.
    Reals {
        /// Default.
        default: f64,
        /// Lower end, included.
        min: f64,
        /// Upper end, included.
        max: f64,
    },
    /// One of a list of words.
    Choice {
        /// Default.
        default: &'static str,
        /// All allowed words.
        of: &'static [&'static str],
    },
    /// A word that only the data can check, such as the name of a view.
    Text {
        /// Default.
        default: &'static str,
        /// What is expected, in words.
        expected: &'static str,
    },
}

/// One parameter of a method: documentation, default and range at one place.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// snake_case name, the same everywhere.
    pub name: &'static str,
    /// One sentence, with the equation it appears in where there is one.
    pub doc: &'static str,
    /// Default and range.
    pub range: Range,
}

impl Param {
    /// The default as a value.
    pub fn default(&self) -> Value {
        match self.range {
            Range::Int { default, .. } => Value::Int(default),
            Range::Real { default, .. } => Value::Real(default),
            Range::Reals { default, .. } => Value::Reals(vec![default]),
            Range::Choice { default, .. } | Range::Text { default, .. } => {
                Value::Text(default.to_string())
            }
        }
    }

    /// The range in words.
    pub fn range_text(&self) -> String {
        match self.range {
            Range::Int { min, max: i64::MAX, .. } => format!("whole number, at least {min}"),
            Range::Int { min, max, .. } => format!("whole number from {min} to {max}"),
            Range::Real { min, max, closed, .. } => {
                let low = if closed { "at least" } else { "greater than" };
                match (min == f64::NEG_INFINITY, max == f64::INFINITY) {
                    (true, true) => "a real number".to_string(),
                    (true, false) => format!("a real number, at most {max}"),
                    (false, true) => format!("a real number {low} {min}"),
                    (false, false) => format!("a real number {low} {min} and at most {max}"),
                }
            }
            Range::Reals { min, max, .. } => {
                format!("one or several real numbers from {min} to {max}, separated by commas")
            }
            Range::Choice { of, .. } => format!("one of {}", of.join(", ")),
            Range::Text { expected, .. } => expected.to_string(),
        }
    }

    fn check(&self, value: &Value) -> Result<Value> {
        let wrong = || {
            Error::parameter(self.name, format!("expected {}, found '{value}'", self.range_text()))
        };
        match (self.range, value) {
            (Range::Int { min, max, .. }, Value::Int(v)) if (min..=max).contains(v) => {
                Ok(Value::Int(*v))
            }
            // 5.0 is a whole number; beyond 2⁵³ not every one of them is a real number.
            (Range::Int { .. }, Value::Real(v)) if v.fract() == 0.0 && v.abs() < 2_f64.powi(53) => {
                self.check(&Value::Int(*v as i64))
            }
            (Range::Real { min, max, closed, .. }, Value::Int(_) | Value::Real(_)) => {
                let v = match value {
                    Value::Int(v) => *v as f64,
                    Value::Real(v) => *v,
                    _ => return Err(wrong()),
                };
                let low = if closed { v >= min } else { v > min };
                if low && v <= max && !v.is_nan() { Ok(Value::Real(v)) } else { Err(wrong()) }
            }
            (Range::Reals { min, max, .. }, value) => {
                let all = match value {
                    Value::Int(v) => vec![*v as f64],
                    Value::Real(v) => vec![*v],
                    Value::Reals(v) => v.clone(),
                    Value::Text(v) => v
                        .split(',')
                        .map(|p| p.trim().parse().map_err(|_| wrong()))
                        .collect::<Result<_>>()?,
                };
                let inside = all.iter().all(|v| (min..=max).contains(v));
                if inside && !all.is_empty() { Ok(Value::Reals(all)) } else { Err(wrong()) }
            }
            (Range::Text { .. }, value) => match value.to_string() {
                text if text.is_empty() => Err(wrong()),
                text => Ok(Value::Text(text)),
            },
            (Range::Choice { of, .. }, Value::Text(v)) => {
                if of.contains(&v.as_str()) {
                    Ok(value.clone())
                } else {
                    Err(Error::unknown("value", format!("{}={v}", self.name), of))
                }
            }
            _ => Err(wrong()),
        }
    }
}

/// Names of parameters in earlier versions, with those of today. They are understood wherever a
/// parameter is named: by [`Method::check`], and in saved models.
const FORMER: [(&str, &str); 2] =
    [("max_iter", "max_iterations"), ("iterations", "max_iterations")];

/// The name that a parameter has today.
fn current_name(name: &str) -> &str {
    FORMER.iter().find(|(former, _)| *former == name).map_or(name, |(_, name)| name)
}

/// The checked parameters of one method: every declared name has a value.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, Value>", into = "BTreeMap<String, Value>")]
pub struct Params(BTreeMap<String, Value>);

impl From<BTreeMap<String, Value>> for Params {
    fn from(all: BTreeMap<String, Value>) -> Self {
        Params(all.into_iter().map(|(k, v)| (current_name(&k).to_string(), v)).collect())
    }
}

impl From<Params> for BTreeMap<String, Value> {
    fn from(params: Params) -> Self {
        params.0
    }
}

impl Params {
    /// A whole number. Declared parameters always have a checked value.
    pub fn int(&self, name: &str) -> i64 {
        match self.0.get(name) {
            Some(Value::Int(v)) => *v,
            other => unreachable!("parameter {name} is not a declared whole number: {other:?}"),
        }
    }

    /// A count.
    pub fn count(&self, name: &str) -> usize {
        usize::try_from(self.int(name)).unwrap_or(0)
    }

    /// A real number.
    pub fn real(&self, name: &str) -> f64 {
        match self.0.get(name) {
            Some(Value::Real(v)) => *v,
            other => unreachable!("parameter {name} is not a declared real number: {other:?}"),
        }
    }

    /// One or several real numbers.
    pub fn reals(&self, name: &str) -> &[f64] {
        match self.0.get(name) {
            Some(Value::Reals(v)) => v,
            other => unreachable!("parameter {name} is not declared as real numbers: {other:?}"),
        }
    }

    /// A word.
    pub fn text(&self, name: &str) -> &str {
        match self.0.get(name) {
            Some(Value::Text(v)) => v,
            other => unreachable!("parameter {name} is not a declared word: {other:?}"),
        }
    }

    /// All names and values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(k, v)| (k.as_str(), v))
    }
}

/// How a method is built from checked parameters.
#[derive(Clone, Copy)]
pub enum Build {
    /// A method that learns a combination of kernels for a kernel machine.
    Learner(fn(&Params) -> Box<dyn Learner>),
    /// A method that embeds, for clustering and for pictures.
    Embedder(fn(&Params) -> Box<dyn Embedder>),
}

/// A registry entry.
#[derive(Clone, Copy)]
pub struct Method {
    /// snake_case: file name, command-line value, Python name.
    pub id: &'static str,
    /// A few words.
    pub title: &'static str,
    /// Papers by author and year, with section and equation.
    pub source: &'static str,
    /// One paragraph: when to use it and what it costs.
    pub summary: &'static str,
    /// What it can be asked to do.
    pub tasks: &'static [Task],
    /// Whether it is a control: a simple method that every comparison should show.
    pub control: bool,
    /// Whether comparisons that name no method show it: the methods to try first for its task.
    pub recommended: bool,
    /// From which set its weights come.
    pub weights: WeightSet,
    /// Its parameters.
    pub params: &'static [Param],
    /// How to build it.
    pub build: Build,
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Method({})", self.id)
    }
}

impl Method {
    /// The parameter with this name, or with this name of an earlier version.
    pub fn param(&self, name: &str) -> Option<&'static Param> {
        let name = current_name(name);
        self.params.iter().find(|p| p.name == name)
    }

    /// Checks given values against the table and fills in the defaults.
    ///
    /// # Errors
    /// An unknown name (with a suggestion) or a value outside its range.
    pub fn check<'a>(
        &self,
        given: impl IntoIterator<Item = (&'a str, &'a Value)>,
    ) -> Result<Params> {
        let mut all: BTreeMap<String, Value> =
            self.params.iter().map(|p| (p.name.to_string(), p.default())).collect();
        for (name, value) in given {
            let Some(param) = self.param(name) else {
                return Err(Error::unknown("parameter", name, self.params.iter().map(|p| p.name)));
            };
            all.insert(param.name.to_string(), param.check(value)?);
        }
        Ok(Params(all))
    }

    /// All parameters at their defaults.
    pub fn defaults(&self) -> Params {
        Params(self.params.iter().map(|p| (p.name.to_string(), p.default())).collect())
    }

    /// Builds a learner.
    ///
    /// # Errors
    /// The method does not classify.
    pub fn learner(&self, params: &Params) -> Result<Box<dyn Learner>> {
        match self.build {
            Build::Learner(build) => Ok(build(params)),
            Build::Embedder(_) => Err(Error::Data(format!(
                "method '{}' clusters; it does not learn from labels",
                self.id
            ))),
        }
    }

    /// Builds an embedder.
    ///
    /// # Errors
    /// The method does not cluster.
    pub fn embedder(&self, params: &Params) -> Result<Box<dyn Embedder>> {
        match self.build {
            Build::Embedder(build) => Ok(build(params)),
            Build::Learner(_) => Err(Error::Data(format!(
                "method '{}' learns from labels; it does not cluster",
                self.id
            ))),
        }
    }
}

/// All methods, in the order in which they are listed to users.
pub fn methods() -> impl Iterator<Item = &'static Method> {
    crate::mkl::REGISTRY.iter().chain(crate::multiview::REGISTRY).copied()
}

/// What a comparison shows that names no method: the controls and the recommended methods of a
/// task.
pub fn recommended(task: Task) -> impl Iterator<Item = &'static Method> {
    methods().filter(move |m| m.tasks.contains(&task) && (m.control || m.recommended))
}

/// The method with this id.
///
/// # Errors
/// No such method; the error lists all and suggests the closest.
pub fn find(id: &str) -> Result<&'static Method> {
    methods()
        .find(|m| m.id == id)
        .ok_or_else(|| Error::unknown("method", id, methods().map(|m| m.id)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn former_names_are_understood() {
        for (id, former) in [("co_trained", "iterations"), ("co_regularized", "max_iter")] {
            let method = find(id).unwrap();
            let given = method.check([(former, &Value::Int(7))]).unwrap();
            assert_eq!(given.count("max_iterations"), 7);
            assert_eq!(method.param(former).unwrap().name, "max_iterations");
            let text = serde_json::to_string(&given).unwrap();
            assert!(text.contains("\"max_iterations\":7"), "{text}");
            let old = text.replace("max_iterations", former);
            assert_eq!(serde_json::from_str::<Params>(&old).unwrap(), given);
            let e = method.check([(former, &Value::Int(-1))]).unwrap_err().to_string();
            assert!(e.starts_with("parameter 'max_iterations'"), "{e}");
        }
    }
}
