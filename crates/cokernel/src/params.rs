//! Parameters as every registry declares them: name, documentation, default and range at one place,
//! and the checked values of one thing that was built from such a table. Knows no room.

use crate::{Error, Result, brief};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A parameter value.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    /// Real numbers by name.
    Factors(BTreeMap<String, f64>),
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Value;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, a word, a list of numbers or numbers by name")
            }
            fn visit_i64<E>(self, v: i64) -> std::result::Result<Value, E> {
                Ok(Value::Int(v))
            }
            fn visit_u64<E>(self, v: u64) -> std::result::Result<Value, E> {
                Ok(i64::try_from(v).map_or(Value::Real(v as f64), Value::Int))
            }
            fn visit_f64<E>(self, v: f64) -> std::result::Result<Value, E> {
                Ok(Value::Real(v))
            }
            fn visit_str<E>(self, v: &str) -> std::result::Result<Value, E> {
                Ok(Value::Text(v.to_string()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, all: A) -> std::result::Result<Value, A::Error> {
                Deserialize::deserialize(SeqAccessDeserializer::new(all)).map(Value::Reals)
            }
            fn visit_map<A: MapAccess<'de>>(self, all: A) -> std::result::Result<Value, A::Error> {
                Deserialize::deserialize(MapAccessDeserializer::new(all)).map(Value::Factors)
            }
        }
        from.deserialize_any(Any)
    }
}

impl Value {
    /// The value that a text says: a whole number, a real number, else a word.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let whole = text.parse().map(Value::Int);
        let real = || text.parse().map(Value::Real);
        whole.or_else(|_| real()).unwrap_or_else(|_| Value::Text(text.to_string()))
    }
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
            Value::Factors(v) => {
                let parts: Vec<String> = v.iter().map(|(k, v)| format!("{k}={v}")).collect();
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
    /// Real numbers in `min < v <= max` by name, or one of a list of words for them all.
    Factors {
        /// Default: one of the words.
        default: &'static str,
        /// All allowed words.
        of: &'static [&'static str],
        /// Lower end, not allowed.
        min: f64,
        /// Upper end, included.
        max: f64,
    },
}

