//! Joint alignment: the non-negative combination that is most like the target.
//!
//! ```text
//! max over η ≥ 0    A(K_η, T) = ηᵀa / √(ηᵀGη ⟨T, T⟩),     G_mh = ⟨K_m, K_h⟩,  a_m = ⟨K_m, T⟩
//! ```
//!
//! (Cortes, Mohri and Rostamizadeh 2010, "alignf", with centred kernels; LMS (2.7), (5.3). Without centring it
//! is Lanckriet's quadratically constrained program, LMKA (2.6): max ηᵀa with ηᵀGη ≤ 1, and Cristianini's
//! problem.) A does not change with the length of η, so that any length solves all of them: the direction is
//! that of the least vᵀGv − 2vᵀa over v ≥ 0 ([`nonnegative`](crate::solve::nonnegative)), and the rule gets
//! sum 1, with which C of the machine means what it does for the mean of the kernels. The η of (2.6), with
//! ηᵀGη = 1, is the detail `eta`.
//!
//! **Certificate.** The objective is A, which is maximised. No combination has more than s A(K_η, T) with s the
//! largest a_m ηᵀGη / ((Gη)_m ηᵀa) of all m with a_m > 0, and the gap is s − 1. It rests on ⟨K_m, K_h⟩ ≥ 0,
//! which all positive semi-definite kernels have.
//!
//! T is the [ideal kernel](super::measures::Ideal) of classes, two or more, or of real numbers; centring it
//! changes nothing where kernels are centred.
//!
//! **Scale.** s·K_m gets η_m/s: the combination stays. Two copies share the weight that one would have.
//! Cost: one pass over the kernels of n²M²/2 multiplications, an M × M program, one machine.

use super::definite::refuse_clearly_indefinite;
use super::measures::{CENTERED, Found, Ideal, Products, is_centered, passed, weighted};
use super::{Learned, Learner, Problem, check};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::run::Pass;
use crate::solve::nonnegative::minimize_nonnegative;
use crate::{Error, Report, Result, Run, Status, Watch};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(AlignF { centered: is_centered(p) }) };

static METHOD: Method = Method {
    id: "alignf",
    title: "joint kernel alignment (alignf)",
    source: "Cortes, Mohri, Rostamizadeh 2010; Lanckriet et al. 2004; Gönen 2010, (2.6); Kumar 2013, (2.7), (5.3)",
    summary: "The combination of kernels that has the largest alignment with the labels: kernels that say \
              what others say already get no weight. One pass over all pairs of kernels and one machine.",
    tasks: &[Task::Classify, Task::Regress],
    group: Group::Alignment,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[CENTERED],
};

/// Relative gap from which the program counts as solved.
pub(super) const SOLVED: f64 = 1e-6;

#[derive(Debug)]
struct AlignF {
    centered: bool,
}

impl Learner for AlignF {
    fn weights_repeat(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let (bank, watch) = (problem.bank, run.watch());
        refuse_clearly_indefinite(problem, "joint alignment")?;
        let mut report = Report::closed_form(run);
        let ideal = Ideal::of(problem.target)?;
        let products =
            Products::in_pass(bank, &ideal, self.centered, true, run, &Pass::under(&watch))?;
        if let Some(stopped) = passed(bank.len(), &report, &watch) {
            return Ok(stopped);
        }
        let inner = inner(problem, &products)?;
        let found = minimize_nonnegative(inner, &products.with_ideal, &watch);
        // The objective at a best point of a face is −(ηᵀa)²/ηᵀGη.
        let value = |f: &f64| (-f / products.ideal).max(0.0).sqrt();
        report.objective = found.objective.iter().map(value).collect();
        report.iterations = report.objective.len() - 1;
        report.gap = Some(found.excess - 1.0);
        report.status = ended(found.excess - 1.0, &watch);
        let alignment = products.alignment(&found.x);
        let length = found.objective.last().map_or(0.0, |f| (-f).max(0.0).sqrt());
        let eta = found.x.iter().map(|x| if length > 0.0 { x / length } else { 0.0 }).collect();
        report.details.insert("alignment".to_string(), vec![alignment]);
        report.details.insert("alignments".to_string(), products.alignments());
        report.details.insert("eta".to_string(), eta);
        let zero = "no kernel is aligned with the target";
        Ok(weighted(&Found { weights: &found.x, zero }, report, &watch))
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    fn samples(&self) -> Option<usize> {
        Some(super::row_sample::MOST)
    }
}

/// How a program ended that is solved to this gap.
pub(super) fn ended(gap: f64, watch: &Watch) -> Status {
    match watch.stop() {
        _ if gap <= SOLVED => Status::Converged,
        Some(stopped) => stopped,
        None => Status::Stalled,
    }
}

/// ⟨K_m, K_h⟩, none of which is negative.
pub(super) fn inner<'a>(problem: &Problem<'_>, products: &'a Products) -> Result<&'a [f64]> {
    let kernels = problem.bank.kernels();
    let Some(inner) = &products.inner else {
        return Err(Error::Data("the products of different kernels are not there".to_string()));
    };
    let m = kernels.len();
    for (k, v) in inner.values().iter().enumerate() {
        let (a, b) = (k / m, k % m);
        // Rounding of the centring is far below.
        if *v < -1e-10 * (products.norms[a] * products.norms[b]).sqrt() {
            return Err(Error::Data(format!(
                "kernels '{}' and '{}' have the inner product {v:.3e}: positive semi-definite ones have none \
                 below 0, and the bound of joint alignment rests on that; leave out the one that is not",
                kernels[a].name, kernels[b].name
            )));
        }
    }
    Ok(inner.values())
}
