//! De Diego's functional combinations: the mean of two kernels plus a function of what they disagree on.
//!
//! ```text
//! absolute      K = ½(K_1 + K_2) + τ Y |K_1 − K_2| Y
//! difference    K = ½(K_1 + K_2) + τ Y (K_1 − K_2) Y
//! squared       K = ½(K_1 + K_2) + τ (K_1 − K_2)(K_1 − K_2)/‖K_1 − K_2‖_F
//! ```
//!
//! (De Diego, Moguerza and Muñoz 2004; LMKA §2.2.2.) Y = diag(y): the first two raise the values within classes and
//! lower those between. With τ = ½ `absolute` takes the larger of the two values within a class and the smaller
//! between classes. They change training alone: the class of a new instance is not known.
//!
//! **New instances.** With the class y = ±1 assumed, `absolute` and `difference` give x the decision value a(x) +
//! y b(x), a that of ½(k_1 + k_2) and b of the other term. The class that gives itself the larger margin
//! y a + b is the sign of a, so new instances are compared by ½(k_1 + k_2). `squared` needs no class: its
//! row of x is ½(k_1 + k_2) + τ(k_1 − k_2)(K_1 − K_2)/‖K_1 − K_2‖_F, and f(x) has coefficients for each kernel.
//!
//! **Choices that the source leaves open.** Several kernels are combined one after the other, as LMKA says, in the order of
//! their centred alignment, the best first, so that the order of the files does not matter; the last is half of
//! the mean term. Several classes: +1 within a class and −1 between. `squared` is divided by the norm, so
//! that τ means the same for any number of instances.
//!
//! **Indefinite matrices.** The first two need not be positive semi-definite. Then minus the smallest eigenvalue is added
//! to the diagonal, which is a cost for every instance, and a note names it.
//!
//! **Scale.** All kernels times s: as C. One kernel: normalise. Cost: n²M, n³ for the eigenvalues and for `squared`,
//! one machine; M n × n matrices with `squared`, else three.

use super::measures::{Ideal, Products};
use super::{Copies, Learned, Learner, Problem, check};
use crate::bank::Gram;
use crate::data::Matrix;
use crate::error::room_for;
use crate::machine::{How, Machine, Solution};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Range};
use crate::rule::{Each, Weighted};
use crate::run::Pass;
use crate::{Error, Report, Result, Run, Watch};
use cokernel_dense::{Slice, extreme_eigenvalues_while, plus_gram};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry {
    method: &METHOD,
    build: |p| Box::new(DeDiego { function: Function::of(p.text("function")), tau: p.real("tau") }),
};

static METHOD: Method = Method {
    id: "de_diego",
    title: "functional combination",
    source: "de Diego, Moguerza, Muñoz 2004; Gönen 2010, §2.2.2",
    summary: "The mean of two kernels plus what they disagree on, taken for what the labels say. Costs the \
              eigenvalues of one matrix and one machine.",
    tasks: &[Task::Classify],
    group: Group::Heuristics,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[
        Param {
            name: "function",
            doc: "What is taken of the difference of two kernels.",
            range: Range::Choice {
                default: "absolute",
                of: &["absolute", "difference", "squared"],
            },
        },
        Param {
            name: "tau",
            doc: "Weight τ of the difference; 0 is the mean (of two kernels).",
            range: Range::Real { default: 0.5, min: 0.0, max: 1e6, closed: true },
        },
    ],
};

/// What is taken of the difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    Absolute,
    Difference,
    Squared,
}

impl Function {
    fn of(word: &str) -> Self {
        match word {
            "difference" => Function::Difference,
            "squared" => Function::Squared,
            _ => Function::Absolute,
        }
    }
}

#[derive(Debug)]
struct DeDiego {
    function: Function,
    tau: f64,
}

/// The combined matrix, the share of each kernel in the mean term, and with `squared` the differences, each
/// times τ over its norm, in the order of `order`.
struct Combined {
    matrix: Vec<f64>,
    shares: Vec<f64>,
    differences: Vec<Vec<f64>>,
}

