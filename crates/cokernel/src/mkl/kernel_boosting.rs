//! Kernel boosting: a kernel that is a sum of products g(x) g(z), each from one of the given kernels, by the loss of pairs
//! of instances.
//!
//! ```text
//! K(x, z) = Σ_t α_t g_t(x) g_t(z),      g_t(x) = Σ_i β_ti k_m(t)(x_i, x),      |g_t(x_i)| ≤ 1
//! exponential  Σ_ij w_i w_j exp(−s_ij K(x_i, x_j))      logistic  Σ_ij w_i w_j log(1 + exp(−s_ij K(x_i, x_j)))
//! ```
//!
//! with s_ij = 1 for two instances of one class and −1 for others (Crammer, Keshet and Singer 2003; LMKA §2.4). A round gives
//! each pair the weight D_ij, minus the slope of its loss, over their sum; finds for every kernel the g of the generalised
//! eigenvalue problem
//!
//! ```text
//! max_β  gᵀ(D∘s)g      (1/n) gᵀg + ε d ‖w‖² = 1,      g = K_m β,  ‖w‖² = βᵀK_mβ,  d the mean diagonal entry
//! ```
//!
//! scales it to max |g| = 1, takes the kernel whose g lets the bound fall most, (√W⁺ − √W⁻)², and steps by
//! α = ½ log(W⁺/W⁻), with W± = Σ D_ij |g_i g_j| over the pairs with s_ij g_i g_j > 0 and < 0.
//!
//! | symbol | name |
//! |---|---|
//! | ε | parameter `ridge` |
//! | K over its mean diagonal entry, on which the machine is trained | `gram` |
//! | Λ, U of K_m | [`Base`] |
//!
//! As K is of low rank, the decision function Σ_i c_i K(x_i, x) + b is Σ_m Σ_i A_mi k_m(x_i, x) + b with
//! A_m = Σ_{t of m} α_t (g_tᵀc) β_t: the rule has coefficients for every kernel.
//!
//! **Objective.** As |g_i g_j| ≤ 1, both losses fall by the bound of boosting (Schapire and Singer, *Machine Learning* 37,
//! 1999; Collins, Schapire and Singer, *Machine Learning* 48, 2002): the trace, mean losses of pairs, is monotone.
//!
//! `rounds` is a choice, not a limit that is met or missed: the status is that of the machine.
//!
//! **Deviations.** The paper's base kernels are ⟨w, x⟩⟨w, z⟩ of features, with the second moment of unlabelled instances in
//! the constraint; here w lies in the feature space of a kernel, which adds the ridge, and the second moment is that of the
//! training instances. W± have 1/n² added. Several classes are learned together. The paper's text is not at hand.
//!
//! **Scale.** All kernels times s leave K as it is.
//!
//! **Cost**: n³ for each kernel at the start, then for each round and kernel some 20 products with n × n matrices; memory
//! 8n²(M + 3).

use super::definite::refuse_indefinite;
use super::{Learned, Learner, Problem, check};
use crate::bank::Gram;
use crate::data::{Classes, Matrix};
use crate::error::room_for;
use crate::machine::{Head, How, Machine, Reading, Solution};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::Each;
use crate::run::Pass;
use crate::solve::dense::{Slice, product, symmetric_eigen_in};
use crate::solve::eigen::{Options, top_eigenpairs};
use crate::{Counts, Event, Report, Result, Run, Status, Watch};
use cokernel_dense::simd;
use rayon::prelude::*;

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(KernelBoosting::new(p)) };

