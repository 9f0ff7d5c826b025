//! Alignment by gradient ascent over the weights.
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

use super::measures::{CENTERED_NOT, Found, Ideal, Products, is_centered, passed, weighted};
use super::{Copies, Learned, Learner, Problem, check};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::run::Pass;
use crate::{Report, Result, Run, Status};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(Ascent::new(p)) };

static METHOD: Method = Method {
    id: "alignment_gradient",
    title: "alignment by gradient ascent",
    source: "Igel, Glasmachers, Mersch, Pfeifer, Meinicke 2007; Gönen 2010, §2.3.1.1",
    summary: "Climbs from the mean of the kernels to the combination with the largest alignment; few steps keep \
              all kernels. alignf goes there at once.",
    tasks: &[Task::Classify, Task::Regress],
    group: Group::Alignment,
    certificate: Certificate::Trace,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[
        Param {
            name: "max_iterations",
            doc: "Steps at most.",
            range: Range::Int { default: 1_000, min: 1, max: i64::MAX },
        },
        Param {
            name: "tol",
            doc: "Slope in the logarithm of a weight, relative to the alignment, to stop at.",
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
    max_iterations: usize,
    tol: f64,
    centered: bool,
}

impl Ascent {
    fn new(p: &Params) -> Self {
        Ascent {
            max_iterations: p.count("max_iterations"),
            tol: p.real("tol"),
            centered: is_centered(p),
        }
    }

    /// The weights at the end of the ascent.
    fn climb(&self, products: &Products, report: &mut Report) -> Vec<f64> {
        let m = products.norms.len();
        let mut weights = vec![1.0 / m as f64; m];
        let mut value = products.alignment(&weights);
        report.objective.push(value);
        let mut length = 1.0_f64;
        report.status = Status::IterationLimit;
        while report.iterations < self.max_iterations {
            let slope: Vec<f64> =
                weights.iter().zip(products.slope(&weights)).map(|(w, s)| w * s).collect();
            let steepest = slope.iter().fold(0.0_f64, |a, s| a.max(s.abs()));
            if steepest <= self.tol * value.abs() {
                report.status = Status::Converged;
                break;
            }
            let promised: f64 = slope.iter().map(|s| s * s).sum();
            length = (2.0 * length).min(FARTHEST / steepest);
            let next = loop {
                let moved: Vec<f64> =
                    weights.iter().zip(&slope).map(|(w, s)| w * (length * s).exp()).collect();
                let sum: f64 = moved.iter().sum();
                let moved: Vec<f64> = moved.iter().map(|w| w / sum).collect();
                let found = products.alignment(&moved);
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
            (weights, value) = (moved, found);
            report.iterations += 1;
            report.objective.push(value);
        }
        weights
    }
}

impl Learner for Ascent {
    fn weights_repeat(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let (bank, watch) = (problem.bank, run.watch());
        let mut report = Report::closed_form(run);
        let ideal = Ideal::of(problem.target)?;
        let products =
            Products::in_pass(bank, &ideal, self.centered, true, run, &Pass::under(&watch))?;
        if let Some(stopped) = passed(bank.len(), &report, &watch) {
            return Ok(stopped);
        }
        let weights = self.climb(&products, &mut report);
        if report.iterations == 0 {
            report.iterations = 1;
            report.objective.push(report.objective[0]);
        }
        Ok(weighted(&Found { weights: &weights, zero: "every weight is 0" }, report, &watch))
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }
}
