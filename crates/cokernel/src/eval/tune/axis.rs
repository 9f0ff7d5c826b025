//! Values that are tried, as people write them.

use crate::params::Value;
use crate::{Error, Result};
use serde::Serialize;

/// A parameter and the values that are tried.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Axis {
    /// As [`Mkl::with`](crate::model::Mkl::with) knows it: a parameter of the method or of the machine, `width` or `method`.
    pub name: String,
    /// At least one.
    pub values: Vec<Value>,
}

impl Axis {
    /// `NAME=VALUES`: numbers and words separated by commas; `a..b` for a, 10a, 100a … up to b; `2^-3..3` for the powers
    /// from 2⁻³ to 2³.
    ///
    /// # Errors
    /// No name, no value, or a range that cannot be read.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |problem: String| Error::parameter("tune", problem);
        let Some((name, list)) = text.split_once('=').filter(|(n, _)| !n.trim().is_empty()) else {
            let expected = "expected NAME=VALUES, as c=0.01..100 or p=1,1.5,2";
            return Err(wrong(format!("{expected}, found '{text}'")));
        };
        let name = name.trim().to_string();
        let mut values: Vec<Value> = Vec::new();
        for part in list.split(',').map(str::trim) {
            let found = match part.split_once("..") {
                None if part.is_empty() => {
                    return Err(wrong(format!("{name}: there is an empty value in '{list}'")));
                }
                None => vec![Value::parse(part)],
                Some((from, to)) => {
                    let range = range(from, to);
                    range.map_err(|why| wrong(format!("{name}: '{part}': {why}")))?
                }
            };
            values.extend(found);
        }
        Ok(Axis { name, values })
    }
}

fn range(from: &str, to: &str) -> std::result::Result<Vec<Value>, String> {
    let number = |t: &str| t.trim().parse::<f64>().ok().filter(|v| v.is_finite());
    let expected = "expected a..b with 0 < a ≤ b for a, 10a, …, or 2^a..b for powers";
    if let Some((base, from)) = from.split_once('^') {
        let whole = |t: &str| t.trim().parse::<i32>().ok();
        return match (number(base), whole(from), whole(to)) {
            (Some(base), Some(from), Some(to)) if base > 0.0 && from <= to && to - from < 1000 => {
                Ok((from..=to).map(|e| Value::Real(base.powi(e))).collect())
            }
            _ => Err(expected.to_string()),
        };
    }
    let (Some(a), Some(b)) = (number(from), number(to)) else { return Err(expected.to_string()) };
    if !(a > 0.0 && a <= b) {
        return Err(expected.to_string());
    }
    // At most 632, from the least to the largest number; b / a could overflow.
    let steps = b.log10() - a.log10() + 1e-9;
    // 10⁻³ as it is written, not as 0.1 · 0.1 · 0.1.
    let value = |k: i32| {
        format!("{a:e}")
            .split_once('e')
            .and_then(|(m, e)| format!("{m}e{}", e.parse::<i32>().ok()? + k).parse().ok())
    };
    (0..=steps as i32).map(|k| value(k).map(Value::Real).ok_or(expected.to_string())).collect()
}
