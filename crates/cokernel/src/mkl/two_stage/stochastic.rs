//! (5.2) by Pegasos on fresh pairs, as in the source: for streams of pairs and for fidelity.
//!
//! In step t with rate 1/(λt) a sub-gradient on `batch` fresh pairs, then the projection to μ ≥ 0, then that to the ball
//! ‖μ‖ ≤ 1/√λ (Shalev-Shwartz, Singer and Srebro, ICML 2007). All λ of the grid learn side by side from the same
//! stream; the winner is learned once more on all pairs. Of Pegasos after all and after half of its steps, of zero
//! weights and of the best point on the ray of steepest descent from zero, the one with the least objective on 20 000
//! other pairs is kept (fewer where these are more than 2²² numbers), and that objective is reported, without a bound. Pegasos
//! alone is slow where λ is small: with λ = 10⁻⁶ its first rates are 10⁶, and 10⁴ steps ended at 3.2 where 0.70 is best.
//! It has converged if the objective after half of the steps is within 1 % of the last.
//!
//! **Cost**: `steps`·`batch` pairs fetched for all λ (unless λ is given) and as many for the winner, about 20 times M
//! multiplications for each. The grid is learned in one thread, pairs are fetched by all.

use super::classifier::{PairClassifier, Weights, best_of, grid};
use super::examples::{Examples, loss};
use super::pairs::{Part, Sampler};
use super::pegasos::{Learners, Steps};
use super::penalty::Penalty;
use crate::{Event, Report, Run, Status, Watch};

/// Most pairs on which λ and the objective are measured, and most numbers for them.
const CHECKED: usize = 20_000;
const CHECKED_NUMBERS: usize = 1 << 22;

/// Change of the objective over the second half of the steps, relative, that counts as none.
const PROGRESS: f64 = 0.01;

/// Examples that count the same.
struct Seen {
    examples: Examples,
    weights: Vec<f64>,
}

impl Seen {
    fn new(method: &PairClassifier, sampler: &Sampler<'_>, part: Part, watch: &Watch) -> Self {
        let wanted = CHECKED.min(method.steps.saturating_mul(method.batch).max(1000));
        let count = wanted.min(CHECKED_NUMBERS / sampler.kernels()).max(100);
        let examples = sampler.draw(sampler.check_stream(part), count, watch);
        let weights = vec![1.0 / examples.len() as f64; examples.len()];
        Seen { examples, weights }
    }
}

/// The λ with the least hinge loss on the validation pairs.
pub(super) fn choose(
    method: &PairClassifier,
    sampler: &Sampler<'_>,
    run: &Run,
    watch: &Watch,
    report: &mut Report,
) -> f64 {
    let grid = grid();
    let mut learners = Learners::new(sampler.kernels(), grid.clone());
    let mut steps = Steps::new(method, sampler, Part::Training);
    let total = Some(method.steps as u64);
    run.tell(Event::Begin { stage: "kernel weights for each λ", total });
    steps.descend(&mut learners, method.steps, run, watch, report);
    run.tell(Event::End);
    let seen = Seen::new(method, sampler, Part::Validation, watch);
    let hinge = |l: usize| loss(&seen.examples.margins(&learners.column(l)), &seen.weights);
    let losses: Vec<f64> = (0..grid.len()).map(hinge).collect();
    best_of(&grid, &losses, None, report)
}

/// (5.2) for one λ.
pub(super) fn learn(
    method: &PairClassifier,
    sampler: &Sampler<'_>,
    lambda: f64,
    run: &Run,
    watch: &Watch,
    report: &mut Report,
) -> Weights {
    let kernels = sampler.kernels();
    let mut learner = Learners::new(kernels, vec![lambda]);
    let mut steps = Steps::new(method, sampler, Part::All);
    run.tell(Event::Begin { stage: "kernel weights", total: Some(method.steps as u64) });
    steps.descend(&mut learner, method.steps / 2, run, watch, report);
    let half = learner.column(0);
    steps.descend(&mut learner, method.steps, run, watch, report);
    run.tell(Event::End);
    report.iterations = steps.done;
    let pegasos = learner.column(0);
    let (seen, penalty) = (Seen::new(method, sampler, Part::All, watch), Penalty::Squares(lambda));
    let objective = |mu: &[f64]| seen.examples.objective(&seen.weights, penalty, mu);
    let (before, after) = (objective(&half), objective(&pegasos));
    let steepest = seen.examples.steepest(&seen.weights, penalty);
    let zero_is_best = steepest.iter().all(|w| *w == 0.0);
    let mut best = (vec![0.0; kernels], 1.0);
    for mu in [pegasos, half, steepest] {
        let value = objective(&mu);
        if value < best.1 {
            best = (mu, value);
        }
    }
    let settled = (before - after).abs() <= PROGRESS * after && after <= best.1;
    if report.status.is_success() && !settled && !zero_is_best {
        report.status = Status::IterationLimit;
        report.notes.push(format!(
            "two_stage: after {} steps the objective is {after:.4e}, after half of them it was \
             {before:.4e}, and the best weights have {:.4e}: more steps, a larger lambda or \
             solver=exact are needed",
            steps.done, best.1
        ));
    }
    report.objective.push(best.1);
    Weights { lambda, mu: best.0, pairs: seen.examples.len(), zero_is_best }
}