impl DeDiego {
    fn combined(
        &self,
        problem: &Problem<'_>,
        order: &[usize],
        pass: &Pass<'_>,
    ) -> Result<Combined> {
        let (bank, n) = (problem.bank, problem.bank.n());
        let codes = &problem.target.classes()?.codes;
        let kernel = |m: usize| -> Result<Gram> {
            let mut one = vec![0.0; bank.len()];
            one[m] = 1.0;
            bank.combine_in(&one, pass)
        };
        let matrices = if self.function == Function::Squared { bank.len() + 2 } else { 3 };
        room_for::<f64>(n.checked_mul(n).and_then(|e| e.checked_mul(matrices)), || {
            format!("{matrices} matrices of {n} × {n} similarities")
        })?;
        let mut matrix = kernel(order[0])?.into_matrix()?.into_values();
        let mut shares = vec![0.0; bank.len()];
        shares[order[0]] = 1.0;
        let mut differences = Vec::new();
        for m in &order[1..] {
            if pass.is_over() {
                break;
            }
            let other = kernel(*m)?;
            shares.iter_mut().for_each(|s| *s *= 0.5);
            shares[*m] += 0.5;
            let mut apart: Vec<f64> =
                matrix.iter().zip(other.values()).map(|(a, b)| a - b).collect();
            matrix.iter_mut().zip(other.values()).for_each(|(a, b)| *a = 0.5 * (*a + b));
            if self.function == Function::Squared {
                let norm = apart.iter().map(|v| v * v).sum::<f64>().sqrt();
                let factor = if norm > 0.0 { (self.tau / norm).sqrt() } else { 0.0 };
                apart.iter_mut().for_each(|v| *v *= factor);
                let mean = std::mem::take(&mut matrix);
                matrix = vec![0.0; n * n];
                plus_gram(Slice::new(&mean, n, n), Slice::new(&apart, n, n), &mut matrix);
                apart.iter_mut().for_each(|v| *v *= factor);
                differences.push(apart);
                continue;
            }
            for (i, (row, apart)) in matrix.chunks_mut(n).zip(apart.chunks(n)).enumerate() {
                for ((v, d), code) in row.iter_mut().zip(apart).zip(codes) {
                    let sign = if codes[i] == *code { self.tau } else { -self.tau };
                    *v += sign * if self.function == Function::Absolute { d.abs() } else { *d };
                }
            }
        }
        Ok(Combined { matrix, shares, differences })
    }
}

/// Coefficients for every kernel, the active ones in their order, of those of the combination.
fn spread(coef: &[f64], order: &[usize], differences: &[Vec<f64>], n: usize) -> Vec<f64> {
    let mut out = vec![0.0; order.len() * n];
    let mut rest = coef.to_vec();
    for (m, apart) in order[1..].iter().zip(differences).rev() {
        let moved = apart.chunks(n).map(|row| row.iter().zip(&rest).map(|(d, c)| d * c).sum());
        let moved: Vec<f64> = moved.collect();
        let own = out[m * n..(m + 1) * n].iter_mut();
        own.zip(rest.iter().zip(&moved)).for_each(|(o, (c, d))| *o = 0.5 * c - d);
        rest.iter_mut().zip(&moved).for_each(|(c, d)| *c = 0.5 * *c + d);
    }
    out[order[0] * n..(order[0] + 1) * n].copy_from_slice(&rest);
    out
}

/// Adds minus the smallest eigenvalue to the diagonal where it is negative, and says so.
fn made_definite(n: usize, matrix: &mut [f64], report: &mut Report, pass: &Pass<'_>) -> Result<()> {
    let ends = extreme_eigenvalues_while(Slice::new(matrix, n, n), &|| !pass.is_over());
    pass.complete("the least eigenvalue of the combination")?;
    let (least, most) = ends.ok_or_else(|| {
        Error::Data("the combination of the kernels has no eigenvalues".to_string())
    })?;
    let largest = most.max(-least);
    if least < -1e-12 * largest * n as f64 {
        (0..n).for_each(|i| matrix[i * n + i] -= least);
        report.notes.push(format!(
            "the combination is not positive semi-definite (smallest eigenvalue {least:.3e}, largest \
             {largest:.3e}): {:.3e} is added to its diagonal",
            -least
        ));
    }
    Ok(())
}

impl Learner for DeDiego {
    fn weights_repeat(&self) -> bool {
        false
    }

    fn trains_on_rule(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let (bank, watch) = (problem.bank, run.watch());
        let mut report = Report::closed_form(run);
        let pass = Pass::under(&watch);
        let ideal = Ideal::of(problem.target)?;
        let alignments = Products::in_pass(bank, &ideal, true, false, run, &pass)?.alignments();
        let mut order: Vec<usize> = (0..bank.len()).collect();
        order.sort_by(|a, b| alignments[*b].total_cmp(&alignments[*a]));
        let Combined { mut matrix, shares, differences } = self.combined(problem, &order, &pass)?;
        pass.complete("the combination of kernels")?;
        let n = bank.n();
        if self.function != Function::Squared {
            made_definite(n, &mut matrix, &mut report, &pass)?;
        }
        let gram = Gram::new(Matrix::new(n, n, matrix)?)?;
        let mut machines = solved(problem, &gram, run, &watch)?;
        report.counts.combines = bank.len() as u64;
        report.counts.add(&machines.counts);
        report.notes.extend(machines.remark());
        report.details.insert("order".to_string(), order.iter().map(|m| *m as f64).collect());
        report.seconds = watch.seconds();
        let rule = match self.function {
            Function::Squared => {
                for head in machines.blocks.iter_mut().flat_map(|b| b.heads.iter_mut()) {
                    head.coef = spread(&head.coef, &order, &differences, n);
                }
                Each::rule(shares)
            }
            _ => Weighted::rule(shares),
        };
        Ok(Learned { machines: Some(machines), ..Learned::of(rule, report) })
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    /// Decision values that compare an instance with itself have no coefficients.
    fn takes(&self, machine: &dyn Machine) -> bool {
        machine.own_similarity() == 0.0 && !machine.uses_unlabelled()
    }
}

fn solved(problem: &Problem<'_>, gram: &Gram, run: &Run, watch: &Watch) -> Result<Solution> {
    let left = run.remaining(watch).quiet();
    let how = How { weights: problem.weights, ..How::new(&left) };
    problem.machine.solve(gram, problem.target, &how)
}