static METHOD: Method = Method {
    id: "kernel_boosting",
    title: "kernel boosting",
    source: "Crammer, Keshet, Singer 2003; Gönen 2010, §2.4",
    summary: "A kernel made of products of functions, one after the other from the kernel that tells best which pairs of \
              instances are of one class; the machine is then trained on it. Costs eigenvectors of all kernels, and one for \
              each kernel and round.",
    tasks: &[Task::Classify],
    group: Group::WeightsFirst,
    certificate: Certificate::Trace,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "pair_loss",
            doc: "Loss of pairs: exponential or logistic.",
            range: Range::Choice { default: "exponential", of: &["exponential", "logistic"] },
        },
        Param {
            name: "rounds",
            doc: "Products of functions in the kernel, at most.",
            range: Range::Int { default: 50, min: 1, max: 100_000 },
        },
        Param {
            name: "ridge",
            doc: "What the norm of a function costs beside its values on the training instances; more is smoother.",
            range: Range::Real { default: 0.01, min: 0.0, max: 1e6, closed: false },
        },
    ],
};

/// Residual that is good enough for an eigenvector: it is one of many.
const ROUGH: f64 = 1e-4;

/// Eigenvalues below this share of the largest are rounding.
const RANK: f64 = 1e-10;

#[derive(Debug)]
struct KernelBoosting {
    logistic: bool,
    rounds: usize,
    ridge: f64,
}

impl KernelBoosting {
    fn new(p: &Params) -> Self {
        KernelBoosting {
            logistic: p.text("pair_loss") == "logistic",
            rounds: p.count("rounds"),
            ridge: p.real("ridge"),
        }
    }
}

/// One kernel by its eigenvectors U on the instances that take part, and √(Λ/(Λ + δ)) and 1/√(Λ(Λ + δ)).
struct Base {
    vectors: Matrix,
    filter: Vec<f64>,
    back: Vec<f64>,
    warm: Option<Matrix>,
}

/// What a round adds: α g gᵀ.
struct Term {
    kernel: usize,
    alpha: f64,
    beta: Vec<f64>,
    g: Vec<f64>,
    /// By how much the bound falls.
    worth: f64,
}

/// Pairs of the instances that take part.
struct PairsOf<'a> {
    rows: &'a [usize],
    classes: &'a Classes,
    weights: Vec<f64>,
    logistic: bool,
    /// K so far, on all instances.
    kernel: Matrix,
}

impl PairsOf<'_> {
    /// The mean loss, and D∘s with Σ D = 1.
    fn look(&self) -> (f64, Matrix) {
        let n = self.rows.len();
        let mut slopes = Matrix::zeros(n, n);
        let all = slopes.values_mut().par_chunks_mut(n.max(1)).enumerate();
        let sums: Vec<(f64, f64)> = all.map(|(a, row)| self.row(a, row)).collect();
        let loss: f64 = sums.iter().map(|s| s.0).sum();
        let total: f64 = sums.iter().map(|s| s.1).sum();
        if total > 0.0 {
            slopes.values_mut().iter_mut().for_each(|v| *v /= total);
        }
        let mass: f64 = self.weights.iter().sum();
        (loss / (mass * mass), slopes)
    }

    /// Of the pairs of one instance: the slopes with their signs, the sum of the losses, and that of the slopes.
    fn row(&self, a: usize, slopes: &mut [f64]) -> (f64, f64) {
        let (own, code) = (self.kernel.row(self.rows[a]), self.classes.codes[self.rows[a]]);
        let sign = |j: usize| if self.classes.codes[j] == code { 1.0 } else { -1.0 };
        let z: Vec<f64> = self.rows.iter().map(|j| sign(*j) * own[*j]).collect();
        let away: Vec<f64> = z.iter().map(|z| if self.logistic { z.abs() } else { *z }).collect();
        simd::exp_of(&away, -1.0, slopes);
        let (mut loss, mut total) = (0.0, 0.0);
        for (b, slope) in slopes.iter_mut().enumerate() {
            let (e, w) = (*slope, self.weights[a] * self.weights[b]);
            let (value, size) = match (self.logistic, z[b] > 0.0) {
                (false, _) => (e, e),
                (true, true) => (e.ln_1p(), e / (1.0 + e)),
                (true, false) => (e.ln_1p() - z[b], 1.0 / (1.0 + e)),
            };
            loss += w * value;
            total += w * size;
            *slope = sign(self.rows[b]) * w * size;
        }
        (loss, total)
    }
}

