//! TS-MKL, linear: kernel weights as a linear classifier of pairs of instances.
//!
//! ```text
//! min over μ ≥ 0    λ/2 ‖μ‖² + mean over pairs i ≤ j of  [1 − t_ij μ·z_ij]₊
//! z_ij = (k_1(x_i, x_j), …, k_M(x_i, x_j)) / s,     t_ij = +1 if i and j share a class, else −1
//! ```
//!
//! (LMS (5.1), (5.2), §5.3.1.) Several classes need no decomposition. One of two ways finds μ:
//!
//! * **Few pairs.** Where the K-examples of all pairs are at most 2²⁰ numbers (pairs times kernels:
//!   up to 400 instances with 13 kernels, 100 with 200) and there are at most 256 kernels, (5.2) is
//!   solved over all pairs by an interior-point method ([`interior`]) to a relative duality gap of
//!   10⁻⁶, and the reported objective is that over all pairs.
//! * **Many pairs.** Pegasos (Shalev-Shwartz, Singer and Srebro, ICML 2007): in step t with rate
//!   1/(λt) a sub-gradient on `batch` fresh pairs, then the projection to μ ≥ 0, then that to the
//!   ball ‖μ‖ ≤ 1/√λ. Up to 256 kernels, the problem on as many drawn pairs as 2²⁰ numbers hold is
//!   solved by the interior-point method as well. Of both, of zero weights and of the best point on
//!   the ray of steepest descent from zero, the one with the least objective on 20 000 other pairs
//!   is kept (fewer where these are more than 2²² numbers), and that objective is reported.
//!
//! So the result is never worse than zero weights, whose objective is 1. Pegasos alone is slow where
//! λ is small: with λ = 10⁻⁶ its first rates are 10⁶, and 10⁴ steps ended at 3.2 where 0.70 is best.
//! It has converged if the objective after half of the steps is within 1 % of the last.
//!
//! | symbol | name |
//! |---|---|
//! | μ, one column per λ | `Learners::weights`, detail `mu` of the report |
//! | λ | `lambda`, detail `lambda` |
//! | z_ij, t_ij | [`pairs::Chunk`]: `examples`, `signs` |
//! | s | detail `unit` |
//!
//! **Choices that the source leaves open.** Pairs with equal and with different classes weigh ½
//! each (every batch alternates; the source balances by subsampling); within a sign all pairs are
//! equally likely. Pairs i = i belong to (5.2) and take part; `diagonal = exclude` leaves them out.
//! s is the mean of all diagonal entries of all kernels, so that the grid of λ means the same in
//! any unit; it is 1 for standardised kernels, the source's setting. For kernels as they are, (5.2)
//! holds with the weights μ/s and with λ s² in place of λ: a λ that is meant for them has to be
//! divided by s². λ is chosen from 100·4⁻ᵏ ≥ 10⁻⁸ by the hinge loss on a validation fifth: the split
//! is over *pairs*, as in the source; a pair falls into the fifth by a hash of (i, j) and the seed,
//! so nothing is stored. All λ learn side by side, by Pegasos, from the same stream of pairs; the
//! winner (the larger λ on a tie) is learned once more on all pairs. If a sign has no pair in a
//! part, all its pairs serve there. The source runs 10³ steps on small data sets and 10⁵ on large
//! ones; the default is 10⁴.
//!
//! **Given pairs** ([`Problem::pairs`], must-link t = +1 and cannot-link t = −1) take the place of the pairs
//! of classes: the pair classifier asks for nothing but t_ij, so that (5.2) stands as it is, the mean is
//! over the pairs that are given, each sign with half of the weight, and `diagonal` says nothing. Their
//! instances may be without a label. The machine of the second stage learns from classes.
//!
//! **Result.** The rule gets μ/Σμ: only the direction of μ matters to the pair classifier, and with
//! Σ = 1 the cost C of the machine means the same as for the mean of the kernels. Where zero
//! weights are the minimiser (no kernel is larger, on average, within classes than between them)
//! the rule is the mean, with a note.
//!
//! **Scale.** Scaling all kernels by one factor changes nothing. Scaling one kernel does: ‖μ‖² is
//! cheaper for kernels with large values, so standardise. Two copies of a kernel get equal weights
//! and together more than one copy alone.
//!
//! **Cost**: `steps`·`batch` pairs fetched for all λ (unless λ is given) and as many for the winner
//! (unless all pairs are few), about 20 times M multiplications for each; an iteration of the
//! interior-point method, of about 10 to 40, takes at most 2²⁸ multiplications. No dependence on n
//! or on the number of classes. Memory: 32 MiB for K-examples and 4 bytes an instance. The grid is
//! learned in one thread, pairs are fetched by all. Every loop looks at the clock at least once in
//! 16 384 pairs.

