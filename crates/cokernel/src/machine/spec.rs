//! A machine of the registry with parameters, as it is named in texts, models and results.

use super::{Machine, REGISTRY, Svc};
use crate::method::{Entry, Method};
use crate::params::{Params, Range, Value};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The machine that is meant where none is named.
const DEFAULT: &str = "svc";

/// A machine by its id, and the parameters that were given; they are checked when it is built.
///
/// As text `id:name=value:name=value`, such as `svc:c=10:decomposition=one_vs_one`.
///
/// ```
/// use cokernel::machine::MachineSpec;
/// let spec: MachineSpec = "svc:c=10".parse()?;
/// assert_eq!(spec.method().title, "C-SVC");
/// assert_eq!(spec.checked()?.params().real("c"), 10.0);
/// # Ok::<(), cokernel::Error>(())
/// ```
#[derive(Clone)]
pub struct MachineSpec {
    entry: &'static Entry<dyn Machine>,
    given: Vec<(String, Value)>,
}

/// A machine with all its parameters, checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckedMachine {
    id: String,
    params: Params,
}

impl CheckedMachine {
    /// All parameters but those with these names.
    pub fn without(&self, names: &[&str]) -> Self {
        CheckedMachine { id: self.id.clone(), params: self.params.without(names) }
    }
}

fn find(id: &str) -> Result<&'static Entry<dyn Machine>> {
    let found = REGISTRY.iter().copied().find(|e| e.id == id);
    found.ok_or_else(|| Error::unknown("machine", id, REGISTRY.iter().map(|e| e.id)))
}

impl Default for MachineSpec {
    fn default() -> Self {
        let entry = REGISTRY.iter().copied().find(|e| e.id == DEFAULT).unwrap_or(REGISTRY[0]);
        MachineSpec { entry, given: Vec::new() }
    }
}

impl MachineSpec {
    /// The machine with this id.
    ///
    /// # Errors
    /// No such machine; the closest is suggested.
    pub fn new(id: &str) -> Result<Self> {
        Ok(MachineSpec { entry: find(id)?, given: Vec::new() })
    }

    /// Sets a parameter; it is checked when the machine is built.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        let name = name.into();
        let same = |other: &str| match (self.entry.param(other), self.entry.param(&name)) {
            (Some(a), Some(b)) => a.name == b.name,
            _ => other == name,
        };
        self.given.retain(|(other, _)| !same(other));
        self.given.push((name, value.into()));
    }

    /// Whether this parameter was given.
    pub fn is_given(&self, name: &str) -> bool {
        self.given.iter().any(|(other, _)| other == name)
    }

    /// A parameter that stands behind a comma in the value of another, where that has no names of its own.
    fn after_comma<'a>(&self, name: &str, value: &'a str) -> Option<&'a str> {
        if self.entry.param(name).is_some_and(|p| matches!(p.range, Range::Factors { .. })) {
            return None;
        }
        let mut names = value.split(',').skip(1).filter_map(|v| Some(v.split_once('=')?.0.trim()));
        names.find(|n| self.entry.param(n).is_some())
    }

    /// Adds a number by name to a parameter that has such numbers.
    pub fn add_factor(&mut self, parameter: &str, name: String, factor: f64) {
        let known = self.given.iter().find(|(other, _)| other == parameter);
        let mut factors = match known {
            Some((_, Value::Factors(factors))) => factors.clone(),
            _ => Default::default(),
        };
        factors.insert(name, factor);
        self.set(parameter, Value::Factors(factors));
    }

    /// What the registry tells.
    pub fn method(&self) -> &'static Method {
        self.entry.method
    }

    /// With all its parameters.
    ///
    /// # Errors
    /// An unknown name (with a suggestion) or a value outside its range.
    pub fn checked(&self) -> Result<CheckedMachine> {
        let given = self.given.iter().map(|(name, value)| (name.as_str(), value));
        Ok(CheckedMachine { id: self.entry.id.to_string(), params: self.entry.check(given)? })
    }
}

impl PartialEq for MachineSpec {
    fn eq(&self, other: &Self) -> bool {
        self.entry.id == other.entry.id && self.given == other.given
    }
}

impl From<&Svc> for MachineSpec {
    fn from(svc: &Svc) -> Self {
        MachineSpec { given: svc.given(), ..MachineSpec::default() }
    }
}

impl FromStr for MachineSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut parts = text.split(':');
        let mut spec = MachineSpec::new(parts.next().unwrap_or_default().trim())?;
        for part in parts {
            let Some((name, value)) = part.split_once('=') else {
                let problem = format!("expected name=value after ':', found '{part}' in '{text}'");
                return Err(Error::parameter("machine", problem));
            };
            let name = name.trim();
            if spec.is_given(name) {
                let problem = format!("'{name}' is given twice in '{text}'");
                return Err(Error::parameter("machine", problem));
            }
            if let Some(next) = spec.after_comma(name, value) {
                let problem = format!("write ':{next}=' in place of ',{next}=' in '{text}'");
                return Err(Error::parameter("machine", problem));
            }
            spec.set(name, Value::parse(value));
        }
        spec.checked()?;
        Ok(spec)
    }
}

impl fmt::Debug for MachineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given: Vec<String> = self.given.iter().map(|(k, v)| format!(":{k}={v}")).collect();
        write!(f, "{}{}", self.entry.id, given.concat())
    }
}

impl Default for CheckedMachine {
    /// The machine that is meant where none is named, its parameters at their defaults.
    fn default() -> Self {
        let entry = MachineSpec::default().entry;
        CheckedMachine { id: entry.id.to_string(), params: entry.defaults() }
    }
}

impl CheckedMachine {
    /// Its registry id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// All its parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// What the registry tells.
    ///
    /// # Errors
    /// No such machine.
    pub fn method(&self) -> Result<&'static Method> {
        find(&self.id).map(|e| e.method)
    }

    /// The machine itself.
    ///
    /// # Errors
    /// No such machine, or parameters that are not its own (as a file can name them).
    pub fn build(&self) -> Result<Box<dyn Machine>> {
        let entry = find(&self.id)?;
        let params = entry.check(self.params.iter())?;
        Ok((entry.build)(&params))
    }

    /// Title and parameters in words: the first, and those that are not at their default.
    pub fn told(&self) -> String {
        let Ok(method) = self.method() else { return self.id.clone() };
        let mut text = method.title.to_string();
        for (k, param) in method.params.iter().enumerate() {
            let value = self.params.iter().find(|(name, _)| *name == param.name).map(|p| p.1);
            if let Some(value) = value.filter(|v| k == 0 || **v != param.default()) {
                text.push_str(&format!(", {} = {value}", param.name));
            }
        }
        text
    }
}
