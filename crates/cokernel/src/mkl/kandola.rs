//! Kandola's regularised alignment: a quadratic program whose penalty keeps weights small.
//!
//! ```text
//! max over η ≥ 0    ηᵀa − ηᵀGη − λ' ‖η‖²,     G_mh = ⟨K_m, K_h⟩,  a_m = ⟨K_m, T⟩
//! ```
//!
//! (Kandola, Shawe-Taylor and Cristianini 2002; LMKA §2.3.1.2.) Without the penalty the direction of η is that of
//! [`alignf`](super::alignf); a large one leaves η ∝ a₊, every kernel by itself. T is the [ideal
//! kernel](super::measures::Ideal) of classes, two or more, or of real numbers.
//!
//! **Choices that the source leaves open.** λ' = λ · (the mean of ⟨K_m, K_m⟩), so that λ means the same for
//! kernels of any size. Kernels are not centred by default, as in the source. The rule gets the direction of
//! η with sum 1.
//!
//! **Certificate.** The objective is f(η), which is maximised. With η scaled so that f is best along it and s
//! the least number ≥ 1 with 2s(G + λ'I)η ≥ a, no η has more than s² f(η): the gap is s² − 1
//! ([`nonnegative`](crate::solve::nonnegative)). It rests on ⟨K_m, K_h⟩ ≥ 0, which positive semi-definite
//! kernels have. Where kernels are of very different size a weight that is next to nothing beside the others and not best
//! makes s large; then another bound is the better one: with the slope g at η, G being positive semi-definite,
//! no step d ≥ −η gains more than Σ_m max over d_m of (g_m d_m − λ' d_m²).
//!
//! **Scale.** All kernels times s: no change. Two copies get the same weight, and more together than the one
//! had. Cost: one pass over the kernels of n²M²/2 multiplications, an M × M program, one machine.

use super::alignf::{ended, inner};
use super::definite::refuse_clearly_indefinite;
use super::measures::{CENTERED_NOT, Found, Ideal, Products, is_centered, passed, weighted};
use super::{Copies, Learned, Learner, Problem, check};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Range};
use crate::run::Pass;
use crate::solve::nonnegative::minimize_nonnegative;
use crate::{Report, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry {
    method: &METHOD,
    build: |p| Box::new(Kandola { lambda: p.real("lambda"), centered: is_centered(p) }),
};

static METHOD: Method = Method {
    id: "kandola",
    title: "regularised kernel alignment",
    source: "Kandola, Shawe-Taylor, Cristianini 2002; Gönen 2010, §2.3.1.2",
    summary: "Joint alignment with a penalty on large weights, between the joint one and that of each kernel \
              by itself. One pass over all pairs of kernels and one machine.",
    tasks: &[Task::Classify, Task::Regress],
    group: Group::Alignment,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[
        Param {
            name: "lambda",
            doc: "Penalty λ on ‖η‖², times the mean of ⟨K_m, K_m⟩; 0 is joint alignment, large values weigh \
                  every kernel by itself.",
            range: Range::Real { default: 0.1, min: 0.0, max: 1e12, closed: true },
        },
        CENTERED_NOT,
    ],
};

#[derive(Debug)]
struct Kandola {
    lambda: f64,
    centered: bool,
}

impl Learner for Kandola {
    fn weights_repeat(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let (bank, watch) = (problem.bank, run.watch());
        refuse_clearly_indefinite(problem, "Kandola's alignment")?;
        let mut report = Report::closed_form(run);
        let ideal = Ideal::of(problem.target)?;
        let products =
            Products::in_pass(bank, &ideal, self.centered, true, run, &Pass::under(&watch))?;
        let m = bank.len();
        if let Some(stopped) = passed(m, &report, &watch) {
            return Ok(stopped);
        }
        let mut quadratic = inner(problem, &products)?.to_vec();
        let mean = products.norms.iter().sum::<f64>() / m as f64;
        (0..m).for_each(|k| quadratic[k * m + k] += self.lambda * mean);
        let half: Vec<f64> = products.with_ideal.iter().map(|a| 0.5 * a).collect();
        let found = minimize_nonnegative(&quadratic, &half, &watch);
        report.objective = found.objective.iter().map(|f| -f).collect();
        let value = report.objective.last().copied().unwrap_or(0.0);
        let left = gain_at_most(&quadratic, &products.with_ideal, self.lambda * mean, &found.x);
        let by_penalty = if value > 0.0 { left / value } else { f64::INFINITY };
        let gap = (found.excess * found.excess - 1.0).min(by_penalty);
        report.iterations = report.objective.len() - 1;
        report.gap = Some(gap);
        report.status = ended(gap, &watch);
        report.details.insert("alignment".to_string(), vec![products.alignment(&found.x)]);
        report.details.insert("eta".to_string(), found.x.clone());
        let zero = "no kernel is aligned with the target";
        Ok(weighted(&Found { weights: &found.x, zero }, report, &watch))
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    fn samples(&self) -> Option<usize> {
        Some(super::row_sample::MOST)
    }

    fn copies(&self) -> Copies {
        if self.lambda > 0.0 { Copies::CountTwice } else { Copies::Share }
    }
}

/// What ηᵀa − ηᵀQη, where Q is a positive semi-definite matrix and `penalty` times the identity, can be larger anywhere in
/// η ≥ 0 than at x: for each coordinate by itself the most that its slope gains against the penalty.
fn gain_at_most(q: &[f64], a: &[f64], penalty: f64, x: &[f64]) -> f64 {
    if penalty <= 0.0 {
        return f64::INFINITY;
    }
    let gain = |(row, (a, x)): (&[f64], (&f64, &f64)), all: &[f64]| -> f64 {
        let slope = a - 2.0 * row.iter().zip(all).map(|(q, x)| q * x).sum::<f64>();
        let step = (0.5 * slope / penalty).max(-x);
        slope * step - penalty * step * step
    };
    q.chunks_exact(a.len()).zip(a.iter().zip(x)).map(|one| gain(one, x)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gain_that_is_left_bounds_what_better_weights_gain() {
        let (q, a, penalty) = ([2.5, 1.0, 1.0, 1.5], [3.0, -1.0], 0.5);
        let value = |x: &[f64; 2]| -> f64 {
            let product = |i: usize| q[2 * i] * x[0] + q[2 * i + 1] * x[1];
            (0..2).map(|i| x[i] * (a[i] - product(i))).sum()
        };
        // The second kernel is worse than none.
        let best = [0.6, 0.0];
        assert!(gain_at_most(&q, &a, penalty, &best).abs() < 1e-14);
        for x in [[0.0, 0.0], [0.3, 0.2], [0.6, 0.1], [2.0, 0.0], [0.5, 0.0]] {
            let (left, gained) = (gain_at_most(&q, &a, penalty, &x), value(&best) - value(&x));
            assert!(left >= gained - 1e-14, "{x:?}: {left} {gained}");
        }
        assert_eq!(gain_at_most(&q, &a, 0.0, &best), f64::INFINITY);
    }
}
