//! Kernels that have to be positive semi-definite are refused where a few Lanczos steps find that they are not.
//!
//! Asked of similarities and distances that are given and of sigmoid kernels; all others are positive semi-definite as functions.
//! Cost: 30 products with each of those kernels.

use super::Problem;
use crate::run::Pass;
use crate::{Error, Result, Watch};

/// Refuses kernels with a negative eigenvalue beyond rounding.
///
/// # Errors
/// The first such kernel with its smallest eigenvalue.
pub(super) fn refuse_indefinite(problem: &Problem<'_>, title: &str, watch: &Watch) -> Result<()> {
    let bank = problem.bank;
    for (m, kernel) in bank.kernels().iter().enumerate() {
        if kernel.function.is_definite() {
            continue;
        }
        let pass = Pass::under(watch);
        let found = bank.negative_eigenvalue(m, &pass);
        if pass.is_given_up() {
            return Ok(());
        }
        if let Some(value) = found {
            return Err(Error::Data(format!(
                "kernel '{}' is not positive semi-definite (its smallest eigenvalue is {value:.2e}), so the \
                 bounds of {title} do not hold; leave it out, or add at least {:.2e} to its diagonal",
                kernel.name, -value
            )));
        }
    }
    Ok(())
}
