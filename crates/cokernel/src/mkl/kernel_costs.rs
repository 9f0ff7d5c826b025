//! What kernels cost: by the number of features that they read, or by the seconds that one value takes.

use crate::bank::{Bank, Storage};
use crate::data::Views;
use crate::{Error, Result, Run};
use std::time::Instant;

/// Instances on which kernels are measured, and how often: the least time counts.
const MEASURED: usize = 256;
const TIMES: usize = 5;

/// √(cost/least cost): the prices 1, 1, 2, 4 for views of 16, 16, 64 and 256 features, as in LMKA §5.2.3.2.
pub(crate) fn prices(costs: &[f64]) -> Vec<f64> {
    let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
    costs.iter().map(|c| (c / least).sqrt()).collect()
}

/// The views of the kernels; `asked` is what asks for them.
fn views<'a>(bank: &Bank, views: Option<&'a Views>, asked: &str) -> Result<&'a Views> {
    let what = asked.split(' ').next().unwrap_or(asked);
    let why =
        format!("{asked} looks at the views of the kernels; give the views, or {what} by name");
    let views = views.ok_or(Error::Data(why))?;
    for kernel in bank.kernels() {
        if views.get(&kernel.view).map_or(true, |v| !v.table.is_features()) {
            return Err(Error::Data(format!(
                "kernel '{}' is given and not computed from features, so {asked} has nothing to go by; give {what} \
                 by name",
                kernel.name
            )));
        }
    }
    Ok(views)
}

/// The number of features that each kernel reads.
///
/// # Errors
/// A kernel that is not computed from features.
pub(crate) fn features(bank: &Bank, given: Option<&Views>, asked: &str) -> Result<Vec<f64>> {
    let views = views(bank, given, asked)?;
    let count = |k: &crate::kernel::Kernel| match k.column {
        Some(_) => 1,
        None => views.get(&k.view).map_or(1, |v| v.table.cols().max(1)),
    };
    Ok(bank.kernels().iter().map(|k| count(k) as f64).collect())
}

/// Seconds of one value of each kernel, which are others each time.
///
/// # Errors
/// As [`features`]; kernels that cannot be computed on some of the instances.
pub(crate) fn seconds(
    bank: &Bank,
    given: Option<&Views>,
    asked: &str,
    run: &Run,
) -> Result<Vec<f64>> {
    let all = views(bank, given, asked)?;
    let rows: Vec<usize> = (0..bank.n().min(MEASURED)).collect();
    let some = all.select(&rows);
    let values = (rows.len() * rows.len()) as f64;
    let quiet = run.quiet();
    let of = |kernel: &crate::kernel::Kernel| -> Result<f64> {
        let mut least = f64::INFINITY;
        for _ in 0..TIMES {
            let start = Instant::now();
            Bank::from_kernels(&some, vec![kernel.clone()], Storage::Resident, &quiet)?;
            least = least.min(start.elapsed().as_secs_f64());
        }
        Ok(least.max(1e-9) / values)
    };
    bank.kernels().iter().map(of).collect()
}