mod interior;
mod pairs;
mod pegasos;
mod slope;
mod source;

use super::{Copies, Learned, Learner, Problem, check};
use crate::bank::Bank;
use crate::kernel::{Function, Kernel, KernelSpec, Normalization};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::Weighted;
use crate::{Event, Report, Result, Run, Status, Watch};
use interior::solve;
use pairs::{Part, Sampler};
use pegasos::{Learners, Steps};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(TwoStage::new(p)) };

static METHOD: Method = Method {
    id: "two_stage",
    title: "two-stage MKL (TS-MKL)",
    source: "Kumar, Niculescu-Mizil, Kavukcuoglu, Daumé 2012; Kumar 2013, §5.3.1, (5.2)",
    summary: "Learns the weights first, as a linear classifier that tells pairs of the same class \
              from pairs of different classes, or must-link pairs from cannot-link pairs that are \
              given, then the machine. Its cost does not depend on the number of instances or classes.",
    tasks: &[Task::Classify],
    group: Group::WeightsFirst,
    certificate: Certificate::Trace,
    recommended: true,
    weights: WeightSet::SIMPLEX,
    params: &[
        Param {
            name: "steps",
            doc: "Sub-gradient steps; few pairs are solved without them.",
            range: Range::Int { default: 10_000, min: 1, max: 1_000_000_000 },
        },
        Param {
            name: "batch",
            doc: "Pairs of instances for each step.",
            range: Range::Int { default: 100, min: 2, max: 1_000_000 },
        },
        Param {
            name: "lambda",
            doc: "λ of (5.2) for kernels divided by s, the mean of their diagonals: a λ meant for \
                  the kernels as they are has to be divided by s². 0 chooses it by validation \
                  from 100·4⁻ᵏ.",
            range: Range::Real { default: 0.0, min: 0.0, max: 1e6, closed: true },
        },
        Param {
            name: "diagonal",
            doc: "Whether an instance paired with itself is an example.",
            range: Range::Choice { default: "include", of: &["include", "exclude"] },
        },
    ],
};

/// Most pairs on which λ and the objective are measured, and most numbers for them.
const CHECKED: usize = 20_000;
const CHECKED_NUMBERS: usize = 1 << 22;

/// Numbers in the K-examples that are few, and kernels up to which they are solved exactly.
const FEW: usize = 1 << 20;
const FEW_KERNELS: usize = 256;

/// Rows in which the mean of a kernel is looked for, and the share of the root mean square that counts.
const ROWS: usize = 32;
const MEAN: f64 = 0.1;

/// Change of the objective over the second half of the steps, relative, that counts as none.
const PROGRESS: f64 = 0.01;

#[derive(Debug)]
struct TwoStage {
    steps: usize,
    batch: usize,
    lambda: f64,
    diagonal: bool,
}

impl TwoStage {
    fn new(params: &Params) -> Self {
        TwoStage {
            steps: params.count("steps"),
            batch: params.count("batch"),
            lambda: params.real("lambda"),
            diagonal: params.text("diagonal") == "include",
        }
    }
}

/// 100·4⁻ᵏ down to 10⁻⁸.
fn grid() -> Vec<f64> {
    (0..).map(|k| 100.0 * 0.25_f64.powi(k)).take_while(|l| *l >= 1e-8).collect()
}

