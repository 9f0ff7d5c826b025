//! TS-MKL, linear: kernel weights as a linear classifier of pairs of instances.
//!
//! ```text
//! min over μ ≥ 0    λ/2 ‖μ‖² + mean over pairs i ≤ j of  [1 − t_ij μ·z_ij]₊
//! z_ij = (k_1(x_i, x_j), …, k_M(x_i, x_j)) / s,     t_ij = +1 if i and j share a class, else −1
//! ```
//!
//! (LMS (5.1), (5.2), §5.3.1.) Several classes need no decomposition. `solver` says how μ is found:
//!
//! * **exact**: (5.2) over all pairs while they are at most `examples`, else over a balanced draw of so many, by an
//!   interior-point method on the pairs near their kinks ([`bands`], [`interior`]) to a relative duality gap of `tol`. The
//!   reported objective and gap are those over these pairs. Weights from a draw are not those from all
//!   pairs: from 10⁵ of 8 million with 39 kernels, the objective over all pairs was within 0.01 % of its optimum
//!   (docs/benchmarks.md).
//! * **pegasos**: stochastic sub-gradient steps on fresh pairs, as in the source ([`stochastic`]), without a bound.
//!
//! In place of λ/2 ‖μ‖², `penalty = l1` takes λ Σ μ, which leaves few kernels (the source mentions it in §5.1).
//! No result is worse than zero weights, whose objective is 1.
//!
//! | symbol | name |
//! |---|---|
//! | μ, one column per λ | `Learners::weights`, detail `mu` of the report |
//! | λ | `lambda`, detail `lambda` |
//! | t_ij z_ij | [`examples::Examples`] |
//! | s | detail `unit` |
//!
//! **Choices that the source leaves open.** Pairs with equal and with different classes weigh ½
//! each (draws alternate; the source balances by subsampling); within a sign all pairs are
//! equally likely. Pairs i = i belong to (5.2) and take part; `diagonal = exclude` leaves them out.
//! s is the mean of all diagonal entries of all kernels, so that the grid of λ means the same in
//! any unit; it is 1 for standardised kernels, the source's setting. For kernels as they are, (5.2)
//! holds with the weights μ/s and with λ s² in place of λ: a λ that is meant for them has to be
//! divided by s². λ is chosen from 100·4⁻ᵏ ≥ 10⁻⁸ by the hinge loss on validation pairs; the winner is learned once more on
//! all pairs of the draw. If a sign has no pair in a part, all its pairs serve there. The details `path_lambda`, `path_loss`
//! (with its standard error `path_error`), `path_accuracy` (share of the signs of validation pairs that μ·z has) and
//! `path_objective` tell of the grid. The source runs 10³ steps on small data sets and 10⁵ on large ones; the
//! default of `solver = pegasos` is 10⁴.
//!
//! **Deviation.** The source holds out a fifth of the *pairs*, whose instances are in other pairs, and takes the λ with the least
//! loss. Once (5.2) is solved, that loss falls for ever smaller λ, by 0.4 % from λ = 1.5·10⁻³ to 2·10⁻⁸ on sonar with 13
//! kernels, while the accuracy of the SVM falls from 0.89 to 0.79: what the source found good is that 10³ steps do
//! not reach small λ. `validation = instances`, the default, holds out the pairs with one of a fifth of the *instances* and takes
//! the largest λ whose loss is within one standard error (over the instances held out) of the least, if that is less than half of
//! what weights gain over none; `pairs` is the way of the source. Parts are told by a hash of i and j and the seed, so that nothing is stored.
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
//! **Cost**: the values of min(all pairs, `examples`) pairs, at most 2²⁴ numbers, then 2 products with them for
//! each round (about 4 for each λ) and interior-point iterations on some thousand pairs. No dependence on n or on the
//! number of classes beyond that of finding a value in memory. Memory: 8 bytes for each number and 4 an instance. Every
//! loop looks at the clock at least once in 16 384 pairs.

mod bands;
pub(super) mod classifier;
mod exact;
mod examples;
mod interior;
pub(super) mod pairs;
mod pegasos;
mod penalty;
pub(super) mod products;
mod slope;
mod source;
mod stochastic;

