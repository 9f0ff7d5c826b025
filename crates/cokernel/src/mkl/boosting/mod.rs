//! Machines whose base functions are the columns of all kernels, found column by column (Bennett, Momma and Embrechts
//! 2002; Bi, Zhang and Bennett 2004; LMKA §2.4).
//!
//! ```text
//! f(x) = Σ_m Σ_i α_mi k_m(x_i, x) + b
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | h_j(x) = k_m(x_i, x)/d, one for each kernel and training instance | [`Columns`] |
//! | γ_j, coefficients of the columns | `gamma` |
//! | x, multipliers of the instances with the sign of the label | `pull` |
//! | e_j = Σ_i x_i h_j(x_i), edges | `edges` |
//!
//! d is the mean diagonal entry of the kernels, so that their unit does not matter. Three programs of one decision
//! function ([`Loss`]), n instances with the weights w_i, nM columns:
//!
//! ```text
//! Margin   min −ρ + Σ_i w_i ξ_i/(ν Σw)   y_i f(x_i) + ξ_i ≥ ρ,  ξ ≥ 0,  Σ|γ| + |b| = 1
//!          max −max_j |e_j|              x_i y_i ≥ 0,  Σ|x| = 1,  |x_i| ≤ w_i/(ν Σw)
//! Hinge    min ½‖γ‖² + ½b² + d² Σ_i C_i max(0, 1 − y_i f(x_i))            f = Σ_j γ_j h_j/√(nM) + b
//!          max Σ|x| − ½ Σ_j e_j²/(nM) − ½(Σx)²    0 ≤ x_i y_i ≤ d² C_i
//! Squares  min ½‖γ‖² + Σ_i w_i (y_i − f(x_i))²/2λ                         f = Σ_j γ_j h_j/√(nM) + b
//!          max Σ xy − ½ Σ_j e_j²/(nM) − ½ Σ_i λx_i²/w_i    Σx = 0
//! ```
//!
//! The first is linear programming boosting (Demiriz, Bennett and Shawe-Taylor 2002) on columns of kernels, whose f/ρ is
//! the 1-norm program of Bi and others with some C; b is the coefficient of a column of ones and of minus ones. In the
//! other two γ = e/√(nM), so that the optimum has all columns: they are machines on the kernel Σ_m K_m²/(nMd²), which
//! needs no positive semi-definite K_m. The factor nM makes C and λ mean the same for any number of columns.
//!
//! **Column generation.** A master program has some of the columns; its multipliers x give the edges of all columns by one
//! pass over the kernels (for all decision functions together), and those with the largest join. Masters: the interior
//! points of [`hinge`](crate::solve::hinge), a [box machine](crate::solve::boxed), [ridge regression](crate::solve::ridge),
//! the last two on the Gram matrix of the columns, to which new columns are added. Vertices of a linear program are poor prices
//! (its boosting oscillates), so a master is solved to a tenth of the gap that is left: multipliers of interior points that
//! stop early lie in the middle of the good ones (Gondzio, González-Brevis and Munari, *European Journal of Operational
//! Research* 224, 2013).
//!
//! **Certificate.** The objective of a master bounds the optimum over all columns from above, x with the edges of all
//! columns from below. The gap is theirs, relative to the objective (with a margin to at least 10⁻⁴ of Σ w ξ + |ρ|, whose
//! difference that is, and to 10⁻⁶, kernels being over d).
//!
//! **Cost** of a round: M n² for each decision function; n W² for some 15 iterations with a margin, n² for each new column
//! and a warm machine or n³/3 for the others. W columns take 8nW bytes, the Gram matrix 8n².

mod columns;
mod masters;

pub(super) use columns::Columns;

use super::{Learned, Problem};
use crate::bank::Bank;
use crate::data::{Classes, Matrix};
use crate::machine::{Block, Head, Role, Solution};
use crate::params::{Param, Range};
use crate::rule::Each;
use crate::run::Pass;
use crate::{Counts, Event, Report, Result, Run, Status, Watch};
use masters::{Answer, Master};
use rayon::prelude::*;

/// Limit on the columns.
pub(super) const MAX_COLUMNS: Param = Param {
    name: "max_columns",
    doc: "Columns of kernels that a decision function may have; boosting that stops early is a sparser model, and the \
          gap says how far from the optimum.",
    range: Range::Int { default: 2000, min: 1, max: i64::MAX },
};

/// Which program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Loss {
    /// The largest margin, but for a part ν.
    Margin { nu: f64 },
    /// The hinge loss and a 2-norm.
    Hinge,
    /// The squared loss and a 2-norm.
    Squares { lambda: f64 },
}

