//! TS-MKL, linear: kernel weights as a linear classifier of pairs of instances.
//!
//! ```text
//! min over μ ≥ 0    λ/2 ‖μ‖² + mean over pairs i ≤ j of  [1 − t_ij μ·z_ij]₊
//! z_ij = (k_1(x_i, x_j), …, k_M(x_i, x_j)) / s,     t_ij = +1 if i and j share a class, else −1
//! ```
//!
//! (LMS (5.1), (5.2), §5.3.1; G1.) Several classes need no decomposition. The minimum is sought by
//! Pegasos (Shalev-Shwartz, Singer and Srebro, ICML 2007): in step t with rate 1/(λt) a
//! sub-gradient on `batch` fresh pairs, then the projection to μ ≥ 0, then that to the ball
//! ‖μ‖ ≤ 1/√λ.
//!
//! | symbol | name |
//! |---|---|
//! | μ, one column per λ | `Learners::weights` |
//! | λ | `lambda` |
//! | z_ij, t_ij | [`pairs::Chunk`]: `examples`, `signs` |
//! | s | `unit` |
//!
//! **Choices that the source leaves open.** Pairs with equal and with different classes weigh ½
//! each (every batch alternates; the source balances by subsampling); within a sign all pairs are
//! equally likely. Pairs i = i belong to (5.2) and take part; `diagonal = exclude` leaves them out.
//! s is the mean of all diagonal entries of all kernels, so that the grid of λ means the same in
//! any unit; it is 1 for standardised kernels, the source's setting. λ is chosen from 100·4⁻ᵏ ≥
//! 10⁻⁸ by the hinge loss on a validation fifth: the split is over *pairs*, as in the source; a
//! pair falls into the fifth by a hash of (i, j) and the seed, so nothing is stored. All λ learn
//! side by side from the same stream of pairs; the winner (the larger λ on a tie) is trained once
//! more on all pairs. If a sign has no pair in a part, all its pairs serve there. The source runs
//! 10³ steps on small data sets and 10⁵ on large ones; the default is 10⁴.
//!
//! **Result.** The rule gets μ/Σμ: only the direction of μ matters to the pair classifier, and with
//! Σ = 1 the cost C of the machine means the same as for the mean of the kernels. μ = 0 (no kernel
//! separates the pairs) gives the mean, with a note.
//!
//! **Scale.** Scaling all kernels by one factor changes nothing. Scaling one kernel does: ‖μ‖² is
//! cheaper for kernels with large values, so standardise. Two copies of a kernel get equal weights
//! and together more than one copy alone.
//!
//! **Cost**: 2·`steps`·`batch` pairs fetched, once for all λ and once for the winner, and about
//! 20 times M multiplications for each; no dependence on n or on the number of classes. Memory:
//! [`pairs::BUFFER`] bytes for K-examples and 4 bytes an instance. The grid is learned in one thread,
//! pairs are fetched by all.

mod pairs;
mod slope;

use super::{Learned, Learner, Problem, Rule, check};
use crate::kernel::Normalization;
use crate::method::{Build, Method, Param, Params, Range, Task, WeightSet};
use crate::{Event, Report, Result, Run, Status, Watch};
use pairs::{Chunk, Part, Sampler};

/// The registry entry.
pub static METHOD: Method = Method {
    id: "two_stage",
    title: "two-stage MKL (TS-MKL)",
    source: "LMS (5.2), §5.3.1 (G1)",
    summary: "Learns the weights first, as a linear classifier that tells pairs of the same class \
              from pairs of different classes, then the machine. Its cost does not depend on the \
              number of instances or classes.",
    tasks: &[Task::Classify],
    control: false,
    weights: WeightSet::Simplex,
    params: &[
        Param {
            name: "steps",
            doc: "Sub-gradient steps.",
            range: Range::Int { default: 10_000, min: 1, max: 1_000_000_000 },
        },
        Param {
            name: "batch",
            doc: "Pairs of instances for each step.",
            range: Range::Int { default: 100, min: 2, max: 1_000_000 },
        },
        Param {
            name: "lambda",
            doc: "λ of (5.2); 0 chooses it by validation from 100·4⁻ᵏ.",
            range: Range::Real { default: 0.0, min: 0.0, max: 1e6, closed: true },
        },
        Param {
            name: "diagonal",
            doc: "Whether an instance paired with itself is an example.",
            range: Range::Choice { default: "include", of: &["include", "exclude"] },
        },
    ],
    build: Build::Learner(|p| Box::new(TwoStage::new(p))),
};

