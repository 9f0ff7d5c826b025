//! The convex combination of least distance to the ideal kernel.
//!
//! ```text
//! min over η ≥ 0, Σ η = 1    ‖K_η/u − T‖²_F = ηᵀGη/u² − 2ηᵀa/u + ⟨T, T⟩,     G_mh = ⟨K_m, K_h⟩,  a_m = ⟨K_m, T⟩
//! ```
//!
//! (He et al. 2008; LMKA (2.8), whose first form squares the squared norm: the program below it is the squared
//! norm, and that is what is solved.) T is the [ideal kernel](super::measures::Ideal) of classes, two or
//! more, or of real numbers divided by their standard deviation, so that its diagonal is 1 on average.
//!
//! **Choice that the source leaves open.** Unlike alignment, a distance depends on the unit of the kernels: u is
//! the mean of all diagonal entries of all kernels, so that K_η/u and T are of one size. Kernels with unit
//! diagonal, the usual setting, have u = 1. Kernels are not centred by default, as in the source.
//!
//! **Certificate.** The objective f is the squared distance over ⟨T, T⟩. By convexity min f ≥ f(η) − (ηᵀ∇f − min_m
//! ∂f/∂η_m); the gap is that difference over f(η), or over what makes rounding count as solved where f(η) is less.
//!
//! **Scale.** All kernels times s: no change. One kernel: large values are far from T, so normalise. Two copies
//! share the weight that one would have. Cost: one pass over the kernels of n²M²/2 multiplications, an M × M
//! program, one machine.

use super::measures::{CENTERED_NOT, Found, Ideal, Products, is_centered, passed, unit, weighted};
use super::{Learned, Learner, Problem, check};
use crate::data::Target;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::run::Pass;
use crate::solve::simplex::minimize_on_simplex;
use crate::{Error, Report, Result, Run, Status};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(IdealDistance { centered: is_centered(p) }) };

static METHOD: Method = Method {
    id: "ideal_distance",
    title: "distance to the ideal kernel",
    source: "He, Chang, Xie 2008; Gönen 2010, (2.8)",
    summary: "The convex combination that is nearest to the ideal kernel, entry by entry; unlike alignment it \
              minds the size of the entries. One pass over all pairs of kernels and one machine.",
    tasks: &[Task::Classify, Task::Regress],
    group: Group::Alignment,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[CENTERED_NOT],
};

/// How exact slopes at the solution are, over the largest second derivative.
const ROUNDING: f64 = 1e-12;
/// Relative gap from which the program counts as solved.
const SOLVED: f64 = 1e-6;

#[derive(Debug)]
struct IdealDistance {
    centered: bool,
}

impl Learner for IdealDistance {
    fn weights_repeat(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let (bank, watch) = (problem.bank, run.watch());
        let mut report = Report::closed_form(run);
        let ideal = Ideal::of(&standardised(problem.target)?)?;
        let products =
            Products::in_pass(bank, &ideal, self.centered, true, run, &Pass::under(&watch))?;
        let m = bank.len();
        if let Some(stopped) = passed(m, &report, &watch) {
            return Ok(stopped);
        }
        let Some(inner) = &products.inner else {
            return Err(Error::Data("the products of different kernels are not there".to_string()));
        };
        let unit = unit(bank);
        let hessian: Vec<f64> =
            inner.values().iter().map(|g| 2.0 * g / (unit * unit) / products.ideal).collect();
        let slope = |weights: &[f64]| -> Vec<f64> {
            let row = |k: usize| -> f64 {
                hessian[k * m..(k + 1) * m].iter().zip(weights).map(|(h, w)| h * w).sum()
            };
            (0..m).map(|k| row(k) - 2.0 * products.with_ideal[k] / unit / products.ideal).collect()
        };
        let value = |weights: &[f64], slope: &[f64]| -> f64 {
            let linear = products.with_ideal.iter().map(|a| a / unit / products.ideal);
            let parts = weights.iter().zip(slope).zip(linear);
            1.0 + parts.map(|((w, s), a)| w * (0.5 * s - a)).sum::<f64>()
        };
        let start = vec![1.0 / m as f64; m];
        let from = slope(&start);
        let (weights, _) = minimize_on_simplex(&start, &from, &hessian);
        let to = slope(&weights);
        let (before, after) = (value(&start, &from), value(&weights, &to));
        let along: f64 = weights.iter().zip(&to).map(|(w, s)| w * s).sum();
        let least = to.iter().copied().fold(f64::INFINITY, f64::min);
        // Beside a distance that is next to nothing all that is left would be rounding.
        let largest = hessian.iter().fold(1.0_f64, |a, h| a.max(h.abs()));
        let gap = (along - least).max(0.0) / after.max(ROUNDING * largest / SOLVED);
        report.objective = vec![before, after];
        report.iterations = 1;
        report.gap = Some(gap);
        report.status = if gap <= SOLVED { Status::Converged } else { Status::Stalled };
        report.details.insert("alignment".to_string(), vec![products.alignment(&weights)]);
        report.details.insert("distance".to_string(), vec![after.max(0.0).sqrt()]);
        report.details.insert("unit".to_string(), vec![unit]);
        Ok(weighted(&Found { weights: &weights, zero: "every weight is 0" }, report, &watch))
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    fn samples(&self) -> Option<usize> {
        Some(super::row_sample::MOST)
    }
}

/// Real numbers with standard deviation 1.
pub(in crate::mkl) fn standardised(target: &Target) -> Result<Target> {
    let Target::Real(values) = target else { return Ok(target.clone()) };
    let n = values.len() as f64;
    // Their squares might overflow.
    let largest = values.iter().fold(f64::MIN_POSITIVE, |a, v| a.max(v.abs()));
    let values: Vec<f64> = values.iter().map(|v| v / largest).collect();
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    match deviation > 0.0 {
        true => Ok(Target::Real(values.iter().map(|v| v / deviation).collect())),
        false => {
            Err(Error::Labels("all numbers are the same, so there is no ideal kernel".to_string()))
        }
    }
}