/// How it is done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Boosting {
    pub title: &'static str,
    pub loss: Loss,
    pub tol: f64,
    pub max_columns: usize,
}

/// One decision function to be learned: y and weights of all n instances, 0 for those that take no part.
#[derive(Debug)]
pub(super) struct Part {
    pub role: Role,
    pub y: Vec<f64>,
    pub weights: Vec<f64>,
}

/// A part on its way.
struct Work<'a> {
    part: &'a Part,
    columns: Columns,
    master: Master,
    best: Option<Answer>,
    lower: f64,
    /// To what the master is to be solved at least.
    inner: f64,
    status: Option<Status>,
    trace: Vec<f64>,
    lowers: Vec<f64>,
}

impl Boosting {
    /// Learns all decision functions.
    pub fn learn(&self, problem: &Problem<'_>, parts: &[Part], run: &Run) -> Result<Learned> {
        let watch = run.watch();
        let bank = problem.bank;
        let unit = unit(bank, problem.weights);
        let mut counts = Counts::default();
        let mut work = Vec::with_capacity(parts.len());
        for part in parts {
            let columns = Columns::new(bank, &part.weights, self.factor(bank, part, unit))?;
            let master = Master::new(self.loss, part, &columns, unit)?;
            work.push(Work {
                part,
                columns,
                master,
                best: None,
                lower: f64::NEG_INFINITY,
                inner: 0.1,
                status: None,
                trace: Vec::new(),
                lowers: Vec::new(),
            });
        }
        run.tell(Event::Begin { stage: self.title, total: None });
        let mut round = 0;
        while work.iter().any(|w| w.status.is_none()) {
            round += 1;
            let solved: Vec<(u64, u64)> =
                work.par_iter_mut().map(|w| w.solve(self.tol, &watch)).collect();
            solved.iter().for_each(|(solves, steps)| {
                counts.machine_solves += solves;
                counts.smo_steps += steps;
            });
            self.price(bank, &mut work, &watch);
            let gap = work.iter().fold(0.0, |a: f64, w| a.max(w.gap()));
            let message = format!("gap {gap:.1e}");
            run.tell(Event::Step { done: round, message: &message });
        }
        run.tell(Event::End);
        Ok(self.answer(problem, &work, unit, counts, run, &watch))
    }

    /// What values of kernels are multiplied by.
    fn factor(&self, bank: &Bank, part: &Part, unit: f64) -> f64 {
        let rows = part.weights.iter().filter(|w| **w > 0.0).count();
        match self.loss {
            Loss::Margin { .. } => 1.0 / unit,
            _ => 1.0 / (unit * ((rows * bank.len()) as f64).sqrt()),
        }
    }

