//! All measures of each kernel, as a table for people and programs.

use super::{Divergence, Ideal, Products, Spread, unit};
use crate::bank::Bank;
use crate::data::Target;
use crate::mkl::ideal_distance::standardised;
use crate::run::Pass;
use crate::{Result, Run};
use serde::Serialize;

/// Instances up to which the divergence is computed: it costs n³/3 for each kernel.
pub const DIVERGENCE_UP_TO: usize = 2_000;

/// Kernels up to which FSM and the divergence, which cost n² and n³ for each, are computed.
pub const EACH_UP_TO: usize = 2_000;

/// The ridge of the divergence that is told.
const RIDGE: f64 = 1.0;

/// How well one kernel fits a target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// The kernel.
    pub kernel: String,
    /// Its view.
    pub view: String,
    /// A(K, T), between −1 and 1; large is good.
    pub alignment: f64,
    /// The same of kernel and target centred in feature space.
    pub centered_alignment: f64,
    /// ‖K/u − T‖/‖T‖, with u the mean of all diagonal entries of all kernels; small is good.
    pub ideal_distance: f64,
    /// FSM along the line between the class centres, small is good; `None` for real numbers, and where the
    /// centres are the same.
    pub fsm: Option<f64>,
    /// FSM with total deviations.
    pub fsm_total: Option<f64>,
    /// KL(N(0, K/u + I) ‖ N(0, T + I))/n; `None` above 2,000 instances, and where K + I is not positive
    /// definite.
    pub divergence: Option<f64>,
}

/// The measures of each kernel of a bank, in order.
///
/// # Errors
/// A target that is neither classes nor real numbers, or of another length; a stop.
pub fn scores(bank: &Bank, target: &Target, run: &Run) -> Result<Vec<Score>> {
    let watch = run.watch();
    let pass = Pass::under(&watch);
    let ideal = Ideal::of(&standardised(target)?)?;
    let products = |centered| Products::in_pass(bank, &ideal, centered, false, run, &pass);
    let (plain, centered) = (products(false)?, products(true)?);
    let few = bank.len() <= EACH_UP_TO;
    let spread = match ideal.classes() {
        0 => None,
        _ if !few => None,
        _ => Some(Spread::in_pass(bank, &ideal, run, &pass)?),
    };
    pass.complete("the comparison of kernels")?;
    let of = |values: Option<Vec<f64>>, m: usize| values.map(|v| v[m]).filter(|v| v.is_finite());
    let unit = unit(bank);
    let (alignments, centered) = (plain.alignments(), centered.alignments());
    let distances = plain.distances(unit);
    let divergence = match few && bank.n() <= DIVERGENCE_UP_TO {
        true => Some(Divergence::from(bank, &ideal, unit, RIDGE, &pass)?),
        false => None,
    };
    let mut out = Vec::with_capacity(bank.len());
    for (m, kernel) in bank.kernels().iter().enumerate() {
        let found = match &divergence {
            Some(divergence) => {
                let mut weights = vec![0.0; bank.len()];
                weights[m] = 1.0;
                divergence.value(&weights, &pass)?
            }
            None => None,
        };
        pass.complete("the comparison of kernels")?;
        out.push(Score {
            kernel: kernel.name.clone(),
            view: kernel.view.clone(),
            alignment: alignments[m],
            centered_alignment: centered[m],
            ideal_distance: distances[m],
            fsm: of(spread.as_ref().map(Spread::along), m),
            fsm_total: of(spread.as_ref().map(Spread::total), m),
            divergence: found.map(|v| v.divergence / bank.n() as f64),
        });
    }
    Ok(out)
}
