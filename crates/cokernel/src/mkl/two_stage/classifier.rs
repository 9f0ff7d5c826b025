//! The classifier of pairs: (5.2) on the K-examples of a sampler, with the parameters that its methods share.

use super::pairs::Sampler;
use super::penalty::Penalty;
use super::{exact, stochastic};
use crate::mkl::Problem;
use crate::params::{Param, Params, Range};
use crate::{Error, Report, Result, Run, Status, Watch};

/// `solver`.
pub(in crate::mkl) const SOLVER: Param = Param {
    name: "solver",
    doc: "exact: over all pairs, or as many as `examples` says, with a duality gap; pegasos: \
          stochastic steps on fresh pairs, as in the source; auto: exact up to 4000 kernels or products.",
    range: Range::Choice { default: "auto", of: &["auto", "exact", "pegasos"] },
};

/// `examples`.
pub(in crate::mkl) const EXAMPLES: Param = Param {
    name: "examples",
    doc: "Pairs that are drawn where there are more of them, for solver = exact; at most 2²⁴ \
          divided by the number of kernels.",
    range: Range::Int { default: 100_000, min: 100, max: 16_777_216 },
};

/// `penalty`.
pub(in crate::mkl) const PENALTY: Param = Param {
    name: "penalty",
    doc: "What large weights cost: l2, λ/2 ‖μ‖²; l1, λ Σ μ, which leaves few kernels.",
    range: Range::Choice { default: "l2", of: &["l2", "l1"] },
};

/// `tol`.
pub(in crate::mkl) const TOL: Param = Param {
    name: "tol",
    doc: "Relative duality gap to stop at, for solver = exact; of an objective below 10⁻⁶ of that of no weights, this part \
          of 10⁻⁶ of it.",
    range: Range::Real { default: 1e-6, min: 0.0, max: 1.0, closed: false },
};

/// `steps`.
pub(in crate::mkl) const STEPS: Param = Param {
    name: "steps",
    doc: "Sub-gradient steps of solver = pegasos.",
    range: Range::Int { default: 10_000, min: 1, max: 1_000_000_000 },
};

/// `batch`.
pub(in crate::mkl) const BATCH: Param = Param {
    name: "batch",
    doc: "Pairs of instances for each step.",
    range: Range::Int { default: 100, min: 2, max: 1_000_000 },
};

/// `lambda`.
pub(in crate::mkl) const LAMBDA: Param = Param {
    name: "lambda",
    doc: "λ of (5.2) for kernels divided by s, the mean of their diagonals: a λ meant for \
          the kernels as they are has to be divided by s². 0 chooses it by validation \
          from 100·4⁻ᵏ.",
    range: Range::Real { default: 0.0, min: 0.0, max: 1e6, closed: true },
};

/// `validation`.
pub(in crate::mkl) const VALIDATION: Param = Param {
    name: "validation",
    doc: "What λ is chosen on: instances, the pairs with one of a fifth of the instances, which take no part in \
          that, the largest λ with a hinge loss within a standard error of the least (solver = pegasos: with the least); \
          pairs, a fifth of the pairs and the least loss, as in the source.",
    range: Range::Choice { default: "instances", of: &["instances", "pairs"] },
};

/// `diagonal`.
pub(in crate::mkl) const DIAGONAL: Param = Param {
    name: "diagonal",
    doc: "Whether an instance paired with itself is an example.",
    range: Range::Choice { default: "include", of: &["include", "exclude"] },
};

/// Most numbers in the K-examples of one draw.
const NUMBERS: usize = 1 << 24;

/// Kernels or products from which on steps are taken where the solver is left open, and up to which it can be exact:
/// its matrix then takes 512 MB.
const WIDE: usize = 4_000;
const MOST: usize = 8_192;

/// How the weights are learned.
#[derive(Debug)]
pub(in crate::mkl) struct PairClassifier {
    solver: String,
    examples: usize,
    sparse: bool,
    tol: f64,
    pub steps: usize,
    pub batch: usize,
    lambda: f64,
    pub by_instances: bool,
    pub diagonal: bool,
}

impl PairClassifier {
    /// As the parameters say.
    pub fn new(params: &Params) -> Self {
        PairClassifier {
            solver: params.text("solver").to_string(),
            examples: params.count("examples"),
            sparse: params.text("penalty") == "l1",
            tol: params.real("tol"),
            steps: params.count("steps"),
            batch: params.count("batch"),
            lambda: params.real("lambda"),
            by_instances: params.text("validation") == "instances",
            diagonal: params.text("diagonal") == "include",
        }
    }

    /// The weights, with what there is to say of them in the report.
    ///
    /// # Errors
    /// Parameters that do not go together.
    pub fn learn(
        &self,
        sampler: &Sampler<'_>,
        run: &Run,
        watch: &Watch,
        report: &mut Report,
    ) -> Result<Weights> {
        let kernels = sampler.kernels();
        if kernels > MOST && self.solver == "exact" {
            let problem = format!(
                "exact needs {kernels} × {kernels} numbers for {kernels} kernels or products; choose pegasos, or fewer \
                 kernels than {MOST}"
            );
            return Err(Error::parameter("solver", problem));
        }
        let found = match self.solver == "pegasos" || self.solver == "auto" && kernels > WIDE {
            true => self.by_steps(sampler, run, watch, report)?,
            false => self.exactly(sampler, run, watch, report),
        };
        let details = [
            ("lambda", vec![found.lambda]),
            ("mu", found.mu.clone()),
            ("pairs", vec![found.pairs as f64]),
            ("unit", vec![sampler.unit()]),
        ];
        report.details.extend(details.into_iter().map(|(name, v)| (name.to_string(), v)));
        Ok(found)
    }