/// Most pairs on which λ is validated.
const VALIDATION: usize = 20_000;

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
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let watch = run.watch();
        let mut report = Report::closed_form(run);
        report.status = Status::Converged;
        report.notes.extend(uncentred(problem));
        let sampler = Sampler::new(problem, self.diagonal, run)?;
        let lambda = if self.lambda > 0.0 {
            self.lambda
        } else {
            self.choose(&sampler, run, &watch, &mut report)
        };
        let mut learner = Learners::new(problem.bank.len(), vec![lambda]);
        if report.status.is_success() {
            self.descend(&mut learner, &sampler, Part::All, run, &watch, &mut report);
        }
        let mu = learner.column(0);
        let sum: f64 = mu.iter().sum();
        let kernels = problem.bank.len();
        let weights = if sum > 0.0 && sum.is_finite() {
            mu.iter().map(|w| w / sum).collect()
        } else {
            report.notes.push(if report.status.is_success() {
                "no kernel tells pairs of one class from pairs of two: every weight became 0, \
                 and the mean of the kernels is used"
                    .to_string()
            } else {
                format!("stopped ({}) before any weight; the mean is used", report.status)
            });
            vec![1.0 / kernels as f64; kernels]
        };
        if report.status.is_success() {
            let loss = self.validate(std::slice::from_ref(&mu), &sampler, Part::All)[0];
            let norm: f64 = mu.iter().map(|w| w * w).sum();
            report.objective.push(0.5 * lambda * norm + loss);
        }
        report.seconds = watch.seconds();
        Ok(Learned { rule: Rule::Linear { weights }, machines: None, report })
    }

    fn depends_on_machine(&self) -> bool {
        false
    }
}

/// A remark if a kernel is not centred, as those of the source are.
fn uncentred(problem: &Problem<'_>) -> Option<String> {
    let centred =
        |n: &Normalization| matches!(n, Normalization::Center | Normalization::CenterUnitVariance);
    let kernels = problem.bank.kernels();
    let bare = kernels.iter().filter(|k| !k.normalize.iter().any(centred)).count();
    (bare > 0).then(|| {
        format!(
            "two_stage: kernels that are not centred: {bare} of {}; the source (LMS §5.3) centres \
             kernels and gives them unit variance, without that the weights can mislead: try \
             normalize=center_unit_variance, as in \
             gaussian:sigma=median:normalize=center_unit_variance",
            kernels.len()
        )
    })
}

