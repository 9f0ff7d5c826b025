//! (5.2) over all pairs or over a draw of them, with a certificate, for one λ and for the grid.

use super::bands::{self, Found};
use super::classifier::{best_of, grid};
use super::interior::Program;
use super::pairs::{Drawn, Part};
use super::penalty::Penalty;
use crate::{Event, Report, Run, Watch};

/// Relative gap to which each λ of the grid is solved.
const COARSE: f64 = 1e-4;

/// The λ of the grid that the hinge loss of the validation pairs tells, and the weights that the other pairs give it;
/// none if the run is stopped before the first.
pub(super) fn choose(
    drawn: &Drawn,
    penalty: Penalty,
    by_instances: bool,
    run: &Run,
    watch: &Watch,
    report: &mut Report,
) -> (f64, Option<Found>) {
    let (training, held) = (drawn.weights(Part::Training), drawn.weights(Part::Validation));
    let grid = grid();
    let (mut losses, mut right, mut path) = (Vec::new(), Vec::new(), Vec::<Found>::new());
    let mut errors = Vec::new();
    run.tell(Event::Begin { stage: "kernel weights for each λ", total: Some(grid.len() as u64) });
    for (k, lambda) in grid.iter().enumerate() {
        let program = Program {
            examples: &drawn.examples,
            weights: &training,
            penalty: penalty.with(*lambda),
        };
        let near = path.last().map(|f| (&f.mu[..], &f.margins[..]));
        let found = bands::minimize(program, near, COARSE, watch);
        if let Some(status) = watch.stop() {
            report.status = status;
            break;
        }
        let of = |keep: &dyn Fn(f64) -> f64| -> f64 {
            found.margins.iter().zip(&held).map(|(m, w)| w * keep(*m)).sum()
        };
        let hinges: Vec<f64> =
            found.margins.iter().zip(&held).map(|(m, w)| w * (1.0 - m).max(0.0)).collect();
        losses.push(hinges.iter().sum());
        errors.push(if by_instances { drawn.standard_error(&hinges, &held) } else { 0.0 });
        right.push(of(&|m| if m > 0.0 { 1.0 } else { 0.0 }));
        path.push(found);
        run.tell(Event::Step { done: k as u64 + 1, message: "" });
    }
    run.tell(Event::End);
    let Some(found) = path.len().checked_sub(1) else { return (grid[0], None) };
    let lambda = best_of(&grid[..=found], &losses, Some(&errors), report);
    let place = grid.iter().position(|l| *l == lambda).unwrap_or(0);
    let details = [
        ("path_lambda", grid[..=found].to_vec()),
        ("path_loss", losses),
        ("path_error", errors.into_iter().map(|e| if e.is_finite() { e } else { 0.0 }).collect()),
        ("path_accuracy", right),
        ("path_objective", path.iter().map(Found::value).collect()),
    ];
    report.details.extend(details.into_iter().map(|(name, v)| (name.to_string(), v)));
    (lambda, Some(path.swap_remove(place)))
}

/// A descent of the loss up to which zero weights are the best.
const ROUNDING: f64 = 1e-12;

/// The weights for one λ, and whether zero weights are the best.
pub(super) fn learn(
    drawn: &Drawn,
    penalty: Penalty,
    near: Option<Found>,
    tol: f64,
    watch: &Watch,
    report: &mut Report,
) -> (Vec<f64>, bool) {
    let weights = drawn.weights(Part::All);
    let program = Program { examples: &drawn.examples, weights: &weights, penalty };
    // From far away by way of the grid.
    let mut near = near;
    let larger: Vec<f64> = match near {
        Some(_) => Vec::new(),
        None => grid().into_iter().filter(|l| *l > penalty.lambda()).collect(),
    };
    for lambda in larger {
        let from = near.as_ref().map(|f| (&f.mu[..], &f.margins[..]));
        let program = Program { penalty: penalty.with(lambda), ..program };
        near = Some(bands::minimize(program, from, COARSE, watch));
        if watch.stop().is_some() {
            break;
        }
    }
    let near = near.as_ref().map(|f| (&f.mu[..], &f.margins[..]));
    let mut found = bands::minimize(program, near, tol, watch);
    found.drop_useless(program);
    report.gap = Some(found.gap());
    report.status = found.status;
    // Where nothing was reached before a stop, the caller says so.
    let nothing = watch.stop().is_some() && found.mu.iter().all(|v| *v == 0.0);
    if !found.status.is_success() && !nothing {
        report.notes.push(format!(
            "the weights are at most a part {:.1e} of the objective from the best ({}); a larger lambda and \
             kernels of similar size make it easier",
            found.gap(),
            found.status
        ));
    }
    report.iterations = found.objective.len() - 1;
    report.objective = found.objective;
    let descent = drawn.examples.pull(&weights);
    // K-examples have unit size, so that this is rounding.
    (found.mu, descent.iter().all(|v| *v <= ROUNDING))
}
