//! A method with another value of one of its parameters, which is what a choice among values asks for.

use super::Mkl;
use crate::method::Method;
use crate::params::{Params, Value};
use crate::{Error, Result};

impl Mkl {
    /// Multiplies the widths of all kernels that have one. Default: 1.
    #[must_use]
    pub fn width(mut self, factor: f64) -> Self {
        self.width = factor;
        self
    }

    /// Whether [`with`](Self::with) knows a parameter of this name.
    pub fn knows(&self, name: &str) -> bool {
        matches!(name, "width" | "method")
            || self.method.param(name).is_some()
            || self.machine.method().param(name).is_some()
    }

    /// The same with another value of a parameter of the method, of the machine (`c` is always that of the machine, if
    /// it has one), `width` for a factor on the widths of kernels, or `method` for another method.
    ///
    /// # Errors
    /// No such parameter, or a value outside its range.
    pub fn with(&self, name: &str, value: &Value) -> Result<Self> {
        let mut other = self.clone();
        let of_machine = self.machine.method().param(name).is_some();
        match name {
            "method" => {
                let id = value.to_string();
                other.method = Mkl::new(&id)?.method;
                other.given.retain(|(n, _)| other.method.param(n).is_some());
            }
            "width" => {
                let factor = match value {
                    Value::Real(v) => *v,
                    Value::Int(v) => *v as f64,
                    _ => f64::NAN,
                };
                if !(factor > 0.0 && factor.is_finite()) {
                    let problem = format!("expected a factor above 0, found {value}");
                    return Err(Error::parameter("width", problem));
                }
                other.width = factor;
            }
            name if of_machine && (name == "c" || self.method.param(name).is_none()) => {
                other.machine.set(name, value.clone());
                other.machine.checked()?;
            }
            name => {
                let Some(param) = self.method.param(name) else {
                    let known = self.method.params.iter().chain(self.machine.method().params);
                    let known = known.map(|p| p.name).chain(["width", "method"]);
                    return Err(Error::unknown("parameter", name, known));
                };
                let is_other = |n: &str| self.method.param(n).is_none_or(|p| p.name != param.name);
                other.given.retain(|(n, _)| is_other(n));
                other.given.push((param.name.to_string(), value.clone()));
                other.params()?;
            }
        }
        Ok(other)
    }
}

/// `method`, or `method(name=value, …)` where parameters were given.
pub(crate) fn name(method: &Method, given: &[(String, Value)]) -> String {
    if given.is_empty() {
        return method.id.to_string();
    }
    let list: Vec<String> = given.iter().map(|(k, v)| format!("{k}={v}")).collect();
    format!("{}({})", method.id, list.join(", "))
}

/// Checks parameters against the table; also refuses infinite numbers, which no file can hold.
pub(crate) fn check(method: &Method, given: &[(String, Value)]) -> Result<Params> {
    for (name, value) in given {
        if let Value::Real(v) = value
            && !v.is_finite()
        {
            let problem = format!("expected a finite number, found {v}");
            return Err(Error::parameter(name, problem));
        }
    }
    method.check(given.iter().map(|(name, value)| (name.as_str(), value)))
}