impl Learner for TwoStage {
    fn weights_repeat(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let watch = run.watch();
        let mut report = Report::closed_form(run);
        report.status = Status::Converged;
        report.warnings.extend(uncentred(problem));
        let sampler = Sampler::new(problem, self.diagonal, run)?;
        let kernels = sampler.kernels();
        let lambda = if self.lambda > 0.0 {
            self.lambda
        } else {
            self.choose(&sampler, run, &watch, &mut report)
        };
        let mut found = Weights { mu: vec![0.0; kernels], pairs: 0, zero_is_best: false };
        if report.status.is_success() {
            let few = kernels <= FEW_KERNELS && sampler.pairs() <= (FEW / kernels) as f64;
            found = match few {
                true => exactly(&sampler, lambda, &watch, &mut report),
                false => self.by_draws(&sampler, lambda, run, &watch, &mut report),
            };
        }
        let largest = found.mu.iter().fold(0.0_f64, |a, w| a.max(*w));
        let weights = if largest > 0.0 {
            let sum: f64 = found.mu.iter().map(|w| w / largest).sum();
            found.mu.iter().map(|w| w / largest / sum).collect()
        } else {
            let (alike, apart) = match problem.pairs {
                Some(_) => ("instances that must link", "those that cannot"),
                None => ("instances of one class", "those of two"),
            };
            report.notes.push(match (report.status.is_success(), found.zero_is_best) {
                (true, true) => format!(
                    "no kernel is larger between {alike} than between {apart}: every weight became 0, \
                     and the mean of the kernels is used"
                ),
                (true, false) => format!(
                    "lambda = {lambda:.3e} makes the weights too small to count: every weight \
                     became 0, and the mean of the kernels is used; try a smaller lambda"
                ),
                (false, _) => {
                    format!("stopped ({}) before any weight; the mean is used", report.status)
                }
            });
            vec![1.0 / kernels as f64; kernels]
        };
        let details = [
            ("lambda", vec![lambda]),
            ("mu", found.mu),
            ("pairs", vec![found.pairs as f64]),
            ("unit", vec![sampler.unit()]),
        ];
        report.details = details.into_iter().map(|(name, v)| (name.to_string(), v)).collect();
        report.seconds = watch.seconds();
        Ok(Learned::of(Weighted::rule(weights), report))
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    fn reads_pairs(&self) -> bool {
        true
    }
}

/// What was found, and over how many pairs its objective was taken.
struct Weights {
    mu: Vec<f64>,
    pairs: usize,
    /// Whether zero weights are the minimiser on these pairs.
    zero_is_best: bool,
}

/// (5.2) over all pairs.
fn exactly(sampler: &Sampler<'_>, lambda: f64, watch: &Watch, report: &mut Report) -> Weights {
    let kernels = sampler.kernels();
    let Some(all) = sampler.all(watch) else {
        report.status = watch.stop().unwrap_or(Status::Stalled);
        return Weights { mu: vec![0.0; kernels], pairs: 0, zero_is_best: false };
    };
    let found = solve(&all, lambda, watch);
    report.status = found.status;
    report.iterations = found.objective.len() - 1;
    if !found.status.is_success() {
        report
            .notes
            .push(format!("two_stage: the weights are not the best yet ({})", found.status));
    }
    report.objective = found.objective;
    let zero_is_best = all.steepest(lambda).iter().all(|w| *w == 0.0);
    Weights { mu: found.mu, pairs: all.len(), zero_is_best }
}

/// A remark if a kernel is not centred, as those of the source are: one that no step has centred last,
/// and whose values do not sum to nothing.
fn uncentred(problem: &Problem<'_>) -> Option<String> {
    let (bank, kernels) = (problem.bank, problem.bank.kernels());
    let last_centred = |k: &Kernel| k.normalize.last().is_some_and(|n| n.centers());
    let bare: Vec<&Kernel> = (0..kernels.len())
        .filter(|m| !last_centred(&kernels[*m]) && has_mean(bank, *m))
        .map(|m| &kernels[m])
        .collect();
    let first = bare.first()?;
    let spec = match first.function {
        Function::Precomputed => KernelSpec::precomputed().view(&first.view),
        _ => KernelSpec::gaussian().sigma_median(),
    };
    Some(format!(
        "two_stage: kernels that are not centred: {} of {}; the source (LMS §5.3) centres kernels and \
         gives them unit variance, without that the weights can mislead: try \
         normalize=center_unit_variance, as in {}",
        bare.len(),
        kernels.len(),
        spec.normalize([Normalization::CenterUnitVariance])
    ))
}

/// Whether the values of kernel m in a few rows have a mean of more than [`MEAN`] of their root mean
/// square. Those of a centred matrix have none, and those of a part of one (a fold) next to none.
fn has_mean(bank: &Bank, m: usize) -> bool {
    let n = bank.n();
    let (rows, mut row) = (n.min(ROWS), vec![0.0; n]);
    let (mut sum, mut squares) = (0.0, 0.0);
    for r in 0..rows {
        bank.row(m, r * n / rows, &mut row);
        sum += row.iter().sum::<f64>();
        squares += row.iter().map(|v| v * v).sum::<f64>();
    }
    let count = (rows * n) as f64;
    (sum / count).abs() > MEAN * (squares / count).sqrt()
}

impl TwoStage {
    /// The λ with the least hinge loss on the validation pairs.
    fn choose(&self, sampler: &Sampler<'_>, run: &Run, watch: &Watch, report: &mut Report) -> f64 {
        let grid = grid();
        let mut learners = Learners::new(sampler.kernels(), grid.clone());
        let mut steps = Steps::new(self, sampler, Part::Training);
        run.tell(Event::Begin {
            stage: "kernel weights for each λ",
            total: Some(self.steps as u64),
        });
        steps.descend(&mut learners, self.steps, run, watch, report);
        run.tell(Event::End);
        let seen =
            sampler.draw(sampler.check_stream(Part::Validation), self.checked(sampler), watch);
        let losses: Vec<f64> = (0..grid.len()).map(|l| seen.loss(&learners.column(l))).collect();
        let mut best = 0;
        for l in 1..grid.len() {
            if losses[l] < losses[best] || losses[best].is_nan() {
                best = l;
            }
        }
        if report.status.is_success() {
            report.notes.push(format!(
                "λ = {:.3e} was chosen with validation hinge loss {:.4} (1 is that of no weights)",
                grid[best], losses[best]
            ));
        }
        grid[best]
    }

