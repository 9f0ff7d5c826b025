//! Values of R and of the library.

use cokernel::data::Matrix;
use cokernel::method::Method;
use cokernel::params::{Range, Value};
use extendr_api::prelude::*;
use extendr_api::{Error, Result};
use serde_json::Value as Json;

/// An error of the library as R knows it: its sentence.
pub fn to_r(error: cokernel::Error) -> Error {
    Error::Other(error.to_string())
}

/// The entry of a list, which may be NULL.
pub fn entry(list: &List, name: &str) -> Option<Robj> {
    list.iter().find(|(n, _)| *n == name).map(|(_, v)| v).filter(|v| !v.is_null())
}

/// An entry that is one text.
pub fn text(list: &List, name: &str) -> Result<String> {
    let found = entry(list, name).and_then(|v| v.as_str().map(str::to_string));
    found.ok_or_else(|| Error::Other(format!("{name}: expected a text")))
}

/// An entry that is several texts.
pub fn texts(list: &List, name: &str) -> Result<Option<Vec<String>>> {
    let Some(found) = entry(list, name) else { return Ok(None) };
    match found.as_string_vector() {
        Some(texts) => Ok(Some(texts)),
        None => Err(Error::Other(format!("{name}: expected texts"))),
    }
}

/// An entry that is one number.
pub fn number(list: &List, name: &str) -> Result<Option<f64>> {
    let Some(found) = entry(list, name) else { return Ok(None) };
    match reals(&found).as_deref() {
        Some([one]) => Ok(Some(*one)),
        _ => Err(Error::Other(format!("{name}: expected a number"))),
    }
}

/// Numbers, whole or not.
pub fn reals(value: &Robj) -> Option<Vec<f64>> {
    if let Some(slice) = value.as_real_slice() {
        return Some(slice.to_vec());
    }
    let whole = value.as_integer_slice()?;
    // The smallest one stands for NA.
    Some(whole.iter().map(|v| if *v == i32::MIN { f64::NAN } else { f64::from(*v) }).collect())
}

/// The parameters of a method or machine from a named list.
pub fn params(list: &List, name: &str, method: &Method) -> Result<Vec<(String, Value)>> {
    let Some(found) = entry(list, name) else { return Ok(Vec::new()) };
    let given = found.as_list().ok_or_else(|| Error::Other(format!("{name}: expected a list")))?;
    given
        .iter()
        .map(|(param, value)| Ok((param.to_string(), value_of(method, param, &value)?)))
        .collect()
}

/// The value of one parameter, as its range has it.
fn value_of(method: &Method, name: &str, value: &Robj) -> Result<Value> {
    let range = method.param(name).map(|p| p.range);
    if let Some(word) = value.as_bool() {
        return Ok(Value::Text(if word { "yes" } else { "no" }.to_string()));
    }
    if let Some(word) = value.as_str() {
        return Ok(Value::Text(word.to_string()));
    }
    let Some(numbers) = reals(value) else {
        return Err(Error::Other(format!("{name}: expected a number or a text")));
    };
    let names = value.names().map(|n| n.map(str::to_string).collect::<Vec<_>>());
    Ok(match (names, numbers.as_slice()) {
        (Some(names), _) => Value::Factors(names.into_iter().zip(numbers).collect()),
        (None, [one]) if whole(*one) && matches!(range, Some(Range::Int { .. })) => {
            Value::Int(*one as i64)
        }
        (None, [one]) => Value::Real(*one),
        (None, _) => Value::Reals(numbers),
    })
}

fn whole(x: f64) -> bool {
    x.fract() == 0.0 && x.abs() < 9e15
}

/// A matrix of R.
pub fn matrix(m: &Matrix) -> Robj {
    RMatrix::new_matrix(m.rows(), m.cols(), |i, j| m.get(i, j)).into()
}

/// A matrix of the library, from the columns of R.
pub fn from_columns(values: &Robj, what: &str) -> Result<Matrix> {
    let dim: Option<Vec<usize>> = values
        .dim()
        .map(|d| d.iter().map(|v| Option::<i32>::from(v).unwrap_or(0).max(0) as usize).collect());
    let numbers = values.as_real_slice();
    match (dim.as_deref(), numbers) {
        (Some([rows, cols]), Some(numbers)) => {
            Ok(Matrix::from_fn(*rows, *cols, |i, j| numbers[j * rows + i]))
        }
        _ => Err(Error::Other(format!("{what}: expected a matrix of numbers"))),
    }
}

/// A value, or NULL.
pub fn perhaps<T: Into<Robj>>(value: Option<T>) -> Robj {
    value.map_or_else(|| ().into(), Into::into)
}

/// What the library tells as lists of R: numbers and texts as vectors, what is not known as NA.
pub fn told<T: serde::Serialize>(value: &T) -> Result<Robj> {
    let json = serde_json::to_value(cokernel::json::Marked(value));
    json.map(|json| of_json(&json)).map_err(|e| Error::Other(e.to_string()))
}

fn of_json(json: &Json) -> Robj {
    match json {
        Json::Null => ().into(),
        Json::Bool(v) => (*v).into(),
        Json::Number(v) => v.as_f64().unwrap_or(f64::NAN).into(),
        Json::String(v) => scalar(v),
        Json::Object(entries) => {
            let pairs = entries.iter().map(|(name, value)| (name.as_str(), of_json(value)));
            List::from_pairs(pairs.collect::<Vec<_>>()).into()
        }
        Json::Array(all) => {
            let numbers: Option<Vec<f64>> = all.iter().map(real).collect();
            if let Some(numbers) = numbers.filter(|n| !n.is_empty()) {
                return numbers.into();
            }
            let texts: Option<Vec<&str>> = all.iter().map(Json::as_str).collect();
            match texts.filter(|t| !t.is_empty()) {
                Some(texts) => texts.into(),
                None => List::from_values(all.iter().map(of_json)).into(),
            }
        }
    }
}

/// A number, also one that JSON has no digits for (after a zero byte).
fn real(json: &Json) -> Option<f64> {
    match json {
        Json::Null => Some(f64::NAN),
        Json::Number(v) => v.as_f64(),
        Json::String(word) => word.strip_prefix('\0').and_then(infinite),
        _ => None,
    }
}

fn infinite(word: &str) -> Option<f64> {
    match word.to_ascii_lowercase().as_str() {
        "nan" => Some(f64::NAN),
        "inf" | "infinity" => Some(f64::INFINITY),
        "-inf" | "-infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

fn scalar(word: &str) -> Robj {
    word.strip_prefix('\0').and_then(infinite).map_or_else(|| word.into(), Into::into)
}
