//! Alignment by gradient ascent over the weights, or over [widths] inside a Gaussian kernel (`over`).
//!
//! ```text
//! max over θ    A(Σ e^{θ_m} K_m, T),     ∂A/∂η_m = (⟨K_m, T⟩⟨K_η, K_η⟩ − ⟨K_η, T⟩⟨K_m, K_η⟩) / (‖T‖ ⟨K_η, K_η⟩^{3/2})
//! ```
//!
//! (Igel et al. 2007; LMKA §2.3.1.1.) The parameters are the logarithms of the weights, so that weights stay positive
//! and the combination positive semi-definite; the source allows any differentiable parameter. Its optimum
//! is that of [`alignf`](super::alignf), which finds it at once: what the ascent adds is where it stops.
//! Ended early, it stays between the mean of the kernels and the optimum, which keeps kernels that the
//! optimum leaves out.
//!
//! **Steps.** From equal weights, along the gradient in θ with a length that doubles while a step brings a tenth of
//! what its slope promises and halves until it does: the alignment never falls. The end is at a slope of
//! `tol` relative to the alignment. T is the [ideal kernel](super::measures::Ideal) of classes, two or more, or of
//! real numbers. Kernels are not centred by default, as in the source.
//!
//! **Scale.** Equal weights at the start depend on it: normalise. Two copies have the same weight. Cost: one pass
//! over the kernels of n²M²/2 multiplications, M² for each step, one machine.

mod widths;

use super::measures::{CENTERED_NOT, Found, Ideal, Products, is_centered, passed, weighted};
use super::{Copies, Learned, Learner, Problem, check};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::run::Pass;
use crate::{Error, Report, Result, Run, Status, Watch};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(Ascent::new(p)) };

static METHOD: Method = Method {
    id: "alignment_gradient",
    title: "alignment by gradient ascent",
    source: "Igel, Glasmachers, Mersch, Pfeifer, Meinicke 2007; Gönen 2010, §2.3.1.1",
    summary: "Climbs from the mean of the kernels to the combination with the largest alignment; few steps keep \
              all kernels. alignf goes there at once. Or climbs over one width for each feature, or each view, inside \
              a Gaussian kernel (over=widths), which asks no machine before the end and is not convex.",
    tasks: &[Task::Classify, Task::Regress],
    group: Group::Alignment,
    certificate: Certificate::Trace,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[
        Param {
            name: "over",
            doc: "What is learned: weights of the kernels; widths, one for each feature; view_widths, one for each view.",
            range: Range::Choice { default: "weights", of: &["weights", "widths", "view_widths"] },
        },
        Param {
            name: "max_iterations",
            doc: "Steps at most.",
            range: Range::Int { default: 1_000, min: 1, max: i64::MAX },
        },
        Param {
            name: "tol",
            doc: "Slope in the logarithm of a weight or width, relative to the alignment, to stop at.",
            range: Range::Real { default: 1e-4, min: 0.0, max: 0.5, closed: false },
        },
        CENTERED_NOT,
    ],
};

/// Share of the promised gain that a step has to bring, and lengths that are tried.
const SHARE: f64 = 0.1;
const SHORTEST: f64 = 1e-12;
/// Largest change of a logarithm in one step.
const FARTHEST: f64 = 4.0;

#[derive(Debug)]
struct Ascent {
    /// Whether widths are those of views; `None` over weights.
    by_view: Option<bool>,
    climb: Climb,
    centered: bool,
}

impl Ascent {
    fn new(p: &Params) -> Self {
        let climb = Climb { max_iterations: p.count("max_iterations"), tol: p.real("tol") };
        let by_view = match p.text("over") {
            "weights" => None,
            over => Some(over == "view_widths"),
        };
        Ascent { by_view, climb, centered: is_centered(p) }
    }
}

/// A function of positive parameters that is climbed in their logarithms.
pub(super) trait Hill {
    /// Its value; `None` after a stop.
    ///
    /// # Errors
    /// There is no memory for it.
    fn value(&self, at: &[f64]) -> Result<Option<f64>>;

    /// Its derivatives by the logarithms; `None` after a stop.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn slope(&self, at: &[f64]) -> Result<Option<Vec<f64>>>;