impl Learner for KernelBoosting {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let (whole, run) = (run, &run.but_for_the_machine());
        let (of_all, watch) = (whole.watch(), run.watch());
        refuse_indefinite(problem, "kernel boosting", &watch)?;
        let (bank, n) = (problem.bank, problem.bank.n());
        let classes = problem.target.classes()?;
        let weight = |i: usize| problem.weights.map_or(1.0, |w| w[i]);
        let rows: Vec<usize> = (0..n).filter(|i| weight(*i) > 0.0).collect();
        let size = n.checked_mul(n).and_then(|e| e.checked_mul(bank.len() + 3));
        room_for::<f64>(size, || format!("eigenvectors of {} kernels of {n} × {n}", bank.len()))?;
        let mut counts = Counts::default();
        let mut bases = self.bases(problem, &rows, &watch, &mut counts)?;
        let mut pairs = PairsOf {
            rows: &rows,
            classes,
            weights: rows.iter().map(|i| weight(*i)).collect(),
            logistic: self.logistic,
            kernel: Matrix::zeros(n, n),
        };
        let (first, mut slopes) = pairs.look();
        let (mut objective, mut terms) = (vec![first], Vec::<Term>::new());
        run.tell(Event::Begin { stage: "kernel boosting", total: Some(self.rounds as u64) });
        let mut status = Status::Converged;
        for round in 0..self.rounds {
            if let Some(stop) = watch.stop() {
                status = stop;
                break;
            }
            let gram = Gram::new(slopes)?;
            let mut best: Option<Term> = None;
            for (m, base) in bases.iter_mut().enumerate() {
                let Some(term) = base.term(m, &gram, problem, &rows, run, &watch, &mut counts)?
                else {
                    continue;
                };
                if best.as_ref().is_none_or(|b| term.worth > b.worth) {
                    best = Some(term);
                }
            }
            // None is better than chance, or what is left is rounding.
            let Some(term) = best.filter(|t| t.worth > 1e-15) else { break };
            add(&mut pairs.kernel, term.alpha, &term.g);
            let (loss, next) = pairs.look();
            objective.push(loss);
            slopes = next;
            terms.push(term);
            let message = format!("loss {loss:.3e}");
            run.tell(Event::Step { done: round as u64 + 1, message: &message });
        }
        run.tell(Event::End);
        let kernel = pairs.kernel;
        self.answer(problem, kernel, terms, objective, status, counts, whole, &of_all)
    }

    fn degree(&self, _: usize) -> f64 {
        0.0
    }

    fn weights_repeat(&self) -> bool {
        // The diagonal pairs of an instance twice are four.
        false
    }

    fn takes(&self, machine: &dyn Machine) -> bool {
        machine.own_similarity() == 0.0
            && !machine.uses_unlabelled()
            && matches!(machine.reading(), Reading::Classes(_) | Reading::Scores)
    }
}

