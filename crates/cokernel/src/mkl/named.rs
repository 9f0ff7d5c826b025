//! Numbers that users give by the name of a kernel (`gaussian@fou` for all that begin so), of a view for all its kernels,
//! or of a function (`gaussian`) for all kernels of it.

use super::Problem;
use crate::kernel::{Kernel, number};
use crate::{Error, Result};
use std::collections::BTreeMap;

/// The number of each kernel: by its name, else by its view's, else by that of its function; `None` of those not named. `place` is what is told
/// of a name that is not known.
///
/// # Errors
/// A name that is neither of a kernel, nor of a view, nor of a function.
pub(super) fn by_name(
    problem: &Problem<'_>,
    place: &'static str,
    given: &BTreeMap<String, f64>,
) -> Result<Vec<Option<f64>>> {
    let kernels = problem.bank.kernels();
    for name in given.keys() {
        if !kernels.iter().any(|k| k.names().contains(&name.as_str())) {
            let known = kernels.iter().flat_map(Kernel::names);
            return Err(Error::unknown(place, name, known));
        }
    }
    Ok(kernels.iter().map(|k| number(given, k.names())).collect())
}
