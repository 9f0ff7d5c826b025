//! The one error type: misuse and bad input. Stopping early is not an error but a
//! [`Status`](crate::Status).

use std::collections::HashSet;
use std::path::PathBuf;

/// What went wrong, where, and what was expected instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two things that must have the same size do not.
    #[error("{what}: expected {expected}, found {found}")]
    Shape {
        /// The thing with the wrong size.
        what: String,
        /// The size it should have.
        expected: String,
        /// The size it has.
        found: String,
    },
    /// A number that is not finite, or outside the domain of what is done with it.
    #[error("{what}, row {row}, column {column}: {problem}")]
    Value {
        /// The table, usually `view 'name'`.
        what: String,
        /// 0-based row.
        row: usize,
        /// 0-based column.
        column: usize,
        /// What is wrong and what was expected.
        problem: String,
    },
    /// A parameter outside its range.
    #[error("parameter '{name}': {problem}")]
    Parameter {
        /// The name of the parameter.
        name: String,
        /// What was given and what is allowed.
        problem: String,
    },
    /// A name that is not known.
    #[error("unknown {kind} '{name}'{}; {}", suggestion(.name, .known), listed(.known))]
    Unknown {
        /// What kind of thing was looked up.
        kind: &'static str,
        /// The name that was given.
        name: String,
        /// All names that would have been accepted.
        known: Vec<String>,
    },
    /// Labels that the task cannot use (one class, missing, wrong kind).
    #[error("labels: {0}")]
    Labels(String),
    /// Instances of different tables that cannot be matched.
    #[error("{0}")]
    Match(String),
    /// Data that the method cannot use.
    #[error("{0}")]
    Data(String),
    /// A file whose content is malformed. Line and column are 1-based, 0 where not applicable.
    #[error("{}{}: {problem}", .path.display(), place(*.line, *.column))]
    Parse {
        /// The file.
        path: PathBuf,
        /// 1-based line, or 0.
        line: usize,
        /// 1-based column (field number in tables), or 0.
        column: usize,
        /// What is wrong and what was expected.
        problem: String,
    },
    /// The operating system refused.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The system has no room for what must be in memory at once.
    #[error("{what} takes {:.1} GB of memory, which is not there", *.bytes as f64 / 1e9)]
    Memory {
        /// What was to be kept.
        what: String,
        /// How many bytes were asked for.
        bytes: usize,
    },
    /// A stop was asked for before there was anything to keep; otherwise stopping is a
    /// [`Status`](crate::Status) of a result.
    #[error("{what} was stopped ({status}) before there was a result")]
    Stopped {
        /// The time limit or the user.
        status: crate::Status,
        /// What was going on.
        what: String,
    },
    /// A model file that cannot be trusted or read.
    #[error("model file {}: {problem}", .path.display())]
    Model {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

/// The result of everything that can be misused.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A parameter outside its range.
    pub fn parameter(name: impl Into<String>, problem: impl Into<String>) -> Self {
        Error::Parameter { name: name.into(), problem: problem.into() }
    }

    /// A size that does not fit.
    pub fn shape(what: impl Into<String>, expected: impl ToString, found: impl ToString) -> Self {
        Error::Shape { what: what.into(), expected: expected.to_string(), found: found.to_string() }
    }

    /// An unknown name, with the known ones.
    pub fn unknown<S: ToString>(
        kind: &'static str,
        name: impl Into<String>,
        known: impl IntoIterator<Item = S>,
    ) -> Self {
        let mut seen = HashSet::new();
        let each = known.into_iter().map(|s| s.to_string());
        let known = each.filter(|s| seen.insert(s.clone())).collect();
        Error::Unknown { kind, name: name.into(), known }
    }
}

/// What must be left beside something large, for the vectors that go with it: they are not looked at
/// one by one.
const BESIDE: usize = 32 << 20;