impl KernelBoosting {
    /// The kernels by their eigenvectors; those of which nothing is above 0 have none.
    fn bases(
        &self,
        problem: &Problem<'_>,
        rows: &[usize],
        watch: &Watch,
        counts: &mut Counts,
    ) -> Result<Vec<Base>> {
        let (bank, n) = (problem.bank, rows.len());
        let columns: Vec<u32> = rows.iter().map(|i| *i as u32).collect();
        let pass = Pass::under(watch);
        let mut bases = Vec::with_capacity(bank.len());
        for m in 0..bank.len() {
            let none = || Base {
                vectors: Matrix::zeros(n, 0),
                filter: Vec::new(),
                back: Vec::new(),
                warm: None,
            };
            if watch.stop().is_some() {
                bases.push(none());
                continue;
            }
            let mut kernel = Matrix::zeros(n, n);
            for (r, i) in rows.iter().enumerate() {
                bank.entries(m, *i, &columns, kernel.row_mut(r));
            }
            let mean = (0..n).map(|r| kernel.get(r, r)).sum::<f64>() / n as f64;
            if !(mean > 0.0 && mean.is_finite()) {
                bases.push(none());
                continue;
            }
            // In the unit of the mean diagonal entry.
            kernel.values_mut().iter_mut().for_each(|v| *v /= mean);
            counts.eigen_solves += 1;
            let found = symmetric_eigen_in(&kernel, &pass, "the eigenvectors of the kernels");
            if pass.is_given_up() {
                bases.push(none());
                continue;
            }
            let (values, vectors) = found?;
            let largest = values.iter().fold(0.0_f64, |a, v| a.max(*v));
            let kept: Vec<usize> = (0..n).filter(|k| values[*k] > RANK * largest).collect();
            let delta = n as f64 * self.ridge;
            let of = |f: &dyn Fn(f64) -> f64| kept.iter().map(|k| f(values[*k])).collect();
            bases.push(Base {
                vectors: vectors.select_cols(&kept),
                filter: of(&|v| (v / (v + delta)).sqrt()),
                back: of(&|v| 1.0 / (mean * (v * (v + delta)).sqrt())),
                warm: None,
            });
        }
        Ok(bases)
    }

    /// The machine on K, with coefficients of the kernels that K is made of.
    fn answer(
        &self,
        problem: &Problem<'_>,
        mut kernel: Matrix,
        mut terms: Vec<Term>,
        objective: Vec<f64>,
        status: Status,
        mut counts: Counts,
        run: &Run,
        watch: &Watch,
    ) -> Result<Learned> {
        let (n, kernels) = (problem.bank.n(), problem.bank.len());
        let mean = (0..n).map(|i| kernel.get(i, i)).sum::<f64>() / n as f64;
        if mean > 0.0 {
            kernel.values_mut().iter_mut().for_each(|v| *v /= mean);
            terms.iter_mut().for_each(|t| t.alpha /= mean);
        }
        let gram = Gram::new(kernel)?;
        counts.combines += 1;
        let rest = run.remaining(watch).quiet();
        let how = How { weights: problem.weights, ..How::new(&rest) };
        let solved = problem.machine.solve(&gram, problem.target, &how)?;
        counts.add(&solved.counts);
        let mut shares = vec![0.0; kernels];
        terms.iter().for_each(|t| shares[t.kernel] += t.alpha);
        let total: f64 = shares.iter().sum();
        match total > 0.0 {
            true => shares.iter_mut().for_each(|s| *s /= total),
            false => shares = vec![1.0 / kernels as f64; kernels],
        }
        let used: Vec<usize> = (0..kernels).filter(|m| shares[*m] > 0.0).collect();
        let spread = |head: &Head| {
            let mut coef = vec![0.0; used.len() * n];
            for term in &terms {
                let Ok(p) = used.binary_search(&term.kernel) else { continue };
                let inner: f64 = term.g.iter().zip(&head.coef).map(|(g, c)| g * c).sum();
                let part = &mut coef[p * n..(p + 1) * n];
                part.iter_mut().zip(&term.beta).for_each(|(c, b)| *c += term.alpha * inner * b);
            }
            Head { coef, ..head.clone() }
        };
        let mut blocks = solved.blocks;
        for block in &mut blocks {
            block.heads = block.heads.iter().map(spread).collect();
            block.free = None;
        }
        let machines = Solution { blocks, counts };
        let mut report = Report { counts, ..Report::closed_form(run) };
        report.iterations = objective.len() - 1;
        report.objective = objective;
        report.status = match status {
            Status::Converged => machines.status(),
            stopped => stopped,
        };
        report.notes.extend(machines.remark());
        if terms.is_empty() {
            report.notes.push(
                "kernel boosting found no function that tells pairs of one class from others: the kernel is 0"
                    .to_string(),
            );
        }
        let of_kernel = |m: usize| terms.iter().filter(|t| t.kernel == m).count() as f64;
        report
            .details
            .insert("rounds_of_kernels".to_string(), (0..kernels).map(of_kernel).collect());
        report.seconds = watch.seconds();
        Ok(Learned { machines: Some(machines), ..Learned::of(Each::rule(shares), report) })
    }
}

