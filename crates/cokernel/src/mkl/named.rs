//! Numbers that users give by the name of a kernel, or of a view for all its kernels.

use super::Problem;
use crate::{Error, Result};
use std::collections::BTreeMap;

/// The number of each kernel: by its name, else by its view's; `None` of those not named. `place` is what is told
/// of a name that is not known.
///
/// # Errors
/// A name that is neither of a kernel nor of a view.
pub(super) fn by_name(
    problem: &Problem<'_>,
    place: &'static str,
    given: &BTreeMap<String, f64>,
) -> Result<Vec<Option<f64>>> {
    let kernels = problem.bank.kernels();
    for name in given.keys() {
        if !kernels.iter().any(|k| k.name == *name || k.view == *name) {
            let known = kernels.iter().flat_map(|k| [k.name.as_str(), k.view.as_str()]);
            return Err(Error::unknown(place, name, known));
        }
    }
    let of = |k: &crate::kernel::Kernel| given.get(&k.name).or_else(|| given.get(&k.view)).copied();
    Ok(kernels.iter().map(of).collect())
}
