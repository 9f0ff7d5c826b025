//! Weights (or a forest) from a sample of the instances, where kernels between all of them are not to be had: what a method that does
//! not look at a machine says about some thousand instances, drawn at random, of classes as many of each as their share.
//!
//! Alignments are means over pairs of instances, which s instances tell with an error of the order 1/√s; diagonals count there as they
//! do among all instances ([`measures`](super::measures)). Programs that leave
//! kernels out (`kandola`, `normalized_cut`) may leave out others than on all instances. The machine is then trained on all instances
//! [towards landmarks](crate::scale).
//!
//! Cost: M s²/2 kernel values, and what the method takes for s instances.

use super::{Learned, Learner, Problem};
use crate::bank::{Bank, Storage};
use crate::data::Target;
use crate::scale::{Space, rows_of};
use crate::{Error, Result, Run};
use rand::seq::SliceRandom;

/// Most instances of a sample, and the fewest, whatever the memory.
pub(super) const MOST: usize = 5_000;
const FEWEST: usize = 500;

/// The combination that a method finds on a sample, whose machine is still to be trained.
///
/// # Errors
/// Those of the method.
pub(super) fn learn(
    problem: &Problem<'_>,
    space: &Space,
    learner: &dyn Learner,
    most: usize,
    run: &Run,
) -> Result<Learned> {
    let views = problem.features()?;
    let rows = rows(problem, views.n(), size(space.exact().len(), most, run), run);
    let target = problem.target.of_rows(&rows).ok_or_else(no_target)?;
    let some = rows_of(views, &rows)?;
    let mut bank = Bank::from_kernels(&some, space.exact().to_vec(), Storage::Auto, run)?;
    if rows.len() < views.n() {
        bank = bank.standing_for(views.n());
    }
    let weights: Option<Vec<f64>> =
        problem.weights.map(|all| rows.iter().map(|i| all[*i]).collect());
    let part = Problem {
        bank: &bank,
        views: Some(&some),
        target: &target,
        weights: weights.as_deref(),
        warm: None,
        space: None,
        ..*problem
    };
    let mut learned = learner.learn(&part, &halved(run))?;
    if rows.len() < views.n() {
        let (s, n) = (rows.len(), views.n());
        learned
            .report
            .notes
            .push(format!("what combines the kernels is learned from {s} of {n} instances"));
    }
    learned.report.details.insert("sample".to_string(), vec![rows.len() as f64]);
    Ok(learned)
}

/// Half of the time for what comes before the machine.
pub(super) fn halved(run: &Run) -> Run {
    Run { time_limit: run.time_limit.map(|limit| limit / 2), ..run.clone() }
}

pub(super) fn no_target() -> Error {
    Error::Labels("towards landmarks every instance needs a class or a number".to_string())
}

/// How many instances whose kernels take half of the memory at most.
fn size(kernels: usize, most: usize, run: &Run) -> usize {
    let one = 4.0 * kernels.max(1) as f64;
    ((0.5 * run.memory as f64 / one).sqrt() as usize).clamp(FEWEST, most)
}

/// Instances that take part, increasing; where there are more than wanted, of each class as many as its share, two at least.
fn rows(problem: &Problem<'_>, n: usize, wanted: usize, run: &Run) -> Vec<usize> {
    let mut part: Vec<usize> =
        (0..n).filter(|i| problem.weights.is_none_or(|w| w[*i] > 0.0)).collect();
    if part.len() <= wanted {
        return part;
    }
    let all = part.len();
    part.shuffle(&mut run.rng("sample for weights"));
    let mut rows = match problem.target {
        Target::Classes(classes) => {
            let mut of_each = vec![Vec::new(); classes.n_classes()];
            part.into_iter().for_each(|i| of_each[classes.codes[i] as usize].push(i));
            let some = |own: Vec<usize>| {
                let share = (own.len() * wanted).div_ceil(all).max(2);
                own.into_iter().take(share)
            };
            of_each.into_iter().flat_map(some).collect()
        }
        _ => part[..wanted].to_vec(),
    };
    rows.sort_unstable();
    rows
}