use super::{Copies, Learned, Learner, Problem, check};
use crate::bank::Bank;
use crate::data::Target;
use crate::kernel::{Function, Kernel, KernelSpec, Normalization, ViewKind};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::rule::Weighted;
use crate::{Report, Result, Run, Status};
use classifier::{
    BATCH, DIAGONAL, EXAMPLES, LAMBDA, PENALTY, PairClassifier, SOLVER, STEPS, TOL, VALIDATION,
};
use pairs::Sampler;

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(TwoStage(PairClassifier::new(p))) };

static METHOD: Method = Method {
    id: "two_stage",
    title: "two-stage MKL (TS-MKL)",
    source: "Kumar, Niculescu-Mizil, Kavukcuoglu, Daumé 2012; Kumar 2013, §5.3.1, (5.2)",
    summary: "Learns the weights first, as a linear classifier that tells pairs of the same class \
              from pairs of different classes, or must-link pairs from cannot-link pairs that are \
              given, then the machine. Its cost does not depend on the number of instances or classes.",
    tasks: &[Task::Classify],
    group: Group::WeightsFirst,
    certificate: Certificate::Gap,
    recommended: true,
    weights: WeightSet::SIMPLEX,
    params: &[SOLVER, EXAMPLES, PENALTY, TOL, STEPS, BATCH, LAMBDA, VALIDATION, DIAGONAL],
};

/// Rows and columns in which the mean of a kernel is looked for, and the share of the root mean square that counts.
const ROWS: usize = 32;
const COLUMNS: usize = 128;
const MEAN: f64 = 0.1;

/// Kernels of which that is asked at most.
const LOOKED_AT: usize = 256;

#[derive(Debug)]
struct TwoStage(PairClassifier);

impl Learner for TwoStage {
    fn weights_repeat(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let watch = run.watch();
        let mut report = Report::closed_form(run);
        report.status = Status::Converged;
        report.warnings.extend(uncentred(METHOD.id, problem));
        let sampler = Sampler::new(problem, self.0.diagonal, self.0.by_instances, run)?;
        let found = self.0.learn(&sampler, run, &watch, &mut report)?;
        let weights = found.shares(problem, &mut report);
        report.seconds = watch.seconds();
        Ok(Learned::of(Weighted::rule(weights), report))
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    fn samples(&self) -> Option<usize> {
        Some(super::row_sample::MOST)
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    fn reads_pairs(&self) -> bool {
        true
    }
}

/// A remark if a kernel is not centred, as those of the source are: one that no step has centred last,
/// and whose values do not sum to nothing. None without labels: what is learned are then similarities for graphs, which
/// are not to be negative.
pub(super) fn uncentred(method: &str, problem: &Problem<'_>) -> Option<String> {
    if matches!(problem.target, Target::Nothing(_)) {
        return None;
    }
    let (bank, kernels) = (problem.bank, problem.bank.kernels());
    let last_centred = |k: &Kernel| k.normalize.last().is_some_and(|n| n.centers());
    let looked = kernels.len().min(LOOKED_AT);
    let bare: Vec<&Kernel> = (0..looked)
        .map(|k| k * kernels.len() / looked)
        .filter(|m| !last_centred(&kernels[*m]) && has_mean(bank, *m))
        .map(|m| &kernels[m])
        .collect();
    let first = bare.first()?;
    let spec = match first.function {
        Function::Precomputed => KernelSpec::precomputed().view(&first.view),
        _ if first.function.takes() != ViewKind::Features => return None,
        _ => KernelSpec::gaussian().sigma_median(),
    };
    Some(format!(
        "{method}: kernels that are not centred: {} of {}; the source (LMS §5.3) centres kernels and \
         gives them unit variance, without that the weights can mislead: try \
         normalize=center_unit_variance, as in {}",
        bare.len(),
        looked,
        spec.normalize([Normalization::CenterUnitVariance])
    ))
}

/// Whether values of kernel m have a mean of more than [`MEAN`] of their root mean square: those at the crossings
/// of a few rows and columns. Those of a centred matrix have none, and those of a part of one (a fold) next to none.
fn has_mean(bank: &Bank, m: usize) -> bool {
    let n = bank.n();
    let spread = |count: usize| (0..count.min(n)).map(move |k| k * n / count.min(n));
    let (mut sum, mut squares) = (0.0, 0.0);
    for i in spread(ROWS) {
        for j in spread(COLUMNS) {
            let v = bank.entry(m, i, j);
            (sum, squares) = (sum + v, squares + v * v);
        }
    }
    let count = (ROWS.min(n) * COLUMNS.min(n)) as f64;
    (sum / count).abs() > MEAN * (squares / count).sqrt()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