    fn exactly(
        &self,
        sampler: &Sampler<'_>,
        run: &Run,
        watch: &Watch,
        report: &mut Report,
    ) -> Weights {
        let kernels = sampler.kernels();
        let most = self.examples.min(NUMBERS / kernels).max(100);
        let mut found =
            Weights { lambda: self.lambda, mu: vec![0.0; kernels], pairs: 0, zero_is_best: false };
        let Some(drawn) = sampler.examples(most, watch) else {
            report.status = watch.stop().unwrap_or(Status::Interrupted);
            return found;
        };
        if sampler.pairs() > most as f64 {
            report.notes.push(format!(
                "objective and gap are those of {} pairs drawn from {:.0}",
                drawn.signs.len(),
                sampler.pairs()
            ));
        }
        let penalty = match self.sparse {
            true => Penalty::Sum(self.lambda),
            false => Penalty::Squares(self.lambda),
        };
        let mut near = None;
        if self.lambda == 0.0 {
            (found.lambda, near) =
                exact::choose(&drawn, penalty, self.by_instances, run, watch, report);
        }
        let penalty = penalty.with(found.lambda);
        (found.mu, found.zero_is_best) =
            exact::learn(&drawn, penalty, near, self.tol, watch, report);
        found.pairs = drawn.signs.len();
        found
    }

    fn by_steps(
        &self,
        sampler: &Sampler<'_>,
        run: &Run,
        watch: &Watch,
        report: &mut Report,
    ) -> Result<Weights> {
        if self.sparse {
            let problem = "l1 needs solver = exact: the steps of Pegasos are those of l2";
            return Err(Error::parameter("penalty", problem));
        }
        let lambda = match self.lambda > 0.0 {
            true => self.lambda,
            false => stochastic::choose(self, sampler, run, watch, report),
        };
        Ok(stochastic::learn(self, sampler, lambda, run, watch, report))
    }
}

/// 100·4⁻ᵏ down to 10⁻⁸.
pub(super) fn grid() -> Vec<f64> {
    (0..).map(|k| 100.0 * 0.25_f64.powi(k)).take_while(|l| *l >= 1e-8).collect()
}

/// The largest λ with a loss of at most the least one and its standard error, with a note.
pub(super) fn best_of(
    grid: &[f64],
    losses: &[f64],
    errors: Option<&[f64]>,
    report: &mut Report,
) -> f64 {
    let mut least = 0;
    for l in 1..grid.len() {
        if losses[l] < losses[least] || losses[least].is_nan() {
            least = l;
        }
    }
    let error = errors.map(|e| e[least]).filter(|e| e.is_finite()).unwrap_or(0.0);
    // Weights that cut the loss of no weights, 1, by less than its error are no reason for no weights.
    let most = (losses[least] + error).min(0.5 * (1.0 + losses[least])).max(losses[least]);
    let best = losses.iter().position(|l| *l <= most).unwrap_or(least);
    if report.status.is_success() {
        let least = match errors {
            Some(_) => format!(", the least being {:.4} at {:.3e}", losses[least], grid[least]),
            None => String::new(),
        };
        report.notes.push(format!(
            "λ = {:.3e} was chosen with validation hinge loss {:.4} (1 is that of no weights){least}",
            grid[best], losses[best]
        ));
    }
    grid[best]
}

/// What was found, and over how many pairs its objective was taken.
pub(in crate::mkl) struct Weights {
    pub lambda: f64,
    pub mu: Vec<f64>,
    pub pairs: usize,
    /// Whether zero weights are the minimiser on these pairs.
    pub zero_is_best: bool,
}

impl Weights {
    /// μ/Σμ; the same for all, with a note, where all are 0.
    pub fn shares(&self, problem: &Problem<'_>, report: &mut Report) -> Vec<f64> {
        let largest = self.mu.iter().fold(0.0_f64, |a, w| a.max(*w));
        if largest > 0.0 {
            let sum: f64 = self.mu.iter().map(|w| w / largest).sum();
            return self.mu.iter().map(|w| w / largest / sum).collect();
        }
        let (alike, apart) = match problem.pairs {
            Some(_) => ("instances that must link", "those that cannot"),
            None => ("instances of one class", "those of two"),
        };
        report.notes.push(match (report.status.is_success(), self.zero_is_best) {
            (true, true) => format!(
                "no kernel is larger between {alike} than between {apart}: every weight became 0, \
                 and the mean of the kernels is used"
            ),
            (true, false) => format!(
                "lambda = {:.3e} makes the weights too small to count: every weight \
                 became 0, and the mean of the kernels is used; try a smaller lambda",
                self.lambda
            ),
            (false, _) => {
                format!("stopped ({}) before any weight; the mean is used", report.status)
            }
        });
        vec![1.0 / self.mu.len() as f64; self.mu.len()]
    }
}