    /// Lower bounds, and new columns for those that are not done.
    fn price(&self, bank: &Bank, work: &mut [Work<'_>], watch: &Watch) {
        let open: Vec<usize> = (0..work.len()).filter(|t| work[*t].status.is_none()).collect();
        let mut block = Matrix::zeros(bank.n(), open.len());
        for (k, t) in open.iter().enumerate() {
            let w = &work[*t];
            let pull = w.best.as_ref().map_or(&[][..], |b| &b.pull);
            w.columns.rows.iter().zip(pull).for_each(|(i, x)| block.set(*i as usize, k, *x));
        }
        let pass = Pass::under(watch);
        let edges: Vec<Matrix> = (0..bank.len()).map(|m| bank.apply_in(m, &block, &pass)).collect();
        let stopped = watch.stop();
        for (k, t) in open.iter().enumerate() {
            let w = &mut work[*t];
            if let Some(status) = stopped {
                w.status = Some(status);
                w.note();
                continue;
            }
            let factor = w.columns.factor;
            let edge = |m: usize, i: usize| factor * edges[m].get(i, k);
            w.price(bank, &edge, self.tol, self.max_columns);
        }
    }

    fn answer(
        &self,
        problem: &Problem<'_>,
        work: &[Work<'_>],
        unit: f64,
        counts: Counts,
        run: &Run,
        watch: &Watch,
    ) -> Learned {
        let (bank, n) = (problem.bank, problem.bank.n());
        let kernels = bank.len();
        let mut shares = vec![0.0; kernels];
        let means = bank.mean_diagonals();
        for w in work {
            let Some(best) = &w.best else { continue };
            for (place, g) in w.columns.places.iter().zip(&best.gamma) {
                let m = place.kernel;
                shares[m] += (g * w.columns.factor).abs() * means[m].abs().max(1e-6 * unit);
            }
        }
        let total: f64 = shares.iter().sum();
        if total > 0.0 && total.is_finite() {
            shares.iter_mut().for_each(|s| *s /= total);
        } else {
            shares = vec![1.0 / kernels as f64; kernels];
        }
        let used: Vec<usize> = (0..kernels).filter(|m| shares[*m] != 0.0).collect();
        let mut report = Report { counts, ..Report::closed_form(run) };
        let blocks = work.iter().map(|w| w.block(&used, n)).collect();
        let rounds = work.iter().map(|w| w.trace.len()).max().unwrap_or(1).max(1);
        let at = |v: &[f64], r: usize| v.get(r.min(v.len().max(1) - 1)).copied().unwrap_or(0.0);
        report.objective =
            (0..rounds).map(|r| work.iter().map(|w| at(&w.trace, r)).sum()).collect();
        report.iterations = rounds - 1;
        let gap = |r: usize| {
            work.iter().fold(0.0, |a: f64, w| {
                let size = w.best.as_ref().map_or(1.0, |b| b.size);
                a.max((at(&w.trace, r) - at(&w.lowers, r)).max(0.0) / size)
            })
        };
        report.gaps = (0..rounds).map(gap).collect();
        report.gap = Some(work.iter().fold(0.0, |a: f64, w| a.max(w.gap())));
        let early = work.iter().filter_map(|w| w.status).find(|s| !s.is_success());
        report.status = watch.stop().or(early).unwrap_or(Status::Converged);
        let of = |f: &dyn Fn(&Work<'_>) -> f64| work.iter().map(f).collect::<Vec<f64>>();
        report.details.insert("columns".to_string(), of(&|w| w.count() as f64));
        if let Loss::Margin { .. } = self.loss {
            report
                .details
                .insert("rho".to_string(), of(&|w| w.best.as_ref().map_or(0.0, |b| b.rho)));
        }
        // Of all columns only what has converged knows.
        let ended = |w: &&Work<'_>| w.status.is_some_and(|s| s.is_success());
        let (none, all) =
            (work.iter().filter(ended).filter(|w| w.count() == 0).count(), work.len());
        if none > 0 {
            let functions = match none == all {
                true => "and every instance is told the same".to_string(),
                false => format!(
                    "in {none} of {all} decision functions, where every instance is told the same"
                ),
            };
            let why = match self.loss {
                Loss::Margin { .. } => {
                    "with this nu the constant alone has the largest margin; a smaller nu lets fewer of them be on the wrong side"
                }
                _ => {
                    "the kernels tell nothing, or what they tell is within the tolerance of the constant at this regularisation \
                     (tol, and lambda or C)"
                }
            };
            report.warnings.push(format!("no column has a coefficient, {functions}: {why}"));
        }
        let without = |w: &Work<'_>| w.best.as_ref().is_some_and(|b| b.rho <= 0.0);
        if work.iter().filter(ended).any(without) {
            report.warnings.push(
                "no columns give a positive margin to all but a share nu of the instances: a larger nu lets more of them be \
                 on the wrong side, or take kernels that say more"
                    .to_string(),
            );
        }
        if let Some(status) = early {
            let advice = match status {
                Status::IterationLimit => "; more columns (max_columns) bring it down",
                _ => "",
            };
            report.notes.push(format!(
                "{} ended before its tolerance ({status}) at relative gap {:.1e}{advice}",
                self.title,
                report.gap.unwrap_or(f64::NAN)
            ));
        }
        report.seconds = watch.seconds();
        let machines = Solution { blocks, counts };
        Learned { machines: Some(machines), ..Learned::of(Each::rule(shares), report) }
    }
}

/// The mean diagonal entry of the kernels over the instances that take part.
fn unit(bank: &Bank, weights: Option<&[f64]>) -> f64 {
    let part = |i: usize| weights.is_none_or(|w| w[i] > 0.0);
    let rows: Vec<usize> = (0..bank.n()).filter(|i| part(*i)).collect();
    let of = |m: usize| {
        let diagonal = bank.diagonal(m);
        rows.iter().map(|i| diagonal[*i].abs() / rows.len() as f64).sum::<f64>()
    };
    let mean = (0..bank.len()).map(of).sum::<f64>() / bank.len() as f64;
    if mean > 0.0 && mean.is_finite() { mean } else { 1.0 }
}

impl Work<'_> {
    /// Solves the master; machines solved, and their steps.
    fn solve(&mut self, tol: f64, watch: &Watch) -> (u64, u64) {
        if self.status.is_some() {
            return (0, 0);
        }
        let wanted = self.inner.min((0.1 * self.gap()).max(0.3 * tol));
        let found = self.master.solve(&self.columns, wanted, watch);
        let steps = found.steps;
        match &self.best {
            // Fewer columns are never better, but for the tolerance.
            Some(best) if best.primal < found.primal => {
                let mut kept = best.clone();
                kept.gamma.resize(self.columns.len(), 0.0);
                (kept.pull, kept.dual, kept.most) = (found.pull, found.dual, found.most);
                self.best = Some(kept);
            }
            _ => self.best = Some(found),
        }
        (1, steps)
    }

    fn gap(&self) -> f64 {
        match &self.best {
            Some(best) => ((best.primal - self.lower_bound()) / best.size).max(0.0),
            None => 1.0,
        }
    }

    /// The lower bound; as much below the objective as this is worth where none is known.
    fn lower_bound(&self) -> f64 {
        let (primal, size) = self.best.as_ref().map_or((0.0, 0.0), |b| (b.primal, b.size));
        if self.lower.is_finite() { self.lower.min(primal) } else { primal - size }
    }

    fn note(&mut self) {
        self.trace.push(self.best.as_ref().map_or(0.0, |b| b.primal));
        self.lowers.push(self.lower_bound());
    }

    /// The lower bound from the edges of all columns, and the columns that join.
    fn price(
        &mut self,
        bank: &Bank,
        edge: &(dyn Fn(usize, usize) -> f64 + Sync),
        tol: f64,
        most: usize,
    ) {
        let Some(best) = &self.best else { return };
        let found = self.columns.priced(bank.len(), edge);
        let lower = self.master.lower(best, &found);
        let (least, batch) = self.master.joins(best, self.columns.len());
        if lower > self.lower && lower.is_finite() {
            self.lower = lower;
        }
        self.note();
        if self.gap() <= tol {
            self.status = Some(Status::Converged);
            return;
        }
        let room = most.saturating_sub(self.columns.len());
        let wanted = found.outside.iter().any(|o| o.edge.abs() > least);
        if wanted && room > 0 {
            let first = self.columns.len();
            // Copies of a kernel have equal columns, which have equal parts of a 2-norm.
            let signed = self.master.is_signed();
            let chosen = self.columns.choose(found.outside, least, batch.min(room), !signed);
            self.columns.add(bank, &chosen, signed);
            self.master.grow(&self.columns, first);
        } else if wanted {
            self.status = Some(Status::IterationLimit);
        } else if self.master.is_exact() || self.inner <= 1e-13 {
            self.status = Some(Status::Stalled);
        } else {
            // All columns agree: what is left is the master's own gap.
            self.inner = 0.1 * self.inner.min(self.gap());
        }
    }

    /// Columns with a coefficient.
    fn count(&self) -> usize {
        self.best.as_ref().map_or(0, |b| b.gamma.iter().filter(|g| **g != 0.0).count())
    }

    /// The decision function by coefficients of these kernels.
    fn block(&self, used: &[usize], n: usize) -> Block {
        let mut coef = vec![0.0; used.len() * n];
        let (mut bias, mut primal, mut at_bound) = (0.0, 0.0, (0, 0));
        if let Some(best) = &self.best {
            // The margin is 1 for those who read decision values.
            let scale = if best.rho > 0.0 { 1.0 / best.rho } else { 1.0 };
            (bias, primal, at_bound) = (scale * best.bias, best.primal, best.at_bound);
            for (place, g) in self.columns.places.iter().zip(&best.gamma) {
                if let Ok(p) = used.binary_search(&place.kernel) {
                    let value = scale * g * place.sign * self.columns.factor;
                    coef[p * n + place.instance as usize] += value;
                }
            }
        }
        Block {
            heads: vec![Head { role: self.part.role, coef, bias }],
            linear: 0.0,
            primal,
            objective: self.lower_bound(),
            gap: self.gap(),
            hidden: 0.0,
            status: self.status.unwrap_or(Status::Stalled),
            free: None,
            at_bound,
        }
    }
}

/// A part for each binary problem of classes: labels of −1 and 1, and the costs of those that have one.
pub(super) fn of_classes(roles: &[Role], classes: &Classes, costs: &[f64]) -> Vec<Part> {
    let one = |role: &Role| {
        let y: Vec<f64> = classes.codes.iter().map(|code| role.sign(*code)).collect();
        let weights = y.iter().zip(costs).map(|(y, c)| y.abs() * c).collect();
        Part { role: *role, y, weights }
    };
    roles.iter().map(one).collect()
}
