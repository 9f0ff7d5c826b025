//! Errors at the edge: which of them are the user's call (exit code 2), and how they are printed.

use std::fmt;

/// A wrong call: flags or project file, not data.
#[derive(Debug)]
pub struct Misuse(pub String);

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misuse {}

/// An error that says the call is wrong.
pub fn misuse(text: impl Into<String>) -> anyhow::Error {
    Misuse(text.into()).into()
}

/// 2 for misuse, 1 for anything else.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    let wrong_call = error.chain().any(|cause| {
        cause.is::<Misuse>()
            || matches!(
                cause.downcast_ref::<cokernel::Error>(),
                Some(cokernel::Error::Parameter { .. } | cokernel::Error::Unknown { .. })
            )
    });
    if wrong_call { 2 } else { 1 }
}

/// The error and its causes in one line. Causes that are already quoted are not repeated.
pub fn one_line(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string().replace('\n', " ");
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Whether the reader of our output went away, which is no error.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn wrong_calls_exit_with_two_and_causes_are_said_once() {
        let e: anyhow::Error = cokernel::Error::unknown("method", "x", ["mean"]).into();
        assert_eq!(exit_code(&e.context("--method")), 2);
        let e = Err::<(), _>(std::io::Error::other("disk full")).context("out.csv: disk full");
        let e = e.context("writing predictions").unwrap_err();
        assert_eq!(exit_code(&e), 1);
        assert_eq!(one_line(&e), "writing predictions: out.csv: disk full");
    }
}