/// One parameter: documentation, default and range at one place.
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
    /// The parameter of a table with this name, or with this name of an earlier version.
    pub fn find<'a>(table: &'a [Param], name: &str) -> Option<&'a Param> {
        let name = current_name(name);
        table.iter().find(|p| p.name == name)
    }

    /// The default as a value.
    pub fn default(&self) -> Value {
        match self.range {
            Range::Int { default, .. } => Value::Int(default),
            Range::Real { default, .. } => Value::Real(default),
            Range::Reals { default, .. } => Value::Reals(vec![default]),
            Range::Choice { default, .. }
            | Range::Text { default, .. }
            | Range::Factors { default, .. } => Value::Text(default.to_string()),
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
                    (false, false) if max == f64::MAX => format!("a finite number {low} {min}"),
                    (true, true) => "a real number".to_string(),
                    (true, false) => format!("a real number, at most {}", brief(max)),
                    (false, true) => format!("a real number {low} {min}"),
                    (false, false) => {
                        format!("a real number {low} {} and at most {}", brief(min), brief(max))
                    }
                }
            }
            Range::Reals { min, max, .. } => {
                format!(
                    "one or several real numbers from {} to {}, separated by commas",
                    brief(min),
                    brief(max)
                )
            }
            Range::Choice { of, .. } => format!("one of {}", of.join(", ")),
            Range::Text { expected, .. } => expected.to_string(),
            Range::Factors { of, min, max, .. } => {
                let factors = match max == f64::MAX {
                    true => format!("finite numbers greater than {min}"),
                    false => {
                        format!("numbers greater than {} and at most {}", brief(min), brief(max))
                    }
                };
                format!("{}, or {factors} by name (NAME=NUMBER,…)", of.join(", "))
            }
        }
    }

    fn check(&self, value: &Value) -> Result<Value> {
        let wrong = || {
            let found = match value {
                Value::Real(v) => brief(*v),
                Value::Reals(v) => v.iter().map(|v| brief(*v)).collect::<Vec<_>>().join(","),
                other => other.to_string(),
            };
            Error::parameter(self.name, format!("expected {}, found '{found}'", self.range_text()))
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
                    Value::Factors(_) => return Err(wrong()),
                };
                let inside = all.iter().all(|v| (min..=max).contains(v));
                if inside && !all.is_empty() { Ok(Value::Reals(all)) } else { Err(wrong()) }
            }
            (Range::Text { .. }, value) => match value.to_string() {
                text if text.is_empty() => Err(wrong()),
                text => Ok(Value::Text(text)),
            },
            (Range::Factors { of, .. }, Value::Text(v)) if of.contains(&v.as_str()) => {
                Ok(value.clone())
            }
            (Range::Factors { .. }, Value::Text(v)) => {
                let factor = |part: &str| {
                    let (name, factor) = part.rsplit_once('=')?;
                    Some((name.trim().to_string(), factor.trim().parse().ok()?))
                };
                let all = v.split(',').map(factor).collect::<Option<Vec<(String, f64)>>>();
                let mut factors = BTreeMap::new();
                for (name, factor) in all.ok_or_else(wrong)? {
                    if let Some(other) = factors.insert(name.clone(), factor) {
                        let (other, factor) = (brief(other), brief(factor));
                        let problem = format!("'{name}' is given twice: {other} and {factor}");
                        return Err(Error::parameter(self.name, problem));
                    }
                }
                self.check(&Value::Factors(factors))
            }
            (Range::Factors { min, max, .. }, Value::Factors(all)) => {
                match all.iter().find(|(_, v)| !(**v > min && **v <= max)) {
                    None => Ok(value.clone()),
                    Some((name, v)) => {
                        let expected = self.range_text();
                        let problem =
                            format!("expected {expected}, found {} for '{name}'", brief(*v));
                        Err(Error::parameter(self.name, problem))
                    }
                }
            }
            (Range::Choice { .. }, Value::Int(v)) => self.check(&Value::Text(v.to_string())),
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
/// parameter is named: by [`Params::checked`], and in saved models.
const FORMER: [(&str, &str); 2] =
    [("max_iter", "max_iterations"), ("iterations", "max_iterations")];

/// The name that a parameter has today.
fn current_name(name: &str) -> &str {
    FORMER.iter().find(|(former, _)| *former == name).map_or(name, |(_, name)| name)
}

/// Checked parameters: every name that the table declares has a value.
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
    /// Checks given values against a table and fills in the defaults.
    ///
    /// # Errors
    /// An unknown name (with a suggestion) or a value outside its range.
    pub fn checked<'a>(
        table: &[Param],
        given: impl IntoIterator<Item = (&'a str, &'a Value)>,
    ) -> Result<Self> {
        let mut all = Params::defaults(table);
        for (name, value) in given {
            let Some(param) = Param::find(table, name) else {
                return Err(Error::unknown("parameter", name, table.iter().map(|p| p.name)));
            };
            all.0.insert(param.name.to_string(), param.check(value)?);
        }
        Ok(all)
    }

    /// All parameters of a table at their defaults.
    pub fn defaults(table: &[Param]) -> Self {
        Params(table.iter().map(|p| (p.name.to_string(), p.default())).collect())
    }

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

    /// Real numbers by name, or the word that stands for them.
    pub fn factors(&self, name: &str) -> std::result::Result<&BTreeMap<String, f64>, &str> {
        match self.0.get(name) {
            Some(Value::Factors(v)) => Ok(v),
            Some(Value::Text(v)) => Err(v),
            other => unreachable!("parameter {name} is not declared as factors: {other:?}"),
        }
    }

    /// All but those with these names.
    pub fn without(&self, names: &[&str]) -> Self {
        let named = |own: &str| names.iter().any(|n| current_name(n) == own);
        let rest = self.0.iter().filter(|(own, _)| !named(own));
        Params(rest.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    /// All names and values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(k, v)| (k.as_str(), v))
    }
}