impl Base {
    /// The best g of this kernel for these pairs; `None` where none is better than chance.
    #[allow(clippy::too_many_arguments)]
    fn term(
        &mut self,
        m: usize,
        slopes: &Gram,
        problem: &Problem<'_>,
        rows: &[usize],
        run: &Run,
        watch: &Watch,
        counts: &mut Counts,
    ) -> Result<Option<Term>> {
        let rank = self.filter.len();
        if rank == 0 || watch.stop().is_some() {
            return Ok(None);
        }
        let scaled = |block: &Matrix, by: &[f64]| {
            Matrix::from_fn(block.rows(), block.cols(), |i, k| by[i] * block.get(i, k))
        };
        let turned = self.vectors.transposed();
        let apply = |block: &Matrix| {
            let values = product(Slice::of(&self.vectors), Slice::of(&scaled(block, &self.filter)));
            scaled(&product(Slice::of(&turned), Slice::of(&slopes.apply(&values))), &self.filter)
        };
        let options = Options { tol: ROUGH, ..Options::default() };
        let warm = self.warm.as_ref();
        let found = match top_eigenpairs(rank, 1, &apply, warm, &options, run, watch, counts) {
            Ok(found) => found,
            Err(_) if watch.stop().is_some() => return Ok(None),
            Err(e) => return Err(e),
        };
        if found.values[0] <= 0.0 {
            return Ok(None);
        }
        let beta =
            product(Slice::of(&self.vectors), Slice::of(&scaled(&found.vectors, &self.back)));
        let n = problem.bank.n();
        let mut block = Matrix::zeros(n, 1);
        rows.iter().enumerate().for_each(|(r, i)| block.set(*i, 0, beta.get(r, 0)));
        let pass = Pass::under(watch);
        let g = problem.bank.apply_in(m, &block, &pass);
        if pass.is_given_up() {
            return Ok(None);
        }
        let largest = rows.iter().fold(0.0_f64, |a, i| a.max(g.get(*i, 0).abs()));
        if !(largest > 0.0 && largest.is_finite()) {
            return Ok(None);
        }
        let over = |v: &Matrix| v.values().iter().map(|v| v / largest).collect::<Vec<f64>>();
        let (beta, g) = (over(&block), over(&g));
        let (mut right, mut wrong) = (0.0, 0.0);
        for (a, i) in rows.iter().enumerate() {
            for (b, j) in rows.iter().enumerate() {
                let v = slopes.row(a)[b] * g[*i] * g[*j];
                if v > 0.0 { right += v } else { wrong -= v }
            }
        }
        self.warm = Some(found.vectors);
        let little = 1.0 / (rows.len() * rows.len()) as f64;
        let alpha = 0.5 * ((right + little) / (wrong + little)).ln();
        // What the bound Σ D (1 − |gg|) + W⁺e^−α + W⁻e^α falls by at this α.
        let worth = right * (1.0 - (-alpha).exp()) + wrong * (1.0 - alpha.exp());
        Ok((alpha > 0.0).then_some(Term { kernel: m, alpha, beta, g, worth }))
    }
}

/// K += α g gᵀ.
fn add(kernel: &mut Matrix, alpha: f64, g: &[f64]) {
    for (i, a) in g.iter().enumerate() {
        let row = kernel.row_mut(i);
        row.iter_mut().zip(g).for_each(|(k, b)| *k += alpha * (a * b));
    }
}
