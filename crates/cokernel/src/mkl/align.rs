//! Weights proportional to the alignment of each kernel with the target.
//!
//! ```text
//! η_m = A(K_m, T)₊ / Σ_h A(K_h, T)₊,     A(K, T) = ⟨K, T⟩ / √(⟨K, K⟩ ⟨T, T⟩)
//! ```
//!
//! (LMKA (2.7), Qiu and Lane 2009; centred: "align" of Cortes, Mohri and Rostamizadeh 2010.) T is the [ideal
//! kernel](super::measures::Ideal) of classes, two or more, or of real numbers. Kernels look at the target
//! one by one, so that ten copies of a kernel have ten times its weight; [`alignf`](super::alignf) looks at
//! all of them together.
//!
//! **Deviations.** Kernels and target are centred in feature space by default, which the source of (2.7) does
//! not do: the constant part of a kernel is aligned with unequal class sizes, and the machine, which has a
//! bias, makes no use of it. A negative alignment counts as 0.
//!
//! **Scale.** A(K_m, T) does not depend on the scale of K_m, but the share of kernel m in the sum does: normalise.
//! Cost: one pass over the kernels, n²M/2 multiplications, and one machine.

use super::measures::{CENTERED, Found, Ideal, Products, is_centered, passed, weighted};
use super::{Copies, Learned, Learner, Problem, check};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::run::Pass;
use crate::{Report, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(Align { centered: is_centered(p) }) };

static METHOD: Method = Method {
    id: "align",
    title: "kernel alignment of each kernel",
    source: "Qiu and Lane 2009; Cortes, Mohri, Rostamizadeh 2010; Gönen 2010, (2.7)",
    summary: "Weighs every kernel by its alignment with the labels, the cosine between the kernel and the ideal \
              one. The quickest weights that look at labels: one pass over the kernels and one machine.",
    tasks: &[Task::Classify, Task::Regress],
    group: Group::Alignment,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[CENTERED],
};

#[derive(Debug)]
struct Align {
    centered: bool,
}

impl Learner for Align {
    fn weights_repeat(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let (bank, watch) = (problem.bank, run.watch());
        let mut report = Report::closed_form(run);
        let ideal = Ideal::of(problem.target)?;
        let products =
            Products::in_pass(bank, &ideal, self.centered, false, run, &Pass::under(&watch))?;
        if let Some(stopped) = passed(bank.len(), &report, &watch) {
            return Ok(stopped);
        }
        let alignments = products.alignments();
        let weights: Vec<f64> = alignments.iter().map(|a| a.max(0.0)).collect();
        report.details.insert("alignments".to_string(), alignments);
        let zero = "no kernel is aligned with the target";
        Ok(weighted(&Found { weights: &weights, zero }, report, &watch))
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
}