    /// (5.2) by pairs that are drawn: the best of Pegasos, the solution on a part, the best point on
    /// the steepest ray from zero, and zero.
    fn by_draws(
        &self,
        sampler: &Sampler<'_>,
        lambda: f64,
        run: &Run,
        watch: &Watch,
        report: &mut Report,
    ) -> Weights {
        let kernels = sampler.kernels();
        let mut learner = Learners::new(kernels, vec![lambda]);
        let mut steps = Steps::new(self, sampler, Part::All);
        run.tell(Event::Begin { stage: "kernel weights", total: Some(self.steps as u64) });
        steps.descend(&mut learner, self.steps / 2, run, watch, report);
        let half = learner.column(0);
        steps.descend(&mut learner, self.steps, run, watch, report);
        run.tell(Event::End);
        report.iterations = steps.done;
        let pegasos = learner.column(0);
        let seen = sampler.draw(sampler.check_stream(Part::All), self.checked(sampler), watch);
        let (before, after) = (seen.objective(lambda, &half), seen.objective(lambda, &pegasos));
        let steepest = seen.steepest(lambda);
        let zero_is_best = steepest.iter().all(|w| *w == 0.0);
        let mut candidates = vec![pegasos, half, steepest];
        let mut exact = false;
        if kernels <= FEW_KERNELS && report.status.is_success() {
            let part = sampler.draw(sampler.stream(Part::Draw), FEW / kernels, watch);
            let found = solve(&part, lambda, watch);
            exact = found.status.is_success();
            candidates.push(found.mu);
            if let Some(status) = watch.stop() {
                report.status = status;
            }
        }
        let mut best = (vec![0.0; kernels], 1.0);
        for mu in candidates {
            let value = seen.objective(lambda, &mu);
            if value < best.1 {
                best = (mu, value);
            }
        }
        let settled = (before - after).abs() <= PROGRESS * after && after <= best.1;
        if report.status.is_success() && !exact && !settled && !zero_is_best {
            report.status = Status::IterationLimit;
            report.notes.push(format!(
                "two_stage: after {} steps the objective is {after:.4e}, after half of them it was \
                 {before:.4e}, and the best weights have {:.4e}: more steps or a larger lambda are \
                 needed",
                steps.done, best.1
            ));
        }
        report.objective.push(best.1);
        Weights { mu: best.0, pairs: seen.len(), zero_is_best }
    }

    /// Pairs on which λ and the objective are measured.
    fn checked(&self, sampler: &Sampler<'_>) -> usize {
        let wanted = CHECKED.min(self.steps.saturating_mul(self.batch).max(1000));
        wanted.min(CHECKED_NUMBERS / sampler.kernels()).max(100)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