    /// A point of the same value that stands for this one.
    fn onto(&self, at: Vec<f64>) -> Vec<f64> {
        at
    }
}

/// How far to climb.
#[derive(Debug, Clone, Copy)]
pub(super) struct Climb {
    pub max_iterations: usize,
    /// Slope, relative to the value, to stop at.
    pub tol: f64,
}

impl Climb {
    /// The end of the ascent from these parameters. The report gets the trace of values, which never fall, steps and status.
    pub fn from(
        self,
        start: Vec<f64>,
        hill: &dyn Hill,
        report: &mut Report,
        watch: &Watch,
    ) -> Result<Vec<f64>> {
        let mut at = start;
        report.status = Status::IterationLimit;
        let stopped = || watch.stop().unwrap_or(Status::Stalled);
        let Some(mut value) = hill.value(&at)? else {
            report.status = stopped();
            return Ok(at);
        };
        report.objective.push(value);
        let mut length = 1.0_f64;
        'steps: while report.iterations < self.max_iterations {
            let Some(slope) = hill.slope(&at)? else {
                report.status = stopped();
                break;
            };
            let steepest = slope.iter().fold(0.0_f64, |a, s| a.max(s.abs()));
            if steepest <= self.tol * value.abs() {
                report.status = Status::Converged;
                break;
            }
            let promised: f64 = slope.iter().map(|s| s * s).sum();
            length = (2.0 * length).min(FARTHEST / steepest);
            let next = loop {
                let moved = at.iter().zip(&slope).map(|(w, s)| w * (length * s).exp()).collect();
                let moved = hill.onto(moved);
                let Some(found) = hill.value(&moved)? else {
                    report.status = stopped();
                    break 'steps;
                };
                if found > value && found >= value + SHARE * length * promised {
                    break Some((moved, found));
                }
                length *= 0.5;
                if length * steepest < SHORTEST {
                    break None;
                }
            };
            let Some((moved, found)) = next else {
                // Rounding hides what is left.
                let small = steepest <= 1e-6 * value.abs();
                report.status = if small { Status::Converged } else { Status::Stalled };
                break;
            };
            (at, value) = (moved, found);
            report.iterations += 1;
            report.objective.push(value);
        }
        if report.iterations == 0 {
            report.iterations = 1;
            report.objective.push(value);
        }
        Ok(at)
    }
}

impl Hill for Products {
    fn value(&self, weights: &[f64]) -> Result<Option<f64>> {
        Ok(Some(self.alignment(weights)))
    }

    fn slope(&self, weights: &[f64]) -> Result<Option<Vec<f64>>> {
        let slopes = Products::slope(self, weights);
        Ok(Some(weights.iter().zip(slopes).map(|(w, s)| w * s).collect()))
    }

    fn onto(&self, weights: Vec<f64>) -> Vec<f64> {
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|w| w / sum).collect()
    }
}

impl Learner for Ascent {
    fn weights_repeat(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        if let Some(by_view) = self.by_view {
            if self.centered {
                let text = "kernels are centred over weights alone, not over widths";
                return Err(Error::parameter("centered", text));
            }
            return widths::learn(by_view, self.climb, problem, run);
        }
        let (bank, watch) = (problem.bank, run.watch());
        let mut report = Report::closed_form(run);
        let ideal = Ideal::of(problem.target)?;
        let products =
            Products::in_pass(bank, &ideal, self.centered, true, run, &Pass::under(&watch))?;
        if let Some(stopped) = passed(bank.len(), &report, &watch) {
            return Ok(stopped);
        }
        let equal = vec![1.0 / bank.len() as f64; bank.len()];
        let weights = self.climb.from(equal, &products, &mut report, &watch)?;
        Ok(weighted(&Found { weights: &weights, zero: "every weight is 0" }, report, &watch))
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    fn copies(&self) -> Copies {
        if self.by_view.is_some() { Copies::Either } else { Copies::CountTwice }
    }

    fn needs_features(&self) -> bool {
        self.by_view.is_some()
    }

    fn degree(&self, _: usize) -> f64 {
        if self.by_view.is_some() { 0.0 } else { 1.0 }
    }
}
