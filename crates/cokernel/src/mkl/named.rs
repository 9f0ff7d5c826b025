//! Numbers that users give by the name of a kernel, of a view for all its kernels, or of a function (`gaussian`) for all
//! kernels of it: names of kernels hold widths that are chosen from the data, so that they are not known before.

use super::Problem;
use crate::kernel::Kernel;
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
        if !kernels.iter().any(|k| names(k).contains(&name.as_str())) {
            let known = kernels.iter().flat_map(names);
            return Err(Error::unknown(place, name, known));
        }
    }
    let of = |k: &Kernel| names(k).into_iter().find_map(|name| given.get(name)).copied();
    Ok(kernels.iter().map(of).collect())
}

/// What a kernel is called: by its own name, its view's and its function's.
fn names(kernel: &Kernel) -> [&str; 3] {
    let function = kernel.name.split('@').next().unwrap_or_default();
    [kernel.name.as_str(), kernel.view.as_str(), function]
}