/// Refuses what the system has no room for: a failed allocation would end the program.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn room_for<T>(count: Option<usize>, what: impl FnOnce() -> String) -> Result<()> {
    let mut all: (Vec<T>, Vec<u8>) = (Vec::new(), Vec::new());
    let room = count.is_some_and(|c| all.0.try_reserve_exact(c).is_ok())
        && all.1.try_reserve_exact(BESIDE).is_ok();
    let bytes = count.map_or(usize::MAX, |c| c.saturating_mul(size_of::<T>()));
    if room { Ok(()) } else { Err(Error::Memory { what: what(), bytes }) }
}

/// A number as messages show it: `5`, `0.25`, `1e308`, `-2.5e-160`. Digits that say nothing are left out:
/// very large and very small numbers have an exponent.
pub fn brief(x: f64) -> String {
    let text = format!("{x:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

fn place(line: usize, column: usize) -> String {
    match (line, column) {
        (0, _) => String::new(),
        (l, 0) => format!(", line {l}"),
        (l, c) => format!(", line {l}, column {c}"),
    }
}

/// `1.5 GB`.
pub(crate) fn amount(bytes: f64) -> String {
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let (unit, name) = units.into_iter().find(|u| bytes >= u.0).unwrap_or((1.0, "bytes"));
    format!("{:.1} {name}", bytes / unit)
}

fn listed(known: &[String]) -> String {
    if known.is_empty() {
        "there are none".to_string()
    } else {
        format!("known: {}", known.join(", "))
    }
}

fn suggestion(name: &str, known: &[String]) -> String {
    match closest(name, known) {
        Some(k) => format!(" (did you mean '{k}'?)"),
        None => String::new(),
    }
}

/// The known name closest to `name` in edit distance, if it is close enough to be a likely typo; else one that begins with
/// it or with which it begins, of three letters or more.
pub fn closest<'a>(name: &str, known: &'a [String]) -> Option<&'a str> {
    let own = name.to_lowercase();
    let near = known
        .iter()
        .map(|k| (edit_distance(&own, &k.to_lowercase()), k))
        .filter(|(d, k)| *d <= 1 + k.len().min(name.len()) / 3)
        .min_by_key(|(d, _)| *d)
        .map(|(_, k)| k);
    let begins = |a: &str, b: &str| b.len() >= 3 && a.starts_with(b);
    let longer = || {
        let k = |k: &&String| begins(&k.to_lowercase(), &own) || begins(&own, &k.to_lowercase());
        known.iter().find(k)
    };
    near.or_else(longer).map(String::as_str)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut current = vec![i + 1];
        for (j, cb) in b.iter().enumerate() {
            let change = previous[j] + usize::from(ca != *cb);
            current.push(change.min(previous[j + 1] + 1).min(current[j] + 1));
        }
        previous = current;
    }
    previous[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1e308 once took 309 digits, and 1e-160 as many zeros.
    #[test]
    fn numbers_are_brief() {
        let texts = [5.0, -0.25, 1e308, -2.5e-160, 1e-5, 1234567.0, 0.0, f64::NAN].map(brief);
        assert_eq!(texts, ["5", "-0.25", "1e308", "-2.5e-160", "1e-5", "1234567", "0", "NaN"]);
    }

    #[test]
    fn unknown_names_get_a_suggestion() {
        let e = Error::unknown("method", "simple_mlk", ["mean", "simple_mkl"]);
        assert_eq!(
            e.to_string(),
            "unknown method 'simple_mlk' (did you mean 'simple_mkl'?); known: mean, simple_mkl"
        );
        let known = ["lambda".to_string(), "data".to_string()];
        assert_eq!(closest("Lam", &known), Some("lambda"));
        assert_eq!(closest("dataset", &known), Some("data"));
        let e = Error::unknown("method", "zzzzzz", ["mean"]);
        assert_eq!(e.to_string(), "unknown method 'zzzzzz'; known: mean");
    }
}