impl TwoStage {
    /// The λ with the least hinge loss on the validation pairs.
    fn choose(&self, sampler: &Sampler<'_>, run: &Run, watch: &Watch, report: &mut Report) -> f64 {
        let grid = grid();
        let mut learners = Learners::new(sampler.kernels(), grid.clone());
        self.descend(&mut learners, sampler, Part::Training, run, watch, report);
        let columns: Vec<Vec<f64>> = (0..grid.len()).map(|l| learners.column(l)).collect();
        let losses = self.validate(&columns, sampler, Part::Validation);
        let mut best = 0;
        for l in 1..grid.len() {
            if losses[l] < losses[best] {
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

    /// All steps, for all λ of the learners, on fresh pairs of one part.
    fn descend(
        &self,
        learners: &mut Learners,
        sampler: &Sampler<'_>,
        part: Part,
        run: &Run,
        watch: &Watch,
        report: &mut Report,
    ) {
        let stage = match part {
            Part::Training => "kernel weights for each λ",
            _ => "kernel weights",
        };
        run.tell(Event::Begin { stage, total: Some(self.steps as u64) });
        let mut stream = sampler.stream(part);
        let together = sampler.batches_together(self.batch);
        let mut chunk = Chunk::default();
        let mut done = 0;
        while done < self.steps {
            if let Some(status) = watch.stop() {
                report.status = status;
                break;
            }
            let batches = together.min(self.steps - done);
            stream.fetch(batches * self.batch, &mut chunk);
            for b in 0..batches {
                learners.step(&chunk, b * self.batch, self.batch);
            }
            done += batches;
            run.tell(Event::Step { done: done as u64, message: "" });
        }
        run.tell(Event::End);
        report.iterations = done;
    }

    /// Mean hinge loss of each weight vector on fresh pairs of one part.
    fn validate(&self, all: &[Vec<f64>], sampler: &Sampler<'_>, part: Part) -> Vec<f64> {
        let pairs = VALIDATION.min(self.steps.saturating_mul(self.batch).max(1000));
        let mut stream = sampler.check_stream(part);
        let mut chunk = Chunk::default();
        let mut losses = vec![0.0; all.len()];
        let together = sampler.batches_together(1);
        let mut done = 0;
        while done < pairs {
            let count = together.min(pairs - done);
            stream.fetch(count, &mut chunk);
            for (z, t) in chunk.iter() {
                for (loss, mu) in losses.iter_mut().zip(all) {
                    let margin: f64 = mu.iter().zip(z).map(|(w, z)| w * z).sum();
                    *loss += (1.0 - t * margin).max(0.0) / pairs as f64;
                }
            }
            done += count;
        }
        losses
    }
}

/// Columns that are worked on together.
const LANES: usize = 8;

/// Pegasos for several λ at once.
struct Learners {
    lambdas: Vec<f64>,
    /// M × `width`: a column for each λ, then columns of zeros.
    weights: Vec<f64>,
    gradient: Vec<f64>,
    /// L rounded up to whole lanes.
    width: usize,
    steps: u64,
}

impl Learners {
    fn new(kernels: usize, lambdas: Vec<f64>) -> Self {
        let width = lambdas.len().next_multiple_of(LANES);
        let zeros = vec![0.0; kernels * width];
        Learners { lambdas, weights: zeros.clone(), gradient: zeros, width, steps: 0 }
    }

    /// μ for one λ.
    fn column(&self, l: usize) -> Vec<f64> {
        self.weights[l..].iter().step_by(self.width).copied().collect()
    }

    /// One step on `count` examples of the chunk from `first` on.
    fn step(&mut self, chunk: &Chunk, first: usize, count: usize) {
        self.gradient.fill(0.0);
        for from in (0..self.width).step_by(LANES) {
            slope::add(chunk, first, count, &self.weights, self.width, from, &mut self.gradient);
        }
        self.steps += 1;
        let t = self.steps as f64;
        for (k, lambda) in self.lambdas.iter().enumerate() {
            let rate = 1.0 / (lambda * t * count as f64);
            let mut norm = 0.0;
            let columns = self.weights[k..].iter_mut().zip(&self.gradient[k..]);
            for (w, g) in columns.step_by(self.width) {
                *w = ((1.0 - 1.0 / t) * *w + rate * g).max(0.0);
                norm += *w * *w;
            }
            let shrink = 1.0 / (lambda * norm).sqrt();
            if shrink < 1.0 {
                self.weights[k..].iter_mut().step_by(self.width).for_each(|w| *w *= shrink);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_are_not_centred_are_remarked_once() {
        let (views, labels) = crate::data::toy::views(30, 2, &[3.0, 1.0], 1).unwrap();
        let notes = |spec: &str| {
            let mkl = crate::model::Mkl::new("two_stage").unwrap().param("steps", 20);
            let mkl = mkl.kernels([spec.parse().unwrap()]);
            mkl.fit(&views, &labels, &Run::default()).unwrap().report().notes.clone()
        };
        let said = notes("gaussian:gamma=1");
        let about = said.iter().filter(|n| n.contains("not centred")).collect::<Vec<_>>();
        assert_eq!(about.len(), 1, "{said:?}");
        let start = "two_stage: kernels that are not centred: 2 of 2; ";
        assert!(about[0].starts_with(start), "{about:?}");
        let said = notes("gaussian:gamma=1:normalize=center_unit_variance");
        assert!(!said.iter().any(|n| n.contains("centred")), "{said:?}");
    }

    #[test]
    fn grid_of_lambda() {
        let grid = grid();
        assert_eq!((grid.len(), grid[0], grid[1]), (17, 100.0, 25.0));
        assert!(grid[16] >= 1e-8 && grid[16] / 4.0 < 1e-8);
    }

    #[test]
    fn pegasos_steps_by_hand() {
        // z = (1, 2), t = +1, λ = ½. Step 1: rate 2, μ = (2, 4), ‖μ‖ = √20 > √2: shrunk by
        // √(2/20) to (0.632…, 1.264…). Step 2 on z = (3, 0), t = −1: margin −1.897 < 1, rate 1:
        // μ = ½(0.632, 1.264) − (3, 0) → (0, 0.632).
        let mut learner = Learners::new(2, vec![0.5]);
        let chunk = Chunk::of(2, vec![1.0, 2.0, 3.0, 0.0], vec![1.0, -1.0]);
        learner.step(&chunk, 0, 1);
        let a = 2.0 * 0.1_f64.sqrt();
        assert!(
            (learner.column(0)[0] - a).abs() < 1e-15
                && (learner.column(0)[1] - 2.0 * a).abs() < 1e-15
        );
        learner.step(&chunk, 1, 1);
        assert!(learner.column(0)[0] == 0.0 && (learner.column(0)[1] - a).abs() < 1e-15);
    }
}
