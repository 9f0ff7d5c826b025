//! Kernels that have to be positive semi-definite are refused where a few Lanczos steps find that they are not.
//!
//! Asked of similarities and distances that are given and of sigmoid kernels; all others are positive semi-definite as functions.
//! Cost: 30 products with each of those kernels. Where a certificate rests on ⟨K_m, K_h⟩ ≥ 0 alone, which is looked at
//! anyway, 64 instances are asked: all take eight times as long as the weights (1,000 instances, 20 kernels).

use super::Problem;
use crate::run::Pass;
use crate::{Error, Result, Watch};

/// Refuses kernels with a negative eigenvalue beyond rounding.
///
/// # Errors
/// The first such kernel with its smallest eigenvalue.
pub(super) fn refuse_indefinite(problem: &Problem<'_>, title: &str, watch: &Watch) -> Result<()> {
    let pass = Pass::under(watch);
    let find =
        |m: usize| problem.bank.negative_eigenvalue(m, &pass).filter(|_| !pass.is_given_up());
    refuse(problem, "is", &format!("so the bounds of {title} do not hold"), find)
}

/// [`refuse_indefinite`] for certificates that rest on inner products, by some of the instances.
///
/// # Errors
/// The first kernel that has a negative eigenvalue on them.
pub(super) fn refuse_clearly_indefinite(problem: &Problem<'_>, title: &str) -> Result<()> {
    let find = |m: usize| problem.bank.negative_eigenvalue_of_some(m);
    refuse(problem, "is at most", &format!("and {title} compares kernels"), find)
}

fn refuse(
    problem: &Problem<'_>,
    least: &str,
    so: &str,
    find: impl Fn(usize) -> Option<f64>,
) -> Result<()> {
    let bank = problem.bank;
    for (m, kernel) in bank.kernels().iter().enumerate() {
        if kernel.function.is_definite() {
            continue;
        }
        if let Some(value) = find(m) {
            return Err(Error::Data(format!(
                "kernel '{}' is not positive semi-definite (its smallest eigenvalue {least} {value:.2e}), {so}; \
                 leave it out, or add at least {:.2e} to its diagonal",
                kernel.name, -value
            )));
        }
    }
    Ok(())
}
